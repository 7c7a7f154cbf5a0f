//! Powers and logarithms, of doubles.

use super::elementary::{exp, ln};
use super::{ArithmeticError, Number};

impl Number {
    /// The number to the power of another, as doubles: exactly the double that results, infinities included.
    ///
    /// Terraform computes powers in doubles, and with it this does: the result is Terraform's to the last bit.
    ///
    /// # Errors
    ///
    /// A negative number has no power that is not an integer. A finite number beyond all doubles is out of
    /// range.
    ///
    /// ```
    /// use objchange::value::{ArithmeticError, Number};
    ///
    /// assert_eq!(Number::from(99).try_pow(&Number::from(3)), Ok(Number::from(970_299)));
    /// assert_eq!(Number::from(10).try_pow(&Number::from(1_000_000)), Ok(Number::infinity()));
    /// assert_eq!(Number::from(-8).try_pow(&Number::parse("0.5")?), Err(ArithmeticError::Undefined));
    /// # Ok::<(), objchange::value::ParseNumberError>(())
    /// ```
    pub fn try_pow(&self, exponent: &Self) -> Result<Self, ArithmeticError> {
        let power = power(self.to_double()?, exponent.to_double()?);
        Self::from_f64(power).ok_or(ArithmeticError::Undefined)
    }

    /// The logarithm in a base, as doubles: the quotient of the natural logarithms.
    ///
    /// # Errors
    ///
    /// A negative number has none. A finite number beyond all doubles is out of range.
    ///
    /// ```
    /// use objchange::value::{ArithmeticError, Number};
    ///
    /// assert_eq!(Number::from(16).try_log(&Number::from(2)), Ok(Number::from(4)));
    /// assert_eq!(Number::from(-1).try_log(&Number::from(2)), Err(ArithmeticError::Undefined));
    /// ```
    pub fn try_log(&self, base: &Self) -> Result<Self, ArithmeticError> {
        let log = ln(self.to_double()?) / ln(base.to_double()?);
        Self::from_f64(log).ok_or(ArithmeticError::Undefined)
    }

    /// The nearest double; none where only that is infinite.
    fn to_double(&self) -> Result<f64, ArithmeticError> {
        let double = self.to_f64();
        if double.is_infinite() && self.is_finite() { Err(ArithmeticError::OutOfRange) } else { Ok(double) }
    }
}

/// As Go computes it: the integer part of the exponent by squaring, which rounds otherwise than `powf`.
fn power(base: f64, exponent: f64) -> f64 {
    let special = base == 0.0 || base == 1.0 || exponent == 0.0 || exponent == 1.0;
    let mut whole = exponent.abs().trunc();
    let mut fraction = exponent.abs().fract();
    // Such large exponents leave nothing but 0, 1 and infinity.
    if special || !base.is_finite() || whole >= 2_f64.powi(63) || base < 0.0 && fraction != 0.0 {
        return base.powf(exponent);
    }
    if fraction == 0.5 && whole == 0.0 {
        return if exponent < 0.0 { 1.0 / base.sqrt() } else { base.sqrt() };
    }
    let (mut result, mut result_exponent) = (1.0, 0_i64);
    if fraction != 0.0 {
        if fraction > 0.5 {
            fraction -= 1.0;
            whole += 1.0;
        }
        result = exp(fraction * ln(base));
    }
    let (mut square, mut square_exponent) = split(base);
    let mut rest = whole as u64;
    while rest != 0 {
        if square_exponent.abs() > MAX_SQUARE_EXPONENT {
            result_exponent += square_exponent;
            break;
        }
        if rest & 1 == 1 {
            result *= square;
            result_exponent += square_exponent;
        }
        square *= square;
        square_exponent *= 2;
        if square < 0.5 {
            square += square;
            square_exponent -= 1;
        }
        rest >>= 1;
    }
    if exponent < 0.0 {
        (result, result_exponent) = (1.0 / result, -result_exponent);
    }
    let (mantissa, more) = split(result);
    scaled(mantissa, result_exponent + more)
}

/// From here on the result overflows, or is zero.
const MAX_SQUARE_EXPONENT: i64 = 1 << 12;

/// A finite number other than zero as mantissa × 2^exponent, the mantissa from 0.5 to below 1.
pub(super) fn split(number: f64) -> (f64, i64) {
    if number.is_subnormal() {
        let (mantissa, exponent) = split(number * 2_f64.powi(64));
        return (mantissa, exponent - 64);
    }
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent)
}

/// mantissa × 2^exponent, rounded once.
fn scaled(mantissa: f64, exponent: i64) -> f64 {
    // Beyond these all is zero or infinite.
    let exponent = exponent.clamp(-1200, 1200) as i32;
    match exponent {
        // Only the last factor makes it subnormal, so that only it rounds.
        ..-1000 => mantissa * 2_f64.powi(-1000) * 2_f64.powi(exponent + 1000),
        -1000..=1000 => mantissa * 2_f64.powi(exponent),
        _ => mantissa * 2_f64.powi(1000) * 2_f64.powi(exponent - 1000),
    }
}
