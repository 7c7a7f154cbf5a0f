//! Errors and warnings as data, in the form of `terraform plan -json`.

use objchange_hcl::FunctionSignature;
use serde::Serialize;
use serde_json::value::RawValue;

use super::printer::{Message, Point, ShownPlace, is_described};
use super::{DiagnosticPrinter, Diagnostics, Severity};

/// An error or a warning as `terraform plan -json` has it.
#[derive(Debug, Serialize)]
struct Json<'d> {
    severity: &'static str,
    summary: &'d str,
    detail: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Snippet<'d>>,
}

#[derive(Debug, Serialize)]
struct Range<'d> {
    filename: &'d str,
    start: At,
    end: At,
}

#[derive(Debug, Serialize)]
struct At {
    line: u32,
    column: u32,
    byte: u32,
}

#[derive(Debug, Serialize)]
struct Snippet<'d> {
    context: Option<&'d str>,
    code: &'d str,
    start_line: u32,
    highlight_start_offset: usize,
    highlight_end_offset: usize,
    values: Vec<Statement<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<Call<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_assertion_expr: Option<Assertion<'d>>,
}

#[derive(Debug, Serialize)]
struct Assertion<'d> {
    lhs: &'d str,
    rhs: &'d str,
    warning: &'static str,
    show_verbose: bool,
}

#[derive(Debug, Serialize)]
struct Statement<'d> {
    traversal: &'d str,
    statement: &'d str,
}

#[derive(Debug, Serialize)]
struct Call<'d> {
    called_as: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Signature<'d>>,
}

#[derive(Debug, Serialize)]
struct Signature<'d> {
    name: &'d str,
    params: Vec<Parameter<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variadic_param: Option<Parameter<'d>>,
    return_type: Option<Box<RawValue>>,
}

#[derive(Debug, Serialize)]
struct Parameter<'d> {
    name: &'d str,
    #[serde(rename = "type")]
    ty: Option<Box<RawValue>>,
}

impl DiagnosticPrinter<'_> {
    /// Returns the messages in the order in which they were found.
    pub(crate) fn json_in_order(&self, diagnostics: &Diagnostics) -> Vec<Box<RawValue>> {
        let messages = diagnostics.iter().map(|one| self.message(one));
        messages.filter_map(|message| serde_json::value::to_raw_value(&json(&message)).ok()).collect()
    }

    /// All of them as `terraform plan -json` has them, one JSON object each.
    pub fn json(&self, diagnostics: &Diagnostics) -> Vec<Box<RawValue>> {
        let messages = self.messages(diagnostics);
        messages.iter().filter_map(|message| serde_json::value::to_raw_value(&json(message)).ok()).collect()
    }
}

fn json<'d>(message: &'d Message<'_>) -> Json<'d> {
    let diagnostic = &message.diagnostic;
    Json {
        severity: match message.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        summary: &diagnostic.summary,
        detail: &diagnostic.detail,
        address: message.address,
        range: message.place.as_ref().map(range),
        snippet: message.place.as_ref().and_then(|place| place.snippet.as_ref()).map(|shown| Snippet {
            context: shown.context.as_deref(),
            code: &shown.source.text,
            start_line: shown.first_line,
            highlight_start_offset: shown.source.subject.start,
            highlight_end_offset: shown.source.subject.end,
            values: diagnostic.values.iter().map(|(name, value)| statement(name, value)).collect(),
            function_call: message.called().map(call),
            test_assertion_expr: message.comparison.map(|comparison| Assertion {
                lhs: &comparison.left,
                rhs: &comparison.right,
                warning: comparison.warning().unwrap_or_default(),
                show_verbose: comparison.is_verbose,
            }),
        }),
    }
}

fn range(place: &ShownPlace) -> Range<'_> {
    let at = |Point { line, column, byte }: Point| At { line, column, byte };
    Range { filename: &place.file, start: at(place.start), end: at(place.end) }
}

fn statement<'d>(traversal: &'d str, statement: &'d str) -> Statement<'d> {
    Statement { traversal, statement }
}

fn call(called: &FunctionSignature) -> Call<'_> {
    let ty = |text: &str| RawValue::from_string(text.to_owned()).ok();
    Call {
        called_as: &called.name,
        signature: is_described(called).then(|| Signature {
            name: called.name.rsplit("::").next().unwrap_or_default(),
            params: called
                .parameters
                .iter()
                .map(|(name, parameter)| Parameter { name, ty: ty(parameter) })
                .collect(),
            variadic_param: called
                .variadic
                .as_ref()
                .map(|(name, parameter)| Parameter { name, ty: ty(parameter) }),
            return_type: ty(&called.result),
        }),
    }
}
