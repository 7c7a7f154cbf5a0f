//! Writing the answers that cases get into what they want.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use objchange_project::BlessedCases;
use objchange_text::visible;

use crate::exit;
use crate::input::{MAX_DOCUMENT, Source};
use crate::style::GOOD;
use crate::write_file::{Access, write_file};

/// Blesses the cases on these lines of each file, and says how many now pass.
pub(super) fn files(files: &[PathBuf], lines: &[Vec<u64>]) -> io::Result<u64> {
    let mut blessed = 0;
    for (path, lines) in std::iter::zip(files, lines).filter(|(_, lines)| !lines.is_empty()) {
        blessed += file(path, lines)?;
    }
    Ok(blessed)
}

fn file(path: &Path, lines: &[u64]) -> io::Result<u64> {
    let name = path.display().to_string();
    let text = match Source::File(path.to_owned()).bytes_at_most(MAX_DOCUMENT).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        // `check` also reads UTF-16. Blessing replaces answers and nothing else, but written as UTF-8 every byte would
        // change.
        Ok(Err(_)) => {
            exit::complain(&format!("{name}: only UTF-8 files can be changed"))?;
            return Ok(0);
        }
        Err(error) => {
            exit::complain(&error.to_string())?;
            return Ok(0);
        }
    };
    let BlessedCases { text, blessed, unchanged } = BlessedCases::new(&text, lines);
    for number in unchanged {
        exit::warn(&format!(
            "{name}:{number}: not changed, because no answer would make this case pass: it is \
             invalid, it crashes, or its answer contains sensitive values"
        ));
    }
    if blessed.is_empty() {
        return Ok(0);
    }
    if let Err(error) = write_file(path, &text, Access::Usual) {
        exit::complain(&format!("{name}: cannot be written: {error}"))?;
        return Ok(0);
    }
    let mut out = crate::terminal::stdout();
    for number in &blessed {
        writeln!(out, "{GOOD}blessed{GOOD:#} {}:{number}", visible(&name))?;
    }
    out.flush()?;
    Ok(blessed.len() as u64)
}
