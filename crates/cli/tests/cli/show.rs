//! `objchange show`.

use crate::folder::Folder;
use crate::program::{Output, objchange, workspace};

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[{"address":"a_b.c","mode":"managed","type":"a_b",
"name":"c","provider_name":"registry.terraform.io/x/a","change":{"actions":["create"],"before":null,
"after":{"secret":"hunter2"},"after_unknown":{"id":true},"before_sensitive":false,
"after_sensitive":{"secret":true}}}]}"#;

fn show(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    objchange(["show"].iter().chain(arguments), input)
}

#[test]
fn a_plan_from_standard_input() {
    let output = show(&[], PLAN);
    assert_eq!(output.code, 0);
    let plan = output.stdout;
    assert!(plan.contains("  # a_b.c will be created\n"), "{plan}");
    assert!(plan.contains("      + secret = (sensitive value)\n"), "{plan}");
    assert!(!plan.contains('\x1b'), "{plan}");
    let warning = output.stderr;
    assert_eq!(warning.matches("warning:").count(), 1, "{warning}");
    assert!(warning.contains("--schemas"), "{warning}");
}

/// Objects as Terraform before 0.12 kept them have the types of their schema, and its secrets.
#[test]
fn flat_objects_of_a_state_file_are_read() {
    let file = r##"{"version":4,"lineage":"x","resources":[{"mode":"managed","type":"a_b","name":"c",
        "provider":"provider[\"registry.terraform.io/x/a\"]","instances":[{"schema_version":0,"attributes_flat":{
        "id":"1","size":"10","key":"hunter2","env.#":"1","env.0.name":"password","env.0.value":"hunter3",
        "tags.%":"1","tags.a":"b"}}]}]}"##;
    let attribute = |ty: serde_json::Value| serde_json::json!({"type": ty, "optional": true});
    let mut key = attribute("string".into());
    key["sensitive"] = true.into();
    let block = serde_json::json!({
        "attributes": {"id": attribute("string".into()), "size": attribute("number".into()), "key": key,
            "tags": attribute(serde_json::json!(["map", "string"]))},
        "block_types": {"env": {"nesting_mode": "list", "block": {"attributes": {
            "name": attribute("string".into()), "value": attribute("string".into())}}}},
    });
    let schemas = serde_json::json!({"format_version": "1.0", "provider_schemas": {"registry.terraform.io/x/a": {
        "resource_schemas": {"a_b": {"version": 0, "block": block}}}}});
    let folder = Folder::with("flat-state", &[("schemas.json", &schemas.to_string())]);
    let schemas = folder.at("schemas.json").to_str().unwrap().to_owned();
    let output = show(&["--schemas", &schemas], file);
    for line in
        ["    size = 10\n", "        \"a\" = \"b\"\n", "    key  = (sensitive value)\n", "    env {\n"]
    {
        assert!(output.stdout.contains(line), "{line}{}{}", output.stdout, output.stderr);
    }
    // Without the schema all are texts, and masked names are hidden.
    let output = show(&["--mask", "key", "--mask", "password"], file);
    assert!(
        output.code == 0 && output.stdout.contains("size = \"10\""),
        "{}{}",
        output.stdout,
        output.stderr
    );
    assert!(!output.stdout.contains("hunter"), "{}", output.stdout);
    let json = |arguments: &[&str]| show(&[&["--json"], arguments].concat(), file).stdout;
    assert!(json(&[]).contains("hunter2") && !json(&["--schemas", &schemas]).contains("hunter2"));
}

#[test]
fn a_state_file_is_a_state() {
    let file = r#"{"version":4,"lineage":"x","outputs":{"o":{"value":"hunter2","type":"string","sensitive":true}},
        "resources":[{"mode":"managed","type":"a_b","name":"c","provider":"provider[\"x/y/a\"]","instances":[
        {"index_key":"k","attributes":{"secret":"hunter2","size":10},
        "sensitive_attributes":[[{"type":"get_attr","value":"secret"}]]}]}]}"#;
    let output = show(&[], file);
    let shown = "# a_b.c[\"k\"]:\nresource \"a_b\" \"c\" {\n    secret = (sensitive value)\n    size   = 10\n}\n\n\n\
        Outputs:\n\no = (sensitive value)\n";
    assert_eq!((output.code, output.stdout.as_str()), (0, shown));
    for arguments in [["--json"], ["--summary"]] {
        let shown = show(&arguments, file).stdout;
        assert!(shown.contains("a_b.c[") && !shown.contains("hunter2"), "{shown}");
    }
    let encrypted = r#"{"serial":1,"lineage":"x","meta":{},"encrypted_data":"x","encryption_version":"v0"}"#;
    let error = show(&[], encrypted).stderr;
    assert!(
        error.ends_with("the state file is encrypted: pass the output of `tofu show -json` instead\n"),
        "{error}"
    );
}

#[test]
fn utf_16_is_read_too() {
    let utf16: Vec<u8> = PLAN.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(show(&["-"], [&b"\xff\xfe"[..], &utf16].concat()).stdout, show(&[], PLAN).stdout);
}

#[test]
fn colour_and_json_on_demand() {
    assert!(show(&["--color", "always"], PLAN).stdout.contains("\x1b[32m+\x1b[0m\x1b[0m "));
    let json = show(&["--json"], PLAN).stdout;
    assert!(json.contains(r#"{"key":"secret","action":"create","kind":"sensitive""#), "{json}");
}

#[test]
fn a_plan_is_shown_as_the_program_that_wrote_it_does_or_another() {
    let plan = |version: &str| {
        PLAN.replacen('{', &format!(r#"{{"terraform_version":"{version}","#), 1)
            .replace("\"create\"", "\"create\",\"forget\"")
    };
    let counted = |arguments: &[&str], version: &str| {
        let shown = show(arguments, plan(version)).stdout;
        shown.split("Plan: ").nth(1).unwrap_or_else(|| panic!("{shown}"))[..1].to_owned()
    };
    assert_eq!(counted(&[], "1.15.2"), "0");
    assert_eq!(counted(&[], "1.16.0"), "1");
    assert_eq!(counted(&[], "2.3.4"), "1");
    assert_eq!(counted(&["--as", "terraform"], "1.15.2"), "1");
    assert_eq!(counted(&["--as", "terraform@1.11"], "1.16.0"), "0");
    let error = show(&["--as", "terraform@new"], PLAN);
    assert_eq!(error.code, 2);
    assert!(error.stderr.contains("such as `terraform@1.11`"), "{}", error.stderr);
}

#[test]
fn what_a_plan_was_made_for_is_found_or_told() {
    let state = r#"{"format_version":"1.0","values":{"root_module":{"resources":[{"address":"a.b","mode":"managed"}]}}}"#;
    let plan = format!(r#"{{"format_version":"1.2","complete":true,"prior_state":{state}}}"#);
    for (arguments, expected) in [
        (&[][..], "still matches the configuration"),
        (&["--mode", "normal"], "infrastructure matches the configuration"),
        (&["--mode", "refresh-only"], "still matches the configuration"),
        (&["--mode", "destroy"], "No objects need to be destroyed"),
    ] {
        let shown = show(arguments, &plan).stdout;
        assert!(shown.contains(expected), "{shown}");
    }
    let error = show(&["--mode", "normal"], state);
    assert_eq!((error.code, error.stderr.contains("state")), (2, true), "{}", error.stderr);
}

#[test]
fn opentofu_is_told_from_its_providers_or_named() {
    let tofu = PLAN.replace("registry.terraform.io", "registry.opentofu.org");
    let says = |arguments: &[&str], plan: &str, expected: &str| {
        let shown = show(arguments, plan).stdout;
        assert!(shown.contains(&format!("{expected} will perform the following actions")), "{shown}");
    };
    says(&[], PLAN, "Terraform");
    says(&[], &tofu, "OpenTofu");
    says(&["--as", "opentofu"], PLAN, "OpenTofu");
    says(&["--as", "terraform@1.11"], &tofu, "Terraform");
    let shown = show(&["--show-sensitive"], &tofu).stdout;
    assert!(shown.contains("      + secret = \"hunter2\"\n"), "{shown}");
    for (arguments, plan) in [
        (&["--show-sensitive"][..], PLAN),
        (&["--show-sensitive", "--as", "terraform"], &tofu),
        (&["--show-sensitive", "--json"], &tofu),
        (&["--show-sensitive", "--summary"], &tofu),
    ] {
        let refused = show(arguments, plan);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains("--show-sensitive") && !refused.stderr.contains("hunter2"));
    }
}

#[test]
fn labels_of_a_sensitive_block_type_stay_out_of_json() {
    let schemas = concat!(env!("CARGO_TARGET_TMPDIR"), "/labels-schemas.json");
    let schema = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/x/a":{"resource_schemas":{"a_b":
        {"version":0,"block":{"block_types":{"user":{"nesting_mode":"map","block":{"attributes":{
        "name":{"type":"string","optional":true}}}}}}}}}}}"#;
    std::fs::write(schemas, schema).unwrap();
    let plan = |sensitive: &str| {
        PLAN.replace(r#"{"secret":"hunter2"}"#, r#"{"user":{"hunter2":{"name":"x"}}}"#).replace(
            r#""after_sensitive":{"secret":true}"#,
            &format!(r#""after_sensitive":{{"user":{sensitive}}}"#),
        )
    };
    let json = show(&["--schemas", schemas, "--json"], plan("true")).stdout;
    assert!(json.contains(r#""label":"(sensitive value)""#) && !json.contains("hunter2"), "{json}");
    let json = show(&["--schemas", schemas, "--json"], plan(r#"{"hunter2":true}"#)).stdout;
    assert!(json.contains(r#""label":"hunter2""#), "{json}");
}

#[test]
fn characters_that_turn_text_around_are_escaped_in_json_and_summary() {
    let plan =
        PLAN.replace("a_b.c", "a_b.c[\\\"\u{202e}\\\"]").replace("\"secret\":\"hunter2\"", "\"s\u{202e}\":1");
    for arguments in [&["--json"][..], &["--summary"]] {
        let output = show(arguments, &plan);
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(output.stdout.contains("202e") && !output.stdout.contains('\u{202e}'), "{}", output.stdout);
    }
}

#[test]
fn a_summary_needs_no_schemas() {
    let output = show(&["--summary"], PLAN);
    assert_eq!(output.stdout, "Create (1)\n  + a_b.c\nTotal: 1 to create.\n");
    assert_eq!(output.stderr, "");
}

/// The plan with something else in the place of this.
fn with(from: &str, to: &str) -> String {
    assert!(PLAN.contains(from));
    PLAN.replace(from, to)
}

#[test]
fn unknown_words_are_shown_as_is() {
    let plan = with(r#"["create"]"#, r#"["archive","thaw"]"#);
    let output = show(&[], &plan);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let shown = &output.stdout;
    assert!(shown.contains("  # a_b.c has unknown actions: archive, thaw\n  ? resource"), "{shown}");
    assert!(shown.contains("      + secret = (sensitive value)\n"), "{shown}");
    assert!(shown.contains("Plan: 0 to add, 0 to change, 0 to destroy."), "{shown}");
    let warning = "warning: a_b.c: unknown action \"archive, thaw\": ";
    assert_eq!(output.stderr.matches(warning).count(), 1, "{}", output.stderr);
    let summary = "Unknown (1)\n  ? a_b.c: archive, thaw\nTotal: 1 with unknown actions.\n";
    assert_eq!(show(&["--summary"], &plan).stdout, summary);
    let json = show(&["--json"], &plan).stdout;
    assert!(
        json.contains(r#""actions":["archive","thaw"]"#) && json.contains(r#""heading":"unknown""#),
        "{json}"
    );

    let plan = with(r#""mode":"managed""#, r#""mode":"stack""#)
        .replace(r#""change":{"#, r#""action_reason":"create_because_of_\u001b[31mfun","change":{"#);
    let output = show(&[], &plan);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("\n  + stack \"a_b\" \"c\" {\n"), "{}", output.stdout);
    for expected in ["unknown mode \"stack\"", "unknown reason \"create_because_of_"] {
        assert_eq!(output.stderr.matches(expected).count(), 1, "{}", output.stderr);
    }
    assert!(!output.stderr.contains('\x1b'), "{}", output.stderr);
    assert!(show(&["--summary"], &plan).stdout.contains("a_b.c: create because of "));

    let unsaid = show(&[], with(r#""actions":["create"],"#, ""));
    assert!(unsaid.code == 2 && unsaid.stderr.contains("there are no `actions` here"), "{}", unsaid.stderr);
    // The missing member may hold sensitive marks.
    for member in ["\"before_sensitive\":false,\n", ",\n\"after_sensitive\":{\"secret\":true}"] {
        let name = member.split('"').nth(1).unwrap();
        let warned = show(&["--summary"], with(member, "")).stderr;
        let warning = format!("warning: a_b.c: \"change.{name}\" missing: ");
        assert_eq!(warned.matches(&warning).count(), 1, "{warned}");
    }
    let changes = PLAN.find(r#","resource_changes""#).unwrap();
    let planned =
        r#"{"format_version":"1.2","complete":true,"planned_values":{"outputs":OUTPUTS,"root_module":{}}}"#;
    for (outputs, lacks) in
        [(r#"{"o":{"sensitive":true,"value":"hunter2"}}"#, true), ("{}", false), ("null", false)]
    {
        let output = show(&["--summary"], planned.replace("OUTPUTS", outputs));
        assert_eq!(
            output.stderr.contains("the change of output.o is missing from this plan"),
            lacks,
            "{}",
            output.stderr
        );
        assert!(!output.stdout.contains("hunter2") && !output.stderr.contains("hunter2"));
    }
    let lacking = show(&[], format!("{},\"applyable\":true}}", &PLAN[..changes]));
    assert!(lacking.stderr.contains("warning: all changes are missing from this plan"), "{}", lacking.stderr);

    let refused = show(&[], with(r#"["create"]"#, r#"["create",{"hunter2":1}]"#));
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("resource_changes[0]: expected a string"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("hunter2"), "{}", refused.stderr);
}

#[test]
fn a_part_of_a_document_is_read_with_a_warning() {
    let part = with(r#""format_version":"1.2","#, "");
    let output = show(&[], &part);
    assert_eq!((output.code, &output.stdout), (0, &show(&[], PLAN).stdout));
    assert_eq!(output.stderr.matches("no `format_version`").count(), 1, "{}", output.stderr);
    // Where something is decided by the document, what was left out could decide it.
    let refused = objchange(["query", "-", "true"], &part);
    assert!(refused.code == 2 && refused.stderr.contains("format_version"), "{}", refused.stderr);
    let state = r#"{"terraform_version":"1.5.0","values":{"root_module":{"resources":[{"address":"a.b"}]}}}"#;
    let output = show(&[], state);
    assert!(output.code == 0 && output.stdout.contains("# a.b:\n"), "{}", output.stderr);
    assert!(output.stderr.contains("format_version"), "{}", output.stderr);
    for other in [r#"{"values":{"root_module":{}}}"#, r#"{"configuration":{}}"#, "{}"] {
        let refused = show(&[], other);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains("terraform show -json"), "{}", refused.stderr);
    }
}

#[test]
fn text_around_a_document_is_skipped_with_a_warning() {
    let shown = show(&[], PLAN).stdout;
    for (before, after, warning) in [
        ("Warning: Deprecated\n\n{ see below\n", "", "the document begins in line 4: the text before it"),
        ("{\"@level\":\"info\",\"@message\":\"x\"}\n", "", "the document begins in line 2"),
        ("", "\nReleasing state lock\n", "the text after the document, from line 5 on"),
        (
            "Acquiring state lock\n",
            "\nReleasing\n",
            "the document begins in line 2: the text before it, and from line 6 on",
        ),
    ] {
        let output = show(&["-"], format!("{before}{PLAN}{after}"));
        assert_eq!((output.code, &output.stdout), (0, &shown), "{}", output.stderr);
        let warning = format!("warning: (stdin): {warning}");
        assert_eq!(output.stderr.matches(&warning).count(), 1, "{}", output.stderr);
    }
    for (text, expected) in [
        (format!("{PLAN}\n{PLAN}"), "error: (stdin):5: a second document starts here"),
        ("{\"@level\":\"info\"}\n{\"@level\":\"info\"}\n".to_owned(), "terraform show -json PLANFILE"),
        ("Error: no plan\n".to_owned(), "this is not JSON"),
        (
            format!("x\n{}", with(r#"["create"]"#, r#"[1]"#)),
            "(stdin):3:77: resource_changes[0]: expected a string; pass the output of `terraform show -json`",
        ),
    ] {
        let output = show(&[], text);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
}

#[test]
fn what_is_read_is_bounded() {
    for (limit, is_read) in [("1", false), ("100", false), ("1K", true), ("2MiB", true), ("1g", true)] {
        let output = show(&["--max-input", limit], PLAN);
        assert_eq!(output.code == 0, is_read, "{limit}: {}", output.stderr);
        if !is_read {
            let expected = format!("(stdin): this is more than {limit} bytes; allow more with --max-input");
            assert!(output.stdout.is_empty() && output.stderr.contains(&expected), "{}", output.stderr);
        }
    }
    let error = show(&["--max-input", "much"], PLAN);
    assert!(error.code == 2 && error.stderr.contains("such as 500M"), "{}", error.stderr);
}

#[test]
fn an_errored_or_incomplete_plan_says_so_in_every_form() {
    let plan = |member: &str| with(r#"{"format_version""#, &format!(r#"{{{member},"format_version""#));
    for arguments in [&[][..], &["--summary"], &["--json"]] {
        let errored = show(arguments, plan(r#""errored":true,"complete":false"#));
        assert!(errored.stderr.contains("planning ended with an error"), "{}", errored.stderr);
        let incomplete = show(arguments, plan(r#""complete":false"#));
        assert!(incomplete.stderr.contains("the plan is incomplete"), "{}", incomplete.stderr);
        let whole = show(arguments, plan(r#""complete":true"#));
        assert!(!whole.stderr.contains("incomplete"), "{}", whole.stderr);
        let said = match arguments {
            ["--summary"] => ["Planning failed: ", "The plan is incomplete: "],
            ["--json"] => ["\"errored\":true", "\"complete\":false"],
            _ => ["but then encountered a problem", ""],
        };
        assert!(errored.stdout.contains(said[0]), "{}", errored.stdout);
        assert!(incomplete.stdout.contains(said[1]), "{}", incomplete.stdout);
    }
}

#[test]
fn errors_name_the_file_and_the_place() {
    for (arguments, input, expected) in [
        (&["nowhere.json"][..], "", "nowhere.json: cannot be read"),
        (&[], &PLAN[..200], "(stdin):3:"),
        (&[], "PK\x03\x04", "not a plan file as Terraform writes it"),
        (&["--schemas", "-"], PLAN, "standard input"),
    ] {
        let output = show(arguments, input);
        let message = output.stderr;
        assert_eq!(output.code, 2, "{message}");
        assert!(message.starts_with("error: ") && message.contains(expected), "{message}");
        assert_eq!(output.stdout, "");
    }
}

#[test]
fn the_example_of_the_readme_works() {
    let folder = workspace().join("examples/terraform_data");
    let file = |name: &str| folder.join(name).display().to_string();
    let output = show(&[&file("plan.json"), "--schemas", &file("schemas.json")], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.ends_with("\nPlan: 1 to add, 1 to change, 1 to destroy.\n"), "{}", output.stdout);
}

/// Before Terraform 0.15 documents did not say what is sensitive: nothing is left out of them.
#[test]
fn an_old_document_lacks_nothing() {
    let output = objchange(["show", "examples/fleet/old.json", "--summary"], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
}

#[test]
fn markdown_for_a_comment() {
    let output = show(&["--format", "markdown", "--marker", "net", "--title", "Net"], PLAN);
    assert_eq!(output.code, 0);
    let page = output.stdout;
    assert!(page.starts_with("<!-- objchange:net -->\n## Net: 1 to create\n"), "{page}");
    assert!(page.contains("\n+       secret = (sensitive value)\n") && !page.contains("hunter2"), "{page}");
    for (arguments, error) in [
        (&["--title", "Net"][..], "--title needs --format markdown or html"),
        (&["--format", "markdown", "--show-sensitive"], "cannot be used with --format markdown or html"),
        (&["--format", "markdown", "--link", "javascript:x"], "a link must start with https:// or http://"),
        (&["--format", "markdown", "--max-length", "10"], "at least 4000"),
        (&["--format", "markdown", "--json"], "cannot be used with"),
    ] {
        let output = show(arguments, PLAN);
        assert_eq!(output.code, 2, "{arguments:?}");
        assert!(output.stderr.contains(error), "{arguments:?}: {}", output.stderr);
    }
}

#[test]
fn html_for_a_browser() {
    let page = show(&["--format", "html", "--title", "Net"], PLAN).stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<h1>Net: 1 to create</h1>"), "{page}");
    assert!(page.contains("secret = <i>(sensitive value)</i>") && !page.contains("hunter2"), "{page}");

    let folder = Folder::with("html", &[("plan.json", PLAN), ("old.html", "old")]);
    let out = |name: &str, plan: &str| {
        let arguments =
            ["--format", "html", "--title", "Net", "--out", &folder.at(name).display().to_string()];
        show(&arguments, plan)
    };
    let read = |name: &str| std::fs::read_to_string(folder.at(name)).unwrap_or_default();
    let output = out("new.html", PLAN);
    assert_eq!((output.code, output.stdout.as_str(), read("new.html")), (0, "", page.clone()));
    // An unreadable plan leaves the old page as it was, and makes no new one.
    for name in ["old.html", "none.html"] {
        assert_eq!(out(name, &PLAN[..200]).code, 2);
    }
    assert_eq!((read("old.html").as_str(), folder.at("none.html").exists()), ("old", false));
    assert_eq!((out("old.html", PLAN).code, read("old.html")), (0, page));

    for (arguments, error) in [
        (&["--out", "x.html"][..], "--out needs --format html"),
        (&["--format", "markdown", "--out", "x.html"], "--out needs --format html"),
        (&["--format", "html", "--marker", "net"], "--marker needs --format markdown"),
        (&["--format", "html", "--show-sensitive"], "cannot be used with --format markdown or html"),
        (&["--format", "html", "--link", "javascript:x"], "a link must start with https:// or http://"),
        (&["--format", "html", "--out", "nowhere/x.html"], "nowhere/x.html: cannot be written: "),
        (&["--format", "html", "--json"], "cannot be used with"),
    ] {
        let output = show(arguments, PLAN);
        assert_eq!(output.code, 2, "{arguments:?}");
        assert!(output.stderr.contains(error), "{arguments:?}: {}", output.stderr);
    }
}
