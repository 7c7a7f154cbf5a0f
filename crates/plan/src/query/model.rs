//! What an expression can be about, and which fields that has.

/// What a query asks about: a collection of a plan, of its state or of its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Of {
    /// What happens to resource instances.
    #[default]
    ResourceChanges,
    /// What has happened to resource instances outside of Terraform.
    ResourceDrift,
    /// What happens to the outputs of the root module.
    OutputChanges,
    /// The variables of the root module.
    Variables,
    /// The resource instances as they will be.
    PlannedValues,
    /// The resource instances of a state, or of the state that a plan starts from.
    State,
    /// The resources of the configuration.
    Config,
}

/// What the checks of an expression know of a part of it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Nothing.
    Any,
    /// It has no fields.
    Leaf,
    /// It has these fields.
    Object(&'static Model),
}

/// The fields of an object.
#[derive(Debug)]
pub(super) struct Model {
    /// What it is called.
    pub(super) name: &'static str,
    pub(super) fields: &'static [(&'static str, Shape)],
}

impl Model {
    pub(super) fn field(&self, name: &str) -> Option<Shape> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, shape)| *shape)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|(name, _)| *name)
    }
}

impl Of {
    /// What `rc` is.
    pub(super) fn model(self) -> &'static Model {
        match self {
            Self::ResourceChanges | Self::ResourceDrift => &RESOURCE_CHANGE,
            Self::OutputChanges => &OUTPUT_CHANGE,
            Self::Variables => &VARIABLE,
            Self::PlannedValues | Self::State => &RESOURCE,
            Self::Config => &CONFIG_RESOURCE,
        }
    }
}

use Shape::{Any, Leaf};

pub(super) static RESOURCE_CHANGE: Model = Model {
    name: "a resource change",
    fields: &[
        ("address", Leaf),
        ("module_address", Leaf),
        ("mode", Leaf),
        ("type", Leaf),
        ("name", Leaf),
        ("index", Leaf),
        ("provider_name", Leaf),
        ("deposed", Leaf),
        ("change", Shape::Object(&CHANGE)),
    ],
};

pub(super) static OUTPUT_CHANGE: Model =
    Model { name: "an output change", fields: &[("name", Leaf), ("change", Shape::Object(&CHANGE))] };

pub(super) static CHANGE: Model = Model {
    name: "a change",
    fields: &[("actions", Leaf), ("before", Any), ("after", Any), ("after_unknown", Any)],
};

pub(super) static VARIABLE: Model = Model { name: "a variable", fields: &[("name", Leaf), ("value", Any)] };

pub(super) static RESOURCE: Model = Model {
    name: "a resource",
    fields: &[
        ("address", Leaf),
        ("module_address", Leaf),
        ("mode", Leaf),
        ("type", Leaf),
        ("name", Leaf),
        ("index", Leaf),
        ("provider_name", Leaf),
        ("values", Any),
        ("depends_on", Leaf),
        ("tainted", Leaf),
        ("deposed_key", Leaf),
    ],
};

pub(super) static CONFIG_RESOURCE: Model = Model {
    name: "a resource of the configuration",
    fields: &[
        ("address", Leaf),
        ("module_address", Leaf),
        ("mode", Leaf),
        ("type", Leaf),
        ("name", Leaf),
        ("provider_config_key", Leaf),
        ("provisioners", Any),
        ("config", Any),
        ("count", Any),
        ("for_each", Any),
        ("depends_on", Leaf),
    ],
};

pub(super) static PLAN: Model =
    Model { name: "the plan", fields: &[("terraform_version", Leaf), ("variables", Any)] };
