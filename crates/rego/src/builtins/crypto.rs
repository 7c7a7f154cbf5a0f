//! Hashes and message authentication codes.

use data_encoding::HEXLOWER;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::{Digest, block_api::BlockSizeUser};
use sha2::{Sha256, Sha384, Sha512};

use super::arguments::{some, text};
use super::{Builtin, Context, Outcome, Types};
use crate::value::{Value, bytes_of_text};

const S: Types = Types::STRING;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("crypto.md5", &[S], hash::<Md5>),
    Builtin::new("crypto.sha1", &[S], hash::<Sha1>),
    Builtin::new("crypto.sha256", &[S], hash::<Sha256>),
    Builtin::new("crypto.hmac.md5", &[S, S], mac::<Md5>),
    Builtin::new("crypto.hmac.sha1", &[S, S], mac::<Sha1>),
    Builtin::new("crypto.hmac.sha256", &[S, S], mac::<Sha256>),
    Builtin::new("crypto.hmac.sha512", &[S, S], mac::<Sha512>),
    Builtin::new("crypto.hmac.equal", &[S, S], |_, o| some(text(o, 0)? == text(o, 1)?)),
];

fn hash<D: Digest>(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let text = text(operands, 0)?;
    context.charge(text.len())?;
    some(HEXLOWER.encode(&D::digest(bytes_of_text(text))))
}

fn mac<D: Digest + BlockSizeUser>(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (message, key) = (text(operands, 0)?, text(operands, 1)?);
    context.charge(message.len() + key.len())?;
    some(HEXLOWER.encode(&hmac::<D>(&bytes_of_text(key), &bytes_of_text(message))))
}

/// HMAC (RFC 2104).
fn hmac<D: Digest + BlockSizeUser>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = vec![0; D::block_size()];
    if key.len() > block.len() {
        let digest = D::digest(key);
        block[..digest.len()].copy_from_slice(&digest);
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let masked = |mask: u8| block.iter().map(|byte| byte ^ mask).collect::<Vec<u8>>();
    let inner = D::new().chain_update(masked(0x36)).chain_update(message).finalize();
    D::new().chain_update(masked(0x5c)).chain_update(inner).finalize().to_vec()
}

/// The code of a message for one of the algorithms of tokens: `HS256`, `HS384`, `HS512`.
pub(super) fn token_mac(algorithm: &str, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    match algorithm {
        "HS256" => Some(hmac::<Sha256>(key, message)),
        "HS384" => Some(hmac::<Sha384>(key, message)),
        "HS512" => Some(hmac::<Sha512>(key, message)),
        _ => None,
    }
}
