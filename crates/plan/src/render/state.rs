//! The resources and outputs of a state.

use super::header::deposed;
use super::tokens::Role;
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
        self.start_entry(&header.address);
        let (address, deposed) = (escape::line(&header.address), deposed(header.deposed.as_deref()));
        let tainted = if header.tainted { " (tainted)" } else { "" };
        self.text(Role::Comment, &format!("# {address}:{deposed}{tainted}\n"));
        self.opening(&header.mode, &header.r#type, &header.name);
        self.value(diff, 0, View::default());
        self.push("\n");
    }

    pub(super) fn state_output(&mut self, entry: &ReportEntry<'_, OutputHeader<'_>>) {
        self.start_entry(&entry.header.name);
        self.text(Role::Key, &escape::line(&entry.header.name));
        self.push(" = ");
        self.value(&entry.diff, 0, View::default());
        self.push("\n");
    }
}
