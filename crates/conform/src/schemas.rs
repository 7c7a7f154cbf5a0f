//! Judges whether the schemas of a provider are well-formed.

use std::collections::BTreeSet;

use objchange::change::Severity;
use objchange::schema::{Attribute, Block, SchemaProblemKind};
use objchange::value::Path;
use objchange_provider::{Component, SchemaFault, SchemaFaultKind, Schemas};
use smol_str::SmolStr;

use super::{Clause, Finding};

/// The components whose schemas and behaviour are judged: all but state stores.
pub(crate) const CHECKED_COMPONENTS: [Component; 6] = [
    Component::Provider,
    Component::Resource,
    Component::DataSource,
    Component::EphemeralResource,
    Component::ListResource,
    Component::Action,
];

/// A problem with a part of a provider's schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaFinding {
    /// The part of the schemas, such as `resource type kit_disk`.
    pub place: String,
    /// The finding; its path leads through the names of the schema.
    pub finding: Finding,
}

/// All faults in the schemas of a provider. If one schema is broken, Terraform loads none.
///
/// ```
/// use objchange::Type;
/// use objchange::schema::{Attribute, Block};
/// use objchange_conform::{Clause, FindingSeverity, judge_schemas};
/// use objchange_conform::kit::{Kit, ResourceType};
/// use objchange_provider::ProviderExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> objchange_provider::Result<()> {
/// let block = Block::new([("count", Attribute::optional(Type::Number))], []);
/// let kit = Kit::default().resource("kit_disk", ResourceType::new(block));
/// let found = judge_schemas(&*kit.schemas().await?);
/// assert_eq!(found[0].place, "resource type kit_disk");
/// assert_eq!((found[0].finding.clause, found[0].finding.severity), (Clause::S4, FindingSeverity::Unnoticed));
/// # Ok(())
/// # }
/// ```
pub fn judge_schemas(schemas: &Schemas) -> Vec<SchemaFinding> {
    let mut found = Vec::new();
    let mut add = |place: &str, finding| found.push(SchemaFinding { place: place.to_owned(), finding });
    for problem in &schemas.problems {
        let (place, finding) = misunderstood(problem);
        add(place, finding);
    }
    for said in schemas.diagnostics.iter().filter(|said| said.severity == Severity::Error) {
        let detail = if said.detail.is_empty() { String::new() } else { format!(": {}", said.detail) };
        let message = format!("with its schemas the provider reports an error: {}{detail}", said.summary);
        add("provider", Finding::new(Clause::S0, "schema_error", Path::root(), message));
    }
    // Terraform needs a schema of the provider itself, even an empty one.
    if schemas.provider.is_none() && !schemas.problems.iter().any(|p| p.place.starts_with("provider")) {
        let message = "the provider has no schema of its own configuration; an empty one will do";
        add("provider", Finding::new(Clause::S0, "no_provider_schema", Path::root(), message));
    }
    for component in CHECKED_COMPONENTS {
        for (name, schema) in schemas.named(component) {
            declared(component, &schema.block)
                .into_iter()
                .for_each(|finding| add(&place(component, name), finding));
        }
    }
    for (name, identity) in &schemas.identities {
        let place = format!("identity of resource type {name}");
        declared(Component::Resource, &identity.block)
            .into_iter()
            .filter(|finding| finding.clause != Clause::S4)
            .for_each(|finding| add(&place, finding));
    }
    found
}

/// The findings about the schema of one type, including one that could not be read.
pub(super) fn of_type(schemas: &Schemas, component: Component, name: &str) -> Vec<Finding> {
    let wanted = place(component, name);
    let problems = schemas.problems.iter().map(misunderstood);
    let mut found: Vec<Finding> =
        problems.filter(|(place, _)| *place == wanted).map(|(_, finding)| finding).collect();
    found.extend(schemas.block(component, name).into_iter().flat_map(|block| declared(component, block)));
    found
}

/// The names of all types of a kind, including those whose schema cannot be read.
pub(super) fn named(schemas: &Schemas, component: Component) -> BTreeSet<SmolStr> {
    let prefix = place(component, "");
    let misunderstood =
        schemas.problems.iter().filter(|_| component != Component::Provider).filter_map(|fault| {
            let (place, _) = fault.place.split_once(": ").unwrap_or((&fault.place, ""));
            place.strip_prefix(&prefix).map(SmolStr::from)
        });
    schemas.named(component).map(|(name, _)| name.into()).chain(misunderstood).collect()
}

/// The name of a schema in findings, such as `resource type kit_disk`.
pub(super) fn place(component: Component, name: &str) -> String {
    match component {
        Component::Provider => "provider".to_owned(),
        _ => format!("{} {name}", component.noun()),
    }
}

/// A schema that could not be read: its place, and the finding.
fn misunderstood(fault: &SchemaFault) -> (&str, Finding) {
    let (place, names) = fault.place.split_once(": ").unwrap_or((&fault.place, ""));
    let names = names.split(": ").filter(|name| !name.is_empty());
    let path = names.fold(Path::root(), Path::attribute);
    let clause = match fault.problem {
        SchemaFaultKind::DeprecationMessage => Clause::S3,
        SchemaFaultKind::NegativeLimit => Clause::S5,
        SchemaFaultKind::InvalidNesting => Clause::S8,
        SchemaFaultKind::RepeatedName => Clause::S4,
        SchemaFaultKind::InvalidType | SchemaFaultKind::TypeAndNestedType | SchemaFaultKind::NoType => {
            Clause::S2
        }
        // `NoBlock`, and any other reason why there is no schema.
        _ => Clause::S0,
    };
    let finding = Finding::new(clause, fault.problem.kind(), path, fault.problem.to_string());
    (place, if fault.problem.is_fatal() { finding } else { finding.unnoticed() })
}

fn declared(component: Component, block: &Block) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for problem in block.validate() {
        let clause = clause_of(problem.kind);
        found.push(Finding::new(clause, problem.kind.kind(), problem.path.clone(), problem.kind.to_string()));
    }
    let names = block
        .attributes()
        .iter()
        .map(|(name, _)| name)
        .chain(block.block_types().iter().map(|(name, _)| name));
    for name in names.filter(|name| reserved(component).contains(&name.as_str())) {
        let message = "the name has a meaning of its own in configurations";
        let path = Path::root().attribute(name.clone());
        found.push(Finding::new(Clause::S4, "reserved_name", path, message).unnoticed());
    }
    unnoticed(block, &Path::root(), &mut found);
    found
}

fn clause_of(kind: SchemaProblemKind) -> Clause {
    use SchemaProblemKind as K;
    match kind {
        K::AttributeAndBlock | K::BlockName => Clause::S4,
        K::SingleLimits | K::GroupLimits | K::MapLimits | K::MinAboveMax => Clause::S5,
        K::DynamicInSet | K::WriteOnlyInSet => Clause::S6,
        K::NotComputedInComputedBlock | K::ComputedMinItems => Clause::S7,
        // A group is always there.
        K::ComputedGroup => Clause::S5,
        K::NestedTypeGroup => Clause::S8,
        _ => Clause::S1,
    }
}

/// The names that have a meaning in every configuration of a component.
fn reserved(component: Component) -> &'static [&'static str] {
    match component {
        Component::Provider => &["alias", "version"],
        Component::Resource => {
            // The SDK v2 refuses most of them itself (`ReservedResourceFields`). Terraform 1.11.4 loads them all.
            &["connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"]
        }
        _ => &["count", "depends_on", "for_each", "lifecycle", "provider"],
    }
}

/// Problems at any depth that Terraform does not notice.
fn unnoticed(block: &Block, path: &Path, found: &mut Vec<Finding>) {
    attributes(block.attributes(), path, found);
    for (name, nested) in block.block_types() {
        unnoticed(&nested.block, &path.clone().attribute(name.clone()), found);
    }
}

fn attributes(attributes: &[(smol_str::SmolStr, Attribute)], path: &Path, found: &mut Vec<Finding>) {
    for (name, attribute) in attributes {
        let path = path.clone().attribute(name.clone());
        // Terraform's `InternalValidate` checks the names of blocks, but not those of attributes.
        if !is_writable(name) {
            let message = "the name of an attribute has lowercase letters, digits and underscores";
            found.push(Finding::new(Clause::S4, "attribute_name", path.clone(), message).unnoticed());
        }
        if attribute.write_only && attribute.computed {
            let message = "what is write-only is never kept, and cannot be computed";
            found
                .push(Finding::new(Clause::S1, "write_only_and_computed", path.clone(), message).unnoticed());
        }
        if let Some(nested) = attribute.nested() {
            self::attributes(nested.attributes(), &path, found);
        }
    }
}

fn is_writable(name: &str) -> bool {
    let is_allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    name.bytes().all(is_allowed) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_misunderstood_has_its_own_place() {
        let mut schemas = Schemas::default();
        schemas.problems = vec![
            SchemaFault::new("resource type kit_disk: name", SchemaFaultKind::NoType),
            SchemaFault::new("resource type kit_disk: size", SchemaFaultKind::RepeatedName),
            SchemaFault::new("data source kit_thing", SchemaFaultKind::NoBlock),
        ];
        assert_eq!(named(&schemas, Component::Resource), BTreeSet::from(["kit_disk".into()]));
        assert_eq!(named(&schemas, Component::DataSource), BTreeSet::from(["kit_thing".into()]));
        assert!(named(&schemas, Component::Provider).is_empty());
        let found = of_type(&schemas, Component::Resource, "kit_disk");
        let found: Vec<_> = found.iter().map(|found| (found.clause, found.severity)).collect();
        assert_eq!(
            found,
            [
                (Clause::S2, super::super::FindingSeverity::Error),
                (Clause::S4, super::super::FindingSeverity::Unnoticed)
            ]
        );
    }
}
