//! A resource type with something of everything, and a provider that has one of it for each fault.

use std::sync::atomic::{AtomicU64, Ordering};

use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};

use super::edit::{edit, null, other, set, unknown};
use super::{Fault, Kit, ResourceType};
use crate::{Answer, Function, FunctionAnswer, Parameter};

/// A schema with something of everything: the one that the faults are made for. Protocol 5 has no nested types, and a schema
/// without them can be had for it.
pub fn trial_block(nested_types: bool) -> Block {
    let name = || ("name", Attribute::optional(Type::String));
    let nested = |mode| {
        Attribute::optional(NestedType::new(mode, [name(), ("size", Attribute::optional(Type::Number))]))
    };
    let mut attributes = vec![
        ("id", Attribute::computed(Type::String)),
        ("status", Attribute::computed(Type::String)),
        name(),
        ("size", Attribute::optional(Type::Number)),
        ("comment", Attribute::optional(Type::String)),
        ("note", Attribute::optional_computed(Type::String)),
        ("tags", Attribute::optional(Type::list(Type::String))),
        ("labels", Attribute::optional(Type::map(Type::String))),
        ("zones", Attribute::optional(Type::set(Type::String))),
        ("secret", Attribute::optional(Type::String).sensitive()),
        ("token", Attribute::optional(Type::String).write_only()),
    ];
    if nested_types {
        attributes.extend([
            ("one", nested(NestingMode::Single)),
            ("many", nested(NestingMode::List)),
            ("keyed", nested(NestingMode::Map)),
            ("unique", nested(NestingMode::Set)),
        ]);
    }
    let plain = || Block::new([name()], []);
    let disk = Block::new([name(), ("state", Attribute::computed(Type::String))], []);
    Block::new(
        attributes,
        [
            ("box", NestedBlock::new(NestingMode::Single, plain())),
            ("lid", NestedBlock::new(NestingMode::Single, plain())),
            ("disk", NestedBlock::new(NestingMode::List, disk)),
            ("rule", NestedBlock::new(NestingMode::Set, plain())),
            ("entry", NestedBlock::new(NestingMode::Map, plain())),
        ],
    )
}

/// A configuration of [`trial_block`] in which each fault has what it is about.
pub fn trial_config(nested_types: bool) -> Value {
    let named = |name: &str| Value::object([("name", name)]);
    let list = |elements: &[&str]| Value::tuple(elements.iter().map(|name| named(name)));
    // Blocks by label are a map already: an object would be taken for blocks of several types.
    let labelled = Value::map(Type::object([("name", Type::String)]), [("k", named("a"))]);
    let mut members = vec![
        ("name", Value::from("a")),
        ("size", Value::from(1)),
        ("tags", Value::tuple(["x", "y"])),
        ("labels", Value::object([("k", "v")])),
        ("zones", Value::tuple(["z"])),
        ("secret", Value::from("hidden")),
        ("token", Value::from("written")),
        ("box", named("a")),
        ("disk", list(&["a", "b"])),
        ("rule", list(&["a"])),
        ("entry", labelled.unwrap_or_else(|_| Value::null(Type::Dynamic))),
    ];
    if nested_types {
        members.extend([
            ("one", named("a")),
            ("many", list(&["a", "b"])),
            ("keyed", Value::object([("k", named("a"))])),
            ("unique", list(&["a"])),
        ]);
    }
    Value::object(members)
}

/// A provider with the resource type `kit_thing`, which keeps the contract, and one type `kit_…` for each fault, called by
/// its [`kind`](Fault::kind). All have the schema of [`trial_block`].
///
/// Its data source `kit_thing` and its function `same` keep the contract, too. The data sources `kit_null`, `kit_unknown`,
/// `kit_type` and `kit_other` answer with nothing, with something unknown, of another type, and with something else than is
/// configured; the functions `nothing`, `type` and `impure` with nothing, of another type, and differently each time.
pub fn faulty(nested_types: bool) -> Kit {
    let block = trial_block(nested_types);
    let kit = Kit::default().resource("kit_thing", ResourceType::new(block.clone()));
    let kit = Fault::ALL.iter().fold(kit, |kit, fault| {
        kit.resource(format!("kit_{}", fault.kind()), ResourceType::new(block.clone()).fault(*fault))
    });
    functions(data_sources(kit))
}

fn data_sources(kit: Kit) -> Kit {
    let block = Block::new(
        [("id", Attribute::computed(Type::String)), ("name", Attribute::optional(Type::String))],
        [],
    );
    type Answered = fn(&Value) -> Value;
    let faults: [(&str, Answered); 5] = [
        ("kit_thing", Value::clone),
        ("kit_null", null),
        ("kit_unknown", |object| edit(object, "id", unknown)),
        ("kit_type", |object| set(object, "id", Value::tuple([1]))),
        ("kit_other", |object| edit(object, "name", other)),
    ];
    faults.into_iter().fold(kit, |kit, (name, fault)| {
        kit.data_source(name, block.clone(), move |config| Answer::new(fault(&set(config, "id", "found"))))
    })
}

fn functions(kit: Kit) -> Kit {
    let parameters = vec![Parameter::new("of", Type::String)];
    let function = Function { parameters, variadic: None, returns: Type::String };
    let calls = AtomicU64::new(0);
    let result = |value: Value| FunctionAnswer::Result(Some(value));
    kit.function("same", function.clone(), move |of| result(of.first().cloned().unwrap_or_else(|| "".into())))
        .function("nothing", function.clone(), |_| FunctionAnswer::Result(None))
        .function("type", function.clone(), move |_| result(Value::tuple([1])))
        .function("impure", function, move |_| {
            result(Value::from(calls.fetch_add(1, Ordering::Relaxed).to_string()))
        })
}
