//! Why something in a module is as it is, as it is printed.

use objchange_text::{visible, visible_json};
use serde::Serialize;

use crate::DiagnosticPrinter;
use crate::plan::{Explanation, ExplanationStep};

/// An explanation, without secrets.
#[derive(Debug, Serialize)]
pub struct ExplanationReport<'e> {
    format_version: &'static str,
    address: &'e str,
    steps: Vec<ExplainedStep<'e>>,
}

/// A step as JSON.
#[derive(Debug, Serialize)]
struct ExplainedStep<'s> {
    depth: usize,
    address: &'s str,
    what: &'s str,
    why: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

impl<'s> ExplainedStep<'s> {
    fn new(step: &'s ExplanationStep, shown: &DiagnosticPrinter<'_>) -> Self {
        let place = step.span.and_then(|span| shown.line(span));
        let (mut file, mut line, mut column, mut source) = Default::default();
        if let Some(place) = place {
            (file, line, column, source) =
                (Some(place.file), Some(place.line), Some(place.column), place.text);
        }
        Self {
            depth: step.depth,
            address: &step.address,
            what: step.what,
            why: &step.why,
            file,
            line,
            column,
            source,
        }
    }

    fn text(&self) -> String {
        let indent = "  ".repeat(self.depth);
        let mut text = format!("{indent}{}: {} ({})\n", visible(self.address), self.what, visible(self.why));
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            let source = self.source.as_deref().unwrap_or_default();
            text.push_str(&format!("{indent}    {}:{line}: {}\n", visible(file), visible(source)));
        }
        text
    }
}

impl<'e> ExplanationReport<'e> {
    /// The report of what explains this address.
    pub fn new(address: &'e str, explanation: &'e Explanation, shown: &DiagnosticPrinter<'_>) -> Self {
        Self {
            format_version: "1.0",
            address,
            steps: explanation.steps.iter().map(|step| ExplainedStep::new(step, shown)).collect(),
        }
    }

    /// As people read it.
    pub fn text(&self) -> String {
        self.steps.iter().map(ExplainedStep::text).collect()
    }

    /// As JSON, in a line.
    pub fn json(&self) -> String {
        // Writing to a string does not fail.
        visible_json(&serde_json::to_string(self).unwrap_or_default()) + "\n"
    }
}
