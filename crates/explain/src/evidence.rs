//! Checks objects against the schema, to find the exact paths and values behind a message.

use objchange::Value;
use objchange::address::ProviderAddress;
use objchange::change::{assert_object_compatible, assert_plan_valid};
use objchange::schema::{Attribute, Block, ProviderSchemas, SchemaKind};
use objchange::value::{Path, PathStep};
use objchange_text::redact::SENSITIVE;

use super::Explained;

/// The objects before and after each step, as far as they are available.
#[derive(Clone, Default)]
pub struct Objects {
    /// The object before the change.
    pub prior: Option<Value>,
    /// The configuration.
    pub config: Option<Value>,
    /// The planned object.
    pub planned: Option<Value>,
    /// The object after apply.
    pub actual: Option<Value>,
}

impl std::fmt::Debug for Objects {
    /// Shows no values, because only the schema tells which are secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Objects").finish_non_exhaustive()
    }
}

/// Facts about a message from a schema and objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Whether the schema calls the place, or a part of it, sensitive. Then no part of its value in the message may
    /// be shown.
    pub is_secret: bool,
    /// The path, if there is one, without keys inside sensitive parts.
    pub path: Option<String>,
    /// The attribute's properties in the schema: `optional, computed; string`.
    pub schema: Option<String>,
    /// The values at the path: the name of the object, and the value.
    pub values: Vec<(&'static str, String)>,
    /// The violations at the path: the path, the stable name of the kind, and a sentence.
    pub violations: Vec<(String, &'static str, String)>,
}

/// A message, with facts from a schema and objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedMessage {
    /// The parsed message.
    pub explained: Explained,
    /// Facts about its object; `None` if there are none.
    pub evidence: Option<Evidence>,
}

impl ExplainedMessage {
    /// Whether the schema calls the place sensitive. Values in the message must not be shown then.
    pub fn is_secret(&self) -> bool {
        self.evidence.as_ref().is_some_and(|evidence| evidence.is_secret)
    }

    /// The path of the value, without keys that the schema calls sensitive.
    pub fn path(&self) -> Option<&str> {
        let known = self.evidence.as_ref().and_then(|evidence| evidence.path.as_deref());
        known.or(self.explained.path.as_deref())
    }

    /// The heading of the message. People put values into the titles of issues, so a secret leaves only Terraform's words.
    pub fn summary(&self) -> &str {
        let summary = self.explained.summary.as_str();
        if !self.is_secret() {
            return summary;
        }
        let mut headings = self.explained.clauses.iter().filter_map(|clause| clause.terraform_summary());
        headings.find(|heading| summary.contains(heading)).unwrap_or(SENSITIVE)
    }
}

impl Evidence {
    /// The facts from schemas and objects about a message. `None` if it names neither an object nor a secret, or an object
    /// whose type has no schema. `objects` reads the objects of this schema, resource type and address.
    ///
    /// # Errors
    ///
    /// Those of `objects`.
    pub fn from_schemas<E>(
        explained: &Explained,
        schemas: &ProviderSchemas,
        objects: impl FnOnce(&Block, &str, &str) -> Result<Objects, E>,
    ) -> Result<Option<Self>, E> {
        let (Some(address), Some(resource_type)) = (&explained.address, explained.resource_type()) else {
            return Ok(hidden_anywhere(explained, schemas));
        };
        let block = block(schemas, explained.provider.as_deref(), resource_type);
        let Some(block) = block else { return Ok(None) };
        Ok(Some(Self::new(explained, &block, &objects(&block, resource_type, address)?)))
    }

    /// Collects facts about the object of a message.
    pub fn new(explained: &Explained, block: &Block, objects: &Objects) -> Self {
        let Objects { prior, config, planned, actual } = objects;
        let mut evidence = Self::default();
        let path = explained.path.as_deref().and_then(|path| path.parse::<Path>().ok());
        // A place that the schema does not have is treated as secret.
        evidence.is_secret = match &path {
            Some(path) => !is_known(block, path) || block.has_hidden_at(path),
            // The message may be about any part of the object.
            None => block.has_hidden_at(&Path::root()) && shows_values(explained),
        };
        if let Some(path) = &path {
            // Otherwise the path would repeat keys of a sensitive map.
            evidence.path = Some(block.hide_keys(path).to_string());
            evidence.schema = block.attribute_by_path(path).map(flags);
            let objects = [("prior", prior), ("config", config), ("planned", planned), ("actual", actual)];
            for (name, object) in objects {
                let object = object.as_ref().map(|object| block.mark_hidden(object));
                if let Some(value) = object.as_ref().and_then(|object| object.at(path)) {
                    evidence.values.push((name, value.to_string()));
                }
            }
        }
        if let (Some(config), Some(planned)) = (config, planned) {
            // In the protocol the prior object of a creation is null, too.
            let nothing = Value::null(block.implied_type().clone());
            for invalid in assert_plan_valid(block, prior.as_ref().unwrap_or(&nothing), config, planned) {
                evidence.violations.push((
                    invalid.path.to_string(),
                    invalid.kind.kind(),
                    invalid.to_string(),
                ));
            }
        }
        if let (Some(planned), Some(actual)) = (planned, actual) {
            for wrong in assert_object_compatible(block, planned, actual) {
                evidence.violations.push((wrong.path.to_string(), wrong.kind.kind(), wrong.to_string()));
            }
        }
        evidence
    }
}

/// Whether the schema has the attribute or the blocks that a path begins with.
fn is_known(block: &Block, path: &Path) -> bool {
    match path.steps().first() {
        Some(PathStep::Attribute(name)) => {
            block.attribute(name).is_some() || block.block_type(name).is_some()
        }
        _ => true,
    }
}

/// Whether a message contains a value, in Terraform's form or in quotes.
fn shows_values(explained: &Explained) -> bool {
    let words = explained.words.iter().chain([&explained.summary]).map(String::as_str);
    let mut texts = words.chain(explained.values.values().map(String::as_str));
    texts.any(|text| text.contains("cty.") || text.contains(['"', '\'']))
}

/// The properties that an attribute has in the schema.
fn flags(attribute: &Attribute) -> String {
    let flags = [
        (attribute.required, "required"),
        (attribute.optional, "optional"),
        (attribute.computed, "computed"),
        (attribute.sensitive, "sensitive"),
        (attribute.write_only, "write-only"),
    ];
    let flags: Vec<&str> = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect();
    let ty = attribute.implied_type();
    format!("{}; type {ty}", flags.join(", "))
}

/// Hides the value in a message that names no resource, if any type has a sensitive part at its path.
fn hidden_anywhere(explained: &Explained, schemas: &ProviderSchemas) -> Option<Evidence> {
    let path = explained.path.as_deref()?.parse::<Path>().ok()?;
    let wanted = explained.provider.as_deref().map(ProviderAddress::normalized);
    let is_of = |provider: &&str| wanted.as_deref().is_none_or(|of| of == *provider);
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

/// The schema of a resource type, from this provider if it has the type.
fn block(schemas: &ProviderSchemas, provider: Option<&str>, resource_type: &str) -> Option<Block> {
    let has_it = |of: &&str| schemas.names(of, SchemaKind::Resource).any(|name| name == resource_type);
    let mut providers = schemas.providers().filter(has_it);
    let first = providers.next()?;
    let provider = provider.map(ProviderAddress::normalized);
    let of =
        provider.as_deref().filter(|provider| providers.any(|other| other == *provider)).unwrap_or(first);
    Some(schemas.get(of, SchemaKind::Resource, resource_type).ok()??.block.clone())
}
