//! What a module is planned from: variables, schemas, the state.

use std::env;
use std::path::{Path, PathBuf};

use objchange::schema::ProviderSchemas;
use objchange_hcl::{BaseDirectory, Functions};
use objchange_module::config::Files;
use objchange_module::state::PriorState;
use objchange_module::variables::{UnreadFile, VariableArgument, VariableSources, automatic_files};
use objchange_module::{Answers, Diagnostics, ProviderAddress, ProviderConfigAddress, Providers, Schemas};
use objchange_plan::State;

use super::files::DiskFiles;
use crate::configuration::{Setting, Settings};
use crate::exit::{CommandError, unusable};
use crate::input::{Size, Source};
use crate::schemas::{SchemaError, SchemaText, SchemaTextError};

/// Everything that gives values to variables.
pub(super) fn variables(files: &DiskFiles, settings: &Settings) -> Result<VariableSources, CommandError> {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    let environment = env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    let names = files.list(".").map_err(unusable)?;
    let mut automatic = Vec::new();
    for name in automatic_files(names.iter().map(String::as_str)) {
        match files.read(name) {
            Ok(Some(text)) => automatic.push((name.to_owned(), text)),
            Ok(None) => {}
            Err(why) => return Err(unusable(format!("{name}: {why}"))),
        }
    }
    let arguments = settings.iter().map(|setting| match setting {
        Setting::Text(name, value) => VariableArgument::Value(format!("{name}={value}")),
        Setting::File(path) => VariableArgument::File(path.display().to_string(), read(path)),
    });
    Ok(VariableSources { environment, automatic, arguments: arguments.collect() })
}

/// A file that is named on the command line.
fn read(path: &Path) -> Result<String, UnreadFile> {
    match Source::new(path).read() {
        Ok(text) => Ok(text),
        Err(_) if path.as_os_str() != "-" && !path.exists() => Err(UnreadFile::Missing),
        Err(error) => Err(UnreadFile::Other(error.to_string())),
    }
}

/// The schemas of the providers that are asked for the plan, and of these documents.
pub(super) fn schemas(
    own: Option<ProviderSchemas>,
    documents: Result<Vec<SchemaText>, SchemaTextError>,
) -> Result<Schemas, CommandError> {
    let documents = documents.map_err(unusable)?.into_iter().map(|SchemaText { name, text }| {
        ProviderSchemas::parse(text).map_err(|error| unusable(SchemaError::Document { name, error }))
    });
    let documents = documents.collect::<Result<Vec<_>, _>>()?;
    Ok(Schemas::new(own.into_iter().chain(documents)))
}

/// The answers of all these files; of two for the same, the later counts.
pub(super) fn answers(paths: &[PathBuf], schemas: &Schemas) -> Result<Answers, CommandError> {
    let mut all = Answers::default();
    for path in paths {
        let name = path.display();
        let text = Source::new(path).read().map_err(|error| unusable(error.to_string()))?;
        let is_mock = path.extension().is_some_and(|end| end == "hcl");
        let read = if is_mock { Answers::parse_mock(&text) } else { Answers::parse(&text) };
        let answers = read.map_err(|error| unusable(format!("{name}: {error}")))?;
        let wrong: Vec<String> =
            answers.check(schemas).iter().map(|error| format!("{name}: {error}")).collect();
        if !wrong.is_empty() {
            return Err(unusable(wrong.join("\n")));
        }
        all.append(answers);
    }
    Ok(all)
}

/// The name of the workspace: of `TF_WORKSPACE`, or the one that was selected in the directory.
pub(super) fn workspace(files: &DiskFiles) -> String {
    let chosen = env::var("TF_WORKSPACE").ok().filter(|name| !name.is_empty());
    let selected = || files.read(".terraform/environment").ok().flatten();
    let name = chosen.or_else(selected).map(|name| name.trim().to_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "default".to_owned())
}

/// A state file, which may hold secrets.
pub(super) struct StateText {
    source: Source,
    text: String,
}

impl StateText {
    /// The providers of its objects; none of a text that is broken, which is told where it is read.
    pub(super) fn providers(&self) -> Vec<ProviderAddress> {
        let Ok(state) = State::parse_file(&self.text) else { return Vec::new() };
        let configs = state
            .resources
            .iter()
            .filter_map(|resource| resource.provider_config.parse::<ProviderConfigAddress>().ok());
        configs.map(|config| config.provider).collect()
    }
}

/// The text of the state before, if there is one.
pub(super) fn state_text(
    directory: &Path,
    given: Option<&Path>,
    workspace: &str,
    limit: Size,
) -> Result<Option<StateText>, CommandError> {
    let source = match given {
        Some(path) => Source::new(path),
        None => {
            let path = match workspace {
                "default" => directory.join("terraform.tfstate"),
                name => directory.join("terraform.tfstate.d").join(name).join("terraform.tfstate"),
            };
            if !path.exists() {
                return Ok(None);
            }
            Source::File(path)
        }
    };
    let text = source.read_as_allowed(limit.0).map_err(unusable)?;
    Ok(Some(StateText { source, text }))
}

/// The state before: nothing, where there is no file.
pub(super) fn state(
    state: Option<&StateText>,
    schemas: &Schemas,
    providers: &mut dyn Providers,
) -> Result<(PriorState, Diagnostics), CommandError> {
    let Some(StateText { source, text }) = state else { return Ok(Default::default()) };
    PriorState::read_with(text, schemas, providers).map_err(|error| unusable(format!("{source}: {error}")))
}

/// All functions, with the files below the directory and below those that are allowed.
pub(super) fn functions(files: &DiskFiles) -> Result<Functions, CommandError> {
    let wrong = |path: &Path, error| unusable(format!("{}: {error}", path.display()));
    let mut base = BaseDirectory::open(files.directory()).map_err(|error| wrong(files.directory(), error))?;
    for path in files.allowed() {
        base = base.allow(path).map_err(|error| wrong(path, error))?;
    }
    if let Some(home) = env::home_dir() {
        base = base.with_home(home);
    }
    Ok(Functions::pure().clone().with_files(&base))
}
