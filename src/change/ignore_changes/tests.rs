use proptest::prelude::*;

use super::{IgnoreChanges, ignore_changes};
use crate::schema::{Attribute, Block, NestedBlock, NestingMode};
use crate::value::{Kind, Path, PathStep, Type, Value};

/// Ignores one path after the other, each with a walk of its own.
fn one_by_one(config: &Value, prior: &Value, paths: &[Path]) -> Value {
    paths.iter().fold(config.clone(), |config, path| with_prior_at(&config, Some(prior), path.steps()))
}

fn with_prior_at(config: &Value, prior: Option<&Value>, steps: &[PathStep]) -> Value {
    let Some(prior) = prior else { return config.clone() };
    let Some((first, rest)) = steps.split_first() else { return prior.clone() };
    let part = prior.step(first);
    if let (true, PathStep::Index(key)) = (rest.is_empty(), first)
        && let Some(value) = key.as_str().and_then(|key| with_map_element(config, prior, key))
    {
        return value;
    }
    config.map_steps(|step, child| {
        let here = PathStep::from(step) == *first;
        if here && part.is_some() { with_prior_at(child, part, rest) } else { child.clone() }
    })
}

/// An element is kept for itself only in a configured map; anything else is kept as a whole.
fn with_map_element(config: &Value, prior: &Value, key: &str) -> Option<Value> {
    let is_merged = prior.is_null() || prior.as_map().is_some();
    if !matches!(config.ty(), Type::Map(_)) || !is_merged {
        return Some(prior.clone());
    }
    let of_prior = prior.as_map().and_then(|m| m.get(key));
    let mut entries: std::collections::BTreeMap<_, _> = match config.kind() {
        Kind::Map(entries) => entries.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
        Kind::Null if of_prior.is_some() => Default::default(),
        _ => return Some(config.clone()),
    };
    entries.remove(key);
    entries.extend(of_prior.map(|value| (key.into(), value.clone())));
    Some(Value::map_like(config.ty(), entries.into_iter().collect()))
}

fn schema() -> Block {
    let held = |nesting| {
        let leaves = [
            ("a", Attribute::optional(Type::String)),
            ("m", Attribute::optional(Type::map(Type::list(Type::String)))),
        ];
        NestedBlock::new(nesting, Block::new(leaves, []))
    };
    Block::new(
        [("m", Attribute::optional(Type::map(Type::map(Type::String))))],
        [
            ("l", held(NestingMode::List)),
            ("o", held(NestingMode::Single)),
            ("s", held(NestingMode::Set)),
            ("b", held(NestingMode::Map)),
        ],
    )
}

/// A value of the type, from few leaves and keys; null and unknown parts included.
fn value(ty: &Type) -> BoxedStrategy<Value> {
    let (null, unknown) = (Value::null(ty.clone()), Value::unknown(ty.clone()));
    let known = match ty {
        Type::List(element) => {
            let element = Type::clone(element);
            let elements = prop::collection::vec(value(&element), 0..3);
            elements.prop_map(move |e| Value::list(element.clone(), e).unwrap()).boxed()
        }
        Type::Set(element) => {
            let element = Type::clone(element);
            let elements = prop::collection::vec(value(&element), 0..3);
            elements.prop_map(move |e| Value::set(element.clone(), e).unwrap()).boxed()
        }
        Type::Map(element) => {
            let element = Type::clone(element);
            let entries = prop::collection::btree_map("[ab]", value(&element), 0..3);
            entries.prop_map(move |e| Value::map(element.clone(), e).unwrap()).boxed()
        }
        Type::Object(object) => {
            let names: Vec<_> = object.attributes().iter().map(|(name, _)| name.clone()).collect();
            let values: Vec<_> = object.attributes().iter().map(|(_, ty)| value(ty)).collect();
            values.prop_map(move |values| Value::object(names.iter().cloned().zip(values))).boxed()
        }
        _ => "[xy]".prop_map(Value::from).boxed(),
    };
    prop_oneof![8 => known, 1 => Just(null), 1 => Just(unknown)].boxed()
}

fn path() -> impl Strategy<Value = Path> {
    let step = prop_oneof![
        "[ablmos]".prop_map(|name| PathStep::Attribute(name.into())),
        "[ab]".prop_map(|key| PathStep::Index(Value::from(key))),
        (0..3usize).prop_map(|i| PathStep::Index(Value::from(i))),
    ];
    // A path begins with the name of an attribute, or names the whole.
    let name = "[ablmos]".prop_map(|name: String| PathStep::Attribute(name.into()));
    let steps = (name, prop::collection::vec(step, 0..3));
    let path = steps.prop_map(|(name, steps)| std::iter::once(name).chain(steps).collect());
    prop_oneof![9 => path, 1 => Just(Path::root())]
}

/// A path that leads to a part of the value, or nearly.
fn path_into(value: &Value, choices: &[usize]) -> Path {
    let mut at = value.clone();
    let mut steps = Vec::new();
    for choice in choices {
        let mut children = Vec::new();
        let _ = at.map_steps(|step, child| {
            children.push((PathStep::from(step), child.clone()));
            child.clone()
        });
        if children.is_empty() {
            break;
        }
        let (step, child) = children.swap_remove(choice % children.len());
        steps.push(step);
        at = child;
    }
    steps.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn agrees_with_one_path_after_the_other(
        prior in value(schema().implied_type()),
        config in value(schema().implied_type()),
        mut paths in prop::collection::vec(path(), 0..3),
        inside in prop::collection::vec((any::<bool>(), prop::collection::vec(0..5usize, 1..5)), 0..4),
    ) {
        paths.extend(inside.iter().map(|(of_prior, choices)| {
            path_into(if *of_prior { &prior } else { &config }, choices)
        }));
        let model = match prior.is_null() || config.is_null() {
            true => config.clone(),
            false => one_by_one(&config, &prior, &paths),
        };
        let ignored = ignore_changes(&schema(), &prior, &config, &IgnoreChanges::Paths(paths));
        prop_assert_eq!(ignored, model);
    }
}

#[test]
fn what_the_schema_does_not_know_is_no_path() {
    #[track_caller]
    fn check(path: &str, expected: Result<(), (&str, usize)>) {
        let known = IgnoreChanges::Paths(vec![path.parse().unwrap()]).check(&schema());
        assert_eq!(known.map_err(|error| (error.kind.kind(), error.known)), expected, "{path}");
    }
    for path in [
        "m",
        r#"m["missing"]"#,
        r#"m["a"]["b"]"#,
        "l",
        "l[7].a",
        r#"l[0].m["x"][1]"#,
        "o.a",
        "s",
        r#"b["x"].a"#,
        "b.x.a",
    ] {
        check(path, Ok(()));
    }
    check("n", Err(("no_such_member", 0)));
    check("o.n", Err(("no_such_member", 1)));
    check("l[0].n", Err(("no_such_member", 2)));
    check("o[0]", Err(("not_a_name", 1)));
    check("l.a", Err(("not_an_index", 1)));
    check(r#"l["a"]"#, Err(("not_an_index", 1)));
    check("m.a", Err(("not_a_key", 1)));
    check("m[0]", Err(("not_a_key", 1)));
    check("s[0]", Err(("not_an_element", 1)));
    check("o.a.b", Err(("no_parts", 2)));
}
