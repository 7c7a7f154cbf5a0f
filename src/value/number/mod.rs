//! Exact numbers.

mod arithmetic;
mod binary;
mod decimal;
mod elementary;
mod integers;
mod parse;
mod power;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ordered_float::NotNan;

pub use self::arithmetic::ArithmeticError;
pub use self::parse::ParseNumberError;

use self::binary::{Binary, Precision};
use self::decimal::Decimal;

/// An exact number: an integer, a decimal fraction read into 512 bits, or an IEEE double.
///
/// Numbers are equal, ordered and hashed by their exact value, however they came about.
/// Terraform reads decimal text into 512 bits, so the text `0.1` is a number much closer to one tenth
/// than the double `0.1`, and the two differ:
///
/// ```
/// use objchange::value::Number;
///
/// let text: Number = "0.1".parse()?;
/// let double = Number::from_f64(0.1).unwrap();
/// assert!(text < double);
/// assert_eq!(text.to_string(), double.to_string());
///
/// assert_eq!("0.5".parse(), Ok(Number::from_f64(0.5).unwrap()));
/// assert_eq!("3.0".parse(), Ok(Number::from(3)));
/// # Ok::<(), objchange::value::ParseNumberError>(())
/// ```
///
/// Both print as `0.1`: [`Display`](fmt::Display) writes the shortest decimal that identifies the number at
/// its own precision, 512 bits or the 53 of a double, always in plain notation, never with an exponent.
/// Integers of up to 64 bits print in full.
///
/// The digits are Terraform's, and so those of Go's `big.Float`, even where they are not the best: Go
/// treats the space below a power of two like the one above it, so that the printed form of a power of two
/// may read back as the number before it.
///
/// There is one zero, without a sign. The infinities are numbers, but no text reads as one.
/// A clone is O(1).
///
/// # Arithmetic
///
/// Results are rounded, ties to even, to the greater *precision* of the operands: 512 bits for numbers from
/// text, 64 for integers of the program (lengths and positions, in configuration), 53 for doubles.
/// Precision is not a part of the value: it shows in quotients and in print, not in comparisons.
///
/// ```
/// use objchange::value::{ArithmeticError, Number};
///
/// let third = Number::parse("1")?.try_div(&Number::parse("3")?)?;
/// assert_eq!(third.try_mul(&Number::from(3))?, Number::from(1));
///
/// let short = Number::from(1).try_div(&Number::from(3))?;
/// assert_eq!(short.to_string(), "0.33333333333333333334");
///
/// assert_eq!(Number::from(1).try_div(&Number::ZERO), Ok(Number::infinity()));
/// assert_eq!(Number::ZERO.try_div(&Number::ZERO), Err(ArithmeticError::Undefined));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Number(Repr);

const _: () = assert!(size_of::<Number>() == 16);

#[derive(Clone)]
enum Repr {
    Int(i64, Precision),
    /// A double and printed as one. Finite; not an integer within ±2^53, other than -0.
    Float(NotNan<f64>),
    /// Printed in its precision. Not an integer that fits `i64`.
    Big(Arc<Binary>, Precision),
    Infinite {
        negative: bool,
    },
}

use Repr::{Big, Float, Infinite, Int};

/// Up to this magnitude every double that is an integer prints as that integer.
const MAX_EXACT_INTEGER: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

impl Number {
    /// The number 0.
    pub const ZERO: Self = Self(Int(0, Precision::INTEGER));

    /// Zero of a sign. Both are the same number, but their texts differ in the language.
    fn zero(negative: bool, precision: Precision) -> Self {
        // No literal: a NaN is refused, which this is not.
        match NotNan::new(-0.0) {
            Ok(zero) if negative => Self(Float(zero)),
            _ => Self(Int(0, precision)),
        }
    }

    /// Returns positive infinity.
    pub const fn infinity() -> Self {
        Self(Infinite { negative: false })
    }

    /// Returns negative infinity.
    pub const fn neg_infinity() -> Self {
        Self(Infinite { negative: true })
    }

    /// Reads a number from decimal text, rounded to 512 bits of mantissa, ties to even.
    ///
    /// The text is an optional sign, digits with at most one decimal point among or around them, and
    /// an optional exponent, decimal after `e` or `E` and binary after `p` or `P`.
    ///
    /// # Errors
    ///
    /// The text has another form, such as hexadecimal digits, underscores, white space or infinities; or
    /// the exponent is beyond the limits in [`ParseNumberError`].
    ///
    /// # Examples
    ///
    /// ```
    /// use objchange::value::Number;
    ///
    /// assert_eq!(Number::parse("1e3"), Ok(Number::from(1000)));
    /// assert_eq!(Number::parse("1p3"), Ok(Number::from(8)));
    /// assert_eq!(Number::parse("+.5")?.to_string(), "0.5");
    /// assert!(Number::parse("0x10").is_err());
    /// assert!(Number::parse("1e1000000000").is_err());
    /// # Ok::<(), objchange::value::ParseNumberError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseNumberError> {
        parse::parse(text)
    }

    /// Returns the number that is exactly this double, or `None` for NaN.
    ///
    /// The number prints as a double does: in the digits that tell it from other doubles.
    ///
    /// ```
    /// use objchange::value::Number;
    ///
    /// assert_eq!(Number::from_f64(1e22).unwrap().to_string(), "10000000000000000000000");
    /// assert_eq!(Number::from_f64(-0.0), Some(Number::ZERO));
    /// assert_eq!(Number::from_f64(f64::NAN), None);
    /// ```
    pub fn from_f64(value: f64) -> Option<Self> {
        NotNan::new(value).ok().map(|value| {
            if value.is_infinite() {
                Self(Infinite { negative: *value < 0.0 })
            } else if *value == 0.0 {
                Self::zero(value.is_sign_negative(), Precision::DOUBLE)
            } else if value.abs() <= MAX_EXACT_INTEGER && value.fract() == 0.0 {
                Self(Int(*value as i64, Precision::DOUBLE))
            } else {
                Self(Float(value))
            }
        })
    }

    /// The only way to a `Big`.
    fn from_binary(binary: Binary, precision: Precision) -> Self {
        match binary.to_i64() {
            Some(int) => Self(Int(int, precision)),
            None => Self(Big(Arc::new(binary), precision)),
        }
    }

    fn from_u128(negative: bool, magnitude: u128) -> Self {
        Binary::from_u128(negative, magnitude).map_or(Self::ZERO, Self::of_integer)
    }

    /// An integer with the precision that it needs, at least that of the program's integers.
    fn of_integer(binary: Binary) -> Self {
        let precision = binary.integer_precision().max(Precision::INTEGER);
        Self::from_binary(binary, precision)
    }

    /// Returns the number as an `i64` if it is exactly that.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Int(int, _) => Some(*int),
            Float(float) if **float == 0.0 => Some(0),
            Float(float) => Binary::from_f64(**float)?.to_i64(),
            Big(..) | Infinite { .. } => None,
        }
    }

    /// Returns the number as a `u64` if it is exactly that.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Int(int, _) => u64::try_from(*int).ok(),
            Float(float) if **float == 0.0 => Some(0),
            _ => self.to_binary().filter(|binary| !binary.is_negative())?.integer_magnitude(),
        }
    }

    /// Returns the number as a double if it is exactly that, infinities included.
    ///
    /// ```
    /// use objchange::value::Number;
    ///
    /// assert_eq!(Number::parse("0.5")?.as_f64(), Some(0.5));
    /// assert_eq!(Number::parse("0.1")?.as_f64(), None);
    /// # Ok::<(), objchange::value::ParseNumberError>(())
    /// ```
    pub fn as_f64(&self) -> Option<f64> {
        let nearest = self.to_f64();
        (Self::from_f64(nearest)? == *self).then_some(nearest)
    }

    /// Returns the nearest double, ties to even; infinite if the number is beyond every finite one.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Int(int, _) => *int as f64,
            Float(float) => **float,
            Big(big, _) => big.to_f64(),
            Infinite { negative: false } => f64::INFINITY,
            Infinite { negative: true } => f64::NEG_INFINITY,
        }
    }

    /// Returns whether the number is finite and has no fractional part.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Int(..) => true,
            Float(float) => float.fract() == 0.0,
            Big(big, _) => big.is_integer(),
            Infinite { .. } => false,
        }
    }

    /// Returns whether the number is not an infinity.
    pub fn is_finite(&self) -> bool {
        !matches!(self.0, Infinite { .. })
    }

    /// Appends the number in at most ten significant digits, as C's `%.10g` writes it.
    ///
    /// Exact halves round to even. This is the text by which Terraform orders the elements of a set
    /// that contain numbers; infinities are `+Inf` and `-Inf` in it.
    ///
    /// ```
    /// use objchange::value::Number;
    ///
    /// let mut text = String::new();
    /// for number in ["9999999999.5", "0.00005", "-2.50"] {
    ///     Number::parse(number)?.write_ten_digits(&mut text);
    ///     text.push(' ');
    /// }
    /// assert_eq!(text, "1e+10 5e-05 -2.5 ");
    /// # Ok::<(), objchange::value::ParseNumberError>(())
    /// ```
    pub fn write_ten_digits(&self, out: &mut String) {
        if let Int(int @ -9_999_999_999..=9_999_999_999, _) = self.0 {
            // Writing to a `String` does not fail.
            let _ = write!(out, "{int}");
        } else if let Some(binary) = self.to_binary() {
            if binary.is_negative() {
                out.push('-');
            }
            Decimal::rounded(&binary, 10).write_general(10, out);
        } else if self.is_negative_zero() {
            out.push_str("-0");
        } else {
            // No zero is left, so this is an infinity.
            out.push_str(if self.to_f64() > 0.0 { "+Inf" } else { "-Inf" });
        }
    }

    /// The decimal digits of the number without its sign, and the exponent *p*: the number is `0.digits × 10^p`;
    /// `None` for zero and infinities. Neither the first nor the last digit is zero.
    ///
    /// Returns at most `count` digits, at least one, rounded half to even; without `count` the fewest that
    /// identify the number in its precision.
    ///
    /// ```
    /// use objchange::value::Number;
    ///
    /// let number = Number::parse("-120.25")?;
    /// assert_eq!(number.decimal_digits(None), Some(("12025".to_owned(), 3)));
    /// assert_eq!(number.decimal_digits(Some(4)), Some(("1202".to_owned(), 3)));
    /// # Ok::<(), objchange::value::ParseNumberError>(())
    /// ```
    pub fn decimal_digits(&self, count: Option<usize>) -> Option<(String, i32)> {
        let binary = self.to_binary()?;
        Some(match count {
            Some(count) => Decimal::rounded(&binary, count.max(1)).into_digits(),
            None => Decimal::from_binary(&binary, self.precision()).into_digits(),
        })
    }

    /// The number as a binary fraction, or `None` for zero and infinities.
    fn to_binary(&self) -> Option<Binary> {
        match &self.0 {
            Int(int, _) => Binary::from_u128(*int < 0, int.unsigned_abs().into()),
            Float(float) => Binary::from_f64(**float),
            Big(big, _) => Some(big.as_ref().clone()),
            Infinite { .. } => None,
        }
    }

    /// The bits that results computed from this number have.
    fn precision(&self) -> Precision {
        match &self.0 {
            Int(_, precision) | Big(_, precision) => *precision,
            Float(_) | Infinite { .. } => Precision::DOUBLE,
        }
    }

    /// Returns whether this is zero with a minus, as `-0` and `0 * -1` are. It equals zero.
    pub fn is_negative_zero(&self) -> bool {
        matches!(&self.0, Float(float) if **float == 0.0)
    }

    /// Returns the text of the number in the language. It is that of `Display`, but for `-0`, which documents of plans have
    /// as `0` and expressions do not.
    ///
    /// ```
    /// use objchange::value::Number;
    ///
    /// let zero = Number::parse("-0")?;
    /// assert_eq!((zero.to_text(), zero.to_string()), ("-0".to_owned(), "0".to_owned()));
    /// assert_eq!(zero, Number::ZERO);
    /// # Ok::<(), objchange::value::ParseNumberError>(())
    /// ```
    pub fn to_text(&self) -> String {
        if self.is_negative_zero() { "-0".to_owned() } else { self.to_string() }
    }

    /// Returns whether Terraform holds the number as it would if it had read it from its text. It holds the results of
    /// arithmetic, and of functions such as `length`, in another form, and takes that for a difference where versions before
    /// 1.15 compare states. Found with `terraform plan -refresh-only` of 1.11.4; non-integers with many digits are a guess.
    ///
    /// ```
    /// use objchange::value::Number;
    ///
    /// assert!(Number::parse("14")?.has_form_of_text() && !Number::parse("1e3")?.has_form_of_text());
    /// assert!(!Number::from(14).has_form_of_text());
    /// # Ok::<(), objchange::value::ParseNumberError>(())
    /// ```
    pub fn has_form_of_text(&self) -> bool {
        match self.precision() {
            Precision::COMPUTED => {
                !self.is_integer()
                    && self.to_binary().is_some_and(|binary| binary.least_precision() <= Precision::INTEGER)
            }
            precision => precision == Precision::MAX || !self.is_finite() || self.is_negative_zero(),
        }
    }

    /// Whether the number has a minus, be it zero or not.
    fn has_minus(&self) -> bool {
        self.is_negative() || self.is_negative_zero()
    }

    /// Whether the number is below zero.
    fn is_negative(&self) -> bool {
        match &self.0 {
            Int(int, _) => *int < 0,
            Float(float) => **float < 0.0,
            Big(big, _) => big.is_negative(),
            Infinite { negative } => *negative,
        }
    }

    /// Orders negative infinity, negative numbers, zero, positive numbers and infinity.
    fn rank(&self) -> i8 {
        let distance_from_zero = match &self.0 {
            Int(0, _) => 0,
            Float(float) if **float == 0.0 => 0,
            Infinite { .. } => 2,
            _ => 1,
        };
        if self.is_negative() { -distance_from_zero } else { distance_from_zero }
    }
}

impl Default for Number {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Int(a, _), Int(b, _)) => a.cmp(b),
            (Float(a), Float(b)) => a.cmp(b),
            (Big(a, _), Big(b, _)) => a.cmp(b),
            _ => match (self.to_binary(), other.to_binary()) {
                (Some(a), Some(b)) => a.cmp(&b),
                // At least one is zero or infinite.
                _ => self.rank().cmp(&other.rank()),
            },
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
        match (&self.0, &other.0) {
            (Big(a, _), Big(b, _)) => Arc::ptr_eq(a, b) || a == b,
            (Int(..), Big(..)) | (Big(..), Int(..)) => false,
            _ => self.cmp(other) == Ordering::Equal,
        }
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match (self.as_i64(), &self.0) {
            (Some(int), _) => int.hash(state),
            (None, Big(big, _)) => big.hash(state),
            (None, _) => match self.to_binary() {
                Some(binary) => binary.hash(state),
                None => self.rank().hash(state),
            },
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = match &self.0 {
            Int(int, _) => return int.fmt(f),
            Float(float) if **float == 0.0 => return 0.fmt(f),
            Float(float) => {
                Binary::from_f64(**float).map(|binary| Decimal::from_binary(&binary, Precision::DOUBLE))
            }
            Big(big, precision) => Some(Decimal::from_binary(big, *precision)),
            Infinite { .. } => None,
        };
        let mut text = String::new();
        match digits {
            Some(digits) => digits.write_plain(&mut text),
            None => text.push_str("Infinity"),
        }
        f.pad_integral(!self.is_negative(), "", &text)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for Number {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}
