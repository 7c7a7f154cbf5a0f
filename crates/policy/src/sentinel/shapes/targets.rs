//! Finds the files to check, with their configuration.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use objchange_files::FileError;
use objchange_files::input::Source;

use crate::sentinel::Configuration;
use crate::sentinel::configuration::{ImportSource, Reference};
use crate::sentinel::files::find_policies;
use crate::sentinel::sources::Sources;

/// A file to check.
#[derive(Debug)]
pub struct Target {
    /// The file.
    pub source: Source,
    /// A configuration runs it as a policy.
    pub is_policy: bool,
    /// The configuration that names it.
    pub configuration: Option<Rc<Configuration>>,
}

/// The files that are named, those of folders, and those that configurations name; each once.
///
/// # Errors
///
/// One of them cannot be read.
pub fn find_targets(arguments: &[PathBuf]) -> Result<Vec<Target>, FileError> {
    let mut targets = Vec::new();
    for argument in arguments {
        if is_configuration(argument) {
            configured(argument, &mut targets)?;
            continue;
        }
        for source in find_policies(std::slice::from_ref(argument))? {
            let is_policy = matches!(&source, Source::File(path) if has_tests(path));
            targets.push(Target { source, is_policy, configuration: None });
        }
    }
    // Targets of a configuration first, because they have more context.
    targets.sort_by_key(|target| target.configuration.is_none());
    let mut seen = HashSet::new();
    targets.retain(|target| match &target.source {
        Source::File(path) => seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())),
        Source::Stdin => seen.insert(PathBuf::from("-")),
    });
    Ok(targets)
}

fn is_configuration(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "hcl" || extension == "json") && !path.is_dir()
}

/// The tests of `P.sentinel` are in `test/P` beside it.
fn has_tests(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_stem()) else { return false };
    folder.join("test").join(name).is_dir()
}

fn configured(path: &Path, targets: &mut Vec<Target>) -> Result<(), FileError> {
    let configuration = Rc::new(Sources::on_disk().configuration(path).map_err(FileError::invalid)?);
    let target = |reference: &Reference, is_policy| {
        let path = reference.path().map_err(FileError::invalid)?;
        Ok::<Target, FileError>(Target {
            source: Source::File(path),
            is_policy,
            configuration: Some(Rc::clone(&configuration)),
        })
    };
    for policy in &configuration.policies {
        targets.push(target(&policy.source, true)?);
    }
    for given in configuration.imports.values() {
        if let ImportSource::Module(reference) = given {
            targets.push(target(reference, false)?);
        }
    }
    Ok(())
}
