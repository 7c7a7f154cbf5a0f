//! A report as one HTML file that requests nothing: a headline, the modules, and entries whose diffs can be searched.
//!
//! | what | where |
//! |---|---|
//! | the reports of a page one after the other | `content` |
//! | what is above and beside the entries; of several plans | `head`, `contents`; `plans` |
//! | the entries, in chunks that a browser lays out when they come into view | `entries` |
//! | a diff as HTML | `diff` |
//! | names of elements, for links | `anchors` |
//! | how it looks, and what it does | `page.css`, `page.js` |
//!
//! Without JavaScript it is a complete document; the script adds search, filters, keys and buttons, and makes the entries of
//! a large page when they are looked at.

mod anchors;
mod content;
mod contents;
mod diff;
mod entries;
mod head;
mod output;
mod plans;

use std::io;

use self::content::Content;
pub(super) use self::plans::{PlanOfPage, write_plans};
use super::overview::{TITLE, default_title, headline, start};
use crate::report::{Report, ShowError};

/// Options for an HTML page.
#[derive(Debug, Clone, Copy, Default)]
pub struct HtmlOptions<'a> {
    /// The headline, cut to 200 characters; by default the program and the kind of document.
    pub title: Option<&'a str>,
    /// The page that this one belongs to, such as that of the CI run: an address with `https://` or `http://`. Omitted
    /// if longer than 1,000 characters.
    pub link: Option<&'a str>,
    /// Lines to read first, such as the results of policies.
    pub notes: &'a [String],
}

impl Report<'_> {
    /// Writes an HTML page, one resource at a time. It is one file that requests nothing, and no text of the document is
    /// markup in it.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the page cannot be written.
    ///
    /// ```
    /// use objchange_document::{Plan, Schemas};
    /// use objchange_plan::{Filter, Options, Report};
    /// use objchange_plan::render::HtmlOptions;
    ///
    /// let plan = Plan::parse(
    ///     r#"{"format_version":"1.2","resource_changes":[{"address":"null_resource.a","mode":"managed",
    ///     "type":"null_resource","name":"a","change":{"actions":["create"],"before":null,"after":{"id":"<b>"}}}]}"#,
    /// )?;
    /// let schemas = Schemas::none();
    /// let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default())?;
    /// let mut page = Vec::new();
    /// report.write_html(&mut page, &HtmlOptions::default())?;
    /// let page = String::from_utf8(page)?;
    /// assert!(page.contains("<h1>Terraform plan: 1 to create</h1>"));
    /// assert!(page.contains(r#"<article id="null_resource.a""#) && page.contains("&lt;b&gt;"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_html(&self, out: &mut dyn io::Write, options: &HtmlOptions<'_>) -> Result<(), ShowError> {
        let content = Content::new(&[self]);
        let title = options.title.map_or_else(|| default_title(self), |title| start(title, TITLE).to_owned());
        let title = headline(self, &title);
        content.write(out, &title, &head::header(self, &title, &content, options), &[])
    }
}
