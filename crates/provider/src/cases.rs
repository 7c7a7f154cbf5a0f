//! The operations of case files about single answers of providers, as recordings have them.

use objchange::Value;
use objchange::change::{AppliedResource, DeferredReason, Diagnostic, PlannedResource};
use objchange::schema::Block;
use objchange::value::Path;
use objchange_case::{Answer, AnsweredError, Case, CaseError, Operation};
use objchange_text::json::{self, RawPart};
use serde::{Deserialize, Deserializer};

use crate::verdict::{Violation, of_apply, of_object, of_plan};

/// The operations of case files that this crate answers: each judges one answer of a provider.
///
/// ```
/// use objchange_case::{Case, Outcome};
///
/// let case = r#"{"op":"plan_resource_change","schema":{"attributes":{"name":{"type":"string","optional":true}}},
///     "prior":null,"config":{"name":"a"},"answer":{"planned":{"name":"b"}},
///     "want":{"errors":[{"path":[{"attr":"name"}],"kind":"value_not_configured"}]}}"#;
/// let outcome = Case::parse(case)?.run_by(objchange_provider::OPERATIONS);
/// # assert!(!matches!(outcome, Outcome::UnknownOperation | Outcome::Unusable(_)), "{outcome:?}");
/// # Ok::<(), objchange_case::CaseError>(())
/// ```
pub const OPERATIONS: &[Operation] = &[
    Operation::new(
        "plan_resource_change",
        &["type", "schema", "prior", "proposed", "config", "deferral_allowed", "answer"],
        plan,
    ),
    Operation::new(
        "apply_resource_change",
        &["type", "schema", "prior", "planned", "config", "answer"],
        apply,
    ),
    Operation::new("read_resource", &["type", "schema", "state", "answer"], |case| object(case, false)),
    Operation::new("upgrade_resource_state", &["type", "schema", "version", "answer"], |case| {
        object(case, true)
    }),
    Operation::new("read_data_source", &["type", "schema", "config", "answer"], |case| object(case, true)),
    Operation::new("provider_call", &["call", "type", "answer"], |case| {
        Ok(answered(failure(&AnswerField::read(case)?).into_iter().collect()))
    }),
];

/// The parts of a provider's answer that are judged.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AnswerField<'a> {
    #[serde(borrow)]
    planned: Option<RawPart<'a>>,
    /// Null is an answer, too: the object is gone.
    #[serde(borrow, deserialize_with = "present")]
    new_state: Option<RawPart<'a>>,
    #[serde(borrow)]
    object: Option<RawPart<'a>>,
    requires_replace: Vec<Path>,
    legacy_type_system: bool,
    deferred: Option<String>,
    errors: Vec<String>,
    warnings: Vec<String>,
    failed: Option<String>,
}

/// The field's value, even if it is null.
fn present<'de, D: Deserializer<'de>>(json: D) -> Result<Option<RawPart<'de>>, D::Error> {
    RawPart::deserialize(json).map(Some)
}

impl<'a> AnswerField<'a> {
    fn read(case: &Case<'a>) -> Result<Self, CaseError> {
        let text = case.field("answer")?;
        json::from_str(text).map_err(|error| case.wrong_json("answer", text, error))
    }

    fn value(
        &self,
        case: &Case<'a>,
        part: Option<&RawPart<'a>>,
        block: &Block,
    ) -> Result<Option<Value>, CaseError> {
        let read =
            |part: &RawPart<'a>| Ok(case.value_in("answer", part.0, block.implied_type())?.unmark_deep().0);
        part.map(read).transpose()
    }

    fn deferred(&self) -> Option<DeferredReason> {
        // No rule depends on the reason.
        self.deferred.as_ref().map(|_| DeferredReason::Unknown)
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let errors = self.errors.iter().map(Diagnostic::error);
        errors.chain(self.warnings.iter().map(Diagnostic::warning)).collect()
    }
}

/// The violation of a call without an answer.
fn failure(answer: &AnswerField<'_>) -> Option<Violation> {
    // Failures that the provider is to blame for, and any other.
    const KINDS: [&str; 8] = [
        "crashed",
        "disconnected",
        "timeout",
        "unimplemented",
        "too_large",
        "status",
        "wrong_value",
        "malformed",
    ];
    let failed = answer.failed.as_deref()?;
    let kind = KINDS.into_iter().find(|kind| *kind == failed).unwrap_or("failed");
    Some((Path::root(), kind, format!("the provider gave no answer: {kind}")))
}

fn answered(wrong: Vec<Violation>) -> Answer {
    Answer::Errors(
        wrong.into_iter().map(|(path, kind, said)| AnsweredError::new(&path, kind, &said)).collect(),
    )
}

fn object_field(case: &Case<'_>, name: &str, block: &Block) -> Result<Value, CaseError> {
    Ok(case.value(name, block.implied_type())?.unmark_deep().0)
}

fn plan(case: &Case<'_>) -> Result<Answer, CaseError> {
    let (block, answer) = (case.schema()?, AnswerField::read(case)?);
    if let Some(failure) = failure(&answer) {
        return Ok(answered(vec![failure]));
    }
    let (prior, config) = (object_field(case, "prior", &block)?, object_field(case, "config", &block)?);
    let planned = answer.value(case, answer.planned.as_ref(), &block)?;
    let mut planned =
        PlannedResource::new(planned.unwrap_or_else(|| Value::null(block.implied_type().clone())));
    planned.requires_replace.clone_from(&answer.requires_replace);
    planned.legacy_type_system = answer.legacy_type_system;
    (planned.deferred, planned.diagnostics) = (answer.deferred(), answer.diagnostics());
    let deferral_allowed = match case.optional_field("deferral_allowed") {
        Some(_) => case.parsed("deferral_allowed")?,
        None => false,
    };
    Ok(answered(of_plan(&block, [&prior, &config], deferral_allowed, &planned)))
}

fn apply(case: &Case<'_>) -> Result<Answer, CaseError> {
    let (block, answer) = (case.schema()?, AnswerField::read(case)?);
    if let Some(failure) = failure(&answer) {
        return Ok(answered(vec![failure]));
    }
    let planned = object_field(case, "planned", &block)?;
    let mut applied = AppliedResource::new(Value::null(block.implied_type().clone()));
    applied.new_state = answer.value(case, answer.new_state.as_ref(), &block)?;
    applied.legacy_type_system = answer.legacy_type_system;
    applied.diagnostics = answer.diagnostics();
    Ok(answered(of_apply(&block, &planned, &applied)))
}

fn object(case: &Case<'_>, must_be_there: bool) -> Result<Answer, CaseError> {
    let (block, answer) = (case.schema()?, AnswerField::read(case)?);
    if let Some(failure) = failure(&answer) {
        return Ok(answered(vec![failure]));
    }
    // Errors are an answer, too: Terraform stops there, and looks at no object.
    if !answer.errors.is_empty() {
        return Ok(answered(Vec::new()));
    }
    let object = answer.value(case, answer.object.as_ref(), &block)?;
    Ok(answered(of_object(&block, object.as_ref(), must_be_there, answer.deferred())))
}
