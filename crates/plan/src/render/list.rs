//! Lists, tuples and sets.

use super::{View, Writer};
use crate::diff::{Action, Diff, Parts};

impl Writer<'_> {
    pub(super) fn list(
        &mut self,
        diff: &Diff<'_>,
        elements: &Parts<'_, Diff<'_>>,
        context: bool,
        indent: usize,
        view: View,
    ) {
        if elements.is_empty() {
            self.empty("[]", diff, view);
            return;
        }
        self.open_list(diff, view);
        let inner = View { no_null_suffix: true, omit_replace: false, ..view };
        let whole = View { show_unchanged: true, ..inner };
        let mut hidden = 0;
        // The unchanged element just passed, which is shown if a change follows.
        let mut last_unchanged = None;
        let mut after_change = false;
        for index in 0..elements.len() {
            if elements.action(index) != Action::NoOp || view.show_unchanged {
                if hidden > 0 && context {
                    self.hidden(indent + 1, hidden, "element");
                    hidden = 0;
                }
                if let Some(before) = last_unchanged.take() {
                    self.element(&elements.get(before), indent + 1, whole);
                }
                self.element(&elements.get(index), indent + 1, inner);
                after_change = true;
            } else if !context {
                hidden += 1;
            } else if after_change {
                self.element(&elements.get(index), indent + 1, whole);
                after_change = false;
            } else {
                hidden += usize::from(last_unchanged.replace(index).is_some());
            }
        }
        hidden += usize::from(last_unchanged.is_some());
        if hidden > 0 {
            self.hidden(indent + 1, hidden, "element");
        }
        self.close("]", diff, indent, view);
    }

    pub(super) fn set(
        &mut self,
        diff: &Diff<'_>,
        elements: &Parts<'_, Diff<'_>>,
        nested: bool,
        indent: usize,
        view: View,
    ) {
        // Of a nested type every element says that it forces the replacement.
        let own = View { omit_replace: view.omit_replace || nested, ..view };
        if elements.is_empty() {
            self.empty("[]", diff, own);
            return;
        }
        self.open_list(diff, own);
        let inner = View { no_null_suffix: true, omit_replace: false, ..view };
        let mut hidden = 0;
        for index in 0..elements.len() {
            if elements.action(index) == Action::NoOp && !view.show_unchanged {
                hidden += 1;
            } else {
                self.element(&elements.get(index), indent + 1, inner);
            }
        }
        if hidden > 0 {
            self.hidden(indent + 1, hidden, "element");
        }
        self.close("]", diff, indent, view);
    }

    fn open_list(&mut self, diff: &Diff<'_>, view: View) {
        self.push("[");
        self.forces_replacement(diff, view);
        self.push("\n");
    }

    fn element(&mut self, diff: &Diff<'_>, indent: usize, view: View) {
        self.warnings(diff, indent);
        self.start_line(indent, diff.action);
        self.value(diff, indent, view);
        self.push(",\n");
        self.flush_much();
    }
}
