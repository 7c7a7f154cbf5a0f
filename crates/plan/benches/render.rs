//! How long it takes from the bytes of a document to the finished text.
//!
//! The documents are those in the shared folder beside the project, or made here where that is absent.

mod documents;

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_document::{Plan, Schemas};
use objchange_plan::render::{HtmlOptions, MarkdownOptions};
use objchange_plan::report::ShowError;
use objchange_plan::{Filter, Options, Report, render_plan};

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

/// Pages of plans of 150, 1,500 and 15,000 resources.
fn pages(c: &mut Criterion) {
    type Write = fn(&Report<'_>, &mut Vec<u8>) -> Result<(), ShowError>;
    let formats: [(&str, Write); 2] = [
        ("markdown", |report, page| report.write_markdown(page, &MarkdownOptions::default())),
        ("html", |report, page| report.write_html(page, &HtmlOptions::default())),
    ];
    let mut group = c.benchmark_group("pages");
    group.sample_size(10);
    for resources in [150, 1_500, 15_000] {
        let made = documents::of_every_action("pages", resources);
        group.throughput(Throughput::Bytes(made.plan.len() as u64));
        for (name, write) in formats {
            group.bench_function(BenchmarkId::new(name, resources), |b| {
                b.iter(|| {
                    let schemas = Schemas::parse(made.schemas.as_str()).expect("the schemas are well-formed");
                    let plan = Plan::parse(black_box(&made.plan)).expect("the plan is well-formed");
                    let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default())
                        .expect("the plan is well-formed");
                    let mut page = Vec::new();
                    write(&report, &mut page).expect("the plan is well-formed");
                    page
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, render, pages);
criterion_main!(benches);
