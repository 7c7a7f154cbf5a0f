//! A build without the provider protocol asks no providers.

use std::collections::BTreeSet;

use objchange_module::ProviderAddress;

/// No arguments.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RealArgs {}

/// There are none.
pub(super) enum RealProviders {}

impl RealProviders {
    pub(super) fn addresses(&self) -> BTreeSet<ProviderAddress> {
        match *self {}
    }
}
