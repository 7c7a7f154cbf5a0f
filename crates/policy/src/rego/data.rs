//! The documents that policies see as `data`.

use objchange_rego::Value;

use super::error::{PolicyError, PolicyErrorKind, PolicyLocation};

/// A document for `data`.
#[derive(Debug, Clone)]
pub struct DataFile {
    /// Its name, for errors.
    pub name: String,
    /// Where in `data` its members are.
    pub path: Vec<String>,
    /// Its content.
    pub text: String,
    /// It is YAML, and no JSON.
    pub is_yaml: bool,
}

impl DataFile {
    /// The documents of all files in one.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or two of them have different values for the same name.
    pub fn merge(files: &[DataFile]) -> Result<Value, PolicyError> {
        let mut data = Value::object([]);
        for file in files {
            let refused = |message: String| {
                let place = PolicyLocation { file: file.name.clone(), line: 1 };
                PolicyError::new(PolicyErrorKind::Document, Some(place), message)
            };
            let text = file.text.trim_start_matches('\u{feff}');
            if file.is_yaml && has_second_document(text) {
                return Err(refused("a second document starts in this file; split the file".to_owned()));
            }
            let read = if file.is_yaml {
                objchange_rego::from_yaml(text).map_err(|error| error.to_string())
            } else {
                from_json(text)
            };
            let mut value = read.map_err(refused)?;
            if !matches!(value, Value::Object(_)) {
                return Err(refused("a document for data is an object".to_owned()));
            }
            for name in file.path.iter().rev() {
                value = Value::object([(Value::from(name.as_str()), value)]);
            }
            data = merged(&data, &value, &mut Vec::new()).map_err(refused)?;
        }
        Ok(data)
    }
}

/// Whether a text of YAML has another document after the first, which nobody would read. A line that begins with `---` is
/// in no scalar.
fn has_second_document(text: &str) -> bool {
    let mut has_begun = false;
    for line in text.lines() {
        let content = match line.strip_prefix("---") {
            Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => {
                if has_begun {
                    return true;
                }
                has_begun = true;
                continue;
            }
            _ => line.trim(),
        };
        has_begun |= !content.is_empty() && !content.starts_with(['#', '%']);
    }
    false
}

fn from_json(text: &str) -> Result<Value, String> {
    Value::from_json(text).map_err(|error| format!("this is not JSON: {error}"))
}

fn merged(one: &Value, other: &Value, path: &mut Vec<String>) -> Result<Value, String> {
    let (Value::Object(old), Value::Object(new)) = (one, other) else {
        return match one == other {
            true => Ok(one.clone()),
            false => Err(format!("another file has another value for data.{}", path.join("."))),
        };
    };
    let mut members: Vec<(Value, Value)> = old
        .iter()
        .filter(|(key, _)| !new.contains_key(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    for (key, value) in new.iter() {
        path.push(key.as_str().unwrap_or_default().to_owned());
        let value = match old.get(key) {
            Some(known) => merged(known, value, path)?,
            None => value.clone(),
        };
        path.pop();
        members.push((key.clone(), value));
    }
    Ok(Value::object(members))
}
