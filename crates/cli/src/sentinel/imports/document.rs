//! A document of which many policies are asked, on many threads at once: read once, and each part of it when somebody
//! first looks at it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use objchange_plan::tfconfig::TfConfig;
use objchange_plan::tfplan::{RawMember, TfPlan};
use objchange_plan::tfstate::TfState;
use objchange_plan::{Collection, Document as Read, DocumentError, Plan};

use super::items::Items;

/// A collection of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Changes,
    Drift,
    OutputChanges,
    PlanVariables,
    PlannedResources,
    PlannedOutputs,
    Raw,
    Resources,
    Outputs,
    Providers,
    ConfigResources,
    Provisioners,
    ConfigVariables,
    ConfigOutputs,
    ModuleCalls,
}

impl Of {
    pub(super) const COUNT: usize = Self::ModuleCalls as usize + 1;
}

/// A plan, or a state, with its text.
pub(crate) struct Document {
    read: WithText,
    /// The positions of the items of each collection, in the order of their keys.
    orders: [OnceLock<Box<[u32]>>; Of::COUNT],
}

self_cell::self_cell!(
    struct WithText {
        owner: Arc<String>,
        #[not_covariant]
        dependent: Collections,
    }
);

/// What stands in a document.
struct Collections<'t> {
    plan: Option<OfPlan<'t>>,
    state: OnceLock<Result<TfState<'t>, DocumentError>>,
    nothing: Collection<'t, RawMember<'t>>,
}

struct OfPlan<'t> {
    plan: Plan<'t>,
    collections: TfPlan<'t>,
    config: OnceLock<Result<TfConfig<'t>, DocumentError>>,
}

impl Document {
    /// Reads a plan, or a state.
    pub(crate) fn new(text: Arc<String>) -> Result<Self, DocumentError> {
        let read = WithText::try_new(text, |text| Collections::new(text))?;
        Ok(Self { read, orders: Default::default() })
    }

    /// Whether it is a plan.
    pub(crate) fn is_plan(&self) -> bool {
        self.read.with_dependent(|_, collections| collections.plan.is_some())
    }

    /// Looks at the plan itself.
    pub(super) fn plan<T>(&self, look: impl FnOnce(&TfPlan<'_>) -> T) -> Option<T> {
        self.read.with_dependent(|_, collections| collections.plan.as_ref().map(|of| look(&of.collections)))
    }

    /// The version of Terraform that wrote the state.
    pub(super) fn state_version(&self) -> Result<Option<String>, DocumentError> {
        self.read.with_dependent(|_, collections| {
            let version = collections.state()?.terraform_version.as_ref();
            Ok(version.map(|version| version.as_str().to_owned()))
        })
    }

    /// Looks at the items of a collection.
    pub(super) fn items<T>(
        &self,
        of: Of,
        look: impl FnOnce(&dyn Items<'_>) -> T,
    ) -> Result<T, DocumentError> {
        self.read.with_dependent(|_, collections| collections.items(of).map(look))
    }

    /// The positions of the items of a collection, in the order of their keys.
    pub(super) fn order(&self, of: Of) -> &[u32] {
        self.orders[of as usize].get_or_init(|| {
            let sorted = self.items(of, |items| {
                // A document has no more of them than bytes, and less than 4 Gi of these in each.
                let mut order: Box<[u32]> = (0..items.count() as u32).collect();
                order.sort_by_key(|position| items.key(*position as usize));
                order
            });
            sorted.unwrap_or_default()
        })
    }
}

/// Nothing of it: it holds secrets.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}

impl<'t> Collections<'t> {
    fn new(text: &'t str) -> Result<Self, DocumentError> {
        let nothing = Collection::default();
        Ok(match Read::parse(text)? {
            Read::State(state) => {
                Self { plan: None, state: OnceLock::from(Ok(TfState::new(state)?)), nothing }
            }
            Read::Plan(plan) => {
                let collections = TfPlan::new(&plan)?;
                let plan = Some(OfPlan { plan, collections, config: OnceLock::new() });
                Self { plan, state: OnceLock::new(), nothing }
            }
        })
    }

    fn items(&self, of: Of) -> Result<&dyn Items<'t>, DocumentError> {
        if let Of::Resources | Of::Outputs = of {
            let state = self.state()?;
            return Ok(if of == Of::Resources { &state.resources } else { &state.outputs });
        }
        let Some(plan) = &self.plan else { return Ok(&self.nothing) };
        let collections = &plan.collections;
        Ok(match of {
            Of::Changes => &collections.resource_changes,
            Of::Drift => &collections.resource_drift,
            Of::OutputChanges => &collections.output_changes,
            Of::PlanVariables => &collections.variables,
            Of::PlannedResources => &collections.planned_values.resources,
            Of::PlannedOutputs => &collections.planned_values.outputs,
            Of::Raw | Of::Resources | Of::Outputs => &collections.raw.members,
            Of::Providers => &plan.config()?.providers,
            Of::ConfigResources => &plan.config()?.resources,
            Of::Provisioners => &plan.config()?.provisioners,
            Of::ConfigVariables => &plan.config()?.variables,
            Of::ConfigOutputs => &plan.config()?.outputs,
            Of::ModuleCalls => &plan.config()?.module_calls,
        })
    }

    /// The state, or the one that the plan starts from.
    fn state(&self) -> Result<&TfState<'t>, DocumentError> {
        let read =
            || self.plan.as_ref().map_or_else(|| Ok(TfState::default()), |of| TfState::prior(&of.plan));
        self.state.get_or_init(read).as_ref().map_err(Clone::clone)
    }
}

impl<'t> OfPlan<'t> {
    fn config(&self) -> Result<&TfConfig<'t>, DocumentError> {
        self.config.get_or_init(|| TfConfig::new(&self.plan)).as_ref().map_err(Clone::clone)
    }
}
