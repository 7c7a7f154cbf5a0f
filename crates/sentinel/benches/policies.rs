//! What reading a policy and running one costs, as it grows.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_sentinel::{Policy, Run, Setup, Source};
use serde_json::json;

/// Functions, rules and literals, over and over.
fn text(length: usize) -> String {
    let mut text = String::new();
    for index in 0.. {
        if text.len() >= length {
            break;
        }
        text += &format!(
            "# Number {index}.\nf{index} = func(x) {{\n  if x.tags else {{}} contains \"a{index}\" {{ return x.count + {index} }}\n  \
             return 0\n}}\nr{index} = rule when {index} > 1 {{\n  all [{{\"count\": 1}}, {{\"tags\": {{\"k\": [1.5, null]}}}}] as x \
             {{ f{index}(x) <= 10 and x is not empty }}\n}}\n"
        );
    }
    text + "main = rule { true }\n"
}

fn read(c: &mut Criterion) {
    let mut group = c.benchmark_group("read");
    for length in [10_000, 100_000, 1_000_000] {
        let text = text(length);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(length), &text, |b, text| {
            b.iter(|| Policy::parse("p", black_box(text)).unwrap());
        });
    }
    group.finish();
}

fn run(c: &mut Criterion) {
    let sources = [
        ("filter", "v = filter d.items as _, i { i.type is \"b\" and i.change.after.size > 2 }"),
        ("extend", "v = []\nfor d.items as i { v += [i] }"),
        ("append", "v = []\nfor d.items as i { append(v, i) }"),
        ("call", "f = func(i) { return i.change.after.size else 0 }\nv = 0\nfor d.items as i { v += f(i) }"),
        ("matches", "v = all d.items as i { i.type matches \"^[a-z]+$\" }"),
        ("string", "v = \"\"\nfor d.items as i { v = i.type + \"x\" }"),
    ];
    for (name, source) in sources {
        let mut group = c.benchmark_group(name);
        let policy = Policy::parse("p", &format!("import \"d\"\n{source}")).unwrap();
        for count in [100, 1_000, 10_000] {
            let item = |index: usize| {
                let size = index % 5;
                json!({ "type": if size > 2 { "a" } else { "b" }, "change": { "after": { "size": size } } })
            };
            let items: Vec<_> = (0..count).map(item).collect();
            let mut setup = Setup::default();
            setup.imports.insert("d".to_owned(), Source::Data(json!({ "items": items }).into()));
            group.throughput(Throughput::Elements(count as u64));
            group.bench_with_input(BenchmarkId::from_parameter(count), &setup, |b, setup| {
                b.iter(|| assert!(Run::new(&policy, setup).error().is_none()));
            });
        }
        group.finish();
    }
    let mut group = c.benchmark_group("nested");
    let policy =
        Policy::parse("p", "v = all xs as x { all xs as y { x is y or x is not y } }\nmain = v").unwrap();
    for count in [10, 100, 1_000] {
        let mut setup = Setup::default();
        setup.globals.insert("xs".to_owned(), json!((0..count).collect::<Vec<_>>()));
        group.throughput(Throughput::Elements(count * count));
        group.bench_with_input(BenchmarkId::from_parameter(count), &setup, |b, setup| {
            b.iter(|| assert!(Run::new(&policy, setup).error().is_none()));
        });
    }
    group.finish();
}

criterion_group!(benches, read, run);
criterion_main!(benches);
