//! Functions of real providers, which expressions call while a module is planned.

use std::sync::{Arc, Mutex, PoisonError};

use objchange::Value;
use objchange_hcl::FunctionError;
use objchange_module::ProviderFunction;
use objchange_provider::client::{Client, Launch};
use objchange_provider::{FunctionAnswer, ProviderExt};

use crate::workplace::Workplace;

/// The functions of one provider. A process of its own answers them, without a configuration, as with Terraform. It starts with
/// the first call.
pub(super) struct ProviderFunctions {
    launch: Launch,
    version: String,
    workplace: Arc<Workplace>,
    process: Mutex<Process>,
}

enum Process {
    NotStarted,
    Running(Client),
    /// It is not called again, for this reason.
    Failed(String),
}

impl ProviderFunctions {
    pub(super) fn new(launch: Launch, version: String, workplace: Arc<Workplace>) -> Self {
        Self { launch, version, workplace, process: Mutex::new(Process::NotStarted) }
    }

    /// One of them.
    pub(super) fn function(self: &Arc<Self>, name: &str) -> ProviderFunction {
        let (functions, name) = (Arc::clone(self), name.to_owned());
        Arc::new(move |arguments| functions.call(&name, arguments))
    }

    fn call(&self, name: &str, arguments: &[Value]) -> Result<Value, FunctionError> {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        if let Process::NotStarted = &*process {
            *process = self.start();
        }
        let answer = match &*process {
            Process::Running(client) => self.workplace.wait_for(client.call_function(name, arguments)),
            Process::Failed(why) => return Err(FunctionError::new(why.clone())),
            Process::NotStarted => None,
        };
        match answer {
            None => Err(FunctionError::new("interrupted")),
            Some(Ok(FunctionAnswer::Result(Some(result)))) => Ok(result),
            Some(Ok(FunctionAnswer::Result(None))) => {
                Err(FunctionError::new("the provider returns neither a result nor an error"))
            }
            Some(Ok(FunctionAnswer::Error { text, argument })) => {
                match argument.and_then(|position| usize::try_from(position).ok()) {
                    Some(position) if position < arguments.len() => {
                        Err(FunctionError::argument(position, text))
                    }
                    _ => Err(FunctionError::new(text)),
                }
            }
            Some(Err(error)) => {
                let why = format!("the provider does not answer: {error}");
                // An expression may call a function for thousands of elements, and each would wait for the timeout again.
                if error.is_gone() || matches!(error.kind(), objchange_provider::ErrorKind::Timeout(_)) {
                    *process = Process::Failed(why.clone());
                }
                Err(FunctionError::new(why))
            }
        }
    }

    fn start(&self) -> Process {
        match self.workplace.wait_for(Client::start(&self.launch)) {
            Some(Ok(client)) => Process::Running(client.with_terraform_version(&self.version)),
            Some(Err(error)) => Process::Failed(format!("the provider does not start: {error}")),
            None => Process::Failed("interrupted".to_owned()),
        }
    }

    /// Lets the process end, if there is one.
    pub(super) async fn end(&self) {
        // The lock is released before the process is awaited, so that no call of a function waits for its end.
        let process = {
            let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *process, Process::Failed("the plan is made".to_owned()))
        };
        if let Process::Running(client) = process {
            client.end().await;
        }
    }
}
