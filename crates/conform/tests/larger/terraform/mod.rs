//! The kit's provider under Terraform itself, fault by fault: what Terraform says is what the judge says. Without the program
//! `terraform` these tests are ignored.

mod workspace;

use libtest_mimic::Trial;
use objchange_conform::kit::{Fault, Stage, faulty, misdeclared};
use objchange_conform::{Clause, Finding, FindingSeverity};
use objchange_explain::explain;

use crate::trial;
use workspace::{Workspace, resource};

/// The faults of a stage that every version of Terraform looks at.
fn faults(stage: Stage) -> impl Iterator<Item = Fault> {
    Fault::ALL.iter().copied().filter(move |fault| fault.stage() == stage && fault.since().is_none())
}

fn resources(stage: Stage, name: &str) -> String {
    faults(stage).map(|fault| resource(fault.kind(), name)).collect()
}

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 18] = [
        ("plans", plans),
        ("plans_of_updates", plans_of_updates),
        ("plans_to_destroy", plans_to_destroy),
        ("final_plans", final_plans),
        ("results", results),
        ("results_of_destroying", results_of_destroying),
        ("reading", reading),
        ("upgrading", upgrading),
        ("importing", importing),
        ("data_sources", data_sources),
        ("functions", functions),
        ("validation", validation),
        ("results_of_updates", results_of_updates),
        ("replacements", replacements),
        ("moving", moving),
        ("ephemeral_resources", ephemeral_resources),
        ("encrypted", encrypted),
        ("schemas", schemas),
    ];
    let is_there = workspace::is_there();
    let trial = |(name, test): (&'static str, fn())| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(!is_there)
    };
    tests.map(trial).into()
}

/// The judge's findings that stop Terraform.
fn found(fault: Fault) -> Vec<Finding> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let findings = runtime.block_on(trial::judged(&faulty(true), fault)).findings;
    findings.into_iter().filter(|finding| finding.severity == FindingSeverity::Error).collect()
}

/// Whether Terraform's message about a fault has the judge's words and place.
fn is_told(fault: Fault, said: &str) -> bool {
    const PLACED: [Clause; 8] =
        [Clause::P3, Clause::P5, Clause::F2, Clause::A3, Clause::A4, Clause::A5, Clause::I4, Clause::M3];
    let is_told = |finding: &Finding| {
        let is_said = |words: &str| said.contains(words);
        // Words of the transport may be anywhere.
        let summary = finding.said_by_terraform().is_none_or(is_said) || finding.kind == "status";
        // An element of a set that is not known has no name.
        let path = finding.path.to_string();
        let path = path.split("[…").next().unwrap_or_default();
        let path = path.split("[(").next().unwrap_or_default();
        let place = !PLACED.contains(&finding.clause) || finding.path.is_root() || is_said(path);
        finding.terraform.as_deref().is_none_or(is_said) && summary && place
    };
    let found = found(fault);
    !found.is_empty() && found.iter().all(is_told)
}

/// Whether Terraform's messages about a resource are understood to be about the clause of its fault.
fn is_explained(fault: Fault, said: &[&str]) -> bool {
    // These are the provider's own words.
    if [Clause::P9, Clause::A8, Clause::R6, Clause::U5].contains(&fault.clause()) {
        return true;
    }
    let message = |part: &&str| {
        let (_, rest) = part.split_once(" | ")?;
        let (summary, detail) = rest.split_once(" | ")?;
        Some(format!("Error: {summary}\n\n{detail}"))
    };
    let messages: Vec<String> = said.iter().filter_map(message).collect();
    let mut all = messages.iter().flat_map(|message| explain(message));
    messages.is_empty() || all.any(|one| one.clauses.contains(&fault.clause()))
}

/// Each fault of a stage has its own resource, all in one module: Terraform says of each what it has to say of it.
#[track_caller]
fn check(stage: Stage, said: &str) {
    let mut wrong = Vec::new();
    for fault in faults(stage) {
        let address = format!("kit_{}.t", fault.kind());
        let of_it: Vec<&str> = said.split("\u{0}").filter(|part| part.contains(&address)).collect();
        // Some messages do not name their resource.
        let unnamed = said.split("\u{0}").filter(|part| !part.contains("kit_"));
        let is_right = match fault.terraform() {
            Some(words) => {
                let said: String = of_it.iter().copied().chain(unnamed).collect();
                said.contains(words) && is_told(fault, &said) && is_explained(fault, &of_it)
            }
            // A resource that was planned alone prints nothing but its name.
            None => of_it.iter().all(|part| part.trim() == format!("{address}:")),
        };
        if !is_right {
            let found = found(fault);
            wrong.push(format!(
                "{address}: {:?}, {found:#?}, and Terraform says {of_it:#?}",
                fault.terraform()
            ));
        }
    }
    assert!(faults(stage).count() > 0);
    assert!(wrong.is_empty(), "{}\n\nall of it:\n{}", wrong.join("\n"), said.replace('\0', "\n"));
}

/// Terraform says this first of a module in which nothing is wrong yet.
fn created(workspace: &Workspace, stage: Stage) {
    workspace.write(&resources(stage, r#""a""#));
    assert_eq!(workspace.errors(&["apply", "-auto-approve"]), "", "{stage:?}");
}

fn plans() {
    let workspace = Workspace::new();
    workspace.write(&resources(Stage::Create, r#""a""#));
    check(Stage::Create, &workspace.errors(&["plan"]));
}

fn plans_of_updates() {
    let workspace = Workspace::new();
    created(&workspace, Stage::Update);
    workspace.write(&resources(Stage::Update, r#""b""#));
    check(Stage::Update, &workspace.errors(&["plan"]));
}

fn plans_to_destroy() {
    let workspace = Workspace::new();
    created(&workspace, Stage::Destroy);
    check(Stage::Destroy, &workspace.errors(&["plan", "-destroy"]));
}

fn final_plans() {
    let workspace = Workspace::new();
    let module = |name: &str| {
        let name = format!("resource \"terraform_data\" \"name\" {{\n  input = \"{name}\"\n}}\n");
        name + &resources(Stage::FinalPlan, "terraform_data.name.output")
    };
    let mut said = String::new();
    for name in ["a", "b"] {
        workspace.write(&module(name));
        said = format!("{said}\0{}", workspace.errors(&["apply", "-auto-approve"]));
    }
    check(Stage::FinalPlan, &said);
}

fn results() {
    let workspace = Workspace::new();
    workspace.write(&resources(Stage::Apply, r#""a""#));
    check(Stage::Apply, &workspace.errors(&["apply", "-auto-approve"]));
}

fn results_of_destroying() {
    let workspace = Workspace::new();
    created(&workspace, Stage::ApplyDestroy);
    check(Stage::ApplyDestroy, &workspace.errors(&["apply", "-destroy", "-auto-approve"]));
}

fn reading() {
    let workspace = Workspace::new();
    created(&workspace, Stage::Read);
    check(Stage::Read, &workspace.errors(&["plan"]));
}

fn upgrading() {
    let workspace = Workspace::new();
    created(&workspace, Stage::Upgrade);
    check(Stage::Upgrade, &workspace.errors(&["plan"]));
}

fn importing() {
    let workspace = Workspace::new();
    let mut said = String::new();
    for fault in faults(Stage::Import) {
        let (address, resource) = (format!("kit_{}.t", fault.kind()), resource(fault.kind(), r#""a""#));
        let import = format!("import {{\n  to = {address}\n  id = \"x\"\n}}\n");
        workspace.write(&(import + &resource));
        said = format!("{said}\0{address}: {}", workspace.errors(&["plan"]).replace('\0', " "));
        // A foreign type is taken without a word where a block of the module asks for it.
        workspace.write(&resource);
        said = format!("{said}\0{address}: {}", workspace.complaint(&["import", "-no-color", &address, "x"]));
    }
    check(Stage::Import, &said);
}

fn validation() {
    let workspace = Workspace::new();
    workspace.write(&resources(Stage::Validate, r#""a""#));
    check(Stage::Validate, &workspace.errors(&["plan"]));
}

fn results_of_updates() {
    for stage in [Stage::ApplyUpdate, Stage::Again] {
        let workspace = Workspace::new();
        created(&workspace, stage);
        let name = if stage == Stage::Again { r#""a""# } else { r#""b""# };
        workspace.write(&resources(stage, name));
        check(stage, &workspace.errors(&["apply", "-auto-approve"]));
    }
}

fn replacements() {
    let workspace = Workspace::new();
    created(&workspace, Stage::Replace);
    workspace.write(&resources(Stage::Replace, r#""b""#));
    check(Stage::Replace, &workspace.errors(&["apply", "-auto-approve"]));
}

fn moving() {
    let workspace = Workspace::new();
    let source = |fault: Fault| resource("thing", r#""a""#).replace(r#""t""#, &format!("{:?}", fault.kind()));
    workspace.write(&faults(Stage::Move).map(source).collect::<String>());
    assert_eq!(workspace.errors(&["apply", "-auto-approve"]), "");
    // Terraform stops at the first that cannot be moved.
    let mut said = String::new();
    for fault in faults(Stage::Move) {
        let kind = fault.kind();
        let rest = faults(Stage::Move).filter(|other| *other != fault).map(source).collect::<String>();
        let moved = format!("moved {{\n  from = kit_thing.{kind}\n  to   = kit_{kind}.t\n}}\n");
        workspace.write(&(rest + &moved + &resource(kind, r#""a""#)));
        let errors = workspace.errors(&["plan"]).replace('\0', " ");
        said = format!("{said}\0kit_{kind}.t: {errors}");
    }
    check(Stage::Move, &said);
}

fn ephemeral_resources() {
    let workspace = Workspace::new();
    let faults = [
        ("thing", None),
        ("null", Some("Provider produced invalid ephemeral resource instance")),
        ("unknown", None),
        ("type", Some("string is required")),
        ("other", Some("Provider produced invalid ephemeral resource instance")),
        ("deferred", None),
    ];
    for (fault, words) in faults {
        let module = format!("ephemeral \"kit_{fault}\" \"t\" {{\n  name = \"a\"\n}}\n");
        check_alone(&workspace, &module, words);
    }
}

fn schemas() {
    let mut workspace = Workspace::new();
    for (number, wrong) in misdeclared().into_iter().enumerate() {
        workspace.schema = Some(number);
        workspace.write("resource \"kit_thing\" \"t\" {}\n");
        let said = workspace.complaint(&["validate", "-no-color"]);
        assert_eq!(
            said.contains("Failed to load plugin schemas"),
            wrong.is_noticed,
            "{}: {said}",
            wrong.kind
        );
    }
}

/// A data source or function that Terraform does not find fault with has no errors at all.
#[track_caller]
fn check_alone(workspace: &Workspace, module: &str, words: Option<&str>) {
    workspace.write(module);
    let said = workspace.errors(&["plan"]);
    match words {
        Some(words) => assert!(said.contains(words), "{module}{said}"),
        None => assert_eq!(said, "", "{module}"),
    }
}

fn data_sources() {
    let workspace = Workspace::new();
    let faults = [
        ("thing", None),
        ("null", Some("Provider produced null object")),
        ("unknown", Some("Provider produced invalid object")),
        ("type", Some("string is required")),
        ("other", None),
        ("no_object", Some("Provider produced null object")),
        ("deferred", Some("Provider deferred changes when Terraform did not allow deferrals")),
    ];
    for (fault, words) in faults {
        let module = format!("data \"kit_{fault}\" \"t\" {{\n  name = \"a\"\n}}\n");
        check_alone(&workspace, &module, words);
    }
}

fn functions() {
    let workspace = Workspace::new();
    let faults = [
        ("same", None),
        ("nothing", None),
        ("type", Some("string is required")),
        ("unknown", None),
        ("impure", Some("provider function returned an inconsistent result")),
    ];
    for (fault, words) in faults {
        let call = format!("provider::kit::{fault}(\"a\")");
        check_alone(&workspace, &format!("output \"t\" {{\n  value = [{call}, {call}]\n}}\n"), words);
    }
}

/// Terraform encrypts the connection unless it is told not to.
fn encrypted() {
    let mut workspace = Workspace::new();
    workspace.is_plain = false;
    workspace.write(&resource("thing", r#""a""#));
    assert_eq!(workspace.errors(&["apply", "-auto-approve"]), "");
}
