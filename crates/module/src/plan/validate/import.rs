//! `import` blocks.

use objchange_hcl::{Scope, variables};

use super::super::check::ReferenceContext;
use super::super::graph::ImportBlock;
use super::super::instances::{ModuleInstanceId, Repetition};
use super::Validator;
use crate::plan::{expand, imports};

impl<'c> Validator<'_, 'c> {
    /// An `import` block, as far as its values are known.
    pub(super) fn import(&mut self, block: ImportBlock<'_>) {
        let (module, import) = (block.module, block.config);
        let at = self.world.by_module[module][0];
        let place =
            ReferenceContext { module, has_each: import.for_each.is_some(), ..ReferenceContext::default() };
        let errors = self.found.error_count();
        self.import_addresses(block, at);
        if self.found.error_count() > errors {
            return;
        }
        let Some(expr) = import.id.as_ref().or(import.identity.as_ref()) else { return };
        let checked = self.check(place, &variables(expr));
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return;
        }
        let values = self.world.variables(self.graph, at, &checked.subjects);
        let names = self.names(at, place);
        let outer = Scope::new(&values);
        let scope = outer.with(&names);
        if import.id.is_some() {
            if let Err(wrong) = imports::identifier(expr, &scope, self.functions) {
                self.found.errors(wrong.into_errors());
            }
        } else if let Ok(ty) = imports::identity_type(self.input, block, &mut self.found)
            && let Err(errors) = imports::identity(expr, &scope, self.functions, ty.as_ref())
        {
            self.found.errors(errors);
        }
    }

    /// The addresses of an `import` block: one for each element of its `for_each` as far as that is known.
    fn import_addresses(&mut self, block: ImportBlock<'_>, at: ModuleInstanceId) {
        let import = block.config;
        let nothing = objchange_hcl::Variables::default();
        let repetitions = match &import.for_each {
            None => {
                if let Some(error) = import.to.without_for_each() {
                    self.found.errors([error]);
                    return;
                }
                vec![Repetition::default()]
            }
            Some(expr) => {
                let place = ReferenceContext { module: block.module, ..ReferenceContext::default() };
                let checked = self.check(place, &variables(expr));
                if !checked.errors.is_empty() {
                    self.found.errors(checked.errors);
                    return;
                }
                let values = self.world.variables(self.graph, at, &checked.subjects);
                let most = self.input.options.max_instances;
                match expand::import_elements(expr, &Scope::new(&values), self.functions, most) {
                    Ok(Some(repetitions)) => repetitions,
                    Ok(None) => return,
                    Err(errors) => {
                        self.found.errors(errors);
                        return;
                    }
                }
            }
        };
        let outer = Scope::new(&nothing);
        for repetition in &repetitions {
            let names = repetition.names();
            match import.to.resolve(&outer.with(&names), self.functions) {
                Ok(Some(address)) => {
                    let wrong = imports::wrong_target(self.input.config, block, &address);
                    self.found.errors(wrong);
                }
                Ok(None) => {}
                Err(errors) => self.found.errors(errors),
            }
        }
    }
}
