//! The value of an attribute in the hints.

use objchange::value::Kind;
use objchange::{Type, Value};
use proptest::strategy::{Strategy, ValueTree};
use proptest::string::{RegexGeneratorStrategy, string_regex};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use regex::RegexBuilder;

/// The maximum size of a compiled regular expression, in bytes.
const MAX_PATTERN: usize = 1 << 18;

/// The way in which an attribute gets its value.
#[derive(Clone)]
pub(in super::super) enum HintedValue {
    /// This value; `{seq}` and `{seed}` in its texts are replaced.
    Value(Value),
    /// One of these values, in turn.
    OneOf(Vec<Value>),
    /// A text that a regular expression matches.
    Matching(RegexText),
    /// No value: null wherever possible.
    Absent,
}

/// Texts that a regular expression matches.
#[derive(Clone)]
pub(in super::super) struct RegexText {
    strategy: std::sync::Arc<RegexGeneratorStrategy<String>>,
    is_secret: bool,
}

/// The number of a sample, and the seed of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Numbering {
    pub(in super::super) seed: u64,
    pub(in super::super) sequence: u64,
}

impl HintedValue {
    /// The possible values.
    pub(super) fn values(&self) -> &[Value] {
        match self {
            Self::Value(value) => std::slice::from_ref(value),
            Self::OneOf(values) => values,
            Self::Matching(_) | Self::Absent => &[],
        }
    }

    /// The value of this type, if it has one that converts to it.
    pub(in super::super) fn value(&self, ty: &Type, at: Numbering) -> Option<Value> {
        let number = |text: &str| {
            let replaced = |name: &str| match name {
                "seq" => Some(at.sequence.to_string()),
                "seed" => Some(at.seed.to_string()),
                _ => None,
            };
            filled(text, replaced).unwrap_or_else(|| text.to_owned())
        };
        let numbered = |value: &Value| {
            let replace = |_: objchange::value::PathStack<'_>, part: Value| {
                Ok::<_, std::convert::Infallible>(match part.kind() {
                    Kind::String(text) if text.contains('{') => {
                        Value::from(number(text)).with_marks(part.marks())
                    }
                    _ => part,
                })
            };
            value.transform(replace).unwrap_or_else(|never| match never {})
        };
        let value = match self {
            Self::Value(value) => numbered(value),
            Self::OneOf(values) => {
                let turn = usize::try_from(at.sequence).unwrap_or_default().checked_rem(values.len())?;
                numbered(values.get(turn)?)
            }
            Self::Matching(text) => text.value(at)?,
            Self::Absent => return Some(Value::null(ty.clone())),
        };
        value.convert(ty).ok()
    }
}

impl RegexText {
    /// The texts that this expression matches; `None` if it is not a regular expression, or its texts may be
    /// huge.
    pub(in super::super) fn new(expression: &str) -> Option<Self> {
        // Generated texts match as a whole, and proptest does not support anchors.
        let whole = expression.trim_start_matches('^').trim_end_matches('$');
        // Each repetition of a group multiplies the length of a text: `((a{99}){99}){99}` has nearly a million
        // letters.
        let repeated_groups = [")*", ")+", "){"].iter().map(|end| whole.matches(end).count()).sum::<usize>();
        RegexBuilder::new(whole).size_limit(MAX_PATTERN).build().ok().filter(|_| repeated_groups <= 2)?;
        Some(Self { strategy: string_regex(whole).ok()?.into(), is_secret: false })
    }

    /// Marks the generated texts as secret.
    pub(super) fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// The text for a sample, which is always the same.
    pub(in super::super) fn text(&self, at: Numbering) -> Option<String> {
        let mut runner = TestRunner::new_with_rng(Config::default(), at.random());
        self.strategy.new_tree(&mut runner).ok().map(|tree| tree.current())
    }

    fn value(&self, at: Numbering) -> Option<Value> {
        let value = Value::from(self.text(at)?);
        Some(if self.is_secret { value.sensitive() } else { value })
    }
}

impl Numbering {
    /// The random numbers for a sample, which are always the same.
    pub(in super::super) fn random(self) -> TestRng {
        // Seeded by seed and number alone, so that any sample can be made without the earlier ones.
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
    }
}

/// The text with each `{name}` replaced by its value. A name without a value stays as it is; `None` if no name has one.
pub(super) fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (mut out, mut rest, mut known) = (String::new(), text, false);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let replaced = after.split_once('}').and_then(|(name, rest)| Some((value(name)?, rest)));
        rest = match replaced {
            Some((replacement, rest)) => {
                out.push_str(&replacement);
                known = true;
                rest
            }
            None => {
                out.push('{');
                after
            }
        };
    }
    out.push_str(rest);
    (known || !text.contains('{')).then_some(out)
}
