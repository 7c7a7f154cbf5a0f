//! `objchange schemas`: keeps the cache of schemas.

mod add;
mod diff;
mod export;
#[cfg(feature = "provider")]
mod learn;
mod output;
#[cfg(feature = "provider")]
mod unsaved;

use std::process::ExitCode;

use objchange_module::ProviderAddress;

use crate::exit::{self, CommandError, FAILED, unusable};
use objchange_project::{CacheEntry, CacheFile, SchemaCache};

const AFTER_HELP: &str = "\
The cache has a compact file with the schemas of each provider and version. Every command that takes --schemas uses \
it for providers whose schemas are not given, and reads only the types that it needs; --no-schema-cache turns this \
off. `objchange plan DIR` uses the version that `.terraform.lock.hcl` in DIR names; other commands use the newest.

The cache is in `objchange/schemas` of the user's cache directory: $XDG_CACHE_HOME, ~/.cache, ~/Library/Caches or \
%LOCALAPPDATA%. OBJCHANGE_CACHE_DIR names another directory instead of `objchange`; if it is empty, there is no cache.

Exit codes:
  0  done
  1  some schemas could not be added, or there is nothing to remove
  2  the input or the cache cannot be used, or the output cannot be written

Examples:
  terraform init && objchange schemas add .
  terraform providers schema -json | objchange schemas add -
  objchange schemas add schemas.json --provider-version hashicorp/aws=5.1.0
  objchange schemas add --provider-binary ./terraform-provider-random_v3.6.0
  objchange schemas learn --provider-binary ./terraform-provider-random_v3.6.0 --hints random.json
  objchange schemas list
  objchange schemas export hashicorp/aws@5.1.0 aws.schemas
  objchange schemas diff hashicorp/aws@5.1.0 hashicorp/aws@5.2.0 environments/prod
  objchange schemas remove hashicorp/aws@5.1.0";

/// Keep provider schemas in a cache for all commands
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Add(add::Args),
    #[cfg(feature = "provider")]
    Learn(learn::Args),
    Export(export::Args),
    Diff(diff::Args),
    List(ListArgs),
    Remove(RemoveArgs),
}

/// List the cached schemas
#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Only these, e.g. `hashicorp/aws` or `hashicorp/aws@5.1.0`
    #[arg(value_name = "PROVIDER[@VERSION]")]
    providers: Vec<Selector>,

    /// Print JSON (schema/schemas.schema.json)
    #[arg(long)]
    json: bool,
}

/// Remove cached schemas
#[derive(Debug, clap::Args)]
struct RemoveArgs {
    /// Which, e.g. `hashicorp/aws` for all versions or `hashicorp/aws@5.1.0`
    #[arg(value_name = "PROVIDER[@VERSION]", required_unless_present = "all")]
    providers: Vec<Selector>,

    /// Remove all
    #[arg(long, conflicts_with = "providers")]
    all: bool,

    /// Print what was removed as JSON (schema/schemas.schema.json)
    #[arg(long)]
    json: bool,
}

/// A provider, and perhaps one version of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Selector {
    text: String,
    provider: ProviderAddress,
    version: Option<String>,
}

impl std::str::FromStr for Selector {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (provider, version) = match text.split_once('@') {
            Some((provider, version)) => (provider, Some(version.to_owned())),
            None => (text, None),
        };
        let provider = ProviderAddress::parse(provider).ok_or("this is not the address of a provider")?;
        Ok(Self { text: text.to_owned(), provider, version })
    }
}

impl Selector {
    fn is_of(&self, file: &CacheFile) -> bool {
        let is_wanted = |version: &str| version == file.version_name();
        self.provider == file.provider && self.version.as_deref().is_none_or(is_wanted)
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let cache = SchemaCache::of_user();
    if let Command::Diff(args) = &args.command {
        // Files can be compared without a cache.
        return diff::run(args, cache.as_ref());
    }
    let cache = cache.ok_or_else(|| {
        unusable(
            "there is no cache of schemas: OBJCHANGE_CACHE_DIR is empty, or the user has no home directory",
        )
    })?;
    match &args.command {
        Command::Add(args) => add::run(args, &cache),
        #[cfg(feature = "provider")]
        Command::Learn(args) => learn::run(args, &cache),
        Command::Export(args) => export::run(args, &cache),
        Command::Diff(args) => diff::run(args, Some(&cache)),
        Command::List(args) => list(args, &cache),
        Command::Remove(args) => remove(args, &cache),
    }
}

fn list(args: &ListArgs, cache: &SchemaCache) -> Result<ExitCode, CommandError> {
    let is_wanted = |file: &CacheFile| {
        args.providers.is_empty() || args.providers.iter().any(|selector| selector.is_of(file))
    };
    let entries: Vec<CacheEntry> =
        cache.files().into_iter().filter(is_wanted).map(|file| CacheEntry::read(&file)).collect();
    if entries.is_empty() && !args.json {
        exit::note(&format!("no schemas are cached in {}", cache.directory.display()));
    }
    output::write(cache, &entries, args.json)?;
    Ok(ExitCode::SUCCESS)
}

fn remove(args: &RemoveArgs, cache: &SchemaCache) -> Result<ExitCode, CommandError> {
    let files = cache.files();
    let mut code = ExitCode::SUCCESS;
    for selector in &args.providers {
        if !files.iter().any(|file| selector.is_of(file)) {
            exit::complain(&format!("there are no cached schemas of {}", selector.text))?;
            code = ExitCode::from(FAILED);
        }
    }
    let mut entries = Vec::new();
    for file in files.iter().filter(|file| args.all || args.providers.iter().any(|one| one.is_of(file))) {
        // Read before the file is removed.
        let entry = CacheEntry::read(file);
        file.remove()
            .map_err(|error| unusable(format!("{}: cannot be removed: {error}", file.path.display())))?;
        entries.push(entry);
    }
    output::write(cache, &entries, args.json)?;
    Ok(code)
}
