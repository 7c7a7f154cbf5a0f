//! Comparing an answer with the wanted one.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use serde::Deserialize;

use super::{Answer, AnsweredError, Case, CaseError, Difference, Outcome, difference};
use crate::json::{self, Part};
use crate::schema::Block;
use crate::value::{Path, PathStep, SENSITIVE, Type, Value};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Want<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<Part<'a>>,
    #[serde(default, rename = "type")]
    ty: Option<Type>,
    #[serde(borrow, default)]
    errors: Option<Vec<WantedError<'a>>>,
    #[serde(default)]
    action: Option<String>,
    #[serde(borrow, default)]
    values: Option<Vec<Part<'a>>>,
    /// The parts of a change that matter to the case.
    #[serde(borrow, default)]
    change: Option<BTreeMap<String, Part<'a>>>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    color: Option<String>,
    #[serde(default)]
    panic: bool,
}

impl Want<'_> {
    fn is_empty(&self) -> bool {
        let Self { value, ty, errors, action, values, change, text, color, panic } = self;
        let has_some =
            value.is_some() || ty.is_some() || errors.is_some() || action.is_some() || values.is_some();
        !has_some && change.is_none() && text.is_none() && color.is_none() && !panic
    }

    /// What is wanted, without its content.
    fn sort(&self) -> &'static str {
        match self {
            Self { errors: Some(_), .. } => "errors",
            Self { value: Some(_), .. } | Self { values: Some(_), .. } => "a value",
            Self { ty: Some(_), .. } => "a type",
            Self { text: Some(_), .. } | Self { color: Some(_), .. } => "a text",
            _ => "an action",
        }
    }
}

/// A wanted null is there, other than one that is missing.
pub(super) fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Part<'de>>, D::Error> {
    Part::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct WantedError<'a> {
    #[serde(borrow)]
    path: Vec<WantedStep<'a>>,
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum WantedStep<'a> {
    Attr(String),
    #[serde(borrow)]
    Index(Part<'a>),
}

pub(super) fn compare(case: &Case<'_>, answer: &Answer) -> Outcome {
    match compared(case, answer) {
        Ok(None) => Outcome::Passed,
        Ok(Some(difference)) => Outcome::Failed(difference),
        Err(error) => Outcome::Unusable(error),
    }
}

/// The value as a case can write it: a null or an unknown in place of a type that is dynamic only in part has no
/// type of its own there.
fn as_written(value: &Value, ty: &Type) -> Option<Value> {
    if !ty.has_dynamic() {
        return None;
    }
    Value::from_marker_json(&value.to_marker_json(ty).ok()?, ty).ok()
}

/// The value as a difference may show it: what the schema of the case calls sensitive is marked.
fn shown(case: &Case<'_>, value: &Value) -> Value {
    let Ok(schema) = case.schema() else { return value.clone() };
    schema.mark_hidden(value)
}

fn compared(case: &Case<'_>, answer: &Answer) -> Result<Option<Difference>, CaseError> {
    let text = case.field("want")?;
    let want: Want<'_> = json::from_str(text).map_err(|e| case.wrong_json("want", text, e))?;
    if let Answer::Texts(texts) = answer
        && (want.panic || want.text.is_some() || want.color.is_some())
    {
        return Ok(texts.iter().find_map(|(name, got)| text_difference(name, got, &want)));
    }
    if want.panic {
        // Where the reference crashes, an error is right, and so is the ordinary answer.
        return Ok(None);
    }
    if want.is_empty() {
        return Err(case.wrong_field(
            "want",
            "it needs one of `value`, `values`, `type`, `errors`, `action`, `change`, `text`, `color` and `panic`",
        ));
    }
    if let (Answer::Change(parts), Some(wanted)) = (answer, &want.change) {
        for (name, raw) in wanted {
            let known = || parts.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let Some((_, part)) = parts.iter().find(|(other, _)| other == name) else {
                return Err(case.wrong_field(
                    "want",
                    &format!("what came of the change has no {name:?}: it has {}", known()),
                ));
            };
            if let Some(difference) = against(case, part, wanted_part(case, part, *raw)?, raw.0)? {
                let note = difference.note.map(|note| format!("; {note}")).unwrap_or_default();
                return Ok(Some(Difference { note: Some(format!("{name}{note}")), ..difference }));
            }
        }
        return Ok(None);
    }
    against(case, answer, want, text)
}

/// How a text differs from the wanted one. Where the reference crashes, any text is right.
fn text_difference(name: &str, got: &Result<String, String>, want: &Want<'_>) -> Option<Difference> {
    let wanted = if name == "color" { &want.color } else { &want.text };
    match (got, wanted) {
        (Ok(got), Some(want)) => difference::of_texts(name, got, want),
        (Err(error), wanted) if wanted.is_some() || want.panic => {
            Some(Difference::whole(format!("refused: {error}"), wanted.as_deref().unwrap_or("a text")))
        }
        _ => None,
    }
}

/// What is wanted of a part of a change, in the form that its answer has.
fn wanted_part<'a>(case: &Case<'a>, part: &Answer, raw: Part<'a>) -> Result<Want<'a>, CaseError> {
    let text = raw.0;
    let wrong = |error| case.wrong_json("want", text, error);
    let none = Want::default();
    Ok(match part {
        Answer::Errors(_) => Want { errors: Some(json::from_str(text).map_err(wrong)?), ..none },
        Answer::Action(_) => Want { action: Some(text.trim_matches('"').to_owned()), ..none },
        _ => Want { value: Some(raw), ..none },
    })
}

/// How an answer differs from what is wanted of it.
fn against<'a>(
    case: &Case<'a>,
    answer: &Answer,
    want: Want<'a>,
    text: &'a str,
) -> Result<Option<Difference>, CaseError> {
    let whole = |got: String, want: String| Some(Difference::whole(got, want));
    Ok(match (answer, want) {
        (Answer::Value(got, ty), Want { value: Some(raw), .. }) => {
            let want = case.value_in("want", raw.0, ty)?;
            if got.identical(&want) || as_written(got, ty).is_some_and(|got| got.identical(&want)) {
                return Ok(None);
            }
            difference::of_values(&shown(case, got), &shown(case, &want), ty)
                .or_else(|| whole("another sensitive value".to_owned(), SENSITIVE.to_owned()))
        }
        (Answer::Type(got), Want { ty: Some(want), .. }) => {
            if *got == want {
                None
            } else {
                whole(got.to_string(), want.to_string())
            }
        }
        (Answer::Action(got), Want { action: Some(want), .. }) => {
            if *got == want {
                None
            } else {
                whole((*got).to_owned(), want)
            }
        }
        (Answer::Values(got, ty), Want { values: Some(raws), .. }) => {
            let want: Vec<Value> =
                raws.into_iter().map(|raw| case.value_in("want", raw.0, ty)).collect::<Result<_, _>>()?;
            let list = |values: &[Value]| Value::tuple(values.iter().cloned());
            difference::of_values(&list(got), &list(&want), list(got).ty())
        }
        (Answer::Errors(got), Want { errors: Some(want), .. }) => {
            let got = got.iter().map(error_text).collect();
            let hidden = HiddenKeys::new(case);
            errors_difference(got, want.iter().map(|error| wanted_text(&hidden, error)).collect())
        }
        (answer, want) => {
            // Of another sort than the answer: with a schema that hides something, no more is said of it.
            let hides = case.schema().is_ok_and(|schema| schema.has_hidden());
            let want = if hides { want.sort().to_owned() } else { difference::redacted(text) };
            let explained = match answer {
                Answer::Errors(errors) => errors.iter().map(|error| error.sentence.clone()).collect(),
                _ => Vec::new(),
            };
            Some(Difference { explained, ..Difference::whole(answer_text(case, answer), want) })
        }
    })
}

/// An answer of another sort than the wanted one, as the case would write it.
fn answer_text(case: &Case<'_>, answer: &Answer) -> String {
    match answer {
        Answer::Value(value, ty) => {
            format!(r#"{{"value":{}}}"#, difference::value_text(&shown(case, value), ty))
        }
        Answer::Type(ty) => format!(r#"{{"type":{ty}}}"#),
        Answer::Errors(errors) => {
            let texts: Vec<String> = errors.iter().map(|error| error_text(error).shown).collect();
            format!("errors {}", list_of(&texts))
        }
        Answer::Action(action) => format!(r#"{{"action":"{action}"}}"#),
        Answer::Values(values, ty) => {
            let texts: Vec<String> = values.iter().map(|v| difference::value_text(v, ty)).collect();
            format!(r#"{{"values":[{}]}}"#, texts.join(","))
        }
        Answer::Change(parts) => {
            let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
            format!("a change with {}", names.join(", "))
        }
        Answer::Texts(texts) => {
            let names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
            format!("a text: {}", names.join(", "))
        }
        Answer::Refused(message) => format!("refused: {message}"),
    }
}

/// An error as text, in which equal errors are equal: its path without marks, and its kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ErrorText {
    key: String,
    /// The same with each name of an attribute written as a key: what must not be shown is a key in our paths where
    /// it may be a name in the reference's.
    loose: String,
    /// The same with marked parts left out.
    shown: String,
    has_hidden: bool,
    /// What it means, if the engine says so.
    sentence: String,
}

/// A step of a path in an [`ErrorText`].
struct StepText {
    key: String,
    loose: String,
    shown: String,
}

impl StepText {
    fn attribute(name: &str) -> Self {
        let step = format!(".{name}");
        Self { key: step.clone(), loose: format!("[{}]", serde_json::Value::from(name)), shown: step }
    }

    fn index(key: &str, shown: String) -> Self {
        let step = format!("[{}]", normalized(key));
        Self { key: step.clone(), loose: step, shown }
    }
}

impl ErrorText {
    fn new(steps: impl Iterator<Item = StepText>, kind: &str, has_hidden: bool) -> Self {
        let [mut key, mut loose, mut shown] = [const { String::new() }; 3];
        for step in steps {
            key += &step.key;
            loose += &step.loose;
            shown += &step.shown;
        }
        for text in [&mut key, &mut loose, &mut shown] {
            let colon = if text.is_empty() { "" } else { ": " };
            *text = format!("{text}{colon}{kind}");
        }
        Self { key, loose, shown, has_hidden, sentence: String::new() }
    }
}

fn error_text(error: &AnsweredError) -> ErrorText {
    let path = &error.path;
    let is_hidden = |step: &PathStep| matches!(step, PathStep::Index(key) if key.contains_marked());
    let steps = path.steps().iter().map(|step| match step {
        PathStep::Attribute(name) => StepText::attribute(name),
        PathStep::Index(value) => {
            let plain = value.unmark_deep().0;
            let json = plain.to_marker_json(plain.ty()).unwrap_or_default();
            let shown = if is_hidden(step) { step.to_string() } else { format!("[{}]", normalized(&json)) };
            StepText::index(&json, shown)
        }
    });
    let text = ErrorText::new(steps, error.kind, path.steps().iter().any(is_hidden));
    ErrorText { sentence: error.sentence.clone(), ..text }
}

/// Which keys of paths in a case are not shown.
struct HiddenKeys {
    schema: Option<Block>,
    has_marks: bool,
}

impl HiddenKeys {
    fn new(case: &Case<'_>) -> Self {
        Self { schema: case.schema().ok(), has_marks: case.has_marks() }
    }

    fn hide(&self, path: Path) -> Path {
        match &self.schema {
            // Which values the path leads through is not known here.
            Some(schema) if self.has_marks => schema.hide_keys_below(&path, 0),
            Some(schema) => schema.hide_keys(&path),
            None if self.has_marks => path.steps().iter().cloned().map(hidden).collect(),
            None => path,
        }
    }
}

fn wanted_text(hidden_keys: &HiddenKeys, error: &WantedError<'_>) -> ErrorText {
    let plain = |step: &WantedStep<'_>| match step {
        WantedStep::Attr(name) => PathStep::Attribute(name.as_str().into()),
        // What is no text is no key of a map either, and its content does not matter here.
        WantedStep::Index(raw) => {
            PathStep::Index(json::from_str::<String>(raw.0).map_or(Value::from(0), Value::from))
        }
    };
    let path: Path = error.path.iter().map(plain).collect();
    let path = hidden_keys.hide(path);
    let steps = std::iter::zip(&error.path, path.steps()).map(|(wanted, step)| {
        let text = match wanted {
            WantedStep::Attr(name) => StepText::attribute(name),
            WantedStep::Index(raw) => StepText::index(raw.0, format!("[{}]", difference::redacted(raw.0))),
        };
        match step {
            PathStep::Index(key) if key.is_marked() => StepText { shown: step.to_string(), ..text },
            _ => text,
        }
    });
    ErrorText::new(steps, &error.kind, false)
}

fn hidden(step: PathStep) -> PathStep {
    match step {
        PathStep::Index(key) => PathStep::Index(key.sensitive()),
        attribute => attribute,
    }
}

/// How two multisets of errors differ: what each has and the other lacks.
fn errors_difference(mut got: Vec<ErrorText>, mut want: Vec<ErrorText>) -> Option<Difference> {
    if got.iter().any(|error| error.has_hidden) {
        let keys: HashMap<&str, &str> =
            want.iter().map(|wanted| (wanted.loose.as_str(), wanted.key.as_str())).collect();
        for error in got.iter_mut().filter(|error| error.has_hidden) {
            if let Some(key) = keys.get(error.loose.as_str()) {
                error.key = (*key).to_owned();
            }
        }
    }
    got.sort();
    want.sort();
    let (extra, missing) = (only_in(&got, &want), only_in(&want, &got));
    if extra.is_empty() && missing.is_empty() {
        return None;
    }
    let common = got.len() - extra.len();
    let note = (common > 0).then(|| format!("{common} more that both have"));
    let explained = extra.iter().map(|error| error.sentence.clone()).collect();
    Some(Difference {
        note,
        explained,
        ..Difference::whole(list_of(&shown_texts(&extra)), list_of(&shown_texts(&missing)))
    })
}

fn shown_texts(errors: &[&ErrorText]) -> Vec<String> {
    errors.iter().map(|error| error.shown.clone()).collect()
}

/// What the first of two sorted lists has and the second lacks.
fn only_in<'e>(these: &'e [ErrorText], those: &[ErrorText]) -> Vec<&'e ErrorText> {
    let mut rest = those.iter().map(|error| &error.key).peekable();
    let lacking = |error: &&ErrorText| {
        while rest.next_if(|other| **other < error.key).is_some() {}
        rest.next_if(|other| **other == error.key).is_none()
    };
    these.iter().filter(lacking).collect()
}

fn list_of(texts: &[String]) -> String {
    if texts.is_empty() { "(none)".to_owned() } else { format!("[{}]", texts.join(", ")) }
}

/// JSON with its keys in order and without spaces.
fn normalized(text: &str) -> String {
    difference::sorted(text, false).unwrap_or_else(|error| error.into_message().into_owned())
}
