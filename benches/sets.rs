//! How long sets take whose elements differ in shape, and how that grows: `cargo bench --bench sets`.
//!
//! Each group is a shape that elements may have, each id the number of elements. Inputs are built before the
//! clock runs.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::change::{assert_object_compatible, proposed_new};
use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::{Type, Value};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// The attributes that may be configured, or left to the provider.
const CHOICES: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// A block with each way of holding objects inside.
fn item() -> Block {
    let leaves = || [("value", Attribute::optional(Type::String)), ("id", Attribute::computed(Type::String))];
    let nested = |nesting| Attribute::optional(NestedType::new(nesting, leaves()));
    let held = |nesting| NestedBlock::new(nesting, Block::new(leaves(), []));
    let mut attributes = vec![
        ("name", Attribute::optional(Type::String)),
        ("uid", Attribute::computed(Type::String)),
        ("list", nested(NestingMode::List)),
        ("map", nested(NestingMode::Map)),
        ("set", nested(NestingMode::Set)),
    ];
    attributes.extend(CHOICES.map(|name| (name, Attribute::optional_computed(Type::String))));
    let blocks = [
        ("items", held(NestingMode::List)),
        ("keyed", held(NestingMode::Map)),
        ("one", held(NestingMode::Single)),
        ("rules", held(NestingMode::Set)),
    ];
    Block::new(attributes, blocks)
}

/// Whose object an element belongs to: what the provider computes is null in `Config`, unknown in `Planned`.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Prior,
    Config,
    Planned,
    Actual,
}

/// The members of an element that are not null.
type Members = Vec<(&'static str, Value)>;

/// Element `i` of an object.
type Element = fn(i: usize, role: Role) -> Members;

fn text(name: &str, i: usize) -> Value {
    Value::from(format!("{name}-{i:06}"))
}

fn computed(i: usize, role: Role) -> Value {
    match role {
        Role::Config => Value::null(Type::String),
        Role::Planned => Value::unknown(Type::String),
        Role::Prior | Role::Actual => text("id", i),
    }
}

fn inner(i: usize, role: Role) -> Value {
    Value::object([("value", text("v", i)), ("id", computed(i, role))])
}

/// Two entries with keys of their own, and values that all have.
fn own_map(i: usize, role: Role) -> Value {
    Value::object((0..2).map(|j| (format!("key-{i:06}-{j}"), inner(j, role))))
}

fn own_list(i: usize, role: Role) -> Value {
    Value::tuple((0..i % 100).map(|_| inner(0, role)).chain([inner(i, role)]))
}

fn user_with_map(i: usize, role: Role) -> Members {
    vec![("name", text("user", i)), ("map", own_map(i, role))]
}

fn map_alone(i: usize, role: Role) -> Members {
    vec![("map", own_map(i, role))]
}

fn map_of_blocks_alone(i: usize, role: Role) -> Members {
    let entries = (0..2).map(|j| (format!("key-{i:06}-{j}"), inner(j, role)));
    let ty = inner(0, Role::Prior).ty().clone();
    vec![("keyed", Value::map(ty, entries).expect("all are made alike"))]
}

fn list_alone(i: usize, role: Role) -> Members {
    vec![("list", own_list(i, role))]
}

fn blocks_alone(i: usize, role: Role) -> Members {
    vec![("items", own_list(i, role))]
}

fn set_alone(i: usize, role: Role) -> Members {
    vec![("uid", computed(i, role)), ("set", Value::tuple([inner(i, role)]))]
}

fn set_of_blocks_alone(i: usize, role: Role) -> Members {
    vec![("rules", Value::tuple([inner(i, role), inner(i + 1, role)]))]
}

/// Nothing differs but what the provider says.
fn computed_alone(i: usize, role: Role) -> Members {
    let c0 = if role == Role::Planned { computed(i, role) } else { text("c", i) };
    vec![("uid", computed(i, role)), ("c0", c0)]
}

/// Each configures other attributes, and leaves the rest to the provider.
fn own_choice(i: usize, role: Role) -> Members {
    let chosen = |j: &usize| i >> j & 1 == 1 || role == Role::Prior || role == Role::Actual;
    let choices = (0..CHOICES.len()).map(|j| match chosen(&j) {
        true => (CHOICES[j], text("c", i)),
        false => (CHOICES[j], computed(i, role)),
    });
    choices.collect()
}

/// Sets that the provider adds to elements that had none.
fn new_sets(i: usize, role: Role) -> Members {
    match role {
        Role::Prior => vec![("uid", text("id", i))],
        _ => vec![("set", Value::tuple([inner(i, role)]))],
    }
}

/// Blocks that the actual elements lack, which passes for any planned ones.
fn null_blocks(i: usize, role: Role) -> Members {
    let blocks = match role {
        Role::Actual => Value::null(Type::list(
            item().block_type("items").expect("it is there").block.implied_type().clone(),
        )),
        _ => Value::tuple([inner(i, role)]),
    };
    vec![("name", text("name", i)), ("items", blocks)]
}

const SHAPES: [(&str, Element); 12] = [
    ("user_with_map", user_with_map),
    ("map_alone", map_alone),
    ("map_of_blocks_alone", map_of_blocks_alone),
    ("list_alone", list_alone),
    ("blocks_alone", blocks_alone),
    ("set_alone", set_alone),
    ("set_of_blocks_alone", set_of_blocks_alone),
    ("computed_alone", computed_alone),
    ("own_choice", own_choice),
    ("new_sets", new_sets),
    ("null_blocks", null_blocks),
    ("name_alone", |i, role| vec![("name", text("name", i)), ("uid", computed(i, role))]),
];

fn schema() -> Block {
    Block::new([], [("item", NestedBlock::new(NestingMode::Set, item()))])
}

/// An object of such elements, in which every tenth may be changed.
fn object(n: usize, role: Role, element: Element, changed: bool) -> Value {
    let item = item();
    let elements = (0..n).map(|i| {
        let changed = changed && i % 10 == 0;
        let members = Value::object(element(if changed { i + n } else { i }, role));
        item.coerce_value(&members).expect("it fits the schema")
    });
    let elements = Value::set(item.implied_type().clone(), elements).expect("all are made alike");
    Value::object([("item", elements)])
}

/// `changed` tells whether elements of the second object are others than in the first.
fn measure(
    c: &mut Criterion,
    group: &str,
    run: impl Fn(&Block, &Value, &Value),
    roles: [Role; 2],
    changed: bool,
) {
    let schema = schema();
    for (name, element) in SHAPES {
        let mut group = c.benchmark_group(format!("{group}_{name}"));
        for n in SIZES {
            let input = LazyCell::new(|| {
                [object(n, roles[0], element, false), object(n, roles[1], element, changed)]
            });
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                let [first, second] = &*input;
                b.iter(|| run(&schema, black_box(first), black_box(second)));
            });
        }
        group.finish();
    }
}

fn merging(c: &mut Criterion) {
    let merge = |schema: &Block, prior: &Value, config: &Value| {
        black_box(proposed_new(schema, prior, config).expect("they fit the schema"));
    };
    measure(c, "proposed_new", merge, [Role::Prior, Role::Config], true);
}

fn comparing(c: &mut Criterion) {
    let compare = |schema: &Block, planned: &Value, actual: &Value| {
        black_box(assert_object_compatible(schema, planned, actual));
    };
    measure(c, "object_compatible", compare, [Role::Planned, Role::Actual], false);
    measure(c, "object_incompatible", compare, [Role::Planned, Role::Actual], true);
}

fn config() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(10)
}

criterion_group! {
    name = benches;
    config = config();
    targets = merging, comparing
}
criterion_main!(benches);
