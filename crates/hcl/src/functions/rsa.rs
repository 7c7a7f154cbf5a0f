//! Decrypts text that was encrypted for an RSA key.
//!
//! The key is in the configuration, so its owner gains nothing from measuring time. The code therefore has none of the
//! constant-time arithmetic that makes the `rsa` crate large, and is unfit for other uses.

use num_bigint::BigUint;
use objchange::{Type, Value};

use super::encoding::LENIENT;
use super::{Answer, quote, string, text};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let parameters = [string("ciphertext"), string("privatekey")];
    functions.insert("rsadecrypt", Function::new(parameters, Type::String, decrypt));
}

/// The maximum size of a modulus, in bits.
const MAX_MODULUS: u64 = 16_384;

fn decrypt(arguments: &[Value], _: &Type) -> Answer {
    let encrypted = LENIENT.decode(text(arguments, 0).as_bytes()).map_err(|_| {
        let text = quote(text(arguments, 0));
        let message = format!("failed to decode input {text}: cipher text must be base64-encoded");
        FunctionError::argument(0, message)
    })?;
    let pem = text(arguments, 1);
    let (modulus, exponent) = key(pem).ok_or_else(|| FunctionError::argument(1, refusal(pem)))?;
    let plain = BigUint::from_bytes_be(&encrypted).modpow(&exponent, &modulus).to_bytes_be();
    let wrong = || FunctionError::new("failed to decrypt: crypto/rsa: decryption error");
    // PKCS #1 v1.5 (RFC 8017): 00 02, at least eight bytes of padding other than zero, 00, and the text.
    let is_whole = encrypted.len() as u64 == modulus.bits().div_ceil(8) && plain.len() + 1 == encrypted.len();
    let padded = plain.strip_prefix(&[2]).filter(|_| is_whole).ok_or_else(wrong)?;
    let end = padded.iter().position(|byte| *byte == 0).filter(|end| *end >= 8).ok_or_else(wrong)?;
    let text = String::from_utf8_lossy(&padded[end + 1..]);
    Ok(text.as_ref().into())
}

/// The error for a text that is not a usable key.
fn refusal(pem: &str) -> &'static str {
    let body = pem.split_once("-----BEGIN ").and_then(|(_, rest)| rest.split_once("-----"));
    match body.filter(|(_, rest)| rest.contains("-----END ")) {
        None => "invalid private key: ssh: no key found",
        Some(_) => "invalid private key: an RSA key in PEM form, without a password, is required",
    }
}

/// The modulus and the private exponent.
fn key(pem: &str) -> Option<(BigUint, BigUint)> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (kind, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let der = LENIENT.decode(body.trim().as_bytes()).ok()?;
    let der = match kind {
        "RSA PRIVATE KEY" => der.as_slice(),
        // PKCS #8 (RFC 5208): a version, an algorithm, and the PKCS #1 key as an octet string.
        "PRIVATE KEY" => {
            let (mut rest, _) = element(&der, SEQUENCE)?;
            for tag in [INTEGER, SEQUENCE] {
                rest = element(rest, tag)?.1;
            }
            element(rest, OCTETS)?.0
        }
        _ => return None,
    };
    let (numbers, _) = element(der, SEQUENCE)?;
    // PKCS #1 (RFC 8017): a version, the modulus, and the public exponent before the private one.
    let (_, rest) = element(numbers, INTEGER)?;
    let (modulus, rest) = element(rest, INTEGER)?;
    let (_, rest) = element(rest, INTEGER)?;
    let (exponent, _) = element(rest, INTEGER)?;
    let [modulus, exponent] = [modulus, exponent].map(BigUint::from_bytes_be);
    let is_usable = modulus.bits() > 0 && modulus.bits() <= MAX_MODULUS && exponent.bits() <= MAX_MODULUS;
    is_usable.then_some((modulus, exponent))
}

const INTEGER: u8 = 2;
const OCTETS: u8 = 4;
const SEQUENCE: u8 = 0x30;

/// The content of the first element of DER, if it has this tag, and what comes after it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (length, rest) = match der {
        [first, length @ ..=0x7f, rest @ ..] if *first == tag => (usize::from(*length), rest),
        [first, 0x81, length, rest @ ..] if *first == tag => (usize::from(*length), rest),
        [first, 0x82, high, low, rest @ ..] if *first == tag => {
            (usize::from(u16::from_be_bytes([*high, *low])), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}
