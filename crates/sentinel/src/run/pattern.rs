//! Patterns of `matches`, and texts that have a part.

use objchange_text::re2;

use crate::value::{Done, fault};

/// A pattern, and how much memory it takes at most.
pub(super) struct Pattern {
    pattern: re2::Pattern,
    pub(super) size: usize,
}

impl Pattern {
    pub(super) fn compile(pattern: &[u8]) -> Done<Pattern> {
        let Ok(pattern) = std::str::from_utf8(pattern) else { return fault("this pattern is not UTF-8") };
        match re2::Pattern::new(pattern, re2::Pattern::MAX_SIZE) {
            Ok(pattern) => {
                let size = pattern.size();
                Ok(Pattern { pattern, size })
            }
            Err(error) => fault(format!("this is not a pattern: {error}")),
        }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.pattern.is_match(text)
    }
}

/// Why a text is not a pattern.
pub(crate) fn pattern_error(pattern: &[u8]) -> Option<String> {
    Pattern::compile(pattern).err().map(|fault| fault.message)
}

/// Whether a text has a part.
pub(super) fn find(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}
