//! The actions of Terraform, from the words in documents.

use objchange::change::Action;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::Text;

/// The actions of Terraform on a resource instance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
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
    /// Stop managing it and create another one, as OpenTofu does.
    ForgetThenCreate,
    /// Words that are not among the above, because a newer program has written them:
    /// [`ValueChange::unknown_actions`](super::ValueChange::unknown_actions).
    Unknown,
}

impl ResourceActions {
    /// The action that these words of a document name; [`ResourceActions::Unknown`] if no version writes them so.
    pub fn of_words(words: &[&str]) -> Self {
        match words {
            ["no-op"] => Self::NoOp,
            ["create"] => Self::Create,
            ["read"] => Self::Read,
            ["update"] => Self::Update,
            ["delete"] => Self::Delete,
            ["delete", "create"] => Self::DeleteThenCreate,
            ["create", "delete"] => Self::CreateThenDelete,
            ["forget"] => Self::Forget,
            // Only Terraform writes this one, and only OpenTofu the next.
            ["create", "forget"] => Self::CreateThenForget,
            ["forget", "create"] => Self::ForgetThenCreate,
            _ => Self::Unknown,
        }
    }
}

impl From<Action> for ResourceActions {
    fn from(action: Action) -> Self {
        match action {
            Action::Create => Self::Create,
            Action::Update => Self::Update,
            Action::Delete => Self::Delete,
            Action::DeleteThenCreate => Self::DeleteThenCreate,
            Action::CreateThenDelete => Self::CreateThenDelete,
            _ => Self::NoOp,
        }
    }
}

impl<'de> Deserialize<'de> for ResourceActions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = <Vec<Text<'_>>>::deserialize(deserializer)?;
        let words: Vec<&str> = words.iter().map(Text::as_str).collect();
        Ok(Self::of_words(&words))
    }
}

impl ResourceActions {
    /// Whether an object is replaced by another one, which is created.
    pub fn is_replacement(self) -> bool {
        matches!(
            self,
            Self::DeleteThenCreate | Self::CreateThenDelete | Self::CreateThenForget | Self::ForgetThenCreate
        )
    }

    /// In one word, as resources are selected by it: `replace` for each way to replace an object.
    pub fn word(self) -> &'static str {
        match self.words() {
            _ if self.is_replacement() => "replace",
            [word] => word,
            _ => "unknown",
        }
    }

    /// The words that plan documents have for it, such as `["delete", "create"]`; `["unknown"]` for unknown ones.
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
            Self::Unknown => &["unknown"],
        }
    }
}

impl Serialize for ResourceActions {
    /// The words that plan documents have for it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}
