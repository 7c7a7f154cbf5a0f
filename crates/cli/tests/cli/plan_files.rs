//! Plan files that `terraform plan -out` saved, in every command that takes a plan.

use std::fs;

use crate::folder::Folder;
use crate::program::{Output, objchange, workspace};

/// The plan file of this name that Terraform 1.11.4 wrote, and what `terraform show -json` printed of it.
fn saved(name: &str) -> [String; 2] {
    ["tfplan", "json"].map(|end| format!("crates/saved/tests/files/{name}.{end}"))
}

const NAMES: [&str; 3] = ["create", "replace", "destroy"];

#[track_caller]
fn run(arguments: &[&str]) -> Output {
    objchange(arguments, "")
}

#[test]
fn a_plan_file_and_its_document_have_the_same_answers() {
    for name in NAMES {
        let [file, document] = saved(name);
        for command in [
            &["show"][..],
            &["show", "--json"],
            &["show", "--summary"],
            &["show", "--format", "markdown"],
            &["hash"],
            &["query", "rc.mode == 'managed'", "--output", "json"],
        ] {
            let of = |input: &str| {
                let mut arguments = command.to_vec();
                arguments.insert(1, input);
                let output = run(&arguments);
                (output.code, output.stdout, output.stderr.replace(input, "INPUT"))
            };
            let wanted = of(&document);
            assert_eq!(wanted.0, 0, "{command:?}: {wanted:?}");
            let mut found = of(&file);
            // No document says it.
            found.1 = found.1.replace("\"mode\":\"destroy\",\n", "").replace("\"mode\":\"normal\",\n", "");
            assert_eq!(found, wanted, "{name}: {command:?}");
        }
        let same = run(&["diff", &file, &document]);
        assert_eq!(same.code, 0, "{same:?}");
    }
}

const WITH_SCHEMAS: [&str; 2] = ["--schemas", "crates/saved/tests/files/actions-schemas.json"];

#[test]
fn actions_and_deferred_changes_have_the_answers_of_their_document() {
    let folder = Folder::new("plan-file-actions");
    folder.write(
        "deny.rego",
        "package main\n\ndeny contains one.action_invocation.address if some one in input.deferred_action_invocations\n\n\
         deny contains one.address if some one in input.action_invocations\n\n\
         deny contains one.resource_change.address if some one in input.deferred_changes\n",
    );
    let policy = folder.at("deny.rego");
    for name in ["actions", "deferred"] {
        let [file, document] = saved(name);
        for command in [
            &["policy", "--rego", policy.to_str().unwrap()][..],
            &["show"],
            &["show", "--json"],
            &["show", "--summary", "--fail-on", "invoke,defer"],
            &["show", "--format", "html"],
            &["hash"],
            &["query", "rc.mode == 'managed'", "--output", "json"],
        ] {
            let of = |input: &str| {
                let output = run(&[&[command[0], input], &command[1..], &WITH_SCHEMAS].concat());
                let stdout = output.stdout.replace(input, "INPUT").replace("\"mode\":\"normal\",\n", "");
                (output.code, stdout)
            };
            assert_eq!(of(&file), of(&document), "{name}: {command:?}");
        }
        let same = run(&[&["diff", &file, &document][..], &WITH_SCHEMAS].concat());
        assert_eq!(same.code, 0, "{same:?}");
    }
}

/// Two actions are deferred beside a change of a resource.
#[test]
fn gates_count_actions_and_what_is_deferred() {
    let [file, _] = saved("actions");
    let refused = run(&["show", &file, "--fail-on", "invoke,defer"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("6 to invoke, 3 left to the next plan"), "{refused:?}");
    let [file, _] = saved("deferred");
    let refused = run(&["show", &file, "--fail-on", "defer"]);
    assert!(refused.stderr.contains("8 left to the next plan"), "{refused:?}");
}

#[test]
fn deferred_actions_keep_their_secrets() {
    let [file, _] = saved("actions");
    for command in [
        &["show"][..],
        &["show", "--full"],
        &["show", "--json"],
        &["show", "--format", "html"],
        &["show", "--document", "--redacted"],
        &["query", "true"],
        &["diff", "crates/saved/tests/files/actions.json"],
    ] {
        for schemas in [&[][..], &WITH_SCHEMAS] {
            let output = run(&[&[command[0], &file], &command[1..], schemas].concat());
            assert!(output.code < 2 && !format!("{output:?}").contains("s3cret"), "{command:?}: {output:?}");
        }
    }
}

/// Documents do not say what they were made from, plan files and directories do.
#[test]
fn differences_of_sources_and_provider_versions_are_named() {
    let [files, actions] = ["reads-files", "actions"].map(|name| saved(name)[0].clone());
    let folder = Folder::new("plan-file-sources");
    folder.write("main.tf", b"output \"h\" {\n  value = 1\n}\n");
    folder.write("extra.tf", b"");
    folder.write(
        ".terraform.lock.hcl",
        b"provider \"registry.terraform.io/local/kit\" {\n  version = \"2.0.0\"\n}\n",
    );
    let module = folder.0.to_str().unwrap();
    let compared = |a: &str, b: &str| {
        let text = run(&["diff", a, b]);
        let json = run(&["diff", a, b, "--json"]);
        let page = run(&["diff", a, b, "--format", "markdown"]);
        assert!(text.code < 2 && text.code == json.code && page.code == json.code, "{text:?}");
        let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        crate::schemas::check(&crate::schemas::validator("comparison.schema.json"), &json);
        (text.stdout, json, page.stdout)
    };
    let (text, json, page) = compared(&files, module);
    let sources = "\nSources (3)\n+ extra.tf: only in B\n- m/main.tf: only in A\n! main.tf: another text\n";
    assert!(text.contains(sources), "{text}");
    assert!(
        text.contains("\nVersions of providers (1)\n+ registry.terraform.io/local/kit: 2.0.0, only in B\n"),
        "{text}"
    );
    assert_eq!(json["sources"][2], serde_json::json!({"path": "main.tf", "difference": "other_text"}));
    assert!(page.contains("`m/main.tf`: only in A"), "{page}");
    let (text, json, _) = compared(&actions, module);
    assert!(text.contains("! registry.terraform.io/local/kit: 1.0.0 in A, 2.0.0 in B"), "{text}");
    let versions =
        serde_json::json!([{"provider": "registry.terraform.io/local/kit", "a": "1.0.0", "b": "2.0.0"}]);
    assert_eq!(json["providers"], versions);
    let (text, json, _) = compared(&files, &files);
    assert!(
        text.starts_with("Both plans do the same") && json["sources"].as_array().unwrap().is_empty(),
        "{text}"
    );
    let [file, document] = saved("create");
    let (text, json, _) = compared(&file, &document);
    assert!(!text.contains("Sources") && json.get("sources").is_none() && json.get("providers").is_none());
}

/// A plan file holds configuration files alone.
#[test]
fn files_that_functions_read_are_unknown_when_a_plan_file_is_planned_again() {
    let [file, _] = saved("reads-files");
    let planned = run(&["plan", &file, "--json"]);
    assert_eq!(planned.code, 0, "{planned:?}");
    let note = "the files a.txt, *, m/t.tftpl, b.bin are not in the plan file";
    assert!(planned.stderr.contains(note), "{planned:?}");
    let json: serde_json::Value = serde_json::from_str(&planned.stdout).unwrap();
    let missing: Vec<(&str, &str)> = json["missing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["kind"].as_str().unwrap(), one["address"].as_str().unwrap()))
        .collect();
    assert_eq!(missing, [("file", "a.txt"), ("file", "*"), ("file", "m/t.tftpl"), ("file", "b.bin")]);
    assert_eq!(
        (&json["complete"], &json["resource_changes"][0]["change"]["after_unknown"]["input"]),
        (&false.into(), &true.into())
    );
    assert_eq!(json["deferred_changes"][0]["reason"], "input_missing");
    let refused = run(&["plan", &file, "--fail-on", "delete"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.stderr.contains("input is missing: the file a.txt is not in the plan file"),
        "{refused:?}"
    );
    let explained = run(&["plan", &file, "--explain", "terraform_data.x.input"]);
    assert!(
        explained.stdout.contains("local.a: unknown (the file a.txt is not in the plan file)"),
        "{explained:?}"
    );
    let listed = run(&["plan", &file, "--missing", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    crate::schemas::check(&crate::schemas::validator("plan-missing.schema.json"), &listed);
    let folder = Folder::new("plan-file-reads");
    for (name, text) in [("a.txt", "hello\n"), ("b.bin", "bin"), ("c.json", "{}"), ("m/t.tftpl", "x ${a}")] {
        folder.write(name, text.as_bytes());
    }
    let whole = run(&["plan", &file, "--json", "--allow-path", folder.0.to_str().unwrap()]);
    assert_eq!(whole.code, 0, "{whole:?}");
    let json: serde_json::Value = serde_json::from_str(&whole.stdout).unwrap();
    assert_eq!((&json["complete"], json.get("missing")), (&true.into(), None));
    assert_eq!(json["resource_changes"][0]["change"]["after"]["input"], "hello\n");
}

#[test]
fn plan_files_are_read_from_standard_input_and_folders() {
    let [file, _] = saved("replace");
    let bytes = fs::read(workspace().join(&file)).unwrap();
    let named = run(&["show", &file]);
    assert_eq!(named.code, 0, "{named:?}");
    for command in [&["show"][..], &["show", "-"]] {
        assert_eq!(objchange(command, &bytes).stdout, named.stdout);
    }
    let folder = Folder::new("plan-files");
    folder.write("a/tfplan", &bytes);
    folder.write("b/other.tfplan", &bytes);
    // People give plan files any name.
    folder.write("c/plan.out", &bytes);
    folder.write("c/lambda.zip", b"PK\x03\x04");
    let found = run(&["query", folder.0.to_str().unwrap(), "rc.name == 'first'"]);
    assert_eq!(found.code, 0, "{found:?}");
    assert_eq!(found.stdout.lines().count(), 3, "{found:?}");
}

#[test]
fn policies_judge_plan_files() {
    let folder = Folder::new("plan-file-policy");
    folder.write(
        "deny.rego",
        "package main\n\ndeny contains rc.address if {\n\tsome rc in input.resource_changes\n\t\"delete\" in rc.change.actions\n}\n",
    );
    let policy = folder.at("deny.rego");
    let judge = |name: &str| run(&["policy", &saved(name)[0], "--rego", policy.to_str().unwrap()]);
    assert_eq!(judge("create").code, 0, "{:?}", judge("create"));
    let denied = judge("replace");
    assert_eq!(denied.code, 1, "{denied:?}");
    assert!(denied.stdout.contains("terraform_data.first"), "{denied:?}");
}

/// The sources in the file end in the middle of a block: a rule about the configuration or the variables must not pass.
#[test]
fn nothing_is_decided_by_a_plan_file_without_its_configuration() {
    let file = "crates/saved/tests/files/unreadable-configuration.tfplan";
    let folder = Folder::new("plan-file-configuration");
    folder.write(
        "r.rego",
        "package main\n\ndeny contains \"x\" if some r in input.configuration.root_module.resources\n",
    );
    folder.write("s.sentinel", "import \"tfconfig/v2\" as c\nmain = rule { c.resources is {} }\n");
    let [rego, sentinel] = ["r.rego", "s.sentinel"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    for arguments in [
        &["policy", file, "--rego", &rego][..],
        &["sentinel", "apply", &sentinel, "--plan", file],
        &["query", file, "--of", "config", "true"],
        &["show", file, "--document"],
    ] {
        let output = run(arguments);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{arguments:?}: {output:?}");
        assert!(output.stderr.contains("cannot be read"), "{output:?}");
    }
    let shown = run(&["show", file]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stderr.contains("it is left out, and so are all variables"), "{shown:?}");
}

#[test]
fn the_document_is_written_for_its_owner_alone() {
    let [file, document] = saved("create");
    let printed = run(&["show", &file, "--document"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let wanted = fs::read_to_string(workspace().join(document)).unwrap();
    let read = |text: &str| {
        let mut json: serde_json::Value = serde_json::from_str(text).unwrap();
        json["relevant_attributes"]
            .as_array_mut()
            .into_iter()
            .for_each(|all| all.sort_by_key(ToString::to_string));
        json
    };
    assert_eq!(read(&printed.stdout), read(&wanted));
    let folder = Folder::new("plan-file-document");
    let out = folder.at("plan.json");
    let written = run(&["show", &file, "--document", "--out", out.to_str().unwrap()]);
    assert_eq!((written.code, &*written.stdout), (0, ""), "{written:?}");
    assert_eq!(fs::read_to_string(&out).unwrap(), printed.stdout);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(out.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The document is written whole: options that choose or lay out have no effect on it.
    for option in
        ["--json", "--drift", "--only=terraform_data.a", "--type=t", "--mode=normal", "--match-sets"]
    {
        let refused = run(&["show", &file, "--document", option]);
        assert_eq!((refused.code, &*refused.stdout), (2, ""), "{option}: {refused:?}");
    }
}

#[test]
fn sensitive_variables_stay_hidden() {
    // In the others Terraform itself forgets that the output of `terraform_data` is sensitive.
    let [file, _] = saved("create");
    for command in [&["show"][..], &["show", "--full"], &["show", "--json"], &["show", "--format", "html"]] {
        let output = run(&[command, &[&file]].concat());
        assert_eq!(output.code, 0, "{output:?}");
        assert!(!format!("{output:?}").contains("s3cret"), "{command:?}");
    }
    for of in ["variables", "changes", "outputs"] {
        let output = run(&["query", &file, "true", "--of", of, "--output", "json"]);
        assert_eq!(output.code, 0, "{output:?}");
        assert!(!format!("{output:?}").contains("s3cret"), "{of}");
    }
}

#[test]
fn files_that_are_no_plan_are_refused_by_name() {
    let bookmark = r#"{"remote_plan_format":1,"run_id":"run-a1","hostname":"app.terraform.io"}"#;
    let encrypted = r#"{"meta":{},"encrypted_data":"aGk=","encryption_version":"v0"}"#;
    let cases: [(&[u8], &str); 4] = [
        (bookmark.as_bytes(), "bookmark of run run-a1 on app.terraform.io"),
        (encrypted.as_bytes(), "only OpenTofu with its key"),
        (b"tfplan\x02\0\0", "Terraform 0.11 or older"),
        (b"PK\x03\x04broken", "not a plan file as Terraform writes it"),
    ];
    for (bytes, reason) in cases {
        for command in
            [&["show"][..], &["hash", "-"], &["policy", "-", "--rego", "examples"], &["query", "true"]]
        {
            let output = objchange(command, bytes);
            assert_eq!((output.code, &*output.stdout), (2, ""), "{command:?}: {output:?}");
            if command[0] != "policy" {
                assert!(output.stderr.contains(reason), "{command:?}: {output:?}");
            }
        }
    }
}

#[test]
fn the_snapshot_in_a_plan_file_is_planned_once_more() {
    let [file, _] = saved("create");
    let counts = |output: &Output| {
        output.stdout.lines().find(|line| line.starts_with("Plan: ")).map(str::to_owned).unwrap_or_default()
    };
    let (shown, planned) = (run(&["show", &file]), run(&["plan", &file]));
    assert_eq!((planned.code, counts(&planned)), (0, counts(&shown)), "{planned:?}");
    assert!(!counts(&shown).is_empty(), "{shown:?}");
    // It has the values of variables of that time, which are hidden, and others where they are given.
    assert!(!planned.stdout.contains("s3cret"), "{planned:?}");
    assert!(planned.stdout.contains("= \"web\""), "{planned:?}");
    let other = run(&["plan", &file, "--var", "name=other"]);
    assert!(other.code == 0 && other.stdout.contains("= \"other\""), "{other:?}");
    // A plan that destroys is planned as one.
    let [destroy, _] = saved("destroy");
    let (shown, planned) = (run(&["show", &destroy]), run(&["plan", &destroy]));
    assert_eq!((planned.code, counts(&planned)), (0, counts(&shown)), "{planned:?}");
    for (options, message) in [
        (&["--real-providers"][..], "real providers are asked in the directory of a module"),
        (&["--module-source", "acme/net/aws=."], "the modules of a plan file are in it"),
    ] {
        let refused = run(&[&["plan", &file], options].concat());
        assert!(refused.code == 2 && refused.stderr.contains(message), "{refused:?}");
    }
    let [_, document] = saved("create");
    let refused = run(&["plan", &document]);
    assert!(
        refused.code == 2 && refused.stderr.contains("neither the directory of a module nor a plan file")
    );
}

#[test]
fn a_plan_file_is_explained_by_the_configuration_in_it() {
    let [file, document] = saved("create");
    let explained = run(&["show", &file, "--explain", "terraform_data.each[\"a\"].input"]);
    assert_eq!(explained.code, 0, "{explained:?}");
    assert!(explained.stdout.contains("terraform_data.first.id"), "{explained:?}");
    let json = run(&["show", &file, "--explain", "terraform_data.first", "--json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&json.stdout).is_ok(), "{json:?}");
    let refused = run(&["show", &document, "--explain", "terraform_data.first"]);
    assert!(refused.code == 2 && !explained.stdout.contains("s3cret"), "{refused:?}");
}

#[test]
fn a_redacted_document_has_no_secret_and_decides_nothing() {
    for name in NAMES {
        let [file, _] = saved(name);
        let redacted = run(&["show", &file, "--document", "--redacted"]);
        assert_eq!(redacted.code, 0, "{redacted:?}");
        assert!(!redacted.stdout.contains("s3cret"), "{}", redacted.stdout);
        assert!(redacted.stdout.contains("\"(sensitive value)\""), "{}", redacted.stdout);
        let folder = Folder::new("redacted");
        folder.write("plan.json", redacted.stdout.as_bytes());
        folder.write("p.rego", "package main\n\ndeny contains \"x\" if input.errored\n");
        let (plan, policy) = (folder.at("plan.json"), folder.at("p.rego"));
        let (plan, policy) = (plan.to_str().unwrap(), policy.to_str().unwrap());
        // Terraform does not mark the password where a planned value repeats it, and its text shows it there.
        let text = |output: Output| {
            output.stdout.replace("s3cret-pw2", "(sensitive value)").replace("s3cret-pw", "(sensitive value)")
        };
        assert_eq!(
            text(run(&["show", plan, "--mode", "normal"])),
            text(run(&["show", &file, "--mode", "normal"]))
        );
        for command in [
            &["hash", plan][..],
            &["diff", plan, &file],
            &["query", plan, "true"],
            &["policy", plan, "--rego", policy],
            &["show", plan, "--fail-on", "delete"],
        ] {
            let refused = run(command);
            let message = "sensitive values were taken out of this plan";
            assert!(refused.code == 2 && refused.stderr.contains(message), "{command:?}: {refused:?}");
        }
    }
}

#[test]
fn a_plan_is_stale_once_its_state_has_changed() {
    let [file, document] = saved("replace");
    let bytes = fs::read(workspace().join(&file)).unwrap();
    let state = objchange_saved::SavedPlan::read(&bytes).unwrap().state().to_owned();
    let folder = Folder::new("stale");
    let compared = |text: &str| {
        folder.write("terraform.tfstate", text.as_bytes());
        let state = folder.at("terraform.tfstate");
        let text = run(&["diff", &file, "--state", state.to_str().unwrap()]);
        let json = run(&["diff", &file, "--state", state.to_str().unwrap(), "--json"]);
        assert_eq!(text.code, json.code);
        let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        crate::schemas::check(&crate::schemas::validator("staleness.schema.json"), &json);
        (text, json)
    };
    let (text, json) = compared(&state);
    assert_eq!((text.code, &json["outcome"]), (0, &"current".into()), "{text:?}");
    let later = state
        .replace("\"serial\": 7", "\"serial\": 8")
        .replace("\"name\": \"first\"", "\"name\": \"second\"");
    let (text, json) = compared(&later);
    assert_eq!((text.code, &json["outcome"]), (1, &"stale".into()), "{text:?}");
    assert!(text.stdout.contains("terraform_data.first: removed"), "{text:?}");
    assert!(
        text.stdout.contains("terraform_data.second: added") && !text.stdout.contains("s3cret"),
        "{text:?}"
    );
    let (text, json) = compared(&state.replace("4ebb2e86", "00000000"));
    assert_eq!((text.code, &json["outcome"]), (1, &"other_lineage".into()), "{text:?}");
    for option in
        [&["--var", "a=b"][..], &["--allow-expected"], &["--ignore", "tags"], &["--format", "markdown"]]
    {
        let refused = run(&[&["diff", &file, "--state", "x"], option].concat());
        assert!(refused.code == 2 && refused.stderr.contains("has no effect"), "{option:?}: {refused:?}");
    }
    for arguments in [&["diff", &document, "--state", "x"][..], &["diff", &file]] {
        assert_eq!(run(arguments).code, 2, "{arguments:?}");
    }
}
