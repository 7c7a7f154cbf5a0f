//! The arguments and blocks that Terraform itself allows in a module.

use crate::edition::Edition;
use crate::syntax::json::Style;

/// The arguments and blocks of one type of block.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Its arguments, each with the meaning of strings in the JSON syntax.
    pub(crate) arguments: &'static [(&'static str, Style)],
    pub(crate) required: &'static [&'static str],
    /// Its blocks, with the names of their labels.
    pub(crate) blocks: &'static [(&'static str, &'static [&'static str])],
    /// Names that an [`Edition`] brought: older ones know no such argument or block.
    pub(crate) newer: &'static [(&'static str, Edition)],
    /// Other arguments and blocks are allowed, and left to a schema.
    pub(crate) is_open: bool,
}

use Style::{Constant, Name, Template};

impl Shape {
    /// Whether any version of the language has an argument or block of the name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.argument(name).is_some() || self.labels(name).is_some()
    }

    /// How an argument is written, in any version of the language.
    pub(crate) fn argument(&self, name: &str) -> Option<Style> {
        self.arguments.iter().find(|(other, _)| *other == name).map(|(_, style)| *style)
    }

    /// The names of the labels of nested blocks of this type, in any version of the language.
    pub(crate) fn labels(&self, kind: &str) -> Option<&'static [&'static str]> {
        self.blocks.iter().find(|(other, _)| *other == kind).map(|(_, labels)| *labels)
    }

    /// The names of arguments in this version of the language.
    pub(crate) fn argument_names(&self, edition: Edition) -> impl Iterator<Item = &'static str> {
        self.arguments.iter().map(|(name, _)| *name).filter(move |name| self.is_known(name, edition))
    }

    /// The types of blocks in this version of the language.
    pub(crate) fn block_names(&self, edition: Edition) -> impl Iterator<Item = &'static str> {
        self.blocks.iter().map(|(kind, _)| *kind).filter(move |kind| self.is_known(kind, edition))
    }

    /// Whether this version of the language knows a name that others know.
    pub(crate) fn is_known(&self, name: &str, edition: Edition) -> bool {
        let has = |first: Edition| if first.is_opentofu() { edition == first } else { edition >= first };
        self.newer.iter().all(|(newer, first)| *newer != name || has(*first))
    }
}

/// Leaves everything to others.
pub(crate) const NOTHING: Shape =
    Shape { arguments: &[], required: &[], blocks: &[], newer: &[], is_open: true };

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
    ],
    newer: &[("removed", Edition(7)), ("ephemeral", Edition(10)), ("action", Edition(13))],
    is_open: false,
};

pub(crate) const CONDITION: Shape = Shape {
    arguments: &[("condition", Template), ("error_message", Template)],
    required: &["condition", "error_message"],
    blocks: &[],
    newer: &[],
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
    newer: &[("ephemeral", Edition(10)), ("const", Edition(15)), ("deprecated", Edition(15))],
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
    newer: &[("ephemeral", Edition(10)), ("type", Edition(15)), ("deprecated", Edition(15))],
    is_open: false,
};

pub(crate) const LIFECYCLE: Shape = Shape {
    arguments: &[
        ("create_before_destroy", Constant),
        ("prevent_destroy", Constant),
        ("ignore_changes", Name),
        ("replace_triggered_by", Name),
        ("destroy", Constant),
        ("enabled", Template),
    ],
    required: &[],
    blocks: &[("precondition", &[]), ("postcondition", &[]), ("action_trigger", &[])],
    newer: &[("action_trigger", Edition(13)), ("destroy", Edition(16)), ("enabled", Edition::OPENTOFU)],
    is_open: false,
};

/// The `lifecycle` block of a module call, which OpenTofu alone has.
pub(crate) const CALL_LIFECYCLE: Shape =
    Shape { arguments: &[("enabled", Template)], required: &[], blocks: &[], newer: &[], is_open: false };

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
        // `_` holds arguments of the provider that are named like those of Terraform, as `count`. Terraform reserves
        // `locals`.
        ("_", &[]),
    ],
    newer: &[],
    is_open: true,
};

/// An action.
pub(crate) const ACTION: Shape = Shape {
    arguments: &[("count", Template), ("for_each", Template), ("provider", Name)],
    required: &[],
    blocks: &[("config", &[])],
    newer: &[],
    is_open: false,
};

/// A trigger, which invokes actions when a resource changes.
pub(crate) const ACTION_TRIGGER: Shape = Shape {
    arguments: &[("events", Name), ("actions", Name), ("condition", Template), ("on_failure", Name)],
    required: &["events", "actions"],
    blocks: &[],
    newer: &[("on_failure", Edition(16))],
    is_open: false,
};

/// A data source, without the arguments and blocks for its provider.
pub(crate) const DATA: Shape = Shape {
    arguments: &REPETITION,
    required: &[],
    blocks: &[("lifecycle", &[]), ("locals", &[]), ("_", &[])],
    newer: &[],
    is_open: true,
};

pub(crate) const PROVISIONER: Shape = Shape {
    arguments: &[("when", Name), ("on_failure", Name)],
    required: &[],
    blocks: &[("connection", &[]), ("lifecycle", &[]), ("_", &[])],
    newer: &[],
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
        ("ignore_nested_deprecations", Constant),
    ],
    required: &[],
    blocks: &[("_", &[]), ("lifecycle", &[]), ("locals", &[]), ("provider", &["type"])],
    newer: &[("ignore_nested_deprecations", Edition(15))],
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
    newer: &[],
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
        ("encryption", &[]),
    ],
    newer: &[("language", Edition(15)), ("encryption", Edition::OPENTOFU)],
    is_open: false,
};

/// `backend "local"`.
pub(crate) const LOCAL_BACKEND: Shape = Shape {
    arguments: &[("path", Constant), ("workspace_dir", Constant)],
    required: &[],
    blocks: &[],
    newer: &[],
    is_open: true,
};

pub(crate) const CLOUD: Shape =
    Shape { arguments: &[], required: &[], blocks: &[("workspaces", &[])], newer: &[], is_open: true };

pub(crate) const CLOUD_WORKSPACES: Shape =
    Shape { arguments: &[("name", Constant)], required: &[], blocks: &[], newer: &[], is_open: true };

pub(crate) const CHECK: Shape = Shape {
    arguments: &[],
    required: &[],
    blocks: &[("data", &["type", "name"]), ("assert", &[])],
    newer: &[],
    is_open: false,
};

pub(crate) const MOVED: Shape = Shape {
    arguments: &[("from", Name), ("to", Name)],
    required: &["from", "to"],
    blocks: &[],
    newer: &[],
    is_open: false,
};

pub(crate) const REMOVED: Shape = Shape {
    arguments: &[("from", Name)],
    required: &["from"],
    blocks: &[("lifecycle", &[]), ("connection", &[]), ("provisioner", &["type"])],
    newer: &[("connection", Edition(9)), ("provisioner", Edition(9))],
    is_open: false,
};

pub(crate) const REMOVED_LIFECYCLE: Shape =
    Shape { arguments: &[("destroy", Constant)], required: &[], blocks: &[], newer: &[], is_open: false };

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
    newer: &[("for_each", Edition(7)), ("identity", Edition(12))],
    is_open: false,
};
