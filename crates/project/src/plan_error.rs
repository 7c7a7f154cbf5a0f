//! Why a directory cannot be planned.

use std::path::PathBuf;

use objchange_files::FileError;
use objchange_module::config::Config;
use objchange_module::{DiagnosticPrinter, Diagnostics, Schemas};

use crate::installed_providers::InstalledError;
use crate::schema_lookup::MissingSchemas;
use crate::schemas::SchemaError;
use crate::state::StateError;

/// A module whose configuration or arguments have errors: nothing is planned.
#[derive(Debug)]
#[non_exhaustive]
pub struct RefusedPlan {
    /// The configuration, as far as it could be read.
    pub config: Config,
    /// The schemas that were given, which say what in the configuration is secret.
    pub schemas: Schemas,
    /// The problem.
    pub diagnostics: Diagnostics,
}

impl RefusedPlan {
    /// The errors and warnings as `terraform plan` prints them. No secret is shown.
    pub fn messages(&self) -> String {
        DiagnosticPrinter::new(&self.config, &self.schemas).text(&self.diagnostics)
    }
}

/// Why a directory cannot be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A file or directory cannot be read, or is not what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// A real provider cannot be asked.
    #[error("{problem}")]
    Provider {
        /// Which one, and why.
        problem: String,
    },
    /// The schemas that are given cannot be used.
    #[error(transparent)]
    Schemas(#[from] SchemaError),
    /// There are no schemas of some providers.
    #[error(transparent)]
    NoSchemas(#[from] MissingSchemas),
    /// The installed providers cannot be used.
    #[error(transparent)]
    Installed(#[from] InstalledError),
    /// The directory that is given for the source of modules cannot be used.
    #[error("the module source {source_address}: {problem}")]
    ModuleSource {
        /// The source.
        source_address: String,
        /// The problem.
        problem: String,
    },
    /// The state of the directory, or its workspace, cannot be used.
    #[error("{}: {error}", directory.display())]
    State {
        /// The directory of the module.
        directory: PathBuf,
        /// Why.
        error: Box<StateError>,
    },
    /// A provider to ask is not installed, and its program is not named.
    #[error("{provider} is not installed: run `terraform init` in {}", directory.display())]
    NotInstalled {
        /// The provider.
        provider: String,
        /// The directory of the module.
        directory: PathBuf,
    },
    /// Only a provider that was not asked knows which actions a resource invokes: gates would not see them.
    #[error(
        "{resource}: only its provider knows which actions it invokes, so no verdict can be given on this module"
    )]
    Actions {
        /// The resource.
        resource: String,
    },
    /// A file of the module that only OpenTofu reads, and nobody has said for which program it is to be planned.
    #[error("{}: only OpenTofu reads {file}, and nothing says whether this is a module of OpenTofu", directory.display())]
    OpenTofuFile {
        /// The directory of the module.
        directory: PathBuf,
        /// The first such file, from there.
        file: String,
    },
    /// An option names nothing in the module or its state.
    #[error("{option} {address}: nothing in the module or its state has this address")]
    Unmatched {
        /// The option.
        option: &'static str,
        /// The address that it names.
        address: String,
    },
    /// The configuration has errors.
    #[error("the module cannot be planned")]
    Refused(Box<RefusedPlan>),
    /// The work was interrupted; no process is left.
    #[error("interrupted")]
    Interrupted,
}

impl PlanError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::File(error) => error.kind.kind(),
            Self::Provider { .. } => "provider",
            Self::Schemas(error) => error.kind(),
            Self::NoSchemas(error) => error.kind(),
            Self::Installed(_) => "installed_providers",
            Self::ModuleSource { .. } => "module_source",
            Self::State { .. } => "state",
            Self::NotInstalled { .. } => "not_installed",
            Self::Actions { .. } => "actions",
            Self::OpenTofuFile { .. } => "opentofu_file",
            Self::Unmatched { .. } => "unmatched",
            Self::Refused(_) => "configuration",
            Self::Interrupted => "interrupted",
        }
    }
}

#[cfg(feature = "provider")]
impl PlanError {
    pub(crate) fn of_provider(problem: impl std::fmt::Display) -> Self {
        Self::Provider { problem: problem.to_string() }
    }
}
