//! `objchange hash`.

use serde_json::Value;

use crate::folder::Folder;
use crate::program::{Output, objchange};
use crate::schemas::{check, validator};

const A: &str = "examples/approval/approved.json";
const B: &str = "examples/approval/now.json";
const SCHEMAS: [&str; 2] = ["--schemas", "examples/approval/schemas.json"];

fn hash(arguments: &[&str]) -> Output {
    objchange(["hash"].iter().chain(arguments), "")
}

#[track_caller]
fn hash_of(arguments: &[&str]) -> String {
    let output = hash(arguments);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout.trim_end().to_owned()
}

#[test]
fn a_plan_is_verified_by_its_hash() {
    let approved = hash_of(&[A]);
    assert!(approved.starts_with("v2:") && approved.len() == 67, "{approved}");
    let output = hash(&[A, "--verify", &approved]);
    assert_eq!((output.code, &*output.stdout), (0, "The hash matches.\n"), "{}", output.stderr);
    let output = hash(&[B, "--verify", &approved]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(
        output.stdout.starts_with("The hash does not match: the plan's hash is v2:"),
        "{}",
        output.stdout
    );
    let old = hash(&[A, "--verify", &format!("v1:{}", &approved[3..])]);
    assert_eq!((old.code, &*old.stdout), (2, ""));
    assert!(old.stderr.contains("of version v1") && old.stderr.contains("approve the plan again"), "{old:?}");
    for wrong in ["", "abc", &approved[3..], &format!("v9:{}", &approved[3..])] {
        let output = hash(&[A, "--verify", wrong]);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{wrong}");
    }
}

#[test]
fn without_a_key_the_output_says_that_secrets_are_left_out() {
    let output = hash(&[A]);
    assert!(output.stderr.contains("2 sensitive values are left out of the hash"), "{}", output.stderr);
    let output = hash(&[A, "--json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator("hash.schema.json"), &report);
    assert_eq!(report["secrets_included"], false);
    assert_eq!(report["secrets"], 2);
}

#[test]
fn a_key_brings_secrets_in() {
    let folder = Folder::with(
        "hash-key",
        &[("key", "0123456789abcdef0123\n"), ("other", "another key, and longer"), ("short", "0123456789\n")],
    );
    let [key, other, short] =
        ["key", "other", "short"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let keyed = hash_of(&[A, "--key", &key]);
    assert!(keyed.starts_with("v2+key:"), "{keyed}");
    assert_ne!(keyed, hash_of(&[A, "--key", &other]));
    let output = hash(&[A, "--key", &key, "--verify", &keyed, "--json"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator("hash.schema.json"), &report);
    assert_eq!((&report["secrets_included"], &report["verified"]), (&true.into(), &true.into()));
    // A hash with a key cannot be verified without it, and the other way round.
    assert_eq!(hash(&[A, "--verify", &keyed]).code, 2);
    let plain = hash_of(&[A]);
    assert_eq!(hash(&[A, "--verify", &plain, "--key", &key]).code, 2);
    let same = Folder::with("hash-same-byte", &[("key", &"a".repeat(64))]);
    let output = hash(&[A, "--key", same.at("key").to_str().unwrap()]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
    assert!(output.stderr.contains("repeats one byte"), "{}", output.stderr);
    let output = hash(&[A, "--key", &short]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
    assert!(
        output.stderr.contains("at least 16 bytes") && !output.stderr.contains("0123"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_hash_is_verified_in_the_form_it_has() {
    let (plain, sets) = (hash_of(&[A]), hash_of(&[A, SCHEMAS[0], SCHEMAS[1]]));
    assert!(sets.starts_with("v2+sets:"), "{sets}");
    assert_eq!(hash(&[A, SCHEMAS[0], SCHEMAS[1], "--verify", &plain]).code, 0);
    assert_eq!(hash(&[A, SCHEMAS[0], SCHEMAS[1], "--verify", &sets]).code, 0);
    let output = hash(&[A, "--verify", &sets]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("made with schemas"), "{}", output.stderr);
}

#[test]
fn what_is_no_whole_plan_has_no_hash() {
    let text = std::fs::read_to_string(crate::program::workspace().join(A)).unwrap();
    for (text, why) in [
        (text.replace("\"errored\": false", "\"errored\": true"), "planning ended with an error"),
        (text.replace("\"format_version\": \"1.2\",", ""), "without `format_version`"),
        (
            r#"{"version":4,"serial":1,"lineage":"x","resources":[]}"#.to_owned(),
            "this is a state, not a plan",
        ),
        (text[..500].to_owned(), "ends too early"),
    ] {
        let output = objchange(["hash", "-"], &text);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{why}: {}", output.stderr);
        assert!(output.stderr.contains(why), "{}", output.stderr);
    }
}

#[test]
fn ignored_paths_that_match_nothing_are_told() {
    for path in ["nosuch", "aws_nosuch.*:password", "output.nosuch"] {
        let ignore = ["--ignore", "password", "--ignore", path];
        for command in ["hash", "show", "review"] {
            let output = objchange([&[command, A][..], &ignore].concat(), "");
            let note = format!("note: --ignore {path} matches nothing here\n");
            assert_eq!(
                (output.code, output.stderr.contains(&note)),
                (0, true),
                "{command}: {}",
                output.stderr
            );
            assert!(!output.stderr.contains("--ignore password"), "{command}: {}", output.stderr);
        }
        // It is somewhere in one of the plans.
        let output = objchange(["review", A, "examples/fleet/web.json", "--ignore", "password"], "");
        assert!(!output.stderr.contains("matches nothing"), "{}", output.stderr);
    }
}

#[test]
fn ignored_paths_are_left_out_and_named() {
    let all = ["--ignore", "password", "--ignore", "aws_vpc.*:id"];
    let ignoring = hash_of(&[&[A][..], &all].concat());
    assert!(ignoring.starts_with("v2+ignore."), "{ignoring}");
    assert_ne!(ignoring.split(':').next_back(), hash_of(&[A]).split(':').next_back());
    // The order of the options does not matter, and repeating one does not.
    let again = ["--ignore", "aws_vpc.*:id", "--ignore", "password", "--ignore", "password"];
    let output = hash(&[&[A, "--verify", &ignoring][..], &again].concat());
    assert_eq!((output.code, &*output.stdout), (0, "The hash matches.\n"), "{}", output.stderr);
    for other in [&[][..], &["--ignore", "password"], &["--ignore", "tags", "--ignore", "aws_vpc.*:id"]] {
        let output = hash(&[&[A, "--verify", &ignoring][..], other].concat());
        assert_eq!((output.code, &*output.stdout), (2, ""), "{other:?}");
        assert!(output.stderr.contains("with the same --ignore"), "{}", output.stderr);
    }
    let output = hash(&[A, "--json", "--ignore", "password"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator("hash.schema.json"), &report);
    assert_eq!(report["ignored"], serde_json::json!(["password"]));
}
