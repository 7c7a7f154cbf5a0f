//! Many documents: found by name, glob or folder, processed in parallel, with the answers in the order of the inputs.
//!
//! ```text
//! arguments ──Inputs::find──▶ Inputs ──each_document──▶ answer(&InputDocument) on every core ──▶ handle, in order
//! ```
//!
//! A few documents for each core are in memory at any time, whatever the number of inputs.

mod error;
mod find;
mod read;

pub use error::InputsError;
pub use find::{Input, Inputs, Origin};
pub use read::{DocumentOutcome, InputDocument, SkippedDocuments, WantedDocuments};
