//! The configurations that are made of a schema: all of them are what Terraform Core would send.

use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use objchange::value::Kind;
use objchange::{Type, Value};
use objchange_conform::{Hints, Sample, any_sample, samples};
use objchange_provider::Component;
use proptest::prelude::*;
use proptest::sample::select;

fn types() -> impl Strategy<Value = Type> {
    let leaf = select(vec![Type::String, Type::Number, Type::Bool, Type::Dynamic]);
    let plain = select(vec![Type::String, Type::Number, Type::Bool]);
    let nested = plain.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            inner.clone().prop_map(Type::set),
            inner.clone().prop_map(Type::map),
            prop::collection::btree_map("[a-c]", inner, 0..3).prop_map(Type::object),
        ]
    });
    prop_oneof![leaf, nested]
}

fn attribute(ty: impl Strategy<Value = AttributeType>) -> impl Strategy<Value = Attribute> {
    (ty, 0..5).prop_map(|(ty, flags)| match flags {
        0 => Attribute::required(ty),
        1 => Attribute::optional_computed(ty),
        2 => Attribute::computed(ty),
        3 => Attribute::optional(ty).write_only(),
        _ => Attribute::optional(ty),
    })
}

fn attributes() -> impl Strategy<Value = Vec<(String, Attribute)>> {
    let plain = attribute(types().prop_map(AttributeType::Plain));
    let modes = select(vec![NestingMode::Single, NestingMode::List, NestingMode::Map, NestingMode::Set]);
    let inner = attribute(select(vec![Type::String, Type::Number]).prop_map(AttributeType::Plain));
    let inner = prop::collection::btree_map("[a-c]", inner, 0..3);
    let nested = (modes, inner).prop_map(|(mode, inner)| AttributeType::Nested(NestedType::new(mode, inner)));
    let all = prop_oneof![3 => plain, 1 => attribute(nested)];
    prop::collection::btree_map("[a-f]", all, 0..6).prop_map(|all| all.into_iter().collect())
}

fn blocks() -> impl Strategy<Value = Block> {
    let leaf = attributes().prop_map(|attributes| Block::new::<String>(attributes, []));
    leaf.prop_recursive(3, 12, 3, |inner| {
        let modes =
            [NestingMode::Single, NestingMode::Group, NestingMode::List, NestingMode::Set, NestingMode::Map];
        let nested =
            (inner, select(modes.to_vec()), 0..3_u64, 0..3_u64).prop_map(|(block, mode, least, more)| {
                let mut nested = NestedBlock::new(mode, block);
                match mode {
                    NestingMode::List | NestingMode::Set => {
                        nested.min_items = least;
                        nested.max_items = if more == 0 { 0 } else { least + more };
                    }
                    NestingMode::Single => nested.min_items = least.min(1),
                    _ => {}
                }
                if mode == NestingMode::Single {
                    nested.max_items = nested.min_items;
                }
                nested
            });
        let nested = prop::collection::btree_map("[p-s]", nested, 0..3);
        (attributes(), nested).prop_map(|(attributes, nested)| Block::new(attributes, nested))
    })
    .prop_filter("a schema that Terraform takes", |block| block.validate().is_empty())
}

/// A type may nest so that all of it would be millions of values.
#[test]
fn samples_of_deep_types_are_bounded() {
    let deep = (0..24).fold(Type::String, |inner, _| Type::list(inner));
    let optional = Block::new([("deep", Attribute::optional(deep))], []);
    let nested = |block: Block| {
        let mut nested = NestedBlock::new(NestingMode::List, block);
        nested.min_items = 100;
        nested
    };
    let leaf = || Block::new([("name", Attribute::required(Type::String))], []);
    let required = (0..6).fold(leaf(), |inner, _| Block::new::<&str>([], [("inner", nested(inner))]));
    let count = |value: &Value| {
        let mut count = 0_usize;
        value.visit(|_, _| {
            count += 1;
            objchange::value::Descend::Into
        });
        count
    };
    let hints = Hints::default();
    let of = |block: &Block| -> Vec<Sample> {
        samples(block, Component::Resource, "kit_deep", &hints, 1).take(30).collect()
    };
    let all = of(&optional);
    assert_eq!(all.len(), 30);
    assert!(all.iter().all(|sample| count(&sample.config) < 200_000));
    // Nothing that Terraform takes is small enough.
    assert_eq!(of(&required).len(), 0);
}

/// The problems of an object of a block, as Core sees them.
fn wrong(block: &Block, value: &Value, path: &str, out: &mut Vec<String>) {
    attributes_wrong(block.attributes(), value, path, out);
    for (name, nested) in block.block_types() {
        let path = format!("{path}.{name}");
        let held = value.attribute(name).unwrap();
        if !held.is_known() {
            continue;
        }
        let all: Vec<&Value> = match held.kind() {
            Kind::Null => Vec::new(),
            Kind::List(all) | Kind::Set(all) | Kind::Tuple(all) => all.iter().collect(),
            Kind::Map(all) => all.iter().map(|(_, block)| block).collect(),
            Kind::Object(all) if nested.nesting == NestingMode::Map => all.values().iter().collect(),
            _ => vec![held],
        };
        let count = all.len() as u64;
        // Elements of a set that are equal are one.
        let is_few = count < nested.min_items && (nested.nesting != NestingMode::Set || count == 0);
        if is_few || nested.max_items > 0 && count > nested.max_items {
            out.push(format!("{path}: {count} blocks"));
        }
        all.iter().for_each(|block| wrong(&nested.block, block, &path, out));
    }
}

fn attributes_wrong(
    attributes: &[(smol_str::SmolStr, Attribute)],
    value: &Value,
    path: &str,
    out: &mut Vec<String>,
) {
    for (name, attribute) in attributes {
        let part = value.attribute(name).unwrap();
        if attribute.required && part.is_null() {
            out.push(format!("{path}.{name}: required"));
        }
        if !attribute.required && !attribute.optional && !part.is_null() {
            out.push(format!("{path}.{name}: computed"));
        }
        if let (Some(nested), true) = (attribute.nested(), part.is_known()) {
            let path = format!("{path}.{name}");
            let mut inside = |object: &Value| attributes_wrong(nested.attributes(), object, &path, out);
            match part.kind() {
                Kind::Null => {}
                Kind::List(all) | Kind::Set(all) => all.iter().for_each(&mut inside),
                Kind::Map(all) => all.iter().for_each(|(_, object)| inside(object)),
                _ => inside(part),
            }
        }
    }
}

fn check(block: &Block, sample: &Sample) -> Result<(), TestCaseError> {
    for config in [Some(&sample.config), sample.known.as_ref()].into_iter().flatten() {
        let mut errors = Vec::new();
        wrong(block, config, "", &mut errors);
        prop_assert!(errors.is_empty(), "{}: {errors:?} in {config:?}", sample.label);
        prop_assert_eq!(&block.coerce_config(config).unwrap(), config);
        prop_assert!(config.ty().conforms_to(block.implied_type()), "{}: {:?}", sample.label, config);
    }
    prop_assert_eq!(sample.known.is_some(), !sample.config.is_wholly_known(), "{}", sample.label);
    prop_assert!(sample.known.as_ref().is_none_or(Value::is_wholly_known), "{}", sample.label);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn all_are_what_core_would_send(block in blocks(), seed: u64) {
        let hints = Hints::default();
        let make = || samples(&block, Component::Resource, "t", &hints, seed).take(60);
        for (sample, again) in make().zip(make()) {
            prop_assert_eq!(&sample, &again);
            check(&block, &sample)?;
        }
    }

    #[test]
    fn random_ones_too((block, sample) in blocks().prop_flat_map(|block| {
        let sample = any_sample(&block, Component::Resource, "t", &Hints::default());
        (Just(block), sample)
    })) {
        check(&block, &sample)?;
    }
}

/// So many first samples that all that is special is among them.
fn labels(block: &Block) -> Vec<String> {
    let hints = Hints::default();
    let all = samples(block, Component::Resource, "t", &hints, 3);
    all.take(400).map(|sample| sample.label).filter(|label| !label.starts_with("random")).collect()
}

#[test]
fn each_kind_of_what_is_special_is_there() {
    let rule = Block::new([("port", Attribute::optional(Type::Number))], []);
    let mut rules = NestedBlock::new(NestingMode::List, rule);
    rules.max_items = 5;
    let block = Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("name", Attribute::required(Type::String)),
            ("on", Attribute::optional(Type::Bool)),
            ("tags", Attribute::optional(Type::set(Type::String))),
            ("any", Attribute::optional(Type::Dynamic)),
        ],
        [("rule", rules)],
    );
    let labels = labels(&block);
    for wanted in [
        "minimal",
        "all",
        "on: alone",
        "on: false",
        "on: unknown",
        "name: unknown",
        "name: text empty",
        "name: text with other normal forms",
        "name: text long",
        "tags: empty",
        "tags: one unknown element",
        "tags: an unknown element among others",
        "tags: 100 elements",
        "any: a tuple",
        "rule: alone",
        "rule: with all in it",
        "rule: unknown",
        "rule: 5 elements",
        "rule: duplicates",
        "rule.port: unknown",
        "rule.port: 0.1",
        "rule.port: 1e400",
        "rule.port: 18446744073709551616",
    ] {
        assert!(labels.iter().any(|label| label == wanted), "{wanted} in {labels:#?}");
    }
    assert!(!labels.iter().any(|label| label.starts_with("id") || label == "name: alone"), "{labels:#?}");
    let distinct: std::collections::BTreeSet<&String> = labels.iter().collect();
    assert_eq!(distinct.len(), labels.len());
}

/// Whatever the seed: each part is unknown once, the outer ones first, and before the other things that are special are through.
#[test]
fn each_attribute_is_unknown_early() {
    let rule = Block::new(
        [("port", Attribute::optional(Type::Number)), ("to", Attribute::optional(Type::String))],
        [],
    );
    let texts = (0..10).map(|i| (format!("text{i}"), Attribute::optional(Type::String)));
    let others = [
        ("id".to_owned(), Attribute::computed(Type::String)),
        ("name".to_owned(), Attribute::required(Type::String)),
        ("tags".to_owned(), Attribute::optional(Type::map(Type::String))),
    ];
    let block =
        Block::new(texts.chain(others), [("rule".to_owned(), NestedBlock::new(NestingMode::List, rule))]);
    let hints = Hints::default();
    for seed in 0..20 {
        let all = samples(&block, Component::Resource, "t", &hints, seed);
        let labels: Vec<String> = all.take(40).map(|sample| sample.label).collect();
        let unknown: Vec<&str> = labels.iter().filter_map(|label| label.strip_suffix(": unknown")).collect();
        assert_eq!(unknown.len(), 15, "{labels:#?}");
        assert!(unknown[..13].iter().all(|path| !path.contains('.')), "{unknown:?}");
        let distinct: std::collections::BTreeSet<&str> = unknown.iter().copied().collect();
        assert_eq!(distinct.len(), 15);
        assert!(labels.iter().any(|label| label == "tags: unusual keys"), "{labels:#?}");
        // The others have their turns as well.
        assert!(labels.iter().filter(|label| label.starts_with("random")).count() >= 2, "{labels:#?}");
    }
}

#[test]
fn a_schema_without_end_has_samples_with_an_end() {
    let mut block = Block::new::<String>([], []);
    for depth in 0..60 {
        let nested = |i: i32| (format!("b{i}"), NestedBlock::new(NestingMode::List, block.clone()));
        let width = if depth < 50 { 1 } else { 3 };
        let attributes = [("a".to_owned(), Attribute::optional(Type::String))];
        block = Block::new(attributes, (0..width).map(nested));
    }
    for sample in samples(&block, Component::Resource, "t", &Hints::default(), 1).take(30) {
        assert!(sample.config.attribute("a").is_some());
    }
}

/// Each part that need not be there is in some random configurations, and is not in others.
#[test]
fn random_ones_leave_parts_out() {
    let names = ["a", "b", "c", "d"];
    let block = Block::new(names.map(|name| (name, Attribute::optional(Type::String))), []);
    let hints = Hints::default();
    let all = samples(&block, Component::Resource, "t", &hints, 1).take(200);
    let random: Vec<Sample> = all.filter(|sample| sample.label.starts_with("random")).collect();
    assert!(random.len() > 50);
    for name in names {
        let is_set = |sample: &&Sample| sample.config.attribute(name).is_some_and(|part| !part.is_null());
        let count = random.iter().filter(is_set).count();
        assert!(count > 0 && count < random.len(), "{name}: {count} of {}", random.len());
    }
}

#[test]
fn random_collections_have_null_only_where_it_is_usual() {
    let pair = Type::object([("a", Type::String)]);
    let types = [
        ("list", Type::list(Type::String), true),
        ("map", Type::map(Type::Number), true),
        ("set", Type::set(Type::String), false),
        ("objects", Type::list(pair), false),
    ];
    let block = Block::new(types.clone().map(|(name, ty, _)| (name, Attribute::required(ty))), []);
    let all: Vec<Sample> =
        samples(&block, Component::Resource, "t", &Hints::default(), 1).take(600).collect();
    let random = || all.iter().filter(|sample| sample.label.starts_with("random"));
    for (name, _, may_be_null) in types {
        let has_null = |sample: &&Sample| match sample.config.attribute(name).map(Value::kind) {
            Some(Kind::List(parts) | Kind::Set(parts)) => parts.iter().any(Value::is_null),
            Some(Kind::Map(parts)) => parts.iter().any(|(_, part)| part.is_null()),
            _ => false,
        };
        assert_eq!(random().filter(has_null).count() > 0, may_be_null, "{name}");
    }
}
