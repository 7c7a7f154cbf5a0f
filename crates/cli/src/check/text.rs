//! Failures as text for people.

use std::fmt::Write as _;
use std::io::{self, StdoutLock, Write};

use anstream::AutoStream;
use objchange::{Type, Value};
use objchange_case::{CaseFailure, CaseVerdict, Difference};
use objchange_plan::diff::{DiffAction, diff_values};
use objchange_plan::render::render_value;
use objchange_plan::{Colour, Options};
use objchange_project::{CaseLine, OPERATIONS};
use objchange_text::visible;

use super::Counts;
use crate::style::{BAD, FAINT, GOOD, colour};

/// The maximum number of characters to show of a text. Longer texts are cut around the first difference.
const MAX_TEXT: usize = 400;
/// Longer answers are shown as a diff of their lines.
const MAX_LINE: usize = 100;
/// The number of lines of a difference that are shown.
const MAX_LINES: usize = 60;
/// The number of errors that are explained.
const MAX_SENTENCES: usize = 10;
/// The number of characters to show before the first difference.
const BEFORE: usize = 60;

pub(super) struct Text {
    out: AutoStream<StdoutLock<'static>>,
    colour: Colour,
}

impl Text {
    pub(super) fn new() -> Self {
        let stdout = io::stdout();
        Self { colour: colour(&stdout), out: AutoStream::auto(stdout.lock()) }
    }

    pub(super) fn failure(
        &mut self,
        input: &str,
        verdict: &CaseLine,
        failure: &CaseFailure,
    ) -> io::Result<()> {
        let out = &mut self.out;
        let CaseVerdict { id, op, .. } = &verdict.verdict;
        write!(out, "{BAD}FAIL{BAD:#} {}:{}", visible(input), verdict.line)?;
        if let CaseFailure::Malformed(malformed) = failure {
            write!(out, ":{}", malformed.column)?;
        }
        if let Some(id) = id {
            write!(out, "  {}", visible(id))?;
        }
        if let Some(op) = op {
            write!(out, "  {FAINT}{}{FAINT:#}", visible(op))?;
        }
        writeln!(out)?;
        match failure {
            CaseFailure::Different(difference) => write_difference(out, difference, self.colour),
            CaseFailure::Malformed(malformed) => {
                writeln!(out, "  this case cannot be run: {}", visible(&malformed.message))
            }
            CaseFailure::UnknownOperation => {
                let hint = verdict.verdict.operation_hint(&OPERATIONS);
                writeln!(
                    out,
                    "  unknown operation: objchange does not know what this asks for{}",
                    visible(&hint)
                )
            }
            CaseFailure::Panicked => {
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

fn write_difference(out: &mut impl Write, difference: &Difference, colour: Colour) -> io::Result<()> {
    let Difference { path, got, want, note, values, explained } = difference;
    let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    if path.is_root() {
        writeln!(out, "  the answers differ{note}")?;
    } else {
        writeln!(out, "  at {path}{note}")?;
    }
    let is_long = got.len().max(want.len()) > MAX_LINE;
    match values.as_ref().filter(|_| is_long).and_then(|(got, want)| lines(got, want, colour)) {
        Some(lines) => writeln!(out, "    from the actual to the expected answer:\n{lines}")?,
        None => {
            let (got, want) = excerpts(got, want);
            writeln!(out, "    got:  {BAD}{got}{BAD:#}")?;
            writeln!(out, "    want: {GOOD}{want}{GOOD:#}")?;
        }
    }
    for sentence in explained.iter().take(MAX_SENTENCES) {
        writeln!(out, "    {}", excerpt(sentence, 0))?;
    }
    match explained.len().saturating_sub(MAX_SENTENCES) {
        0 => Ok(()),
        more => writeln!(out, "    …({more} more errors)"),
    }
}

/// The diff of two values, as a plan shows it; `None` if it is empty or too long to read.
fn lines(got: &Value, want: &Value, colour: Colour) -> Option<String> {
    let ty = if got.ty() == want.ty() { got.ty() } else { &Type::Dynamic };
    let diff = diff_values(got, want, ty);
    let differs = diff.action != DiffAction::NoOp;
    let shown = render_value("value", diff, &Options { colour, ..Options::default() });
    let is_readable = differs && shown.lines().count() <= MAX_LINES;
    is_readable
        .then(|| shown.lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end().to_owned())
}

/// Both texts on one line each, and long ones cut to where they differ.
fn excerpts(got: &str, want: &str) -> (String, String) {
    // Counted in characters: slicing at a byte within one panics.
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
    fn what_differs_in_long_values_is_shown_as_in_a_plan() {
        let policy =
            |action: &str| format!(r#"{{"Effect":"Allow","DiffAction":["{action}","{}"]}}"#, "x".repeat(90));
        let difference = Difference {
            values: Some((Value::from(policy("s3:Get")), Value::from(policy("s3:Put")))),
            ..Difference::whole(policy("s3:Get"), policy("s3:Put"))
        };
        let mut out = Vec::new();
        write_difference(&mut out, &difference, Colour::Never).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("\n                  ~ \"s3:Get\" -> \"s3:Put\",\n"), "{text}");
        let secret = |text: &str| Value::tuple([Value::from(text).sensitive(), Value::from("a".repeat(90))]);
        let lines = lines(&secret("hunter1"), &secret("hunter2"), Colour::Never).unwrap();
        assert!(lines.contains("(sensitive value)") && !lines.contains("hunter"), "{lines}");
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
