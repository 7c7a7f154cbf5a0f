//! A provider that answers, and is started again if it has ended.

use std::sync::Arc;

use objchange::Value;
use objchange::change::{Diagnostic, Severity};
use objchange_provider::{Component, Error, ErrorKind, Provider, ProviderExt, Result};

use super::other_secrets::OtherSecrets;
use super::{Context, Prepared};

/// How often a provider is started before it is given up, if it does not answer.
const MAX_TRIES: u32 = 4;

/// The provider of one worker.
pub(super) struct Session {
    pub(super) context: Arc<Context>,
    /// A provider, and whether it has its settings.
    live: Option<(Arc<dyn Provider>, bool)>,
    /// The settings that it gets: the last, or those before it if it refuses them.
    settings: Vec<Prepared>,
}

impl Session {
    pub(super) fn new(context: Arc<Context>, started: Option<Arc<dyn Provider>>) -> Self {
        let settings = vec![context.settings.clone()];
        Self { context, live: started.map(|provider| (provider, false)), settings }
    }

    /// One with other secrets; `None` if there are no secrets, or no provider for it.
    pub(super) fn with_other_secrets(context: Arc<Context>) -> Option<Self> {
        let settings: Vec<Prepared> = context.other_settings.iter().rev().cloned().collect();
        let is_possible = !settings.is_empty() && !context.options.is_one_process;
        is_possible.then_some(Self { context, live: None, settings })
    }

    /// The secrets in place of those in the hints.
    pub(super) fn other_secrets(&self) -> OtherSecrets {
        self.settings.last().map(|settings| settings.others.clone()).unwrap_or_default()
    }

    /// A provider with its settings. One that does not answer in time is started again: under load it may be slow, and a
    /// type must not be given up for that.
    pub(super) async fn provider(&mut self) -> Result<Arc<dyn Provider>> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.configured().await {
                Err(error) if tries < MAX_TRIES && is_no_answer(&error) => self.let_go(),
                Err(error) if self.settings.len() > 1 && matches!(error.kind(), ErrorKind::Refused(_)) => {
                    self.settings.pop();
                    self.let_go();
                }
                answer => return answer,
            }
        }
    }

    async fn configured(&mut self) -> Result<Arc<dyn Provider>> {
        let provider = match &self.live {
            Some((provider, true)) => return Ok(provider.clone()),
            Some((provider, false)) => provider.clone(),
            None => {
                let provider = (self.context.start)().await?;
                provider.schemas().await?;
                provider
            }
        };
        let nothing = Value::null(objchange::Type::Dynamic);
        let config = self.settings.last().map_or(&nothing, |settings| &settings.config);
        let mut said = provider.validate(Component::Provider, "", config).await?;
        if !has_errors(&said) {
            said = provider.configure(config).await?;
        }
        if has_errors(&said) {
            let errors = said.iter().filter(|said| said.severity == Severity::Error);
            let secrets = &self.context.secrets;
            let errors = errors.map(|error| secrets.hide(&error.to_string()).into_owned()).collect();
            return Err(Error::new(ErrorKind::Refused(errors)).during("ConfigureProvider"));
        }
        self.live = Some((provider.clone(), true));
        Ok(provider)
    }

    /// Drops a provider that has crashed or hangs.
    pub(super) fn let_go(&mut self) {
        self.live = None;
    }
}

/// Whether the provider has crashed, or has not answered in time.
pub(super) fn is_no_answer(error: &Error) -> bool {
    error.is_gone() || matches!(error.kind(), ErrorKind::Timeout(_))
}

pub(super) fn has_errors(said: &[Diagnostic]) -> bool {
    said.iter().any(|said| said.severity == Severity::Error)
}
