//! Conditions and checks while walking: which there are, and what they come to.

use objchange_hcl::{Diagnostic, DiagnosticExt, Scope};
use smol_str::SmolStr;

use super::conditions::{self, judge};
use super::graph::NodeKind;
use super::instances::ModuleInstanceId;
use super::walk::Walk;
use super::{CheckKind, CheckStatus};
use crate::diagnostics::ASSERT_UNKNOWN;
use crate::{ConditionOwner, Diagnostics, Severity};
use objchange_document::PlanMode;

impl<'c> Walk<'_, 'c> {
    /// Says which objects have conditions, whether these are judged or not.
    pub(crate) fn declare_checks(&mut self) {
        for node in &self.graph.nodes {
            let path = &self.input.config.modules[node.module].path;
            if let Some((kind, name, conditions)) = conditions_of(&node.kind) {
                self.checks.declare(kind, path, &name, conditions);
            }
        }
    }

    /// Says that the conditions of the outputs of the root module could be judged.
    pub(crate) fn open_root_outputs(&mut self) {
        let graph = self.graph;
        let is_output = |index: &usize| matches!(graph.nodes[*index].kind, NodeKind::Output(..));
        (0..graph.nodes.len()).filter(is_output).for_each(|index| self.open_checks(index));
    }

    /// Says that the instances of a node with conditions are known.
    pub(crate) fn open_checks(&mut self, index: usize) {
        let node = &self.graph.nodes[index];
        let found = match &node.kind {
            // Its rules have instances even if it gets no value.
            NodeKind::Variable(name, variable) => conditions_of(&NodeKind::Validation(name, variable)),
            kind => conditions_of(kind),
        };
        let Some((kind, name, _)) = found else { return };
        // A destroy plan checks only the outputs of the root module, and of a part not even these.
        let is_output = kind == CheckKind::OutputValue && node.module == 0 && self.targets.is_all();
        if !is_output && self.input.options.mode == PlanMode::Destroy {
            return;
        }
        self.checks.expand(kind, &self.input.config.modules[node.module].path, &name);
        if kind != CheckKind::Resource {
            for at in &self.world.by_module[node.module] {
                self.checks.open(kind, &self.world.instances[*at].address, &name, None);
            }
        }
    }

    pub(crate) fn check(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        name: &SmolStr,
        config: &objchange_hcl::CheckConfig,
    ) {
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let owner = ConditionOwner {
            kind: CheckKind::Check,
            module: self.world.instances[at].address.clone(),
            name: name.to_string(),
            key: None,
        };
        let mut statuses = Vec::new();
        let mut problems = Vec::new();
        for assert in &config.asserts {
            let judged = judge(assert, &scope, self.functions, &conditions::ASSERT);
            self.report_errors(&judged);
            if judged.is_undecided {
                self.push_undecided(assert, &scope, Some(&owner));
            }
            let warning = match judged.status {
                CheckStatus::Unknown if judged.is_undecided => None,
                CheckStatus::Fail => Some((conditions::ASSERT.failed, judged.message.clone().unwrap_or_default())),
                // Terraform warns of unknown assertions alone. Other unknown conditions pass silently.
                CheckStatus::Unknown => Some((
                    ASSERT_UNKNOWN,
                    "The condition could not be evaluated at this time, a result will be known when this plan is applied."
                        .to_owned(),
                )),
                _ => None,
            };
            if let Some((summary, detail)) = warning {
                let warning = Diagnostic::new(summary, assert.condition.span, detail);
                let warning = warning.explained(&assert.condition, &scope);
                self.warnings().push_condition(Severity::Warning, warning, &owner);
            }
            statuses.push(judged.status);
            problems.extend(judged.problem);
        }
        if self.input.options.mode != PlanMode::Destroy {
            self.checks.instance(CheckKind::Check, &owner.module, name, None, &statuses, problems);
        }
    }

    /// Where warnings about conditions go: those of the plan before a destroy plan are shown only if that one fails.
    fn warnings(&mut self) -> &mut Diagnostics {
        match self.input.options.mode {
            PlanMode::Destroy => &mut self.warnings_before_destroy,
            _ => &mut self.found,
        }
    }

    /// Reports what is wrong with a condition itself, and with its message.
    pub(crate) fn report_errors(&mut self, judged: &conditions::Judged) {
        self.found.errors(judged.errors.iter().cloned());
        for warning in &judged.warnings {
            self.warnings().push(Severity::Warning, warning.clone());
        }
    }

    /// Reports what a condition has come to.
    pub(crate) fn report_condition(
        &mut self,
        condition: &objchange_hcl::Condition,
        scope: &Scope<'_>,
        words: &conditions::Words,
        judged: &conditions::Judged,
        owner: &ConditionOwner,
    ) {
        self.report_errors(judged);
        if judged.is_undecided {
            self.push_undecided(condition, scope, Some(owner));
        }
        if judged.status == CheckStatus::Fail {
            let message = judged.message.clone().unwrap_or_default();
            let diagnostic = Diagnostic::new(words.failed, condition.condition.span, message)
                .explained(&condition.condition, scope);
            // Terraform 1.11.4 refreshes, and destroys, in spite of failed conditions.
            match self.input.options.mode {
                PlanMode::RefreshOnly | PlanMode::Destroy => {
                    self.warnings().push_condition(Severity::Warning, diagnostic, owner);
                }
                PlanMode::Normal => self.found.push_condition(Severity::Error, diagnostic, owner),
            }
        }
    }
}

/// The kind and name of what has conditions, and how many.
pub(crate) fn conditions_of(kind: &NodeKind<'_>) -> Option<(CheckKind, String, usize)> {
    let (kind, name, conditions) = match kind {
        NodeKind::Validation(name, variable) => {
            (CheckKind::InputVariable, name.to_string(), variable.validations.len())
        }
        NodeKind::Output(name, output) => {
            (CheckKind::OutputValue, name.to_string(), output.preconditions.len())
        }
        NodeKind::Check(name, check) => (CheckKind::Check, name.to_string(), check.asserts.len()),
        NodeKind::Resource(resource) => {
            let lifecycle = &resource.config.lifecycle;
            let conditions = lifecycle.preconditions.len() + lifecycle.postconditions.len();
            (CheckKind::Resource, super::graph::resource_text(resource.name), conditions)
        }
        _ => return None,
    };
    (conditions > 0).then_some((kind, name, conditions))
}
