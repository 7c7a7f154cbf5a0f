//! Blocks.

use super::{View, Writer, escape};
use crate::diff::{Action, Block, BlockType, Diff, Kind};

impl Writer<'_> {
    pub(super) fn block(&mut self, diff: &Diff<'_>, block: &Block<'_>, indent: usize, view: View) {
        if block.attributes.is_empty() && block.blocks.is_empty() && !block.has_repeated_types {
            self.push("{}");
            self.forces_replacement(diff, view);
            return;
        }
        self.push("{");
        self.forces_replacement(diff, view);
        self.push("\n");
        let view = View { no_null_suffix: view.no_null_suffix, omit_replace: false, ..view };
        let hidden = self.attributes(&block.attributes, indent + 1, view);
        if hidden > 0 {
            self.hidden(indent + 1, hidden, "attribute");
        }
        let spaced = !block.attributes.is_empty();
        let hidden: usize = block.blocks.iter().map(|ty| self.block_type(ty, spaced, indent + 1, view)).sum();
        if hidden > 0 {
            self.push("\n");
            self.hidden(indent + 1, hidden, "block");
        }
        self.start_line(indent, Action::NoOp);
        self.push("}");
    }

    /// Writes the blocks of one type that are to be shown, and gives the number of the others.
    fn block_type(&mut self, ty: &BlockType<'_>, mut spaced: bool, indent: usize, view: View) -> usize {
        let mut space = |this: &mut Self| {
            if std::mem::take(&mut spaced) {
                this.push("\n");
            }
        };
        let mut hidden = 0;
        if ty.unknown.is_some_and(|unknown| unknown.action == Action::NoOp) && !view.show_unchanged {
            hidden += 1;
        } else if let Some(unknown) = ty.unknown {
            space(self);
            if let Some(sensitivity) = unknown.sensitive {
                self.sensitivity_warning(unknown.action, sensitivity, "block", indent);
            }
            self.start_line(indent, unknown.action);
            escape::name(&mut self.out, &ty.name);
            self.push(" ");
            let diff = Diff::new(unknown.action, Kind::Unknown { before: None }).replacing(unknown.replace);
            if unknown.sensitive.is_some() {
                self.sensitive_block(&diff, indent, view);
            } else {
                self.value(&diff, indent, view);
            }
            self.push("\n");
        }
        for index in 0..ty.blocks.len() {
            if ty.blocks.action(index) == Action::NoOp && !view.show_unchanged {
                hidden += 1;
                continue;
            }
            let block = ty.blocks.get(index);
            space(self);
            self.warnings(&block.diff, indent);
            self.start_line(indent, block.diff.action);
            escape::name(&mut self.out, &ty.name);
            self.push(" ");
            if let Some(label) = &block.label {
                escape::quote(&mut self.out, label);
                self.push(" ");
            }
            self.value(&block.diff, indent, view);
            self.push("\n");
            self.flush_much();
        }
        hidden
    }

    pub(super) fn sensitive_block(&mut self, diff: &Diff<'_>, indent: usize, view: View) {
        self.push("{");
        self.forces_replacement(diff, view);
        self.push("\n");
        for comment in [
            "# At least one attribute in this block is (or was) sensitive,",
            "# so its contents will not be displayed.",
        ] {
            self.start_line(indent, Action::NoOp);
            self.push("  ");
            self.push(comment);
            self.push("\n");
        }
        self.start_line(indent, Action::NoOp);
        self.push("}");
    }
}
