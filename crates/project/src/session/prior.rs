//! The prior object, on its own or from a state. The provider upgrades objects of older schema versions.

use std::path::Path as FilePath;

use objchange::Value;
use objchange::schema::Schema;
use objchange_document::Prior;
use objchange_document::state_edit::{InstanceObject, StoredObject};
use objchange_provider::{ProviderExt, RawState, UpgradeResource};

use super::state_out::instance_address;
use super::{Session, SessionError};
use crate::plan_files::PlanFileReader;
use crate::resource::{ResourceError, prior_object};
use objchange_files::input::Source;

/// Reads a prior object: on its own, or at an address in a state.
///
/// # Errors
///
/// There is no such object, or the provider cannot upgrade it.
pub async fn known_object(
    prior: Option<&FilePath>,
    address: Option<&str>,
    of_block: Option<&str>,
    type_name: &str,
    schema: &Schema,
    session: &Session<'_>,
) -> Result<InstanceObject, SessionError> {
    let Some(path) = prior else { return Ok(InstanceObject::none(&schema.block)) };
    let source = Source::new(path);
    let file =
        PlanFileReader::default().read_object(&source, session.max_input.0).map_err(ResourceError::from)?;
    file.notices().iter().cloned().for_each(|notice| session.hidden.remark(notice));
    let stored = address.or(of_block).and_then(|address| {
        let address = instance_address(address, type_name).ok()?;
        StoredObject::find(file.text(), &address)
    });
    let Some(stored) = stored else {
        let read = prior_object(&source, &file, &schema.block, type_name, address, of_block);
        let Prior { value, tainted } = read.map_err(|error| SessionError::Resource(Box::new(error)))?;
        session.hide(&schema.block, &value);
        return Ok(InstanceObject { object: value, tainted, ..InstanceObject::none(&schema.block) });
    };
    if stored.schema_version > schema.version {
        let (has, knows) = (stored.schema_version, schema.version);
        return Err(SessionError::request(format!(
            "{source}: the object is of version {has} of its schema, and the provider knows only {knows}: use a newer provider"
        )));
    }
    // Attributes that the schema lost without a new version are dropped here, because no upgrade handles them.
    let kept = (stored.schema_version == schema.version)
        .then(|| stored.known_attributes(schema.block.implied_type()))
        .flatten();
    let request = UpgradeResource {
        type_name: type_name.into(),
        version: stored.schema_version,
        stored: match &stored.flat {
            Some(flatmap) => RawState { json: Vec::new(), flatmap: flatmap.clone() },
            None => RawState::json(kept.as_ref().unwrap_or(&stored.attributes).get()),
        },
    };
    let answer = session.ask().upgrade(&request).await?;
    session.warnings_or_errors(&answer.diagnostics)?;
    let object = answer.object.unwrap_or_else(|| Value::null(schema.block.implied_type().clone()));
    let object = stored.mark(&object);
    session.hide(&schema.block, &object);
    let identity = match (session.schemas.identity(type_name), &stored.identity) {
        (Some(ty), Some(identity)) => Value::from_json(identity.get(), ty).ok(),
        _ => None,
    };
    Ok(InstanceObject { object, tainted: stored.tainted, private: stored.private, identity })
}
