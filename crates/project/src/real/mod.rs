//! Real providers for planning a module: which ones run, their programs, and their answers.

mod answers;
mod functions;
mod process;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use objchange::schema::ProviderSchemas;
use objchange_module::{ProviderAddress, ProviderConfigAddress};
use objchange_provider::client::Limits;
use objchange_provider::schema_document;
use objchange_text::Notice;

pub(crate) use self::answers::JoinedProviders;
use self::functions::ProviderFunctions;
use self::process::{Process, RealProvider};
pub use self::rules::RunningRules;
use crate::installed_providers::InstalledProviders;
use crate::plan_error::PlanError;
use crate::program::ProviderProgram;
use crate::workplace::Workplace;

/// The real providers to run; none by default.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealChoice<'a> {
    /// All of a module.
    pub all: bool,
    /// These, such as `hashicorp/aws`.
    pub providers: &'a [String],
    /// The timeout for the start and for each call, if not the default.
    pub timeout: Option<Duration>,
}

impl RealChoice<'_> {
    /// The module's providers to ask. A provider that some module does not use may still be named, for other modules.
    pub(crate) fn choose(
        &self,
        known: &BTreeSet<ProviderAddress>,
        notices: &mut Vec<Notice>,
    ) -> Result<BTreeSet<ProviderAddress>, PlanError> {
        if self.all {
            return Ok(known.iter().filter(|provider| !provider.is_builtin()).cloned().collect());
        }
        let mut chosen = BTreeSet::new();
        for text in self.providers {
            let address = ProviderAddress::parse(text).ok_or_else(|| {
                PlanError::of_provider(format!("{text}: this is not the address of a provider"))
            })?;
            if address.is_builtin() {
                let problem = format!("{text}: this provider is part of Terraform, and not a program");
                return Err(PlanError::of_provider(problem));
            }
            if !known.contains(&address) {
                let known: Vec<String> = known.iter().map(ProviderAddress::for_display).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                notices.push(Notice::Note(format!(
                    "{text} is not asked: the module has no such provider, only {known}"
                )));
                continue;
            }
            chosen.insert(address);
        }
        Ok(chosen)
    }
}

/// The providers that are asked. When they are dropped, their processes are gone.
pub(crate) struct RealProviders {
    // Dropped before the place that they run in.
    all: BTreeMap<ProviderAddress, RealProvider>,
    functions: BTreeMap<ProviderAddress, Arc<ProviderFunctions>>,
    workplace: Arc<Workplace>,
}

impl RealProviders {
    /// Starts these providers in parallel in a directory, and asks for their schemas. They receive the version of
    /// Terraform.
    pub(crate) fn start(
        programs: BTreeMap<ProviderAddress, PathBuf>,
        directory: &Path,
        version: &str,
        timeout: Option<Duration>,
        workplace: &dyn Fn() -> io::Result<Workplace>,
    ) -> Result<Self, PlanError> {
        let workplace = workplace()
            .map_err(|error| PlanError::of_provider(format!("providers cannot be waited for: {error}")))?;
        let workplace = Arc::new(workplace);
        let mut limits = Limits::default();
        if let Some(timeout) = timeout {
            (limits.start, limits.call) = (timeout, timeout);
        }
        let launches = programs.into_iter().map(|(address, program)| {
            let launch = process::launch(&program, directory, limits, &workplace.children);
            (address, launch)
        });
        let launches: Vec<_> = launches.collect();
        let started = workplace.wait_for(async {
            let mut running = tokio::task::JoinSet::new();
            for (address, launch) in launches {
                let version = version.to_owned();
                running.spawn(async move {
                    let started = RealProvider::start(launch, version).await;
                    (address, started)
                });
            }
            running.join_all().await
        });
        let mut all = BTreeMap::new();
        for (address, started) in started.ok_or(PlanError::Interrupted)? {
            match started {
                Ok(provider) => _ = all.insert(address, provider),
                Err(error) => {
                    return Err(PlanError::of_provider(format!("{}: {error}", address.for_display())));
                }
            }
        }
        let functions = all.iter().map(|(address, provider)| {
            let functions = provider.functions(Arc::clone(&workplace));
            (address.clone(), Arc::new(functions))
        });
        let functions = functions.collect();
        Ok(Self { all, functions, workplace })
    }

    /// The functions of a provider, if it is asked.
    fn functions_of(&self, provider: &ProviderAddress) -> Option<&Arc<ProviderFunctions>> {
        self.functions.get(provider)
    }

    /// The addresses of the real providers.
    pub(crate) fn addresses(&self) -> BTreeSet<ProviderAddress> {
        self.all.keys().cloned().collect()
    }

    /// Their schemas.
    pub(crate) fn schemas(&self) -> Result<ProviderSchemas, PlanError> {
        let names: Vec<String> = self.all.keys().map(ToString::to_string).collect();
        let all = std::iter::zip(&names, self.all.values());
        let text = schema_document(all.map(|(name, provider)| (name.as_str(), &*provider.schemas)));
        let schemas = ProviderSchemas::parse(text);
        schemas.map_err(|error| PlanError::of_provider(format!("the providers' schemas: {}", error.message)))
    }

    /// Whether the work was interrupted; all processes are gone then.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.workplace.was_interrupted()
    }

    /// Closes what is open, and lets all processes end.
    pub(crate) fn end(self) {
        let Self { all, functions, workplace } = self;
        workplace.wait_for(async {
            let mut ending = tokio::task::JoinSet::new();
            for process in all.into_values().flat_map(|provider| provider.processes) {
                ending.spawn(process.end());
            }
            for functions in functions.into_values() {
                ending.spawn(async move { functions.end().await });
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
                // An interrupt has ended all processes, so no answer comes from any of them.
                None => 0,
            },
        };
        provider.configured.insert(address.clone(), position);
        Some(Ok((&mut provider.processes[position], &self.workplace)))
    }
}

/// The program of each provider: a named one, or the one installed in the directory.
pub(crate) fn programs(
    chosen: &BTreeSet<ProviderAddress>,
    named: &[ProviderProgram],
    directory: &Path,
) -> Result<BTreeMap<ProviderAddress, PathBuf>, PlanError> {
    let mut programs = BTreeMap::new();
    let mut installed = None;
    for provider in chosen {
        let address = provider.to_string();
        if let Some(program) = named.iter().find(|program| program.address() == address) {
            programs.insert(provider.clone(), program.path.clone());
            continue;
        }
        let installed = match &installed {
            Some(installed) => installed,
            None => installed.insert(InstalledProviders::open(directory)?),
        };
        let program = installed.find(provider)?.ok_or_else(|| PlanError::NotInstalled {
            provider: provider.for_display(),
            directory: directory.to_owned(),
        })?;
        programs.insert(provider.clone(), program);
    }
    Ok(programs)
}
