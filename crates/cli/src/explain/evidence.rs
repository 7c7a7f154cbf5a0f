//! The schemas and objects at hand, which tell more of a message.

use std::collections::BTreeMap;
use std::path::Path;

use objchange::schema::ProviderSchemas;
use objchange_conform::explain::{Evidence, Explained, ObjectText, ObjectTextError, ObjectTexts};
use objchange_project::SchemaError;

use super::Args;
use crate::input::{InputError, MAX_DOCUMENT, Size, Source};
use crate::schema_cache::SchemaQuery;
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
    #[error("the text is about several resource instances; choose one with --address ({})", .0.join(", "))]
    WhichAddress(Vec<String>),
    #[error(transparent)]
    Object(ObjectTextError),
}

impl From<ObjectTextError> for EvidenceError {
    fn from(error: ObjectTextError) -> Self {
        match error {
            ObjectTextError::SeveralAddresses(addresses) => Self::WhichAddress(addresses),
            other => Self::Object(other),
        }
    }
}

/// The schemas and objects at hand.
pub(super) struct AtHand {
    schemas: ProviderSchemas,
    texts: ObjectTexts,
}

impl AtHand {
    /// Reads what the arguments name; `None` if there is no schema.
    pub(super) fn read(args: &Args, all: &[Explained]) -> Result<Option<Self>, EvidenceError> {
        let mut schemas = args.schemas.load(Size(MAX_DOCUMENT))?.schemas;
        if !args.schemas.is_given() {
            let wanted = all.iter().filter_map(|explained| {
                let named = explained.provider.as_deref().and_then(SchemaQuery::named);
                named.or_else(|| Some(SchemaQuery::OfType(explained.resource_type()?.to_owned())))
            });
            schemas = args.schemas.cache.choose(wanted, &BTreeMap::new()).schemas;
            if schemas.providers().next().is_none() {
                let objects = [&args.prior, &args.config, &args.planned, &args.actual];
                let has_objects = objects.into_iter().any(Option::is_some);
                return if has_objects { Err(EvidenceError::NoSchemas) } else { Ok(None) };
            }
        }
        let texts = ObjectTexts {
            prior: read(args.prior.as_deref())?,
            config: read(args.config.as_deref())?,
            planned: read(args.planned.as_deref())?,
            actual: read(args.actual.as_deref())?,
        };
        texts.check(all)?;
        Ok(Some(Self { schemas, texts }))
    }

    pub(super) fn evidence(&self, explained: &Explained) -> Result<Option<Evidence>, EvidenceError> {
        Ok(self.texts.evidence(explained, &self.schemas)?)
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
