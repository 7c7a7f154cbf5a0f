//! Reads messages of the protocol from bytes, of a recorded connection or a test.
//!
//! A [`Client`](crate::Client) reads the messages of its own connection.

use objchange::change::Diagnostic;
use objchange::{Type, Value};
use prost::Message;

use crate::wire::{self, tfplugin6 as pb};
use crate::{ErrorKind, Result, Schemas};

/// The schemas in an answer to `GetProviderSchema` in protocol 6, or to `GetSchema` in protocol 5.
///
/// Schemas that cannot be understood are left out and listed in [`Schemas::problems`].
///
/// ```
/// let message = b"\x12\x1a\x0a\x01a\x12\x15\x08\x01\x12\x11\x12\x0f\x0a\x01b\x12\x08\"string\"\x20\x01";
/// let schemas = objchange_provider::message::schemas(message, 6)?;
/// assert!(schemas.resources["a"].block.attribute("b").is_some());
/// # Ok::<(), objchange_provider::Error>(())
/// ```
///
/// # Errors
///
/// The bytes are not such a message, or the version of the protocol is neither 5 nor 6.
pub fn schemas(message: &[u8], version: u32) -> Result<Schemas> {
    match wire::Protocol::from_version(version) {
        Some(wire::Protocol::V5) => decode(message).map(wire::read_schemas_5),
        Some(wire::Protocol::V6) => decode(message).map(wire::read_schemas),
        None => Err(ErrorKind::WrongProtocol { version, offered: "5 and 6".to_owned() }.into()),
    }
}

/// The identities of resource types in an answer to `GetResourceIdentitySchemas`.
///
/// # Errors
///
/// The bytes are no such message.
pub fn identities(message: &[u8]) -> Result<Schemas> {
    let mut schemas = Schemas::default();
    wire::read_identities(decode(message)?, &mut schemas);
    Ok(schemas)
}

/// The value in a `DynamicValue`.
///
/// # Errors
///
/// The bytes are no such message, or the value is not of this type.
pub fn value(message: &[u8], ty: &Type) -> Result<Value> {
    let message: pb::DynamicValue = decode(message)?;
    wire::read_value_or_null("value", Some(message), ty)
}

/// The diagnostics in an answer to `ValidateResourceConfig`, and to `ValidateResourceTypeConfig` in protocol 5.
///
/// # Errors
///
/// The bytes are no such message.
pub fn diagnostics(message: &[u8]) -> Result<Vec<Diagnostic>> {
    let message: pb::validate_resource_config::Response = decode(message)?;
    Ok(wire::read_diagnostics(message.diagnostics))
}

fn decode<M: Message + Default>(message: &[u8]) -> Result<M> {
    M::decode(message)
        .map_err(|error| ErrorKind::Malformed { field: "message", reason: error.to_string() }.into())
}
