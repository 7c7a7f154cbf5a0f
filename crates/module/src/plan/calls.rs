//! Module calls: which instances of a module there are.

use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{Expr, ModuleCall, Scope};
use smol_str::SmolStr;

use super::evaluated::dynamic;
use super::expand::{self, Expansion};
use super::graph::NodeKind;
use super::instances::{Expanded, ModuleInstance, ModuleInstanceId, Repetition};
use super::inventions::is_decided_by_inventions;
use super::walk::Walk;

impl<'c> Walk<'_, 'c> {
    pub(crate) fn call(&mut self, index: usize, at: ModuleInstanceId, name: &SmolStr, call: &ModuleCall) {
        let module = self.graph.nodes[index].module;
        let Some(child) = self.input.config.modules[module].children.get(name).copied() else { return };
        let Some(expansion) = self.expand(index, at, call.count.as_ref(), call.for_each.as_ref()) else {
            return;
        };
        let parent_undecided = self.world.instances[at].is_undecided;
        let is_undecided = parent_undecided || matches!(expansion, Expanded::Undecided(_));
        let is_invented =
            self.world.instances[at].is_invented || self.invented_expansions.contains(&(index, at));
        let mut made = Vec::new();
        let instances = expansion.map(|key, repetition| {
            let address = self.world.instances[at].child_address(name, key);
            let mut instance = ModuleInstance::new(child, address, Some(at));
            instance.repetition = repetition.clone();
            instance.is_undecided = is_undecided;
            instance.is_invented = is_invented;
            let around = self.world.instances[at].overridden.clone();
            instance.overridden =
                around.or_else(|| self.input.options.overridden(&instance.address).cloned());
            made.push(instance);
            made.len() - 1
        });
        // The instances get consecutive numbers, so their positions count from the first of them.
        let first = self.world.instances.len();
        for instance in made {
            self.world.add_instance(instance);
        }
        let instances = instances.map(|_, position| first + position);
        self.world.instances[at].calls.insert(name.clone(), instances);
    }

    /// Removes overridden instances of a module, after their outputs got their values.
    pub(crate) fn leave_overridden(&mut self, kind: &NodeKind<'c>, instances: &mut Vec<ModuleInstanceId>) {
        if matches!(kind, NodeKind::Variable(..) | NodeKind::Validation(..)) {
            return;
        }
        instances.retain(|at| {
            let instance = &mut self.world.instances[*at];
            let Some(outputs) = &instance.overridden else { return true };
            if let NodeKind::Output(name, output) = kind {
                // Terraform 1.11.4: an output that `override_module` does not name is null, and all are known already at
                // plan.
                let value = outputs.attribute(name).cloned().unwrap_or_else(|| Value::null(Type::Dynamic));
                let value = value.with_marks(super::outputs::marks(output, self.input.options.version));
                instance.outputs.insert((*name).clone(), value);
            }
            false
        });
    }

    /// The instance that `enabled` of OpenTofu gives: one or none, as a count of zero.
    fn expand_enabled(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        expr: &Expr,
    ) -> Option<Expanded<Repetition>> {
        let value = self.evaluate(index, at, expr, &[])?;
        let (value, marks) = value.unmark_deep();
        let why = match value.convert(&Type::Bool) {
            _ if marks.contains(Marks::EPHEMERAL) => "is ephemeral".to_owned(),
            Err(error) => format!("is unsuitable: {}", error.kind),
            Ok(value) if value.is_null() => "is null. A boolean is required".to_owned(),
            Ok(value) => match value.as_bool() {
                Some(true) => return Some(expand::single()),
                Some(false) => return Some(Expanded::Count(Vec::new())),
                None if self.is_unanswered(index, expr, at) => {
                    return Some(Expanded::Undecided(Repetition::default()));
                }
                None => "is unknown until apply".to_owned(),
            },
        };
        let detail = format!("The given \"enabled\" argument value {why}.");
        self.found.error("Invalid enabled argument", expr.span, detail);
        None
    }

    /// The instances that `count` or `for_each` gives; none where these are wrong.
    pub(crate) fn expand(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        count: Option<&Expr>,
        for_each: Option<&Expr>,
    ) -> Option<Expanded<Repetition>> {
        let enabled = match &self.graph.nodes[index].kind {
            NodeKind::Resource(resource) => resource.config.lifecycle.enabled.as_ref(),
            NodeKind::Call(_, call) => call.enabled.as_ref(),
            _ => None,
        };
        if let Some(enabled) = enabled {
            return self.expand_enabled(index, at, enabled);
        }
        let Some(expr) = count.or(for_each) else { return Some(expand::single()) };
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let scope = Scope::new(&variables);
        // The limit is for the whole plan. A limit for each call would let nested modules multiply theirs.
        let most = self.input.options.max_instances.saturating_sub(self.instance_count);
        let mut errors = Vec::new();
        let expansion = if count.is_some() {
            expand::count(expr, &scope, self.functions, most, &mut errors)
        } else {
            expand::for_each(expr, &scope, self.functions, most, &mut errors)
        };
        if matches!(self.graph.nodes[index].kind, NodeKind::Action(_)) {
            expand::in_words_of_actions(&mut errors);
        }
        self.found.errors(errors);
        self.note_unanswered_functions(index);
        if !self.world.is_validating
            && is_decided_by_inventions(expr, count.is_some(), &scope, self.functions)
        {
            self.invented_expansions.insert((index, at));
        }
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
            // Terraform reports this for each instance of the module, also since 1.15, which drops other repetitions.
            Expansion::Unknown(error) => {
                self.found.push_repeated(error);
                None
            }
        }
    }

    /// Whether a node's value is unknown because its provider was not asked.
    pub(crate) fn is_unanswered(&mut self, index: usize, expr: &Expr, at: ModuleInstanceId) -> bool {
        if self.unanswered[index].is_empty() {
            let unasked = self.unasked(expr, at);
            self.unanswered[index].extend(unasked);
        }
        !self.unanswered[index].is_empty()
    }
}
