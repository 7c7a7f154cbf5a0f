//! Why a value could not be converted.

use smol_str::SmolStr;

use crate::value::unify::Unifier;
use crate::value::{ParseNumberError, Path, PathStack, Type, Value};

/// Why a value could not be converted: where, and what is wrong there. Never holds the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}", place(path))]
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
    #[error("{}", mismatch(.from, .to, &Unifier::default()))]
    WrongType {
        /// The type of the value.
        from: Type,
        /// The type that it should have.
        to: Type,
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

    pub(super) fn wrong_type(value: &Value, to: &Type) -> Self {
        let kind = Self::WrongType { from: value.ty().clone(), to: to.clone() };
        if value.contains_marked() { kind.without_keys() } else { kind }
    }

    pub(in crate::value) fn at(self, path: PathStack<'_>) -> ConvertError {
        let kind = if path.is_hidden() { self.without_keys() } else { self };
        ConvertError { path: path.to_path(), kind }
    }

    /// The same without the names of attributes that are keys: configuration writes a map as an object, and its
    /// keys may be nobody's to see.
    pub(crate) fn without_keys(self) -> Self {
        match self {
            Self::WrongType { from, to } => {
                Self::WrongType { from: without_keys(&from, &to, &Unifier::default()), to }
            }
            kind => kind,
        }
    }
}

/// The path as it stands before a message.
pub(crate) fn place(path: &Path) -> String {
    if path.is_root() { String::new() } else { format!("{path}: ") }
}

/// The type with no attributes in its objects.
pub(crate) fn nameless(ty: &Type) -> Type {
    without_keys(ty, &Type::Dynamic, &Unifier::default())
}

/// A type that does not convert to another, without the names of attributes that the other one does not have.
fn without_keys(from: &Type, to: &Type, types: &Unifier) -> Type {
    let fails = |from: &Type, to: &Type| types.converts(from, to).is_err();
    let without_keys = |from: &Type, to: &Type| without_keys(from, to, types);
    // A map is taken for an object by its elements, each for one attribute.
    let element = match to {
        Type::Object(to) => {
            let attribute =
                from.element().and_then(|from| to.attributes().iter().find(|(_, to)| fails(from, to)));
            attribute.map(|(_, to)| to)
        }
        _ => to.element(),
    };
    let element = element.unwrap_or(&Type::Dynamic);
    match (from, to) {
        (Type::List(from), _) => Type::list(without_keys(from, element)),
        (Type::Set(from), _) => Type::set(without_keys(from, element)),
        (Type::Map(from), _) => Type::map(without_keys(from, element)),
        (Type::Tuple(from), _) => Type::tuple(from.elements().iter().enumerate().map(|(i, from)| match to {
            Type::Tuple(to) => without_keys(from, to.elements().get(i).unwrap_or(&Type::Dynamic)),
            _ => without_keys(from, element),
        })),
        (Type::Object(from), Type::Object(to)) => Type::object(
            from.attributes()
                .iter()
                .filter_map(|(name, from)| Some((name.clone(), without_keys(from, to.attribute(name)?)))),
        ),
        (Type::Object(from), Type::Map(_)) => {
            match from.attributes().iter().find(|(_, from)| fails(from, element)) {
                Some((_, from)) => Type::map(without_keys(from, element)),
                None => Type::object::<SmolStr>([]),
            }
        }
        (Type::Object(_), _) => Type::object::<SmolStr>([]),
        _ => from.clone(),
    }
}

/// Says why values of one type never convert to another.
fn mismatch(from: &Type, to: &Type, types: &Unifier) -> String {
    let fails = |from: &Type, to: &Type| types.converts(from, to).is_err();
    let mismatch = |from: &Type, to: &Type| mismatch(from, to, types);
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
            failing.map_or_else(whole, |(name, from)| attribute(name, from, to))
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
