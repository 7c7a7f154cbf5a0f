//! The actions of Terraform, from the words in documents.

use std::sync::{Mutex, PoisonError};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::Text;

/// The actions of Terraform on a resource instance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResourceActions {
    /// Nothing.
    #[default]
    NoOp,
    /// Create it.
    Create,
    /// Read a data source during apply.
    Read,
    /// Change it in place.
    Update,
    /// Destroy it.
    Delete,
    /// Destroy it, then create another one.
    DeleteThenCreate,
    /// Create another one, then destroy it.
    CreateThenDelete,
    /// Stop managing it.
    Forget,
    /// Create another one and stop managing the old one.
    CreateThenForget,
    /// Stop managing it and create another one: what OpenTofu does.
    ForgetThenCreate,
    /// Words that are not among the above, because a newer program has written them.
    Unknown(&'static [&'static str]),
}

/// The lists of words met until now that are not known. They live as long as the program, so that what it does with a
/// resource stays as small as a number; how many and how long they may be is bounded, far beyond what documents have.
static UNKNOWN: Mutex<Vec<&'static [&'static str]>> = Mutex::new(Vec::new());

fn unknown(words: &[&str]) -> Option<&'static [&'static str]> {
    let mut known = UNKNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = known.iter().find(|same| **same == words) {
        return Some(*same);
    }
    if known.len() == 256 || words.len() > 8 || words.iter().any(|word| word.len() > 64) {
        return None;
    }
    let kept: Vec<&'static str> = words.iter().map(|word| &*String::from(*word).leak()).collect();
    let kept: &'static [&'static str] = kept.leak();
    known.push(kept);
    Some(kept)
}

impl ResourceActions {
    pub(super) fn of_words(words: &[&str]) -> Option<Self> {
        Some(match words {
            ["no-op"] => Self::NoOp,
            ["create"] => Self::Create,
            ["read"] => Self::Read,
            ["update"] => Self::Update,
            ["delete"] => Self::Delete,
            ["delete", "create"] => Self::DeleteThenCreate,
            ["create", "delete"] => Self::CreateThenDelete,
            ["forget"] => Self::Forget,
            ["create", "forget"] => Self::CreateThenForget,
            ["forget", "create"] => Self::ForgetThenCreate,
            words => Self::Unknown(unknown(words)?),
        })
    }
}

impl<'de> Deserialize<'de> for ResourceActions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = <Vec<Text<'_>>>::deserialize(deserializer)?;
        let words: Vec<&str> = words.iter().map(Text::as_str).collect();
        Self::of_words(&words).ok_or_else(|| D::Error::custom("these actions are unknown"))
    }
}

impl ResourceActions {
    /// The words that plan documents have for it, such as `["delete", "create"]`.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::NoOp => &["no-op"],
            Self::Create => &["create"],
            Self::Read => &["read"],
            Self::Update => &["update"],
            Self::Delete => &["delete"],
            Self::DeleteThenCreate => &["delete", "create"],
            Self::CreateThenDelete => &["create", "delete"],
            Self::Forget => &["forget"],
            Self::CreateThenForget => &["create", "forget"],
            Self::ForgetThenCreate => &["forget", "create"],
            Self::Unknown(words) => words,
        }
    }
}

impl Serialize for ResourceActions {
    /// The words that plan documents have for it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}
