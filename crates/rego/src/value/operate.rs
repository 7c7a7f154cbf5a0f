//! Arithmetic: exact between whole numbers, with 64 bits of mantissa otherwise, as OPA computes.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{Signed, Zero};

use super::Number;
use super::float::{Digits, Float};

/// Numbers with more digits are not computed with: each operation could double their length.
// Twenty squarings would make a number a million times as long.
const MAX_DIGITS: i64 = 20_000;

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArithmeticError {
    /// The divisor is zero.
    #[error("divide by zero")]
    DivideByZero,
    /// The divisor is zero.
    #[error("modulo by zero")]
    ModuloByZero,
    /// The remainder of a number that is not whole.
    #[error("modulo on floating-point number")]
    ModuloOnFloat,
    /// The number or the result has too many digits.
    #[error("number has more than 20000 digits")]
    TooLarge,
}

impl ArithmeticError {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::DivideByZero | Self::ModuloByZero => "by_zero",
            Self::ModuloOnFloat => "not_whole",
            Self::TooLarge => "too_large",
        }
    }
}

enum Operand {
    Int(BigInt),
    Float(Float),
}

impl Number {
    /// The number as an integer, if it is whole.
    ///
    /// # Errors
    ///
    /// It has too many digits.
    pub fn to_bigint(&self) -> Result<Option<BigInt>, ArithmeticError> {
        if let Some(value) = self.as_i64() {
            return Ok(Some(BigInt::from(value)));
        }
        match self.operand()? {
            Operand::Int(value) => Ok(Some(value)),
            Operand::Float(_) => Ok(None),
        }
    }

    fn operand(&self) -> Result<Operand, ArithmeticError> {
        if let Some(value) = self.as_i64() {
            return Ok(Operand::Int(BigInt::from(value)));
        }
        let parts = self.parts();
        let len = i64::try_from(parts.digits.len()).unwrap_or(i64::MAX);
        // Before any digit is written out: `1e9999999999` as an integer takes 4 GB.
        if parts.point > MAX_DIGITS || len - parts.point > MAX_DIGITS {
            return Err(ArithmeticError::TooLarge);
        }
        let digits = BigUint::parse_bytes(&parts.digits, 10).unwrap_or_default();
        let exponent = i32::try_from(parts.point - len).unwrap_or(i32::MAX);
        if parts.is_whole() {
            let sign = if parts.is_negative { Sign::Minus } else { Sign::Plus };
            let whole = digits * BigUint::from(10u8).pow(exponent.unsigned_abs());
            return Ok(Operand::Int(BigInt::from_biguint(sign, whole)));
        }
        Ok(Operand::Float(Float::from_decimal(parts.is_negative, &digits, exponent)))
    }

    /// The sum.
    ///
    /// # Errors
    ///
    /// A number has too many digits.
    pub fn add(&self, other: &Self) -> Result<Self, ArithmeticError> {
        if let (Some(a), Some(b)) = (self.as_i64(), other.as_i64())
            && let Some(sum) = a.checked_add(b)
        {
            return Ok(Self::from(sum));
        }
        match (self.operand()?, other.operand()?) {
            (Operand::Int(a), Operand::Int(b)) => from_int(&(a + b)),
            (a, b) => from_float(a.to_float().add(b.to_float())),
        }
    }

    /// The difference.
    ///
    /// # Errors
    ///
    /// A number has too many digits.
    pub fn subtract(&self, other: &Self) -> Result<Self, ArithmeticError> {
        if let (Some(a), Some(b)) = (self.as_i64(), other.as_i64())
            && let Some(difference) = a.checked_sub(b)
        {
            return Ok(Self::from(difference));
        }
        match (self.operand()?, other.operand()?) {
            (Operand::Int(a), Operand::Int(b)) => from_int(&(a - b)),
            (a, b) => from_float(a.to_float().add(b.to_float().negate())),
        }
    }

    /// The product.
    ///
    /// # Errors
    ///
    /// A number has too many digits.
    pub fn multiply(&self, other: &Self) -> Result<Self, ArithmeticError> {
        if let (Some(a), Some(b)) = (self.as_i64(), other.as_i64())
            && let Some(product) = a.checked_mul(b)
        {
            return Ok(Self::from(product));
        }
        match (self.operand()?, other.operand()?) {
            (Operand::Int(a), Operand::Int(b)) => from_int(&(a * b)),
            (a, b) => from_float(a.to_float().multiply(b.to_float())),
        }
    }

    /// The sum of all.
    ///
    /// # Errors
    ///
    /// A number has too many digits.
    pub fn sum(numbers: &[&Self]) -> Result<Self, ArithmeticError> {
        if numbers.iter().all(|number| number.is_whole()) {
            let zero = Self::from(0_i64);
            return numbers.iter().try_fold(zero, |sum, number| sum.add(number));
        }
        // One number that is not whole makes all of them floats: OPA 1.20 sums 18446744073709551617,
        // -18446744073709551616 and 0.5 to 0.5.
        let mut sum = Self::from(0_i64).operand()?.to_float();
        for number in numbers {
            sum = sum.add(number.operand()?.to_float());
        }
        from_float(sum)
    }

    /// The product of all: with 53 bits of mantissa unless all are whole.
    ///
    /// # Errors
    ///
    /// A number has too many digits.
    pub fn product(numbers: &[&Self]) -> Result<Self, ArithmeticError> {
        let one = Self::from(1_i64);
        if numbers.iter().all(|number| number.is_whole()) {
            return numbers.iter().try_fold(one, |product, number| product.multiply(number));
        }
        // OPA 1.20 rounds each product here to the 53 bits of a 64-bit float, unlike `*`: there
        // `product([1.5, 9007199254740993])` is 13510798882111490, and `1.5 * 9007199254740993` is
        // 1.35107988821114895e+16.
        let mut product = one.operand()?.to_float();
        for number in numbers {
            product = product.multiply_short(number.operand()?.to_float());
        }
        match product.to_f64().and_then(Self::from_f64) {
            Some(short) => {
                let (is_negative, digits) = super::float::shortest_f64(&short.to_string());
                from_digits(is_negative, &digits)
            }
            None => from_float(product),
        }
    }

    /// The quotient.
    ///
    /// # Errors
    ///
    /// The divisor is zero, or a number has too many digits.
    pub fn divide(&self, other: &Self) -> Result<Self, ArithmeticError> {
        if let (Some(a), Some(b)) = (self.as_i64(), other.as_i64())
            && b != 0
            // `None` for `i64::MIN / -1`, whose quotient is no `i64`; the general case below handles it.
            && a.checked_rem(b) == Some(0)
        {
            return Ok(Self::from(a / b));
        }
        match (self.operand()?, other.operand()?) {
            // `0.0` is an integer as well, so a `Float` operand is never zero.
            (_, Operand::Int(b)) if b.is_zero() => Err(ArithmeticError::DivideByZero),
            (a, b) => from_float(a.to_float().divide(b.to_float())),
        }
    }

    /// The remainder, which has the sign of the dividend.
    ///
    /// # Errors
    ///
    /// The divisor is zero, a number is not whole or has too many digits.
    pub fn remainder(&self, other: &Self) -> Result<Self, ArithmeticError> {
        match (self.to_bigint()?, other.to_bigint()?) {
            (Some(_), Some(b)) if b.is_zero() => Err(ArithmeticError::ModuloByZero),
            // Truncated division, as in OPA 1.20: `-7 % 3` is -1.
            (Some(a), Some(b)) => from_int(&(a % b)),
            _ => Err(ArithmeticError::ModuloOnFloat),
        }
    }
}

impl Operand {
    fn to_float(&self) -> Float {
        match self {
            Self::Int(value) => Float::from_decimal(value.is_negative(), value.magnitude(), 0),
            Self::Float(float) => *float,
        }
    }
}

fn from_int(value: &BigInt) -> Result<Number, ArithmeticError> {
    // A digit has log2(10) bits, which is more than 3.
    if value.bits() > 4 * MAX_DIGITS.unsigned_abs() {
        return Err(ArithmeticError::TooLarge);
    }
    Ok(Number::from_bigint(value))
}

/// A float in the shortest form; a whole one with all its digits.
fn from_float(float: Float) -> Result<Number, ArithmeticError> {
    let (is_negative, digits) = float.shortest();
    from_digits(is_negative, &digits)
}

fn from_digits(is_negative: bool, digits: &Digits) -> Result<Number, ArithmeticError> {
    if digits.point.abs() > MAX_DIGITS {
        return Err(ArithmeticError::TooLarge);
    }
    let is_whole = digits.point >= i64::try_from(digits.digits.len()).unwrap_or(i64::MAX);
    // OPA 1.20 prints 123456 + 0.5 as `123456.5` and 1234567 + 0.5 as `1.2345675e+06`, but 1e20 + 1 with all
    // its digits.
    let text = digits.general(is_negative, if is_whole { MAX_DIGITS + 1 } else { 6 });
    Number::parse(&text).ok_or(ArithmeticError::TooLarge)
}

impl Number {
    /// The value without its sign.
    ///
    /// # Errors
    ///
    /// It has too many digits.
    pub fn abs(&self) -> Result<Self, ArithmeticError> {
        match self.as_i64().and_then(i64::checked_abs) {
            Some(value) => Ok(Self::from(value)),
            None => {
                let float = self.operand()?.to_float();
                // Always by way of a float: OPA 1.20 prints `abs(-1.50)` as `1.5`.
                from_float(if float.is_negative() { float.negate() } else { float })
            }
        }
    }

    /// The integer that is left without the digits behind the point.
    ///
    /// # Errors
    ///
    /// It has too many digits.
    pub fn truncate(&self) -> Result<BigInt, ArithmeticError> {
        if let Some(value) = self.as_i64() {
            return Ok(BigInt::from(value));
        }
        let parts = self.parts();
        if parts.is_whole() {
            return Ok(self.to_bigint()?.unwrap_or_default());
        }
        let len = usize::try_from(parts.point.max(0)).unwrap_or(0);
        let digits =
            BigUint::parse_bytes(&parts.digits[..len.min(parts.digits.len())], 10).unwrap_or_default();
        Ok(BigInt::from_biguint(if parts.is_negative { Sign::Minus } else { Sign::Plus }, digits))
    }

    /// The greatest integer that is not greater; 0 for numbers between -1 and 0, as in OPA.
    ///
    /// # Errors
    ///
    /// It has too many digits.
    pub fn floor(&self) -> Result<Self, ArithmeticError> {
        // OPA decides by the sign of the integer part, so that -0.5 becomes 0.
        self.round_by(|whole, _, _| -i32::from(whole.is_negative()))
    }

    /// The least integer that is not less; 1 for numbers between -1 and 0, as in OPA.
    ///
    /// # Errors
    ///
    /// It has too many digits.
    pub fn ceil(&self) -> Result<Self, ArithmeticError> {
        // As above: -0.5 becomes 1.
        self.round_by(|whole, _, _| i32::from(!whole.is_negative()))
    }

    /// The nearest integer; halves are rounded away from zero.
    ///
    /// # Errors
    ///
    /// It has too many digits.
    pub fn round(&self) -> Result<Self, ArithmeticError> {
        self.round_by(|_, half, away| if half == Ordering::Less { 0 } else { away })
    }

    /// Rounds the number, after rounding it to 64 bits, to an adjacent integer. `step` returns the
    /// difference to the integer nearer to zero. It gets that integer, the comparison of the fraction with
    /// a half, and the step away from zero.
    fn round_by(&self, step: impl Fn(&BigInt, Ordering, i32) -> i32) -> Result<Self, ArithmeticError> {
        if let Some(value) = self.as_i64() {
            return Ok(Self::from(value));
        }
        let float = self.operand()?.to_float();
        let (whole, half) = float.truncate();
        let away = if float.is_negative() { -1 } else { 1 };
        let step = half.map_or(0, |half| step(&whole, half, away));
        from_int(&(whole + step))
    }

    /// The number of integers of 10^-10 nearest to it.
    fn round_exactly(&self) -> Result<BigInt, ArithmeticError> {
        // Twice the number in steps of 10^-10: adding one and halving rounds halves away from zero without a
        // float.
        let scaled = self.multiply_exactly(&BigInt::from(20_000_000_000_i64))?.truncate()?;
        let away = if scaled.is_negative() { -1 } else { 1 };
        Ok((scaled + away) / 2)
    }

    /// The product with an integer, without rounding.
    ///
    /// # Errors
    ///
    /// A number has too many digits.
    pub(crate) fn multiply_exactly(&self, factor: &BigInt) -> Result<Self, ArithmeticError> {
        let parts = self.parts();
        let len = i64::try_from(parts.digits.len()).unwrap_or(i64::MAX);
        if parts.point.abs() > MAX_DIGITS || len > MAX_DIGITS {
            return Err(ArithmeticError::TooLarge);
        }
        let digits = BigInt::parse_bytes(&parts.digits, 10).unwrap_or_default() * factor;
        let sign = if parts.is_negative { "-" } else { "" };
        Self::parse(&format!("{sign}{digits}e{}", parts.point - len)).ok_or(ArithmeticError::TooLarge)
    }

    /// The number, written with ten digits behind the point unless it is whole.
    ///
    /// # Errors
    ///
    /// It has too many digits.
    // `units.parse("1.5")` of OPA 1.20 prints as `1.5000000000`, and `units.parse("2")` as `2`.
    pub(crate) fn with_ten_decimals(&self) -> Result<Self, ArithmeticError> {
        if let Some(whole) = self.to_bigint()? {
            return from_int(&whole);
        }
        let scaled = self.round_exactly()?;
        let sign = if scaled.is_negative() { "-" } else { "" };
        let digits = format!("{:0>11}", scaled.magnitude().to_string());
        let (whole, fraction) = digits.split_at(digits.len() - 10);
        Self::parse(&format!("{sign}{whole}.{fraction}")).ok_or(ArithmeticError::TooLarge)
    }
}
