//! The documents that queries search.

use objchange_document::{Document, DocumentError, PlanSection};

use super::beside::{Action, Check, DeferredChange};
use super::item::{Item, Kind};
use super::model::CollectionKind;
use crate::collection::Collection;
use crate::tfconfig::TfConfig;
use crate::tfplan::TfPlan;
use crate::tfstate::TfState;

/// A document, read for a query.
#[derive(Debug)]
pub struct Subject<'t> {
    collection: CollectionKind,
    plan: Option<TfPlan<'t>>,
    state: TfState<'t>,
    config: TfConfig<'t>,
    deferred: Vec<DeferredChange<'t>>,
    checks: Vec<Check<'t>>,
    actions: Vec<Action<'t>>,
}

/// A document cannot be queried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// The document cannot be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The document is a state, without changes, variables or configuration.
    #[error("this is a state; this collection exists only in plans")]
    IsState,
}

impl SubjectError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Document(error) => error.problem.kind(),
            Self::IsState => "is_state",
        }
    }
}

impl<'t> Subject<'t> {
    /// Reads what a query about `of` needs.
    ///
    /// # Errors
    ///
    /// The document cannot be read, or is a state where a plan is needed.
    pub fn new(collection: CollectionKind, document: &Document<'t>) -> Result<Self, SubjectError> {
        let mut subject = Self {
            collection,
            plan: None,
            state: TfState::default(),
            config: TfConfig::default(),
            deferred: Vec::new(),
            checks: Vec::new(),
            actions: Vec::new(),
        };
        match document {
            Document::State(state) if collection == CollectionKind::State => {
                subject.state = TfState::new(state.clone())?;
            }
            // Every other collection would be empty, and the answer would be that nothing matches.
            Document::State(_) => return Err(SubjectError::IsState),
            Document::Plan(plan) => {
                match collection {
                    // Without its section a collection is empty, and the answer would be that nothing matches.
                    CollectionKind::PlannedValues => plan.require(PlanSection::PlannedValues)?,
                    CollectionKind::State => plan.require(PlanSection::PriorState)?,
                    CollectionKind::Config => plan.require(PlanSection::Configuration)?,
                    CollectionKind::Variables => plan.require(PlanSection::Variables)?,
                    _ => {}
                }
                let tfplan = TfPlan::new(plan)?;
                match collection {
                    CollectionKind::State => subject.state = TfState::prior_with(plan, tfplan.raw.stated())?,
                    CollectionKind::Config => {
                        subject.config = TfConfig::with_marks(plan, tfplan.raw.marks())?;
                    }
                    CollectionKind::Deferred => subject.deferred = DeferredChange::all(plan, &tfplan)?,
                    CollectionKind::Checks => subject.checks = Check::all(plan)?,
                    CollectionKind::Actions => subject.actions = Action::all(plan, &tfplan)?,
                    _ => {}
                }
                subject.plan = Some(tfplan);
            }
        }
        Ok(subject)
    }

    /// The items of the collection with their keys, in the order of the document, and then those that there may be.
    pub fn items(&self) -> Box<dyn Iterator<Item = (&str, Item<'_, 't>)> + '_> {
        fn with_keys<'s, 't, T>(
            items: Option<&'s Collection<'t, T>>,
            kind: fn(&'s T) -> Kind<'s, 't>,
        ) -> Box<dyn Iterator<Item = (&'s str, Item<'s, 't>)> + 's> {
            let items = items.into_iter().flat_map(Collection::iter);
            Box::new(items.map(move |(key, item)| (key, Item(kind(item), false))))
        }
        let plan = self.plan.as_ref();
        let possible = plan.into_iter().flat_map(move |plan| match self.collection {
            CollectionKind::ResourceChanges | CollectionKind::PlannedValues => {
                plan.simulated.instances.iter()
            }
            CollectionKind::ResourceDrift => plan.simulated.drift.iter(),
            CollectionKind::State => plan.simulated.prior.iter(),
            CollectionKind::Config
            | CollectionKind::Deferred
            | CollectionKind::Checks
            | CollectionKind::Actions => plan.simulated.modules.iter(),
            _ => [].iter(),
        });
        let model = self.collection.model();
        let possible = possible.map(|item| (item.address.as_str(), Item(Kind::Possible(item, model), true)));
        // These have no keys: an action may be invoked several times.
        match self.collection {
            CollectionKind::Deferred => {
                let items = self.deferred.iter();
                let items =
                    items.map(|one| (&*one.resource.address, Item(Kind::Deferred(one), one.is_possible)));
                return Box::new(items.chain(possible));
            }
            CollectionKind::Checks => {
                let items = self.checks.iter().map(|one| (&*one.address, Item(Kind::Check(one), false)));
                return Box::new(items.chain(possible));
            }
            CollectionKind::Actions => {
                let items = self.actions.iter();
                let items = items.map(|one| (&*one.address, Item(Kind::Action(one), one.is_possible)));
                return Box::new(items.chain(possible));
            }
            _ => {}
        }
        let items = match self.collection {
            CollectionKind::ResourceChanges => {
                with_keys(plan.map(|plan| &plan.resource_changes), Kind::ResourceChange)
            }
            CollectionKind::ResourceDrift => {
                with_keys(plan.map(|plan| &plan.resource_drift), Kind::ResourceChange)
            }
            CollectionKind::OutputChanges => {
                with_keys(plan.map(|plan| &plan.output_changes), Kind::OutputChange)
            }
            CollectionKind::Variables => with_keys(plan.map(|plan| &plan.variables), Kind::Variable),
            CollectionKind::PlannedValues => {
                with_keys(plan.map(|plan| &plan.planned_values.resources), Kind::Resource)
            }
            CollectionKind::State => with_keys(Some(&self.state.resources), Kind::Resource),
            CollectionKind::Config => with_keys(Some(&self.config.resources), Kind::Config),
            _ => Box::new(std::iter::empty()),
        };
        let may_lack = move |key: &str| {
            plan.is_some_and(|plan| match self.collection {
                CollectionKind::ResourceChanges => plan.simulated.may_lack(false, key),
                CollectionKind::PlannedValues => plan.simulated.may_lack(true, key),
                _ => false,
            })
        };
        Box::new(items.map(move |(key, Item(kind, _))| (key, Item(kind, may_lack(key)))).chain(possible))
    }

    /// The `plan` variable of expressions.
    pub(super) fn plan(&self) -> Kind<'_, 't> {
        let plan = self.plan.as_ref();
        let version = plan.and_then(|plan| plan.terraform_version.as_ref());
        let version = version.or(self.state.terraform_version.as_ref());
        Kind::Plan(version.map(objchange_document::Text::as_str), plan.map(|plan| &plan.variables))
    }
}
