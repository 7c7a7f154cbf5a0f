//! Cases with the answers of Terraform: those of `tests/vectors`, and the larger files where they are at hand.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use objchange::schema::{ProviderSchemas, SchemaKind};
use objchange_case::{Case, OPERATIONS, Outcome};
use serde_json::Value as Json;

pub(crate) fn trials() -> Vec<Trial> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let larger = own.join("../../shared/vectors");
    let mut trials = vec![Trial::test("own::every_kind_has_a_case", every_kind_has_a_case)];
    for name in ["core", "provider-plans"] {
        let path = own.join("vectors").join(format!("{name}.jsonl"));
        trials.push(Trial::test(format!("own::{name}"), move || check(&path)));
    }
    for name in ["core-dev", "core-corner-dev", "core-mutated-dev", "core-large-dev", "provider-plans-dev"] {
        let path = larger.join(format!("{name}.jsonl"));
        let is_absent = !path.exists();
        trials
            .push(Trial::test(format!("larger::{name}"), move || check(&path)).with_ignored_flag(is_absent));
    }
    let documents = own.join("../../shared/real/terraform");
    let is_absent = !documents.exists();
    let schemas = Trial::test("larger::documents_of_schemas", move || check_schemas(&documents));
    trials.push(schemas.with_ignored_flag(is_absent));
    trials
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut failures = Vec::new();
    let mut passed = 0;
    let only = std::env::var("CASE").ok();
    for line in text.lines() {
        let case = Case::parse(line).map_err(|e| format!("{e}: {line}"))?;
        if only.as_ref().is_some_and(|only| case.id() != Some(only) && case.op() != only) {
            continue;
        }
        match case.run() {
            Outcome::Passed => passed += 1,
            outcome => failures.push(format!("{:?} {} {outcome:?}", case.id(), case.op())),
        }
    }
    if failures.is_empty() && (passed > 0 || only.is_some()) {
        return Ok(());
    }
    failures.sort_by_key(String::len);
    let shown: Vec<String> =
        failures.iter().take(20).map(|failure| failure.chars().take(1200).collect()).collect();
    Err(format!("{passed} passed, {} failed\n{}", failures.len(), shown.join("\n")).into())
}

/// The schemas that Terraform prints are well formed.
fn check_schemas(folder: &Path) -> Result<(), Failed> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path().join("schemas.json");
        let schemas = ProviderSchemas::parse(fs::read_to_string(&path)?)?;
        let kinds = [
            SchemaKind::Provider,
            SchemaKind::Resource,
            SchemaKind::DataSource,
            SchemaKind::EphemeralResource,
            SchemaKind::ListResource,
            SchemaKind::Identity,
        ];
        for (provider, kind) in schemas.providers().flat_map(|provider| kinds.map(|kind| (provider, kind))) {
            for name in schemas.names(provider, kind) {
                let schema = schemas.get(provider, kind, name)?.ok_or("a name without a schema")?;
                assert_eq!(schema.block.validate(), [], "{} {name}", path.display());
            }
        }
    }
    Ok(())
}

/// The stable names in a file of the engine: what stands as `marker"name",`.
fn names<'t>(source: &'t str, marker: &'t str) -> impl Iterator<Item = &'t str> {
    source.lines().filter_map(move |line| line.split_once(marker)?.1.strip_suffix("\",")).inspect(|name| {
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
    })
}

/// Everything that a case of `tests/vectors` or `tests/cases` must show.
fn required() -> BTreeSet<String> {
    let mut required = BTreeSet::new();
    let plan = names(include_str!("../../src/change/invalid_plan.rs"), " = \"");
    required.extend(plan.map(|kind| format!("assert_plan_valid {kind}")));
    let apply = names(include_str!("../../src/change/inconsistent_result.rs"), " = \"");
    required.extend(apply.map(|kind| format!("compatible {kind}")));
    // Whether an object is replaced is for planning to say.
    let actions =
        names(include_str!("../../src/change/action.rs"), " => \"").filter(|a| !a.contains("_then_"));
    required.extend(actions.map(|a| format!("action {a}")));
    required.extend(OPERATIONS.iter().map(|operation| format!("op {}", operation.name)));
    for mode in ["single", "group", "list", "set", "map"] {
        required.insert(format!("block {mode}"));
    }
    for mode in ["single", "list", "set", "map"] {
        required.insert(format!("nested type {mode}"));
    }
    assert!(required.len() > 50, "{required:?}");
    required
}

fn collect_modes(json: &Json, shown: &mut BTreeSet<String>) {
    let Json::Object(object) = json else { return };
    for nested in object.get("block_types").and_then(Json::as_object).into_iter().flat_map(|b| b.values()) {
        shown.insert(format!("block {}", nested["nesting_mode"].as_str().unwrap_or_default()));
        collect_modes(&nested["block"], shown);
    }
    for attribute in object.get("attributes").and_then(Json::as_object).into_iter().flat_map(|a| a.values()) {
        if let Some(nested) = attribute.get("nested_type") {
            shown.insert(format!("nested type {}", nested["nesting_mode"].as_str().unwrap_or_default()));
            collect_modes(nested, shown);
        }
    }
}

fn every_kind_has_a_case() -> Result<(), Failed> {
    let mut shown = BTreeSet::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for folder in ["vectors", "cases"] {
        for entry in fs::read_dir(tests.join(folder))? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            for line in fs::read_to_string(&path)?.lines() {
                let case: Json = serde_json::from_str(line)?;
                let op = case["op"].as_str().unwrap_or_default();
                shown.insert(format!("op {op}"));
                collect_modes(&case["schema"], &mut shown);
                if let Some(action) = case["want"]["action"].as_str() {
                    shown.insert(format!("action {action}"));
                }
                for error in case["want"]["errors"].as_array().into_iter().flatten() {
                    let op = if op.ends_with("_compatible") { "compatible" } else { op };
                    shown.insert(format!("{op} {}", error["kind"].as_str().unwrap_or_default()));
                }
            }
        }
    }
    let missing: Vec<String> = required().difference(&shown).cloned().collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("without a case: {}", missing.join(", ")).into()) }
}
