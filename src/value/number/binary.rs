//! Numbers other than zero as sign, exponent and 512 bits of mantissa.

use std::cmp::Ordering;

use num_bigint::BigUint;

/// A finite number other than zero: ±0.mantissa × 2^exponent, the mantissa in binary.
///
/// Every such number has one form, so that equality and hash are those of the fields.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Binary {
    negative: bool,
    exponent: i32,
    /// Most significant word first; the highest bit is set.
    mantissa: [u64; WORDS],
}

const WORDS: usize = 8;

/// The number of bits of the mantissa. It is not a part of the value: it is the precision of results, and
/// of printing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Precision(u16);

impl Precision {
    /// The precision of a double.
    pub(super) const DOUBLE: Self = Self(f64::MANTISSA_DIGITS as u16);
    /// The precision of integers that the program made.
    pub(super) const INTEGER: Self = Self(u64::BITS as u16);
    /// The precision of numbers from text; no number has more.
    pub(super) const MAX: Self = Self(Binary::PRECISION as u16);
    /// The precision of results of arithmetic, as many bits as [`Self::MAX`]. Only
    /// [`Number::has_form_of_text`](super::Number::has_form_of_text) tells the two apart.
    pub(super) const COMPUTED: Self = Self(Binary::PRECISION as u16 + 1);

    pub(super) fn bits(self) -> u32 {
        self.min(Self::MAX).0.into()
    }

    /// That of a result of arithmetic with numbers of this precision.
    pub(super) fn of_result(self) -> Self {
        if self >= Self::MAX { Self::COMPUTED } else { self }
    }

    /// That of a number that is made anew.
    pub(super) fn made_anew(self) -> Self {
        self.min(Self::MAX)
    }
}

impl Binary {
    /// The number of bits in the mantissa.
    pub(super) const PRECISION: u32 = WORDS as u32 * u64::BITS;

    /// Returns ±magnitude, or `None` for zero.
    pub(super) fn from_u128(negative: bool, magnitude: u128) -> Option<Self> {
        if magnitude == 0 {
            return None;
        }
        let shift = magnitude.leading_zeros();
        let aligned = magnitude << shift;
        let mut mantissa = [0; WORDS];
        mantissa[0] = (aligned >> u64::BITS) as u64;
        mantissa[1] = aligned as u64;
        Some(Self { negative, exponent: (u128::BITS - shift) as i32, mantissa })
    }

    /// Returns exactly this double, or `None` for zero, infinities and NaN.
    pub(super) fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let bits = value.abs().to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        let (significand, exponent) = match (bits >> FRACTION_BITS) as i32 {
            0 => (fraction, MIN_DOUBLE_EXPONENT),
            biased => (fraction | 1 << FRACTION_BITS, MIN_DOUBLE_EXPONENT + biased - 1),
        };
        let mut binary = Self::from_u128(value < 0.0, significand.into())?;
        binary.exponent += exponent;
        Some(binary)
    }

    /// Returns ±magnitude × 2^exponent rounded to the precision, ties to even, or `None` for zero.
    ///
    /// With `inexact` the true magnitude is greater by less than one. It must then have more bits than the
    /// precision, so that the missing part is below half of the last bit kept.
    pub(super) fn rounded(
        negative: bool,
        magnitude: &BigUint,
        inexact: bool,
        exponent: i32,
        precision: Precision,
    ) -> Option<Self> {
        let precision = u64::from(precision.bits());
        let bits = magnitude.bits();
        let mut exponent = exponent + bits as i32;
        let mut kept = if bits > precision {
            let cut = bits - precision;
            let half = magnitude.bit(cut - 1);
            let above = inexact || magnitude.trailing_zeros() < Some(cut - 1);
            let kept = magnitude >> cut;
            if half && (above || kept.bit(0)) { kept + 1_u32 } else { kept }
        } else {
            magnitude << (precision - bits)
        };
        if kept.bits() > precision {
            kept >>= 1;
            exponent += 1;
        }
        kept <<= u64::from(Self::PRECISION) - precision;
        let mut mantissa = [0; WORDS];
        for (word, digit) in mantissa.iter_mut().zip(kept.iter_u64_digits().rev()) {
            *word = digit;
        }
        (bits > 0).then_some(Self { negative, exponent, mantissa })
    }

    pub(super) fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// The exponent of the least power of two above the magnitude.
    pub(super) fn exponent(&self) -> i32 {
        self.exponent
    }

    /// The mantissa as an integer of as many bits as the precision; all but these first bits are cut off.
    pub(super) fn leading_bits(&self, precision: u32) -> BigUint {
        let digits = self.mantissa.iter().rev().flat_map(|&word| [word as u32, (word >> u32::BITS) as u32]);
        BigUint::new(digits.collect()) >> (Self::PRECISION - precision)
    }

    /// The bits up to the last that is set: the least precision that holds the number.
    pub(super) fn least_precision(&self) -> Precision {
        let last = self.mantissa.iter().rposition(|&word| word != 0).unwrap_or(0);
        Precision(((last as u32 + 1) * u64::BITS - self.mantissa[last].trailing_zeros()) as u16)
    }

    /// The bits of an integer, including zeros at its end.
    pub(super) fn integer_precision(&self) -> Precision {
        Precision(self.exponent.clamp(1, Self::PRECISION as i32) as u16)
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= self.least_precision().bits() as i32
    }

    /// The magnitude if it is an integer that fits `u64`.
    pub(super) fn integer_magnitude(&self) -> Option<u64> {
        let fits = (1..=u64::BITS as i32).contains(&self.exponent) && self.is_integer();
        fits.then(|| self.mantissa[0] >> (u64::BITS as i32 - self.exponent))
    }

    pub(super) fn to_i64(&self) -> Option<i64> {
        let magnitude = self.integer_magnitude()?;
        if self.negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
    }

    /// The nearest double, ties to even; infinite where it is too large.
    pub(super) fn to_f64(&self) -> f64 {
        // Near zero doubles have fewer bits, down to none for numbers that round to zero or to the smallest
        // double.
        let precision = (self.exponent - MIN_DOUBLE_EXPONENT).min(f64::MANTISSA_DIGITS as i32);
        let magnitude = if precision < 0 {
            0.0
        } else if self.exponent > f64::MAX_EXP {
            f64::INFINITY
        } else {
            let head = u128::from(self.mantissa[0]);
            let shift = u64::BITS - precision as u32;
            let (kept, cut) = (head >> shift, head & ((1 << shift) - 1));
            let half = 1 << (shift - 1);
            let tail = self.mantissa[1..].iter().any(|&word| word != 0);
            let up = match cut.cmp(&half) {
                Ordering::Less => false,
                Ordering::Equal => tail || kept & 1 == 1,
                Ordering::Greater => true,
            };
            (kept as u64 + u64::from(up)) as f64 * power_of_two(self.exponent - precision)
        };
        if self.negative { -magnitude } else { magnitude }
    }
}

impl Ord for Binary {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitudes = || (self.exponent, &self.mantissa).cmp(&(other.exponent, &other.mantissa));
        match (self.negative, other.negative) {
            (false, false) => magnitudes(),
            (true, true) => magnitudes().reverse(),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Binary {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The bits of a double's fraction.
const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// The least double above zero is two to this power.
const MIN_DOUBLE_EXPONENT: i32 = f64::MIN_EXP - f64::MANTISSA_DIGITS as i32;

/// 2^exponent, for the exponents of the last bit of a double.
fn power_of_two(exponent: i32) -> f64 {
    let normal = exponent - MIN_DOUBLE_EXPONENT - FRACTION_BITS as i32;
    let bits = match u64::try_from(normal) {
        Ok(biased) => (biased + 1) << FRACTION_BITS,
        Err(_) => 1 << (exponent - MIN_DOUBLE_EXPONENT),
    };
    f64::from_bits(bits)
}
