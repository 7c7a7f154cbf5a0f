//! Conversions from Rust types to values.

use smol_str::SmolStr;

use super::build::normal_form;
use super::{Number, Repr, Type, Value};

/// NaN was given for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a number is required, not NaN")]
pub struct NanError(());

impl NanError {
    /// The stable name of the kind of error: there is one.
    pub fn kind(self) -> &'static str {
        "nan"
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self(Repr::Bool(b))
    }
}

impl From<Number> for Value {
    fn from(n: Number) -> Self {
        Self(Repr::Number(n))
    }
}

macro_rules! from_integers {
    ($($t:ty),*) => {
        $(impl From<$t> for Value {
            fn from(n: $t) -> Self {
                Self(Repr::Number(Number::from(n)))
            }
        })*
    };
}

from_integers!(i8, i16, i32, i64, u8, u16, u32, u64, isize, usize, i128, u128);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self(Repr::String(normal_form(text)))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<SmolStr> for Value {
    fn from(text: SmolStr) -> Self {
        if text.is_ascii() { Self(Repr::String(text)) } else { Self::from(text.as_str()) }
    }
}

impl From<&Value> for Value {
    fn from(value: &Value) -> Self {
        value.clone()
    }
}

/// Exactly this double, not the decimal that it prints as: the double `0.1` is not a tenth. The infinities
/// are numbers, although most formats cannot hold them.
///
/// ```
/// use objchange::value::Number;
///
/// assert_eq!(Number::try_from(0.5), Ok(Number::parse("0.5").unwrap()));
/// assert_ne!(Number::try_from(0.1), Ok(Number::parse("0.1").unwrap()));
/// assert_eq!(Number::try_from(f64::INFINITY), Ok(Number::infinity()));
/// assert!(Number::try_from(f64::NAN).is_err());
/// ```
impl TryFrom<f64> for Number {
    type Error = NanError;

    fn try_from(double: f64) -> Result<Self, NanError> {
        Self::from_f64(double).ok_or(NanError(()))
    }
}

/// As the [`Number`].
///
/// ```
/// use objchange::Value;
///
/// assert_eq!(Value::try_from(3.0)?, Value::from(3));
/// assert_eq!(Value::try_from(f64::NAN).unwrap_err().to_string(), "a number is required, not NaN");
/// # Ok::<(), objchange::value::NanError>(())
/// ```
impl TryFrom<f64> for Value {
    type Error = NanError;

    fn try_from(double: f64) -> Result<Self, NanError> {
        Number::try_from(double).map(Self::from)
    }
}

/// Nothing is null of the dynamic type, as `null` is in configuration.
///
/// ```
/// use objchange::{Type, Value};
///
/// assert_eq!(Value::from(Some("x")), Value::from("x"));
/// assert_eq!(Value::from(None::<&str>), Value::null(Type::Dynamic));
/// assert_ne!(Value::from(None::<&str>), Value::null(Type::String));
/// ```
impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or_else(|| Self::null(Type::Dynamic), Into::into)
    }
}

/// A tuple, as `[…]` is in configuration. [`Value::list`] makes a list.
///
/// ```
/// use objchange::Value;
///
/// let ports = Value::from(vec![80, 443]);
/// assert_eq!(ports, Value::tuple([80, 443]));
/// assert!(!ports.ty().is_collection());
/// ```
impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(elements: Vec<V>) -> Self {
        Self::tuple(elements)
    }
}

/// A tuple, as of a [`Vec`].
impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(elements: [V; N]) -> Self {
        Self::tuple(elements)
    }
}

/// A tuple, as of a [`Vec`].
///
/// ```
/// use objchange::Value;
///
/// let ports: Value = [8000, 8001].iter().map(|port| port + 80).collect();
/// assert_eq!(ports, Value::tuple([8080, 8081]));
/// ```
impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(elements: I) -> Self {
        Self::tuple(elements)
    }
}

/// An object, like `{…}` in configuration. If a name is repeated the last attribute wins. [`Value::map`]
/// makes a map.
///
/// ```
/// use objchange::Value;
///
/// let disk: Value = [("name", "data"), ("name", "root")].into_iter().collect();
/// assert_eq!(disk, Value::object([("name", "root")]));
/// assert_eq!(disk.element("name"), None);
/// ```
impl<N: Into<SmolStr>, V: Into<Value>> FromIterator<(N, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(attributes: I) -> Self {
        Self::object(attributes)
    }
}
