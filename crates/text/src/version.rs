//! Versions, and constraints of them as Terraform has them: `>= 1.2, < 2.0`, `~> 3.1`.

use std::fmt;

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

// The first sign that fits is taken, so longer signs come before their beginnings.
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
    /// Reads constraints; `None` if the text is invalid.
    ///
    /// ```
    /// use objchange_text::VersionConstraints;
    ///
    /// let constraints = VersionConstraints::parse(">= 1.2, < 2.0").unwrap();
    /// assert_eq!(constraints.allow("1.11.4"), Some(true));
    /// assert_eq!((constraints.allow("2.0.0"), constraints.allow("two")), (Some(false), None));
    /// assert_eq!(VersionConstraints::parse("abc"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        text.split(',').map(Constraint::parse).collect::<Option<_>>().map(Self)
    }

    /// These and others.
    ///
    /// ```
    /// use objchange_text::VersionConstraints;
    ///
    /// let [one, other] = ["< 9, >= 3.2", ">= 3.2.0, != 3.5"].map(|text| VersionConstraints::parse(text).unwrap());
    /// assert_eq!(one.and(other).to_string(), ">= 3.2.0, != 3.5.0, < 9.0.0");
    /// ```
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Whether a version meets all of them; `None` if the text is not a version.
    pub fn allow(&self, version: &str) -> Option<bool> {
        let (version, _) = parse_version(version)?;
        Some(self.0.iter().all(|one| one.allows(&version)))
    }
}

/// As documents of Terraform have them: in the order of the versions, each once, and with all numbers of a version.
impl fmt::Display for VersionConstraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all: Vec<String> = Vec::new();
        let mut sorted: Vec<&Constraint> = self.0.iter().collect();
        sorted.sort_by_key(|one| (&one.version, one.rank()));
        for constraint in sorted {
            let text = constraint.to_string();
            if all.last() != Some(&text) {
                all.push(text);
            }
        }
        f.write_str(&all.join(", "))
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = OPERATORS.iter().find(|(_, operator)| *operator == self.operator);
        match sign.map_or("", |(sign, _)| sign) {
            "=" => {}
            sign => write!(f, "{sign} ")?,
        }
        let Version { major, minor, patch, pre, build } = &self.version;
        write!(f, "{major}.{minor}")?;
        if !self.is_minor_only() {
            write!(f, ".{patch}")?;
        }
        if !pre.is_empty() {
            write!(f, "-{pre}")?;
        }
        if build.is_empty() { Ok(()) } else { write!(f, "+{build}") }
    }
}

impl Constraint {
    /// It allows any version from this minor one on, such as `~> 1.2`.
    fn is_minor_only(&self) -> bool {
        self.operator == Operator::Pessimistic && self.written < 3
    }

    /// The place among constraints of one version.
    fn rank(&self) -> u8 {
        match self.operator {
            Operator::Greater => 0,
            Operator::GreaterEqual => 1,
            Operator::Equal => 2,
            Operator::Pessimistic if !self.is_minor_only() => 3,
            Operator::Pessimistic => 4,
            Operator::LessEqual => 5,
            Operator::Less => 6,
            Operator::NotEqual => 7,
        }
    }

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
                    // `~> 1` leaves the major version free, as `~> 1.2` leaves the minor one free.
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
    // go-version takes a `v` in front of versions and of those in constraints.
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
            (">= 1.6.0-beta1", "1.6.0-beta2", true),
            ("= 1.6.0", "1.6.0+linux", true),
            (">=0.12.19,<2", "v1.5", true),
        ] {
            let parsed = VersionConstraints::parse(constraints).unwrap();
            assert_eq!(parsed.allow(version), Some(allowed), "{constraints} {version}");
        }
        let any = VersionConstraints::parse(">= 0").unwrap();
        for text in ["", "one", "1.2.3.4", "-1"] {
            assert_eq!(any.allow(text), None, "{text}");
        }
        for (text, normalised) in [
            ("< 9, >= 3.2, >= 3.2.0, != 3.5", ">= 3.2.0, != 3.5.0, < 9.0.0"),
            ("~> 5", "~> 5.0"),
            ("~> 5.100", "~> 5.100"),
            ("~> 5.1.0", "~> 5.1.0"),
            ("= 5.100", "5.100.0"),
            (
                "< 5.1, <= 5.1, != 5.1, ~> 5.1.0, = 5.1, >= 5.1, > 5.1, ~> 5.1",
                "> 5.1.0, >= 5.1.0, 5.1.0, ~> 5.1.0, ~> 5.1, <= 5.1.0, < 5.1.0, != 5.1.0",
            ),
            (
                "!= 5.1.0-beta, != 5.1, != 5.1.0-alpha, != 5.1.0+x",
                "!= 5.1.0-alpha, != 5.1.0-beta, != 5.1.0, != 5.1.0+x",
            ),
            ("~> 4.0-beta", "~> 4.0-beta"),
        ] {
            assert_eq!(VersionConstraints::parse(text).unwrap().to_string(), normalised, "{text}");
        }
        for text in ["", "abc", ">", ">= 1.x", "> = 1", "=> 1", "== 1", "~ 1", ">= 1, ", "1.2.3.4"] {
            assert_eq!(VersionConstraints::parse(text), None, "{text}");
        }
    }
}
