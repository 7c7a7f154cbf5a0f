//! Planning a module from end to end.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use objchange::Value;
use objchange::address::{InstanceAddress, Mode, ModuleAddress, ResourceAddress};
use objchange::value::Descend;
use smol_str::SmolStr;

use super::answer_checks::{NO_INFINITY, has_infinity};
use super::checks::Checks;
use super::deprecated::DeprecatedUses;
use super::evaluated::World;
use super::finish::finish;
use super::graph::{ActionRules, Graph, NodeKey, NodeKind};
use super::input::PlanInput;
use super::missing::{MissingInputs, MissingObserver, RankedMissing};
use super::orphans::resource_name;
use super::pending::Pending;
use super::references::{
    ExplainError, ExplainObserver, Explanation, GraphObserver, NoObserver, Observer, ReferenceGraph,
};
use super::targets::Targets;
use super::validate::validate;
use super::walk::Walk;
use super::{Identities, ModulePlan, PlannedAction, PlannedObject};
use crate::config::ModuleId;
use crate::functions::ModuleFunctions;
use crate::providers::Providers;
use crate::state::{Instances, MoveTypes, Moves, PriorState, Removals, StateResource, warn_of_forgotten};
use crate::versions::since;
use crate::{Diagnostics, ProviderConfigAddress, Severity};
use objchange_document::PlanMode;

/// Plans a module: Terraform's plan, as far as `providers` can answer.
///
/// All independent errors are in [`ModulePlan::diagnostics`]; with one of them the plan is [`ModulePlan::errored`], and
/// holds what could be planned all the same.
pub fn plan(input: &PlanInput<'_>, providers: &mut dyn Providers) -> ModulePlan {
    plan_observed(input, providers, &mut NoObserver)
}

/// As [`plan`], with the graph of what refers to what, and what of it is unknown.
pub fn plan_with_graph(input: &PlanInput<'_>, providers: &mut dyn Providers) -> (ModulePlan, ReferenceGraph) {
    let mut observer = GraphObserver::default();
    let plan = plan_observed(input, providers, &mut observer);
    (plan, observer.graph)
}

/// As [`plan`], and why something is as it is: an object such as `module.m.aws_instance.web[0]`, a part of it, a variable, a
/// local value or an output.
pub fn plan_and_explain(
    input: &PlanInput<'_>,
    providers: &mut dyn Providers,
    address: &str,
) -> (ModulePlan, Result<Explanation, ExplainError>) {
    let mut observer = ExplainObserver { address, found: Err(ExplainError::NotPlanned) };
    let plan = plan_observed(input, providers, &mut observer);
    (plan, observer.found)
}

/// As [`plan`], with what it was made without, the most useful first.
pub fn plan_and_rank_missing(
    input: &PlanInput<'_>,
    providers: &mut dyn Providers,
) -> (ModulePlan, Vec<RankedMissing>) {
    let mut observer = MissingObserver::default();
    let plan = plan_observed(input, providers, &mut observer);
    (plan, observer.ranked)
}

fn plan_observed(
    input: &PlanInput<'_>,
    providers: &mut dyn Providers,
    observer: &mut dyn Observer,
) -> ModulePlan {
    match PreparedModule::new(input, &input.options.given_providers, providers, observer) {
        Ok(prepared) => {
            let unfilled = input.config.unfilled_aliases(&input.options.given_providers);
            if unfilled.has_errors() {
                let mut found = prepared.found;
                found.append(unfilled);
                return deduplicated(input, only_errors(found));
            }
            deduplicated(input, plan_prepared(input, &prepared, providers, observer).0)
        }
        Err(found) => deduplicated(input, only_errors(found)),
    }
}

/// A plan that says nothing twice of the same place in the same words, as Terraform does since 1.15.
fn deduplicated(input: &PlanInput<'_>, mut plan: ModulePlan) -> ModulePlan {
    if since(input.options.version, "1.15") {
        plan.diagnostics.deduplicate();
    }
    plan
}

/// The parts of a plan that do not depend on variables, reused for several plans of a module.
#[derive(Debug)]
pub(crate) struct PreparedModule<'c> {
    pub(crate) graph: Graph<'c>,
    /// The nodes, each after those that it needs.
    pub(crate) order: Vec<usize>,
    /// The missing inputs.
    pub(crate) missing: MissingInputs,
    pub(crate) functions: ModuleFunctions,
    /// The warnings of validation.
    found: Diagnostics,
    /// Where deprecated values are used.
    pub(crate) deprecated: DeprecatedUses,
}

impl<'c> PreparedModule<'c> {
    /// Validates a module that is given these provider configurations.
    ///
    /// # Errors
    ///
    /// Returns the errors that do not depend on values of variables and resources.
    pub(crate) fn new(
        input: &PlanInput<'c>,
        given: &BTreeSet<ProviderConfigAddress>,
        providers: &mut dyn Providers,
        observer: &mut dyn Observer,
    ) -> Result<Self, Diagnostics> {
        // Terraform ends at the first of these that finds errors, so that one run reports only one of them.
        let version = input.options.version;
        let config = input.config;
        let checks: [&dyn Fn() -> Diagnostics; 3] =
            [&|| config.wrong_call_arguments(), &|| config.missing_provisioners(), &|| {
                config.missing_provider_configs(version, given)
            }];
        for check in checks {
            let wrong = check();
            if wrong.has_errors() {
                return Err(wrong);
            }
        }
        let actions = ActionRules::of_version(version);
        let graph = Graph::new(input.config, input.schemas, input.state, actions);
        super::actions::check_types(input.config, &graph)?;
        observer.graph(input.config, &graph);
        let order = graph.order().map_err(|cycles| cycle_errors(input, &graph, &cycles))?;
        let functions = ModuleFunctions::new(
            input.config,
            input.schemas,
            input.functions,
            input.options.version,
            providers,
        );
        let mut found = validate(input, &graph, &order, &functions, providers);
        let deprecated = DeprecatedUses::find(input, &graph);
        deprecated.warn_at_validation(&mut found);
        if found.has_errors() {
            return Err(found);
        }
        let missing = MissingInputs::find(input, &graph);
        Ok(Self { graph, order, missing, functions, found, deprecated })
    }
}

/// The evaluated root module after a walk.
#[derive(Debug)]
pub(crate) struct Evaluated<'c> {
    pub(crate) world: World<'c>,
}

/// Plans a prepared module. Returns also the evaluated module, if planning has begun.
pub(crate) fn plan_prepared<'c>(
    input: &PlanInput<'c>,
    prepared: &PreparedModule<'c>,
    providers: &mut dyn Providers,
    observer: &mut dyn Observer,
) -> (ModulePlan, Option<Evaluated<'c>>) {
    let PreparedModule { graph, order, found, .. } = prepared;
    let mut found = found.clone();
    if !input.options.targets.is_empty() {
        warn_of_targets(&mut found);
    }
    let mut state = input.state.clone();
    if input.options.accepts.schemas {
        state.hide_without_schemas(input.schemas);
    }
    let provider_of = |address: &ResourceAddress| {
        let module = input.config.module_of(&address.module)?;
        let name = resource_name(address);
        let is_declared = input.config.modules[module].config.resources.contains_key(&name);
        is_declared.then(|| input.config.provider_config_of(module, &name))
    };
    let mut types =
        MoveTypes { schemas: input.schemas, providers: &mut *providers, provider_of: &provider_of };
    let moves = Moves::apply(input.config, &mut state, &mut types, &mut found);
    let targets = Targets::new(input.config, graph, input.options, &state);
    moves.check_targets(&input.options.targets, &mut found);
    let removals = Removals::new(input.config);
    let checks_moves = checks_moves(input);
    if checks_moves && input.options.mode != PlanMode::RefreshOnly {
        removals.check(input.config, &mut found);
    }
    super::orphans::check_providers(input, &state, &targets, &mut found);
    if found.has_errors() {
        return (only_errors(found), None);
    }
    let mut walk = Walk {
        found,
        ..Walk::new(
            input,
            prepared,
            providers,
            WalkedState { state: state.clone(), targets: &targets, moved: &moves.moved, removals: &removals },
        )
    };
    walk.declare_checks();
    walk.show_variables();
    walk.plan.has_begun = true;
    walk.plan.missing = prepared.missing.list().cloned().collect();
    // Where nothing is left to destroy, nothing is evaluated.
    let is_done = input.options.mode == PlanMode::Destroy
        && input.state.resources.is_empty()
        && input.state.outputs.is_empty();
    if is_done {
        walk.open_root_outputs();
    } else if !walk.plans_before_destroy() {
        walk.open_root_outputs();
        walk.run(&walk.needed_by_providers(order));
        let needed = walk.needed_by_destroyed(order);
        if !needed.is_empty() {
            walk.see_prior_values();
            walk.run(&needed);
        }
    } else if let Some(address) = &input.options.invoke {
        match walk.asked_action(address) {
            Ok(action) => walk.run(&walk.needed_by_action(action, order)),
            Err(error) => {
                walk.found.push(Severity::Error, *error);
                return (only_errors(walk.found), None);
            }
        }
    } else {
        walk.run(order);
    }
    // Errors about moves hide whatever planning has found, but not what validation has.
    let mut wrong = prepared.found.clone();
    if !targets.is_all() {
        warn_of_targets(&mut wrong);
    }
    let modules = |path: &[SmolStr]| {
        let all = walk.world.instances.iter();
        let at_path = |module: ModuleId| input.config.modules[module].path == path;
        // Which instances there are of the others is not known, so nothing is wrong with a move of one.
        let decided = all.filter(|instance| !instance.is_undecided && at_path(instance.module));
        decided.map(|instance| instance.address.clone()).collect()
    };
    let has = |address: &InstanceAddress| walk.declared.contains(address);
    let expands = |address: &ResourceAddress| {
        let module = input.config.module_of(&address.module);
        let node = module.and_then(|module| graph.find(&NodeKey::Resource(module, resource_name(address))));
        node.is_some_and(|node| targets.includes(node))
    };
    let instances = Instances { modules: &modules, expands: &expands, has: &has };
    if checks_moves {
        moves.validate(input.config, &instances, &mut wrong);
    }
    if wrong.has_errors() {
        return (only_errors(wrong), None);
    }
    walk.orphans();
    walk.invoke_triggered();
    walk.invoke_asked();
    // A destroy plan first evaluates and reads everything.
    if input.options.mode == PlanMode::Destroy {
        if walk.found.has_errors() && walk.plans_before_destroy() {
            warn_of_forgotten(&walk.forgotten, input.config, &mut walk.found);
            walk.found.append(walk.warnings_before_destroy);
            return (only_errors(walk.found), None);
        }
        walk.found.append(std::mem::take(&mut walk.found_at_destroy));
    }
    walk.check_imports();
    if !walk.found.has_errors() {
        moves.warn_of_blocked(&mut walk.found);
    }
    walk.update_dependencies(order);
    // Terraform finds out after the plan is made, and keeps that. A plan with errors has none: found with random pairs of
    // configurations and Terraform 1.11.4.
    let cycles = match input.options.mode {
        PlanMode::Normal if !walk.found.has_errors() => walk.step_cycles(),
        _ => Diagnostics::default(),
    };
    walk.unmatched_replacements();
    walk.undo_blocked_destroys();
    // Observers explain objects of which the action is not known, so these are set apart before.
    walk.leave_unsure();
    walk.keep_invocations_of_changes();
    walk.warn_of_deprecated_values(&prepared.deprecated);
    observer.walked(&walk);
    let child_outputs = match input.options.mode {
        PlanMode::Destroy => Vec::new(),
        _ => child_outputs(&walk.world),
    };
    let Walk { state: refreshed, mut plan, mut found, checks, forgotten, replaced, world, .. } = walk;
    warn_of_forgotten(&forgotten, input.config, &mut found);
    // A destroy plan reports no drift.
    if input.options.mode != PlanMode::Destroy {
        plan.drift = drift(&state, &refreshed, input, &moves, &mut found);
    }
    plan.checks = checks.finish();
    if input.options.invoke.is_some() {
        // The plan is about the action alone.
        plan.outputs.clear();
    } else if targets.is_all() {
        let declared = &input.config.modules[0].config.outputs;
        // A declared output that has no value because of an error stays, unless everything is destroyed.
        let stays = |name: &SmolStr| input.options.mode != PlanMode::Destroy && declared.contains_key(name);
        super::outputs::add_deleted(&mut plan.outputs, &refreshed.outputs, stays);
    }
    // No document and no state can hold `1 / 0`. Terraform finds that only once it writes the plan, and its message names
    // the function that writes the section. A plan file has the state with the new outputs.
    let wrong_variable = world.instances[0].variables.values().any(has_infinity);
    let infinite = plan.outputs.iter().filter(|(_, output)| has_infinity(&output.after));
    let infinite: Vec<_> = infinite.map(|(name, output)| (name, output.after.is_wholly_known())).collect();
    if input.options.is_saved && infinite.iter().any(|(_, is_stored)| *is_stored) {
        let stored = infinite.iter().filter(|(_, is_stored)| *is_stored);
        found.without_place(
            Severity::Error,
            "Failed to write plan file",
            unwritten(stored.map(|(name, _)| name.as_str())),
        );
        return (only_errors(found), None);
    }
    if wrong_variable || !infinite.is_empty() {
        let section = if wrong_variable { "error in marshalPlanVariables: " } else { "" };
        let summary = format!("Failed to marshal plan to json: {section}{NO_INFINITY}");
        found.without_place(Severity::Error, ("failed_to_marshal_plan_to_json", summary), "");
        return (only_errors(found), None);
    }
    let is_old = !since(input.options.version, "1.15");
    let state_differs = input.options.mode == PlanMode::RefreshOnly
        && (differs(&state, &refreshed, is_old)
            || is_old && plan.outputs.values().any(has_computed_numbers)
            || state.resources.iter().any(|resource| has_reread_numbers(resource, is_old)));
    plan.prior_state = with_outputs(refreshed, &plan, input);
    finish(&mut plan, input.options.mode, targets.is_all(), state_differs, &replaced, found);
    plan.diagnostics.append(cycles);
    plan.relevant_attributes = super::relevant_attributes::relevant_attributes(
        input.config,
        input.schemas,
        input.options.version,
        &plan,
        input.options.mode,
        &child_outputs,
    );
    (plan, Some(Evaluated { world }))
}

/// The error of Terraform 1.11.4 and 1.15.5 about outputs that it cannot write to the state in a plan file.
fn unwritten<'n>(outputs: impl Iterator<Item = &'n str>) -> String {
    let problem = |name: &str| {
        format!(
            "Failed to serialize output value in state: An error occured while serializing output value {name:?}: {NO_INFINITY}."
        )
    };
    let problems: Vec<String> = outputs.map(problem).collect();
    let problems = match &problems[..] {
        [only] => only.clone(),
        all => format!("{} problems:\n\n- {}", all.len(), all.join("\n- ")),
    };
    format!("The plan file could not be written: failed to write state snapshot: {problems}.")
}

fn warn_of_targets(found: &mut Diagnostics) {
    found.without_place(
        Severity::Warning,
        "Resource targeting is in effect",
        "You are creating a plan with the -target option, which means that the result of this plan may not represent all of \
         the changes requested by the current configuration.\n\nThe -target option is not for routine use, and is provided \
         only for exceptional situations such as recovering from errors or mistakes, or when Terraform specifically suggests \
         to use it as part of an error message.",
    );
}

/// The state that a walk begins with, and what of it and of the configuration counts.
pub(crate) struct WalkedState<'i> {
    pub(crate) state: PriorState,
    pub(crate) targets: &'i Targets,
    /// The old addresses of what was moved, by the new ones.
    pub(crate) moved: &'i BTreeMap<InstanceAddress, InstanceAddress>,
    pub(crate) removals: &'i Removals,
}

impl<'i, 'c> Walk<'i, 'c> {
    /// A walk that has not begun.
    pub(crate) fn new(
        input: &'i PlanInput<'c>,
        prepared: &'i PreparedModule<'c>,
        providers: &'i mut dyn Providers,
        walked: WalkedState<'i>,
    ) -> Self {
        let PreparedModule { graph, functions: module_functions, missing, .. } = prepared;
        let WalkedState { state, targets, moved, removals } = walked;
        let nodes = graph.nodes.len();
        Self {
            input,
            graph,
            module_functions,
            functions: module_functions.of_module(0),
            world: World::new(input.config, input.options, false),
            providers,
            targets,
            state,
            moved,
            declared: HashSet::new(),
            wanted: HashSet::new(),
            plan: ModulePlan::default(),
            found: Diagnostics::default(),
            checks: Checks::default(),
            pending: Pending::new(nodes, input.config.modules.len()),
            changes: HashMap::new(),
            imports: Default::default(),
            open_imports: HashSet::new(),
            removals,
            forgotten: Vec::new(),
            missing,
            unsure: HashSet::new(),
            may_be_replaced: HashSet::new(),
            undecided: HashSet::new(),
            unanswered: vec![BTreeSet::new(); nodes],
            asked: HashSet::new(),
            triggers: HashMap::new(),
            creates_first: creates_first(graph, targets),
            instance_count: 0,
            prevented: Vec::new(),
            found_at_destroy: Diagnostics::default(),
            failed: Vec::new(),
            unexpanded: HashSet::new(),
            imported: HashSet::new(),
            warnings_before_destroy: Diagnostics::default(),
            replaced: HashMap::new(),
            before_destroy: HashMap::new(),
            right_references: HashMap::new(),
            secrets: Default::default(),
            configured: Default::default(),
            unread_checks: HashSet::new(),
            triggering: Vec::new(),
            provider_keys: HashMap::new(),
            preventing: HashMap::new(),
            invented_expansions: HashSet::new(),
            configured_inventions: Vec::new(),
            applying: None,
        }
    }
}

/// The outputs of child modules that were evaluated and are not null.
fn child_outputs(world: &World<'_>) -> Vec<(ModuleAddress, SmolStr)> {
    let children = world.instances.iter().filter(|instance| instance.parent.is_some());
    let outputs = children.flat_map(|instance| {
        let outputs = instance.outputs.iter().filter(|(_, value)| !value.is_null());
        outputs.map(|(name, _)| (instance.address.clone(), name.clone()))
    });
    outputs.collect()
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
        // Terraform reports each independent cycle once, without a place, and its names in an order that
        // differs from run to run.
        found.cycle(input.config.cycle_version(input.options.version), names.iter().map(String::as_str));
    }
    found
}

/// The resources whose replacements are created first: those that say so, and all that they depend on. Resources that no
/// target includes have no say (Terraform 1.11.4 and 1.15.5).
fn creates_first(graph: &Graph<'_>, targets: &Targets) -> Vec<bool> {
    let says_so = |index: &usize| match &graph.nodes[*index].kind {
        NodeKind::Resource(resource) => resource.config.lifecycle.create_before_destroy == Some(true),
        _ => false,
    };
    let all: Vec<usize> =
        (0..graph.nodes.len()).filter(|index| targets.includes(*index)).filter(says_so).collect();
    let mut found = graph.reachable(all.iter().copied());
    all.into_iter().for_each(|index| found[index] = true);
    found
}

/// Whether a declared output has a number of another form than the one that the state has: before 1.15 that is a difference.
fn has_computed_numbers(output: &super::PlannedOutput) -> bool {
    let mut found = false;
    if output.declared {
        output.after.visit(|_, part| {
            found |= part.as_number().is_some_and(|number| !number.has_form_of_text());
            if found { Descend::Over } else { Descend::Into }
        });
    }
    found
}

/// Finds changes outside of Terraform. Terraform loads the schemas of providers that the configuration and the
/// refreshed state need, so a deleted object of another provider cannot be shown: a warning.
fn drift(
    stored: &PriorState,
    refreshed: &PriorState,
    input: &PlanInput<'_>,
    moves: &Moves,
    warnings: &mut Diagnostics,
) -> Vec<PlannedObject> {
    let mut found = Vec::new();
    let providers = LazyCell::new(|| {
        let mut providers = input.config.providers();
        providers.extend(refreshed.resources.values().map(|resource| resource.provider.provider.clone()));
        providers
    });
    for (address, resource) in &stored.resources {
        if address.mode != Mode::Managed {
            continue;
        }
        for (key, instance) in &resource.instances {
            let Some(before) = &instance.current else { continue };
            let address = InstanceAddress { resource: address.clone(), key: key.clone() };
            let now = refreshed
                .resources
                .get(&address.resource)
                .and_then(|resource| resource.instances.get(key))
                .and_then(|instance| instance.current.as_ref());
            let previous_address = moves.moved.get(&address).cloned();
            let before = &before.value;
            // Terraform reports an object that a provider has converted as drift, unless its built-in provider has done it.
            let is_converted = moves.converted.contains(&address) && !resource.provider.provider.is_builtin();
            let action = match now {
                None if !providers.contains(&resource.provider.provider) => {
                    warnings.without_place(
                        Severity::Warning,
                        "Missing resource schema from provider",
                        format!(
                            "No resource schema found for {} when decoding prior state",
                            address.resource.resource_type
                        ),
                    );
                    continue;
                }
                None => PlannedAction::Delete,
                Some(now)
                    if is_converted || !now.value.unmark_deep().0.identical(&before.unmark_deep().0) =>
                {
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
                before: before.clone(),
                after: now.map_or_else(|| Value::null(objchange::Type::Dynamic), |now| now.value.clone()),
                schema: schema.ok().flatten().map(|schema| std::sync::Arc::new(schema.clone())),
                replace_paths: Vec::new(),
                importing: None,
                generated_config: None,
                identities: Identities::default(),
                address,
            });
        }
    }
    found
}

/// Whether `moved` and `removed` blocks have to agree with the rest of the configuration. Terraform 1.11.4 looks at that only while it
/// plans what is wanted: a destroy plan does so before it destroys anything, if it refreshes. With `-refresh-only` it does not look at
/// `removed` blocks.
fn checks_moves(input: &PlanInput<'_>) -> bool {
    let is_empty = input.state.resources.is_empty() && input.state.outputs.is_empty();
    input.options.mode != PlanMode::Destroy || input.options.refresh && !is_empty
}

/// Whether an object of a managed resource is not as it was stored, in its value or in what is kept beside it. Since 1.15
/// what it depends on does not count, and `terraform_remote_state` always does.
fn differs(stored: &PriorState, refreshed: &PriorState, is_old: bool) -> bool {
    // The data source of Terraform itself counts, too, whatever it gives.
    let is_own_data = |(address, resource): (&ResourceAddress, &StateResource)| {
        address.mode == Mode::Data && resource.provider.provider.is_builtin()
    };
    let has_data = || refreshed.resources.iter().any(is_own_data);
    !is_old && has_data()
        || stored.resources.iter().filter(|(address, _)| address.mode == Mode::Managed).any(
            |(address, resource)| {
                let now = refreshed.resources.get(address);
                resource.instances.iter().any(|(key, instance)| {
                    let now = now.and_then(|now| now.instances.get(key));
                    match (&instance.current, now.and_then(|now| now.current.as_ref())) {
                        (Some(before), Some(now)) => {
                            before.create_before_destroy != now.create_before_destroy
                                || is_old && !same_dependencies(&before.dependencies, &now.dependencies)
                                || before.private != now.private
                                || !before.value.unmark_deep().0.identical(&now.value.unmark_deep().0)
                        }
                        (before, now) => before.is_some() != now.is_some(),
                    }
                })
            },
        )
}

/// Whether Terraform takes the objects of a resource for other ones once they are read, though they are not: numbers that
/// providers send in binary form are not the same to it as those that it reads out of a state file. Since 1.15 that has only
/// been seen of negative ones.
fn has_reread_numbers((address, resource): (&ResourceAddress, &StateResource), is_old: bool) -> bool {
    if address.mode != Mode::Managed || resource.provider.provider.is_builtin() {
        return false;
    }
    let objects = resource.instances.values().filter_map(|instance| instance.current.as_ref());
    let mut found = false;
    for object in objects {
        object.value.visit(|_, part| {
            let number = part.as_number();
            let number = number.filter(|number| is_old || number.to_f64() < 0.0);
            found |= number.is_some_and(|number| number.as_i64().is_some() || number.as_f64().is_some());
            if found { Descend::Over } else { Descend::Into }
        });
    }
    found
}

/// Whether two lists have the same resources, in whatever order.
fn same_dependencies(a: &[ResourceAddress], b: &[ResourceAddress]) -> bool {
    a.len() == b.len() && a.iter().collect::<BTreeSet<_>>() == b.iter().collect()
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
        } else if output.declared && !plan.missing.is_empty() {
            // With all input the new value may be known, and then it is here.
            state.outputs.remove(name);
        }
    }
    state
}
