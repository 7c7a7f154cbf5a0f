//! Schemas of resources: blocks, attributes and nesting.
//!
//! A [`Block`] holds attributes and nested block types, as `terraform providers schema -json` prints them
//! and providers declare them. It is read with serde (the object under `block` in that document), taken out
//! of the whole document with [`ProviderSchemas`], or built by hand:
//!
//! ```
//! use objchange::Type;
//! use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
//!
//! let disk = Block::new([("size", Attribute::required(Type::Number))], []);
//! let block = Block::new(
//!     [("id", Attribute::computed(Type::String)), ("name", Attribute::required(Type::String))],
//!     [("disk", NestedBlock::new(NestingMode::List, disk))],
//! );
//! assert_eq!(
//!     block.implied_type().to_string(),
//!     r#"["object",{"disk":["list",["object",{"size":"number"}]],"id":"string","name":"string"}]"#
//! );
//! ```

mod attribute;
mod block;
mod coerce;
mod document;
mod document_error;
mod empty;
mod function;
mod hidden;
mod known_path;
mod members;
mod part;
mod paths;
mod read;
mod secret_parts;
mod validate;

pub use attribute::{Attribute, AttributeType, NestedType, NestingMode};
pub use block::{Block, NestedBlock};
pub use coerce::{CoerceError, CoerceErrorKind};
pub use document::{ProviderSchemas, Schema};
pub use document_error::{MissingSchemaText, SchemaDocumentError, SchemaDocumentErrorKind};
pub use function::{FunctionParameter, FunctionSchema};
pub(crate) use hidden::Marked;
pub use known_path::{UnknownPath, UnknownPathKind};
pub(crate) use members::{Member, Members};
pub use part::{SchemaKind, SchemaPart};
pub(crate) use secret_parts::SecretParts;
pub use validate::{SchemaProblem, SchemaProblemKind};
