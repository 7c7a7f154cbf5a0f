//! How long it takes from the bytes of a document to the finished text.
//!
//! The documents are those in the shared folder beside the project, or made here where that is absent.

mod documents;

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use objchange_plan::{Options, Plan, Schemas, render_plan};

fn render(c: &mut Criterion) {
    let mut group = c.benchmark_group("render");
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/render");
    for made in documents::all() {
        let read = |file: &str| std::fs::read_to_string(shared.join(made.name).join(file)).ok();
        let plan = read("plan.json").unwrap_or(made.plan);
        let schemas = read("schemas.json").unwrap_or(made.schemas);
        group.throughput(Throughput::Bytes(plan.len() as u64));
        group.bench_function(made.name, |b| {
            b.iter(|| {
                let schemas =
                    Schemas::parse(black_box(schemas.as_str())).expect("the schemas are well-formed");
                let plan = Plan::parse(black_box(&plan)).expect("the plan is well-formed");
                render_plan(&plan, &schemas, &Options::default()).expect("the plan is well-formed")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, render);
criterion_main!(benches);
