//! Running the program as a user does.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The output of the program.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The folder that the program is run in.
pub(crate) fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program with these arguments and this standard input.
#[track_caller]
pub(crate) fn objchange<A: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = A>,
    input: impl AsRef<[u8]>,
) -> Output {
    objchange_with(&[], arguments, input)
}

/// Runs the program with these variables in its environment.
#[track_caller]
pub(crate) fn objchange_with<A: AsRef<OsStr>>(
    variables: &[(&str, &str)],
    arguments: impl IntoIterator<Item = A>,
    input: impl AsRef<[u8]>,
) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(arguments)
        // Not what this user has cached.
        .env("OBJCHANGE_CACHE_DIR", "")
        // Nor what this user has selected for Terraform.
        .env_remove("TF_WORKSPACE")
        .env_remove("TF_DATA_DIR")
        // Nor the commit for which these tests run.
        .env_remove("GITHUB_SHA")
        .env_remove("CI_COMMIT_SHA")
        .env_remove("BUILD_SOURCEVERSION")
        .env_remove("BITBUCKET_COMMIT")
        .envs(variables.iter().copied())
        .current_dir(workspace())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    // The program may end before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Output {
        code: output.status.code().expect("the program was not ended by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
