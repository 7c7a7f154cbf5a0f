//! The walk before planning: everything that is wrong whatever the values of variables and resources will be.

use objchange::schema::Block;
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_hcl::{
    Condition, Decoded, Diagnostic, DiagnosticExt, Expr, Functions, ImportConfig, ModuleCall, Purpose,
    Reference, Scope, Span, VariableConfig, decode, evaluate, references, variables,
};
use smol_str::SmolStr;

use super::CheckStatus;
use super::check::{Checked, ReferenceContext, check};
use super::conditions::{self, Words, judge};
use super::expand::{self, Expansion};
use super::graph::{Graph, NodeKind, ProviderNode, ResourceNode, resource_text, schema_kind};
use super::input::PlanInput;
use super::instances::{Expanded, ModuleInstance, ModuleInstanceId, Repetition};
use super::secrets::ToldSecrets;
use super::subject::{Subject, SubjectKind};
use super::world::{World, dynamic};
use crate::diagnostics::PROVIDER;
use crate::functions::ModuleFunctions;
use crate::providers::Providers;
use crate::{Diagnostics, ModuleDiagnostic, Severity};

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
        let address = world.instances[parent].child_address(name, None);
        let mut instance = ModuleInstance::new(module, address, Some(parent));
        if let Some(call) = input.config.modules[parent].config.calls.get(name) {
            instance.repetition = repetition(call.count.as_ref(), call.for_each.as_ref());
        }
        let id = world.add_instance(instance);
        world.instances[parent].calls.insert(name.clone(), super::instances::Expanded::Single(id));
    }
    let functions = module_functions.of(0);
    let (found, secrets) = Default::default();
    let mut validator = Validator { input, graph, functions, world, providers, found, secrets };
    let mut failed = vec![false; graph.nodes.len()];
    for node in order {
        if graph.nodes[*node].needs.iter().any(|need| failed[*need]) {
            failed[*node] = true;
            continue;
        }
        let errors = validator.found.error_count();
        validator.functions = module_functions.of(graph.nodes[*node].scope);
        validator.node(*node);
        failed[*node] = validator.found.error_count() > errors;
    }
    validator.functions = functions;
    for import in &input.config.modules[0].config.imports {
        validator.import(import);
    }
    validator.found
}

/// What `count` and `each` are where nothing is known yet.
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
    secrets: ToldSecrets,
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
                    let detail = format!(
                        "Local value local.{name} cannot use its own result as part of its expression."
                    );
                    self.found.error("Self-referencing local value", own.span, detail);
                    return;
                }
                let value = self.evaluate_checked(at, &local.expr, checked, &[]);
                self.world.instances[at].locals.insert((*name).clone(), value);
            }
            NodeKind::Output(name, output) => {
                let place = ReferenceContext { module: node.module, ..ReferenceContext::default() };
                self.conditions(at, place, &output.preconditions, &conditions::OUTPUT);
                self.depends_on(node.module, &output.depends_on);
                let errors = self.found.error_count();
                let value = self.evaluate(at, place, &output.value);
                if node.module == 0 && self.found.error_count() == errors {
                    self.found.errors(super::outputs::refusals(output, &value));
                }
                self.world.instances[at].outputs.insert((*name).clone(), value);
            }
            NodeKind::Call(_, call) => self.call(at, node.module, call),
            NodeKind::CallClose(_) => {}
            NodeKind::Resource(resource) => self.resource(at, node.module, resource),
            NodeKind::Provider(provider) => self.provider(at, node.module, provider),
            NodeKind::Check(name, config) => {
                let place = ReferenceContext {
                    module: node.module,
                    check: Some(name),
                    ..ReferenceContext::default()
                };
                // What is wrong with the values of an assertion is found when it is judged.
                for assert in &config.asserts {
                    let checked = self.checked_condition(place, assert);
                    self.found.errors(checked.errors);
                }
            }
        }
    }

    fn check(&self, place: ReferenceContext<'_>, references: &[Reference<'_>]) -> Checked {
        check(self.input.config, self.graph, place, references)
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

    /// What `count`, `each` and `self` are at a place.
    fn names(&self, _at: ModuleInstanceId, place: ReferenceContext<'_>) -> Vec<(&'static str, Value)> {
        let repetition = Repetition {
            count_index: place.has_count.then(|| Value::unknown(Type::Number)),
            each: place.has_each.then(|| (Value::unknown(Type::String), dynamic())),
        };
        let mut names = repetition.names();
        if let Some(schema) = place.self_schema {
            names.push(("self", Value::unknown(schema.implied_type().clone())));
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

    fn validation(&mut self, at: ModuleInstanceId, name: &SmolStr, variable: &VariableConfig) {
        let module = self.world.instances[at].module;
        let place = ReferenceContext { module, ..ReferenceContext::default() };
        let reported = super::variable::reported_at(self.input.config, module, name, variable);
        // The rules judge the value itself, where it is known already.
        let actual = self.world.actual_variables.get(&(at, name.clone())).cloned();
        let usual = actual.and_then(|actual| self.world.instances[at].variables.insert(name.clone(), actual));
        for rule in &variable.validations {
            let checked = self.checked_condition(place, rule);
            if !checked.errors.is_empty() {
                self.found.errors(checked.errors);
                continue;
            }
            let variables = self.world.variables(self.graph, at, &checked.subjects);
            let judged = judge(rule, &Scope::new(&variables), self.functions, &conditions::VALIDATION);
            let found =
                super::variable::judged(self.input.config, rule, &Scope::new(&variables), &judged, reported);
            self.found.append(found);
        }
        if let Some(usual) = usual {
            self.world.instances[at].variables.insert(name.clone(), usual);
        }
    }

    fn checked_condition(&self, place: ReferenceContext<'_>, condition: &Condition) -> Checked {
        let mut all = variables(&condition.condition);
        all.extend(variables(&condition.error_message));
        self.check(place, &all)
    }

    fn call(&mut self, at: ModuleInstanceId, module: usize, call: &ModuleCall) {
        self.depends_on(module, &call.depends_on);
        let _ = self.expand(at, module, call.count.as_ref(), call.for_each.as_ref());
    }

    /// Checks `count` and `for_each`; whether the rest can be looked at.
    fn expand(
        &mut self,
        at: ModuleInstanceId,
        module: usize,
        count: Option<&Expr>,
        for_each: Option<&Expr>,
    ) -> bool {
        let Some(expr) = count.or(for_each) else { return true };
        let checked =
            self.check(ReferenceContext { module, ..ReferenceContext::default() }, &variables(expr));
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return count.is_none();
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let scope = Scope::new(&variables);
        let most = self.input.options.max_instances;
        let mut errors = Vec::new();
        let expansion = if count.is_some() {
            expand::count(expr, &scope, self.functions, most, &mut errors)
        } else {
            expand::for_each(expr, &scope, self.functions, most, &mut errors)
        };
        self.found.errors(errors);
        count.is_none() || !matches!(expansion, Expansion::Wrong)
    }

    /// An `import` block, as far as its values are known.
    fn import(&mut self, import: &ImportConfig) {
        let place = ReferenceContext { has_each: import.for_each.is_some(), ..ReferenceContext::default() };
        let errors = self.found.error_count();
        self.import_addresses(import);
        if self.found.error_count() > errors {
            return;
        }
        let Some(id) = &import.id else { return };
        let checked = self.check(place, &variables(id));
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return;
        }
        let values = self.world.variables(self.graph, 0, &checked.subjects);
        let names = self.names(0, place);
        let outer = Scope::new(&values);
        let (_, errors) = super::imports::identifier(id, &outer.with(&names), self.functions, false);
        self.found.errors(errors);
    }

    /// The addresses of an `import` block: one for each element of its `for_each` as far as that is known.
    fn import_addresses(&mut self, import: &ImportConfig) {
        let nothing = objchange_hcl::Variables::default();
        let instances = match &import.for_each {
            None => {
                if let Some(error) = import.to.without_for_each() {
                    self.found.errors([error]);
                    return;
                }
                Expanded::Single(Repetition::default())
            }
            Some(expr) => {
                let checked = self.check(ReferenceContext::default(), &variables(expr));
                if !checked.errors.is_empty() {
                    self.found.errors(checked.errors);
                    return;
                }
                let values = self.world.variables(self.graph, 0, &checked.subjects);
                let most = self.input.options.max_instances;
                let mut errors = Vec::new();
                let scope = Scope::new(&values);
                let expansion = expand::for_each(expr, &scope, self.functions, most, &mut errors);
                self.found.errors(errors);
                match expansion {
                    Expansion::Known(instances) => instances,
                    _ => return,
                }
            }
        };
        let outer = Scope::new(&nothing);
        for (_, repetition) in instances.iter() {
            let names = repetition.names();
            match import.to.resolve(&outer.with(&names), self.functions) {
                Ok(Some(address)) => {
                    let wrong = super::imports::wrong_target(self.input.config, import, &address);
                    self.found.errors(wrong);
                }
                Ok(None) => {}
                Err(errors) => self.found.errors(errors),
            }
        }
    }

    fn depends_on(&mut self, module: usize, items: &[Expr]) {
        for item in items {
            let checked =
                self.check(ReferenceContext { module, ..ReferenceContext::default() }, &variables(item));
            if let Some((_, span)) = checked.subjects.first().and_then(|subject| subject.rest.first()) {
                let detail = "References in depends_on must be to a whole object (resource, etc), not to an attribute of an object.";
                self.found.error("Invalid depends_on reference", *span, detail);
            }
            if checked.has_static_errors {
                let is_undeclared =
                    |error: &Diagnostic| error.summary.starts_with("Reference to undeclared re");
                self.found.errors(checked.errors.into_iter().filter(is_undeclared));
            }
        }
    }

    fn provider(&mut self, at: ModuleInstanceId, module: usize, provider: &ProviderNode<'_>) {
        let (Some(config), Some(schema)) = (provider.config, provider.schema) else { return };
        self.found.errors(provider.body_errors.iter().cloned());
        let place = ReferenceContext { module, ..ReferenceContext::default() };
        if let Some(decoded) = self.decode(at, place, &provider.body, &schema.block) {
            let value = &decoded.value;
            self.secrets.learn(&schema.block, value);
            let found = self.providers.validate(
                &provider.address,
                objchange::schema::SchemaKind::Provider,
                "",
                &value.unmark_deep().0,
            );
            let place = |path: &Path| match path.is_root() {
                true => config.header,
                false => super::resource::value_place(&provider.body, &decoded, path),
            };
            let address = provider.address.to_string();
            self.provider_diagnostics(found, Some(&address), &place);
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
        let referenced = references(body, schema, Purpose::Core);
        let checked = self.check(place, &referenced);
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return None;
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let names = self.names(at, place);
        let outer = Scope::new(&variables);
        let decoded = decode(body, schema, &outer.with(&names), self.functions);
        if decoded.errors.is_empty() {
            return Some(decoded);
        }
        self.found.errors(decoded.errors);
        None
    }

    fn resource(&mut self, at: ModuleInstanceId, module: usize, resource: &ResourceNode<'_>) {
        let ResourceNode { name, config, schema, .. } = resource;
        let Some(schema) = schema else {
            self.found.error("Invalid resource type", type_span(resource), self.unknown_type(resource));
            return;
        };
        let place = ReferenceContext {
            module,
            has_count: config.count.is_some(),
            has_each: config.for_each.is_some(),
            check: config.check.as_deref(),
            ..ReferenceContext::default()
        };
        self.depends_on(module, &config.depends_on);
        if !self.expand(at, module, config.count.as_ref(), config.for_each.as_ref()) {
            return;
        }
        self.found.errors(resource.body_errors.iter().cloned());
        let referenced = references(&resource.body, &schema.block, Purpose::Core);
        let own = own_references(resource, &referenced);
        // What refers to itself is told while planning.
        if own.is_empty()
            && let Some(decoded) = self.decode(at, place, &resource.body, &schema.block)
        {
            let address =
                super::resource::resource_address(&self.world.instances[at].address, name).to_string();
            self.found.append(super::resource::ephemeral_refusals(
                &address,
                &schema.block,
                &decoded.value,
                |path| super::resource::value_place(&resource.body, &decoded, path),
            ));
            self.secrets.learn(&schema.block, &decoded.value);
            let found = self.providers.validate(
                &resource.provider_config,
                schema_kind(name.mode),
                &name.resource_type,
                &decoded.value.unmark_deep().0,
            );
            self.provider_diagnostics(found, Some(&address), &|path| {
                super::resource::value_place(&resource.body, &decoded, path)
            });
        }
        let lifecycle = &config.lifecycle;
        self.found.append(super::resource::ignore_changes_problems(
            lifecycle,
            &schema.block,
            config.type_span,
        ));
        for condition in &lifecycle.preconditions {
            if !self.is_about_itself(resource, condition, "Invalid reference in precondition") {
                self.resource_condition(at, place, condition);
            }
        }
        let with_self = ReferenceContext { self_schema: Some(&schema.block), ..place };
        for condition in &lifecycle.postconditions {
            if !self.is_about_itself(resource, condition, "Invalid reference in postcondition") {
                self.resource_condition(at, with_self, condition);
            }
        }
        for provisioner in &resource.provisioners {
            self.generic_body(at, with_self, provisioner);
        }
    }

    /// A body whose schema is of no interest here.
    fn generic_body(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        body: &objchange_hcl::Body,
    ) {
        for attribute in &body.attributes {
            if attribute.name == "when" || attribute.name == "on_failure" {
                continue;
            }
            self.evaluate(at, place, &attribute.expr);
        }
        body.blocks.iter().for_each(|block| self.generic_body(at, place, &block.body));
    }

    fn unknown_type(&self, resource: &ResourceNode<'_>) -> String {
        let ResourceNode { name, provider, .. } = resource;
        let (word, other, other_word, keyword) = match name.mode {
            objchange::address::Mode::Managed => {
                ("resource type", objchange::address::Mode::Data, "data source", "data")
            }
            objchange::address::Mode::Data => {
                ("data source", objchange::address::Mode::Managed, "managed resource type", "resource")
            }
            objchange::address::Mode::Ephemeral => (
                "ephemeral resource type",
                objchange::address::Mode::Managed,
                "managed resource type",
                "resource",
            ),
        };
        let mut detail = format!(
            "The provider {} does not support {word} {:?}.",
            provider.for_display(),
            name.resource_type.as_str()
        );
        if let Ok(Some(_)) = self.input.schemas.get(provider, schema_kind(other), &name.resource_type) {
            let own = match name.mode {
                objchange::address::Mode::Managed => "resource",
                objchange::address::Mode::Data => "data",
                objchange::address::Mode::Ephemeral => "ephemeral",
            };
            let article = if own == "ephemeral" { "an" } else { "a" };
            detail.push_str(&format!(
                "\n\nDid you intend to use the {other_word} {:?}? If so, declare this using a {keyword:?} block instead of \
                 {article} {own:?} block.",
                name.resource_type.as_str()
            ));
        }
        detail
    }

    /// Reports a condition that refers to the resource that it is of; whether it does.
    fn is_about_itself(
        &mut self,
        resource: &ResourceNode<'_>,
        condition: &Condition,
        summary: &'static str,
    ) -> bool {
        let references =
            variables(&condition.condition).into_iter().chain(variables(&condition.error_message));
        let own = own_references(resource, &references.collect::<Vec<_>>());
        for subject in &own {
            self.found.error(summary, condition.condition.span, self_reference(subject));
        }
        !own.is_empty()
    }

    /// A condition that is only looked at: its types, and the names in it.
    fn resource_condition(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        condition: &Condition,
    ) {
        for (expr, ty) in [(&condition.condition, Type::Bool), (&condition.error_message, Type::String)] {
            let checked = self.check(place, &variables(expr));
            let has_static_errors = checked.has_static_errors;
            self.found.errors(checked.errors);
            let variables = if has_static_errors {
                objchange_hcl::Variables::default()
            } else {
                self.world.variables(self.graph, at, &checked.subjects)
            };
            let names = if has_static_errors { Vec::new() } else { self.names(at, place) };
            let outer = Scope::new(&variables);
            let (value, errors) = evaluate(expr, &outer.with(&names), self.functions);
            let is_right = errors.is_empty();
            self.found.errors(errors);
            if is_right && let Err(error) = value.unmark_deep().0.convert(&ty) {
                let detail = format!("Invalid expression value: {}.", error.kind);
                self.found.error("Incorrect value type", expr.span, detail);
            }
        }
    }

    fn conditions(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        all: &[Condition],
        words: &Words,
    ) {
        for condition in all {
            self.condition(at, place, condition, words);
        }
    }

    /// A condition that is judged already, as far as it is known.
    fn condition(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        condition: &Condition,
        words: &Words,
    ) {
        let checked = self.checked_condition(place, condition);
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            return;
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let scope = Scope::new(&variables);
        let judged = judge(condition, &scope, self.functions, words);
        self.found.errors(judged.errors);
        if judged.status == CheckStatus::Fail
            && let Some(message) = judged.message
        {
            let error = Diagnostic::new(words.failed, condition.condition.span, message);
            self.found.push(Severity::Error, error.explained(&condition.condition, &scope));
        }
    }

    fn provider_diagnostics(
        &mut self,
        found: Vec<objchange::change::Diagnostic>,
        address: Option<&str>,
        place: &dyn Fn(&Path) -> Span,
    ) {
        for diagnostic in self.secrets.cover(found) {
            let span = place(diagnostic.path.as_ref().unwrap_or(&Path::root()));
            let severity = match diagnostic.severity {
                objchange::change::Severity::Error => Severity::Error,
                _ => Severity::Warning,
            };
            self.found.add(ModuleDiagnostic {
                diagnostic: Diagnostic {
                    severity,
                    ..Diagnostic::new((PROVIDER, diagnostic.summary), span, diagnostic.detail)
                },
                address: address.map(str::to_owned),
            });
        }
    }
}

/// Where the type in the header of a resource is written.
fn type_span(resource: &ResourceNode<'_>) -> Span {
    resource.config.type_span
}

/// The references of a resource to itself.
pub(crate) fn own_references(resource: &ResourceNode<'_>, references: &[Reference<'_>]) -> Vec<Subject> {
    let subjects = references.iter().filter_map(|reference| super::subject::parse(reference).0);
    let is_own = |subject: &Subject| matches!(&subject.kind, SubjectKind::Resource { name, .. } if name == resource.name);
    subjects.filter(is_own).collect()
}

/// What is said of a reference of a resource to itself.
pub(crate) fn self_reference(subject: &Subject) -> String {
    let SubjectKind::Resource { name, key } = &subject.kind else { return String::new() };
    let mut address = resource_text(name);
    if let Some(key) = key {
        address.push_str(&super::subject::key_text(key));
    }
    format!("Configuration for {address} may not refer to itself.")
}
