//! The options of a Markdown page.

use clap::Args;
use objchange_plan::MarkdownOptions;

#[derive(Debug, Args)]
#[command(next_help_heading = "Options for --format markdown")]
pub(crate) struct MarkdownArgs {
    /// The headline before the counts
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// The page with the full output, such as that of the CI run
    #[arg(long, value_name = "URL", value_parser = parse_link)]
    link: Option<String>,

    /// Begin with a hidden comment of this name, so that a bot finds its comment again
    #[arg(long, value_name = "NAME", value_parser = parse_marker)]
    marker: Option<String>,

    /// The most characters of the page; what does not fit is left out, and the page says so [default: 65536]
    #[arg(long, value_name = "CHARACTERS", value_parser = parse_length)]
    max_length: Option<usize>,
}

impl MarkdownArgs {
    /// Whether any of the options is given.
    pub(crate) fn is_given(&self) -> bool {
        self.title.is_some() || self.link.is_some() || self.marker.is_some() || self.max_length.is_some()
    }

    pub(crate) fn options(&self) -> MarkdownOptions<'_> {
        MarkdownOptions {
            title: self.title.as_deref(),
            link: self.link.as_deref(),
            marker: self.marker.as_deref(),
            max_length: self.max_length.unwrap_or(MarkdownOptions::default().max_length),
        }
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
