//! Regular expressions, in the syntax of RE2.

use std::sync::Arc;

use hashbrown::HashMap;
use objchange::{Type, Value};
use objchange_text::re2::{Pattern, PatternError, Refusal, TooManyReads};
use regex::bytes::Captures;
use smol_str::SmolStr;

use super::limits::{MAX_ELEMENTS, MAX_MATCH, MAX_REGEX, MEETINGS_PER_STEP, check_elements, check_text};
use super::{Answer, string, text};
use crate::function::{CallContext, Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let parameters = || [string("pattern"), string("string")];
    functions.insert("regex", Function::spending(parameters(), matched_type, first));
    let all_types = |a: &[Value]| Ok(Type::list(matched_type(a)?));
    functions.insert("regexall", Function::spending(parameters(), all_types, all));
    let parameters = [string("str"), string("substr"), string("replace")];
    functions.insert("replace", Function::spending(parameters, |_| Ok(Type::String), replace));
}

/// A compiled pattern, which converts its matches to values.
#[derive(Clone)]
struct Matcher(Arc<Pattern>);

/// The patterns that an evaluation has compiled.
#[derive(Default)]
pub(crate) struct PatternCache(HashMap<SmolStr, Matcher>);

/// More patterns are not kept, nor are larger ones.
const MAX_CACHED: usize = 32;

impl PatternCache {
    /// Compiles the pattern in this argument, or returns the cached one.
    fn get(&mut self, text: &str, argument: Option<usize>) -> Result<Matcher, FunctionError> {
        if let Some(matcher) = self.0.get(text) {
            return Ok(matcher.clone());
        }
        let matcher = Matcher::new(text, argument)?;
        if matcher.0.width() <= 1 << 10 {
            if self.0.len() == MAX_CACHED {
                self.0.clear();
            }
            self.0.insert(text.into(), matcher.clone());
        }
        Ok(matcher)
    }
}

impl Matcher {
    fn new(text: &str, argument: Option<usize>) -> Result<Self, FunctionError> {
        let error = |problem: PatternError| {
            let message = match (problem, argument) {
                (PatternError::Syntax(Refusal { code, part, .. }), Some(_)) => {
                    format!("invalid regexp pattern: {code} in {part}")
                }
                (PatternError::Syntax(Refusal { code, part, .. }), None) => {
                    format!("error parsing regexp: {code}: `{part}`")
                }
                (problem, _) => problem.to_string(),
            };
            FunctionError { argument, ..FunctionError::new(message) }
        };
        Pattern::new(text, MAX_REGEX).map(|pattern| Self(Arc::new(pattern))).map_err(error)
    }

    /// Calls a function with the matches in a text, and charges the work of the searches.
    fn with_matches<T>(
        &self,
        text: &str,
        context: &mut CallContext,
        f: impl FnOnce(&mut dyn Iterator<Item = Result<Captures<'_>, FunctionError>>) -> Result<T, FunctionError>,
    ) -> Result<T, FunctionError> {
        // Each character may meet each part of the pattern.
        if self.0.width().checked_mul(text.len()).is_none_or(|meetings| meetings > MAX_MATCH) {
            return Err(FunctionError::new("the pattern and the text are too large for one another"));
        }
        let bytes_per_step = (MEETINGS_PER_STEP / self.0.width().max(1)).clamp(1, 64) as u64;
        // Half of the remaining budget, so that an error can still be reported.
        let most = (context.steps_left / 2).saturating_mul(bytes_per_step);
        let mut bytes_left = most;
        let too_many = |error: TooManyReads| FunctionError::new(error.to_string());
        let result =
            f(&mut self.0.matches_within(text, &mut bytes_left).map(|found| found.map_err(too_many)));
        context.spend((most - bytes_left) / bytes_per_step);
        result
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
            Err(FunctionError::argument(
                0,
                "invalid regexp pattern: cannot mix both named and unnamed capture groups",
            ))
        }
    }

    /// A group that takes no part is null.
    fn value(&self, text: &str, captures: &Captures<'_>) -> Value {
        let group = |i: usize| match captures.get(i) {
            Some(group) => Value::from(&text[group.range()]),
            // A group that takes no part in the match is null, not empty.
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

/// The type matters only while the text is unknown; a known answer has its own.
fn matched_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].as_str().filter(|_| !arguments[1].is_known()) {
        Some(pattern) => Matcher::new(pattern, Some(0))?.matched_type(),
        None => Ok(Type::Dynamic),
    }
}

fn first(arguments: &[Value], _: &Type, context: &mut CallContext) -> Answer {
    let (pattern, text) = (context.patterns.get(text(arguments, 0), Some(0))?, text(arguments, 1));
    pattern.matched_type()?;
    pattern.with_matches(text, context, |matches| {
        let first = matches
            .next()
            .ok_or(FunctionError::new("pattern did not match any part of the given string"))??;
        Ok(pattern.value(text, &first))
    })
}

fn all(arguments: &[Value], _: &Type, context: &mut CallContext) -> Answer {
    let (pattern, text) = (context.patterns.get(text(arguments, 0), Some(0))?, text(arguments, 1));
    let ty = pattern.matched_type()?;
    let values = pattern.with_matches(text, context, |matches| {
        let values = matches.map(|captures| captures.map(|captures| pattern.value(text, &captures)));
        values.take(MAX_ELEMENTS + 1).collect::<Result<Vec<Value>, _>>()
    })?;
    check_elements(Some(values.len()))?;
    Ok(Value::list(ty, values)?)
}

/// A text between slashes is a pattern.
fn replace(arguments: &[Value], _: &Type, context: &mut CallContext) -> Answer {
    let [whole, wanted, replacement] = [0, 1, 2].map(|i| text(arguments, i));
    // Slashes on both sides make a pattern. A single `/` is plain text.
    let inner = wanted.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    if let Some(pattern) = inner {
        let pattern = context.patterns.get(pattern, None)?;
        return pattern
            .with_matches(whole, context, |matches| replace_matches(whole, &pattern, matches, replacement));
    }
    let count = if wanted.is_empty() { whole.chars().count() + 1 } else { whole.matches(wanted).count() };
    check_text(count.checked_mul(replacement.len()).and_then(|length| length.checked_add(whole.len())))?;
    Ok(whole.replace(wanted, replacement).into())
}

fn replace_matches(
    text: &str,
    pattern: &Matcher,
    matches: &mut dyn Iterator<Item = Result<Captures<'_>, FunctionError>>,
    replacement: &str,
) -> Answer {
    let parts = parts(replacement);
    let mut out = String::new();
    let mut end = 0;
    for captures in matches {
        let captures = captures?;
        let range = captures.get(0).map(|matched| matched.range()).unwrap_or_default();
        out.push_str(&text[end..range.start]);
        end = range.end;
        for part in &parts {
            match part {
                ReplacementPart::Text(text) => out.push_str(text),
                ReplacementPart::Group(name) => {
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

/// A part of the replacement of a match.
enum ReplacementPart<'r> {
    Text(&'r str),
    /// A group by number or name.
    Group(&'r str),
}

/// `$1`, `$name` and `${name}` are groups, `$$` is `$`; any other `$` is itself.
fn parts(replacement: &str) -> Vec<ReplacementPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        parts.push(ReplacementPart::Text(&rest[..at]));
        let after = &rest[at + 1..];
        // As in Go's `Expand`, the longest possible name counts: `$1a` is the group `1a`.
        let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (part, length) = if after.starts_with('$') {
            (ReplacementPart::Text("$"), 1)
        } else if let Some(inner) = after.strip_prefix('{') {
            let end = word(inner);
            match inner[end..].starts_with('}') && end > 0 {
                true => (ReplacementPart::Group(&inner[..end]), end + 2),
                false => (ReplacementPart::Text("$"), 0),
            }
        } else {
            match word(after) {
                0 => (ReplacementPart::Text("$"), 0),
                end => (ReplacementPart::Group(&after[..end]), end),
            }
        };
        parts.push(part);
        rest = &after[length..];
    }
    parts.push(ReplacementPart::Text(rest));
    parts
}
