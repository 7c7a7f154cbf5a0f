//! The resources and outputs of a state.

use super::{View, Writer, escape};
use crate::report::{ModulePlace, OutputHeader, ReportEntry, StateHeader};

impl Writer<'_> {
    pub(super) fn state_resource(&mut self, entry: &ReportEntry<'_, StateHeader<'_>>) {
        let ReportEntry { header, diff, .. } = entry;
        self.push(match header.module {
            ModulePlace::Same => "\n",
            ModulePlace::Within => "\n\n",
            ModulePlace::First => "",
        });
        self.push("# ");
        escape::line(&mut self.out, &header.address);
        self.push(":");
        self.deposed(header.deposed.as_deref());
        self.push(if header.tainted { " (tainted)\n" } else { "\n" });
        self.opening(&header.mode, &header.r#type, &header.name);
        self.value(diff, 0, View::default());
        self.push("\n");
    }

    pub(super) fn state_output(&mut self, entry: &ReportEntry<'_, OutputHeader<'_>>) {
        escape::line(&mut self.out, &entry.header.name);
        self.push(" = ");
        self.value(&entry.diff, 0, View::default());
        self.push("\n");
    }
}
