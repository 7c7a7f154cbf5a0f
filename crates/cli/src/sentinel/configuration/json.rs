//! Configurations in JSON: today's, which have the blocks of HCL as objects in objects, and those of before, in which a
//! name is directly what it stands for.

use super::Problem;
use super::cursor::Read;
use super::meaning::Reader;
use super::node::{Entry, Member, Node, NodeKind};

/// Reads what an object says.
pub(super) fn entries(document: Node, reader: &mut Reader) -> Read<()> {
    let NodeKind::Object(members) = document.kind else { return Ok(()) };
    for Member { name: kind, at, value } in members {
        let singular = match kind.as_str() {
            "policies" => "policy",
            "modules" => "module",
            "mocks" => "mock",
            "globals" => "global",
            "params" => "param",
            other => other,
        };
        // Blocks may come one by one in an array.
        let objects = match value.kind {
            NodeKind::List(items) => items,
            _ => vec![value],
        };
        for object in objects {
            let name = object.name();
            let NodeKind::Object(members) = object.kind else {
                return Err(Problem::new(object.at, format!("{kind} is an object, not {name}")));
            };
            if matches!(singular, "test" | "sentinel") {
                let body = Node { at: object.at, kind: NodeKind::Object(members) };
                reader.entry(Entry { kind: singular.to_owned(), at, labels: Vec::new(), body })?;
                continue;
            }
            for member in members {
                block(singular, member, reader)?;
            }
        }
    }
    Ok(())
}

fn block(kind: &str, Member { name, at, value }: Member, reader: &mut Reader) -> Read<()> {
    let mut entry = |kind: &str, labels: Vec<String>, body: Node| {
        reader.entry(Entry { kind: kind.to_owned(), at, labels, body })
    };
    match kind {
        "import" => {
            let NodeKind::Object(members) = value.kind else {
                return Err(Problem::new(value.at, "write {\"module\": {\"NAME\": {\"source\": \"FILE\"}}}"));
            };
            members
                .into_iter()
                .try_for_each(|member| entry(kind, vec![name.clone(), member.name], member.value))
        }
        "imports" => entry("import", vec!["plugin".to_owned(), name], value),
        "module" => entry(kind, vec![name], path_as_source(value)),
        "global" | "param" if value.only("value").is_none() => {
            let at = value.at;
            let members = vec![Member { name: "value".to_owned(), at, value }];
            entry(kind, vec![name], Node { at, kind: NodeKind::Object(members) })
        }
        "mock" => {
            let is_block = value.only("data").is_some_and(|data| data.members().is_some())
                || value.only("module").is_some_and(|module| module.only("source").is_some());
            match value.kind {
                NodeKind::Text(source) => reader.mock_file(name, source, value.at),
                NodeKind::Object(_) if !is_block => reader.mock_data(name, value),
                _ => return entry(kind, vec![name], value),
            }
            Ok(())
        }
        _ => entry(kind, vec![name], value),
    }
}

/// `path` is what `source` was called.
fn path_as_source(mut value: Node) -> Node {
    if let NodeKind::Object(members) = &mut value.kind {
        members.iter_mut().filter(|member| member.name == "path").for_each(|member| {
            member.name = "source".to_owned();
        });
    }
    value
}
