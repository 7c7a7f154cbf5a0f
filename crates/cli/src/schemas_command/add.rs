//! `objchange schemas add`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use objchange::schema::ProviderSchemas;
use objchange_module::ProviderAddress;
#[cfg(feature = "provider")]
use objchange_project::{AskedSchemas, ProviderProgram};
use objchange_project::{
    CacheEntry, CacheFile, InstalledProviders, SchemaCache, locked_versions, read_locked_versions,
};

use super::output;
use crate::exit::{self, CommandError, FAILED, unusable};
use crate::hints;
use crate::input::Source;
#[cfg(feature = "provider")]
use crate::launch;
use crate::options::MaxInput;
use objchange_project::{SchemaError, SchemaText, schema_files};

const AFTER_HELP: &str = "\
A FILE is the output of `terraform providers schema -json`. It does not contain the versions of its providers. They \
are taken from `.terraform.lock.hcl` beside it, from --lock-file or from --provider-version. A FILE may also be one that \
`objchange schemas export` has written (*.schemas), which has its version.

In a DIR that `terraform init` has prepared, the providers in `.terraform/providers` are started and asked for their \
schemas. They are not configured or asked for anything else. Add only directories whose providers you would let \
Terraform start. Any other DIR is a directory of such FILEs.

Examples:
  terraform init && objchange schemas add .
  terraform providers schema -json | objchange schemas add -
  objchange schemas add schemas.json --provider-version hashicorp/aws=5.1.0
  objchange schemas add --provider-binary ./terraform-provider-random_v3.6.0";

/// Add schemas to the cache
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Schemas, directories of them, or directories with installed providers; `-` is standard input
    #[arg(value_name = "FILE|DIR", required_unless_present = "providers")]
    paths: Vec<PathBuf>,

    /// Ask this provider binary for its schemas. Can be repeated
    #[cfg(feature = "provider")]
    #[arg(long, value_name = "BINARY[=ADDRESS]", group = "providers")]
    provider_binary: Vec<ProviderProgram>,

    /// The version of a provider, e.g. `hashicorp/aws=5.1.0`. Can be repeated
    #[arg(long, value_name = "ADDRESS=VERSION")]
    provider_version: Vec<ProviderVersion>,

    /// The lock file with the versions of the providers [default: `.terraform.lock.hcl` beside the schemas]
    #[arg(long, value_name = "FILE")]
    lock_file: Option<PathBuf>,

    /// Print what was added as JSON (schema/schemas.schema.json)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    max_input: MaxInput,
}

#[derive(Debug, Clone)]
struct ProviderVersion(ProviderAddress, String);

impl std::str::FromStr for ProviderVersion {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text
            .rsplit_once('=')
            // Schemas are found by the versions in lock files, which lack the `v` of a tag.
            .filter(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()))
            .and_then(|(address, version)| Some(Self(ProviderAddress::parse(address)?, version.to_owned())));
        parsed.ok_or("expected a provider and its version, such as hashicorp/aws=5.1.0")
    }
}

type Versions = BTreeMap<ProviderAddress, String>;

/// Schemas to add, with the versions of their providers, if a lock file has them.
struct Addition {
    text: SchemaText,
    versions: Versions,
}

pub(super) fn run(args: &Args, cache: &SchemaCache) -> Result<ExitCode, CommandError> {
    let mut is_complete = true;
    let mut additions = Vec::new();
    let mut entries = Vec::new();
    for path in &args.paths {
        if is_exported(path) {
            let bytes = Source::new(path).bytes_as_allowed(args.max_input.size.0);
            let file = cache.add_file(bytes.map_err(|error| unusable(hints::input(&error)))?);
            let file = file.map_err(|error| unusable(format!("{}: {error}", path.display())))?;
            entries.push(CacheEntry::read(&file));
            continue;
        }
        if InstalledProviders::are_in(path) {
            is_complete &= installed(path, &mut additions)?;
        } else {
            additions.extend(documents(path, args)?);
        }
    }
    #[cfg(feature = "provider")]
    if !args.provider_binary.is_empty() {
        let asked = AskedSchemas::of_programs(&args.provider_binary, &launch::workplace);
        is_complete &= asked_schemas(asked.map_err(unusable)?, &mut additions)?;
    }
    let explicit: Versions = args
        .provider_version
        .iter()
        .map(|ProviderVersion(address, version)| (address.clone(), version.clone()))
        .collect();
    for Addition { text: SchemaText { name, text }, versions } in additions {
        let schemas = ProviderSchemas::parse(text)
            .map_err(|error| unusable(SchemaError::Document { name: name.clone(), error }))?;
        for provider in schemas.providers() {
            let version = |address: &_| explicit.get(address).or_else(|| versions.get(address)).cloned();
            match cache.add(&schemas, provider, &name, version) {
                Ok(None) => {}
                Ok(Some(file)) => {
                    note_unknown_version(&file);
                    entries.push(CacheEntry::read(&file));
                }
                Err(error) => {
                    exit::complain(&format!("{name}: {provider}: {error}"))?;
                    is_complete = false;
                }
            }
        }
    }
    output::write(cache, &entries, args.json)?;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Whether a file is one that `objchange schemas export` has written.
fn is_exported(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "schemas") && path.is_file()
}

/// Says how to give the version of schemas, if it is unknown.
fn note_unknown_version(file: &CacheFile) {
    if file.version.is_none() {
        let provider = file.provider.for_display();
        exit::note(&format!(
            "the version of the schemas of {provider} is unknown; give it with --provider-version"
        ));
    }
}

/// A document, or the documents of a directory.
fn documents(path: &Path, args: &Args) -> Result<Vec<Addition>, CommandError> {
    let directory = if path.is_dir() { Some(path) } else { path.parent() };
    let directory = directory.filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The output of `terraform providers schema -json` does not say the versions (checked with 1.11.4).
    let versions = match &args.lock_file {
        Some(file) => read_locked_versions(file).map_err(unusable)?,
        None => exit::noted(locked_versions(directory)),
    };
    let mut additions = Vec::new();
    for source in schema_files(path).map_err(unusable)? {
        let text =
            source.read_as_allowed(args.max_input.size.0).map_err(|error| unusable(hints::input(&error)))?;
        let name = if source == Source::Stdin { "standard input".to_owned() } else { source.to_string() };
        additions.push(Addition { text: SchemaText { name, text }, versions: versions.clone() });
    }
    Ok(additions)
}

/// Adds the schemas of providers that were asked. Returns whether all have answered.
#[cfg(feature = "provider")]
fn asked_schemas(asked: AskedSchemas, additions: &mut Vec<Addition>) -> std::io::Result<bool> {
    additions.extend(asked.texts.into_iter().map(|(text, versions)| Addition { text, versions }));
    asked.errors.iter().try_for_each(|error| exit::complain(&error.to_string()))?;
    Ok(asked.errors.is_empty())
}

#[cfg(feature = "provider")]
fn installed(directory: &Path, additions: &mut Vec<Addition>) -> Result<bool, CommandError> {
    let asked = AskedSchemas::of_directory(directory, &launch::workplace).map_err(unusable)?;
    Ok(asked_schemas(asked, additions)?)
}

#[cfg(not(feature = "provider"))]
fn installed(directory: &Path, _: &mut Vec<Addition>) -> Result<bool, CommandError> {
    let directory = directory.display();
    Err(unusable(format!("{directory}: this build cannot start providers: build with `--features full`")))
}
