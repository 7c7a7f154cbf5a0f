//! Globs, whose `*` stops at delimiters.

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
        Value::Null => String::new(),
        _ => delimiters(operands)?,
    };
    let pattern = Translator::new(&delimiters).translate(text(operands, 0)?)?;
    let text = text(operands, 2)?;
    context.charge(text.len() + pattern.len())?;
    some(context.pattern(&pattern)?.is_match(text.as_bytes()))
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
    /// One character that is no delimiter.
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
                    let c = chars.next().unwrap_or('\\');
                    out.push_str(&quote_meta(c.encode_utf8(&mut [0; 4])));
                }
                '[' => {
                    let is_negated = chars.next_if_eq(&'!').is_some();
                    let mut list = String::new();
                    loop {
                        match chars.next() {
                            None => return Err(fail("unexpected end of input")),
                            Some(']') => break,
                            Some('\\') => list.extend(chars.next()),
                            Some(c) => list.push(c),
                        }
                    }
                    let members: Vec<char> = list.chars().collect();
                    let class = match members.as_slice() {
                        [] => return Err(fail("could not parse range")),
                        [low, '-', high] if low <= high => {
                            let mut bounds = [in_class(&low.to_string()), in_class(&high.to_string())];
                            format!("{}-{}", std::mem::take(&mut bounds[0]), std::mem::take(&mut bounds[1]))
                        }
                        [_, '-', _] => return Err(fail("hi character should be greater than lo")),
                        [_, '-', _, ..] => return Err(fail("expected close range character")),
                        _ => in_class(&list),
                    };
                    out.push_str(if is_negated { "[^" } else { "[" });
                    out.push_str(&class);
                    out.push(']');
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
        for _ in 0..depth {
            out.push(')');
        }
        out.push('$');
        Ok(out)
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
