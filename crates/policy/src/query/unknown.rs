//! Decides whether the answer for an item depends on unknown values.
//!
//! Reading an unknown value is an error. `||`, `&&` and loops ignore such an error if their answer does not
//! depend on it, so an answer in spite of such errors holds for every value. If an unknown value can only be
//! passed on, like an element of a list, or if an error would be mistaken for something else, the answer is
//! undecided.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use cel::ExecutionError;

/// The name of the error.
pub(super) const UNKNOWN: &str = "@unknown";
/// That of an unknown member of an object or a map, which documents leave out.
pub(super) const UNKNOWN_MEMBER: &str = "@unknown_member";

/// Records reads of unknown values while an item is evaluated.
#[derive(Debug, Default)]
pub(super) struct UnknownReads {
    /// A read failed because the value is unknown.
    refused: AtomicBool,
    /// An unknown value was passed on.
    passed: AtomicBool,
}

impl UnknownReads {
    /// Begins with another item.
    pub(super) fn renew(&self) {
        self.refused.store(false, Relaxed);
        self.passed.store(false, Relaxed);
    }

    /// The error of looking at something unknown.
    pub(super) fn refuse(&self) -> ExecutionError {
        self.refused.store(true, Relaxed);
        ExecutionError::function_error(UNKNOWN, "this is unknown until apply")
    }

    /// The error of looking at a member that is unknown, and not in the document.
    pub(super) fn refuse_member(&self) -> ExecutionError {
        self.refused.store(true, Relaxed);
        ExecutionError::function_error(UNKNOWN_MEMBER, "this is unknown until apply")
    }

    /// Takes note of something unknown that is passed on.
    pub(super) fn pass(&self) {
        self.passed.store(true, Relaxed);
    }

    /// Does something that takes errors for something else.
    pub(super) fn hiding<T>(&self, hide: impl FnOnce() -> T) -> T {
        let before = self.refused.swap(false, Relaxed);
        let made = hide();
        if self.refused.load(Relaxed) {
            self.pass();
        }
        self.refused.fetch_or(before, Relaxed);
        made
    }

    /// Whether looking at something unknown made the error, or an answer that comes from hiding the error.
    pub(super) fn made(&self, is_error: bool, hides_errors: bool) -> bool {
        (is_error || hides_errors) && self.refused.load(Relaxed)
    }

    /// Whether something unknown was passed on.
    pub(super) fn has_passed(&self) -> bool {
        self.passed.load(Relaxed)
    }
}
