//! What stands around the resources of a plan.

use super::wrap::wrap;
use super::{View, Writer, escape};
use crate::diff::Diff;
use crate::document::ResourceActions;

/// The frame of a plan: how wide its prose is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// The columns that may be used.
    pub(crate) width: usize,
}

/// How many resources have each action.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) create: usize,
    pub(crate) update: usize,
    pub(crate) delete: usize,
    pub(crate) delete_then_create: usize,
    pub(crate) create_then_delete: usize,
    pub(crate) read: usize,
    pub(crate) forget: usize,
    pub(crate) import: usize,
}

/// What to say of a plan that does nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) errored: bool,
    pub(crate) deferred: bool,
    pub(crate) drift: bool,
    pub(crate) applyable: bool,
    pub(crate) notice: Notice,
}

/// What the plan was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Notice {
    #[default]
    Normal,
    Destroy,
    RefreshOnly,
}

impl Counts {
    pub(crate) fn add(&mut self, actions: ResourceActions) {
        let count = match actions {
            ResourceActions::NoOp => return,
            ResourceActions::Create => &mut self.create,
            ResourceActions::Update => &mut self.update,
            ResourceActions::Delete => &mut self.delete,
            ResourceActions::DeleteThenCreate => &mut self.delete_then_create,
            ResourceActions::CreateThenDelete => &mut self.create_then_delete,
            ResourceActions::Read => &mut self.read,
            ResourceActions::Forget | ResourceActions::CreateThenForget => &mut self.forget,
        };
        *count += 1;
    }

    /// Whether any resource has an action.
    pub(crate) fn any(&self) -> bool {
        let Self { create, update, delete, delete_then_create, create_then_delete, read, forget, .. } = *self;
        create + update + delete + delete_then_create + create_then_delete + read + forget > 0
    }
}

impl Writer<'_> {
    fn prose(&mut self, frame: Frame, text: &str) {
        let wrapped = wrap(text, frame.width);
        self.push(&wrapped);
    }

    fn rule(&mut self, frame: Frame) {
        let rule = "─".repeat(frame.width);
        let (gray, reset) = (self.colour.code("\x1b[90m"), self.colour.reset());
        self.push(&format!("{gray}\n{rule}{reset}\n"));
    }

    fn note(&mut self, text: &str) {
        let (cyan, bold) = (self.colour.code("\x1b[1m\x1b[36m"), self.colour.code("\x1b[0m\x1b[1m"));
        let reset = self.colour.reset();
        self.push(&format!("\n{cyan}Note:{bold} {text}\n{reset}\n"));
    }

    pub(crate) fn version_warning(&mut self, frame: Frame) {
        let (red, bold) = (self.colour.code("\x1b[1m\x1b[31m"), self.colour.code("\x1b[0m\x1b[1m"));
        let reset = self.colour.reset();
        self.push("\n");
        self.prose(
            frame,
            &format!(
                "{red}Warning:{bold} This plan was generated using a different version of Terraform, the diff \
                 presented here may be missing representations of recent features.{reset}"
            ),
        );
        self.push("\n");
    }

    pub(crate) fn drift_start(&mut self, frame: Frame) {
        self.note("Objects have changed outside of Terraform");
        self.prose(
            frame,
            "Terraform detected the following changes made outside of Terraform since the last \"terraform \
             apply\" which may have affected this plan:",
        );
        self.push("\n");
    }

    pub(crate) fn drift_end(&mut self, frame: Frame, notice: Notice) {
        self.push("\n\n");
        self.prose(
            frame,
            if notice == Notice::RefreshOnly {
                "This is a refresh-only plan, so Terraform will not take any actions to undo these. If you were \
                 expecting these changes then you can apply this plan to record the updated values in the \
                 Terraform state without changing any remote objects."
            } else {
                "Unless you have made equivalent changes to your configuration, or ignored the relevant \
                 attributes using ignore_changes, the following plan may include actions to undo or respond to \
                 these changes."
            },
        );
        self.push("\n");
        if notice != Notice::RefreshOnly {
            self.rule(frame);
        }
    }

    /// Writes that no resource is among those asked for.
    pub(crate) fn no_match(&mut self, what: &str) {
        self.push(&format!("\nNo {what} matches.\n"));
    }

    /// Writes that there is nothing to do.
    pub(crate) fn nothing(&mut self, frame: Frame, outcome: Outcome) {
        let Outcome { errored, deferred, drift, applyable, notice } = outcome;
        if errored {
            let rest = " Terraform encountered an error while generating this plan.";
            return self.verdict("\x1b[31m", "Planning failed.", rest);
        }
        if deferred {
            let rest = " This plan requires another plan to be applied first.";
            return self.verdict("\x1b[32m", "No current changes.", rest);
        }
        match notice {
            Notice::Destroy => {
                self.verdict("\x1b[32m", "No changes.", " No objects need to be destroyed.");
                self.prose(
                    frame,
                    "Either you have not created any objects yet or the existing objects were already deleted \
                     outside of Terraform.",
                );
                self.push("\n");
            }
            Notice::RefreshOnly if drift => {}
            Notice::RefreshOnly => {
                let rest = " Your infrastructure still matches the configuration.";
                self.verdict("\x1b[32m", "No changes.", rest);
                self.prose(
                    frame,
                    "Terraform has checked that the real remote objects still match the result of your most \
                     recent changes, and found no differences.",
                );
                self.push("\n");
            }
            Notice::Normal => {
                self.verdict("\x1b[32m", "No changes.", " Your infrastructure matches the configuration.");
                self.matches_configuration(frame, drift, applyable);
            }
        }
    }

    fn matches_configuration(&mut self, frame: Frame, drift: bool, applyable: bool) {
        let text = match (drift, applyable) {
            (true, true) => {
                "Your configuration already matches the changes detected above, so applying this plan will only \
                 update the state to include the changes detected above and won't change any real \
                 infrastructure."
            }
            (true, false) => {
                "Your configuration already matches the changes detected above. If you'd like to update the \
                 Terraform state to match, create and apply a refresh-only plan:"
            }
            (false, _) => {
                "Terraform has compared your real infrastructure against your configuration and found no \
                 differences, so no changes are needed."
            }
        };
        self.prose(frame, text);
        self.push("\n");
        if drift && !applyable {
            self.push("  terraform apply -refresh-only\n");
        }
    }

    fn verdict(&mut self, colour: &'static str, word: &str, rest: &str) {
        let reset = self.colour.reset();
        let bold = self.colour.bold();
        let colour = self.colour.code(colour);
        self.push(&format!("\n{reset}{bold}{colour}{word}{reset}{bold}{rest}{reset}\n\n{reset}"));
    }

    pub(crate) fn deferred_start(&mut self) {
        self.note("This is a partial plan, parts can only be known in the next plan / apply cycle.");
    }

    pub(crate) fn deferred_end(&mut self, frame: Frame) {
        self.rule(frame);
    }

    /// Writes what the symbols mean that appear below.
    pub(crate) fn legend(&mut self, frame: Frame, counts: &Counts) {
        self.push("\n");
        self.prose(
            frame,
            "Terraform used the selected providers to generate the following execution plan. Resource actions \
             are indicated with the following symbols:",
        );
        self.push("\n");
        let reset = self.colour.reset();
        let lines = [
            (counts.create, ResourceActions::Create, "create"),
            (counts.update, ResourceActions::Update, "update in-place"),
            (counts.delete, ResourceActions::Delete, "destroy"),
            (
                counts.delete_then_create,
                ResourceActions::DeleteThenCreate,
                "destroy and then create replacement",
            ),
            (
                counts.create_then_delete,
                ResourceActions::CreateThenDelete,
                "create replacement and then destroy",
            ),
            (counts.read, ResourceActions::Read, "read (data resources)"),
        ];
        for (_, actions, meaning) in lines.into_iter().filter(|(count, ..)| *count > 0) {
            // Symbol and text are one unit: the reset that ends the symbol's own comes after the text.
            let symbol = self.colour.resource_symbol(actions).trim_end();
            let symbol = symbol.strip_suffix(reset).unwrap_or(symbol);
            self.push(&format!("{symbol} {meaning}{reset}\n"));
        }
    }

    pub(crate) fn actions_heading(&mut self, errored: bool) {
        self.push(if errored {
            "\nTerraform planned the following actions, but then encountered a problem:\n"
        } else {
            "\nTerraform will perform the following actions:\n"
        });
    }

    pub(crate) fn plan_line(&mut self, counts: &Counts) {
        let replaced = counts.delete_then_create + counts.create_then_delete;
        let (add, change, destroy) = (counts.create + replaced, counts.update, counts.delete + replaced);
        let (bold, reset) = (self.colour.bold(), self.colour.reset());
        let import = match counts.import {
            0 => String::new(),
            count => format!("{count} to import, "),
        };
        self.push(&format!(
            "\n{bold}Plan:{reset} {import}{add} to add, {change} to change, {destroy} to destroy.\n{reset}"
        ));
    }

    /// Writes that what has been counted is not all of the plan.
    pub(crate) fn of_selection(&mut self) {
        self.push("Only the resources that were chosen are counted.\n");
    }

    pub(crate) fn outputs_start(&mut self) {
        self.push("\nChanges to Outputs:\n");
    }

    /// Writes an output that changes; `width` is that of the widest name of all outputs.
    pub(crate) fn output(&mut self, name: &str, width: usize, diff: &Diff<'_>) {
        self.entry(name, width, diff, 0, View::default());
        self.push("\n");
    }

    pub(crate) fn outputs_only(&mut self, frame: Frame) {
        self.push("\n");
        self.prose(
            frame,
            "You can apply this plan to save these new output values to the Terraform state, without changing \
             any real infrastructure.",
        );
        self.push("\n");
    }

    pub(crate) fn line_break(&mut self) {
        self.push("\n");
    }
}

/// The width that the name of an output takes.
pub(crate) fn output_width(name: &str) -> usize {
    escape::name_width(name)
}
