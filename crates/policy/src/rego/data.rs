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
            let error = |message: String| {
                let place = PolicyLocation { file: file.name.clone(), line: 1 };
                PolicyError::new(PolicyErrorKind::Document, Some(place), message)
            };
            let value = file.read().map_err(error)?;
            let mut refused = BTreeSet::new();
            data = joined(&data, &value, &mut Vec::new(), &mut refused);
            if let Some(path) = refused.first() {
                return Err(error(format!("another file has another value for {}", title(&names(path)))));
            }
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
            let mut leave_out = |path: Vec<String>, why: &str| {
                left_out.push(LeftOutData { path, reason: format!("{}: {why}", file.name) });
            };
            match file.content() {
                Ok(value) if is_plan_or_state(&value) => {
                    let Some(object) = value.as_object() else { continue };
                    let members = object.iter().filter_map(|(key, _)| key.as_str());
                    let paths: Vec<_> =
                        members.map(|key| [&file.path[..], &[key.to_owned()]].concat()).collect();
                    for path in paths {
                        leave_out(path, "a plan or state is judged, and is no data for policies");
                    }
                }
                Ok(value) => match file.placed(value) {
                    Ok(value) => seen = joined(&seen, &value, &mut Vec::new(), &mut refused),
                    Err(message) => leave_out(file.path.clone(), &message),
                },
                Err(message) => leave_out(file.path.clone(), &message),
            }
        }
        // Neither file is right where two disagree: policies that refer to such a part are refused.
        let others = without(&seen, &mut Vec::new(), &refused);
        let value = joined(data, &others, &mut Vec::new(), &mut refused);
        left_out.extend(refused.iter().map(|path| {
            let path = names(path);
            LeftOutData { reason: format!("files have different values for {}", title(&path)), path }
        }));
        PolicyData { value, left_out }
    }

    /// The document as the file has it.
    ///
    /// # Errors
    ///
    /// It is not JSON or YAML, or a plan or state, which policies do not read beside the one that is judged.
    pub fn document(&self) -> Result<Value, PolicyError> {
        let error = |message: String| {
            let place = PolicyLocation { file: self.name.clone(), line: 1 };
            PolicyError::new(PolicyErrorKind::Document, Some(place), message)
        };
        match self.content().map_err(error)? {
            value if is_plan_or_state(&value) => {
                Err(error("a plan or state is judged, and is no data for policies".to_owned()))
            }
            value => Ok(value),
        }
    }

    /// The document, below the names of its folders.
    fn read(&self) -> Result<Value, String> {
        self.placed(self.content()?)
    }

    /// The document as the file has it.
    fn content(&self) -> Result<Value, String> {
        // Some editors begin a file with this mark, which JSON does not allow.
        let text = self.text.trim_start_matches('\u{feff}');
        if self.is_yaml && has_second_document(text) {
            return Err("a second document starts in this file; split the file".to_owned());
        }
        match self.is_yaml {
            true => objchange_rego::from_yaml(text).map_err(|error| error.to_string()),
            false => Value::from_json(text).map_err(|error| format!("this is not JSON: {error}")),
        }
    }

    /// A document of this file below the names of its folders.
    fn placed(&self, content: Value) -> Result<Value, String> {
        let below = |value, name: &String| Value::object([(Value::from(name.as_str()), value)]);
        match self.path.iter().rev().fold(content, below) {
            value @ Value::Object(_) => Ok(value),
            _ => Err("a document for data is an object, unless it is in a folder".to_owned()),
        }
    }
}

/// Whether a document is what policies judge, and not what they know: its secrets must not be read as `data`.
fn is_plan_or_state(value: &Value) -> bool {
    let has = |name: &str| value.as_object().is_some_and(|object| object.get_str(name).is_some());
    // The first is in all that `terraform show -json` prints, the others are in state files.
    has("format_version") || has("serial") && has("terraform_version")
}

/// The path of a part of `data`, for messages.
fn title(path: &[String]) -> String {
    match path {
        [] => "data".to_owned(),
        _ => format!("data.{}", path.join(".")),
    }
}

/// The keys that are names; a document of JSON has no others.
fn names(path: &[Value]) -> Vec<String> {
    path.iter().filter_map(|key| key.as_str().map(str::to_owned)).collect()
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
