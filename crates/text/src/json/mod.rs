//! The one reader of JSON: a cursor over a text that gives numbers as their text, strings borrowed where they can be,
//! and the place of everything.
//!
//! It is a reader of its own because the answers depend on details that general readers drop: the exact
//! text of a number, which of repeated keys counts, half of a surrogate pair, how deep a text nests, and
//! where in it a part stands. Types of serde are read through it as well ([`from_str`]), so that an error
//! is data and never a sentence to be taken apart: it has a kind, a place and the keys that lead there, and
//! no part of the text.

mod documents;
mod error;
mod indented;
mod raw;
mod read;
mod serde;
mod skip;
mod string;
mod token;
mod tree;
#[cfg(feature = "serde_json")]
mod visible;
mod write;

pub use self::serde::{RawPart, from_str};
pub use documents::{DocumentBytes, Documents};
pub use error::{JsonError, JsonErrorKind, Segment, place};
pub use indented::{indented, one_line};
pub use raw::Raw;
pub use read::{MAX_DEPTH, Reader, TOO_DEEP};
pub use string::StringAt;
pub use token::Token;
pub use tree::{Node, NodeKind, Property};
#[cfg(feature = "serde_json")]
pub use visible::{to_pretty, write_line, write_pretty};
pub use write::write_string;
