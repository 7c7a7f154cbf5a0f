//! Addresses as keys of collections.

use std::fmt::Write;

use objchange::address::quote_key;
use objchange_plan::{Index, Text};

/// Writes the address of an instance as policies know it: without the `data.` of data sources.
pub(crate) fn instance_address(
    out: &mut String,
    module: &str,
    resource_type: &str,
    name: &str,
    index: Option<&Index<'_>>,
) {
    out.clear();
    if !module.is_empty() {
        out.push_str(module);
        out.push('.');
    }
    // Writing to a string does not fail.
    _ = write!(out, "{resource_type}.{name}");
    match index {
        None => {}
        Some(Index::Number(number)) => _ = write!(out, "[{number}]"),
        Some(Index::Key(key)) => {
            out.push('[');
            quote_key(key, out);
            out.push(']');
        }
    }
}

/// The key of what has a name within a module: the name alone in the root module.
pub(crate) fn prefixed<'t>(module: &str, separator: char, name: &Text<'t>) -> Text<'t> {
    if module.is_empty() { name.clone() } else { Text::from(format!("{module}{separator}{name}")) }
}
