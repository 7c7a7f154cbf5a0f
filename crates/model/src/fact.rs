//! Facts about the parts of a resource type, with the number of probes behind each.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// The value that a provider plans for a part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The value of the configuration.
    Configured,
    /// The value of the configuration, as JSON without white space and with its keys in order if it is JSON.
    NormalJson,
    /// Like [`NormalJson`](Self::NormalJson), with the key `Version` first, as policies of AWS are often written.
    PolicyJson,
    /// The value of the configuration, with `false`, `0`, `""` or an empty collection for attributes that objects leave out.
    Zeroed,
    /// Like [`Zeroed`](Self::Zeroed), but numbers that are left out stay null.
    ZeroedButNumbers,
    /// The SHA-1 of the text of the configuration, in hexadecimal digits.
    Sha1,
    /// The value of the prior object.
    Kept,
    /// The blocks of the prior object, planned as if configuration had them with nothing in them. A value in them may go back to
    /// its default.
    KeptBlocks,
    /// Null, or no blocks.
    Null,
    /// The value of this argument.
    CopyOf(SmolStr),
    /// A set of the values of several arguments.
    Collected(Collected),
    /// This value, as JSON.
    Constant(String),
    /// The value of the configuration in upper case, or that of the prior object where it is left out.
    UpperCase,
    /// Like [`UpperCase`](Self::UpperCase), in lower case.
    LowerCase,
    /// Known after apply.
    Unknown,
}

/// A set with one element for each distinct text in some arguments, which are texts or collections of texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collected {
    /// The arguments. Those that configuration leaves out add nothing.
    #[serde(rename = "of")]
    pub arguments: Vec<SmolStr>,
    /// The attribute that holds the text, if the elements are objects. Their other attributes are known after apply.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<SmolStr>,
}

/// Those of fewer arguments come first: they explain as much with less.
impl Ord for Collected {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |collected: &Self| {
            (collected.arguments.len(), collected.arguments.clone(), collected.attribute.clone())
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Collected {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The outcome of all probes of a part in one situation. If they agree there is one outcome, and the fact is stable.
/// Otherwise it depends on something that was not found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fact {
    /// The outcomes of the probes. Values that fit no [`Outcome`] are not listed.
    #[serde(rename = "is", default)]
    pub outcomes: Vec<Outcome>,
    /// The number of probes.
    #[serde(rename = "n")]
    pub probes: u32,
    /// The probes disagree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub depends: bool,
}

/// The state of a part in a plan: whether configuration sets it, and how that relates to the prior object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Situation {
    /// It is left out of a new object.
    Created,
    /// It is left out of a new element of an object that exists.
    Added,
    /// It is left out, and the prior object has a value.
    Updated,
    /// It is left out, and the prior object has `false`, `0`, `""` or an empty collection. Blocks have nothing else in them. A
    /// value that a provider computes is [`Updated`](Self::Updated) whatever it is.
    Emptied,
    /// It is left out, and the prior object has several of these blocks.
    Several,
    /// It is left out, and the prior object has no value.
    Gained,
    /// It is set, and was not before.
    Configured,
    /// It is set to another value than before.
    Reconfigured,
    /// It is set to the same value as before.
    Unchanged,
    /// It is set to an empty text or collection, or in an object where it had no value to `false` or 0.
    Blank,
    /// It is set to the same objects as before, but for empty values where the others have null.
    Alike,
    /// It is set to a value with unknown elements.
    PartlyUnknown,
    /// It is set to the same JSON as before, written in another way.
    Json,
    /// It is set to the same JSON as before, but for members that are null or empty.
    JsonEmpty,
    /// It is set to the same JSON as before, but for arrays of one element in place of this element.
    JsonSingle,
    /// It is set to the same JSON as before, but for the order of arrays.
    JsonOrder,
    /// It is set to JSON that is a part of the JSON before: the provider may have added defaults.
    JsonPart,
    /// It is set to the same text as before, but for upper and lower case.
    Case,
    /// It is set to the same text as before, but for white space at its ends.
    Space,
    /// It is set to the same elements as before, in another order.
    Order,
}

/// How an argument or a block changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It gets a value, and had none.
    Set,
    /// It loses its value.
    Unset,
    /// It gets another value, or another number of blocks.
    Value,
    /// It becomes true.
    True,
    /// It becomes false.
    False,
}

/// A change of an argument or a block, written `set tags`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cause {
    /// How it changes.
    pub kind: ChangeKind,
    /// Names with dots between them: `root_block_device.volume_size`.
    pub part: SmolStr,
}

/// The facts of a part in one situation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cases {
    /// The fact if neither `alone` nor `when` applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual: Option<Fact>,
    /// The fact if nothing else changes, where it differs from the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<Fact>,
    /// The facts if one of these changes as well, where they differ from the usual one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<Cause, Fact>,
    /// The facts beside each value of an argument that accepts only some, where these differ: by argument and value. They are
    /// used where the argument is set in a new object, and where it changes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<SmolStr, BTreeMap<SmolStr, Fact>>,
    /// The facts beside an argument that is set, and not to `false`, where these differ from those without it. They are used where
    /// no change has a fact of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub beside: BTreeMap<SmolStr, Fact>,
}

/// Whether a change of a part replaces the object.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Replacement {
    /// The number of probes in which it does.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub yes: u32,
    /// The number of probes in which it does not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub no: u32,
    /// The parts that the provider named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<SmolStr>,
    /// It does if this argument is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<SmolStr>,
}

/// All facts about one part.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PartFacts {
    /// The planned values, by situation.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub planned: BTreeMap<Situation, Cases>,
    /// Which of its changes replace the object.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replaces: BTreeMap<ChangeKind, Replacement>,
    /// The values that it accepts, if the provider named them and has refused another one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
}

/// The answer to whether a change replaces the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replaces {
    /// It does in every probe.
    Always,
    /// It does in no probe.
    Never,
    /// The probes disagree.
    Depends,
    /// No probe has changed this.
    NotLearned,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Fact {
    /// The outcome, if all probes agree.
    pub fn stable(&self) -> Option<&Outcome> {
        self.outcomes.first().filter(|_| !self.depends && self.outcomes.len() == 1)
    }

    /// Makes it one that depends on something, because a probe disagrees.
    pub(crate) fn contradict(&mut self) {
        self.depends = true;
    }
}

impl Replacement {
    /// Whether the change replaces the object; `is_true` looks up an argument, which may be unknown.
    pub fn answer(&self, is_true: impl Fn(&str) -> Option<bool>) -> Replaces {
        match (self.yes, self.no, &self.when) {
            (0, 0, _) => Replaces::NotLearned,
            (_, 0, None) => Replaces::Always,
            (0, _, _) => Replaces::Never,
            (_, _, None) => Replaces::Depends,
            (_, _, Some(argument)) => match is_true(argument) {
                Some(true) => Replaces::Always,
                Some(false) => Replaces::Never,
                None => Replaces::Depends,
            },
        }
    }
}

impl Situation {
    /// Whether configuration leaves the part out.
    pub(crate) fn is_left_out(self) -> bool {
        matches!(
            self,
            Self::Created | Self::Added | Self::Updated | Self::Emptied | Self::Several | Self::Gained
        )
    }
}

impl Cause {
    /// Whether it is about a part inside of this one. In blocks that are left out it is a result.
    pub(crate) fn is_inside(&self, part: &str) -> bool {
        self.part.strip_prefix(part).is_some_and(|rest| rest.starts_with('.'))
    }

    /// Whether it is about another part than this one and the blocks around it, which are there with the part.
    pub(crate) fn is_beside(&self, part: &str) -> bool {
        part.strip_prefix(self.part.as_str()).is_none_or(|rest| !rest.is_empty() && !rest.starts_with('.'))
    }
}

impl ChangeKind {
    const ALL: [Self; 5] = [Self::Set, Self::Unset, Self::Value, Self::True, Self::False];

    /// Its name in models.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Unset => "unset",
            Self::Value => "value",
            Self::True => "true",
            Self::False => "false",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.part)
    }
}

impl From<Cause> for String {
    fn from(cause: Cause) -> Self {
        cause.to_string()
    }
}

impl FromStr for Cause {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once(' ').and_then(|(kind, part)| {
            let kind = ChangeKind::ALL.into_iter().find(|known| known.name() == kind)?;
            Some(Self { kind, part: part.into() })
        });
        parsed.ok_or("expected a change and a part, such as \"set tags\"")
    }
}

impl TryFrom<String> for Cause {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}
