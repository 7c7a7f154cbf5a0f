//! The bytes that go-cty writes, and those that it accepts.

use std::str::from_utf8;

use objchange::value::{Bound, Number, Refinements, WriteError};
use objchange::{Type, Value};
use proptest::prelude::*;

#[track_caller]
fn both_ways(value: &Value, ty: &Type, bytes: &[u8]) {
    assert_eq!(value.to_msgpack(ty).as_deref(), Ok(bytes), "written");
    assert_eq!(Value::from_msgpack(bytes, ty).as_ref(), Ok(value), "read");
}

#[track_caller]
fn reads(bytes: &[u8], ty: &Type, value: &Value) {
    assert_eq!(Value::from_msgpack(bytes, ty).as_ref(), Ok(value));
}

fn number(text: &str) -> Value {
    Value::from(Number::parse(text).unwrap())
}

fn double(value: f64) -> Value {
    Value::from(Number::from_f64(value).unwrap())
}

#[test]
fn null_and_unknown() {
    for ty in [Type::String, Type::list(Type::Bool), Type::Dynamic] {
        both_ways(&Value::null(ty.clone()), &ty, b"\xc0");
        both_ways(&Value::unknown(ty.clone()), &ty, b"\xd4\x00\x00");
    }
}

#[test]
fn strings() {
    both_ways(&Value::from(""), &Type::String, b"\xa0");
    both_ways(&Value::from("abc"), &Type::String, b"\xa3abc");
    both_ways(&Value::from("x".repeat(31)), &Type::String, &[b"\xbf".as_slice(), &[b'x'; 31]].concat());
    both_ways(&Value::from("x".repeat(32)), &Type::String, &[b"\xd9\x20".as_slice(), &[b'x'; 32]].concat());
    both_ways(
        &Value::from("x".repeat(256)),
        &Type::String,
        &[b"\xda\x01\x00".as_slice(), &[b'x'; 256]].concat(),
    );
    let long = "x".repeat(65_536);
    let bytes = [b"\xdb\x00\x01\x00\x00".as_slice(), long.as_bytes()].concat();
    both_ways(&Value::from(long), &Type::String, &bytes);
    reads(b"\xda\x00\x01a", &Type::String, &Value::from("a"));
    // Into normal form C.
    reads(b"\xa3e\xcc\x81", &Type::String, &Value::from("\u{e9}"));
}

#[test]
fn bools() {
    both_ways(&Value::from(false), &Type::Bool, b"\xc2");
    both_ways(&Value::from(true), &Type::Bool, b"\xc3");
}

#[test]
fn integers_take_the_smallest_form() {
    let cases: [(i64, &[u8]); 18] = [
        (0, b"\x00"),
        (127, b"\x7f"),
        (128, b"\xcc\x80"),
        (255, b"\xcc\xff"),
        (256, b"\xcd\x01\x00"),
        (65_535, b"\xcd\xff\xff"),
        (65_536, b"\xce\x00\x01\x00\x00"),
        (4_294_967_295, b"\xce\xff\xff\xff\xff"),
        (4_294_967_296, b"\xcf\x00\x00\x00\x01\x00\x00\x00\x00"),
        (i64::MAX, b"\xcf\x7f\xff\xff\xff\xff\xff\xff\xff"),
        (-1, b"\xff"),
        (-32, b"\xe0"),
        (-33, b"\xd0\xdf"),
        (-128, b"\xd0\x80"),
        (-129, b"\xd1\xff\x7f"),
        (-32_769, b"\xd2\xff\xff\x7f\xff"),
        (-2_147_483_649, b"\xd3\xff\xff\xff\xff\x7f\xff\xff\xff"),
        (i64::MIN, b"\xd3\x80\x00\x00\x00\x00\x00\x00\x00"),
    ];
    for (int, bytes) in cases {
        both_ways(&Value::from(int), &Type::Number, bytes);
    }
    // A double that is such an integer is one.
    assert_eq!(double(4.0).to_msgpack(&Type::Number).unwrap(), b"\x04");
}

#[test]
fn numbers_that_are_no_integer_of_64_bits() {
    // Beyond 64 bits with a sign, an integer is text, also where it would fit without a sign.
    both_ways(&number("9223372036854775808"), &Type::Number, b"\xb39223372036854775808");
    both_ways(&number("18446744073709551616"), &Type::Number, b"\xb418446744073709551616");
    both_ways(&number("1e21"), &Type::Number, b"\xb61000000000000000000000");
    // The text 0.1 and the double 0.1 are two numbers; each keeps its own form.
    both_ways(&number("0.1"), &Type::Number, b"\xa30.1");
    both_ways(&double(0.1), &Type::Number, b"\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a");
    both_ways(&number("0.5"), &Type::Number, b"\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00");
    both_ways(&Value::from(Number::infinity()), &Type::Number, b"\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00");
    both_ways(&Value::from(Number::neg_infinity()), &Type::Number, b"\xcb\xff\xf0\x00\x00\x00\x00\x00\x00");
}

#[test]
fn a_large_double_that_is_an_integer_loses_digits_as_with_go_cty() {
    let bytes = double(2_f64.powi(70)).to_msgpack(&Type::Number).unwrap();
    assert_eq!(bytes, b"\xb61180591620717411300000");
}

/// An integer has the smallest form that holds it; one of more than 64 bits is its digits.
fn form_of(double: f64) -> Vec<u8> {
    let bits = |first: u8, bytes: &[u8]| [&[first][..], bytes].concat();
    if double.fract() != 0.0 || double.is_infinite() {
        return bits(0xcb, &double.to_be_bytes());
    }
    Number::from_f64(double)
        .and_then(|number| number.as_i64())
        .map_or_else(Vec::new, |int| Value::from(int).to_msgpack(&Type::Number).unwrap())
}

proptest! {
    #[test]
    fn doubles(any in any::<f64>(), near in -1e6..1e6, whole in -(1_i64 << 53)..(1_i64 << 53)) {
        for value in [any, near, whole as f64] {
            let Some(number) = Number::from_f64(value) else { continue };
            let number = Value::from(number);
            prop_assert_eq!(Value::from_msgpack(&[&[0xcb][..], &value.to_be_bytes()].concat(), &Type::Number), Ok(number.clone()));
            let written = number.to_msgpack(&Type::Number).unwrap();
            let expected = form_of(value);
            if expected.is_empty() {
                let digits = written[if written[0] == 0xd9 { 2 } else { 1 }..].to_vec();
                // Beyond 2^53 not each digit counts, but the double is the same.
                let digits = from_utf8(if written[0] == 0xda { &written[3..] } else { &digits }).unwrap();
                prop_assert_eq!(digits.parse::<f64>(), Ok(value));
            } else {
                prop_assert_eq!(&written, &expected);
                prop_assert_eq!(Value::from_msgpack(&written, &Type::Number), Ok(number));
            }
        }
    }

    #[test]
    fn single_precision(value in any::<f32>()) {
        let read = Value::from_msgpack(&[&[0xca][..], &value.to_be_bytes()].concat(), &Type::Number);
        prop_assert_eq!(read.ok(), Number::from_f64(f64::from(value)).map(Value::from));
    }
}

#[test]
fn numbers_are_read_in_every_form() {
    let five = Value::from(5);
    for bytes in [
        b"\x05".as_slice(),
        b"\xcc\x05",
        b"\xcd\x00\x05",
        b"\xce\x00\x00\x00\x05",
        b"\xcf\x00\x00\x00\x00\x00\x00\x00\x05",
        b"\xd0\x05",
        b"\xd1\x00\x05",
        b"\xd2\x00\x00\x00\x05",
        b"\xd3\x00\x00\x00\x00\x00\x00\x00\x05",
        b"\xca\x40\xa0\x00\x00",
        b"\xcb\x40\x14\x00\x00\x00\x00\x00\x00",
        b"\xa15",
        b"\xd9\x035.0",
        b"\xa45e00",
    ] {
        reads(bytes, &Type::Number, &five);
    }
    reads(b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", &Type::Number, &number("18446744073709551615"));
    reads(b"\xca\x3d\xcc\xcc\xcd", &Type::Number, &double(f64::from(0.1_f32)));
    reads(b"\xcb\x80\x00\x00\x00\x00\x00\x00\x00", &Type::Number, &Value::from(0));
}

#[test]
fn collections() {
    let strings = Type::list(Type::String);
    both_ways(&Value::list(Type::String, ["a", "b"]).unwrap(), &strings, b"\x92\xa1a\xa1b");
    let set = Type::set(Type::String);
    assert_eq!(Value::set(Type::String, ["b", "a"]).unwrap().to_msgpack(&set).unwrap(), b"\x92\xa1a\xa1b");
    reads(b"\x93\xa1b\xa1a\xa1b", &set, &Value::set(Type::String, ["a", "b"]).unwrap());
    let map = Type::map(Type::Bool);
    let value = Value::map(Type::Bool, [("k", true), ("a", false)]).unwrap();
    both_ways(&value, &map, b"\x82\xa1a\xc2\xa1k\xc3");
    reads(b"\x82\xa1k\xc3\xa1a\xc2", &map, &value);
    reads(b"\xde\x00\x02\xa1k\xc3\xa1a\xc2", &map, &value);
    both_ways(
        &Value::list(Type::Bool, vec![true; 16]).unwrap(),
        &Type::list(Type::Bool),
        &[b"\xdc\x00\x10".as_slice(), &[0xc3; 16]].concat(),
    );
}

#[test]
fn structures() {
    let tuple = Value::tuple([Value::from("a"), Value::from(1)]);
    both_ways(&tuple, tuple.ty(), b"\x92\xa1a\x01");
    let object = Value::object([("b", Value::from(true)), ("a", Value::null(Type::Number))]);
    both_ways(&object, object.ty(), b"\x82\xa1a\xc0\xa1b\xc3");
    reads(b"\x82\xa1b\xc3\xa1a\xc0", object.ty(), &object);
    // Whatever the type.
    reads(b"\x80", object.ty(), &Value::object::<&str, Value>([]));
}

#[test]
fn a_value_beside_its_type() {
    let dynamic = Type::Dynamic;
    both_ways(&Value::from("a"), &dynamic, b"\x92\xc4\x08\"string\"\xa1a");
    both_ways(&Value::null(Type::String), &dynamic, b"\x92\xc4\x08\"string\"\xc0");
    both_ways(&Value::unknown(Type::Bool), &dynamic, b"\x92\xc4\x06\"bool\"\xd4\x00\x00");
    both_ways(
        &Value::list(Type::Number, [1]).unwrap(),
        &dynamic,
        b"\x92\xc4\x11[\"list\",\"number\"]\x91\x01",
    );
    reads(b"\x92\xa6\"bool\"\xc3", &dynamic, &Value::from(true));
    // Nothing is promised about an unknown value of an unknown type.
    reads(b"\xc7\x03\x0c\x81\x01\xc2", &dynamic, &Value::unknown(Type::Dynamic));
}

fn refined(ty: Type, refinements: Refinements) -> Value {
    Value::refined_unknown(ty, refinements).unwrap()
}

fn bound(value: i64, inclusive: bool) -> Option<Bound> {
    Some(Bound { value: value.into(), inclusive })
}

#[test]
fn refinements() {
    both_ways(&refined(Type::Bool, Refinements::not_null()), &Type::Bool, b"\xc7\x03\x0c\x81\x01\xc2");
    both_ways(
        &refined(Type::String, Refinements { string_prefix: Some("ami-".into()), ..Refinements::not_null() }),
        &Type::String,
        b"\xc7\x09\x0c\x82\x01\xc2\x02\xa4ami-",
    );
    both_ways(
        &refined(
            Type::Number,
            Refinements {
                number_lower: bound(1, true),
                number_upper: bound(9, false),
                ..Refinements::not_null()
            },
        ),
        &Type::Number,
        b"\xc7\x0b\x0c\x83\x01\xc2\x03\x92\x01\xc3\x04\x92\x09\xc2",
    );
    both_ways(
        &refined(
            Type::list(Type::String),
            Refinements { length_lower: Some(1), length_upper: Some(300), ..Refinements::default() },
        ),
        &Type::list(Type::String),
        b"\xc7\x07\x0c\x82\x05\x01\x06\xcd\x01\x2c",
    );
}

#[test]
fn what_promises_nothing_is_not_written() {
    let vacuous = Refinements {
        number_lower: Some(Bound { value: Number::neg_infinity(), inclusive: true }),
        number_upper: Some(Bound { value: Number::infinity(), inclusive: false }),
        ..Refinements::default()
    };
    assert_eq!(refined(Type::Number, vacuous).to_msgpack(&Type::Number).unwrap(), b"\xd4\x00\x00");
    let ty = Type::set(Type::Bool);
    let vacuous =
        Refinements { length_lower: Some(0), length_upper: Some(i64::MAX as u64), ..Default::default() };
    assert_eq!(refined(ty.clone(), vacuous).to_msgpack(&ty).unwrap(), b"\xd4\x00\x00");
}

#[test]
fn a_promise_that_no_reader_would_take_is_weakened() {
    let prefix = format!("{}{}", "x".repeat(255), "e\u{327}\u{301}");
    let value =
        refined(Type::String, Refinements { string_prefix: Some(prefix.into()), ..Default::default() });
    let read = Value::from_msgpack(&value.to_msgpack(&Type::String).unwrap(), &Type::String).unwrap();
    assert_eq!(read.refinements().unwrap().string_prefix.as_deref(), Some("x".repeat(255).as_str()));

    let huge = Some(Bound { value: Number::parse("1e2000").unwrap(), inclusive: true });
    let value = refined(Type::Number, Refinements { number_upper: huge, ..Refinements::not_null() });
    let read = Value::from_msgpack(&value.to_msgpack(&Type::Number).unwrap(), &Type::Number).unwrap();
    assert_eq!(read, refined(Type::Number, Refinements::not_null()));
}

#[test]
fn any_extension_is_an_unknown_value() {
    let unknown = Value::unknown(Type::String);
    for bytes in [
        b"\xd4\x07\x2a".as_slice(),
        b"\xc7\x00\x0c",
        b"\xc7\x01\x00\x00",
        // A promise that cannot be read has one byte at most.
        b"\xd4\x0c\x80",
        // An unsupported code, with a payload that may say anything.
        b"\xd6\xff\x00\x00\x00\x00",
        b"\xc7\x03\x0d\x81\x01\xc2",
    ] {
        reads(bytes, &Type::String, &unknown);
    }
}

#[test]
fn promises_are_read_leniently() {
    // A key of a later version, with a value of two levels, is skipped; so is what follows the map.
    let bytes = b"\xc7\x0b\x0c\x82\x63\x81\xa1k\x91\xc3\x01\xc2\xff\xff";
    reads(bytes, &Type::String, &refined(Type::String, Refinements::not_null()));
    // Whatever is there takes no more and no less than its own bytes.
    let passed_over: [&[u8]; 19] = [
        b"\xc0",
        b"\xc2",
        b"\x05",
        b"\xff",
        b"\xcc\x01",
        b"\xd1\x01\x02",
        b"\xce\x01\x02\x03\x04",
        b"\xd3\x01\x02\x03\x04\x05\x06\x07\x08",
        b"\xca\x01\x02\x03\x04",
        b"\xcb\x01\x02\x03\x04\x05\x06\x07\x08",
        b"\xc4\x02\xc1\xc1",
        b"\xa2ab",
        b"\xd9\x01a",
        b"\xd4\x01\xc1",
        b"\xc7\x02\x01\xc1\xc1",
        b"\x92\x01\xa1a",
        b"\x90",
        b"\x82\x01\x02\x03\x91\x04",
        b"\xdc\x00\x02\x01\x02",
    ];
    for bytes in passed_over {
        let payload = [b"\x82\x63", bytes, b"\x01\xc2"].concat();
        let message = [&[0xc7, payload.len() as u8, 0x0c][..], &payload].concat();
        reads(&message, &Type::String, &refined(Type::String, Refinements::not_null()));
    }
    // Known to be null.
    reads(b"\xc7\x03\x0c\x81\x01\xc3", &Type::String, &Value::null(Type::String));
    // Not null, and exactly two elements: a list of two unknown ones.
    let two = Value::list(Type::Bool, vec![Value::unknown(Type::Bool); 2]).unwrap();
    reads(b"\xc7\x07\x0c\x83\x01\xc2\x05\x02\x06\x02", &Type::list(Type::Bool), &two);
}

#[test]
fn marks_have_no_form() {
    let value = Value::object([("password", Value::from("hunter2").sensitive())]);
    let error = value.to_msgpack(value.ty()).unwrap_err();
    assert!(matches!(error, WriteError::Marked { .. }));
    assert_eq!(
        error.to_string(),
        "password: a marked value cannot be written in this format; take the marks off first"
    );
}
