//! The plans of Terraform itself: planned from prior state and configuration, each resource
//! comes out with the action that Terraform chose.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use serde_json::{Map, Value as Json, json};

use crate::program::objchange;

pub(crate) fn each_resource_comes_out_with_terraforms_action(root: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut right = 0;
    for folder in fs::read_dir(root)? {
        let folder = folder?.path();
        let what = fs::read_to_string(folder.join("what")).unwrap();
        let (plan, config) = (read(&folder.join("plan.json")), read(&folder.join("main.tf.json")));
        let written = folder.join("main.tf");
        if let (Some(plan), true) = (&plan, written.exists()) {
            let text = fs::read_to_string(&written)?;
            for change in list(&plan["resource_changes"]) {
                match planned_as_written(&folder, plan, &text, change) {
                    Some(Ok(())) => right += 1,
                    Some(Err(problem)) => {
                        wrong.push(format!("{}: {}: {problem}", what.trim(), change["address"]));
                    }
                    None => {}
                }
            }
        }
        // A state's folder has the configuration that it was made by, not the one that is planned next.
        let (Some(plan), Some(config), false) = (plan, config, what.starts_with("state")) else { continue };
        for change in list(&plan["resource_changes"]) {
            if change["mode"] == "managed" {
                match planned(&folder, &plan, &config["resource"], change) {
                    Ok(()) => right += 1,
                    Err(problem) => wrong.push(format!("{}: {}: {problem}", what.trim(), change["address"])),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + right, wrong.join("\n"));
    assert!(right > 0, "there is no plan in {}", root.display());
    Ok(())
}

/// Each plan and state through the program, with nothing said of it, byte for byte.
pub(crate) fn documents_are_shown_as_terraform_does(root: &Path) -> Result<(), Failed> {
    let names = [
        ("plan.json", ["show.txt", "plan.txt"], ["show.color.txt", "plan.colour.txt"]),
        ("state.json", ["state.txt"; 2], ["state.color.txt", "state.colour.txt"]),
    ];
    let mut wrong = Vec::new();
    let mut right = 0;
    for folder in ["terraform", "shapes"] {
        for folder in fs::read_dir(root.join(folder))? {
            let folder = folder?.path();
            for (document, plain, coloured) in &names {
                for (when, texts) in [("never", plain), ("always", coloured)] {
                    let text = texts.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok());
                    let document = folder.join(document);
                    let (Some(want), true) = (text, document.exists()) else { continue };
                    let schemas = folder.join("schemas.json");
                    let arguments = [
                        Path::new("show"),
                        &document,
                        Path::new("--schemas"),
                        &schemas,
                        Path::new("--color"),
                        Path::new(when),
                    ];
                    let output = objchange(arguments, "");
                    if output.stdout == want {
                        right += 1;
                    } else {
                        wrong.push(document.display().to_string());
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + right, wrong.join("\n"));
    assert!(right > 0, "there is no document in {}", root.display());
    Ok(())
}

fn read(path: &Path) -> Option<Json> {
    fs::read_to_string(path).ok().map(|text| serde_json::from_str(&text).unwrap())
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Plans one resource from its block, and compares the action; `None` if it has no block in the file.
fn planned_as_written(folder: &Path, plan: &Json, text: &str, change: &Json) -> Option<Result<(), String>> {
    let (address, ty) = (change["address"].as_str()?, change["type"].as_str()?);
    let header = format!("resource \"{ty}\" \"{}\" {{", change["name"].as_str()?);
    let is_elsewhere = change.get("module_address").is_some() || change.get("deposed").is_some();
    let wanted = action(&change["change"]["actions"])?;
    if is_elsewhere || !text.contains(&header) || wanted == "delete" {
        return None;
    }
    let schemas = folder.join("schemas.json");
    let config = format!("{}:{address}", folder.join("main.tf").display());
    let mut arguments = vec!["plan", "--json", "--schema", schemas.to_str()?, "--config", &config];
    let state = &plan["prior_state"];
    let resources = list(&state["values"]["root_module"]["resources"]);
    let state = if resources.iter().any(|resource| resource["address"] == address) {
        arguments.extend(["--prior", "-", "--address", address]);
        state.to_string()
    } else {
        String::new()
    };
    for path in fixed(ty) {
        arguments.extend(["--requires-replace", path]);
    }
    let output = objchange(&arguments, state);
    Some(match serde_json::from_str::<Json>(&output.stdout) {
        Ok(report) if output.code == 0 && report["action"] == wanted => Ok(()),
        Ok(report) => Err(format!("{} instead of {wanted}, exit code {}", report["action"], output.code)),
        Err(_) => Err(output.stderr),
    })
}

/// Attributes that the provider of these plans cannot change in place.
fn fixed(ty: &str) -> &'static [&'static str] {
    match ty {
        "shape_flat" => &["force", "force_list"],
        "terraform_data" => &["triggers_replace"],
        "shape_fault" => &[],
        _ => &["force"],
    }
}

/// The name of an action of one resource.
fn action(actions: &Json) -> Option<&'static str> {
    let actions: Vec<&str> = list(actions).iter().filter_map(Json::as_str).collect();
    Some(match actions[..] {
        ["create"] => "create",
        ["update"] => "update",
        ["delete"] => "delete",
        ["no-op"] => "noop",
        ["delete", "create"] => "delete_then_create",
        ["create", "delete"] => "create_then_delete",
        _ => return None,
    })
}

/// Plans one resource, and compares the action.
fn planned(folder: &Path, plan: &Json, resources: &Json, change: &Json) -> Result<(), String> {
    let (ty, name) = (change["type"].as_str().unwrap(), change["name"].as_str().unwrap());
    let actions = &change["change"]["actions"];
    let wanted = action(actions).ok_or_else(|| format!("{actions} is no action of one resource"))?;
    let schemas = folder.join("schemas.json");
    let test = format!("shapes-{}-{ty}-{name}", folder.file_name().unwrap().display());
    let files = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&files).unwrap();
    let file = |name: &str, json: &Json| {
        let path = files.join(name);
        fs::write(&path, json.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let mut config = if wanted == "delete" { Json::Null } else { resources[ty][name].clone() };
    let mut arguments: Vec<String> =
        ["plan", "--json", "--schema", schemas.to_str().unwrap(), "--type", ty].map(str::to_owned).into();
    if let Some(body) = config.as_object_mut() {
        body.remove("provider");
        body.remove("depends_on");
        let lifecycle = body.remove("lifecycle").unwrap_or_default();
        for ignored in list(&lifecycle["ignore_changes"]) {
            arguments.extend(["--ignore-changes".to_owned(), ignored.as_str().unwrap().to_owned()]);
        }
        // Resources that others depend on take over how those are replaced.
        if lifecycle["create_before_destroy"] == true || wanted == "create_then_delete" {
            arguments.push("--create-before-destroy".to_owned());
        }
        let document = read(&schemas).unwrap();
        let providers = document["provider_schemas"].as_object().unwrap();
        let schema = providers.values().find_map(|provider| provider["resource_schemas"].get(ty));
        *body = blocks(body, &schema.unwrap_or(&Json::Null)["block"]);
    }
    let config = evaluated(&config, &change["change"]["after"], &change["change"]["after_unknown"]);
    arguments.extend(["--config".to_owned(), file("config.json", &config)]);
    let address = change["address"].as_str().unwrap();
    let state = &plan["prior_state"];
    if list(&state["values"]["root_module"]["resources"])
        .iter()
        .any(|resource| resource["address"] == address)
    {
        arguments.extend(["--prior".to_owned(), file("state.json", state)]);
        arguments.extend(["--address".to_owned(), address.to_owned()]);
    }
    for path in fixed(ty) {
        arguments.extend(["--requires-replace", path].map(str::to_owned));
    }
    let output = objchange(&arguments, "");
    fs::remove_dir_all(&files).unwrap();
    match serde_json::from_str::<Json>(&output.stdout) {
        Ok(report) if output.code == 0 && report["action"] == wanted => Ok(()),
        Ok(report) => Err(format!("{} instead of {wanted}, exit code {}", report["action"], output.code)),
        Err(_) => Err(output.stderr),
    }
}

/// A body with each block by itself where there can be only one, and in an array where there may be more. Configuration in
/// JSON may write either in both cases.
fn blocks(body: &Map<String, Json>, schema: &Json) -> Map<String, Json> {
    let one = |json: &Json, schema: &Json| {
        let block = json.get(0).unwrap_or(json);
        block.as_object().map_or_else(|| block.clone(), |block| Json::Object(blocks(block, schema)))
    };
    let member = |(name, json): (&String, &Json)| {
        let nested = &schema["block_types"][name];
        let json = match nested["nesting_mode"].as_str() {
            None => json.clone(),
            Some("single" | "group") => one(json, &nested["block"]),
            Some("map") => json
                .as_object()
                .map(|by_label| {
                    by_label
                        .iter()
                        .map(|(label, block)| (label.clone(), one(block, &nested["block"])))
                        .collect()
                })
                .unwrap_or_default(),
            Some(_) if json.is_object() => json!([one(json, &nested["block"])]),
            Some(_) => list(json).iter().map(|block| one(block, &nested["block"])).collect(),
        };
        (name.clone(), json)
    };
    body.iter().map(member).collect()
}

/// Evaluates the templates in a body: a reference takes the value that Terraform planned there.
fn evaluated(json: &Json, after: &Json, unknown: &Json) -> Json {
    let plain = |text: &str| text.replace("$${", "${").replace("%%{", "%{");
    match json {
        Json::String(text) if is_reference(text) && (*unknown == true || after.is_null()) => {
            json!({"$unknown": {}})
        }
        Json::String(text) if is_reference(text) => after.clone(),
        Json::String(text) => Json::String(plain(text)),
        Json::Array(elements) => {
            let part = |json: &Json, i: usize| json.get(i).cloned().unwrap_or(json!(*json == true));
            let element = |(i, json): (usize, &Json)| {
                evaluated(json, after.get(i).unwrap_or(&Json::Null), &part(unknown, i))
            };
            elements.iter().enumerate().map(element).collect()
        }
        Json::Object(members) => {
            let member = |(key, json): (&String, &Json)| {
                let key = plain(key);
                let unknown = unknown.get(&key).cloned().unwrap_or(json!(*unknown == true));
                let value = evaluated(json, after.get(&key).unwrap_or(&Json::Null), &unknown);
                (key, value)
            };
            members.iter().map(member).collect()
        }
        other => other.clone(),
    }
}

/// Whether a template has a part that is not constant.
fn is_reference(text: &str) -> bool {
    text.replace("$${", "").replace("%%{", "").contains("${")
}
