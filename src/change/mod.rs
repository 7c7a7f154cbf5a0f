//! What happens to a value.

mod subsequence;

pub use subsequence::common_subsequence;
