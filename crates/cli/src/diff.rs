//! `objchange diff`: compares two plans.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use objchange_document::Schemas;
use objchange_plan::compare::{AddressMap, CompareOptions, OriginDifferences, StateVersion};
use objchange_plan::{Comparison, compare_complaint};
use objchange_text::{Escaping, visible};
use serde_json::json;

use crate::exit::{self, CommandError, FAILED, unusable};
use crate::hints;
use crate::input::Source;
use crate::module_plan::{DirectoryArgs, ForModules, PlanInputs, judged, read_plan_file};
use crate::options::{MaskArgs, MaxInput};
use crate::schemas::{SchemaArgs, missing_schemas};
use crate::show::{IgnoreArgs, MarkdownArgs, need_format};
use crate::style::colour;

const AFTER_HELP: &str = "\
A value that is unknown in A and known in B is expected. Every other difference is a surprise. Sensitive values are \
compared and never shown.

Exit codes:
  0  both plans do the same; with --allow-expected also if all differences are expected; the plan is not stale
  1  they differ, or the plan is stale
  2  the input cannot be used, or the output cannot be written

Examples:
  objchange diff approved.json now.json --schemas schemas.json
  objchange diff pull-request.json merged.json --allow-expected
  objchange diff staging.json prod.json --map module.staging=module.prod --ignore tags.Environment
  objchange diff A.json B.json --format markdown --marker diff > comment.md
  objchange diff A.json B.json --json
  objchange diff tfplan --state terraform.tfstate";

/// Compare what two plans do
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The first plan: a plan file of `terraform plan -out`, the output of `terraform show -json PLANFILE`, or the directory of
    /// a module to plan; `-` is standard input
    a: PathBuf,

    /// The second plan. Without it, --state FILE says whether the plan file is stale, and which objects have changed since
    b: Option<PathBuf>,

    // Only schemas tell which arrays are sets.
    #[command(flatten)]
    schemas: SchemaArgs,

    /// Print JSON (schema/comparison.schema.json)
    #[arg(long)]
    json: bool,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json")]
    format: Format,

    /// Exit with 0 if only values that were unknown in A differ
    #[arg(long)]
    allow_expected: bool,

    /// A module or resource of A that has another address in B, e.g. `module.staging=module.prod`. Can be
    /// repeated; the first that matches is used
    #[arg(long, value_name = "ADDRESS=ADDRESS")]
    map: Vec<AddressMap>,

    #[command(flatten)]
    ignore: IgnoreArgs,

    #[command(flatten)]
    mask: MaskArgs,

    #[command(flatten)]
    max_input: MaxInput,

    #[command(flatten)]
    module: ForModules<DirectoryArgs>,

    // Last, because its heading would apply to all options after it.
    #[command(flatten)]
    markdown: MarkdownArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text, with signs in the first column
    Text,
    /// A comment for a pull request
    Markdown,
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> &MaskArgs {
        &self.mask
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let for_markdown = [args.markdown.given_for_pages(), args.markdown.given_for_markdown()].concat();
    if !for_markdown.is_empty() && args.format != Format::Markdown {
        return Err(need_format(&for_markdown, "markdown").into());
    }
    let Some(b) = &args.b else { return stale(args) };
    let module = args.module.used_for(&[args.a.clone(), b.clone()])?;
    let given = [&args.a, b].map(|path| Source::new(path));
    let stdins = given.into_iter().chain(args.schemas.sources()).filter(|source| *source == Source::Stdin);
    if stdins.count() > 1 {
        return Err("standard input (-) can be read only once".into());
    }
    let given = args.schemas.load(args.max_input.size).map_err(|error| unusable(hints::schemas(&error)))?;
    let is_given = given.is_given();
    let inputs = PlanInputs {
        mask: &args.mask,
        must_be_whole: true,
        max_input: args.max_input.size,
        ..module.inputs(&args.schemas)
    };
    let plan_files = inputs.plan_files(&given);
    let read = |path| read_plan_file(path, &inputs, &plan_files);
    let files = [read(&args.a)?, read(b)?];
    // Values that depend on missing input are unknown, so two such plans would look alike whatever they do.
    if let Some(file) = files.iter().find(|file| !file.facts().missing.is_empty()) {
        let message = "planned without all of its input, so it cannot be compared";
        return Err(unusable(format!("{}: {message}", file.name())));
    }
    // Looking for what is missing reads the planned values, so both are looked at side by side.
    thread::scope(|scope| {
        scope.spawn(|| files[1].facts());
        files[0].facts();
    });
    let plans = [judged(&files[0])?, judged(&files[1])?];
    let providers: BTreeSet<&str> = plans.iter().flat_map(|plan| plan.changes.providers()).collect();
    let (schemas, schemas_name) = args.schemas.with_cached(given, providers);
    let names = [files[0].name(), files[1].name()];
    let options = CompareOptions { maps: args.map.clone(), ignored: args.ignore.ignore.clone() };
    let compared = Comparison::new(plans[0], plans[1], &schemas, &options);
    let mut comparison =
        compared.map_err(|error| unusable(compare_complaint(error, names, &schemas_name)))?;
    let origins = files[0].origin().zip(files[1].origin());
    comparison.origins = origins.map(|(a, b)| OriginDifferences::between(a, b));
    write(args, &comparison, names)?;
    warn(&comparison, &schemas, is_given);
    let is_accepted = comparison.is_same() || args.allow_expected && comparison.is_as_expected();
    Ok(if is_accepted { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Says whether the plan file was made from this state.
#[cfg(feature = "plan-file")]
fn stale(args: &Args) -> Result<ExitCode, CommandError> {
    use objchange_project::{StalenessOutcome, StateChoice, staleness};

    let StateChoice::File(state) = args.module.used_for_option("state")?.state() else {
        return Err(ONE_PLAN.into());
    };
    let without_effect = [
        ("--map", !args.map.is_empty()),
        ("--ignore", !args.ignore.ignore.is_empty()),
        ("--mask", !args.mask.names().is_empty()),
        ("--allow-expected", args.allow_expected),
        ("--format", args.format != Format::Text),
        ("--schemas", args.schemas.sources().next().is_some()),
    ];
    if let Some((option, _)) = without_effect.iter().find(|(_, is_given)| *is_given) {
        return Err(unusable(format!("{option} has no effect without a second plan")));
    }
    let (plan, state) = (Source::new(&args.a), Source::new(state));
    if plan == Source::Stdin && state == Source::Stdin {
        return Err("standard input (-) can be read only once".into());
    }
    let found = exit::noted(staleness(&plan, &state, args.max_input.size))
        .map_err(|error| unusable(crate::hints::plan_input(&error)))?;
    let outcome = found.outcome();
    let mut out = crate::terminal::stdout();
    if args.json {
        let version = |version: &StateVersion| json!({"lineage": version.lineage, "serial": version.serial});
        let changed = found.changed.iter().map(|object| {
            json!({"address": object.address, "deposed": object.deposed, "change": object.change.as_str()})
        });
        let report = json!({
            "format_version": "1.0",
            "outcome": outcome.as_str(),
            "planned": version(&found.planned),
            "now": version(&found.now),
            "changed": changed.collect::<Vec<_>>(),
        });
        writeln!(out, "{report}")?;
    } else {
        let (planned, now) = (found.planned.serial, found.now.serial);
        match outcome {
            StalenessOutcome::Current => {
                writeln!(out, "The plan is not stale: {state} has serial {now}, as when it was made.")?;
            }
            StalenessOutcome::Stale => writeln!(
                out,
                "The plan is stale: {state} has serial {now}, and the plan was made from serial {planned}. Terraform refuses \
                 to apply it."
            )?,
            StalenessOutcome::OtherLineage => writeln!(
                out,
                "The plan is for another state: {state} has the lineage {}, and the plan was made from {}. Terraform refuses to \
                 apply it.",
                visible(&found.now.lineage),
                visible(&found.planned.lineage)
            )?,
        }
        if !found.changed.is_empty() {
            writeln!(out, "\nChanged since ({})", found.changed.len())?;
        }
        for object in &found.changed {
            let deposed = object.deposed.iter().map(|key| format!(" (deposed object {})", visible(key)));
            writeln!(
                out,
                "  {}{}: {}",
                visible(&object.address),
                deposed.collect::<String>(),
                object.change.as_str()
            )?;
        }
    }
    out.flush()?;
    Ok(if outcome == StalenessOutcome::Current { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

#[cfg(not(feature = "plan-file"))]
fn stale(_: &Args) -> Result<ExitCode, CommandError> {
    Err(ONE_PLAN.into())
}

const ONE_PLAN: &str = "name a second plan; or --state FILE, to see whether a plan file is stale";

fn write(args: &Args, comparison: &Comparison<'_>, names: [&str; 2]) -> io::Result<()> {
    let stdout = io::stdout();
    let (colour, is_terminal) = (colour(&stdout), stdout.is_terminal());
    // Sequences in the input are escaped already, so there is nothing to strip.
    let stream = AutoStream::new(stdout, ColorChoice::Always).lock();
    let mut out = Escaping::new(BufWriter::with_capacity(1 << 16, stream), is_terminal);
    match args.format {
        _ if args.json => comparison.write_json(&mut out, names)?,
        Format::Text => comparison.write_text(&mut out, colour, names)?,
        Format::Markdown => comparison.write_markdown(&mut out, &args.markdown.options(), names)?,
    }
    out.flush()
}

/// Warns of options without effect, and of missing schemas.
fn warn(comparison: &Comparison<'_>, schemas: &Schemas, is_given: bool) {
    for option in &comparison.unmatched {
        exit::note(&format!("--{option} matches nothing here"));
    }
    if comparison.is_same() {
        return;
    }
    let cost = "the elements of sets are compared in order, and values that only a schema marks as sensitive are \
         shown";
    if let Some(warning) = missing_schemas(schemas, is_given, cost) {
        exit::warn(&warning);
    }
}
