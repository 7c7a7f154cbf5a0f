//! Sentinel's imports of documents from real runs equal the documents.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use serde_json::Value;

use crate::fields;
use crate::folder::Folder;
use crate::program::objchange;

fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

/// The folders of runs.
fn runs(root: &Path) -> Vec<PathBuf> {
    let kinds = ["shapes", "terraform"].map(|kind| root.join(kind));
    let entries = kinds.iter().flat_map(|kind| fs::read_dir(kind).unwrap());
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn name(path: &Path) -> String {
    path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("-")
}

pub(crate) fn of_plans(root: &Path) -> Result<(), Failed> {
    let plans = runs(root).into_iter();
    fields::check(plans.filter_map(|folder| Some((name(&folder), read(&folder.join("plan.json"))?))));
    Ok(())
}

pub(crate) fn of_vectors(folder: &Path) -> Result<(), Failed> {
    let files = ["render-wild-dev", "render-terraform-dev", "render-116-wild-dev", "render-116-actions-dev"];
    for file in files {
        let text = fs::read_to_string(folder.join(format!("{file}.jsonl")))?;
        // Some hold numbers that no double does.
        let cases = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let plans = cases.filter_map(|case| {
            Some((case["id"].as_str()?.to_owned(), case.get("plan").filter(|plan| plan.is_object())?.clone()))
        });
        fields::check(plans.step_by(if file.contains("actions") { 10 } else { 1 }));
    }
    Ok(())
}

/// A state by itself is what a plan that starts from it has as its prior state.
pub(crate) fn of_states(root: &Path) -> Result<(), Failed> {
    let mut count = 0;
    for folder in runs(root) {
        let Some(state) = read(&folder.join("state.json")) else { continue };
        let expected = fields::of_state(&state["values"]);
        let test = Folder::with(
            &format!("state-{}", name(&folder)),
            &[
                (
                    "p.sentinel",
                    "import \"tfstate/v2\" as state\nimport \"expected\"\n\
                     resources = rule { state.resources is expected.resources }\n\
                     outputs = rule { state.outputs is expected.outputs }\n\
                     main = rule { resources and outputs }\n",
                ),
                ("sentinel.hcl", "import \"static\" \"expected\" { source = \"expected.json\" }\n"),
                ("plan.json", "{\"format_version\":\"1.2\",\"resource_changes\":[]}"),
            ],
        );
        test.write("expected.json", expected.to_string());
        test.write("state.json", state.to_string());
        let at = |file: &str| test.at(file).display().to_string();
        let [policy, config, plan, state] = ["p.sentinel", "sentinel.hcl", "plan.json", "state.json"].map(at);
        let arguments = ["--config", &config, "--plan", &plan, "--state", &state];
        let output = objchange([&["sentinel", "apply", &policy], &arguments[..]].concat(), "");
        assert_eq!(output.code, 0, "{}: {output:?}", folder.display());
        count += 1;
    }
    assert!(count > 0, "there is no state in {}", root.display());
    Ok(())
}
