//! Limits on the result of one call. Terraform has only that of `range`; the others are far above what configuration
//! needs and keep a short expression from filling memory.

use crate::function::FunctionError;

/// The maximum length of a text that a call returns, in bytes.
pub(super) const MAX_TEXT: usize = 1 << 26;

/// The maximum number of elements that a call returns if it makes more than it was given.
pub(super) const MAX_ELEMENTS: usize = 1 << 20;

/// The maximum number of elements of `range`: Terraform's own limit.
pub(super) const MAX_RANGE: usize = 1024;

/// The largest width and precision of a verb of `format`.
pub(super) const MAX_WIDTH: usize = 1 << 20;

/// The maximum memory of a compiled regular expression, in bytes.
pub(super) const MAX_REGEX: usize = 10 << 20;

/// The maximum product of the lengths of a text and of a pattern with its repetitions written out: a search takes as
/// many steps in the worst case. A pattern of a hundred characters can search a megabyte.
pub(super) const MAX_MATCH: usize = 1 << 27;

/// An expression's step pays for this many steps of a search.
pub(super) const MEETINGS_PER_STEP: usize = 512;

/// Fails if a text of this length would be too long.
pub(super) fn check_text(length: Option<usize>) -> Result<(), FunctionError> {
    match length {
        Some(..=MAX_TEXT) => Ok(()),
        _ => Err(FunctionError::new("the result is too long: more than 64 MiB of text")),
    }
}

/// Fails if so many elements would be too many.
pub(super) fn check_elements(count: Option<usize>) -> Result<(), FunctionError> {
    match count {
        Some(..=MAX_ELEMENTS) => Ok(()),
        _ => Err(FunctionError::new("the result has too many elements: more than 1048576")),
    }
}
