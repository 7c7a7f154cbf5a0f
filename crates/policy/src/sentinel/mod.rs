//! The imports of Sentinel policies: `tfplan/v2`, `tfstate/v2`, `tfconfig/v2` and `tfrun`.
//!
//! ```text
//! Document    a plan or state, read once: for all threads
//!   DocumentCache     with the texts that are asked for most: for all runs of a thread
//!     Visit   with what a run has seen, and what it sees in place of secrets
//!       Table ─▶ Record ─▶ Object    the maps of the run; each is but a place in the document
//! ```

mod cache;
pub mod configuration;
mod document;
mod fault;
pub mod files;
mod hidden;
#[cfg(feature = "network")]
mod http;
mod items;
pub mod judge;
mod limits;
pub mod mock;
mod place;
mod record;
pub mod report;
pub mod set;
pub mod shapes;
pub mod sources;
pub mod testing;
mod tfrun;
mod time;
mod value;

use std::rc::Rc;
use std::sync::Arc;

use objchange::address::strip_keys;
use objchange_document::PlanSection;
use objchange_sentinel::{Function, HostError, Import, Map, Source, Value};

use self::cache::DocumentCache;
pub use self::configuration::Configuration;
use self::document::CollectionKind;
pub use self::document::Document;
pub use self::fault::Fault;
use self::hidden::Replacement;
pub use self::limits::RunLimits;
use self::place::AccessLog;
use self::place::RunContext;
pub use self::time::{ParseTimeError, parse_time};

/// The imports of all runs of a thread.
#[derive(Debug)]
pub struct Imports {
    documents: Arc<DocumentCache>,
    run: Arc<serde_json::Value>,
    #[cfg(feature = "network")]
    network: Option<Arc<dyn objchange_rego::Network>>,
}

impl Imports {
    /// The imports that a plan gives; the state is the one that the plan starts from where none is given.
    pub fn new(plan: &Arc<Document>, state: Option<&Arc<Document>>, run: Option<&serde_json::Value>) -> Self {
        Self::with_run(plan, state, tfrun::members(plan, run))
    }

    /// The imports where there is no plan; the document has nothing of one.
    pub fn without_plan(
        nothing: &Arc<Document>,
        state: Option<&Arc<Document>>,
        run: Option<&serde_json::Value>,
    ) -> Self {
        Self::with_run(nothing, state, tfrun::members_of(None, run))
    }

    fn with_run(plan: &Arc<Document>, state: Option<&Arc<Document>>, run: serde_json::Value) -> Self {
        let run = Arc::new(run);
        Self {
            documents: Arc::new(DocumentCache::new(Arc::clone(plan), state.map(Arc::clone))),
            run,
            #[cfg(feature = "network")]
            network: None,
        }
    }

    /// Lets policies use this network by the import `http`. They can send what they see, also what is sensitive.
    #[cfg(feature = "network")]
    #[must_use]
    pub fn with_network(self, network: Arc<dyn objchange_rego::Network>) -> Self {
        Self { network: Some(network), ..self }
    }

    /// The network as all runs of one policy see it: equal requests have one answer.
    #[cfg(feature = "network")]
    fn remembered(&self) -> Option<Arc<crate::rego::Remembered>> {
        self.network.as_ref().map(|network| Arc::new(crate::rego::Remembered::new(Arc::clone(network))))
    }

    /// Whether the plan was made without asking its providers.
    fn is_simulated(&self) -> bool {
        self.documents.document(CollectionKind::Changes).is_simulated()
    }

    /// Whether there is a resource, or an instance of one, with this address.
    fn has_resource(&self, address: &str) -> bool {
        let all = [
            CollectionKind::Changes,
            CollectionKind::Drift,
            CollectionKind::PlannedResources,
            CollectionKind::Resources,
            CollectionKind::ConfigResources,
        ];
        all.into_iter().any(|kind| self.documents.find(kind, address).is_some())
    }

    /// The imports by name, for one run.
    fn sources(
        &self,
        hiding: Option<Replacement>,
        noted: &Arc<AccessLog>,
    ) -> impl Iterator<Item = (String, Source)> {
        let host = move |name: Name| {
            let (documents, noted) = (Arc::clone(&self.documents), Arc::clone(noted));
            Source::Host(Arc::new(Host { name, documents, hiding, noted }))
        };
        let hosts = [("tfplan/v2", Name::Plan), ("tfstate/v2", Name::State), ("tfconfig/v2", Name::Config)];
        let hosts = hosts.map(|(import, name)| (import.to_owned(), host(name)));
        hosts.into_iter().chain([("tfrun".to_owned(), Source::Data(Arc::clone(&self.run)))])
    }
}

#[derive(Debug, Clone, Copy)]
enum Name {
    Plan,
    State,
    Config,
}

/// One import of one run.
#[derive(Debug)]
struct Host {
    name: Name,
    documents: Arc<DocumentCache>,
    hiding: Option<Replacement>,
    noted: Arc<AccessLog>,
}

impl Import for Host {
    fn member(&self, name: &str) -> Option<Value> {
        let Self { documents, hiding, noted, .. } = self;
        let context = Rc::new(RunContext::new(documents, *hiding, noted));
        let table = |kind| Some(context.table(kind));
        match (self.name, name) {
            (Name::Plan, "terraform_version") => {
                let document = documents.document(CollectionKind::Changes);
                if let Err(error) = document.require(PlanSection::TerraformVersion) {
                    // An import cannot fail, so whoever judges asks for this error when the policy has ended.
                    noted.failed(error);
                }
                let version = |plan: &crate::tfplan::TfPlan<'_>| {
                    plan.terraform_version.as_ref().map(|version| Value::from(&**version))
                };
                document.plan(version).flatten()
            }
            (Name::Plan, "planned_values") => {
                let state = [
                    ("outputs", CollectionKind::PlannedOutputs),
                    ("resources", CollectionKind::PlannedResources),
                ];
                Some(Value::Map(
                    state.map(|(name, kind)| (name, context.table(kind))).into_iter().collect::<Map>(),
                ))
            }
            (Name::Plan, "resource_changes") => table(CollectionKind::Changes),
            (Name::Plan, "resource_drift") => table(CollectionKind::Drift),
            (Name::Plan, "output_changes") => table(CollectionKind::OutputChanges),
            (Name::Plan, "variables") => table(CollectionKind::PlanVariables),
            (Name::Plan, "raw") => table(CollectionKind::Raw),
            (Name::State, "terraform_version") => {
                match documents.document(CollectionKind::Resources).state_version() {
                    Ok(version) => version.map(Value::from),
                    Err(error) => {
                        noted.failed(error);
                        None
                    }
                }
            }
            (Name::State, "resources") => table(CollectionKind::Resources),
            (Name::State, "outputs") => table(CollectionKind::Outputs),
            (Name::Config, "providers") => table(CollectionKind::Providers),
            (Name::Config, "resources") => table(CollectionKind::ConfigResources),
            (Name::Config, "provisioners") => table(CollectionKind::Provisioners),
            (Name::Config, "variables") => table(CollectionKind::ConfigVariables),
            (Name::Config, "outputs") => table(CollectionKind::ConfigOutputs),
            (Name::Config, "module_calls") => table(CollectionKind::ModuleCalls),
            (Name::Config, "strip_index") => {
                Some(Value::Function(Function::host("strip_index", 1..=1, strip)))
            }
            _ => None,
        }
    }
}

fn strip(arguments: &[Value]) -> Result<Value, HostError> {
    match arguments {
        [undefined @ Value::Undefined(_)] => Ok(undefined.clone()),
        [address] => match address.as_str() {
            Some(address) => Ok(Value::from(strip_keys(address))),
            None => Err(format!("expected a string, found {}", address.type_name()).into()),
        },
        _ => Ok(Value::undefined()),
    }
}
