//! The project's own cases, `tests/cases/*.jsonl`: a few of every operation, written by hand.
//!
//! `objchange check tests/cases/*.jsonl` runs the same.

use std::path::Path;

use objchange::case::{Case, Outcome};

#[test]
fn own_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut failures = Vec::new();
    let mut passed = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // Configuration is not for the engine: `crates/hcl/tests/vectors.rs` runs these.
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hcl_")) {
            continue;
        }
        for (i, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            match Case::parse(line).map(|case| case.run()) {
                Ok(Outcome::Passed) => passed += 1,
                other => failures.push(format!("{}:{}: {other:?}", path.display(), i + 1)),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(passed > 0, "there are no cases in {}", folder.display());
}
