//! Applies one planned change: the steps of Terraform Core around a provider, and the saved result.

mod applied;

pub use self::applied::{AppliedChange, ApplyChangeError, ApplyViolation};
use std::fmt;

use super::action::Action;
use super::mark_propagation::Carried;
use super::object_compatible::object_violations;
use super::plan::PlannedChange;
use super::provider::{
    AppliedResource, ApplyResourceChange, Outline, PrivateData, ProviderError, have_errors,
    hide_in_diagnostics,
};
use crate::schema::{Block, SecretParts};
use crate::value::{Descend, Marks, Path, Value};

/// A planned change that is to be made.
#[derive(Clone)]
#[non_exhaustive]
pub struct ApplyRequest {
    /// The schema of the resource type.
    pub schema: Block,
    /// The planned change.
    pub change: PlannedChange,
    /// The configuration, now wholly known; null if the object is destroyed.
    pub config: Value,
    /// The provider's private data of the prior object.
    pub prior_private: PrivateData,
}

impl ApplyRequest {
    /// A planned change with its configuration.
    pub fn new(schema: &Block, change: &PlannedChange, config: &Value) -> Self {
        let (schema, change, config) = (schema.clone(), change.clone(), config.clone());
        Self { schema, change, config, prior_private: PrivateData::default() }
    }
}

/// Hides values that the schema calls sensitive, marked or not.
impl fmt::Debug for ApplyRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, change, config, prior_private } = self;
        f.debug_struct("ApplyRequest")
            .field("schema", schema)
            .field("change", change)
            .field("config", &Outline(config))
            .field("prior_private", prior_private)
            .finish()
    }
}

/// Applies a planned change from end to end, and checks the provider's answers.
///
/// # Errors
///
/// The configuration does not fit the schema or is not wholly known, or the provider does not answer.
/// Violations in its answer are not an error of this function: see [`AppliedChange::violations`].
///
/// ```
/// use objchange::change::{
///     AppliedResource, ApplyRequest, ApplyResourceChange, PlanRequest, SimulatedProvider, apply_change, plan_change,
/// };
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new(
///     [("id", Attribute::computed(Type::String)), ("size", Attribute::optional(Type::Number))],
///     [],
/// );
/// let config = Value::object([("size", 20)]);
/// let nothing = Value::null(schema.implied_type().clone());
/// let request = PlanRequest::new(&schema, &nothing, &config);
/// let change = plan_change(&request, &mut SimulatedProvider::default())?;
///
/// let mut provider = |question: &ApplyResourceChange| {
///     let size = question.planned.attribute("size").cloned().unwrap();
///     Ok(AppliedResource::new(Value::object([("id", Value::from("vol-1")), ("size", size)])))
/// };
/// let applied = apply_change(&ApplyRequest::new(&schema, &change, &config), &mut provider)?;
/// assert!(applied.violations.is_empty());
/// assert_eq!(applied.saved.to_string(), r#"{id = "vol-1", size = 20}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply_change(
    request: &ApplyRequest,
    provider: &mut dyn FnMut(&ApplyResourceChange) -> Result<AppliedResource, ProviderError>,
) -> Result<AppliedChange, ApplyChangeError> {
    let mut applying = begin_apply(request)?;
    loop {
        applying = match applying {
            Applying::Ask(question) => {
                let answer = provider(question.request()).map_err(ApplyChangeError::Provider)?;
                question.answer(answer)
            }
            Applying::Done(applied) => return Ok(*applied),
        };
    }
}

/// The progress of applying a change.
#[derive(Debug)]
#[must_use = "a change is made when all questions are answered"]
pub enum Applying {
    /// The provider must be called: once, or twice for a replacement.
    Ask(ApplyQuestion),
    /// The change is applied, as far as possible.
    Done(Box<AppliedChange>),
}

/// A question to a provider that must be answered before applying can continue.
pub struct ApplyQuestion {
    apply: Box<Apply>,
    request: ApplyResourceChange,
}

impl fmt::Debug for ApplyQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApplyQuestion").field("request", &self.request).finish_non_exhaustive()
    }
}

/// A change while it is made.
struct Apply {
    schema: Block,
    change: PlannedChange,
    config: Value,
    prior: Value,
    planned: Value,
    prior_private: PrivateData,
    /// The result of the steps so far.
    result: AppliedChange,
    /// The steps that are left, the next one last.
    steps: Vec<ProviderCall>,
}

/// One call of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProviderCall {
    Create,
    Update,
    Destroy,
}

/// Begins to apply a planned change step by step, for callers that do not wait for a provider inside of a
/// function. [`apply_change`] applies it with a function.
///
/// If only sensitivity marks change, the provider is not called.
///
/// # Errors
///
/// As for [`apply_change`].
pub fn begin_apply(request: &ApplyRequest) -> Result<Applying, ApplyChangeError> {
    let ApplyRequest { schema, change, config, prior_private } = request;
    let config = schema.coerce_config(config).map_err(ApplyChangeError::Config)?;
    if let Some(path) = first_unknown(&schema.mark_hidden(&config)) {
        return Err(ApplyChangeError::UnknownConfig { path });
    }
    let config = config.unmark_deep().0;
    let (prior, planned) = (change.before.unmark_deep().0, change.after.unmark_deep().0);
    let steps = match change.action {
        Action::NoOp => vec![],
        Action::Update if prior.identical(&planned) => vec![],
        Action::Create => vec![ProviderCall::Create],
        Action::Update => vec![ProviderCall::Update],
        Action::Delete => vec![ProviderCall::Destroy],
        Action::DeleteThenCreate => vec![ProviderCall::Create, ProviderCall::Destroy],
        Action::CreateThenDelete => vec![ProviderCall::Destroy, ProviderCall::Create],
    };
    let result = AppliedChange {
        saved: change.after.clone(),
        tainted: false,
        deposed: None,
        violations: Vec::new(),
        legacy_type_system: false,
        private: change.private.clone(),
        identity: change.identity.clone(),
        diagnostics: Vec::new(),
    };
    let apply = Apply {
        schema: schema.clone(),
        change: change.clone(),
        config,
        prior,
        planned,
        prior_private: prior_private.clone(),
        result,
        steps,
    };
    Ok(apply.go_on())
}

/// The path of the first part that is unknown, or of the marked part around it: the content of marked parts
/// is not disclosed.
fn first_unknown(value: &Value) -> Option<Path> {
    let mut found = None;
    value.visit(|path, part| {
        if part.is_wholly_known() || found.is_some() {
            return Descend::Over;
        }
        if part.is_known() && !part.is_marked() {
            return Descend::Into;
        }
        found = Some(path.to_path());
        Descend::Over
    });
    found
}

impl Apply {
    /// The question of the next step, or the end.
    fn go_on(mut self) -> Applying {
        let Some(step) = self.steps.pop() else { return Applying::Done(Box::new(self.result)) };
        let nothing = Value::null(self.schema.implied_type().clone());
        let (prior, planned, config) = match step {
            ProviderCall::Create => (nothing, self.planned.clone(), self.config.clone()),
            ProviderCall::Update => (self.prior.clone(), self.planned.clone(), self.config.clone()),
            ProviderCall::Destroy => (self.prior.clone(), nothing.clone(), nothing),
        };
        // Private data and identity were planned for the new object, so the call that destroys the old one
        // gets its own.
        let is_old = step == ProviderCall::Destroy && self.change.action.is_replace();
        let private = if is_old { self.prior_private.clone() } else { self.change.private.clone() };
        let identity = self.change.identity.clone().filter(|_| !is_old);
        let schema = self.schema.clone();
        let request = ApplyResourceChange { schema, prior, planned, config, private, identity };
        Applying::Ask(ApplyQuestion { apply: Box::new(self), request })
    }
}

impl ApplyQuestion {
    /// The request to the provider.
    pub fn request(&self) -> &ApplyResourceChange {
        &self.request
    }

    /// Continues with the provider's answer. After a failure there are no more questions.
    pub fn answer(self, answer: AppliedResource) -> Applying {
        let Self { mut apply, request } = self;
        let creates = request.prior.is_null();
        let is_destroyed = request.planned.is_null();
        let CheckedResult { saved, is_kept, violations } = judge(&request, &answer, &apply.change);
        let is_tolerated = |violation: &ApplyViolation| {
            answer.legacy_type_system && matches!(violation, ApplyViolation::Inconsistent(_))
        };
        let failed = have_errors(&answer.diagnostics) || !violations.iter().all(is_tolerated);
        apply.result.violations.extend(violations);
        apply.result.legacy_type_system |= answer.legacy_type_system;
        let objects =
            [&apply.change.before, &apply.change.after, answer.new_state.as_ref().unwrap_or(&saved)];
        let secrets = SecretParts::new(&apply.schema, &objects);
        apply.result.diagnostics.extend(hide_in_diagnostics(answer.diagnostics, &secrets));
        if is_destroyed && apply.change.action == Action::CreateThenDelete {
            // The new object exists; the rest of the old one could not be destroyed.
            apply.result.deposed = (!saved.is_null()).then_some(saved);
        } else {
            apply.result.tainted = creates && failed && !saved.is_null();
            let mut is_old = is_kept && !creates;
            if creates && apply.change.action == Action::CreateThenDelete && failed {
                // The old object stays: unchanged if there is no new one, or else beside it.
                let old = apply.change.before.clone();
                let is_there = !saved.is_null();
                is_old = !is_there;
                apply.result.deposed = is_there.then(|| old.clone());
                apply.result.saved = if is_there { saved } else { old };
            } else {
                apply.result.saved = saved;
            }
            if is_old {
                apply.result.private = apply.prior_private.clone();
            } else {
                apply.result.private = answer.private;
                apply.result.identity = answer.identity;
            }
        }
        if failed {
            apply.steps.clear();
        }
        apply.go_on()
    }
}

/// A provider's answer, checked.
struct CheckedResult {
    /// The object with its marks.
    saved: Value,
    /// The provider returned no object that can be saved, so an earlier one is kept.
    is_kept: bool,
    violations: Vec<ApplyViolation>,
}

fn judge(request: &ApplyResourceChange, answer: &AppliedResource, change: &PlannedChange) -> CheckedResult {
    let ApplyResourceChange { schema, prior, planned, .. } = request;
    let failed = have_errors(&answer.diagnostics);
    let carried = Carried::new(&change.before);
    let planned_marks = change.after.unmark_deep_with_paths().1;
    // Only providers in the same program can mark an answer.
    let marked = |object: &Value, marks: &[(Path, Marks)]| {
        let marked = object.mark_where_present(&planned_marks).mark_where_present(marks);
        carried.mark(&schema.mark_hidden(&marked))
    };
    // Without an object the prior one stays, unless the provider failed to destroy it: then it counts as
    // gone.
    let kept = || if planned.is_null() && failed { planned.clone() } else { prior.clone() };
    let Some(new_state) = answer.new_state.as_ref().filter(|new| planned.is_null() || !new.is_null()) else {
        let violations = if failed { Vec::new() } else { vec![ApplyViolation::NoObject] };
        return CheckedResult { saved: marked(&kept(), &[]), is_kept: true, violations };
    };
    let (new_state, marks) = new_state.unmark_deep_with_paths();
    let told = marked(&new_state, &marks);
    let objects = [&change.before, &change.after, &told];
    let secrets = SecretParts::new(schema, &objects);
    let mismatches = new_state.ty().mismatches_at(schema.implied_type(), secrets.root());
    if !mismatches.is_empty() {
        // Such an object cannot be saved.
        let violations = mismatches.into_iter().map(ApplyViolation::WrongType).collect();
        return CheckedResult { saved: marked(prior, &marks), is_kept: true, violations };
    }
    let mut violations = Vec::new();
    let has_value = |path: &Path| new_state.at(path).is_some_and(|value| !value.is_null());
    let write_only = schema.write_only_paths_at(&new_state, secrets.root()).into_iter().filter(has_value);
    violations.extend(write_only.map(ApplyViolation::WriteOnly));
    new_state.visit(|path, part| {
        if !part.is_known() {
            violations.push(ApplyViolation::Unknown(secrets.path(&path.to_path())));
        }
        if part.is_wholly_known() { Descend::Over } else { Descend::Into }
    });
    if planned.is_null() && !failed && !new_state.is_null() {
        violations.push(ApplyViolation::NotDestroyed);
    } else if !failed && violations.is_empty() {
        let inconsistent = object_violations(schema, planned, &new_state, secrets.root());
        violations.extend(inconsistent.into_iter().map(ApplyViolation::Inconsistent));
    }
    let saved = marked(&known(&without_write_only(schema, &new_state)), &marks);
    CheckedResult { saved, is_kept: false, violations }
}

/// The value with nulls in place of unknowns: a state has no unknown values.
fn known(value: &Value) -> Value {
    match value.is_known() {
        _ if value.is_wholly_known() => value.clone(),
        false => Value::null(value.ty().clone()),
        true => value.map_children(known),
    }
}

/// The object without write-only values, which are never saved.
fn without_write_only(schema: &Block, value: &Value) -> Value {
    if !schema.has_write_only() {
        return value.clone();
    }
    let paths: Vec<_> =
        schema.write_only_paths(value).into_iter().map(|path| (path, Marks::EPHEMERAL)).collect();
    let null = |part: &Value| Value::null(part.ty().clone());
    emptied(&value.mark_where_present(&paths), &null)
}

fn emptied(value: &Value, null: &impl Fn(&Value) -> Value) -> Value {
    if value.is_marked() {
        return null(value);
    }
    if value.contains_marked() { value.map_children(|part| emptied(part, null)) } else { value.clone() }
}

#[cfg(test)]
mod tests;
