//! Finds the secret parts of objects: those that the schema calls sensitive or write-only, and those that are
//! marked in one of the objects.
//!
//! No other code decides this. A walk over objects carries a path that asks a [`SecretParts`] when there is
//! something to report, so that paths, names, types and values in errors contain no secrets.

use std::sync::OnceLock;

use super::attribute::NestingMode;
use super::block::Block;
use super::members::{Member, Members};
use crate::value::{Descend, Disclosure, Path, PathRedactor, PathStack, PathStep, PathTrie, Type, Value};

/// The secret parts of objects that belong together, such as those of a change: a part that is marked in
/// one is secret in all.
pub(crate) struct SecretParts<'a> {
    /// `None` for plain values.
    schema: Option<&'a Block>,
    /// The objects, with their marks.
    objects: &'a [&'a Value],
    /// The depth from which on everything is secret, if there is one.
    depth: usize,
    /// The places of marks. Computed on first use, because most objects have nothing to report.
    marks: OnceLock<PathTrie<bool>>,
}

impl<'a> SecretParts<'a> {
    pub(crate) fn new(schema: &'a Block, objects: &'a [&'a Value]) -> Self {
        Self { schema: Some(schema), ..Self::of_values(objects) }
    }

    /// For values without a schema.
    pub(crate) fn of_values(objects: &'a [&'a Value]) -> Self {
        Self { schema: None, objects, depth: usize::MAX, marks: OnceLock::new() }
    }

    /// Makes everything below the first `depth` steps secret.
    pub(crate) fn below(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// The start of walks over the objects.
    pub(crate) fn root(&self) -> PathStack<'_> {
        PathStack::under(self)
    }

    /// The path of a part without secrets.
    pub(crate) fn path(&self, path: &Path) -> Path {
        self.disclose(path).0
    }

    fn scope(&self) -> Scope<'a> {
        self.schema.map_or(Scope::Value, |schema| Scope::Object(Members::Block(schema)))
    }

    fn marks(&self) -> &PathTrie<bool> {
        self.marks.get_or_init(|| {
            let mut marks = PathTrie::default();
            for object in self.objects {
                object.visit(|path, value| {
                    if value.is_marked() {
                        let (path, mut scope) = (path.to_path(), self.scope());
                        let place: Path =
                            path.steps().iter().map(|step| scope.go(step).place(step)).collect();
                        *marks.insert(&place) = true;
                    }
                    // The mark covers everything inside.
                    if value.is_marked() || !value.contains_marked() { Descend::Over } else { Descend::Into }
                });
            }
            marks
        })
    }
}

impl PathRedactor for SecretParts<'_> {
    fn disclose(&self, path: &Path) -> (Path, Disclosure) {
        let (mut scope, mut marks) = (self.scope(), Some(self.marks()));
        let is_marked = |marks: Option<&PathTrie<bool>>| marks.is_some_and(|marks| *marks.value());
        let mut is_secret = self.depth == 0 || is_marked(marks);
        let mut shown = Vec::with_capacity(path.steps().len());
        for (i, step) in path.steps().iter().enumerate() {
            let at = scope.go(step);
            marks = marks.and_then(|marks| marks.child_at(&at.place(step)));
            // The step to an element of a set contains the whole element.
            let holds = || scope.has_secrets() || marks.is_some_and(|marks| !marks.is_leaf());
            let is_covered = is_secret || at == At::Element && is_container(step) && holds();
            shown.push(if is_covered { at.without_key(step) } else { step.clone() });
            is_secret =
                is_secret || at == At::Member { is_secret: true } || is_marked(marks) || self.depth == i + 1;
        }
        let told = match is_secret {
            true => Disclosure::Nothing,
            false if scope.has_secrets() || marks.is_some_and(|marks| !marks.is_leaf()) => Disclosure::Names,
            false => Disclosure::All,
        };
        (shown.into_iter().collect(), told)
    }
}

impl Block {
    /// The path without the keys that belong to something sensitive or write-only, as an error may show it: they are
    /// marked, and only names that the schema gives are left below.
    ///
    /// ```
    /// use objchange::schema::{Attribute, Block};
    /// use objchange::Type;
    /// use objchange::value::Path;
    ///
    /// let block = Block::new([("env", Attribute::optional(Type::map(Type::String)).sensitive())], []);
    /// let path = Path::root().attribute("env").index("TOKEN");
    /// assert_eq!(block.hide_keys(&path).to_string(), "env[(sensitive value)]");
    /// ```
    pub fn hide_keys(&self, path: &Path) -> Path {
        SecretParts::new(self, &[]).path(path)
    }

    /// Whether something sensitive or write-only is at the path, around it or in it.
    ///
    /// ```
    /// use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
    /// use objchange::Type;
    /// use objchange::value::Path;
    ///
    /// let login = Block::new([("token", Attribute::optional(Type::String).sensitive())], []);
    /// let block = Block::new(
    ///     [("size", Attribute::optional(Type::Number))],
    ///     [("login", NestedBlock::new(NestingMode::List, login))],
    /// );
    /// assert!(block.has_hidden_at(&Path::root().attribute("login").index(0)));
    /// assert!(!block.has_hidden_at(&Path::root().attribute("size")));
    /// ```
    pub fn has_hidden_at(&self, path: &Path) -> bool {
        SecretParts::new(self, &[]).disclose(path).1 != Disclosure::All
    }

    /// The path with everything below its first `depth` steps hidden.
    pub fn hide_keys_below(&self, path: &Path, depth: usize) -> Path {
        SecretParts::new(self, &[]).below(depth).path(path)
    }
}

fn name(step: &PathStep) -> Option<&str> {
    match step {
        PathStep::Attribute(name) => Some(name),
        PathStep::Index(key) => key.as_str(),
    }
}

fn is_container(step: &PathStep) -> bool {
    matches!(step, PathStep::Index(key) if key.len().is_some())
}

/// The place in a schema that a path has led to.
#[derive(Clone, Copy)]
enum Scope<'s> {
    Object(Members<'s>),
    /// Blocks or nested objects in a collection.
    Objects(Members<'s>),
    /// In a value of a plain type.
    Value,
}

/// The part that a step leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// An attribute or blocks, whose name the schema gives.
    Member { is_secret: bool },
    /// An element.
    Element,
    /// Another part with a name, which may be a secret key.
    Name,
}

impl<'s> Scope<'s> {
    fn held(nesting: NestingMode, members: Members<'s>) -> Self {
        match nesting {
            NestingMode::Single | NestingMode::Group => Self::Object(members),
            NestingMode::List | NestingMode::Set | NestingMode::Map => Self::Objects(members),
        }
    }

    /// Takes a step. Values that do not have the schema's form are tolerated: a list in place of one object
    /// is skipped, and a map in place of an object is treated as an object.
    fn go(&mut self, step: &PathStep) -> At {
        let member = match *self {
            Self::Objects(members) => {
                *self = Self::Object(members);
                return At::Element;
            }
            Self::Object(members) => name(step).and_then(|name| members.get(name)),
            Self::Value => None,
        };
        match (member, step) {
            (Some(Member::Blocks(nested)), _) => {
                *self = Self::held(nested.nesting, Members::Block(&nested.block));
                At::Member { is_secret: false }
            }
            (Some(Member::Attribute(attribute)), _) => {
                *self = attribute
                    .nested()
                    .map_or(Self::Value, |nested| Self::held(nested.nesting(), Members::Nested(nested)));
                At::Member { is_secret: attribute.is_hidden() }
            }
            (None, PathStep::Index(_)) => At::Element,
            (None, PathStep::Attribute(_)) => At::Name,
        }
    }

    fn has_secrets(self) -> bool {
        match self {
            Self::Object(members) | Self::Objects(members) => members.have_hidden(),
            Self::Value => false,
        }
    }
}

impl At {
    /// The step in paths of marks. All elements are treated as one there: an element may have another index
    /// after the change, and elements of a set have no index.
    fn place(self, step: &PathStep) -> PathStep {
        match self {
            Self::Element => PathStep::Index(Value::null(Type::Dynamic)),
            Self::Member { .. } | Self::Name => PathStep::Attribute(name(step).unwrap_or_default().into()),
        }
    }

    /// The step inside of a secret. Names from the schema are not secret.
    fn without_key(self, step: &PathStep) -> PathStep {
        match (self, step) {
            (Self::Member { .. }, _) => step.clone(),
            (_, PathStep::Attribute(name)) => PathStep::Index(Value::from(name.clone()).sensitive()),
            (_, PathStep::Index(key)) => PathStep::Index(key.clone().sensitive()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, NestedBlock};

    /// Disks by label, each with a secret and tags.
    fn disks() -> Block {
        let disk = Block::new(
            [
                ("key", Attribute::optional(Type::map(Type::String)).sensitive()),
                ("tags", Attribute::optional(Type::map(Type::String))),
            ],
            [],
        );
        Block::new([], [("disk", NestedBlock::new(NestingMode::Map, disk))])
    }

    fn check(secrets: &SecretParts<'_>, path: &str, shown: &str, told: Disclosure) {
        let (path, found) = secrets.disclose(&path.parse().unwrap());
        assert_eq!((path.to_string().as_str(), found), (shown, told));
    }

    #[test]
    fn the_schema_says_what_is_secret() {
        let schema = disks();
        let secrets = SecretParts::new(&schema, &[]);
        check(&secrets, r#"disk["a"].key["b"]"#, r#"disk["a"].key[(sensitive value)]"#, Disclosure::Nothing);
        check(&secrets, r#"disk["a"].tags["b"]"#, r#"disk["a"].tags["b"]"#, Disclosure::All);
        check(&secrets, r#"disk["a"]"#, r#"disk["a"]"#, Disclosure::Names);
        // The label `key` is not the attribute `key` of the block.
        check(&secrets, r#"disk.key.tags["b"]"#, r#"disk.key.tags["b"]"#, Disclosure::All);
        check(
            &secrets.below(1),
            "disk.a.tags.b",
            "disk[(sensitive value)].tags[(sensitive value)]",
            Disclosure::Nothing,
        );
    }

    /// The step to an element of a set is the element, with all that is in it.
    #[test]
    fn an_element_that_holds_a_secret_is_no_key_to_show() {
        let disk = |tags: Value| Value::object([("key", Value::from("swordfish")), ("tags", tags)]);
        let plain = disk(Value::object([("b", "x")]));
        let at = |element: &Value| Path::root().attribute("disk").index(element.clone()).attribute("tags");
        let json = |path: &Path| serde_json::to_string(path).unwrap();
        let hidden = r#"[{"attr":"disk"},{"index":"(sensitive value)"},{"attr":"tags"}]"#;

        // Secret by the schema.
        let by_schema = Block::new(
            [],
            [("disk", NestedBlock::new(NestingMode::Set, disks().block_type("disk").unwrap().block.clone()))],
        );
        assert_eq!(json(&by_schema.hide_keys(&at(&plain))), hidden);
        // Or a mark in any element.
        let marked = disk(Value::object([("b", Value::from("x").sensitive())]));
        let objects = [&Value::object([("disk", Value::tuple([plain.clone(), marked]))])];
        assert_eq!(json(&SecretParts::of_values(&objects).path(&at(&plain))), hidden);
        // An element without secrets is shown, and so is a key that is not one of the content.
        let objects = [&Value::object([("disk", Value::tuple([plain.clone()]))])];
        assert_eq!(json(&SecretParts::of_values(&objects).path(&at(&plain))), json(&at(&plain)));
        assert_eq!(json(&by_schema.hide_keys(&at(&Value::from("a")))), json(&at(&Value::from("a"))));
    }

    #[test]
    fn a_mark_in_one_object_covers_all_elements_of_each() {
        let schema = disks();
        let disk = |label: &str, tags: Value| {
            Value::object([("disk", Value::object([(label, Value::object([("tags", tags)]))]))])
        };
        let tag = || Value::object([("b", "x")]);
        let objects = [&disk("a", tag()), &disk("c", tag().sensitive())];
        let secrets = SecretParts::new(&schema, &objects);
        check(
            &secrets,
            r#"disk["a"].tags["b"]"#,
            r#"disk["a"].tags[(sensitive value)]"#,
            Disclosure::Nothing,
        );
        check(&secrets, "disk", "disk", Disclosure::Names);
        let objects = [&disk("a", Value::object([("b", Value::from("x").sensitive())]))];
        let secrets = SecretParts::of_values(&objects);
        check(&secrets, "disk.a.tags", "disk.a.tags", Disclosure::Names);
        check(&secrets, "disk.a.tags.b", "disk.a.tags.b", Disclosure::Nothing);
        check(&secrets, "disk.a.tags.c", "disk.a.tags.c", Disclosure::All);
    }
}
