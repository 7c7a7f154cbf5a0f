//! One run: its plan, its apply, and its assertions.

use std::collections::BTreeSet;

use objchange::address::Mode;
use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{Expr, MoveTarget, OverrideDuring, RunCommand, TestFile, TestRun, variables};
use smol_str::SmolStr;

use super::assertion::AssertionRules;
use super::coverage::note_resources;
use super::expected::{ExpectedFailures, Stage};
use super::file::{
    FileContext, FileProgress, TestOptions, TestRunner, UsedModule, unknown_targets, with_provisioners,
};
use super::mock::{Mock, TestProviders};
use super::overrides::{LeveledOverride, Overrides};
use super::report::{RunOutcome, RunReport, TestStatus};
use super::scope::{RunScope, subject};
use super::values::{EarlierRuns, RunVariables};
use crate::apply::{GeneratedValues, InventingProviders, apply_prepared};
use crate::config::Config;
use crate::functions::ModuleFunctions;
use crate::plan::evaluated::{World, dynamic};
use crate::plan::inventions::count_undecided;
use crate::plan::references::NoObserver;
use crate::plan::run::{Evaluated, PreparedModule, plan_prepared};
use crate::plan::targets::Targets;
use crate::plan::{ModulePlan, PlanInput, PlanMode, PlanOptions, PlannedAction, Target};
use crate::state::PriorState;
use crate::versions::since;
use crate::{Diagnostics, ProviderConfigAddress, Severity};

/// A run that cannot go on has an error.
struct Stopped;

impl TestRunner<'_> {
    /// Runs the run with this position in its file.
    pub(super) fn run_one(
        &mut self,
        context: &FileContext<'_>,
        progress: &mut FileProgress,
        index: usize,
    ) -> RunReport {
        let run = &context.suite_file.file.runs[index];
        let started_at = (self.options.clock)();
        let mut report = RunReport {
            name: run.name.to_string(),
            status: TestStatus::Pass,
            started: true,
            assertions: run.asserts.len(),
            started_at,
            diagnostics: self.unused_of_run(context.suite_file, index),
            ..RunReport::default()
        };
        if self.execute(context, progress, index, &mut report).is_err() {
            report.status = TestStatus::Error;
        }
        report.elapsed = (self.options.clock)().saturating_sub(started_at);
        report
    }

    /// Plans the module of a run, applies the plan if the run asks for it, and evaluates the assertions.
    fn execute(
        &mut self,
        context: &FileContext<'_>,
        progress: &mut FileProgress,
        index: usize,
        report: &mut RunReport,
    ) -> Result<(), Stopped> {
        let suite_file = context.suite_file;
        let run = &suite_file.file.runs[index];
        let module = suite_file.modules.get(index).copied().unwrap_or(0);
        let config = &self.suite.modules[module].config;
        let values = GeneratedValues::new(self.options.seed, &[&suite_file.path, &run.name]);
        self.numbers.start(values);
        let ReadRun { mut expected, options, given, used, overrides } =
            self.read_run(context, progress, index, report)?;
        given.learn_secrets(&mut progress.secrets);
        let before =
            progress.states.get(&state_key(run)).map(|state| state.state.clone()).unwrap_or_default();
        let (schemas, functions) = (self.schemas, self.functions);
        let (test_options, is_new, typing) = (self.options, self.is_new, self.typing);
        let mocks_ephemeral = since(self.suite.version, "1.16");
        let UsedModule { prepared, applying } = self.prepare(module).map_err(|found| {
            report.diagnostics.append(found.clone());
            Stopped
        })?;
        let input = PlanInput {
            config,
            schemas,
            state: &before,
            variables: &given.given,
            functions,
            options: &options,
        };
        let mut providers = TestProviders {
            others: InventingProviders::new(values),
            mocks: used.iter().map(|mocked| (mocked.address.clone(), mocked.mock)).collect(),
            overrides: &overrides,
            models: &test_options.models,
            assumed: schemas.assumed(),
            typing,
            rules: test_options.rules.as_deref(),
            is_new,
            mocks_ephemeral,
        };
        let command =
            CommandOfRun { run, index, module, input: &input, prepared, applying, test_options, is_new };
        let (plan, planned) = plan_prepared(&input, prepared, &mut providers, &mut NoObserver);
        if let (Some(coverage), Some(Evaluated { world })) = (functions.coverage(), &planned) {
            note_resources(world, coverage);
        }
        let evaluated = match run.command {
            RunCommand::Plan => {
                command.accept_plan(plan, &mut expected, report)?;
                planned
            }
            RunCommand::Apply => command.apply(&plan, &mut providers, &mut expected, progress, report)?,
        };
        let functions_of_run = match run.command {
            RunCommand::Plan => &prepared.functions,
            RunCommand::Apply => applying,
        };
        let Some(Evaluated { mut world }) = evaluated else { return Err(Stopped) };
        let targets = Targets::new(config, &prepared.graph, &options, &before);
        // Outputs that targets leave out keep their values in the state; since Terraform 1.15 they are unknown.
        if !targets.is_all() && !is_new {
            keep_outputs(config, &before, &mut world);
        }
        let scope = RunScope {
            config,
            graph: &prepared.graph,
            world: &world,
            targets: &targets,
            others: &given.others,
            secret: &given.secret,
            runs: &progress.outputs,
            run_names: context.names,
            functions: &functions_of_run.of_module(0).clone().outside_of_modules(),
        };
        report.undecided = count_undecided(&report.diagnostics);
        scope.judge_all(&run.asserts, AssertionRules::new(test_options, is_new), report);
        if test_options.strict && report.undecided > 0 {
            report.diagnostics.refuse_undecided();
            report.status = TestStatus::Error;
        }
        progress.invented.extend(invented(&mut providers.others, test_options.strict, report));
        // Terraform 1.11.4 lets later runs refer to the outputs of a run whose assertions failed, too.
        progress.outputs.insert(run.name.clone(), outputs(config, &world));
        Ok(())
    }

    /// Reads all that a run needs before it plans.
    fn read_run<'f>(
        &self,
        context: &FileContext<'f>,
        progress: &FileProgress,
        index: usize,
        report: &mut RunReport,
    ) -> Result<ReadRun<'f>, Stopped> {
        let suite_file = context.suite_file;
        let run = &suite_file.file.runs[index];
        let module = suite_file.modules.get(index).copied().unwrap_or(0);
        let config = &self.suite.modules[module].config;
        let (mut expected, found) = ExpectedFailures::new(&run.expect_failures);
        expected.is_verbose = self.is_new && self.options.verbose;
        report.started = !found.has_errors() || !self.is_new;
        checked(found, report)?;
        checked(self.suite.unsuitable.get(module).cloned().unwrap_or_default(), report)?;
        checked(unreadable_references(run), report)?;
        let (options, found) = self.plan_options(run);
        checked(found, report)?;
        let mut found = Diagnostics::default();
        let earlier = EarlierRuns { outputs: &progress.outputs, names: context.names };
        let given = context.scope.run_variables(run, &self.suite.modules[module], &earlier, &mut found);
        checked(found, report)?;
        let used = used_mocks(context, run, config, &mut report.diagnostics)?;
        let (overrides, mut found) = self.overrides(context, run, &used);
        if !self.is_new {
            unknown_targets(&run.overrides, config, &mut found);
        }
        checked(found, report)?;
        let given_providers = given_providers(&context.suite_file.file, run, config);
        checked(config.missing_provider_configs(self.options.plan.version, &given_providers), report)?;
        let overridden_modules = overrides.modules.clone();
        let options = PlanOptions { overridden_modules, given_providers, ..options };
        Ok(ReadRun { expected, options, given, used, overrides })
    }

    /// The overrides of a run: its own, then those of the file, then those of its mocks.
    fn overrides(
        &self,
        context: &FileContext<'_>,
        run: &TestRun,
        used: &[UsedMock<'_>],
    ) -> (Overrides, Diagnostics) {
        let file = &context.suite_file.file;
        // Order of precedence: the run's overrides, the file's, then those of mock providers.
        let plain = run.overrides.iter().chain(&file.overrides).map(|overriding| (overriding, None, None));
        let of_mocks = used.iter().flat_map(|mocked| {
            let data = &context.suite_file.mocks[mocked.position];
            let overrides = data.iter().flat_map(|data| &data.overrides);
            overrides.map(|overriding| (overriding, mocked.during, Some(&mocked.address)))
        });
        let levels: Vec<LeveledOverride<'_>> = plain.chain(of_mocks).collect();
        Overrides::new(levels, &self.language, self.is_new, |span| self.place(span))
    }

    /// How a run plans, and what is wrong with its `plan_options`.
    fn plan_options(&self, run: &TestRun) -> (PlanOptions, Diagnostics) {
        let mut found = Diagnostics::default();
        let wanted = &run.plan_options;
        let mut targets = Vec::new();
        for expr in &wanted.target {
            match expr.as_target() {
                Ok(MoveTarget::Module(module)) => targets.push(Target::Module(module)),
                Ok(MoveTarget::Resource(address)) => targets.push(Target::Resource(address)),
                Err(error) => found.errors([*error]),
            }
        }
        let mut replace = Vec::new();
        for expr in &wanted.replace {
            match expr.as_target() {
                Ok(MoveTarget::Resource(address)) if address.resource.mode == Mode::Managed => {
                    replace.push(address);
                }
                Ok(MoveTarget::Resource(address)) => {
                    let summary = "Can only target managed resources for forced replacements.";
                    found.error(("not_managed", summary), expr.span, address.to_string());
                }
                Ok(MoveTarget::Module(_)) => {
                    let detail = "A resource instance address is required here. The module path must be followed by a resource \
                                  instance specification.";
                    found.error("Invalid address", expr.span, detail);
                }
                Err(error) => found.errors([*error]),
            }
        }
        if !found.has_errors() && wanted.refresh_only && !replace.is_empty() {
            let detail = "Forcing resource instance replacement (with -replace=...) is allowed only in normal planning mode.";
            found.without_place(Severity::Error, "Unsupported plan mode", detail);
        }
        let mode = if wanted.refresh_only { PlanMode::RefreshOnly } else { PlanMode::Normal };
        let options = PlanOptions {
            mode,
            refresh: wanted.refresh,
            targets,
            replace,
            version: self.suite.version,
            ..self.options.plan.clone()
        };
        (options, found)
    }
}

/// The inputs of a run, read before it plans.
struct ReadRun<'f> {
    expected: ExpectedFailures,
    options: PlanOptions,
    given: RunVariables,
    used: Vec<UsedMock<'f>>,
    overrides: Overrides,
}

/// The context of a run's command.
struct CommandOfRun<'r, 's> {
    run: &'r TestRun,
    index: usize,
    module: usize,
    input: &'r PlanInput<'s>,
    prepared: &'r PreparedModule<'s>,
    applying: &'r ModuleFunctions,
    test_options: &'r TestOptions,
    is_new: bool,
}

impl<'s> CommandOfRun<'_, 's> {
    /// Judges the plan of a run that only plans. The run ends where the plan is not as expected.
    fn accept_plan(
        &self,
        plan: ModulePlan,
        expected: &mut ExpectedFailures,
        report: &mut RunReport,
    ) -> Result<(), Stopped> {
        if check_expected_failures(expected, &plan.diagnostics, Stage::Plan, report)? {
            return Err(Stopped);
        }
        if self.test_options.verbose {
            report.outcome = Some(RunOutcome::Plan(Box::new(plan), self.input.options.mode, self.module));
        }
        Ok(())
    }

    /// Applies the plan of a run, and keeps the state for later runs.
    fn apply(
        &self,
        plan: &ModulePlan,
        providers: &mut TestProviders<'_>,
        expected: &mut ExpectedFailures,
        progress: &mut FileProgress,
        report: &mut RunReport,
    ) -> Result<Option<Evaluated<'s>>, Stopped> {
        // An expected failure while planning keeps the run from applying, so Terraform reports an error all the same.
        checked(expected.judge(&plan.diagnostics, Stage::PlanBeforeApply).0, report)?;
        checked(self.unset_ephemeral_variables(), report)?;
        let not_applyable = not_applyable(plan);
        if not_applyable.has_errors() {
            check_expected_failures(expected, &not_applyable, Stage::Apply, report)?;
        }
        providers.others.is_applying = true;
        let (applied, evaluated) = apply_prepared(self.input, self.prepared, self.applying, plan, providers);
        let state = progress.states.entry(state_key(self.run)).or_default();
        // A partly failed apply leaves its objects in the state, for the clean-up to destroy.
        (state.state, state.last) = (applied.state.clone(), Some(self.index));
        progress.provisioners.extend(with_provisioners(self.input.config));
        let is_missing = check_expected_failures(expected, &applied.diagnostics, Stage::Apply, report)?;
        // Terraform 1.11.4 ends the run here. 1.15 goes on to its assertions, and the run fails.
        if is_missing && !self.is_new {
            return Err(Stopped);
        }
        if self.test_options.verbose {
            report.outcome = Some(RunOutcome::State(Box::new(applied.state), self.module));
        }
        Ok(evaluated)
    }
}

impl CommandOfRun<'_, '_> {
    /// Before 1.16 Terraform applies nothing where an ephemeral variable has its default.
    fn unset_ephemeral_variables(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        if since(self.input.options.version, "1.16") {
            return found;
        }
        let declared = self.input.config.modules.first().map(|root| &root.config.variables);
        let is_unset = |name: &SmolStr| !self.input.variables.contains_key(name);
        for (name, _) in
            declared.into_iter().flatten().filter(|(name, variable)| variable.ephemeral && is_unset(name))
        {
            let detail = format!(
                "The ephemeral input variable {:?} was not set during the plan phase, and so must remain unset during the \
                 apply phase.",
                name.as_str()
            );
            found.without_place(Severity::Error, "No value for required variable", detail);
        }
        found
    }
}

/// Terraform 1.11.4 and 1.15.5 do not apply a plan that only refreshes and has outputs none of which is known: it changes
/// something, and there is nothing to keep.
fn not_applyable(plan: &ModulePlan) -> Diagnostics {
    let mut found = Diagnostics::default();
    let changes_outputs = plan.outputs.values().any(|output| output.action != PlannedAction::NoOp);
    if !plan.applyable && changes_outputs {
        let detail =
            "The given plan is not applyable. If this seems like a bug in Terraform, then please report it!";
        found.without_place(Severity::Error, "Cannot apply non-applyable plan", detail);
    }
    found
}

/// Reports what planning or applying has found beside expected failures, and which of these are missing; whether there are
/// any. Stops at other errors.
fn check_expected_failures(
    expected: &mut ExpectedFailures,
    found: &Diagnostics,
    stage: Stage,
    report: &mut RunReport,
) -> Result<bool, Stopped> {
    let (found, is_stopped) = expected.judge(found, stage);
    let (missing, is_missing) = expected.missing();
    report.diagnostics.append(found);
    report.diagnostics.append(missing);
    if is_missing && stage == Stage::Apply {
        report.status = TestStatus::Fail;
    }
    if is_stopped { Err(Stopped) } else { Ok(is_missing) }
}

/// Returns the values that providers invented. Under `is_strict` they are an error.
fn invented(providers: &mut InventingProviders, is_strict: bool, report: &mut RunReport) -> Vec<String> {
    let invented: Vec<String> = std::mem::take(&mut providers.invented)
        .into_iter()
        .map(|invention| format!("{}.{}", invention.address, invention.attribute))
        .collect();
    if is_strict && !invented.is_empty() {
        let detail = format!(
            "No provider was there to choose these values, and no mock: {}. Mock the provider, or override the resource.",
            invented.join(", ")
        );
        report.diagnostics.without_place(Severity::Error, "Values were made up", detail);
        report.status = TestStatus::Error;
    }
    invented
}

/// The outputs of the root module, for later runs.
fn outputs(config: &Config, world: &World<'_>) -> Value {
    let root = &world.instances[0];
    let output = |name: &SmolStr| root.outputs.get(name).cloned().unwrap_or_else(dynamic);
    let declared = config.modules[0].config.outputs.keys();
    Value::object(declared.map(|name| (name.clone(), output(name))).collect::<Vec<_>>())
}

/// Adds what was found; stops where that has errors.
fn checked(found: Diagnostics, report: &mut RunReport) -> Result<(), Stopped> {
    let is_right = !found.has_errors();
    report.diagnostics.append(found);
    if is_right { Ok(()) } else { Err(Stopped) }
}

/// Reports unparsable references in the conditions of a run.
fn unreadable_references(run: &TestRun) -> Diagnostics {
    let mut found = Diagnostics::default();
    let conditions = run.asserts.iter().flat_map(|assert| [&assert.condition, &assert.error_message]);
    for reference in conditions.flat_map(|expr: &Expr| variables(expr)) {
        found.errors(subject(&reference).1);
    }
    found
}

/// The key of a run's state: its `state_key`, else its module.
pub(super) fn state_key(run: &TestRun) -> String {
    match (&run.state_key, &run.module) {
        // A `state_key` may name one state for several modules.
        (Some(key), _) => key.clone(),
        (None, Some(module)) => module.source.0.clone(),
        (None, None) => String::new(),
    }
}

/// A mock that a run uses.
struct UsedMock<'f> {
    address: ProviderConfigAddress,
    mock: &'f Mock,
    /// The position of its block in the file.
    position: usize,
    during: Option<OverrideDuring>,
}

/// The mocks that a run uses, by the provider configurations that they replace.
fn used_mocks<'f>(
    context: &FileContext<'f>,
    run: &TestRun,
    config: &Config,
    found: &mut Diagnostics,
) -> Result<Vec<UsedMock<'f>>, Stopped> {
    let file = &context.suite_file.file;
    let address = |name: &SmolStr, alias: Option<&SmolStr>| ProviderConfigAddress {
        module: Vec::new(),
        provider: config.provider_named(0, name),
        alias: alias.cloned(),
    };
    let used = |position: usize, address: ProviderConfigAddress| {
        let mock = context.mocks.get(position)?;
        Some(UsedMock { address, mock, position, during: file.mock_providers[position].during })
    };
    if run.providers.is_empty() {
        let known = root_providers(config);
        let mocks = file.mock_providers.iter().enumerate();
        // Terraform passes a mock to child modules only if the root module requires or uses its provider.
        let mocks = mocks.filter(|(_, provider)| known.contains(&provider.name));
        return Ok(mocks
            .filter_map(|(position, provider)| {
                used(position, address(&provider.name, provider.alias.as_ref()))
            })
            .collect());
    }
    let mut all = Vec::new();
    let errors = found.error_count();
    for (inside, outside) in &run.providers {
        let is_it =
            |name: &SmolStr, alias: &Option<SmolStr>| *name == outside.name && *alias == outside.alias;
        if let Some(position) = file.mock_providers.iter().position(|mock| is_it(&mock.name, &mock.alias)) {
            all.extend(used(position, address(&inside.name, inside.alias.as_ref())));
        }
    }
    missing_providers(file, run, found);
    if found.error_count() > errors { Err(Stopped) } else { Ok(all) }
}

/// The provider configurations that a run gives its module: those that it names, else all of its file.
fn given_providers(file: &TestFile, run: &TestRun, config: &Config) -> BTreeSet<ProviderConfigAddress> {
    let address = |(name, alias): (&SmolStr, &Option<SmolStr>)| ProviderConfigAddress {
        module: Vec::new(),
        provider: config.provider_named(0, name),
        alias: alias.clone(),
    };
    if !run.providers.is_empty() {
        return run.providers.iter().map(|(inside, _)| address((&inside.name, &inside.alias))).collect();
    }
    let mocks = file.mock_providers.iter().map(|mock| (&mock.name, &mock.alias));
    let blocks = file.providers.iter().map(|provider| (&provider.name, &provider.alias));
    mocks.chain(blocks).map(address).collect()
}

/// Says which providers a run names that are not in its file.
pub(super) fn missing_providers(file: &TestFile, run: &TestRun, found: &mut Diagnostics) {
    for outside in run.providers.iter().map(|(_, outside)| outside) {
        let is_it =
            |name: &SmolStr, alias: &Option<SmolStr>| *name == outside.name && *alias == outside.alias;
        let is_mocked = file.mock_providers.iter().any(|mock| is_it(&mock.name, &mock.alias));
        if is_mocked || file.providers.iter().any(|provider| is_it(&provider.name, &provider.alias)) {
            continue;
        }
        let alias = outside.alias.as_ref().map(|alias| format!(".{alias}")).unwrap_or_default();
        let text = format!("{}{alias}", outside.name);
        let detail = "This provider block references a provider definition that does not exist.";
        let summary = format!("Missing provider definition for {text}");
        found.error(("missing_provider_definition", summary), outside.span, detail);
    }
}

/// The local names of the providers that the root module requires or uses.
fn root_providers(config: &Config) -> BTreeSet<SmolStr> {
    let Some(root) = config.modules.first() else { return Default::default() };
    let declared = &root.config;
    let mut names: BTreeSet<SmolStr> = declared.required_providers.keys().cloned().collect();
    names.extend(declared.providers.iter().map(|provider| provider.name.clone()));
    names.extend(declared.resources.keys().map(|name| config.local_ref(0, name).0));
    names
}

/// Outputs of the root module that the targets of a run leave out are as they were.
fn keep_outputs(config: &Config, before: &PriorState, world: &mut World<'_>) {
    let outputs = &mut world.instances[0].outputs;
    for name in config.modules[0]
        .config
        .outputs
        .keys()
        .filter(|name| !outputs.contains_key(*name))
        .collect::<Vec<_>>()
    {
        let value = match before.outputs.get(name) {
            // A state stores no marks inside of outputs, only whether the output is sensitive.
            Some(output) if output.sensitive => output.value.clone().with_marks(Marks::SENSITIVE),
            Some(output) => output.value.clone(),
            None => Value::null(Type::Dynamic),
        };
        outputs.insert(name.clone(), value);
    }
}
