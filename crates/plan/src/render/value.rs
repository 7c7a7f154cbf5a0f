//! One value of any kind.

use super::text::WHITE_SPACE;
use super::tokens::Role;
use super::{View, Writer, escape};
use crate::diff::{Diff, DiffAction, Kind, Primitive, Scalar, Sensitivity};
use objchange_text::redact::SENSITIVE;

impl Writer<'_> {
    /// Writes a value after its key, or as an element of a list.
    pub(super) fn value(&mut self, diff: &Diff<'_>, indent: usize, view: View) {
        match &diff.kind {
            Kind::Primitive(primitive) => self.primitive(diff, primitive, view),
            Kind::Text { lines, white_space } => self.lines(diff, lines, *white_space, indent, view),
            Kind::Json { value, notation } => {
                self.document(diff, ("jsonencode", *notation), value, indent, view);
            }
            Kind::Yaml { value } => self.document(diff, ("yamlencode", false), value, indent, view),
            Kind::Object { attributes, nested } => self.object(diff, attributes, *nested, indent, view),
            Kind::Map { elements, nested } => self.map(diff, elements, *nested, indent, view),
            Kind::List { elements, context } => self.list(diff, elements, *context, indent, view),
            Kind::Set { elements, nested } => {
                // In a nested type, every element says that it forces the replacement.
                let view = View { omit_replace: view.omit_replace || *nested, ..view };
                self.list(diff, elements, false, indent, view);
            }
            Kind::Block(block) => self.block(diff, block, indent, view),
            Kind::Unknown { before } => self.unknown(diff, before.as_deref(), indent, view),
            Kind::Sensitive(_) => {
                self.text(Role::Marker, SENSITIVE);
                self.null_suffix(diff.action, view);
                self.forces_replacement(diff, view);
            }
            Kind::Shown { value, .. } => self.value(value, indent, view),
            Kind::SensitiveBlock(_) => self.sensitive_block(diff, indent, view),
            Kind::TypeChange { before, after } => {
                // The old value is gone as a whole, so its members carry no `-> null` (Terraform 1.11.4).
                let view = View { no_null_suffix: true, ..view };
                self.value(before, indent, view);
                self.arrow();
                self.value(after, indent, view);
            }
            Kind::WriteOnly { sensitive } => {
                let marker =
                    if *sensitive { "(sensitive, write-only attribute)" } else { "(write-only attribute)" };
                self.text(Role::Marker, marker);
                // Terraform writes `-> null` before the comment about the replacement, and OpenTofu behind it.
                let is_opentofu = self.program.is_opentofu();
                if is_opentofu {
                    self.forces_replacement(diff, view);
                }
                self.null_suffix(diff.action, view);
                if !is_opentofu {
                    self.forces_replacement(diff, view);
                }
            }
        }
    }

    /// Writes a name or key, the equals sign and the value; what must be known beforehand is above it.
    pub(super) fn entry(&mut self, key: &str, width: usize, diff: &Diff<'_>, indent: usize, view: View) {
        self.warnings(diff, indent);
        self.start_line(indent, diff.action);
        let start = self.tokens.text.len();
        self.text(Role::Key, &escape::name(key));
        self.equals(start, width);
        self.value(diff, indent, view);
    }

    /// Writes the equals sign after a name that starts there, below those of the names around it.
    pub(super) fn equals(&mut self, start: usize, width: usize) {
        let text = &mut self.tokens.text;
        // Terraform takes the widest name in bytes, and pads the others in characters: names beyond ASCII
        // stand further left.
        let written = text[start..].chars().count();
        text.extend(std::iter::repeat_n(' ', width.saturating_sub(written)));
        self.push(" = ");
    }

    /// Writes what changes about how a sensitive value is shown.
    pub(super) fn warnings(&mut self, diff: &Diff<'_>, indent: usize) {
        let (Sensitivity { after, unchanged, .. }, thing) = match &diff.kind {
            Kind::Sensitive(marks) | Kind::Shown { marks, .. } if diff.mark_changes => {
                (marks, "attribute value")
            }
            Kind::SensitiveBlock(marks) if diff.mark_changes => (marks, "block"),
            _ => return,
        };
        let (first, second) = if *after {
            ("will be marked as sensitive and will not", "display in UI output after applying this change.")
        } else {
            ("will no longer be marked as sensitive", "after applying this change.")
        };
        self.indent(indent);
        self.text(Role::Comment, "  # ");
        self.text(Role::Caution, "Warning");
        self.text(Role::Comment, &format!(": this {thing} {first}\n"));
        self.indent(indent);
        // The line breaks within the unit of colour, whose surplus reset comes before the sentence about the
        // value.
        self.text(Role::Comment, &format!("  # {second}"));
        self.end(Role::UnitEnd);
        if *unchanged && thing != "block" {
            self.text(Role::Comment, " The value is unchanged.");
        }
        self.push("\n");
    }

    fn primitive(&mut self, diff: &Diff<'_>, primitive: &Primitive<'_>, view: View) {
        let Primitive { before, after, null_string, white_space } = primitive;
        match diff.action {
            DiffAction::NoOp | DiffAction::Create => self.scalar(after),
            DiffAction::Delete => {
                self.scalar(before);
                // A deleted null prints `null` alone if it is a string or JSON, and `null -> null` if it is a
                // number or bool.
                if !null_string {
                    self.null_suffix(diff.action, view);
                }
            }
            DiffAction::Update => {
                self.scalar(before);
                self.arrow();
                self.scalar(after);
            }
        }
        if *white_space {
            self.text(Role::Comment, WHITE_SPACE);
        }
        self.forces_replacement(diff, view);
    }

    fn scalar(&mut self, scalar: &Scalar<'_>) {
        match scalar {
            Scalar::Null => self.text(Role::Null, "null"),
            Scalar::Bool(true) => self.text(Role::Value, "true"),
            Scalar::Bool(false) => self.text(Role::Value, "false"),
            Scalar::Number(text) => self.text(Role::Value, text),
            Scalar::String(text) => self.quote(Role::Value, text),
        }
    }

    fn unknown(&mut self, diff: &Diff<'_>, before: Option<&Diff<'_>>, indent: usize, view: View) {
        if let Some(before) = before.filter(|before| before.hidden) {
            self.text(Role::Hidden, &format!("({})", objchange_text::counted(before.lines(), "line")));
            self.push(" -> ");
        } else if let Some(before) = before {
            // OpenTofu prints `# forces replacement` for both values, Terraform only for the new one.
            let omit_replace = !self.program.is_opentofu();
            self.value(before, indent, View { no_null_suffix: true, omit_replace });
            // The arrow before `(known after apply)` has no colour, unlike all others.
            self.push(" -> ");
        }
        self.text(Role::Marker, "(known after apply)");
        self.forces_replacement(diff, view);
    }
}
