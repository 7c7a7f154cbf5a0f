//! A planned change as JSON (`schema/plan-report.schema.json`).

use std::io::{self, Write};

use objchange::change::{Action, PlanViolation, PlannedChange};
use objchange::internal::visible_json;
use objchange::schema::Block;
use objchange::value::{Marks, Path};
use objchange::{Type, Value};
use objchange_plan::{Diff, LeafChange, ObjectChange, Reason};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The version of the report's form.
const FORMAT_VERSION: &str = "1.0";

#[derive(Serialize)]
struct Report<'a> {
    format_version: &'static str,
    #[serde(rename = "type")]
    resource_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'a str>,
    action: Action,
    reason: Reason<'a>,
    violations: &'a [PlanViolation],
    at_apply: &'a [PlanViolation],
    no_longer_sensitive: &'a [Path],
    legacy_type_system: bool,
    changes: Vec<LeafChange>,
    diff: Diff<'a>,
    before: Box<RawValue>,
    proposed: Box<RawValue>,
    after: Box<RawValue>,
}

pub(super) fn write(
    resource_type: &str,
    address: Option<&str>,
    schema: &Block,
    plan: &PlannedChange,
) -> io::Result<()> {
    let ty = schema.implied_type();
    let change = ObjectChange::planned(schema, plan);
    let diff = change.diff();
    // What one side hides is not shown from the other.
    let marks: Vec<(Path, Marks)> = [&plan.before, &plan.proposed, &plan.after]
        .into_iter()
        .flat_map(|value| value.unmark_deep_with_paths().1)
        .collect();
    let object = |value: &Value| value_json(&value.mark_where_present(&marks), ty);
    let report = Report {
        format_version: FORMAT_VERSION,
        resource_type,
        address,
        action: plan.action,
        reason: Reason::of(plan),
        violations: &plan.violations,
        at_apply: &plan.at_apply,
        no_longer_sensitive: &plan.no_longer_sensitive,
        legacy_type_system: plan.legacy_type_system,
        changes: change.leaves(&diff),
        diff,
        before: object(&plan.before)?,
        proposed: object(&plan.proposed)?,
        after: object(&plan.after)?,
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{}", visible_json(&serde_json::to_string(&report)?))?;
    out.flush()
}

/// A value in the form of case files, without what is marked.
fn value_json(value: &Value, ty: &Type) -> io::Result<Box<RawValue>> {
    let text = value
        .to_redacted_json(ty)
        // A planned object that is not of the schema's type is shown with the type that it has.
        .or_else(|_| value.to_redacted_json(&Type::Dynamic))
        .unwrap_or_else(|_| json!(value.to_string()).to_string());
    Ok(RawValue::from_string(text)?)
}
