//! The styles of reports for people. They reach terminals only: what writes to another place leaves them out.

use anstyle::{AnsiColor, Style};

/// What is fine.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// The problem.
pub const BAD: Style = AnsiColor::Red.on_default();
/// What is beside the point.
pub const FAINT: Style = Style::new().dimmed();
/// What changes, and what to look at.
pub const CHANGED: Style = AnsiColor::Yellow.on_default();
