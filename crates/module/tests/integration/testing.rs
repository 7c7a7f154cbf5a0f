//! Tests of modules: their reports.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::{Coverage, Functions};
use objchange_module::Schemas;
use objchange_module::config::MemoryFiles;
use objchange_module::test::{
    RunReport, TestCoverage, TestOptions, TestPrinter, TestReport, TestRunner, TestStatus, TestSuite,
    TestTexts,
};
use objchange_module::variables::VariableSources;
use proptest::prelude::*;

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/example/sim":{
    "provider":{"version":0,"block":{}},
    "resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},
        "name":{"type":"string","optional":true},
        "secret":{"type":"string","optional":true,"computed":true,"sensitive":true}}}},
        "sim_box":{"version":0,"block":{"attributes":{"name":{"type":"string","optional":true}},"block_types":{
            "disk":{"nesting_mode":"set","block":{"attributes":{
                "size":{"type":"number","optional":true},"id":{"type":"string","computed":true}}}}}}}},
    "data_source_schemas":{"sim_lookup":{"version":0,"block":{"attributes":{
        "key":{"type":"string","optional":true},"answer":{"type":"string","computed":true}}}}}}}}"#;

pub(crate) const MAIN: &str = r#"terraform {
  required_providers {
    sim = { source = "example/sim" }
  }
}
variable "name" {
  default = "n"
}
resource "sim_thing" "a" {
  name = var.name
}
data "sim_lookup" "l" {
}
output "id" {
  value = sim_thing.a.id
}
output "answer" {
  value = data.sim_lookup.l.answer
}
"#;

/// A report, and all that is printed of it but the documents of plans and states, which have all values.
pub(crate) struct Ran {
    pub(crate) report: TestReport,
    pub(crate) text: String,
    /// The elements that made assertions fail.
    elements: Vec<String>,
    pub(crate) printed: String,
}

impl Ran {
    /// The status of each run.
    pub(crate) fn statuses(&self) -> BTreeMap<&str, TestStatus> {
        self.runs().map(|run| (run.name.as_str(), run.status)).collect()
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &RunReport> {
        self.report.files.iter().flat_map(|file| &file.runs)
    }

    pub(crate) fn only(&self) -> &RunReport {
        let mut runs = self.runs();
        let run = runs.next().unwrap_or_else(|| panic!("no run: {}", self.text));
        assert!(runs.next().is_none(), "{}", self.text);
        run
    }
}

pub(crate) fn run_with(files: &[(&str, &str)], options: TestOptions) -> Ran {
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let files: MemoryFiles = files.iter().copied().collect();
    let variables = VariableSources::default();
    let suite = TestSuite::load(TestTexts {
        files: &files,
        manifest: None,
        test_directory: "tests",
        filter: &[],
        variables: &variables,
        test_values: &[],
        version: Version::NEWEST,
        terraform_version: "1.16.0",
    });
    let printer = TestPrinter::new(&suite, &schemas);
    let mut text: String = printer.load_text().into_iter().map(|output| output.text).collect();
    let mut messages = printer.load_messages();
    let mut report = TestReport::default();
    if !suite.diagnostics.has_errors() {
        let options = TestOptions { verbose: true, clock: || Duration::ZERO, ..options };
        report = TestRunner::new(&suite, &schemas, Functions::pure(), &options).run();
        for file in &report.files {
            text.extend(printer.file_text(file).into_iter().map(|output| output.text));
            messages.extend(printer.file_messages(file));
        }
        text.extend(printer.summary_text(&report).into_iter().map(|output| output.text));
        messages.extend(printer.summary_messages(&report));
    }
    messages.retain(|message| !matches!(message["type"].as_str(), Some("test_plan" | "test_state")));
    let json: String = messages.iter().map(ToString::to_string).collect();
    let elements = printer.elements(&report);
    let junit = printer.junit(&report, &|_| String::new());
    let printed = format!("{text}{json}{junit}{}", elements.join("\n"));
    Ran { report, text, elements, printed }
}

/// Runs one file of tests of the module.
fn run(tests: &str) -> Ran {
    run_with(&[("main.tf", MAIN), ("a.tftest.hcl", tests)], TestOptions::default())
}

#[test]
fn values_of_a_file_go_to_variables_and_those_of_runs_first() {
    let ran = run(r#"
variables {
  name = "file"
}
run "file" {
  command = plan
  assert {
    condition     = sim_thing.a.name == "file"
    error_message = "other"
  }
}
run "own" {
  command = plan
  variables {
    name = "own-${var.name}"
  }
  assert {
    condition     = sim_thing.a.name == "own-file"
    error_message = "other"
  }
}
"#);
    assert!(ran.report.passes(), "{}", ran.text);
}

#[test]
fn runs_that_apply_share_a_state() {
    let ran = run(r#"
mock_provider "sim" {}
run "first" {}
run "second" {
  assert {
    condition     = sim_thing.a.id == run.first.id
    error_message = "another id"
  }
}
run "elsewhere" {
  state_key = "else"
  assert {
    condition     = sim_thing.a.id != run.first.id
    error_message = "the same id"
  }
}
"#);
    assert!(ran.report.passes(), "{}", ran.text);
}

#[test]
fn what_only_apply_knows_is_an_error_in_plans_unless_it_is_undecided() {
    let tests = r#"
run "r" {
  command = plan
  assert {
    condition     = sim_thing.a.id == "x"
    error_message = "other"
  }
}
"#;
    let ran = run(tests);
    assert_eq!((ran.only().status, ran.only().undecided), (TestStatus::Error, 0), "{}", ran.text);
    let files = [("main.tf", MAIN), ("a.tftest.hcl", tests)];
    let ran = run_with(&files, TestOptions { three_valued: true, ..TestOptions::default() });
    assert_eq!((ran.only().status, ran.only().undecided), (TestStatus::Undecided, 1), "{}", ran.text);
    assert!(ran.text.contains("Undecided! 0 passed, 0 failed, 1 undecided."), "{}", ran.text);
}

#[test]
fn what_is_made_up_is_named_and_can_be_refused() {
    let files = [("main.tf", MAIN), ("a.tftest.hcl", "run \"r\" {\n}\n")];
    let ran = run_with(&files, TestOptions::default());
    assert!(ran.report.passes(), "{}", ran.text);
    assert!(ran.report.files[0].invented.iter().any(|name| name == "sim_thing.a.id"), "{:?}", ran.report);
    let ran = run_with(&files, TestOptions { strict: true, ..TestOptions::default() });
    assert_eq!(ran.only().status, TestStatus::Error, "{}", ran.text);
    let mocked = [("main.tf", MAIN), ("a.tftest.hcl", "mock_provider \"sim\" {\n}\nrun \"r\" {\n}\n")];
    let ran = run_with(&mocked, TestOptions { strict: true, ..TestOptions::default() });
    assert!(ran.report.passes() && ran.report.files[0].invented.is_empty(), "{}", ran.text);
}

#[test]
fn a_seed_chooses_the_values_that_are_generated() {
    let tests = "mock_provider \"sim\" {\n}\nrun \"r\" {\n}\n";
    let files = [("main.tf", MAIN), ("a.tftest.hcl", tests)];
    let with = |seed| run_with(&files, TestOptions { seed, ..TestOptions::default() }).printed;
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

#[test]
fn failures_that_are_expected_must_happen() {
    let main = r#"
variable "n" {
  validation {
    condition     = var.n > 1
    error_message = "too small"
  }
}
"#;
    let tests = |n: u32| {
        format!(
            "run \"r\" {{\n  command = plan\n  variables {{\n    n = {n}\n  }}\n  expect_failures = [var.n]\n}}\n"
        )
    };
    let status = |n| {
        let ran = run_with(&[("main.tf", main), ("a.tftest.hcl", &tests(n))], TestOptions::default());
        ran.only().status
    };
    assert_eq!((status(0), status(2)), (TestStatus::Pass, TestStatus::Error));
}

#[test]
fn nothing_is_run_after_an_error() {
    let ran = run(r#"
run "wrong" {
  variables {
    name = var.nowhere
  }
}
run "later" {
}
"#);
    let want = BTreeMap::from([("wrong", TestStatus::Error), ("later", TestStatus::Skip)]);
    assert_eq!(ran.statuses(), want, "{}", ran.text);
}

/// The names and statuses of runs of a module with a variable `a`, without a provider.
fn statuses_of(tests: &str) -> (Vec<(String, TestStatus)>, Ran) {
    let main = "variable \"a\" {\n  default = \"d\"\n}\noutput \"o\" {\n  value = var.a\n}\n";
    let ran = run_with(&[("main.tf", main), ("a.tftest.hcl", tests)], TestOptions::default());
    (ran.runs().map(|run| (run.name.clone(), run.status)).collect(), ran)
}

fn named(all: &[(&str, TestStatus)]) -> Vec<(String, TestStatus)> {
    all.iter().map(|(name, status)| ((*name).to_owned(), *status)).collect()
}

#[test]
fn runs_that_need_a_broken_variable_are_skipped_and_those_behind_them() {
    let (found, ran) = statuses_of(
        "variables {\n  a = var.nowhere\n}\nrun \"own\" {\n  variables {\n    a = \"x\"\n  }\n}\nrun \"needs\" {\n}\n\
         run \"later\" {\n  variables {\n    a = \"x\"\n  }\n}\n",
    );
    let want = [("own", TestStatus::Pass), ("needs", TestStatus::Skip), ("later", TestStatus::Skip)];
    assert_eq!(found, named(&want), "{}", ran.text);
    assert_eq!(ran.report.files[0].status, TestStatus::Error);

    let (found, ran) = statuses_of("variable \"u\" {\n}\nrun \"r\" {\n}\n");
    assert_eq!(found, named(&[("r", TestStatus::Pass)]));
    assert!(ran.text.contains("Error: Required variable not set"), "{}", ran.text);
    assert_eq!(ran.report.files[0].status, TestStatus::Error);
}

#[test]
fn variables_of_a_file_may_refer_to_runs_that_do_not_need_them() {
    let tests = |name: &str| {
        format!(
            "variables {{\n  {name} = run.first.o\n}}\nrun \"first\" {{\n}}\nrun \"second\" {{\n  variables {{\n    a = \"${{var.{name}}}!\"\n  }}\n  \
             assert {{\n    condition     = output.o == \"d!\"\n    error_message = \"no\"\n  }}\n}}\n"
        )
    };
    let (found, ran) = statuses_of(&tests("other"));
    assert_eq!(found, named(&[("first", TestStatus::Pass), ("second", TestStatus::Pass)]), "{}", ran.text);
    let (found, ran) = statuses_of(&tests("a"));
    assert!(
        found.is_empty() && ran.text.contains("Error: Cycle:\n  var.a\n  a.tftest.hcl.run.first\n"),
        "{}",
        ran.text
    );
    let (found, ran) = statuses_of("variables {\n  a = var.b\n  b = var.a\n}\nrun \"r\" {\n}\n");
    assert!(found.is_empty() && ran.text.contains("Error: Cycle:\n  var.a\n  var.b\n"), "{}", ran.text);
}

#[test]
fn nothing_is_run_where_a_run_expects_what_cannot_fail() {
    let (found, ran) = statuses_of(
        "run \"good\" {\n}\nrun \"bad\" {\n  expect_failures = [local.x]\n}\nrun \"later\" {\n}\n",
    );
    assert_eq!(found, named(&[("bad", TestStatus::Error)]), "{}", ran.text);
    assert!(ran.text.ends_with("\nFailure! 0 passed, 1 failed.\n"), "{}", ran.text);
}

#[test]
fn overrides_of_what_is_not_there_are_reported_even_of_skipped_runs_and_mocks() {
    let ran = run(
        "mock_provider \"sim\" {\n  override_resource {\n    target = sim_thing.m\n  }\n}\nrun \"wrong\" {\n  variables {\n    name = var.nowhere\n  }\n}\n\
         run \"skipped\" {\n  override_resource {\n    target = sim_thing.r\n  }\n}\n",
    );
    for target in ["sim_thing.m", "sim_thing.r"] {
        assert!(ran.text.contains(&format!("The override target {target} does not exist")), "{}", ran.text);
    }
}

#[test]
fn a_junit_report_names_the_first_failure() {
    let assert = |value: &str| {
        format!(
            "  assert {{\n    condition     = output.o == \"{value}\"\n    error_message = \"not {value}\"\n  }}\n"
        )
    };
    let tests = format!(
        "run \"one\" {{\n{}{}}}\nrun \"two\" {{\n{}{}}}\nrun \"missing\" {{\n  expect_failures = [var.a]\n}}\n",
        assert("d"),
        assert("x"),
        assert("x"),
        assert("y")
    );
    let ran = statuses_of(&tests).1;
    assert!(ran.printed.contains("<failure message=\"1 of 2 assertions failed: not x\">"), "{}", ran.printed);
    let two = "<failure message=\"2 of 2 assertions failed, including: not x\">";
    assert!(ran.printed.contains(two), "{}", ran.printed);
    assert!(ran.printed.contains("<failure></failure>"), "{}", ran.printed);
}

#[test]
fn elements_that_make_an_assertion_fail_are_named() {
    let cases = [
        ("alltrue([for x in [1, 2, 3] : x < 2])", "x is 2; x is 3"),
        ("alltrue([for k, v in { a = 1, b = 2 } : v == 1])", "k is \"b\", v is 2"),
        ("alltrue([for x in toset([\"p\", \"q\"]) : x == \"p\"])", "x is \"q\""),
        ("anytrue([for x in [1, 2] : x > 2])", "x is 1; x is 2"),
        ("!anytrue([for x in [1, 2] : x == 2])", "x is 2"),
        ("alltrue([for x in [[1, 2], [3]] : alltrue([for y in x : y != 3])])", "x is [3], y is 3"),
        ("alltrue(flatten([for x in [[1, 2], [3]] : [for y in x : y != 2]]))", "x is [1,2], y is 2"),
        ("length([for x in [1, 2, 3] : x if x > 2]) == 0", "x is 3"),
        ("output.o == \"d\" && alltrue([for x in [1, 2] : x == 1])", "x is 2"),
        ("alltrue([{ on = true }, { on = false }][*].on)", "[1] is {\"on\":false}"),
        ("alltrue([for x in range(30) : x < 0])", "x is 0; x is 1; x is 2; x is 3; x is 4; and 25 more"),
        (
            "alltrue([for x in [{ n = 1, s = sensitive(\"kw7\") }] : x.n == 2])",
            "x is {\"n\":1,\"s\":\"(sensitive value)\"}",
        ),
    ];
    for (condition, want) in cases {
        let tests = format!(
            "run \"r\" {{\n  assert {{\n    condition     = var.a == \"d\" && {condition}\n    error_message = \"no\"\n  }}\n}}\n"
        );
        let ran = statuses_of(&tests).1;
        assert_eq!(ran.only().status, TestStatus::Fail, "{}", ran.text);
        let [text] = &*ran.elements else { panic!("{condition}: {:?}", ran.elements) };
        assert!(text.ends_with(&format!(", in run \"r\": false because {want}")), "{condition}: {text}");
    }
    // Elements chosen by a secret would reveal it.
    for condition in [
        "alltrue([for x in [\"p\", \"q\"] : x != sensitive(\"q\")])",
        "alltrue([for x in sensitive([\"p\", \"q\"]) : x == \"p\"])",
        "alltrue([for x in [sensitive(\"p\")] : x == \"q\"])",
        "1 == 2",
    ] {
        let tests = format!(
            "run \"r\" {{\n  assert {{\n    condition     = var.a == \"d\" && {condition}\n    error_message = \"no\"\n  }}\n}}\n"
        );
        let ran = statuses_of(&tests).1;
        assert_eq!(
            (ran.only().status, ran.elements.len()),
            (TestStatus::Fail, 0),
            "{condition}: {:?}",
            ran.elements
        );
    }
}

#[test]
fn a_change_affects_tests_of_the_modules_around_it() {
    let files: MemoryFiles = [
        ("main.tf", "module \"c\" {\n  source = \"./child\"\n}\n"),
        ("child/main.tf", ""),
        ("setup/main.tf", ""),
        ("a.tftest.hcl", "run \"r\" {\n  module {\n    source = \"./setup\"\n  }\n}\n"),
        ("tests/b.tftest.hcl", "run \"r\" {\n}\n"),
    ]
    .into_iter()
    .collect();
    let suite = TestSuite::load(TestTexts {
        files: &files,
        manifest: None,
        test_directory: "tests",
        filter: &[],
        variables: &VariableSources::default(),
        test_values: &[],
        version: Version::NEWEST,
        terraform_version: "1.16.0",
    });
    assert!(!suite.diagnostics.has_errors(), "{:?}", suite.diagnostics);
    let affected =
        |paths: &[&str]| suite.affected_by(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>());
    assert_eq!(affected(&["setup/main.tf"]), [0]);
    assert_eq!(affected(&["setup/templates/t.tpl"]), [0]);
    assert_eq!(affected(&["tests/b.tftest.hcl"]), [1]);
    assert_eq!(affected(&["main.tf"]), [0, 1]);
    assert_eq!(affected(&["child/main.tf"]), [0, 1]);
    assert_eq!(affected(&["tests/terraform.tfvars"]), [0, 1]);
    assert!(affected(&["gone.tftest.hcl"]).is_empty());
}

/// Each value that no report may have, and where it comes from.
const SECRET: &str = "kw7-SECRET-kw7";

/// Ways in which a secret comes into a test, and into an error about it.
fn secrets() -> impl Strategy<Value = (&'static str, String)> {
    let module = r#"
variable "key" {
  sensitive = true
  validation {
    condition     = !endswith(var.key, "!")
    error_message = "bad"
  }
}
variable "mode" {
  default = "plain"
}
resource "sim_thing" "s" {
  name   = var.mode == "name" ? var.key : "n"
  secret = var.mode == "secret" ? var.key : "s"
}
output "key" {
  value     = var.key
  sensitive = true
}
"#;
    let key = prop_oneof![
        Just(format!("\"{SECRET}\"")),
        Just(format!("\"{SECRET}!\"")),
        Just(format!("[\"{SECRET}\"]")),
        Just(format!("{{ a = \"{SECRET}\" }}")),
        Just(format!("sensitive(\"{SECRET}\") + 1")),
        Just(format!("\"{SECRET}")),
        Just(format!("\"{SECRET}${{var.nothing}}\"")),
    ];
    let condition = prop_oneof![
        Just("output.key == \"x\""),
        Just("var.key == \"x\""),
        Just("sim_thing.s.secret == \"x\""),
        Just("sim_thing.s.name == \"x\""),
        Just("var.key"),
        Just("var.key.a.b"),
        Just("{ a = var.key } == { a = \"x\" }"),
        Just("[for k in [var.key] : k] == [\"x\"]"),
        Just("alltrue([for k in [var.key] : k == \"x\"])"),
        Just("alltrue([for k in [\"x\"] : k == var.key])"),
        Just("tonumber(var.key) == 1"),
        Just("length(sim_thing.s) == length(var.key)"),
    ];
    let message =
        prop_oneof![Just("no"), Just("no ${var.key}"), Just("no ${output.key}"), Just("${var.key.x}")];
    let place = 0..3_usize;
    (key, condition, message, prop_oneof![Just("plain"), Just("name"), Just("secret")], place, any::<bool>()).prop_map(
        move |(key, condition, message, mode, place, is_plan)| {
            let variables = format!("variables {{\n  key  = {key}\n  mode = \"{mode}\"\n}}\n");
            let command = if is_plan { "  command = plan\n" } else { "" };
            let assert = format!(
                "  assert {{\n    condition     = {condition}\n    error_message = \"{message}\"\n  }}\n"
            );
            let mock = "mock_provider \"sim\" {\n}\n";
            let tests = match place {
                0 => format!("{mock}{variables}run \"r\" {{\n{command}{assert}}}\n"),
                1 => format!("{mock}run \"r\" {{\n{variables}{command}{assert}}}\n"),
                _ => format!(
                    "mock_provider \"sim\" {{\n  mock_resource \"sim_thing\" {{\n    defaults = {{ secret = {key} }}\n  }}\n}}\n\
                     {variables}run \"r\" {{\n{command}{assert}}}\n"
                ),
            };
            (module, tests)
        },
    )
}

/// Runs that plan, apply in a state of their own, or fail; each with what it comes to by itself.
const INDEPENDENT: [(&str, &str, TestStatus); 6] = [
    (
        "plan",
        "  command = plan\n  assert {\n    condition     = sim_thing.a.name == \"n\"\n    error_message = \"no\"\n  }\n",
        TestStatus::Pass,
    ),
    (
        "other",
        "  command = plan\n  variables {\n    name = \"o\"\n  }\n  assert {\n    condition     = sim_thing.a.name == \"n\"\n    error_message = \"no\"\n  }\n",
        TestStatus::Fail,
    ),
    (
        "mine",
        "  state_key = \"mine\"\n  assert {\n    condition     = sim_thing.a.id == \"mocked\"\n    error_message = \"no\"\n  }\n",
        TestStatus::Pass,
    ),
    (
        "overridden",
        "  state_key = \"overridden\"\n  override_resource {\n    target = sim_thing.a\n    values = { id = \"own\" }\n  }\n  assert {\n    condition     = sim_thing.a.id == \"own\"\n    error_message = \"no\"\n  }\n",
        TestStatus::Pass,
    ),
    (
        "read",
        "  state_key = \"read\"\n  override_data {\n    target = data.sim_lookup.l\n    values = { answer = \"42\" }\n  }\n  assert {\n    condition     = output.answer == \"42\"\n    error_message = \"no\"\n  }\n",
        TestStatus::Pass,
    ),
    (
        "unread",
        "  state_key = \"unread\"\n  assert {\n    condition     = output.answer == \"42\"\n    error_message = \"no\"\n  }\n",
        TestStatus::Fail,
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Whatever goes wrong with a secret, it is in no text, no message, and no report.
    #[test]
    fn nothing_sensitive_is_in_a_report((module, tests) in secrets()) {
        let main = format!("terraform {{\n  required_providers {{\n    sim = {{ source = \"example/sim\" }}\n  }}\n}}\n{module}");
        let ran = run_with(&[("main.tf", &main), ("a.tftest.hcl", &tests)], TestOptions::default());
        prop_assert!(!ran.printed.contains(SECRET), "{tests}\n{}", ran.printed);
    }

    /// Runs that share no state come to the same in any order: no mock or override of one is known to another.
    #[test]
    fn the_order_of_independent_runs_does_not_matter(order in Just(INDEPENDENT.to_vec()).prop_shuffle()) {
        let mut tests = String::from(
            "mock_provider \"sim\" {\n  mock_resource \"sim_thing\" {\n    defaults = { id = \"mocked\" }\n  }\n}\n",
        );
        for (name, body, _) in &order {
            let _ = write!(tests, "run \"{name}\" {{\n{body}}}\n");
        }
        let ran = run(&tests);
        let want: BTreeMap<&str, TestStatus> = order.iter().map(|(name, _, status)| (*name, *status)).collect();
        prop_assert_eq!(ran.statuses(), want, "{}", ran.text);
    }
}

const COVERED: &str = r#"variable "size" {
  default = 1
  validation {
    condition     = var.size < 10
    error_message = "Too large."
  }
}
resource "terraform_data" "a" {
  input = var.size > 5 ? "large" : var.size > 2 ? "medium" : "small"
  lifecycle {
    postcondition {
      condition     = self.id != ""
      error_message = "No id."
    }
  }
}
resource "terraform_data" "b" {
  count = var.size > 5 ? 1 : 0
}
module "child" {
  source = "./child"
  count  = 2
}
check "c" {
  assert {
    condition     = terraform_data.a.input != ""
    error_message = "Another id."
  }
}
"#;

const CHILD: &str = "resource \"terraform_data\" \"c\" {\n}\noutput \"o\" {\n  value = 1\n  precondition {\n    condition     = terraform_data.c.id != \"\"\n    \
                     error_message = \"Never.\"\n  }\n}\n";

fn covered(tests: &str) -> TestCoverage {
    let files: MemoryFiles =
        [("main.tf", COVERED), ("child/main.tf", CHILD), ("a.tftest.hcl", tests)].into_iter().collect();
    let variables = VariableSources::default();
    let suite = TestSuite::load(TestTexts {
        files: &files,
        manifest: None,
        test_directory: "tests",
        filter: &[],
        variables: &variables,
        test_values: &[],
        version: Version::NEWEST,
        terraform_version: "1.16.0",
    });
    assert!(!suite.diagnostics.has_errors(), "{:?}", suite.diagnostics);
    let coverage = Arc::new(Coverage::default());
    let functions = Functions::pure().clone().recording(Arc::clone(&coverage));
    let (schemas, options) = (Schemas::default(), TestOptions::default());
    let report = TestRunner::new(&suite, &schemas, &functions, &options).run();
    assert!(report.passes(), "{report:?}");
    TestCoverage::new(&suite, &coverage)
}

const TEXT: &str = "\
Coverage: 2 of 3 resources, 2 of 4 conditions, 3 of 6 branches.
Not reached:
  child/main.tf:5:3: precondition of output.o
  main.tf:9:26: conditional expression, where its condition is true
  main.tf:9:51: conditional expression, where its condition is true
  main.tf:11:5: postcondition of terraform_data.a
  main.tf:17:1: terraform_data.b
  main.tf:18:26: conditional expression, where its condition is true
";
const LCOV: &str = "\
TN:
SF:m/child/main.tf
FN:1,terraform_data.c
FNDA:2,terraform_data.c
FNF:1
FNH:1
BRF:0
BRH:0
DA:1,2
DA:5,0
LF:2
LH:1
end_of_record
SF:m/main.tf
FN:8,terraform_data.a
FN:17,terraform_data.b
FNDA:1,terraform_data.a
FNDA:0,terraform_data.b
FNF:2
FNH:1
BRDA:9,0,0,0
BRDA:9,1,0,1
BRDA:9,2,0,0
BRDA:9,3,0,1
BRDA:18,4,0,0
BRDA:18,5,0,1
BRF:6
BRH:3
DA:3,1
DA:8,1
DA:9,1
DA:11,0
DA:17,0
DA:18,1
DA:25,1
LF:7
LH:5
end_of_record
";

#[test]
fn coverage_names_what_no_run_has_reached() {
    // A plan does not know the id, so the conditions about it are not reached.
    let planned = covered("run \"small\" {\n  command = plan\n}\n");
    assert_eq!(planned.text(), TEXT);
    assert_eq!(planned.lcov("modules/../m"), LCOV);
    let applied = covered(
        "run \"a\" {\n}\nrun \"b\" {\n  variables {\n    size = 6\n  }\n}\nrun \"c\" {\n  variables {\n    size = 3\n  }\n}\n",
    );
    assert_eq!(applied.text(), "Coverage: 3 of 3 resources, 4 of 4 conditions, 6 of 6 branches.\n");
}

/// A run of the child by itself counts for the child, in whatever module it is loaded.
#[test]
fn what_a_module_that_a_run_calls_reaches_counts_for_its_files() {
    let hits = |coverage: &TestCoverage| coverage.files["child/main.tf"][0].hits;
    let without = covered("run \"a\" {\n}\n");
    let with = covered("run \"a\" {\n}\nrun \"child\" {\n  module {\n    source = \"./child\"\n  }\n}\n");
    assert_eq!((hits(&without), hits(&with)), (2, 3));
}

/// Terraform plans again while it applies, and a mock never generates the same text twice: only given values hold.
#[test]
fn a_mock_that_generates_texts_while_planning_cannot_be_applied() {
    let mock = |defaults: &str, command: &str| {
        let ran = run(&format!(
            "mock_provider \"sim\" {{\n  override_during = plan\n  mock_resource \"sim_thing\" {{\n    defaults = {{ {defaults} }}\n  }}\n}}\n\
             run \"r\" {{\n  command = {command}\n  assert {{\n    condition     = sim_thing.a.id != \"\"\n    error_message = \"no\"\n  }}\n}}\n"
        ));
        let found: Vec<String> =
            ran.only().diagnostics.iter().map(|found| found.diagnostic.summary.to_string()).collect();
        (ran.only().status, found)
    };
    let inconsistent = "Provider produced inconsistent final plan".to_owned();
    assert_eq!(mock("", "plan"), (TestStatus::Pass, vec![]));
    assert_eq!(mock("", "apply"), (TestStatus::Error, vec![inconsistent.clone(), inconsistent]));
    assert_eq!(mock("id = \"i\", secret = \"s\"", "apply"), (TestStatus::Pass, vec![]));
}

/// Terraform 1.11.4 and 1.15.5 alike.
#[test]
fn an_override_in_a_mock_is_for_objects_of_that_provider() {
    let main = format!("{MAIN}resource \"terraform_data\" \"t\" {{\n}}\n");
    let target = |block: &str, target: &str| {
        format!(
            "{block} {{\n  override_resource {{\n    target = {target}\n    values = {{\n      id = \"over\"\n    }}\n  }}\n}}\n"
        )
    };
    let id = |mocks: &str, object: &str| {
        let tests = format!(
            "{mocks}run \"r\" {{\n  assert {{\n    condition     = {object}.id == \"over\"\n    error_message = \"no\"\n  }}\n}}\n"
        );
        run_with(&[("main.tf", &main), ("a.tftest.hcl", &tests)], TestOptions::default()).report.passes()
    };
    let of_sim = |object: &str| target("mock_provider \"sim\"", object);
    assert!(id(&of_sim("sim_thing.a"), "sim_thing.a"));
    assert!(!id(&of_sim("terraform_data.t"), "terraform_data.t"));
    let own = of_sim("terraform_data.t") + &target("mock_provider \"terraform\"", "terraform_data.t");
    assert!(id(&own, "terraform_data.t"));
}

/// Only what is not configured is for the mock to choose.
#[test]
fn what_a_mock_gives_while_planning_leaves_open_what_the_configuration_does() {
    let main = "resource \"terraform_data\" \"a\" {\n}\nresource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n}\n";
    let tests = "override_resource {\n  target          = terraform_data.b\n  override_during = plan\n  values = {\n    id = \"over\"\n  \
                 }\n}\nrun \"r\" {\n  command = plan\n  assert {\n    condition     = terraform_data.b.id == \"over\"\n    error_message = \
                 \"no\"\n  }\n  assert {\n    condition     = terraform_data.b.input == \"x\"\n    error_message = \"no\"\n  }\n}\n";
    let ran = run_with(&[("main.tf", main), ("a.tftest.hcl", tests)], TestOptions::default());
    let found: Vec<&str> = ran.only().diagnostics.iter().map(|found| &*found.diagnostic.summary).collect();
    assert_eq!(found, ["Unknown condition value"], "{}", ran.text);
}

/// Terraform 1.11.4 and 1.15.5 alike.
#[test]
fn a_plan_that_only_refreshes_unknown_outputs_is_not_applied() {
    let summaries = |output: &str| {
        let main =
            format!("resource \"terraform_data\" \"a\" {{\n}}\noutput \"o\" {{\n  value = {output}\n}}\n");
        let tests = "run \"r\" {\n  plan_options {\n    mode = refresh-only\n  }\n}\n";
        let ran = run_with(&[("main.tf", &main), ("a.tftest.hcl", tests)], TestOptions::default());
        ran.only().diagnostics.iter().map(|found| found.diagnostic.summary.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(summaries("terraform_data.a.id"), ["Cannot apply non-applyable plan"]);
    assert_eq!(summaries("1"), [""; 0]);
    assert_eq!(summaries("null"), [""; 0]);
}
