//! Checks ephemeral resources, lists and actions.

use objchange::Value;
use objchange::change::{InvalidPlanKind, assert_plan_valid};
use objchange::value::Path;
use objchange_provider::{ActionEvent, Component, ListQuestion, Opened, Provider, ProviderExt, Result};

use super::flow::Flow;
use super::objects::{identity_faults, unsound};
use super::secrets::Provenance;
use super::{Clause, Finding, Judgement};
use objchange_explain::sentences::words_of_plan;

/// The limit of objects in a request for a list.
const LIST_LIMIT: i64 = 10;

/// Opens an ephemeral resource with a wholly known configuration, renews it if requested, and closes it.
///
/// # Errors
///
/// The configuration does not fit the schema, or the provider has no such type.
pub async fn judge_ephemeral(provider: &dyn Provider, type_name: &str, config: &Value) -> Result<Judgement> {
    ephemeral(provider, type_name, (config, Provenance::default())).await
}

/// Like [`judge_ephemeral`], for a configuration of this origin.
pub(super) async fn ephemeral(
    provider: &dyn Provider,
    type_name: &str,
    config: (&Value, Provenance),
) -> Result<Judgement> {
    let schemas = provider.schemas().await?;
    let subject = (Component::EphemeralResource, type_name);
    let (mut flow, config) = match Flow::begin(provider, &schemas, subject, config).await? {
        Ok(begun) => begun,
        Err(judgement) => return Ok(judgement),
    };
    // Terraform opens an ephemeral resource only if its configuration is wholly known.
    if config.is_wholly_known() {
        flow.open(&config).await;
    }
    Ok(flow.judgement)
}

/// Lists objects, with and without their content.
///
/// # Errors
///
/// The configuration does not fit the schema, or the provider has no such list.
pub async fn judge_list(provider: &dyn Provider, type_name: &str, config: &Value) -> Result<Judgement> {
    list(provider, type_name, (config, Provenance::default())).await
}

/// Like [`judge_list`], for a configuration of this origin.
pub(super) async fn list(
    provider: &dyn Provider,
    type_name: &str,
    config: (&Value, Provenance),
) -> Result<Judgement> {
    let schemas = provider.schemas().await?;
    let subject = (Component::ListResource, type_name);
    let (mut flow, config) = match Flow::begin(provider, &schemas, subject, config).await? {
        Ok(begun) => begun,
        Err(judgement) => return Ok(judgement),
    };
    if config.is_wholly_known() {
        for include_objects in [false, true] {
            if flow.list(&config, include_objects).await.is_none() {
                break;
            }
        }
    }
    Ok(flow.judgement)
}

/// Plans an action, and invokes it on request.
///
/// # Errors
///
/// The configuration does not fit the schema, or the provider has no such action.
pub async fn judge_action(
    provider: &dyn Provider,
    type_name: &str,
    config: &Value,
    invoke: bool,
) -> Result<Judgement> {
    action(provider, type_name, (config, Provenance::default()), invoke).await
}

/// Like [`judge_action`], for a configuration of this origin.
pub(super) async fn action(
    provider: &dyn Provider,
    type_name: &str,
    config: (&Value, Provenance),
    invoke: bool,
) -> Result<Judgement> {
    let schemas = provider.schemas().await?;
    let subject = (Component::Action, type_name);
    let (mut flow, config) = match Flow::begin(provider, &schemas, subject, config).await? {
        Ok(begun) => begun,
        Err(judgement) => return Ok(judgement),
    };
    flow.action(&config, invoke).await;
    Ok(flow.judgement)
}

impl Flow<'_> {
    async fn open(&mut self, config: &Value) -> Option<()> {
        let opened = self.provider.open(self.type_name, config).await;
        let opened = self.answer_or_finding(opened, Clause::E2)?;
        if self.refuses(&opened.diagnostics) {
            return None;
        }
        if opened.deferred.is_some() {
            // Terraform ignores the deferral and continues.
            let message = "the provider answers that it cannot open this yet, which was not allowed";
            self.add_finding(
                Finding::new(Clause::P2, "deferral_not_allowed", Path::root(), message).unnoticed(),
            );
        }
        self.check_opened(config, &opened);
        let mut private = opened.private;
        if opened.renew_at.is_some() {
            let renewed = self.provider.renew(self.type_name, private.as_ref()).await;
            let renewed = self.answer_or_finding(renewed, Clause::T1)?;
            let what = "what was opened is not renewed";
            self.fails(&renewed.diagnostics, (Clause::E3, "renew_failed"), what);
            private = renewed.private.or(private);
        }
        let closed = self.provider.close(self.type_name, private.as_ref()).await;
        let closed = self.answer_or_finding(closed, Clause::T1)?;
        self.fails(&closed, (Clause::E3, "close_failed"), "what was opened is not closed");
        Some(())
    }

    /// Checks an opened object. It is ephemeral and secret, so no finding shows a part of it.
    fn check_opened(&mut self, config: &Value, opened: &Opened) {
        let Some(object) = opened.object.as_ref().filter(|object| !object.is_null()) else {
            let message = "what is opened is not there";
            let finding = Finding::new(Clause::E1, "opened_nothing", Path::root(), message);
            let words = words_of_plan(InvalidPlanKind::PlannedAbsent.kind(), |_| None);
            return self.add_finding(Finding { terraform: words, ..finding });
        };
        self.learn(object);
        let found = unsound(self.block, object, [Clause::E2, Clause::E2, Clause::E1]);
        if !found.is_empty() {
            let with_severity = |finding: Finding| match finding.kind.as_str() {
                // Terraform accepts it; whatever refers to the part gets nothing.
                "unknown" => finding.unnoticed(),
                _ => finding,
            };
            return found.into_iter().map(with_severity).for_each(|finding| self.add_finding(finding));
        }
        let nothing = Value::null(self.block.implied_type().clone());
        // Terraform compares the opened object with its configuration by `AssertPlanValid`, without a prior object.
        for invalid in assert_plan_valid(self.block, &nothing, config, object) {
            let path = self.block.hide_keys(&invalid.path);
            let message = "what is opened is not what is configured";
            self.add_finding(Finding::new(Clause::E1, invalid.kind.kind(), path, message));
        }
    }

    async fn list(&mut self, config: &Value, include_objects: bool) -> Option<()> {
        let (type_name, config, limit) = (self.type_name.into(), config.clone(), LIST_LIMIT);
        let question = ListQuestion { type_name, config, include_objects, limit };
        let listed = self.provider.list(&question).await;
        let listed = self.answer_or_finding(listed, Clause::L2)?;
        let before = self.judgement.findings.len();
        if i64::try_from(listed.len()).is_ok_and(|count| count > LIST_LIMIT) {
            let message = "more objects are listed than were asked for";
            self.add_finding(Finding::new(Clause::L2, "list_too_long", Path::root(), message));
        }
        for found in listed {
            if self.refuses(&found.diagnostics) {
                return None;
            }
            if found.identity.as_ref().is_none_or(Value::is_null) {
                let message = "an object is listed without its identity";
                self.add_finding(Finding::new(Clause::L1, "listed_without_identity", Path::root(), message));
            }
            let faults =
                identity_faults(self.schemas, self.type_name, found.identity.as_ref(), Clause::L1, false);
            faults.into_iter().for_each(|finding| self.add_finding(finding));
            if let (Some(object), Some(schema)) = (&found.object, self.schemas.resources.get(self.type_name))
                && !object.is_null()
            {
                let faults = unsound(&schema.block, object, [Clause::L2; 3]);
                faults.into_iter().for_each(|finding| self.add_finding(finding));
            }
            if include_objects && found.object.as_ref().is_none_or(Value::is_null) {
                let message = "an object is listed without its content, which was requested";
                self.add_finding(Finding::new(Clause::L2, "listed_without_object", Path::root(), message));
            }
            if self.judgement.findings.len() > before {
                return None;
            }
        }
        Some(())
    }

    async fn action(&mut self, config: &Value, invoke: bool) -> Option<()> {
        let planned = self.provider.plan_action(self.type_name, config).await;
        let planned = self.answer_or_finding(planned, Clause::T1)?;
        let is_decided = !self.refuses(&planned.diagnostics) && self.is_decided(planned.deferred.is_some());
        if !is_decided || !invoke || !config.is_wholly_known() {
            return None;
        }
        let events = self.provider.invoke_action(self.type_name, config).await;
        let events = self.answer_or_finding(events, Clause::T1)?;
        let ends = events.iter().filter(|event| matches!(event, ActionEvent::Completed(_))).count();
        for event in &events {
            // A failed action is a refusal, not a fault.
            if let ActionEvent::Completed(diagnostics) = event {
                self.refuses(diagnostics);
            }
        }
        if ends != 1 || !matches!(events.last(), Some(ActionEvent::Completed(_))) {
            let message = format!("the action sent {ends} \"completed\" events; expected one, at the end");
            self.add_finding(Finding::new(Clause::X1, "action_end", Path::root(), message));
        }
        Some(())
    }
}
