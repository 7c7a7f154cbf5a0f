//! Unknown values in the place of what only the providers know that were not asked.

use std::collections::{BTreeSet, HashSet};

use objchange_document::changes::Deferred;
use objchange_rego::{Unknown, Value};

use super::unknown::{Marking, each, edited, member, with_member};
use crate::module_lists::{ByModule, ItemModule};
use crate::simulated::{PossibleItem, Simulated};

/// The fields of a change, beside its labels, in collections and documents.
const OF_CHANGE: [&str; 7] =
    ["address", "module_address", "index", "deposed", "change", "previous_address", "action_reason"];

/// The fields of a planned resource, beside its labels.
const OF_RESOURCE: [&str; 8] = [
    "address",
    "module_address",
    "index",
    "values",
    "sensitive_values",
    "schema_version",
    "depends_on",
    "tainted",
];

/// The fields that items of documents may lack.
// Terraform omits them where they are empty or false.
const OPTIONAL: [&str; 7] =
    ["action_reason", "depends_on", "deposed", "index", "module_address", "previous_address", "tainted"];

/// The known fields of an item that may exist.
const LABELS: [&str; 6] = ["mode", "type", "name", "provider_name", "address", "module_address"];

/// The lists of a module in a document.
const LISTS: [&str; 2] = ["resources", "child_modules"];

fn text_of<'v>(resource: &'v Value, name: &str) -> &'v str {
    member(resource, name).and_then(Value::as_str).unwrap_or_default()
}

/// The key of a resource among all, as [`key`](crate::simulated::key) has it.
fn key_of(resource: &Value) -> String {
    match (text_of(resource, "address"), text_of(resource, "deposed")) {
        (address, "") => address.to_owned(),
        (address, deposed) => format!("{address}:{deposed}"),
    }
}

/// The items that a part of a document may have, or not.
fn possible_in<'s, 't>(simulated: &'s Simulated<'t>, part: &str) -> &'s [PossibleItem<'t>] {
    match part {
        "resource_drift" => &simulated.drift,
        "prior_state" => &simulated.prior,
        _ => &simulated.instances,
    }
}

impl ByModule<u32> {
    /// A module that there is, with resources and modules that there may be in it besides.
    fn open(&self, module: &Value) -> Value {
        let address = text_of(module, "address");
        let lists = [("resources", self.resources(address)), ("child_modules", self.child_modules(address))];
        if lists.iter().all(|(_, ids)| ids.is_empty()) {
            return module.clone();
        }
        let module = edited(module, &mut |name, modules| {
            (name == "child_modules").then(|| each(modules, &mut |_, module| self.open(module)))
        });
        with_open_lists(&module, &lists)
    }
}

/// A module where the lists of these names may have these items besides, and may be there where they are missing. A list
/// without such items stays as it is.
fn with_open_lists(module: &Value, lists: &[(&'static str, Vec<u32>)]) -> Value {
    let open = || lists.iter().filter(|(_, ids)| !ids.is_empty());
    let unknown = |ids: &[u32]| Value::Unknown(Unknown::from_ids(ids.iter().copied()));
    let opened = edited(module, &mut |name, list| {
        let (_, ids) = open().find(|(open, _)| *open == name)?;
        match list {
            Value::Array(listed) => {
                let listed = listed.items().iter().map(|item| (item.clone(), false));
                let elements = [(unknown(ids), true)].into_iter().chain(listed).collect();
                Some(Value::Unknown(Unknown::array(ids.iter().copied(), elements)))
            }
            // Some of its items may be missing already: nothing in it is certain.
            Value::Unknown(listed) => {
                Some(Value::Unknown(Unknown::from_ids(listed.ids().iter().chain(ids).copied())))
            }
            _ => None,
        }
    });
    let missing = open().filter(|(name, _)| member(module, name).is_none());
    let missing = missing.map(|(name, ids)| (*name, unknown(ids)));
    with_possible_members(&opened, missing.chain(doubtful_lists(&opened)).collect())
}

/// The lists of a module that have nothing in them for certain: a document has no empty list, so that they may be missing.
fn doubtful_lists(module: &Value) -> Vec<(&'static str, Value)> {
    let doubtful = LISTS.into_iter().filter_map(|name| {
        let list = member(module, name)?;
        matches!(list, Value::Unknown(unknown) if unknown.certain().is_empty()).then(|| (name, list.clone()))
    });
    doubtful.collect()
}

/// An object whose members of these names may be there or not, which depends on what their values depend on.
pub(super) fn with_possible_members(object: &Value, possible: Vec<(&str, Value)>) -> Value {
    let Value::Object(members) = object else { return object.clone() };
    if possible.is_empty() {
        return object.clone();
    }
    let names: HashSet<&str> = possible.iter().map(|(name, _)| *name).collect();
    let is_certain = |key: &Value| !key.as_str().is_some_and(|name| names.contains(name));
    let certain = members.entries().iter().filter(|(key, _)| is_certain(key)).cloned().collect();
    let ids = possible.iter().flat_map(|(_, value)| match value {
        Value::Unknown(unknown) => unknown.ids(),
        _ => &[],
    });
    let ids: Vec<u32> = ids.copied().collect();
    let possible = possible.into_iter().map(|(name, value)| (Value::from(name), value)).collect();
    Value::Unknown(Unknown::object(ids, certain, possible))
}

impl<'t> Marking<'t> {
    /// The numbers of the places of items that there may be.
    fn ids_of(
        &mut self,
        items: for<'s> fn(&'s Simulated<'t>) -> &'s [PossibleItem<'t>],
        what: &str,
    ) -> Vec<u32> {
        let Self { simulated, places, .. } = self;
        items(simulated).iter().map(|item| places.add(&item.address, what)).collect()
    }

    fn possible_by_module(&mut self, part: &str) -> ByModule<u32> {
        let Self { simulated, places, .. } = self;
        let possible = possible_in(simulated, part).iter();
        ByModule::new(possible.map(|item| (item.module(), places.add(&item.address, "instances"))))
    }

    /// A change whose actions only its provider knows.
    pub(super) fn simulated_change(&mut self, resource: &Value, is_raw: bool) -> Value {
        let address = text_of(resource, "address").to_owned();
        let key = key_of(resource);
        let Some(change) = member(resource, "change").filter(|_| self.simulated.hides_actions(&key)) else {
            return resource.clone();
        };
        let id = self.places.add(&address, "actions");
        let change = with_member(change, "actions", Value::Unknown(Unknown::new(id)));
        if !is_raw {
            return with_member(resource, "change", change);
        }
        // They are as unknown as the actions, but no actions, and there only with some of these.
        let other = |name| vec![(name, Value::Unknown(Unknown::from_ids([id])))];
        let change = with_possible_members(&change, other("replace_paths"));
        with_possible_members(&with_member(resource, "change", change), other("action_reason"))
    }

    /// A list or an object with the items that there may be besides. Items that there may not be are marked, too.
    pub(super) fn with_possible(&mut self, value: Value, part: &str) -> Value {
        self.with_possible_where(value, part, |_| true)
    }

    /// As [`with_possible`](Self::with_possible), with those of the items alone that may be in this list.
    fn with_possible_where(
        &mut self,
        value: Value,
        part: &str,
        may_have: impl Fn(&PossibleItem<'_>) -> bool,
    ) -> Value {
        let (what, fields) = match part {
            "resource_drift" => ("drift", &OF_CHANGE[..]),
            "planned_values" | "prior_state" => ("instances", &OF_RESOURCE[..]),
            _ => ("instances", &OF_CHANGE[..]),
        };
        let is_document = matches!(value, Value::Array(_));
        let (mut ids, is_lacking) = self.lacking(&value, part);
        let Self { simulated, places, .. } = self;
        let possible = possible_in(simulated, part).iter().filter(|item| may_have(item));
        let possible: Vec<&PossibleItem<'_>> = possible.collect();
        if possible.is_empty() && !is_lacking.contains(&true) {
            return value;
        }
        let names: BTreeSet<&str> = fields.iter().chain(&LABELS).copied().collect();
        let (optional, always): (Vec<&str>, Vec<&str>) =
            names.into_iter().partition(|name| OPTIONAL.contains(name));
        let mut items = Vec::with_capacity(possible.len());
        for item in possible {
            let id = places.add(&item.address, what);
            ids.push(id);
            // Not even the type is known of an item in a missing module.
            let member = |name: &&str| {
                let label = match (*name, item.label(name)) {
                    ("address", Some(_)) if is_document => Some(&item.written_address),
                    (_, label) => label,
                };
                let unknown = || Value::Unknown(Unknown::from_ids([id]));
                (Value::from(*name), label.map_or_else(unknown, |label| Value::from(label.as_str())))
            };
            let always = always.iter().map(member).collect();
            let optional = optional.iter().map(member).collect();
            let unknown = Unknown::object([id], always, optional);
            items.push((Value::from(item.address.as_str()), Value::Unknown(unknown)));
        }
        Value::Unknown(match &value {
            Value::Array(certain) => {
                let listed = certain.items().iter().cloned().zip(is_lacking);
                // Lists are in the order of addresses, so that possible items move the others. With the possible items first,
                // the indexes of the others are unknown.
                let items = items.into_iter().map(|(_, item)| (item, true));
                Unknown::array(ids, items.chain(listed).collect())
            }
            Value::Object(listed) => {
                let (lacking, certain): (Vec<_>, Vec<_>) =
                    listed.entries().iter().cloned().zip(is_lacking).partition(|(_, lacking)| *lacking);
                let entries =
                    |listed: Vec<((Value, Value), bool)>| listed.into_iter().map(|(entry, _)| entry);
                Unknown::object(ids, entries(certain).collect(), entries(lacking).chain(items).collect())
            }
            _ => return value,
        })
    }

    /// Which items of a list or an object may not be there because a provider reads their data sources while planning, and
    /// the numbers of these.
    fn lacking(&mut self, value: &Value, part: &str) -> (Vec<u32>, Vec<bool>) {
        let is_planned = part == "planned_values";
        let is_asked = is_planned || part == "resource_changes";
        let mut ids = Vec::new();
        let mut may_lack = |key: &str, item: &Value| {
            let may_lack = match is_planned {
                true => text_of(item, "mode") == "data" && self.simulated.may_lack_read(key),
                false => is_asked && self.simulated.may_lack(false, key),
            };
            if may_lack {
                ids.push(self.places.add(key, "actions"));
            }
            may_lack
        };
        let is_lacking = match value {
            Value::Array(listed) => listed.items().iter().map(|item| may_lack(&key_of(item), item)).collect(),
            Value::Object(listed) => {
                let keyed = listed.entries().iter();
                keyed.map(|(key, item)| may_lack(key.as_str().unwrap_or_default(), item)).collect()
            }
            _ => Vec::new(),
        };
        (ids, is_lacking)
    }

    /// Modules of the planned values where data sources may be read while planning. One that has nothing else may be missing.
    fn reads_in(&mut self, modules: &Value) -> Value {
        let Value::Array(all) = modules else { return modules.clone() };
        let read: Vec<Value> = all.items().iter().map(|module| self.reads_below(module)).collect();
        let may_lack = |module: &Value| {
            matches!(module, Value::Unknown(_)) && LISTS.iter().all(|name| member(module, name).is_none())
        };
        let ids = read.iter().filter(|module| may_lack(module)).flat_map(|module| match module {
            Value::Unknown(unknown) => unknown.ids(),
            _ => &[],
        });
        let ids: Vec<u32> = ids.copied().collect();
        if ids.is_empty() {
            return Value::array(read);
        }
        let elements = read.iter().map(|module| (module.clone(), may_lack(module)));
        Value::Unknown(Unknown::array(ids, elements.collect()))
    }

    fn reads_below(&mut self, module: &Value) -> Value {
        let module = edited(module, &mut |name, part| match (name, part) {
            ("resources", Value::Array(listed)) => {
                let (ids, is_lacking) = self.lacking(part, "planned_values");
                let elements = listed.items().iter().cloned().zip(is_lacking.iter().copied()).collect();
                is_lacking.contains(&true).then(|| Value::Unknown(Unknown::array(ids, elements)))
            }
            ("child_modules", _) => Some(self.reads_in(part)),
            _ => None,
        });
        with_possible_members(&module, doubtful_lists(&module))
    }

    /// The changes that are left to the next plan: with the providers none would be for want of them.
    pub(super) fn deferred(&mut self, changes: Value) -> Value {
        let Value::Array(all) = &changes else { return changes };
        let is_possible = |change: &Value| {
            let reason = member(change, "reason").and_then(Value::as_str);
            reason.is_some_and(Deferred::is_undecided_reason)
        };
        if !self.simulated.is_simulated || !all.items().iter().any(is_possible) {
            return changes;
        }
        let elements: Vec<_> =
            all.items().iter().map(|change| (change.clone(), is_possible(change))).collect();
        let ids = self.ids_of(|simulated| &simulated.instances, "instances");
        Value::Unknown(Unknown::array(ids, elements))
    }

    /// The root module of the planned values or the prior state, with resources and modules that there may be besides.
    pub(super) fn possible_modules(&mut self, root: &Value, part: &str) -> Value {
        let root = edited(root, &mut |name, listed| match name {
            "resources" => {
                let is_of_root = |item: &PossibleItem<'_>| match item.module() {
                    ItemModule::In(module) => module.is_empty(),
                    ItemModule::InOrBelow(_) => false,
                    ItemModule::Unknown => true,
                };
                Some(self.with_possible_where(listed.clone(), part, is_of_root))
            }
            "child_modules" if part == "planned_values" => Some(self.reads_in(listed)),
            _ => None,
        });
        let possible = possible_in(&self.simulated, part);
        if possible.is_empty() {
            return with_possible_members(&root, doubtful_lists(&root));
        }
        let possible = self.possible_by_module(part);
        let root = edited(&root, &mut |name, modules| {
            (name == "child_modules").then(|| each(modules, &mut |_, module| possible.open(module)))
        });
        // The resources that there are have those beside them that there may be.
        let resources = match member(&root, "resources") {
            Some(_) => Vec::new(),
            None => possible.resources(""),
        };
        with_open_lists(&root, &[("resources", resources), ("child_modules", possible.child_modules(""))])
    }

    /// The prior state, with what providers read and import while planning. Outputs that only these know are new there.
    pub(super) fn prior_state(&mut self, state: &Value) -> Value {
        if self.simulated.prior_outputs.is_empty() {
            return state.clone();
        }
        edited(state, &mut |name, values| {
            (name == "values").then(|| {
                let nothing = Value::object([]);
                let root = member(values, "root_module").unwrap_or(&nothing);
                let root = match self.simulated.hides_marks() {
                    true => self.state_without_marks(root),
                    false => root.clone(),
                };
                let root = self.possible_modules(&root, "prior_state");
                let outputs = Value::Unknown(Unknown::from_ids(self.prior_places()));
                let values = with_member(values, "root_module", root);
                match member(&values, "outputs") {
                    Some(_) => with_member(&values, "outputs", outputs),
                    None => with_possible_members(&values, vec![("outputs", outputs)]),
                }
            })
        })
    }

    /// A module of the state, where it is unknown what is sensitive and what depends on what, if that depends on code that
    /// is missing.
    fn state_without_marks(&mut self, module: &Value) -> Value {
        edited(module, &mut |name, part| match name {
            "resources" => Some(each(part, &mut |_, resource| self.without_state_marks(resource))),
            "child_modules" => Some(each(part, &mut |_, module| self.state_without_marks(module))),
            _ => None,
        })
    }

    fn without_state_marks(&mut self, resource: &Value) -> Value {
        let address = text_of(resource, "address");
        let resource = with_member(resource, "sensitive_values", self.unknown(address, "sensitive_values"));
        // An object that depends on nothing has no list.
        with_possible_members(&resource, vec![("depends_on", self.unknown(address, "depends_on"))])
    }

    /// The collections of the prior state, with the same in them.
    pub(super) fn state_collections(&mut self, state: &Value) -> Value {
        if self.simulated.prior_outputs.is_empty() {
            return state.clone();
        }
        edited(state, &mut |name, part| match name {
            "resources" => {
                let resources = match self.simulated.hides_marks() {
                    true => each(part, &mut |_, resource| {
                        let address = text_of(resource, "address");
                        with_member(resource, "depends_on", self.unknown(address, "depends_on"))
                    }),
                    false => part.clone(),
                };
                Some(self.with_possible(resources, "prior_state"))
            }
            "outputs" => Some(Value::Unknown(Unknown::from_ids(self.prior_places()))),
            _ => None,
        })
    }

    /// The document as an object whose members may be there or not where only providers decide that.
    pub(super) fn with_doubtful_sections(&mut self, document: &Value) -> Value {
        if !self.simulated.is_simulated {
            return document.clone();
        }
        let mut possible = Vec::new();
        if member(document, "resource_drift").is_none() && !self.simulated.drift.is_empty() {
            possible.push(("resource_drift", self.with_possible(Value::array([]), "resource_drift")));
        }
        if member(document, "prior_state").is_none() && !self.simulated.prior_outputs.is_empty() {
            possible.push(("prior_state", Value::Unknown(Unknown::from_ids(self.prior_places()))));
        }
        // A document has no empty list.
        let lists = [("resource_changes", true), ("deferred_changes", self.simulated.hides_complete)];
        for (name, _) in lists.into_iter().filter(|(_, may_be_missing)| *may_be_missing) {
            if let Some(list @ Value::Unknown(unknown)) = member(document, name)
                && unknown.certain().is_empty()
            {
                possible.push((name, list.clone()));
            }
        }
        for name in self.simulated.open_members() {
            // The configuration is in every document of Terraform; others have nothing to say in some.
            if *name != "configuration" || member(document, name).is_none() {
                possible.push((*name, self.by_open_facts()));
            }
        }
        with_possible_members(document, possible)
    }

    fn prior_places(&mut self) -> Vec<u32> {
        self.ids_of(|simulated| &simulated.prior_outputs, "instances")
    }
}
