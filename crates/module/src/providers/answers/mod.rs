//! Answers of people in place of providers: values of data sources, imports and computed attributes.

mod fill;
mod json;
mod mock;
mod unanswered;

use std::collections::BTreeMap;

use objchange::Value;
use objchange::address::{InstanceAddress, Mode, strip_keys};
use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, ProviderError, planned_data_resource,
};
use objchange::schema::{Schema, SchemaKind};
use objchange::value::Path;
use objchange_text::json::place;

use self::fill::Fill;
pub use self::unanswered::Unanswered;
use super::ImportedBy;
use super::{
    DataAnswer, ImportAnswer, ProviderCall, ProviderFunction, ProviderObject, ProviderReply, Providers,
    ProvidersExt,
};
use crate::{ProviderAddress, ProviderConfigAddress, Schemas};

/// Why answers cannot be used, and where. Never shows an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct AnswerError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The problem.
    pub message: String,
}

impl AnswerError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "answers"
    }

    fn new(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let (line, column) = place(text, offset);
        Self { line, column, message: message.into() }
    }
}

/// Answers by address, and by type for objects without their own. An address without keys covers all instances.
///
/// ```
/// use objchange_module::Answers;
///
/// let mut answers = Answers::parse(r#"{"data": {"data.aws_ami.web": {"id": "ami-1"}}}"#)?;
/// answers.append(Answers::parse_mock("mock_resource \"aws_instance\" {\n  defaults = {\n    arn = \"x\"\n  }\n}\n")?);
/// assert!(Answers::parse(r#"{"dat": {}}"#).unwrap_err().to_string().starts_with("line 1, column 9: "));
/// # Ok::<(), objchange_module::AnswerError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Answers {
    data: BTreeMap<String, Answer>,
    imports: BTreeMap<String, Answer>,
    resources: BTreeMap<String, Answer>,
    /// By type.
    requires_replace: BTreeMap<String, Vec<Path>>,
}

/// The answer for an object: some of its attributes.
#[derive(Clone)]
struct Answer {
    value: Value,
    line: usize,
    column: usize,
}

/// Shows only the position: which attributes are secret is not known here.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Answer(line {}, column {})", self.line, self.column)
    }
}

impl Answer {
    fn error(&self, message: impl Into<String>) -> AnswerError {
        AnswerError { line: self.line, column: self.column, message: message.into() }
    }
}

impl Answers {
    /// Adds other answers. Where both have one, the other counts.
    pub fn append(&mut self, other: Self) {
        self.data.extend(other.data);
        self.imports.extend(other.imports);
        self.resources.extend(other.resources);
        self.requires_replace.extend(other.requires_replace);
    }

    /// Checks the answers against the schemas: unknown types and attributes, values of wrong types.
    pub fn check(&self, schemas: &Schemas) -> Vec<AnswerError> {
        let kinds = [
            (SchemaKind::DataSource, &self.data, "data source"),
            (SchemaKind::Resource, &self.imports, "resource type"),
            (SchemaKind::Resource, &self.resources, "resource type"),
        ];
        let mut errors = Vec::new();
        for (kind, answers, what) in kinds {
            for (key, answer) in answers {
                let address = key.parse::<InstanceAddress>();
                let type_name =
                    address.map_or_else(|_| key.clone(), |address| address.resource.resource_type);
                match schemas.of_any_provider(kind, &type_name, None) {
                    None => errors.push(answer.error(format!("{key}: no schema has the {what} {type_name}"))),
                    Some(schema) => {
                        if let Err(message) = fill::check(&schema.block, &answer.value) {
                            errors.push(answer.error(format!("{key}: {message}")));
                        }
                    }
                }
            }
        }
        errors
    }
}

/// The answer for an instance: its own, that for all instances, or that for its type.
fn find<'a>(answers: &'a BTreeMap<String, Answer>, address: &str, type_name: &str) -> Option<&'a Answer> {
    let without_key = || {
        let mut address: InstanceAddress = address.parse().ok()?;
        address.key = None;
        answers.get(&address.to_string())
    };
    let own = answers.get(address).or_else(without_key);
    own.or_else(|| answers.get(&strip_keys(address))).or_else(|| answers.get(type_name))
}

/// Answers with what people say, and asks others for the rest.
#[derive(Debug)]
pub struct AnsweringProviders<'a, P> {
    /// The answers from a file.
    pub answers: &'a Answers,
    /// Answers the rest.
    pub others: P,
    /// The questions without an answer so far.
    pub unanswered: Unanswered,
}

impl<'a, P> AnsweringProviders<'a, P> {
    /// Answers with these, and else as others do.
    pub fn new(answers: &'a Answers, others: P) -> Self {
        Self { answers, others, unanswered: Unanswered::default() }
    }
}

fn failed(answer: &Answer, address: &str, message: &str) -> Vec<Diagnostic> {
    let mut error = Diagnostic::error("Unusable answer");
    error.detail = format!(
        "The answer for {address} on line {}, column {} does not fit its schema: {message}.",
        answer.line, answer.column
    );
    vec![error]
}

impl<P: Providers> Providers for AnsweringProviders<'_, P> {
    fn is_simulated(&self, provider: &ProviderConfigAddress) -> bool {
        self.others.is_simulated(provider)
    }

    fn learned_replacement(
        &self,
        provider: &ProviderAddress,
        resource_type: &str,
        part: &str,
    ) -> Option<String> {
        self.others.learned_replacement(provider, resource_type, part)
    }

    fn keeps_data(&self, provider: &ProviderAddress) -> bool {
        self.others.keeps_data(provider)
    }

    fn function(&self, provider: &ProviderAddress, name: &str) -> Option<ProviderFunction> {
        self.others.function(provider, name)
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        match call {
            ProviderCall::Plan(resource_type, address, request) => {
                ProviderReply::Plan(self.planned(provider, resource_type, address, request))
            }
            ProviderCall::ReadData(address, schema, config) => {
                ProviderReply::ReadData(self.data(provider, address, schema, config))
            }
            ProviderCall::Import(address, schema, by) => {
                ProviderReply::Import(self.imported(provider, address, schema, by))
            }
            other => self.others.call(provider, other),
        }
    }
}

impl<P: Providers> AnsweringProviders<'_, P> {
    fn planned(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        request: &PlanResourceChange,
    ) -> Result<PlannedResource, ProviderError> {
        let mut planned = self.others.plan(provider, resource_type, address, request)?;
        if planned.planned.is_null() {
            return Ok(planned);
        }
        let of_type = self.answers.requires_replace.get(resource_type).into_iter().flatten();
        planned.requires_replace.extend(of_type.cloned());
        if let Some(answer) = find(&self.answers.resources, address, resource_type) {
            let fill = Fill { schema: &request.schema, config: &request.config };
            match fill.object(&planned.planned, &answer.value) {
                Ok(value) => planned.planned = value,
                Err(message) => planned.diagnostics.extend(failed(answer, address, &message)),
            }
        }
        self.unanswered.resource(resource_type, &request.schema, &request.config, &planned.planned);
        Ok(planned)
    }

    fn data(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        let parsed = address.parse::<InstanceAddress>();
        let type_name = parsed.map(|address| address.resource.resource_type).unwrap_or_default();
        if let Some(answer) = find(&self.answers.data, address, &type_name) {
            let fill = Fill { schema: &schema.block, config };
            let object = planned_data_resource(&schema.block, config).map_err(|error| error.to_string());
            return match object.and_then(|object| fill.object(&object, &answer.value)) {
                Ok(object) => DataAnswer::Known(object, Vec::new()),
                Err(message) => DataAnswer::Failed(failed(answer, address, &message)),
            };
        }
        let answer = self.others.read_data(provider, address, schema, config);
        if matches!(answer, DataAnswer::NotKnown) {
            self.unanswered.data(address, &schema.block, config);
        }
        answer
    }

    fn imported(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        by: &ImportedBy,
    ) -> ImportAnswer {
        // The answers for a type are those of new objects.
        if let Some(answer) = find(&self.answers.imports, address, "") {
            return match fill::complete(&schema.block, &answer.value) {
                Ok(Some(object)) => ImportAnswer::Known(ProviderObject::new(object), Vec::new()),
                Ok(None) => ImportAnswer::NotKnown,
                Err(message) => ImportAnswer::Failed(failed(answer, address, &message)),
            };
        }
        let answer = self.others.import(provider, address, schema, by);
        if matches!(answer, ImportAnswer::NotKnown) {
            self.unanswered.import(address, &schema.block);
        }
        answer
    }
}

/// Whether a text is an address of this kind of block, or a type.
fn is_key_of(key: &str, mode: Mode) -> bool {
    match key.parse::<InstanceAddress>() {
        Ok(address) => address.resource.mode == mode,
        Err(_) => !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'),
    }
}
