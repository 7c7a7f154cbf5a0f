//! Changes the part at the end of a path of names, in each element on the way.

use objchange::value::Kind;
use objchange::{Type, Value};
use smol_str::SmolStr;

/// The value with each part to which the names lead replaced.
pub(super) fn changed(value: &Value, names: &[SmolStr], change: &mut dyn FnMut(&Value) -> Value) -> Value {
    let Some((name, rest)) = names.split_first() else { return change(value) };
    // The marks of a container are kept around its new parts.
    let (value, marks) = value.unmark();
    let new = match value.kind() {
        Kind::Object(members) if value.attribute(name).is_some() => {
            Value::object(members.iter().map(|(member, old)| {
                let new = if member == name { changed(old, rest, change) } else { old.clone() };
                (member.clone(), new)
            }))
        }
        // Labelled blocks of several types are an object.
        Kind::Object(members) => {
            Value::object(members.iter().map(|(key, element)| (key.clone(), changed(element, names, change))))
        }
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            elements_like(&value, elements.iter().map(|element| changed(element, names, change)))
        }
        Kind::Map(map) => {
            let all = map.iter().map(|(key, element)| (key, changed(element, names, change)));
            let element = value.ty().element().cloned().unwrap_or(Type::Dynamic);
            Value::map(element, all).unwrap_or_else(|_| value.clone())
        }
        _ => value,
    };
    new.with_marks(marks)
}

/// The first part to which the names lead.
pub(super) fn first<'v>(value: &'v Value, names: &[SmolStr]) -> Option<&'v Value> {
    let mut found = None;
    each(value, names, &mut |part| {
        found.get_or_insert(part);
    });
    found
}

/// Each part to which the names lead.
pub(super) fn each<'v>(value: &'v Value, names: &[SmolStr], visit: &mut dyn FnMut(&'v Value)) {
    let Some((name, rest)) = names.split_first() else { return visit(value) };
    match value.unmarked().kind() {
        Kind::Object(members) => match members.get(name) {
            Some(member) => each(member, rest, visit),
            None => members.values().iter().for_each(|element| each(element, names, visit)),
        },
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            elements.iter().for_each(|element| each(element, names, visit));
        }
        Kind::Map(map) => map.iter().for_each(|(_, element)| each(element, names, visit)),
        _ => {}
    }
}

/// A collection like this one, with these elements.
pub(super) fn elements_like(like: &Value, elements: impl Iterator<Item = Value>) -> Value {
    let as_tuple = Value::tuple(elements);
    as_tuple.convert(like.ty()).unwrap_or(as_tuple)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &[&str]) -> Vec<SmolStr> {
        path.iter().map(SmolStr::new).collect()
    }

    #[test]
    fn each_element_of_a_map_is_on_the_way() {
        let labelled = |size: i64| Value::object([("size", Value::from(size)), ("name", Value::from("a"))]);
        let ty = labelled(1).ty().clone();
        let map = Value::map(ty, [("k", labelled(1)), ("l", labelled(2))]).unwrap();
        // A map, and blocks by label that have several types.
        let several = Value::object([("k", labelled(1)), ("l", Value::object([("size", Value::from(2))]))]);
        for blocks in [map, several] {
            let object = Value::object([("disk", blocks.clone().sensitive())]);
            let path = names(&["disk", "size"]);
            let mut seen = Vec::new();
            each(&object, &path, &mut |part| seen.push(part.clone()));
            assert_eq!(seen, [Value::from(1), Value::from(2)]);
            assert_eq!(first(&object, &path), Some(&Value::from(1)));
            let new = changed(&object, &path, &mut |_| Value::from(7));
            let disk = new.attribute("disk").unwrap();
            assert!(disk.is_marked());
            assert_eq!(disk.unmarked().ty(), blocks.ty());
            let mut seen = Vec::new();
            each(&new, &path, &mut |part| seen.push(part.clone()));
            assert_eq!(seen, [Value::from(7), Value::from(7)]);
            // Other places stay.
            assert_eq!(first(&new, &names(&["disk", "name"])), Some(&Value::from("a")));
            assert_eq!(first(&new, &names(&["disk", "none"])), None);
        }
    }
}
