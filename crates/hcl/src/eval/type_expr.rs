//! Evaluates type expressions: `list(string)`, `object({ a = optional(number, 1) })`.

use std::sync::Arc;

use hashbrown::HashMap;
use objchange::value::{ConvertError, Kind, ObjectType};
use objchange::{Type, Value};
use objchange_text::{Diagnostic, Span};
use smol_str::SmolStr;

use super::{Evaluator, Failed, Scope, Variables, evaluate};
use crate::function::Functions;
use crate::syntax::ast::{Call, Expr, ExprKind};

const INVALID: &str = "Invalid type specification";

/// A type constraint: the type, with the defaults of optional attributes.
#[derive(Debug, Clone)]
pub struct TypeConstraint {
    ty: Type,
    defaults: Defaults,
}

/// Defaults of optional attributes, arranged as their type.
#[derive(Debug, Clone, Default)]
struct Defaults {
    /// The defaults of this object's own attributes.
    own: HashMap<SmolStr, Value>,
    /// The defaults of the parts: of an attribute by its name, of a tuple element by its position, of other elements by nothing.
    parts: HashMap<SmolStr, Defaults>,
}

impl Defaults {
    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.parts.values().all(Defaults::is_empty)
    }

    fn part(&self, name: &str) -> Option<&Defaults> {
        self.parts.get(name)
    }

    fn apply(&self, value: &Value) -> Value {
        let part = |name: &str, value: &Value| {
            self.part(name).map_or_else(|| value.clone(), |part| part.apply(value))
        };
        match value.kind() {
            _ if self.is_empty() => value.clone(),
            Kind::Object(object) => {
                self.object(object.iter().map(|(name, value)| (name.clone(), value.clone())))
            }
            // A map may be given for an object type: then absent attributes get their defaults.
            Kind::Map(map) if !self.own.is_empty() || self.part("").is_none() => {
                self.object(map.iter().map(|(name, value)| (name.clone(), value.clone())))
            }
            Kind::Map(map) => Value::object(map.iter().map(|(key, value)| (key.clone(), part("", value)))),
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
                let name = |i: usize| {
                    if self.part("").is_some() { SmolStr::default() } else { i.to_string().into() }
                };
                Value::tuple(
                    elements
                        .iter()
                        .enumerate()
                        .map(|(i, element)| part(&name(i), element))
                        .collect::<Vec<_>>(),
                )
            }
            _ => value.clone(),
        }
    }

    fn object(&self, attributes: impl Iterator<Item = (SmolStr, Value)>) -> Value {
        let mut attributes: HashMap<SmolStr, Value> = attributes.collect();
        for (name, default) in &self.own {
            match attributes.get_mut(name) {
                // A null counts as left out: with `optional(string, "d")`, `{a = null}` becomes `{a = "d"}` (Terraform
                // 1.11.4).
                Some(value) if !value.is_null() => {}
                Some(value) => *value = default.clone(),
                None => drop(attributes.insert(name.clone(), default.clone())),
            }
        }
        let part = |name: &SmolStr, value: Value| {
            let part = self.part(name).or_else(|| self.part(""));
            part.map_or_else(|| value.clone(), |part| part.apply(&value))
        };
        Value::object(attributes.into_iter().map(|(name, value)| (name.clone(), part(&name, value))))
    }
}

impl TypeConstraint {
    /// The type that a type expression means.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn parse(expr: &Expr) -> Result<Self, Vec<Diagnostic>> {
        let mut evaluator = Evaluator::new(Functions::pure());
        let found = evaluator.type_constraint(expr);
        found.map_err(|Failed| evaluator.into_diagnostics())
    }

    /// The type, with its optional attributes.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The value, with defaults for missing attributes.
    pub fn with_defaults(&self, value: &Value) -> Value {
        self.defaults.apply(value)
    }

    /// The value converted to the type, with defaults for missing attributes.
    ///
    /// # Errors
    ///
    /// The value does not fit.
    pub fn convert(&self, value: &Value) -> Result<Value, ConvertError> {
        self.with_defaults(value).convert(&self.ty)
    }

    /// Converts a value that may be a secret: then the error names no keys of its maps.
    ///
    /// # Errors
    ///
    /// The value does not fit.
    pub fn convert_as(&self, value: &Value, is_secret: bool) -> Result<Value, ConvertError> {
        self.convert(value).map_err(|error| match is_secret {
            true => without_keys(error, &self.with_defaults(value), &self.ty),
            false => error,
        })
    }

    pub(crate) fn plain(ty: Type) -> Self {
        Self { ty, defaults: Defaults::default() }
    }
}

/// The error that a value does not convert to a type, without keys and names of the value.
pub(crate) fn without_keys(error: ConvertError, value: &Value, ty: &Type) -> ConvertError {
    value.clone().sensitive().convert(ty).err().unwrap_or(error)
}

/// The value of an expression that may refer to nothing and call nothing, as in a file of values for variables.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn constant(expr: &Expr) -> Result<Value, Vec<Diagnostic>> {
    let mut evaluator = Evaluator::new(Functions::pure());
    let found = evaluator.constant(expr);
    found.map_err(|Failed| evaluator.into_diagnostics())
}

/// The value of an expression in a version of Terraform, if no reference or call can change it. Plan documents have it
/// beside the references of an expression.
///
/// ```
/// use objchange::Value;
/// use objchange_hcl::{constant_value, parse_expression};
///
/// let constant = |text| constant_value(&parse_expression(text).unwrap(), (1, 15));
/// assert_eq!(constant("1 + 2"), Some(Value::from(3)));
/// assert_eq!(constant("true ? 3 : var.x"), Some(Value::from(3)));
/// assert_eq!(constant("upper(\"x\")"), None);
/// assert_eq!(constant("false ? can(var.x) : 3"), Some(Value::from(3)));
/// assert_eq!(constant("var.x"), None);
/// ```
pub fn constant_value(expr: &Expr, version: (u32, u32)) -> Option<Value> {
    let variables = Variables::default();
    // All references are unknown: only the shape of the expression matters here.
    let (value, _) = evaluate(expr, &Scope::new(&variables), &Functions::none_of_version(version));
    value.is_wholly_known().then_some(value)
}

impl Evaluator<'_> {
    /// Evaluates a type expression without variables.
    pub(crate) fn type_constraint(&mut self, expr: &Expr) -> Result<TypeConstraint, Failed> {
        self.type_of(expr, &Scope::new(&Variables::default()))
    }

    /// The type that a type expression means.
    pub(super) fn type_of(&mut self, expr: &Expr, scope: &Scope<'_>) -> Result<TypeConstraint, Failed> {
        match &expr.kind {
            ExprKind::Variable(variable) if variable.steps.is_empty() => {
                let ty = match &*variable.name {
                    "string" => Type::String,
                    "number" => Type::Number,
                    "bool" => Type::Bool,
                    "any" => Type::Dynamic,
                    "list" | "set" | "map" | "object" | "tuple" => {
                        let detail = format!("The {} type constructor requires one argument.", variable.name);
                        return self.failed(INVALID, expr.span, detail);
                    }
                    name => {
                        let detail = format!("The keyword {name:?} is not a valid type specification.");
                        return self.failed(INVALID, expr.span, detail);
                    }
                };
                Ok(TypeConstraint::plain(ty))
            }
            ExprKind::Call(call) => self.constructor(expr, call, scope),
            _ => {
                let detail = "A type specification is either a primitive type keyword (bool, number, string), any, or a \
                              complex type constructor call, like list(string).";
                self.failed(INVALID, expr.span, detail)
            }
        }
    }

    fn constructor(&mut self, expr: &Expr, call: &Call, scope: &Scope<'_>) -> Result<TypeConstraint, Failed> {
        let name = &*call.name;
        match name {
            "list" | "set" | "map" | "object" | "tuple" => {}
            "optional" => {
                let detail = "Keyword \"optional\" is valid only as a modifier for object type attributes.";
                return self.failed(INVALID, call.name_span, detail);
            }
            "string" | "number" | "bool" | "any" => {
                let detail = format!("Primitive type keyword {name:?} does not expect arguments.");
                return self.failed(INVALID, call.open.to(call.close), detail);
            }
            _ => {
                let detail = format!("Keyword {name:?} is not a valid type constructor.");
                return self.failed(INVALID, expr.span, detail);
            }
        }
        let parens = call.open.to(call.close);
        let [argument] = &call.arguments[..] else {
            let detail = format!("The {name} type constructor requires one argument.");
            let place = call.arguments.get(1).map_or(parens, |extra| extra.span);
            return self.failed(INVALID, place, detail);
        };
        match name {
            "object" => self.object_type(argument, scope),
            "tuple" => self.tuple_type(argument, scope),
            _ => {
                let TypeConstraint { ty, defaults } = self.type_of(argument, scope)?;
                let ty = match name {
                    "list" => Type::list(ty),
                    "set" => Type::set(ty),
                    _ => Type::map(ty),
                };
                let parts = if defaults.is_empty() { None } else { Some((SmolStr::default(), defaults)) };
                let parts = parts.into_iter().collect();
                Ok(TypeConstraint { ty, defaults: Defaults { own: HashMap::new(), parts } })
            }
        }
    }

    fn tuple_type(&mut self, argument: &Expr, scope: &Scope<'_>) -> Result<TypeConstraint, Failed> {
        let ExprKind::Tuple(items) = &argument.kind else {
            let detail = "Tuple type constructor requires a list of element types.";
            return self.failed(INVALID, argument.span, detail);
        };
        // All types are read before the first error ends this, so that each error is reported.
        let types: Vec<_> = items.iter().map(|item| self.type_of(item, scope)).collect();
        let mut parts = HashMap::new();
        let mut elements = Vec::new();
        for (i, item) in types.into_iter().enumerate() {
            let TypeConstraint { ty, defaults } = item?;
            elements.push(ty);
            if !defaults.is_empty() {
                parts.insert(SmolStr::from(i.to_string()), defaults);
            }
        }
        Ok(TypeConstraint { ty: Type::tuple(elements), defaults: Defaults { own: HashMap::new(), parts } })
    }

    fn object_type(&mut self, argument: &Expr, scope: &Scope<'_>) -> Result<TypeConstraint, Failed> {
        let ExprKind::Object(items) = &argument.kind else {
            let detail = "Object type constructor requires a map whose keys are attribute names and whose values are \
                          the corresponding attribute types.";
            return self.failed(INVALID, argument.span, detail);
        };
        let mut attributes = Vec::new();
        let mut optional = Vec::new();
        let mut defaults = Defaults::default();
        let mut is_broken = false;
        for item in items {
            let name = match &item.key.kind {
                ExprKind::Variable(variable) if variable.steps.is_empty() => Some(variable.name.clone()),
                // A name in quotes is refused, too, as in Terraform 1.11.4.
                _ => None,
            };
            let Some(name) = name else {
                let detail = "Object constructor map keys must be attribute names.";
                self.error(INVALID, item.key.span, detail);
                is_broken = true;
                continue;
            };
            let ty = match &item.value.kind {
                ExprKind::Call(call) if call.name == "optional" => {
                    optional.push(name.clone());
                    self.optional_type(call, scope).map(|(ty, default)| {
                        defaults.own.extend(default.map(|default| (name.clone(), default)));
                        ty
                    })
                }
                _ => self.type_of(&item.value, scope),
            };
            match ty {
                Ok(TypeConstraint { ty, defaults: inner }) => {
                    attributes.push((name.clone(), ty));
                    if !inner.is_empty() {
                        defaults.parts.insert(name, inner);
                    }
                }
                Err(Failed) => is_broken = true,
            }
        }
        if is_broken {
            return Err(Failed);
        }
        let ty = Type::Object(Arc::new(ObjectType::with_optional(attributes, optional)));
        Ok(TypeConstraint { ty, defaults })
    }

    /// The type of an optional attribute, and its default.
    fn optional_type(
        &mut self,
        call: &Call,
        scope: &Scope<'_>,
    ) -> Result<(TypeConstraint, Option<Value>), Failed> {
        let (ty, default) = match &call.arguments[..] {
            [ty] => return Ok((self.type_of(ty, scope)?, None)),
            [ty, default] => (self.type_of(ty, scope)?, default),
            _ => {
                let detail =
                    "The optional modifier requires the attribute type, and may have a default value.";
                return self.failed(INVALID, call.open.to(call.close), detail);
            }
        };
        let value = self.constant(default)?;
        match ty.with_defaults(&value).convert(ty.ty()) {
            Ok(value) => {
                // With `optional(any, 1)` the attribute takes the type of its default.
                let ty =
                    if *ty.ty() == Type::Dynamic { TypeConstraint::plain(value.ty().clone()) } else { ty };
                Ok((ty, Some(value)))
            }
            Err(error) => {
                let reason = crate::conversion::conversion_message(&error, ty.ty());
                let detail = format!(
                    "This default value is not compatible with the attribute's type constraint: {reason}."
                );
                self.failed("Invalid default value for optional attribute", default.span, detail)
            }
        }
    }

    /// The value of an expression that may refer to nothing.
    pub(crate) fn constant(&mut self, expr: &Expr) -> Result<Value, Failed> {
        let errors = self.errors();
        let is_within = |part: Span, whole: &Span| whole.start <= part.start && part.end <= whole.end;
        // A call is reported once, without the references inside it.
        let mut calls: Vec<Span> = Vec::new();
        for span in crate::walk::calls(expr) {
            if !calls.iter().any(|whole| is_within(span, whole)) {
                self.report("Function calls not allowed", span, "Functions may not be called here.");
                calls.push(span);
            }
        }
        for reference in crate::walk::variables(expr) {
            let span = reference.span;
            if !calls.iter().any(|whole| is_within(span, whole)) {
                self.report("Variables not allowed", span, "Variables may not be used here.");
            }
        }
        if self.failed_since(errors) {
            return Err(Failed);
        }
        let nothing = super::Variables::default();
        let value = self.value(expr, &Scope::new(&nothing));
        if self.failed_since(errors) { Err(Failed) } else { Ok(value) }
    }
}
