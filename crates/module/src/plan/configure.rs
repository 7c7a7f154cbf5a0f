//! Provider configurations, and what providers say.

use objchange_hcl::{Diagnostic, Scope, Span};

use super::graph::{NodeKey, NodeKind};
use super::walk::Walk;
use crate::diagnostics::PROVIDER;
use crate::{ModuleDiagnostic, ProviderConfigAddress, ProvidersExt, Severity};

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
        let decoded = objchange_hcl::decode(&provider.body, &schema.block, &scope, self.functions);
        let Some(config) = provider.config else {
            // Without a block the configuration is empty.
            if decoded.errors.is_empty() {
                let found = self.providers.configure(&provider.address, &decoded.value.unmark_deep().0);
                self.provider_diagnostics(found, Some(&provider.address.to_string()), None, None);
            } else {
                self.needs_configuration(&provider.address, decoded.errors);
            }
            return;
        };
        let errors = self.found.error_count();
        self.found.errors(decoded.errors.iter().cloned());
        if self.found.error_count() > errors {
            return;
        }
        self.secrets.learn(&schema.block, &decoded.value);
        let found = self.providers.configure(&provider.address, &decoded.value.unmark_deep().0);
        let place =
            |path: &objchange::value::Path| super::resource::value_place(&provider.body, &decoded, path);
        let address = provider.address.to_string();
        self.provider_diagnostics(found, Some(&address), config.header, Some(&place));
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
        span: impl Into<Option<Span>>,
        place: Option<&dyn Fn(&objchange::value::Path) -> Span>,
    ) {
        let span = span.into();
        for diagnostic in self.secrets.hide_all(found) {
            let severity = match diagnostic.severity {
                objchange::change::Severity::Error => Severity::Error,
                _ => Severity::Warning,
            };
            let subject = match (&diagnostic.path, place) {
                (Some(path), Some(place)) => Some(place(path)),
                _ => span,
            };
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
