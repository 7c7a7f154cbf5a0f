//! `import` blocks.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use objchange::address::Mode;

use super::super::declarations::{ImportConfig, ImportTarget, MoveTarget};
use super::collect::Declared;
use super::references::NO_REFERENCE;
use super::{Reader, address};
use crate::decode::shape::IMPORT;
use crate::syntax::ast::{Access, Expr, ExprKind, Relative, StepKind, TraversalStep, Variable};

const NOT_MANAGED: &str = "Only managed resources can be imported.";

impl Reader<'_> {
    pub(super) fn import(&mut self, declared: Declared<'_>) -> Option<ImportConfig> {
        let Declared { header, content, .. } = declared;
        let expr = |name: &str| content.attribute(name).map(|attribute| attribute.expr.clone());
        let (id, identity, for_each) = (expr("id"), expr("identity"), expr("for_each"));
        match (&id, &identity) {
            (None, None) if IMPORT.is_known("identity", self.problems.edition) => {
                let detail = "At least one of 'id' or 'identity' must be specified.";
                self.problems.error("Invalid import block", header, detail);
            }
            (None, None) => self.problems.error(
                "Missing required argument",
                content.missing,
                "The argument \"id\" is required, but no definition was found.",
            ),
            (Some(_), Some(_)) => {
                let detail = "Only one of 'id' or 'identity' can be specified.";
                self.problems.error("Invalid import block", header, detail);
            }
            _ => {}
        }
        let to = content.attribute("to");
        let target = to.and_then(|to| {
            let target = self.import_target(&to.expr);
            if target.as_ref().is_none_or(|target| target.address.resource.mode != Mode::Managed) {
                let place = to.name_span.to(to.expr.span);
                self.problems.error("Invalid import address", place, NOT_MANAGED);
                return None;
            }
            target
        });
        let provider = content.attribute("provider");
        let is_in_module = |target: &ImportTarget| !target.address.resource.module.is_root();
        if let Some(provider) = provider.filter(|_| target.as_ref().is_some_and(is_in_module)) {
            let detail = "The provider argument can only be specified in import blocks that will generate \
                          configuration.\n\nUse the providers argument within the module block to configure providers for \
                          all resources within a module, including imported resources.";
            let place = provider.name_span.to(provider.expr.span);
            self.problems.error("Invalid import provider argument", place, detail);
        }
        let provider = provider.and_then(|provider| self.provider_ref(&provider.expr, "provider"));
        Some(ImportConfig { header, to: target?, id, identity, for_each, provider })
    }

    /// Refuses what imports an instance that another block imports, where both addresses are written out.
    pub(super) fn refuse_second_imports(&mut self, imports: &[ImportConfig]) {
        let mut first = HashMap::new();
        let is_complete = |import: &&ImportConfig| {
            import.to.computed_keys.is_empty() && (import.id.is_some() || import.identity.is_some())
        };
        for import in imports.iter().filter(is_complete) {
            match first.entry(&import.to.address) {
                Entry::Vacant(entry) => drop(entry.insert(import.header)),
                Entry::Occupied(entry) => {
                    let resource = &import.to.address.resource;
                    let detail = format!(
                        "An import block for the resource \"{resource}\" was already declared at {}. A resource can have only \
                         one import block.",
                        self.place(*entry.get())
                    );
                    let summary = format!("Duplicate import configuration for \"{resource}\"");
                    self.problems.error(("duplicate_import_configuration", summary), import.to.span, detail);
                }
            }
        }
    }

    /// Reads the target address of an import.
    fn import_target(&mut self, expr: &Expr) -> Option<ImportTarget> {
        let Some((reference, keys)) = without_computed_keys(expr) else {
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
            Ok(MoveTarget::Resource(address)) => {
                let modules = address.resource.module.0.len();
                // `module.a.module.b`: a key after two names belongs to the first module.
                let keys = keys.into_iter().map(|(names, key)| match names % 2 {
                    0 => ((names / 2 - 1).min(modules), key),
                    _ => (modules, key),
                });
                Some(ImportTarget { span: expr.span, address, computed_keys: keys.collect() })
            }
            Err(error) => {
                self.problems.errors.push(*error);
                None
            }
        }
    }
}

/// A reference without the indexes that are computed, and these, each with how many names come before it.
fn without_computed_keys(expr: &Expr) -> Option<(Expr, Vec<(usize, Expr)>)> {
    match &expr.kind {
        ExprKind::Variable(_) => Some((expr.clone(), Vec::new())),
        ExprKind::Relative(relative) => {
            let Relative { source, accesses } = &**relative;
            let ExprKind::Variable(variable) = &source.kind else { return None };
            let mut whole: Variable = (**variable).clone();
            let mut keys = Vec::new();
            for access in accesses {
                match access {
                    Access::Step(step) => whole.steps.push(step.clone()),
                    Access::Computed { key, .. } => {
                        let is_name = |step: &&TraversalStep| matches!(step.kind, StepKind::Attribute(_));
                        keys.push((1 + whole.steps.iter().filter(is_name).count(), key.clone()));
                    }
                }
            }
            Some((Expr::new(expr.span, ExprKind::Variable(Box::new(whole))), keys))
        }
        _ => None,
    }
}
