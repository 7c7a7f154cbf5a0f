//! The option that turns the schema cache off.

use std::collections::BTreeMap;

use objchange_module::ProviderAddress;
pub(crate) use objchange_project::SchemaQuery;
use objchange_project::{CachedChoice, SchemaLookup};

use crate::exit;

/// Whether a command takes schemas from the cache.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SchemaCacheArgs {
    /// Do not take schemas from the cache (see `objchange schemas`)
    #[arg(long)]
    no_schema_cache: bool,
}

impl SchemaCacheArgs {
    /// The lookup for schemas that are not given.
    pub(crate) fn lookup(&self) -> SchemaLookup {
        if self.no_schema_cache { SchemaLookup::none() } else { SchemaLookup::of_user() }
    }

    /// The cached schemas of providers: the locked version, or else the newest.
    pub(crate) fn choose(
        &self,
        wanted: impl IntoIterator<Item = SchemaQuery>,
        locked: &BTreeMap<ProviderAddress, String>,
    ) -> CachedChoice {
        let cached = self.lookup().choose(wanted, locked);
        exit::notices(&cached.notices);
        cached
    }
}
