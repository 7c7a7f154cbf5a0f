//! URIs, as Go's `net/url` reads them.

use super::arguments::{some, text};
use super::encoding::decode_percent;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::Value;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("uri.parse", &[Types::STRING], parse),
    Builtin::new("uri.is_valid", &[Types::ANY], |_, o| {
        some(o[0].as_str().is_some_and(|text| !text.is_empty() && Parts::new(text).is_ok()))
    }),
];

/// The parts of a URI, without escapes.
#[derive(Default)]
struct Parts {
    scheme: String,
    hostname: String,
    port: String,
    path: String,
    raw_path: String,
    raw_query: String,
    fragment: String,
}

/// The scheme of a URI and the rest.
fn split_scheme(text: &str) -> Result<(&str, &str), &'static str> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme"),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn unescape(text: &str) -> Result<String, String> {
    String::from_utf8(decode_percent(text, false)?).map_err(|_| "the result is not UTF-8 text".to_owned())
}

/// The name and the port of a host.
fn split_host(host: &str) -> Result<(String, String), String> {
    let (name, port) = if host.starts_with('[') {
        let close = host.rfind(']').ok_or("missing ']' in host")?;
        (&host[1..close], &host[close + 1..])
    } else {
        host.split_at(host.rfind(':').unwrap_or(host.len()))
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|b| b.is_ascii_digit()) || (digits == port && !port.is_empty()) {
        return Err(format!("invalid port {} after host", Value::from(port)));
    }
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || "-_.~!$&'()*+,;=:[]<>\"%".contains(c);
    if let Some(c) = name.chars().find(|c| !is_allowed(*c)) {
        return Err(format!("invalid character {} in host name", Value::from(c.to_string())));
    }
    // A host may have escapes of characters that are not ASCII alone.
    let mut escapes = name.match_indices('%').map(|(at, _)| name.as_bytes().get(at + 1));
    if escapes.any(|digit| digit.is_some_and(|digit| (b'0'..b'8').contains(digit))) {
        return Err(format!("invalid URL escape in host {}", Value::from(name)));
    }
    Ok((unescape(name)?, digits.to_owned()))
}

impl Parts {
    fn new(text: &str) -> Result<Self, String> {
        let mut parts = Self::default();
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        if rest.bytes().any(|b| b < b' ' || b == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        parts.fragment = unescape(fragment)?;
        let (scheme, rest) = split_scheme(rest)?;
        parts.scheme = scheme.to_lowercase();
        let (mut rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        query.clone_into(&mut parts.raw_query);
        if !rest.starts_with('/') {
            if !parts.scheme.is_empty() {
                // The URI is opaque, such as a mail address.
                return Ok(parts);
            }
            let first = rest.split('/').next().unwrap_or("");
            // RFC 3986 allows no colon there, because it would look like the end of a scheme. OPA 1.20 refuses `1:b`.
            if first.contains(':') {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        if let Some(after) = rest.strip_prefix("//")
            && (!parts.scheme.is_empty() || !rest.starts_with("///"))
        {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
            if !user.chars().all(is_allowed) {
                return Err("net/url: invalid userinfo".to_owned());
            }
            (parts.hostname, parts.port) = split_host(host)?;
            rest = path;
        }
        parts.path = unescape(rest)?;
        // Go keeps the path as it is written only if it would not escape it like this.
        rest.clone_into(&mut parts.raw_path);
        if default_escape(&parts.path) == parts.raw_path {
            parts.path.clone_into(&mut parts.raw_path);
        }
        Ok(parts)
    }
}

/// A path as Go escapes it.
fn default_escape(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&data_encoding::HEXUPPER.encode(&[byte]));
        }
    }
    out
}

fn parse(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let text = text(operands, 0)?;
    context.charge(4 * text.len())?;
    let parts = Parts::new(text)
        .map_err(|problem| BuiltinError::failed(format!("parse {}: {problem}", operands[0])))?;
    let named = [
        ("scheme", parts.scheme),
        ("hostname", parts.hostname),
        ("port", parts.port),
        ("path", parts.path),
        ("raw_path", parts.raw_path),
        ("raw_query", parts.raw_query),
        ("fragment", parts.fragment),
    ];
    let entries: Vec<_> = named
        .into_iter()
        // OPA 1.20 leaves out empty parts: `uri.parse("mailto:a@b")` is `{"scheme": "mailto"}`.
        .filter(|(_, part)| !part.is_empty())
        .map(|(name, part)| (Value::from(name), Value::from(part)))
        .collect();
    some(Value::object(entries))
}
