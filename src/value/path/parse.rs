//! Reading a path from text.

use std::borrow::Cow;
use std::str::FromStr;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::{Path, PathStep};
use crate::value::{Number, Value};
use objchange_text::json::Reader;

/// Why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {kind}; write a path like disk[0].size or tags[\"Name\"]")]
#[non_exhaustive]
pub struct ParsePathError {
    /// The column in the text, in bytes from 1.
    pub column: usize,
    /// The problem at this place.
    pub kind: ParsePathErrorKind,
}

/// Why a text is not a path, at one place of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ParsePathErrorKind {
    /// The text has something else than a step here.
    #[error(
        "a step begins with a dot or a bracket, and a name with other characters than letters, digits, _ and - \
         must be in double quotes"
    )]
    NoStep,
    /// A dot, and no name.
    #[error("an attribute's name is missing")]
    MissingName,
    /// A dot, and a number.
    #[error("a position must be in brackets, as in [0]")]
    PositionAfterDot,
    /// A name has characters that are not allowed.
    #[error("a name is made of letters, digits, _ and -; one with other characters must be in double quotes")]
    NoName,
    /// A string that does not end, or has an escape that JSON does not know.
    #[error("the string in double quotes is not closed, or has a wrong escape")]
    BadString,
    /// The text in brackets is not a key.
    #[error("an index is a number or a string in double quotes")]
    NoKey,
    /// A bracket is not closed.
    #[error("a closing bracket is missing")]
    MissingBracket,
}

impl ParsePathErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::NoStep => "no_step",
            Self::MissingName => "missing_name",
            Self::PositionAfterDot => "position_after_dot",
            Self::NoName => "no_name",
            Self::BadString => "bad_string",
            Self::NoKey => "no_key",
            Self::MissingBracket => "missing_bracket",
        }
    }
}

/// Reads a path as configuration writes it, `disk[0].size`, or as Terraform's messages do, `.disk[0].size`.
///
/// An attribute's name that is not an identifier is in double quotes, with the escapes of JSON:
/// `labels."a b"`.
///
/// Text written by [`Display`](std::fmt::Display) is read back. Two kinds of steps have no text: steps to
/// elements of a set that are not string, number or bool, and sensitive keys.
///
/// ```
/// use objchange::value::Path;
///
/// let path: Path = r#"disk[0].tags["Name"]"#.parse()?;
/// assert_eq!(path, Path::root().attribute("disk").index(0).attribute("tags").index("Name"));
/// assert_eq!(path.to_string(), r#"disk[0].tags["Name"]"#);
///
/// let error = "disk[x]".parse::<Path>().unwrap_err();
/// assert_eq!((error.column, error.kind.kind()), (6, "no_key"));
/// # Ok::<(), objchange::value::ParsePathError>(())
/// ```
impl FromStr for Path {
    type Err = ParsePathError;

    fn from_str(text: &str) -> Result<Self, ParsePathError> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let step = if let Some(inside) = rest.strip_prefix('[') {
                index(inside)
            } else if let Some(name) = rest.strip_prefix('.') {
                attribute(name)
            } else if steps.is_empty() {
                attribute(rest)
            } else {
                Err((rest, ParsePathErrorKind::NoStep))
            };
            let (step, left) =
                step.map_err(|(left, kind)| ParsePathError { column: text.len() - left.len() + 1, kind })?;
            steps.push(step);
            rest = left;
        }
        Ok(steps.into_iter().collect())
    }
}

/// The rest of the text from the problem on, and the problem.
type Problem<'t> = (&'t str, ParsePathErrorKind);

/// The name of an attribute, and the text after it; or the place of a problem.
fn attribute(text: &str) -> Result<(PathStep, &str), Problem<'_>> {
    if text.starts_with('"') {
        let (name, rest) = quoted(text)?;
        return Ok((PathStep::Attribute(name.into()), rest));
    }
    let end = text.char_indices().find(|(at, c)| !is_in_name(*c, *at == 0)).map_or(text.len(), |(at, _)| at);
    match text.split_at(end) {
        ("", "") => Err((text, ParsePathErrorKind::MissingName)),
        ("", _) if text.starts_with(['.', '[', ']']) => Err((text, ParsePathErrorKind::MissingName)),
        ("", _) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            Err((text, ParsePathErrorKind::PositionAfterDot))
        }
        ("", _) => Err((text, ParsePathErrorKind::NoName)),
        (name, rest) => Ok((PathStep::Attribute(name.into()), rest)),
    }
}

/// A string in double quotes, and the rest.
fn quoted(text: &str) -> Result<(Cow<'_, str>, &str), Problem<'_>> {
    let mut reader = Reader::strict(text);
    match reader.string() {
        Ok(string) => Ok((string, &text[reader.offset()..])),
        Err(_) => Err((text, ParsePathErrorKind::BadString)),
    }
}

/// Whether an attribute's name can be in a path as it is: an identifier of the configuration language.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.char_indices().all(|(at, c)| is_in_name(c, at == 0))
}

fn is_in_name(c: char, first: bool) -> bool {
    use GeneralCategory::{ConnectorPunctuation, DecimalNumber, LetterNumber};
    use GeneralCategoryGroup::{Letter, Mark};
    if c.is_ascii() {
        return c.is_ascii_alphabetic() || c == '_' || !first && (c.is_ascii_digit() || c == '-');
    }
    let inside = || {
        c.general_category_group() == Mark
            || matches!(c.general_category(), DecimalNumber | ConnectorPunctuation)
    };
    c.general_category_group() == Letter || c.general_category() == LetterNumber || !first && inside()
}

/// The key up to the closing bracket, and the rest; or the place of a problem.
fn index(text: &str) -> Result<(PathStep, &str), Problem<'_>> {
    let (key, rest) = if text.starts_with('"') {
        let (key, rest) = quoted(text)?;
        (Value::from(&*key), rest)
    } else {
        let (key, rest) = text.split_at(text.find(']').unwrap_or(text.len()));
        let is_plain = key.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
        match Number::parse(key) {
            Ok(number) if is_plain => (Value::from(number), rest),
            // An element of a set.
            _ if key == "true" || key == "false" => (Value::from(key == "true"), rest),
            _ => return Err((text, ParsePathErrorKind::NoKey)),
        }
    };
    match rest.strip_prefix(']') {
        Some(rest) => Ok((PathStep::Index(key), rest)),
        None => Err((rest, ParsePathErrorKind::MissingBracket)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::FileFailurePersistence;

    use super::*;

    #[track_caller]
    fn refused(text: &str, column: usize) {
        assert_eq!(text.parse::<Path>().unwrap_err().column, column, "{text}");
    }

    #[test]
    fn what_is_no_path_is_refused_with_its_place() {
        refused("a..b", 3);
        refused("a b", 2);
        refused(" a", 1);
        refused("a ", 2);
        refused("a.b,c", 4);
        refused("a.0", 3);
        refused("a.*", 3);
        refused("a[*]", 3);
        refused(r#"a."b"#, 3);
        refused(r#""a"b"#, 4);
        refused("a[", 3);
        refused("a[0", 4);
        refused(r#"a["b"#, 3);
        refused(r#"a["b"]c"#, 7);
        refused("a]", 2);
        refused("a[0x1]", 3);
        refused("a[1e99999999]", 3);
        refused(".", 2);
        refused("a.\u{1b}", 3);
    }

    #[test]
    fn the_root_has_no_steps() {
        assert_eq!("".parse(), Ok(Path::root()));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/proptest-regressions/value/path.txt"))),
            ..ProptestConfig::default()
        })]

        #[test]
        fn what_is_written_is_read_back(steps in proptest::collection::vec(step(), 0..6)) {
            let path: Path = steps.into_iter().collect();
            prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
        }

        #[test]
        fn no_text_is_too_much(text in ".*") {
            let _ = text.parse::<Path>();
        }
    }

    fn step() -> impl Strategy<Value = PathStep> {
        prop_oneof![
            "[a-zé_][a-z0-9é_-]{0,7}|.{0,8}".prop_map(|name| PathStep::Attribute(name.into())),
            any::<bool>().prop_map(|element| PathStep::Index(Value::from(element))),
            "-?[0-9]{1,40}([.][0-9]{1,9})?"
                .prop_map(|number| PathStep::Index(Value::from(Number::parse(&number).expect("a number")))),
            any::<u32>().prop_map(|i| PathStep::Index(Value::from(i64::from(i)))),
            ".{0,8}".prop_map(|key| PathStep::Index(Value::from(key))),
        ]
    }
}
