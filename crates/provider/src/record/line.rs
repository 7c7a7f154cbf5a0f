//! One line of a recording.

use objchange::change::{DeferredReason, Diagnostic, Severity};
use objchange::schema::Block;
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_case::Case;
use objchange_text::bounded_to;
use serde_json::value::{RawValue, to_raw_value};

use crate::cases::OPERATIONS;
use crate::document::block_json;
use crate::mask::{Masks, marks};

/// The most diagnostics of one severity that are kept.
const MAX_TEXTS: usize = 1_000;

/// The most that is kept of the text of one, in bytes.
const MAX_TEXT: usize = 64 << 10;

/// The fields of a line, in their order.
pub(super) struct Line {
    fields: Vec<(&'static str, Box<RawValue>)>,
    answer: Vec<(&'static str, Box<RawValue>)>,
}

impl Line {
    pub(super) fn new(op: &'static str) -> Self {
        let mut line = Self { fields: Vec::new(), answer: Vec::new() };
        line.text_field("op", op);
        line
    }

    /// A line about a component with a schema.
    pub(super) fn about(op: &'static str, type_name: &str, block: &Block) -> Self {
        let mut line = Self::new(op);
        line.text_field("type", type_name);
        line.fields.push(("schema", block_json(block)));
        line
    }

    pub(super) fn text_field(&mut self, name: &'static str, text: &str) {
        push(&mut self.fields, name, to_raw_value(text).ok());
    }

    pub(super) fn number(&mut self, name: &'static str, number: i64) {
        push(&mut self.fields, name, to_raw_value(&number).ok());
    }

    pub(super) fn flag(&mut self, name: &'static str, flag: bool) {
        if flag {
            push(&mut self.fields, name, to_raw_value(&flag).ok());
        }
    }

    pub(super) fn object(&mut self, name: &'static str, block: &Block, value: &Value, masks: &mut Masks) {
        push(&mut self.fields, name, written(block, value, masks));
    }

    /// An object of the answer. One that is not of the schema's type cannot be written.
    pub(super) fn answer_object(
        &mut self,
        name: &'static str,
        block: &Block,
        value: &Value,
        masks: &mut Masks,
    ) {
        match written(block, value, masks) {
            Some(json) => self.answer.push((name, json)),
            None => self.failed("wrong_value"),
        }
    }

    pub(super) fn answer_flag(&mut self, name: &'static str, flag: bool) {
        if flag {
            push(&mut self.answer, name, to_raw_value(&flag).ok());
        }
    }

    pub(super) fn answer_paths(&mut self, name: &'static str, paths: &[Path], masks: &mut Masks) {
        if !paths.is_empty() {
            let paths: Vec<Path> = paths.iter().map(|path| masks.path(path)).collect();
            push(&mut self.answer, name, to_raw_value(&paths).ok());
        }
    }

    pub(super) fn deferred(&mut self, reason: Option<DeferredReason>) {
        if let Some(reason) = reason {
            push(&mut self.answer, "deferred", to_raw_value(reason.kind()).ok());
        }
    }

    pub(super) fn diagnostics(&mut self, diagnostics: &[Diagnostic], masks: &Masks) {
        for (name, severity) in [("errors", Severity::Error), ("warnings", Severity::Warning)] {
            let of_it = diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
            let texts: Vec<String> = of_it
                .take(MAX_TEXTS)
                .map(|diagnostic| bounded_to(&masks.text(&said(diagnostic)), MAX_TEXT).into_owned())
                .collect();
            if !texts.is_empty() {
                push(&mut self.answer, name, to_raw_value(&texts).ok());
            }
        }
    }

    /// Records a call without an answer, with the kind of the error.
    pub(super) fn failed(&mut self, kind: &str) {
        self.answer.retain(|(name, _)| *name != "failed");
        push(&mut self.answer, "failed", to_raw_value(kind).ok());
    }

    /// The line, with the current verdict.
    pub(super) fn text(&self) -> String {
        let fields = join(&self.fields);
        let text = format!("{{{fields},\"answer\":{{{}}}}}", join(&self.answer));
        let answer = Case::parse(&text).and_then(|case| case.answer_by(OPERATIONS));
        let want = answer.ok().flatten().and_then(|answer| answer.want());
        match want {
            Some(want) => format!("{},\"want\":{want}}}", &text[..text.len() - 1]),
            // An answer that cannot be judged is still recorded.
            None => text,
        }
    }
}

fn said(diagnostic: &Diagnostic) -> String {
    match diagnostic.detail.as_str() {
        "" => diagnostic.summary.clone(),
        detail => format!("{}: {detail}", diagnostic.summary),
    }
}

fn push(to: &mut Vec<(&'static str, Box<RawValue>)>, name: &'static str, json: Option<Box<RawValue>>) {
    if let Some(json) = json {
        to.push((name, json));
    }
}

fn join(fields: &[(&'static str, Box<RawValue>)]) -> String {
    fields.iter().map(|(name, json)| format!("\"{name}\":{json}")).collect::<Vec<_>>().join(",")
}

/// A value in the form of case files, with stand-ins for its secrets, which stay marked.
fn written(block: &Block, value: &Value, masks: &mut Masks) -> Option<Box<RawValue>> {
    let hidden = marks(block, value);
    let masked = masks.object(block, value);
    let hidden: Vec<_> = hidden.into_iter().map(|(path, marks)| (masks.path(&path), marks)).collect();
    let ty: &Type = block.implied_type();
    let json = masked.mark_where_present(&hidden).to_marker_json(ty).ok()?;
    RawValue::from_string(json).ok()
}
