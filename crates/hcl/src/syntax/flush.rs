//! `<<-` heredocs: removes the indentation that all lines share.

use objchange_text::clusters::clusters;

use super::template::{TemplatePart, TemplatePartKind};

/// Takes the white space that all lines begin with off each of them.
///
/// A line is one that begins in the source: behind a line end, that is, and not behind one that a strip marker took.
/// One of white space alone neither counts nor changes. One that begins with a sequence is not indented.
pub(super) fn flush(parts: &mut [TemplatePart]) {
    let mut at_line_start = true;
    let mut least = usize::MAX;
    for part in &*parts {
        let begins = std::mem::replace(&mut at_line_start, false);
        match &part.kind {
            TemplatePartKind::Text(text) => {
                at_line_start = text.ends_with('\n');
                if begins && !is_blank(text) {
                    least = least.min(indentation(text).count());
                }
            }
            _ if begins => least = 0,
            _ => {}
        }
    }
    if least == 0 || least == usize::MAX {
        return;
    }
    let mut at_line_start = true;
    for part in parts {
        let begins = std::mem::replace(&mut at_line_start, false);
        if let TemplatePartKind::Text(text) = &mut part.kind {
            at_line_start = text.ends_with('\n');
            if begins && !is_blank(text) {
                let bytes: usize = indentation(text).take(least).map(str::len).sum();
                text.drain(..bytes);
            }
        }
    }
}

/// Nothing but white space and a line end.
fn is_blank(text: &str) -> bool {
    text.ends_with('\n') && text.trim().is_empty()
}

/// The characters, as readers see them, that a text is indented by.
fn indentation(text: &str) -> impl Iterator<Item = &str> {
    let each = clusters(text).map(|(_, cluster)| cluster);
    each.take_while(|cluster| cluster.starts_with(|c: char| c.is_whitespace() && c != '\n'))
}
