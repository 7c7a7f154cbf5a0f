//! The fields of Sentinel's imports, computed from documents without the program, and compared with the program's.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::folder::Folder;
use crate::program::objchange;

/// Compares each field with static data of the policy; the program lists the differences.
const POLICY: &str = r#"import "tfplan/v2" as plan
import "tfstate/v2" as state
import "tfconfig/v2" as config
import "expected"

defined = func(map) { return filter map as _, value { value is defined } }
version = rule { (plan.terraform_version else null) is expected.terraform_version }
variables = rule { plan.variables is expected.variables }
planned_resources = rule { plan.planned_values.resources is expected.planned.resources }
planned_outputs = rule {
	keys(plan.planned_values.outputs) is keys(expected.planned.outputs) and
		all plan.planned_values.outputs as name, output {
			defined(output) is expected.planned.outputs[name] and keys(output) is ["name", "sensitive", "value"]
		}
}
changes = rule { plan.resource_changes is expected.resource_changes }
drift = rule { plan.resource_drift is expected.resource_drift }
outputs = rule {
	keys(plan.output_changes) is keys(expected.output_changes) and
		all plan.output_changes as name, output {
			output.name is name and keys(output) is ["change", "name"] and
				keys(output.change) is ["actions", "after", "after_unknown", "before"] and
				defined(output.change) is expected.output_changes[name]
		}
}
raw = rule { plan.raw is expected.raw }
state_version = rule { (state.terraform_version else null) is expected.state.terraform_version }
state_resources = rule { state.resources is expected.state.resources }
state_outputs = rule { state.outputs is expected.state.outputs }
providers = rule { config.providers is expected.config.providers }
resources = rule { config.resources is expected.config.resources }
provisioners = rule { config.provisioners is expected.config.provisioners }
config_variables = rule { config.variables is expected.config.variables }
config_outputs = rule { config.outputs is expected.config.outputs }
module_calls = rule { config.module_calls is expected.config.module_calls }
main = rule {
	version and variables and planned_resources and planned_outputs and changes and drift and outputs and raw and
		state_version and state_resources and state_outputs and
		providers and resources and provisioners and config_variables and config_outputs and module_calls
}
"#;

const CONFIGURATION: &str = "policy \"fields\" { source = \"fields.sentinel\" }\n\
    import \"static\" \"expected\" { source = \"expected.json\" }\n";

/// Adds the sections that every whole plan has, with nothing in them.
pub(crate) fn complete(plan: &mut Value) {
    let values = json!({"root_module": {}});
    let sections = [
        ("planned_values", values.clone()),
        ("configuration", values.clone()),
        ("prior_state", json!({"format_version": "1.0", "values": values})),
        ("terraform_version", json!("1.9.0")),
    ];
    for (name, section) in sections {
        if plan[name].is_null() || plan[name] == json!({}) {
            plan[name] = section;
        }
    }
}

/// The fields of a plan that differ.
pub(crate) fn problems(name: &str, plan: &Value) -> Option<String> {
    let mut plan = plan.clone();
    complete(&mut plan);
    let plan = &plan;
    let folder = Folder::with(
        &format!("fields-{name}"),
        &[("fields.sentinel", POLICY), ("sentinel.hcl", CONFIGURATION)],
    );
    folder.write("expected.json", expected(plan).to_string());
    let output = objchange(
        ["sentinel", "apply", folder.at("").to_str().unwrap(), "--json", "--allow-errored"],
        plan.to_string(),
    );
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    (answer["outcome"] != "pass").then(|| {
        let rules = answer["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
        let wrong = rules.iter().filter(|rule| rule["value"] != true).map(|rule| &rule["name"]);
        format!(
            "{wrong:?} {} {} {}",
            answer["error"],
            answer["witnesses"]["list"],
            output.stderr,
            wrong = wrong.collect::<Vec<_>>()
        )
    })
}

fn expected(plan: &Value) -> Value {
    let by_name = |of: &Value, item: &dyn Fn(&str, &Value) -> Value| -> Value {
        of.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), item(name, value))).collect()
    };
    let state = plan.get("prior_state").filter(|state| !state.is_null());
    let mut planned = of_state(&plan["planned_values"]);
    // Terraform 1.7 to 1.15 list objects that they forget, without their values.
    let changes_of_plan = plan["resource_changes"].as_array().into_iter().flatten();
    for change in changes_of_plan.filter(|change| change["change"]["actions"] == json!(["forget"])) {
        if let (Some(resources), Some(address)) =
            (planned["resources"].as_object_mut(), change["address"].as_str())
        {
            resources.remove(address);
        }
    }
    json!({
        "terraform_version": plan["terraform_version"],
        "variables": by_name(&plan["variables"], &|name, variable| json!({"name": name, "value": variable["value"]})),
        "planned": planned,
        "resource_changes": changes(&plan["resource_changes"]),
        "resource_drift": changes(&plan["resource_drift"]),
        "output_changes": by_name(&plan["output_changes"], &|name, change| {
            let mut change = of_change(change);
            if change["after"].is_null() && change["after_unknown"] == true {
                change.as_object_mut().unwrap().remove("after");
            }
            let _ = name;
            change
        }),
        "raw": plan,
        "state": {
            "terraform_version": state.map_or(Value::Null, |state| state["terraform_version"].clone()),
            "resources": of_state(&plan["prior_state"]["values"])["resources"],
            "outputs": of_state(&plan["prior_state"]["values"])["outputs"],
        },
        "config": config(&plan["configuration"]),
    })
}

fn of_change(change: &Value) -> Value {
    let fields = ["actions", "before", "after", "after_unknown"];
    fields.into_iter().map(|field| (field.to_owned(), change[field].clone())).collect()
}

fn or(value: &Value, other: Value) -> Value {
    if value.is_null() { other } else { value.clone() }
}

fn changes(list: &Value) -> Value {
    let change = |change: &Value| {
        let deposed = or(&change["deposed"], json!(""));
        let address = change["address"].as_str().unwrap();
        let key = match deposed.as_str() {
            Some("") => address.to_owned(),
            deposed => format!("{address}:{}", deposed.unwrap()),
        };
        let item = json!({
            "address": address,
            "module_address": or(&change["module_address"], json!("")),
            "mode": change["mode"],
            "type": change["type"],
            "name": change["name"],
            "index": change["index"],
            "provider_name": change["provider_name"],
            "deposed": deposed,
            "change": of_change(&change["change"]),
        });
        (key, item)
    };
    list.as_array().into_iter().flatten().map(change).collect()
}

pub(crate) fn of_state(values: &Value) -> Value {
    let mut resources = Map::new();
    let mut waiting = vec![&values["root_module"]];
    while let Some(module) = waiting.pop() {
        waiting.extend(module["child_modules"].as_array().into_iter().flatten());
        let module_address = or(&module["address"], json!(""));
        for resource in module["resources"].as_array().into_iter().flatten() {
            let mut address = match module_address.as_str().unwrap() {
                "" => String::new(),
                module => format!("{module}."),
            };
            address +=
                &format!("{}.{}", resource["type"].as_str().unwrap(), resource["name"].as_str().unwrap());
            if !resource["index"].is_null() {
                address += &format!("[{}]", resource["index"]);
            }
            let deposed = or(&resource["deposed_key"], json!(""));
            let key = match deposed.as_str().unwrap() {
                "" => address.clone(),
                deposed => format!("{address}:{deposed}"),
            };
            let is_second = |other: &Value| other["mode"] == "managed" && resource["mode"] != "managed";
            if resources.get(&key).is_some_and(is_second) {
                continue;
            }
            resources.insert(
                key,
                json!({
                    "address": address,
                    "module_address": module_address,
                    "mode": resource["mode"],
                    "type": resource["type"],
                    "name": resource["name"],
                    "index": resource["index"],
                    "provider_name": resource["provider_name"],
                    "values": or(&resource["values"], json!({})),
                    "depends_on": or(&resource["depends_on"], json!([])),
                    "tainted": or(&resource["tainted"], json!(false)),
                    "deposed_key": deposed,
                }),
            );
        }
    }
    let outputs = values["outputs"].as_object().into_iter().flatten().map(|(name, output)| {
        let mut item = json!({"name": name, "sensitive": or(&output["sensitive"], json!(false))});
        if let Some(value) = output.get("value") {
            item["value"] = value.clone();
        }
        (name.clone(), item)
    });
    json!({"resources": resources, "outputs": outputs.collect::<Map<_, _>>()})
}

fn config(configuration: &Value) -> Value {
    let own_key = |key: &Value| key.as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    let prefixed = |module: &str, key: &str| match module {
        "" => key.to_owned(),
        module => format!("{module}:{key}"),
    };
    let mut providers = Map::new();
    for (key, provider) in configuration["provider_config"].as_object().into_iter().flatten() {
        let module = or(&provider["module_address"], json!(""));
        let key = prefixed(module.as_str().unwrap(), &own_key(&json!(key)));
        let text = |field: &str| or(&provider[field], json!(""));
        let item = json!({
            "provider_config_key": key,
            "name": provider["name"],
            "full_name": text("full_name"),
            "alias": text("alias"),
            "module_address": module,
            "config": or(&provider["expressions"], json!({})),
            "version_constraint": text("version_constraint"),
        });
        providers.insert(key, item);
    }
    let mut tables: [Map<String, Value>; 5] = Default::default();
    let [resources, provisioners, variables, outputs, calls] = &mut tables;
    let mut waiting = vec![(String::new(), &configuration["root_module"])];
    while let Some((module, body)) = waiting.pop() {
        let named = |table: &str| {
            body[table].as_object().into_iter().flatten().map(|(name, item)| (name.as_str(), item))
        };
        for resource in body["resources"].as_array().into_iter().flatten() {
            let own = resource["address"].as_str().unwrap();
            let address = if module.is_empty() { own.to_owned() } else { format!("{module}.{own}") };
            let list = resource["provisioners"].as_array().into_iter().flatten().enumerate();
            let list: Vec<Value> = list
                .map(|(index, provisioner)| {
                    json!({
                        "resource_address": address,
                        "type": provisioner["type"],
                        "index": index.to_string(),
                        "config": or(&provisioner["expressions"], json!({})),
                    })
                })
                .collect();
            for (index, provisioner) in list.iter().enumerate() {
                provisioners.insert(format!("{address}:{index}"), provisioner.clone());
            }
            let item = json!({
                "address": address,
                "module_address": module,
                "mode": resource["mode"],
                "type": resource["type"],
                "name": resource["name"],
                "provider_config_key": prefixed(&module, &own_key(&resource["provider_config_key"])),
                "provisioners": list,
                "config": or(&resource["expressions"], json!({})),
                "count": or(&resource["count_expression"], json!({})),
                "for_each": or(&resource["for_each_expression"], json!({})),
                "depends_on": or(&resource["depends_on"], json!([])),
            });
            resources.insert(address, item);
        }
        for (name, variable) in named("variables") {
            let item = json!({
                "module_address": module,
                "name": name,
                "default": variable["default"],
                "description": or(&variable["description"], json!("")),
            });
            variables.insert(prefixed(&module, name), item);
        }
        for (name, output) in named("outputs") {
            let item = json!({
                "module_address": module,
                "name": name,
                "sensitive": or(&output["sensitive"], json!(false)),
                "value": or(&output["expression"], json!({})),
                "description": or(&output["description"], json!("")),
                "depends_on": or(&output["depends_on"], json!([])),
            });
            outputs.insert(prefixed(&module, name), item);
        }
        for (name, call) in named("module_calls") {
            let item = json!({
                "module_address": module,
                "name": name,
                "source": call["source"],
                "config": or(&call["expressions"], json!({})),
                "count": or(&call["count_expression"], json!({})),
                "for_each": or(&call["for_each_expression"], json!({})),
                "depends_on": or(&call["depends_on"], json!([])),
                "version_constraint": or(&call["version_constraint"], json!("")),
            });
            calls.insert(prefixed(&module, name), item);
            let called = if module.is_empty() { String::new() } else { format!("{module}.") };
            waiting.push((format!("{called}module.{name}"), &call["module"]));
        }
    }
    let [resources, provisioners, variables, outputs, module_calls] = tables;
    json!({
        "providers": providers,
        "resources": resources,
        "provisioners": provisioners,
        "variables": variables,
        "outputs": outputs,
        "module_calls": module_calls,
    })
}

/// Checks documents by name, and lists those with differing fields.
#[track_caller]
pub(crate) fn check(documents: impl Iterator<Item = (String, Value)>) {
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    // A plan that does something and lists nothing is judged by nobody.
    let lists = |plan: &Value, of: &str| match &plan[of] {
        Value::Array(items) => !items.is_empty(),
        Value::Object(items) => !items.is_empty(),
        _ => false,
    };
    let parts =
        ["resource_changes", "resource_drift", "deferred_changes", "action_invocations", "output_changes"];
    // Terraform never writes such a plan: only a replacement has `replace_paths`, and a no-op changes nothing.
    let is_possible = |resource: &Value| {
        let change = &resource["change"];
        let is_replaced = change["actions"].as_array().is_some_and(|actions| actions.len() > 1);
        let stays = change["actions"] != json!(["no-op"]) || change["before"] == change["after"];
        stays && (is_replaced || !lists(change, "replace_paths"))
    };
    let are_possible = |plan: &Value| {
        let all = parts[..2].iter().filter_map(|of| plan[*of].as_array()).flatten();
        all.into_iter().all(is_possible)
    };
    let is_judged = |plan: &Value| {
        are_possible(plan) && (plan["applyable"] != true || parts.iter().any(|of| lists(plan, of)))
    };
    for (name, plan) in documents.filter(|(_, plan)| is_judged(plan)) {
        if let Some(problem) = problems(&name.replace('/', "-"), &plan) {
            wrong.push(format!("{name}: {problem}"));
        }
        seen.insert(name);
    }
    assert!(!seen.is_empty(), "there is no plan");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), seen.len(), wrong.join("\n"));
}
