//! The decimal digits of a number.

use std::cmp::Ordering;
use std::f64::consts::{LOG2_10, LOG10_2};

use num_bigint::BigUint;
use num_integer::Integer;

use super::binary::{Binary, Precision};

/// A decimal fraction: 0.digits × 10^point.
pub(super) struct Decimal {
    /// In ASCII, at least one; the first and the last are not zero.
    digits: Vec<u8>,
    point: i32,
}

/// As many digits as always fit a `u64`.
const MAX_SHORT_DIGITS: usize = 19;

impl Decimal {
    /// The magnitude of a number in at most `count` digits, rounded half to even.
    pub(super) fn rounded(number: &Binary, count: usize) -> Self {
        let scale = scale_to(count as i32 + 1, number.exponent());
        let magnitude = number.leading_bits(Binary::PRECISION);
        let exponent = number.exponent() - Binary::PRECISION as i32;
        let (scaled, inexact) = scaled(&magnitude, exponent, scale);
        let digits = scaled.to_string().into_bytes();
        let point = digits.len() as i32 - scale;
        let round_up = is_nearer_above(&digits, count, inexact);
        Self::cut(digits, point, count, round_up)
    }

    /// The magnitude of a number in the fewest digits that identify it in its precision.
    pub(super) fn from_binary(number: &Binary, precision: Precision) -> Self {
        if precision < Precision::MAX {
            return Self::shortest(number, precision.bits());
        }
        // Most numbers are short. No other decimal as short is as near, so this is the one.
        let short = Self::rounded(number, MAX_SHORT_DIGITS);
        if short.is(number) { short } else { Self::shortest(number, precision.bits()) }
    }

    /// The magnitude of a number in the fewest digits that identify it among numbers of `precision` bits.
    ///
    /// These are the first digits of the exact decimal, the last of them rounded to the nearest if both ways
    /// lead to a decimal within half a unit of the last bit, or the one way that does. The bounds themselves
    /// are within if reading rounds them to this number, that is, if its last bit is zero.
    ///
    /// As in Go, the lower bound of a power of two is half a unit of its own last bit away, although the
    /// numbers below are twice as dense.
    fn shortest(number: &Binary, precision: u32) -> Self {
        // In units of half the last bit.
        let magnitude = number.leading_bits(precision) << 1_u32;
        let exponent = number.exponent() - precision as i32 - 1;
        let bounds_included = !magnitude.bit(1);

        // Enough digits that one unit of the last one is less than half of the last bit.
        let scale = scale_to((f64::from(precision) * LOG10_2) as i32 + 3, number.exponent());
        let (lower, lower_inexact) = scaled(&(&magnitude - 1_u32), exponent, scale);
        let (upper, upper_inexact) = scaled(&(&magnitude + 1_u32), exponent, scale);
        let (digits, inexact) = scaled(&magnitude, exponent, scale);

        // Equal lengths, so that a position means the same in all three.
        let upper = upper.to_string().into_bytes();
        let width = upper.len();
        let digits = format!("{digits:0>width$}").into_bytes();
        let lower = format!("{lower:0>width$}").into_bytes();

        // Cutting off is right after the first digit that differs from the lower bound, or at its very end.
        let mut down = first_difference(&digits, &lower);
        if bounds_included && !lower_inexact {
            down = down.min(significant(&lower) - 1);
        }
        // Rounding up is right after the first digit that differs from the upper bound,
        // unless that leads to the bound itself and this is excluded.
        let mut up = first_difference(&digits, &upper);
        let at_bound = !upper_inexact && significant(&upper) <= up + 1;
        if at_bound && !bounds_included && digits.get(up).map(|digit| digit + 1) == upper.get(up).copied() {
            up = width;
        }

        let count = down.min(up) + 1;
        let round_up = if down == up { is_nearer_above(&digits, count, inexact) } else { up < down };
        Self::cut(digits, width as i32 - scale, count, round_up)
    }

    /// The first `count` digits, the last rounded up if `round_up` is set.
    fn cut(mut digits: Vec<u8>, mut point: i32, count: usize, round_up: bool) -> Self {
        digits.truncate(count);
        if round_up {
            while digits.pop_if(|digit| *digit == b'9').is_some() {}
            match digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    digits.push(b'1');
                    point += 1;
                }
            }
        }
        digits.truncate(significant(&digits));
        let leading_zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..leading_zeros);
        Self { digits, point: point - leading_zeros as i32 }
    }

    /// Whether these digits identify the number. They must be few enough for a `u64`.
    fn is(&self, number: &Binary) -> bool {
        let coefficient = self.digits.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        let exponent = self.point - self.digits.len() as i32;
        to_binary(number.is_negative(), &coefficient.into(), exponent, 0).as_ref() == Some(number)
    }

    /// The digits, and the power of ten.
    pub(super) fn into_digits(self) -> (String, i32) {
        (self.digits.into_iter().map(char::from).collect(), self.point)
    }

    /// Appends the number without an exponent.
    pub(super) fn write_plain(&self, out: &mut String) {
        let zeros = |count: usize| std::iter::repeat_n('0', count);
        let digits = self.digits.iter().copied().map(char::from);
        match usize::try_from(self.point) {
            Err(_) | Ok(0) => {
                out.push_str("0.");
                out.extend(zeros(self.point.unsigned_abs() as usize).chain(digits));
            }
            Ok(point) if point < self.digits.len() => {
                out.extend(digits.clone().take(point));
                out.push('.');
                out.extend(digits.skip(point));
            }
            Ok(point) => out.extend(digits.chain(zeros(point - self.digits.len()))),
        }
    }

    /// Appends the number in the form of C's `%g` with `count` digits.
    pub(super) fn write_general(self, count: i32, out: &mut String) {
        let exponent = self.point - 1;
        if (-4..count).contains(&exponent) {
            self.write_plain(out);
        } else {
            Self { point: 1, ..self }.write_plain(out);
            let sign = if exponent < 0 { '-' } else { '+' };
            out.extend(['e', sign]);
            let exponent = exponent.unsigned_abs();
            if exponent < 10 {
                out.push('0');
            }
            out.push_str(&exponent.to_string());
        }
    }
}

/// Returns ±coefficient × 10^exponent × 2^binary exponent, correctly rounded, or `None` for zero.
pub(super) fn to_binary(
    negative: bool,
    coefficient: &BigUint,
    exponent: i32,
    binary_exponent: i32,
) -> Option<Binary> {
    // So that the integer part has a bit more than the precision, at least.
    let bits = coefficient.bits() as i32 + (f64::from(exponent) * LOG2_10).floor() as i32;
    let shift = Binary::PRECISION as i32 + 3 - bits;
    let (magnitude, inexact) = scaled(coefficient, shift, exponent);
    Binary::rounded(negative, &magnitude, inexact, binary_exponent - shift, Precision::MAX)
}

/// The power of ten that gives a number from 2^(exponent-1) to 2^exponent an integer part of `count`
/// digits, or one more.
fn scale_to(count: i32, exponent: i32) -> i32 {
    count - 1 - (f64::from(exponent - 1) * LOG10_2).floor() as i32
}

/// The integer part of magnitude × 2^exponent × 10^scale, and whether there is more to it.
fn scaled(magnitude: &BigUint, exponent: i32, scale: i32) -> (BigUint, bool) {
    let power = BigUint::from(5_u32).pow(scale.unsigned_abs());
    let shift = exponent + scale;
    let (up, down) = (shift.max(0) as u64, shift.min(0).unsigned_abs().into());
    if scale >= 0 {
        let product = (magnitude * power) << up;
        let inexact = product.trailing_zeros() < Some(down);
        (product >> down, inexact)
    } else {
        let (quotient, remainder) = (magnitude << up).div_rem(&(power << down));
        (quotient, remainder != BigUint::ZERO)
    }
}

/// The first position in which two texts of one length differ.
fn first_difference(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len())
}

/// The number of digits without the zeros at the end.
fn significant(digits: &[u8]) -> usize {
    digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1)
}

/// Whether rounding up after `count` digits is nearer, or as near and even.
fn is_nearer_above(digits: &[u8], count: usize, inexact: bool) -> bool {
    let Some((&next, rest)) = digits.get(count..).and_then(<[u8]>::split_first) else {
        return false;
    };
    let above_half = inexact || significant(rest) > 0;
    match next.cmp(&b'5') {
        Ordering::Less => false,
        Ordering::Equal => above_half || digits[count - 1] % 2 == 1,
        Ordering::Greater => true,
    }
}
