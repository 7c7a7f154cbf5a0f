//! Regular expressions in the syntax of RE2.

use std::collections::HashSet;

use objchange_text::re2::{Captures, Pattern};

use super::arguments::{int, some, text};
use super::context::check_text;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::Value;

const S: Types = Types::STRING;
const N: Types = Types::NUMBER;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("regex.match", &[S, S], is_match),
    Builtin::new("re_match", &[S, S], is_match),
    Builtin::new("regex.is_valid", &[Types::ANY], |context, o| {
        some(o[0].as_str().is_some_and(|pattern| context.pattern(pattern).is_ok()))
    }),
    Builtin::new("regex.find_n", &[S, S, N], find_n),
    Builtin::new("regex.find_all_string_submatch_n", &[S, S, N], find_groups),
    Builtin::new("regex.replace", &[S, S, S], replace),
    Builtin::new("regex.split", &[S, S], split),
    Builtin::new("regex.template_match", &[S, S, S, S], template_match),
    Builtin::new("regex.globs_match", &[S, S], globs_match),
];

/// The fixed cost of a search. Finding the next match may read the whole rest of the text.
const MATCH_COST: usize = 256;

fn is_match(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let pattern = context.pattern(text(operands, 0)?)?;
    let text = text(operands, 1)?;
    context.charge(text.len())?;
    some(pattern.is_match(text.as_bytes()))
}

/// The maximum number of matches; a negative number asks for all.
fn limit(operands: &[Value], index: usize) -> Result<usize, BuiltinError> {
    Ok(usize::try_from(int(operands, index)?).unwrap_or(usize::MAX))
}

/// The maximum number of bytes that may be read to find all matches: a search that begins at each of 20,000
/// characters and reads to the end of the text each time reads 200 MB.
const MOST_READ: u64 = 1 << 27;

/// Matches from left to right, with an error where finding them would take time that grows with the square of the text.
fn matches<'t>(
    pattern: &Pattern,
    text: &'t str,
    bytes_left: &mut u64,
) -> impl Iterator<Item = Result<Captures<'t>, BuiltinError>> {
    pattern.matches_within(text, bytes_left).map(|found| {
        found.map_err(|_| BuiltinError::refused("finding all matches of this pattern takes too long"))
    })
}

fn find_n(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let pattern = context.pattern(text(operands, 0)?)?;
    let text = text(operands, 1)?;
    let mut found = Vec::new();
    let mut bytes_left = MOST_READ;
    for captures in matches(&pattern, text, &mut bytes_left).take(limit(operands, 2)?) {
        let captures = captures?;
        context.charge(MATCH_COST)?;
        found.extend(captures.get(0).map(|whole| Value::from(&text[whole.range()])));
    }
    some(Value::array(found))
}

fn find_groups(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let pattern = context.pattern(text(operands, 0)?)?;
    let text = text(operands, 1)?;
    let mut found = Vec::new();
    let mut bytes_left = MOST_READ;
    for captures in matches(&pattern, text, &mut bytes_left).take(limit(operands, 2)?) {
        let captures = captures?;
        context.charge(MATCH_COST + captures.len() * size_of::<Value>())?;
        let groups: Vec<_> = captures
            .iter()
            .map(|group| Value::from(group.map_or("", |group| &text[group.range()])))
            .collect();
        found.push(Value::array(groups));
    }
    some(Value::array(found))
}

/// A part of a replacement.
enum ReplacementPart<'t> {
    Text(&'t str),
    Group(usize),
}

/// The parts of a replacement in Go's form: `$1`, `$name`, `${name}`, `$$`.
fn replacement_parts<'t>(template: &'t str, pattern: &Pattern) -> Vec<ReplacementPart<'t>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        parts.push(ReplacementPart::Text(&rest[..at]));
        let after = &rest[at + 1..];
        if let Some(next) = after.strip_prefix('$') {
            parts.push(ReplacementPart::Text("$"));
            rest = next;
            continue;
        }
        let name_end =
            |text: &str| text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len());
        let (name, next) = match after.strip_prefix('{') {
            Some(braced) => match braced.split_once('}') {
                Some((name, next)) if name_end(name) == name.len() => (name, next),
                // Go takes a `$` that begins no name as it is.
                _ => ("", after),
            },
            None => after.split_at(name_end(after)),
        };
        if name.is_empty() {
            parts.push(ReplacementPart::Text("$"));
            rest = after;
            continue;
        }
        rest = next;
        let group = if name.bytes().all(|b| b.is_ascii_digit()) {
            name.parse().ok()
        } else {
            let is_named = |group: &Option<String>| group.as_deref() == Some(name);
            pattern.names().iter().position(is_named).map(|group| group + 1)
        };
        // A group that the pattern does not have is empty, as in Go: OPA 1.20 reads `$1x` as the name `1x`.
        parts.extend(group.map(ReplacementPart::Group));
    }
    parts.push(ReplacementPart::Text(rest));
    parts
}

fn replace(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (text, template) = (text(operands, 0)?, self::text(operands, 2)?);
    let pattern = context.pattern(self::text(operands, 1)?)?;
    let parts = replacement_parts(template, &pattern);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut bytes_left = MOST_READ;
    for captures in matches(&pattern, text, &mut bytes_left) {
        let captures = captures?;
        let Some(whole) = captures.get(0) else { continue };
        let before = out.len();
        out.push_str(&text[copied..whole.start()]);
        copied = whole.end();
        for part in &parts {
            let part = match part {
                ReplacementPart::Text(part) => part,
                ReplacementPart::Group(group) => {
                    captures.get(*group).map_or("", |group| &text[group.range()])
                }
            };
            check_text(out.len() + part.len())?;
            out.push_str(part);
        }
        context.charge(MATCH_COST + out.len() - before)?;
    }
    out.push_str(&text[copied..]);
    context.charge(out.len())?;
    some(out)
}

fn split(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let pattern = context.pattern(text(operands, 0)?)?;
    let text = text(operands, 1)?;
    // As in OPA 1.20: an empty text has one empty part, but none if the pattern is empty as well.
    if text.is_empty() && operands[0].as_str() != Some("") {
        return some(Value::array([Value::from("")]));
    }
    let mut parts = Vec::new();
    let (mut start, mut end) = (0, 0);
    let mut bytes_left = MOST_READ;
    for captures in matches(&pattern, text, &mut bytes_left) {
        let captures = captures?;
        context.charge(MATCH_COST)?;
        let Some(whole) = captures.get(0) else { continue };
        end = whole.start();
        // No part is before an empty match at the start: `regex.split("", "abc")` is `["a", "b", "c"]` in OPA
        // 1.20.
        if whole.end() != 0 {
            parts.push(Value::from(&text[start..end]));
        }
        start = whole.end();
    }
    if end != text.len() {
        parts.push(Value::from(&text[start..]));
    }
    some(Value::array(parts))
}

fn delimiter(operands: &[Value], index: usize, name: &str) -> Result<char, BuiltinError> {
    let text = text(operands, index)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(BuiltinError::failed(format!(
            "{name} delimiter has to be exactly one character long but is {} long",
            text.len()
        ))),
    }
}

/// Whether a text matches a template, whose parts between delimiters are patterns.
fn template_match(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let template = text(operands, 0)?;
    let (open, close) = (delimiter(operands, 2, "start")?, delimiter(operands, 3, "end")?);
    let unbalanced = || BuiltinError::failed(format!("unbalanced braces in {}", operands[0]));
    let mut pattern = String::from("^");
    let mut depth = 0;
    let mut from = 0;
    for (at, c) in template.char_indices() {
        if c == open {
            if depth == 0 {
                pattern.push_str(&quote_meta(&template[from..at]));
                from = at + c.len_utf8();
            }
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth < 0 {
                return Err(unbalanced());
            }
            if depth == 0 {
                pattern.push('(');
                pattern.push_str(&template[from..at]);
                pattern.push(')');
                from = at + c.len_utf8();
            }
        }
    }
    if depth != 0 {
        return Err(unbalanced());
    }
    pattern.push_str(&quote_meta(&template[from..]));
    pattern.push('$');
    let text = text(operands, 1)?;
    context.charge(pattern.len() + text.len())?;
    some(context.pattern(&pattern)?.is_match(text.as_bytes()))
}

/// The pattern that matches exactly this text.
pub(super) fn quote_meta(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Characters, and whether they may be repeated or left out.
struct Token {
    /// `None` is any character.
    ranges: Option<Vec<(char, char)>>,
    is_repeated: bool,
    is_optional: bool,
}

impl Token {
    fn overlaps(&self, other: &Self) -> bool {
        match (&self.ranges, &other.ranges) {
            (Some(a), Some(b)) => a.iter().any(|(low, high)| b.iter().any(|(l, h)| low <= h && l <= high)),
            _ => true,
        }
    }
}

/// The tokens of a glob: characters, `.`, `[a-z]`, each followed by `+`, `*` or nothing.
fn glob_tokens(glob: &str) -> Result<Vec<Token>, BuiltinError> {
    let fail = |problem: &str| {
        BuiltinError::failed(format!("input:{glob}, {problem}: the input provided is invalid"))
    };
    let mut tokens: Vec<Token> = Vec::new();
    let mut chars = glob.chars().peekable();
    while let Some(c) = chars.next() {
        let ranges = match c {
            '.' => None,
            '\\' => {
                let c = chars.next().ok_or_else(|| fail("an escape must be followed by a character"))?;
                Some(vec![(c, c)])
            }
            '[' => {
                let mut ranges = Vec::new();
                loop {
                    let low = match chars.next() {
                        Some(']') => break,
                        Some('\\') => chars.next(),
                        other => other,
                    };
                    let low = low.ok_or_else(|| fail("a range must be closed with ']'"))?;
                    let mut high = low;
                    if chars.peek() == Some(&'-') {
                        chars.next();
                        high = match chars.next() {
                            Some(']') | None => {
                                return Err(fail(
                                    "range character '-' must be followed by a Unicode character",
                                ));
                            }
                            Some('\\') => {
                                chars.next().ok_or_else(|| fail("a range must be closed with ']'"))?
                            }
                            Some(high) => high,
                        };
                        if low > high {
                            return Err(fail("a range must ascend"));
                        }
                    }
                    ranges.push((low, high));
                }
                Some(ranges)
            }
            ']' => return Err(fail("']' must follow '['")),
            '+' | '*' => return Err(fail("a flag must be preceded by a character")),
            other => Some(vec![(other, other)]),
        };
        let flag = chars.next_if(|c| matches!(c, '+' | '*'));
        tokens.push(Token { ranges, is_repeated: flag.is_some(), is_optional: flag == Some('*') });
    }
    Ok(tokens)
}

/// Whether some text that is not empty matches both globs.
fn globs_match(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (a, b) = (glob_tokens(text(operands, 0)?)?, glob_tokens(text(operands, 1)?)?);
    if a.is_empty() || b.is_empty() {
        // In OPA 1.20 two empty globs match, and an empty one matches no other.
        return some(a.is_empty() && b.is_empty());
    }
    // Positions in both globs that the same text leads to, and whether that text is empty.
    let mut seen = HashSet::from([(0, 0, true)]);
    let mut open = vec![(0, 0, true)];
    while let Some((i, j, is_empty)) = open.pop() {
        context.charge(64)?;
        if i == a.len() && j == b.len() && !is_empty {
            return some(true);
        }
        let mut go = |to: (usize, usize, bool)| {
            if seen.insert(to) {
                open.push(to);
            }
        };
        if a.get(i).is_some_and(|token| token.is_optional) {
            go((i + 1, j, is_empty));
        }
        if b.get(j).is_some_and(|token| token.is_optional) {
            go((i, j + 1, is_empty));
        }
        if let (Some(x), Some(y)) = (a.get(i), b.get(j))
            && x.overlaps(y)
        {
            for next_i in [Some(i + 1), x.is_repeated.then_some(i)].into_iter().flatten() {
                for next_j in [Some(j + 1), y.is_repeated.then_some(j)].into_iter().flatten() {
                    go((next_i, next_j, false));
                }
            }
        }
    }
    some(false)
}
