//! A comparison as text for people, with the signs in the first column.

use std::io::{self, Write};

use objchange_text::visible;

use super::comparison::Comparison;
use super::words::{
    OriginLine, describe, name, origin_sections, sections, sign, totals, value_lines, verdict,
};
use crate::options::Colour;

impl Comparison<'_> {
    /// Writes what differs as text: a headline with counts, then each difference with its values. `names` are those of the
    /// plans.
    ///
    /// `-` is only in the first plan and `+` only in the second; `!` is a surprise, and `~` is expected.
    ///
    /// # Errors
    ///
    /// The text cannot be written.
    pub fn write_text(&self, out: &mut dyn Write, colour: Colour, names: [&str; 2]) -> io::Result<()> {
        writeln!(out, "{}: {}.", verdict(&self.counts), totals(&self.counts))?;
        let (sections, origins) = (sections(self), origin_sections(self));
        if self.is_same() && origins.is_empty() {
            return Ok(());
        }
        writeln!(out, "  A: {}\n  B: {}", visible(names[0]), visible(names[1]))?;
        let (start, end) = if colour == Colour::Always { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
        for (title, differences) in sections {
            writeln!(out, "\n{start}{title}{end} ({})", differences.len())?;
            for difference in differences {
                let sign = coloured(sign(difference.kind), colour);
                writeln!(out, "{sign} {}: {}", visible(&name(difference)), visible(&describe(difference)))?;
                for (sign, line) in value_lines(difference) {
                    writeln!(out, "{}     {line}", coloured(sign, colour))?;
                }
            }
        }
        for (title, lines) in origins {
            writeln!(out, "\n{start}{title}{end} ({})", lines.len())?;
            for OriginLine { sign, name, description } in lines {
                writeln!(out, "{} {}: {}", coloured(sign, colour), visible(&name), visible(&description))?;
            }
        }
        Ok(())
    }
}

fn coloured(sign: char, colour: Colour) -> String {
    let code = match sign {
        _ if colour == Colour::Never => return sign.to_string(),
        '+' => 32,
        '-' => 31,
        '!' => 35,
        _ => 33,
    };
    format!("\x1b[{code}m{sign}\x1b[0m")
}
