//! Configuration as JSON, beside `hcl2json`.

use objchange_hcl::as_json;
use serde_json::Value;

/// The answers are those of `@cdktf/hcl2json` 0.21, which contains `hcl2json`.
#[test]
fn configuration_becomes_the_json_of_hcl2json() {
    let mut wrong = Vec::new();
    for line in include_str!("hcl2json.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = format!("{}\n", case["hcl"].as_str().unwrap());
        let found: Value = serde_json::from_str(&as_json(&text).unwrap()).unwrap();
        if found != case["json"] {
            wrong.push(format!("{line}\n    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn blocks_that_have_no_place_in_json_are_refused() {
    for text in ["a \"b\" {}\na {}\n", "a {}\na \"b\" {}\n", "a = 1\na {}\n"] {
        let errors = as_json(text).unwrap_err();
        assert_eq!(errors[0].summary, "Block not possible in JSON", "{text}");
    }
}
