//! Options for real providers.

use std::time::Duration;

use clap::ArgGroup;
use objchange_project::RealChoice;

use crate::launch::duration;

/// The options that choose real providers.
const REAL: &str = "real";

/// Which providers are asked.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(group(ArgGroup::new(REAL).args(["real_providers", "real_provider"])))]
pub(crate) struct RealArgs {
    /// Use all real providers: start the programs that `terraform init` installed, or those of
    /// --provider-binary. They are configured and read existing objects; nothing is applied
    #[arg(long, help_heading = "Providers")]
    real_providers: bool,

    /// Use this real provider, e.g. `hashicorp/aws`; the others are simulated. Can be repeated
    #[arg(long, value_name = "ADDRESS", help_heading = "Providers", conflicts_with = "real_providers")]
    real_provider: Vec<String>,

    /// Timeout for each call of a provider, and for its start, e.g. 30s or 5m [default: 1m for the start, 5m for a call]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Providers", requires = REAL)]
    timeout: Option<Duration>,
}

impl RealArgs {
    /// The providers that the arguments choose.
    pub(super) fn choice(&self) -> RealChoice<'_> {
        RealChoice { all: self.real_providers, providers: &self.real_provider, timeout: self.timeout }
    }
}
