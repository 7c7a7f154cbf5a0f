//! Documents with what Terraform prints for them, byte for byte, without colour and with: those of `tests/vectors`, and
//! the larger files where they are at hand. The text is printed from the report, and once more from what its JSON says.

mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use objchange::case::{Case, Outcome};
use objchange_plan::{
    Colour, Filter, OPERATIONS, Options, Plan, PlanMode, Report, Schemas, ShowError, State,
};

fn main() -> ExitCode {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = workspace.join("tests/vectors/render.jsonl");
    let text = own.clone();
    let mut trials = vec![
        Trial::test("own::render", move || check_file(&own)),
        Trial::test("own::every_reason_has_a_case", move || every_reason_has_a_case(&text)),
    ];
    let mut larger = |name: &str, path: &str, check: fn(&Path) -> Result<(), Failed>| {
        let path: PathBuf = workspace.join("../shared").join(path);
        let is_absent = !path.exists();
        let test = Trial::test(format!("larger::{name}"), move || check(&path));
        trials.push(test.with_ignored_flag(is_absent));
    };
    larger("generated_documents", "vectors/render-dev.jsonl", check_file);
    larger("plans_from_the_wild", "vectors/render-wild-dev.jsonl", check_file);
    larger("runs_of_terraform", "vectors/render-terraform-dev.jsonl", check_file);
    larger("files_that_terraform_wrote", "real/terraform", check_folders);
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn plan_text(plan: &str, schemas: &Schemas, options: &Options) -> Result<String, ShowError> {
    let plan = Plan::parse(plan)?;
    report::text(&Report::of_plan(&plan, schemas, options, &Filter::default())?, options)
}

fn state_text(state: &str, schemas: &Schemas, options: &Options) -> Result<String, ShowError> {
    report::text(&Report::of_state(&State::parse(state)?, schemas, &Filter::default()), options)
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
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in fs::read_to_string(path)?.lines() {
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
    let mode = match case.optional_field("options") {
        Some(options) if options.contains("refresh") => PlanMode::RefreshOnly,
        Some(options) if options.contains("destroy") => PlanMode::Destroy,
        _ => PlanMode::Normal,
    };
    let options = Options { colour, mode, ..Options::default() };
    match case.op() {
        "render_plan" => plan_text(case.field("plan")?, &Schemas::parse(case.field("schemas")?)?, &options)?,
        "render_state" => {
            state_text(case.field("state")?, &Schemas::parse(case.field("schemas")?)?, &options)?
        }
        _ => return Ok(()),
    };
    Ok(())
}

fn check_folders(path: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in fs::read_dir(path)? {
        let folder = folder?.path();
        let id = folder.file_name().unwrap().to_string_lossy().into_owned();
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let schemas = Schemas::parse(read("schemas.json").unwrap())?;
        for (colour, suffix) in [(Colour::Never, "txt"), (Colour::Always, "color.txt")] {
            let options = Options { colour, ..Options::default() };
            let plan = read("plan.json").unwrap();
            let got = plan_text(&plan, &schemas, &options);
            check(&id, &read(&format!("show.{suffix}")).unwrap(), got, &mut wrong);
            count += 1;
            if let Some(state) = read("state.json") {
                let got = state_text(&state, &schemas, &options);
                check(&id, &read(&format!("state.{suffix}")).unwrap(), got, &mut wrong);
            }
        }
    }
    verdict(count, &wrong)
}

/// Every reason that the header of a resource knows, and every way in which a resource gets a header.
fn every_reason_has_a_case(path: &Path) -> Result<(), Failed> {
    let is_reason =
        |word: &&str| word.contains('_') && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let sources = [include_str!("../src/report/header.rs"), include_str!("../src/render/header.rs")];
    let words = sources.iter().flat_map(|source| source.split('"'));
    let mut wanted: Vec<&str> = words.filter(is_reason).filter(|word| *word != "snake_case").collect();
    assert!(wanted.len() > 15, "{wanted:?}");
    wanted.extend(["resource_drift", "deferred_changes", "importing", "deposed", "previous_address"]);
    let text = fs::read_to_string(path)?;
    wanted.retain(|word| !text.contains(&format!("\"{word}\":")) && !text.contains(&format!(":\"{word}\"")));
    if wanted.is_empty() { Ok(()) } else { Err(format!("without a case: {}", wanted.join(", ")).into()) }
}
