//! A comparison of two plans of one module, one of which was made without some of the input: nothing that is said to be known may
//! change when something is filled in.
//!
//! The fuzz target `missing_input` and the tests of `crates/module` compare plans with it.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

/// Whether objects of a provider have the types of the configuration, because its schemas are missing: a schema may convert them.
pub(crate) type Converted<'c> = &'c dyn Fn(&str) -> bool;

/// A contradiction between the documents of two plans without errors: `least` was made with less input than `more`.
pub(crate) fn contradiction(least: &Json, more: &Json, converted: Converted<'_>) -> Option<String> {
    changes(least, more, converted)
        .or_else(|| outputs(least, more))
        .or_else(|| values(least, more, converted))
        .or_else(|| checks(least, more))
}

fn list<'j>(document: &'j Json, name: &str) -> &'j [Json] {
    document[name].as_array().map_or(&[], Vec::as_slice)
}

fn by_address(document: &Json, name: &str) -> BTreeMap<String, Json> {
    let changes = list(document, name).iter();
    changes.map(|change| (key(change), change.clone())).collect()
}

fn key(change: &Json) -> String {
    let deposed = change["deposed"].as_str().map(|key| format!(" {key}")).unwrap_or_default();
    change["address"].as_str().unwrap_or_default().to_owned() + &deposed
}

fn changes(least: &Json, more: &Json, converted: Converted<'_>) -> Option<String> {
    let (known, filled) = (by_address(least, "resource_changes"), by_address(more, "resource_changes"));
    let deferred: Vec<&Json> =
        list(more, "deferred_changes").iter().map(|deferred| &deferred["resource_change"]).collect();
    for (key, change) in &known {
        let Some(other) = filled.get(key) else {
            // A data source may be read while planning, once its configuration is known.
            if change["mode"] == "data" || deferred.iter().any(|other| covers(other, change)) {
                continue;
            }
            return Some(format!("{key} is gone: {change}"));
        };
        for name in ["mode", "type", "provider_name", "previous_address", "module_address", "index"] {
            if change[name] != other[name] {
                return Some(format!("{key}: {name} {} became {}", change[name], other[name]));
            }
        }
        let (change, other) = (&change["change"], &other["change"]);
        if change["actions"] != other["actions"] {
            return Some(format!("{key}: {} became {}", change["actions"], other["actions"]));
        }
        if change["importing"] != other["importing"] {
            return Some(format!("{key}: {} became {}", change["importing"], other["importing"]));
        }
        let converts = is_converted(&known[key], converted);
        for (part, unknown) in [("before", &Json::Null), ("after", &change["after_unknown"])] {
            if !holds(&change[part], unknown, &other[part], converts) {
                return Some(format!("{key}: {part} {} became {}", change[part], other[part]));
            }
        }
    }
    let open: Vec<&Json> =
        list(least, "deferred_changes").iter().map(|deferred| &deferred["resource_change"]).collect();
    for (key, change) in &filled {
        let is_known = known.contains_key(key);
        let address = without_keys(&change["address"]);
        let is_in_missing = missing_modules(least).iter().any(|module| address.starts_with(module.as_str()));
        if !is_known && !is_in_missing && !open.iter().any(|open| covers(open, change)) {
            return Some(format!("{key} appeared: {}", change["change"]["actions"]));
        }
    }
    for change in open {
        let Some(other) = filled.get(&key(change)) else { continue };
        let unknown = &change["change"]["after_unknown"];
        let after = &change["change"]["after"];
        if !after.is_null()
            && !holds(after, unknown, &other["change"]["after"], is_converted(change, converted))
        {
            return Some(format!("deferred {}: {after} became {}", key(change), other["change"]["after"]));
        }
    }
    for (key, change) in by_address(least, "resource_drift") {
        if by_address(more, "resource_drift").get(&key) != Some(&change) {
            return Some(format!("drift of {key} changed"));
        }
    }
    None
}

/// The beginnings of addresses in modules that are missing, without keys: an input is named once for all instances.
fn missing_modules(document: &Json) -> Vec<String> {
    let modules = list(document, "missing").iter().filter(|missing| missing["kind"] == "module");
    modules.filter_map(|missing| Some(format!("{}.", missing["address"].as_str()?))).collect()
}

/// An address without the keys of instances.
fn without_keys(address: &Json) -> String {
    let mut depth = 0;
    let is_outside = |c: &char| {
        depth += i32::from(*c == '[');
        let is_outside = depth == 0;
        depth -= i32::from(*c == ']');
        is_outside
    };
    address.as_str().unwrap_or_default().chars().filter(is_outside).collect()
}

/// Whether a deferred change is of this object, or of all instances of its resource, in all instances of its module.
fn covers(deferred: &Json, change: &Json) -> bool {
    without_keys(&deferred["address"]) == without_keys(&change["address"])
}

/// Whether the values of an object may be converted.
fn is_converted(change: &Json, converted: Converted<'_>) -> bool {
    change["provider_name"].as_str().is_some_and(converted)
}

/// Whether all that is known in one value is in the other. Values without a schema may be converted.
fn holds(known: &Json, unknown: &Json, other: &Json, converts: bool) -> bool {
    if *unknown == json!(true) {
        return true;
    }
    match (known, other) {
        (Json::Object(known), Json::Object(_)) => known.iter().all(|(name, value)| {
            let unknown = unknown.get(name).unwrap_or(&Json::Null);
            match other.get(name) {
                Some(other) => holds(value, unknown, other, converts),
                None => *unknown == json!(true) || (converts && value.is_null()),
            }
        }),
        (Json::Array(known), Json::Array(others)) => {
            let unknown = |at: usize| unknown.get(at).unwrap_or(&Json::Null);
            match converts {
                // A list may become a set.
                true => known
                    .iter()
                    .enumerate()
                    .all(|(at, value)| others.iter().any(|other| holds(value, unknown(at), other, converts))),
                false => {
                    known.len() == others.len()
                        && std::iter::zip(known, others)
                            .enumerate()
                            .all(|(at, (value, other))| holds(value, unknown(at), other, converts))
                }
            }
        }
        (known, other) if converts => {
            let plain = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            plain(known) == plain(other)
        }
        (known, other) => known == other,
    }
}

fn outputs(least: &Json, more: &Json) -> Option<String> {
    let nothing = serde_json::Map::new();
    let of = |document: &Json| document["output_changes"].as_object().unwrap_or(&nothing).clone();
    let (known, filled) = (of(least), of(more));
    for (name, output) in &known {
        let Some(other) = filled.get(name) else {
            // An output that becomes null has no change.
            match output["after_unknown"] == json!(true) {
                true => continue,
                false => return Some(format!("output.{name} is gone")),
            }
        };
        let is_known = output["after_unknown"] == json!(false);
        if is_known && output["actions"] != other["actions"] {
            return Some(format!("output.{name}: {} became {}", output["actions"], other["actions"]));
        }
        for (part, unknown) in [("before", &Json::Null), ("after", &output["after_unknown"])] {
            if !holds(&output[part], unknown, &other[part], false) {
                return Some(format!("output.{name}: {part} {} became {}", output[part], other[part]));
            }
        }
    }
    filled.keys().find(|name| !known.contains_key(*name)).map(|name| format!("output.{name} appeared"))
}

/// The objects of a module and those below, by their addresses.
fn objects(module: &Json, found: &mut BTreeMap<String, Json>) {
    for resource in list(module, "resources") {
        found.insert(key(resource), resource.clone());
    }
    list(module, "child_modules").iter().for_each(|child| objects(child, found));
}

fn values(least: &Json, more: &Json, converted: Converted<'_>) -> Option<String> {
    let missing = missing_modules(least);
    for name in ["planned_values", "prior_state"] {
        let part = |document: &Json| match name {
            "prior_state" => document[name]["values"].clone(),
            _ => document[name].clone(),
        };
        let (least, more) = (part(least), part(more));
        let (mut known, mut filled) = (BTreeMap::new(), BTreeMap::new());
        objects(&least["root_module"], &mut known);
        objects(&more["root_module"], &mut filled);
        for (key, object) in known {
            let Some(other) = filled.get(&key) else {
                let address = without_keys(&object["address"]);
                let is_in_missing = missing.iter().any(|module| address.starts_with(module.as_str()));
                // A data source may be read anew, and modules say what moves in them.
                if object["mode"] == "data" || is_in_missing {
                    continue;
                }
                return Some(format!("{name}: {key} is gone"));
            };
            let (value, converts) = (&object["values"], is_converted(&object, converted));
            // Unknown attributes are left out, and unknown elements are null. Without a schema an object is as the state has it.
            let is_stored = name == "prior_state" && converts;
            if !is_stored && !holds(value, &gaps(value), &other["values"], converts) {
                return Some(format!("{name}: {key}: {value} became {}", other["values"]));
            }
        }
        for (output, known) in least["outputs"].as_object().into_iter().flatten() {
            let other = &more["outputs"][output];
            if let Some(value) = known.get("value")
                && !holds(value, &Json::Null, &other["value"], false)
            {
                return Some(format!("{name}: output {output}: {value} became {}", other["value"]));
            }
        }
    }
    for (name, known) in least["variables"].as_object().into_iter().flatten() {
        // One without a value is unknown.
        if known.get("value").is_some() && more["variables"][name] != *known {
            return Some(format!("variable {name}: {known} became {}", more["variables"][name]));
        }
    }
    None
}

/// Where planned values have null in place of something unknown: as a whole, or as an element. Unknown members are left out.
fn gaps(value: &Json) -> Json {
    match value {
        Json::Null => Json::Bool(true),
        Json::Array(elements) => elements.iter().map(gaps).collect(),
        Json::Object(members) => {
            let known = members.iter().filter(|(_, member)| !member.is_null());
            known.map(|(name, member)| (name.clone(), gaps(member))).collect()
        }
        _ => Json::Null,
    }
}

/// The status of each check, and of each of its instances.
fn statuses(document: &Json) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for check in list(document, "checks") {
        for one in list(check, "instances").iter().chain([check]) {
            let address = one["address"]["to_display"].as_str().unwrap_or_default();
            found.insert(address.to_owned(), one["status"].as_str().unwrap_or_default().to_owned());
        }
    }
    found
}

fn checks(least: &Json, more: &Json) -> Option<String> {
    let filled = statuses(more);
    statuses(least).into_iter().find_map(|(address, status)| {
        let other = filled.get(&address)?;
        (status != "unknown" && *other != status).then(|| format!("check {address}: {status} became {other}"))
    })
}
