//! The inputs of the scenarios that are measured side by side with Terraform's own functions.
//!
//! Prior, config and planned are built apart from each other, so that nothing is shared between them unless
//! the engine has shared it.

#![allow(dead_code, reason = "each bench uses some of them")]

use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};

/// A schema with the objects that a scenario compares.
pub(crate) struct Scenario {
    pub schema: Block,
    pub prior: Value,
    pub config: Value,
}

fn null() -> Value {
    Value::null(Type::String)
}

fn optional(names: &[&'static str]) -> Vec<(&'static str, Attribute)> {
    names.iter().map(|n| (*n, Attribute::optional(Type::String))).collect()
}

fn computed(names: &[&'static str]) -> Vec<(&'static str, Attribute)> {
    names.iter().map(|n| (*n, Attribute::computed(Type::String))).collect()
}

/// The attributes `a1` to `a4` of element `i`, with another `a2` where the element is changed.
fn plain(i: usize, changed: bool) -> Vec<(&'static str, Value)> {
    vec![
        ("a1", Value::from(format!("alpha-{i:05}"))),
        ("a2", if changed { Value::from("beta-changed") } else { Value::from(format!("beta-{i}")) }),
        ("a3", Value::from("gamma")),
        ("a4", Value::from(format!("delta-{}", i % 7))),
    ]
}

/// The computed attributes `c1` and `c2`, or nulls.
fn assigned(i: usize, applied: bool) -> [(&'static str, Value); 2] {
    match applied {
        true => [("c1", Value::from(format!("id-{i:05}"))), ("c2", Value::from(format!("addr-{i:05}")))],
        false => [("c1", null()), ("c2", null())],
    }
}

fn sub(i: usize) -> Value {
    let one = |j: usize| {
        Value::object([("x", Value::from(format!("x-{i}-{j}"))), ("y", Value::from(format!("y{j}")))])
    };
    let ty = one(0).ty().clone();
    Value::list(ty, [one(0), one(1)]).expect("both have one type")
}

/// `a_proposed_new_set_block`, or `b` and `c` with lists.
pub(crate) fn items(n: usize, nesting: NestingMode) -> Scenario {
    items_of(n, nesting, Attribute::optional(Type::String))
}

/// Like the function above, with one sensitive attribute in each element.
pub(crate) fn sensitive_items(n: usize, nesting: NestingMode) -> Scenario {
    items_of(n, nesting, Attribute::optional(Type::String).sensitive())
}

fn items_of(n: usize, nesting: NestingMode, a3: Attribute) -> Scenario {
    let sub_block = Block::new(optional(&["x", "y"]), []);
    let item = Block::new(
        [optional(&["a1", "a2", "a4"]), vec![("a3", a3)], computed(&["c1", "c2"])].concat(),
        [("sub", NestedBlock::new(NestingMode::List, sub_block))],
    );
    let schema = Block::new(
        [("name", Attribute::required(Type::String)), ("id", Attribute::computed(Type::String))],
        [("item", NestedBlock::new(nesting, item.clone()))],
    );
    let object = |applied: bool| {
        let elements = (0..n).map(|i| {
            let mut attributes = plain(i, !applied && i == n / 2);
            attributes.extend(assigned(i, applied));
            attributes.push(("sub", sub(i)));
            Value::object(attributes)
        });
        let items = collection(nesting, item.implied_type().clone(), elements);
        let id = if applied { Value::from("res-1") } else { null() };
        Value::object([("name", Value::from("main")), ("id", id), ("item", items)])
    };
    Scenario { prior: object(true), config: object(false), schema }
}

/// `a2_proposed_new_set_block_scrambled`.
pub(crate) fn scrambled(n: usize) -> Scenario {
    let item = Block::new([computed(&["aid"]), optional(&["b1", "b2"])].concat(), []);
    let schema = Block::new([], [("item", NestedBlock::new(NestingMode::Set, item.clone()))]);
    let object = |applied: bool| {
        let elements = (0..n).map(|i| {
            let aid = format!("id-{:08}", (i * 7919 + 13) % 1_000_003);
            let changed = !applied && i == n / 2;
            Value::object([
                ("aid", if applied { Value::from(aid) } else { null() }),
                ("b1", Value::from(format!("alpha-{i:05}"))),
                ("b2", if changed { Value::from("beta-changed") } else { Value::from(format!("beta-{i}")) }),
            ])
        });
        Value::object([("item", collection(NestingMode::Set, item.implied_type().clone(), elements))])
    };
    Scenario { prior: object(true), config: object(false), schema }
}

/// `d_assert_object_compatible_set_block`: the schema, the planned and the actual object.
pub(crate) fn applied_set(n: usize) -> (Block, Value, Value) {
    let item = Block::new([optional(&["a1", "a2", "a3", "a4"]), computed(&["c1"])].concat(), []);
    let schema = Block::new(
        [("name", Attribute::required(Type::String))],
        [("item", NestedBlock::new(NestingMode::Set, item.clone()))],
    );
    let object = |applied: bool| {
        let elements = (0..n).map(|i| {
            let mut attributes = plain(i, false);
            let c1 = if applied { Value::from(format!("id-{i:05}")) } else { Value::unknown(Type::String) };
            attributes.push(("c1", c1));
            Value::object(attributes)
        });
        let items = collection(NestingMode::Set, item.implied_type().clone(), elements);
        Value::object([("name", Value::from("main")), ("item", items)])
    };
    let (planned, actual) = (object(false), object(true));
    (schema, planned, actual)
}

/// `g_proposed_new_nested_set_attr`.
pub(crate) fn nested_set(n: usize) -> Scenario {
    let nested = NestedType::new(
        NestingMode::Set,
        [optional(&["a1", "a2", "a3", "a4"]), computed(&["c1", "c2"])].concat(),
    );
    let element_type = Type::Object(nested.object_type().clone());
    let schema =
        Block::new([("name", Attribute::required(Type::String)), ("items", Attribute::optional(nested))], []);
    let object = |applied: bool| {
        let elements = (0..n).map(|i| {
            let mut attributes = plain(i, !applied && i == n / 2);
            attributes.extend(assigned(i, applied));
            Value::object(attributes)
        });
        let items = collection(NestingMode::Set, element_type.clone(), elements);
        Value::object([("name", Value::from("main")), ("items", items)])
    };
    Scenario { prior: object(true), config: object(false), schema }
}

/// A collection whose elements have the very type that the schema implies.
fn collection(nesting: NestingMode, element: Type, elements: impl Iterator<Item = Value>) -> Value {
    let built = match nesting {
        NestingMode::Set => Value::set(element, elements),
        _ => Value::list(element, elements),
    };
    built.expect("all elements are made alike")
}

/// `e_lcs_edits`: two lists of strings, the second with about one edit in a hundred.
pub(crate) fn edited_lists(n: usize) -> (Vec<Value>, Vec<Value>) {
    let mut state = 12345u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let xs: Vec<Value> = (0..n).map(|_| Value::from(format!("v{}", next() % n))).collect();
    let mut ys = Vec::with_capacity(n);
    for (i, x) in xs.iter().enumerate() {
        if next() % 100 == 0 {
            match next() % 3 {
                0 => ys.push(Value::from(format!("e{i}"))),
                1 => {}
                _ => {
                    ys.push(Value::from(format!("n{i}")));
                    ys.push(x.clone());
                }
            }
        } else {
            ys.push(x.clone());
        }
    }
    (xs, ys)
}

/// Two lists that differ in ten places, whatever their length.
pub(crate) fn lists_with_ten_edits(n: usize) -> (Vec<Value>, Vec<Value>) {
    let xs: Vec<Value> = (0..n).map(|i| Value::from(format!("v{i}"))).collect();
    let mut ys = xs.clone();
    for k in 0..5 {
        // Moved elements are edits that occur on both sides.
        let moved = ys.remove(k * n / 6);
        ys.insert((k + 1) * n / 6, moved);
    }
    (xs, ys)
}

/// `e_lcs_all_different`.
pub(crate) fn different_lists(n: usize) -> (Vec<Value>, Vec<Value>) {
    let list = |prefix: &str| (0..n).map(|i| Value::from(format!("{prefix}{i}"))).collect();
    (list("x"), list("y"))
}

/// `f_typical_*`: the schema and all four objects.
pub(crate) struct Typical {
    pub schema: Block,
    pub prior: Value,
    pub config: Value,
    pub planned: Value,
    pub actual: Value,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Prior,
    Config,
    Planned,
    Actual,
}

/// `f_typical_*`.
pub(crate) fn typical() -> Typical {
    let attribute_type = |i: usize| match i % 6 {
        0..=2 => Type::String,
        3 => Type::Number,
        4 => Type::Bool,
        _ => Type::map(Type::String),
    };
    let attributes = (0..30usize).map(|i| {
        let ty = attribute_type(i);
        let attribute = match i {
            0..4 => Attribute::required(ty),
            4..16 => Attribute::optional(ty),
            16..22 => Attribute::optional_computed(ty),
            _ => Attribute::computed(ty),
        };
        (format!("attr{i:02}"), attribute)
    });
    let block = Block::new(
        [
            ("key", Attribute::required(Type::String)),
            ("value", Attribute::optional(Type::String)),
            ("size", Attribute::optional(Type::Number)),
            ("tags", Attribute::optional(Type::map(Type::String))),
            ("uid", Attribute::computed(Type::String)),
        ],
        [],
    );
    let blocks = [("disk", NestingMode::List), ("rule", NestingMode::Set), ("peer", NestingMode::Map)];
    let schema = Block::new(
        attributes.collect::<Vec<_>>(),
        blocks.map(|(name, nesting)| (name.to_owned(), NestedBlock::new(nesting, block.clone()))),
    );
    let object = |role: Role| {
        let mut members: Vec<(String, Value)> = (0..30usize)
            .map(|i| (format!("attr{i:02}"), typical_attribute(i, attribute_type(i), role)))
            .collect();
        for (name, nesting) in blocks {
            let elements = (0..3).map(|j| typical_block(name, j, role));
            let ty = block.implied_type().clone();
            let value = match nesting {
                NestingMode::Map => Value::map(ty, elements.enumerate().map(|(j, v)| (format!("p{j}"), v)))
                    .expect("all elements are made alike"),
                _ => collection(nesting, ty, elements),
            };
            members.push((name.to_owned(), value));
        }
        Value::object(members)
    };
    Typical {
        prior: object(Role::Prior),
        config: object(Role::Config),
        planned: object(Role::Planned),
        actual: object(Role::Actual),
        schema,
    }
}

fn strings(entries: &[(&str, String)]) -> Value {
    Value::map(Type::String, entries.iter().map(|(k, v)| (*k, v.as_str()))).expect("all are strings")
}

fn typical_attribute(i: usize, ty: Type, role: Role) -> Value {
    match role {
        Role::Config if i >= 16 => return Value::null(ty),
        Role::Planned if i >= 26 => return Value::unknown(ty),
        _ => {}
    }
    match i % 6 {
        _ if i == 4 => Value::from(role == Role::Prior),
        0..=2 => Value::from(format!("value-{i}")),
        3 => Value::from(i * 10),
        4 => Value::from(i.is_multiple_of(2)),
        _ => strings(&[("env", "prod".into()), ("team", format!("t{i}")), ("cost", "c".into())]),
    }
}

fn typical_block(name: &str, j: usize, role: Role) -> Value {
    let uid = match role {
        Role::Config => null(),
        Role::Planned if j == 2 => Value::unknown(Type::String),
        _ => Value::from(format!("uid-{name}-{j}")),
    };
    Value::object([
        ("key", Value::from(format!("{name}-{j}"))),
        ("value", Value::from(format!("v{j}"))),
        ("size", Value::from(j * 8)),
        ("tags", strings(&[("a", "1".into()), ("b", "2".into())])),
        ("uid", uid),
    ])
}
