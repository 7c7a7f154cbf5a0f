//! Plans one change: the steps of Terraform Core around a provider.

mod judged;
mod planned;
mod request;
mod sides;

use std::fmt;

use hashbrown::HashSet;

use self::judged::{CheckedPlan, distinct, judge};
pub use self::planned::{PlanChangeError, PlanViolation, PlannedChange, ReplaceReason};
pub use self::request::{Lifecycle, PlanRequest};
use self::sides::Sides;
use super::action::Action;
use super::computed_blocks::prepare_computed_blocks;
use super::proposed_new::{KeptValues, merge};
use super::provider::{
    Diagnostic, PlanResourceChange, PlannedResource, PrivateData, Provider, have_errors, hide_in_diagnostics,
};
use crate::schema::SecretParts;
use crate::value::{Marks, Path, PathStep, Type, Value};

/// Plans one change from end to end: proposes the new object, calls the provider, checks its answer, and
/// determines the action.
///
/// # Errors
///
/// The configuration or the prior object does not fit the schema, the configuration is unknown as a whole,
/// `ignore_changes` has a path that the schema does not, or the provider cannot plan. Violations in the
/// provider's answer are not an error of this function: see [`PlannedChange::violations`].
///
/// ```
/// use objchange::change::{Action, PlanRequest, SimulatedProvider, plan_change};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new(
///     [("id", Attribute::computed(Type::String)), ("size", Attribute::optional(Type::Number))],
///     [],
/// );
/// let prior = Value::object([("id", Value::from("vol-1")), ("size", Value::from(10))]);
/// let config = Value::object([("size", 20)]);
/// let request = PlanRequest::new(&schema, &prior, &config);
/// let change = plan_change(&request, &mut SimulatedProvider::default())?;
/// assert_eq!(change.action, Action::Update);
/// assert_eq!(change.after, Value::object([("id", Value::from("vol-1")), ("size", Value::from(20))]));
/// # Ok::<(), objchange::change::PlanChangeError>(())
/// ```
pub fn plan_change(
    request: &PlanRequest,
    provider: &mut dyn Provider,
) -> Result<PlannedChange, PlanChangeError> {
    let mut planning = begin_plan(request)?;
    loop {
        planning = match planning {
            Planning::Ask(question) => {
                let answer = provider.plan(question.request()).map_err(PlanChangeError::Provider)?;
                question.answer(answer)?
            }
            Planning::Done(change) => return Ok(*change),
        };
    }
}

/// The progress of planning a change.
#[derive(Debug)]
#[must_use = "a change is planned when all questions are answered"]
pub enum Planning {
    /// The provider must be called: once, or a second time for a replacement.
    Ask(PlanQuestion),
    /// The change is planned.
    Done(Box<PlannedChange>),
}

/// Begins to plan a change step by step, for callers that do not wait for a provider inside of a function.
/// [`plan_change`] plans it with a [`Provider`].
///
/// # Errors
///
/// As for [`plan_change`].
///
/// ```
/// use objchange::change::{Action, PlanRequest, PlanResourceChange, PlannedResource, Planning, begin_plan};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// /// Stands for a client that is waited for.
/// async fn ask(question: &PlanResourceChange) -> PlannedResource {
///     PlannedResource::new(question.proposed.clone())
/// }
///
/// async fn plan(request: &PlanRequest) -> Result<Action, objchange::change::PlanChangeError> {
///     let mut planning = begin_plan(request)?;
///     loop {
///         planning = match planning {
///             Planning::Ask(question) => {
///                 let answer = ask(question.request()).await;
///                 question.answer(answer)?
///             }
///             Planning::Done(change) => return Ok(change.action),
///         };
///     }
/// }
///
/// let schema = Block::new([("size", Attribute::optional(Type::Number))], []);
/// let size = |n: i64| Value::object([("size", n)]);
/// let request = PlanRequest::new(&schema, &size(10), &size(20));
/// # let mut plan = std::pin::pin!(plan(&request));
/// # let std::task::Poll::Ready(action) =
/// #     plan.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) else { panic!() };
/// # use std::future::Future;
/// assert_eq!(action?, Action::Update); // what `plan(&request).await` gave
/// # Ok::<(), objchange::change::PlanChangeError>(())
/// ```
pub fn begin_plan(request: &PlanRequest) -> Result<Planning, PlanChangeError> {
    request.lifecycle.ignore_changes.check(&request.schema)?;
    let sides = Sides::new(request)?;
    if sides.config.is_null() {
        return Ok(Planning::Done(Box::new(sides.without_config(request))));
    }
    // A tainted object is planned for as if it were not there.
    let from = if request.lifecycle.tainted { sides.nothing() } else { sides.prior.clone() };
    let config = sides.ignoring.clone();
    let plan = Plan { sides, lifecycle: request.lifecycle.clone(), marks: Vec::new(), first: None };
    let PlanRequest { private, identity, deferral_allowed, .. } = request;
    plan.ask(&from, &config, (private.clone(), identity.clone()), *deferral_allowed)
}

/// A change while it is planned.
struct Plan {
    sides: Sides,
    lifecycle: Lifecycle,
    /// The marks of the answers, which only a provider in the same program can set.
    marks: Vec<(Path, Marks)>,
    /// The outcome of the first answer, if it was a replacement.
    first: Option<First>,
}

/// The outcome of the first answer, kept while the provider plans the replacement as a creation.
struct First {
    action: Action,
    replace_reason: Option<ReplaceReason>,
    violations: Vec<PlanViolation>,
    diagnostics: Vec<Diagnostic>,
}

/// A question to a provider that must be answered before planning can continue.
pub struct PlanQuestion {
    plan: Box<Plan>,
    request: PlanResourceChange,
}

impl fmt::Debug for PlanQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanQuestion").field("request", &self.request).finish_non_exhaustive()
    }
}

impl Plan {
    fn ask(
        self,
        prior: &Value,
        config: &Value,
        (private, identity): (PrivateData, Option<Value>),
        deferral_allowed: bool,
    ) -> Result<Planning, PlanChangeError> {
        let schema = self.sides.schema.clone();
        // Terraform Core runs `PrepareComputedBlocks` on the configuration before `ProposedNew`.
        let config = prepare_computed_blocks(&schema, config)?;
        let proposed = merge(
            &schema,
            prior,
            &config,
            KeptValues::Prior,
            SecretParts::new(&schema, &self.sides.marked()).root(),
        )?;
        let mut request = PlanResourceChange::new(&schema, prior, &proposed, &config);
        (request.private, request.identity) = (private, identity);
        request.deferral_allowed = deferral_allowed;
        Ok(Planning::Ask(PlanQuestion { plan: Box::new(self), request }))
    }

    fn done(
        self,
        answer: CheckedPlan,
        action: Action,
        replace_reason: Option<ReplaceReason>,
    ) -> PlannedChange {
        let Self { sides, first, .. } = self;
        let CheckedPlan { after, mut diagnostics, unusable: mut violations, invalid: mut at_apply, .. } =
            answer;
        match first {
            // Terraform checks the plan of the replacement's new object only while it applies the change.
            // Violations that the first answer has as well are not repeated.
            Some(first) => {
                let known: HashSet<Path> = first.violations.iter().map(|v| v.path().clone()).collect();
                at_apply.retain(|violation| !known.contains(violation.path()));
                violations = first.violations.into_iter().chain(violations).collect();
                diagnostics = first.diagnostics.into_iter().chain(diagnostics).collect();
            }
            None => violations.append(&mut at_apply),
        }
        let action = match action {
            // Terraform plans an update if only sensitivity changes, so that the state gets the new marks.
            // The provider is not called for it.
            Action::NoOp if !sides.before.same_sensitive_parts(&after) => Action::Update,
            action => action,
        };
        // A part that is hidden after the change is hidden before it as well; otherwise it would seem to
        // become sensitive.
        let (before, shown) = sides.show(answer.shown);
        PlannedChange {
            action,
            may_replace: answer.may_replace && action == Action::Update,
            replace_reason,
            violations: distinct(violations),
            at_apply: distinct(at_apply),
            legacy_type_system: answer.legacy_type_system,
            no_longer_sensitive: sides.no_longer_sensitive(&after),
            configured_marks: sides.config_marks().to_vec(),
            proposed: sides.carried.mark(&sides.mark(&answer.proposed)),
            after: shown,
            before,
            private: answer.private,
            identity: answer.identity,
            deferred: answer.deferred,
            diagnostics,
        }
    }
}

impl PlanQuestion {
    /// The request to the provider.
    pub fn request(&self) -> &PlanResourceChange {
        &self.request
    }

    /// Goes on with the provider's answer.
    ///
    /// # Errors
    ///
    /// The provider has reported errors, or the change cannot be planned for the second time. Violations in
    /// the answer are not an error: see [`PlannedChange::violations`].
    pub fn answer(self, answer: PlannedResource) -> Result<Planning, PlanChangeError> {
        let Self { mut plan, request } = self;
        if have_errors(&answer.diagnostics) {
            let [before, configured] = plan.sides.marked();
            let objects = [before, configured, &answer.planned];
            let secrets = SecretParts::new(&plan.sides.schema, &objects);
            return Err(PlanChangeError::Refused(hide_in_diagnostics(answer.diagnostics, &secrets)));
        }
        let requires_replace = answer.requires_replace.clone();
        let mut answer = judge(&request, answer, &plan.sides, &mut plan.marks);
        if let Some(first) = &mut plan.first {
            let (action, reason) = (first.action, first.replace_reason.take());
            return Ok(Planning::Done(Box::new(plan.done(answer, action, reason))));
        }
        let replace_reason = plan.replace_reason(&requires_replace, &mut answer);
        let action = match &replace_reason {
            _ if plan.sides.prior.is_null() => Action::Create,
            Some(_) if plan.lifecycle.create_before_destroy => Action::CreateThenDelete,
            Some(_) => Action::DeleteThenCreate,
            // The planned object decides, not the configuration: a provider may plan the prior value for an
            // equivalent configuration.
            None if answer.planned.definitely_equals(&plan.sides.prior) => Action::NoOp,
            None => Action::Update,
        };
        // A tainted object was planned for as if it were not there.
        if !action.is_replace() || plan.lifecycle.tainted || answer.deferred.is_some() {
            return Ok(Planning::Done(Box::new(plan.done(answer, action, replace_reason))));
        }
        // The object that takes its place starts from nothing, and nothing of its configuration is ignored.
        let violations = answer.unusable.into_iter().chain(answer.invalid).collect();
        plan.first = Some(First { action, replace_reason, violations, diagnostics: answer.diagnostics });
        plan.sides.ignore_nothing();
        let (nothing, config) = (plan.sides.nothing(), plan.sides.ignoring.clone());
        plan.ask(&nothing, &config, (answer.private, answer.identity), request.deferral_allowed)
    }
}

impl Plan {
    fn replace_reason(&self, requires_replace: &[Path], answer: &mut CheckedPlan) -> Option<ReplaceReason> {
        let Sides { schema, prior, .. } = &self.sides;
        if prior.is_null() {
            return None;
        }
        // A tainted object is replaced even if nothing changes.
        if self.lifecycle.tainted {
            return Some(ReplaceReason::Tainted);
        }
        let null = Value::null(Type::Dynamic);
        let [before, configured] = self.sides.marked();
        let objects = [before, configured, &answer.shown];
        let secrets = SecretParts::new(schema, &objects);
        let mut paths = Vec::new();
        for path in requires_replace {
            let (before, after) = (part(prior, path), part(&answer.planned, path));
            // Terraform reports a path that exists in neither object as an invalid plan.
            if before.is_none() && after.is_none() {
                answer.invalid.push(PlanViolation::RequiresReplaceNowhere(secrets.path(path)));
                continue;
            }
            // The stored value of a write-only attribute is always null, so a change cannot be seen.
            // Terraform trusts the provider here.
            let write_only = schema.attribute_by_path(path).is_some_and(|a| a.write_only);
            if write_only
                || !before.as_ref().unwrap_or(&null).definitely_equals(after.as_ref().unwrap_or(&null))
            {
                paths.push(secrets.path(path));
            }
        }
        if self.lifecycle.force_replace {
            Some(ReplaceReason::Requested(paths))
        } else if paths.is_empty() {
            None
        } else {
            Some(ReplaceReason::CannotUpdate(paths))
        }
    }
}

/// The part at a path, if there is one. Everything below an unknown value is unknown. An index may name an
/// attribute, because a provider's map is an object where its type is dynamic.
fn part(value: &Value, path: &Path) -> Option<Value> {
    let mut at = value;
    for step in path.steps() {
        if !at.is_known() {
            return Some(Value::unknown(Type::Dynamic));
        }
        at = match step {
            PathStep::Index(key) => at.step(step).or_else(|| at.attribute(key.as_str()?))?,
            PathStep::Attribute(_) => at.step(step)?,
        };
    }
    Some(at.clone())
}

#[cfg(test)]
mod tests;
