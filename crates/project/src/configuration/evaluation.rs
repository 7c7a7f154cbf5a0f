//! Expressions with the variables and local values of a configuration.

use std::collections::BTreeSet;

use objchange::Value;
use objchange::value::WriteError;
use objchange_hcl::{
    Diagnostic, Environment, Expr, Functions, HiddenSource, ModuleConfig, Places, Scope, Sources, Span,
    VariableValues, console_type, evaluate, parse_expression, variables,
};
use objchange_text::{Noted, Notice};
use serde_json::{Value as Json, json};

use super::{Configuration, ConfigurationError, VariableInputs, contains};

/// The kind of the diagnostic about a name that has no value and is not said to be unknown.
pub const NOT_GIVEN: &str = "value_not_given";

/// Settings for evaluating expressions.
#[derive(Debug)]
pub struct Evaluation<'a> {
    /// The files of the configuration.
    pub sources: &'a Sources,
    module: ModuleConfig,
    variables: VariableValues,
    unknown: BTreeSet<String>,
    functions: Functions,
}

impl<'a> Evaluation<'a> {
    /// Evaluates with the values that are given; these names are unknown.
    ///
    /// # Errors
    ///
    /// The configuration or what is given for it cannot be used.
    pub fn new(
        configuration: &'a Configuration,
        given: &VariableInputs<'_>,
        unknown: &[String],
    ) -> Noted<Result<Self, ConfigurationError>> {
        Noted::by(|notices| Self::with_notices(configuration, given, unknown, notices))
    }

    fn with_notices(
        configuration: &'a Configuration,
        given: &VariableInputs<'_>,
        unknown: &[String],
        notices: &mut Vec<Notice>,
    ) -> Result<Self, ConfigurationError> {
        let sources = &configuration.sources;
        let module = configuration.module()?;
        let inputs = given.inputs(configuration, &module).note_in(notices)?;
        let functions = given.functions()?;
        let (variables, errors) = VariableValues::new(&module, sources, &inputs, &functions);
        if !errors.is_empty() {
            let hidden = HiddenSource::new(sources, |_, _| None, []);
            return Err(ConfigurationError::Problems { found: errors, hidden });
        }
        let full = |name: &String| if name.contains('.') { name.clone() } else { format!("var.{name}") };
        let unknown = unknown.iter().map(full).collect();
        Ok(Self { sources, module, variables, unknown, functions })
    }

    /// The value of an expression, or what is wrong: with it, and with what it needs of the file.
    pub fn value(&self, expr: &Expr) -> (Option<Value>, Vec<Diagnostic>, Vec<Diagnostic>) {
        let references = variables(expr);
        let Environment { variables, missing, errors, .. } =
            Environment::new(&self.module, &self.variables, references.iter().cloned(), &[], &self.functions);
        if !errors.is_empty() {
            return (None, Vec::new(), errors);
        }
        let mut missing: BTreeSet<String> =
            missing.into_iter().filter(|name| !contains(&self.unknown, name)).collect();
        let mut found = Vec::new();
        for reference in &references {
            let written = reference.to_string();
            let is_it = |name: &String| contains(&BTreeSet::from([name.clone()]), &written);
            if let Some(name) = missing.iter().find(|name| is_it(name)).cloned() {
                found.push(not_given(&name, reference.whole()));
                missing.remove(&name);
            }
        }
        // Those that only local values need.
        if !missing.is_empty() {
            let hidden = HiddenSource::new(self.sources, |_, _| None, [expr]);
            let names = missing.iter().map(|name| hidden.reference(self.sources, name));
            found.extend(names.map(|name| not_given(&name, expr.span)));
        }
        if !found.is_empty() {
            return (None, found, Vec::new());
        }
        let (value, found) = evaluate(expr, &Scope::new(&variables), &self.functions);
        if found.is_empty() { (Some(value), found, Vec::new()) } else { (None, found, Vec::new()) }
    }
}

fn not_given(name: &str, span: objchange_hcl::Span) -> Diagnostic {
    Diagnostic::new((NOT_GIVEN, "Value not given"), span, format!("{name} has no value."))
}

/// A value of an expression as JSON, or its type alone; or what is wrong with the value.
///
/// # Errors
///
/// JSON has no form for it.
pub fn value_document(value: &Value, is_type: bool, text: &str) -> Result<String, Box<Diagnostic>> {
    if is_type {
        return Ok(json!({"type_text": console_type(value)}).to_string());
    }
    value_json(value).map_err(|error| {
        let whole = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        let detail = match error {
            WriteError::Infinite { .. } => {
                "JSON has no form for the infinite number in this value.".to_owned()
            }
            error => format!("{error}."),
        };
        Box::new(Diagnostic::new("Value without a JSON form", whole, detail))
    })
}

/// The type and the value, in the form of case files without what is marked.
///
/// # Errors
///
/// There is an infinite number in it, for which JSON has no form.
fn value_json(value: &Value) -> Result<String, WriteError> {
    let ty = value.ty();
    let text = value.to_redacted_json(ty)?;
    // The names of attributes may be what is marked.
    let ty = if value.contains_marked() { String::new() } else { format!(r#""type":{ty},"#) };
    Ok(format!(r#"{{{ty}"value":{text}}}"#))
}

/// The errors in an expression, and in the parts of the files that it needs, as JSON.
pub fn errors_document(
    text: &str,
    found: &[Diagnostic],
    sources: &Sources,
    in_file: &[Diagnostic],
) -> String {
    let expression = Sources::from_text("", text).unwrap_or_default();
    let (in_text, in_sources) = (expression.places(), sources.places());
    let hidden_text = HiddenSource::in_expression(text);
    let parsed = parse_expression(text).ok();
    let hidden = match in_file {
        [] => HiddenSource::default(),
        _ => HiddenSource::new(sources, |_, _| None, &parsed),
    };
    let of_text = found
        .iter()
        .map(|error| error_json(&hidden_text.mask(&in_text, error.clone()), "expression", &in_text));
    let of_files = in_file
        .iter()
        .map(|error| error_json(&hidden.mask(&in_sources, error.clone()), "config", &in_sources));
    json!({"errors": of_text.chain(of_files).collect::<Vec<_>>()}).to_string()
}

fn error_json(error: &Diagnostic, source: &str, places: &Places<'_>) -> Json {
    let mut json = json!({
        "kind": error.kind,
        "summary": error.summary,
        "detail": error.detail,
        "source": source,
    });
    if let Some(place) = error.subject.and_then(|subject| places.find(subject)) {
        let (start, end) = (place.start(), place.end());
        json["range"] = json!([start.line, start.column, end.line, end.column]);
        if source == "config" {
            json["file"] = place.name.into();
        }
    }
    json
}
