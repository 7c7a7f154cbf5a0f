//! What Terraform does with resource instances, as the words of documents say it.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::Text;

/// What Terraform does with a resource instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResourceActions {
    /// Nothing.
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
}

impl ResourceActions {
    pub(super) fn of_words(words: &[&str]) -> Option<Self> {
        Some(match words {
            [] | ["no-op"] => Self::NoOp,
            ["create"] => Self::Create,
            ["read"] => Self::Read,
            ["update"] => Self::Update,
            ["delete"] => Self::Delete,
            ["delete", "create"] => Self::DeleteThenCreate,
            ["create", "delete"] => Self::CreateThenDelete,
            ["forget"] => Self::Forget,
            ["create", "forget"] => Self::CreateThenForget,
            ["forget", "create"] => Self::ForgetThenCreate,
            _ => return None,
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
        }
    }
}

impl Serialize for ResourceActions {
    /// The words that plan documents have for it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}
