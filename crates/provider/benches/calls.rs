//! How the cost of a plan call grows with the object: writing the question, reading it, writing the answer, reading that.

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange::change::PlanResourceChange;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_provider::client::Limits;
use objchange_provider::server::serve_connection;
use objchange_provider::{Client, ProviderExt};

const SIZES: [u64; 4] = [10, 100, 1_000, 10_000];

/// A type with many strings, and one with many blocks.
fn blocks() -> [(&'static str, Block); 2] {
    let name = || ("name", Attribute::optional(Type::String));
    let disk = Block::new([name(), ("size", Attribute::optional(Type::Number))], []);
    [
        ("kit_strings", Block::new([("items", Attribute::optional(Type::list(Type::String)))], [])),
        ("kit_blocks", Block::new([name()], [("items", NestedBlock::new(NestingMode::List, disk))])),
    ]
}

fn config(type_name: &str, block: &Block, size: u64) -> Value {
    let item = |i: u64| {
        let name = Value::from(format!("item-{i}"));
        let fields = [("name", name.clone()), ("size", Value::from(i))];
        if type_name == "kit_blocks" { Value::object(fields) } else { name }
    };
    let items = Value::tuple((0..size).map(item));
    block.coerce_config(&Value::object([("items", items)])).expect("it fits the schema")
}

fn plan(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = runtime.block_on(async {
        let kit = blocks()
            .into_iter()
            .fold(Kit::default(), |kit, (name, block)| kit.resource(name, ResourceType::new(block)));
        let (here, there) = tokio::io::duplex(1 << 20);
        tokio::spawn(serve_connection(Arc::new(kit), there));
        Client::over(here, 6, Limits::default()).await.expect("a connection")
    });
    for (type_name, block) in blocks() {
        let mut group = criterion.benchmark_group(format!("plan {type_name}"));
        for size in SIZES {
            let config = config(type_name, &block, size);
            let nothing = Value::null(block.implied_type().clone());
            let request = PlanResourceChange::new(&block, &nothing, &config, &config);
            group.throughput(Throughput::Elements(size));
            group.bench_with_input(BenchmarkId::from_parameter(size), &request, |bencher, request| {
                bencher.iter(|| runtime.block_on(client.plan(type_name, request)).expect("a plan"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, plan);
criterion_main!(benches);
