//! Where a part stands in a JSON text.

use std::collections::BTreeMap;

use objchange::value::{Path, PathStep};
use serde_json::value::RawValue;

/// The line and column, both from 1 and the column in bytes, of an offset.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    (before.iter().filter(|b| **b == b'\n').count() + 1, before.len() - line_start + 1)
}

/// The offset of a line and column.
pub(super) fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    before + column.saturating_sub(1)
}

/// The offset of the part at a path, or of the innermost part around it that can be found.
pub(super) fn offset_of(text: &str, path: &Path) -> usize {
    let mut part = text.trim_start();
    for step in path.steps() {
        match below(part, step) {
            Some(inner) => part = inner,
            None => break,
        }
    }
    offset_in(text, part)
}

/// Where a part of a text begins in it.
pub(super) fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The text of the part one step further, inside of the markers that may stand around it.
fn below<'t>(text: &'t str, step: &PathStep) -> Option<&'t str> {
    if !text.starts_with('{') {
        let PathStep::Index(key) = step else { return None };
        let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        return elements.get(key.as_number()?.as_u64()? as usize).map(|raw| raw.get());
    }
    let name = match step {
        PathStep::Attribute(name) => name.as_str(),
        PathStep::Index(key) => key.as_str()?,
    };
    let object: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    if let Some(raw) = object.get(name) {
        return Some(raw.get());
    }
    let (marker, inside) = object.first_key_value()?;
    let is_marker = object.len() == 1 && matches!(marker.as_str(), "$sensitive" | "$ephemeral" | "$literal");
    if is_marker { below(inside.get(), step) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &str, expected: (usize, usize)) {
        let offset = offset_of(text, &path.parse().unwrap());
        assert_eq!(line_and_column(text, offset), expected, "{path}");
    }

    #[test]
    fn parts_are_found_by_their_path() {
        let text = "\n{\"a\": [1,\n  {\"b\":{\"$sensitive\":{\"c\": 2}}}]}";
        check(text, "", (2, 1));
        assert_eq!(offset(text, 2, 7), offset_of(text, &"a".parse().unwrap()));
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
