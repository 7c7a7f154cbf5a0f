//! Schemas from documents, directories of them, and providers.

#[cfg(feature = "provider")]
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange::schema::{ProviderSchemas, SchemaDocumentError};
use objchange_document::Schemas;
use objchange_module::ProviderAddress;
#[cfg(feature = "provider")]
use objchange_provider::client::{Client, Launch};
#[cfg(feature = "provider")]
use objchange_provider::{ProviderExt, schema_document};

#[cfg(feature = "provider")]
use crate::installed_providers::{InstalledError, InstalledProgram, InstalledProviders};
#[cfg(feature = "provider")]
use crate::program::ProviderProgram;
use crate::schema_lookup::{SchemaLookup, SchemaQuery};
#[cfg(feature = "provider")]
use crate::workplace::Workplace;
use objchange_files::input::{InputError, Size, Source};
use objchange_text::Noted;

/// A document of schemas.
#[derive(Debug, Clone)]
pub struct SchemaText {
    /// Where it is from.
    pub name: String,
    /// The output of `terraform providers schema -json`.
    pub text: String,
}

/// Schemas that are given.
#[derive(Debug, Clone, Default)]
pub struct GivenSchemas {
    /// Where they are from; empty where none were given.
    pub name: String,
    /// The schemas of all providers.
    pub schemas: ProviderSchemas,
}

/// Why schemas that are given cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// They cannot be read.
    #[error(transparent)]
    Text(#[from] SchemaTextError),
    /// A document has no schemas.
    #[error("{name}:{}", placed(error))]
    Document {
        /// Where it is from.
        name: String,
        /// The problem with it.
        error: SchemaDocumentError,
    },
}

/// Why there are no schemas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaTextError {
    /// A file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A directory cannot be read.
    #[error("{}: cannot be read: {error}", directory.display())]
    Directory {
        /// Which.
        directory: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A directory has no documents.
    #[error("{}: there are no .json files in this directory", .0.display())]
    EmptyDirectory(PathBuf),
    /// A provider does not answer.
    #[cfg(feature = "provider")]
    #[error("{name}: {error}")]
    Provider {
        /// Its program.
        name: String,
        /// Why.
        error: objchange_provider::Error,
    },
    /// The installed providers cannot be used.
    #[cfg(feature = "provider")]
    #[error(transparent)]
    Installed(#[from] InstalledError),
    /// No provider can be asked.
    #[cfg(feature = "provider")]
    #[error("the provider cannot be waited for: {0}")]
    Runtime(std::io::Error),
    /// The work was interrupted.
    #[cfg(feature = "provider")]
    #[error("interrupted")]
    Interrupted,
}

impl SchemaError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(error) => error.kind(),
            Self::Document { error, .. } => error.kind.kind(),
        }
    }
}

impl SchemaTextError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Input(error) => error.kind(),
            Self::Directory { .. } => "directory",
            Self::EmptyDirectory(_) => "empty_directory",
            #[cfg(feature = "provider")]
            Self::Provider { .. } | Self::Runtime(_) => "provider",
            #[cfg(feature = "provider")]
            Self::Installed(error) => error.kind(),
            #[cfg(feature = "provider")]
            Self::Interrupted => "interrupted",
        }
    }
}

/// The error after the name of its file.
fn placed(error: &SchemaDocumentError) -> String {
    let location = if error.location.is_empty() { "" } else { ": " };
    format!("{}:{}: {}{location}{}", error.line, error.column, error.location, error.message)
}

impl GivenSchemas {
    /// The schemas of all these documents.
    ///
    /// # Errors
    ///
    /// A document has no schemas.
    pub fn parse(texts: Vec<SchemaText>) -> Result<Self, SchemaError> {
        let mut given = Self::default();
        for SchemaText { name, text } in texts {
            match ProviderSchemas::parse(text) {
                Ok(schemas) => given.append(Self { name, schemas }),
                Err(error) => return Err(SchemaError::Document { name, error }),
            }
        }
        Ok(given)
    }

    /// Adds others; those that are here already count before them.
    pub(crate) fn append(&mut self, other: Self) {
        self.schemas.append(other.schemas);
        self.name.push_str(if self.name.is_empty() || other.name.is_empty() { "" } else { ", " });
        self.name.push_str(&other.name);
    }

    /// Whether any were given.
    pub fn is_given(&self) -> bool {
        !self.name.is_empty()
    }

    /// The schemas that are given, for what documents do not say themselves is sensitive; `None` if none are given.
    pub fn for_documents(self) -> Option<Arc<Schemas>> {
        self.is_given().then(|| Arc::new(Schemas::new(self.schemas)))
    }

    /// Adds cached schemas of other providers, with their origins.
    pub fn with_cached<'p>(
        mut self,
        lookup: &SchemaLookup,
        providers: impl IntoIterator<Item = &'p str>,
    ) -> Noted<(Schemas, String)> {
        let is_missing = |provider: &&str| {
            let provider = ProviderAddress::normalized(provider);
            !self.schemas.providers().any(|given| given == provider)
        };
        let wanted: Vec<SchemaQuery> =
            providers.into_iter().filter(is_missing).filter_map(SchemaQuery::named).collect();
        let cached = lookup.choose(wanted, &Default::default());
        let notices = cached.notices;
        let (is_given, is_cached) = (self.is_given(), !cached.origins.is_empty());
        self.schemas.append(cached.schemas);
        if !is_given && !is_cached {
            return Noted { answer: (Schemas::none(), self.name), notices };
        }
        let name = if is_given { self.name } else { "the cached schemas".to_owned() };
        Noted { answer: (Schemas::new(self.schemas).with_origins(cached.origins), name), notices }
    }
}

/// The documents of all these files, and of those in directories.
///
/// # Errors
///
/// A document cannot be read, or is larger than the limit.
pub fn schema_texts(paths: &[PathBuf], limit: Size) -> Result<Vec<SchemaText>, SchemaTextError> {
    let mut texts = Vec::new();
    for path in paths {
        for source in schema_files(path)? {
            texts.push(SchemaText { name: source.to_string(), text: source.read_as_allowed(limit.0)? });
        }
    }
    Ok(texts)
}

/// The file, or the documents in the directory.
///
/// # Errors
///
/// The directory cannot be read, or has no documents.
pub fn schema_files(path: &Path) -> Result<Vec<Source>, SchemaTextError> {
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
    // The system lists files in any order, and the first error must not depend on that.
    files.sort();
    Ok(files.into_iter().map(Source::File).collect())
}

/// Asks providers only for their schemas. Returns a document or an error for each.
///
/// # Errors
///
/// No provider can be asked, or the work was interrupted.
#[cfg(feature = "provider")]
pub fn provider_schemas(
    programs: &[ProviderProgram],
    workplace: &dyn Fn() -> std::io::Result<Workplace>,
) -> Result<Vec<Result<SchemaText, SchemaTextError>>, SchemaTextError> {
    if programs.is_empty() {
        return Ok(Vec::new());
    }
    let workplace = workplace().map_err(SchemaTextError::Runtime)?;
    let texts = workplace.wait_for(async {
        let mut texts = Vec::new();
        for program in programs {
            let name = program.path.display().to_string();
            let text = async {
                let mut launch = Launch::new(&program.path);
                launch.children = workplace.children.clone();
                let client = Client::start(&launch).await?;
                let schemas = client.schemas().await?;
                client.end().await;
                Ok(schema_document([(program.address().as_str(), &*schemas)]))
            };
            texts.push(match text.await {
                Ok(text) => Ok(SchemaText { name, text }),
                Err(error) => Err(SchemaTextError::Provider { name, error }),
            });
        }
        texts
    });
    texts.ok_or(SchemaTextError::Interrupted)
}

/// Schemas of providers that were asked, each with the version of its provider where that is known.
#[cfg(feature = "provider")]
#[derive(Debug, Default)]
pub struct AskedSchemas {
    /// The documents.
    pub texts: Vec<(SchemaText, BTreeMap<ProviderAddress, String>)>,
    /// Why some have not answered.
    pub errors: Vec<SchemaTextError>,
}

#[cfg(feature = "provider")]
impl AskedSchemas {
    /// Asks these providers, whose versions their programs are named for.
    ///
    /// # Errors
    ///
    /// No provider can be asked, or the work was interrupted.
    pub fn of_programs(
        programs: &[ProviderProgram],
        workplace: &dyn Fn() -> std::io::Result<Workplace>,
    ) -> Result<Self, SchemaTextError> {
        let version = |program: &ProviderProgram| {
            ProviderAddress::parse(&program.address()).into_iter().zip(program.version()).collect()
        };
        Self::ask(programs, programs.iter().map(version).collect(), workplace)
    }

    fn ask(
        programs: &[ProviderProgram],
        versions: Vec<BTreeMap<ProviderAddress, String>>,
        workplace: &dyn Fn() -> std::io::Result<Workplace>,
    ) -> Result<Self, SchemaTextError> {
        let mut asked = Self::default();
        for (answer, version) in provider_schemas(programs, workplace)?.into_iter().zip(versions) {
            match answer {
                Ok(text) => asked.texts.push((text, version)),
                Err(error) => asked.errors.push(error),
            }
        }
        Ok(asked)
    }

    /// Asks the providers that are installed in a directory. A provider in the lock file counts only at its locked
    /// version.
    ///
    /// # Errors
    ///
    /// None are installed, or none can be asked.
    pub fn of_directory(
        directory: &Path,
        workplace: &dyn Fn() -> std::io::Result<Workplace>,
    ) -> Result<Self, SchemaTextError> {
        let installed = InstalledProviders::open(directory).and_then(|installed| installed.all())?;
        let (versions, programs): (Vec<_>, Vec<_>) = installed
            .into_iter()
            .map(|InstalledProgram { provider, version, program }| {
                let program = ProviderProgram::new(program, &provider.to_string());
                (BTreeMap::from([(provider, version)]), program)
            })
            .unzip();
        Self::ask(&programs, versions, workplace)
    }
}
