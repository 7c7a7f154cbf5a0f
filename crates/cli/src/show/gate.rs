//! What the exit code says of a plan, for those who decide by it.

use std::io;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use objchange_plan::{ChangedResource, Counts, Plan, PlanMode, Report, ResourceActions};
use thiserror::Error;

use super::Error as ShowError;
use super::choose::{Choice, REPLACEMENTS};
use crate::exit::{self, FAILED};

/// What `--detailed-exitcode` answers where something changes, as Terraform does.
const CHANGES: u8 = 2;

/// Which plans are told by the exit code.
#[derive(Debug, Args)]
pub(crate) struct Gate {
    /// Exit with 1 if one of these happens, or if an action is unknown. Separated by commas. An option that matches
    /// nothing, such as a misspelt --only, is an error
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,

    /// Exit with 2 if anything changes, 1 on errors, 0 if nothing changes, as `terraform plan` does
    #[arg(long)]
    detailed_exitcode: bool,

    /// With --fail-on or --detailed-exitcode: accept selections that match nothing
    #[arg(long)]
    allow_unmatched: bool,
}

/// How many changes of a plan depend on providers that were not asked.
pub(crate) struct Unasked {
    pub(crate) updates: usize,
    pub(crate) imports: usize,
    /// Objects that exist.
    pub(crate) objects: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Create,
    Read,
    Update,
    /// Destroyed and not created again; `destroy` is the same.
    #[value(alias = "destroy")]
    Delete,
    /// Destroyed or forgotten, and created again
    Replace,
    /// No longer managed and not destroyed, also where another one is created.
    Forget,
    Move,
    Import,
    /// Deferred to the next plan
    Defer,
    /// An action is invoked
    Invoke,
    /// An output changes
    Output,
    /// A change outside of Terraform, relevant to the plan or not
    Drift,
}

impl FailOn {
    /// The options that keep it out of what is shown, if there are any: then it is never refused.
    fn hidden_by(self, choice: &Choice) -> Option<&'static str> {
        let actions: &[&[ResourceActions]] = match self {
            Self::Create => &[&[ResourceActions::Create]],
            Self::Read => &[&[ResourceActions::Read]],
            Self::Update => &[&[ResourceActions::Update]],
            Self::Delete => &[&[ResourceActions::Delete]],
            Self::Replace => &[&REPLACEMENTS],
            Self::Forget => &[&[ResourceActions::Forget], &REPLACEMENTS],
            Self::Output => return (!choice.filter().is_all()).then_some("options that choose resources"),
            Self::Move | Self::Import | Self::Defer | Self::Invoke | Self::Drift => &[],
        };
        if choice.is_of_drift() && self != Self::Drift {
            return Some("--drift");
        }
        let is_shown = actions.is_empty() || actions.iter().any(|actions| choice.shows_any(actions));
        (!is_shown).then_some("--action")
    }

    fn count(self, counts: &Counts) -> (usize, &'static str) {
        match self {
            Self::Create => (counts.create, "to create"),
            Self::Read => (counts.read, "to read"),
            Self::Update => (counts.update, "to update"),
            Self::Delete => (counts.delete, "to destroy"),
            Self::Replace => (counts.replace, "to replace"),
            Self::Forget => {
                (counts.forget + counts.create_then_forget + counts.forget_then_create, "to forget")
            }
            Self::Move => (counts.r#move, "to move"),
            Self::Import => (counts.import, "to import"),
            Self::Defer => (counts.defer, "left to the next plan"),
            Self::Invoke => (counts.invoke, "to invoke"),
            Self::Output => (counts.outputs, "of outputs to change"),
            Self::Drift => (counts.drift, "changed outside"),
        }
    }
}

/// Why a gate cannot be asked.
#[derive(Debug, Error)]
pub(crate) enum GateError {
    #[error("{0}; --allow-unmatched accepts that")]
    Unmatched(String),
    #[error("--fail-on {what} checks nothing: {option} leaves it out")]
    NeverRefused { what: String, option: &'static str },
}

/// What was found out of a plan until showing it ended.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// What of it is refused.
    refused: Vec<String>,
    changes: bool,
    errored: bool,
}

impl Verdict {
    /// Refuses the plan for this reason, too.
    pub(crate) fn refuse(&mut self, reason: String) {
        self.refused.push(reason);
    }
}

impl Gate {
    /// Whether there is something that it refuses.
    pub(crate) fn has_conditions(&self) -> bool {
        !self.fail_on.is_empty()
    }

    /// The same of a document, and what has instances that are not known.
    pub(crate) fn refuse_simulated(&self, verdict: &mut Verdict, plan: &Plan<'_>) {
        if !plan.is_simulated() {
            return;
        }
        let is_builtin = |provider: &str| provider == "terraform.io/builtin/terraform";
        let resources = plan.changes.resources.iter();
        let simulated = || resources.clone().filter(|resource| !is_builtin(&resource.provider_name));
        let exists = |resource: &&ChangedResource<'_>| {
            resource.change.values.written().is_some_and(|values| values.before.text() != "null")
        };
        let unasked = Unasked {
            updates: simulated()
                .filter(|resource| resource.change.actions == ResourceActions::Update)
                .count(),
            imports: simulated().filter(|resource| resource.change.importing.is_some()).count(),
            objects: simulated().filter(exists).count(),
        };
        self.refuse_unasked(verdict, &unasked);
        let undecided = plan.changes.deferred.iter().filter(|deferred| deferred.waits_for_provider());
        self.refuse_undecided(verdict, undecided.count());
    }

    /// Refuses resources of which nobody knows what happens to them.
    pub(crate) fn refuse_undecided(&self, verdict: &mut Verdict, undecided: usize) {
        if self.has_conditions() && undecided > 0 {
            verdict.refuse(format!("{undecided} that only the providers can decide about"));
        }
    }

    /// Refuses what only the providers could say, where they were not asked: which updates are replacements, what is done with
    /// imported objects, and drift.
    pub(crate) fn refuse_unasked(&self, verdict: &mut Verdict, unasked: &Unasked) {
        let Unasked { updates, imports, objects } = unasked;
        let has = |wanted: &FailOn| self.fail_on.contains(wanted);
        if *imports > 0 && (has(&FailOn::Update) || has(&FailOn::Replace)) {
            verdict.refuse(format!("{imports} to import, of which the providers may update or replace some"));
        }
        if *updates > 0 && has(&FailOn::Replace) {
            verdict.refuse(format!("{updates} to update, of which the providers may replace some"));
        }
        if *objects > 0 && has(&FailOn::Drift) {
            verdict.refuse(format!("{objects} whose drift only the providers know"));
        }
    }

    /// Whether anything is to be told.
    pub(crate) fn is_asked(&self) -> bool {
        self.detailed_exitcode || !self.fail_on.is_empty()
    }

    /// Whether exit codes are those of `--detailed-exitcode`.
    pub(crate) fn is_detailed(&self) -> bool {
        self.detailed_exitcode
    }

    /// Refuses what can never be refused, and options that match nothing: the answer would be that all is well.
    pub(crate) fn check(&self, choice: &Choice, places: &[(&str, &str)]) -> Result<(), GateError> {
        for refused in &self.fail_on {
            if let Some(option) = refused.hidden_by(choice) {
                let name = refused.to_possible_value().map(|value| value.get_name().to_owned());
                return Err(GateError::NeverRefused { what: name.unwrap_or_default(), option });
            }
        }
        let unmatched = if self.allow_unmatched { Vec::new() } else { choice.unmatched(places) };
        if unmatched.is_empty() { Ok(()) } else { Err(GateError::Unmatched(unmatched.join("; "))) }
    }

    pub(crate) fn judge(&self, report: &Report<'_>) -> Verdict {
        let counts = &report.counts;
        let mut refused = Vec::new();
        if !self.fail_on.is_empty() {
            let found = self.fail_on.iter().map(|refused| refused.count(counts));
            let unknown = [(counts.unknown, "with unknown actions")];
            let found = found.chain(unknown).filter(|(count, _)| *count > 0);
            refused.extend(found.map(|(count, what)| format!("{count} {what}")));
            if report.errored {
                refused.push("planning ended with an error".to_owned());
            }
        }
        // The program that wrote the plan knows what is to be applied.
        let is_applied = report.applyable.filter(|_| !report.of_selection);
        let has_changes = counts.is_change() || report.mode == PlanMode::RefreshOnly && counts.drift > 0;
        Verdict { refused, changes: is_applied.unwrap_or(has_changes), errored: report.errored }
    }

    /// The exit code, after saying what went wrong and what is refused.
    pub(super) fn code(&self, verdict: &Verdict, shown: Result<(), ShowError>) -> io::Result<ExitCode> {
        let is_refused = !verdict.refused.is_empty();
        let is_shown = match shown {
            Ok(()) => true,
            Err(ShowError::Write(error)) if !is_refused => return Err(error),
            // Whoever has stopped reading is told what is refused all the same.
            Err(ShowError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => false,
            Err(error) => {
                exit::complain(&error.to_string())?;
                false
            }
        };
        self.answer(verdict, is_shown)
    }

    /// The exit code of what was shown or not, after saying what is refused.
    pub(crate) fn answer(&self, verdict: &Verdict, is_shown: bool) -> io::Result<ExitCode> {
        if !verdict.refused.is_empty() {
            exit::complain(&format!("refused by --fail-on: {}", verdict.refused.join(", ")))?;
            return Ok(ExitCode::from(FAILED));
        }
        Ok(match (is_shown, self.detailed_exitcode) {
            (false, _) => exit::unusable_code(),
            (true, false) => ExitCode::SUCCESS,
            (true, true) if verdict.errored => ExitCode::from(FAILED),
            (true, true) if verdict.changes => ExitCode::from(CHANGES),
            (true, true) => ExitCode::SUCCESS,
        })
    }
}
