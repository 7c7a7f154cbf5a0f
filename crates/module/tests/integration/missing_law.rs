//! The law of plans without all of their input: nothing that is said to be known changes when something is filled in.

use objchange_document::Prediction;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use objchange::schema::ProviderSchemas;
use objchange_hcl::Functions;
use objchange_module::config::MemoryFiles;
use objchange_module::document::{DocumentInfo, write_plan};
use objchange_module::plan::{AcceptsMissing, PlanOptions};
use objchange_module::state::PriorState;
use objchange_module::variables::{VariableArgument, VariableSources};
use objchange_module::{Module, ModuleTexts, Schemas, SimulatedProviders};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value as Json, json};

const TEST: &str = r#""registry.terraform.io/hashicorp/test":{
    "resource_schemas":{"test_disk":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},"name":{"type":"string","optional":true}}}}},
    "data_source_schemas":{"test_zone":{"version":0,"block":{"attributes":{
        "key":{"type":"string","required":true},"out":{"type":"string","computed":true}}}}}}"#;

const CLOUD: &str = r#""registry.terraform.io/hashicorp/cloud":{
    "resource_schemas":{"cloud_disk":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},"name":{"type":"string","optional":true},
        "size":{"type":"number","optional":true},"label":{"type":"string","optional":true}}}}}}"#;

/// The inputs that may be missing.
#[derive(Debug, Clone, Copy)]
struct Input {
    variables: [bool; 2],
    module: bool,
    schemas: bool,
}

const ALL: Input = Input { variables: [true; 2], module: true, schemas: true };

#[derive(Debug, Clone, Copy)]
enum Kind {
    Local,
    Builtin,
    Trigger,
    Disk,
    Cloud,
    Data,
    Output,
}

/// A block: what it is, what it refers to among the earlier ones, and how many instances it has.
#[derive(Debug, Clone)]
struct Block {
    kind: Kind,
    refers: Vec<Index>,
    count: u8,
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let kind = prop_oneof![
        Just(Kind::Local),
        Just(Kind::Builtin),
        Just(Kind::Trigger),
        Just(Kind::Disk),
        Just(Kind::Cloud),
        Just(Kind::Data),
        Just(Kind::Output)
    ];
    let block = (kind, prop::collection::vec(any::<Index>(), 0..3), 0_u8..6)
        .prop_map(|(kind, refers, count)| Block { kind, refers, count });
    prop::collection::vec(block, 1..9)
}

fn text(blocks: &[Block]) -> String {
    let mut text = "variable \"a\" {}\nvariable \"b\" {\n  type = string\n}\n\
                    module \"m\" {\n  source = \"acme/m/test\"\n  a      = var.a\n}\n"
        .to_owned();
    let mut values = vec!["var.a".to_owned(), "var.b".to_owned(), "module.m.o".to_owned()];
    for (i, block) in blocks.iter().enumerate() {
        let mut expr = format!("\"v{i}");
        for index in &block.refers {
            let _ = write!(expr, "-${{{}}}", index.get(&values));
        }
        expr.push('"');
        let count = match block.count {
            0 => "  count = 2\n".to_owned(),
            1 => "  count = length(var.b)\n".to_owned(),
            _ => String::new(),
        };
        let all = |address: &str, attribute: &str| match count.is_empty() {
            false => format!("join(\",\", {address}[*].{attribute})"),
            true => format!("{address}.{attribute}"),
        };
        let (own, value) = match block.kind {
            Kind::Local => (format!("locals {{\n  l{i} = {expr}\n}}\n"), Some(format!("local.l{i}"))),
            Kind::Builtin => (
                format!("resource \"terraform_data\" \"r{i}\" {{\n{count}  input = {expr}\n}}\n"),
                Some(all(&format!("terraform_data.r{i}"), "output")),
            ),
            Kind::Trigger => (
                format!("resource \"terraform_data\" \"r{i}\" {{\n{count}  triggers_replace = {expr}\n}}\n"),
                Some(all(&format!("terraform_data.r{i}"), "id")),
            ),
            Kind::Disk => (
                format!("resource \"test_disk\" \"r{i}\" {{\n{count}  name = {expr}\n}}\n"),
                Some(all(&format!("test_disk.r{i}"), "id")),
            ),
            Kind::Cloud => (
                format!(
                    "resource \"cloud_disk\" \"r{i}\" {{\n{count}  name  = {expr}\n  size  = \"{i}\"\n  label = {i}\n}}\n"
                ),
                Some(all(&format!("cloud_disk.r{i}"), "label")),
            ),
            Kind::Data => (
                format!("data \"test_zone\" \"d{i}\" {{\n{count}  key = {expr}\n}}\n"),
                Some(all(&format!("data.test_zone.d{i}"), "out")),
            ),
            Kind::Output => (format!("output \"o{i}\" {{\n  value = {expr}\n}}\n"), None),
        };
        text += &own;
        values.extend(value);
    }
    text
}

/// The document of a plan with this input, with these values of the variables.
fn plan(blocks: &[Block], input: Input, values: [&str; 2], state: &Json, is_strict: bool) -> Json {
    let mut files = vec![("main.tf", text(blocks))];
    let child = "variable \"a\" {}\nresource \"terraform_data\" \"r\" {\n  input = var.a\n}\n\
                 output \"o\" {\n  value = \"m-${var.a}\"\n}\n";
    if input.module {
        files.push(("m/m.tf", child.to_owned()));
    }
    let files: MemoryFiles = files.into_iter().collect();
    let given = ["a", "b"].iter().zip(values).zip(input.variables).filter(|(_, is_given)| *is_given);
    let arguments = given.map(|((name, value), _)| VariableArgument::Value(format!("{name}={value}")));
    let variables = VariableSources { arguments: arguments.collect(), ..VariableSources::default() };
    let manifest = r#"{"Modules":[{"Key":"m","Source":"registry.terraform.io/acme/m/test","Version":"1.0.0","Dir":"m"}]}"#;
    let texts = ModuleTexts {
        files: &files,
        manifest: input.module.then_some(manifest),
        variables: &variables,
        terraform_version: "1.16.0",
    };
    let accepts = AcceptsMissing { variables: true, modules: true, schemas: true, files: false };
    let options = PlanOptions { accepts, ..PlanOptions::default() };
    let module = Module::load(texts, &options);
    let providers = if input.schemas { format!("{TEST},{CLOUD}") } else { TEST.to_owned() };
    let schemas = format!(r#"{{"format_version":"1.0","provider_schemas":{{{providers}}}}}"#);
    let mut schemas = Schemas::new([ProviderSchemas::parse(schemas).unwrap()]);
    schemas.infer(&module.config);
    let (state, _) = PriorState::read(&state.to_string(), &schemas).unwrap();
    let mut simulated = SimulatedProviders { is_strict, ..SimulatedProviders::default() };
    let plan = module.plan(&state, &schemas, Functions::pure(), &options, &mut simulated);
    assert!(!plan.errored, "{}: {:?}", text(blocks), plan.diagnostics);
    let info = DocumentInfo {
        terraform_version: "1.16.0",
        is_simulated: true,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        timestamp: "",
    };
    serde_json::from_str(&write_plan(&plan, &module.config, &schemas, &info)).unwrap()
}

fn list(document: &Json, name: &str) -> Vec<Json> {
    document[name].as_array().cloned().unwrap_or_default()
}

fn by_address(document: &Json) -> BTreeMap<String, Json> {
    let changes = list(document, "resource_changes").into_iter();
    changes.map(|change| (change["address"].as_str().unwrap().to_owned(), change)).collect()
}

/// A state in which what a plan creates exists, with made up values in the place of unknown ones.
fn applied(document: &Json) -> Json {
    let mut resources = Vec::new();
    for (address, change) in by_address(document) {
        if change["mode"] != "managed" {
            continue;
        }
        let (after, unknown) = (&change["change"]["after"], &change["change"]["after_unknown"]);
        let mut object = after.clone();
        for (name, _) in
            unknown.as_object().into_iter().flatten().filter(|(_, unknown)| **unknown == json!(true))
        {
            object[name] = format!("{name} of {address}").into();
        }
        if change["type"] == "terraform_data" {
            let typed = |value: &Json| match value.is_null() {
                true => Json::Null,
                false => json!({"value": value, "type": "string"}),
            };
            for name in ["input", "triggers_replace"] {
                object[name] = typed(&object[name]);
            }
            object["output"] = object["input"].clone();
        }
        let mut instance = json!({"schema_version": 0, "attributes": object});
        if let Some(index) = change.get("index") {
            instance["index_key"] = index.clone();
        }
        let mut resource = json!({"mode": "managed", "type": change["type"], "name": change["name"],
            "provider": format!("provider[\"{}\"]", change["provider_name"].as_str().unwrap()),
            "instances": [instance]});
        if let Some(module) = change.get("module_address") {
            resource["module"] = module.clone();
        }
        resources.push(resource);
    }
    json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "outputs": {}, "resources": resources})
}

/// Whether all that is known in one value is the same in another one, which may have been converted to the type of a schema.
fn holds(known: &Json, unknown: &Json, other: &Json) -> bool {
    match (known, unknown) {
        (_, Json::Bool(true)) => true,
        (Json::Object(known), _) => known.iter().all(|(name, value)| {
            let unknown = unknown.get(name).unwrap_or(&Json::Bool(false));
            other.get(name).map_or(*unknown == json!(true), |other| holds(value, unknown, other))
        }),
        (Json::String(a), _) => {
            *other == json!(a) || other.as_f64().is_some_and(|number| a.parse() == Ok(number))
        }
        (Json::Number(a), _) => *other == json!(a) || *other == json!(a.to_string()),
        _ => known == other,
    }
}

/// The contradictions to a plan that was made without a part of its input.
fn contradiction(without: &Json, with: &Json, input: Input) -> Option<String> {
    let filled = by_address(with);
    let known = by_address(without);
    for (address, change) in &known {
        let Some(other) = filled.get(address) else {
            // A data source whose configuration is known may be read while planning.
            match change["mode"] == "data" {
                true => continue,
                false => return Some(format!("{address} is gone")),
            }
        };
        let actions = |change: &Json| change["change"]["actions"].clone();
        // Without its provider nobody knows whether an update is one.
        let is_sure = actions(change) != json!(["update"]) || change["type"] == "terraform_data";
        if is_sure && actions(change) != actions(other) {
            return Some(format!("{address}: {} became {}", actions(change), actions(other)));
        }
        let change = &change["change"];
        if !holds(&change["after"], &change["after_unknown"], &other["change"]["after"]) {
            return Some(format!("{address}: {} became {}", change["after"], other["change"]["after"]));
        }
    }
    let open: Vec<String> = list(without, "deferred_changes")
        .iter()
        .map(|deferred| deferred["resource_change"]["address"].as_str().unwrap().to_owned())
        .collect();
    for (address, change) in &filled {
        let is_open = open.iter().any(|open| address == open || address.starts_with(&format!("{open}[")));
        let is_in_module = !input.module && address.starts_with("module.m.");
        if !known.contains_key(address) && !is_open && !is_in_module {
            return Some(format!("{address} appeared: {}", change["change"]["actions"]));
        }
    }
    let outputs = without["output_changes"].as_object().cloned().unwrap_or_default();
    outputs.iter().find_map(|(name, output)| {
        let other = &with["output_changes"][name]["after"];
        let is_same = holds(&output["after"], &output["after_unknown"], other);
        (!is_same).then(|| format!("output.{name}: {} became {other}", output["after"]))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nothing_that_was_known_changes_when_something_is_filled_in(
        blocks in blocks(),
        variables in any::<[bool; 2]>(),
        (module, schemas) in any::<(bool, bool)>(),
        (exists, same, is_strict) in any::<(bool, bool, bool)>(),
    ) {
        let input = Input { variables, module, schemas };
        let nothing = json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "outputs": {}, "resources": []});
        let old = if same { ["x", "yy"] } else { ["w", "yyy"] };
        let state = match exists {
            true => applied(&plan(&blocks, ALL, old, &nothing, false)),
            false => nothing,
        };
        let with = plan(&blocks, ALL, ["x", "yy"], &state, is_strict);
        let without = plan(&blocks, input, ["x", "yy"], &state, is_strict);
        let found = contradiction(&without, &with, input);
        prop_assert!(found.is_none(), "{:?}\n{}", found, text(&blocks));
        // One after the other.
        if !input.variables[0] {
            let more = Input { variables: [true, input.variables[1]], ..input };
            let with = plan(&blocks, more, ["x", "yy"], &state, is_strict);
            let found = contradiction(&without, &with, input);
            prop_assert!(found.is_none(), "{:?}\n{}", found, text(&blocks));
        }
    }
}
