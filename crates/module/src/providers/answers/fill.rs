//! Puts answers where an object is not known.

use objchange::Value;
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestingMode};
use objchange::value::{Kind, PathStack};
use smol_str::SmolStr;

/// An object by its schema, and what of it is configured: configuration is stronger than any answer.
pub(super) struct Fill<'f> {
    pub(super) schema: &'f Block,
    pub(super) config: &'f Value,
}

impl Fill<'_> {
    /// The object with answers for what is computed and not known.
    pub(super) fn object(&self, object: &Value, answer: &Value) -> Result<Value, String> {
        unexpected(self.schema, answer)?;
        let filled = members(
            Members { attributes: self.schema.attributes(), blocks: self.schema.block_types() },
            object,
            Some(self.config),
            answer,
        )?;
        self.schema.coerce_config(&filled).map_err(|error| error.to_string())
    }
}

/// Whether an answer fits a schema.
pub(super) fn check(schema: &Block, answer: &Value) -> Result<(), String> {
    unexpected(schema, answer)?;
    for (name, attribute) in schema.attributes() {
        // An answer may give one nested object for a whole collection, so nested attributes are converted elsewhere.
        if let (AttributeType::Plain(_), Some(value)) = (&attribute.ty, answer.attribute(name)) {
            typed(name, attribute, value)?;
        }
    }
    Ok(())
}

/// Completes an answer to an object; attributes that it leaves out are null. `None` if a part is declared unknown.
pub(super) fn complete(schema: &Block, answer: &Value) -> Result<Option<Value>, String> {
    unexpected(schema, answer)?;
    if answer.as_object().is_some_and(|object| object.values().iter().any(is_open)) {
        return Ok(None);
    }
    let attributes = schema.attributes().iter().map(|(name, attribute)| {
        let value = answer.attribute(name).cloned();
        (name.clone(), value.unwrap_or_else(|| Value::null(attribute.implied_type().clone())))
    });
    let blocks = schema
        .block_types()
        .iter()
        .filter_map(|(name, _)| Some((name.clone(), answer.attribute(name)?.clone())));
    let object = schema.coerce_config(&Value::object(attributes.chain(blocks)));
    object.map(Some).map_err(|error| error.to_string())
}

fn unexpected(schema: &Block, answer: &Value) -> Result<(), String> {
    let Some(object) = answer.as_object() else { return Err("an object is required".to_owned()) };
    let is_known = |name: &str| schema.attribute(name).is_some() || schema.block_type(name).is_some();
    match object.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(format!("the schema has no attribute or block type {:?}", name.as_str())),
        None => Ok(()),
    }
}

/// Whether it says that there is no answer: `{"$unknown": {}}`.
fn is_open(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.iter().len() == 1 && object.get("$unknown").is_some())
}

fn typed(name: &str, attribute: &Attribute, value: &Value) -> Result<Value, String> {
    if is_open(value) {
        return Ok(Value::unknown(attribute.implied_type().clone()));
    }
    let hidden = if attribute.sensitive { value.clone().sensitive() } else { value.clone() };
    let path = objchange::value::Path::root().attribute(name);
    let converted = hidden.convert_at(attribute.accepted_type(), PathStack::from(&path));
    Ok(converted.map_err(|error| error.to_string())?.unmark_deep().0)
}

#[derive(Clone, Copy)]
struct Members<'s> {
    attributes: &'s [(SmolStr, Attribute)],
    blocks: &'s [(SmolStr, NestedBlock)],
}

fn members(
    schema: Members<'_>,
    object: &Value,
    config: Option<&Value>,
    answer: &Value,
) -> Result<Value, String> {
    let (Some(given), Some(_)) = (object.as_object(), answer.as_object()) else { return Ok(object.clone()) };
    let mut all: Vec<(SmolStr, Value)> = Vec::with_capacity(given.iter().len());
    for (name, value) in given.iter() {
        let configured = config.and_then(|config| config.attribute(name));
        let attribute =
            schema.attributes.iter().find(|(other, _)| other == name).map(|(_, attribute)| attribute);
        let block = schema.blocks.iter().find(|(other, _)| other == name).map(|(_, block)| block);
        let filled = match (answer.attribute(name), attribute, block) {
            (Some(answer), Some(attribute), _) => {
                self::attribute(name, attribute, value, configured, answer)?
            }
            (Some(answer), None, Some(block)) => {
                let inside =
                    Members { attributes: block.block.attributes(), blocks: block.block.block_types() };
                nested(block.nesting, inside, value, configured, answer)?
            }
            _ => value.clone(),
        };
        all.push((name.clone(), filled));
    }
    Ok(Value::object(all))
}

fn attribute(
    name: &str,
    attribute: &Attribute,
    value: &Value,
    configured: Option<&Value>,
    answer: &Value,
) -> Result<Value, String> {
    if !value.is_known() {
        let is_free = attribute.computed && configured.is_none_or(Value::is_null);
        return if is_free && !is_open(answer) { typed(name, attribute, answer) } else { Ok(value.clone()) };
    }
    match attribute.nested() {
        Some(inside) if !value.is_null() => {
            let members = Members { attributes: inside.attributes(), blocks: &[] };
            nested(inside.nesting(), members, value, configured, answer)
        }
        _ => Ok(value.clone()),
    }
}

/// Fills the objects of a collection. An answer that is a single object serves all of them.
fn nested(
    nesting: NestingMode,
    schema: Members<'_>,
    value: &Value,
    configured: Option<&Value>,
    answer: &Value,
) -> Result<Value, String> {
    match (nesting, value.kind()) {
        (NestingMode::Single | NestingMode::Group, _) => members(schema, value, configured, answer),
        (NestingMode::List, Kind::List(elements) | Kind::Tuple(elements)) => {
            let part = |whole: &Value, i: usize| match whole.kind() {
                Kind::List(elements) | Kind::Tuple(elements) => elements.get(i).cloned(),
                _ => None,
            };
            let filled = elements.iter().enumerate().map(|(i, element)| {
                let configured = configured.and_then(|configured| part(configured, i));
                let answer =
                    if answer.as_object().is_some() { Some(answer.clone()) } else { part(answer, i) };
                match answer {
                    Some(answer) => members(schema, element, configured.as_ref(), &answer),
                    None => Ok(element.clone()),
                }
            });
            Ok(Value::tuple(filled.collect::<Result<Vec<Value>, String>>()?))
        }
        (NestingMode::Map, Kind::Map(map)) => {
            let part = |whole: &Value, key: &str| match whole.kind() {
                Kind::Map(map) => map.get(key).cloned(),
                Kind::Object(object) => object.get(key).cloned(),
                _ => None,
            };
            let filled = map.iter().map(|(key, element)| {
                let configured = configured.and_then(|configured| part(configured, key));
                let own = part(answer, key).filter(|own| own.as_object().is_some());
                let filled =
                    members(schema, element, configured.as_ref(), &own.unwrap_or_else(|| answer.clone()))?;
                Ok((key.clone(), filled))
            });
            Ok(Value::object(filled.collect::<Result<Vec<(SmolStr, Value)>, String>>()?))
        }
        // Elements of a set have no names by which an answer could tell them apart.
        _ => Ok(value.clone()),
    }
}
