//! Checks the object after apply against the plan.

use super::ChangeError;
use super::access::{Keyed, ObjectView, elements, member, set_elements, wrong_kind};
use super::inconsistent_result::{InconsistentResult, InconsistentResultKind as Kind};
use super::set_compatible::match_sets;
use super::value_compatible::{Findings, compare, report_unmatched};
use crate::schema::{Attribute, Block, Member, Members, NestedBlock, NestingMode, SecretParts};
use crate::value::{Marks, ObjectType, PathStack, StepRef, Type, Value};

/// Checks that the object a provider returned after apply completes the one that was planned.
///
/// No error means that the result is consistent. For attributes that are sensitive, by schema or by a mark,
/// only the fact is reported.
///
/// ```
/// use objchange::change::{InconsistentResultKind, assert_object_compatible};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new([("size", Attribute::optional(Type::Number))], []);
/// let size = |n: i64| Value::object([("size", Value::from(n))]);
/// assert!(assert_object_compatible(&schema, &size(1), &size(1)).is_empty());
///
/// let errors = assert_object_compatible(&schema, &size(1), &size(2));
/// assert_eq!(errors[0].kind, InconsistentResultKind::ValueChanged);
/// assert_eq!(errors[0].to_string(), "size: was planned as (1), but is (2)");
/// ```
#[doc(alias = "AssertObjectCompatible")]
#[must_use = "returns the violations; empty means valid"]
pub fn assert_object_compatible(schema: &Block, planned: &Value, actual: &Value) -> Vec<InconsistentResult> {
    object_violations(schema, planned, actual, SecretParts::new(schema, &[planned, actual]).root())
}

/// Like [`assert_object_compatible`], with a path that knows which parts are secret.
pub(super) fn object_violations(
    schema: &Block,
    planned: &Value,
    actual: &Value,
    path: PathStack<'_>,
) -> Vec<InconsistentResult> {
    let mut findings = Findings::default();
    object(schema, planned, actual, path, &mut findings);
    findings.errors
}

/// Reports values that do not fit the schema.
fn fitting<T>(result: Result<T, ChangeError>, findings: &mut Findings) -> Option<T> {
    result.map_err(|error| findings.push_error(|| InconsistentResult::unfit(error))).ok()
}

fn object(schema: &Block, planned: &Value, actual: &Value, path: PathStack<'_>, findings: &mut Findings) {
    match (planned.is_null(), actual.is_null()) {
        (true, true) => return,
        (true, false) => return findings.push(Kind::ObjectNowPresent, path),
        (false, true) => return findings.push(Kind::ObjectNowAbsent, path),
        (false, false) => {}
    }
    let schema = Members::Block(schema);
    let (planned, actual) = (ObjectView::new(planned, schema), ObjectView::new(actual, schema));
    for (position, (name, member)) in schema.iter().enumerate() {
        if findings.is_decided() {
            return;
        }
        let planned = planned.get(position, name, member, path);
        let actual = actual.get(position, name, member, path);
        let (planned, actual) = match (planned, actual) {
            (Ok(planned), Ok(actual)) => (planned, actual),
            (planned, actual) => {
                for error in [planned.err(), actual.err()].into_iter().flatten() {
                    findings.push_error(|| InconsistentResult::unfit(error));
                }
                continue;
            }
        };
        let path = path.attribute(name);
        match member {
            Member::Attribute(schema) => attribute(schema, &planned, &actual, path, findings),
            Member::Blocks(nested) => blocks(nested, &planned, &actual, path, findings),
        }
    }
}

fn attribute(
    schema: &Attribute,
    planned: &Value,
    actual: &Value,
    path: PathStack<'_>,
    findings: &mut Findings,
) {
    // Only the sensitive mark hides values, as in `AssertObjectCompatible`; ephemeral values are never
    // saved.
    let is_marked = |value: &Value| value.contains_marked() && value.marks_deep().contains(Marks::SENSITIVE);
    // All problems of a sensitive attribute become one error without values, because even their number and
    // places would tell of it.
    if schema.sensitive || is_marked(planned) || is_marked(actual) {
        let mut probe = Findings::probe();
        compare(planned, actual, path, &mut probe);
        if probe.has_failed() {
            findings.push(Kind::SensitiveInconsistent, path);
        }
        return;
    }
    compare(planned, actual, path, findings);
}

fn blocks(
    schema: &NestedBlock,
    planned: &Value,
    actual: &Value,
    path: PathStack<'_>,
    findings: &mut Findings,
) {
    // Terraform Core removes the blocks' own marks before it compares their content, and reports
    // differences without hiding them.
    let (planned, actual) = (planned.unmarked(), actual.unmarked());
    if schema.computed {
        if schema.nesting != NestingMode::Single && actual.is_null() {
            // Terraform 1.16 returns at its first such block and drops the errors found before, in random
            // order. Here each block is checked.
            return findings.push(Kind::NullBlockAfterApply, path);
        }
        if !planned.is_known() {
            return compare(planned, actual, path, findings);
        }
    }
    match schema.nesting {
        NestingMode::Single | NestingMode::Group => {
            // The plan promised neither a block nor its absence.
            if !planned.is_known() && actual.is_null() {
                return;
            }
            object(&schema.block, planned, actual, path, findings);
        }
        NestingMode::List => list(&schema.block, planned, actual, path, findings),
        NestingMode::Set => set(&schema.block, planned, actual, path, findings),
        NestingMode::Map => map(&schema.block, planned, actual, path, findings),
    }
}

/// Whether there is nothing to compare because one side is null or unknown.
fn is_open(value: &Value) -> bool {
    value.is_null() || !value.is_known()
}

fn list(schema: &Block, planned: &Value, actual: &Value, path: PathStack<'_>, findings: &mut Findings) {
    // Null and unknown lists and sets are compatible with anything in `AssertObjectCompatible`.
    if is_open(planned) || is_open(actual) {
        return;
    }
    let (Some(planned), Some(actual)) =
        (fitting(elements(planned, path), findings), fitting(elements(actual, path), findings))
    else {
        return;
    };
    if planned.len() != actual.len() {
        return findings.push(Kind::BlockCountChanged, path);
    }
    for (i, (planned, actual)) in std::iter::zip(planned, actual).enumerate() {
        object(schema, planned, actual, path.then(StepRef::Position(i)), findings);
    }
}

fn set(schema: &Block, planned: &Value, actual: &Value, path: PathStack<'_>, findings: &mut Findings) {
    if is_open(planned) || is_open(actual) {
        return;
    }
    let (Some(planned), Some(actual)) =
        (fitting(set_elements(planned, path), findings), fitting(set_elements(actual, path), findings))
    else {
        return;
    };
    // Pairs need not be one to one: each planned block must be compatible with some actual one, and each
    // actual block with some planned one.
    let compatible = |planned: &Value, actual: &Value| {
        let mut probe = Findings::probe();
        object(schema, planned, actual, PathStack::ROOT, &mut probe);
        !probe.has_failed()
    };
    let unmatched = match_sets(planned, actual, Some(schema), compatible);
    // A block is long, and stays out of the findings.
    report_unmatched(&[], &[], &unmatched, path, findings);
    // Several unknown blocks may become equal, so a smaller set is fine.
    if actual.len() > planned.len() {
        findings.push(Kind::BlockSetGrew, path);
    }
}

fn map(schema: &Block, planned: &Value, actual: &Value, path: PathStack<'_>, findings: &mut Findings) {
    match planned.ty() {
        Type::Object(planned_ty) => object_held_map(schema, planned, planned_ty, actual, path, findings),
        // A `dynamic` block without a known type promises nothing.
        Type::Dynamic => {}
        Type::Map(_) => real_map(schema, planned, actual, path, findings),
        _ if is_open(planned) || is_open(actual) => {}
        _ => findings.push_error(|| InconsistentResult::unfit(wrong_kind(planned, "a map", path))),
    }
}

fn real_map(schema: &Block, planned: &Value, actual: &Value, path: PathStack<'_>, findings: &mut Findings) {
    // An unknown actual map is an error below. Terraform 1.16 crashes on it.
    if !planned.is_known() || planned.is_null() || actual.is_null() {
        return;
    }
    let (Some(planned), Some(actual)) =
        (fitting(Keyed::new(planned, path), findings), fitting(Keyed::new(actual, path), findings))
    else {
        return;
    };
    if planned.len() != actual.len() {
        return findings.push(Kind::BlockCountChanged, path);
    }
    for (key, planned) in planned.iter() {
        // Counts are equal, so a missing key comes with a new one. `AssertObjectCompatible` reports neither
        // in a real map.
        if let Some(actual) = actual.get(key) {
            object(schema, planned, actual, path.then(StepRef::Key(key)), findings);
        }
    }
}

/// Blocks of different types by label: the attributes of both types are compared, even if a side is
/// unknown.
fn object_held_map(
    schema: &Block,
    planned: &Value,
    planned_ty: &ObjectType,
    actual: &Value,
    path: PathStack<'_>,
    findings: &mut Findings,
) {
    if planned.is_null() || actual.is_null() {
        return;
    }
    // Terraform 1.16 crashes if one side is an object and the other is not.
    let Type::Object(actual_ty) = actual.ty() else {
        return findings.push_error(|| InconsistentResult::unfit(wrong_kind(actual, "an object", path)));
    };
    for (i, (key, ty)) in planned_ty.attributes().iter().enumerate() {
        let Some(actual_block_ty) = actual_ty.attribute(key) else {
            findings.push(Kind::BlockKeyVanished, path);
            continue;
        };
        let planned = fitting(member(planned, i, key, ty, path), findings);
        let actual = fitting(member(actual, i, key, actual_block_ty, path), findings);
        if let (Some(planned), Some(actual)) = (planned, actual) {
            object(schema, &planned, &actual, path.then(StepRef::Label(key)), findings);
        }
    }
    // An unknown planned object may still get further keys.
    if planned.is_known() {
        for _ in actual_ty.attributes().iter().filter(|(key, _)| planned_ty.attribute(key).is_none()) {
            findings.push(Kind::BlockKeyAppeared, path);
        }
    }
}
