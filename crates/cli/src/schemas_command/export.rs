//! `objchange schemas export`.

use std::path::PathBuf;
use std::process::ExitCode;

use objchange_files::write_file::{Access, write_file};
use objchange_project::{CacheEntry, SchemaCache};

use super::{Selector, output};
use crate::exit::{CommandError, unusable};

const AFTER_HELP: &str = "\
The file has the schemas of the provider, and what was learned of it. On another machine `objchange schemas add FILE` \
adds it to the cache, where nobody needs the provider itself.

Example:
  objchange schemas export hashicorp/aws@5.1.0 aws.schemas";

/// Write cached schemas, and what was learned of their provider, to a file
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Which, e.g. `hashicorp/aws@5.1.0`; the newest version if none is given
    #[arg(value_name = "PROVIDER[@VERSION]")]
    provider: Selector,

    /// The file, which should end in `.schemas`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print what was written as JSON (schema/schemas.schema.json)
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, cache: &SchemaCache) -> Result<ExitCode, CommandError> {
    let files = cache.files();
    let file = files.iter().find(|file| args.provider.is_of(file));
    let file = file.ok_or_else(|| {
        unusable(format!(
            "there are no cached schemas of {}: see `objchange schemas list`",
            args.provider.text
        ))
    })?;
    let bytes = file.bytes().map_err(|error| unusable(format!("{}: {error}", file.path.display())))?;
    write_file(&args.file, &bytes, Access::Usual)
        .map_err(|error| unusable(format!("{}: cannot be written: {error}", args.file.display())))?;
    if args.json {
        output::write(cache, &[CacheEntry::read(file)], true)?;
    }
    Ok(ExitCode::SUCCESS)
}
