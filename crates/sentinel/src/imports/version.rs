//! `version`.

use std::cmp::Ordering;

use super::object::Kind;
use super::{Object, utf8};
use crate::builtins::native;
use crate::value::{Done, Native, Value, fault};

pub(super) static NATIVES: [Native; 1] =
    [native("new", 1, 1, true, |_, a| Ok(Object::version(convert(&a[0])?)))];

pub(super) static METHODS: [Native; 14] = [
    native("greater_than", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_gt()))),
    native("gt", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_gt()))),
    native("greater_than_or_equals", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_ge()))),
    native("gte", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_ge()))),
    native("less_than", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_lt()))),
    native("lt", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_lt()))),
    native("less_than_or_equals", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_le()))),
    native("lte", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_le()))),
    native("equals", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_eq()))),
    native("eq", 1, 1, true, |_, a| Ok(Value::Bool(order(a)?.is_eq()))),
    native("compare", 1, 1, true, |_, a| Ok(Value::Int(order(a)? as i64))),
    native("cmp", 1, 1, true, |_, a| Ok(Value::Int(order(a)? as i64))),
    native("satisfies", 1, 1, true, |_, a| satisfies(a)),
    native("sat", 1, 1, true, |_, a| satisfies(a)),
];

/// A version, in the order of semantic versions.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(super) text: String,
    numbers: [i64; 3],
    /// How many of the numbers were written.
    written: usize,
    prerelease: String,
    metadata: String,
}

impl Version {
    pub(super) fn field(&self, name: &str) -> Option<Value> {
        Some(match name {
            "major" => Value::Int(self.numbers[0]),
            "minor" => Value::Int(self.numbers[1]),
            "patch" => Value::Int(self.numbers[2]),
            "prerelease" => Value::from(self.prerelease.as_str()),
            "metadata" => Value::from(self.metadata.as_str()),
            "version" => Value::from(self.text.as_str()),
            _ => return None,
        })
    }

    pub(super) fn cmp(&self, other: &Version) -> Ordering {
        // A version is greater than its pre-releases.
        self.numbers.cmp(&other.numbers).then_with(|| match (&*self.prerelease, &*other.prerelease) {
            ("", "") => Ordering::Equal,
            ("", _) => Ordering::Greater,
            (_, "") => Ordering::Less,
            (a, b) => compare_prereleases(a, b),
        })
    }
}

fn compare_prereleases(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let ordering = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                // Semantic Versioning 2.0.0, item 11: numbers are below words.
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

fn parse(text: &str) -> Option<Version> {
    let text = text.trim();
    let bare = text.strip_prefix('v').unwrap_or(text);
    let (bare, metadata) = bare.split_once('+').unwrap_or((bare, ""));
    let (bare, prerelease) = bare.split_once('-').unwrap_or((bare, ""));
    let mut numbers = [0; 3];
    let mut written = 0;
    for part in bare.split('.') {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        *numbers.get_mut(written).filter(|_| is_number)? = part.parse().ok()?;
        written += 1;
    }
    let is_part = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    (is_part(prerelease) && is_part(metadata)).then(|| Version {
        text: text.to_owned(),
        numbers,
        written,
        prerelease: prerelease.to_owned(),
        metadata: metadata.to_owned(),
    })
}

fn convert(value: &Value) -> Done<Version> {
    if let Value::Object(object) = value
        && let Kind::Version(version) = &*object.0
    {
        return Ok(version.clone());
    }
    match parse(&utf8(value)?) {
        Some(version) => Ok(version),
        None => fault("this is no version"),
    }
}

fn order(arguments: &[Value]) -> Done<Ordering> {
    Ok(convert(&arguments[0])?.cmp(&convert(&arguments[1])?))
}

fn satisfies(arguments: &[Value]) -> Done<Value> {
    let version = convert(&arguments[0])?;
    let constraints = utf8(&arguments[1])?;
    let mut is_satisfied = true;
    for constraint in constraints.split(',') {
        is_satisfied &= is_kept(constraint.trim(), &version)?;
    }
    Ok(Value::Bool(is_satisfied))
}

/// Whether a version keeps one constraint.
fn is_kept(constraint: &str, version: &Version) -> Done<bool> {
    let signs = ["!=", ">=", "<=", "~>", "=", ">", "<"];
    let sign = signs.into_iter().find(|sign| constraint.starts_with(sign));
    let Some(bound) = parse(constraint.strip_prefix(sign.unwrap_or_default()).unwrap_or_default()) else {
        return fault("this is no constraint of versions");
    };
    let ordering = version.cmp(&bound);
    // A version with a pre-release keeps an ordering constraint only if the constraint has a pre-release of this
    // major, minor and patch version.
    let is_meant =
        version.prerelease.is_empty() || (!bound.prerelease.is_empty() && version.numbers == bound.numbers);
    Ok(match sign {
        None | Some("=") => ordering.is_eq(),
        Some("!=") => ordering.is_ne(),
        Some(">") => is_meant && ordering.is_gt(),
        Some(">=") => is_meant && ordering.is_ge(),
        Some("<") => is_meant && ordering.is_lt(),
        Some("<=") => is_meant && ordering.is_le(),
        Some(_) => {
            // `~> 1.2` allows 1.9, `~> 1.2.3` allows 1.2.9, and `~> 1` allows all of 1.
            let fixed = bound.written.saturating_sub(1).max(1);
            is_meant && ordering.is_ge() && version.numbers[..fixed] == bound.numbers[..fixed]
        }
    })
}
