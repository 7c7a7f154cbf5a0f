//! The addresses in `import` blocks.

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::value::Marks;
use objchange_text::Diagnostic;

use super::declarations::ImportTarget;
use super::read::{NO_REFERENCE, instance_key};
use crate::eval::{Scope, evaluate};
use crate::function::Functions;

impl ImportTarget {
    /// The error about computed keys in a block without `for_each`; `None` if no key is computed.
    pub fn without_for_each(&self) -> Option<Diagnostic> {
        let is_computed = !self.computed_keys.is_empty();
        is_computed.then(|| Diagnostic::new("Invalid expression", self.span, NO_REFERENCE))
    }

    /// The address with its computed keys; `None` if a key is unknown.
    ///
    /// # Errors
    ///
    /// A key cannot be evaluated, is sensitive, or is neither a string nor a whole number.
    pub fn resolve(
        &self,
        scope: &Scope<'_>,
        functions: &Functions,
    ) -> Result<Option<InstanceAddress>, Vec<Diagnostic>> {
        let mut address = self.address.clone();
        for (place, expr) in &self.computed_keys {
            let (value, errors) = evaluate(expr, scope, functions);
            if !errors.is_empty() {
                return Err(errors);
            }
            let (value, marks): (Value, Marks) = value.unmark_deep();
            if marks.contains(Marks::SENSITIVE) {
                let detail = "Import address index expression cannot be sensitive.";
                return Err(vec![Diagnostic::new("Invalid index expression", expr.span, detail)]);
            }
            if !value.is_known() {
                return Ok(None);
            }
            let modules = &mut address.resource.module.0;
            let what = if *place < modules.len() { "module" } else { "resource" };
            let key = instance_key(&value, expr.span, what).map_err(|error| vec![*error])?;
            match modules.get_mut(*place) {
                Some(step) => step.key = Some(key),
                None => address.key = Some(key),
            }
        }
        Ok(Some(address))
    }
}
