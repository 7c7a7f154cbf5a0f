//! Signals that end a program.

use std::{io, thread};

/// Listens for signals that end a program, in a thread of its own, so that they are heard whatever the work is busy with.
/// When this returns a signal is heard: processes that start afterwards are not left behind by one that comes early.
///
/// # Errors
///
/// The system gives no thread, or does not let us listen.
pub fn on_signals<F: Future<Output = ()>>(
    heard: impl FnOnce(Signals) -> F + Send + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // The thread registered its handlers itself at first. A hangup that came earlier ended the program with the answer of
    // the system.
    let signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    thread::Builder::new().name("signals".into()).spawn(move || runtime.block_on(heard(signals))).map(drop)
}

/// Signals that say that this program should end.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals([tokio::signal::unix::Signal; 4]);

#[cfg(unix)]
impl Signals {
    /// Listens from here on, in place of what the system does then. A runtime of tokio must be entered.
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let all =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [interrupt, terminate, hangup, quit] = all.map(signal);
        Ok(Self([interrupt?, terminate?, hangup?, quit?]))
    }

    /// Comes back with the next signal.
    pub async fn next(&mut self) {
        let [interrupt, terminate, hangup, quit] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = quit.recv() => {}
        }
    }
}

/// Signals that say that this program should end.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens once it is asked for the next one: there is nothing to open here.
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Comes back with the next signal.
    pub async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
