//! The `input` of policies.

use objchange_document::Plan;
use objchange_rego::Value;

use super::InputMode;
use super::error::{PolicyError, PolicyErrorKind};
use super::members::Members;
use super::secret::Replacement;
use super::value::{SerializeError, StandIn, Values};
use crate::collection::{Collected, Exact, Redacted};
use crate::simulated::Simulated;
use crate::tfconfig::TfConfig;
use crate::tfplan::{OnlyMembers, TfPlan};
use crate::tfstate::TfState;

/// How sensitive values appear in the input.
#[derive(Debug, Clone, Copy)]
pub(super) enum Secrets {
    Shown,
    /// Unknown values.
    Unknown,
    /// `(sensitive value)`, or other values that are no secrets.
    Hidden(Option<Replacement>),
}

/// The input of policies.
pub(super) struct Input<'t> {
    pub(super) value: Value,
    /// The parts that the plan leaves open.
    pub(super) simulated: Simulated<'t>,
    /// Whether a secret was replaced.
    pub(super) hides_secrets: bool,
}

/// Builds the input of policies from a plan.
pub(super) fn input<'t>(
    plan: &Plan<'t>,
    mode: InputMode,
    members: &Members,
    run: Option<&Value>,
    secrets: &Secrets,
) -> Result<Input<'t>, PolicyError> {
    // A section that somebody has left out is undefined, and a rule over it would pass.
    for section in members.sections(mode) {
        plan.require(section).map_err(PolicyError::of_document)?;
    }
    let simulated = Simulated::new(plan);
    let mut values = Values::with(match secrets {
        Secrets::Hidden(Some(replacement)) => StandIn::Value(*replacement),
        Secrets::Unknown => StandIn::Unknown,
        Secrets::Shown | Secrets::Hidden(None) => StandIn::Text,
    });
    let hides = !matches!(secrets, Secrets::Shown);
    let value = written(plan, mode, members, run, &mut Writer { hides, values: &mut values })?;
    Ok(Input { value, simulated, hides_secrets: values.hides_secrets })
}

fn written(
    plan: &Plan<'_>,
    mode: InputMode,
    members: &Members,
    run: Option<&Value>,
    writer: &mut Writer<'_>,
) -> Result<Value, PolicyError> {
    let mut input = Vec::new();
    match mode {
        InputMode::Raw => {
            let tfplan = TfPlan::new(plan).map_err(PolicyError::of_document)?;
            return writer.write(&OnlyMembers(&tfplan.raw, |name: &str| members.has(name)));
        }
        InputMode::Wrapped => {
            let tfplan = TfPlan::new(plan).map_err(PolicyError::of_document)?;
            let document = OnlyMembers(&tfplan.raw, |name: &str| members.has_part("tfplan", name));
            input.push((Value::from("tfplan"), writer.write(&document)?));
            input.extend(run.map(|run| (Value::from("tfrun"), run.clone())));
        }
        InputMode::Collections | InputMode::Auto => {
            let of_plan = ["tfplan", "plan", "tfstate", "tfconfig"];
            if of_plan.into_iter().any(|name| members.has(name)) {
                let tfplan = TfPlan::new(plan).map_err(PolicyError::of_document)?;
                if members.has("tfplan") || members.has("plan") {
                    input.push((Value::from("tfplan"), writer.tfplan(&tfplan, members)?));
                }
                if members.has("plan") {
                    let raw = OnlyMembers(&tfplan.raw, |name: &str| members.has_part("plan", name));
                    input.push((Value::from("plan"), writer.write(&raw)?));
                }
                if members.has("tfstate") {
                    // The marks of the plan are found once, and serve all of its collections.
                    let tfstate = TfState::prior_with(plan, tfplan.raw.stated());
                    let tfstate = tfstate.map_err(PolicyError::of_document)?;
                    input.push((Value::from("tfstate"), writer.write(&tfstate)?));
                }
                if members.has("tfconfig") {
                    let tfconfig = TfConfig::with_marks(plan, tfplan.raw.marks());
                    let tfconfig = tfconfig.map_err(PolicyError::of_document)?;
                    input.push((Value::from("tfconfig"), writer.write(&tfconfig)?));
                }
            }
            input.extend(run.map(|run| (Value::from("run"), run.clone())));
        }
    }
    Ok(Value::object(input))
}

struct Writer<'a> {
    values: &'a mut Values,
    hides: bool,
}

impl Writer<'_> {
    fn write<T: Collected>(&mut self, part: &T) -> Result<Value, PolicyError> {
        let written = match self.hides {
            true => self.values.convert(&Redacted(part)),
            false => self.values.convert(&Exact(part)),
        };
        written.map_err(|refused: SerializeError| {
            PolicyError::new(PolicyErrorKind::Document, None, refused.to_string())
        })
    }

    fn tfplan(&mut self, tfplan: &TfPlan<'_>, members: &Members) -> Result<Value, PolicyError> {
        let mut parts = Vec::new();
        let mut add = |name: &str, part: Result<Value, PolicyError>| {
            parts.push((Value::from(name), part?));
            Ok(())
        };
        let has = |part| members.has_part("tfplan", part);
        if let Some(version) = &tfplan.terraform_version {
            add("terraform_version", Ok(Value::from(version.as_str())))?;
        }
        if has("variables") {
            add("variables", self.write(&tfplan.variables))?;
        }
        if has("planned_values") {
            add("planned_values", self.write(&tfplan.planned_values))?;
        }
        if has("resource_changes") {
            add("resource_changes", self.write(&tfplan.resource_changes))?;
        }
        if has("resource_drift") {
            add("resource_drift", self.write(&tfplan.resource_drift))?;
        }
        if has("output_changes") {
            add("output_changes", self.write(&tfplan.output_changes))?;
        }
        if has("raw") {
            add("raw", self.write(&tfplan.raw))?;
        }
        Ok(Value::object(parts))
    }
}
