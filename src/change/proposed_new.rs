//! The proposed new object: prior state and configuration merged (spec section 3).

use std::sync::Arc;

use smol_str::SmolStr;

use super::ChangeError;
use super::access::{Keyed, elements, member, not_an_object, set_elements};
use super::set_match::{Members, SetMatcher};
use crate::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use crate::value::{Kind, ObjectType, PathStack, SetMerge, StepRef, Type, Value};

/// Merges prior state and configuration into the object that a provider is asked to plan for.
///
/// What configuration sets comes from there; what it leaves to the provider (computed and null) comes from
/// the prior state. Elements of sets are matched by what configuration can say about them.
///
/// The prior value is wholly known or null; configuration may have unknown parts.
///
/// # Errors
///
/// A value does not fit the schema, or a collection of blocks is marked as a whole.
///
/// ```
/// use objchange::change::proposed_new;
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new(
///     [("id", Attribute::computed(Type::String)), ("size", Attribute::optional(Type::Number))],
///     [],
/// );
/// let prior = Value::object([("id", Value::from("vol-1")), ("size", Value::from(10))]);
/// let config = Value::object([("id", Value::null(Type::String)), ("size", Value::from(20))]);
/// assert_eq!(
///     proposed_new(&schema, &prior, &config)?,
///     Value::object([("id", Value::from("vol-1")), ("size", Value::from(20))]),
/// );
/// # Ok::<(), objchange::change::ChangeError>(())
/// ```
#[doc(alias = "ProposedNew")]
pub fn proposed_new(schema: &Block, prior: &Value, config: &Value) -> Result<Value, ChangeError> {
    block(schema, prior, config, PathStack::ROOT)
}

/// The planned object of a data resource that is read during apply: each computed attribute that
/// configuration does not set is unknown (spec section 3).
///
/// # Errors
///
/// As [`proposed_new`].
#[doc(alias = "PlannedDataResourceObject")]
pub fn planned_data_resource(schema: &Block, config: &Value) -> Result<Value, ChangeError> {
    proposed_new(schema, &Value::unknown(schema.implied_type().clone()), config)
}

/// A block: both null gives prior, a null prior counts as empty, a null or unknown config gives prior.
fn block(schema: &Block, prior: &Value, config: &Value, path: PathStack<'_>) -> Result<Value, ChangeError> {
    let prior = match (prior.is_null(), config.is_null()) {
        (true, true) => return Ok(prior.clone()),
        (true, false) => schema.empty_value(),
        _ => prior,
    };
    match config.kind() {
        Kind::Null | Kind::Unknown(_) => Ok(prior.clone()),
        Kind::Object(_) => {
            let mut merged = Merged::new(schema.object_type(), prior, config);
            for (position, name, attribute) in schema.positioned_attributes() {
                merged.attribute(position, name, attribute, path)?;
            }
            for (position, name, nested) in schema.positioned_blocks() {
                if schema.attribute(name).is_none() {
                    merged.block(position, name, nested, path)?;
                }
            }
            Ok(merged.finish())
        }
        _ => Err(not_an_object(config, path)),
    }
}

/// An object of a nested type; config is not null.
fn nested_object(
    schema: &NestedType,
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
) -> Result<Value, ChangeError> {
    let mut merged = Merged::new(schema.object_type(), prior, config);
    for (position, (name, attribute)) in schema.attributes().iter().enumerate() {
        merged.attribute(position, name, attribute, path)?;
    }
    Ok(merged.finish())
}

/// The members of an object while they are merged.
struct Merged<'v> {
    object: &'v Arc<ObjectType>,
    prior: &'v Value,
    config: &'v Value,
    values: Vec<Option<Value>>,
    /// All members so far are prior's, so that the whole object may be.
    all_prior: bool,
}

impl<'v> Merged<'v> {
    fn new(object: &'v Arc<ObjectType>, prior: &'v Value, config: &'v Value) -> Self {
        let values = vec![None; object.attributes().len()];
        let all_prior = prior.as_object().is_some() && !prior.is_marked();
        Self { object, prior, config, values, all_prior }
    }

    fn attribute(
        &mut self,
        position: usize,
        name: &SmolStr,
        attribute: &Attribute,
        path: PathStack<'_>,
    ) -> Result<(), ChangeError> {
        let declared = attribute.implied_type();
        let prior = member(self.prior, position, name, declared, path)?;
        let config = member(self.config, position, name, declared, path)?;
        let path = path.attribute(name);
        let value = merge_attribute(attribute, &prior, &config, path)?;
        self.put(position, &prior, value);
        Ok(())
    }

    fn block(
        &mut self,
        position: usize,
        name: &SmolStr,
        nested: &NestedBlock,
        path: PathStack<'_>,
    ) -> Result<(), ChangeError> {
        let declared = &self.object.attributes()[position].1;
        let prior = member(self.prior, position, name, declared, path)?;
        let config = member(self.config, position, name, declared, path)?;
        let value = merge_blocks(nested, &prior, &config, path.attribute(name))?;
        self.put(position, &prior, value);
        Ok(())
    }

    fn put(&mut self, position: usize, prior: &Value, value: Value) {
        // Equal parts are shared with prior, so that they are recognised at once from here on.
        let value = if value.identical(prior) {
            prior.clone()
        } else {
            self.all_prior = false;
            value
        };
        self.values[position] = Some(value);
    }

    fn finish(self) -> Value {
        let values: Vec<Value> = self.values.into_iter().flatten().collect();
        if self.all_prior && self.prior.len() == Some(values.len()) {
            return self.prior.clone();
        }
        // Types with dynamic parts differ from the schema's: config's own is the likely one then.
        let template = match self.config.ty() {
            Type::Object(ty) if self.object.attributes().len() == ty.attributes().len() => ty,
            _ => self.object,
        };
        Value::object_like(template, values)
    }
}

fn merge_attribute(
    attribute: &Attribute,
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
) -> Result<Value, ChangeError> {
    if attribute.computed && config.is_null() {
        let removed =
            attribute.optional && attribute.nested().is_some_and(|nested| holds_configured(nested, prior));
        return Ok(if removed { config.clone() } else { prior.clone() });
    }
    match attribute.nested() {
        Some(nested) => merge_nested(nested, prior, config, path),
        None => Ok(config.clone()),
    }
}

/// Whether somebody must have configured this: it holds an attribute that is not null and not computed.
fn holds_configured(schema: &NestedType, prior: &Value) -> bool {
    let in_object = |object: &Value| {
        object.as_object().is_some_and(|o| {
            schema.attributes().iter().enumerate().any(|(position, (name, attribute))| {
                o.get_at(position, name).is_some_and(|value| {
                    !value.is_null()
                        && (!attribute.computed
                            || attribute.nested().is_some_and(|nested| holds_configured(nested, value)))
                })
            })
        })
    };
    match schema.nesting() {
        NestingMode::Single | NestingMode::Group => in_object(prior),
        NestingMode::List | NestingMode::Set => {
            prior.as_elements().is_some_and(|elements| elements.iter().any(in_object))
        }
        NestingMode::Map => match prior.kind() {
            Kind::Map(m) => m.iter().any(|(_, v)| in_object(v)),
            Kind::Object(o) => o.values().iter().any(in_object),
            _ => false,
        },
    }
}

fn merge_nested(
    schema: &NestedType,
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
) -> Result<Value, ChangeError> {
    if config.is_null() || !config.is_known() {
        return Ok(config.clone());
    }
    let object = |prior: &Value, config: &Value, path: PathStack<'_>| {
        if config.is_null() { Ok(config.clone()) } else { nested_object(schema, prior, config, path) }
    };
    match schema.nesting() {
        NestingMode::Single | NestingMode::Group => object(prior, config, path),
        NestingMode::List => merge_list(prior, config, path, object),
        NestingMode::Map => merge_map(prior, config, path, object),
        NestingMode::Set => merge_set(Members::Nested(schema), prior, config, path, object),
    }
}

fn merge_blocks(
    schema: &NestedBlock,
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
) -> Result<Value, ChangeError> {
    if !config.is_known() {
        return Ok(config.clone());
    }
    let object =
        |prior: &Value, config: &Value, path: PathStack<'_>| block(&schema.block, prior, config, path);
    match schema.nesting {
        NestingMode::Group if config.is_null() => Ok(prior.clone()),
        _ if config.is_null() => Ok(config.clone()),
        NestingMode::Single | NestingMode::Group => object(prior, config, path),
        _ if config.is_marked() => Err(ChangeError::MarkedBlocks { path: path.to_path() }),
        NestingMode::List => merge_list(prior, config, path, object),
        NestingMode::Map => merge_map(prior, config, path, object),
        NestingMode::Set => merge_set(Members::Block(&schema.block), prior, config, path, object),
    }
}

/// By index; where prior has no such index, the element of config stays as it is.
fn merge_list(
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
    object: impl Fn(&Value, &Value, PathStack<'_>) -> Result<Value, ChangeError>,
) -> Result<Value, ChangeError> {
    let config_elements = elements(config, path)?;
    let prior_elements = match prior.kind() {
        Kind::Null | Kind::Unknown(_) => &[],
        _ => elements(prior, path)?,
    };
    let mut merged = Vec::with_capacity(config_elements.len());
    let mut all_prior = prior_elements.len() == config_elements.len();
    for (i, element) in config_elements.iter().enumerate() {
        let path = path.then(StepRef::Position(i));
        let value = match (prior_elements.get(i), prior.is_known()) {
            (Some(prior_element), _) => object(prior_element, element, path)?,
            (None, false) => object(&Value::unknown(element.ty().clone()), element, path)?,
            (None, true) => element.clone(),
        };
        all_prior = all_prior && prior_elements.get(i).is_some_and(|p| p.same_place(&value));
        merged.push(value);
    }
    if all_prior && prior.as_elements().is_some() && config.ty() == prior.ty() && !config.is_marked() {
        return Ok(prior.clone());
    }
    let merged = match config.kind() {
        Kind::List(_) => Value::list_like(config.ty(), merged),
        _ => Value::tuple(merged),
    };
    Ok(merged.with_marks(config.marks()))
}

/// By key; a missing prior element counts as null, or as unknown if prior is.
fn merge_map(
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
    object: impl Fn(&Value, &Value, PathStack<'_>) -> Result<Value, ChangeError>,
) -> Result<Value, ChangeError> {
    let config_entries = Keyed::new(config, path)?;
    let prior_entries = match prior.kind() {
        Kind::Null | Kind::Unknown(_) => None,
        _ => Some(Keyed::new(prior, path)?),
    };
    let mut merged = Vec::with_capacity(config_entries.len());
    let mut all_prior = prior_entries.is_some_and(|p| p.len() == config_entries.len());
    for (key, element) in config_entries.iter() {
        let path = match config_entries {
            Keyed::Map(_) => path.then(StepRef::Key(key)),
            Keyed::Object(_) => path.attribute(key),
        };
        let found = prior_entries.and_then(|p| p.get(key));
        let value = match found {
            Some(prior_element) => object(prior_element, element, path)?,
            None if prior.is_known() => object(&Value::null(element.ty().clone()), element, path)?,
            None => object(&Value::unknown(element.ty().clone()), element, path)?,
        };
        all_prior = all_prior && found.is_some_and(|p| p.same_place(&value));
        merged.push((key.clone(), value));
    }
    if all_prior && config.ty() == prior.ty() && !config.is_marked() {
        return Ok(prior.clone());
    }
    let merged = match config.kind() {
        Kind::Map(_) => Value::map_like(config.ty(), merged),
        _ => Value::object(merged),
    };
    Ok(merged.with_marks(config.marks()))
}

/// Each element of config with the first prior element that it could have become, or null.
fn merge_set(
    members: Members<'_>,
    prior: &Value,
    config: &Value,
    path: PathStack<'_>,
    object: impl Fn(&Value, &Value, PathStack<'_>) -> Result<Value, ChangeError>,
) -> Result<Value, ChangeError> {
    let config_elements = set_elements(config, path)?;
    let prior_elements = match prior.kind() {
        Kind::Null | Kind::Unknown(_) => &[],
        _ => set_elements(prior, path)?,
    };
    let mut matcher = SetMatcher::new(members, prior_elements);
    let mut merged = SetMerge::with_capacity(config_elements.len());
    let mut all_prior = prior_elements.len() == config_elements.len();
    for element in config_elements {
        let path = path.then(StepRef::Element(element));
        let position = matcher.take(element);
        let value = match position {
            Some(i) => object(&prior_elements[i], element, path)?,
            None => object(&Value::null(element.ty().clone()), element, path)?,
        };
        let unchanged = position.filter(|i| prior_elements[*i].same_place(&value));
        all_prior = all_prior && unchanged.is_some();
        merged.push(value, unchanged);
    }
    if all_prior && prior.as_elements().is_some() && config.ty() == prior.ty() && !config.is_marked() {
        return Ok(prior.clone());
    }
    let merged = if prior.as_elements().is_some() { merged.finish(prior) } else { merged.finish(config) };
    Ok(merged.with_marks(config.marks()))
}
