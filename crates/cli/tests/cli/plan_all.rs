//! `objchange plan` of several directories.

use serde_json::Value as Json;

use crate::affected::folder;
use crate::program::objchange;
use crate::schemas::{check, validator};

#[test]
fn a_line_for_each_root_module() {
    let folder = folder("affected-plan");
    let whole = folder.0.display().to_string();
    let run = |line: &str| objchange(line.split(' ').map(|word| word.replace("DIR", &whole)), "");
    let output = run("plan --all DIR --json");
    let lines: Vec<Json> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let validator = validator("plan-line.schema.json");
    lines.iter().for_each(|line| check(&validator, line));
    let line_of =
        |name: &str| lines.iter().find(|line| line["directory"].as_str().unwrap().ends_with(name)).unwrap();
    assert_eq!(lines.len(), 4, "{output:?}");
    assert_eq!(line_of("locked")["outcome"], "unchanged");
    assert_eq!(line_of("alone")["missing"][0]["address"], "var.name");
    assert_eq!(line_of("alone")["counts"]["outputs"], 1);
    // The template reads a file that is not there.
    assert_eq!((output.code, &line_of("env/prod")["outcome"]), (1, &Json::from("error")));
    folder.write("shared/motd.txt", "Hello");
    let output = run("plan DIR/env/prod DIR/env/test DIR/none --allow-path DIR/shared");
    assert!(output.code == 2 && output.stdout.contains("/none      error: "), "{output:?}");
    assert!(output.stdout.contains("/env/prod  "), "{output:?}");
    let output = run("plan --all DIR/env --allow-path DIR/shared");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.stderr.ends_with("note: 2 modules: 2 with changes, 0 without, 0 refused or with errors\n")
    );
    assert_eq!(run("plan --all DIR/env --allow-path DIR/shared --detailed-exitcode").code, 2);
    let refused = run("plan --all DIR/env --allow-path DIR/shared --fail-on output");
    assert!(refused.code == 1 && refused.stdout.contains("refused: 1 of outputs to change"), "{refused:?}");
    // Quoted globs reach the program; `none` has no module.
    for glob in ["DIR/env/*", "DIR/{env/prod,env/test,none}", "DIR/en?/**"] {
        let output = run(&format!("plan {glob} --allow-path DIR/shared"));
        assert_eq!(output.code, 0, "{glob}: {output:?}");
        assert!(output.stdout.contains("/env/prod  ") && output.stdout.contains("/env/test  "), "{output:?}");
        assert!(output.stderr.contains("note: 2 modules: "), "{output:?}");
    }
    for (glob, said) in
        [("DIR/none*/x", "no directory with a module matches this"), ("DIR/env/[", "this is not a glob")]
    {
        let output = run(&format!("plan {glob}"));
        assert!(output.code == 2 && output.stderr.contains(said), "{output:?}");
    }
    for option in [
        "--target x.y",
        "--module-source a/b/c=d",
        "--out x",
        "--state x",
        "--only x",
        "--summary",
        "--missing",
        "--explain x",
    ] {
        let output = run(&format!("plan --all DIR/env {option}"));
        assert!(output.code == 2 && output.stderr.contains("several directories"), "{option}: {output:?}");
    }
}

#[test]
fn the_current_directory_is_one() {
    let folder = folder("plan-all-here");
    folder.write("main.tf", "output \"o\" {\n  value = 1\n}\n");
    let run = |line: &str| {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_objchange"))
            .args(line.split(' '))
            .env("OBJCHANGE_CACHE_DIR", "")
            .current_dir(&folder.0)
            .output()
            .unwrap();
        String::from_utf8(program.stdout).unwrap()
    };
    let planned = run("plan --all --no-state");
    assert!(planned.starts_with(".         "), "{planned}");
    assert!(planned.contains("\nalone     ") && planned.contains("\nenv/prod  "), "{planned}");
    folder.write("changed", "main.tf\0alone/main.tf\0");
    assert_eq!(run("affected --changed changed"), ".\nalone\n");
    assert_eq!(run("affected --changed changed --relative alone"), "alone\n");
}

#[test]
fn notices_say_which_directory_they_are_about() {
    let folder = folder("plan-all-notices");
    folder.write(
        "locked/.terraform.lock.hcl",
        "provider \"registry.terraform.io/hashicorp/null\" {\n  version = 3\n",
    );
    let whole = folder.0.display().to_string();
    let output = objchange(["plan", "--all", &whole, "--json"], "");
    let validator = validator("plan-line.schema.json");
    let lines = output.stdout.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    lines.for_each(|line| check(&validator, &line));
    assert!(!output.stderr.contains("note: planned without"), "{output:?}");
}

#[test]
fn files_that_others_have_read_stay_out_of_reach() {
    let folder = crate::folder::Folder::with(
        "plan-all-reach",
        &[
            ("in/.git/HEAD", ""),
            ("in/shared/m/main.tf", "output \"o\" {\n  value = file(\"${path.module}/note.txt\")\n}\n"),
            ("in/shared/m/note.txt", "read"),
            (
                "in/a/main.tf",
                "module \"m\" {\n  source = \"../shared/m\"\n}\noutput \"o\" {\n  value = module.m.o\n}\n",
            ),
            ("in/b/main.tf", "output \"o\" {\n  value = file(\"../shared/m/note.txt\")\n}\n"),
            (
                "out/main.tf",
                "module \"m\" {\n  source = \"../in/shared/m\"\n}\noutput \"o\" {\n  value = module.m.o\n}\n",
            ),
        ],
    );
    let whole = folder.0.display().to_string();
    let directories = ["in/a", "in/b", "out"].map(|name| format!("{whole}/{name}"));
    let output = objchange(["plan".to_owned(), "--json".to_owned()].into_iter().chain(directories), "");
    let lines: Vec<Json> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["outcome"], "changed", "{output:?}");
    assert!(lines[1]["errors"][0].as_str().unwrap().contains("Invalid function argument"), "{output:?}");
    assert_eq!(lines[2]["missing"][0]["problem"], "outside", "{output:?}");
}

#[test]
fn a_state_that_is_elsewhere_leaves_the_configuration() {
    let folder = crate::folder::Folder::with(
        "plan-all-state",
        &[("r/main.tf", "terraform {\n  backend \"s3\" {}\n}\nresource \"terraform_data\" \"a\" {}\n")],
    );
    let whole = folder.0.display().to_string();
    let run = |line: &str| objchange(line.split(' ').map(|word| word.replace("DIR", &whole)), "");
    let output = run("plan --all DIR --json");
    let line: Json = serde_json::from_str(&output.stdout).unwrap();
    check(&validator("plan-line.schema.json"), &line);
    assert_eq!((output.code, &line["outcome"]), (0, &Json::from("configured")), "{output:?}");
    assert_eq!(line["missing"][0]["kind"], "state");
    let output = run("plan --all DIR");
    assert!(output.stdout.contains("1 to create or update"), "{output:?}");
    assert!(output.stderr.contains("1 module: 0 with changes, 0 without, 1 without their state, 0 refused"));
    assert_eq!(run("plan --all DIR --fail-on delete").code, 2);
    let output = run("plan DIR/r --explain terraform_data.a");
    assert!(output.code == 0 && output.stdout.contains("configured (the state was not read"), "{output:?}");
}
