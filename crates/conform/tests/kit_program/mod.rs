//! The kit's provider as a program, for the tests of other crates: cargo tells only those of this crate where it is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The program `terraform-provider-kit`, which is built where it is not there yet.
pub(crate) fn kit() -> &'static str {
    static KIT: OnceLock<PathBuf> = OnceLock::new();
    let kit = KIT.get_or_init(|| {
        // A test program is in the folder `deps` beside the programs.
        let tests = std::env::current_exe().unwrap();
        let programs = tests.ancestors().nth(2).unwrap();
        let kit = programs.join(format!("terraform-provider-kit{}", std::env::consts::EXE_SUFFIX));
        if !kit.exists() {
            let arguments = ["build", "--workspace", "--bin", "terraform-provider-kit", "--offline"];
            let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            let built = Command::new(env!("CARGO")).args(arguments).current_dir(workspace).status();
            assert!(built.unwrap().success());
        }
        kit
    });
    kit.to_str().unwrap()
}
