//! Messages of Terraform are understood, in whatever form people paste them.

mod issues;

use objchange::schema::ProviderSchemas;
use objchange_explain::{
    Clause, Evidence, ExplainDocument, Explained, ExplainedMessage, Objects, Similarity, explain, write_text,
};

/// The output of Terraform 1.11.4 when it ran the kit's provider, fault by fault.
const SAID: &str = include_str!("terraform-1.11.4.txt");

/// Where a value is wrong, the message is understood to the last word.
#[test]
fn the_way_is_known_wherever_a_value_is_wrong() {
    let mut told = 0;
    for explained in explain(SAID) {
        if matches!(explained.clauses[..], [Clause::P5 | Clause::A5 | Clause::F2]) {
            assert!(explained.kind.is_some(), "{explained:?}");
            told += 1;
        }
    }
    assert!(told > 30, "{told}");
}

#[test]
fn what_is_wrong_is_the_same_however_it_is_pasted() {
    let boxed: String = SAID.lines().map(|line| format!("\u{1b}[31m│\u{1b}[0m {line}\n")).collect();
    assert_eq!(explain(&boxed), explain(SAID));
    let stamped: String = SAID.lines().map(|line| format!("2026-01-02T03:04:05.6789012Z {line}\n")).collect();
    assert_eq!(explain(&stamped), explain(SAID));
}

#[test]
fn what_is_tolerated_is_found_in_the_log() {
    let log = "\
2026-01-02T03:04:05.678+0100 [WARN]  Provider \"registry.terraform.io/hashicorp/null\" produced an invalid plan for null_resource.a, but we are tolerating it because it is using the legacy plugin SDK.
    The following problems may be the cause of any confusing errors from downstream operations:
      - .size: planned value cty.NumberIntVal(1) for a non-computed attribute
      - .tags: planned value cty.ListValEmpty(cty.String) does not match config value cty.NullVal(cty.List(cty.String))
2026-01-02T03:04:05.679+0100 [DEBUG] something else: - .a: was null, but now cty.True
2026-01-02T03:04:05.680+0100 [WARN]  Provider \"registry.terraform.io/hashicorp/null\" produced an unexpected new value for null_resource.a, but we are tolerating it because it is using the legacy plugin SDK.
    The following problems may be the cause of any confusing errors from downstream operations:
      - .name: was cty.StringVal(\"A\"), but now cty.StringVal(\"a\")
";
    let all = explain(log);
    let told: Vec<_> = all
        .iter()
        .map(|one| (one.clauses[0], one.path.as_deref().unwrap_or(""), one.kind.unwrap_or(""), one.tolerated))
        .collect();
    let wanted = [
        (Clause::P5, "size", "noncomputed_planned", true),
        (Clause::P5, "tags", "not_config", true),
        (Clause::A5, "name", "value_changed", true),
    ];
    assert_eq!(told, wanted);
    assert!(all.iter().all(|one| one.address.as_deref() == Some("null_resource.a")));
    assert_eq!(all[1].similarity.map(Similarity::kind), Some("null_and_empty"));
}

#[test]
fn what_is_about_no_provider_is_left_out() {
    for text in [
        "",
        "Error: Unsupported argument\n\nAn argument named \"x\" is not expected here.",
        "No changes.",
        "panic: no block\n\ngoroutine 1 [running]:\nmain.main()\n\t/go/mod/example.com/terraform-provider-acme@v1.2.3/cmd/migrate/main.go:5 +0x8a5",
    ] {
        assert_eq!(explain(text), []);
    }
}

/// Whatever is pasted, it is read or left out.
#[test]
fn nothing_is_too_odd() {
    for text in [
        "Error: ",
        "│",
        "╷\n│ Error: \n╵",
        "When applying changes to , provider  produced an unexpected new value: ",
        "Provider \"\" planned an invalid value for : : .",
        "\u{1b}",
        "\u{1b}[",
        "- \n- \n",
        "[\"",
        "{\"diagnostic\":",
        "```",
        "``````",
        "```é",
        "\\nError: ",
        "\"\\nError: \\u",
        "é: Error: x\né: y",
        "1é Error: x\n12é y\né",
        "Provider \"a\" returned a value for the write-only attribute \"a.b[\\\"é\\\"].c\\\" during planning",
        "failed to instantiate provider \"\" to obtain schema:",
        "failed to retrieve schema from provider \":",
        "Path: é\nTarget Type: ",
        "[ERROR] vertex \"import a.b result\" error: ",
        "Resource ID:  Mismatch reason: ",
        "* a.é: Resource ID: a.é Mismatch reason: attribute mismatch: ",
        "Error: InternalValidate\n\nInternal validation of the provider failed! this bug:\n\n* resource é: : \n* ",
        "`````é`\n`````",
        "Failed to marshal state to json: ",
        "AttributeName(\"é\").ElementKeyString(\"",
    ] {
        let _ = explain(text);
    }
    // A text may begin and end anywhere.
    let whole = "# é produced an unexpected new value: .é[0]: was absent, but now present.\n\n│ Error: Provider produced inconsistent final plan\n│\n│ When expanding the plan for t.é[\"é\"] to include new values learned so far during apply, provider \"registry.terraform.io/é/é\" produced an invalid new value for .é: was known, but now unknown.\n╵\n";
    for (at, _) in whole.char_indices() {
        let _ = explain(&whole[..at]);
        let _ = explain(&whole[at..]);
    }
    let long = "Provider \"a\" planned an invalid value for a.b[".repeat(20_000);
    let _ = explain(&long);
    // Each of these lines may be the heading of a message, with something before it.
    let lines: String = (0..5_000).map(|i| format!("{}: Error: x\n", "a".repeat(i % 150))).collect();
    let _ = explain(&lines);
    let _ = explain(&format!("\\nError: {}", "\"\\n\" ".repeat(100_000)));
    // Each of these is compared with the others.
    for line in [
        "Error: Provider produced invalid plan",
        "[ERROR] vertex \"a.b\" error: Provider produced invalid plan",
    ] {
        let lines: String = (0..5_000).map(|i| format!("{line} {i}\n")).collect();
        assert!(!explain(&lines).is_empty());
    }
    let _ =
        explain(&"Stack trace from the terraform-provider-a_v1 plugin:\npanic: a\ngoroutine ".repeat(5_000));
}

#[test]
fn what_names_no_clause_in_its_heading_is_understood() {
    for (text, clause) in [
        (
            "Error: Plugin did not respond\n\nThe plugin encountered an error, and failed to respond to the\nplugin6.(*GRPCProvider).PlanResourceChange call. The plugin logs may contain\nmore details.",
            Clause::T2,
        ),
        (
            "Error: The terraform-provider-acme plugin crashed!\n\nThis is always indicative of a bug within the plugin.",
            Clause::T2,
        ),
        ("Error: import of acme_disk.t didn't set type", Clause::I2),
        ("Error: an object is required", Clause::P4),
        (
            "Error: Provider returned invalid value\n\nThe provider \"provider[\\\"registry.terraform.io/acme/acme\\\"]\" returned a\nvalue for the write-only attribute \"acme_disk.t.pw\" during an\nacross type move operation to acme_disk.t. Write-only\nattributes cannot be read back from the provider.",
            Clause::M3,
        ),
        (
            "Error: Error in function call\n\n  on main.tf line 7, in output \"x\":\n   7:  value = provider::acme::f(\"a\")\n\nCall to function \"provider::acme::f\" failed: number is\nrequired.",
            Clause::N1,
        ),
        (
            "Error: Error in function call\n\nCall to function \"provider::acme::f\" failed: Plugin error: The\nplugin returned an unexpected error from\nplugin6.(*GRPCProvider).CallFunction: rpc error: code = Internal desc =\nboom.",
            Clause::T1,
        ),
    ] {
        let all = explain(text);
        assert_eq!(all.first().and_then(|one| one.clauses.first()), Some(&clause), "{text}: {all:?}");
    }
    // A function that refuses its argument is in its right.
    assert_eq!(
        explain("Error: Error in function call\n\nCall to function \"provider::acme::f\" failed: too long."),
        []
    );
}

/// Text before and after a sentence is not read as part of it.
#[test]
fn words_begin_and_end_with_their_sentence() {
    for (text, words, value) in [
        (
            r#"{"msg":"\u2577\n\u2502 Error: Provider produced inconsistent result after apply\n\u2502 \n\u2502 When applying changes to t_x.y, provider \"t\" produced an unexpected new value: .a: was null, but now cty.StringVal(\"q\").\n\u2575"}"#,
            r#"was null, but now cty.StringVal("q")"#,
            Some(("actual", r#"cty.StringVal("q")"#)),
        ),
        (
            "I get: \"When applying changes to t_x.y, provider \"t\" produced an unexpected new value: .a: was cty.StringVal(\"x. y\"), but now null.\" Any ideas?",
            r#"was cty.StringVal("x. y"), but now null"#,
            Some(("planned", r#"cty.StringVal("x. y")"#)),
        ),
        (
            "Error: Unexpected Identity Change\n\nDuring the read operation, the provider unexpectedly returned a different identity than the previously stored one.",
            "During the read operation, the provider unexpectedly returned a different identity than the previously stored one.",
            None,
        ),
        (
            "Error: Invalid resource type\n\n  on main.tf line 5, in resource \"t_foo\" \"x\":\n   5: resource \"t_foo\" \"x\" {\n\nThe provider provider.t does not support resource type \"t_foo\".",
            "The provider provider.t does not support resource type \"t_foo\".",
            None,
        ),
    ] {
        let all = explain(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        assert_eq!(all[0].words.as_deref(), Some(words), "{text}");
        if let Some((name, value)) = value {
            assert_eq!(all[0].values.get(name).map(String::as_str), Some(value), "{text}");
        }
    }
}

#[test]
fn the_type_of_a_schema_is_named() {
    let text = "Error: Failed to load plugin schemas\n\nprovider registry.terraform.io/acme/t has invalid schema for managed resource type \"t_x\", which is a bug in the provider: a: must set Optional, Required or Computed";
    let all = explain(text);
    assert_eq!((all.len(), all[0].schema_type.as_deref()), (1, Some("t_x")));
    assert_eq!(all[0].resource_type(), Some("t_x"));
}

/// Advice fits what the message tells.
#[test]
fn advice_depends_on_the_message() {
    let advice = |text: &str| *explain(text)[0].advice().unwrap();
    let named = advice("Error: a number is required\n\n  with t_x.a,\n");
    assert!(!named.meaning.contains("names neither"), "{}", named.meaning);
    assert!(advice("Error: a number is required").meaning.contains("neither"));
    let upgrade = advice(
        "Error: Unable to Upgrade Resource State\n\nThis resource was implemented without an UpgradeState() method, however Terraform was expecting an implementation for version 0 upgrade.",
    );
    assert!(upgrade.framework.contains("UpgradeState"), "{}", upgrade.framework);
}

/// The box, the stack trace and the last words are of one crash.
#[test]
fn what_is_known_of_a_crash_is_together() {
    let text = "\
╷
│ Error: Plugin did not respond
│ 
│   with cloud_user.admin,
│   on main.tf line 1, in resource \"cloud_user\" \"admin\":
│ 
│ The plugin encountered an error, and failed to respond to the
│ plugin6.(*GRPCProvider).ApplyResourceChange call. The plugin logs may
│ contain more details.
╵

Stack trace from the terraform-provider-cloud_v1.18.0 plugin:

panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x2 addr=0x0 pc=0x1]

goroutine 16 [running]:
github.com/hashicorp/terraform-plugin-framework/resource.create(0x1)
\t/go/pkg/mod/github.com/hashicorp/terraform-plugin-framework@v1.2.0/resource/create.go:12 +0x1
github.com/acme/terraform-provider-cloud/internal/user.(*userResource).Create(0xc0001, {0x1, 0x2})
\t/home/runner/work/terraform-provider-cloud/internal/user/resource.go:32 +0x8ec

Error: The terraform-provider-cloud_v1.18.0 plugin crashed!

This is always indicative of a bug within the plugin.
";
    let all = explain(text);
    assert_eq!(all.len(), 1, "{all:?}");
    let one = &all[0];
    let facts = [&one.address, &one.provider, &one.version, &one.call, &one.frame, &one.words];
    let wanted = [
        "cloud_user.admin",
        "cloud",
        "1.18.0",
        "ApplyResourceChange",
        "user.(*userResource).Create (resource.go:32)",
        "panic: runtime error: invalid memory address or nil pointer dereference",
    ];
    assert_eq!(facts.map(|text| text.as_deref().unwrap_or_default()), wanted);
}

/// Two providers that crash are two crashes.
#[test]
fn crashes_of_two_providers_are_told_apart() {
    let trace = |name: &str| {
        format!(
            "Stack trace from the terraform-provider-{name}_v1.0.0 plugin:\n\npanic: {name}\n\ngoroutine 1 [running]:\nmain.main()\n\nError: The terraform-provider-{name}_v1.0.0 plugin crashed!\n\nThis is always indicative of a bug within the plugin.\n\n"
        )
    };
    let all = explain(&format!("{}{}", trace("one"), trace("two")));
    let reasons: Vec<&str> = all.iter().filter_map(|one| one.words.as_deref()).collect();
    assert_eq!(all.len(), 2, "{all:?}");
    for reason in ["panic: one", "panic: two"] {
        assert_eq!(reasons.iter().filter(|words| **words == reason).count(), 1, "{all:?}");
    }
}

/// Details of a message beside its clause decide the advice.
#[test]
fn advice_is_about_what_happened() {
    for (text, words) in [
        (
            "Error: Plugin error\n\nThe plugin returned an unexpected error from plugin.(*GRPCProvider).PlanResourceChange: rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5000000 vs. 4194304)",
            "smaller",
        ),
        (
            "Error: rpc error: code = Internal desc = grpc: error while marshaling: string field contains invalid UTF-8",
            "UTF-8",
        ),
        (
            "[WARN]  Provider \"registry.terraform.io/acme/cloud\" produced an unexpected new value for cloud_vm.v during refresh.\n      - Root object was present, but now absent",
            "credentials",
        ),
        (
            "Error: Provider produced invalid object\n\nProvider \"registry.terraform.io/acme/cloud\" produced a value for data.cloud_image.i.tags that is not wholly known.",
            "on each read",
        ),
        (
            "Error: Provider produced inconsistent final plan\n\nWhen expanding the plan for terraform_data.t to include new values learned so far during apply, provider \"terraform.io/builtin/terraform\" produced an invalid new value for .input: was null, but now cty.StringVal(\"\").",
            "that resource",
        ),
        (
            "Error: Value Conversion Error\n\nReceived unknown value, however the target type cannot handle unknown values.\n\nPath: a\nTarget Type: string",
            "known when it is planned",
        ),
        (
            "Error: Value Conversion Error\n\nAn unexpected error was encountered trying to convert from struct: mismatch between struct and object.\n\nPath: a",
            "version of the provider before",
        ),
        (
            "Error: Required plugins are not installed\n\n  - registry.terraform.io/acme/cloud: the cached package for registry.terraform.io/acme/cloud 1.0.0 (in .terraform/providers) does not match any of the checksums recorded in the dependency lock file",
            "providers lock",
        ),
        (
            "Unexpected Identity Change: During the read operation, the Terraform Provider unexpectedly returned a different identity then the previously stored one.\n\nCurrent Identity: a\n\nNew Identity: b",
            "stored identity",
        ),
    ] {
        let all = explain(text);
        let advice = all.first().and_then(Explained::advice).map(|advice| advice.workaround);
        assert!(advice.is_some_and(|advice| advice.contains(words)), "{text}: {all:?} {advice:?}");
    }
}

/// The version of a package or program is named in paths and sentences.
#[test]
fn the_version_of_the_provider_is_known_where_it_is_named() {
    let load =
        "Failed to instantiate provider \"registry.terraform.io/acme/acme\" to obtain schema: fork/exec";
    for (text, version) in [
        (format!("{load} .terraform/providers/x/2.16.0/linux_amd64/terraform-provider-acme_v2.16.0: permission denied"), Some("2.16.0")),
        (format!("{load} .terraform/providers/x/2.1.0-rc1/linux_amd64/terraform-provider-acme: permission denied"), Some("2.1.0-rc1")),
        (format!("{load} ./terraform-provider-acme: permission denied"), None),
        ("Error: Failed to install provider\n\nError while installing acme/acme v3.5.0: the local package for registry.terraform.io/acme/acme 3.5.0 doesn't match any of the checksums previously recorded".into(), Some("3.5.0")),
    ] {
        assert_eq!(explain(&text)[0].version.as_deref(), version, "{text}");
    }
}

/// A message is pasted with the values of sensitive attributes in it. With the schema at hand nothing of them is said again.
#[test]
fn pasted_values_of_sensitive_attributes_are_not_repeated() {
    const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/cloud":{
        "resource_schemas":{"cloud_thing":{"version":0,"block":{
            "attributes":{
                "name":{"type":"string","optional":true},
                "token":{"type":"string","optional":true,"sensitive":true},
                "env":{"type":["map","string"],"optional":true,"sensitive":true}},
            "block_types":{"login":{"nesting_mode":"set","block":{"attributes":{
                "user":{"type":"string","optional":true},
                "key":{"type":"string","optional":true,"sensitive":true}}}}}}}}}}}"#;
    let schemas = ProviderSchemas::parse(SCHEMAS).unwrap();
    let said = |place: &str, problem: &str| {
        format!(
            "Error: Provider produced inconsistent result after apply\n\nWhen applying changes to {place}, provider \
             \"provider[\\\"registry.terraform.io/acme/cloud\\\"]\" produced an unexpected new value: {problem}.\n\n\
             This is a bug in the provider, which should be reported in the provider's own issue tracker.\n"
        )
    };
    let value = "was cty.StringVal(\"swordfish\"), but now cty.StringVal(\"swordfish2\")";
    let element = "planned set element cty.ObjectVal(map[string]cty.Value{\"key\":cty.StringVal(\"swordfish\"), \
                   \"user\":cty.StringVal(\"u\")}) does not correlate with any element in actual";
    for (problem, is_hidden) in [
        (format!(".token: {value}"), true),
        (format!(".env[\"swordfish\"]: {value}"), true),
        (".env: new element \"swordfish\" has appeared".to_owned(), true),
        (format!(".login: {element}"), true),
        (format!(".gone: {value}"), true),
        (format!(".name: {value}"), false),
    ] {
        let text = said("cloud_thing.a", &problem);
        let messages: Vec<ExplainedMessage> = explain(&text)
            .into_iter()
            .map(|explained| {
                let objects = |_: &_, _: &_, _: &_| Ok::<_, std::convert::Infallible>(Objects::default());
                let Ok(evidence) = Evidence::from_schemas(&explained, &schemas, objects);
                ExplainedMessage { explained, evidence }
            })
            .collect();
        assert_eq!(messages.len(), 1, "{text}");
        let mut out = Vec::new();
        write_text(&mut out, &messages).unwrap();
        let out = String::from_utf8(out).unwrap();
        let json = serde_json::to_string(&ExplainDocument::new(&messages)).unwrap();
        for shown in [out, json] {
            assert_eq!(shown.contains("swordfish"), !is_hidden, "{problem}\n{shown}");
        }
    }
}
