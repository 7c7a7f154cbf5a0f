//! Values with which providers often fail.

use objchange::value::Number;
use objchange::{Type, Value};

/// Numbers by their text: around nothing, not whole, and beyond what common types hold exactly, or at all. Negative zero is zero
/// to Terraform.
pub(super) const NUMBERS: [&str; 9] = [
    "0",
    "-1",
    // No double is exactly 0.1, so it is sent as text, and a provider may answer with a double.
    "0.1",
    // No double is that large.
    "1e400",
    // 2^53 + 1 is the first whole number that no double holds.
    "9007199254740993",
    // 2^64 does not fit into 64 bits. go-cty sends such a number as text.
    "18446744073709551616",
    // This is one less than the least number of 64 bits with a sign.
    "-9223372036854775809",
    // 2^31 does not fit into 32 bits with a sign.
    "2147483648",
    "1.5",
];

/// Texts by what is special about them.
pub(super) const TEXTS: [(&str, &str); 10] = [
    ("empty", ""),
    // cty brings texts into normal form C, so a provider may answer with any form of them.
    ("with other normal forms", "é Å ﬁ 각 ẛ̣"),
    ("long", ""),
    ("with space around", " x "),
    ("of several lines", "a\nb\r\n\"c\"\\\t"),
    ("like a template", "${a} %{b} {{c}}"),
    ("beyond the basic plane", "🦀 𝒳 👩‍👩‍👧"),
    ("in mixed case", "MiXed.CASE"),
    ("like a number", "007"),
    ("like nothing", "null"),
];

/// Keys and labels that are not as most are.
// The SDK v2 still keeps values as Terraform 0.11 did, in a flat map that joins keys with dots.
pub(super) const KEYS: [&str; 6] = ["UpperCase", "with.dot", "with space", "schlüssel-🦀", "a/b:c", ""];

/// How long a long text is.
const LONG: usize = 5_000;

/// How many elements a large collection has.
pub(super) const LARGE: usize = 100;

pub(super) fn text(which: usize) -> (&'static str, Value) {
    let (label, text) = TEXTS[which % TEXTS.len()];
    if label == "long" { (label, Value::from("x".repeat(LONG))) } else { (label, Value::from(text)) }
}

pub(super) fn number(which: usize) -> (&'static str, Value) {
    let text = NUMBERS[which % NUMBERS.len()];
    (text, Number::parse(text).map_or_else(|_| Value::from(0), Value::from))
}

/// The number of kinds of value for attributes of a dynamic type.
pub(super) const ANYTHING: usize = 6;

pub(super) fn anything(which: usize) -> (&'static str, Value) {
    match which % ANYTHING {
        0 => ("a string", Value::from("text")),
        1 => ("a number", Value::from(42)),
        2 => ("a bool", Value::from(true)),
        3 => ("a tuple", Value::tuple([Value::from(1), Value::from("b"), Value::tuple::<Value>([])])),
        4 => ("an object", Value::object([("b", Value::from(1)), ("a", Value::tuple(["c"]))])),
        _ => ("a list", Value::list(Type::String, ["a", "b"]).unwrap_or_else(|_| Value::tuple(["a", "b"]))),
    }
}
