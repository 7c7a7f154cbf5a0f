//! Plans with real providers are those of the program `terraform`, with the same provider. Without it this is ignored.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::{Failed, Trial};
use serde_json::Value as Json;

use crate::folder::Folder;
use crate::kit_program::kit;
use crate::program::objchange_with;

const HEAD: &str = "terraform {\n  required_providers {\n    kit = { source = \"example.com/test/kit\" }\n  }\n}\nprovider \"kit\" \
                    {\n  region = \"eu\"\n}\n";

/// The applied module, and the module planned afterwards.
const MODULES: [&str; 2] = [
    r#"
resource "kit_disk" "gone" {
  name = "there"
}
resource "kit_disk" "drifted" {
  name = "drift"
  size = 1
}
resource "kit_disk" "updated" {
  name   = "u"
  size   = 3
  tags   = { a = "b" }
  secret = "s"
}
resource "kit_disk" "first" {
  name = "f"
  lifecycle {
    create_before_destroy = true
  }
}
resource "kit_disk" "counted" {
  count = 2
  name  = "c"
}
"#,
    r#"
resource "kit_disk" "gone" {
  name = "gone"
}
resource "kit_disk" "drifted" {
  name = "drift"
  size = 1
}
resource "kit_disk" "updated" {
  name   = "u"
  size   = 4
  tags   = { a = "c" }
  secret = "s"
}
resource "kit_disk" "first" {
  name = "f"
  kind = kit_disk.updated.id
  lifecycle {
    create_before_destroy = true
  }
}
resource "kit_disk" "counted" {
  count = 1
  name  = "c"
}
resource "kit_disk" "each" {
  for_each = toset(data.kit_disk.now.zones)
  name     = each.key
}
resource "kit_disk" "imported" {
  name = "i"
  size = 1
}
import {
  to = kit_disk.imported
  id = "i"
}
data "kit_disk" "now" {
  name = "x"
}
data "kit_disk" "later" {
  name = kit_disk.updated.etag
}
output "zones" {
  value = data.kit_disk.now.zones
}
"#,
];

pub(crate) fn trials() -> Vec<Trial> {
    let version =
        Command::new("terraform").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = version.is_ok_and(|status| status.success());
    vec![
        Trial::test("plans_with_providers_are_those_of_terraform", plans_are_the_same)
            .with_ignored_flag(!is_there),
    ]
}

fn terraform(folder: &Folder, arguments: &[&str]) -> Result<String, Failed> {
    let output = Command::new("terraform")
        .args(arguments)
        .current_dir(&folder.0)
        .env("TF_CLI_CONFIG_FILE", folder.at("settings.tfrc"))
        .env("TF_DISABLE_PLUGIN_TLS", "1")
        .env("CHECKPOINT_DISABLE", "1")
        .env("KIT_SERVICE", "1")
        .env_remove("TF_LOG")
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn plans_are_the_same() -> Result<(), Failed> {
    let folder = Folder::with("real-terraform", &[("main.tf", &format!("{HEAD}{}", MODULES[0]))]);
    let programs = Path::new(kit()).parent().ok_or("a program is in a folder")?;
    let settings = format!(
        "provider_installation {{\n  dev_overrides {{\n    \"example.com/test/kit\" = {:?}\n  }}\n  direct {{}}\n}}\n",
        programs.display().to_string()
    );
    folder.write("settings.tfrc", settings);
    terraform(&folder, &["apply", "-auto-approve", "-input=false"])?;
    folder.write("terraform.tfstate", folder.read("terraform.tfstate").replace("\"there\"", "\"gone\""));
    folder.write("main.tf", format!("{HEAD}{}", MODULES[1]));
    for arguments in [&[][..], &["-refresh-only"], &["-target=kit_disk.first"]] {
        let mut all = vec!["plan", "-input=false", "-out=tfplan"];
        all.extend(arguments);
        terraform(&folder, &all)?;
        let theirs = document(&terraform(&folder, &["show", "-json", "tfplan"])?)?;
        let binary = format!("{}=example.com/test/kit", kit());
        let directory = folder.0.display().to_string();
        let own = [
            "plan",
            &directory,
            "--as",
            "terraform@1.11",
            "--json",
            "--real-providers",
            "--provider-binary",
            &binary,
        ];
        let own = own.iter().map(ToString::to_string);
        let own = own.chain(arguments.iter().map(|argument| format!("-{argument}")));
        let output = objchange_with(&[("KIT_SERVICE", "1")], own, "");
        let ours = document(&output.stdout)?;
        for (name, theirs) in theirs.as_object().into_iter().flatten() {
            assert_eq!(ours[name], *theirs, "{arguments:?}: {name}; {}", output.stderr);
        }
        fs::remove_file(folder.at("tfplan"))?;
    }
    Ok(())
}

/// A plan without what differs from run to run.
fn document(text: &str) -> Result<Json, Failed> {
    let mut plan: Json = serde_json::from_str(text)?;
    let object = plan.as_object_mut().ok_or("a plan is an object")?;
    ["timestamp", "terraform_version", "relevant_attributes"]
        .iter()
        .for_each(|name| _ = object.remove(*name));
    if let Some(state) = object.get_mut("prior_state").and_then(Json::as_object_mut) {
        state.remove("terraform_version");
    }
    Ok(plan)
}
