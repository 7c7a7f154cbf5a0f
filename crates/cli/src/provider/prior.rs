//! The object as it is: by itself, or out of a state; what of a state file is of an older version is upgraded by the
//! provider.

use std::path::Path as FilePath;

use objchange::Value;
use objchange::change::PrivateData;
use objchange::schema::{Block, Schema};
use objchange::value::{Marks, Path};
use objchange_provider::{Provider, RawState, UpgradeResource};

use super::session::{Failure, Session};
use super::state::Stored;
use crate::input::Source;
use crate::plan::Prior;

/// An object, and what is kept with it.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) object: Value,
    pub(super) tainted: bool,
    pub(super) private: PrivateData,
    pub(super) identity: Option<Value>,
}

impl Known {
    pub(super) fn nothing(block: &Block) -> Self {
        let object = Value::null(block.implied_type().clone());
        Self { object, tainted: false, private: PrivateData::default(), identity: None }
    }
}

/// Reads the prior object that the arguments name.
pub(super) async fn known(
    prior: Option<&FilePath>,
    address: Option<&str>,
    of_block: Option<&str>,
    type_name: &str,
    schema: &Schema,
    session: &Session<'_>,
) -> Result<Known, Failure> {
    let Some(path) = prior else { return Ok(Known::nothing(&schema.block)) };
    let source = Source::new(path);
    let text = source.read().map_err(|error| Failure::Unusable(error.to_string()))?;
    let stored = address.or(of_block).and_then(|address| Stored::find(&text, type_name, address));
    let Some(stored) = stored else {
        let read = crate::plan::read_prior_text(&source, &text, &schema.block, type_name, address, of_block);
        let Prior { value, tainted } = read.map_err(|error| Failure::Plan(Box::new(error)))?;
        session.hide(&schema.block, &value);
        return Ok(Known { object: value, tainted, ..Known::nothing(&schema.block) });
    };
    if stored.schema_version > schema.version {
        let (has, knows) = (stored.schema_version, schema.version);
        return Err(Failure::Unusable(format!(
            "{source}: the object is of version {has} of its schema, and the provider knows only {knows}: use a newer provider"
        )));
    }
    let request = UpgradeResource {
        type_name: type_name.into(),
        version: stored.schema_version,
        stored: RawState::json(stored.attributes.get()),
    };
    let answer = session.ask().upgrade(&request).await?;
    session.heed(&answer.diagnostics)?;
    let object = answer.object.unwrap_or_else(|| Value::null(schema.block.implied_type().clone()));
    let object = marked(&object, &stored.sensitive);
    session.hide(&schema.block, &object);
    let identity = match (session.schemas.identity(type_name), &stored.identity) {
        (Some(ty), Some(identity)) => Value::from_json(identity.get(), ty).ok(),
        _ => None,
    };
    Ok(Known { object, tainted: stored.tainted, private: PrivateData(stored.private), identity })
}

/// The object with what these paths lead to marked as sensitive, or the innermost part around it that is there.
fn marked(object: &Value, paths: &[Path]) -> Value {
    let reached = |path: &Path| -> Path {
        let steps = path.steps();
        let prefix = |n: usize| steps[..n].iter().cloned().collect::<Path>();
        (0..=steps.len()).rev().map(prefix).find(|path| object.at(path).is_some()).unwrap_or_default()
    };
    let marks: Vec<(Path, Marks)> = paths.iter().map(|path| (reached(path), Marks::SENSITIVE)).collect();
    object.mark_where_present(&marks)
}
