//! The project's own cases, `tests/cases/*.jsonl`: a few of every operation, written by hand.
//!
//! `objchange check tests/cases/*.jsonl` runs the same.

use std::path::Path;

use objchange_case::{Case, Outcome};

#[test]
fn own_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut failures = Vec::new();
    let mut passed = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        // Configuration and documents are not for the engine: `vectors.rs` of their crates runs these.
        let is_other = |name: &str| name.starts_with("hcl_") || name.starts_with("render_");
        if path.file_name().is_some_and(|name| is_other(&name.to_string_lossy())) {
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
