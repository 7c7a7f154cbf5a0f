//! Unknown values and their refinements.

use smol_str::SmolStr;

use super::{Kind, Number, Repr, Type, Unknown, Value};

/// Refinements: promises about an unknown value.
///
/// ```
/// use objchange::value::{Refinements, Value};
/// use objchange::Type;
///
/// let two = Refinements { not_null: true, length_lower: Some(2), length_upper: Some(2), ..Default::default() };
/// // A single possibility: a list of two unknown elements.
/// let list = Value::refined_unknown(Type::list(Type::String), two)?;
/// assert_eq!(list.len(), Some(2));
/// # Ok::<(), objchange::value::RefinementError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Refinements {
    /// The value will not be null.
    pub not_null: bool,
    /// The prefix of the string.
    pub string_prefix: Option<SmolStr>,
    /// The lower bound of the number.
    pub number_lower: Option<Bound>,
    /// The upper bound of the number.
    pub number_upper: Option<Bound>,
    /// The minimum length of the collection.
    pub length_lower: Option<u64>,
    /// The maximum length of the collection.
    pub length_upper: Option<u64>,
}

/// A bound of a number that is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The bound.
    pub value: Number,
    /// Whether the number may be the bound itself.
    pub inclusive: bool,
}

/// Why refinements cannot hold for a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefinementError {
    /// A refinement for another type.
    #[error("a value of type {ty} cannot have a {refinement} refinement")]
    NotApplicable {
        /// The type of the value.
        ty: Type,
        /// The kind of refinement.
        refinement: &'static str,
    },
    /// A lower bound above the upper one.
    #[error("the lower bound of an unknown value is above its upper bound")]
    Contradiction,
    /// A list whose exact length is known, but is too large to be built.
    #[error("an unknown list of exactly {length} elements is too long; at most {max} are supported")]
    TooLong {
        /// The length.
        length: u64,
        /// The supported maximum.
        max: u64,
    },
}

impl RefinementError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotApplicable { .. } => "not_applicable",
            Self::Contradiction => "contradiction",
            Self::TooLong { .. } => "too_long",
        }
    }
}

impl Refinements {
    /// The promise that the value will not be null, and nothing else.
    pub const fn not_null() -> Self {
        Self {
            not_null: true,
            string_prefix: None,
            number_lower: None,
            number_upper: None,
            length_lower: None,
            length_upper: None,
        }
    }

    /// Whether nothing is promised.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn check(&self, ty: &Type) -> Result<(), RefinementError> {
        let not_applicable = |refinement| Err(RefinementError::NotApplicable { ty: ty.clone(), refinement });
        if self.string_prefix.is_some() && *ty != Type::String {
            return not_applicable("string prefix");
        }
        if (self.number_lower.is_some() || self.number_upper.is_some()) && *ty != Type::Number {
            return not_applicable("number bound");
        }
        if (self.length_lower.is_some() || self.length_upper.is_some()) && !ty.is_collection() {
            return not_applicable("length bound");
        }
        let numbers_cross = matches!((&self.number_lower, &self.number_upper),
            (Some(l), Some(u)) if l.value > u.value);
        let lengths_cross = matches!((self.length_lower, self.length_upper), (Some(l), Some(u)) if l > u);
        // go-cty 1.18 panics on contradicting bounds. Equal bounds that are both exclusive are no error
        // there: nothing fulfils them, and the value stays unknown.
        if numbers_cross || lengths_cross { Err(RefinementError::Contradiction) } else { Ok(()) }
    }

    /// Removes parts that promise nothing, so that equal promises are equal data.
    fn normalize(&mut self) {
        if let Some(prefix) = &self.string_prefix {
            self.string_prefix = Some(super::build::normal_form(prefix));
        }
        let bare = self.clone();
        if self.length_lower == Some(0) {
            self.length_lower = None;
        }
        // go-cty's default upper bound of a length is the largest `int`.
        if self.length_upper >= Some(i64::MAX as u64) {
            self.length_upper = None;
        }
        if self.string_prefix.as_deref() == Some("") {
            self.string_prefix = None;
        }
        // In go-cty an empty refinement is not equal to a bare unknown value, so one part of it stays.
        if self.is_empty() && bare.length_upper.is_some() {
            self.length_lower = Some(0);
        } else if self.is_empty() {
            *self = bare;
        }
    }

    /// Only the promise about null: the others do not apply to a value of another type.
    pub(crate) fn nullness_only(&self) -> Self {
        if self.not_null { Self::not_null() } else { Self::default() }
    }

    fn allows_number(&self, n: &Number) -> bool {
        let above = self.number_lower.as_ref().is_none_or(|b| *n > b.value || b.inclusive && *n == b.value);
        let below = self.number_upper.as_ref().is_none_or(|b| *n < b.value || b.inclusive && *n == b.value);
        above && below
    }

    /// Whether a collection of `least` to `most` elements may fulfil the promises.
    fn allows_length(&self, least: u64, most: u64) -> bool {
        self.length_lower.is_none_or(|lower| most >= lower)
            && self.length_upper.is_none_or(|upper| least <= upper)
    }

    /// Whether one value may fulfil both. Prefixes are not compared.
    fn overlaps(&self, other: &Refinements) -> bool {
        let below = |lower: &Option<Bound>, upper: &Option<Bound>| match (lower, upper) {
            (Some(l), Some(u)) => l.value <= u.value,
            _ => true,
        };
        below(&self.number_lower, &other.number_upper)
            && below(&other.number_lower, &self.number_upper)
            && self.allows_length(other.length_lower.unwrap_or(0), other.length_upper.unwrap_or(u64::MAX))
    }
}

/// Shows the promises, including a string prefix, which is a part of the value.
impl std::fmt::Debug for Refinements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = f.debug_struct("Refinements");
        if self.not_null {
            out.field("not_null", &true);
        }
        if let Some(prefix) = &self.string_prefix {
            out.field("string_prefix", prefix);
        }
        for (name, bound) in [("number_lower", &self.number_lower), ("number_upper", &self.number_upper)] {
            if let Some(bound) = bound {
                out.field(name, bound);
            }
        }
        for (name, length) in [("length_lower", self.length_lower), ("length_upper", self.length_upper)] {
            if let Some(length) = length {
                out.field(name, &length);
            }
        }
        out.finish()
    }
}

/// The maximum length of a list that is built because its exact length is promised.
const MAX_EXACT_LENGTH: u64 = 1 << 20;

impl Value {
    /// An unknown value with promises about it. If they leave a single possibility, that value.
    ///
    /// For the dynamic type, refinements are ignored.
    ///
    /// # Errors
    ///
    /// The refinements cannot hold for this type.
    #[doc(alias = "RefineUnknown")]
    pub fn refined_unknown(ty: Type, mut refinements: Refinements) -> Result<Self, RefinementError> {
        // go-cty drops refinements of a value without a known type.
        if ty == Type::Dynamic {
            return Ok(Self::unknown(ty));
        }
        refinements.check(&ty)?;
        refinements.normalize();
        // A refinement that leaves one possible value makes the value known, as in go-cty's
        // `RefineUnknown`.
        if refinements.not_null {
            if let (Some(lower), Some(upper)) = (&refinements.number_lower, &refinements.number_upper)
                && lower.inclusive
                && upper.inclusive
                && lower.value == upper.value
            {
                return Ok(Self::from(lower.value.clone()));
            }
            if let Some(upper) = refinements.length_upper
                && refinements.length_lower.unwrap_or(0) == upper
            {
                match (&ty, upper) {
                    (Type::List(element), n) => {
                        if n > MAX_EXACT_LENGTH {
                            return Err(RefinementError::TooLong { length: n, max: MAX_EXACT_LENGTH });
                        }
                        let element = Self::unknown((**element).clone());
                        return Ok(Self::list_like(&ty, vec![element; n as usize]));
                    }
                    (Type::Set(_), 0) => return Ok(Self::set_like(&ty, Vec::new())),
                    // Two unknown elements may turn out equal, so only a set of 0 or 1 elements can be
                    // built.
                    (Type::Set(element), 1) => {
                        return Ok(Self::set_like(&ty, vec![Self::unknown((**element).clone())]));
                    }
                    (Type::Map(_), 0) => return Ok(Self::map_like(&ty, Vec::new())),
                    _ => {}
                }
            }
        }
        Ok(Self(Repr::Unknown(std::sync::Arc::new(Unknown { ty, refinements }))))
    }

    /// Whether this value may become `actual`, which has its final type.
    ///
    /// Null is refused only by `not_null`, and an unknown `actual` only if its bounds lie outside. A known value
    /// becomes only itself.
    #[doc(alias = "Includes")]
    pub fn may_become(&self, actual: &Value) -> bool {
        let Kind::Unknown(refinements) = self.kind() else {
            return self.definitely_equals(actual);
        };
        match actual.kind() {
            Kind::Null => !refinements.not_null,
            // Prefixes are not compared: in go-cty 1.18 an unknown is outside only if its bounds are.
            Kind::Unknown(other) => refinements.overlaps(other),
            Kind::Number(n) => refinements.allows_number(n),
            Kind::String(s) => refinements.string_prefix.as_ref().is_none_or(|p| s.starts_with(p.as_str())),
            Kind::Set(elements) => {
                let (least, most) = set_length_range(elements);
                refinements.allows_length(least, most)
            }
            Kind::List(elements) => refinements.allows_length(elements.len() as u64, elements.len() as u64),
            Kind::Map(map) => refinements.allows_length(map.len() as u64, map.len() as u64),
            Kind::Bool(_) | Kind::Tuple(_) | Kind::Object(_) => true,
        }
    }
}

/// The least and most elements that a set may have in the end: those with unknown parts may turn out equal to others.
pub(crate) fn set_length_range(elements: &[Value]) -> (u64, u64) {
    let n = elements.len() as u64;
    if elements.iter().all(Value::is_wholly_known) { (n, n) } else { (1, n) }
}
