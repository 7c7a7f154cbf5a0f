//! The resources and outputs of a state.

use super::{View, Writer, escape};
use crate::diff::Diff;

/// What stands above a resource of a state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateFrame<'a> {
    pub(crate) address: &'a str,
    /// `resource` or `data`.
    pub(crate) keyword: &'static str,
    pub(crate) resource_type: &'a str,
    pub(crate) name: &'a str,
    pub(crate) deposed: Option<&'a str>,
    pub(crate) tainted: bool,
}

impl Writer<'_> {
    pub(crate) fn empty_state(&mut self) {
        self.push("The state file is empty. No resources are represented.\n");
    }

    pub(crate) fn state_resource(&mut self, frame: &StateFrame<'_>, body: &Diff<'_>) {
        self.push("# ");
        escape::line(&mut self.out, frame.address);
        self.push(":");
        if let Some(key) = frame.deposed {
            self.push(" (deposed object ");
            escape::line(&mut self.out, key);
            self.push(")");
        } else if frame.tainted {
            self.push(" (tainted)");
        }
        self.push("\n");
        self.push(frame.keyword);
        self.push(" ");
        escape::quote(&mut self.out, frame.resource_type);
        self.push(" ");
        escape::quote(&mut self.out, frame.name);
        self.push(" ");
        self.value(body, 0, View { show_unchanged: true, ..View::default() });
        self.push("\n");
    }

    pub(crate) fn outputs_heading(&mut self) {
        self.push("\n\nOutputs:\n\n");
    }

    pub(crate) fn state_output(&mut self, name: &str, diff: &Diff<'_>) {
        escape::line(&mut self.out, name);
        self.push(" = ");
        self.value(diff, 0, View { show_unchanged: true, ..View::default() });
        self.push("\n");
    }
}
