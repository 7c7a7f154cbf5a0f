//! Negative zeros of a state file, which Terraform shows as `-0`. A number of the engine has no sign at zero.

use memchr::memmem;

use crate::json::{Json, Shape, View};

/// A value as it is written, with a sign at each zero that has one in the state file.
pub(super) fn with_negative_zeros(kept: &str, written: String) -> String {
    if !may_have_one(kept) {
        return written;
    }
    let (Ok(before), Ok(after)) = (Json::parse(kept), Json::parse(&written)) else { return written };
    let mut places = Vec::new();
    let mut waiting = vec![(before.view(), after.view())];
    while let Some((before, after)) = waiting.pop() {
        match (before.shape(), after.shape()) {
            (Shape::Number(number), Shape::Number("0")) if is_negative_zero(number) => {
                places.extend(offset(&written, after));
            }
            (Shape::Array(before), Shape::Array(after)) if before.len() == after.len() => {
                waiting.extend(std::iter::zip(before.iter(), after.iter()));
            }
            (Shape::Object(before), Shape::Object(after)) => {
                let same = after.iter().filter_map(|(key, after)| {
                    Some((before.position(key).and_then(|position| before.value_at(position))?, after))
                });
                waiting.extend(same);
            }
            _ => {}
        }
        // A dynamic value is kept with its type.
        if let Some(before) = before.get("value").filter(|_| before.get("type").is_some())
            && (after.get("value").is_none() || after.get("type").is_none())
        {
            waiting.push((before, after));
        }
    }
    // The stack gives zeros in another order than the text.
    places.sort_unstable();
    let mut signed = String::with_capacity(written.len() + places.len());
    let mut done = 0;
    for place in places {
        signed.push_str(&written[done..place]);
        signed.push('-');
        done = place;
    }
    signed + &written[done..]
}

/// Without reading all of it: whether a number may begin with this somewhere.
fn may_have_one(kept: &str) -> bool {
    memmem::find_iter(kept.as_bytes(), "-0").any(|at| {
        let before = kept.as_bytes()[..at].iter().rev().find(|byte| !byte.is_ascii_whitespace());
        before.is_none_or(|byte| b":,[".contains(byte))
    })
}

fn is_negative_zero(number: &str) -> bool {
    let digits = number.strip_prefix('-').and_then(|number| number.split(['e', 'E']).next());
    digits.is_some_and(|digits| digits.bytes().all(|byte| b"0.".contains(&byte)))
}

/// The byte at which a number begins in the text it was read from.
fn offset(text: &str, number: View<'_, '_>) -> Option<usize> {
    let Shape::Number(number) = number.shape() else { return None };
    let offset = (number.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    (text.get(offset..)?.starts_with(number)).then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_kept() {
        for (kept, written, expected) in [
            ("-0", "0", "-0"),
            ("0", "0", "0"),
            ("-0.00e7", "0", "-0"),
            ("-0.5", "-0.5", "-0.5"),
            (r#"{"b": [1, -0], "a": -0.0}"#, r#"{"a":0,"b":[1,0]}"#, r#"{"a":-0,"b":[1,-0]}"#),
            (r#"{"a": {"value": [-0], "type": ["tuple", ["number"]]}}"#, r#"{"a":[0]}"#, r#"{"a":[-0]}"#),
            (r#"{"value": -0, "type": "x"}"#, r#"{"type":"x","value":0}"#, r#"{"type":"x","value":-0}"#),
            (r#"["a-0", ":-0"]"#, r#"["a-0",":-0"]"#, r#"["a-0",":-0"]"#),
            ("[-0, 1]", "[0]", "[0]"),
        ] {
            assert_eq!(with_negative_zeros(kept, written.to_owned()), expected, "{kept}");
        }
    }
}
