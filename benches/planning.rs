//! How long planning one change takes from end to end, and what marks cost: `cargo bench --bench planning`.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use objchange::Value;
use objchange::change::{Action, PlanRequest, SimulatedProvider, plan_change};
use objchange::schema::{Block, NestingMode, ProviderSchemas, SchemaKind};

mod scenarios;

use scenarios::Scenario;

fn plan(c: &mut Criterion, group: &str, n: usize, build: impl Fn() -> Scenario) {
    let input = LazyCell::new(build);
    let mut group = c.benchmark_group(group);
    group.bench_function(BenchmarkId::from_parameter(n), |b| {
        let Scenario { schema, prior, config } = &*input;
        let request = PlanRequest::new(schema, prior, config);
        b.iter_with_large_drop(|| {
            let change = plan_change(black_box(&request), &mut SimulatedProvider::default());
            let change = change.expect("the objects fit the schema");
            assert_eq!(change.action, Action::Update);
            change
        });
    });
}

/// The instance of the README.
fn instance() -> Scenario {
    let schemas = include_str!("../examples/aws_instance/schemas.json");
    let schemas = ProviderSchemas::parse(schemas.to_owned()).expect("the schemas are well-formed");
    let provider = schemas.providers().next().expect("there is a provider").to_owned();
    let schema = schemas.get(&provider, SchemaKind::Resource, "aws_instance");
    let schema: Block = schema.ok().flatten().expect("the provider has the resource type").block.clone();
    let read =
        |text| Value::from_marker_json(text, schema.implied_type()).expect("the object fits the schema");
    let prior = read(include_str!("../examples/aws_instance/prior.json"));
    let config = read(include_str!("../examples/aws_instance/config.json"));
    Scenario { schema, prior, config }
}

fn planning(c: &mut Criterion) {
    plan(c, "plan_change_instance", 1, instance);
    plan(c, "plan_change_typical", 1, || {
        let scenarios::Typical { schema, prior, config, .. } = scenarios::typical();
        Scenario { schema, prior, config }
    });
    for n in [10, 100, 1_000, 10_000, 100_000] {
        for (shape, nesting) in [("list_block", NestingMode::List), ("set_block", NestingMode::Set)] {
            plan(c, &format!("plan_change_{shape}"), n, || scenarios::items(n, nesting));
            plan(c, &format!("plan_change_{shape}_sensitive"), n, || scenarios::sensitive_items(n, nesting));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = planning
}
criterion_main!(benches);
