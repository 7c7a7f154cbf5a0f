//! The documents of `data`: those that are named, and those beside policies.

use std::path::{Path, PathBuf};

use objchange_policy::rego::{DataFile, Value};
use walkdir::WalkDir;

/// Reads documents. Of folders of `--data` every JSON and YAML file counts, of folders of policies those that are called
/// `data.json`, `data.yaml` or `data.yml`, as OPA has it: each stands below the names of the folders that it is in.
pub(super) fn read(named: &[PathBuf], policies: &[PathBuf]) -> Result<Value, String> {
    let mut files = Vec::new();
    for path in named {
        match path.is_dir() {
            true => below(path, &is_document, &mut files)?,
            false => files.push(file(path, Vec::new())?),
        }
    }
    for path in policies.iter().filter(|path| path.is_dir()) {
        below(path, &is_data, &mut files)?;
    }
    DataFile::merge(&files).map_err(|error| error.to_string())
}

fn below(folder: &Path, wanted: &dyn Fn(&Path) -> bool, files: &mut Vec<DataFile>) -> Result<(), String> {
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        if entry.file_type().is_file() && wanted(entry.path()) {
            let inner = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let folders = inner.parent().into_iter().flat_map(Path::components);
            let folders = folders.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            files.push(file(entry.path(), folders)?);
        }
    }
    Ok(())
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json" || extension == "yaml" || extension == "yml")
}

fn is_data(path: &Path) -> bool {
    is_document(path) && path.file_stem().is_some_and(|stem| stem == "data")
}

fn file(path: &Path, folders: Vec<String>) -> Result<DataFile, String> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: cannot be read: {error}"))?;
    let is_yaml = path.extension().is_some_and(|extension| extension != "json");
    Ok(DataFile { name, path: folders, text, is_yaml })
}
