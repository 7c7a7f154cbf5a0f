//! `objchange hash`: a hash of what a plan will do.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use objchange_document::{Plan, Schemas};
use objchange_plan::compare::{HashKey, HashedPlan};
use objchange_plan::{IgnoredPath, PlanHash, compare_complaint};
use objchange_text::read_at_most;

use crate::exit::{self, CommandError, FAILED, unusable};
use crate::hints;
use crate::hints::HOW_TO_GET_SCHEMAS;
use crate::input::Source;
use crate::module_plan::{DirectoryArgs, ForModules, PlanInputs, judged, read_plan_file};
use crate::options::{MaskArgs, MaxInput};
use crate::schemas::SchemaArgs;
use crate::show::{IgnoreArgs, unmatched_ignores};
use crate::terminal;

const AFTER_HELP: &str = "\
Plans without differences, as `objchange diff` compares them, have the same hash. Plans that differ have different \
hashes. Without --key sensitive values are left out, and a note says so: plans that differ only in those then have the \
same hash.

Exit codes:
  0  the hash is printed; with --verify, the plan has this hash
  1  with --verify: the plan has another hash
  2  the input cannot be used, the plan has no hash, or the output cannot be written

Examples:
  objchange hash tfplan
  terraform show -json tfplan | objchange hash -
  objchange hash plan.json --schemas schemas.json --key key.txt > approved.txt
  objchange hash plan.json --schemas schemas.json --key key.txt --verify \"$(cat approved.txt)\"";

/// Print a hash of what a plan will do, or verify one
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A plan file of `terraform plan -out`, the output of `terraform show -json PLANFILE`, or the directory of a module to
    /// plan; `-` is standard input
    plan: PathBuf,

    // Only schemas tell which arrays are sets.
    #[command(flatten)]
    schemas: SchemaArgs,

    /// Exit with 0 if the plan has this hash, and with 1 if it has another one
    #[arg(long, value_name = "HASH")]
    verify: Option<PlanHash>,

    /// Include sensitive values, with a keyed hash (HMAC). The file holds the key: at least 16 bytes
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    #[command(flatten)]
    ignore: IgnoreArgs,

    #[command(flatten)]
    mask: MaskArgs,

    /// Print JSON (schema/hash.schema.json)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    max_input: MaxInput,

    #[command(flatten)]
    module: ForModules<DirectoryArgs>,
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        &self.mask
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let plan_source = Source::new(&args.plan);
    let key_source = args.key.as_deref().map(Source::new);
    let sources = args.schemas.sources().chain(key_source).chain([plan_source]);
    if sources.filter(|source| *source == Source::Stdin).count() > 1 {
        return Err("standard input (-) can be read only once".into());
    }
    let module = args.module.used_for(slice::from_ref(&args.plan))?;
    let key = args.key.as_deref().map(read_key).transpose()?;
    check_key(args, key.is_some())?;
    if args.verify.is_some_and(|wanted| !wanted.form().ignores(&args.ignore.ignore)) {
        return Err("the hash was made with other ignored paths: verify it with the same --ignore".into());
    }
    let given = args.schemas.load(args.max_input.size).map_err(|error| unusable(hints::schemas(&error)))?;
    let inputs = PlanInputs {
        mask: &args.mask,
        must_be_whole: true,
        max_input: args.max_input.size,
        ..module.inputs(&args.schemas)
    };
    let file = read_plan_file(&args.plan, &inputs, &inputs.plan_files(&given))?;
    let plan = judged(&file)?;
    // Values that depend on missing input may turn out as anything, so a matching hash would promise too much.
    if args.verify.is_some() && !plan.missing().is_empty() {
        let message = "planned without all of its input, so nothing is verified";
        return Err(unusable(format!("{}: {message}", file.name())));
    }
    let (schemas, schemas_name) = args.schemas.with_cached(given, plan.changes.providers());
    let hashed = |schemas: &Schemas| {
        hash(plan, schemas, key.as_ref(), &args.ignore.ignore, [file.name(), &schemas_name])
    };
    let mut found = hashed(&schemas)?;
    let lacks_schemas = schemas.is_none() || !schemas.missing().is_empty();
    if let Some(wanted) = args.verify {
        match (wanted.form().has_sets, found.hash.form().has_sets) {
            (true, false) if lacks_schemas => {
                return Err(unusable(format!(
                    "the hash was made with schemas, which are missing here: {HOW_TO_GET_SCHEMAS}"
                )));
            }
            // The wanted hash was made without schemas, so this one must take the elements of sets in order as well.
            (false, true) => found = hashed(&Schemas::none())?,
            _ => {}
        }
    }
    let notes = unmatched_ignores(&args.ignore.ignore, [(&plan.changes, &schemas)]);
    notes.iter().for_each(|note| exit::note(note));
    let verified = args.verify.map(|wanted| wanted == found.hash);
    print(args, &found, verified)?;
    if found.secrets > 0 && key.is_none() {
        let values = if found.secrets == 1 { "value is" } else { "values are" };
        exit::note(&format!(
            "{} sensitive {values} left out of the hash; include them with --key FILE",
            found.secrets
        ));
    }
    if lacks_schemas && args.verify.is_none() {
        exit::note("without schemas the hash depends on the order of elements in sets; pass --schemas");
    }
    Ok(if verified == Some(false) { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

fn hash(
    plan: &Plan<'_>,
    schemas: &Schemas,
    key: Option<&HashKey>,
    ignored: &[IgnoredPath],
    [name, schemas_name]: [&str; 2],
) -> Result<HashedPlan, CommandError> {
    let hashed = HashedPlan::new(&plan.changes, schemas, key, ignored);
    hashed.map_err(|error| unusable(compare_complaint(error, [name, name], schemas_name)))
}

/// Refuses to verify a hash with a key that it was made without, or without the key that it was made with.
fn check_key(args: &Args, has_key: bool) -> Result<(), CommandError> {
    match args.verify.map(|wanted| wanted.form().has_key) {
        Some(true) if !has_key => Err("the hash was made with a key: pass it with --key FILE".into()),
        Some(false) if has_key => Err(
            "the hash was made without a key and does not cover sensitive values: verify it without --key"
                .into(),
        ),
        _ => Ok(()),
    }
}

/// The maximum length of a key, in bytes.
const MAX_KEY: u64 = 1 << 16;

/// Reads the key in a file.
pub(crate) fn read_key(path: &Path) -> Result<HashKey, CommandError> {
    let source = Source::new(path);
    let bytes = source
        .open()
        // One byte more than allowed tells a key of exactly this length from a longer one.
        .and_then(|reader| read_at_most(reader, MAX_KEY + 1))
        .map_err(|error| unusable(source.unreadable(error)))?;
    if bytes.len() as u64 > MAX_KEY {
        return Err(unusable(format!("{source}: a key has at most {MAX_KEY} bytes")));
    }
    HashKey::new(&bytes).map_err(|error| unusable(format!("{source}: {error}")))
}

fn print(args: &Args, found: &HashedPlan, verified: Option<bool>) -> Result<(), CommandError> {
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer(&mut out, &found.document(verified, &args.ignore.ignore))
            .map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        match verified {
            None => writeln!(out, "{}", found.hash)?,
            Some(true) => writeln!(out, "The hash matches.")?,
            Some(false) => writeln!(out, "The hash does not match: the plan's hash is {}", found.hash)?,
        }
    }
    Ok(out.flush()?)
}
