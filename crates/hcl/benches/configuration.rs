//! How the cost of a configuration grows: reading it, evaluating it, decoding it.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_hcl::{
    Functions, Scope, Variables, decode, evaluate, parse_body, parse_expression, parse_template,
};

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// A file of resources as people write them, of about this many bytes.
fn file(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1_000);
    for i in 0.. {
        if text.len() >= bytes {
            break;
        }
        let _ = writeln!(
            text,
            r#"resource "aws_instance" "web_{i}" {{
  ami           = data.aws_ami.ubuntu.id
  instance_type = var.large ? "m5.large" : "t3.micro"
  count         = {i} + 2 * length(var.subnets)

  # Names have the environment in front.
  tags = {{
    Name  = "${{var.env}}-web-${{count.index}}"
    owner = "team-{i}"
    ports = join(",", [for port in var.ports : tostring(port) if port > 1024])
  }}

  ebs_block_device {{
    device_name = "/dev/sdg"
    volume_size = 20
  }}
}}
"#
        );
    }
    text
}

fn reading(c: &mut Criterion) {
    let mut group = c.benchmark_group("reading");
    for bytes in [5_000, 50_000, 500_000, 5_000_000] {
        let text = file(bytes);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(bytes), &text, |b, text| {
            b.iter(|| parse_body(black_box(text)).unwrap());
        });
    }
    group.finish();
}

fn lines(c: &mut Criterion) {
    let mut group = c.benchmark_group("lines of a template");
    for n in [10, 1_000, 100_000, 1_000_000] {
        let text = "\n".repeat(n);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &text, |b, text| {
            b.iter(|| parse_template(black_box(text)).unwrap());
        });
    }
    group.finish();
}

/// A rule of five arguments.
fn schema() -> Block {
    let text = || Attribute::optional(Type::String);
    let number = || Attribute::optional(Type::Number);
    let rule = Block::new(
        [
            ("from_port", number()),
            ("to_port", number()),
            ("protocol", text()),
            ("description", text()),
            ("cidr_blocks", Attribute::optional(Type::list(Type::String))),
        ],
        [],
    );
    Block::new([("name", text())], [("ingress", NestedBlock::new(NestingMode::List, rule))])
}

fn blocks(c: &mut Criterion) {
    let schema = schema();
    let one = r#"
name = "web"
dynamic "ingress" {
  for_each = rules
  content {
    from_port   = ingress.value.port
    to_port     = ingress.value.port + 1
    protocol    = "tcp"
    description = "rule ${ingress.key} of ${var.name}"
    cidr_blocks = ["10.0.${ingress.key}.0/24", var.cidr]
  }
}
"#;
    let mut group = c.benchmark_group("dynamic blocks of one");
    for n in SIZES {
        let rules = Value::tuple((0..n).map(|i| Value::object([("port", i)])));
        let var = Value::object([("name", "main"), ("cidr", "10.1.0.0/16")]);
        let variables: Variables = [("rules", rules), ("var", var)].into_iter().collect();
        let body = parse_body(one).unwrap();
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| decode(black_box(&body), &schema, &Scope::new(&variables), Functions::pure()));
        });
    }
    group.finish();
    let mut group = c.benchmark_group("dynamic blocks of their own");
    for n in SIZES {
        let mut text = String::new();
        for i in 0..n {
            let _ = writeln!(
                text,
                "dynamic \"ingress\" {{\n  for_each = [{i}]\n  content {{\n    from_port = ingress.value\n    protocol = \"tcp\"\n  }}\n}}"
            );
        }
        let body = parse_body(&text).unwrap();
        let variables = Variables::default();
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| decode(black_box(&body), &schema, &Scope::new(&variables), Functions::pure()));
        });
    }
    group.finish();
}

fn loops(c: &mut Criterion) {
    let mut group = c.benchmark_group("for");
    for n in [10, 100, 1_000, 10_000, 100_000] {
        let list = Value::list(Type::Number, 0..n).unwrap();
        let variables: Variables = [("list", list)].into_iter().collect();
        let expr = parse_expression("{for i, x in list : \"k${i}\" => x * 2 + 1 if x > 4}").unwrap();
        group.throughput(Throughput::Elements(n));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| evaluate(black_box(&expr), &Scope::new(&variables), Functions::pure()));
        });
    }
    group.finish();
    let mut group = c.benchmark_group("interpolations");
    for n in SIZES {
        let text = format!("\"{}\"", "name ${var.name} ".repeat(n));
        let expr = parse_expression(&text).unwrap();
        let variables: Variables = [("var", Value::object([("name", "web")]))].into_iter().collect();
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| evaluate(black_box(&expr), &Scope::new(&variables), Functions::pure()));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = reading, lines, blocks, loops
}
criterion_main!(benches);
