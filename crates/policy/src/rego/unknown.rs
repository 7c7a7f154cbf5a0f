//! Unknown values in the place of what is not known until apply.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use objchange::value::Type;
use objchange_document::Schemas;
use objchange_document::changes::is_builtin;
use objchange_rego::value::Types;
use objchange_rego::{Unknown, Value};
use smol_str::SmolStr;

use super::secret::{is_secret, unknown_secret};
use super::simulated::with_possible_members;
use super::{InputMode, verdict};
use crate::address::without_data;
use crate::simulated::{ARGUMENTS, Simulated};

/// Where the unknown values of an input are, by their numbers, of which 0 is for secrets.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<verdict::Unknown>);

impl Places {
    pub(super) fn add(&mut self, address: &str, path: &str) -> u32 {
        self.0.push(verdict::Unknown { address: address.to_owned(), path: path.to_owned() });
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Where the values are that something depends on.
    pub(super) fn find<'a>(&'a self, unknown: &'a Unknown) -> impl Iterator<Item = &'a verdict::Unknown> {
        unknown.ids().iter().filter_map(|id| self.0.get(id.checked_sub(1)? as usize))
    }
}

/// Puts unknown values into inputs.
#[derive(Debug, Default)]
pub(super) struct Marking<'t> {
    /// Facts that only the missing providers could tell.
    pub(super) simulated: Simulated<'t>,
    /// The schemas, which say what cannot be a collection.
    schemas: Option<&'t Schemas>,
    /// Add `after_full`.
    full: bool,
    pub(super) places: Places,
    /// For each resource and output: the unknowns of its planned value.
    unknowns: HashMap<SmolStr, Value>,
    /// The keys of `unknowns` whose values may turn out known.
    doubtful: HashSet<SmolStr>,
    /// The numbers of what is unknown of planned values, by key and path. Changes and planned values have the same values.
    planned: HashMap<(SmolStr, String), u32>,
}

impl<'t> Marking<'t> {
    pub(super) fn new(full: bool, simulated: Simulated<'t>, schemas: Option<&'t Schemas>) -> Self {
        Self { simulated, schemas, full, ..Self::default() }
    }

    /// The type of a resource's object.
    fn type_of(&self, resource: &Value) -> Option<Type> {
        let text = |name| member(resource, name).and_then(Value::as_str).unwrap_or_default();
        let schema = self.schemas?.of_type(text("provider_name"), text("mode"), text("type"));
        Some(schema.ok()??.implied_type().clone())
    }

    /// The input with what is unknown in it, wherever in it the document or its collections are.
    pub(super) fn apply(&mut self, input: &Value, mode: InputMode) -> Value {
        match mode {
            InputMode::Raw => self.document(input, true),
            InputMode::Wrapped => {
                edited(input, &mut |name, part| (name == "tfplan").then(|| self.document(part, true)))
            }
            InputMode::Collections | InputMode::Auto => edited(input, &mut |name, part| match name {
                "tfplan" => {
                    let tfplan = self.document(part, false);
                    Some(edited(&tfplan, &mut |name, raw| (name == "raw").then(|| self.document(raw, true))))
                }
                "plan" => Some(self.document(part, true)),
                "tfstate" => Some(self.state_collections(part)),
                "tfconfig" if self.simulated.hides_marks() => Some(self.by_open_facts()),
                _ => None,
            }),
        }
    }

    /// The document, or its collections.
    fn document(&mut self, document: &Value, is_raw: bool) -> Value {
        // The collections, `raw` and `plan` are marked one after the other, and each has its own planned values.
        self.unknowns.clear();
        self.doubtful.clear();
        self.planned.clear();
        let mut document = match self.simulated.lacks_input {
            // No plan of Terraform has this member.
            true => without_member(document, "missing"),
            false => document.clone(),
        };
        // A document without such items has no list.
        let lists = &self.simulated.instances;
        if is_raw && member(&document, "resource_changes").is_none() && !lists.is_empty() {
            document = with_member(&document, "resource_changes", Value::array([]));
        }
        let open = self.simulated.open_members();
        let document = edited(&document, &mut |name, part| match name {
            name if open.contains(&name) => Some(self.by_open_facts()),
            "resource_changes" | "resource_drift" => {
                let is_planned = name == "resource_changes";
                let marked = each(part, &mut |_, resource| {
                    let resource = &self.without_schema(resource);
                    let marked = self.resource(resource, is_planned);
                    if is_planned { self.simulated_change(&marked, is_raw) } else { marked }
                });
                Some(self.with_possible(marked, name))
            }
            "deferred_changes" => {
                let marked = each(part, &mut |_, deferred| {
                    edited(deferred, &mut |name, resource| {
                        (name == "resource_change").then(|| self.resource(resource, false))
                    })
                });
                Some(self.deferred(marked))
            }
            "prior_state" => Some(self.prior_state(part)),
            "complete" if self.simulated.hides_complete => Some(self.unknown("complete", "")),
            "applyable" if self.simulated.hides_applyable => Some(self.unknown("applyable", "")),
            "variables" => Some(each(part, &mut |name, variable| self.variable(name, variable))),
            "output_changes" => Some(each(part, &mut |name, output| self.output(name, output))),
            "checks" => Some(each(part, &mut |_, check| self.check(check))),
            "action_invocations" => Some(each(part, &mut |_, invocation| self.invocation(invocation))),
            "deferred_action_invocations" => Some(each(part, &mut |_, deferred| {
                edited(deferred, &mut |name, invocation| {
                    (name == "action_invocation").then(|| self.invocation(invocation))
                })
            })),
            _ => None,
        });
        let Simulated { instances, reads, .. } = &self.simulated;
        let has_nothing_open = instances.is_empty() && reads.is_empty() && !self.simulated.hides_marks();
        let document = if self.unknowns.is_empty() && has_nothing_open {
            document
        } else {
            let unknowns = std::mem::take(&mut self.unknowns);
            edited(&document, &mut |name, planned| {
                (name == "planned_values").then(|| self.planned_values(planned, &unknowns))
            })
        };
        if is_raw { self.with_doubtful_sections(&document) } else { document }
    }

    /// A value that depends on missing modules or schemas, or, if none is missing, on data sources that providers may read.
    pub(super) fn by_open_facts(&mut self) -> Value {
        let Self { simulated, places, .. } = self;
        Value::Unknown(Unknown::from_ids(simulated.open_facts().map(|name| places.add(name, ""))))
    }

    /// A change of an object whose schema nobody has: all of the value after is unknown.
    fn without_schema(&mut self, resource: &Value) -> Value {
        let text = |name| member(resource, name).and_then(Value::as_str).unwrap_or_default();
        if !self.simulated.is_schemaless(text("provider_name")) {
            return resource.clone();
        }
        let address = text("address").to_owned();
        edited(resource, &mut |name, change| {
            (name == "change").then(|| {
                let has = |side| member(change, side).is_some_and(|value| !matches!(value, Value::Null));
                let mut change = match has("after") {
                    true => with_member(change, "after_unknown", Value::Bool(true)),
                    false => change.clone(),
                };
                if has("before") && member(&change, "before_sensitive").is_some() {
                    let hidden = self.unknown(&address, "before_sensitive");
                    change = with_member(&change, "before_sensitive", hidden);
                }
                change
            })
        })
    }

    fn resource(&mut self, resource: &Value, is_planned: bool) -> Value {
        let Some(address) = member(resource, "address").and_then(Value::as_str) else {
            return resource.clone();
        };
        let unknown = member(resource, "change").and_then(|change| member(change, "after_unknown"));
        let unknown = unknown.filter(|unknown| has_true(unknown));
        // An object that an earlier apply has left has no planned values.
        let deposed = member(resource, "deposed").and_then(Value::as_str).unwrap_or_default();
        let planned = (is_planned && deposed.is_empty()).then(|| planned_key(address, resource));
        let ty = self.type_of(resource);
        let provider = member(resource, "provider_name").and_then(Value::as_str).unwrap_or_default();
        let waits = |unknown: &Value| {
            ARGUMENTS.iter().any(|name| member(unknown, name).is_some_and(has_true))
                || *unknown == Value::Bool(true)
        };
        let is_own = is_builtin(provider) && !unknown.is_some_and(waits);
        let hides_marks = is_planned && self.simulated.hides_unknown_marks(is_own);
        if let (Some(unknown), Some(key)) = (unknown, &planned) {
            self.unknowns.insert(key.clone(), unknown.clone());
            if hides_marks {
                self.doubtful.insert(key.clone());
            }
        }
        let is_read = self.simulated.lacks_input && self.simulated.reads.contains(address);
        edited(resource, &mut |name, part| match name {
            "change" => {
                let changed = self.change(part, address, planned.as_ref(), ty.as_ref());
                if !hides_marks {
                    return Some(changed);
                }
                let changed = match unknown {
                    Some(unknown) => self.with_open_marks(&changed, "after_sensitive", unknown, address),
                    None => changed,
                };
                Some(self.without_unknown_marks(&changed, address))
            }
            "action_reason" if is_read => Some(self.unknown(address, "action_reason")),
            _ => None,
        })
    }

    /// A change whose marks of what is unknown are unknown themselves: the provider, or input that is missing, may make
    /// any of these values known. Where all of an object is known, Terraform writes `{}`, without empty marks of its parts.
    fn without_unknown_marks(&mut self, change: &Value, address: &str) -> Value {
        match member(change, "after_unknown").filter(|unknown| has_true(unknown)) {
            Some(unknown) => {
                let doubtful = self.doubtful(unknown, address);
                with_member(change, "after_unknown", doubtful)
            }
            None => change.clone(),
        }
    }

    /// An object whose marks of sensitive values are open where the value is unknown, because marks have the shape of the
    /// value.
    fn with_open_marks(&mut self, parent: &Value, name: &str, unknown: &Value, address: &str) -> Value {
        match member(parent, name) {
            Some(marks) => with_member(parent, name, self.open_marks(marks, unknown, address)),
            None => parent.clone(),
        }
    }

    fn open_marks(&mut self, marks: &Value, unknown: &Value, address: &str) -> Value {
        match (marks, unknown) {
            (Value::Bool(true), _) => marks.clone(),
            (_, unknown) if !has_true(unknown) => marks.clone(),
            (Value::Object(members), Value::Object(unknown)) => {
                let opened = edited(marks, &mut |name, marks| {
                    let unknown = unknown.get(&Value::from(name)).filter(|unknown| has_true(unknown))?;
                    Some(self.open_marks(marks, unknown, address))
                });
                let added =
                    unknown.iter().filter(|(key, unknown)| has_true(unknown) && members.get(key).is_none());
                let added = added.filter_map(|(key, _)| key.as_str());
                let possible = added.map(|name| (name, self.unknown(address, "sensitive_values"))).collect();
                with_possible_members(&opened, possible)
            }
            (Value::Array(items), Value::Array(unknown)) if items.len() == unknown.len() => {
                let pairs = items.iter().zip(unknown.iter());
                Value::array(
                    pairs
                        .map(|(marks, unknown)| self.open_marks(marks, unknown, address))
                        .collect::<Vec<_>>(),
                )
            }
            _ => self.unknown(address, "sensitive_values"),
        }
    }

    fn doubtful(&mut self, unknown: &Value, address: &str) -> Value {
        match unknown {
            Value::Bool(true) => self.unknown(address, "after_unknown"),
            Value::Object(marks) => {
                let id = self.places.add(address, "after_unknown");
                let marks = marks.entries().iter().cloned();
                let open = marks.map(|(key, mark)| (key, self.doubtful(&mark, address))).collect();
                Value::Unknown(Unknown::object([id], Vec::new(), open))
            }
            Value::Array(marks) => {
                let id = self.places.add(address, "after_unknown");
                let open = marks.items().iter().map(|mark| (self.doubtful(mark, address), true)).collect();
                Value::Unknown(Unknown::array([id], open))
            }
            _ => self.unknown(address, "after_unknown"),
        }
    }

    /// Makes the status and problems of an undecided check, or of one of its instances, unknown. Unknown instances are
    /// not listed.
    fn check(&mut self, check: &Value) -> Value {
        let address = member(check, "address").and_then(|address| member(address, "to_display"));
        let address = address.and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_instance = member(check, "address").is_some_and(|address| member(address, "kind").is_none());
        let checked = edited(check, &mut |name, part| {
            (name == "instances").then(|| each(part, &mut |_, instance| self.check(instance)))
        });
        if member(check, "status").and_then(Value::as_str) == Some("unknown") {
            let missing = if is_instance { "problems" } else { "instances" };
            let missing = Some(missing).filter(|name| is_instance || member(check, name).is_none());
            let checked = with_member(&checked, "status", self.unknown(&address, "status"));
            let missing = missing.map(|name| (name, self.unknown(&address, name)));
            return with_possible_members(&checked, missing.into_iter().collect());
        }
        checked
    }

    /// A variable, whose value is unknown if the plan was made without one.
    fn variable(&mut self, name: &Value, variable: &Value) -> Value {
        let name = name.as_str().unwrap_or_default();
        match self.simulated.variables.contains(name) {
            true => {
                let unknown = self.unknown(&format!("var.{name}"), "");
                with_member(variable, "value", unknown)
            }
            false => variable.clone(),
        }
    }

    fn output(&mut self, name: &Value, output: &Value) -> Value {
        let address = format!("output.{}", name.as_str().unwrap_or_default());
        let change = member(output, "change").unwrap_or(output);
        let key = SmolStr::new(&address);
        if let Some(unknown) = member(change, "after_unknown").filter(|unknown| has_true(unknown)) {
            self.unknowns.insert(key.clone(), unknown.clone());
        }
        let is_open = self.simulated.hides_output(name.as_str().unwrap_or_default());
        let mut changed = |change: &Value| {
            let changed = self.change(change, &address, Some(&key), None);
            // The marks of a value that is known as a whole are `false`, of whatever shape they are here.
            let is_doubtful =
                self.simulated.is_simulated && member(change, "after_unknown").is_some_and(has_true);
            let changed = match is_doubtful {
                true => with_member(&changed, "after_unknown", self.unknown(&address, "after_unknown")),
                false => changed,
            };
            if is_open {
                with_member(&changed, "actions", self.unknown(&address, "actions"))
            } else {
                changed
            }
        };
        match member(output, "change") {
            None => changed(output),
            Some(_) => edited(output, &mut |name, change| (name == "change").then(|| changed(change))),
        }
    }

    /// With `planned`, the values are also in the planned values, under this key.
    fn change(
        &mut self,
        change: &Value,
        address: &str,
        planned: Option<&SmolStr>,
        ty: Option<&Type>,
    ) -> Value {
        let after = member(change, "after").unwrap_or(&Value::Null);
        let unknown = member(change, "after_unknown").filter(|unknown| has_true(unknown));
        let mut changed = change.clone();
        let has_marks = planned.is_some() && member(change, "after_sensitive").is_some();
        if has_marks && self.simulated.hides_marks() {
            changed = with_member(&changed, "after_sensitive", self.unknown(address, "after_sensitive"));
        }
        if self.full {
            let full = match unknown {
                None => after.clone(),
                Some(unknown) => marked(after, unknown, &mut String::new(), None, &mut |part| match part {
                    OpenPart::Unknown(path, _) => {
                        Value::Unknown(Unknown::marker(self.places.add(address, path)))
                    }
                    OpenPart::Items(items, _) => Value::array(items),
                }),
            };
            changed = with_member(&changed, "after_full", full);
        }
        if let Some(unknown) = unknown {
            changed = with_member(&changed, "after", self.marked(after, unknown, address, planned, ty));
        }
        if let Some(importing) = member(change, "importing")
            && member(importing, "unknown").is_some_and(has_true)
        {
            let missing = ["id", "identity"].into_iter().filter(|name| member(importing, name).is_none());
            let missing = missing.map(|name| (name, self.unknown(address, &format!("importing.{name}"))));
            let missing: Vec<_> = missing.collect();
            changed = with_member(&changed, "importing", with_possible_members(importing, missing));
        }
        changed
    }

    fn marked(
        &mut self,
        value: &Value,
        unknown: &Value,
        address: &str,
        planned: Option<&SmolStr>,
        ty: Option<&Type>,
    ) -> Value {
        marked(value, unknown, &mut String::new(), ty, &mut |part| {
            let (path, ty) = match part {
                OpenPart::Items(items, Some(Type::List(_) | Type::Tuple(_))) => return Value::array(items),
                OpenPart::Items(items, _) => return possible_set(items),
                OpenPart::Unknown(path, ty) => (path, ty),
            };
            let id = match planned {
                None => self.places.add(address, path),
                Some(key) => {
                    let known = self.planned.entry((key.clone(), path.to_owned()));
                    *known.or_insert_with(|| self.places.add(address, path))
                }
            };
            Value::Unknown(match ty.and_then(types) {
                Some(types) => Unknown::of_types(id, types),
                None => Unknown::new(id),
            })
        })
    }

    fn planned_values(&mut self, planned: &Value, unknowns: &HashMap<SmolStr, Value>) -> Value {
        // Unknown values first, because lists that may lack items are not walked afterwards.
        let planned = edited(&self.module(planned, unknowns), &mut |name, part| match name {
            "outputs" => Some(each(part, &mut |name, output| {
                let address = format!("output.{}", name.as_str().unwrap_or_default());
                self.planned_output(output, &address, unknowns)
            })),
            "root_module" => Some(self.module(part, unknowns)),
            _ => None,
        });
        if self.simulated.instances.is_empty() && self.simulated.reads.is_empty() {
            return planned;
        }
        match member(&planned, "resources") {
            Some(resources) => {
                let resources = self.with_possible(resources.clone(), "planned_values");
                with_member(&planned, "resources", resources)
            }
            // The collections have their resources here, and documents theirs below.
            None => edited(&planned, &mut |name, root| {
                (name == "root_module").then(|| self.possible_modules(root, "planned_values"))
            }),
        }
    }

    /// The resources of a module or a collection, and the modules in it.
    fn module(&mut self, module: &Value, unknowns: &HashMap<SmolStr, Value>) -> Value {
        edited(module, &mut |name, part| match name {
            "resources" => Some(each(part, &mut |_, resource| {
                let address = member(resource, "address").and_then(Value::as_str);
                match address.map(|address| (address, planned_key(address, resource))) {
                    Some((address, key)) => {
                        let ty = self.type_of(resource);
                        let mut planned =
                            self.value(resource, "values", (address, &key), ty.as_ref(), unknowns);
                        if let Some(unknown) = unknowns.get(&key).filter(|_| self.doubtful.contains(&key)) {
                            planned = self.with_open_marks(&planned, "sensitive_values", unknown, address);
                        }
                        self.without_marks(planned, address)
                    }
                    None => resource.clone(),
                }
            })),
            "child_modules" => Some(each(part, &mut |_, module| self.module(module, unknowns))),
            _ => None,
        })
    }

    /// A planned object of which it is unknown what is sensitive, and without a schema also its version.
    fn without_marks(&mut self, planned: Value, address: &str) -> Value {
        if !self.simulated.hides_marks() {
            return planned;
        }
        let provider = member(&planned, "provider_name").and_then(Value::as_str).unwrap_or_default();
        let has_schema = !self.simulated.is_schemaless(provider);
        edited(&planned, &mut |name, _| match name {
            "schema_version" if has_schema => None,
            "sensitive_values" | "schema_version" => Some(self.unknown(address, name)),
            _ => None,
        })
    }

    /// A planned output. Where a part of its value is unknown, the document has neither its value nor its type.
    fn planned_output(&mut self, output: &Value, address: &str, unknowns: &HashMap<SmolStr, Value>) -> Value {
        if !unknowns.contains_key(address) {
            return output.clone();
        }
        let planned = match member(output, "value") {
            Some(_) => self.value(output, "value", (address, &SmolStr::new(address)), None, unknowns),
            None => with_member(output, "value", self.unknown(address, "")),
        };
        match member(output, "type") {
            Some(_) => planned,
            None => with_member(&planned, "type", self.unknown(address, "")),
        }
    }

    /// An action that the plan invokes, with what is unknown of its configuration.
    fn invocation(&mut self, invocation: &Value) -> Value {
        let Some(unknown) = member(invocation, "config_unknown").filter(|unknown| has_true(unknown)) else {
            return invocation.clone();
        };
        let address = member(invocation, "address").and_then(Value::as_str).unwrap_or_default();
        let values = member(invocation, "config_values").unwrap_or(&Value::Null);
        with_member(invocation, "config_values", self.marked(values, unknown, address, None, None))
    }

    pub(super) fn unknown(&mut self, address: &str, path: &str) -> Value {
        Value::Unknown(Unknown::new(self.places.add(address, path)))
    }

    fn value(
        &mut self,
        parent: &Value,
        name: &str,
        (address, key): (&str, &SmolStr),
        ty: Option<&Type>,
        unknowns: &HashMap<SmolStr, Value>,
    ) -> Value {
        let Some(unknown) = unknowns.get(key) else { return parent.clone() };
        let value = member(parent, name).unwrap_or(&Value::Null);
        with_member(parent, name, self.marked(value, unknown, address, Some(key), ty))
    }
}

/// The object without this member.
fn without_member(parent: &Value, name: &str) -> Value {
    let Value::Object(object) = parent else { return parent.clone() };
    let others = object.iter().filter(|(key, _)| key.as_str() != Some(name));
    Value::object(others.map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>())
}

/// The object with this member.
pub(super) fn with_member(parent: &Value, name: &str, value: Value) -> Value {
    let Value::Object(object) = parent else { return parent.clone() };
    let others = object.iter().filter(|(key, _)| key.as_str() != Some(name));
    let mut members: Vec<(Value, Value)> = others.map(|(key, value)| (key.clone(), value.clone())).collect();
    members.push((Value::from(name), value));
    Value::object(members)
}

/// The key of a planned value: the address, of a data source with `data.` in front, which planned values
/// leave out. A data source and a managed resource may have one type and name.
fn planned_key(address: &str, resource: &Value) -> SmolStr {
    let text = |name| member(resource, name).and_then(Value::as_str);
    match text("mode") {
        Some("data") => format!("data.{}", without_data(address)).into(),
        _ => SmolStr::new(address),
    }
}

/// A part of a value that has something unknown.
enum OpenPart<'p> {
    /// It is unknown itself, at this path.
    Unknown(&'p str, Option<&'p Type>),
    /// It is an array of these items, some of which are unknown or have something unknown.
    Items(Vec<Value>, Option<&'p Type>),
}

/// In a larger set, all elements with something unknown count as possibly equal to others: to compare each with each would
/// take too long.
const MOST_COMPARED: usize = 64;

/// An array that may be a set: elements that turn out to be equal are one then.
fn possible_set(items: Vec<Value>) -> Value {
    let is_open: Vec<bool> = items.iter().map(Value::contains_unknown).collect();
    let count = is_open.iter().filter(|is_open| **is_open).count();
    let mut may_lack = vec![false; items.len()];
    for (at, item) in items.iter().enumerate().filter(|(at, _)| is_open[*at]) {
        // One of two equal elements stays: the one that is known, or else the first.
        let mut others = items.iter().enumerate().filter(|(other, _)| *other < at || !is_open[*other]);
        may_lack[at] = match count <= MOST_COMPARED {
            true => others.any(|(_, other)| item.may_equal(other)),
            false => others.next().is_some(),
        };
    }
    if !may_lack.contains(&true) {
        return Value::array(items);
    }
    let ids: Vec<u32> =
        items.iter().filter_map(Value::unknowns).flat_map(|unknown| unknown.ids().to_vec()).collect();
    Value::Unknown(Unknown::set_as_array(ids, items.into_iter().zip(may_lack).collect()))
}

/// The value with an unknown one wherever something is unknown.
fn marked(
    value: &Value,
    unknown: &Value,
    path: &mut String,
    ty: Option<&Type>,
    make: &mut dyn FnMut(OpenPart<'_>) -> Value,
) -> Value {
    let length = path.len();
    match unknown {
        Value::Bool(true) => make(OpenPart::Unknown(path, ty)),
        // Where something in it is unknown, it need not be of the kind of its secret.
        _ if is_secret(value) || is_secret(unknown) => unknown_secret(None),
        Value::Object(parts) => {
            let mut members = match value {
                Value::Object(object) => object.entries().to_vec(),
                _ => Vec::new(),
            };
            for (key, part) in parts.iter().filter(|(_, part)| has_true(part)) {
                if let Value::String(key) = key {
                    step(path, key);
                }
                let nothing = Value::Null;
                let old = value.as_object().and_then(|object| object.get(key)).unwrap_or(&nothing);
                // The last one of a repeated key wins.
                let ty = key.as_str().and_then(|key| member_type(ty?, key));
                members.push((key.clone(), marked(old, part, path, ty, make)));
                path.truncate(length);
            }
            Value::object(members)
        }
        Value::Array(parts) => {
            let mut items = match value {
                Value::Array(items) => items.items().to_vec(),
                _ => Vec::new(),
            };
            for (index, part) in parts.iter().enumerate().filter(|(_, part)| has_true(part)) {
                while items.len() <= index {
                    items.push(Value::Null);
                }
                // Writing to a string does not fail.
                _ = write!(path, "[{index}]");
                let element = ty.and_then(|ty| element_type(ty, index));
                items[index] = marked(&items[index].clone(), part, path, element, make);
                path.truncate(length);
            }
            make(OpenPart::Items(items, ty))
        }
        _ => value.clone(),
    }
}

/// The types that an unknown value of this type may have in JSON: it may also turn out to be null.
fn types(ty: &Type) -> Option<Types> {
    Some(Types::NULL.or(match ty {
        Type::Bool => Types::BOOLEAN,
        Type::Number => Types::NUMBER,
        Type::String => Types::STRING,
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => Types::ARRAY,
        Type::Map(_) | Type::Object(_) => Types::OBJECT,
        _ => return None,
    }))
}

fn member_type<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    match ty {
        Type::Object(object) => object.attribute(name),
        Type::Map(element) => Some(element),
        _ => None,
    }
}

fn element_type(ty: &Type, index: usize) -> Option<&Type> {
    match ty {
        Type::List(element) | Type::Set(element) => Some(element),
        Type::Tuple(elements) => elements.elements().get(index),
        _ => None,
    }
}

pub(super) fn step(path: &mut String, key: &str) {
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
        // Secret marks may say so.
        _ => is_secret(unknown),
    }
}

/// The member of this name that an object has for certain.
pub(super) fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Unknown(unknown) => unknown.member(name),
        value => value.as_object()?.get_str(name),
    }
}

/// An object with other values for the members that `edit` changes.
pub(super) fn edited(value: &Value, edit: &mut dyn FnMut(&str, &Value) -> Option<Value>) -> Value {
    let Value::Object(object) = value else { return value.clone() };
    let mut is_changed = false;
    let mut change = |(key, member): (&Value, &Value)| {
        let changed = key.as_str().and_then(|name| edit(name, member));
        is_changed |= changed.is_some();
        (key.clone(), changed.unwrap_or_else(|| member.clone()))
    };
    let members: Vec<(Value, Value)> = object.iter().map(&mut change).collect();
    // An object without changes is shared with the input instead of built again.
    if is_changed { Value::object(members) } else { value.clone() }
}

/// An object or array with other members.
pub(super) fn each(value: &Value, edit: &mut dyn FnMut(&Value, &Value) -> Value) -> Value {
    match value {
        Value::Object(object) => {
            let members = object.iter().map(|(key, member)| (key.clone(), edit(key, member)));
            Value::object(members.collect::<Vec<_>>())
        }
        Value::Array(items) => {
            Value::array(items.iter().map(|item| edit(&Value::Null, item)).collect::<Vec<_>>())
        }
        _ => value.clone(),
    }
}
