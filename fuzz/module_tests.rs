//! The body of the fuzz target `module_tests`: runs the tests of random module files, and asserts what must hold.
//!
//! `crates/module/tests` runs the same on damaged tests, without a fuzzer.

use std::sync::LazyLock;
use std::time::Duration;

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::Functions;
use objchange_module::Schemas;
use objchange_module::config::MemoryFiles;
use objchange_module::plan::PlanOptions;
use objchange_module::test::{
    RunReport, TestOptions, TestPrinter, TestReport, TestRunner, TestStatus, TestSuite, TestTexts,
};
use objchange_module::variables::VariableSources;

static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| {
    let text = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/sim":{
        "provider":{"version":0,"block":{"attributes":{"region":{"type":"string","optional":true}}}},
        "resource_schemas":{"sim_thing":{"version":0,"block":{
            "attributes":{
                "id":{"type":"string","computed":true},
                "name":{"type":"string","optional":true},
                "any":{"type":"dynamic","optional":true},
                "secret":{"type":"string","optional":true,"computed":true,"sensitive":true},
                "parts":{"optional":true,"nested_type":{"nesting_mode":"map","attributes":{
                    "label":{"type":"string","optional":true},"made":{"type":"string","computed":true}}}}},
            "block_types":{"rule":{"nesting_mode":"set","block":{"attributes":{
                "port":{"type":"number","required":true},"made":{"type":"string","computed":true}}}}}}}},
        "data_source_schemas":{"sim_lookup":{"version":0,"block":{"attributes":{
            "key":{"type":"string","required":true},"names":{"type":["list","string"],"computed":true}}}}}}}}"#;
    Schemas::new([ProviderSchemas::parse(text).expect("these are schemas")])
});

/// The files, each behind a line `--- NAME`; the first may go without it, and is `main.tf`. The tests are run, twice with the
/// same outcome, and printed in every form. Returns the text.
pub(crate) fn module_tests(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return String::new() };
    let mut files = vec![("main.tf", "")];
    let mut rest = text;
    while let Some((file, after)) = rest.split_once("--- ") {
        files.last_mut().expect("there is one").1 = file;
        let (name, after) = after.split_once('\n').unwrap_or((after, ""));
        files.push((name, ""));
        rest = after;
    }
    files.last_mut().expect("there is one").1 = rest;
    let files: MemoryFiles = files.iter().copied().collect();
    let first = run(&files, Version::NEWEST);
    assert_eq!(first, run(&files, Version::NEWEST), "run twice");
    let _ = run(&files, Version::parse("1.11").expect("it is known"));
    first
}

fn run(files: &MemoryFiles, version: Version) -> String {
    let variables = VariableSources::default();
    let suite = TestSuite::load(TestTexts {
        files,
        manifest: None,
        test_directory: "tests",
        filter: &[],
        variables: &variables,
        test_values: &[],
        version,
        terraform_version: "1.16.0",
    });
    let printer = TestPrinter::new(&suite, &SCHEMAS);
    let mut outputs = printer.load_text();
    let mut messages = printer.load_messages();
    let mut junit = String::new();
    if !suite.diagnostics.has_errors() {
        let options = TestOptions {
            plan: PlanOptions { max_instances: 50, version, ..PlanOptions::default() },
            verbose: true,
            clock: || Duration::ZERO,
            ..TestOptions::default()
        };
        let mut runner = TestRunner::new(&suite, &SCHEMAS, Functions::pure(), &options);
        let mut report = TestReport::default();
        for index in 0..suite.paths().len() {
            let file = runner.run_file(index);
            let is_impossible = file.runs.is_empty() && file.diagnostics.has_errors();
            // Where runs are refused, nothing is run, and they alone are reported.
            let is_unstarted = |run: &RunReport| run.status == TestStatus::Error && !run.started;
            let is_refused = !file.runs.is_empty() && file.runs.iter().all(is_unstarted);
            assert!(
                is_impossible || is_refused || file.runs.len() == suite.run_names(index).count(),
                "each run is reported"
            );
            outputs.extend(printer.file_text(&file));
            messages.extend(printer.file_messages(&file));
            report.files.push(file);
        }
        outputs.extend(printer.summary_text(&report));
        messages.extend(printer.summary_messages(&report));
        junit = printer.junit(&report, &|_| String::new());
    }
    let text: String = outputs.into_iter().map(|output| output.text).collect();
    let json: String = messages.iter().map(ToString::to_string).collect();
    text + &json + &junit
}
