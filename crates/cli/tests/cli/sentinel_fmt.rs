//! `objchange sentinel fmt`.

use std::fs;

use crate::folder::Folder;
use crate::program::{Output, objchange};

const ODD: &str = "main=rule{true}";
const FORM: &str = "main = rule { true }\n";

/// Writes a file, and says where it is.
fn write(folder: &Folder, name: &str, bytes: impl AsRef<[u8]>) -> String {
    folder.write(name, bytes);
    folder.at(name).display().to_string()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}

#[track_caller]
fn fmt(arguments: &[&str], input: &str) -> Output {
    objchange(["sentinel", "fmt"].iter().chain(arguments), input)
}

#[cfg(unix)]
#[test]
fn links_out_of_a_folder_are_refused() {
    let folder = Folder::with("sentinel-fmt-links", &[]);
    write(&folder, "in/a.sentinel", FORM);
    let odd = write(&folder, "out/b.sentinel", ODD);
    let inside = folder.at("in");
    std::os::unix::fs::symlink(folder.at("out"), inside.join("link")).unwrap();
    for command in ["fmt", "check"] {
        let output = objchange(["sentinel", command, &inside.display().to_string()], "");
        assert_eq!(output.code, 2, "{}", output.stderr);
        assert!(output.stderr.contains("this link leaves the folder"), "{}", output.stderr);
    }
    assert_eq!(fs::read_to_string(odd).unwrap(), ODD);
}

#[test]
fn files_of_folders_are_rewritten_and_those_that_changed_are_listed() {
    let folder = Folder::with("sentinel-fmt-rewritten", &[]);
    let odd = write(&folder, "a.sentinel", ODD);
    write(&folder, "b.sentinel", FORM);
    let deep = write(&folder, "test/a/mock.sentinel", "a={1:2}\r\n");
    let other = write(&folder, "a.rego", ODD);
    let hidden = write(&folder, ".cache/c.sentinel", ODD);
    let output = fmt(&[&folder.0.display().to_string()], "");
    assert_eq!((output.code, output.stdout), (0, format!("{odd}\n{deep}\n")), "{}", output.stderr);
    assert_eq!((read(&odd), read(&deep)), (FORM.to_owned(), "a = {1: 2}\n".to_owned()));
    assert_eq!((read(&other), read(&hidden)), (ODD.to_owned(), ODD.to_owned()));
    let again = fmt(&[&folder.0.display().to_string(), "--check"], "");
    assert_eq!((again.code, &*again.stdout), (0, ""));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 5, "nothing is left behind");
}

#[test]
fn a_check_writes_nothing() {
    let folder = Folder::with("sentinel-fmt-check", &[]);
    let odd = write(&folder, "a.sentinel", ODD);
    let output = fmt(&["--check", "--diff", &odd], "");
    assert_eq!(output.code, 1);
    assert_eq!(
        output.stdout,
        format!("{odd}\n--- {odd}\n+++ {odd}\n@@ -1 +1 @@\n-main=rule{{true}}\n+main = rule {{ true }}\n")
    );
    assert_eq!(read(&odd), ODD);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let output = fmt(&["-"], ODD);
    assert_eq!((output.code, &*output.stdout), (0, FORM));
    let output = fmt(&["-", "--check"], ODD);
    assert_eq!((output.code, &*output.stdout), (1, ""));
    let output = fmt(&["-", "--diff"], "a=\"\u{1b}[31m\"");
    assert_eq!(
        output.stdout,
        "--- (stdin)\n+++ (stdin)\n@@ -1 +1 @@\n-a=\"\\x1b[31m\"\n+a = \"\\x1b[31m\"\n"
    );
    assert_eq!(fmt(&["-", "-"], "").code, 2);
}

#[test]
fn a_text_with_errors_is_left_alone() {
    let folder = Folder::with("sentinel-fmt-errors", &[]);
    let bad = write(&folder, "a.sentinel", "a  = ]\nb = [1\nc = 1");
    let odd = write(&folder, "b.sentinel", ODD);
    let output = fmt(&[&folder.0.display().to_string()], "");
    assert_eq!((output.code, output.stdout), (2, format!("{odd}\n")));
    assert_eq!(read(&bad), "a  = ]\nb = [1\nc = 1");
    for part in
        ["expected an expression, found ]", "a  = ]", "a.sentinel:1:6", "expected , or ] in this list"]
    {
        assert!(output.stderr.contains(part), "{part} is not in {}", output.stderr);
    }
}

#[test]
fn every_encoding_becomes_utf8() {
    let folder = Folder::with("sentinel-fmt-encoding", &[]);
    let utf16: Vec<u8> = "\u{feff}a = \"é\"\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = write(&folder, "a.sentinel", utf16);
    let marked = write(&folder, "b.sentinel", "\u{feff}a = 1\n");
    let output = fmt(&[&folder.0.display().to_string()], "");
    assert_eq!((output.code, output.stdout), (0, format!("{wide}\n{marked}\n")));
    assert_eq!((read(&wide), read(&marked)), ("a = \"é\"\n".to_owned(), "a = 1\n".to_owned()));
    let broken = write(&folder, "c.sentinel", b"a = \"\xff\"");
    let output = fmt(&[&broken], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("neither UTF-8 nor UTF-16"), "{}", output.stderr);
}

#[test]
fn what_is_not_there_is_said() {
    let folder = Folder::with("sentinel-fmt-empty", &[]);
    let output = fmt(&[&folder.0.display().to_string()], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("no file in it is called *.sentinel"), "{}", output.stderr);
    assert_eq!(fmt(&["there/is/none.sentinel"], "").code, 2);
}
