//! `condition ? yes : no`.

use objchange::value::{Bound, Kind, Refinements, unify};
use objchange::{Type, Value};
use objchange_text::Span;

use super::{Evaluator, Scope, dynamic, is_untyped_null};
use crate::syntax::ast::Conditional;

impl Evaluator<'_> {
    /// Evaluates both branches, so that the result has their common type. Errors in the branch that is not chosen do not
    /// matter.
    pub(super) fn conditional(&mut self, conditional: &Conditional, whole: Span, scope: &Scope<'_>) -> Value {
        let start = self.errors();
        // HCL evaluates both branches first, because their types decide the result's type. Errors of the other branch
        // are dropped.
        let yes = self.value(&conditional.yes, scope);
        let middle = self.errors();
        let no = self.value(&conditional.no, scope);
        let mut errors_of_no = self.diagnostics.split_off(middle);
        let mut errors_of_yes = self.diagnostics.split_off(start);
        let branches = conditional.yes.span.to(conditional.no.span);
        // Before the condition: branches without a common type are an error even if the condition is wrong.
        let Some(ty) = common_type(&yes, &no) else {
            self.inconsistent(whole, branches, &yes, &no);
            return dynamic();
        };
        let condition = self.value(&conditional.condition, scope);
        let span = conditional.condition.span;
        if let Some(coverage) = self.functions.coverage() {
            let is_true = condition.convert(&Type::Bool).ok().and_then(|condition| condition.as_bool());
            coverage.branch([conditional.yes.span, conditional.no.span], is_true);
        }
        // HCL keeps the outer marks of both branches, even of the one that is not chosen.
        let marks = condition.marks() | yes.marks() | no.marks();
        if condition.is_null() {
            let detail = "The condition value is null. Conditions must either be true or false.";
            self.error_in(whole, "Null condition", span, detail);
            return Value::unknown(ty);
        }
        // HCL does not check the type of an unknown condition, and drops the errors of both branches.
        if !condition.is_known() {
            return either(ty, &yes, &no).with_marks(marks);
        }
        let Some(is_true) = condition.convert(&Type::Bool).ok().and_then(|condition| condition.as_bool())
        else {
            let detail = "The condition expression must be of type bool.";
            self.error_in(whole, "Incorrect condition type", span, detail);
            return Value::unknown(ty);
        };
        let (chosen, errors) = if is_true { (&yes, &mut errors_of_yes) } else { (&no, &mut errors_of_no) };
        self.diagnostics.append(errors);
        match chosen.convert(&ty) {
            Ok(value) => value.with_marks(marks),
            Err(error) => {
                let (word, branch) =
                    if is_true { ("true", &conditional.yes) } else { ("false", &conditional.no) };
                let detail = format!("The {word} result value has the wrong type: {}.", error.kind);
                self.error_in(whole, INCONSISTENT, branch.span, detail);
                dynamic()
            }
        }
    }

    fn inconsistent(&mut self, whole: Span, span: Span, yes: &Value, no: &Value) {
        // The names of attributes may be secret.
        let is_open = !yes.contains_marked() && !no.contains_marked();
        let why = if is_open { mismatch(yes.ty(), no.ty()) } else { different(yes.ty(), no.ty()) };
        let detail = format!("The true and false result expressions must have consistent types. {why}");
        self.error_in(whole, INCONSISTENT, span, detail);
    }
}

const INCONSISTENT: &str = "Inconsistent conditional result types";

/// The first difference between two types without a common type.
fn mismatch(yes: &Type, no: &Type) -> String {
    let fails = |yes: &Type, no: &Type| unify([yes, no]).is_none();
    let absent = |from: &str, name: &str, to: &str| {
        format!("The '{from}' value includes object attribute {name:?}, which is absent in the '{to}' value.")
    };
    match (yes, no) {
        (Type::Object(a), Type::Object(b)) => {
            let mut names = a.attributes().iter().map(|(name, _)| name);
            if let Some(name) = names.find(|name| b.attribute(name).is_none()) {
                return absent("true", name, "false");
            }
            let mut names = b.attributes().iter().map(|(name, _)| name);
            if let Some(name) = names.find(|name| a.attribute(name).is_none()) {
                return absent("false", name, "true");
            }
            let mut pairs =
                a.attributes().iter().filter_map(|(name, ty)| Some((name, ty, b.attribute(name)?)));
            match pairs.find(|(_, a, b)| fails(a, b)) {
                Some((name, a, b)) => {
                    format!("Type mismatch for object attribute {name:?}: {}", mismatch(a, b))
                }
                None => different(yes, no),
            }
        }
        (Type::Tuple(a), Type::Tuple(b)) => {
            let (a, b) = (a.elements(), b.elements());
            if a.len() != b.len() {
                let (a, b) = (a.len(), b.len());
                return format!("The 'true' tuple has length {a}, but the 'false' tuple has length {b}.");
            }
            match std::iter::zip(a, b).enumerate().find(|(_, (a, b))| fails(a, b)) {
                Some((i, (a, b))) => format!("Type mismatch for tuple element {i}: {}", mismatch(a, b)),
                None => different(yes, no),
            }
        }
        _ => different(yes, no),
    }
}

fn different(yes: &Type, no: &Type) -> String {
    let [yes, no] = [yes, no].map(Type::friendly_name);
    format!("The 'true' value is {yes}, but the 'false' value is {no}.")
}

/// The type of the result; dynamic if the chosen branch is not converted.
fn common_type(yes: &Value, no: &Value) -> Option<Type> {
    // HCL takes only an unmarked null for the literal, which has the type of the other branch.
    let is_word = |value: &Value| is_untyped_null(value) && !value.is_marked();
    if is_word(yes) {
        Some(no.ty().clone())
    } else if is_word(no) || yes.ty() == no.ty() {
        Some(yes.ty().clone())
    // Nothing is converted beside an unknown type: HCL 2.24 leaves the chosen value as it is.
    } else if *yes.ty() == Type::Dynamic || *no.ty() == Type::Dynamic {
        Some(Type::Dynamic)
    } else {
        unify([yes.ty(), no.ty()])
    }
}

/// The unknown value for a conditional whose condition is unknown: it keeps the promises that both branches share.
fn either(ty: Type, yes: &Value, no: &Value) -> Value {
    if yes.is_null() && no.is_null() {
        return Value::null(ty);
    }
    let (a, b) = (promises(yes), promises(no));
    let mut promised = Refinements { not_null: a.not_null && b.not_null, ..Refinements::default() };
    // HCL gives bounds to numbers and lengths only; strings get no prefix.
    if *yes.ty() == Type::Number && *no.ty() == Type::Number {
        promised.number_lower = hull(a.number_lower, b.number_lower, |a, b| a.value < b.value);
        promised.number_upper = hull(a.number_upper, b.number_upper, |a, b| a.value > b.value);
    }
    if yes.ty() == no.ty() && ty.is_collection() {
        promised.length_lower = a.length_lower.zip(b.length_lower).map(|(a, b)| a.min(b));
        promised.length_upper = a.length_upper.zip(b.length_upper).map(|(a, b)| a.max(b));
    }
    Value::refined_unknown(ty.clone(), promised).unwrap_or_else(|_| Value::unknown(ty))
}

/// The wider of two bounds, if there are both.
fn hull(a: Option<Bound>, b: Option<Bound>, is_further: fn(&Bound, &Bound) -> bool) -> Option<Bound> {
    let (a, b) = (a?, b?);
    Some(if a.value == b.value {
        Bound { inclusive: a.inclusive || b.inclusive, ..a }
    } else if is_further(&a, &b) {
        a
    } else {
        b
    })
}

/// The refinements that hold for a value.
fn promises(value: &Value) -> Refinements {
    let known = Refinements::not_null();
    let length = |least: usize, most: usize| Refinements {
        length_lower: Some(least as u64),
        length_upper: Some(most as u64),
        ..Refinements::not_null()
    };
    match value.kind() {
        Kind::Null => Refinements::default(),
        Kind::Unknown(promised) => promised.clone(),
        Kind::Number(n) => {
            let bound = Bound { value: n.clone(), inclusive: true };
            Refinements { number_lower: Some(bound.clone()), number_upper: Some(bound), ..known }
        }
        // Unknown elements may turn out equal, so the set has at least one element and at most all of these.
        Kind::Set(elements) if !value.is_wholly_known() => length(elements.len().min(1), elements.len()),
        Kind::List(elements) | Kind::Set(elements) => length(elements.len(), elements.len()),
        Kind::Map(map) => length(map.len(), map.len()),
        _ => known,
    }
}
