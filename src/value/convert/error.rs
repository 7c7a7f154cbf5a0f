//! Why a value could not be converted.

use smol_str::SmolStr;

use crate::value::unify::Unifier;
use crate::value::{ParseNumberError, Path, PathStack, Type, Value};

/// Why a value could not be converted: where, and what is wrong there. Never holds the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}", place(path))]
#[non_exhaustive]
pub struct ConvertError {
    /// Where the part stands that could not be converted.
    pub path: Path,
    /// What is wrong.
    pub kind: ConvertErrorKind,
}

/// What is wrong with a value that could not be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertErrorKind {
    /// Values of the one type never convert to the other.
    #[error("{why}")]
    WrongType {
        /// The type of the value; without the names of attributes where they may be secret.
        from: Type,
        /// The type that it should have.
        to: Type,
        /// What of the type does not convert.
        why: String,
    },
    /// A string does not hold a number.
    #[error(transparent)]
    NotANumber(#[from] ParseNumberError),
    /// A string holds neither `true` nor `false`.
    #[error(r#"a bool is required: true or false, or a string that is "true" or "false""#)]
    NotABool,
    /// An object lacks attributes, or a map the elements for them.
    #[error("the attribute{} {} {} required", if .names.len() == 1 { "" } else { "s" }, listed(.names),
        if .names.len() == 1 { "is" } else { "are" })]
    MissingAttributes {
        /// Their names, in byte order.
        names: Vec<SmolStr>,
    },
    /// The elements of a collection must have one type, and have no type in common.
    #[error("the elements of a collection must have one type, but these have none in common")]
    NoCommonType,
    /// The types of the parts are so many and so different that finding their common type would take too long.
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
            Self::NotABool => "not_a_bool",
            Self::MissingAttributes { .. } => "missing_attributes",
            Self::NoCommonType => "no_common_type",
            Self::TooComplex => "too_complex",
        }
    }

    pub(in crate::value) fn at(self, path: PathStack<'_>) -> ConvertError {
        ConvertError { path: path.to_path(), kind: self }
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

/// The path as it stands before a message.
pub(crate) fn place(path: &Path) -> String {
    if path.is_root() { String::new() } else { format!("{path}: ") }
}

/// Says why values of one type never convert to another. Configuration writes a map as an object: the names of its
/// attributes are keys then, and are told only if all is.
fn mismatch(from: &Type, to: &Type, tells_all: bool, types: &Unifier) -> String {
    let fails = |from: &Type, to: &Type| types.converts(from, to).is_err();
    let mismatch = |from: &Type, to: &Type| mismatch(from, to, tells_all, types);
    let attribute =
        |name: &str, from: &Type, to: &Type| format!("attribute {name:?}: {}", mismatch(from, to));
    let whole = || format!("{} is required, not {}", described(to), described(from));
    match (from, to) {
        (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
        | (Type::Map(from), Type::Map(to)) => format!("elements: {}", mismatch(from, to)),
        (Type::Tuple(_), Type::List(element) | Type::Set(element))
        | (Type::Object(_), Type::Map(element))
            if **element == Type::Dynamic =>
        {
            ConvertErrorKind::NoCommonType.to_string()
        }
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
            let failing = from.elements().iter().enumerate().find(|(_, from)| fails(from, to));
            failing.map_or_else(whole, |(i, from)| format!("element {i}: {}", mismatch(from, to)))
        }
        (Type::Object(from), Type::Map(to)) => {
            let failing = from.attributes().iter().find(|(_, from)| fails(from, to));
            failing.map_or_else(whole, |(name, from)| match tells_all {
                true => attribute(name, from, to),
                false => format!("elements: {}", mismatch(from, to)),
            })
        }
        (Type::Tuple(from), Type::Tuple(to)) if from.elements().len() != to.elements().len() => {
            let (from, to) = (from.elements().len(), to.elements().len());
            format!("a tuple of {to} elements is required, not one of {from}")
        }
        (Type::Tuple(from), Type::Tuple(to)) => {
            let mut pairs = std::iter::zip(from.elements(), to.elements()).enumerate();
            let failing = pairs.find(|(_, (from, to))| fails(from, to));
            failing.map_or_else(whole, |(i, (from, to))| format!("element {i}: {}", mismatch(from, to)))
        }
        (Type::Object(from), Type::Object(to)) => {
            let lacks = |name: &SmolStr| from.attribute(name).is_none() && !to.is_optional(name);
            let names: Vec<_> = to.attributes().iter().map(|(name, _)| name).filter(|n| lacks(n)).collect();
            if !names.is_empty() {
                let names = names.into_iter().cloned().collect();
                return ConvertErrorKind::MissingAttributes { names }.to_string();
            }
            let mut shared =
                to.attributes().iter().filter_map(|(name, to)| Some((name, from.attribute(name)?, to)));
            let failing = shared.find(|(_, from, to)| fails(from, to));
            failing.map_or_else(whole, |(name, from, to)| attribute(name, from, to))
        }
        (Type::Map(from), Type::Object(to)) => {
            let required = to.attributes().iter().filter(|(name, _)| !to.is_optional(name));
            let failing = required.into_iter().find(|(_, to)| fails(from, to));
            failing.map_or_else(whole, |(name, to)| attribute(name, from, to))
        }
        _ => whole(),
    }
}

fn described(ty: &Type) -> String {
    let name = ty.friendly_name();
    let article = if name.starts_with('o') { "an" } else { "a" };
    format!("{article} {name}")
}

fn listed(names: &[SmolStr]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
