//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod as_json;
mod cases;
mod data;
mod functions;
#[cfg(feature = "snippet")]
mod golden;
mod hostile;
mod json;
mod language;
mod module;
mod places;
mod promises;
mod secrets;
