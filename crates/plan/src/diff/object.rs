//! Changes of values of the engine, and their diffs.

use std::fmt;

use objchange::change::PlannedChange;
use objchange::schema::Block;
use objchange::value::Path;
use objchange::{Type, Value};

use super::leaves::leaves;
use super::{Diff, LeafChange, differ};
use crate::walk::{Dialect, Sides};
use objchange_document::changes::PlannedValues;

/// The change of an object, by values of the engine and the schema of its resource.
///
/// Its diff is that of the plan document for the same change. Facts that no document holds are lost: refinements, the
/// types of dynamic values and nulls, which element of a set forces the replacement (the whole set does), and unknown
/// values before the change (they become absent). Ephemeral values are hidden like sensitive ones, infinite numbers are
/// strings, and values deeper than [`MAX_DEPTH`](objchange_document::json::MAX_DEPTH) are not compared.
///
/// ```
/// use objchange::change::{PlanRequest, SimulatedProvider, plan_change};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
/// use objchange_plan::Options;
/// use objchange_plan::diff::ObjectChange;
/// use objchange_plan::render::render_planned_change;
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
/// assert_eq!(leaves[0].path.to_string(), "size");
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

/// The parts of two objects that change, one by one, in the order of their diff.
///
/// ```
/// use objchange::Value;
/// use objchange_document::changes::PlannedValues;
/// use objchange_plan::diff::changed_leaves;
///
/// let size = |n: i64| Value::object([("id", Value::from("a")), ("size", Value::from(n))]);
/// let leaves = changed_leaves(&PlannedValues::new(None, &size(1), &size(2), Vec::new()));
/// assert_eq!(leaves.len(), 1);
/// ```
pub fn changed_leaves(values: &PlannedValues) -> Vec<LeafChange> {
    let sides = Sides::from_planned(values);
    let replaced = sides.replaced();
    let diff = differ::body(sides.change(&replaced, Dialect::LEGACY), values.schema());
    leaves(&diff, values.before(), values.after())
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
        Self { values: self.values.replacing(paths.into_iter().collect()), ..self }
    }

    /// The two objects, for a [`ChangeSet`](objchange_document::ChangeSet).
    pub fn into_values(self) -> PlannedValues {
        self.values
    }

    /// The difference, as data.
    pub fn diff(&self) -> Diff<'s> {
        let sides = Sides::from_planned(&self.values);
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

impl fmt::Debug for ObjectChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectChange").field("values", &self.values).finish_non_exhaustive()
    }
}
