//! Plans a case.

use std::fs;
use std::path::Path;

use objchange::schema::ProviderSchemas;
use objchange_module::Schemas;

use super::case::{Answer, Case};

/// Plans cases.
#[derive(Debug)]
pub(crate) struct Planner {
    #[allow(dead_code, reason = "the planner is not there yet")]
    schemas: Schemas,
}

impl Planner {
    /// With the schemas of all providers of the cases.
    pub(crate) fn new(folder: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(folder.join("schemas.json")).map_err(|error| error.to_string())?;
        let schemas = ProviderSchemas::parse(text).map_err(|error| error.to_string())?;
        Ok(Self { schemas: Schemas::new([schemas]) })
    }

    pub(crate) fn run(&self, _case: &Case) -> Result<Answer, String> {
        Err("nothing plans yet".to_owned())
    }
}
