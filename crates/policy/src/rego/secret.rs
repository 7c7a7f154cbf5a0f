//! Decides which messages must not be shown.
//!
//! Rules run over a document in which secrets are unknown first. Results that are certain there hold whatever the secrets
//! are, and contain nothing of them.
//!
//! A rule whose results depend on secrets runs over the document itself. Its messages are shown if it also gives them for
//! two documents that have other values in place of all secrets. These values have nothing in common, so that no part of a
//! secret is in such a message.

use std::collections::{BTreeMap, BTreeSet};

use objchange_rego::value::Types;
use objchange_rego::{EvalError, RuleResults, Unknown, Value};

use super::error::PolicyError;
use super::evaluate::{DefinitionId, Evaluation, Results};
use super::input::Secrets;
use super::verdict;
use crate::collection::SecretKind;

/// The number of all secrets where they are unknown: the smallest, because values that depend on many keep only the first.
const SECRET: u32 = 0;

/// The value that policies see in place of a secret, of a known kind or of any.
pub(super) fn unknown_secret(kind: Option<SecretKind>) -> Value {
    Value::Unknown(match kind {
        None => Unknown::from_ids([SECRET]),
        Some(kind) => Unknown::any_of_types(SECRET, types(kind)),
    })
}

fn types(kind: SecretKind) -> Types {
    match kind {
        SecretKind::Bool => Types::BOOLEAN,
        SecretKind::SmallNumber | SecretKind::LargeNumber => Types::NUMBER,
        // That is also the kind of null.
        SecretKind::ShortText => Types::STRING.or(Types::NULL),
        SecretKind::LongText => Types::STRING,
        SecretKind::Array | SecretKind::EmptyArray => Types::ARRAY,
        SecretKind::Object | SecretKind::EmptyObject => Types::OBJECT,
    }
}

/// Whether a value stands for a secret, or was computed from one.
pub(super) fn is_secret(value: &Value) -> bool {
    matches!(value, Value::Unknown(unknown) if depends_on_secret(unknown))
}

/// Whether this depends on secrets.
pub(super) fn depends_on_secret(unknown: &Unknown) -> bool {
    unknown.ids().first() == Some(&SECRET)
}

/// Whether a message has a part that depends on secrets.
pub(super) fn contains_secret(message: &Value) -> bool {
    message.unknowns().is_some_and(|unknown| depends_on_secret(&unknown))
}

/// Whether it depends on secrets what a rule finds, and not only what is in its messages.
pub(super) fn finds_by_secrets(found: &Result<RuleResults, EvalError>) -> bool {
    let is_open = |doubt: &Unknown| doubt.ids().is_empty() || depends_on_secret(doubt);
    found.as_ref().map_or(true, |found| {
        found.may_fail.as_ref().is_some_and(is_open)
            || found.possible.iter().any(|(message, doubt)| is_open(doubt) || contains_secret(message))
    })
}

/// Values in place of secrets, of their kinds, so that a rule takes the same path. Those of the two have no character
/// in common, nor has any with the text for sensitive values, so a message that two documents give contains no part of
/// either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    First,
    Second,
}

impl Replacement {
    pub(super) fn stand_in(self, kind: SecretKind) -> Value {
        let (short, long, small, large) = match self {
            Self::First => ("x", "Kk0-".repeat(64), 0_i64, 2_222_222_222_222_i64),
            Self::Second => ("Z", "Qq1_".repeat(64), 7, 5_555_555_555_555),
        };
        match kind {
            SecretKind::Bool => Value::Bool(self == Self::Second),
            SecretKind::SmallNumber => Value::int(small),
            SecretKind::LargeNumber => Value::int(large),
            SecretKind::ShortText => Value::from(short),
            SecretKind::LongText => Value::from(long.as_str()),
            SecretKind::EmptyArray if self == Self::First => Value::array([]),
            SecretKind::EmptyObject if self == Self::First => Value::object([]),
            SecretKind::Array | SecretKind::EmptyArray => Value::array([Value::from(short)]),
            SecretKind::Object | SecretKind::EmptyObject => {
                Value::object([(Value::from(short), Value::from(short))])
            }
        }
    }
}

/// The messages that must not be shown.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    messages: BTreeMap<DefinitionId, BTreeSet<Value>>,
    /// The messages, prints and warnings for an input without the secrets, if it has any.
    masked: Option<Results>,
}

impl Hidden {
    pub(super) fn find(
        evaluation: &Evaluation<'_>,
        document: &Value,
        results: &Results,
    ) -> Result<Self, PolicyError> {
        let mut hidden = Self::default();
        for (id, found) in &results.found {
            let messages: BTreeSet<Value> = found.iter().flat_map(messages).cloned().collect();
            if !messages.is_empty() {
                hidden.messages.insert(*id, messages);
            }
        }
        let has_errors = results.found.values().any(Result::is_err);
        let says_nothing =
            hidden.messages.is_empty() && results.prints.is_empty() && results.warnings.is_empty();
        if says_nothing && !has_errors {
            return Ok(hidden);
        }
        let masked = evaluation.document(&Secrets::Hidden(None))?.document;
        // The policies read nothing sensitive, so nothing they say can depend on it.
        if masked == *document {
            hidden.messages.clear();
            return Ok(hidden);
        }
        // Prints, warnings and errors are only shown as far as the masked run has them, too.
        let needs_all = has_errors || !results.prints.is_empty() || !results.warnings.is_empty();
        let wanted: Vec<DefinitionId> = match needs_all {
            true => results.found.keys().copied().collect(),
            false => hidden.messages.keys().copied().collect(),
        };
        let threads = evaluation.options.parts();
        let masked = evaluation.results(&masked, &wanted, threads)?;
        let mut seen = BTreeSet::new();
        hidden.reveal(&masked, &mut |id, message| !seen.insert((id, message.clone())));
        hidden.masked = Some(masked);
        for replacement in [Replacement::First, Replacement::Second] {
            let is_last = replacement == Replacement::Second;
            // A message that no document has given so far cannot be given by two in the last run.
            let is_open = |(id, messages): (&DefinitionId, &BTreeSet<Value>)| {
                let may_show = |message: &Value| !is_last || seen.contains(&(*id, message.clone()));
                messages.iter().any(may_show).then_some(*id)
            };
            let wanted: Vec<DefinitionId> = hidden.messages.iter().filter_map(is_open).collect();
            if wanted.is_empty() {
                break;
            }
            let other = evaluation.document(&Secrets::Hidden(Some(replacement)))?.document;
            let results = evaluation.results(&other, &wanted, threads)?;
            // `insert` refuses a message that an earlier document gave: then two have given it.
            hidden.reveal(&results, &mut |id, message| !seen.insert((id, message.clone())));
        }
        Ok(hidden)
    }

    /// Shows messages that another input gives, too, if `is_enough` for them.
    fn reveal(&mut self, results: &Results, is_enough: &mut dyn FnMut(DefinitionId, &Value) -> bool) {
        self.messages.retain(|id, hidden| {
            // A rule that fails there proves nothing.
            if let Some(Ok(found)) = results.found.get(id) {
                let said: BTreeSet<&Value> = messages(found).collect();
                hidden.retain(|message| !(said.contains(message) && is_enough(*id, message)));
            }
            !hidden.is_empty()
        });
    }

    pub(super) fn contains(&self, id: DefinitionId, message: &Value) -> bool {
        self.messages.get(&id).is_some_and(|hidden| hidden.contains(message))
    }

    /// The prints of the input without secrets, because prints may contain anything.
    pub(super) fn prints(&self, results: &Results) -> Vec<String> {
        self.masked.as_ref().unwrap_or(results).prints.clone()
    }

    pub(super) fn warnings(&self, results: &Results) -> Vec<verdict::Warning> {
        let is_shown = |warning: &objchange_rego::Warning| {
            self.masked.as_ref().is_none_or(|masked| masked.warnings.contains(warning))
        };
        let mut warnings = Vec::new();
        for warning in &results.warnings {
            let message = match is_shown(warning) {
                true => warning.message.clone(),
                false => format!("{}: {WHY_HIDDEN}", warning.function),
            };
            let warning = verdict::Warning { place: warning.location.clone().into(), message };
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        warnings
    }

    pub(super) fn error(&self, id: DefinitionId, error: &EvalError) -> String {
        let is_shown = self.masked.as_ref().is_none_or(
            |masked| matches!(masked.found.get(&id), Some(Err(other)) if other.message == error.message),
        );
        match (is_shown, &error.location) {
            (false, Some(location)) => format!("{location}: {WHY_HIDDEN}"),
            (false, None) => WHY_HIDDEN.to_owned(),
            (true, _) => error.to_string(),
        }
    }
}

const WHY_HIDDEN: &str = "this fails (why is hidden: it may hold a sensitive value)";

fn messages(found: &RuleResults) -> impl Iterator<Item = &Value> {
    found.certain.iter().chain(found.possible.iter().map(|(value, _)| value))
}
