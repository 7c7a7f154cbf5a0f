//! Where schemas come from: a document, or providers themselves.

use std::path::PathBuf;

#[cfg(feature = "provider")]
use objchange_provider::{ProviderExt, schema_document};

use crate::input::{InputError, Source};
#[cfg(feature = "provider")]
use crate::provider::{Binary, LaunchArgs, launch};

/// The name of the group of arguments that give schemas.
pub(crate) const SCHEMA_SOURCE: &str = "schema_source";

/// The schemas that a command wants.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SchemaArgs {
    /// The output of `terraform providers schema -json`
    #[arg(long = "schemas", visible_alias = "schema", value_name = "FILE", group = SCHEMA_SOURCE)]
    schemas: Option<PathBuf>,

    #[command(flatten)]
    binaries: SchemaBinaries,
}

/// Providers that are asked for their schemas.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SchemaBinaries {
    /// Get the schemas from this provider binary instead; can be repeated
    #[cfg(feature = "provider")]
    #[arg(long, value_name = "BINARY[=ADDRESS]", conflicts_with = "schemas", group = SCHEMA_SOURCE)]
    provider_binary: Vec<Binary>,
}

/// A document of schemas.
pub(crate) struct SchemaText {
    /// Where it is from.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Why there are no schemas.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SchemaTextError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[cfg(feature = "provider")]
    #[error("{name}: {error}")]
    Provider { name: String, error: objchange_provider::Error },
    #[cfg(feature = "provider")]
    #[error("the provider cannot be waited for: {0}")]
    Runtime(std::io::Error),
    #[cfg(feature = "provider")]
    #[error("interrupted")]
    Interrupted,
}

impl SchemaArgs {
    /// Where a document is read from.
    pub(crate) fn source(&self) -> Option<Source> {
        self.schemas.as_deref().map(Source::new)
    }

    /// The document, if one is wanted.
    pub(crate) fn read(&self) -> Result<Option<SchemaText>, SchemaTextError> {
        self.read_by(Source::read)
    }

    /// The same, where files are read in this way.
    pub(crate) fn read_by(
        &self,
        read: impl FnOnce(&Source) -> Result<String, InputError>,
    ) -> Result<Option<SchemaText>, SchemaTextError> {
        if let Some(source) = self.source() {
            return Ok(Some(SchemaText { name: source.to_string(), text: read(&source)? }));
        }
        self.binaries.read()
    }
}

impl SchemaBinaries {
    /// The program that is named for the provider at this full address.
    #[cfg(feature = "provider")]
    pub(crate) fn program(&self, address: &str) -> Option<&std::path::Path> {
        let binary = self.provider_binary.iter().find(|binary| binary.address() == address);
        binary.map(|binary| binary.program.as_path())
    }

    /// The same without those of these providers, which are asked in another way.
    #[cfg(feature = "provider")]
    pub(crate) fn without(&self, addresses: &[String]) -> Self {
        let others = self.provider_binary.iter().filter(|binary| !addresses.contains(&binary.address()));
        Self { provider_binary: others.cloned().collect() }
    }

    #[cfg(not(feature = "provider"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "there are providers in a full build")]
    pub(crate) fn read(&self) -> Result<Option<SchemaText>, SchemaTextError> {
        Ok(None)
    }

    /// The document of what the providers answer, if any are named.
    #[cfg(feature = "provider")]
    pub(crate) fn read(&self) -> Result<Option<SchemaText>, SchemaTextError> {
        if self.provider_binary.is_empty() {
            return Ok(None);
        }
        let text = launch::run(async |children, _| {
            let mut all = Vec::new();
            for binary in &self.provider_binary {
                let name = || binary.program.display().to_string();
                let failed = |error| SchemaTextError::Provider { name: name(), error };
                let client = LaunchArgs::default().start(binary, &children).await.map_err(failed)?;
                all.push((binary.address(), client.schemas().await.map_err(failed)?));
                client.end().await;
            }
            Ok::<_, SchemaTextError>(schema_document(
                all.iter().map(|(address, schemas)| (address.as_str(), &**schemas)),
            ))
        });
        let text = text.map_err(SchemaTextError::Runtime)?.ok_or(SchemaTextError::Interrupted)??;
        let names: Vec<String> =
            self.provider_binary.iter().map(|binary| binary.program.display().to_string()).collect();
        Ok(Some(SchemaText { name: names.join(", "), text }))
    }
}
