//! Comparing an answer with the wanted one.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Answer, Case, CaseError, Outcome};
use crate::value::{Path, PathStep, Type, Value, message_of};

/// How an answer differs from the wanted one: where, and what each says there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The first part that differs; the root where the answers differ as a whole.
    pub path: Path,
    /// What the engine answered, as a case file would write it.
    pub got: String,
    /// What the case wants.
    pub want: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Want<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    #[serde(default, rename = "type")]
    ty: Option<Type>,
    #[serde(borrow, default)]
    errors: Option<Vec<WantedError<'a>>>,
    #[serde(default)]
    action: Option<String>,
    #[serde(borrow, default)]
    values: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    panic: bool,
}

/// A wanted null is there, other than one that is missing.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
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
    Index(&'a RawValue),
}

pub(super) fn compare(case: &Case<'_>, answer: &Answer) -> Outcome {
    match compared(case, answer) {
        Ok(None) => Outcome::Passed,
        Ok(Some(difference)) => Outcome::Failed(difference),
        Err(error) => Outcome::Unusable(error),
    }
}

fn compared(case: &Case<'_>, answer: &Answer) -> Result<Option<Difference>, CaseError> {
    let text = case.field("want")?;
    let want: Want<'_> = serde_json::from_str(text).map_err(|e| CaseError::from_json(Some("want"), &e))?;
    if want.panic {
        // Where the reference crashes, an error is right, and so is the ordinary answer.
        return Ok(None);
    }
    let differs = |got: String| Ok(Some(Difference { path: Path::root(), got, want: text.to_owned() }));
    let read = |raw: &RawValue, ty: &Type| {
        Value::from_marker_json(raw.get(), ty).map_err(|e| CaseError::from_value("want", &e))
    };
    match (answer, want) {
        (Answer::Value(got, ty), Want { value: Some(raw), .. }) => {
            Ok(value_difference(got, &read(raw, ty)?, ty))
        }
        (Answer::Type(got), Want { ty: Some(want), .. }) => {
            if *got == want {
                Ok(None)
            } else {
                differs(got.to_string())
            }
        }
        (Answer::Action(got), Want { action: Some(want), .. }) => {
            if *got == want {
                Ok(None)
            } else {
                differs((*got).to_owned())
            }
        }
        (Answer::Values(got, ty), Want { values: Some(raws), .. }) => {
            let want = raws.into_iter().map(|raw| read(raw, ty)).collect::<Result<Vec<_>, _>>()?;
            let list = |values: &[Value]| Value::tuple(values.iter().cloned());
            Ok(value_difference(&list(got), &list(&want), list(got).ty()))
        }
        (Answer::Errors(got), Want { errors: Some(want), .. }) => {
            let mut got: Vec<String> = got.iter().map(|(path, kind)| error_key(path, kind)).collect();
            let mut want: Vec<String> = want.iter().map(wanted_key).collect::<Result<_, _>>()?;
            got.sort();
            want.sort();
            if got == want {
                return Ok(None);
            }
            let join = |keys: &[String]| format!("[{}]", keys.join(", "));
            Ok(Some(Difference { path: Path::root(), got: join(&got), want: join(&want) }))
        }
        (Answer::Refused(message), _) => differs(format!("refused: {message}")),
        (Answer::Value(got, ty), _) => differs(as_text(got, ty)),
        (Answer::Errors(got), _) => {
            let keys: Vec<String> = got.iter().map(|(path, kind)| error_key(path, kind)).collect();
            differs(format!("[{}]", keys.join(", ")))
        }
        (other, _) => differs(format!("{other:?}")),
    }
}

/// The first part, from the root down, at which two values are not identical.
fn value_difference(got: &Value, want: &Value, ty: &Type) -> Option<Difference> {
    if got.identical(want) {
        return None;
    }
    let (path, got, want) = first_difference(got, want, Path::root());
    let declared = if path.is_root() { ty } else { &Type::Dynamic };
    Some(Difference { path, got: as_text(got, declared), want: as_text(want, declared) })
}

fn first_difference<'v>(got: &'v Value, want: &'v Value, path: Path) -> (Path, &'v Value, &'v Value) {
    if got.marks() == want.marks() && got.len() == want.len() {
        let differing = match (got.as_object(), want.as_object(), got.as_map(), want.as_map()) {
            (Some(a), Some(b), ..) => a.iter().find_map(|(name, g)| {
                b.get(name).filter(|w| !g.identical(w)).map(|w| (path.clone().attribute(name.clone()), g, w))
            }),
            (_, _, Some(a), Some(b)) => a.iter().find_map(|(key, g)| {
                b.get(key).filter(|w| !g.identical(w)).map(|w| (path.clone().index(key.as_str()), g, w))
            }),
            _ => match (got.as_elements(), want.as_elements()) {
                (Some(a), Some(b)) => std::iter::zip(a, b)
                    .enumerate()
                    .find(|(_, (g, w))| !g.identical(w))
                    .map(|(i, (g, w))| (path.clone().index(i), g, w)),
                _ => None,
            },
        };
        if let Some((path, got, want)) = differing {
            return first_difference(got, want, path);
        }
    }
    (path, got, want)
}

fn as_text(value: &Value, declared: &Type) -> String {
    value.to_marker_json(declared).unwrap_or_else(|_| value.to_string())
}

/// A path and a kind as one text in which equal errors are equal.
fn error_key(path: &Path, kind: &str) -> String {
    let mut key = String::new();
    for step in path.steps() {
        match step {
            PathStep::Attribute(name) => key.push_str(&format!(".{name}")),
            PathStep::Index(value) => {
                let plain = value.unmark_deep().0;
                let text = plain.to_marker_json(plain.ty()).unwrap_or_default();
                key.push_str(&format!("[{}]", normalized(&text)));
            }
        }
    }
    format!("{key}: {kind}")
}

fn wanted_key(error: &WantedError<'_>) -> Result<String, CaseError> {
    let mut key = String::new();
    for step in &error.path {
        match step {
            WantedStep::Attr(name) => key.push_str(&format!(".{name}")),
            WantedStep::Index(raw) => key.push_str(&format!("[{}]", normalized(raw.get()))),
        }
    }
    Ok(format!("{key}: {}", error.kind))
}

/// JSON with its keys in order and without spaces.
fn normalized(text: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => value.to_string(),
        Err(e) => message_of(&e),
    }
}
