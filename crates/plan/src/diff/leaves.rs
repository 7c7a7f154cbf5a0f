//! The parts of an object that change, one by one.

use hashbrown::HashSet;
use objchange::Value;
use objchange::value::{Kind as PartKind, Path, PathStep};
use serde::ser::{Error, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::diff::{BlockType, CollectionPart, Diff, DiffAction, Kind, Parts};

/// One changed part without changed parts of its own: enough to inspect or to rule on, where the whole diff is too
/// much.
///
/// In JSON it has its path and its sides in the form of case files, without hidden values. An absent or null side is
/// left out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LeafChange {
    /// Where: in the object after if it is there, or else in the one before. An element of a set is a part as
    /// a whole.
    pub path: Path,
    /// The value before; `None` if it is absent or null. Marked if it must not be shown.
    pub before: Option<Value>,
    /// The value after; `None` if it is absent or null. Marked if it must not be shown.
    pub after: Option<Value>,
    /// The action on it.
    pub action: DiffAction,
    /// It must not be shown.
    pub hidden: bool,
    /// It forces the replacement, or something around it does.
    pub replace: bool,
}

impl Serialize for LeafChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut leaf = serializer.serialize_struct("LeafChange", 3)?;
        leaf.serialize_field("path", &self.path)?;
        for (name, side) in [("before", &self.before), ("after", &self.after)] {
            let Some(value) = side else { continue };
            let text = value.to_redacted_json(value.ty()).unwrap_or_else(|_| {
                // JSON has no infinite numbers.
                serde_json::Value::from(value.to_string()).to_string()
            });
            leaf.serialize_field(name, &RawValue::from_string(text).map_err(Error::custom)?)?;
        }
        leaf.end()
    }
}

/// The leaves of a diff of these objects, in its order.
pub(crate) fn leaves(diff: &Diff<'_>, before: &Value, after: &Value) -> Vec<LeafChange> {
    let mut found = Vec::new();
    Walk { found: &mut found, path: Vec::new() }.part(diff, [Some(before), Some(after)], false);
    found
}

type Sides<'v> = [Option<&'v Value>; 2];

struct Walk<'w> {
    found: &'w mut Vec<LeafChange>,
    path: Vec<PathStep>,
}

impl Walk<'_> {
    fn part(&mut self, diff: &Diff<'_>, sides: Sides<'_>, replace: bool) {
        if diff.action == DiffAction::NoOp {
            return;
        }
        let replace = replace || diff.replace;
        let hidden = matches!(diff.kind, Kind::Sensitive(_) | Kind::SensitiveBlock(_));
        let count = self.found.len();
        if !hidden && !is_marked(sides) {
            self.parts(diff, sides, replace);
        }
        if self.found.len() == count {
            self.leaf(diff.action, hidden, sides, replace);
        }
    }

    fn leaf(&mut self, action: DiffAction, hidden: bool, sides: Sides<'_>, replace: bool) {
        // A null says nothing, whatever it is marked with.
        if sides.iter().flatten().all(|value| value.is_null()) {
            return;
        }
        let hidden = hidden || is_marked(sides);
        let [before, after] = sides.map(|side| {
            let value = side.filter(|value| value.is_marked() || !value.is_null())?.clone();
            Some(if hidden { value.sensitive() } else { value })
        });
        let path = self.path.iter().cloned().collect();
        self.found.push(LeafChange { path, before, after, action, hidden, replace });
    }

    fn parts(&mut self, diff: &Diff<'_>, sides: Sides<'_>, replace: bool) {
        match &diff.kind {
            Kind::Block(block) => {
                self.named(&block.attributes, sides, replace);
                for ty in &block.blocks {
                    self.path.push(PathStep::Attribute((&*ty.name).into()));
                    self.blocks(ty, sides.map(|side| named(side, &ty.name)), replace);
                    self.path.pop();
                }
            }
            Kind::Object { attributes: parts, .. } | Kind::Map { elements: parts, .. } => {
                self.named(parts, sides, replace);
            }
            Kind::List { elements, context } => self.elements(elements, sides, !context, replace),
            Kind::Set { elements, .. } => self.elements(elements, sides, true, replace),
            _ => {}
        }
    }

    fn blocks(&mut self, ty: &BlockType<'_>, sides: Sides<'_>, replace: bool) {
        let BlockType { unknown, blocks, .. } = ty;
        if let Some(unknown) = unknown {
            return self.leaf(unknown.action, false, sides, replace || unknown.replace);
        }
        if is_marked(sides) {
            let of_blocks = (0..blocks.len()).map(|i| blocks.action(i)).filter(|a| *a != DiffAction::NoOp);
            if let Some(action) = of_blocks.reduce(DiffAction::and_part) {
                self.leaf(action, true, sides, replace);
            }
            return;
        }
        let has_labels = blocks.names().next().is_some();
        match sides.iter().flatten().any(|value| value.as_elements().is_some()) {
            true => self.elements(blocks, sides, true, replace),
            false if has_labels => self.named(blocks, sides, replace),
            false => blocks.iter().for_each(|block| self.part(&block.diff, sides, replace)),
        }
    }

    fn named<'t, T: CollectionPart<'t>>(&mut self, parts: &Parts<'t, T>, sides: Sides<'_>, replace: bool) {
        let is_map = sides.iter().flatten().any(|value| value.as_map().is_some());
        for (index, name) in parts.names().enumerate() {
            if parts.action(index) != DiffAction::NoOp {
                let key = || PathStep::Index(Value::from(&*name));
                self.path.push(if is_map { key() } else { PathStep::Attribute((&*name).into()) });
                let sides = sides.map(|side| named(side, &name));
                self.part(parts.get(index).diff(), sides, replace);
                self.path.pop();
            }
        }
    }

    /// The elements of a list or set; in a list that is `paired` they are at the same positions on both
    /// sides.
    fn elements<'t, T: CollectionPart<'t>>(
        &mut self,
        parts: &Parts<'t, T>,
        sides: Sides<'_>,
        paired: bool,
        replace: bool,
    ) {
        if sides.iter().flatten().any(|value| matches!(value.kind(), PartKind::Set(_))) {
            return self.members(parts, sides, replace);
        }
        let [before, after] = sides.map(|side| side.and_then(Value::as_elements).unwrap_or_default());
        // Where one side has no elements, those of the other stand at their own positions.
        let paired = paired || before.is_empty() || after.is_empty();
        let (mut i, mut j) = (0, 0);
        for index in 0..parts.len() {
            let action = parts.action(index);
            let is_null = |side: &[Value], at: usize| side.get(at).is_none_or(Value::is_null);
            let (is_before, is_after) = match action {
                _ if paired => (true, true),
                DiffAction::Create => (false, true),
                DiffAction::Delete => (true, false),
                // The null of an object that comes or goes alone is not a change.
                DiffAction::NoOp if is_null(before, i) != is_null(after, j) => {
                    (is_null(before, i), is_null(after, j))
                }
                DiffAction::NoOp | DiffAction::Update => (true, true),
            };
            if action != DiffAction::NoOp {
                let sides = [before.get(i).filter(|_| is_before), after.get(j).filter(|_| is_after)];
                let place = if sides[1].is_some() { j } else { i };
                self.path.push(PathStep::Index(Value::from(place)));
                self.part(parts.get(index).diff(), sides, replace);
                self.path.pop();
            }
            i += usize::from(is_before);
            j += usize::from(is_after);
        }
    }

    /// The elements that only one of two sets has: those before stand first, in their order, and then the new ones.
    fn members<'t, T: CollectionPart<'t>>(&mut self, parts: &Parts<'t, T>, sides: Sides<'_>, replace: bool) {
        let [before, after] = sides.map(|side| side.and_then(Value::as_elements).unwrap_or_default());
        let known: HashSet<&Value> = before.iter().collect();
        let new = after.iter().filter(|element| !known.contains(element));
        let gone = before.iter().map(|element| [Some(element), None]);
        for (index, sides) in
            gone.chain(new.map(|element| [None, Some(element)])).take(parts.len()).enumerate()
        {
            let action = parts.action(index);
            if action != DiffAction::NoOp
                && let Some(element) = sides[0].or(sides[1])
            {
                let replace = replace || parts.get(index).diff().replace;
                self.path.push(PathStep::Index(element.clone()));
                self.leaf(action, false, sides, replace);
                self.path.pop();
            }
        }
    }
}

fn is_marked(sides: Sides<'_>) -> bool {
    sides.iter().flatten().any(|value| value.is_marked())
}

/// The attribute or element of this name.
fn named<'v>(side: Option<&'v Value>, name: &str) -> Option<&'v Value> {
    side.and_then(|value| value.attribute(name).or_else(|| value.element(name)))
}
