//! Planning a module from end to end.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use objchange::Value;

use super::checks::Checks;
use super::finish::finish;
use super::graph::{Graph, NodeKind};
use super::input::{PlanInput, PlanMode};
use super::pending_api::{MovedState, Removals, apply_moves};
use super::targets::Targets;
use super::validate::validate;
use super::walk::Walk;
use super::world::World;
use super::{ModulePlan, PlannedAction, PlannedObject};
use crate::providers::Providers;
use crate::state::PriorState;
use crate::{Diagnostics, Severity};

/// Plans a module: what Terraform would do, as far as it can be known without its providers, or with whoever answers for
/// them.
///
/// All independent errors are in [`ModulePlan::diagnostics`]; with one of them the plan is [`ModulePlan::errored`], and
/// holds what could be planned all the same.
pub fn plan(input: &PlanInput<'_>, providers: &mut dyn Providers) -> ModulePlan {
    let graph = Graph::new(input.config, input.schemas);
    let order = match graph.order() {
        Ok(order) => order,
        Err(cycles) => return only_errors(cycle_errors(input, &graph, &cycles)),
    };
    let mut found = validate(input, &graph, &order, providers);
    if found.has_errors() {
        return only_errors(found);
    }
    let MovedState { state, moved, diagnostics, .. } =
        apply_moves(input.state, input.config, input.schemas, &input.options.targets, providers);
    found.append(diagnostics);
    if found.has_errors() {
        return only_errors(found);
    }
    let removals = Removals::new(input.config);
    let targets = Targets::new(input.config, &graph, input.options);
    if !targets.is_all() {
        found.without_place(
            Severity::Warning,
            "Resource targeting is in effect",
            "You are creating a plan with the -target option, which means that the result of this plan may not represent all of \
             the changes requested by the current configuration.\n\nThe -target option is not for routine use, and is provided \
             only for exceptional situations such as recovering from errors or mistakes, or when Terraform specifically suggests \
             to use it as part of an error message.",
        );
    }
    let nodes = graph.nodes.len();
    let mut walk = Walk {
        input,
        graph: &graph,
        world: World::new(input.config, input.options, false),
        providers,
        targets: &targets,
        state: state.clone(),
        moved: &moved,
        wanted: HashSet::new(),
        plan: ModulePlan::default(),
        found,
        checks: Checks::default(),
        pending: vec![false; nodes],
        changes: HashMap::new(),
        imports: Default::default(),
        removals: &removals,
        forgotten: Vec::new(),
        unanswered: vec![BTreeSet::new(); nodes],
        creates_first: creates_first(&graph),
        instance_count: 0,
    };
    walk.plan.has_begun = true;
    walk.run(&order);
    walk.orphans();
    walk.check_imports();
    walk.unmatched_replacements();
    let Walk { state: refreshed, mut plan, mut found, checks, forgotten, .. } = walk;
    found.append(removals.warning(&forgotten));
    plan.drift = drift(&state, &refreshed, input, &moved);
    if input.options.mode != PlanMode::Destroy {
        plan.checks = checks.finish();
    }
    if targets.is_all() {
        super::outputs::add_deleted(&mut plan.outputs, &input.state.outputs);
    }
    plan.prior_state = with_outputs(refreshed, &plan, input);
    finish(&mut plan, input.options.mode, targets.is_all(), found);
    plan
}

fn only_errors(found: Diagnostics) -> ModulePlan {
    ModulePlan { errored: true, diagnostics: found, ..ModulePlan::default() }
}

fn cycle_errors(input: &PlanInput<'_>, graph: &Graph<'_>, cycles: &[Vec<usize>]) -> Diagnostics {
    let mut found = Diagnostics::default();
    for cycle in cycles {
        let mut names: Vec<String> =
            cycle.iter().map(|node| graph.nodes[*node].cycle_name(input.config)).collect();
        names.sort_unstable();
        found.without_place(Severity::Error, ("cycle", format!("Cycle: {}", names.join(", "))), "");
    }
    found
}

/// The resources whose replacements are created first: those that say so, and all that they depend on.
fn creates_first(graph: &Graph<'_>) -> Vec<bool> {
    let says_so = |index: &usize| match &graph.nodes[*index].kind {
        NodeKind::Resource(resource) => resource.config.lifecycle.create_before_destroy == Some(true),
        _ => false,
    };
    let all: Vec<usize> = (0..graph.nodes.len()).filter(says_so).collect();
    let mut found = graph.reachable(all.iter().copied());
    all.into_iter().for_each(|index| found[index] = true);
    found
}

/// What has changed outside of Terraform.
fn drift(
    stored: &PriorState,
    refreshed: &PriorState,
    input: &PlanInput<'_>,
    moved: &std::collections::BTreeMap<
        objchange::address::InstanceAddress,
        objchange::address::InstanceAddress,
    >,
) -> Vec<PlannedObject> {
    let mut found = Vec::new();
    for (address, resource) in &stored.resources {
        if address.mode != objchange::address::Mode::Managed {
            continue;
        }
        for (key, instance) in &resource.instances {
            let Some(before) = &instance.current else { continue };
            let address = objchange::address::InstanceAddress { resource: address.clone(), key: key.clone() };
            let now = refreshed
                .resources
                .get(&address.resource)
                .and_then(|resource| resource.instances.get(key))
                .and_then(|instance| instance.current.as_ref());
            let previous_address = moved.get(&address).cloned();
            let action = match now {
                None => PlannedAction::Delete,
                Some(now) if !now.value.unmark_deep().0.identical(&before.value.unmark_deep().0) => {
                    PlannedAction::Update
                }
                Some(_) if previous_address.is_some() && input.options.mode == PlanMode::RefreshOnly => {
                    PlannedAction::NoOp
                }
                Some(_) => continue,
            };
            let schema = input.schemas.get(
                &resource.provider.provider,
                objchange::schema::SchemaKind::Resource,
                &address.resource.resource_type,
            );
            found.push(PlannedObject {
                previous_address,
                provider: resource.provider.provider.clone(),
                deposed: None,
                action,
                reason: None,
                before: before.value.clone(),
                after: now.map_or_else(|| Value::null(objchange::Type::Dynamic), |now| now.value.clone()),
                schema: schema.ok().flatten().map(|schema| std::sync::Arc::new(schema.clone())),
                replace_paths: Vec::new(),
                importing: None,
                address,
            });
        }
    }
    found
}

/// The state after refreshing, with the new values of outputs wherever these are known.
fn with_outputs(mut state: PriorState, plan: &ModulePlan, input: &PlanInput<'_>) -> PriorState {
    if input.options.mode == PlanMode::Destroy {
        return state;
    }
    for (name, output) in &plan.outputs {
        if output.declared && output.after.is_wholly_known() {
            if output.after.is_null() {
                state.outputs.remove(name);
            } else {
                state.outputs.insert(
                    name.clone(),
                    crate::state::StateOutput { value: output.after.clone(), sensitive: output.sensitive },
                );
            }
        }
    }
    state
}
