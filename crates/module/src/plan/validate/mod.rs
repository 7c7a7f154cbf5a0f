//! The walk before planning: everything that is wrong whatever the values of variables and resources will be.

mod action;
mod condition;
mod import;
pub(super) mod resource;

pub(super) use action::without_block;

use objchange::change::ProviderSecrets;
use objchange::schema::Block;
use objchange::{Type, Value};
use objchange_hcl::{
    Body, Decoded, Diagnostic, Expr, Functions, ModuleCall, Purpose, Reference, Scope, Sources,
    VariableConfig, Variables, decode, evaluate, expanded_references, references, variables,
};
use smol_str::SmolStr;

use super::check::{Checked, ReferenceContext, SelfObject, check};
use super::conditions::{self};
use super::evaluated::{World, dynamic};
use super::expand;
use super::graph::{ActionRules, Graph, NodeKind};
use super::input::PlanInput;
use super::instances::{ModuleInstance, ModuleInstanceId, Repetition};
use crate::functions::ModuleFunctions;
use crate::providers::Providers;
use crate::subject::{Subject, SubjectKind};
use crate::versions::since;
use crate::{Diagnostics, Severity};

/// Validates all modules; true for each node that has no value, because of its own errors or those of what it needs.
pub(crate) fn validate(
    input: &PlanInput<'_>,
    graph: &Graph<'_>,
    order: &[usize],
    module_functions: &ModuleFunctions,
    providers: &mut dyn Providers,
) -> Diagnostics {
    let mut world = World::new(input.config, input.options, true);
    for (module, loaded) in input.config.modules.iter().enumerate().skip(1) {
        let Some(parent) = loaded.parent else { continue };
        let Some(name) = loaded.path.last() else { continue };
        // Each module has one instance while validating. With `count = 0`, too, Terraform finds the errors in it.
        let address = world.instances[parent].child_address(name, None);
        let mut instance = ModuleInstance::new(module, address, Some(parent));
        if let Some(call) = input.config.modules[parent].config.calls.get(name) {
            instance.repetition = repetition(call.count.as_ref(), call.for_each.as_ref());
        }
        let id = world.add_instance(instance);
        world.instances[parent].calls.insert(name.clone(), super::instances::Expanded::Single(id));
    }
    let functions = module_functions.of_module(0);
    let (found, secrets) = Default::default();
    let mut validator = Validator { input, graph, functions, world, providers, found, secrets };
    let mut failed = vec![false; graph.nodes.len()];
    for node in order {
        if graph.nodes[*node].needs.iter().any(|need| failed[*need]) {
            failed[*node] = true;
            continue;
        }
        let errors = validator.found.error_count();
        validator.functions = module_functions.of_module(graph.nodes[*node].scope);
        validator.node(*node);
        failed[*node] = validator.found.error_count() > errors;
    }
    // Their configurations need what the graph does not put before them.
    for node in &graph.nodes {
        if let NodeKind::Action(action) = &node.kind {
            validator.functions = module_functions.of_module(node.scope);
            validator.action(node.module, action);
        }
    }
    for import in super::graph::imports(input.config) {
        validator.functions = module_functions.of_module(import.module);
        validator.import(import);
    }
    // Terraform 1.15 repeats what it says here, such as for each call of a module. While planning it repeats nothing.
    validator.found.keep_all();
    validator.found
}

/// `count` and `each` before anything is known.
fn repetition(count: Option<&Expr>, for_each: Option<&Expr>) -> Repetition {
    Repetition {
        count_index: count.map(|_| Value::unknown(Type::Number)),
        each: for_each.map(|_| (Value::unknown(Type::String), dynamic())),
    }
}

struct Validator<'i, 'c> {
    input: &'i PlanInput<'c>,
    graph: &'i Graph<'c>,
    /// Those of the module whose expressions are checked.
    functions: &'i Functions,
    world: World<'c>,
    providers: &'i mut dyn Providers,
    found: Diagnostics,
    secrets: ProviderSecrets,
}

impl<'c> Validator<'_, 'c> {
    fn node(&mut self, index: usize) {
        let graph = self.graph;
        let node = &graph.nodes[index];
        // There is one instance of each module here, and it has the number of the module.
        let at = self.world.by_module[node.module][0];
        match &node.kind {
            NodeKind::Variable(name, variable) => self.variable(at, name, variable),
            NodeKind::Validation(name, variable) => self.validation(at, name, variable),
            NodeKind::Local(name, local) => {
                let is_own = |subject: &SubjectKind| *subject == SubjectKind::Local((*name).clone());
                let references = variables(&local.expr);
                let checked = self.check(
                    ReferenceContext { module: node.module, ..ReferenceContext::default() },
                    &references,
                );
                if let Some(own) = checked.subjects.iter().find(|subject| is_own(&subject.kind)) {
                    let module = &self.world.instances[at].address;
                    let prefix = if module.is_root() { String::new() } else { format!("{module}.") };
                    let detail = format!(
                        "Local value {prefix}local.{name} cannot use its own result as part of its expression."
                    );
                    // Told while validating, so that the graph has no cycle of one node. Terraform 1.11 says
                    // it twice, 1.15 once.
                    self.found.error("Self-referencing local value", own.span, detail);
                    return;
                }
                let value = self.evaluate_checked(at, &local.expr, checked, &[]);
                self.world.instances[at].locals.insert((*name).clone(), value);
            }
            NodeKind::Output(name, output) => {
                let place = ReferenceContext { module: node.module, ..ReferenceContext::default() };
                let errors = self.found.error_count();
                self.conditions(at, place, &output.preconditions, &conditions::OUTPUT);
                if self.found.error_count() > errors {
                    return;
                }
                self.depends_on(node.module, &output.depends_on);
                let errors = self.found.error_count();
                let value = self.evaluate(at, place, &output.value);
                let value = match super::outputs::convert(output, value) {
                    Ok(value) => value,
                    Err(error) => {
                        self.found.push(Severity::Error, *error);
                        return;
                    }
                };
                // Outputs of modules carry no ephemeral mark during validation; before 1.13 they could not be passed
                // on.
                let is_passed_on = node.subjects.iter().any(|s| matches!(s.kind, SubjectKind::Module { .. }));
                let is_marked = since(self.input.options.version, "1.13") && is_passed_on;
                if self.found.error_count() == errors && !(output.ephemeral && is_marked && node.module != 0)
                {
                    self.found.errors(super::outputs::refusal(
                        self.input.config,
                        output,
                        node.module == 0,
                        &value,
                    ));
                }
                self.world.instances[at].outputs.insert((*name).clone(), value);
            }
            NodeKind::Call(name, call) => {
                self.deprecated_arguments(node.module, name, call);
                self.call(at, node.module, call);
            }
            NodeKind::CallClose(_) => {}
            NodeKind::Resource(resource) => self.resource(at, node.module, resource),
            NodeKind::Provider(provider) => self.provider(at, node.module, provider),
            NodeKind::Action(_) => {}
            NodeKind::Check(name, config) => {
                let place = ReferenceContext {
                    module: node.module,
                    check: Some(name),
                    ..ReferenceContext::default()
                };
                for assert in &config.asserts {
                    self.assertion(at, place, assert);
                }
            }
        }
    }

    fn check(&self, place: ReferenceContext<'_>, references: &[Reference<'_>]) -> Checked {
        check(self.input.config, self.graph, place, references, self.functions)
    }

    /// The value of an expression whose references are right; an unknown one otherwise.
    fn evaluate(&mut self, at: ModuleInstanceId, place: ReferenceContext<'_>, expr: &Expr) -> Value {
        let checked = self.check(place, &variables(expr));
        let names = self.names(at, place);
        self.evaluate_checked(at, expr, checked, &names)
    }

    fn evaluate_checked(
        &mut self,
        at: ModuleInstanceId,
        expr: &Expr,
        checked: Checked,
        names: &[(&'static str, Value)],
    ) -> Value {
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return dynamic();
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let outer = Scope::new(&variables);
        let (value, errors) = evaluate(expr, &outer.with(names), self.functions);
        self.found.errors(errors);
        value
    }

    /// The values of `count`, `each` and `self` at a place.
    fn names(&self, _at: ModuleInstanceId, place: ReferenceContext<'_>) -> Vec<(&'static str, Value)> {
        let repetition = Repetition {
            count_index: place.has_count.then(|| Value::unknown(Type::Number)),
            each: place.has_each.then(|| (Value::unknown(Type::String), dynamic())),
        };
        let mut names = repetition.names();
        match place.self_object {
            SelfObject::OfSchema(schema) => {
                names.push(("self", Value::unknown(schema.implied_type().clone())));
            }
            SelfObject::Anything => names.push(("self", dynamic())),
            SelfObject::Absent | SelfObject::OfUnknownType { .. } => {}
        }
        match place.caller {
            SelfObject::OfSchema(schema) => {
                names.push(("caller", Value::unknown(schema.implied_type().clone())));
            }
            SelfObject::Anything => names.push(("caller", dynamic())),
            SelfObject::Absent | SelfObject::OfUnknownType { .. } => {}
        }
        names
    }

    fn variable(&mut self, at: ModuleInstanceId, name: &SmolStr, variable: &VariableConfig) {
        let marks = super::variable::marks(variable);
        let ty = variable.ty.as_ref().map_or(Type::Dynamic, |ty| ty.ty().without_optional());
        let parent = self.world.instances[at].parent;
        let module = self.world.instances[at].module;
        let call = super::variable::call_of(self.input.config, module);
        if let (Some(parent), Some(call)) = (parent, call) {
            let argument = call.arguments.iter().find(|argument| argument.name == *name);
            let actual = match argument {
                Some(argument) => {
                    let place = ReferenceContext {
                        module: self.world.instances[parent].module,
                        has_count: call.count.is_some(),
                        has_each: call.for_each.is_some(),
                        ..ReferenceContext::default()
                    };
                    let errors = self.found.error_count();
                    let value = self.evaluate(parent, place, &argument.expr);
                    if self.found.error_count() > errors {
                        return;
                    }
                    let address = self.world.instances[at].address.clone();
                    match super::variable::convert_argument(
                        self.input,
                        &address,
                        name,
                        variable,
                        &argument.expr,
                        &value,
                    ) {
                        Ok(value) => value,
                        Err(error) => {
                            self.found.push(Severity::Error, *error);
                            return;
                        }
                    }
                }
                None => variable.default.clone().unwrap_or_else(dynamic),
            };
            self.world.actual_variables.insert((at, name.clone()), actual.with_marks(marks));
        }
        self.world.instances[at].variables.insert(name.clone(), Value::unknown(ty).with_marks(marks));
    }

    fn call(&mut self, at: ModuleInstanceId, module: usize, call: &ModuleCall) {
        self.depends_on(module, &call.depends_on);
        self.expand(at, module, call.count.as_ref(), call.for_each.as_ref());
        self.settings(module, call.enabled.iter());
        let place = ReferenceContext {
            module,
            has_count: call.count.is_some(),
            has_each: call.for_each.is_some(),
            ..ReferenceContext::default()
        };
        for key in call.providers.iter().filter_map(|(_, outside)| outside.key.as_ref()) {
            self.evaluate(at, place, key);
        }
    }

    /// Checks the references of settings that OpenTofu evaluates: `enabled`, `prevent_destroy`.
    fn settings<'e>(&mut self, module: usize, settings: impl IntoIterator<Item = &'e Expr>) {
        for expr in settings {
            let place = ReferenceContext { module, ..ReferenceContext::default() };
            let checked = self.check(place, &variables(expr));
            self.found.errors(checked.errors);
        }
    }

    /// Warns of arguments for deprecated variables.
    fn deprecated_arguments(&mut self, module: usize, name: &SmolStr, call: &ModuleCall) {
        let modules = &self.input.config.modules;
        let Some(child) = modules[module].children.get(name) else { return };
        for argument in &call.arguments {
            let variable = modules[*child].config.variables.get(&argument.name);
            // A null argument does not use the variable.
            let names = Variables::default();
            let is_null = variables(&argument.expr).is_empty()
                && evaluate(&argument.expr, &Scope::new(&names), self.functions).0.is_null();
            if is_null {
                continue;
            }
            if let Some((why, _)) = variable.and_then(|variable| variable.deprecated.as_ref()) {
                let place = argument.name_span.to(argument.expr.span);
                let warning = Diagnostic::warning("Deprecated variable got a value", place, why.clone());
                self.found.push(Severity::Warning, warning);
            }
        }
    }

    /// Checks `count` and `for_each`.
    fn expand(&mut self, at: ModuleInstanceId, module: usize, count: Option<&Expr>, for_each: Option<&Expr>) {
        let Some(expr) = count.or(for_each) else { return };
        let checked =
            self.check(ReferenceContext { module, ..ReferenceContext::default() }, &variables(expr));
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return;
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let scope = Scope::new(&variables);
        let most = self.input.options.max_instances;
        let mut errors = Vec::new();
        if count.is_some() {
            expand::count(expr, &scope, self.functions, most, &mut errors);
        } else {
            expand::for_each(expr, &scope, self.functions, most, &mut errors);
        }
        self.found.errors(errors);
    }

    /// Checks `depends_on`, up to the first reference that is wrong. The `count` or `for_each` of a resource is nothing that
    /// it could depend on, even where it has that.
    fn depends_on(&mut self, module: usize, items: &[Expr]) {
        for item in items {
            let checked =
                self.check(ReferenceContext { module, ..ReferenceContext::default() }, &variables(item));
            let is_action = |subject: &Subject| matches!(subject.kind, SubjectKind::Action(_));
            if self.graph.actions != ActionRules::Unknown && checked.subjects.iter().any(is_action) {
                let detail = "The depends_on attribute cannot reference action blocks directly. You must reference a \
                              resource or data source instead.";
                self.found.error("Invalid depends_on Action Reference", item.span, detail);
                return;
            }
            if let Some((_, span)) = checked.subjects.first().and_then(|subject| subject.rest.first()) {
                let detail = "References in depends_on must be to a whole object (resource, etc), not to an attribute of an object.";
                // Whole objects are accepted, variables too; an attribute is not, since dependencies are
                // between objects.
                self.found.error("Invalid depends_on reference", *span, detail);
                return;
            }
            if !checked.errors.is_empty() {
                self.found.errors(checked.errors);
                return;
            }
        }
    }

    /// The object of a body, if nothing is wrong with it.
    fn decode<'b>(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        body: &'b objchange_hcl::Body,
        schema: &Block,
    ) -> Option<Decoded<'b>> {
        let names = self.names(at, place);
        // The contents of a dynamic block count once it generates a block.
        let needed = self.check(place, &references(body, schema, Purpose::Expansion));
        if !needed.errors.is_empty() {
            self.found.errors(needed.errors);
            return None;
        }
        let variables = self.world.variables(self.graph, at, &needed.subjects);
        let outer = Scope::new(&variables);
        let referenced = expanded_references(body, schema, &outer.with(&names), self.functions);
        let checked = self.check(place, &referenced);
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return None;
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let outer = Scope::new(&variables);
        let decoded = decode(body, schema, &outer.with(&names), self.functions);
        if decoded.errors.is_empty() {
            return Some(decoded);
        }
        let sources = &self.input.config.sources;
        let mut errors = decoded.errors;
        errors.iter_mut().for_each(|error| name_first_block(error, body, sources));
        self.found.errors(errors);
        None
    }
}

/// Says where the first block is, in the error about a second one where only one may be.
fn name_first_block(error: &mut Diagnostic, body: &Body, sources: &Sources) {
    if !error.detail.starts_with("Only one block of type ") || error.detail.contains("Previous definition") {
        return;
    }
    let Some(subject) = error.subject else { return };
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        let second = body.blocks.iter().find(|block| block.header == subject);
        if let Some(second) = second
            && let Some(first) = body.blocks.iter().find(|block| block.kind == second.kind)
        {
            let place = sources.places().describe(first.header);
            error.detail = format!("{} Previous definition was at {place}.", error.detail).into();
            return;
        }
        open.extend(body.blocks.iter().map(|block| &block.body));
    }
}
