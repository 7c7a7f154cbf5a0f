//! `import` blocks: which objects are imported, and as what.

use hashbrown::HashSet;
use objchange::address::{InstanceAddress, InstanceKey, ResourceAddress};
use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{
    Diagnostic, DiagnosticExt, Expr, Functions, ImportConfig, ResourceConfig, Scope, evaluate,
};

use objchange_document::PlanMode;

use super::ImportedBy;
use super::expand;
use super::graph::{ImportBlock, ResourceNode, resource_of, within};
use super::input::PlanInput;
use super::instances::{Expanded, ModuleInstanceId, Repetition};
use super::orphans::resource_name;
use super::resource::instance_address;
use super::walk::Walk;
use crate::config::Config;
use crate::schemas::NoIdentity;
use crate::{Diagnostics, Severity};

const NO_CONFIG: &str = "Configuration for import target does not exist";

/// An object that is imported.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    /// The identifier or identity to import by.
    pub(crate) by: ImportedBy,
}

impl<'c> Walk<'_, 'c> {
    /// Evaluates `import` blocks, once what they refer to is evaluated; whether all of them could be.
    pub(crate) fn read_imports(&mut self, index: usize, imports: &[ImportBlock<'c>]) -> bool {
        let errors = self.found.error_count();
        // A plan to refresh imports nothing (Terraform 1.11.4 and 1.15.5).
        if self.plans_before_destroy() && self.input.options.mode != PlanMode::RefreshOnly {
            for import in imports {
                for at in self.world.by_module[import.module].clone() {
                    self.read_import(index, *import, at);
                }
            }
        }
        self.found.error_count() == errors
    }

    /// Evaluates an `import` block in an instance of its module.
    fn read_import(&mut self, index: usize, block: ImportBlock<'c>, at: ModuleInstanceId) {
        let subjects = block.subjects();
        let import = block.config;
        let functions = self.module_functions.of_module(block.module);
        let values = self.world.variables(self.graph, at, &subjects);
        let scope = Scope::new(&values);
        let repetitions = match &import.for_each {
            None => vec![Repetition::default()],
            Some(expr) => {
                let most = self.input.options.max_instances;
                match expand::import_elements(expr, &scope, functions, most) {
                    Ok(Some(repetitions)) => repetitions,
                    Ok(None) if self.is_unanswered(index, expr, at) => {
                        self.open_imports.insert(block.target());
                        return;
                    }
                    Ok(None) => {
                        let detail = "The \"for_each\" expression includes values derived from other resource attributes that \
                                      cannot be determined until apply, and so Terraform cannot determine the full set of \
                                      values that might be used to import this resource.";
                        let error = Diagnostic::new("Invalid for_each argument", expr.span, detail);
                        self.found.push(Severity::Error, error.explained_by_unknown(expr, &scope));
                        return;
                    }
                    Err(errors) => {
                        self.found.errors(errors);
                        return;
                    }
                }
            }
        };
        for repetition in &repetitions {
            let names = repetition.names();
            let scope = scope.with(&names);
            let address = match import.to.resolve(&scope, functions) {
                Ok(Some(address)) => address,
                Ok(None)
                    if self.depends_on_unasked(
                        index,
                        import,
                        at,
                        import.to.computed_keys.iter().map(|(_, key)| key),
                    ) =>
                {
                    self.open_imports.insert(block.target());
                    continue;
                }
                Ok(None) => {
                    let detail = "The key in the \"to\" argument depends on resource attributes that cannot be determined until \
                                  apply, so Terraform cannot plan to import this resource.";
                    self.found.error("Invalid index expression", import.to.span, detail);
                    continue;
                }
                Err(errors) => {
                    self.found.errors(errors);
                    continue;
                }
            };
            let address = within(address, &self.world.instances[at].address);
            if let Some(by) = self.imported_by(index, block, (at, &address), functions, &scope) {
                self.imports.insert(address, Import { by });
            }
        }
    }

    fn imported_by(
        &mut self,
        index: usize,
        block: ImportBlock<'c>,
        (at, target): (ModuleInstanceId, &InstanceAddress),
        functions: &Functions,
        scope: &Scope<'_>,
    ) -> Option<ImportedBy> {
        let import = block.config;
        let (by, errors) = match (&import.id, &import.identity) {
            (Some(expr), _) => {
                match identifier(expr, scope, functions) {
                    Ok(id) if !id.is_known() && !self.depends_on_unasked(index, import, at, [expr]) => {
                        (None, vec![unknown_argument(expr, "id")])
                    }
                    Ok(id) => (Some(ImportedBy::Id(id)), Vec::new()),
                    // To Terraform, what cannot be evaluated is unknown, too.
                    Err(WrongId::NotEvaluated(mut errors)) => {
                        errors.push(unknown_argument(expr, "id"));
                        (None, errors)
                    }
                    Err(WrongId::Refused(error)) => (None, vec![*error]),
                }
            }
            // Terraform imports by `identity` since 1.12.
            (None, Some(expr)) => {
                let Ok(ty) = identity_type(self.input, block, &mut self.found) else { return None };
                match identity(expr, scope, functions, ty.as_ref()) {
                    Err(errors) => (None, errors),
                    Ok(value)
                        if !value.is_wholly_known()
                            && !self.depends_on_unasked(index, import, at, [expr]) =>
                    {
                        (None, vec![unknown_argument(expr, "identity")])
                    }
                    Ok(value) if value.marks_deep().contains(Marks::SENSITIVE) => {
                        let detail =
                            format!("Import identity for {target} must not contain sensitive values");
                        self.found.without_place(Severity::Error, "Invalid import identity", detail);
                        return None;
                    }
                    Ok(value) => (Some(ImportedBy::Identity(value)), Vec::new()),
                }
            }
            // The argument that is missing was reported when the module was loaded.
            (None, None) => return None,
        };
        self.found.errors(errors);
        by
    }

    /// Whether one of the expressions of an import is unknown because a provider was not there to say what it is.
    fn depends_on_unasked<'e>(
        &mut self,
        index: usize,
        import: &'e ImportConfig,
        at: ModuleInstanceId,
        expressions: impl IntoIterator<Item = &'e Expr>,
    ) -> bool {
        // `each` depends on `for_each`.
        let mut all = expressions.into_iter().chain(&import.for_each);
        all.any(|expr| self.is_unanswered(index, expr, at))
    }

    /// Reports imports of instances that a resource does not have, in modules that are there or not; whether there are any.
    pub(crate) fn misses_imports(
        &mut self,
        imports: &[ImportBlock<'c>],
        resource: &ResourceNode<'c>,
        expansions: &[(ModuleInstanceId, Expanded<Repetition>)],
    ) -> bool {
        let is_unknown = |(at, expansion): &(ModuleInstanceId, Expanded<Repetition>)| {
            self.world.instances[*at].is_undecided || !expansion.is_decided()
        };
        if imports.is_empty() || expansions.iter().any(is_unknown) {
            return false;
        }
        let mut wanted: HashSet<InstanceAddress> = HashSet::new();
        for (at, expansion) in expansions {
            let module = &self.world.instances[*at].address;
            let keys = expansion.iter().map(|(key, _)| key);
            wanted.extend(keys.map(|key| instance_address(module, resource.name, key)));
        }
        let targets: HashSet<_> = imports.iter().map(ImportBlock::target).collect();
        let is_stored = |address: &InstanceAddress| {
            let known = self.state.resources.get(&address.resource);
            known.is_some_and(|known| known.instances.contains_key(&address.key))
        };
        let missing: Vec<_> = self
            .imports
            .keys()
            .filter(|address| targets.contains(&resource_of(address)))
            .filter(|address| !wanted.contains(*address) && !is_stored(address))
            .filter(|address| self.targets.includes_instance(address))
            .cloned()
            .collect();
        // Terraform stops at one of each resource, whichever it is.
        let mut named: Option<&ResourceAddress> = None;
        for address in &missing {
            self.imports.remove(address);
            if named != Some(&address.resource) {
                self.found.without_place(Severity::Error, NO_CONFIG, no_instance(address));
            }
            named = Some(&address.resource);
        }
        !missing.is_empty()
    }

    /// The unknown identifier of an instance that may be imported, if only a provider can tell.
    pub(crate) fn may_be_imported(&mut self, index: usize, address: &InstanceAddress) -> Option<ImportedBy> {
        if !self.open_imports.contains(&resource_of(address)) {
            return None;
        }
        self.unanswered[index].insert(address.to_string());
        Some(ImportedBy::Id(Value::unknown(Type::String)))
    }

    /// Leaves out imports of a resource whose instances are not known.
    pub(crate) fn forget_imports(&mut self, imports: &[ImportBlock<'c>]) {
        if imports.is_empty() {
            return;
        }
        let targets: HashSet<_> = imports.iter().map(ImportBlock::target).collect();
        self.imports.retain(|address, _| !targets.contains(&resource_of(address)));
    }

    /// Reports imports of what the configuration does not have.
    pub(crate) fn check_imports(&mut self) {
        if !self.plans_before_destroy() || self.input.options.mode == PlanMode::RefreshOnly {
            return;
        }
        // Where a resource of another module is missing, that was found before anything was planned.
        for import in &self.input.config.modules[0].config.imports {
            let address = &import.to.address;
            if declared(self.input.config, address).is_none()
                && self.input.config.missing_module_of(&address.resource.module).is_none()
                && !self.state.resources.contains_key(&address.resource)
            {
                let detail = format!(
                    "The configuration for the given import target {address} does not exist. If you wish to automatically \
                     generate config for this resource, use the -generate-config-out option within terraform plan. Otherwise, \
                     make sure the target resource exists within your configuration. For example:\n\n  terraform plan \
                     -generate-config-out=generated.tf"
                );
                self.found.error(NO_CONFIG, import.to.span, detail);
            }
        }
        // One of each resource, as above.
        let mut named: Option<ResourceAddress> = None;
        for address in std::mem::take(&mut self.imports).into_keys() {
            let is_stored = self
                .state
                .resources
                .get(&address.resource)
                .is_some_and(|known| known.instances.contains_key(&address.key));
            // Terraform ignores the import of an object that the state already has.
            let is_in_missing = self.input.config.missing_module_of(&address.resource.module).is_some();
            if is_stored
                || is_in_missing
                || self.declared.contains(&address)
                || !self.targets.includes_instance(&address)
            {
                continue;
            }
            if named.as_ref() == Some(&address.resource) {
                continue;
            }
            named = Some(address.resource.clone());
            self.found.without_place(Severity::Error, NO_CONFIG, no_instance(&address));
        }
    }
}

/// The error for importing an instance that is not declared.
fn no_instance(address: &InstanceAddress) -> String {
    format!(
        "The configuration for the given import {address} does not exist. All target instances must have an associated \
         configuration to be imported."
    )
}

/// The resource that an instance is of.
fn declared<'c>(config: &'c Config, address: &InstanceAddress) -> Option<&'c ResourceConfig> {
    let resource = &address.resource;
    let module = &config.modules[config.module_of(&resource.module)?];
    module.config.resources.get(&resource_name(resource))
}

/// Checks the address of an import, with its computed keys, against the configuration.
pub(crate) fn wrong_target(
    config: &Config,
    block: ImportBlock<'_>,
    written: &InstanceAddress,
) -> Option<Diagnostic> {
    let (import, address) = (block.config, block.absolute(written));
    let error =
        |summary: &'static str, detail: String| Some(Diagnostic::new(summary, import.to.span, detail));
    // Nobody knows what a module has that is not there.
    if config.missing_module_of(&address.resource.module).is_some() {
        return None;
    }
    if config.module_of(&address.resource.module).is_none() {
        let detail = format!(
            "The configuration for the given import target {written} does not exist. All target instances must have an associated \
             configuration to be imported."
        );
        return error(NO_CONFIG, detail);
    }
    let resource = declared(config, &address);
    if resource.is_none() && !address.resource.module.is_root() {
        let detail = format!(
            "Resource {address} not found. Only resources within the root module are eligible for config generation."
        );
        return error(NO_CONFIG, detail);
    }
    let has_count = resource.is_some_and(|resource| resource.count.is_some());
    let has_each = resource.is_some_and(|resource| resource.for_each.is_some());
    let is_computed = !import.to.computed_keys.is_empty();
    let detail = match &address.key {
        None if has_count => "The target resource is using count.",
        None if has_each => "The target resource is using for_each.",
        Some(InstanceKey::String(_)) if !has_each && (resource.is_some() || is_computed) => {
            "The target resource does not use for_each."
        }
        Some(InstanceKey::Number(_)) if !has_count && (resource.is_some() || is_computed) => {
            "The target resource does not use count."
        }
        None if resource.is_none() && import.for_each.is_none() => return None,
        _ if resource.is_none() => {
            let detail = "The given import block is not compatible with config generation. The -generate-config-out option \
                          cannot be used with import blocks which use for_each, or resources which use for_each or count.";
            return error(NO_CONFIG, detail.to_owned());
        }
        _ => return None,
    };
    error("Invalid import 'to' expression", detail.to_owned())
}

// Null, unknown and empty identifiers. A sensitive one is accepted, and Terraform prints it.
const WRONG_ID: &str = "Invalid import id argument";

/// The error for an identifier or identity that is not known yet.
fn unknown_argument(expr: &Expr, name: &str) -> Diagnostic {
    let detail = format!(
        "The import block {name:?} argument depends on resource attributes that cannot be determined until apply, so \
         Terraform cannot plan to import this resource."
    );
    let summary = if name == "id" { WRONG_ID } else { WRONG_IDENTITY };
    Diagnostic::new(summary, expr.span, detail)
}

/// Why there is no identifier.
pub(crate) enum WrongId {
    NotEvaluated(Vec<Diagnostic>),
    Refused(Box<Diagnostic>),
}

impl WrongId {
    pub(crate) fn into_errors(self) -> Vec<Diagnostic> {
        match self {
            Self::NotEvaluated(errors) => errors,
            Self::Refused(error) => vec![*error],
        }
    }
}

/// The identifier of an import, which may be unknown.
pub(crate) fn identifier(expr: &Expr, scope: &Scope<'_>, functions: &Functions) -> Result<Value, WrongId> {
    let (value, errors) = evaluate(expr, scope, functions);
    if !errors.is_empty() {
        return Err(WrongId::NotEvaluated(errors));
    }
    let refused =
        |detail: &'static str| Err(WrongId::Refused(Box::new(Diagnostic::new(WRONG_ID, expr.span, detail))));
    match value.convert(&Type::String) {
        _ if value.is_null() => refused("The import ID cannot be null."),
        Err(error) => {
            let detail = format!("Invalid expression value: {}.", error.kind);
            let error = Diagnostic::new("Incorrect value type", expr.span, detail).explained(expr, scope);
            Err(WrongId::NotEvaluated(vec![error]))
        }
        Ok(id) if id.as_str() == Some("") => {
            refused("The import ID value evaluates to an empty string, please provide a non-empty value.")
        }
        Ok(id) => Ok(id),
    }
}

const WRONG_IDENTITY: &str = "Invalid import identity argument";

/// The type of the identity that an import may name, where a schema says it. Reports a type without identities.
pub(crate) fn identity_type(
    input: &PlanInput<'_>,
    block: ImportBlock<'_>,
    found: &mut Diagnostics,
) -> Result<Option<Type>, NoIdentity> {
    let address = block.absolute(&block.config.to.address);
    let Some(module) = input.config.module_of(&address.resource.module) else { return Ok(None) };
    let provider = input.config.provider_config_of(module, &resource_name(&address.resource)).provider;
    let resource_type = &address.resource.resource_type;
    input.schemas.identity_type(&provider, resource_type).inspect_err(|_| {
        let summary = format!("unknown identity type {resource_type:?}");
        found.without_place(Severity::Error, ("unknown_identity_type", summary), "");
    })
}

/// The identity of an import, which may be unknown, as an object of its type. Attributes that the type lacks are left out.
pub(crate) fn identity(
    expr: &Expr,
    scope: &Scope<'_>,
    functions: &Functions,
    ty: Option<&Type>,
) -> Result<Value, Vec<Diagnostic>> {
    let (value, errors) = evaluate(expr, scope, functions);
    if !errors.is_empty() {
        return Err(errors);
    }
    let wrong = |summary: &'static str, detail: String| {
        Err(vec![Diagnostic::new(summary, expr.span, detail).explained(expr, scope)])
    };
    if value.is_null() {
        return wrong(WRONG_IDENTITY, "The import identity cannot be null.".to_owned());
    }
    // Without a schema any object may be right.
    let any = Type::object::<&str>([]);
    match value.convert(ty.unwrap_or(&any)) {
        Err(error) => wrong("Incorrect value type", format!("Invalid expression value: {}.", error.kind)),
        Ok(identity) => Ok(if ty.is_some() { identity } else { value }),
    }
}
