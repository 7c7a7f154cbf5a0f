//! Plans once more what a plan file was made from.

use std::collections::BTreeSet;
use std::path::Path;

use objchange_document::{NoState, PlanMode, Version};
use objchange_files::input::{Contents, Source};
use objchange_module::plan::{AcceptsMissing, ModulePlan, PlanInput, PlanOptions};
use objchange_module::variables::{VariableArgument, VariableSources};
use objchange_module::{Answers, Module, ModuleTexts, PlanArguments, Providers, Schemas};
use objchange_saved::{PlanSnapshot, SavedPlan};
use objchange_text::Notice;

use crate::files::DiskFiles;
use crate::inputs;
use crate::plan::{LockFile, Ready, accepted, asks, given_schemas, plan_ready};
use crate::plan_error::{PlanError, RefusedPlan};
use crate::plan_files::is_of_module;
use crate::plan_settings::PlanSettings;
use objchange_files::FileError;

use crate::planned_directory::PlannedDirectory;
use crate::state::{StateChoice, StateText};

/// The name that messages have for the values of variables in a plan file.
const VARIABLES: &str = "the plan file.tfvars.json";

/// Plans the module in a plan file, from the state in it. Options and values of variables that are given take the place of
/// those in the file.
pub(crate) fn plan_again<R: Default>(
    path: &Path,
    settings: &PlanSettings<'_>,
    plan: impl FnOnce(&PlanInput<'_>, &mut dyn Providers) -> (ModulePlan, R),
    notices: &mut Vec<Notice>,
) -> Result<(PlannedDirectory, R), PlanError> {
    let source = Source::new(path);
    let contents = source.read_contents(settings.max_input.0).map_err(FileError::unreadable)?;
    let Contents::PlanFile(bytes) = contents else {
        if is_of_module(&source.to_string()) {
            return Err(FileError::invalid(format!(
                "{source}: this is a file of configuration; pass its directory"
            ))
            .into());
        }
        return Err(FileError::invalid(format!(
            "{source}: this is neither the directory of a module nor a plan file of `terraform plan -out`"
        ))
        .into());
    };
    if asks(settings) {
        return Err(FileError::invalid(format!(
            "{source}: real providers are asked in the directory of a module"
        ))
        .into());
    }
    if !settings.module_sources.is_empty() {
        return Err(FileError::invalid(format!(
            "{source}: the modules of a plan file are in it; plan the directory to use others"
        ))
        .into());
    }
    let unusable = |error: objchange_saved::SavedPlanError| FileError::invalid(format!("{source}: {error}"));
    let saved = SavedPlan::read(&bytes).map_err(unusable)?;
    let snapshot = saved.snapshot().map_err(unusable)?;
    let version = match settings.names_program {
        true => settings.version,
        false => Version::parse(saved.terraform_version()).unwrap_or(settings.version),
    };
    // A plan file has configuration files alone. The files that functions read may be in a directory of `--allow-path`.
    let files = match settings.allow_path.split_first() {
        Some((first, others)) => {
            let files = DiskFiles::new(first, others);
            Some(files.map_err(|error| FileError::unreadable(format!("{}: {error}", first.display())))?)
        }
        None => None,
    };
    let (mut options, diagnostics) = arguments(settings, &snapshot).apply(PlanOptions {
        version,
        max_instances: settings.max_instances,
        is_saved: settings.is_saved,
        accepts: AcceptsMissing { files: files.is_none() && !settings.require.files, ..accepted(settings) },
        ..PlanOptions::default()
    });
    options.workspace.clone_from(&snapshot.workspace);
    let mut variables = inputs::arguments(settings.variables);
    // The last value of a variable counts, so those that are given come after those of the file.
    variables.insert(0, VariableArgument::File(VARIABLES.to_owned(), Ok(snapshot.variables)));
    let variables = VariableSources { arguments: variables, ..VariableSources::default() };
    let terraform_version = format!("{}.0", options.version);
    let texts = ModuleTexts {
        files: &snapshot.files,
        manifest: Some(&snapshot.manifest),
        variables: &variables,
        terraform_version: &terraform_version,
    };
    let mut module = Module::default();
    if !diagnostics.has_errors() {
        module = Module::load(texts, &options);
    }
    let mut found = diagnostics;
    found.append(std::mem::take(&mut module.diagnostics));
    if found.has_errors() {
        let given = given_schemas(settings, &BTreeSet::new())?;
        let schemas = Schemas::new([given]).of_version(options.version);
        return Err(PlanError::Refused(Box::new(RefusedPlan {
            config: module.config,
            schemas,
            diagnostics: found,
        })));
    }
    module.diagnostics = found;
    let (state, no_state) = match settings.state {
        StateChoice::OfDirectory => (Some(StateText::new(source, snapshot.state)), None),
        StateChoice::Nothing => (None, Some(NoState::LeftOut)),
        StateChoice::File(path) => {
            let source = Source::new(path);
            let text = source.read_as_allowed(settings.max_input.0).map_err(FileError::unreadable)?;
            (Some(StateText::new(source, text)), None)
        }
    };
    notices.extend(state.iter().flat_map(StateText::notices).cloned());
    let ready = Ready {
        module,
        options,
        state,
        no_state,
        files: files.as_ref(),
        lock: LockFile::Read(saved.locked().clone()),
        saved: settings.answers_as_saved.then_some(&saved),
        #[cfg(feature = "provider")]
        real: None,
    };
    plan_ready(ready, settings, plan, notices)
}

/// The answers of the providers when the plan file was made.
pub(crate) fn answers(saved: &SavedPlan, schemas: &Schemas) -> Result<Answers, PlanError> {
    let text = saved.answers(schemas).map_err(FileError::invalid)?;
    // The error names a place in the text, which nobody can look at.
    let answers = Answers::parse(&text);
    Ok(answers
        .map_err(|error| FileError::invalid(format!("the values in the plan file: {}", error.message)))?)
}

/// The arguments that are given; without any, those that the plan file was made with.
fn arguments(settings: &PlanSettings<'_>, snapshot: &PlanSnapshot) -> PlanArguments {
    let given = &settings.arguments;
    let chooses = given.destroy
        || given.refresh_only
        || !(given.targets.is_empty() && given.replace.is_empty() && given.invoke.is_empty());
    if chooses {
        return given.clone();
    }
    PlanArguments {
        destroy: snapshot.mode == PlanMode::Destroy,
        refresh_only: snapshot.mode == PlanMode::RefreshOnly,
        targets: snapshot.targets.clone(),
        replace: snapshot.replace.clone(),
        ..given.clone()
    }
}
