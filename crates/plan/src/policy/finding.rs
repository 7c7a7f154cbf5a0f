//! From what rules give to what is reported.

use std::collections::HashSet;

use regorus::{Rc, Value};
use serde_json::value::RawValue;

use super::verdict::Finding;

/// What a rule says, one by one: the members of a set or array, or the value of a rule that is none.
pub(super) fn messages(value: &Value) -> Vec<Value> {
    match value {
        Value::Undefined | Value::Null | Value::Bool(false) => Vec::new(),
        Value::Set(items) => items.iter().cloned().collect(),
        Value::Array(items) => items.iter().cloned().collect(),
        // Partial rules such as `deny[key] := value` of which nothing holds.
        Value::Object(object) if object.is_empty() => Vec::new(),
        other => vec![other.clone()],
    }
}

/// The addresses that an input has, to find them in messages.
#[derive(Debug, Default)]
pub(super) struct Addresses(HashSet<Rc<str>>);

impl Addresses {
    pub(super) fn of(input: &Value) -> Self {
        let mut addresses = Self::default();
        for document in [input, &input["tfplan"], &input["plan"], &input["tfstate"], &input["tfconfig"]] {
            for part in ["resource_changes", "resource_drift", "resources"] {
                addresses.add(&document[part]);
            }
            addresses.add(&document["planned_values"]["resources"]);
            addresses.add_module(&document["planned_values"]["root_module"]);
            addresses.add_module(&document["values"]["root_module"]);
        }
        addresses
    }

    fn add(&mut self, resources: &Value) {
        let mut add = |resource: &Value| {
            if let Value::String(address) = &resource["address"] {
                self.0.insert(address.clone());
            }
        };
        match resources {
            Value::Array(items) => items.iter().for_each(&mut add),
            Value::Object(object) => object.values().for_each(&mut add),
            _ => {}
        }
    }

    fn add_module(&mut self, module: &Value) {
        self.add(&module["resources"]);
        if let Value::Array(modules) = &module["child_modules"] {
            modules.iter().for_each(|module| self.add_module(module));
        }
    }

    /// The one address that a text mentions.
    fn mentioned(&self, text: &str) -> Option<Rc<str>> {
        /// Addresses stand near the beginning; long messages hold whole objects.
        const LOOKED_AT: usize = 2000;
        let mut at = 0;
        let mut found: Option<&Rc<str>> = None;
        while at < text.len().min(LOOKED_AT) {
            let rest = &text[at..];
            match self.at_start(rest) {
                Some(address) if found.is_some_and(|found| found != address) => return None,
                Some(address) => {
                    found = Some(address);
                    at += address.len();
                }
                None => {
                    // On to the next word.
                    let word = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
                    let after = &rest[word..];
                    at += word + after.find(is_of_word).unwrap_or(after.len());
                }
            }
        }
        found.cloned()
    }

    fn at_start(&self, text: &str) -> Option<&Rc<str>> {
        const LONGEST: usize = 500;
        let ends =
            text.char_indices().filter(|(_, c)| !is_of_word(*c)).map(|(index, c)| (index, c.len_utf8()));
        let ends = ends.take_while(|(index, _)| *index <= LONGEST);
        // The delimiter may be the end of an address, as `]` is.
        let ends = ends.flat_map(|(index, length)| [index, index + length]).chain([text.len().min(LONGEST)]);
        ends.filter_map(|end| self.0.get(text.get(..end)?)).max_by_key(|address| address.len())
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// What is reported of a message; of one that must not be shown, only which resource it is about.
pub(super) fn finding(message: &Value, is_shown: bool, rule: &str, addresses: &Addresses) -> Finding {
    let text = match message {
        Value::String(text) => text.to_string(),
        Value::Bool(true) => format!("{rule} holds"),
        Value::Object(_) => match &message["msg"] {
            Value::String(text) => text.to_string(),
            Value::Undefined => json(message),
            other => json(other),
        },
        other => json(other),
    };
    let named = ["address", "resource_address", "resource"].iter().find_map(|name| {
        [&message[*name], &message["details"][*name], &message["metadata"][*name]].into_iter().find_map(
            |value| match value {
                Value::String(address) => Some(address.clone()),
                Value::Object(_) => value["address"].as_string().ok().cloned(),
                _ => None,
            },
        )
    });
    // Addresses are no secrets, but a rule may put one in the place of an address.
    let named = named.filter(|address| is_shown || addresses.0.contains(address));
    let address = named.or_else(|| addresses.mentioned(&text)).map(|address| address.to_string());
    let details = match message {
        Value::Object(_) if is_shown => RawValue::from_string(json(message)).ok(),
        _ => None,
    };
    Finding { address, message: is_shown.then_some(text), details }
}

fn json(value: &Value) -> String {
    value.to_string()
}
