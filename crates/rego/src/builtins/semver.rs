//! Semantic versions.

use std::cmp::Ordering;

use super::arguments::{some, text};
use super::{Builtin, BuiltinError, Outcome, Types};
use crate::value::Value;

const S: Types = Types::STRING;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("semver.compare", &[S, S], |_, o| compare(o)),
    Builtin::new("semver.is_valid", &[Types::ANY], |_, o| {
        some(o[0].as_str().and_then(Version::parse).is_some())
    }),
];

struct Version<'t> {
    numbers: [i64; 3],
    pre_release: &'t str,
}

impl<'t> Version<'t> {
    /// Reads a version, which may begin with `v` and have leading zeros.
    fn parse(text: &'t str) -> Option<Self> {
        // In OPA 1.20 `v1.2.3` and `01.2.3` are valid, and `V1.2.3` and `1.2` are not.
        let text = text.strip_prefix('v').unwrap_or(text);
        // Build metadata does not count in comparisons (Semantic Versioning 2.0.0, item 10).
        let (text, build) = text.split_once('+').unwrap_or((text, ""));
        let (core, pre_release) = text.split_once('-').unwrap_or((text, ""));
        let is_valid = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.');
        let has_gap = |part: &str| !part.is_empty() && part.split('.').any(str::is_empty);
        if !is_valid(build) || !is_valid(pre_release) || has_gap(build) || has_gap(pre_release) {
            return None;
        }
        let mut numbers = [0; 3];
        let mut parts = core.split('.');
        for number in &mut numbers {
            let part = parts.next()?;
            if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            *number = part.parse().ok()?;
        }
        parts.next().is_none().then_some(Self { numbers, pre_release })
    }

    fn order(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            match (self.pre_release.is_empty(), other.pre_release.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_pre_releases(self.pre_release, other.pre_release),
            }
        })
    }
}

fn compare_pre_releases(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            // Numbers are compared as numbers and are less than words (Semantic Versioning 2.0.0, item 11).
            (Some(a), Some(b)) => match (a.parse::<i64>(), b.parse::<i64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn compare(operands: &[Value]) -> Outcome {
    let version = |index: usize| {
        let text = text(operands, index)?;
        Version::parse(text).ok_or_else(|| {
            BuiltinError::failed(format!(
                "operand {}: string {} is not a valid SemVer",
                index + 1,
                operands[index]
            ))
        })
    };
    let order = version(0)?.order(&version(1)?);
    some(Value::int(order as i64))
}
