//! Finds the policies to apply: single ones, those of a folder, or a policy set with its configuration.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use objchange_files::input::Source;
use objchange_files::{FileError, FileErrorKind, Walk};

use super::configuration::{ImportSource, PolicySource};
use super::set::{AppliedPolicy, FROM_PLAN, OF_OLD_PLAN, SetOptions};
use super::sources::{Sources, identity};
use super::{Configuration, Fault};

/// Policies to apply.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct NamedPolicies {
    /// The policies.
    pub policies: Vec<AppliedPolicy>,
    /// The imports of Terraform data that a configuration replaces by a mock, a module or static data.
    pub replaced: Vec<ReplacedImport>,
}

/// An import of Terraform data that a configuration replaces.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReplacedImport {
    /// Its name, such as `tfplan/v2`.
    pub import: &'static str,
    /// The error to report if a plan, a state or the run provides it: policies would check the replacement instead.
    pub fault: Fault,
}

/// Why policies cannot be found or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyFilesError {
    /// A problem of a file.
    #[error("{0}")]
    File(Fault),
    /// A folder cannot be looked through, or has no policies. The sentence begins with its name.
    #[error("{0}")]
    Folder(FileError),
}

impl PolicyFilesError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::File(_) => "bad_policy",
            Self::Folder(_) => "no_rules",
        }
    }
}

impl From<Fault> for PolicyFilesError {
    fn from(fault: Fault) -> Self {
        Self::File(fault)
    }
}

impl From<FileError> for PolicyFilesError {
    fn from(problem: FileError) -> Self {
        Self::Folder(problem)
    }
}

/// Finds and compiles the named policies; the configuration applies to policies named alone. `warn` receives settings
/// without effect.
///
/// # Errors
///
/// Something that is named cannot be read, or a folder has a policy that is not applied.
pub fn read_policies(
    named: &[PathBuf],
    configuration: Option<&Path>,
    options: SetOptions<'_>,
    warn: &dyn Fn(&Fault),
) -> Result<NamedPolicies, PolicyFilesError> {
    let sources = Sources::on_disk().with_folders(options.folders);
    let mut found = NamedPolicies::default();
    let own = match configuration {
        Some(path) => {
            let own = configured(path, &sources, warn)?;
            found.replaced.extend(replaced_imports(path, &own));
            own
        }
        None => Configuration::default(),
    };
    let add_set = |path: &Path, found: &mut NamedPolicies| {
        let configuration = configured(path, &sources, warn)?;
        if configuration.policies.is_empty() {
            return Err(Fault::of_file(path, "there is no policy in this configuration"));
        }
        found.replaced.extend(replaced_imports(path, &configuration));
        found.policies.extend(options.policies(&configuration, &sources));
        Ok(())
    };
    let alone = |path: &Path| options.policy(path, &own, &sources);
    for path in named {
        let of_folder = path.join("sentinel.hcl");
        match path.extension() {
            _ if path.is_dir() && of_folder.is_file() => add_set(&of_folder, &mut found)?,
            _ if path.is_dir() => {
                for policy in policies_of(path)? {
                    found.policies.push(alone(&policy)?);
                }
            }
            // Sentinel reads configurations as HCL or, in its older form, as JSON.
            Some(extension) if extension == "hcl" || extension == "json" => add_set(path, &mut found)?,
            _ => found.policies.push(alone(path)?),
        }
    }
    if let Some(PolicySource { address, folder }) = sources.unused_folder() {
        return Err(Fault::of_file(
            folder,
            format!("no configuration names a source with the address {address}"),
        )
        .into());
    }
    // Symbolic links may name one file twice, so files are compared by their identity.
    let named_files = found.policies.iter().map(|policy| identity(Path::new(&policy.file))).collect();
    for folder in named.iter().filter(|path| path.is_dir()) {
        refuse_unapplied(folder, &named_files, &sources, warn)?;
    }
    Ok(found)
}

/// Refuses a folder with a policy that nothing applies: it must not look like one that passes. Modules, mocks, and the
/// policies of sets in folders below may be there.
fn refuse_unapplied(
    folder: &Path,
    applied: &HashSet<PathBuf>,
    sources: &Sources,
    warn: &dyn Fn(&Fault),
) -> Result<(), PolicyFilesError> {
    let is_set = |path: &Path| path.file_name() == Some(OsStr::new("sentinel.hcl"));
    let found =
        Walk { folder, depth: usize::MAX, hidden: true }.files(|path| is_policy(path) || is_set(path));
    let (sets, policies): (Vec<_>, Vec<_>) =
        found.complete(folder)?.into_iter().partition(|path| is_set(path));
    let mut of_sets = HashSet::new();
    for path in sets {
        let set = sources.configuration(&path)?;
        let paths: Vec<PathBuf> =
            set.policies.iter().filter_map(|policy| policy.source.path().ok()).collect();
        let paths: HashSet<PathBuf> = paths.iter().map(|path| identity(path)).collect();
        if !paths.is_empty() && paths.is_disjoint(applied) {
            let message = "the policies of this set are not applied; name the set to apply them";
            warn(&Fault::of_file(&path, message));
        }
        of_sets.extend(paths);
    }
    for path in policies {
        let file = identity(&path);
        if applied.contains(&file) || of_sets.contains(&file) || !may_have_main(&path)? {
            continue;
        }
        let is_module = sources.policy(&path).is_ok_and(|policy| !policy.has_main());
        if !is_module {
            let message = "this policy is not applied; name it, or list it in a sentinel.hcl";
            return Err(Fault::of_file(&path, message).into());
        }
    }
    Ok(())
}

/// Whether a file has the word: most mocks have not, and they are large.
fn may_have_main(path: &Path) -> Result<bool, Fault> {
    let text = Source::File(path.to_owned()).read().map_err(|error| Fault::of_file(path, error.reason()))?;
    Ok(text.contains("main"))
}

fn is_policy(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("sentinel"))
}

/// The imports of Terraform data that a configuration at this path replaces.
fn replaced_imports(path: &Path, configuration: &Configuration) -> Vec<ReplacedImport> {
    let replaced = |import: &'static str| {
        let message = format!(
            "{import} is replaced here, and policies would check that instead of what is given: remove it, or apply \
             the policies without a plan"
        );
        let fault = match configuration.source_of(import)? {
            ImportSource::Module(reference) | ImportSource::Static(reference) => reference.fault(message),
            ImportSource::Data(_) => Fault::of_file(path, message),
        };
        Some(ReplacedImport { import, fault })
    };
    FROM_PLAN.into_iter().chain(OF_OLD_PLAN).filter_map(replaced).collect()
}

fn configured(path: &Path, sources: &Sources, warn: &dyn Fn(&Fault)) -> Result<Configuration, Fault> {
    let configuration = sources.configuration(path)?;
    configuration.warnings.iter().for_each(warn);
    Ok(configuration)
}

/// The policies of a folder that has no configuration.
fn policies_of(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let found = Walk { folder, depth: 1, hidden: true }.files(is_policy);
    let policies = found.complete(folder)?;
    if policies.is_empty() {
        return Err(FileError::new(
            FileErrorKind::Empty,
            format!("{}: no file in it is called sentinel.hcl or *.sentinel", folder.display()),
        ));
    }
    Ok(policies)
}

/// The files that are named, and those of folders that are called `*.sentinel`.
///
/// # Errors
///
/// A folder cannot be read, or has none.
pub fn find_policies(arguments: &[PathBuf]) -> Result<Vec<Source>, FileError> {
    let mut sources = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" || !argument.is_dir() {
            sources.push(Source::new(argument));
            continue;
        }
        let before = sources.len();
        let found = Walk { folder: argument, depth: usize::MAX, hidden: false }.files(is_policy);
        sources.extend(found.complete(argument)?.into_iter().map(Source::File));
        if sources.len() == before {
            return Err(FileError::new(
                FileErrorKind::Empty,
                format!("{}: no file in it is called *.sentinel", argument.display()),
            ));
        }
    }
    if sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
        return Err(FileError::unreadable("standard input (-) can be read only once"));
    }
    Ok(sources)
}
