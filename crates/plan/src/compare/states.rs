//! Which objects differ between two states.

use std::collections::BTreeMap;

use serde::Deserialize;

use objchange_document::{State, StateResource};

/// Which state a state file is: Terraform counts the serial up with each change, and gives each new state a lineage.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StateVersion {
    /// The lineage: equal in all versions of one state. Empty where there is no state yet.
    pub lineage: String,
    /// The number of the version.
    pub serial: u64,
}

impl StateVersion {
    /// The version of a state file; of a text that is none, that of no state.
    ///
    /// ```
    /// use objchange_plan::compare::StateVersion;
    ///
    /// let version = StateVersion::of_file(r#"{"version":4,"serial":3,"lineage":"a-b","resources":[]}"#);
    /// assert_eq!((version.lineage.as_str(), version.serial), ("a-b", 3));
    /// ```
    pub fn of_file(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// An object that differs between two states.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedObject {
    /// The address of its instance.
    pub address: String,
    /// The key of a deposed object.
    pub deposed: Option<String>,
    /// How it differs.
    pub change: StateDifference,
}

/// How an object differs between two states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateDifference {
    /// Only the later state has it.
    Added,
    /// Only the earlier state has it.
    Removed,
    /// Its values differ, or only one of the two is tainted.
    Changed,
}

impl StateDifference {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// The managed objects that differ between two states, by address. Values are compared, and never returned.
///
/// ```
/// use objchange_document::State;
/// use objchange_plan::compare::{StateDifference, changed_objects};
///
/// let state = |id: &str| format!(r#"{{"version":4,"resources":[{{"mode":"managed","type":"disk","name":"a",
///     "provider":"provider[\"registry.terraform.io/x/p\"]","instances":[{{"attributes":{{"id":"{id}"}}}}]}}]}}"#);
/// let (before, after) = (state("1"), state("2"));
/// let changed = changed_objects(&State::parse_file(&before)?, &State::parse_file(&after)?);
/// assert_eq!((changed[0].address.as_str(), changed[0].change), ("disk.a", StateDifference::Changed));
/// # Ok::<(), objchange_document::DocumentError>(())
/// ```
pub fn changed_objects(before: &State<'_>, after: &State<'_>) -> Vec<ChangedObject> {
    let mut sides: BTreeMap<_, [Option<&StateResource<'_>>; 2]> = BTreeMap::new();
    for (side, state) in [before, after].into_iter().enumerate() {
        for object in state.resources.iter().filter(|object| &*object.mode == "managed") {
            sides.entry((object.address.as_str(), object.deposed.as_deref())).or_default()[side] =
                Some(object);
        }
    }
    let changed = sides.into_iter().filter_map(|((address, deposed), sides)| {
        let change = match sides {
            [None, Some(_)] => StateDifference::Added,
            [Some(_), None] => StateDifference::Removed,
            [Some(before), Some(after)] if !is_same(before, after) => StateDifference::Changed,
            _ => return None,
        };
        Some(ChangedObject { address: address.to_owned(), deposed: deposed.map(str::to_owned), change })
    });
    changed.collect()
}

fn is_same(a: &StateResource<'_>, b: &StateResource<'_>) -> bool {
    // Terraform writes equal objects in equal bytes, so most are not parsed. Another program may order members differently.
    let are_values_equal = a.values.text() == b.values.text() || {
        let read =
            |object: &StateResource<'_>| serde_json::from_str::<serde_json::Value>(object.values.text()).ok();
        read(a).is_some_and(|value| Some(value) == read(b))
    };
    are_values_equal && a.tainted == b.tainted
}
