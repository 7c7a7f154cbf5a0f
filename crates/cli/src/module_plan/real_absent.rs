//! A build without the provider protocol asks no providers.

use std::collections::BTreeSet;

use objchange::schema::ProviderSchemas;
use objchange_module::ProviderAddress;

use crate::exit::CommandError;

/// No arguments.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RealArgs {}

/// There are none.
pub(super) enum RealProviders {}

impl RealProviders {
    pub(super) fn addresses(&self) -> BTreeSet<ProviderAddress> {
        match *self {}
    }

    pub(super) fn schemas(&self) -> Result<ProviderSchemas, CommandError> {
        match *self {}
    }
}
