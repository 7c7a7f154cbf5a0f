//! Planning one change: what Terraform Core does around a provider.

mod carried;
mod hide;
mod planned;
mod request;

use hashbrown::HashSet;

use self::carried::Carried;
use self::hide::hidden;
pub use self::planned::{PlanChangeError, PlanViolation, PlannedChange, ReplaceReason};
pub use self::request::{Lifecycle, PlanRequest, PlanResourceChange, PlannedResource, Provider};
use super::action::Action;
use super::computed_blocks::prepare_computed_blocks;
use super::ignore_changes::ignore_changes;
use super::plan_valid::assert_plan_valid;
use super::proposed_new::proposed_new;
use crate::schema::{Block, Marked};
use crate::value::{Marks, Path, Type, Value};

/// Plans one change from end to end: proposes the new object, has the provider plan it, checks its answer,
/// and says what happens.
///
/// # Errors
///
/// The configuration or the prior object does not fit the schema, the configuration is unknown as a whole, what is to
/// be ignored is nothing that the schema knows, or the provider cannot plan. What is wrong with the provider's answer
/// is no error of this function: see [`PlannedChange::violations`].
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
    let PlanRequest { schema, lifecycle, .. } = request;
    lifecycle.ignore_changes.check(schema)?;
    let sides = Sides::new(request)?;
    if sides.config.is_null() {
        return Ok(sides.without_config());
    }
    let nothing = Value::null(schema.implied_type().clone());
    // A tainted object is planned for as if it were not there.
    let from = if lifecycle.tainted { &nothing } else { &sides.prior };
    let ignoring = ignore_changes(schema, from, &sides.config, &lifecycle.ignore_changes);
    let mut step = plan_step(schema, from, &ignoring, provider)?;
    let replace_reason = replace_reason(request, &sides.prior, &mut step);
    let mut action = match &replace_reason {
        _ if sides.prior.is_null() => Action::Create,
        Some(_) if lifecycle.create_before_destroy => Action::CreateThenDelete,
        Some(_) => Action::DeleteThenCreate,
        None if step.planned.definitely_equals(&sides.prior) => Action::NoOp,
        None => Action::Update,
    };
    let mut violations = distinct(step.unusable.drain(..).chain(step.invalid.drain(..)));
    let mut at_apply = Vec::new();
    let mut answers_marks = std::mem::take(&mut step.marks);
    if action.is_replace() && !lifecycle.tainted {
        // The object that takes its place starts from nothing, and nothing of its configuration is ignored.
        step = plan_step(schema, &nothing, &sides.config, provider)?;
        // What is wrong with the first answer as well need not be said twice.
        let known: HashSet<Path> = violations.iter().map(|violation| violation.path().clone()).collect();
        at_apply = distinct(step.invalid.drain(..).filter(|violation| !known.contains(violation.path())));
        violations = distinct(violations.into_iter().chain(step.unusable.drain(..)));
        answers_marks.append(&mut step.marks);
    }
    let after = sides.mark(&step.planned.mark_where_present(&answers_marks));
    if action == Action::NoOp && !sides.before.same_marks(&after) {
        action = Action::Update;
    }
    let hidden = hidden(&sides, &answers_marks, &after);
    let hide = |violations: Vec<PlanViolation>| violations.into_iter().map(|v| hidden.hide(v)).collect();
    let (violations, at_apply) = (hide(violations), hide(at_apply));
    let replace_reason = replace_reason.map(|reason| match reason {
        ReplaceReason::CannotUpdate(paths) => {
            ReplaceReason::CannotUpdate(paths.iter().map(|path| hidden.hide_path(path)).collect())
        }
        reason => reason,
    });
    drop(hidden);
    Ok(PlannedChange {
        action,
        replace_reason,
        violations,
        at_apply,
        legacy_type_system: step.legacy_type_system,
        no_longer_sensitive: sides.no_longer_sensitive(&after),
        proposed: sides.carried.mark(&sides.mark(&step.proposed)),
        after: sides.carried.mark(&after),
        before: sides.before,
    })
}

/// The two objects that a change is planned from, with their marks and without.
struct Sides<'a> {
    schema: &'a Block,
    /// The prior object, marked as it is given and as the schema says.
    before: Value,
    prior: Value,
    config: Value,
    config_marks: Vec<(Path, Marks)>,
    prior_marks: Vec<(Path, Marks)>,
    carried: Carried,
}

impl<'a> Sides<'a> {
    fn new(request: &PlanRequest<'a>) -> Result<Self, PlanChangeError> {
        let PlanRequest { schema, prior, config, .. } = request;
        if !config.is_known() {
            return Err(PlanChangeError::UnknownConfig);
        }
        let implied = schema.implied_type();
        let prior = match prior.ty() == implied && !implied.has_dynamic() {
            true => (*prior).clone(),
            false => schema.coerce_config(prior).map_err(PlanChangeError::Prior)?,
        };
        let config = schema.coerce_config(config).map_err(PlanChangeError::Config)?;
        let before = schema.mark_hidden(&prior);
        let carried = Carried::new(&prior);
        let (prior, prior_marks) = prior.unmark_deep_with_paths();
        let (config, config_marks) = config.unmark_deep_with_paths();
        Ok(Self { schema, before, prior, config, config_marks, prior_marks, carried })
    }

    /// A planned or proposed object with the marks of configuration and of the schema.
    fn mark(&self, value: &Value) -> Value {
        let value = value.mark_where_present(&self.config_marks);
        if self.prior_marks.is_empty() {
            // Then the object before has just the schema's marks, and those of what did not change are there already.
            self.schema.mark_hidden_like(&value, Marked { plain: &self.prior, marked: &self.before })
        } else {
            self.schema.mark_hidden(&value)
        }
    }

    /// Where the prior object is marked and what comes after is there, but not marked.
    fn no_longer_sensitive(&self, after: &Value) -> Vec<Path> {
        let is_shown = |path: &&Path| {
            let mut at = Some(after);
            for step in path.steps() {
                at = at.filter(|value| !value.is_marked()).and_then(|value| value.step(step));
            }
            at.is_some_and(|value| !value.is_marked() && !value.is_null())
        };
        let sensitive = self.prior_marks.iter().filter(|(_, marks)| marks.contains(Marks::SENSITIVE));
        sensitive.map(|(path, _)| path).filter(is_shown).cloned().collect()
    }

    /// What happens where nothing is configured.
    fn without_config(self) -> PlannedChange {
        let gone = Value::null(self.schema.implied_type().clone());
        PlannedChange {
            action: if self.prior.is_null() { Action::NoOp } else { Action::Delete },
            replace_reason: None,
            before: self.before,
            after: gone.clone(),
            proposed: gone,
            no_longer_sensitive: Vec::new(),
            violations: Vec::new(),
            at_apply: Vec::new(),
            legacy_type_system: false,
        }
    }
}

/// One question to the provider, and what is wrong with its answer.
struct PlanStep {
    proposed: Value,
    planned: Value,
    /// The marks of the answer, which only a provider in the same program can set.
    marks: Vec<(Path, Marks)>,
    requires_replace: Vec<Path>,
    /// What makes the answer unusable: it has not the schema's type, or holds what is for the provider alone.
    unusable: Vec<PlanViolation>,
    /// What does not go with prior object and configuration.
    invalid: Vec<PlanViolation>,
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
    let mismatches = planned.ty().mismatches(schema.implied_type());
    let invalid = match mismatches.is_empty() {
        true => assert_plan_valid(schema, prior, &config, &planned),
        // What is of the wrong type is not looked at further.
        false => Vec::new(),
    };
    let write_only = match mismatches.is_empty() {
        true => schema.write_only_paths(&planned),
        false => Vec::new(),
    };
    // A path that leads to null says that the attribute is where it should be.
    let write_only =
        write_only.into_iter().filter(|path| planned.at(path).is_some_and(|value| !value.is_null()));
    let unusable = mismatches.into_iter().map(PlanViolation::WrongType);
    Ok(PlanStep {
        unusable: unusable.chain(write_only.map(PlanViolation::WriteOnly)).collect(),
        invalid: invalid.into_iter().map(PlanViolation::Invalid).collect(),
        proposed,
        planned,
        marks,
        requires_replace: answer.requires_replace,
        legacy_type_system: answer.legacy_type_system,
    })
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
            step.invalid.push(PlanViolation::RequiresReplaceNowhere(path.clone()));
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
