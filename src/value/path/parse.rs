//! Reading a path from text.

use std::str::FromStr;

use super::{Path, PathStep};
use crate::value::{Number, Value, visible};

/// Why a text is no path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {problem}; write a path like disk[0].size or tags[\"Name\"]")]
pub struct ParsePathError {
    /// Where in the text, in bytes from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

/// Reads a path as configuration and Terraform's messages write it: `disk[0].size`, `.tags["Name"]`.
///
/// What [`Display`](std::fmt::Display) writes is read back, but for steps to the elements of a set, which
/// have no text.
///
/// ```
/// use objchange::value::Path;
///
/// let path: Path = r#"disk[0].tags["Name"]"#.parse()?;
/// assert_eq!(path, Path::root().attribute("disk").index(0).attribute("tags").index("Name"));
/// assert_eq!(path.to_string(), r#".disk[0].tags["Name"]"#);
///
/// let error = "disk[x]".parse::<Path>().unwrap_err();
/// assert_eq!((error.column, error.problem), (6, "an index is a number or a string in double quotes"));
/// # Ok::<(), objchange::value::ParsePathError>(())
/// ```
impl FromStr for Path {
    type Err = ParsePathError;

    fn from_str(text: &str) -> Result<Self, ParsePathError> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let error = |problem| ParsePathError { column: text.len() - rest.len() + 1, problem };
            let (step, left) = match rest.strip_prefix('[') {
                Some(inside) => index(inside).map_err(|(left, problem)| ParsePathError {
                    column: text.len() - left.len() + 1,
                    problem,
                })?,
                None => {
                    let name = match rest.strip_prefix('.') {
                        Some(name) => name,
                        None if steps.is_empty() => rest,
                        None => return Err(error("a step begins with a dot or a bracket")),
                    };
                    attribute(name).map_err(error)?
                }
            };
            steps.push(step);
            rest = left;
        }
        Ok(steps.into_iter().collect())
    }
}

/// The name up to the next step, and what follows it.
fn attribute(text: &str) -> Result<(PathStep, &str), &'static str> {
    let end = text.find(['.', '[', ']', '"']).unwrap_or(text.len());
    match text.split_at(end) {
        ("", _) => Err("an attribute's name is missing"),
        // It is not written as it is, and what is written is not to be read as another name.
        (name, _) if visible(name) != name => {
            Err("an attribute's name has a character that is not printable")
        }
        (name, rest) => Ok((PathStep::Attribute(name.into()), rest)),
    }
}

/// The key up to the closing bracket, and what follows that; or the place of a problem.
fn index(text: &str) -> Result<(PathStep, &str), (&str, &'static str)> {
    const NO_KEY: &str = "an index is a number or a string in double quotes";
    let (key, rest) = if text.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
        match strings.next() {
            Some(Ok(key)) => (Value::from(key), &text[strings.byte_offset()..]),
            _ => return Err((text, "the string in double quotes is not closed, or has a wrong escape")),
        }
    } else {
        let (number, rest) = text.split_at(text.find(']').unwrap_or(text.len()));
        let is_plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
        match Number::parse(number) {
            Ok(number) if is_plain => (Value::from(number), rest),
            _ => return Err((text, NO_KEY)),
        }
    };
    match rest.strip_prefix(']') {
        Some(rest) => Ok((PathStep::Index(key), rest)),
        None => Err((rest, "a closing bracket is missing")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn refused(text: &str, column: usize) {
        assert_eq!(text.parse::<Path>().unwrap_err().column, column, "{text}");
    }

    #[test]
    fn what_is_no_path_is_refused_with_its_place() {
        refused("a..b", 2);
        refused("a[", 3);
        refused("a[0", 4);
        refused(r#"a["b"#, 3);
        refused(r#"a["b"]c"#, 7);
        refused("a]", 2);
        refused("a[0x1]", 3);
        refused("a[1e99999999]", 3);
        refused(".", 1);
        refused("a.\u{1b}", 2);
    }

    #[test]
    fn the_root_has_no_steps() {
        assert_eq!("".parse(), Ok(Path::root()));
    }

    proptest! {
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
            "[^.\\[\\]\"]{1,8}"
                .prop_filter("printable", |name| visible(name) == *name)
                .prop_map(|name| PathStep::Attribute(name.into())),
            any::<u32>().prop_map(|i| PathStep::Index(Value::from(i64::from(i)))),
            ".{0,8}".prop_map(|key| PathStep::Index(Value::from(key))),
        ]
    }
}
