//! Checks and helpers for single resources, independent of their instances.

use objchange::address::{InstanceAddress, InstanceKey, ModuleAddress, ResourceAddress};
use objchange::schema::Block;
use objchange::value::{Marks, Path, PathStep};
use objchange::{Value, change::IgnoreChanges};
use objchange_hcl::{
    Attribute, Body, Decoded, Diagnostic, LifecycleConfig, ResourceName, Span, did_you_mean,
};

use crate::{Diagnostics, ModuleDiagnostic};

/// The address of a resource in a module.
pub(crate) fn resource_address(module: &ModuleAddress, name: &ResourceName) -> ResourceAddress {
    ResourceAddress {
        module: module.clone(),
        mode: name.mode,
        resource_type: name.resource_type.to_string(),
        name: name.name.to_string(),
    }
}

/// The address of an instance of a resource in a module.
pub(crate) fn instance_address(
    module: &ModuleAddress,
    name: &ResourceName,
    key: Option<InstanceKey>,
) -> InstanceAddress {
    InstanceAddress { resource: resource_address(module, name), key }
}

/// Ephemeral values in what has to be kept, each with its place.
pub(crate) fn ephemeral_refusals(
    address: &str,
    schema: &Block,
    value: &Value,
    place: impl Fn(&Path) -> Span,
) -> Diagnostics {
    let mut found = Diagnostics::default();
    if !value.marks_deep().contains(Marks::EPHEMERAL) {
        return found;
    }
    let (_, marks) = value.unmark_deep_with_paths();
    for (path, marks) in marks {
        if !marks.contains(Marks::EPHEMERAL) || is_write_only(schema, &path) {
            continue;
        }
        let Some(PathStep::Attribute(name)) = path.steps().first() else { continue };
        let whole = Path::root().attribute(name.clone());
        let (span, why) = match schema.block_type(name) {
            Some(_) => (place(&Path::root().attribute("")), "it is not an assignable attribute."),
            None => (place(&whole), "it is not a write-only attribute and must be persisted to state."),
        };
        let detail = format!("Ephemeral values are not valid for {:?}, because {why}", name.as_str());
        found.add(ModuleDiagnostic::new(
            Diagnostic::new("Invalid use of ephemeral value", span, detail),
            Some(address.to_owned()),
        ));
    }
    found
}

/// A value with nulls in place of ephemeral parts, as plans have those of write-only arguments.
pub(crate) fn without_ephemeral(value: &Value) -> Value {
    if !value.marks_deep().contains(Marks::EPHEMERAL) {
        return value.clone();
    }
    let kept = value.transform(|_, part: Value| {
        Ok::<_, std::convert::Infallible>(match part.marks().contains(Marks::EPHEMERAL) {
            true => Value::null(part.ty().clone()),
            false => part,
        })
    });
    let Ok(kept) = kept;
    kept
}

/// The span of the value at a path: after the equals sign, or the block that lacks it.
pub(crate) fn value_place(body: &Body, decoded: &Decoded<'_>, path: &Path) -> Span {
    let place = decoded.place(path);
    value_within(body, place).unwrap_or(place)
}

fn value_within(body: &Body, place: Span) -> Option<Span> {
    let whole = |attribute: &&Attribute| attribute.name_span.to(attribute.expr.span) == place;
    let own = body.attributes.iter().find(whole).map(|attribute| attribute.expr.span);
    own.or_else(|| body.blocks.iter().find_map(|block| value_within(&block.body, place)))
}

/// Whether the value at a path is never kept.
fn is_write_only(schema: &Block, path: &Path) -> bool {
    let mut block = schema;
    for step in path.steps() {
        let PathStep::Attribute(name) = step else { continue };
        match (block.attribute(name), block.block_type(name)) {
            (Some(attribute), _) => return attribute.write_only,
            (None, Some(nested)) => block = &nested.block,
            (None, None) => return false,
        }
    }
    false
}

/// Checks the paths of `ignore_changes`.
pub(crate) fn ignore_changes_problems(
    lifecycle: &LifecycleConfig,
    schema: &Block,
    type_span: Span,
) -> Diagnostics {
    let mut found = Diagnostics::default();
    let IgnoreChanges::Paths(paths) = &lifecycle.ignore_changes else { return found };
    for (path, span) in paths.iter().zip(&lifecycle.ignore_changes_spans) {
        let Some(PathStep::Attribute(name)) = path.steps().first() else { continue };
        match schema.attribute(name) {
            Some(attribute) if attribute.computed && !attribute.optional => {
                let detail = format!(
                    "Adding an attribute name to ignore_changes tells Terraform to ignore future changes to the argument in \
                     configuration after the object has been created, retaining the value originally configured.\n\nThe \
                     attribute {name} is decided by the provider alone and therefore there can be no configured value to \
                     compare with. Including this attribute in ignore_changes has no effect. Remove the attribute from \
                     ignore_changes to quiet this warning."
                );
                // Since the attribute is only computed, configuration cannot change it. An attribute that the
                // schema lacks is an error (Terraform 1.11.4).
                found.warning("Redundant ignore_changes element", type_span, detail);
            }
            Some(_) => {}
            None if schema.block_type(name).is_some() => {}
            None => {
                let names = schema.attributes().iter().map(|(name, _)| name.as_str());
                let mut names: Vec<&str> =
                    names.chain(schema.block_types().iter().map(|(name, _)| name.as_str())).collect();
                names.sort_unstable();
                let detail = format!(
                    "This object has no argument, nested block, or exported attribute named {:?}.{}",
                    name.as_str(),
                    did_you_mean(name, names)
                );
                found.error("Unsupported attribute", *span, detail);
            }
        }
    }
    found
}
