//! How long it takes to show lists and texts whose parts have all changed places, and JSON in strings in JSON:
//! `cargo bench --bench sequences -p objchange-plan`. Each id is the number of elements, lines or layers.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_document::{Plan, Program, Schemas};
use objchange_plan::{Options, render_plan};
use serde_json::{Value, json};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// The numbers below n, each so many times, in an order that is the same in every run.
fn shuffled(n: usize, times: usize, mut state: u64) -> Vec<usize> {
    let mut list: Vec<usize> = (0..n).map(|i| i / times).collect();
    for i in (1..n).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(i, (state >> 33) as usize % (i + 1));
    }
    list
}

fn strings(list: &[usize]) -> Value {
    list.iter().map(|i| format!("element {i}")).collect()
}

fn objects(list: &[usize]) -> Value {
    list.iter().map(|i| json!({"name": format!("element {i}"), "size": i})).collect()
}

fn text(list: &[usize]) -> Value {
    list.iter().map(|i| format!("line {i}\n")).collect::<String>().into()
}

/// JSON with one number, in strings in lists.
fn layers(number: usize, layers: usize) -> Value {
    (0..layers).fold(Value::from(number), |inner, _| json!([inner]).to_string().into())
}

/// A plan with an output that changes.
fn plan(before: &Value, after: &Value) -> String {
    let change = json!({"actions": ["update"], "before": before, "after": after, "after_unknown": false});
    json!({"format_version": "1.2", "output_changes": {"o": change}}).to_string()
}

fn bench(c: &mut Criterion, name: &str, sizes: &[usize], build: impl Fn(usize) -> [Value; 2]) {
    bench_as(Program::default(), c, name, sizes, build);
}

fn bench_as(
    program: Program,
    c: &mut Criterion,
    name: &str,
    sizes: &[usize],
    build: impl Fn(usize) -> [Value; 2],
) {
    let options = Options { program: Some(program), ..Options::default() };
    let mut group = c.benchmark_group(format!("show/{name}"));
    group.sample_size(10);
    for n in sizes {
        let [before, after] = build(*n);
        let plan = plan(&before, &after);
        group.throughput(Throughput::Bytes(plan.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| {
                let plan = Plan::parse(black_box(&plan)).expect("the plan is well-formed");
                render_plan(&plan, &Schemas::none(), &options).expect("the plan is well-formed")
            });
        });
    }
    group.finish();
}

fn sequences(c: &mut Criterion) {
    let orders = |n, times| [1, 2].map(|seed| shuffled(n, times, seed));
    bench(c, "shuffled_strings", &SIZES, |n| orders(n, 1).map(|list| strings(&list)));
    bench(c, "shuffled_objects", &SIZES, |n| orders(n, 1).map(|list| objects(&list)));
    bench(c, "shuffled_text", &SIZES, |n| orders(n, 1).map(|list| text(&list)));
    bench(c, "shuffled_text_each_4_times", &SIZES, |n| orders(n, 4).map(|list| text(&list)));
    // OpenTofu looks for lines in common; here are none, and one text is compared with all of the other side.
    let opentofu = Program::OPENTOFU;
    bench_as(opentofu, c, "opentofu_strings", &SIZES, |n| orders(n, 1).map(|list| strings(&list)));
    bench_as(opentofu, c, "opentofu_one_text", &SIZES, |n| {
        let lines: Vec<usize> = (0..n).collect();
        [Value::from_iter([text(&lines)]), lines.iter().map(|i| format!("{i}\nother {i}")).collect()]
    });
    // Each layer takes twice as many bytes.
    bench(c, "json_layers", &[2, 6, 10, 14, 18], |n| [1, 2].map(|number| layers(number, n)));
}

criterion_group!(benches, sequences);
criterion_main!(benches);
