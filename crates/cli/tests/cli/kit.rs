//! The provider of the kit, as a program: another crate's, so that cargo does not say where it is.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::program::workspace;

/// The program `terraform-provider-kit`, which is built where it is not there yet.
pub(crate) fn kit() -> &'static str {
    static KIT: OnceLock<PathBuf> = OnceLock::new();
    let kit = KIT.get_or_init(|| {
        let kit = PathBuf::from(env!("CARGO_BIN_EXE_objchange"))
            .with_file_name(format!("terraform-provider-kit{}", std::env::consts::EXE_SUFFIX));
        if !kit.exists() {
            let arguments = ["build", "--workspace", "--bin", "terraform-provider-kit", "--offline"];
            let built = Command::new(env!("CARGO")).args(arguments).current_dir(workspace()).status();
            assert!(built.unwrap().success());
        }
        kit
    });
    kit.to_str().unwrap()
}
