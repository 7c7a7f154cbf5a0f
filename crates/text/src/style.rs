//! The styles of reports for people, for terminals only.

use anstyle::{AnsiColor, Style};

/// Success.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Problems.
pub const BAD: Style = AnsiColor::Red.on_default();
/// Secondary text.
pub const FAINT: Style = Style::new().dimmed();
/// Changes, and things to look at.
pub const CHANGED: Style = AnsiColor::Yellow.on_default();
