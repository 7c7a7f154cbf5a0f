//! The sections that every whole plan has.

use super::Plan;
use super::error::{DocumentError, Problem};
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

impl Plan<'_> {
    /// Whoever decides by a section asks for it first: where somebody has left it out, nothing is in it, and every rule about
    /// it would pass. A plan with an error may lack any.
    ///
    /// ```
    /// use objchange_document::{Plan, PlanSection};
    ///
    /// let plan = Plan::parse(r#"{"format_version":"1.2","configuration":{"root_module":{}}}"#)?;
    /// assert!(plan.require(PlanSection::Configuration).is_ok());
    /// assert!(plan.require(PlanSection::PlannedValues).is_err());
    /// # Ok::<(), objchange_document::DocumentError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The document does not have it.
    pub fn require(&self, section: PlanSection) -> Result<(), DocumentError> {
        if self.changes.errored {
            return Ok(());
        }
        match *self.lacks[section as usize].get_or_init(|| self.lacks(section)) {
            false => Ok(()),
            true => Err(DocumentError::at(self.text(), 0, "", Problem::NoSection(section.name()))),
        }
    }

    fn lacks(&self, section: PlanSection) -> bool {
        let is_there = || {
            self.member(section.name()).is_some_and(|part| {
                let text = part.text();
                text != "null"
                    && !text.bytes().all(|byte| byte.is_ascii_whitespace() || b"{}".contains(&byte))
            })
        };
        match section {
            PlanSection::TerraformVersion => self.terraform_version.as_deref().is_none_or(str::is_empty),
            PlanSection::Variables => self.is_by_program() && self.lacks_variable(),
            PlanSection::PriorState => {
                let existed = |resource: &ChangedResource<'_>| {
                    let actions = resource.change.actions;
                    let is_new = matches!(
                        actions,
                        ResourceActions::Create | ResourceActions::Read | ResourceActions::Unknown
                    );
                    *resource.mode == *"managed" && !is_new
                };
                !is_there() && self.changes.resources.iter().any(existed)
            }
            PlanSection::PlannedValues | PlanSection::Configuration => !is_there(),
        }
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
