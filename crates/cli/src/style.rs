//! The colours of the program's text. They reach terminals only, and none if `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const CHANGED: Style = AnsiColor::Yellow.on_default();
pub(crate) const STRONG: Style = Style::new().bold();
