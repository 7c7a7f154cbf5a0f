//! Answers as JSON.

use std::collections::BTreeMap;

use objchange::address::Mode;
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_document::json::{Json, JsonError, Reader};
use objchange_text::json::place;

use super::{Answer, AnswerError, Answers, is_key_of};

impl Answers {
    /// Reads answers in JSON: an object with any of `data`, `imports`, `resources` (objects of attributes by address or, but
    /// for imports, by type) and `requires_replace` (lists of paths by type). `{"$unknown": {}}` in place of an attribute
    /// leaves it unknown.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or not of this form.
    pub fn parse(text: &str) -> Result<Self, AnswerError> {
        let mut answers = Self::default();
        let mut problem = None;
        let mut reader = Reader::new(text);
        let read = reader.members(|key, reader| {
            reader.peek();
            let offset = reader.offset();
            let entries = match &*key {
                "data" => &mut answers.data,
                "imports" => &mut answers.imports,
                "resources" => &mut answers.resources,
                "requires_replace" => return requires_replace(reader, &mut answers.requires_replace),
                _ => {
                    let message = format!(
                        "there are no answers called {key:?}: data, imports, resources, requires_replace"
                    );
                    problem.get_or_insert((offset, message));
                    return reader.raw().map(|_| ());
                }
            };
            let mode = if key == "data" { Mode::Data } else { Mode::Managed };
            reader.members(|name, reader| {
                reader.peek();
                let offset = reader.offset();
                let raw = reader.raw()?;
                if !is_key_of(&name, mode) || key == "imports" && !name.contains('.') {
                    problem.get_or_insert((
                        offset,
                        format!("{name:?} is not the address of what the answer is for"),
                    ));
                }
                match Value::from_json(raw.text(), &Type::Dynamic) {
                    Ok(value) if value.as_object().is_some() => {
                        let (line, column) = place(text, offset);
                        entries.insert(name.into_owned(), Answer { value, line, column });
                    }
                    Ok(_) => {
                        problem.get_or_insert((
                            offset,
                            format!("{name}: an object of attributes is expected here"),
                        ));
                    }
                    Err(error) => {
                        problem.get_or_insert((offset + error.offset, format!("{name}: {}", error.message)));
                    }
                }
                Ok::<(), JsonError>(())
            })
        });
        read.and_then(|()| reader.end())
            .map_err(|error| AnswerError::new(text, error.offset(), error.message().to_owned()))?;
        match problem {
            Some((offset, message)) => Err(AnswerError::new(text, offset, message)),
            None => Ok(answers),
        }
    }
}

fn requires_replace(reader: &mut Reader<'_>, all: &mut BTreeMap<String, Vec<Path>>) -> Result<(), JsonError> {
    reader.members(|name, reader| {
        let mut paths = Vec::new();
        reader.elements(|reader| {
            reader.peek();
            let not_one = reader.error("this is not a path such as tags[\"a\"]");
            let json = Json::next(reader)?;
            let path: Option<Path> = json.view().as_str().and_then(|path| path.parse().ok());
            paths.push(path.ok_or(not_one)?);
            Ok::<(), JsonError>(())
        })?;
        all.insert(name.into_owned(), paths);
        Ok(())
    })
}
