//! The planning walk: every node in order, in every instance of its module.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use objchange::address::{InstanceAddress, InstanceKey, ModuleAddress, ResourceAddress};
use objchange::{Type, Value};
use objchange_hcl::{
    Diagnostic, DiagnosticExt, Expr, Functions, ModuleCall, OutputConfig, Scope, Span, evaluate,
};
use smol_str::SmolStr;

use super::checks::Checks;
use super::conditions::{self, judge, judge_validation};
use super::expand::{self, Expansion};
use super::graph::{Graph, NodeKey, NodeKind};
use super::imports::Import;
use super::input::{PlanInput, PlanMode};
use super::instances::{Expanded, ModuleInstance, ModuleInstanceId, Repetition};
use super::orphans::resource_name;
use super::pending::Pending;
use super::secrets::ToldSecrets;
use super::targets::Targets;
use super::world::{World, dynamic};
use super::{CheckKind, CheckStatus, ModulePlan, PlannedAction, PlannedObject};
use crate::apply::Applying;
use crate::config::ModuleId;
use crate::diagnostics::PROVIDER;
use crate::functions::ModuleFunctions;
use crate::providers::Providers;
use crate::state::{PriorState, Removals, StateObject, StateOutput, StateResource};
use crate::{ConditionOwner, Diagnostics, ModuleDiagnostic, ProviderConfigAddress, Severity};

/// Everything that the walk knows and finds.
pub(crate) struct Walk<'i, 'c> {
    pub(crate) input: &'i PlanInput<'c>,
    pub(crate) graph: &'i Graph<'c>,
    pub(crate) module_functions: &'i ModuleFunctions,
    /// Those of the module whose expressions are evaluated.
    pub(crate) functions: &'i Functions,
    pub(crate) world: World<'c>,
    pub(crate) providers: &'i mut dyn Providers,
    pub(crate) targets: &'i Targets,
    /// The state after moves: what is planned for. Refreshed and imported objects replace the old ones.
    pub(crate) state: PriorState,
    /// The old addresses of what was moved, by the new ones.
    pub(crate) moved: &'i BTreeMap<InstanceAddress, InstanceAddress>,
    /// The instances that the configuration declares.
    pub(crate) declared: HashSet<InstanceAddress>,
    /// What the configuration wants to exist; what else is in the state is an orphan.
    pub(crate) wanted: HashSet<InstanceAddress>,
    pub(crate) plan: ModulePlan,
    pub(crate) found: Diagnostics,
    pub(crate) checks: Checks,
    /// The changes that are still to be made.
    pub(crate) pending: Pending,
    /// Where each planned object is in the plan.
    pub(crate) changes: HashMap<ResourceAddress, BTreeMap<Option<InstanceKey>, usize>>,
    /// What is imported, by the address it gets.
    pub(crate) imports: BTreeMap<InstanceAddress, Import>,
    /// What is forgotten and not destroyed.
    pub(crate) removals: &'i Removals,
    /// What was forgotten.
    pub(crate) forgotten: Vec<InstanceAddress>,
    /// The nodes whose values come from what a provider was not there to say, with what that is.
    pub(crate) unanswered: Vec<BTreeSet<String>>,
    /// The resources whose replacements are created first.
    pub(crate) creates_first: Vec<bool>,
    pub(crate) instance_count: usize,
    /// The resources with objects that must not be destroyed, and would be.
    pub(crate) prevented: Vec<usize>,
    /// What is said of the objects that a plan to destroy everything destroys: nothing, if something was wrong before.
    pub(crate) found_at_destroy: Diagnostics,
    /// The nodes that have no value because of an error.
    pub(crate) failed: Vec<bool>,
    /// What the state will hold of objects that are replaced, where that is other than planned: only what is sensitive in
    /// their configuration is so there, not what is sensitive in their schemas.
    pub(crate) replaced: HashMap<InstanceAddress, Value>,
    /// What providers were told that must not be shown.
    pub(crate) secrets: ToldSecrets,
    /// The provider configurations that were given to providers, and whether these took them.
    pub(crate) configured: HashMap<ProviderConfigAddress, bool>,
    /// The checks that are not judged, because a data source in them could not be read. That is no error.
    pub(crate) unread_checks: HashSet<(ModuleId, SmolStr)>,
    /// The plan that is applied; `None` while planning.
    pub(crate) applying: Option<Applying<'i>>,
}

impl<'c> Walk<'_, 'c> {
    /// Walks all nodes in this order.
    pub(crate) fn run(&mut self, order: &[usize]) {
        self.failed = vec![false; self.graph.nodes.len()];
        // What validation has called is not asked here.
        let _ = self.module_functions.take_unanswered();
        for index in order.iter().copied() {
            let node = &self.graph.nodes[index];
            if !self.targets.includes(index) {
                self.skip(index);
                continue;
            }
            // A check is there even if what it looks at is not, unless that is its module.
            let is_check = matches!(node.kind, NodeKind::Check(..));
            if is_check && !self.call_failed(node.module) {
                self.open_checks(index);
            }
            if node.needs.iter().any(|need| self.failed[*need]) {
                self.failed[index] = true;
                self.skip(index);
                continue;
            }
            if let NodeKind::Check(name, _) = &node.kind
                && self.unread_checks.contains(&(node.module, (*name).clone()))
            {
                continue;
            }
            if !is_check {
                self.open_checks(index);
            }
            for need in &node.needs {
                if matches!(self.graph.nodes[*need].kind, NodeKind::Provider(_)) {
                    continue;
                }
                let inherited = self.unanswered[*need].clone();
                self.unanswered[index].extend(inherited);
            }
            self.pending.enter(self.graph, index);
            let errors = self.found.error_count();
            self.functions = self.module_functions.of(self.graph.nodes[index].scope);
            self.node(index);
            self.unanswered[index].extend(self.module_functions.take_unanswered());
            self.failed[index] = self.found.error_count() > errors;
        }
    }

    /// Takes back what is not planned because something that needs it cannot be destroyed: objects are destroyed after all
    /// that need them.
    pub(crate) fn undo_blocked_destroys(&mut self) {
        if self.input.options.mode != PlanMode::Destroy || self.prevented.is_empty() {
            return;
        }
        let blocked = self.graph.reachable(self.prevented.iter().copied());
        let is_blocked = |address: &ResourceAddress| {
            let module = self.input.config.module_of(&address.module);
            let key = module.map(|module| NodeKey::Resource(module, resource_name(address)));
            key.and_then(|key| self.graph.find(&key)).is_some_and(|node| blocked[node])
        };
        self.plan.changes.retain(|change| !is_blocked(&change.address.resource));
    }

    /// Says which objects have conditions, whether these are judged or not.
    pub(crate) fn declare_checks(&mut self) {
        for node in &self.graph.nodes {
            let path = &self.input.config.modules[node.module].path;
            if let Some((kind, name, conditions)) = conditions_of(&node.kind) {
                self.checks.declare(kind, path, &name, conditions);
            }
        }
    }

    /// The variables of the root module as a document has them: as they were given, else their defaults.
    pub(crate) fn show_variables(&mut self) {
        for (name, variable) in &self.input.config.modules[0].config.variables {
            let given = self.input.variables.get(name).map(|given| &given.value);
            let shown = given.filter(|_| !variable.ephemeral).or(variable.default.as_ref());
            if let Some(shown) = shown {
                let shown = shown.clone().with_marks(super::variable::marks(variable));
                self.plan.variables.insert(name.clone(), shown);
            }
        }
    }

    /// Says that the conditions of the outputs of the root module could be judged.
    pub(crate) fn open_root_outputs(&mut self) {
        let graph = self.graph;
        let is_output = |index: &usize| matches!(graph.nodes[*index].kind, NodeKind::Output(..));
        (0..graph.nodes.len()).filter(is_output).for_each(|index| self.open_checks(index));
    }

    /// Says that the instances of a node with conditions are known.
    fn open_checks(&mut self, index: usize) {
        let node = &self.graph.nodes[index];
        let Some((kind, name, _)) = conditions_of(&node.kind) else { return };
        // Of what is destroyed only the outputs of the root module are looked at.
        let is_output = kind == CheckKind::OutputValue && node.module == 0;
        if !is_output && self.input.options.mode == PlanMode::Destroy {
            return;
        }
        self.checks.expand(kind, &self.input.config.modules[node.module].path, &name);
        if kind != CheckKind::Resource {
            for at in &self.world.by_module[node.module] {
                self.checks.open(kind, &self.world.instances[*at].address, &name, None);
            }
        }
    }

    /// Whether the instances of a module are not known because of an error.
    fn call_failed(&self, module: ModuleId) -> bool {
        let loaded = &self.input.config.modules[module];
        let call = loaded.parent.zip(loaded.path.last());
        let call = call.and_then(|(parent, name)| self.graph.find(&NodeKey::Call(parent, name.clone())));
        call.is_some_and(|call| self.failed[call])
    }

    /// A node that cannot be evaluated: its objects in the state are no orphans.
    fn skip(&mut self, index: usize) {
        let node = &self.graph.nodes[index];
        if let NodeKind::Resource(resource) = &node.kind {
            for at in self.world.by_module[node.module].clone() {
                let address =
                    super::resource::resource_address(&self.world.instances[at].address, resource.name);
                if let Some(known) = self.state.resources.get(&address) {
                    let keys: Vec<_> = known.instances.keys().cloned().collect();
                    self.wanted.extend(
                        keys.into_iter().map(|key| InstanceAddress { resource: address.clone(), key }),
                    );
                }
            }
        }
    }

    fn node(&mut self, index: usize) {
        let graph = self.graph;
        let node = &graph.nodes[index];
        let mut instances = self.world.by_module[node.module].clone();
        if !self.input.options.overridden_modules.is_empty() {
            self.leave_overridden(&node.kind, &mut instances);
        }
        match &node.kind {
            NodeKind::Variable(name, variable) => {
                instances.into_iter().for_each(|at| self.variable(index, at, name, variable));
            }
            NodeKind::Validation(name, variable) => {
                for at in instances {
                    self.validation(index, at, name, variable);
                }
            }
            NodeKind::Local(name, local) => {
                for at in instances {
                    if let Some(value) = self.evaluate(index, at, &local.expr, &[]) {
                        self.world.instances[at].locals.insert((*name).clone(), value);
                    }
                }
            }
            NodeKind::Output(name, output) => {
                instances.into_iter().for_each(|at| self.output(index, at, name, output));
            }
            NodeKind::Call(name, call) => {
                instances.into_iter().for_each(|at| self.call(index, at, name, call));
            }
            NodeKind::CallClose(_) => {}
            NodeKind::Resource(resource) if self.applying.is_some() => {
                self.apply_resource(index, resource, instances);
            }
            NodeKind::Resource(resource) => self.resource(index, resource, instances),
            NodeKind::Provider(provider) => self.provider(index, provider),
            NodeKind::Check(name, config) => {
                if self.input.options.mode == PlanMode::Destroy {
                    return;
                }
                for at in instances {
                    self.check(index, at, name, config);
                }
            }
        }
    }

    /// Takes out the instances of a module of which nothing is made, after their outputs have got their values.
    fn leave_overridden(&mut self, kind: &NodeKind<'c>, instances: &mut Vec<ModuleInstanceId>) {
        if matches!(kind, NodeKind::Variable(..) | NodeKind::Validation(..)) {
            return;
        }
        instances.retain(|at| {
            let instance = &mut self.world.instances[*at];
            let Some(outputs) = &instance.overridden else { return true };
            if let NodeKind::Output(name, output) = kind {
                let value = outputs.attribute(name).cloned().unwrap_or_else(|| Value::null(Type::Dynamic));
                let value = value.with_marks(super::outputs::marks(output, self.input.options.version));
                instance.outputs.insert((*name).clone(), value);
            }
            false
        });
    }

    /// The value of an expression; none where it is wrong.
    pub(crate) fn evaluate(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        expr: &Expr,
        names: &[(&'static str, Value)],
    ) -> Option<Value> {
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let outer = Scope::new(&variables);
        let (value, errors) = evaluate(expr, &outer.with(names), self.functions);
        let is_right = errors.is_empty();
        self.found.errors(errors);
        is_right.then_some(value)
    }

    fn variable(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        name: &SmolStr,
        variable: &objchange_hcl::VariableConfig,
    ) {
        let marks = super::variable::marks(variable);
        let module = self.graph.nodes[index].module;
        let call = super::variable::call_of(self.input.config, module);
        let parent = self.world.instances[at].parent;
        let value = match (call, parent) {
            (Some(call), Some(parent)) => {
                match call.arguments.iter().find(|argument| argument.name == *name) {
                    None => variable.default.clone(),
                    Some(argument) => {
                        let names = self.world.instances[at].repetition.names();
                        let Some(value) = self.evaluate(index, parent, &argument.expr, &names) else {
                            return;
                        };
                        let address = self.world.instances[at].address.clone();
                        match super::variable::convert_argument(
                            self.input,
                            &address,
                            name,
                            variable,
                            &argument.expr,
                            &value,
                        ) {
                            Ok(value) => Some(value),
                            Err(error) => {
                                self.found.push(Severity::Error, *error);
                                return;
                            }
                        }
                    }
                }
            }
            _ => {
                let given = self.input.variables.get(name);
                if given.is_some() && self.applying.is_none() {
                    self.warn_of_deprecated(variable);
                }
                match super::variable::root_value(self.input.config, name, variable, given) {
                    Ok(value) => value,
                    Err(error) => {
                        self.found.push(Severity::Error, *error);
                        return;
                    }
                }
            }
        };
        let value = value.unwrap_or_else(dynamic).with_marks(marks);
        self.world.instances[at].variables.insert(name.clone(), value);
    }

    /// Says that the value of a variable is not wanted any more.
    fn warn_of_deprecated(&mut self, variable: &objchange_hcl::VariableConfig) {
        let Some((why, span)) = &variable.deprecated else { return };
        if !super::input::since(self.input.options.version, "1.15") {
            return;
        }
        let warning = Diagnostic::warning("Deprecated variable got a value", *span, why.clone());
        let context = Some(variable.header.to(*span));
        self.found.push(Severity::Warning, Diagnostic { context, ..warning });
    }

    fn validation(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        name: &SmolStr,
        variable: &objchange_hcl::VariableConfig,
    ) {
        let module = self.graph.nodes[index].module;
        let given = self.input.variables.get(name).filter(|_| module == 0);
        let in_file = given.filter(|given| given.origin.is_empty()).and_then(|given| given.span);
        let reported =
            in_file.or_else(|| super::variable::reported_at(self.input.config, module, name, variable));
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let owner = ConditionOwner {
            kind: CheckKind::InputVariable,
            module: self.world.instances[at].address.clone(),
            name: name.to_string(),
            key: None,
        };
        let mut statuses = Vec::new();
        let mut problems = Vec::new();
        for rule in &variable.validations {
            let judged = judge_validation(rule, &scope, self.functions);
            let found = super::variable::judged(self.input.config, rule, &scope, &judged, reported, &owner);
            self.found.append(found);
            statuses.push(judged.status);
            problems.extend(judged.problem);
        }
        // What is destroyed has no results, although rules that do not hold are errors then too.
        if self.input.options.mode != PlanMode::Destroy {
            self.checks.instance(CheckKind::InputVariable, &owner.module, name, None, &statuses, problems);
        }
    }

    fn output(&mut self, index: usize, at: ModuleInstanceId, name: &SmolStr, output: &OutputConfig) {
        let module = self.graph.nodes[index].module;
        let is_root = module == 0;
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let errors = self.found.error_count();
        if !output.preconditions.is_empty() && self.input.options.mode != PlanMode::Destroy {
            let owner = ConditionOwner {
                kind: CheckKind::OutputValue,
                module: self.world.instances[at].address.clone(),
                name: name.to_string(),
                key: None,
            };
            let mut statuses = Vec::new();
            let mut problems = Vec::new();
            for condition in &output.preconditions {
                let judged = judge(condition, &scope, self.functions, &conditions::OUTPUT);
                self.report_condition(condition, &scope, &conditions::OUTPUT, &judged, &owner);
                statuses.push(judged.status);
                problems.extend(judged.problem);
            }
            self.checks.instance(CheckKind::OutputValue, &owner.module, name, None, &statuses, problems);
        }
        if self.found.error_count() > errors {
            return;
        }
        let (value, errors) = evaluate(&output.value, &scope, self.functions);
        if !errors.is_empty() {
            self.found.errors(errors);
            return;
        }
        if let Some(refusal) = super::outputs::refusal(output, is_root, &value) {
            self.found.push(Severity::Error, refusal);
            return;
        }
        if is_root {
            if self.input.options.mode == PlanMode::Destroy {
                // The state has the new values before all of them are deleted.
                let (new, _) = value.unmark_deep();
                if new.is_null() {
                    self.state.outputs.remove(name);
                } else if new.is_wholly_known() {
                    let new = StateOutput { value: new, sensitive: output.sensitive };
                    self.state.outputs.insert(name.clone(), new);
                }
                return;
            }
            if self.applying.is_some() {
                self.apply_output(name, output, &value);
            } else {
                let before = self.input.state.outputs.get(name);
                self.plan.outputs.insert(name.clone(), super::outputs::planned(&value, output, before));
            }
        }
        let marks = super::outputs::marks(output, self.input.options.version);
        self.world.instances[at].outputs.insert(name.clone(), value.with_marks(marks));
    }

    fn call(&mut self, index: usize, at: ModuleInstanceId, name: &SmolStr, call: &ModuleCall) {
        let module = self.graph.nodes[index].module;
        let Some(child) = self.input.config.modules[module].children.get(name).copied() else { return };
        let Some(expansion) = self.expand(index, at, call.count.as_ref(), call.for_each.as_ref()) else {
            return;
        };
        let parent_undecided = self.world.instances[at].is_undecided;
        let is_undecided = parent_undecided || matches!(expansion, Expanded::Undecided(_));
        let mut made = Vec::new();
        let instances = expansion.map(|key, repetition| {
            let address = self.world.instances[at].child_address(name, key);
            let mut instance = ModuleInstance::new(child, address, Some(at));
            instance.repetition = repetition.clone();
            instance.is_undecided = is_undecided;
            let around = self.world.instances[at].overridden.clone();
            instance.overridden =
                around.or_else(|| self.input.options.overridden(&instance.address).cloned());
            made.push(instance);
            made.len() - 1
        });
        let first = self.world.instances.len();
        for instance in made {
            self.world.add_instance(instance);
        }
        let instances = instances.map(|_, position| first + position);
        self.world.instances[at].calls.insert(name.clone(), instances);
    }

    /// The instances that `count` or `for_each` gives; none where these are wrong.
    pub(crate) fn expand(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        count: Option<&Expr>,
        for_each: Option<&Expr>,
    ) -> Option<Expanded<Repetition>> {
        let Some(expr) = count.or(for_each) else { return Some(expand::single()) };
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let most = self.input.options.max_instances.saturating_sub(self.instance_count);
        let mut errors = Vec::new();
        let expansion = if count.is_some() {
            expand::count(expr, &scope, self.functions, most, &mut errors)
        } else {
            expand::for_each(expr, &scope, self.functions, most, &mut errors)
        };
        self.found.errors(errors);
        self.unanswered[index].extend(self.module_functions.take_unanswered());
        match expansion {
            Expansion::Known(instances) => {
                self.instance_count += instances.iter().count();
                Some(instances)
            }
            Expansion::Wrong => None,
            Expansion::Unknown(_) if self.is_unanswered(index, expr, at) => {
                let repetition = Repetition {
                    count_index: count.map(|_| Value::unknown(Type::Number)),
                    each: for_each.map(|_| (Value::unknown(Type::String), dynamic())),
                };
                Some(Expanded::Undecided(repetition))
            }
            Expansion::Unknown(error) => {
                self.found.push_repeated(error);
                None
            }
        }
    }

    /// Whether a value that a node needs is unknown because nobody has asked its provider.
    fn is_unanswered(&mut self, index: usize, expr: &Expr, at: ModuleInstanceId) -> bool {
        if self.unanswered[index].is_empty() {
            let unasked = self.unasked(expr, at);
            self.unanswered[index].extend(unasked);
        }
        !self.unanswered[index].is_empty()
    }

    /// Configures a provider, unless that was done before; whether it took its configuration.
    pub(crate) fn is_configured(&mut self, address: &ProviderConfigAddress) -> bool {
        if let Some(is_right) = self.configured.get(address) {
            return *is_right;
        }
        let graph = self.graph;
        match graph.find(&NodeKey::Provider(address.clone())) {
            Some(index) => {
                if let NodeKind::Provider(provider) = &graph.nodes[index].kind {
                    self.provider(index, provider);
                }
                self.configured.get(address).copied().unwrap_or(true)
            }
            None => true,
        }
    }

    fn provider(&mut self, index: usize, provider: &super::graph::ProviderNode<'c>) {
        let errors = self.found.error_count();
        self.configure(index, provider);
        self.configured.insert(provider.address.clone(), self.found.error_count() == errors);
    }

    fn configure(&mut self, index: usize, provider: &super::graph::ProviderNode<'c>) {
        let Some(schema) = provider.schema else { return };
        let Some(at) = self.world.by_module[self.graph.nodes[index].module].first().copied() else { return };
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let decoded = objchange_hcl::decode(&provider.body, &schema.block, &scope, self.functions);
        let Some(config) = provider.config else {
            // Without a block the configuration is empty; what is missing in it is said where it is validated.
            if decoded.errors.is_empty() {
                let found = self.providers.configure(&provider.address, &decoded.value.unmark_deep().0);
                self.provider_diagnostics(found, Some(&provider.address.to_string()), None, None);
            }
            return;
        };
        let errors = self.found.error_count();
        self.found.errors(decoded.errors.iter().cloned());
        if self.found.error_count() > errors {
            return;
        }
        self.secrets.learn(&schema.block, &decoded.value);
        let found = self.providers.configure(&provider.address, &decoded.value.unmark_deep().0);
        let place =
            |path: &objchange::value::Path| super::resource::value_place(&provider.body, &decoded, path);
        let address = provider.address.to_string();
        self.provider_diagnostics(found, Some(&address), config.header, Some(&place));
    }

    fn check(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        name: &SmolStr,
        config: &objchange_hcl::CheckConfig,
    ) {
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        let owner = ConditionOwner {
            kind: CheckKind::Check,
            module: self.world.instances[at].address.clone(),
            name: name.to_string(),
            key: None,
        };
        let mut statuses = Vec::new();
        let mut problems = Vec::new();
        for assert in &config.asserts {
            let judged = judge(assert, &scope, self.functions, &conditions::ASSERT);
            self.report_errors(&judged);
            let warning = match judged.status {
                CheckStatus::Fail => Some((conditions::ASSERT.failed, judged.message.clone().unwrap_or_default())),
                CheckStatus::Unknown => Some((
                    conditions::ASSERT_UNKNOWN,
                    "The condition could not be evaluated at this time, a result will be known when this plan is applied."
                        .to_owned(),
                )),
                _ => None,
            };
            if let Some((summary, detail)) = warning {
                let warning = Diagnostic::new(summary, assert.condition.span, detail);
                let warning = warning.explained(&assert.condition, &scope);
                self.found.push_condition(Severity::Warning, warning, &owner);
            }
            statuses.push(judged.status);
            problems.extend(judged.problem);
        }
        self.checks.instance(CheckKind::Check, &owner.module, name, None, &statuses, problems);
    }

    /// Reports what is wrong with a condition itself, and with its message.
    fn report_errors(&mut self, judged: &conditions::Judged) {
        self.found.errors(judged.errors.iter().cloned());
        for warning in &judged.warnings {
            self.found.push(Severity::Warning, warning.clone());
        }
    }

    /// Reports what a condition has come to.
    pub(crate) fn report_condition(
        &mut self,
        condition: &objchange_hcl::Condition,
        scope: &Scope<'_>,
        words: &conditions::Words,
        judged: &conditions::Judged,
        owner: &ConditionOwner,
    ) {
        self.report_errors(judged);
        if judged.status == CheckStatus::Fail {
            let message = judged.message.clone().unwrap_or_default();
            let diagnostic = Diagnostic::new(words.failed, condition.condition.span, message)
                .explained(&condition.condition, scope);
            let severity = match self.input.options.mode {
                PlanMode::RefreshOnly => Severity::Warning,
                _ => Severity::Error,
            };
            self.found.push_condition(severity, diagnostic, owner);
        }
    }

    /// Adds what a provider says, at the part of the configuration that it is about.
    pub(crate) fn provider_diagnostics(
        &mut self,
        found: Vec<objchange::change::Diagnostic>,
        address: Option<&str>,
        span: impl Into<Option<Span>>,
        place: Option<&dyn Fn(&objchange::value::Path) -> Span>,
    ) {
        let span = span.into();
        for diagnostic in self.secrets.cover(found) {
            let severity = match diagnostic.severity {
                objchange::change::Severity::Error => Severity::Error,
                _ => Severity::Warning,
            };
            let subject = match (&diagnostic.path, place) {
                (Some(path), Some(place)) => Some(place(path)),
                _ => span,
            };
            self.found.add(ModuleDiagnostic::new(
                Diagnostic {
                    severity,
                    ..Diagnostic::new((PROVIDER, diagnostic.summary), subject, diagnostic.detail)
                },
                address.map(str::to_owned),
            ));
        }
    }

    /// Says that a resource has a change that is still to be made, in this instance of its module.
    pub(crate) fn set_pending(&mut self, index: usize, module: &ModuleAddress, is_sure: bool) {
        self.pending.add(self.input.config, self.graph, index, module, is_sure);
    }

    /// Adds a planned object.
    pub(crate) fn add_change(&mut self, index: Option<usize>, mut object: PlannedObject) {
        if self.input.options.mode == PlanMode::Destroy {
            // Where it was does not matter any more.
            object.previous_address = None;
        }
        // The provider itself may find nothing to update.
        let is_simulated = |index: usize| match &self.graph.nodes[index].kind {
            NodeKind::Resource(resource) => self.providers.is_simulated(&resource.provider_config),
            _ => false,
        };
        let is_sure = object.action != PlannedAction::Update || !index.is_some_and(is_simulated);
        if let Some(index) = index
            && !matches!(object.action, PlannedAction::NoOp)
            && object.deposed.is_none()
            && self.input.options.mode != PlanMode::Destroy
        {
            self.set_pending(index, &object.address.resource.module, is_sure);
        }
        if object.deposed.is_none() {
            let known = self.changes.entry(object.address.resource.clone()).or_default();
            known.insert(object.address.key.clone(), self.plan.changes.len());
        }
        self.plan.changes.push(object);
    }

    /// What the state holds of an instance.
    pub(crate) fn current(&self, address: &InstanceAddress) -> Option<&StateObject> {
        self.state.resources.get(&address.resource)?.instances.get(&address.key)?.current.as_ref()
    }

    /// Replaces what the state holds of an instance.
    pub(crate) fn set_current(
        &mut self,
        address: &InstanceAddress,
        provider: &crate::ProviderConfigAddress,
        object: Option<StateObject>,
    ) {
        match object {
            Some(object) => {
                let resource = self.state.resources.entry(address.resource.clone()).or_insert_with(|| {
                    StateResource { provider: provider.clone(), instances: BTreeMap::new() }
                });
                resource.instances.entry(address.key.clone()).or_default().current = Some(object);
            }
            None => {
                let Some(resource) = self.state.resources.get_mut(&address.resource) else { return };
                let Some(instance) = resource.instances.get_mut(&address.key) else { return };
                instance.current = None;
                if instance.deposed.is_empty() {
                    resource.instances.remove(&address.key);
                }
                if resource.instances.is_empty() {
                    self.state.resources.remove(&address.resource);
                }
            }
        }
    }
}

/// The kind and name of what has conditions, and how many.
pub(crate) fn conditions_of(kind: &NodeKind<'_>) -> Option<(CheckKind, String, usize)> {
    let (kind, name, conditions) = match kind {
        NodeKind::Validation(name, variable) => {
            (CheckKind::InputVariable, name.to_string(), variable.validations.len())
        }
        NodeKind::Output(name, output) => {
            (CheckKind::OutputValue, name.to_string(), output.preconditions.len())
        }
        NodeKind::Check(name, check) => (CheckKind::Check, name.to_string(), check.asserts.len()),
        NodeKind::Resource(resource) => {
            let lifecycle = &resource.config.lifecycle;
            let conditions = lifecycle.preconditions.len() + lifecycle.postconditions.len();
            (CheckKind::Resource, super::graph::resource_text(resource.name), conditions)
        }
        _ => return None,
    };
    (conditions > 0).then_some((kind, name, conditions))
}
