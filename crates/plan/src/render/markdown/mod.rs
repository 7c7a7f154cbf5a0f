//! A report as a Markdown page for a comment: a headline, and sections whose entries have a line and a fenced `diff` each.
//!
//! | what | where |
//! |---|---|
//! | the page of one report: its headline, its notes | here |
//! | what is below them, in reviews, too | `part` |
//! | the entries of it that fit | `fitting` |
//! | how much is left out | `left_out` |
//! | the page by a template of the user | `template`, `bounded` |

#[cfg(feature = "template")]
mod bounded;
pub(super) mod escape;
mod fence;
mod fitting;
mod left_out;
mod part;
#[cfg(feature = "template")]
mod template;

use std::io;

use objchange_text::listed;
#[cfg(feature = "template")]
pub use template::MarkdownTemplate;

pub(super) use self::left_out::LeftOut;
pub(super) use self::part::{Lengths, ReportBody, Room};
use super::outline::sections;
use super::overview::{LINK, NAMES, Sentence, TITLE, counts, default_title, sentences, start};
use crate::report::{Report, ShowError};

/// Options for a Markdown page.
#[derive(Debug, Clone, Copy)]
pub struct MarkdownOptions<'a> {
    /// The headline, cut to 200 characters; by default the program and the kind of document.
    pub title: Option<&'a str>,
    /// The address of the whole plan, with `https://` or `http://`. Omitted if longer than 1,000 characters.
    pub link: Option<&'a str>,
    /// A name in a hidden comment, by which a program finds its page again. Characters other than ASCII letters and
    /// digits, `.`, `_` and `/` become `_`; it is cut to 100 characters.
    pub marker: Option<&'a str>,
    /// The most that the page may have, in UTF-16 units: no fewer than the characters that sites count.
    pub max_length: usize,
    /// Without HTML, as sites such as Bitbucket need it: nothing is folded, and the marker is a visible line.
    pub plain: bool,
}

impl Default for MarkdownOptions<'_> {
    fn default() -> Self {
        Self { title: None, link: None, marker: None, max_length: 65_536, plain: false }
    }
}

impl MarkdownOptions<'_> {
    /// The least length in which any page fits, with all entries left out.
    pub const MIN_LENGTH: usize = 4_000;
}

impl Report<'_> {
    /// Writes a Markdown page, such as for a comment on a pull request. No text of the document is markup in it.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the page cannot be written.
    pub fn write_markdown(
        &self,
        out: &mut dyn io::Write,
        options: &MarkdownOptions<'_>,
    ) -> Result<(), ShowError> {
        let (sections, items) = sections(self);
        let room = room(self, &LeftOut::all(&sections, &items), options);
        let part = ReportBody::new(self, &sections, &items, Room::of_page(room), options.plain)?;
        out.write_all(head(self, options).as_bytes())?;
        part.write(out)?;
        Ok(out.write_all(part.left_out().line(options).as_bytes())?)
    }
}

/// The text above the part of a page that fits.
fn head(report: &Report<'_>, options: &MarkdownOptions<'_>) -> String {
    default_heading(options, report) + &link(options) + &notes(report)
}

/// The room that is left for that part.
fn room(report: &Report<'_>, all: &LeftOut, options: &MarkdownOptions<'_>) -> usize {
    options.max_length.saturating_sub(length(&head(report, options)) + all.longest_line(options))
}

/// How long a text is for a site.
pub(crate) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The most characters of a marker, and of a name in the head.
const MARKER: usize = 100;
pub(super) const NAME: usize = 80;

/// Shared by the Markdown page of comparisons.
pub(crate) mod parts {
    pub(crate) use super::escape::{code, fenced, words};
    pub(crate) use super::left_out::{amounts, left_out};
    pub(crate) use super::{heading, length, link};
    pub(crate) use crate::render::overview::start;
}

/// The marker and the headline of a page: its title, and what is said behind that.
pub(crate) fn heading(options: &MarkdownOptions<'_>, default_title: &str, rest: &str) -> String {
    let marker = marker(options).map_or_else(String::new, |marker| match options.plain {
        true => format!("`objchange:{marker}`\n\n"),
        false => marker_line(&marker),
    });
    let colon = if rest.is_empty() { "" } else { ": " };
    format!("{marker}## {}{colon}{rest}\n", title(options, default_title))
}

/// The headline of the page of a report.
pub(super) fn default_heading(options: &MarkdownOptions<'_>, report: &Report<'_>) -> String {
    heading(options, &default_title(report), &counts(report))
}

/// The link to the full output, if there is one.
pub(crate) fn link(options: &MarkdownOptions<'_>) -> String {
    target(options).map_or_else(String::new, |target| link_line(&target))
}

/// Notes to read first.
pub(super) fn notes(report: &Report<'_>) -> String {
    let note = |Sentence { important, rest }| match important {
        "" => format!("\n{rest}\n"),
        important => format!("\n**{important}**{rest}\n"),
    };
    let ignored = ignored(report).map(|rest| format!("\n**{IGNORED}**{rest}\n"));
    sentences(report).into_iter().map(note).chain(ignored).collect()
}

/// The important word of the note about ignored changes.
const IGNORED: &str = "Ignored";

/// The rest of that note: how many there are, and at which paths. It is above the entries, which may fill the page.
fn ignored(report: &Report<'_>) -> Option<String> {
    let ignored = report.ignored.as_ref().filter(|ignored| !ignored.is_empty())?;
    let named: Vec<_> =
        ignored.paths.iter().take(NAMES).map(|path| escape::code(start(path, NAME))).collect();
    Some(format!(": {} ({})", ignored.counts(), listed(&named, ignored.paths.len())))
}

fn marker(options: &MarkdownOptions<'_>) -> Option<String> {
    options.marker.map(|marker| escape::marker(start(marker, MARKER)))
}

fn marker_line(marker: &str) -> String {
    format!("<!-- objchange:{marker} -->\n")
}

fn title(options: &MarkdownOptions<'_>, default: &str) -> String {
    options.title.map_or_else(|| default.to_owned(), |title| escape::prose(start(title, TITLE)))
}

fn target(options: &MarkdownOptions<'_>) -> Option<String> {
    options.link.and_then(escape::target).filter(|link| link.len() <= LINK)
}

fn link_line(target: &str) -> String {
    format!("\n[Full output]({target})\n")
}
