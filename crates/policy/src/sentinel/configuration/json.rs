//! Configurations in JSON: the current form, HCL's blocks as nested objects, and an older form, where names map
//! directly to sources.

use objchange_hcl::DataBlock;
use objchange_text::json::{Node, NodeKind, Property, Reader as JsonReader};

use super::blocks::{Problem, Read, Reader, members};

/// Reads what an object says.
pub(super) fn read<'t>(text: &'t str, reader: &mut Reader<'t>) -> Read<()> {
    let document = Node::read_all(JsonReader::new(text))?;
    for Property { name: kind, name_span, value } in object(&document, "expected an object, found ")? {
        let singular = match &**kind {
            "policies" => "policy",
            "modules" => "module",
            "mocks" => "mock",
            "globals" => "global",
            "params" => "param",
            other => other,
        };
        // Blocks may come one by one in an array.
        let objects = match &value.kind {
            NodeKind::Array(items) => &**items,
            _ => std::slice::from_ref(value),
        };
        for value in objects {
            let members = object(value, &format!("{kind} is an object, not "))?;
            if matches!(singular, "test" | "sentinel") {
                let (kind, body) = (singular.to_owned(), value.clone());
                reader.block(DataBlock { kind, kind_span: *name_span, labels: Vec::new(), body })?;
            } else {
                members.iter().try_for_each(|member| block(singular, member, reader))?;
            }
        }
    }
    Ok(())
}

fn object<'n, 't>(node: &'n Node<'t>, problem: &str) -> Read<&'n [Property<'t>]> {
    match members(node) {
        Some(members) => Ok(members),
        None => Err(Problem::new(node.span.start, format!("{problem}{}", node.noun()))),
    }
}

fn block<'t>(kind: &str, member: &Property<'t>, reader: &mut Reader<'t>) -> Read<()> {
    let Property { name, name_span, value } = member;
    let mut block = |kind: &str, labels: &[&str], body: Node<'t>| {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        reader.block(DataBlock { kind: kind.to_owned(), kind_span: *name_span, labels, body })
    };
    match kind {
        "import" => {
            let Some(members) = members(value) else {
                let message = "write {\"module\": {\"NAME\": {\"source\": \"FILE\"}}}";
                return Err(Problem::new(value.span.start, message));
            };
            members.iter().try_for_each(|member| block(kind, &[name, &member.name], member.value.clone()))
        }
        // The older form has only plugins here: its modules are in `modules`.
        "imports" => block("import", &["plugin", name], value.clone()),
        "module" => block(kind, &[name], path_as_source(value)),
        "global" | "param" if only(value, "value").is_none() => {
            let member = Property { name: "value".into(), name_span: value.span, value: value.clone() };
            let body = Node { span: value.span, kind: NodeKind::Object([member].into()) };
            block(kind, &[name], body)
        }
        "mock" => {
            let is_block = only(value, "data").is_some_and(|data| members(data).is_some())
                || only(value, "module").is_some_and(|module| only(module, "source").is_some());
            match &value.kind {
                NodeKind::String(source) => {
                    reader.mock_file(name.to_string(), source.to_string(), value.span.start);
                    Ok(())
                }
                NodeKind::Object(_) if !is_block => reader.mock_data(name.to_string(), value),
                _ => block(kind, &[name], value.clone()),
            }
        }
        _ => block(kind, &[name], value.clone()),
    }
}

/// The only member of an object that has one.
fn only<'n, 't>(node: &'n Node<'t>, name: &str) -> Option<&'n Node<'t>> {
    match &**members(node)? {
        [member] if member.name == name => Some(&member.value),
        _ => None,
    }
}

/// `path` is what `source` was called.
fn path_as_source<'t>(value: &Node<'t>) -> Node<'t> {
    let Some(members) = members(value) else { return value.clone() };
    let renamed = members.iter().cloned().map(|member| match &*member.name {
        "path" => Property { name: "source".into(), ..member },
        _ => member,
    });
    Node { span: value.span, kind: NodeKind::Object(renamed.collect()) }
}
