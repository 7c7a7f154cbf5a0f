//! Sets iterate in the order of the text rule, written here a second time and as plainly as can be.

use std::cmp::Ordering;

use objchange::value::{Kind, Number};
use objchange::{Type, Value};
use objchange_text::quote_into;
use proptest::prelude::*;

use crate::common::{Content, number, ty, value};

/// In at most ten significant digits, as C's `%.10g` writes it.
fn ten_digits(decimal: &str) -> String {
    let (sign, digits) = decimal.strip_prefix('-').map_or(("", decimal), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let mut exponent = whole.len() as i64 - (all.len() - significant.len()) as i64 - 1;
    let (head, rest) = significant.split_at(significant.len().min(10));
    let mut kept: u64 = head.parse().unwrap();
    let half = format!("5{}", "0".repeat(rest.len().saturating_sub(1)));
    let up = match rest.cmp(half.as_str()) {
        _ if rest.is_empty() => false,
        Ordering::Equal => kept % 2 == 1,
        order => order == Ordering::Greater,
    };
    kept += u64::from(up);
    let mut kept = kept.to_string();
    // The digits overflowed into one more.
    exponent += kept.len() as i64 - head.len() as i64;
    kept.truncate(kept.trim_end_matches('0').len());
    let text = match exponent {
        -4..0 => format!("0.{}{kept}", "0".repeat((-exponent - 1) as usize)),
        0..10 => {
            let point = exponent as usize + 1;
            let padded = format!("{kept:0<point$}");
            let (whole, fraction) = padded.split_at(point);
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        _ => {
            let (first, rest) = kept.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{first}{point}{rest}e{sign}{:02}", exponent.abs())
        }
    };
    format!("{sign}{text}")
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            ' '..='~' => out.push(c),
            // Printable characters are a separate table.
            _ => {
                let mut one = String::new();
                quote_into(c.encode_utf8(&mut [0; 4]), &mut one);
                out.push_str(&one[1..one.len() - 1]);
            }
        }
    }
    out + "\""
}

/// The text that an element is ordered by.
fn key(value: &Value) -> String {
    let all = |values: &[Value]| values.iter().map(|v| key(v) + ";").collect::<String>();
    match value.kind() {
        Kind::Unknown(_) => "?".to_owned(),
        Kind::Null => "~".to_owned(),
        Kind::Bool(b) => if b { "T" } else { "F" }.to_owned(),
        Kind::Number(n) => ten_digits(&n.to_string()),
        Kind::String(s) => quoted(s),
        Kind::List(values) => format!("[{}]", all(values)),
        Kind::Set(values) => {
            let mut values = values.to_vec();
            values.sort_by(compare);
            format!("[{}]", all(&values))
        }
        Kind::Map(map) => {
            let entries: String = map.iter().map(|(k, v)| format!("{}:{};", quoted(k), key(v))).collect();
            format!("{{{entries}}}")
        }
        Kind::Tuple(values) => format!("<{}>", all(values)),
        Kind::Object(object) => format!("<{}>", all(object.values())),
    }
}

fn compare(a: &Value, b: &Value) -> Ordering {
    let rank = |value: &Value| if value.is_null() { 2 } else { u8::from(!value.is_known()) };
    rank(a).cmp(&rank(b)).then_with(|| match (a.kind(), b.kind()) {
        (Kind::Bool(a), Kind::Bool(b)) => a.cmp(&b),
        (Kind::Number(a), Kind::Number(b)) => a.cmp(b),
        (Kind::String(a), Kind::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => key(a).as_bytes().cmp(key(b).as_bytes()),
    })
}

/// A type, elements of it, and the same elements in another order.
fn elements() -> impl Strategy<Value = (Type, Vec<Value>, Vec<Value>)> {
    ty().prop_flat_map(|ty| {
        let elements = prop::collection::vec(value(&ty, Content::UNMARKED), 0..9);
        (Just(ty), elements)
            .prop_flat_map(|(ty, elements)| (Just(ty), Just(elements.clone()), Just(elements).prop_shuffle()))
    })
}

proptest! {
    #![proptest_config(crate::common::cases(1500))]

    #[test]
    fn follows_the_text_rule((ty, elements, shuffled) in elements()) {
        let set = Value::set(ty.clone(), elements.iter().cloned()).unwrap();
        let mut want: Vec<Value> = Vec::new();
        for element in &elements {
            if want.iter().all(|other| other.equals(element) != Some(true)) {
                want.push(element.clone());
            }
        }
        want.sort_by(compare);
        prop_assert_eq!(set.as_elements().unwrap(), &want);

        let again = Value::set(ty, shuffled).unwrap();
        let keys = |set: &Value| set.as_elements().unwrap().iter().map(key).collect::<Vec<_>>();
        let tied = want.windows(2).any(|pair| compare(&pair[0], &pair[1]).is_eq());
        if tied {
            prop_assert_eq!(again.len(), set.len());
            let compound = want.iter().all(|e| !e.ty().is_primitive());
            prop_assert!(!compound || keys(&again) == keys(&set));
        } else {
            prop_assert_eq!(again, set);
        }
    }

    #[test]
    fn numbers_are_written_in_ten_digits(n in number()) {
        let rounded = Number::parse(&ten_digits(&n.to_string())).unwrap();
        let [one, other] = [n, rounded].map(|n| Value::tuple([Value::from(n)]));
        // Both have one key, so the one that was put in first comes first.
        for pair in [[&one, &other], [&other, &one]] {
            let set = Value::set(one.ty().clone(), pair.into_iter().cloned()).unwrap();
            prop_assert_eq!(set.as_elements().unwrap().first(), Some(pair[0]));
        }
    }
}
