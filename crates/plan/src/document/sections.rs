//! The sections that every whole plan has.

use super::Plan;
use super::error::{DocumentError, Problem};
use crate::changes::ResourceActions;

/// A section that Terraform writes into every plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum PlanSection {
    PlannedValues,
    /// Where something existed before.
    PriorState,
    Configuration,
    TerraformVersion,
}

impl PlanSection {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::PlannedValues, Self::PriorState, Self::Configuration, Self::TerraformVersion];

    /// Its name in the document.
    pub fn name(self) -> &'static str {
        match self {
            Self::PlannedValues => "planned_values",
            Self::PriorState => "prior_state",
            Self::Configuration => "configuration",
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
    /// The document does not have it.
    pub fn require(&self, section: PlanSection) -> Result<(), DocumentError> {
        let is_there = match section {
            PlanSection::TerraformVersion => {
                self.terraform_version.as_deref().is_some_and(|version| !version.is_empty())
            }
            section => self.member(section.name()).is_some_and(|part| {
                let text = part.text();
                text != "null"
                    && !text.bytes().all(|byte| byte.is_ascii_whitespace() || b"{}".contains(&byte))
            }),
        };
        let is_needed = match section {
            PlanSection::PriorState => self.changes.resources.iter().any(|resource| {
                let is_new = matches!(
                    resource.change.actions,
                    ResourceActions::Create | ResourceActions::Read | ResourceActions::Unknown
                );
                *resource.mode == *"managed" && !is_new
            }),
            _ => true,
        };
        match is_there || !is_needed || self.changes.errored {
            true => Ok(()),
            false => Err(DocumentError::at(self.text(), 0, "", Problem::NoSection(section.name()))),
        }
    }
}
