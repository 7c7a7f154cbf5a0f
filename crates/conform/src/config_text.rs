//! Prints a configuration in HCL.

use std::fmt::Write;

use objchange::Value;
use objchange::schema::{Block, NestedBlock, NestingMode};
use objchange::value::Kind;
use objchange_provider::Component;
use objchange_text::quote_into;
use objchange_text::redact::SENSITIVE;

use super::{Subject, TypeReport};

/// The block of a configuration, or the call of a function.
pub(crate) fn block(type_report: &TypeReport, config: &Value) -> String {
    let keyword = match type_report.subject {
        Subject::Function => {
            let arguments = config.as_elements().unwrap_or_default().iter().map(expression);
            return format!("{}({})\n", type_report.name, arguments.collect::<Vec<_>>().join(", "));
        }
        Subject::Component(Component::Provider) => return body("provider", &type_report.schema, config, 0),
        Subject::Component(Component::DataSource) => "data",
        Subject::Component(Component::EphemeralResource) => "ephemeral",
        Subject::Component(Component::ListResource) => "list",
        Subject::Component(Component::Action) => "action",
        Subject::Component(_) => "resource",
    };
    body(&format!("{keyword} {} \"smallest\"", quoted(&type_report.name)), &type_report.schema, config, 0)
}

fn body(head: &str, schema: &Block, config: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let mut inside = String::new();
    let part = |name: &str| config.attribute(name);
    for (name, _) in schema.attributes() {
        if let Some(value) = part(name).filter(|value| !value.is_null()) {
            let _ = writeln!(inside, "{indent}  {name} = {}", expression(value));
        }
    }
    for (name, nested) in schema.block_types() {
        if let Some(value) = part(name) {
            blocks(name, nested, value, depth + 1, &mut inside);
        }
    }
    match inside.is_empty() {
        true => format!("{indent}{head} {{}}\n"),
        false => format!("{indent}{head} {{\n{inside}{indent}}}\n"),
    }
}

fn blocks(name: &str, nested: &NestedBlock, value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let one = |head: &str, value: &Value| match value.kind() {
        Kind::Object(_) if !value.is_marked() => body(head, &nested.block, value, depth),
        // HCL has no syntax for a block that is unknown or sensitive as a whole, so this is a comment.
        _ => format!("{indent}# {head}: {}\n", expression(value)),
    };
    match value.kind() {
        Kind::Null => {}
        _ if value.is_marked() || !value.is_known() => {
            let _ = writeln!(out, "{indent}# {name}: {}", expression(value));
        }
        Kind::Map(map) => map
            .iter()
            .for_each(|(label, value)| out.push_str(&one(&format!("{name} {}", quoted(label)), value))),
        // A group always exists, so an empty one was not written.
        Kind::Object(_) if nested.nesting == NestingMode::Group && *value == *nested.block.empty_value() => {}
        Kind::Object(object) if nested.nesting == NestingMode::Map => {
            object
                .iter()
                .for_each(|(label, value)| out.push_str(&one(&format!("{name} {}", quoted(label)), value)));
        }
        Kind::Object(_) => out.push_str(&one(name, value)),
        _ => value.as_elements().unwrap_or_default().iter().for_each(|value| out.push_str(&one(name, value))),
    }
}

fn expression(value: &Value) -> String {
    if value.is_marked() {
        return SENSITIVE.to_owned();
    }
    let all = |values: &[Value]| values.iter().map(expression).collect::<Vec<_>>().join(", ");
    let entries = |entries: &mut dyn Iterator<Item = (&str, &Value)>| {
        let entries: Vec<String> = entries.map(|(k, v)| format!("{} = {}", key(k), expression(v))).collect();
        if entries.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", entries.join(", ")) }
    };
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Unknown(_) => "(known after apply)".to_owned(),
        Kind::Bool(b) => b.to_string(),
        Kind::Number(number) => number.to_string(),
        Kind::String(text) => quoted(text),
        Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => format!("[{}]", all(values)),
        Kind::Map(map) => entries(&mut map.iter().map(|(k, v)| (k.as_str(), v))),
        Kind::Object(object) => {
            entries(&mut object.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.as_str(), v)))
        }
    }
}

fn key(text: &str) -> String {
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote_into(text, &mut out);
    // In a quoted text `${` and `%{` begin a template; with the first sign doubled they are plain text.
    out.replace("${", "$${").replace("%{", "%%{")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_no_names_are_quoted() {
        let keys = ["1c", "a-b", "a_b", "b${c}"];
        let value = Value::object(keys.map(|key| (key, Value::from(true))));
        assert_eq!(expression(&value), r#"{ "1c" = true, "a-b" = true, a_b = true, "b$${c}" = true }"#);
    }
}
