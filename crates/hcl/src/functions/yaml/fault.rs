//! The errors of Terraform's YAML reader. The parser used here has other words.

/// An error of the scanner. It points to column 1 of its line; errors in the first line have no position.
pub(super) fn scanned(words: &str, line: usize) -> String {
    if line <= 1 { words.to_owned() } else { format!("on line {line}, column 1: {words}") }
}

/// An error of the parser. It points to the line before, as Terraform does; errors in the first line have no position.
pub(super) fn parsed(words: &str, line: usize, column: usize) -> String {
    if line <= 1 { words.to_owned() } else { format!("on line {}, column {column}: {words}", line - 1) }
}

/// A character begins nothing that there is.
pub(super) const NO_TOKEN: &str = "found character that cannot start any token";

/// Translates a message of the parser to Terraform's words; lines and columns begin with 1.
pub(super) fn translated(info: &str, line: usize, column: usize, text: &str) -> String {
    // Drop the "while parsing …" before the message.
    let words = match info.split_once(", ") {
        Some((doing, words)) if doing.starts_with("while ") => words,
        _ => info,
    };
    let has = |part: &str| info.contains(part);
    if has("unexpected character") {
        scanned(NO_TOKEN, line)
    } else if has("simple key expect") {
        scanned("could not find expected ':'", line)
    } else if has("found unexpected end of stream") {
        // It is noticed at the end.
        scanned(words, 1 + text.matches('\n').count())
    } else if has("unknown anchor") {
        alias(line, column, text)
    } else if has("misplaced bracket") || has("only valid inside a block") {
        parsed("did not find expected node content", line, column)
    } else if has("expected ',' or ']'") {
        parsed("did not find expected ',' or ']'", line, column)
    } else if has("invalid trailing content") {
        parsed("did not find expected <document start>", line, column)
    } else if SCANNED.iter().any(|part| has(part)) {
        scanned(words, line)
    } else {
        parsed(words, line, column)
    }
}

/// Messages of the scanner; all others come from the parser.
const SCANNED: [&str; 5] = [
    "not allowed in this context",
    "did not find expected comment or line break",
    "did not find expected whitespace or line break",
    "did not find expected alphabetic or numeric character",
    "unknown escape character",
];

/// An alias of an anchor that there is not, or that is not the name of one.
fn alias(line: usize, column: usize, text: &str) -> String {
    let at = |line: &str| line.chars().skip(column).collect::<String>();
    let behind = text.split('\n').nth(line.saturating_sub(1)).map(at).unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let name = &behind[..behind.find(|c| !is_part(c)).unwrap_or(behind.len())];
    let ends =
        behind[name.len()..].chars().next().is_none_or(|c| c.is_whitespace() || "?:,]}%@`".contains(c));
    match ends && !name.is_empty() {
        true => parsed(&format!("reference to undefined anchor \"{name}\""), line, column),
        false => scanned("did not find expected alphabetic or numeric character", line),
    }
}
