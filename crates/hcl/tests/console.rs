//! Calls of functions with what Terraform answers.
//!
//! Each line of the files in `tests/console` is an expression and the JSON of a list of its value, with a tab between
//! them. Where the program is installed, `terraform console` is asked again; with `UPDATE_CONSOLE=1` its answers are
//! written down.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use objchange_hcl::{BaseDirectory, Functions, Scope, Variables, evaluate, parse_expression};

const FAILED: &str = "(fails)";

/// What the file functions find.
const FILES: [(&str, &[u8]); 5] = [
    ("hello.txt", b"hello\n"),
    ("bad.bin", b"\xff"),
    (".hidden", b"h"),
    ("sub/a.txt", b"x"),
    ("sub/deep/b.txt", b"y"),
];

/// Each table with its expressions and what was answered to them.
fn tables() -> Vec<(PathBuf, Vec<(String, String)>)> {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/console");
    let mut tables: Vec<PathBuf> =
        std::fs::read_dir(tables).unwrap().map(|file| file.unwrap().path()).collect();
    tables.sort();
    let row = |line: &str| {
        let (expression, answer) = line.split_once('\t').unwrap_or((line, ""));
        (expression.to_owned(), answer.to_owned())
    };
    let rows = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().map(row).collect();
    tables
        .into_iter()
        .map(|path| {
            let rows = rows(&path);
            (path, rows)
        })
        .collect()
}

#[test]
fn terraform_still_gives_these_answers() {
    let place = Place::new();
    for (path, rows) in tables() {
        let expressions: Vec<&str> = rows.iter().map(|(expression, _)| expression.as_str()).collect();
        let Some(answers) = place.terraform(&expressions) else { return };
        let lines = std::iter::zip(&expressions, answers)
            .map(|(expression, answer)| format!("{expression}\t{answer}\n"));
        let table: String = lines.collect();
        if std::env::var_os("UPDATE_CONSOLE").is_some() {
            std::fs::write(&path, table).unwrap();
        } else {
            assert_eq!(std::fs::read_to_string(&path).unwrap(), table, "{}", path.display());
        }
    }
}

#[test]
fn the_answers_are_those_of_terraform() {
    let place = Place::new();
    let functions = Functions::pure().clone().with_files(&BaseDirectory::open(place.files()).unwrap());
    let mut differences = Vec::new();
    for (expression, wanted) in tables().into_iter().flat_map(|(_, rows)| rows) {
        let answer = answer(&expression, &functions);
        if answer != wanted {
            differences.push(format!("{expression}\n  terraform {wanted}\n  here      {answer}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

/// The JSON of what an expression gives here.
fn answer(expression: &str, functions: &Functions) -> String {
    let parsed = parse_expression(&format!("jsonencode([{expression}])")).unwrap();
    let (value, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), functions);
    match errors.is_empty() {
        true => value.as_str().unwrap_or("(unknown)").to_owned(),
        false => FAILED.to_owned(),
    }
}

/// A directory with files, and one for what the program writes.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        let name = format!("objchange-console-{}-{:?}", std::process::id(), std::thread::current().id());
        let place = Self(std::env::temp_dir().join(name));
        for (path, content) in FILES {
            let path = place.files().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("sub", place.files().join("link")).unwrap();
        std::fs::write(place.0.join("settings"), "").unwrap();
        place
    }

    fn files(&self) -> PathBuf {
        self.0.join("files")
    }

    fn path(&self, name: &str) -> impl AsRef<Path> {
        self.0.join(name)
    }

    /// The JSON of what each expression gives in Terraform; `None` where it is not installed.
    fn terraform(&self, expressions: &[&str]) -> Option<Vec<String>> {
        let program = Command::new("terraform")
            .arg("console")
            .arg("-state")
            .arg(self.path("state").as_ref())
            .current_dir(self.files())
            .env("TF_CLI_CONFIG_FILE", self.path("settings").as_ref())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut program) = program else { return None };
        // The program shows the answer to its last line only, so all questions are one.
        let each: Vec<String> =
            expressions.iter().map(|e| format!("try(jsonencode([{e}]), {FAILED:?})")).collect();
        let mut input = program.stdin.take().unwrap();
        writeln!(input, "jsonencode([{}])", each.join(", ")).unwrap();
        drop(input);
        let output = program.wait_with_output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let shown = shown.trim().replace("$${", "${").replace("%%{", "%{");
        let text: String = serde_json::from_str(&shown)
            .unwrap_or_else(|_| panic!("{shown}\n{}", String::from_utf8_lossy(&output.stderr)));
        Some(serde_json::from_str(&text).unwrap())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
