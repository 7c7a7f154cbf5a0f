//! Values of documents as values of the language: nothing is made that is not looked at.

use objchange_plan::{Marked, Shape};
use objchange_sentinel::{Map, Members, Text, Value};

use super::place::{Part, Place};

/// The value at a path in a part of an item.
pub(super) fn value(place: &Place, part: Part, path: &mut Vec<u32>, marked: Marked<'_, '_>) -> Value {
    let Some(view) = marked.exact() else { return Value::Null };
    // That something is unknown is no secret; the keys in it may be.
    let is_open = part == Part::Unknown && matches!(view.shape(), Shape::Bool(_) | Shape::Null);
    if !is_open && marked.is_sensitive() {
        place.visit.noted.secret();
        if let Some(replacement) = place.visit.hiding {
            return match part {
                Part::Unknown => Value::Bool(view.has_true()),
                _ => replacement.value(),
            };
        }
    }
    match view.shape() {
        Shape::Null => Value::Null,
        Shape::Bool(bool) => Value::Bool(bool),
        Shape::Number(text) => number(text),
        Shape::String(text) => Value::from(text),
        Shape::Array(elements) => {
            let mut items = Vec::with_capacity(elements.len());
            // No document has as many elements as do not fit, as these take bytes.
            for index in 0..elements.len() as u32 {
                path.push(index);
                let element = marked.part(index as usize);
                items.push(element.map_or(Value::Null, |element| value(place, part, path, element)));
                path.pop();
            }
            Value::from(items)
        }
        Shape::Object(members) => {
            let (place, path) = (place.clone(), path.as_slice().into());
            Value::Map(Map::lazy(Object { place, part, path, count: members.len() }))
        }
    }
}

/// An integer where it is written as one and fits in 64 bits, and else a double.
pub(super) fn number(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(integer) => Value::Int(integer),
        // Every number of JSON is one of Rust; beyond the largest double it is infinite.
        Err(_) => Value::Float(text.parse().unwrap_or(f64::NAN)),
    }
}

/// An object of a document: where it is. It is found anew each time, because the document is of all threads, and this of
/// one run.
struct Object {
    place: Place,
    part: Part,
    /// Positions of members and elements.
    path: Box<[u32]>,
    count: usize,
}

impl Object {
    fn look<T>(&self, look: impl FnOnce(Marked<'_, '_>) -> Option<T>) -> Option<T> {
        let Place { visit, of, index, .. } = &self.place;
        let found = visit.shelf.document(*of).items(*of, |items| {
            let mut marked = items.part(*index as usize, self.part).ok()??;
            for step in &self.path {
                marked = marked.part(*step as usize)?;
            }
            look(marked)
        });
        found.ok().flatten()
    }
}

impl Members for Object {
    fn count(&self) -> usize {
        self.count
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.look(|marked| marked.exact()?.members().position(key))
    }

    fn key(&self, position: usize) -> Text {
        let key = self.look(|marked| {
            let (key, _) = marked.exact()?.members().at_position(position)?;
            Some(Text::from(key))
        });
        key.unwrap_or_else(|| Text::from(""))
    }

    fn value(&self, position: usize) -> Value {
        let value = self.look(|marked| {
            let mut path = self.path.to_vec();
            path.push(position as u32);
            Some(value(&self.place, self.part, &mut path, marked.part(position)?))
        });
        value.unwrap_or_else(Value::undefined)
    }
}
