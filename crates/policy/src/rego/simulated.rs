//! Unknown values in the place of what only the providers know that were not asked.

use std::collections::BTreeSet;

use objchange_plan::Deferred;
use objchange_rego::{Unknown, Value};

use super::unknown::{Marking, each, edited, member, with_member};
use crate::simulated::PossibleItem;

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
const OPTIONAL: [&str; 7] =
    ["action_reason", "depends_on", "deposed", "index", "module_address", "previous_address", "tainted"];

/// The known fields of an item that may exist.
const LABELS: [&str; 6] = ["mode", "type", "name", "provider_name", "address", "module_address"];

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

impl Marking<'_> {
    /// The items that a part of a document may have, or not.
    pub(super) fn possible_in(&self, part: &str) -> &[PossibleItem<'_>] {
        match part {
            "resource_drift" => &self.simulated.drift,
            "prior_state" => &self.simulated.prior,
            _ => &self.simulated.instances,
        }
    }

    /// A change whose actions only its provider knows.
    pub(super) fn simulated_change(&mut self, resource: &Value, is_raw: bool) -> Value {
        let address = text_of(resource, "address").to_owned();
        let key = key_of(resource);
        let Some(change) = member(resource, "change").filter(|_| self.simulated.hides_actions(&key)) else {
            return resource.clone();
        };
        let id = self.places.add(&address, "actions");
        let mut change = with_member(change, "actions", Value::Unknown(Unknown::new(id)));
        let mut resource = resource.clone();
        if is_raw {
            // They are as unknown as the actions, but no actions.
            let other = Value::Unknown(Unknown::from_ids([id]));
            change = with_member(&change, "replace_paths", other.clone());
            resource = with_member(&resource, "action_reason", other);
        }
        with_member(&resource, "change", change)
    }

    /// A list or an object with the items that there may be besides. Items that there may not be are marked, too.
    pub(super) fn with_possible(&mut self, value: Value, part: &str) -> Value {
        let (what, fields) = match part {
            "resource_drift" => ("drift", &OF_CHANGE[..]),
            "planned_values" | "prior_state" => ("instances", &OF_RESOURCE[..]),
            _ => ("instances", &OF_CHANGE[..]),
        };
        let is_document = matches!(value, Value::Array(_));
        let possible: Vec<(String, Vec<(Value, Value)>)> = self
            .possible_in(part)
            .iter()
            .map(|item| {
                let label = |name: &&str| {
                    let label = match (*name, item.label(name)?) {
                        ("address", _) if is_document => &item.written_address,
                        (_, label) => label,
                    };
                    Some((Value::from(*name), Value::from(label.as_str())))
                };
                (item.address.to_string(), LABELS.iter().filter_map(label).collect())
            })
            .collect();
        let (mut ids, is_lacking) = self.lacking(&value, part);
        let mut items = Vec::with_capacity(possible.len());
        if possible.is_empty() && !is_lacking.contains(&true) {
            return value;
        }
        for (address, mut members) in possible {
            let id = self.places.add(&address, what);
            ids.push(id);
            let is_known = |name: &str| members.iter().any(|(known, _)| known.as_str() == Some(name));
            // Not even the type is known of an item in a missing module.
            let all: BTreeSet<&&str> = fields.iter().chain(&LABELS).collect();
            let unknown = all.into_iter().filter(|name| !is_known(name));
            let unknown: Vec<_> =
                unknown.map(|name| (Value::from(*name), Value::Unknown(Unknown::from_ids([id])))).collect();
            let all = std::mem::take(&mut members).into_iter().chain(unknown);
            let (optional, always): (Vec<_>, Vec<_>) =
                all.partition(|(name, _)| name.as_str().is_some_and(|name| OPTIONAL.contains(&name)));
            let item = Value::Unknown(Unknown::object([id], always, optional));
            items.push((Value::from(address.as_str()), item));
        }
        Value::Unknown(match &value {
            Value::Array(certain) => {
                let listed = certain.items().iter().cloned().zip(is_lacking);
                Unknown::array(ids, listed.chain(items.into_iter().map(|(_, item)| (item, true))).collect())
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

    /// A module of the planned values, and those in it, where data sources may be read while planning.
    fn reads_below(&mut self, module: &Value) -> Value {
        edited(module, &mut |name, part| match (name, part) {
            ("resources", Value::Array(listed)) => {
                let (ids, is_lacking) = self.lacking(part, "planned_values");
                let elements = listed.items().iter().cloned().zip(is_lacking.iter().copied()).collect();
                is_lacking.contains(&true).then(|| Value::Unknown(Unknown::array(ids, elements)))
            }
            ("child_modules", _) => Some(each(part, &mut |_, module| self.reads_below(module))),
            _ => None,
        })
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
        let ids: Vec<u32> = self.instance_ids();
        Value::Unknown(Unknown::array(ids, elements))
    }

    /// The root module of the planned values or the prior state, with resources and modules that there may be besides.
    pub(super) fn possible_modules(&mut self, root: &Value, part: &str) -> Value {
        let nothing = Value::array([]);
        let possible = self.possible_in(part);
        if member(root, "resources").is_none() && !possible.is_empty() {
            // Nor is there a list where nothing is in it.
            let addresses: Vec<String> = possible.iter().map(|item| item.address.to_string()).collect();
            let ids: Vec<u32> =
                addresses.iter().map(|address| self.places.add(address, "instances")).collect();
            let lists = ["resources", "child_modules"];
            let certain: Vec<(Value, Value)> = match root {
                Value::Object(members) => members.entries().to_vec(),
                _ => Vec::new(),
            };
            let certain =
                certain.into_iter().filter(|(name, _)| !lists.iter().any(|list| name.as_str() == Some(list)));
            let unknown = || Value::Unknown(Unknown::from_ids(ids.iter().copied()));
            let open = lists.map(|list| (Value::from(list), unknown())).to_vec();
            return Value::Unknown(Unknown::object(ids.iter().copied(), certain.collect(), open));
        }
        let root = match member(root, "resources").cloned() {
            Some(resources) => with_member(root, "resources", self.with_possible(resources, part)),
            None => root.clone(),
        };
        let root = edited(&root, &mut |name, modules| {
            let holds_reads = name == "child_modules" && part == "planned_values";
            holds_reads.then(|| each(modules, &mut |_, module| self.reads_below(module)))
        });
        let possible = self.possible_in(part);
        if possible.iter().all(|item| item.module_address.is_empty()) {
            return root;
        }
        let addresses: Vec<String> = possible.iter().map(|item| item.address.to_string()).collect();
        let modules = member(&root, "child_modules").unwrap_or(&nothing);
        let Value::Array(modules) = modules else { return root };
        let ids: Vec<u32> = addresses.iter().map(|address| self.places.add(address, "instances")).collect();
        let module = Value::Unknown(Unknown::from_ids(ids.iter().copied()));
        let modules: Vec<Value> =
            modules.items().iter().map(|module| self.possible_below(module, part)).collect();
        let certain = modules.into_iter().map(|module| (module, false));
        let elements = certain.chain([(module, true)]).collect();
        with_member(&root, "child_modules", Value::Unknown(Unknown::array(ids, elements)))
    }

    /// A module that there is, with resources and modules that there may be in it besides.
    fn possible_below(&mut self, module: &Value, part: &str) -> Value {
        let address = text_of(module, "address");
        let is_below = |item: &&PossibleItem<'_>| {
            let rest = item.module_address.strip_prefix(address);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let below: Vec<String> =
            self.possible_in(part).iter().filter(is_below).map(|item| item.address.to_string()).collect();
        if below.is_empty() {
            return module.clone();
        }
        let ids: Vec<u32> = below.iter().map(|address| self.places.add(address, "instances")).collect();
        let nothing = Value::array([]);
        ["resources", "child_modules"].into_iter().fold(module.clone(), |module, name| {
            let possible = Value::Unknown(Unknown::from_ids(ids.iter().copied()));
            let all = match member(&module, name).unwrap_or(&nothing) {
                Value::Array(all) if name == "resources" => all.items().to_vec(),
                Value::Array(all) => all.items().iter().map(|one| self.possible_below(one, part)).collect(),
                // It is known already that some may be missing.
                _ => return with_member(&module, name, possible),
            };
            let elements = all.into_iter().map(|one| (one, false)).chain([(possible, true)]).collect();
            with_member(&module, name, Value::Unknown(Unknown::array(ids.iter().copied(), elements)))
        })
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
                let root = self.state_without_marks(root);
                let root = self.possible_modules(&root, "prior_state");
                let outputs = self.prior_places();
                let outputs = Value::Unknown(Unknown::from_ids(outputs));
                with_member(&with_member(values, "root_module", root), "outputs", outputs)
            })
        })
    }

    /// A module of the state, where it is unknown what is sensitive in objects that have no schema.
    fn state_without_marks(&mut self, module: &Value) -> Value {
        edited(module, &mut |name, part| match name {
            "resources" => Some(each(part, &mut |_, resource| match self
                .simulated
                .is_schemaless(text_of(resource, "provider_name"))
            {
                true => {
                    let unknown = self.unknown(text_of(resource, "address"), "sensitive_values");
                    with_member(resource, "sensitive_values", unknown)
                }
                false => resource.clone(),
            })),
            "child_modules" => Some(each(part, &mut |_, module| self.state_without_marks(module))),
            _ => None,
        })
    }

    /// The collections of the prior state, with the same in them.
    pub(super) fn state_collections(&mut self, state: &Value) -> Value {
        if self.simulated.prior_outputs.is_empty() {
            return state.clone();
        }
        edited(state, &mut |name, part| match name {
            "resources" => Some(self.with_possible(part.clone(), "prior_state")),
            "outputs" => {
                let outputs = self.prior_places();
                Some(Value::Unknown(Unknown::from_ids(outputs)))
            }
            _ => None,
        })
    }

    /// The document as an object whose members may be there or not where only providers decide that.
    pub(super) fn with_possible_members(&mut self, document: Value) -> Value {
        let Value::Object(members) = &document else { return document };
        if !self.simulated.is_simulated {
            return document;
        }
        let mut ids = Vec::new();
        let mut possible = Vec::new();
        let mut certain = members.entries().to_vec();
        let mut open = |name: &str, value: Value, depends: Vec<u32>| {
            certain.retain(|(key, _)| key.as_str() != Some(name));
            possible.push((Value::from(name), value));
            ids.extend(depends);
        };
        if member(&document, "resource_drift").is_none() && !self.simulated.drift.is_empty() {
            let drift = self.with_possible(Value::array([]), "resource_drift");
            let depends = self.simulated.drift.iter().map(|item| item.address.to_string());
            let depends: Vec<String> = depends.collect();
            open("resource_drift", drift, depends.iter().map(|one| self.places.add(one, "drift")).collect());
        }
        if member(&document, "prior_state").is_none() && !self.simulated.prior_outputs.is_empty() {
            let depends = self.prior_places();
            open("prior_state", Value::Unknown(Unknown::from_ids(depends.iter().copied())), depends);
        }
        if let Some(changes @ Value::Unknown(unknown)) = member(&document, "resource_changes")
            && unknown.certain().is_empty()
        {
            open("resource_changes", changes.clone(), unknown.ids().to_vec());
        }
        if let Some(deferred) = member(&document, "deferred_changes")
            && self.simulated.hides_complete
            && let Value::Unknown(unknown) = deferred
            && unknown.certain().is_empty()
        {
            open("deferred_changes", deferred.clone(), unknown.ids().to_vec());
        }
        let missing = self.simulated.open_members();
        for name in missing.into_iter().filter(|name| member(&document, name).is_none()) {
            let value = self.by_missing_code();
            let depends = match &value {
                Value::Unknown(unknown) => unknown.ids().to_vec(),
                _ => Vec::new(),
            };
            certain.retain(|(key, _)| key.as_str() != Some(name));
            possible.push((Value::from(name), value));
            ids.extend(depends);
        }
        if possible.is_empty() {
            return document;
        }
        Value::Unknown(Unknown::object(ids, certain, possible))
    }

    fn prior_places(&mut self) -> Vec<u32> {
        let addresses: Vec<String> =
            self.simulated.prior_outputs.iter().map(|item| item.address.to_string()).collect();
        addresses.iter().map(|address| self.places.add(address, "instances")).collect()
    }

    fn instance_ids(&mut self) -> Vec<u32> {
        let addresses: Vec<String> =
            self.simulated.instances.iter().map(|item| item.address.to_string()).collect();
        addresses.iter().map(|address| self.places.add(address, "instances")).collect()
    }
}
