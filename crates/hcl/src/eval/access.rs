//! Attributes and elements of values.

use objchange::value::{Kind, Number};
use objchange::{Type, Value};
use objchange_text::Span;

use super::{Evaluator, Failed, Scope, dynamic, marked};
use crate::syntax::ast::{Access, StepKind, TraversalStep};

impl Evaluator<'_> {
    /// Goes from a value step by step; the first that fails is the last.
    pub(super) fn steps(&mut self, value: Value, steps: &[TraversalStep]) -> Value {
        let end = steps.iter().try_fold(value, |value, step| self.step(&value, step));
        end.unwrap_or_else(|Failed| dynamic())
    }

    /// Follows steps of which some have computed keys. Every key is evaluated, even after an error, so that all errors
    /// in keys are reported.
    pub(super) fn accesses(&mut self, value: Value, accesses: &[Access], scope: &Scope<'_>) -> Value {
        let mut end = Ok(value);
        for access in accesses {
            end = match access {
                Access::Step(step) => end.and_then(|value| self.step(&value, step)),
                Access::Computed { key, brackets } => {
                    let value = end.unwrap_or_else(|Failed| dynamic());
                    let key = self.value(key, scope);
                    // The remaining steps start from an unknown value.
                    Ok(self.index(&value, &key, *brackets).unwrap_or_else(|Failed| dynamic()))
                }
            };
        }
        end.unwrap_or_else(|Failed| dynamic())
    }

    fn step(&mut self, value: &Value, step: &TraversalStep) -> Result<Value, Failed> {
        match &step.kind {
            StepKind::Attribute(name) => self.attribute(value, name, step.span),
            StepKind::Index(key) => self.index(value, key, step.span),
        }
    }

    /// `value.name`.
    pub(super) fn attribute(&mut self, value: &Value, name: &str, span: Span) -> Result<Value, Failed> {
        const UNSUPPORTED: &str = "Unsupported attribute";
        if value.is_null() {
            let detail = "This value is null, so it does not have any attributes.";
            return self.failed("Attempt to get attribute from null value", span, detail);
        }
        let marks = value.marks();
        match (value.ty(), value.kind()) {
            // HCL 2.24 checks null before an unknown type, so a null of unknown type is an error above.
            (Type::Dynamic, _) => Ok(dynamic().with_marks(marks)),
            (Type::Object(_), Kind::Object(object)) if object.get(name).is_some() => {
                Ok(object.get(name).map_or_else(dynamic, |attribute| marked(attribute, marks)))
            }
            (Type::Object(object), Kind::Unknown(_)) if object.attribute(name).is_some() => {
                let ty = object.attribute(name).cloned().unwrap_or(Type::Dynamic);
                Ok(Value::unknown(ty).with_marks(marks))
            }
            // A missing attribute is an error even while the object is unknown, because its type is known.
            (Type::Object(_), _) => self.failed(
                UNSUPPORTED,
                span,
                format!("This object does not have an attribute named {name:?}."),
            ),
            // An unknown map may get any key, so only a known one can lack an element.
            (Type::Map(element), Kind::Unknown(_)) => {
                Ok(Value::unknown((**element).clone()).with_marks(marks))
            }
            (Type::Map(_), Kind::Map(map)) => match map.get(name) {
                Some(element) => Ok(marked(element, marks)),
                None => {
                    let detail = format!("This map does not have an element with the key {name:?}.");
                    self.failed("Missing map element", span, detail)
                }
            },
            (Type::List(element) | Type::Set(element), _) if matches!(**element, Type::Object(_)) => {
                let collection = if matches!(value.ty(), Type::List(_)) { "list" } else { "set" };
                let detail = format!(
                    "Can't access attributes on a {}. Did you mean to access attribute {name:?} for a specific element of the \
                     {collection}, or across all elements of the {collection}?",
                    if collection == "list" { "list of objects" } else { "set of objects" }
                );
                self.failed(UNSUPPORTED, span, detail)
            }
            (ty, _) if ty.is_primitive() => {
                let detail =
                    format!("Can't access attributes on a primitive-typed value ({}).", ty.friendly_name());
                self.failed(UNSUPPORTED, span, detail)
            }
            _ => {
                let detail = "This value does not have any attributes.";
                self.failed(UNSUPPORTED, span, detail)
            }
        }
    }

    /// `value[key]`.
    pub(super) fn index(&mut self, value: &Value, key: &Value, span: Span) -> Result<Value, Failed> {
        const INVALID: &str = "Invalid index";
        if value.is_null() {
            let detail = "This value is null, so it does not have any indices.";
            return self.failed("Attempt to index null value", span, detail);
        }
        if key.is_null() {
            return self.failed(INVALID, span, "Can't use a null value as an indexing key.");
        }
        let marks = value.marks();
        let ty = value.ty();
        // The marks of the key are lost here, as in HCL 2.24.
        if *ty == Type::Dynamic || *key.ty() == Type::Dynamic {
            return Ok(dynamic().with_marks(marks));
        }
        let key_type = match ty {
            Type::List(_) | Type::Tuple(_) => Type::Number,
            Type::Map(_) | Type::Object(_) => Type::String,
            Type::Set(_) => {
                let detail = "Elements of a set are identified only by their value and don't have any separate index \
                              or key to select with, so it's only possible to perform operations across all \
                              elements of the set.";
                return self.failed(INVALID, span, detail);
            }
            _ => return self.failed(INVALID, span, "This value does not have any indices."),
        };
        let missing = if *key.ty() == Type::Number && matches!(ty, Type::Object(_)) {
            "The given key does not identify an element in this collection value. An object only supports looking up \
             attributes by name, not by numeric index."
        } else {
            "The given key does not identify an element in this collection value."
        };
        // `hcl.Index` converts keys: `["a"]["0"]` is `"a"` and `tomap({"1" = "x"})[1]` is `"x"` (`terraform console`
        // 1.11.4).
        let key = match key.convert(&key_type) {
            Ok(key) => key,
            Err(error) => {
                let kind = error.kind;
                let detail =
                    format!("The given key does not identify an element in this collection value: {kind}.");
                return self.failed(INVALID, span, detail);
            }
        };
        // An error must not tell the length of a sensitive collection.
        let no_element = |n, length| no_element(n, if marks.is_empty() { length } else { usize::MAX });
        // A sensitive key marks the element: the element itself is public, but not which one was chosen. Attributes of
        // objects stay unmarked, as in Terraform.
        let with_key = marks | if matches!(ty, Type::Object(_)) { Default::default() } else { key.marks() };
        match (ty, value.kind(), key.kind()) {
            (Type::List(element) | Type::Map(element), Kind::Unknown(_), _)
            // An unknown list has no bounds here: any index gives an unknown element, even beyond its known length. The
            // marks of the key are lost (HCL 2.24).
            | (Type::List(element) | Type::Map(element), _, Kind::Unknown(_)) => {
                Ok(Value::unknown((**element).clone()).with_marks(marks))
            }
            // Elements of tuples and objects differ in type, so an unknown key gives an unknown type.
            (_, _, Kind::Unknown(_)) => Ok(dynamic().with_marks(marks)),
            (Type::Tuple(tuple), Kind::Unknown(_), Kind::Number(n)) => {
                match position(n).and_then(|i| tuple.elements().get(i)) {
                    Some(ty) => Ok(Value::unknown(ty.clone()).with_marks(with_key)),
                    None => self.failed(INVALID, span, no_element(n, tuple.elements().len())),
                }
            }
            (_, Kind::List(elements) | Kind::Tuple(elements), Kind::Number(n)) => {
                match position(n).and_then(|i| elements.get(i)) {
                    Some(element) => Ok(marked(element, with_key)),
                    None => self.failed(INVALID, span, no_element(n, elements.len())),
                }
            }
            (Type::Object(_), Kind::Unknown(_), Kind::String(_))
                if self.functions.indexes_unknown_objects_blindly() =>
            {
                Ok(dynamic().with_marks(marks))
            }
            (Type::Object(object), Kind::Unknown(_), Kind::String(name)) => match object.attribute(name) {
                Some(ty) => Ok(Value::unknown(ty.clone()).with_marks(with_key)),
                None => self.failed(INVALID, span, missing),
            },
            // The summary depends on the syntax: `m.z` is a "Missing map element", but `m["z"]` an "Invalid index".
            (_, Kind::Map(map), Kind::String(key)) => match map.get(key) {
                Some(element) => Ok(marked(element, with_key)),
                None => self.failed(INVALID, span, missing),
            },
            (_, Kind::Object(object), Kind::String(name)) => match object.get(name) {
                Some(attribute) => Ok(marked(attribute, with_key)),
                None => self.failed(INVALID, span, missing),
            },
            _ => self.failed(INVALID, span, missing),
        }
    }

    /// Reports why there is no value.
    pub(super) fn failed<T>(
        &mut self,
        summary: &'static str,
        span: Span,
        detail: impl Into<std::borrow::Cow<'static, str>>,
    ) -> Result<T, Failed> {
        self.error(summary, span, detail);
        Err(Failed)
    }
}

/// Explains an index without an element, in HCL's words.
pub fn no_element(n: &Number, length: usize) -> &'static str {
    if *n < Number::ZERO {
        "The given key does not identify an element in this collection value: a negative number is not a valid index for a \
         sequence."
    } else if !n.is_integer() {
        "The given key does not identify an element in this collection value: indexing a sequence requires a whole number, \
         but the given index has a fractional part."
    // HCL explains only the first index behind the end: of a list of two, `l[2]` gets the reason, `l[5]` none (Terraform
    // 1.11.4).
    } else if n.as_u64() != Some(length as u64) {
        "The given key does not identify an element in this collection value."
    } else if length == 0 {
        "The given key does not identify an element in this collection value: the collection has no elements."
    } else {
        "The given key does not identify an element in this collection value: the given index is greater than or equal to the \
         length of the collection."
    }
}

fn position(n: &Number) -> Option<usize> {
    n.as_u64().and_then(|n| usize::try_from(n).ok())
}
