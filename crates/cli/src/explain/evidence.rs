//! The schemas and objects at hand, which tell more of a message.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;

use objchange::Value;
use objchange::schema::{Block, ProviderSchemas, SchemaKind};
use objchange_conform::explain::{Evidence, Explained, Objects};
use objchange_plan::{DocumentKind, read_planned, read_prior};
use objchange_project::SchemaError;

use super::Args;
use crate::input::{InputError, Size, Source};
use crate::schema_cache::Wanted;
use crate::schemas::HOW_TO_GET_SCHEMAS;

/// Why what is at hand cannot be used.
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
    #[error("{input}: {message}")]
    Object { input: Source, message: String },
    #[error("the text is about several resource instances; choose one with --address ({})", .0.join(", "))]
    WhichAddress(Vec<String>),
}

/// What is at hand.
pub(super) struct AtHand {
    schemas: ProviderSchemas,
    prior: Option<Text>,
    config: Option<Text>,
    planned: Option<Text>,
    actual: Option<Text>,
}

struct Text {
    input: Source,
    text: String,
}

impl Text {
    fn read(path: Option<&FilePath>) -> Result<Option<Self>, InputError> {
        let read = |path| {
            let input = Source::new(path);
            let text = input.read()?;
            Ok(Self { input, text })
        };
        path.map(read).transpose()
    }

    /// Whether it is a document that has many objects.
    fn is_document(&self) -> bool {
        let kind = DocumentKind::detect(&self.text);
        matches!(kind, Ok(DocumentKind::Plan | DocumentKind::State | DocumentKind::StateFile))
    }
}

impl AtHand {
    /// Reads what the arguments name; `None` if there is no schema.
    pub(super) fn read(args: &Args, all: &[Explained]) -> Result<Option<Self>, EvidenceError> {
        let mut schemas = args.schemas.load(Size::MAX)?.schemas;
        if !args.schemas.is_given() {
            let wanted = all.iter().filter_map(|explained| {
                let named = explained.provider.as_deref().and_then(Wanted::named);
                named.or_else(|| Some(Wanted::OfType(explained.resource_type()?.to_owned())))
            });
            schemas = args.schemas.cache.choose(wanted, &BTreeMap::new()).schemas;
            if schemas.providers().next().is_none() {
                let objects = [&args.prior, &args.config, &args.planned, &args.actual];
                let has_objects = objects.into_iter().any(Option::is_some);
                return if has_objects { Err(EvidenceError::NoSchemas) } else { Ok(None) };
            }
        }
        let at_hand = Self {
            schemas,
            prior: Text::read(args.prior.as_deref())?,
            config: Text::read(args.config.as_deref())?,
            planned: Text::read(args.planned.as_deref())?,
            actual: Text::read(args.actual.as_deref())?,
        };
        let texts = [&at_hand.prior, &at_hand.config, &at_hand.planned, &at_hand.actual];
        let has_object = texts.into_iter().flatten().any(|text| !text.is_document());
        let addresses: BTreeSet<&str> = all.iter().filter_map(|one| one.address.as_deref()).collect();
        if has_object && addresses.len() > 1 {
            return Err(EvidenceError::WhichAddress(addresses.into_iter().map(str::to_owned).collect()));
        }
        Ok(Some(at_hand))
    }

    /// What is at hand about the object of a message; `None` if the message names none, or one of another
    /// provider.
    pub(super) fn evidence(&self, explained: &Explained) -> Result<Option<Evidence>, EvidenceError> {
        let (Some(address), Some(resource_type)) = (&explained.address, explained.resource_type()) else {
            return Ok(None);
        };
        let Some(block) = self.block(explained.provider.as_deref(), resource_type) else { return Ok(None) };
        let object = |text: &Option<Text>| match text {
            Some(text) => object(text, &block, resource_type, address).map(Some),
            None => Ok(None),
        };
        let objects = Objects {
            prior: object(&self.prior)?,
            config: object(&self.config)?,
            planned: object(&self.planned)?,
            actual: object(&self.actual)?,
        };
        Ok(Some(Evidence::new(explained, &block, &objects)))
    }

    fn block(&self, provider: Option<&str>, resource_type: &str) -> Option<Block> {
        let has_it =
            |of: &&str| self.schemas.names(of, SchemaKind::Resource).any(|name| name == resource_type);
        let mut providers = self.schemas.providers().filter(has_it);
        let first = providers.next()?;
        let of = provider.filter(|provider| providers.any(|other| other == *provider)).unwrap_or(first);
        Some(self.schemas.get(of, SchemaKind::Resource, resource_type).ok()??.block.clone())
    }
}

fn object(text: &Text, block: &Block, resource_type: &str, address: &str) -> Result<Value, EvidenceError> {
    let wrong = |message: String| EvidenceError::Object { input: text.input.clone(), message };
    if DocumentKind::detect(&text.text) == Ok(DocumentKind::Plan) {
        return read_planned(&text.text, block, address).map_err(wrong);
    }
    let address = text.is_document().then_some(address);
    let read = read_prior(&text.text, block, resource_type, address);
    read.map(|prior| prior.value).map_err(|error| wrong(error.to_string()))
}
