//! Skipping values.

use super::{JsonError, Reader};

impl Reader<'_> {
    /// Passes over brackets that balance, however deep they nest.
    ///
    /// Reads eight bytes at a time, because most of the skipped text has neither brackets nor quotes.
    pub(super) fn skip_brackets(&mut self) -> Result<(), JsonError> {
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        let mut in_string = false;
        while self.at < bytes.len() {
            let mut word = [0; 8];
            match bytes[self.at..].first_chunk() {
                Some(whole) => word = *whole,
                // Zeros behind the end are neither quotes nor brackets.
                None => word[..bytes.len() - self.at].copy_from_slice(&bytes[self.at..]),
            }
            let mut found = quotes_and_brackets(u64::from_le_bytes(word));
            let mut length = 8;
            while found != 0 {
                let index = found.trailing_zeros() as usize / 8;
                found &= found - 1;
                match word[index] {
                    b'"' => in_string = !in_string,
                    // The escaped character may be a quote; one byte of it is enough.
                    b'\\' if in_string && index == 7 => length = 9,
                    b'\\' if in_string => found &= !(0xff << (8 * (index + 1))),
                    _ if in_string => {}
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        // The first byte is an opening bracket, so this cannot be less than zero.
                        depth -= 1;
                        if depth == 0 {
                            self.at += index + 1;
                            return Ok(());
                        }
                    }
                    _ => {}
                }
            }
            self.at += length;
        }
        self.at = bytes.len();
        Err(self.truncated(match in_string {
            true => "the text ends inside of a string",
            false => "the text ends inside of an object or array",
        }))
    }
}

/// The high bit of each byte that is a quote, a bracket, a backslash or a bar, and of no other.
fn quotes_and_brackets(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = ONES * 0x7f;
    // Without the high bits no sum carries into the next byte. `[\]` are `{|}` but for one bit.
    let folded = (word | (ONES * 0x20)) & LOW;
    let brackets = (folded + ONES * (0x80 - 0x7b)) & !(folded + ONES * (0x80 - 0x7e)) & !word;
    let quotes = word ^ (ONES * u64::from(b'"'));
    let quotes = !((quotes & LOW) + LOW) & !quotes;
    (brackets | quotes) & !LOW
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Byte by byte.
    fn plain_length(text: &str) -> Option<usize> {
        let (mut depth, mut in_string, mut escaped) = (0, false, false);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn brackets_end_where_they_balance(text in r#"[{\[]([\[\]{}"\\|:a\u{e9}\u{2fb}\u{15d}!#]|xxxxx){0,40}"#) {
            let found = Reader::new(&text).raw().ok().map(|raw| raw.text().len());
            prop_assert_eq!(found, plain_length(&text));
        }
    }
}
