//! The documents that policies see as `data`.

use std::collections::BTreeSet;

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

/// The documents that policies see as `data`, and what of the files beside policies is not there.
#[derive(Debug, Clone)]
pub struct PolicyData {
    /// The documents, as one object.
    pub value: Value,
    /// The parts that are left out. Policies that refer to it are refused.
    pub left_out: Vec<LeftOutData>,
}

/// A part of `data` that OPA would refuse.
#[derive(Debug, Clone)]
pub struct LeftOutData {
    /// The keys that lead to it; none of a file without a folder, which may hold anything.
    pub path: Vec<String>,
    /// Why it is not there, with the name of the file.
    pub reason: String,
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
            let value = file.read().map_err(refused)?;
            data = merged(&data, &value, &mut Vec::new()).map_err(refused)?;
        }
        Ok(data)
    }

    /// Adds what other files beside policies hold. OPA reads them all, and refuses those that contradict each other.
    /// Folders of policies also hold files that are no data for any policy, so these are left out: a policy that refers to
    /// them is refused.
    pub(super) fn with_others(data: &Value, others: &[DataFile]) -> PolicyData {
        let mut left_out = Vec::new();
        let mut seen = Value::object([]);
        let mut refused = BTreeSet::new();
        for file in others {
            match file.read() {
                Ok(value) if !is_plan_or_state(&value) => {
                    seen = joined(&seen, &value, &mut Vec::new(), &mut refused);
                }
                Ok(_) => {}
                Err(message) => {
                    let reason = format!("{}: {message}", file.name);
                    left_out.push(LeftOutData { path: file.path.clone(), reason });
                }
            }
        }
        let others = without(&seen, &mut Vec::new(), &refused);
        let value = joined(data, &others, &mut Vec::new(), &mut refused);
        left_out.extend(refused.iter().map(|path| {
            let path: Vec<String> = path.iter().filter_map(|key| key.as_str().map(str::to_owned)).collect();
            LeftOutData { reason: format!("files have different values for data.{}", path.join(".")), path }
        }));
        PolicyData { value, left_out }
    }

    /// The document, below the names of its folders.
    fn read(&self) -> Result<Value, String> {
        let text = self.text.trim_start_matches('\u{feff}');
        if self.is_yaml && has_second_document(text) {
            return Err("a second document starts in this file; split the file".to_owned());
        }
        let mut value = match self.is_yaml {
            true => objchange_rego::from_yaml(text).map_err(|error| error.to_string())?,
            false => from_json(text)?,
        };
        for name in self.path.iter().rev() {
            value = Value::object([(Value::from(name.as_str()), value)]);
        }
        match value {
            Value::Object(_) => Ok(value),
            _ => Err("a document for data is an object, unless it is in a folder".to_owned()),
        }
    }
}

/// Whether a document is what policies judge, and not what they know: its secrets must not be read as `data`.
fn is_plan_or_state(value: &Value) -> bool {
    let has = |name: &str| value.as_object().is_some_and(|object| object.get_str(name).is_some());
    has("format_version") || has("serial") && has("terraform_version")
}

/// Both values in one. Where they contradict each other the first one stays, and the path is noted.
fn joined(one: &Value, other: &Value, path: &mut Vec<Value>, refused: &mut BTreeSet<Vec<Value>>) -> Value {
    let (Value::Object(old), Value::Object(new)) = (one, other) else {
        if one != other {
            refused.insert(path.clone());
        }
        return one.clone();
    };
    let mut members = old.entries().to_vec();
    for (key, value) in new.iter() {
        let value = match old.get(key) {
            Some(known) => {
                path.push(key.clone());
                let both = joined(known, value, path, refused);
                path.pop();
                both
            }
            None => value.clone(),
        };
        // The last one of a repeated key wins.
        members.push((key.clone(), value));
    }
    Value::object(members)
}

/// The value without what is at these paths.
fn without(value: &Value, path: &mut Vec<Value>, refused: &BTreeSet<Vec<Value>>) -> Value {
    let Value::Object(object) = value else { return value.clone() };
    if refused.is_empty() {
        return value.clone();
    }
    let mut members = Vec::new();
    for (key, member) in object.iter() {
        path.push(key.clone());
        if !refused.contains(path) {
            members.push((key.clone(), without(member, path, refused)));
        }
        path.pop();
    }
    Value::object(members)
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
