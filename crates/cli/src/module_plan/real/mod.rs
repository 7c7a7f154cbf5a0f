//! Providers that are asked for a plan of a module: which, by what programs, and what they answer.

mod answers;
mod process;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use objchange::schema::ProviderSchemas;
use objchange_module::{ProviderAddress, ProviderConfigAddress};
use objchange_provider::client::Limits;
use objchange_provider::schema_document;

pub(super) use self::answers::JoinedProviders;
use self::process::{Process, RealProvider};
use crate::exit::{CommandError, unusable};
use crate::installed_providers::InstalledProviders;
use crate::provider::launch::{Workplace, duration};
use crate::schemas::SchemaBinaries;

/// Which providers are asked.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RealArgs {
    /// Ask all providers: start the programs that `terraform init` has installed, or those of --provider-binary. They are
    /// configured, and read what exists; nothing is applied
    #[arg(long, help_heading = "Providers")]
    real_providers: bool,

    /// Ask this provider, e.g. `hashicorp/aws`; the others are simulated. Can be repeated
    #[arg(long, value_name = "ADDRESS", help_heading = "Providers", conflicts_with = "real_providers")]
    real_provider: Vec<String>,

    /// Timeout for each call of a provider, and for its start, e.g. 30s or 5m [default: 1m for the start, 5m for a call]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Providers")]
    timeout: Option<Duration>,
}

impl RealArgs {
    /// Those of a module's providers that are to be asked.
    fn choose(&self, known: &BTreeSet<ProviderAddress>) -> Result<BTreeSet<ProviderAddress>, CommandError> {
        if self.real_providers {
            return Ok(known.iter().filter(|provider| !provider.is_builtin()).cloned().collect());
        }
        let mut chosen = BTreeSet::new();
        for text in &self.real_provider {
            let address = ProviderAddress::parse(text).ok_or_else(|| {
                unusable(format!("--real-provider {text}: this is not the address of a provider"))
            })?;
            if address.is_builtin() {
                return Err(unusable(format!("--real-provider {text}: this provider is part of Terraform")));
            }
            if !known.contains(&address) {
                let known: Vec<String> = known.iter().map(ProviderAddress::for_display).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(unusable(format!(
                    "--real-provider {text}: the module has no such provider, only {known}"
                )));
            }
            chosen.insert(address);
        }
        Ok(chosen)
    }
}

/// The providers that are asked. When they are dropped, their processes are gone.
pub(super) struct RealProviders {
    // Dropped before the place that they run in.
    all: BTreeMap<ProviderAddress, RealProvider>,
    workplace: Workplace,
}

/// Where the programs run, and what they are told.
#[derive(Debug, Clone)]
pub(super) struct Surroundings<'a> {
    /// The directory of the module.
    pub(super) directory: &'a Path,
    /// The version of Terraform.
    pub(super) version: &'a str,
}

impl RealProviders {
    /// Starts those providers of a module that are to be asked, all at once, and asks for their schemas; `None` where none is
    /// to be asked.
    pub(super) fn start(
        args: &RealArgs,
        known: &BTreeSet<ProviderAddress>,
        binaries: &SchemaBinaries,
        surroundings: &Surroundings<'_>,
    ) -> Result<Option<Self>, CommandError> {
        let chosen = args.choose(known)?;
        if chosen.is_empty() {
            return Ok(None);
        }
        let programs = programs(&chosen, binaries, surroundings.directory)?;
        let workplace = Workplace::new()?;
        let mut limits = Limits::default();
        if let Some(timeout) = args.timeout {
            (limits.start, limits.call) = (timeout, timeout);
        }
        let launches = programs.into_iter().map(|(address, program)| {
            let launch = process::launch(&program, surroundings.directory, limits, &workplace.children);
            (address, launch)
        });
        let launches: Vec<_> = launches.collect();
        let started = workplace.wait_for(async {
            let mut running = tokio::task::JoinSet::new();
            for (address, launch) in launches {
                let version = surroundings.version.to_owned();
                running.spawn(async move {
                    let started = RealProvider::start(launch, version).await;
                    (address, started)
                });
            }
            running.join_all().await
        });
        let mut all = BTreeMap::new();
        for (address, started) in started.ok_or(CommandError::Interrupted)? {
            match started {
                Ok(provider) => _ = all.insert(address, provider),
                Err(error) => return Err(unusable(format!("{}: {error}", address.for_display()))),
            }
        }
        Ok(Some(Self { all, workplace }))
    }

    /// Whose providers are asked.
    pub(super) fn addresses(&self) -> BTreeSet<ProviderAddress> {
        self.all.keys().cloned().collect()
    }

    /// Their schemas.
    pub(super) fn schemas(&self) -> Result<ProviderSchemas, CommandError> {
        let names: Vec<String> = self.all.keys().map(ToString::to_string).collect();
        let all = std::iter::zip(&names, self.all.values());
        let text = schema_document(all.map(|(name, provider)| (name.as_str(), &*provider.schemas)));
        let schemas = ProviderSchemas::parse(text);
        schemas.map_err(|error| unusable(format!("the providers' schemas: {}", error.message)))
    }

    /// Whether somebody has interrupted the work; all processes are gone then.
    pub(super) fn was_interrupted(&self) -> bool {
        self.workplace.was_interrupted()
    }

    /// Closes what is open, and lets all processes end.
    pub(super) fn end(self) {
        let Self { all, workplace } = self;
        workplace.wait_for(async {
            let mut ending = tokio::task::JoinSet::new();
            for process in all.into_values().flat_map(|provider| provider.processes) {
                ending.spawn(process.end());
            }
            ending.join_all().await
        });
    }

    /// The process that is asked for a provider configuration; another one is started where the first has another
    /// configuration already.
    fn process(
        &mut self,
        address: &ProviderConfigAddress,
    ) -> Option<Result<(&mut Process, &Workplace), objchange_provider::Error>> {
        let provider = self.all.get_mut(&address.provider)?;
        let position = match provider.configured.get(address) {
            Some(position) => *position,
            None if provider.configured.is_empty() => 0,
            None => match self.workplace.wait_for(provider.start_another()) {
                Some(Ok(process)) => {
                    provider.processes.push(process);
                    provider.processes.len() - 1
                }
                Some(Err(error)) => return Some(Err(error)),
                None => 0,
            },
        };
        provider.configured.insert(address.clone(), position);
        Some(Ok((&mut provider.processes[position], &self.workplace)))
    }
}

/// The program of each provider.
fn programs(
    chosen: &BTreeSet<ProviderAddress>,
    binaries: &SchemaBinaries,
    directory: &Path,
) -> Result<BTreeMap<ProviderAddress, PathBuf>, CommandError> {
    let mut programs = BTreeMap::new();
    let mut installed = None;
    for provider in chosen {
        if let Some(program) = binaries.program(&provider.to_string()) {
            programs.insert(provider.clone(), program.to_owned());
            continue;
        }
        let installed = match &installed {
            Some(installed) => installed,
            None => installed.insert(InstalledProviders::open(directory).map_err(unusable)?),
        };
        let program = installed.find(provider).map_err(unusable)?.ok_or_else(|| {
            unusable(format!(
                "{} is not installed: run `terraform init` in {}, or name its program with --provider-binary",
                provider.for_display(),
                directory.display()
            ))
        })?;
        programs.insert(provider.clone(), program);
    }
    Ok(programs)
}
