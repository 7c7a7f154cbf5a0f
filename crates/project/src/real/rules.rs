//! Real providers that are asked to validate, and nothing else.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::{ProviderSchemas, SchemaKind};
use objchange_module::{ProviderAddress, ProviderConfigAddress, ProviderRules};

use super::RealProviders;
use crate::plan_error::PlanError;
use crate::program::ProviderProgram;
use crate::workplace::Workplace;

/// Running providers that validate configurations for the tests of a module. They are not configured, as in `terraform test`
/// with mocks. When this is dropped, their processes are gone.
pub struct RunningRules {
    /// Test files run side by side, and each process answers one call at a time.
    real: Mutex<RealProviders>,
    providers: BTreeSet<ProviderAddress>,
}

impl RunningRules {
    /// Starts these providers: a named program, or the one that `terraform init` has installed in the directory. They receive the
    /// version of Terraform.
    ///
    /// # Errors
    ///
    /// A provider is not installed, or does not start.
    pub fn start(
        providers: BTreeSet<ProviderAddress>,
        named: &[ProviderProgram],
        directory: &Path,
        version: &str,
        workplace: &dyn Fn() -> io::Result<Workplace>,
    ) -> Result<Self, PlanError> {
        let programs = super::programs(&providers, named, directory)?;
        let real = RealProviders::start(programs, directory, version, None, workplace)?;
        Ok(Self { real: Mutex::new(real), providers })
    }

    /// The addresses of the providers.
    pub fn providers(&self) -> &BTreeSet<ProviderAddress> {
        &self.providers
    }

    /// Their schemas.
    ///
    /// # Errors
    ///
    /// A provider has schemas that cannot be read.
    pub fn schemas(&self) -> Result<ProviderSchemas, PlanError> {
        self.real.lock().unwrap_or_else(PoisonError::into_inner).schemas()
    }
}

impl fmt::Debug for RunningRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningRules").field("providers", &self.providers).finish_non_exhaustive()
    }
}

impl ProviderRules for RunningRules {
    fn validate(
        &self,
        provider: &ProviderConfigAddress,
        kind: SchemaKind,
        type_name: &str,
        config: &Value,
    ) -> Option<Vec<Diagnostic>> {
        let mut real = self.real.lock().unwrap_or_else(PoisonError::into_inner);
        real.has(provider).then(|| real.validate(provider, kind, type_name, config))
    }
}
