//! Which files hold policies.

use std::path::{Path, PathBuf};

use objchange_plan::policy::PolicyFile;

use crate::folder;

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
        for entry in folder::entries(argument, usize::MAX, |_| true) {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            let is_wanted = name.ends_with(".rego") && (tests || !name.ends_with("_test.rego"));
            if entry.file_type().is_file() && is_wanted {
                files.push(file(entry.path())?);
            }
        }
        if files.len() == before {
            return Err(format!("{}: no file in it is called *.rego", argument.display()));
        }
    }
    Ok(files)
}

fn file(path: &Path) -> Result<PolicyFile, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
    Ok(PolicyFile::new(path.display().to_string(), text.strip_prefix('\u{feff}').unwrap_or(&text)))
}
