//! Converting a value to another type, as configuration does .

mod error;

use std::ops::ControlFlow;
use std::sync::Arc;

use smol_str::SmolStr;

pub(crate) use error::place;
pub use error::{ConvertError, ConvertErrorKind};

use super::build::normal_form;
use super::unify::{Apart, Unifier};
use super::{Kind, Number, ObjectType, PathStack, Refinements, StepRef, Type, Value};

impl Value {
    /// The value as one of another type, as configuration converts it.
    ///
    /// Strings, numbers and bools convert through their text; lists, sets and tuples element by element, as
    /// do maps and objects. An object gets the attributes of the target: a missing one is null if it is
    /// optional in the target, and extra ones are left out. Null stays null and unknown stays unknown, with
    /// the new type. Any value becomes dynamic unchanged; a collection of dynamic elements gets the common
    /// type of its elements. A value that already has the type is returned unchanged. If a list, a set or
    /// an object changes, its null members lose their marks.
    ///
    /// # Errors
    ///
    /// Values of this type do not convert to the other; the path is then that of the value. Or part of the
    /// value does not: a string that is not a number, a map without an element for an attribute.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let ports = Value::tuple([Value::from(80), Value::from("443")]);
    /// let list = ports.convert(&Type::list(Type::String))?;
    /// assert_eq!(list, Value::list(Type::String, ["80", "443"]).unwrap());
    ///
    /// let error = Value::tuple(["http"]).convert(&Type::set(Type::Number)).unwrap_err();
    /// assert_eq!(error.path.to_string(), "[0]");
    /// # Ok::<(), objchange::value::ConvertError>(())
    /// ```
    #[doc(alias = "Convert")]
    pub fn convert(&self, to: &Type) -> Result<Value, ConvertError> {
        self.convert_at(to, PathStack::ROOT)
    }

    /// Like [`convert`](Self::convert), for a part of something larger that is at this path: errors say where
    /// from its root.
    ///
    /// # Errors
    ///
    /// As [`convert`](Self::convert).
    ///
    /// ```
    /// use objchange::value::Path;
    /// use objchange::{Type, Value};
    ///
    /// let ports = Value::tuple(["80", "http"]);
    /// let path = Path::root().attribute("ports");
    /// let error = ports.convert_at(&Type::list(Type::Number), (&path).into()).unwrap_err();
    /// assert_eq!(error.path.to_string(), "ports[1]");
    /// ```
    pub fn convert_at(&self, to: &Type, path: PathStack<'_>) -> Result<Value, ConvertError> {
        let plain = to.without_optional();
        if self.ty() == &plain {
            return Ok(self.clone());
        }
        let types = Unifier::default();
        let apart = |apart| match apart {
            Apart::Never => ConvertError::wrong_type(self, to, path),
            Apart::TooComplex => ConvertErrorKind::TooComplex.at(path),
        };
        // Checked by type first, as in go-cty: an impossible conversion fails even for null and unknown
        // values.
        types.converts(self.ty(), to).map_err(apart)?;
        let converted = convert(self, Target { accepts: to, gives: &plain, types: &types }, path)?;
        types.check_budget().map_err(apart)?;
        Ok(if converted.ty().has_optional() { without_optional(&converted) } else { converted })
    }
}

/// A type to convert to.
#[derive(Clone, Copy)]
struct Target<'t> {
    /// The requested type.
    accepts: &'t Type,
    /// `accepts` without optional attributes, computed once for all values.
    gives: &'t Type,
    /// Answers about the types of the value that are already known.
    types: &'t Unifier,
}

impl<'t> Target<'t> {
    /// The target for another type, which has no optional attributes.
    fn with<'u>(self, ty: &'u Type) -> Target<'u>
    where
        't: 'u,
    {
        self.part(ty, ty)
    }

    /// The target for a part.
    fn part<'u>(self, accepts: &'u Type, gives: &'u Type) -> Target<'u>
    where
        't: 'u,
    {
        Target { accepts, gives, types: self.types }
    }

    /// The target for the elements of a collection.
    fn element(self) -> Self {
        let element = |ty: &'t Type| ty.element().unwrap_or(&Type::Dynamic);
        self.part(element(self.accepts), element(self.gives))
    }
}

fn convert(value: &Value, to: Target<'_>, path: PathStack<'_>) -> Result<Value, ConvertError> {
    // A target with optional attributes differs from the type of any value.
    if *to.accepts == Type::Dynamic || value.ty() == to.gives && !to.accepts.has_optional() {
        return Ok(value.clone());
    }
    let path = path.hide(value.is_marked());
    let no_common_type = |_| ConvertErrorKind::NoCommonType.at(path);
    let converted = match (value.kind(), to.accepts, to.gives) {
        (Kind::Null, ..) => Value::null(filled(value.ty(), to.gives, to.types)),
        (Kind::Unknown(refinements), ..) => unknown(value.ty(), refinements, to),
        (Kind::Number(n), Type::String, _) if n.is_finite() => Value::from(n.to_text()),
        (Kind::Number(n), Type::String, _) => Value::from(if *n > Number::ZERO { "+Inf" } else { "-Inf" }),
        (Kind::Bool(b), Type::String, _) => Value::from(if b { "true" } else { "false" }),
        // Go's number parser accepts these words, and so does `tonumber`.
        (Kind::String("Inf" | "inf" | "+Inf" | "+inf"), Type::Number, _) => Value::from(Number::infinity()),
        (Kind::String("-Inf" | "-inf"), Type::Number, _) => Value::from(Number::neg_infinity()),
        (Kind::String(s), Type::Number, _) => match Number::parse(s) {
            Ok(n) => Value::from(n),
            Err(e) => return Err(ConvertErrorKind::NotANumber(e).at(path)),
        },
        (Kind::String(s), Type::Bool, _) => match s {
            // go-cty accepts 1 and 0, and has a hint for the capitalised words.
            "true" | "1" => Value::from(true),
            "false" | "0" => Value::from(false),
            "True" | "TRUE" => return Err(ConvertErrorKind::NotABool { meant: Some("true") }.at(path)),
            "False" | "FALSE" => return Err(ConvertErrorKind::NotABool { meant: Some("false") }.at(path)),
            _ => return Err(ConvertErrorKind::NotABool { meant: None }.at(path)),
        },
        // Some elements may turn out equal, so it is unknown how many there will be.
        (Kind::Set(from), Type::List(_), _) if from.len() > 1 && !value.is_wholly_known() => {
            unknown(value.ty(), &Refinements::default(), to)
        }
        (Kind::List(_) | Kind::Set(_) | Kind::Tuple(_), Type::List(_), _) => {
            let (element, elements) = elements(value, to, path)?;
            Value::checked_list(&Type::list(element), elements).map_err(no_common_type)?
        }
        (Kind::List(_) | Kind::Set(_) | Kind::Tuple(_), Type::Set(_), _) => {
            let (element, elements) = elements(value, to, path)?;
            Value::checked_set(&Type::set(element), elements).map_err(no_common_type)?
        }
        (Kind::Map(_) | Kind::Object(_), Type::Map(_), _) => {
            let (element, elements) = elements(value, to, path)?;
            let entries = std::iter::zip(keys(value), elements).collect();
            Value::checked_map(&Type::map(element), entries).map_err(no_common_type)?
        }
        (Kind::Tuple(from), Type::Tuple(accepts), Type::Tuple(gives)) => {
            let targets = std::iter::zip(accepts.elements(), gives.elements());
            let elements: Result<Vec<Value>, _> = std::iter::zip(from, targets)
                .enumerate()
                .map(|(i, (element, (accepts, gives)))| {
                    convert(element, to.part(accepts, gives), path.then(StepRef::Position(i)))
                })
                .collect();
            Value::tuple(elements?)
        }
        (Kind::Object(from), Type::Object(accepts), Type::Object(gives)) => {
            object((accepts, gives), to, path, |name, to, absent| match from.get(name) {
                Some(member) => convert(without_null_marks(member), to, path.attribute(name)).map(Some),
                None => Ok(absent.then(|| Value::null(to.gives.clone()))),
            })?
        }
        (Kind::Map(from), Type::Object(accepts), Type::Object(gives)) => {
            object((accepts, gives), to, path, |name, to, absent| match from.get(name) {
                Some(element) => match to.types.converts(element.ty(), to.accepts) {
                    Ok(()) => convert(element, to, path.then(StepRef::Key(name))).map(Some),
                    Err(Apart::Never) => Err(ConvertError::wrong_type(element, to.accepts, path)),
                    Err(Apart::TooComplex) => Err(ConvertErrorKind::TooComplex.at(path)),
                },
                // As in Terraform: a null that comes so has another type than one of an absent attribute.
                None => Ok(absent.then(|| Value::null(to.accepts.clone()))),
            })?
        }
        _ => return Err(ConvertError::wrong_type(value, to.accepts, path)),
    };
    Ok(converted.with_marks(value.marks()))
}

/// The converted elements of a collection, and the type that they all have.
fn elements(
    value: &Value,
    collection: Target<'_>,
    path: PathStack<'_>,
) -> Result<(Type, Vec<Value>), ConvertError> {
    let (from, to) = (value.ty(), collection.element());
    let collection = collection.accepts;
    let no_common_type = |apart| match apart {
        Apart::Never => ConvertErrorKind::NoCommonType.at(path),
        Apart::TooComplex => ConvertErrorKind::TooComplex.at(path),
    };
    let common;
    let mut to = to;
    if *to.gives == Type::Dynamic && !from.is_collection() {
        common = to.types.common_part(from).map_err(no_common_type)?;
        to = to.with(&common);
    }
    // Seen with go-cty 1.18: null elements lose their marks, except from a tuple to a list and in maps.
    let keeps_null_marks =
        !matches!((from, collection), (Type::List(_) | Type::Set(_), _) | (_, Type::Set(_)));
    let mut elements = Vec::with_capacity(value.len().unwrap_or_default());
    let mut position = 0..;
    let failed = value.each_step(|step, child| {
        // Errors name elements of a set by position, and attributes by the key that they get in a map.
        let step = match step {
            StepRef::Attribute(name) => StepRef::Key(name),
            StepRef::Element(_) => StepRef::Position(position.next().unwrap_or_default()),
            step => step,
        };
        let child = if keeps_null_marks { child } else { without_null_marks(child) };
        match convert(child, to, path.then(step)) {
            Ok(element) => {
                elements.push(element);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        }
    });
    if let ControlFlow::Break(error) = failed {
        return Err(error);
    }
    // An empty collection has no element to take a type from.
    let Some(first) = elements.first() else {
        return Ok((filled(from.element().unwrap_or(&Type::Dynamic), to.gives, to.types), elements));
    };
    let ty = first.ty();
    if elements.iter().all(|element| element.ty() == ty) {
        return Ok((ty.clone(), elements));
    }
    if matches!((from, collection), (_, Type::Map(_)) | (Type::Tuple(_), Type::List(_))) {
        // They may differ in which attributes of a null are optional. Terraform evens that out for maps, and for
        // lists that are made of tuples.
        elements = elements.iter().map(without_optional).collect();
        if let Some(ty) = elements.first().map(Value::ty)
            && elements.iter().all(|element| element.ty() == ty)
        {
            return Ok((ty.clone(), elements));
        }
    }
    if !to.gives.has_dynamic() {
        return Err(no_common_type(Apart::Never));
    }
    // Types that replace the dynamic type differ from element to element.
    let types: Vec<&Type> = elements.iter().map(Value::ty).collect();
    let common = to.types.common(&types).map_err(no_common_type)?;
    let elements =
        elements.iter().map(|element| convert(element, to.with(&common), path)).collect::<Result<_, _>>()?;
    Ok((common, elements))
}

/// The keys that the elements of a map or an object have in a map.
fn keys(value: &Value) -> Vec<SmolStr> {
    match value.kind() {
        Kind::Map(map) => map.iter().map(|(key, _)| key.clone()).collect(),
        Kind::Object(object) => object.iter().map(|(name, _)| normal_form(name)).collect(),
        _ => Vec::new(),
    }
}

/// Builds an object of a type. `member` converts the value of an attribute, or returns the value for a
/// missing one.
fn object(
    (accepts, gives): (&ObjectType, &Arc<ObjectType>),
    to: Target<'_>,
    path: PathStack<'_>,
    member: impl Fn(&str, Target<'_>, bool) -> Result<Option<Value>, ConvertError>,
) -> Result<Value, ConvertError> {
    let mut missing = Vec::new();
    let mut values = Vec::with_capacity(accepts.attributes().len());
    for ((name, accepts_type), (_, gives)) in std::iter::zip(accepts.attributes(), gives.attributes()) {
        match member(name, to.part(accepts_type, gives), accepts.is_optional(name))? {
            Some(value) => values.push(value),
            None => missing.push(name.clone()),
        }
    }
    if missing.is_empty() {
        Ok(Value::object_like(gives, values))
    } else {
        Err(ConvertErrorKind::MissingAttributes { names: missing }.at(path))
    }
}

/// The value under its type without optional attributes, at any depth.
fn without_optional(value: &Value) -> Value {
    if !value.ty().has_optional() {
        return value.clone();
    }
    let ty = value.ty().without_optional();
    let all = |elements: &[Value]| elements.iter().map(without_optional).collect::<Vec<_>>();
    let plain = match value.kind() {
        Kind::List(elements) => Value::list_like(&ty, all(elements)),
        Kind::Set(elements) => Value::set_like(&ty, all(elements)),
        Kind::Tuple(elements) => Value::tuple(all(elements)),
        Kind::Map(map) => {
            let entries = map.iter().map(|(key, element)| (key.clone(), without_optional(element)));
            Value::map_like(&ty, entries.collect())
        }
        Kind::Object(object) => {
            Value::object(object.iter().map(|(name, member)| (name.clone(), without_optional(member))))
        }
        Kind::Unknown(_) => Value::unknown(ty),
        _ => Value::null(ty),
    };
    plain.with_marks(value.marks())
}

/// A null part loses its marks in a conversion.
fn without_null_marks(value: &Value) -> &Value {
    if value.is_null() { value.unmarked() } else { value }
}

/// The unknown value of a type that comes from one of another type.
fn unknown(from: &Type, refinements: &Refinements, target: Target<'_>) -> Value {
    let to = target.gives;
    let mut kept = refinements.nullness_only();
    let length = match (from, to) {
        (Type::Tuple(tuple), Type::List(_) | Type::Set(_)) => Some(tuple.elements().len() as u64),
        (Type::Object(object), Type::Map(_)) => Some(object.attributes().len() as u64),
        _ => None,
    };
    if from.is_collection() && to.is_collection() {
        kept.length_lower = refinements.length_lower;
        kept.length_upper = refinements.length_upper;
    } else if length.is_some() {
        (kept.length_lower, kept.length_upper) = (length, length);
    }
    // The lower bound stays 1 at most, and 0 only if the collection may be empty.
    if matches!(to, Type::Set(_)) {
        // Elements may turn out equal.
        kept.length_lower = kept.length_lower.map(|n| n.min(1));
    }
    let ty = filled(from, to, target.types);
    Value::refined_unknown(ty.clone(), kept).unwrap_or_else(|_| Value::unknown(ty))
}

/// Replaces each dynamic part of a type by the corresponding part of another type.
fn filled(from: &Type, to: &Type, types: &Unifier) -> Type {
    if !to.has_dynamic() {
        return to.clone();
    }
    let part = |from: Option<&Type>, to: &Type| filled(from.unwrap_or(&Type::Dynamic), to, types);
    // A collection takes the type that the parts of a tuple or an object have in common.
    let element = |to: &Type| match from {
        Type::Tuple(_) | Type::Object(_) => part(types.common_part(from).ok().as_ref(), to),
        _ => part(from.element(), to),
    };
    match to {
        Type::Dynamic => from.clone(),
        Type::String | Type::Number | Type::Bool => to.clone(),
        Type::List(to) => Type::list(element(to)),
        Type::Set(to) => Type::set(element(to)),
        Type::Map(to) => Type::map(element(to)),
        Type::Tuple(to) => Type::tuple(to.elements().iter().enumerate().map(|(i, to)| match from {
            Type::Tuple(from) => part(from.elements().get(i), to),
            _ => to.clone(),
        })),
        Type::Object(to) => Type::object(to.attributes().iter().map(|(name, to)| {
            let from = match from {
                Type::Object(from) => from.attribute(name),
                _ => from.element(),
            };
            (name.clone(), part(from, to))
        })),
    }
}
