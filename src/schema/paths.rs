//! Relates paths and schemas: the sensitive and write-only parts of a value, and the schema at a path.

use std::ops::ControlFlow;

use super::attribute::{Attribute, NestedType, NestingMode, Traits};
use super::block::Block;
use super::secret_parts::SecretParts;
use crate::value::{Path, PathStack, PathStep, Value};

impl Block {
    /// The path of every sensitive attribute of a value of this schema: down nested types and blocks, one
    /// for each element of a collection.
    ///
    /// Null and unknown attributes are included; parts below a null or unknown value are not.
    ///
    /// ```
    /// use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
    /// use objchange::{Type, Value};
    ///
    /// let user = Block::new([("password", Attribute::optional(Type::String).sensitive())], []);
    /// let block = Block::new([], [("user", NestedBlock::new(NestingMode::List, user))]);
    /// let one = Value::object([("password", "x")]);
    /// let users = Value::list(one.ty().clone(), [one.clone(), one]).unwrap();
    ///
    /// let paths = block.sensitive_paths(&Value::object([("user", users)]));
    /// let text: Vec<String> = paths.iter().map(ToString::to_string).collect();
    /// assert_eq!(text, ["user[0].password", "user[1].password"]);
    /// ```
    #[doc(alias = "SensitivePaths")]
    pub fn sensitive_paths(&self, value: &Value) -> Vec<Path> {
        self.paths_of(Traits::SENSITIVE, value, SecretParts::new(self, &[value]).root())
    }

    /// The path of every write-only attribute of a value of this schema, as for
    /// [`sensitive_paths`](Self::sensitive_paths).
    #[doc(alias = "WriteOnlyPaths")]
    pub fn write_only_paths(&self, value: &Value) -> Vec<Path> {
        self.write_only_paths_at(value, SecretParts::new(self, &[value]).root())
    }

    /// Whether anything in it is sensitive or write-only.
    ///
    /// ```
    /// use objchange::Type;
    /// use objchange::schema::{Attribute, Block};
    ///
    /// assert!(Block::new([("password", Attribute::optional(Type::String).sensitive())], []).has_secrets());
    /// assert!(!Block::new([("name", Attribute::optional(Type::String))], []).has_secrets());
    /// ```
    pub fn has_secrets(&self) -> bool {
        let traits = self.traits();
        traits.has(Traits::SENSITIVE) || traits.has(Traits::WRITE_ONLY)
    }

    /// Like [`write_only_paths`](Self::write_only_paths), for an object at the end of a path that knows
    /// which parts are secret.
    pub(crate) fn write_only_paths_at(&self, value: &Value, path: PathStack<'_>) -> Vec<Path> {
        self.paths_of(Traits::WRITE_ONLY, value, path)
    }

    fn paths_of(&self, wanted: Traits, value: &Value, path: PathStack<'_>) -> Vec<Path> {
        let mut search = Search { wanted, found: Vec::new() };
        search.block(self, value, path);
        search.found
    }

    /// The attribute that a path leads to; index steps on the way are skipped.
    ///
    /// `None` if the path does not end at an attribute: at a block, inside of a plain type, or nowhere.
    ///
    /// ```
    /// use objchange::schema::{Attribute, Block};
    /// use objchange::Type;
    /// use objchange::value::Path;
    ///
    /// let block = Block::new([("tags", Attribute::optional(Type::map(Type::String)))], []);
    /// let tags = Path::root().attribute("tags");
    /// assert!(block.attribute_by_path(&tags).is_some());
    /// assert!(block.attribute_by_path(&tags.index("env")).is_none());
    /// ```
    #[doc(alias = "AttributeByPath")]
    pub fn attribute_by_path(&self, path: &Path) -> Option<&Attribute> {
        let mut at = Scope::Block(self);
        let mut steps = path.steps().iter();
        while let Some(step) = steps.next() {
            let PathStep::Attribute(name) = step else { continue };
            let attribute = match at {
                Scope::Block(block) => match (block.attribute(name), block.block_type(name)) {
                    (None, Some(nested)) => {
                        at = Scope::Block(&nested.block);
                        continue;
                    }
                    (attribute, _) => attribute?,
                },
                Scope::Nested(nested) => nested.attribute(name)?,
            };
            if steps.len() == 0 {
                return Some(attribute);
            }
            at = Scope::Nested(attribute.nested()?);
        }
        None
    }

    /// The nested block that a path leads to; index steps are skipped.
    ///
    /// `None` if the path names no nested block type, as the root does not.
    #[doc(alias = "BlockByPath")]
    pub fn block_by_path(&self, path: &Path) -> Option<&Block> {
        let names = path.steps().iter().filter_map(|step| match step {
            PathStep::Attribute(name) => Some(name),
            PathStep::Index(_) => None,
        });
        let mut found = None;
        for name in names {
            found = Some(&found.unwrap_or(self).block_type(name)?.block);
        }
        found
    }
}

/// The place in a schema that a path has led to.
enum Scope<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
}

/// A search for the attributes of a value that have a trait.
struct Search {
    wanted: Traits,
    found: Vec<Path>,
}

impl Search {
    fn block(&mut self, block: &Block, value: &Value, path: PathStack<'_>) {
        if !block.traits().has(self.wanted) {
            return;
        }
        self.attributes(block.attributes(), value, path);
        for (name, nested) in block.block_types() {
            if let Some(blocks) = value.attribute(name)
                && nested.block.traits().has(self.wanted)
            {
                each_object(nested.nesting, blocks, path.attribute(name), |object, path| {
                    self.block(&nested.block, object, path);
                });
            }
        }
    }

    fn attributes(
        &mut self,
        attributes: &[(smol_str::SmolStr, Attribute)],
        value: &Value,
        path: PathStack<'_>,
    ) {
        let Some(object) = value.as_object() else { return };
        for (name, attribute) in attributes {
            if attribute.own_traits().has(self.wanted) {
                self.found.push(path.attribute(name).to_path());
                // A mark on the attribute covers all that is inside.
                if self.wanted == Traits::SENSITIVE {
                    continue;
                }
            }
            if let Some(nested) = attribute.nested()
                && nested.traits().has(self.wanted)
                && let Some(value) = object.get(name)
            {
                each_object(nested.nesting(), value, path.attribute(name), |object, path| {
                    self.attributes(nested.attributes(), object, path);
                });
            }
        }
    }
}

/// Each object that a nested block or a nested type holds, with its path.
fn each_object(
    nesting: NestingMode,
    value: &Value,
    path: PathStack<'_>,
    mut visit: impl FnMut(&Value, PathStack<'_>),
) {
    if matches!(nesting, NestingMode::Single | NestingMode::Group) {
        visit(value, path);
        return;
    }
    let _: ControlFlow<()> = value.each_step(|step, object| {
        visit(object, path.then(step));
        ControlFlow::Continue(())
    });
}
