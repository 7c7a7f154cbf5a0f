//! Compares documents of plan files that Terraform wrote with those that it prints. The files may be absent: then the
//! tests are ignored, and said to be.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use objchange::schema::ProviderSchemas;
use objchange_document::{MadePlan, PlanFile};
use objchange_module::Schemas;
use objchange_plan::{Filter, Options, Report};
use objchange_saved::SavedPlan;
use objchange_text::json::{Node, NodeKind, Reader};
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

/// The files whose documents are not Terraform's yet: one with the literal `-0.0`. A file named here must still differ, so the
/// list only gets shorter.
const DIFFERENCES: [&str; 1] = ["v15-n-numbers"];

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
    let saved =
        || -> Result<SavedPlan, Box<dyn Error>> { Ok(SavedPlan::read(&fs::read(path.join("tfplan"))?)?) };
    let plan = saved()?.decode(&schemas)?;
    let document = plan.document();
    compare_text(path, Box::new(plan), schemas.to_document())?;
    compare_text(path, Box::new(saved()?.pack(&schemas)?), schemas.to_document())?;
    let wanted = fs::read_to_string(path.join("plan.json"))?;
    if document == wanted.trim_end() {
        return Ok(());
    }
    match difference("", &read(&wanted)?, &read(&document)?) {
        Some(difference) => Err(difference.into()),
        None => Ok(()),
    }
}

/// The text of the plan in memory is Terraform's, and needs no document.
fn compare_text(
    path: &Path,
    plan: Box<dyn MadePlan>,
    schemas: ProviderSchemas,
) -> Result<(), Box<dyn Error>> {
    let file = PlanFile::made("tfplan", plan, None)?;
    let schemas = objchange_document::Schemas::new(schemas);
    let report = Report::of_file(&file, &schemas, &Options::default(), &Filter::default())?;
    let mut text = Vec::new();
    report.write_text(&mut text, &Options::default())?;
    let (text, wanted) = (String::from_utf8(text)?, fs::read_to_string(path.join("plan.txt"))?);
    let mut lines = wanted.trim().lines().zip(text.trim().lines());
    match lines.find(|(wanted, found)| wanted != found) {
        Some((wanted, found)) => Err(format!("wanted {wanted}\n  found  {found}").into()),
        None if wanted.trim().len() == text.trim().len() => Ok(()),
        None => Err("one of the texts ends early".into()),
    }
}

/// Reads a document: objects as lists of names and values, because their order counts, and numbers as text, because some fit
/// no type. Lists that Terraform writes in a random order are sorted.
fn read(text: &str) -> Result<Json, Box<dyn Error>> {
    fn convert(node: &Node<'_>, within: &[&str]) -> Json {
        match &node.kind {
            NodeKind::Null => Json::Null,
            NodeKind::Bool(value) => (*value).into(),
            NodeKind::Number(text) => format!("the number {text}").into(),
            NodeKind::String(text) => (**text).into(),
            NodeKind::Array(elements) => {
                let mut elements: Vec<Json> =
                    elements.iter().map(|element| convert(element, within)).collect();
                if matches!(within, ["relevant_attributes"] | ["planned_values", .., "child_modules"]) {
                    elements.sort_by_key(Json::to_string);
                }
                elements.into()
            }
            NodeKind::Object(members) => {
                let pair = |name: &str, value: &Node<'_>| {
                    Json::from(vec![Json::from(name), convert(value, &[within, &[name]].concat())])
                };
                members.iter().map(|member| pair(&member.name, &member.value)).collect()
            }
        }
    }
    Ok(convert(&Node::read_all(Reader::new(text))?, &[]))
}

/// The first place where two documents differ.
fn difference(place: &str, wanted: &Json, found: &Json) -> Option<String> {
    match (wanted, found) {
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(at, (a, b))| {
                let name = a.get(0).and_then(Json::as_str).map_or(at.to_string(), str::to_owned);
                difference(&format!("{place}.{name}"), a, b)
            })
        }
        _ if wanted == found => None,
        _ => Some(format!("{place}:\n  wanted {wanted}\n  found  {found}")),
    }
}
