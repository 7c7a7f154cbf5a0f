//! How long the program takes to show a plan: its start, reading the files, and the text.

use std::process::{Command, Stdio};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

#[expect(dead_code, reason = "the benches of reports have more shapes")]
#[path = "../../plan/benches/documents/mod.rs"]
mod documents;

const RESOURCES: [usize; 3] = [10, 100, 1_000];

fn show(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, schemas) = (folder.path().join("plan.json"), folder.path().join("schemas.json"));
    let mut group = criterion.benchmark_group("show");
    for resources in RESOURCES {
        let document = documents::plan("show", resources, |_| "update");
        std::fs::write(&plan, &document.plan).expect("the plan is written");
        std::fs::write(&schemas, &document.schemas).expect("the schemas are written");
        group.throughput(Throughput::Bytes(document.plan.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(resources), |bencher| {
            bencher.iter(|| {
                let status = Command::new(env!("CARGO_BIN_EXE_objchange"))
                    .args(["show", "--color", "always", "--schemas"])
                    .args([&schemas, &plan])
                    .stdout(Stdio::null())
                    .status();
                assert!(status.expect("the program runs").success());
            });
        });
    }
    group.finish();
}

criterion_group!(benches, show);
criterion_main!(benches);
