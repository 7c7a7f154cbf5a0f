//! The section of configuration.

use std::collections::BTreeMap;

use objchange::address::Mode;
use objchange::schema::{Schema, SchemaKind};
use objchange_hcl::{
    Expr, OutputConfig, ProviderConfig, ResourceConfig, ResourceName, VariableConfig, variables,
};
use objchange_text::VersionConstraints;
use smol_str::SmolStr;

use super::changes::mode_name;
use super::json::JsonWriter;
use super::provider_keys::{ProviderKeys, module_path};
use crate::config::{Config, LoadedModule, ModuleId};
use crate::provisioners::provisioner_schema;
use crate::schemas::schema_kind;
use crate::{ProviderAddress, Schemas};

/// The inputs of the section.
struct Source<'c> {
    config: &'c Config,
    schemas: &'c Schemas,
    keys: ProviderKeys<'c>,
}

impl JsonWriter {
    pub(super) fn configuration(&mut self, config: &Config, schemas: &Schemas) {
        let source = Source { config, schemas, keys: ProviderKeys::new(config) };
        self.set_sources(&config.sources);
        self.object(|json| {
            json.member_unless_empty("provider_config", |json| json.provider_configs(&source));
            json.member("root_module", |json| json.module(&source, 0));
        });
    }

    fn provider_configs(&mut self, source: &Source<'_>) {
        let mut configs: BTreeMap<String, (ModuleId, SmolStr, Option<&ProviderConfig>)> = BTreeMap::new();
        for (id, module) in source.config.modules.iter().enumerate() {
            for block in &module.config.providers {
                let key = source.keys.key(id, &(block.name.clone(), block.alias.clone()));
                configs.insert(key, (id, block.name.clone(), Some(block)));
            }
            for name in source.keys.needed(id).keys() {
                let local = (name.clone(), None);
                if source.keys.source(id, &local) == (id, local.clone()) {
                    configs.entry(source.keys.key(id, &local)).or_insert((id, name.clone(), None));
                }
            }
        }
        self.object(|json| {
            for (key, (id, name, block)) in configs {
                json.member(&key, |json| json.object(|json| json.provider_config(source, id, &name, block)));
            }
        });
    }

    fn provider_config(
        &mut self,
        source: &Source<'_>,
        module: ModuleId,
        name: &SmolStr,
        block: Option<&ProviderConfig>,
    ) {
        let loaded = &source.config.modules[module];
        self.string_member("name", name);
        let provider = source.keys.needed(module).get(name);
        if let Some(provider) = provider {
            self.string_member("full_name", &provider.to_string());
        }
        self.optional_member("alias", block.and_then(|block| block.alias.as_deref()));
        self.optional_member("module_address", Some(&module_path(loaded)));
        // All that the module says of the provider, by whichever names; nothing for a name that only resources imply.
        let is_declared = loaded.config.required_providers.contains_key(name)
            || loaded.config.providers.iter().any(|block| block.name == *name);
        let is_meant = |name: &SmolStr| is_declared && source.keys.needed(module).get(name) == provider;
        let required = loaded.config.required_providers.iter().filter(|(name, _)| is_meant(name));
        let required = required.filter_map(|(_, required)| required.version.as_deref());
        let blocks = loaded.config.providers.iter().filter(|block| is_meant(&block.name));
        let of_blocks = blocks.filter_map(|block| Some(block.version.as_ref()?.0.as_str()));
        let constraints = required.chain(of_blocks).filter_map(VersionConstraints::parse);
        let constraints = constraints.reduce(VersionConstraints::and).map(|all| all.to_string());
        self.optional_member("version_constraint", constraints.as_deref());
        let schema = provider.and_then(|provider| source.schema(provider, SchemaKind::Provider, ""));
        if let (Some(block), Some(schema)) = (block, schema) {
            self.member_unless_empty("expressions", |json| {
                json.expressions(&block.body.under(&schema.block).0, &schema.block);
            });
        }
    }

    fn module(&mut self, source: &Source<'_>, id: ModuleId) {
        let Some(module) = source.config.modules.get(id) else { return self.object(|_| {}) };
        let config = &module.config;
        self.object(|json| {
            json.member_unless_empty("outputs", |json| {
                json.object(|json| {
                    for (name, output) in &config.outputs {
                        json.member(name, |json| json.object(|json| json.configured_output(output)));
                    }
                });
            });
            json.member_unless_empty("resources", |json| {
                json.array(|json| {
                    for (name, resource) in in_order(module) {
                        json.object(|json| json.configured_resource(source, id, name, resource));
                    }
                });
            });
            json.member_unless_empty("module_calls", |json| json.module_calls(source, id, module));
            json.member_unless_empty("variables", |json| {
                json.object(|json| {
                    for (name, variable) in &config.variables {
                        json.member(name, |json| json.object(|json| json.variable(variable)));
                    }
                });
            });
            // Terraform plans actions since 1.14.
            if json.language() >= (1, 14) {
                json.member_unless_empty("actions", |json| {
                    json.array(|json| {
                        for (name, action) in &config.actions {
                            let local = source.config.local_ref_of_action(id, name);
                            // Unlike for resources, the key is that of the module itself, even where its caller has the
                            // configuration (Terraform 1.15.5).
                            let key = source.keys.key(id, &local);
                            json.object(|json| json.configured_action(name, action, &key));
                        }
                    });
                });
            }
        });
    }

    fn configured_output(&mut self, output: &OutputConfig) {
        self.true_member("sensitive", output.sensitive);
        self.member("expression", |json| json.expression(&output.value));
        self.depends_on(&output.depends_on);
        self.optional_member("description", output.description.as_deref());
    }

    fn variable(&mut self, variable: &VariableConfig) {
        if let Some(default) = &variable.default {
            self.member("default", |json| json.known(default));
        }
        self.optional_member("description", variable.description.as_deref());
        self.true_member("sensitive", variable.sensitive);
    }

    fn configured_resource(
        &mut self,
        source: &Source<'_>,
        module: ModuleId,
        name: &ResourceName,
        resource: &ResourceConfig,
    ) {
        self.string_member("address", &resource_address(name));
        self.string_member("mode", mode_name(name.mode));
        self.string_member("type", &name.resource_type);
        self.string_member("name", &name.name);
        let local = source.config.local_ref(module, name);
        let (owner, configuration) = source.keys.source(module, &local);
        self.string_member("provider_config_key", &source.keys.key(owner, &configuration));
        self.member_unless_empty("provisioners", |json| json.provisioners(resource));
        let provider = source.config.provider_of(module, name);
        let schema = source.schema(&provider, schema_kind(name.mode), &name.resource_type);
        if let Some(schema) = schema {
            self.member_unless_empty("expressions", |json| {
                json.expressions(&resource.body.under(&schema.block).0, &schema.block);
            });
        }
        self.member("schema_version", |json| json.plain(schema.map_or(0, |schema| schema.version)));
        self.repetition("count_expression", resource.count.as_ref());
        self.repetition("for_each_expression", resource.for_each.as_ref());
        self.depends_on(&resource.depends_on);
    }

    fn provisioners(&mut self, resource: &ResourceConfig) {
        self.array(|json| {
            for provisioner in &resource.provisioners {
                json.object(|json| {
                    json.string_member("type", &provisioner.kind);
                    if let Some(schema) = provisioner_schema(&provisioner.kind) {
                        json.member_unless_empty("expressions", |json| {
                            json.expressions(&provisioner.body.under(schema).0, schema);
                        });
                    }
                });
            }
        });
    }

    fn module_calls(&mut self, source: &Source<'_>, id: ModuleId, module: &LoadedModule) {
        self.object(|json| {
            for (name, call) in &module.config.calls {
                json.member(name, |json| {
                    json.object(|json| {
                        let called = module.children.get(name).map(|child| &source.config.modules[*child]);
                        let missing = source.config.missing_modules.get(&(id, name.clone()));
                        let text =
                            called.map(|called| &called.source).or(missing.map(|missing| &missing.source));
                        json.optional_member("source", text.map(String::as_str));
                        let mut arguments: Vec<_> = call.arguments.iter().collect();
                        arguments.sort_by(|a, b| a.name.cmp(&b.name));
                        json.member_unless_empty("expressions", |json| {
                            json.object(|json| {
                                for argument in arguments {
                                    json.member(&argument.name, |json| json.expression(&argument.expr));
                                }
                            });
                        });
                        json.repetition("count_expression", call.count.as_ref());
                        json.repetition("for_each_expression", call.for_each.as_ref());
                        if let Some(child) = module.children.get(name) {
                            json.member("module", |json| json.module(source, *child));
                        }
                        let version = call.version.as_ref().map(|(version, _)| version.as_str());
                        json.optional_member("version_constraint", version);
                        json.depends_on(&call.depends_on);
                    });
                });
            }
        });
    }

    fn depends_on(&mut self, references: &[Expr]) {
        let names = references.iter().flat_map(variables).map(|reference| reference.to_string());
        self.strings_member("depends_on", names);
    }
}

impl Source<'_> {
    /// A schema; one that cannot be read has been reported before anything was planned.
    fn schema(&self, provider: &ProviderAddress, kind: SchemaKind, name: &str) -> Option<&Schema> {
        self.schemas.get(provider, kind, name).ok().flatten()
    }
}

/// The resources of a module, the managed ones first, each kind by address. Ephemeral ones are not in documents.
fn in_order(module: &LoadedModule) -> Vec<(&ResourceName, &ResourceConfig)> {
    let mut resources: Vec<_> =
        module.config.resources.iter().filter(|(name, _)| name.mode != Mode::Ephemeral).collect();
    // Unlike `resource_changes`, where data sources come first.
    resources.sort_by_cached_key(|(name, _)| (name.mode, resource_address(name)));
    resources
}

/// The address of a resource in its module.
pub(crate) fn resource_address(name: &ResourceName) -> String {
    let prefix = if name.mode == Mode::Data { "data." } else { "" };
    format!("{prefix}{}.{}", name.resource_type, name.name)
}
