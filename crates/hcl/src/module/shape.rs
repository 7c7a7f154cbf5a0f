//! What may stand in the blocks of a module, where Terraform says it and not a provider.

use crate::syntax::ast::{Block, Body};
use crate::syntax::json::Style;

/// What a block may hold.
pub(crate) struct Shape {
    /// Its arguments, and what a string is where they are JSON.
    pub(crate) arguments: &'static [(&'static str, Style)],
    pub(crate) required: &'static [&'static str],
    /// Its blocks, with what their labels are called.
    pub(crate) blocks: &'static [(&'static str, &'static [&'static str], Inside)],
}

/// What is in a block.
#[derive(Clone, Copy)]
pub(crate) enum Inside {
    Shape(&'static Shape),
    /// Any arguments.
    Arguments,
    /// Somebody else looks at it, or nobody.
    Ignored,
}

use Inside::{Arguments, Ignored};
use Style::{Constant, Name, Template};
use objchange_text::Diagnostic;

const CONDITION: Shape = Shape {
    arguments: &[("condition", Template), ("error_message", Template)],
    required: &["condition", "error_message"],
    blocks: &[],
};

const VARIABLE: Shape = Shape {
    arguments: &[
        ("type", Name),
        ("default", Constant),
        ("description", Constant),
        ("nullable", Constant),
        ("sensitive", Constant),
        ("ephemeral", Constant),
        ("const", Constant),
        ("deprecated", Constant),
    ],
    required: &[],
    blocks: &[("validation", &[], Inside::Shape(&CONDITION))],
};

const LIFECYCLE: Shape = Shape {
    arguments: &[
        ("create_before_destroy", Constant),
        ("prevent_destroy", Constant),
        ("ignore_changes", Name),
        ("replace_triggered_by", Name),
        ("enabled", Template),
        ("destroy", Constant),
    ],
    required: &[],
    blocks: &[
        ("precondition", &[], Inside::Shape(&CONDITION)),
        ("postcondition", &[], Inside::Shape(&CONDITION)),
        ("action_trigger", &[], Ignored),
    ],
};

/// Of a resource, what no provider sees.
pub(crate) const RESOURCE: Shape = Shape {
    arguments: &[("count", Template), ("for_each", Template), ("provider", Name), ("depends_on", Name)],
    required: &[],
    blocks: &[
        ("lifecycle", &[], Inside::Shape(&LIFECYCLE)),
        ("provisioner", &["type"], Ignored),
        ("connection", &[], Ignored),
    ],
};

/// Of a file.
pub(crate) const FILE: Shape = Shape {
    arguments: &[],
    required: &[],
    blocks: &[
        ("variable", &["name"], Inside::Shape(&VARIABLE)),
        ("locals", &[], Arguments),
        ("resource", &["type", "name"], Ignored),
        ("data", &["type", "name"], Ignored),
        ("ephemeral", &["type", "name"], Ignored),
        ("action", &["type", "name"], Ignored),
        ("list", &["type", "name"], Ignored),
        ("module", &["name"], Ignored),
        ("output", &["name"], Ignored),
        ("provider", &["name"], Ignored),
        ("check", &["name"], Ignored),
        ("terraform", &[], Ignored),
        ("language", &[], Ignored),
        ("moved", &[], Ignored),
        ("import", &[], Ignored),
        ("removed", &[], Ignored),
    ],
};

impl Shape {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.arguments.iter().any(|(other, _)| *other == name)
            || self.blocks.iter().any(|(other, ..)| *other == name)
    }

    /// What is wrong with a body, other than what its arguments say.
    pub(crate) fn check(&self, body: &Body, errors: &mut Vec<Diagnostic>) {
        for attribute in &body.attributes {
            if self.arguments.iter().all(|(name, _)| *name != attribute.name) {
                let detail = format!("An argument named {:?} is not expected here.", attribute.name);
                errors.push(Diagnostic::new("Unsupported argument", attribute.name_span, detail));
            }
        }
        for name in self.required {
            if body.attributes.iter().all(|attribute| attribute.name != *name) {
                let detail = format!("The argument {name:?} is required, but no definition was found.");
                errors.push(Diagnostic::new("Missing required argument", body.missing, detail));
            }
        }
        for block in &body.blocks {
            let Some((_, labels, inside)) = self.blocks.iter().find(|(name, ..)| *name == block.kind) else {
                unexpected(block, errors);
                continue;
            };
            check_labels(block, labels, errors);
            match inside {
                Inside::Shape(shape) => shape.check(&block.body, errors),
                Arguments => block.body.blocks.iter().for_each(|inner| unexpected(inner, errors)),
                Ignored => {}
            }
        }
    }
}

fn unexpected(block: &Block, errors: &mut Vec<Diagnostic>) {
    let detail = format!("Blocks of type {:?} are not expected here.", block.kind);
    errors.push(Diagnostic::new("Unsupported block type", block.kind_span, detail));
}

fn check_labels(block: &Block, labels: &[&str], errors: &mut Vec<Diagnostic>) {
    let kind = &block.kind;
    let all = || labels.join(", ");
    if let Some(extra) = block.labels.get(labels.len()) {
        let detail = match labels.len() {
            0 => format!("No labels are expected for {kind} blocks."),
            n => format!("Only {n} labels ({}) are expected for {kind} blocks.", all()),
        };
        errors.push(Diagnostic::new(
            ("extraneous_label", format!("Extraneous label for {kind}")),
            extra.span,
            detail,
        ));
    } else if let Some(missing) = labels.get(block.labels.len()) {
        let detail = format!("All {kind} blocks must have {} labels ({}).", labels.len(), all());
        errors.push(Diagnostic::new(
            ("missing_label", format!("Missing {missing} for {kind}")),
            block.open,
            detail,
        ));
    }
}
