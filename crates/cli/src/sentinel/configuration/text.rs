//! Strings and heredocs. `${` begins nothing: a configuration has nothing to put there.

use super::Problem;
use super::cursor::{Cursor, Read};

/// A string in quotes, with the escapes of HCL and of JSON.
pub(super) fn quoted(cursor: &mut Cursor<'_>) -> Read<String> {
    let open = cursor.at();
    cursor.next();
    let mut text = String::new();
    loop {
        let at = cursor.at();
        match cursor.next() {
            Some('"') => return Ok(text),
            Some('\\') => {
                let escaped = cursor.next();
                text.push(match escaped {
                    Some(c @ ('"' | '\\' | '/')) => c,
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    Some('b') => '\u{8}',
                    Some('f') => '\u{c}',
                    Some('u') => match code(cursor, 4) {
                        // The first half of a character that JSON writes in two.
                        Some(high @ 0xd800..0xdc00) if cursor.take("\\u") => {
                            code(cursor, 4).filter(|low| (0xdc00..0xe000).contains(low)).and_then(|low| {
                                char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))
                            })
                        }
                        code => code.and_then(char::from_u32),
                    }
                    .ok_or_else(|| Problem::new(at, "this escape stands for no character"))?,
                    Some('U') => code(cursor, 8)
                        .and_then(char::from_u32)
                        .ok_or_else(|| Problem::new(at, "this escape stands for no character"))?,
                    Some(_) | None => {
                        return Err(Problem::new(at, "there is no such escape: write \\\\ for a backslash"));
                    }
                });
            }
            // As HCL escapes what would begin a template.
            Some(c @ ('$' | '%')) if cursor.is_hcl && cursor.is_at(&format!("{c}{{")) => {
                cursor.next();
                text.push(c);
            }
            None | Some('\n') => {
                return Err(Problem::new(open, "this string has no end on its line: close it with \""));
            }
            Some(c) => text.push(c),
        }
    }
}

fn code(cursor: &mut Cursor<'_>, digits: usize) -> Option<u32> {
    let mut code = 0_u32;
    for _ in 0..digits {
        code = code.checked_mul(16)?.checked_add(cursor.peek()?.to_digit(16)?)?;
        cursor.next();
    }
    Some(code)
}

/// `<<END` and the lines up to one that is END; with `<<-END` without what all of them are indented by.
pub(super) fn heredoc(cursor: &mut Cursor<'_>) -> Read<String> {
    let open = cursor.at();
    cursor.take("<<");
    let is_indented = cursor.take("-");
    let end = cursor.take_while(|c| c != '\n').trim();
    cursor.next();
    if end.is_empty() || !end.chars().all(super::cursor::is_name) {
        return Err(Problem::new(open, "a word must follow <<, which ends the text on a line of its own"));
    }
    let mut lines = Vec::new();
    loop {
        let line = cursor.line();
        if line.trim() == end {
            // The newline stays, as what ends the attribute.
            cursor.take_while(|c| c != '\n');
            break;
        }
        cursor.take_while(|c| c != '\n');
        if cursor.next().is_none() {
            return Err(Problem::new(open, format!("this text has no end: a line must be {end}")));
        }
        lines.push(line.strip_suffix('\r').unwrap_or(line));
    }
    let blanks = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let indent = match is_indented {
        true => lines.iter().filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or(0),
        false => 0,
    };
    // A line of nothing but blanks may have fewer of them.
    Ok(lines.iter().flat_map(|line| [line.get(indent..).unwrap_or_default(), "\n"]).collect())
}
