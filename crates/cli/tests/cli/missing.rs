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
                --var-file FILE (found: env/prod.tfvars)\n";
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
    for line in ["hash DIR/plan.json --verify v2:0", "diff DIR/plan.json DIR/plan.json"] {
        assert_eq!(run(&folder, line).code, 2, "{line}");
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
            assert!(output.code == 2 && output.stdout.starts_with("Undefined"), "{sentinel}: {output:?}");
        }
        for query in ["rc.change.after.input==7.0", "plan.variables.size.value==7.0"] {
            let output = run(&folder, &format!("query {plan} -e {query}"));
            assert!(output.code != 0, "{query}: {output:?}");
            assert!(output.stderr.contains("unknown until apply"), "{query}: {output:?}");
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

const CALL: &str = "module \"net\" {\n  source  = \"acme/net/aws\"\n  version = \"~> 1.2\"\n}\n\
                    output \"o\" {\n  value = module.net.o\n}\n";

#[test]
fn a_module_that_is_not_installed_is_one_entry() {
    let folder = Folder::with(
        "missing-module",
        &[
            ("main.tf", CALL),
            (
                "p/any.rego",
                "package main\ndeny contains rc.address if {\n    some rc in input.resource_changes\n    rc.type == \"aws_vpc\"\n}\n",
            ),
            ("a.sentinel", "import \"tfplan/v2\" as tfplan\nmain = length(tfplan.resource_changes) is 0\n"),
        ],
    );
    let output = run(&folder, "plan DIR");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.stderr.contains(
            "note: module.net is not installed (acme/net/aws ~> 1.2); what depends on it is unknown"
        ),
        "{output:?}"
    );
    assert_eq!(run(&folder, "plan DIR --out DIR/plan.json").code, 0);
    for plan in ["DIR", "DIR/plan.json"] {
        for (line, code, said) in [
            ("show @ --fail-on delete", 1, "input is missing: module.net is not installed"),
            ("policy @ --rego DIR/p/any.rego", 1, "waits for instances of module.net"),
            ("sentinel apply DIR/a.sentinel --plan @", 2, "Undefined - "),
            ("query @ rc.type==\"aws_vpc\"", 3, "unknown until apply: module.net"),
            ("hash @", 0, "v2:"),
            ("diff @ @", 2, "planned without all of its input, so it cannot be compared"),
        ] {
            let output = run(&folder, &line.replace('@', plan));
            assert_eq!(output.code, code, "{line}: {output:?}");
            let all = [&*output.stdout, &*output.stderr].concat();
            assert!(all.contains(said), "{line}: {output:?}");
        }
    }
    let output = run(&folder, "plan DIR --explain output.o");
    assert!(
        output.stdout.contains("module.net: unknown (the module acme/net/aws is not installed)"),
        "{output:?}"
    );
    let output = run(&folder, "graph DIR --json");
    assert!(output.stdout.contains("module.net is not installed (acme/net/aws ~> 1.2)"), "{output:?}");
    // A target may be in it.
    for (target, code) in [("module.net", 0), ("module.net[0].aws_vpc.x", 0), ("module.other.aws_vpc.x", 2)] {
        let output = run(&folder, &format!("plan DIR --target {target} --out DIR/target.json"));
        assert_eq!(output.code, code, "{target}: {output:?}");
    }
    let output = run(&folder, "plan DIR --require modules");
    assert!(output.code == 1 && output.stderr.contains("Error: Module not installed"), "{output:?}");
}

#[test]
fn a_module_lies_where_the_command_line_says() {
    let folder = Folder::with(
        "missing-source",
        &[
            ("root/main.tf", CALL),
            ("net/main.tf", "output \"o\" {\n  value = file(\"${path.module}/x.txt\")\n}\n"),
            ("net/x.txt", "known"),
            ("empty/x.txt", ""),
        ],
    );
    let output = run(&folder, "plan DIR/root --module-source acme/net/aws=DIR/net");
    assert!(output.code == 0 && output.stdout.contains("+ o = \"known\""), "{output:?}");
    assert!(!output.stderr.contains("missing") && !output.stderr.contains("not installed"), "{output:?}");
    for (options, why) in [
        ("--module-source acme/net/aws=DIR/none", "No such file or directory"),
        ("--module-source acme/net/aws=DIR/net/x.txt", "is not a directory"),
        ("--module-source acme/net/aws=DIR/empty", "there is no module in"),
        ("--module-source registry.terraform.io/acme/net/aws=DIR/empty", "there is no module in"),
        (
            "--module-source acme/net/aws=DIR/net --module-source registry.terraform.io/acme/net/aws=DIR/empty",
            "two directories",
        ),
        ("--module-source acme/net/aws", "ADDRESS=DIR is needed"),
    ] {
        let output = run(&folder, &format!("plan DIR/root {options}"));
        assert!(output.code == 2 && output.stderr.contains(why), "{options}: {output:?}");
    }
    // A local source lies where it says, and the whole package is not needed for a call of one of its modules.
    folder.write(
        "other/main.tf",
        "module \"a\" {\n  source = \"../net\"\n}\nmodule \"b\" {\n  source = \"acme/net/aws//x\"\n}\n",
    );
    for (line, unused) in [
        ("plan DIR/root --module-source acme/other/aws=DIR/net", "acme/other/aws"),
        ("plan DIR/other --module-source ../net=DIR/net", "../net"),
        (
            "plan DIR/other --module-source acme/net/aws=DIR/net --module-source acme/net/aws//x=DIR/net",
            "acme/net/aws",
        ),
    ] {
        let output = run(&folder, line);
        assert!(output.stderr.contains(&format!("no module is called from {unused}\n")), "{output:?}");
    }
    let output = run(&folder, "plan DIR/root --module-source acme/other/aws=DIR/net --fail-on delete");
    assert!(output.code == 2 && output.stderr.contains("no module is called from it"), "{output:?}");
    // A module that calls itself has no end.
    folder.write("net/main.tf", "module \"again\" {\n  source = \"acme/net/aws\"\n}\n");
    let output = run(&folder, "plan DIR/root --module-source acme/net/aws=DIR/net");
    assert!(output.code == 1 && output.stderr.contains("Module calls itself"), "{output:?}");
}

#[test]
fn a_plan_is_made_without_schemas() {
    let folder = Folder::with(
        "missing-schemas",
        &[
            ("main.tf", "resource \"cloud_disk\" \"d\" {\n  name = \"n\"\n  rule {\n    port = 80\n  }\n}\n"),
            (
                "p/name.rego",
                "package name\ndeny contains \"x\" if {\n    some rc in input.resource_changes\n    rc.change.after.name == \"m\"\n}\n",
            ),
            (
                "p/type.rego",
                "package type\ndeny contains \"x\" if {\n    some rc in input.resource_changes\n    rc.type == \"cloud_key\"\n}\n",
            ),
            (
                "p/configured.rego",
                "package configured\ndeny contains \"x\" if {\n    some r in input.configuration.root_module.resources\n    not r.expressions.rule\n}\n",
            ),
            (
                "p/marks.rego",
                "package marks\ndeny contains \"x\" if {\n    some rc in input.resource_changes\n    rc.change.after_sensitive.name\n}\n",
            ),
            (
                "a.sentinel",
                "import \"tfplan/v2\" as tfplan\nmain = all tfplan.resource_changes as _, rc { rc.change.after.public is not true }\n",
            ),
        ],
    );
    let output = run(&folder, "plan DIR");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("+ name = \"n\"") && output.stdout.contains("+ port = 80"), "{output:?}");
    assert!(output.stderr.contains("note: there are no schemas of hashicorp/cloud: "), "{output:?}");
    assert_eq!(run(&folder, "plan DIR --out DIR/plan.json").code, 0);
    for plan in ["DIR", "DIR/plan.json"] {
        for (line, code, said) in [
            ("show @ --fail-on delete", 1, "input is missing: there are no schemas of"),
            ("policy @ --rego DIR/p/name.rego", 1, "undecided"),
            ("policy @ --rego DIR/p/type.rego", 0, "1 passed"),
            ("policy @ --rego DIR/p/configured.rego", 1, "undecided"),
            ("policy @ --rego DIR/p/marks.rego", 1, "undecided"),
            ("sentinel apply DIR/a.sentinel --plan @", 2, "Undefined - "),
            ("query @ rc.change.after.public==true", 3, "unknown until apply"),
        ] {
            let output = run(&folder, &line.replace('@', plan));
            assert_eq!(output.code, code, "{line}: {output:?}");
            let all = [&*output.stdout, &*output.stderr].concat();
            assert!(all.contains(said), "{line}: {output:?}");
        }
    }
    let output = run(&folder, "plan DIR --require schemas");
    assert!(output.code == 2 && output.stderr.contains("there are no schemas of"), "{output:?}");
    let output = run(&folder, "plan DIR --explain cloud_disk.d.arn");
    assert!(output.stdout.contains("there are no schemas of"), "{output:?}");
}

#[test]
fn what_is_missing_is_a_list_of_its_own() {
    let main = format!(
        "variable \"a\" {{}}\nvariable \"b\" {{}}\nresource \"terraform_data\" \"x\" {{\n  input = var.b\n}}\n\
         resource \"terraform_data\" \"y\" {{\n  input = terraform_data.x.output\n}}\n{CALL}"
    );
    let folder = Folder::with("missing-list", &[("main.tf", &main)]);
    let output = run(&folder, "plan DIR --missing");
    assert_eq!(
        output.stdout,
        "var.b has no value: 2 resources\n    main.tf:2\nvar.a has no value: 0 resources\n    main.tf:1\n\
         module.net is not installed (acme/net/aws ~> 1.2): 0 resources\n    main.tf:9\n"
    );
    let output = run(&folder, "plan DIR --missing --json");
    let json: Json = serde_json::from_str(&output.stdout).unwrap();
    crate::schemas::check(&crate::schemas::validator("plan-missing.schema.json"), &json);
    assert_eq!(json["missing"][0]["resources"], 2);
    let output = run(&folder, "plan DIR --missing --fail-on create");
    assert_eq!(output.code, 2, "{output:?}");
    folder.write("main.tf", "");
    let output = run(&folder, "plan DIR --missing");
    assert!(output.stdout.is_empty() && output.stderr.contains("nothing is missing"), "{output:?}");
}

#[test]
fn a_module_reads_its_own_files() {
    let child = "output \"p\" {\n  value = [templatefile(\"${path.module}/lib/p.txt\", { a = 1 }), fileset(\"${path.module}/lib\", \"*.txt\")]\n}\n";
    let root = "module \"m\" {\n  source = \"../modules/m\"\n}\noutput \"p\" {\n  value = module.m.p\n}\n";
    let files = [
        (".git/HEAD", ""),
        ("modules/m/main.tf", child),
        ("modules/m/lib/p.txt", "x${a}"),
        ("ex/main.tf", root),
    ];
    let folder = Folder::with("missing-files", &files);
    let output = run(&folder, "plan DIR/ex");
    assert!(
        output.code == 0 && output.stdout.contains("\"x1\"") && output.stdout.contains("\"p.txt\""),
        "{output:?}"
    );
    // Its caller does not.
    folder.write("ex/main.tf", "module \"m\" {\n  source = \"../modules/m\"\n}\noutput \"q\" {\n  value = file(\"../modules/m/lib/p.txt\")\n}\n");
    let output = run(&folder, "plan DIR/ex");
    assert!(output.code == 1 && output.stderr.contains("outside of the directories"), "{output:?}");
    assert!(output.stderr.contains("note: --allow-path DIR"), "{output:?}");
    // Without version control around it only the directory is read.
    std::fs::remove_dir_all(folder.at(".git")).unwrap();
    let output = run(&folder, "plan DIR/ex --require modules");
    assert!(
        output.code == 1 && output.stderr.contains("The directory ../modules/m cannot be read"),
        "{output:?}"
    );
    folder.write("ex/main.tf", root);
    let output = run(&folder, "plan DIR/ex --missing");
    assert!(
        output.stdout.contains("module.m is in a directory outside of what may be read (../modules/m)"),
        "{output:?}"
    );
    std::fs::create_dir(folder.at(".jj")).unwrap();
    let output = run(&folder, "plan DIR/ex");
    assert!(output.code == 0 && output.stdout.contains("\"x1\""), "{output:?}");
}

#[test]
fn reports_list_what_is_missing() {
    let folder = Folder::with("missing-list", &[("main.tf", CALL)]);
    assert_eq!(run(&folder, "plan DIR --out DIR/plan.json").code, 0);
    let entry = "Missing input (1), so that more is unknown\n  module.net (not installed)\n";
    for line in
        ["plan DIR", "plan DIR --summary", "show DIR", "show DIR/plan.json", "show DIR/plan.json --summary"]
    {
        let output = run(&folder, line);
        assert!(output.stdout.ends_with(entry), "{line}: {output:?}");
    }
    let markdown = run(&folder, "show DIR/plan.json --format markdown").stdout;
    assert!(
        markdown.contains("Missing input") && markdown.contains("`module.net` (not installed)"),
        "{markdown}"
    );
    let html = run(&folder, "show DIR --format html").stdout;
    assert!(html.contains("Missing input") && html.contains(" (not installed)"), "{html}");
    let report: Json = serde_json::from_str(&run(&folder, "show DIR --json").stdout).unwrap();
    assert_eq!(report["missing"][0]["address"], "module.net");
}

#[test]
fn a_directory_that_does_not_exist_cannot_be_installed() {
    let folder =
        Folder::with("missing-directory", &[("main.tf", "module \"x\" {\n  source = \"./none\"\n}\n")]);
    let output = run(&folder, "plan DIR");
    let note = "note: module.x is in a directory that does not exist (./none); what depends on it is unknown: correct the \
                source\n";
    assert!(output.code == 0 && output.stderr.contains(note), "{output:?}");
    assert!(!output.stderr.contains("terraform init"), "{output:?}");
}

#[test]
fn a_state_of_another_lineage_is_refused() {
    let state = |lineage: &str| {
        format!(
            "{{\"version\":4,\"terraform_version\":\"1.11.4\",\"serial\":1,\"lineage\":\"{lineage}\",\"outputs\":{{}},\"resources\":[]}}"
        )
    };
    let files =
        [("terraform.tfstate", state("aaaa")), ("other.json", state("bbbb")), ("same.json", state("aaaa"))];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = Folder::with("missing-lineage", &files);
    folder.write("main.tf", "resource \"terraform_data\" \"a\" {}\n");
    let output = run(&folder, "plan DIR --state DIR/other.json");
    assert!(
        output.code == 2 && output.stderr.contains("is another state: it has the lineage bbbb"),
        "{output:?}"
    );
    assert_eq!(run(&folder, "plan DIR --state DIR/same.json").code, 0);
    assert_eq!(run(&folder, "plan DIR --no-state").code, 0);
}
