//! Running the runs of a file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use hashbrown::HashMap;
use objchange::Value;
use objchange::address::Mode;
use objchange::change::ProviderSecrets;
use objchange_hcl::{Functions, MoveTarget, Override, Places, Span};
use objchange_model::ProviderModel;
use smol_str::SmolStr;

use super::expected::ExpectedFailures;
use super::load::{SuiteFile, TestSuite};
use super::mock::Mock;
use super::order::{RunOrder, VariableNeeds, cycles};
use super::report::{CleanUp, FileReport, RunReport, TestReport, TestStatus};
use super::run::missing_providers;
use super::typing::{Typing, settled};
use super::values::{EarlierRuns, FileScope, RunReferences};
use crate::apply::{GeneratedValues, InventingProviders, NumberSequence};
use crate::config::Config;
use crate::functions::ModuleFunctions;
use crate::plan::graph::resource_text;
use crate::plan::orphans::resource_name;
use crate::plan::references::NoObserver;
use crate::plan::run::PreparedModule;
use crate::plan::{GivenVariable, PlanInput, PlanOptions};
use crate::state::PriorState;
use crate::versions::since;
use crate::{Diagnostics, ProviderAddress, ProviderRules, Schemas, Severity};

/// How tests are run.
#[derive(Debug, Clone)]
pub struct TestOptions {
    /// How runs plan: the workspace, the working directory, and limits. All else comes from the runs.
    pub plan: PlanOptions,
    /// Runs keep their plans and states for the report.
    pub verbose: bool,
    /// An assertion that depends on unknown values is undecided, and no error.
    pub three_valued: bool,
    /// A value that is made up for a provider that is neither there nor mocked is an error.
    pub strict: bool,
    /// The models of providers. Values that a provider refuses by its model fail a run, even if the provider is mocked: Terraform
    /// asks it to validate all the same.
    pub models: Arc<BTreeMap<ProviderAddress, ProviderModel>>,
    /// Validates configurations by the rules of providers, mocked or not.
    pub rules: Option<Arc<dyn ProviderRules>>,
    /// The seed of generated values.
    pub seed: u64,
    /// The time that `timestamp` and `plantimestamp` return, in RFC 3339. Without it they are unknown.
    pub now: Option<String>,
    /// The time since whenever.
    pub clock: fn() -> Duration,
}

impl Default for TestOptions {
    fn default() -> Self {
        Self {
            plan: PlanOptions::default(),
            verbose: false,
            three_valued: false,
            strict: false,
            models: Arc::default(),
            rules: None,
            seed: 0,
            now: None,
            clock: || Duration::ZERO,
        }
    }
}

/// Runs test files, one after the other. Several runners may run files of one suite at the same time.
pub struct TestRunner<'s> {
    pub(super) suite: &'s TestSuite,
    pub(super) schemas: &'s Schemas,
    pub(super) functions: &'s Functions,
    /// The functions while a plan is applied: `uuid` and its like have values.
    applying: Functions,
    /// The functions of values in test files: of variables, mocks and overrides.
    pub(super) language: Functions,
    /// The numbers of `uuid` and `bcrypt`.
    pub(super) numbers: NumberSequence,
    pub(super) options: &'s TestOptions,
    /// The modules that were used already.
    prepared: HashMap<usize, Result<UsedModule<'s>, Diagnostics>>,
    places: Places<'s>,
    /// The rules are those of 1.15.
    pub(super) is_new: bool,
    /// How values are read whose types only a schema would tell.
    pub(super) typing: Typing,
}

impl std::fmt::Debug for TestRunner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestRunner").field("options", &self.options).finish_non_exhaustive()
    }
}

/// A module that runs use.
pub(super) struct UsedModule<'s> {
    pub(super) prepared: PreparedModule<'s>,
    /// Its functions while a plan is applied.
    pub(super) applying: ModuleFunctions,
}

/// A state that runs of a file share.
#[derive(Debug, Default)]
pub(super) struct FileState {
    pub(super) state: PriorState,
    /// The run that has changed it last.
    pub(super) last: Option<usize>,
}

/// The context that runs of a file share.
pub(super) struct FileContext<'f> {
    pub(super) suite_file: &'f SuiteFile,
    pub(super) scope: &'f FileScope<'f>,
    pub(super) mocks: &'f [Mock],
    pub(super) names: &'f [SmolStr],
}

/// The results of the runs of a file so far.
#[derive(Debug, Default)]
pub(super) struct FileProgress {
    pub(super) states: BTreeMap<String, FileState>,
    pub(super) outputs: BTreeMap<SmolStr, Value>,
    pub(super) invented: BTreeSet<String>,
    pub(super) provisioners: BTreeSet<String>,
    /// Secrets of the test file, which must not be printed.
    pub(super) secrets: ProviderSecrets,
}

static NO_STATE: LazyLock<PriorState> = LazyLock::new(PriorState::default);
static NO_VARIABLES: LazyLock<BTreeMap<SmolStr, GivenVariable>> = LazyLock::new(BTreeMap::new);

impl<'s> TestRunner<'s> {
    /// A runner of the files of a suite. `functions` are those of modules, with the files that they may read.
    pub fn new(
        suite: &'s TestSuite,
        schemas: &'s Schemas,
        functions: &'s Functions,
        options: &'s TestOptions,
    ) -> Self {
        let numbers = NumberSequence::default();
        let applying = match &options.now {
            Some(now) => {
                let numbers = numbers.clone();
                functions.clone().with_changing_values(now, move || numbers.next())
            }
            None => functions.clone(),
        };
        // `plantimestamp` has no value outside of a plan.
        let language = applying.clone().of_version(suite.version.parts()).without("plantimestamp");
        Self {
            suite,
            schemas,
            functions,
            applying,
            language,
            numbers,
            options,
            prepared: HashMap::new(),
            places: suite.config().sources.places(),
            is_new: since(suite.version, "1.15"),
            typing: Typing::Written,
        }
    }

    /// Runs all files, one after the other.
    pub fn run(&mut self) -> TestReport {
        let files = (0..self.suite.files.len()).map(|file| self.run_file(file));
        TestReport { files: files.collect() }
    }

    /// Runs the file with this position among those of the suite. There is nothing in the report of one that is not there.
    pub fn run_file(&mut self, index: usize) -> FileReport {
        self.typing = Typing::Written;
        let written = self.run_file_once(index);
        let assumed = &self.schemas.assumed().providers;
        if assumed.is_empty() {
            return written;
        }
        let mut readings = vec![written];
        for typing in Typing::OTHERS {
            self.typing = typing;
            readings.push(self.run_file_once(index));
        }
        let runs = self.suite.files.get(index).map(|file| &file.file.runs);
        let headers: Vec<Span> = runs.into_iter().flatten().map(|run| run.header).collect();
        settled(readings, &headers, assumed, self.options.strict)
    }

    fn run_file_once(&mut self, index: usize) -> FileReport {
        let suite = self.suite;
        let Some(suite_file) = suite.files.get(index) else { return FileReport::default() };
        let file = &suite_file.file;
        let names: Vec<SmolStr> = file.runs.iter().map(|run| run.name.clone()).collect();
        let mut report = FileReport {
            path: suite_file.path.clone(),
            names: names.iter().map(ToString::to_string).collect(),
            unused: self.unused(suite_file),
            ..FileReport::default()
        };
        let variables = VariableNeeds::new(file);
        let references: Vec<RunReferences> = file.runs.iter().map(RunReferences::new).collect();
        // Terraform 1.15 finds these before the first run of the file; 1.11.4 finds them in the runs.
        if self.is_new {
            report.diagnostics = self.impossible(suite_file, &variables, &references);
            report.runs = self.refused(suite_file);
            if report.diagnostics.has_errors() || !report.runs.is_empty() {
                report.status = TestStatus::Error;
                return report;
            }
        }
        let language = self.language.clone();
        self.numbers.start(GeneratedValues::new(self.options.seed, &[&suite_file.path]));
        let (mut scope, mut found) =
            FileScope::new(suite_file, &suite.modules[0], &language, self.is_new, &variables);
        let mut is_broken = !self.is_new && found.has_errors();
        let mut mocks = Vec::new();
        for (provider, data) in file.mock_providers.iter().zip(&suite_file.mocks) {
            let (mock, wrong) = Mock::new(provider, data, &language, |span| self.place(span));
            is_broken |= wrong.has_errors();
            found.append(wrong);
            mocks.push(mock);
        }
        let mut progress = FileProgress::default();
        let has_parallel = since(suite.version, "1.12");
        let config = |run| self.config_of(suite_file, run);
        let order = RunOrder::new(file, &variables, &references, config, has_parallel);
        for (index, run) in file.runs.iter().enumerate() {
            // Since 1.15 values of a file may refer to runs, so each run makes more of them known.
            scope.settle(&EarlierRuns { outputs: &progress.outputs, names: &names }, &mut found);
            // After an error Terraform skips the runs that wait for it. A failed assertion skips none.
            let is_over = |run: &RunReport| matches!(run.status, TestStatus::Error | TestStatus::Skip);
            let is_skipped = is_broken
                || scope.lacks_values_for(&references[index], self.config_of(suite_file, index))
                || (0..index).any(|before| is_over(&report.runs[before]) && order.waits(index, before));
            let run_report = if is_skipped {
                RunReport {
                    name: run.name.to_string(),
                    status: TestStatus::Skip,
                    // As Terraform: the first one notices that the file is broken.
                    started: is_broken && index == 0,
                    assertions: run.asserts.len(),
                    diagnostics: self.unused_of_run(suite_file, index),
                    ..RunReport::default()
                }
            } else {
                let context = FileContext { suite_file, scope: &scope, mocks: &mocks, names: &names };
                self.run_one(&context, &mut progress, index)
            };
            report.status = report.status.max(run_report.status);
            report.runs.push(run_report);
        }
        scope.settle(&EarlierRuns { outputs: &progress.outputs, names: &names }, &mut found);
        if found.has_errors() {
            report.status = TestStatus::Error;
        }
        report.diagnostics.append(found);
        report.cleanups = clean_up(&mut progress.states, &names);
        report.invented = progress.invented.into_iter().collect();
        report.provisioners = progress.provisioners.into_iter().collect();
        scope.learn_secrets(&mut progress.secrets);
        report.hide(progress.secrets);
        report
    }

    /// A place as messages write it.
    pub(super) fn place(&self, span: Span) -> String {
        self.places.find(span).map(|place| place.to_string()).unwrap_or_default()
    }

    /// A module of the suite, validated.
    pub(super) fn prepare(&mut self, module: usize) -> Result<&UsedModule<'s>, &Diagnostics> {
        let (suite, schemas, functions) = (self.suite, self.schemas, self.functions);
        let (options, applying) = (&self.options.plan, &self.applying);
        // Validation looks at neither values nor state, so all runs of a module share it.
        let prepared = self.prepared.entry(module).or_insert_with(|| {
            let config = &suite.modules[module].config;
            // Whether it gets what it wants depends on the run.
            let given = config.wanted_configs();
            let input =
                PlanInput { config, schemas, state: &NO_STATE, variables: &NO_VARIABLES, functions, options };
            let mut providers = InventingProviders::default();
            let prepared = PreparedModule::new(&input, &given, &mut providers, &mut NoObserver)?;
            let applying = ModuleFunctions::new(config, schemas, applying, options.version, &providers);
            Ok(UsedModule { prepared, applying })
        });
        prepared.as_ref()
    }

    fn config_of(&self, suite_file: &SuiteFile, run: usize) -> &'s Config {
        let module = suite_file.modules.get(run).copied().unwrap_or(0);
        &self.suite.modules[module].config
    }

    /// The runs of a file that expect failures of what has no conditions, or that name providers that are not there. With any
    /// of them nothing of the file is run.
    fn refused(&self, suite_file: &SuiteFile) -> Vec<RunReport> {
        let mut refused = Vec::new();
        for (index, run) in suite_file.file.runs.iter().enumerate() {
            let (_, mut diagnostics) = ExpectedFailures::new(&run.expect_failures);
            missing_providers(&suite_file.file, run, &mut diagnostics);
            if diagnostics.has_errors() {
                diagnostics.append(self.unused_of_run(suite_file, index));
                refused.push(RunReport {
                    name: run.name.to_string(),
                    status: TestStatus::Error,
                    assertions: run.asserts.len(),
                    diagnostics,
                    ..RunReport::default()
                });
            }
        }
        refused
    }

    /// Overrides of a run whose targets are not in its module. Before 1.15 only runs that are run have them.
    pub(super) fn unused_of_run(&self, suite_file: &SuiteFile, index: usize) -> Diagnostics {
        let mut found = Diagnostics::default();
        if self.is_new {
            let config = self.config_of(suite_file, index);
            unknown_targets(&suite_file.file.runs[index].overrides, config, &mut found);
        }
        found
    }

    /// Finds errors that keep a file from running: unknown providers, and cycles of runs and variables.
    fn impossible(
        &self,
        suite_file: &SuiteFile,
        variables: &VariableNeeds<'_>,
        references: &[RunReferences],
    ) -> Diagnostics {
        let mut found = Diagnostics::default();
        let file = &suite_file.file;
        let blocks = file.providers.iter().map(|provider| &provider.name);
        for name in blocks.chain(file.mock_providers.iter().map(|provider| &provider.name)) {
            let provider = self.suite.provider_named(suite_file, name);
            if !self.schemas.has_provider(&provider) {
                let summary = format!("unknown provider {provider}");
                found.without_place(Severity::Error, ("unknown_provider", summary), "");
            }
        }
        let version = self.suite.version;
        cycles(file, &suite_file.path, version, &mut found);
        let needs = |run: usize, name: &SmolStr| {
            references[run].needs_variable(self.config_of(suite_file, run), name)
        };
        variables.cycle((&suite_file.path, version), &needs, &mut found);
        found
    }

    /// Overrides of the file and its mocks whose targets are in no module that its runs use. Mock files may serve others, too.
    fn unused(&self, suite_file: &SuiteFile) -> Diagnostics {
        let mut found = Diagnostics::default();
        let of_mocks = suite_file.file.mock_providers.iter().flat_map(|provider| &provider.data.overrides);
        for overriding in suite_file.file.overrides.iter().chain(of_mocks) {
            let mut modules = std::iter::once(0).chain(suite_file.modules.iter().copied());
            if !modules.any(|module| has_target(&self.suite.modules[module].config, overriding)) {
                unknown_target(overriding, &mut found);
            }
        }
        found
    }
}

/// Whether the target of an override is declared, whatever its keys are.
fn has_target(config: &Config, overriding: &Override) -> bool {
    match &overriding.target {
        MoveTarget::Module(module) => config.module_of(module).is_some(),
        MoveTarget::Resource(address) => config.module_of(&address.resource.module).is_some_and(|module| {
            config.modules[module].config.resources.contains_key(&resource_name(&address.resource))
        }),
    }
}

/// Says which overrides have targets that are not there.
pub(super) fn unknown_targets(overrides: &[Override], config: &Config, found: &mut Diagnostics) {
    let unknown = overrides.iter().filter(|overriding| !has_target(config, overriding));
    unknown.for_each(|overriding| unknown_target(overriding, found));
}

/// Says that the target of an override is not there.
fn unknown_target(overriding: &Override, found: &mut Diagnostics) {
    let target = match &overriding.target {
        MoveTarget::Module(module) => module.to_string(),
        MoveTarget::Resource(address) => address.to_string(),
    };
    let detail = format!(
        "The override target {target} does not exist within the configuration under test. This could indicate a typo in the \
         target address or an unnecessary override."
    );
    found.warning("Invalid override target", overriding.target_span, detail);
}

/// Destroys what the runs of a file have made, the state that was changed last first.
fn clean_up(states: &mut BTreeMap<String, FileState>, names: &[SmolStr]) -> Vec<CleanUp> {
    let has_objects =
        |state: &PriorState| state.resources.keys().any(|address| address.mode == Mode::Managed);
    let mut last: Vec<usize> =
        states.values().filter(|state| has_objects(&state.state)).filter_map(|state| state.last).collect();
    // Terraform 1.11.4 destroys in the reverse order of the last applies. In 1.15 the order is random.
    last.sort_unstable();
    states.clear();
    let runs = last.into_iter().rev().filter_map(|index| names.get(index));
    let clean_up = |name: &SmolStr| CleanUp {
        run: name.to_string(),
        left: Vec::new(),
        diagnostics: Diagnostics::default(),
    };
    runs.map(clean_up).collect()
}

/// The addresses of the resources of a module that have provisioners.
pub(super) fn with_provisioners(config: &Config) -> impl Iterator<Item = String> + '_ {
    config.modules.iter().flat_map(|module| {
        let prefix: String = module.path.iter().map(|name| format!("module.{name}.")).collect();
        let resources =
            module.config.resources.iter().filter(|(_, resource)| !resource.provisioners.is_empty());
        resources.map(move |(name, _)| format!("{prefix}{}", resource_text(name)))
    })
}
