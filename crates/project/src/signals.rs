//! Signals that end a program.

use std::io;

/// How somebody says that this program should end.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals([tokio::signal::unix::Signal; 4]);

#[cfg(unix)]
impl Signals {
    /// Listens from here on, in place of what the system does then.
    ///
    /// # Errors
    ///
    /// The system does not let us listen, or no runtime of tokio is there.
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let all =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [interrupt, terminate, hangup, quit] = all.map(signal);
        Ok(Self([interrupt?, terminate?, hangup?, quit?]))
    }

    /// Comes back when somebody says so, once for each time.
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

/// How somebody says that this program should end.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Listens from here on, in place of what the system does then.
    ///
    /// # Errors
    ///
    /// None here.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Comes back when somebody says so.
    pub async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
