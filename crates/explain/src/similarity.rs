//! Finds the similarity of two values that differ in Terraform's message: it hints at the cause.

use std::net::IpAddr;
use std::sync::LazyLock;

use regex::Regex;

use super::lines::pattern;
use super::literal::Literal;

/// The similarity of two different values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Similarity {
    /// One is null, the other is empty.
    NullAndEmpty,
    /// One is null, the other is zero or false.
    NullAndZero,
    /// They differ only in upper and lower case.
    LetterCase,
    /// They differ only in spaces and line breaks.
    Whitespace,
    /// Both are JSON texts with equal content.
    Json,
    /// One begins or ends with the other.
    Part,
    /// The numbers differ only by rounding to 64 or 32 bits.
    Precision,
    /// They have equal elements in another order.
    Order,
    /// They have equal elements, some of them repeated.
    Repetition,
    /// One is the text of the other.
    Text,
    /// Both are texts of the same number, such as `010` and `10`.
    Number,
    /// Both are the same instant, for example in different time zones.
    Instant,
    /// Both are the same IP address or network.
    IpAddress,
    /// One is the other in quotes.
    Quotes,
    /// One is the other after its UTF-8 was read as Latin-1.
    Encoding,
    /// One is masked, for example with asterisks.
    Masked,
}

impl Similarity {
    /// The stable name of the kind of similarity.
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
            Self::Number => "number",
            Self::Instant => "instant",
            Self::IpAddress => "ip_address",
            Self::Quotes => "quotes",
            Self::Encoding => "encoding",
            Self::Masked => "masked",
        }
    }

    /// The likely reason for the difference, as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NullAndEmpty => {
                "One is null and the other empty: for Terraform these are two values, and the provider or the service takes them for one."
            }
            Self::NullAndZero => {
                "One is null and the other zero or false: in a language whose fields have no null, an absent value comes back as zero."
            }
            Self::LetterCase => {
                "They differ in upper and lower case only: the service or the provider normalises it."
            }
            Self::Whitespace => {
                "They differ in spaces or line breaks only: something trims or formats the text."
            }
            Self::Json => "Both are the same JSON in different text: the service normalises documents.",
            Self::Part => {
                "The one is a part of the other: a short and a long form of the same name, or something that is added or cut off."
            }
            Self::Precision => {
                "The numbers differ only in digits that a floating-point number of 64 or 32 bits does not hold: the value went through one on its way."
            }
            Self::Order => {
                "The elements are the same in another order: the service does not keep the order, so this wants to be a set, or the prior order be kept."
            }
            Self::Repetition => {
                "The elements are the same, some of them more often: the service keeps each once."
            }
            Self::Text => "The one is the other as text: a number or bool became a string on its way.",
            Self::Number => {
                "Both are the same number in another form: the text went through a number on its way."
            }
            Self::Instant => {
                "Both are the same instant, written otherwise: the service has another time zone or another form of the time."
            }
            Self::IpAddress => "Both are the same IP address or network, written otherwise.",
            Self::Quotes => "The one is the other in quotes: something adds or removes them.",
            Self::Encoding => {
                "The one is the other with a wrong encoding: UTF-8 was read as Latin-1 or Windows-1252 on its way."
            }
            Self::Masked => {
                "One of them is masked: the service does not give the secret back, and the provider stores the mask."
            }
        }
    }
}

/// The similarity of two printed values that differ.
pub(super) fn similarity(one: &str, other: &str) -> Option<Similarity> {
    let (one, other) = (Literal::read(one)?, Literal::read(other)?);
    between(&one, &other).or_else(|| between(&other, &one))
}

fn between(one: &Literal, other: &Literal) -> Option<Similarity> {
    match (one, other) {
        (Literal::Null, other) if other.is_empty() => Some(Similarity::NullAndEmpty),
        (Literal::Null, Literal::Bool(false)) => Some(Similarity::NullAndZero),
        (Literal::Null, Literal::Number(number)) if number == "0" => Some(Similarity::NullAndZero),
        (Literal::Text(one), Literal::Text(other)) => texts(one, other),
        (Literal::Number(one), Literal::Number(other)) => {
            let (one, other) = (one.parse::<f64>().ok()?, other.parse::<f64>().ok()?);
            let is_single = |number: f64| f64::from(number as f32) == number;
            // Close numbers alone say nothing: one of them must be exactly what 32 bits hold.
            let is_rounded = one != 0.0 && one as f32 == other as f32 && (is_single(one) || is_single(other));
            (one.is_finite() && (one == other || is_rounded)).then_some(Similarity::Precision)
        }
        (Literal::Number(number), Literal::Text(text)) => {
            let is_it = number == text || decimal(text).is_some_and(|text| decimal(number) == Some(text));
            is_it.then_some(Similarity::Text)
        }
        (Literal::Bool(truth), Literal::Text(text)) => {
            (truth.to_string() == *text).then_some(Similarity::Text)
        }
        (Literal::Sequence(one), Literal::Sequence(other)) => sequences(one, other),
        _ => None,
    }
}

fn texts(one: &str, other: &str) -> Option<Similarity> {
    if one.to_lowercase() == other.to_lowercase() {
        return Some(Similarity::LetterCase);
    }
    let same_json = || {
        let is_composite = |text: &str| text.trim_start().starts_with(['{', '[']);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        is_composite(one) && is_composite(other) && read(one).is_some_and(|value| Some(value) == read(other))
    };
    if same_json() {
        return Some(Similarity::Json);
    }
    if one.split_whitespace().eq(other.split_whitespace()) {
        return Some(Similarity::Whitespace);
    }
    for (similarity, is_it) in [
        (Similarity::Number, decimal(one).is_some_and(|number| decimal(other) == Some(number))),
        (Similarity::Instant, instant(one).is_some_and(|instant| self::instant(other) == Some(instant))),
        (Similarity::IpAddress, network(one).is_some_and(|network| self::network(other) == Some(network))),
        (Similarity::Quotes, is_quoted(one, other) || is_quoted(other, one)),
        (Similarity::Encoding, is_garbled(one, other) || is_garbled(other, one)),
        (Similarity::Masked, is_mask(one) || is_mask(other)),
    ] {
        if is_it {
            return Some(similarity);
        }
    }
    // The last, because it holds for many of the others: `7` is a part of `007`.
    let is_part =
        |short: &str, long: &str| !short.is_empty() && (long.starts_with(short) || long.ends_with(short));
    (is_part(one, other) || is_part(other, one)).then_some(Similarity::Part)
}

/// A decimal number in normal form: whether it is negative, and its significant digits before and after the point.
fn decimal(text: &str) -> Option<(bool, &str, &str)> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (short_whole, short_part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let is_zero = short_whole.is_empty() && short_part.is_empty();
    (is_number(whole) && is_number(part)).then_some((
        text.starts_with('-') && !is_zero,
        short_whole,
        short_part,
    ))
}

/// A time in the format of RFC 3339, or a similar one.
static INSTANT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)? ?(?:([Zz]|UTC)|([+-])([0-9]{2}):?([0-9]{2}))$",
    )
});

/// The minute since the year 0, the second in it, and its fraction.
fn instant(text: &str) -> Option<(i64, i64, &str)> {
    let read = INSTANT.captures(text)?;
    let number = |at: usize| read.get(at).map_or(Some(0_i64), |digits| digits.as_str().parse::<i64>().ok());
    let (year, month, day) = (number(1)?, number(2)?, number(3)?);
    // Years begin with March, so that a leap day is the last day of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2).div_euclid(5)
        + day;
    let zone = 60 * number(10)? + number(11)?;
    let is_behind = read.get(9).is_some_and(|sign| sign.as_str() == "-");
    let minute = (days * 24 + number(4)?) * 60 + number(5)?;
    let fraction = read.get(7).map_or("", |digits| digits.as_str().trim_end_matches('0'));
    Some((if is_behind { minute + zone } else { minute - zone }, number(6)?, fraction))
}

/// The first address of a network as a number, whether it is IPv6, and the length of the prefix.
fn network(text: &str) -> Option<(u128, bool, u32)> {
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let (number, is_long, all) = match address.parse::<IpAddr>().ok()? {
        IpAddr::V4(address) => (u128::from(u32::from(address)), false, 32),
        IpAddr::V6(address) => (u128::from(address), true, 128),
    };
    let bits = bits.map_or(Some(all), |bits| bits.parse::<u32>().ok()).filter(|bits| *bits <= all)?;
    let host = all - bits;
    // A network of no bits shifts by all of them, which a plain shift must not.
    let first = number.checked_shr(host).unwrap_or(0).checked_shl(host).unwrap_or(0);
    Some((first, is_long, bits))
}

fn is_quoted(inside: &str, whole: &str) -> bool {
    let is_in = |quote: char| {
        whole.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).is_some_and(|text| text == inside)
    };
    ['"', '\'', '`'].into_iter().any(is_in)
        || (whole.starts_with('"') && serde_json::from_str::<String>(whole).is_ok_and(|text| text == inside))
}

/// Windows-1252 for the bytes 0x80 to 0x9f, to which Latin-1 assigns control characters; five have no
/// letter there either.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn is_garbled(right: &str, garbled: &str) -> bool {
    let windows = |byte: u8| match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    !right.is_ascii()
        && (right.bytes().map(char::from).eq(garbled.chars())
            || right.bytes().map(windows).eq(garbled.chars()))
}

fn is_mask(text: &str) -> bool {
    const NAMES: [&str; 6] = ["redacted", "masked", "hidden", "secret", "sensitive", "sensitive value"];
    let is_star = |c: char| matches!(c, '*' | '•' | '●' | '∗');
    let inside = text.trim_matches(|c: char| is_star(c) || "<>[](){}".contains(c));
    (text.chars().count() > 2 && text.chars().all(is_star))
        || (inside.len() < text.len() && NAMES.contains(&inside.to_lowercase().as_str()))
}

fn sequences(one: &[Literal], other: &[Literal]) -> Option<Similarity> {
    let sorted = |parts: &[Literal]| {
        let mut parts = parts.to_vec();
        parts.sort();
        parts
    };
    let (mut one, mut other) = (sorted(one), sorted(other));
    if one == other {
        return Some(Similarity::Order);
    }
    one.dedup();
    other.dedup();
    (one == other).then_some(Similarity::Repetition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarities() {
        let text = |text: &str| format!("cty.StringVal({text:?})");
        let list = |parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| text(part)).collect();
            format!("cty.ListVal([]cty.Value{{{}}})", parts.join(", "))
        };
        for (one, other, found) in [
            (text("Web"), text("web"), Some(Similarity::LetterCase)),
            (text("a\n"), text("a"), Some(Similarity::Whitespace)),
            (text(r#"{"a":1,"b":2}"#), text(r#"{"b": 2, "a": 1}"#), Some(Similarity::Json)),
            (text("arn:x/y"), text("y"), Some(Similarity::Part)),
            (text("a"), text("b"), None),
            ("null".into(), text(""), Some(Similarity::NullAndEmpty)),
            (
                "cty.ListValEmpty(cty.String)".into(),
                "cty.NullVal(cty.List(cty.String))".into(),
                Some(Similarity::NullAndEmpty),
            ),
            ("cty.False".into(), "null".into(), Some(Similarity::NullAndZero)),
            (
                r#"cty.MustParseNumberVal("0.1")"#.into(),
                r#"cty.MustParseNumberVal("0.1000000000000000055511151231257827")"#.into(),
                Some(Similarity::Precision),
            ),
            ("cty.NumberIntVal(1)".into(), text("1"), Some(Similarity::Text)),
            (
                r#"cty.MustParseNumberVal("0.003")"#.into(),
                "cty.NumberFloatVal(0.003000000026077032)".into(),
                Some(Similarity::Precision),
            ),
            ("cty.NumberIntVal(1)".into(), "cty.NumberIntVal(2)".into(), None),
            (text("007"), text("7"), Some(Similarity::Number)),
            (text("-1.50"), text("-1.5"), Some(Similarity::Number)),
            (text("7"), text("70"), Some(Similarity::Part)),
            (text("0a.b"), text("a.b"), Some(Similarity::Part)),
            (text("1.5"), text("-1.5"), Some(Similarity::Part)),
            (text("2024-03-01T01:30:00+02:00"), text("2024-02-29T23:30:00Z"), Some(Similarity::Instant)),
            (text("2024-03-01T01:30:00+05:30"), text("2024-02-29T20:00:00Z"), Some(Similarity::Instant)),
            (text("2024-03-01T00:00:00.500Z"), text("2024-03-01T00:00:00.5Z"), Some(Similarity::Instant)),
            (text("2024-03-01T00:00:00Z"), text("2024-03-01T00:00:01Z"), None),
            (text("2001:db8:0:0::7"), text("2001:db8::7"), Some(Similarity::IpAddress)),
            (text("10.1.2.3/8"), text("10.0.0.0/8"), Some(Similarity::IpAddress)),
            (text("10.1.2.3/8"), text("11.0.0.0/8"), None),
            (text("\"a b\""), text("a b"), Some(Similarity::Quotes)),
            (text("''"), text(""), Some(Similarity::Quotes)),
            (text("Köln – Süd"), text("KÃ¶ln â€“ SÃ¼d"), Some(Similarity::Encoding)),
            (text("grün"), text("grÃ¼n"), Some(Similarity::Encoding)),
            (text("hunter2"), text("********"), Some(Similarity::Masked)),
            (text("hunter2"), text("<redacted>"), Some(Similarity::Masked)),
            (list(&["b", "a"]), list(&["a", "b"]), Some(Similarity::Order)),
            (list(&["a", "b", "a"]), list(&["b", "a"]), Some(Similarity::Repetition)),
            (list(&["a"]), list(&["b"]), None),
        ] {
            assert_eq!(similarity(&one, &other), found, "{one} {other}");
            assert_eq!(similarity(&other, &one), found, "{other} {one}");
        }
    }
}
