//! Plans, states and objects are read alike by every command that takes one.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::folder::Folder;
use crate::program::{Output, objchange};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/acme":{"resource_schemas":{
    "acme_disk":{"version":0,"block":{"attributes":{"label":{"type":"string","optional":true},
    "id":{"type":"string","computed":true}}}}}}}}"#;

const PLAN: &str = r#"{"format_version":"1.2","terraform_version":"1.11.4","resource_changes":[{"address":"acme_disk.a",
    "mode":"managed","type":"acme_disk","name":"a","provider_name":"registry.terraform.io/acme/acme",
    "change":{"actions":["create"],"before":null,"after":{"label":"Data"},"after_unknown":{"id":true},
    "before_sensitive":false,"after_sensitive":{}}}]}"#;

const STATE: &str = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
    {"mode":"managed","type":"acme_disk","name":"a","provider":"provider[\"registry.terraform.io/acme/acme\"]",
    "instances":[{"schema_version":0,"attributes":{"label":"data","id":"d-1"}}]}],"check_results":null}"#;

const MESSAGE: &str = "Error: Provider produced inconsistent result after apply\n\nWhen applying changes to acme_disk.a, provider\n\
    \"provider[\\\"registry.terraform.io/acme/acme\\\"]\" produced an unexpected new\nvalue: .label: was cty.StringVal(\"Data\"), but \
    now cty.StringVal(\"data\").\n";

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// The document as it is, packed, and in a log.
fn folder(test: &str) -> Folder {
    let folder = Folder::with(test, &[("schemas.json", SCHEMAS), ("message.txt", MESSAGE)]);
    for (name, text) in [("plan", PLAN), ("state", STATE)] {
        folder.write(&format!("{name}.json"), text);
        folder.write(&format!("{name}.json.gz"), packed(text));
        folder.write(&format!("{name}.log"), format!("Refreshing state...\n{text}\nDone.\n"));
    }
    folder
}

/// Runs a command, in which `@NAME` is a file of the folder.
fn run(folder: &Folder, line: &str) -> Output {
    let word = |word: &str| match word.strip_prefix('@') {
        Some(file) => folder.at(file).display().to_string(),
        None => word.to_owned(),
    };
    objchange(line.split(' ').map(word), "")
}

const FORMS: [&str; 2] = ["json.gz", "log"];

#[test]
fn explain_reads_packed_plans_and_plans_in_logs() {
    let folder = folder("reader-explain");
    let explain = |planned: &str, actual: &str| {
        run(
            &folder,
            &format!("explain @message.txt --schemas @schemas.json --planned @{planned} --actual @{actual}"),
        )
    };
    let plain = explain("plan.json", "state.json");
    assert!(plain.code == 0 && plain.stdout.contains("A5"), "{plain:?}");
    for form in FORMS {
        let found = explain(&format!("plan.{form}"), &format!("state.{form}"));
        assert_eq!((found.code, &found.stdout), (0, &plain.stdout), "{form}: {found:?}");
        assert_eq!(found.stderr.contains("the document begins in line 2"), form == "log", "{found:?}");
    }
}

#[test]
fn explain_reads_plan_files_and_refuses_what_show_refuses() {
    let folder = folder("reader-explain-refuses");
    let twice =
        PLAN.replacen("[{", "[{\"address\":\"acme_disk.a\",\"change\":{\"actions\":[\"create\"]}},{", 1);
    folder.write("twice.json", twice);
    folder.write("part.json", PLAN.replace("\"format_version\":\"1.2\",", ""));
    for (planned, why) in [
        ("@twice.json", "this object is in the list twice"),
        ("@part.json", "this is a part of a document"),
        ("crates/saved/tests/files/create.tfplan", "the plan has no resource instance acme_disk.a"),
    ] {
        let line = format!("explain @message.txt --schemas @schemas.json --planned {planned}");
        let refused = run(&folder, &line);
        assert!(refused.code == 2 && refused.stderr.contains(why), "{planned}: {refused:?}");
    }
}

#[test]
fn a_prior_state_is_read_packed_and_in_a_log() {
    let folder = folder("reader-prior");
    folder.write("config.json", r#"{"label":"new"}"#);
    let plan = |prior: &str| {
        run(
            &folder,
            &format!(
                "plan --schemas @schemas.json --type acme_disk --config @config.json --prior @{prior} --address acme_disk.a"
            ),
        )
    };
    let plain = plan("state.json");
    assert!(plain.code == 0 && plain.stdout.contains("\"data\" -> \"new\""), "{plain:?}");
    for form in FORMS {
        let found = plan(&format!("state.{form}"));
        assert_eq!((found.code, &found.stdout), (0, &plain.stdout), "{form}: {found:?}");
        assert_eq!(found.stderr.contains("the document begins in line 2"), form == "log", "{found:?}");
    }
    let of_plan = plan("plan.log");
    assert!(of_plan.code == 2 && of_plan.stderr.contains("this is a plan, not a state"), "{of_plan:?}");
}

#[test]
fn a_given_state_is_read_packed_and_in_a_log() {
    let folder = folder("reader-state");
    folder.write(
        "m/main.tf",
        "terraform {\n  required_providers {\n    acme = {\n      source = \"acme/acme\"\n    }\n  }\n}\n\nresource \
         \"acme_disk\" \"a\" {\n  label = \"new\"\n}\n",
    );
    let plan = |state: &str| run(&folder, &format!("plan @m --schemas @schemas.json --state @{state}"));
    let plain = plan("state.json");
    assert!(plain.code == 0 && plain.stdout.contains("\"data\" -> \"new\""), "{plain:?}");
    for form in FORMS {
        let found = plan(&format!("state.{form}"));
        assert_eq!((found.code, &found.stdout), (0, &plain.stdout), "{form}: {found:?}");
        assert_eq!(found.stderr.contains("the document begins in line 2"), form == "log", "{found:?}");
    }
    // The output of `terraform show -json` lacks what planning needs.
    folder.write(
        "shown.json",
        r#"{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{}}}"#,
    );
    for other in ["plan.json", "shown.json"] {
        let refused = plan(other);
        assert!(refused.code == 2 && refused.stderr.contains("this is no state file"), "{refused:?}");
    }
}

#[cfg(feature = "plan-file")]
#[test]
fn a_state_in_a_log_says_whether_a_plan_is_stale() {
    let folder = folder("reader-stale");
    let file = "crates/saved/tests/files/create.tfplan";
    let stale = |state: &str| run(&folder, &format!("diff {file} --state @{state}"));
    let plain = stale("state.json");
    for form in FORMS {
        let found = stale(&format!("state.{form}"));
        let text = |output: &Output| output.stdout.replace(&format!("state.{form}"), "state.json");
        assert_eq!((found.code, text(&found)), (plain.code, plain.stdout.clone()), "{form}: {found:?}");
    }
}

#[test]
fn mocks_are_made_of_what_policies_accept() {
    let folder = Folder::new("reader-mock");
    let errored = PLAN.replacen('{', "{\"errored\":true,", 1);
    let unknown = PLAN.replace("[\"create\"]", "[\"mend\"]");
    let lacking = PLAN.replacen(
        '{',
        "{\"planned_values\":{\"root_module\":{\"resources\":[{\"address\":\"acme_disk.b\",\"mode\":\"managed\",\
         \"type\":\"acme_disk\",\"name\":\"b\",\"values\":{}}]}},",
        1,
    );
    folder.write(
        "p.sentinel",
        "import \"tfplan/v2\" as tfplan\nmain = rule { length(tfplan.resource_changes) > 0 }\n",
    );
    for (name, plan) in [("errored", &errored), ("unknown", &unknown), ("lacking", &lacking)] {
        folder.write(&format!("{name}.json"), plan);
        let mock = run(&folder, &format!("sentinel mock @{name}.json --out @{name}"));
        let applied = run(&folder, &format!("sentinel apply @p.sentinel --plan @{name}.json"));
        assert_eq!((mock.code, applied.code), (2, 2), "{name}: {mock:?} {applied:?}");
        assert_eq!(mock.stderr, applied.stderr, "{name}");
        assert!(!folder.at(name).exists(), "{name}");
    }
    let allowed = run(&folder, "sentinel mock @errored.json --allow-errored --out @errored");
    assert!(allowed.code == 0 && allowed.stderr.contains("planning ended with an error"), "{allowed:?}");
}

/// Each reads a plan, a state, schemas or an object.
#[test]
fn every_reader_has_the_same_limit() {
    let folder = folder("reader-limit");
    folder.write("m/main.tf", "resource \"acme_disk\" \"a\" {}\n");
    for line in [
        "affected --changed @plan.json",
        "browse @plan.json",
        "diff @plan.json @plan.json",
        "diff crates/saved/tests/files/create.tfplan --state @state.json",
        "explain @message.txt --schemas @schemas.json",
        "explain @message.txt --planned @plan.json --schemas @schemas.json",
        "graph @m --schemas @schemas.json",
        "hash @plan.json",
        "plan --schemas @schemas.json --type acme_disk --config @plan.json",
        "plan @m --no-state --schemas @schemas.json",
        "plan @m --state @state.json",
        "policy @plan.json --rego examples/policy/buckets.rego",
        "query @plan.json true",
        "review @plan.json",
        "schemas diff @schemas.json @schemas.json",
        "sentinel apply examples/sentinel/changes.sentinel --plan @plan.json",
        "sentinel check examples/sentinel/changes.sentinel --schemas @schemas.json",
        "sentinel mock @plan.json --out @mocks",
        "show @plan.json",
        "test @m --schemas @schemas.json",
    ] {
        // A terminal is needed for it.
        if line.starts_with("browse") {
            let help = run(&folder, "browse --help");
            assert!(help.stdout.contains("--max-input <SIZE>"), "{help:?}");
            continue;
        }
        let refused = run(&folder, &format!("{line} --max-input 100"));
        let why = "this is more than 100 bytes; allow more with --max-input";
        assert!(refused.code == 2 && refused.stderr.contains(why), "{line}: {refused:?}");
    }
    for command in [
        "provider apply",
        "provider import",
        "provider plan",
        "provider read",
        "provider validate",
        "schemas add",
        "schemas learn",
    ] {
        let help = run(&folder, &format!("{command} --help"));
        assert!(help.stdout.contains("--max-input <SIZE>"), "{command}: {help:?}");
    }
}
