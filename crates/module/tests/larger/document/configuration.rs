//! The `configuration` section, and the parts of a document that come from following its references.

use std::fs;
use std::path::Path;

use libtest_mimic::Failed;
use objchange::schema::ProviderSchemas;
use objchange_document::{Plan, Prediction};
use objchange_module::Schemas;
use objchange_module::config::{Config, Files, FilesError, LoadOptions};
use objchange_module::document::{DocumentInfo, write_plan};
use objchange_module::plan::ModulePlan;

use super::{compact, difference, documents, schemas_text, score};

/// The files below a folder.
struct Folder<'f>(&'f Path);

impl Files for Folder<'_> {
    fn list(&self, directory: &str) -> Result<Vec<String>, FilesError> {
        let entries = fs::read_dir(self.0.join(directory)).map_err(|error| unreadable(&error))?;
        let files = entries.flatten().filter(|entry| entry.path().is_file());
        Ok(files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
    }

    fn read(&self, path: &str) -> Result<Option<String>, FilesError> {
        let path = self.0.join(path);
        if path.exists() {
            fs::read_to_string(path).map(Some).map_err(|error| unreadable(&error))
        } else {
            Ok(None)
        }
    }
}

fn unreadable(error: &std::io::Error) -> FilesError {
    FilesError::Unreadable(error.to_string())
}

fn load(folder: &Path, version: &str) -> Config {
    let manifest = fs::read_to_string(folder.join("modules.json")).ok();
    let options = LoadOptions { manifest: manifest.as_deref(), ..LoadOptions::new(version) };
    Config::load(&Folder(folder), ".", &options).0
}

pub(super) fn sections(folder: &Path) -> Result<(), Failed> {
    let schemas = Schemas::new([ProviderSchemas::parse(schemas_text(folder)?)?]).of_version(super::version());
    let (mut wrong, mut all) = (Vec::new(), 0);
    for (name, path) in documents(folder)? {
        let text = fs::read_to_string(&path)?;
        let expected = Plan::parse(&text)?;
        let version = expected.terraform_version.as_deref().unwrap_or_default();
        let case = path.ancestors().nth(2).ok_or("no folder")?;
        let info = DocumentInfo {
            terraform_version: version,
            is_simulated: false,
            prediction: Prediction { is_trusting: false, is_refreshed: true },
            timestamp: "",
        };
        let written = write_plan(&ModulePlan::default(), &load(case, version), &schemas, &info);
        let written = Plan::parse(&written)?;
        let section = |plan: &Plan<'_>| plan.configuration().map(|raw| compact(raw.text()));
        // The files do not escape what Go's encoder escapes for HTML.
        let unescaped =
            |text: String| text.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&");
        let (wanted, found) = (section(&expected), section(&written).map(unescaped));
        all += 1;
        if wanted != found {
            wrong.push(format!("{name}: {}", difference(wanted.as_deref(), found.as_deref())));
        }
    }
    score("configuration", all - wrong.len(), all);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
