//! Another reading of documents: the rules of the collections, walked over plain JSON.

use serde_json::{Map, Value, json};

/// The members of an object, which is empty where it is missing.
fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn or(value: &Value, default: Value) -> Value {
    if value.is_null() { default } else { value.clone() }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(crate) fn tfplan(plan: &Value) -> Value {
    let mut variables = Map::new();
    for (name, variable) in members(&plan["variables"]) {
        variables.insert(name.clone(), json!({"name": name, "value": variable["value"]}));
    }
    let mut outputs = Map::new();
    for (name, change) in members(&plan["output_changes"]) {
        let mut wanted = change_of(change);
        if change.get("after").is_none() && change["after_unknown"] == json!(true) {
            wanted.as_object_mut().unwrap().remove("after");
        }
        outputs.insert(name.clone(), json!({"name": name, "change": wanted}));
    }
    // Planned values list what is forgotten, without its values.
    let mut planned = tfstate(&plan["planned_values"], &Value::Null);
    for resource in elements(&plan["resource_changes"]) {
        if resource["change"]["actions"] == json!(["forget"]) && text(&resource["deposed"]).is_empty() {
            planned["resources"].as_object_mut().unwrap().remove(text(&resource["address"]));
        }
    }
    let mut tfplan = json!({
        "variables": variables,
        "planned_values": planned,
        "resource_changes": changes(&plan["resource_changes"]),
        "resource_drift": changes(&plan["resource_drift"]),
        "output_changes": outputs,
        "raw": plan,
    });
    if let Some(version) = plan["terraform_version"].as_str() {
        tfplan["terraform_version"] = json!(version);
    }
    tfplan
}

fn changes(list: &Value) -> Value {
    let mut changes = Map::new();
    for resource in elements(list) {
        let deposed = text(&resource["deposed"]);
        let address = text(&resource["address"]);
        let key = if deposed.is_empty() { address.to_owned() } else { format!("{address}:{deposed}") };
        let fields = json!({
            "address": address,
            "module_address": text(&resource["module_address"]),
            "mode": text(&resource["mode"]),
            "type": text(&resource["type"]),
            "name": text(&resource["name"]),
            "index": resource["index"],
            "provider_name": text(&resource["provider_name"]),
            "deposed": deposed,
            "change": change_of(&resource["change"]),
        });
        changes.insert(key, fields);
    }
    Value::Object(changes)
}

fn change_of(change: &Value) -> Value {
    let actions = match &change["actions"] {
        Value::Array(actions) if !actions.is_empty() => change["actions"].clone(),
        _ => json!(["no-op"]),
    };
    json!({
        "actions": actions,
        "before": change["before"],
        "after": change["after"],
        "after_unknown": change["after_unknown"],
    })
}

/// The collections of the `values` of a state.
pub(crate) fn tfstate(values: &Value, version: &Value) -> Value {
    let mut outputs = Map::new();
    for (name, output) in members(&values["outputs"]) {
        let mut wanted = json!({"name": name, "sensitive": or(&output["sensitive"], json!(false))});
        if let Some(value) = output.get("value") {
            wanted["value"] = value.clone();
        }
        outputs.insert(name.clone(), wanted);
    }
    let mut resources = Map::new();
    let mut modules = vec![&values["root_module"]];
    while let Some(module) = modules.pop() {
        let module_address = text(&module["address"]);
        for resource in elements(&module["resources"]) {
            let mut address = format!("{}.{}", text(&resource["type"]), text(&resource["name"]));
            if !module_address.is_empty() {
                address = format!("{module_address}.{address}");
            }
            match &resource["index"] {
                Value::Number(number) => address.push_str(&format!("[{number}]")),
                // As Terraform quotes it.
                Value::String(_) => {
                    let before = format!("{}.{}[", text(&resource["type"]), text(&resource["name"]));
                    let (_, quoted) = text(&resource["address"]).rsplit_once(&before).unwrap();
                    address.push_str(&format!("[{quoted}"));
                }
                _ => {}
            }
            let deposed = text(&resource["deposed_key"]);
            let key = if deposed.is_empty() { address.clone() } else { format!("{address}:{deposed}") };
            let fields = json!({
                "address": address,
                "module_address": module_address,
                "mode": resource["mode"],
                "type": resource["type"],
                "name": resource["name"],
                "index": resource["index"],
                "provider_name": resource["provider_name"],
                "values": resource.get("values").cloned().unwrap_or(json!({})),
                "depends_on": or(&resource["depends_on"], json!([])),
                "tainted": or(&resource["tainted"], json!(false)),
                "deposed_key": deposed,
            });
            let is_second =
                |other: &Value| other["mode"] == json!("managed") && resource["mode"] == json!("data");
            if !resources.get(&key).is_some_and(is_second) {
                resources.insert(key, fields);
            }
        }
        modules.extend(elements(&module["child_modules"]));
    }
    let mut tfstate = json!({"outputs": outputs, "resources": resources});
    if !version.is_null() {
        tfstate["terraform_version"] = version.clone();
    }
    tfstate
}

pub(crate) fn tfconfig(configuration: &Value) -> Value {
    let mut config = json!({
        "providers": {}, "resources": {}, "provisioners": {}, "variables": {}, "outputs": {}, "module_calls": {},
    });
    for (key, provider) in members(&configuration["provider_config"]) {
        let key = prefixed(text(&provider["module_address"]), key.rsplit(':').next().unwrap());
        config["providers"][key.as_str()] = json!({
            "provider_config_key": key,
            "name": provider["name"],
            "full_name": text(&provider["full_name"]),
            "alias": text(&provider["alias"]),
            "module_address": text(&provider["module_address"]),
            "config": or(&provider["expressions"], json!({})),
            "version_constraint": text(&provider["version_constraint"]),
        });
    }
    module(&configuration["root_module"], "", &mut config);
    config
}

fn prefixed(module: &str, key: &str) -> String {
    if module.is_empty() { key.to_owned() } else { format!("{module}:{key}") }
}

fn module(module: &Value, at: &str, config: &mut Value) {
    for resource in elements(&module["resources"]) {
        let address = match at {
            "" => text(&resource["address"]).to_owned(),
            _ => format!("{at}.{}", text(&resource["address"])),
        };
        let mut provisioners = Vec::new();
        for (index, provisioner) in elements(&resource["provisioners"]).enumerate() {
            let fields = json!({
                "resource_address": address,
                "type": provisioner["type"],
                "index": index.to_string(),
                "config": or(&provisioner["expressions"], json!({})),
            });
            config["provisioners"][format!("{address}:{index}")] = fields.clone();
            provisioners.push(fields);
        }
        let provider = text(&resource["provider_config_key"]).rsplit(':').next().unwrap();
        config["resources"][address.as_str()] = json!({
            "address": address,
            "module_address": at,
            "mode": resource["mode"],
            "type": resource["type"],
            "name": resource["name"],
            "provider_config_key": prefixed(at, provider),
            "provisioners": provisioners,
            "config": or(&resource["expressions"], json!({})),
            "count": or(&resource["count_expression"], json!({})),
            "for_each": or(&resource["for_each_expression"], json!({})),
            "depends_on": or(&resource["depends_on"], json!([])),
        });
    }
    for (name, variable) in members(&module["variables"]) {
        config["variables"][prefixed(at, name)] = json!({
            "module_address": at,
            "name": name,
            "default": variable["default"],
            "description": text(&variable["description"]),
        });
    }
    for (name, output) in members(&module["outputs"]) {
        config["outputs"][prefixed(at, name)] = json!({
            "module_address": at,
            "name": name,
            "sensitive": or(&output["sensitive"], json!(false)),
            "value": or(&output["expression"], json!({})),
            "description": text(&output["description"]),
            "depends_on": or(&output["depends_on"], json!([])),
        });
    }
    for (name, call) in members(&module["module_calls"]) {
        config["module_calls"][prefixed(at, name)] = json!({
            "module_address": at,
            "name": name,
            "source": call["source"],
            "config": or(&call["expressions"], json!({})),
            "count": or(&call["count_expression"], json!({})),
            "for_each": or(&call["for_each_expression"], json!({})),
            "depends_on": or(&call["depends_on"], json!([])),
            "version_constraint": text(&call["version_constraint"]),
        });
        let called = if at.is_empty() { format!("module.{name}") } else { format!("{at}.module.{name}") };
        self::module(&call["module"], &called, config);
    }
}
