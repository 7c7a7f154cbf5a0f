//! The colours of the program's text. They reach terminals only, and none if `NO_COLOR` is set.

use std::io;

use anstream::{AutoStream, ColorChoice};
use objchange_plan::Colour;
pub(crate) use objchange_text::style::{BAD, CHANGED, FAINT, GOOD};

/// Whether renderers write colours to this stream.
pub(crate) fn colour(stdout: &io::Stdout) -> Colour {
    match AutoStream::choice(stdout) {
        ColorChoice::Never => Colour::Never,
        _ => Colour::Always,
    }
}
