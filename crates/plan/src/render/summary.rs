//! The lines of a summary.

use objchange::internal::visible;

use super::Writer;
use crate::document::ResourceActions;

/// One address of a summary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SummaryLine<'a> {
    pub(crate) actions: ResourceActions,
    pub(crate) address: &'a str,
    pub(crate) deposed: Option<&'a str>,
    pub(crate) reasons: &'a [String],
}

impl Writer<'_> {
    pub(crate) fn summary_group(&mut self, title: &str, count: usize) {
        let (bold, reset) = (self.colour.bold(), self.colour.reset());
        self.push(&format!("{bold}{title}{reset} ({count})\n"));
    }

    pub(crate) fn summary_line(&mut self, line: &SummaryLine<'_>) {
        self.push(self.colour.resource_symbol(line.actions));
        self.push(&visible(line.address));
        if let Some(key) = line.deposed {
            self.push(" (deposed object ");
            self.push(&visible(key));
            self.push(")");
        }
        for (index, reason) in line.reasons.iter().enumerate() {
            self.push(if index == 0 { ": " } else { ", " });
            self.push(&visible(reason));
        }
        self.push("\n");
    }

    pub(crate) fn summary_empty(&mut self) {
        self.push("Nothing changes.\n");
    }
}
