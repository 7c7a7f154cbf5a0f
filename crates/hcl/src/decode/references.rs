//! Later.
use objchange::schema::Block;
use crate::syntax::ast::Body;
/// x
#[derive(Debug)]
pub struct References;
/// x
pub fn references(_: &Body, _: &Block) -> References { References }
