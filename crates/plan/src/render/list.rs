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
        let write_hidden = |this: &mut Self, [unchanged, ignored]: [usize; 2], range: Range<usize>| {
            for (is_ignored, count, thing) in
                [(false, unchanged, "unchanged element"), (true, ignored, "ignored element")]
            {
                let is_meant =
                    |index: &usize| elements.is_hidden(*index) && elements.is_ignored(*index) == is_ignored;
                this.hidden(indent + 1, count, thing, |this| {
                    let meant = range.clone().filter(is_meant);
                    meant.for_each(|index| this.element(&elements.get(index), indent + 1, inner));
                });
            }
        };
        let (mut hidden, mut start) = ([0; 2], 0);
        for index in 0..elements.len() {
            if elements.is_hidden(index) {
                hidden[usize::from(elements.is_ignored(index))] += 1;
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
