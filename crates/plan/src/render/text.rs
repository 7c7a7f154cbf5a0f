//! Strings of several lines, and strings that hold JSON.

use super::{View, Writer, escape};
use crate::diff::{Diff, DiffAction, Line};

impl Writer<'_> {
    pub(super) fn lines(&mut self, diff: &Diff<'_>, lines: &[Line<'_>], indent: usize, view: View) {
        self.push("<<-EOT");
        self.forces_replacement(diff, view);
        self.push("\n");
        for line in lines {
            self.start_line(indent + 1, line.action);
            match &line.text {
                Some(text) => escape::lines(&mut self.out, text),
                None => self.push(self.colour.null()),
            }
            self.push("\n");
        }
        self.start_line(indent, DiffAction::NoOp);
        self.push("EOT");
        self.null_suffix(diff.action, view);
    }

    pub(super) fn json(&mut self, diff: &Diff<'_>, value: &Diff<'_>, indent: usize, view: View) {
        self.push("jsonencode(");
        let whitespace_only = diff.changes_only_white_space();
        let start = self.out.len();
        let was_held = std::mem::replace(&mut self.is_held, true);
        let inner = View { no_null_suffix: true, omit_replace: false };
        self.value(value, indent + 1, inner);
        self.is_held = was_held;
        let white_space = match (whitespace_only, diff.replace) {
            (false, _) => "",
            (true, false) => " # whitespace changes",
            (true, true) => " # whitespace changes force replacement",
        };
        let is_one_line = !self.out[start..].contains('\n');
        if is_one_line {
            self.push(")");
            self.push(white_space);
        }
        if !whitespace_only {
            self.forces_replacement(diff, view);
        }
        if is_one_line {
            return;
        }
        let symbol =
            if whitespace_only || diff.action != DiffAction::Update { DiffAction::NoOp } else { diff.action };
        let rest = self.out.split_off(start);
        self.push(white_space);
        self.push("\n");
        self.start_line(indent + 1, symbol);
        self.push(&rest);
        self.push("\n");
        self.start_line(indent, DiffAction::NoOp);
        self.push(")");
        self.null_suffix(diff.action, view);
    }
}
