//! How long the engine takes, and how that grows: `cargo bench --bench engine`.
//!
//! Each group is a scenario, each id the number of elements. Inputs are built before the clock runs.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::change::{
    assert_object_compatible, assert_plan_valid, longest_common_subsequence, proposed_new,
};
use objchange::schema::{Block, NestingMode};
use objchange::{Type, Value};

mod scenarios;

use scenarios::Scenario;

/// Builds the input of a scenario with n elements.
type Build = fn(usize) -> Scenario;

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

fn merging(c: &mut Criterion) {
    let scenarios: [(&str, Build); 4] = [
        ("a_proposed_new_set_block", |n| scenarios::items(n, NestingMode::Set)),
        ("a2_proposed_new_set_block_scrambled", scenarios::scrambled),
        ("b_proposed_new_list_block", |n| scenarios::items(n, NestingMode::List)),
        ("g_proposed_new_nested_set_attr", scenarios::nested_set),
    ];
    for (name, build) in scenarios {
        let mut group = c.benchmark_group(name);
        for n in SIZES {
            let input = LazyCell::new(|| build(n));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                let Scenario { schema, prior, config } = &*input;
                b.iter_with_large_drop(|| proposed_new(schema, black_box(prior), black_box(config)));
            });
        }
        group.finish();
    }
}

fn checking(c: &mut Criterion) {
    let mut group = c.benchmark_group("c_assert_plan_valid_list_block");
    for n in SIZES {
        let input = LazyCell::new(|| {
            let scenario = scenarios::items(n, NestingMode::List);
            let Scenario { schema, prior, config } = &scenario;
            let planned = proposed_new(schema, prior, config).expect("the values fit the schema");
            (scenario, planned)
        });
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            let (Scenario { schema, prior, config }, planned) = &*input;
            b.iter(|| {
                let errors = assert_plan_valid(schema, black_box(prior), config, black_box(planned));
                assert!(errors.is_empty());
            });
        });
    }
    group.finish();

    let mut group = c.benchmark_group("d_assert_object_compatible_set_block");
    for n in SIZES {
        let input = LazyCell::new(|| scenarios::applied_set(n));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            let (schema, planned, actual) = &*input;
            b.iter(|| {
                let errors = assert_object_compatible(schema, black_box(planned), black_box(actual));
                assert!(errors.is_empty());
            });
        });
    }
    group.finish();
}

fn sequences(c: &mut Criterion) {
    type Lists = fn(usize) -> (Vec<Value>, Vec<Value>);
    let scenarios: [(&str, Lists, &[usize]); 3] = [
        ("e_lcs_edits", scenarios::edited_lists, &[10, 100, 1_000, 5_000, 10_000, 100_000]),
        ("e_lcs_ten_edits", scenarios::lists_with_ten_edits, &SIZES),
        ("e_lcs_all_different", scenarios::different_lists, &[10, 100, 1_000, 2_000]),
    ];
    for (name, build, sizes) in scenarios {
        let mut group = c.benchmark_group(name);
        for n in sizes {
            let input = LazyCell::new(|| build(*n));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                let (xs, ys) = &*input;
                b.iter_with_large_drop(|| longest_common_subsequence(black_box(xs), black_box(ys)));
            });
        }
        group.finish();
    }
}

fn typical(c: &mut Criterion) {
    let scenarios::Typical { schema, prior, config, planned, actual } = scenarios::typical();
    c.benchmark_group("f_typical_proposed_new").bench_function(BenchmarkId::from_parameter(1), |b| {
        b.iter(|| proposed_new(&schema, black_box(&prior), black_box(&config)));
    });
    c.benchmark_group("f_typical_assert_plan_valid").bench_function(BenchmarkId::from_parameter(1), |b| {
        b.iter(|| assert!(assert_plan_valid(&schema, black_box(&prior), &config, &planned).is_empty()));
    });
    c.benchmark_group("f_typical_assert_object_compatible").bench_function(
        BenchmarkId::from_parameter(1),
        |b| {
            b.iter(|| assert!(assert_object_compatible(&schema, black_box(&planned), &actual).is_empty()));
        },
    );
}

/// Reading, writing, hashing and building: what happens to values before and after the rules.
fn values(c: &mut Criterion) {
    for n in SIZES {
        let input = LazyCell::new(|| Readable::new(n));
        let id = || BenchmarkId::from_parameter(n);
        c.benchmark_group("read_json").bench_function(id(), |b| {
            let input = &*input;
            b.iter_with_large_drop(|| Value::from_json(black_box(&input.text), input.schema.implied_type()));
        });
        c.benchmark_group("write_json").bench_function(id(), |b| {
            let input = &*input;
            b.iter(|| black_box(&input.value).to_json(input.schema.implied_type()));
        });
        c.benchmark_group("read_msgpack").bench_function(id(), |b| {
            let input = &*input;
            b.iter_with_large_drop(|| {
                Value::from_msgpack(black_box(&input.bytes), input.schema.implied_type())
            });
        });
        c.benchmark_group("write_msgpack").bench_function(id(), |b| {
            let input = &*input;
            b.iter(|| black_box(&input.value).to_msgpack(input.schema.implied_type()));
        });
        c.benchmark_group("build_set").bench_function(id(), |b| {
            let items = input.value.attribute("item").expect("the scenario has it");
            let elements = items.as_elements().unwrap_or_default();
            let ty = items.ty().element().cloned().unwrap_or(Type::Dynamic);
            b.iter_with_large_drop(|| Value::set(ty.clone(), black_box(elements).iter().rev().cloned()));
        });
        c.benchmark_group("identical_unshared").bench_function(id(), |b| {
            let other = Readable::new(n).value;
            b.iter(|| assert!(black_box(&input.value).identical(black_box(&other))));
        });
    }
}

/// A value in each of its forms.
struct Readable {
    schema: Block,
    value: Value,
    text: String,
    bytes: Vec<u8>,
}

impl Readable {
    fn new(n: usize) -> Self {
        let Scenario { schema, prior: value, .. } = scenarios::items(n, NestingMode::Set);
        let ty = schema.implied_type();
        let text = value.to_json(ty).expect("it is wholly known");
        let bytes = value.to_msgpack(ty).expect("it carries no marks");
        Self { schema, value, text, bytes }
    }
}

fn config() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
}

criterion_group! {
    name = benches;
    config = config();
    targets = merging, checking, sequences, typical, values
}
criterion_main!(benches);
