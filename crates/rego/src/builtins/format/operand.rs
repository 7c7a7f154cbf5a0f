//! Values as OPA hands them to Go's formatter.

use num_bigint::BigInt;

use crate::value::Value;

/// A value as Go's formatter sees it.
pub(super) enum Operand {
    Int(i64),
    Big(BigInt),
    Float(f64),
    Text(String),
}

impl Operand {
    pub(super) fn new(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.to_string()),
            Value::Number(number) => {
                let text = number.to_string();
                let has_exponent = text.contains(['e', 'E']);
                // OPA 1.20 hands `1.0` to `%d` as the integer 1, but `1e2` as a text: `%!d(string=1e2)`.
                if let Some(whole) = number.as_i64().filter(|_| !has_exponent) {
                    return Self::Int(whole);
                }
                if text.contains('.') {
                    let float = number.to_f64();
                    return if float.is_finite() { Self::Float(float) } else { Self::Text(text) };
                }
                match BigInt::parse_bytes(text.as_bytes(), 10) {
                    Some(big) => Self::Big(big),
                    None => Self::Text(text),
                }
            }
            // OPA 1.20 hands all else to Go as text: `sprintf("%T", [[1]])` is `string`, and `%t` of true is
            // `%!t(string=true)`.
            other => Self::Text(other.to_string()),
        }
    }

    /// The name of its type in Go.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Int(_) => "int64",
            Self::Big(_) => "*big.Int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
        }
    }

    /// About how many bytes it prints as.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Int(_) | Self::Float(_) => 8,
            Self::Big(number) => usize::try_from(number.bits()).unwrap_or(usize::MAX),
            Self::Text(text) => text.len(),
        }
    }
}
