//! The cost of formatting and linting source texts. It must grow linearly in every shape.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_sentinel::{LintContext, format, lint};

/// A text with this many parts.
type Text = fn(usize) -> String;

const SHAPES: [(&str, Text); 6] = [
    ("policy", |n| {
        let head = "import \"tfplan/v2\" as tfplan\n".to_owned();
        let part = |i| {
            format!(
                "// Rule {i}\nrule_{i} = rule {{\n  all tfplan.resource_changes as _, rc {{ // all\n    rc.type is \"t{i}\" and\n    \
                 rc.change.after.size > {i}\n  }}\n}}\n"
            )
        };
        head + &(0..n).map(part).collect::<String>()
    }),
    ("map", |n| {
        format!("m = {{\n{}}}\n", (0..n).map(|i| format!("\"key_{i}\":[{i},1],\n")).collect::<String>())
    }),
    ("chain", |n| {
        format!("x = a{}\n", (0..n).map(|i| format!(" and\na.type is \"{i}\"")).collect::<String>())
    }),
    ("unknown", |n| (0..n).map(|i| format!("f(name_{i}x)\nname_{i} = 1\n")).collect()),
    ("comments", |n| format!("x = [{}]\n", "/* a */ 1, // b\n".repeat(n))),
    ("line", |n| format!("x = {{{}}}\n", (0..n).map(|i| format!("{i}: f(x.y[{i}]), ")).collect::<String>())),
];

fn texts(c: &mut Criterion) {
    for (shape, text) in SHAPES {
        for n in [10, 1_000, 100_000] {
            let text = text(n);
            for (what, run) in [
                ("format", (|text| format(text).map_or(0, |form| form.len())) as fn(&str) -> usize),
                ("lint", |text| lint(text, &LintContext::default()).map_or(0, |found| found.len())),
            ] {
                let mut group = c.benchmark_group(format!("{what}/{shape}"));
                group
                    .sample_size(10)
                    .measurement_time(Duration::from_secs(1))
                    .warm_up_time(Duration::from_millis(200));
                group.throughput(Throughput::Bytes(text.len() as u64));
                group.bench_with_input(BenchmarkId::from_parameter(n), &text, |b, text| b.iter(|| run(text)));
                group.finish();
            }
        }
    }
}

criterion_group!(benches, texts);
criterion_main!(benches);
