//! JSON objects as maps whose values are made on demand.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{List, Map, Members, Text, Value};

/// The value of a document, with objects made on demand.
pub(crate) fn of_document(root: &Arc<Json>) -> Value {
    value(root, &[], root)
}

/// A step from a value to a part of it.
#[derive(Clone)]
enum ValueStep {
    Key(Text),
    Index(usize),
}

/// An object: where it is in its document, which is shared by all threads, and its keys in their order.
struct Object {
    root: Arc<Json>,
    path: Vec<ValueStep>,
    keys: Vec<Text>,
}

fn value(root: &Arc<Json>, path: &[ValueStep], json: &Json) -> Value {
    match json {
        Json::Array(items) => {
            let within = |(index, item)| value(root, &[path, &[ValueStep::Index(index)]].concat(), item);
            Value::List(List::from(items.iter().enumerate().map(within).collect::<Vec<_>>()))
        }
        Json::Object(members) => {
            let mut keys: Vec<Text> = members.keys().map(|key| Text::from(key.as_str())).collect();
            // The language leaves the order of keys open; sorted keys make equal inputs give equal output.
            keys.sort_unstable();
            Value::Map(Map::lazy(Object { root: Arc::clone(root), path: path.to_vec(), keys }))
        }
        plain => super::from_json(plain),
    }
}

impl Object {
    fn json(&self) -> Option<&Json> {
        self.path.iter().try_fold(&*self.root, |json, step| match step {
            ValueStep::Key(key) => json.get(key.as_str()?),
            ValueStep::Index(index) => json.get(*index),
        })
    }
}

impl Members for Object {
    fn count(&self) -> usize {
        self.keys.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.keys.binary_search_by(|other| other.as_bytes().cmp(key.as_bytes())).ok()
    }

    fn key(&self, position: usize) -> Text {
        self.keys[position].clone()
    }

    fn value(&self, position: usize) -> Value {
        let key = &self.keys[position];
        // Each value is found by its path from the root: a borrowed part of the document could not live in a
        // value, and a copy would take as much memory as the document.
        let json = self.json().zip(key.as_str()).and_then(|(json, key)| json.get(key));
        json.map_or_else(Value::undefined, |json| {
            value(&self.root, &[&self.path[..], &[ValueStep::Key(key.clone())]].concat(), json)
        })
    }
}
