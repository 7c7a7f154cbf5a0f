//! Changes, violations and actions as JSON (`schema/change.schema.json`).
//!
//! Paths are lists of steps and kinds have their stable names, both as in case files. A violation also has
//! its sentence. Values are under their own types, with `(sensitive value)` in place of marked parts, as
//! [`Value::to_redacted_json`] writes them. The provider's private data is left out.

use std::fmt::Display;

use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{
    Action, AppliedChange, ApplyViolation, ChangeError, DeferredReason, Diagnostic, InconsistentResult,
    InconsistentResultKind, InvalidPlan, InvalidPlanKind, PlanViolation, PlannedChange, ReplaceReason,
    Severity,
};
use crate::value::{Path, Value};

macro_rules! by_kind {
    ($($name:ident)*) => {
        $(
            /// As its [`kind`](Self::kind).
            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.kind())
                }
            }
        )*
    };
}

by_kind! { Action InvalidPlanKind InconsistentResultKind DeferredReason Severity }

/// A value as it may be shown.
struct Redacted(Value);

impl Serialize for Redacted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(value) = self;
        let json = value.to_redacted_json(value.ty()).ok().and_then(|json| RawValue::from_string(json).ok());
        match json {
            Some(json) => json.serialize(serializer),
            // There is an infinite number in it, which JSON has no form for.
            None => serializer.collect_str(value),
        }
    }
}

/// The objects of one change as they may be shown: a part that is marked in one of them is hidden in all.
fn shown<const N: usize>(objects: [&Value; N]) -> [Redacted; N] {
    let marks: Vec<_> = objects.iter().flat_map(|object| object.unmark_deep_with_paths().1).collect();
    objects.map(|object| Redacted(object.mark_where_present(&marks)))
}

/// A violation. It has the values only if they may be shown.
#[derive(serde::Serialize)]
struct Violation<'a> {
    path: &'a Path,
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior: Option<Redacted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Redacted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    planned: Option<Redacted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<Redacted>,
}

impl<'a> Violation<'a> {
    fn new(path: &'a Path, kind: &'static str, message: &impl Display) -> Self {
        let message = message.to_string();
        Self { path, kind, message, prior: None, config: None, planned: None, actual: None }
    }
}

fn part(value: &Option<Value>) -> Option<Redacted> {
    value.clone().map(Redacted)
}

impl Serialize for ChangeError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Violation::new(self.path(), self.kind(), self).serialize(serializer)
    }
}

impl Serialize for InvalidPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { path, kind, prior, config, planned, unfit: _ } = self;
        let violation = Violation::new(path, kind.kind(), self);
        Violation { prior: part(prior), config: part(config), planned: part(planned), ..violation }
            .serialize(serializer)
    }
}

impl Serialize for InconsistentResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { path, kind, planned, actual, unfit: _ } = self;
        let violation = Violation::new(path, kind.kind(), self);
        Violation { planned: part(planned), actual: part(actual), ..violation }.serialize(serializer)
    }
}

impl Serialize for PlanViolation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Invalid(invalid) => invalid.serialize(serializer),
            _ => Violation::new(self.path(), self.kind(), self).serialize(serializer),
        }
    }
}

impl Serialize for ApplyViolation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Inconsistent(inconsistent) => inconsistent.serialize(serializer),
            _ => Violation::new(self.path(), self.kind(), self).serialize(serializer),
        }
    }
}

/// As its [`kind`](Self::kind), and the parts that cannot change in place.
impl Serialize for ReplaceReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Form<'a> {
            kind: &'static str,
            paths: &'a [Path],
        }
        let paths = match self {
            Self::CannotUpdate(paths) | Self::Requested(paths) => &paths[..],
            Self::Tainted => &[],
        };
        Form { kind: self.kind(), paths }.serialize(serializer)
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Form<'a> {
            severity: Severity,
            summary: &'a str,
            detail: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            path: Option<&'a Path>,
        }
        let Self { severity, summary, detail, path } = self;
        Form { severity: *severity, summary, detail, path: path.as_ref() }.serialize(serializer)
    }
}

/// A part that is marked in one of the objects is hidden in all of them.
///
/// ```
/// use objchange::change::{PlanRequest, SimulatedProvider, plan_change};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new(
///     [("key", Attribute::optional(Type::String).sensitive()), ("size", Attribute::optional(Type::Number))],
///     [],
/// );
/// let object = |size: i64| Value::object([("key", Value::from("hunter2")), ("size", Value::from(size))]);
/// let request = PlanRequest::new(&schema, &object(10), &object(20));
/// let change = plan_change(&request, &mut SimulatedProvider::default())?;
///
/// let json = serde_json::to_value(&change)?;
/// assert_eq!(json["action"], "update");
/// let after = serde_json::json!({"key": {"$sensitive": "(sensitive value)"}, "size": 20});
/// assert_eq!((&json["before"]["size"], &json["after"]), (&10.into(), &after));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for PlannedChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Form<'a> {
            action: Action,
            replace_reason: Option<&'a ReplaceReason>,
            before: Redacted,
            proposed: Redacted,
            after: Redacted,
            no_longer_sensitive: &'a [Path],
            violations: &'a [PlanViolation],
            at_apply: &'a [PlanViolation],
            legacy_type_system: bool,
            identity: Option<Redacted>,
            deferred: Option<DeferredReason>,
            diagnostics: &'a [Diagnostic],
        }
        let Self { action, replace_reason, no_longer_sensitive, violations, at_apply, .. } = self;
        let [before, proposed, after] = shown([&self.before, &self.proposed, &self.after]);
        Form {
            action: *action,
            replace_reason: replace_reason.as_ref(),
            before,
            proposed,
            after,
            no_longer_sensitive,
            violations,
            at_apply,
            legacy_type_system: self.legacy_type_system,
            identity: part(&self.identity),
            deferred: self.deferred,
            diagnostics: &self.diagnostics,
        }
        .serialize(serializer)
    }
}

/// A part that is marked in one of the objects is hidden in all of them.
impl Serialize for AppliedChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Form<'a> {
            saved: Redacted,
            tainted: bool,
            deposed: Option<Redacted>,
            violations: &'a [ApplyViolation],
            legacy_type_system: bool,
            identity: Option<Redacted>,
            diagnostics: &'a [Diagnostic],
        }
        let nothing = Value::null(self.saved.ty().clone());
        let [saved, deposed] = shown([&self.saved, self.deposed.as_ref().unwrap_or(&nothing)]);
        Form {
            saved,
            tainted: self.tainted,
            deposed: self.deposed.is_some().then_some(deposed),
            violations: &self.violations,
            legacy_type_system: self.legacy_type_system,
            identity: part(&self.identity),
            diagnostics: &self.diagnostics,
        }
        .serialize(serializer)
    }
}
