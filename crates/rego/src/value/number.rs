//! Numbers as OPA has them: decimals of any size that keep how they were written.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// The largest exponent that is read: `1e1000000000` is kept as text, and compared without being written out.
// Ten digits keep the sum of an exponent and a length far from the limits of `i64`, so that `Parts` needs no
// checked arithmetic. No policy relies on more: OPA 1.20 panics when it compares `json.unmarshal("1e1000000000")`.
const MAX_EXPONENT: i64 = 9_999_999_999;

/// A number. `1`, `1.0` and `1e0` are equal but print as they were written.
#[derive(Clone)]
pub struct Number(Repr);

#[derive(Clone)]
enum Repr {
    Int(i64),
    Decimal(Arc<Decimal>),
}

/// A number that is not written as a canonical 64-bit integer.
struct Decimal {
    /// In the form of JSON.
    text: Box<str>,
    /// How `to_number` got it, if JSON has no such form: `007`, `+5`.
    written: Option<Box<str>>,
    /// Its value as a 64-bit integer, if it equals one, as `1.0` does.
    whole: Option<i64>,
}

/// The value of a number: 0.DIGITS × 10^`point`, with no zeros at either end of the digits.
#[derive(PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) is_negative: bool,
    pub(super) digits: Vec<u8>,
    pub(super) point: i64,
}

impl Parts {
    /// The parts of a number in JSON's form.
    pub(super) fn new(text: &str) -> Option<Self> {
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], parse_exponent(&rest[at + 1..])?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        // JSON (RFC 8259) has neither `.5` nor `05`.
        if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut point = exponent + i64::try_from(whole.len()).ok()?;
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..zeros);
        point -= i64::try_from(zeros).ok()?;
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            // `-0`, `0.0` and `0e5` become one value, because the derived equality and the hash look at all
            // three fields.
            return Some(Self { is_negative: false, digits, point: 0 });
        }
        Some(Self { is_negative, digits, point })
    }

    /// Whether the number has no digits behind the point.
    pub(super) fn is_whole(&self) -> bool {
        self.point >= i64::try_from(self.digits.len()).unwrap_or(i64::MAX)
    }

    /// The number, if it is a 64-bit integer.
    fn to_i64(&self) -> Option<i64> {
        // An `i64` has at most 19 digits, and 19 digits fit in the `i128` below.
        if !self.is_whole() || self.point > 19 {
            return None;
        }
        let zeros = usize::try_from(self.point).ok()?.checked_sub(self.digits.len())?;
        let mut value: i128 = 0;
        for digit in self.digits.iter().copied().chain(std::iter::repeat_n(b'0', zeros)) {
            value = value * 10 + i128::from(digit - b'0');
        }
        i64::try_from(if self.is_negative { -value } else { value }).ok()
    }
}

impl Ord for Parts {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |parts: &Self| match (parts.digits.is_empty(), parts.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            // The first digit is never zero, so a number with more digits before the point is greater.
            // Trailing zeros are gone, so a list of digits is less than any longer one that begins with it.
            let magnitude = self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
            if self.is_negative { magnitude.reverse() } else { magnitude }
        })
    }
}

impl PartialOrd for Parts {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The digits after `e`, with their sign.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let magnitude: i64 = match digits.trim_start_matches('0') {
        "" => 0,
        digits if digits.len() > 10 => return None,
        digits => digits.parse().ok()?,
    };
    if magnitude > MAX_EXPONENT {
        return None;
    }
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

impl Number {
    /// Reads a number in JSON's form, which is kept. `None` if the text is not such a number or its exponent has more
    /// than ten digits.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(value) = canonical(text) {
            return Some(Self(Repr::Int(value)));
        }
        let whole = Parts::new(text)?.to_i64();
        Some(Self::decimal(text, whole))
    }

    fn decimal(text: &str, whole: Option<i64>) -> Self {
        Self(Repr::Decimal(Arc::new(Decimal { text: text.into(), written: None, whole })))
    }

    /// Reads a number as Go's `ParseFloat` does, which allows `+5`, `.5`, `5.` and leading zeros. Such a form is kept, too:
    /// [`Number::json_text`] has another one.
    pub(crate) fn parse_lenient(text: &str) -> Option<Self> {
        if let Some(number) = Self::parse(text) {
            return Some(number);
        }
        let (sign, rest) = match text.as_bytes().first()? {
            b'-' => ("-", &text[1..]),
            b'+' => ("", &text[1..]),
            _ => ("", text),
        };
        let (mantissa, exponent) = rest.split_at(rest.find(['e', 'E']).unwrap_or(rest.len()));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let point = if fraction.is_empty() { "" } else { "." };
        let json = format!("{sign}{whole}{point}{fraction}{exponent}");
        let whole = Parts::new(&json)?.to_i64();
        // In OPA 1.20 `sprintf("%v", [[to_number("007")]])` is `[007]`, and `json.marshal` of it fails.
        let written = Some(text.into());
        Some(Self(Repr::Decimal(Arc::new(Decimal { text: json.into(), written, whole }))))
    }

    /// The number as JSON writes it.
    pub(crate) fn json_text(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Int(value) => Cow::Owned(value.to_string()),
            Repr::Decimal(decimal) => Cow::Borrowed(&decimal.text),
        }
    }

    /// Whether it is written as no number of JSON is.
    pub(crate) fn has_other_form(&self) -> bool {
        matches!(&self.0, Repr::Decimal(decimal) if decimal.written.is_some())
    }

    /// The number nearest to a float, in the shortest form that reads back as the same float.
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self::parse(&super::float::format_f64(value)))?
    }

    /// An integer of any size.
    pub fn from_bigint(value: &BigInt) -> Self {
        match value.to_i64() {
            Some(value) => Self(Repr::Int(value)),
            None => Self::decimal(&value.to_string(), None),
        }
    }

    /// The number, if it is a 64-bit integer, however it is written.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Int(value) => Some(*value),
            Repr::Decimal(decimal) => decimal.whole,
        }
    }

    /// The number, if it may be the index of an array: it is not when it is written with an exponent.
    pub fn as_index(&self) -> Option<usize> {
        match &self.0 {
            Repr::Int(value) => usize::try_from(*value).ok(),
            // In OPA 1.20 `input.l[1.0]` is the second element, and `input.l[1e0]` is undefined.
            Repr::Decimal(decimal) if decimal.text.contains(['e', 'E']) => None,
            Repr::Decimal(decimal) => usize::try_from(decimal.whole?).ok(),
        }
    }

    /// The float nearest to it.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            #[allow(clippy::cast_precision_loss)]
            Repr::Int(value) => *value as f64,
            // Rust reads all numbers in the form of JSON, so the fallback is never used; too large ones
            // become infinite.
            Repr::Decimal(decimal) => decimal.text.parse().unwrap_or(f64::NAN),
        }
    }

    /// Whether it has no digits behind the point.
    pub fn is_whole(&self) -> bool {
        match &self.0 {
            Repr::Int(_) => true,
            Repr::Decimal(decimal) => decimal.whole.is_some() || self.parts().is_whole(),
        }
    }

    pub(super) fn parts(&self) -> Parts {
        let parts = match &self.0 {
            Repr::Int(value) => Parts::new(&value.to_string()),
            Repr::Decimal(decimal) => Parts::new(&decimal.text),
        };
        parts.unwrap_or(Parts { is_negative: false, digits: Vec::new(), point: 0 })
    }
}

/// The integer that a text is the only form of.
fn canonical(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || digits.len() > 19 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // `-0` keeps its text: OPA 1.20 prints it as `-0`, although it equals `0`.
    if digits.starts_with('0') && text != "0" {
        return None;
    }
    text.parse().ok()
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Repr::Int(value))
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        match i64::try_from(value) {
            Ok(value) => Self(Repr::Int(value)),
            Err(_) => Self::from_bigint(&BigInt::from(value)),
        }
    }
}

/// As it was written.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Int(value) => write!(f, "{value}"),
            Repr::Decimal(decimal) => f.write_str(decimal.written.as_deref().unwrap_or(&decimal.text)),
        }
    }
}

/// Shows the kind alone: a value may be secret.
impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Number")
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.as_i64(), other.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.parts().cmp(&other.parts()),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some(value) = self.as_i64() {
            // Equal numbers must hash alike however they are written: `{1, 1.0, 1e0}` has one element, as in
            // OPA.
            value.hash(state);
            return;
        }
        let parts = self.parts();
        (parts.is_negative, parts.digits, parts.point).hash(state);
    }
}
