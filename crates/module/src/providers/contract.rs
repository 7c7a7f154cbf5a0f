//! Terraform's checks on providers outside of plans.

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::Block;
use objchange::value::{Descend, Path};

use super::MoveObject;
use crate::ProviderConfigAddress;

/// Terraform's advice about a provider's bug.
pub(crate) const A_BUG: &str =
    "This is a bug in the provider, which should be reported in the provider's own issue tracker.";

/// A way in which an answer of a provider breaks its contract with Terraform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrokenContract {
    /// It cannot tell yet. No released version of Terraform allows that.
    Deferred,
    /// A data source is null, or not there.
    NullData,
    /// A data source has unknown parts.
    UnknownData,
    /// An object is not wholly known after it was read.
    UnknownObject,
    /// An object has a value at this path after it was read, where nothing is kept.
    WriteOnly(Path),
    /// An object of an older schema is not wholly known after it was brought under the present one.
    UnknownUpgrade,
    /// There is no object where one was to be opened.
    NothingOpened,
    /// Nothing was imported by this identifier.
    ImportedNothing(String),
    /// The import of this identifier returned null.
    ImportedNull(String),
    /// More than one object was imported.
    ImportedMany,
    /// An object was imported by its identity, and came without one.
    ImportedNoIdentity,
    /// The imported object does not exist.
    NotThere,
    /// The identity of an object is not wholly known.
    UnknownIdentity,
    /// There is no answer to what an object of another type is.
    MovedNothing,
    /// An object that was of another type is not wholly known.
    MovedUnknown,
    /// An object that was of another type has a value at this path, where nothing is kept.
    MovedWriteOnly(Path),
    /// The identity of an object that was of another type, at this address, is not wholly known.
    MovedUnknownIdentity(String),
    /// The plan to destroy an object has one.
    NotDestroyed,
}

impl BrokenContract {
    /// Checks a data source after reading.
    pub fn of_data(value: &Value) -> Option<Self> {
        match value {
            value if value.is_null() => Some(Self::NullData),
            value if !value.is_wholly_known() => Some(Self::UnknownData),
            _ => None,
        }
    }

    /// Checks an object after reading.
    pub fn of_object(schema: &Block, value: &Value) -> Option<Self> {
        match value.is_wholly_known() {
            false => Some(Self::UnknownObject),
            true => kept_write_only(schema, value).map(Self::WriteOnly),
        }
    }

    /// Checks the identity of an object after reading, importing or planning.
    pub fn of_identity(identity: Option<&Value>) -> Option<Self> {
        identity.filter(|identity| !identity.is_wholly_known()).map(|_| Self::UnknownIdentity)
    }

    /// Checks an object that was of another type.
    pub fn of_moved(request: &MoveObject<'_>, value: &Value, identity: Option<&Value>) -> Option<Self> {
        if !value.is_wholly_known() {
            return Some(Self::MovedUnknown);
        }
        if identity.is_some_and(|identity| !identity.is_wholly_known()) {
            return Some(Self::MovedUnknownIdentity(request.from_address.to_string()));
        }
        kept_write_only(&request.schema.block, value).map(Self::MovedWriteOnly)
    }

    /// Terraform's error for the violation.
    pub fn diagnostic(&self, config: &ProviderConfigAddress, address: &str, type_name: &str) -> Diagnostic {
        let (provider, name) = (config.to_string(), config.provider.to_string());
        let (summary, detail) = match self {
            Self::ImportedNoIdentity => {
                return Diagnostic::error(format!("import of {address} didn't return an identity"));
            }
            Self::Deferred => (
                "Provider deferred changes when Terraform did not allow deferrals",
                format!(
                    "The provider signaled a deferred action for {address:?}, but in this context deferrals are disabled. \
                     This is a bug in the provider, please file an issue with the provider developers."
                ),
            ),
            Self::NullData => (
                "Provider produced null object",
                format!("Provider {provider:?} produced a null value for {address}.\n\n{A_BUG}"),
            ),
            Self::UnknownData => (
                "Provider produced invalid object",
                format!(
                    "Provider {provider:?} produced a value for {address} that is not wholly known.\n\n{A_BUG}"
                ),
            ),
            Self::UnknownObject => (
                "Provider produced invalid object",
                format!(
                    "Provider {name:?} planned an invalid value for {address} during refresh: The returned state contains \
                     unknown values.\n\n{A_BUG}"
                ),
            ),
            Self::WriteOnly(path) => (
                "Provider produced invalid object",
                format!(
                    "Provider {provider:?} returned a value for the write-only attribute \"{address}{}\" during refresh. \
                     Write-only attributes cannot be read back from the provider. {A_BUG}",
                    path.suffix()
                ),
            ),
            Self::UnknownUpgrade => (
                "Invalid resource state upgrade",
                format!(
                    "The {} provider upgraded the state for {address} from a previous version, but produced an invalid result: \
                     The returned state contains unknown values.",
                    config.provider.name
                ),
            ),
            Self::NothingOpened => (
                "Provider produced invalid ephemeral resource instance",
                format!(
                    "The provider for {type_name} produced an inconsistent result: planned for absence but config wants \
                     existence."
                ),
            ),
            Self::ImportedNothing(id) => (
                "Import returned no resources",
                format!("While attempting to import with ID {id}, the provider returned no instance states."),
            ),
            Self::ImportedNull(id) => (
                "Import returned null resource",
                format!("While attempting to import with ID {id}, the provider returned an instance with no state."),
            ),
            Self::ImportedMany => (
                "Multiple import states not supported",
                "While attempting to import with ID, the provider returned multiple resource instance states. This is not \
                 currently supported."
                    .to_owned(),
            ),
            Self::NotThere => (
                "Cannot import non-existent remote object",
                format!(
                    "While attempting to import an existing object to {address:?}, the provider detected that no object \
                     exists with the given id. Only pre-existing objects can be imported; check that the id is correct and \
                     that it is associated with the provider's configured region or endpoint, or use \"terraform apply\" to \
                     create a new remote object for this resource."
                ),
            ),
            Self::UnknownIdentity => (
                "Provider produced invalid identity",
                format!("Provider {name:?} returned an identity with unknown values for {address}.\n\n{A_BUG}"),
            ),
            Self::MovedUnknown => (
                "Provider returned invalid value",
                format!(
                    "The provider {provider} returned an invalid value during an across type move operation: The returned state \
                     contains unknown values. This is a bug in the relevant provider; Please report it."
                ),
            ),
            Self::MovedWriteOnly(path) => (
                "Provider returned invalid value",
                format!(
                    "The provider {provider:?} returned a value for the write-only attribute \"{address}{}\" during an across \
                     type move operation to {address}. Write-only attributes cannot be read back from the provider. {A_BUG}",
                    path.suffix()
                ),
            ),
            Self::MovedUnknownIdentity(from) => (
                "Provider produced invalid identity",
                format!(
                    "Provider {provider:?} planned an identity with unknown values for the move from {from} to \
                     {address}.\n\n{A_BUG}"
                ),
            ),
            Self::MovedNothing => (
                "Provider returned invalid value",
                format!("The provider {provider} returned no object for {address} during an across type move operation.\n\n{A_BUG}"),
            ),
            Self::NotDestroyed => (
                "Provider produced invalid plan",
                format!("Provider {provider:?} planned a non-null destroy value for {address}.\n\n{A_BUG}"),
            ),
        };
        let mut error = Diagnostic::error(summary);
        error.detail = detail;
        error
    }
}

/// The first path of an object that has a value where nothing is kept.
fn kept_write_only(schema: &Block, value: &Value) -> Option<Path> {
    if !has_write_only(schema) {
        return None;
    }
    let mut found = None;
    value.visit(|path, part| {
        let path = path.to_path();
        let is_write_only = schema.attribute_by_path(&path).is_some_and(|attribute| attribute.write_only);
        if is_write_only && !part.is_null() && found.is_none() {
            found = Some(path);
        }
        Descend::Into
    });
    found
}

/// Whether a block has attributes that are never kept.
fn has_write_only(block: &Block) -> bool {
    block.attributes().iter().any(|(_, attribute)| attribute.write_only)
        || block.block_types().iter().any(|(_, nested)| has_write_only(&nested.block))
}
