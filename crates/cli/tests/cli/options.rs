//! Options that would do nothing are refused. That of all commands those of planning are is tested beside their definition.

use crate::folder::Folder;
use crate::program::{objchange, objchange_with};

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[]}"#;
const MODULE: &str = "resource \"terraform_data\" \"a\" {\n}\n";

/// The program with these arguments, in a folder that has a plan, policies and modules.
fn run(folder: &Folder, line: &str) -> (i32, String) {
    let arguments = line.split(' ').map(|word| match word {
        "DIR" | "PLAN" | "REGO" | "SENTINEL" | "CASES" => folder.at(word).display().to_string(),
        word => word.to_owned(),
    });
    let output = objchange(arguments, PLAN);
    (output.code, output.stderr)
}

fn folder(name: &str) -> Folder {
    Folder::with(
        name,
        &[
            ("DIR/main.tf", MODULE),
            ("PLAN", PLAN),
            ("REGO/p.rego", "package main\n\ndeny contains \"x\" if input.tfplan.missing\n"),
            ("SENTINEL/p.sentinel", "main = rule { true }\n"),
            ("CASES", ""),
        ],
    )
}

#[test]
fn options_that_do_nothing_are_refused() {
    let folder = folder("options");
    for (line, named) in [
        // Something else is printed, and nobody judges.
        ("plan DIR --answers-template --fail-on delete", "--fail-on"),
        ("plan DIR --explain terraform_data.a --fail-on delete", "--fail-on"),
        ("plan DIR --answers-template --detailed-exitcode", "--detailed-exitcode"),
        ("plan DIR --explain terraform_data.a --detailed-exitcode", "--detailed-exitcode"),
        ("plan DIR --explain terraform_data.a --only terraform_data.a", "--only"),
        ("plan DIR --explain terraform_data.a --action delete", "--action"),
        ("plan DIR --explain terraform_data.a --answers-template", "--explain"),
        ("plan DIR --answers-template --drift", "--drift"),
        ("plan DIR --answers-template --json", "--json"),
        ("plan DIR --answers-template --out p.json", "--out"),
        ("plan DIR --answers-template --summary", "--summary"),
        ("plan DIR --answers-template --full", "--full"),
        ("plan DIR --json --only terraform_data.a", "--json"),
        ("plan DIR --json --full", "--full"),
        ("plan DIR --group-by type", "--summary"),
        ("plan DIR --allow-unmatched", "--fail-on"),
        ("plan DIR --timeout 5s", "--real-provider"),
        // Options for directories of modules.
        ("show PLAN --destroy", "--destroy"),
        ("show --state s.tfstate", "--state"),
        ("hash - --refresh=true", "--refresh"),
        ("diff PLAN PLAN --target terraform_data.a", "--target"),
        ("query PLAN true --vars x.tfvars", "--var-file"),
        ("policy REGO --rego REGO --replace terraform_data.a", "--replace"),
        ("sentinel apply SENTINEL PLAN --var a=b", "--var"),
        ("sentinel mock PLAN --max-instances 1000000", "--max-instances"),
        // Options for other forms of output.
        ("show PLAN --allow-unmatched", "--fail-on"),
        ("show PLAN --title x", "--title"),
        ("show PLAN --json --link https://x.example", "--link"),
        ("show PLAN --format html --marker x", "--marker"),
        ("show PLAN --format markdown --out x.html", "--out"),
        ("show PLAN --group-by type", "--summary"),
        ("show PLAN --json --summary", "--json"),
        ("diff PLAN PLAN --title x", "--title"),
        ("diff PLAN PLAN --json --marker x", "--marker"),
        ("query PLAN true --out x.parquet", "--out"),
        ("query PLAN true --json --output table", "--json"),
        ("query PLAN true --count --group-by rc.type", "--count"),
        ("query PLAN true --count --output keys", "--count"),
        ("sentinel apply SENTINEL PLAN --trace --json", "--trace"),
        ("sentinel apply SENTINEL PLAN --trace --sarif -", "--trace"),
        ("sentinel test SENTINEL --verbose --json", "--verbose"),
        ("check CASES --bless --json", "--json"),
        ("conform x --scale --record r.jsonl", "--record"),
        ("conform x --scale --cases 5", "--cases"),
        ("conform x --update-baseline", "--baseline"),
        ("test DIR --watch --json", "--json"),
    ] {
        let (code, stderr) = run(&folder, line);
        let wanted = if line.contains("--detailed-exitcode") { 1 } else { 2 };
        assert!(code == wanted && stderr.contains(named), "{line}: {code}\n{stderr}");
    }
}

#[test]
fn options_of_planning_act_where_one_argument_is_a_module() {
    let folder = folder("options-module");
    for line in [
        "plan DIR --json --only terraform_data.a --fail-on delete",
        "show DIR --destroy",
        "hash DIR --refresh=false",
        "query PLAN DIR --refresh=false true --count",
        "sentinel apply SENTINEL --plan PLAN --plan DIR --refresh=false",
        "sentinel apply SENTINEL --plan PLAN",
    ] {
        let (code, stderr) = run(&folder, line);
        assert_eq!(code, 0, "{line}\n{stderr}");
    }
}

#[test]
fn a_selection_of_several_that_selects_nothing_is_an_error() {
    let policy = "package main\n\ndeny contains \"x\" if input.tfplan.resource_changes[_].type == \"x\"\n\nwarn_b := false\n";
    let case = r#"{"id":"disk-a","op":"proposed_new","schema":{},"want":{}}"#;
    let files = [
        ("PLAN", PLAN),
        ("REGO/p.rego", policy),
        ("REGO/q.rego", "package other\n\nhelper := 1\n"),
        ("SENTINEL/p.sentinel", "main = rule { true }\n"),
        ("SENTINEL/test/p/a.hcl", ""),
        ("CASES", case),
    ];
    let folder = Folder::with("selections", &files);
    for (line, named) in [
        ("policy PLAN --rego REGO --rules deny --rules dney", "`dney`"),
        ("policy PLAN --rego REGO --rules dney", "`dney`"),
        ("policy PLAN --rego REGO --namespace main --namespace mian", "`mian`"),
        ("policy PLAN --rego REGO --namespace main --namespace other", "`other`"),
        ("policy PLAN --rego REGO --namespace other --rules deny", "`other`"),
        ("sentinel test SENTINEL --run p/a --run p/b", "--run p/b"),
        ("sentinel test SENTINEL --run p/b", "--run p/b"),
        ("check CASES --only disk-* --only dsik-*", "--only dsik-*"),
        ("check CASES --only dsik-*", "--only dsik-*"),
        ("show PLAN --fail-on delete --only x.y", "--only"),
    ] {
        let (code, stderr) = run(&folder, line);
        assert!(code == 2 && stderr.contains(named), "{line}: {code}\n{stderr}");
    }
    for line in [
        "policy PLAN --rego REGO --rules deny --rules main.warn_*",
        "policy PLAN --rego REGO --namespace main --namespace other --rules deny --rules helper --fail-on never",
        "sentinel test SENTINEL --run p/a --run a$",
    ] {
        let (code, stderr) = run(&folder, line);
        assert_eq!(code, 0, "{line}\n{stderr}");
    }
}

#[test]
fn options_of_terraform_may_have_one_dash() {
    let folder = folder("one-dash");
    let (code, said) = run(&folder, "plan DIR -destroy -refresh=false -summary");
    // Terraform has no option `-summary`.
    assert_eq!(code, 2, "{said}");
    let (code, said) = run(&folder, "plan DIR -destroy -detailed-exitcode");
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(&folder, "plan DIR -var");
    assert_eq!((code, said.contains("--var")), (2, true), "{said}");
}

#[test]
fn wrong_words_are_answered_with_what_is_meant() {
    let folder = Folder::with("wrong-words", &[("main.tf", MODULE)]);
    folder.write("empty/readme.txt", "");
    folder.write("policies/p.rego", "package main\n\ndeny contains \"x\" if input.plan.errored\n");
    folder.write("policies/p.sentinel", "main = rule { true }\n");
    let at = |name: &str| folder.at(name).display().to_string();
    for command in [
        "show FILE",
        "hash FILE",
        "diff FILE -",
        "query FILE true",
        "policy FILE --rego RULES",
        "sentinel apply RULES --plan FILE",
        "review FILE",
        "plan FILE",
        "graph FILE",
    ] {
        for (name, part) in [("main.tf", "pass its directory"), ("empty", "there is no")] {
            let words = command.split(' ').map(|word| match word {
                "FILE" => at(name),
                "RULES" => at("policies"),
                word => word.to_owned(),
            });
            let output = objchange(words, PLAN);
            // Terraform has a message of its own for a directory without configuration.
            let said = output.stderr.contains(part)
                || name == "empty"
                    && ["and no *.tf", "No configuration files"]
                        .iter()
                        .any(|part| output.stderr.contains(part));
            assert!(output.code != 0 && said, "{command}: {name}: {output:?}");
        }
    }
    for (line, part) in [
        ("show -no-color -", "unexpected argument '-no-color' found"),
        ("show -no-color -", "write `--color never`"),
        ("plan -lock=false", "unexpected argument '-lock' found"),
        ("plan -lock=false", "states are only read"),
        ("plan -chdir=x", "name the directory itself"),
        ("plan --chdir=x", "name the directory itself"),
        ("plan -nonsense=secret", "unexpected argument '-nonsense' found"),
        ("-chdir=x plan", "name the directory itself"),
        ("show -schemas x -", "a similar argument exists: '--schemas'"),
        ("show -fail_on delete -", "a similar argument exists: '--fail-on'"),
        ("sentinel apply -overide x", "a similar argument exists: '--override'"),
        ("--schemas x", "write it behind a command: `objchange show --schemas`"),
        ("-version", "write `objchange --version`"),
        ("plan --apply", "objchange changes nothing"),
        ("schemas list --destroy", "`objchange plan DIR --destroy`"),
        ("destroy", "`objchange plan DIR --destroy`"),
        ("validate .", "also says what is wrong in a configuration"),
        ("version", "write `objchange --version`"),
        ("apply", "`apply` is a command of Terraform; objchange changes nothing"),
    ] {
        let output = objchange(line.split(' '), PLAN);
        assert!(output.code == 2 && output.stderr.contains(part), "{line}: {}", output.stderr);
        assert!(!output.stderr.contains("secret") && !output.stderr.contains("'-n'"), "{}", output.stderr);
    }
    for option in ["--action", "--fail-on"] {
        let output = objchange(["show", option, "destory", "-"], PLAN);
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains("a similar value exists: 'destroy'"), "{}", output.stderr);
    }
}

#[test]
fn colours_can_be_forced_and_the_version_has_features() {
    let show = ["show", "examples/fleet/web.json", "--summary"];
    for (variables, has_colour) in [(&[("FORCE_COLOR", "1")][..], true), (&[("FORCE_COLOR", "")], false)] {
        let output = objchange_with(variables, show, "");
        assert_eq!(output.stdout.contains("\u{1b}["), has_colour, "{variables:?}");
    }
    let version = objchange(["--version"], "").stdout;
    assert!(version.starts_with("objchange ") && version.contains("\nfeatures: browse, "), "{version}");
}

/// An error names the options that are given, and no others.
#[test]
fn options_of_pages_are_named_as_they_were_given() {
    let folder = folder("page-options");
    for (line, said) in [
        ("show PLAN --template t.jinja", "--template needs --format markdown"),
        ("show PLAN --marker m", "--marker needs --format markdown"),
        ("show PLAN --marker m --max-length 9999", "--marker and --max-length need --format markdown"),
        ("show PLAN --title t", "--title needs --format markdown or html"),
        ("review PLAN --format text --link https://x", "--link needs --format markdown or html"),
        ("review PLAN --format html --marker m", "--marker needs --format markdown"),
        ("diff PLAN PLAN --title t --marker m", "--title and --marker need --format markdown"),
        ("review PLAN --marker my-plan", "letters, digits, dots, underscores and slashes"),
    ] {
        let (code, stderr) = run(&folder, line);
        assert!(code == 2 && stderr.contains(said), "{line}: {stderr}");
    }
}
