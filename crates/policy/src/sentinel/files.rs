//! Finds the policies to apply: single ones, those of a folder, or a policy set with its configuration.

use std::path::{Path, PathBuf};

use objchange_files::Walk;
use objchange_files::input::Source;

use super::set::{AppliedPolicy, SetOptions};
use super::sources::Sources;
use super::{Configuration, Fault};

/// Finds and compiles the policies that are named; the configuration is about those that are named alone. `warn` gets what has
/// no effect in configurations.
///
/// # Errors
///
/// Something that is named cannot be read.
pub fn read_policies(
    named: &[PathBuf],
    configuration: Option<&Path>,
    options: SetOptions<'_>,
    warn: &dyn Fn(&Fault),
) -> Result<Vec<AppliedPolicy>, String> {
    let sources = Sources::on_disk();
    let mut applied = Vec::new();
    let own = match configuration {
        Some(path) => configured(path, &sources, warn)?,
        None => Configuration::default(),
    };
    let alone = |path: &Path| options.policy(path, &own, &sources).map_err(|fault| fault.to_string());
    for path in named {
        let of_folder = path.join("sentinel.hcl");
        match path.extension() {
            _ if path.is_dir() && of_folder.is_file() => {
                applied.extend(set(&of_folder, options, &sources, warn)?);
            }
            _ if path.is_dir() => {
                for policy in policies_of(path)? {
                    applied.push(alone(&policy)?);
                }
            }
            Some(extension) if extension == "hcl" || extension == "json" => {
                applied.extend(set(path, options, &sources, warn)?);
            }
            _ => applied.push(alone(path)?),
        }
    }
    Ok(applied)
}

/// The policies of a policy set.
fn set(
    path: &Path,
    options: SetOptions<'_>,
    sources: &Sources,
    warn: &dyn Fn(&Fault),
) -> Result<Vec<AppliedPolicy>, String> {
    let configuration = configured(path, sources, warn)?;
    if configuration.policies.is_empty() {
        return Err(format!("{}: there is no policy in this configuration", path.display()));
    }
    Ok(options.policies(&configuration, sources))
}

fn configured(path: &Path, sources: &Sources, warn: &dyn Fn(&Fault)) -> Result<Configuration, String> {
    let configuration = sources.configuration(path).map_err(|fault| fault.to_string())?;
    configuration.warnings.iter().for_each(warn);
    Ok(configuration)
}

/// The policies of a folder that has no configuration.
fn policies_of(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let is_policy = |path: &Path| path.extension().is_some_and(|extension| extension == "sentinel");
    let found = Walk { folder, depth: 1, hidden: true }.files(is_policy);
    let policies = found.complete(folder)?;
    if policies.is_empty() {
        return Err(format!("{}: no file in it is called sentinel.hcl or *.sentinel", folder.display()));
    }
    Ok(policies)
}

/// The files that are named, and those of folders that are called `*.sentinel`.
///
/// # Errors
///
/// A folder cannot be read, or has none.
pub fn find_policies(arguments: &[PathBuf]) -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    for argument in arguments {
        if argument.as_os_str() == "-" || !argument.is_dir() {
            sources.push(Source::new(argument));
            continue;
        }
        let before = sources.len();
        let is_policy = |path: &Path| path.extension().is_some_and(|extension| extension == "sentinel");
        let found = Walk { folder: argument, depth: usize::MAX, hidden: false }.files(is_policy);
        sources.extend(found.complete(argument)?.into_iter().map(Source::File));
        if sources.len() == before {
            return Err(format!("{}: no file in it is called *.sentinel", argument.display()));
        }
    }
    if sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
        return Err("standard input (-) can be read only once".to_owned());
    }
    Ok(sources)
}
