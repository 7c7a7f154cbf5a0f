//! The providers that `terraform init` has installed in a directory: found, started and asked for their schemas.

use std::collections::BTreeMap;
use std::path::Path;

use objchange_module::ProviderAddress;

use crate::exit::{self, CommandError, unusable};
use crate::provider::launch;
use objchange_project::{
    InstalledError, InstalledProgram, InstalledProviders, ProviderProgram, SchemaText, provider_schemas,
};

/// A provider's program, and its version where that is known.
type VersionedBinary = (ProviderProgram, Option<String>);

/// The documents of providers, with the version of each; and whether all have answered.
type Answers = (Vec<(SchemaText, BTreeMap<ProviderAddress, String>)>, bool);

/// The programs that are installed in a directory. Of a provider in the lock file only the locked version counts.
pub(super) fn find(directory: &Path) -> Result<Vec<VersionedBinary>, InstalledError> {
    let installed = InstalledProviders::open(directory)?.all()?;
    let binaries = installed.into_iter().map(|InstalledProgram { provider, version, program }| {
        (ProviderProgram::new(program, &provider.to_string()), Some(version))
    });
    Ok(binaries.collect())
}

/// Asks providers for their schemas. Of one that does not answer is said why.
pub(super) fn ask(binaries: Vec<VersionedBinary>) -> Result<Answers, CommandError> {
    let (programs, versions): (Vec<_>, Vec<_>) = binaries.into_iter().unzip();
    let answers = provider_schemas(&programs, &launch::workplace).map_err(unusable)?;
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
