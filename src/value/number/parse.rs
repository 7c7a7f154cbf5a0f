//! Parses numbers.

use num_bigint::BigUint;

use super::binary::{Binary, Precision};
use super::{Number, Repr, decimal};

/// Why a text is not a number. Does not hold the text, which may be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseNumberError {
    /// The text is empty.
    #[error("a number is required, the text is empty")]
    Empty,
    /// The text does not have the form of a number.
    #[error("a number is required: decimal digits, perhaps with a sign, a decimal point and an exponent")]
    NotANumber,
    /// The first digit is of a power of ten outside 10^±5000, or the binary exponent is outside ±16600.
    ///
    /// This is a limit of this library, so that no short text makes a number that takes
    /// unreasonable time and memory to compute and to print. Terraform accepts larger exponents.
    #[error("the number is too large or too close to zero: use an exponent from -5000 to 5000")]
    ExponentTooLarge,
    /// The text is not an integer in this base.
    #[error("a whole number in base {base} is required: digits of that base, perhaps with a sign")]
    NotAnInteger {
        /// The base.
        base: u32,
    },
    /// There are no digits for this base.
    #[error("a base from 2 to 62 is required")]
    Base,
    /// The integer has more than 512 bits. This is a limit of this library.
    #[error("the whole number is too large: it has more than 512 bits")]
    IntegerTooLarge,
}

impl ParseNumberError {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NotANumber => "not_a_number",
            Self::ExponentTooLarge => "exponent_too_large",
            Self::NotAnInteger { .. } => "not_an_integer",
            Self::Base => "base",
            Self::IntegerTooLarge => "integer_too_large",
        }
    }
}

impl Number {
    /// Reads an integer in a base from 2 to 62, after an optional sign.
    ///
    /// Letters are digits from ten on, in either case; above base 36 the lower case comes first and the upper case
    /// after it.
    ///
    /// # Errors
    ///
    /// The text is not an integer in this base, or the integer has more than 512 bits.
    ///
    /// ```
    /// use objchange::value::{Number, ParseNumberError};
    ///
    /// assert_eq!(Number::parse_integer("-fF", 16), Ok(Number::from(-255)));
    /// assert_eq!(Number::parse_integer("zZ", 62), Ok(Number::from(35 * 62 + 61)));
    /// assert_eq!(Number::parse_integer("9", 8), Err(ParseNumberError::NotAnInteger { base: 8 }));
    /// assert_eq!(Number::parse_integer("1", 63), Err(ParseNumberError::Base));
    /// ```
    #[doc(alias = "parseint")]
    pub fn parse_integer(text: &str, base: u32) -> Result<Self, ParseNumberError> {
        if !(2..=MAX_BASE).contains(&base) {
            return Err(ParseNumberError::Base);
        }
        if text.is_empty() {
            return Err(ParseNumberError::Empty);
        }
        let (negative, digits) = scan_sign(text.as_bytes());
        let digits: Option<Vec<u8>> = digits.iter().map(|byte| digit(*byte, base)).collect();
        let digits =
            digits.filter(|digits| !digits.is_empty()).ok_or(ParseNumberError::NotAnInteger { base })?;
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        let digits = &digits[zeros..];
        // Each digit is at least one bit, so more digits than bits cannot fit.
        let magnitude = (digits.len() <= Binary::PRECISION as usize)
            .then(|| BigUint::from_radix_be(digits, base).unwrap_or_default())
            .filter(|magnitude| magnitude.bits() <= Binary::PRECISION.into())
            .ok_or(ParseNumberError::IntegerTooLarge)?;
        let binary = Binary::rounded(negative, &magnitude, false, 0, Precision::MAX);
        Ok(binary.map_or(Self::ZERO, Self::of_integer))
    }
}

/// The largest base: 10 digits, and 26 letters in two cases.
const MAX_BASE: u32 = 62;

/// The value of a digit, if it is one in this base.
fn digit(byte: u8, base: u32) -> Option<u8> {
    let value = match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'z' => byte - b'a' + 10,
        b'A'..=b'Z' if base > 36 => byte - b'A' + 36,
        b'A'..=b'Z' => byte - b'A' + 10,
        _ => return None,
    };
    (u32::from(value) < base).then_some(value)
}

/// The largest power of ten of a number's first digit, above and below one.
const MAX_DECIMAL_EXPONENT: i64 = 5000;

/// About the range of the decimal exponent.
const MAX_BINARY_EXPONENT: i64 = 16_600;

/// No number of 512 bits, nor one halfway between two of them, has more digits than this. Further digits
/// only matter in whether there are any.
///
/// Such a number is m × 2^e with m < 2^513. Those next to zero have the most digits, with e not below
/// -513 - 5000 × log2(10): the digits of the integer m × 5^-e, which is below 10^12500.
const MAX_DIGITS: usize = 12_500;

pub(super) fn parse(text: &str) -> Result<Number, ParseNumberError> {
    if let Some(int) = parse_short_integer(text.as_bytes()).filter(|int| *int != 0 || text.starts_with('0')) {
        return Ok(Number(Repr::Int(int, Precision::MAX)));
    }
    let scientific = Scientific::scan(text)?;
    match scientific.to_i64() {
        Some(0) => Ok(Number::zero(scientific.negative, Precision::MAX)),
        // A power of ten that is multiplied is arithmetic, as in `1e3` and `1.0`.
        Some(int) if scientific.is_scaled => Ok(Number(Repr::Int(int, Precision::COMPUTED))),
        Some(int) => Ok(Number(Repr::Int(int, Precision::MAX))),
        None => scientific.to_number(),
    }
}

/// A fast path for short integers, which nearly all numbers are; `None` for other texts.
fn parse_short_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    // No overflow: 18 digits stay below 10^18.
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    Some(if negative { -magnitude } else { magnitude })
}

/// ±digits × 10^exponent × 2^binary exponent. The digits neither start nor end with a zero.
struct Scientific<'a> {
    negative: bool,
    /// The digits, in two parts because there was a point between them.
    digits: [&'a [u8]; 2],
    exponent: i64,
    binary_exponent: i64,
    /// The digits as they are written are not the number itself.
    is_scaled: bool,
}

impl<'a> Scientific<'a> {
    fn scan(text: &'a str) -> Result<Self, ParseNumberError> {
        if text.is_empty() {
            return Err(ParseNumberError::Empty);
        }
        let (negative, rest) = scan_sign(text.as_bytes());
        let (mut integer, rest) = scan_digits(rest);
        let (mut fraction, rest) = match rest {
            [b'.', rest @ ..] => scan_digits(rest),
            _ => (&rest[..0], rest),
        };
        if integer.is_empty() && fraction.is_empty() {
            return Err(ParseNumberError::NotANumber);
        }
        let (mut exponent, binary_exponent) = match rest {
            [] => (0, 0),
            [b'e' | b'E', rest @ ..] => (scan_exponent(rest)?, 0),
            [b'p' | b'P', rest @ ..] => (0, scan_exponent(rest)?),
            _ => return Err(ParseNumberError::NotANumber),
        };
        exponent -= fraction.len() as i64;
        let is_scaled = exponent != 0;

        integer = trim_leading_zeros(integer);
        if integer.is_empty() {
            fraction = trim_leading_zeros(fraction);
        }
        let count = integer.len() + fraction.len();
        fraction = trim_trailing_zeros(fraction);
        if fraction.is_empty() {
            integer = trim_trailing_zeros(integer);
        }
        exponent += (count - integer.len() - fraction.len()) as i64;
        Ok(Self { negative, digits: [integer, fraction], exponent, binary_exponent, is_scaled })
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        let [before, after] = self.digits;
        before.iter().chain(after).map(|digit| digit - b'0')
    }

    fn count(&self) -> usize {
        self.digits[0].len() + self.digits[1].len()
    }

    /// The digits as an integer, if there are few enough.
    fn short_coefficient(&self) -> Option<u64> {
        // No overflow: 19 digits stay below 10^19.
        (self.count() <= 19).then(|| self.digits().fold(0, |value, digit| value * 10 + u64::from(digit)))
    }

    fn to_i64(&self) -> Option<i64> {
        let coefficient = self.short_coefficient()?;
        if coefficient == 0 {
            return Some(0);
        }
        if self.binary_exponent != 0 {
            return None;
        }
        let power = 10_u64.checked_pow(self.exponent.try_into().ok()?)?;
        let magnitude = coefficient.checked_mul(power)?;
        if self.negative { 0_i64.checked_sub_unsigned(magnitude) } else { magnitude.try_into().ok() }
    }

    fn to_number(&self) -> Result<Number, ParseNumberError> {
        let first_digit = self.exponent + self.count() as i64 - 1;
        if first_digit.abs() > MAX_DECIMAL_EXPONENT || self.binary_exponent.abs() > MAX_BINARY_EXPONENT {
            return Err(ParseNumberError::ExponentTooLarge);
        }
        // Small from here on, as is the number of digits.
        let (coefficient, exponent) = self.coefficient();
        let binary =
            decimal::to_binary(self.negative, &coefficient, exponent as i32, self.binary_exponent as i32);
        Ok(binary.map_or(Number::ZERO, |binary| Number::from_binary(binary, Precision::MAX)))
    }

    /// The digits as an integer, and the exponent that goes with it.
    ///
    /// Digits that cannot affect the rounded number are replaced by a single one that stands for them.
    fn coefficient(&self) -> (BigUint, i64) {
        if let Some(short) = self.short_coefficient() {
            return (short.into(), self.exponent);
        }
        let mut digits: Vec<u8> = self.digits().take(MAX_DIGITS).collect();
        let mut exponent = self.exponent;
        let dropped = self.count() - digits.len();
        if dropped > 0 {
            digits.push(1);
            exponent += dropped as i64 - 1;
        }
        (BigUint::from_radix_be(&digits, 10).unwrap_or_default(), exponent)
    }
}

/// Whether there is a minus sign, and the text after the sign.
fn scan_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// The digits at the start, and the rest.
fn scan_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// Parses a text as an exponent. One that is out of bounds anyway becomes some large exponent.
fn scan_exponent(text: &[u8]) -> Result<i64, ParseNumberError> {
    /// Leaves room to add the number of digits of any text.
    const LARGE: i64 = i64::MAX / 4;

    let (negative, digits) = scan_sign(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ParseNumberError::NotANumber);
    }
    let magnitude = digits.iter().fold(0_i64, |value, digit| {
        value.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(LARGE)
    });
    Ok(if negative { -magnitude } else { magnitude })
}

fn trim_leading_zeros(digits: &[u8]) -> &[u8] {
    let start = digits.iter().position(|&digit| digit != b'0');
    &digits[start.unwrap_or(digits.len())..]
}

fn trim_trailing_zeros(digits: &[u8]) -> &[u8] {
    let last = digits.iter().rposition(|&digit| digit != b'0');
    &digits[..last.map_or(0, |last| last + 1)]
}
