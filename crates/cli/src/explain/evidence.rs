//! The schemas and objects at hand, which tell more of a message.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use objchange::Value;
use objchange::schema::{Block, ProviderSchemas};
use objchange_explain::{Evidence, Explained, Objects};
use objchange_plan::{DocumentKind, read_planned, read_prior};
use objchange_project::SchemaError;

use super::Args;
use crate::input::{InputError, MAX_DOCUMENT, Size, Source};
use crate::schema_cache::SchemaQuery;
use crate::schemas::HOW_TO_GET_SCHEMAS;

/// Why the given schemas or objects cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum EvidenceError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    GivenSchemas(#[from] SchemaError),
    #[error(
        "--prior, --config, --planned and --actual need schemas, and there are none: {HOW_TO_GET_SCHEMAS}"
    )]
    NoSchemas,
    #[error("standard input (-) can be read only once; the text is read from there unless a file is named")]
    OneStdin,
    #[error("the text is about several resource instances; choose one with --address ({})", .0.join(", "))]
    WhichAddress(Vec<String>),
    /// A text has no such object, or one that does not fit the schema.
    #[error("{name}: {message}")]
    Object { name: String, message: String },
}

/// Schemas, and the texts that have the objects of messages.
pub(super) struct AtHand {
    schemas: ProviderSchemas,
    prior: Option<ObjectText>,
    config: Option<ObjectText>,
    planned: Option<ObjectText>,
    actual: Option<ObjectText>,
}

impl AtHand {
    /// Reads what the arguments name; `None` if there is no schema.
    pub(super) fn read(args: &Args, all: &[Explained]) -> Result<Option<Self>, EvidenceError> {
        let mut schemas = args.schemas.load(Size(MAX_DOCUMENT))?.schemas;
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
            prior: read(args.prior.as_deref())?,
            config: read(args.config.as_deref())?,
            planned: read(args.planned.as_deref())?,
            actual: read(args.actual.as_deref())?,
        };
        at_hand.refuse_one_object_of_many(all)?;
        Ok(Some(at_hand))
    }

    /// Refuses a text that is one object, where messages are about several.
    fn refuse_one_object_of_many(&self, messages: &[Explained]) -> Result<(), EvidenceError> {
        let texts = [&self.prior, &self.config, &self.planned, &self.actual];
        let has_object = texts.into_iter().flatten().any(|text| !text.is_document());
        let addresses: BTreeSet<&str> = messages.iter().filter_map(|one| one.address.as_deref()).collect();
        if has_object && addresses.len() > 1 {
            return Err(EvidenceError::WhichAddress(addresses.into_iter().map(str::to_owned).collect()));
        }
        Ok(())
    }

    pub(super) fn evidence(&self, explained: &Explained) -> Result<Option<Evidence>, EvidenceError> {
        Evidence::from_schemas(explained, &self.schemas, |block, resource_type, address| {
            let object = |text: &Option<ObjectText>| {
                text.as_ref().map(|text| text.object(block, resource_type, address)).transpose()
            };
            let [prior, config] = [object(&self.prior)?, object(&self.config)?];
            let [planned, actual] = [object(&self.planned)?, object(&self.actual)?];
            Ok(Objects { prior, config, planned, actual })
        })
    }
}

fn read(path: Option<&Path>) -> Result<Option<ObjectText>, InputError> {
    let read = |path| {
        let source = Source::new(path);
        let text = source.read()?;
        Ok(ObjectText { name: source.to_string(), text })
    };
    path.map(read).transpose()
}

/// A text that has an object: the object as JSON, or a plan or state with it.
struct ObjectText {
    name: String,
    text: String,
}

impl ObjectText {
    /// Whether the text is a document with many objects.
    fn is_document(&self) -> bool {
        let kind = DocumentKind::detect(&self.text);
        matches!(kind, Ok(DocumentKind::Plan | DocumentKind::State | DocumentKind::StateFile))
    }

    fn object(&self, block: &Block, resource_type: &str, address: &str) -> Result<Value, EvidenceError> {
        let wrong = |message: String| EvidenceError::Object { name: self.name.clone(), message };
        if DocumentKind::detect(&self.text) == Ok(DocumentKind::Plan) {
            return read_planned(&self.text, block, address).map_err(|error| wrong(error.to_string()));
        }
        let address = self.is_document().then_some(address);
        let read = read_prior(&self.text, block, resource_type, address);
        read.map(|prior| prior.value).map_err(|error| wrong(error.to_string()))
    }
}
