//! `objchange plan DIR DIR`: a line for each plan.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use objchange_document::{Missing, NoState, Schemas};
use objchange_hcl::Severity;
use objchange_module::Diagnostics;
use objchange_module::config::Config;
use objchange_plan::Report;
use objchange_plan::report::{Counts, Selection, Verdict};
use objchange_project::{
    PlanError, PlanSettings, PlannedDirectory, RefusedPlan, SharedReads, named_directories, plan_directory,
    pool, root_modules,
};
use objchange_text::{Noted, Notice, counted, padded, visible, visible_json};
use serde_json::{Value as Json, json};

use super::{Args, output};
use crate::exit::{self, CommandError, FAILED, unusable};
use crate::hints;
use crate::show::CHANGES;
use crate::terminal;

/// The result for one directory.
struct Row {
    directory: String,
    /// The totals and the verdict; `None` without a plan.
    planned: Option<Planned>,
    /// The errors of the configuration, each with its place.
    errors: Vec<String>,
    /// Why nothing can be planned.
    problem: Option<String>,
}

struct Planned {
    total: String,
    counts: Counts,
    missing: Vec<Missing>,
    verdict: Verdict,
    /// The state was not read: which objects change is not known.
    is_configuration: bool,
}

/// The outcomes, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Unchanged,
    /// The state was not read, so that only the configuration is known.
    Configured,
    Changed,
    Refused,
    Error,
    Unusable,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    refuse_options(args)?;
    let named = named_directories(&args.directories).map_err(unusable)?;
    let directories = if args.all { root_modules(&named).map_err(unusable)? } else { named };
    let inputs = args.inputs();
    let mut out = terminal::stdout();
    let names = directories.iter().map(|directory| directory.display().to_string().chars().count());
    let width = names.max().unwrap_or_default();
    let mut worst = Outcome::Unchanged;
    let mut counts = [0_usize; 4];
    // Modules and schemas that several directories use are read once.
    let shared = SharedReads::default();
    let work = |directory: &PathBuf| {
        // Directories are planned side by side. Notices wait for their row, so that those of one directory stay
        // together.
        let Noted { answer, notices } =
            plan_directory(directory, &PlanSettings { shared: Some(&shared), ..inputs.settings() });
        row(args, directory, answer).map(|row| (row, notices))
    };
    pool::each(&directories, work, |row| {
        let (row, notices) = row?;
        for notice in notices {
            exit::remark(within(&row.directory, notice));
        }
        let outcome = row.outcome();
        worst = worst.max(outcome);
        counts[match outcome {
            Outcome::Unchanged => 0,
            Outcome::Changed => 1,
            Outcome::Configured => 2,
            _ => 3,
        }] += 1;
        if args.json {
            writeln!(out, "{}", visible_json(&row.json().to_string()))?;
        } else {
            let directory = padded(&row.directory, width);
            writeln!(out, "{}  {}", visible(&directory), visible(&row.sentence()))?;
        }
        Ok::<_, CommandError>(())
    })?;
    out.flush()?;
    let [unchanged, changed, configured, failed] = counts;
    let directories = counted(directories.len(), "module");
    let configured = match configured {
        0 => String::new(),
        count => format!("{count} without their state, "),
    };
    exit::note(&format!(
        "{directories}: {changed} with changes, {unchanged} without, {configured}{failed} refused or with errors"
    ));
    Ok(match worst {
        Outcome::Unusable => exit::unusable_code(),
        Outcome::Error | Outcome::Refused => ExitCode::from(FAILED),
        Outcome::Changed if args.has_detailed_exitcode() => ExitCode::from(CHANGES),
        Outcome::Changed | Outcome::Configured | Outcome::Unchanged => ExitCode::SUCCESS,
    })
}

/// A notice with the directory that it is about.
fn within(directory: &str, notice: Notice) -> Notice {
    let place = |message: String| format!("{directory}: {message}");
    match notice {
        Notice::Error(message) => Notice::Error(place(message)),
        Notice::Note(message) => Notice::Note(place(message)),
        Notice::Warning(message) => Notice::Warning(place(message)),
    }
}

/// Refuses options that are about one plan.
fn refuse_options(args: &Args) -> Result<(), CommandError> {
    #[cfg(feature = "provider")]
    let has_real = args.real.choice().all || !args.real.choice().providers.is_empty();
    #[cfg(not(feature = "provider"))]
    let has_real = false;
    let options = [
        ("--out", args.out.is_some()),
        ("--state", args.state.has_file()),
        ("--real-providers or --real-provider", has_real),
        ("--explain", args.explain.is_some()),
        ("--answers-template", args.answers_template),
        ("--missing", args.missing),
        ("--summary", args.summary),
        ("--full", args.full),
        ("--module-source", args.planning.has_module_source()),
        ("--target or --replace", args.planning.selects_resources()),
        ("options that select resources", args.places.selection() != Selection::default()),
    ];
    match options.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            Err(unusable(format!("{option} cannot be used with several directories, or with --all")))
        }
        None => Ok(()),
    }
}

fn row(
    args: &Args,
    directory: &Path,
    planned: Result<PlannedDirectory, PlanError>,
) -> Result<Row, CommandError> {
    let mut row =
        Row { directory: directory.display().to_string(), planned: None, errors: Vec::new(), problem: None };
    let planned = match planned {
        Ok(planned) => planned,
        Err(PlanError::Interrupted) => return Err(CommandError::Interrupted),
        Err(PlanError::Refused(refused)) => {
            let RefusedPlan { config, diagnostics, .. } = *refused;
            row.errors = errors(&config, &diagnostics);
            return Ok(row);
        }
        Err(error) => {
            row.problem = Some(match hints::plan(&error) {
                CommandError::Unusable(reason) => reason,
                _ => error.to_string(),
            });
            return Ok(row);
        }
    };
    row.errors = errors(&planned.config, &planned.plan.diagnostics);
    if !planned.has_plan() {
        return Ok(row);
    }
    let changes = planned.changes();
    let (schemas, options) = (Schemas::none(), output::report_options(args, &planned.options));
    let filter = Selection::default().filter();
    let mut report = Report::of_changes(&changes, &schemas, &options, &filter).map_err(unusable)?;
    report.no_state = planned.no_state;
    row.planned = Some(Planned {
        total: report.total(),
        counts: report.counts,
        missing: planned.plan.missing.clone(),
        verdict: output::judge(args, &planned, &changes, &report),
        is_configuration: planned.no_state == Some(NoState::Unread),
    });
    Ok(row)
}

/// Each error with its place.
fn errors(config: &Config, found: &Diagnostics) -> Vec<String> {
    let places = config.sources.places();
    let errors =
        found.iter().map(|found| &found.diagnostic).filter(|found| found.severity == Severity::Error);
    let sentence = |error: &objchange_hcl::Diagnostic| {
        let place = error.subject.map(|subject| places.describe(subject)).unwrap_or_default();
        if place.is_empty() { error.summary.to_string() } else { format!("{place}: {}", error.summary) }
    };
    errors.map(sentence).collect()
}

impl Row {
    fn outcome(&self) -> Outcome {
        let Self { planned, errors, problem, .. } = self;
        match planned {
            _ if problem.is_some() => Outcome::Unusable,
            Some(Planned { verdict, is_configuration, .. }) if errors.is_empty() => match verdict {
                verdict if !verdict.refused.is_empty() => Outcome::Refused,
                _ if *is_configuration => Outcome::Configured,
                verdict if verdict.changes => Outcome::Changed,
                _ => Outcome::Unchanged,
            },
            _ => Outcome::Error,
        }
    }

    fn sentence(&self) -> String {
        let mut parts = Vec::new();
        if let Some(problem) = &self.problem {
            parts.push(format!("error: {}", problem.lines().next().unwrap_or_default()));
        }
        if let [first, others @ ..] = &self.errors[..] {
            let more =
                if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
            parts.push(format!("error: {first}{more}"));
        }
        if let Some(Planned { total, missing, verdict, .. }) = &self.planned {
            parts.push(total.clone());
            if !verdict.refused.is_empty() {
                parts.push(format!("refused: {}", verdict.refused.join(", ")));
            } else if !missing.is_empty() {
                let missing: Vec<String> = missing.iter().map(Missing::to_string).collect();
                parts.push(format!("without all of its input: {}", missing.join(", ")));
            }
        }
        parts.join("; ")
    }

    fn json(&self) -> Json {
        let outcome = match self.outcome() {
            Outcome::Unchanged => "unchanged",
            Outcome::Changed => "changed",
            Outcome::Configured => "configured",
            Outcome::Refused => "refused",
            Outcome::Error => "error",
            Outcome::Unusable => "unusable",
        };
        let mut line = json!({"format_version": "1.0", "directory": self.directory, "outcome": outcome});
        if !self.errors.is_empty() {
            line["errors"] = json!(self.errors);
        }
        if let Some(problem) = &self.problem {
            line["problem"] = json!(problem);
        }
        if let Some(Planned { counts, missing, verdict, .. }) = &self.planned {
            line["counts"] = json!(counts);
            if !missing.is_empty() {
                line["missing"] = json!(missing);
            }
            if !verdict.refused.is_empty() {
                line["refused"] = json!(verdict.refused);
            }
        }
        line
    }
}
