//! The small root modules under `examples/roots`, in the shapes that people have: each gives a plan as it is after `git clone`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use crate::program::objchange;

/// The input that each of them is planned without: the addresses.
const MISSING: [(&str, &[&str]); 23] = [
    ("actions", &["var.commit", "hashicorp/null"]),
    ("aliases", &["hashicorp/aws"]),
    ("cloud", &["state"]),
    ("conditions", &["var.replicas", "hashicorp/aws"]),
    ("data-sources", &["hashicorp/aws"]),
    ("dynamic-blocks", &["var.admin_ranges", "hashicorp/aws"]),
    ("environments", &["var.environment", "var.instances", "hashicorp/aws"]),
    ("git-modules", &["module.labels", "module.network"]),
    ("json", &["var.project", "hashicorp/google"]),
    ("locked", &["hashicorp/docker", "hashicorp/random"]),
    ("maps", &["var.prefix", "hashicorp/aws"]),
    ("monorepo/services/orders", &["var.stage", "hashicorp/aws"]),
    ("monorepo/services/reports", &["var.queues", "hashicorp/aws"]),
    ("nested-modules", &["module.cluster.module.eks", "hashicorp/helm"]),
    ("partial-backend", &["state", "var.environment", "hashicorp/aws"]),
    ("refactoring", &["hashicorp/aws"]),
    ("registry-modules", &["module.vpc", "var.name", "hashicorp/aws"]),
    ("remote-state", &["state", "hashicorp/aws"]),
    ("secrets", &["var.token", "hashicorp/kubernetes"]),
    ("templates", &["hashicorp/aws", "hashicorp/local"]),
    ("toggles", &["var.enabled", "hashicorp/aws"]),
    ("vendored", &["module.bucket", "module.objects"]),
    ("workspaces", &["hashicorp/aws"]),
];

fn missing(list: &Json) -> Vec<String> {
    let addresses = list.as_array().unwrap().iter().map(|one| one["address"].as_str().unwrap());
    let mut found: Vec<String> =
        addresses.map(|address| address.trim_start_matches("registry.terraform.io/").to_owned()).collect();
    found.sort();
    found
}

#[test]
fn each_gives_a_plan_and_says_what_is_missing() {
    let output = objchange(["plan", "--all", "examples/roots", "--json"], "");
    let mut lines: BTreeMap<String, Json> = BTreeMap::new();
    for line in output.stdout.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        let directory = line["directory"].as_str().unwrap().trim_start_matches("examples/roots/").to_owned();
        lines.insert(directory, line);
    }
    // A folder of sources that `--module-source` names is no root module of its own.
    lines.retain(|directory, _| !directory.starts_with("vendored/vendor"));
    assert_eq!(lines.len(), MISSING.len(), "{output:?}");
    for (directory, expected) in MISSING {
        let line = &lines[directory];
        assert!(matches!(line["outcome"].as_str(), Some("changed" | "configured" | "unchanged")), "{line}");
        let (mut expected, found) = (expected.to_vec(), missing(&line["missing"]));
        expected.sort_unstable();
        assert_eq!(found, expected, "{directory}");
        let folder = format!("examples/roots/{directory}");
        let text = objchange(["plan", &folder], "");
        assert_eq!(text.code, 0, "{directory}: {text:?}");
        let required = objchange(["plan", &folder, "--require", "all"], "");
        assert_ne!(required.code, 0, "{directory}: {required:?}");
        let gated = objchange(["plan", &folder, "--fail-on", "delete"], "");
        assert_ne!(gated.code, 0, "{directory}: {gated:?}");
    }
}

#[test]
fn nothing_secret_is_shown() {
    for arguments in [&["plan"][..], &["plan", "--full"], &["show"], &["graph"], &["plan", "--missing"]] {
        let mut all = vec![arguments[0], "examples/roots/secrets"];
        all.extend(&arguments[1..]);
        let output = objchange(all, "");
        assert!(!format!("{output:?}").contains("correct horse"), "{output:?}");
    }
}

#[test]
fn a_vendored_module_is_read_where_it_lies() {
    let folder = "examples/roots/vendored";
    let source = "terraform-aws-modules/s3-bucket/aws=examples/roots/vendored/vendor/s3-bucket";
    let output = objchange(["plan", folder, "--module-source", source], "");
    assert!(output.stdout.contains("# module.objects.aws_s3_object.this will be created"), "{output:?}");
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/roots/vendored/vendor").is_dir());
}
