//! The sink for fenced `diff` blocks: the sign of each line is in its first column, where sites look for it.

use std::io;

use objchange_text::visible;

use super::super::tokens::{Role, Tokens};

/// Adds text to a block, unless that gets longer than so many bytes.
pub(super) fn write(tokens: &Tokens, limit: usize, out: &mut String) -> io::Result<()> {
    let mut line = out.rfind('\n').map_or(0, |end| end + 1);
    for (role, piece) in tokens.pieces() {
        let text = &tokens.text[piece];
        if role == Role::Sign {
            let sign = match text.trim() {
                // Sites have a colour for this one.
                "~" => "!",
                sign => sign,
            };
            let columns = out.len() - line + text.len();
            out.truncate(line);
            out.push_str(&format!("{sign:<columns$}"));
            continue;
        }
        for part in text.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(part) => {
                    push(out, part);
                    out.push('\n');
                    line = out.len();
                }
                None => push(out, part),
            }
        }
    }
    match out.len() > limit {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(()),
    }
}

fn push(out: &mut String, text: &str) {
    // Tabs are as they are in values of several lines.
    for (index, part) in text.split('\t').enumerate() {
        out.push_str(if index > 0 { "\t" } else { "" });
        out.push_str(&visible(part));
    }
}
