//! Laws of planning, over small modules that are made up.

use objchange_document::Prediction;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use objchange::schema::ProviderSchemas;
use objchange_hcl::Functions;
use objchange_module::config::MemoryFiles;
use objchange_module::document::{DocumentInfo, write_plan};
use objchange_module::plan::PlanOptions;
use objchange_module::state::PriorState;
use objchange_module::variables::VariableSources;
use objchange_module::{
    AnsweringProviders, Answers, Module, ModuleTexts, PlanArguments, Schemas, SimulatedProviders,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value as Json, json};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"example.com/test/test":{
    "resource_schemas":{"test_disk":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},"name":{"type":"string","optional":true}}}}},
    "data_source_schemas":{"test_zone":{"version":0,"block":{"attributes":{
        "key":{"type":"string","required":true},"out":{"type":"string","computed":true}}}}}}}}"#;

/// The values that expressions of later blocks refer to.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Local,
    Builtin,
    Simulated,
    Data,
    Output,
}

/// A block: its number, what it is, and what it refers to among the earlier ones.
#[derive(Debug, Clone)]
struct Block {
    kind: Kind,
    refers: Vec<Index>,
    /// It has instances: so many.
    count: Option<u8>,
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let kind = prop_oneof![
        3 => Just(Kind::Local),
        3 => Just(Kind::Builtin),
        2 => Just(Kind::Simulated),
        1 => Just(Kind::Data),
        1 => Just(Kind::Output)
    ];
    let block = (kind, prop::collection::vec(any::<Index>(), 0..3), prop::option::of(0_u8..3))
        .prop_map(|(kind, refers, count)| Block { kind, refers, count });
    prop::collection::vec(block, 1..10)
}

/// The text of each block. Locals have names with this prefix.
fn texts(blocks: &[Block], local: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        let mut expr = format!("\"v{i}");
        if !values.is_empty() {
            for index in &block.refers {
                let _ = write!(expr, "-${{{}}}", index.get(&values));
            }
        }
        expr.push('"');
        let count = block.count.map(|count| format!("  count = {count}\n")).unwrap_or_default();
        let all = |address: &str, attribute: &str| match block.count {
            Some(_) => format!("join(\",\", {address}[*].{attribute})"),
            None => format!("{address}.{attribute}"),
        };
        let (text, value) = match block.kind {
            Kind::Local => {
                (format!("locals {{\n  {local}{i} = {expr}\n}}\n"), Some(format!("local.{local}{i}")))
            }
            Kind::Builtin => (
                format!("resource \"terraform_data\" \"r{i}\" {{\n{count}  input = {expr}\n}}\n"),
                Some(all(&format!("terraform_data.r{i}"), "output")),
            ),
            Kind::Simulated => (
                format!("resource \"test_disk\" \"r{i}\" {{\n{count}  name = {expr}\n}}\n"),
                Some(all(&format!("test_disk.r{i}"), "id")),
            ),
            Kind::Data => (
                format!("data \"test_zone\" \"d{i}\" {{\n{count}  key = {expr}\n}}\n"),
                Some(all(&format!("data.test_zone.d{i}"), "out")),
            ),
            Kind::Output => (format!("output \"o{i}\" {{\n  value = {expr}\n}}\n"), None),
        };
        texts.push(text);
        values.extend(value);
    }
    texts
}

const HEAD: &str =
    "terraform {\n  required_providers {\n    test = { source = \"example.com/test/test\" }\n  }\n}\n";

/// The plan of these files as a document, after this state.
fn plan(files: Vec<(&str, String)>, state: &Json, answers: &str, targets: &[String]) -> Json {
    let files: MemoryFiles = files.into_iter().chain([("head.tf", HEAD.to_owned())]).collect();
    let variables = VariableSources::default();
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    let arguments = PlanArguments { targets: targets.to_vec(), refresh: true, ..PlanArguments::default() };
    let (options, _) = arguments.apply(PlanOptions::default());
    let module = Module::load(texts, &options);
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS.to_owned()).unwrap()]);
    let (state, _) = PriorState::read(&state.to_string(), &schemas).unwrap();
    let answers = Answers::parse(answers).unwrap();
    let mut providers = AnsweringProviders::new(&answers, SimulatedProviders::default());
    let plan = module.plan(&state, &schemas, Functions::pure(), &options, &mut providers);
    assert!(!plan.errored, "{:?}", plan.diagnostics);
    let info = DocumentInfo {
        terraform_version: "1.16.0",
        is_simulated: true,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        timestamp: "",
    };
    serde_json::from_str(&write_plan(&plan, &module.config, &schemas, &info)).unwrap()
}

fn one_file(blocks: &[Block]) -> Vec<(&'static str, String)> {
    vec![("main.tf", texts(blocks, "l").concat())]
}

fn no_state() -> Json {
    state_of(&BTreeMap::new())
}

/// A state with these objects, by their addresses.
fn state_of(objects: &BTreeMap<String, (Json, Json)>) -> Json {
    let mut resources: BTreeMap<String, Json> = BTreeMap::new();
    for (change, object) in objects.values() {
        let (kind, name) = (change["type"].as_str().unwrap(), change["name"].as_str().unwrap());
        let provider = format!("provider[\"{}\"]", change["provider_name"].as_str().unwrap());
        let resource = resources.entry(format!("{kind}.{name}")).or_insert_with(
            || json!({"mode": "managed", "type": kind, "name": name, "provider": provider, "instances": []}),
        );
        let mut instance = json!({"schema_version": 0, "attributes": object});
        if let Some(index) = change.get("index") {
            instance["index_key"] = index.clone();
        }
        resource["instances"].as_array_mut().unwrap().push(instance);
    }
    let resources: Vec<Json> = resources.into_values().collect();
    json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "outputs": {}, "resources": resources})
}

fn changes(document: &Json) -> Vec<Json> {
    document["resource_changes"].as_array().cloned().unwrap_or_default()
}

fn by_address(document: &Json) -> BTreeMap<String, Json> {
    let address = |change: &Json| change["address"].as_str().unwrap().to_owned();
    changes(document).into_iter().map(|change| (address(&change), change)).collect()
}

/// Whether all that is known in one value is the same in another one.
fn holds(known: &Json, unknown: &Json, other: &Json) -> bool {
    match (known, unknown) {
        (_, Json::Bool(true)) => true,
        (Json::Object(known), _) => known.iter().all(|(name, value)| {
            let unknown = unknown.get(name).unwrap_or(&Json::Bool(false));
            other.get(name).map_or(*unknown == json!(true), |other| holds(value, unknown, other))
        }),
        _ => known == other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_files_and_blocks_does_not_matter(blocks in blocks(), seed in any::<[u8; 10]>()) {
        let texts = texts(&blocks, "l");
        let mut shuffled: Vec<(u8, usize)> =
            (0..texts.len()).map(|i| (seed[i % seed.len()], i)).collect();
        shuffled.sort_unstable();
        let half = shuffled.len() / 2;
        let file = |part: &[(u8, usize)]| part.iter().map(|(_, i)| texts[*i].as_str()).collect::<String>();
        let other = vec![("a.tf", file(&shuffled[half..])), ("z.tf", file(&shuffled[..half]))];
        let whole = vec![("main.tf", texts.concat())];
        prop_assert_eq!(plan(whole, &no_state(), "{}", &[]), plan(other, &no_state(), "{}", &[]));
    }

    #[test]
    fn renaming_a_local_value_changes_nothing(blocks in blocks()) {
        let renamed = vec![("main.tf", texts(&blocks, "renamed_").concat())];
        let before = plan(one_file(&blocks), &no_state(), "{}", &[]);
        let after = plan(renamed, &no_state(), "{}", &[]);
        for part in ["planned_values", "resource_changes", "output_changes", "prior_state", "relevant_attributes"] {
            prop_assert_eq!(&before[part], &after[part], "{}", part);
        }
    }

    /// Applies the known changes repeatedly, until everything is applied.
    #[test]
    fn planning_after_applying_is_empty(blocks in blocks()) {
        let mut objects: BTreeMap<String, (Json, Json)> = BTreeMap::new();
        let answers = json!({"data": {"test_zone": {"out": "zone"}}}).to_string();
        let mut last = Json::Null;
        for _ in 0..=blocks.len() {
            last = plan(one_file(&blocks), &state_of(&objects), &answers, &[]);
            for (address, change) in by_address(&last) {
                let (after, unknown) = (&change["change"]["after"], &change["change"]["after_unknown"]);
                let is_open = |name: &str| unknown.get(name) == Some(&json!(true));
                if change["mode"] != "managed" || is_open("input") || is_open("name") {
                    continue;
                }
                let mut object = after.clone();
                if is_open("id") {
                    object["id"] = format!("id of {address}").into();
                }
                if change["type"] == "terraform_data" {
                    let input = after["input"].clone();
                    object["output"] = json!({"value": input, "type": "string"});
                    object["input"] = object["output"].clone();
                    object["triggers_replace"] = Json::Null;
                }
                objects.insert(address, (change, object));
            }
        }
        for (address, change) in by_address(&last) {
            prop_assert_eq!(&change["change"]["actions"], &json!(["no-op"]), "{}", address);
        }
    }

    #[test]
    fn answers_contradict_nothing_that_was_known(blocks in blocks()) {
        let answers = json!({
            "data": {"test_zone": {"out": "zone"}}, "resources": {"test_disk": {"id": "answered"}}
        });
        let without = by_address(&plan(one_file(&blocks), &no_state(), "{}", &[]));
        let with = by_address(&plan(one_file(&blocks), &no_state(), &answers.to_string(), &[]));
        for (address, known) in without {
            let Some(answered) = with.get(&address) else {
                // A data source that is answered is read at once.
                prop_assert_eq!(&known["mode"], "data");
                continue;
            };
            prop_assert_eq!(&known["change"]["actions"], &answered["change"]["actions"], "{}", &address);
            let (known, answered) = (&known["change"], &answered["change"]);
            prop_assert!(holds(&known["after"], &known["after_unknown"], &answered["after"]), "{}", address);
        }
    }

    #[test]
    fn targets_plan_a_subset(blocks in blocks(), target in any::<Index>()) {
        let all = by_address(&plan(one_file(&blocks), &no_state(), "{}", &[]));
        prop_assume!(!all.is_empty());
        let addresses: Vec<&String> = all.keys().collect();
        let target = (*target.get(&addresses)).clone();
        let some = by_address(&plan(one_file(&blocks), &no_state(), "{}", std::slice::from_ref(&target)));
        prop_assert!(some.contains_key(&target), "{}", target);
        for (address, change) in some {
            prop_assert_eq!(Some(&change), all.get(&address), "{}", address);
        }
    }
}
