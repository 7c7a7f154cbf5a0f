//! Checks plans: the first one, its repetition, and the final one.

use objchange::Value;
use objchange::change::{
    Action, PlanChangeError, PlanRequest, PlanViolation, PlannedChange, Planning, PrivateData,
    SimulatedProvider, assert_object_compatible, begin_plan, plan_change, prepare_computed_blocks,
};
use objchange::schema::{Attribute, Block, NestingMode};
use objchange::value::{Kind, Path, PathStep};
use objchange_provider::{ProviderExt, Result};

use super::flavor::Flavor;
use super::flow::{Flow, Saved, bad_config};
use super::objects::first_difference;
use super::set_elements::changed_sets;
use super::{Clause, Finding, FindingSeverity};
use objchange_explain::sentences::ACTION_CHANGED;

impl Flow<'_> {
    /// Plans, repeats the plan, and plans once more with known values, as before an apply. Returns the last plan.
    pub(super) async fn plan_to_final(
        &mut self,
        prior: &Saved,
        config: &Value,
        known: &Value,
        is_applied: bool,
    ) -> Result<Option<PlannedChange>> {
        let none = PrivateData::default();
        let Some(first) = self.plan(prior, config, none.clone(), Clause::P2).await? else { return Ok(None) };
        let Some(again) = self.plan(prior, config, none, Clause::P2).await? else { return Ok(None) };
        if !again.after.identical(&first.after) || again.action != first.action {
            let path = first_difference(&first.after, &again.after).unwrap_or_default();
            let message = "asked the same once more, the provider plans something else";
            self.add_finding(Finding::new(Clause::C1, "not_deterministic", path, message));
        }
        // Terraform asks nothing more if there is nothing to do.
        if first.action == Action::NoOp || (config == known && !is_applied) {
            return Ok(Some(first));
        }
        self.final_plan(prior, &first, [config, known]).await
    }

    /// Makes the final plan, which Terraform makes before it applies the first one: with a wholly known configuration, and
    /// the private data of the first plan.
    async fn final_plan(
        &mut self,
        prior: &Saved,
        first: &PlannedChange,
        [config, known]: [&Value; 2],
    ) -> Result<Option<PlannedChange>> {
        let private = first.private.clone();
        let is_replaced = first.action.is_replace();
        // Terraform makes the final plan of a replacement without a prior object.
        let nothing = Saved {
            object: Value::null(self.block.implied_type().clone()),
            private: PrivateData::default(),
            identity: None,
        };
        let prior = if is_replaced { &nothing } else { prior };
        let Some(mut last) = self.plan(prior, known, private, Clause::F3).await? else { return Ok(None) };
        let mut is_fine = true;
        if is_replaced {
            // Without a prior object, its own action is `Create`.
            (last.action, last.before) = (first.action, first.before.clone());
        // An update may turn out to be none when all is known: Terraform accepts that change of the action alone.
        } else if last.action != first.action && (first.action, last.action) != (Action::Update, Action::NoOp)
        {
            let names = [first.action, last.action].map(go_name);
            let (from, to) = (first.action.kind(), last.action.kind());
            let message = format!("the plan was to {from}, and is to {to} when all is known");
            let finding = Finding::new(Clause::F1, "action_changed", Path::root(), message);
            self.add_finding(
                finding.with_terraform_text(format!("{ACTION_CHANGED} {} to {}", names[0], names[1])),
            );
            is_fine = false;
        }
        let mut findings = Vec::new();
        for inconsistent in assert_object_compatible(self.block, &first.after, &last.after) {
            let mut finding = Finding::from_final_plan(&inconsistent, &first.after, &last.after);
            // Terraform 1.11.4 may say `inconsistent final plan` by its own matching of elements, whatever the
            // provider answers.
            if is_in_unknown_set(self.block, config, &finding.path) {
                finding.severity = FindingSeverity::Note;
                finding.message.push_str(
                    "; an element of the set was unknown, and Terraform may have matched the elements wrongly by itself",
                );
            }
            is_fine &= finding.severity != FindingSeverity::Error;
            findings.push(finding);
        }
        self.add_findings(findings);
        Ok(is_fine.then_some(last))
    }

    /// Plans as Terraform does. A deferred answer breaks the given clause.
    pub(super) async fn plan(
        &mut self,
        prior: &Saved,
        config: &Value,
        planned_private: PrivateData,
        deferred: Clause,
    ) -> Result<Option<PlannedChange>> {
        let mut request = PlanRequest::new(self.block, &prior.object, config);
        request.private.clone_from(&prior.private);
        request.identity.clone_from(&prior.identity);
        let mut planning = begin_plan(&request).map_err(bad_config)?;
        // `planned_private` is new in protocol 6.11, and OpenTofu 1.13 speaks 6.10.
        let mut planned_private = Some(planned_private).filter(|_| self.flavor == Flavor::Terraform);
        let change = loop {
            planning = match planning {
                Planning::Done(change) => break *change,
                Planning::Ask(question) => {
                    let mut asked = question.request().clone();
                    asked.planned_private = planned_private.take().unwrap_or_default();
                    let answer = self.provider.plan(self.type_name, &asked).await;
                    let Some(answer) = self.answer_or_finding(answer, Clause::P4) else { return Ok(None) };
                    self.learn(&answer.planned);
                    self.check_for_secrets(&answer.diagnostics);
                    if asked.prior.is_null() {
                        self.check_replacement_paths(&answer.requires_replace);
                    }
                    match question.answer(answer) {
                        Ok(planning) => planning,
                        Err(PlanChangeError::Refused(diagnostics)) => {
                            self.refuses(&diagnostics);
                            return Ok(None);
                        }
                        Err(error) => return Err(bad_config(error)),
                    }
                }
            };
        };
        let is_legacy = change.legacy_type_system;
        let mut is_fine = true;
        let config = self.block.coerce_config(config).unwrap_or_else(|_| config.clone());
        let config = self.block.mark_hidden(&config);
        let mut findings = Vec::new();
        for violation in change.violations.iter().chain(&change.at_apply) {
            let mut finding = Finding::from_plan(self.block, violation, &config, &change.after, is_legacy);
            if *violation == PlanViolation::DeferralNotAllowed {
                finding.clause = deferred;
            }
            is_fine &= finding.severity != FindingSeverity::Error;
            findings.push(finding);
        }
        // Terraform does not notice these, and plans that it refuses have a finding already.
        if change.violations.is_empty() && !change.after.is_null() {
            let message = "no planned element has all values of a configured one";
            // Terraform may have made null of an empty part that has the name of a computed block.
            let given = prepare_computed_blocks(self.block, &config).unwrap_or(config);
            for path in changed_sets(self.block, &given, &change.after) {
                findings.push(Finding::new(Clause::P5, "set_element_changed", path, message).unnoticed());
            }
        }
        self.add_findings(findings);
        if is_fine {
            // Only a new object may have an unknown identity.
            let may_be_unknown = change.action == Action::Create || change.action.is_replace();
            is_fine = self.identity_is_sound(change.identity.as_ref(), Clause::P7, may_be_unknown);
        }
        Ok(is_fine.then_some(change))
    }

    /// Reports a change of an object that has its configuration already. In a set of objects, Terraform itself may match the
    /// wrong elements, and then finds a change whatever the provider plans.
    pub(super) fn report_remaining_change(
        &mut self,
        change: &PlannedChange,
        config: &Value,
        (clause, kind): (Clause, &str),
        when: &str,
    ) {
        // Sensitivity marks that only the configuration sets are unknown to the provider.
        let is_same = || change.before.unmark_deep().0.identical(&change.after.unmark_deep().0);
        if change.action == Action::NoOp || (change.action == Action::Update && is_same()) {
            return;
        }
        let path = first_difference(&change.before, &change.after).unwrap_or_default();
        let is_terraforms = self.is_terraforms_mismatch(change, config);
        let message = format!("{when} there is still something to do: {}", change.action.kind());
        let mut finding = Finding::new(clause, kind, path, message);
        // An ignored update shows in every changed part.
        if self.judgement.findings.iter().any(|found| found.cause == Some("update_ignored")) {
            finding.cause = Some("update_ignored");
        }
        self.add_finding(if is_terraforms {
            Finding { severity: FindingSeverity::Note, ..finding }
        } else {
            finding
        });
    }

    /// Whether Terraform itself finds a change in a set of objects, with any provider.
    fn is_terraforms_mismatch(&self, change: &PlannedChange, config: &Value) -> bool {
        let block = self.block;
        let request = PlanRequest::new(block, &change.before, config);
        let Ok(simulated) = plan_change(&request, &mut SimulatedProvider::default()) else { return false };
        if simulated.action == Action::NoOp {
            return false;
        }
        // In a replacement all computed values differ, so the simulated plan is compared. Marks are
        // ignored.
        let after = if change.action.is_replace() { &simulated.after } else { &change.after };
        let (before, after) = (change.before.unmark_deep().0, after.unmark_deep().0);
        let Some(path) = first_difference(&before, &after) else { return false };
        let is_of_objects = block.block_by_path(&path).is_some()
            || block.attribute_by_path(&path).is_some_and(|attribute| attribute.nested().is_some());
        is_of_objects && before.at(&path).is_some_and(|part| matches!(part.kind(), Kind::Set(_)))
    }

    /// Reports paths that require a replacement and do not exist. Terraform checks them only if there is an object to replace.
    fn check_replacement_paths(&mut self, paths: &[Path]) {
        let block = self.block;
        let is_lost = |path: &&Path| {
            if path.is_root() {
                return false;
            }
            // A path below an attribute of a plain type leads to a part of its value.
            let parts =
                (1..=path.steps().len()).rev().map(|n| path.steps()[..n].iter().cloned().collect::<Path>());
            let mut known = parts.filter(|path| matches!(path.steps().last(), Some(PathStep::Attribute(_))));
            let is_known =
                |path: &Path| block.attribute_by_path(path).is_some() || block.block_by_path(path).is_some();
            let is_plain = |path: &Path| {
                block
                    .attribute_by_path(path)
                    .is_some_and(|a| a.nested().is_none() && !a.implied_type().is_primitive())
            };
            !known.next().is_some_and(|last| is_known(&last)) && !known.any(|outer| is_plain(&outer))
        };
        let lost: Vec<&Path> = paths.iter().filter(is_lost).collect();
        for path in lost {
            // A key may be secret.
            let names = path.steps().iter().filter(|step| matches!(step, PathStep::Attribute(_)));
            let path: Path = names.cloned().collect();
            let message = "requires a replacement, and is no part of the object";
            self.add_finding(Finding::new(Clause::P6, "requires_replace_nowhere", path, message).unnoticed());
        }
    }
}

/// The name of an action in Terraform's messages.
fn go_name(action: Action) -> &'static str {
    match action {
        Action::Create => "Create",
        Action::Update => "Update",
        Action::Delete => "Delete",
        Action::DeleteThenCreate => "DeleteThenCreate",
        Action::CreateThenDelete => "CreateThenDelete",
        _ => "NoOp",
    }
}

/// Whether a path leads to or into a set of objects with an element that was unknown in the configuration. It may be a
/// set of blocks or of nested attributes: Terraform matches the elements of both.
fn is_in_unknown_set(block: &Block, config: &Value, path: &Path) -> bool {
    let names = path.steps().iter().filter_map(|step| match step {
        PathStep::Attribute(name) => Some(name),
        PathStep::Index(_) => None,
    });
    // Where there are several objects on the way, any of them may be meant.
    let (mut block, mut attributes, mut at) = (Some(block), block.attributes(), vec![config]);
    for name in names {
        let inner = at.iter().filter_map(|value| value.attribute(name));
        let nested_block = block.and_then(|block| block.block_type(name));
        let attribute = attributes.iter().find(|(other, _)| other == name).map(|(_, attribute)| attribute);
        let nesting = match (nested_block, attribute.and_then(Attribute::nested)) {
            (Some(nested), _) => {
                (block, attributes) = (Some(&nested.block), nested.block.attributes());
                nested.nesting
            }
            (None, Some(nested)) => {
                (block, attributes) = (None, nested.attributes());
                nested.nesting()
            }
            (None, None) => return false,
        };
        at = match nesting {
            NestingMode::Set => return inner.into_iter().any(|set| !set.is_wholly_known()),
            NestingMode::List => inner.flat_map(|list| list.as_elements().unwrap_or_default()).collect(),
            NestingMode::Map => inner.flat_map(members).collect(),
            _ => inner.collect(),
        };
    }
    false
}

fn members(value: &Value) -> Vec<&Value> {
    let of_map = value.as_map().into_iter().flat_map(|map| map.iter().map(|(_, part)| part));
    let of_object = value.as_object().into_iter().flat_map(|object| object.iter().map(|(_, part)| part));
    of_map.chain(of_object).collect()
}
