//! Outputs: checks of their values, and the changes of the root module's ones.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::value::Marks;
use objchange_document::Version;
use objchange_hcl::Scope;
use objchange_hcl::{Diagnostic, OutputConfig, conversion_message};
use smol_str::SmolStr;

use super::CheckKind;
use super::conditions;
use super::conditions::judge;
use super::instances::ModuleInstanceId;
use super::walk::Walk;
use super::{PlannedAction, PlannedOutput};
use crate::ConditionOwner;
use crate::Severity;
use crate::config::Config;
use crate::state::StateOutput;
use objchange_document::PlanMode;

/// Checks the value of an output: sensitive or ephemeral values need a declaration.
pub(crate) fn refusal(
    config: &Config,
    output: &OutputConfig,
    is_root: bool,
    value: &Value,
) -> Option<Diagnostic> {
    let marks = value.marks_deep();
    let refusal = if is_root && output.ephemeral && !config.allows_ephemeral_outputs {
        let detail = "Ephemeral outputs are not allowed in context of a root module";
        Diagnostic::new("Ephemeral output not allowed", output.header, detail)
    } else if is_root && marks.contains(Marks::SENSITIVE) && !output.sensitive {
        let detail = "To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, \
                      Terraform requires that any root module output containing sensitive data be explicitly marked as \
                      sensitive, to confirm your intent.\n\nIf you do intend to export this data, annotate the output \
                      value as sensitive by adding the following argument:\n    sensitive = true";
        // Terraform asks this of the root module alone; outputs of other modules pass marks on.
        Diagnostic::new("Output refers to sensitive values", output.header, detail)
    } else if !output.ephemeral && marks.contains(Marks::EPHEMERAL) {
        let detail = "This output value is not declared as returning an ephemeral value, so it cannot be set to a result \
                      derived from an ephemeral value.";
        Diagnostic::new(NOT_ALLOWED, output.value.span, detail)
    } else if output.ephemeral && !value.marks().contains(Marks::EPHEMERAL) {
        let detail = "This output value is declared as returning an ephemeral value, so it can only be set to an ephemeral \
                      value.";
        Diagnostic::new("Value not allowed in ephemeral output", output.value.span, detail)
    } else {
        return None;
    };
    Some(refusal)
}

/// Where something ephemeral is given to what does not declare that it takes it.
pub(crate) const NOT_ALLOWED: &str = "Ephemeral value not allowed";

/// The marks that the declaration of an output puts on its value.
pub(crate) fn marks(output: &OutputConfig, version: Version) -> Marks {
    let mut marks = Marks::NONE;
    // Before 1.13 a child's flag says nothing while planning.
    if output.sensitive && crate::versions::since(version, "1.13") {
        marks |= Marks::SENSITIVE;
    }
    if output.ephemeral {
        marks |= Marks::EPHEMERAL;
    }
    marks
}

/// Plans an output of the root module.
pub(crate) fn planned(value: &Value, output: &OutputConfig, before: Option<&StateOutput>) -> PlannedOutput {
    let (after, _) = value.unmark_deep();
    let was = before.map_or_else(|| Value::null(objchange::Type::Dynamic), |before| before.value.clone());
    let was_sensitive = before.is_some_and(|before| before.sensitive);
    let exists = before.is_some_and(|before| !before.value.is_null());
    let action = match (exists, after.is_null()) {
        // Terraform does not keep null outputs, so null and absent are equal.
        (false, true) => PlannedAction::NoOp,
        (false, false) => PlannedAction::Create,
        // A change of `sensitive` alone is an update in the document of Terraform 1.11.4, which the text of the plan does
        // not show.
        (true, false) if after.identical(&was) && was_sensitive == output.sensitive => PlannedAction::NoOp,
        (true, _) => PlannedAction::Update,
    };
    PlannedOutput {
        action,
        before: was,
        after,
        sensitive: output.sensitive,
        sensitive_change: output.sensitive || was_sensitive,
        declared: true,
    }
}

/// An output that will be no more.
pub(crate) fn deleted(before: &StateOutput) -> PlannedOutput {
    let exists = !before.value.is_null();
    PlannedOutput {
        action: if exists { PlannedAction::Delete } else { PlannedAction::NoOp },
        before: before.value.clone(),
        after: Value::null(objchange::Type::Dynamic),
        sensitive: before.sensitive,
        sensitive_change: before.sensitive,
        declared: false,
    }
}

/// Adds the outputs that are in the state and not planned, apart from those that stay.
pub(crate) fn add_deleted(
    planned: &mut BTreeMap<SmolStr, PlannedOutput>,
    before: &BTreeMap<SmolStr, StateOutput>,
    stays: impl Fn(&SmolStr) -> bool,
) {
    for (name, output) in before.iter().filter(|(name, _)| !stays(name)) {
        planned.entry(name.clone()).or_insert_with(|| deleted(output));
    }
}

/// The value of an output as one of its type.
///
/// # Errors
///
/// The value does not fit.
pub(crate) fn convert(output: &OutputConfig, value: Value) -> Result<Value, Box<Diagnostic>> {
    // Outputs may have a type since Terraform 1.15.
    let Some((ty, _)) = &output.ty else { return Ok(value) };
    ty.convert_as(&value, output.sensitive || output.ephemeral).map_err(|error| {
        let reason = conversion_message(&error, ty.ty());
        let detail =
            format!("The value expression does not match this output value's type constraint: {reason}.");
        Box::new(Diagnostic::new("Invalid output value", output.value.span, detail))
    })
}

impl<'c> Walk<'_, 'c> {
    pub(crate) fn output(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        name: &SmolStr,
        output: &OutputConfig,
    ) {
        let module = self.graph.nodes[index].module;
        let is_root = module == 0;
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let errors = self.found.error_count();
        if !output.preconditions.is_empty() && self.plans_before_destroy() {
            let owner = ConditionOwner {
                kind: CheckKind::OutputValue,
                module: self.world.instances[at].address.clone(),
                name: name.to_string(),
                key: None,
            };
            let mut statuses = Vec::new();
            let mut problems = Vec::new();
            for condition in &output.preconditions {
                let judged = judge(condition, &scope, self.functions, &conditions::OUTPUT);
                self.report_condition(condition, &scope, &conditions::OUTPUT, &judged, &owner);
                statuses.push(judged.status);
                problems.extend(judged.problem);
            }
            if self.input.options.mode != PlanMode::Destroy {
                let kind = CheckKind::OutputValue;
                self.checks.instance(kind, &owner.module, name, None, &statuses, problems);
            }
        }
        if self.found.error_count() > errors {
            return;
        }
        let Some(value) = self.evaluate_in_scope(&output.value, &scope) else { return };
        let value = match convert(output, value) {
            Ok(value) => value,
            Err(error) => {
                self.found.push(Severity::Error, *error);
                return;
            }
        };
        if let Some(refusal) = super::outputs::refusal(self.input.config, output, is_root, &value) {
            self.found.push(Severity::Error, refusal);
            return;
        }
        // An ephemeral one is neither in a plan nor in a state.
        if is_root && !output.ephemeral {
            if self.input.options.mode == PlanMode::Destroy {
                if !self.plans_before_destroy() {
                    return;
                }
                // The state has the new values before all of them are deleted.
                let (new, _) = value.unmark_deep();
                if new.is_null() {
                    self.state.outputs.remove(name);
                } else if new.is_wholly_known() {
                    let new = StateOutput { value: new, sensitive: output.sensitive };
                    self.state.outputs.insert(name.clone(), new);
                }
                return;
            }
            if self.applying.is_some() {
                self.apply_output(name, output, &value);
            } else {
                let before = self.input.state.outputs.get(name);
                self.plan.outputs.insert(name.clone(), super::outputs::planned(&value, output, before));
            }
        }
        let mut marks = super::outputs::marks(output, self.input.options.version);
        if self.world.instances[at].is_invented {
            marks |= Marks::INVENTED;
        }
        self.world.instances[at].outputs.insert(name.clone(), value.with_marks(marks));
    }
}
