//! `objchange sentinel fmt`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{Output, objchange};

const ODD: &str = "main=rule{true}";
const FORM: &str = "main = rule { true }\n";

/// A folder that is gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("objchange-sentinel-fmt-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

#[track_caller]
fn fmt(arguments: &[&str], input: &str) -> Output {
    objchange(["sentinel", "fmt"].iter().chain(arguments), input)
}

#[test]
fn files_of_folders_are_rewritten_and_those_that_changed_are_listed() {
    let folder = Folder::new("rewritten");
    let odd = folder.write("a.sentinel", ODD);
    folder.write("b.sentinel", FORM);
    let deep = folder.write("test/a/mock.sentinel", "a={1:2}\r\n");
    let other = folder.write("a.rego", ODD);
    let hidden = folder.write(".cache/c.sentinel", ODD);
    let output = fmt(&[&folder.path()], "");
    assert_eq!((output.code, output.stdout), (0, format!("{odd}\n{deep}\n")), "{}", output.stderr);
    assert_eq!((read(&odd), read(&deep)), (FORM.to_owned(), "a = {1: 2}\n".to_owned()));
    assert_eq!((read(&other), read(&hidden)), (ODD.to_owned(), ODD.to_owned()));
    let again = fmt(&[&folder.path(), "--check"], "");
    assert_eq!((again.code, &*again.stdout), (0, ""));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 5, "nothing is left behind");
}

#[test]
fn a_check_writes_nothing() {
    let folder = Folder::new("check");
    let odd = folder.write("a.sentinel", ODD);
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
    let folder = Folder::new("errors");
    let bad = folder.write("a.sentinel", "a  = ]\nb = [1\nc = 1");
    let odd = folder.write("b.sentinel", ODD);
    let output = fmt(&[&folder.path()], "");
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
    let folder = Folder::new("encoding");
    let utf16: Vec<u8> = "\u{feff}a = \"é\"\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = folder.write("a.sentinel", utf16);
    let marked = folder.write("b.sentinel", "\u{feff}a = 1\n");
    let output = fmt(&[&folder.path()], "");
    assert_eq!((output.code, output.stdout), (0, format!("{wide}\n{marked}\n")));
    assert_eq!((read(&wide), read(&marked)), ("a = \"é\"\n".to_owned(), "a = 1\n".to_owned()));
    let broken = folder.write("c.sentinel", b"a = \"\xff\"");
    let output = fmt(&[&broken], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("neither UTF-8 nor UTF-16"), "{}", output.stderr);
}

#[test]
fn what_is_not_there_is_said() {
    let folder = Folder::new("empty");
    let output = fmt(&[&folder.path()], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("no file in it is called *.sentinel"), "{}", output.stderr);
    assert_eq!(fmt(&["there/is/none.sentinel"], "").code, 2);
}
