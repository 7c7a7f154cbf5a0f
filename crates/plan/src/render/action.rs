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
            // As in a state, but further to the right, blank lines too.
            self.start_lines_with("        ");
            let was_plain = std::mem::replace(&mut self.plain, true);
            self.value(&action.diff, 0, View::default());
            self.plain = was_plain;
            self.start_lines_with("");
            self.push("\n");
        }
        self.push("    }\n");
        self.flush_much();
    }
}
