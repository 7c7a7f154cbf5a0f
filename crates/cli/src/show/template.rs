//! Markdown pages by a template of one's own.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use objchange_files::refuse_link_out;
use objchange_plan::Report;
use objchange_plan::render::{MarkdownOptions, MarkdownTemplate};
use objchange_plan::report::{ShowError, TemplateError};

use super::Error;
use crate::input::Source;

/// The template of the built-in page.
pub(super) fn built_in() -> Result<&'static str, Error> {
    Ok(MarkdownTemplate::BUILT_IN)
}

/// A template, and the file that it is from.
pub(super) struct Template {
    path: PathBuf,
    template: MarkdownTemplate,
    timeout: Duration,
}

impl Template {
    pub(super) fn read(path: &Path, timeout: Duration) -> Result<Self, Error> {
        let source = Source::new(path);
        // A template comes from whoever sends a pull request: a link to /proc/self/environ put the tokens of the job
        // on the page.
        if matches!(source, Source::File(_)) {
            refuse_link_out(path).map_err(|error| source.unreadable(error))?;
        }
        let text = source.read_at_most(MarkdownTemplate::MAX_LENGTH)?;
        let template = MarkdownTemplate::parse(&text).map_err(|error| error_in(path, error))?;
        Ok(Self { path: path.to_owned(), template, timeout })
    }

    pub(super) fn write(
        &self,
        report: &Report<'_>,
        out: &mut dyn io::Write,
        options: &MarkdownOptions<'_>,
    ) -> Result<(), ShowError> {
        report.write_markdown_template(out, options, &self.template, self.timeout)
    }

    pub(super) fn error(&self, error: TemplateError) -> Error {
        error_in(&self.path, error)
    }
}

fn error_in(path: &Path, error: TemplateError) -> Error {
    Error::Template { path: path.to_owned(), error }
}
