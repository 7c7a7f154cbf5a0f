//! Models: of one resource type, and of a provider.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use objchange::Value;
use objchange::schema::Block;
use objchange_text::json;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::fact::{Cases, Cause, Collected, Fact, Outcome, PartFacts};
use crate::walk::{Member, member_at};

/// The version of the format.
pub const FORMAT: u32 = 1;

/// The longest text of the model of one type, in bytes. The text for `aws_instance` has 60 kB.
const MAX_TEXT: usize = 16 << 20;

/// The model of one resource type: the facts that were learned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TypeModel {
    /// The number of answers that it is made of.
    pub probes: u32,
    /// The provider uses the older type system, so that its plans may differ from configuration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub legacy: bool,
    /// The facts by part: names with dots between them.
    pub parts: BTreeMap<SmolStr, PartFacts>,
}

/// How a provider was asked, and the types that could not be learned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// The version of the format.
    pub format: u32,
    /// The address: `registry.terraform.io/hashicorp/aws`.
    pub provider: String,
    /// The version, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The settings that the provider had. Others may change its plans.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SmolStr>,
    /// The resource types that were not learned, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_learned: BTreeMap<SmolStr, String>,
    /// The resource types that were learned only in part, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub partly_learned: BTreeMap<SmolStr, String>,
}

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It is not JSON of this form.
    #[error("the model is damaged: {0}")]
    Malformed(String),
    /// Its text cannot be read from the file that has it.
    #[error("{0}")]
    Unreadable(String),
    /// Another version of the program wrote it.
    #[error("the model has format {0}, and this program reads format {FORMAT}")]
    OtherFormat(u32),
    /// It is larger than any model.
    #[error("the model is too large")]
    TooLarge,
    /// It is of another provider, or of another version of it.
    #[error("the model is of {0}")]
    OtherProvider(String),
    /// It has a fact about a part that the schema does not have.
    #[error("the model has a fact about {0}, which the schema does not have")]
    NotInSchema(String),
}

impl ModelError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed",
            Self::Unreadable(_) => "unreadable",
            Self::OtherFormat(_) => "other_format",
            Self::TooLarge => "too_large",
            Self::OtherProvider(_) => "other_provider",
            Self::NotInSchema(_) => "not_in_schema",
        }
    }
}

impl TypeModel {
    /// Reads the model of a type with this schema.
    ///
    /// # Errors
    ///
    /// It is not a model, or has facts about parts that the schema lacks.
    ///
    /// ```
    /// use objchange::Type;
    /// use objchange::schema::{Attribute, Block};
    /// use objchange_model::TypeModel;
    ///
    /// let schema = Block::new([("name", Attribute::optional(Type::String))], []);
    /// let text = r#"{"probes": 9, "parts": {"name": {"replaces": {"value": {"yes": 4, "paths": ["name"]}}}}}"#;
    /// assert_eq!(TypeModel::parse(text, &schema)?.probes, 9);
    ///
    /// let other = Block::new([("size", Attribute::optional(Type::Number))], []);
    /// let error = TypeModel::parse(text, &other).unwrap_err();
    /// assert_eq!(error.to_string(), "the model has a fact about name, which the schema does not have");
    /// # Ok::<(), objchange_model::ModelError>(())
    /// ```
    pub fn parse(text: &str, schema: &Block) -> Result<Self, ModelError> {
        let model: Self = read(text)?;
        model.check_all(schema)?;
        Ok(model)
    }

    fn check_all(&self, schema: &Block) -> Result<(), ModelError> {
        self.parts.iter().try_for_each(|(part, facts)| {
            let member = member_at(schema, part).ok_or_else(|| ModelError::NotInSchema(part.to_string()))?;
            check(schema, member, facts)
        })
    }

    /// The text of the model, as [`parse`](Self::parse) reads it.
    pub fn to_text(&self) -> String {
        // Maps with texts as keys, and numbers: nothing of it can fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The arguments of a configuration whose values the provider refuses, with the values that it accepts.
    pub fn refused(&self, config: &Value) -> Vec<(objchange::value::Path, &[String])> {
        let mut found = Vec::new();
        for (part, facts) in self.parts.iter().filter(|(_, facts)| !facts.one_of.is_empty()) {
            // Learning tries refused values only for arguments outside of blocks.
            if let Some(value) = config.attribute(part).and_then(Value::as_str)
                && !facts.one_of.iter().any(|one| one.eq_ignore_ascii_case(value))
            {
                found.push((objchange::value::Path::root().attribute(part.clone()), facts.one_of.as_slice()));
            }
        }
        found
    }

    /// The sentence about a change that replaces the object: `engine_version forces replacement in 12 of 12 probes`.
    pub fn explain_replacement(&self, part: &str) -> Option<String> {
        let named = |facts: &PartFacts| {
            let all =
                facts.replaces.values().filter(|replaces| replaces.paths.iter().any(|path| path == part));
            // A model may come from elsewhere, with any numbers.
            all.fold((0_u32, 0_u32), |(yes, all), replaces| {
                (
                    yes.saturating_add(replaces.yes),
                    all.saturating_add(replaces.yes).saturating_add(replaces.no),
                )
            })
        };
        let own = self.parts.get(part).map(named).filter(|(yes, _)| *yes > 0);
        let (yes, all) = own.or_else(|| self.parts.values().map(named).find(|(yes, _)| *yes > 0))?;
        Some(format!("{part} forces replacement in {yes} of {all} probes"))
    }
}

impl ModelInfo {
    /// The head of a model of this provider and version.
    pub fn new(provider: impl Into<String>, version: Option<String>) -> Self {
        Self { format: FORMAT, provider: provider.into(), version, ..Self::default() }
    }

    /// Reads the head of a model of this provider and version.
    ///
    /// # Errors
    ///
    /// It is not one, or is of another format, provider or version.
    pub fn parse(text: &str, provider: &str, version: Option<&str>) -> Result<Self, ModelError> {
        let info: Self = read(text)?;
        if info.format != FORMAT {
            return Err(ModelError::OtherFormat(info.format));
        }
        if info.provider != provider || info.version.as_deref() != version {
            let version = info.version.as_deref().unwrap_or("of unknown version");
            return Err(ModelError::OtherProvider(format!("{} {version}", info.provider)));
        }
        Ok(info)
    }

    /// The text of the head, as [`parse`](Self::parse) reads it.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Refuses facts about parts that the schema lacks, and constants of other types.
fn check(schema: &Block, member: Member<'_>, facts: &PartFacts) -> Result<(), ModelError> {
    let known = |part: &str| match member_at(schema, part) {
        Some(_) => Ok(()),
        None => Err(ModelError::NotInSchema(part.to_owned())),
    };
    let ty = match member {
        Member::Attribute(attribute) => attribute.implied_type().clone(),
        Member::Blocks(nested) => nested.implied_type(),
    };
    let fact = |fact: &Fact| {
        fact.outcomes.iter().try_for_each(|outcome| match outcome {
            Outcome::CopyOf(argument) => known(argument),
            Outcome::Collected(Collected { arguments, .. }) => {
                arguments.iter().try_for_each(|argument| known(argument))
            }
            Outcome::Constant(json) => match Value::from_json(json, &ty) {
                Ok(_) => Ok(()),
                Err(_) => Err(ModelError::Malformed("a constant is of another type".to_owned())),
            },
            _ => Ok(()),
        })
    };
    for Cases { usual, alone, when, with, beside } in facts.planned.values() {
        let of_values = with.values().flat_map(|values| values.values());
        let all = usual.iter().chain(alone).chain(when.values()).chain(of_values).chain(beside.values());
        all.clone().try_for_each(fact)?;
        with.keys().chain(beside.keys()).try_for_each(|argument| known(argument))?;
        when.keys().try_for_each(|Cause { part, .. }| known(part))?;
    }
    for replaces in facts.replaces.values() {
        replaces.paths.iter().chain(&replaces.when).try_for_each(|part| known(part))?;
    }
    Ok(())
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ModelError> {
    if text.len() > MAX_TEXT {
        return Err(ModelError::TooLarge);
    }
    json::from_str(text).map_err(|error| ModelError::Malformed(error.into_message().into_owned()))
}

/// The text of a type's model; `None` if there is none.
type Text = dyn Fn(&str) -> Result<Option<String>, ModelError> + Send + Sync;

/// The model of a provider. The model of a type is read when it is first asked for.
pub struct ProviderModel {
    /// How the provider was asked.
    pub info: ModelInfo,
    text: Box<Text>,
    read: Mutex<HashMap<SmolStr, Option<Arc<TypeModel>>>>,
    /// Whether the facts of a type fit its schema.
    checked: Mutex<HashMap<SmolStr, bool>>,
    problems: Mutex<Vec<String>>,
}

impl fmt::Debug for ProviderModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderModel").field("info", &self.info).finish_non_exhaustive()
    }
}

impl ProviderModel {
    /// A model whose types are read with `text`.
    pub fn new(
        info: ModelInfo,
        text: impl Fn(&str) -> Result<Option<String>, ModelError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            info,
            text: Box::new(text),
            read: Mutex::default(),
            checked: Mutex::default(),
            problems: Mutex::default(),
        }
    }

    /// The model of a type, if it was learned and can be used.
    pub fn of_type(&self, name: &str, schema: &Block) -> Option<Arc<TypeModel>> {
        let model = self.of_type_without_schema(name)?;
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_schema = *checked.entry(name.into()).or_insert_with(|| match model.check_all(schema) {
            Ok(()) => true,
            Err(error) => {
                self.note(name, &error.to_string());
                false
            }
        });
        is_of_schema.then_some(model)
    }

    /// The model of a type, whose facts may be about parts that a schema lacks.
    pub fn of_type_without_schema(&self, name: &str) -> Option<Arc<TypeModel>> {
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = known.get(name) {
            return model.clone();
        }
        let model = (self.text)(name).and_then(|text| text.map(|text| read(&text)).transpose());
        let model = model.unwrap_or_else(|error| {
            self.note(name, &error.to_string());
            None
        });
        let model: Option<Arc<TypeModel>> = model.map(Arc::new);
        known.insert(name.into(), model.clone());
        model
    }

    fn note(&self, name: &str, problem: &str) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems.push(format!("{name}: {problem}; its model is not used"));
    }

    /// The types whose models could not be used, and why.
    pub fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
