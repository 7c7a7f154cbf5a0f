//! The options of Markdown and HTML pages.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use objchange_plan::render::{HtmlOptions, MarkdownOptions};

/// The heading of these options in the help.
const HEADING: &str = "Options for pages";

/// The options of Markdown pages; some apply to HTML pages, too.
#[derive(Debug, Args)]
pub(crate) struct MarkdownArgs {
    /// The headline before the counts
    #[arg(long, value_name = "TEXT", help_heading = HEADING)]
    title: Option<String>,

    /// A link to the full output, such as the page of the CI run
    #[arg(long, value_name = "URL", value_parser = parse_link, help_heading = HEADING)]
    link: Option<String>,

    /// In Markdown: begin with a hidden comment with this name, by which a bot finds its comment again. The name has up to 100
    /// ASCII letters, digits, dots, underscores and slashes
    #[arg(long, value_name = "NAME", value_parser = parse_marker, help_heading = HEADING)]
    marker: Option<String>,

    /// In Markdown: the maximum length of the page; what does not fit is left out, and the page says so
    /// [default: 65536]
    #[arg(long, value_name = "CHARACTERS", value_parser = parse_length, help_heading = HEADING)]
    max_length: Option<usize>,
}

impl MarkdownArgs {
    /// The options that are given, and that Markdown and HTML pages have.
    pub(crate) fn given_for_pages(&self) -> Vec<&'static str> {
        given([("--title", self.title.is_some()), ("--link", self.link.is_some())])
    }

    /// The options that are given, and that only Markdown pages have.
    pub(crate) fn given_for_markdown(&self) -> Vec<&'static str> {
        given([("--marker", self.marker.is_some()), ("--max-length", self.max_length.is_some())])
    }

    /// The maximum length, if it is given.
    pub(crate) fn max_length(&self) -> Option<usize> {
        self.max_length
    }

    pub(crate) fn options(&self) -> MarkdownOptions<'_> {
        MarkdownOptions {
            title: self.title.as_deref(),
            link: self.link.as_deref(),
            marker: self.marker.as_deref(),
            max_length: self.max_length.unwrap_or(MarkdownOptions::default().max_length),
            plain: false,
        }
    }
}

/// The options of pages of `show`.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    #[command(flatten)]
    markdown: MarkdownArgs,

    /// In Markdown: write the page with this Jinja template
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    template: Option<PathBuf>,

    /// Timeout of --template in seconds
    #[arg(long, default_value = "60", value_name = "SECONDS", requires = "template", help_heading = HEADING, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Only print the template of the built-in Markdown page
    #[arg(long, exclusive = true, help_heading = HEADING)]
    print_template: bool,

    /// In HTML, and with --document: write to this file; `-`, or nothing, is standard output
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    out: Option<PathBuf>,
}

impl PageArgs {
    /// The options that are given, and that only pages have.
    pub(crate) fn given_for_pages(&self) -> Vec<&'static str> {
        self.markdown.given_for_pages()
    }

    /// The options that are given, and that only Markdown pages have.
    pub(crate) fn given_for_markdown(&self) -> Vec<&'static str> {
        let mut options = self.markdown.given_for_markdown();
        options.extend(self.template.is_some().then_some("--template"));
        options
    }

    /// Whether an option is given that only HTML pages have.
    pub(crate) fn is_given_for_html(&self) -> bool {
        self.out.is_some()
    }

    /// The file of the template.
    pub(crate) fn template(&self) -> Option<&Path> {
        self.template.as_deref()
    }

    /// How long the template may take.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    /// Whether nothing but the built-in template is asked for.
    pub(crate) fn prints_template(&self) -> bool {
        self.print_template
    }

    /// The file that the page is written to.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| path.as_os_str() != "-")
    }

    pub(crate) fn markdown(&self) -> MarkdownOptions<'_> {
        self.markdown.options()
    }

    pub(crate) fn html(&self) -> HtmlOptions<'_> {
        HtmlOptions { title: self.markdown.title.as_deref(), link: self.markdown.link.as_deref(), notes: &[] }
    }
}

/// The names of those of the options that are given.
fn given<const N: usize>(options: [(&'static str, bool); N]) -> Vec<&'static str> {
    options.into_iter().filter_map(|(name, is_given)| is_given.then_some(name)).collect()
}

/// Says that these options need a format.
pub(crate) fn need_format(options: &[&str], formats: &str) -> String {
    let need = if options.len() == 1 { "needs" } else { "need" };
    format!("{} {need} --format {formats}", options.join(" and "))
}

fn parse_link(text: &str) -> Result<String, &'static str> {
    // In an HTML page a link that begins with `javascript:` would run code.
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    match is_web && text.len() <= 1_000 {
        true => Ok(text.to_owned()),
        false => Err("a link must start with https:// or http:// and have at most 1,000 characters"),
    }
}

fn parse_marker(text: &str) -> Result<String, &'static str> {
    // The marker is written into an HTML comment, so dashes and angle brackets, which could end it, are refused.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/');
    match (1..=100).contains(&text.len()) && text.bytes().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(
            "a marker has up to 100 ASCII letters, digits, dots, underscores and slashes, and no other characters",
        ),
    }
}

fn parse_length(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(length) if length >= MarkdownOptions::MIN_LENGTH => Ok(length),
        _ => Err(format!("the length must be a number of at least {}", MarkdownOptions::MIN_LENGTH)),
    }
}
