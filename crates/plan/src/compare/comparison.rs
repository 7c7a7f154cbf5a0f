//! The result of comparing two plans, as data.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::origin::OriginDifferences;
use super::shown::ShownValue;
use objchange_document::Text;
use objchange_document::changes::Importing;
use objchange_document::changes::ResourceActions;

/// The differences between two plans: everything that a printer needs, without sensitive values.
///
/// A value that was unknown in the first plan and is known in the second is *expected*: that is what unknown values are
/// for. Everything else is a *surprise*. The JSON form is described in the project's `schema/comparison.schema.json`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Comparison<'t> {
    /// The number of differences.
    pub counts: ComparisonCounts,
    /// Differences in the changes of resources, by address.
    pub resources: Vec<Difference<'t>>,
    /// Differences in the outputs of the root module, by name.
    pub outputs: Vec<Difference<'t>>,
    /// Differences in invoked actions, by address.
    pub invocations: Vec<Difference<'t>>,
    /// Differences in changes made outside of Terraform, by address. It counts in plans that change no
    /// resource.
    pub drift: Vec<Difference<'t>>,
    /// The options that name nothing in the plans, as they were given.
    pub unmatched: Vec<String>,
    /// The sources and provider versions that differ, where both plans say them. Plans that do the same from other sources are
    /// the same.
    pub origins: Option<OriginDifferences>,
}

/// The numbers of differences, and of steps that are the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparisonCounts {
    /// Only the first plan does it.
    pub only_in_a: usize,
    /// Only the second plan does it.
    pub only_in_b: usize,
    /// Both know it, and do something else with it.
    pub other_action: usize,
    /// Both do the same, with other values.
    pub other_values: usize,
    /// 1 if only one of the plans says that there may be more changes after it is applied, else 0.
    pub incomplete: usize,
    /// Both do the same, and all that differs was unknown in the first plan.
    pub expected: usize,
    /// Both do the same, with the same values.
    pub same: usize,
}

impl ComparisonCounts {
    /// The differences that are not expected.
    pub fn surprises(&self) -> usize {
        self.only_in_a + self.only_in_b + self.other_action + self.other_values + self.incomplete
    }
}

impl Comparison<'_> {
    /// Whether both plans do the same.
    pub fn is_same(&self) -> bool {
        self.counts.surprises() + self.counts.expected == 0
    }

    /// Whether there is no surprise.
    pub fn is_as_expected(&self) -> bool {
        self.counts.surprises() == 0
    }

    /// Whether it is the same, differs as expected, or differs: the word for it.
    pub fn result(&self) -> &'static str {
        match (self.is_same(), self.is_as_expected()) {
            (true, _) => "same",
            (false, true) => "expected",
            (false, false) => "different",
        }
    }
}

/// Something that two plans do differently.
#[derive(Debug)]
#[non_exhaustive]
pub struct Difference<'t> {
    /// The address of the resource or action, or the name of the output: in the second plan, if that has it.
    pub address: Text<'t>,
    /// In what they differ.
    pub kind: DifferenceKind,
    /// The step of the first plan; `None` if it has none.
    pub a: Option<PlannedStep<'t>>,
    /// The step of the second plan; `None` if it has none.
    pub b: Option<PlannedStep<'t>>,
    /// The values that differ, if both plans have some.
    pub values: Vec<ValueDifference<'t>>,
}

impl Difference<'_> {
    /// Whether all that differs was unknown in the first plan.
    pub fn is_expected(&self) -> bool {
        self.kind == DifferenceKind::Expected
    }
}

/// In what two plans differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DifferenceKind {
    /// Only the first plan does it.
    OnlyInA,
    /// Only the second plan does it.
    OnlyInB,
    /// They do something else with it.
    OtherAction,
    /// They do the same, with other values.
    OtherValues,
    /// They do the same, and all that differs was unknown in the first plan.
    Expected,
}

/// A step of one plan for a resource, an output or an action, without the values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedStep<'t> {
    /// The address in this plan.
    pub address: Text<'t>,
    /// The key of the deposed object.
    pub deposed: Option<Text<'t>>,
    /// The address before a move.
    pub previous_address: Option<Text<'t>>,
    /// The actions of the step.
    pub actions: StepActions,
    /// It is left to the next plan.
    pub is_deferred: bool,
    /// An import.
    pub importing: Option<Importing<'t>>,
    /// The provider that does it, if the document names one.
    pub provider: Option<Text<'t>>,
    /// The resource that triggers or calls an action, and the event.
    pub trigger: Option<(Text<'t>, Text<'t>)>,
}

/// The actions of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepActions {
    /// To a resource or an output.
    Change(ResourceActions),
    /// An action is invoked.
    Invoke,
}

/// A value that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueDifference<'t> {
    /// The side of the change.
    pub side: ComparedSide,
    /// It is in the identity of the object, and not in its value.
    pub is_identity: bool,
    /// Where.
    pub path: Vec<ValueStep<'t>>,
    /// It was unknown in the first plan, and is known in the second.
    pub expected: bool,
    /// The value in the first plan.
    pub a: ShownValue<'t>,
    /// The value in the second plan.
    pub b: ShownValue<'t>,
    /// Here is a set with so many elements that are only in the first plan, and only in the second: too many to find out which
    /// belong together. Each follows alone.
    pub unpaired: Option<[usize; 2]>,
}

/// A side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ComparedSide {
    /// The value before.
    Before,
    /// The value after.
    After,
    /// Both, in the same way.
    Both,
}

/// One step on the way to a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueStep<'t> {
    /// An attribute, or an element by its key.
    Name(Text<'t>),
    /// An element by its position.
    Position(usize),
    /// An element of a set, by a few members that it has in both plans.
    Element(Vec<(Text<'t>, ShownValue<'t>)>),
}

impl Serialize for ValueStep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => name.serialize(serializer),
            Self::Position(position) => position.serialize(serializer),
            Self::Element(members) => serializer.collect_map(members.iter().map(|(key, value)| (key, value))),
        }
    }
}

impl Serialize for ValueDifference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("side", &self.side)?;
        if self.is_identity {
            map.serialize_entry("identity", &true)?;
        }
        map.serialize_entry("expected", &self.expected)?;
        for (name, value) in [("a", &self.a), ("b", &self.b)] {
            if !value.is_absent() {
                map.serialize_entry(name, value)?;
            }
        }
        if let Some(unpaired) = self.unpaired {
            map.serialize_entry("unpaired", &unpaired)?;
        }
        map.end()
    }
}

impl Serialize for PlannedStep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("address", &self.address)?;
        let texts = [
            ("deposed", &self.deposed),
            ("previous_address", &self.previous_address),
            ("provider", &self.provider),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                map.serialize_entry(name, text)?;
            }
        }
        match self.actions {
            StepActions::Change(actions) => map.serialize_entry("actions", &actions)?,
            StepActions::Invoke => map.serialize_entry("actions", &["invoke"])?,
        }
        if self.is_deferred {
            map.serialize_entry("deferred", &true)?;
        }
        if let Some(importing) = &self.importing {
            map.serialize_entry("importing", importing)?;
        }
        if let Some((resource, event)) = &self.trigger {
            map.serialize_entry("trigger", &[resource, event])?;
        }
        map.end()
    }
}

impl Serialize for Difference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("address", &self.address)?;
        map.serialize_entry("difference", &self.kind)?;
        for (name, step) in [("a", &self.a), ("b", &self.b)] {
            if let Some(step) = step {
                map.serialize_entry(name, step)?;
            }
        }
        if !self.values.is_empty() {
            map.serialize_entry("values", &self.values)?;
        }
        map.end()
    }
}
