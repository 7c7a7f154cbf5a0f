//! The kinds of items that expressions can be about, and their fields.

use objchange_document::{PlanFile, PlanFileError, PlanFileErrorKind};

use super::beside;
use super::kinds::Kinds;
use crate::{Field, FieldKind, tfconfig, tfplan, tfstate};

/// The collection that a query searches: of a plan, of its state or of its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CollectionKind {
    /// Changes of resource instances.
    #[default]
    ResourceChanges,
    /// The changes of resource instances made outside of Terraform.
    ResourceDrift,
    /// Changes of the root module's outputs.
    OutputChanges,
    /// The variables of the root module.
    Variables,
    /// The resource instances as they will be.
    PlannedValues,
    /// The resource instances of a state, or of the state that a plan starts from.
    State,
    /// The resources of the configuration.
    Config,
    /// Changes that are left to the next plan.
    Deferred,
    /// Things that are checked: `check` blocks, and the conditions of resources, outputs and variables.
    Checks,
    /// Actions that are invoked, or left to the next plan.
    Actions,
}

impl CollectionKind {
    /// Refuses a plan that does not say what a query about this needs: for changes all of them, with known actions.
    ///
    /// # Errors
    ///
    /// As [`PlanFile::judged`], but changes that are missing or unknown do not matter to the other collections.
    pub fn check(self, file: &PlanFile) -> Result<(), PlanFileError> {
        let is_of_changes = matches!(
            self,
            Self::ResourceChanges
                | Self::ResourceDrift
                | Self::OutputChanges
                | Self::Deferred
                | Self::Actions
        );
        match file.judged() {
            Err(error) if is_of_changes || !is_about_changes(&error.kind) => Err(error),
            _ => Ok(()),
        }
    }
}

fn is_about_changes(kind: &PlanFileErrorKind) -> bool {
    matches!(kind, PlanFileErrorKind::MissingChange(_) | PlanFileErrorKind::UnknownAction(_))
}

/// The statically known shape of an expression.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Nothing.
    Any,
    /// A value of these kinds, without fields.
    Leaf(Kinds),
    /// A list, with elements of these kinds.
    List(Kinds),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these words.
    Words(&'static [&'static str]),
    /// It has these fields.
    Object(&'static Model),
}

impl Shape {
    /// The shape of a field of this kind.
    pub(super) fn from_kind(kind: FieldKind) -> Self {
        match kind {
            FieldKind::Text => Self::Leaf(Kinds::STRING),
            // OpenTofu 1.11 writes changes of mode `ephemeral`.
            FieldKind::Mode => Self::Word(&["managed", "data", "ephemeral", "list"]),
            // An unknown one is known after apply.
            FieldKind::Status => Self::Word(&["pass", "fail", "error"]),
            FieldKind::Bool => Self::Leaf(Kinds::BOOL),
            FieldKind::Index => Self::Leaf(Kinds::STRING.or(Kinds::NUMBER).or(Kinds::NULL)),
            FieldKind::Texts => Self::List(Kinds::STRING),
            FieldKind::Actions => Self::Words(&["no-op", "create", "read", "update", "delete", "forget"]),
            FieldKind::Change => Self::Object(&CHANGE),
            FieldKind::Value | FieldKind::Marks | FieldKind::Expressions | FieldKind::Provisioners => {
                Self::Any
            }
        }
    }

    /// The kinds of its values.
    pub(super) fn kinds(self) -> Kinds {
        match self {
            Self::Any => Kinds::ANY,
            Self::Leaf(kinds) => kinds,
            Self::List(_) | Self::Words(_) => Kinds::LIST,
            Self::Word(_) => Kinds::STRING,
            Self::Object(_) => Kinds::MAP,
        }
    }

    /// The shape of its elements, if it is a list.
    pub(super) fn element(self) -> Option<Self> {
        match self {
            // The fields of maps are unknown.
            Self::List(kinds) if kinds == Kinds::NONE || !kinds.never_equal(Kinds::MAP) => Some(Self::Any),
            Self::List(kinds) => Some(Self::Leaf(kinds)),
            Self::Words(words) => Some(Self::Word(words)),
            _ => None,
        }
    }

    /// A list of values like this one.
    pub(super) fn listed(self) -> Self {
        match self {
            Self::Word(words) => Self::Words(words),
            shape => Self::List(shape.kinds()),
        }
    }

    /// The shape of a value that has one of two shapes.
    pub(super) fn either(self, other: Self) -> Self {
        match (self, other) {
            (Self::List(Kinds::NONE), list) | (list, Self::List(Kinds::NONE))
                if list.elements().is_some() =>
            {
                list
            }
            (Self::Words(words), Self::Words(others)) if std::ptr::eq(words, others) => self,
            (Self::Word(words), Self::Word(others)) if std::ptr::eq(words, others) => self,
            (Self::Leaf(kinds), Self::Leaf(others)) => Self::Leaf(kinds.or(others)),
            _ => match (self.elements(), other.elements()) {
                (Some(kinds), Some(others)) => Self::List(kinds.or(others)),
                _ => Self::Any,
            },
        }
    }

    /// The kinds of its elements, if it is a list.
    pub(super) fn elements(self) -> Option<Kinds> {
        match self {
            Self::List(kinds) => Some(kinds),
            Self::Words(_) => Some(Kinds::STRING),
            _ => None,
        }
    }
}

/// The fields of an object.
#[derive(Debug)]
pub(super) struct Model {
    /// Its name.
    pub(super) name: &'static str,
    pub(super) fields: &'static [Field],
    /// Fields that Sentinel's collections do not have.
    pub(super) more: &'static [Field],
}

impl Model {
    pub(super) fn field(&self, name: &str) -> Option<Shape> {
        let mut all = self.fields.iter().chain(self.more);
        all.find(|(field, _)| *field == name).map(|(_, kind)| Shape::from_kind(*kind))
    }

    pub(super) fn all_names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().chain(self.more).map(|(name, _)| *name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|(name, _)| *name)
    }
}

impl CollectionKind {
    /// The model of `rc`.
    pub(super) fn model(self) -> &'static Model {
        match self {
            Self::ResourceChanges | Self::ResourceDrift => &RESOURCE_CHANGE,
            Self::OutputChanges => &OUTPUT_CHANGE,
            Self::Variables => &VARIABLE,
            Self::PlannedValues | Self::State => &RESOURCE,
            Self::Config => &CONFIG_RESOURCE,
            Self::Deferred => &DEFERRED_CHANGE,
            Self::Checks => &CHECK,
            Self::Actions => &ACTION,
        }
    }
}

pub(super) static RESOURCE_CHANGE: Model =
    Model { name: "a resource change", fields: tfplan::ResourceChange::FIELDS, more: OF_RESOURCE_CHANGE };

const OF_RESOURCE_CHANGE: &[Field] =
    &[("previous_address", FieldKind::Text), ("action_reason", FieldKind::Text)];

pub(super) static DEFERRED_CHANGE: Model =
    Model { name: "a deferred change", fields: beside::DeferredChange::FIELDS, more: OF_RESOURCE_CHANGE };

pub(super) static CHECK: Model = Model { name: "a check", fields: beside::Check::FIELDS, more: &[] };

pub(super) static ACTION: Model = Model { name: "an action", fields: beside::Action::FIELDS, more: &[] };

pub(super) static OUTPUT_CHANGE: Model =
    Model { name: "an output change", fields: tfplan::OutputChange::FIELDS, more: &[] };

pub(super) static CHANGE: Model = Model {
    name: "a change",
    fields: tfplan::Change::FIELDS,
    more: &[
        ("importing", FieldKind::Value),
        ("replace_paths", FieldKind::Value),
        ("before_identity", FieldKind::Value),
        ("after_identity", FieldKind::Value),
    ],
};

pub(super) static VARIABLE: Model = Model { name: "a variable", fields: tfplan::Variable::FIELDS, more: &[] };

pub(super) static RESOURCE: Model =
    Model { name: "a resource", fields: tfstate::Resource::FIELDS, more: &[] };

pub(super) static CONFIG_RESOURCE: Model =
    Model { name: "a resource of the configuration", fields: tfconfig::Resource::FIELDS, more: &[] };

pub(super) static PLAN: Model = Model {
    name: "the plan",
    fields: &[("terraform_version", FieldKind::Text), ("variables", FieldKind::Value)],
    more: &[],
};
