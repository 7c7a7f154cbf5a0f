//! Options that set the exit code by what a plan does.

use std::io;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};
use objchange_plan::report::{Gate, GateCondition, Verdict};

use super::Error as ShowError;
use crate::exit::{self, FAILED};

/// The options that judge a plan.
const JUDGES: &str = "judges";

/// The exit code of `--detailed-exitcode` for a plan with changes, as in Terraform.
pub(crate) const CHANGES: u8 = 2;

/// Options that set the exit code by what a plan does.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new(JUDGES).args(["fail_on", "detailed_exitcode"]).multiple(true)))]
pub(crate) struct GateArgs {
    /// Exit with 1 if the plan does one of these, or if an action is unknown. Separated by commas. An option
    /// that matches nothing, such as a misspelt --only, is an error
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = condition())]
    fail_on: Vec<GateCondition>,

    /// Exit with 2 if anything changes, 1 on errors, 0 if nothing changes, as `terraform plan` does
    #[arg(long)]
    detailed_exitcode: bool,

    /// With --fail-on or --detailed-exitcode: accept selections that match nothing
    #[arg(long, requires = JUDGES)]
    allow_unmatched: bool,
}

/// Reads the name of a condition.
pub(crate) fn condition() -> impl TypedValueParser<Value = GateCondition> {
    let names = GateCondition::ALL.map(|condition| {
        let value = PossibleValue::new(condition.name());
        // Terraform's JSON says `delete` where its text says that something will be destroyed.
        let value = if condition == GateCondition::Delete { value.alias("destroy") } else { value };
        condition.meaning().into_iter().fold(value, PossibleValue::help)
    });
    PossibleValuesParser::new(names).try_map(|name| name.parse::<GateCondition>())
}

impl GateArgs {
    /// Returns the changes that the options refuse.
    pub(crate) fn gate(&self) -> Gate {
        Gate { conditions: self.fail_on.clone(), allow_unmatched: self.allow_unmatched }
    }

    /// Whether an option judges the plan.
    pub(crate) fn is_asked(&self) -> bool {
        self.detailed_exitcode || !self.fail_on.is_empty()
    }

    /// Whether some plans are refused.
    pub(crate) fn can_refuse(&self) -> bool {
        !self.fail_on.is_empty()
    }

    /// Whether exit codes are those of `--detailed-exitcode`.
    pub(crate) fn is_detailed(&self) -> bool {
        self.detailed_exitcode
    }

    /// The exit code, after printing errors and refused changes.
    pub(super) fn code(&self, verdict: &Verdict, shown: Result<(), ShowError>) -> io::Result<ExitCode> {
        let is_refused = !verdict.refused.is_empty();
        let is_shown = match shown {
            Ok(()) => true,
            Err(ShowError::Write(error)) if !is_refused => return Err(error),
            // If the reader of the text is gone, the refused changes are still printed on standard error.
            Err(ShowError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => false,
            Err(error) => {
                exit::complain(&error.to_string())?;
                false
            }
        };
        self.answer(verdict, is_shown)
    }

    /// The exit code, after printing refused changes.
    pub(crate) fn answer(&self, verdict: &Verdict, is_shown: bool) -> io::Result<ExitCode> {
        if !verdict.refused.is_empty() {
            let option = if self.can_refuse() { "--fail-on" } else { "--detailed-exitcode" };
            exit::complain(&format!("refused by {option}: {}", verdict.refused.join(", ")))?;
            return Ok(ExitCode::from(FAILED));
        }
        Ok(match (is_shown, self.detailed_exitcode) {
            (false, _) => exit::unusable_code(),
            (true, false) => ExitCode::SUCCESS,
            // As `terraform plan -detailed-exitcode`: an error matters more than the changes that were planned before
            // it.
            (true, true) if verdict.errored => ExitCode::from(FAILED),
            (true, true) if verdict.changes => ExitCode::from(CHANGES),
            (true, true) => ExitCode::SUCCESS,
        })
    }
}
