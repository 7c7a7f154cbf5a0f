//! Versions, and constraints of them as Terraform has them: `>= 1.2, < 2.0`, `~> 3.1`.

use semver::{Prerelease, Version};

/// Conditions that a version must meet, all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionConstraints(Vec<Constraint>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Constraint {
    operator: Operator,
    version: Version,
    /// How many of its numbers are written.
    written: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    Pessimistic,
}

const OPERATORS: [(&str, Operator); 7] = [
    (">=", Operator::GreaterEqual),
    ("<=", Operator::LessEqual),
    ("!=", Operator::NotEqual),
    ("~>", Operator::Pessimistic),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

impl VersionConstraints {
    /// Reads constraints; `None` if they are none.
    ///
    /// ```
    /// use objchange_hcl::VersionConstraints;
    ///
    /// let constraints = VersionConstraints::parse(">= 1.2, < 2.0").unwrap();
    /// assert!(constraints.allow("1.11.4") && !constraints.allow("2.0.0"));
    /// assert_eq!(VersionConstraints::parse("abc"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        text.split(',').map(Constraint::parse).collect::<Option<_>>().map(Self)
    }

    /// Whether a version meets all of them; a text that is not a version does not.
    pub fn allow(&self, version: &str) -> bool {
        parse_version(version).is_some_and(|(version, _)| self.0.iter().all(|one| one.allows(&version)))
    }
}

impl Constraint {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (operator, rest) = OPERATORS
            .iter()
            .find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))
            .unwrap_or((Operator::Equal, text));
        let (version, written) = parse_version(rest.trim())?;
        Some(Self { operator, version, written })
    }

    fn allows(&self, version: &Version) -> bool {
        let wanted = &self.version;
        let is_pre = |version: &Version| version.pre != Prerelease::EMPTY;
        let numbers = |version: &Version| (version.major, version.minor, version.patch);
        // A version before a release is only for those who name that release.
        let is_fit = !is_pre(version) || is_pre(wanted) && numbers(version) == numbers(wanted);
        match self.operator {
            Operator::Equal => version.cmp_precedence(wanted).is_eq(),
            Operator::NotEqual => version.cmp_precedence(wanted).is_ne(),
            Operator::Greater => is_fit && version.cmp_precedence(wanted).is_gt(),
            Operator::GreaterEqual => is_fit && version.cmp_precedence(wanted).is_ge(),
            Operator::Less => is_fit && version.cmp_precedence(wanted).is_lt(),
            Operator::LessEqual => is_fit && version.cmp_precedence(wanted).is_le(),
            Operator::Pessimistic => {
                let is_same_line = match self.written {
                    1 => true,
                    2 => version.major == wanted.major,
                    _ => (version.major, version.minor) == (wanted.major, wanted.minor),
                };
                is_fit && is_same_line && version.cmp_precedence(wanted).is_ge()
            }
        }
    }
}

/// A version of one to three numbers, and how many there are.
fn parse_version(text: &str) -> Option<(Version, usize)> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let numbers: Vec<u64> = numbers.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    if numbers.is_empty() || numbers.len() > 3 {
        return None;
    }
    let number = |index: usize| numbers.get(index).copied().unwrap_or(0);
    let whole = format!("{}.{}.{}{rest}", number(0), number(1), number(2));
    Some((Version::parse(&whole).ok()?, numbers.len()))
}

#[cfg(test)]
mod tests {
    use super::VersionConstraints;

    #[test]
    fn constraints_are_those_of_terraform() {
        for (constraints, version, allowed) in [
            (">= 1.2", "1.11.4", true),
            ("~> 1.2", "1.11.4", true),
            ("~> 1.2.0", "1.11.4", false),
            ("~> 1.11.0", "1.11.4", true),
            ("~> 1", "2.0.0", true),
            ("~> 2", "1.9.0", false),
            (">= 1.2, < 1.11", "1.11.4", false),
            ("1.11.4", "1.11.4", true),
            ("!= 1.11.4", "1.11.4", false),
            ("= 1.11", "1.11.0", true),
            (">1", "1.0.1", true),
            (">= 1.0", "1.1.0-beta1", false),
            ("1.1.0-beta1", "1.1.0-beta1", true),
        ] {
            let parsed = VersionConstraints::parse(constraints).unwrap();
            assert_eq!(parsed.allow(version), allowed, "{constraints} {version}");
        }
        for text in ["", "abc", ">= 1.x", "> = 1", "1.2.3.4"] {
            assert_eq!(VersionConstraints::parse(text), None, "{text}");
        }
    }
}
