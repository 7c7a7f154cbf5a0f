//! Outputs: what of them is refused, and what happens to those of the root module.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::value::Marks;
use objchange_hcl::{Diagnostic, OutputConfig};
use smol_str::SmolStr;

use super::{PlannedAction, PlannedOutput};
use crate::state::StateOutput;

/// What is wrong with the value of an output of the root module.
pub(crate) fn refusals(output: &OutputConfig, value: &Value) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let marks = value.marks_deep();
    if output.ephemeral || marks.contains(Marks::EPHEMERAL) {
        let detail = "Ephemeral outputs are not allowed in context of a root module";
        found.push(Diagnostic::new("Ephemeral output not allowed", output.header, detail));
    }
    if marks.contains(Marks::SENSITIVE) && !output.sensitive {
        let detail = "To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, \
                      Terraform requires that any root module output containing sensitive data be explicitly marked as \
                      sensitive, to confirm your intent.\n\nIf you do intend to export this data, annotate the output \
                      value as sensitive by adding the following argument:\n    sensitive = true";
        found.push(Diagnostic::new("Output refers to sensitive values", output.header, detail));
    }
    found
}

/// What happens to an output of the root module.
pub(crate) fn planned(value: &Value, output: &OutputConfig, before: Option<&StateOutput>) -> PlannedOutput {
    let (after, _) = value.unmark_deep();
    let was = before.map_or_else(|| Value::null(objchange::Type::Dynamic), |before| before.value.clone());
    let was_sensitive = before.is_some_and(|before| before.sensitive);
    let exists = before.is_some_and(|before| !before.value.is_null());
    let action = match (exists, after.is_null()) {
        (false, true) => PlannedAction::NoOp,
        (false, false) => PlannedAction::Create,
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
