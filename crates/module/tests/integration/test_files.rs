//! The language of test files.

use objchange_module::test::{TestOptions, TestStatus};

use crate::testing::{Ran, run_with};

fn run(main: &str, tests: &str) -> Ran {
    let options = TestOptions { now: Some("2026-01-02T03:04:05Z".to_owned()), ..TestOptions::default() };
    run_with(&[("main.tf", main), ("a.tftest.hcl", tests)], options)
}

fn assert_that(condition: &str) -> String {
    format!("  assert {{\n    condition     = {condition}\n    error_message = \"no\"\n  }}\n")
}

const DATA: &str =
    "resource \"terraform_data\" \"d\" {\n}\noutput \"o\" {\n  value = terraform_data.d.output\n}\n";

#[test]
fn functions_have_one_value_in_mocks_and_one_for_each_run_in_overrides() {
    let values = "{ output = [uuid(), timestamp(), format(\"%03d\", 7), bcrypt(\"x\", 4)] }";
    let known = "length(output.o[0]) == 36 && output.o[1] == \"2026-01-02T03:04:05Z\" && output.o[2] == \"007\" && \
                 startswith(output.o[3], \"$2a$04$\") && length(output.o[3]) == 60";
    let runs = |differ: &str| {
        format!(
            "run \"a\" {{\n{}}}\nrun \"b\" {{\n  state_key = \"b\"\n{}}}\n",
            assert_that(known),
            assert_that(&format!("output.o[0] {differ} run.a.o[0]"))
        )
    };
    let mock = format!(
        "mock_provider \"terraform\" {{\n  mock_resource \"terraform_data\" {{\n    defaults = {values}\n  }}\n}}\n{}",
        runs("==")
    );
    let ran = run(DATA, &mock);
    assert!(ran.report.passes(), "{}", ran.text);
    let overriding =
        format!("override_resource {{\n  target = terraform_data.d\n  values = {values}\n}}\n{}", runs("!="));
    let ran = run(DATA, &overriding);
    assert!(ran.report.passes(), "{}", ran.text);
    assert_eq!(run(DATA, &overriding).printed, ran.printed, "the same seed gives the same values");
}

#[test]
fn functions_are_unknown_in_plans_and_known_while_they_are_applied() {
    let main = "resource \"terraform_data\" \"d\" {\n  input = uuid()\n}\n";
    let condition = assert_that("length(terraform_data.d.output) == 36 && uuid() != terraform_data.d.output");
    let ran = run(main, &format!("run \"r\" {{\n{condition}}}\n"));
    assert!(ran.report.passes(), "{}", ran.text);
    let ran = run(
        main,
        &format!("run \"r\" {{\n  command = plan\n{}}}\n", assert_that("uuid() != terraform_data.d.id")),
    );
    assert_eq!(ran.only().status, TestStatus::Error, "{}", ran.text);
}

#[test]
fn variable_blocks_give_variables_of_modules_their_values() {
    let main = "variable \"a\" {\n  type = string\n}\noutput \"o\" {\n  value = var.a\n}\n";
    let tests = |default: &str, condition: &str| {
        format!("variable \"a\" {{\n  default = {default}\n}}\nrun \"r\" {{\n{}}}\n", assert_that(condition))
    };
    let ran = run(main, &tests("\"t\"", "output.o == \"t\" && var.a == \"t\""));
    assert!(ran.report.passes(), "{}", ran.text);
    let ran = run(main, &tests("[1]", "output.o == \"t\""));
    assert!(
        ran.text.contains("Error: Invalid value for input variable\n\n  on a.tftest.hcl line 1"),
        "{}",
        ran.text
    );
    let ran = run(main, "variable \"source\" {\n}\n");
    assert!(ran.text.contains("Error: Invalid variable name"), "{}", ran.text);
}

/// A module that hands a variable on.
const HANDS_ON: &str = "variable \"a\" {\n  default = \"none\"\n}\nresource \"terraform_data\" \"d\" {\n  input = var.a\n}\n\
                        output \"o\" {\n  value = terraform_data.d.output\n}\n";

#[test]
fn values_that_a_test_file_declares_sensitive_are_not_printed() {
    let declared = "variable \"s\" {\n  sensitive = true\n  default   = \"swordfish-91\"\n}\n".to_owned();
    let derived = "variables {\n  t = { pin = base64encode(var.s), plain = \"in the clear\" }\n}\n";
    for (run_of_test, status) in [
        (assert_that("var.s == \"x\""), TestStatus::Fail),
        (assert_that("startswith(var.s, \"sword\")"), TestStatus::Pass),
        // Terraform 1.15.5 puts no mark on it.
        (assert_that("!issensitive(var.s) && !issensitive(var.t)"), TestStatus::Pass),
        (assert_that("issensitive(var.s)"), TestStatus::Fail),
        (assert_that("tonumber(var.s) == 1"), TestStatus::Error),
        (assert_that("var.t.pin == \"x\" && var.t.plain == \"x\""), TestStatus::Fail),
        (
            format!("  variables {{\n    a = var.s\n  }}\n{}", assert_that("output.o == \"x\"")),
            TestStatus::Fail,
        ),
        (
            format!("  variables {{\n    a = var.t.pin\n  }}\n{}", assert_that("var.a == \"x\"")),
            TestStatus::Fail,
        ),
        (
            format!("  variables {{\n    a = [var.s, 1]\n  }}\n{}", assert_that("length(output.o) == 1")),
            TestStatus::Fail,
        ),
        (
            "  variables {\n    b = \"${var.s}\"\n  }\n".to_owned()
                + &assert_that("[for x in [var.b] : x if x == \"y\"] == [var.s]"),
            TestStatus::Fail,
        ),
        (
            "  assert {\n    condition     = var.s == \"\"\n    error_message = \"it is ${var.s}\"\n  }\n"
                .to_owned(),
            TestStatus::Fail,
        ),
    ] {
        let ran = run(HANDS_ON, &format!("{declared}{derived}run \"r\" {{\n{run_of_test}}}\n"));
        assert_eq!(ran.only().status, status, "{}", ran.text);
        for secret in ["swordfish", "c3dvcmRmaXNo"] {
            assert!(!ran.printed.contains(secret), "{run_of_test}\n{}", ran.printed);
        }
    }
}

#[test]
fn checks_of_modules_do_not_repeat_what_a_test_file_declares_sensitive() {
    let check = "check \"c\" {\n  assert {\n    condition     = var.a == \"x\"\n    error_message = \"it is ${var.a}\"\n  }\n}\n";
    let tests = "variable \"s\" {\n  sensitive = true\n  default   = \"swordfish-91\"\n}\n";
    let run_of_test = "run \"r\" {\n  variables {\n    a = var.s\n  }\n}\n";
    let main = format!("{HANDS_ON}{check}");
    let ran = run(&main, &format!("{tests}{run_of_test}"));
    assert!(ran.text.contains("it is (sensitive value)"), "{}", ran.text);
    assert!(!ran.printed.contains("swordfish"), "{}", ran.printed);
    let public = tests.replace("  sensitive = true\n", "");
    assert!(run(&main, &format!("{public}{run_of_test}")).text.contains("it is swordfish-91"));
}

#[test]
fn a_sensitive_variable_of_a_test_file_puts_no_mark_on_values_of_modules() {
    let tests = "variable \"s\" {\n  sensitive = true\n  default   = \"swordfish-91\"\n}\n";
    let run_of_test = format!(
        "run \"r\" {{\n  variables {{\n    a = var.s\n  }}\n{}}}\n",
        assert_that("output.o == \"swordfish-91\"")
    );
    let ran = run(HANDS_ON, &format!("{tests}{run_of_test}"));
    // With a mark the output would be an error, because it is not declared sensitive.
    assert!(ran.report.passes(), "{}", ran.text);
    assert!(!ran.text.contains("swordfish"), "{}", ran.text);
    let public = tests.replace("  sensitive = true\n", "");
    let ran = run(HANDS_ON, &format!("{public}{run_of_test}"));
    assert!(ran.text.contains("swordfish"), "the plans of runs are printed: {}", ran.text);
}

#[test]
fn long_chains_of_variables_take_no_longer_than_many_variables() {
    let main = "output \"o\" {\n  value = 1\n}\n";
    // The last one comes first, so each value waits for the next line. With a pass for each, 3000 took minutes.
    let chain: String = (1..3000).rev().map(|n| format!("  v{n} = var.v{} + 1\n", n - 1)).collect();
    let tests = |first: &str| {
        format!(
            "variables {{\n{chain}  v0 = {first}\n}}\nrun \"a\" {{\n}}\nrun \"b\" {{\n{}}}\n",
            assert_that("var.v2999 == 3000")
        )
    };
    for first in ["1", "run.a.o"] {
        let ran = run(main, &tests(first));
        assert!(ran.report.passes(), "{first}: {}", ran.text);
    }
    let ran = run(main, &tests("var.v2999"));
    assert!(ran.text.contains("Error: Cycle:"), "{}", ran.text);
}

#[test]
fn runs_go_on_after_an_error_that_they_do_not_wait_for() {
    let main = "variable \"a\" {\n  default = 1\n  validation {\n    condition     = var.a == 1\n    error_message = \"no\"\n  }\n}\n\
                output \"o\" {\n  value = var.a\n}\n";
    let tests = |parallel: bool| {
        let run = |name: &str, key: &str, value: &str| {
            format!("run \"{name}\" {{\n  state_key = \"{key}\"\n  variables {{\n    a = {value}\n  }}\n}}\n")
        };
        let runs = [
            ("bad", "x", "2"),
            ("other", "y", "1"),
            ("same", "x", "1"),
            ("refers", "z", "run.bad.o"),
            ("on", "w", "run.other.o"),
        ];
        let runs: String = runs.iter().map(|(name, key, value)| run(name, key, value)).collect();
        format!("test {{\n  parallel = {parallel}\n}}\n{runs}")
    };
    let statuses = |parallel| {
        let ran = run(main, &tests(parallel));
        let all = ["bad", "other", "same", "refers", "on"];
        all.map(|name| ran.statuses()[name])
    };
    let [error, pass, skip] = [TestStatus::Error, TestStatus::Pass, TestStatus::Skip];
    assert_eq!(statuses(true), [error, pass, skip, skip, pass]);
    assert_eq!(statuses(false), [error, skip, skip, skip, skip]);
}

#[test]
fn assertions_may_call_functions_of_required_providers() {
    let required = "terraform {\n  required_providers {\n    tf = { source = \"terraform.io/builtin/terraform\" }\n  }\n}\n";
    let main = "output \"o\" {\n  value = [1]\n}\n";
    let tests =
        format!("run \"r\" {{\n{}}}\n", assert_that("provider::tf::encode_expr(output.o) == \"[1]\""));
    let ran = run(&format!("{required}{main}"), &tests);
    assert!(ran.report.passes(), "{}", ran.text);
    let ran = run(main, &tests);
    assert!(ran.text.contains("There are no functions in namespace \"provider::tf::\"."), "{}", ran.text);
}

#[test]
fn outputs_of_the_module_under_test_may_be_ephemeral() {
    let main = "variable \"e\" {\n  ephemeral = true\n  default   = \"s\"\n}\noutput \"o\" {\n  value     = var.e\n  ephemeral = true\n}\n";
    let run_of = |command: &str, value: &str| {
        let condition = assert_that(&format!("output.o == \"{value}\""));
        run(main, &format!("run \"r\" {{\n  command = {command}\n{condition}}}\n"))
    };
    for command in ["plan", "apply"] {
        let ran = run_of(command, "s");
        assert!(ran.report.passes(), "{}", ran.text);
    }
    assert!(run_of("plan", "t").text.contains("\"(ephemeral value)\""));
}

#[test]
fn verbose_runs_show_failures_that_are_expected() {
    let main = "variable \"a\" {\n  default = 1\n}\ncheck \"c\" {\n  assert {\n    condition     = var.a == 1\n    error_message = \"other\"\n  }\n}\n";
    let ran = run(main, "run \"r\" {\n  variables {\n    a = 2\n  }\n  expect_failures = [check.c]\n}\n");
    assert!(ran.report.passes(), "{}", ran.text);
    assert_eq!(ran.text.matches("Warning: Check block assertion failed").count(), 1, "{}", ran.text);
}

#[test]
fn names_that_mean_nothing_are_refused() {
    for (tests, error) in [
        ("run \"r\" {\n  skip_cleanup = true\n}\n", "The skip_cleanup attribute is only available"),
        ("run \"r\" {\n  backend \"local\" {\n  }\n}\n", "The backend block is only available"),
        ("action \"x\" \"y\" {\n}\n", "Unsupported block type"),
    ] {
        let ran = run(DATA, tests);
        assert!(ran.report.files.is_empty() && ran.text.contains(error), "{}", ran.text);
    }
}
