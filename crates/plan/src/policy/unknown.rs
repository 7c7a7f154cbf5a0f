//! Markers in the place of what is unknown until apply.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use regorus::{Rc, Value};

/// The markers of an input, each told from all others by where it is in memory.
#[derive(Debug, Default)]
pub(super) struct Markers {
    at: HashMap<usize, Marker, foldhash::fast::RandomState>,
    /// The markers themselves: as long as they are here nothing else is where they are.
    kept: Vec<Value>,
    /// What stands in place of all markers.
    guess: Option<Value>,
}

#[derive(Debug)]
pub(super) struct Marker {
    /// The address of the resource, or `output.` and a name.
    pub(super) address: Rc<str>,
    pub(super) path: String,
    /// It stands in `after_full`, where policies may ask for it.
    pub(super) full: bool,
}

impl Markers {
    /// This value instead of markers.
    pub(super) fn guessing(guess: Value) -> Self {
        Self { guess: Some(guess), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Marker> {
        self.at.get(&at)
    }

    /// The marker that a value is.
    pub(super) fn find(&self, value: &Value) -> Option<usize> {
        let Value::Object(object) = value else { return None };
        let at = Rc::as_ptr(object).addr();
        (object.len() == 1 && self.at.contains_key(&at)).then_some(at)
    }

    /// The markers in a value.
    pub(super) fn find_all(&self, value: &Value, found: &mut Vec<usize>) {
        if let Some(marker) = self.find(value) {
            return found.push(marker);
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.find_all(item, found)),
            Value::Set(items) => items.iter().for_each(|item| self.find_all(item, found)),
            Value::Object(object) => object.values().for_each(|value| self.find_all(value, found)),
            _ => {}
        }
    }

    fn add(&mut self, address: &Rc<str>, path: &str, full: bool) -> Value {
        if let Some(guess) = &self.guess {
            return guess.clone();
        }
        let marker = unknown();
        if let Value::Object(object) = &marker {
            let marker = Marker { address: address.clone(), path: path.to_owned(), full };
            self.at.insert(Rc::as_ptr(object).addr(), marker);
        }
        self.kept.push(marker.clone());
        marker
    }
}

/// `{"$unknown": {}}`
fn unknown() -> Value {
    Value::from(BTreeMap::from([(Value::from("$unknown"), Value::new_object())]))
}

/// What is to be done with the changes of an input.
pub(super) struct Marking<'a> {
    /// Add `after_full`.
    pub(super) full: bool,
    /// Put markers into `after` and the planned values, too.
    pub(super) markers: Option<&'a mut Markers>,
}

impl Marking<'_> {
    /// Does it to an input, wherever in it the document or its collections are.
    pub(super) fn apply(&mut self, input: &mut Value) {
        let mut unknowns = HashMap::new();
        match input["tfplan"] {
            Value::Undefined => self.document(input, &mut unknowns),
            _ => {
                edit(input, "tfplan", |tfplan| {
                    self.document(tfplan, &mut unknowns);
                    edit(tfplan, "raw", |raw| self.document(raw, &mut unknowns));
                });
                edit(input, "plan", |plan| self.document(plan, &mut unknowns));
            }
        }
    }

    fn document(&mut self, document: &mut Value, unknowns: &mut HashMap<Rc<str>, Value>) {
        for name in ["resource_changes", "resource_drift"] {
            edit(document, name, |changes| {
                each(changes, |_, resource| {
                    let Value::String(address) = resource["address"].clone() else { return };
                    let unknown = resource["change"]["after_unknown"].clone();
                    if self.markers.is_some() && name == "resource_changes" && has_true(&unknown) {
                        unknowns.insert(planned_address(&address, resource), unknown);
                    }
                    edit(resource, "change", |change| self.change(change, &address));
                });
            });
        }
        edit(document, "deferred_changes", |deferred| {
            each(deferred, |_, deferred| {
                edit(deferred, "resource_change", |resource| {
                    let Value::String(address) = resource["address"].clone() else { return };
                    edit(resource, "change", |change| self.change(change, &address));
                });
            });
        });
        edit(document, "output_changes", |outputs| {
            each(outputs, |name, output| {
                let address: Rc<str> = format!("output.{}", name.as_string().map_or("", |name| name)).into();
                match output["change"] {
                    Value::Undefined => self.change(output, &address),
                    _ => edit(output, "change", |change| self.change(change, &address)),
                }
                let change = if output["change"] == Value::Undefined { &*output } else { &output["change"] };
                if self.markers.is_some() && has_true(&change["after_unknown"]) {
                    unknowns.insert(address, change["after_unknown"].clone());
                }
            });
        });
        if let Some(markers) = &mut self.markers
            && !unknowns.is_empty()
        {
            edit(document, "planned_values", |planned| {
                values(planned, unknowns, markers);
                edit(planned, "outputs", |outputs| {
                    each(outputs, |name, output| {
                        let address = format!("output.{}", name.as_string().map_or("", |name| name));
                        mark_value(output, "value", &address, unknowns, markers);
                    });
                });
                edit(planned, "root_module", |module| values(module, unknowns, markers));
            });
        }
    }

    fn change(&mut self, change: &mut Value, address: &Rc<str>) {
        let (after, unknown) = (change["after"].clone(), change["after_unknown"].clone());
        let has_unknown = has_true(&unknown);
        if self.full {
            let full = match &mut self.markers {
                _ if !has_unknown => after.clone(),
                Some(markers) => {
                    marked(&after, &unknown, &mut String::new(), &mut |path| markers.add(address, path, true))
                }
                None => marked(&after, &unknown, &mut String::new(), &mut |_| self::unknown()),
            };
            set(change, "after_full", full);
        }
        if let Some(markers) = &mut self.markers
            && has_unknown
        {
            let after =
                marked(&after, &unknown, &mut String::new(), &mut |path| markers.add(address, path, false));
            set(change, "after", after);
        }
    }
}

/// The address that planned values have: without the `data.` of a data source.
fn planned_address(address: &Rc<str>, resource: &Value) -> Rc<str> {
    match (&resource["mode"], &resource["type"]) {
        (Value::String(mode), Value::String(kind)) if &**mode == "data" => {
            address.replacen(&format!("data.{kind}."), &format!("{kind}."), 1).into()
        }
        _ => address.clone(),
    }
}

/// Marks the values of the resources of a module or a collection, and of the modules in it.
fn values(module: &mut Value, unknowns: &HashMap<Rc<str>, Value>, markers: &mut Markers) {
    edit(module, "resources", |resources| {
        each(resources, |_, resource| {
            if let Value::String(address) = planned(resource) {
                mark_value(resource, "values", &address, unknowns, markers);
            }
        });
    });
    edit(module, "child_modules", |modules| each(modules, |_, module| values(module, unknowns, markers)));
}

fn planned(resource: &Value) -> Value {
    match &resource["address"] {
        Value::String(address) => Value::String(planned_address(address, resource)),
        _ => Value::Undefined,
    }
}

fn mark_value(
    of: &mut Value,
    name: &str,
    address: &str,
    unknowns: &HashMap<Rc<str>, Value>,
    markers: &mut Markers,
) {
    if let Some((address, unknown)) = unknowns.get_key_value(address) {
        let value =
            marked(&of[name], unknown, &mut String::new(), &mut |path| markers.add(address, path, false));
        set(of, name, value);
    }
}

/// The value with a marker wherever something is unknown.
fn marked(value: &Value, unknown: &Value, path: &mut String, make: &mut dyn FnMut(&str) -> Value) -> Value {
    let length = path.len();
    match unknown {
        Value::Bool(true) => make(path),
        Value::Object(parts) => {
            let mut members: BTreeMap<Value, Value> = match value {
                Value::Object(object) => {
                    object.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
                }
                _ => BTreeMap::new(),
            };
            for (key, part) in parts.iter().filter(|(_, part)| has_true(part)) {
                if let Value::String(key) = key {
                    step(path, key);
                }
                members.insert(key.clone(), marked(&value[key], part, path, make));
                path.truncate(length);
            }
            Value::from(members)
        }
        Value::Array(parts) => {
            let mut items: Vec<Value> = match value {
                Value::Array(items) => items.iter().cloned().collect(),
                _ => Vec::new(),
            };
            for (index, part) in parts.iter().enumerate().filter(|(_, part)| has_true(part)) {
                while items.len() <= index {
                    items.push(Value::Null);
                }
                // Writing to a string does not fail.
                _ = write!(path, "[{index}]");
                items[index] = marked(&value[index], part, path, make);
                path.truncate(length);
            }
            Value::from(items)
        }
        _ => value.clone(),
    }
}

fn step(path: &mut String, key: &str) {
    let is_name = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    match (is_name, path.is_empty()) {
        (true, true) => path.push_str(key),
        (true, false) => _ = write!(path, ".{key}"),
        (false, _) => _ = write!(path, "[{}]", serde_json::Value::String(key.to_owned())),
    }
}

fn has_true(unknown: &Value) -> bool {
    match unknown {
        Value::Bool(all) => *all,
        Value::Array(items) => items.iter().any(has_true),
        Value::Object(object) => object.values().any(has_true),
        _ => false,
    }
}

/// Changes a member that is there.
fn edit(of: &mut Value, name: &str, change: impl FnOnce(&mut Value)) {
    if let Ok(object) = of.as_object_mut()
        && let Some(member) = object.get_mut(&Value::from(name))
    {
        change(member);
    }
}

fn set(of: &mut Value, name: &str, value: Value) {
    if let Ok(object) = of.as_object_mut() {
        object.insert(Value::from(name), value);
    }
}

/// Changes each member of an object, or element of an array.
fn each(of: &mut Value, mut change: impl FnMut(&Value, &mut Value)) {
    match of {
        Value::Object(object) => {
            Rc::make_mut(object).iter_mut().for_each(|(key, value)| change(key, value));
        }
        Value::Array(items) => {
            Rc::make_mut(items).iter_mut().for_each(|value| change(&Value::Null, value));
        }
        _ => {}
    }
}
