//! From text to blocks: the part of HCL that configurations of policies use (no expressions, no interpolation), and
//! JSON, whose values are written in the same way.

use objchange_sentinel::Position;

use super::Problem;
use super::cursor::{Cursor, Read, is_name};
use super::node::{Entry, Member, Node, NodeKind};
use super::text;

/// The blocks of a file, and attributes that stand outside of any.
pub(super) fn hcl(text: &str) -> Read<(Vec<Entry>, Vec<Member>)> {
    let mut cursor = Cursor::new(text, true);
    let (mut entries, mut attributes) = (Vec::new(), Vec::new());
    loop {
        cursor.skip()?;
        if cursor.peek().is_none() {
            return Ok((entries, attributes));
        }
        match item(&mut cursor)? {
            Item::Attribute(member) => attributes.push(member),
            Item::Block(entry) => entries.push(entry),
        }
    }
}

/// The object that a file is.
pub(super) fn json(text: &str) -> Read<Node> {
    let mut cursor = Cursor::new(text, false);
    cursor.skip()?;
    let node = value(&mut cursor)?;
    cursor.skip()?;
    match (cursor.peek(), node.members()) {
        (Some(_), _) => Err(cursor.expected("the end of the file")),
        (None, None) => Err(Problem::new(node.at, format!("expected an object, found {}", node.name()))),
        (None, Some(_)) => Ok(node),
    }
}

enum Item {
    Attribute(Member),
    Block(Entry),
}

/// An attribute, or a block.
fn item(cursor: &mut Cursor<'_>) -> Read<Item> {
    let at = cursor.at();
    let name = name(cursor, "an attribute or a block")?;
    cursor.skip()?;
    if cursor.take("=") || cursor.take(":") {
        cursor.skip()?;
        let value = value(cursor)?;
        return Ok(Item::Attribute(Member { name, at, value }));
    }
    let mut labels = Vec::new();
    while cursor.peek().is_some_and(|c| c == '"' || is_name(c)) {
        labels.push(self::name(cursor, "a label")?);
        cursor.skip()?;
    }
    let open = cursor.at();
    if !cursor.take("{") {
        return Err(cursor.expected(&format!("= or {{ behind {name}")));
    }
    let members = cursor.within(|cursor| body(cursor, open))?;
    Ok(Item::Block(Entry {
        kind: name,
        at,
        labels,
        body: Node { at: open, kind: NodeKind::Object(members) },
    }))
}

/// What is inside of a block, and its closing brace.
fn body(cursor: &mut Cursor<'_>, open: Position) -> Read<Vec<Member>> {
    let mut members = Vec::new();
    loop {
        cursor.skip()?;
        if cursor.take("}") {
            return Ok(members);
        }
        if cursor.peek().is_none() {
            return Err(Problem::new(open, "this block has no end: close it with }"));
        }
        members.push(match item(cursor)? {
            Item::Attribute(member) => member,
            Item::Block(Entry { kind, at, labels, body }) if labels.is_empty() => {
                Member { name: kind, at, value: body }
            }
            Item::Block(Entry { kind, at, .. }) => {
                return Err(Problem::new(
                    at,
                    format!("a block {kind} with a label can only stand at the top"),
                ));
            }
        });
        // Not HCL, but harmless.
        cursor.skip()?;
        while cursor.take(",") || cursor.take(";") {
            cursor.skip()?;
        }
    }
}

fn name(cursor: &mut Cursor<'_>, what: &str) -> Read<String> {
    match cursor.peek() {
        Some('"') => text::quoted(cursor),
        Some(c) if is_name(c) => Ok(cursor.take_while(is_name).to_owned()),
        _ => Err(cursor.expected(what)),
    }
}

fn value(cursor: &mut Cursor<'_>) -> Read<Node> {
    let at = cursor.at();
    let kind = match cursor.peek() {
        Some('"') => NodeKind::Text(text::quoted(cursor)?),
        Some('<') if cursor.is_at("<<") => NodeKind::Text(text::heredoc(cursor)?),
        Some('[') => {
            cursor.next();
            NodeKind::List(cursor.within(|cursor| list(cursor, at))?)
        }
        Some('{') => {
            cursor.next();
            NodeKind::Object(cursor.within(|cursor| object(cursor, at))?)
        }
        Some('-' | '+' | '.' | '0'..='9') => number(cursor)?,
        Some(c) if is_name(c) => {
            let word = cursor.clone().take_while(is_name);
            let kind = match word {
                "true" => NodeKind::Bool(true),
                "false" => NodeKind::Bool(false),
                "null" => NodeKind::Null,
                _ => {
                    return Err(cursor
                        .expected("a string in quotes, a number, true, false, null, a list or an object"));
                }
            };
            cursor.take_while(is_name);
            kind
        }
        _ => return Err(cursor.expected("a value")),
    };
    Ok(Node { at, kind })
}

fn number(cursor: &mut Cursor<'_>) -> Read<NodeKind> {
    let at = cursor.at();
    let text = cursor.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
    let number = match text.parse::<i64>() {
        Ok(int) => Some(int.into()),
        // What Rust also takes for a number: inf and nan.
        Err(_) if text.contains(['n', 'i', 'N', 'I']) => None,
        Err(_) => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64),
    };
    match number {
        Some(number) => Ok(NodeKind::Number(number)),
        None => {
            let shown: String = text.chars().take(40).collect();
            Err(Problem::new(at, format!("{shown} is no number that a policy can have")))
        }
    }
}

fn list(cursor: &mut Cursor<'_>, open: Position) -> Read<Vec<Node>> {
    let mut items = Vec::new();
    loop {
        cursor.skip()?;
        if cursor.take("]") {
            return Ok(items);
        }
        if cursor.peek().is_none() {
            return Err(Problem::new(open, "this list has no end: close it with ]"));
        }
        items.push(value(cursor)?);
        cursor.skip()?;
        if !cursor.take(",") && !cursor.is_at("]") && cursor.peek().is_some() {
            return Err(cursor.expected(", or ] in this list"));
        }
    }
}

/// What is inside of an object, and its closing brace. A newline separates as well as a comma.
fn object(cursor: &mut Cursor<'_>, open: Position) -> Read<Vec<Member>> {
    let mut members = Vec::new();
    loop {
        cursor.skip()?;
        if cursor.take("}") {
            return Ok(members);
        }
        if cursor.peek().is_none() {
            return Err(Problem::new(open, "this object has no end: close it with }"));
        }
        let at = cursor.at();
        let name = name(cursor, "a key or }")?;
        cursor.skip()?;
        if !cursor.take("=") && !cursor.take(":") {
            return Err(cursor.expected(&format!("= or : behind the key {name}")));
        }
        cursor.skip()?;
        let value = value(cursor)?;
        let line = cursor.at().line;
        cursor.skip()?;
        let is_apart = cursor.take(",") || cursor.is_at("}") || cursor.at().line > line;
        if !is_apart && cursor.peek().is_some() {
            return Err(cursor.expected("a comma or a newline behind this member"));
        }
        members.push(Member { name, at, value });
    }
}
