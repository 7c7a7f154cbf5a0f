//! The colours of the program's text. They reach terminals only, and none if `NO_COLOR` is set.

use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use objchange_plan::Colour;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const CHANGED: Style = AnsiColor::Yellow.on_default();

/// Whether what the renderers write there has colours.
pub(crate) fn colour(stdout: &io::Stdout) -> Colour {
    match AutoStream::choice(stdout) {
        ColorChoice::Never => Colour::Never,
        _ => Colour::Always,
    }
}
