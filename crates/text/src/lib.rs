//! What every reader and writer of text needs once.
//!
//! - [`json::Reader`] reads JSON with the exact text of numbers and the place of everything.
//! - [`quote_into`], [`visible`], [`visible_lines`] and [`visible_json`] escape what must not reach a terminal.
//! - [`redact::Secrets`] hides secrets in text that others wrote.
//! - [`re2::Pattern`] compiles patterns in the syntax of RE2 (feature `re2`).
//! - [`Span`] is a part of a text, a [`LineIndex`] finds its line and column, and a [`Diagnostic`] says what is wrong with
//!   it (feature `source`).
//! - [`similar`] finds the names that somebody may have meant.

#![forbid(unsafe_code)]

#[cfg(feature = "source")]
pub mod clusters;
#[cfg(feature = "source")]
mod diagnostic;
pub mod json;
#[cfg(feature = "source")]
mod lines;
mod quote;
#[cfg(feature = "re2")]
pub mod re2;
pub mod redact;
mod similar;
mod span;

#[cfg(feature = "source")]
pub use diagnostic::{Called, Diagnostic, Severity, Summary};
#[cfg(feature = "source")]
pub use lines::{LineIndex, Position};
pub use quote::{is_printable, quote_into, visible, visible_json, visible_lines};
pub use similar::{did_you_mean, similar};
pub use span::Span;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
