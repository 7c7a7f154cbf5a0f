//! The elements that made a policy or a rule false.

use objchange_sentinel::{Element, Location, Reason, Value, Witness, Witnesses};
use objchange_text::redact::SENSITIVE;
use serde::Serialize;
use serde_json::Value as Json;

use super::super::Imports;

/// An element that made something false or undefined.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WitnessReport {
    /// The resource that it is, or is a part of.
    pub address: Option<String>,
    /// The keys and indexes, from the outermost collection to the innermost.
    pub keys: Vec<Json>,
    /// The element, if it is a text, a number or a bool: an index alone says little.
    pub element: Option<Json>,
    /// The reason, as a word.
    pub reason: &'static str,
    /// The number of elements if none of them fits.
    pub looked_at: Option<usize>,
    /// The file of the expression.
    pub file: String,
    /// The line in that file.
    pub line: u32,
    /// The column in that.
    pub column: u32,
}

/// Elements, and how many there are besides.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WitnessReports {
    /// The elements, at most 100.
    pub list: Vec<WitnessReport>,
    /// How many there are besides.
    pub more: usize,
}

impl WitnessReports {
    pub(super) fn new(witnesses: &Witnesses, imports: &Imports) -> Self {
        let list = witnesses.list.iter().map(|witness| WitnessReport::new(witness, imports)).collect();
        Self { list, more: witnesses.more }
    }

    /// Hides what may be made from secrets; the addresses of resources are not.
    pub(super) fn hide(&mut self, imports: &Imports) {
        let is_known = |text: &str| imports.has_resource(text);
        for seen in &mut self.list {
            if let Some(address) = seen.address.as_mut().filter(|address| !is_known(address)) {
                SENSITIVE.clone_into(address);
            }
            for key in &mut seen.keys {
                if !key.as_str().is_some_and(is_known) {
                    *key = Json::from(SENSITIVE);
                }
            }
            seen.element = None;
            // The number of elements may be a secret, too.
            seen.looked_at = None;
        }
    }
}

impl WitnessReport {
    fn new(witness: &Witness, imports: &Imports) -> Self {
        let (reason, looked_at) = match &witness.reason {
            Reason::Fails => ("fails", None),
            Reason::Holds => ("holds", None),
            Reason::Undefined => ("undefined", None),
            Reason::Kept => ("kept", None),
            Reason::Assigned => ("assigned", None),
            Reason::NoneFits { looked_at, .. } => ("none_fits", Some(*looked_at)),
            _ => ("other", None),
        };
        let Location { file, position } = &witness.location;
        let addresses = witness.elements.iter().rev();
        Self {
            address: addresses.filter_map(|element| address(element, imports)).next(),
            element: witness.elements.last().and_then(scalar_in_list),
            keys: witness.elements.iter().map(|element| element.key.to_json().unwrap_or_default()).collect(),
            reason,
            looked_at,
            file: file.to_string(),
            line: position.line,
            column: position.column,
        }
    }

    /// Names the element for people.
    fn name(&self) -> String {
        let text = |key: &Json| key.as_str().map_or_else(|| key.to_string(), str::to_owned);
        let keys = || self.keys.iter().map(text).collect::<Vec<_>>().join(" / ");
        match &self.address {
            None => match &self.element {
                Some(element) => format!("{element} (at {})", keys()),
                None => keys(),
            },
            // Where in it.
            Some(address) => match self.keys.last() {
                Some(last) if self.keys.len() > 1 && last.as_str() != Some(address) => {
                    format!("{address} ({})", keys())
                }
                _ => address.clone(),
            },
        }
    }

    /// The reason as a sentence.
    pub fn sentence(&self) -> String {
        let name = self.name();
        let suffix = if name.is_empty() { String::new() } else { format!(" of {name}") };
        match (self.reason, self.looked_at) {
            ("fails", _) => format!("does not hold for {name}"),
            ("holds", _) => format!("holds for {name}"),
            ("undefined", _) => format!("is undefined for {name}"),
            ("kept", _) => format!("there is {name}"),
            ("assigned", _) => format!("was set to false at {name}"),
            ("none_fits", Some(0)) => format!("there is no element{suffix}"),
            ("none_fits", Some(count)) => format!("none of {count} elements{suffix} fits"),
            _ => format!("because of {name}"),
        }
    }
}

/// An element of a list that has no parts.
fn scalar_in_list(element: &Element) -> Option<Json> {
    let is_scalar =
        matches!(element.value, Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::String(_));
    let is_in_list = matches!(element.key, Value::Int(_));
    if is_scalar && is_in_list { element.value.to_json_within(LONGEST) } else { None }
}

/// The maximum length of a text to show as an element.
const LONGEST: u64 = 1000;

/// The address of the resource that an element is, whatever it is a part of.
fn address(element: &Element, imports: &Imports) -> Option<String> {
    if let Value::Map(map) = &element.value
        && let Some(address) = map.get("address")
        && let Some(address) = address.as_str()
    {
        return Some(address.to_owned());
    }
    // A key, or what a list of addresses holds.
    let mut names = [element.key.as_str(), element.value.as_str()].into_iter().flatten();
    names.find(|name| imports.has_resource(name)).map(str::to_owned)
}
