//! Prints the text around the resources of a plan.

use std::borrow::Cow;

use objchange_text::visible;

use super::Writer;
use super::tokens::{Role, resource_sign};
use crate::novelty::Novelty;
use crate::report::{IgnoredChanges, Note, Outcome, Summary, Warning};
use objchange_document::Missing;
use objchange_document::PlanMode;
use objchange_document::Program;
use objchange_document::changes::ResourceActions;

/// The heading above inputs that a plan was made without.
pub(super) const MISSING_INPUT: &str = "Missing input";

/// As many of these as text lists.
const MOST_MISSING: usize = 20;

impl Writer<'_> {
    /// The text with the program's own name in place of Terraform's.
    fn named<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.program {
            Program::Terraform(_) => Cow::Borrowed(text),
            Program::OpenTofu(_) => {
                let (name, command) = (self.program.name(), self.program.command());
                Cow::Owned(text.replace("Terraform", name).replace("terraform", command))
            }
        }
    }

    fn prose(&mut self, text: &str) {
        self.end(Role::ParagraphStart);
        let text = self.named(text);
        self.push(&text);
        self.end(Role::ParagraphEnd);
    }

    fn note(&mut self, text: &str) {
        self.push("\n");
        self.text(Role::Note, "Note:");
        self.text(Role::Strong, &format!(" {}\n", self.named(text)));
        self.push("\n");
    }

    pub(super) fn warning(&mut self, warning: Warning) {
        let (thing, rest) = match warning {
            Warning::NewerFormat => ("plan", "the diff presented here may be"),
            // "maybe" is Terraform's spelling.
            Warning::NewerStateFormat => ("state", "the state presented here maybe"),
        };
        let text = format!(
            " This {thing} was generated using a different version of Terraform, {rest} missing representations of \
             recent features."
        );
        self.push("\n");
        self.end(Role::ParagraphStart);
        self.text(Role::Danger, "Warning:");
        let text = self.named(&text);
        self.text(Role::Strong, &text);
        self.end(Role::ParagraphEnd);
    }

    pub(super) fn drift_start(&mut self) {
        self.note("Objects have changed outside of Terraform");
        self.prose(
            "Terraform detected the following changes made outside of Terraform since the last \"terraform \
             apply\" which may have affected this plan:",
        );
    }

    /// Writes what the drift means for the rest of the page, if there is one.
    pub(super) fn drift_end(&mut self, mode: PlanMode, is_all: bool) {
        let refresh_only = mode == PlanMode::RefreshOnly;
        self.push("\n\n");
        self.prose(if refresh_only {
            "This is a refresh-only plan, so Terraform will not take any actions to undo these. If you were \
             expecting these changes then you can apply this plan to record the updated values in the Terraform \
             state without changing any remote objects."
        } else {
            "Unless you have made equivalent changes to your configuration, or ignored the relevant attributes \
             using ignore_changes, the following plan may include actions to undo or respond to these changes."
        });
        // Terraform 1.11 prints no rule if a refresh-only plan has nothing else to show.
        if !is_all {
            self.end(Role::Rule);
        }
    }

    /// Writes why there is nothing to do, or nothing to see.
    pub(super) fn outcome(&mut self, outcome: Outcome) {
        let no_changes = "No changes.";
        let (role, word, rest) = match outcome {
            Outcome::NoChangeMatches => return self.push("\nNo resource with changes matches.\n"),
            Outcome::NoResourceMatches => return self.push("\nNo resource matches.\n"),
            Outcome::EmptyState => {
                return self.push("The state file is empty. No resources are represented.\n");
            }
            Outcome::PlanningFailed => (
                Role::Failure,
                "Planning failed.",
                " Terraform encountered an error while generating this plan.",
            ),
            Outcome::NeedsAnotherPlan => (
                Role::Success,
                "No current changes.",
                " This plan requires another plan to be applied first.",
            ),
            Outcome::NothingToDestroy => (Role::Success, no_changes, " No objects need to be destroyed."),
            Outcome::OnlyIgnored => {
                (Role::Success, no_changes, " Only values at ignored paths would change.")
            }
            Outcome::StillMatches => {
                (Role::Success, no_changes, " Your infrastructure still matches the configuration.")
            }
            Outcome::Matches | Outcome::MatchesDriftSaved | Outcome::MatchesDriftUnsaved => {
                (Role::Success, no_changes, " Your infrastructure matches the configuration.")
            }
        };
        self.push("\n");
        self.text(role, word);
        self.text(Role::Strong, &self.named(rest));
        // OpenTofu 1.13 says no more where nothing has changed.
        let is_short = self.program.is_opentofu_next()
            && matches!(
                outcome,
                Outcome::Matches | Outcome::MatchesDriftSaved | Outcome::MatchesDriftUnsaved
            );
        self.push(if is_short { "\n" } else { "\n\n" });
        self.end(Role::UnitEnd);
        if is_short && outcome == Outcome::Matches {
            return;
        }
        if is_short {
            self.push("\n");
        }
        self.prose(match outcome {
            Outcome::NothingToDestroy => {
                "Either you have not created any objects yet or the existing objects were already deleted outside \
                 of Terraform."
            }
            Outcome::StillMatches => {
                "Terraform has checked that the real remote objects still match the result of your most recent \
                 changes, and found no differences."
            }
            Outcome::Matches => {
                "Terraform has compared your real infrastructure against your configuration and found no \
                 differences, so no changes are needed."
            }
            Outcome::MatchesDriftSaved => {
                "Your configuration already matches the changes detected above, so applying this plan will only \
                 update the state to include the changes detected above and won't change any real infrastructure."
            }
            Outcome::MatchesDriftUnsaved => {
                "Your configuration already matches the changes detected above. If you'd like to update the \
                 Terraform state to match, create and apply a refresh-only plan:"
            }
            _ => return,
        });
        if outcome == Outcome::MatchesDriftUnsaved {
            self.push(&self.named("  terraform apply -refresh-only\n"));
        }
    }

    pub(super) fn deferred_start(&mut self) {
        self.note("This is a partial plan, parts can only be known in the next plan / apply cycle.");
    }

    /// Writes what the symbols mean that appear below.
    pub(super) fn legend(&mut self, actions: &[ResourceActions]) {
        self.push("\n");
        self.prose(
            "Terraform used the selected providers to generate the following execution plan. Resource actions \
             are indicated with the following symbols:",
        );
        for actions in actions {
            let meaning = match actions {
                ResourceActions::Create => "create",
                ResourceActions::Update if self.program.is_opentofu() => {
                    "update in-place (current -> planned)"
                }
                ResourceActions::Update => "update in-place",
                ResourceActions::Delete => "destroy",
                ResourceActions::DeleteThenCreate => "destroy and then create replacement",
                ResourceActions::CreateThenDelete => "create replacement and then destroy",
                ResourceActions::Read => "read (data resources)",
                ResourceActions::ForgetThenCreate => "forget and then create replacement",
                ResourceActions::Forget => "forget",
                // Terraform has no legend line for these.
                ResourceActions::NoOp | ResourceActions::CreateThenForget | ResourceActions::Unknown => {
                    continue;
                }
            };
            let sign = resource_sign(*actions, self.program);
            let is_wide = *actions == ResourceActions::ForgetThenCreate;
            self.text(Role::LegendSign, if is_wide { sign.trim_start() } else { sign });
            self.push(meaning);
            self.end(Role::UnitEnd);
            self.push("\n");
        }
    }

    pub(super) fn actions_heading(&mut self, errored: bool) {
        self.push(&self.named(if errored {
            "\nTerraform planned the following actions, but then encountered a problem:\n"
        } else {
            "\nTerraform will perform the following actions:\n"
        }));
    }

    /// Says that a plan is the configuration alone.
    pub(super) fn state_unread(&mut self) {
        self.push("\n");
        self.text(Role::Strong, "The state was not read: this is the configuration alone.");
        self.push(" Objects that exist may be updated, replaced or\nstay as they are, and others may be destroyed.\n");
    }

    pub(super) fn plan_line(&mut self, summary: &Summary) {
        let Summary { import, add, change, destroy, forget, invoke, of_selection } = summary;
        if self.may_exist {
            self.push("\n");
            self.text(Role::Heading, "Configured:");
            self.push(&format!(" {add} to create or update. The state was not read.\n"));
            self.end(Role::UnitEnd);
            if *of_selection {
                self.push("Only the resources that were chosen are counted.\n");
            }
            return;
        }
        let import = if *import > 0 { format!("{import} to import, ") } else { String::new() };
        let forget = if *forget > 0 { format!(", {forget} to forget") } else { String::new() };
        let invoke = if *invoke > 0 { format!(" Actions: {invoke} to invoke.") } else { String::new() };
        let is_plain = Novelty::CountsWithoutColour.is_in(self.program);
        self.push("\n");
        self.text(Role::Heading, "Plan:");
        self.push(" ");
        if is_plain {
            self.end(Role::UnitEnd);
        }
        self.push(&format!(
            "{import}{add} to add, {change} to change, {destroy} to destroy{forget}.{invoke}\n"
        ));
        if !is_plain {
            self.end(Role::UnitEnd);
        }
        if *of_selection {
            self.push("Only the resources that were chosen are counted.\n");
        }
    }

    /// Names what is left out because it changes ignored paths alone.
    pub(super) fn ignored(&mut self, ignored: &IgnoredChanges<'_>) {
        self.push(&format!("\nIgnored: {} ({})\n", ignored.counts(), visible(&ignored.paths.join(", "))));
        let headers = ignored.updates.headers().chain(ignored.drift.headers());
        let names = headers.map(|header| header.address.to_string());
        let outputs = ignored.outputs.iter().map(|name| format!("output.{name}"));
        for name in names.chain(outputs) {
            self.push(&format!("  {}\n", visible(&name)));
        }
    }

    /// Lists inputs that the plan was made without.
    pub(super) fn missing(&mut self, missing: &[Missing]) {
        self.text(Role::Heading, MISSING_INPUT);
        self.push(&format!(" ({}), so that more is unknown\n", missing.len()));
        for one in missing.iter().take(MOST_MISSING) {
            self.push(&format!("  {} ({})\n", visible(&one.address), one.about()));
        }
        if missing.len() > MOST_MISSING {
            self.push(&format!("  and {} more\n", missing.len() - MOST_MISSING));
        }
    }

    pub(super) fn note_below(&mut self, note: Note) {
        let Note::SavesOutputsOnly = note;
        self.push("\n");
        self.prose(
            "You can apply this plan to save these new output values to the Terraform state, without changing \
             any real infrastructure.",
        );
    }
}
