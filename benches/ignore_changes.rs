//! How long planning takes with many paths in `ignore_changes`: `cargo bench --bench ignore_changes`.
//!
//! Each id is the number of paths, each of which leads to something that changes.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::change::{Action, IgnoreChanges, Lifecycle, PlanRequest, SimulatedProvider, plan_change};
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// A schema, a prior object and a configuration of n parts that differ, and a path to each.
type Build = fn(usize) -> (Block, [Value; 2], Vec<Path>);

fn map_keys(n: usize) -> (Block, [Value; 2], Vec<Path>) {
    let schema = Block::new([("tags", Attribute::optional(Type::map(Type::String)))], []);
    let object = |value: &str| {
        let tags = Value::map(Type::String, (0..n).map(|i| (format!("key-{i:06}"), value)));
        Value::object([("tags", tags.expect("all are strings"))])
    };
    let paths = (0..n).map(|i| Path::root().attribute("tags").index(format!("key-{i:06}").as_str()));
    let paths = paths.collect();
    (schema, [object("old"), object("new")], paths)
}

fn list_blocks(n: usize) -> (Block, [Value; 2], Vec<Path>) {
    let rule = Block::new([("port", Attribute::optional(Type::String))], []);
    let schema = Block::new([], [("rule", NestedBlock::new(NestingMode::List, rule.clone()))]);
    let object = |value: &str| {
        let rules = (0..n).map(|_| Value::object([("port", value)]));
        let rules = Value::list(rule.implied_type().clone(), rules).expect("all are made alike");
        Value::object([("rule", rules)])
    };
    let paths = (0..n).map(|i| Path::root().attribute("rule").index(i).attribute("port")).collect();
    (schema, [object("old"), object("new")], paths)
}

fn ignoring(c: &mut Criterion) {
    let shapes: [(&str, Build); 2] =
        [("ignore_changes_map_keys", map_keys), ("ignore_changes_list_blocks", list_blocks)];
    for (name, build) in shapes {
        let mut group = c.benchmark_group(name);
        for n in SIZES {
            let input = LazyCell::new(|| build(n));
            group.bench_function(BenchmarkId::from_parameter(n), |b| {
                let (schema, [prior, config], paths) = &*input;
                let ignore_changes = IgnoreChanges::Paths(paths.clone());
                let lifecycle = Lifecycle { ignore_changes, ..Lifecycle::default() };
                let mut request = PlanRequest::new(schema, prior, config);
                request.lifecycle = lifecycle;
                b.iter(|| {
                    let change = plan_change(black_box(&request), &mut SimulatedProvider::default());
                    assert_eq!(change.expect("the objects fit the schema").action, Action::NoOp);
                });
            });
        }
        group.finish();
    }
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
    targets = ignoring
}
criterion_main!(benches);
