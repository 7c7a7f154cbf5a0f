//! A build without templates.

use std::io;
use std::path::Path;
use std::time::Duration;

use objchange_plan::Report;
use objchange_plan::render::MarkdownOptions;
use objchange_plan::report::{ShowError, TemplateError};

use super::Error;

pub(super) fn built_in() -> Result<&'static str, Error> {
    Err(Error::NoTemplates)
}

/// Built without templates.
pub(super) enum Template {}

impl Template {
    pub(super) fn read(_: &Path, _: Duration) -> Result<Self, Error> {
        Err(Error::NoTemplates)
    }

    pub(super) fn write(
        &self,
        _: &Report<'_>,
        _: &mut dyn io::Write,
        _: &MarkdownOptions<'_>,
    ) -> Result<(), ShowError> {
        match *self {}
    }

    pub(super) fn error(&self, _: TemplateError) -> Error {
        match *self {}
    }
}
