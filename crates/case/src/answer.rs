//! The engine's answer to a case.

use std::borrow::Cow;
use std::fmt::Display;

use objchange::schema::Block;
use objchange::value::{Path, Type, Value};

/// An error in the engine's answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AnsweredError {
    /// The place of the error.
    pub place: ErrorPlace,
    /// The kind as in cases: a stable name, or the summary of a diagnostic about source text.
    pub kind: Cow<'static, str>,
    /// A sentence for people, with the place and without marked content.
    pub sentence: String,
}

/// The place of an error.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorPlace {
    /// In a value.
    Path(Path),
    /// In a source text: line and column of the start, then of the end.
    Range([u32; 4]),
}

impl AnsweredError {
    /// An error in a value.
    pub fn new(path: &Path, kind: &'static str, error: &impl Display) -> Self {
        Self { place: ErrorPlace::Path(path.clone()), kind: kind.into(), sentence: error.to_string() }
    }

    /// An error in a source text.
    pub fn in_source(range: [u32; 4], summary: Cow<'static, str>, sentence: String) -> Self {
        Self { place: ErrorPlace::Range(range), kind: summary, sentence }
    }
}

/// The engine's answer to a case.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// A value, of this declared type.
    Value(Value, Type),
    /// A type.
    Type(Type),
    /// Errors, in no particular order.
    Errors(Vec<AnsweredError>),
    /// The name of an action.
    Action(&'static str),
    /// Values, of this declared type.
    Values(Vec<Value>, Type),
    /// Lists of names, each under the name of the list.
    Names(Vec<(&'static str, Vec<String>)>),
    /// Texts by name (`text` or `color`), each with the reason if it cannot be made.
    Texts(Vec<(&'static str, Result<String, String>)>),
    /// A planned or applied change: the answer for each named part. Within it, [`Answer::Action`] holds any
    /// single word.
    Change(Vec<(&'static str, Answer)>),
    /// The reason why the engine cannot use the input.
    Refused(String),
}

impl Answer {
    /// The `want` of a case with this answer; `None` if `want` cannot express it.
    ///
    /// Marked content is written in full, as in the case itself: use it for case files, not for reports.
    pub fn want(&self) -> Option<String> {
        self.write(false)
    }

    /// Marks attributes that the schema calls sensitive or write-only, in values of the schema's type.
    ///
    /// ```
    /// use objchange_case::Answer;
    /// use objchange::schema::{Attribute, Block};
    /// use objchange::{Type, Value};
    ///
    /// let block = Block::new([("token", Attribute::optional(Type::String).sensitive())], []);
    /// let object = Answer::Value(Value::object([("token", "x")]), block.implied_type().clone());
    /// assert_eq!(object.mark_hidden(&block).to_json().unwrap(), r#"{"value":{"token":{"$sensitive":"x"}}}"#);
    /// ```
    #[must_use]
    pub fn mark_hidden(self, schema: &Block) -> Self {
        match self {
            Self::Value(value, ty) if ty == *schema.implied_type() => {
                Self::Value(schema.mark_hidden(&value), ty)
            }
            Self::Change(parts) => {
                let parts = parts.into_iter().map(|(name, answer)| (name, answer.mark_hidden(schema)));
                Self::Change(parts.collect())
            }
            other => other,
        }
    }

    /// Like [`want`](Self::want), for programs: each error also has its sentence as `message`.
    ///
    /// Marked content is written in full, with the markers of case files.
    pub fn to_json(&self) -> Option<String> {
        self.write(true)
    }

    fn write(&self, with_sentences: bool) -> Option<String> {
        let json = |value: &Value, ty: &Type| value.to_marker_json(ty).ok();
        Some(match self {
            Self::Value(value, ty) => format!(r#"{{"value":{}}}"#, json(value, ty)?),
            Self::Type(ty) => format!(r#"{{"type":{ty}}}"#),
            Self::Action(action) => format!(r#"{{"action":"{action}"}}"#),
            Self::Values(values, ty) => {
                let values: Option<Vec<String>> = values.iter().map(|value| json(value, ty)).collect();
                format!(r#"{{"values":[{}]}}"#, values?.join(","))
            }
            Self::Errors(errors) => {
                let error = |error: &AnsweredError| {
                    let kind = serde_json::to_string(&error.kind).ok()?;
                    let message = match with_sentences {
                        true => format!(r#","message":{}"#, serde_json::to_string(&error.sentence).ok()?),
                        false => String::new(),
                    };
                    Some(match &error.place {
                        ErrorPlace::Path(path) => {
                            let path = serde_json::to_string(path).ok()?;
                            format!(r#"{{"path":{path},"kind":{kind}{message}}}"#)
                        }
                        ErrorPlace::Range(range) => {
                            format!(r#"{{"range":{range:?},"summary":{kind}{message}}}"#)
                        }
                    })
                };
                let errors: Option<Vec<String>> = errors.iter().map(error).collect();
                format!(r#"{{"errors":[{}]}}"#, errors?.join(","))
            }
            Self::Names(lists) => {
                let list = |(name, names): &(&str, Vec<String>)| {
                    Some(format!(r#""{name}":{}"#, serde_json::to_string(names).ok()?))
                };
                let lists: Option<Vec<String>> = lists.iter().map(list).collect();
                format!("{{{}}}", lists?.join(","))
            }
            Self::Texts(texts) => {
                let text = |(name, text): &(&str, Result<String, String>)| {
                    Some(format!(r#""{name}":{}"#, serde_json::to_string(text.as_ref().ok()?).ok()?))
                };
                let texts: Option<Vec<String>> = texts.iter().map(text).collect();
                format!("{{{}}}", texts?.join(","))
            }
            Self::Change(parts) => {
                let part = |(name, answer): &(&str, Answer)| {
                    let want = answer.write(with_sentences)?;
                    // Within a change, parts are written without the outer `{"value":…}` or `{"errors":…}`.
                    let (_, want) = want.strip_suffix('}')?.split_once(':')?;
                    Some(format!(r#""{name}":{want}"#))
                };
                let parts: Option<Vec<String>> = parts.iter().map(part).collect();
                format!(r#"{{"change":{{{}}}}}"#, parts?.join(","))
            }
            Self::Refused(_) => return None,
        })
    }
}
