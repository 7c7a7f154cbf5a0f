//! The bodies of the fuzz targets `module` and `missing_input`: how the files of a module are used, and what must hold then.
//!
//! `crates/module/tests` runs the same on damaged modules, without a fuzzer.

#[path = "known_parts.rs"]
mod known_parts;

use std::sync::{Arc, LazyLock};

use objchange::schema::ProviderSchemas;
use objchange_document::{Document, Prediction};
use objchange_hcl::Functions;
use objchange_module::config::{Config, MemoryFiles};
use objchange_module::document::{DocumentInfo, change_set, write_plan};
use objchange_module::plan::{AcceptsMissing, ModulePlan, PlanOptions};
use objchange_module::state::PriorState;
use objchange_module::variables::VariableSources;
use objchange_module::{DiagnosticPrinter, Diagnostics, Module, ModuleTexts, Schemas, SimulatedProviders};
use objchange_plan::{Filter, Options, Report};

/// The provider of the modules.
const PROVIDER: &str = "registry.terraform.io/hashicorp/sim";

/// A resource type with blocks, a data source and a function.
static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| {
    let text = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/sim":{
        "provider":{"version":0,"block":{"attributes":{"region":{"type":"string","optional":true}}}},
        "resource_schemas":{"sim_thing":{"version":0,"block":{
            "attributes":{
                "id":{"type":"string","computed":true},
                "name":{"type":"string","optional":true},
                "any":{"type":"dynamic","optional":true},
                "secret":{"type":"string","optional":true,"computed":true,"sensitive":true},
                "parts":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
                    "label":{"type":"string","optional":true},"made":{"type":"string","computed":true}}}}},
            "block_types":{"rule":{"nesting_mode":"set","block":{"attributes":{
                "port":{"type":"number","required":true},"made":{"type":"string","computed":true}}}}}}}},
        "data_source_schemas":{"sim_lookup":{"version":0,"block":{"attributes":{
            "key":{"type":"string","required":true},"names":{"type":["list","string"],"computed":true}}}}},
        "functions":{"count":{"return_type":"number","parameters":[{"name":"text","type":"string"}]}}}}}"#;
    Schemas::new([ProviderSchemas::parse(text).expect("these are schemas")])
});

/// The files of a module, each behind a line `--- NAME`; the first may go without it, and is `main.tf`. The module is
/// loaded and planned: whatever is found has its place in a file, the plan can be written, read back and shown, and planning
/// again gives the same. Returns what was planned, or what is wrong.
pub(crate) fn module(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return String::new() };
    let files = split(text);
    let state = files.iter().find(|(name, _)| *name == "terraform.tfstate").map(|(_, text)| *text);
    let files: MemoryFiles = files.iter().copied().collect();
    let first = planned(&files, state);
    assert_eq!(first, planned(&files, state), "planned twice");
    first
}

/// The files in a text.
fn split(text: &str) -> Vec<(&str, &str)> {
    let mut files = vec![("main.tf", "")];
    let mut rest = text;
    while let Some((file, after)) = rest.split_once("--- ") {
        files.last_mut().expect("there is one").1 = file;
        let (name, after) = after.split_once('\n').unwrap_or((after, ""));
        files.push((name, ""));
        rest = after;
    }
    files.last_mut().expect("there is one").1 = rest;
    files
}

/// Plans a module with all of its input, and without some: the first four bytes say which variables, directories of modules and
/// schemas are missing, and the files follow. Missing input is not an error, and values that were known stay the same.
/// Returns whether there was something to compare.
pub(crate) fn missing_input(bytes: &[u8]) -> bool {
    let Some((mask, text)) = bytes.split_first_chunk::<4>() else { return false };
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let (mask, files) = (u32::from_le_bytes(*mask), split(text));
    let Some((more, with)) = planned_without(&files, 0) else { return false };
    let Some((least, without)) = planned_without(&files, mask) else { panic!("nothing is planned: {text}") };
    if more.errored {
        return false;
    }
    assert!(!least.errored, "an error is gone when everything is there: {without}");
    let [least, more] = [without, with].map(|text| serde_json::from_str(&text).expect("documents are JSON"));
    let has_no_schemas = mask >> 31 == 1;
    let found = known_parts::contradiction(&least, &more, &|provider| has_no_schemas && provider == PROVIDER);
    assert!(found.is_none(), "{}\n{mask:032b}\n{text}", found.unwrap_or_default());
    true
}

/// The plan of a module without the input in a mask, and its document, or else its errors; `None` if nothing could be planned.
fn planned_without(files: &[(&str, &str)], mask: u32) -> Option<(ModulePlan, String)> {
    let is_missing = |bit: usize| bit < 32 && mask >> bit & 1 == 1;
    let mut directories: Vec<&str> =
        files.iter().filter_map(|(name, _)| Some(name.rsplit_once('/')?.0)).collect();
    directories.sort_unstable();
    directories.dedup();
    let hidden: Vec<&str> = directories
        .iter()
        .enumerate()
        .filter(|(at, _)| *at < 15 && is_missing(16 + at))
        .map(|(_, directory)| *directory)
        .collect();
    let is_there =
        |name: &str| name.rsplit_once('/').is_none_or(|(directory, _)| !hidden.contains(&directory));
    let there: MemoryFiles = files.iter().copied().filter(|(name, _)| is_there(name)).collect();
    let accepts = AcceptsMissing { variables: true, modules: true, schemas: true, files: false };
    let options = PlanOptions { max_instances: 50, accepts, ..PlanOptions::default() };
    let variables = VariableSources::default();
    let texts =
        ModuleTexts { files: &there, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    let mut module = Module::load(texts, &options);
    if module.diagnostics.has_errors() {
        return None;
    }
    if let Some(root) = module.config.modules.first_mut() {
        let declared = Arc::make_mut(&mut root.config).variables.values_mut();
        let missing = declared.enumerate().filter(|(at, variable)| {
            // Where modules lie may depend on a constant variable.
            *at < 16 && is_missing(*at) && !variable.constant
        });
        missing.for_each(|(_, variable)| variable.default = None);
    }
    let mut schemas = if is_missing(31) { Schemas::default() } else { SCHEMAS.clone() };
    schemas.infer(&module.config);
    let state = files.iter().find(|(name, _)| *name == "terraform.tfstate").map(|(_, text)| *text);
    let state = match state.map(|state| PriorState::read(state, &schemas)) {
        Some(Ok((state, _))) => state,
        Some(Err(_)) => return None,
        None => PriorState::default(),
    };
    let mut providers = SimulatedProviders { is_strict: true, ..SimulatedProviders::default() };
    let plan = module.plan(&state, &schemas, Functions::pure(), &options, &mut providers);
    if plan.errored {
        let found = shown(&module.config, &plan.diagnostics);
        return Some((plan, found));
    }
    let info = DocumentInfo {
        is_simulated: true,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        terraform_version: "1.16.0",
        timestamp: "2026-01-01T00:00:00Z",
    };
    let document = write_plan(&plan, &module.config, &schemas, &info);
    Some((plan, document))
}

/// The document of the plan, or what is wrong.
fn planned(files: &MemoryFiles, state: Option<&str>) -> String {
    let options = PlanOptions { max_instances: 50, ..PlanOptions::default() };
    let variables = VariableSources::default();
    let texts = ModuleTexts { files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    let module = Module::load(texts, &options);
    let state = match state.map(|state| PriorState::read(state, &SCHEMAS)) {
        Some(Ok((state, _))) => state,
        Some(Err(error)) => return error.to_string(),
        None => PriorState::default(),
    };
    let plan = module.plan(&state, &SCHEMAS, Functions::pure(), &options, &mut SimulatedProviders::default());
    let found = shown(&module.config, &plan.diagnostics);
    if !plan.has_begun {
        assert!(plan.errored, "nothing is planned, and nothing is wrong");
        return found;
    }
    let info = DocumentInfo {
        is_simulated: true,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        terraform_version: "1.16.0",
        timestamp: "2026-01-01T00:00:00Z",
    };
    let document = write_plan(&plan, &module.config, &SCHEMAS, &info);
    if let Err(error) = Document::parse(&document) {
        panic!("the document cannot be read: {error}\n{document}");
    }
    let options = Options::default();
    let (changes, schemas) = (change_set(&plan), objchange_document::Schemas::none());
    if let Ok(report) = Report::of_changes(&changes, &schemas, &options, &Filter::default()) {
        report.write_text(&mut Vec::new(), &options).expect("memory takes everything");
    }
    found + &document
}

/// Errors and warnings as people see them; each has its place in a file.
fn shown(config: &Config, found: &Diagnostics) -> String {
    let places = config.sources.places();
    for found in found.iter() {
        let Some(subject) = found.diagnostic.subject.filter(|subject| *subject != objchange_module::NOWHERE)
        else {
            continue;
        };
        let place = places.find(subject).unwrap_or_else(|| panic!("{} has no place", found.diagnostic));
        let text = place.lines.text();
        assert!(text.get(place.span.range()).is_some(), "{} is at no part of the source", found.diagnostic);
    }
    let shown = DiagnosticPrinter::new(config, &SCHEMAS);
    let json: Vec<String> = shown.json(found).iter().map(|json| json.get().to_owned()).collect();
    shown.text(found) + &json.concat()
}
