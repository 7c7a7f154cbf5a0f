//! Makes findings from the results of rules.

use std::collections::HashSet;

use objchange_rego::Value;
use objchange_rego::value::shown;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::error::PolicyLocation;
use super::verdict::Finding;

/// The addresses that an input has, to find them in messages. None of them is empty.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    all: HashSet<SmolStr>,
    /// How long the longest of them is.
    longest: usize,
}

impl Addresses {
    pub(super) fn new(input: &Value) -> Self {
        let mut addresses = Self::default();
        let parts =
            ["tfplan", "plan", "tfstate", "tfconfig"].into_iter().filter_map(|name| member(input, name));
        for document in std::iter::once(input).chain(parts) {
            for part in ["resource_changes", "resource_drift", "resources"] {
                addresses.add(member(document, part));
            }
            let planned = member(document, "planned_values");
            addresses.add(planned.and_then(|planned| member(planned, "resources")));
            addresses.add_module(planned.and_then(|planned| member(planned, "root_module")));
            let values = member(document, "values");
            addresses.add_module(values.and_then(|values| member(values, "root_module")));
        }
        addresses
    }

    fn add(&mut self, resources: Option<&Value>) {
        let mut add = |resource: &Value| {
            if let Some(Value::String(address)) = member(resource, "address") {
                // A document may say anything; an empty text is in every message, and leads nowhere in it.
                if !address.is_empty() {
                    self.longest = self.longest.max(address.len());
                    self.all.insert(address.clone());
                }
            }
        };
        match resources {
            Some(Value::Array(items)) => items.iter().for_each(&mut add),
            Some(Value::Object(object)) => object.values().for_each(&mut add),
            Some(Value::Unknown(unknown)) => unknown.certain().into_iter().for_each(&mut add),
            _ => {}
        }
    }

    fn add_module(&mut self, module: Option<&Value>) {
        let Some(module) = module else { return };
        self.add(member(module, "resources"));
        if let Some(Value::Array(modules)) = member(module, "child_modules") {
            modules.iter().for_each(|module| self.add_module(Some(module)));
        }
    }

    /// The one address that a text mentions.
    fn mentioned(&self, text: &str) -> Option<SmolStr> {
        /// Addresses stand near the beginning; long messages hold whole objects.
        const LOOKED_AT: usize = 2000;
        let mut at = 0;
        let mut found: Option<&SmolStr> = None;
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

    fn at_start(&self, text: &str) -> Option<&SmolStr> {
        // A single long address in a document must not make each word of a message look that far.
        let longest = self.longest.min(500);
        let ends =
            text.char_indices().filter(|(_, c)| !is_of_word(*c)).map(|(index, c)| (index, c.len_utf8()));
        let ends = ends.take_while(|(index, _)| *index <= longest);
        // The delimiter may be the end of an address, as `]` is.
        let ends = ends
            .flat_map(|(index, length)| [index, index + length])
            .chain((text.len() <= longest).then_some(text.len()));
        ends.filter_map(|end| self.all.get(text.get(..end)?)).max_by_key(|address| address.len())
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Makes the finding of a message. A message that must not be shown names only its resource.
pub(super) fn finding(
    message: &Value,
    is_shown: bool,
    (rule, place): (&str, &PolicyLocation),
    addresses: &Addresses,
) -> Finding {
    let text = match message {
        Value::Bool(true) => format!("{rule} holds"),
        Value::Object(_) => match member(message, "msg") {
            None => message.to_json(),
            Some(text) => text_of(text).unwrap_or_else(|| text.to_json()),
        },
        Value::Unknown(_) => text_of(message).unwrap_or_else(|| message.to_string()),
        other => text_of(other).unwrap_or_else(|| other.to_json()),
    };
    let named = ["address", "resource_address", "resource"].iter().find_map(|name| {
        let inner = ["details", "metadata"].into_iter().filter_map(|part| member(message, part));
        std::iter::once(message).chain(inner).find_map(|value| match member(value, name) {
            Some(Value::String(address)) => Some(address.clone()),
            Some(value) => member(value, "address").and_then(Value::as_str).map(SmolStr::new),
            None => None,
        })
    });
    // Addresses are not secrets, but a rule may put one in the place of an address.
    let named = named.filter(|address| is_shown || addresses.all.contains(address));
    let address = named.or_else(|| addresses.mentioned(&text)).map(|address| address.to_string());
    let details = match message {
        Value::Object(_) if is_shown => RawValue::from_string(message.to_json()).ok(),
        _ => None,
    };
    Finding { place: place.clone(), address, message: is_shown.then_some(text), details }
}

/// The text of a string, with a placeholder where a part of it is not known.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(shown(text).into_owned()),
        Value::Unknown(unknown) => unknown.text().map(|text| shown(text).into_owned()),
        _ => None,
    }
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.get_str(name)
}
