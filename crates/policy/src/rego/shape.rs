//! Decides what policies expect as `input`: the collections, or the document itself.

use std::collections::BTreeSet;

use objchange_rego::{
    CompileOptions, Format, InputFormat, MissingField, MissingPart, Program, RuleId, Value,
};
use objchange_text::{TimeLimit, did_you_mean};

use super::error::{PolicyError, PolicyErrorKind, PolicyLocation};
use super::{InputMode, Options, PolicyFile, format};

/// The members of `input` beside the document.
const COLLECTIONS: [&str; 5] = ["tfplan", "tfstate", "tfconfig", "plan", "run"];

/// A collection that the text of a policy mentions, whatever it means by the word. `plan` is any variable's name.
fn collection_in(text: &str) -> Option<&'static str> {
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    ["tfplan", "tfstate", "tfconfig"].into_iter().find(|name| words.contains(name))
}

/// Chooses the form of `input` that the policies read.
///
/// A policy that looks at what is not there would pass every plan: it is refused.
pub(super) fn choose(
    program: &Program,
    files: &[PolicyFile],
    options: &Options,
) -> Result<InputMode, PolicyError> {
    let first = |is_wanted: &dyn Fn(&str) -> bool| {
        program.input_references().find(|one| one.path.first().is_some_and(|name| is_wanted(name)))
    };
    let collections = first(&|name| COLLECTIONS.contains(&name));
    let document = first(&format::is_field_of_document);
    let wrapped = first(&|name| matches!(name, "tfplan" | "tfrun"));
    let name = |path: &[String]| path.first().cloned().unwrap_or_default();
    let refused = |place: PolicyLocation, message: String| {
        Err(PolicyError::new(PolicyErrorKind::Policy, Some(place), message))
    };
    match (options.input, collections, document) {
        (InputMode::Auto, Some(one), Some(other)) => {
            let message = format!(
                "input.{} is looked at here and input.{} in {}: input is either the collections or the document, \
                 so choose one of them, or evaluate these policies apart",
                name(other.path),
                name(one.path),
                PolicyLocation::from(one.location),
            );
            refused(other.location.into(), message)
        }
        (InputMode::Raw, Some(one), None) => {
            let message = format!(
                "input.{} is a collection, which the raw document does not have: let the policies decide what input is",
                name(one.path)
            );
            refused(one.location.into(), message)
        }
        (InputMode::Collections, None, Some(one)) => {
            let message = format!(
                "input.{} is a part of the document, which is input.plan beside collections: let the policies decide what \
                 input is",
                name(one.path)
            );
            refused(one.location.into(), message)
        }
        (InputMode::Wrapped, one, other) if wrapped.is_none() && (one.is_some() || other.is_some()) => {
            let message = "input is {\"tfplan\": the document}, and no policy reads input.tfplan: let the policies \
                           decide what input is";
            let place = one.or(other).map(|one| one.location.into());
            Err(PolicyError::new(PolicyErrorKind::Policy, place, message))
        }
        (InputMode::Auto, None, Some(_)) => Ok(InputMode::Raw),
        (InputMode::Auto, Some(_), None) => Ok(InputMode::Collections),
        (InputMode::Auto, None, None) => {
            // A policy that uses `input` as a whole may mean either form. It once saw neither, and passed every plan.
            let Some(whole) = program.input_references().find(|one| one.path.is_empty()) else {
                return Ok(InputMode::Collections);
            };
            let Some(name) = files.iter().find_map(|file| collection_in(&file.text)) else {
                return Ok(InputMode::Raw);
            };
            let message = format!(
                "input is looked at as a whole here, and the policies mention {name}: choose the collections or the \
                 document as input"
            );
            refused(whole.location.into(), message)
        }
        (mode, ..) => Ok(mode),
    }
}

/// The fields that rules read and no plan has: such a rule passes every plan, or none.
///
/// # Errors
///
/// The policies cannot be compiled to look for it.
pub(super) fn missing_fields(
    program: &Program,
    rules: &[RuleId],
    mode: InputMode,
    options: &Options,
    (compile_options, time): (&CompileOptions, &TimeLimit),
) -> Result<Vec<PolicyError>, PolicyError> {
    let input = format::of_input(mode, options.input != InputMode::Auto, options.run.as_ref());
    let missing = program
        .missing_fields(rules, &input, compile_options)
        .map_err(|errors| PolicyError::of_policies(&errors, time))?;
    Ok(missing.into_iter().map(|missing| refusal(missing, mode, options, &input)).collect())
}

fn refusal(missing: MissingField, mode: InputMode, options: &Options, input: &InputFormat) -> PolicyError {
    let MissingField { location, field, part, .. } = missing;
    let similar =
        |fields: &[(&'static str, Format)]| did_you_mean(&field, fields.iter().map(|(name, _)| *name));
    let (kind, message) = match part {
        MissingPart::Input => match (&*field, mode) {
            ("run", InputMode::Collections | InputMode::Auto) | ("tfrun", InputMode::Wrapped) => (
                PolicyErrorKind::NeedsRun,
                format!("input.{field} is the data of the run, which is not given"),
            ),
            ("tfrun", InputMode::Collections | InputMode::Auto) => {
                let message = "input.tfrun is there only beside an input.tfplan that is the document";
                (PolicyErrorKind::NeedsWrapped, message.to_owned())
            }
            _ => {
                let what = match mode {
                    InputMode::Raw => "input is the document, with parts such as input.resource_changes",
                    InputMode::Wrapped => "policies see the document as input.tfplan, and input.tfrun",
                    InputMode::Collections | InputMode::Auto => {
                        "policies see input.tfplan, input.tfstate, input.tfconfig, input.plan and input.run, or the \
                         parts of the document such as input.resource_changes"
                    }
                };
                let similar = match mode {
                    InputMode::Auto | InputMode::Collections => format::similar(&field),
                    _ => similar(&input.fields),
                };
                (PolicyErrorKind::MissingField, format!("no plan has input.{field}{similar}; {what}"))
            }
        },
        MissingPart::Object(object) if format::document_has(object, &field) => {
            let message = format!(
                "{} has no field {field}: input.tfplan is the collections. The document has it, which is input.plan; on \
                 some platforms input.tfplan is the document",
                object.title
            );
            (PolicyErrorKind::NeedsWrapped, message)
        }
        MissingPart::Object(object) => {
            let similar = similar(object.fields);
            (PolicyErrorKind::MissingField, format!("{} has no field {field}{similar}", object.title))
        }
        MissingPart::Document => {
            let run = options.run.as_ref().and_then(Value::as_object);
            let names = run.into_iter().flat_map(|run| run.iter().filter_map(|(name, _)| name.as_str()));
            let similar = did_you_mean(&field, names);
            (PolicyErrorKind::MissingField, format!("the data of the run has no field {field}{similar}"))
        }
        MissingPart::Word(words) => {
            let similar = did_you_mean(&field, words.iter().copied());
            let message =
                format!("no plan has the word {field:?} here{similar}; there are {}", words.join(", "));
            (PolicyErrorKind::MissingField, message)
        }
        MissingPart::WholeList => {
            let message = format!("a list of the plan is never {field:?}: use {field:?} in …");
            (PolicyErrorKind::MissingField, message)
        }
        MissingPart::List => {
            let message = format!("{field} is read from a list of the plan, which has no fields");
            (PolicyErrorKind::MissingField, message)
        }
        MissingPart::Map => {
            let message = "a number is read from an object of the plan whose members have names: use some … in, or \
                           a name";
            (PolicyErrorKind::MissingField, message.to_owned())
        }
        _ => {
            let message =
                format!("{field} is read from a text, number or bool of the plan, which has no fields");
            (PolicyErrorKind::MissingField, message)
        }
    };
    PolicyError::new(kind, Some(location.into()), message)
}
