//! Addresses as keys of collections.

use std::fmt::Write;

use std::borrow::Cow;

use objchange::address::{module_of, quote_key};
use objchange_document::{Index, Text};

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

/// The address of a data source in the collections of planned values and states: they have no `data.` before the type.
/// Any other address is as it was.
pub(crate) fn without_data(address: &str) -> Cow<'_, str> {
    // A key of a module may contain anything: `module.m["data.disk."].data.disk.x`.
    let module = module_of(address);
    let of_resource = &address[module.len()..];
    let dot = if module.is_empty() { "" } else { "." };
    match of_resource.strip_prefix(dot).and_then(|rest| rest.strip_prefix("data.")) {
        Some(rest) => format!("{module}{dot}{rest}").into(),
        None => address.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_data;

    #[test]
    fn data_is_removed_before_the_type_alone() {
        for (address, expected) in [
            ("data.disk.a", "disk.a"),
            ("disk.data", "disk.data"),
            (r#"data.disk.a["data.disk."]"#, r#"disk.a["data.disk."]"#),
            (r#"module.m["data.disk."].data.disk.x[0]"#, r#"module.m["data.disk."].disk.x[0]"#),
            (r#"module.m["data.disk."].disk.x"#, r#"module.m["data.disk."].disk.x"#),
            ("module.data.module.a.data.disk.x", "module.data.module.a.disk.x"),
        ] {
            assert_eq!(without_data(address), expected);
        }
    }
}
