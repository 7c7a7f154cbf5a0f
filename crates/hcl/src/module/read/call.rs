//! `module` blocks.

use objchange_text::VersionConstraints;

use super::super::declarations::{ModuleCall, ProviderRef};
use super::Reader;
use super::collect::Declared;
use crate::decode::body::ConfigBody;
use crate::decode::shape::CALL_LIFECYCLE;
use crate::syntax::ast::{Expr, ExprKind};
use crate::walk::{calls, variables};

impl Reader<'_> {
    pub(super) fn call(&mut self, mut declared: Declared<'_>) -> ModuleCall {
        let enabled = self.call_lifecycle(&mut declared);
        self.refuse_reserved_blocks(&mut declared, "module");
        self.refuse_count_with_for_each(&declared);
        let content = &declared.content;
        let computed_source = content.attribute("source").map(|attribute| attribute.expr.clone());
        let computed_source = computed_source.filter(is_computed);
        let source = match computed_source {
            Some(_) => None,
            None => self.string(content, "source"),
        };
        if content.attribute("source").is_none() {
            let detail = "The argument \"source\" is required, but no definition was found.";
            self.problems.error("Missing required argument", content.missing, detail);
        }
        let version = self.string(content, "version");
        if let Some((_, place)) =
            version.as_ref().filter(|(version, _)| VersionConstraints::parse(version).is_none())
        {
            let detail = "This string does not use correct version constraint syntax.";
            self.problems.error("Invalid version constraint", *place, detail);
        }
        let expr = |name: &str| content.attribute(name).map(|attribute| attribute.expr.clone());
        let (count, for_each) = (expr("count"), expr("for_each"));
        let depends_on = expr("depends_on").map(|list| self.reference_list(&list)).unwrap_or_default();
        let providers = expr("providers").map(|map| self.passed_providers(&map)).unwrap_or_default();
        let ignores_deprecations = self.bool(content, "ignore_nested_deprecations") == Some(true);
        let missing = content.missing;
        let body = ConfigBody::new(declared.parts());
        let (arguments, found) = body.arguments();
        self.problems.errors.extend(found);
        ModuleCall {
            header: declared.header,
            source,
            computed_source,
            version,
            arguments,
            missing,
            count,
            for_each,
            providers,
            depends_on,
            ignores_deprecations,
            enabled,
        }
    }

    /// Reads the `lifecycle` block of a call, which OpenTofu alone has; its `enabled`.
    fn call_lifecycle(&mut self, declared: &mut Declared<'_>) -> Option<Expr> {
        if !self.problems.edition.is_opentofu() {
            return None;
        }
        let mut enabled = None;
        for block in std::mem::take(&mut declared.content.blocks) {
            if block.kind != "lifecycle" {
                declared.content.blocks.push(block);
                continue;
            }
            let content = block.body.read(&CALL_LIFECYCLE, &mut self.problems);
            enabled = content.attribute("enabled").map(|attribute| attribute.expr.clone());
        }
        self.refuse_enabled_with_repetition(declared, enabled.as_ref());
        enabled
    }

    /// Refuses `enabled` beside `count` or `for_each`.
    pub(super) fn refuse_enabled_with_repetition(&mut self, declared: &Declared<'_>, enabled: Option<&Expr>) {
        let other = ["count", "for_each"].into_iter().find(|name| declared.content.attribute(name).is_some());
        if let (Some(enabled), Some(other)) = (enabled, other) {
            let detail = format!(
                "The \"enabled\" and \"{other}\" meta-arguments are mutually-exclusive, only one should be used to be explicit \
                 about the number of instances to be created."
            );
            let summary = format!("Invalid combination of \"enabled\" and \"{other}\"");
            self.problems.error(("invalid_combination_of_enabled", summary), enabled.span, detail);
        }
    }

    pub(super) fn passed_providers(&mut self, expr: &Expr) -> Vec<(ProviderRef, ProviderRef)> {
        let (ExprKind::Object(items) | ExprKind::Properties(items)) = &expr.kind else {
            let detail = "A static map expression is required.";
            let place = self.start_of(expr);
            self.problems.error("Invalid expression", place, detail);
            return Vec::new();
        };
        let mut passed = Vec::new();
        for item in items {
            let inside = self.provider_ref(&item.key, "providers");
            if let Some(key) = inside.as_ref().and_then(|inside| inside.key.as_ref()) {
                let detail =
                    "A module gets one configuration under each name, so that the name here has no key.";
                self.problems.error("Invalid provider configuration reference", key.span, detail);
            }
            let outside = self.provider_ref(&item.value, "providers");
            passed.extend(inside.zip(outside));
        }
        passed
    }
}

/// Whether an expression is more than a literal.
fn is_computed(expr: &Expr) -> bool {
    !variables(expr).is_empty() || !calls(expr).is_empty()
}
