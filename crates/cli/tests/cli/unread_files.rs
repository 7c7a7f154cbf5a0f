//! Files that look as if they were meant, and that a command does not read: none of them looks as if it passed.

use crate::folder::Folder;
use crate::program::{Output, objchange};

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[]}"#;
/// Terraform writes no blanks, so that this is found by its name alone.
const SPACED: &str = r#"{ "format_version": "1.2", "resource_changes": [] }"#;
const DENY: &str = "package main\n\ndeny contains \"no\" if true\n";
const PASS: &str = "package main\n\ndeny contains \"no\" if input.tfplan.resource_changes[_].type == \"x\"\n";
const MAIN: &str = "main = rule { true }\n";

fn run(folder: &Folder, line: &str) -> Output {
    let arguments = line.split(' ').map(|word| match word.strip_prefix("./") {
        Some(path) => folder.at(path).display().to_string(),
        None => word.to_owned(),
    });
    objchange(arguments, PLAN)
}

/// Commands that would read it refuse a folder with this file, and name it.
#[track_caller]
fn refuses(files: &[(&str, &str)], line: &str, named: &str) {
    let folder = Folder::with("unread", files);
    let output = run(&folder, line);
    assert!(output.code == 2 && output.stderr.contains(named), "{line}: {output:?}");
}

#[track_caller]
fn accepts(files: &[(&str, &str)], line: &str) -> Output {
    let folder = Folder::with("read", files);
    let output = run(&folder, line);
    assert_eq!(output.code, 0, "{line}: {output:?}");
    output
}

#[test]
fn capital_letters_in_names() {
    let rego = [("policy/p.rego", PASS), ("policy/deep/A.REGO", DENY)];
    refuses(&rego, "policy --rego ./policy", "A.REGO");
    refuses(&rego, "policy test ./policy", "A.REGO");
    let data = [("policy/p.rego", PASS), ("data/a.json", "{}"), ("data/b.Yaml", "{}")];
    refuses(&data, "policy --rego ./policy --data ./data", "b.Yaml");
    refuses(&[("policy/p.rego", PASS), ("policy/data.JSON", "{}")], "policy --rego ./policy", "data.JSON");
    let sentinel = [("set/p.sentinel", MAIN), ("set/Q.Sentinel", "main = rule { false }\n")];
    refuses(&sentinel, "sentinel apply ./set", "Q.Sentinel");
    refuses(&sentinel, "sentinel check ./set", "Q.Sentinel");
    refuses(&sentinel, "sentinel fmt --check ./set", "Q.Sentinel");
    let case = [("set/p.sentinel", MAIN), ("set/test/p/a.hcl", ""), ("set/test/p/b.HCL", "")];
    refuses(&case, "sentinel test ./set", "b.HCL");
    refuses(&case, "sentinel test ./set/p.sentinel", "b.HCL");
    let plans = [("plans/a.json", PLAN), ("plans/c.JSON", SPACED), ("p.rego", PASS), ("p.sentinel", MAIN)];
    refuses(&plans, "policy ./plans --rego ./p.rego", "c.JSON");
    refuses(&plans, "query ./plans true --count", "c.JSON");
    let imports = [
        &plans[..3],
        &[(
            "p.sentinel",
            "import \"tfplan/v2\" as tfplan\nmain = rule { tfplan.errored is false or true }\n",
        )],
    ]
    .concat();
    refuses(&imports, "sentinel apply ./p.sentinel --plan ./plans", "c.JSON");
    // Something else may be called so.
    let other = [
        ("plans/a.json", PLAN),
        ("plans/Package.JSON", r#"{"format_version":"1.0","values":{}}"#),
        ("p.rego", PASS),
    ];
    assert!(accepts(&other, "policy ./plans --rego ./p.rego").stderr.contains("Package.JSON"));
}

#[cfg(unix)]
#[test]
fn pipes_are_not_opened() {
    for (file, line) in [
        ("policy/a.rego", "policy --rego ./policy"),
        ("policy/data.json", "policy --rego ./policy"),
        ("set/a.sentinel", "sentinel apply ./set"),
        ("set/a.sentinel", "sentinel check ./set"),
        ("set/test/p/b.hcl", "sentinel test ./set"),
        ("set/test/p/b.hcl", "sentinel test ./set/p.sentinel"),
        ("plans/b.json", "policy ./plans --rego ./policy"),
    ] {
        let folder = Folder::with(
            "pipes",
            &[
                ("policy/p.rego", PASS),
                ("set/p.sentinel", MAIN),
                ("set/test/p/a.hcl", ""),
                ("plans/a.json", PLAN),
            ],
        );
        let made = std::process::Command::new("mkfifo").arg(folder.at(file)).status().unwrap();
        assert!(made.success());
        let output = run(&folder, line);
        let name = file.rsplit('/').next().unwrap();
        assert!(output.code == 2 && output.stderr.contains(name), "{line}: {output:?}");
    }
}

#[test]
fn rules_in_files_of_tests() {
    let with = |test: &'static str| [("policy/p.rego", PASS), ("policy/x_test.rego", test)];
    for test in [
        DENY,
        "package main\n\ntest_a if true\n\nviolation_x contains \"no\" if true\n",
        "package main\n\nimport data.not_there\n\nwarn contains not_there.x(input) if not_there.y\n",
        "package main\n\ndeny[msg] { msg := \"no\" }\n",
    ] {
        refuses(&with(test), "policy --rego ./policy", "x_test.rego:");
    }
    for test in [
        "package main_test\n\nimport data.main\n\ntest_a if count(main.deny) == 0 with input as {\"tfplan\": {\"resource_changes\": []}}\n",
        "package main_test\n\ndenied := 1\n\ndeny(x) := x\n\ntest_a if denied == 1\n",
    ] {
        accepts(&with(test), "policy --rego ./policy");
        accepts(&with(test), "policy test ./policy");
    }
    let named = "package main\n\nmine if true\n";
    refuses(&with(named), "policy --rego ./policy --rules deny --rules mine", "x_test.rego:3");
    let output = accepts(&with("package main\n\n{"), "policy --rego ./policy");
    assert!(output.stderr.contains("x_test.rego:3"), "{output:?}");
    // A file that is named is a policy.
    let folder = Folder::with("named-test", &[("x_test.rego", DENY)]);
    assert_eq!(run(&folder, "policy --rego ./x_test.rego").code, 1);
}

#[test]
fn sentinel_policies_below_a_folder() {
    let set = "policy \"p\" {\n  source = \"./p.sentinel\"\n}\nimport \"module\" \"m\" {\n  source = \"./m/m.sentinel\"\n}\n";
    let files = |more: &[(&'static str, &'static str)]| {
        let first = [
            ("set/sentinel.hcl", set),
            ("set/p.sentinel", MAIN),
            ("set/m/m.sentinel", "f = func() { return 1 }\n"),
        ];
        [&first[..], more].concat()
    };
    accepts(&files(&[]), "sentinel apply ./set");
    accepts(&files(&[("set/test/p/mock.sentinel", "remain = {}\n")]), "sentinel apply ./set");
    refuses(&files(&[("set/deep/q.sentinel", "main = false\n")]), "sentinel apply ./set", "q.sentinel");
    refuses(&files(&[("set/deep/q.sentinel", "main = rule {\n")]), "sentinel apply ./set", "q.sentinel");
    let own = [
        ("set/deep/sentinel.hcl", "policy \"q\" {\n  source = \"./q.sentinel\"\n}\n"),
        ("set/deep/q.sentinel", "main = rule { false }\n"),
    ];
    let output = accepts(&files(&own), "sentinel apply ./set");
    assert!(
        output.stderr.contains("deep/sentinel.hcl: the policies of this set are not applied"),
        "{output:?}"
    );
    // Without a configuration only the policies of the folder itself are applied.
    let loose = [("loose/p.sentinel", MAIN), ("loose/deep/q.sentinel", MAIN)];
    refuses(&loose, "sentinel apply ./loose", "q.sentinel");
    accepts(&loose, "sentinel apply ./loose ./loose/deep/q.sentinel");
    accepts(&files(&[("set/deep/q.sentinel", "main = false\n")]), "sentinel apply ./set/sentinel.hcl");
}

/// A repository that anybody may change must not put other files of the machine on a page.
#[cfg(unix)]
#[test]
fn a_template_that_links_out_is_refused() {
    let folder =
        Folder::with("page-link", &[("r/.git/HEAD", ""), ("secret", "swordfish"), ("plan.json", PLAN)]);
    std::fs::create_dir(folder.at("r/t")).unwrap();
    std::os::unix::fs::symlink(folder.at("secret"), folder.at("r/t/out.jinja")).unwrap();
    folder.write("r/page.jinja", "page");
    std::os::unix::fs::symlink(folder.at("r/t"), folder.at("elsewhere")).unwrap();
    folder.write("r/t/own.jinja", "own");
    let show = |template: &str| {
        let [plan, template] = ["plan.json", template].map(|name| folder.at(name).display().to_string());
        objchange(["show", &plan, "--format", "markdown", "--template", &template], "")
    };
    let refused = show("r/t/out.jinja");
    assert_eq!((refused.code, &*refused.stdout), (2, ""), "{refused:?}");
    assert!(refused.stderr.contains("this link leaves the folder"), "{refused:?}");
    assert_eq!(
        (show("r/page.jinja").stdout, show("elsewhere/own.jinja").stdout),
        ("page".into(), "own".into())
    );
}

#[test]
fn documents_of_terraform_are_found_by_any_name() {
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a","mode":"managed","type":"t","name":"a",
        "change":{"actions":["delete"],"before":{},"after":null,"after_unknown":{}}}]}"#;
    let deny =
        "package main\n\ndeny contains \"no\" if input.resource_changes[_].change.actions == [\"delete\"]\n";
    for name in ["plans/plan", "plans/plan.txt", "plans/p.json.bak"] {
        let folder =
            Folder::with("by-content", &[(name, plan), ("plans/notes", "nothing"), ("p.rego", deny)]);
        let output = run(&folder, "policy ./plans --rego ./p.rego");
        assert_eq!(output.code, 1, "{name}: {output:?}");
    }
}
