//! Binary floats with 64 bits of mantissa, which OPA computes with when a number is not whole.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{ToPrimitive, Zero};

// Go's `big.Float` has 64 bits if it is read from a text and no precision is set. OPA reads its numbers so:
// `1 / 3` is 0.33333333333333333334 there, which has more digits than a 64-bit float.
const BITS: u64 = 64;

/// `mantissa` × 2^`exponent`; the highest bit of the mantissa is set unless the float is zero.
#[derive(Clone, Copy)]
pub(super) struct Float {
    is_negative: bool,
    mantissa: u64,
    exponent: i64,
}

impl Float {
    /// The float nearest to `numerator` / `denominator` × 2^`exponent`, ties to even.
    fn nearest(is_negative: bool, numerator: &BigUint, denominator: &BigUint, exponent: i64) -> Self {
        Self::nearest_of(BITS, is_negative, numerator, denominator, exponent)
    }

    /// The nearest float with this many bits.
    fn nearest_of(
        bits: u64,
        is_negative: bool,
        numerator: &BigUint,
        denominator: &BigUint,
        exponent: i64,
    ) -> Self {
        if numerator.is_zero() {
            return Self { is_negative, mantissa: 0, exponent: 0 };
        }
        // Two bits more than needed, and whether anything is left behind them.
        let shift = (BITS + 2 + denominator.bits()).saturating_sub(numerator.bits());
        let shifted = numerator << shift;
        let quotient = &shifted / denominator;
        let is_inexact = !(&shifted - &quotient * denominator).is_zero();
        let mut exponent = exponent - i64::try_from(shift).unwrap_or(i64::MAX);
        let extra = quotient.bits() - bits;
        let mut mantissa = (&quotient >> extra).to_u64().unwrap_or(u64::MAX);
        let lost = &quotient - (BigUint::from(mantissa) << extra);
        exponent += i64::try_from(extra).unwrap_or(i64::MAX);
        let half = BigUint::from(1u8) << (extra - 1);
        // Ties go to even, which is the default of `big.Float`.
        let round_up = lost > half || (lost == half && (is_inexact || mantissa & 1 == 1));
        mantissa <<= BITS - bits;
        exponent -= i64::try_from(BITS - bits).unwrap_or(0);
        if round_up {
            match mantissa.checked_add(1 << (BITS - bits)) {
                Some(next) => mantissa = next,
                None => {
                    // All bits were set, so rounding up gives the next power of two.
                    mantissa = 1 << (BITS - 1);
                    exponent += 1;
                }
            }
        }
        Self { is_negative, mantissa, exponent }
    }

    /// The float nearest to DIGITS × 10^`exponent`.
    pub(super) fn from_decimal(is_negative: bool, digits: &BigUint, exponent: i32) -> Self {
        let power = BigUint::from(10u8).pow(exponent.unsigned_abs());
        let one = BigUint::from(1u8);
        if exponent < 0 {
            Self::nearest(is_negative, digits, &power, 0)
        } else {
            Self::nearest(is_negative, &(digits * power), &one, 0)
        }
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// The integer that is left without the digits behind the point; how the rest compares with a half, if there is a
    /// rest.
    pub(super) fn truncate(self) -> (BigInt, Option<Ordering>) {
        if self.exponent >= 0 {
            return (self.signed(self.exponent.unsigned_abs()), None);
        }
        let behind = self.exponent.unsigned_abs();
        let (whole, rest) = match self.mantissa.checked_shr(u32::try_from(behind).unwrap_or(u32::MAX)) {
            Some(whole) => (whole, self.mantissa & ((1 << behind) - 1)),
            None => (0, self.mantissa),
        };
        // The mantissa is below 2^64. With more than 64 digits behind the point the number is therefore below
        // a half, and the shift on the right would overflow.
        let half = if behind > BITS { Ordering::Less } else { rest.cmp(&(1 << (behind - 1))) };
        let sign = if self.is_negative { Sign::Minus } else { Sign::Plus };
        (BigInt::from_biguint(sign, BigUint::from(whole)), (rest != 0).then_some(half))
    }

    pub(super) fn is_negative(self) -> bool {
        self.is_negative
    }

    fn signed(self, shift: u64) -> BigInt {
        let sign = if self.is_negative { Sign::Minus } else { Sign::Plus };
        BigInt::from_biguint(sign, BigUint::from(self.mantissa) << shift)
    }

    pub(super) fn add(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return match (self.is_zero(), other.is_zero()) {
                // Only the sum of two negative zeros is negative, as in IEEE 754.
                (true, true) => Self { is_negative: self.is_negative && other.is_negative, ..self },
                (true, false) => other,
                _ => self,
            };
        }
        // A number so much smaller cannot change how the larger one rounds.
        let distance = self.exponent - other.exponent;
        if distance > 2 * 64 + 4 {
            return self;
        }
        if distance < -(2 * 64 + 4) {
            return other;
        }
        let exponent = self.exponent.min(other.exponent);
        let shift = |float: Self| u64::try_from(float.exponent - exponent).unwrap_or(0);
        let sum = self.signed(shift(self)) + other.signed(shift(other));
        Self::nearest(sum.sign() == Sign::Minus, sum.magnitude(), &BigUint::from(1u8), exponent)
    }

    pub(super) fn negate(self) -> Self {
        Self { is_negative: !self.is_negative, ..self }
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        let product = BigUint::from(self.mantissa) * BigUint::from(other.mantissa);
        let exponent = self.exponent + other.exponent;
        Self::nearest(self.is_negative != other.is_negative, &product, &BigUint::from(1u8), exponent)
    }

    /// The product with 53 bits of mantissa.
    pub(super) fn multiply_short(self, other: Self) -> Self {
        let product = BigUint::from(self.mantissa) * BigUint::from(other.mantissa);
        let is_negative = self.is_negative != other.is_negative;
        Self::nearest_of(53, is_negative, &product, &BigUint::from(1u8), self.exponent + other.exponent)
    }

    /// The float as one of 53 bits, if it is one and not too large or small.
    pub(super) fn to_f64(self) -> Option<f64> {
        // The upper 53 bits remain. Within these bounds of the exponent neither the power nor the
        // product is infinite or subnormal, so both are exact.
        let exponent = i32::try_from(self.exponent + 11).ok().filter(|exponent| exponent.abs() < 900)?;
        let short = self.mantissa >> 11;
        #[allow(clippy::cast_precision_loss)]
        let value = (short as f64) * 2f64.powi(exponent);
        (short << 11 == self.mantissa).then_some(if self.is_negative { -value } else { value })
    }

    /// The quotient; `other` is not zero.
    pub(super) fn divide(self, other: Self) -> Self {
        let exponent = self.exponent - other.exponent;
        let is_negative = self.is_negative != other.is_negative;
        Self::nearest(is_negative, &BigUint::from(self.mantissa), &BigUint::from(other.mantissa), exponent)
    }

    /// The shortest decimal that is nearest to this float among all floats.
    pub(super) fn shortest(self) -> (bool, Digits) {
        if self.is_zero() {
            return (self.is_negative, Digits { digits: Vec::new(), point: 0 });
        }
        // Doubled, so that the middle between this float and each neighbour is a whole number: all decimals
        // between both middles read back as this float.
        let double = BigUint::from(self.mantissa) << 1u8;
        let exact = Digits::new(&double, self.exponent - 1);
        let lower = Digits::new(&(&double - 1u8), self.exponent - 1);
        let upper = Digits::new(&(&double + 1u8), self.exponent - 1);
        (self.is_negative, exact.shorten(&lower, &upper, self.mantissa & 1 == 0))
    }
}

/// 0.DIGITS × 10^`point`, without zeros at the end.
pub(super) struct Digits {
    pub(super) digits: Vec<u8>,
    pub(super) point: i64,
}

impl Digits {
    /// `mantissa` × 2^`exponent`, exactly.
    fn new(mantissa: &BigUint, exponent: i64) -> Self {
        let power = u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX);
        let (whole, behind) = if exponent < 0 {
            (mantissa * BigUint::from(5u8).pow(power), i64::from(power))
        } else {
            (mantissa << power, 0)
        };
        let mut digits = whole.to_string().into_bytes();
        let point = i64::try_from(digits.len()).unwrap_or(i64::MAX) - behind;
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        Self { digits, point }
    }

    fn at(&self, index: usize) -> u8 {
        self.digits.get(index).copied().unwrap_or(b'0')
    }

    /// Cuts the digits at the first one where the rest is within the bounds.
    fn shorten(mut self, lower: &Self, upper: &Self, is_inclusive: bool) -> Self {
        for i in 0..self.digits.len() {
            let (digit, low, high) = (self.at(i), lower.at(i), upper.at(i));
            let may_truncate = low != digit || (is_inclusive && i + 1 == lower.digits.len());
            let may_round_up =
                digit != high && (is_inclusive || digit + 1 < high || i + 1 < upper.digits.len());
            let rounds_up = self.at(i + 1) > b'5'
                || (self.at(i + 1) == b'5' && (i + 2 < self.digits.len() || digit & 1 == 1));
            match (may_truncate, may_round_up) {
                (true, true) if rounds_up => self.round_up(i + 1),
                (true, _) => self.truncate(i + 1),
                (false, true) => self.round_up(i + 1),
                (false, false) => continue,
            }
            break;
        }
        self
    }

    fn truncate(&mut self, len: usize) {
        self.digits.truncate(len);
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
    }

    fn round_up(&mut self, len: usize) {
        if len >= self.digits.len() {
            return;
        }
        self.digits.truncate(len);
        while self.digits.last() == Some(&b'9') {
            self.digits.pop();
        }
        match self.digits.last_mut() {
            Some(digit) => *digit += 1,
            None => {
                self.digits.push(b'1');
                self.point += 1;
            }
        }
    }

    /// In Go's `%g` form with as many digits as there are: an exponent below 10^-4 and from 10^`limit` on.
    pub(super) fn general(&self, is_negative: bool, limit: i64) -> String {
        let mut out = String::new();
        if is_negative {
            out.push('-');
        }
        if self.digits.is_empty() {
            out.push('0');
            return out;
        }
        let text = String::from_utf8_lossy(&self.digits);
        let exponent = self.point - 1;
        if exponent < -4 || exponent >= limit {
            out.push_str(&text[..1]);
            if text.len() > 1 {
                out.push('.');
                out.push_str(&text[1..]);
            }
            out.push('e');
            out.push(if exponent < 0 { '-' } else { '+' });
            // Go writes at least two digits of an exponent: `2e-05`.
            out.push_str(&format!("{:02}", exponent.abs()));
            return out;
        }
        let point = usize::try_from(self.point.max(0)).unwrap_or(0);
        if self.point <= 0 {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', usize::try_from(-self.point).unwrap_or(0)));
            out.push_str(&text);
        } else if point >= text.len() {
            out.push_str(&text);
            out.extend(std::iter::repeat_n('0', point - text.len()));
        } else {
            out.push_str(&text[..point]);
            out.push('.');
            out.push_str(&text[point..]);
        }
        out
    }
}

/// The digits of a number in JSON's form.
pub(super) fn shortest_f64(text: &str) -> (bool, Digits) {
    match super::number::Parts::new(text) {
        Some(parts) => (parts.is_negative, Digits { digits: parts.digits, point: parts.point }),
        None => (false, Digits { digits: Vec::new(), point: 0 }),
    }
}

/// A float as Go's JSON encoder writes it: an exponent below 10^-6 and from 10^21 on.
pub(super) fn format_f64(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        let text = format!("{value:e}");
        return match text.split_once('e') {
            Some((mantissa, exponent)) if !exponent.starts_with('-') => format!("{mantissa}e+{exponent}"),
            _ => text,
        };
    }
    format!("{value}")
}
