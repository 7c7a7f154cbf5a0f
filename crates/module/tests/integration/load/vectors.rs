//! The cases that loading alone must refuse as Terraform does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use objchange_module::Severity;
use objchange_module::config::{Config, Files, LoadOptions};
use serde_json::Value as Json;

/// The files of a directory.
struct Directory(PathBuf);

impl Files for Directory {
    fn list(&self, directory: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.0.join(directory)).map_err(|error| error.to_string())?;
        let files = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            entry.path().is_file().then(|| entry.file_name().to_string_lossy().into_owned())
        });
        Ok(files.collect())
    }

    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let path = self.0.join(path);
        if !path.is_file() {
            return Ok(None);
        }
        fs::read_to_string(path).map(Some).map_err(|error| error.to_string())
    }
}

/// Errors: summary, detail and range.
type Found = BTreeSet<(String, String, String)>;

fn expected(directory: &Path) -> Option<Found> {
    let text = fs::read_to_string(directory.join("expect/diagnostics.json")).ok()?;
    let all: Vec<Json> = serde_json::from_str(&text).ok()?;
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let errors = all.iter().filter(|one| one["severity"] == "error").map(|one| {
        let range = &one["range"];
        let place = match range["filename"].as_str() {
            Some(name) => format!(
                "{name}:{},{}-{},{}",
                range["start"]["line"],
                range["start"]["column"],
                range["end"]["line"],
                range["end"]["column"]
            ),
            None => "-".to_owned(),
        };
        (text(&one["summary"]), text(&one["detail"]), place)
    });
    Some(errors.collect())
}

fn loaded(directory: &Path) -> Found {
    let manifest = fs::read_to_string(directory.join("modules.json")).ok();
    let options = LoadOptions { manifest: manifest.as_deref(), terraform_version: "1.11.4" };
    let (config, diagnostics) = Config::load(&Directory(directory.to_owned()), ".", &options);
    let places = config.sources.places();
    let errors = diagnostics.iter().filter(|found| found.diagnostic.severity == Severity::Error).map(|found| {
        let place = found.diagnostic.subject.and_then(|span| places.find(span));
        let place = place.map_or_else(
            || "-".to_owned(),
            |place| {
                let (start, end) = (place.start(), place.end());
                format!("{}:{},{}-{},{}", place.name, start.line, start.column, end.line, end.column)
            },
        );
        (found.diagnostic.summary.to_string(), found.diagnostic.detail.to_string(), place)
    });
    errors.collect()
}

/// Loading says nothing that Terraform does not say. Prints what it does not say, which is for later walks to find.
#[test]
fn loading_says_what_terraform_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/module-plan");
    let Ok(entries) = fs::read_dir(&folder) else { return };
    let mut names: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    let (mut same, mut none, mut wrong) = (0, 0, Vec::new());
    for directory in names.iter().filter(|path| path.join("case.json").is_file()) {
        let expected = expected(directory).unwrap_or_default();
        let found = loaded(directory);
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if found.is_empty() {
            none += usize::from(!expected.is_empty());
            if !expected.is_empty() {
                println!("not at load: {name}: {:?}", expected.iter().map(|one| &one.0).collect::<Vec<_>>());
            }
        } else if found == expected {
            same += 1;
        } else {
            wrong.push(format!(
                "{name}\n  found {:#?}\n  expected {:#?}",
                found.difference(&expected).collect::<Vec<_>>(),
                expected.difference(&found).collect::<Vec<_>>()
            ));
        }
    }
    println!(
        "{same} cases with the same errors, {} with others, {none} whose errors are found later",
        wrong.len()
    );
    println!("{}", wrong.join("\n"));
}
