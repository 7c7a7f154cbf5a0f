//! Regular expressions, in the syntax of RE2.

use objchange::{Type, Value};
use objchange_text::re2::{Pattern, PatternError};
use regex::bytes::Captures;

use super::limits::{MAX_ELEMENTS, MAX_MATCH, MAX_REGEX, check_elements, check_text};
use super::{Answer, string, text};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let parameters = || [string("pattern"), string("string")];
    functions.insert("regex", Function::typed_by(parameters(), matched_type, first));
    let all_types = |a: &[Value]| Ok(Type::list(matched_type(a)?));
    functions.insert("regexall", Function::typed_by(parameters(), all_types, all));
    let parameters = [string("str"), string("substr"), string("replace")];
    functions.insert("replace", Function::new(parameters, Type::String, replace));
}

/// A pattern, with what it answers for a match.
struct Matcher(Pattern);

impl Matcher {
    fn new(text: &str, argument: Option<usize>) -> Result<Self, FunctionError> {
        let error = |problem: PatternError| FunctionError { argument, message: problem.to_string().into() };
        Pattern::new(text, MAX_REGEX).map(Self).map_err(error)
    }

    /// Fails where one search through the text could take too long: each character with each part of the pattern.
    fn check(&self, text: &str) -> Result<(), FunctionError> {
        match self.0.width().checked_mul(text.len()) {
            Some(..=MAX_MATCH) => Ok(()),
            _ => Err(FunctionError::new("the pattern and the text are too large for one another")),
        }
    }

    /// Text if there are no groups, a tuple if they have no names, else an object.
    fn matched_type(&self) -> Result<Type, FunctionError> {
        let names = self.0.names();
        let named: Vec<&String> = names.iter().flatten().collect();
        if names.is_empty() {
            Ok(Type::String)
        } else if named.is_empty() {
            Ok(Type::tuple(names.iter().map(|_| Type::String)))
        } else if named.len() == names.len() {
            Ok(Type::object(named.into_iter().map(|name| (name.as_str(), Type::String))))
        } else {
            Err(FunctionError::argument(0, "either all groups have a name, or none"))
        }
    }

    /// A group that takes no part is null.
    fn value(&self, text: &str, captures: &Captures<'_>) -> Value {
        let group = |i: usize| match captures.get(i) {
            Some(group) => Value::from(&text[group.range()]),
            None => Value::null(Type::String),
        };
        let groups = self.0.names().iter().enumerate().map(|(i, name)| (name, group(i + 1)));
        match self.0.names().first() {
            None => group(0),
            Some(None) => Value::tuple(groups.map(|(_, value)| value)),
            Some(Some(_)) => {
                Value::object(groups.map(|(name, value)| (name.as_deref().unwrap_or_default(), value)))
            }
        }
    }
}

fn matched_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].as_str() {
        Some(pattern) => Matcher::new(pattern, Some(0))?.matched_type(),
        None => Ok(Type::Dynamic),
    }
}

fn first(arguments: &[Value], _: &Type) -> Answer {
    let (pattern, text) = (Matcher::new(text(arguments, 0), Some(0))?, text(arguments, 1));
    pattern.check(text)?;
    let captures =
        pattern.0.matches(text).next().ok_or(FunctionError::new("the pattern does not match the text"))?;
    Ok(pattern.value(text, &captures))
}

fn all(arguments: &[Value], ty: &Type) -> Answer {
    let (pattern, text) = (Matcher::new(text(arguments, 0), Some(0))?, text(arguments, 1));
    pattern.check(text)?;
    let values = pattern.0.matches(text).map(|captures| pattern.value(text, &captures));
    let values: Vec<Value> = values.take(MAX_ELEMENTS + 1).collect();
    check_elements(Some(values.len()))?;
    Ok(Value::list(ty.element().cloned().unwrap_or(Type::Dynamic), values)?)
}

/// A text between slashes is a pattern.
fn replace(arguments: &[Value], _: &Type) -> Answer {
    let [whole, wanted, replacement] = [0, 1, 2].map(|i| text(arguments, i));
    let inner = wanted.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    if let Some(pattern) = inner {
        return replace_matches(whole, &Matcher::new(pattern, None)?, replacement);
    }
    let count = if wanted.is_empty() { whole.chars().count() + 1 } else { whole.matches(wanted).count() };
    check_text(count.checked_mul(replacement.len()).and_then(|length| length.checked_add(whole.len())))?;
    Ok(whole.replace(wanted, replacement).into())
}

fn replace_matches(text: &str, pattern: &Matcher, replacement: &str) -> Answer {
    pattern.check(text)?;
    let parts = parts(replacement);
    let mut out = String::new();
    let mut end = 0;
    for captures in pattern.0.matches(text) {
        let range = captures.get(0).map(|matched| matched.range()).unwrap_or_default();
        out.push_str(&text[end..range.start]);
        end = range.end;
        for part in &parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Group(name) => {
                    let position = match name.parse::<usize>() {
                        Ok(position) => Some(position),
                        Err(_) => pattern
                            .0
                            .names()
                            .iter()
                            .position(|other| other.as_deref() == Some(name))
                            .map(|i| i + 1),
                    };
                    let group = position.and_then(|position| captures.get(position));
                    out.push_str(group.map_or("", |group| &text[group.range()]));
                }
            }
        }
        check_text(Some(out.len()))?;
    }
    out.push_str(&text[end..]);
    Ok(out.into())
}

/// A part of what stands in for a match.
enum Part<'r> {
    Text(&'r str),
    /// A group by number or name.
    Group(&'r str),
}

/// `$1`, `$name` and `${name}` are groups, `$$` is `$`; any other `$` is itself.
fn parts(replacement: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        parts.push(Part::Text(&rest[..at]));
        let after = &rest[at + 1..];
        let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (part, length) = if after.starts_with('$') {
            (Part::Text("$"), 1)
        } else if let Some(inner) = after.strip_prefix('{') {
            let end = word(inner);
            match inner[end..].starts_with('}') && end > 0 {
                true => (Part::Group(&inner[..end]), end + 2),
                false => (Part::Text("$"), 0),
            }
        } else {
            match word(after) {
                0 => (Part::Text("$"), 0),
                end => (Part::Group(&after[..end]), end),
            }
        };
        parts.push(part);
        rest = &after[length..];
    }
    parts.push(Part::Text(rest));
    parts
}
