//! Random types, values and schemas for property tests.
//!
//! Names and texts come from small pools, so that equal and nearly equal parts are common.

#![allow(dead_code, reason = "each test file uses a part")]
#![allow(unreachable_pub, reason = "every test file is a crate of its own")]

use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::value::{Bound, Kind, Marks, Number, Refinements};
use objchange::{Type, Value};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

/// The contents of a random value beside known ones.
#[derive(Debug, Clone, Copy)]
pub struct Content {
    /// Null, at any depth.
    pub nulls: bool,
    /// Unknown, with and without refinements, at any depth.
    pub unknowns: bool,
    /// Marks, at any depth.
    pub marks: bool,
}

impl Content {
    /// Everything that a value may hold.
    pub const ANY: Self = Self { nulls: true, unknowns: true, marks: true };
    /// The contents of a configuration before it is marked.
    pub const UNMARKED: Self = Self { nulls: true, unknowns: true, marks: false };
    /// The contents of a state.
    pub const KNOWN: Self = Self { nulls: true, unknowns: false, marks: false };
    /// No null, no unknown, no marks.
    pub const PLAIN: Self = Self { nulls: false, unknowns: false, marks: false };
}

/// How often a law is tried: as often as `PROPTEST_CASES` says, or this often.
pub fn cases(often: u32) -> ProptestConfig {
    // The default already includes settings from the environment.
    let is_set = std::env::var_os("PROPTEST_CASES").is_some();
    if is_set { ProptestConfig::default() } else { ProptestConfig::with_cases(often) }
}

/// Names of attributes and blocks, keys of maps.
pub fn name() -> impl Strategy<Value = &'static str> {
    select(&["a", "b", "id", "k1", "size", "x_1"][..])
}

/// Texts: empty, of numbers and bools, with quotes, line breaks and characters beyond ASCII.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(
            &["", "a", "b", "foo", "foobar", "12", "-0.5", "1e3", "true", "false", "line\n\"q\"\\", "größe",
              "e\u{301}", "日本"][..]
        ).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ]
}

/// Numbers: small, beyond 64 bits, fractions in decimal, doubles.
pub fn number() -> impl Strategy<Value = Number> {
    let decimal = |text: &str| Number::parse(text).expect("a number");
    prop_oneof![
        4 => (-3_i64..4).prop_map(Number::from),
        1 => any::<i64>().prop_map(Number::from),
        1 => select(vec![decimal("0.1"), decimal("9999999999.5"), decimal("1e40"), decimal("18446744073709551616")]),
        1 => select(vec![0.1, 0.5, 1e22, -2.5e-7]).prop_map(|d| Number::from_f64(d).expect("not NaN")),
    ]
}

/// Types without dynamic parts.
pub fn ty() -> BoxedStrategy<Type> {
    types(vec![Type::String, Type::Number, Type::Bool])
}

/// Types, some of which are dynamic or have dynamic parts.
pub fn any_type() -> BoxedStrategy<Type> {
    types(vec![Type::String, Type::Number, Type::Bool, Type::Dynamic])
}

fn types(leaves: Vec<Type>) -> BoxedStrategy<Type> {
    select(leaves)
        .prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                inner.clone().prop_map(Type::list),
                inner.clone().prop_map(Type::set),
                inner.clone().prop_map(Type::map),
                vec(inner.clone(), 0..3).prop_map(Type::tuple),
                btree_map(name(), inner, 0..4).prop_map(Type::object),
            ]
        })
        .boxed()
}

/// Types with optional attributes, as conversion targets have them.
pub fn target() -> BoxedStrategy<Type> {
    let object =
        (btree_map(name(), any_type(), 0..4), vec(name(), 0..4)).prop_map(|(attributes, optional)| {
            let text = serde_json::json!(["object", attributes, []]).to_string();
            let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let optional: std::collections::BTreeSet<_> =
                optional.into_iter().filter(|name| attributes.contains_key(name)).collect();
            json[2] = serde_json::json!(optional);
            serde_json::from_value(json).expect("a type")
        });
    let object = object.boxed();
    prop_oneof![
        3 => any_type(),
        1 => object.clone(),
        1 => object.clone().prop_map(Type::list),
        1 => object.clone().prop_map(Type::set),
        1 => object.prop_map(Type::map),
    ]
    .boxed()
}

/// Values of any type.
pub fn any_value(content: Content) -> BoxedStrategy<Value> {
    any_type().prop_flat_map(move |ty| value(&ty, content)).boxed()
}

/// Values that may stand where a type is declared: for each dynamic part of the type some type of their own.
pub fn value(ty: &Type, content: Content) -> BoxedStrategy<Value> {
    let mut choices = vec![(8, known(ty, content))];
    if content.nulls {
        choices.push((1, Just(Value::null(ty.clone())).boxed()));
    }
    if content.unknowns {
        choices.push((1, unknown(ty)));
    }
    let values = Union::new_weighted(choices);
    if content.marks {
        (values, marks()).prop_map(|(value, marks)| value.with_marks(marks)).boxed()
    } else {
        values.boxed()
    }
}

/// No marks more often than some.
pub fn marks() -> impl Strategy<Value = Marks> {
    prop_oneof![
        8 => Just(Marks::NONE),
        2 => Just(Marks::SENSITIVE),
        1 => Just(Marks::EPHEMERAL),
        1 => Just(Marks::SENSITIVE | Marks::EPHEMERAL),
    ]
}

fn known(ty: &Type, content: Content) -> BoxedStrategy<Value> {
    match ty {
        Type::Dynamic => self::ty().prop_flat_map(move |ty| value(&ty, content)).boxed(),
        Type::String => text().prop_map(Value::from).boxed(),
        Type::Number => number().prop_map(Value::from).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::from).boxed(),
        Type::List(element) => collection(element, content, |element, values| {
            Value::list(element, values.into_iter().map(|(_, value)| value))
        }),
        Type::Set(element) => collection(element, content, |element, values| {
            Value::set(element, values.into_iter().map(|(_, value)| value))
        }),
        Type::Map(element) => collection(element, content, Value::map),
        Type::Tuple(tuple) => {
            let elements: Vec<_> = tuple.elements().iter().map(|ty| value(ty, content)).collect();
            elements.prop_map(Value::tuple).boxed()
        }
        Type::Object(object) => {
            let attributes: Vec<_> = object
                .attributes()
                .iter()
                .map(|(name, ty)| {
                    value(ty, content).prop_map({
                        let name = name.clone();
                        move |value| (name.clone(), value)
                    })
                })
                .collect();
            attributes.prop_map(Value::object).boxed()
        }
    }
}

type Entries = Vec<(&'static str, Value)>;

/// All elements have one type, also where a dynamic one is declared.
fn collection(
    element: &Type,
    content: Content,
    make: impl Fn(Type, Entries) -> Result<Value, objchange::value::ConstructError> + Clone + 'static,
) -> BoxedStrategy<Value> {
    concrete(element)
        .prop_flat_map(move |element| {
            let make = make.clone();
            vec((name(), value(&element, content)), 0..4)
                .prop_map(move |entries| make(element.clone(), entries).expect("elements of one type"))
        })
        .boxed()
}

/// The type with some other type in place of each dynamic part.
fn concrete(declared: &Type) -> BoxedStrategy<Type> {
    match declared {
        _ if !declared.has_dynamic() => Just(declared.clone()).boxed(),
        Type::List(element) => concrete(element).prop_map(Type::list).boxed(),
        Type::Set(element) => concrete(element).prop_map(Type::set).boxed(),
        Type::Map(element) => concrete(element).prop_map(Type::map).boxed(),
        Type::Tuple(tuple) => {
            tuple.elements().iter().map(concrete).collect::<Vec<_>>().prop_map(Type::tuple).boxed()
        }
        Type::Object(object) => {
            let names: Vec<_> = object.attributes().iter().map(|(name, _)| name.clone()).collect();
            let types: Vec<_> = object.attributes().iter().map(|(_, ty)| concrete(ty)).collect();
            types.prop_map(move |types| Type::object(names.iter().cloned().zip(types))).boxed()
        }
        _ => ty(),
    }
}

fn unknown(ty: &Type) -> BoxedStrategy<Value> {
    let plain = ty.clone();
    let bound = || {
        proptest::option::of((number(), any::<bool>()))
            .prop_map(|bound| bound.map(|(value, inclusive)| Bound { value, inclusive }))
    };
    let refinements = match ty {
        Type::String => proptest::option::of(text())
            .prop_map(|prefix| Refinements { string_prefix: prefix.map(Into::into), ..Default::default() })
            .boxed(),
        Type::Number => (bound(), bound())
            .prop_map(|(number_lower, number_upper)| Refinements {
                number_lower,
                number_upper,
                ..Default::default()
            })
            .boxed(),
        Type::List(_) | Type::Set(_) | Type::Map(_) => {
            (proptest::option::of(0..3_u64), proptest::option::of(1..5_u64))
                .prop_map(|(length_lower, length_upper)| Refinements {
                    length_lower,
                    length_upper,
                    ..Default::default()
                })
                .boxed()
        }
        _ => Just(Refinements::default()).boxed(),
    };
    (refinements, any::<bool>())
        .prop_map(move |(refinements, not_null)| {
            // Bounds that contradict each other are not refinement.
            Value::refined_unknown(plain.clone(), Refinements { not_null, ..refinements })
                .unwrap_or_else(|_| Value::unknown(plain.clone()))
        })
        .boxed()
}

/// Schemas in which [`Block::validate`] finds nothing, up to three levels deep.
pub fn block() -> BoxedStrategy<Block> {
    block_in(Place { depth: 2, fixed: false, computed: false, in_set: false })
}

/// As [`block`], without dynamic types.
pub fn block_without_dynamic() -> BoxedStrategy<Block> {
    block_in(Place { depth: 2, fixed: true, computed: false, in_set: false })
}

/// The surroundings of a part of a schema.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// How many levels there may be below.
    depth: u32,
    /// Nothing may be dynamic.
    fixed: bool,
    computed: bool,
    in_set: bool,
}

impl Place {
    fn inside(self, nesting: NestingMode, computed: bool) -> Self {
        Self {
            depth: self.depth.saturating_sub(1),
            fixed: self.fixed || nesting == NestingMode::Set,
            computed: self.computed || computed,
            in_set: self.in_set || nesting == NestingMode::Set,
        }
    }
}

fn block_in(place: Place) -> BoxedStrategy<Block> {
    let blocks = if place.depth == 0 { 0..1 } else { 0..3 };
    (btree_map(name(), attribute(place), 0..4), btree_map(name(), nested_block(place), blocks))
        .prop_map(|(attributes, mut blocks)| {
            blocks.retain(|name, _| !attributes.contains_key(name));
            Block::new(attributes, blocks)
        })
        .boxed()
}

fn nested_block(place: Place) -> BoxedStrategy<NestedBlock> {
    let mut modes = vec![NestingMode::Single, NestingMode::List, NestingMode::Set, NestingMode::Map];
    if !place.computed {
        modes.push(NestingMode::Group);
    }
    (select(modes), any::<bool>())
        .prop_flat_map(move |(nesting, computed)| {
            let computed = (computed && nesting != NestingMode::Group) || place.computed;
            block_in(place.inside(nesting, computed))
                .prop_map(move |block| NestedBlock { computed, ..NestedBlock::new(nesting, block) })
        })
        .boxed()
}

fn attribute(place: Place) -> BoxedStrategy<Attribute> {
    let plain = if place.fixed { ty() } else { any_type() };
    let plain = plain.prop_map(Attribute::optional);
    let attribute = if place.depth == 0 {
        plain.boxed()
    } else {
        let modes = [NestingMode::Single, NestingMode::List, NestingMode::Set, NestingMode::Map];
        let nested = select(modes.to_vec()).prop_flat_map(move |nesting| {
            btree_map(name(), attribute(place.inside(nesting, false)), 0..3)
                .prop_map(move |attributes| Attribute::optional(NestedType::new(nesting, attributes)))
        });
        prop_oneof![3 => plain, 1 => nested].boxed()
    };
    let flags = prop_oneof![
        Just((true, false, false)),
        Just((false, true, false)),
        Just((false, false, true)),
        Just((false, true, true)),
    ];
    (attribute, flags, prop::bool::weighted(0.2), prop::bool::weighted(0.1))
        .prop_map(move |(attribute, (required, optional, computed), sensitive, write_only)| Attribute {
            required: required && !place.computed,
            optional,
            computed: computed || place.computed,
            sensitive,
            write_only: write_only && !place.in_set && !computed && !place.computed,
            ..attribute
        })
        .boxed()
}

/// Objects of a schema, known as such, as a state or a provider's answer may have them.
pub fn object_of(block: &Block, content: Content) -> BoxedStrategy<Value> {
    members_of(block, content, move |attribute| value(attribute.implied_type(), content))
}

/// Objects as a configuration may have them: what is required is there, what only the provider sets is not.
pub fn config_of(block: &Block, content: Content) -> BoxedStrategy<Value> {
    members_of(block, content, move |attribute| {
        let ty = attribute.implied_type();
        if !(attribute.required || attribute.optional) {
            Just(Value::null(ty.clone())).boxed()
        } else {
            value(ty, Content { nulls: content.nulls && !attribute.required, ..content })
        }
    })
}

fn members_of(
    block: &Block,
    content: Content,
    attribute: impl Fn(&Attribute) -> BoxedStrategy<Value> + Clone + 'static,
) -> BoxedStrategy<Value> {
    let attributes = block.attributes().iter().map(|(name, schema)| (name.clone(), attribute(schema)));
    let blocks = block
        .block_types()
        .iter()
        .map(|(name, nested)| (name.clone(), blocks_of(nested, content, &attribute)));
    let members: Vec<_> = attributes
        .chain(blocks)
        .map(|(name, values)| values.prop_map(move |value| (name.clone(), value)))
        .collect();
    members.prop_map(Value::object).boxed()
}

fn blocks_of(
    nested: &NestedBlock,
    content: Content,
    attribute: &(impl Fn(&Attribute) -> BoxedStrategy<Value> + Clone + 'static),
) -> BoxedStrategy<Value> {
    let object = members_of(&nested.block, content, attribute.clone());
    let ty = nested.block.implied_type().clone();
    let fixed = nested.implied_type() != Type::Dynamic;
    match nested.nesting {
        NestingMode::Group => object,
        NestingMode::Single => prop_oneof![1 => Just(Value::null(ty)), 3 => object].boxed(),
        NestingMode::List => vec(object, 0..4)
            .prop_map(move |blocks| {
                if fixed { Value::list(ty.clone(), blocks).expect("one type") } else { Value::tuple(blocks) }
            })
            .boxed(),
        NestingMode::Map => btree_map(name(), object, 0..4)
            .prop_map(move |blocks| {
                if fixed { Value::map(ty.clone(), blocks).expect("one type") } else { Value::object(blocks) }
            })
            .boxed(),
        _ => vec(object, 0..4)
            .prop_map(move |blocks| Value::set(ty.clone(), blocks).expect("one type"))
            .boxed(),
    }
}

/// A schema, and a value made for it.
pub fn with(
    blocks: BoxedStrategy<Block>,
    values: impl Fn(&Block) -> BoxedStrategy<Value>,
) -> impl Strategy<Value = (Block, Value)> {
    blocks.prop_flat_map(move |block| (Just(block.clone()), values(&block)))
}

/// Objects with more, fewer and other members than the schema says.
pub fn loose_object_of(block: &Block) -> BoxedStrategy<Value> {
    let fitting = config_of(block, Content::ANY);
    let other = any_value(Content::ANY);
    (fitting, other, vec(0..12_u8, 12))
        .prop_map(|(fitting, other, choices)| {
            let Some(object) = fitting.as_object() else { return fitting };
            let changed = object.iter().zip(choices.iter().cycle()).filter_map(|((name, value), choice)| {
                let value = match choice {
                    0 => return None,
                    1 => other.clone(),
                    2 => match value.as_elements() {
                        Some(elements) => Value::tuple(elements.iter().cloned()).with_marks(value.marks()),
                        None => value.clone(),
                    },
                    3 => match value.as_map() {
                        Some(map) => Value::object(map.iter().map(|(k, v)| (k.clone(), v.clone()))),
                        None => value.convert(&Type::String).unwrap_or_else(|_| value.clone()),
                    },
                    _ => value.clone(),
                };
                Some((name.clone(), value))
            });
            Value::object(changed.collect::<Vec<_>>()).with_marks(fitting.marks())
        })
        .boxed()
}

/// The text that [`with_secrets`] puts in place of sensitive values. No other text of this module contains it.
pub const SECRET: &str = "s3cr3t";

/// As [`SECRET`], for numbers.
pub const SECRET_NUMBER: i64 = 918_273_645;

/// Replaces everything below a sensitive mark by a secret: texts, numbers and keys of maps.
pub fn with_secrets(value: &Value) -> Value {
    secreted(value, false)
}

fn secreted(value: &Value, secret: bool) -> Value {
    let secret = secret || value.marks().contains(Marks::SENSITIVE);
    let all = |values: &[Value]| values.iter().map(|value| secreted(value, secret)).collect::<Vec<_>>();
    let element = || value.ty().element().cloned().unwrap_or(Type::Dynamic);
    let changed = match value.kind() {
        Kind::String(_) if secret => Value::from(SECRET),
        Kind::Number(_) if secret => Value::from(SECRET_NUMBER),
        Kind::Unknown(refinements) if secret && *value.ty() == Type::String => {
            let prefix = Refinements { string_prefix: Some(SECRET.into()), ..refinements.clone() };
            Value::refined_unknown(Type::String, prefix).expect("a prefix of a string")
        }
        Kind::List(values) => Value::list(element(), all(values)).expect("types stay"),
        Kind::Set(values) => Value::set(element(), all(values)).expect("types stay"),
        Kind::Tuple(values) => Value::tuple(all(values)),
        Kind::Map(map) => {
            let key = |key: &str| if secret { format!("{SECRET}-{key}") } else { key.to_owned() };
            Value::map(element(), map.iter().map(|(k, v)| (key(k), secreted(v, secret)))).expect("types stay")
        }
        Kind::Object(object) => {
            Value::object(object.iter().map(|(name, value)| (name.clone(), secreted(value, secret))))
        }
        _ => return value.clone(),
    };
    changed.with_marks(value.marks())
}

/// Fails if a text made from a value [`with_secrets`] shows one of them.
#[track_caller]
pub fn assert_shows_no_secret(text: &str) {
    assert!(!text.contains(SECRET), "a secret text is shown: {text}");
    assert!(!text.contains(&SECRET_NUMBER.to_string()), "a secret number is shown: {text}");
}
