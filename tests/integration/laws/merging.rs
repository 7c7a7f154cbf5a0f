//! Laws of the proposed object: which parts it keeps.

use objchange::Value;
use objchange::change::proposed_new;
use objchange::schema::{Attribute, AttributeType, Block, NestedType, NestingMode};
use objchange::value::Kind;
use proptest::prelude::*;

use crate::common::{Content, block, config_of, object_of, with};

/// A copy of a value in which the attributes that the function selects are null.
fn without(schema: &Block, value: &Value, drop: fn(&Attribute, bool) -> bool, in_set: bool) -> Value {
    members(value, |name, child| {
        if let Some(schema) = schema.attribute(name) {
            return attribute(schema, child, drop, in_set);
        }
        let nested = schema.block_type(name).expect("an attribute or a block");
        let in_set = in_set || nested.nesting == NestingMode::Set;
        match nested.nesting {
            NestingMode::Single | NestingMode::Group => without(&nested.block, child, drop, in_set),
            _ => elements(child, |element| without(&nested.block, element, drop, in_set)),
        }
    })
}

fn attribute(schema: &Attribute, value: &Value, drop: fn(&Attribute, bool) -> bool, in_set: bool) -> Value {
    if drop(schema, in_set) {
        return Value::null(value.ty().clone());
    }
    let AttributeType::Nested(nested) = &schema.ty else { return value.clone() };
    let in_set = in_set || nested.nesting() == NestingMode::Set;
    let object = |object: &Value| {
        members(object, |name, child| {
            attribute(nested.attribute(name).expect("an attribute"), child, drop, in_set)
        })
    };
    if nested.nesting() == NestingMode::Single { object(value) } else { elements(value, object) }
}

fn members(value: &Value, mut member: impl FnMut(&str, &Value) -> Value) -> Value {
    match value.kind() {
        Kind::Object(object) => {
            Value::object(object.iter().map(|(name, child)| (name.clone(), member(name, child))))
        }
        _ => value.clone(),
    }
}

fn elements(value: &Value, element: impl Fn(&Value) -> Value) -> Value {
    let ty = || value.ty().element().cloned().expect("a collection has elements");
    match value.kind() {
        Kind::List(all) => Value::list(ty(), all.iter().map(element)).expect("types stay"),
        Kind::Set(all) => Value::set(ty(), all.iter().map(element)).expect("types stay"),
        Kind::Map(all) => Value::map(ty(), all.iter().map(|(k, v)| (k, element(v)))).expect("types stay"),
        Kind::Tuple(all) => Value::tuple(all.iter().map(element)),
        Kind::Object(_) => members(value, |_, child| element(child)),
        _ => value.clone(),
    }
}

/// Whether only a provider sets an attribute.
fn computed_only(attribute: &Attribute, _: bool) -> bool {
    attribute.computed && !attribute.optional
}

/// Also, in sets, whether a provider may set it: there it decides which elements match.
fn provided(attribute: &Attribute, in_set: bool) -> bool {
    attribute.computed && (in_set || !attribute.optional)
}

fn has_sets(schema: &Block) -> bool {
    fn nested(ty: &NestedType) -> bool {
        ty.nesting() == NestingMode::Set
            || ty.attributes().iter().any(|(_, a)| a.nested().is_some_and(nested))
    }
    schema.attributes().iter().any(|(_, a)| a.nested().is_some_and(nested))
        || schema.block_types().iter().any(|(_, b)| b.nesting == NestingMode::Set || has_sets(&b.block))
}

proptest! {
    #![proptest_config(crate::common::cases(800))]

    /// Outside of sets, what was applied and is configured again is proposed as it is. In sets, an element may
    /// get what was computed for another; what can only be configured stays there too.
    #[test]
    fn configuring_what_there_is_changes_nothing(
        (schema, prior) in with(block(), |b| object_of(b, Content::KNOWN))
    ) {
        let config = without(&schema, &prior, computed_only, false);
        let proposed = proposed_new(&schema, &prior, &config).unwrap();
        if has_sets(&schema) {
            let configured = |value| without(&schema, value, provided, false);
            prop_assert_eq!(configured(&proposed), configured(&prior));
        } else {
            prop_assert_eq!(proposed, prior);
        }
    }

    /// With sets, an element may take the second time what another one was given the first time.
    #[test]
    fn what_was_proposed_is_proposed_again(
        (schema, prior, config) in block().prop_filter("no sets", |b| !has_sets(b)).prop_flat_map(|b| {
            (Just(b.clone()), object_of(&b, Content::KNOWN), config_of(&b, Content::KNOWN))
        })
    ) {
        let proposed = proposed_new(&schema, &prior, &config).unwrap();
        prop_assert_eq!(proposed_new(&schema, &proposed, &config).unwrap(), proposed);
    }
}
