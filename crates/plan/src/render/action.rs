//! Actions that are invoked.

use super::{View, Writer, escape};
use crate::document::TriggerTime;
use crate::program::Novelty;
use crate::report::{ActionHeader, Entries, ReportAction, ShowError};

impl Writer<'_> {
    /// Writes the actions that the change above triggers.
    pub(super) fn triggered(&mut self, time: TriggerTime, actions: &[ReportAction<'_>]) {
        if actions.is_empty() {
            return;
        }
        let (bold, reset) = (self.colour.bold(), self.colour.reset());
        let time = match time {
            TriggerTime::Before => "before",
            TriggerTime::After => "after",
        };
        self.push(&format!(
            "\n\n    {bold}# Actions to be invoked {time} this change in order:{reset}\n{reset}"
        ));
        for action in actions {
            self.action(action);
        }
    }

    /// Writes the actions that were asked for.
    pub(super) fn invoked(&mut self, actions: &Entries<'_, ActionHeader<'_>>) -> Result<(), ShowError> {
        self.push("\nTerraform will invoke the following action(s):\n\n");
        let (bold, reset) = (self.colour.bold(), self.colour.reset());
        for (index, action) in actions.iter().enumerate() {
            let action = action?;
            self.push(if index > 0 { "\n" } else { "" });
            self.push(&format!("  {bold}# "));
            escape::line(&mut self.out, &action.header.address);
            self.push(&format!("{reset} will be invoked{reset}"));
            if let Some(caller) = &action.header.called_from {
                self.push(" (called from ");
                escape::line(&mut self.out, caller);
                self.push(")");
            }
            self.push("\n");
            self.action(&action);
            self.flush()?;
        }
        self.push("\n");
        Ok(())
    }

    fn action(&mut self, action: &ReportAction<'_>) {
        let header = &action.header;
        if self.program.has(Novelty::InvocationAddress) {
            self.push("    # ");
            escape::line(&mut self.out, &header.address);
            self.push("\n");
        }
        self.push("    action ");
        escape::quote(&mut self.out, &header.r#type);
        self.push(" ");
        escape::quote(&mut self.out, &header.name);
        self.push(" {\n");
        if !action.diff.hidden {
            self.push("        config ");
            let start = self.out.len();
            // As in a state, but further to the right, blank lines too.
            let (was_plain, was_held) = (self.plain, self.is_held);
            (self.plain, self.is_held) = (true, true);
            self.value(&action.diff, 0, View::default());
            (self.plain, self.is_held) = (was_plain, was_held);
            let body = self.out.split_off(start);
            self.push(&body.replace('\n', "\n        "));
            self.push("\n");
        }
        self.push("    }\n");
        self.flush_much();
    }
}
