//! `objchange query`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::program::{Output, objchange};

const API: &str = "examples/fleet/api.json";
const FLEET: &str = "examples/fleet";

fn query(arguments: &[&str], input: &str) -> Output {
    objchange(["query"].iter().chain(arguments), input)
}

const OPEN: &str = "warning: whether the expression holds is unknown until apply: ";

/// Asks for keys. Items that are undecided until apply may be listed on standard error.
#[track_caller]
fn keys(plan: &str, expression: &str) -> Vec<String> {
    let output = query(&[plan, expression, "--output", "keys"], "");
    assert!(output.stderr.lines().all(|line| line.starts_with(OPEN)), "{expression}: {}", output.stderr);
    let none = if output.stderr.is_empty() { 1 } else { 3 };
    assert_eq!(output.code, if output.stdout.is_empty() { none } else { 0 }, "{expression}");
    output.stdout.lines().map(str::to_owned).collect()
}

/// A folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("query").join(name);
    _ = fs::remove_dir_all(&folder);
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn example(name: &str) -> String {
    fs::read_to_string(crate::program::workspace().join(FLEET).join(name)).unwrap()
}

/// The plan as `terraform show -json` prints it: in one line.
fn one_line(name: &str) -> String {
    serde_json::from_str::<Value>(&example(name)).unwrap().to_string()
}

const FOO_A: &str = r#"module.foo["a"].aws_instance.this"#;
const FOO_B: &str = r#"module.foo["b"].aws_instance.this"#;
const DISK: &str = r#"module.foo["b"].module.disk.aws_ebs_volume.data[0]"#;

#[test]
fn what_the_documentation_of_the_collections_asks() {
    let instances = r#"rc.mode == "managed" && rc.type == "aws_instance""#;
    assert_eq!(keys(API, instances), [FOO_A, FOO_B]);
    let created = format!(r#"{instances} && in_module(rc, "module.foo") && rc.change.actions == ["create"]"#);
    assert_eq!(keys(API, &created), [FOO_A, FOO_B]);
    assert_eq!(keys(API, &format!(r#"{created} && unknown(rc, "ami")"#)), [FOO_B]);
    let as_policies_ask =
        format!(r#"{created} && has(rc.change.after_unknown.ami) && rc.change.after_unknown.ami"#);
    assert_eq!(keys(API, &as_policies_ask), [FOO_B]);
    let version = r#"!semver(plan.terraform_version, ">= 0.12.19")"#;
    let output = query(&[FLEET, version, "--output", "keys"], "");
    assert_eq!(output.stdout, "examples/fleet/old.json: null_resource.seed\n");
    let numbers = r#"plan.terraform_version.split(".").map(part, int(part))"#;
    let output = query(&[API, "true", "--select", numbers], "");
    assert_eq!(output.stdout.lines().next(), Some("[1,9,8]"));
    let groups = query(&[FLEET, r#"rc.change.actions != ["no-op"]"#, "--group-by", "rc.change.actions"], "");
    let expected =
        "3  [\"create\"]\n2  [\"update\"]\n1  [\"delete\",\"create\"]\n1  [\"delete\"]\n1  [\"read\"]\n";
    assert_eq!((groups.code, groups.stdout.as_str()), (0, expected));
}

#[test]
fn every_function_answers() {
    let main = "aws_db_instance.main";
    for (expression, expected) in [
        (r#"unknown(rc, "id")"#, &[FOO_A, FOO_B, DISK][..]),
        (r#"unknown(rc, "tags.Owner")"#, &[]),
        (r#"changed(rc, "tags.Owner") && rc.change.before != null"#, &[main]),
        (r#"changed(rc, "id") && replaced(rc)"#, &[DISK]),
        (r#"changed(rc, "bucket")"#, &[]),
        (r#"changed(rc, "tags.Nobody")"#, &[]),
        (r#"old(rc, "tags.Owner") == "ann""#, &[main]),
        (r#"old(rc, "size") == 100 && new(rc, "encrypted")"#, &[DISK]),
        (r#"new(rc, "bucket") == null && rc.type == "aws_instance""#, &[FOO_A, FOO_B]),
        (r#"sensitive(rc, "password")"#, &[main]),
        (r#"sensitive(rc, "tags")"#, &[]),
        (r#"new(rc, "password") == "correct horse""#, &[main]),
        ("replaced(rc)", &[DISK]),
        (r#"in_module(rc, "module.foo")"#, &[FOO_A, FOO_B, DISK]),
        (r#"in_module(rc, "module.foo[\"b\"]")"#, &[FOO_B, DISK]),
        (r#"in_module(rc, "module.foo.module.disk")"#, &[DISK]),
        (r#"rc.index == 0"#, &[DISK]),
        (r#"["ami", "bucket"].exists(path, unknown(rc, path))"#, &[FOO_B]),
        (
            r#"rc.type.matches("^aws_s3_") && plan.variables.region.value.startsWith("eu-")"#,
            &["aws_s3_bucket.logs"],
        ),
        (r#"rc.change.after.?tags.Owner.orValue("nobody") == "nobody""#, &[DISK, "aws_s3_bucket.logs"]),
        (
            r#"{"bucket": "logs"} == rc.change.after && rc.change.before == rc.change.after"#,
            &["aws_s3_bucket.logs"],
        ),
        (r#"rc.change.after in [{"bucket": "logs"}, 1]"#, &["aws_s3_bucket.logs"]),
        (
            r#""bucket" in rc.change.after && rc.change.after.exists(name, name == "bucket")"#,
            &["aws_s3_bucket.logs"],
        ),
        (r#"size(rc.change.after) == 1"#, &["aws_s3_bucket.logs"]),
        (r#"rc.type.replace("aws_", "").upperAscii() == "S3_BUCKET""#, &["aws_s3_bucket.logs"]),
    ] {
        assert_eq!(keys(API, expression), expected, "{expression}");
    }
}

#[test]
fn every_collection_is_asked() {
    for (of, expression, expected) in [
        ("drift", r#"changed(rc, "tags.Patched")"#, "examples/fleet/web.json: aws_instance.web\n"),
        ("outputs", r#"rc.name == "url" && unknown(rc, "")"#, "examples/fleet/api.json: url\n"),
        ("variables", r#"rc.value == "eu-west-1""#, "examples/fleet/api.json: region\n"),
        (
            "state",
            r#"rc.values.bucket == "logs" && !rc.tainted"#,
            "examples/fleet/api.json: aws_s3_bucket.logs\n",
        ),
        (
            "config",
            r#"rc.config.bucket.constant_value == "logs""#,
            "examples/fleet/api.json: aws_s3_bucket.logs\n",
        ),
        ("planned", "true", ""),
    ] {
        let output = query(&[FLEET, "--of", of, expression, "--output", "keys"], "");
        assert_eq!(output.stdout, expected, "{of}: {}", output.stderr);
    }
    let state = r#"{"version":4,"lineage":"x","resources":[{"mode":"managed","type":"user","name":"u",
        "instances":[{"index_key":"k","attributes":{"name":"ann","key":"hunter2"},
        "sensitive_attributes":[[{"type":"get_attr","value":"key"}]]}]}]}"#;
    let arguments =
        &["--of", "tfstate", "rc.values.name == 'ann'", "--select", "[rc.address, rc.values.key]"];
    assert_eq!(query(arguments, state).stdout, "user.u[\"k\"]\t(sensitive value)\n");
    let error = query(&["true"], state);
    assert_eq!(error.code, 2);
    assert!(
        error.stderr.contains("(stdin): this is a state") && error.stderr.contains("--of state"),
        "{error:?}"
    );
}

#[test]
fn every_form_of_output() {
    let web = "examples/fleet/web.json";
    let print = |arguments: &[&str]| {
        let output = query(&[&[web, r#"rc.type == "aws_instance""#], arguments].concat(), "");
        assert_eq!((output.code, output.stderr.as_str()), (0, ""));
        output.stdout
    };
    assert_eq!(print(&[]), "aws_instance.web  update\naws_instance.web:17b8ad2e  delete\n");
    assert_eq!(print(&["--output", "keys"]), "aws_instance.web\naws_instance.web:17b8ad2e\n");
    assert_eq!(
        print(&["--output", "table"]),
        "key                        actions\naws_instance.web           update\naws_instance.web:17b8ad2e  delete\n"
    );
    assert_eq!(
        print(&["--output", "csv"]),
        "key,actions\naws_instance.web,update\naws_instance.web:17b8ad2e,delete\n"
    );
    let quoted = r#"{"name": rc.name, "list, \"of\" two": ["a", "b"]}"#;
    assert_eq!(
        print(&["--select", quoted, "--output", "csv"]),
        "name,\"list, \"\"of\"\" two\"\nweb,\"[\"\"a\"\",\"\"b\"\"]\"\nweb,\"[\"\"a\"\",\"\"b\"\"]\"\n"
    );
    let json = print(&["--output", "json"]);
    let expected = concat!(
        r#"{"key":"aws_instance.web:17b8ad2e","address":"aws_instance.web","module_address":"","mode":"managed","#,
        r#""type":"aws_instance","name":"web","index":null,"provider_name":"registry.terraform.io/hashicorp/aws","#,
        r#""deposed":"17b8ad2e","actions":["delete"]}"#
    );
    assert_eq!(json.lines().nth(1), Some(expected));
    assert_eq!(print(&["--count"]), "2\n");
    assert_eq!(print(&["--count", "--output", "json"]), "{\"count\":2}\n");
    let select = r#"{"name": rc.name, "size": rc.change.after.instance_type}"#;
    assert_eq!(print(&["--select", select]), "web\tt3.large\nweb\tnull\n");
    assert_eq!(print(&["--select", select, "--output", "table"]), "name  size\nweb   t3.large\nweb   null\n");
    assert_eq!(
        print(&["--select", select, "--output", "json"]),
        "{\"name\":\"web\",\"size\":\"t3.large\"}\n{\"name\":\"web\",\"size\":null}\n"
    );
    assert_eq!(
        print(&["--select", "rc.change.actions", "--output", "json"]),
        "{\"key\":\"aws_instance.web\",\"value\":[\"update\"]}\n\
         {\"key\":\"aws_instance.web:17b8ad2e\",\"value\":[\"delete\"]}\n"
    );
    assert_eq!(
        print(&["--group-by", "rc.name", "--output", "keys"]),
        "2  web\n  aws_instance.web\n  aws_instance.web:17b8ad2e\n"
    );
    assert_eq!(print(&["--group-by", "rc.name", "--output", "table"]), "count  group\n2      web\n");
    assert_eq!(
        print(&["--group-by", "rc.name", "--output", "json"]),
        "{\"group\":\"web\",\"count\":2,\"items\":[{\"key\":\"aws_instance.web\"},\
         {\"key\":\"aws_instance.web:17b8ad2e\"}]}\n"
    );
}

#[test]
fn many_documents_are_answered_to_in_order() {
    let lines = format!("{}\n\n{}\n", one_line("web.json"), one_line("old.json"));
    let (web, api) = (example("web.json"), example("api.json"));
    let files = [
        ("a/web.json", &*web),
        ("a/deep/er/api.json", &*api),
        ("b/lines.jsonl", &*lines),
        ("a/other.json", r#"{"some":"thing"}"#),
        ("a/list.json", r#"{"other":[1]}"#),
        ("a/.terraform/hidden.json", &*api),
        ("c/broken.json", &api[..500]),
        ("c/ok.json", &*web),
    ];
    let folder = folder("many", &files);
    let at = |path: &str| folder.join(path).display().to_string();
    let expression = r#"rc.type != "aws_instance""#;
    let print = |inputs: &[String], stdin: &str| {
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        query(&[&inputs[..], &[expression, "--output", "keys"]].concat(), stdin)
    };
    let api_keys = |name: &str| {
        ["aws_db_instance.main", DISK, "aws_s3_bucket.logs"].map(|key| format!("{name}: {key}\n")).concat()
    };
    let web_key = |name: &str| format!("{name}: data.aws_ami.latest\n");
    let in_a = api_keys(&at("a/deep/er/api.json")) + &web_key(&at("a/web.json"));

    let output = print(&[at("a")], "");
    assert_eq!((output.code, output.stdout), (0, in_a.clone()));
    let note =
        format!("note: skipped, because they are not plans: {}, {}\n", at("a/list.json"), at("a/other.json"));
    assert_eq!(output.stderr, note);

    let output = print(&[at("a/**/*i.json"), at("a/w?b.json")], "");
    assert_eq!((output.code, output.stdout, output.stderr.as_str()), (0, in_a.clone(), ""));

    let seed = format!("{}:3: null_resource.seed\n", at("b/lines.jsonl"));
    let of_lines = web_key(&format!("{}:1", at("b/lines.jsonl"))) + &seed;
    assert_eq!(print(&[at("b/lines.jsonl")], "").stdout, of_lines);
    assert_eq!(print(&["-".into()], &lines).stdout, of_lines.replace(&at("b/lines.jsonl"), "(stdin)"));
    assert_eq!(print(&[at("b/*")], "").stdout, of_lines);
    assert_eq!(print(&["-".into()], &web).stdout, "data.aws_ami.latest\n");

    let output = print(&[at("c"), "-".into(), at("nowhere.json"), at("none*"), at("a/other.json")], &web);
    assert_eq!((output.code, output.stdout), (2, web_key(&at("c/ok.json")) + &web_key("(stdin)")));
    let errors: Vec<&str> = output.stderr.lines().collect();
    assert!(
        errors[0].starts_with(&format!("error: {}:", at("c/broken.json"))) && errors[0].contains("cut off")
    );
    assert!(errors[1].starts_with(&format!("error: {}: cannot be read", at("nowhere.json"))));
    assert_eq!(errors[2], format!("error: {}: no file matches this", at("none*")));
    assert!(errors[3].starts_with(&format!("error: {}:1:1: ", at("a/other.json"))), "{errors:?}");

    let json = query(&[&at("a"), expression, "--output", "json"], "").stdout;
    for line in json.lines() {
        let file = serde_json::from_str::<Value>(line).unwrap()["file"].clone();
        assert!(file.as_str().is_some_and(|file| file.starts_with(&at("a"))), "{line}");
    }
    let twice = print(&["-".into(), "-".into()], &web);
    assert_eq!((twice.code, twice.stdout.as_str()), (2, ""));
}

#[test]
fn a_fleet_of_lines_keeps_its_order() {
    let plan = one_line("old.json");
    let lines: String =
        (0..500).map(|i| plan.replace("null_resource.seed", &format!("null_resource.n{i}")) + "\n").collect();
    let keys = query(&["true", "--output", "keys"], &lines).stdout;
    let expected: String = (0..500).map(|i| format!("(stdin):{}: null_resource.n{i}\n", i + 1)).collect();
    assert_eq!(keys, expected);
}

#[test]
fn lines_of_json_all_have_the_same_members_of_the_same_types() {
    for of in ["changes", "drift", "outputs", "variables", "state", "config"] {
        let json = query(&[FLEET, "true", "--of", of, "--output", "json"], "").stdout;
        let kind = |value: &Value| match value {
            Value::Null => "",
            Value::String(_) => "text",
            Value::Bool(_) => "bool",
            Value::Array(_) => "list",
            _ => "other",
        };
        let mut seen: Vec<(String, &str)> = Vec::new();
        for line in json.lines() {
            let Value::Object(members) = serde_json::from_str(line).unwrap() else { panic!("{line}") };
            let members: Vec<_> = members.iter().map(|(name, value)| (name.clone(), kind(value))).collect();
            if seen.is_empty() {
                seen.clone_from(&members);
            }
            for ((seen, seen_kind), (name, kind)) in seen.iter_mut().zip(&members) {
                assert_eq!(seen, name);
                assert!(kind.is_empty() || seen_kind.is_empty() || kind == seen_kind, "{line}");
                assert_ne!(*kind, "other", "{line}");
                *seen_kind = if seen_kind.is_empty() { kind } else { seen_kind };
            }
            assert_eq!(seen.len(), members.len());
        }
        assert!(!seen.is_empty(), "{of}");
    }
}

#[test]
fn errors_show_their_place() {
    for (expression, line, message) in [
        (r#"rc.typ == "x""#, "   ^^^", "did you mean `type`?"),
        ("rc.change.afer.x == 1", "          ^^^^", "did you mean `after`?"),
        ("rc.type.x == 1", "        ^", "this is a string"),
        ("rc.type == 'x' && typ == 'y'", "                  ^^^", "there is no `typ`"),
        ("type == 'x'", "^^^^^^^^^^^", "did you mean `rc.type`?"),
        ("mode == 'managed'", "^^^^", "did you mean `rc.mode`?"),
        ("rc.change.actions == ", "                     ^", "ends too early"),
        ("unknown(rc, \"a[\")", "            ^^^^", "this is no path"),
        ("unkown(rc, \"a\")", "^^^^^^", "did you mean `unknown`?"),
        ("rc.name.length() > 1", "        ^^^^^^", "did you mean `size`?"),
        ("rc.name.matches('(')", "                ^^^", "this is no pattern"),
        ("semver('1.0', 'new')", "              ^^^^^", "no constraint"),
        ("semver('1.0', '== 1')", "              ^^^^^^", "no constraint"),
        ("rc.name > 3", "^^^^^^^^^^^", "`>` is not for string and int"),
        (
            "rc.change.actions.contains('create')",
            "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            "`x in list` tells whether a list has the element x",
        ),
        (
            "timestamp(rc.name) < timestamp(rc.type)",
            "^^^^^^^^^^^^^^^^^",
            "this is no time such as 2026-01-31T12:00:00Z",
        ),
        ("duration(rc.name) < duration('1h')", "^^^^^^^^^^^^^^^^", "this is no duration such as 1h30m"),
        ("changed(rc)", "^^^^^^^", "`changed` has 1 argument here and takes 2"),
        ("rc.name", "^^^^^^^", "must be true or false"),
        ("'ä' == rc.nam", "          ^^^", "did you mean `name`?"),
    ] {
        let output = query(&[API, expression], "");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{expression}");
        let shown = format!("1 | {expression}\n  | {line}\n");
        assert!(output.stderr.contains(&shown) && output.stderr.contains(message), "{}", output.stderr);
    }
    let output = query(&[API, "true &&\n rc.nam == 'x'"], "");
    assert!(output.stderr.contains("(expression):2:5"), "{}", output.stderr);
    for option in ["--select", "--group-by"] {
        let output = query(&[API, "true", option, "rc.nam"], "");
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains(&format!("{option}:1:4")), "{}", output.stderr);
    }
    for (of, expression) in [("variables", "replaced(rc)"), ("outputs", "in_module(rc, 'module.a')")] {
        assert_eq!(query(&[API, "--of", of, expression], "").code, 2);
    }
}

#[test]
fn operators_of_other_languages_are_recognised() {
    for (expression, meant) in [
        ("rc.type = 'x'", "=="),
        ("rc.type === 'x'", "=="),
        ("rc.type <> 'x'", "!="),
        ("rc.type is 'x'", "=="),
        ("rc.type == 'x' and rc.name == 'y'", "&&"),
        ("rc.type == 'x' OR rc.name == 'y'", "||"),
        ("rc.type == 'x' & rc.name == 'y'", "&&"),
        ("rc.type == 'x' | rc.name == 'y'", "||"),
        ("not rc.change.after.x", "!"),
    ] {
        let output = query(&[API, expression], "");
        let help = format!("did you mean `{meant}`?");
        assert!(output.code == 2 && output.stderr.contains(&help), "{expression}: {output:?}");
    }
}

#[test]
fn nothing_is_read_of_null() {
    let plan = |actions: &str, before: &str| {
        format!(
            r#"{{"format_version":"1.2","resource_changes":[{{"address":"t.a","mode":"managed","type":"t","name":"a","change":{{"actions":["{actions}"],"before":{before},"after":{{"x":1}},"after_unknown":{{}},"before_sensitive":false,"after_sensitive":{{}}}}}}]}}"#
        )
    };
    for expression in ["rc.change.before.x == 1", "rc.change.before['x'] == 1", "rc.change.before.x.y == 1"] {
        let output = query(&["-", expression], &plan("create", "null"));
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{expression}: {output:?}");
    }
    assert_eq!(query(&["-", "rc.change.before.x == 1"], &plan("update", r#"{"x":1}"#)).code, 0);
    assert_eq!(query(&["-", "rc.change.before.?x.orValue(3) == 3"], &plan("create", "null")).code, 0);
}

#[test]
fn times_are_compared_and_shown() {
    for (expression, holds) in [
        ("timestamp('2026-01-01T00:00:00Z') > timestamp('2025-01-01T00:00:00Z')", true),
        ("timestamp('2026-01-01T00:00:00Z') - timestamp('2025-12-31T00:00:00Z') == duration('24h')", true),
        ("timestamp('2026-01-01T00:00:00Z') + duration('1h') == timestamp('2026-01-01T01:00:00Z')", true),
        ("timestamp('2026-03-01T00:00:00Z').getMonth() == 2", true),
        ("timestamp('2026-03-01T00:00:00Z').getHours('+02:00') == 2", true),
        ("duration('90m').getHours() == 1", true),
        ("duration('1h') < duration('30m')", false),
        ("string(duration('1h')) == '3600s'", true),
        ("int(timestamp('1970-01-01T00:01:00Z')) == 60", true),
    ] {
        let output = query(&[API, expression, "--count"], "");
        assert_eq!(output.code, i32::from(!holds), "{expression}: {output:?}");
    }
    let select = "[timestamp('2026-01-01T00:00:00.5Z'), duration('-90.5s')]";
    let output = query(&[API, "rc.type == 'aws_db_instance'", "--select", select], "");
    assert_eq!(output.stdout, "2026-01-01T00:00:00.500Z\t-90.5s\n", "{output:?}");
    for expression in ["timestamp('x') == timestamp('y')", "duration('1 year') == duration('1h')"] {
        assert_eq!(query(&[API, expression], "").code, 2, "{expression}");
    }
}

#[test]
fn what_is_missing_is_not_found_and_told_if_it_is_missing_everywhere() {
    assert_eq!(keys(API, "rc.change.after.bucket == 'logs'"), ["aws_s3_bucket.logs"]);
    let output = query(&[API, "rc.type == 'disk' && rc.change.after.nothing"], "");
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (1, "", ""));
    let output = query(&[API, "rc.change.after.buckets == 'logs'"], "");
    let warning = "warning: (expression):1:17: there is no `buckets` in any item\n";
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (1, "", warning));
}

#[test]
fn arguments_that_cannot_be_used() {
    for (arguments, message) in [
        (&[][..], "required"),
        (&[API], "the expression is missing: it comes after the plan"),
        (&[API, "true", "--select", "rc.name", "--output", "keys"], "--select"),
        (&[API, "true", "--count", "--group-by", "rc.name"], "cannot be used with"),
        (&[API, "true", "--of", "everything"], "possible values"),
    ] {
        let output = query(arguments, "");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""));
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
    assert_eq!(query(&["-e", "-1 < 0", API, "--count"], "").stdout, "5\n");
}

#[test]
fn an_unknown_output_is_not_null() {
    let plan = r#"{"format_version":"1.2","output_changes":{
        "gone":{"actions":["delete"],"before":1,"after":null,"after_unknown":false},
        "new":{"actions":["create"],"before":null,"after_unknown":true}}}"#;
    let output = query(&["--of", "outputs", "--output", "keys", "-", "rc.change.after == null"], plan);
    assert_eq!((output.code, &*output.stdout), (0, "gone\n"), "{output:?}");
    let output =
        query(&["--of", "outputs", "--output", "keys", "-", "rc.change.after_unknown == true"], plan);
    assert_eq!((output.code, &*output.stdout), (0, "new\n"), "{output:?}");
}

#[test]
fn no_command_judges_an_errored_plan_unasked() {
    let mut plan: Value = serde_json::from_str(&example("api.json")).unwrap();
    plan["errored"] = true.into();
    let errored = plan.to_string();
    let rules = "package main\nimport rego.v1\ndeny contains \"x\" if input.tfplan.resource_changes == 1\n";
    let folder = folder(
        "errored",
        &[("plan.json", &errored), ("p.rego", rules), ("p.sentinel", "main = rule { true }\n")],
    );
    let at = |name: &str| folder.join(name).display().to_string();
    let (plan, rego, sentinel) = (at("plan.json"), at("p.rego"), at("p.sentinel"));
    for arguments in [
        &["query", &plan, "true", "--count"][..],
        &["policy", &plan, "--rego", &rego],
        &["sentinel", "apply", &sentinel, "--plan", &plan],
    ] {
        let refused = objchange(arguments, "");
        assert_eq!(refused.code, 2, "{arguments:?}: {}", refused.stdout);
        let reason = "plan.json: planning ended with an error, so the plan lacks changes";
        assert!(refused.stderr.contains(reason), "{arguments:?}: {}", refused.stderr);
        let allowed = objchange([arguments, &["--allow-errored"]].concat(), "");
        assert_eq!(allowed.code, 0, "{arguments:?}: {}", allowed.stderr);
        assert!(allowed.stderr.contains("warning: "), "{arguments:?}: {}", allowed.stderr);
    }
    let lines = format!("{}\n{}\n", one_line("api.json"), errored);
    let output = query(&["-", "true", "--output", "keys"], &lines);
    assert_eq!((output.code, output.stdout.is_empty()), (2, false), "{}", output.stderr);
    assert!(output.stderr.contains("(stdin):2: planning ended"), "{}", output.stderr);
}

#[cfg(unix)]
#[test]
fn links_are_followed_within_a_folder_alone() {
    use std::os::unix::fs::symlink;

    let plan = &*one_line("old.json");
    let folder = folder(
        "links",
        &[
            ("plans/a/1.json", plan),
            ("plans/.hidden/2.json", plan),
            ("policy/p.rego", "package p\n"),
            ("elsewhere/3.json", plan),
            ("elsewhere/q.rego", "package q\n"),
        ],
    );
    let plans = folder.join("plans");
    for (target, link) in [
        ("/", "root"),
        ("../elsewhere", "away"),
        ("a", "again"),
        ("..", "a/above"),
        (".", "a/self"),
        ("a/1.json", "same.json"),
        (".hidden/2.json", "shown.json"),
    ] {
        symlink(target, plans.join(link)).unwrap();
    }
    let ask = |inputs: &str| query(&[inputs, "true", "--output", "keys"], "");
    let name = |file: &str| format!("{}: null_resource.seed\n", plans.join(file).display());
    let output = ask(plans.to_str().unwrap());
    assert_eq!(output.code, 0, "{}", output.stderr);
    // Each file once, by the first of its names.
    assert_eq!(output.stdout, name("a/1.json") + &name("shown.json"));
    for link in ["root", "away"] {
        let skipped = format!("{}: skipped, because this link leaves the folder", plans.join(link).display());
        assert_eq!(output.stderr.matches(&skipped).count(), 1, "{}", output.stderr);
    }
    assert_eq!(ask(&format!("{}/agai?/*.json", plans.display())).stdout, name("again/1.json"));
    // A link named like a plan fails, because a gate would have read the plan by this name.
    symlink("../elsewhere/3.json", plans.join("three.json")).unwrap();
    let output = ask(plans.to_str().unwrap());
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("three.json: this link leaves the folder"), "{}", output.stderr);
    let policy = folder.join("policy");
    for (target, link) in [("../elsewhere/q.rego", "q.rego"), ("../elsewhere", "away"), ("/", "root")] {
        symlink(target, policy.join(link)).unwrap();
        let refused = objchange(["policy", API, "--rego", policy.to_str().unwrap()], "");
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{link}");
        assert!(refused.stderr.contains(&format!("{link}: this link leaves")), "{}", refused.stderr);
        fs::remove_file(policy.join(link)).unwrap();
    }
}

#[test]
fn items_whose_answer_is_unknown_are_named_and_found_on_request() {
    let ami = r#"rc.change.after.ami == "ami-2""#;
    let output = query(&[API, ami], "");
    assert_eq!((output.code, output.stdout.as_str()), (3, ""));
    assert_eq!(output.stderr, format!("{OPEN}{FOO_B}\n"));
    let output = query(&[API, ami, "--undecided", "--output", "keys"], "");
    assert_eq!((output.code, output.stdout, output.stderr), (0, format!("{FOO_B}\n"), String::new()));
    // A known operand decides, on either side.
    for expression in [
        format!("rc.type == 'aws_vpc' && {ami}"),
        format!("{ami} && rc.type == 'aws_vpc'"),
        format!("{ami} && !unknown(rc, 'ami')"),
    ] {
        let output = query(&[API, &expression], "");
        assert_eq!((output.code, output.stderr.as_str()), (1, ""), "{expression}");
    }
    let found = query(&[API, &format!("{ami} || rc.type == 'aws_instance'"), "--json"], "");
    let names: Vec<Value> = found.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        names.iter().map(|line| line["address"].as_str().unwrap()).collect::<Vec<_>>(),
        [FOO_A, FOO_B]
    );
}

#[test]
fn a_comparison_that_cannot_hold_is_an_error_where_nothing_is_found() {
    let owner = r#"old(rc, "tags.Owner") == 1"#;
    let output = query(&[API, owner], "");
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
    assert!(
        output.stderr.contains("this compares a string with a number, which never are equal"),
        "{}",
        output.stderr
    );
    let output = query(&[API, &format!("{owner} || rc.name == 'main'"), "--count"], "");
    assert_eq!((output.code, output.stdout.as_str()), (0, "1\n"));
    assert!(output.stderr.starts_with("warning: (expression):1:"), "{}", output.stderr);
    for expression in [
        "type == 'aws_instance'",
        "rc.change.actions == 'update'",
        "'destroy' in rc.change.actions",
        "rc.change.actions[0] == 'destroy'",
        "rc.change.actions.exists(a, a == 'destroy')",
        "rc.change.actions.exists_one(a, a in ['destroy'])",
        "!rc.change.actions.all(a, a != 'destroy')",
        "rc.change.actions.filter(a, a != 'no-op') == ['destroy']",
        "rc.change.actions.map(a, a) == [1]",
        "rc.change.actions.map(a, size(a)).exists(n, n == 'update')",
        "rc.change.actions.exists(i, a, i == 'update')",
        "[1, 2].exists(n, n == 'x')",
    ] {
        let output = query(&[API, expression], "");
        assert_eq!(output.code, 2, "{expression}");
        assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
    }
}

#[test]
fn loops_over_what_is_not_known_before_are_evaluated() {
    for expression in [
        "rc.change.actions.exists(a, a == 'update')",
        "rc.change.actions.filter(a, a != 'no-op') == ['update']",
        "rc.change.actions.map(a, [a]).exists(l, l == ['update'])",
        "[{'a': 'update'}].exists(m, m.a in rc.change.actions)",
        "[[], ['update']].exists(l, l == rc.change.actions)",
        "(rc.mode == 'managed' ? ['update'] : []) == rc.change.actions",
    ] {
        let output = query(&[API, expression, "--output", "keys"], "");
        assert_eq!(output.code, 0, "{expression}: {output:?}");
    }
}

#[test]
fn a_path_to_an_attribute_that_no_resource_has_is_a_mistake() {
    for expression in ["changed(rc, \"tgas.Owner\")", "old(rc, \"tgas\") != null", "unknown(rc, \"amii\")"] {
        let output = query(&[API, expression], "");
        assert_eq!(output.code, 2, "{expression}: {output:?}");
        assert!(output.stderr.contains("no resource has an attribute `"), "{expression}: {output:?}");
    }
    let output = query(&[API, "!unknown(rc, \"amii\")"], "");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.starts_with("warning: (expression):1:14: no resource has"), "{output:?}");
    let output = query(&[API, "true", "--select", "new(rc, \"tgas\")"], "");
    assert_eq!(output.code, 2, "{output:?}");
    // A key of a map may be in no map, and what is not looked for may be there.
    for expression in ["changed(rc, \"tags.Nobody\")", "rc.type == \"none\" && changed(rc, \"tgas\")"] {
        let output = query(&[API, expression], "");
        assert_eq!((output.code, &*output.stderr), (1, ""), "{expression}: {output:?}");
    }
}

/// A result computed from a partly unknown value is unknown, too.
#[test]
fn what_is_computed_from_unknown_values_is_not_shown_as_known() {
    let plan = r#"{"format_version":"1.2","errored":false,"resource_changes":[{"address":"t.a","mode":"managed",
        "type":"t","name":"a","provider_name":"p","change":{"actions":["create"],"before":null,
        "after":{"tags":{"a":"x"},"list":["x",null],"long":["x"],"known":{"a":1}},
        "after_unknown":{"tags":{"b":true},"list":[false,true],"long":[false,true]}}}]}"#;
    for (select, shown) in [
        ("rc.change.after.tags.map(k, rc.change.after.tags[k])", "null"),
        ("rc.change.after.tags == {'a': 'x', 'b': 'y'}", "null"),
        // The keys of a map are known.
        ("size(rc.change.after.tags)", "2"),
        ("rc.change.after.tags.size()", "2"),
        ("'b' in rc.change.after.tags", "true"),
        ("has(rc.change.after.tags.b)", "true"),
        ("rc.change.after.tags.map(k, k)", "[\"a\",\"b\"]"),
        ("rc.change.after.tags == {'a': 'x'}", "false"),
        ("rc.change.after.list.exists(x, x == null)", "null"),
        ("size(rc.change.after.known)", "1"),
        ("rc.change.after.list", "[\"x\",null]"),
        ("rc.change.after.long", "[\"x\",null]"),
        ("rc.change.after.tags", "{\"a\":\"x\"}"),
    ] {
        let output = query(&["-", "true", "--select", select], plan);
        assert_eq!(output.stdout.trim_end(), shown, "{select}: {output:?}");
    }
}

#[test]
fn updates_of_some_paths_alone_are_found() {
    let update = |address: &str, after: serde_json::Value, unknown: serde_json::Value| {
        serde_json::json!({"address": address, "mode": "managed", "type": "disk", "name": "a", "provider_name": "p",
            "change": {"actions": ["update"], "before": {"size": 1, "tags": {"a": "1"}}, "after": after,
            "after_unknown": unknown, "before_sensitive": false, "after_sensitive": {}}})
    };
    let tags = |a: &str, size: u32| serde_json::json!({"size": size, "tags": {"a": a}});
    let mut replaced = update("disk.replaced", tags("2", 1), serde_json::json!({}));
    replaced["change"]["actions"] = serde_json::json!(["delete", "create"]);
    // These do more than to update values.
    let mut moved = update("disk.moved", tags("2", 1), serde_json::json!({}));
    moved["previous_address"] = "disk.before".into();
    let mut imported = update("disk.imported", tags("2", 1), serde_json::json!({}));
    imported["change"]["importing"] = serde_json::json!({"id": "x"});
    let mut other = update("disk.other", tags("2", 1), serde_json::json!({}));
    other["change"]["before_identity"] = serde_json::json!({"id": "x"});
    other["change"]["after_identity"] = serde_json::json!({"id": "y"});
    let plan = serde_json::json!({"format_version": "1.2", "resource_changes": [
        moved, imported, other,
        update("disk.tags", tags("2", 1), serde_json::json!({})),
        update("disk.more", tags("2", 2), serde_json::json!({})),
        update("disk.unknown", serde_json::json!({"size": 1}), serde_json::json!({"tags": true})),
        update("disk.maybe", serde_json::json!({"tags": {"a": "2"}}), serde_json::json!({"size": true})),
        replaced,
    ]});
    let query = |expression: &str| {
        crate::program::objchange(["query", "-", expression, "--output", "keys"], plan.to_string())
    };
    let found = query(r#"changes_only(rc, ["tags"])"#);
    assert_eq!((found.code, &*found.stdout), (0, "disk.tags\ndisk.unknown\n"), "{}", found.stderr);
    let found = query(r#"changes_only(rc, ["size", "tags.a"])"#);
    assert_eq!(found.stdout, "disk.tags\ndisk.more\ndisk.maybe\n", "{}", found.stderr);
    // One rule with `--ignore`: globs of addresses, and a path that is nowhere.
    let found = query(r#"changes_only(rc, ["disk.t*:tags", "disk.more:size"])"#);
    assert_eq!((found.code, &*found.stdout), (0, "disk.tags\n"), "{}", found.stderr);
    for path in ["tagz", "net.*:tags", "tags.b"] {
        let found = query(&format!(r#"changes_only(rc, ["tags", "{path}"])"#));
        assert_eq!((found.code, &*found.stdout), (0, "disk.tags\ndisk.unknown\n"), "{}", found.stderr);
        assert!(found.stderr.contains(&format!("`{path}` matches nothing here")), "{}", found.stderr);
        let none = query(&format!(r#"changes_only(rc, ["{path}"])"#));
        assert_eq!((none.code, &*none.stdout), (1, ""), "{}", none.stderr);
    }
    for wrong in [
        r#"changes_only(rc, "tags")"#,
        "changes_only(rc, [])",
        r#"changes_only(rc, ["a["])"#,
        "changes_only(rc, [rc.type])",
    ] {
        let refused = query(wrong);
        assert_eq!(refused.code, 2, "{wrong}");
        assert!(refused.stderr.contains("path"), "{wrong}: {}", refused.stderr);
    }
}

/// A plan with all that Sentinel's collections lack.
const WHOLE: &str = r#"{"format_version":"1.2","terraform_version":"1.16.0","complete":false,"resource_changes":[],
    "deferred_changes":[{"reason":"provider_config_unknown","resource_change":{"address":"module.m.disk.a[\"*\"]",
        "module_address":"module.m","mode":"managed","type":"disk","name":"a","provider_name":"p",
        "change":{"actions":["create"],"before":null,"after":{"size":3},"after_unknown":{"id":true},"before_sensitive":false,
            "after_sensitive":{}}}}],
    "checks":[
        {"address":{"kind":"check","name":"up","to_display":"module.m.check.up","module":"module.m"},"status":"fail",
            "instances":[{"address":{"to_display":"module.m.check.up"},"status":"fail","problems":[{"message":"It is down."}]}]},
        {"address":{"kind":"output_value","name":"o","to_display":"output.o"},"status":"unknown"},
        {"address":{"kind":"resource","to_display":"disk.a"},"status":"pass"}],
    "action_invocations":[{"address":"module.m.action.note.n","type":"note","name":"n","provider_name":"p",
        "config_values":{"text":"hi","pin":"hunter2"},"config_sensitive":{"pin":true},"config_unknown":{"to":true},
        "lifecycle_action_trigger":{"triggering_resource_address":"module.m.disk.b","action_trigger_event":"AfterCreate",
            "action_trigger_block_index":0,"actions_list_index":0}}],
    "deferred_action_invocations":[{"reason":"resource_config_unknown","action_invocation":{"address":"action.note.later",
        "type":"note","name":"later","provider_name":"p","config_values":{},"invoke_action_trigger":{}}}]}"#;

#[test]
fn deferred_changes_checks_and_actions_are_searched() {
    let ask = |of: &str, arguments: &[&str]| query(&[&["--of", of, "-"], arguments].concat(), WHOLE);
    for (of, expression, expected, code) in [
        ("deferred", "rc.reason == 'provider_config_unknown'", "module.m.disk.a[\"*\"]  create\n", 0),
        ("deferred", "rc.type == 'disk' && in_module(rc, 'module.m')", "module.m.disk.a[\"*\"]  create\n", 0),
        ("deferred", "rc.change.after.size > 3", "", 1),
        ("deferred", "rc.change.after.id == 'x'", "", 3),
        ("checks", "rc.status == 'pass'", "disk.a\n", 0),
        ("checks", "rc.status == 'fail' && rc.problems == ['It is down.']", "module.m.check.up\n", 0),
        ("checks", "rc.kind == 'output_value' && rc.status != 'pass'", "", 3),
        ("checks", "rc.kind == 'output_value' && rc.problems == []", "", 3),
        ("checks", "in_module(rc, 'module.m')", "module.m.check.up\n", 0),
        (
            "actions",
            "rc.event == 'AfterCreate' && rc.resource == 'module.m.disk.b'",
            "module.m.action.note.n\n",
            0,
        ),
        ("actions", "rc.config.pin == 'hunter2' && rc.reason == ''", "module.m.action.note.n\n", 0),
        ("actions", "rc.name == 'n' && rc.config.to == 'x'", "", 3),
        ("actions", "rc.reason != ''", "action.note.later\n", 0),
    ] {
        let output = ask(of, &[expression]);
        assert_eq!((output.code, &*output.stdout), (code, expected), "{of} {expression}: {output:?}");
    }
    let open = ask("checks", &["rc.status == 'pass'", "--undecided", "--output", "keys"]);
    assert_eq!(open.stdout, "output.o\n", "{open:?}");
    // A status that a plan does not write, and a field that a check does not have.
    for (expression, said) in [("rc.status == 'failed'", "`fail`"), ("rc.change == 1", "a check")] {
        let output = ask("checks", &[expression]);
        assert!(output.code == 2 && output.stderr.contains(said), "{expression}: {output:?}");
    }
    let json = ask("deferred", &["true", "--json"]);
    assert!(
        json.stdout.contains(r#""reason":"provider_config_unknown","address":"module.m.disk.a"#),
        "{json:?}"
    );
    let json = ask("checks", &["rc.kind == 'check'", "--json"]);
    assert!(json.stdout.contains(r#""status":"fail","problems":["It is down."]"#), "{json:?}");
    let csv = ask(
        "actions",
        &["true", "--output", "csv", "--select", r#"{"address": rc.address, "config": rc.config}"#],
    );
    assert!(csv.stdout.starts_with("address,config\nmodule.m.action.note.n,"), "{csv:?}");
    assert!(csv.stdout.contains("(sensitive value)") && !csv.stdout.contains("hunter2"), "{csv:?}");
}
