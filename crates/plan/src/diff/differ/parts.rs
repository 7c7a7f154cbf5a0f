//! The parts of collections: made at once where they are few and change, and one at a time where they are many or stay as they are.

use objchange::Type;
use objchange::schema::{Attribute, Block};
use smol_str::SmolStr;

use super::sequence::Places;
use super::{attribute, block, hidden, json, matched_sets, nested, sequence};
use crate::diff::{CollectionPart, Diff, DiffAction, Parts, Sensitivity};
use crate::walk::{Change, Dialect, Keys, Paths, Position, Unknown};
use objchange_document::Text;
use objchange_document::json::Json;

/// A collection of this many parts is too large to keep the diffs of all parts at once.
const LARGE: usize = 8192;

/// The kind of a collection's parts.
#[derive(Clone, Copy)]
pub(super) enum PartKind<'t> {
    /// Values of a plain type.
    Typed(&'t Type),
    /// The members of an object, by their shape.
    Shaped,
    /// The elements of an array, by their shape. Whether one is relevant does not matter, only whether its members are.
    Elements,
    /// Values by their shape that stay as they are and have no marks.
    Same,
    /// Objects with a nested type; those of sets and maps all force the replacement if the collection does.
    Nested { attributes: &'t [(SmolStr, Attribute)], all_replace: bool },
    /// Blocks, of a type with these marks.
    Blocks(&'t Block, Option<Sensitivity>),
}

/// Where the parts of a collection are found on its two sides.
#[derive(Clone)]
pub(super) enum At<'t> {
    /// Under these keys.
    Keys(Keys<'t>),
    /// In pairs.
    Places(Places),
}

impl<'t> At<'t> {
    /// The elements of a set.
    pub(super) fn of_set(change: &Change<'_, 't>) -> Self {
        let places = sequence::set_places(change);
        Self::Places(match change.dialect.matches_sets() {
            // Terraform never pairs elements of sets: one that changes is a deletion and a creation.
            true => matched_sets::with_pairs(change, places),
            false => places,
        })
    }

    /// The elements of a list, at these places unless similar ones are paired.
    pub(super) fn of_list(change: &Change<'_, 't>, places: impl FnOnce() -> Places) -> Self {
        Self::Places(match change.dialect.matches_lists() {
            true => matched_sets::with_pairs_of_list(change, sequence::list_places(change)),
            false => places(),
        })
    }

    /// Pairs elements by position.
    pub(super) fn positions(count: usize) -> Self {
        Self::Places(Places::Positions(count))
    }

    /// Whether each part is at the same place on both sides, if it is there.
    fn are_pairs(&self) -> bool {
        matches!(self, At::Keys(_) | At::Places(Places::Positions(_)))
    }

    fn len(&self) -> usize {
        match self {
            At::Keys(keys) => keys.len(),
            At::Places(places) => places.len(),
        }
    }

    fn name(&self, index: usize) -> Option<Text<'t>> {
        match self {
            At::Keys(keys) => Some(keys.get(index)),
            At::Places(_) => None,
        }
    }

    /// The positions of the parts that are not on both sides, or not equal there, if they are less than half of all.
    fn few_unequal(&self, change: &Change<'_, 't>) -> Option<Vec<usize>> {
        let few = self.len().div_ceil(2);
        let mut unequal = Vec::new();
        let mut at = (0, 0);
        for index in 0..self.len() {
            let (before, after) = match self {
                At::Keys(keys) => {
                    let key = keys.get(index);
                    (change.before.get_next(&key, &mut at.0), change.after.get_next(&key, &mut at.1))
                }
                At::Places(places) => {
                    let (before, after) = places.get(index);
                    let elements = (change.before.elements(), change.after.elements());
                    (before.and_then(|i| elements.0.get(i)), after.and_then(|j| elements.1.get(j)))
                }
            };
            if before != after {
                unequal.push(index);
                if unequal.len() >= few {
                    return None;
                }
            }
        }
        Some(unequal)
    }

    fn part<'v>(&self, change: &Change<'v, 't>, index: usize, position: &mut Position) -> Change<'v, 't> {
        match self {
            At::Keys(keys) => change.next_member(&keys.get(index), position),
            At::Places(places) => {
                let (before, after) = places.get(index);
                change.element(before, after)
            }
        }
    }
}

impl<'t> PartKind<'t> {
    /// Whether only marks of the values can hide a part.
    fn has_no_marks(self) -> bool {
        !matches!(self, PartKind::Blocks(_, Some(_)))
    }

    /// The diff of a part, and the action that it has for the collection.
    fn diff(self, part: Change<'_, 't>, replace: bool) -> (Diff<'t>, DiffAction) {
        let diff = match self {
            PartKind::Typed(ty) => attribute::value(part.if_relevant(), ty),
            PartKind::Shaped => json::shape(&part.if_relevant()),
            PartKind::Elements => json::shape(&part),
            PartKind::Same => json::unchanged(&part),
            PartKind::Nested { attributes, .. } => nested::single(&part.if_relevant(), attributes),
            PartKind::Blocks(schema, _) => block::block(part.if_relevant(), schema),
        };
        let action = diff.action;
        let diff = match self {
            PartKind::Typed(_) | PartKind::Shaped | PartKind::Elements | PartKind::Same => diff,
            PartKind::Nested { all_replace, .. } => {
                let replace = diff.replace || all_replace && replace;
                diff.replacing(replace)
            }
            PartKind::Blocks(_, marks) => {
                let replace = diff.replace || replace;
                hidden::block_of_marked_type(diff.replacing(replace), marks)
            }
        };
        (diff, action)
    }
}

/// The diffs of the parts of a collection, and the action that they give it.
pub(super) fn parts<'t, T: CollectionPart<'t>>(
    change: &Change<'_, 't>,
    kind: PartKind<'t>,
    at: At<'t>,
) -> (Parts<'t, T>, DiffAction) {
    parts_kept_below(LARGE, change, kind, at)
}

fn parts_kept_below<'t, T: CollectionPart<'t>>(
    large: usize,
    change: &Change<'_, 't>,
    kind: PartKind<'t>,
    at: At<'t>,
) -> (Parts<'t, T>, DiffAction) {
    let len = at.len();
    if len > 0
        && let Some(unknown) = LazyParts::unknown(change)
    {
        let mut action = change.parent_action();
        let has_no_marks = action == DiffAction::NoOp && kind.has_no_marks() && !change.has_marks();
        // Most unchanged collections are never unfolded, so their parts are made on demand.
        if has_no_marks && at.are_pairs() && change.is_unmarked_same() {
            return (Parts::lazy(LazyParts::new(change, unknown, kind, at), Vec::new()), action);
        }
        // So are the others where few parts change: what is equal on both sides, without a mark, stays as it is.
        let few = has_no_marks.then(|| at.few_unequal(change)).flatten();
        if few.is_some() || len >= large {
            let (mut actions, mut kept) = (vec![DiffAction::NoOp; len], Vec::new());
            let (mut position, replace) = (Position::default(), change.forces_replacement());
            let mut make = |index: usize| {
                let (diff, of_part) = kind.diff(at.part(change, index, &mut position), replace);
                action = action.and_part(of_part);
                actions[index] = diff.action;
                if len < large {
                    kept.push((index, T::new(at.name(index), diff)));
                }
            };
            match few {
                Some(changed) => changed.into_iter().for_each(&mut make),
                None => (0..len).for_each(&mut make),
            }
            let mut lazy = LazyParts::new(change, unknown, kind, at);
            lazy.actions = Some(actions.into());
            return (Parts::lazy(lazy, kept), action);
        }
    }
    all_parts(change, kind, &at)
}

/// All diffs, made at once.
fn all_parts<'t, T: CollectionPart<'t>>(
    change: &Change<'_, 't>,
    kind: PartKind<'t>,
    at: &At<'t>,
) -> (Parts<'t, T>, DiffAction) {
    let mut action = change.parent_action();
    let replace = change.forces_replacement();
    let mut position = Position::default();
    let mut made = Vec::with_capacity(at.len());
    for index in 0..at.len() {
        let (diff, of_part) = kind.diff(at.part(change, index, &mut position), replace);
        action = action.and_part(of_part);
        made.push(T::new(at.name(index), diff));
    }
    (made.into(), action)
}

/// The inputs from which the diffs of a collection's parts are made on demand.
///
/// The diff of a part of a large collection is made twice, first for its action alone. When it is made again nothing within it is
/// put off, so that this does not multiply where large collections hold others.
#[derive(Clone)]
pub(crate) struct LazyParts<'t> {
    before: Json<'t>,
    after: Json<'t>,
    unknown: Json<'t>,
    before_sensitive: Json<'t>,
    after_sensitive: Json<'t>,
    dialect: Dialect,
    depth: usize,
    replace: bool,
    kind: PartKind<'t>,
    at: At<'t>,
    /// `None` if nothing happens to any.
    actions: Option<Box<[DiffAction]>>,
}

impl<'t> LazyParts<'t> {
    /// The unknown marks of a change, if the change can be kept for later.
    fn unknown(change: &Change<'_, 't>) -> Option<Json<'t>> {
        let unknown = match change.unknown {
            Unknown::Nothing => change.after.bool(false),
            Unknown::Whole => change.after.bool(true),
            Unknown::Marks(unknown) => unknown,
            Unknown::Members(_) => return None,
        };
        // Paths of replacement and relevance are not copied, so parts that need them are made at once.
        let is_kept = !change.within_unmade && change.replace.ends_here() && change.relevant.is_everything();
        is_kept.then(|| unknown.to_json())
    }

    fn new(change: &Change<'_, 't>, unknown: Json<'t>, kind: PartKind<'t>, at: At<'t>) -> Self {
        Self {
            before: change.before.to_json(),
            after: change.after.to_json(),
            unknown,
            before_sensitive: change.before_sensitive.to_json(),
            after_sensitive: change.after_sensitive.to_json(),
            dialect: change.dialect,
            depth: change.depth,
            replace: change.forces_replacement(),
            kind,
            at,
            actions: None,
        }
    }

    pub(crate) fn diff(&self, index: usize) -> Diff<'t> {
        let change = Change {
            unknown: Unknown::Marks(self.unknown.view()),
            before_sensitive: self.before_sensitive.view(),
            after_sensitive: self.after_sensitive.view(),
            replace: Paths::none(),
            depth: self.depth,
            within_unmade: true,
            ..Change::new(self.before.view(), self.after.view(), self.dialect)
        };
        let part = self.at.part(&change, index, &mut Position::default());
        self.kind.diff(part, self.replace).0
    }
}

impl<'t> LazyParts<'t> {
    pub(crate) fn len(&self) -> usize {
        self.at.len()
    }

    pub(crate) fn action(&self, index: usize) -> DiffAction {
        match &self.actions {
            Some(actions) => actions[index],
            None => DiffAction::NoOp,
        }
    }

    pub(crate) fn name(&self, index: usize) -> Option<Text<'t>> {
        self.at.name(index)
    }
}

#[cfg(test)]
mod tests {
    use objchange::schema::{NestedBlock, NestingMode};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::diff::Fold;
    use crate::diff::{self, Entry};
    use crate::walk::PlaceKind;
    use objchange_document::json::View;

    /// A list of objects, and a shape of marks for it.
    fn object() -> impl Strategy<Value = String> {
        let value = prop::sample::select(vec!["null", "\"x\"", "\"\"", "1", "[1]", "{\"c\":\"[2]\"}"]);
        let member = prop::sample::select(vec!["a", "b"]);
        prop_oneof![
            4 => prop::collection::btree_map(member, value, 0..3).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
                format!("{{{}}}", members.join(","))
            }),
            1 => Just("null".to_owned()),
        ]
    }

    fn mark() -> impl Strategy<Value = String> {
        let marks = vec!["true", "false", "{}", "{\"a\":true}", "{\"b\":[true]}"];
        prop::sample::select(marks).prop_map(str::to_owned)
    }

    fn list(element: impl Strategy<Value = String>, keyed: bool) -> impl Strategy<Value = String> {
        vec(element, 0..5).prop_map(move |parts| joined(&parts, keyed))
    }

    fn joined(parts: &[String], keyed: bool) -> String {
        match keyed {
            true => {
                let members = parts.iter().enumerate().map(|(i, part)| format!("\"{i}\":{part}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
            false => format!("[{}]", parts.join(",")),
        }
    }

    /// Two sides that have nothing to do with each other, or differ in a part here and there.
    fn sides(keyed: bool) -> impl Strategy<Value = Vec<String>> {
        let changed = vec((object(), prop::option::weighted(0.3, object())), 0..8).prop_map(move |parts| {
            let (before, after): (Vec<_>, Vec<_>) =
                parts.into_iter().map(|(old, new)| (old.clone(), new.unwrap_or(old))).unzip();
            vec![joined(&before, keyed), joined(&after, keyed)]
        });
        prop_oneof![vec(list(object(), keyed), 2), changed]
    }

    fn check<'t, T: CollectionPart<'t> + PartialEq + std::fmt::Debug>(
        change: &Change<'_, 't>,
        kind: PartKind<'t>,
        at: impl Fn() -> At<'t>,
    ) -> Result<(), TestCaseError> {
        let (made, action) = all_parts::<T>(change, kind, &at());
        for large in [usize::MAX, 0] {
            let (lazy, same) = parts_kept_below::<T>(large, change, kind, at());
            prop_assert_eq!(action, same);
            are_alike(&made, &lazy)?;
        }
        Ok(())
    }

    fn are_alike<'t, T: CollectionPart<'t> + PartialEq + std::fmt::Debug>(
        made: &Parts<'t, T>,
        lazy: &Parts<'t, T>,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(made, lazy);
        let actions = |parts: &Parts<'t, T>| (0..parts.len()).map(|i| parts.action(i)).collect::<Vec<_>>();
        prop_assert_eq!(actions(made), actions(lazy));
        let names = |parts: &Parts<'t, T>| parts.names().collect::<Vec<_>>();
        prop_assert_eq!(names(made), names(lazy));
        for fold in Fold::all() {
            let (mut made, mut lazy) = (made.clone(), lazy.clone());
            made.fold(fold);
            lazy.fold(fold);
            prop_assert_eq!(&made, &lazy);
            let hidden =
                |parts: &Parts<'t, T>| (0..parts.len()).map(|i| parts.is_hidden(i)).collect::<Vec<_>>();
            prop_assert_eq!(hidden(&made), hidden(&lazy));
        }
        Ok(())
    }

    /// A value on both sides is unchanged, whether it was read once or twice.
    fn is_same<'t, T: CollectionPart<'t> + PartialEq + std::fmt::Debug>(
        changes: [&Change<'_, 't>; 2],
        kind: PartKind<'t>,
        at: impl Fn() -> At<'t>,
    ) -> Result<(), TestCaseError> {
        let [shared, apart] = changes.map(|change| parts::<T>(change, kind, at()));
        let actions = |parts: &Parts<'t, T>| (0..parts.len()).map(|i| parts.action(i)).collect::<Vec<_>>();
        prop_assert_eq!(actions(&shared.0), actions(&apart.0));
        prop_assert_eq!(shared, apart);
        Ok(())
    }

    fn dialects() -> Vec<Dialect> {
        let places = [PlaceKind::Block, PlaceKind::InBlock, PlaceKind::Inside];
        let opentofu = |place| [false, true].map(|shows_sensitive| Dialect::opentofu(place, shows_sensitive));
        [Dialect::LEGACY, Dialect::MODERN].into_iter().chain(places.into_iter().flat_map(opentofu)).collect()
    }

    proptest! {
        #[test]
        fn what_is_made_again_is_what_would_have_been_kept(
            (keyed, sides, marks) in any::<bool>().prop_flat_map(|keyed| (
                Just(keyed),
                sides(keyed),
                prop_oneof![vec(list(mark(), keyed), 3), Just(vec!["false".to_owned(); 3])],
            )),
            replace: bool,
            dialect in prop::sample::select(dialects()),
        ) {
            let ty = Type::object([("a", Type::String), ("b", Type::Dynamic)]);
            let attributes =
                || [("a", Attribute::optional(Type::String)), ("b", Attribute::optional(Type::Dynamic))];
            let schema = Block::new(attributes(), [("n", NestedBlock::new(NestingMode::List, Block::new(attributes(), [])))]);
            let read: Vec<_> = sides.iter().chain(&marks).map(|text| Json::parse(text).unwrap()).collect();
            let read: Vec<_> = read.iter().map(Json::view).collect();
            let [before, after, unknown, before_sensitive, after_sensitive] = read[..] else { unreachable!() };
            let root = Json::parse("[[]]").unwrap();
            let paths = root.view().elements().iter().map(View::elements).collect();
            let change = Change {
                unknown: Unknown::Marks(unknown),
                before_sensitive,
                after_sensitive,
                replace: if replace { Paths::places(&paths) } else { Paths::none() },
                ..Change::new(before, after, dialect)
            };
            let marks = Sensitivity { before: true, after: false, unchanged: false, whole_type: false };
            let kinds = [
                PartKind::Typed(&ty),
                PartKind::Shaped,
                PartKind::Nested { attributes: schema.attributes(), all_replace: keyed },
                PartKind::Blocks(&schema, None),
                PartKind::Blocks(&schema, Some(marks)),
            ];
            let again = Json::parse(&sides[0]).unwrap();
            let shared = Change { after: before, ..change.clone() };
            let apart = Change { after: again.view(), ..shared.clone() };
            for kind in kinds {
                let len = before.elements().len();
                if keyed {
                    let keys = || At::Keys(shared.explicit_keys());
                    is_same::<Entry<'_>>([&shared, &apart], kind, keys)?;
                } else {
                    is_same::<Diff<'_>>([&shared, &apart], kind, || At::positions(len))?;
                    is_same::<Diff<'_>>([&shared, &apart], kind, || At::of_set(&apart))?;
                }
                if keyed {
                    check::<Entry<'_>>(&change, kind, || At::Keys(change.keys()))?;
                    check::<diff::NestedBlock<'_>>(&change, kind, || At::Keys(change.explicit_keys()))?;
                } else {
                    let len = before.elements().len().max(after.elements().len());
                    check::<Diff<'_>>(&change, kind, || At::positions(len))?;
                    check::<Diff<'_>>(&change, kind, || At::of_set(&change))?;
                }
            }
        }
    }
}
