//! Values of documents as values of the language: nothing is made that is not looked at.

use crate::{Field, FieldKind, Marked};
use objchange_document::json::{Shape, View};
use objchange_sentinel::{List, Map, Members, Text, Value};
use objchange_text::redact::SENSITIVE;

use super::document::CollectionKind;
use super::place::ItemPlace;

/// The value at a path in a part of an item.
pub(super) fn value(place: &ItemPlace, part: Field, path: &mut Vec<u32>, marked: Marked<'_, '_>) -> Value {
    let Some(view) = marked.exact() else { return Value::Null };
    if marked.is_unknown() {
        let name = name(place, part, path, None).unwrap_or_default();
        let seen = match place.kind {
            // There it is as it is in the document.
            CollectionKind::Raw => value(place, part, path, Marked::plain(view)),
            // Sentinel has undefined for a value that is unknown as a whole, and the null of the document within lists.
            _ if path.is_empty() => Value::undefined(),
            _ => Value::Null,
        };
        return Value::unknown(&seen, &name);
    }
    // That something is unknown is not a secret; the keys in it may be.
    let is_open = part.1 == FieldKind::Marks && matches!(view.shape(), Shape::Bool(_) | Shape::Null);
    if !is_open && marked.is_sensitive() {
        place.context.noted.secret();
        if let Some(replacement) = place.context.hiding {
            return match part.1 {
                FieldKind::Marks => Value::Bool(view.has_true()),
                _ => replacement.stand_in(view.shape()),
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
            let mut unknown = Vec::new();
            let has_unknown = marked.has_unknown();
            // No document has as many elements as do not fit, as these take bytes.
            for index in 0..elements.len() as u32 {
                path.push(index);
                if has_unknown && unknown.len() < MOST && marked.element(index as usize).is_unknown() {
                    unknown.extend(name(place, part, path, None).map(|name| (index as usize, name)));
                }
                let element = marked.part(index as usize);
                items.push(element.map_or(Value::Null, |element| value(place, part, path, element)));
                path.pop();
            }
            if place.kind == CollectionKind::Raw {
                let document = place.context.documents.document(place.kind);
                // Lists are in the order of addresses, so that the positions of possible items are unknown.
                let possible = document.possible_in_raw(place.index as usize, path, MOST);
                unknown.extend(possible.into_iter().map(|name| (usize::MAX, name)));
            }
            Value::List(List::partly_unknown(items, unknown))
        }
        Shape::Object(members) => {
            let (place, path) = (place.clone(), path.as_slice().into());
            Value::Map(Map::lazy(Object { place, part, path, count: members.len() }))
        }
    }
}

/// The maximum number of unknown elements of a list to name.
const MOST: usize = 100;

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
    place: ItemPlace,
    part: Field,
    /// Positions of members and elements.
    path: Box<[u32]>,
    count: usize,
}

impl Object {
    fn look<T>(&self, look: impl FnOnce(Marked<'_, '_>) -> Option<T>) -> Option<T> {
        let ItemPlace { context, kind, index, .. } = &self.place;
        context.documents.document(*kind).at(*kind, *index as usize, self.part.0, &self.path, look)
    }

    /// The members that a part of the raw plan lacks because they are unknown.
    fn missing_in_raw(&self) -> Vec<&'static str> {
        let ItemPlace { context, kind, index, .. } = &self.place;
        match kind {
            CollectionKind::Raw => {
                context.documents.document(*kind).missing_in_raw(*index as usize, &self.path)
            }
            _ => Vec::new(),
        }
    }

    /// The lists of a module of the raw plan that may be missing, and a name of what decides that.
    fn optional_in_raw(&self) -> Vec<(&'static str, String)> {
        let ItemPlace { context, kind, index, .. } = &self.place;
        match kind {
            CollectionKind::Raw => {
                context.documents.document(*kind).optional_in_raw(*index as usize, &self.path)
            }
            _ => Vec::new(),
        }
    }
}

/// Names a part of a value for people: its path, and its resource or output. `last` may be a missing key. Keys of
/// sensitive parts are hidden.
fn name(place: &ItemPlace, part: Field, path: &[u32], last: Option<&str>) -> Option<String> {
    let ItemPlace { context, kind, index, .. } = place;
    let name = context.documents.document(*kind).items(*kind, |items| {
        let mut marked = items.part(*index as usize, part.0).ok()??;
        let mut name = String::new();
        // How many keys are between the object of a resource and here, in the plan itself, which does not say beside
        // them what is sensitive. Those of attributes are not.
        let mut within = None;
        let mut add = |name: &mut String, key: &str, marked: Marked<'_, '_>| {
            let dot = if name.is_empty() { "" } else { "." };
            name.push_str(dot);
            let is_hidden = marked.is_sensitive() || within.is_some_and(|within| within > 0);
            name.push_str(if is_hidden { SENSITIVE } else { key });
            within = match within {
                None if *kind == CollectionKind::Raw && matches!(key, "after" | "values") => Some(0),
                within => within.map(|within| within + 1),
            };
        };
        for step in path {
            match marked.exact()?.shape() {
                Shape::Object(members) => add(&mut name, members.at_position(*step as usize)?.0, marked),
                _ => name.push_str(&format!("[{step}]")),
            }
            marked = marked.part(*step as usize)?;
        }
        if let Some(key) = last {
            add(&mut name, key, marked);
        }
        let of = items.key(*index as usize);
        Some(if name.is_empty() { of.to_owned() } else { format!("{name} of {of}") })
    });
    name.ok().flatten()
}

impl Members for Object {
    fn count(&self) -> usize {
        self.count
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.look(|marked| self.place.context.position(marked.exact()?.members(), key))
    }

    fn key(&self, position: usize) -> Text {
        let key = self.look(|marked| {
            let (key, _) = marked.exact()?.members().at_position(position)?;
            Some(Text::from(key))
        });
        key.unwrap_or_else(|| Text::from(""))
    }

    fn value(&self, position: usize) -> Value {
        let ItemPlace { context, kind, index, .. } = &self.place;
        let path_to = || {
            let mut path = Vec::with_capacity(self.path.len() + 1);
            path.extend_from_slice(&self.path);
            path.push(position as u32);
            path
        };
        let make = |marked: Marked<'_, '_>| {
            // The path is for what has parts, or a name.
            let is_plain = |view: View<'_, '_>| !matches!(view.shape(), Shape::Array(_) | Shape::Object(_));
            let is_plain = marked.exact().is_some_and(is_plain) && !marked.is_unknown();
            let mut path = if is_plain { Vec::new() } else { path_to() };
            Some(value(&self.place, self.part, &mut path, marked))
        };
        let value = match kind {
            CollectionKind::Raw => {
                context.documents.document(*kind).at(*kind, *index as usize, self.part.0, &path_to(), make)
            }
            _ => self.look(|marked| make(marked.part(position)?)),
        };
        value.unwrap_or_else(Value::undefined)
    }

    fn reach(&self, path: &[&str]) -> Option<Value> {
        self.place.reach(self.part, &self.path, path)
    }

    fn unknown(&self, key: &str) -> Option<String> {
        let is_marked = self.look(|marked| Some(marked.has_unknown() && marked.member(key).is_unknown()))?;
        let is_unknown = is_marked || self.missing_in_raw().contains(&key);
        is_unknown.then(|| name(&self.place, self.part, &self.path, Some(key))).flatten()
    }

    fn unknowns(&self) -> Vec<String> {
        let keys = self.look(|marked| {
            if !marked.has_unknown() {
                return None;
            }
            let missing = marked.members().filter(|(_, member)| member.exact().is_none());
            Some(missing.map(|(key, _)| key.to_owned()).collect::<Vec<_>>())
        });
        let mut keys = keys.unwrap_or_default();
        keys.extend(self.missing_in_raw().into_iter().map(str::to_owned));
        let name = |key: &String| name(&self.place, self.part, &self.path, Some(key));
        keys.iter().filter_map(name).collect()
    }

    fn optional(&self, key: &str) -> Option<String> {
        // Only these lists may be missing, and looking for that walks through them.
        if !matches!(key, "resources" | "child_modules") {
            return None;
        }
        self.optional_in_raw().into_iter().find(|(list, _)| *list == key).map(|(_, name)| name)
    }

    fn optionals(&self) -> Vec<String> {
        self.optional_in_raw().into_iter().map(|(_, name)| name).collect()
    }
}
