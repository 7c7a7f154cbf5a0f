//! Makes the calls that Terraform makes, in the same order.

use std::collections::HashSet;
use std::convert::Infallible;

use objchange::change::{Diagnostic, PlannedChange, PrivateData, Severity};
use objchange::schema::Block;
use objchange::value::{Path, PathStep};
use objchange::{Type, Value};
use objchange_provider::{Capabilities, Component, Error, ErrorKind, Provider, ProviderExt, Result, Schemas};

use super::finding::outermost;
use super::flavor::Flavor;
use super::leak::Leaks;
use super::schemas::of_type;
use super::secrets::{Origin, Provenance, Secrets};
use super::{Clause, Finding, FindingSeverity};
use objchange_explain::sentences::required;

/// The input for testing a resource type.
#[derive(Clone)]
#[non_exhaustive]
pub struct Trial {
    /// The configuration at planning time. It may have unknown parts.
    pub config: Value,
    /// The wholly known configuration at apply time; `None` if `config` is wholly known.
    pub known: Option<Value>,
    /// A second configuration for an update, and its wholly known form.
    pub update: Option<(Value, Option<Value>)>,
    /// Whether plans are applied. Created objects are destroyed at the end, if the provider can.
    pub apply: bool,
    /// The rules to check against.
    pub flavor: Flavor,
    /// The identifier to import the object by; `None` for its `id`.
    pub import_id: Option<String>,
    /// The author of the configurations.
    pub(super) origin: Origin,
    /// Secrets beyond those in the configurations.
    pub(super) secrets: Secrets,
}

impl Trial {
    /// Only plans this configuration.
    pub fn new(config: Value) -> Self {
        Self {
            config,
            known: None,
            update: None,
            apply: false,
            flavor: Flavor::default(),
            import_id: None,
            origin: Origin::People,
            secrets: Secrets::default(),
        }
    }
}

/// Leaves out the configurations, which may hold secrets.
impl std::fmt::Debug for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trial")
            .field("apply", &self.apply)
            .field("flavor", &self.flavor)
            .finish_non_exhaustive()
    }
}

/// The result of a trial.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The violations, in the order in which they were found.
    pub findings: Vec<Finding>,
    /// The provider's errors about the configuration, which end the trial. Secrets in them are hidden.
    pub refused: Vec<Diagnostic>,
}

/// Checks a resource through its whole life with this configuration. Like Terraform, it stops at an answer
/// that Terraform does not accept; created objects are still destroyed.
///
/// # Errors
///
/// The configuration does not fit the schema, or the provider has no such type. Faults of the provider,
/// even a crash, are [`Finding`]s.
pub async fn judge(provider: &dyn Provider, type_name: &str, trial: &Trial) -> Result<Judgement> {
    let schemas = provider.schemas().await?;
    let (block, declared) = match usable(&schemas, Component::Resource, type_name)? {
        Ok(usable) => usable,
        Err(judgement) => return Ok(judgement),
    };
    let block = trial.flavor.understood(block);
    let mut flow = Flow::new(provider, &schemas, type_name, &block, trial.flavor);
    // The secrets of the whole run: a shorter secret, hidden first, would leave the rest of a longer one.
    flow.secrets = trial.secrets.clone();
    for finding in declared {
        flow.add_finding(finding);
    }
    // The judgement has all findings, however far the trial went.
    let _ = flow.run(trial).await?;
    Ok(flow.judgement)
}

/// The schema of a type, with its tolerable faults; or the final judgement if the schema is unusable.
fn usable<'s>(
    schemas: &'s Schemas,
    component: Component,
    name: &str,
) -> Result<Result<(&'s Block, Vec<Finding>), Judgement>> {
    let findings = of_type(schemas, component, name);
    let is_refused = findings.iter().any(|finding| finding.severity.is_error());
    match schemas.block(component, name).filter(|_| !is_refused) {
        Some(block) => Ok(Ok((block, findings))),
        None if findings.is_empty() => {
            Err(ErrorKind::UnknownName { what: component.noun(), name: name.to_owned() }.into())
        }
        None => Ok(Err(Judgement { findings, ..Judgement::default() })),
    }
}

/// An object as it was saved.
#[derive(Clone)]
pub(super) struct Saved {
    pub(super) object: Value,
    pub(super) private: PrivateData,
    pub(super) identity: Option<Value>,
}

/// A trial in progress. A step returns `None` where Terraform would stop.
pub(super) struct Flow<'p> {
    pub(super) provider: &'p dyn Provider,
    pub(super) schemas: &'p Schemas,
    pub(super) type_name: &'p str,
    pub(super) block: &'p Block,
    /// The version of the schema.
    pub(super) version: i64,
    pub(super) capabilities: Capabilities,
    pub(super) flavor: Flavor,
    pub(super) judgement: Judgement,
    pub(super) secrets: Secrets,
    leaks: Leaks,
    /// The step at which findings show, unless that is the first plan.
    pub(super) when: Option<String>,
    /// The findings so far: some calls are made more than once, and could repeat them.
    known: HashSet<(Clause, String, Path, String)>,
    /// The provider is gone.
    is_gone: bool,
    /// An applied object could be read.
    pub(super) is_readable: bool,
}

impl<'p> Flow<'p> {
    pub(super) fn new(
        provider: &'p dyn Provider,
        schemas: &'p Schemas,
        type_name: &'p str,
        block: &'p Block,
        flavor: Flavor,
    ) -> Self {
        Self {
            provider,
            schemas,
            type_name,
            block,
            version: schemas.resources.get(type_name).map_or(0, |schema| schema.version),
            capabilities: schemas.capabilities,
            flavor,
            judgement: Judgement::default(),
            secrets: Secrets::default(),
            leaks: Leaks::default(),
            when: None,
            known: HashSet::new(),
            is_gone: false,
            is_readable: true,
        }
    }

    /// Begins with a configuration of anything but a managed resource, if the provider accepts it; otherwise the
    /// judgement is complete.
    pub(super) async fn begin(
        provider: &'p dyn Provider,
        schemas: &'p Schemas,
        (component, name): (Component, &'p str),
        (config, Provenance { origin, secrets }): (&Value, Provenance),
    ) -> Result<Result<(Self, Value), Judgement>> {
        let (block, declared) = match usable(schemas, component, name)? {
            Ok(usable) => usable,
            Err(judgement) => return Ok(Err(judgement)),
        };
        let mut flow = Self::new(provider, schemas, name, block, Flavor::default());
        flow.secrets = secrets;
        for finding in declared {
            flow.add_finding(finding);
        }
        let config = block.coerce_config(config).map_err(bad_config)?;
        flow.learn_config(&config, origin);
        let config = config.unmark_deep().0;
        Ok(match flow.is_valid(component, &config).await {
            true => Ok((flow, config)),
            false => Err(flow.judgement),
        })
    }

    /// Registers the secrets of a configuration.
    fn learn_config(&mut self, config: &Value, origin: Origin) {
        self.secrets.learn_config(self.block, config, origin);
        self.leaks.learn(self.block, config);
    }

    /// Whether the provider accepts a configuration in its validation call.
    async fn is_valid(&mut self, component: Component, config: &Value) -> bool {
        let validated = self.provider.validate(component, self.type_name, config).await;
        let diagnostics = self.answer_or_finding(validated, Clause::T1);
        diagnostics.is_some_and(|diagnostics| !self.refuses(&diagnostics))
    }

    pub(super) fn add_finding(&mut self, finding: Finding) {
        if self.is_consequence(&finding) {
            return;
        }
        let mut finding = self.secrets.hide_in_finding(finding);
        finding.when.clone_from(&self.when);
        let key = (finding.clause, finding.kind.clone(), finding.path.clone(), finding.message.clone());
        if self.known.insert(key) {
            self.judgement.findings.push(finding);
        }
    }

    /// Adds all findings about one answer.
    pub(super) fn add_findings(&mut self, findings: Vec<Finding>) {
        outermost(findings).into_iter().for_each(|finding| self.add_finding(finding));
    }

    /// Whether a finding follows from an earlier one at the same place, and Terraform does not stop at it.
    fn is_consequence(&self, finding: &Finding) -> bool {
        // A value that is not applied as planned (A5), drifts (R5) or is planned by chance (C1) differs again in the
        // next plan (C2), in the generated configuration (G2) and in the imported object (I7).
        let shows_again = |clause| [Clause::C2, Clause::G2, Clause::I7].contains(&clause);
        let stops = |finding: &Finding| finding.severity == FindingSeverity::Error;
        let goes_on = |clause| [Clause::A5, Clause::R5, Clause::C1].contains(&clause);
        let is_cause = |found: &Finding| {
            goes_on(found.clause) && !stops(found) && found.path == finding.path && !found.path.is_root()
        };
        shows_again(finding.clause) && !stops(finding) && self.judgement.findings.iter().any(is_cause)
    }

    /// Registers the secrets of an object, to hide them in the provider's messages. Reports a write-only
    /// value that is repeated elsewhere in the object.
    pub(super) fn learn(&mut self, object: &Value) {
        self.secrets.learn(self.block, object);
        if let Some(finding) = self.leaks.in_object(self.block, object) {
            self.add_finding(finding);
        }
    }

    /// The answer; adds a finding if there is none.
    pub(super) fn answer_or_finding<T>(&mut self, answer: Result<T>, wrong_type: Clause) -> Option<T> {
        let error = match answer {
            Ok(answer) => return Some(answer),
            Err(error) => error,
        };
        self.is_gone |= error.is_gone();
        let finding = no_answer(&error, wrong_type, self.block.implied_type());
        self.add_finding(finding.map_texts(|text| self.secrets.hide(&text)));
        None
    }

    /// Whether there are errors among the diagnostics. Each becomes a finding, because the object is the provider's own.
    pub(super) fn fails(
        &mut self,
        diagnostics: &[Diagnostic],
        (clause, kind): (Clause, &str),
        what: &str,
    ) -> bool {
        let before = self.judgement.refused.len();
        let fails = self.refuses(diagnostics);
        self.refusals_into_findings(before, (clause, kind), what);
        fails
    }

    /// Turns the refusals from index `since` on into findings: they concern objects that the provider itself made.
    fn refusals_into_findings(&mut self, since: usize, (clause, kind): (Clause, &str), what: &str) {
        for error in self.judgement.refused.split_off(since) {
            self.add_finding(Finding::from_error(clause, kind, what, &error));
        }
    }

    /// Whether there are errors among the diagnostics. They are recorded as refusals, not as faults.
    pub(super) fn refuses(&mut self, diagnostics: &[Diagnostic]) -> bool {
        self.check_for_secrets(diagnostics);
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let hidden = errors.map(|error| self.secrets.hide_in(self.block, error));
        let before = self.judgement.refused.len();
        self.judgement.refused.extend(hidden);
        self.judgement.refused.len() > before
    }

    /// Reports secrets in the provider's messages.
    pub(super) fn check_for_secrets(&mut self, diagnostics: &[Diagnostic]) {
        if let Some(finding) = self.leaks.in_diagnostics(diagnostics) {
            self.add_finding(finding);
        }
    }

    async fn run(&mut self, trial: &Trial) -> Result<Option<()>> {
        let block = self.block;
        let known = trial.known.as_ref().unwrap_or(&trial.config);
        let update = trial.update.iter().flat_map(|(config, known)| [Some(config), known.as_ref()]);
        for config in [Some(&trial.config), Some(known)].into_iter().chain(update).flatten() {
            self.learn_config(config, trial.origin);
        }
        let coerced = block.coerce_config(&trial.config).map_err(bad_config)?.unmark_deep().0;
        if !self.is_valid(Component::Resource, &coerced).await {
            return Ok(None);
        }
        let nothing = Saved {
            object: Value::null(block.implied_type().clone()),
            private: PrivateData::default(),
            identity: None,
        };
        let is_applied = trial.apply && known.is_wholly_known();
        let Some(created) = self.plan_to_final(&nothing, &trial.config, known, is_applied).await? else {
            return Ok(None);
        };
        if !is_applied {
            return self.check_plan_from_planned(&created, known).await;
        }
        let (found, refused) = (self.judgement.findings.len(), self.judgement.refused.len());
        let applied = self.apply(&created, known, &nothing).await?;
        let Some(mut saved) = applied.saved.filter(|saved| !saved.object.is_null()) else {
            // After a refusal nothing was created. After a fault nobody knows what exists.
            if self.judgement.findings.len() > found && self.judgement.refused.len() == refused {
                self.clean_up_planned(&created).await?;
            }
            return Ok(None);
        };
        let completed = match applied.is_fine {
            true => self.check_object(&mut saved, trial, known).await?,
            false => None,
        };
        // Created objects are destroyed even if a check failed.
        self.clean_up(&saved, completed.is_some()).await?;
        Ok(completed)
    }

    /// Destroys an object at the end. Errors are findings only if Terraform would have continued with the object.
    async fn clean_up(&mut self, saved: &Saved, is_sound: bool) -> Result<()> {
        if self.is_gone || saved.object.is_null() {
            return Ok(());
        }
        let (findings, refused) = (self.judgement.findings.len(), self.judgement.refused.len());
        let is_destroyed = self.destroy(saved).await?.is_some();
        if is_sound {
            if is_destroyed {
                self.check_gone(saved).await;
            }
            return Ok(());
        }
        self.judgement.findings.truncate(findings);
        self.judgement.refused.truncate(refused);
        if !is_destroyed {
            self.extend_last_error("the object could not be destroyed, and is left behind");
        }
        Ok(())
    }

    /// Destroys an object whose creation had no answer. The planned object may be enough for the provider to find it.
    async fn clean_up_planned(&mut self, created: &PlannedChange) -> Result<()> {
        if self.is_gone {
            self.extend_last_error("what was created, if anything, is left behind");
            return Ok(());
        }
        let planned = created.after.unmark_deep().0;
        let known = planned.transform(|_, part| {
            // A state has no unknown values, so they are null in the object that is to be destroyed.
            Ok::<_, Infallible>(if part.is_known() { part } else { Value::null(part.ty().clone()) })
        });
        let Ok(object) = known;
        let (findings, refused) = (self.judgement.findings.len(), self.judgement.refused.len());
        let private = created.private.clone();
        self.destroy(&Saved { object, private, identity: None }).await?;
        self.judgement.findings.truncate(findings);
        self.judgement.refused.truncate(refused);
        self.extend_last_error(
            "the provider was asked to destroy what was planned; what was created may be left behind",
        );
        Ok(())
    }

    /// Extends the message of the last finding that Terraform stops at.
    fn extend_last_error(&mut self, more: &str) {
        if let Some(finding) =
            self.judgement.findings.iter_mut().rfind(|found| found.severity == FindingSeverity::Error)
        {
            finding.message = format!("{}; {more}", finding.message);
        }
    }

    /// Checks an object through its life, from after its creation to before its destruction.
    async fn check_object(&mut self, saved: &mut Saved, trial: &Trial, known: &Value) -> Result<Option<()>> {
        if self.check_applied(saved, known).await?.is_none() {
            return Ok(None);
        }
        if let Some((config, update_known)) = &trial.update {
            let update_known = update_known.as_ref().unwrap_or(config);
            let Some(change) = self.plan_to_final(saved, config, update_known, true).await? else {
                return Ok(None);
            };
            let applied = self.apply(&change, update_known, saved).await?;
            if let Some(updated) = applied.saved {
                *saved = updated;
            }
            if !applied.is_fine || self.check_applied(saved, update_known).await?.is_none() {
                return Ok(None);
            }
        }
        if self.check_move(saved).await.is_none() || self.check_generated_config(saved).await?.is_none() {
            return Ok(None);
        }
        if !self.is_readable {
            return Ok(Some(()));
        }
        Ok(self.check_import(saved, trial.import_id.as_deref()).await)
    }

    /// Checks an object that was just applied: it can be upgraded and read, and planning again changes
    /// nothing.
    async fn check_applied(&mut self, saved: &mut Saved, known: &Value) -> Result<Option<()>> {
        let applied = saved.clone();
        // Terraform upgrades each object of a state before it reads it, even if the schema has the same version.
        if self.check_upgrade(saved).await.is_none() || self.check_read(saved).await.is_none() {
            return Ok(None);
        }
        if self.check_converged(&applied, known, "after apply").await?.is_none() {
            return Ok(None);
        }
        let is_the_same = saved.private == applied.private && saved.identity == applied.identity;
        // Only these two may have changed by reading: without a change, planning again would ask the same.
        if is_the_same {
            return Ok(Some(()));
        }
        self.check_converged(saved, known, "after reading").await
    }

    /// A wholly known plan is the result of the apply, so planning again from it changes nothing.
    async fn check_plan_from_planned(
        &mut self,
        planned: &PlannedChange,
        known: &Value,
    ) -> Result<Option<()>> {
        let object = planned.after.unmark_deep().0;
        if object.is_null() || !object.is_wholly_known() || !known.is_wholly_known() {
            return Ok(Some(()));
        }
        let (private, identity) = (planned.private.clone(), planned.identity.clone());
        let identity = identity.filter(Value::is_wholly_known);
        self.check_converged(&Saved { object, private, identity }, known, "from what was planned").await
    }

    /// Plans again for the object's own configuration.
    async fn check_converged(&mut self, saved: &Saved, known: &Value, when: &str) -> Result<Option<()>> {
        let refused = self.judgement.refused.len();
        // The first plan does not show such a finding, so the report names the step.
        self.when = Some(format!("when it is planned again {when}"));
        let again = self.plan(saved, known, Default::default(), Clause::P2).await;
        self.when = None;
        let again = again?;
        let what = format!("{when} the provider does not plan for the configuration that the object has");
        self.refusals_into_findings(refused, (Clause::P9, "plan_failed"), &what);
        let Some(again) = again else { return Ok(None) };
        self.report_remaining_change(&again, known, (Clause::C2, "not_converged"), when);
        Ok(Some(()))
    }
}

/// The error that a configuration does not fit the schema.
pub(super) fn bad_config(error: impl std::fmt::Display) -> Error {
    ErrorKind::Malformed { field: "config", reason: error.to_string() }.into()
}

/// The finding for a missing answer. An answer that is not of the schema's type violates `wrong_type`.
pub(super) fn no_answer(error: &Error, wrong_type: Clause, wanted: &Type) -> Finding {
    let (clause, path) = match error.kind() {
        ErrorKind::WrongValue { path, field, .. } if field.ends_with("identity") => {
            (identity_clause(wrong_type), path.clone())
        }
        ErrorKind::WrongValue { path, .. } => (wrong_type, path.clone()),
        ErrorKind::Crashed { .. } | ErrorKind::Disconnected => (Clause::T2, Path::root()),
        ErrorKind::Timeout(_) => (Clause::T3, Path::root()),
        _ => (Clause::T1, Path::root()),
    };
    let mut finding = Finding::new(clause, error.kind().kind(), path, error.to_string());
    match error.kind() {
        ErrorKind::Status { code, message } => {
            // The Go library of gRPC prints a status like this, and Terraform passes it on.
            finding.terraform = Some(format!("rpc error: code = {code} desc = {message}"));
            finding
        }
        ErrorKind::WrongValue { path, parts, .. } if clause == wrong_type => {
            let summary = at_path(wanted, path).and_then(|wanted| required(path, wanted, *parts));
            finding.with_summary_only(summary)
        }
        _ => finding,
    }
}

/// The type of the part at a path in a value of this type.
fn at_path<'t>(ty: &'t Type, path: &Path) -> Option<&'t Type> {
    path.steps().iter().try_fold(ty, |ty, step| match (ty, step) {
        (Type::Object(object), PathStep::Attribute(name)) => object.attribute(name),
        (_, PathStep::Index(_)) => ty.element(),
        _ => None,
    })
}

/// The clause about the identity in an answer, by the clause about its object.
fn identity_clause(of_object: Clause) -> Clause {
    match of_object {
        Clause::A2 => Clause::A7,
        Clause::R2 => Clause::R4,
        Clause::I9 => Clause::I3,
        Clause::M2 => Clause::M4,
        Clause::L2 => Clause::L1,
        _ => Clause::P7,
    }
}
