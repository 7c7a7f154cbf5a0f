//! Hints of people about a provider.
//!
//! A schema does not say which regions exist, what a name looks like, or which types cost money. A hints file
//! in JSON does (`schema/hints.schema.json` of the project):
//!
//! ```
//! use objchange_provider::Component;
//! use objchange_conform::Hints;
//!
//! let hints = Hints::parse(br#"{
//!     "provider": {"host": "localhost", "token": {"$sensitive": "s3cr3t"}},
//!     "values": {"*cidr": "10.{seq}.0.0/16"},
//!     "types": [
//!         {"type": "cloud_server", "values": {"name": "tf-{seed}-{seq}", "disk.kind": {"$one_of": ["ssd", "hdd"]}}},
//!         {"type": "cloud_*_account", "skip": "each costs money"}
//!     ]
//! }"#)?;
//! assert_eq!(hints.skip(Component::Resource, "cloud_mail_account"), Some("each costs money"));
//!
//! let error = Hints::parse(br#"{"types": [{"type": "a", "values": {}, "skipp": ""}]}"#).unwrap_err();
//! assert_eq!(error.to_string(), "types[0].skipp: there is no such field; did you mean skip?");
//! # Ok::<(), objchange_conform::HintsError>(())
//! ```

mod check;
mod hinted_value;
mod json;
mod read;
mod secret;
mod template;

use objchange::Value;
use objchange::change::{Diagnostic, Severity};
use objchange::schema::Block;
use objchange_provider::Component;
use regex::Regex;
use smol_str::SmolStr;
use wildmatch::WildMatch;

pub(super) use self::check::inside;
pub(super) use self::hinted_value::{HintedValue, Numbering, RegexText};
use super::within;

/// The key of an object that names a secret instead of writing it.
const SENSITIVE: &str = "$sensitive";

/// Hints about a provider: see the [module](self). The default has none.
///
/// Later hints in a file win over earlier ones, and hints for types win over hints for all types.
#[derive(Clone, Default)]
pub struct Hints {
    provider: Option<Value>,
    values: Vec<(WildMatch, HintedValue)>,
    types: Vec<TypeHints>,
}

/// Hints for all types whose name matches.
#[derive(Clone)]
struct TypeHints {
    name: WildMatch,
    component: Option<Component>,
    skip: Option<String>,
    values: Vec<(WildMatch, HintedValue)>,
    expect: Vec<Expected>,
    import: Option<String>,
    update: Vec<(String, Value)>,
}

/// An expected diagnostic.
#[derive(Clone)]
struct Expected {
    severity: Option<Severity>,
    summary: Summary,
}

#[derive(Clone)]
enum Summary {
    Exactly(String),
    Matching(Regex),
}

/// Why a hints file cannot be used: the place and the problem. It never shows a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
#[non_exhaustive]
pub struct HintsError {
    /// The path in the file, or the line and column at which it is not JSON.
    pub place: String,
    /// The problem at this place.
    pub problem: String,
}

impl HintsError {
    fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }

    /// The stable name of the kind of error: there is one.
    pub fn kind(&self) -> &'static str {
        "hints"
    }
}

/// Hints may hold secrets.
impl std::fmt::Debug for Hints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hints").field("types", &self.types.len()).finish_non_exhaustive()
    }
}

impl Hints {
    /// Reads a hints file.
    ///
    /// # Errors
    ///
    /// The first part of the file that is not a hint.
    pub fn parse(file: &[u8]) -> Result<Self, HintsError> {
        read::hints(file)
    }

    /// The hints for a type, the last first.
    fn about(&self, component: Component, name: &str) -> impl Iterator<Item = &TypeHints> {
        let is_of = move |entry: &&TypeHints| {
            entry.component.is_none_or(|c| c == component) && entry.name.matches(name)
        };
        self.types.iter().rev().filter(is_of)
    }

    /// Why a type is not tried, if it is not.
    pub fn skip(&self, component: Component, name: &str) -> Option<&str> {
        self.about(component, name).find_map(|entry| entry.skip.as_deref())
    }

    /// The provider's own configuration; attributes without a hint are null. Secrets in it are marked.
    ///
    /// # Errors
    ///
    /// The hints do not fit the schema, or lack a required attribute.
    pub fn provider_config(&self, block: &Block) -> Result<Value, HintsError> {
        let said = self.provider.clone().unwrap_or_else(|| Value::object::<&str, Value>([]));
        let is_missing = |name: &&SmolStr| said.attribute(name).is_none_or(Value::is_null);
        let required = block.attributes().iter().filter(|(_, attribute)| attribute.required);
        let missing: Vec<&str> =
            required.map(|(name, _)| name).filter(is_missing).map(SmolStr::as_str).collect();
        if let [first, _, ..] = missing[..] {
            let problem =
                format!("these settings are required: {}; set them in a hints file", missing.join(", "));
            return Err(HintsError::new(format!("provider.{first}"), problem));
        }
        block.coerce_config(&said).map_err(|error| {
            let hint = if self.provider.is_some() { "" } else { "; set it in a hints file" };
            HintsError::new(format!("provider{}", error.path.suffix()), format!("{}{hint}", error.kind))
        })
    }

    /// Whether hints expect this diagnostic from a type.
    pub fn is_expected(&self, component: Component, name: &str, diagnostic: &Diagnostic) -> bool {
        self.about(component, name).flat_map(|entry| &entry.expect).any(|expected| {
            let is_said = match &expected.summary {
                Summary::Exactly(text) => *text == diagnostic.summary,
                Summary::Matching(regex) => regex.is_match(&diagnostic.summary),
            };
            is_said && expected.severity.is_none_or(|severity| severity == diagnostic.severity)
        })
    }

    /// The identifier for importing an object, if the file has one for its type: `{name}` is replaced by the
    /// attribute of
    /// that name.
    pub fn import_id(&self, name: &str, object: &Value) -> Option<String> {
        let format = self.about(Component::Resource, name).find_map(|entry| entry.import.as_deref())?;
        hinted_value::filled(format, |attribute| match object.attribute(attribute)?.unmarked().kind() {
            objchange::value::Kind::String(text) => Some(text.to_owned()),
            objchange::value::Kind::Number(number) => Some(number.to_string()),
            objchange::value::Kind::Bool(b) => Some(b.to_string()),
            _ => None,
        })
    }

    /// The configuration to which an object of this configuration is updated, if the file has one.
    pub fn update(&self, name: &str, config: &Value) -> Option<Value> {
        let entry = self.about(Component::Resource, name).find(|entry| !entry.update.is_empty())?;
        Some(entry.update.iter().fold(config.clone(), |config, (path, value)| {
            let names: Vec<SmolStr> = path.split('.').map(SmolStr::from).collect();
            let mut updated = |old: &Value| value.convert(old.ty()).unwrap_or_else(|_| old.clone());
            within::changed(&config, &names, &mut updated)
        }))
    }

    /// The hint for the attribute at this path, which is names with dots between them.
    pub(super) fn hinted(&self, component: Component, name: &str, path: &str) -> Option<&HintedValue> {
        let find =
            |values: &'_ [(WildMatch, HintedValue)]| values.iter().rposition(|(glob, _)| glob.matches(path));
        let of_type =
            self.about(component, name).find_map(|entry| find(&entry.values).map(|i| &entry.values[i].1));
        of_type.or_else(|| find(&self.values).map(|i| &self.values[i].1))
    }
}
