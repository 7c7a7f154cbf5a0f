//! `terraform` blocks.

use super::super::declarations::{ModuleConfig, RequiredProvider};
use super::super::raw::RawBlock;
use super::Reader;
use super::collect::Declared;
use super::references::keyword;
use crate::syntax::ast::{Attribute, Expr, ExprKind};
use objchange_text::Span;

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
            let name = entry.name.clone();
            if !self.check_provider_name(&name, entry.name_span.to(entry.expr.span)) {
                continue;
            }
            let required = self.required_provider(&entry);
            config.required_providers.insert(name, required);
        }
    }

    fn required_provider(&mut self, entry: &Attribute) -> RequiredProvider {
        let span = entry.name_span.to(entry.expr.span);
        let mut required = RequiredProvider { source: None, version: None, aliases: Vec::new(), span };
        let (ExprKind::Object(items) | ExprKind::Properties(items)) = &entry.expr.kind else {
            required.version = text(&entry.expr);
            return required;
        };
        for item in items {
            let name = keyword(&item.key).map(str::to_owned).or_else(|| text(&item.key));
            match name.as_deref() {
                Some("source") => required.source = text(&item.value),
                Some("version") => required.version = text(&item.value),
                Some("configuration_aliases") => {
                    let list = self.list(&item.value).to_vec();
                    let aliases =
                        list.iter().filter_map(|alias| self.provider_ref(alias, "configuration_aliases"));
                    required.aliases = aliases.collect();
                }
                _ => {}
            }
        }
        required
    }
}

/// The string that an expression is.
fn text(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Text(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}
