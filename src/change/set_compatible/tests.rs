use proptest::prelude::*;

use super::{Index, Unmatched, match_each, match_sets};
use crate::change::assert_object_compatible;
use crate::schema::{Attribute, Block, NestedBlock, NestingMode};
use crate::value::{Type, Value};

fn schema() -> Block {
    let leaves = || [("key", Attribute::optional(Type::String)), ("uid", Attribute::computed(Type::String))];
    let held = |nesting| NestedBlock::new(nesting, Block::new(leaves(), []));
    Block::new(
        leaves(),
        [
            ("list", held(NestingMode::List)),
            ("map", held(NestingMode::Map)),
            ("one", held(NestingMode::Single)),
            ("set", held(NestingMode::Set)),
            ("spare", held(NestingMode::Set).computed()),
        ],
    )
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0u8..2).prop_map(|n| Value::from(n.to_string())),
        1 => Just(Value::null(Type::String)),
        2 => Just(Value::unknown(Type::String)),
    ]
}

fn inner() -> impl Strategy<Value = Value> {
    (leaf(), leaf()).prop_map(|(key, uid)| Value::object([("key", key), ("uid", uid)]))
}

fn element() -> impl Strategy<Value = Value> {
    let ty = || schema().block_type("one").map_or(Type::Dynamic, |b| b.block.implied_type().clone());
    let elements = || prop_oneof![9 => prop::collection::vec(inner(), 0..3).prop_map(Some), 1 => Just(None)];
    let maybe = prop_oneof![Just(None), inner().prop_map(Some)];
    (leaf(), leaf(), elements(), elements(), elements(), maybe).prop_map(
        move |(key, uid, list, set, map, one)| {
            let held = |set: Option<Vec<Value>>| {
                set.map_or_else(|| Value::null(Type::set(ty())), |set| Value::set(ty(), set).unwrap())
            };
            Value::object([
                ("key", key),
                ("uid", uid),
                (
                    "list",
                    list.map_or_else(|| Value::null(Type::list(ty())), |l| Value::list(ty(), l).unwrap()),
                ),
                (
                    "map",
                    map.map_or_else(
                        || Value::null(Type::map(ty())),
                        |m| {
                            Value::map(ty(), m.into_iter().enumerate().map(|(i, v)| (i.to_string(), v)))
                                .unwrap()
                        },
                    ),
                ),
                ("one", one.unwrap_or_else(|| Value::null(ty()))),
                ("spare", held(set.clone())),
                ("set", held(set)),
            ])
        },
    )
}

fn plain() -> impl Strategy<Value = Value> {
    let leaves = || prop::collection::vec(leaf(), 0..3);
    let map = prop::collection::btree_map("[a-c]", leaf(), 0..3);
    let pairs = prop::collection::vec((leaf(), leaf()), 2..3);
    (pairs, map, leaves(), leaves()).prop_map(|(pairs, map, set, list)| {
        let objects = pairs.into_iter().map(|(a, b)| Value::object([("a", a), ("b", b)]));
        Value::object([
            ("n", Value::tuple(objects)),
            ("list", Value::list(Type::String, list).unwrap()),
            ("map", Value::map(Type::String, map).unwrap()),
            ("set", Value::set(Type::String, set).unwrap()),
        ])
    })
}

/// The value as it may turn out.
fn completed(value: &Value) -> Value {
    if value.is_known() || *value.ty() != Type::String {
        value.map_children(completed)
    } else {
        Value::from("0")
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn blocks_agree_with_trying_each(
        planned in prop::collection::vec(element(), 9..16),
        more in prop::collection::vec(element(), 0..8),
        kept in prop::collection::vec(0usize..9, 4..16),
    ) {
        let schema = schema();
        let mut actual = more;
        actual.extend(kept.iter().map(|i| if *i % 4 == 0 { planned[*i].clone() } else { completed(&planned[*i]) }));
        prop_assume!(planned.len() * actual.len() > super::FEW_PAIRS);
        let compatible = |p: &Value, a: &Value| assert_object_compatible(&schema, p, a).is_empty();
        prop_assert_eq!(
            match_sets(&planned, &actual, Some(&schema), compatible),
            match_each(&planned, &actual, compatible)
        );
    }

    #[test]
    fn values_agree_with_trying_each(
        planned in prop::collection::vec(plain(), 9..16),
        more in prop::collection::vec(plain(), 0..8),
        kept in prop::collection::vec(0usize..9, 4..16),
    ) {
        let mut actual = more;
        actual.extend(kept.iter().map(|i| if *i % 4 == 0 { planned[*i].clone() } else { completed(&planned[*i]) }));
        prop_assume!(planned.len() * actual.len() > super::FEW_PAIRS);
        let compatible =
            |p: &Value, a: &Value| crate::change::assert_value_compatible(p, a).is_empty();
        prop_assert_eq!(
            match_sets(&planned, &actual, None, compatible),
            match_each(&planned, &actual, compatible)
        );
    }
}

#[test]
fn an_element_is_only_tried_with_those_that_share_what_is_certain() {
    let element = |key: usize, uid: Value| Value::object([("key", Value::from(key)), ("uid", uid)]);
    let planned: Vec<Value> = (0..20).map(|i| element(i, Value::unknown(Type::String))).collect();
    let actual: Vec<Value> = (0..20).map(|i| element(i, Value::from("x"))).collect();
    let index = Index::new(&planned, &actual, None);
    for i in 0..20 {
        assert_eq!(index.candidates_for_planned(i).collect::<Vec<_>>(), [i]);
    }
    let all_match = match_sets(&planned, &actual, None, |p, a| p.attribute("key") == a.attribute("key"));
    assert_eq!(all_match, Unmatched::default());
}
