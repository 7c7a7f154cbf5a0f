//! Decimal numbers of 100 digits, infinities, and NaN.

use std::cmp::Ordering;
use std::fmt;

use dashu_float::round::mode::HalfAway;
use dashu_float::{Context, DBig, Repr};
use dashu_int::IBig;

use crate::value::Value;

const DIGITS: usize = 100;

/// The largest exponent of ten of a number: larger ones are infinite, smaller ones zero.
// Without a bound, `power` lets a short policy make numbers of any size.
const MAX_EXPONENT: i64 = 100_000;

/// How long a text may be that says a number.
const MAX_TEXT: usize = 10_000;

const CONTEXT: Context<HalfAway> = Context::new(DIGITS);

#[derive(Clone, Debug)]
pub(crate) enum Decimal {
    NotANumber,
    Infinite { is_negative: bool },
    Finite(DBig),
}

/// The number that a text says: digits, with a point and an exponent if it has them.
pub(super) fn parse(text: &str) -> Option<Decimal> {
    let (is_negative, bare) = match text.strip_prefix('-') {
        Some(bare) => (true, bare),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match &*bare.get(..bare.len().min(9))?.to_ascii_lowercase() {
        "nan" => return Some(Decimal::NotANumber),
        "inf" | "infinity" => return Some(Decimal::Infinite { is_negative }),
        _ => {}
    }
    let (digits, exponent) = match bare.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
        None => (bare, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || digits.len() > MAX_TEXT || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size: IBig = digits.parse().ok()?;
    let exponent = exponent.saturating_sub(fraction.len() as i64);
    Some(Decimal::of_parts(if is_negative { -size } else { size }, exponent))
}

/// The result of a decimal operation: an error becomes NaN, and a number that is too large infinite.
fn result<E>(result: Result<dashu_float::round::Rounded<DBig>, E>) -> Decimal {
    result.map_or(Decimal::NotANumber, |rounded| Decimal::new(rounded.value()))
}

impl From<i64> for Decimal {
    fn from(int: i64) -> Decimal {
        Decimal::of_parts(IBig::from(int), 0)
    }
}

impl Decimal {
    fn new(number: DBig) -> Decimal {
        if number.repr().is_infinite() {
            return Decimal::Infinite { is_negative: number.repr().sign() == dashu_base::Sign::Negative };
        }
        let (significand, exponent) = number.into_repr().into_parts();
        Decimal::of_parts(significand, exponent as i64)
    }

    fn of_parts(significand: IBig, exponent: i64) -> Decimal {
        // `Repr::new` removes zeros at the end of the digits, so that equal numbers have equal parts.
        let repr = Repr::<10>::new(significand, 0);
        let exponent = exponent.saturating_add(repr.exponent() as i64);
        let first = exponent.saturating_add(repr.digits() as i64);
        if repr.significand().is_zero() || first < -MAX_EXPONENT {
            return Decimal::Finite(DBig::ZERO);
        }
        if first > MAX_EXPONENT {
            return Decimal::Infinite { is_negative: *repr.significand() < IBig::ZERO };
        }
        // At most some hundred thousand.
        let repr = Repr::new(repr.into_parts().0, exponent as isize);
        Decimal::Finite(DBig::from_repr(repr, Context::new(0)).with_precision(DIGITS).value())
    }

    pub(super) fn is_negative(&self) -> bool {
        match self {
            Decimal::NotANumber => false,
            Decimal::Infinite { is_negative } => *is_negative,
            Decimal::Finite(number) => *number < DBig::ZERO,
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, Decimal::Finite(number) if *number == DBig::ZERO)
    }

    /// None if one of them is not a number.
    pub(in crate::imports) fn order(&self, other: &Decimal) -> Option<Ordering> {
        let end = |decimal: &Decimal| match decimal {
            Decimal::Infinite { is_negative: true } => -1,
            Decimal::Infinite { is_negative: false } => 1,
            _ => 0,
        };
        match (self, other) {
            (Decimal::NotANumber, _) | (_, Decimal::NotANumber) => None,
            (Decimal::Finite(a), Decimal::Finite(b)) => Some(a.cmp(b)),
            (a, b) => Some(end(a).cmp(&end(b))),
        }
    }

    pub(super) fn negate(&self) -> Decimal {
        match self {
            Decimal::NotANumber => Decimal::NotANumber,
            Decimal::Infinite { is_negative } => Decimal::Infinite { is_negative: !is_negative },
            Decimal::Finite(number) => Decimal::new(-number.clone()),
        }
    }

    pub(super) fn absolute(&self) -> Decimal {
        if self.is_negative() { self.negate() } else { self.clone() }
    }

    pub(super) fn add(&self, other: &Decimal) -> Decimal {
        match (self, other) {
            (Decimal::Finite(a), Decimal::Finite(b)) => result(CONTEXT.add(a.repr(), b.repr())),
            (Decimal::NotANumber, _) | (_, Decimal::NotANumber) => Decimal::NotANumber,
            (Decimal::Infinite { is_negative: a }, Decimal::Infinite { is_negative: b }) if a != b => {
                Decimal::NotANumber
            }
            (Decimal::Infinite { .. }, _) => self.clone(),
            (_, _) => other.clone(),
        }
    }

    pub(super) fn subtract(&self, other: &Decimal) -> Decimal {
        self.add(&other.negate())
    }

    pub(super) fn multiply(&self, other: &Decimal) -> Decimal {
        match (self, other) {
            (Decimal::Finite(a), Decimal::Finite(b)) => result(CONTEXT.mul(a.repr(), b.repr())),
            (Decimal::NotANumber, _) | (_, Decimal::NotANumber) => Decimal::NotANumber,
            (a, b) if a.is_zero() || b.is_zero() => Decimal::NotANumber,
            (a, b) => Decimal::Infinite { is_negative: a.is_negative() != b.is_negative() },
        }
    }

    pub(super) fn divide(&self, other: &Decimal) -> Decimal {
        match (self, other) {
            (Decimal::Finite(_), Decimal::Finite(_)) if other.is_zero() => match self.is_zero() {
                true => Decimal::NotANumber,
                false => Decimal::Infinite { is_negative: self.is_negative() },
            },
            (Decimal::Finite(a), Decimal::Finite(b)) => result(CONTEXT.div(a.repr(), b.repr())),
            (Decimal::Finite(_), Decimal::Infinite { .. }) => Decimal::Finite(DBig::ZERO),
            (Decimal::Infinite { .. }, Decimal::Finite(_)) => {
                Decimal::Infinite { is_negative: self.is_negative() != other.is_negative() }
            }
            _ => Decimal::NotANumber,
        }
    }

    /// With the sign of the left side.
    pub(super) fn remainder(&self, other: &Decimal) -> Decimal {
        match (self, other) {
            (Decimal::Finite(_), Decimal::Finite(_)) if other.is_zero() => Decimal::NotANumber,
            (Decimal::Finite(a), Decimal::Finite(b)) => {
                let (least, a, b) = aligned(a, b);
                Decimal::of_parts(a % b, least)
            }
            (Decimal::Finite(_), Decimal::Infinite { .. }) => self.clone(),
            _ => Decimal::NotANumber,
        }
    }

    pub(super) fn power(&self, other: &Decimal) -> Decimal {
        let (Decimal::Finite(base), Decimal::Finite(exponent)) = (self, other) else {
            return self.power_of_infinite(other);
        };
        let whole = self::whole(exponent);
        let is_odd = whole.as_ref().is_some_and(|whole| !(whole % IBig::from(2)).is_zero());
        let (tens, power) = (log10_of(base), exponent.to_f64().value());
        match (self.is_zero(), tens * power) {
            _ if other.is_zero() => Decimal::Finite(DBig::ONE),
            (true, _) if other.is_negative() => Decimal::Infinite { is_negative: false },
            (true, _) => Decimal::Finite(DBig::ZERO),
            (false, _) if self.is_negative() && whole.is_none() => Decimal::NotANumber,
            // Decided by an estimate before the power is computed; the 2 leaves room for its rounding.
            (false, size) if size > MAX_EXPONENT as f64 + 2.0 => {
                Decimal::Infinite { is_negative: self.is_negative() && is_odd }
            }
            (false, size) if size < -(MAX_EXPONENT as f64) - 2.0 => Decimal::Finite(DBig::ZERO),
            (false, _) => match whole {
                Some(whole) => result(CONTEXT.powi(base.repr(), whole)),
                None => result(CONTEXT.powf(base.repr(), exponent.repr(), None)),
            },
        }
    }

    fn power_of_infinite(&self, other: &Decimal) -> Decimal {
        let plain = |decimal: &Decimal| match decimal {
            Decimal::NotANumber => f64::NAN,
            Decimal::Infinite { is_negative: true } => f64::NEG_INFINITY,
            Decimal::Infinite { is_negative: false } => f64::INFINITY,
            Decimal::Finite(number) => number.to_f64().value(),
        };
        let power = plain(self).powf(plain(other));
        match power {
            power if power.is_nan() => Decimal::NotANumber,
            power if power.is_infinite() => Decimal::Infinite { is_negative: power < 0.0 },
            power => Decimal::of_parts(IBig::from(power as i64), 0),
        }
    }

    pub(super) fn exp(&self) -> Decimal {
        match self {
            Decimal::NotANumber => Decimal::NotANumber,
            Decimal::Finite(number) => match number.to_f64().value() {
                power if power > 3.0 * MAX_EXPONENT as f64 => Decimal::Infinite { is_negative: false },
                power if power < -3.0 * MAX_EXPONENT as f64 => Decimal::Finite(DBig::ZERO),
                _ => result(CONTEXT.exp(number.repr(), None)),
            },
            Decimal::Infinite { is_negative: true } => Decimal::Finite(DBig::ZERO),
            Decimal::Infinite { is_negative: false } => self.clone(),
        }
    }

    pub(super) fn log(&self, of_ten: bool) -> Decimal {
        match self {
            Decimal::Infinite { is_negative: false } => self.clone(),
            Decimal::Finite(_) if self.is_zero() => Decimal::Infinite { is_negative: true },
            Decimal::Finite(number) if !self.is_negative() => result(if of_ten {
                CONTEXT.log10(number.repr(), None)
            } else {
                CONTEXT.ln(number.repr(), None)
            }),
            _ => Decimal::NotANumber,
        }
    }

    pub(super) fn square_root(&self) -> Decimal {
        match self {
            Decimal::Infinite { is_negative: false } => self.clone(),
            Decimal::Finite(number) if !self.is_negative() => result(CONTEXT.sqrt(number.repr())),
            _ => Decimal::NotANumber,
        }
    }

    pub(super) fn whole(&self, up: bool) -> Decimal {
        match self {
            Decimal::Finite(number) if up => Decimal::new(number.ceil()),
            Decimal::Finite(number) => Decimal::new(number.floor()),
            _ => self.clone(),
        }
    }

    /// Digits and exponent: without an exponent where the digits of a whole number can be written out.
    fn parts(number: &DBig) -> (IBig, i64) {
        let (significand, exponent) = (number.repr().significand().clone(), number.repr().exponent());
        if exponent > 0 && number.repr().digits() + exponent as usize <= DIGITS {
            return (significand * IBig::from(10).pow(exponent as usize), 0);
        }
        (significand, exponent as i64)
    }

    pub(in crate::imports) fn field(&self, name: &str) -> Option<Value> {
        let finite = match self {
            Decimal::Finite(number) => Some(number),
            _ => None,
        };
        match name {
            "string" => Some(Value::from(self.to_string())),
            "sign" => Some(Value::Int(match self.order(&Decimal::Finite(DBig::ZERO)) {
                Some(order) => order as i64,
                None => 0,
            })),
            "coefficient" => Decimal::parts(finite?).0.try_into().ok().map(Value::Int),
            "exponent" => Some(Value::Int(Decimal::parts(finite?).1)),
            "int" => match self.whole(false) {
                Decimal::Finite(number) if log10_of(&number) < 20.0 => {
                    let whole = self::whole(&number)?;
                    i64::try_from(whole).ok().map(Value::Int)
                }
                _ => None,
            },
            "float" => Some(Value::Float(match self {
                Decimal::NotANumber => f64::NAN,
                Decimal::Infinite { is_negative } => {
                    if *is_negative {
                        f64::NEG_INFINITY
                    } else {
                        f64::INFINITY
                    }
                }
                Decimal::Finite(number) => number.to_f64().value(),
            })),
            _ => None,
        }
    }
}

/// The integer that a number is, if it is one of no more digits than are exact.
fn whole(number: &DBig) -> Option<IBig> {
    let (significand, exponent) = (number.repr().significand(), number.repr().exponent());
    let exponent = usize::try_from(exponent).ok().filter(|exponent| *exponent <= 2 * DIGITS)?;
    Some(significand * IBig::from(10).pow(exponent))
}

/// How many powers of ten a number is, about.
fn log10_of(number: &DBig) -> f64 {
    let digits: String =
        number.repr().significand().to_string().chars().filter(|c| *c != '-').take(17).collect();
    let lead: f64 = format!("0.{digits}").parse().unwrap_or(1.0);
    lead.log10() + number.repr().digits() as f64 + number.repr().exponent() as f64
}

/// Two numbers as integers of the same, smallest, exponent.
fn aligned(a: &DBig, b: &DBig) -> (i64, IBig, IBig) {
    let least = a.repr().exponent().min(b.repr().exponent());
    let shifted = |number: &DBig| {
        let by = (number.repr().exponent() - least) as usize;
        number.repr().significand() * IBig::from(10).pow(by)
    };
    (least as i64, shifted(a), shifted(b))
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = match self {
            Decimal::NotANumber => return f.write_str("NaN"),
            Decimal::Infinite { is_negative } => {
                return f.write_str(if *is_negative { "-Infinity" } else { "Infinity" });
            }
            Decimal::Finite(number) => number,
        };
        let (coefficient, exponent) = Decimal::parts(number);
        let text = coefficient.to_string();
        let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
        // The power of ten of the first digit.
        let first = digits.len() as i64 - 1 + exponent;
        if exponent <= 0 && first >= -6 {
            let fraction = usize::try_from(-exponent).unwrap_or(0);
            let padded = "0".repeat((fraction + 1).saturating_sub(digits.len())) + digits;
            let (whole, fraction) = padded.split_at(padded.len() - fraction);
            let point = if fraction.is_empty() { "" } else { "." };
            return write!(f, "{sign}{whole}{point}{fraction}");
        }
        let (lead, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{sign}{lead}{point}{rest}E{first:+}")
    }
}
