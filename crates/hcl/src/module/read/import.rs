//! `import` blocks.

use objchange::address::Mode;

use super::super::declarations::{ImportConfig, MoveTarget};
use super::collect::Declared;
use super::references::NO_REFERENCE;
use super::{Reader, address};
use crate::syntax::ast::{Access, Expr, ExprKind, Relative, Variable};

const NOT_MANAGED: &str = "Only managed resources can be imported.";

impl Reader<'_> {
    pub(super) fn import(&mut self, declared: Declared<'_>) -> Option<ImportConfig> {
        let Declared { header, content, .. } = declared;
        let expr = |name: &str| content.attribute(name).map(|attribute| attribute.expr.clone());
        let (id, identity, for_each) = (expr("id"), expr("identity"), expr("for_each"));
        if id.is_none() && identity.is_none() {
            let detail = "The argument \"id\" is required, but no definition was found.";
            self.problems.error("Missing required argument", content.missing, detail);
        }
        let to = content.attribute("to");
        let target = to.and_then(|to| {
            let target = self.import_target(&to.expr);
            if !target.as_ref().is_some_and(is_managed) {
                let place = to.name_span.to(to.expr.span);
                self.problems.error("Invalid import address", place, NOT_MANAGED);
                return None;
            }
            target
        });
        let provider = content.attribute("provider");
        let is_in_module = |target: &MoveTarget| match target {
            MoveTarget::Module(_) => true,
            MoveTarget::Resource(address) => !address.resource.module.is_root(),
        };
        if let Some(provider) = provider.filter(|_| target.as_ref().is_some_and(is_in_module)) {
            let detail = "The provider argument can only be specified in import blocks that will generate \
                          configuration.\n\nUse the providers argument within the module block to configure providers for \
                          all resources within a module, including imported resources.";
            let place = provider.name_span.to(provider.expr.span);
            self.problems.error("Invalid import provider argument", place, detail);
        }
        let provider = provider.and_then(|provider| self.provider_ref(&provider.expr, "provider"));
        target?;
        Some(ImportConfig { header, to: to?.expr.clone(), id, identity, for_each, provider })
    }

    /// What an import address names, its keys aside.
    fn import_target(&mut self, expr: &Expr) -> Option<MoveTarget> {
        let Some(reference) = without_computed_keys(expr) else {
            self.problems.error("Invalid expression", expr.span, NO_REFERENCE);
            return None;
        };
        match address::target(&reference) {
            Ok(MoveTarget::Module(_)) => {
                let detail = "A resource instance address is required here. The module path must be followed by a resource \
                              instance specification.";
                self.problems.error("Invalid address", expr.span, detail);
                None
            }
            Ok(target) => Some(target),
            Err(error) => {
                self.problems.errors.push(*error);
                None
            }
        }
    }
}

fn is_managed(target: &MoveTarget) -> bool {
    matches!(target, MoveTarget::Resource(address) if address.resource.mode == Mode::Managed)
}

/// A reference without the indexes that are computed.
fn without_computed_keys(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Variable(_) => Some(expr.clone()),
        ExprKind::Relative(relative) => {
            let Relative { source, accesses } = &**relative;
            let ExprKind::Variable(variable) = &source.kind else { return None };
            let mut whole: Variable = (**variable).clone();
            whole.steps.extend(accesses.iter().filter_map(|access| match access {
                Access::Step(step) => Some(step.clone()),
                Access::Computed { .. } => None,
            }));
            Some(Expr::new(expr.span, ExprKind::Variable(Box::new(whole))))
        }
        _ => None,
    }
}
