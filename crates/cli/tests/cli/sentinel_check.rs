//! `objchange sentinel check`.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange, workspace};

const SCHEMAS: &str = r#"{
  "format_version": "1.0",
  "provider_schemas": {"registry.terraform.io/hashicorp/aws": {
    "resource_schemas": {
      "aws_instance": {"version": 1, "block": {
        "attributes": {
          "instance_type": {"type": "string", "optional": true},
          "cpu_count": {"type": "number", "optional": true},
          "tags": {"type": ["map", "string"], "optional": true},
          "groups": {"type": ["set", "string"], "optional": true}
        },
        "block_types": {
          "root_block_device": {"nesting_mode": "list", "max_items": 1, "block": {
            "attributes": {"encrypted": {"type": "bool", "optional": true}}
          }}
        }
      }},
      "aws_s3_bucket": {"version": 0, "block": {
        "attributes": {"bucket": {"type": "string", "optional": true}},
        "block_types": {
          "versioning": {"nesting_mode": "list", "block": {"attributes": {"enabled": {"type": "bool", "optional": true}}}}
        }
      }}
    },
    "data_source_schemas": {
      "aws_ami": {"version": 0, "block": {"attributes": {"owners": {"type": ["list", "string"], "optional": true}}}}
    }
  }}
}"#;

#[track_caller]
fn check(arguments: &[&str], input: &str) -> Output {
    objchange(["sentinel", "check"].iter().chain(arguments), input)
}

/// The findings in a text, as `line:column kind message; help`.
#[track_caller]
fn findings(text: &str, arguments: &[&str]) -> Vec<String> {
    let output = check(&[&["--json", "-"], arguments].concat(), text);
    assert!(output.stderr.is_empty(), "{}", output.stderr);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let help = line["details"].as_str().map(|help| format!("; {help}")).unwrap_or_default();
        format!(
            "{}:{} {} {}{help}",
            line["line"],
            line["column"],
            text(&line["kind"]),
            text(&line["message"])
        )
    };
    output.stdout.lines().map(line).collect()
}

#[test]
fn each_finding_is_shown_with_its_lines() {
    let output = check(&["-"], "import \"json\"\nmain = rule { length([1]) is \"1\" }\n");
    assert_eq!(output.code, 1);
    for part in [
        "warning[unused-import]: the import json is not used",
        "error[unlike-comparison]: a number is never equal to a string",
        "(stdin):2:15",
        "main = rule { length([1]) is \"1\" }",
        "help: write the number without quotes",
        "1 file: 1 error, 1 warning",
    ] {
        assert!(output.stdout.contains(part), "{part} is not in {}", output.stdout);
    }
}

#[test]
fn what_fails_is_chosen() {
    let code = |text: &str, on: &str| check(&["-", "--fail-on", on], text).code;
    let (clean, warning, error) = ("main = true", "import \"json\"\nmain = true", "main = missing");
    assert_eq!([code(clean, "warning"), code(warning, "warning"), code(error, "warning")], [0, 1, 1]);
    assert_eq!([code(clean, "error"), code(warning, "error"), code(error, "error")], [0, 0, 1]);
    assert_eq!(code(error, "never"), 0);
    assert_eq!(check(&["there/is/none.sentinel"], "").code, 2);
    assert_eq!(check(&["-", "--json", "--sarif", "-"], "").code, 2);
    assert_eq!(check(&["-", "--schema", "-"], "").code, 2);
}

#[test]
fn a_text_that_cannot_be_read_has_all_its_errors() {
    let found = findings("a = ]\nb = [1\nc = 1", &[]);
    assert_eq!(
        found,
        [
            "1:5 syntax-error expected an expression, found ]",
            "3:1 syntax-error expected , or ] in this list, found c"
        ]
    );
}

#[test]
fn fields_of_the_imports_are_known() {
    let policy = r#"
import "tfplan/v2" as tfplan
import "tfstate/v2" as tfstate
import "tfconfig/v2" as tfconfig
import "tfrun"
a = filter tfplan.resource_changes as _, rc { rc.chnage.actions contains "create" }
b = filter tfplan.resource_changes as _, rc { rc.change.actions is "create" }
c = any tfstate.resources as _, r { r.values.anything.else_.at_all or r.change is null }
d = tfplan.ressources
e = any tfconfig.resources as _, r { r.config.tags.constant_value is "x" and r.expressions is {} }
f = tfconfig.strip_index(tfplan.planned_values.resources["x"].adress)
g = tfrun.whatever.it.is
h = rule { all tfplan.resource_changes as address, rc { rc.change.after.tags.Name is not null and rc.index is 0 } }
i = any tfplan.output_changes as name, o { o.change.before is 1 and o.change.sensitive }
for tfplan.resource_changes as _, rc { for rc.change.actions as action { print(action) } }
for tfplan.resource_changes as _, rc { for rc.change.after.items as item { print(item) } }
"#;
    let expected = [
        "6:49 unknown-member a change of a resource has no chnage; did you mean change?",
        "7:47 unlike-comparison a list is never equal to a string; write `contains`, or compare it with a list",
        "8:72 unknown-member a resource has no change",
        "9:11 unknown-member the import tfplan/v2 has no ressources",
        "10:79 unknown-member the configuration of a resource has no expressions",
        "11:62 unknown-member a resource has no adress; did you mean address?",
        "14:77 unknown-member the change of an output has no sensitive",
        "16:44 loop-over-undefined what this loop goes over may be undefined, which is an error; write `else []` behind it, or ask before whether it `is defined`",
    ];
    assert_eq!(findings(policy, &[]), expected);
}

#[test]
fn attributes_that_no_resource_has_are_found() {
    let folder = Folder::with("check-schemas", &[("schemas.json", SCHEMAS)]);
    let schemas = folder.at("schemas.json").display().to_string();
    let policy = r#"
import "tfplan/v2" as tfplan
import "tfstate/v2" as tfstate
import "tfconfig/v2" as tfconfig
instances = filter tfplan.resource_changes as _, rc {
	rc.type is "aws_instance" and rc.mode is "managed"
}
a = all instances as _, i { i.change.after.instance_tpye is "x" and i.change.before.bucket is "x" }
b = all instances as _, i { i.change.after.cpu_count is "4" and i.change.after.groups contains 5 }
c = all instances as _, i { i.change.after.root_block_device.encrypted or i.change.after.root_block_device[0].encypted }
d = all instances as _, i { i.change.after.tags.anything is "x" and i.change.after_unknown.anything }
e = any tfplan.resource_changes as _, rc { rc.change.after.versioning[0].enabled or rc.change.after.versoning }
f = any tfplan.resource_changes as _, rc { rc.type is "other_thing" and rc.change.after.whatever }
g = any tfstate.resources as _, r { r.type in ["aws_ami", "aws_s3_bucket"] and r.values.instance_type }
h = any tfconfig.resources as _, r { r.type is "aws_instance" and (r.config.tags is {} or r.config.tagz is {}) }
"#;
    let expected = [
        "8:43 unknown-member aws_instance has no instance_tpye; did you mean instance_type?",
        "8:84 unknown-member aws_instance has no bucket",
        "9:29 unlike-comparison a number or null is never equal to a string",
        "9:65 unlike-comparison this list has a string or null in it, which is never equal to a number",
        "10:61 unknown-member a list has no encrypted: this is always undefined; [0] is its first element",
        "10:110 unknown-member root_block_device of aws_instance has no encypted; did you mean encrypted?",
        "12:100 unknown-member no resource type of the schemas has versoning; did you mean versioning?",
        "14:88 unknown-member aws_ami or aws_s3_bucket has no instance_type",
        "15:99 unknown-member aws_instance has no tagz; did you mean tags?",
    ];
    assert_eq!(findings(policy, &["--schema", &schemas]), expected);
    assert!(findings(policy, &[]).is_empty(), "nothing is known without schemas");
}

#[test]
fn a_configuration_says_what_is_what() {
    let configuration = r#"
policy "a" { source = "a.sentinel" }
policy "b" { source = "b.sentinel" }
import "module" "functions" { source = "lib/functions.sentinel" }
mock "tfplan/v2" { module { source = "mock.sentinel" } }
global "region" { value = "eu" }
"#;
    let folder = Folder::with(
        "check-set",
        &[
            ("sentinel.hcl", configuration),
            (
                "a.sentinel",
                "import \"tfplan/v2\" as p\nimport \"functions\"\nmain = p.odd is region and functions.f(1)\n",
            ),
            ("b.sentinel", "x = 1\n"),
            ("lib/functions.sentinel", "f = func(a) { return typo }\n"),
        ],
    );
    let set = folder.at("sentinel.hcl").display().to_string();
    let output = check(&[&set, &folder.0.display().to_string(), "--json"], "");
    let found: Vec<(String, String)> = output
        .stdout
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let file = line["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            (file, format!("{}:{} {}", line["line"], line["column"], line["kind"].as_str().unwrap()))
        })
        .collect();
    let expected = [
        ("b.sentinel", "1:1 unused-variable"),
        ("b.sentinel", "1:1 no-main"),
        ("functions.sentinel", "1:10 unused-parameter"),
        ("functions.sentinel", "1:22 undefined-name"),
    ];
    assert_eq!(found, expected.map(|(file, found)| (file.to_owned(), found.to_owned())), "{}", output.stderr);
    assert_eq!(output.code, 1);
    folder.write("sentinel.hcl", "policy {");
    assert_eq!(check(&[&set], "").code, 2);
}

#[test]
fn reports_have_their_form() {
    let text = "import \"json\"\nmain = rule { length([1]) is \"1\" }\n";
    let schema = std::fs::read_to_string(workspace().join("schema/sentinel-check.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let output = check(&["-", "--json"], text);
    for line in output.stdout.lines() {
        assert!(validator.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
    }
    assert_eq!(output.stdout.lines().count(), 2);
    let output = check(&["-", "--sarif", "-"], text);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let run = &report["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 2);
    let result = &run["results"][1];
    assert_eq!(result["ruleId"], "unlike-comparison");
    assert_eq!(
        run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize]["id"],
        "unlike-comparison"
    );
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"],
        json!({"startLine": 2, "startColumn": 15})
    );
    assert!(result.get("relatedLocations").is_none());
}
