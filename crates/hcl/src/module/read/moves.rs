//! Reads `moved` and `removed` blocks.

use objchange::address::Mode;
use objchange_text::{Diagnostic, Span};

use super::super::declarations::{MoveEndpoint, MoveTarget, MovedConfig, RemovedConfig};
use super::collect::Declared;
use super::references::{NO_REFERENCE, is_reference};
use super::{Reader, address};
use crate::decode::body::ConfigBody;
use crate::decode::shape::REMOVED_LIFECYCLE;
use crate::syntax::ast::{Expr, ExprKind};

impl Reader<'_> {
    pub(super) fn moved(&mut self, declared: Declared<'_>) -> Option<MovedConfig> {
        let Declared { header, content, .. } = declared;
        let [from, to] = ["from", "to"].map(|name| {
            content.attribute(name).and_then(|attribute| self.endpoint(&attribute.expr, address::target))
        });
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
        let from = content.attribute("from");
        let from = from.and_then(|from| self.endpoint(&from.expr, address::removed_target));
        let is_managed = from.as_ref().is_some_and(|from| {
            matches!(&from.target, MoveTarget::Resource(address) if address.resource.mode == Mode::Managed)
        });
        let mut destroy = true;
        let mut provisioners = Vec::new();
        let mut connection: Option<(Span, ConfigBody)> = None;
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
                "connection" => match &connection {
                    Some((first, _)) => {
                        let at = self.place(*first);
                        let detail =
                            format!("This \"removed\" block already has a connection block at {at}.");
                        self.problems.error("Duplicate connection block", block.header, detail);
                    }
                    None => connection = Some((block.header, ConfigBody::whole(block.body))),
                },
                "provisioner" => {
                    let header = block.header;
                    let provisioner = self.provisioner(block);
                    if provisioner.as_ref().is_some_and(|provisioner| !provisioner.is_at_destroy) {
                        let detail = "Only destroy-time provisioners are valid in \"removed\" blocks. To declare a \
                                      destroy-time provisioner, use:\n    when = destroy";
                        self.problems.error("Invalid provisioner block", header, detail);
                    }
                    provisioners.extend(provisioner);
                }
                _ => {}
            }
        }
        self.refuse_other_objects(&provisioners, connection.as_ref().map(|(_, body)| body));
        Some(RemovedConfig { header, from: from?, destroy })
    }

    fn endpoint(
        &mut self,
        expr: &Expr,
        target: fn(&Expr) -> Result<MoveTarget, Box<Diagnostic>>,
    ) -> Option<MoveEndpoint> {
        if !is_reference(expr) {
            if !matches!(expr.kind, ExprKind::Missing) {
                self.problems.error("Invalid expression", expr.span, NO_REFERENCE);
            }
            return None;
        }
        match target(expr) {
            Ok(target) => Some(MoveEndpoint { target, span: expr.span }),
            Err(error) => {
                self.problems.errors.push(*error);
                None
            }
        }
    }
}
