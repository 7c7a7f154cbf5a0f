//! The options of Markdown and HTML pages.

use std::path::{Path, PathBuf};

use clap::Args;
use objchange_plan::{HtmlOptions, MarkdownOptions};

#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// The headline before the counts
    #[arg(long, value_name = "TEXT", help_heading = "Options for --format markdown and html")]
    title: Option<String>,

    /// A page to link to: the one with the full output, such as that of the CI run
    #[arg(long, value_name = "URL", value_parser = parse_link, help_heading = "Options for --format markdown and html")]
    link: Option<String>,

    /// Begin with a hidden comment of this name, so that a bot finds its comment again
    #[arg(long, value_name = "NAME", value_parser = parse_marker, help_heading = "Options for --format markdown")]
    marker: Option<String>,

    /// The most characters of the page; what does not fit is left out, and the page says so [default: 65536]
    #[arg(long, value_name = "CHARACTERS", value_parser = parse_length, help_heading = "Options for --format markdown")]
    max_length: Option<usize>,

    /// Write the page to this file; `-`, or nothing, is standard output
    #[arg(long, value_name = "FILE", help_heading = "Options for --format html")]
    out: Option<PathBuf>,
}

impl PageArgs {
    /// Whether an option is given that only pages have.
    pub(crate) fn is_given(&self) -> bool {
        self.title.is_some() || self.link.is_some()
    }

    /// Whether an option is given that only Markdown pages have.
    pub(crate) fn is_given_for_markdown(&self) -> bool {
        self.marker.is_some() || self.max_length.is_some()
    }

    /// Whether an option is given that only HTML pages have.
    pub(crate) fn is_given_for_html(&self) -> bool {
        self.out.is_some()
    }

    /// The file that the page is written to.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| path.as_os_str() != "-")
    }

    pub(crate) fn markdown(&self) -> MarkdownOptions<'_> {
        MarkdownOptions {
            title: self.title.as_deref(),
            link: self.link.as_deref(),
            marker: self.marker.as_deref(),
            max_length: self.max_length.unwrap_or(MarkdownOptions::default().max_length),
        }
    }

    pub(crate) fn html(&self) -> HtmlOptions<'_> {
        HtmlOptions { title: self.title.as_deref(), link: self.link.as_deref() }
    }
}

fn parse_link(text: &str) -> Result<String, &'static str> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    match is_web && text.len() <= 1_000 {
        true => Ok(text.to_owned()),
        false => Err("a link starts with https:// or http://, and has at most 1,000 characters"),
    }
}

fn parse_marker(text: &str) -> Result<String, &'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/');
    match (1..=100).contains(&text.len()) && text.bytes().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a marker has up to 100 ASCII letters, digits, dots, underscores and slashes"),
    }
}

fn parse_length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(length) if length >= MarkdownOptions::MIN_LENGTH => Ok(length),
        _ => Err(format!("the length is a number of at least {}", MarkdownOptions::MIN_LENGTH)),
    }
}
