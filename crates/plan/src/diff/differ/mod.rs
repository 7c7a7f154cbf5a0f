//! The differ: makes the diff from a change and the schema of its resource.
//!
//! There is one function for each kind of value. Each checks first whether the value is hidden (sensitive
//! before unknown), and then reads the value. None of them writes output.

mod attribute;
mod block;
mod collection;
mod hidden;
mod json;
mod matched_sets;
mod nested;
mod opentofu_lists;
mod parts;
mod sequence;
mod similarity;
mod text;
mod unknown_block;
mod yaml;

pub(crate) use attribute::value as typed;
pub(crate) use block::{block, body};
pub(crate) use json::output;
pub(super) use parts::LazyParts;
