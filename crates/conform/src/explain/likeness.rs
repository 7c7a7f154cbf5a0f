//! What two values have in common that Terraform holds to be different: it tells what became of the one.

use super::literal::Literal;

/// What two values have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Likeness {
    /// One is null, the other is empty.
    NullAndEmpty,
    /// One is null, the other is zero or false.
    NullAndZero,
    /// Letters are written large in the one and small in the other.
    LetterCase,
    /// Spaces and line breaks.
    Whitespace,
    /// Both are JSON, and the same.
    Json,
    /// The one begins or ends with the other.
    Part,
    /// The numbers are the same but for what a 64-bit number cannot hold.
    Precision,
    /// The same elements in another order.
    Order,
    /// The same elements, some of them more often.
    Repetition,
    /// The one is the other as text.
    Text,
}

impl Likeness {
    /// The stable name of the kind of likeness.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NullAndEmpty => "null_and_empty",
            Self::NullAndZero => "null_and_zero",
            Self::LetterCase => "letter_case",
            Self::Whitespace => "whitespace",
            Self::Json => "json",
            Self::Part => "part",
            Self::Precision => "precision",
            Self::Order => "order",
            Self::Repetition => "repetition",
            Self::Text => "text",
        }
    }

    /// What it tells, in a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NullAndEmpty => {
                "One is null and the other empty: for Terraform these are two values, and the provider or the service takes them for one."
            }
            Self::NullAndZero => {
                "One is null and the other zero or false: in a language whose fields have no null, an absent value comes back as zero."
            }
            Self::LetterCase => {
                "They differ in upper and lower case only: the service or the provider writes it in a form of its own."
            }
            Self::Whitespace => {
                "They differ in spaces or line breaks only: something trims or formats the text."
            }
            Self::Json => {
                "Both are the same JSON, written otherwise: the service writes documents in a form of its own."
            }
            Self::Part => {
                "The one is a part of the other: a short and a long form of the same name, or something that is added or cut off."
            }
            Self::Precision => {
                "The numbers differ only beyond what a 64-bit floating-point number holds: the value went through one on its way."
            }
            Self::Order => {
                "The elements are the same in another order: the service does not keep the order, so this wants to be a set, or the prior order be kept."
            }
            Self::Repetition => {
                "The elements are the same, some of them more often: the service keeps each once."
            }
            Self::Text => "The one is the other as text: a number or bool became a string on its way.",
        }
    }
}

/// What two values have in common that are not the same, as they are printed.
pub(super) fn likeness(one: &str, other: &str) -> Option<Likeness> {
    let (one, other) = (Literal::read(one)?, Literal::read(other)?);
    between(&one, &other).or_else(|| between(&other, &one))
}

fn between(one: &Literal, other: &Literal) -> Option<Likeness> {
    match (one, other) {
        (Literal::Null, other) if other.is_empty() => Some(Likeness::NullAndEmpty),
        (Literal::Null, Literal::Bool(false)) => Some(Likeness::NullAndZero),
        (Literal::Null, Literal::Number(number)) if number == "0" => Some(Likeness::NullAndZero),
        (Literal::Text(one), Literal::Text(other)) => texts(one, other),
        (Literal::Number(one), Literal::Number(other)) => {
            let (one, other) = (one.parse::<f64>().ok()?, other.parse::<f64>().ok()?);
            (one.is_finite() && one == other).then_some(Likeness::Precision)
        }
        (Literal::Number(number), Literal::Text(text)) => (number == text).then_some(Likeness::Text),
        (Literal::Bool(truth), Literal::Text(text)) => (truth.to_string() == *text).then_some(Likeness::Text),
        (Literal::Sequence(one), Literal::Sequence(other)) => sequences(one, other),
        _ => None,
    }
}

fn texts(one: &str, other: &str) -> Option<Likeness> {
    if one.to_lowercase() == other.to_lowercase() {
        return Some(Likeness::LetterCase);
    }
    let same_json = || {
        let is_composite = |text: &str| text.trim_start().starts_with(['{', '[']);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        is_composite(one) && is_composite(other) && read(one).is_some_and(|value| Some(value) == read(other))
    };
    if same_json() {
        return Some(Likeness::Json);
    }
    if one.split_whitespace().eq(other.split_whitespace()) {
        return Some(Likeness::Whitespace);
    }
    let is_part =
        |short: &str, long: &str| !short.is_empty() && (long.starts_with(short) || long.ends_with(short));
    (is_part(one, other) || is_part(other, one)).then_some(Likeness::Part)
}

fn sequences(one: &[Literal], other: &[Literal]) -> Option<Likeness> {
    let sorted = |parts: &[Literal]| {
        let mut parts = parts.to_vec();
        parts.sort();
        parts
    };
    let (mut one, mut other) = (sorted(one), sorted(other));
    if one == other {
        return Some(Likeness::Order);
    }
    one.dedup();
    other.dedup();
    (one == other).then_some(Likeness::Repetition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likenesses() {
        let text = |text: &str| format!("cty.StringVal({text:?})");
        let list = |parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| text(part)).collect();
            format!("cty.ListVal([]cty.Value{{{}}})", parts.join(", "))
        };
        for (one, other, found) in [
            (text("Web"), text("web"), Some(Likeness::LetterCase)),
            (text("a\n"), text("a"), Some(Likeness::Whitespace)),
            (text(r#"{"a":1,"b":2}"#), text(r#"{"b": 2, "a": 1}"#), Some(Likeness::Json)),
            (text("arn:x/y"), text("y"), Some(Likeness::Part)),
            (text("a"), text("b"), None),
            ("null".into(), text(""), Some(Likeness::NullAndEmpty)),
            (
                "cty.ListValEmpty(cty.String)".into(),
                "cty.NullVal(cty.List(cty.String))".into(),
                Some(Likeness::NullAndEmpty),
            ),
            ("cty.False".into(), "null".into(), Some(Likeness::NullAndZero)),
            (
                r#"cty.MustParseNumberVal("0.1")"#.into(),
                r#"cty.MustParseNumberVal("0.1000000000000000055511151231257827")"#.into(),
                Some(Likeness::Precision),
            ),
            ("cty.NumberIntVal(1)".into(), text("1"), Some(Likeness::Text)),
            (list(&["b", "a"]), list(&["a", "b"]), Some(Likeness::Order)),
            (list(&["a", "b", "a"]), list(&["b", "a"]), Some(Likeness::Repetition)),
            (list(&["a"]), list(&["b"]), None),
        ] {
            assert_eq!(likeness(&one, &other), found, "{one} {other}");
            assert_eq!(likeness(&other, &one), found, "{other} {one}");
        }
    }
}
