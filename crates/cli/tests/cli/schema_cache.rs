//! `objchange schemas`, and the commands that take schemas from the cache.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use objchange::schema::ProviderSchemas;
use objchange_document::schema_cache::CachedSchemas;
use objchange_model::TypeModel;
use serde_json::Value as Json;

use crate::folder::Folder;
use crate::kit::kit;
use crate::plan::SCHEMAS;
use crate::program::{Output, objchange_with};
use crate::schemas::{check, refused, validator};

const TEST: &str = "example.com/test/test";

/// A plan of which only the schema tells that `token` is sensitive.
const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[{"address":"test_disk.a","mode":"managed","type":"test_disk",
"name":"a","provider_name":"example.com/test/test","change":{"actions":["create"],"before":null,
"after":{"name":"x","size":null,"tags":null,"token":"hunter2"},"after_unknown":{"id":true},"before_sensitive":false,
"after_sensitive":{}}}]}"#;

const MAIN: &str = r#"terraform {
  required_providers {
    test = { source = "example.com/test/test" }
  }
}
resource "test_disk" "a" {
  name = "x"
}
"#;

fn lock(version: &str) -> String {
    format!(
        "provider \"{TEST}\" {{\n  version     = \"{version}\"\n  constraints = \">= 1.0.0\"\n  hashes      = []\n}}\n"
    )
}

struct Cache {
    folder: Folder,
}

impl Cache {
    fn new(test: &str) -> Self {
        let files = [("schemas.json", SCHEMAS), ("plan.json", PLAN), ("main.tf", MAIN)];
        Self { folder: Folder::with(&format!("schema-cache-{test}"), &files) }
    }

    #[track_caller]
    fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Output {
        let cache = self.folder.at("cache").display().to_string();
        let folder = self.folder.0.display().to_string();
        let replaced: Vec<String> =
            arguments.into_iter().map(|a| a.as_ref().to_str().unwrap().replace("DIR", &folder)).collect();
        objchange_with(&[("OBJCHANGE_CACHE_DIR", &cache)], replaced, "")
    }

    #[track_caller]
    fn line(&self, arguments: &str) -> Output {
        self.run(arguments.split_whitespace())
    }

    /// Adds the document under this version.
    #[track_caller]
    fn add(&self, version: &str) {
        let added = self.line(&format!("schemas add DIR/schemas.json --provider-version {TEST}={version}"));
        assert_eq!((added.code, &*added.stderr), (0, ""), "{added:?}");
    }

    fn file(&self, version: &str) -> PathBuf {
        self.folder.at(&format!("cache/schemas/{TEST}/{version}.schemas"))
    }
}

#[test]
fn a_plan_of_cached_providers_is_shown_as_with_schemas() {
    let cache = Cache::new("show");
    let given = cache.line("show DIR/plan.json --schemas DIR/schemas.json");
    assert_eq!((given.code, &*given.stderr), (0, ""), "{given:?}");
    assert!(given.stdout.contains("+ token = (sensitive value)"), "{given:?}");
    let without = cache.line("show DIR/plan.json");
    assert!(without.stderr.contains("objchange schemas add"), "{without:?}");
    assert_ne!(without.stdout, given.stdout);

    cache.add("1.2.0");
    let cached = cache.line("show DIR/plan.json");
    assert_eq!((&cached.stdout, &*cached.stderr), (&given.stdout, ""), "{cached:?}");
    assert_eq!(cache.line("show DIR/plan.json --no-schema-cache").stdout, without.stdout);

    let json: Json = serde_json::from_str(&cache.line("show --json DIR/plan.json").stdout).unwrap();
    check(&validator("report.schema.json"), &json);
    let origin = serde_json::json!([{"provider": TEST, "version": "1.2.0", "source": "cache"}]);
    assert_eq!(json["schemas"], origin);
    let json = cache.line("show --json DIR/plan.json --schemas DIR/schemas.json").stdout;
    assert!(!json.contains("\"schemas\""), "{json}");
    // A directory of documents, and several.
    cache.folder.write("documents/a.json", SCHEMAS);
    cache.folder.write("documents/b.json", r#"{"format_version":"1.0"}"#);
    for arguments in ["--schemas DIR/documents", "--schemas DIR/documents/b.json --schema DIR/schemas.json"] {
        assert_eq!(cache.line(&format!("show DIR/plan.json {arguments}")).stdout, given.stdout);
    }
}

#[test]
fn what_is_cached_is_listed_and_removed() {
    let cache = Cache::new("list");
    let validator = validator("schemas.schema.json");
    let json = |output: &Output| -> Json {
        let json = serde_json::from_str(&output.stdout).unwrap();
        check(&validator, &json);
        json
    };
    let empty = cache.line("schemas list");
    assert_eq!((empty.code, &*empty.stdout), (0, ""), "{empty:?}");
    assert!(empty.stderr.contains("no schemas are cached"), "{empty:?}");
    assert_eq!(json(&cache.line("schemas list --json"))["schemas"], serde_json::json!([]));

    cache.add("1.9.0");
    cache.add("1.10.0");
    let unknown = cache.line("schemas add DIR/schemas.json --json");
    assert!(unknown.stderr.contains("--provider-version"), "{unknown:?}");
    assert!(json(&unknown)["schemas"][0].get("version").is_none());
    let list = cache.line("schemas list");
    let lines: Vec<&str> = list.stdout.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        lines,
        [&*format!("{TEST} 1.10.0"), &format!("{TEST} 1.9.0"), &format!("{TEST} (version not known)")]
    );
    assert!(list.stdout.contains(": 1 resource type, 0 data sources, 1 kB, from "), "{list:?}");
    let listed = json(&cache.line(&format!("schemas list --json {TEST}@1.9.0")));
    assert_eq!(listed["schemas"][0]["resource_types"], 1);
    assert_eq!(listed["schemas"].as_array().unwrap().len(), 1);

    let removed = cache.line(&format!("schemas remove --json {TEST}@1.9.0"));
    assert_eq!(json(&removed)["schemas"][0]["version"], "1.9.0");
    assert_eq!(cache.line(&format!("schemas remove {TEST}@1.9.0")).code, 1);
    assert_eq!(cache.line("schemas remove hashicorp/aws").code, 1);
    // Files that cannot be used can be removed.
    fs::write(cache.file("1.10.0"), "x").unwrap();
    let listed = json(&cache.line("schemas list --json"));
    assert!(
        listed["schemas"][0]["error"].as_str().unwrap().contains("not a file of cached schemas"),
        "{listed}"
    );
    assert_eq!(cache.line("schemas remove --all").code, 0);
    assert_eq!(cache.line("schemas list").stdout, "");
    assert!(!cache.folder.at("cache/schemas/example.com").exists());
}

#[test]
fn of_several_versions_the_newest_counts() {
    let cache = Cache::new("newest");
    for version in ["1.9.0", "1.10.0", "1.11.0-beta1"] {
        cache.add(version);
    }
    let shown = cache.line("show DIR/plan.json --json");
    assert!(shown.stderr.contains("1.11.0-beta1"), "{shown:?}");
    assert!(shown.stderr.contains("2 other versions"), "{shown:?}");
    let json: Json = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(json["schemas"][0]["version"], "1.11.0-beta1");
}

#[test]
fn broken_files_are_as_good_as_none() {
    let cache = Cache::new("broken");
    cache.add("1.0.0");
    let given = cache.line("show DIR/plan.json").stdout;
    cache.add("2.0.0");
    let good = fs::read(cache.file("2.0.0")).unwrap();
    let mut changed = good.clone();
    *changed.last_mut().unwrap() ^= 1;
    let of_other = fs::read(cache.file("1.0.0")).unwrap();
    for (bytes, why) in [
        (changed, "does not match its hash"),
        (good[..good.len() / 2].to_vec(), "does not match its hash"),
        (b"objchange schemas 9\n".to_vec(), "another format"),
        (Vec::new(), "not a file of cached schemas"),
        (of_other, "it has the schemas of example.com/test/test 1.0.0"),
    ] {
        fs::write(cache.file("2.0.0"), bytes).unwrap();
        let shown = cache.line("show DIR/plan.json");
        assert_eq!((shown.code, &shown.stdout), (0, &given), "{shown:?}");
        assert!(shown.stderr.contains(why) && shown.stderr.contains("objchange schemas add"), "{shown:?}");
        assert!(shown.stderr.contains("test 1.0.0 are used"), "{shown:?}");
    }
    // Without another version it is as if nothing was cached, and adding it again helps.
    fs::remove_file(cache.file("1.0.0")).unwrap();
    let shown = cache.line("show DIR/plan.json");
    assert_eq!(shown.stdout, cache.line("show DIR/plan.json --no-schema-cache").stdout);
    cache.add("2.0.0");
    assert_eq!(cache.line("show DIR/plan.json").stdout, given);
}

#[test]
fn a_module_takes_the_version_that_is_locked() {
    let cache = Cache::new("lock");
    let plan = || cache.line("plan DIR --require schemas");
    let missing = plan();
    assert_eq!(missing.code, 2, "{missing:?}");
    for way in ["--schemas FILE", "objchange schemas add DIR", "--provider-binary"] {
        assert!(missing.stderr.contains(way), "{missing:?}");
    }
    // The lock file beside a document tells its version.
    cache.folder.write(".terraform.lock.hcl", lock("1.0.0"));
    let added = cache.line("schemas add DIR/schemas.json");
    assert!(added.stdout.starts_with(&format!("{TEST} 1.0.0: ")), "{added:?}");
    let planned = plan();
    assert_eq!(planned.code, 0, "{planned:?}");
    assert!(planned.stdout.contains("Plan: 1 to add"), "{planned:?}");
    assert_eq!(planned.stderr.matches("note: planned without asking").count(), 1, "{planned:?}");
    assert_eq!(cache.line("plan DIR --no-schema-cache --require schemas").code, 2);
    // A newer one does not count, and one of another version is none.
    cache.folder.write("schemas.json", SCHEMAS.replace("\"name\"", "\"title\""));
    cache.add("2.0.0");
    assert_eq!(plan().stdout, planned.stdout);
    cache.folder.write(".terraform.lock.hcl", lock("1.5.0"));
    let other = plan();
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("test (1.5.0 is locked; 2.0.0, 1.0.0 are cached): give"), "{other:?}");
    cache.folder.write(".terraform.lock.hcl", lock("2.0.0"));
    assert!(plan().stderr.contains("\"title\""));
    // Without a lock file the newest counts; one that cannot be read is none.
    cache.folder.write(".terraform.lock.hcl", "provider \"");
    let unlocked = plan();
    assert!(
        unlocked.stderr.contains("are not used") && unlocked.stderr.contains("\"title\""),
        "{unlocked:?}"
    );
    assert!(unlocked.stderr.contains("test 2.0.0 are used; schemas of 1 other version"), "{unlocked:?}");
}

#[test]
fn other_commands_take_schemas_from_the_cache() {
    let cache = Cache::new("commands");
    cache.folder.write("object.json", r#"{"name":"x"}"#);
    cache.folder.write("error.txt", ERROR);
    cache.folder.write("p.sentinel", "import \"tfplan/v2\" as tfplan\nmain = rule { all tfplan.resource_changes as _, rc { rc.type is \"test_disk\" and rc.change.after.nme is \"x\" } }\n");
    let resource = "plan --type test_disk --config DIR/object.json";
    let missing = cache.line(resource);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("objchange schemas add DIR"), "{missing:?}");
    let explained = cache.line("explain DIR/error.txt --planned DIR/object.json");
    assert_eq!(explained.code, 2);
    assert!(explained.stderr.contains("objchange schemas add DIR"), "{explained:?}");
    cache.add("1.0.0");
    for command in [resource, "plan DIR", "plan --config DIR/main.tf:test_disk.a"] {
        let given = cache.line(&format!("{command} --schemas DIR/schemas.json --no-schema-cache"));
        let cached = cache.line(command);
        assert_eq!((cached.code, &cached.stdout), (0, &given.stdout), "{cached:?}");
    }
    for command in ["explain --json DIR/error.txt", "sentinel check --json DIR/p.sentinel"] {
        let given = cache.line(&format!("{command} --schemas DIR/schemas.json --no-schema-cache"));
        let cached = cache.line(command);
        assert_eq!((cached.code, &cached.stdout), (given.code, &given.stdout), "{cached:?}");
    }
}

const ERROR: &str = "Error: Provider produced inconsistent final plan

When expanding the plan for test_disk.a to include new values learned so far during apply, provider \"example.com/test/test\" \
produced an invalid new value for .name: was cty.StringVal(\"a\"), but now cty.StringVal(\"b\").

This is a bug in the provider, which should be reported in the provider's own issue tracker.
";

#[test]
fn installed_providers_are_asked_when_their_directory_is_added() {
    let cache = Cache::new("installed");
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux_amd64",
        ("linux", "aarch64") => "linux_arm64",
        ("macos", "aarch64") => "darwin_arm64",
        ("macos", "x86_64") => "darwin_amd64",
        _ => return,
    };
    let install = |address: &str, version: &str, name: &str| {
        let folder = cache.folder.at(&format!(".terraform/providers/{address}/{version}/{platform}"));
        fs::create_dir_all(&folder).unwrap();
        folder.join(name)
    };
    for version in ["0.9.0", "1.0.0"] {
        fs::copy(kit(), install("example.com/test/kit", version, "terraform-provider-kit_v1")).unwrap();
    }
    let witness = cache.folder.at("started");
    let evil = install("example.com/test/test", "1.0.0", "terraform-provider-test");
    fs::write(&evil, format!("#!/bin/sh\ntouch {}\nexit 1\n", witness.display())).unwrap();
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    }
    cache
        .folder
        .write(".terraform.lock.hcl", "provider \"example.com/test/kit\" {\n  version = \"1.0.0\"\n}\n");
    // Planning starts nothing.
    assert_eq!(cache.line("plan DIR --require schemas").code, 2);
    assert!(!witness.exists());
    // One that does not answer keeps nobody from the others.
    let added = cache.line("schemas add DIR --json");
    assert_eq!(added.code, 1, "{added:?}");
    assert!(witness.exists() && added.stderr.contains("terraform-provider-test"), "{added:?}");
    let json: Json = serde_json::from_str(&added.stdout).unwrap();
    let [kit_entry] = &json["schemas"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!(
        (&kit_entry["provider"], &kit_entry["version"]),
        (&"example.com/test/kit".into(), &"1.0.0".into())
    );

    let main = "terraform {\n  required_providers {\n    kit = { source = \"example.com/test/kit\" }\n  }\n}\n\
                resource \"kit_thing\" \"web\" {\n  name = \"web\"\n  size = 2\n}\n";
    cache.folder.write("main.tf", main);
    let planned = cache.line("plan DIR");
    assert_eq!(planned.code, 0, "{planned:?}");
    let binary = format!("--provider-binary={}=example.com/test/kit", kit());
    assert_eq!(planned.stdout, cache.run(["plan", "DIR", &binary]).stdout);
    // A program by itself; its name may tell the version.
    let named = cache.folder.at("terraform-provider-kit_v3.2.1");
    fs::copy(kit(), &named).unwrap();
    let binary = format!("{}=example.com/test/kit", named.display());
    let added = cache.run(["schemas", "add", "--provider-binary", &binary]);
    assert!(added.stdout.starts_with("example.com/test/kit 3.2.1: "), "{added:?}");
}

#[test]
fn what_cannot_be_added_is_named() {
    let cache = Cache::new("refused");
    cache.folder.write("a.json", "{\"provider_schemas\":\n5}");
    cache.folder.write("b.json", r#"{"provider_schemas":{"../../x/y":{},"a/b":{},"example.com/test/bad":{"resource_schemas":{"a":{"block":5}}}}}"#);
    let refused = cache.line("schemas add DIR/a.json");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("a.json:2:1: "), "{refused:?}");
    let refused = cache.line("schemas add DIR/b.json");
    assert_eq!((refused.code, &*refused.stdout), (1, ""), "{refused:?}");
    assert_eq!(refused.stderr.matches("error:").count(), 3, "{refused:?}");
    assert!(!cache.folder.at("cache/schemas").exists());
    assert_eq!(cache.line("schemas add").code, 2);
    assert_eq!(
        cache.line(&format!("schemas add DIR/schemas.json --provider-version {TEST}=1/../../x")).code,
        1
    );
    // A cache that is a file.
    cache.folder.write("cache", "");
    let refused = cache.line("schemas add DIR/schemas.json");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(fs::read_to_string(cache.folder.at("cache")).unwrap(), "");
    let none = objchange_with(&[("OBJCHANGE_CACHE_DIR", "")], ["schemas", "list"], "");
    assert_eq!(none.code, 2, "{none:?}");
}

/// A state with one disk, as the service behind the test provider would have created it.
const DISK_STATE: &str = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
{"mode":"managed","type":"TYPE","name":"d","provider":"provider[\"example.com/test/kit\"]","instances":[
{"schema_version":0,"attributes":OBJECT}]}]}"#;

#[test]
fn a_learned_provider_takes_part_in_plans() {
    let cache = Cache::new("learned");
    let binary = format!("--provider-binary={}=example.com/test/kit", kit());
    let learn = |more: &[&str]| {
        let arguments =
            ["schemas", "learn", &binary, "--allow-net", "--env", "KIT_SERVICE=1", "--only", "kit_disk"];
        cache.run(arguments.into_iter().chain(more.iter().copied()))
    };
    let learned = learn(&["--json"]);
    assert_eq!(learned.code, 0, "{learned:?}");
    check(&validator("schemas.schema.json"), &serde_json::from_str(&learned.stdout).unwrap());
    assert!(learned.stderr.contains("1 resource type learned with "), "{learned:?}");
    let listed = cache.line("schemas list");
    assert!(listed.stdout.contains(", 1 learned, "), "{listed:?}");
    // Nothing is learned twice.
    let again = learn(&[]);
    assert!(again.code == 0 && again.stderr.contains("0 resource types learned"), "{again:?}");

    let main = |name: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    kit = {{ source = \"example.com/test/kit\" }}\n  }}\n}}\n\
             resource \"kit_disk\" \"d\" {{\n  name = \"{name}\"\n}}\n"
        )
    };
    let object = r#"{"name":"a","id":"1","kind":"ssd"}"#;
    cache.folder.write("terraform.tfstate", DISK_STATE.replace("TYPE", "kit_disk").replace("OBJECT", object));
    cache.folder.write("main.tf", main("b"));
    let planned = cache.line("plan DIR --refresh=false");
    assert!(planned.stdout.contains("# kit_disk.d must be replaced"), "{planned:?}");
    assert!(planned.stdout.contains("# forces replacement"), "{planned:?}");
    let explained = cache.line("plan DIR --refresh=false --explain kit_disk.d");
    assert!(explained.stdout.contains("name forces replacement in "), "{explained:?}");
    assert!(explained.stdout.contains(" probes of example.com/test/kit"), "{explained:?}");
    let without = cache.line("plan DIR --refresh=false --no-model");
    assert!(without.stdout.contains("# kit_disk.d will be updated in-place"), "{without:?}");

    // A value that nobody has read may be the one that the object has. What a new object gets is known to nobody.
    let with_name = |value: &str| {
        let found = "data \"kit_disk\" \"found\" {\n  name = \"a\"\n}\n";
        let other = "resource \"kit_disk\" \"other\" {\n  name = \"x\"\n}\n";
        format!("{}{found}{other}", main("b").replace("\"b\"", value))
    };
    for strict in ["", " --strict"] {
        for (value, is_decided) in [
            ("data.kit_disk.found.id", false),
            ("data.kit_disk.found.zones[0]", false),
            ("kit_disk.other.id", true),
            ("\"${kit_disk.other.id} ${data.kit_disk.found.id}\"", false),
        ] {
            cache.folder.write("main.tf", with_name(value));
            let planned = cache.line(&format!("plan DIR --refresh=false --json{strict}"));
            let planned: Json = serde_json::from_str(&planned.stdout).unwrap();
            let changes = planned["resource_changes"].as_array().unwrap();
            let change = changes.iter().find(|change| change["address"] == "kit_disk.d");
            match is_decided {
                true => {
                    assert_eq!(change.unwrap()["change"]["actions"], serde_json::json!(["delete", "create"]));
                }
                false => assert!(change.is_none(), "{value}: {change:?}"),
            }
            let reasons =
                planned["deferred_changes"].as_array().into_iter().flatten().map(|one| &one["reason"]);
            let expected = if is_decided { Vec::new() } else { vec!["replacement_unknown"] };
            assert_eq!(reasons.collect::<Vec<_>>(), expected, "{value}");
        }
    }
    cache.folder.write("main.tf", main("b"));

    // The objects of a state, and of the module in a directory, are changed as well.
    for source in ["DIR/terraform.tfstate", "DIR"] {
        let more = learn(&["--again", "--from", source, "--json"]);
        assert!(more.code == 0 && more.stderr.contains("1 resource type learned with "), "{more:?}");
        assert!(!more.stderr.contains("not used"), "{more:?}");
    }
    let missing = learn(&["--again", "--from", "DIR/no.tfstate"]);
    assert!(missing.code == 2 && missing.stderr.contains("no.tfstate"), "{missing:?}");
    assert_eq!(cache.line("plan DIR --refresh=false").stdout, planned.stdout);

    // Another machine gets the schemas and the model in a file.
    let exported = cache.line("schemas export example.com/test/kit DIR/kit.schemas");
    assert_eq!((exported.code, &*exported.stdout), (0, ""), "{exported:?}");
    assert_eq!(cache.line("schemas remove --all").code, 0);
    let added = cache.line("schemas add DIR/kit.schemas");
    assert!(added.code == 0 && added.stdout.contains(", 1 learned, "), "{added:?}");
    assert_eq!(cache.line("plan DIR --refresh=false").stdout, planned.stdout);
    let damaged = fs::read(cache.folder.at("kit.schemas")).unwrap();
    fs::write(cache.folder.at("kit.schemas"), &damaged[..damaged.len() - 1]).unwrap();
    let refused = cache.line("schemas add DIR/kit.schemas");
    assert!(refused.code == 2 && refused.stderr.contains("damaged"), "{refused:?}");
    assert_eq!(cache.line("schemas export example.com/test/other DIR/x.schemas").code, 2);
}

/// A document with one resource type of a provider.
fn document_of(provider: &str) -> String {
    format!(
        r#"{{"format_version":"1.0","provider_schemas":{{"{provider}":{{"resource_schemas":{{"kit_disk":{{"version":0,"block":{{}}}}}}}}}}}}"#
    )
}

#[test]
fn exported_files_are_checked_before_they_are_added() {
    let cache = Cache::new("exported");
    let binary = format!("--provider-binary={}=example.com/test/kit", kit());
    let learned = cache.run([
        "schemas",
        "learn",
        &binary,
        "--allow-net",
        "--env",
        "KIT_SERVICE=1",
        "--only",
        "kit_disk",
    ]);
    assert_eq!(learned.code, 0, "{learned:?}");
    let exported = cache.line("schemas export example.com/test/kit DIR/kit.schemas --json");
    assert_eq!(exported.code, 0, "{exported:?}");
    let json: serde_json::Value = serde_json::from_str(&exported.stdout).unwrap();
    crate::schemas::check(&crate::schemas::validator("schemas.schema.json"), &json);
    assert_eq!(json["schemas"][0]["provider"], "example.com/test/kit");
    let refused = cache.line("schemas add DIR/kit.schemas --max-input 100");
    assert!(refused.code == 2 && refused.stderr.contains("--max-input"), "{refused:?}");

    // A file without a model does not remove the one that is known.
    let bare = CachedSchemas::to_file(
        &ProviderSchemas::parse(document_of("example.com/test/kit")).unwrap(),
        "example.com/test/kit",
        None,
        "elsewhere",
    );
    fs::write(cache.folder.at("bare.schemas"), bare.unwrap()).unwrap();
    let added = cache.line("schemas add DIR/bare.schemas");
    assert!(added.code == 0 && added.stdout.contains(", 1 learned, "), "{added:?}");

    let own = "terraform.io/builtin/terraform";
    let own = CachedSchemas::to_file(&ProviderSchemas::parse(document_of(own)).unwrap(), own, None, "");
    fs::write(cache.folder.at("own.schemas"), own.unwrap()).unwrap();
    let refused = cache.line("schemas add DIR/own.schemas");
    assert!(refused.code == 2 && refused.stderr.contains("Terraform's own provider"), "{refused:?}");
}

#[test]
fn a_running_provider_is_learned_only_with_its_network() {
    let cache = Cache::new("reattach");
    let binary = format!("--provider-binary={}=example.com/test/kit", kit());
    let refused = cache.run(["schemas", "learn", &binary, "--reattach", "{}"]);
    assert!(refused.code == 2 && refused.stderr.contains("--allow-net"), "{refused:?}");
}

#[cfg(unix)]
#[test]
fn interrupted_learning_keeps_its_models() {
    let cache = Cache::new("interrupted");
    let planning = cache.folder.at("planning");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(["schemas", "learn", "--allow-net", "--jobs", "1", "--calls", "200"])
        .args(["--only", "kit_a*", "--only", "kit_c*", "--only", "kit_d*", "--only", "kit_hang"])
        .args(["--env", "KIT_PLANNING"])
        .arg(format!("--provider-binary={}=example.com/test/kit", kit()))
        .env("OBJCHANGE_CACHE_DIR", cache.folder.at("cache"))
        .env("KIT_PLANNING", &planning)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !planning.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let count =
        stderr.split_once(": ").and_then(|(_, rest)| rest.split_once(" resource types learned with "));
    let count: usize = count.unwrap().0.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(count > 1, "{stderr}");
    assert!(stdout.contains(&format!(", {count} learned, ")), "{stdout}");
    assert!(stderr.contains(" left: repeat the command to go on"), "{stderr}");
    let exported = cache.line("schemas export example.com/test/kit DIR/kit.schemas");
    assert_eq!(exported.code, 0, "{exported:?}");
    assert_eq!(check_models(&cache.folder.at("kit.schemas")), count);
}

/// Compares the models in a file with their published schema, and counts them.
fn check_models(file: &std::path::Path) -> usize {
    let cached = CachedSchemas::parse(fs::read(file).unwrap()).unwrap();
    let (model, validator) = (cached.model.unwrap(), validator("model.schema.json"));
    let names: Vec<_> = model.types().cloned().collect();
    for name in &names {
        let text = model.of_type(name).unwrap().unwrap();
        check(&validator, &serde_json::from_str(&text).unwrap());
    }
    names.len()
}

#[test]
fn the_schema_of_models_lists_what_models_may_have() {
    let schema = fs::read_to_string(crate::program::workspace().join("schema/model.schema.json")).unwrap();
    let schema: Json = serde_json::from_str(&schema).unwrap();
    let validator = validator("model.schema.json");
    let block = objchange::schema::Block::new(
        [("a", objchange::schema::Attribute::optional(objchange::Type::String))],
        [],
    );
    let part = &schema["$defs"]["part"]["properties"];
    let names =
        |of: &Json| -> Vec<String> { serde_json::from_value(of["propertyNames"]["enum"].clone()).unwrap() };
    let outcomes: Vec<String> =
        serde_json::from_value(schema["$defs"]["outcome"]["oneOf"][0]["enum"].clone()).unwrap();
    let mut models = Vec::new();
    for situation in names(&part["planned"]) {
        models
            .push(format!(r#"{{"planned":{{"{situation}":{{"usual":{{"is":[],"n":1,"depends":true}}}}}}}}"#));
    }
    for change in names(&part["replaces"]) {
        models.push(format!(r#"{{"replaces":{{"{change}":{{"yes":1,"no":2,"paths":["a"],"when":"a"}}}}}}"#));
    }
    for outcome in outcomes {
        models.push(format!(r#"{{"planned":{{"created":{{"alone":{{"is":["{outcome}"],"n":1}}}}}}}}"#));
    }
    models.push(r#"{"one_of":["x"]}"#.to_owned());
    for outcome in [r#"{"copy_of":"a"}"#, r#"{"constant":"\"x\""}"#] {
        let fact = format!(r#"{{"is":[{outcome}],"n":1}}"#);
        models.push(format!(r#"{{"planned":{{"created":{{"when":{{"set a":{fact}}}}}}}}}"#));
    }
    for part in models {
        let text = format!(r#"{{"probes":1,"legacy":true,"parts":{{"a":{part}}}}}"#);
        let model = TypeModel::parse(&text, &block).unwrap();
        check(&validator, &serde_json::from_str(&text).unwrap());
        check(&validator, &serde_json::from_str(&model.to_text()).unwrap());
    }
    for part in [r#"{"planned":{"elsewhere":{}}}"#, r#"{"replaces":{"value":{"maybe":1}}}"#, r#"{"more":1}"#]
    {
        let text = format!(r#"{{"probes":1,"parts":{{"a":{part}}}}}"#);
        refused(&validator, &serde_json::from_str(&text).unwrap());
    }
}
