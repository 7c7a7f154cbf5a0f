//! The identifier or identity of an object to import.

use objchange::Value;
use objchange::value::Marks;

/// The identifier or identity by which a provider finds an object to import.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportedBy {
    /// An identifier: a string, which may be unknown.
    Id(Value),
    /// The attributes of an identity.
    Identity(Value),
}

impl ImportedBy {
    /// The identifier or the identity.
    pub fn value(&self) -> &Value {
        match self {
            Self::Id(value) | Self::Identity(value) => value,
        }
    }

    /// The identifier, where it is known.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Id(id) => id.as_str(),
            Self::Identity(_) => None,
        }
    }

    /// Whether a part of it must not be shown.
    pub fn is_sensitive(&self) -> bool {
        let (Self::Id(value) | Self::Identity(value)) = self;
        value.marks_deep().contains(Marks::SENSITIVE)
    }
}
