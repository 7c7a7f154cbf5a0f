//! The cost of parsing and running a policy, by size.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_sentinel::{Import, Map, Members, Policy, Run, Setup, Source, Text, Value, Verdict};
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

/// A mock of planned changes: literals in literals.
fn mock(resources: usize) -> String {
    let one = |index: usize| {
        let kind = ["aws_instance", "aws_s3_bucket", "aws_iam_role"][index % 3];
        format!(
            "\t\"module.m{0}.{kind}.web[{index}]\": {{\n\t\t\"address\": \"module.m{0}.{kind}.web[{index}]\",\n\t\t\"change\": {{\n\
             \t\t\t\"actions\": [\n\t\t\t\t\"create\",\n\t\t\t],\n\t\t\t\"after\": {{\n\t\t\t\t\"ami\": \"ami-0c55b159cbfafe1f0\",\n\
             \t\t\t\t\"availability_zone\": null,\n\t\t\t\t\"cpu_count\": {index},\n\t\t\t\t\"ebs_optimized\": false,\n\
             \t\t\t\t\"tags\": {{\n\t\t\t\t\t\"Name\": \"Hello {index}\",\n\t\t\t\t\t\"Owner\": \"me\",\n\t\t\t\t}},\n\
             \t\t\t\t\"user_data\": \"#!/bin/bash\\necho \\\"hello\\\"\\n\",\n\t\t\t}},\n\t\t\t\"after_unknown\": {{\n\t\t\t\t\"arn\": true,\n\
             \t\t\t\t\"root_block_device\": [],\n\t\t\t}},\n\t\t\t\"before\": null,\n\t\t}},\n\t\t\"deposed\": \"\",\n\t\t\"index\": {index},\n\
             \t\t\"mode\": \"managed\",\n\t\t\"module_address\": \"module.m{0}\",\n\t\t\"name\": \"web\",\n\
             \t\t\"provider_name\": \"registry.terraform.io/hashicorp/aws\",\n\t\t\"type\": \"{kind}\",\n\t}},\n",
            index % 7
        )
    };
    let resources: String = (0..resources).map(one).collect();
    format!("terraform_version = \"1.5.0\"\n\nresource_changes = {{\n{resources}}}\n")
}

/// The cost of a policy's tests: the mock is read once, and run with each test.
fn mocks(c: &mut Criterion) {
    let policy = "import \"tfplan\"\nv = filter tfplan.resource_changes as _, rc {\n\
                  rc.mode is \"managed\" and rc.type is \"aws_instance\" and rc.change.actions is not [\"no-op\"] }\n\
                  main = rule { all v as _, rc { rc.change.after.cpu_count < 100000 } }";
    let policy = Policy::parse("p", policy).unwrap();
    for (name, is_run) in [("mock_read", false), ("mock_run", true)] {
        let mut group = c.benchmark_group(name);
        for resources in [10, 100, 1_000] {
            let text = mock(resources);
            group.throughput(Throughput::Bytes(text.len() as u64));
            let parsed = Policy::parse("m", &text).unwrap();
            let mut setup = Setup::default();
            setup.imports.insert("tfplan".to_owned(), Source::Module(parsed));
            group.bench_with_input(BenchmarkId::from_parameter(resources), &text, |b, text| {
                if is_run {
                    b.iter(|| assert_eq!(Run::new(&policy, &setup).verdict(), Verdict::Pass));
                } else {
                    b.iter(|| Policy::parse("m", black_box(text)).unwrap());
                }
            });
        }
        group.finish();
    }
}

/// Changes of a host, each made on demand.
#[derive(Clone, Debug)]
struct Changes(Arc<Vec<[Text; 4]>>);

/// One change.
struct Change(Arc<Vec<[Text; 4]>>, usize);

const FIELDS: [&str; 4] = ["address", "mode", "name", "type"];

impl Changes {
    fn new(count: usize) -> Changes {
        let one = |index: usize| {
            let kind = ["aws_instance", "aws_s3_bucket", "aws_iam_role"][index % 3];
            [&*format!("{kind}.web[{index:06}]"), "managed", "web", kind].map(Text::from)
        };
        let mut rows: Vec<_> = (0..count).map(one).collect();
        rows.sort();
        Changes(Arc::new(rows))
    }
}

impl Import for Changes {
    fn member(&self, name: &str) -> Option<Value> {
        (name == "resource_changes").then(|| Value::Map(Map::lazy(self.clone())))
    }
}

impl Members for Changes {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.0.binary_search_by(|row| row[0].as_str().cmp(&Some(key))).ok()
    }

    fn key(&self, position: usize) -> Text {
        self.0[position][0].clone()
    }

    fn value(&self, position: usize) -> Value {
        Value::Map(Map::lazy(Change(Arc::clone(&self.0), position)))
    }
}

impl Members for Change {
    fn count(&self) -> usize {
        FIELDS.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        FIELDS.iter().position(|field| *field == key)
    }

    fn key(&self, position: usize) -> Text {
        Text::from(FIELDS[position])
    }

    fn value(&self, position: usize) -> Value {
        Value::String(self.0[self.1][position].clone())
    }
}

/// Policies over the changes of a host.
fn host(c: &mut Criterion) {
    let sources = [
        (
            "host_filter",
            "v = filter h.resource_changes as _, rc { rc.mode is \"managed\" and rc.type is \"aws_instance\" }",
        ),
        (
            "host_filter_none",
            "v = filter h.resource_changes as _, rc { rc.mode is \"managed\" and rc.type is \"x\" }",
        ),
        (
            "host_for",
            "v = []\nfor h.resource_changes as address, rc { if rc.type is \"aws_instance\" { append(v, address) } }",
        ),
    ];
    for (name, source) in sources {
        let mut group = c.benchmark_group(name);
        let policy = Policy::parse("p", &format!("import \"h\"\n{source}")).unwrap();
        for count in [15, 1_500, 15_000] {
            let mut setup = Setup::default();
            setup.imports.insert("h".to_owned(), Source::Host(Arc::new(Changes::new(count))));
            group.throughput(Throughput::Elements(count as u64));
            group.bench_with_input(BenchmarkId::from_parameter(count), &setup, |b, setup| {
                b.iter(|| assert!(Run::new(&policy, setup).error().is_none()));
            });
        }
        group.finish();
    }
    // Three nested loops; the inner ones visit elements that match the outer one.
    let mut group = c.benchmark_group("three_loops");
    let policy = "import \"h\"\nmain = rule { all h.resource_changes as _, a {\n\
                  a.type is not \"aws_instance\" or any h.resource_changes as _, b {\n\
                  b.type is a.type and b.address is a.address and any h.resource_changes as _, c { c.type is b.type } } } }";
    let policy = Policy::parse("p", policy).unwrap();
    for count in [20, 200, 2_000] {
        let mut setup = Setup::default();
        setup.imports.insert("h".to_owned(), Source::Host(Arc::new(Changes::new(count))));
        group.throughput(Throughput::Elements((count * count) as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &setup, |b, setup| {
            b.iter(|| assert_eq!(Run::new(&policy, setup).verdict(), Verdict::Pass));
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

criterion_group!(benches, read, mocks, host, run);
criterion_main!(benches);
