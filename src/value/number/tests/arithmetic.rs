//! Tests arithmetic against exact integers that are rounded once.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use proptest::prelude::*;

use super::*;

/// m × 2^e, rounded to 512 bits by the reader.
fn exactly(m: &BigInt, e: i32) -> Number {
    number(&format!("{m}p{e}"))
}

/// Mantissas of few and of many bits, so that sums cancel, carry, or have operands that do not overlap.
fn mantissa() -> impl Strategy<Value = BigInt> {
    let wide = (any::<bool>(), any::<[u32; 16]>(), 0..512_u32).prop_map(|(negative, bits, cut)| {
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        BigInt::from_biguint(sign, BigUint::from_slice(&bits) >> cut)
    });
    let ones = (1..=512_u32).prop_map(|bits| (BigInt::from(1) << bits) - 1);
    prop_oneof![wide, ones, (-9_i64..=9).prop_map(BigInt::from), any::<i64>().prop_map(BigInt::from)]
}

fn operand() -> impl Strategy<Value = (BigInt, i32)> {
    (mantissa(), prop_oneof![-4..=4_i32, -700..=700_i32, Just(0)])
}

fn aligned(a: &(BigInt, i32), b: &(BigInt, i32)) -> (BigInt, BigInt, i32) {
    let least = a.1.min(b.1);
    (&a.0 << (a.1 - least), &b.0 << (b.1 - least), least)
}

/// The number in another precision.
fn in_precision(number: &Number, precision: Precision) -> Number {
    match number.to_binary() {
        Some(binary) => Number::from_binary(binary, precision),
        None => number.clone(),
    }
}

proptest! {
    #[test]
    fn sums_and_products_are_rounded_once(a in operand(), b in operand()) {
        let (x, y) = (exactly(&a.0, a.1), exactly(&b.0, b.1));
        let (m, n, e) = aligned(&a, &b);
        prop_assert_eq!(x.try_add(&y), Ok(exactly(&(&m + &n), e)));
        prop_assert_eq!(x.try_sub(&y), Ok(exactly(&(m - n), e)));
        prop_assert_eq!(x.try_mul(&y), Ok(exactly(&(&a.0 * &b.0), a.1 + b.1)));
    }

    #[test]
    fn quotients_are_nearest(a in operand(), b in operand(), bits in prop_oneof![Just(53_u32), Just(64), Just(512)]) {
        prop_assume!(b.0 != BigInt::ZERO && a.0 != BigInt::ZERO);
        let precision = match bits { 53 => Precision::DOUBLE, 64 => Precision::INTEGER, _ => Precision::MAX };
        let (x, y) = (exactly(&a.0, a.1), exactly(&b.0, b.1));
        let quotient = in_precision(&x, precision).try_div(&in_precision(&y, precision)).unwrap();
        prop_assert!(quotient.precision() == precision.of_result());
        let q = quotient.to_binary().unwrap();
        prop_assert!(q.least_precision() <= precision);
        // |a/b - q| ≤ half a unit of the last bit, over common powers of two; a tie is even.
        let (m, n, _) = aligned(&a, &b);
        let unit = q.exponent() - bits as i32;
        let digits = BigInt::from(q.leading_bits(bits));
        let (m, n) = if unit < 0 { (m << unit.unsigned_abs(), n) } else { (m, n << unit) };
        let (m, n) = (BigInt::from(m.magnitude().clone()), BigInt::from(n.magnitude().clone()));
        let error: BigInt = m - &digits * &n;
        let twice = BigInt::from(error.magnitude().clone()) * 2;
        prop_assert!(twice < n || twice == n && !digits.bit(0));
    }

    #[test]
    fn laws_of_fields_that_rounding_keeps(a in operand(), b in operand()) {
        let (x, y) = (exactly(&a.0, a.1), exactly(&b.0, b.1));
        prop_assert_eq!(x.try_add(&y), y.try_add(&x));
        prop_assert_eq!(x.try_mul(&y), y.try_mul(&x));
        prop_assert_eq!(x.try_sub(&x), Ok(Number::ZERO));
        prop_assert_eq!(x.try_add(&Number::ZERO), Ok(x.clone()));
        prop_assert_eq!(-&-&x, x.clone());
        if x != Number::ZERO {
            prop_assert_eq!(x.try_div(&x), Ok(Number::from(1)));
        }
        let (m, n, _) = aligned(&a, &b);
        if (m + n).bits() <= 512 {
            prop_assert_eq!(x.try_add(&y).unwrap().try_sub(&y), Ok(x));
        }
    }

    /// Machine integers have a fast path. Fractions of both take the general one.
    #[test]
    fn small_integers_agree_with_their_fractions(a in any::<i64>(), b in any::<i64>(), shift in 0..=60_u32) {
        let (a, b) = (a >> shift, b >> (shift / 2));
        let part = |int: i64| exactly(&int.into(), -70);
        let (x, y) = (Number::from(a), Number::from(b));
        let scaled = |result: Result<Number, ArithmeticError>, by: i32| result?.try_mul(&exactly(&1.into(), by));
        prop_assert_eq!(x.try_add(&y), scaled(part(a).try_add(&part(b)), 70));
        prop_assert_eq!(x.try_mul(&y), scaled(part(a).try_mul(&part(b)), 140));
        if b != 0 {
            prop_assert_eq!(x.try_rem(&y), Ok(Number::from(i128::from(a) % i128::from(b))));
            prop_assert_eq!(x.try_rem(&y), scaled(part(a).try_rem(&part(b)), 70));
        }
    }

    #[test]
    fn whole_numbers_next_to_a_fraction(m in mantissa(), e in -600..=3_i32) {
        let x = exactly(&m, e);
        let unit = BigInt::from(1) << e.min(0).unsigned_abs();
        let m = m << e.max(0);
        prop_assert_eq!(x.floor(), exactly(&m.div_floor(&unit), 0));
        prop_assert_eq!(x.ceil(), exactly(&m.div_ceil(&unit), 0));
    }

    #[test]
    fn integers_read_in_any_base(m in mantissa(), base in 2..=36_u32) {
        let text = m.to_str_radix(base);
        let read = Number::parse_integer(&text, base).unwrap();
        prop_assert_eq!(&read, &exactly(&m, 0));
        prop_assert_eq!(&Number::parse_integer(&text.to_uppercase(), base).unwrap(), &read);
        prop_assert_eq!(read.to_string(), m.to_string());
    }

    /// Powers differ from those of `f64` by rounding only.
    #[test]
    fn powers_are_near(base in -40.0..40.0_f64, exponent in -300.0..300.0_f64, whole in any::<bool>()) {
        let exponent = if whole { exponent.trunc() } else { exponent };
        let expected = base.powf(exponent);
        match double(base).try_pow(&double(exponent)) {
            Ok(power) if expected.is_normal() => {
                prop_assert!((power.to_f64() / expected - 1.0).abs() < 1e-12, "{} {}", power, expected);
            }
            Ok(power) => prop_assert!(expected.is_infinite() && power.to_f64() == expected || power.to_f64().abs() < 1e-300),
            Err(error) => prop_assert!(error == ArithmeticError::Undefined && expected.is_nan()),
        }
    }

    #[test]
    fn no_operands_panic(a in any::<f64>(), b in any::<f64>(), text in "-?[0-9]{1,9}[ep]-?[0-9]{1,5}") {
        let (Some(a), Some(b)) = (Number::from_f64(a), Number::from_f64(b)) else { return Ok(()) };
        let c = Number::parse(&text).unwrap_or_default();
        for (x, y) in [(&a, &b), (&a, &c), (&c, &a), (&c, &c)] {
            let all = [x.try_add(y), x.try_sub(y), x.try_mul(y), x.try_div(y), x.try_rem(y), x.try_pow(y), x.try_log(y)];
            for number in all.into_iter().flatten() {
                prop_assert!(number.to_string().len() < 22_000);
            }
        }
    }
}

#[test]
fn precision_is_that_of_the_operands() {
    let third = |a: Number, b: Number| a.try_div(&b).unwrap();
    let long = third(number("1"), Number::from(3));
    let short = third(Number::from(1), Number::from(3));
    let double = third(double(1.0), double(3.0));
    assert_eq!(long.to_string().len(), 157);
    assert_eq!(short.to_string(), "0.33333333333333333334");
    assert_eq!(double.to_string(), "0.3333333333333333");
    assert_eq!(double.to_f64(), 1.0 / 3.0);
    assert_eq!(long.try_mul(&Number::from(3)), Ok(Number::from(1)));
    assert_ne!(short.try_mul(&Number::from(3)), Ok(Number::from(1)));
    // The quotient by a third rounds up to 9, 9 thirds round to 3.
    assert_eq!(number("3").try_rem(&long), Ok(Number::ZERO));
    // A product has the bits that it needs, even if its operands have fewer.
    let power = Number::from(3_i64.pow(39)).try_mul(&Number::from(3_i64.pow(39))).unwrap();
    assert_eq!(power, number("16423203268260658146231467800709255289"));
}

/// The expected texts are those of `terraform console` 1.11.4.
#[test]
fn zero_keeps_its_minus() {
    let minus = number("-0");
    let (zero, one) = (Number::ZERO, Number::from(1));
    let text = |result: Result<Number, ArithmeticError>| result.unwrap().to_text();
    assert_eq!(
        (minus.to_text(), number("-0.0e7").to_text(), (-&minus).to_text()),
        ("-0".into(), "-0".into(), "0".into())
    );
    assert_eq!((-&zero).to_text(), "-0");
    for (result, expected) in [
        (minus.try_add(&zero), "0"),
        (minus.try_add(&minus), "-0"),
        (minus.try_sub(&zero), "-0"),
        (zero.try_sub(&zero), "0"),
        (one.try_sub(&one), "0"),
        (minus.try_add(&one), "1"),
        (zero.try_mul(&-&one), "-0"),
        (minus.try_mul(&-&one), "0"),
        (zero.try_div(&-&one), "-0"),
        (minus.try_div(&number("0.5")), "-0"),
        (minus.try_rem(&one), "-0"),
        (zero.try_rem(&-&one), "0"),
        (Number::from(-5).try_rem(&Number::from(5)), "0"),
    ] {
        assert_eq!(text(result), expected);
    }
    assert_eq!(one.try_div(&minus), Ok(Number::neg_infinity()));
    assert_eq!([minus.abs(), minus.floor(), minus.ceil()].map(|n| n.to_text()), ["0", "0", "0"]);
    // Negative zero equals zero.
    assert_eq!(minus, zero);
    assert_eq!((minus.cmp(&zero), minus.cmp(&one)), (std::cmp::Ordering::Equal, std::cmp::Ordering::Less));
    assert_eq!(std::collections::HashSet::from([minus, zero]).len(), 1);
}

#[test]
fn infinities_and_zeros() {
    use ArithmeticError::Undefined;
    let (inf, minus_inf, zero, two) =
        (Number::infinity(), Number::neg_infinity(), Number::ZERO, Number::from(2));
    assert_eq!(inf.try_add(&two), Ok(inf.clone()));
    assert_eq!(two.try_sub(&inf), Ok(minus_inf.clone()));
    assert_eq!(inf.try_sub(&inf), Err(Undefined));
    assert_eq!(inf.try_mul(&-&two), Ok(minus_inf.clone()));
    assert_eq!(zero.try_mul(&inf), Err(Undefined));
    assert_eq!((-&two).try_div(&zero), Ok(minus_inf.clone()));
    assert_eq!(two.try_div(&inf), Ok(Number::ZERO));
    assert_eq!(inf.try_div(&minus_inf), Err(Undefined));
    assert_eq!(inf.try_div(&zero), Ok(inf.clone()));
    assert_eq!(zero.try_div(&two), Ok(Number::ZERO));
    assert_eq!(zero.try_rem(&two), Ok(Number::ZERO));
    assert_eq!(zero.try_rem(&zero), Ok(Number::ZERO));
    assert_eq!(two.try_rem(&minus_inf), Err(Undefined));
    assert_eq!(zero.try_rem(&inf), Err(Undefined));
    assert_eq!(inf.try_rem(&two), Err(Undefined));
    assert_eq!(inf.try_rem(&zero), Ok(inf.clone()));
    assert_eq!(minus_inf.abs(), inf);
    assert_eq!(inf.floor(), inf);
    assert_eq!(number("-0.5").ceil(), zero);
    assert_eq!(Number::from(i64::MIN).try_rem(&Number::from(-1)), Ok(zero));
    assert_eq!((-Number::from(i64::MIN)).to_string(), "9223372036854775808");
    assert_eq!((-&-Number::from(i64::MIN)).as_i64(), Some(i64::MIN));
}

#[test]
fn sizes_end_somewhere() {
    let mut large = number("1e5000");
    let steps = std::iter::from_fn(|| {
        large = large.try_mul(&large).ok()?;
        Some(large.to_string().len())
    });
    assert_eq!(steps.collect::<Vec<_>>(), [10_001]);
    assert_eq!(large.try_mul(&large), Err(ArithmeticError::OutOfRange));
    assert_eq!(number("1e-5000").try_div(&large), Err(ArithmeticError::OutOfRange));
    assert_eq!(large.try_pow(&Number::ZERO), Err(ArithmeticError::OutOfRange));
    assert_eq!(Number::parse_integer(&"1".repeat(513), 2), Err(ParseNumberError::IntegerTooLarge));
    assert!(Number::parse_integer(&format!("{}1", "0".repeat(1000)), 2).is_ok());
    for (text, base) in [("", 10), ("-", 10), ("1_0", 10), ("0x1", 16), (" 1", 10), ("é", 36), ("2", 2)] {
        assert!(Number::parse_integer(text, base).is_err(), "{text:?}");
    }
}

/// The double that Go's `math.Pow` gives is not always the nearest.
#[test]
fn powers_are_those_of_go() {
    let power = |a: f64, b: f64| double(a).try_pow(&double(b)).unwrap().to_f64();
    assert_eq!(power(2.0, 1.5), 2.828_427_124_746_19);
    assert_eq!(power(2.0, -1074.0), 5e-324);
    assert_eq!(power(2.0, -1075.0), 0.0);
    assert_eq!(power(5e-324, 1.0), 5e-324);
    assert_eq!(power(5e-324, -0.5), 1.0 / 5e-324_f64.sqrt());
    assert_eq!(power(-2.0, 3.0), -8.0);
    assert_eq!(power(10.0, 22.0), 1e22);
    assert_eq!(power(0.0, -1.0), f64::INFINITY);
    assert_eq!(power(-10.0, 309.0), f64::NEG_INFINITY);
}
