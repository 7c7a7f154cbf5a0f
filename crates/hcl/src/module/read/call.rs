//! `module` blocks.

use super::super::body::ConfigBody;
use super::super::declarations::{ModuleCall, ProviderRef};
use super::Reader;
use super::collect::Declared;
use crate::syntax::ast::{Expr, ExprKind};
use crate::version::VersionConstraints;

impl Reader<'_> {
    pub(super) fn call(&mut self, mut declared: Declared<'_>) -> ModuleCall {
        self.refuse_reserved_blocks(&mut declared, "module");
        self.refuse_count_with_for_each(&declared);
        let content = &declared.content;
        let source = self.string(content, "source");
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
        let missing = content.missing;
        let body = ConfigBody::new(declared.parts());
        let (arguments, found) = body.arguments();
        self.problems.errors.extend(found);
        ModuleCall {
            header: declared.header,
            source,
            version,
            arguments,
            missing,
            count,
            for_each,
            providers,
            depends_on,
        }
    }

    fn passed_providers(&mut self, expr: &Expr) -> Vec<(ProviderRef, ProviderRef)> {
        let (ExprKind::Object(items) | ExprKind::Properties(items)) = &expr.kind else {
            let detail = "A static map expression is required.";
            self.problems.error("Invalid expression", expr.start(), detail);
            return Vec::new();
        };
        let mut passed = Vec::new();
        for item in items {
            let inside = self.provider_ref(&item.key, "providers");
            let outside = self.provider_ref(&item.value, "providers");
            passed.extend(inside.zip(outside));
        }
        passed
    }
}
