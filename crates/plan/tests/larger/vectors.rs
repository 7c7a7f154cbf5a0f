//! Documents with what Terraform prints for them, byte for byte, without colour and with: those of `tests/vectors`, and
//! the larger files where they are at hand. The text is printed from the report, and once more from what its JSON says.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use objchange_case::{Case, Outcome};
use objchange_document::{Plan, Program, Schemas, State};
use objchange_plan::report::ShowError;
use objchange_plan::{Colour, Filter, OPERATIONS, Options, Report};

use crate::report;

pub(crate) fn trials() -> Vec<Trial> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = [
        "tests/vectors/render.jsonl",
        "tests/vectors/render-opentofu.jsonl",
        "tests/cases/render_plan.jsonl",
    ];
    let own = own.map(|path| workspace.join(path));
    let mut trials = vec![];
    for (name, path) in ["render", "opentofu", "cases_by_hand"].into_iter().zip(own.clone()) {
        trials.push(Trial::test(format!("own::{name}"), move || check_file(&path)));
    }
    trials.push(Trial::test("own::every_reason_has_a_case", move || every_reason_has_a_case(&own)));
    let mut larger = |name: &str, path: &str, check: fn(&Path) -> Result<(), Failed>| {
        let path: PathBuf = workspace.join("../shared").join(path);
        let is_absent = !path.exists();
        let test = Trial::test(format!("larger::{name}"), move || check(&path));
        trials.push(test.with_ignored_flag(is_absent));
    };
    for (name, file) in [
        ("generated_documents", "dev"),
        ("documents_of_other_generators", "fresh-dev"),
        ("actions_and_modes", "actions-dev"),
        ("plans_from_the_wild", "wild-dev"),
        ("runs_of_terraform", "terraform-dev"),
    ] {
        larger(name, &format!("vectors/render-116-{file}.jsonl"), check_file);
    }
    larger("opentofu", "vectors/render-opentofu-dev.jsonl", check_file);
    for file in ["dev", "wild-dev", "terraform-dev"] {
        larger(&format!("older_text::{file}"), &format!("vectors/render-{file}.jsonl"), check_older);
    }
    larger("files_that_terraform_wrote", "real/terraform", check_folders);
    larger("files_of_every_shape", "real/shapes", check_folders);
    trials
}

fn plan_text(plan: &str, schemas: &Schemas, options: &Options) -> Result<String, ShowError> {
    let plan = Plan::parse(plan)?;
    report::text(&Report::of_plan(&plan, schemas, options, &Filter::default())?, options)
}

fn state_text(state: &str, schemas: &Schemas, options: &Options) -> Result<String, ShowError> {
    report::text(&Report::of_state(&State::parse(state)?, schemas, options, &Filter::default()), options)
}

fn check(id: &str, want: &str, got: Result<String, ShowError>, wrong: &mut Vec<String>) {
    match got {
        Ok(got) if got == want => {}
        Ok(got) => wrong.push(format!("{id}: {}", report::first_difference(want, &got))),
        Err(error) => wrong.push(format!("{id}: {error}")),
    }
}

fn verdict(count: usize, wrong: &[String]) -> Result<(), Failed> {
    if count == 0 {
        return Err("there are no cases".into());
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{} differ\n{}", wrong.len(), wrong.join("\n")).into())
    }
}

fn check_file(path: &Path) -> Result<(), Failed> {
    check_cases(&fs::read_to_string(path)?)
}

/// Checks the documents of other files against the text of Terraform 1.11.
fn check_older(path: &Path) -> Result<(), Failed> {
    let cases = fs::read_to_string(path)?.replace("\n{", "\n{\"options\":{\"version\":\"1.11\"},");
    check_cases(&cases.replacen('{', "{\"options\":{\"version\":\"1.11\"},", 1))
}

fn check_cases(text: &str) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        count += 1;
        let case = Case::parse(line)?;
        for colour in [Colour::Never, Colour::Always] {
            check_json(&case, colour)?;
        }
        match case.run_by(OPERATIONS) {
            Outcome::Passed => {}
            outcome => wrong.push(format!("{:?} {outcome:?}", case.id())),
        }
    }
    verdict(count, &wrong)
}

/// Prints what a case renders, and once more from its JSON.
fn check_json(case: &Case<'_>, colour: Colour) -> Result<(), Failed> {
    let options = Options { colour, program: Some(program(case)), ..Options::default() };
    match case.op() {
        "render_plan" => plan_text(case.field("plan")?, &Schemas::parse(case.field("schemas")?)?, &options)?,
        "render_state" => {
            state_text(case.field("state")?, &Schemas::parse(case.field("schemas")?)?, &options)?
        }
        _ => return Ok(()),
    };
    Ok(())
}

/// The program whose text a case wants.
fn program(case: &Case<'_>) -> Program {
    let options = case.optional_field("options").unwrap_or_default();
    let member = |name: &str| options.split(&format!("\"{name}\":")).nth(1)?.split('"').nth(1);
    let name = member("flavor").unwrap_or("terraform");
    member("version").map_or(name.to_owned(), |version| format!("{name}@{version}")).parse().unwrap()
}

fn check_folders(path: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in fs::read_dir(path)? {
        let folder = folder?.path();
        let id = folder.file_name().unwrap().to_string_lossy().into_owned();
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let schemas = Schemas::parse(read("schemas.json").unwrap())?;
        for (colour, suffixes) in
            [(Colour::Never, ["txt", "txt"]), (Colour::Always, ["color.txt", "colour.txt"])]
        {
            let options = Options { colour, ..Options::default() };
            let text = |names: &[&str]| {
                suffixes
                    .iter()
                    .flat_map(|s| names.iter().map(move |name| format!("{name}.{s}")))
                    .find_map(|f| read(&f))
            };
            if let (Some(plan), Some(want)) = (read("plan.json"), text(&["show", "plan"])) {
                check(&id, &want, plan_text(&plan, &schemas, &options), &mut wrong);
                count += 1;
            }
            if let (Some(state), Some(want)) = (read("state.json"), text(&["state"])) {
                check(&id, &want, state_text(&state, &schemas, &options), &mut wrong);
                count += 1;
            }
        }
    }
    verdict(count, &wrong)
}

/// Every reason that the header of a resource knows, and every way in which a resource gets a header.
fn every_reason_has_a_case(paths: &[PathBuf]) -> Result<(), Failed> {
    let is_reason =
        |word: &&str| word.contains('_') && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let sources = [include_str!("../../src/report/header.rs"), include_str!("../../src/render/header.rs")];
    let words = sources.iter().flat_map(|source| source.split('"'));
    let mut wanted: Vec<&str> = words.filter(is_reason).filter(|word| *word != "snake_case").collect();
    assert!(wanted.len() > 15, "{wanted:?}");
    wanted.extend(["resource_drift", "deferred_changes", "importing", "deposed", "previous_address"]);
    use objchange_document::changes::Deferred;
    wanted.extend([Deferred::INSTANCES_UNKNOWN, Deferred::IMPORT_UNKNOWN, Deferred::WORKSPACE_UNKNOWN]);
    let text = paths.iter().map(fs::read_to_string).collect::<Result<String, _>>()?;
    wanted.retain(|word| !text.contains(&format!("\"{word}\":")) && !text.contains(&format!(":\"{word}\"")));
    if wanted.is_empty() { Ok(()) } else { Err(format!("without a case: {}", wanted.join(", ")).into()) }
}
