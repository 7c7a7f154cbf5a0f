//! The part of a block that a provider's schema describes.

use std::borrow::Cow;

use objchange::schema::Block;
use objchange_text::Diagnostic;

use crate::syntax::ast::Body;

/// The part of a block that a provider's schema describes. In JSON syntax the schema tells blocks from arguments.
#[derive(Debug, Clone, Default)]
pub struct ConfigBody {
    native: Body,
}

impl ConfigBody {
    /// The body by a schema, and what in it does not fit.
    pub fn under(&self, _schema: &Block) -> (Cow<'_, Body>, Vec<Diagnostic>) {
        (Cow::Borrowed(&self.native), Vec::new())
    }
}
