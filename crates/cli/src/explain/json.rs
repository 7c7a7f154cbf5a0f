//! The explanations for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use objchange_conform::explain::Likeness;
use objchange_text::json;
use serde::Serialize;

use super::{ExplainedMessage, Shown};

#[derive(Serialize)]
struct Page<'m> {
    messages: Vec<Message<'m>>,
}

#[derive(Serialize)]
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

#[derive(Serialize)]
struct Violation<'m> {
    path: &'m str,
    kind: &'static str,
    message: &'m str,
}

#[derive(Serialize)]
struct Advice {
    meaning: &'static str,
    workaround: &'static str,
    cause: &'static str,
    framework: &'static str,
    sdk_v2: &'static str,
    others: &'static str,
}

pub(super) fn write(told: &[ExplainedMessage]) -> io::Result<()> {
    let page = Page { messages: told.iter().map(message).collect() };
    let mut out = io::stdout().lock();
    json::write_pretty(&mut out, &page)?;
    out.flush()
}

fn message(told: &ExplainedMessage) -> Message<'_> {
    let (explained, shown) = (&told.explained, told.shown.as_ref());
    let is_secret = told.is_secret();
    Message {
        summary: &explained.summary,
        clauses: explained.clauses.iter().map(|clause| clause.code()).collect(),
        kind: explained.kind,
        tolerated: explained.tolerated,
        provider: explained.provider.as_deref(),
        version: explained.version.as_deref(),
        call: explained.call.as_deref(),
        frame: explained.frame.as_deref(),
        address: explained.address.as_deref(),
        schema_type: explained.schema_type.as_deref(),
        path: explained.path.as_deref(),
        words: explained.words.as_deref().filter(|_| !is_secret),
        values: match is_secret {
            true => BTreeMap::new(),
            false => explained.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        },
        likeness: explained.likeness.filter(|_| !is_secret).map(Likeness::kind),
        schema: shown.and_then(|shown| shown.schema.as_deref()),
        objects: shown
            .map(|shown| shown.values.iter().map(|(name, value)| (*name, value.as_str())).collect()),
        violations: shown.map(violations),
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

fn violations(shown: &Shown) -> Vec<Violation<'_>> {
    shown.violations.iter().map(|(path, kind, message)| Violation { path, kind, message }).collect()
}
