//! The library as C calls it, with the sanitizers of the C compiler. Without a C compiler the test is
//! ignored, and says so.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

const SANITIZERS: &str = "-fsanitize=address,undefined";

fn main() -> ExitCode {
    let folder = env::temp_dir().join(format!("objchange-capi-{}", std::process::id()));
    let has_sanitizers = fs::create_dir_all(&folder).is_ok() && works(&folder, &[SANITIZERS]);
    let has_cbindgen =
        Command::new("cbindgen").arg("--version").output().is_ok_and(|done| done.status.success());
    let has_go = Command::new("go").arg("version").output().is_ok_and(|done| done.status.success());
    let of = folder.clone();
    let trials = vec![
        Trial::test("a_program_in_c", move || Ok(program(&of)?)).with_ignored_flag(!has_sanitizers),
        Trial::test("the_example_in_go", example_in_go).with_ignored_flag(!has_go),
        Trial::test("the_header_is_what_cbindgen_makes", header).with_ignored_flag(!has_cbindgen),
    ];
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    _ = fs::remove_dir_all(folder);
    conclusion.exit_code()
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the library that was built with this test.
fn built() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// Whether a program can be compiled and run with these options.
fn works(folder: &Path, options: &[&str]) -> bool {
    let (source, program) = (folder.join("empty.c"), folder.join("empty"));
    fs::write(&source, "int main(void) { return 0; }\n").is_ok()
        && Command::new("cc")
            .args(options)
            .arg(&source)
            .arg("-o")
            .arg(&program)
            .output()
            .is_ok_and(|done| done.status.success())
        && Command::new(&program).output().is_ok_and(|done| done.status.success())
}

fn run(command: &mut Command) -> Result<(), String> {
    let done = command.output().map_err(|error| error.to_string())?;
    let said = [done.stdout, done.stderr].concat();
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}\n{}", done.status, String::from_utf8_lossy(&said))),
    }
}

fn program(folder: &Path) -> Result<(), String> {
    let program = folder.join("calls");
    let built = built();
    run(Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", SANITIZERS])
        .arg("-fno-sanitize-recover=all")
        .arg("-I")
        .arg(here().join("include"))
        .arg(here().join("tests/larger/calls.c"))
        .arg("-o")
        .arg(&program)
        .arg(built.join("libobjchange_capi.so"))
        .args(["-lpthread"])
        .arg(format!("-Wl,-rpath,{}", built.display())))?;
    run(&mut Command::new(&program))
}

fn example_in_go() -> Result<(), Failed> {
    let built = built();
    let mut command = Command::new("go");
    command.args(["run", "."]).current_dir(here().join("../../examples/go"));
    command.env("CGO_LDFLAGS", format!("-L{0} -Wl,-rpath,{0}", built.display()));
    Ok(run(&mut command)?)
}

fn header() -> Result<(), Failed> {
    let mut command = Command::new("cbindgen");
    command.arg("--verify").arg("--config").arg(here().join("cbindgen.toml"));
    command.arg("--output").arg(here().join("include/objchange.h")).arg(here());
    Ok(run(&mut command)?)
}
