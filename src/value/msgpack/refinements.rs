//! Refinements of an unknown value in MessagePack: the payload of its extension.
//!
//! A map with integer keys. A reader skips unknown keys, and bytes after the map.

use rmp::encode::{self, ByteBuf};
use unicode_segmentation::UnicodeSegmentation;

use super::MsgpackProblem::{self, LengthOutOfRange, RepeatedPromise, WrongCount};
use super::cursor::Cursor;
use super::write::write_number;
use super::{MAX_BOUND, MAX_PREFIX};
use crate::value::{Bound, Number, Refinements};

const NULLNESS: i128 = 1;
const STRING_PREFIX: i128 = 2;
const NUMBER_LOWER: i128 = 3;
const NUMBER_UPPER: i128 = 4;
const LENGTH_LOWER: i128 = 5;
const LENGTH_UPPER: i128 = 6;

/// Reads promises; `None` if it is known that the value is null.
pub(super) fn read(payload: &[u8]) -> Result<Option<Refinements>, MsgpackProblem> {
    let mut cursor = Cursor::new(payload);
    let mut refinements = Refinements::default();
    let mut is_null = false;
    let mut seen = [false; 7];
    for _ in 0..cursor.map_len("a map of promises")? {
        let key = cursor.integer("an integer as key of a promise")?;
        if let Some(seen) = usize::try_from(key).ok().and_then(|key| seen.get_mut(key))
            && std::mem::replace(seen, true)
        {
            return Err(RepeatedPromise);
        }
        match key {
            NULLNESS => {
                is_null = cursor.bool()?;
                refinements.not_null = !is_null;
            }
            STRING_PREFIX => refinements.string_prefix = Some(cursor.text("a string prefix")?.into()),
            NUMBER_LOWER => {
                let bound = read_bound(&mut cursor)?;
                refinements.number_lower = Some(bound).filter(|b| b.value != Number::neg_infinity());
            }
            NUMBER_UPPER => {
                let bound = read_bound(&mut cursor)?;
                refinements.number_upper = Some(bound).filter(|b| b.value != Number::infinity());
            }
            LENGTH_LOWER => refinements.length_lower = Some(read_length(&mut cursor)?),
            LENGTH_UPPER => refinements.length_upper = Some(read_length(&mut cursor)?),
            _ => cursor.skip()?,
        }
    }
    Ok(if is_null { None } else { Some(refinements) })
}

fn read_bound(cursor: &mut Cursor<'_>) -> Result<Bound, MsgpackProblem> {
    match cursor.array_len("an array of a number and a bool")? {
        2 => Ok(Bound { value: cursor.number()?, inclusive: cursor.bool()? }),
        found => Err(WrongCount { expected: 2, found }),
    }
}

fn read_length(cursor: &mut Cursor<'_>) -> Result<u64, MsgpackProblem> {
    cursor.integer("a length")?.try_into().map_err(|_| LengthOutOfRange)
}

/// Writes promises; `None` if none of them can be written.
pub(super) fn write(refinements: &Refinements) -> Option<Vec<u8>> {
    let mut entries = ByteBuf::new();
    let mut count = 0;
    let mut key = |key: i128, entries: &mut ByteBuf| {
        count += 1;
        let Ok(_) = encode::write_sint(entries, key as i64);
    };
    if refinements.not_null {
        key(NULLNESS, &mut entries);
        let Ok(()) = encode::write_bool(&mut entries, false);
    }
    for (number, bound) in
        [(NUMBER_LOWER, &refinements.number_lower), (NUMBER_UPPER, &refinements.number_upper)]
    {
        if let Some(bound) = bound.as_ref().and_then(write_bound) {
            key(number, &mut entries);
            entries.as_mut_vec().extend(bound);
        }
    }
    if let Some(prefix) = refinements.string_prefix.as_deref().map(safe_prefix).filter(|p| !p.is_empty()) {
        key(STRING_PREFIX, &mut entries);
        let Ok(()) = encode::write_str(&mut entries, prefix);
    }
    if let Some(length) = refinements.length_lower.filter(|n| *n > 0) {
        key(LENGTH_LOWER, &mut entries);
        let Ok(_) = encode::write_uint(&mut entries, length);
    }
    if let Some(length) = refinements.length_upper.filter(|n| *n < i64::MAX as u64) {
        key(LENGTH_UPPER, &mut entries);
        let Ok(_) = encode::write_uint(&mut entries, length);
    }
    if count == 0 {
        return None;
    }
    let mut payload = ByteBuf::new();
    let Ok(_) = encode::write_map_len(&mut payload, count);
    payload.as_mut_vec().extend(entries.into_vec());
    Some(payload.into_vec())
}

/// An infinite bound promises nothing, and one that is too long for an extension cannot be promised.
fn write_bound(bound: &Bound) -> Option<Vec<u8>> {
    let mut out = ByteBuf::new();
    let Ok(_) = encode::write_array_len(&mut out, 2);
    write_number(&bound.value, &mut out);
    let Ok(()) = encode::write_bool(&mut out, bound.inclusive);
    Some(out.into_vec()).filter(|bytes| bound.value.is_finite() && bytes.len() <= MAX_BOUND)
}

/// As much of a prefix as is written: whole characters, as readers see them.
fn safe_prefix(prefix: &str) -> &str {
    if prefix.len() <= MAX_PREFIX {
        return prefix;
    }
    let end = prefix
        .grapheme_indices(true)
        .map(|(start, _)| start)
        .take_while(|start| *start <= MAX_PREFIX)
        .last()
        .unwrap_or(0);
    &prefix[..end]
}

#[cfg(test)]
mod tests {
    use super::safe_prefix;

    #[test]
    fn a_long_prefix_is_cut_between_characters_as_readers_see_them() {
        let ascii = "x".repeat(300);
        assert_eq!(safe_prefix(&ascii), &ascii[..256]);
        // Each character is a family emoji, which takes 18 bytes.
        let families = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}".repeat(30);
        assert_eq!(safe_prefix(&families).len(), 252);
        // A character that is longer than all that is written leaves nothing.
        let tower = format!("a{}", "\u{300}".repeat(200));
        assert_eq!(safe_prefix(&tower), "");
    }
}
