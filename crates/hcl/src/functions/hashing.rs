//! Digests of text, and UUIDs made from a digest.

use data_encoding::{BASE64, HEXLOWER};
use md5::Md5;
use objchange::{Type, Value};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{Answer, quote, string, text};
use crate::function::{Function, FunctionError, Functions};

/// From bytes to their digest as text.
pub(super) type Digester = fn(&[u8]) -> String;

/// A digest as text, by the name of the function that it has.
pub(super) const DIGESTS: [(&str, Digester); 6] = [
    ("md5", |bytes| HEXLOWER.encode(&Md5::digest(bytes))),
    ("sha1", |bytes| HEXLOWER.encode(&Sha1::digest(bytes))),
    ("sha256", |bytes| HEXLOWER.encode(&Sha256::digest(bytes))),
    ("sha512", |bytes| HEXLOWER.encode(&Sha512::digest(bytes))),
    ("base64sha256", |bytes| BASE64.encode(&Sha256::digest(bytes))),
    ("base64sha512", |bytes| BASE64.encode(&Sha512::digest(bytes))),
];

pub(super) fn add(functions: &mut Functions) {
    for (name, digest) in DIGESTS {
        let body = move |a: &[Value], _: &Type| Ok(digest(text(a, 0).as_bytes()).into());
        functions.insert(name, Function::new([string("str")], Type::String, body));
    }
    functions.insert("uuidv5", Function::new([string("namespace"), string("name")], Type::String, uuid_v5));
}

/// The well-known namespaces differ in one byte.
fn namespace(name: &str) -> Option<[u8; 16]> {
    // RFC 4122, appendix C.
    let well_known = |last: u8| {
        Some([0x6b, 0xa7, 0xb8, last, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8])
    };
    match name {
        "dns" => well_known(0x10),
        "url" => well_known(0x11),
        "oid" => well_known(0x12),
        "x500" => well_known(0x14),
        _ => parse_uuid(name),
    }
}

/// The error for an invalid UUID, in the words of Go's `uuid` package.
fn refusal(text: &str) -> String {
    let urn = 45;
    match text.len() {
        32 | 36 | 38 => "invalid UUID format".to_owned(),
        length if length == urn && text.to_ascii_lowercase().starts_with("urn:uuid:") => {
            "invalid UUID format".to_owned()
        }
        length if length == urn => {
            format!("invalid urn prefix: {}", quote(&String::from_utf8_lossy(&text.as_bytes()[..9])))
        }
        length => format!("invalid UUID length: {length}"),
    }
}

/// With hyphens, in braces or behind `urn:uuid:`, or the digits alone.
fn parse_uuid(text: &str) -> Option<[u8; 16]> {
    let lower = text.to_ascii_lowercase();
    let digits = if lower.len() == 32 {
        lower
    } else {
        let inner = match lower.len() {
            36 => lower.as_str(),
            38 => lower.get(1..37)?,
            _ => lower.strip_prefix("urn:uuid:")?,
        };
        let has_hyphens = inner.len() == 36 && [8, 13, 18, 23].iter().all(|at| inner.as_bytes()[*at] == b'-');
        has_hyphens.then(|| inner.replace('-', ""))?
    };
    HEXLOWER.decode(digits.as_bytes()).ok()?.try_into().ok()
}

fn uuid_v5(arguments: &[Value], _: &Type) -> Answer {
    let name = text(arguments, 0);
    let namespace = namespace(name).ok_or_else(|| {
        let why = refusal(name);
        FunctionError::new(format!("uuidv5() doesn't support namespace {name} ({why})"))
    })?;
    let digest = Sha1::new().chain_update(namespace).chain_update(text(arguments, 1)).finalize();
    let mut bytes: Vec<u8> = digest[..16].to_vec();
    // The bits for version 5 and for the variant of RFC 4122.
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = HEXLOWER.encode(&bytes);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Ok(parts.join("-").into())
}
