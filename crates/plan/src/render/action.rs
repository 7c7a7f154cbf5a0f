//! Actions that are invoked.

use super::tokens::Role;
use super::{View, Writer, escape};
use crate::novelty::Novelty;
use crate::report::{ActionHeader, Entries, ReportAction, ShowError};
use objchange_document::changes::TriggerTime;

impl Writer<'_> {
    /// Writes the actions that the change above triggers.
    pub(super) fn triggered(&mut self, time: TriggerTime, actions: &[ReportAction<'_>]) {
        if actions.is_empty() {
            return;
        }
        let time = match time {
            TriggerTime::Before => "before",
            TriggerTime::After => "after",
        };
        self.push("\n\n    ");
        self.text(Role::Heading, &format!("# Actions to be invoked {time} this change in order:"));
        self.push("\n");
        self.end(Role::UnitEnd);
        for action in actions {
            self.action(action);
        }
    }

    /// Writes the actions that were asked for.
    pub(super) fn invoked(&mut self, actions: &Entries<'_, ActionHeader<'_>>) -> Result<(), ShowError> {
        // OpenTofu has no actions, so it is Terraform that says this.
        self.push("\nTerraform will invoke the following action(s):\n\n");
        for (index, action) in actions.iter().enumerate() {
            let action = action?;
            self.push(if index > 0 { "\n" } else { "" });
            self.start_entry(&action.header.address);
            self.push("  ");
            self.text(Role::Heading, &format!("# {}", escape::line(&action.header.address)));
            self.text(Role::Comment, " will be invoked");
            self.end(Role::UnitEnd);
            if let Some(caller) = &action.header.called_from {
                self.text(Role::Comment, &format!(" (called from {})", escape::line(caller)));
            }
            self.push("\n");
            self.action(&action);
            self.end_entry()?;
        }
        self.push("\n");
        Ok(())
    }

    pub(super) fn action(&mut self, action: &ReportAction<'_>) {
        let header = &action.header;
        if Novelty::InvocationAddress.is_in(self.program) {
            self.indent(1);
            self.text(Role::Comment, &format!("# {}\n", escape::line(&header.address)));
        }
        self.indent(1);
        self.opening("action", &header.r#type, &header.name);
        self.push("{\n");
        if !action.diff.hidden {
            // As in a state, but further to the right.
            let was_plain = std::mem::replace(&mut self.plain, true);
            self.depth = 2;
            self.indent(0);
            self.push("config ");
            self.value(&action.diff, 0, View::default());
            self.push("\n");
            self.plain = was_plain;
            self.depth = 0;
        }
        self.indent(1);
        self.push("}\n");
    }
}
