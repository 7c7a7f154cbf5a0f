//! A planned change as JSON (`schema/plan-report.schema.json`).

use std::collections::BTreeSet;
use std::io::{self, Write};

use objchange::change::{Action, PlanViolation, PlannedChange};
use objchange::value::{Marks, Path};
use objchange::{Type, Value};
use objchange_hcl::SourcePlace;
use objchange_plan::diff::{LeafChange, ObjectChange};
use objchange_plan::{Diff, Reason};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::Subject;

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
    /// References in the block without a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_given: Option<&'a BTreeSet<String>>,
    violations: Vec<Violation<'a>>,
    at_apply: Vec<Violation<'a>>,
    no_longer_sensitive: &'a [Path],
    legacy_type_system: bool,
    changes: Vec<LeafChange>,
    diff: Diff<'a>,
    before: Box<RawValue>,
    proposed: Box<RawValue>,
    after: Box<RawValue>,
}

/// A violation, and where it is in a block of configuration.
#[derive(Serialize)]
struct Violation<'a> {
    #[serde(flatten)]
    violation: &'a PlanViolation,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a SourcePlace>,
}

fn violations<'a>(violations: &'a [PlanViolation], places: &'a [Option<SourcePlace>]) -> Vec<Violation<'a>> {
    let placed = |(i, violation)| Violation { violation, place: places.get(i).and_then(Option::as_ref) };
    violations.iter().enumerate().map(placed).collect()
}

pub(super) fn write(
    out: &mut impl Write,
    subject: &Subject<'_>,
    plan: &PlannedChange,
    [places, at_apply]: &[Vec<Option<SourcePlace>>; 2],
) -> io::Result<()> {
    let schema = &subject.request.schema;
    let ty = schema.implied_type();
    let change = ObjectChange::planned(schema, plan);
    let diff = change.diff();
    // A mark on one side hides the value on all sides.
    let marks: Vec<(Path, Marks)> = [&plan.before, &plan.proposed, &plan.after]
        .into_iter()
        .flat_map(|value| value.unmark_deep_with_paths().1)
        .collect();
    let object = |value: &Value| value_json(&value.mark_where_present(&marks), ty);
    let report = Report {
        format_version: FORMAT_VERSION,
        resource_type: &subject.resource_type,
        address: subject.address.as_deref(),
        action: plan.action,
        reason: Reason::new(plan),
        not_given: subject.written.as_ref().map(|written| &written.missing),
        violations: violations(&plan.violations, places),
        at_apply: violations(&plan.at_apply, at_apply),
        no_longer_sensitive: &plan.no_longer_sensitive,
        legacy_type_system: plan.legacy_type_system,
        changes: change.leaves(&diff),
        diff,
        before: object(&plan.before)?,
        proposed: object(&plan.proposed)?,
        after: object(&plan.after)?,
    };
    objchange_text::json::write_line(out, &report)?;
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
