//! How the time to show a document grows with it, in each direction in which one may be large.

use std::hint::black_box;
use std::io::sink;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_document::{Document, Schemas};
use objchange_plan::report::ShowError;
use objchange_plan::{Colour, Filter, Options, Report};

const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// Makes a document that holds that many of something.
type Make = fn(usize) -> String;

const SHAPES: [(&str, Make); 5] = [
    ("nested_modules", nested_modules),
    ("relevant_drift", relevant_drift),
    ("replace_paths", replace_paths),
    ("elements_updated", |n| elements(n, "1", "2")),
    ("elements_created", |n| elements(n, "", "1")),
];

type Print = fn(&Report<'_>) -> Result<(), ShowError>;

const PRINTERS: [(&str, Print); 3] = [
    ("text", |report| report.write_text(&mut sink(), &Options::default())),
    ("json", |report| report.write_json(&mut sink())),
    ("summary", |report| report.write_summary(&mut sink(), Colour::Never, Default::default())),
];

fn joined(n: usize, element: impl Fn(usize) -> String) -> String {
    (0..n).map(element).collect::<Vec<_>>().join(",")
}

fn nested_modules(n: usize) -> String {
    let levels: String = (0..n)
        .map(|i| {
            format!(
                r#"{{"resources":[{{"address":"t.r{i}","mode":"managed","type":"t","name":"r{i}","values":{{"a":1}}}}],"child_modules":["#
            )
        })
        .collect();
    format!(r#"{{"format_version":"1.0","values":{{"root_module":{levels}{{}}{}}}}}"#, "]}".repeat(n))
}

fn change(name: usize, before: &str, after: &str, more: &str) -> String {
    let action = if before == "null" { "create" } else { "update" };
    format!(
        r#"{{"address":"t.r{name}","mode":"managed","type":"t","name":"r{name}","change":{{"actions":["{action}"],"before":{before},"after":{after}{more}}}}}"#
    )
}

fn plan(members: &str) -> String {
    format!(r#"{{"format_version":"1.2","applyable":true,{members}}}"#)
}

fn relevant_drift(n: usize) -> String {
    let drift = joined(n, |i| change(i, r#"{"a":"1","b":"1"}"#, r#"{"a":"2","b":"2"}"#, ""));
    let relevant = joined(n, |i| format!(r#"{{"resource":"t.r{i}","attribute":["a"]}}"#));
    let moved = change(0, "null", "{}", "");
    plan(&format!(
        r#""resource_drift":[{drift}],"relevant_attributes":[{relevant}],"resource_changes":[{moved}]"#
    ))
}

fn replace_paths(n: usize) -> String {
    let value = |of: &str| format!(r#"{{"m":{{{}}}}}"#, joined(n, |i| format!(r#""k{i:06}":"{of}""#)));
    let paths = joined(n, |i| format!(r#"["m","k{i:06}"]"#));
    let more = format!(r#","replace_paths":[{paths}]"#);
    plan(&format!(r#""resource_changes":[{}]"#, change(0, &value("1"), &value("2"), &more)))
}

fn elements(n: usize, before: &str, after: &str) -> String {
    let value = |of: &str| match of {
        "" => "null".to_owned(),
        _ => format!(r#"{{"e":[{}]}}"#, joined(n, |i| format!(r#"{{"a":"a{i}","b":"{of}"}}"#))),
    };
    plan(&format!(r#""resource_changes":[{}]"#, change(0, &value(before), &value(after), "")))
}

fn growth(c: &mut Criterion) {
    for (name, document) in SHAPES {
        let mut group = c.benchmark_group(name);
        group.sample_size(10);
        for n in SIZES {
            let text = document(n);
            group.throughput(Throughput::Elements(n as u64));
            for (printer, print) in PRINTERS {
                group.bench_function(BenchmarkId::new(printer, n), |b| {
                    b.iter(|| {
                        let document =
                            Document::parse(black_box(&text)).expect("the document is well-formed");
                        let (schemas, filter) = (Schemas::none(), Filter::default());
                        Report::new(&document, &schemas, &Options::default(), &filter)
                            .and_then(|report| print(&report))
                            .expect("the document is well-formed");
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, growth);
criterion_main!(benches);
