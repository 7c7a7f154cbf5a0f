//! The schema of a resource type among those of all providers.

use objchange::address::ProviderAddress;
use objchange::schema::{Block, ProviderSchemas, SchemaKind};

use super::error::{ResourceError, most_similar};
use crate::schemas::GivenSchemas;

/// The schema of a resource type, of this provider if several have it.
///
/// # Errors
///
/// No provider has the type, or several.
pub fn find_schema(given: GivenSchemas, name: &str, provider: Option<&str>) -> Result<Block, ResourceError> {
    let GivenSchemas { name: input, schemas: document } = given;
    let owned = |providers: Vec<&str>| providers.into_iter().map(str::to_owned).collect();
    let is_wanted = |candidate: &str| match provider {
        Some(wanted) => ProviderAddress::is_meant(wanted, candidate),
        None => true,
    };
    let providers: Vec<&str> = document.providers().filter(|candidate| is_wanted(candidate)).collect();
    if let (Some(wanted), []) = (provider, &providers[..]) {
        let providers = owned(document.providers().collect());
        return Err(ResourceError::NoProvider { input, name: wanted.to_owned(), providers });
    }
    let has_it = |provider: &&str| document.names(provider, SchemaKind::Resource).any(|other| other == name);
    match *providers.iter().copied().filter(has_it).collect::<Vec<_>>() {
        [] => {
            let similar = similar(&document, &providers, name);
            Err(ResourceError::NoType { input, name: name.to_owned(), similar })
        }
        [provider] => match document.get(provider, SchemaKind::Resource, name) {
            Ok(Some(schema)) => Ok(schema.block.clone()),
            Ok(None) => Err(ResourceError::NoType { input, name: name.to_owned(), similar: Vec::new() }),
            Err(error) => Err(ResourceError::Schemas { input, error }),
        },
        ref several => {
            let providers = owned(several.to_vec());
            Err(ResourceError::ManyTypes { input, name: name.to_owned(), providers })
        }
    }
}

/// A few resource types whose names are most like the wanted one.
fn similar(document: &ProviderSchemas, providers: &[&str], name: &str) -> Vec<String> {
    most_similar(name, providers.iter().flat_map(|provider| document.names(provider, SchemaKind::Resource)))
}
