//! Texts that are written for people.

use objchange_files::refuse_link_out;
use objchange_plan::render::{MarkdownOptions, MarkdownTemplate};
use objchange_text::counted;
use pyo3::prelude::*;

use crate::error::{Failure, unreadable};
use crate::load::Input;

/// About how many bytes a notebook keeps of a page.
pub(crate) const NOTEBOOK: usize = 100_000;

/// The written page as text.
pub(crate) fn text(page: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(page).map_err(|_| Failure::defect("a page is no text"))
}

/// The options of a Markdown page.
pub(crate) fn markdown_options<'a>(
    title: Option<&'a str>,
    link: Option<&'a str>,
    marker: Option<&'a str>,
    max_length: Option<usize>,
) -> Result<MarkdownOptions<'a>, Failure> {
    let max_length = max_length.unwrap_or(MarkdownOptions::default().max_length);
    match max_length < MarkdownOptions::MIN_LENGTH {
        true => {
            let message = format!("max_length is at least {}", MarkdownOptions::MIN_LENGTH);
            Err(Failure::new("OptionError", "max_length", message))
        }
        false => Ok(MarkdownOptions { title, link, marker, max_length, plain: false }),
    }
}

/// The template of a Markdown page: a path, bytes, or an open file.
pub(crate) fn template(source: &Bound<'_, PyAny>) -> PyResult<MarkdownTemplate> {
    let input = Input::new(source)?;
    let file = input.name();
    // A template may come from whoever sends a pull request, with a link to a file whose content must not be on the page.
    if let Input::File(path) = &input {
        refuse_link_out(path).map_err(|error| unreadable(path, &error))?;
    }
    let text = input.read(source.py())?;
    let template = MarkdownTemplate::parse(&text);
    Ok(template.map_err(|error| Failure::template(&error).in_file(file.as_deref()))?)
}

/// A text for a notebook, with as many of its lines as are not too long.
pub(crate) fn preformatted(text: &str) -> String {
    let mut html = String::from("<pre>");
    let mut lines = text.split_inclusive('\n');
    for line in lines.by_ref() {
        if html.len() + line.len() > NOTEBOOK {
            let left_out = counted(lines.count() + 1, "line");
            return html + &format!("</pre><p>Left out: {left_out}</p>");
        }
        // The text stands between tags. Quotes would matter only in attributes.
        for character in line.chars() {
            match character {
                '&' => html.push_str("&amp;"),
                '<' => html.push_str("&lt;"),
                '>' => html.push_str("&gt;"),
                other => html.push(other),
            }
        }
    }
    html + "</pre>"
}
