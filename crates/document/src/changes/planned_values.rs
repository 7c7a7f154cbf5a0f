//! Two objects of one schema, as a plan document has them.

use std::convert::Infallible;
use std::fmt;

use objchange::Value;
use objchange::change::{PlannedChange, ReplaceReason};
use objchange::schema::Block;
use objchange::value::{Marks, Path, PathSet, PathStep};

/// Two objects of one schema as a plan document has them, and what forces the replacement.
#[derive(Clone)]
pub struct PlannedValues {
    /// The schema, which tells blocks from attributes.
    schema: Option<Block>,
    before: Value,
    after: Value,
    replace: Vec<Path>,
}

impl PlannedValues {
    /// Those of objects of this schema; null is not an object. Without a schema, or where they are not
    /// objects, their own marks say what is sensitive.
    pub fn new(schema: Option<&Block>, before: &Value, after: &Value, replace: Vec<Path>) -> Self {
        let marked = |value: &Value| schema.map_or_else(|| value.clone(), |schema| as_written(schema, value));
        Self { schema: schema.cloned(), before: marked(before), after: marked(after), replace }
    }

    /// Those of a change that has been planned.
    pub fn of_change(schema: &Block, change: &PlannedChange) -> Self {
        let replace = match &change.replace_reason {
            Some(ReplaceReason::CannotUpdate(paths)) => paths.clone(),
            _ => Vec::new(),
        };
        Self::new(Some(schema), &change.before, &change.after, replace)
    }

    /// Both sides, changed alike.
    pub(super) fn map(&self, change: impl Fn(&Value) -> Value) -> Self {
        Self { before: change(&self.before), after: change(&self.after), ..self.clone() }
    }

    /// Replaces the paths that force the replacement.
    pub fn replacing(self, replace: Vec<Path>) -> Self {
        Self { replace, ..self }
    }

    /// The schema of both objects.
    pub fn schema(&self) -> Option<&Block> {
        self.schema.as_ref()
    }

    /// The object before; null if absent.
    pub fn before(&self) -> &Value {
        &self.before
    }

    /// The object after; null if absent.
    pub fn after(&self) -> &Value {
        &self.after
    }

    /// The paths that force the replacement.
    pub fn replaced_paths(&self) -> &[Path] {
        &self.replace
    }
}

/// The attributes with which these paths begin.
pub fn attributes_of(paths: &[Path]) -> impl Iterator<Item = &str> {
    paths.iter().filter_map(|path| match path.steps().first()? {
        PathStep::Attribute(name) => Some(name.as_str()),
        PathStep::Index(_) => None,
    })
}

/// Without the paths: a key in them may be a secret.
impl fmt::Debug for PlannedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { before, after, .. } = self;
        f.debug_struct("PlannedValues").field("before", before).field("after", after).finish_non_exhaustive()
    }
}

/// The object as documents have it: write-only attributes are null, sensitive ones are marked.
pub fn as_written(schema: &Block, object: &Value) -> Value {
    let object = without_write_only(schema, object);
    let marks = schema.sensitive_paths(&object).into_iter().map(|path| (path, Marks::SENSITIVE));
    object.mark_where_present(&marks.collect::<Vec<_>>())
}

/// The object as documents have it: without write-only values. A mark of such a value stays.
fn without_write_only(schema: &Block, object: &Value) -> Value {
    let paths: PathSet = schema.write_only_paths(object).into_iter().collect();
    if paths.is_empty() {
        return object.clone();
    }
    let removed = object.transform(|path, part| {
        Ok::<_, Infallible>(match paths.contains(&path.to_path()) {
            true if part.marks().contains(Marks::SENSITIVE) => Value::null(part.ty().clone()).sensitive(),
            true => Value::null(part.ty().clone()),
            false => part,
        })
    });
    let Ok(removed) = removed;
    removed
}
