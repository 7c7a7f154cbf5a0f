//! The processes of one provider.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange::change::PrivateData;
use objchange_module::ProviderConfigAddress;
use objchange_provider::client::{Children, Client, Launch, Limits};
use objchange_provider::{Error, ProviderExt, Schemas};

use super::functions::ProviderFunctions;
use crate::workplace::Workplace;

/// A provider with its processes: one for each of its configurations.
pub(super) struct RealProvider {
    launch: Launch,
    version: String,
    pub(super) schemas: Arc<Schemas>,
    pub(super) processes: Vec<Process>,
    /// Which process has which configuration, or will have.
    pub(super) configured: BTreeMap<ProviderConfigAddress, usize>,
}

/// A running provider.
pub(super) struct Process {
    pub(super) client: Client,
    /// It has its configuration, and took it or not.
    pub(super) is_configured: bool,
    /// Ephemeral resources that are open: their types, and what the provider wants to have back.
    pub(super) opened: Vec<(String, Option<PrivateData>)>,
    /// Why it is not asked any more.
    pub(super) failure: Option<String>,
}

/// How a provider is started: as Terraform does it, with our environment.
pub(super) fn launch(program: &Path, directory: &Path, limits: Limits, children: &Children) -> Launch {
    // It runs in another directory.
    let program = std::path::absolute(program).unwrap_or_else(|_| PathBuf::from(program));
    let mut launch = Launch::new(program);
    (launch.limits, launch.children) = (limits, children.clone());
    launch.directory = Some(directory.to_owned());
    // The client gives each provider a folder of its own for temporary files, which it removes with the process.
    for (name, value) in std::env::vars_os().filter(|(name, _)| name != "TMPDIR") {
        launch.set(name, value);
    }
    launch
}

impl RealProvider {
    pub(super) async fn start(launch: Launch, version: String) -> Result<Self, Error> {
        let client = Client::start(&launch).await?.with_terraform_version(&version);
        let schemas = client.schemas().await?;
        let processes = vec![Process::new(client)];
        Ok(Self { launch, version, schemas, processes, configured: BTreeMap::new() })
    }

    /// Its functions, for another process.
    pub(super) fn functions(&self, workplace: Arc<Workplace>) -> ProviderFunctions {
        ProviderFunctions::new(self.launch.clone(), self.version.clone(), workplace)
    }

    /// One more process of it.
    pub(super) async fn start_another(&self) -> Result<Process, Error> {
        let client = Client::start(&self.launch).await?;
        Ok(Process::new(client.with_terraform_version(&self.version)))
    }
}

impl Process {
    fn new(client: Client) -> Self {
        Self { client, is_configured: false, opened: Vec::new(), failure: None }
    }

    /// Closes what is open, and lets the process end.
    pub(super) async fn end(self) {
        if self.failure.is_none() {
            for (type_name, private) in &self.opened {
                // An error does not matter any more: the plan is made.
                let _ = self.client.close(type_name, private.as_ref()).await;
            }
        }
        self.client.end().await;
    }
}
