//! JSON Web Tokens: decoding, and verification with a shared secret.

use data_encoding::HEXLOWER;

use super::arguments::{object, some, text};
use super::crypto::token_mac;
use super::encoding::decode_base64url;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Number, Object, Value};

const S: Types = Types::STRING;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("io.jwt.decode", &[S], |context, o| {
        context.charge(4 * text(o, 0)?.len())?;
        let (header, payload, signature) = decode(text(o, 0)?, MAX_NESTED)?;
        some(Value::array([header, payload, Value::from(HEXLOWER.encode(&signature))]))
    }),
    Builtin::new("io.jwt.decode_verify", &[S, Types::OBJECT], decode_verify),
    Builtin::new("io.jwt.verify_hs256", &[S, S], |context, o| verify(context, o, "HS256")),
    Builtin::new("io.jwt.verify_hs384", &[S, S], |context, o| verify(context, o, "HS384")),
    Builtin::new("io.jwt.verify_hs512", &[S, S], |context, o| verify(context, o, "HS512")),
];

/// How many tokens may be inside each other.
const MAX_NESTED: usize = 8;

fn fail(message: impl Into<String>) -> BuiltinError {
    BuiltinError::failed(message)
}

/// Header, payload and signature, as they are encoded.
fn sections(token: &str) -> Result<[&str; 3], BuiltinError> {
    if !token.contains('.') {
        return Err(fail("encoded JWT had no period separators"));
    }
    let sections: Vec<_> = token.split('.').collect();
    sections.try_into().map_err(|sections: Vec<_>| {
        fail(format!("encoded JWT must have 3 sections, found {}", sections.len()))
    })
}

fn section(text: &str, name: &str) -> Result<Vec<u8>, BuiltinError> {
    decode_base64url(text).map_err(|error| fail(format!("JWT {name} had invalid encoding: {error}")))
}

fn json_object(bytes: Vec<u8>, prefix: &str) -> Result<Value, BuiltinError> {
    let text = String::from_utf8(bytes).map_err(|_| fail("invalid JSON: it is not UTF-8 text"))?;
    let value =
        Value::from_json(&text).map_err(|error| fail(format!("invalid JSON: {}", error.message())))?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(fail(format!("{prefix}decoded JSON type was not an Object"))),
    }
}

fn decode(token: &str, nested: usize) -> Result<(Value, Value, Vec<u8>), BuiltinError> {
    let [header, payload, signature] = sections(token)?;
    let header = json_object(section(header, "header")?, "bad JWT header: ")?;
    let payload = section(payload, "payload")?;
    let content_type = header.as_object().and_then(|header| header.get_str("cty")).and_then(Value::as_str);
    if content_type.is_some_and(|content_type| content_type.eq_ignore_ascii_case("JWT")) {
        if nested == 0 {
            return Err(fail("tokens are nested too deep"));
        }
        let inner = String::from_utf8(payload).map_err(|_| fail("encoded JWT had no period separators"))?;
        return decode(inner.trim_matches('"'), nested - 1);
    }
    let payload = json_object(payload, "")?;
    Ok((header, payload, section(signature, "signature")?))
}

/// Whether the signature of a token is right.
fn is_signed(token: &str, algorithm: &str, secret: &str) -> Result<bool, BuiltinError> {
    let [_, _, signature] = sections(token)?;
    let signature =
        decode_base64url(signature).map_err(|_| fail(format!("illegal base64url string: {signature}")))?;
    let message = token.rsplit_once('.').map_or("", |(message, _)| message);
    let expected = token_mac(algorithm, secret.as_bytes(), message.as_bytes());
    Ok(expected.is_some_and(|expected| expected == signature))
}

fn verify(context: &mut Context<'_>, operands: &[Value], algorithm: &str) -> Outcome {
    context.charge(2 * text(operands, 0)?.len())?;
    some(is_signed(text(operands, 0)?, algorithm, text(operands, 1)?)?)
}

/// The constraints that a token must satisfy.
#[derive(Default)]
struct Constraints<'v> {
    secret: Option<&'v str>,
    algorithm: Option<&'v str>,
    issuer: Option<&'v str>,
    audience: Option<&'v str>,
    time: Option<&'v Number>,
}

impl<'v> Constraints<'v> {
    fn new(constraints: &'v Object) -> Result<Self, BuiltinError> {
        let mut found = Self::default();
        for (key, value) in constraints.iter() {
            let name = key.as_str().unwrap_or_default();
            let text = || value.as_str().ok_or_else(|| fail(format!("{name} constraint: must be a string")));
            match name {
                "secret" => found.secret = Some(text()?),
                "alg" => found.algorithm = Some(text()?),
                "iss" => found.issuer = Some(text()?),
                "aud" => found.audience = Some(text()?),
                "time" => {
                    let number = value.as_number();
                    found.time = Some(number.ok_or_else(|| fail("token time constraint: must be a number"))?);
                }
                "cert" => return Err(BuiltinError::refused("signatures with public keys are not verified")),
                _ => return Err(fail(format!("unknown token validation constraint: {name}"))),
            }
        }
        if found.secret.is_none() {
            return Err(fail("no key constraint"));
        }
        Ok(found)
    }

    /// Whether the claims of a token suit.
    fn allow(&self, payload: &Object, now: &Number) -> Result<bool, BuiltinError> {
        if self.issuer.is_some_and(|issuer| payload.get_str("iss").and_then(Value::as_str) != Some(issuer)) {
            return Ok(false);
        }
        let is_audience_right = match (self.audience, payload.get_str("aud")) {
            (None, None) => true,
            (Some(audience), Some(Value::String(text))) => text == audience,
            (Some(audience), Some(Value::Array(array))) => {
                array.iter().any(|item| item.as_str() == Some(audience))
            }
            _ => false,
        };
        if !is_audience_right {
            return Ok(false);
        }
        let second = Number::from(1_000_000_000_i64);
        let claimed = |name: &str| match payload.get_str(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number.multiply(&second)?)),
            Some(_) => Err(fail(format!("{name} value must be a number"))),
        };
        let now = self.time.unwrap_or(now);
        Ok(claimed("exp")?.is_none_or(|expires| *now < expires)
            && claimed("nbf")?.is_none_or(|start| *now >= start))
    }
}

fn decode_verify(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let token = text(operands, 0)?;
    context.charge(4 * token.len())?;
    let constraints = Constraints::new(object(operands, 1)?)?;
    let empty = || Value::object([]);
    let refused = || some(Value::array([Value::Bool(false), empty(), empty()]));
    let [header, _, _] = sections(token)?;
    let header = json_object(section(header, "header")?, "bad JWT header: ")?;
    let algorithm = header.as_object().and_then(|header| header.get_str("alg")).and_then(Value::as_str);
    let Some(algorithm) =
        algorithm.filter(|algorithm| constraints.algorithm.is_none_or(|wanted| wanted == *algorithm))
    else {
        return refused();
    };
    if !is_signed(token, algorithm, constraints.secret.unwrap_or_default())? {
        return refused();
    }
    let (header, payload, _) = decode(token, MAX_NESTED)?;
    let now = Number::from(context.now_ns());
    let is_allowed = match &payload {
        Value::Object(payload) => constraints.allow(payload, &now)?,
        _ => false,
    };
    if is_allowed { some(Value::array([Value::Bool(true), header, payload])) } else { refused() }
}
