//! Options from the environment and from files.

use std::process::Command;

use crate::folder::Folder;
use crate::program::Output;

const MODULE: &str = "resource \"terraform_data\" \"a\" {\n}\n";

/// The program in a folder, with these variables.
fn run(folder: &Folder, variables: &[(&str, &str)], line: &str) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(line.split(' '))
        .env("OBJCHANGE_CACHE_DIR", "")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .envs(variables.iter().copied())
        .current_dir(folder.at("."))
        .output()
        .unwrap();
    Output {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with("settings", &[("dir/main.tf", MODULE)]);
    files.iter().for_each(|(file, text)| folder.write(file, text));
    folder
}

const MARKDOWN: &str = "\n## Terraform plan:";

fn is_markdown(output: &Output) -> bool {
    format!("\n{}", output.stdout).contains(MARKDOWN)
}

#[test]
fn variables_and_the_file_of_a_directory_give_formats_colours_and_schemas() {
    let of_directory = [("objchange.toml", "# Ours\nformat = [\"mermaid\", \"markdown\"]\n")];
    let variable = [("OBJCHANGE_FORMAT", "markdown")];
    for (files, variables) in [(&[][..], &variable[..]), (&of_directory[..], &[])] {
        let folder = folder(files);
        let output = run(&folder, variables, "show dir");
        assert!(output.code == 0 && is_markdown(&output), "{output:?}");
        // The command line is stronger, also where it excludes the option.
        for line in [
            "show dir --format terraform",
            "show dir --summary",
            "show dir --json",
            "plan dir",
            "show dir --explain terraform_data.a",
        ] {
            let output = run(&folder, variables, line);
            assert!(output.code == 0 && !is_markdown(&output), "{line}: {output:?}");
        }
        // A form that a command does not have is not used.
        let graph = run(&folder, variables, "graph dir").stdout;
        assert_eq!(graph.contains("digraph"), variables == variable, "{graph}");
    }
    let folder = folder(&[("objchange.toml", "color = 'always'\n")]);
    assert!(run(&folder, &[], "show dir").stdout.contains("\u{1b}["));
    assert!(!run(&folder, &[("OBJCHANGE_COLOR", "never")], "show dir").stdout.contains("\u{1b}["));
    assert!(!run(&folder, &[], "--color never show dir").stdout.contains("\u{1b}["));
    assert!(!run(&folder, &[("OBJCHANGE_FORMAT", "")], "show dir --color auto").stdout.contains("\u{1b}["));
    // The schemas are read, and cannot be.
    for variables in [&[("OBJCHANGE_SCHEMAS", "none.json")][..], &[]] {
        folder.write("objchange.toml", if variables.is_empty() { "schemas = \"none.json\"" } else { "" });
        let output = run(&folder, variables, "show dir");
        assert!(output.code == 2 && output.stderr.contains("none.json"), "{output:?}");
        assert_eq!(run(&folder, variables, "eval 1").code, 0);
    }
}

#[test]
fn what_decides_a_check_stands_in_a_named_file_alone() {
    let files = [
        (
            "ci/settings.toml",
            "allow-unmatched = true\nfail-on = [\"create\", \"undecided\"]\nrego = \"policies\"\nquiet = true\n",
        ),
        ("ci/policies/p.rego", "package main\n\ndeny contains \"no\" if true\n"),
        ("loose.toml", "ignore = ['terraform_data.*:input']\nfail-on = 'delete'\n"),
    ];
    let folder = folder(&files);
    for line in ["show dir --settings ci/settings.toml", "--settings=ci/settings.toml plan dir"] {
        let output = run(&folder, &[], line);
        assert!(
            output.code == 1 && output.stderr.contains("refused by --fail-on: 1 to create"),
            "{line}: {output:?}"
        );
    }
    assert_eq!(run(&folder, &[], "show dir --settings loose.toml").code, 0);
    assert_eq!(run(&folder, &[], "show dir --settings ci/settings.toml --fail-on delete").code, 0);
    // The paths of a file are relative to it, and a required option may come from it.
    let output = run(&folder, &[], "policy dir --settings ci/settings.toml");
    assert!(output.code == 1 && output.stdout.contains("no"), "{output:?}");
    let output = run(&folder, &[], "policy dir");
    assert!(output.code == 2 && output.stderr.contains("--rego"), "{output:?}");
    // Options behind `--` are names.
    assert_eq!(run(&folder, &[], "show dir -- --settings=ci/settings.toml").code, 2);
    for key in [
        "ignore = 'x'",
        "fail-on = 'delete'",
        "allow-errored = true",
        "skip-unreadable = true",
        "rego = 'x'",
        "quiet = true",
    ] {
        folder.write("objchange.toml", format!("format = 'markdown'\n {key}\n"));
        let output = run(&folder, &[], "show dir");
        assert!(
            output.code == 2
                && output.stderr.contains("objchange.toml:2:2: ")
                && output.stderr.contains("--settings FILE"),
            "{key}: {output:?}"
        );
    }
    // A gate that the command line excludes would pass what it has not checked.
    folder.write("objchange.toml", "");
    folder.write("gate.toml", "fail-on = 'create'");
    folder.write("plan.json", &run(&folder, &[], "show dir --document").stdout);
    let output = run(&folder, &[], "show plan.json --document --settings gate.toml");
    assert!(
        output.code == 2 && output.stderr.contains("gate.toml:1:1: `fail-on` cannot be used"),
        "{output:?}"
    );
    // So would one that a form of the command lacks.
    let output = run(&folder, &[], "plan --type t --config c.json --settings gate.toml");
    assert!(
        output.code == 2 && output.stderr.contains("gate.toml:1:1: `fail-on` cannot be used"),
        "{output:?}"
    );
    // Whoever names the file itself trusts it.
    folder.write("objchange.toml", "fail-on = 'create'");
    assert_eq!(run(&folder, &[], "show dir --settings objchange.toml").code, 1);
}

#[test]
fn schemas_of_the_directory_are_named_where_something_is_decided() {
    let schemas = r#"{"format_version":"1.0","provider_schemas":{}}"#;
    let text = "schemas = 'schemas.json'\n";
    let folder = folder(&[("schemas.json", schemas), ("objchange.toml", text), ("named.toml", text)]);
    folder.write("plan.json", &run(&folder, &[], "show dir --document").stdout);
    let note = "note: objchange.toml:1:1: this decides with the schemas that are named here";
    for line in [
        "hash plan.json",
        "diff plan.json plan.json",
        "query plan.json true",
        "show plan.json --fail-on delete",
    ] {
        let output = run(&folder, &[], line);
        assert!(output.code == 0 && output.stderr.contains(note), "{line}: {output:?}");
        for trusted in [" --schemas schemas.json", " --settings named.toml", " --quiet"] {
            let output = run(&folder, &[], &format!("{line}{trusted}"));
            assert!(output.code == 0 && !output.stderr.contains(note), "{line}{trusted}: {output:?}");
        }
    }
    assert!(!run(&folder, &[], "show plan.json").stderr.contains(note));
}

#[test]
fn wrong_settings_are_refused_with_their_place() {
    let folder = folder(&[]);
    for (text, part) in [
        ("shemas = 'a'", "objchange.toml:1:1: there is no setting `shemas`; did you mean schemas?"),
        (
            "format = 'markdwon'",
            "objchange.toml:1:1: no command has the format `markdwon`; did you mean markdown?",
        ),
        ("format = true", "objchange.toml:1:1: `format` needs a text"),
        ("format = 'markdown", "objchange.toml:1:19: invalid literal string"),
        ("[show]", "objchange.toml:1:1: there are no sections here"),
        ("color = 'always'\ncolor = 'never'", "objchange.toml:2:1: duplicate key"),
    ] {
        folder.write("objchange.toml", text);
        let output = run(&folder, &[], "show dir");
        assert!(output.code == 2 && output.stderr.contains(part), "{text}: {output:?}");
    }
    folder.write("objchange.toml", "");
    let output = run(&folder, &[("OBJCHANGE_FORMAT", "htlm")], "show dir");
    assert!(
        output.code == 2
            && output
                .stderr
                .contains("OBJCHANGE_FORMAT: no command has the format `htlm`; did you mean html?"),
        "{output:?}"
    );
    let named = [
        ("ignroe = 'x'", "there is no setting `ignroe`; did you mean ignore?"),
        ("allow-errored = 'x'", "`allow-errored` is `true` or `false`"),
        ("ignore = 'a['", "`ignore` has a value that this option cannot have"),
    ];
    for (text, part) in named {
        folder.write("s.toml", text);
        let output = run(&folder, &[], "show dir --settings s.toml");
        assert!(
            output.code == 2 && output.stderr.contains("s.toml:1:1: ") && output.stderr.contains(part),
            "{text}: {output:?}"
        );
    }
    assert_eq!(run(&folder, &[], "show dir --settings none.toml").code, 2);
}

#[test]
fn quiet_leaves_out_notes_and_warnings() {
    let folder = folder(&[("dir/v.tf", "variable \"x\" {\n}\n\noutput \"x\" {\n  value = var.x\n}\n")]);
    assert!(run(&folder, &[], "show dir").stderr.contains("has no value"));
    for line in ["-q show dir", "show dir -q", "show --quiet dir"] {
        let output = run(&folder, &[], line);
        assert!(output.code == 0 && output.stderr.is_empty(), "{line}: {output:?}");
    }
    assert!(run(&folder, &[], "show -q none").stderr.contains("error: "));
}
