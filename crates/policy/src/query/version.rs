//! Versions and constraints on them, as Terraform writes both.

use semver::{Prerelease, Version};

/// Constraints that all must hold, such as `>= 1.5, < 2.0` or `~> 1.5.0`.
#[derive(Debug, Clone)]
pub(super) struct Constraints(Vec<(Operator, WrittenVersion)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// `~>`: the last number that is written may be greater.
    Pessimistic,
}

/// A version as it is written: numbers that are left out are 0.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WrittenVersion {
    version: Version,
    /// How many numbers are written.
    numbers: usize,
}

impl WrittenVersion {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let (numbers, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
        let written = numbers.split('.').count();
        let padding = [".0.0", ".0", ""].get(written - 1)?;
        let version = Version::parse(&format!("{numbers}{padding}{rest}")).ok()?;
        Some(Self { version, numbers: written })
    }

    /// Its numbers alone.
    fn numbers(&self) -> (u64, u64, u64) {
        (self.version.major, self.version.minor, self.version.patch)
    }
}

impl Constraints {
    /// Reads constraints that are separated by commas.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let constraint = |text: &str| {
            let text = text.trim();
            let (operator, version) = text.split_at(text.find(|c: char| !"=!<>~".contains(c))?);
            let operator = match operator {
                "" | "=" | "==" => Operator::Equal,
                "!=" => Operator::Unequal,
                "<" => Operator::Less,
                "<=" => Operator::LessOrEqual,
                ">" => Operator::Greater,
                ">=" => Operator::GreaterOrEqual,
                "~>" => Operator::Pessimistic,
                _ => return None,
            };
            Some((operator, WrittenVersion::parse(version)?))
        };
        text.split(',').map(constraint).collect::<Option<_>>().map(Self)
    }

    /// Whether a version meets them all; `None` if it is not a version.
    ///
    /// A version before a release meets a constraint on the order only if that has one of the same release.
    pub(super) fn hold(&self, version: &str) -> Option<bool> {
        let version = WrittenVersion::parse(version)?;
        Some(self.0.iter().all(|(operator, wanted)| {
            // Build metadata is ignored, as SemVer 2.0.0 defines precedence.
            let order = version.version.cmp_precedence(&wanted.version);
            let is_before = |written: &WrittenVersion| written.version.pre != Prerelease::EMPTY;
            if *operator == Operator::Equal {
                return order.is_eq();
            }
            if *operator == Operator::Unequal {
                return order.is_ne();
            }
            if is_before(&version) && !(is_before(wanted) && version.numbers() == wanted.numbers()) {
                return false;
            }
            match operator {
                Operator::Equal | Operator::Unequal => false,
                Operator::Less => order.is_lt(),
                Operator::LessOrEqual => order.is_le(),
                Operator::Greater => order.is_gt(),
                Operator::GreaterOrEqual => order.is_ge(),
                Operator::Pessimistic => {
                    let same_major = version.version.major == wanted.version.major;
                    let same_minor = same_major && version.version.minor == wanted.version.minor;
                    order.is_ge() && [true, same_major, same_minor][wanted.numbers - 1]
                }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: &str, constraints: &str, expected: bool) {
        let held = Constraints::parse(constraints).and_then(|constraints| constraints.hold(version));
        assert_eq!(held, Some(expected), "{version} {constraints}");
    }

    #[test]
    fn constraints_hold_or_not() {
        for (version, constraints, expected) in [
            ("0.12.19", ">= 0.12.19", true),
            ("0.12.9", ">= 0.12.19", false),
            ("1.0.0", ">=0.12.19,<2", true),
            ("2.0.0", ">= 0.12.19, < 2", false),
            ("v1.5", "1.5.0", true),
            ("1.5.1", "!= 1.5.0", true),
            ("1.9.0", "~> 1.5", true),
            ("2.0.0", "~> 1.5", false),
            ("1.4.9", "~> 1.5", false),
            ("1.5.9", "~> 1.5.2", true),
            ("1.6.0", "~> 1.5.2", false),
            ("7.0.0", "~> 1", true),
            ("1.6.0-beta1", ">= 1.5", false),
            ("1.6.0-beta2", ">= 1.6.0-beta1", true),
            ("1.6.0-beta1", "= 1.6.0-beta1", true),
            ("1.6.0+linux", "= 1.6.0", true),
        ] {
            check(version, constraints, expected);
        }
    }

    #[test]
    fn what_is_none_is_none() {
        for text in ["", ">", "=> 1", "1.2.3.4", "1.x", ">= 1, ", "~ 1", "latest"] {
            assert!(Constraints::parse(text).is_none(), "{text}");
        }
        let any = Constraints::parse(">= 0").unwrap();
        for text in ["", "one", "1.2.3.4", "-1"] {
            assert_eq!(any.hold(text), None, "{text}");
        }
    }
}
