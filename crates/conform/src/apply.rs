//! Checks the answers to an apply, and destroys the created objects.

use std::convert::Infallible;

use objchange::Value;
use objchange::change::{
    ApplyRequest, Applying, PlanRequest, PlanResourceChange, PlannedChange, Planning, Severity, begin_apply,
    begin_plan,
};
use objchange::schema::Attribute;
use objchange::value::{Descend, Kind, Path};
use objchange_provider::{ProviderExt, Result};

use super::flow::{Flow, Saved, bad_config};
use super::{Clause, Finding, FindingSeverity};
use objchange_explain::sentences::PLANNED_SURVIVAL;

const NOT_DESTROYED: &str = "the provider does not destroy the object that it has made";

/// The result of applying a plan.
pub(super) struct Applied {
    /// The saved object, null if it is gone; `None` if the provider could not be asked.
    pub(super) saved: Option<Saved>,
    /// Whether Terraform continues with the object.
    pub(super) is_fine: bool,
}

impl Flow<'_> {
    /// Applies a plan, and returns the saved object.
    pub(super) async fn apply(
        &mut self,
        change: &PlannedChange,
        config: &Value,
        prior: &Saved,
    ) -> Result<Applied> {
        let mut request = ApplyRequest::new(self.block, change, config);
        request.prior_private.clone_from(&prior.private);
        let mut applying = begin_apply(&request).map_err(bad_config)?;
        // The identity in the last answer that was not about destroying the object.
        let (mut last, mut answered_identity) = (None, None);
        let applied = loop {
            applying = match applying {
                Applying::Done(applied) => break *applied,
                Applying::Ask(question) => {
                    let answer = self.provider.apply(self.type_name, question.request()).await;
                    let Some(answer) = self.answer_or_finding(answer, Clause::A2) else {
                        return Ok(Applied { saved: None, is_fine: false });
                    };
                    if let Some(object) = &answer.new_state {
                        self.learn(object);
                    }
                    last.clone_from(&answer.new_state);
                    // Terraform does not ask for an update that changes nothing: then a missing identity is not a fault.
                    if !question.request().planned.is_null() {
                        answered_identity = Some(answer.identity.clone());
                    }
                    self.check_block_labels(&question.request().planned, answer.new_state.as_ref());
                    question.answer(answer)
                }
            };
        };
        let mut is_fine = match config.is_null() {
            true => !self.fails(&applied.diagnostics, (Clause::A8, "destroy_failed"), NOT_DESTROYED),
            false => !self.refuses(&applied.diagnostics),
        };
        // Secrets are marked in the saved object and in the planned one.
        let actual = last.map(|last| self.block.mark_hidden(&last));
        let mut findings = Vec::new();
        for violation in &applied.violations {
            let is_legacy = applied.legacy_type_system;
            let mut finding =
                Finding::from_apply(self.block, violation, &change.after, actual.as_ref(), is_legacy);
            let is_unchanged = |actual: &Value| {
                let (was, is) = (prior.object.at(&finding.path), actual.at(&finding.path));
                was.zip(is).is_some_and(|(was, is)| was.unmark_deep().0.identical(&is.unmark_deep().0))
            };
            // A part that still has its value from before the update: the provider ignores the update. That is one cause,
            // however many attributes show it.
            if !prior.object.is_null()
                && finding.clause == Clause::A5
                && actual.as_ref().is_some_and(is_unchanged)
            {
                finding.cause = Some("update_ignored");
            }
            is_fine &= finding.severity != FindingSeverity::Error;
            findings.push(finding);
        }
        self.add_findings(findings);
        if let Some(identity) = answered_identity {
            is_fine = is_fine && self.identity_is_sound(identity.as_ref(), Clause::A7, false);
            if is_fine && !applied.saved.is_null() && identity.is_none_or(|identity| identity.is_null()) {
                self.report_missing_identity();
            }
        }
        let (private, identity) = (applied.private, applied.identity);
        // A wrong identity is not handed back to the provider.
        let identity = identity.filter(|_| is_fine);
        let object = self.stored(&applied.saved);
        Ok(Applied { saved: Some(Saved { object, private, identity }), is_fine })
    }

    /// Reports an object without identity if the provider declares an identity schema for its type.
    fn report_missing_identity(&mut self) {
        if self.schemas.identities.contains_key(self.type_name) {
            let message = "the applied object has no identity, and the provider has a schema of it";
            self.add_finding(Finding::new(Clause::A7, "identity_missing", Path::root(), message).unnoticed());
        }
    }

    /// Checks that a destroyed object can no longer be read. A provider without a service returns any object that it is
    /// asked to read. It also returns one with a made-up identifier, and is not reported.
    pub(super) async fn check_gone(&mut self, saved: &Saved) {
        let is_read = async |object: Value| {
            let question = self.read_request(&Saved { object, ..saved.clone() });
            let answer = self.provider.read(&question).await.ok()?;
            let has_errors =
                answer.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            (!has_errors).then(|| answer.object.is_some_and(|object| !object.is_null()))
        };
        let object = saved.object.unmark_deep().0;
        let made_up = object.transform(|path, part| {
            let path = path.to_path();
            let is_computed = |attribute: &Attribute| attribute.computed && !attribute.optional;
            let is_identifier =
                path.steps().len() == 1 && self.block.attribute_by_path(&path).is_some_and(is_computed);
            Ok::<_, Infallible>(match part.as_str().filter(|_| is_identifier) {
                Some(text) => Value::from(format!("{text}-none")),
                None => part,
            })
        });
        let Ok(made_up) = made_up;
        if made_up.identical(&object) || is_read(object).await != Some(true) {
            return;
        }
        if is_read(made_up).await == Some(false) {
            let message = "the object was destroyed, but can still be read";
            self.add_finding(Finding::new(Clause::A9, "still_read", Path::root(), message));
        }
    }

    /// Reports labels of map blocks that differ from the plan: Terraform does not notice them.
    fn check_block_labels(&mut self, planned: &Value, actual: Option<&Value>) {
        let Some(actual) = actual else { return };
        let mut moved: Vec<Path> = Vec::new();
        planned.visit(|path, part| {
            if let Kind::Map(labels) = part.kind() {
                let path = path.to_path();
                let now = actual.at(&path).and_then(Value::as_map);
                let is_block = self.block.block_by_path(&path).is_some();
                // Terraform notices if the number of blocks differs.
                if let Some(now) = now.filter(|now| is_block && now.len() == labels.len())
                    && labels.iter().any(|(label, _)| now.get(label).is_none())
                {
                    moved.push(path);
                }
            }
            Descend::Into
        });
        for path in moved {
            let message = "a block stands under another label than planned";
            self.add_finding(Finding::new(Clause::A5, "block_label_changed", path, message).unnoticed());
        }
    }

    /// Plans to destroy an object, and destroys it.
    pub(super) async fn destroy(&mut self, saved: &Saved) -> Result<Option<()>> {
        if saved.object.is_null() {
            return Ok(Some(()));
        }
        let block = self.block;
        let nothing = Value::null(block.implied_type().clone());
        let mut private = saved.private.clone();
        // Without this capability Terraform does not ask the provider: it plans null and keeps the private data.
        if self.capabilities.plan_destroy {
            let prior = saved.object.unmark_deep().0;
            let mut request = PlanResourceChange::new(block, &prior, &nothing, &nothing);
            request.private.clone_from(&saved.private);
            request.identity.clone_from(&saved.identity);
            let answer = self.provider.plan(self.type_name, &request).await;
            let Some(answer) = self.answer_or_finding(answer, Clause::P4) else { return Ok(None) };
            self.learn(&answer.planned);
            if self.fails(&answer.diagnostics, (Clause::A8, "destroy_plan_failed"), NOT_DESTROYED)
                || !self.is_decided(answer.deferred.is_some())
            {
                return Ok(None);
            }
            if !answer.planned.is_null() {
                let message = "an object is planned that is to be destroyed";
                let finding = Finding::new(Clause::P8, "planned_survival", Path::root(), message);
                self.add_finding(finding.with_terraform_text(PLANNED_SURVIVAL));
                return Ok(None);
            }
            if !self.identity_is_sound(answer.identity.as_ref(), Clause::P7, false) {
                return Ok(None);
            }
            private = answer.private;
        }
        let request = PlanRequest::new(block, &saved.object, &nothing);
        let Ok(Planning::Done(mut change)) = begin_plan(&request) else { return Ok(None) };
        change.private = private;
        change.identity.clone_from(&saved.identity);
        Ok(self.apply(&change, &nothing, saved).await?.is_fine.then_some(()))
    }
}
