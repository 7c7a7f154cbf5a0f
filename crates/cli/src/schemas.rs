//! Where schemas come from: a document, or providers themselves.

use std::fs;
use std::path::{Path, PathBuf};

use objchange::schema::{ProviderSchemas, SchemaDocumentError};
#[cfg(feature = "provider")]
use objchange_provider::{ProviderExt, schema_document};

use crate::input::{InputError, Size, Source};
#[cfg(feature = "provider")]
use crate::provider::{Binary, LaunchArgs, launch};
use crate::schema_cache::SchemaCacheArgs;

/// The name of the group of arguments that give schemas.
const SCHEMA_SOURCE: &str = "schema_source";

/// The three ways to get schemas, for messages about schemas that are missing.
pub(crate) const HOW_TO_GET_SCHEMAS: &str = "give them with --schemas FILE, from `terraform providers schema -json`, or --schemas DIR, a directory of such files; cache \
     them once with `objchange schemas add DIR`, after `terraform init` in DIR; or ask a provider with --provider-binary";

/// The schemas that a command wants.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SchemaArgs {
    /// Schemas of the providers: the output of `terraform providers schema -json`, or a directory of such files. Can be
    /// repeated. By default they come from the cache (see `objchange schemas`)
    #[arg(long = "schemas", visible_alias = "schema", value_name = "FILE|DIR", group = SCHEMA_SOURCE)]
    schemas: Vec<PathBuf>,

    #[command(flatten)]
    binaries: SchemaBinaries,

    #[command(flatten)]
    pub(crate) cache: SchemaCacheArgs,
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

/// The schemas that were given.
#[derive(Debug, Default)]
pub(crate) struct GivenSchemas {
    /// Where they are from; empty where none were given.
    pub(crate) name: String,
    pub(crate) schemas: ProviderSchemas,
}

impl GivenSchemas {
    /// Whether any were given.
    pub(crate) fn is_given(&self) -> bool {
        !self.name.is_empty()
    }
}

/// Why schemas that are given cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SchemaError {
    #[error(transparent)]
    Text(#[from] SchemaTextError),
    #[error("{name}:{}", placed(error))]
    Document { name: String, error: SchemaDocumentError },
}

/// Why there are no schemas.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SchemaTextError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{}: cannot be read: {error}", directory.display())]
    Directory { directory: PathBuf, error: std::io::Error },
    #[error("{}: there are no .json files in this directory", .0.display())]
    EmptyDirectory(PathBuf),
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

/// The error after the name of its file.
fn placed(error: &SchemaDocumentError) -> String {
    let location = if error.location.is_empty() { "" } else { ": " };
    format!("{}:{}: {}{location}{}", error.line, error.column, error.location, error.message)
}

impl SchemaArgs {
    /// Where documents are read from, as they are named.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source> {
        self.schemas.iter().map(|path| Source::new(path))
    }

    /// Whether schemas are given.
    pub(crate) fn is_given(&self) -> bool {
        !self.schemas.is_empty() || self.binaries.is_given()
    }

    /// The programs that are named.
    #[cfg(feature = "provider")]
    pub(crate) fn binaries(&self) -> &SchemaBinaries {
        &self.binaries
    }

    /// The documents that are given, of at most this size, without those of the providers at these addresses, which are asked
    /// in another way.
    pub(crate) fn documents(
        &self,
        asked: &[String],
        limit: Size,
    ) -> Result<Vec<SchemaText>, SchemaTextError> {
        schema_texts(&self.schemas, &self.binaries.without(asked), limit)
    }

    /// The schemas that are given, of documents of at most this size.
    pub(crate) fn load(&self, limit: Size) -> Result<GivenSchemas, SchemaError> {
        let mut given = GivenSchemas::default();
        for SchemaText { name, text } in schema_texts(&self.schemas, &self.binaries, limit)? {
            match ProviderSchemas::parse(text) {
                Ok(schemas) => given.schemas.append(schemas),
                Err(error) => return Err(SchemaError::Document { name, error }),
            }
            given.name.push_str(if given.name.is_empty() { "" } else { ", " });
            given.name.push_str(&name);
        }
        Ok(given)
    }
}

/// The documents of all these files, of those in directories, and of the providers that are asked.
pub(crate) fn schema_texts(
    paths: &[PathBuf],
    binaries: &SchemaBinaries,
    limit: Size,
) -> Result<Vec<SchemaText>, SchemaTextError> {
    let mut texts = Vec::new();
    for path in paths {
        for source in schema_files(path)? {
            texts.push(SchemaText { name: source.to_string(), text: source.read_as_allowed(limit.0)? });
        }
    }
    texts.extend(binaries.read()?);
    Ok(texts)
}

/// The file, or the documents in the directory.
pub(crate) fn schema_files(path: &Path) -> Result<Vec<Source>, SchemaTextError> {
    if !path.is_dir() {
        return Ok(vec![Source::new(path)]);
    }
    let unreadable = |error| SchemaTextError::Directory { directory: path.to_owned(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|end| end == "json") && file.is_file() {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(SchemaTextError::EmptyDirectory(path.to_owned()));
    }
    files.sort();
    Ok(files.into_iter().map(Source::File).collect())
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
    fn without(&self, addresses: &[String]) -> Self {
        let others = self.provider_binary.iter().filter(|binary| !addresses.contains(&binary.address()));
        Self { provider_binary: others.cloned().collect() }
    }

    #[cfg(not(feature = "provider"))]
    fn without(&self, _addresses: &[String]) -> Self {
        self.clone()
    }

    #[cfg(not(feature = "provider"))]
    #[expect(clippy::unused_self, reason = "there are providers in a full build")]
    fn is_given(&self) -> bool {
        false
    }

    #[cfg(feature = "provider")]
    fn is_given(&self) -> bool {
        !self.provider_binary.is_empty()
    }

    #[cfg(not(feature = "provider"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "there are providers in a full build")]
    fn read(&self) -> Result<Vec<SchemaText>, SchemaTextError> {
        Ok(Vec::new())
    }

    /// The documents of what the providers answer, if any are named.
    #[cfg(feature = "provider")]
    fn read(&self) -> Result<Vec<SchemaText>, SchemaTextError> {
        if self.provider_binary.is_empty() {
            return Ok(Vec::new());
        }
        provider_schemas(&self.provider_binary)?.into_iter().collect()
    }
}

/// Asks providers for their schemas, and for nothing else: a document for each, or why there is none.
#[cfg(feature = "provider")]
pub(crate) fn provider_schemas(
    binaries: &[Binary],
) -> Result<Vec<Result<SchemaText, SchemaTextError>>, SchemaTextError> {
    let texts = launch::run(async |children, _| {
        let mut texts = Vec::new();
        for binary in binaries {
            let name = binary.program.display().to_string();
            let text = async {
                let client = LaunchArgs::default().start(binary, &children).await?;
                let schemas = client.schemas().await?;
                client.end().await;
                Ok(schema_document([(binary.address().as_str(), &*schemas)]))
            };
            texts.push(match text.await {
                Ok(text) => Ok(SchemaText { name, text }),
                Err(error) => Err(SchemaTextError::Provider { name, error }),
            });
        }
        texts
    });
    texts.map_err(SchemaTextError::Runtime)?.ok_or(SchemaTextError::Interrupted)
}
