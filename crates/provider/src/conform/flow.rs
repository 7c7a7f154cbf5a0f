//! What Terraform asks, in its order.

use objchange::Value;
use objchange::change::{
    Action, Diagnostic, PlanChangeError, PlanRequest, PlanViolation, PlannedChange, Planning, PrivateData,
    Severity, assert_object_compatible, begin_plan,
};
use objchange::schema::Schema;
use objchange::value::{Path, PathStep};

use super::{Clause, Finding};
use crate::{Capabilities, Component, Error, ErrorKind, Provider, Result};

/// What a resource type is tried with.
#[derive(Clone)]
#[non_exhaustive]
pub struct Trial {
    /// The configuration when the object is planned. It may have unknown parts.
    pub config: Value,
    /// The same with all of it known, as it is when the plan is applied; `None` where it is known already.
    pub known: Option<Value>,
    /// Another configuration, to which the object is changed then, with all of it known as a second.
    pub update: Option<(Value, Option<Value>)>,
    /// Whether anything is applied. What is created is destroyed at the end, as far as the provider does so.
    pub apply: bool,
}

impl Trial {
    /// Only plans this configuration.
    pub fn new(config: Value) -> Self {
        Self { config, known: None, update: None, apply: false }
    }
}

/// The configurations may hold secrets.
impl std::fmt::Debug for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trial").field("apply", &self.apply).finish_non_exhaustive()
    }
}

/// What came of a trial.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// What the provider does wrong, in the order in which it shows.
    pub findings: Vec<Finding>,
    /// What the provider says against the configuration, so that nothing more could be asked.
    pub refused: Vec<Diagnostic>,
}

/// Goes through all that can happen to an object with this configuration. It ends where Terraform would: after an answer that
/// Terraform does not go on with, nothing more is asked but to destroy what was created.
///
/// # Errors
///
/// The configuration does not fit the schema, or the provider has no such type. What the provider does wrong, up to a crash,
/// is a [`Finding`].
pub async fn judge(provider: &dyn Provider, type_name: &str, trial: &Trial) -> Result<Judgement> {
    let schemas = provider.schemas().await?;
    let name = || ErrorKind::UnknownName { what: Component::Resource.noun(), name: type_name.to_owned() };
    let schema = schemas.resources.get(type_name).ok_or_else(name)?;
    let (capabilities, judgement) = (schemas.capabilities, Judgement::default());
    let mut flow = Flow { provider, type_name, schema, capabilities, judgement };
    for problem in schema.block.validate() {
        flow.find(Finding::new(Clause::S1, problem.kind.kind(), problem.path.clone(), problem.to_string()));
    }
    if flow.judgement.findings.is_empty() {
        // How far it came is in the findings.
        let _ = flow.all(trial).await?;
    }
    Ok(flow.judgement)
}

/// An object as it was saved.
#[derive(Clone)]
pub(super) struct Saved {
    pub(super) object: Value,
    pub(super) private: PrivateData,
    pub(super) identity: Option<Value>,
}

/// A trial while it goes on. A step gives `None` where Terraform would stop.
pub(super) struct Flow<'p> {
    pub(super) provider: &'p dyn Provider,
    pub(super) type_name: &'p str,
    pub(super) schema: &'p Schema,
    pub(super) capabilities: Capabilities,
    pub(super) judgement: Judgement,
}

impl Flow<'_> {
    pub(super) fn find(&mut self, finding: Finding) {
        self.judgement.findings.push(finding);
    }

    /// An answer, or the finding that there is none.
    pub(super) fn told<T>(&mut self, answer: Result<T>, wrong_type: Clause) -> Option<T> {
        answer.map_err(|error| self.find(no_answer(&error, wrong_type))).ok()
    }

    /// Whether there are errors among the diagnostics; then the provider refuses, which is its right.
    pub(super) fn refuses(&mut self, diagnostics: &[Diagnostic]) -> bool {
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let before = self.judgement.refused.len();
        self.judgement.refused.extend(errors.cloned());
        self.judgement.refused.len() > before
    }

    async fn all(&mut self, trial: &Trial) -> Result<Option<()>> {
        let block = &self.schema.block;
        let bad = |error| Error::from(ErrorKind::Malformed { field: "config", reason: format!("{error}") });
        let coerced = block.coerce_value(&trial.config).map_err(bad)?;
        let coerced = coerced.unmark_deep().0;
        let validated = self.provider.validate(Component::Resource, self.type_name, &coerced).await;
        let Some(diagnostics) = self.told(validated, Clause::T1) else { return Ok(None) };
        if self.refuses(&diagnostics) {
            return Ok(None);
        }
        let nothing = Saved {
            object: Value::null(block.implied_type().clone()),
            private: PrivateData::default(),
            identity: None,
        };
        let known = trial.known.as_ref().unwrap_or(&trial.config);
        let Some(created) = self.planned_twice(&nothing, &trial.config, known).await? else {
            return Ok(None);
        };
        if !trial.apply || !known.is_wholly_known() {
            return Ok(Some(()));
        }
        let Some(mut saved) = self.apply(&created, known, &nothing).await? else { return Ok(None) };
        let went_on = self.with_object(&mut saved, trial, known).await?;
        // What was created is not left behind, whatever came of the rest.
        self.destroy(&saved).await?;
        Ok(went_on)
    }

    /// All that can happen to an object between its creation and its end.
    async fn with_object(&mut self, saved: &mut Saved, trial: &Trial, known: &Value) -> Result<Option<()>> {
        if self.upgraded(saved).await.is_none() || self.read_back(saved).await.is_none() {
            return Ok(None);
        }
        let Some(again) = self.plan(saved, known, Clause::P2).await? else { return Ok(None) };
        if again.action != Action::NoOp {
            let message = format!("after apply there is still something to do: {}", again.action.kind());
            self.find(Finding::new(Clause::C2, "not_converged", Path::root(), message));
        }
        if let Some((config, update_known)) = &trial.update {
            let update_known = update_known.as_ref().unwrap_or(config);
            let Some(change) = self.planned_twice(saved, config, update_known).await? else {
                return Ok(None);
            };
            let Some(updated) = self.apply(&change, update_known, saved).await? else { return Ok(None) };
            *saved = updated;
        }
        Ok(self.imported(saved).await)
    }

    /// Plans, plans the same again, and plans what is known in the end. Gives the plan that is applied.
    async fn planned_twice(
        &mut self,
        prior: &Saved,
        config: &Value,
        known: &Value,
    ) -> Result<Option<PlannedChange>> {
        let Some(first) = self.plan(prior, config, Clause::P2).await? else { return Ok(None) };
        let Some(again) = self.plan(prior, config, Clause::P2).await? else { return Ok(None) };
        if again.after != first.after || again.action != first.action {
            let message = "asked the same once more, the provider plans something else";
            self.find(Finding::new(Clause::C1, "not_deterministic", Path::root(), message));
        }
        if config == known {
            return Ok(Some(again));
        }
        let Some(last) = self.plan(prior, known, Clause::F3).await? else { return Ok(None) };
        if last.action != first.action && (first.action, last.action) != (Action::Update, Action::NoOp) {
            let (first, last) = (first.action.kind(), last.action.kind());
            let message = format!("the plan was to {first}, and is to {last} when all is known");
            self.find(Finding::new(Clause::F1, "action_changed", Path::root(), message));
            return Ok(None);
        }
        let found = assert_object_compatible(&self.schema.block, &first.after, &last.after);
        for inconsistent in &found {
            self.find(Finding::of_final(inconsistent, &first.after, &last.after));
        }
        Ok(found.is_empty().then_some(last))
    }

    /// Plans as Terraform does. Being deferred is against the clause that is given.
    async fn plan(
        &mut self,
        prior: &Saved,
        config: &Value,
        deferred: Clause,
    ) -> Result<Option<PlannedChange>> {
        let mut request = PlanRequest::new(&self.schema.block, &prior.object, config);
        request.private.clone_from(&prior.private);
        request.identity.clone_from(&prior.identity);
        let bad = |error: PlanChangeError| {
            Error::from(ErrorKind::Malformed { field: "config", reason: error.to_string() })
        };
        let mut planning = begin_plan(&request).map_err(bad)?;
        let change = loop {
            planning = match planning {
                Planning::Done(change) => break *change,
                Planning::Ask(question) => {
                    let answer = self.provider.plan(self.type_name, question.request()).await;
                    let Some(answer) = self.told(answer, Clause::P4) else { return Ok(None) };
                    if question.request().prior.is_null() {
                        self.replacements_lead_somewhere(&answer.requires_replace);
                    }
                    match question.answer(answer) {
                        Ok(planning) => planning,
                        Err(PlanChangeError::Refused(diagnostics)) => {
                            self.refuses(&diagnostics);
                            return Ok(None);
                        }
                        Err(error) => return Err(bad(error)),
                    }
                }
            };
        };
        let is_legacy = change.legacy_type_system;
        let mut is_fine = true;
        let config = self.schema.block.coerce_value(config).unwrap_or_else(|_| config.clone());
        for violation in change.violations.iter().chain(&change.at_apply) {
            let mut finding = Finding::of_plan(violation, &config, &change.after, is_legacy);
            if *violation == PlanViolation::DeferralNotAllowed {
                finding.clause = deferred;
            }
            is_fine &= finding.weight != super::Weight::Error;
            self.find(finding);
        }
        Ok(is_fine.then_some(change))
    }

    /// Terraform looks at what requires a replacement only where there is something to be replaced.
    fn replacements_lead_somewhere(&mut self, paths: &[Path]) {
        let block = &self.schema.block;
        let lost = |path: &&Path| {
            let is_below_attribute = |path: &Path| block.attribute_by_path(path).is_none();
            is_below_attribute(path) && block.block_by_path(path).is_none()
        };
        for path in paths.iter().filter(lost) {
            // A key may be secret.
            let names = path.steps().iter().filter(|step| matches!(step, PathStep::Attribute(_)));
            let path: Path = names.cloned().collect();
            let message = format!("{path}: requires a replacement, and is no part of the object");
            let mut finding = Finding::new(Clause::P6, "requires_replace_nowhere", path, message);
            finding.weight = super::Weight::Unnoticed;
            self.find(finding);
        }
    }
}

/// Why there is no answer. One of another type than the schema says breaks the clause that is given.
pub(super) fn no_answer(error: &Error, wrong_type: Clause) -> Finding {
    let (clause, path) = match error.kind() {
        ErrorKind::WrongValue { path, .. } => (wrong_type, path.clone()),
        ErrorKind::Crashed { .. } | ErrorKind::Disconnected => (Clause::T2, Path::root()),
        ErrorKind::Timeout(_) => (Clause::T3, Path::root()),
        _ => (Clause::T1, Path::root()),
    };
    let mut finding = Finding::new(clause, error.kind().kind(), path, error.to_string());
    if let ErrorKind::Status { code, message } = error.kind() {
        finding.terraform = Some(format!("rpc error: code = {code} desc = {message}"));
    }
    finding
}
