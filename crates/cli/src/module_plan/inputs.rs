//! The inputs for planning a module, with the errors of a command.

use objchange::schema::ProviderSchemas;
use objchange_hcl::Functions;
use objchange_module::Schemas;
use objchange_module::variables::VariableSources;
use objchange_project::{DiskFiles, GivenSchemas, SchemaText, SchemaTextError};

use crate::configuration::Settings;
use crate::exit::{CommandError, unusable};

/// Everything that gives values to variables.
pub(crate) fn variables(files: &DiskFiles, settings: &Settings) -> Result<VariableSources, CommandError> {
    Ok(objchange_project::variables(files, settings.iter())?)
}

/// These schemas, and those of documents.
pub(crate) fn schemas(
    own: Option<ProviderSchemas>,
    documents: Result<Vec<SchemaText>, SchemaTextError>,
) -> Result<Schemas, CommandError> {
    let given = GivenSchemas::parse(documents.map_err(unusable)?).map_err(unusable)?;
    Ok(Schemas::new(own.into_iter().chain([given.schemas])))
}

/// All functions, with the files below the directory and below those that are allowed.
pub(crate) fn functions(files: &DiskFiles) -> Result<Functions, CommandError> {
    Ok(objchange_project::functions(files)?)
}
