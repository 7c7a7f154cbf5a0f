//! Which parts of an object change: the leaves that differ between before and after.

use std::collections::HashSet;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Kind, Path};

/// One part that changes. Null is as good as absent.
#[derive(Debug, Clone)]
pub(super) struct PathChange<'v> {
    pub(super) path: Path,
    pub(super) before: Option<&'v Value>,
    pub(super) after: Option<&'v Value>,
}

impl PathChange<'_> {
    /// Whether one side is marked, so that neither may be shown.
    pub(super) fn is_hidden(&self) -> bool {
        self.sides().any(Value::is_marked)
    }

    /// Whether both sides have the same content, and only their marks differ.
    pub(super) fn is_of_marks(&self) -> bool {
        match (self.before, self.after) {
            (Some(before), Some(after)) => before.unmark_deep().0.identical(&after.unmark_deep().0),
            _ => false,
        }
    }

    fn sides(&self) -> impl Iterator<Item = &Value> {
        self.before.into_iter().chain(self.after)
    }
}

/// All parts that change, in the order of the object.
pub(super) fn collect<'v>(schema: &Block, before: &'v Value, after: &'v Value) -> Vec<PathChange<'v>> {
    let mut walk = Walk { schema, found: Vec::new() };
    walk.part(Some(before), Some(after), Path::root());
    walk.found
}

struct Walk<'s, 'v> {
    schema: &'s Block,
    found: Vec<PathChange<'v>>,
}

impl<'v> Walk<'_, 'v> {
    fn part(&mut self, before: Option<&'v Value>, after: Option<&'v Value>, path: Path) {
        // A null says nothing, whatever it is marked with.
        if before.is_none_or(Value::is_null) && after.is_none_or(Value::is_null) {
            return;
        }
        let present = |side: Option<&'v Value>| side.filter(|value| value.is_marked() || !value.is_null());
        let (before, after) = (present(before), present(after));
        let children = match (before, after) {
            (None, None) => return,
            (Some(b), Some(a)) if b.identical(a) => return,
            (Some(b), Some(a)) if b.is_marked() || a.is_marked() => false,
            (Some(b), Some(a)) => self.both(b, a, &path),
            (Some(b), None) => self.one(b, &path, |walk, child, path| walk.part(Some(child), None, path)),
            (None, Some(a)) => self.one(a, &path, |walk, child, path| walk.part(None, Some(child), path)),
        };
        if !children {
            self.found.push(PathChange { path, before, after });
        }
    }

    /// Goes on into two containers of one kind; false if they are none.
    fn both(&mut self, before: &'v Value, after: &'v Value, path: &Path) -> bool {
        match (before.kind(), after.kind()) {
            (Kind::Object(b), Kind::Object(a)) => {
                for (name, value) in b.iter() {
                    self.part(Some(value), a.get(name), path.clone().attribute(name.clone()));
                }
                for (name, value) in a.iter().filter(|(name, _)| b.get(name).is_none()) {
                    self.part(None, Some(value), path.clone().attribute(name.clone()));
                }
                true
            }
            (Kind::Map(b), Kind::Map(a)) if !b.is_empty() && !a.is_empty() => {
                for (key, value) in b.iter() {
                    self.part(Some(value), a.get(key), path.clone().index(key.as_str()));
                }
                for (key, value) in a.iter().filter(|(key, _)| b.get(key).is_none()) {
                    self.part(None, Some(value), path.clone().index(key.as_str()));
                }
                true
            }
            (Kind::List(b) | Kind::Tuple(b), Kind::List(a) | Kind::Tuple(a))
                if !b.is_empty() && !a.is_empty() =>
            {
                for i in 0..b.len().max(a.len()) {
                    self.part(b.get(i), a.get(i), path.clone().index(i));
                }
                true
            }
            (Kind::Set(b), Kind::Set(a)) if !b.is_empty() && !a.is_empty() => {
                self.sets(b, a, path);
                true
            }
            _ => false,
        }
    }

    /// The elements that only one of two sets has. One object in place of another is a change of its
    /// attributes, under the path of the element before.
    fn sets(&mut self, before: &'v [Value], after: &'v [Value], path: &Path) {
        let gone = only_in(before, after);
        let new = only_in(after, before);
        if let ([gone], [new]) = (&gone[..], &new[..])
            && gone.as_object().is_some()
            && new.as_object().is_some()
        {
            return self.part(Some(gone), Some(new), path.clone().index((*gone).clone()));
        }
        let element = |before: Option<&'v Value>, after: Option<&'v Value>, value: &Value| PathChange {
            path: path.clone().index(value.clone()),
            before,
            after,
        };
        self.found.extend(gone.into_iter().map(|value| element(Some(value), None, value)));
        self.found.extend(new.into_iter().map(|value| element(None, Some(value), value)));
    }

    /// Goes on into a container that stands on one side alone; false if it is none, or empty.
    fn one(
        &mut self,
        value: &'v Value,
        path: &Path,
        mut go_on: impl FnMut(&mut Self, &'v Value, Path),
    ) -> bool {
        if value.is_marked() {
            return false;
        }
        match value.kind() {
            // No blocks are no change.
            _ if value.is_empty() && self.schema.attribute_by_path(path).is_none() && !path.is_root() => true,
            Kind::Object(object) if !object.is_empty() => {
                for (name, child) in object.iter() {
                    go_on(self, child, path.clone().attribute(name.clone()));
                }
                true
            }
            Kind::Map(map) if !map.is_empty() => {
                for (key, child) in map.iter() {
                    go_on(self, child, path.clone().index(key.as_str()));
                }
                true
            }
            Kind::List(elements) | Kind::Tuple(elements) if !elements.is_empty() => {
                for (i, child) in elements.iter().enumerate() {
                    go_on(self, child, path.clone().index(i));
                }
                true
            }
            _ => false,
        }
    }
}

fn only_in<'v>(these: &'v [Value], those: &[Value]) -> Vec<&'v Value> {
    let those: HashSet<&Value> = those.iter().collect();
    these.iter().filter(|value| !those.contains(value)).collect()
}

#[cfg(test)]
mod tests {
    use objchange::Type;

    use super::*;

    #[track_caller]
    fn check(before: &Value, after: &Value, expected: &[&str]) {
        let schema: Block = serde_json::from_str(
            r#"{"attributes":{"name":{"type":"string","optional":true},"tags":{"type":["map","string"],"optional":true},
                "ports":{"type":["set","number"],"optional":true},"token":{"type":"string","optional":true}},
                "block_types":{"disk":{"nesting_mode":"list","block":{"attributes":{"size":{"type":"number","optional":true}}}}}}"#,
        )
        .unwrap();
        let object = |value: &Value| schema.coerce_value(value).unwrap();
        let (before, after) = (object(before), object(after));
        let side = |value: Option<&Value>| value.map_or("-".to_owned(), ToString::to_string);
        let found: Vec<String> = collect(&schema, &before, &after)
            .iter()
            .map(|c| format!("{} {} {}", c.path, side(c.before), side(c.after)))
            .collect();
        assert_eq!(found, expected);
    }

    fn disks(sizes: &[i64]) -> Value {
        Value::tuple(sizes.iter().map(|size| Value::object([("size", *size)])))
    }

    #[test]
    fn the_leaves_that_differ_are_found() {
        let ports = |ports: &[i64]| Value::tuple(ports.iter().copied());
        check(
            &Value::object([
                ("name", Value::from("a")),
                ("disk", disks(&[1, 2])),
                ("ports", ports(&[80, 443])),
            ]),
            &Value::object([
                ("name", Value::from("b")),
                ("disk", disks(&[1, 3, 4])),
                ("ports", ports(&[443, 22])),
            ]),
            &[
                r".disk[1].size 2 3",
                ".disk[2].size - 4",
                r#".name "a" "b""#,
                ".ports[80] 80 -",
                ".ports[22] - 22",
            ],
        );
    }

    #[test]
    fn what_is_created_is_listed_without_what_is_empty() {
        let tags = Value::object([("tags", Value::object([("env", "prod")]))]);
        check(&Value::null(Type::Dynamic), &tags, &[r#".tags["env"] - "prod""#]);
        let no_tags = Value::object([("tags", Value::object::<&str, Value>([]))]);
        check(&Value::null(Type::Dynamic), &no_tags, &[".tags - {}"]);
    }

    #[test]
    fn nothing_is_looked_for_inside_of_what_is_marked() {
        let token = |text: &str| Value::object([("token", Value::from(text).sensitive())]);
        check(&token("a"), &token("a"), &[]);
        check(&token("a"), &token("b"), &[".token (sensitive value) (sensitive value)"]);
        check(
            &token("a"),
            &Value::object([("token", Value::null(Type::String))]),
            &[".token (sensitive value) -"],
        );
    }
}
