//! Runs calls of providers for callers without an async runtime.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use objchange_provider::client::Children;
use tokio::sync::{Notify, watch};

/// Where providers are asked, from this thread. When it is dropped, no process is left that was started in it.
#[derive(Debug)]
pub struct Workplace {
    runtime: tokio::runtime::Runtime,
    /// The processes that are started in it.
    pub children: Children,
    stopper: Stopper,
}

/// Ends the work of a [`Workplace`] from another thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    children: Children,
    interrupted: watch::Sender<bool>,
}

impl Stopper {
    /// Ends the work, and all processes that were started for it.
    pub fn stop(&self) {
        // Before the processes are killed, so that their end is not taken for a crash.
        self.interrupted.send_replace(true);
        self.children.kill_all();
    }
}

impl Workplace {
    /// One without any process.
    ///
    /// # Errors
    ///
    /// The system does not let this thread wait for processes.
    pub fn new() -> io::Result<Self> {
        let children = Children::default();
        // A provider may leave daemons in process groups of their own, which no kill of its group would reach.
        children.adopt_orphans();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stopper = Stopper { children: children.clone(), interrupted: watch::Sender::new(false) };
        Ok(Self { runtime, children, stopper })
    }

    /// Returns a handle that stops the work.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Runs the work; `None` if it is or was interrupted. All processes started for it are gone then.
    pub fn wait_for<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut interrupted = self.stopper.interrupted.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                // Asked first, so that an interrupt wins over work that ends because of it.
                biased;
                Ok(_) = interrupted.wait_for(|interrupted| *interrupted) => None,
                // An interrupt kills the provider, and the work may see that before it is asked about the interrupt again.
                result = work => (!self.was_interrupted()).then_some(result),
            }
        })
    }

    /// Whether the work was interrupted.
    pub fn was_interrupted(&self) -> bool {
        *self.stopper.interrupted.borrow()
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // Ends daemons that a provider left, too, and waits for other threads that are ending processes.
        self.children.kill_all();
    }
}

/// The effect of an interrupt on the work: it ends the work, unless the work holds it off.
#[derive(Debug, Default, Clone)]
pub struct Interrupt(Arc<InterruptState>);

#[derive(Debug, Default)]
struct InterruptState {
    is_held_off: AtomicBool,
    was_heard: AtomicBool,
    heard: Notify,
}

impl Interrupt {
    /// From now on the first interrupt only sets a flag, and does not end the work.
    pub fn hold_off(&self) {
        self.0.is_held_off.store(true, Ordering::SeqCst);
    }

    /// From here on an interrupt ends the work again.
    pub fn allow(&self) {
        self.0.is_held_off.store(false, Ordering::SeqCst);
    }

    /// Whether an interrupt only sets a flag.
    pub fn is_held_off(&self) -> bool {
        self.0.is_held_off.load(Ordering::SeqCst)
    }

    /// Says that there was one.
    pub fn interrupt(&self) {
        self.0.was_heard.store(true, Ordering::SeqCst);
        self.0.heard.notify_one();
    }

    /// Comes back when there was an interrupt that was held off.
    pub async fn heard(&self) {
        self.0.heard.notified().await;
    }

    /// Whether there was one.
    pub fn was_heard(&self) -> bool {
        self.0.was_heard.load(Ordering::SeqCst)
    }
}
