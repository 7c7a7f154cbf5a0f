//! A change that a provider plans and makes.

use std::fmt;
use std::pin::pin;

use objchange::address::InstanceAddress;
use objchange::change::{
    Action, AppliedChange, AppliedResource, ApplyRequest, ApplyResourceChange, Applying, Diagnostic,
    PlanResourceChange, PlanViolation, PlannedChange, PrivateData, assert_object_compatible, begin_apply,
};
use objchange::schema::{Block, Schema};
use objchange::{Type, Value};
use objchange_document::state_edit::{InstanceObject, StateEdit};
use objchange_provider::{ChangeFault, Component, ProviderExt, plan_change};
use objchange_text::{Noted, Notice};
use serde_json::value::RawValue;

use super::{Hidden, NotSaved, Session, SessionError, StateOut, known_object, refreshed};
use crate::resource::{ResourceConfig, ResourceError, ResourceInputs, Subject};
use crate::workplace::Interrupt;
use objchange_files::input::Source;

/// A change as it was planned, and what it was planned from.
pub struct PlannedObject<'s> {
    /// The requested change.
    pub subject: Subject<'s>,
    /// The schema of the type.
    pub schema: Schema,
    /// The object before.
    pub known: InstanceObject,
    /// The planned change.
    pub change: PlannedChange,
}

/// A change that was made.
pub struct Applied {
    /// The result of it.
    pub change: AppliedChange,
    /// Why the provider did not answer at one step, which may or may not have been carried out.
    pub silence: Option<objchange_provider::Error>,
}

impl fmt::Debug for PlannedObject<'_> {
    /// Without values, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedObject").finish_non_exhaustive()
    }
}

impl fmt::Debug for Applied {
    /// Without values, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applied").finish_non_exhaustive()
    }
}

/// Reads the object that a configuration describes, without its prior object, with the schema that the provider has for its type.
///
/// # Errors
///
/// The configuration cannot be used, or the provider lacks the type.
pub fn read_subject<'s>(
    session: &Session<'_>,
    inputs: &ResourceInputs<'_>,
    config: &'s ResourceConfig,
    others: &[Source],
) -> Result<Subject<'s>, SessionError> {
    // For a type that the provider lacks, the error suggests similar names.
    let mut absent = None;
    let block = |name: &str| match session.block(Component::Resource, name) {
        Ok(block) => Ok(block.clone()),
        Err(failure) => {
            absent = Some(failure);
            Err(ResourceError::NoSchemas)
        }
    };
    let Noted { answer: subject, notices } = Subject::without_prior(inputs, config, others, block);
    notices.into_iter().for_each(|notice| session.hidden.remark(notice));
    match (subject, absent) {
        (_, Some(failure)) => Err(failure),
        (subject, None) => Ok(subject?),
    }
}

impl<'s> PlannedObject<'s> {
    /// Plans a change by a provider that has no configuration yet; it gets this one. With `refresh` the provider says first
    /// how the prior object is now.
    ///
    /// # Errors
    ///
    /// Something of it cannot be used, or the provider refuses it.
    pub async fn plan(
        session: &Session<'_>,
        inputs: &ResourceInputs<'_>,
        config: &'s ResourceConfig,
        provider_config: Option<&str>,
        refresh: bool,
    ) -> Result<Self, SessionError> {
        let others: Vec<Source> = provider_config.iter().map(|text| Source::new(text.as_ref())).collect();
        let mut subject = read_subject(session, inputs, config, &others)?;
        let name = subject.resource_type.clone();
        let schema = session.resource_schema(&name, &subject.request.schema);
        // Secrets are learned before the provider is configured, because any of its messages may repeat them.
        session.hide(&schema.block, &subject.request.config);
        session.configure(provider_config).await?;
        let of_block = subject.address.as_deref();
        let mut known = known_object(inputs.prior, inputs.address, of_block, &name, &schema, session).await?;
        if refresh && !known.object.is_null() {
            known = refreshed(session, &name, &schema.block, known).await?;
        }
        let plain = subject.request.config.unmark_deep().0;
        session.warnings_or_errors(&session.ask().validate(Component::Resource, &name, &plain).await?)?;
        subject.request.prior = known.object.clone();
        subject.request.lifecycle.tainted = known.tainted;
        subject.request.private = known.private.clone();
        subject.request.identity = known.identity.clone();
        let change = planned_by(session, &subject, &PrivateData::default()).await?;
        Ok(Self { subject, schema, known, change })
    }

    /// Plans once more before the change is made, by another process, and sees whether it is the same change.
    ///
    /// # Errors
    ///
    /// It is another one, or the provider refuses it.
    pub async fn plan_again(&mut self, session: &Session<'_>) -> Result<(), SessionError> {
        let (first, subject) = (&self.change, &self.subject);
        if matches!(first.action, Action::NoOp | Action::Delete) {
            return Ok(());
        }
        // As `terraform apply` does: another process plans, and knows only the private data of the first plan.
        let last = planned_by(session, subject, &first.private).await?;
        session.warnings_or_errors(&last.diagnostics)?;
        let mut wrong: Vec<String> = Vec::new();
        // Terraform lets an update become no change, because unknown values may turn out to be the prior ones.
        if last.action != first.action && (first.action, last.action) != (Action::Update, Action::NoOp) {
            wrong.push(format!(
                "the plan was to {}, and is to {} now",
                first.action.kind(),
                last.action.kind()
            ));
        }
        let found = assert_object_compatible(&subject.request.schema, &first.after, &last.after);
        wrong.extend(found.iter().map(ToString::to_string));
        if !last.legacy_type_system {
            wrong.extend(last.violations.iter().map(PlanViolation::to_string));
        }
        if wrong.is_empty() {
            self.change = last;
            return Ok(());
        }
        let headline = "the provider's final plan differs from its first plan; nothing was changed";
        let wrong = wrong.iter().map(|problem| session.hidden.relay(problem));
        Err(SessionError::Broken([headline.to_owned()].into_iter().chain(wrong).collect()))
    }

    /// Makes the change. Until it is made an interrupt only asks the provider to stop.
    ///
    /// # Errors
    ///
    /// The change cannot be applied.
    pub async fn apply(&self, session: &Session<'_>, interrupt: &Interrupt) -> Result<Applied, SessionError> {
        let mut request = ApplyRequest::new(&self.schema.block, &self.change, &self.subject.request.config);
        request.prior_private.clone_from(&self.known.private);
        // From here on only the answer of the provider tells what exists.
        interrupt.hold_off();
        let (change, silence) = made(session, &self.subject.resource_type, &request, interrupt).await?;
        session.hidden.learn(&self.schema.block, &change.saved);
        Ok(Applied { change, silence })
    }

    /// Puts what was made into a state file.
    ///
    /// # Errors
    ///
    /// The file does not have it.
    pub fn save(
        &self,
        (out, address): (StateOut, &InstanceAddress),
        provider: String,
        applied: &AppliedChange,
    ) -> Noted<Result<(), NotSaved>> {
        let AppliedChange { saved: object, tainted, private, identity, .. } = applied.clone();
        let current = InstanceObject { object, tainted, private, identity };
        let deposed = applied.deposed.clone();
        let deposed = deposed.map(|object| InstanceObject { object, tainted: false, ..self.known.clone() });
        let (schema, deposed) = (&self.schema, deposed.as_ref());
        out.save(&StateEdit { address, provider, schema, current: &current, deposed })
    }

    /// The change for display: secrets of the session are hidden in its objects.
    pub fn shown(&self, hidden: &Hidden<'_>) -> PlannedChange {
        let mut change = self.change.clone();
        for object in [&mut change.before, &mut change.proposed, &mut change.after] {
            *object = hidden.mark(object);
        }
        for violation in change.violations.iter_mut().chain(&mut change.at_apply) {
            if let PlanViolation::Invalid(invalid) = violation {
                let values = [&mut invalid.prior, &mut invalid.config, &mut invalid.planned];
                values.into_iter().flatten().for_each(|value| *value = hidden.mark(value));
            }
        }
        change
    }
}

/// The planned change.
async fn planned_by(
    session: &Session<'_>,
    subject: &Subject<'_>,
    planned_private: &PrivateData,
) -> Result<PlannedChange, SessionError> {
    let (name, request) = (&subject.resource_type, &subject.request);
    let mut change = plan_change(&session.ask(), name, request, planned_private).await?;
    if change.action == Action::Delete && session.schemas.capabilities.plan_destroy {
        change.private = destroy_planned_by(session, subject).await?;
    }
    for object in [&change.before, &change.proposed, &change.after] {
        session.hide(&request.schema, object);
    }
    Ok(change)
}

/// Some providers want to be asked before something is destroyed.
async fn destroy_planned_by(
    session: &Session<'_>,
    subject: &Subject<'_>,
) -> Result<PrivateData, SessionError> {
    let request = &subject.request;
    let nothing = Value::null(request.schema.implied_type().clone());
    let prior = request.prior.unmark_deep().0;
    let mut asked = PlanResourceChange::new(&request.schema, &prior, &nothing, &nothing);
    (asked.private, asked.identity) = (request.private.clone(), request.identity.clone());
    let answer = session.ask().plan(&subject.resource_type, &asked).await?;
    session.warnings_or_errors(&answer.diagnostics)?;
    if !answer.planned.is_null() {
        let said = "the provider planned an object where the object is to be destroyed; Terraform would refuse this plan";
        return Err(SessionError::Refused(vec![Diagnostic::error(said)]));
    }
    Ok(answer.private)
}

/// A change in progress. Dropping it before the end means an interrupt.
struct Underway<'h> {
    is_open: bool,
    hidden: &'h Hidden<'h>,
}

impl Underway<'_> {
    fn end(mut self) {
        self.is_open = false;
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.hidden.remark(Notice::Warning(
                "interrupted while the provider was making the change: it may have made it, or a part of it, and no state \
                 was written"
                    .to_owned(),
            ));
        }
    }
}

/// Makes a change. Where the provider does not answer at one step, the result is what comes of the steps before, and why
/// there is no answer.
async fn made(
    session: &Session<'_>,
    type_name: &str,
    request: &ApplyRequest,
    interrupt: &Interrupt,
) -> Result<(AppliedChange, Option<objchange_provider::Error>), SessionError> {
    let mut applying = begin_apply(request).map_err(ChangeFault::Apply)?;
    let mut silence = None;
    let underway = Underway { is_open: true, hidden: session.hidden };
    loop {
        applying = match applying {
            Applying::Done(applied) => {
                underway.end();
                return Ok((*applied, silence));
            }
            Applying::Ask(question) => {
                match answer(session, type_name, question.request(), interrupt).await {
                    Ok(answer) => question.answer(answer),
                    Err(error) => {
                        // An object that was to be destroyed may still exist, so it stays in the state.
                        let ApplyResourceChange { prior, planned, .. } = question.request();
                        let mut failed = AppliedResource::new(prior.clone());
                        failed.new_state = planned.is_null().then(|| prior.clone());
                        failed.private = question.request().private.clone();
                        failed.identity = question.request().identity.clone();
                        failed.diagnostics.push(Diagnostic::error(error.to_string()));
                        silence = Some(error);
                        question.answer(failed)
                    }
                }
            }
        };
    }
}

/// Applies the change. After an interrupt the provider is asked to stop, and its answer is still awaited: only it knows
/// what it has created.
async fn answer(
    session: &Session<'_>,
    type_name: &str,
    request: &ApplyResourceChange,
    interrupt: &Interrupt,
) -> objchange_provider::Result<AppliedResource> {
    let provider = session.ask();
    let mut applying = pin!(provider.apply(type_name, request));
    tokio::select! {
        answer = &mut applying => return answer,
        () = interrupt.heard() => {}
    }
    session.hidden.remark(Notice::Note(
        "interrupted: the provider is asked to stop; interrupt again to end it without its answer".to_owned(),
    ));
    let stopping = async {
        match provider.stop().await {
            Ok(message) if message.is_empty() => {}
            Ok(message) => session.hidden.warn(&format!("the provider cannot stop: {message}")),
            Err(error) => session.hidden.warn(&format!("the provider cannot stop: {error}")),
        }
    };
    tokio::join!(applying, stopping).0
}

/// An object as JSON without what is sensitive.
///
/// # Errors
///
/// JSON has no form for it.
pub fn redacted(object: &Value, block: &Block, hidden: &Hidden<'_>) -> Result<Box<RawValue>, SessionError> {
    let object = hidden.mark(&block.mark_hidden(object));
    let text = object.to_redacted_json(block.implied_type());
    let text = text.or_else(|_| object.to_redacted_json(&Type::Dynamic));
    let text = text.map_err(SessionError::no_json)?;
    RawValue::from_string(text).map_err(SessionError::no_json)
}
