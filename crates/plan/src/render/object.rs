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
        self.attributes(attributes, indent + 1, inner);
        self.close("}", diff, indent, view);
    }

    /// Writes the attributes of an object or block that are to be shown, and the number of the others.
    pub(super) fn attributes(&mut self, attributes: &Parts<'_, Entry<'_>>, indent: usize, view: View) {
        // Terraform aligns with hidden attributes, too.
        let width = attributes.names().map(|name| escape::name_width(&name)).max().unwrap_or_default();
        let write = |this: &mut Self, index: usize| {
            let attribute = attributes.get(index);
            this.entry(&attribute.key, width, &attribute.diff, indent, view);
            this.push("\n");
        };
        let (mut unchanged, mut recomputed, mut ignored) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..attributes.len() {
            match attributes.is_hidden(index) {
                true if attributes.is_ignored(index) => ignored.push(index),
                true if attributes.is_recomputed(index) => recomputed.push(index),
                true => unchanged.push(index),
                false => write(self, index),
            }
        }
        let all = [
            (unchanged, "unchanged attribute"),
            (recomputed, "recomputed attribute"),
            (ignored, "ignored attribute"),
        ];
        for (hidden, thing) in all {
            self.hidden(indent, hidden.len(), thing, |this| {
                hidden.iter().for_each(|index| write(this, *index));
            });
        }
    }

    pub(super) fn map(
        &mut self,
        diff: &Diff<'_>,
        elements: &Parts<'_, Entry<'_>>,
        nested: bool,
        indent: usize,
        view: View,
    ) {
        // In a nested type, every element says that it forces the replacement.
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
        let write = |this: &mut Self, index: usize| {
            let entry = elements.get(index);
            let Entry { key, diff } = &*entry;
            this.warnings(diff, indent + 1);
            this.start_line(indent + 1, diff.action);
            let start = this.tokens.text.len();
            this.quote(Role::Key, key);
            this.equals(start, width);
            this.value(diff, indent + 1, inner);
            this.push(if matches!(diff.kind, Kind::Object { .. }) { ",\n" } else { "\n" });
        };
        let (mut unchanged, mut ignored) = (Vec::new(), Vec::new());
        for index in 0..elements.len() {
            match elements.is_hidden(index) {
                true if elements.is_ignored(index) => ignored.push(index),
                true => unchanged.push(index),
                false => write(self, index),
            }
        }
        for (hidden, thing) in [(unchanged, "unchanged element"), (ignored, "ignored element")] {
            self.hidden(indent + 1, hidden.len(), thing, |this| {
                hidden.iter().for_each(|index| write(this, *index));
            });
        }
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
