//! Explanations as JSON, for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Evidence, ExplainedMessage, Similarity};

/// Explained messages, in the form of `schema/explain.schema.json`.
#[derive(Debug, Serialize)]
pub struct ExplainDocument<'m> {
    format_version: &'static str,
    messages: Vec<Message<'m>>,
}

#[derive(Debug, Serialize)]
struct Message<'m> {
    summary: &'m str,
    clauses: Vec<&'static str>,
    kind: Option<&'static str>,
    tolerated: bool,
    provider: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<&'m str>,
    address: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_type: Option<&'m str>,
    path: Option<&'m str>,
    words: Option<&'m str>,
    values: BTreeMap<&'m str, &'m str>,
    likeness: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objects: Option<BTreeMap<&'static str, &'m str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<Vec<Violation<'m>>>,
    advice: Option<Advice>,
}

#[derive(Debug, Serialize)]
struct Violation<'m> {
    path: &'m str,
    kind: &'static str,
    message: &'m str,
}

#[derive(Debug, Serialize)]
struct Advice {
    meaning: &'static str,
    workaround: &'static str,
    cause: &'static str,
    framework: &'static str,
    sdk_v2: &'static str,
    others: &'static str,
}

impl<'m> ExplainDocument<'m> {
    /// A document with these messages.
    pub fn new(messages: &'m [ExplainedMessage]) -> Self {
        Self { format_version: "1.0", messages: messages.iter().map(message).collect() }
    }
}

fn message(message: &ExplainedMessage) -> Message<'_> {
    let (explained, evidence) = (&message.explained, message.evidence.as_ref());
    let is_secret = message.is_secret();
    Message {
        summary: message.summary(),
        clauses: explained.clauses.iter().map(|clause| clause.code()).collect(),
        kind: explained.kind,
        tolerated: explained.tolerated,
        provider: explained.provider.as_deref(),
        version: explained.version.as_deref(),
        call: explained.call.as_deref(),
        frame: explained.frame.as_deref(),
        address: explained.address.as_deref(),
        schema_type: explained.schema_type.as_deref(),
        path: message.path(),
        words: explained.words.as_deref().filter(|_| !is_secret),
        values: match is_secret {
            true => BTreeMap::new(),
            false => explained.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        },
        likeness: explained.similarity.filter(|_| !is_secret).map(Similarity::kind),
        schema: evidence.and_then(|evidence| evidence.schema.as_deref()),
        objects: evidence
            .map(|evidence| evidence.values.iter().map(|(name, value)| (*name, value.as_str())).collect()),
        violations: evidence.map(violations),
        advice: explained.advice().map(|advice| Advice {
            meaning: advice.meaning,
            workaround: advice.workaround,
            cause: advice.cause,
            framework: advice.framework,
            sdk_v2: advice.sdk_v2,
            others: advice.others,
        }),
    }
}

fn violations(evidence: &Evidence) -> Vec<Violation<'_>> {
    evidence.violations.iter().map(|(path, kind, message)| Violation { path, kind, message }).collect()
}
