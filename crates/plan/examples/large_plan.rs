//! Writes a plan of 15,000 resources, about 60 MB, and its schemas into a folder.
//!
//! ```sh
//! cargo run --release -p objchange-plan --example large_plan -- target/large
//! time objchange show target/large/plan.json --schemas target/large/schemas.json > target/large/plan.txt
//! ```

#[expect(dead_code, reason = "shared with the benches")]
#[path = "../benches/documents/mod.rs"]
mod documents;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "target/large".into()));
    let large = documents::plan("large", 15_000, |i| match i % 10 {
        0..=5 => "update",
        6 | 7 => "create",
        8 => "delete",
        _ => "no-op",
    });
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("plan.json"), large.plan)?;
    std::fs::write(folder.join("schemas.json"), large.schemas)
}
