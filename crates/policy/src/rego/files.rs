//! Finds the files of policies and of `data`.

use std::path::{Path, PathBuf};

use objchange_files::input::Source;
use objchange_files::{FileError, FileErrorKind, Walk};

use super::{DataFile, LeftOutData, PolicyData, PolicyFile};

/// The files of policies that were named, or found in folders.
#[derive(Debug, Default)]
pub struct PolicyFiles {
    /// Policies.
    pub policies: Vec<PolicyFile>,
    /// The files of folders whose names say that they are tests: `*_test.rego`.
    pub tests: Vec<PolicyFile>,
}

/// Reads the policies that are named, and those of folders with their tests.
///
/// # Errors
///
/// One of them cannot be read, or a folder has none.
pub fn read_policies(arguments: &[PathBuf]) -> Result<PolicyFiles, FileError> {
    let mut files = PolicyFiles::default();
    for argument in arguments {
        if !argument.is_dir() {
            files.policies.push(policy(argument)?);
            continue;
        }
        let has_name =
            |path: &Path, end: &str| path.file_name().unwrap_or_default().to_string_lossy().ends_with(end);
        let found = Walk { folder: argument, depth: usize::MAX, hidden: true };
        // A policy that is not evaluated must not look like one that passes.
        let paths = found.files(|path| has_name(path, ".rego")).complete(argument)?;
        if paths.is_empty() {
            return Err(FileError::new(
                FileErrorKind::Empty,
                format!("{}: no file in it is called *.rego", argument.display()),
            ));
        }
        for path in paths {
            let of_kind = if has_name(&path, "_test.rego") { &mut files.tests } else { &mut files.policies };
            of_kind.push(policy(&path)?);
        }
    }
    Ok(files)
}

fn policy(path: &Path) -> Result<PolicyFile, FileError> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return Err(FileError::invalid(format_args!(
            "{}: this is not a policy, but a JSON file",
            path.display()
        )));
    }
    let text = Source::File(path.to_owned()).read().map_err(FileError::unreadable)?;
    Ok(PolicyFile::new(path.display().to_string(), text))
}

/// Reads documents, as OPA does: every JSON and YAML file of `--data` folders and of folders of policies. The names of its
/// folders become the keys above a document. In folders of policies only files called `data.json`, `data.yaml` or
/// `data.yml` have to be documents for sure: policies that refer to what others hold are refused if these cannot be read or
/// contradict each other. Plans and states are no data.
///
/// # Errors
///
/// One of them cannot be read, or two do not go together.
pub fn read_data(named: &[PathBuf], policies: &[PathBuf]) -> Result<PolicyData, FileError> {
    let mut files = Vec::new();
    for path in named {
        match path.is_dir() {
            true => below(path, &is_document, &mut files)?,
            false => files.push(file(path, Vec::new())?),
        }
    }
    let (mut others, mut left_out) = (Vec::new(), Vec::new());
    for path in policies.iter().filter(|path| path.is_dir()) {
        below(path, &is_data, &mut files)?;
        // Tools keep copies of modules and plans in folders whose names begin with a dot.
        let found = Walk { folder: path, depth: usize::MAX, hidden: false };
        for found in found.files(|path| is_document(path) && !is_data(path)).complete(path)? {
            match of_folder(path, &found) {
                Ok(file) => others.push(file),
                Err(error) => {
                    left_out.push(LeftOutData { path: folders(path, &found), reason: error.to_string() });
                }
            }
        }
    }
    let data = DataFile::merge(&files).map_err(FileError::invalid)?;
    let mut data = DataFile::with_others(&data, &others);
    data.left_out.extend(left_out);
    Ok(data)
}

fn below(folder: &Path, wanted: &dyn Fn(&Path) -> bool, files: &mut Vec<DataFile>) -> Result<(), FileError> {
    // Policies without their data may hold for everything.
    for path in (Walk { folder, depth: usize::MAX, hidden: true }).files(wanted).complete(folder)? {
        files.push(of_folder(folder, &path)?);
    }
    Ok(())
}

fn of_folder(folder: &Path, path: &Path) -> Result<DataFile, FileError> {
    file(path, folders(folder, path))
}

/// The folders that lead from one to a file: the keys above its document.
fn folders(folder: &Path, path: &Path) -> Vec<String> {
    let inner = path.strip_prefix(folder).unwrap_or(path);
    let folders = inner.parent().into_iter().flat_map(Path::components);
    folders.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json" || extension == "yaml" || extension == "yml")
}

fn is_data(path: &Path) -> bool {
    is_document(path) && path.file_stem().is_some_and(|stem| stem == "data")
}

fn file(path: &Path, folders: Vec<String>) -> Result<DataFile, FileError> {
    let name = path.display().to_string();
    let text = Source::File(path.to_owned()).read().map_err(FileError::unreadable)?;
    let is_yaml = path.extension().is_some_and(|extension| extension != "json");
    Ok(DataFile { name, path: folders, text, is_yaml })
}
