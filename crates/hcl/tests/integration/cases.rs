//! Cases about configuration that fail: wrong answers and invalid cases.

use objchange_case::{Case, Outcome};
use objchange_hcl::OPERATIONS;

#[track_caller]
fn run(case: &str) -> String {
    match Case::parse(case).unwrap().run_by(OPERATIONS) {
        Outcome::Failed(difference) => format!("{} / {}", difference.got, difference.want),
        Outcome::Unusable(error) => error.to_string(),
        outcome => format!("{outcome:?}"),
    }
}

#[test]
fn answers_of_another_sort_are_told() {
    let wants_error = r#"{"errors":[{"range":[1,1,1,2],"summary":"Unknown variable"}]}"#;
    let case = |expr: &str, want: &str| {
        run(&format!(
            r#"{{"op":"expr","expr":"{expr}","variables":{{"s":{{"type":"string","value":{{"$sensitive":"hunter2"}}}}}},"want":{want}}}"#
        ))
    };
    assert_eq!(case("a", wants_error), "Passed");
    assert_eq!(
        case("s", wants_error),
        r#"{"value":{"$sensitive":"(sensitive value)"}} / errors [1:1-1:2: Unknown variable]"#
    );
    assert_eq!(case("a", r#"{"type":"string","value":"b"}"#), "errors [1:1-1:2: Unknown variable] / a value");
    assert_eq!(case("b + c", wants_error), "[1:5-1:6: Unknown variable] / (none)");
    assert_eq!(case("1", r#"{"value":{"type":"number","value":1}}"#), "Passed");
}

#[test]
fn files_are_those_of_the_case() {
    let case = |path: &str, expr: &str, want: &str| {
        run(&format!(
            r#"{{"op":"expr","expr":"{expr}","files":{{"{path}":"hi"}},"want":{{"type":"string","value":{want}}}}}"#
        ))
    };
    assert_eq!(case("sub/a.txt", r#"file(\"sub/a.txt\")"#, r#""hi""#), "Passed");
    for path in ["../a.txt", "/tmp/a.txt", "a/../../b"] {
        assert_eq!(case(path, "1", "1"), "`files`: a path leads out of the directory of the case");
    }
}

#[test]
fn names_are_compared_list_by_list() {
    let case = |want: &str| {
        run(&format!(
            r#"{{"op":"for_each_variables","body":"a = x.y\n","schema":{{"attributes":{{"a":{{"type":"string","optional":true}}}}}},"want":{want}}}"#
        ))
    };
    assert_eq!(case(r#"{"all":["x.y"],"for_each":[]}"#), "Passed");
    assert_eq!(case(r#"{"all":["x.y"],"decode":["x"]}"#), "[x.y] / [x]");
}
