//! A provider that answers, and is started again if it has ended.

use std::sync::Arc;

use objchange::change::{Diagnostic, ProviderSecrets, Severity};
use objchange_provider::{Component, Error, ErrorKind, Provider, ProviderExt, Result};

use super::Context;

/// How often a provider is started before it is given up, if it does not answer.
const MAX_TRIES: u32 = 4;

/// The provider of one worker.
pub(super) struct Session {
    pub(super) context: Arc<Context>,
    /// A provider, and whether it has its settings.
    live: Option<(Arc<dyn Provider>, bool)>,
}

impl Session {
    pub(super) fn new(context: Arc<Context>, started: Option<Arc<dyn Provider>>) -> Self {
        Self { context, live: started.map(|provider| (provider, false)) }
    }

    /// A provider with its settings. One that does not answer in time is started again: under load it may be slow, and a
    /// type must not be given up for that.
    pub(super) async fn provider(&mut self) -> Result<Arc<dyn Provider>> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.configured().await {
                Err(error) if tries < MAX_TRIES && is_no_answer(&error) => self.let_go(),
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
        let config = &self.context.config;
        let mut said = provider.validate(Component::Provider, "", config).await?;
        if !has_errors(&said) {
            said = provider.configure(config).await?;
        }
        if has_errors(&said) {
            let mut secrets = ProviderSecrets::default();
            self.context.options.hints.secrets().iter().for_each(|secret| secrets.learn_marked(secret));
            if let Some(block) = self.context.schemas.block(Component::Provider, "") {
                secrets.learn(block, config);
            }
            let errors = said.iter().filter(|said| said.severity == Severity::Error);
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
