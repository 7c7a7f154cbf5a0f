//! Values that are made up in place of providers decide nothing.

use objchange_module::test::{TestOptions, TestStatus};

use crate::testing::{Ran, run_with};

const MAIN: &str = r#"terraform {
  required_providers {
    sim = { source = "example/sim" }
  }
}
variable "n" {
  default = 1
}
variable "grow" {
  default = null
}
resource "sim_thing" "a" {
  name = "n"
}
resource "terraform_data" "copy" {
  input = sim_thing.a.id
}
resource "terraform_data" "many" {
  count = var.grow == null ? 1 : length(var.grow)
}
locals {
  fits = can(regex("^[a-z]", sim_thing.a.id))
  tried = try(tonumber(sim_thing.a.id), 7)
}
module "m" {
  source = "./m"
  id     = sim_thing.a.id
}
check "c" {
  assert {
    condition     = sim_thing.a.id != ""
    error_message = "no"
  }
}
output "id" {
  value = terraform_data.copy.output
}
output "n" {
  value = var.n
}
"#;

const CHILD: &str = r#"variable "id" {
  validation {
    condition     = length(var.id) > 3
    error_message = "short"
  }
}
output "upper" {
  value = upper(var.id)
}
"#;

fn run(tests: &str, options: TestOptions) -> Ran {
    run_with(&[("main.tf", MAIN), ("m/main.tf", CHILD), ("a.tftest.hcl", tests)], options)
}

/// The status of a run that applies, by its condition. The module has conditions of its own, which are undecided, too.
fn status(condition: &str) -> (TestStatus, usize) {
    let tests = format!(
        "run \"first\" {{\n}}\nrun \"r\" {{\n  variables {{\n    n = run.first.id\n  }}\n  assert {{\n    condition     = \
         {condition}\n    error_message = \"no\"\n  }}\n}}\n"
    );
    let ran = run(&tests, TestOptions::default());
    let last = ran.runs().last().unwrap_or_else(|| panic!("{}", ran.text));
    // The check and the validation of the module are undecided in each run.
    (last.status, last.undecided - 2)
}

#[test]
fn conditions_that_depend_on_made_up_values_are_undecided() {
    for undecided in [
        "sim_thing.a.id != null",
        "sim_thing.a.id == \"x\"",
        "output.id != \"x\"",
        "terraform_data.copy.input == terraform_data.copy.output",
        "module.m.upper == \"X\"",
        "local.fits",
        "local.tried == 7",
        "can(regex(\"x\", sim_thing.a.id))",
        // A run before has made it up.
        "output.n == \"x\"",
        "run.first.id == \"x\"",
        "split(\":\", sim_thing.a.id)[9] == \"x\"",
        "sim_thing.a.name == \"n\" && sim_thing.a.id == \"x\"",
    ] {
        assert_eq!(status(undecided), (TestStatus::Undecided, 1), "{undecided}");
    }
}

#[test]
fn conditions_that_other_values_decide_are_decided() {
    for holds in [
        "sim_thing.a.name == \"n\"",
        "terraform_data.copy.id != \"\"",
        "length(terraform_data.many) == 1",
        "sim_thing.a.name == \"n\" || sim_thing.a.id == \"x\"",
    ] {
        assert_eq!(status(holds), (TestStatus::Undecided, 0), "{holds}");
    }
    for fails in ["sim_thing.a.name == \"o\"", "sim_thing.a.name == \"o\" && sim_thing.a.id == \"x\""] {
        assert_eq!(status(fails).0, TestStatus::Fail, "{fails}");
    }
}

#[test]
fn errors_that_made_up_values_cause_leave_it_undecided() {
    let start = "terraform {\n  required_providers {\n    sim = { source = \"example/sim\" }\n  }\n}\nresource \"sim_thing\" \"a\" {\n  name = \"n\"\n}\n";
    let child = "variable \"n\" {\n  type = number\n}\noutput \"n\" {\n  value = var.n\n}\n";
    let run_of = |main: &str, condition: &str| {
        let tests = format!(
            "run \"r\" {{\n  assert {{\n    condition     = {condition}\n    error_message = \"no\"\n  }}\n}}\n"
        );
        let main = format!("{start}{main}");
        run_with(
            &[("main.tf", &main), ("m/main.tf", child), ("a.tftest.hcl", &tests)],
            TestOptions::default(),
        )
    };
    let bad = "tonumber(sim_thing.a.id)";
    for (main, condition) in [
        (format!("output \"o\" {{\n  value = {bad}\n}}\n"), "output.o == 1"),
        (
            format!("locals {{\n  n = {bad} + 1\n}}\noutput \"o\" {{\n  value = local.n\n}}\n"),
            "output.o == 1",
        ),
        (
            format!("resource \"terraform_data\" \"d\" {{\n  input = {bad}\n}}\n"),
            "terraform_data.d.output == 1",
        ),
        ("module \"m\" {\n  source = \"./m\"\n  n      = sim_thing.a.id\n}\n".to_owned(), "module.m.n == 1"),
        (String::new(), "tonumber(sim_thing.a.id) == 1"),
    ] {
        let ran = run_of(&main, condition);
        assert_eq!(ran.only().status, TestStatus::Undecided, "{main}{condition}\n{}", ran.text);
        assert!(!ran.text.contains("Error:"), "{}", ran.text);
    }
    // Everything else that the module does is judged all the same.
    let main = format!("output \"o\" {{\n  value = {bad}\n}}\n");
    assert_eq!(run_of(&main, "sim_thing.a.name == \"x\"").only().status, TestStatus::Fail);
    // Other values decide alone, and cause errors of their own.
    assert_eq!(
        run_of("", &format!("sim_thing.a.name == \"n\" || {bad} == 1")).only().status,
        TestStatus::Pass
    );
    let ran = run_of(
        "output \"o\" {\n  value = [sim_thing.a.id, tonumber(\"x\")]\n}\n",
        "sim_thing.a.name == \"n\"",
    );
    assert_eq!(ran.only().status, TestStatus::Error, "{}", ran.text);
}

#[test]
fn instances_that_a_made_up_value_counts_are_made_up() {
    let ran = run(
        "run \"first\" {\n}\nrun \"r\" {\n  variables {\n    grow = run.first.id\n  }\n  assert {\n    condition     = \
         length(terraform_data.many) == 2\n    error_message = \"no\"\n  }\n}\n",
        TestOptions::default(),
    );
    assert_eq!(ran.statuses()["r"], TestStatus::Undecided, "{}", ran.text);
}

#[test]
fn elements_of_stored_sets_stay_made_up() {
    let main = "terraform {\n  required_providers {\n    sim = { source = \"example/sim\" }\n  }\n}\nvariable \"sizes\" {\n  \
                default = [1, 2]\n}\nvariable \"name\" {\n  default = \"n\"\n}\nresource \"sim_box\" \"b\" {\n  name = var.name\n  \
                dynamic \"disk\" {\n    for_each = toset(var.sizes)\n    content {\n      size = disk.value\n    }\n  }\n}\n";
    let ids = "contains([for disk in sim_box.b.disk : disk.id], \"x\")";
    let status = |settings: &str, condition: &str| {
        let tests = format!(
            "run \"first\" {{\n}}\nrun \"r\" {{\n{settings}  assert {{\n    condition     = {condition}\n    error_message = \
             \"no\"\n  }}\n}}\n"
        );
        let ran = run_with(&[("main.tf", main), ("a.tftest.hcl", &tests)], TestOptions::default());
        ran.statuses()["r"]
    };
    let with = |variable: &str| format!("  variables {{\n    {variable}\n  }}\n");
    for (settings, condition, expected) in [
        // Nothing changes: the second run finds the elements in the state.
        (String::new(), ids, TestStatus::Undecided),
        ("  command = plan\n".to_owned(), ids, TestStatus::Undecided),
        (with("name = \"o\""), ids, TestStatus::Undecided),
        (with("sizes = [2, 3]"), ids, TestStatus::Undecided),
        (with("sizes = []"), "length(sim_box.b.disk) == 0", TestStatus::Pass),
        // The other attributes of the object are as configured.
        (with("name = \"o\""), "sim_box.b.name == \"o\"", TestStatus::Pass),
        (with("sizes = [2, 3]"), "sim_box.b.name == \"o\"", TestStatus::Fail),
    ] {
        assert_eq!(status(&settings, condition), expected, "{settings}{condition}");
    }
}

#[test]
fn an_expected_failure_that_is_undecided_is_not_missing() {
    let ran = run("run \"r\" {\n  expect_failures = [check.c]\n}\n", TestOptions::default());
    assert_eq!(ran.only().status, TestStatus::Undecided, "{}", ran.text);
    assert!(!ran.text.contains("Missing expected failure"), "{}", ran.text);
}

#[test]
fn mocks_decide_and_strict_runs_refuse_what_is_undecided() {
    let tests = "run \"r\" {\n  assert {\n    condition     = output.id != \"\"\n    error_message = \"no\"\n  }\n}\n";
    let mocked = format!("mock_provider \"sim\" {{\n}}\n{tests}");
    let ran = run(&mocked, TestOptions::default());
    assert_eq!((ran.only().status, ran.only().undecided), (TestStatus::Pass, 0), "{}", ran.text);
    let ran = run(tests, TestOptions { strict: true, ..TestOptions::default() });
    assert_eq!(ran.only().status, TestStatus::Error, "{}", ran.text);
    assert!(ran.text.contains("Error: Test assertion undecided"), "{}", ran.text);
}

#[test]
fn reports_name_the_values() {
    let tests = "run \"r\" {\n  assert {\n    condition     = sim_thing.a.id == \"x\"\n    error_message = \"no\"\n  }\n}\n";
    let ran = run(tests, TestOptions::default());
    assert!(ran.text.contains("\n  run \"r\"... undecided\n"), "{}", ran.text);
    assert!(ran.text.contains("It depends on sim_thing.a.id, which was made up"), "{}", ran.text);
    assert!(ran.text.contains("Undecided! 0 passed, 0 failed, 1 undecided."), "{}", ran.text);
    let junit = r#"<failure type="undecided" message="3 conditions undecided">"#;
    assert!(ran.printed.contains(junit), "{}", ran.printed);
    assert!(ran.printed.contains(r#""status":"undecided""#), "{}", ran.printed);
}
