//! The triggers of `replace_triggered_by`.

use super::read::NO_REFERENCE;
use crate::Diagnostic;
use crate::syntax::ast::{Access, Expr, ExprKind};

impl Expr {
    /// The error if this cannot stand in `replace_triggered_by`, and `None` if it can. It must be a reference, and so must each
    /// key in it that is no literal. Terraform reports this only while planning (1.11.4 and 1.15.5).
    ///
    /// ```
    /// let error = |text: &str| Some(objchange_hcl::parse_expression(text).ok()?.trigger_error()?.summary);
    /// assert_eq!(error("terraform_data.a[count.index].input"), None);
    /// assert_eq!(error("terraform_data.a[*]").unwrap(), "Invalid replace_triggered_by expression");
    /// assert_eq!(error("terraform_data.a[count.index + 1]").unwrap(), "Invalid expression");
    /// ```
    pub fn trigger_error(&self) -> Option<Diagnostic> {
        let is_reference = |expr: &Expr| matches!(expr.kind, ExprKind::Variable(_));
        let accesses = match &self.kind {
            ExprKind::Variable(_) => return None,
            ExprKind::Relative(relative) if is_reference(&relative.source) => &relative.accesses,
            _ => {
                let detail = "Unexpected expression found in replace_triggered_by.";
                return Some(Diagnostic::new("Invalid replace_triggered_by expression", self.span, detail));
            }
        };
        accesses.iter().find_map(|access| match access {
            Access::Computed { key, .. } if !is_reference(key) => {
                Some(Diagnostic::new("Invalid expression", key.span, NO_REFERENCE))
            }
            _ => None,
        })
    }
}
