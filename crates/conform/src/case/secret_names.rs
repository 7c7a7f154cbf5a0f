//! Whether the names of attributes in an object may be secret.

use objchange::Value;
use objchange::schema::Block;
use objchange::value::Kind;

use super::super::parts::parts;

/// Whether names of attributes may be content of what people call secret.
pub(crate) fn holds_secret_names(block: &Block, config: &Value) -> bool {
    let mut holds = false;
    config.visit(|_, part| {
        holds |= part.is_marked() && has_object(part.unmarked());
        if holds { objchange::value::Descend::Over } else { objchange::value::Descend::Into }
    });
    holds && block.implied_type().has_dynamic()
}

/// Whether names of attributes may be content of what is hidden.
pub(super) fn hides_names(block: &Block, object: &Value) -> bool {
    let mut hides = false;
    block.mark_hidden(object).visit(|_, part| {
        hides |= part.is_marked() && has_object(part.unmarked());
        if hides { objchange::value::Descend::Over } else { objchange::value::Descend::Into }
    });
    // Where the schema names them, they are not content.
    hides && block.implied_type().has_dynamic()
}

fn has_object(value: &Value) -> bool {
    matches!(value.kind(), Kind::Object(_)) || parts(value).into_iter().any(has_object)
}
