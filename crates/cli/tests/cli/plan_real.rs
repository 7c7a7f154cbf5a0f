//! `objchange plan DIR` with real providers: the kit's program for tests of modules.

use std::ffi::OsString;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::folder::Folder;
use crate::kit::kit;
use crate::program::{Output, objchange_with};

const HEAD: &str =
    "terraform {\n  required_providers {\n    kit = { source = \"example.com/test/kit\" }\n  }\n}\n";

/// The kit is the service with a configuration of its own.
const SERVICE: (&str, &str) = ("KIT_SERVICE", "1");

fn folder(test: &str, main: &str) -> Folder {
    Folder::with(test, &[("main.tf", &format!("{HEAD}{main}"))])
}

/// A state with disks: their names in the module, and their attributes.
fn state(disks: &[(&str, &str)]) -> String {
    let disk = |(name, attributes): &(&str, &str)| {
        format!(
            r#"{{"mode":"managed","type":"kit_disk","name":"{name}","provider":"provider[\"example.com/test/kit\"]","instances":
            [{{"schema_version":0,"attributes":{{"id":"1","kind":"ssd","etag":"e","region":"eu",{attributes}}}}}]}}"#
        )
    };
    let disks: Vec<String> = disks.iter().map(disk).collect();
    let disks = disks.join(",");
    format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{{}},"resources":[{disks}]}}"#
    )
}

fn plan_with(variables: &[(&str, &str)], folder: &Folder, arguments: &[&str]) -> Output {
    let mut all: Vec<OsString> = vec!["plan".into(), folder.0.clone().into()];
    all.extend(
        arguments
            .iter()
            .map(|argument| argument.replace("KIT", &format!("{}=example.com/test/kit", kit())).into()),
    );
    objchange_with(variables, all, "")
}

/// Plans the module in the folder with the service.
fn plan(folder: &Folder, arguments: &[&str]) -> Output {
    let mut all = vec!["--real-providers", "--provider-binary", "KIT"];
    all.extend(arguments);
    plan_with(&[SERVICE], folder, &all)
}

fn document(output: &Output) -> Json {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The change of an instance.
fn change<'d>(document: &'d Json, address: &str) -> &'d Json {
    let mut all = document["resource_changes"].as_array().unwrap().iter();
    &all.find(|change| change["address"] == address).unwrap_or_else(|| panic!("{address}: {document}"))["change"]
}

#[test]
fn schemas_of_some_providers_are_given_and_others_asked() {
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/other":{"provider":{"version":0,"block":{}},
        "resource_schemas":{"other_thing":{"version":0,"block":{"attributes":{"name":{"type":"string","optional":true}}}}}}}}"#;
    let main = "terraform {\n  required_providers {\n    kit   = { source = \"example.com/test/kit\" }\n    other = { source = \
                \"acme/other\" }\n  }\n}\nresource \"other_thing\" \"a\" {}\nresource \"kit_slow\" \"b\" {}\n";
    let folder = Folder::with("real-both-schemas", &[("main.tf", main), ("schemas.json", schemas)]);
    let schemas = folder.at("schemas.json").display().to_string();
    for real in [&[][..], &["--real-provider", "example.com/test/kit"]] {
        let arguments = [&["--json", "--schemas", &schemas, "--provider-binary", "KIT"][..], real].concat();
        let output = plan_with(&[], &folder, &arguments);
        assert_eq!(document(&output)["resource_changes"].as_array().unwrap().len(), 2, "{output:?}");
    }
}

/// Terraform calls them in a process that is not configured, in validation as well.
#[test]
fn functions_are_called() {
    let main = |text: &str| {
        format!(
            "locals {{\n  secret = sensitive(\"quiet\")\n}}\nresource \"terraform_data\" \"a\" {{\n  count = \
             provider::kit::length({text})\n}}\noutput \"o\" {{\n  value = provider::kit::length(sensitive(\"ab\"))\n  sensitive = \
             true\n}}\nmodule \"m\" {{\n  source = \"./m\"\n}}\n"
        )
    };
    let child = format!("{HEAD}output \"o\" {{\n  value = provider::kit::length(\"abc\")\n}}\n");
    let folder = |text: &str| {
        let main = format!("{HEAD}{}", main(text));
        Folder::with("real-functions", &[("main.tf", &*main), ("m/main.tf", &*child)])
    };
    let output = plan(&folder("\"abcdef\""), &["--json"]);
    let planned = document(&output);
    assert_eq!(planned["resource_changes"].as_array().unwrap().len(), 6, "{output:?}");
    assert_eq!(planned["output_changes"]["o"]["after"], 2);
    assert_eq!(planned["output_changes"]["o"]["after_sensitive"], true);
    let refused = plan(&folder("\"quiet\""), &[]);
    assert!(refused.stderr.contains("quiet is not measured"), "{refused:?}");
    // An error about a secret says nothing of it.
    let refused = plan(&folder("local.secret"), &[]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(!format!("{refused:?}").contains("not measured"), "{refused:?}");
    // Nobody is asked without this.
    let arguments = ["--provider-binary", "KIT", "--summary"];
    let output = plan_with(&[SERVICE], &folder("\"abcdef\""), &arguments);
    assert!(format!("{output:?}").contains("provider::kit::length"), "{output:?}");
}

#[test]
fn the_provider_says_what_happens() {
    let main = r#"
provider "kit" {
  region = "eu"
}
resource "kit_disk" "new" {
  name = data.kit_disk.d.zones[1]
}
resource "kit_disk" "replaced" {
  name = "new"
}
resource "kit_disk" "updated" {
  name = "u"
  size = 2
}
resource "kit_disk" "same" {
  name = "s"
}
resource "kit_disk" "drifted" {
  name = "drift"
  size = 1
}
resource "kit_disk" "gone" {
  name = "gone"
}
resource "kit_disk" "imported" {
  name = "i"
}
import {
  to = kit_disk.imported
  id = "i"
}
data "kit_disk" "d" {
  name = "d"
}
output "zones" {
  value = length(data.kit_disk.d.zones)
}
"#;
    let folder = folder("real-plan", main);
    folder.write(
        "terraform.tfstate",
        state(&[
            ("replaced", r#""name":"old""#),
            ("updated", r#""name":"u","size":1"#),
            ("same", r#""name":"s""#),
            ("drifted", r#""name":"drift","size":1"#),
            ("gone", r#""name":"gone""#),
            ("orphan", r#""name":"o""#),
        ]),
    );
    let output = plan(&folder, &["--json"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{output:?}");
    let plan = document(&output);
    let actions = |name: &str| change(&plan, &format!("kit_disk.{name}"))["actions"].to_string();
    let expected = [
        ("new", r#"["create"]"#),
        ("replaced", r#"["delete","create"]"#),
        ("updated", r#"["update"]"#),
        ("same", r#"["no-op"]"#),
        ("drifted", r#"["update"]"#),
        ("gone", r#"["create"]"#),
        ("imported", r#"["no-op"]"#),
        ("orphan", r#"["delete"]"#),
    ];
    for (name, expected) in expected {
        assert_eq!(actions(name), expected, "{name}: {plan}");
    }
    // Values that the provider plans are known; only the others are unknown.
    let new = change(&plan, "kit_disk.new");
    assert_eq!((&new["after"]["kind"], &new["after"]["region"]), (&"ssd".into(), &"eu".into()));
    assert_eq!((&new["after"]["name"], &new["after_unknown"]["id"]), (&"b".into(), &true.into()));
    let updated = change(&plan, "kit_disk.updated");
    assert_eq!((&updated["after"]["id"], &updated["after_unknown"]["etag"]), (&"1".into(), &true.into()));
    assert_eq!(change(&plan, "kit_disk.replaced")["replace_paths"].to_string(), r#"[["name"]]"#);
    assert_eq!(change(&plan, "kit_disk.drifted")["before"]["size"], 99);
    assert_eq!(plan["resource_drift"].as_array().unwrap().len(), 2, "{plan}");
    assert_eq!(plan["output_changes"]["zones"]["after"], 2);
}

#[test]
fn a_provider_may_be_configured_with_what_is_not_known() {
    let main = "resource \"terraform_data\" \"r\" {}\nprovider \"kit\" {\n  region = terraform_data.r.id\n}\nresource \"kit_disk\" \
                \"a\" {\n  name = \"x\"\n}\n";
    let folder = folder("real-unknown", main);
    let output = plan(&folder, &["--json"]);
    let plan = document(&output);
    let disk = change(&plan, "kit_disk.a");
    assert_eq!(
        (&disk["after_unknown"]["region"], &disk["after"]["kind"]),
        (&true.into(), &"ssd".into()),
        "{disk}"
    );
}

#[test]
fn each_configuration_has_a_process_of_its_own() {
    let main = "provider \"kit\" {\n  region = \"a\"\n}\nprovider \"kit\" {\n  alias  = \"b\"\n  region = \"b\"\n}\nresource \
                \"kit_disk\" \"a\" {\n  name = \"x\"\n}\nresource \"kit_disk\" \"b\" {\n  provider = kit.b\n  name = \"x\"\n}\n";
    let folder = folder("real-alias", main);
    let plan = document(&plan(&folder, &["--json"]));
    assert_eq!(change(&plan, "kit_disk.a")["after"]["region"], "a");
    assert_eq!(change(&plan, "kit_disk.b")["after"]["region"], "b");
}

#[test]
fn what_a_provider_says_is_placed_and_has_no_secrets() {
    let main = r#"
variable "pin" {
  sensitive = true
  default   = "hunter2"
}
provider "kit" {
  token = var.pin
}
resource "kit_disk" "warned" {
  name   = "a"
  secret = "s3cret"
  say    = "warn"
}
resource "kit_disk" "refused" {
  name   = "b"
  secret = var.pin
  say    = "plan"
}
resource "kit_disk" "unread" {
  name = "c"
  say  = "read"
}
data "kit_disk" "none" {
  name = "none"
}
"#;
    let folder = folder("real-errors", main);
    folder
        .write("terraform.tfstate", state(&[("unread", r#""name":"c","say":"read","secret":"t0psecret""#)]));
    let output = plan(&folder, &[]);
    assert_eq!(output.code, 1, "{output:?}");
    let said = &output.stderr;
    let warning = "Warning: This is worth a thought\n\n  with kit_disk.warned,\n  on main.tf line 17, in resource \
                   \"kit_disk\" \"warned\":\n  17:   say    = \"warn\"\n";
    assert!(said.contains(warning), "{said}");
    let errors = [
        "Error: This cannot be planned\n\n  with kit_disk.refused,\n  on main.tf line 22,",
        "Error: This cannot be read\n\n  with kit_disk.unread,\n  on main.tf line 26,",
        "Error: There is no such disk\n\n  with data.kit_disk.none,\n  on main.tf line 29,",
    ];
    errors.iter().for_each(|error| assert!(said.contains(error), "{error}: {said}"));
    assert!(output.stdout.contains("# kit_disk.warned will be created"), "{output:?}");
    let all = format!("{}{}", output.stdout, output.stderr);
    ["hunter2", "s3cret", "t0psecret"].iter().for_each(|secret| assert!(!all.contains(secret), "{all}"));
    folder.write("main.tf", format!("{HEAD}provider \"kit\" {{\n  region = \"nowhere\"\n}}\nresource \"kit_disk\" \"a\" {{\n  name = \"x\"\n}}\n"));
    let output = plan(&folder, &["--state", "/dev/null"]);
    let place =
        "Error: There is no such region\n\n  with provider[\"example.com/test/kit\"],\n  on main.tf line 7,";
    assert!(output.stderr.contains(place) || output.code == 2, "{output:?}");
}

/// Providers learn the identities of the state, and no plan has one that is not known.
#[test]
fn identities_go_to_the_provider_and_come_from_there() {
    let real = |test: &str, main: &str, stored: &[&str]| {
        let folder = folder(test, main);
        let things: Vec<String> = stored
            .iter()
            .map(|kind| {
                format!(
                    r#"{{"mode":"managed","type":"{kind}","name":"a","provider":"provider[\"example.com/test/kit\"]","instances":
                    [{{"schema_version":0,"attributes":{{"id":"i","name":"n","note":"x","status":"s"}},
                    "identity_schema_version":0,"identity":{{"id":"stored"}}}}]}}"#
                )
            })
            .collect();
        let things = things.join(",");
        folder.write(
            "terraform.tfstate",
            format!(
                r#"{{"version":4,"terraform_version":"1.15.5","serial":1,"lineage":"l","outputs":{{}},"resources":[{things}]}}"#
            ),
        );
        plan_with(&[], &folder, &["--json", "--real-providers", "--provider-binary", "KIT"])
    };
    let stored = serde_json::json!({"id": "stored"});
    let thing = |kind: &str, name: &str| format!("resource \"{kind}\" \"a\" {{\n  name = {name:?}\n}}\n");
    for main in [thing("kit_thing", "n"), thing("kit_thing", "other"), String::new()] {
        let output = real("real-identities", &main, &["kit_thing"]);
        let document = document(&output);
        let change = change(&document, "kit_thing.a");
        assert_eq!([&change["before_identity"], &change["after_identity"]], [&stored, &stored], "{main}");
        assert_eq!(document["prior_state"]["values"]["root_module"]["resources"][0]["identity"], stored);
    }
    for kind in ["kit_read_identity_unknown", "kit_updated_identity_unknown"] {
        let output = real("real-identities-unknown", &thing(kind, "other"), &[kind]);
        assert_eq!(output.code, 1, "{kind}: {output:?}");
        assert!(output.stderr.contains("Error: Provider produced invalid identity"), "{kind}: {output:?}");
    }
}

/// A provider that has nothing of the new type to give makes a new object; a broken answer is refused.
#[test]
fn what_becomes_of_a_moved_object_is_for_its_provider_to_say() {
    let moved = |to: &str| {
        let main = format!(
            "moved {{\n  from = kit_thing.a\n  to   = {to}.b\n}}\nresource \"{to}\" \"b\" {{\n  name = \"n\"\n}}\n"
        );
        let folder = folder("real-moved", &main);
        let state = r#"{"version":4,"terraform_version":"1.15.5","serial":1,"lineage":"l","outputs":{},"resources":[
            {"mode":"managed","type":"kit_thing","name":"a","provider":"provider[\"example.com/test/kit\"]","instances":
            [{"schema_version":0,"attributes":{"id":"i","name":"n","note":"x","status":"s"}}]}]}"#;
        folder.write("terraform.tfstate", state);
        plan_with(&[], &folder, &["--real-providers", "--provider-binary", "KIT"])
    };
    let output = moved("kit_moved_nothing");
    assert!(output.stdout.contains("# kit_moved_nothing.b will be created"), "{output:?}");
    assert!(output.stdout.contains("# (moved from kit_thing.a)"), "{output:?}");
    for (to, error) in [
        ("kit_moved_unknown", "Provider returned invalid value"),
        ("kit_moved_write_only", "Provider returned invalid value"),
        ("kit_moved_identity_unknown", "Provider produced invalid identity"),
    ] {
        let output = moved(to);
        assert_eq!(output.code, 1, "{to}: {output:?}");
        assert!(output.stderr.contains(&format!("Error: {error}")), "{to}: {output:?}");
    }
}

#[test]
fn ephemeral_resources_take_ephemeral_values_in_every_module() {
    let main = "module \"m\" {\n  source = \"./m\"\n  name   = \"n\"\n}\n";
    let folder = folder("real-ephemeral", main);
    let child = "variable \"name\" {\n  ephemeral = true\n}\nephemeral \"kit_thing\" \"e\" {\n  name = var.name\n  lifecycle {\n    \
                 postcondition {\n      condition     = self.name == \"n\"\n      error_message = \"no\"\n    }\n  }\n}\n";
    folder.write("m/main.tf", format!("{HEAD}{child}"));
    let manifest = r#"{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"m","Source":"./m","Dir":"m"}]}"#;
    folder.write(".terraform/modules/modules.json", manifest);
    let output = plan_with(&[], &folder, &["--json", "--real-providers", "--provider-binary", "KIT"]);
    let document = document(&output);
    let address = &document["checks"][0]["address"];
    assert_eq!(
        [&address["mode"], &address["type"], &address["name"]],
        ["ephemeral", "kit_thing", "e"],
        "{document}"
    );
}

#[test]
fn a_provider_that_dies_or_hangs_is_named() {
    let main = |kind: &str| {
        format!(
            "resource \"kit_{kind}\" \"a\" {{\n  name = \"x\"\n}}\nresource \"kit_{kind}\" \"b\" {{\n  name = \"y\"\n}}\n"
        )
    };
    let arguments = ["--real-providers", "--provider-binary", "KIT", "--timeout", "5s"];
    for (kind, why) in [("crash", "the provider crashed"), ("hang", "the provider did not answer within 5s")]
    {
        let folder = folder(&format!("real-{kind}"), &main(kind));
        let output = plan_with(&[], &folder, &arguments);
        assert_eq!(output.code, 1, "{output:?}");
        let words = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Error: Provider does not answer with kit_"), "{output:?}");
        assert!(
            words.contains(&format!("provider[\"example.com/test/kit\"]: PlanResourceChange: {why}")),
            "{words}"
        );
        assert!(words.contains("it is not called again, because it failed before"), "{words}");
        assert_nothing_runs(&folder);
    }
}

#[test]
fn no_provider_is_started_that_nobody_asked_for() {
    let folder = folder("real-choice", "resource \"kit_disk\" \"a\" {\n  name = \"x\"\n}\n");
    let missing = plan_with(&[SERVICE], &folder, &["--real-providers"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.contains("example.com/test/kit is not installed: run `terraform init`"),
        "{missing:?}"
    );
    let other = plan_with(&[SERVICE], &folder, &["--real-provider", "hashicorp/random"]);
    let note =
        "note: hashicorp/random is not asked: the module has no such provider, only example.com/test/kit";
    assert!(other.stderr.contains(note), "{other:?}");
    // Its schemas alone are asked for.
    let simulated = plan_with(&[SERVICE], &folder, &["--provider-binary", "KIT"]);
    assert!(simulated.stderr.contains("planned without asking") || simulated.code == 1, "{simulated:?}");
    // As `terraform init` leaves it.
    let platform = match std::env::consts::ARCH {
        "aarch64" => "linux_arm64",
        _ => "linux_amd64",
    };
    let package =
        format!(".terraform/providers/example.com/test/kit/1.0.0/{platform}/terraform-provider-kit_v1.0.0");
    if cfg!(target_os = "linux") {
        folder.write(&package, "");
        std::fs::copy(kit(), folder.at(&package)).unwrap();
        let output = plan_with(&[SERVICE], &folder, &["--real-provider", "example.com/test/kit", "--json"]);
        let note = "note: the workspace \"default\" has no state: nothing exists yet\n";
        assert_eq!((output.code, output.stderr.as_str()), (0, note));
        assert_eq!(change(&document(&output), "kit_disk.a")["after"]["kind"], "ssd");
        assert_nothing_runs(&folder);
    }
}

/// Whether a process runs in the folder, where that can be seen.
fn assert_nothing_runs(folder: &Folder) {
    let Ok(processes) = std::fs::read_dir("/proc") else { return };
    let folder = std::fs::canonicalize(&folder.0).unwrap();
    let is_in = |path: &Path| std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == folder);
    let left: Vec<_> = processes.flatten().map(|entry| entry.path()).filter(|path| is_in(path)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_leaves_no_process() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = folder("real-interrupt", "resource \"kit_hang\" \"a\" {\n  name = \"x\"\n}\n");
    let mut program = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(["plan".into(), folder.0.clone().into_os_string()])
        .args(["--real-providers", "--provider-binary", &format!("{}=example.com/test/kit", kit())])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let real = std::fs::canonicalize(&folder.0).unwrap();
    let runs = || {
        let mut all = std::fs::read_dir("/proc").unwrap().flatten();
        all.any(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == real))
    };
    let until = Instant::now() + Duration::from_secs(60);
    while !runs() {
        assert!(Instant::now() < until, "the provider was not started");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(500));
    let id = program.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = program.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{status:?}");
    assert_nothing_runs(&folder);
}

/// Expressions for texts: known ones, ones that only a provider knows, and mixed ones.
fn text() -> impl Strategy<Value = String> {
    let disk = (0..4_usize, prop::sample::select(vec!["id", "name", "kind", "etag", "region"]));
    prop_oneof![
        prop::sample::select(vec!["\"a\"", "\"b\"", "\"x-1\""]).prop_map(str::to_owned),
        disk.prop_map(|(disk, attribute)| format!("kit_disk.d{disk}.{attribute}")),
        (0..4_usize).prop_map(|disk| format!("\"${{kit_disk.d{disk}.id}}-x\"")),
        Just("data.kit_disk.found.id".to_owned()),
    ]
}

/// A disk: its name, size, kind and tag.
type Disk = (String, Option<u8>, Option<String>, Option<String>);

fn disk() -> impl Strategy<Value = Disk> {
    (text(), prop::option::of(1..3_u8), prop::option::of(text()), prop::option::of(text()))
}

/// A disk in the state, if it exists.
fn stored() -> impl Strategy<Value = Option<(String, Option<u8>)>> {
    let name = prop::sample::select(vec!["a", "b", "x-1"]).prop_map(str::to_owned);
    prop::option::of((name, prop::option::of(1..3_u8)))
}

/// Disks that refer to those before them, and outputs of all.
fn module(disks: &[Disk]) -> String {
    let mut text = format!(
        "{HEAD}provider \"kit\" {{\n  region = \"eu\"\n}}\ndata \"kit_disk\" \"found\" {{\n  name = \"f\"\n}}\n"
    );
    for (position, (name, size, kind, tag)) in disks.iter().enumerate() {
        // A disk refers to none that comes after it.
        let fix = |expr: &String| {
            let later = (position..4).any(|other| expr.contains(&format!("kit_disk.d{other}.")));
            if later { "\"a\"".to_owned() } else { expr.clone() }
        };
        text.push_str(&format!("resource \"kit_disk\" \"d{position}\" {{\n  name = {}\n", fix(name)));
        size.iter().for_each(|size| text.push_str(&format!("  size = {size}\n")));
        kind.iter().for_each(|kind| text.push_str(&format!("  kind = {}\n", fix(kind))));
        tag.iter().for_each(|tag| text.push_str(&format!("  tags = {{ t = {} }}\n", fix(tag))));
        text.push_str(&format!("}}\noutput \"o{position}\" {{\n  value = [kit_disk.d{position}.id, kit_disk.d{position}.tags]\n}}\n"));
    }
    text
}

/// Asserts that what is known of one value is so in the other.
fn assert_holds(known: &Json, unknown: &Json, real: &Json, real_unknown: &Json, place: &str) {
    if *unknown == Json::Bool(true) {
        return;
    }
    assert!(*real_unknown != Json::Bool(true), "{place}: {known} was said to be known");
    match (known, real) {
        (Json::Object(known), Json::Object(real)) => {
            let names: std::collections::BTreeSet<&String> = known.keys().chain(real.keys()).collect();
            for name in names {
                let of =
                    |object: &serde_json::Map<String, Json>| object.get(name).cloned().unwrap_or_default();
                let place = format!("{place}.{name}");
                assert_holds(
                    &of(known),
                    &unknown[name.as_str()],
                    &of(real),
                    &real_unknown[name.as_str()],
                    &place,
                );
            }
        }
        (Json::Array(known), Json::Array(real)) => {
            assert_eq!(known.len(), real.len(), "{place}");
            for (position, (known, real)) in std::iter::zip(known, real).enumerate() {
                let place = format!("{place}[{position}]");
                assert_holds(known, &unknown[position], real, &real_unknown[position], &place);
            }
        }
        _ => assert_eq!(known, real, "{place}"),
    }
}

/// Whether an object is updated. Only the provider can tell its computed attributes and whether it is replaced; gates
/// and policies do not rely on these.
fn updates_anything(plan: &Json) -> bool {
    let mut changes = plan["resource_changes"].as_array().into_iter().flatten();
    changes.any(|one| one["change"]["actions"][0] == "update")
}

/// Asserts that a plan without the provider contradicts nothing that the provider says.
fn assert_sound(simulated: &Json, real: &Json) {
    let all = |plan: &Json| plan["resource_changes"].as_array().cloned().unwrap_or_default();
    for one in all(simulated) {
        let address = one["address"].as_str().unwrap();
        if one["mode"] == "data" {
            continue;
        }
        let (ours, theirs) = (&one["change"], change(real, address));
        assert_eq!(ours["actions"], theirs["actions"], "{address}");
        let (known, unknown) = (&ours["after"], &ours["after_unknown"]);
        assert_holds(known, unknown, &theirs["after"], &theirs["after_unknown"], address);
    }
    let outputs = simulated["output_changes"].as_object().unwrap();
    for (name, ours) in outputs {
        let theirs = &real["output_changes"][name.as_str()];
        let (known, unknown) = (&ours["after"], &ours["after_unknown"]);
        assert_holds(known, unknown, &theirs["after"], &theirs["after_unknown"], name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_known_without_the_provider_holds(
        disks in prop::collection::vec(disk(), 1..4),
        stored in prop::collection::vec(stored(), 4),
    ) {
        let folder = Folder::with("real-sound", &[("main.tf", &module(&disks))]);
        let stored: Vec<(String, String)> = stored.iter().enumerate().filter_map(|(position, stored)| {
            let (name, size) = stored.as_ref()?;
            let size = size.map_or("null".to_owned(), |size| size.to_string());
            Some((format!("d{position}"), format!(r#""name":"{name}","size":{size}"#)))
        }).collect();
        let stored: Vec<(&str, &str)> = stored.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        folder.write("terraform.tfstate", state(&stored));
        folder.write("schemas.json", schemas());
        let real = plan(&folder, &["--json"]);
        assert_eq!(real.code, 0, "{real:?}");
        let file = folder.at("schemas.json").display().to_string();
        let simulated = plan_with(&[], &folder, &["--schemas", &file, "--json"]);
        assert_eq!(simulated.code, 0, "{simulated:?}");
        let (simulated, real) = (document(&simulated), document(&real));
        prop_assume!(!updates_anything(&simulated));
        assert_sound(&simulated, &real);
    }
}

/// The schemas of the service.
fn schemas() -> &'static str {
    static SCHEMAS: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    SCHEMAS.get_or_init(|| {
        let binary = format!("{}=example.com/test/kit", kit());
        let output = objchange_with(&[SERVICE], ["provider", "schema", &binary, "--env", "KIT_SERVICE"], "");
        assert_eq!(output.code, 0, "{output:?}");
        output.stdout
    })
}

/// Terraform asks providers to validate even where they are mocked, and so does `test` with real ones.
#[test]
fn tests_ask_real_providers_to_validate() {
    let folder = folder(
        "test-validates",
        "resource \"kit_disk\" \"d\" {\n  name   = \"a\"\n  secret = \"s3cr3t-of-the-disk\"\n  say    = \"validate\"\n}\n",
    );
    for (file, mock) in
        [("tests/mocked.tftest.hcl", "mock_provider \"kit\" {}\n"), ("tests/plain.tftest.hcl", "")]
    {
        folder.write(file, format!("{mock}run \"r\" {{\n  command = plan\n}}\n"));
    }
    let binary = format!("--provider-binary={}=example.com/test/kit", kit());
    let arguments: [OsString; 4] =
        ["test".into(), folder.0.clone().into(), binary.into(), "--real-providers".into()];
    let with = objchange_with(&[SERVICE], arguments, "");
    let printed = format!("{}{}", with.stdout, with.stderr);
    assert_eq!(with.code, 1, "{with:?}");
    assert_eq!(printed.matches("Error: This is not valid").count(), 2, "{printed}");
    assert!(!printed.contains("s3cr3t-of-the-disk"), "{printed}");
    assert!(!printed.contains("to validate configurations even where mocked"), "{printed}");
}
