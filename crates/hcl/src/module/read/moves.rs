//! `moved` and `removed` blocks.

use objchange::address::Mode;
use objchange_text::Span;

use super::super::declarations::{MoveEndpoint, MoveTarget, MovedConfig, RemovedConfig};
use super::super::shape::REMOVED_LIFECYCLE;
use super::collect::Declared;
use super::references::{NO_REFERENCE, is_reference};
use super::{Reader, address};
use crate::syntax::ast::{Expr, ExprKind, StepKind};

impl Reader<'_> {
    pub(super) fn moved(&mut self, declared: Declared<'_>) -> Option<MovedConfig> {
        let Declared { header, content, .. } = declared;
        let [from, to] = ["from", "to"]
            .map(|name| content.attribute(name).and_then(|attribute| self.endpoint(&attribute.expr)));
        let (from, to) = (from?, to?);
        let is_module = |endpoint: &MoveEndpoint| matches!(endpoint.target, MoveTarget::Module(_));
        if is_module(&from) != is_module(&to) {
            let detail = "The \"from\" and \"to\" addresses must either both refer to resources or both refer to modules.";
            self.problems.error("Invalid \"moved\" addresses", header, detail);
            return None;
        }
        Some(MovedConfig { header, from, to })
    }

    pub(super) fn removed(&mut self, declared: Declared<'_>) -> Option<RemovedConfig> {
        let Declared { header, content, .. } = declared;
        let from = content.attribute("from").and_then(|from| {
            let endpoint = self.endpoint(&from.expr)?;
            self.check_removed(&from.expr, &endpoint).then_some(endpoint)
        });
        let is_managed = from.as_ref().is_some_and(|from| {
            matches!(&from.target, MoveTarget::Resource(address) if address.resource.mode == Mode::Managed)
        });
        let mut destroy = true;
        for block in content.blocks {
            match &*block.kind {
                "lifecycle" => {
                    let lifecycle = block.body.read(&REMOVED_LIFECYCLE, &mut self.problems);
                    destroy = self.bool(&lifecycle, "destroy").unwrap_or(true);
                }
                "connection" if !is_managed => {
                    let detail = "Provisioner connection configuration is valid only when a removed block targets a \
                                  managed resource.";
                    self.problems.error("Invalid connection block", block.header, detail);
                }
                "provisioner" if !is_managed => {
                    let detail =
                        "Provisioners are valid only when a removed block targets a managed resource.";
                    self.problems.error("Invalid provisioner block", block.header, detail);
                }
                _ => {}
            }
        }
        Some(RemovedConfig { header, from: from?, destroy })
    }

    /// Removed are whole modules and managed resources only.
    fn check_removed(&mut self, expr: &Expr, endpoint: &MoveEndpoint) -> bool {
        match &endpoint.target {
            MoveTarget::Resource(address) if address.resource.mode == Mode::Data => {
                let detail = "Data sources are never destroyed, so they are not valid targets of removed blocks. To remove \
                              the data source from state, remove the data source block from configuration.";
                self.problems.error("Data source address not allowed", expr.span, detail);
                false
            }
            MoveTarget::Module(module) if module.0.iter().any(|step| step.key.is_some()) => {
                let detail = "Module address must be a module (e.g. \"module.foo\"), not a module instance (e.g. \
                              \"module.foo[1]\").";
                self.problems.error("Module instance keys not allowed", last_index(expr), detail);
                false
            }
            MoveTarget::Resource(address)
                if address.key.is_some()
                    || address.resource.module.0.iter().any(|step| step.key.is_some()) =>
            {
                let is_of_module = address.resource.module.0.iter().any(|step| step.key.is_some());
                let (summary, detail) = if is_of_module {
                    (
                        "Module instance keys not allowed",
                        "Module address must be a module (e.g. \"module.foo\"), not a module instance (e.g. \"module.foo[1]\").",
                    )
                } else {
                    (
                        "Resource instance keys not allowed",
                        "Resource address must be a resource (e.g. \"test_instance.foo\"), not a resource instance (e.g. \
                         \"test_instance.foo[1]\").",
                    )
                };
                self.problems.error(summary, last_index(expr), detail);
                false
            }
            _ => true,
        }
    }

    fn endpoint(&mut self, expr: &Expr) -> Option<MoveEndpoint> {
        if !is_reference(expr) {
            if !matches!(expr.kind, ExprKind::Missing) {
                self.problems.error("Invalid expression", expr.span, NO_REFERENCE);
            }
            return None;
        }
        match address::target(expr) {
            Ok(target) => Some(MoveEndpoint { target, span: expr.span }),
            Err(error) => {
                self.problems.errors.push(error);
                None
            }
        }
    }
}

/// The last index of a reference.
fn last_index(expr: &Expr) -> Span {
    let ExprKind::Variable(variable) = &expr.kind else { return expr.span };
    let index = variable.steps.iter().rev().find(|step| matches!(step.kind, StepKind::Index(_)));
    index.map_or(expr.span, |step| step.span)
}
