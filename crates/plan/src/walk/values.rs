//! Converts the sides of a change from engine values to the JSON of a plan document.
//!
//! Unknown members are left out of objects and maps, and unknown elements are null in lists; marks of unknown and
//! sensitive parts stand beside the value. Facts that no document holds are lost: refinements, the types of dynamic
//! values and nulls, and unknown values before the change (they become absent).

use objchange::Value;
use objchange::value::{Kind, Path, PathStep};
use smol_str::SmolStr;

use super::Sides;
use objchange_document::json::{Builder, Built, MAX_DEPTH};

/// Replaces values that nest deeper than any that is read.
const TOO_DEEP: &str = "(nested too deeply to be compared)";

impl Sides<'_> {
    /// The sides as the engine has them, with the paths that force a replacement.
    pub fn from_values(before: &Value, after: &Value, replace: &[Path]) -> Self {
        let mut builder = Builder::of_made();
        let (old, new) = sides(&mut builder, before, after);
        let unknown = marks(&mut builder, after, &UNKNOWN, 0);
        let before_sensitive = marks(&mut builder, before, &SENSITIVE, 0);
        let after_sensitive = marks(&mut builder, after, &SENSITIVE, 0);
        let replace =
            builder.make_array(replace, |builder, path| steps(builder, path, [before, after].map(Some)));
        let built = builder.finish();
        Self {
            before: built(old),
            after: built(new),
            unknown: built(unknown),
            before_sensitive: built(before_sensitive),
            after_sensitive: built(after_sensitive),
            replace: built(replace),
        }
    }
}

/// Converts both sides. Unchanged attributes are made once and shared, so that comparing them is cheap.
fn sides(builder: &mut Builder<'_>, before: &Value, after: &Value) -> (Built, Built) {
    let (Kind::Object(old), Kind::Object(new)) = (before.kind(), after.kind()) else {
        return (content(builder, before, 0), content(builder, after, 0));
    };
    let mut made = Vec::with_capacity(old.len());
    let named = |(name, part)| (name, (name, part));
    let before = builder.make_object(known(old.iter()).map(named), |builder, (name, part)| {
        let built = content(builder, part, 1);
        made.push((name, part, built));
        built
    });
    let after = builder.make_object(known(new.iter()).map(named), |builder, (name, part)| {
        match made.binary_search_by_key(&name, |(name, ..)| name) {
            Ok(at) if made[at].1 == part => made[at].2,
            _ => content(builder, part, 1),
        }
    });
    (before, after)
}

pub(super) fn content(builder: &mut Builder<'_>, value: &Value, depth: usize) -> Built {
    if depth >= MAX_DEPTH {
        return builder.make_string(TOO_DEEP);
    }
    let member = |builder: &mut Builder<'_>, part| content(builder, part, depth + 1);
    match value.kind() {
        Kind::Null | Kind::Unknown(_) => Built::NULL,
        Kind::Bool(value) => Built::bool(value),
        Kind::Number(number) if number.is_finite() => builder.make_number(number),
        // JSON has no such number.
        Kind::Number(number) => builder.make_string(&number.to_string()),
        Kind::String(text) => builder.make_string(text),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            builder.make_array(elements, member)
        }
        Kind::Map(map) => builder.make_object(known(map.iter()), member),
        Kind::Object(object) => builder.make_object(known(object.iter()), member),
    }
}

fn known<'v>(
    members: impl Iterator<Item = (&'v SmolStr, &'v Value)>,
) -> impl Iterator<Item = (&'v str, &'v Value)> {
    // Terraform leaves unknown members out of the values of its documents, too; the marks beside them say where they
    // are.
    members.filter(|(_, part)| part.is_known()).map(|(name, part)| (name.as_str(), part))
}

/// Something that is said of some parts of a value, beside it.
pub(super) struct Marking {
    is_here: fn(&Value) -> bool,
    is_here_or_below: fn(&Value) -> bool,
}

pub(super) const UNKNOWN: Marking =
    Marking { is_here: |value| !value.is_known(), is_here_or_below: |value| !value.is_wholly_known() };

/// Ephemeral values are hidden, too.
const SENSITIVE: Marking = Marking { is_here: Value::is_marked, is_here_or_below: Value::contains_marked };

/// `true` where it holds, mirroring the nesting of the value around.
pub(super) fn marks(builder: &mut Builder<'_>, value: &Value, marking: &Marking, depth: usize) -> Built {
    if (marking.is_here)(value) {
        return Built::bool(true);
    }
    if !(marking.is_here_or_below)(value) || depth >= MAX_DEPTH {
        return Built::bool(false);
    }
    let part = |builder: &mut Builder<'_>, part| marks(builder, part, marking, depth + 1);
    let marked = |part: &&Value| (marking.is_here_or_below)(part);
    match value.kind() {
        Kind::Map(map) => {
            let members = map.iter().map(|(key, part)| (key.as_str(), part));
            builder.make_object(members.filter(|(_, part)| marked(part)), part)
        }
        Kind::Object(object) => {
            let members = object.iter().map(|(name, part)| (name.as_str(), part));
            builder.make_object(members.filter(|(_, part)| marked(part)), part)
        }
        _ => builder.make_array(value.as_elements().unwrap_or_default(), part),
    }
}

/// The part one step further.
fn part<'v>(value: &'v Value, step: &PathStep) -> Option<&'v Value> {
    match step {
        PathStep::Attribute(name) => value.attribute(name),
        PathStep::Index(key) => match key.as_str() {
            Some(key) => value.element(key).or_else(|| value.attribute(key)),
            None => value.index(usize::try_from(key.as_number()?.as_u64()?).ok()?),
        },
    }
}

/// A path as a document has it: names, keys and positions. No document says which element of a set is meant; then it is
/// the set.
fn steps(builder: &mut Builder<'_>, path: &Path, mut at: [Option<&Value>; 2]) -> Built {
    let is_set = |value: &Option<&Value>| value.is_some_and(|value| matches!(value.kind(), Kind::Set(_)));
    let before_set = path.steps().iter().take_while(|step| {
        let goes_on = !at.iter().any(is_set);
        at = at.map(|value| part(value?, step));
        goes_on
    });
    builder.make_array(before_set, |builder, step| match step {
        PathStep::Attribute(name) => builder.make_string(name),
        // A path is printed, and nothing hides its keys.
        PathStep::Index(key) if key.is_marked() => Built::NULL,
        PathStep::Index(key) => content(builder, key, 0),
    })
}
