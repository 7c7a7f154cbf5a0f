//! How long the collections of a plan take to build, to filter, to look into and to write:
//! `cargo bench --bench collections -p objchange-plan`. Each id is the number of resources, of thirty attributes each.

#[expect(dead_code, reason = "shared with other benches")]
#[path = "../../plan/benches/documents/mod.rs"]
mod documents;

use std::hint::black_box;
use std::io::sink;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange::value::Path;
use objchange_document::Plan;
use objchange_document::changes::ResourceActions;
use objchange_policy::tfconfig::TfConfig;
use objchange_policy::tfplan::TfPlan;
use objchange_policy::tfstate::TfState;
use objchange_policy::{Collected, Exact, Redacted};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 15_000];

fn collections<'t>(plan: &Plan<'t>) -> (TfPlan<'t>, TfState<'t>, TfConfig<'t>) {
    let tfplan = TfPlan::new(plan).expect("the document is well-formed");
    let tfstate = TfState::prior(plan).expect("the document is well-formed");
    (tfplan, tfstate, TfConfig::new(plan).expect("the document is well-formed"))
}

/// How many resources have a tag or so whose value is known.
fn look(tfplan: &TfPlan<'_>, path: &Path) -> usize {
    let known = tfplan.resource_changes.values().filter(|resource| {
        let after = resource.change.after().expect("the document is well-formed");
        after.at(path).known().is_some()
    });
    known.count()
}

fn write(written: impl serde::Serialize) {
    serde_json::to_writer(sink(), &written).expect("the document is well-formed");
}

fn redacted(of: &impl Collected) {
    write(Redacted(of));
}

fn benches(c: &mut Criterion) {
    let path: Path = "attr_28.key3".parse().expect("this is a path");
    for n in SIZES {
        let document = documents::plan("plan", n, |i| match i % 10 {
            0..=5 => "update",
            6 | 7 => "create",
            8 => "delete",
            _ => "no-op",
        });
        let text = document.plan;
        let mut group = c.benchmark_group("collections");
        group.sample_size(10).throughput(Throughput::Elements(n as u64));
        let id = |what: &str| BenchmarkId::new(what.to_owned(), n);
        group.bench_function(id("parse"), |b| b.iter(|| Plan::parse(black_box(&text))));
        let plan = Plan::parse(&text).expect("the document is well-formed");
        group.bench_function(id("build"), |b| b.iter(|| collections(black_box(&plan))));
        let (read, ..) = collections(&plan);
        assert_eq!(look(&read, &path), n - n / 10, "what is deleted has nothing after");
        group.bench_function(id("filter"), |b| {
            b.iter(|| {
                let mut created = read.resource_changes.values();
                created.by_ref().filter(|rc| rc.change.actions == ResourceActions::Create).count()
            });
        });
        let keys: Vec<&str> = read.resource_changes.keys().collect();
        group.bench_function(id("find"), |b| {
            b.iter(|| keys.iter().filter(|key| read.resource_changes.get(key).is_some()).count());
        });
        group.bench_function(id("look"), |b| b.iter(|| look(&read, &path)));
        group.bench_function(id("build_and_look"), |b| b.iter(|| look(&collections(&plan).0, &path)));
        group.bench_function(id("write_exact"), |b| b.iter(|| write(Exact(&read.resource_changes))));
        group.bench_function(id("write_redacted"), |b| b.iter(|| redacted(&read.resource_changes)));
        group.bench_function(id("write_document"), |b| b.iter(|| redacted(&read.raw)));
        group.finish();
    }
}

criterion_group!(collection_benches, benches);
criterion_main!(collection_benches);
