//! `terraform` blocks.

use objchange::Type;
use objchange_text::{Span, VersionConstraints};

use super::super::declarations::{ConstantText, ModuleConfig, ProviderRef, RequiredProvider, StateStorage};
use super::Reader;
use super::collect::Declared;
use super::references::{self, keyword};
use crate::decode::raw::{Content, RawBlock};
use crate::decode::shape::{CLOUD, CLOUD_WORKSPACES, LOCAL_BACKEND};
use crate::edition::Edition;
use crate::syntax::ast::{Attribute, Expr, ExprKind};

impl Reader<'_> {
    pub(super) fn terraform_blocks(&mut self, blocks: Vec<Declared<'_>>, config: &mut ModuleConfig) {
        let mut backend: Option<Span> = None;
        let mut cloud: Option<Span> = None;
        // An override file may replace a `backend` by a `cloud` block, and the other way round.
        let has_override = blocks.iter().any(|block| block.has_both);
        let mut required: Option<Span> = None;
        for Declared { content, has_both: is_override, .. } in blocks {
            if let Some(experiments) = content.attribute("experiments") {
                let detail = "Experimental features are intended only for gathering early feedback on new language \
                              designs, and so are available only in alpha releases of Terraform.";
                let summary = "Module uses experimental features";
                self.problems.error(summary, experiments.name_span, detail);
            }
            if let Some(language) = content.attribute("language") {
                self.language_edition(&language.expr);
            }
            if let Some((version, place)) = self.string(&content, "required_version") {
                if VersionConstraints::parse(&version).is_some() {
                    let place =
                        content.attribute("required_version").map_or(place, |a| a.name_span.to(place));
                    config.required_versions.push((version, place));
                } else {
                    let detail = "This string does not use correct version constraint syntax.";
                    self.problems.error("Invalid version constraint", place, detail);
                }
            }
            for block in content.blocks {
                match &*block.kind {
                    "backend" => match backend {
                        Some(first) => {
                            let at = self.place(first);
                            // The words changed in Terraform 1.13.
                            let (summary, block_type) = match self.problems.edition < Edition(13) {
                                true => ("Duplicate backend configuration", "backend configuration"),
                                false => (
                                    "Duplicate 'backend' configuration block",
                                    "'backend' configuration block",
                                ),
                            };
                            let detail = format!(
                                "A module may have only one {block_type}. The backend was previously configured at {at}."
                            );
                            self.problems.error(summary, block.header, detail);
                        }
                        None => {
                            backend = Some(block.header);
                            config.state_storage = Some(self.backend(block));
                        }
                    },
                    "cloud" => match cloud {
                        Some(first) => {
                            let at = self.place(first);
                            let detail = format!(
                                "A module may have only one 'cloud' block configuring HCP Terraform or Terraform Enterprise. \
                                 The 'cloud' block was previously configured at {at}."
                            );
                            self.problems.error(
                                "Duplicate HCP Terraform configurations",
                                block.header,
                                detail,
                            );
                        }
                        None => {
                            cloud = Some(block.header);
                            config.state_storage = Some(self.cloud(block));
                        }
                    },
                    "encryption" => {
                        let detail = "Encrypted states and plans are not supported here: decrypt them with `tofu state pull`, and \
                                      leave out this block.";
                        self.problems.error("Encryption is not supported here", block.header, detail);
                    }
                    "required_providers" => {
                        match required.filter(|_| !is_override) {
                            Some(first) => {
                                let at = self.place(first);
                                let detail = format!(
                                    "A module may have only one required providers configuration. The required \
                                     providers were previously configured at {at}."
                                );
                                let summary = "Duplicate required providers configuration";
                                self.problems.error(summary, block.header, detail);
                            }
                            None => required = Some(block.header),
                        }
                        self.required_providers(block, config);
                    }
                    _ => {}
                }
            }
        }
        self.refuse_cloud_with_backend(backend, cloud.filter(|_| !has_override));
    }

    /// The version of the language, if it is one of Terraform.
    fn version_in_words(&self, prefix: &str) -> String {
        match self.problems.edition {
            Edition::NEWEST => String::new(),
            Edition(minor) => format!(" {prefix}1.{minor}.0"),
        }
    }

    /// There is one edition yet. A module that asks for another one needs a version to come.
    fn language_edition(&mut self, expr: &Expr) {
        let is_edition = |word: &&str| {
            word.strip_prefix("TF")
                .is_some_and(|year| year.len() == 4 && year.bytes().all(|digit| digit.is_ascii_digit()))
        };
        match keyword(expr).filter(is_edition) {
            Some("TF2021") => {}
            Some(_) => {
                let version = self.version_in_words("v");
                let detail = format!(
                    "Terraform{version} only supports language edition TF2021. This module requires a newer version of \
                     Terraform CLI."
                );
                self.problems.error("Unsupported language edition", expr.span, detail);
            }
            None => {
                let version = self.version_in_words("");
                let detail = format!(
                    "The language argument expects a bare language edition keyword. Terraform{version} supports only language \
                     edition TF2021, which is the default."
                );
                self.problems.error("Invalid language edition", expr.span, detail);
            }
        }
    }

    fn backend(&mut self, block: RawBlock<'_>) -> StateStorage {
        let kind = block.labels.first().map(|label| label.text.clone()).unwrap_or_default();
        if self.problems.edition.is_opentofu()
            && let Some(place) = block.body.first_computed()
        {
            let detail = "OpenTofu evaluates variables before it reads the state, which is not supported here: write the \
                          arguments of the backend as literals.";
            self.problems.error("Early evaluation is not supported here", place, detail);
        }
        if kind != "local" {
            return StateStorage::Remote(kind);
        }
        let content = block.body.read(&LOCAL_BACKEND, &mut self.problems);
        StateStorage::Local {
            unknown: content.rest.first_name(),
            path: self.constant_text(&content, "path"),
            workspace_dir: self.constant_text(&content, "workspace_dir"),
        }
    }

    fn cloud(&mut self, block: RawBlock<'_>) -> StateStorage {
        let content = block.body.read(&CLOUD, &mut self.problems);
        let workspace = match content.blocks.into_iter().next() {
            Some(workspaces) => {
                let content = workspaces.body.read(&CLOUD_WORKSPACES, &mut self.problems);
                self.constant_text(&content, "name")
            }
            None => ConstantText::Unset,
        };
        StateStorage::Cloud { workspace }
    }

    /// An argument of a backend. Its errors are not reported: `terraform init` checks backends, and `plan` does not.
    fn constant_text(&mut self, content: &Content<'_>, name: &str) -> ConstantText {
        let Some(argument) = content.attribute(name) else { return ConstantText::Unset };
        let value = self.evaluator.constant(&argument.expr);
        self.evaluator.diagnostics.clear();
        let value = value.ok().and_then(|value| value.convert(&Type::String).ok());
        match value {
            Some(value) if value.is_null() => ConstantText::Unset,
            Some(value) => {
                value.as_str().map_or(ConstantText::NotConstant, |text| ConstantText::Text(text.into()))
            }
            None => ConstantText::NotConstant,
        }
    }

    fn refuse_cloud_with_backend(&mut self, backend: Option<Span>, cloud: Option<Span>) {
        let (Some(backend), Some(cloud)) = (backend, cloud) else { return };
        let (cloud, at) = (self.place(cloud), self.place(backend));
        // The words changed in Terraform 1.13; "Enteprise" is as it was.
        let (summary, detail) = if self.problems.edition < Edition(13) {
            let detail = format!(
                "A module may declare either one 'cloud' block OR one 'backend' block configuring a state backend. The \
                 'cloud' block is configured at {cloud}; a backend is configured at {at}. Remove the backend block to \
                 configure HCP Terraform or Terraform Enteprise."
            );
            ("Both a backend and cloud configuration are present", detail)
        } else {
            let detail = format!(
                "A module may declare either one 'cloud' block OR one 'backend' block for configuring state storage. The \
                 'cloud' block is configured at {cloud}; a 'backend' is configured at {at}. Remove the 'backend' block to \
                 configure HCP Terraform or Terraform Enterprise."
            );
            ("Conflicting 'cloud' and 'backend' configuration blocks are present", detail)
        };
        self.problems.error(summary, backend, detail);
    }

    fn required_providers(&mut self, block: RawBlock<'_>, config: &mut ModuleConfig) {
        let entries = block.body.arguments(&mut self.problems);
        for entry in entries {
            let is_right = self.check_provider_name(&entry.name, entry.name_span.to(entry.expr.span));
            if let Some(required) = self.required_provider(&entry).filter(|_| is_right) {
                config.required_providers.insert(entry.name, required);
            }
        }
    }

    fn required_provider(&mut self, entry: &Attribute) -> Option<RequiredProvider> {
        const SUMMARY: &str = "Invalid required_providers object";
        let span = entry.name_span.to(entry.expr.span);
        let value_span = entry.expr.span;
        let mut required =
            RequiredProvider { source: None, version: None, aliases: Vec::new(), span, value_span };
        let (ExprKind::Object(items) | ExprKind::Properties(items)) = &entry.expr.kind else {
            // Terraform 0.12 had nothing but versions.
            if let ExprKind::Text(_) = &entry.expr.kind {
                required.version = self.version_text(&entry.expr);
                return Some(required);
            }
            let detail = "required_providers entries must be strings or objects.";
            self.problems.error(SUMMARY, entry.expr.span, detail);
            return None;
        };
        for item in items {
            let name = match keyword(&item.key) {
                Some(name) => name.to_owned(),
                None => {
                    let Some(key) = self.constant(|evaluator| evaluator.constant(&item.key)) else {
                        continue;
                    };
                    key.as_str().unwrap_or_default().to_owned()
                }
            };
            match &*name {
                "source" => {
                    let source = self.text(&item.value, "Invalid source", "Source");
                    let source = source.filter(|source| self.check_source(source, item.value.span));
                    required.source = source.zip(Some(item.value.span));
                }
                "version" => {
                    required.version = self.version_text(&item.value);
                }
                "configuration_aliases" => {
                    for alias in self.list(&item.value).to_vec() {
                        required.aliases.extend(self.configuration_alias(
                            &alias,
                            &entry.name,
                            item.value.span,
                        ));
                    }
                }
                _ => {
                    let detail = "required_providers objects can only contain \"version\", \"source\" and \
                                  \"configuration_aliases\" attributes. To configure a provider, use a \"provider\" block.";
                    self.problems.error(SUMMARY, item.key.span, detail);
                    break;
                }
            }
        }
        Some(required)
    }

    fn configuration_alias(&mut self, expr: &Expr, name: &str, whole: Span) -> Option<ProviderRef> {
        const SUMMARY: &str = "Invalid configuration_aliases value";
        // A provider may have the name of a literal value, such as null.
        let names = references::names(expr).unwrap_or_default();
        if names.is_empty() && !references::is_reference(expr) {
            self.problems.error("Invalid expression", expr.span, references::NO_REFERENCE);
            return None;
        }
        let (&[provider], alias) = names.split_at(names.len().min(1)) else { return None };
        if alias.len() > 1 {
            let detail = "Configuration aliases can only contain references to local provider configuration names in the format \
                          of provider.alias";
            self.problems.error(SUMMARY, whole, detail);
            return None;
        }
        if provider != name {
            let detail = format!(
                "Configuration aliases must be prefixed with the provider name. Expected {name:?}, but found {provider:?}."
            );
            self.problems.error(SUMMARY, whole, detail);
            return None;
        }
        Some(ProviderRef {
            name: provider.into(),
            alias: alias.first().map(|alias| (*alias).into()),
            key: None,
            span: expr.span,
        })
    }

    fn version_text(&mut self, expr: &Expr) -> Option<String> {
        const SUMMARY: &str = "Invalid version constraint";
        let text = self.text(expr, SUMMARY, "Version")?;
        if VersionConstraints::parse(&text).is_none() {
            let detail = "This string does not use correct version constraint syntax.";
            self.problems.error(SUMMARY, expr.span, detail);
            return None;
        }
        Some(text)
    }

    /// Whether a source may name a provider.
    fn check_source(&mut self, source: &str, place: Span) -> bool {
        let parts: Vec<&str> = source.split('/').collect();
        if parts.len() > 3 || parts.iter().any(|part| part.is_empty()) {
            let detail = "The \"source\" attribute must be in the format \"[hostname/][namespace/]name\"";
            self.problems.error("Invalid provider source string", place, detail);
            return false;
        }
        // Namespaces may have underscores since 1.16, types may not.
        let has_underscores = self.problems.edition >= Edition(16);
        let is_legal = |part: &str, has_underscores: bool| {
            !part.starts_with('-')
                && !part.ends_with('-')
                && !part.contains("--")
                && part.chars().all(|c| c == '-' || c == '_' && has_underscores || c.is_alphanumeric())
        };
        const RULE: &str =
            "must contain only letters, digits, and dashes, and may not use leading or trailing dashes";
        let (name, others) = parts.split_last().unwrap_or((&"", &[]));
        if !is_legal(name, false) {
            // The quote at the end is Terraform's.
            let detail = format!("Invalid provider type {name:?} in source {source:?}: {RULE}\"");
            self.problems.error("Invalid provider type", place, detail);
            return false;
        }
        let Some((namespace, host)) = others.split_last() else { return true };
        if *namespace != "-" && !is_legal(namespace, has_underscores) {
            let rule = if namespace.contains('.') { "dots are not allowed" } else { RULE };
            let detail = format!("Invalid provider namespace \"\" in source {source:?}: {rule}\"");
            self.problems.error("Invalid provider namespace", place, detail);
            return false;
        }
        if let Some(c) = host.iter().flat_map(|host| host.chars()).find(|c| c.is_whitespace()) {
            let detail = format!(
                "Invalid provider source hostname namespace \"\" in source {source:?}: idna: disallowed rune U+{:04X}\"",
                u32::from(c)
            );
            self.problems.error("Invalid provider source hostname", place, detail);
            return false;
        }
        if let Some(rest) = name.strip_prefix("terraform-provider-") {
            let display = |name: &str| match host.first() {
                Some(host) if *host != "registry.terraform.io" => format!("{host}/{namespace}/{name}"),
                _ => format!("{namespace}/{name}"),
            };
            let detail = format!(
                "Provider source {:?} has a type with the prefix \"terraform-provider-\", which isn't valid. Although that prefix \
                 is often used in the names of version control repositories for Terraform providers, provider source strings \
                 should not include it.\n\nDid you mean {:?}?",
                display(name),
                display(rest)
            );
            self.problems.error("Invalid provider type", place, detail);
            return false;
        }
        true
    }

    /// A string that must be one, with its place.
    fn text(&mut self, expr: &Expr, summary: &'static str, what: &str) -> Option<String> {
        let value = self.constant(|evaluator| evaluator.constant(expr))?;
        if value.as_str().is_none() {
            self.problems.error(summary, expr.span, format!("{what} must be specified as a string."));
        }
        value.as_str().map(str::to_owned)
    }
}
