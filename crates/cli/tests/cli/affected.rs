//! `objchange affected`: which root modules changed files touch.

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::program::{Output, objchange};
use crate::schemas::{check, validator};

/// Two environments with a module that both call, one that calls nothing, and files that are read.
pub(crate) fn folder(test: &str) -> Folder {
    let net =
        "module \"net\" {\n  source = \"../../modules/net\"\n}\noutput \"o\" {\n  value = module.net.o\n}\n";
    Folder::with(
        test,
        &[
            (".git/HEAD", ""),
            ("env/prod/main.tf", net),
            ("env/prod/prod.tfvars", ""),
            ("env/test/main.tf", &format!("{net}locals {{\n  rules = \"${{path.module}}/rules\"\n}}\n")),
            (
                "env/test/more.tf.json",
                r#"{"output": {"p": {"value": "${[for f in fileset(local.rules, \"*.json\") : file(\"${local.rules}/${f}\")]}"}}}"#,
            ),
            (
                "modules/net/main.tf",
                "output \"o\" {\n  value = templatefile(\"${path.module}/o.tftpl\", {})\n}\n",
            ),
            ("modules/net/o.tftpl", "${file(\"../../shared/motd.txt\")}\n"),
            (
                "alone/main.tf",
                "variable \"name\" {}\noutput \"o\" {\n  value = file(\"policies/${var.name}.json\")\n}\n",
            ),
            ("locked/main.tf", ""),
            ("locked/.terraform.lock.hcl", ""),
            ("locked/.terraform/modules/x/main.tf", ""),
            ("docs/README.md", ""),
        ],
    )
}

/// Runs the command with names of changed files, in which `DIR` is the folder as in the arguments: the program does not run
/// there.
fn affected(folder: &Folder, line: &str, changed: &str) -> Output {
    let whole = folder.0.display().to_string();
    let words = format!("affected {line}");
    objchange(words.split(' ').map(|word| word.replace("DIR", &whole)), changed.replace("DIR", &whole))
}

/// The directories that are printed, from the folder on.
fn directories(folder: &Folder, output: &Output) -> Vec<String> {
    assert_eq!(output.code, 0, "{output:?}");
    let whole = format!("{}/", folder.0.display());
    output.stdout.lines().map(|line| line.strip_prefix(&whole).unwrap_or(line).to_owned()).collect()
}

#[test]
fn changed_files_touch_the_modules_that_read_them() {
    let folder = folder("affected");
    for (changed, expected) in [
        ("env/prod/main.tf", vec!["env/prod"]),
        ("env/prod/new.tf.json", vec!["env/prod"]),
        ("env/prod/prod.tfvars", vec!["env/prod"]),
        ("modules/net/main.tf", vec!["env/prod", "env/test"]),
        ("modules/net/deleted.tf", vec!["env/prod", "env/test"]),
        ("modules/net", vec!["env/prod", "env/test"]),
        ("modules/net/o.tftpl", vec!["env/prod", "env/test"]),
        ("shared/motd.txt", vec!["env/prod", "env/test"]),
        ("modules/net/README.md", vec![]),
        ("modules/net-x/main.tf", vec![]),
        ("env/test/rules/new.json", vec!["env/test"]),
        ("env/test/rules-x/new.json", vec![]),
        ("alone/policies/a.json", vec!["alone"]),
        ("alone/policies.json", vec![]),
        ("locked/.terraform.lock.hcl", vec!["locked"]),
        ("docs/README.md", vec![]),
        ("", vec![]),
    ] {
        let changed = if changed.is_empty() { String::new() } else { format!("DIR/{changed}\n") };
        let output = affected(&folder, "DIR", &changed);
        assert_eq!(directories(&folder, &output), expected, "{changed}");
    }
    let some = affected(&folder, "DIR/alone DIR/env/prod", "DIR/modules/net/main.tf\n");
    assert_eq!(directories(&folder, &some), ["env/prod"]);
}

#[test]
fn reasons_are_said() {
    let folder = folder("affected-why");
    let whole = format!("{}/", folder.0.display());
    let output = affected(&folder, "DIR/env/test --why", "DIR/shared/motd.txt\nDIR/env/test/rules/a.json\n");
    let expected = "env/test\n  env/test/rules/a.json is read, or may be: more.tf.json:1,41-73\n  \
                    shared/motd.txt is read, or may be: ../../modules/net/o.tftpl\n";
    assert_eq!(output.stdout.replace(&whole, ""), expected, "{output:?}");
    let json = affected(&folder, "DIR --json", "DIR/shared/motd.txt\n");
    let json: Json = serde_json::from_str(&json.stdout).unwrap();
    check(&validator("affected.schema.json"), &json);
    assert_eq!(json["roots"][1]["reasons"][0]["kind"], "read_file");
    // Every change touches a module that cannot be read, or reads files that only a plan knows.
    folder.write("alone/main.tf", "output \"o\" {\n  value = file(var.path)\n}\nvariable \"path\" {}\n");
    folder.write("locked/main.tf", "output \"o\" {\n");
    let output = affected(&folder, "DIR/alone DIR/locked --why", "DIR/docs/README.md\n");
    let stdout = output.stdout.replace(&whole, "");
    let expected =
        "alone\n  only a plan knows which file is read: main.tf:2,11-25\nlocked\n  it cannot be read: ";
    assert!(stdout.starts_with(expected), "{output:?}");
}

#[test]
fn lists_that_cannot_be_used_are_refused() {
    let folder = folder("affected-bad");
    let wrong_quote = affected(&folder, "DIR", "a.tf\n\"b.tf\n");
    assert_eq!(wrong_quote.code, 2);
    assert!(wrong_quote.stderr.ends_with("line 2: the quote of a name is not closed\n"), "{wrong_quote:?}");
    let more = affected(&folder, "DIR", "M\ta.tf\n");
    assert!(more.code == 2 && more.stderr.contains("git diff --name-only"), "{more:?}");
    for (line, message) in [("DIR/docs", "there is no module"), ("DIR/none", "No such file or directory")] {
        let output = affected(&folder, line, "a.tf\n");
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_lead_to_files_that_count() {
    let folder = Folder::with(
        "affected-links",
        &[
            (".git/HEAD", ""),
            ("a/main.tf", ""),
            ("b/main.tf", ""),
            ("shared/common.tf", ""),
            ("shared/all.tfvars", ""),
        ],
    );
    std::os::unix::fs::symlink("../shared/common.tf", folder.at("a/common.tf")).unwrap();
    std::os::unix::fs::symlink("../shared/all.tfvars", folder.at("b/all.auto.tfvars")).unwrap();
    for (changed, expected) in [("shared/common.tf", ["a"]), ("shared/all.tfvars", ["b"])] {
        let output = affected(&folder, "DIR/a DIR/b", &format!("DIR/{changed}\n"));
        assert_eq!(directories(&folder, &output), expected, "{changed}");
    }
    // A link to nowhere is no configuration that can be read.
    std::os::unix::fs::symlink("nowhere", folder.at("b/more.tf")).unwrap();
    let output = affected(&folder, "DIR/a DIR/b", "DIR/docs/x\n");
    assert_eq!(directories(&folder, &output), ["b"]);
}

#[test]
fn files_are_found_wherever_they_are_named() {
    let folder = Folder::with(
        "affected-named",
        &[
            (".git/HEAD", ""),
            // OpenTofu reads main.tofu in its place.
            ("a/main.tf", "module \"m\" {\n  source = \"../m\"\n}\n"),
            ("a/main.tofu", "locals {\n  x = file(\"x.txt\")\n}\n"),
            ("m/main.tf", "output \"o\" {\n  value = 1\n}\n"),
            // A template that is also read as it is, and one of several.
            (
                "b/main.tf",
                "locals {\n  hash = filesha256(\"t.tftpl\")\n  text = templatefile(\"t.tftpl\", {})\n}\n\
                 output \"o\" {\n  value = templatefile(\"all/${terraform.workspace}.tftpl\", {})\n}\n",
            ),
            ("b/t.tftpl", "${file(\"inner.txt\")}"),
            ("b/all/default.tftpl", "${file(\"deep.txt\")}"),
            // Providers read these.
            (
                "c/main.tf",
                "resource \"aws_lambda_function\" \"f\" {\n  filename = \"${path.module}/app.zip\"\n}\n\
                 data \"archive_file\" \"s\" {\n  source_dir = \"${path.root}/src\"\n}\n",
            ),
            ("c/src/index.js", ""),
            (
                "d/main.tf",
                "terraform {\n  backend \"local\" {\n    path = \"../states/d.tfstate\"\n  }\n}\n\
                 data \"terraform_remote_state\" \"net\" {\n  backend = \"local\"\n  config = {\n    path = \"../net/terraform.tfstate\"\n  }\n}\n",
            ),
        ],
    );
    for (changed, expected) in [
        ("a/x.txt", vec!["a"]),
        ("m/main.tf", vec!["a"]),
        ("b/inner.txt", vec!["b"]),
        ("b/deep.txt", vec!["b"]),
        ("b/all/prod.tftpl", vec!["b"]),
        ("b/other.txt", vec![]),
        ("c/app.zip", vec!["c"]),
        ("c/src/lib/new.js", vec!["c"]),
        ("c/srcs.js", vec![]),
        ("c/env/prod.tfbackend", vec!["c"]),
        ("states/d.tfstate", vec!["d"]),
        ("d/terraform.tfstate.d/prod/terraform.tfstate", vec!["d"]),
        ("net/terraform.tfstate", vec!["d"]),
    ] {
        let output = affected(&folder, "DIR", &format!("DIR/{changed}\n"));
        assert_eq!(directories(&folder, &output), expected, "{changed}");
    }
}

#[test]
fn root_modules_are_those_of_all_directories() {
    let folder = folder("affected-roots");
    // The module is called from one of the others, and is named twice.
    let output = affected(&folder, "DIR/env DIR/modules DIR/env/prod", "DIR/modules/net/main.tf\n");
    assert_eq!(directories(&folder, &output), ["env/prod", "env/test"]);
}

#[test]
fn what_is_not_known_touches() {
    let module = |source: &str| format!("module \"m\" {{\n  source = {source}\n}}\n");
    let folder = Folder::with(
        "affected-unknown",
        &[
            (".git/HEAD", ""),
            // Two modules that call each other: the first is listed.
            ("a/main.tf", &module("\"../b\"")),
            ("b/main.tf", &module("\"../a\"")),
            ("c/main.tf", &format!("variable \"v\" {{\n  const = true\n}}\n{}", module("\"../${var.v}\""))),
            ("d/main.tf", "locals {\n  a = file(trimspace(file(\"pointer\")))\n}\n"),
            ("e/main.tf", "locals {\n  a = fileset(\"f\", \"*/../../g/*\")\n}\n"),
            ("f/main.tf", "variable \"n\" {}\nlocals {\n  a = file(\"${path.module}${var.n}\")\n}\n"),
            ("g/main.tf", "variable \"n\" {}\nlocals {\n  a = file(\"${path.module}/g/${var.n}\")\n}\n"),
        ],
    );
    let output = affected(&folder, "DIR", "DIR/docs/README.md\n");
    // The circle cannot be read.
    assert_eq!(directories(&folder, &output), ["a", "c", "d", "e"]);
    let output = affected(&folder, "DIR", "DIR/f/x.txt\nDIR/g/x.txt\n");
    assert_eq!(directories(&folder, &output), ["a", "c", "d", "e", "f"]);
}

#[test]
fn texts_that_may_be_paths_of_providers_count() {
    let main = "variable \"bundle\" {\n  default = \"dist/bundle.js\"\n}\nvariable \"stage\" {}\n\
                resource \"aws_lambda_function\" \"f\" {\n  filename = \"app.zip\"\n  layer    = \"layers/${var.stage}.zip\"\n  \
                folder   = \"../assets/\"\n  url      = \"https://example.com/app.js\"\n}\n\
                module \"m\" {\n  source = \"../modules/m\"\n}\n";
    let folder = Folder::with(
        "affected-literals",
        &[
            (".git/HEAD", ""),
            ("root/main.tf", main),
            ("root/env/prod.tfvars", "notes = \"notes/prod.md\"\n"),
            ("modules/m/main.tf", ""),
        ],
    );
    for (changed, is_touched) in [
        ("root/app.zip", true),
        ("root/dist/bundle.js", true),
        ("root/layers/prod.zip", true),
        ("assets/logo/a.svg", true),
        ("root/notes/prod.md", true),
        ("root/app.js", false),
        ("root/other.zip", false),
        ("app.zip", false),
        ("modules/m/README.md", false),
    ] {
        let output = affected(&folder, "DIR/root --changed -", &format!("DIR/{changed}\n"));
        assert_eq!(directories(&folder, &output).is_empty(), !is_touched, "{changed}: {output:?}");
    }
}

#[test]
fn names_without_a_dot_or_a_slash_and_paths_upward_count() {
    let image = "variable \"stage\" {}\nresource \"docker_image\" \"app\" {\n  dockerfile = \"Dockerfile\"\n  \
                 script = \"run-${var.stage}\"\n  parts = split(\".\", var.stage)\n}\n";
    let read = "variable \"name\" {}\noutput \"o\" {\n  value = file(\"${path.module}/${var.name}\")\n}\n";
    let folder = Folder::with(
        "affected-names",
        &[
            (".git/HEAD", ""),
            ("image/main.tf", image),
            ("image/app/a", ""),
            ("up/env/main.tf", "data \"archive_file\" \"a\" {\n  source_dir = \"..\"\n}\n"),
            ("here/main.tf", "data \"archive_file\" \"a\" {\n  source_dir = \".\"\n}\n"),
            (
                "read/env/main.tf",
                "module \"m\" {\n  source = \"../m\"\n  name = var.name\n}\nvariable \"name\" {}\n",
            ),
            ("read/env/terraform.tfvars", "name = \"../other/a\"\n"),
            ("read/m/main.tf", read),
        ],
    );
    for (changed, touched) in [
        ("image/Dockerfile", vec!["image"]),
        ("image/run-prod", vec!["image"]),
        ("image/other", vec![]),
        // The label of a block is no path.
        ("image/app/a", vec![]),
        ("up/other/a", vec!["up/env"]),
        ("here/other/a", vec!["here"]),
        ("read/other/a", vec!["read/env"]),
    ] {
        let output = affected(&folder, "DIR --changed -", &format!("DIR/{changed}\n"));
        assert_eq!(directories(&folder, &output), touched, "{changed}: {output:?}");
    }
}
