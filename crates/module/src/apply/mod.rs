//! Applies a plan in memory: `Providers` make the changes, and the result is the new state.

mod generate;
mod providers;
mod resource;
mod shapes;

use std::collections::BTreeMap;

use hashbrown::HashSet;
use objchange::Value;
use objchange_hcl::OutputConfig;
use smol_str::SmolStr;

pub(crate) use self::generate::NumberSequence;
pub use self::generate::{FillError, FillProblem, GeneratedValues};
pub use self::providers::{InventingProviders, Invention};
use crate::Diagnostics;
use crate::Severity;
use crate::functions::ModuleFunctions;
use crate::plan::references::NoObserver;
use crate::plan::run::{Evaluated, PreparedModule, WalkedState};
use crate::plan::targets::Targets;
use crate::plan::walk::{Applying, Walk};
use crate::plan::{CheckResult, ModulePlan, PlanInput, PlanMode, PlannedAction, PlannedObject};
use crate::providers::Providers;
use crate::state::{PriorState, Removals, StateOutput};

/// The result of applying a plan.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct AppliedModule {
    /// The state afterwards. Where there were errors, it has what was made before them.
    pub state: PriorState,
    /// The objects with conditions, in the order of their addresses.
    pub checks: Vec<CheckResult>,
    /// All errors and warnings.
    pub diagnostics: Diagnostics,
}

/// Applies a plan in memory. `input` is what the plan was made of; a plan with errors changes nothing.
///
/// ```
/// use objchange_hcl::Functions;
/// use objchange_module::apply::{InventingProviders, apply};
/// use objchange_module::config::MemoryFiles;
/// use objchange_module::plan::{PlanInput, PlanOptions, plan};
/// use objchange_module::state::PriorState;
/// use objchange_module::variables::VariableSources;
/// use objchange_module::{Module, ModuleTexts, Schemas};
///
/// let text = "resource \"terraform_data\" \"t\" {\n  input = 1\n}\noutput \"o\" {\n  value = terraform_data.t.output\n}\n";
/// let files: MemoryFiles = [("main.tf", text)].into_iter().collect();
/// let variables = VariableSources::default();
/// let texts = ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.15.5" };
/// let (schemas, options) = (Schemas::default(), PlanOptions::default());
/// let module = Module::load(texts, &options);
/// let state = PriorState::default();
/// let (config, variables, functions) = (&module.config, &module.variables, Functions::pure());
/// let input = PlanInput { config, schemas: &schemas, state: &state, variables, functions, options: &options };
///
/// let mut providers = InventingProviders::default();
/// let planned = plan(&input, &mut providers);
/// let applied = apply(&input, &planned, &mut providers);
/// assert_eq!(applied.state.outputs["o"].value, objchange::Value::from(1));
/// ```
pub fn apply(input: &PlanInput<'_>, plan: &ModulePlan, providers: &mut dyn Providers) -> AppliedModule {
    match PreparedModule::new(input, &input.options.given_providers, providers, &mut NoObserver) {
        Ok(prepared) => apply_prepared(input, &prepared, &prepared.functions, plan, providers).0,
        Err(diagnostics) => {
            AppliedModule { state: input.state.clone(), diagnostics, ..AppliedModule::default() }
        }
    }
}

/// Applies a plan of a prepared module, and returns the evaluated module after it. Functions such as `uuid` may have values
/// by then.
pub(crate) fn apply_prepared<'c>(
    input: &PlanInput<'c>,
    prepared: &PreparedModule<'c>,
    functions: &ModuleFunctions,
    plan: &ModulePlan,
    providers: &mut dyn Providers,
) -> (AppliedModule, Option<Evaluated<'c>>) {
    if plan.errored {
        return (AppliedModule { state: input.state.clone(), ..AppliedModule::default() }, None);
    }
    let targets = Targets::new(input.config, &prepared.graph, input.options, &plan.prior_state);
    // The plan has decided already what is forgotten, and its prior state has the new addresses.
    let (removals, moved) = (Removals::default(), BTreeMap::new());
    let state = plan.prior_state.clone();
    let walked = WalkedState { state, targets: &targets, moved: &moved, removals: &removals };
    let current = plan.changes.iter().filter(|change| change.deposed.is_none());
    let changes = current.map(|change| (&change.address, change)).collect();
    let mut walk = Walk {
        applying: Some(Applying { changes, changed: HashSet::new() }),
        module_functions: functions,
        functions: functions.of_module(0),
        ..Walk::new(input, prepared, providers, walked)
    };
    walk.world.is_applying = true;
    // The outputs that depend on what could not be made keep their old values.
    walk.state.outputs.clone_from(&input.state.outputs);
    walk.declare_checks();
    walk.run(&prepared.order);
    // Removals come after the walk, because postconditions still look at objects that are destroyed or forgotten.
    for change in &plan.changes {
        walk.apply_removal(change);
    }
    walk.remove_outputs(plan);
    walk.warn_of_deprecated_values(&prepared.deprecated);
    let changed = walk.applying.take().map(|applying| applying.changed).unwrap_or_default();
    walk.set_dependencies(&prepared.order, &changed);
    let Walk { state, checks, mut found, world, .. } = walk;
    if !targets.is_all() {
        found.without_place(Severity::Warning, "Applied changes may be incomplete", INCOMPLETE);
    }
    let applied = AppliedModule { state, checks: checks.finish(), diagnostics: found };
    (applied, Some(Evaluated { world }))
}

const INCOMPLETE: &str = "The plan was created with the -target option in effect, so some changes requested in the configuration \
                          may have been ignored and the output values may not be fully updated. Run the following command \
                          to verify that no other changes are pending:\n    terraform plan\n\nNote that the -target option is \
                          not suitable for routine use, and is provided only for exceptional situations such as recovering \
                          from errors or mistakes, or when Terraform specifically suggests to use it as part of an error \
                          message.";

impl Walk<'_, '_> {
    /// Keeps an output of the root module.
    pub(crate) fn apply_output(&mut self, name: &SmolStr, output: &OutputConfig, value: &Value) {
        let value = value.unmark_deep().0;
        if value.is_null() {
            self.state.outputs.remove(name);
        } else {
            self.state.outputs.insert(name.clone(), StateOutput { value, sensitive: output.sensitive });
        }
    }

    /// Forgets the outputs that are not declared any more.
    fn remove_outputs(&mut self, plan: &ModulePlan) {
        for (name, output) in &plan.outputs {
            if !output.declared {
                self.state.outputs.remove(name);
            }
        }
    }

    /// Takes an object out of the state that is destroyed or forgotten.
    fn apply_removal(&mut self, change: &PlannedObject) {
        if !matches!(change.action, PlannedAction::Delete | PlannedAction::Forget) {
            return;
        }
        let Some(resource) = self.state.resources.get_mut(&change.address.resource) else { return };
        let Some(instance) = resource.instances.get_mut(&change.address.key) else { return };
        match &change.deposed {
            Some(key) => drop(instance.deposed.remove(key)),
            None => instance.current = None,
        }
        if instance.current.is_none() && instance.deposed.is_empty() {
            resource.instances.remove(&change.address.key);
        }
        if resource.instances.is_empty() {
            self.state.resources.remove(&change.address.resource);
        }
    }

    /// Whether only the state is changed.
    pub(crate) fn only_refreshes(&self) -> bool {
        self.input.options.mode == PlanMode::RefreshOnly
    }
}
