//! Checks whether standard output was open when the program began.
//!
//! If it was closed (`>&-`), Rust's runtime opens `/dev/null` before `main`, and all output is lost without an error.
//! Only a check before that can tell it from a user's `/dev/null`.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look() {
    let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
    WAS_CLOSED.store(closed, Ordering::Relaxed);
}

/// Fails if standard output was closed.
pub(crate) fn check() -> io::Result<()> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    Ok(())
}
