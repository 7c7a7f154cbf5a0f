//! Limits for documents from outside: one on nesting, and a budget for parts that a document implies
//! without spelling them out.

use std::cell::Cell;

/// Values nested this deep or deeper are not read: the limit that all formats share.
pub(super) const MAX_DEPTH: u32 = objchange_text::json::TOO_DEEP as u32;

/// How many parts a document may imply without spelling them out.
const MAX_IMPLIED_PARTS: u64 = 1 << 20;

/// The rest of the budget for implied parts.
///
/// A few bytes can promise a list of a million unknown elements, or name a type with thousands of
/// attributes and then objects that have none of them. Without a common bound, many such few bytes would
/// fill the memory.
#[derive(Debug)]
pub(super) struct Budget(Cell<u64>);

/// A document implies too many parts that it does not spell out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "more than {MAX_IMPLIED_PARTS} elements and attributes are implied and not written in the document; \
     write them out, or promise shorter lists"
)]
pub struct TooManyImplied(());

impl TooManyImplied {
    /// The stable name of the kind of error: there is one.
    pub fn kind(self) -> &'static str {
        "too_many_implied"
    }
}

impl Budget {
    pub(super) const fn new() -> Self {
        Self(Cell::new(MAX_IMPLIED_PARTS))
    }

    pub(super) fn spend(&self, parts: usize) -> Result<(), TooManyImplied> {
        let left = self.0.get().checked_sub(parts as u64).ok_or(TooManyImplied(()))?;
        self.0.set(left);
        Ok(())
    }
}
