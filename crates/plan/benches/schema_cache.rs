//! How long it takes to get schemas of a large provider: from its document, and from a file of the cache.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use objchange::schema::{ProviderSchemas, SchemaKind};
use objchange_document::schema_cache::CachedSchemas;

const PROVIDER: &str = "registry.terraform.io/hashicorp/large";

/// As many types as the AWS provider has, and a document as long as its own: 20 MB.
const TYPES: usize = 1_500;

fn document() -> String {
    let attribute = |i: usize| {
        let behavior =
            ["\"required\":true", "\"optional\":true", "\"optional\":true,\"computed\":true"][i % 3];
        let ty = ["\"string\"", "\"number\"", "[\"map\",\"string\"]", "[\"list\",\"bool\"]"][i % 4];
        format!(r#""attribute_{i}":{{"type":{ty},"description_kind":"plain",{behavior}}}"#)
    };
    let attributes =
        |from: usize, count: usize| (from..from + count).map(attribute).collect::<Vec<_>>().join(",");
    let block = |t: usize, b: usize| {
        let attributes = attributes(t % 50 + b, 8);
        format!(
            r#""block_{b}":{{"nesting_mode":"list","block":{{"attributes":{{{attributes}}},"description_kind":"plain"}}}}"#
        )
    };
    let ty = |t: usize| {
        let blocks = (0..15).map(|b| block(t, b)).collect::<Vec<_>>().join(",");
        let attributes = attributes(t % 30, 30);
        format!(
            r#""large_type_{t}":{{"version":0,"block":{{"attributes":{{{attributes}}},"block_types":{{{blocks}}},"description_kind":"plain"}}}}"#
        )
    };
    let types = (0..TYPES).map(ty).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"format_version":"1.0","provider_schemas":{{"{PROVIDER}":{{"provider":{{"version":0}},"resource_schemas":{{{types}}}}}}}}}"#
    )
}

/// Ten types, as a small module has.
fn read_some(schemas: &ProviderSchemas) {
    for t in 0..10 {
        let name = format!("large_type_{}", t * 131);
        black_box(schemas.get(PROVIDER, SchemaKind::Resource, &name).expect("the schema is one"));
    }
}

fn get_schemas(criterion: &mut Criterion) {
    let text = document();
    let schemas = ProviderSchemas::parse(text.as_str()).expect("the document is one");
    let file =
        CachedSchemas::to_file(&schemas, PROVIDER, Some("1.0.0"), "schemas.json").expect("it can be written");
    let mut group = criterion.benchmark_group("schemas_of_a_large_provider");
    group.sample_size(20).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("document", |bencher| {
        bencher.iter(|| read_some(&ProviderSchemas::parse(text.as_str()).expect("the document is one")));
    });
    group.bench_function("cache", |bencher| {
        bencher.iter(|| read_some(&CachedSchemas::parse(file.clone()).expect("the file is one").schemas));
    });
    group.bench_function("write_cache", |bencher| {
        bencher.iter(|| CachedSchemas::to_file(&schemas, PROVIDER, Some("1.0.0"), "schemas.json"));
    });
    group.finish();
}

criterion_group!(benches, get_schemas);
criterion_main!(benches);
