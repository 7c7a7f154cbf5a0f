//! The resources selected by options, and the options that match none.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use objchange::address::{modules_of, strip_keys};
use objchange_text::similar;

use super::Filter;
use crate::ignore::IgnoredPath;
use objchange_document::changes::ResourceActions;
use objchange_document::{ChangeSet, Document, PlanFile};

/// Longer names are not suggested: comparing two names costs the product of their lengths.
const LONGEST: usize = 300;

/// Resources that are chosen by their place, by their type, and by what happens to them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Globs of addresses of resources and modules.
    pub only: Vec<String>,
    /// Globs to leave out.
    pub exclude: Vec<String>,
    /// Globs of types.
    pub types: Vec<String>,
    /// Modules.
    pub modules: Vec<String>,
    /// Their actions.
    pub actions: Vec<SelectedAction>,
    /// Changes outside of Terraform alone.
    pub drift: bool,
    /// No changes outside of Terraform.
    pub no_drift: bool,
    /// Paths of values that are ignored in all of them.
    pub ignored: Vec<IgnoredPath>,
}

/// An action by which resources are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectedAction {
    /// They are created.
    Create,
    /// They are read.
    Read,
    /// They are updated.
    Update,
    /// They are destroyed and not created again.
    Delete,
    /// They are destroyed or forgotten, and created again.
    Replace,
    /// They are no longer managed.
    Forget,
    /// They are moved or imported without a change.
    NoOp,
}

/// Every way to replace an object.
pub(super) const REPLACEMENTS: [ResourceActions; 4] = [
    ResourceActions::DeleteThenCreate,
    ResourceActions::CreateThenDelete,
    ResourceActions::CreateThenForget,
    ResourceActions::ForgetThenCreate,
];

impl FromStr for SelectedAction {
    type Err = &'static str;

    /// Reads its name; `destroy` is the same as `delete`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let name = if name == "destroy" { "delete" } else { name };
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or("there is no such name")
    }
}

impl SelectedAction {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Create, Self::Read, Self::Update, Self::Delete, Self::Replace, Self::Forget, Self::NoOp];

    /// Its name: `no-op`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Replace => "replace",
            Self::Forget => "forget",
            Self::NoOp => "no-op",
        }
    }

    fn actions(self) -> &'static [ResourceActions] {
        match self {
            Self::Create => &[ResourceActions::Create],
            Self::Read => &[ResourceActions::Read],
            Self::Update => &[ResourceActions::Update],
            Self::Delete => &[ResourceActions::Delete],
            Self::Replace => &REPLACEMENTS,
            Self::Forget => &[ResourceActions::Forget],
            Self::NoOp => &[ResourceActions::NoOp],
        }
    }
}

impl Selection {
    /// Whether it chooses, or ignores, by what happens to resources.
    pub fn is_of_changes(&self) -> bool {
        self.drift || self.no_drift || !self.actions.is_empty() || !self.ignored.is_empty()
    }

    /// The filter of reports.
    pub fn filter(&self) -> Filter {
        let mut filter = Filter::default();
        filter = self.only.iter().fold(filter, |filter, glob| filter.address(glob));
        filter = self.exclude.iter().fold(filter, |filter, glob| filter.without(glob));
        filter = self.types.iter().fold(filter, |filter, glob| filter.resource_type(glob));
        filter = self.modules.iter().fold(filter, |filter, glob| filter.module(glob));
        filter = self.actions.iter().fold(filter, |filter, action| filter.actions(action.actions()));
        filter = self.ignored.iter().cloned().fold(filter, Filter::ignoring);
        filter = if self.no_drift { filter.without_drift() } else { filter };
        if self.drift { filter.only_drift() } else { filter }
    }

    /// Whether it shows resources to which one of these happens.
    pub(super) fn shows_any(&self, actions: &[ResourceActions]) -> bool {
        let shown = || self.actions.iter().flat_map(|action| action.actions());
        self.actions.is_empty() || shown().any(|action| actions.contains(action))
    }

    /// The parts that match none of these resources, each with the most similar name there is.
    pub fn unmatched(&self, places: &[(&str, &str)]) -> Vec<Unmatched> {
        let is_by_place = !(self.only.is_empty()
            && self.exclude.is_empty()
            && self.types.is_empty()
            && self.modules.is_empty());
        if !is_by_place {
            return Vec::new();
        }
        let names_none =
            |filter: Filter| !places.iter().any(|(address, ty)| filter.matches_place(address, ty));
        let resources = || places.iter().map(|(address, _)| (*address).to_owned());
        let stripped = || places.iter().map(|(address, _)| strip_keys(address));
        let modules = || {
            let all = resources().chain(stripped()).flat_map(|address| around(&address));
            all.filter(|module| !module.is_empty())
        };
        let addresses = || resources().chain(stripped()).chain(modules()).collect();
        let mut unmatched = Vec::new();
        let mut note = |part: &'static str, glob: &str, names: BTreeSet<String>| {
            let nearest = similar(glob, names.iter().map(String::as_str));
            let meant = nearest.first().map(|name| (*name).to_owned());
            unmatched.push(Unmatched::Part { part, glob: glob.to_owned(), meant });
        };
        for (part, globs) in [("only", &self.only), ("exclude", &self.exclude)] {
            for glob in globs.iter().filter(|glob| names_none(Filter::default().address(glob))) {
                note(part, glob, addresses());
            }
        }
        for glob in self.types.iter().filter(|glob| names_none(Filter::default().resource_type(glob))) {
            note("type", glob, places.iter().map(|(_, ty)| (*ty).to_owned()).collect());
        }
        for glob in self.modules.iter().filter(|glob| names_none(Filter::default().module(glob))) {
            note("module", glob, modules().collect());
        }
        if unmatched.is_empty() && names_none(self.filter()) {
            unmatched.push(Unmatched::Together);
        }
        unmatched
    }
}

/// Something of a selection that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmatched {
    /// One part of it.
    Part {
        /// Which: `only`, `exclude`, `type` or `module`.
        part: &'static str,
        /// The glob.
        glob: String,
        /// A name that may be meant.
        meant: Option<String>,
    },
    /// Each part matches something, and all of them together nothing.
    Together,
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part { part, glob, meant } => {
                write!(f, "{part} {glob} matches nothing here")?;
                meant.iter().try_for_each(|name| write!(f, ": did you mean {name}?"))
            }
            Self::Together => f.write_str("together these options match nothing here"),
        }
    }
}

/// The address and the type of each resource and action of a plan or state.
pub fn places(file: &PlanFile) -> Vec<(&str, &str)> {
    if let Some(changes) = file.changes() {
        return changed_places(changes);
    }
    match file.document() {
        Document::State(state) => state.resources.iter().map(|r| (&*r.address, &*r.resource_type)).collect(),
        Document::Plan(plan) => changed_places(&plan.changes),
    }
}

/// The addresses and types of changes.
pub fn changed_places<'d>(changes: &'d ChangeSet<'_>) -> Vec<(&'d str, &'d str)> {
    let actions = changes.all_invocations().map(|a| (&*a.address, &*a.action_type));
    changes.all_resources().map(|r| (&*r.address, &*r.resource_type)).chain(actions).collect()
}

/// The modules that an address is in.
fn around(address: &str) -> Vec<String> {
    modules_of(address).take_while(|module| module.len() <= LONGEST).map(str::to_owned).collect()
}
