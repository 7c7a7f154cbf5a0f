//! The documents that the collections are held to: those of the repository, and the larger sets where they are at hand.

use std::fs;
use std::path::{Path, PathBuf};

use objchange_case::Case;

/// Documents of plans and states, each with its name.
pub(crate) fn all() -> Vec<(String, String)> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents = Vec::new();
    let shared = workspace.join("../shared");
    let vectors = [
        workspace.join("tests/vectors/render.jsonl"),
        shared.join("vectors/render-wild-dev.jsonl"),
        shared.join("vectors/render-terraform-dev.jsonl"),
    ];
    for file in vectors {
        for line in fs::read_to_string(&file).unwrap_or_default().lines() {
            let case = Case::parse(line).unwrap();
            let field = if case.op() == "render_state" { "state" } else { "plan" };
            documents.push((case.id().unwrap_or_default().to_owned(), case.field(field).unwrap().to_owned()));
        }
    }
    let state = workspace.join("crates/plan/tests/state");
    for folder in [workspace.join("examples"), shared.join("real/shapes"), shared.join("real/terraform")] {
        for folder in fs::read_dir(folder).into_iter().flatten() {
            documents.extend(of_folder(&folder.unwrap().path()));
        }
    }
    documents.extend(of_folder(&state));
    assert!(documents.len() > 160, "{}", documents.len());
    documents
}

fn of_folder(folder: &Path) -> impl Iterator<Item = (String, String)> {
    let names = ["plan.json", "state.json", "shown.json"];
    let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    files.into_iter().filter_map(|file| Some((file.display().to_string(), fs::read_to_string(file).ok()?)))
}
