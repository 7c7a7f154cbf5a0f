//! Secrets, and what is in their place where others read: something of the same type, the same for the same
//! secret.

use std::collections::{BTreeMap, HashSet};

use objchange::schema::Block;
use objchange::value::Kind;
use objchange::{Type, Value};

use super::super::parts::{parts, with_parts};

/// A text that is shorter may be anything, and tells nobody anything.
const SECRET: usize = 4;

/// The replacement of each secret.
#[derive(Clone)]
pub(crate) struct Mask {
    /// Generated texts, which are never secret.
    ours: HashSet<String>,
    texts: BTreeMap<String, String>,
    numbers: Vec<Value>,
    /// The first bool that was replaced; it becomes false.
    first: Option<bool>,
}

impl Mask {
    /// An empty mask. Generated texts are left as they are.
    pub(crate) fn new(ours: HashSet<String>) -> Self {
        Self { ours, texts: BTreeMap::new(), numbers: Vec::new(), first: None }
    }

    /// Adds the values that the schema calls sensitive or write-only in these objects.
    pub(crate) fn learned<'v>(mut self, block: &Block, objects: impl IntoIterator<Item = &'v Value>) -> Self {
        for object in objects {
            self.learn(&block.mark_hidden(object), false);
        }
        self
    }

    fn learn(&mut self, value: &Value, is_hidden: bool) {
        let is_hidden = is_hidden || value.is_marked();
        if is_hidden && let Some(text) = value.as_str() {
            self.text(text);
        }
        if is_hidden && let Some(map) = value.as_map() {
            map.iter().for_each(|(key, _)| drop(self.text(key)));
        }
        if is_hidden || value.contains_marked() {
            parts(value).into_iter().for_each(|part| self.learn(part, is_hidden));
        }
    }

    fn text(&mut self, text: &str) -> String {
        if self.ours.contains(text) {
            return text.to_owned();
        }
        let number = self.texts.len() + 1;
        self.texts.entry(text.to_owned()).or_insert_with(|| format!("secret-{number}")).clone()
    }

    /// The object without its secrets.
    pub(crate) fn object(&mut self, block: &Block, object: &Value) -> Option<Value> {
        self.value(&block.mark_hidden(object), false)
    }

    fn value(&mut self, value: &Value, is_hidden: bool) -> Option<Value> {
        let is_hidden = is_hidden || value.is_marked();
        if !is_hidden {
            return match value.kind() {
                // A provider may put a secret where everybody sees it.
                Kind::String(text) if text.len() >= SECRET && self.texts.contains_key(text) => {
                    Some(Value::from(self.text(text)))
                }
                _ => self.inside(value, false),
            };
        }
        let number = |numbers: &mut Vec<Value>, value: &Value| {
            let known = numbers.iter().position(|number| number == value);
            let position = known.unwrap_or(numbers.len());
            if known.is_none() {
                numbers.push(value.clone());
            }
            Value::from(i64::try_from(position).unwrap_or(i64::MAX).saturating_add(1001))
        };
        match value.kind() {
            Kind::Null => Some(Value::null(value.ty().clone())),
            // Promises about the unknown value may tell of the secret.
            Kind::Unknown(_) => Some(Value::unknown(value.ty().clone())),
            Kind::Bool(_) if !self.ours.is_empty() => Some(value.unmarked().clone()),
            Kind::Number(n) if self.ours.contains(&n.to_string()) => Some(value.unmarked().clone()),
            Kind::Bool(b) => Some(Value::from(*self.first.get_or_insert(b) != b)),
            Kind::Number(_) => Some(number(&mut self.numbers, value.unmarked())),
            Kind::String(text) => Some(Value::from(self.text(text))),
            Kind::Map(map) => {
                let element = value.ty().element().cloned().unwrap_or(Type::Dynamic);
                let entries: Option<Vec<(String, Value)>> =
                    map.iter().map(|(key, part)| Some((self.text(key), self.value(part, true)?))).collect();
                Value::map(element, entries?).ok()
            }
            _ => self.inside(value, true),
        }
    }

    fn inside(&mut self, value: &Value, is_hidden: bool) -> Option<Value> {
        if parts(value).is_empty() || !is_hidden && self.texts.is_empty() && !value.contains_marked() {
            return Some(value.unmarked().clone());
        }
        let masked: Option<Vec<Value>> =
            parts(value).into_iter().map(|part| self.value(part, is_hidden)).collect();
        Some(with_parts(value, masked?)?.unmark().0)
    }
}

/// Whether names of attributes may be content of what people call secret.
pub(crate) fn holds_secret_names(block: &Block, config: &Value) -> bool {
    let mut holds = false;
    config.visit(|_, part| {
        holds |= part.is_marked() && has_object(part.unmarked());
        if holds { objchange::value::Descend::Over } else { objchange::value::Descend::Into }
    });
    holds && block.implied_type().has_dynamic()
}

/// Whether names of attributes may be content of what is hidden.
pub(super) fn hides_names(block: &Block, object: &Value) -> bool {
    let mut hides = false;
    block.mark_hidden(object).visit(|_, part| {
        hides |= part.is_marked() && has_object(part.unmarked());
        if hides { objchange::value::Descend::Over } else { objchange::value::Descend::Into }
    });
    // Where the schema names them, they are not content.
    hides && block.implied_type().has_dynamic()
}

fn has_object(value: &Value) -> bool {
    matches!(value.kind(), Kind::Object(_)) || parts(value).into_iter().any(has_object)
}
