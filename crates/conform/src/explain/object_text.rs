//! The texts with the objects at hand: each is an object, or a document that has many.

use std::collections::BTreeSet;
use std::fmt;

use objchange::Value;
use objchange::schema::{Block, ProviderSchemas, SchemaKind};
use objchange::value::Path;
use objchange_plan::{DocumentKind, read_planned, read_prior};

use super::{Evidence, Explained, Objects};

/// A text that has an object: the object as JSON, or a plan or state with it.
#[derive(Clone)]
pub struct ObjectText {
    /// The name in errors.
    pub name: String,
    /// The text itself.
    pub text: String,
}

impl fmt::Debug for ObjectText {
    /// Leaves out the text, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectText").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Where the objects of messages are.
#[derive(Debug, Clone, Default)]
pub struct ObjectTexts {
    /// Those before the change.
    pub prior: Option<ObjectText>,
    /// As they are configured.
    pub config: Option<ObjectText>,
    /// As the provider planned them.
    pub planned: Option<ObjectText>,
    /// After apply.
    pub actual: Option<ObjectText>,
}

/// Why an object cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ObjectTextError {
    /// The text has no such object, or one that is not of the schema.
    #[error("{name}: {message}")]
    Object {
        /// The name of the text.
        name: String,
        /// The problem.
        message: String,
    },
    /// The text is one object, but the messages are about these several addresses.
    #[error("the text is about several resource instances; choose one ({})", .0.join(", "))]
    SeveralAddresses(Vec<String>),
}

impl ObjectTextError {
    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Object { .. } => "object",
            Self::SeveralAddresses(_) => "several_addresses",
        }
    }
}

impl ObjectTexts {
    /// Refuses a text that is one object, where messages are about several.
    ///
    /// # Errors
    ///
    /// [`ObjectTextError::SeveralAddresses`].
    pub fn check(&self, messages: &[Explained]) -> Result<(), ObjectTextError> {
        let texts = [&self.prior, &self.config, &self.planned, &self.actual];
        let has_object = texts.into_iter().flatten().any(|text| !text.is_document());
        let addresses: BTreeSet<&str> = messages.iter().filter_map(|one| one.address.as_deref()).collect();
        if has_object && addresses.len() > 1 {
            let addresses = addresses.into_iter().map(str::to_owned).collect();
            return Err(ObjectTextError::SeveralAddresses(addresses));
        }
        Ok(())
    }

    /// Facts about a message from schemas and these texts; `None` if it is about no object, or about one
    /// without a schema.
    ///
    /// # Errors
    ///
    /// A text lacks the object, or the object does not fit the schema.
    pub fn evidence(
        &self,
        explained: &Explained,
        schemas: &ProviderSchemas,
    ) -> Result<Option<Evidence>, ObjectTextError> {
        let (Some(address), Some(resource_type)) = (&explained.address, explained.resource_type()) else {
            return Ok(hidden_anywhere(explained, schemas));
        };
        let block = block(schemas, explained.provider.as_deref(), resource_type);
        let Some(block) = block else { return Ok(None) };
        let object = |text: &Option<ObjectText>| match text {
            Some(text) => text.object(&block, resource_type, address).map(Some),
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
}

/// For a message without a resource: its value is secret if any type has something sensitive at its path.
fn hidden_anywhere(explained: &Explained, schemas: &ProviderSchemas) -> Option<Evidence> {
    let path = explained.path.as_deref()?.trim_start_matches('.').parse::<Path>().ok()?;
    let is_of = |provider: &&str| explained.provider.as_deref().is_none_or(|of| of == *provider);
    let mut types = schemas
        .providers()
        .filter(is_of)
        .flat_map(|provider| schemas.names(provider, SchemaKind::Resource).map(move |name| (provider, name)));
    let hiding = types.find_map(|(provider, name)| {
        let schema = schemas.get(provider, SchemaKind::Resource, name).ok()??;
        schema.block.has_hidden_at(&path).then(|| schema.block.hide_keys(&path))
    })?;
    Some(Evidence { is_secret: true, path: Some(hiding.to_string()), ..Evidence::default() })
}

/// The schema of a resource type, of this provider if it has the type.
fn block(schemas: &ProviderSchemas, provider: Option<&str>, resource_type: &str) -> Option<Block> {
    let has_it = |of: &&str| schemas.names(of, SchemaKind::Resource).any(|name| name == resource_type);
    let mut providers = schemas.providers().filter(has_it);
    let first = providers.next()?;
    let of = provider.filter(|provider| providers.any(|other| other == *provider)).unwrap_or(first);
    Some(schemas.get(of, SchemaKind::Resource, resource_type).ok()??.block.clone())
}

impl ObjectText {
    /// Whether it is a document that has many objects.
    fn is_document(&self) -> bool {
        let kind = DocumentKind::detect(&self.text);
        matches!(kind, Ok(DocumentKind::Plan | DocumentKind::State | DocumentKind::StateFile))
    }

    fn object(&self, block: &Block, resource_type: &str, address: &str) -> Result<Value, ObjectTextError> {
        let wrong = |message: String| ObjectTextError::Object { name: self.name.clone(), message };
        if DocumentKind::detect(&self.text) == Ok(DocumentKind::Plan) {
            return read_planned(&self.text, block, address).map_err(wrong);
        }
        let address = self.is_document().then_some(address);
        let read = read_prior(&self.text, block, resource_type, address);
        read.map(|prior| prior.value).map_err(|error| wrong(error.to_string()))
    }
}
