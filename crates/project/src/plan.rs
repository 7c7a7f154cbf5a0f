//! The plan of the module in a directory.

#[cfg(feature = "plan-file")]
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use objchange_hcl::{Functions, relative_path};
use objchange_model::ProviderModel;
use objchange_module::config::{Config, Files, OpenTofuFiles, SourceDirectory, is_configuration};
use objchange_module::document::{DocumentInfo, write_plan};
use objchange_module::plan::{
    AcceptsMissing, ModulePlan, PlanInput, PlanMode, PlanOptions, PlannedAction, PlannedObject, plan,
};
use objchange_module::{
    AnsweringProviders, Answers, DiagnosticPrinter, Diagnostics, Module, ModuleTexts, PlanArguments,
    ProviderAddress, Providers, Schemas, Severity, SimulatedProviders, Unanswered,
};
use objchange_plan::{
    Missing, MissingKind, NoState, PlanFile, PlanFileError, PlanOrigin, ProviderDependent, Version,
};
#[cfg(feature = "plan-file")]
use objchange_saved::SavedPlan;

use crate::files::DiskFiles;
use crate::inputs::{self, VariableSetting};
use crate::lock_file::locked_versions;
use crate::plan_error::{PlanError, RefusedPlan};
#[cfg(feature = "provider")]
use crate::program::ProviderProgram;
#[cfg(feature = "provider")]
use crate::real::{JoinedProviders, RealChoice, RealProviders};
use crate::schema_lookup::SchemaLookup;
#[cfg(feature = "provider")]
use crate::schemas::provider_schemas;
use crate::schemas::{GivenSchemas, SchemaError, schema_texts};
use crate::state::{DirectoryState, StateChoice, StateText};
#[cfg(feature = "provider")]
use crate::workplace::Workplace;
use objchange_files::input::Size;
use objchange_text::{Noted, Notice, counted};

/// Settings for planning the module in a directory.
#[derive(Clone)]
pub struct PlanSettings<'a> {
    /// Values of variables, beside those in files of the directory and in the environment.
    pub variables: &'a [VariableSetting],
    /// Files with answers in place of providers.
    pub answers: &'a [PathBuf],
    /// The mode, and what is targeted or replaced.
    pub arguments: PlanArguments,
    /// The most resource instances of a plan.
    pub max_instances: usize,
    /// Directories that may be read, too.
    pub allow_path: &'a [PathBuf],
    /// Sources of modules, and the directories in which these lie.
    pub module_sources: &'a [(String, PathBuf)],
    /// The state that it starts from.
    pub state: StateChoice<'a>,
    /// Computed attributes of updated objects are unknown in a simulated plan, because their provider may change them.
    /// Otherwise they keep their values.
    pub is_strict: bool,
    /// Something decides by the plan, or writes it for others: a module with files that only OpenTofu reads is an error where
    /// nothing says for which program it is.
    pub must_be_whole: bool,
    /// Where a plan file is planned once more, the providers answer as they did when it was made: the plan is explained, and
    /// not made with other inputs.
    pub answers_as_saved: bool,
    /// The inputs that must not be missing.
    pub require: RequiredInputs,
    /// Nobody decides by the plan, and it is not kept: if the state is elsewhere, the configuration alone is planned.
    pub may_lack_state: bool,
    /// The version whose rules apply.
    pub version: Version,
    /// The files are read as OpenTofu reads them.
    pub is_opentofu: bool,
    /// Somebody has said which program this is for.
    pub names_program: bool,
    /// The most bytes of the state and of each document of schemas.
    pub max_input: Size,
    /// Documents of schemas, and directories of them.
    pub schemas: &'a [PathBuf],
    /// Providers that are asked for their schemas, and for more if `real` chooses them.
    #[cfg(feature = "provider")]
    pub programs: &'a [ProviderProgram],
    /// Where the other schemas come from.
    pub lookup: SchemaLookup,
    /// The real providers that run for the plan.
    #[cfg(feature = "provider")]
    pub real: RealChoice<'a>,
    /// Where they are asked.
    #[cfg(feature = "provider")]
    pub workplace: &'a dyn Fn() -> std::io::Result<Workplace>,
}

/// The inputs that must not be missing: if one is, nothing is planned. Without others a plan is made all the same, and
/// whatever depends on them is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequiredInputs {
    /// Values of variables.
    pub variables: bool,
    /// Modules.
    pub modules: bool,
    /// Schemas of providers.
    pub schemas: bool,
    /// The state of a directory.
    pub state: bool,
    /// Files that functions read, where a plan file is planned again.
    pub files: bool,
}

impl Default for PlanSettings<'_> {
    /// Plans by the newest rules, from the state of the directory, with the schemas in the cache of this user, and without
    /// asking providers.
    ///
    /// ```
    /// use objchange_project::{PlanError, PlanSettings, plan_directory};
    ///
    /// let planned = plan_directory("no/such/directory".as_ref(), &PlanSettings::default());
    /// let error = planned.answer.unwrap_err();
    /// assert!(matches!(error, PlanError::Unusable(_)));
    /// ```
    fn default() -> Self {
        Self {
            variables: &[],
            answers: &[],
            arguments: PlanArguments::default(),
            max_instances: 1_000_000,
            allow_path: &[],
            module_sources: &[],
            state: StateChoice::OfDirectory,
            is_strict: false,
            must_be_whole: false,
            answers_as_saved: false,
            require: RequiredInputs::default(),
            may_lack_state: false,
            version: Version::NEWEST,
            is_opentofu: false,
            names_program: false,
            max_input: Size(1 << 30),
            schemas: &[],
            #[cfg(feature = "provider")]
            programs: &[],
            lookup: SchemaLookup::of_user(),
            #[cfg(feature = "provider")]
            real: RealChoice::default(),
            #[cfg(feature = "provider")]
            workplace: &Workplace::new,
        }
    }
}

impl std::fmt::Debug for PlanSettings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values of variables may be secrets.
        f.debug_struct("PlanSettings").field("arguments", &self.arguments).finish_non_exhaustive()
    }
}

/// A module that was planned, and what from.
#[derive(Debug)]
pub struct PlannedDirectory {
    /// The plan, which may have errors.
    pub plan: ModulePlan,
    /// The configuration of all modules.
    pub config: Config,
    /// The schemas of all providers.
    pub schemas: Schemas,
    /// The options that it was planned with.
    pub options: PlanOptions,
    /// The providers that were asked.
    pub asked: BTreeSet<ProviderAddress>,
    /// Questions to providers that had no answer.
    pub unanswered: Unanswered,
    /// Why it was planned from no state, if it was.
    pub no_state: Option<NoState>,
    /// Files with values of variables that were not read, if variables have no value.
    pub variable_files: Vec<String>,
    /// When it was planned: the value of `plantimestamp()`, too.
    pub timestamp: String,
}

impl PlannedDirectory {
    /// The providers that a part of the plan was made without.
    pub fn simulated_providers(&self) -> BTreeSet<&ProviderAddress> {
        self.plan.simulated_providers(&self.asked)
    }

    /// The plan as a document, as `terraform show -json` writes it.
    pub fn document(&self) -> String {
        let version = format!("{}.0", self.options.version);
        // A plan without the workspace's name is a prediction, too: Terraform would know the name. Data sources are not among the
        // changes if it only refreshes, and functions of providers are never there.
        let is_simulated =
            !self.simulated_providers().is_empty() || self.plan.lacks_workspace || self.plan.lacks_answers;
        let info = DocumentInfo {
            terraform_version: &version,
            is_simulated,
            is_refreshed: self.options.refresh,
            timestamp: &self.timestamp,
        };
        write_plan(&self.plan, &self.config, &self.schemas, &info)
    }

    /// Whether there is a plan. An error before planning began leaves no changes: as a document this would look like a plan that
    /// does nothing.
    pub fn has_plan(&self) -> bool {
        self.plan.has_begun || !self.plan.errored
    }

    /// The plan with the marks of its schemas, for everything that takes a plan that was read. `name` appears in messages.
    ///
    /// ```
    /// use objchange_plan::PlanFileError;
    /// use objchange_project::PlannedDirectory;
    ///
    /// fn count(planned: &PlannedDirectory) -> Result<usize, PlanFileError> {
    ///     Ok(planned.plan_file("env/prod")?.judged()?.changes.resources.len())
    /// }
    /// # let planned = objchange_project::plan_directory("../../examples/module".as_ref(), &Default::default());
    /// # assert!(planned.answer.is_ok_and(|planned| count(&planned).is_ok_and(|count| count > 0)));
    /// ```
    ///
    /// # Errors
    ///
    /// There are two objects of one address.
    pub fn plan_file(&self, name: impl Into<String>) -> Result<PlanFile, PlanFileError> {
        let schemas = Arc::new(objchange_plan::Schemas::new(self.schemas.to_document()));
        PlanFile::parse_planned(name, self.document(), self.no_state, &schemas)
    }

    /// The errors and warnings as `terraform plan` prints them; empty if there are none. No secret is shown.
    pub fn messages(&self) -> String {
        DiagnosticPrinter::new(&self.config, &self.schemas).text(&self.plan.diagnostics)
    }

    /// The sources and provider versions that it was made from, where `directory` was planned.
    pub fn origin(&self, directory: &Path) -> PlanOrigin {
        crate::lock_file::origin(directory, &self.config)
    }

    /// Counts of changes that depend on providers that did not run.
    pub fn unasked(&self) -> ProviderDependent {
        let providers = self.simulated_providers();
        let simulated = || self.plan.changes.iter().filter(|change| providers.contains(&change.provider));
        let count =
            |is_counted: fn(&PlannedObject) -> bool| simulated().filter(|change| is_counted(change)).count();
        let refreshed = self.plan.refreshed_alone();
        let refreshed = refreshed.filter(|(_, resource)| providers.contains(&resource.provider.provider));
        let refreshed: usize = refreshed.map(|(_, resource)| resource.instances.len()).sum();
        ProviderDependent {
            refreshed,
            updates: count(|change| change.action == PlannedAction::Update),
            imports: count(|change| change.importing.is_some()),
            objects: count(|change| !change.before.is_null()),
            unread: match self.options.refresh {
                true => count(|change| {
                    let is_gone = matches!(change.action, PlannedAction::Delete | PlannedAction::Forget);
                    !change.before.is_null() && !is_gone
                }),
                false => 0,
            },
        }
    }

    /// Says that the workspace has no state, or that nothing says which one is selected.
    pub fn state_note(&self) -> Option<String> {
        match &self.options.workspace {
            Some(name) if self.no_state == Some(NoState::Missing) => {
                Some(format!("the workspace {name:?} has no state: nothing exists yet"))
            }
            None if self.plan.lacks_workspace => Some(
                "nothing says which workspace is selected, so terraform.workspace is unknown; set TF_WORKSPACE".to_owned(),
            ),
            _ => None,
        }
    }

    /// Names what objects in the state have and this version of Terraform does not read.
    pub fn unread_state_note(&self) -> Option<String> {
        let unread = self.plan.prior_state.unread_members.iter();
        let unread: Vec<String> =
            unread.map(|(address, names)| format!("{address}: {}", names.join(", "))).collect();
        (!unread.is_empty()).then(|| {
            format!(
                "Terraform {} does not read all of the state: {}",
                self.options.version,
                unread.join("; ")
            )
        })
    }

    /// Names the files that were not read because only OpenTofu reads them.
    pub fn unread_note(&self) -> Option<String> {
        let files = &self.config.opentofu_files;
        (!files.is_empty())
            .then(|| format!("not read, because only OpenTofu reads them: {}", files.join(", ")))
    }

    /// Names the simulated providers, if there are any.
    pub fn simulation_note(&self) -> Option<String> {
        let providers = self.simulated_providers();
        if providers.is_empty() {
            return None;
        }
        let providers: Vec<String> = providers.into_iter().map(ProviderAddress::for_display).collect();
        let undecided = match self.plan.undecided.len() {
            0 => String::new(),
            1 => "; the plan of 1 resource depends on them".to_owned(),
            n => format!("; the plan of {n} resources depends on them"),
        };
        let kept = match self.plan.kept_data.len() {
            0 => String::new(),
            count => format!("; {} as in the state", counted(count, "data source")),
        };
        Some(format!(
            "planned without asking {}: values that only a provider knows are unknown{undecided}{kept}",
            providers.join(", ")
        ))
    }
}

/// Refuses actions, which OpenTofu does not have.
fn refuse_actions(config: &Config, found: &mut Diagnostics) {
    for module in &config.modules {
        let actions = module.config.actions.values().map(|action| ("action", action.header));
        let resources = module.config.resources.values();
        let triggers = resources.flat_map(|resource| &resource.lifecycle.action_triggers);
        let triggers = triggers.map(|trigger| ("action_trigger", trigger.header));
        for (kind, place) in actions.chain(triggers) {
            let detail = format!("Blocks of type {kind:?} are not expected here.");
            found.error("Unsupported block type", place, detail);
        }
    }
}

/// Now, as plan documents write it.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let time = i64::try_from(since.as_secs()).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    format!("{:?}", time.unwrap_or_default())
}

/// Whether a directory holds a module: configuration files of its own.
pub fn is_module(path: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    entries
        .flatten()
        .any(|entry| is_configuration(&entry.file_name().to_string_lossy()) && entry.path().is_file())
}

/// Plans the module in a directory; or, once more, the module in a plan file that `terraform plan -out` saved: with its state,
/// variables and options, unless others are given.
///
/// # Errors
///
/// It cannot be planned. A plan with errors is one, too.
pub fn plan_directory(
    directory: &Path,
    settings: &PlanSettings<'_>,
) -> Noted<Result<PlannedDirectory, PlanError>> {
    let with = |input: &PlanInput<'_>, providers: &mut dyn Providers| (plan(input, providers), ());
    let Noted { answer, notices } = plan_directory_with(directory, settings, with);
    Noted { answer: answer.map(|(planned, ())| planned), notices }
}

/// Plans with `plan`, and passes its second result through.
///
/// # Errors
///
/// It cannot be planned.
pub fn plan_directory_with<R: Default>(
    directory: &Path,
    settings: &PlanSettings<'_>,
    plan: impl FnOnce(&PlanInput<'_>, &mut dyn Providers) -> (ModulePlan, R),
) -> Noted<Result<(PlannedDirectory, R), PlanError>> {
    Noted::by(|notices| {
        #[cfg(feature = "plan-file")]
        if directory.is_file() {
            return crate::saved_plan::plan_again(directory, settings, plan, notices);
        }
        plan_noting(directory, settings, plan, notices)
    })
}

/// The lock file of a module.
pub(crate) enum LockFile<'d> {
    /// The one in this directory, which is read if schemas are missing.
    In(&'d Path),
    /// Its versions.
    #[cfg(feature = "plan-file")]
    Read(BTreeMap<ProviderAddress, String>),
}

/// A module that is ready to be planned, once its schemas are known.
pub(crate) struct Ready<'f> {
    pub(crate) module: Module,
    pub(crate) options: PlanOptions,
    pub(crate) state: Option<StateText>,
    pub(crate) no_state: Option<NoState>,
    /// The files of a directory, if there is one: functions read them.
    pub(crate) files: Option<&'f DiskFiles>,
    pub(crate) lock: LockFile<'f>,
    /// The plan file that it is from, if its providers answer as they did when it was made.
    #[cfg(feature = "plan-file")]
    pub(crate) saved: Option<&'f SavedPlan>,
    #[cfg(feature = "provider")]
    pub(crate) real: Option<RealProviders>,
}

fn plan_noting<R: Default>(
    directory: &Path,
    settings: &PlanSettings<'_>,
    plan: impl FnOnce(&PlanInput<'_>, &mut dyn Providers) -> (ModulePlan, R),
    notices: &mut Vec<Notice>,
) -> Result<(PlannedDirectory, R), PlanError> {
    let sources = module_sources(directory, settings.module_sources)?;
    let given = settings.module_sources.iter().map(|(_, directory)| directory);
    let files = DiskFiles::new(directory, settings.allow_path)
        .and_then(|files| files.with_modules(given))
        .map_err(|error| format!("{}: {error}", directory.display()))?;
    let (mut options, mut diagnostics) = settings.arguments.clone().apply(PlanOptions {
        working_directory: files.working_directory(),
        version: settings.version,
        max_instances: settings.max_instances,
        accepts: accepted(settings),
        module_sources: sources,
        ..PlanOptions::default()
    });
    let refused = |config, schemas, diagnostics| {
        PlanError::Refused(Box::new(RefusedPlan { config, schemas, diagnostics }))
    };
    if options.minimal_refresh
        && settings.names_program
        && (settings.is_opentofu || settings.version.parts() < (1, 17))
    {
        let detail = "Terraform has the option -minimal-refresh since 1.17.";
        diagnostics.without_place(Severity::Error, "Failed to parse command-line flags", detail);
    }
    if diagnostics.has_errors() {
        return Err(refused(Config::default(), Schemas::default(), diagnostics));
    }
    // Rules depend on the minor version. `required_version` is compared with a whole one.
    let version = format!("{}.0", options.version);
    let variables = inputs::variables(&files, settings.variables)?;
    let opentofu = OpenTofuFiles(&files);
    let read: &dyn Files = if settings.is_opentofu { &opentofu } else { &files };
    let manifest = files.module_manifest()?;
    let texts = ModuleTexts {
        files: read,
        manifest: manifest.as_deref(),
        variables: &variables,
        terraform_version: &version,
    };
    let mut module = Module::load(texts, &options);
    let of = |source: &String| SourceDirectory::of(source, &options.module_sources);
    let used: Vec<_> = module.config.modules.iter().filter_map(|loaded| of(&loaded.source)).collect();
    for given in &options.module_sources {
        if used.contains(&given) {
            continue;
        }
        let mut missing = module.config.missing_modules.values();
        let problem = match missing.find(|missing| of(&missing.source) == Some(given)) {
            Some(missing) => format!("there is no module in {} for {}", given.directory, missing.source),
            None if settings.must_be_whole => "no module is called from it".to_owned(),
            None => {
                notices.push(Notice::Warning(format!("no module is called from {}", given.source)));
                continue;
            }
        };
        return Err(PlanError::ModuleSource { source_address: given.source.clone(), problem });
    }
    if settings.is_opentofu {
        refuse_actions(&module.config, &mut module.diagnostics);
    }
    if module.diagnostics.has_errors() {
        // They say which parts of the lines with errors are secret.
        let schemas =
            Schemas::new([given_schemas(settings, &BTreeSet::new())?.schemas]).of_version(options.version);
        return Err(refused(module.config, schemas, module.diagnostics));
    }
    if settings.must_be_whole
        && let (false, Some(file)) = (settings.names_program, module.config.opentofu_files.first())
    {
        return Err(PlanError::OpenTofuFile { directory: directory.to_owned(), file: file.clone() });
    }
    let storage = module.config.modules.first().and_then(|root| root.config.state_storage.as_ref());
    let read =
        |choice| DirectoryState::read(&files, storage, choice, settings.max_input, settings.is_opentofu);
    // A plan that destroys or replaces is about objects that exist, and so is one for which real providers read.
    let is_plain = options.mode == PlanMode::Normal && options.replace.is_empty() && !asks(settings);
    let state = match read(settings.state) {
        Err(error)
            if error.is_elsewhere() && is_plain && settings.may_lack_state && !settings.require.state =>
        {
            read(StateChoice::Nothing)
                .map(|state| DirectoryState { no_state: Some(NoState::Unread), ..state })
        }
        state => state,
    };
    let state = state
        .map_err(|error| PlanError::State { directory: directory.to_owned(), error: Box::new(error) })?;
    let DirectoryState { text: state, workspace, no_state } = state;
    options.workspace = workspace;
    #[cfg(feature = "provider")]
    let real = start_providers(directory, settings, &module, (state.as_ref(), &version), notices)?;
    let ready = Ready {
        module,
        options,
        state,
        no_state,
        files: Some(&files),
        lock: LockFile::In(directory),
        #[cfg(feature = "plan-file")]
        saved: None,
        #[cfg(feature = "provider")]
        real,
    };
    plan_ready(ready, settings, plan, notices)
}

/// Plans a module with the schemas that are given, and those that are found for it.
pub(crate) fn plan_ready<R: Default>(
    ready: Ready<'_>,
    settings: &PlanSettings<'_>,
    plan: impl FnOnce(&PlanInput<'_>, &mut dyn Providers) -> (ModulePlan, R),
    notices: &mut Vec<Notice>,
) -> Result<(PlannedDirectory, R), PlanError> {
    let Ready { mut module, options, state, no_state, files, lock, .. } = ready;
    #[cfg(feature = "provider")]
    let mut real = ready.real;
    #[cfg(feature = "provider")]
    let asked = real.as_ref().map(RealProviders::addresses).unwrap_or_default();
    #[cfg(not(feature = "provider"))]
    let asked = BTreeSet::new();
    let given = given_schemas(settings, &asked)?.schemas;
    #[cfg(feature = "provider")]
    let own = real.as_ref().map(RealProviders::schemas).transpose()?;
    #[cfg(not(feature = "provider"))]
    let own = None;
    let mut schemas = Schemas::new(own.into_iter().chain([given])).of_version(options.version);
    let locked = match lock {
        LockFile::In(directory) => locked_versions(directory).note_in(notices),
        #[cfg(feature = "plan-file")]
        LockFile::Read(locked) => locked,
    };
    if !module.without_schemas(&schemas).is_empty() {
        let missing = |schemas: &Schemas| module.without_schemas(schemas);
        // Where schemas may be missing, those of a version nearby say more than none.
        let lookup = match options.accepts.schemas {
            true => settings.lookup.clone().accepting_nearest(),
            false => settings.lookup.clone(),
        };
        let completed = lookup.complete(&mut schemas, &locked, missing).note_in(notices);
        match completed {
            Err(_) if options.accepts.schemas => schemas.infer(&module.config),
            completed => completed.map_err(PlanError::NoSchemas)?,
        }
    }
    let known: BTreeSet<ProviderAddress> = module.config.providers().into_iter().collect();
    let of_state = state.as_ref().map(StateText::providers).unwrap_or_default();
    let simulated = known.into_iter().chain(of_state).filter(|provider| !asked.contains(provider));
    let models =
        Arc::new(settings.lookup.models(simulated.collect::<BTreeSet<_>>(), &locked).note_in(notices));
    let timestamp = now();
    let mut functions = Functions::pure().clone().with_plan_time(&timestamp);
    if settings.is_opentofu {
        functions = functions.of_opentofu();
    }
    if options.accepts.files {
        functions = functions.without_files();
    }
    if let Some(files) = files {
        let base = inputs::base_directory(files)?;
        // A real provider may write files while it reads.
        let base = if asks(settings) { base } else { base.reading_once() };
        functions = functions.with_files(&base);
    }
    let mut answers = Answers::default();
    #[cfg(feature = "plan-file")]
    if let Some(saved) = ready.saved {
        answers = crate::saved_plan::answers(saved, &schemas)?;
    }
    answers.append(inputs::answers(settings.answers, &schemas)?);
    let mut simulated = AnsweringProviders::new(
        &answers,
        SimulatedProviders {
            files: files.map(|files| files as &dyn Files),
            is_strict: settings.is_strict,
            models: Arc::clone(&models),
            ..SimulatedProviders::default()
        },
    );
    #[cfg(feature = "provider")]
    let mut joined;
    #[cfg(feature = "provider")]
    let providers: &mut dyn Providers = match &mut real {
        Some(real) => {
            joined = JoinedProviders { real, others: &mut simulated };
            &mut joined
        }
        None => &mut simulated,
    };
    #[cfg(not(feature = "provider"))]
    let providers: &mut dyn Providers = &mut simulated;
    let (state, found) = StateText::state(state.as_ref(), &schemas, providers)?;
    module.diagnostics.append(found);
    let (mut plan, more) =
        module.plan_by(&state, &schemas, &functions, &options, |input| plan(input, providers));
    #[cfg(feature = "provider")]
    if let Some(real) = real.take() {
        if real.was_interrupted() {
            return Err(PlanError::Interrupted);
        }
        real.end();
    }
    if settings.must_be_whole
        && let Some(resource) = plan.uncertain_invocation(&module.config, &asked)
    {
        return Err(PlanError::Actions { resource });
    }
    if settings.must_be_whole
        && let Some(unmatched) = unmatched(&plan, &module.config, settings, &options)
    {
        return Err(unmatched);
    }
    if no_state == Some(NoState::Unread) {
        plan.missing.push(Missing::new(MissingKind::State, "state"));
        plan.complete = false;
    }
    for problem in models.values().flat_map(ProviderModel::problems) {
        notices.push(Notice::Warning(problem));
    }
    let unanswered = simulated.unanswered;
    let lacks_values = plan.missing.iter().any(|missing| missing.kind == MissingKind::Variable);
    let variable_files = files.filter(|_| lacks_values).map(inputs::variable_files).unwrap_or_default();
    Ok((
        PlannedDirectory {
            plan,
            config: module.config,
            schemas,
            options,
            asked,
            unanswered,
            no_state,
            variable_files,
            timestamp,
        },
        more,
    ))
}

/// The directories of modules, relative to that of the root module, as `path.module` has them.
fn module_sources(directory: &Path, given: &[(String, PathBuf)]) -> Result<Vec<SourceDirectory>, PlanError> {
    let mut sources: Vec<SourceDirectory> = Vec::new();
    let root =
        std::fs::canonicalize(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    for (source, path) in given {
        let wrong = |problem: String| PlanError::ModuleSource { source_address: source.clone(), problem };
        let real =
            std::fs::canonicalize(path).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
        if !real.is_dir() {
            return Err(wrong(format!("{} is not a directory", path.display())));
        }
        let new = SourceDirectory { source: source.clone(), directory: relative_path(&root, &real) };
        if let Some(other) = sources.iter().find(|other| other.has_source_of(&new)) {
            let (a, b) = (&other.directory, &new.directory);
            return Err(wrong(format!("two directories are given for it, {a} and {b}")));
        }
        sources.push(new);
    }
    Ok(sources)
}

/// Whether real providers run for the plan.
pub(crate) fn asks(settings: &PlanSettings<'_>) -> bool {
    #[cfg(feature = "provider")]
    let asks = settings.real.all || !settings.real.providers.is_empty();
    #[cfg(not(feature = "provider"))]
    let asks = {
        _ = settings;
        false
    };
    asks
}

/// The inputs that may be missing.
pub(crate) fn accepted(settings: &PlanSettings<'_>) -> AcceptsMissing {
    // A provider that is configured with unknown values may look at another account than the one that is meant.
    let asks = asks(settings);
    let RequiredInputs { variables, modules, schemas, state: _, files: _ } = settings.require;
    AcceptsMissing {
        variables: !variables && !asks,
        modules: !modules && !asks,
        schemas: !schemas,
        // The files of a directory can be read: a missing one is an error. Only plan files lack them.
        files: false,
    }
}

/// An option that names nothing in the plan, so that whatever decides by it would decide by nothing.
fn unmatched(
    plan: &ModulePlan,
    config: &Config,
    settings: &PlanSettings<'_>,
    options: &PlanOptions,
) -> Option<PlanError> {
    // The content of a plan with errors is unknown.
    if plan.errored {
        return None;
    }
    let PlanArguments { targets, replace, .. } = &settings.arguments;
    let targets = std::iter::zip(targets, &options.targets)
        .find(|(_, target)| !plan.is_target(target, config))
        .map(|(text, _)| ("--target", text));
    let replace = || {
        let mut replace = std::iter::zip(replace, &options.replace);
        replace.find(|(_, address)| !plan.can_replace(address)).map(|(text, _)| ("--replace", text))
    };
    let (option, address) = targets.or_else(replace)?;
    Some(PlanError::Unmatched { option, address: address.clone() })
}

/// Starts the providers that are to be asked.
#[cfg(feature = "provider")]
fn start_providers(
    directory: &Path,
    settings: &PlanSettings<'_>,
    module: &Module,
    (state, version): (Option<&StateText>, &str),
    notices: &mut Vec<Notice>,
) -> Result<Option<RealProviders>, PlanError> {
    let mut known: BTreeSet<ProviderAddress> = module.config.providers().into_iter().collect();
    // Objects that the configuration has no more are read and destroyed by the providers that the state names.
    known.extend(state.map(StateText::providers).unwrap_or_default());
    let chosen = settings.real.choose(&known, notices)?;
    if chosen.is_empty() {
        return Ok(None);
    }
    let programs = crate::real::programs(&chosen, settings.programs, directory)?;
    RealProviders::start(programs, directory, version, settings.real.timeout, settings.workplace).map(Some)
}

/// The schemas that are given, without those of the providers that are asked for the plan.
pub(crate) fn given_schemas(
    settings: &PlanSettings<'_>,
    asked: &BTreeSet<ProviderAddress>,
) -> Result<GivenSchemas, SchemaError> {
    #[cfg_attr(not(feature = "provider"), expect(unused_mut, reason = "nobody is asked"))]
    let mut texts = schema_texts(settings.schemas, settings.max_input)?;
    #[cfg(feature = "provider")]
    {
        let is_asked = |program: &&ProviderProgram| {
            asked.iter().any(|provider| provider.to_string() == program.address())
        };
        let others: Vec<ProviderProgram> =
            settings.programs.iter().filter(|program| !is_asked(program)).cloned().collect();
        for text in provider_schemas(&others, settings.workplace)? {
            texts.push(text?);
        }
    }
    #[cfg(not(feature = "provider"))]
    let _ = asked;
    GivenSchemas::parse(texts)
}
