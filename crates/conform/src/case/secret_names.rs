//! Whether the names of attributes in an object may be secret.

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Descend, Kind};

use super::super::parts::parts;

/// Whether names of attributes may be secret, because an object is in a marked part of the value.
pub(crate) fn holds_secret_names(block: &Block, value: &Value) -> bool {
    let mut holds = false;
    value.visit(|_, part| {
        holds |= part.is_marked() && has_object(part.unmarked());
        if holds { Descend::Over } else { Descend::Into }
    });
    // Names from the schema are public. Only a dynamic attribute can have others.
    holds && block.implied_type().has_dynamic()
}

fn has_object(value: &Value) -> bool {
    matches!(value.kind(), Kind::Object(_)) || parts(value).into_iter().any(has_object)
}
