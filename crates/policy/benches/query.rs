//! The time of a query over the changes of a plan.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_document::Document;
use objchange_policy::query::{CollectionKind, Projection, Query, Subject};

/// A plan with so many changes, each with a dozen attributes.
fn plan(changes: usize) -> String {
    let resources: Vec<String> = (0..changes)
        .map(|i| {
            let side = |owner: &str| {
                format!(
                    r#"{{"name":"n{i}","size":{i},"tags":{{"Owner":"{owner}","Cost":"{}"}},"rules":[{{"port":{},"open":true}},
                    {{"port":22,"open":false}}],"zone":"eu-west-1a","encrypted":{},"text":"{}"}}"#,
                    i % 7,
                    i % 1024,
                    i % 2 == 0,
                    "x".repeat(200)
                )
            };
            format!(
                r#"{{"address":"module.m[{}].disk.d{i}","module_address":"module.m[{}]","mode":"managed","type":"{}",
                "name":"d{i}","provider_name":"registry.terraform.io/x/a","change":{{"actions":["update"],"before":{},
                "after":{},"after_unknown":{{"id":true}},"before_sensitive":{{}},"after_sensitive":{{}}}}}}"#,
                i % 50,
                i % 50,
                ["disk", "net", "host"][i % 3],
                side("ann"),
                side(if i % 10 == 0 { "bob" } else { "ann" })
            )
        })
        .collect();
    format!(
        r#"{{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[{}]}}"#,
        resources.join(",")
    )
}

fn queries(c: &mut Criterion) {
    let mut group = c.benchmark_group("query");
    for changes in [10, 100, 1_000, 15_000] {
        let text = plan(changes);
        group.throughput(Throughput::Elements(changes as u64));
        for (name, expression) in [
            ("type", r#"rc.mode == "managed" && rc.type == "host""#),
            ("attribute", r#"rc.change.after.tags.Cost == "3" && rc.change.after.encrypted"#),
            ("changed", r#"changed(rc, "tags.Owner")"#),
            ("loop", "rc.change.after.rules.exists(rule, rule.port == 22 && rule.open)"),
        ] {
            let query = Query::parse(CollectionKind::ResourceChanges, expression).unwrap();
            let subject =
                Subject::new(CollectionKind::ResourceChanges, &Document::parse(&text).unwrap()).unwrap();
            group.bench_with_input(BenchmarkId::new(name, changes), &subject, |bencher, subject| {
                bencher.iter(|| {
                    let mut query = query.on(subject);
                    let found = subject.items().filter(|(_, item)| query.matches(*item) == Ok(true));
                    black_box(found.count())
                });
            });
        }
        let query = Query::parse(CollectionKind::ResourceChanges, r#"rc.type == "host""#).unwrap();
        let projection = Projection::parse(
            CollectionKind::ResourceChanges,
            r#"{"a": rc.address, "o": new(rc, "tags.Owner")}"#,
        )
        .unwrap();
        group.bench_with_input(BenchmarkId::new("from the text", changes), &text, |bencher, text| {
            bencher.iter(|| {
                let subject =
                    Subject::new(CollectionKind::ResourceChanges, &Document::parse(text).unwrap()).unwrap();
                let (mut query, mut projection) = (query.on(&subject), projection.on(&subject));
                let found = subject.items().filter(|(_, item)| query.matches(*item) == Ok(true));
                black_box(found.map(|(_, item)| projection.values(item)).count())
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = queries
}
criterion_main!(benches);
