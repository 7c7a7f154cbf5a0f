//! How long it takes from the bytes of two plans to what differs in them, and from those of one to its hash.
//!
//! ```sh
//! cargo bench -p objchange-plan --bench compare
//! cargo bench -p objchange-plan --bench compare -- different/1500
//! ```

#[expect(dead_code, reason = "shared with other benches")]
mod documents;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_document::{Plan, Schemas};
use objchange_plan::Comparison;
use objchange_plan::compare::{CompareOptions, HashKey, HashedPlan};

fn action(index: usize) -> &'static str {
    match index % 10 {
        0..=5 => "update",
        6 | 7 => "create",
        8 => "delete",
        _ => "no-op",
    }
}

fn compare(c: &mut Criterion) {
    let options = CompareOptions::default();
    for size in [150, 1_500, 15_000] {
        let made = documents::plan("compare", size, action);
        // Another value in each change.
        let other = made.plan.replace("\"attr_02\":\"", "\"attr_02\":\"other-");
        let schemas = Schemas::parse(made.schemas).expect("the schemas are well-formed");
        let mut group = c.benchmark_group("compare");
        group.sample_size(10);
        for (name, b) in [("same", &made.plan), ("different", &other)] {
            group.throughput(Throughput::Bytes((made.plan.len() + b.len()) as u64));
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| {
                    let plans =
                        [&made.plan, b].map(|text| Plan::parse(black_box(text)).expect("it is a plan"));
                    let [a, b] = &plans;
                    Comparison::new(a, b, &schemas, &options).expect("they can be compared").counts
                });
            });
        }
        group.throughput(Throughput::Bytes(made.plan.len() as u64));
        let key = HashKey::new(b"0123456789abcdef0123456789abcdef").expect("it is long enough");
        for (name, key) in [("hash", None), ("hash_with_key", Some(&key))] {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| {
                    let plan = Plan::parse(black_box(&made.plan)).expect("it is a plan");
                    HashedPlan::new(&plan.changes, &schemas, key, &[]).expect("it has a hash").hash
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
