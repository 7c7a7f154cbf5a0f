//! Documents with parts removed or replaced: each is shown, or refused with the problem and its place, in every form,
//! and omitted parts are reported. For each document, selected and unselected changes together are all changes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use objchange::address::module_of;
use objchange_document::changes::ResourceActions;
use objchange_document::{Document, DocumentError, Schemas};
use objchange_plan::render::GroupBy;
use objchange_plan::report::{Counts, Section, ShowError};
use objchange_plan::{Colour, Filter, Options, Report};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// A document with the schemas that belong to it.
struct Sample {
    document: Value,
    schemas: String,
}

/// Those of this repository, and those of real runs where they are at hand.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: PathBuf| fs::read_to_string(path).ok();
    let mut samples = Vec::new();
    for file in ["render.jsonl", "render-opentofu.jsonl"] {
        for line in read(root.join("tests/vectors").join(file)).unwrap().lines() {
            let mut case: Value = serde_json::from_str(line).unwrap();
            let document = ["plan", "state"].into_iter().find_map(|name| case.get_mut(name).map(Value::take));
            samples.push(Sample { document: document.unwrap(), schemas: case["schemas"].to_string() });
        }
    }
    for entry in fs::read_dir(root.join("../shared/real/shapes")).into_iter().flatten().flatten() {
        let of = |name: &str| read(entry.path().join(name));
        if let (Some(plan), Some(schemas)) = (of("plan.json"), of("schemas.json")) {
            samples.push(Sample { document: serde_json::from_str(&plan).unwrap(), schemas });
        }
    }
    let file = json!({"version": 4, "terraform_version": "1.9.0", "serial": 3, "lineage": "x",
        "outputs": {"o": {"value": "v", "type": "string", "sensitive": true}},
        "resources": [{"module": "module.m[\"k\"]", "mode": "managed", "type": "t", "name": "n", "each": "map",
            "provider": "module.m.provider[\"registry.terraform.io/x/p\"]", "instances": [
            {"index_key": "k", "schema_version": 0, "attributes": {"a": "1", "secret": "s", "l": [1, {"b": null}]},
             "sensitive_attributes": [[{"type": "get_attr", "value": "secret"}]], "dependencies": ["t.o"]},
            {"index_key": "l", "status": "tainted", "deposed": "00000001", "attributes": {"a": null}}]}],
        "check_results": null});
    samples.push(Sample { document: file, schemas: String::new() });
    samples
});

/// Takes a part out of a document, or puts something else in its place: which one and what the numbers say.
fn mutate(document: &mut Value, steps: &[Index], with: &Index) {
    const OTHERS: [&str; 12] = [
        "null",
        "true",
        "0",
        "-1.5",
        "\"\"",
        "\"other\"",
        "\"0.1\"",
        "[]",
        "{}",
        "[\"other\"]",
        "[[0]]",
        "{\"other\":{\"a\":[1]}}",
    ];
    let mut part = document;
    for (left, step) in steps.iter().enumerate().map(|(i, step)| (steps.len() - i - 1, step)) {
        let len = match part {
            Value::Array(elements) => elements.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        };
        if len == 0 {
            break;
        }
        let at = step.index(len);
        match part {
            Value::Array(elements) if left == 0 && with.index(2) == 0 => {
                elements.remove(at);
                return;
            }
            Value::Object(members) if left == 0 && with.index(2) == 0 => {
                let key = members.keys().nth(at).unwrap().clone();
                members.remove(&key);
                return;
            }
            Value::Array(elements) => part = &mut elements[at],
            Value::Object(members) => part = members.values_mut().nth(at).unwrap(),
            _ => return,
        }
    }
    *part = serde_json::from_str(OTHERS[with.index(OTHERS.len())]).unwrap();
}

/// Everything that can be made of a document, or why not.
fn show(document: &str, schemas: &Schemas) -> Result<Vec<String>, ShowError> {
    let document = Document::parse_part(document)?;
    let options = Options::default();
    let report = Report::new(&document, schemas, &options, &Filter::default())?;
    let mut shown = Vec::new();
    let mut keep = |write: &dyn Fn(&mut Vec<u8>) -> Result<(), ShowError>| {
        let mut out = Vec::new();
        write(&mut out)?;
        shown.push(String::from_utf8(out).unwrap());
        Ok::<_, ShowError>(())
    };
    keep(&|out| report.write_text(out, &options))?;
    keep(&|out| report.write_json(out))?;
    for group_by in [GroupBy::Action, GroupBy::Module, GroupBy::Type] {
        keep(&|out| report.write_summary(out, Colour::Never, group_by))?;
    }
    let unfamiliar = document.unfamiliar().iter().fold(String::new(), |mut all, one| {
        _ = writeln!(all, "{one}");
        all
    });
    shown.push(unfamiliar);
    Ok(shown)
}

fn schemas_of(sample: &Sample) -> Schemas {
    Schemas::parse(sample.schemas.clone()).unwrap_or_else(|_| Schemas::none())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_left_of_a_document_is_shown_or_refused(
        sample in any::<Index>(),
        mutations in prop::collection::vec((prop::collection::vec(any::<Index>(), 1..9), any::<Index>()), 1..4),
    ) {
        let sample = &SAMPLES[sample.index(SAMPLES.len())];
        let mut document = sample.document.clone();
        for (steps, with) in &mutations {
            mutate(&mut document, steps, with);
        }
        let text = document.to_string();
        match show(&text, &schemas_of(sample)) {
            Ok(shown) => prop_assert!(!shown[0].is_empty() || shown[1].contains("\"resources\":[]"), "{text}"),
            Err(ShowError::Document(DocumentError { line, column, problem, .. })) => {
                prop_assert!(line > 0 && column > 0 && !problem.to_string().is_empty(), "{text}");
            }
            Err(error) => prop_assert!(false, "{error}: {text}"),
        }
    }

    #[test]
    fn what_is_chosen_and_what_is_not_add_up(sample in any::<Index>(), at in any::<Index>(), cut in any::<Index>()) {
        let sample = &SAMPLES[sample.index(SAMPLES.len())];
        let text = sample.document.to_string();
        let document = Document::parse(&text).unwrap();
        let schemas = schemas_of(sample);
        let report = |filter: &Filter| Report::new(&document, &schemas, &Options::default(), filter).unwrap();
        let all = report(&Filter::default());
        let changes = |report: &Report<'_>| -> Vec<(String, ResourceActions)> {
            let changes = report.sections.iter().filter_map(|section| match section {
                Section::ResourceChanges(entries) => Some(entries.headers()),
                _ => None,
            });
            changes.flatten().map(|header| (header.address.to_string(), header.actions.kind)).collect()
        };
        let listed = changes(&all);
        let happens = |actions: ResourceActions| actions != ResourceActions::NoOp;
        let Counts { create, read, update, replace, delete, forget, unknown, .. } = all.counts;
        let counted = create + read + update + replace + delete + forget + unknown;
        prop_assert_eq!(listed.iter().filter(|(_, actions)| happens(*actions)).count(), counted);
        if listed.is_empty() {
            return Ok(());
        }
        let (address, _) = &listed[at.index(listed.len())];
        let mut end = cut.index(address.len() + 1);
        while !address.is_char_boundary(end) {
            end -= 1;
        }
        for pattern in [address.clone(), format!("{}*", &address[..end]), module_of(address).to_owned()] {
            let chosen = report(&Filter::default().address(&pattern));
            let others = report(&Filter::default().without(&pattern));
            let mut both = [changes(&chosen), changes(&others)].concat();
            both.sort_by(|a, b| a.0.cmp(&b.0));
            let mut listed = listed.clone();
            listed.sort_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(both, listed, "{}", pattern);
            let add = |count: fn(&Counts) -> usize| count(&chosen.counts) + count(&others.counts) == count(&all.counts);
            prop_assert!(add(|c| c.delete) && add(|c| c.replace) && add(|c| c.r#move) && add(|c| c.drift));
            prop_assert!(pattern.is_empty() || changes(&chosen).iter().any(|(other, _)| other == address));
        }
    }

    #[test]
    fn a_document_without_its_version_says_the_same_and_is_told_from_a_whole_one(sample in any::<Index>()) {
        let sample = &SAMPLES[sample.index(SAMPLES.len())];
        let (mut document, schemas) = (sample.document.clone(), schemas_of(sample));
        let whole = document.to_string();
        prop_assume!(document.as_object_mut().unwrap().remove("format_version").is_some());
        let part = document.to_string();
        let Ok(read) = Document::parse_part(&part) else { return Ok(()) };
        prop_assert!(!read.has_format_version() && Document::parse(&part).is_err());
        let is_newer = Document::parse(&whole).is_ok_and(|whole| match whole {
            Document::Plan(plan) => plan.format_version > Some((1, 2)),
            Document::State(state) => state.format_version > Some((1, 0)),
        });
        let (whole, part) = (show(&whole, &schemas).unwrap(), show(&part, &schemas).unwrap());
        prop_assert!(is_newer || whole == part);
    }

    #[test]
    fn a_change_that_does_not_say_what_happens_is_refused(sample in any::<Index>(), at in any::<Index>(), whole: bool) {
        let sample = &SAMPLES[sample.index(SAMPLES.len())];
        let mut document = sample.document.clone();
        let changes = document.get_mut("resource_changes").and_then(Value::as_array_mut);
        let Some(changes) = changes.filter(|changes| !changes.is_empty()) else { return Ok(()) };
        let at = at.index(changes.len());
        let change = changes[at].as_object_mut().unwrap();
        prop_assume!(change["mode"] != "ephemeral");
        let actions = if whole {
            change.remove("change");
            None
        } else {
            change["change"].as_object_mut().unwrap().remove("actions")
        };
        prop_assert!(whole || actions.is_some());
        let error = Document::parse(&document.to_string()).unwrap_err();
        prop_assert_eq!(&error.location, &format!("resource_changes[{at}]"));
    }
}
