use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use super::{Members, SetMatcher, could_have_come_from};
use crate::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use crate::value::{Type, Value};

fn leaves() -> [(&'static str, Attribute); 4] {
    [
        ("key", Attribute::optional(Type::String)),
        ("uid", Attribute::computed(Type::String)),
        ("zone", Attribute::optional_computed(Type::String)),
        ("tags", Attribute::optional_computed(Type::set(Type::String))),
    ]
}

/// A leaf of each kind, and each way of holding objects inside.
fn schema() -> Block {
    let held = |nesting| NestedBlock::new(nesting, Block::new(leaves(), []));
    let nested = |nesting| Attribute::optional(NestedType::new(nesting, leaves()));
    let empty = NestedBlock::new(NestingMode::List, Block::new::<&str>([], []));
    let attributes = [
        ("nested_list", nested(NestingMode::List)),
        ("nested_map", nested(NestingMode::Map)),
        ("nested_one", nested(NestingMode::Single)),
        ("nested_set", nested(NestingMode::Set)),
    ];
    Block::new(
        leaves().into_iter().chain(attributes).collect::<Vec<_>>(),
        [
            ("empty", empty),
            ("list", held(NestingMode::List)),
            ("map", held(NestingMode::Map)),
            ("one", held(NestingMode::Single)),
            ("set", held(NestingMode::Set)),
        ],
    )
}

fn object_type() -> Type {
    Block::new(leaves(), []).implied_type().clone()
}

/// Null, or unknown where that may be.
fn open(ty: &Type, unknown: bool) -> Value {
    if unknown { Value::unknown(ty.clone()) } else { Value::null(ty.clone()) }
}

/// Mostly this value; sometimes null, and sometimes unknown if that is allowed.
fn mostly(ty: Type, unknown: bool, value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    (value, 0..12u8).prop_map(move |(value, n)| match n {
        0 => open(&ty, false),
        1 => open(&ty, unknown),
        _ => value,
    })
}

fn inner(unknown: bool) -> impl Strategy<Value = Value> {
    let leaf = || {
        prop_oneof![
            3 => (0u8..2).prop_map(|n| Value::from(n.to_string())),
            2 => Just(Value::null(Type::String)),
            1 => Just(open(&Type::String, unknown)),
        ]
    };
    let tags = prop_oneof![
        Just(Value::null(Type::set(Type::String))),
        (0u8..2).prop_map(|n| Value::set(Type::String, [Value::from(n.to_string())]).unwrap()),
    ];
    (leaf(), leaf(), leaf(), tags).prop_map(|(key, uid, zone, tags)| {
        Value::object([("key", key), ("uid", uid), ("zone", zone), ("tags", tags)])
    })
}

/// Elements from so few values that many look alike.
fn element(unknown: bool) -> impl Strategy<Value = Value> {
    let ty = object_type;
    let one = move || mostly(ty(), unknown, inner(unknown));
    let elements = move || prop::collection::vec(one(), 0..3);
    let list = move || {
        mostly(Type::list(ty()), unknown, elements().prop_map(move |e| Value::list(ty(), e).unwrap()))
    };
    let set =
        move || mostly(Type::set(ty()), unknown, elements().prop_map(move |e| Value::set(ty(), e).unwrap()));
    let map = move || {
        let entries = prop::collection::btree_map("[a-d]", one(), 0..3);
        mostly(Type::map(ty()), unknown, entries.prop_map(move |e| Value::map(ty(), e).unwrap()))
    };
    let nothing = || Value::object::<&str, Value>([]);
    let empty = mostly(
        Type::list(nothing().ty().clone()),
        unknown,
        (0..3usize).prop_map(move |n| Value::list(nothing().ty().clone(), vec![nothing(); n]).unwrap()),
    );
    let nested = (list(), map(), one(), set());
    let blocks = (list(), map(), one(), set(), empty);
    (inner(unknown), nested, blocks).prop_map(|(leaves, nested, blocks)| {
        let members = leaves.as_object().into_iter().flat_map(crate::value::Object::iter);
        let mut members: Vec<(&str, Value)> = members.map(|(n, v)| (n.as_str(), v.clone())).collect();
        members.extend([
            ("nested_list", nested.0),
            ("nested_map", nested.1),
            ("nested_one", nested.2),
            ("nested_set", nested.3),
            ("list", blocks.0),
            ("map", blocks.1),
            ("one", blocks.2),
            ("set", blocks.3),
            ("empty", blocks.4),
        ]);
        Value::object(members)
    })
}

/// The element with some members of another one, so that it fits some elements and nearly fits others.
fn like(element: &Value, other: &Value, mask: u16) -> Value {
    let (Some(a), Some(b)) = (element.as_object(), other.as_object()) else { return element.clone() };
    let members = a.iter().zip(b.iter()).enumerate();
    Value::object(members.map(|(i, ((name, a), (_, b)))| {
        (name.clone(), if mask >> i & 1 == 1 { b.clone() } else { a.clone() })
    }))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/proptest-regressions/change/set_match.txt"))),
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn agrees_with_trying_each(
        prior in prop::collection::vec(element(false), 9..24),
        others in prop::collection::vec(element(true), 9),
        mut config in prop::collection::vec(element(true), 0..4),
        echoed in prop::collection::vec((0usize..9, 0usize..9, prop_oneof![Just(0u16), any::<u16>().prop_map(|n| n & n >> 3 & n >> 6)]), 0..20),
        uids in any::<bool>(),
    ) {
        let schema = schema();
        let members = Members::Block(&schema);
        config.extend(echoed.iter().map(|(i, j, mask)| like(&prior[*i], &others[*j], *mask)));
        if uids {
            // Most configurations leave computed attributes null.
            let null = Value::null(Type::String);
            config = config.iter().map(|c| Value::object(c.as_object().unwrap().iter().map(|(name, v)| {
                (name.clone(), if matches!(name.as_str(), "uid" | "zone") { null.clone() } else { v.clone() })
            }))).collect();
        }
        let mut used = vec![false; prior.len()];
        let mut matcher = SetMatcher::new(members, &prior, &config);
        for element in &config {
            let model = (0..prior.len())
                .find(|i| !used[*i] && could_have_come_from(members, &prior[*i], element));
            if let Some(i) = model {
                used[i] = true;
            }
            prop_assert_eq!(matcher.take(element), model);
        }
    }
}
