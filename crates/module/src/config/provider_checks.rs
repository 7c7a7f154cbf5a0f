//! Checks the provider configurations of modules, and how they are passed.

use std::collections::{BTreeMap, BTreeSet};

use objchange_document::Version;
use objchange_hcl::{ModuleCall, ProviderConfig, ProviderRef, Span};
use smol_str::SmolStr;

use super::provider_configs::{OPENTOFU_REGISTRY, implied_name, provider_config_missing};
use super::{Config, ModuleId};
use crate::provisioners::provisioner_schema;
use crate::versions::since;
use crate::{Diagnostics, ProviderAddress, ProviderConfigAddress, Severity};

impl Config {
    /// Checks provider configurations: those errors that Terraform reports before planning.
    pub(super) fn check_providers(&self, diagnostics: &mut Diagnostics) {
        for module in 0..self.modules.len() {
            self.check_required_once(module, diagnostics);
            self.check_provider_keys(module, diagnostics);
            if let Some((parent, call)) = self.caller(module) {
                let pass = Pass { config: self, parent, child: module, call };
                pass.check(diagnostics);
                self.check_own_blocks(module, diagnostics);
            }
        }
    }

    /// Checks that references to configurations with `for_each` have a key, and others none. Only OpenTofu has either.
    fn check_provider_keys(&self, module: ModuleId, diagnostics: &mut Diagnostics) {
        let config = &self.modules[module].config;
        let of_resources = config.resources.values().filter_map(|resource| resource.provider.as_ref());
        let passed = config.calls.values().flat_map(|call| &call.providers).map(|(_, outside)| outside);
        for reference in of_resources.chain(passed) {
            let provider = self.provider_named(module, &reference.name);
            let block = self.own_block(module, &provider, reference.alias.as_ref());
            let (name, has_instances) =
                (words(reference), block.is_some_and(|block| block.for_each.is_some()));
            let (summary, detail) = match (has_instances, reference.key.is_some()) {
                (true, false) => (
                    "Provider instance key required",
                    format!(
                        "{name} has for_each: write the key of one of its instances, as in {name}[\"KEY\"]."
                    ),
                ),
                (false, true) => (
                    "Unexpected provider instance key",
                    format!("{name} has no for_each in this module, so that it has no instances with keys."),
                ),
                _ => continue,
            };
            diagnostics.error(summary, reference.span, detail);
        }
    }

    /// Finds provider configurations that calls pass, or that resources need, and no block provides. Terraform reports them
    /// when it builds its graph, of those that are passed the first alone.
    /// Those that the root module is given without a block are there.
    pub fn missing_provider_configs(
        &self,
        version: Version,
        given: &BTreeSet<ProviderConfigAddress>,
    ) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        if let Some(address) = self.missing_passed_config(given) {
            let summary = format!("missing provider {address}");
            diagnostics.without_place(Severity::Error, ("missing_provider", summary), "");
            return diagnostics;
        }
        for (module, loaded) in self.modules.iter().enumerate() {
            for name in loaded.config.resources.keys() {
                let address = self.provider_config_of(module, name);
                if self.has_provider_config(&address) || given.contains(&address) {
                    continue;
                }
                let mode = match name.mode {
                    objchange::address::Mode::Managed => "",
                    objchange::address::Mode::Data => "data.",
                    objchange::address::Mode::Ephemeral => "ephemeral.",
                };
                let calls: String = loaded.path.iter().map(|call| format!("module.{call}.")).collect();
                let user = format!("{calls}{mode}{}.{}", name.resource_type, name.name);
                let (summary, detail) = provider_config_missing(&user, &address);
                diagnostics.without_place(Severity::Error, summary, detail);
            }
            if !since(version, "1.14") {
                continue;
            }
            for name in loaded.config.actions.keys() {
                let address = self.provider_config_of_action(module, name);
                if self.has_provider_config(&address) || given.contains(&address) {
                    continue;
                }
                let calls: String = loaded.path.iter().map(|call| format!("module.{call}.")).collect();
                let kind = if since(version, "1.16") { " (config)" } else { "" };
                let (summary, detail) = provider_config_missing(&format!("{calls}{name}{kind}"), &address);
                diagnostics.without_place(Severity::Error, summary, detail);
            }
        }
        diagnostics
    }

    /// The first configuration that a call passes and its module does not have.
    fn missing_passed_config(
        &self,
        given: &BTreeSet<ProviderConfigAddress>,
    ) -> Option<ProviderConfigAddress> {
        let calls = self.modules.iter().enumerate().filter_map(|(child, _)| self.caller(child));
        let mut passed =
            calls.flat_map(|(module, call)| call.providers.iter().map(move |(_, outside)| (module, outside)));
        passed.find_map(|(module, outside)| {
            let provider = self.provider_named(module, &outside.name);
            let alias = outside.alias.clone();
            let is_missing = !self.can_pass(module, &provider, alias.as_ref());
            let address =
                ProviderConfigAddress { module: self.modules[module].path.clone(), provider, alias };
            (is_missing && !given.contains(&address)).then_some(address)
        })
    }

    /// Whether a module has a configuration for modules that it calls: by a block, because it gets it itself, or, in the root
    /// module, as the default one of a provider in `required_providers`. A configuration that is only inherited cannot be passed.
    fn can_pass(&self, module: ModuleId, provider: &ProviderAddress, alias: Option<&SmolStr>) -> bool {
        let is_it = |inside: &ProviderRef| {
            inside.alias.as_ref() == alias && self.provider_named(module, &inside.name) == *provider
        };
        let is_default = || {
            let mut required = self.modules[module].config.required_providers.keys();
            alias.is_none() && required.any(|name| self.provider_named(module, name) == *provider)
        };
        self.own_block(module, provider, alias).is_some()
            || match self.caller(module) {
                Some((_, call)) => call.providers.iter().any(|(inside, _)| is_it(inside)),
                None => is_default(),
            }
    }

    /// The configurations that the root module wants its caller to give it.
    pub(crate) fn wanted_configs(&self) -> BTreeSet<ProviderConfigAddress> {
        let Some(root) = self.modules.first() else { return BTreeSet::new() };
        let aliases = root.config.required_providers.values().flat_map(|required| &required.aliases);
        let wanted = aliases.map(|wanted| ProviderConfigAddress {
            module: Vec::new(),
            provider: self.provider_named(0, &wanted.name),
            alias: wanted.alias.clone(),
        });
        wanted.collect()
    }

    /// The configurations with an alias that the root module wants of its caller, and that nobody gives it. Terraform looks for
    /// them once everything else is valid.
    pub(crate) fn unfilled_aliases(&self, given: &BTreeSet<ProviderConfigAddress>) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        for wanted in self.wanted_configs() {
            let Some(alias) = &wanted.alias else { continue };
            if given.contains(&wanted) || self.has_provider_config(&wanted) {
                continue;
            }
            let detail = format!(
                "The root module declares that it requires the caller to pass a configuration for provider {} with alias \
                 \"{alias}\".",
                wanted.provider.for_display()
            );
            diagnostics.without_place(Severity::Error, "Undefined provider configuration", detail);
        }
        diagnostics
    }

    /// Provisioners that are not part of Terraform, each reported once.
    pub fn missing_provisioners(&self) -> Diagnostics {
        let resources = self.modules.iter().flat_map(|loaded| loaded.config.resources.values());
        let kinds =
            resources.flat_map(|resource| &resource.provisioners).map(|provisioner| &provisioner.kind);
        let missing: BTreeSet<_> = kinds.filter(|kind| provisioner_schema(kind).is_none()).collect();
        let mut diagnostics = Diagnostics::default();
        for kind in missing {
            let detail = format!(
                "This configuration requires provisioner plugin \"{kind}\", which isn't available. If you're intending to use an \
                 external provisioner plugin, you must install it manually into one of the plugin search directories before \
                 running Terraform."
            );
            diagnostics.without_place(Severity::Error, "Missing required provisioner plugin", detail);
        }
        diagnostics
    }

    /// Explains which providers are missing; `None` if all are known.
    pub fn missing_providers(
        &self,
        is_known: impl Fn(&ProviderAddress) -> bool,
    ) -> Option<(&'static str, String)> {
        let missing =
            self.providers().into_iter().filter(|provider| !provider.is_builtin() && !is_known(provider));
        let lines: String = missing
            .map(|provider| {
                format!(
                    "\n  - provider {provider}: required by this configuration but no version is selected"
                )
            })
            .collect();
        let detail = format!(
            "The following dependency selections recorded in the lock file are inconsistent with the current \
             configuration:{lines}\n\nTo make the initial dependency selections that will initialize the dependency lock \
             file, run:\n  terraform init"
        );
        (!lines.is_empty()).then_some(("Inconsistent dependency lock file", detail))
    }

    /// The module in the words of messages.
    fn module_words(&self, module: ModuleId) -> String {
        match &self.modules[module].path[..] {
            [] => "the root module".to_owned(),
            path => path.iter().map(|call| format!("module.{call}")).collect::<Vec<_>>().join("."),
        }
    }

    fn check_required_once(&self, module: ModuleId, diagnostics: &mut Diagnostics) {
        // Both local names work, and Terraform only warns: the source decides which provider it is.
        const SUMMARY: &str = "Duplicate required provider";
        let config = &self.modules[module].config;
        let mut first: BTreeMap<ProviderAddress, &SmolStr> = BTreeMap::new();
        for (name, required) in &config.required_providers {
            let provider = self.provider_named(module, name);
            if let Some(other) = first.get(&provider) {
                let detail = format!(
                    "Provider {} with the local name {name:?} was previously required as {other:?}. A provider can only be \
                     required once within required_providers.",
                    provider.for_display()
                );
                diagnostics.warning(SUMMARY, required.value_span, detail);
            } else {
                first.insert(provider, name);
            }
        }
        let mut told = BTreeSet::new();
        for (name, resource) in config.resources.iter().filter(|(_, resource)| resource.provider.is_none()) {
            let local = implied_name(&name.resource_type);
            if config.required_providers.contains_key(local) {
                continue;
            }
            let provider = ProviderAddress::implied(local);
            let Some(listed) = first.get(&provider).filter(|_| told.insert(provider.clone())) else {
                continue;
            };
            let detail = format!(
                "Provider {:?} was implicitly required via resource \"{}.{}\", but listed in required_providers as {listed:?}. \
                 Either the local name in required_providers must match the resource name, or the {listed:?} provider must be \
                 assigned within the resource block.",
                provider.for_display(),
                name.resource_type,
                name.name
            );
            diagnostics.warning(SUMMARY, resource.header, detail);
        }
    }

    /// Checks provider blocks in a called module, which restrict its calls.
    fn check_own_blocks(&self, module: ModuleId, diagnostics: &mut Diagnostics) {
        let blocks = &self.modules[module].config.providers;
        let mut empty: BTreeMap<&SmolStr, Vec<&ProviderConfig>> = BTreeMap::new();
        for block in blocks.iter().filter(|block| block.is_empty) {
            empty.entry(&block.name).or_default().push(block);
        }
        for (name, mut blocks) in empty {
            blocks.sort_by(|a, b| a.alias.cmp(&b.alias));
            self.tell_redundant(module, name, &blocks, diagnostics);
        }
        if blocks.iter().all(|block| block.is_empty) {
            return;
        }
        // The nearest call that may not be made so.
        let mut at = module;
        while let Some((parent, outer)) = self.caller(at) {
            let places = [outer.count.as_ref(), outer.for_each.as_ref(), outer.depends_on.first()];
            if let Some(expr) = places.into_iter().flatten().next() {
                let source = &self.modules[module].source;
                let detail = format!(
                    "The module at {} is a legacy module which contains its own local provider configurations, and so calls to \
                     it may not use the count, for_each, or depends_on arguments.\n\nIf you also control the module {source:?}, \
                     consider updating this module to instead expect provider configurations to be passed by its caller.",
                    self.module_words(module)
                );
                let summary = "Module is incompatible with count, for_each, and depends_on";
                diagnostics.error(summary, expr.span, detail);
                return;
            }
            at = parent;
        }
    }

    fn tell_redundant(
        &self,
        module: ModuleId,
        name: &str,
        blocks: &[&ProviderConfig],
        diagnostics: &mut Diagnostics,
    ) {
        let mut entry = format!("    {name} = {{\n      source = \"{}\"\n", self.source_of(module, name));
        if blocks.iter().any(|block| block.alias.is_some()) {
            entry.push_str("      configuration_aliases = [\n");
            for block in blocks {
                match &block.alias {
                    Some(alias) => entry.push_str(&format!("        {name}.{alias},\n")),
                    None => entry.push_str(&format!("        {name},\n")),
                }
            }
            entry.push_str("      ]\n");
        }
        entry.push_str("    }");
        let detail = format!(
            "Earlier versions of Terraform used empty provider blocks (\"proxy provider configurations\") for child modules to \
             declare their need to be passed a provider configuration by their callers. That approach was ambiguous and is now \
             deprecated.\n\nIf you control this module, you can migrate to the new declaration syntax by removing all of the \
             empty provider {name:?} blocks and then adding or updating an entry like the following to the required_providers \
             block of {}:\n{entry}",
            self.module_words(module)
        );
        let place = blocks.iter().map(|block| block.header).min_by_key(|header| header.start);
        // An empty block was how modules declared that they need a provider before Terraform 0.13; one with
        // arguments refuses `count`, `for_each` and `depends_on` of the call.
        diagnostics.warning("Redundant empty provider block", place.unwrap_or_default(), detail);
    }

    /// The source that an entry of `required_providers` needs for a local name.
    fn source_of(&self, module: ModuleId, name: &str) -> String {
        let is_required = self.modules[module].config.required_providers.contains_key(name);
        let provider = self.provider_named(module, name);
        if is_required && !provider.is_builtin() {
            provider.for_display()
        } else {
            format!("hashicorp/{name}")
        }
    }
}

/// The providers that a call passes to a module.
struct Pass<'c> {
    config: &'c Config,
    parent: ModuleId,
    child: ModuleId,
    call: &'c ModuleCall,
}

impl Pass<'_> {
    fn check(&self, diagnostics: &mut Diagnostics) {
        for (inside, outside) in &self.call.providers {
            self.check_inside(inside, diagnostics);
            self.check_types(inside, outside, diagnostics);
            self.check_outside(outside, diagnostics);
        }
        self.check_aliases(diagnostics);
    }

    /// Aliases that the module needs.
    fn check_aliases(&self, diagnostics: &mut Diagnostics) {
        let child = &self.config.modules[self.child].config;
        for (name, required) in &child.required_providers {
            for (position, wanted) in required.aliases.iter().enumerate() {
                let is_it = |inside: &ProviderRef| inside.name == wanted.name && inside.alias == wanted.alias;
                // An alias that is listed twice is wanted once.
                let is_listed_before = required.aliases[..position].iter().any(is_it);
                if is_listed_before || self.call.providers.iter().any(|(inside, _)| is_it(inside)) {
                    continue;
                }
                let local = words(wanted);
                let detail = format!(
                    "The child module requires an additional configuration for provider {}, with the local name \
                     {local:?}.\n\nRefer to the module's documentation to understand the intended purpose of this additional \
                     provider configuration, and then add an entry for {local} in the \"providers\" meta-argument in the module \
                     block to choose which provider configuration the module should use for that purpose.",
                    self.config.provider_named(self.child, name).for_display()
                );
                diagnostics.error("Missing required provider configuration", self.call.header, detail);
            }
        }
    }

    /// The provider of a local name in these checks: resources that imply one do not count.
    fn provider_named(&self, module: ModuleId, name: &str) -> ProviderAddress {
        if self.config.modules[module].config.required_providers.contains_key(name) {
            self.config.provider_named(module, name)
        } else {
            self.default_provider(name)
        }
    }

    /// The provider of a name without a requirement. Even `terraform` belongs to hashicorp here, as in Terraform's check.
    fn default_provider(&self, name: &str) -> ProviderAddress {
        let implied = ProviderAddress { name: name.into(), ..ProviderAddress::implied("") };
        match self.config.is_opentofu {
            true => ProviderAddress { hostname: OPENTOFU_REGISTRY.into(), ..implied },
            false => implied,
        }
    }

    fn check_inside(&self, inside: &ProviderRef, diagnostics: &mut Diagnostics) {
        let child = &self.config.modules[self.child].config;
        let is_it = |block: &&ProviderConfig| block.name == inside.name && block.alias == inside.alias;
        let module = self.config.module_words(self.child);
        if let Some(block) = child.providers.iter().find(is_it) {
            if !block.is_empty {
                let detail = format!(
                    "The configuration of {module} has its own local configuration for {}, and so it cannot accept an \
                     overridden configuration provided by {}.",
                    words(inside),
                    self.config.module_words(self.parent)
                );
                diagnostics.error("Cannot override provider configuration", name_span(inside), detail);
            }
            return;
        }
        let required = child.required_providers.get(&inside.name);
        let is_known = required.is_some_and(|required| {
            inside.alias.is_none() || required.aliases.iter().any(|alias| alias.alias == inside.alias)
        });
        if is_known {
            return;
        }
        const SUMMARY: &str = "Reference to undefined provider";
        let (provider, local) = (self.provider_named(self.child, &inside.name), words(inside));
        let source = provider.for_display();
        if provider == self.default_provider(&inside.name) {
            let detail = format!(
                "There is no explicit declaration for local provider name {local:?} in {module}, so Terraform is assuming you \
                 mean to pass a configuration for {source:?}.\n\nIf you also control the child module, add a required_providers \
                 entry named {local:?} with the source address {source:?}."
            );
            diagnostics.warning(SUMMARY, name_span(inside), detail);
        } else {
            let detail = format!(
                "The child module does not declare any provider requirement with the local name {local:?}.\n\nIf you also \
                 control the child module, you can add a required_providers entry named {local:?} with the source address \
                 {source:?} to accept this provider configuration."
            );
            diagnostics.error(SUMMARY, name_span(inside), detail);
        }
    }

    fn check_types(&self, inside: &ProviderRef, outside: &ProviderRef, diagnostics: &mut Diagnostics) {
        const SUMMARY: &str = "Provider type mismatch";
        let wanted = self.provider_named(self.child, &inside.name);
        let given = self.provider_named(self.parent, &outside.name);
        if wanted == given {
            return;
        }
        let required = &self.config.modules[self.parent].config.required_providers;
        // The wanted provider is required, though under another name: Terraform 1.11 and 1.15 say nothing then.
        let is_wanted = |name: &SmolStr| self.config.provider_named(self.parent, name) == wanted;
        if !required.contains_key(&outside.name) && required.keys().any(is_wanted) {
            return;
        }
        let (parent, child) = (self.config.module_words(self.parent), self.config.module_words(self.child));
        let names = &self.config.modules[self.child].config.required_providers;
        let other = names.keys().find(|name| self.config.provider_named(self.child, name) == given);
        let (wanted, given) = (wanted.for_display(), given.for_display());
        let local = words(inside);
        if let Some(other) = other {
            let detail = format!(
                "The assigned configuration is for provider {given:?}, but local name {local:?} in {parent} represents \
                 {wanted:?}.\n\nTo pass this configuration to the child module, use the local name {other:?} instead."
            );
            diagnostics.error(SUMMARY, name_span(inside), detail);
            return;
        }
        let detail = format!(
            "The local name \"{}\" in {parent} represents provider {given:?}, but {local:?} in {child} represents \
             {wanted:?}.\n\nEach provider has its own distinct configuration schema and provider types, so this module's \
             {local:?} can be assigned only a configuration for {wanted}, which is not required by {child}.",
            words(outside)
        );
        diagnostics.error(SUMMARY, name_span(outside), detail);
    }

    /// A configuration that a module passes on although its own call passes none under that name.
    fn check_inherited(&self, outside: &ProviderRef, diagnostics: &mut Diagnostics) {
        let Some((around, call)) = self.config.caller(self.parent) else { return };
        let is_it = |inside: &ProviderRef| inside.name == outside.name && inside.alias.is_none();
        if call.providers.iter().any(|(inside, _)| is_it(inside)) {
            return;
        }
        let name = &outside.name;
        let call_name = self.config.modules[self.parent].path.last().map_or("", SmolStr::as_str);
        let detail = format!(
            "The configuration for {} expects to inherit a configuration for provider hashicorp/{name} with local name \
             {name:?}, but {} doesn't pass a configuration under that name.\n\nTo satisfy this requirement, add an entry for \
             {name:?} to the \"providers\" argument in the module {call_name:?} block.",
            self.config.module_words(self.parent),
            self.config.module_words(around)
        );
        diagnostics.warning("Missing required provider configuration", call.header, detail);
    }

    fn check_outside(&self, outside: &ProviderRef, diagnostics: &mut Diagnostics) {
        let parent = &self.config.modules[self.parent].config;
        // An empty block may only say that the module is given a configuration.
        let is_own =
            |block: &ProviderConfig| block.name == outside.name && block.alias.is_none() && !block.is_empty;
        let has_block = parent.providers.iter().any(is_own);
        if outside.alias.is_some() || has_block {
            return;
        }
        if parent.required_providers.contains_key(&outside.name) {
            self.check_inherited(outside, diagnostics);
            return;
        }
        let (name, module) = (&outside.name, self.config.module_words(self.parent));
        // Terraform gives its advice for the module around.
        let around = self.config.module_words(self.config.modules[self.parent].parent.unwrap_or_default());
        let detail = format!(
            "There is no explicit declaration for local provider name {name:?} in {module}, so Terraform is assuming you mean \
             to pass a configuration for provider \"hashicorp/{name}\".\n\nTo clarify your intent and silence this warning, add \
             to {around} a required_providers entry named {name:?} with source = \"hashicorp/{name}\", or a different source \
             address if appropriate."
        );
        diagnostics.warning("Reference to undefined provider", name_span(outside), detail);
    }
}

/// The reference as it is written.
fn words(reference: &ProviderRef) -> String {
    match &reference.alias {
        Some(alias) => format!("{}.{alias}", reference.name),
        None => reference.name.to_string(),
    }
}

/// The name without the alias.
fn name_span(reference: &ProviderRef) -> Span {
    let start = reference.span.start;
    Span::new(start, (start + reference.name.len() as u32).min(reference.span.end))
}
