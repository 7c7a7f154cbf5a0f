//! Errors in people's texts, as people see them. `INSTA_UPDATE=always` writes the snapshots again: read the diff.

use std::fmt::Write as _;

use crate::program::objchange;

/// Each faulty expression, one a line, with what is said of it.
#[test]
fn of_expressions() {
    let mut said = String::new();
    for expression in include_str!("diagnostics/expressions.txt").lines() {
        let output = objchange(["eval", "--", expression], "");
        assert_eq!(output.code, 1, "{expression}: {}", output.stdout);
        assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
        writeln!(said, "=== {expression}\n{}", output.stderr.trim_end()).unwrap();
    }
    insta::assert_snapshot!(said);
}

/// Each faulty policy with what is said of it.
#[test]
fn of_policies() {
    let mut said = String::new();
    for policy in include_str!("diagnostics/policies.txt").split("=== ").skip(1) {
        let (title, text) = policy.split_once('\n').unwrap();
        let output = objchange(["sentinel", "check", "-"], text);
        assert_ne!(output.code, 0, "{title}");
        let shown = format!("{}{}", output.stdout, output.stderr);
        writeln!(said, "=== {title}\n{}", shown.trim_end()).unwrap();
    }
    insta::assert_snapshot!(said);
}
