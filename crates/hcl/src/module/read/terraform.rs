//! `terraform` blocks.

use objchange_text::Span;

use super::super::declarations::{ModuleConfig, ProviderRef, RequiredProvider};
use super::super::raw::RawBlock;
use super::Reader;
use super::collect::Declared;
use super::references::keyword;
use crate::syntax::ast::{Attribute, Expr, ExprKind};

impl Reader<'_> {
    pub(super) fn terraform_blocks(&mut self, blocks: Vec<Declared<'_>>, config: &mut ModuleConfig) {
        let mut backend: Option<Span> = None;
        let mut required: Option<Span> = None;
        for Declared { content, has_both: is_override, .. } in blocks {
            let version = self.string(&content, "required_version");
            config.required_versions.extend(version);
            for block in content.blocks {
                match &*block.kind {
                    "backend" => match backend {
                        Some(first) => {
                            let at = self.place(first);
                            let detail = format!(
                                "A module may have only one backend configuration. The backend was previously configured at \
                                 {at}."
                            );
                            self.problems.error("Duplicate backend configuration", block.header, detail);
                        }
                        None => backend = Some(block.header),
                    },
                    "required_providers" => match required.filter(|_| !is_override) {
                        Some(first) => {
                            let at = self.place(first);
                            let detail = format!(
                                "A module may have only one required providers configuration. The required providers were \
                                     previously configured at {at}."
                            );
                            let summary = "Duplicate required providers configuration";
                            self.problems.error(summary, block.header, detail);
                        }
                        None => {
                            required = Some(block.header);
                            self.required_providers(block, config);
                        }
                    },
                    _ => {}
                }
            }
        }
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
        let mut required = RequiredProvider { source: None, version: None, aliases: Vec::new(), span };
        let (ExprKind::Object(items) | ExprKind::Properties(items)) = &entry.expr.kind else {
            // Terraform 0.12 had nothing but versions.
            if let ExprKind::Text(_) = &entry.expr.kind {
                required.version = self.text(&entry.expr, "Invalid version constraint", "Version");
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
                    required.source = source.zip(Some(item.value.span));
                }
                "version" => {
                    required.version = self.text(&item.value, "Invalid version constraint", "Version");
                }
                "configuration_aliases" => {
                    for alias in self.list(&item.value).to_vec() {
                        required.aliases.extend(self.configuration_alias(&alias, &entry.name));
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

    fn configuration_alias(&mut self, expr: &Expr, _name: &str) -> Option<ProviderRef> {
        self.provider_ref(expr, "configuration_aliases")
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
