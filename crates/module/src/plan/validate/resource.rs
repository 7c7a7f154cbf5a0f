//! Resources, provider configurations and calls: whether their bodies fit.

use objchange::Value;
use objchange::address::Mode;
use objchange::schema::Block;
use objchange::value::Path;
use objchange_hcl::{
    Body, ConfigBody, Diagnostic, Expr, ProvisionerConfig, Reference, ResourceName, Span, did_you_mean,
};

use super::super::check::{ReferenceContext, SelfObject};
use super::super::instances::ModuleInstanceId;
use super::Validator;
use crate::diagnostics::PROVIDER;
use crate::plan::graph::{ProviderNode, ResourceNode, resource_text, schema_kind};
use crate::providers::TerraformData;
use crate::providers::refusals::refusals;
use crate::provisioners::{connection_schema, provisioner_schema, wrong_provisioner};
use crate::subject::{Subject, SubjectKind};
use crate::{ModuleDiagnostic, ProvidersExt, Severity};

impl<'c> Validator<'_, 'c> {
    pub(super) fn provider(&mut self, at: ModuleInstanceId, module: usize, provider: &ProviderNode<'_>) {
        let (Some(config), Some(schema)) = (provider.config, provider.schema) else { return };
        self.found.errors(provider.body_errors.iter().cloned());
        if let Some(for_each) = &config.for_each {
            self.static_for_each(for_each);
            self.expand(at, module, None, Some(for_each));
        }
        let has_each = config.for_each.is_some();
        let place = ReferenceContext { module, has_each, ..ReferenceContext::default() };
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

    /// Refuses references in `for_each` of a provider that OpenTofu cannot evaluate before it plans.
    fn static_for_each(&mut self, for_each: &Expr) {
        let references = objchange_hcl::variables(for_each);
        let subjects = references.iter().filter_map(|reference| crate::subject::parse(reference).0);
        for subject in subjects {
            let is_object = matches!(subject.kind, SubjectKind::Resource { .. } | SubjectKind::Module { .. });
            if is_object {
                let detail = "OpenTofu evaluates for_each of a provider before it plans: it may refer to variables and local values, \
                              and not to resources and modules.";
                self.found.error("Invalid for_each of a provider", subject.span, detail);
            }
        }
    }

    pub(super) fn resource(&mut self, at: ModuleInstanceId, module: usize, resource: &ResourceNode<'_>) {
        let ResourceNode { name, config, schema, provider, .. } = resource;
        let place = ReferenceContext {
            module,
            has_count: config.count.is_some(),
            has_each: config.for_each.is_some(),
            check: config.check.as_deref(),
            ..ReferenceContext::default()
        };
        let errors = self.found.error_count();
        self.depends_on(module, &config.depends_on);
        self.expand(at, module, config.count.as_ref(), config.for_each.as_ref());
        self.settings(module, config.lifecycle.enabled.iter().chain(&config.lifecycle.prevents_destroy));
        if let Some(key) = config.provider.as_ref().and_then(|provider| provider.key.as_ref()) {
            self.evaluate(at, ReferenceContext { check: None, ..place }, key);
        }
        let are_instances_right = self.found.error_count() == errors;
        self.resource_body(at, place, resource, are_instances_right);
        let lifecycle = &config.lifecycle;
        for condition in &lifecycle.preconditions {
            self.resource_condition(at, place, condition);
        }
        let self_object = match schema {
            Some(_) if resource.is_inferred => SelfObject::Anything,
            Some(schema) => SelfObject::OfSchema(&schema.block),
            None => SelfObject::OfUnknownType { resource_type: &name.resource_type, provider },
        };
        let with_self = ReferenceContext { self_object, ..place };
        for condition in &lifecycle.postconditions {
            self.resource_condition(at, with_self, condition);
        }
        self.action_triggers(at, with_self, resource);
        for provisioner in &config.provisioners {
            self.provisioner(at, with_self, provisioner, config.connection.as_ref());
            if self.found.error_count() > errors {
                break;
            }
        }
    }

    /// The body of a resource, by the schema of its type.
    fn resource_body(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        resource: &ResourceNode<'_>,
        are_instances_right: bool,
    ) {
        let ResourceNode { name, config, schema, .. } = resource;
        let Some(schema) = schema else {
            let summary = match name.mode {
                Mode::Managed => "Invalid resource type",
                Mode::Data => "Invalid data source",
                Mode::Ephemeral => "Invalid ephemeral resource",
            };
            self.found.error(summary, type_span(resource), self.unknown_type(resource));
            return;
        };
        self.found.errors(resource.body_errors.iter().cloned());
        let Some(decoded) = self.decode(at, place, &resource.body, &schema.block) else { return };
        let address =
            crate::plan::resource::resource_address(&self.world.instances[at].address, name).to_string();
        // Without a schema nobody knows which arguments are write-only; nothing is kept of ephemeral resources.
        if !resource.is_inferred && name.mode != Mode::Ephemeral {
            self.found.append(crate::plan::resource::ephemeral_refusals(
                &address,
                &schema.block,
                &decoded.value,
                |path| crate::plan::resource::value_place(&resource.body, &decoded, path),
            ));
        }
        self.secrets.learn(&schema.block, &decoded.value);
        let value = decoded.value.unmark_deep().0;
        let provider = &resource.provider_config;
        if provider.provider.is_builtin()
            && name.mode == Mode::Managed
            && *name.resource_type == *TerraformData::TYPE
        {
            for attribute in TerraformData::read_only(&value) {
                let summary = format!("{attribute:?} attribute is read-only");
                self.found.without_place(Severity::Error, ("attribute_is_read_only", summary), "");
            }
        }
        let mut found =
            self.providers.validate(provider, schema_kind(name.mode), &name.resource_type, &value);
        if self.providers.is_simulated(provider) {
            found.extend(refusals(self.input.schemas, &provider.provider, &schema.block, &value));
        }
        self.provider_diagnostics(found, Some(&address), &|path| {
            crate::plan::resource::value_place(&resource.body, &decoded, path)
        });
        let ignored = crate::plan::resource::ignore_changes_problems(
            &config.lifecycle,
            &schema.block,
            config.type_span,
        );
        // Terraform does not warn of the rest where `count`, `for_each` or `depends_on` is wrong.
        if are_instances_right || ignored.has_errors() {
            self.found.append(ignored);
        }
    }

    /// A provisioner, and the connection that it uses: its own one over that of its resource.
    fn provisioner(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        provisioner: &ProvisionerConfig,
        connection: Option<&ConfigBody>,
    ) {
        // There are no others: that was checked before.
        let Some(schema) = provisioner_schema(&provisioner.kind) else { return };
        if let Some(decoded) = self.body(at, place, &provisioner.body, schema)
            && let Some((summary, detail)) = wrong_provisioner(&provisioner.kind, &decoded)
        {
            self.found.without_place(Severity::Error, summary, detail);
        }
        match (connection, &provisioner.connection) {
            (Some(only), None) | (None, Some(only)) => _ = self.body(at, place, only, connection_schema()),
            (Some(general), Some(own)) => self.overridden_connection(at, place, general, own),
            (None, None) => {}
        }
    }

    /// The connection of a resource, which that of a provisioner overrides.
    ///
    /// Terraform looks into the first one for what is required, even if the other one has it. Unknown arguments are no error
    /// in either of them.
    fn overridden_connection(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        general: &ConfigBody,
        own: &ConfigBody,
    ) {
        let schema = connection_schema();
        let (general_body, _) = general.under(schema);
        let both = general.overridden_by(own);
        let mut body = both.under(schema).0.into_owned();
        body.blocks.clear();
        body.attributes.retain(|attribute| schema.attribute(&attribute.name).is_some());
        let has_host = |body: &Body| body.attributes.iter().any(|attribute| attribute.name == "host");
        if has_host(&body) && !has_host(&general_body) {
            let detail = "The argument \"host\" is required, but no definition was found.";
            self.found.error("Missing required argument", general_body.missing, detail);
        }
        self.decode(at, place, &body, schema);
    }

    /// The object of a body that is not that of a resource, if nothing is wrong with it.
    fn body(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        body: &ConfigBody,
        schema: &Block,
    ) -> Option<Value> {
        let (body, errors) = body.under(schema);
        self.found.errors(errors);
        self.decode(at, place, &body, schema).map(|decoded| decoded.value)
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
        } else {
            let names = self.input.schemas.names(provider, schema_kind(name.mode));
            detail.push_str(&did_you_mean(&name.resource_type, names));
        }
        detail
    }

    pub(super) fn provider_diagnostics(
        &mut self,
        found: Vec<objchange::change::Diagnostic>,
        address: Option<&str>,
        place: &dyn Fn(&Path) -> Span,
    ) {
        for diagnostic in self.secrets.hide_all(found) {
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

/// The references to a resource among these.
pub(crate) fn own_references(name: &ResourceName, references: &[Reference<'_>]) -> Vec<Subject> {
    let subjects = references.iter().filter_map(|reference| crate::subject::parse(reference).0);
    subjects.filter(|subject| own_key(name, subject).is_some()).collect()
}

/// The literal key, if there is one, of a reference to a resource; `None` of one to anything else.
pub(crate) fn own_key<'s>(name: &ResourceName, subject: &'s Subject) -> Option<&'s Option<Value>> {
    match &subject.kind {
        SubjectKind::Resource { name: other, key } if other == name => Some(key),
        _ => None,
    }
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
