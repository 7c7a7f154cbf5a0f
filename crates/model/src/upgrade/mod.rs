//! Compares two versions of a provider: their schemas, and their behavior as far as models tell it.

mod behavior;
mod schemas;

use std::collections::BTreeSet;

use objchange::schema::{ProviderSchemas, SchemaDocumentError, SchemaKind, SchemaPart};
use serde::Serialize;
use smol_str::SmolStr;

use crate::model::ProviderModel;

/// One version of a provider.
#[derive(Debug, Clone, Copy)]
pub struct ProviderVersion<'v> {
    /// The address of the provider in its schemas.
    pub provider: &'v str,
    /// Its schemas.
    pub schemas: &'v ProviderSchemas,
    /// Its model, if it was learned.
    pub model: Option<&'v ProviderModel>,
}

/// A difference between two versions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UpgradeChange {
    /// The key of the kind of schema in documents of `terraform providers schema`: `resource_schemas`, `functions`.
    pub schema: &'static str,
    /// The type; empty for the configuration of the provider.
    #[serde(rename = "type")]
    pub type_name: SmolStr,
    /// The attribute or block: names with dots between them. `None` for the type itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<SmolStr>,
    /// How it differs.
    pub kind: UpgradeKind,
    /// How it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// How it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// How versions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UpgradeKind {
    /// It does not exist any more.
    Removed,
    /// It can no longer be set.
    ReadOnly,
    /// It must be set, or there must be more blocks of it.
    Required,
    /// There may be fewer blocks of it.
    Limited,
    /// It has another type.
    Type,
    /// A value is refused that was accepted.
    Refused,
    /// A change of it replaces the object, or may.
    Replaces,
    /// It gets another default.
    Default,
    /// It does not keep its value on updates.
    NotKept,
    /// It is sensitive, or no longer.
    Sensitive,
    /// It is deprecated.
    Deprecated,
}

/// A resource type whose behavior could not be compared, or not wholly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotCompared {
    /// The type.
    #[serde(rename = "type")]
    pub type_name: SmolStr,
    /// Why.
    pub reason: String,
    /// The arguments for which at least one model does not say whether a change replaces the object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<SmolStr>,
}

/// The differences between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Upgrade {
    /// The differences, by schema, type and part.
    pub changes: Vec<UpgradeChange>,
    /// Resource types of both versions whose behavior was not compared.
    pub not_compared: Vec<NotCompared>,
}

/// How an attribute, a block or a type differs.
struct PartChange {
    part: Option<SmolStr>,
    kind: UpgradeKind,
    before: Option<String>,
    after: Option<String>,
}

/// Compares two versions of a provider.
///
/// # Errors
///
/// A schema cannot be read.
///
/// ```
/// use objchange::schema::ProviderSchemas;
/// use objchange_model::{ProviderVersion, UpgradeKind, compare_versions};
///
/// let schemas = |argument: &str| {
///     let block = format!(r#"{{"attributes":{{"{argument}":{{"type":"string","optional":true}}}}}}"#);
///     ProviderSchemas::parse(format!(
///         r#"{{"provider_schemas":{{"p":{{"resource_schemas":{{"p_disk":{{"version":0,"block":{block}}}}}}}}}}}"#
///     ))
/// };
/// let (one, other) = (schemas("size")?, schemas("gigabytes")?);
/// let version = |schemas| ProviderVersion { provider: "p", schemas, model: None };
/// let upgrade = compare_versions(version(&one), version(&other))?;
/// assert_eq!(upgrade.changes[0].part.as_deref(), Some("size"));
/// assert_eq!(upgrade.changes[0].kind, UpgradeKind::Removed);
/// // Behavior is known from models alone.
/// assert_eq!(upgrade.not_compared[0].type_name, "p_disk");
/// # Ok::<(), objchange::schema::SchemaDocumentError>(())
/// ```
pub fn compare_versions(
    before: ProviderVersion<'_>,
    after: ProviderVersion<'_>,
) -> Result<Upgrade, SchemaDocumentError> {
    let mut upgrade = Upgrade::default();
    for part in SchemaPart::all() {
        let SchemaPart::Schema(kind) = part else {
            upgrade.removed_functions(before, after, part);
            continue;
        };
        // Nobody writes identities into configurations.
        if kind == SchemaKind::Identity {
            continue;
        }
        for name in before.schemas.names(before.provider, kind) {
            let one = before.schemas.get(before.provider, kind, name)?;
            let (Some(one), other) = (one, after.schemas.get(after.provider, kind, name)?) else { continue };
            let Some(other) = other else {
                upgrade.add(kind.key(), name, PartChange::new(None, UpgradeKind::Removed));
                continue;
            };
            let texts = [(before, name), (after, name)].map(|(version, name)| {
                version.schemas.text(version.provider, part, name).ok().flatten().unwrap_or_default()
            });
            for change in schemas::compare(&one.block, &other.block, &texts) {
                upgrade.add(kind.key(), name, change);
            }
            if kind == SchemaKind::Resource {
                upgrade.add_behavior(name, [(before, &one.block), (after, &other.block)]);
            }
        }
    }
    upgrade.changes.sort();
    Ok(upgrade)
}

impl PartChange {
    fn new(part: Option<&str>, kind: UpgradeKind) -> Self {
        Self { part: part.map(SmolStr::new), kind, before: None, after: None }
    }

    fn between(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        (self.before, self.after) = (Some(before.into()), Some(after.into()));
        self
    }
}

impl Upgrade {
    fn add(&mut self, schema: &'static str, type_name: &str, change: PartChange) {
        let PartChange { part, kind, before, after } = change;
        // The provider's own configuration has no type.
        let type_name = if schema == SchemaKind::Provider.key() { "" } else { type_name };
        self.changes.push(UpgradeChange { schema, type_name: type_name.into(), part, kind, before, after });
    }

    fn removed_functions(
        &mut self,
        before: ProviderVersion<'_>,
        after: ProviderVersion<'_>,
        part: SchemaPart,
    ) {
        let names = |version: ProviderVersion<'_>| -> BTreeSet<String> {
            version.schemas.function_names(version.provider).map(str::to_owned).collect()
        };
        for name in names(before).difference(&names(after)) {
            self.add(part.key(), name, PartChange::new(None, UpgradeKind::Removed));
        }
    }

    fn add_behavior(&mut self, name: &str, versions: [(ProviderVersion<'_>, &objchange::schema::Block); 2]) {
        let models = versions.map(|(version, block)| match version.model {
            None => Err("its provider was not learned"),
            Some(model) => model.of_type(name, block).ok_or("it was not learned"),
        });
        let reason = |side: &str, why: &str| format!("{why} at the {side} version");
        let (before, after) = match models {
            [Ok(before), Ok(after)] => (before, after),
            [Err(why), Ok(_)] => return self.not_compared(name, reason("first", why), Vec::new()),
            [Ok(_), Err(why)] => return self.not_compared(name, reason("second", why), Vec::new()),
            [Err(why), Err(_)] => return self.not_compared(name, why.to_owned(), Vec::new()),
        };
        let [(_, one), (_, other)] = versions;
        let (changes, unknown) = behavior::compare((&before, one), (&after, other));
        for change in changes {
            self.add(SchemaKind::Resource.key(), name, change);
        }
        if !unknown.is_empty() {
            let reason =
                "not both models say whether changes of some arguments replace the object".to_owned();
            self.not_compared(name, reason, unknown);
        }
    }

    fn not_compared(&mut self, name: &str, reason: String, parts: Vec<SmolStr>) {
        self.not_compared.push(NotCompared { type_name: name.into(), reason, parts });
    }
}

impl UpgradeKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::ReadOnly => "read_only",
            Self::Required => "required",
            Self::Limited => "limited",
            Self::Type => "type",
            Self::Refused => "refused",
            Self::Replaces => "replaces",
            Self::Default => "default",
            Self::NotKept => "not_kept",
            Self::Sensitive => "sensitive",
            Self::Deprecated => "deprecated",
        }
    }
}

impl UpgradeChange {
    /// The difference in words: "forces replacement; it did not".
    pub fn sentence(&self) -> String {
        let [before, after] = [&self.before, &self.after].map(|side| side.as_deref().unwrap_or("nothing"));
        match self.kind {
            UpgradeKind::Removed => "is removed".to_owned(),
            UpgradeKind::ReadOnly => "can no longer be set".to_owned(),
            UpgradeKind::Required if self.after.is_none() => "must be set".to_owned(),
            UpgradeKind::Required => format!("must be there at least {after} times, not {before}"),
            UpgradeKind::Limited => format!("may be there at most {after} times, not {before}"),
            UpgradeKind::Type => format!("is {after}, and was {before}"),
            UpgradeKind::Refused if self.before.is_none() => format!("accepts only {after}"),
            UpgradeKind::Refused => format!("refuses {before}"),
            UpgradeKind::Replaces => format!("{after}; before it {before}"),
            UpgradeKind::Default => format!("is {after} if it is left out, and was {before}"),
            UpgradeKind::NotKept => format!("is {after} on updates, and kept its value before"),
            UpgradeKind::Sensitive => format!("is {after}, and was {before}"),
            UpgradeKind::Deprecated => "is deprecated".to_owned(),
        }
    }
}
