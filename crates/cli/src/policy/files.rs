//! Which files hold policies.

use std::path::{Path, PathBuf};

use objchange_policy::rego::PolicyFile;

use objchange_project::Walk;

/// Reads the policies that are named, and those of folders. Files of tests are left out of folders if they are not
/// asked for.
pub(super) fn read(arguments: &[PathBuf], tests: bool) -> Result<Vec<PolicyFile>, String> {
    let mut files = Vec::new();
    for argument in arguments {
        if !argument.is_dir() {
            files.push(file(argument)?);
            continue;
        }
        let before = files.len();
        let found = Walk { folder: argument, depth: usize::MAX, hidden: true }.files(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".rego") && (tests || !name.ends_with("_test.rego"))
        });
        // A policy that is not evaluated must not look like one that passes.
        for path in found.complete(argument)? {
            files.push(file(&path)?);
        }
        if files.len() == before {
            return Err(format!("{}: no file in it is called *.rego", argument.display()));
        }
    }
    Ok(files)
}

fn file(path: &Path) -> Result<PolicyFile, String> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return Err(format!("{}: this is no policy; name plans before --rego", path.display()));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
    Ok(PolicyFile::new(path.display().to_string(), text.strip_prefix('\u{feff}').unwrap_or(&text)))
}
