//! The position of a part in a JSON text.

use objchange::value::{Path, PathStep};

use crate::json::{Raw, Reader};

/// The offset of the part of a value at a path, or of the innermost part around it that can be found.
pub(super) fn offset_of(value: Raw<'_>, path: &Path) -> usize {
    let mut part = value;
    for step in path.steps() {
        match below(part, step) {
            Some(inner) => part = inner,
            None => break,
        }
    }
    part.offset()
}

/// The part one step further, inside of the markers that may be around it.
fn below<'t>(mut part: Raw<'t>, step: &PathStep) -> Option<Raw<'t>> {
    let name = match step {
        PathStep::Attribute(name) => Some(name.as_str()),
        PathStep::Index(key) => key.as_str(),
    };
    let position = match step {
        PathStep::Index(key) => key.as_number().and_then(objchange::value::Number::as_u64),
        PathStep::Attribute(_) => None,
    };
    loop {
        let mut reader = part.reader();
        if reader.peek() == Some(b'[') {
            return element(&mut reader, position?);
        }
        let name = name?;
        let (mut found, mut inside, mut others) = (None, None, 0);
        reader
            .members(|key, reader| {
                let value = reader.raw()?;
                match &*key {
                    key if key == name => found = Some(value),
                    "$sensitive" | "$ephemeral" | "$literal" => inside = Some(value),
                    _ => others += 1,
                }
                Ok::<(), crate::json::JsonError>(())
            })
            .ok()?;
        match (found, inside) {
            (Some(found), _) => return Some(found),
            (None, Some(inside)) if others == 0 => part = inside,
            _ => return None,
        }
    }
}

fn element<'t>(reader: &mut Reader<'t>, position: u64) -> Option<Raw<'t>> {
    let mut left = position;
    let mut found = None;
    // It ends early where the element is found.
    let _ = reader.elements(|reader| {
        let value = reader.raw()?;
        if left == 0 {
            found = Some(value);
            return Err(reader.error(""));
        }
        left -= 1;
        Ok(())
    });
    found
}

#[cfg(test)]
mod tests {
    use objchange_text::json::place;

    use super::*;

    #[track_caller]
    fn check(text: &str, path: &str, expected: (usize, usize)) {
        let offset = offset_of(Reader::new(text).raw().unwrap(), &path.parse().unwrap());
        assert_eq!(place(text, offset), expected, "{path}");
    }

    #[test]
    fn parts_are_found_by_their_path() {
        let text = "\n{\"a\": [1,\n  {\"b\":{\"$sensitive\":{\"c\": 2}}}]}";
        check(text, "", (2, 1));
        check(text, "a", (2, 7));
        check(text, "a[0]", (2, 8));
        check(text, "a[1].b", (3, 8));
        check(text, "a[1].b.c", (3, 28));
    }

    #[test]
    fn what_is_not_there_gives_the_place_around_it() {
        check("{\"a\": [1]}", "a[3]", (1, 7));
        check("{\"a\": [1]}", "b", (1, 1));
        check("nothing", "b.c", (1, 1));
    }
}
