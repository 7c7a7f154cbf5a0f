//! Laws that hold for every number.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::*;

fn hash(number: &Number) -> u64 {
    FixedState::default().hash_one(number)
}

/// m × 2^e, in all the ways there are to make it.
fn spellings(m: i64, e: i32) -> Vec<Number> {
    let (m10, e10) = match e {
        0.. => (BigInt::from(m) << e, 0),
        _ => (BigInt::from(m) * BigInt::from(5).pow(e.unsigned_abs()), e),
    };
    let mut numbers = vec![number(&format!("{m}p{e}")), number(&format!("{m10}e{e10}"))];
    let as_double = m as f64 * 2_f64.powi(e);
    if m.unsigned_abs() < 1 << f64::MANTISSA_DIGITS {
        numbers.push(double(as_double));
    }
    if e == 0 {
        numbers.push(Number::from(m));
    }
    numbers
}

/// Numbers with few bits, so that neighbours and equals are common, and with many.
fn dyadic() -> impl Strategy<Value = (i64, i32)> {
    let few_bits = (-40_i64..=40, -4..=70_i32);
    let edges = ((-3_i64..=3).prop_map(|m| i64::MAX.wrapping_add(m)), -2..=2_i32);
    let double_edges = ((-3_i64..=3).prop_map(|m| (1 << f64::MANTISSA_DIGITS) + m), -2..=12_i32);
    prop_oneof![few_bits, edges, double_edges, (any::<i64>(), -64..=64_i32)]
}

fn finite_double() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE,
        (any::<i32>(), -6..=12_i32).prop_map(|(digits, e)| f64::from(digits) * 10_f64.powi(e)),
        (any::<i64>(), -12..=12_i32).prop_map(|(m, e)| m as f64 * 2_f64.powi(e)),
    ]
}

fn is_power_of_two(number: &Number) -> bool {
    number.to_binary().is_some_and(|binary| binary.leading_bits(Binary::PRECISION).count_ones() == 1)
}

proptest! {
    #[test]
    fn order_equality_and_hash_are_by_value((m, e) in dyadic(), (n, f) in dyadic()) {
        let least = e.min(f);
        let expected = (BigInt::from(m) << (e - least)).cmp(&(BigInt::from(n) << (f - least)));
        for a in spellings(m, e) {
            for b in spellings(n, f) {
                prop_assert_eq!(a.cmp(&b), expected, "{} {}", &a, &b);
                prop_assert_eq!(b.cmp(&a), expected.reverse());
                prop_assert_eq!(a == b, expected.is_eq());
                prop_assert!(a != b || hash(&a) == hash(&b));
            }
        }
    }

    #[test]
    fn spellings_agree_in_every_answer((m, e) in dyadic()) {
        let numbers = spellings(m, e);
        for number in &numbers {
            prop_assert_eq!(number.as_i64(), numbers[0].as_i64());
            prop_assert_eq!(number.as_u64(), numbers[0].as_u64());
            prop_assert_eq!(number.as_f64(), numbers[0].as_f64());
            prop_assert_eq!(number.to_f64(), numbers[0].to_f64());
            prop_assert_eq!(number.is_integer(), numbers[0].is_integer());
            prop_assert_eq!(ten_digits(number), ten_digits(&numbers[0]));
        }
    }

    #[test]
    fn text_is_rounded_to_the_nearest(digits in "[1-9][0-9]{0,300}", exponent in -400..=400_i32) {
        let binary = number(&format!("{digits}e{exponent}")).to_binary().unwrap();
        // Both over 10^400 × 2^4000.
        let digits: BigInt = digits.parse().unwrap();
        let exact: BigInt = (digits << 4000_u32) * BigInt::from(10).pow((400 + exponent) as u32);
        let unit = BigInt::from(10).pow(400) << (binary.exponent() - 512 + 4000);
        let mantissa = BigInt::from(binary.leading_bits(Binary::PRECISION));
        let twice_the_error = BigInt::from((exact - &mantissa * &unit).magnitude().clone()) * 2;
        prop_assert!(twice_the_error < unit || twice_the_error == unit && !mantissa.bit(0));
    }

    #[test]
    fn printed_text_reads_back(digits in "[0-9]{1,180}", exponent in -600..=600_i32) {
        let read = number(&format!("{digits}e{exponent}"));
        if !is_power_of_two(&read) {
            let printed = read.to_string();
            prop_assert_eq!(&number(&printed), &read);
        }
        if digits.len() <= 153 {
            // As many digits always survive.
            let printed = read.to_string().replace('.', "");
            prop_assert_eq!(printed.trim_matches('0'), digits.trim_matches('0'));
        }
    }

    #[test]
    fn nothing_shorter_reads_back(bits in any::<[u32; 16]>(), exponent in -1500..=0_i32) {
        let mantissa = BigUint::from_slice(&bits) | BigUint::from(1_u32) << 511;
        let read = number(&format!("{mantissa}p{exponent}"));
        let printed = read.to_string();
        let fraction = printed.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let digits = printed.replace('.', "");
        let significant = digits.trim_end_matches('0');
        let scale = (digits.len() - significant.len() + 1) as i32 - fraction as i32;
        // A decimal with one digit less is either the one below or the one above.
        let below: BigUint = significant.parse::<BigUint>().unwrap() / 10_u32;
        for shorter in [&below, &(&below + 1_u32)] {
            prop_assert_ne!(&number(&format!("{shorter}e{scale}")), &read);
        }
    }

    #[test]
    fn doubles_round_trip(value in finite_double()) {
        let number = double(value);
        prop_assert_eq!(number.to_f64(), value);
        prop_assert_eq!(number.as_f64(), Some(value));
        if !is_power_of_two(&number) {
            let printed = number.to_string();
            prop_assert_eq!(printed.parse::<f64>(), Ok(value));
            if value.is_normal() && value.abs() < MAX_EXACT_INTEGER {
                prop_assert_eq!(printed.len(), value.to_string().len());
            }
        }
    }

    #[test]
    fn ten_digits_agree_with_the_standard_library(value in finite_double()) {
        let scientific = format!("{value:.9e}");
        let (digits, exponent) = scientific.split_once('e').unwrap();
        let exponent: i32 = exponent.parse().unwrap();
        let expected = if value == 0.0 {
            // Terraform keeps the minus of zero in texts.
            if value.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() }
        } else if (-4..10).contains(&exponent) {
            let plain = format!("{value:.*}", (9 - exponent) as usize);
            if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.').to_owned() } else { plain }
        } else {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        };
        prop_assert_eq!(ten_digits(&double(value)), expected);
    }

    #[test]
    fn text_is_accepted_and_read_as_the_standard_library_does(text in "[-+]?[0-9.]{0,9}([eE][-+]?[0-9.]{0,3})?") {
        match (Number::parse(&text), text.parse::<f64>()) {
            (Ok(number), Ok(value)) => prop_assert_eq!(number.to_f64(), value + 0.0),
            (Err(_), Err(_)) => {}
            (number, value) => prop_assert!(false, "{:?} {:?}", number, value),
        }
    }

    #[test]
    fn no_text_panics(text in "[-+0-9.eEpPxX_ ]{0,12}|.{0,6}") {
        if let Ok(number) = Number::parse(&text) {
            prop_assert!(number.to_string().len() < 11_000);
            prop_assert!(ten_digits(&number).len() < 18);
        }
    }
}
