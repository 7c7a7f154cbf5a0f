//! Strings of several lines, and strings that hold JSON.

use super::tokens::Role;
use super::{View, Writer, escape};
use crate::diff::{Diff, DiffAction, Kind, Line};

impl Writer<'_> {
    pub(super) fn lines(
        &mut self,
        diff: &Diff<'_>,
        lines: &[Line<'_>],
        white_space: bool,
        indent: usize,
        view: View,
    ) {
        self.open("<<-EOT", diff, view);
        for line in lines {
            self.start_line(indent + 1, line.action);
            match &line.text {
                Some(text) => self.text(Role::Value, &escape::lines(text)),
                None => self.text(Role::Null, "null"),
            }
            self.push("\n");
        }
        self.start_line(indent, DiffAction::NoOp);
        self.push("EOT");
        if white_space {
            self.text(Role::Comment, WHITE_SPACE);
        }
        self.null_suffix(diff.action, view);
    }

    pub(super) fn document(
        &mut self,
        diff: &Diff<'_>,
        (function, notation): (&'static str, bool),
        value: &Diff<'_>,
        indent: usize,
        view: View,
    ) {
        let inner = View { no_null_suffix: true, omit_replace: false };
        let is_same = diff.keeps_its_json();
        let white_space = match (is_same, diff.replace, notation) {
            (false, _, _) => "",
            (true, false, false) => WHITE_SPACE,
            (true, true, false) => " # whitespace changes force replacement",
            (true, false, true) => " # order or notation changes",
            (true, true, true) => " # order or notation changes force replacement",
        };
        let view_of_rest = View { omit_replace: view.omit_replace || is_same, ..view };
        self.push(function);
        self.push("(");
        if !has_lines(value) {
            self.value(value, indent + 1, inner);
            self.push(")");
            self.text(Role::Comment, white_space);
            return self.forces_replacement(diff, view_of_rest);
        }
        self.text(Role::Comment, white_space);
        self.push("\n");
        let symbol =
            if is_same || diff.action != DiffAction::Update { DiffAction::NoOp } else { diff.action };
        self.start_line(indent + 1, symbol);
        self.value(value, indent + 1, inner);
        self.forces_replacement(diff, view_of_rest);
        self.push("\n");
        self.start_line(indent, DiffAction::NoOp);
        self.push(")");
        self.null_suffix(diff.action, view);
    }
}

/// Said behind a text in which only white space changes.
pub(super) const WHITE_SPACE: &str = " # whitespace changes";

/// Whether a value is written on several lines.
fn has_lines(diff: &Diff<'_>) -> bool {
    match &diff.kind {
        Kind::Primitive(_) | Kind::Sensitive(_) | Kind::WriteOnly { .. } => false,
        Kind::Text { .. } | Kind::SensitiveBlock(_) => true,
        Kind::Json { value, .. } | Kind::Yaml { value } | Kind::Shown { value, .. } => has_lines(value),
        Kind::Object { attributes: parts, .. } | Kind::Map { elements: parts, .. } => !parts.is_empty(),
        Kind::List { elements, .. } | Kind::Set { elements, .. } => !elements.is_empty(),
        Kind::Block(block) => !block.is_empty(),
        Kind::Unknown { before } => before.as_ref().is_some_and(|before| has_lines(before)),
        Kind::TypeChange { before, after } => has_lines(before) || has_lines(after),
    }
}
