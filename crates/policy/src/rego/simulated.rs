//! Unknown values in the place of what only the providers know that were not asked.

use objchange_plan::Deferred;
use objchange_rego::{Unknown, Value};

use super::unknown::{Marking, member, with_member};
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

/// What is known of an item that there may be, or not.
const LABELS: [&str; 6] = ["mode", "type", "name", "provider_name", "address", "module_address"];

impl Marking<'_> {
    /// The items that a part of a document may have, or not.
    pub(super) fn possible_in(&self, part: &str) -> &[PossibleItem<'_>] {
        match part {
            "resource_drift" => &self.simulated.drift,
            _ => &self.simulated.instances,
        }
    }

    /// A change whose actions only its provider knows.
    pub(super) fn simulated_change(&mut self, resource: &Value, is_raw: bool) -> Value {
        let text = |name| member(resource, name).and_then(Value::as_str).unwrap_or_default();
        let address = text("address").to_owned();
        let key = match text("deposed") {
            "" => address.clone(),
            deposed => format!("{address}:{deposed}"),
        };
        let Some(change) = member(resource, "change").filter(|_| self.simulated.hides_actions(&key)) else {
            return resource.clone();
        };
        let actions = self.unknown(&address, "actions");
        let mut change = with_member(change, "actions", actions.clone());
        let mut resource = resource.clone();
        if is_raw {
            change = with_member(&change, "replace_paths", actions.clone());
            resource = with_member(&resource, "action_reason", actions);
        }
        with_member(&resource, "change", change)
    }

    /// A list or an object with the items that there may be besides.
    pub(super) fn with_possible(&mut self, value: Value, part: &str) -> Value {
        let (what, fields) = match part {
            "resource_drift" => ("drift", &OF_CHANGE[..]),
            "planned_values" => ("instances", &OF_RESOURCE[..]),
            _ => ("instances", &OF_CHANGE[..]),
        };
        let possible: Vec<(String, Vec<(Value, Value)>)> = self
            .possible_in(part)
            .iter()
            .map(|item| {
                let label = |name: &&str| Some((Value::from(*name), Value::from(item.label(name)?.as_str())));
                (item.address.to_string(), LABELS.iter().filter_map(label).collect())
            })
            .collect();
        if possible.is_empty() {
            return value;
        }
        let mut ids = Vec::with_capacity(possible.len());
        let mut items = Vec::with_capacity(possible.len());
        for (address, mut members) in possible {
            let id = self.places.add(&address, what);
            ids.push(id);
            let is_known = |name: &str| members.iter().any(|(known, _)| known.as_str() == Some(name));
            let unknown = fields.iter().filter(|name| !is_known(name));
            let unknown: Vec<_> =
                unknown.map(|name| (Value::from(*name), Value::Unknown(Unknown::new(id)))).collect();
            members.extend(unknown);
            items.push((Value::from(address.as_str()), Value::object(members)));
        }
        Value::Unknown(match &value {
            Value::Array(certain) => {
                let certain = certain.items().iter().map(|item| (item.clone(), false));
                Unknown::array(ids, certain.chain(items.into_iter().map(|(_, item)| (item, true))).collect())
            }
            Value::Object(certain) => Unknown::object(ids, certain.entries().to_vec(), items),
            _ => return value,
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

    /// The root module of the planned values, with resources and modules that there may be besides.
    pub(super) fn possible_modules(&mut self, root: &Value) -> Value {
        let nothing = Value::array([]);
        let resources = member(root, "resources").unwrap_or(&nothing).clone();
        let root = with_member(root, "resources", self.with_possible(resources, "planned_values"));
        if self.simulated.instances.iter().all(|item| item.module_address.is_empty()) {
            return root;
        }
        let modules = member(&root, "child_modules").unwrap_or(&nothing);
        let Value::Array(modules) = modules else { return root };
        let ids = self.instance_ids();
        let module = Value::Unknown(Unknown::from_ids(ids.iter().copied()));
        let certain = modules.items().iter().map(|module| (module.clone(), false));
        let elements = certain.chain([(module, true)]).collect();
        with_member(&root, "child_modules", Value::Unknown(Unknown::array(ids, elements)))
    }

    fn instance_ids(&mut self) -> Vec<u32> {
        let addresses: Vec<String> =
            self.simulated.instances.iter().map(|item| item.address.to_string()).collect();
        addresses.iter().map(|address| self.places.add(address, "instances")).collect()
    }
}
