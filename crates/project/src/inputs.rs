//! The inputs for planning a module, beside its configuration: variables, answers, the state.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use objchange_hcl::{BaseDirectory, Functions};
use objchange_module::config::Files;
use objchange_module::state::PriorState;
use objchange_module::variables::{UnreadFile, VariableArgument, VariableSources, automatic_files};
use objchange_module::{Answers, Diagnostics, ProviderAddress, ProviderConfigAddress, Providers, Schemas};
use objchange_plan::State;

use crate::files::DiskFiles;
use objchange_files::input::{Size, Source};

/// Something that gives values to variables. What comes later counts.
#[derive(Clone, PartialEq, Eq)]
pub enum VariableSetting {
    /// The name and the value of one.
    Text(String, String),
    /// A file like `terraform.tfvars`.
    File(PathBuf),
}

impl fmt::Debug for VariableSetting {
    /// Without the value, which may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(name, _) => f.debug_tuple("Text").field(name).finish_non_exhaustive(),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// Everything that gives values to variables: the environment, files of the directory, and these.
///
/// # Errors
///
/// A file of the directory cannot be read.
pub fn variables<'s>(
    files: &DiskFiles,
    settings: impl IntoIterator<Item = &'s VariableSetting>,
) -> Result<VariableSources, String> {
    let text = |text: std::ffi::OsString| text.into_string().ok();
    let environment = env::vars_os().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    let names = files.list(".")?;
    let mut automatic = Vec::new();
    for name in automatic_files(names.iter().map(String::as_str)) {
        match files.read(name) {
            Ok(Some(text)) => automatic.push((name.to_owned(), text)),
            Ok(None) => {}
            Err(why) => return Err(format!("{name}: {why}")),
        }
    }
    let arguments = settings.into_iter().map(|setting| match setting {
        VariableSetting::Text(name, value) => VariableArgument::Value(format!("{name}={value}")),
        VariableSetting::File(path) => VariableArgument::File(path.display().to_string(), read(path)),
    });
    Ok(VariableSources { environment, automatic, arguments: arguments.collect() })
}

/// A file that is named.
fn read(path: &Path) -> Result<String, UnreadFile> {
    match Source::new(path).read() {
        Ok(text) => Ok(text),
        Err(_) if path.as_os_str() != "-" && !path.exists() => Err(UnreadFile::Missing),
        Err(error) => Err(UnreadFile::Other(error.to_string())),
    }
}

/// The answers of all these files; of two for the same, the later counts.
pub(crate) fn answers(paths: &[PathBuf], schemas: &Schemas) -> Result<Answers, String> {
    let mut all = Answers::default();
    for path in paths {
        let name = path.display();
        let text = Source::new(path).read().map_err(|error| error.to_string())?;
        let is_mock = path.extension().is_some_and(|end| end == "hcl");
        let read = if is_mock { Answers::parse_mock(&text) } else { Answers::parse(&text) };
        let answers = read.map_err(|error| format!("{name}: {error}"))?;
        let wrong: Vec<String> =
            answers.check(schemas).iter().map(|error| format!("{name}: {error}")).collect();
        if !wrong.is_empty() {
            return Err(wrong.join("\n"));
        }
        all.append(answers);
    }
    Ok(all)
}

/// The name of the workspace: of `TF_WORKSPACE`, or the one that was selected in the directory.
pub(crate) fn workspace(files: &DiskFiles) -> String {
    let chosen = env::var("TF_WORKSPACE").ok().filter(|name| !name.is_empty());
    let selected = || files.read(".terraform/environment").ok().flatten();
    let name = chosen.or_else(selected).map(|name| name.trim().to_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "default".to_owned())
}

/// A state file, which may hold secrets.
pub(crate) struct StateText {
    source: Source,
    text: String,
}

impl StateText {
    /// The text of the state before, if there is one.
    pub(crate) fn read(
        directory: &Path,
        given: Option<&Path>,
        workspace: &str,
        limit: Size,
    ) -> Result<Option<Self>, String> {
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
        let text = source.read_as_allowed(limit.0).map_err(|error| error.to_string())?;
        Ok(Some(Self { source, text }))
    }

    /// The providers of its objects; none of a text that is broken, which is told where it is read.
    #[cfg_attr(
        not(feature = "provider"),
        expect(dead_code, reason = "only running providers are chosen by it")
    )]
    pub(crate) fn providers(&self) -> Vec<ProviderAddress> {
        let Ok(state) = State::parse_file(&self.text) else { return Vec::new() };
        let configs = state
            .resources
            .iter()
            .filter_map(|resource| resource.provider_config.parse::<ProviderConfigAddress>().ok());
        configs.map(|config| config.provider).collect()
    }

    /// The state: nothing, where there is no file.
    pub(crate) fn state(
        state: Option<&Self>,
        schemas: &Schemas,
        providers: &mut dyn Providers,
    ) -> Result<(PriorState, Diagnostics), String> {
        let Some(Self { source, text }) = state else { return Ok(Default::default()) };
        PriorState::read_with(text, schemas, providers).map_err(|error| format!("{source}: {error}"))
    }
}

/// All functions, with the files below the directory and below those that are allowed.
///
/// # Errors
///
/// One of the directories cannot be opened.
pub fn functions(files: &DiskFiles) -> Result<Functions, String> {
    let wrong = |path: &Path, error| format!("{}: {error}", path.display());
    let mut base = BaseDirectory::open(files.directory()).map_err(|error| wrong(files.directory(), error))?;
    for path in files.allowed() {
        base = base.allow(path).map_err(|error| wrong(path, error))?;
    }
    if let Some(home) = env::home_dir() {
        base = base.with_home(home);
    }
    Ok(Functions::pure().clone().with_files(&base))
}
