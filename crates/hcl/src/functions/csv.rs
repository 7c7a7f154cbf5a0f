//! Reads CSV as strictly as Go: a misplaced quote is an error. (The `csv` crate accepts it.)

use hashbrown::HashSet;
use objchange::{Type, Value};
use smol_str::SmolStr;

use super::{Answer, quote, string, text};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let decode = Function::typed_by([string("str")], row_types, |a, ty| decode(text(a, 0), ty));
    functions.insert("csvdecode", decode.nullable());
}

fn row_types(arguments: &[Value]) -> Result<Type, FunctionError> {
    let Some(text) = arguments[0].as_str() else { return Ok(Type::Dynamic) };
    let names = Records::new(text).next().ok_or(FunctionError::new("missing header line"))??;
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        return Err(FunctionError::new(format!("duplicate column name {}", quote(twice))));
    }
    let row = Type::object(names.iter().map(|name| (name.clone(), Type::String)));
    Ok(Type::list(row))
}

fn decode(text: &str, ty: &Type) -> Answer {
    let mut records = Records::new(text);
    // The header is read again, because the function of the type can pass on only a type.
    let names = records.next().unwrap_or(Ok(Vec::new()))?;
    let mut rows = Vec::new();
    while let Some(record) = records.next() {
        let record = record?;
        if record.len() != names.len() {
            return Err(wrong(records.record_line, "wrong number of fields"));
        }
        rows.push(Value::object(std::iter::zip(names.iter().cloned(), record)));
    }
    Ok(Value::list(ty.element().cloned().unwrap_or(Type::Dynamic), rows)?)
}

const MISPLACED_QUOTE: &str = "extraneous or missing \" in quoted-field";

/// The records of a text, without empty lines.
struct Records<'t> {
    rest: &'t str,
    /// The line at which the rest begins, from 1.
    line: usize,
    /// The line where the last record began.
    record_line: usize,
}

fn wrong(line: usize, what: &str) -> FunctionError {
    FunctionError::new(format!("CSV parse error on line {line}: {what}"))
}

impl Iterator for Records<'_> {
    type Item = Result<Vec<SmolStr>, FunctionError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(rest) = self.rest.strip_prefix('\n').or(self.rest.strip_prefix("\r\n")) {
            self.rest = rest;
            self.line += 1;
        }
        self.record_line = self.line;
        (!self.rest.is_empty()).then(|| self.record())
    }
}

impl<'t> Records<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text, line: 1, record_line: 1 }
    }

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
            // go-cty normalizes every string to NFC.
            fields.push(SmolStr::new(Value::from(field).as_str().unwrap_or_default()));
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest,
                None => {
                    if let Some(rest) = self.rest.strip_prefix('\n') {
                        self.rest = rest;
                        self.line += 1;
                    }
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
            true => Err(wrong(self.line, "bare \" in non-quoted-field")),
            false => Ok(field.to_owned()),
        }
    }

    /// A field behind its opening quote.
    fn quoted(&mut self) -> Result<String, FunctionError> {
        let mut field = String::new();
        loop {
            let Some(end) = self.rest.find('"') else {
                let line = self.line + self.rest.trim_end_matches('\n').matches('\n').count();
                return Err(wrong(line, MISPLACED_QUOTE));
            };
            // Go's `encoding/csv` turns CR LF into LF, also within quotes.
            field.push_str(&self.rest[..end].replace("\r\n", "\n"));
            self.line += self.rest[..end].matches('\n').count();
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
            Some(_) => Err(wrong(self.line, MISPLACED_QUOTE)),
        }
    }
}
