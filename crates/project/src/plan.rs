//! The plan of the module in a directory.

#[cfg(feature = "plan-file")]
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use objchange::schema::ProviderSchemas;
use objchange_document::{Missing, MissingKind, NoState};
use objchange_files::FileError;
use objchange_hcl::{Functions, relative_path};
use objchange_model::ProviderModel;
use objchange_module::config::{Config, Files, OpenTofuFiles, SourceDirectory, is_configuration};
use objchange_module::plan::{AcceptsMissing, ModulePlan, PlanInput, PlanMode, PlanOptions, plan};
use objchange_module::{
    AnsweringProviders, Answers, Diagnostics, Module, ModuleTexts, PlanArguments, ProviderAddress, Providers,
    Schemas, Severity, SimulatedProviders, with_possible_computed_blocks,
};
#[cfg(feature = "plan-file")]
use objchange_saved::SavedPlan;

use crate::files::DiskFiles;
use crate::inputs;
use crate::lock_file::locked_versions;
use crate::plan_error::{PlanError, RefusedPlan};
use crate::plan_settings::{PlanSettings, RequiredInputs};
use crate::planned_directory::PlannedDirectory;
#[cfg(feature = "provider")]
use crate::program::ProviderProgram;
#[cfg(feature = "provider")]
use crate::real::{JoinedProviders, RealProviders};
#[cfg(feature = "provider")]
use crate::schemas::provider_schemas;
use crate::schemas::{GivenSchemas, SchemaError, schema_texts};
use crate::state::{DirectoryState, StateChoice, StateText};
use objchange_text::{Noted, Notice};

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
    let mut files = DiskFiles::new(directory, settings.allow_path)
        .and_then(|files| files.with_modules(given))
        .map_err(|error| FileError::unreadable(format!("{}: {error}", directory.display())))?;
    if let Some(shared) = settings.shared {
        files = files.sharing(&shared.texts);
    }
    let (mut options, mut diagnostics) = settings.arguments.clone().apply(PlanOptions {
        working_directory: files.working_directory(),
        version: settings.version,
        max_instances: settings.max_instances,
        is_saved: settings.is_saved,
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
        let schemas = Schemas::new([given_schemas(settings, &BTreeSet::new())?]).of_version(options.version);
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
    notices.extend(state.iter().flat_map(StateText::notices).cloned());
    options.workspace = workspace;
    options.lacks_state = no_state == Some(NoState::Unread);
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
    let given = given_schemas(settings, &asked)?;
    #[cfg(feature = "provider")]
    let own = real.as_ref().map(RealProviders::schemas).transpose()?.map(Arc::new);
    #[cfg(not(feature = "provider"))]
    let own = None;
    let mut schemas = Schemas::new(own.into_iter().chain([given])).of_version(options.version);
    let locked = match lock {
        LockFile::In(directory) => locked_versions(directory).note_in(notices),
        #[cfg(feature = "plan-file")]
        LockFile::Read(locked) => locked,
    };
    let lookup = match settings.shared {
        Some(shared) => settings.lookup.clone().sharing(&shared.cache),
        None => settings.lookup.clone(),
    };
    if !module.without_schemas(&schemas).is_empty() {
        let missing = |schemas: &Schemas| module.without_schemas(schemas);
        // Where schemas may be missing, those of a version nearby say more than none.
        let lookup = match options.accepts.schemas {
            true => lookup.clone().accepting_nearest(),
            false => lookup.clone(),
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
    let models = Arc::new(lookup.models(simulated.collect::<BTreeSet<_>>(), &locked).note_in(notices));
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
        let known = settings.shared.map(|shared| shared.functions.clone()).unwrap_or_default();
        let base = if asks(settings) { base } else { base.reading_once(known) };
        functions = functions.with_files(&base);
    }
    let mut answers = Answers::default();
    #[cfg(feature = "plan-file")]
    if let Some(saved) = ready.saved {
        answers = crate::saved_plan::answers(saved, &schemas)?;
    }
    answers.append(inputs::answers(settings.answers, &schemas, settings.max_input)?);
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
    let (state, found) = StateText::state(state.as_ref(), &schemas, providers).map_err(FileError::invalid)?;
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
        // Terraform saves the plan all the same. A gate would be green although nothing is replaced that was to be.
        let is_replace = matches!(unmatched, PlanError::Unmatched { option: "--replace", .. });
        match is_replace && settings.is_saved && !settings.is_strict {
            true => notices.push(Notice::Warning(unmatched.to_string())),
            false => return Err(unmatched),
        }
    }
    if no_state == Some(NoState::Unread) {
        plan.missing.push(Missing::new(MissingKind::State, "state"));
        plan.complete = false;
    }
    for problem in models.values().flat_map(ProviderModel::problems) {
        notices.push(Notice::Warning(problem));
    }
    let is_trusting = simulated.others.has_trusted || !plan.kept_data.is_empty();
    let unanswered = simulated.unanswered;
    let lacks_values = plan.missing.iter().any(|missing| missing.kind == MissingKind::Variable);
    let variable_files = files.filter(|_| lacks_values).map(inputs::variable_files).unwrap_or_default();
    Ok((
        PlannedDirectory {
            plan,
            config: module.config,
            schemas,
            options,
            is_trusting,
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
    let root = std::fs::canonicalize(directory)
        .map_err(|error| FileError::unreadable(format!("{}: {error}", directory.display())))?;
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
) -> Result<Arc<ProviderSchemas>, SchemaError> {
    let read = || read_given_schemas(settings, asked).map(|given| Arc::new(given.schemas));
    match settings.shared.filter(|_| asked.is_empty()) {
        Some(shared) => shared.given(read),
        None => read(),
    }
}

fn read_given_schemas(
    settings: &PlanSettings<'_>,
    asked: &BTreeSet<ProviderAddress>,
) -> Result<GivenSchemas, SchemaError> {
    let mut given = GivenSchemas::parse(schema_texts(settings.schemas, settings.max_input)?)?;
    // A strict plan relies on nothing that a document may be too old to say. Providers that are asked say it.
    if settings.is_strict && !settings.is_opentofu && settings.version.parts() >= (1, 16) {
        given.schemas = with_possible_computed_blocks(given.schemas);
    }
    #[cfg(feature = "provider")]
    {
        let mut texts = Vec::new();
        let is_asked = |program: &&ProviderProgram| {
            asked.iter().any(|provider| provider.to_string() == program.address())
        };
        let others: Vec<ProviderProgram> =
            settings.programs.iter().filter(|program| !is_asked(program)).cloned().collect();
        for text in provider_schemas(&others, settings.workplace)? {
            texts.push(text?);
        }
        given.append(GivenSchemas::parse(texts)?);
    }
    #[cfg(not(feature = "provider"))]
    let _ = asked;
    Ok(given)
}
