//! Generated test files, and what `terraform test` on this machine says of them. It runs offline: the only provider is the
//! one in Terraform.

use std::fs;
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use objchange_document::Version;
use objchange_module::Schemas;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::case::Case;
use super::run::{Tester, without_random};

/// How many files are compared.
const FILES: usize = 40;

const MAIN: &str = r#"variable "a" {
  type    = string
  default = "d"
  validation {
    condition     = var.a != "bad"
    error_message = "a is bad"
  }
}
variable "n" {
  type    = number
  default = 5
}
resource "terraform_data" "r" {
  input = var.a
  lifecycle {
    precondition {
      condition     = var.n != 2
      error_message = "n is two"
    }
  }
}
resource "terraform_data" "c" {
  count = 2
  input = "c${count.index}"
}
output "out" {
  value = terraform_data.r.output
}
output "in" {
  value = var.a
}
check "small" {
  assert {
    condition     = var.n < 7
    error_message = "n is large"
  }
}
"#;

/// One test that asks `terraform`, which is ignored where it is absent.
pub(crate) fn trial() -> Trial {
    let has_terraform = version().is_some();
    Trial::test("module_tests::generated_files_have_the_answers_of_terraform", compare)
        .with_ignored_flag(!has_terraform)
}

fn version() -> Option<String> {
    let output = Command::new("terraform").args(["version", "-json"]).stderr(Stdio::null()).output().ok()?;
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(answer["terraform_version"].as_str()?.to_owned())
}

fn compare() -> Result<(), Failed> {
    let version = version().ok_or("terraform is installed and does not start")?;
    let rules = Version::parse(&version).ok_or("no version")?;
    let tester = Tester::with(Schemas::default());
    let mut runner = TestRunner::deterministic();
    let mut wrong = Vec::new();
    for _ in 0..FILES {
        let tests = test_file().new_tree(&mut runner).map_err(|error| error.to_string())?.current();
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("main.tf"), MAIN)?;
        fs::write(folder.path().join("a.tftest.hcl"), &tests)?;
        let theirs = Command::new("terraform")
            .args(["test", "-no-color"])
            .current_dir(folder.path())
            .env("TF_CLI_CONFIG_FILE", folder.path().join("settings"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("COLUMNS", "80")
            .output()?;
        let ours = tester.run_as(&Case::plain(folder.path()), rules)?;
        let out = without_random(&String::from_utf8_lossy(&theirs.stdout));
        let is_same = out.trim() == ours.out.trim() && theirs.status.code() == Some(ours.exit.into());
        if !is_same {
            wrong.push(format!("{tests}\nterraform:\n{out}\nhere:\n{}", ours.out));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n---\n").into()) }
}

/// A test file with up to four runs.
fn test_file() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just(""),
        Just("    a = \"x\"\n"),
        Just("    a = \"bad\"\n"),
        Just("    n = 2\n"),
        Just("    n = 9\n")
    ];
    let expected = prop_oneof![4 => Just(""), 1 => Just("var.a"), 1 => Just("terraform_data.r"), 1 => Just("check.small"), 1 => Just("output.in")];
    let condition = prop_oneof![
        Just("output.in == \"d\""),
        Just("var.n > 4"),
        Just("output.out == \"x\""),
        Just("length(terraform_data.c) == 2"),
        Just("terraform_data.c[1].input == \"c1\""),
        Just("terraform_data.r.id != \"\""),
        Just("var.nope == 1"),
        Just("null"),
    ];
    let override_ = prop_oneof![
        6 => Just(""),
        1 => Just("  override_resource {\n    target = terraform_data.r\n    values = { id = \"mine\" }\n  }\n"),
    ];
    let run = (any::<bool>(), value, expected, proptest::option::of(condition), override_);
    let header = prop_oneof![
        4 => Just(""),
        1 => Just("mock_provider \"terraform\" {\n}\n"),
        1 => Just("variables {\n  a = \"x\"\n}\n"),
    ];
    (header, proptest::collection::vec(run, 1..=4)).prop_map(|(header, runs)| {
        let mut text = header.to_owned();
        for (i, (is_plan, value, expected, condition, override_)) in runs.into_iter().enumerate() {
            text.push_str(&format!("run \"r{i}\" {{\n"));
            if is_plan {
                text.push_str("  command = plan\n");
            }
            if !value.is_empty() {
                text.push_str(&format!("  variables {{\n{value}  }}\n"));
            }
            if !expected.is_empty() {
                text.push_str(&format!("  expect_failures = [{expected}]\n"));
            }
            text.push_str(override_);
            if let Some(condition) = condition {
                text.push_str(&format!(
                    "  assert {{\n    condition     = {condition}\n    error_message = \"no\"\n  }}\n"
                ));
            }
            text.push_str("}\n");
        }
        text
    })
}
