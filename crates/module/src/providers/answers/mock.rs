//! Answers in the syntax of Terraform's mocks: `*.tfmock.hcl`.

use objchange::Value;
use objchange::address::Mode;
use objchange_hcl::{
    Attribute, Block, Body, Diagnostic, Functions, HiddenSource, Scope, Span, Variables, evaluate, parse_body,
};
use objchange_text::json::place;

use super::{Answer, AnswerError, Answers, is_key_of};

impl Answers {
    /// Reads a file of mocks: `mock_resource` and `mock_data` blocks with `defaults`, `override_resource` and `override_data`
    /// blocks with `target` and `values`, as they are or in a `mock_provider` block. When they count (`override_during`) is
    /// of no interest here.
    ///
    /// # Errors
    ///
    /// The text is not of this form, or a value is not constant.
    pub fn parse_mock(text: &str) -> Result<Self, AnswerError> {
        let body = parse_body(text).map_err(|errors| {
            let first = errors.into_iter().next().map(|error| HiddenSource::mask_all_of(text, error));
            let (at, detail) = first.map(|error| (offset(&error), error.detail)).unwrap_or_default();
            AnswerError::new(text, at, detail)
        })?;
        let mut answers = Self::default();
        answers.add(text, &body)?;
        Ok(answers)
    }

    fn add(&mut self, text: &str, body: &Body) -> Result<(), AnswerError> {
        let error = |span: Span, message: String| Err(AnswerError::new(text, span.start as usize, message));
        for block in &body.blocks {
            let entries = match block.kind.as_str() {
                "mock_provider" => {
                    self.add(text, &block.body)?;
                    continue;
                }
                "mock_resource" | "override_resource" => &mut self.resources,
                "mock_data" | "override_data" => &mut self.data,
                "override_module" => {
                    let message = "outputs of a module cannot be answered: answer for what they are made of";
                    return error(block.kind_span, message.to_owned());
                }
                other => return error(block.kind_span, format!("there are no answers called {other:?}")),
            };
            let mode = if block.kind.ends_with("data") { Mode::Data } else { Mode::Managed };
            let (key, values) = if block.kind.starts_with("mock") {
                match block.labels.as_slice() {
                    [label] => (label.text.to_string(), "defaults"),
                    _ => return error(block.kind_span, format!("{} has one label: a type", block.kind)),
                }
            } else {
                let Some(target) = find(block, "target") else {
                    return error(block.kind_span, format!("{} needs a target", block.kind));
                };
                (text.get(target.expr.span.range()).unwrap_or_default().trim().to_owned(), "values")
            };
            let has_dot = key.contains('.');
            if !is_key_of(&key, mode) || has_dot != (values == "values") {
                return error(block.kind_span, format!("{key:?} is not what {} is for", block.kind));
            }
            let (value, at) = match find(block, values) {
                Some(attribute) => (constant(text, attribute)?, attribute.expr.span),
                None => (Value::object::<&str, Value>([]), block.kind_span),
            };
            if value.as_object().is_none() {
                return error(at, format!("{values} is an object of attributes"));
            }
            let (line, column) = place(text, at.start as usize);
            entries.insert(key, Answer { value, line, column });
        }
        Ok(())
    }
}

fn find<'b>(block: &'b Block, name: &str) -> Option<&'b Attribute> {
    block.body.attributes.iter().find(|attribute| attribute.name == name)
}

fn constant(text: &str, attribute: &Attribute) -> Result<Value, AnswerError> {
    let variables = Variables::default();
    let (value, errors) = evaluate(&attribute.expr, &Scope::new(&variables), Functions::pure());
    match errors.into_iter().next() {
        Some(error) => {
            let error = HiddenSource::mask_all_of(text, error);
            Err(AnswerError::new(text, offset(&error), error.detail))
        }
        None => Ok(value),
    }
}

fn offset(error: &Diagnostic) -> usize {
    error.subject.map_or(0, |span| span.start as usize)
}
