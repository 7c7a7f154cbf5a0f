//! Finds the provider configuration that a resource uses.

use std::collections::{BTreeSet, HashMap};

use objchange_hcl::{ActionName, Expr, ModuleCall, ProviderConfig, ProviderRef, ResourceName};
use smol_str::SmolStr;

use super::{Config, ModuleId};
use crate::{ProviderAddress, ProviderConfigAddress};

/// Where the key of a provider instance is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ProviderKey<'c> {
    /// In the resource.
    OfResource(&'c Expr),
    /// In the call of a module, which passes the instance.
    OfCall {
        /// The called module.
        module: ModuleId,
        /// The key, in the scope of the module that calls it.
        key: &'c Expr,
    },
}

/// The host of providers whose source names none, for OpenTofu.
pub(super) const OPENTOFU_REGISTRY: &str = "registry.opentofu.org";

impl Config {
    /// The provider behind a local name in a module: from `required_providers`, else the implied one.
    pub(crate) fn provider_named(&self, module: ModuleId, local_name: &str) -> ProviderAddress {
        let required = &self.modules[module].config.required_providers;
        let source = required.get(local_name).and_then(|required| required.source.as_ref());
        let names_host = source.is_some_and(|(source, _)| source.matches('/').count() == 2);
        let provider = source
            .and_then(|(source, _)| ProviderAddress::parse(source))
            // Terraform decides by module: a child without `required_providers` may mean another provider than its
            // parent.
            .unwrap_or_else(|| ProviderAddress::implied(local_name));
        match self.is_opentofu && !names_host && !provider.is_builtin() {
            true => ProviderAddress { hostname: OPENTOFU_REGISTRY.into(), ..provider },
            false => provider,
        }
    }

    /// The provider of a resource.
    pub fn provider_of(&self, module: ModuleId, name: &ResourceName) -> ProviderAddress {
        self.provider_named(module, &self.local_ref(module, name).0)
    }

    /// The provider configuration that a resource uses. Where nothing makes one of that name it is the one that would be
    /// needed; [`Self::has_provider_config`] says which there are.
    pub fn provider_config_of(&self, module: ModuleId, name: &ResourceName) -> ProviderConfigAddress {
        let (local_name, alias) = self.local_ref(module, name);
        let provider = self.provider_named(module, &local_name);
        self.followed(module, provider, alias)
    }

    /// The local name of the provider of a resource, and the alias of the configuration.
    pub(crate) fn local_ref(&self, module: ModuleId, name: &ResourceName) -> (SmolStr, Option<SmolStr>) {
        let resource = self.modules[module].config.resources.get(name);
        match resource.and_then(|resource| resource.provider.as_ref()) {
            Some(provider) => (provider.name.clone(), provider.alias.clone()),
            None => (implied_name(&name.resource_type).into(), None),
        }
    }

    /// The provider configuration that an action uses, as [`Self::provider_config_of`].
    pub fn provider_config_of_action(&self, module: ModuleId, name: &ActionName) -> ProviderConfigAddress {
        let (local_name, alias) = self.local_ref_of_action(module, name);
        let provider = self.provider_named(module, &local_name);
        self.followed(module, provider, alias)
    }

    /// The local name of the provider of an action, and the alias of the configuration.
    pub(crate) fn local_ref_of_action(
        &self,
        module: ModuleId,
        name: &ActionName,
    ) -> (SmolStr, Option<SmolStr>) {
        let action = self.modules[module].config.actions.get(name);
        match action.and_then(|action| action.provider.as_ref()) {
            Some(provider) => (provider.name.clone(), provider.alias.clone()),
            None => (implied_name(&name.action_type).into(), None),
        }
    }

    /// Where a configuration that a module uses comes from: its own, one that is passed, or the default one of the module
    /// that calls it.
    fn followed(
        &self,
        mut module: ModuleId,
        provider: ProviderAddress,
        mut alias: Option<SmolStr>,
    ) -> ProviderConfigAddress {
        // Only default configurations are inherited. Aliased ones must be passed.
        while let Some((parent, call)) = self.caller(module) {
            let is_it = |inside: &ProviderRef| {
                inside.alias == alias && self.provider_named(module, &inside.name) == provider
            };
            if let Some((_, outside)) = call.providers.iter().find(|(inside, _)| is_it(inside)) {
                alias = outside.alias.clone();
            } else if alias.is_some() || self.own_block(module, &provider, None).is_some() {
                break;
            }
            module = parent;
        }
        ProviderConfigAddress { module: self.modules[module].path.clone(), provider, alias }
    }

    /// Where the key of the provider instance is written that a resource uses: `provider = aws.by_region["eu"]`.
    pub(crate) fn provider_key_of(
        &self,
        mut module: ModuleId,
        name: &ResourceName,
    ) -> Option<ProviderKey<'_>> {
        let own = self.modules[module].config.resources.get(name).and_then(|one| one.provider.as_ref());
        if let Some(key) = own.and_then(|own| own.key.as_deref()) {
            return Some(ProviderKey::OfResource(key));
        }
        let (local_name, mut alias) = self.local_ref(module, name);
        let provider = self.provider_named(module, &local_name);
        // As `followed`, up to the call that passes an instance.
        while let Some((parent, call)) = self.caller(module) {
            let is_it = |inside: &ProviderRef| {
                inside.alias == alias && self.provider_named(module, &inside.name) == provider
            };
            if let Some((_, outside)) = call.providers.iter().find(|(inside, _)| is_it(inside)) {
                if let Some(key) = &outside.key {
                    return Some(ProviderKey::OfCall { module, key });
                }
                alias = outside.alias.clone();
            } else if alias.is_some() || self.own_block(module, &provider, None).is_some() {
                return None;
            }
            module = parent;
        }
        None
    }

    /// The module that calls a module, and the call.
    pub(super) fn caller(&self, module: ModuleId) -> Option<(ModuleId, &ModuleCall)> {
        let loaded = &self.modules[module];
        let parent = loaded.parent?;
        Some((parent, self.modules[parent].config.calls.get(loaded.path.last()?)?))
    }

    pub(super) fn own_block(
        &self,
        module: ModuleId,
        provider: &ProviderAddress,
        alias: Option<&SmolStr>,
    ) -> Option<&ProviderConfig> {
        let mut blocks = self.modules[module].config.providers.iter();
        blocks.find(|block| {
            block.alias.as_ref() == alias && self.provider_named(module, &block.name) == *provider
        })
    }

    /// The block of a provider configuration, and the module that it is in.
    pub fn provider_block(&self, address: &ProviderConfigAddress) -> Option<(ModuleId, &ProviderConfig)> {
        let module = self.module_at(address.module.iter().map(SmolStr::as_str))?;
        Some((module, self.own_block(module, &address.provider, address.alias.as_ref())?))
    }

    /// Whether the configuration exists. Every provider has its default one in the root module, which is empty without
    /// a block.
    pub fn has_provider_config(&self, address: &ProviderConfigAddress) -> bool {
        address.module.is_empty() && address.alias.is_none() || self.provider_block(address).is_some()
    }

    /// All providers that the modules use, by their resources, actions, blocks and requirements.
    pub fn providers(&self) -> BTreeSet<ProviderAddress> {
        let mut all = BTreeSet::new();
        for (module, loaded) in self.modules.iter().enumerate() {
            let config = &loaded.config;
            let mut names: HashMap<&str, ()> = HashMap::new();
            names.extend(config.required_providers.keys().map(|name| (&**name, ())));
            names.extend(config.providers.iter().map(|block| (&*block.name, ())));
            for (name, resource) in &config.resources {
                let local_name = match &resource.provider {
                    Some(provider) => &provider.name,
                    None => implied_name(&name.resource_type),
                };
                names.insert(local_name, ());
            }
            for (name, action) in &config.actions {
                let provider = action.provider.as_ref();
                names.insert(provider.map_or(implied_name(&name.action_type), |provider| &provider.name), ());
            }
            all.extend(names.into_keys().map(|name| self.provider_named(module, name)));
        }
        all
    }
}

/// The local name of the provider that a resource type belongs to.
pub(super) fn implied_name(resource_type: &str) -> &str {
    resource_type.split('_').next().unwrap_or_default()
}

/// The error for a missing provider configuration, in Terraform's words.
pub fn provider_config_missing(user: &str, address: &ProviderConfigAddress) -> (&'static str, String) {
    let detail = format!(
        "To work with {user} its original provider configuration at {address} is required, but it has been removed. This \
         occurs when a provider configuration is removed while objects created by that provider still exist in the state. \
         Re-add the provider configuration to destroy {user}, after which you can remove the provider configuration again."
    );
    // Terraform finds this when it builds the graph, not when it loads the module, and speaks of a
    // configuration that was removed.
    ("Provider configuration not present", detail)
}

#[cfg(test)]
mod tests {
    use objchange::address::Mode;
    use objchange_hcl::ResourceName;

    use super::super::{Config, LoadOptions, MemoryFiles};

    const ROOT: &str = r#"
terraform {
  required_providers {
    sim = { source = "local/sim" }
  }
}
provider "sim" { alias = "east" }
module "plain" {
  source = "./m"
}
module "passed" {
  source    = "./m"
  providers = { sim = sim.east, sim.other = sim }
}
module "own" {
  source = "./own"
}
module "implied" {
  source = "./implied"
}
"#;

    const CHILD: &str = r#"
terraform {
  required_providers {
    sim = {
      source                = "local/sim"
      configuration_aliases = [sim.other]
    }
  }
}
resource "sim_thing" "default" {}
resource "sim_thing" "other" {
  provider = sim.other
}
resource "terraform_data" "data" {}
module "below" {
  source = "../below"
}
"#;

    const BELOW: &str = r#"
terraform {
  required_providers {
    simulated = { source = "registry.terraform.io/local/sim" }
  }
}
resource "sim_thing" "default" {
  provider = simulated
}
"#;

    const OWN: &str = r#"
terraform {
  required_providers {
    sim = { source = "local/sim" }
  }
}
provider "sim" {}
resource "sim_thing" "default" {}
"#;

    #[test]
    fn configurations_are_passed_and_inherited() {
        let files: MemoryFiles = [
            ("main.tf", ROOT),
            ("m/main.tf", CHILD),
            ("below/main.tf", BELOW),
            ("own/main.tf", OWN),
            ("implied/main.tf", "resource \"sim_thing\" \"default\" {}\n"),
        ]
        .into_iter()
        .collect();
        let options = LoadOptions::new("1.11.4");
        let (config, _) = Config::load(&files, ".", &options);
        let of = |path: &[&str], resource_type: &str, name: &str| {
            let path: Vec<_> = path.iter().map(|name| (*name).into()).collect();
            let module = config.module_at(path.iter().map(smol_str::SmolStr::as_str)).unwrap();
            let (mode, resource_type, name) = (Mode::Managed, resource_type.into(), name.into());
            let address = config.provider_config_of(module, &ResourceName { mode, resource_type, name });
            (address.to_string(), config.has_provider_config(&address))
        };
        let sim = "provider[\"registry.terraform.io/local/sim\"]";
        for (path, name, wanted, is_there) in [
            (&["plain"][..], "default", sim.to_owned(), true),
            (&["plain"], "other", format!("module.plain.{sim}.other"), false),
            (&["passed"], "default", format!("{sim}.east"), true),
            (&["passed"], "other", sim.to_owned(), true),
            (&["passed", "below"], "default", format!("{sim}.east"), true),
            (&["own"], "default", format!("module.own.{sim}"), true),
            (&["implied"], "default", "provider[\"registry.terraform.io/hashicorp/sim\"]".to_owned(), true),
        ] {
            assert_eq!(of(path, "sim_thing", name), (wanted, is_there), "{path:?} {name}");
        }
        let builtin = "provider[\"terraform.io/builtin/terraform\"]".to_owned();
        assert_eq!(of(&["plain"], "terraform_data", "data"), (builtin, true));
        let all: Vec<String> = config.providers().iter().map(ToString::to_string).collect();
        assert_eq!(
            all,
            [
                "registry.terraform.io/hashicorp/sim",
                "registry.terraform.io/local/sim",
                "terraform.io/builtin/terraform"
            ]
        );
    }
}
