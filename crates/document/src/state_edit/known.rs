//! The facts that a schema gives about a stored object.

use std::collections::BTreeMap;

use objchange::value::{Marks, Path};
use objchange::{Type, Value};
use serde_json::value::{RawValue, to_raw_value};

use super::StoredObject;

impl StoredObject {
    /// The attributes without those that the type does not have; none if that leaves nothing out.
    pub fn known_attributes(&self, ty: &Type) -> Option<Box<RawValue>> {
        known_part(&self.attributes, ty)
    }

    /// The object with what is stored as sensitive marked, or the innermost part around it that is there.
    pub fn mark(&self, object: &Value) -> Value {
        let reached = |path: &Path| -> Path {
            let steps = path.steps();
            let prefix = |n: usize| steps[..n].iter().cloned().collect::<Path>();
            (0..=steps.len()).rev().map(prefix).find(|path| object.at(path).is_some()).unwrap_or_default()
        };
        let marks: Vec<(Path, Marks)> =
            self.sensitive.iter().map(|path| (reached(path), Marks::SENSITIVE)).collect();
        object.mark_where_present(&marks)
    }
}

/// The stored value without the attributes that its type does not have; `None` where none can be left out.
fn known_part(stored: &RawValue, ty: &Type) -> Option<Box<RawValue>> {
    let part = |raw: Box<RawValue>, ty: &Type| known_part(&raw, ty).unwrap_or(raw);
    match ty {
        Type::Object(object) => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            let known = members.into_iter().filter_map(|(name, raw)| {
                let ty = object.attribute(&name)?;
                Some((name, part(raw, ty)))
            });
            to_raw_value(&known.collect::<BTreeMap<_, _>>()).ok()
        }
        Type::List(element) | Type::Set(element) => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            to_raw_value(&elements.into_iter().map(|raw| part(raw, element)).collect::<Vec<_>>()).ok()
        }
        Type::Map(element) => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            let known = members.into_iter().map(|(key, raw)| (key, part(raw, element)));
            to_raw_value(&known.collect::<BTreeMap<_, _>>()).ok()
        }
        Type::Tuple(tuple) => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            let same_length = elements.len() == tuple.elements().len();
            let known = elements.into_iter().zip(tuple.elements()).map(|(raw, ty)| part(raw, ty));
            same_length.then(|| to_raw_value(&known.collect::<Vec<_>>()).ok())?
        }
        Type::Dynamic | Type::String | Type::Number | Type::Bool => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_type_does_not_have_is_left_out_and_all_else_kept() {
        let disk = Type::object([("size", Type::Number), ("any", Type::Dynamic)]);
        let ty = Type::object([
            ("disks", Type::list(disk.clone())),
            ("by_name", Type::map(disk.clone())),
            ("pair", Type::tuple([disk, Type::String])),
            ("name", Type::String),
        ]);
        let stored = r#"{"disks":[{"size":0.10000000000000000000000001,"old":{"a":1}},null],"old":[1],
            "by_name":{"old":{"old":2,"any":{"value":{"old":1},"type":["object",{"old":"number"}]}}},
            "pair":[{"old":3},"x"],"name":{"old":4}}"#;
        let known = r#"{"by_name":{"old":{"any":{"value":{"old":1},"type":["object",{"old":"number"}]}}},"#
            .to_owned()
            + r#""disks":[{"size":0.10000000000000000000000001},null],"name":{"old":4},"pair":[{},"x"]}"#;
        let stored = RawValue::from_string(stored.into()).unwrap();
        assert_eq!(known_part(&stored, &ty).unwrap().get(), known);
    }
}
