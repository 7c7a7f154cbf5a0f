//! The planning walk: every node in order, in every instance of its module.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey, ResourceAddress};
use objchange::change::ProviderSecrets;
use objchange::value::Path;
use objchange_hcl::{Expr, Functions, ResourceName, Scope, Span};
use smol_str::SmolStr;

use super::ModulePlan;
use super::actions::Triggering;
use super::checks::Checks;
use super::evaluated::World;
use super::graph::{ActionRules, Graph, NodeKey, NodeKind};
use super::imports::Import;
use super::input::PlanInput;
use super::instances::ModuleInstanceId;
use super::missing::MissingInputs;
use super::orphans::resource_name;
use super::pending::Pending;
use super::simulated::InstancePart;
use super::targets::Targets;
use super::{PlannedAction, PlannedObject};
use crate::config::ModuleId;
use crate::functions::ModuleFunctions;
use crate::providers::Providers;
use crate::state::{PriorState, Removals};
use crate::subject::{Subject, WORKSPACE};
use crate::{Diagnostics, ProviderConfigAddress};
use objchange_document::PlanMode;

/// The maximum number of causes that an unknown value passes on to its dependents. People read no more.
const MOST_CAUSES: usize = 8;

/// The plan that a walk applies.
pub(crate) struct Applying<'p> {
    /// The changes of current objects.
    pub(crate) changes: HashMap<&'p InstanceAddress, &'p PlannedObject>,
    /// The instances that were created or changed.
    pub(crate) changed: HashSet<InstanceAddress>,
}

/// The change of an object that there would be if it were not destroyed.
pub(crate) struct ChangeBeforeDestroy {
    pub(crate) action: PlannedAction,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

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
    /// The state after moves. Refreshed and imported objects replace the stored ones.
    pub(crate) state: PriorState,
    /// The old addresses of what was moved, by the new ones.
    pub(crate) moved: &'i BTreeMap<InstanceAddress, InstanceAddress>,
    /// The instances that the configuration declares.
    pub(crate) declared: HashSet<InstanceAddress>,
    /// The instances that should exist; others in the state are orphans.
    pub(crate) wanted: HashSet<InstanceAddress>,
    pub(crate) plan: ModulePlan,
    pub(crate) found: Diagnostics,
    pub(crate) checks: Checks,
    /// The changes that are still to be made.
    pub(crate) pending: Pending,
    /// Where each planned object is in the plan.
    pub(crate) changes: HashMap<ResourceAddress, BTreeMap<Option<InstanceKey>, usize>>,
    /// The imports, by target address.
    pub(crate) imports: BTreeMap<InstanceAddress, Import>,
    /// The resources any of whose instances may be imported, because only a provider can tell.
    pub(crate) open_imports: HashSet<(Vec<SmolStr>, ResourceName)>,
    /// The `removed` blocks.
    pub(crate) removals: &'i Removals,
    /// The objects that were forgotten.
    pub(crate) forgotten: Vec<InstanceAddress>,
    /// The inputs that the plan is made without.
    pub(crate) missing: &'i MissingInputs,
    /// The existing objects whose action depends on a missing input.
    pub(crate) unsure: HashSet<InstanceAddress>,
    /// The `unsure` objects that a model says are updated or replaced.
    pub(crate) may_be_replaced: HashSet<InstanceAddress>,
    /// The resources of which some instances are undecided.
    pub(crate) undecided: HashSet<ResourceAddress>,
    /// For each node, the data sources and attributes that are unknown without their providers and that its value depends on.
    pub(crate) unanswered: Vec<BTreeSet<String>>,
    /// Parts that are unknown to Terraform, too.
    pub(crate) asked: HashSet<InstancePart>,
    /// Whether triggers that name no instance trigger a replacement, or none where they name nothing that is planned.
    pub(crate) triggers: HashMap<(ResourceAddress, Span), Option<bool>>,
    /// The resources whose replacements are created first.
    pub(crate) creates_first: Vec<bool>,
    pub(crate) instance_count: usize,
    /// The resources with objects that must not be destroyed, and would be.
    pub(crate) prevented: Vec<usize>,
    /// Diagnostics of the destroyed objects in a destroy plan; dropped after earlier errors.
    pub(crate) found_at_destroy: Diagnostics,
    /// The nodes that have no value because of an error.
    pub(crate) failed: Vec<bool>,
    /// The resources whose instances are not known because of an error: nothing of them is planned.
    pub(crate) unexpanded: HashSet<usize>,
    /// Warnings of the plan before a destroy plan, which Terraform shows only if that one fails.
    pub(crate) warnings_before_destroy: Diagnostics,
    /// The instances that were imported, whether they could be planned or not.
    pub(crate) imported: HashSet<InstanceAddress>,
    /// Whether all references in the body of a resource are right, by its node.
    pub(crate) right_references: HashMap<usize, bool>,
    /// The changes that there would be if everything were not destroyed.
    pub(crate) before_destroy: HashMap<ResourceAddress, BTreeMap<Option<InstanceKey>, ChangeBeforeDestroy>>,
    /// The objects after replacement, where the state differs from the plan: it marks what the configuration calls
    /// sensitive, not what the schema does.
    pub(crate) replaced: HashMap<InstanceAddress, Value>,
    /// The secrets that providers received.
    pub(crate) secrets: ProviderSecrets,
    /// The provider configurations that were given to providers, and whether these took them.
    pub(crate) configured: HashMap<ProviderConfigAddress, bool>,
    /// The keys of the provider configurations with `for_each`; `None` where they are unknown.
    pub(crate) provider_keys: HashMap<ProviderConfigAddress, Option<BTreeSet<String>>>,
    /// The checks that are not judged, because a data source in them could not be read. That is no error.
    pub(crate) unread_checks: HashSet<(ModuleId, SmolStr)>,
    /// The changes whose actions are not planned yet.
    pub(crate) triggering: Vec<Triggering>,
    /// The resources whose `prevent_destroy` is an expression, and the instances of their module in which it holds.
    pub(crate) preventing: HashMap<usize, HashSet<ModuleInstanceId>>,
    /// The nodes whose instances depend on made-up values, with the instance of their module.
    pub(crate) invented_expansions: HashSet<(usize, ModuleInstanceId)>,
    /// The made-up parts of the configuration that was evaluated last.
    pub(crate) configured_inventions: Vec<Path>,
    /// The plan that is applied; `None` while planning.
    pub(crate) applying: Option<Applying<'i>>,
}

impl<'c> Walk<'_, 'c> {
    /// Walks all nodes in this order.
    pub(crate) fn run(&mut self, order: &[usize]) {
        self.failed = vec![false; self.graph.nodes.len()];
        // Discard the calls of validation.
        let _ = self.module_functions.take_unanswered();
        for index in order.iter().copied() {
            let node = &self.graph.nodes[index];
            if !self.targets.includes(index) {
                self.skip(index);
                continue;
            }
            // A check has a result even if an object that it refers to has none, unless its module failed.
            let is_check = matches!(node.kind, NodeKind::Check(..));
            if is_check && !self.call_failed(node.module) {
                self.open_checks(index);
            }
            let is_failed = |need: &usize| self.failed[*need];
            let with_actions = self.graph.actions == ActionRules::WithCaller && self.applying.is_none();
            if node.needs.iter().any(is_failed) || with_actions && node.after.iter().any(is_failed) {
                self.failed[index] = true;
                self.unexpanded.insert(index);
                self.skip(index);
                continue;
            }
            if let NodeKind::Check(name, _) = &node.kind
                && self.unread_checks.contains(&(node.module, (*name).clone()))
            {
                continue;
            }
            // The instances of a resource are not known yet.
            let is_planned_resource = matches!(node.kind, NodeKind::Resource(_)) && self.applying.is_none();
            if !is_check && !is_planned_resource {
                self.open_checks(index);
            }
            for need in &node.needs {
                if matches!(self.graph.nodes[*need].kind, NodeKind::Provider(_)) {
                    continue;
                }
                // Without a limit each node of a long chain would hold all causes of those before it.
                let room = MOST_CAUSES.saturating_sub(self.unanswered[index].len());
                let inherited: Vec<String> = self.unanswered[*need].iter().take(room).cloned().collect();
                self.unanswered[index].extend(inherited);
            }
            self.unanswered[index].extend(self.missing.name_at(self.input.config, node, index));
            if node.subjects.iter().any(|subject| self.lacks_workspace(subject)) {
                // Terraform knows the workspace, so a value that is unknown because of it is not an error.
                self.unanswered[index].insert(WORKSPACE.to_owned());
                self.plan.lacks_workspace = true;
            }
            self.pending.enter(self.graph, index);
            let (errors, found) = (self.found.error_count(), self.found.len());
            self.functions = self.module_functions.of_module(self.graph.nodes[index].scope);
            self.node(index);
            self.note_unanswered_functions(index);
            if self.found.error_count() > errors && self.may_not_exist(index) {
                self.found.remove_errors_since(found);
            }
            self.failed[index] = self.found.error_count() > errors;
        }
    }

    /// Whether a value or an object is in a module that has perhaps no instance, because input is missing: then what is wrong with
    /// it is perhaps never evaluated.
    fn may_not_exist(&self, index: usize) -> bool {
        let node = &self.graph.nodes[index];
        let is_part = matches!(
            node.kind,
            NodeKind::Variable(..)
                | NodeKind::Validation(..)
                | NodeKind::Local(..)
                | NodeKind::Output(..)
                | NodeKind::Resource(_)
        );
        let mut instances =
            self.world.instances.iter().filter(|instance| instance.module == node.module).peekable();
        is_part
            && self.missing.list().next().is_some()
            && instances.peek().is_some()
            && instances.all(|instance| instance.is_undecided)
    }

    /// Whether anything is planned before it is destroyed. Without refreshing, Terraform destroys what the state has, whatever
    /// the configuration says.
    pub(crate) fn plans_before_destroy(&self) -> bool {
        self.input.options.refresh || self.input.options.mode != PlanMode::Destroy
    }

    /// The nodes that the configurations of providers need, and these, in this order.
    pub(crate) fn needed_by_providers(&self, order: &[usize]) -> Vec<usize> {
        let is_provider = |index: &usize| matches!(self.graph.nodes[*index].kind, NodeKind::Provider(_));
        let needed = self.graph.reachable((0..self.graph.nodes.len()).filter(is_provider));
        order.iter().copied().filter(|index| needed[*index] || is_provider(index)).collect()
    }

    /// Notes the functions that were called without an answer since the last call of this.
    pub(crate) fn note_unanswered_functions(&mut self, index: usize) {
        let functions = self.module_functions.take_unanswered();
        self.plan.lacks_answers |= !functions.is_empty();
        self.unanswered[index].extend(functions);
    }

    /// Whether a reference is to the workspace, and nothing says which one that is.
    pub(crate) fn lacks_workspace(&self, subject: &Subject) -> bool {
        self.input.options.workspace.is_none() && subject.is_workspace()
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

    /// The variables of the root module as a document has them: as they were given, else their defaults.
    pub(crate) fn show_variables(&mut self) {
        for (name, variable) in &self.input.config.modules[0].config.variables {
            let given = self.input.variables.get(name).map(|given| &given.value);
            // Terraform 1.11.4 writes no given value of an ephemeral variable into a plan, but its default.
            let shown = given.filter(|_| !variable.ephemeral).or(variable.default.as_ref());
            if let Some(shown) = shown {
                let shown = shown.clone().with_marks(super::variable::marks(variable));
                self.plan.variables.insert(name.clone(), shown);
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
                for at in instances {
                    self.in_module(at, |walk| walk.variable(index, at, name, variable));
                }
            }
            NodeKind::Validation(name, variable) => {
                for at in instances {
                    self.in_module(at, |walk| walk.validation(index, at, name, variable));
                }
            }
            NodeKind::Local(name, local) => {
                for at in instances {
                    if let Some(value) = self.in_module(at, |walk| walk.evaluate(index, at, &local.expr, &[]))
                    {
                        self.world.instances[at].locals.insert((*name).clone(), value);
                    }
                }
            }
            NodeKind::Output(name, output) => {
                for at in instances {
                    self.in_module(at, |walk| walk.output(index, at, name, output));
                }
            }
            NodeKind::Call(name, call) => {
                for at in instances {
                    self.in_module(at, |walk| walk.call(index, at, name, call));
                }
            }
            NodeKind::CallClose(_) => {}
            NodeKind::Resource(resource) if self.applying.is_some() => {
                self.apply_resource(index, resource, instances);
            }
            NodeKind::Resource(resource) => self.resource(index, resource, instances),
            NodeKind::Provider(provider) => self.provider(index, provider),
            NodeKind::Action(action) if self.applying.is_none() => {
                instances.into_iter().for_each(|at| self.action(index, at, action));
            }
            NodeKind::Action(_) => {}
            NodeKind::Check(name, config) => {
                if !self.plans_before_destroy() {
                    return;
                }
                for at in instances {
                    self.in_module(at, |walk| walk.check(index, at, name, config));
                }
            }
        }
    }

    /// Runs `work` in an instance of a module. Diagnostics name the instance if the module has several.
    pub(crate) fn in_module<T>(&mut self, at: ModuleInstanceId, act: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.found.len();
        let result = act(self);
        if self.found.len() > before {
            let instance = &self.world.instances[at];
            let modules = &self.input.config.modules;
            let directory = &modules[instance.module].directory;
            let has_keys = instance.address.0.iter().any(|step| step.key.is_some());
            let is_repeated =
                || modules.iter().filter(|module| module.directory == *directory).nth(1).is_some();
            if instance.module != 0 && (has_keys || is_repeated()) {
                self.found.set_module_since(before, &instance.address.to_string());
            }
        }
        result
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
        self.evaluate_in_scope(expr, &outer.with(names))
    }
}
