//! Tools for reading and writing text.
//!
//! - [`json::Reader`] reads JSON with the exact text of numbers and the place of everything.
//! - [`quote_into`], [`visible`], [`visible_lines`] and [`visible_json`] escape characters that must not
//!   reach a terminal.
//! - [`Escaping`] writes text to a terminal, `json::write_line` reports (feature `serde_json`): nothing in them is hidden.
//! - `style` has the styles of reports for people (feature `style`).
//! - [`utf8_reader`] reads UTF-8 and UTF-16, [`BoundedLines`] lines of bounded length, [`json::Documents`] the documents
//!   of an input.
//! - [`bounded`] cuts texts of others that are too long to be shown, [`listed`] and [`counted`] name and count things.
//! - [`redact::Secrets`] hides secrets in text that others wrote.
//! - `re2::Pattern` compiles patterns in the syntax of RE2 (feature `re2`).
//! - [`Span`] is a part of a text, a `LineIndex` finds its line and column, and a `Diagnostic` reports a
//!   problem there (feature `source`).
//! - A [`Notice`] is a note or a warning beside a result.
//! - [`padded`] fills a column of any width.
//! - [`joined_path`] joins paths in the form of text.
//! - [`calendar`] has the names of months and weekdays.
//! - A `TimeLimit` ends what evaluates texts of others (feature `time`).
//! - [`similar()`] suggests similar names.
//! - `VersionConstraints` are those of Terraform (feature `version`).

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod bounded_lines;
pub mod calendar;
#[cfg(feature = "source")]
pub mod clusters;
#[cfg(feature = "source")]
mod diagnostic;
mod encoding;
mod escaping;
pub mod json;
#[cfg(feature = "source")]
mod lines;
mod notice;
mod padding;
mod path;
mod quote;
#[cfg(feature = "re2")]
pub mod re2;
pub mod redact;
mod relay;
mod severity;
mod similar;
mod span;
#[cfg(feature = "style")]
pub mod style;
#[cfg(feature = "time")]
mod time_limit;
#[cfg(feature = "version")]
mod version;

pub use bounded_lines::{BoundedLine, BoundedLines, LineError};
#[cfg(feature = "source")]
pub use diagnostic::{Diagnostic, DiagnosticsError, FunctionSignature, Summary};
pub use encoding::{read_at_most, read_into, utf8_reader};
pub use escaping::{Escaping, is_hidden, visible_colored};
#[cfg(feature = "source")]
pub use lines::{LineIndex, Position};
pub use notice::{Noted, Notice};
pub use padding::padded;
pub use path::joined_path;
pub use quote::{is_printable, quote_into, visible, visible_json, visible_lines};
pub use relay::{MAX_TEXTS, bounded, bounded_to, counted, left_out, listed};
pub use severity::Severity;
pub use similar::{Letters, did_you_mean, similar};
pub use span::Span;
#[cfg(feature = "time")]
pub use time_limit::TimeLimit;
#[cfg(feature = "version")]
pub use version::VersionConstraints;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
