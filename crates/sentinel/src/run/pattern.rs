//! Patterns: those of RE2, whose classes `\d`, `\s`, `\w` and whose `\b` are of ASCII, and where a brace that
//! begins no repetition is a character.

use regex::bytes::{Regex, RegexBuilder};

use super::{Done, fault};

/// A pattern, and how much memory it takes at most.
pub(super) struct Pattern {
    pub(super) regex: Regex,
    pub(super) size: usize,
}

/// Most patterns are small; how large one is decides how much a search costs.
const SIZES: [usize; 3] = [1 << 16, 1 << 20, 10 << 20];

impl Pattern {
    pub(super) fn compile(pattern: &[u8]) -> Done<Pattern> {
        let Ok(pattern) = std::str::from_utf8(pattern) else { return fault("this pattern is not UTF-8") };
        let pattern = translate(pattern);
        let mut problem = None;
        for size in SIZES {
            match RegexBuilder::new(&pattern).size_limit(size).build() {
                Ok(regex) => return Ok(Pattern { regex, size }),
                Err(error @ regex::Error::CompiledTooBig(_)) => problem = Some(error),
                Err(error) => return fault(format!("this is no pattern: {error}")),
            }
        }
        fault(format!("this is no pattern: {}", problem.map(|error| error.to_string()).unwrap_or_default()))
    }
}

/// Why a text is no pattern.
pub(crate) fn pattern_error(pattern: &[u8]) -> Option<String> {
    Pattern::compile(pattern).err().map(|fault| fault.message)
}

/// Whether a text has a part.
pub(super) fn find(text: &[u8], part: &[u8]) -> bool {
    match (std::str::from_utf8(text), std::str::from_utf8(part)) {
        (Ok(text), Ok(part)) => text.contains(part),
        _ => {
            part.is_empty() || {
                // Bytes that are no text are rare; this is linear for them as well.
                Regex::new(&part.iter().map(|byte| format!("(?-u:\\x{byte:02x})")).collect::<String>())
                    .is_ok_and(|regex| regex.is_match(text))
            }
        }
    }
}

/// A pattern of RE2 as the `regex` crate reads it.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => rest = escape(rest, in_class, &mut out),
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if let Some(after) = rest.strip_prefix('^') {
                    out.push('^');
                    rest = after;
                }
                // The first one is a member.
                if let Some(after) = rest.strip_prefix(']') {
                    out.push_str("\\]");
                    rest = after;
                }
            }
            '[' => match rest.find(":]").filter(|_| rest.starts_with(':')) {
                Some(end) => {
                    out.push('[');
                    out.push_str(&rest[..end + 2]);
                    rest = &rest[end + 2..];
                }
                None => out.push_str("\\["),
            },
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => out.extend(['\\', c]),
            // Two of them are a range that begins with one.
            '-' if in_class && rest.starts_with('-') => out.push_str("\\-"),
            '{' if !in_class && !is_repetition(rest) => out.push_str("\\{"),
            _ => out.push(c),
        }
    }
    out
}

/// Whether what follows a brace makes it a repetition.
fn is_repetition(rest: &str) -> bool {
    let Some((counts, _)) = rest.split_once('}') else { return false };
    let (least, most) = counts.split_once(',').unwrap_or((counts, ""));
    let is_count = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    !least.is_empty() && is_count(least) && is_count(most)
}

/// Writes what a backslash begins; says what follows.
fn escape<'p>(rest: &'p str, in_class: bool, out: &mut String) -> &'p str {
    let Some(c) = rest.chars().next() else {
        out.push('\\');
        return rest;
    };
    let after = &rest[c.len_utf8()..];
    let class = match c {
        'd' | 'D' => Some("0-9"),
        's' | 'S' => Some("\\t\\n\\f\\r "),
        'w' | 'W' => Some("0-9A-Za-z_"),
        _ => None,
    };
    match (c, class) {
        (_, Some(members)) if c.is_ascii_uppercase() => out.push_str(&format!("[^{members}]")),
        (_, Some(members)) if in_class => out.push_str(members),
        (_, Some(members)) => out.push_str(&format!("[{members}]")),
        // A class by its name, or a character by its number.
        ('p' | 'P' | 'x', None) if after.starts_with('{') => {
            let end = after.find('}').map_or(after.len(), |end| end + 1);
            out.extend(['\\', c]);
            out.push_str(&after[..end]);
            return &after[end..];
        }
        ('b' | 'B', None) if !in_class => out.push_str(&format!("(?-u:\\{c})")),
        ('Q', None) => {
            let (literal, after) = after.split_once("\\E").unwrap_or((after, ""));
            out.push_str(&regex::escape(literal));
            return after;
        }
        // Any other sign may be escaped, not only those that mean something.
        (_, None) if c.is_ascii_punctuation() => out.push_str(&regex::escape(&c.to_string())),
        (_, None) => out.extend(['\\', c]),
    }
    after
}

#[cfg(test)]
mod tests {
    use super::{Pattern, find};

    #[test]
    fn patterns_of_re2() {
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
            ("^\\pL\\x{e9}[\\x{61}-c]$", "aéb", true),
            ("[a-c--b]", "b", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(
                Pattern::compile(pattern.as_bytes()).unwrap().regex.is_match(text.as_bytes()),
                expected,
                "{pattern}"
            );
        }
        for pattern in ["(", "(?=a)", "\\"] {
            assert!(Pattern::compile(pattern.as_bytes()).is_err(), "{pattern}");
        }
    }

    #[test]
    fn parts_of_bytes() {
        assert!(find(b"a\xffb", b"\xff") && !find(b"a\xffb", b"\xfe") && find(b"\xff", b""));
    }
}
