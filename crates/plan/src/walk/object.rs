//! Changes of values of the engine, and their diffs.

use std::convert::Infallible;
use std::fmt;

use objchange::change::{PlannedChange, ReplaceReason};
use objchange::schema::Block;
use objchange::value::{Marks, Path, PathSet, PathStep};
use objchange::{Type, Value};

use super::leaves::leaves;
use super::{Dialect, LeafChange, Sides};
use crate::diff::Diff;
use crate::differ;

/// The change of an object, by values of the engine and the schema of its resource.
///
/// Its diff is that of the plan document for the same change. Facts that no document holds are lost: refinements, the
/// types of dynamic values and nulls, which element of a set forces the replacement (the whole set does), and unknown
/// values before the change (they become absent). Ephemeral values are hidden like sensitive ones, infinite numbers are
/// strings, and values deeper than [`MAX_DEPTH`](crate::MAX_DEPTH) are not compared.
///
/// ```
/// use objchange::change::{PlanRequest, SimulatedProvider, plan_change};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
/// use objchange_plan::{ObjectChange, Options, render_planned_change};
///
/// let schema = Block::new(
///     [
///         ("id", Attribute::computed(Type::String)),
///         ("size", Attribute::optional(Type::Number)),
///         ("token", Attribute::optional(Type::String).sensitive()),
///     ],
///     [],
/// );
/// let prior = Value::object([("id", Value::from("v-1")), ("size", Value::from(10)), ("token", Value::from("x"))]);
/// let config = Value::object([("size", Value::from(20)), ("token", Value::from("y"))]);
/// let planned = plan_change(&PlanRequest::new(&schema, &prior, &config), &mut SimulatedProvider::default())?;
///
/// let change = ObjectChange::planned(&schema, &planned);
/// let leaves = change.leaves(&change.diff());
/// assert_eq!(leaves[0].path.to_string(), ".size");
/// assert_eq!((leaves[0].before.clone(), leaves[0].after.clone()), (Some(Value::from(10)), Some(Value::from(20))));
/// assert!(leaves[1].hidden);
///
/// // As Terraform prints it.
/// assert_eq!(
///     render_planned_change("test_volume.data", &schema, &planned, &Options::default()),
///     r#"  # test_volume.data will be updated in-place
///   ~ resource "test_volume" "data" {
///         id    = "v-1"
///       ~ size  = 10 -> 20
///       ~ token = (sensitive value)
///     }
///
/// Plan: 0 to add, 1 to change, 0 to destroy.
/// "#
/// );
/// # Ok::<(), objchange::change::PlanChangeError>(())
/// ```
#[derive(Clone)]
pub struct ObjectChange<'s> {
    schema: &'s Block,
    values: PlannedValues,
}

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
    pub(crate) fn of_change(schema: &Block, change: &PlannedChange) -> Self {
        let replace = match &change.replace_reason {
            Some(ReplaceReason::CannotUpdate(paths)) => paths.clone(),
            _ => Vec::new(),
        };
        Self::new(Some(schema), &change.before, &change.after, replace)
    }

    pub(crate) fn sides<'t>(&self) -> Sides<'t> {
        Sides::from_values(&self.before, &self.after, &self.replace)
    }

    /// The parts that change, one by one, in the order of their diff.
    pub fn leaves(&self) -> Vec<LeafChange> {
        let sides = self.sides();
        let replaced = sides.replaced();
        let diff = differ::body(sides.change(&replaced, Dialect::LEGACY), self.schema.as_ref());
        leaves(&diff, &self.before, &self.after)
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

    /// The attributes that force the replacement.
    pub fn replaced_attributes(&self) -> impl Iterator<Item = &str> {
        self.replace.iter().filter_map(|path| match path.steps().first()? {
            PathStep::Attribute(name) => Some(name.as_str()),
            PathStep::Index(_) => None,
        })
    }
}

impl<'s> ObjectChange<'s> {
    /// The change from one object to another; null means no object. Values that the schema calls sensitive are hidden.
    pub fn new(schema: &'s Block, before: &Value, after: &Value) -> Self {
        Self { schema, values: PlannedValues::new(Some(schema), before, after, Vec::new()) }
    }

    /// A change that has been planned.
    pub fn planned(schema: &'s Block, change: &PlannedChange) -> Self {
        Self { schema, values: PlannedValues::of_change(schema, change) }
    }

    /// Makes the change a replacement, forced by these paths.
    #[must_use]
    pub fn replacing(self, paths: impl IntoIterator<Item = Path>) -> Self {
        let values = PlannedValues { replace: paths.into_iter().collect(), ..self.values };
        Self { values, ..self }
    }

    /// The two objects, for a [`ChangeSet`](crate::ChangeSet).
    pub fn into_values(self) -> PlannedValues {
        self.values
    }

    /// The difference, as data.
    pub fn diff(&self) -> Diff<'s> {
        let sides = self.values.sides();
        let replaced = sides.replaced();
        differ::block(sides.change(&replaced, Dialect::LEGACY), self.schema)
    }

    /// The leaf changes, in the order of `diff`, which must be this change's own.
    pub fn leaves(&self, diff: &Diff<'_>) -> Vec<LeafChange> {
        leaves(diff, self.values.before(), self.values.after())
    }
}

/// The difference between two values of this type.
pub fn diff_values<'t>(before: &Value, after: &Value, ty: &'t Type) -> Diff<'t> {
    let sides = Sides::from_values(before, after, &[]);
    let replaced = sides.replaced();
    differ::typed(sides.change(&replaced, Dialect::MODERN), ty)
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

/// Without the paths: a key in them may be a secret.
impl fmt::Debug for PlannedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { before, after, .. } = self;
        f.debug_struct("PlannedValues").field("before", before).field("after", after).finish_non_exhaustive()
    }
}

impl fmt::Debug for ObjectChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectChange").field("values", &self.values).finish_non_exhaustive()
    }
}
