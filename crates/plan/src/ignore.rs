//! Paths of values that are not compared.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::address_glob::AddressGlob;

/// A path of values that are ignored, in every resource or in those of an address: `tags.Owner`, `disk[0].size`,
/// `aws_instance.*:user_data`.
///
/// It names a part and everything inside. `*` is any name or any position, and where no position is named any is meant:
/// `rule.port` is the port of every rule. Outputs are below `output`: `output.url`. Before a colon is a glob of addresses, as
/// for [`Filter::address`](crate::Filter::address); a name with a colon in it is written in quotes: `tags["aws:name"]`.
///
/// ```
/// use objchange_plan::IgnoredPath;
///
/// assert!("tags[\"kubernetes.io/name\"]".parse::<IgnoredPath>().is_ok());
/// assert!("module.net.*:tags_all".parse::<IgnoredPath>().is_ok());
/// assert!("tags[".parse::<IgnoredPath>().is_err());
/// ```
#[derive(Debug, Clone)]
pub struct IgnoredPath {
    text: String,
    /// `None` for every address.
    address: Option<AddressGlob>,
    steps: Vec<IgnoredStep>,
}

/// Equal texts mean the same.
impl PartialEq for IgnoredPath {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for IgnoredPath {}

#[derive(Debug, Clone, PartialEq, Eq)]
enum IgnoredStep {
    Name(String),
    Index(usize),
    Any,
}

/// Why a text is not a path of values to be ignored.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected a path such as `tags.Owner`, `disk[0].size` or `rule[*].port`, or one with an address such as `aws_instance.*:user_data`"
)]
#[non_exhaustive]
pub struct IgnoredPathError;

impl IgnoredPathError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "ignored_path"
    }
}

impl FromStr for IgnoredPath {
    type Err = IgnoredPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, path) = split_address(text);
        if address == Some("") {
            return Err(IgnoredPathError);
        }
        let mut steps = Vec::new();
        let mut rest = path.strip_prefix('.').unwrap_or(path);
        let mut is_first = true;
        while !rest.is_empty() || is_first {
            if let Some(inside) = rest.strip_prefix('[') {
                let (step, behind) = key(inside).ok_or(IgnoredPathError)?;
                steps.push(step);
                rest = behind;
            } else {
                let name = if is_first { rest } else { rest.strip_prefix('.').ok_or(IgnoredPathError)? };
                let end = name.find(['.', '[']).unwrap_or(name.len());
                if end == 0 || name[..end].contains(char::is_whitespace) {
                    return Err(IgnoredPathError);
                }
                let step = &name[..end];
                steps.push(if step == "*" { IgnoredStep::Any } else { IgnoredStep::Name(step.to_owned()) });
                rest = &name[end..];
            }
            is_first = false;
        }
        Ok(Self { text: text.to_owned(), address: address.map(AddressGlob::new), steps })
    }
}

/// The glob of addresses before the first colon outside of quotes, and the path behind it.
fn split_address(text: &str) -> (Option<&str>, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b':' if !is_quoted => return (Some(&text[..at]), &text[at + 1..]),
            _ => {}
        }
    }
    (None, text)
}

/// The key in brackets at the start of a text, and what is behind them.
fn key(inside: &str) -> Option<(IgnoredStep, &str)> {
    if inside.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let name = strings.next()?.ok()?;
        let rest = &inside[strings.byte_offset()..];
        return Some((IgnoredStep::Name(name), rest.strip_prefix(']')?));
    }
    let (key, rest) = inside.split_once(']')?;
    let step = if key == "*" { IgnoredStep::Any } else { IgnoredStep::Index(key.parse().ok()?) };
    Some((step, rest))
}

impl fmt::Display for IgnoredPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Paths that are ignored, and which of them were found.
pub(crate) struct IgnoredPaths {
    paths: Vec<IgnoredPath>,
    is_found: Vec<Cell<bool>>,
}

impl IgnoredPaths {
    pub(crate) fn new(paths: &[IgnoredPath]) -> Self {
        Self { paths: paths.to_vec(), is_found: vec![Cell::new(false); paths.len()] }
    }

    /// Whether nothing is ignored.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The paths of an object with these addresses, at their beginning.
    pub(crate) fn start(&self, addresses: &[&str]) -> Matching<'_> {
        let is_of = |path: &IgnoredPath| match &path.address {
            Some(glob) => addresses.iter().any(|address| glob.matches(address)),
            None => true,
        };
        let at = self.paths.iter().enumerate().filter(|(_, path)| is_of(path));
        Matching { ignored: self, at: at.map(|(path, _)| (path, 0)).collect() }
    }

    /// For each path whether it was found.
    pub(crate) fn are_found(&self) -> Vec<bool> {
        self.is_found.iter().map(Cell::get).collect()
    }

    /// The paths that were not found.
    pub(crate) fn unmatched(&self) -> impl Iterator<Item = &IgnoredPath> {
        self.paths.iter().zip(&self.is_found).filter(|(_, is_found)| !is_found.get()).map(|(path, _)| path)
    }
}

/// How far paths that are ignored match the way to a part.
pub(crate) struct Matching<'i> {
    ignored: &'i IgnoredPaths,
    /// Paths, and how many of their steps match.
    at: Vec<(usize, usize)>,
}

impl Matching<'_> {
    /// Whether no path leads further.
    pub(crate) fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Moves on to a member; `None` if it is ignored.
    pub(crate) fn member(&self, key: &str) -> Option<Self> {
        self.step(|step| match step {
            IgnoredStep::Name(name) => (name == key, false),
            IgnoredStep::Any => (true, false),
            IgnoredStep::Index(_) => (false, false),
        })
    }

    /// Moves on to an element; `None` if it is ignored.
    pub(crate) fn element(&self, index: usize, is_set: bool) -> Option<Self> {
        self.step(|step| match step {
            IgnoredStep::Name(_) => (false, true),
            IgnoredStep::Any => (true, false),
            IgnoredStep::Index(wanted) => (*wanted == index && !is_set, false),
        })
    }

    /// Follows one step. `fits` returns (matches, may be omitted).
    fn step(&self, fits: impl Fn(&IgnoredStep) -> (bool, bool)) -> Option<Self> {
        let mut next = Vec::new();
        for (path, at) in &self.at {
            let steps = &self.ignored.paths[*path].steps;
            let (is_step, is_left_out) = fits(&steps[*at]);
            if is_step && at + 1 == steps.len() {
                self.ignored.is_found[*path].set(true);
                return None;
            }
            if is_step {
                next.push((*path, at + 1));
            } else if is_left_out {
                next.push((*path, *at));
            }
        }
        Some(Self { ignored: self.ignored, at: next })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_parts_and_what_is_inside() {
        let is_ignored = |path: &str, way: &[&str]| {
            let ignored = IgnoredPaths::new(&[path.parse().unwrap()]);
            let mut at = ignored.start(&["module.net.disk.a[\"x:y\"]"]);
            for step in way {
                let next = match step.parse() {
                    Ok(index) => at.element(index, false),
                    Err(_) => at.member(step),
                };
                match next {
                    Some(next) => at = next,
                    None => return ignored.unmatched().next().is_none(),
                }
            }
            false
        };
        for (path, way, expected) in [
            ("tags", &["tags", "a"][..], true),
            (".tags", &["tags"], true),
            ("tags.a", &["tags"], false),
            ("tags.a", &["tags", "a"], true),
            ("tags[\"a.b\"]", &["tags", "a.b"], true),
            ("tags.*", &["tags", "a"], true),
            ("rule.port", &["rule", "3", "port"], true),
            ("rule[3].port", &["rule", "3", "port"], true),
            ("rule[2].port", &["rule", "3", "port"], false),
            ("rule[*].port", &["rule", "3", "port"], true),
            ("rule.port", &["rule", "k", "port"], false),
            ("*.port", &["rule", "port"], true),
            ("disk.a:tags", &["tags"], false),
            ("*.disk.a:tags", &["tags"], true),
            ("module.net:tags.a", &["tags", "a"], true),
            ("module.net.disk.a[\"x:y\"]:tags", &["tags"], true),
            ("module.net.disk.a[\"x:z\"]:tags", &["tags"], false),
            ("tags[\"a:b\"]", &["tags", "a:b"], true),
        ] {
            assert_eq!(is_ignored(path, way), expected, "{path}");
        }
        for text in
            ["", ":", ":tags", "a.b:", "a:b:c[", ".", "a.", "a[", "a[x]", "a[\"b]", "a b", "a[0]b", "..a"]
        {
            assert!(text.parse::<IgnoredPath>().is_err(), "{text}");
        }
    }
}
