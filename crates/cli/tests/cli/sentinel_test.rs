//! `objchange sentinel test`.

use std::path::Path;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange};
use crate::schemas::{check, refused, validator};

const POLICY: &str = r#"import "tfplan/v2" as tfplan
import "functions"
param limit default 3

print("the limit is", limit)

// Only few changes
// are allowed.
small = rule { length(tfplan.resource_changes) < limit }
# Nobody looks at it.
unused = rule { true }
main = rule { small and functions.ok(1) }
"#;

const FUNCTIONS: &str = "ok = func(x) {\n\treturn x == 1\n}\n";
const MOCK: &str = "resource_changes = {\n\t\"a\": {\"x\": 1},\n\t\"b\": {\"x\": 2},\n}\n";
const IMPORTS: &str = "module \"functions\" { source = \"../../functions.sentinel\" }\n\
                       mock \"tfplan/v2\" { module { source = \"mock.sentinel\" } }\n";

/// A policy with a test that passes, and files in addition.
fn set(name: &str, files: &[(&str, &str)]) -> Folder {
    let pass = format!("{IMPORTS}test {{ rules = {{ main = true }} }}\n");
    let folder = Folder::with(
        &format!("sentinel-test-{name}"),
        &[
            ("few.sentinel", POLICY),
            ("functions.sentinel", FUNCTIONS),
            ("test/few/mock.sentinel", MOCK),
            ("test/few/pass.hcl", &pass),
        ],
    );
    for (file, text) in files {
        folder.write(file, text);
    }
    folder
}

#[track_caller]
fn test(folder: &Folder, arguments: &[&str]) -> Output {
    let at = folder.at("");
    let arguments = arguments.iter().map(|argument| match argument.strip_prefix('@') {
        Some(file) => folder.at(file).display().to_string(),
        None => (*argument).to_owned(),
    });
    let command = ["sentinel".to_owned(), "test".to_owned()];
    let mut output = objchange(command.into_iter().chain(arguments), "");
    // Make the output independent of the folder.
    let at = at.display().to_string();
    for text in [&mut output.stdout, &mut output.stderr] {
        *text = text.replace(&at, "");
    }
    output
}

fn lines(output: &Output) -> Vec<Value> {
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn all_that_is_expected_passes() {
    let folder = set("pass", &[]);
    for arguments in [["@"], ["@few.sentinel"], ["@test/few"], ["@test/few/pass.hcl"], ["@."]] {
        let output = test(&folder, &arguments);
        assert_eq!(output.code, 0, "{output:?}");
        assert!(output.stdout.ends_with("test/few/pass.hcl\n1 of 1 tests passed\n"), "{output:?}");
        assert_eq!(output.stderr, "");
    }
}

#[test]
fn what_differs_is_shown() {
    let case = format!(
        "{IMPORTS}param \"limit\" {{ value = 2 }}\n\
         test {{ rules = {{ small = true, main = false, missing = 1, unused = \"x\" }} }}\n"
    );
    let folder = set("differs", &[("test/few/fail.hcl", &case)]);
    let output = test(&folder, &["@"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert_eq!(
        output.stdout,
        "failed:  test/few/fail.hcl\n    \
             small: expected true, got false\n        \
                 few.sentinel:9:9\n        \
                 Only few changes\n        \
                 are allowed.\n    \
             missing: the policy has no such rule\n    \
             unused: expected \"x\", got true\n        \
                 few.sentinel:11:10\n        \
                 Nobody looks at it.\n    \
             rules:\n        \
                 main = false (12:8)\n        \
                 small = false (9:9)\n        \
                 unused = true (11:10)\n    \
             printed:\n        \
                 the limit is 2\n\
         passed:  test/few/pass.hcl\n\
         1 of 2 tests passed\n"
    );
}

#[test]
fn without_expectations_the_policy_is_to_be_kept() {
    let folder = set(
        "kept",
        &[
            ("test/few/no-rules.hcl", IMPORTS),
            ("test/few/broken.hcl", &format!("{IMPORTS}param \"limit\" {{ value = 1 }}\n")),
            ("test/few/undefined.json", r#"{"mock": {"tfplan/v2": {"no": 1}, "functions": {"ok": 1}}}"#),
        ],
    );
    let output = test(&folder, &["@", "--json"]);
    let results: Vec<(String, String)> = lines(&output)
        .iter()
        .map(|line| (line["case"].as_str().unwrap().to_owned(), line["outcome"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [
        ("test/few/broken.hcl", "fail"),
        ("test/few/no-rules.hcl", "pass"),
        ("test/few/pass.hcl", "pass"),
        ("test/few/undefined.json", "fail"),
    ];
    assert_eq!(results, expected.map(|(case, result)| (case.to_owned(), result.to_owned())));
    let undefined = &lines(&output)[3]["differences"][0];
    assert_eq!(undefined["got"]["undefined"], json!(true), "{undefined}");
    assert!(undefined["got"]["at"].as_str().unwrap().ends_with("few.sentinel:9:29"), "{undefined}");
}

#[test]
fn a_broken_test_does_not_stop_the_others() {
    let folder = set(
        "broken",
        &[
            (
                "test/few/a-missing.hcl",
                "mock \"tfplan/v2\" {\n  module {\n    source = \"none.sentinel\"\n  }\n}\n",
            ),
            ("test/few/b-configuration.hcl", "test {\n  rules = {\n    main = yes\n"),
            (
                "test/few/c-mock.json",
                r#"{"mock": {"tfplan/v2": "syntax.txt"}, "modules": {"functions": {"path": "syntax.txt"}}}"#,
            ),
            ("test/few/d-import.json", r#"{"mock": {"functions": {"ok": 1}}}"#),
            ("test/few/syntax.txt", "a = [1, 2\nb = )\n"),
            ("test/few/folder.hcl/x", ""),
            ("other.sentinel", "main = = 1\n"),
            ("test/other/x.json", "{}"),
        ],
    );
    let output = test(&folder, &["@"]);
    assert_eq!(output.code, 1, "{output:?}");
    let expected = [
        "failed:  test/few/a-missing.hcl",
        "    test/few/a-missing.hcl:3:14: test/few/none.sentinel cannot be read: No such file or directory (os error 2)",
        "failed:  test/few/b-configuration.hcl",
        "    test/few/b-configuration.hcl:4:1: Missing expression: Expected the start of an expression, but found the end of the file.",
        "failed:  test/few/c-mock.json",
        "    test/few/syntax.txt:2:1: expected , or ] in this list, found b",
        "    test/few/syntax.txt:2:5: expected an expression, found )",
        "failed:  test/few/d-import.json",
        "    few.sentinel:1:23: there is no import tfplan/v2: mock it in the test, or say there which module it is",
        "passed:  test/few/pass.hcl",
        "failed:  test/other/x.json",
        "    other.sentinel:1:8: expected an expression, found =",
        "1 of 6 tests of 2 policies passed",
    ];
    let shown: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(shown, expected);
    // A mock that nobody imports need not be there.
    let unused = format!("{IMPORTS}mock \"tfrun\" {{ module {{ source = \"none.sentinel\" }} }}\n");
    folder.write("test/few/pass.hcl", unused);
    assert_eq!(test(&folder, &["@", "--run", "pass"]).code, 0);
}

#[test]
fn tests_are_chosen_by_name() {
    let folder = set(
        "chosen",
        &[("test/few/fail.json", "{}"), ("a.sentinel", "main = true"), ("test/a/pass.json", "{}")],
    );
    let count = |arguments: &[&str]| {
        let output = test(&folder, &[&["@", "--json"], arguments].concat());
        (output.code, output.stdout.lines().count())
    };
    assert_eq!(count(&[]), (1, 3));
    assert_eq!(count(&["--run", "pass"]), (0, 2));
    assert_eq!(count(&["--run", "few/.*"]), (1, 2));
    assert_eq!(count(&["--run", "few/p", "--run", "a/"]), (0, 2));
    let output = test(&folder, &["@", "--run", "none"]);
    assert_eq!((output.code, output.stderr.as_str()), (2, "error: --run none: no test matches this\n"));
    // One of several is enough.
    let output = test(&folder, &["@", "--run", "pass", "--run", "none"]);
    assert_eq!((output.code, output.stderr.as_str()), (2, "error: --run none: no test matches this\n"));
}

#[test]
fn what_cannot_be_tested_is_said() {
    let folder =
        set("nothing", &[("lonely.sentinel", "main = true"), ("test/few/pass.hcl", ""), ("empty/a", "")]);
    for (argument, message) in [
        (
            "@lonely.sentinel",
            "lonely.sentinel: there are no tests: those of P.sentinel are test/P/*.hcl or test/P/*.json beside it",
        ),
        (
            "@empty",
            "empty: there are no tests: those of P.sentinel are test/P/*.hcl or test/P/*.json beside it",
        ),
        ("@none.sentinel", "none.sentinel: cannot be read: No such file or directory (os error 2)"),
    ] {
        let output = test(&folder, &[argument]);
        assert_eq!((output.code, output.stderr), (2, format!("error: {message}\n")));
    }
    // These tests are run by nobody.
    std::fs::remove_file(folder.at("few.sentinel")).unwrap();
    folder.write("test/lonely/x.json", "{}");
    let output = test(&folder, &["@"]);
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (2, "error: test/few: there is no few.sentinel for these tests\n")
    );
    let output = test(&folder, &["@", "--json", "--junit", "-"]);
    assert_eq!(output.code, 2);
}

#[test]
fn coverage_tells_what_no_test_shows() {
    let folder = set(
        "coverage",
        &[(
            "test/few/more.hcl",
            &format!("{IMPORTS}param \"limit\" {{ value = 1 }}\ntest {{ rules = {{ main = false }} }}"),
        )],
    );
    let output = test(&folder, &["@", "--coverage"]);
    assert_eq!(output.code, 0, "{output:?}");
    let expected = "uncovered: few.sentinel:11:10: unused is evaluated in no test\n\
                    2 of 3 rules were evaluated, 2 of them to all that they can be\n\
                    2 of 2 tests passed\n";
    assert!(output.stdout.ends_with(expected), "{output:?}");
    let output = test(&folder, &["@", "--coverage", "--run", "more"]);
    assert!(output.stdout.contains("uncovered: few.sentinel:9:9: small is never true\n"), "{output:?}");
}

#[test]
fn json_has_the_published_form() {
    let validator = validator("sentinel-test.schema.json");
    let bad = format!("{IMPORTS}test {{ rules = {{ main = false, none = [1] }} }}");
    let folder = set(
        "json",
        &[
            ("test/few/bad.hcl", &bad),
            ("test/few/worse.hcl", "{"),
            ("test/few/undefined.json", r#"{"mock": {"tfplan/v2": {"no": 1}, "functions": {"ok": 1}}}"#),
        ],
    );
    let output = test(&folder, &["@", "--json", "--coverage"]);
    assert_eq!(output.code, 1);
    let lines = lines(&output);
    assert_eq!(lines.len(), 5);
    lines.iter().for_each(|line| check(&validator, line));
    assert_eq!(lines[0]["differences"][0]["expected"], json!(false));
    assert_eq!(
        lines[0]["rules"][0],
        json!({"name": "small", "line": 9, "column": 9, "doc": "Only few changes\nare allowed.", "value": true})
    );
    assert_eq!(lines[3]["errors"][0]["line"], json!(1));
    assert_eq!(lines[4]["coverage"][0]["true"], json!(2));
    refused(&validator, &json!({"policy": "p", "case": "c", "outcome": "maybe"}));
}

#[test]
fn junit_has_a_suite_for_each_policy() {
    let folder = set(
        "junit",
        &[
            ("test/few/fail.json", "{\"test\": {\"main\": 1}}"),
            ("test/few/different.hcl", &format!("{IMPORTS}test {{ rules = {{ main = false }} }}")),
        ],
    );
    let file = folder.at("out.xml").display().to_string();
    let output = test(&folder, &["@", "--junit", &file]);
    assert_eq!(output.code, 1);
    let xml = folder.read("out.xml");
    for part in [
        "tests=\"3\" skipped=\"0\" failures=\"1\" errors=\"1\"",
        "<testcase name=\"few/pass\"",
        "message=\"main: expected false, got true\"",
        "there is no import tfplan/v2",
        "<system-out>the limit is 3</system-out>",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    let output = test(&folder, &["@", "--junit", "-"]);
    assert!(output.stdout.starts_with("<?xml"), "{output:?}");
}

#[test]
fn the_time_is_given() {
    let policy =
        "import \"time\"\nday = rule { time.now.day }\nnanos = rule { time.now.unix_nano }\nmain = true\n";
    let case = r#"{"test": {"day": 31, "nanos": 1769860800000000000}}"#;
    let folder = Folder::with("sentinel-test-time", &[("p.sentinel", policy), ("test/p/x.json", case)]);
    for now in ["2026-01-31T12:00:00Z", "1769860800"] {
        assert_eq!(test(&folder, &["@", "--now", now]).code, 0, "{now}");
    }
    assert_eq!(test(&folder, &["@"]).code, 1);
    let output = test(&folder, &["@", "--now", "tomorrow"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("a time is written like 2026-01-31T12:00:00Z"), "{output:?}");
}

#[test]
fn warnings_are_said_once() {
    let plugin = "import \"plugin\" \"tfresources\" { source = \"./x\" }\n";
    let case = format!("{IMPORTS}{plugin}");
    let folder =
        set("warnings", &[("test/few/a.hcl", &case), ("test/few/b.hcl", &case), ("test/few/c.hcl", &case)]);
    let output = test(&folder, &["@"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(
        output.stderr,
        "warning: test/few/a.hcl:3:1: the plugin tfresources is not run: mock it, or give a module in its place (and 2 times more)\n"
    );
}

#[test]
fn texts_may_have_other_encodings() {
    let utf16 = |text: &str| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let folder = Folder::with("sentinel-test-encodings", &[]);
    folder.write("p.sentinel", utf16("main = rule { \"é\" is \"\\u00e9\" }"));
    folder.write("test/p/a.hcl", utf16("test { rules = { main = true } }"));
    folder.write("test/p/b.json", "\u{feff}{\"test\": {\"main\": true}}");
    let output = test(&folder, &["@"]);
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn hostile_files_are_refused() {
    let deep = "a = ".to_owned() + &"[".repeat(1_000_000);
    let looping = "main = rule { loop() }\nfunc loop() { return loop() }\n";
    let folder = Folder::with(
        "sentinel-test-hostile",
        &[
            ("p.sentinel", "main = true"),
            ("test/p/deep.hcl", &deep),
            ("q.sentinel", looping),
            ("test/q/x.json", "{}"),
            ("test/q/mock.hcl", "mock \"a\" { module { source = \"/dev/zero\" } }"),
        ],
    );
    let output = test(&folder, &["@"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("test/p/deep.hcl:1:205: Nesting too deep: "), "{output:?}");
    assert!(output.stdout.contains("0 of 3 tests of 2 policies passed"), "{output:?}");
    if Path::new("/dev/zero").exists() {
        folder.write("q.sentinel", "import \"a\"\nmain = a.b");
        let output = test(&folder, &["@test/q/mock.hcl"]);
        assert!(output.stdout.contains("/dev/zero: more than 256 MiB, which is too large"), "{output:?}");
    }
}
