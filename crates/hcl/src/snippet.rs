//! Errors and warnings with the lines of the source, for people.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, Title};
use objchange_text::{visible, visible_lines};

use crate::excerpt::LEFT_OUT;
use crate::{Diagnostic, Excerpt, FileSpan, HiddenSource, Places, Severity, Span};

/// More lines are not shown.
const MAX_LINES: u32 = 12;

/// A diagnostic with its lines, and its kind if people may look that up.
pub fn snippet(
    places: &Places<'_>,
    hidden: &HiddenSource,
    diagnostic: &Diagnostic,
    with_kind: bool,
) -> String {
    let diagnostic = &hidden.mask(places, diagnostic.clone());
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(visible(&diagnostic.summary));
    let title = if with_kind { title.id(&*diagnostic.kind) } else { title };
    let group = match diagnostic.subject.and_then(|subject| Some((subject, places.find(subject)?))) {
        Some((subject, place)) => placed(title, place, subject, hidden),
        None => Group::with_title(title),
    };
    let group = match &*diagnostic.detail {
        "" => group,
        detail => group.element(Level::NOTE.message(visible_lines(detail))),
    };
    let values: Vec<String> =
        diagnostic.values.iter().map(|(name, value)| format!("{} {value}", visible(name))).collect();
    let group = match &values[..] {
        [] => group,
        values => group.element(Level::NOTE.message(values.join("; "))),
    };
    let hints = diagnostic.hints.iter();
    let group = hints.fold(group, |group, hint| group.element(Level::HELP.message(visible(hint))));
    Renderer::styled().render(&[group])
}

/// The lines of a place without their hidden parts, or only its numbers if there are too many lines.
fn placed<'a>(title: Title<'a>, place: FileSpan<'a>, subject: Span, hidden: &HiddenSource) -> Group<'a> {
    let (start, end) = (place.start(), place.end());
    let shown = start.line..=end.line.min(start.line + MAX_LINES);
    let Excerpt { text, subject } = Excerpt::new(&place, subject, shown, hidden);
    let before = &text[text[..subject.start].rfind('\n').map_or(0, |feed| feed + 1)..subject.start];
    let annotation = AnnotationKind::Primary.span(subject);
    let snippet = |text: String| Snippet::source(text).line_start(start.line as usize);
    // The printer would count the column in the shortened text.
    if before.starts_with(LEFT_OUT) {
        let place = format!("{}:{}:{}", visible(place.name), start.line, start.column);
        return title.element(Level::NOTE.message(place)).element(snippet(text).annotation(annotation));
    }
    title.element(snippet(text).path(visible(place.name)).annotation(annotation))
}
