//! How far the run is, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use objchange_conform::Progress;

/// A progress bar with the name of the present type.
#[derive(Clone)]
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
        Self(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }

    pub(super) fn show(&self, progress: Progress<'_>) {
        match progress {
            Progress::Begun { types } => self.0.set_length(types as u64),
            Progress::Trying { name } => {
                self.0.set_message(objchange_text::visible(name).into_owned());
                self.0.tick();
            }
            Progress::Tried { done, .. } => self.0.set_position(done as u64),
            _ => {}
        }
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
