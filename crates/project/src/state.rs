//! The state before a plan: finds that of a directory and workspace.

use std::env;
use std::path::{Path, PathBuf};

use objchange_document::{NoState, PlanFile, PlanFileError};
use objchange_files::input::{InputError, Size, Source};
use objchange_hcl::{ConstantText, StateStorage};
use objchange_module::state::{PriorState, ReadStateError};
use objchange_module::{Diagnostics, ProviderAddress, ProviderConfigAddress, Providers, Schemas};
use objchange_plan::compare::StateVersion;
use objchange_text::{Notice, visible};

use crate::data_directory::DataDirectory;
use crate::files::{DiskFiles, NOT_A_FILE, without_dots};

/// Where `terraform init` remembers the backend, in the data directory.
const BACKEND_FILE: &str = "terraform.tfstate";

/// The files of a module that Terragrunt runs. They often say where the state is.
const TERRAGRUNT: [&str; 2] = ["terragrunt.hcl", "terragrunt.hcl.json"];

/// The variable that selects a workspace.
const TF_WORKSPACE: &str = "TF_WORKSPACE";

/// Where the selected workspace is remembered, in the data directory.
const WORKSPACE_FILE: &str = "environment";

/// The local backend's file for the workspace `default`, and its directory for the others, where nothing else is said.
pub(crate) const STATE_FILE: &str = "terraform.tfstate";
pub(crate) const WORKSPACE_DIR: &str = "terraform.tfstate.d";

/// The state that a plan starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StateChoice<'a> {
    /// The one of the directory, if that is in a file: a state in a remote backend is an error.
    #[default]
    OfDirectory,
    /// This file; `-` is standard input.
    File(&'a Path),
    /// None: nothing exists yet.
    Nothing,
}

/// Why the state of a directory, or its workspace, cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// It is in a remote backend.
    #[error(
        "the state is in {}, and is not read from there: get it with `{program} state pull > state.json`",
        remote(.kind, *.by_init)
    )]
    Elsewhere {
        /// The type of the backend; `cloud` is HCP Terraform.
        kind: String,
        /// The directory was initialized for it. The configuration does not say so.
        by_init: bool,
        /// The command for it.
        program: &'static str,
    },
    /// An argument of the local backend cannot be followed.
    #[error("the state cannot be found: {argument} of backend \"local\" {problem}")]
    Argument {
        /// The argument.
        argument: &'static str,
        /// The problem with it.
        problem: &'static str,
    },
    /// The local backend has no such argument: it may be a misspelt `path`.
    #[error(
        "the state cannot be found: backend \"local\" has no argument {0:?}, only path and workspace_dir"
    )]
    UnknownArgument(String),
    /// Terragrunt writes the backend of the module when it runs.
    #[error(
        "Terragrunt says where the state is, and its terragrunt.hcl is not read: get the state with `terragrunt state pull > state.json`"
    )]
    Terragrunt,
    /// The directory was initialized for another place.
    #[error(
        "the state cannot be found: {argument} of backend \"local\" is {configured:?} in the configuration, and \
         {initialized:?} in {}; run `{program} init`",
        .file.display()
    )]
    Reinitialize {
        /// The argument.
        argument: &'static str,
        /// The value in the configuration.
        configured: String,
        /// The value that `terraform init` stored.
        initialized: String,
        /// Where.
        file: PathBuf,
        /// The command for it.
        program: &'static str,
    },
    /// A file of the directory is not to be read, or cannot be.
    #[error("{}: {problem}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The file with the selected workspace is not to be read, or cannot be.
    #[error("{}: {problem}", .path.display())]
    WorkspaceFile {
        /// Its path.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The state cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The text is no state file.
    #[error(transparent)]
    Document(#[from] PlanFileError),
    /// Something in the state cannot be read.
    #[error("{source_name}: {error}")]
    Object {
        /// The state.
        source_name: Source,
        /// Why.
        error: ReadStateError,
    },
    /// The given state is empty, as after a `state pull` that failed.
    #[error("{0}: the state is empty: there is none, or getting it failed")]
    Empty(Source),
    /// The directory has a state, and the given one has another lineage.
    #[error(
        "{given} is another state: it has the lineage {}, and the state of the directory, {}, has {}", visible(.lineage),
        .own.display(), visible(.own_lineage)
    )]
    OtherLineage {
        /// The given state.
        given: Source,
        /// Its lineage.
        lineage: String,
        /// The state of the directory.
        own: PathBuf,
        /// The lineage of that.
        own_lineage: String,
    },
    /// A name that no workspace has.
    #[error(
        "{by} has an invalid workspace name, {name:?}: it must contain only URL safe characters, and no path \
         separators"
    )]
    WorkspaceName {
        /// The source of the name.
        by: String,
        /// The name.
        name: String,
    },
    /// Two workspaces are selected.
    #[error("TF_WORKSPACE is {selected:?}, and the cloud block has the workspace {configured:?}")]
    TwoWorkspaces {
        /// By the environment.
        selected: String,
        /// By the configuration.
        configured: String,
    },
}

impl StateError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Elsewhere { .. } => "elsewhere",
            Self::Argument { .. } => "argument",
            Self::UnknownArgument(_) => "unknown_argument",
            Self::Terragrunt => "terragrunt",
            Self::Reinitialize { .. } => "reinitialize",
            Self::File { .. } => "file",
            Self::WorkspaceFile { .. } => "workspace_file",
            Self::Input(error) => error.kind(),
            Self::Document(error) => error.kind(),
            Self::Object { error, .. } => error.kind(),
            Self::Empty(_) => "empty",
            Self::OtherLineage { .. } => "other_lineage",
            Self::WorkspaceName { .. } => "workspace_name",
            Self::TwoWorkspaces { .. } => "two_workspaces",
        }
    }

    /// Whether there may be a state that nobody can read here.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Elsewhere { .. } | Self::Terragrunt)
    }
}

/// A backend in words.
fn remote(kind: &str, by_init: bool) -> String {
    let storage = match kind {
        "cloud" => "HCP Terraform or Terraform Enterprise (a cloud block)".to_owned(),
        kind => format!("the backend {kind:?}"),
    };
    match by_init {
        true => format!("{storage}, for which the directory was initialized"),
        false => storage,
    }
}

/// The state before a plan, and the workspace that it is of.
pub(crate) struct DirectoryState {
    /// `None` if there is no state.
    pub(crate) text: Option<StateText>,
    /// `None` if nothing says which one is selected.
    pub(crate) workspace: Option<String>,
    /// Why there is no state.
    pub(crate) no_state: Option<NoState>,
}

impl DirectoryState {
    /// Finds the workspace and reads the state, where the root module says this about it.
    pub(crate) fn read(
        files: &DiskFiles,
        storage: Option<&StateStorage>,
        choice: StateChoice<'_>,
        limit: Size,
        is_opentofu: bool,
    ) -> Result<Self, StateError> {
        let data = DataDirectory::of_environment();
        let program = if is_opentofu { "tofu" } else { "terraform" };
        let selected = selected_workspace(&data, files)?;
        // Also where another state is given: which workspace is meant depends on the backend.
        let location = Location::find(storage, &data, files, program);
        let workspace = match (storage, &location) {
            (Some(StateStorage::Cloud { workspace: ConstantText::Text(name) }), _) => {
                Some(workspace_of_cloud(name)?)
            }
            // These errors are about the local backend, which is in `default` unless something else is selected. The
            // workspace of a remote backend may have any name.
            (
                _,
                Ok(_)
                | Err(
                    StateError::Argument { .. }
                    | StateError::UnknownArgument(_)
                    | StateError::Reinitialize { .. },
                ),
            ) => Some(selected.unwrap_or_else(|| "default".to_owned())),
            (_, Err(_)) => selected,
        };
        let name = workspace.as_deref().unwrap_or("default");
        let mut own = None;
        let source = match choice {
            StateChoice::Nothing => {
                return Ok(Self { text: None, workspace, no_state: Some(NoState::LeftOut) });
            }
            StateChoice::File(path) => {
                own = location.ok().and_then(|location| location.file_of(name, files).ok()?);
                Source::new(path)
            }
            StateChoice::OfDirectory => match location?.file_of(name, files)? {
                Some(path) => Source::File(path),
                None => return Ok(Self { text: None, workspace, no_state: Some(NoState::Missing) }),
            },
        };
        let text = source.read_as_allowed(limit.0)?;
        if text.is_empty() && matches!(choice, StateChoice::File(_)) {
            return Err(StateError::Empty(source));
        }
        // Terraform takes an empty file for no state.
        if text.is_empty() {
            return Ok(Self { text: None, workspace, no_state: Some(NoState::Missing) });
        }
        let state = StateText::new(source, text);
        if let Some(own) = own {
            check_lineage(&state, own, limit)?;
        }
        Ok(Self { text: Some(state), workspace, no_state: None })
    }
}

/// Refuses a given state whose lineage is not that of the directory's own state, which is in this file. Terraform tells states apart by
/// their lineage.
fn check_lineage(given: &StateText, own: PathBuf, limit: Size) -> Result<(), StateError> {
    // A plan with a given state does not need the directory's own.
    let Ok(own_text) = Source::File(own.clone()).read_as_allowed(limit.0) else { return Ok(()) };
    let (lineage, own_lineage) = (given.version().lineage, StateVersion::of_file(&own_text).lineage);
    if lineage.is_empty() || own_lineage.is_empty() || lineage == own_lineage {
        return Ok(());
    }
    Err(StateError::OtherLineage { given: given.source.clone(), lineage, own, own_lineage })
}

/// The files of the local backend.
#[derive(Debug)]
struct Location {
    path: String,
    workspace_dir: String,
}

impl Location {
    /// The files that the configuration and the last `terraform init` agree on.
    fn find(
        storage: Option<&StateStorage>,
        data: &DataDirectory,
        files: &DiskFiles,
        program: &'static str,
    ) -> Result<Self, StateError> {
        let elsewhere =
            |kind: &str, by_init| StateError::Elsewhere { kind: kind.to_owned(), by_init, program };
        let unset = (&ConstantText::Unset, &ConstantText::Unset);
        let (path, workspace_dir) = match storage {
            Some(StateStorage::Remote(kind)) => return Err(elsewhere(kind, false)),
            Some(StateStorage::Cloud { .. }) => return Err(elsewhere("cloud", false)),
            Some(StateStorage::Local { unknown: Some(name), .. }) => {
                return Err(StateError::UnknownArgument(name.clone()));
            }
            Some(StateStorage::Local { path, workspace_dir, unknown: None }) => (path, workspace_dir),
            None => unset,
        };
        let initialized = Initialized::read(data, files)?;
        let has_terragrunt = TERRAGRUNT.iter().any(|name| files.directory().join(name).is_file());
        // Where Terragrunt has run, the data directory says which backend it has chosen.
        if storage.is_none() && initialized.is_none() && has_terragrunt {
            return Err(StateError::Terragrunt);
        }
        if let Some(backend) = initialized.as_ref().filter(|backend| backend.kind != "local") {
            return Err(elsewhere(&backend.kind, true));
        }
        let argument = |argument, configured: &ConstantText, default: &str| {
            let problem = |problem| Err(StateError::Argument { argument, problem });
            let initialized =
                initialized.as_ref().map(|backend| backend.argument(argument).unwrap_or(default).to_owned());
            let configured = match configured {
                // Terraform allows neither variables nor functions here.
                ConstantText::NotConstant => return problem("is not a literal"),
                ConstantText::Text(text) if text.is_empty() => return problem("is empty"),
                ConstantText::Text(text) => text.clone(),
                // `terraform init -backend-config` may say what the block leaves out.
                ConstantText::Unset if storage.is_some() => {
                    return Ok(initialized.unwrap_or_else(|| default.to_owned()));
                }
                ConstantText::Unset => default.to_owned(),
            };
            match initialized {
                // Terraform stops here, too: "Backend configuration block has changed".
                Some(initialized) if initialized != configured => {
                    let file = data.path_of(BACKEND_FILE);
                    Err(StateError::Reinitialize { argument, configured, initialized, file, program })
                }
                _ => Ok(configured),
            }
        };
        Ok(Self {
            path: argument("path", path, STATE_FILE)?,
            workspace_dir: argument("workspace_dir", workspace_dir, WORKSPACE_DIR)?,
        })
    }

    /// The state file of a workspace; `None` if it does not exist.
    fn file_of(&self, workspace: &str, files: &DiskFiles) -> Result<Option<PathBuf>, StateError> {
        let name = match workspace {
            "default" => self.path.clone(),
            // A workspace may be called `..`: Terraform 1.11.4 reads the state that this leads to.
            name => {
                let path = without_dots(&Path::new(&self.workspace_dir).join(name).join(STATE_FILE));
                path.to_string_lossy().into_owned()
            }
        };
        let path = files.directory().join(&name);
        match files.find_or_missing(&name) {
            Ok(Some(found)) if !found.is_file() => {
                Err(StateError::File { path, problem: NOT_A_FILE.to_owned() })
            }
            Ok(found) => Ok(found.map(|_| path)),
            Err(error) => Err(StateError::File { path, problem: error.to_string() }),
        }
    }
}

/// A backend that a directory was initialized for.
struct Initialized {
    kind: String,
    /// Its configuration. A backend such as `s3` has secrets in it.
    config: serde_json::Value,
}

impl Initialized {
    /// Reads what the last `terraform init` has remembered; `None` if it was for no backend.
    fn read(data: &DataDirectory, files: &DiskFiles) -> Result<Option<Self>, StateError> {
        let wrong = |problem: String| StateError::File { path: data.path_of(BACKEND_FILE), problem };
        let Some(text) = files.read_data(data, BACKEND_FILE).map_err(|error| wrong(error.into()))? else {
            return Ok(None);
        };
        // Without the error, which may show values.
        let unfit = || wrong("this is not what `terraform init` writes".to_owned());
        let mut document: serde_json::Value = serde_json::from_str(&text).map_err(|_| unfit())?;
        if !document.is_object() {
            return Err(unfit());
        }
        // Since 1.15 providers may have stores for states, too.
        let backend = ["backend", "state_store"].into_iter().find_map(|name| {
            document.get_mut(name).filter(|backend| !backend.is_null()).map(serde_json::Value::take)
        });
        let Some(mut backend) = backend else { return Ok(None) };
        let kind = backend.get("type").and_then(serde_json::Value::as_str).ok_or_else(unfit)?.to_owned();
        let config = backend.get_mut("config").map(serde_json::Value::take).unwrap_or_default();
        Ok(Some(Self { kind, config }))
    }

    /// An argument of the local backend.
    fn argument(&self, name: &str) -> Option<&str> {
        self.config.get(name)?.as_str()
    }
}

/// The workspace that is selected: by `TF_WORKSPACE`, or by `terraform workspace select` in the directory.
fn selected_workspace(data: &DataDirectory, files: &DiskFiles) -> Result<Option<String>, StateError> {
    let path = data.path_of(WORKSPACE_FILE);
    let (name, by) = match env::var_os(TF_WORKSPACE).filter(|name| !name.is_empty()) {
        Some(name) => (name.to_string_lossy().into_owned(), TF_WORKSPACE.to_owned()),
        None => {
            let read = files.read_data(data, WORKSPACE_FILE);
            let text = read
                .map_err(|error| StateError::WorkspaceFile { path: path.clone(), problem: error.into() })?;
            (text.unwrap_or_default().trim().to_owned(), path.display().to_string())
        }
    };
    match name.is_empty() {
        true => Ok(None),
        false if is_workspace_name(&name) => Ok(Some(name)),
        false => Err(StateError::WorkspaceName { name: name.chars().take(100).collect(), by }),
    }
}

/// Whether Terraform accepts the name of a workspace: it must equal its form as a URL's path segment.
fn is_workspace_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~$&+=:@".contains(&byte))
}

/// The workspace of a cloud block, which the environment must not contradict.
fn workspace_of_cloud(configured: &str) -> Result<String, StateError> {
    match env::var(TF_WORKSPACE) {
        Ok(selected) if !selected.is_empty() && selected != configured => {
            Err(StateError::TwoWorkspaces { selected, configured: configured.to_owned() })
        }
        _ => Ok(configured.to_owned()),
    }
}

/// The file of a state, which may hold secrets.
pub(crate) struct StateText {
    source: Source,
    /// An error is reported where the state is needed.
    file: Result<PlanFile, PlanFileError>,
}

impl StateText {
    /// Reads a text, with log lines around the state.
    pub(crate) fn new(source: Source, text: String) -> Self {
        let file = PlanFile::parse(source.to_string(), text);
        Self { source, file }
    }

    /// Notices about the text.
    pub(crate) fn notices(&self) -> &[Notice] {
        self.file.as_ref().map_or(&[], PlanFile::notices)
    }

    /// Which state it is.
    fn version(&self) -> StateVersion {
        self.file.as_ref().map_or_else(|_| StateVersion::default(), |file| StateVersion::of_file(file.text()))
    }

    /// The providers of its objects; empty for a broken text, which is reported when it is read.
    pub(crate) fn providers(&self) -> Vec<ProviderAddress> {
        let Ok(Ok(state)) = self.file.as_ref().map(PlanFile::state_file) else { return Vec::new() };
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
    ) -> Result<(PriorState, Diagnostics), StateError> {
        let Some(Self { source, file }) = state else { return Ok(Default::default()) };
        let file = file.as_ref().map_err(Clone::clone)?;
        PriorState::from_file(file.state_file()?, schemas, providers)
            .map_err(|error| StateError::Object { source_name: source.clone(), error })
    }
}
