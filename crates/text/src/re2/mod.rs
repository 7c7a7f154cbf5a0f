//! Patterns in the syntax of RE2, which Terraform, Sentinel and Rego use, matched by the `regex` crate.

mod classes;
mod meter;
mod translate;

use std::fmt;

pub use regex::bytes::Captures;
use regex::bytes::{Regex, RegexBuilder};

use self::meter::Meter;
use self::translate::{Translated, translate};

/// A compiled pattern.
///
/// ```
/// use objchange_text::re2::Pattern;
///
/// let pattern = Pattern::new(r"^\Qa.b\E-(?P<number>\d+)$", Pattern::MAX_SIZE)?;
/// assert!(pattern.is_match(b"a.b-12") && !pattern.is_match("a.b-١٢".as_bytes()));
/// assert_eq!(pattern.names(), [Some("number".to_owned())]);
/// assert!(Pattern::new("a**", Pattern::MAX_SIZE).is_err());
/// # Ok::<(), objchange_text::re2::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Regex,
    names: Vec<Option<String>>,
    width: usize,
    size: usize,
}

/// Why a text is not a pattern that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// The text is not a pattern of RE2.
    Syntax(Refusal),
    /// Compiled, it takes more memory than it may.
    TooLarge,
}

/// A problem with a text that is not a pattern, as Go says it: a code and the part that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The problem, such as `missing closing )`.
    pub code: &'static str,
    /// The part of the pattern; empty where it is the end.
    pub part: String,
}

impl PatternError {
    /// A stable name of this error.
    pub fn kind(&self) -> &'static str {
        "bad_pattern"
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(Refusal { code, part }) if part.is_empty() => f.write_str(code),
            Self::Syntax(Refusal { code, part }) => write!(f, "{code}: `{part}`"),
            Self::TooLarge => f.write_str("the pattern is too large"),
        }
    }
}

impl std::error::Error for PatternError {}

/// Searches read more of a text than they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyReads;

impl TooManyReads {
    /// A stable name of this error.
    pub fn kind(&self) -> &'static str {
        "too_many_reads"
    }
}

impl fmt::Display for TooManyReads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("matching this pattern takes too long: it reads the same text again and again")
    }
}

impl std::error::Error for TooManyReads {}

/// The number of bytes beyond the length of the text that are taken to be read without looking.
const UNMETERED: usize = 1 << 12;

/// Most patterns are small, and how much memory one may take decides how much its first search costs.
const SIZES: [usize; 2] = [1 << 16, 1 << 20];

impl Pattern {
    /// The most memory that a compiled pattern may take, in bytes, where nothing asks for less.
    pub const MAX_SIZE: usize = 10 << 20;

    /// Compiles a pattern that takes at most this much memory, in bytes.
    ///
    /// # Errors
    ///
    /// The text is not a pattern of RE2, or the compiled pattern is too large.
    pub fn new(pattern: &str, max_size: usize) -> Result<Self, PatternError> {
        let Translated { text, names, size: width } = translate(pattern).map_err(PatternError::Syntax)?;
        let sizes = SIZES.into_iter().filter(|size| *size < max_size).chain([max_size]);
        for size in sizes {
            // Bytes are matched, because the `\B` of ASCII is refused for text: it is also between the bytes of one
            // character. `matches` skips such matches.
            match RegexBuilder::new(&text).size_limit(size).build() {
                Ok(regex) => return Ok(Self { regex, names, width, size }),
                // Tried again with more memory, up to the limit of the caller.
                Err(regex::Error::CompiledTooBig(_)) => {}
                // Translated patterns are in the syntax of the crate. Where one is not, the crate's own message would show what
                // the user did not write.
                Err(_) => {
                    let refusal = Refusal { code: "invalid pattern", part: pattern.to_owned() };
                    return Err(PatternError::Syntax(refusal));
                }
            }
        }
        Err(PatternError::TooLarge)
    }

    /// The pattern as a [`Regex`]. Its groups have no names; [`Pattern::names`] has them.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }

    /// The name of each group, in the order of their opening parentheses.
    pub fn names(&self) -> &[Option<String>] {
        &self.names
    }

    /// About how many characters the pattern has with its repetitions written out: how much each character of a text
    /// costs at worst.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The most memory that the compiled pattern takes, in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether the pattern matches anywhere in a text.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }

    /// All matches from left to right, as Go's `FindAll` finds them: none is empty right behind another one, or within
    /// a character.
    ///
    /// ```
    /// use objchange_text::re2::Pattern;
    ///
    /// let pattern = Pattern::new("a*", Pattern::MAX_SIZE)?;
    /// let found: Vec<_> = pattern.matches("baaé").filter_map(|found| Some(found.get(0)?.range())).collect();
    /// assert_eq!(found, [0..0, 1..3, 5..5]);
    /// # Ok::<(), objchange_text::re2::PatternError>(())
    /// ```
    pub fn matches<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.search(text, |_| true).filter_map(Result::ok)
    }

    /// Like [`matches`](Self::matches), for as long as the searches together read no more bytes than
    /// `bytes_left`, which they take away from it.
    ///
    /// With a pattern such as `(a*)*b|a` each search reads the text to its end, so that finding all matches takes time
    /// that grows with the square of the length.
    ///
    /// ```
    /// use objchange_text::re2::{Pattern, TooManyReads};
    ///
    /// let pattern = Pattern::new("(a*)*b|a", Pattern::MAX_SIZE)?;
    /// let text = "a".repeat(10_000);
    /// let mut bytes_left = 1 << 20;
    /// let last = pattern.matches_within(&text, &mut bytes_left).last();
    /// assert!(matches!(last, Some(Err(TooManyReads))));
    /// # Ok::<(), objchange_text::re2::PatternError>(())
    /// ```
    pub fn matches_within<'t>(
        &self,
        text: &'t str,
        bytes_left: &mut u64,
    ) -> impl Iterator<Item = Result<Captures<'t>, TooManyReads>> {
        let mut unmetered = text.len() + UNMETERED;
        let mut meter = None;
        self.search(text, move |start| {
            let most = text.len() - start;
            let read = if let Some(left) = unmetered.checked_sub(most) {
                // The meter searches a second time, so as long as the sum stays small the worst case is assumed instead.
                unmetered = left;
                most
            } else {
                let meter = meter.get_or_insert_with(|| Meter::new(self.regex.as_str(), self.size));
                meter.as_mut().map_or(most, |meter| meter.read(text.as_bytes(), start))
            };
            let left = bytes_left.checked_sub(read as u64);
            *bytes_left = left.unwrap_or(0);
            left.is_some()
        })
    }

    /// All matches, as long as each search may begin where it would.
    fn search<'t>(
        &self,
        text: &'t str,
        mut may_begin: impl FnMut(usize) -> bool,
    ) -> impl Iterator<Item = Result<Captures<'t>, TooManyReads>> {
        let mut start = 0;
        let mut last_end = None;
        std::iter::from_fn(move || {
            while start <= text.len() {
                if !may_begin(start) {
                    start = text.len() + 1;
                    return Some(Err(TooManyReads));
                }
                // Not a search in the rest of the text: `\b` and `^` look at the characters before `start`.
                let captures = self.regex.captures_at(text.as_bytes(), start)?;
                let range = captures.get(0)?.range();
                let after = |at| {
                    (at + 1..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len() + 1)
                };
                let is_stray = range.is_empty()
                    && (last_end == Some(range.start) || !text.is_char_boundary(range.start));
                start = if range.is_empty() { after(range.end) } else { range.end };
                if !is_stray {
                    last_end = Some(range.end);
                    return Some(Ok(captures));
                }
            }
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_match_as_re2_matches() {
        let cases = [
            ("^\\d+$", "12", true),
            ("^\\d+$", "١٢", false),
            ("[\\w-]+", "é", false),
            ("^[^\\s]$", " ", false),
            ("^[\\W]$", "-", true),
            ("${x}", "a", false),
            ("^\\${.*}$", "${var.x}", true),
            ("a{2}", "aa", true),
            ("a{,2}", "a{,2}", true),
            ("[[:alpha:]]", "x", true),
            ("^[a[]$", "[", true),
            ("^[]a]$", "]", true),
            ("\\/\\-\\_\\<", "/-_<", true),
            ("\\Qa.b\\E", "a.b", true),
            ("\\bfoo\\b", "a foo b", true),
            ("(?i)TEST", "test", true),
            ("^a&&b[&&~]$", "a&&b~", true),
            ("^\\p{L}\\P{Greek}$", "éx", true),
            ("^\\p{Lu}$", "a", false),
            ("^\\p{Old_Italic}\\p{greek}\\p{Uppercase_Letter}\\p{ASCII}$", "\u{10300}αAa", true),
            ("\\p{Cs}", "a", false),
            ("^\\P{Cs}[^\\p{Cs}]\\p{Any}$", "abc", true),
            ("\\P{Any}", "a", false),
            ("^\\pL\\x{e9}[\\x{61}-c]$", "aéb", true),
            ("\\012", "\n", true),
            ("^[a-c--b]$", "-", true),
        ];
        for (pattern, text, expected) in cases {
            let pattern = Pattern::new(pattern, Pattern::MAX_SIZE).unwrap();
            assert_eq!(pattern.is_match(text.as_bytes()), expected, "{pattern:?}");
        }
    }

    #[test]
    fn what_re2_refuses_is_refused() {
        let refused = [
            "(",
            "(?=a)",
            "\\",
            "a**",
            "a{2}{3}",
            "a{1001}",
            "x*+",
            "(?P<é>x)",
            "[[:foo:]]",
            "(?x)",
            "(?s-u:.)",
            "\\u0041",
            "(?R)",
            // The crate has these.
            "\\p{Alphabetic}",
            "\\p{White_Space}",
            "\\p{Grek}",
            "\\p{sc=Greek}",
            "\\p{Garay}",
        ];
        for pattern in refused {
            assert!(Pattern::new(pattern, Pattern::MAX_SIZE).is_err(), "{pattern}");
        }
    }
}
