//! `import` blocks: which objects are imported, and as what.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::value::Marks;
use objchange_hcl::{
    Diagnostic, DiagnosticExt, Expr, Functions, ImportConfig, Scope, Span, evaluate, variables,
};

use super::expand::{self, Expansion};
use super::graph::{NodeKey, import_subjects, import_target};
use super::instances::{Expanded, Repetition};
use super::walk::Walk;
use crate::Severity;

/// An object that is imported.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    /// The identifier; unknown where it depends on what no provider was there to say.
    pub(crate) id: Value,
    /// Where the block is.
    pub(crate) span: Span,
}

impl<'c> Walk<'_, 'c> {
    /// Evaluates `import` blocks, once what they refer to is evaluated.
    pub(crate) fn read_imports(&mut self, imports: &[&'c ImportConfig]) {
        imports.iter().for_each(|import| self.read_import(import));
    }

    fn read_import(&mut self, import: &'c ImportConfig) {
        let subjects = import_subjects(import);
        let values = self.world.variables(self.graph, 0, &subjects);
        let scope = Scope::new(&values);
        let instances = match &import.for_each {
            None => Expanded::Single(Repetition::default()),
            Some(expr) => {
                let mut errors = Vec::new();
                let most = self.input.options.max_instances;
                match expand::for_each(expr, &scope, self.input.functions, most, &mut errors) {
                    Expansion::Known(instances) => instances,
                    Expansion::Unknown(_) => {
                        let detail = "The \"for_each\" expression includes values derived from other resource attributes that \
                                      cannot be determined until apply, and so Terraform cannot determine the full set of \
                                      values that might be used to import this resource.";
                        let error = Diagnostic::new("Invalid for_each argument", expr.span, detail);
                        self.found.push(Severity::Error, error.explained_by_unknown(expr, &scope));
                        return;
                    }
                    Expansion::Wrong => {
                        self.found.errors(errors);
                        return;
                    }
                }
            }
        };
        for (_, repetition) in instances.iter() {
            let names = repetition.names();
            let scope = scope.with(&names);
            let Some(address) = self.import_address(&import.to, &scope) else { continue };
            let Some(id) = import.id.as_ref().and_then(|id| self.import_id(id, &scope)) else { continue };
            self.imports.insert(address, Import { id, span: import.header });
        }
    }

    /// The address that an object gets, whose keys may come from `each`.
    fn import_address(&mut self, to: &Expr, scope: &Scope<'_>) -> Option<InstanceAddress> {
        let references = variables(to);
        let reference = references.first()?;
        let mut text = reference.to_string();
        if let Some(key) = to.computed_key() {
            let (key, errors) = evaluate(key, scope, self.input.functions);
            self.found.errors(errors);
            text.push_str(&super::subject::key_text(&key));
        }
        text.parse().ok()
    }

    fn import_id(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<Value> {
        let (id, errors) = identifier(expr, scope, self.input.functions, true);
        self.found.errors(errors);
        id
    }

    /// Reports imports of instances that the configuration does not have.
    pub(crate) fn check_imports(&mut self) {
        let config = self.input.config;
        let is_declared = |import: &&ImportConfig| {
            import_target(import).is_some_and(|(path, name)| {
                let module = config.modules.iter().position(|module| module.path == path);
                module.is_some_and(|module| self.graph.find(&NodeKey::Resource(module, name)).is_some())
            })
        };
        let others: Vec<&ImportConfig> =
            config.modules[0].config.imports.iter().filter(|import| !is_declared(import)).collect();
        self.read_imports(&others);
        let left: BTreeMap<InstanceAddress, Import> = std::mem::take(&mut self.imports);
        for (address, _) in left {
            if self
                .state
                .resources
                .get(&address.resource)
                .is_some_and(|known| known.instances.contains_key(&address.key))
            {
                continue;
            }
            let detail = format!(
                "The configuration for the given import target {address} does not exist. If you wish to automatically generate \
                 config for this resource, use the -generate-config-out option within terraform plan. Otherwise, make sure the \
                 target resource exists within your configuration. For example:\n\n  terraform plan \
                 -generate-config-out=generated.tf"
            );
            self.found.without_place(
                Severity::Error,
                "Configuration for import target does not exist",
                detail,
            );
        }
    }
}

/// The identifier of an import, and what is wrong with it. Whether it must be known by now depends on the walk.
pub(crate) fn identifier(
    expr: &Expr,
    scope: &Scope<'_>,
    functions: &Functions,
    must_be_known: bool,
) -> (Option<Value>, Vec<Diagnostic>) {
    const SUMMARY: &str = "Invalid import id argument";
    let (value, errors) = evaluate(expr, scope, functions);
    if !errors.is_empty() {
        return (None, errors);
    }
    let wrong =
        |detail: String| (None, vec![Diagnostic::new(SUMMARY, expr.span, detail).explained(expr, scope)]);
    if value.is_null() {
        return wrong("The import ID cannot be null.".to_owned());
    }
    if value.marks().contains(Marks::EPHEMERAL) {
        return wrong("The import ID value cannot be ephemeral.".to_owned());
    }
    if !value.is_known() {
        return match must_be_known {
            false => (Some(value), Vec::new()),
            true => wrong(
                "The import block \"id\" argument depends on resource attributes that cannot be determined until apply, so \
                 Terraform cannot plan to import this resource."
                    .to_owned(),
            ),
        };
    }
    match value.convert(&objchange::Type::String) {
        Err(error) => wrong(format!("The import ID value is unsuitable: {}.", error.kind)),
        Ok(id) if id.as_str() == Some("") => wrong(
            "The import ID value evaluates to an empty string, please provide a non-empty value.".to_owned(),
        ),
        Ok(id) => (Some(id), Vec::new()),
    }
}
