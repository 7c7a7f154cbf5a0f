//! Which state the module in a directory is planned from, and in which workspace.

use std::ffi::OsString;

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::program::{Output, objchange_with};

const MAIN: &str = "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\n";

const S3: &str = "terraform {\n  backend \"s3\" {\n    bucket = \"b\"\n    key    = \"k\"\n  }\n}\n";

const CLOUD: &str =
    "terraform {\n  cloud {\n    organization = \"o\"\n    workspaces {\n      name = \"w\"\n    }\n  }\n}\n";

const REGO: &str = "package main\ndeny contains rc.address if {\n    some rc in input.resource_changes\n    \"delete\" in \
                    rc.change.actions\n}\n";

/// The data that `terraform init` stores about a backend.
fn initialized(kind: &str, config: &str) -> String {
    format!(
        r#"{{"version":3,"terraform_version":"1.11.4","backend":{{"type":"{kind}","config":{config},"hash":1}}}}"#
    )
}

/// A state with an object of this name, which the configuration has if it is `a`.
fn state(name: &str) -> String {
    format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{{}},"resources":[
        {{"mode":"managed","type":"terraform_data","name":"{name}",
        "provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{{"schema_version":0,"attributes":
        {{"id":"1","input":{{"value":"x","type":"string"}},"output":{{"value":"x","type":"string"}},
        "triggers_replace":null}}}}]}}],"check_results":null}}"#
    )
}

/// A module in `m`, in a repository of its own.
fn module(test: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(test, &[(".git/HEAD", ""), ("m/main.tf", MAIN), ("p.rego", REGO)]);
    folder
        .write("p.sentinel", "import \"tfplan/v2\" as tfplan\nmain = length(tfplan.resource_changes) is 0\n");
    folder.write("old.tfstate", state("old"));
    files.iter().for_each(|(file, text)| folder.write(file, text));
    folder
}

/// Runs a command, in which `DIR` is the module, and `FOLDER` the folder around it.
fn run(folder: &Folder, variables: &[(&str, &str)], line: &str) -> Output {
    let module = folder.at("m").display().to_string();
    let whole = folder.0.display().to_string();
    let argument = |word: &str| OsString::from(word.replace("DIR", &module).replace("FOLDER", &whole));
    objchange_with(variables, line.split(' ').map(argument), "")
}

/// Nothing was planned, for this reason.
#[track_caller]
fn assert_refused(command: &str, output: &Output, why: &str) {
    let is_silent = matches!(&*output.stdout, "" | "0 policies in 0 plans: \n");
    assert!(output.code == 2 && is_silent && output.stderr.contains(why), "{command}: {output:?}");
}

/// All commands that plan the module in a directory.
const COMMANDS: [&str; 12] = [
    "plan DIR",
    "plan DIR --json",
    "plan DIR --fail-on delete,replace",
    "plan DIR --real-providers",
    "plan DIR --explain terraform_data.a",
    "show DIR",
    "diff DIR DIR",
    "hash DIR",
    "policy DIR --rego FOLDER/p.rego",
    "query DIR -e true",
    "sentinel apply FOLDER/p.sentinel --plan DIR",
    "sentinel mock DIR --out FOLDER/mocks",
];

/// A name, the files of the directory, and variables of the environment.
type Elsewhere = (&'static str, Vec<(&'static str, String)>, Vec<(&'static str, &'static str)>);

/// A name, files or variables, and the expected text.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

/// Modules whose state is elsewhere: their files, and the environment.
fn elsewhere() -> Vec<Elsewhere> {
    let secret = r#"{"bucket":"b","secret_key":"s3cret"}"#;
    vec![
        ("s3", vec![("m/backend.tf", S3.to_owned())], vec![]),
        ("cloud", vec![("m/cloud.tf", CLOUD.to_owned())], vec![]),
        ("partial", vec![("m/b.tf", "terraform {\n  backend \"gcs\" {\n  }\n}\n".to_owned())], vec![]),
        (
            "json",
            vec![("m/b.tf.json", r#"{"terraform":{"backend":{"s3":{"bucket":"b"}}}}"#.to_owned())],
            vec![],
        ),
        (
            "json-cloud",
            vec![("m/b.tf.json", r#"{"terraform":[{"cloud":[{"workspaces":{"tags":["a"]}}]}]}"#.to_owned())],
            vec![],
        ),
        (
            "override",
            vec![
                ("m/b.tf", "terraform {\n  backend \"local\" {\n  }\n}\n".to_owned()),
                ("m/b_override.tf", S3.to_owned()),
            ],
            vec![],
        ),
        ("initialized", vec![("m/.terraform/terraform.tfstate", initialized("s3", secret))], vec![]),
        (
            "initialized-local",
            vec![
                ("m/b.tf", "terraform {\n  backend \"local\" {\n  }\n}\n".to_owned()),
                ("m/.terraform/terraform.tfstate", initialized("cloud", "{}")),
            ],
            vec![],
        ),
        (
            "data-dir",
            vec![("m/data/terraform.tfstate", initialized("azurerm", secret))],
            vec![("TF_DATA_DIR", "data")],
        ),
        // A file of the directory is not the state, even if it is called so.
        ("stale", vec![("m/backend.tf", S3.to_owned()), ("m/terraform.tfstate", state("a"))], vec![]),
    ]
}

#[test]
fn a_state_in_a_remote_backend_must_be_given() {
    for (name, files, variables) in elsewhere() {
        let files: Vec<_> = files.iter().map(|(file, text)| (*file, text.as_str())).collect();
        let folder = module(&format!("state-{name}"), &files);
        for command in COMMANDS {
            if ["plan DIR", "show DIR"].contains(&command) {
                let alone = run(&folder, &variables, command);
                assert!(alone.code == 0 && !alone.stderr.contains("s3cret"), "{name}: {command}: {alone:?}");
                assert!(
                    alone.stdout.contains("The state was not read: this is the configuration alone."),
                    "{alone:?}"
                );
                assert!(alone.stdout.contains("# terraform_data.a will be created or updated"), "{alone:?}");
                continue;
            }
            if command.contains("--explain") {
                let explained = run(&folder, &variables, command);
                let is_said = explained.stdout.contains("configured (the state was not read");
                assert!(explained.code == 0 && is_said, "{name}: {command}: {explained:?}");
                continue;
            }
            let refused = run(&folder, &variables, command);
            let how = "`terraform state pull > state.json`; then pass --state state.json, or --no-state";
            assert_refused(command, &refused, how);
            assert!(!refused.stderr.contains("s3cret"), "{name}: {command}: {refused:?}");
            let new = run(&folder, &variables, &format!("{command} --no-state"));
            assert_ne!(new.code, 2, "{name}: {command}: {new:?}");
        }
        // With the state, gates see what is destroyed.
        let given = |line: &str| run(&folder, &variables, &format!("{line} --state FOLDER/old.tfstate"));
        assert_eq!(given("plan DIR --fail-on delete").code, 1, "{name}");
        assert_eq!(given("policy DIR --rego FOLDER/p.rego").code, 1, "{name}");
        let shown = given("show DIR");
        assert!(shown.stdout.contains("# terraform_data.old will be destroyed"), "{name}: {shown:?}");
        // These read no state.
        for command in ["graph DIR", "test DIR", "eval true --config DIR"] {
            let output = run(&folder, &variables, command);
            assert_eq!(output.code, 0, "{name}: {command}: {output:?}");
        }
    }
}

#[test]
fn opentofu_has_a_command_of_its_own() {
    let folder = module("state-tofu", &[("m/backend.tf", S3)]);
    for command in ["plan DIR --as opentofu --json", "show DIR --as opentofu --json"] {
        let refused = run(&folder, &[], command);
        assert!(refused.stderr.contains("`tofu state pull > state.json`"), "{refused:?}");
    }
}

#[test]
fn a_state_and_none_exclude_each_other() {
    let folder = module("state-both", &[]);
    for command in COMMANDS {
        let output = run(&folder, &[], &format!("{command} --no-state --state FOLDER/old.tfstate"));
        assert_eq!(output.code, 2, "{command}: {output:?}");
    }
}

#[test]
fn an_empty_state_is_given_by_mistake() {
    // A pull that fails leaves an empty file.
    let folder = module("state-empty", &[("m/backend.tf", S3), ("empty.json", "")]);
    let refused = run(&folder, &[], "plan DIR --state FOLDER/empty.json --fail-on delete");
    assert_eq!((refused.code, &*refused.stdout), (2, ""), "{refused:?}");
    assert!(refused.stderr.contains("if nothing exists yet, pass --no-state"), "{refused:?}");
    // Terraform takes an empty file of the directory for no state.
    let folder = module("state-touched", &[("m/terraform.tfstate", "")]);
    let new = run(&folder, &[], "plan DIR");
    assert!(new.stdout.contains("Plan: 1 to add"), "{new:?}");
    assert_eq!(new.stderr, "note: the workspace \"default\" has no state: nothing exists yet\n");
}

fn local(arguments: &str) -> String {
    format!("terraform {{\n  backend \"local\" {{\n{arguments}\n  }}\n}}\n")
}

#[test]
fn the_local_backend_is_read_where_it_is_allowed() {
    let unchanged = |folder: &Folder, variables: &[(&str, &str)], line: &str| {
        let output = run(folder, variables, line);
        assert!(output.code == 0 && output.stdout.contains("No changes."), "{line}: {output:?}");
    };
    let state = state("a");
    for (path, file) in [
        ("path = \"st/x.tfstate\"", "m/st/x.tfstate"),
        ("path = \"../states/x.tfstate\"", "states/x.tfstate"),
        ("path = \"a${1}b\"", "m/a1b"),
        ("path = null", "m/terraform.tfstate"),
        ("", "m/terraform.tfstate"),
    ] {
        let folder = module("state-local", &[("m/b.tf", &local(path)), (file, &state)]);
        unchanged(&folder, &[], "plan DIR");
        unchanged(&folder, &[], "show DIR");
    }
    let json = r#"{"terraform":{"backend":{"local":{"path":"st/x.tfstate"}}}}"#;
    unchanged(&module("state-json", &[("m/b.tf.json", json), ("m/st/x.tfstate", &state)]), &[], "plan DIR");
    // The path is that of the default workspace alone.
    let files = [
        ("m/b.tf", &*local("path = \"x.tfstate\"\nworkspace_dir = \"w\"")),
        ("m/w/dev/terraform.tfstate", &state),
    ];
    let folder = module("state-workspace-dir", &files);
    unchanged(&folder, &[("TF_WORKSPACE", "dev")], "plan DIR");
    folder.write("m/.terraform/environment", "dev\n");
    unchanged(&folder, &[], "plan DIR");
    let files = [("m/data/environment", "dev"), ("m/terraform.tfstate.d/dev/terraform.tfstate", &*state)];
    unchanged(&module("state-data-dir", &files), &[("TF_DATA_DIR", "data")], "plan DIR");
    // `terraform init -backend-config` gives what the block leaves out.
    let files = [
        ("m/b.tf", &*local("")),
        (
            "m/.terraform/terraform.tfstate",
            &*initialized("local", r#"{"path":"q.tfstate","workspace_dir":null}"#),
        ),
        ("m/q.tfstate", &state),
    ];
    unchanged(&module("state-partial", &files), &[], "plan DIR");
    // Elsewhere on disk.
    let outside = Folder::with("state-outside", &[("x.tfstate", &state)]);
    let path = outside.at("x.tfstate").display().to_string();
    let folder = module("state-allowed", &[("m/b.tf", &local(&format!("path = {path:?}")))]);
    let refused = run(&folder, &[], "plan DIR");
    assert_eq!((refused.code, &*refused.stdout), (2, ""), "{refused:?}");
    assert!(
        refused.stderr.contains("outside of the directory") && refused.stderr.contains("--allow-path"),
        "{refused:?}"
    );
    unchanged(&folder, &[], &format!("plan DIR --allow-path {}", outside.0.display()));
}

#[test]
fn a_local_state_that_cannot_be_found_is_not_passed_over() {
    let initialized = initialized("local", r#"{"path":"q.tfstate","workspace_dir":null}"#);
    let cases: [Case<'_>; 12] = [
        ("path = var.x", &[], "path of backend \"local\" is not a literal"),
        ("path = \"${var.x}.tfstate\"", &[], "path of backend \"local\" is not a literal"),
        ("workspace_dir = path.module", &[], "workspace_dir of backend \"local\" is not a literal"),
        ("pth = \"x.tfstate\"", &[], "backend \"local\" has no argument \"pth\""),
        ("path = \"\"", &[], "path of backend \"local\" is empty"),
        ("path = \"../../none.tfstate\"", &[], "it is outside of the directory"),
        ("path = \"no/../../../none.tfstate\"", &[], "does not exist, so that nothing beside it can be read"),
        ("path = \"x.tfstate\"", &[("m/.terraform/terraform.tfstate", &initialized)], "run `terraform init`"),
        ("", &[("m/.terraform/terraform.tfstate", "{")], "this is not what `terraform init` writes"),
        ("", &[("m/.terraform/terraform.tfstate", "")], "this is not what `terraform init` writes"),
        ("", &[("m/.terraform/terraform.tfstate", "[]")], "this is not what `terraform init` writes"),
        ("path = \"dir\"", &[("m/dir/file", "")], "this is not a regular file"),
    ];
    for (backend, files, why) in cases {
        let folder = module("state-lost", files);
        folder.write("m/b.tf", local(backend));
        for command in COMMANDS {
            let refused = run(&folder, &[], command);
            assert_refused(command, &refused, why);
        }
        assert_eq!(run(&folder, &[], "plan DIR --no-state").code, 0, "{backend}");
        assert_eq!(run(&folder, &[], "graph DIR").code, 0, "{backend}");
    }
    // The block was removed, and the state not moved.
    let folder = module("state-removed", &[("m/.terraform/terraform.tfstate", &initialized)]);
    let refused = run(&folder, &[], "plan DIR");
    assert!(refused.code == 2 && refused.stderr.contains("run `terraform init`"), "{refused:?}");
}

#[cfg(unix)]
#[test]
fn a_state_that_links_out_of_the_directory_is_refused() {
    use std::os::unix::fs::symlink;
    let other = Folder::with("state-other", &[("terraform.tfstate", &state("a"))]);
    let link = |test: &str, target: std::path::PathBuf, at: &str| {
        let folder = module(test, &[("states/in.tfstate", &state("a"))]);
        std::fs::create_dir_all(folder.at(at).parent().unwrap()).unwrap();
        symlink(target, folder.at(at)).unwrap();
        folder
    };
    let workspaces = "m/terraform.tfstate.d/dev/terraform.tfstate";
    for (at, variables) in [("m/terraform.tfstate", &[][..]), (workspaces, &[("TF_WORKSPACE", "dev")][..])] {
        for (target, why) in [
            (other.at("terraform.tfstate"), "it is outside of the directory"),
            (other.at("none"), "is a link that leads nowhere"),
        ] {
            let folder = link("state-link", target, at);
            for command in COMMANDS {
                let refused = run(&folder, variables, command);
                assert_refused(command, &refused, why);
            }
        }
    }
    let folder = link("state-link-in", "../states/in.tfstate".into(), "m/terraform.tfstate");
    let output = run(&folder, &[], "plan DIR");
    assert!(output.stdout.contains("No changes."), "{output:?}");
    // The directory of all workspaces.
    let folder = link("state-link-dir", other.0.clone(), "m/terraform.tfstate.d");
    let refused = run(&folder, &[("TF_WORKSPACE", "dev")], "plan DIR");
    assert!(refused.code == 2 && refused.stderr.contains("outside of the directory"), "{refused:?}");
    // The name of the workspace is no way to read other files.
    let folder = link("state-link-name", other.file("secret", "s3cret"), "m/.terraform/environment");
    let refused = run(&folder, &[], "plan DIR");
    assert!(refused.code == 2 && !refused.stderr.contains("s3cret"), "{refused:?}");
}

#[test]
fn names_that_no_workspace_has_are_refused() {
    let folder = module("state-names", &[("x/terraform.tfstate", &state("a"))]);
    for name in
        ["../../x", "a/b", "a b", " a", "ä", "a?b", "a%2Fb", "a\\b", "a'b", "a!", "(a)", "a,b", "a;b", "a\nb"]
    {
        // One of them leads to the state of another project.
        let commands = if name == "../../x" { &COMMANDS[..] } else { &["plan DIR"] };
        for command in commands {
            let refused = run(&folder, &[("TF_WORKSPACE", name)], command);
            assert_refused(command, &refused, "TF_WORKSPACE has an invalid workspace name");
        }
    }
    for name in ["dev", "a+b", "a@b", "a:b", "~", "a$b", "a&b=c", "A-z_0.9"] {
        let output = run(&folder, &[("TF_WORKSPACE", name)], "plan DIR");
        assert_eq!(output.code, 0, "{output:?}");
        assert_eq!(output.stderr, format!("note: the workspace {name:?} has no state: nothing exists yet\n"));
    }
    folder.write("m/.terraform/environment", "../../x");
    let refused = run(&folder, &[], "plan DIR --no-state");
    assert!(
        refused.code == 2 && refused.stderr.contains(".terraform/environment has an invalid"),
        "{refused:?}"
    );
    assert_eq!(run(&folder, &[("TF_WORKSPACE", "default")], "plan DIR").code, 0);
}

/// The planned input of a resource that is the name of the workspace: null if it is unknown.
fn workspace(folder: &Folder, variables: &[(&str, &str)]) -> Json {
    let output = run(folder, variables, "plan DIR --json --no-state");
    let plan: Json =
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let change = &plan["resource_changes"][0]["change"];
    let is_unknown = change["after_unknown"]["input"] == true;
    assert_eq!(is_unknown, change["after"]["input"].is_null(), "{change}");
    assert_eq!(is_unknown, output.stderr.contains("set TF_WORKSPACE"), "{output:?}");
    change["after"]["input"].clone()
}

#[test]
fn the_workspace_is_the_selected_one_or_unknown() {
    let main = ("m/main.tf", "resource \"terraform_data\" \"a\" {\n  input = terraform.workspace\n}\n");
    let folder = module("workspace-local", &[main]);
    assert_eq!(workspace(&folder, &[]), "default");
    assert_eq!(workspace(&folder, &[("TF_WORKSPACE", "dev")]), "dev");
    assert_eq!(workspace(&folder, &[("TF_WORKSPACE", "")]), "default");
    folder.write("m/.terraform/environment", " sel\n");
    folder.write("m/data/environment", "moved");
    assert_eq!(workspace(&folder, &[]), "sel");
    assert_eq!(workspace(&folder, &[("TF_WORKSPACE", "dev")]), "dev");
    assert_eq!(workspace(&folder, &[("TF_DATA_DIR", "data")]), "moved");
    let folder = module("workspace-not-literal", &[main, ("m/b.tf", &local("path = var.x"))]);
    assert_eq!(workspace(&folder, &[]), "default");
    for files in [
        &[("m/b.tf", S3)][..],
        &[("m/b.tf", "terraform {\n  cloud {\n    workspaces {\n      tags = [\"a\"]\n    }\n  }\n}\n")][..],
        &[(
            "m/b.tf",
            "terraform {\n  backend \"remote\" {\n    workspaces {\n      name = \"w\"\n    }\n  }\n}\n",
        )][..],
        &[("m/.terraform/terraform.tfstate", &*initialized("s3", "{}"))][..],
    ] {
        let folder = module("workspace-remote", &[&[main], files].concat());
        assert_eq!(workspace(&folder, &[]), Json::Null);
        assert_eq!(workspace(&folder, &[("TF_WORKSPACE", "dev")]), "dev");
        folder.write("m/.terraform/environment", "sel");
        assert_eq!(workspace(&folder, &[]), "sel");
    }
    let folder = module("workspace-cloud", &[main, ("m/b.tf", CLOUD)]);
    assert_eq!(workspace(&folder, &[]), "w");
    assert_eq!(workspace(&folder, &[("TF_WORKSPACE", "w")]), "w");
    let refused = run(&folder, &[("TF_WORKSPACE", "dev")], "plan DIR --no-state");
    assert!(
        refused.code == 2 && refused.stderr.contains("the cloud block has the workspace \"w\""),
        "{refused:?}"
    );
    let json = r#"{"terraform":{"cloud":{"organization":"o","workspaces":{"name":"w"}}}}"#;
    assert_eq!(workspace(&module("workspace-json", &[main, ("m/b.tf.json", json)]), &[]), "w");
}

#[test]
fn what_depends_on_an_unknown_workspace_is_undecided() {
    let main = "locals {\n  is_prod = terraform.workspace == \"prod\"\n}\nmodule \"c\" {\n  source = \"./c\"\n  on     = \
                local.is_prod\n}\n";
    let child = "variable \"on\" {}\nresource \"terraform_data\" \"a\" {\n  count = var.on ? 1 : 0\n}\n";
    let folder = module("workspace-count", &[("m/main.tf", main), ("m/c/c.tf", child), ("m/b.tf", S3)]);
    // It is no error of the module, and no gate takes it for nothing.
    let output = run(&folder, &[], "plan DIR --no-state");
    assert_eq!(output.code, 0, "{output:?}");
    let refused = run(&folder, &[], "plan DIR --no-state --fail-on delete");
    assert_eq!(refused.code, 1, "{refused:?}");
    // Nobody could ask a provider for it.
    for command in ["plan", "show"] {
        let refused = run(&folder, &[], &format!("{command} DIR --no-state --fail-on delete"));
        let why = "1 whose instances depend on the workspace, which nothing names: set TF_WORKSPACE";
        assert!(refused.stderr.contains(why), "{refused:?}");
        assert!(!refused.stderr.contains("providers can"), "{refused:?}");
    }
    let explained = run(&folder, &[], "plan DIR --no-state --explain module.c.terraform_data.a");
    assert!(explained.stdout.contains("terraform.workspace"), "{explained:?}");
    // An instance that is there may be destroyed.
    let state = state("a").replace("\"mode\"", "\"module\":\"module.c\",\"mode\"");
    folder.write("c.tfstate", state.replace("\"schema_version\"", "\"index_key\":0,\"schema_version\""));
    let given = |line: &str| run(&folder, &[], &format!("{line} --state FOLDER/c.tfstate")).code;
    assert_eq!(given("plan DIR --fail-on delete"), 1);
    assert_eq!(given("show DIR --fail-on delete"), 1);
    assert_eq!(given("policy DIR --rego FOLDER/p.rego"), 1);
    assert_eq!(given("query DIR -e rc.change.actions==['delete']"), 3);
    let known = run(&folder, &[("TF_WORKSPACE", "prod")], "plan DIR --no-state --fail-on delete");
    assert!(known.code == 0 && known.stdout.contains("Plan: 1 to add"), "{known:?}");
}

#[test]
fn the_headline_says_that_the_workspace_has_no_state() {
    let folder = module("state-headline", &[("m/terraform.tfstate", &state("a"))]);
    let (has_one, has_none) = ("", "Terraform plan: 1 to create (the workspace has no state)");
    for (variables, headline) in [(&[][..], has_one), (&[("TF_WORKSPACE", "dev")][..], has_none)] {
        for format in ["markdown", "html"] {
            let page = run(&folder, variables, &format!("show DIR --format {format}"));
            assert_eq!(page.code, 0, "{page:?}");
            assert!(page.stdout.contains(headline), "{page:?}");
            assert_eq!(page.stdout.contains("no state"), !headline.is_empty(), "{page:?}");
        }
        for command in ["show", "plan"] {
            let summary = run(&folder, variables, &format!("{command} DIR --summary"));
            let first = "The workspace has no state: nothing exists yet.\nCreate (1)\n";
            assert_eq!(summary.stdout.starts_with(first), !headline.is_empty(), "{summary:?}");
        }
        assert_eq!(no_state(&folder, variables, "show DIR --json") == "missing", !headline.is_empty());
        for command in COMMANDS {
            let output = run(&folder, variables, command);
            let note = "note: the workspace \"dev\" has no state: nothing exists yet\n";
            assert_eq!(output.stderr.contains(note), !headline.is_empty(), "{command}: {output:?}");
        }
    }
    // The user knows it, but whoever reads the answer does not.
    let told = run(&folder, &[], "plan DIR --no-state");
    assert!(!told.stderr.contains("no state"), "{told:?}");
    let summary = run(&folder, &[], "plan DIR --no-state --summary");
    assert!(summary.stdout.starts_with("Planned without a state: nothing exists yet.\n"), "{summary:?}");
    let page = run(&folder, &[], "show DIR --no-state --format markdown");
    assert!(
        page.stdout.starts_with("## Terraform plan: 1 to create (planned without a state)\n"),
        "{page:?}"
    );
    assert_eq!(no_state(&folder, &[], "show DIR --no-state --json"), "left_out");
}

/// Why a plan was made from no state, as the report in JSON says it.
fn no_state(folder: &Folder, variables: &[(&str, &str)], line: &str) -> Json {
    let output = run(folder, variables, line);
    let report: Json =
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    crate::schemas::check(&crate::schemas::validator("report.schema.json"), &report);
    report["no_state"].clone()
}

#[test]
fn a_graph_reads_no_state_of_the_directory() {
    let main = "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\noutput \"o\" {\n  value = terraform_data.a.id\n}\n";
    let folder = module("state-graph", &[("m/main.tf", main), ("m/terraform.tfstate", "broken")]);
    let graph = run(&folder, &[], "graph DIR --only-unknown");
    assert!(graph.code == 0 && graph.stdout.contains("terraform_data.a"), "{graph:?}");
    folder.write("a.tfstate", state("a"));
    let known = run(&folder, &[], "graph DIR --only-unknown --state FOLDER/a.tfstate");
    assert!(known.code == 0 && !known.stdout.contains("terraform_data.a"), "{known:?}");
}

/// The commands that decide by the plan of a directory.
const DECIDING: [&str; 6] = [
    "plan DIR --fail-on delete --summary",
    "show DIR --json",
    "policy DIR --rego FOLDER/p.rego",
    "sentinel apply FOLDER/p.sentinel --plan DIR",
    "query DIR true",
    "hash DIR",
];

#[test]
fn files_of_opentofu_are_not_passed_over() {
    let folder = module("state-tofu-files", &[("m/b.tofu", S3), ("m/.terraform/modules/x/c.tofu", "")]);
    for line in DECIDING {
        assert_refused(line, &run(&folder, &[], line), "only OpenTofu reads b.tofu");
    }
    let plan = run(&folder, &[], "plan DIR --summary");
    assert!(plan.code == 0 && plan.stderr.contains("only OpenTofu reads them: b.tofu"), "{plan:?}");
    let named = run(&folder, &[], "plan DIR --as terraform --fail-on delete --summary");
    assert_eq!(named.code, 0, "{named:?}");
    let named = "plan DIR --as opentofu --fail-on delete --summary";
    assert_refused(named, &run(&folder, &[], named), "the backend \"s3\"");
}

#[test]
fn states_that_are_not_whole_are_refused() {
    let instance = r#"{"mode":"managed","type":"terraform_data","name":"old","provider":"provider[\"terraform.io/builtin/terraform\"]"@}"#;
    let resources = [
        String::new(),
        r#","resources":null"#.to_owned(),
        r#","Resources":[]"#.to_owned(),
        r#","resources":[null]"#.to_owned(),
        format!(r#","resources":[{}]"#, instance.replace('@', "")),
        format!(r#","resources":[{}]"#, instance.replace('@', r#","instances":null"#)),
        format!(r#","resources":[{}]"#, instance.replace('@', r#","instances":[null]"#)),
    ];
    for resources in resources {
        let state =
            format!(r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l"{resources}}}"#);
        let folder = module("state-cut", &[("m/terraform.tfstate", &state)]);
        for line in DECIDING {
            assert_refused(line, &run(&folder, &[], line), "is missing from this state file");
        }
    }
    let empty =
        r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[]}"#;
    let folder = module("state-none", &[("m/terraform.tfstate", empty)]);
    assert_eq!(run(&folder, &[], DECIDING[0]).code, 0);
}

#[test]
fn a_status_that_no_instance_has_is_refused() {
    for (status, code) in [("", 0), ("tainted", 1), ("Tainted", 2)] {
        let resources = format!(
            r#"[{{"mode":"managed","type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]",
                "instances":[{{"schema_version":0,"status":"{status}","attributes":{{"id":"1","input":{{"value":"a","type":"string"}},
                "output":{{"value":"a","type":"string"}},"triggers_replace":null}}}}]}}]"#
        );
        let state = format!(
            r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","resources":{resources}}}"#
        );
        let folder = module("state-status", &[("m/terraform.tfstate", &state)]);
        let output = run(&folder, &[], "plan DIR --fail-on replace --summary");
        assert_eq!(output.code, code, "{status}: {output:?}");
        assert_eq!(output.stderr.contains("status of an instance"), code == 2, "{output:?}");
    }
}

#[test]
fn a_workspace_leads_where_terraform_looks() {
    // Terraform 1.11.4 reads `terraform.tfstate.d/../terraform.tfstate`, also where the directory is missing.
    let folder = module("state-dots", &[("m/terraform.tfstate", &state("old"))]);
    let output = run(&folder, &[("TF_WORKSPACE", "..")], "plan DIR --fail-on delete --summary");
    assert!(output.code == 1 && output.stderr.contains("1 to destroy"), "{output:?}");
    // The system finds no `..` behind a directory that is not there.
    let folder = module("state-path", &[("m/backend.tf", &local("path = \"nope/../s.tfstate\""))]);
    let output = run(&folder, &[], "plan DIR --fail-on delete");
    assert!(output.code == 2 && output.stderr.contains("does not exist"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_no_empty_files() {
    for (name, line) in [
        ("m/b.tf", "plan DIR --fail-on delete"),
        ("m/terraform.tfvars", "plan DIR --fail-on delete"),
        ("m/x.auto.tfvars", "plan DIR"),
        ("m/a.tftest.hcl", "test DIR"),
    ] {
        let folder = module("state-link", &[]);
        std::os::unix::fs::symlink("nowhere", folder.at(name)).unwrap();
        let output = run(&folder, &[], line);
        assert_ne!(output.code, 0, "{name}: {output:?}");
    }
}

#[test]
fn options_that_name_nothing_are_refused() {
    let folder = module("state-target", &[("m/terraform.tfstate", &state("old"))]);
    for option in [
        "--target terraform_data.b",
        "--target module.x",
        "--replace terraform_data.b",
        "--target terraform_data.a[0]",
    ] {
        for line in DECIDING {
            let line = format!("{line} {option}");
            assert_refused(&line, &run(&folder, &[], &line), "nothing in the module or its state");
        }
    }
    for option in ["--target terraform_data.a", "--target terraform_data.old"] {
        let output = run(&folder, &[], &format!("plan DIR --fail-on update --summary {option}"));
        assert_eq!(output.code, 0, "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_not_read_as_files_of_a_module() {
    for name in ["terraform.tfstate", "b.tf", "terraform.tfvars", "x.auto.tfvars"] {
        let folder = module("state-pipe", &[]);
        let pipe = folder.at(&format!("m/{name}"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let output = run(&folder, &[], "plan DIR --summary");
        assert_ne!(output.code, 0, "{name}: {output:?}");
        let said = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("not a regular file"), "{name}: {output:?}");
    }
}
