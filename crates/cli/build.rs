//! Finds the commit that the program is built from.

use std::fs;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-env-changed=OBJCHANGE_COMMIT");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let head = root.join(".git/HEAD");
    if std::env::var_os("OBJCHANGE_COMMIT").is_some() || !head.is_file() {
        return;
    }
    println!("cargo::rerun-if-changed={}", head.display());
    let head = fs::read_to_string(head).unwrap_or_default();
    let commit = match head.trim().strip_prefix("ref: ") {
        // CI checks out a commit, and `cargo install --git` a branch, with this file.
        None => head.clone(),
        Some(branch) if root.join(".cargo-ok").is_file() => {
            fs::read_to_string(root.join(".git").join(branch)).unwrap_or_default()
        }
        // Whoever works on a branch builds changes that no commit has.
        Some(_) => return,
    };
    let commit = commit.trim();
    if commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        println!("cargo::rustc-env=OBJCHANGE_COMMIT={commit}");
    }
}
