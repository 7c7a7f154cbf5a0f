//! Resources, provider configurations and calls: whether their bodies fit.

use objchange::value::Path;
use objchange_hcl::{Condition, Diagnostic, Purpose, Reference, Span, references, variables};

use super::super::check::ReferenceContext;
use super::super::instances::ModuleInstanceId;
use super::Validator;
use crate::diagnostics::PROVIDER;
use crate::plan::graph::{ProviderNode, ResourceNode, resource_text, schema_kind};
use crate::provisioners::provisioner_schema;
use crate::subject::{Subject, SubjectKind};
use crate::{ModuleDiagnostic, ProvidersExt, Severity};

impl<'c> Validator<'_, 'c> {
    pub(super) fn provider(&mut self, at: ModuleInstanceId, module: usize, provider: &ProviderNode<'_>) {
        let (Some(config), Some(schema)) = (provider.config, provider.schema) else { return };
        self.found.errors(provider.body_errors.iter().cloned());
        let place = ReferenceContext { module, ..ReferenceContext::default() };
        if let Some(decoded) = self.decode(at, place, &provider.body, &schema.block) {
            let value = &decoded.value;
            self.secrets.learn(&schema.block, value);
            let found = self.providers.validate(
                &provider.address,
                objchange::schema::SchemaKind::Provider,
                "",
                &value.unmark_deep().0,
            );
            let place = |path: &Path| match path.is_root() {
                true => config.header,
                false => crate::plan::resource::value_place(&provider.body, &decoded, path),
            };
            let address = provider.address.to_string();
            self.provider_diagnostics(found, Some(&address), &place);
        }
    }

    pub(super) fn resource(&mut self, at: ModuleInstanceId, module: usize, resource: &ResourceNode<'_>) {
        let ResourceNode { name, config, schema, .. } = resource;
        let Some(schema) = schema else {
            let summary = match name.mode {
                objchange::address::Mode::Data => "Invalid data source",
                _ => "Invalid resource type",
            };
            self.found.error(summary, type_span(resource), self.unknown_type(resource));
            return;
        };
        let place = ReferenceContext {
            module,
            has_count: config.count.is_some(),
            has_each: config.for_each.is_some(),
            check: config.check.as_deref(),
            ..ReferenceContext::default()
        };
        self.depends_on(module, &config.depends_on);
        if !self.expand(at, module, config.count.as_ref(), config.for_each.as_ref()) {
            return;
        }
        self.found.errors(resource.body_errors.iter().cloned());
        let referenced = references(&resource.body, &schema.block, Purpose::Core);
        let own = own_references(resource, &referenced);
        // Self-references are reported while planning.
        if own.is_empty()
            && let Some(decoded) = self.decode(at, place, &resource.body, &schema.block)
        {
            let address =
                crate::plan::resource::resource_address(&self.world.instances[at].address, name).to_string();
            self.found.append(crate::plan::resource::ephemeral_refusals(
                &address,
                &schema.block,
                &decoded.value,
                |path| crate::plan::resource::value_place(&resource.body, &decoded, path),
            ));
            self.secrets.learn(&schema.block, &decoded.value);
            let found = self.providers.validate(
                &resource.provider_config,
                schema_kind(name.mode),
                &name.resource_type,
                &decoded.value.unmark_deep().0,
            );
            self.provider_diagnostics(found, Some(&address), &|path| {
                crate::plan::resource::value_place(&resource.body, &decoded, path)
            });
        }
        let lifecycle = &config.lifecycle;
        self.found.append(crate::plan::resource::ignore_changes_problems(
            lifecycle,
            &schema.block,
            config.type_span,
        ));
        for condition in &lifecycle.preconditions {
            if !self.is_about_itself(resource, condition, "Invalid reference in precondition") {
                self.resource_condition(at, place, condition);
            }
        }
        let with_self = ReferenceContext { self_schema: Some(&schema.block), ..place };
        for condition in &lifecycle.postconditions {
            if !self.is_about_itself(resource, condition, "Invalid reference in postcondition") {
                self.resource_condition(at, with_self, condition);
            }
        }
        for provisioner in &config.provisioners {
            match provisioner_schema(&provisioner.kind) {
                Some(schema) => {
                    let (body, errors) = provisioner.body.under(schema);
                    self.found.errors(errors);
                    self.decode(at, with_self, &body, schema);
                }
                None => self.generic_body(at, with_self, &provisioner.body.generic()),
            }
        }
        let connections = config.provisioners.iter().flat_map(|provisioner| &provisioner.connection);
        for connection in connections.chain(&config.connection) {
            self.generic_body(at, with_self, &connection.generic());
        }
    }

    /// A body whose schema is of no interest here.
    pub(super) fn generic_body(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        body: &objchange_hcl::Body,
    ) {
        for attribute in &body.attributes {
            if attribute.name == "when" || attribute.name == "on_failure" {
                continue;
            }
            self.evaluate(at, place, &attribute.expr);
        }
        body.blocks.iter().for_each(|block| self.generic_body(at, place, &block.body));
    }

    pub(super) fn unknown_type(&self, resource: &ResourceNode<'_>) -> String {
        let ResourceNode { name, provider, .. } = resource;
        let (word, other, other_word, keyword) = match name.mode {
            objchange::address::Mode::Managed => {
                ("resource type", objchange::address::Mode::Data, "data source", "data")
            }
            objchange::address::Mode::Data => {
                ("data source", objchange::address::Mode::Managed, "managed resource type", "resource")
            }
            objchange::address::Mode::Ephemeral => (
                "ephemeral resource type",
                objchange::address::Mode::Managed,
                "managed resource type",
                "resource",
            ),
        };
        let mut detail = format!(
            "The provider {} does not support {word} {:?}.",
            provider.for_display(),
            name.resource_type.as_str()
        );
        if let Ok(Some(_)) = self.input.schemas.get(provider, schema_kind(other), &name.resource_type) {
            let own = match name.mode {
                objchange::address::Mode::Managed => "resource",
                objchange::address::Mode::Data => "data",
                objchange::address::Mode::Ephemeral => "ephemeral",
            };
            let article = if own == "ephemeral" { "an" } else { "a" };
            detail.push_str(&format!(
                "\n\nDid you intend to use the {other_word} {:?}? If so, declare this using a {keyword:?} block instead of \
                 {article} {own:?} block.",
                name.resource_type.as_str()
            ));
        }
        detail
    }

    /// Reports a condition that refers to the resource that it is of; whether it does.
    pub(super) fn is_about_itself(
        &mut self,
        resource: &ResourceNode<'_>,
        condition: &Condition,
        summary: &'static str,
    ) -> bool {
        let references =
            variables(&condition.condition).into_iter().chain(variables(&condition.error_message));
        let own = own_references(resource, &references.collect::<Vec<_>>());
        for subject in &own {
            self.found.error(summary, condition.condition.span, self_reference(subject));
        }
        !own.is_empty()
    }

    pub(super) fn provider_diagnostics(
        &mut self,
        found: Vec<objchange::change::Diagnostic>,
        address: Option<&str>,
        place: &dyn Fn(&Path) -> Span,
    ) {
        for diagnostic in self.secrets.hide(found) {
            let span = place(diagnostic.path.as_ref().unwrap_or(&Path::root()));
            let severity = match diagnostic.severity {
                objchange::change::Severity::Error => Severity::Error,
                _ => Severity::Warning,
            };
            self.found.add(ModuleDiagnostic::new(
                Diagnostic {
                    severity,
                    ..Diagnostic::new((PROVIDER, diagnostic.summary), span, diagnostic.detail)
                },
                address.map(str::to_owned),
            ));
        }
    }
}

/// Where the type in the header of a resource is written.
pub(super) fn type_span(resource: &ResourceNode<'_>) -> Span {
    resource.config.type_span
}

/// The references of a resource to itself.
pub(crate) fn own_references(resource: &ResourceNode<'_>, references: &[Reference<'_>]) -> Vec<Subject> {
    let subjects = references.iter().filter_map(|reference| crate::subject::parse(reference).0);
    let is_own = |subject: &Subject| matches!(&subject.kind, SubjectKind::Resource { name, .. } if name == resource.name);
    subjects.filter(is_own).collect()
}

/// The error for a resource that refers to itself.
pub(crate) fn self_reference(subject: &Subject) -> String {
    let SubjectKind::Resource { name, key } = &subject.kind else { return String::new() };
    let mut address = resource_text(name);
    if let Some(key) = key {
        address.push_str(&crate::subject::key_text(key));
    }
    format!("Configuration for {address} may not refer to itself.")
}
