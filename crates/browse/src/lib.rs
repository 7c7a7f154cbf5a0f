//! Browses a plan or state in the terminal.
//!
//! [`Screen::enter`] takes over the terminal, and [`Screen::show`] shows a report until the user quits. The
//! terminal is restored when the screen is dropped, when the program panics, and before a signal stops or
//! ends it.
//!
//! ```no_run
//! use objchange_browse::{End, Screen, Settings};
//! use objchange_document::{Document, Schemas};
//! use objchange_plan::{Filter, Options, Report};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = std::fs::read_to_string("plan.json")?;
//! let document = Document::parse(&text)?;
//! let schemas = Schemas::none();
//! let report = Report::new(&document, &schemas, &Options::default(), &Filter::default())?;
//! let mut screen = Screen::enter()?;
//! let end = screen.show(report.outline(), Settings::default(), |error| error.to_string())?;
//! assert_eq!(end, End::Quit { error: None });
//! # Ok(())
//! # }
//! ```
//!
//! | part | where |
//! |---|---|
//! | the state of the screen, as data | `app`, with `tree`, `detail` and `search` |
//! | the effects of keys and the mouse | `update`, `keys` |
//! | how it looks | `draw` |
//! | the terminal: taken, and given back in any case | `screen` |
//!
//! [`objchange_plan::Outline`] supplies the entries, and the lines of a diff with their roles.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod app;
mod detail;
mod draw;
mod keys;
mod screen;
mod search;
#[cfg(test)]
mod tests;
mod tree;
mod update;

pub use self::app::Settings;
pub use self::keys::lines as key_lines;
pub use self::screen::{End, Screen};
