//! `removed` blocks: objects that Terraform forgets or destroys.

use objchange::address::{InstanceAddress, Mode};
use objchange_hcl::{MoveTarget, ResourceName};

use crate::config::Config;
use crate::{Diagnostics, Severity};

/// The `removed` blocks of all modules.
#[derive(Debug, Default)]
pub struct Removals {
    all: Vec<Removal>,
}

/// A `removed` block, seen from the root module.
#[derive(Debug)]
struct Removal {
    /// The names of the calls.
    module: Vec<String>,
    /// The resource; without one, all that is in the module.
    resource: Option<(Mode, String, String)>,
    destroy: bool,
}

impl Removals {
    /// Reads the blocks of this configuration.
    pub fn new(config: &Config) -> Self {
        let mut all = Vec::new();
        for module in &config.modules {
            for removed in &module.config.removed {
                let names: Vec<String> = module.path.iter().map(ToString::to_string).collect();
                let (around, resource) = match &removed.from.target {
                    MoveTarget::Module(address) => (address, None),
                    MoveTarget::Resource(address) => {
                        let resource = &address.resource;
                        let name = (resource.mode, resource.resource_type.clone(), resource.name.clone());
                        (&resource.module, Some(name))
                    }
                };
                let names = names.into_iter().chain(around.0.iter().map(|step| step.name.clone())).collect();
                all.push(Removal { module: names, resource, destroy: removed.destroy });
            }
        }
        Self { all }
    }

    /// Reports blocks for what is still declared.
    pub fn check(&self, config: &Config, diagnostics: &mut Diagnostics) {
        self.all.iter().for_each(|removal| removal.check(config, diagnostics));
    }

    /// Whether an object that is not wanted any more is forgotten, and not destroyed. The first block that names it counts.
    pub fn forgets(&self, address: &InstanceAddress) -> bool {
        self.all.iter().find(|removal| removal.names(address)).is_some_and(|removal| !removal.destroy)
    }
}

impl Removal {
    fn names(&self, address: &InstanceAddress) -> bool {
        let InstanceAddress { resource, .. } = address;
        let steps = &resource.module.0;
        // Terraform refuses instance keys in `from`, so names alone decide.
        let is_inside = steps.len() >= self.module.len()
            && std::iter::zip(&self.module, steps).all(|(name, step)| *name == step.name);
        is_inside
            && match &self.resource {
                None => true,
                Some((mode, resource_type, name)) => {
                    steps.len() == self.module.len()
                        && (*mode, resource_type, name)
                            == (resource.mode, &resource.resource_type, &resource.name)
                }
            }
    }

    fn check(&self, config: &Config, diagnostics: &mut Diagnostics) {
        let find = |path: &[String]| config.modules.iter().find(|module| module.path == *path);
        let mut address: Vec<String> = self.module.iter().map(|name| format!("module.{name}")).collect();
        let (what, found) = match (&self.resource, self.module.split_last()) {
            (Some((mode, resource_type, name)), _) => {
                address.push(format!("{resource_type}.{name}"));
                let name = ResourceName {
                    mode: *mode,
                    resource_type: resource_type.as_str().into(),
                    name: name.as_str().into(),
                };
                let module = find(&self.module);
                (
                    "resource",
                    module
                        .and_then(|module| module.config.resources.get(&name))
                        .map(|resource| resource.header),
                )
            }
            (None, Some((name, around))) => {
                let module = find(around);
                (
                    "module",
                    module.and_then(|module| module.config.calls.get(name.as_str())).map(|call| call.header),
                )
            }
            (None, None) => return,
        };
        if let Some(header) = found {
            let detail = format!(
                "This statement declares that {} was removed, but it is still declared in configuration.",
                address.join(".")
            );
            diagnostics.error(
                ("removed_still_exists", format!("Removed {what} still exists")),
                header,
                detail,
            );
        }
    }
}

/// Warns of objects that Terraform or OpenTofu forgets. Each is there as often as it has objects.
pub fn warn_of_forgotten<'a>(
    forgotten: impl IntoIterator<Item = &'a InstanceAddress>,
    config: &Config,
    diagnostics: &mut Diagnostics,
) {
    let all: String = forgotten.into_iter().map(|address| format!("\n - {address}")).collect();
    if all.is_empty() {
        return;
    }
    let program = if config.is_opentofu { "OpenTofu" } else { "Terraform" };
    let detail = format!(
        "If you apply this plan, {program} will discard its tracking information for the following objects, but it will not \
         delete them:{all}\n\nAfter applying this plan, {program} will no longer manage these objects. You will need to \
         import them into {program} to manage them again."
    );
    let summary = format!("Some objects will no longer be managed by {program}");
    diagnostics.without_place(
        Severity::Warning,
        ("some_objects_will_no_longer_be_managed_by_terraform", summary),
        detail,
    );
}
