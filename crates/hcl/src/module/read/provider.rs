//! `provider` blocks, and references to provider configurations.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::super::declarations::{ModuleConfig, ProviderConfig, ProviderRef};
use super::collect::Declared;
use super::{BAD_NAME, Reader, references};
use crate::decode::body::ConfigBody;
use crate::syntax::ast::{Expr, ExprKind};
use crate::syntax::is_name;
use objchange_text::Span;

/// Arguments that mean nothing yet.
const RESERVED: [&str; 4] = ["count", "depends_on", "for_each", "source"];

impl Reader<'_> {
    pub(super) fn provider_blocks(&mut self, blocks: Vec<Declared<'_>>, config: &mut ModuleConfig) {
        let mut first: BTreeMap<(SmolStr, Option<SmolStr>), Span> = BTreeMap::new();
        for declared in blocks {
            let Some(provider) = self.provider(declared) else { continue };
            let key = (provider.name.clone(), provider.alias.clone());
            match first.get(&key) {
                Some(other) => self.duplicate_provider(&provider, *other),
                None => {
                    first.insert(key, provider.header);
                    config.providers.push(provider);
                }
            }
        }
    }

    fn duplicate_provider(&mut self, provider: &ProviderConfig, first: Span) {
        let at = self.place(first);
        let name = &provider.name;
        let detail = match &provider.alias {
            None => format!(
                "A default (non-aliased) provider configuration for {name:?} was already given at {at}. If multiple \
                 configurations are required, set the \"alias\" argument for alternative configurations."
            ),
            Some(alias) => format!(
                "A provider configuration for {name:?} with alias {alias:?} was already given at {at}. Each configuration \
                 for the same provider must have a distinct alias."
            ),
        };
        self.problems.error("Duplicate provider configuration", provider.header, detail);
    }

    pub(super) fn provider(&mut self, mut declared: Declared<'_>) -> Option<ProviderConfig> {
        let name = declared.label(0);
        if !self.check_provider_name(&name, declared.header) {
            return None;
        }
        let alias = self.string(&declared.content, "alias");
        if alias.as_ref().is_some_and(|(alias, _)| !is_name(alias)) {
            let detail = format!("An alias must be a valid name. {BAD_NAME}");
            self.problems.error("Invalid provider configuration alias", declared.header, detail);
        }
        let version = self.string(&declared.content, "version");
        if let Some((_, place)) = &version {
            let detail = "Terraform 0.13 and earlier allowed provider version constraints inside the provider configuration \
                          block, but that is now deprecated and will be removed in a future version of Terraform. To \
                          silence this warning, move the provider version constraint into the required_providers block.";
            let summary = "Version constraints inside provider configuration blocks are deprecated";
            self.problems.warning(summary, *place, detail);
        }
        let mut for_each = None;
        for attribute in declared.content.attributes.iter().filter(|a| RESERVED.contains(&a.name.as_str())) {
            if attribute.name == "for_each" && self.problems.edition.is_opentofu() {
                if alias.is_none() {
                    let detail = "A provider configuration with for_each must have an alias, by which references name it.";
                    self.problems.error(
                        "Alias required for for_each of a provider",
                        attribute.name_span,
                        detail,
                    );
                }
                for_each = Some(attribute.expr.clone());
                continue;
            }
            let detail = format!(
                "The provider argument name {:?} is reserved for use by Terraform in a future version.",
                attribute.name
            );
            self.problems.error("Reserved argument name in provider block", attribute.name_span, detail);
        }
        self.refuse_reserved_blocks(&mut declared, "provider");
        let body = ConfigBody::new(declared.parts());
        let is_alias = |name: &str| name == "alias";
        let is_empty = declared.content.attributes.iter().all(|a| is_alias(&a.name)) && body.is_empty();
        let alias = alias.map(|(alias, _)| alias.into());
        Some(ProviderConfig { header: declared.header, name, alias, for_each, version, body, is_empty })
    }

    pub(super) fn check_provider_name(&mut self, name: &str, place: Span) -> bool {
        const SUMMARY: &str = "Invalid provider local name";
        let is_legal = |c: char| c == '-' || c.is_alphanumeric();
        let is_valid =
            !name.is_empty() && !name.starts_with('-') && !name.ends_with('-') && name.chars().all(is_legal);
        if !is_valid {
            let detail = format!(
                "{name} is an invalid provider local name: must contain only letters, digits, and dashes, and may not use \
                 leading or trailing dashes"
            );
            self.problems.error(SUMMARY, place, detail);
        } else if name != name.to_lowercase() {
            let normal = name.to_lowercase();
            let detail = format!(
                "Provider names must be normalized. Replace {name:?} with {normal:?} to fix this error."
            );
            self.problems.error(SUMMARY, place, detail);
        } else {
            return true;
        }
        false
    }

    /// A reference to a provider configuration, as the argument of this name has it.
    pub(super) fn provider_ref(&mut self, expr: &Expr, argument: &str) -> Option<ProviderRef> {
        let expr = self.unquoted(expr)?;
        let (named, key) = match self.problems.edition.is_opentofu() {
            true => references::without_key(&expr),
            false => (None, None),
        };
        let names = references::names(named.as_ref().unwrap_or(&expr));
        let (name, alias) = match names.as_deref() {
            Some([name]) => (SmolStr::new(name), None),
            Some([name, alias]) => (SmolStr::new(name), Some(SmolStr::new(alias))),
            _ => {
                if !matches!(expr.kind, ExprKind::Missing) {
                    let detail = format!(
                        "The {argument} argument requires a provider type name, optionally followed by a period and then a \
                         configuration alias."
                    );
                    self.problems.error("Invalid provider configuration reference", expr.span, detail);
                }
                return None;
            }
        };
        Some(ProviderRef { name, alias, key: key.map(Box::new), span: expr.span })
    }

    /// Removes blocks of reserved types, and reports an error for each.
    pub(super) fn refuse_reserved_blocks(&mut self, declared: &mut Declared<'_>, what: &str) {
        for block in std::mem::take(&mut declared.content.blocks) {
            let detail = format!(
                "The block type name {:?} is reserved for use by Terraform in a future version.",
                block.kind
            );
            self.problems.error(
                (
                    "reserved_block_type_name_in_what_block",
                    format!("Reserved block type name in {what} block"),
                ),
                block.kind_span,
                detail,
            );
        }
    }
}
