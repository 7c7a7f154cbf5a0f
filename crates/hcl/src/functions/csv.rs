//! CSV, as strict as Go reads it: a quote is an error where it does not belong. (The `csv` crate reads such text.)

use objchange::{Type, Value};
use smol_str::SmolStr;

use super::{Answer, string, text};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let decode = Function::typed_by([string("str")], row_types, |a, ty| decode(text(a, 0), ty));
    functions.insert("csvdecode", decode.nullable());
}

fn row_types(arguments: &[Value]) -> Result<Type, FunctionError> {
    let Some(text) = arguments[0].as_str() else { return Ok(Type::Dynamic) };
    let names =
        Records { rest: text }.next().ok_or(FunctionError::new("there is no line of column names"))??;
    let row = Type::object(names.iter().map(|name| (name.clone(), Type::String)));
    match row.as_object().is_some_and(|row| row.attributes().len() == names.len()) {
        true => Ok(Type::list(row)),
        false => Err(FunctionError::new("a column name stands there twice")),
    }
}

fn decode(text: &str, ty: &Type) -> Answer {
    let mut records = Records { rest: text };
    let names = records.next().unwrap_or(Ok(Vec::new()))?;
    let mut rows = Vec::new();
    for (i, record) in records.enumerate() {
        let record = record?;
        if record.len() != names.len() {
            let message = format!("row {} has {} fields, not {}", i + 1, record.len(), names.len());
            return Err(FunctionError::new(message));
        }
        rows.push(Value::object(std::iter::zip(names.iter().cloned(), record)));
    }
    Ok(Value::list(ty.element().cloned().unwrap_or(Type::Dynamic), rows)?)
}

/// The records of a text; empty lines are none.
struct Records<'t> {
    rest: &'t str,
}

impl Iterator for Records<'_> {
    type Item = Result<Vec<SmolStr>, FunctionError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(rest) = self.rest.strip_prefix('\n').or(self.rest.strip_prefix("\r\n")) {
            self.rest = rest;
        }
        (!self.rest.is_empty()).then(|| self.record())
    }
}

impl Records<'_> {
    fn record(&mut self) -> Result<Vec<SmolStr>, FunctionError> {
        let mut fields = Vec::new();
        loop {
            let field = match self.rest.strip_prefix('"') {
                Some(rest) => {
                    self.rest = rest;
                    self.quoted()?
                }
                None => self.plain()?,
            };
            // All text is in normal form.
            fields.push(SmolStr::new(Value::from(field).as_str().unwrap_or_default()));
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest,
                None => {
                    self.rest = self.rest.strip_prefix('\n').unwrap_or(self.rest);
                    return Ok(fields);
                }
            }
        }
    }

    /// A field up to a comma or a line end, which `\r\n` is as well.
    fn plain(&mut self) -> Result<String, FunctionError> {
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        self.rest = rest;
        let at_line_end = !rest.starts_with(',');
        let field = field.strip_suffix('\r').filter(|_| at_line_end).unwrap_or(field);
        match field.contains('"') {
            true => Err(FunctionError::new("a field that has quotes must be in quotes")),
            false => Ok(field.to_owned()),
        }
    }

    /// A field behind its opening quote.
    fn quoted(&mut self) -> Result<String, FunctionError> {
        let mut field = String::new();
        loop {
            let Some(end) = self.rest.find('"') else {
                return Err(FunctionError::new("a quote is not closed"));
            };
            field.push_str(&self.rest[..end].replace("\r\n", "\n"));
            self.rest = &self.rest[end + 1..];
            match self.rest.strip_prefix('"') {
                Some(rest) => {
                    field.push('"');
                    self.rest = rest;
                }
                None => break,
            }
        }
        match self.rest.strip_prefix('\r') {
            Some(rest) if rest.is_empty() || rest.starts_with('\n') => self.rest = rest,
            _ => {}
        }
        match self.rest.chars().next() {
            None | Some(',' | '\n') => Ok(field),
            Some(_) => Err(FunctionError::new("a quote is closed before the end of its field")),
        }
    }
}
