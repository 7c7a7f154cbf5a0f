//! The shape of a value, as far as it is known without a run.

use std::fmt;
use std::sync::Arc;

/// The possible values of an expression: their kinds, and the shape of their content.
///
/// # Examples
///
/// ```
/// use objchange_sentinel::Shape;
///
/// let actions = Shape::list(Shape::STRING);
/// assert_eq!(actions.to_string(), "a list");
/// assert_eq!(Shape::NUMBER.or(&Shape::NULL).to_string(), "a number or null");
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    pub(super) kinds: Kinds,
    pub(super) inside: Option<Arc<Inside>>,
    /// The provider of the value declares that it may be missing.
    pub(super) may_be_missing: bool,
}

/// The content of a collection, if known.
#[derive(Debug)]
pub(super) enum Inside {
    Elements(Shape),
    Fields(Arc<dyn Fields>),
}

/// The keys of a map that has exactly these.
pub trait Fields: fmt::Debug + Send + Sync {
    /// The shape under a key; `None` if the map lacks the key.
    fn field(&self, name: &str) -> Option<Shape>;

    /// The keys, for suggestions.
    fn names(&self) -> Vec<String>;

    /// The message for a name that the map lacks.
    fn missing(&self, name: &str) -> String;

    /// Narrower fields for the case that the value under a key is one of these strings; `None` if this
    /// tells nothing more.
    fn narrowed(&self, _field: &str, _values: &[String]) -> Option<Arc<dyn Fields>> {
        None
    }
}

/// A set of kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u16);

impl Kinds {
    pub(super) const BOOL: Kinds = Kinds(1);
    pub(super) const NUMBER: Kinds = Kinds(2);
    pub(super) const STRING: Kinds = Kinds(4);
    pub(super) const LIST: Kinds = Kinds(8);
    pub(super) const MAP: Kinds = Kinds(16);
    pub(super) const NULL: Kinds = Kinds(32);
    pub(super) const UNDEFINED: Kinds = Kinds(64);
    /// Functions, and values of imports.
    pub(super) const OTHER: Kinds = Kinds(128);
    const ALL: Kinds = Kinds(255);
    const NONE: Kinds = Kinds(0);

    pub(super) fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(super) fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self == Kinds::NONE
    }

    /// Whether a defined value is of one of these kinds, and never of another one.
    pub(super) fn is_only(self, kinds: Kinds) -> bool {
        let there = self.without(Kinds::UNDEFINED);
        !there.is_empty() && there.without(kinds).is_empty()
    }
}

impl Shape {
    /// Nothing is known of it.
    pub const ANY: Shape = Shape::new(Kinds::ALL);
    /// A bool.
    pub const BOOL: Shape = Shape::new(Kinds::BOOL);
    /// An int or float.
    pub const NUMBER: Shape = Shape::new(Kinds::NUMBER);
    /// A string.
    pub const STRING: Shape = Shape::new(Kinds::STRING);
    /// Null.
    pub const NULL: Shape = Shape::new(Kinds::NULL);
    /// A function.
    pub const FUNCTION: Shape = Shape::new(Kinds::OTHER);
    pub(super) const UNDEFINED: Shape = Shape::new(Kinds::UNDEFINED);
    pub(super) const MAYBE_BOOL: Shape = Shape::new(Kinds(Kinds::BOOL.0 | Kinds::UNDEFINED.0));
    pub(super) const MAYBE_NUMBER: Shape = Shape::new(Kinds(Kinds::NUMBER.0 | Kinds::UNDEFINED.0));
    pub(super) const MAYBE_STRING: Shape = Shape::new(Kinds(Kinds::STRING.0 | Kinds::UNDEFINED.0));
    pub(super) const MAYBE_LIST: Shape = Shape::new(Kinds(Kinds::LIST.0 | Kinds::UNDEFINED.0));

    pub(super) const fn new(kinds: Kinds) -> Shape {
        Shape { kinds, inside: None, may_be_missing: false }
    }

    /// A list of such elements.
    #[must_use]
    pub fn list(elements: Shape) -> Shape {
        Shape { inside: Some(Arc::new(Inside::Elements(elements))), ..Shape::new(Kinds::LIST) }
    }

    /// A map with any keys, and values of this shape.
    #[must_use]
    pub fn map(values: Shape) -> Shape {
        Shape { inside: Some(Arc::new(Inside::Elements(values))), ..Shape::new(Kinds::MAP) }
    }

    /// A map with certain keys.
    #[must_use]
    pub fn fields(fields: Arc<dyn Fields>) -> Shape {
        Shape { inside: Some(Arc::new(Inside::Fields(fields))), ..Shape::new(Kinds::MAP) }
    }

    /// Either of the two.
    #[must_use]
    pub fn or(&self, other: &Shape) -> Shape {
        let holds = |shape: &Shape| !shape.kinds.and(Kinds::LIST.or(Kinds::MAP)).is_empty();
        let inside = match (holds(self), holds(other)) {
            (true, false) => self.inside.clone(),
            (false, true) => other.inside.clone(),
            _ => None,
        };
        let may_be_missing = self.may_be_missing || other.may_be_missing;
        Shape { kinds: self.kinds.or(other.kinds), inside, may_be_missing }
    }

    /// A shape that may also be missing.
    #[must_use]
    pub fn or_missing(self) -> Shape {
        Shape { kinds: self.kinds.or(Kinds::UNDEFINED), may_be_missing: true, ..self }
    }

    /// The shape without undefined.
    pub(super) fn there(self) -> Shape {
        Shape { kinds: self.kinds.without(Kinds::UNDEFINED), may_be_missing: false, ..self }
    }

    pub(super) fn or_undefined(self) -> Shape {
        Shape { kinds: self.kinds.or(Kinds::UNDEFINED), ..self }
    }

    /// The shape of an element or value, if all keys have the same one.
    pub(super) fn element(&self) -> Shape {
        match self.inside.as_deref() {
            Some(Inside::Elements(shape)) => shape.clone(),
            _ => Shape::ANY,
        }
    }

    pub(super) fn has_fields(&self) -> Option<&Arc<dyn Fields>> {
        match self.inside.as_deref() {
            // Null has no fields either.
            Some(Inside::Fields(fields)) if self.kinds.is_only(Kinds::MAP.or(Kinds::NULL)) => Some(fields),
            _ => None,
        }
    }

    /// The shape under the condition that the value under a key is one of these strings.
    pub(super) fn narrowed(&self, field: &str, values: &[String]) -> Option<Shape> {
        let fields = self.has_fields()?.narrowed(field, values)?;
        Some(Shape { inside: Some(Arc::new(Inside::Fields(fields))), ..self.clone() })
    }

    /// A collection of this kind with other elements.
    pub(super) fn with_elements(&self, elements: Shape) -> Shape {
        match self.inside.as_deref() {
            Some(Inside::Elements(_)) => {
                Shape { inside: Some(Arc::new(Inside::Elements(elements))), ..self.clone() }
            }
            _ => self.clone(),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (Kinds::BOOL, "a bool"),
            (Kinds::NUMBER, "a number"),
            (Kinds::STRING, "a string"),
            (Kinds::LIST, "a list"),
            (Kinds::MAP, "a map"),
            (Kinds::NULL, "null"),
            (Kinds::OTHER, "a function"),
        ];
        let there = self.kinds.without(Kinds::UNDEFINED);
        let words: Vec<&str> = words
            .into_iter()
            .filter(|(kind, _)| !there.and(*kind).is_empty())
            .map(|(_, word)| word)
            .collect();
        match words[..] {
            [] => f.write_str("undefined"),
            [word] => f.write_str(word),
            [ref others @ .., last] => write!(f, "{} or {last}", others.join(", ")),
        }
    }
}
