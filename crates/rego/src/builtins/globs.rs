//! Globs, whose `*` stops at delimiters.

use std::iter::Peekable;
use std::str::Chars;

use super::arguments::{array, mismatch, some, text};
use super::regexes::quote_meta;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::Value;

const S: Types = Types::STRING;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("glob.match", &[S, Types::NULL.or(Types::ARRAY), S], glob_match),
    Builtin::new("glob.quote_meta", &[S], |context, o| {
        let text = text(o, 0)?;
        context.charge(2 * text.len())?;
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if "*?\\[]{}".contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
        some(out)
    }),
];

/// Braces within braces are refused beyond this depth.
const MAX_DEPTH: usize = 50;

fn glob_match(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let delimiters = match &operands[1] {
        // Without delimiters `*` matches everything; with an empty list it stops at dots.
        Value::Null => String::new(),
        _ => delimiters(operands)?,
    };
    let text = text(operands, 2)?;
    if let Some((prefix, suffix)) = around_any(self::text(operands, 0)?, delimiters.is_empty()) {
        // In OPA 1.20 `glob.match("aa*aa", null, "aaa")` is true.
        return some(text.starts_with(prefix) && text.ends_with(suffix));
    }
    let pattern = Translator::new(&delimiters).translate(self::text(operands, 0)?)?;
    context.charge(text.len() + pattern.len())?;
    some(context.pattern(&pattern)?.is_match(text.as_bytes()))
}

/// The texts around the only wildcard of a glob, if that matches anything. OPA lets them overlap: `a/**/c` matches
/// `a/c`.
fn around_any(glob: &str, has_no_delimiters: bool) -> Option<(&str, &str)> {
    let start = glob.find('*')?;
    let suffix = glob[start..].trim_start_matches('*');
    let is_any = has_no_delimiters || glob.len() - start - suffix.len() > 1;
    let is_literal = |text: &str| !text.is_empty() && !text.contains(['*', '?', '[', '{', '\\', '}', ',']);
    let prefix = &glob[..start];
    (is_any && is_literal(prefix) && is_literal(suffix)).then_some((prefix, suffix))
}

/// The characters that `*` stops at: a dot if the list is empty.
fn delimiters(operands: &[Value]) -> Result<String, BuiltinError> {
    let mut delimiters = String::new();
    for item in array(operands, 1)? {
        let Some(text) = item.as_str() else {
            let got = format!("array containing {}", item.type_name());
            return Err(mismatch(1, "array of strings", &got));
        };
        if text.chars().count() != 1 {
            return Err(mismatch(1, "array of runes", "array containing string"));
        }
        delimiters.push_str(text);
    }
    if delimiters.is_empty() {
        delimiters.push('.');
    }
    Ok(delimiters)
}

/// Translates a glob to a regular expression.
struct Translator {
    /// One character that is not a delimiter.
    single: String,
}

impl Translator {
    fn new(delimiters: &str) -> Self {
        let single =
            if delimiters.is_empty() { ".".to_owned() } else { format!("[^{}]", in_class(delimiters)) };
        Self { single }
    }

    fn translate(&self, glob: &str) -> Result<String, BuiltinError> {
        let fail = BuiltinError::failed;
        // Delimiters alone decide what `*` matches, so a line end is a character like any other.
        let mut out = String::from("(?s)^");
        let mut depth = 0;
        let mut chars = glob.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '*' => {
                    if chars.next_if_eq(&'*').is_some() {
                        while chars.next_if_eq(&'*').is_some() {}
                        out.push_str(".*");
                    } else {
                        out.push_str(&self.single);
                        out.push('*');
                    }
                }
                '?' => out.push_str(&self.single),
                '\\' => {
                    if let Some(c) = chars.next() {
                        out.push_str(&quote_meta(c.encode_utf8(&mut [0; 4])));
                    }
                }
                '[' => {
                    let is_negated = chars.next_if_eq(&'!').is_some();
                    let class = class(&mut chars)?;
                    out.push_str(if is_negated { "[^" } else { "[" });
                    out.push_str(&class);
                    out.push(']');
                }
                // Braces around nothing match nothing, unless they are all.
                '{' if glob != "{}" && chars.next_if_eq(&'}').is_some() => {
                    out.push_str("[^\\x00-\\x{10FFFF}]");
                }
                '{' if depth == MAX_DEPTH => {
                    return Err(fail("braces are nested too deep"));
                }
                '{' => {
                    depth += 1;
                    out.push_str("(?:");
                }
                '}' if depth > 0 => {
                    depth -= 1;
                    out.push(')');
                }
                ',' if depth > 0 => out.push('|'),
                c => out.push_str(&quote_meta(c.encode_utf8(&mut [0; 4]))),
            }
        }
        // OPA 1.20 accepts braces without an end: `{a,b` matches `a`.
        for _ in 0..depth {
            out.push(')');
        }
        out.push('$');
        Ok(out)
    }
}

/// The members of a class, behind its bracket: a range, or a list of characters.
fn class(chars: &mut Peekable<Chars<'_>>) -> Result<String, BuiltinError> {
    let fail = |message: &str| BuiltinError::failed(message);
    let mut next = || chars.next().ok_or_else(|| fail("unexpected end of input"));
    let first = next()?;
    let second = next().ok();
    if first != '\\' && second == Some('-') {
        let last = next()?;
        if last <= first {
            return Err(fail(&format!("hi character '{last}' should be greater than lo '{first}'")));
        }
        return match next()? {
            ']' => Ok(format!("{}-{}", in_class(&first.to_string()), in_class(&last.to_string()))),
            _ => Err(fail("expected close range character")),
        };
    }
    let mut list = String::new();
    let mut rest = [Some(first), second].into_iter();
    let mut next =
        || rest.next().unwrap_or_else(|| chars.next()).ok_or_else(|| fail("unexpected end of input"));
    loop {
        match next()? {
            ']' if list.is_empty() => return Err(fail("could not parse range")),
            ']' => return Ok(in_class(&list)),
            '\\' => list.push(next()?),
            c => list.push(c),
        }
    }
}

/// The characters as members of a class.
fn in_class(chars: &str) -> String {
    let mut out = String::new();
    for c in chars.chars() {
        if "\\]^-[".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
