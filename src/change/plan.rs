//! Planning one change: what Terraform Core does around a provider (spec section 6, "plan one change").

use std::cell::LazyCell;

use hashbrown::HashSet;

use super::ChangeError;
use super::action::Action;
use super::computed_blocks::prepare_computed_blocks;
use super::hide::Hidden;
use super::ignore_changes::{IgnoreChanges, ignore_changes};
use super::invalid_plan::InvalidPlan;
use super::plan_valid::assert_plan_valid;
use super::proposed_new::proposed_new;
use crate::schema::{Block, CoerceError, UnknownPath};
use crate::value::{Marks, Path, Type, TypeMismatch, Value};

/// Who plans a resource: a real provider, a simulated one, or a test.
///
/// Any function of the right shape is one.
pub trait Provider {
    /// Plans the change from the prior to the proposed object.
    ///
    /// # Errors
    ///
    /// What the provider says where it cannot plan.
    fn plan(&mut self, request: &PlanResourceChange<'_>) -> Result<PlannedResource, String>;
}

impl<F: FnMut(&PlanResourceChange<'_>) -> Result<PlannedResource, String>> Provider for F {
    fn plan(&mut self, request: &PlanResourceChange<'_>) -> Result<PlannedResource, String> {
        self(request)
    }
}

/// What a provider is asked. The values carry no marks.
#[derive(Debug, Clone, Copy)]
pub struct PlanResourceChange<'a> {
    /// The schema of the resource type.
    pub schema: &'a Block,
    /// The object as it is, or null.
    pub prior: &'a Value,
    /// The configuration, coerced to the schema's type.
    pub config: &'a Value,
    /// Prior and configuration merged.
    pub proposed: &'a Value,
}

/// What a provider answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedResource {
    /// The object that it plans.
    pub planned: Value,
    /// Where a difference needs a new object.
    pub requires_replace: Vec<Path>,
    /// It uses the legacy type system, so that an invalid plan is only worth a warning.
    pub legacy_type_system: bool,
}

/// What is to be planned.
#[derive(Debug, Clone)]
pub struct PlanRequest<'a> {
    /// The schema of the resource type.
    pub schema: &'a Block,
    /// The object as it is; null if there is none.
    pub prior: &'a Value,
    /// The configuration; null if the object is to go. Any object that can be coerced to the schema will do.
    pub config: &'a Value,
    /// How the change is to be made.
    pub lifecycle: Lifecycle,
}

/// What besides the configuration decides how a change is made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifecycle {
    /// What of the configuration is not looked at while the object exists.
    pub ignore_changes: IgnoreChanges,
    /// A replacement creates the new object before it destroys the old one.
    pub create_before_destroy: bool,
    /// The object is to be replaced whatever changes (`-replace`).
    pub force_replace: bool,
    /// The object is tainted, and has to be replaced.
    pub tainted: bool,
}

/// Why an object is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplaceReason {
    /// The object is tainted.
    Tainted,
    /// Somebody asked for it.
    Requested,
    /// These parts change, and cannot change in place.
    CannotUpdate(Vec<Path>),
}

/// One way in which a provider's answer is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanViolation {
    /// The planned object is not of the type that the schema implies.
    #[error(transparent)]
    WrongType(TypeMismatch),
    /// A write-only attribute has a value in the plan.
    #[error("{0}: a write-only attribute must be planned as null")]
    WriteOnly(Path),
    /// The planned object breaks the contract.
    #[error(transparent)]
    Invalid(InvalidPlan),
    /// A path that requires replacement is neither in the prior nor in the planned object.
    #[error("{0}: required to be replaced, but neither the prior nor the planned object has it")]
    RequiresReplaceNowhere(Path),
}

impl PlanViolation {
    /// The stable name of the kind of violation.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::WrongType(_) => "wrong_type",
            Self::WriteOnly(_) => "write_only_not_null",
            Self::Invalid(invalid) => invalid.kind.slug(),
            Self::RequiresReplaceNowhere(_) => "requires_replace_nowhere",
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::WrongType(mismatch) => &mismatch.path,
            Self::WriteOnly(path) | Self::RequiresReplaceNowhere(path) => path,
            Self::Invalid(invalid) => &invalid.path,
        }
    }
}

/// A planned change. Sensitive parts of its values are marked.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedChange {
    /// What happens.
    pub action: Action,
    /// Why the object is replaced, if it is.
    pub replace_reason: Option<ReplaceReason>,
    /// The object before.
    pub before: Value,
    /// The object after, as far as it is known.
    pub after: Value,
    /// What the provider was asked to plan for.
    pub proposed: Value,
    /// What is wrong with the provider's answer. Terraform would stop here, unless the provider uses the
    /// legacy type system.
    pub violations: Vec<PlanViolation>,
    /// The provider uses the legacy type system.
    pub legacy_type_system: bool,
}

/// Why a change could not be planned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanChangeError {
    /// The configuration does not fit the schema.
    #[error("configuration: {0}")]
    Config(#[from] CoerceError),
    /// The configuration is unknown as a whole; only parts of it may be.
    #[error("configuration: it is unknown as a whole; only parts of a configuration may be unknown")]
    UnknownConfig,
    /// What is to be ignored is nothing that the schema knows.
    #[error("ignore_changes: {0}")]
    IgnoreChanges(#[from] UnknownPath),
    /// A value does not fit the schema.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The provider could not plan.
    #[error("the provider cannot plan this change: {0}")]
    Provider(String),
}

/// Plans one change from end to end: proposes the new object, has the provider plan it, checks its answer,
/// and says what happens.
///
/// # Errors
///
/// The configuration or the prior object does not fit the schema, the configuration is unknown as a whole, what is to
/// be ignored is nothing that the schema knows, or the provider cannot plan. What is wrong
/// with the provider's answer is no error of this function: see [`PlannedChange::violations`].
///
/// ```
/// use objchange::change::{Action, Lifecycle, PlanRequest, SimulatedProvider, plan_change};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new(
///     [("id", Attribute::computed(Type::String)), ("size", Attribute::optional(Type::Number))],
///     [],
/// );
/// let prior = Value::object([("id", Value::from("vol-1")), ("size", Value::from(10))]);
/// let config = Value::object([("size", 20)]);
/// let request = PlanRequest {
///     schema: &schema,
///     prior: &prior,
///     config: &config,
///     lifecycle: Lifecycle::default(),
/// };
/// let change = plan_change(&request, &mut SimulatedProvider::default())?;
/// assert_eq!(change.action, Action::Update);
/// assert_eq!(change.after, Value::object([("id", Value::from("vol-1")), ("size", Value::from(20))]));
/// # Ok::<(), objchange::change::PlanChangeError>(())
/// ```
pub fn plan_change(
    request: &PlanRequest<'_>,
    provider: &mut dyn Provider,
) -> Result<PlannedChange, PlanChangeError> {
    let PlanRequest { schema, prior, config, lifecycle } = request;
    lifecycle.ignore_changes.check(schema)?;
    let before = with_schema_marks(schema, prior);
    if config.is_null() {
        let action = if prior.is_null() { Action::NoOp } else { Action::Delete };
        let gone = Value::null(schema.implied_type().clone());
        return Ok(PlannedChange {
            action,
            replace_reason: None,
            before,
            after: gone.clone(),
            proposed: gone,
            violations: Vec::new(),
            legacy_type_system: false,
        });
    }
    if !config.is_known() {
        return Err(PlanChangeError::UnknownConfig);
    }
    let (config, config_marks) = schema.coerce_value(config)?.unmark_deep_with_paths();
    let prior = prior.unmark_deep().0;
    let nothing = Value::null(schema.implied_type().clone());
    // A tainted object is planned for as if it were not there.
    let from = if lifecycle.tainted { &nothing } else { &prior };
    let ignoring = ignore_changes(schema, from, &config, &lifecycle.ignore_changes);
    let mut step = plan_step(schema, from, &ignoring, provider)?;
    let replace_reason = replace_reason(request, &prior, &mut step);
    let mut action = match &replace_reason {
        _ if prior.is_null() => Action::Create,
        Some(_) if lifecycle.create_before_destroy => Action::CreateThenDelete,
        Some(_) => Action::DeleteThenCreate,
        None if step.planned.definitely_equals(&prior) => Action::NoOp,
        None => Action::Update,
    };
    if action.is_replace() && !lifecycle.tainted {
        // The object that takes its place starts from nothing, and nothing of its configuration is ignored.
        let again = plan_step(schema, &nothing, &config, provider)?;
        let violations = distinct(step.violations.into_iter().chain(again.violations));
        step = PlanStep { violations, ..again };
    }
    let planned = step.planned.mark_with_paths(&config_marks).mark_with_paths(&step.marks);
    let after = with_schema_marks(schema, &planned);
    let marks = [&before, &after].map(|value| value.unmark_deep_with_paths().1);
    if action == Action::NoOp && marks[0] != marks[1] {
        action = Action::Update;
    }
    let hidden =
        LazyCell::new(|| Hidden::new(marks.iter().flatten().chain(&config_marks).map(|(path, _)| path)));
    let replace_reason = replace_reason.map(|reason| match reason {
        ReplaceReason::CannotUpdate(paths) => ReplaceReason::CannotUpdate(
            paths.into_iter().map(|path| hidden.hide_path(schema, path)).collect(),
        ),
        reason => reason,
    });
    Ok(PlannedChange {
        action,
        replace_reason,
        before,
        after,
        proposed: with_schema_marks(schema, &step.proposed.mark_with_paths(&config_marks)),
        violations: step.violations.into_iter().map(|violation| hidden.hide(schema, violation)).collect(),
        legacy_type_system: step.legacy_type_system,
    })
}

/// One question to the provider, and what is wrong with its answer.
struct PlanStep {
    proposed: Value,
    planned: Value,
    /// The marks of the answer, which only a provider in the same program can set.
    marks: Vec<(Path, Marks)>,
    requires_replace: Vec<Path>,
    violations: Vec<PlanViolation>,
    legacy_type_system: bool,
}

fn plan_step(
    schema: &Block,
    prior: &Value,
    config: &Value,
    provider: &mut dyn Provider,
) -> Result<PlanStep, PlanChangeError> {
    let config = prepare_computed_blocks(schema, config)?;
    let proposed = proposed_new(schema, prior, &config)?;
    let request = PlanResourceChange { schema, prior, config: &config, proposed: &proposed };
    let answer = provider.plan(&request).map_err(PlanChangeError::Provider)?;
    let (planned, marks) = answer.planned.unmark_deep_with_paths();
    let violations = violations(schema, prior, &config, &planned);
    Ok(PlanStep {
        proposed,
        planned,
        marks,
        requires_replace: answer.requires_replace,
        violations,
        legacy_type_system: answer.legacy_type_system,
    })
}

/// What is wrong with a planned object; what is of the wrong type is not looked at further.
fn violations(schema: &Block, prior: &Value, config: &Value, planned: &Value) -> Vec<PlanViolation> {
    let mismatches = planned.ty().mismatches(schema.implied_type());
    if !mismatches.is_empty() {
        return mismatches.into_iter().map(PlanViolation::WrongType).collect();
    }
    let write_only = schema.write_only_paths(planned).into_iter().filter(|path| {
        // A path that leads to null says that the attribute is where it should be.
        planned.at(path).is_some_and(|value| !value.is_null())
    });
    let write_only = write_only.map(PlanViolation::WriteOnly);
    let invalid = assert_plan_valid(schema, prior, config, planned).into_iter().map(PlanViolation::Invalid);
    distinct(write_only.chain(invalid))
}

/// The violations without those that say the same of the same place as an earlier one.
fn distinct(violations: impl Iterator<Item = PlanViolation>) -> Vec<PlanViolation> {
    let mut seen = HashSet::new();
    violations.filter(|violation| seen.insert((violation.kind(), violation.path().clone()))).collect()
}

fn replace_reason(request: &PlanRequest<'_>, prior: &Value, step: &mut PlanStep) -> Option<ReplaceReason> {
    if prior.is_null() {
        return None;
    }
    if request.lifecycle.tainted {
        return Some(ReplaceReason::Tainted);
    }
    let null = Value::null(Type::Dynamic);
    let mut paths = Vec::new();
    for path in &step.requires_replace {
        let (before, after) = (prior.at(path), step.planned.at(path));
        if before.is_none() && after.is_none() {
            step.violations.push(PlanViolation::RequiresReplaceNowhere(path.clone()));
            continue;
        }
        let write_only = request.schema.attribute_by_path(path).is_some_and(|a| a.write_only);
        if write_only || !before.unwrap_or(&null).definitely_equals(after.unwrap_or(&null)) {
            paths.push(path.clone());
        }
    }
    if request.lifecycle.force_replace {
        Some(ReplaceReason::Requested)
    } else if paths.is_empty() {
        None
    } else {
        Some(ReplaceReason::CannotUpdate(paths))
    }
}

/// The value with what the schema calls sensitive or write-only marked as sensitive.
fn with_schema_marks(schema: &Block, value: &Value) -> Value {
    let plain = value.unmark_deep().0;
    let hidden = schema.hidden_paths(&plain);
    let paths: Vec<_> = hidden.into_iter().map(|path| (path, Marks::SENSITIVE)).collect();
    value.mark_with_paths(&paths)
}
