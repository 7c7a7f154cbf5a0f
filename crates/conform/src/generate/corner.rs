//! Values that often make providers fail.

use objchange::value::Number;
use objchange::{Type, Value};

/// Numbers as text: around zero, not whole, and beyond the range or precision of common types. Negative zero is zero to
/// Terraform.
pub(super) const NUMBERS: [&str; 9] = [
    "0",
    "-1",
    // No double is exactly 0.1, so it is sent as text, and a provider may answer with a double.
    "0.1",
    // Larger than any double.
    "1e400",
    // 2^53 + 1 is the first whole number that is not a double.
    "9007199254740993",
    // 2^64 does not fit into 64 bits. go-cty sends such a number as text.
    "18446744073709551616",
    // One less than the least signed number of 64 bits.
    "-9223372036854775809",
    // 2^31 does not fit into a signed number of 32 bits.
    "2147483648",
    "1.5",
];

/// Texts, each with its special feature.
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

/// Unusual keys and labels.
// The SDK v2 still stores values like Terraform 0.11: in a flat map whose keys are joined with dots.
pub(super) const KEYS: [&str; 6] = ["UpperCase", "with.dot", "with space", "schlüssel-🦀", "a/b:c", ""];

/// The length of a long text.
const LONG: usize = 5_000;

/// The number of elements in a large collection.
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
