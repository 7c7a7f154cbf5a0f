//! `objchange test [DIR]`.

use std::ffi::OsString;

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::plan::SCHEMAS;
use crate::program::{Output, objchange};

const MAIN: &str = r#"terraform {
  required_providers {
    test = { source = "example.com/test/test" }
  }
}
variable "name" {
  type    = string
  default = "d"
}
resource "test_disk" "a" {
  name = var.name
}
output "id" {
  value = test_disk.a.id
}
"#;

const TESTS: &str = r#"run "named" {
  command = plan
  assert {
    condition     = test_disk.a.name == "api"
    error_message = "Another name."
  }
}
run "applied" {
  assert {
    condition     = test_disk.a.name != null
    error_message = "No name."
  }
}
"#;

fn folder(test: &str, files: &[(&str, &str)]) -> Folder {
    let mut all = vec![("main.tf", MAIN), ("schemas.json", SCHEMAS)];
    all.extend(files);
    Folder::with(test, &all)
}

/// Runs the tests of the module in the folder.
fn test(folder: &Folder, arguments: &[&str]) -> Output {
    let mut all: Vec<OsString> = vec!["test".into(), folder.0.clone().into()];
    all.extend(["--schemas".into(), folder.at("schemas.json").into()]);
    all.extend(
        arguments.iter().map(|argument| argument.replace("FOLDER", &folder.0.display().to_string()).into()),
    );
    objchange(all, "")
}

#[test]
fn the_text_is_terraforms() {
    let folder = folder("test-text", &[("tests/a.tftest.hcl", TESTS)]);
    let output = test(&folder, &["--var", "name=api"]);
    assert_eq!(output.code, 0, "{output:?}");
    let text = "tests/a.tftest.hcl... in progress\n  run \"named\"... pass\n  run \"applied\"... pass\n\
                tests/a.tftest.hcl... tearing down\ntests/a.tftest.hcl... pass\n\nSuccess! 2 passed, 0 failed.\n";
    assert_eq!(output.stdout, text);
    assert!(output.stderr.starts_with("note: made up without a provider: test_disk.a.id"), "{output:?}");

    let output = test(&folder, &[]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.ends_with("\nFailure! 1 passed, 1 failed.\n"), "{output:?}");
    assert!(output.stderr.contains("\n    │ - \"d\"\n    │ + \"api\"\n"), "{output:?}");
    let before = test(&folder, &["--as", "terraform@1.11"]);
    assert!(before.stderr.contains("\n    │ test_disk.a.name is \"d\"\n\nAnother name.\n"), "{before:?}");
}

#[test]
fn files_are_chosen_and_printed_in_order() {
    let empty = "run \"r\" {\n  command = plan\n}\n";
    let folder = folder(
        "test-filter",
        &[("b.tftest.hcl", empty), ("tests/a.tftest.hcl", empty), ("other/c.tftest.hcl", empty)],
    );
    let files = |arguments: &[&str]| {
        let output = test(&folder, arguments);
        assert_eq!(output.code, 0, "{output:?}");
        let of_files = output.stdout.lines().filter_map(|line| line.strip_suffix("... pass"));
        of_files.filter(|line| !line.starts_with(' ')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(files(&[]), ["b.tftest.hcl", "tests/a.tftest.hcl"]);
    assert_eq!(files(&["--test-directory", "other"]), ["b.tftest.hcl", "other/c.tftest.hcl"]);
    assert_eq!(files(&["--filter", "tests/a.tftest.hcl"]), ["tests/a.tftest.hcl"]);
    let one = ["--filter", "tests/none.tftest.hcl", "--filter", "tests/a.tftest.hcl"];
    let said = "error: --filter tests/none.tftest.hcl: no test file has this path\n";
    let output = test(&folder, &one[..2]);
    assert!(output.code == 0 && output.stdout.contains("Warning: Unknown test file"), "{output:?}");
    let output = test(&folder, &one);
    assert!(output.code == 2 && output.stderr.contains(said), "{output:?}");
    let output = test(&folder, &["--filter", "tests/none.tftest.hcl", "--strict"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("no run was left to run"), "{output:?}");
}

#[test]
fn values_of_the_test_directory_are_for_its_files() {
    let folder = folder(
        "test-tfvars",
        &[("tests/terraform.tfvars", "name = \"api\"\n"), ("tests/a.tftest.hcl", TESTS)],
    );
    assert_eq!(test(&folder, &[]).code, 0);
}

#[test]
fn messages_and_a_report_can_be_had() {
    let folder = folder("test-json", &[("a.tftest.hcl", TESTS)]);
    let output = test(&folder, &["--json", "--junit-xml", "FOLDER/report.xml"]);
    assert_eq!(output.code, 1, "{output:?}");
    let messages: Vec<Json> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(messages.iter().all(|message| message["@timestamp"].is_string()), "{output:?}");
    assert_eq!(messages[0]["type"], "version");
    let last = messages.last().unwrap();
    assert_eq!(last["test_summary"]["failed"], 1);
    let report = std::fs::read_to_string(folder.at("report.xml")).unwrap();
    assert!(
        report.contains("<testsuite name=\"a.tftest.hcl\" tests=\"2\" skipped=\"0\" failures=\"1\""),
        "{report}"
    );
}

#[test]
fn what_is_made_up_can_be_refused_and_what_is_unknown_left_open() {
    let unknown = "run \"r\" {\n  command = plan\n  assert {\n    condition     = output.id == \"x\"\n    error_message = \"no\"\n  }\n}\n";
    let folder = folder("test-strict", &[("a.tftest.hcl", TESTS), ("b.tftest.hcl", unknown)]);
    let output = test(&folder, &["--var", "name=api", "--filter", "a.tftest.hcl", "--strict"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("Error: Values were made up"), "{output:?}");
    let output = test(&folder, &["--filter", "b.tftest.hcl"]);
    assert!(output.code == 1 && output.stderr.contains("Unknown condition value"), "{output:?}");
    let output = test(&folder, &["--filter", "b.tftest.hcl", "--three-valued"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.stdout.contains("Undecided! 0 passed, 0 failed, 1 undecided."), "{output:?}");
    let output = test(&folder, &["--filter", "b.tftest.hcl", "--three-valued", "--strict"]);
    assert_eq!(output.code, 1, "{output:?}");
}

#[test]
fn what_depends_on_made_up_values_is_undecided() {
    let tests = "run \"r\" {\n  assert {\n    condition     = output.id != \"\"\n    error_message = \"no\"\n  }\n}\n";
    let folder = folder("test-undecided", &[("a.tftest.hcl", tests)]);
    let output = test(&folder, &["--junit-xml", "FOLDER/junit.xml"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.stdout.contains("It depends on output.id, which was made up"), "{output:?}");
    let junit = std::fs::read_to_string(folder.at("junit.xml")).unwrap();
    assert!(junit.contains("<failure type=\"undecided\" message=\"1 condition undecided\">"), "{junit}");
    let output = test(&folder, &["--strict"]);
    assert_eq!(output.code, 1, "{output:?}");
}

#[test]
fn a_filter_of_no_file_warns_and_parallelism_is_taken() {
    let folder = folder("test-filter-none", &[("a.tftest.hcl", "run \"r\" {\n  command = plan\n}\n")]);
    let output = test(&folder, &["--filter", "zz.tftest.hcl"]);
    assert_eq!(output.code, 0, "{output:?}");
    let warning =
        "\nWarning: Unknown test file\n\nThe specified test file, zz.tftest.hcl, could not be found.\n";
    assert!(output.stdout.starts_with(warning), "{output:?}");
    assert_eq!(test(&folder, &["--filter", "zz.tftest.hcl", "--strict"]).code, 1);
    let before = test(&folder, &["--filter", "zz.tftest.hcl", "--as", "terraform@1.15"]);
    assert!(!before.stdout.contains("Unknown test file"), "{before:?}");
    assert_eq!(test(&folder, &["--parallelism", "1"]).code, 0);
    assert_eq!(test(&folder, &["--parallelism", "x"]).code, 2);
}

#[test]
fn provisioners_do_not_run() {
    let main = format!(
        "{MAIN}resource \"terraform_data\" \"p\" {{\n  provisioner \"local-exec\" {{\n    command = \"touch ran\"\n  }}\n}}\n"
    );
    let folder = Folder::with(
        "test-provisioner",
        &[("main.tf", &main), ("schemas.json", SCHEMAS), ("a.tftest.hcl", "run \"r\" {\n}\n")],
    );
    let output = test(&folder, &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.stderr.contains("warning: provisioners never run here: those of terraform_data.p"),
        "{output:?}"
    );
    assert!(!folder.at("ran").exists());
}

#[test]
fn what_is_wrong_with_files_is_said_with_its_place() {
    let folder = folder("test-wrong", &[("a.tftest.hcl", "run \"r\" {\n  wrong = 1\n}\n")]);
    let output = test(&folder, &[]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("Error: Unsupported argument\n\n  on a.tftest.hcl line 2"), "{output:?}");
    let without = Folder::with("test-no-schemas", &[("main.tf", MAIN), ("a.tftest.hcl", "run \"r\" {\n}\n")]);
    let output =
        objchange(["test".into(), OsString::from(without.0.clone()), "--no-schema-cache".into()], "");
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("there are no schemas of example.com/test/test"), "{output:?}");
}

#[test]
fn coverage_is_printed_and_written() {
    let folder = folder("test-coverage", &[("a.tftest.hcl", TESTS)]);
    let output = test(&folder, &["--var", "name=api", "--coverage", "--lcov", "FOLDER/lcov.info"]);
    assert!(output.stdout.contains("\nCoverage: "), "{output:?}");
    let lcov = folder.read("lcov.info");
    assert!(lcov.starts_with("TN:\nSF:") && lcov.contains("main.tf\n"), "{lcov}");
    // Messages stay alone on standard output.
    let output = test(&folder, &["--json", "--coverage"]);
    assert!(output.stdout.lines().all(|line| line.starts_with('{')), "{output:?}");
    assert!(output.stderr.contains("Coverage: "), "{output:?}");
    // An unwritable report is refused before anything runs.
    let output = test(&folder, &["--lcov", "FOLDER/none/lcov.info"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output:?}");
    assert!(output.stderr.contains("cannot be written"), "{output:?}");
}

#[test]
fn elements_that_make_an_assertion_fail_are_named_at_the_end() {
    let tests = "run \"r\" {\n  command = plan\n  assert {\n    condition     = alltrue([for n in [var.name, \"x\"] : n == \"x\"])\n    \
                 error_message = \"no\"\n  }\n}\n";
    let folder = folder("test-elements", &[("a.tftest.hcl", tests)]);
    let output = test(&folder, &[]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains(", in run \"r\": false because n is \"d\"\n"), "{output:?}");
}

#[test]
fn watching_needs_a_terminal() {
    let folder = folder("test-watch", &[("a.tftest.hcl", TESTS)]);
    let output = test(&folder, &["--watch"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output:?}");
    assert!(output.stderr.contains("--watch needs a terminal"), "{output:?}");
}

#[test]
fn a_report_for_junit_is_xml_whatever_messages_say() {
    let test_file = "run \"r\" {\n  assert {\n    condition     = var.v == \"zz\"\n    error_message = \"m ${var.v}\"\n  }\n}\n";
    let module = "variable \"v\" {\n  default = \"x\\uFFFE\\uFFFF\\u0008\\u001B]]>\\u0085 y\"\n}\n";
    let folder = folder("test-junit-characters", &[("t.tftest.hcl", test_file), ("main.tf", module)]);
    let report = folder.at("report.xml").display().to_string();
    let output = test(&folder, &["--junit-xml", &report]);
    assert_eq!(output.code, 1, "{output:?}");
    let xml = folder.read("report.xml");
    let is_legal = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(xml.chars().all(is_legal), "{xml:?}");
    // Nothing that is not to be seen is left, either.
    assert!(xml.contains("assertions failed: m x\\ufffe\\uffff") && !xml.contains('\u{85}'), "{xml}");
}

/// Terraform 1.11.4 and 1.15.5 alike.
#[test]
fn checks_are_told_where_planning_fails() {
    let main = "output \"o\" {\n  value = 1\n  precondition {\n    condition     = var.n == 1\n    error_message = \"out\"\n  }\n}\nvariable \
                \"n\" {\n  default = 2\n}\ncheck \"c\" {\n  assert {\n    condition     = var.n == 1\n    error_message = \"check\"\n  }\n}\n";
    for expected in ["", "  expect_failures = [check.c]\n"] {
        let tests = format!("run \"r\" {{\n{expected}}}\n");
        let folder = folder("test-checks", &[("main.tf", main), ("a.tftest.hcl", &tests)]);
        for version in ["terraform@1.11", "terraform@1.15"] {
            let output = test(&folder, &["--as", version]);
            assert_eq!(output.code, 1, "{output:?}");
            assert!(
                output.stdout.contains("Warning: Check block assertion failed"),
                "{expected}: {output:?}"
            );
            assert!(output.stderr.contains("Error: Module output value precondition failed"), "{output:?}");
        }
    }
}
