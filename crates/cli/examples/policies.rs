//! Writes 150 Sentinel policies into a folder, such as people have many of: each looks for the resources of a type that
//! are created or updated, and at a few attributes of what it finds. A tenth of them finds what the example `large_plan`
//! of `objchange-plan` holds.
//!
//! ```sh
//! cargo run --release -p objchange-plan --example large_plan -- target/large
//! cargo run --release -p objchange-cli --example policies -- target/policies
//! time objchange sentinel apply target/policies --plan target/large/plan.json
//! ```

use std::path::PathBuf;

const COUNT: usize = 150;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "target/policies".into()));
    std::fs::create_dir_all(&folder)?;
    for i in 0..COUNT {
        let kind = if i % 10 == 0 { "bench_thing".to_owned() } else { format!("aws_thing_{i}") };
        std::fs::write(folder.join(format!("policy-{i:03}.sentinel")), policy(&kind, 1 + i % 19))?;
    }
    Ok(())
}

fn policy(kind: &str, attribute: usize) -> String {
    format!(
        "import \"tfplan/v2\" as tfplan\n\n\
         things = filter tfplan.resource_changes as _, rc {{\n\
         \trc.mode is \"managed\" and\n\
         \t\trc.type is \"{kind}\" and\n\
         \t\t(rc.change.actions contains \"create\" or rc.change.actions is [\"update\"])\n\
         }}\n\n\
         # Each has a name of its own.\n\
         named = rule {{\n\
         \tall things as _, rc {{\n\
         \t\trc.change.after.attr_{attribute:02} is not \"never\" and rc.change.after.attr_20 >= 0\n\
         \t}}\n\
         }}\n\n\
         tagged = rule {{ all things as _, rc {{ rc.change.after.attr_28.key0 is not \"\" }} }}\n\n\
         main = rule {{ named and tagged }}\n"
    )
}
