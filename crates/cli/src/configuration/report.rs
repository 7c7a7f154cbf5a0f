//! What is wrong with a configuration, with the lines of the source.

use std::io::{self, Write};
use std::ops::{Range, RangeInclusive};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, Title};
use objchange_hcl::{Diagnostic, HiddenSource, LineIndex, Place, Places, Position, Severity, Sources, Span};
use objchange_text::visible;

/// More errors than this are counted only.
const MAX_SHOWN: usize = 20;
/// A longer line is not shown, nor are more of them.
const MAX_LINE: usize = 4096;
const MAX_LINES: u32 = 12;

/// Where the first error is, and what it is called.
pub(crate) fn first_place(text: &str, found: &[Diagnostic]) -> String {
    let Some(first) = found.first() else { return String::new() };
    let start = first.subject.unwrap_or_default().start;
    let Position { line, column, .. } = LineIndex::new(text).position(start);
    format!("line {line}, column {column}: {}", first.summary)
}

/// Says on standard error what is wrong, each error with its place, without the hidden parts of its lines.
pub(crate) fn show(sources: &Sources, hidden: &HiddenSource, found: &[Diagnostic]) -> io::Result<()> {
    let places = sources.places();
    let mut err = crate::terminal::stderr();
    for diagnostic in found.iter().take(MAX_SHOWN) {
        writeln!(err, "{}", snippet(&places, hidden, diagnostic, false))?;
    }
    if found.len() > MAX_SHOWN {
        writeln!(err, "and {} more errors", found.len() - MAX_SHOWN)?;
    }
    Ok(())
}

/// A diagnostic with its lines, and its kind if people may look that up.
pub(crate) fn snippet(
    places: &Places<'_>,
    hidden: &HiddenSource,
    diagnostic: &Diagnostic,
    with_kind: bool,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(visible(&diagnostic.summary));
    let title = if with_kind { title.id(&*diagnostic.kind) } else { title };
    let group = match diagnostic.subject.and_then(|subject| Some((subject, places.find(subject)?))) {
        Some((subject, place)) => {
            // Spans are of all files together, and those of a place of its file.
            let before = subject.start.saturating_sub(place.span.start);
            let in_file = |span: &Span| {
                let start = span.start.checked_sub(before)?;
                Some(Span::new(start, span.end - before))
            };
            let hidden: Vec<Span> = hidden.spans().iter().filter_map(in_file).collect();
            placed(title, place, &hidden)
        }
        None => Group::with_title(title),
    };
    let group = match &*diagnostic.detail {
        "" => group,
        detail => group.element(Level::NOTE.message(visible(detail))),
    };
    let values: Vec<String> =
        diagnostic.values.iter().map(|(name, value)| format!("{} is {value}", visible(name))).collect();
    let group = match &values[..] {
        [] => group,
        values => group.element(Level::NOTE.message(values.join("; "))),
    };
    let mut hints: Vec<&str> = diagnostic.hints.iter().map(|hint| &**hint).collect();
    if diagnostic.detail.contains("no directory is given") {
        hints.push("name the directory of the files with --base-dir");
    }
    let group =
        hints.into_iter().fold(group, |group, hint| group.element(Level::HELP.message(visible(hint))));
    Renderer::styled().render(&[group])
}

/// The lines of a place without these parts of the file, or its numbers where the lines are too long.
fn placed<'a>(title: Title<'a>, Place { name, lines, span }: Place<'a>, hidden: &[Span]) -> Group<'a> {
    let (start, end) = (lines.position(span.start), lines.position(span.end));
    let last = end.line.min(start.line + MAX_LINES);
    let shown: Vec<&str> = (start.line..=last).map(|line| lines.line(line)).collect();
    if shown.iter().any(|line| line.len() > MAX_LINE) {
        let place = format!("{}:{}:{}", visible(name), start.line, start.column);
        return title.element(Level::NOTE.message(place));
    }
    let first = lines.start(start.line);
    let source = shown.join("\n");
    let from = (span.start - first) as usize;
    let to = (span.end.saturating_sub(first) as usize).clamp(from, source.len().max(from));
    // Not within a character, which a line end of two bytes that was left out could lead to.
    let to = (from..=to).rev().find(|to| source.is_char_boundary(*to)).unwrap_or(from);
    let hidden = hidden_in_lines(lines, start.line..=last, hidden);
    let from = masked_place(from, &hidden, false);
    let to = masked_place(to, &hidden, true).max(from);
    let source = masked(&source, &hidden);
    let annotation = AnnotationKind::Primary.span(from..to);
    let snippet = Snippet::source(source).line_start(start.line as usize).path(visible(name));
    title.element(snippet.annotation(annotation))
}

/// What stands for a hidden part.
const HIDDEN: &str = "(sensitive value)";

/// Where the hidden parts are in these lines, joined by line feeds; none goes over the end of a line.
fn hidden_in_lines(
    lines: &LineIndex<'_>,
    numbers: RangeInclusive<u32>,
    hidden: &[Span],
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut before = 0;
    for number in numbers {
        let (line, start) = (lines.line(number), lines.start(number) as usize);
        let in_line = |byte: u32| (byte as usize).saturating_sub(start).min(line.len());
        let parts = hidden.iter().map(|span| in_line(span.start)..in_line(span.end));
        let parts = parts.filter(|part| !part.is_empty() && line.get(part.clone()).is_some());
        found.extend(parts.map(|part| before + part.start..before + part.end));
        before += line.len() + 1;
    }
    found
}

/// The text without its hidden parts.
fn masked(text: &str, hidden: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut copied = 0;
    for part in hidden {
        out.push_str(&text[copied..part.start]);
        out.push_str(HIDDEN);
        copied = part.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// Where a byte of the text is in the masked one: of one that is hidden, the end of the mask or its start.
fn masked_place(place: usize, hidden: &[Range<usize>], is_end: bool) -> usize {
    let mut before = 0;
    let mut copied = 0;
    for part in hidden.iter().take_while(|part| part.start < place) {
        before += part.start - copied;
        if place < part.end {
            return if is_end { before + HIDDEN.len() } else { before };
        }
        before += HIDDEN.len();
        copied = part.end;
    }
    before + place - copied
}
