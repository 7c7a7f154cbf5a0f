//! A bare pass of `serde_json` over a file: the yardstick for how fast a document is shown.
//!
//! ```sh
//! cargo run --release -p objchange-plan --example large_plan -- target/large
//! cargo build --release -p objchange-plan --example bare_pass
//! time target/release/examples/bare_pass target/large/plan.json
//! time objchange show target/large/plan.json --schemas target/large/schemas.json > target/large/plan.txt
//! ```

use std::io::{Error, ErrorKind};

use serde::de::IgnoredAny;

fn main() -> std::io::Result<()> {
    let Some(file) = std::env::args_os().nth(1) else {
        return Err(Error::new(ErrorKind::InvalidInput, "name a file"));
    };
    let bytes = std::fs::read(file)?;
    let IgnoredAny = serde_json::from_slice(&bytes)?;
    Ok(())
}
