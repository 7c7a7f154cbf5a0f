//! The arguments and blocks that Terraform itself allows in a module.

use crate::syntax::json::Style;

/// The arguments and blocks of one type of block.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Its arguments, and what a string is where they are JSON.
    pub(crate) arguments: &'static [(&'static str, Style)],
    pub(crate) required: &'static [&'static str],
    /// Its blocks, with what their labels are called.
    pub(crate) blocks: &'static [(&'static str, &'static [&'static str])],
    /// Other arguments and blocks are allowed, and left to a schema.
    pub(crate) is_open: bool,
}

use Style::{Constant, Name, Template};

impl Shape {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.argument(name).is_some() || self.labels(name).is_some()
    }

    pub(crate) fn argument(&self, name: &str) -> Option<Style> {
        self.arguments.iter().find(|(other, _)| *other == name).map(|(_, style)| *style)
    }

    /// All names that mean something.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.arguments.iter().map(|(name, _)| *name).chain(self.blocks.iter().map(|(kind, _)| *kind))
    }

    /// The names of the labels of nested blocks of this type.
    pub(crate) fn labels(&self, kind: &str) -> Option<&'static [&'static str]> {
        self.blocks.iter().find(|(other, _)| *other == kind).map(|(_, labels)| *labels)
    }
}

/// Leaves everything to others.
pub(crate) const NOTHING: Shape = Shape { arguments: &[], required: &[], blocks: &[], is_open: true };

/// A file of a module.
pub(crate) const FILE: Shape = Shape {
    arguments: &[],
    required: &[],
    blocks: &[
        ("terraform", &[]),
        ("required_providers", &[]),
        ("provider", &["name"]),
        ("variable", &["name"]),
        ("locals", &[]),
        ("output", &["name"]),
        ("module", &["name"]),
        ("resource", &["type", "name"]),
        ("data", &["type", "name"]),
        ("ephemeral", &["type", "name"]),
        ("moved", &[]),
        ("removed", &[]),
        ("import", &[]),
        ("check", &["name"]),
        ("action", &["type", "name"]),
        ("list", &["type", "name"]),
        ("language", &[]),
    ],
    is_open: false,
};

pub(crate) const CONDITION: Shape = Shape {
    arguments: &[("condition", Template), ("error_message", Template)],
    required: &["condition", "error_message"],
    blocks: &[],
    is_open: false,
};

pub(crate) const VARIABLE: Shape = Shape {
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
    blocks: &[("validation", &[])],
    is_open: false,
};

pub(crate) const OUTPUT: Shape = Shape {
    arguments: &[
        ("value", Template),
        ("description", Constant),
        ("depends_on", Name),
        ("sensitive", Constant),
        ("ephemeral", Constant),
        ("type", Name),
        ("deprecated", Constant),
    ],
    required: &["value"],
    blocks: &[("precondition", &[]), ("postcondition", &[])],
    is_open: false,
};

pub(crate) const LIFECYCLE: Shape = Shape {
    arguments: &[
        ("create_before_destroy", Constant),
        ("prevent_destroy", Constant),
        ("ignore_changes", Name),
        ("replace_triggered_by", Name),
        ("enabled", Template),
        ("destroy", Constant),
    ],
    required: &[],
    blocks: &[("precondition", &[]), ("postcondition", &[]), ("action_trigger", &[])],
    is_open: false,
};

const REPETITION: [(&str, Style); 4] =
    [("count", Template), ("for_each", Template), ("provider", Name), ("depends_on", Name)];

/// A resource, without the arguments and blocks for its provider.
pub(crate) const RESOURCE: Shape = Shape {
    arguments: &REPETITION,
    required: &[],
    blocks: &[
        ("locals", &[]),
        ("lifecycle", &[]),
        ("connection", &[]),
        ("provisioner", &["type"]),
        ("_", &[]),
    ],
    is_open: true,
};

/// A data source, without the arguments and blocks for its provider.
pub(crate) const DATA: Shape = Shape {
    arguments: &REPETITION,
    required: &[],
    blocks: &[("lifecycle", &[]), ("locals", &[]), ("_", &[])],
    is_open: true,
};

pub(crate) const PROVISIONER: Shape = Shape {
    arguments: &[("when", Name), ("on_failure", Name)],
    required: &[],
    blocks: &[("connection", &[]), ("lifecycle", &[]), ("_", &[])],
    is_open: true,
};

pub(crate) const CALL: Shape = Shape {
    arguments: &[
        ("source", Constant),
        ("version", Constant),
        ("count", Template),
        ("for_each", Template),
        ("depends_on", Name),
        ("providers", Name),
    ],
    required: &[],
    blocks: &[("_", &[]), ("lifecycle", &[]), ("locals", &[]), ("provider", &["type"])],
    is_open: true,
};

pub(crate) const PROVIDER: Shape = Shape {
    arguments: &[
        ("version", Constant),
        ("alias", Constant),
        ("count", Template),
        ("depends_on", Name),
        ("for_each", Template),
        ("source", Constant),
    ],
    required: &[],
    blocks: &[("_", &[]), ("lifecycle", &[]), ("locals", &[])],
    is_open: true,
};

pub(crate) const TERRAFORM: Shape = Shape {
    arguments: &[("required_version", Constant), ("experiments", Name), ("language", Name)],
    required: &[],
    blocks: &[
        ("backend", &["type"]),
        ("cloud", &[]),
        ("required_providers", &[]),
        ("provider_meta", &["provider"]),
    ],
    is_open: false,
};

/// `backend "local"`.
pub(crate) const LOCAL_BACKEND: Shape = Shape {
    arguments: &[("path", Constant), ("workspace_dir", Constant)],
    required: &[],
    blocks: &[],
    is_open: true,
};

pub(crate) const CLOUD: Shape =
    Shape { arguments: &[], required: &[], blocks: &[("workspaces", &[])], is_open: true };

pub(crate) const CLOUD_WORKSPACES: Shape =
    Shape { arguments: &[("name", Constant)], required: &[], blocks: &[], is_open: true };

pub(crate) const CHECK: Shape = Shape {
    arguments: &[],
    required: &[],
    blocks: &[("data", &["type", "name"]), ("assert", &[])],
    is_open: false,
};

pub(crate) const MOVED: Shape = Shape {
    arguments: &[("from", Name), ("to", Name)],
    required: &["from", "to"],
    blocks: &[],
    is_open: false,
};

pub(crate) const REMOVED: Shape = Shape {
    arguments: &[("from", Name)],
    required: &["from"],
    blocks: &[("lifecycle", &[]), ("connection", &[]), ("provisioner", &["type"])],
    is_open: false,
};

pub(crate) const REMOVED_LIFECYCLE: Shape =
    Shape { arguments: &[("destroy", Constant)], required: &[], blocks: &[], is_open: false };

pub(crate) const IMPORT: Shape = Shape {
    arguments: &[
        ("to", Name),
        ("id", Template),
        ("identity", Template),
        ("for_each", Template),
        ("provider", Name),
    ],
    required: &["to"],
    blocks: &[],
    is_open: false,
};
