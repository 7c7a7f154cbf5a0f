//! Prints a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use objchange_document::{ChangeSet, Program, Schemas as ReportSchemas};
use objchange_hcl::OUTSIDE_DIRECTORIES;
use objchange_module::config::Config;
use objchange_module::plan::PlanOptions;
use objchange_module::{DiagnosticPrinter, Diagnostics, Schemas, Unanswered};
use objchange_plan::render::GroupBy;
use objchange_plan::report::{Verdict, changed_places};
use objchange_plan::{Filter, Options, Report};
use objchange_project::PlannedDirectory;
use objchange_text::visible;

use super::Args;
use crate::exit::{self, CommandError, FAILED, unusable};
use crate::hints;
use crate::show::GroupArg;
use crate::style::colour;
use crate::terminal::{self, Escaping};
use crate::write_file::{Access, write_file};

/// Prints diagnostics as `terraform plan` does.
pub(crate) fn diagnostics(config: &Config, schemas: &Schemas, found: &Diagnostics) -> io::Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let mut err = terminal::stderr();
    err.write_all(DiagnosticPrinter::new(config, schemas).text(found).as_bytes())?;
    err.flush()?;
    instances(config, found).iter().for_each(|note| exit::note(note));
    if found.iter().any(|one| one.diagnostic.kind == OUTSIDE_DIRECTORIES) {
        exit::note("--allow-path DIR lets modules and functions read below another directory");
    }
    Ok(())
}

/// The instances of modules in which errors and warnings were found, a line for each place.
fn instances(config: &Config, found: &Diagnostics) -> Vec<String> {
    // As many as fit in a line.
    const NAMED: usize = 5;
    let places = config.sources.places();
    let mut all: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for one in found.iter() {
        let Some(module) = &one.module else { continue };
        let place = one.diagnostic.subject.and_then(|subject| places.find(subject));
        let place =
            place.map_or_else(String::new, |place| format!(" ({}:{})", place.name, place.start().line));
        let modules = all.entry((place, one.diagnostic.summary.to_string())).or_default();
        modules.insert(module.clone());
    }
    let line = |((place, summary), modules): ((String, String), BTreeSet<String>)| {
        let named: Vec<&str> = modules.iter().take(NAMED).map(String::as_str).collect();
        let modules = objchange_text::listed(&named, modules.len());
        visible(&format!("{summary}{place}: found in {modules}")).into_owned()
    };
    all.into_iter().map(line).collect()
}

/// Prints the answers that are missing.
pub(super) fn template(unanswered: &Unanswered) -> Result<ExitCode, CommandError> {
    let mut out = terminal::stdout();
    out.write_all(unanswered.template().as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the plan in the requested form, with its errors and warnings, and decides the exit code.
pub(super) fn plan(args: &Args, planned: &PlannedDirectory) -> Result<ExitCode, CommandError> {
    let PlannedDirectory { plan, config, schemas, .. } = planned;
    let names = args.mask.names();
    let document = || match names.is_empty() {
        true => Ok(planned.document()),
        false => planned.masked(&names).map(|masked| masked.text().to_owned()).map_err(unusable),
    };
    if let Some(path) = &args.out {
        // The plan includes sensitive values.
        write_file(path, document()?, Access::Owner)
            .map_err(|error| unusable(format!("{}: cannot be written: {error}", path.display())))?;
    }
    // An error before planning leaves no changes. `terraform plan` prints only the errors then, too.
    if !planned.has_plan() {
        diagnostics(config, schemas, &plan.diagnostics)?;
        return Ok(ExitCode::from(FAILED));
    }
    let changes = planned.changes().masked(&names);
    let (gate, choice) = (args.gate.gate(), args.places.selection());
    let places = changed_places(&changes);
    if args.gate.is_asked() {
        gate.check(&choice, &places).map_err(|error| unusable(hints::gate(&error)))?;
    }
    say_what_is_missing(planned);
    let verdict = if args.json {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", document()?)?;
        out.flush()?;
        let (schemas, options) = (ReportSchemas::none(), report_options(args, &planned.options));
        let report = Report::of_changes(&changes, &schemas, &options, &choice.filter());
        judge(args, planned, &changes, &report.map_err(unusable)?)
    } else {
        text(args, planned, &changes, &choice.filter())?
    };
    // Below the plan, as `terraform plan` prints them.
    diagnostics(config, schemas, &plan.diagnostics)?;
    say_how_to_fill(planned);
    choice.unmatched(&places).iter().for_each(|option| exit::note(&hints::unmatched(option)));
    let code = args.gate.answer(&verdict, true)?;
    Ok(if plan.diagnostics.has_errors() { ExitCode::from(FAILED) } else { code })
}

pub(super) fn report_options(args: &Args, options: &PlanOptions) -> Options {
    let program = args.program.unwrap_or(Program::Terraform(options.version));
    Options {
        mode: Some(options.mode),
        program: Some(program),
        full: args.full,
        own_format: args.full || args.summary,
        ..Options::default()
    }
}

/// Judges a plan by its report, and refuses changes that only providers or missing inputs decide.
pub(super) fn judge(
    args: &Args,
    planned: &PlannedDirectory,
    changes: &ChangeSet<'_>,
    report: &Report<'_>,
) -> Verdict {
    let gate = args.gate.gate();
    let mut verdict = gate.judge(report);
    gate.refuse_unasked(&mut verdict, &planned.unasked());
    gate.refuse_undecided(&mut verdict, &changes.deferred);
    if args.gate.is_asked() {
        gate.refuse_missing(&mut verdict, &planned.plan.missing);
    }
    verdict
}

fn text(
    args: &Args,
    planned: &PlannedDirectory,
    changes: &ChangeSet<'_>,
    filter: &Filter,
) -> Result<Verdict, CommandError> {
    let stdout = io::stdout();
    let (width, is_terminal) = (terminal::width(&stdout), stdout.is_terminal());
    let mut options = report_options(args, &planned.options);
    options.colour = colour(&stdout);
    options.width = width.unwrap_or(options.width);
    // Changes in memory have their schemas.
    let schemas = ReportSchemas::none();
    let mut report = Report::of_changes(changes, &schemas, &options, filter).map_err(unusable)?;
    report.no_state = planned.no_state;
    report.missing.clone_from(&planned.plan.missing);
    let stream = AutoStream::new(stdout, ColorChoice::Always).lock();
    let mut out = Escaping::new(BufWriter::with_capacity(1 << 16, stream), is_terminal);
    let written = if args.summary {
        let group_by = args.group_by.map_or_else(GroupBy::default, GroupArg::group_by);
        report.write_summary(&mut out, options.colour, group_by)
    } else {
        report.write_headed_text(&mut out, &options)
    };
    match written {
        Ok(()) => out.flush()?,
        Err(objchange_plan::report::ShowError::Write(error)) => return Err(error.into()),
        Err(error) => return Err(unusable(error)),
    }
    Ok(judge(args, planned, changes, &report))
}

/// Names the inputs that the plan was made without, and how to give them.
pub(super) fn say_how_to_fill(planned: &PlannedDirectory) {
    hints::missing(&planned.plan.missing, &planned.variable_files).iter().for_each(|note| exit::note(note));
}

/// Notes that there is no state, that files are not read, or that providers are simulated.
pub(super) fn say_what_is_missing(planned: &PlannedDirectory) {
    let notes =
        [planned.state_note(), planned.unread_state_note(), planned.unread_note(), planned.simulation_note()];
    notes.iter().flatten().for_each(|note| exit::note(note));
}
