//! Comparing an answer with the wanted one.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Answer, AnsweredError, Case, CaseError, Difference, ErrorPlace, Outcome, difference};
use objchange::value::{Path, PathStep, Type, Value};
use objchange_text::json::{self, RawPart};
use objchange_text::redact::SENSITIVE;
use objchange_text::visible;

// A misspelt field must not make a case check less than it says, so unknown ones are errors.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Want<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<RawPart<'a>>,
    #[serde(default, rename = "type")]
    ty: Option<Type>,
    /// Unparsed, because the form of an error depends on where it is: in a value or in a source text.
    #[serde(borrow, default)]
    errors: Option<Vec<RawPart<'a>>>,
    #[serde(default)]
    action: Option<String>,
    #[serde(borrow, default)]
    values: Option<Vec<RawPart<'a>>>,
    /// The parts of a change that matter to the case.
    #[serde(borrow, default)]
    change: Option<BTreeMap<String, RawPart<'a>>>,
    #[serde(default)]
    for_each: Option<Vec<String>>,
    #[serde(default)]
    all: Option<Vec<String>>,
    #[serde(default)]
    decode: Option<Vec<String>>,
    #[serde(default)]
    block: Option<Vec<String>>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    color: Option<String>,
    #[serde(default)]
    panic: bool,
}

impl Want<'_> {
    fn is_empty(&self) -> bool {
        let Self { value, ty, errors, action, values, change, text, color, panic, .. } = self;
        let has_some =
            value.is_some() || ty.is_some() || errors.is_some() || action.is_some() || values.is_some();
        let has_names = NAMES.iter().any(|name| self.names(name).is_some());
        !has_some && !has_names && change.is_none() && text.is_none() && color.is_none() && !panic
    }

    /// The wanted list of this name.
    fn names(&self, name: &str) -> Option<&Vec<String>> {
        match name {
            "for_each" => self.for_each.as_ref(),
            "all" => self.all.as_ref(),
            "decode" => self.decode.as_ref(),
            "block" => self.block.as_ref(),
            _ => None,
        }
    }

    /// The wanted answer as text, for an answer of another sort.
    fn described(&self, case: &Case<'_>) -> Result<String, CaseError> {
        Ok(match self {
            Self { errors: Some(errors), .. } => {
                let texts = wanted_texts(case, errors, false)?;
                format!("errors {}", list_of(texts.into_iter().map(|error| error.shown)))
            }
            Self { value: None, ty: Some(ty), .. } => format!(r#"{{"type":{ty}}}"#),
            Self { action: Some(action), .. } => format!(r#"{{"action":"{action}"}}"#),
            Self { change: Some(_), .. } => "a change".to_owned(),
            Self { text: Some(_), .. } | Self { color: Some(_), .. } => "a text".to_owned(),
            Self { value: None, .. } => "lists of names".to_owned(),
            _ => "a value".to_owned(),
        })
    }
}

/// The lists of names that a case can want.
const NAMES: [&str; 4] = ["for_each", "all", "decode", "block"];

/// A wanted null counts, and a missing field does not.
pub(super) fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<RawPart<'de>>, D::Error> {
    RawPart::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedError<'a> {
    #[serde(borrow)]
    path: Vec<WantedStep<'a>>,
    kind: String,
}

/// An error in a source text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedInSource {
    range: [u32; 4],
    summary: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum WantedStep<'a> {
    Attr(String),
    #[serde(borrow)]
    Index(RawPart<'a>),
}

pub(super) fn compare(case: &Case<'_>, answer: &Answer) -> Outcome {
    match compared(case, answer) {
        Ok(None) => Outcome::Passed,
        Ok(Some(difference)) => Outcome::Failed(difference),
        Err(error) => Outcome::Unusable(error),
    }
}

/// The value as a case can write it: a null or an unknown of a partly dynamic type loses its own type.
fn as_written(value: &Value, ty: &Type) -> Option<Value> {
    if !ty.has_dynamic() {
        return None;
    }
    Value::from_marker_json(&value.to_marker_json(ty).ok()?, ty).ok()
}

/// The value as a difference may show it, with marks on values that the case's schema calls sensitive.
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
        // If the reference crashes, both an error and an ordinary answer are right.
        return Ok(None);
    }
    if want.is_empty() {
        return Err(case.wrong_field(
            "want",
            "it needs one of `value`, `values`, `type`, `errors`, `action`, `change`, `text`, `color` and `panic`, or lists of names",
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
            if let Some(difference) = against(case, part, wanted_part(case, part, *raw)?)? {
                let note = difference.note.map(|note| format!("; {note}")).unwrap_or_default();
                return Ok(Some(Difference { note: Some(format!("{name}{note}")), ..difference }));
            }
        }
        return Ok(None);
    }
    against(case, answer, want)
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

/// The wanted part of a change, in the form of the answer for that part.
fn wanted_part<'a>(case: &Case<'a>, part: &Answer, raw: RawPart<'a>) -> Result<Want<'a>, CaseError> {
    let text = raw.0;
    let wrong = |error| case.wrong_json("want", text, error);
    let none = Want::default();
    Ok(match part {
        Answer::Errors(_) => Want { errors: Some(json::from_str(text).map_err(wrong)?), ..none },
        Answer::Action(_) => Want { action: Some(text.trim_matches('"').to_owned()), ..none },
        _ => Want { value: Some(raw), ..none },
    })
}

/// The difference between an answer and the wanted one.
fn against<'a>(case: &Case<'a>, answer: &Answer, want: Want<'a>) -> Result<Option<Difference>, CaseError> {
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
            // A step that we make a marked key, the reference may write as an attribute.
            let is_marked = |step: &PathStep| matches!(step, PathStep::Index(key) if key.is_marked());
            let loose = got.iter().any(|error| match &error.place {
                ErrorPlace::Path(path) => path.steps().iter().any(is_marked),
                ErrorPlace::Range(_) => false,
            });
            errors_difference(
                got.iter().map(|error| error_text(error, loose)).collect(),
                wanted_texts(case, &want, loose)?,
            )
        }
        (Answer::Names(got), want) if got.iter().any(|(name, _)| want.names(name).is_some()) => {
            got.iter().find_map(|(name, got)| {
                let want = want.names(name)?;
                let text = |names: &[String]| list_of(names.iter().map(|name| visible(name).into_owned()));
                let note = Some(format!("`{name}`"));
                (got != want).then(|| Difference { note, ..Difference::whole(text(got), text(want)) })
            })
        }
        (answer, want) => {
            let explained = match answer {
                Answer::Errors(errors) => errors.iter().map(|error| error.sentence.clone()).collect(),
                _ => Vec::new(),
            };
            let texts = Difference::whole(answer_text(case, answer), want.described(case)?);
            Some(Difference { explained, ..texts })
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
            format!("errors {}", list_of(errors.iter().map(|error| error_text(error, false).shown)))
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
        Answer::Names(lists) => {
            let names: Vec<&str> = lists.iter().map(|(name, _)| *name).collect();
            format!("lists of names: {}", names.join(", "))
        }
        Answer::Texts(texts) => {
            let names: Vec<&str> = texts.iter().map(|(name, _)| *name).collect();
            format!("a text: {}", names.join(", "))
        }
        Answer::Refused(message) => format!("refused: {message}"),
    }
}

/// An error as text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ErrorText {
    /// Text to compare: equal errors have equal keys. Holds the path with all its keys, and the kind.
    key: String,
    /// As it may be shown.
    shown: String,
    /// The engine's sentence about the error; empty if there is none.
    sentence: String,
}

impl ErrorText {
    /// An error in a part of a source text.
    fn in_source(range: [u32; 4], summary: &str) -> Self {
        let [line, column, to_line, to_column] = range;
        let key = format!("{line}:{column}-{to_line}:{to_column}: {}", visible(summary));
        Self { shown: key.clone(), key, sentence: String::new() }
    }

    /// An error at a path. `steps` are the texts of the path's steps to compare; the path itself is shown.
    fn new(path: &Path, steps: impl Iterator<Item = String>, kind: &str) -> Self {
        let text = |path: String| if path.is_empty() { kind.to_owned() } else { format!("{path}: {kind}") };
        Self { key: text(steps.collect()), shown: text(path.to_string()), sentence: String::new() }
    }
}

/// The step to an attribute; `loose` makes it equal to the one to an element of a map.
fn attribute_text(name: &str, loose: bool) -> String {
    if loose { element_text(&serde_json::Value::from(name).to_string()) } else { format!(".{name}") }
}

fn element_text(json: &str) -> String {
    format!("[{}]", normalized(json))
}

fn error_text(error: &AnsweredError, loose: bool) -> ErrorText {
    let sentence = error.sentence.clone();
    let path = match &error.place {
        ErrorPlace::Path(path) => path,
        ErrorPlace::Range(range) => {
            return ErrorText { sentence, ..ErrorText::in_source(*range, &error.kind) };
        }
    };
    let steps = path.steps().iter().map(|step| match step {
        PathStep::Attribute(name) => attribute_text(name, loose),
        PathStep::Index(key) => {
            let key = key.unmark_deep().0;
            element_text(&key.to_marker_json(key.ty()).unwrap_or_default())
        }
    });
    ErrorText { sentence, ..ErrorText::new(path, steps, &error.kind) }
}

fn wanted_texts(case: &Case<'_>, errors: &[RawPart<'_>], loose: bool) -> Result<Vec<ErrorText>, CaseError> {
    let schema = case.schema().ok();
    // Which marked values a path leads through is not known here, so all keys are hidden where there are any.
    let shown = |path: Path| match (&schema, case.has_marks()) {
        (Some(schema), true) => schema.hide_keys_below(&path, 0),
        (None, true) => without_keys(&path),
        (Some(schema), false) => schema.hide_keys(&path),
        (None, false) => path,
    };
    let wanted = |error: &RawPart<'_>| {
        if let Ok(WantedInSource { range, summary }) = json::from_str(error.0) {
            return Ok(ErrorText::in_source(range, &summary));
        }
        let error = json::from_str(error.0).map_err(|e| case.wrong_json("want", error.0, e))?;
        Ok(wanted_text(&shown, &error, loose))
    };
    errors.iter().map(wanted).collect()
}

/// The path with all names and keys marked, for values without a schema: a name may be a key there.
fn without_keys(path: &Path) -> Path {
    let hidden = |step: &PathStep| match step {
        PathStep::Attribute(name) => PathStep::Index(Value::from(name.clone()).sensitive()),
        PathStep::Index(key) => PathStep::Index(key.clone().sensitive()),
    };
    path.steps().iter().map(hidden).collect()
}

fn wanted_text(shown: &dyn Fn(Path) -> Path, error: &WantedError<'_>, loose: bool) -> ErrorText {
    let plain = |step: &WantedStep<'_>| match step {
        WantedStep::Attr(name) => PathStep::Attribute(name.as_str().into()),
        WantedStep::Index(raw) => {
            let text = json::from_str::<String>(raw.0).map(Value::from).ok();
            let key = text.or_else(|| Value::from_json(raw.0, &Type::Number).ok());
            // An element of a set is not shown.
            PathStep::Index(key.unwrap_or_else(|| Value::null(Type::Dynamic)))
        }
    };
    let path = shown(error.path.iter().map(plain).collect());
    let steps = error.path.iter().map(|step| match step {
        WantedStep::Attr(name) => attribute_text(name, loose),
        WantedStep::Index(raw) => element_text(raw.0),
    });
    ErrorText::new(&path, steps, &error.kind)
}

/// The differences between two multisets of errors, in both directions.
fn errors_difference(mut got: Vec<ErrorText>, mut want: Vec<ErrorText>) -> Option<Difference> {
    got.sort();
    want.sort();
    let (extra, missing) = (only_in(&got, &want), only_in(&want, &got));
    if extra.is_empty() && missing.is_empty() {
        return None;
    }
    let common = got.len() - extra.len();
    let note = (common > 0).then(|| format!("{common} more that both have"));
    let explained = extra.iter().map(|error| error.sentence.clone()).collect();
    Some(Difference { note, explained, ..Difference::whole(shown_texts(&extra), shown_texts(&missing)) })
}

fn shown_texts(errors: &[&ErrorText]) -> String {
    list_of(errors.iter().map(|error| error.shown.clone()))
}

/// The elements of the first of two sorted lists that the second lacks.
fn only_in<'e>(these: &'e [ErrorText], those: &[ErrorText]) -> Vec<&'e ErrorText> {
    let mut rest = those.iter().map(|error| &error.key).peekable();
    let lacking = |error: &&ErrorText| {
        while rest.next_if(|other| **other < error.key).is_some() {}
        rest.next_if(|other| **other == error.key).is_none()
    };
    these.iter().filter(lacking).collect()
}

fn list_of(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { "(none)".to_owned() } else { format!("[{}]", texts.join(", ")) }
}

/// JSON with its keys in order and without spaces.
fn normalized(text: &str) -> String {
    difference::sorted(text).unwrap_or_else(|error| error.into_message().into_owned())
}
