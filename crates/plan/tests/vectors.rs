//! Documents with what Terraform prints for them, byte for byte, without colour and with.

#![expect(clippy::print_stdout, reason = "a test says that it is skipped")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use objchange_plan::{
    Colour, Options, Plan, PlanMode, Schemas, ShowError, State, render_plan, render_resource_change,
    render_state,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The folder with inputs and right answers, where there is one.
fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(path);
    if !path.exists() {
        println!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

#[derive(Deserialize)]
struct Want {
    text: Option<String>,
    color: Option<String>,
    /// The reference crashes: anything that shows the plan is right.
    #[serde(default)]
    panic: bool,
}

#[derive(Deserialize, Default)]
struct CaseOptions {
    mode: Option<String>,
    width: Option<usize>,
}

fn answer(case: &BTreeMap<String, &RawValue>, colour: Colour) -> Result<String, ShowError> {
    let argument = |name: &str| case.get(name).map_or("null", |value| value.get());
    let given: CaseOptions =
        serde_json::from_str::<Option<_>>(argument("options")).unwrap().unwrap_or_default();
    let mode = match given.mode.as_deref() {
        Some("destroy") => PlanMode::Destroy,
        Some("refresh-only") => PlanMode::RefreshOnly,
        _ => PlanMode::Normal,
    };
    let options = Options { colour, mode, width: given.width.unwrap_or(78), ..Options::default() };
    match argument("op") {
        "\"render_plan\"" => {
            let schemas = Schemas::parse(argument("schemas"))?;
            render_plan(&Plan::parse(argument("plan"))?, &schemas, &options)
        }
        "\"render_state\"" => {
            let schemas = Schemas::parse(argument("schemas"))?;
            render_state(&State::parse(argument("state"))?, &schemas, &options)
        }
        "\"render_resource_change\"" => {
            let schema = serde_json::from_str(argument("schema")).unwrap();
            render_resource_change(argument("change"), Some(&schema), &options)
        }
        op => panic!("unknown operation {op}"),
    }
}

/// The first line in which two texts differ.
fn first_difference(want: &str, got: &str) -> String {
    let (mut want, mut got) = (want.split('\n'), got.split('\n'));
    for line in 1.. {
        match (want.next(), got.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => return format!("line {line}\n  want {a:?}\n  got  {b:?}"),
        }
    }
    String::new()
}

fn check(id: &str, want: &str, got: Result<String, ShowError>, wrong: &mut Vec<String>) {
    match got {
        Ok(got) if got == want => {}
        Ok(got) => wrong.push(format!("{id}: {}", first_difference(want, &got))),
        Err(error) => wrong.push(format!("{id}: {error}")),
    }
}

#[track_caller]
fn check_file(name: &str) {
    let Some(path) = shared("vectors") else { return };
    let mut wrong = Vec::new();
    for line in fs::read_to_string(path.join(name)).unwrap().lines() {
        let case: BTreeMap<String, &RawValue> = serde_json::from_str(line).unwrap();
        let id = case["id"].get();
        let want: Want = serde_json::from_str(case["want"].get()).unwrap();
        let plain = answer(&case, Colour::Never);
        if want.panic {
            let text = plain.unwrap();
            assert!(text.contains("\nPlan: "), "{id}: {text}");
            continue;
        }
        check(id, want.text.as_deref().unwrap(), plain, &mut wrong);
        if let Some(color) = want.color {
            check(id, &color, answer(&case, Colour::Always), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn generated_documents() {
    check_file("render-dev.jsonl");
}

#[test]
fn plans_from_the_wild() {
    check_file("render-wild-dev.jsonl");
}

#[test]
fn runs_of_terraform() {
    check_file("render-terraform-dev.jsonl");
}

#[test]
fn files_that_terraform_wrote() {
    let Some(path) = shared("real/terraform") else { return };
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in fs::read_dir(path).unwrap() {
        let folder = folder.unwrap().path();
        let id = folder.file_name().unwrap().to_string_lossy().into_owned();
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let schemas = Schemas::parse(read("schemas.json").unwrap()).unwrap();
        for (colour, suffix) in [(Colour::Never, "txt"), (Colour::Always, "color.txt")] {
            let options = Options { colour, ..Options::default() };
            let plan = read("plan.json").unwrap();
            let got = render_plan(&Plan::parse(&plan).unwrap(), &schemas, &options);
            check(&id, &read(&format!("show.{suffix}")).unwrap(), got, &mut wrong);
            count += 1;
            if let Some(state) = read("state.json") {
                let got = render_state(&State::parse(&state).unwrap(), &schemas, &options);
                check(&id, &read(&format!("state.{suffix}")).unwrap(), got, &mut wrong);
            }
        }
    }
    assert!(count > 0);
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
