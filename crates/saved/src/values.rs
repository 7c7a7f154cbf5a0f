//! Decodes values of resources and outputs by their types, and marks their sensitive parts.

use std::collections::HashMap;
use std::sync::Arc;

use objchange::schema::{Schema, SchemaDocumentError, SchemaKind};
use objchange::value::{Kind, Marks, MsgpackError, Path, PathStep, StatedTypes};
use objchange::{Type, Value};
use objchange_module::{ProviderAddress, Schemas};

use crate::error::SavedPlanError;
use crate::message::{self, DynamicValue};

/// The maximum number of steps in a path. Values that can be read are less deeply nested.
const MAX_STEPS: usize = 256;

/// The schemas of a plan, each read once.
pub(crate) struct SchemaCopies<'s> {
    schemas: &'s Schemas,
    read: HashMap<(ProviderAddress, SchemaKind, String), Option<Arc<Schema>>>,
}

impl<'s> SchemaCopies<'s> {
    pub(crate) fn new(schemas: &'s Schemas) -> Self {
        Self { schemas, read: HashMap::new() }
    }

    pub(crate) fn get(
        &mut self,
        provider: &ProviderAddress,
        kind: SchemaKind,
        name: &str,
    ) -> Result<Option<Arc<Schema>>, SchemaDocumentError> {
        let key = (provider.clone(), kind, name.to_owned());
        if let Some(schema) = self.read.get(&key) {
            return Ok(schema.clone());
        }
        let schema = self.schemas.get(provider, kind, name)?.cloned().map(Arc::new);
        self.read.insert(key, schema.clone());
        Ok(schema)
    }
}

/// Decodes a value of this type, or infers the type.
pub(crate) fn decode(
    value: &DynamicValue,
    ty: Option<&Type>,
    types: &mut StatedTypes,
) -> Result<Value, MsgpackError> {
    // Without a type a number may come out as text, because Terraform writes 0.1 and "0.1" as equal bytes.
    Value::from_msgpack_stating(&value.msgpack, ty, types)
}

/// A path, with names and keys; numbers are positions.
pub(crate) fn path(path: &message::Path, place: &str) -> Result<Path, SavedPlanError> {
    let broken =
        |problem: &str| SavedPlanError::Message { place: place.to_owned(), problem: problem.to_owned() };
    if path.steps.len() > MAX_STEPS {
        return Err(broken("a path has too many steps"));
    }
    let step = |step: &message::Step| match (&step.attribute_name, &step.element_key) {
        (Some(name), None) => Ok(PathStep::Attribute(name.as_str().into())),
        (None, Some(key)) => {
            let key = decode(key, None, &mut StatedTypes::default())
                .map_err(|_| broken("the key in a path cannot be read"))?;
            match key.kind() {
                Kind::String(_) | Kind::Number(_) => Ok(PathStep::Index(key)),
                _ => Err(broken("a key in a path is neither text nor a number")),
            }
        }
        _ => Err(broken("a step of a path is neither a name nor a key")),
    };
    path.steps.iter().map(step).collect()
}

/// The value with these parts marked as sensitive.
pub(crate) fn marked(value: &Value, paths: &[message::Path], place: &str) -> Result<Value, SavedPlanError> {
    let paths = paths.iter().map(|one| Ok((path(one, place)?, Marks::SENSITIVE)));
    let paths = paths.collect::<Result<Vec<_>, SavedPlanError>>()?;
    Ok(value.mark_where_present(&paths))
}

/// Hides every part of a value, because it is not known which parts are sensitive. Attribute names stay visible.
pub(crate) fn all_hidden(value: &Value) -> Value {
    match value.as_object() {
        Some(object) => {
            let names =
                object.iter().map(|(name, _)| (Path::root().attribute(name.clone()), Marks::SENSITIVE));
            value.mark_where_present(&names.collect::<Vec<_>>())
        }
        None => value.clone().sensitive(),
    }
}
