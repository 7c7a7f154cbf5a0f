//! Compares documents of plan files that Terraform wrote with those that it prints. The files may be absent: then the
//! tests are ignored, and said to be.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use objchange::schema::ProviderSchemas;
use objchange_module::Schemas;
use objchange_saved::SavedPlan;
use serde_json::Value as Json;

fn main() -> ExitCode {
    let folder = Path::new("../../../shared/vectors");
    let files = fs::read_dir(folder.join("plan-file"));
    let schemas = fs::read_to_string(folder.join("module-plan/schemas.json"));
    let newer = fs::read_to_string(folder.join("plan-file/schemas-1.15.json"));
    let trials = match (files, schemas, newer) {
        (Ok(files), Ok(schemas), Ok(newer)) => {
            let paths: Vec<PathBuf> = files
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.join("tfplan").exists())
                .collect();
            // Terraform 1.15.5 wrote these.
            let is_newer =
                |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("v15-"));
            let schemas = |path: &Path| if is_newer(path) { newer.clone() } else { schemas.clone() };
            paths
                .into_iter()
                .map(|path| (schemas(&path), path))
                .map(|(schemas, path)| trial(path, schemas))
                .collect()
        }
        _ => vec![Trial::test("plan files", || Ok(())).with_ignored_flag(true)],
    };
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The files whose documents are not Terraform's yet: plans with actions, and a state with the number `-0`. A file named
/// here must still differ, so the list only gets shorter.
const DIFFERENCES: [&str; 4] =
    ["v15-n-actions", "v15-n-actions-invoke1", "v15-n-actions-update", "v15-n-numbers"];

fn trial(path: PathBuf, schemas: String) -> Trial {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let differs = DIFFERENCES.contains(&name.as_str());
    Trial::test(name, move || match (compare(&path, &schemas), differs) {
        (Ok(()), true) => Err("agrees with Terraform now: take it off the list".into()),
        (Err(error), false) => Err(Failed::from(error.to_string())),
        (Ok(()), false) | (Err(_), true) => Ok(()),
    })
}

fn compare(path: &Path, schemas: &str) -> Result<(), Box<dyn Error>> {
    let schemas = Schemas::new([ProviderSchemas::parse(schemas)?]);
    let document = SavedPlan::read(&fs::read(path.join("tfplan"))?)?.document(&schemas)?;
    let wanted = fs::read_to_string(path.join("plan.json"))?;
    if document.text == wanted.trim_end() {
        return Ok(());
    }
    let (mut found, mut wanted): (Json, Json) =
        (serde_json::from_str(&document.text)?, serde_json::from_str(&wanted)?);
    for json in [&mut found, &mut wanted] {
        sort(json);
    }
    match difference("", &wanted, &found) {
        Some(difference) => Err(difference.into()),
        None => Ok(()),
    }
}

/// Sorts what Terraform writes in a random order.
fn sort(json: &mut Json) {
    if let Some(Json::Array(attributes)) = json.get_mut("relevant_attributes") {
        attributes.sort_by_key(Json::to_string);
    }
    if let Some(root) = json.pointer_mut("/planned_values/root_module") {
        sort_modules(root);
    }
}

fn sort_modules(module: &mut Json) {
    if let Some(Json::Array(children)) = module.get_mut("child_modules") {
        children.iter_mut().for_each(sort_modules);
        children.sort_by_key(|child| child["address"].to_string());
    }
}

/// The first place where two documents differ, also in the order of members.
fn difference(place: &str, wanted: &Json, found: &Json) -> Option<String> {
    match (wanted, found) {
        (Json::Object(a), Json::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(name, a)| difference(&format!("{place}.{name}"), a, &b[name]))
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(at, (a, b))| difference(&format!("{place}[{at}]"), a, b))
        }
        _ if wanted == found => None,
        _ => Some(format!("{place}:\n  wanted {wanted}\n  found  {found}")),
    }
}
