//! The object as it is: by itself, or out of a state; what of a state file is of an older version is upgraded by the
//! provider.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use objchange::change::PrivateData;
use objchange::schema::{Block, Schema};
use objchange::value::{Marks, Path};
use objchange::{Type, Value};
use objchange_provider::{ProviderExt, RawState, UpgradeResource};
use serde_json::value::{RawValue, to_raw_value};

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
    // What the schema has lost without a new version is no upgrade's business.
    let kept = (stored.schema_version == schema.version)
        .then(|| known_part(&stored.attributes, schema.block.implied_type()))
        .flatten();
    let request = UpgradeResource {
        type_name: type_name.into(),
        version: stored.schema_version,
        stored: RawState::json(kept.as_ref().unwrap_or(&stored.attributes).get()),
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

/// The stored value without the attributes that its type does not have; `None` where none can be left out.
fn known_part(stored: &RawValue, ty: &Type) -> Option<Box<RawValue>> {
    let part = |raw: Box<RawValue>, ty: &Type| known_part(&raw, ty).unwrap_or(raw);
    match ty {
        Type::Object(object) => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            let known = members.into_iter().filter_map(|(name, raw)| {
                let ty = object.attribute(&name)?;
                Some((name, part(raw, ty)))
            });
            to_raw_value(&known.collect::<BTreeMap<_, _>>()).ok()
        }
        Type::List(element) | Type::Set(element) => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            to_raw_value(&elements.into_iter().map(|raw| part(raw, element)).collect::<Vec<_>>()).ok()
        }
        Type::Map(element) => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            let known = members.into_iter().map(|(key, raw)| (key, part(raw, element)));
            to_raw_value(&known.collect::<BTreeMap<_, _>>()).ok()
        }
        Type::Tuple(tuple) => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(stored.get()).ok()?;
            let same_length = elements.len() == tuple.elements().len();
            let known = elements.into_iter().zip(tuple.elements()).map(|(raw, ty)| part(raw, ty));
            same_length.then(|| to_raw_value(&known.collect::<Vec<_>>()).ok())?
        }
        Type::Dynamic | Type::String | Type::Number | Type::Bool => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_type_does_not_have_is_left_out_and_all_else_kept() {
        let disk = Type::object([("size", Type::Number), ("any", Type::Dynamic)]);
        let ty = Type::object([
            ("disks", Type::list(disk.clone())),
            ("by_name", Type::map(disk.clone())),
            ("pair", Type::tuple([disk, Type::String])),
            ("name", Type::String),
        ]);
        let stored = r#"{"disks":[{"size":0.10000000000000000000000001,"old":{"a":1}},null],"old":[1],
            "by_name":{"old":{"old":2,"any":{"value":{"old":1},"type":["object",{"old":"number"}]}}},
            "pair":[{"old":3},"x"],"name":{"old":4}}"#;
        let known = r#"{"by_name":{"old":{"any":{"value":{"old":1},"type":["object",{"old":"number"}]}}},"#
            .to_owned()
            + r#""disks":[{"size":0.10000000000000000000000001},null],"name":{"old":4},"pair":[{},"x"]}"#;
        let stored = RawValue::from_string(stored.into()).unwrap();
        assert_eq!(known_part(&stored, &ty).unwrap().get(), known);
    }
}
