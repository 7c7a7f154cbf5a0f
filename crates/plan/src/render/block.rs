//! Blocks.

use super::tokens::Role;
use super::{View, Writer, escape};
use crate::diff::{Block, BlockType, Diff, DiffAction};

impl Writer<'_> {
    pub(super) fn block(&mut self, diff: &Diff<'_>, block: &Block<'_>, indent: usize, view: View) {
        if block.is_empty() {
            self.push("{}");
            return self.forces_replacement(diff, view);
        }
        self.open("{", diff, view);
        let view = View { omit_replace: false, ..view };
        self.attributes(&block.attributes, indent + 1, view);
        let spaced = !block.attributes.is_empty();
        let mut hidden = 0;
        for ty in &block.blocks {
            hidden += self.block_type(ty, spaced, indent + 1, view);
        }
        if hidden > 0 {
            self.blank_line();
            let ignored: usize = block.blocks.iter().map(BlockType::ignored).sum();
            for (count, thing) in [(hidden - ignored, "unchanged block"), (ignored, "ignored block")] {
                let is_ignored = thing == "ignored block";
                self.hidden(indent + 1, count, thing, |this| {
                    block.blocks.iter().for_each(|ty| this.hidden_blocks(ty, is_ignored, indent + 1, view));
                });
            }
        }
        self.start_line(indent, DiffAction::NoOp);
        self.push("}");
    }

    /// Writes the blocks of one type that are to be shown, and gives the number of the others.
    fn block_type(&mut self, ty: &BlockType<'_>, mut spaced: bool, indent: usize, view: View) -> usize {
        let mut space = |this: &mut Self| {
            if std::mem::take(&mut spaced) {
                this.blank_line();
            }
        };
        let mut hidden = 0;
        if let Some(unknown) = &ty.unknown {
            if unknown.hidden {
                hidden += 1;
            } else {
                space(self);
                self.nested_block(&ty.name, None, unknown, indent, view);
            }
        }
        for index in 0..ty.blocks.len() {
            if ty.blocks.is_hidden(index) {
                hidden += 1;
            } else {
                space(self);
                let block = ty.blocks.get(index);
                self.nested_block(&ty.name, block.label.as_deref(), &block.diff, indent, view);
            }
        }
        hidden
    }

    /// Writes the blocks of one type that are not to be shown, because they are ignored or unchanged.
    fn hidden_blocks(&mut self, ty: &BlockType<'_>, is_ignored: bool, indent: usize, view: View) {
        let is_meant = |unknown: &&Diff<'_>| unknown.hidden && unknown.ignored == is_ignored;
        if let Some(unknown) = ty.unknown.as_ref().filter(is_meant) {
            self.nested_block(&ty.name, None, unknown, indent, view);
        }
        let is_meant =
            |index: &usize| ty.blocks.is_hidden(*index) && ty.blocks.is_ignored(*index) == is_ignored;
        for index in (0..ty.blocks.len()).filter(is_meant) {
            let block = ty.blocks.get(index);
            self.nested_block(&ty.name, block.label.as_deref(), &block.diff, indent, view);
        }
    }

    fn nested_block(&mut self, name: &str, label: Option<&str>, diff: &Diff<'_>, indent: usize, view: View) {
        self.warnings(diff, indent);
        self.start_line(indent, diff.action);
        self.text(Role::Key, &escape::name(name));
        self.push(" ");
        if let Some(label) = label {
            self.quote(Role::Key, label);
            self.push(" ");
        }
        self.value(diff, indent, view);
        self.push("\n");
    }

    pub(super) fn sensitive_block(&mut self, diff: &Diff<'_>, indent: usize, view: View) {
        self.open("{", diff, view);
        for comment in [
            "  # At least one attribute in this block is (or was) sensitive,\n",
            "  # so its contents will not be displayed.\n",
        ] {
            self.start_line(indent, DiffAction::NoOp);
            self.text(Role::Comment, comment);
        }
        self.start_line(indent, DiffAction::NoOp);
        self.push("}");
    }
}
