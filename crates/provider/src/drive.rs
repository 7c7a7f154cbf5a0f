//! Terraform Core's steps around a provider, with calls of the provider in between.

use objchange::change::{
    AppliedChange, ApplyChangeError, ApplyRequest, Applying, PlanChangeError, PlanRequest, PlannedChange,
    Planning, PrivateData, begin_apply, begin_plan,
};

use crate::{Error, Provider, ProviderExt};

/// Why a change was not planned or applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeFault {
    /// It cannot be planned, or the provider refuses.
    #[error(transparent)]
    Plan(#[from] PlanChangeError),
    /// It cannot be applied.
    #[error(transparent)]
    Apply(#[from] ApplyChangeError),
    /// The provider does not answer.
    #[error(transparent)]
    Provider(#[from] Error),
}

impl ChangeFault {
    /// The stable name of the kind of fault.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plan(error) => error.kind(),
            Self::Apply(error) => error.kind(),
            Self::Provider(error) => error.kind().kind(),
        }
    }
}

/// Plans a change as Terraform Core does. `planned_private` is the private data of an earlier plan of this
/// change.
///
/// ```
/// use objchange::Value;
/// use objchange::change::{Action, PlanRequest, PrivateData};
/// use objchange_conform::kit::{faulty, trial_block, trial_config};
/// use objchange_provider::plan_change;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let block = trial_block(true);
/// let nothing = Value::null(block.implied_type().clone());
/// let request = PlanRequest::new(&block, &nothing, &trial_config(true));
/// let change = plan_change(&faulty(true), "kit_thing", &request, &PrivateData::default()).await?;
/// assert_eq!(change.action, Action::Create);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The objects do not fit the schema, or the provider refuses or does not answer. Violations in its answer
/// are not an error: see [`PlannedChange::violations`].
pub async fn plan_change(
    provider: &dyn Provider,
    type_name: &str,
    request: &PlanRequest,
    planned_private: &PrivateData,
) -> Result<PlannedChange, ChangeFault> {
    let mut planning = begin_plan(request)?;
    loop {
        planning = match planning {
            Planning::Done(change) => return Ok(*change),
            Planning::Ask(question) => {
                let mut asked = question.request().clone();
                asked.planned_private.clone_from(planned_private);
                question.answer(provider.plan(type_name, &asked).await?)?
            }
        };
    }
}

/// Applies a planned change as Terraform Core does, with calls of a provider.
///
/// # Errors
///
/// The configuration is not wholly known or does not fit the schema, or the provider does not answer.
/// Violations in its answer are not an error: see [`AppliedChange::violations`].
pub async fn apply_change(
    provider: &dyn Provider,
    type_name: &str,
    request: &ApplyRequest,
) -> Result<AppliedChange, ChangeFault> {
    let mut applying = begin_apply(request)?;
    loop {
        applying = match applying {
            Applying::Done(applied) => return Ok(*applied),
            Applying::Ask(question) => {
                let answer = provider.apply(type_name, question.request()).await?;
                question.answer(answer)
            }
        };
    }
}
