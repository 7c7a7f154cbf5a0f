//! The providers that `terraform init` has installed in a directory: found, started and asked for their schemas.

use std::collections::BTreeMap;
use std::env::consts;
use std::fs;
use std::path::{Path, PathBuf};

use objchange_module::ProviderAddress;

use crate::exit::{self, CommandError, unusable};
use crate::provider::Binary;
use crate::schema_cache::read_lock;
use crate::schemas::{SchemaText, provider_schemas};

/// A provider's program, and its version where that is known.
type VersionedBinary = (Binary, Option<String>);

/// The documents of providers, with the version of each; and whether all have answered.
type Answers = (Vec<(SchemaText, BTreeMap<ProviderAddress, String>)>, bool);

/// The programs in `.terraform/providers` for this platform. Of a provider in the lock file only the locked version counts.
pub(super) fn find(directory: &Path) -> Result<Vec<VersionedBinary>, String> {
    let locked = read_lock(directory);
    let root = directory.join(".terraform").join("providers");
    let platform = platform();
    let mut binaries = Vec::new();
    for host in folders(&root) {
        for namespace in folders(&root.join(&host)) {
            for name in folders(&root.join(&host).join(&namespace)) {
                let folder = root.join(&host).join(&namespace).join(&name);
                let address = format!("{host}/{namespace}/{name}");
                let Some(provider) = ProviderAddress::parse(&address) else { continue };
                for version in folders(&folder) {
                    if locked.get(&provider).is_some_and(|locked| *locked != version) {
                        continue;
                    }
                    let folder = folder.join(&version).join(&platform);
                    if let Some(program) = program(&folder, &name) {
                        binaries.push((Binary::new(program, &address), Some(version)));
                    }
                }
            }
        }
    }
    if binaries.is_empty() {
        return Err(format!(
            "{}: there are no providers for {platform} here: run `terraform init`",
            root.display()
        ));
    }
    Ok(binaries)
}

/// Asks providers for their schemas. Of one that does not answer is said why.
pub(super) fn ask(binaries: Vec<VersionedBinary>) -> Result<Answers, CommandError> {
    let (programs, versions): (Vec<_>, Vec<_>) = binaries.into_iter().unzip();
    let answers = provider_schemas(&programs).map_err(unusable)?;
    let (mut texts, mut is_complete) = (Vec::new(), true);
    for ((answer, program), version) in answers.into_iter().zip(&programs).zip(versions) {
        match answer {
            Ok(text) => {
                let provider = ProviderAddress::parse(&program.address());
                texts.push((text, provider.into_iter().zip(version).collect()));
            }
            Err(error) => {
                exit::complain(&error.to_string())?;
                is_complete = false;
            }
        }
    }
    Ok((texts, is_complete))
}

/// The program of a provider in its folder.
fn program(folder: &Path, name: &str) -> Option<PathBuf> {
    let prefix = format!("terraform-provider-{name}");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files.into_iter().next()
}

/// The folders in a folder, also those that are links, as in a shared cache of plugins.
fn folders(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name().into_string());
    let mut names: Vec<String> = names.filter_map(Result::ok).collect();
    names.sort();
    names
}

/// The platform as registries call it: `linux_amd64`.
fn platform() -> String {
    let os = match consts::OS {
        "macos" => "darwin",
        os => os,
    };
    let arch = match consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        arch => arch,
    };
    format!("{os}_{arch}")
}
