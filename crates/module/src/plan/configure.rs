//! Provider configurations, and what providers say.

use objchange::address::{InstanceKey, quote_key};
use objchange::schema::Block;
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_hcl::{Diagnostic, Expr, Scope, Span};

use super::graph::{NodeKey, NodeKind, ResourceNode};
use super::instances::{Expanded, ModuleInstanceId, Repetition};
use super::walk::Walk;
use crate::config::{ModuleId, ProviderKey};
use crate::diagnostics::PROVIDER;
use crate::{ModuleDiagnostic, ProviderConfigAddress, ProvidersExt, Severity};

/// The maximum number of keys to name of a provider configuration.
const KEYS_NAMED: usize = 5;

/// The address of an instance of a provider configuration: `provider["registry.opentofu.org/hashicorp/aws"].by_region["eu"]`.
fn with_key(address: &ProviderConfigAddress, key: &str) -> ProviderConfigAddress {
    let mut alias = address.alias.as_deref().unwrap_or_default().to_owned();
    alias.push('[');
    quote_key(key, &mut alias);
    alias.push(']');
    ProviderConfigAddress { alias: Some(alias.into()), ..address.clone() }
}

impl<'c> Walk<'_, 'c> {
    /// Configures a provider, unless that was done before; whether it took its configuration.
    pub(crate) fn is_configured(&mut self, address: &ProviderConfigAddress) -> bool {
        if let Some(is_right) = self.configured.get(address) {
            return *is_right;
        }
        let graph = self.graph;
        match graph.find(&NodeKey::Provider(address.clone())) {
            Some(index) => {
                if let NodeKind::Provider(provider) = &graph.nodes[index].kind {
                    self.provider(index, provider);
                }
                self.configured.get(address).copied().unwrap_or(true)
            }
            None => true,
        }
    }

    pub(crate) fn provider(&mut self, index: usize, provider: &super::graph::ProviderNode<'c>) {
        let errors = self.found.error_count();
        self.configure(index, provider);
        self.configured.insert(provider.address.clone(), self.found.error_count() == errors);
    }

    pub(crate) fn configure(&mut self, index: usize, provider: &super::graph::ProviderNode<'c>) {
        let Some(schema) = provider.schema else { return };
        // Terraform refuses `count` and `for_each` for calls of modules with provider blocks that are not empty, so there
        // is one instance, or all are alike.
        let Some(at) = self.world.by_module[self.graph.nodes[index].module].first().copied() else { return };
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        if let Some(for_each) = provider.config.and_then(|config| config.for_each.as_ref()) {
            let Some(instances) = self.expand(index, at, None, Some(for_each)) else { return };
            let keys = match &instances {
                Expanded::ForEach(all) => Some(all.keys().cloned().collect()),
                _ => None,
            };
            self.provider_keys.insert(provider.address.clone(), keys);
            for (key, repetition) in instances.iter() {
                let address = match &key {
                    Some(InstanceKey::String(key)) => with_key(&provider.address, key),
                    _ => provider.address.clone(),
                };
                let names = repetition.names();
                self.configure_with(provider, &schema.block, &scope.with(&names), &address);
            }
            return;
        }
        let decoded = objchange_hcl::decode(&provider.body, &schema.block, &scope, self.functions);
        if provider.config.is_none() {
            // Without a block the configuration is empty.
            if decoded.errors.is_empty() {
                let found = self.providers.configure(&provider.address, &decoded.value.unmark_deep().0);
                self.provider_diagnostics(found, Some(&provider.address.to_string()), None);
            } else {
                self.needs_configuration(&provider.address, decoded.errors);
            }
            return;
        }
        self.configure_with(provider, &schema.block, &scope, &provider.address);
    }

    /// Gives a provider the configuration of its block, or of an instance of that.
    fn configure_with(
        &mut self,
        provider: &super::graph::ProviderNode<'c>,
        schema: &Block,
        scope: &Scope<'_>,
        address: &ProviderConfigAddress,
    ) {
        let decoded = objchange_hcl::decode(&provider.body, schema, scope, self.functions);
        let errors = self.found.error_count();
        self.found.errors(decoded.errors.iter().cloned());
        if self.found.error_count() > errors {
            return;
        }
        self.secrets.learn(schema, &decoded.value);
        let found = self.providers.configure(address, &decoded.value.unmark_deep().0);
        let place = |path: &Path| super::resource::value_place(&provider.body, &decoded, path);
        self.provider_diagnostics(found, Some(&address.to_string()), Some(&place));
    }

    /// The provider configuration of an instance of a resource, with the key of the instance of the configuration. Reports the
    /// error if there is no such instance.
    pub(crate) fn provider_instance(
        &mut self,
        (index, at): (usize, ModuleInstanceId),
        repetition: &Repetition,
        resource: &ResourceNode<'c>,
    ) -> Option<ProviderConfigAddress> {
        let whole = &resource.provider_config;
        let Some(key) = resource.provider_key else { return Some(whole.clone()) };
        let (expr, value) = match key {
            ProviderKey::OfResource(expr) => (expr, self.evaluate(index, at, expr, &repetition.names())),
            ProviderKey::OfCall { module, key } => (key, self.key_of_call(at, module, key)),
        };
        let value = value?.unmark_deep().0.convert(&Type::String);
        let known = self.provider_keys.get(whole).cloned().flatten();
        let detail = match value {
            Err(error) => format!("The key of an instance of {whole} must be a text: {}.", error.kind),
            Ok(key) if key.is_null() => format!("The key of an instance of {whole} is null."),
            Ok(key) => match (key.as_str(), &known) {
                // Its keys are unknown, or it has an error of its own.
                (_, None) => return Some(whole.clone()),
                (Some(key), Some(keys)) if keys.contains(key) => return Some(with_key(whole, key)),
                (Some(key), Some(keys)) => {
                    let first: Vec<&String> = keys.iter().take(KEYS_NAMED).collect();
                    let known = match keys.is_empty() {
                        true => "It has none".to_owned(),
                        false => format!("Its keys: {}", objchange_text::listed(&first, keys.len())),
                    };
                    format!("{whole} has no instance {key:?}. {known}.")
                }
                (None, _) if self.is_unanswered(index, expr, at) => return Some(whole.clone()),
                (None, _) => format!("The key of an instance of {whole} must be known while planning."),
            },
        };
        self.found.error("Invalid provider instance key", expr.span, detail);
        None
    }

    /// The key of a provider instance that the call of a module passes, for an instance of that module or of one below it.
    fn key_of_call(&mut self, within: ModuleInstanceId, module: ModuleId, key: &Expr) -> Option<Value> {
        let mut at = within;
        while self.world.instances[at].module != module {
            at = self.world.instances[at].parent?;
        }
        let (parent, names) = (self.world.instances[at].parent?, self.world.instances[at].repetition.names());
        let loaded = &self.input.config.modules[module];
        let call = NodeKey::Call(loaded.parent?, loaded.path.last()?.clone());
        let call = self.graph.find(&call)?;
        self.evaluate(call, parent, key, &names)
    }

    /// Reports that an empty configuration is not enough for a provider.
    fn needs_configuration(&mut self, address: &ProviderConfigAddress, missing: Vec<Diagnostic>) {
        // Terraform words the error otherwise where there is no block, and has no place for it.
        for error in missing {
            let detail = error.detail.replace("but no definition was found", "but was not set");
            let error = Diagnostic { subject: None, context: None, detail: detail.into(), ..error };
            self.found.push(Severity::Error, error);
        }
        let detail = format!(
            "Provider \"{}\" requires explicit configuration. Add a provider block to the root module and configure the \
             provider's required arguments as described in the provider documentation.",
            address.provider
        );
        self.found.without_place(Severity::Error, "Invalid provider configuration", detail);
    }

    /// Adds what a provider says, at the part of the configuration that it is about.
    pub(crate) fn provider_diagnostics(
        &mut self,
        found: Vec<objchange::change::Diagnostic>,
        address: Option<&str>,
        place: Option<&dyn Fn(&Path) -> Span>,
    ) {
        for diagnostic in self.secrets.hide_all(found) {
            let severity = match diagnostic.severity {
                objchange::change::Severity::Error => Severity::Error,
                _ => Severity::Warning,
            };
            let subject = place.map(|place| place(diagnostic.path.as_ref().unwrap_or(&Path::root())));
            self.found.add(ModuleDiagnostic::new(
                Diagnostic {
                    severity,
                    ..Diagnostic::new((PROVIDER, diagnostic.summary), subject, diagnostic.detail)
                },
                address.map(str::to_owned),
            ));
        }
    }
}
