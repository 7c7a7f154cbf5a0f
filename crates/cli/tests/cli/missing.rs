//! Plans that are made without a part of their input.

use std::ffi::OsString;

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::plan::SCHEMAS;
use crate::program::{Output, objchange};

/// Runs a command, in which `DIR` is the folder.
fn run(folder: &Folder, line: &str) -> Output {
    let whole = folder.0.display().to_string();
    objchange(line.split(' ').map(|word| OsString::from(word.replace("DIR", &whole))), "")
}

const MAIN: &str = "variable \"size\" {\n  type = number\n}\nvariable \"token\" {\n  sensitive = true\n}\n\
                    resource \"terraform_data\" \"a\" {\n  input = var.size\n}\n\
                    resource \"terraform_data\" \"b\" {\n  input = \"b\"\n}\n\
                    resource \"terraform_data\" \"c\" {\n  count = var.size\n}\n";

/// A module whose variables have no values, with policies for it.
fn folder(test: &str) -> Folder {
    Folder::with(
        test,
        &[
            ("main.tf", MAIN),
            ("env/prod.tfvars", "size = 2\n"),
            ("terraform.tfvars", ""),
            (
                "p/deny.rego",
                "package main\ndeny contains \"large\" if {\n    some rc in input.resource_changes\n    rc.change.after.input == 7\n}\n",
            ),
            (
                "p/variable.rego",
                "package variable\ndeny contains \"size\" if input.variables.size.value > 5\n",
            ),
            ("p/sure.rego", "package sure\ndeny contains \"x\" if input.format_version == \"0\"\n"),
            ("v.sentinel", "import \"tfplan/v2\" as tfplan\nmain = tfplan.variables.size.value is not 7\n"),
            (
                "raw.sentinel",
                "import \"tfplan/v2\" as tfplan\nmain = tfplan.raw.variables.size.value is not 7\n",
            ),
        ],
    )
}

#[test]
fn a_plan_is_made_without_values_of_variables() {
    let folder = folder("missing-variables");
    let output = run(&folder, "plan DIR --out DIR/plan.json");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("  # terraform_data.b will be created\n"), "{output:?}");
    assert!(output.stdout.contains("+ input  = (known after apply)"), "{output:?}");
    assert!(output.stdout.contains("(because its instances depend on input that is missing)"), "{output:?}");
    let note = "note: var.size, var.token have no value, so what depends on them is unknown: pass --var NAME=VALUE or \
                --var-file FILE (there are env/prod.tfvars)\n";
    assert!(output.stderr.ends_with(note), "{output:?}");
    let document: Json = serde_json::from_str(&folder.read("plan.json")).unwrap();
    assert_eq!(
        (&document["complete"], &document["missing"][0]["address"]),
        (&false.into(), &"var.size".into())
    );
    // Every command that reads the document says the same.
    let warning = "planned without all of its input, so whatever depends on it is unknown: var.size has no value, \
                   var.token has no value";
    for command in ["show", "query -e true", "hash", "policy --rego DIR/p"] {
        let (command, rest) = command.split_once(' ').unwrap_or((command, ""));
        let line = format!("{command} DIR/plan.json {rest}");
        let output = run(&folder, line.trim());
        assert!(output.stderr.contains(warning), "{command}: {output:?}");
    }
}

#[test]
fn gates_refuse_what_is_missing_and_name_it() {
    let folder = folder("missing-gates");
    assert_eq!(run(&folder, "plan DIR --out DIR/plan.json").code, 0);
    for line in [
        "plan DIR --fail-on delete",
        "plan DIR --detailed-exitcode",
        "show DIR --fail-on delete",
        "show DIR/plan.json --fail-on delete",
        "show DIR/plan.json --detailed-exitcode",
    ] {
        let output = run(&folder, line);
        assert_eq!(output.code, 1, "{line}: {output:?}");
        assert!(
            output.stderr.contains("input is missing: var.size has no value, var.token has no value"),
            "{line}: {output:?}"
        );
    }
    let output = run(&folder, "plan DIR --fail-on delete --var size=1 --var token=x");
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn variables_can_be_required() {
    let folder = folder("missing-required");
    for line in ["plan DIR --require variables", "plan DIR --require all"] {
        let output = run(&folder, line);
        assert_eq!(output.code, 1, "{line}: {output:?}");
        assert!(output.stderr.contains("Error: No value for required variable\n"), "{line}: {output:?}");
    }
    for line in ["hash DIR --require variables", "query DIR -e true --require all"] {
        let output = run(&folder, line);
        assert_eq!(output.code, 2, "{line}: {output:?}");
    }
}

#[test]
fn policies_are_undecided_where_they_depend_on_what_is_missing() {
    let folder = folder("missing-policies");
    assert_eq!(run(&folder, "plan DIR --out DIR/plan.json").code, 0);
    for plan in ["DIR", "DIR/plan.json"] {
        for (rego, is_decided) in [("deny", false), ("variable", false), ("sure", true)] {
            let output = run(&folder, &format!("policy {plan} --rego DIR/p/{rego}.rego"));
            let undecided = output.stdout.contains("undecided");
            assert_eq!((undecided, output.code == 0), (!is_decided, is_decided), "{rego}: {output:?}");
        }
        for sentinel in ["v", "raw"] {
            let output = run(&folder, &format!("sentinel apply DIR/{sentinel}.sentinel --plan {plan}"));
            assert!(output.code != 0 && output.stdout.contains("undecided"), "{sentinel}: {output:?}");
        }
        for query in ["rc.change.after.input==7.0", "plan.variables.size.value==7.0"] {
            let output = run(&folder, &format!("query {plan} -e {query}"));
            assert!(output.code != 0, "{query}: {output:?}");
            assert!(
                output.stderr.contains("undecided") || output.stdout.contains("undecided"),
                "{query}: {output:?}"
            );
        }
    }
}

#[test]
fn why_something_is_unknown_ends_at_what_is_missing() {
    let folder = folder("missing-explained");
    let output = run(&folder, "plan DIR --explain terraform_data.a.input");
    assert!(output.stdout.contains("var.size: unknown (no value is given for the variable)"), "{output:?}");
    let output = run(&folder, "plan DIR --explain terraform_data.c");
    assert!(output.stdout.contains("terraform_data.c: deferred"), "{output:?}");
    assert!(output.stdout.contains("var.size: unknown (no value is given for the variable)"), "{output:?}");
    let output = run(&folder, "graph DIR --json");
    let graph: Json = serde_json::from_str(&output.stdout).unwrap();
    let node = |address: &str| {
        graph["nodes"].as_array().unwrap().iter().find(|node| node["address"] == address).unwrap().clone()
    };
    assert_eq!(node("var.size")["unknown"], "var.size has no value");
    assert_eq!(node("terraform_data.c")["unknown"], "its instances are not known: depends on var.size");
}

#[test]
fn real_providers_need_all_of_their_input() {
    let folder = folder("missing-real");
    let output = run(&folder, "plan DIR --real-providers");
    assert!(output.code == 1 && output.stderr.contains("No value for required variable"), "{output:?}");
    folder.write("schemas.json", SCHEMAS);
}
