//! Which resources are shown, and which options match none.

use objchange_text::similar;
use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use objchange::address::{modules_of, strip_keys};
use objchange_plan::{ChangeSet, Document, Filter, ResourceActions};

/// Names that are longer are no proposal: what it costs to compare two grows with the product of their lengths.
const LONGEST: usize = 300;

/// Which resources to show.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    #[command(flatten)]
    places: Places,

    /// Show only resources of this type; `*` matches anything. Can be repeated
    #[arg(long = "type", value_name = "TYPE-GLOB")]
    types: Vec<String>,
}

/// Which resources to show, where `--type` says something else.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Places {
    /// Show only this resource, all its instances, or everything in this module. Without an index it matches all
    /// instances; `*` matches anything. Can be repeated
    #[arg(long, value_name = "ADDRESS-GLOB")]
    only: Vec<String>,

    /// Hide resources that match, as for --only. Can be repeated
    #[arg(long, value_name = "ADDRESS-GLOB")]
    exclude: Vec<String>,

    /// Show only resources in this module, e.g. `module.net`, and in the modules inside it. Can be repeated
    #[arg(long = "module", value_name = "MODULE-ADDRESS")]
    modules: Vec<String>,

    /// Show only resources with one of these actions, separated by commas
    #[arg(long, value_name = "ACTION", value_delimiter = ',')]
    action: Vec<ActionArg>,

    /// Show only changes made outside of Terraform, including those irrelevant to the plan
    #[arg(long)]
    drift: bool,
}

impl From<Places> for Choice {
    fn from(places: Places) -> Self {
        Self { places, types: Vec::new() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ActionArg {
    Create,
    Read,
    Update,
    /// Destroyed and not created again.
    #[value(alias = "destroy")]
    Delete,
    /// Destroyed and created again.
    Replace,
    Forget,
    /// Moved or imported without a change.
    NoOp,
}

/// Every way to replace an object.
pub(super) const REPLACEMENTS: [ResourceActions; 4] = [
    ResourceActions::DeleteThenCreate,
    ResourceActions::CreateThenDelete,
    ResourceActions::CreateThenForget,
    ResourceActions::ForgetThenCreate,
];

impl ActionArg {
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

impl Choice {
    /// Whether it chooses by what happens to resources.
    pub(crate) fn is_of_changes(&self) -> bool {
        self.places.drift || !self.places.action.is_empty()
    }

    pub(crate) fn filter(&self) -> Filter {
        let mut filter = Filter::default();
        filter = self.places.only.iter().fold(filter, |filter, glob| filter.address(glob));
        filter = self.places.exclude.iter().fold(filter, |filter, glob| filter.without(glob));
        filter = self.types.iter().fold(filter, |filter, glob| filter.resource_type(glob));
        filter = self.places.modules.iter().fold(filter, |filter, glob| filter.module(glob));
        filter = self.places.action.iter().fold(filter, |filter, action| filter.actions(action.actions()));
        if self.places.drift { filter.only_drift() } else { filter }
    }

    /// Whether it shows drift alone.
    pub(crate) fn is_of_drift(&self) -> bool {
        self.places.drift
    }

    /// Whether it shows resources to which one of these happens.
    pub(crate) fn shows_any(&self, actions: &[ResourceActions]) -> bool {
        let shown = || self.places.action.iter().flat_map(|action| action.actions());
        self.places.action.is_empty() || shown().any(|action| actions.contains(action))
    }

    /// The options that match none of these resources, each with the most similar name there is.
    pub(crate) fn unmatched(&self, places: &[(&str, &str)]) -> Vec<String> {
        let is_by_place = !(self.places.only.is_empty()
            && self.places.exclude.is_empty()
            && self.types.is_empty()
            && self.places.modules.is_empty());
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
        let mut note = |option: &str, wanted: &str, names: BTreeSet<String>| {
            let nearest = similar(wanted, names.iter().map(String::as_str));
            let nearest = nearest.first().map(|name| format!(": did you mean {name}?"));
            unmatched.push(format!("{option} {wanted} matches nothing here{}", nearest.unwrap_or_default()));
        };
        for (option, globs) in [("--only", &self.places.only), ("--exclude", &self.places.exclude)] {
            for glob in globs.iter().filter(|glob| names_none(Filter::default().address(glob))) {
                note(option, glob, addresses());
            }
        }
        for glob in self.types.iter().filter(|glob| names_none(Filter::default().resource_type(glob))) {
            note("--type", glob, places.iter().map(|(_, ty)| (*ty).to_owned()).collect());
        }
        for glob in self.places.modules.iter().filter(|glob| names_none(Filter::default().module(glob))) {
            note("--module", glob, modules().collect());
        }
        if unmatched.is_empty() && names_none(self.filter()) {
            unmatched.push("together these options match nothing here".to_owned());
        }
        unmatched
    }
}

/// The address and the type of each resource and action of the document.
pub(crate) fn places<'d>(document: &'d Document<'_>) -> Vec<(&'d str, &'d str)> {
    match document {
        Document::State(state) => state.resources.iter().map(|r| (&*r.address, &*r.resource_type)).collect(),
        Document::Plan(plan) => changed_places(&plan.changes),
    }
}

/// The same of changes.
pub(crate) fn changed_places<'d>(changes: &'d ChangeSet<'_>) -> Vec<(&'d str, &'d str)> {
    let actions = changes.invocations.iter().map(|a| (&*a.address, &*a.action_type));
    changes.all_resources().map(|r| (&*r.address, &*r.resource_type)).chain(actions).collect()
}

/// The modules that an address is in.
fn around(address: &str) -> Vec<String> {
    modules_of(address).take_while(|module| module.len() <= LONGEST).map(str::to_owned).collect()
}
