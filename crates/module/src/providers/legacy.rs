//! Providers of the older SDK, which plan other values than the configuration says.
//!
//! They fill in defaults that no schema shows, and keep `false`, `0` and `""` in attributes that nobody sets. Among 1,295
//! types of hashicorp/aws 5.100.0, 490 plan values in creations that the configuration leaves out. Out of 501 unchanged
//! objects, 137 would appear as updates if the attributes that the configuration leaves out were null. The state shows
//! the defaults: the provider may have filled in each value that only the state has.

use std::convert::Infallible;

use objchange::Value;
use objchange::change::PlanResourceChange;
use objchange::schema::{Attribute, AttributeType, Block};
use objchange::value::{Path, PathStep, Type};
use objchange_model::{empty_value, is_empty_value};

/// Whether a type is one of the older SDK, which gives each type an `id` that can be set and is computed. The newer one makes
/// every provider declare it, as computed alone.
pub(crate) fn is_legacy(schema: &Block) -> bool {
    schema.attribute("id").is_some_and(|id| {
        id.optional && id.computed && matches!(&id.ty, AttributeType::Plain(ty) if *ty == Type::String)
    })
}

/// A proposed object with the `id` of the prior one. The older SDK adds this attribute to each type. It refuses
/// configuration that sets it, so that no configuration can have left it out.
pub(super) fn with_id(proposed: &Value, prior: &Value) -> Value {
    let (Some(object), Some(id)) = (proposed.as_object(), prior.attribute("id")) else {
        return proposed.clone();
    };
    Value::object(
        object.iter().map(|(name, value)| (name.clone(), if name == "id" { id } else { value }.clone())),
    )
}

/// The proposed object as a provider of the older SDK may plan it; `None` if that is the proposed one itself.
///
/// An attribute that only the state has becomes unknown: it may be a default, or the provider removes it. A guess keeps
/// empty values (`false`, `0`, `""`, an empty collection), and empties other collections.
pub(super) fn with_defaults(request: &PlanResourceChange, is_guess: bool) -> Option<Value> {
    let PlanResourceChange { schema, prior, proposed, .. } = request;
    if prior.is_null() || !is_legacy(schema) {
        return None;
    }
    Some(left_out(schema, proposed, |path, attribute, part| {
        let before = prior.at(path).filter(|before| !before.is_null())?;
        if !is_guess {
            return Some(Value::unknown(part.ty().clone()));
        }
        match (is_empty_value(before), &attribute.ty) {
            (true, _) => Some(before.clone()),
            (false, AttributeType::Plain(ty)) => {
                let empty = if ty.is_primitive() { None } else { empty_value(ty) };
                empty.or_else(|| Some(Value::unknown(part.ty().clone())))
            }
            (false, AttributeType::Nested(_)) => None,
        }
    }))
}

/// The planned object without what such a provider may still change. It may create or replace the object, fill in arguments
/// that are left out, and compute blocks that are not configured: all of that is unknown.
pub(super) fn only_promised(schema: &Block, prior: &Value, planned: &Value) -> Value {
    let unknown = |part: &Value| Value::unknown(part.ty().clone());
    let attributes = left_out(schema, planned, |path, _, part| {
        let is_in_block = path.steps().len() > 1;
        let was_set = prior.is_null() || prior.at(path).is_some_and(|before| !before.is_null());
        (is_in_block || was_set).then(|| unknown(part))
    });
    let Ok(all) = attributes.transform(|path, part| {
        let is_empty = matches!(part.ty(), Type::List(_) | Type::Set(_) | Type::Map(_))
            && part.is_known()
            && part.len() == Some(0);
        let is_left_out = is_empty && {
            let path = path.to_path();
            schema.attribute_by_path(&path).is_none()
                && matches!(path.steps().last(), Some(PathStep::Attribute(_)))
                && schema.block_by_path(&path).is_some()
        };
        Ok::<_, Infallible>(if is_left_out { unknown(&part) } else { part })
    });
    all
}

/// Makes partly known sets unknown as a whole, because the older SDK does. Sets of blocks stay.
pub(super) fn without_partly_known_sets(schema: &Block, planned: &Value) -> Value {
    if planned.is_wholly_known() {
        return planned.clone();
    }
    let Ok(all) = planned.transform(|path, part| {
        let is_one = matches!(part.ty(), Type::Set(_)) && part.is_known() && !part.is_wholly_known();
        Ok::<_, Infallible>(match is_one && schema.attribute_by_path(&path.to_path()).is_some() {
            true => Value::unknown(part.ty().clone()),
            false => part,
        })
    });
    all
}

/// An object with each attribute changed that configuration alone sets, and leaves out.
fn left_out(
    schema: &Block,
    object: &Value,
    change: impl Fn(&Path, &Attribute, &Value) -> Option<Value>,
) -> Value {
    let Ok(changed) = object.transform(|path, part| {
        if !part.is_null() {
            return Ok::<_, Infallible>(part);
        }
        let path = path.to_path();
        let attribute = schema
            .attribute_by_path(&path)
            .filter(|attribute| attribute.optional && !attribute.computed && !attribute.write_only);
        Ok(attribute.and_then(|attribute| change(&path, attribute, &part)).unwrap_or(part))
    });
    changed
}
