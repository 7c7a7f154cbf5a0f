//! Which policies are applied: single ones, those of a folder, or a policy set with its configuration.

use std::path::{Path, PathBuf};

use objchange_policy::sentinel::Configuration;
use objchange_policy::sentinel::set::{AppliedPolicy, SetOptions};
use objchange_policy::sentinel::sources::Sources;

use crate::sentinel::files;
use objchange_project::Walk;

/// Finds and compiles the policies that are named; the configuration is about those that are named alone.
pub(super) fn read(
    named: &[PathBuf],
    configuration: Option<&Path>,
    options: SetOptions<'_>,
) -> Result<Vec<AppliedPolicy>, String> {
    let sources = files::sources();
    let mut applied = Vec::new();
    let own = match configuration {
        Some(path) => configured(path, &sources)?,
        None => Configuration::default(),
    };
    let alone = |path: &Path| options.policy(path, &own, &sources).map_err(|fault| fault.to_string());
    for path in named {
        let of_folder = path.join("sentinel.hcl");
        match path.extension() {
            _ if path.is_dir() && of_folder.is_file() => applied.extend(set(&of_folder, options, &sources)?),
            _ if path.is_dir() => {
                for policy in policies_of(path)? {
                    applied.push(alone(&policy)?);
                }
            }
            Some(extension) if extension == "hcl" || extension == "json" => {
                applied.extend(set(path, options, &sources)?);
            }
            _ => applied.push(alone(path)?),
        }
    }
    Ok(applied)
}

/// The policies of a policy set.
fn set(path: &Path, options: SetOptions<'_>, sources: &Sources) -> Result<Vec<AppliedPolicy>, String> {
    let configuration = configured(path, sources)?;
    if configuration.policies.is_empty() {
        return Err(format!("{}: there is no policy in this configuration", path.display()));
    }
    Ok(options.policies(&configuration, sources))
}

fn configured(path: &Path, sources: &Sources) -> Result<Configuration, String> {
    let configuration = sources.configuration(path).map_err(|fault| fault.to_string())?;
    configuration.warnings.iter().for_each(|warning| crate::exit::warn(&warning.to_string()));
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
