//! Failures as text for people.

use std::fmt::Write as _;
use std::io::{self, StdoutLock, Write};

use anstream::AutoStream;
use objchange::case::Difference;
use objchange::internal::visible;

use super::run::{Failure, OPERATIONS, Verdict};
use super::{Counts, spelling};
use crate::style::{BAD, FAINT, GOOD};

/// What is longer is cut around the first character that differs.
const MAX_TEXT: usize = 400;
/// So many errors are explained.
const MAX_SENTENCES: usize = 10;
/// How much is shown before that character.
const BEFORE: usize = 60;

pub(super) struct Text {
    out: AutoStream<StdoutLock<'static>>,
}

impl Text {
    pub(super) fn new() -> Self {
        Self { out: AutoStream::auto(io::stdout().lock()) }
    }

    pub(super) fn failure(&mut self, input: &str, verdict: &Verdict, failure: &Failure) -> io::Result<()> {
        let out = &mut self.out;
        write!(out, "{BAD}FAIL{BAD:#} {}:{}", visible(input), verdict.line)?;
        if let Failure::Malformed(malformed) = failure {
            write!(out, ":{}", malformed.column)?;
        }
        if let Some(id) = &verdict.id {
            write!(out, "  {}", visible(id))?;
        }
        if let Some(op) = &verdict.op {
            write!(out, "  {FAINT}{}{FAINT:#}", visible(op))?;
        }
        writeln!(out)?;
        match failure {
            Failure::Different(difference) => write_difference(out, difference),
            Failure::Malformed(malformed) => {
                writeln!(out, "  this is no case that can be run: {}", visible(&malformed.message))
            }
            Failure::UnknownOperation => {
                let op = verdict.op.as_deref().unwrap_or_default();
                let hint = spelling::hint(op, OPERATIONS.iter().map(|operation| operation.name));
                writeln!(
                    out,
                    "  unknown operation: objchange does not know what this asks for{}",
                    visible(&hint)
                )
            }
            Failure::Panicked => {
                writeln!(out, "  objchange itself crashed on this case: please report it with the case")
            }
        }
    }

    pub(super) fn finish(mut self, counts: Counts) -> io::Result<()> {
        let style = if counts.failed == 0 { GOOD } else { BAD };
        writeln!(self.out, "{style}{} passed, {} failed{style:#}", counts.passed, counts.failed)?;
        self.out.flush()
    }
}

fn write_difference(out: &mut impl Write, difference: &Difference) -> io::Result<()> {
    let Difference { path, got, want, note, explained } = difference;
    let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    if path.is_root() {
        writeln!(out, "  the answers differ{note}")?;
    } else {
        writeln!(out, "  at {path}{note}")?;
    }
    let (got, want) = excerpts(got, want);
    writeln!(out, "    got:  {BAD}{got}{BAD:#}")?;
    writeln!(out, "    want: {GOOD}{want}{GOOD:#}")?;
    for sentence in explained.iter().take(MAX_SENTENCES) {
        writeln!(out, "    {}", excerpt(sentence, 0))?;
    }
    match explained.len().saturating_sub(MAX_SENTENCES) {
        0 => Ok(()),
        more => writeln!(out, "    …({more} more errors)"),
    }
}

/// Both texts on one line each, and long ones cut to where they differ.
fn excerpts(got: &str, want: &str) -> (String, String) {
    let common = std::iter::zip(got.chars(), want.chars()).take_while(|(a, b)| a == b).count();
    let longest = got.chars().count().max(want.chars().count());
    let skip = if longest > MAX_TEXT { common.saturating_sub(BEFORE) } else { 0 };
    (excerpt(got, skip), excerpt(want, skip))
}

fn excerpt(text: &str, skip: usize) -> String {
    let mut shown = String::new();
    if skip > 0 {
        let _ = write!(shown, "…({skip} more characters) ");
    }
    let mut rest = text.chars().skip(skip);
    let part: String = rest.by_ref().take(MAX_TEXT).collect();
    shown.push_str(&visible(&part));
    let left = rest.count();
    if left > 0 {
        let _ = write!(shown, " …({left} more characters)");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_shown_whole() {
        assert_eq!(excerpts("[1,2]", "[1,3]"), ("[1,2]".into(), "[1,3]".into()));
    }

    #[test]
    fn long_texts_are_cut_around_the_difference() {
        let same = "a".repeat(1_000);
        let (got, want) = excerpts(&format!("{same}b{same}"), &format!("{same}c"));
        let before = "a".repeat(BEFORE);
        assert_eq!(want, format!("…(940 more characters) {before}c"));
        assert!(got.starts_with(&format!("…(940 more characters) {before}baa")));
        assert!(got.ends_with("a …(661 more characters)"), "{got}");
    }
}
