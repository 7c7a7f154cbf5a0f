//! The error of a conversion.

use smol_str::SmolStr;

use crate::value::unify::Unifier;
use crate::value::{ParseNumberError, Path, PathStack, Type, Value};

/// The reason why a value could not be converted, with its path. Never holds the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}", place(path))]
#[non_exhaustive]
pub struct ConvertError {
    /// The path of the part that could not be converted.
    pub path: Path,
    /// The problem.
    pub kind: ConvertErrorKind,
}

/// A problem with a value that could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertErrorKind {
    /// Values of this type never convert to the other.
    #[error("{why}")]
    WrongType {
        /// The type of the value, without names of attributes that may be secret.
        from: Type,
        /// The expected type.
        to: Type,
        /// The part of the type that does not convert.
        why: String,
    },
    /// A string does not hold a number.
    #[error("{}", not_a_number(.0))]
    NotANumber(#[from] ParseNumberError),
    /// A string holds neither `true` nor `false`.
    #[error("a bool is required{}", .meant.map(|word| format!("; to convert from string, use lowercase {word:?}")).unwrap_or_default())]
    NotABool {
        /// The word in another case.
        meant: Option<&'static str>,
    },
    /// A map lacks the elements for attributes.
    #[error("map has no element for required attribute {:?}", .names.first().map_or("", SmolStr::as_str))]
    MissingAttributes {
        /// Their names, in byte order.
        names: Vec<SmolStr>,
    },
    /// The elements of a collection must have one type, and have no type in common.
    #[error("all elements must have the same type")]
    NoCommonType,
    /// Too many different types to find their common type in reasonable time.
    #[error(
        "there are too many different types in this value to find the one that they have in common; \
         state the type, or give the elements of its lists the same one"
    )]
    TooComplex,
}

impl ConvertErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::WrongType { .. } => "wrong_type",
            Self::NotANumber(_) => "not_a_number",
            Self::NotABool { .. } => "not_a_bool",
            Self::MissingAttributes { .. } => "missing_attributes",
            Self::NoCommonType => "no_common_type",
            Self::TooComplex => "too_complex",
        }
    }

    pub(in crate::value) fn at(self, path: PathStack<'_>) -> ConvertError {
        ConvertError { path: path.to_path(), kind: self }
    }
}

/// The message for a text that is not a number. Terraform's, except for our limit on the size of numbers.
fn not_a_number(error: &ParseNumberError) -> String {
    match error {
        ParseNumberError::Empty | ParseNumberError::NotANumber => "a number is required".to_owned(),
        other => other.to_string(),
    }
}

impl ConvertError {
    pub(super) fn wrong_type(value: &Value, to: &Type, path: PathStack<'_>) -> Self {
        let path = path.hide(value.contains_marked());
        let from = path.ty(value.ty());
        let why = mismatch(value.ty(), to, from == *value.ty(), &Unifier::default());
        ConvertErrorKind::WrongType { from, to: to.clone(), why }.at(path)
    }
}

/// The path as the prefix of a message.
pub(crate) fn place(path: &Path) -> String {
    if path.is_root() { String::new() } else { format!("{path}: ") }
}

/// The reason why values of one type never convert to another, in Terraform's words. A configuration may write a
/// map as an object. Its attribute names are keys then, and are only shown if `tells_all` is set.
fn mismatch(from: &Type, to: &Type, tells_all: bool, types: &Unifier) -> String {
    let fails = |from: &Type, to: &Type| types.converts(from, to).is_err();
    let mismatch = |from: &Type, to: &Type| mismatch(from, to, tells_all, types);
    // The given type is named if none of its parts can convert.
    let is_named =
        from.is_primitive() || to.is_primitive() || matches!((from, to), (Type::Tuple(_), Type::Object(_)));
    let whole = || match is_named {
        true => format!("{} required, but have {}", to.friendly_name(), from.friendly_name()),
        false => format!("{} required", described(to)),
    };
    let same = |collection: &str| format!("all {collection} elements must have the same type");
    match (from, to) {
        (Type::List(from) | Type::Set(from), Type::List(to)) => {
            format!("incorrect list element type: {}", mismatch(from, to))
        }
        (Type::List(from) | Type::Set(from), Type::Set(to)) => {
            format!("incorrect set element type: {}", mismatch(from, to))
        }
        (Type::Map(from), Type::Map(to)) => format!("incorrect map element type: {}", mismatch(from, to)),
        (Type::Tuple(_), Type::List(element)) if **element == Type::Dynamic => same("list"),
        (Type::Tuple(_), Type::Set(element)) if **element == Type::Dynamic => same("set"),
        (Type::Object(_), Type::Map(element)) if **element == Type::Dynamic => same("map"),
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
            let failing = from.elements().iter().enumerate().find(|(_, from)| fails(from, to));
            failing.map_or_else(whole, |(i, from)| format!("element {i}: {}", mismatch(from, to)))
        }
        (Type::Object(from), Type::Map(to)) => {
            let failing = from.attributes().iter().find(|(_, from)| fails(from, to));
            failing.map_or_else(whole, |(name, from)| match tells_all {
                true => format!("element {name:?}: {}", mismatch(from, to)),
                false => format!("an element: {}", mismatch(from, to)),
            })
        }
        (Type::Object(from), Type::Object(to)) => {
            let lacks = |name: &SmolStr| from.attribute(name).is_none() && !to.is_optional(name);
            let names: Vec<_> = to.attributes().iter().map(|(name, _)| name).filter(|n| lacks(n)).collect();
            if !names.is_empty() {
                return missing(&names.into_iter().cloned().collect::<Vec<_>>());
            }
            let mut shared =
                to.attributes().iter().filter_map(|(name, to)| Some((name, from.attribute(name)?, to)));
            let failing = shared.find(|(_, from, to)| fails(from, to));
            failing
                .map_or_else(whole, |(name, from, to)| format!("attribute {name:?}: {}", mismatch(from, to)))
        }
        (Type::Map(from), Type::Object(to)) => {
            let required = to.attributes().iter().filter(|(name, _)| !to.is_optional(name));
            let failing = required.into_iter().find(|(_, to)| fails(from, to));
            failing.map_or_else(whole, |(name, to)| format!("attribute {name:?}: {}", mismatch(from, to)))
        }
        _ => whole(),
    }
}

/// The required type in words; a dynamic element type is "any single type".
fn described(ty: &Type) -> String {
    let collection = |name: &str, element: &Type| match element {
        Type::Dynamic => format!("{name} of any single type"),
        element => format!("{name} of {}", described(element)),
    };
    match ty {
        Type::List(element) => collection("list", element),
        Type::Set(element) => collection("set", element),
        Type::Map(element) => collection("map", element),
        _ => ty.friendly_name(),
    }
}

/// `attributes "a", "b", and "c" are required`
fn missing(names: &[SmolStr]) -> String {
    match names {
        [] => "attributes are required".to_owned(),
        [one] => format!("attribute {one:?} is required"),
        [one, other] => format!("attributes {one:?} and {other:?} are required"),
        [all @ .., last] => {
            let all: Vec<String> = all.iter().map(|name| format!("{name:?}")).collect();
            format!("attributes {}, and {last:?} are required", all.join(", "))
        }
    }
}
