//! Evaluates `for` expressions.

use hashbrown::HashMap;
use objchange::value::{Kind, Marks};
use objchange::{Type, Value};
use objchange_text::Span;
use smol_str::SmolStr;

use super::{Evaluator, Failed, Scope, dynamic};
use crate::syntax::ast::{Expr, For};

const CONDITION: &str = "Invalid 'for' condition";

/// The result of a loop so far.
#[derive(Default)]
struct Progress {
    /// The whole expression, which errors refer to.
    whole: Span,
    /// The marks of the whole result.
    marks: Marks,
    /// A key or condition was unknown or wrong, so the result is unknown. The other elements are only checked for errors.
    is_unknown: bool,
    values: Vec<Value>,
    /// The name of each value, for objects.
    names: Vec<SmolStr>,
    /// The position of each name, to find duplicates.
    positions: HashMap<SmolStr, usize>,
    groups: Vec<Vec<Value>>,
}

impl Evaluator<'_> {
    pub(super) fn for_loop(&mut self, parts: &For, whole: Span, scope: &Scope<'_>) -> Value {
        let collection = self.value(&parts.collection, scope);
        let span = parts.collection.span;
        if collection.is_null() {
            let detail = "A null value cannot be used as the collection in a 'for' expression.";
            self.error_in(whole, "Iteration over null value", span, detail);
            return dynamic();
        }
        // HCL drops the marks of a collection of unknown type.
        if *collection.ty() == Type::Dynamic {
            return dynamic();
        }
        if matches!(collection.ty(), Type::String | Type::Number | Type::Bool) {
            let detail = format!(
                "A value of type {} cannot be used as the collection in a 'for' expression.",
                collection.ty().friendly_name()
            );
            self.error_in(whole, "Iteration over non-iterable value", span, detail);
            return dynamic();
        }
        let mut progress = Progress { whole, marks: collection.marks(), ..Progress::default() };
        let mut marks = collection.marks();
        // HCL first evaluates the condition with unknown variables, even for an empty collection, to check its type.
        if let Some(condition) = &parts.condition {
            let errors = self.errors();
            let found = self.check_condition(parts, whole, condition, scope);
            self.forget_signatures(errors);
            match found {
                Ok(found) => marks |= found,
                Err(Failed) => return dynamic(),
            }
        }
        // An unknown collection gives an unknown type, even if its elements have a known one.
        if !collection.is_known() {
            return dynamic().with_marks(marks);
        }
        let errors = self.errors();
        self.hiding(collection.marks(), |this| {
            this.evaluate_elements(parts, &collection, &mut progress, scope);
        });
        self.forget_signatures(errors);
        progress.is_unknown |= self.functions.is_bare() && self.failed_since(errors);
        self.paid(progress.result(parts), parts.open)
    }

    /// Removes signatures from the errors of function calls. HCL evaluates a loop in a child context without functions, and
    /// Terraform 1.11.4 and 1.15.5 look for the signature only there.
    fn forget_signatures(&mut self, errors: usize) {
        let calls = self.diagnostics[errors..].iter_mut().filter_map(|error| error.called.as_mut());
        calls.for_each(|called| {
            (called.parameters, called.variadic, called.result) = Default::default();
        });
    }

    /// Evaluates all elements.
    fn evaluate_elements(
        &mut self,
        parts: &For,
        collection: &Value,
        progress: &mut Progress,
        scope: &Scope<'_>,
    ) {
        each_element(collection, &mut |key, value| self.evaluate_element(parts, key, value, progress, scope));
    }

    /// Evaluates the condition once with unknown variables: it must be a bool for any element. Returns its marks.
    fn check_condition(
        &mut self,
        parts: &For,
        whole: Span,
        condition: &Expr,
        scope: &Scope<'_>,
    ) -> Result<Marks, Failed> {
        let names = names(parts, dynamic(), dynamic());
        let errors = self.errors();
        let value = self.value(condition, &scope.with(names_of(&names)));
        if value.is_null() {
            let detail = "The value of the 'if' clause must not be null.";
            self.error_in(whole, "Condition is null", condition.span, detail);
        } else if let Err(error) = value.convert(&Type::Bool) {
            let detail = format!("The 'if' clause value is invalid: {}.", error.kind);
            self.error_in(whole, CONDITION, condition.span, detail);
        }
        if self.failed_since(errors) { Err(Failed) } else { Ok(value.marks()) }
    }

    /// Evaluates one element.
    fn evaluate_element(
        &mut self,
        parts: &For,
        key: Value,
        value: Value,
        progress: &mut Progress,
        scope: &Scope<'_>,
    ) {
        let names = names(parts, key, value);
        let scope = &scope.with(names_of(&names));
        if let Some(condition) = &parts.condition {
            let found = self.value(condition, scope);
            // The result shows which elements were kept, so the marks of the condition go on all of it.
            progress.marks |= found.marks();
            let found = if found.is_null() { None } else { found.convert(&Type::Bool).ok() };
            match found.map(|found| (found.is_known(), found.as_bool())) {
                Some((true, Some(true))) => {}
                Some((true, _)) => return,
                Some((false, _)) => {
                    progress.is_unknown = true;
                    return;
                }
                None => {
                    // Once per loop: HCL reports a bad condition only while no earlier element was unknown or failed.
                    if !std::mem::replace(&mut progress.is_unknown, true) {
                        let detail = "The 'if' clause value is invalid: it must be true or false.";
                        self.error_in(progress.whole, CONDITION, condition.span, detail);
                    }
                    return;
                }
            }
        }
        let Some(key) = &parts.key else {
            let value = self.value(&parts.value, scope);
            progress.values.push(value);
            return;
        };
        // HCL evaluates the value only if the key is known and valid.
        let Some(name) = self.for_key(key, progress, scope) else { return };
        let value = self.value(&parts.value, scope);
        let position = progress.names.len();
        match *progress.positions.entry_ref(&name).or_insert(position) {
            new if new == position => {
                progress.names.push(name);
                if parts.groups {
                    progress.groups.push(vec![value]);
                } else {
                    progress.values.push(value);
                }
            }
            old if parts.groups => progress.groups[old].push(value),
            old => {
                let detail = format!(
                    "Two different items produced the key {:?} in this 'for' expression. If duplicates are expected, use the \
                     ellipsis (...) after the value expression to enable grouping by key.",
                    progress.names[old].as_str()
                );
                // The equal key of an earlier element may be the sensitive one.
                self.hiding(progress.marks, |this| {
                    this.error_in(progress.whole, "Duplicate object key", key.span, detail);
                });
            }
        }
    }

    /// The key of an element; `None` if it is unknown or wrong.
    fn for_key(&mut self, key: &Expr, progress: &mut Progress, scope: &Scope<'_>) -> Option<SmolStr> {
        let found = self.value(key, scope);
        progress.marks |= found.marks();
        let name = if found.is_null() { None } else { found.convert(&Type::String).ok() };
        let Some(name) = name else {
            // Once per loop, as for conditions.
            if !std::mem::replace(&mut progress.is_unknown, true) {
                let detail = match found.convert(&Type::String) {
                    _ if found.is_null() => {
                        "Key expression in 'for' expression must not produce a null value.".to_owned()
                    }
                    Err(error) => format!("The key expression produced an invalid result: {}.", error.kind),
                    Ok(_) => "The key expression produced an invalid result.".to_owned(),
                };
                self.hiding(progress.marks, |this| {
                    this.error_in(progress.whole, "Invalid object key", key.span, detail);
                });
            }
            return None;
        };
        let name = name.as_str().map(SmolStr::new);
        progress.is_unknown |= name.is_none();
        name
    }
}

impl Progress {
    fn result(self, parts: &For) -> Value {
        let whole = if self.is_unknown {
            dynamic()
        } else if parts.key.is_none() {
            // As in HCL, a tuple or an object, never a list or a map: elements may differ in type.
            Value::tuple(self.values)
        } else if parts.groups {
            Value::object(std::iter::zip(self.names, self.groups.into_iter().map(Value::tuple)))
        } else {
            Value::object(std::iter::zip(self.names, self.values))
        };
        whole.with_marks(self.marks)
    }
}

/// Calls `f` with the key and the value of each element of a collection, in the order of loops. An element of a set is its
/// own key.
pub(super) fn each_element(collection: &Value, f: &mut dyn FnMut(Value, Value)) {
    match collection.kind() {
        Kind::List(elements) | Kind::Tuple(elements) => {
            elements.iter().enumerate().for_each(|(i, element)| f(Value::from(i), element.clone()));
        }
        Kind::Set(elements) => {
            elements.iter().for_each(|element| f(element.clone(), element.clone()));
        }
        Kind::Map(map) => map.iter().for_each(|(key, element)| f(Value::from(key.clone()), element.clone())),
        Kind::Object(object) => {
            object.iter().for_each(|(name, attribute)| f(Value::from(name.clone()), attribute.clone()));
        }
        _ => {}
    }
}

/// The variables of an iteration, value first, and their count: 1 for a loop without a key.
pub(super) fn names(parts: &For, key: Value, value: Value) -> ([(&str, Value); 2], usize) {
    let count = 1 + usize::from(parts.key_name.is_some());
    ([(&parts.value_name, value), (parts.key_name.as_deref().unwrap_or_default(), key)], count)
}

pub(super) fn names_of<'n>((names, count): &'n ([(&'n str, Value); 2], usize)) -> &'n [(&'n str, Value)] {
    &names[..*count]
}
