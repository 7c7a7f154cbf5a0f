//! The sections that every whole plan has.

use hashbrown::HashSet;

use super::error::{DocumentError, Problem};
use super::{Plan, State};
use crate::changes::{ChangedResource, ResourceActions};
use crate::json::{Json, View};

/// A section that Terraform writes into every plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum PlanSection {
    PlannedValues,
    /// Where something existed before.
    PriorState,
    Configuration,
    /// Where the configuration declares variables.
    Variables,
    TerraformVersion,
}

impl PlanSection {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::PlannedValues, Self::PriorState, Self::Configuration, Self::Variables, Self::TerraformVersion];

    /// Its name in the document.
    pub fn name(self) -> &'static str {
        match self {
            Self::PlannedValues => "planned_values",
            Self::PriorState => "prior_state",
            Self::Configuration => "configuration",
            Self::Variables => "variables",
            Self::TerraformVersion => "terraform_version",
        }
    }

    /// The section with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }
}

/// Why a section cannot be believed.
#[derive(Debug, Clone)]
pub(super) enum Untold {
    /// It is not there.
    All,
    /// It lacks the object of this address, with which something happens.
    Object(String),
}

impl Plan<'_> {
    /// Whoever decides by a section asks for it first: where somebody has left it out, or emptied it, nothing is in it, and
    /// every rule about it would pass. A plan with an error may lack any.
    ///
    /// ```
    /// use objchange_plan::{Plan, PlanSection};
    ///
    /// let plan = Plan::parse(r#"{"format_version":"1.2","configuration":{"root_module":{}}}"#)?;
    /// assert!(plan.require(PlanSection::Configuration).is_ok());
    /// assert!(plan.require(PlanSection::PlannedValues).is_err());
    /// # Ok::<(), objchange_plan::DocumentError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The document does not have it, or it lacks an object that is among the changes.
    pub fn require(&self, section: PlanSection) -> Result<(), DocumentError> {
        if self.changes.errored {
            return Ok(());
        }
        let problem = match self.untold[section as usize].get_or_init(|| self.untold(section)) {
            None => return Ok(()),
            Some(Untold::All) => Problem::NoSection(section.name()),
            Some(Untold::Object(address)) => Problem::SectionLacks(section.name(), address.clone()),
        };
        Err(DocumentError::at(self.text(), 0, "", problem))
    }

    fn untold(&self, section: PlanSection) -> Option<Untold> {
        let is_there = self.member(section.name()).is_some_and(|part| {
            let text = part.text();
            text != "null" && !text.bytes().all(|byte| byte.is_ascii_whitespace() || b"{}".contains(&byte))
        });
        let is_whole = self.is_by_program();
        let all = |is_lacking: bool| is_lacking.then_some(Untold::All);
        let object = |resource: Option<&ChangedResource<'_>>| {
            resource.map(|resource| Untold::Object(resource.address.to_string()))
        };
        let current = self.changes.resources.iter();
        let mut current =
            current.filter(|resource| *resource.mode == *"managed" && resource.deposed.is_none());
        match section {
            PlanSection::TerraformVersion => all(self.terraform_version.as_deref().is_none_or(str::is_empty)),
            _ if is_there && !is_whole => None,
            PlanSection::Variables => all(is_whole && self.lacks_variable()),
            PlanSection::Configuration if is_there => {
                let is_empty = self.has_empty_root();
                object(current.find(|resource| is_empty && is_made(resource)))
            }
            PlanSection::PlannedValues if is_there => {
                let planned = self.planned()?;
                let listed = addresses(&planned);
                object(current.find(|resource| is_kept(resource) && !listed.contains(&*resource.address)))
            }
            PlanSection::PriorState if is_there => {
                let prior = self.prior()?;
                let listed = addresses(&prior);
                object(current.find(|resource| {
                    let names = [Some(&*resource.address), resource.previous_address.as_deref()];
                    existed(resource) && !names.into_iter().flatten().any(|name| listed.contains(name))
                }))
            }
            PlanSection::PriorState => {
                let mut managed = self.changes.resources.iter().filter(|one| *one.mode == *"managed");
                all(managed.any(|resource| {
                    let actions = resource.change.actions;
                    !matches!(
                        actions,
                        ResourceActions::Create | ResourceActions::Read | ResourceActions::Unknown
                    )
                }))
            }
            PlanSection::PlannedValues | PlanSection::Configuration => Some(Untold::All),
        }
    }

    /// Whether the root module of the configuration has neither resources nor calls of modules.
    fn has_empty_root(&self) -> bool {
        let Some(root) = self.configured() else { return true };
        let root = root.view();
        ["resources", "module_calls"].iter().all(|name| root.get(name).is_none_or(is_empty))
    }

    /// Whether the value of a variable with a default is missing. Nothing tells an ephemeral variable from others, and
    /// Terraform leaves out its value if it has no default.
    fn lacks_variable(&self) -> bool {
        let Some(root) = self.configured() else { return false };
        let Some(declared) = root.view().get("variables").map(View::members) else { return false };
        let known = self.variables().and_then(|part| Json::read(&part).ok());
        declared.iter().any(|(name, variable)| {
            let is_known = known.as_ref().is_some_and(|known| known.view().get(name).is_some());
            variable.get("default").is_some() && !is_known
        })
    }

    /// The root module of the configuration.
    fn configured(&self) -> Option<Json<'_>> {
        let configuration = Json::read(&self.configuration()?).ok()?;
        Some(configuration.view().get("root_module")?.to_json())
    }
}

fn is_empty(part: View<'_, '_>) -> bool {
    part.elements().is_empty() && part.members().is_empty()
}

/// The addresses of current managed objects.
fn addresses<'s>(state: &'s State<'_>) -> HashSet<&'s str> {
    let managed = state.resources.iter().filter(|one| &*one.mode == "managed" && one.deposed.is_none());
    managed.map(|resource| &*resource.address).collect()
}

/// Whether the configuration has the object, whose block is not made up for an import.
fn is_made(resource: &ChangedResource<'_>) -> bool {
    is_kept(resource)
        && resource.change.actions != ResourceActions::NoOp
        && resource.change.importing.is_none()
}

/// Whether there is an object after apply.
fn is_kept(resource: &ChangedResource<'_>) -> bool {
    let actions = resource.change.actions;
    !matches!(
        actions,
        ResourceActions::Delete | ResourceActions::Forget | ResourceActions::Read | ResourceActions::Unknown
    )
}

/// Whether there was an object before.
fn existed(resource: &ChangedResource<'_>) -> bool {
    let change = &resource.change;
    change.actions != ResourceActions::Create
        && change.values.written().is_some_and(|values| !matches!(values.before.text(), "" | "null"))
}
