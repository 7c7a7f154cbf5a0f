//! A schema with all kinds of attributes and blocks, and a provider with one such type for each fault.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use objchange::change::{DeferredReason, PrivateData};
use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};
use objchange_provider::{
    ActionEvent, Answer, Function, FunctionAnswer, ListQuestion, Listed, Opened, Parameter,
};

use super::edit::{edit, null, other, set, unknown};
use super::{Fault, Kit, ResourceType};

/// A schema with all kinds of attributes and blocks, for which the faults are made. `nested_types` is false for
/// protocol 5, which has none.
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
    let part = ("part", NestedBlock::new(NestingMode::List, plain()));
    let disk = Block::new([name(), ("state", Attribute::computed(Type::String))], [part]);
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

/// A configuration of [`trial_block`] in which each fault can show.
pub fn trial_config(nested_types: bool) -> Value {
    let named = |name: &str| Value::object([("name", name)]);
    let list = |elements: &[&str]| Value::tuple(elements.iter().map(|name| named(name)));
    let with_part = Value::object([("name", Value::from("a")), ("part", list(&["p"]))]);
    // Built as a map: an object would be taken for blocks whose types differ.
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
        ("disk", Value::tuple([with_part, named("b")])),
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

/// A provider with the resource type `kit_thing`, which keeps the contract, and one type `kit_…` for each fault, named by
/// its [`kind`](Fault::kind). All have the schema of [`trial_block`], and an `id` as identity.
///
/// The data source, ephemeral resource type, list and action `kit_thing` and the function `same` keep the contract, too.
/// These others, whose schemas have an `id` and a `name`, violate it:
///
/// - data source `kit_null` returns null, `kit_no_object` no object, `kit_unknown` an unknown part, `kit_type` a part of
///   another type, `kit_other` another value than configured, and `kit_deferred` defers;
/// - the ephemeral resource types `kit_null`, `kit_unknown`, `kit_type`, `kit_other` and `kit_deferred` do likewise;
/// - function `nothing` returns no result, `type` a result of another type, `impure` another result each time, and
///   `unknown` an unknown one;
/// - list `kit_planned_string` returns objects without identities, and `kit_planned_number` more than requested;
/// - action `kit_endless` never completes.
pub fn faulty(nested_types: bool) -> Kit {
    let block = trial_block(nested_types);
    let ty = || {
        let id = Attribute::required(Type::String);
        ResourceType::new(block.clone()).identity(Block::new([("id", id)], []))
    };
    let kit = Kit::default().resource("kit_thing", ty());
    let kit = Fault::ALL
        .iter()
        .fold(kit, |kit, fault| kit.resource(format!("kit_{}", fault.kind()), ty().fault(*fault)));
    actions(lists(functions(ephemeral_resources(data_sources(kit)))))
}

fn object_block() -> Block {
    Block::new([("id", Attribute::computed(Type::String)), ("name", Attribute::optional(Type::String))], [])
}

type ChangeObject = fn(&Value) -> Value;

/// The types with a change of their object, which is a fault except for the first.
const OBJECT_FAULTS: [(&str, ChangeObject); 5] = [
    ("kit_thing", Value::clone),
    ("kit_null", null),
    ("kit_unknown", |object| edit(object, "id", unknown)),
    ("kit_type", |object| set(object, "id", Value::tuple([1]))),
    ("kit_other", |object| edit(object, "name", other)),
];

fn data_sources(kit: Kit) -> Kit {
    let kit = OBJECT_FAULTS.into_iter().fold(kit, |kit, (name, fault)| {
        kit.data_source(name, object_block(), move |config| Answer::new(fault(&set(config, "id", "found"))))
    });
    kit.data_source("kit_no_object", object_block(), |_| Answer::default()).data_source(
        "kit_deferred",
        object_block(),
        |config| {
            let mut answer = Answer::new(set(config, "id", "found"));
            answer.deferred = Some(DeferredReason::AbsentPrerequisite);
            answer
        },
    )
}

fn ephemeral_resources(kit: Kit) -> Kit {
    let opened = |object: Value| {
        let mut opened = Opened::default();
        opened.object = Some(object);
        opened.renew_at = SystemTime::now().checked_add(Duration::from_secs(3600));
        opened.private = Some(PrivateData(b"opened".to_vec()));
        opened
    };
    let kit = OBJECT_FAULTS.into_iter().fold(kit, |kit, (name, fault)| {
        kit.ephemeral_resource(name, object_block(), move |config| opened(fault(&set(config, "id", "found"))))
    });
    kit.ephemeral_resource("kit_deferred", object_block(), move |config| {
        let mut opened = opened(set(config, "id", "found"));
        opened.deferred = Some(DeferredReason::AbsentPrerequisite);
        opened
    })
}

fn functions(kit: Kit) -> Kit {
    let parameter = Parameter { allow_null: true, ..Parameter::new("of", Type::String) };
    let function = Function { parameters: vec![parameter], variadic: None, returns: Type::String };
    let calls = AtomicU64::new(0);
    let result = |value: Value| FunctionAnswer::Result(Some(value));
    kit.function("same", function.clone(), move |arguments| {
        result(arguments.first().cloned().unwrap_or_else(|| "".into()))
    })
    .function("nothing", function.clone(), |_| FunctionAnswer::Result(None))
    .function("type", function.clone(), move |_| result(Value::tuple([1])))
    .function("unknown", function.clone(), move |_| result(Value::unknown(Type::String)))
    .function("impure", function, move |_| {
        result(Value::from(calls.fetch_add(1, Ordering::Relaxed).to_string()))
    })
}

fn lists(kit: Kit) -> Kit {
    let listed = |question: &ListQuestion, count: i64, has_identity: bool| -> Vec<Listed> {
        let object = trial_block(true).empty_value().clone();
        let one = |position: i64| {
            let id = Value::from(format!("thing-{position}"));
            Listed {
                identity: has_identity.then(|| Value::object([("id", id.clone())])),
                display_name: format!("thing {position}"),
                object: question.include_objects.then(|| set(&object, "id", id)),
                diagnostics: Vec::new(),
            }
        };
        (0..count).map(one).collect()
    };
    let block = || Block::new([("name", Attribute::optional(Type::String))], []);
    kit.list_resource("kit_thing", block(), move |question| listed(question, question.limit.min(3), true))
        .list_resource("kit_planned_string", block(), move |question| listed(question, 1, false))
        .list_resource("kit_planned_number", block(), move |question| {
            listed(question, question.limit.min(1000) + 1, true)
        })
}

fn actions(kit: Kit) -> Kit {
    let progress = || ActionEvent::Progress("under way".into());
    kit.action("kit_thing", object_block(), move |_| vec![progress(), ActionEvent::Completed(Vec::new())])
        .action("kit_endless", object_block(), move |_| vec![progress()])
}
