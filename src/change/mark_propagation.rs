//! Marks the planned values that repeat a sensitive value of the prior object.

use std::hash::Hasher;

use hashbrown::HashSet;

use crate::value::{Kind, StepRef, Value, hasher};

/// The marked contents of the prior object.
///
/// Terraform marks a planned object by configuration and schema, not by the prior object's marks. Without this,
/// a value kept from the prior object would be shown in `after` although it is hidden in `before`.
pub(super) struct Carried {
    /// Each marked value and each of its parts. Common values such as `true` are stored with their place, because
    /// an equal value elsewhere is most likely another one.
    contents: HashSet<(Option<NamePath>, Value)>,
}

/// A hash of the names in a path. Attribute names and map keys are treated alike, because a map of blocks is an
/// object if their types differ. Positions are left out, because they may shift with the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct NamePath(u64);

impl NamePath {
    fn then(self, step: StepRef<'_>) -> Self {
        let (StepRef::Attribute(name) | StepRef::Key(name)) = step else { return self };
        let mut hasher = hasher();
        hasher.write_u64(self.0);
        hasher.write(name.as_bytes());
        Self(hasher.finish())
    }
}

impl Carried {
    pub(super) fn new(prior: &Value) -> Self {
        let mut contents = HashSet::new();
        collect(prior, NamePath::default(), false, &mut contents);
        Self { contents }
    }

    /// Marks parts of the object whose content was marked before: texts and collections anywhere, other
    /// values only at the same place.
    pub(super) fn mark(&self, object: &Value) -> Value {
        if self.contents.is_empty() { object.clone() } else { self.mark_part(object, NamePath::default()) }
    }

    fn mark_part(&self, value: &Value, place: NamePath) -> Value {
        if value.is_marked() || self.holds(value, place) {
            return value.clone().sensitive();
        }
        value.with_parts_marked(|step, part| self.mark_part(part, place.then(step)))
    }

    fn holds(&self, value: &Value, place: NamePath) -> bool {
        // Compared without marks, because the schema may mark parts of either value.
        !value.is_null() && self.contents.contains(&key(value.unmark_deep().0, place))
    }
}

fn collect(
    value: &Value,
    place: NamePath,
    is_inside: bool,
    contents: &mut HashSet<(Option<NamePath>, Value)>,
) {
    let is_inside = is_inside || value.is_marked();
    if !is_inside && !value.contains_marked() {
        return;
    }
    if is_inside && !value.is_null() {
        contents.insert(key(value.unmark_deep().0, place));
    }
    let _: std::ops::ControlFlow<()> = value.each_step(|step, part| {
        collect(part, place.then(step), is_inside, contents);
        std::ops::ControlFlow::Continue(())
    });
}

fn key(value: Value, place: NamePath) -> (Option<NamePath>, Value) {
    let is_distinctive = match value.kind() {
        Kind::String(text) => !text.is_empty(),
        Kind::Null | Kind::Unknown(_) | Kind::Bool(_) | Kind::Number(_) => false,
        _ => !value.is_empty(),
    };
    ((!is_distinctive).then_some(place), value)
}
