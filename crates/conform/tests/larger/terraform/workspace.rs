//! A directory in which Terraform runs with the kit's provider.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Terraform as a test wants it: without a network, with the provider that was just built.
pub(crate) struct Workspace {
    directory: tempfile::TempDir,
    /// Without encryption, which is what most tests want: it takes less time.
    pub(crate) is_plain: bool,
    /// Which of the wrong schemas the provider has.
    pub(crate) schema: Option<usize>,
}

/// A resource of a faulty type with the configuration of the trial.
pub(crate) fn resource(kind: &str, name: &str) -> String {
    format!(
        r#"
resource "kit_{kind}" "t" {{
  name   = {name}
  size   = 1
  tags   = ["x", "y"]
  labels = {{ k = "v" }}
  zones  = ["z"]
  secret = "hidden"
  token  = "written"
  one    = {{ name = "a" }}
  many   = [{{ name = "a" }}, {{ name = "b" }}]
  keyed  = {{ k = {{ name = "a" }} }}
  unique = [{{ name = "a" }}]
  box {{
    name = "a"
  }}
  disk {{
    name = "a"
    part {{
      name = "p"
    }}
  }}
  disk {{
    name = "b"
  }}
  rule {{
    name = "a"
  }}
  entry "k" {{
    name = "a"
  }}
}}
"#
    )
}

/// Whether Terraform is installed.
pub(crate) fn is_there() -> bool {
    let version =
        Command::new("terraform").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let programs = Path::new(env!("CARGO_BIN_EXE_terraform-provider-kit")).parent().unwrap();
        let settings = format!(
            "provider_installation {{\n  dev_overrides {{\n    \"example.com/test/kit\" = {:?}\n  }}\n  direct {{}}\n}}\n",
            programs.to_str().unwrap()
        );
        fs::write(directory.path().join("settings.tfrc"), settings).unwrap();
        Self { directory, is_plain: true, schema: None }
    }

    /// The module: these resources, and the provider that they need.
    pub(crate) fn write(&self, resources: &str) {
        let providers = "terraform {\n  required_providers {\n    kit = {\n      source = \"example.com/test/kit\"\n    }\n  }\n}\n";
        fs::write(self.directory.path().join("main.tf"), format!("{providers}{resources}")).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // Whatever goes wrong, a test ends.
        let mut command = Command::new("timeout");
        command
            .args(["--kill-after=5", "120", "terraform"])
            .args(arguments)
            .current_dir(self.directory.path())
            .env("TF_CLI_CONFIG_FILE", self.directory.path().join("settings.tfrc"))
            .envs(self.is_plain.then_some(("TF_DISABLE_PLUGIN_TLS", "1")))
            .env("CHECKPOINT_DISABLE", "1")
            .env_remove("TF_LOG")
            .envs(self.schema.map(|number| ("KIT_SCHEMA", number.to_string())))
            .stdin(Stdio::null());
        command
    }

    /// The errors that Terraform reports, each with all that is said of it, with a NUL between them.
    pub(crate) fn errors(&self, arguments: &[&str]) -> String {
        let mut arguments = arguments.to_vec();
        arguments.insert(1, "-json");
        let output = self.command(&arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut errors = Vec::new();
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            let diagnostic = &line["diagnostic"];
            if diagnostic["severity"] == "error" {
                let part = |key: &str| diagnostic[key].as_str().unwrap_or_default().to_owned();
                errors.push(format!("{} | {} | {}", part("address"), part("summary"), part("detail")));
            }
        }
        errors.join("\u{0}")
    }

    /// Standard error of a command without `-json`.
    pub(crate) fn complaint(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.command(arguments).output().unwrap().stderr).unwrap()
    }
}
