//! `objchange check`.

use std::fmt::Write;

use crate::program::{Output, objchange};

const PASSES: &str = r#"{"id":"passes","op":"action_for_change","type":"string","before":null,"after":"a","want":{"action":"create"}}"#;
const FAILS: &str = r#"{"id":"fails","op":"proposed_new","schema":{"attributes":{"size":{"type":"number","optional":true}}},"prior":null,"config":{"size":1},"want":{"value":{"size":2}}}"#;

#[track_caller]
fn check(input: impl AsRef<[u8]>, code: i32, stdout: &str) -> Output {
    let output = objchange(["check", "-"], input);
    assert_eq!(output.stdout, stdout, "{}", output.stderr);
    assert_eq!(output.code, code);
    output
}

#[test]
fn passing_cases_are_counted() {
    let output = check(format!("{PASSES}\n\n{PASSES}"), 0, "2 passed, 0 failed\n");
    assert_eq!(output.stderr, "", "progress is for terminals");
}

#[test]
fn a_failure_shows_where_and_what() {
    check(
        format!("{PASSES}\n{FAILS}\n"),
        1,
        "FAIL (stdin):2  fails  proposed_new\n  at size\n    got:  1\n    want: 2\n1 passed, 1 failed\n",
    );
}

#[test]
fn a_malformed_case_does_not_end_the_run() {
    let truncated = &FAILS[..60];
    check(
        format!("{PASSES}\n{truncated}\n{PASSES}\n"),
        1,
        "FAIL (stdin):2:60\n  this case cannot be run: the text ends too early: is it cut off?\n2 passed, 1 failed\n",
    );
    check(
        FAILS.replace(r#""size":1"#, r#""size":[]"#),
        1,
        "FAIL (stdin):1:132  fails  proposed_new\n  this case cannot be run: \
         `config`: size: a number is expected here, not an array\n0 passed, 1 failed\n",
    );
    check(
        r#"{"id":"new","op":"divine","want":{}}"#,
        1,
        "FAIL (stdin):1  new  divine\n  unknown operation: objchange does not know what this asks for\n\
         0 passed, 1 failed\n",
    );
}

#[test]
fn every_encoding_is_read() {
    let text = format!("{PASSES}\n");
    check(format!("\u{feff}{text}"), 0, "1 passed, 0 failed\n");
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    check(utf16, 0, "1 passed, 0 failed\n");
    let mut broken = text.clone().into_bytes();
    broken.extend(b"\xff\n");
    check(
        broken,
        1,
        "FAIL (stdin):2:1\n  this case cannot be run: this is not valid text in UTF-8 or UTF-16\n\
         1 passed, 1 failed\n",
    );
}

#[test]
fn what_is_no_case_file_is_refused() {
    let output = check("resource \"a\" \"b\" {\n}\n", 2, "0 passed, 0 failed\n");
    assert_eq!(
        output.stderr,
        "error: (stdin):1:1: this is not a case file, which has a JSON object on each line: a JSON value is expected here\n"
    );
    let output = check("", 2, "0 passed, 0 failed\n");
    assert!(output.stderr.ends_with("it is empty\n"), "{}", output.stderr);
    let output = objchange(["check", "no-such-file"], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.starts_with("error: no-such-file: "), "{}", output.stderr);
    assert_eq!(objchange(["check", "-", "-"], "").code, 2);
    assert_eq!(objchange(["check"], "").code, 2);
}

#[test]
fn failures_come_in_the_order_of_the_input() {
    let mut input = String::new();
    for i in 0..2_000 {
        writeln!(input, "{}", FAILS.replace(r#""fails""#, &i.to_string())).unwrap();
    }
    let output = objchange(["check", "-"], &input);
    let ids: Vec<&str> = output
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("FAIL "))
        .map(|line| line.split_whitespace().nth(1).unwrap())
        .collect();
    assert_eq!(ids, (0..2_000).map(|i| i.to_string()).collect::<Vec<_>>());
    assert!(output.stdout.ends_with("0 passed, 2000 failed\n"));
}

#[test]
fn sensitive_content_is_not_shown() {
    let case = |got: &str, want: &str| {
        format!(
            r#"{{"op":"proposed_new","schema":{{"attributes":{{"a":{{"type":"dynamic","optional":true}}}}}},"prior":null,"config":{{"a":{got}}},"want":{want}}}"#
        )
    };
    let secret = r#"{"$sensitive":{"type":["map","string"],"value":{"hunter1":"hunter2"}}}"#;
    let other = r#"{"$sensitive":{"type":["map","string"],"value":{"hunter3":"hunter4"}}}"#;
    let input = [
        case(secret, &format!(r#"{{"value":{{"a":{other}}}}}"#)),
        case(secret, r#"{"value":null}"#),
        case("null", &format!(r#"{{"value":{{"a":{secret}}}}}"#)),
        case(secret, &format!(r#"{{"errors":[{{"path":[{{"index":{secret}}}],"kind":"x"}}]}}"#)),
    ]
    .join("\n");
    for format in [&["check", "-"][..], &["check", "--json", "-"], &["check", "--junit", "-", "-"]] {
        let output = objchange(format, &input);
        assert_eq!(output.code, 1);
        assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
        assert!(!output.stderr.contains("hunter"), "{}", output.stderr);
        assert!(output.stdout.contains("(sensitive value)"), "{}", output.stdout);
    }
}

#[test]
fn junit_reports_hold_what_xml_can_hold() {
    // Characters that XML forbids, in all that comes from a case.
    let odd = "\u{fffe}\u{ffff}\u{b}\u{1b}[31m\u{9b}]]>&<\u{1fffe}\u{202e}\u{0}";
    let text = serde_json::to_string(odd).unwrap();
    let failing = FAILS.replace(r#""id":""#, &format!(r#""id":"{}"#, &text[1..text.len() - 1]));
    let cases = [
        failing.as_str(),
        &format!(r#"{{"op":{text},"id":{text}}}"#),
        &format!(r#"{{"op":"coerce_value","schema":{{}},"id":{text},{text}:1}}"#),
        &format!(
            r#"{{"op":"action_for_change","before":{text},"after":{text},"type":"string","want":{text}}}"#
        ),
        odd,
    ];
    let output = objchange(["check", "--junit", "-", "-"], cases.join("\n"));
    assert_eq!(output.code, 1);
    let is_xml =
        |c: char| matches!(c, '\n' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..='\u{1fffd}');
    assert_eq!(output.stdout.chars().find(|c| !is_xml(*c)), None, "{}", output.stdout);
    assert!(output.stdout.contains(r"\ufffe\uffff\v"), "{}", output.stdout);
}

#[test]
fn junit_reports_name_every_case() {
    let output = objchange(["check", "--junit", "-", "-"], format!("{PASSES}\n{FAILS}\n"));
    assert_eq!(output.code, 1);
    assert!(output.stdout.starts_with("<?xml"), "{}", output.stdout);
    for part in [
        r#"<testsuite name="(stdin)" tests="2" skipped="0" failures="1" errors="0">"#,
        r#"<testcase name="passes" classname="action_for_change""#,
        r#"<failure message="at size: the answers differ" type="different">got:  1"#,
    ] {
        assert!(output.stdout.contains(part), "{part} is missing in {}", output.stdout);
    }
    assert_eq!(objchange(["check", "--json", "--junit", "-", "-"], PASSES).code, 2);
}

#[test]
fn colours_are_for_terminals() {
    let output = objchange(["check", "-"], FAILS);
    assert!(!output.stdout.contains('\u{1b}'));
}

const VIOLATES: &str = r#"{"id":"violates","op":"assert_plan_valid","schema":{"attributes":{"size":{"type":"number","required":true}}},"prior":null,"config":{"size":1},"planned":{"size":2},"want":{"errors":[]}}"#;

#[test]
fn a_violation_is_explained() {
    check(
        VIOLATES,
        1,
        "FAIL (stdin):1  violates  assert_plan_valid\n  the answers differ\n    got:  [size: not_config]\n    \
         want: (none)\n    size: the planned value (2) is not the configured one (1)\n0 passed, 1 failed\n",
    );
    let output = objchange(["check", "--json", "-"], VIOLATES);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        report["failures"][0]["explained"],
        serde_json::json!(["size: the planned value (2) is not the configured one (1)"])
    );
    let output = objchange(["check", "--junit", "-", "-"], VIOLATES);
    assert!(output.stdout.contains("is not the configured one (1)</failure>"), "{}", output.stdout);
}

#[test]
fn an_explanation_shows_nothing_sensitive() {
    let secret = VIOLATES
        .replace(r#""required":true"#, r#""required":true,"sensitive":true"#)
        .replace(r#"{"size":1}"#, r#"{"size":8675301}"#)
        .replace(r#"{"size":2}"#, r#"{"size":8675302}"#);
    let marked = VIOLATES
        .replace(r#"{"size":1}"#, r#"{"size":{"$sensitive":8675303}}"#)
        .replace(r#"{"size":2}"#, r#"{"size":{"$sensitive":8675304}}"#);
    for case in [secret, marked] {
        for format in [&["check", "-"][..], &["check", "--json", "-"], &["check", "--junit", "-", "-"]] {
            let output = objchange(format, &case);
            assert_eq!(output.code, 1);
            assert!(output.stdout.contains("not_config"), "{}", output.stdout);
            assert!(!output.stdout.contains("867530"), "{}", output.stdout);
        }
    }
}

#[test]
fn misspelt_names_are_malformed() {
    let wants =
        |kind: &str| VIOLATES.replace("[]", &format!(r#"[{{"path":[{{"attr":"size"}}],"kind":"{kind}"}}]"#));
    check(wants("not_config"), 0, "1 passed, 0 failed\n");
    for (case, message) in [
        (
            wants("not_confg"),
            r#"`want`: this operation reports no errors of kind "not_confg"; did you mean `not_config`?"#,
        ),
        (wants("zebra"), r#"`want`: this operation reports no errors of kind "zebra""#),
        (
            VIOLATES.replace(r#""planned""#, r#""planed""#),
            "`planed`: there is no such field; did you mean `planned`?",
        ),
        (PASSES.replace(r#""after""#, r#""Aftr""#), "`Aftr`: there is no such field; did you mean `after`?"),
    ] {
        let output = objchange(["check", "-"], &case);
        assert_eq!(output.code, 1);
        let line = format!("\n  this case cannot be run: {message}\n");
        assert!(output.stdout.contains(&line), "{}", output.stdout);
    }
    let output = objchange(["check", "-"], r#"{"op":"propose_new","want":{}}"#);
    assert!(output.stdout.contains("asks for; did you mean `proposed_new`?\n"), "{}", output.stdout);
}

#[test]
fn fields_for_readers_are_ignored() {
    for field in ["note", "notes", "because", "before2", "link"] {
        let case = PASSES.replacen('{', &format!(r#"{{"{field}":["anything"],"#), 1);
        check(case, 0, "1 passed, 0 failed\n");
    }
}

#[test]
fn any_number_of_fields_is_ignored() {
    let mut fields: String = (0..50_000).map(|i| format!(r#""reader {i}":0,"#)).collect();
    write!(fields, r#""{}":0,"#, "long".repeat(250_000)).unwrap();
    check(PASSES.replacen('{', &format!("{{{fields}"), 1), 0, "1 passed, 0 failed\n");
}

#[test]
fn a_whole_schema_entry_is_a_schema() {
    let entry = |case: &str| {
        case.replace(r#""schema":"#, r#""schema":{"version":3,"block":"#)
            .replace(r#","prior""#, r#"},"prior""#)
    };
    check(
        entry(VIOLATES).replace("[]", r#"[{"path":[{"attr":"size"}],"kind":"not_config"}]"#),
        0,
        "1 passed, 0 failed\n",
    );
    let output = objchange(["check", "-"], entry(VIOLATES).replace("\"number\"", "\"numbr\""));
    assert!(output.stdout.starts_with("FAIL (stdin):1:"), "{}", output.stdout);
    assert!(output.stdout.contains("`schema`: "), "{}", output.stdout);
}

#[test]
fn only_some_cases_are_run() {
    let input = format!("{PASSES}\n{FAILS}\n{VIOLATES}\n");
    for (globs, code, last) in [
        (&["pass*"][..], 0, "1 passed, 0 failed"),
        (&["*s"], 1, "1 passed, 2 failed"),
        (&["f?ils", "passes"], 1, "1 passed, 1 failed"),
        (&["*"], 1, "1 passed, 2 failed"),
        (&["pass"], 2, "0 passed, 0 failed"),
        (&["PASS*"], 2, "0 passed, 0 failed"),
    ] {
        let only = globs.iter().flat_map(|glob| ["--only", glob]);
        let output = objchange(["check", "-"].into_iter().chain(only), &input);
        assert_eq!(output.code, code, "{globs:?}");
        assert_eq!(output.stdout.lines().last(), Some(last), "{globs:?}");
    }
    let output = objchange(["check", "-", "--only", "a", "--junit", "-"], &input);
    assert_eq!(output.stdout.matches("testcase name=").count(), 1, "{}", output.stdout);
    assert!(output.stdout.contains(r#"type="not_judged""#), "{}", output.stdout);
    assert_eq!(output.stderr, "error: --only a: no case id matches\n");
}

/// A case file of its own for a test.
fn case_file(name: &str, content: &str) -> std::path::PathBuf {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path
}

#[test]
fn answers_are_blessed_and_nothing_else_changes() {
    let odd = FAILS
        .replace("\"op\"", "  \"note\" : [1.50, \"\\u00e9\"],\t\"op\"")
        .replace("\"want\":", "\"want\" : ");
    let render = r#"{"op":"render_state","schemas":{"format_version":"1.0"},"state":{"format_version":"1.0"},"want":{}}"#;
    let before = format!(
        "\u{feff}{odd} \r\n\n{PASSES}\n{VIOLATES}\n{render}\n{{\"op\":\"divine\",\"want\":{{}}}}\n{FAILS}"
    );
    let path = case_file("bless.jsonl", &before);
    let bless = |extra: &[&str]| {
        let path = path.to_str().unwrap();
        objchange(["check", "--bless", path].iter().chain(extra), "")
    };
    let output = bless(&["--only", "violates"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("got:  [size: not_config]"), "{}", output.stdout);
    let violation = VIOLATES.replace("[]", r#"[{"path":[{"attr":"size"}],"kind":"not_config"}]"#);
    let after = before.replace(VIOLATES, &violation);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), after);

    let output = bless(&[]);
    assert_eq!(output.code, 1, "one of them has no answer: {}", output.stdout);
    let text = r#"{"text":"The state file is empty. No resources are represented.\n"}"#;
    let after = after.replace(r#"{"value":{"size":2}}"#, r#"{"value":{"size":1}}"#);
    let after = after.replace(render, &render.replace(r#""want":{}"#, &format!(r#""want":{text}"#)));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
    assert!(bless(&[]).stdout.ends_with("5 passed, 1 failed\n"));
}

#[test]
fn only_files_are_blessed() {
    let output = objchange(["check", "--bless", "-"], FAILS);
    assert_eq!(output.code, 2);
    assert_eq!(output.stderr, "error: --bless changes files and cannot be used with standard input (-)\n");
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain(FAILS.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let path = case_file("bless-utf16.jsonl", "");
    std::fs::write(&path, &utf16).unwrap();
    let output = objchange(["check", "--bless", path.to_str().unwrap()], "");
    assert_eq!(output.code, 1);
    assert!(output.stderr.ends_with("only UTF-8 files can be changed\n"), "{}", output.stderr);
    assert_eq!(std::fs::read(&path).unwrap(), utf16);
}
