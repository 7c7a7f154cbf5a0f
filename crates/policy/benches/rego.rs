//! Rules over plans of growing size: the time to build their input, and to evaluate them.

#[expect(dead_code, reason = "shared with the other benches")]
#[path = "../../plan/benches/documents/mod.rs"]
mod documents;

use std::fmt::Write;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_document::PlanFile;
use objchange_policy::rego::{Options, Policies, PolicyFile};

/// Rules of which none holds: each looks at all changes.
fn policies(rules: usize) -> Policies {
    let mut text = String::from("package main\n");
    for i in 0..rules {
        // Writing to a string does not fail.
        _ = write!(
            text,
            "\ndeny_{i} contains msg if {{\n\tsome rc in input.tfplan.resource_changes\n\trc.type == \"bench_thing\"\n\t\
             rc.change.after.attr_{:02} == \"rule {i}\"\n\tmsg := sprintf(\"%s is wrong\", [rc.address])\n}}\n",
            i % 29 + 1,
        );
    }
    Policies::compile(&[PolicyFile::new("rules.rego", text)], Options::new(|| 0)).expect("these are policies")
}

fn sizes(c: &mut Criterion) {
    let mut group = c.benchmark_group("150 rules");
    group.sample_size(10);
    let policies = policies(150);
    for n in [10, 100, 1_000, 15_000] {
        let plan = documents::plan("policy", n, |i| if i % 10 < 8 { "update" } else { "create" }).plan;
        let plan = PlanFile::parse("plan.json", plan).expect("this is a plan");
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &plan, |b, plan| {
            b.iter(|| policies.evaluate(black_box(plan)).expect("this is a plan"));
        });
    }
    group.finish();
}

fn rules(c: &mut Criterion) {
    let mut group = c.benchmark_group("rules over 1,000 resources");
    group.sample_size(10);
    let plan = documents::plan("policy", 1_000, |_| "update").plan;
    let plan = PlanFile::parse("plan.json", plan).expect("this is a plan");
    for n in [1, 10, 100, 1_000] {
        let policies = policies(n);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &policies, |b, policies| {
            b.iter(|| policies.evaluate(black_box(&plan)).expect("this is a plan"));
        });
    }
    group.finish();
}

criterion_group!(benches, sizes, rules);
criterion_main!(benches);
