//! Lists, tuples and sets.

use std::ops::Range;

use super::{View, Writer};
use crate::diff::{Diff, Parts};

impl Writer<'_> {
    /// With `context` the number of hidden elements stands where they are, else at the end.
    pub(super) fn list(
        &mut self,
        diff: &Diff<'_>,
        elements: &Parts<'_, Diff<'_>>,
        context: bool,
        indent: usize,
        view: View,
    ) {
        if elements.is_empty() {
            return self.empty("[]", diff, view);
        }
        self.open("[", diff, view);
        let inner = View { no_null_suffix: true, omit_replace: false };
        let write_hidden = |this: &mut Self, count: usize, range: Range<usize>| {
            if count == 0 {
                return;
            }
            for (is_ignored, thing) in [(false, "unchanged element"), (true, "ignored element")] {
                let is_meant =
                    |index: &usize| elements.is_hidden(*index) && elements.is_ignored(*index) == is_ignored;
                let hidden: Vec<usize> = range.clone().filter(is_meant).collect();
                this.hidden(indent + 1, hidden.len(), thing, |this| {
                    hidden.iter().for_each(|index| this.element(&elements.get(*index), indent + 1, inner));
                });
            }
        };
        let (mut hidden, mut start) = (0, 0);
        for index in 0..elements.len() {
            if elements.is_hidden(index) {
                hidden += 1;
                continue;
            }
            if context {
                write_hidden(self, std::mem::take(&mut hidden), start..index);
                start = index + 1;
            }
            self.element(&elements.get(index), indent + 1, inner);
        }
        write_hidden(self, hidden, start..elements.len());
        self.close("]", diff, indent, view);
    }

    fn element(&mut self, diff: &Diff<'_>, indent: usize, view: View) {
        self.warnings(diff, indent);
        self.start_line(indent, diff.action);
        self.value(diff, indent, view);
        self.push(",\n");
    }
}
