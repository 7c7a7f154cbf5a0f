//! Checks whether one type conforms to another, and where it does not.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Path, PathStack, StepRef, Type, Value};

/// A part of a type that differs from another type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}", super::place(path))]
pub struct TypeMismatch {
    /// The part's path; an index of unknown value means every element.
    pub path: Path,
    /// The kind of difference.
    pub kind: TypeMismatchKind,
}

/// The difference between a part of a type and another type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypeMismatchKind {
    /// A type of another kind.
    #[error("the type should be {}, but is {}", .wanted.friendly_name(), .given.friendly_name())]
    OtherType {
        /// The type that is wanted.
        wanted: Type,
        /// The type that is given; without the names of attributes where they may be secret.
        given: Type,
    },
    /// A tuple has another number of elements.
    #[error("the tuple should have {wanted} elements, but has {given}")]
    OtherLength {
        /// How many elements are wanted.
        wanted: usize,
        /// How many are given.
        given: usize,
    },
    /// An object lacks an attribute.
    #[error("the object lacks the attribute {name:?}")]
    MissingAttribute {
        /// The name of the attribute.
        name: SmolStr,
    },
    /// The object has an unexpected attribute.
    #[error("the object has an attribute {name:?}, which it should not have")]
    UnexpectedAttribute {
        /// The name of the attribute.
        name: SmolStr,
    },
}

impl TypeMismatchKind {
    /// The stable name of the kind of mismatch.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::OtherType { .. } => "other_type",
            Self::OtherLength { .. } => "other_length",
            Self::MissingAttribute { .. } => "missing_attribute",
            Self::UnexpectedAttribute { .. } => "unexpected_attribute",
        }
    }
}

impl Type {
    /// Whether values of this type are also of the other type; a dynamic type there takes any value.
    ///
    /// ```
    /// use objchange::Type;
    ///
    /// assert!(Type::list(Type::String).conforms_to(&Type::list(Type::Dynamic)));
    /// assert!(!Type::list(Type::Dynamic).conforms_to(&Type::list(Type::String)));
    /// ```
    pub fn conforms_to(&self, wanted: &Type) -> bool {
        match (self, wanted) {
            (_, Type::Dynamic) => true,
            (Type::List(given), Type::List(wanted))
            | (Type::Set(given), Type::Set(wanted))
            | (Type::Map(given), Type::Map(wanted)) => {
                Arc::ptr_eq(given, wanted) || given.conforms_to(wanted)
            }
            (Type::Tuple(given), Type::Tuple(wanted)) => {
                Arc::ptr_eq(given, wanted)
                    || given.elements().len() == wanted.elements().len()
                        && std::iter::zip(given.elements(), wanted.elements()).all(|(g, w)| g.conforms_to(w))
            }
            (Type::Object(given), Type::Object(wanted)) => {
                Arc::ptr_eq(given, wanted)
                    || given.attributes().len() == wanted.attributes().len()
                        && std::iter::zip(given.attributes(), wanted.attributes())
                            .all(|((g_name, g), (w_name, w))| g_name == w_name && g.conforms_to(w))
            }
            _ => self == wanted,
        }
    }

    /// Every part of this type that does not [conform](Self::conforms_to) to the other, with its path.
    ///
    /// ```
    /// use objchange::Type;
    ///
    /// let wanted = Type::object([("id", Type::String), ("ports", Type::list(Type::Number))]);
    /// let given = Type::object([("ports", Type::list(Type::String))]);
    /// let mismatches = given.mismatches(&wanted);
    /// assert_eq!(mismatches[0].to_string(), r#"the object lacks the attribute "id""#);
    /// assert_eq!(mismatches[1].to_string(), "ports[…]: the type should be number, but is string");
    /// ```
    #[doc(alias = "TestConformance")]
    pub fn mismatches(&self, wanted: &Type) -> Vec<TypeMismatch> {
        self.mismatches_at(wanted, PathStack::ROOT)
    }

    /// Like [`mismatches`](Self::mismatches), for the type of a part at this path.
    pub(crate) fn mismatches_at(&self, wanted: &Type, path: PathStack<'_>) -> Vec<TypeMismatch> {
        let mut found = Vec::new();
        // Nearly all types conform, and that is seen without paths and mostly without a walk.
        if !self.conforms_to(wanted) {
            collect(self, wanted, path, &mut found);
        }
        found
    }
}

fn collect(given: &Type, wanted: &Type, path: PathStack<'_>, found: &mut Vec<TypeMismatch>) {
    let at = |kind| TypeMismatch { path: path.to_path(), kind };
    let elements = |given: &Type, wanted: &Type, any: Type, found: &mut Vec<TypeMismatch>| {
        collect(given, wanted, path.then(StepRef::Element(&Value::unknown(any))), found);
    };
    match (given, wanted) {
        (_, Type::Dynamic) => {}
        (Type::List(given), Type::List(wanted)) => elements(given, wanted, Type::Number, found),
        (Type::Set(given), Type::Set(wanted)) => elements(given, wanted, (**given).clone(), found),
        (Type::Map(given), Type::Map(wanted)) => elements(given, wanted, Type::String, found),
        (Type::Tuple(given), Type::Tuple(wanted)) => {
            let (given, wanted) = (given.elements(), wanted.elements());
            if given.len() != wanted.len() {
                let kind = TypeMismatchKind::OtherLength { wanted: wanted.len(), given: given.len() };
                return found.push(at(kind));
            }
            for (i, (given, wanted)) in std::iter::zip(given, wanted).enumerate() {
                collect(given, wanted, path.then(StepRef::Position(i)), found);
            }
        }
        (Type::Object(given), Type::Object(wanted)) => {
            for (name, _) in given.attributes().iter().filter(|(name, _)| wanted.position(name).is_none()) {
                found.push(at(TypeMismatchKind::UnexpectedAttribute { name: path.name(name) }));
            }
            for (name, _) in wanted.attributes().iter().filter(|(name, _)| given.position(name).is_none()) {
                found.push(at(TypeMismatchKind::MissingAttribute { name: name.clone() }));
            }
            for (name, wanted) in wanted.attributes() {
                if let Some(given) = given.attribute(name) {
                    collect(given, wanted, path.attribute(name), found);
                }
            }
        }
        _ if given == wanted => {}
        _ => found.push(at(TypeMismatchKind::OtherType { wanted: wanted.clone(), given: path.ty(given) })),
    }
}
