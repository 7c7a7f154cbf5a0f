//! What is wrong with a configuration, with the lines of the source.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, Title};
use objchange::internal::visible;
use objchange_hcl::{Diagnostic, Lines, Place, Places, Position, Sources};

/// More errors than this are counted only.
pub(crate) const MAX_SHOWN: usize = 20;
/// A longer line is not shown, nor are more of them.
const MAX_LINE: usize = 4096;
const MAX_LINES: u32 = 12;

/// Where the first error is, and what it is called.
pub(crate) fn first_place(text: &str, found: &[Diagnostic]) -> String {
    let Some(first) = found.first() else { return String::new() };
    let Position { line, column, .. } = Lines::new(text).position(first.subject.start);
    format!("line {line}, column {column}: {}", first.summary)
}

/// Says on standard error what is wrong, each error with its place.
pub(crate) fn show(sources: &Sources, found: &[Diagnostic]) -> io::Result<()> {
    let places = sources.places();
    let mut err = crate::terminal::stderr();
    for diagnostic in found.iter().take(MAX_SHOWN) {
        let report = [group(&places, diagnostic)];
        writeln!(err, "{}", Renderer::styled().render(&report))?;
    }
    count_rest(&mut err, found.len())
}

/// Says how many errors are not shown.
pub(crate) fn count_rest(err: &mut impl Write, count: usize) -> io::Result<()> {
    if count > MAX_SHOWN {
        writeln!(err, "and {} more errors", count - MAX_SHOWN)?;
    }
    Ok(())
}

fn group<'a>(places: &'a Places<'a>, diagnostic: &'a Diagnostic) -> Group<'a> {
    let title = Level::ERROR.primary_title(visible(&diagnostic.summary));
    let group = match places.find(diagnostic.subject) {
        Some(place) => placed(title, place),
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
    if diagnostic.detail.contains("no directory is given") {
        return group.element(Level::HELP.message("name the directory of the files with --base-dir"));
    }
    group
}

/// The lines of a place, or its numbers where they are too long.
pub(crate) fn placed<'a>(title: Title<'a>, Place { name, lines, span }: Place<'a>) -> Group<'a> {
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
    let annotation = AnnotationKind::Primary.span(from..to);
    let snippet = Snippet::source(source).line_start(start.line as usize).path(visible(name));
    title.element(snippet.annotation(annotation))
}
