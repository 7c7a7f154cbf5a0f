//! Compiles the text of an expression.

use std::ops::Range;
use std::sync::Arc;

use cel::common::ast::IdedExpr;
use objchange_text::re2::Pattern;

use super::check::Checker;
use super::error::{QueryError, QueryErrorKind};
use super::functions::ENVIRONMENT;
use super::kinds::WrittenPath;
use super::model::CollectionKind;
use super::tree::{Places, is_deeper};

/// The maximum length of an expression, in bytes.
const MAX_TEXT: usize = 10_000;
/// The maximum nesting of an expression. Without optimisation, a level of the evaluation takes about 40 kB of stack,
/// and a thread may have 2 MB.
const MAX_DEPTH: usize = 32;
/// The most operators in a row, in one operand of `&&`, `||`, `?:` or a list. They nest, and the parser takes quadratic time: 2,000
/// sums took 8 s without optimisation.
const MAX_ROW: usize = 256;
/// The parser recurses before the depth is known, so its stack has room for the nesting of the longest text many times
/// over.
const STACK: usize = 256 << 20;

/// A checked expression.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) expr: IdedExpr,
    pub(super) places: Places,
    pub(super) patterns: Arc<[Pattern]>,
    /// Where each comparison stands.
    pub(super) comparisons: Vec<Range<usize>>,
    /// The paths that are written in it, with where they stand.
    pub(super) paths: Vec<(WrittenPath, Range<usize>)>,
    /// Whether it has an operator that takes errors for absence.
    pub(super) hides_errors: bool,
    /// Whether it looks at the version of the plan.
    pub(super) reads_version: bool,
}

impl Compiled {
    pub(super) fn parse(collection: CollectionKind, text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_TEXT {
            let message = format!("the expression is longer than {MAX_TEXT} bytes");
            return Err(QueryError::new(QueryErrorKind::Limit, 0..0, message));
        }
        if has_long_row(text) {
            let message =
                format!("the expression nests too deeply: it has more than {MAX_ROW} operators in a row");
            return Err(QueryError::new(QueryErrorKind::Limit, 0..text.len(), message));
        }
        let parsed = std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK);
            let thread = builder.spawn_scoped(scope, || parse(collection, text));
            // A panic of the parser becomes an error of the expression.
            thread.ok().and_then(|thread| thread.join().ok())
        });
        let failed =
            || QueryError::new(QueryErrorKind::Syntax, 0..text.len(), "the expression cannot be parsed");
        parsed.unwrap_or_else(|| Err(failed()))
    }
}

fn parse(collection: CollectionKind, text: &str) -> Result<Compiled, QueryError> {
    let (mut expr, source) = ENVIRONMENT.parser().parse_with_source_info(text).map_err(|errors| {
        let Some(first) = errors.errors.first() else {
            return QueryError::new(QueryErrorKind::Syntax, 0..0, "this is no expression");
        };
        let place = Places::at(text, first.pos);
        let kind = if first.msg.contains("Recursion limit") {
            QueryErrorKind::Limit
        } else {
            QueryErrorKind::Syntax
        };
        let help = operator_of_another_language(text, place.start);
        QueryError::new(kind, place, spoken(&first.msg)).help(help)
    })?;
    let places = Places::new(text, source);
    let mut checker = Checker {
        collection,
        places: &places,
        bound: Vec::new(),
        patterns: Vec::new(),
        comparisons: Vec::new(),
        paths: Vec::new(),
        hides_errors: false,
        reads_version: false,
    };
    checker.check(&mut expr)?;
    // The checks may have made the expression deeper.
    if is_deeper(&expr, MAX_DEPTH) {
        let message = format!("the expression nests deeper than {MAX_DEPTH} levels");
        return Err(QueryError::new(QueryErrorKind::Limit, 0..text.len(), message));
    }
    let Checker { patterns, comparisons, paths, hides_errors, reads_version, .. } = checker;
    Ok(Compiled { expr, places, patterns: patterns.into(), comparisons, paths, hides_errors, reads_version })
}

/// Whether more than [`MAX_ROW`] operators follow each other, so that each nests in the next.
fn has_long_row(text: &str) -> bool {
    let bytes = text.as_bytes();
    // The operators so far: in the innermost bracket, and in those around it.
    let (mut row, mut around) = (0, Vec::new());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        let mut length = 1;
        match byte {
            b'\'' | b'"' => {
                let is_raw = at > 0 && bytes[at - 1].eq_ignore_ascii_case(&b'r');
                length = string_length(&bytes[at..], is_raw);
            }
            b'(' | b'{' => around.push(std::mem::take(&mut row)),
            // It is an index, which nests, or begins a list.
            b'[' => around.push(std::mem::take(&mut row) + 1),
            b')' | b']' | b'}' => row = around.pop().unwrap_or(row),
            b',' | b'?' | b':' | b'&' | b'|' => row = 0,
            b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' => row += 1,
            b'=' | b'!' if next == b'=' => (row, length) = (row + 1, 2),
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                length = bytes[at..].iter().take_while(is_part).count();
                row += usize::from(&bytes[at..at + length] == b"in");
            }
            _ => {}
        }
        if row > MAX_ROW {
            return true;
        }
        at += length;
    }
    false
}

/// The length of a string literal that begins here, with its quotes.
fn string_length(bytes: &[u8], is_raw: bool) -> usize {
    let quote = bytes[0];
    let width = if bytes.starts_with(&[quote; 3]) { 3 } else { 1 };
    let mut at = width;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if !is_raw => at += 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3][..width]) => return at + width,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The operator that is meant by one of another language.
fn operator_of_another_language(text: &str, at: usize) -> Option<String> {
    let (before, here) = (text.get(..at)?, text.get(at..)?);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let next = &here[..here.find(|c: char| !is_part(c)).unwrap_or(here.len())];
    let last = before.trim_end().rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
    let meant = match (next.to_ascii_lowercase().as_str(), last.to_ascii_lowercase().as_str()) {
        ("and", _) => "&&",
        ("or", _) => "||",
        ("is" | "eq" | "equals", _) => "==",
        ("ne", _) => "!=",
        (_, "not") => "!",
        _ if here.starts_with("=>") => ">=",
        _ if here.starts_with('=') && before.ends_with(['=', '!']) => "==",
        _ if here.starts_with('=') => "==",
        _ if here.starts_with('>') && before.ends_with('<') => "!=",
        _ if here.starts_with('&') => "&&",
        _ if here.starts_with('|') => "||",
        _ => return None,
    };
    Some(format!("did you mean `{meant}`?"))
}

/// Shortens the parser's message, which lists every token that it expected.
fn spoken(message: &str) -> String {
    let message = message.strip_prefix("Syntax error: ").unwrap_or(message);
    let quoted = message.split_once('\'').map(|(_, rest)| rest.split("' expecting").next().unwrap_or(rest));
    let quoted = quoted.map(|quoted| quoted.trim_end_matches('\'')).unwrap_or_default();
    if message.contains("Recursion limit") {
        return "the expression nests too deeply".to_owned();
    }
    if message.contains("'<EOF>'") && !message.contains("expecting <EOF>") {
        return match message.strip_prefix("missing '").and_then(|rest| rest.split('\'').next()) {
            Some(missing) => format!("`{missing}` is missing at the end"),
            None => "the expression ends too early".to_owned(),
        };
    }
    // ANTLR, which has generated the parser, begins its messages like this.
    let known = ["token recognition error", "mismatched input", "extraneous input", "no viable alternative"];
    match known.iter().any(|known| message.starts_with(known)) {
        true => format!("this cannot stand here: `{quoted}`"),
        false => message.to_owned(),
    }
}
