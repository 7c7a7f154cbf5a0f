//! Calls of functions with what Terraform answers.
//!
//! Each line of the files in `tests/larger/console` is an expression and the JSON of a list of its value, with a tab between
//! them; in `tests/larger/console_types` it is the type of the value. Where the program is installed, `terraform console` is
//! asked again; with `UPDATE_CONSOLE=1` its answers are written down. Without it those tests are ignored.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use libtest_mimic::Trial;

use crate::rsa;
use objchange_hcl::{BaseDirectory, Functions, Scope, Variables, console_type, evaluate, parse_expression};

pub(crate) const FAILED: &str = "(fails)";
const UNKNOWN: &str = "(unknown)";

/// The files for the file functions.
const FILES: [(&str, &[u8]); 5] = [
    ("hello.txt", b"hello\n"),
    ("bad.bin", b"\xff"),
    (".hidden", b"h"),
    ("sub/a.txt", b"x"),
    ("sub/deep/b.txt", b"y"),
];

pub(crate) fn trials() -> Vec<Trial> {
    let version =
        Command::new("terraform").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_absent = !version.is_ok_and(|status| status.success());
    let tests: [(&str, fn(), bool); 4] = [
        ("the_types_are_those_of_terraform", the_types_are_those_of_terraform, false),
        ("the_answers_are_those_of_terraform", the_answers_are_those_of_terraform, false),
        ("terraform_still_gives_these_answers", terraform_still_gives_these_answers, is_absent),
        ("generated_expressions_have_the_answers_of_terraform", generated_expressions, is_absent),
    ];
    let trial = |(name, test, is_ignored): (&str, fn(), bool)| {
        let test = move || {
            test();
            Ok(())
        };
        Trial::test(format!("console::{name}"), test).with_ignored_flag(is_ignored)
    };
    tests.map(trial).into()
}

/// Each table of a folder with its expressions and what was answered to them.
fn tables(folder: &str) -> Vec<(PathBuf, Vec<(String, String)>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/larger").join(folder);
    let mut tables: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
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

fn terraform_still_gives_these_answers() {
    let place = Place::new();
    for (path, rows) in tables("console") {
        let expressions: Vec<&str> = rows.iter().map(|(expression, _)| expression.as_str()).collect();
        let Some(answers) = place.terraform(&expressions) else {
            panic!("terraform is installed and does not start")
        };
        record(&path, &expressions, answers);
    }
    let (expressions, wanted): (Vec<String>, Vec<String>) = rsa::calls().into_iter().unzip();
    let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
    assert_eq!(place.terraform(&expressions), Some(wanted));
    for (path, rows) in tables("console_types") {
        let expressions: Vec<&str> = rows.iter().map(|(expression, _)| expression.as_str()).collect();
        let Some(answers) = place.types(&expressions) else {
            panic!("terraform is installed and does not start")
        };
        record(&path, &expressions, answers);
    }
}

/// Checks what is written down, or writes it.
fn record(path: &Path, expressions: &[&str], answers: Vec<String>) {
    let lines =
        std::iter::zip(expressions, answers).map(|(expression, answer)| format!("{expression}\t{answer}\n"));
    let table: String = lines.collect();
    if std::env::var_os("UPDATE_CONSOLE").is_some() {
        std::fs::write(path, table).unwrap();
    } else {
        assert_eq!(std::fs::read_to_string(path).unwrap(), table, "{}", path.display());
    }
}

fn the_types_are_those_of_terraform() {
    for (expression, wanted) in tables("console_types").into_iter().flat_map(|(_, rows)| rows) {
        let parsed = parse_expression(&or_failed(&expression)).unwrap();
        let (value, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
        assert_eq!(errors, [], "{expression}");
        assert_eq!(in_one_line(&console_type(&value)), wanted, "{expression}");
    }
}

fn or_failed(expression: &str) -> String {
    format!("try({expression}, {FAILED:?})")
}

fn in_one_line(text: &str) -> String {
    text.lines().map(str::trim).collect()
}

fn the_answers_are_those_of_terraform() {
    let place = Place::new();
    let functions = Functions::pure().clone().with_files(&BaseDirectory::open(place.files()).unwrap());
    let mut differences = Vec::new();
    let rows = tables("console").into_iter().flat_map(|(_, rows)| rows);
    for (expression, wanted) in rows.chain(rsa::calls()) {
        let answer = answer(&expression, &functions);
        if answer != wanted {
            differences.push(format!("{expression}\n  terraform {wanted}\n  here      {answer}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

/// Well-formed expressions; about half fail to evaluate. `k` and `x` are defined, see [`in_a_loop`].
///
/// Some things differ between the versions that may be installed (1.11 against 1.16), so they are not made: an error or
/// a null in an operand of `&&` or `||`, and an untyped null for `contains` and `format`.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "k",
        "x",
        "1",
        "0",
        "7.5",
        "1e3",
        "true",
        "false",
        "null",
        "\"\"",
        "\"ab\"",
        "\"12\"",
        "\"true\"",
        "\"é\"",
        "[]",
        "{}",
        "[1, 2]",
        "[\"a\", 2]",
        "{a = 1, b = \"x\"}",
        "tolist([\"b\", \"a\"])",
        "toset([\"b\", \"a\"])",
        "tomap({k = 1})",
        "[{a = 1}, {a = 2}]",
        "tolist([])",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 20, 3, |inner| {
        let operators = ["+", "-", "*", "/", "%", "==", "!=", "<", ">="];
        let of_one = [
            "length", "upper", "tostring", "tonumber", "tobool", "tolist", "toset", "tomap", "keys", "values",
            "reverse", "sort", "distinct", "flatten", "jsonencode", "abs", "floor", "one", "sum", "compact",
            "transpose", "title", "trimspace", "yamlencode", "md5", "base64encode", "range",
        ];
        let of_two = [
            "concat", "merge", "element", "lookup", "join", "split", "coalesce", "setunion",
            "setproduct", "zipmap", "max", "min", "chunklist", "index", "startswith", "trimprefix",
            "indent", "pow", "parseint", "regexall", "setsubtract", "coalescelist",
        ];
        let (a, b, c) = (inner.clone(), inner.clone(), inner);
        let two = (a.clone(), b.clone());
        prop_oneof![
            4 => (a.clone(), prop::sample::select(operators.to_vec()), b.clone())
                .prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
            3 => (a.clone(), b.clone(), c).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            3 => (prop::sample::select(of_one.to_vec()), a.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            3 => (prop::sample::select(of_two.to_vec()), two.clone())
                .prop_map(|(f, (a, b))| format!("{f}({a}, {b})")),
            2 => two.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            2 => two.clone().prop_map(|(a, b)| format!("[{a}, {b}]")),
            1 => (a.clone(), prop::sample::select(vec!["&&", "||"]), b.clone())
                .prop_map(|(a, operator, b)| format!("(can({a}) {operator} can({b}))")),
            1 => two.clone().prop_map(|(a, b)| format!("{{({a}) = {b}, b = {a}}}")),
            1 => two.clone().prop_map(|(a, b)| format!("[for k, x in {a} : {b} if x != null]")),
            1 => two.clone().prop_map(|(a, b)| format!("{{for k, x in {a} : k => {b}}}")),
            1 => two.clone().prop_map(|(a, b)| format!("{{for x in {a} : x => {b}...}}")),
            1 => two.clone().prop_map(|(a, b)| format!("\"a${{{a}}}%{{ if {b} }}y%{{ else }}${{{b}}}%{{ endif }}\"")),
            1 => two.prop_map(|(a, b)| format!("\"%{{ for x in {a} ~}} ${{{b}}},%{{ endfor }}\"")),
            1 => a.clone().prop_map(|a| format!("max({a}...)")),
            1 => a.clone().prop_map(|a| format!("!({a})")),
            1 => a.clone().prop_map(|a| format!("-({a})")),
            1 => a.clone().prop_map(|a| format!("({a})[*]")),
            1 => a.clone().prop_map(|a| format!("({a}).*.a")),
            1 => a.clone().prop_map(|a| format!("can({a})")),
            1 => a.prop_map(|a| format!("try({a}, 9)")),
        ]
    })
}

/// The expression where `k` and `x` have values.
fn in_a_loop(expression: &str) -> String {
    format!("[for k, x in {{a = 1, b = [\"y\"]}} : {expression}]")
}

/// How many expressions are made: few, as Terraform is not quick; `GENERATED=5000` is for changes to evaluation.
fn generated() -> Vec<String> {
    let count = std::env::var("GENERATED").map_or(300, |count| count.parse().unwrap());
    let mut runner = TestRunner::deterministic();
    let strategy = expression();
    (0..count).map(|_| in_a_loop(&strategy.new_tree(&mut runner).unwrap().current())).collect()
}

fn generated_expressions() {
    let place = Place::new();
    let expressions = generated();
    let questions: Vec<&str> = expressions.iter().map(String::as_str).collect();
    let Some(answers) = place.terraform(&questions) else {
        panic!("terraform is installed and does not start")
    };
    let failed = answers.iter().filter(|answer| *answer == FAILED).count();
    assert!(failed * 5 < answers.len() * 4, "nearly all fail, so they show little");
    let differences: Vec<String> = std::iter::zip(&expressions, answers)
        .filter_map(|(expression, wanted)| {
            let answer = answer(expression, Functions::pure());
            // Zero has no sign here.
            let wanted = ["]", ",", "}", "\""]
                .iter()
                .fold(wanted, |answer, end| answer.replace(&format!("-0{end}"), &format!("0{end}")));
            (answer != wanted).then(|| format!("{expression}\n  terraform {wanted}\n  here      {answer}"))
        })
        .collect();
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

/// The JSON of what an expression gives here.
fn answer(expression: &str, functions: &Functions) -> String {
    let parsed = parse_expression(&format!("jsonencode([{expression}])")).unwrap();
    let (value, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), functions);
    match errors.is_empty() {
        true => value.as_str().unwrap_or(UNKNOWN).to_owned(),
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

    /// The JSON of what each expression gives in Terraform; `None` if it is not installed.
    fn terraform(&self, expressions: &[&str]) -> Option<Vec<String>> {
        // The program reads no line of more than 64 KiB.
        let parts = expressions.chunk_by({
            let mut length = 0;
            move |before, _| {
                length += before.len() + 40;
                let fits = length < 50_000;
                length *= usize::from(fits);
                fits
            }
        });
        parts.map(|part| self.ask(part)).collect::<Option<Vec<_>>>().map(|answers| answers.concat())
    }

    /// The type of what each expression gives in Terraform, in one line; `None` if it is not installed.
    fn types(&self, expressions: &[&str]) -> Option<Vec<String>> {
        let each: Vec<String> = expressions.iter().map(|expression| or_failed(expression)).collect();
        let output = self.run(&format!("type([{}])", each.join(", ")))?;
        let shown = String::from_utf8(output.stdout).unwrap();
        let inside = shown.trim().strip_prefix("tuple([\n").and_then(|rest| rest.strip_suffix("\n])"));
        let inside = inside.unwrap_or_else(|| panic!("{shown}\n{}", String::from_utf8_lossy(&output.stderr)));
        // An element ends with the comma that is not a deeper than its beginning.
        let lines: Vec<&str> = inside.lines().map(|line| line.strip_prefix("    ").unwrap()).collect();
        let elements = lines.split_inclusive(|line| line.ends_with(',') && !line.starts_with(' '));
        let elements = elements.map(|lines| in_one_line(&lines.join("\n")));
        Some(elements.map(|element| element.strip_suffix(',').unwrap().to_owned()).collect())
    }

    /// Runs one line in `terraform console`.
    fn run(&self, line: &str) -> Option<Output> {
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
        let mut input = program.stdin.take().unwrap();
        writeln!(input, "{line}").unwrap();
        drop(input);
        Some(program.wait_with_output().unwrap())
    }

    /// Like [`Self::terraform`], all in one line.
    fn ask(&self, expressions: &[&str]) -> Option<Vec<String>> {
        // The program shows the answer to its last line only, so all questions are one.
        let each: Vec<String> =
            expressions.iter().map(|e| or_failed(&format!("jsonencode([{e}])"))).collect();
        let output = self.run(&format!("jsonencode([{}])", each.join(", ")))?;
        let shown = String::from_utf8(output.stdout).unwrap();
        // One that is unknown makes all of them unknown.
        if shown.trim() == "(known after apply)" {
            let (some, others) = expressions.split_at(expressions.len() / 2);
            return match some.is_empty() {
                true => Some(vec![UNKNOWN.to_owned()]),
                false => Some([self.ask(some)?, self.ask(others)?].concat()),
            };
        }
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
