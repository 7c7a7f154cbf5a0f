//! `objchange provider plan` and `apply`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;

use objchange::change::{
    Action, AppliedChange, AppliedResource, ApplyRequest, ApplyResourceChange, ApplyViolation, Applying,
    Diagnostic, PlanResourceChange, PlanViolation, PlannedChange, PrivateData, assert_object_compatible,
    begin_apply,
};
use objchange::schema::{Block, Schema};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_plan::{InstanceObject, StateEdit};
use objchange_project::resource::{ResourceConfig, ResourceError, ResourceInputs, Subject};
use objchange_provider::client::Children;
use objchange_provider::{ChangeFault, Component, ProviderExt, ReadResource, plan_change};
use objchange_text::json;
use serde::Serialize;
use serde_json::value::RawValue;

use super::hidden::Hidden;
use super::launch::Interrupt;
use super::prior;
use super::session::{Configured, Failure, Session, heed};
use super::state_out::{StateOut, instance_address};
use crate::exit::{self, FAILED, INTERRUPTED, UNUSABLE};
use crate::input::Source;
use crate::plan::{SubjectArgs, refused_in, show};
use objchange_text::{MAX_TEXTS, left_out};

/// Plan a change and check the provider's answer
#[derive(Debug, clap::Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    provider: Configured,

    #[command(flatten)]
    subject: SubjectArgs,

    /// Refresh the prior object first
    #[arg(long, requires = "prior")]
    refresh: bool,
}

/// Plan a change and apply it
#[derive(Debug, clap::Args)]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    plan: PlanArgs,

    /// Apply the change; otherwise it is only planned
    #[arg(long)]
    apply: bool,

    /// Add the new object to this state file, including secrets; the old file is kept as FILE.backup
    #[arg(long, value_name = "FILE", requires = "apply")]
    state_out: Option<PathBuf>,
}

/// A change as it was planned, and what it was planned from.
struct Planned<'s> {
    subject: Subject<'s>,
    schema: Schema,
    known: InstanceObject,
    change: PlannedChange,
}

pub(super) async fn plan(args: &PlanArgs, children: &Children, hidden: &Hidden) -> Result<ExitCode, Failure> {
    let config =
        ResourceConfig::read(args.subject.config()).map_err(|error| Failure::Plan(Box::new(error)))?;
    let (session, planned) = match planned(args, &config, children, hidden).await {
        Err(Failure::Plan(error)) => return Err(Failure::Command(refused_in(*error, &config))),
        planned => planned?,
    };
    session.end().await?;
    heed(&planned.change.diagnostics, hidden)?;
    Ok(show(&args.subject, &planned.subject, &shown(&planned.change, hidden))?)
}

async fn planned<'s, 'h>(
    args: &PlanArgs,
    config: &'s ResourceConfig,
    children: &Children,
    hidden: &'h Hidden,
) -> Result<(Session<'h>, Planned<'s>), Failure> {
    let unusable = |error| Failure::Plan(Box::new(error));
    let session = Session::start(&args.provider.target, children, hidden).await?;
    let others: Vec<Source> =
        args.provider.provider_config.iter().map(|text| Source::new(text.as_ref())).collect();
    // What the provider does not have is told with what is like it.
    let mut absent = None;
    let block = |name: &str| match session.block(Component::Resource, name) {
        Ok(block) => Ok(block.clone()),
        Err(failure) => {
            absent = Some(failure);
            Err(ResourceError::NoSchemas)
        }
    };
    let subject = Subject::without_prior(&args.subject.inputs(), config, &others, block);
    let mut subject = match (subject, absent) {
        (_, Some(failure)) => return Err(failure),
        (subject, None) => subject.map_err(unusable)?,
    };
    let name = subject.resource_type.clone();
    let schema = session.schemas.resources.get(name.as_str()).cloned();
    let schema = schema.unwrap_or_else(|| Schema::new(0, subject.request.schema.clone()));
    // Before anybody asks the provider about its own configuration: it may say anything anywhere.
    session.hide(&schema.block, &subject.request.config);
    session.configure(&args.provider).await?;
    let of_block = subject.address.as_deref();
    let ResourceInputs { prior, address, .. } = args.subject.inputs();
    let mut known = prior::known(prior, address, of_block, &name, &schema, &session).await?;
    if args.refresh && !known.object.is_null() {
        known = refreshed(&session, &name, &schema.block, known).await?;
    }
    let plain = subject.request.config.unmark_deep().0;
    session.heed(&session.ask().validate(Component::Resource, &name, &plain).await?)?;
    subject.request.prior = known.object.clone();
    subject.request.lifecycle.tainted = known.tainted;
    subject.request.private = known.private.clone();
    subject.request.identity = known.identity.clone();
    let change = planned_by(&session, &subject, &PrivateData::default()).await?;
    Ok((session, Planned { subject, schema, known, change }))
}

/// What the provider plans.
async fn planned_by(
    session: &Session<'_>,
    subject: &Subject<'_>,
    planned_private: &PrivateData,
) -> Result<PlannedChange, Failure> {
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

/// The change as it may be shown: what is secret elsewhere is so in its objects, too.
fn shown(change: &PlannedChange, hidden: &Hidden) -> PlannedChange {
    let mut change = change.clone();
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

/// Some providers want to be asked before something is destroyed.
async fn destroy_planned_by(session: &Session<'_>, subject: &Subject<'_>) -> Result<PrivateData, Failure> {
    let request = &subject.request;
    let nothing = Value::null(request.schema.implied_type().clone());
    let prior = request.prior.unmark_deep().0;
    let mut asked = PlanResourceChange::new(&request.schema, &prior, &nothing, &nothing);
    (asked.private, asked.identity) = (request.private.clone(), request.identity.clone());
    let answer = session.ask().plan(&subject.resource_type, &asked).await?;
    session.heed(&answer.diagnostics)?;
    if !answer.planned.is_null() {
        let said = "the provider planned an object where the object is to be destroyed; Terraform would refuse this plan";
        return Err(Failure::Refused(vec![Diagnostic::error(said)]));
    }
    Ok(answer.private)
}

/// The object as the provider finds it now.
pub(super) async fn refreshed(
    session: &Session<'_>,
    name: &str,
    block: &Block,
    known: InstanceObject,
) -> Result<InstanceObject, Failure> {
    let (object, marks) = known.object.unmark_deep_with_paths();
    let request = ReadResource {
        type_name: name.into(),
        state: object,
        private: known.private.clone(),
        identity: known.identity.clone(),
        deferral_allowed: false,
    };
    let answer = session.ask().read(&request).await?;
    session.heed(&answer.diagnostics)?;
    let object = answer.object.unwrap_or_else(|| Value::null(block.implied_type().clone()));
    let object = object.mark_where_present(&marks);
    session.hide(block, &object);
    let identity = answer.identity.or(known.identity);
    Ok(InstanceObject { object, tainted: known.tainted, private: answer.private, identity })
}

pub(super) async fn apply(
    args: &ApplyArgs,
    (children, interrupt): (&Children, &Interrupt),
    hidden: &Hidden,
) -> Result<ExitCode, Failure> {
    let out = args.state_out.as_deref().map(StateOut::open).transpose()?;
    let config =
        ResourceConfig::read(args.plan.subject.config()).map_err(|error| Failure::Plan(Box::new(error)))?;
    let (session, planned) = match planned(&args.plan, &config, children, hidden).await {
        Err(Failure::Plan(error)) => return Err(Failure::Command(refused_in(*error, &config))),
        planned => planned?,
    };
    session.end().await?;
    let Planned { subject, schema, known, change } = planned;
    heed(&change.diagnostics, hidden)?;
    let shown = show(&args.plan.subject, &subject, &shown(&change, hidden))?;
    if !args.apply {
        exit::note("nothing was changed; with --apply it is");
        return Ok(shown);
    }
    if shown != ExitCode::SUCCESS {
        return Ok(shown);
    }
    let target = out.map(|out| {
        let address = instance_address(&subject.shown_address(), &subject.resource_type);
        let address = address.map_err(Failure::Unusable)?;
        out.check_free(&address, args.plan.subject.inputs().prior)?;
        Ok::<_, Failure>((out, address))
    });
    let target = target.transpose()?;
    // As Terraform does, in another process: what the provider remembers of the plan is what it left with it.
    let session = Session::configured(&args.plan.provider, children, hidden).await?;
    let change = match change.action {
        Action::NoOp | Action::Delete => change,
        _ => match planned_again(&session, &subject, change).await? {
            Ok(change) => change,
            Err(code) => return Ok(code),
        },
    };
    let mut request = ApplyRequest::new(&schema.block, &change, &subject.request.config);
    request.prior_private.clone_from(&known.private);
    interrupt.hold_off();
    let (applied, silence) = made(&session, &subject.resource_type, &request, interrupt).await?;
    hidden.learn(&schema.block, &applied.saved);
    // Before anything else, which may fail: nobody but the state file knows of what was made.
    let is_saved = target.is_none_or(|(out, address)| {
        let provider = args.plan.provider.target.binary.address();
        let AppliedChange { saved: object, tainted, private, identity, .. } = applied.clone();
        let current = InstanceObject { object, tainted, private, identity };
        let deposed =
            applied.deposed.clone().map(|object| InstanceObject { object, tainted: false, ..known.clone() });
        let (address, schema, deposed) = (&address, &schema, deposed.as_ref());
        out.save(&StateEdit { address, provider, schema, current: &current, deposed })
    });
    interrupt.allow();
    if let Some(error) = silence {
        exit::warn("the provider may have made a part of the change, of which nothing is known");
        return Err(error.into());
    }
    session.end().await?;
    let is_fine = tell(args, &change, &applied, &schema, hidden)?;
    Ok(match (is_saved, is_fine) {
        (false, _) => ExitCode::from(UNUSABLE),
        (true, _) if interrupt.was_heard() => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::from(FAILED),
        (true, true) => ExitCode::SUCCESS,
    })
}

/// A change that is being made. If this is dropped before its end somebody has interrupted it.
struct Underway(bool);

impl Underway {
    fn end(mut self) {
        self.0 = false;
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        if self.0 {
            exit::warn(
                "interrupted while the provider was making the change: it may have made it, or a part of it, and no state \
                 was written",
            );
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
) -> Result<(AppliedChange, Option<objchange_provider::Error>), Failure> {
    let mut applying = begin_apply(request).map_err(ChangeFault::Apply)?;
    let mut silence = None;
    let underway = Underway(true);
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
                        // Nobody knows whether what was to be destroyed is gone: it is not forgotten.
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

/// What the provider answers. Where somebody interrupts, it is asked to stop, and its answer is still waited for: nobody else
/// knows what it has made.
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
    exit::note("interrupted: the provider is asked to stop; interrupt again to end it without its answer");
    let stopping = async {
        match provider.stop().await {
            Ok(message) if message.is_empty() => {}
            Ok(message) => session.hidden.warn(&format!("the provider cannot stop: {message}")),
            Err(error) => session.hidden.warn(&format!("the provider cannot stop: {error}")),
        }
    };
    tokio::join!(applying, stopping).0
}

/// Plans once more before the change is made, and sees whether it is the same change.
async fn planned_again(
    session: &Session<'_>,
    subject: &Subject<'_>,
    first: PlannedChange,
) -> Result<Result<PlannedChange, ExitCode>, Failure> {
    let last = planned_by(session, subject, &first.private).await?;
    session.heed(&last.diagnostics)?;
    let mut wrong: Vec<String> = Vec::new();
    if last.action != first.action && (first.action, last.action) != (Action::Update, Action::NoOp) {
        wrong.push(format!("the plan was to {}, and is to {} now", first.action.kind(), last.action.kind()));
    }
    let found = assert_object_compatible(&subject.request.schema, &first.after, &last.after);
    wrong.extend(found.iter().map(ToString::to_string));
    if !last.legacy_type_system {
        wrong.extend(last.violations.iter().map(PlanViolation::to_string));
    }
    if wrong.is_empty() {
        return Ok(Ok(last));
    }
    exit::complain("the provider plans something else when the plan is to be applied; nothing was changed")?;
    for problem in wrong {
        exit::complain(&session.hidden.relay(&problem))?;
    }
    Ok(Err(ExitCode::from(FAILED)))
}

/// What came of a change, for programs (`schema/provider-apply.schema.json`).
#[derive(Serialize)]
struct Report<'a> {
    format_version: &'static str,
    action: Action,
    tainted: bool,
    legacy_type_system: bool,
    violations: Vec<Violation<'a>>,
    errors: Vec<String>,
    object: Box<RawValue>,
}

#[derive(Serialize)]
struct Violation<'a> {
    kind: &'static str,
    path: &'a Path,
    message: String,
}

/// Says what came of a change, and whether nothing is against it.
fn tell(
    args: &ApplyArgs,
    change: &PlannedChange,
    applied: &AppliedChange,
    schema: &Schema,
    hidden: &Hidden,
) -> Result<bool, Failure> {
    let refused = heed(&applied.diagnostics, hidden);
    let errors = match &refused {
        Err(Failure::Refused(errors)) => {
            let shown = errors.iter().take(MAX_TEXTS).map(|error| hidden.relay(&error.to_string()));
            shown.chain(left_out(errors.len(), MAX_TEXTS, "errors")).collect()
        }
        _ => Vec::new(),
    };
    let violations: Vec<Violation<'_>> = applied
        .violations
        .iter()
        .map(|v| Violation { kind: v.kind(), path: v.path(), message: hidden.relay(&v.to_string()) })
        .collect();
    let tolerates = |violation: &ApplyViolation| {
        applied.legacy_type_system && matches!(violation, ApplyViolation::Inconsistent(_))
    };
    let is_fine = errors.is_empty() && applied.violations.iter().all(tolerates);
    if args.plan.subject.json {
        let object = redacted(&applied.saved, &schema.block, hidden)?;
        let (tainted, legacy_type_system) = (applied.tainted, applied.legacy_type_system);
        let action = change.action;
        let report =
            Report { format_version: "1.0", action, tainted, legacy_type_system, violations, errors, object };
        json::write_line(&mut io::stdout().lock(), &report)?;
        return Ok(is_fine);
    }
    for violation in violations.iter().take(MAX_TEXTS) {
        let said = format!("{} ({})", violation.message, violation.kind);
        let is_tolerated = applied.legacy_type_system;
        if is_tolerated { exit::warn(&said) } else { exit::complain(&said)? }
    }
    if let Some(more) = left_out(violations.len(), MAX_TEXTS, "violations") {
        exit::complain(&more)?;
    }
    refused?;
    let done = match (change.action, applied.tainted) {
        (Action::NoOp, _) => "nothing was to be done",
        (Action::Delete, _) if applied.saved.is_null() => "destroyed",
        (Action::Delete, _) => "not destroyed",
        (_, true) => "created, but not as it should be: the object is tainted",
        (Action::Create, _) => "created",
        (Action::Update, _) => "updated",
        _ => "replaced",
    };
    writeln!(crate::terminal::stdout(), "\n{done}")?;
    Ok(is_fine)
}

/// An object as JSON without what is sensitive.
pub(super) fn redacted(object: &Value, block: &Block, hidden: &Hidden) -> Result<Box<RawValue>, Failure> {
    let object = hidden.mark(&block.mark_hidden(object));
    let text = object.to_redacted_json(block.implied_type());
    let text = text.or_else(|_| object.to_redacted_json(&Type::Dynamic));
    let text = text.map_err(|error| Failure::Unusable(error.to_string()))?;
    Ok(RawValue::from_string(text).map_err(io::Error::from)?)
}
