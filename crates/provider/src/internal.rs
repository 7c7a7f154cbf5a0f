//! Readers of what a provider sends that nobody calls by themselves, for the tests of the workspace.

use objchange::{Type, Value};
use prost::Message;

use crate::Schemas;
use crate::client::Handshake;
use crate::wire::{
    read_diagnostics, read_identities, read_path, read_schemas, read_schemas_5, read_value, tfplugin5 as pb5,
    tfplugin6 as pb,
};

/// Whether the line by which a provider says where it listens can be used.
pub fn handshake(line: &str) -> bool {
    Handshake::parse(line, &[5, 6]).is_ok()
}

/// The schemas in a message, read as both versions of the protocol have it, and as that of identities.
pub fn schemas(message: &[u8]) -> Vec<Schemas> {
    let six = pb::get_provider_schema::Response::decode(message).map(read_schemas);
    let five = pb5::get_provider_schema::Response::decode(message).map(read_schemas_5);
    let identities = pb::get_resource_identity_schemas::Response::decode(message).map(|identities| {
        let mut schemas = Schemas::default();
        read_identities(identities, &mut schemas);
        schemas
    });
    [six, five, identities].into_iter().flatten().collect()
}

/// The value in a message.
pub fn value(message: &[u8], ty: &Type) -> Option<Value> {
    let message = pb::DynamicValue::decode(message).ok()?;
    read_value("a value", Some(message), ty).ok().flatten()
}

/// Reads what providers say to people.
pub fn diagnostics(message: &[u8]) -> usize {
    if let Ok(path) = pb::AttributePath::decode(message) {
        let _ = read_path(path);
    }
    let answer = pb::validate_resource_config::Response::decode(message);
    answer.map_or(0, |answer| read_diagnostics(answer.diagnostics).len())
}
