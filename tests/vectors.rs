//! The cases of the shared vectors, where they are at hand.
#![allow(clippy::print_stderr, reason = "a test says what it skips, and which cases fail")]

use std::path::Path;

use objchange::case::{Case, Outcome};

#[track_caller]
fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not here", path.display());
        return;
    };
    let mut failures = Vec::new();
    let mut passed = 0;
    let only = std::env::var("CASE").ok();
    for line in text.lines() {
        let case = match Case::parse(line) {
            Ok(case) => case,
            Err(e) => panic!("{name}: {e}: {line}"),
        };
        if only.as_ref().is_some_and(|only| case.id() != Some(only) && case.op() != only) {
            continue;
        }
        match case.run() {
            Outcome::Passed => passed += 1,
            outcome => failures.push(format!("{:?} {} {outcome:?}", case.id(), case.op())),
        }
    }
    failures.sort_by_key(String::len);
    for failure in failures.iter().take(20) {
        eprintln!("{}", failure.chars().take(1200).collect::<String>());
    }
    assert!(failures.is_empty(), "{name}: {passed} passed, {} failed", failures.len());
}

#[test]
fn core() {
    check("core-dev.jsonl");
}

#[test]
fn core_corner() {
    check("core-corner-dev.jsonl");
}

#[test]
fn core_mutated() {
    check("core-mutated-dev.jsonl");
}

#[test]
fn core_large() {
    check("core-large-dev.jsonl");
}

#[test]
fn provider_plans() {
    check("provider-plans-dev.jsonl");
}
