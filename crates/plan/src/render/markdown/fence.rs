//! The sink for fenced `diff` blocks: the sign of each line is in its first column, where sites look for it. A block has no
//! other markup, so that carets on a line of their own mark what differs in long values.

use std::io;
use std::iter::zip;
use std::ops::Range;

use objchange_text::visible;

use super::super::tokens::{Role, Tokens};

/// The shortest values whose differing characters are marked: shorter ones are compared at a glance.
const LONG: usize = 30;

/// Adds text to a block, unless that gets longer than so many bytes.
pub(super) fn write(tokens: &Tokens, limit: usize, out: &mut String) -> io::Result<()> {
    let mut line = out.rfind('\n').map_or(0, |end| end + 1);
    let mut change = Change::default();
    for (role, piece) in tokens.pieces() {
        let text = &tokens.text[piece];
        let start = out.len();
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
                    let carets = change.carets(&out[line..], line);
                    out.push('\n');
                    if let Some(carets) = carets {
                        out.push_str(&carets);
                        out.push('\n');
                    }
                    line = out.len();
                    change = Change::default();
                }
                None => push(out, part),
            }
        }
        // A piece that ends in another line than it starts in is none that carets can mark.
        if start >= line {
            change.add(role, start..out.len());
        }
    }
    match out.len() > limit {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(()),
    }
}

/// The values on both sides of an arrow, as far as they are on the line that is being written.
#[derive(Default)]
struct Change {
    before: Option<Range<usize>>,
    has_arrow: bool,
    after: Option<Range<usize>>,
}

impl Change {
    fn add(&mut self, role: Role, piece: Range<usize>) {
        match role {
            Role::Arrow => self.has_arrow = true,
            Role::Value if self.has_arrow => self.after = Some(piece),
            Role::Value => self.before = Some(piece),
            _ => {}
        }
    }

    /// A line with carets below the characters in which the values differ, where both are long and mostly equal.
    fn carets(&self, text: &str, start: usize) -> Option<String> {
        let sides = [self.before.as_ref()?, self.after.as_ref()?];
        let [before, after] = sides.map(|side| &text.as_bytes()[side.start - start..side.end - start]);
        let shortest = before.len().min(after.len());
        // Tabs and characters outside of ASCII may take more than one column.
        if shortest < LONG || !text.is_ascii() || text.contains('\t') {
            return None;
        }
        let first = zip(before, after).take_while(|(before, after)| before == after).count();
        let ends = zip(before.iter().rev(), after.iter().rev()).take(shortest - first);
        let last = ends.take_while(|(before, after)| before == after).count();
        if first + last < before.len().max(after.len()) / 2 || before == after {
            return None;
        }
        let mut line = String::new();
        for side in sides {
            let (from, to) = (side.start - start + first, side.end - start - last);
            if from < to {
                line.push_str(&" ".repeat(from - line.len()));
                line.push_str(&"^".repeat(to - from));
            }
        }
        Some(line)
    }
}

fn push(out: &mut String, text: &str) {
    // Tabs are as they are in values of several lines.
    for (index, part) in text.split('\t').enumerate() {
        out.push_str(if index > 0 { "\t" } else { "" });
        out.push_str(&visible(part));
    }
}
