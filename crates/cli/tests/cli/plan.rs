//! `objchange plan`.

use std::ffi::OsStr;

use crate::folder::Folder;
use crate::program::{Output, objchange, workspace};

pub(crate) const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"example.com/test/test":{"resource_schemas":{
    "test_disk":{"version":0,"block":{
        "attributes":{
            "id":{"type":"string","computed":true},
            "name":{"type":"string","required":true},
            "size":{"type":"number","optional":true},
            "tags":{"type":["map","string"],"optional":true},
            "token":{"type":"string","optional":true,"sensitive":true}}}}}}}}"#;

const PRIOR: &str = r#"{"id":"d-1","name":"data","size":10,"tags":{"a":"b"},"token":"hunter1"}"#;

/// Plans from this prior object to this configuration.
fn plan(test: &str, prior: &str, config: &str, arguments: &[&str]) -> Output {
    let folder = Folder::new(test);
    let (prior, config) = (folder.file("prior.json", prior), folder.file("config.json", config));
    let fixed: [&OsStr; 9] = [
        "plan".as_ref(),
        "--schema".as_ref(),
        "-".as_ref(),
        "--type".as_ref(),
        "test_disk".as_ref(),
        "--prior".as_ref(),
        prior.as_os_str(),
        "--config".as_ref(),
        config.as_os_str(),
    ];
    let arguments = arguments.iter().map(|a| a.replace("FOLDER", folder.0.to_str().unwrap()));
    let mut output =
        objchange(fixed.iter().map(|a| (*a).to_owned()).chain(arguments.map(Into::into)), SCHEMAS);
    output.stderr = output.stderr.replace(folder.0.to_str().unwrap(), "FOLDER");
    output
}

#[track_caller]
fn shows(output: &Output, code: i32, stdout: &str) {
    assert_eq!(output.stdout, stdout, "{}", output.stderr);
    assert_eq!((output.code, output.stderr.as_str()), (code, ""));
}

#[track_caller]
fn refused(output: &Output, stderr: &str) {
    assert_eq!(output.stderr, stderr);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
}

#[test]
fn an_update_is_shown_as_terraform_shows_it() {
    shows(
        &plan(
            "update",
            PRIOR,
            r#"{"name":"data","size":20,"tags":{"a":"b","c":{"$unknown":{}}},"token":"hunter2"}"#,
            &[],
        ),
        0,
        r#"  # test_disk.this will be updated in-place
  ~ resource "test_disk" "this" {
        id    = "d-1"
        name  = "data"
      ~ size  = 10 -> 20
      ~ tags  = {
            "a" = "b"
          + "c" = (known after apply)
        }
      ~ token = (sensitive value)
    }

Plan: 0 to add, 1 to change, 0 to destroy.
"#,
    );
}

#[test]
fn every_action_says_its_reason() {
    let config = r#"{"name":"data","size":10,"tags":{"a":"b"},"token":"hunter1"}"#;
    let first_line = |test: &str, prior: &str, config: &str, arguments: &[&str]| {
        let output = plan(test, prior, config, arguments);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let json = plan(test, prior, config, &[arguments, &["--json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        let line = output.stdout.lines().find(|line| !line.is_empty()).unwrap_or_default().trim().to_owned();
        let last = output.stdout.lines().last().unwrap_or_default();
        let counts = last.strip_prefix("Plan: ").unwrap_or_default();
        format!("{line} / {} / {counts}", report["reason"]["message"].as_str().unwrap())
    };
    let no_changes =
        "No changes. Your infrastructure matches the configuration. / the planned object is the prior one / ";
    assert_eq!(first_line("noop", PRIOR, config, &[]), no_changes);
    assert_eq!(
        first_line("create", "null", config, &[]),
        "# test_disk.this will be created / there is no prior object / 1 to add, 0 to change, 0 to destroy."
    );
    assert_eq!(
        first_line("delete", PRIOR, "null", &[]),
        "# test_disk.this will be destroyed / there is no configuration / 0 to add, 0 to change, 1 to destroy."
    );
    assert_eq!(
        first_line("forced", PRIOR, config, &["--replace"]),
        "# test_disk.this will be replaced, as requested / replacement is asked for / \
         1 to add, 0 to change, 1 to destroy."
    );
    let renamed = config.replace("data", "logs");
    let replaced = ["--requires-replace", "name", "--create-before-destroy"];
    assert_eq!(
        first_line("replaced", PRIOR, &renamed, &replaced),
        "# test_disk.this must be replaced / name cannot be changed in place / \
         1 to add, 0 to change, 1 to destroy."
    );
    let output = plan("replaced", PRIOR, &renamed, &replaced);
    assert!(output.stdout.contains("\n+/- resource \"test_disk\" \"this\" {\n"), "{}", output.stdout);
    assert!(
        output.stdout.contains(r#"~ name  = "data" -> "logs" # forces replacement"#),
        "{}",
        output.stdout
    );
    assert_eq!(first_line("ignored", PRIOR, &renamed, &["--ignore-changes", "name"]), no_changes);
    assert_eq!(first_line("all-ignored", PRIOR, &renamed, &["--ignore-changes", "all"]), no_changes);
}

#[test]
fn what_the_prior_object_hides_stays_hidden() {
    let prior = r#"{"id":{"$sensitive":"d-1"},"name":"data","size":10,"tags":{"a":"b"},"token":null}"#;
    shows(
        &plan("kept-secret", prior, r#"{"name":"data","size":20,"tags":{"a":"b","c":"d-1"}}"#, &[]),
        0,
        r#"  # test_disk.this will be updated in-place
  ~ resource "test_disk" "this" {
        id   = (sensitive value)
        name = "data"
      ~ size = 10 -> 20
      ~ tags = {
            "a" = "b"
          + "c" = (sensitive value)
        }
    }

Plan: 0 to add, 1 to change, 0 to destroy.

no longer sensitive after the change; their current values stay hidden here
  ! id
"#,
    );
}

#[test]
fn what_a_replacement_breaks_shows_when_it_is_applied() {
    let prior = r#"{"id":"d-1","name":"data","size":10,"tags":null,"token":null}"#;
    // The size is the prior one: fine for an update, but the object that takes its place has no prior one.
    let planned = r#"{"id":"d-1","name":"logs","size":10,"tags":null,"token":null}"#;
    let folder = Folder::new("at-apply-answer");
    let planned = folder.file("planned.json", planned);
    let arguments = ["--planned", planned.to_str().unwrap(), "--requires-replace", "name"];
    let output = plan("at-apply", prior, r#"{"name":"logs","size":20}"#, &arguments);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(
        output.stdout.ends_with(
            "1 violation of the provider's contract: Terraform finds out when it applies the replacement\n  \
             ! size: the planned value (10) is not the configured one (20) (not_config)\n"
        ),
        "{}",
        output.stdout
    );
}

#[test]
fn a_providers_plan_is_checked() {
    let folder = Folder::new("planned");
    let planned = folder
        .file("planned.json", r#"{"id":"d-1","name":"DATA","size":20,"tags":{"a":"b"},"token":"hunter3"}"#);
    let config = r#"{"name":"data","size":20,"tags":{"a":"b"},"token":"hunter2"}"#;
    let output = plan("planned-by-provider", PRIOR, config, &["--planned", planned.to_str().unwrap()]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let (_, violations) = output.stdout.split_once("\n\n2 violations").expect("there are two violations");
    assert!(violations.contains("(sensitive_not_config_nor_prior)"), "{violations}");
    assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
}

#[test]
fn what_one_side_hides_is_shown_from_no_other() {
    let folder = Folder::new("hidden");
    let plain = r#"{"name":"hunter1","size":1,"tags":{"hunter2":"hunter3"}}"#;
    let marked = r#"{"name":{"$sensitive":"hunter4"},"size":1,"tags":{"$sensitive":{"hunter2":"hunter5"}}}"#;
    let third = folder.file("third.json", r#"{"name":"hunter6","size":1,"tags":{"hunter2":"hunter7"}}"#);
    let marked_file = folder.file("marked.json", marked);
    for (test, prior, config, planned) in [
        ("hidden-config", plain, marked, &third),
        ("hidden-prior", marked, plain, &third),
        ("hidden-planned", plain, plain, &marked_file),
    ] {
        for json in [&[][..], &["--json"]] {
            let arguments = [&["--planned", planned.to_str().unwrap()], json].concat();
            let output = plan(test, prior, config, &arguments);
            assert_eq!(output.code, 1, "{}", output.stderr);
            assert!(output.stdout.contains("not_config_nor_prior"), "{test}: {}", output.stdout);
            assert!(!output.stdout.contains("hunter"), "{test}: {}", output.stdout);
        }
    }
}

const STATE_FILE: &str = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"x","outputs":{},"resources":[
    {"mode":"managed","type":"test_disk","name":"a","provider":"p","instances":[
        {"index_key":"k","status":"tainted","attributes":{"id":"d-1","name":"data","size":10,"tags":{"a":"hunter4"}},
         "sensitive_attributes":[[{"type":"get_attr","value":"tags"},{"type":"index","value":{"value":"a","type":"string"}}]]}]}]}"#;

const SHOWN_STATE: &str = r#"{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{"child_modules":[
    {"address":"module.m","resources":[{"address":"module.m.test_disk.a[0]","mode":"managed","type":"test_disk","name":"a",
        "values":{"id":"d-1","name":"data","size":10,"tags":{"a":"hunter4"},"token":null},
        "sensitive_values":{"tags":{"a":true}}}]}]}}}"#;

#[test]
fn the_prior_object_is_taken_out_of_a_state() {
    let config = r#"{"name":"data","size":20}"#;
    let output = plan("state-file", STATE_FILE, config, &["--address", r#"test_disk.a["k"]"#]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let header =
        "  # test_disk.a[\"k\"] is tainted, so must be replaced\n-/+ resource \"test_disk\" \"a\" {\n";
    assert!(output.stdout.starts_with(header), "{}", output.stdout);
    assert!(output.stdout.contains(r#"- "a" = (sensitive value)"#), "{}", output.stdout);
    assert!(!output.stdout.contains("hunter"), "{}", output.stdout);

    let output = plan("shown-state", SHOWN_STATE, config, &["--address", "module.m.test_disk.a[0]"]);
    shows(
        &output,
        0,
        r#"  # module.m.test_disk.a[0] will be updated in-place
  ~ resource "test_disk" "a" {
        id   = "d-1"
        name = "data"
      ~ size = 10 -> 20
      - tags = {
          - "a" = (sensitive value)
        } -> null
    }

Plan: 0 to add, 1 to change, 0 to destroy.
"#,
    );
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let config = r#"{"name":"data"}"#;
    refused(
        &plan("no-address", STATE_FILE, config, &[]),
        "error: FOLDER/prior.json: this is a state: an address must name an object of it; \
         it has test_disk.a[\"k\"]; choose one with --address\n",
    );
    refused(
        &plan("absent", STATE_FILE, config, &["--address", "test_disk.b"]),
        "error: FOLDER/prior.json: the state has no resource instance test_disk.b; it has test_disk.a[\"k\"]\n",
    );
    refused(
        &plan("no-state", PRIOR, config, &["--address", "test_disk.b"]),
        "error: FOLDER/prior.json: an address names an object of a state, and this is none; omit \
         --address if this is the object itself\n",
    );
    refused(
        &plan("wrong-state", &STATE_FILE.replace("10", "[]"), config, &["--address", r#"test_disk.a["k"]"#]),
        "error: FOLDER/prior.json:3:91: test_disk.a[\"k\"]: size: number required, but have tuple\n",
    );
    refused(
        &plan("missing", PRIOR, "{\n  \"size\": 1\n}", &[]),
        "error: FOLDER/config.json:1:1: the attribute \"name\" is required\n",
    );
    refused(
        &plan("wrong-type", PRIOR, "{\n  \"name\": \"a\",\n  \"size\": [\"hunter\"]\n}", &[]),
        "error: FOLDER/config.json:3:11: size: number required, but have tuple\n",
    );
    refused(
        &plan("no-json", PRIOR, "{\"name\": }", &[]),
        "error: FOLDER/config.json:1:10: a JSON value is expected here\n",
    );
    let output = objchange(["plan", "--schema", "-", "--type", "test", "--config", "-"], SCHEMAS);
    refused(&output, "error: standard input (-) can be read only once\n");
    let output = objchange(["plan", "--schema", "-", "--type", "disk", "--config", "README.md"], SCHEMAS);
    refused(&output, "error: (stdin): there is no resource type \"disk\"; did you mean test_disk?\n");
    let output =
        objchange(["plan", "--schema", "-", "--type", "test_dsik", "--config", "README.md"], SCHEMAS);
    refused(&output, "error: (stdin): there is no resource type \"test_dsik\"; did you mean test_disk?\n");
    let output =
        objchange(["plan", "--schema", "-", "--type", "disk", "--config", "README.md"], "{\n\"a\":}");
    refused(&output, "error: (stdin):2:5: a: a JSON value is expected here\n");
    assert_eq!(plan("bad-path", PRIOR, config, &["--requires-replace", "a[x]"]).code, 2);
}

#[test]
fn a_type_of_several_providers_needs_a_choice() {
    let folder = Folder::new("several-providers");
    let config = folder.file("config.json", r#"{"size":1}"#);
    let config = config.to_str().unwrap();
    let provider = |address: &str, optional: bool| {
        format!(
            r#""{address}":{{"resource_schemas":{{"test_disk":{{"version":0,"block":{{"attributes":{{
                "size":{{"type":"number","optional":{optional},"computed":true}}}}}}}}}}}}"#
        )
    };
    let schemas = format!(
        r#"{{"format_version":"1.0","provider_schemas":{{{},{}}}}}"#,
        provider("example.com/test/test", true),
        provider("example.com/other/test", false)
    );
    let run = |arguments: &[&str]| {
        let fixed = ["plan", "--schema", "-", "--type", "test_disk", "--config", config];
        objchange(fixed.iter().chain(arguments).copied(), &schemas)
    };
    refused(
        &run(&[]),
        "error: (stdin): several providers have a resource type \"test_disk\": \
         example.com/other/test, example.com/test/test; choose one with --provider\n",
    );
    refused(
        &run(&["--provider", "nobody/test"]),
        "error: (stdin): there is no provider \"nobody/test\"; there are example.com/other/test, \
         example.com/test/test\n",
    );
    let output = run(&["--provider", "test/test"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("+ size = 1\n"), "{}", output.stdout);
    let output = run(&["--provider", "example.com/other/test"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
}

#[test]
fn keys_of_stated_types_are_not_echoed_where_they_are_hidden() {
    let schemas = SCHEMAS.replace(
        r#""sensitive":true"#,
        r#""sensitive":true},"any":{"type":"dynamic","optional":true},
           "secret":{"type":"dynamic","optional":true,"sensitive":true"#,
    );
    let folder = Folder::new("stated-keys");
    let stated = r#"{"type":["map","number"],"value":{"hunter":"x"}}"#;
    let refuse = |arguments: &[&str], message: &str| {
        let fixed = ["plan", "--schema", "-", "--type", "test_disk"];
        let output = objchange(fixed.iter().chain(arguments).copied(), &schemas);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    };
    let file = |name: &str, text: String| folder.file(name, &text).to_str().unwrap().to_owned();
    let hidden = "(sensitive value)]: a number is expected here, not a string";
    let config = file("schema.json", format!(r#"{{"name":"a","secret":{stated}}}"#));
    refuse(&["--config", &config], &format!("secret[{hidden}"));
    let config = file("marker.json", format!(r#"{{"name":"a","any":{{"$sensitive":{stated}}}}}"#));
    refuse(&["--config", &config], &format!("any[{hidden}"));
    let config = file("open.json", format!(r#"{{"name":"a","any":{stated}}}"#));
    refuse(&["--config", &config], r#"any["hunter"]: a number is expected here"#);
    let state = format!(
        r#"{{"version":4,"lineage":"x","resources":[{{"mode":"managed","type":"test_disk","name":"a","instances":[
            {{"attributes":{{"name":"a","any":{stated}}}}}]}}]}}"#
    );
    let (good, state) = (file("good.json", r#"{"name":"a"}"#.into()), file("state", state));
    let from_state = ["--config", &good, "--prior", &state, "--address", "test_disk.a"];
    refuse(&from_state, &format!("any[{hidden}"));
}

#[test]
fn marks_that_fit_nothing_hide_all() {
    let folder = Folder::new("closed-marks");
    let config = folder.file("config.json", r#"{"name":"b","tags":{"a":"new"}}"#);
    for marks in [r#"{"tags":{"a":"yes"}}"#, r#"{"tags":[true]}"#, r#"{"tags":{"a":{"b":true}}}"#] {
        let state = format!(
            r#"{{"format_version":"1.0","values":{{"root_module":{{"resources":[{{"address":"test_disk.a",
                "mode":"managed","type":"test_disk","name":"a","values":{{"name":"a","tags":{{"a":"hunter"}}}},
                "sensitive_values":{marks}}}]}}}}}}"#
        );
        let state = folder.file("state.json", &state);
        let [config, state] = [&config, &state].map(|path| path.to_str().unwrap());
        let fixed = ["plan", "--schema", "-", "--type", "test_disk", "--config", config];
        let from_state = ["--prior", state, "--address", "test_disk.a"];
        let output = objchange(fixed.iter().chain(&from_state).copied(), SCHEMAS);
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(output.stdout.contains("(sensitive value)"), "{}", output.stdout);
        assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
        let output = objchange(["show", state], "");
        assert!(output.stdout.contains("sensitive"), "{}", output.stdout);
        assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
    }
}

#[test]
fn names_of_others_do_not_reach_the_terminal_as_they_are() {
    let schemas = SCHEMAS
        .replace(r#""sensitive":true"#, r#""sensitive":true},"any":{"type":"dynamic","optional":true"#);
    let folder = Folder::new("control-characters");
    let config = folder.file("config.json", r#"{"name":"a","any":{"\u001b[31mred\u009b\u202e":"x"}}"#);
    let fixed = ["plan", "--color", "always", "--schema", "-", "--type", "test_disk", "--config"];
    let output = objchange(fixed.iter().copied().chain([config.to_str().unwrap()]), &schemas);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains(r#""\x1b[31mred\u009b\u202e" = "x""#), "{}", output.stdout);
    let config = folder.file("config.json", r#"{"name":"a","\u001b[31m\u009b":"x"}"#);
    let output = objchange(fixed.iter().copied().chain([config.to_str().unwrap()]), &schemas);
    let message = output.stderr.split_once("error:").map_or("", |(_, message)| message);
    assert!(!message.contains("\u{1b}[31m") && !message.contains('\u{9b}'), "{message}");
}

#[test]
fn paths_must_lead_somewhere() {
    for (option, list) in [("--ignore-changes", "ignore_changes"), ("--requires-replace", "requires_replace")]
    {
        for (path, reason) in [
            ("nonsense", "the schema has no such attribute or block"),
            ("tag", "the schema has no such attribute or block; did you mean tags?"),
            ("name.x", "the schema has no such attribute or block: the value there has no parts"),
            ("size[0]", "the schema has no such attribute or block: the value there has no parts"),
            ("tags.a", r#"the schema has a map there, whose elements are written like ["key"]"#),
        ] {
            let output = plan("no-such-part", PRIOR, r#"{"name":"a"}"#, &[option, path]);
            refused(&output, &format!("error: {list} {path}: {reason}\n"));
        }
        let output = plan("no-such-key", PRIOR, r#"{"name":"a"}"#, &[option, r#"tags["missing"]"#]);
        assert_eq!(output.stderr, "");
    }
}

#[test]
fn a_state_that_cannot_be_read_is_no_object() {
    let config = r#"{"name":"a"}"#;
    let address = ["--address", "test_disk.a"];
    let output = plan("cut-state", r#"{"version":4,"lineage":"x","resources":["#, config, &address);
    refused(
        &output,
        "error: FOLDER/prior.json:1:41: resources: the document ends too early: it was cut off, write it again with \
         `terraform show -json`\n",
    );
    let flat = r#"{"version":4,"lineage":"x","resources":[{"mode":"managed","type":"test_disk","name":"a",
        "instances":[{"attributes_flat":{"name":"a"}}]}]}"#;
    let output = plan("flat-state", flat, config, &address);
    // Terraform before 0.12 kept it so.
    assert_eq!(output.code, 0, "{}", output.stderr);
    let newer = r#"{"version":5,"lineage":"x","resources":[]}"#;
    let output = plan("newer-state", newer, config, &address);
    assert!(output.stderr.contains("use a newer objchange"), "{}", output.stderr);
}

#[test]
fn keys_of_sensitive_maps_are_not_echoed() {
    let schemas = SCHEMAS.replace(
        r#""sensitive":true"#,
        r#""sensitive":true},"secret":{"type":["map","string"],"optional":true,"sensitive":true"#,
    );
    let folder = Folder::new("sensitive-keys");
    let bad = folder.file("bad.json", r#"{"name":"a","secret":{"hunter":[]}}"#);
    let [old, new] = ["old", "new"]
        .map(|text| folder.file(text, &format!(r#"{{"name":"a","secret":{{"hunter":"{text}"}}}}"#)));
    let run = |arguments: &[&str]| {
        objchange(["plan", "--schema", "-", "--type", "test_disk"].iter().chain(arguments).copied(), &schemas)
    };
    let [bad, old, new] = [&bad, &old, &new].map(|path| path.to_str().unwrap());
    for output in [
        run(&["--config", bad]),
        run(&["--prior", old, "--config", new, "--requires-replace", r#"secret["hunter"]"#]),
        run(&["--prior", old, "--config", new, "--requires-replace", r#"secret["hunters"]"#]),
        run(&["--prior", old, "--config", new, "--requires-replace", r#"secret["hunter"]"#, "--json"]),
    ] {
        assert!(!output.stdout.contains("hunter") && !output.stderr.contains("hunter"), "{}", output.stdout);
        assert!(output.stdout.contains("(sensitive value)") || output.stderr.contains("secret: "));
    }
}

#[test]
fn the_example_of_the_readme_works() {
    let folder = workspace().join("examples/aws_instance");
    let file = |name: &str| folder.join(name).into_os_string();
    let arguments = [
        "plan".into(),
        "--schema".into(),
        file("schemas.json"),
        "--type".into(),
        "aws_instance".into(),
        "--prior".into(),
        file("prior.json"),
        "--config".into(),
        file("config.json"),
    ];
    let output = objchange(arguments, "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.contains("+ volume_size           = 200"), "{}", output.stdout);
}

const LABELLED: &str = r#"{"format_version":"1.0","provider_schemas":{"example.com/test/test":{"resource_schemas":{
    "test_disk":{"version":0,"block":{
        "attributes":{"any":{"type":"dynamic","optional":true}},
        "block_types":{"mount":{"nesting_mode":"map","block":{"attributes":{
            "path":{"type":"string","optional":true},"key":{"type":"string","optional":true}}}}}}}}}}}"#;

#[test]
fn blocks_with_labels_are_a_map() {
    let folder = Folder::new("labelled-blocks");
    let config = folder.file("config.json", r#"{"mount":{"a":{"path":"/b"},"c":{}}}"#);
    let state = folder.file(
        "state.json",
        r#"{"version":4,"lineage":"x","resources":[{"mode":"managed","type":"test_disk","name":"a","instances":[
            {"attributes":{"any":null,"mount":{"a":{"path":"/a","key":"hunter"}}},"sensitive_attributes":[[
                {"type":"get_attr","value":"mount"},{"type":"index","value":{"value":"a","type":"string"}},
                {"type":"get_attr","value":"key"}]]}]}]}"#,
    );
    let [config, state] = [&config, &state].map(|path| path.to_str().unwrap());
    let run = |arguments: &[&str]| {
        let fixed = ["plan", "--schema", "-", "--type", "test_disk", "--config", config];
        objchange(fixed.iter().chain(arguments).copied(), LABELLED)
    };
    let output = run(&[]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    let replaced = ["--prior", state, "--address", "test_disk.a", "--requires-replace", r#"mount["a"].path"#];
    let output = run(&replaced);
    let path = r#"~ path = "/a" -> "/b" # forces replacement"#;
    assert!(output.stdout.contains(path), "{}", output.stdout);
    assert!(output.stdout.contains("- key  = (sensitive value) -> null"), "{}", output.stdout);
    assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
}

#[test]
fn types_do_not_name_what_is_hidden() {
    let folder = Folder::new("hidden-types");
    let config = folder.file("config.json", r#"{"any":{"open":{"$sensitive":{"hunter":1}},"shut":"x"}}"#);
    let fixed = ["plan", "--json", "--schema", "-", "--type", "test_disk", "--config"];
    let output = objchange(fixed.iter().copied().chain([config.to_str().unwrap()]), LABELLED);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
    assert!(output.stdout.contains(r#"["object",{"open":"dynamic","shut":"string"}]"#), "{}", output.stdout);
}

#[test]
fn misspelt_options_of_both_forms_are_recognised() {
    for (option, meant) in [
        ("--typ", "--type"),
        ("--addres=x", "--address"),
        ("--priors", "--prior"),
        ("--var-fil", "--var-file"),
    ] {
        let output = objchange(["plan", option], "");
        assert_eq!(output.code, 2);
        let tip = format!("tip: a similar argument exists: '{meant}'\n");
        assert!(output.stderr.contains(&tip), "{}", output.stderr);
        assert!(!output.stderr.contains("as a value"), "{}", output.stderr);
    }
    let output = objchange(["plan", "--nonsense-of-no-form"], "");
    assert!(!output.stderr.contains("similar"), "{}", output.stderr);
}
