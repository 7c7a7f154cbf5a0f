//! The inputs for planning a module, beside its configuration and state: variables, answers, functions.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use objchange_files::FileError;
use objchange_hcl::{BaseDirectory, Functions};
use objchange_module::config::Files;
use objchange_module::variables::{UnreadFile, VariableArgument, VariableSources, automatic_files};
use objchange_module::{Answers, Schemas};

use crate::files::DiskFiles;
use objchange_files::input::{Size, Source};

/// A source of values for variables. Later ones win.
#[derive(Clone, PartialEq, Eq)]
pub enum VariableSetting {
    /// The name and the value of one.
    Text(String, String),
    /// A file like `terraform.tfvars`.
    File(PathBuf),
    /// The text of such a file. It is JSON if its name ends with `.json`.
    FileText {
        /// The name that messages have for it.
        name: String,
        /// The text.
        text: String,
    },
}

impl fmt::Debug for VariableSetting {
    /// Without the value, which may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(name, _) => f.debug_tuple("Text").field(name).finish_non_exhaustive(),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::FileText { name, .. } => f.debug_tuple("FileText").field(name).finish_non_exhaustive(),
        }
    }
}

/// Everything that gives values to variables: the environment, files of the directory, and these.
///
/// # Errors
///
/// A file of the directory cannot be read.
pub fn variables<'s>(
    files: &DiskFiles,
    settings: impl IntoIterator<Item = &'s VariableSetting>,
) -> Result<VariableSources, FileError> {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    // Names and values that are not UTF-8 are skipped, because no value of a variable can be made of them.
    let environment = env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    let names = files.list(".").map_err(FileError::unreadable)?;
    let mut automatic = Vec::new();
    for name in automatic_files(names.iter().map(String::as_str)) {
        match files.read(name) {
            Ok(Some(text)) => automatic.push((name.to_owned(), text)),
            Ok(None) => {
                return Err(FileError::unreadable(format_args!("{name}: this is a link that leads nowhere")));
            }
            Err(why) => return Err(FileError::unreadable(format_args!("{name}: {why}"))),
        }
    }
    Ok(VariableSources { environment, automatic, arguments: arguments(settings) })
}

/// These values of variables, in their order.
pub(crate) fn arguments<'s>(
    settings: impl IntoIterator<Item = &'s VariableSetting>,
) -> Vec<VariableArgument> {
    let arguments = settings.into_iter().map(|setting| match setting {
        VariableSetting::Text(name, value) => VariableArgument::Value(format!("{name}={value}")),
        VariableSetting::File(path) => VariableArgument::File(path.display().to_string(), read(path)),
        VariableSetting::FileText { name, text } => VariableArgument::File(name.clone(), Ok(text.clone())),
    });
    arguments.collect()
}

/// Whether a file of this name holds values of variables.
pub(crate) fn is_variable_file(name: &str) -> bool {
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}

/// Files with values of variables that nobody has named, in the directory and the folders in it: those of environments lie
/// there, as `prod.tfvars` or `env/prod.tfvars`.
pub(crate) fn variable_files(files: &DiskFiles) -> Vec<String> {
    // A person chooses among them.
    const MOST: usize = 8;
    let listed = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries
            .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.file_type().ok()?)));
        let mut named: Vec<_> = named.filter(|(name, _)| !name.starts_with('.')).collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        named
    };
    let root = listed(files.directory());
    let read = automatic_files(root.iter().map(|(name, _)| name.as_str()));
    let own = root
        .iter()
        .filter(|(name, kind)| kind.is_file() && is_variable_file(name) && !read.contains(&name.as_str()));
    let mut found: Vec<String> = own.map(|(name, _)| name.clone()).collect();
    for (folder, _) in root.iter().filter(|(_, kind)| kind.is_dir()) {
        if found.len() >= MOST {
            break;
        }
        let inner = listed(&files.directory().join(folder));
        let inner = inner.into_iter().filter(|(name, kind)| kind.is_file() && is_variable_file(name));
        found.extend(inner.map(|(name, _)| format!("{folder}/{name}")));
    }
    found.truncate(MOST);
    found
}

/// A file that is named.
fn read(path: &Path) -> Result<String, UnreadFile> {
    match Source::new(path).read() {
        Ok(text) => Ok(text),
        Err(_) if path.as_os_str() != "-" && !path.exists() => Err(UnreadFile::Missing),
        Err(error) => Err(UnreadFile::Other(error.to_string())),
    }
}

/// The answers of all these files; of two for the same, the later counts.
pub(crate) fn answers(paths: &[PathBuf], schemas: &Schemas, limit: Size) -> Result<Answers, FileError> {
    let mut all = Answers::default();
    for path in paths {
        let name = path.display();
        let text = Source::new(path).read_as_allowed(limit.0).map_err(FileError::unreadable)?;
        let is_mock = path.extension().is_some_and(|end| end == "hcl");
        let read = if is_mock { Answers::parse_mock(&text) } else { Answers::parse(&text) };
        let answers = read.map_err(|error| FileError::invalid(format!("{name}: {error}")))?;
        let wrong: Vec<String> =
            answers.check(schemas).iter().map(|error| format!("{name}: {error}")).collect();
        if !wrong.is_empty() {
            return Err(FileError::invalid(wrong.join("\n")));
        }
        all.append(answers);
    }
    Ok(all)
}

/// All functions, with files below the directory and below the allowed ones.
///
/// # Errors
///
/// One of the directories cannot be opened.
pub fn functions(files: &DiskFiles) -> Result<Functions, FileError> {
    Ok(Functions::pure().clone().with_files(&base_directory(files)?))
}

/// The directories that functions read from.
pub(crate) fn base_directory(files: &DiskFiles) -> Result<BaseDirectory, FileError> {
    let wrong = |path: &Path, error| FileError::unreadable(format_args!("{}: {error}", path.display()));
    let mut base = BaseDirectory::open(files.directory()).map_err(|error| wrong(files.directory(), error))?;
    for path in files.allowed() {
        base = base.allow(path).map_err(|error| wrong(path, error))?;
    }
    // The function `pathexpand` needs it.
    if let Some(home) = env::home_dir() {
        base = base.with_home(home);
    }
    Ok(base)
}
