//! Objects and maps.

use super::tokens::Role;
use super::{View, Writer, escape};
use crate::diff::{Diff, DiffAction, Entry, Kind, Parts};

impl Writer<'_> {
    pub(super) fn object(
        &mut self,
        diff: &Diff<'_>,
        attributes: &Parts<'_, Entry<'_>>,
        nested: bool,
        indent: usize,
        view: View,
    ) {
        if attributes.is_empty() {
            return self.empty("{}", diff, view);
        }
        self.open("{", diff, view);
        let inner = View { no_null_suffix: !nested, omit_replace: false };
        let hidden = self.attributes(attributes, indent + 1, inner);
        self.hidden(indent + 1, hidden, "attribute");
        self.close("}", diff, indent, view);
    }

    /// Writes the attributes of an object or block that are to be shown, and gives the number of the others.
    pub(super) fn attributes(
        &mut self,
        attributes: &Parts<'_, Entry<'_>>,
        indent: usize,
        view: View,
    ) -> usize {
        let width = attributes.names().map(|name| escape::name_width(&name)).max().unwrap_or_default();
        let mut hidden = 0;
        for (index, name) in attributes.names().enumerate() {
            if attributes.is_hidden(index) {
                hidden += 1;
                continue;
            }
            self.entry(&name, width, &attributes.get(index).diff, indent, view);
            self.push("\n");
        }
        hidden
    }

    pub(super) fn map(
        &mut self,
        diff: &Diff<'_>,
        elements: &Parts<'_, Entry<'_>>,
        nested: bool,
        indent: usize,
        view: View,
    ) {
        // Of a nested type every element says that it forces the replacement.
        let own = View { omit_replace: view.omit_replace || nested, ..view };
        if elements.is_empty() {
            return self.empty("{}", diff, own);
        }
        self.open("{", diff, own);
        let width = match nested {
            true => 0,
            false => elements.names().map(|key| escape::quoted_width(&key)).max().unwrap_or_default(),
        };
        let inner = View { no_null_suffix: nested || diff.action == DiffAction::Delete, omit_replace: false };
        let mut hidden = 0;
        for index in 0..elements.len() {
            if elements.is_hidden(index) {
                hidden += 1;
                continue;
            }
            let entry = elements.get(index);
            let Entry { key, diff } = &*entry;
            self.warnings(diff, indent + 1);
            self.start_line(indent + 1, diff.action);
            let start = self.tokens.text.len();
            self.quote(Role::Key, key);
            self.equals(start, width);
            self.value(diff, indent + 1, inner);
            self.push(if matches!(diff.kind, Kind::Object { .. }) { ",\n" } else { "\n" });
        }
        self.hidden(indent + 1, hidden, "element");
        self.close("}", diff, indent, view);
    }

    /// Writes a value without parts.
    pub(super) fn empty(&mut self, brackets: &str, diff: &Diff<'_>, view: View) {
        self.push(brackets);
        self.null_suffix(diff.action, view);
        self.forces_replacement(diff, view);
    }

    /// Writes the last line of a value with parts.
    pub(super) fn close(&mut self, bracket: &str, diff: &Diff<'_>, indent: usize, view: View) {
        self.start_line(indent, DiffAction::NoOp);
        self.push(bracket);
        self.null_suffix(diff.action, view);
    }
}
