//! Checks whether standard output was open when the program began.
//!
//! On a closed one (`>&-`) Rust's runtime opens `/dev/null` before `main`, so that all output is lost without an error.
//! Looking earlier is the only way to tell that from somebody who passes `/dev/null`.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look() {
    let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
    WAS_CLOSED.store(closed, Ordering::Relaxed);
}

/// An error if what is written to standard output reaches nobody.
pub(crate) fn check() -> io::Result<()> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("standard output is closed"));
    }
    Ok(())
}
