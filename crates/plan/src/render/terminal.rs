//! The sink for terminals: text with colour sequences, or without.
//!
//! A unit that has any sequence ends in one more reset, even where nothing is left to reset: that is what
//! Terraform writes.

use std::io::{self, Write};

use super::tokens::{Role, Tokens};
use crate::options::Colour;

const RESET: &str = "\x1b[0m";

/// Writes text for a terminal of so many columns. `out` is only room for it.
pub(super) fn write(
    tokens: &Tokens,
    colour: Colour,
    columns: usize,
    out: &mut String,
    to: &mut dyn Write,
) -> io::Result<()> {
    let width = columns.saturating_sub(1).max(1);
    out.clear();
    let (mut copied, mut paragraph) = (0, 0);
    for (role, piece) in tokens.pieces() {
        let (start, end) = match colour {
            Colour::Never => ("", ""),
            Colour::Always => sequences(role),
        };
        let is_layout = matches!(role, Role::ParagraphStart | Role::ParagraphEnd | Role::Rule);
        // Text that stays as it is is copied with what is around it.
        if start.is_empty() && end.is_empty() && !is_layout {
            continue;
        }
        out.push_str(&tokens.text[copied..piece.start]);
        copied = piece.end;
        let piece = &tokens.text[piece];
        match role {
            Role::ParagraphStart => paragraph = out.len(),
            Role::ParagraphEnd => {
                let prose = out.split_off(paragraph);
                wrap(&prose, width, out);
            }
            Role::Rule => out.extend([start, "\n", &"─".repeat(width), end, "\n"]),
            Role::Sign => out.push_str(coloured(piece)),
            Role::LegendSign => {
                let sign = coloured(piece);
                // The unit goes on behind it.
                out.extend([sign.strip_suffix("\x1b[0m ").unwrap_or(sign), " "]);
            }
            _ => {
                out.push_str(start);
                out.push_str(piece);
                out.push_str(end);
            }
        }
    }
    to.write_all(out.as_bytes())?;
    to.write_all(&tokens.text.as_bytes()[copied..])
}

/// Writes prose broken at spaces so that no line is wider than `width` characters, unless a single word is.
///
/// Colour sequences count as characters: that is where Terraform breaks its lines.
fn wrap(prose: &str, width: usize, out: &mut String) {
    let mut column = 0;
    for word in prose.split(' ') {
        let length = word.chars().count();
        if column > 0 {
            let fits = column + 1 + length <= width;
            out.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 1 } else { 0 };
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}

/// The sequences around text.
fn sequences(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Plain
        | Role::Indent
        | Role::Key
        | Role::Value
        | Role::Marker
        | Role::Comment
        | Role::ParagraphStart
        | Role::ParagraphEnd
        | Role::FoldStart
        | Role::FoldBody
        | Role::FoldEnd
        | Role::EntryStart
        | Role::EntryEnd => ("", ""),
        Role::Null | Role::Hidden => ("\x1b[90m", "\x1b[0m\x1b[0m"),
        Role::Arrow => ("\x1b[33m", "\x1b[0m\x1b[0m"),
        Role::ForcesReplacement => ("\x1b[31m", "\x1b[0m\x1b[0m"),
        Role::Rule => ("\x1b[90m", RESET),
        // The sign sets the colour.
        Role::Sign | Role::LegendSign | Role::CommentSign | Role::UnitEnd => ("", RESET),
        Role::Heading | Role::Strong => ("\x1b[1m", RESET),
        Role::StrongRest => ("\x1b[1m", ""),
        Role::Danger => ("\x1b[1m\x1b[31m", RESET),
        Role::Caution => ("\x1b[33m", RESET),
        Role::CautionStart => ("\x1b[33m", ""),
        Role::Note => ("\x1b[1m\x1b[36m", RESET),
        // Terraform resets the colour before these two, although nothing has set it.
        Role::Success => ("\x1b[0m\x1b[1m\x1b[32m", RESET),
        Role::Failure => ("\x1b[0m\x1b[1m\x1b[31m", RESET),
    }
}

/// A sign in its columns.
fn coloured(sign: &str) -> &str {
    match sign {
        "  + " => "  \x1b[32m+\x1b[0m\x1b[0m ",
        "  - " => "  \x1b[31m-\x1b[0m\x1b[0m ",
        "  ~ " => "  \x1b[33m~\x1b[0m\x1b[0m ",
        " <= " => " \x1b[36m<=\x1b[0m\x1b[0m ",
        "-/+ " => "\x1b[31m-\x1b[0m/\x1b[32m+\x1b[0m\x1b[0m ",
        "+/- " => "\x1b[32m+\x1b[0m/\x1b[31m-\x1b[0m\x1b[0m ",
        " . " => " \x1b[31m.\x1b[0m\x1b[0m ",
        "  . " => "  \x1b[31m.\x1b[0m\x1b[0m ",
        "./+ " => "\x1b[31m.\x1b[0m/\x1b[32m+\x1b[0m\x1b[0m ",
        "  ./+ " => "  \x1b[31m.\x1b[0m/\x1b[32m+\x1b[0m\x1b[0m ",
        " +/. " => " \x1b[32m+\x1b[0m/\x1b[31m.\x1b[0m\x1b[0m ",
        "  ? " => "  \x1b[33m?\x1b[0m\x1b[0m ",
        spaces => spaces,
    }
}
