//! Options for schemas: documents, or providers themselves.

#[cfg(feature = "sentinel")]
use std::collections::BTreeMap;
use std::path::PathBuf;

#[cfg(feature = "sentinel")]
use objchange::schema::ProviderSchemas;
use objchange_document::Schemas;
use objchange_project::{
    GivenSchemas, PlanFileReader, SchemaError, SchemaText, SchemaTextError, schema_texts,
};
#[cfg(feature = "provider")]
use objchange_project::{ProviderProgram, provider_schemas};

use crate::exit;
use crate::hints;
use crate::input::{Size, Source};
#[cfg(feature = "provider")]
use crate::launch;
use crate::schema_cache::SchemaCacheArgs;
#[cfg(feature = "sentinel")]
use crate::schema_cache::SchemaQuery;

/// The name of the group of arguments that give schemas.
const SCHEMA_SOURCE: &str = "schema_source";

const PASS_SCHEMAS: &str =
    "pass the output of `terraform providers schema -json`, or cache it with `objchange schemas add`";

const WRITE_SCHEMAS_AGAIN: &str = "write the schemas again with `terraform providers schema -json`";

/// The schemas that a command wants.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(group = clap::ArgGroup::new(SCHEMA_SOURCE).multiple(true))]
pub(crate) struct SchemaArgs {
    /// Schemas of the providers: the output of `terraform providers schema -json`, or a directory of such files. Can be
    /// repeated. By default they come from the cache (see `objchange schemas`)
    #[arg(long = "schemas", visible_alias = "schema", value_name = "FILE|DIR", group = SCHEMA_SOURCE)]
    pub(crate) paths: Vec<PathBuf>,

    /// Get the schemas of a provider from this binary, beside those of --schemas; can be repeated
    #[cfg(feature = "provider")]
    #[arg(long = "provider-binary", value_name = "BINARY[=ADDRESS]", group = SCHEMA_SOURCE)]
    pub(crate) programs: Vec<ProviderProgram>,

    #[command(flatten)]
    pub(crate) cache: SchemaCacheArgs,
}

impl SchemaArgs {
    /// The sources of the documents, as they are named.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source> {
        self.paths.iter().map(|path| Source::new(path))
    }

    /// Whether schemas are given.
    pub(crate) fn is_given(&self) -> bool {
        #[cfg(feature = "provider")]
        if !self.programs.is_empty() {
            return true;
        }
        !self.paths.is_empty()
    }

    /// The given documents, of at most this size.
    pub(crate) fn documents(&self, limit: Size) -> Result<Vec<SchemaText>, SchemaTextError> {
        #[cfg_attr(not(feature = "provider"), expect(unused_mut, reason = "nobody is asked"))]
        let mut texts = schema_texts(&self.paths, limit)?;
        #[cfg(feature = "provider")]
        for text in provider_schemas(&self.programs, &launch::workplace)? {
            texts.push(text?);
        }
        Ok(texts)
    }

    /// The given schemas, of documents of at most this size.
    pub(crate) fn load(&self, limit: Size) -> Result<GivenSchemas, SchemaError> {
        GivenSchemas::parse(self.documents(limit)?)
    }

    /// A reader of plan files with the given schemas and the cached ones.
    pub(crate) fn plan_files(&self, given: &GivenSchemas) -> PlanFileReader {
        PlanFileReader::new(given.schemas.clone(), self.cache.lookup())
    }

    /// The given schemas, or else all cached ones; and whether they are given.
    #[cfg(feature = "sentinel")]
    pub(crate) fn given_or_cached(&self, limit: Size) -> Result<(ProviderSchemas, bool), String> {
        let given = self.load(limit).map_err(|error| match error {
            SchemaError::Document { name, error } => format!("{name}: {error}"),
            SchemaError::Text(error) => hints::schema_text(&error),
            error => error.to_string(),
        })?;
        if given.is_given() {
            return Ok((given.schemas, true));
        }
        // A policy does not name its providers, so all that are cached may matter.
        Ok((self.cache.choose([SchemaQuery::All], &BTreeMap::new()).schemas, false))
    }

    /// The given schemas with the cached ones of other providers, and the name of their source.
    pub(crate) fn with_cached<'p>(
        &self,
        given: GivenSchemas,
        providers: impl IntoIterator<Item = &'p str>,
    ) -> (Schemas, String) {
        exit::noted(given.with_cached(&self.cache.lookup(), providers))
    }
}

/// Warns about missing schemas: the cost, and the remedy; `None` if none is missing.
pub(crate) fn missing_schemas(schemas: &Schemas, is_given: bool, cost: &str) -> Option<String> {
    let missing = schemas.missing().join(", ");
    let (lack, advice) = match (schemas.is_none(), missing.as_str()) {
        (true, "") => ("without --schemas ".to_owned(), PASS_SCHEMAS),
        (false, "") => return None,
        (false, _) if is_given => (format!("the schemas lack {missing}: "), WRITE_SCHEMAS_AGAIN),
        _ => (format!("without --schemas of {missing} "), PASS_SCHEMAS),
    };
    Some(format!("{lack}{cost}; {advice}"))
}
