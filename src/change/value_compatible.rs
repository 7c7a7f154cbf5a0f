//! Checks a value against its plan.

use super::inconsistent_result::{InconsistentResult, InconsistentResultKind as Kind};
use super::set_compatible::{Unmatched, match_sets};
use crate::schema::SecretParts;
use crate::value::{Kind as ValueKind, PathStack, StepRef, Type, Value};

/// Checks that an actual value completes a planned one: known parts are unchanged, and unknown ones keep
/// their promises.
///
/// ```
/// use objchange::change::assert_value_compatible;
/// use objchange::{Type, Value};
///
/// let planned = Value::tuple([Value::from("a"), Value::unknown(Type::String)]);
/// assert!(assert_value_compatible(&planned, &Value::tuple(["a", "b"])).is_empty());
///
/// let errors = assert_value_compatible(&planned, &Value::tuple(["c", "b"]));
/// assert_eq!(errors[0].to_string(), r#"[0]: was planned as ("a"), but is ("c")"#);
/// ```
#[doc(alias = "AssertValueCompatible")]
#[must_use = "returns the violations; empty means valid"]
pub fn assert_value_compatible(planned: &Value, actual: &Value) -> Vec<InconsistentResult> {
    let mut findings = Findings::default();
    compare(planned, actual, SecretParts::of_values(&[planned, actual]).root(), &mut findings);
    findings.errors
}

/// The violations found. A probe only records whether there is one.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) errors: Vec<InconsistentResult>,
    probe: bool,
    failed: bool,
}

impl Findings {
    pub(super) fn probe() -> Self {
        Self { probe: true, ..Self::default() }
    }

    /// Whether a probe has found an error, so that there is nothing more to find out.
    pub(super) fn is_decided(&self) -> bool {
        self.probe && self.failed
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    pub(super) fn push(&mut self, kind: Kind, path: PathStack<'_>) {
        self.push_values(kind, path, None, None);
    }

    fn push_values(
        &mut self,
        kind: Kind,
        path: PathStack<'_>,
        planned: Option<&Value>,
        actual: Option<&Value>,
    ) {
        self.failed = true;
        if self.probe {
            return;
        }
        let [planned, actual] = [planned, actual].map(|value| path.value(value?));
        self.errors.push(InconsistentResult {
            planned,
            actual,
            ..InconsistentResult::new(kind, path.to_path())
        });
    }

    pub(super) fn push_error(&mut self, error: impl FnOnce() -> InconsistentResult) {
        self.failed = true;
        if !self.probe {
            self.errors.push(error());
        }
    }
}

/// Compares a planned value with the actual one, marks aside.
pub(super) fn compare(planned: &Value, actual: &Value, path: PathStack<'_>, findings: &mut Findings) {
    // A value of dynamic type was planned without any promise.
    if *planned.ty() == Type::Dynamic {
        return;
    }
    if planned.ty() != actual.ty() && !actual.ty().conforms_to(planned.ty()) {
        return findings.push_values(Kind::WrongFinalType, path, Some(planned), Some(actual));
    }
    parts(planned, actual, path, findings);
}

/// Compares values whose types conform.
fn parts(planned: &Value, actual: &Value, path: PathStack<'_>, findings: &mut Findings) {
    if findings.is_decided() || *planned.ty() == Type::Dynamic {
        return;
    }
    // Marks are ignored: only the content was planned.
    if planned.is_wholly_known() && planned.same_content(actual) {
        return;
    }
    match (planned.kind(), actual.kind()) {
        (ValueKind::Unknown(_), _) => {
            if !planned.may_become(actual) {
                findings.push_values(Kind::PlaceholderMismatch, path, None, Some(actual));
            }
        }
        // Null is checked before unknown: a planned null that becomes unknown is a new value in
        // `AssertValueCompatible`.
        (ValueKind::Null, ValueKind::Null) => {}
        (ValueKind::Null, _) => findings.push_values(Kind::NullNowValue, path, None, Some(actual)),
        (_, ValueKind::Null) => findings.push_values(Kind::ValueNowNull, path, Some(planned), None),
        (_, ValueKind::Unknown(_)) => findings.push_values(Kind::KnownNowUnknown, path, Some(planned), None),
        (ValueKind::List(p), ValueKind::List(a)) | (ValueKind::Tuple(p), ValueKind::Tuple(a)) => {
            for (i, (planned, actual)) in std::iter::zip(p, a).enumerate() {
                parts(planned, actual, path.then(StepRef::Position(i)), findings);
            }
            for planned in p.get(a.len()..).unwrap_or_default() {
                findings.push_values(Kind::ElementVanished, path, Some(planned), None);
            }
            for actual in a.get(p.len()..).unwrap_or_default() {
                findings.push_values(Kind::ElementAppeared, path, None, Some(actual));
            }
        }
        (ValueKind::Map(p), ValueKind::Map(a)) => {
            for (key, planned) in p.iter() {
                match a.get(key) {
                    Some(actual) => parts(planned, actual, path.then(StepRef::Key(key)), findings),
                    None => findings.push_values(Kind::ElementVanished, path, Some(planned), None),
                }
            }
            for (_, actual) in a.iter().filter(|(key, _)| p.get(key).is_none()) {
                findings.push_values(Kind::ElementAppeared, path, None, Some(actual));
            }
        }
        (ValueKind::Object(p), ValueKind::Object(a)) => {
            for (i, (name, planned)) in p.iter().enumerate() {
                // Both have the same attributes: their types were compared.
                if let Some(actual) = a.get_at(i, name) {
                    parts(planned, actual, path.attribute(name), findings);
                }
            }
        }
        (ValueKind::Set(p), ValueKind::Set(a)) => sets(p, a, path, findings),
        // The types conform, so only unequal primitives are left.
        _ => {
            if !planned.same_content(actual) {
                findings.push_values(Kind::ValueChanged, path, Some(planned), Some(actual));
            }
        }
    }
}

fn sets(planned: &[Value], actual: &[Value], path: PathStack<'_>, findings: &mut Findings) {
    let compatible = |planned: &Value, actual: &Value| {
        let mut probe = Findings::probe();
        parts(planned, actual, PathStack::ROOT, &mut probe);
        !probe.has_failed()
    };
    let unmatched = match_sets(planned, actual, None, compatible);
    report_unmatched(planned, actual, &unmatched, path, findings);
    // Several unknown elements may become equal, so a smaller set is fine.
    if actual.len() > planned.len() {
        findings.push(Kind::SetGrew, path);
    }
}

/// Reports elements without a partner in a set of values or blocks.
pub(super) fn report_unmatched(
    planned: &[Value],
    actual: &[Value],
    unmatched: &Unmatched,
    path: PathStack<'_>,
    findings: &mut Findings,
) {
    for i in &unmatched.planned {
        findings.push_values(Kind::PlannedSetElementUnmatched, path, planned.get(*i), None);
    }
    for i in &unmatched.actual {
        findings.push_values(Kind::ActualSetElementUnmatched, path, None, actual.get(*i));
    }
}
