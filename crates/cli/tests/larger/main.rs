//! Tests that read larger files of real runs, start `terraform` or need a terminal, which may be absent: then they are ignored, and said to
//! be. This program is also the provider that some of them talk to.

#[cfg(unix)]
mod browse;
#[path = "../cli/fields.rs"]
mod fields;
#[path = "../cli/folder.rs"]
mod folder;
mod imports;
#[path = "../../../conform/tests/kit_program/mod.rs"]
mod kit_program;
mod language;
mod plan_real;
#[path = "../cli/program.rs"]
mod program;
mod provider;
mod shapes;

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use objchange_text::json::Reader;

fn main() -> ExitCode {
    if env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some() {
        return provider::kit::serve();
    }
    let trial = |name: &str, folder: &str, test: fn(&Path) -> Result<(), Failed>| {
        let folder = program::workspace().join("../shared").join(folder);
        let is_absent = !folder.exists();
        Trial::test(name, move || test(&folder)).with_ignored_flag(is_absent)
    };
    let mut trials = vec![
        trial(
            "each_resource_comes_out_with_terraforms_action",
            "real/shapes",
            shapes::each_resource_comes_out_with_terraforms_action,
        ),
        trial("documents_are_shown_as_terraform_does", "real", shapes::documents_are_shown_as_terraform_does),
        trial("vectors_are_cases", "vectors", vectors_are_cases),
        trial(
            "configurations_are_planned_as_by_terraform",
            "vectors/language-1.16/module-1.16",
            language::configurations_are_planned_as_by_terraform,
        ),
        trial("policies_import_what_real_plans_say", "real", imports::of_plans),
        trial("policies_import_what_real_states_say", "real", imports::of_states),
        trial("policies_import_what_wild_plans_say", "vectors", imports::of_vectors),
    ];
    trials.extend(provider::trials());
    trials.extend(plan_real::trials());
    #[cfg(unix)]
    trials.extend(browse::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// As the published schema describes them.
fn vectors_are_cases(folder: &Path) -> Result<(), Failed> {
    let schema = fs::read_to_string(program::workspace().join("schema/case.schema.json"))?;
    let validator = jsonschema::draft202012::new(&serde_json::from_str(&schema)?)?;
    let files = [
        ("core-dev", 10),
        ("core-corner-dev", 10),
        ("render-116-terraform-dev", 1),
        ("render-116-actions-dev", 1),
        ("render-opentofu-dev", 1),
        ("hcl-dev", 10),
        ("hcl-corner-dev", 10),
    ];
    for (name, step) in files {
        let text = fs::read_to_string(folder.join(format!("{name}.jsonl")))?;
        for (i, line) in text.lines().enumerate().step_by(step) {
            let Ok(case) = serde_json::from_str(line) else {
                // A number that no double holds is JSON, but none that the validator can look at.
                Reader::strict(line).skip().map_err(|error| format!("{name}:{}: {error}", i + 1))?;
                continue;
            };
            let errors: Vec<String> =
                validator.iter_errors(&case).map(|e| e.instance_path().to_string()).collect();
            assert!(errors.is_empty(), "{name}:{}: {}", i + 1, errors.join(", "));
        }
    }
    Ok(())
}
