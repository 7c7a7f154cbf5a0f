//! The time to plan a whole module, and how it grows with the module.

use objchange_document::Prediction;
use std::fmt::Write;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use objchange_hcl::Functions;
use objchange_module::config::MemoryFiles;
use objchange_module::document::{DocumentInfo, write_plan};
use objchange_module::plan::PlanOptions;
use objchange_module::state::PriorState;
use objchange_module::test::{TestOptions, TestReport, TestRunner, TestSuite, TestTexts};
use objchange_module::variables::VariableSources;
use objchange_module::{Module, ModuleTexts, Schemas, SimulatedProviders};

type Texts = Vec<(String, String)>;

/// Resource blocks in chains of ten.
fn chains(blocks: usize) -> Texts {
    let mut text = String::new();
    for i in 0..blocks {
        let input = match i % 10 {
            0 => "\"x\"".to_owned(),
            _ => format!("terraform_data.r{}.id", i - 1),
        };
        let _ = writeln!(text, "resource \"terraform_data\" \"r{i}\" {{\n  input = {input}\n}}");
    }
    vec![("main.tf".to_owned(), text)]
}

/// Twice so many instances, each of the second half referring to one of the first by index.
fn by_index(instances: usize) -> Texts {
    let text = format!(
        "resource \"terraform_data\" \"a\" {{\n  count = {instances}\n  input = count.index\n}}\n\
         resource \"terraform_data\" \"b\" {{\n  count = {instances}\n  input = terraform_data.a[count.index].input\n}}\n"
    );
    vec![("main.tf".to_owned(), text)]
}

/// Calls of a module with 60 variables.
fn calls(calls: usize) -> Texts {
    let (mut root, mut module) = (String::new(), String::new());
    for i in 0..calls {
        let _ = writeln!(root, "module \"m{i}\" {{\n  source = \"./m\"");
        (0..60).for_each(|v| root.push_str(&format!("  v{v} = \"{i}-{v}\"\n")));
        root.push_str("}\n");
    }
    (0..60).for_each(|v| module.push_str(&format!("variable \"v{v}\" {{\n  type = string\n}}\n")));
    module.push_str("resource \"terraform_data\" \"r\" {\n  input = var.v0\n}\n");
    vec![("main.tf".to_owned(), root), ("m/main.tf".to_owned(), module)]
}

/// Instances of one resource.
fn instances(count: usize) -> Texts {
    let text =
        format!("resource \"terraform_data\" \"a\" {{\n  count = {count}\n  input = count.index\n}}\n");
    vec![("main.tf".to_owned(), text)]
}

/// Resources in files of fifty.
fn files(resources: usize) -> Texts {
    let file = |i: usize| {
        let resource = |r: usize| format!("resource \"terraform_data\" \"r{i}_{r}\" {{\n  input = {r}\n}}\n");
        (format!("f{i}.tf"), (0..50).map(resource).collect::<String>())
    };
    (0..resources / 50).map(file).collect()
}

fn plan(texts: &Texts) -> String {
    let files: MemoryFiles = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let variables = VariableSources::default();
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    let (schemas, options) = (Schemas::default(), PlanOptions::default());
    let module = Module::load(texts, &options);
    let mut providers = SimulatedProviders::default();
    let plan = module.plan(&PriorState::default(), &schemas, Functions::pure(), &options, &mut providers);
    let info = DocumentInfo {
        terraform_version: "1.16.0",
        is_simulated: false,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        timestamp: "",
    };
    write_plan(&plan, &module.config, &schemas, &info)
}

fn planning(criterion: &mut Criterion) {
    /// Name, generator and sizes of a growing module.
    type Shape = (&'static str, fn(usize) -> Texts, [usize; 3]);
    let shapes: [Shape; 5] = [
        ("chains_of_ten", chains, [250, 500, 1000]),
        ("by_index", by_index, [1250, 2500, 5000]),
        ("calls_of_60_variables", calls, [125, 250, 500]),
        ("instances", instances, [2500, 5000, 10_000]),
        ("files_of_fifty", files, [1250, 2500, 5000]),
    ];
    for (name, make, sizes) in shapes {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for size in sizes {
            let texts = make(size);
            group.throughput(Throughput::Elements(size as u64));
            group.bench_with_input(BenchmarkId::from_parameter(size), &texts, |bencher, texts| {
                bencher.iter(|| black_box(plan(texts)));
            });
        }
        group.finish();
    }
}

/// Runs of tests that plan a module of fifty resources.
fn testing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("runs_over_50_resources");
    group.sample_size(10);
    for runs in [250, 500, 1000] {
        let mut tests = String::new();
        for i in 0..runs {
            let _ = writeln!(
                tests,
                "run \"r{i}\" {{\n  command = plan\n  assert {{\n    condition     = terraform_data.r0.input == \"x\"\n    \
                 error_message = \"no\"\n  }}\n}}"
            );
        }
        let texts: Texts = chains(50).into_iter().chain([("a.tftest.hcl".to_owned(), tests)]).collect();
        group.throughput(Throughput::Elements(runs));
        group.bench_with_input(BenchmarkId::from_parameter(runs), &texts, |bencher, texts| {
            bencher.iter(|| black_box(test(texts)));
        });
    }
    group.finish();
}

fn test(texts: &Texts) -> TestReport {
    let files: MemoryFiles = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let variables = VariableSources::default();
    let options = TestOptions::default();
    let suite = TestSuite::load(TestTexts {
        files: &files,
        manifest: None,
        test_directory: "tests",
        filter: &[],
        variables: &variables,
        test_values: &[],
        version: options.plan.version,
        terraform_version: "1.16.0",
    });
    let report = TestRunner::new(&suite, &Schemas::default(), Functions::pure(), &options).run();
    assert!(report.passes());
    report
}

criterion_group!(benches, planning, testing);
criterion_main!(benches);
