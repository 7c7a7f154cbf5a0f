//! The schemas and objects at hand, which tell more of a message.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use objchange::Value;
use objchange::schema::{Block, ProviderSchemas};
use objchange_document::{ObjectFile, PlanFile};
use objchange_explain::{Evidence, Explained, Objects};
use objchange_project::{PlanFileReader, PlanInputError, SchemaError};

use super::Args;
use crate::exit;
use crate::hints;
use crate::hints::HOW_TO_GET_SCHEMAS;
use crate::input::{Size, Source};
use crate::schema_cache::SchemaQuery;

/// Why the given schemas or objects cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum EvidenceError {
    #[error("{}", hints::plan_input(.0))]
    Input(#[from] PlanInputError),
    #[error("{}", hints::schemas(.0))]
    GivenSchemas(#[from] SchemaError),
    #[error(
        "--prior, --config, --planned and --actual need schemas, and there are none: {HOW_TO_GET_SCHEMAS}"
    )]
    NoSchemas,
    #[error("standard input (-) can be read only once; the text is read from there unless a file is named")]
    OneStdin,
    #[error("the text is about several resource instances; choose one with --address ({})", .0.join(", "))]
    WhichAddress(Vec<String>),
    /// A file has no such object, or one that does not fit the schema.
    #[error("{name}: {message}")]
    Object { name: String, message: String },
}

/// Schemas, and the texts that have the objects of messages.
pub(super) struct AtHand {
    schemas: ProviderSchemas,
    prior: Option<NamedObject>,
    config: Option<NamedObject>,
    planned: Option<NamedObject>,
    actual: Option<NamedObject>,
}

impl AtHand {
    /// Reads what the arguments name; `None` if there is no schema.
    pub(super) fn read(args: &Args, all: &[Explained]) -> Result<Option<Self>, EvidenceError> {
        let limit = args.max_input.size;
        let given = args.schemas.load(limit)?;
        let reader = args.schemas.plan_files(&given);
        let mut schemas = given.schemas;
        if !args.schemas.is_given() {
            // Only what the messages name is read from the cache, which may hold the schemas of many providers and
            // versions.
            let wanted = all.iter().filter_map(|explained| {
                let named = explained.provider.as_deref().and_then(SchemaQuery::named);
                named.or_else(|| Some(SchemaQuery::OfType(explained.resource_type()?.to_owned())))
            });
            schemas = args.schemas.cache.choose(wanted, &BTreeMap::new()).schemas;
            if schemas.providers().next().is_none() {
                let objects = [&args.prior, &args.config, &args.planned, &args.actual];
                // Messages can be explained without schemas, but objects cannot be read without them.
                let has_objects = objects.into_iter().any(Option::is_some);
                return if has_objects { Err(EvidenceError::NoSchemas) } else { Ok(None) };
            }
        }
        let at_hand = Self {
            schemas,
            prior: read(args.prior.as_deref(), &reader, limit)?,
            config: read(args.config.as_deref(), &reader, limit)?,
            planned: read(args.planned.as_deref(), &reader, limit)?,
            actual: read(args.actual.as_deref(), &reader, limit)?,
        };
        at_hand.refuse_one_object_of_many(all)?;
        Ok(Some(at_hand))
    }

    /// Refuses a text that is one object, where messages are about several.
    fn refuse_one_object_of_many(&self, messages: &[Explained]) -> Result<(), EvidenceError> {
        let texts = [&self.prior, &self.config, &self.planned, &self.actual];
        let has_object = texts.into_iter().flatten().any(|object| object.file.document().is_none());
        let addresses: BTreeSet<&str> = messages.iter().filter_map(|one| one.address.as_deref()).collect();
        if has_object && addresses.len() > 1 {
            return Err(EvidenceError::WhichAddress(addresses.into_iter().map(str::to_owned).collect()));
        }
        Ok(())
    }

    pub(super) fn evidence(&self, explained: &Explained) -> Result<Option<Evidence>, EvidenceError> {
        Evidence::from_schemas(explained, &self.schemas, |block, resource_type, address| {
            let object = |named: &Option<NamedObject>| {
                named.as_ref().map(|named| named.object(block, resource_type, address)).transpose()
            };
            let [prior, config] = [object(&self.prior)?, object(&self.config)?];
            let [planned, actual] = [object(&self.planned)?, object(&self.actual)?];
            Ok(Objects { prior, config, planned, actual })
        })
    }
}

/// Reads an object, or the document that has it, where an argument names one.
fn read(
    path: Option<&Path>,
    reader: &PlanFileReader,
    limit: Size,
) -> Result<Option<NamedObject>, PlanInputError> {
    let read = |path| {
        let source = Source::new(path);
        let file = reader.read_object(&source, limit.0)?;
        exit::notices(file.notices());
        Ok(NamedObject { source, file })
    };
    path.map(read).transpose()
}

/// An object, with the name of its file.
struct NamedObject {
    source: Source,
    file: ObjectFile,
}

impl NamedObject {
    fn object(&self, block: &Block, resource_type: &str, address: &str) -> Result<Value, EvidenceError> {
        let wrong = |message: String| EvidenceError::Object { name: self.source.to_string(), message };
        let document = self.file.document();
        if let Some(plan) = document.and_then(PlanFile::plan) {
            return plan.planned_object(address, block).map_err(|error| wrong(error.to_string()));
        }
        let read = self.file.prior(block, resource_type, document.map(|_| address));
        read.map(|prior| prior.value).map_err(|error| wrong(error.to_string()))
    }
}
