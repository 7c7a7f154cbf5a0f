//! The order in which people expect addresses: `a[2]` before `a[10]`.

use std::cmp::Ordering;

/// Compares addresses, their digits as numbers. An address is before those inside of it, and these before its instances.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        let (number_of_a, number_of_b) = (number(a), number(b));
        let order = match (a.split_first(), b.split_first()) {
            (Some(_), Some(_)) if !number_of_a.is_empty() && !number_of_b.is_empty() => {
                (a, b) = (&a[number_of_a.len()..], &b[number_of_b.len()..]);
                compare_numbers(number_of_a, number_of_b)
            }
            (Some((x, rest_of_a)), Some((y, rest_of_b))) => {
                (a, b) = (rest_of_a, rest_of_b);
                place(*x).cmp(&place(*y))
            }
            (x, y) => return x.is_some().cmp(&y.is_some()),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// The digits at the start of a text.
fn number(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

/// Numbers may be longer than any integer type. Equal ones are ordered by their zeros, so that no two texts are equal.
fn compare_numbers(a: &[u8], b: &[u8]) -> Ordering {
    let [x, y] = [a, b].map(|digits| {
        let start = digits.iter().position(|digit| *digit != b'0').unwrap_or(digits.len());
        &digits[start..]
    });
    x.len().cmp(&y.len()).then_with(|| x.cmp(y)).then_with(|| a.len().cmp(&b.len()))
}

/// Separators between the parts of an address come before everything that a name may have.
fn place(byte: u8) -> (bool, u8) {
    match byte {
        b'.' => (false, 0),
        b'[' => (false, 1),
        byte => (true, byte),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_and_numbers_come_in_their_order() {
        let sorted = [
            "",
            "module.m",
            "module.m.module.k",
            "module.m[\"k2\"]",
            "module.m[\"k10\"]",
            "module.m[1]",
            "module.m[01]",
            "module.m[2]",
            "module.m[2].a.b",
            "module.m[10]",
            "module.m[99999999999999999999999]",
            "module.m-x",
            "module.m2",
            "module.m10",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(natural(a, b), i.cmp(&j), "{a} {b}");
            }
        }
    }

    proptest! {
        #[test]
        fn it_is_an_order(texts in prop::collection::vec("[ab.\\[019]{0,6}", 3)) {
            let [a, b, c] = [&*texts[0], &*texts[1], &*texts[2]];
            prop_assert_eq!(natural(a, b), natural(b, a).reverse());
            prop_assert_eq!(natural(a, b).is_eq(), a == b);
            prop_assert!(!(natural(a, b).is_le() && natural(b, c).is_le()) || natural(a, c).is_le());
        }
    }
}
