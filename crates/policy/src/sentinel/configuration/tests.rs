use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::{Configuration, ImportSource, Level};

#[track_caller]
fn read(name: &str, text: &str) -> Configuration {
    Configuration::parse(Path::new(name), text).unwrap_or_else(|problem| panic!("{problem}"))
}

#[track_caller]
fn refused(name: &str, text: &str, expected: &str) {
    let problem =
        Configuration::parse(Path::new(name), text).expect_err("this should be refused").to_string();
    assert_eq!(problem, expected);
}

fn path(given: Option<&ImportSource>) -> String {
    match given {
        Some(ImportSource::Module(source) | ImportSource::Static(source)) => match source.path() {
            Ok(path) => path.display().to_string(),
            Err(problem) => problem.to_string(),
        },
        other => panic!("{other:?} is no file"),
    }
}

#[test]
fn blocks_mean_what_they_say() {
    let configuration = read(
        "set/sentinel.hcl",
        r#"
# a comment
sentinel { features = { apply-all = true } }
policy "low" { source = "./policies/low.sentinel" }  // another
policy "high" {
  enforcement_level = "hard-mandatory"
  params = { limit = 10, names: ["a", "b",] }
}
import "module" "functions" { source = "../functions.sentinel" }
module "older" { source = "older.sentinel" }
import "static" "people" {
  source = "people.json"
  format = "json"
}
mock "tfplan/v2" {
  module { source = "mocks/plan.sentinel" }
}
mock "time" { data = { now = { "day" = 1.5, nothing = null
  yes = true } } }
global "a" { value = "${not} \"a\" \u00e9 template" }
param "limit" { value = -5 }
param "text" {
  value = <<-EOT
      two
        lines
    EOT
}
/* test
   rules */
test {
  rules = {
    main = true
    count = 0x
  }
}
"#
        .replace("0x", "0")
        .as_str(),
    );
    assert!(configuration.warnings.is_empty(), "{:?}", configuration.warnings);
    let [low, high] = &configuration.policies[..] else { panic!("{:?}", configuration.policies) };
    assert_eq!((low.name.as_str(), low.level), ("low", Level::Advisory));
    assert_eq!(low.source.path().unwrap(), Path::new("set/./policies/low.sentinel"));
    assert_eq!((high.name.as_str(), high.level), ("high", Level::HardMandatory));
    assert_eq!(high.source.path().unwrap(), Path::new("set/high.sentinel"));
    let params = configuration.params_of(Some(high));
    assert_eq!(json!(params), json!({"limit": 10, "names": ["a", "b"], "text": "two\n  lines\n"}));
    assert_eq!(json!(configuration.params_of(Some(low)))["limit"], json!(-5));
    assert_eq!(path(configuration.source_of("functions")), "set/../functions.sentinel");
    assert_eq!(path(configuration.source_of("older")), "set/older.sentinel");
    assert_eq!(path(configuration.source_of("people")), "set/people.json");
    assert_eq!(path(configuration.source_of("tfplan/v2")), "set/mocks/plan.sentinel");
    let Some(ImportSource::Data(data)) = configuration.source_of("time") else { panic!() };
    assert_eq!(**data, json!({"now": {"day": 1.5, "nothing": null, "yes": true}}));
    assert_eq!(configuration.globals["a"], json!("${not} \"a\" é template"));
    let rules = [("main".to_owned(), json!(true)), ("count".to_owned(), json!(0))];
    assert_eq!(configuration.rules.as_deref(), Some(&rules[..]));
}

#[test]
fn json_is_read_in_both_forms() {
    let older = read(
        "t/case.json",
        r#"{"mock": {"tfplan": "plan.sentinel", "time": {"now": {"hour": 3}}, "d": {"data": 5}},
            "modules": {"functions": {"path": "f.sentinel"}}, "param": {"a": 1, "b": {"c": 2}},
            "global": {"g": [true]}, "test": {"main": false, "other": "x\ud83d\ude00\/"}}"#,
    );
    let newer = read(
        "t/case.json",
        r#"{"mock": {"tfplan": {"module": {"source": "plan.sentinel"}}, "time": {"data": {"now": {"hour": 3}}}, "d": {"data": {"data": 5}}},
            "import": {"module": {"functions": {"source": "f.sentinel"}}},
            "param": [{"a": {"value": 1}}, {"b": {"value": {"c": 2}}}],
            "global": {"g": {"value": [true]}}, "test": {"rules": {"main": false, "other": "x😀/"}}}"#,
    );
    for configuration in [older, newer] {
        assert!(configuration.warnings.is_empty(), "{:?}", configuration.warnings);
        assert_eq!(path(configuration.source_of("tfplan")), "t/plan.sentinel");
        assert_eq!(path(configuration.source_of("functions")), "t/f.sentinel");
        let Some(ImportSource::Data(data)) = configuration.source_of("time") else { panic!() };
        assert_eq!(**data, json!({"now": {"hour": 3}}));
        let Some(ImportSource::Data(data)) = configuration.source_of("d") else { panic!() };
        assert_eq!(**data, json!({"data": 5}));
        assert_eq!(json!(configuration.params), json!({"a": 1, "b": {"c": 2}}));
        assert_eq!(json!(configuration.globals), json!({"g": [true]}));
        let rules = [("main".to_owned(), json!(false)), ("other".to_owned(), json!("x😀/"))];
        assert_eq!(configuration.rules.as_deref(), Some(&rules[..]));
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let configuration = read(
        "c.hcl",
        "version = \"v2\"\npolicy_set \"all\" { policies = [] }\nimport \"plugin\" \"x\" {\n  source = \"./x\"\n}\n\
         mock \"m\" {\n  module {\n    source = \"a\"\n  }\n}\n",
    );
    let warnings: Vec<String> = configuration.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "c.hcl:1:1: the attribute version has no effect here",
            "c.hcl:2:1: the block policy_set has no effect here; those that have are policy, import, module, mock, \
             global, param, test and sentinel",
            "c.hcl:3:1: the plugin x is not run: mock it, or give a module in its place",
        ]
    );
}

#[test]
fn errors_say_where_and_what_to_do() {
    refused(
        "c.hcl",
        "policy \"a\" {\n  enforcement_level = \"hard\"\n}",
        "c.hcl:2:23: enforcement_level is advisory, soft-mandatory or hard-mandatory, not hard",
    );
    refused(
        "c.hcl",
        "policy \"a\" {\n  enforcement = \"hard-mandatory\"\n}",
        "c.hcl:2:3: policy has no attribute enforcement; it has description, source, enforcement_level, params",
    );
    refused(
        "c.hcl",
        "mock \"m\" {\n  module {\n    source = \"a\"\n    sauce = 1\n  }\n}",
        "c.hcl:4:5: module has no attribute sauce; it has source",
    );
    refused(
        "c.hcl",
        "policy \"a\" {}\npolicy \"a\" {}",
        "c.hcl:2:1: there is another policy a above: rename one of them",
    );
    refused(
        "c.hcl",
        "mock \"a\" {}",
        "c.hcl:1:1: the mock a says nothing: write module { source = \"FILE\" } or data = { … } in it",
    );
    refused("c.hcl", "mock {}", "c.hcl:1:1: write mock \"NAME\" { … }: 0 labels are given");
    refused("c.hcl", "param \"a\" { default = 1 }", "c.hcl:1:1: param a has no value: write value = …");
    refused(
        "c.hcl",
        "import \"module\" \"a\" { }",
        "c.hcl:1:1: this module has no source: write source = \"FILE\" in it",
    );
    refused(
        "c.hcl",
        "import \"statics\" \"a\" { }",
        "c.hcl:1:1: an import is a module, static or a plugin, not statics",
    );
    refused("c.hcl", "test { rules = true }", "c.hcl:1:16: rules is an object in braces, not a bool");
    // Errors of the HCL parser keep their text.
    refused(
        "c.hcl",
        "test { rules = { main = yes } }",
        "c.hcl:1:25: Value not written out: Expected a string in quotes, a number, true, false, null, a list or an \
         object, found yes.",
    );
    refused(
        "c.hcl",
        "\n test {",
        "c.hcl:2:7: Unclosed configuration block: There is no closing brace for this block before the end of the file. \
         This may be caused by incorrect brace nesting elsewhere in this file.",
    );
    refused(
        "c.hcl",
        "param \"a\" { value = 1e999 }",
        "c.hcl:1:21: 1e999 is no number that a policy can have",
    );
    refused("c.json", "{\"mock\": {", "c.json:1:11: the text ends too early: is it cut off?");
    refused("c.json", "[]", "c.json:1:1: expected an object, found an array");
    refused("c.json", "{\"mock\": 1}", "c.json:1:10: mock is an object, not a number");
    refused("c.json", "{\"mock\": {\"a\": 1}}", "c.json:1:16: expected an object, found a number");
    let remote = read("c.hcl", "module \"a\" {\n  source = \"https://example.com/a.sentinel\"\n}");
    assert_eq!(
        path(remote.source_of("a")),
        "c.hcl:2:12: this source is not on this machine, and nothing is fetched: download it, and write its path here"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Values of JSON are read exactly.
    #[test]
    fn values_of_json_are_read_as_they_are(value in value()) {
        let text = json!({"param": {"a": {"value": value}}}).to_string();
        prop_assert_eq!(&read("c.json", &text).params["a"], &value);
        // HCL reads the value in JSON form, too, except for template markers and two escapes.
        let text = format!("param \"a\" {{\n value = {value}\n}}").replace("${", "$${").replace("%{", "%%{");
        let text = text.replace("\\b", "\\u0008").replace("\\f", "\\u000c");
        prop_assert_eq!(&read("c.hcl", &text).params["a"], &value);
    }

    #[test]
    fn no_text_makes_it_panic(text in "([a-z\"{}\\[\\]=,:#/*<>\\\\$ \n-]|policy|mock|test|<<E\n|\\PC){0,60}") {
        let _ = Configuration::parse(Path::new("c.hcl"), &text);
        let _ = Configuration::parse(Path::new("c.json"), &text);
    }
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|bool| json!(bool)),
        any::<i64>().prop_map(|int| json!(int)),
        any::<f64>().prop_map(|float| json!(float)),
        "[a-zé→😀$%{}\n\t\u{8}\u{c}]{0,6}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            prop::collection::btree_map("[a-zé→😀\"]{0,4}", inner, 0..4).prop_map(|members| json!(members)),
        ]
    })
}
