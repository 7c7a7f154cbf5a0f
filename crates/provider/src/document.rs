//! The document of `terraform providers schema -json`.

use std::collections::BTreeMap;

use objchange::Type;
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestingMode, Schema};
use serde::Serialize;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use crate::notes::{Description, Note};
use crate::schemas::{Function, Parameter};
use crate::{Component, Schemas};

/// The version of the document's form.
// Terraform 1.11.4 writes this version.
const FORMAT_VERSION: &str = "1.0";

/// The schemas of providers in the form of `terraform providers schema -json`, by the addresses of the providers.
///
/// ```
/// use objchange::schema::ProviderSchemas;
/// use objchange_conform::kit::Kit;
/// use objchange_provider::{ProviderExt, schema_document};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let schemas = Kit::default().schemas().await?;
/// let document = ProviderSchemas::parse(schema_document([("example.com/test/kit", &*schemas)]))?;
/// assert_eq!(document.providers().collect::<Vec<_>>(), ["example.com/test/kit"]);
/// # Ok(())
/// # }
/// ```
pub fn schema_document<'s>(providers: impl IntoIterator<Item = (&'s str, &'s Schemas)>) -> String {
    let provider_schemas =
        providers.into_iter().map(|(address, schemas)| (address, provider(schemas))).collect();
    let document = Document { format_version: FORMAT_VERSION, provider_schemas };
    // Maps with text for keys, and nothing that could fail to be written.
    serde_json::to_string(&document).unwrap_or_default()
}

/// A block by itself, without descriptions.
pub(crate) fn block_json(block: &Block) -> Box<RawValue> {
    let schemas = Schemas::default();
    let writer = Writer { schemas: &schemas, component: Component::Resource, name: "" };
    let text = serde_json::value::to_raw_value(&writer.block(block, &mut Vec::new()));
    text.unwrap_or_else(|_| RawValue::NULL.to_owned())
}

// Sorted, as Go writes maps.
type Named<'s, T> = BTreeMap<&'s str, T>;

#[derive(Serialize)]
struct Document<'s> {
    format_version: &'static str,
    provider_schemas: Named<'s, ProviderEntry<'s>>,
}

#[derive(Serialize)]
struct ProviderEntry<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<SchemaEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    resource_schemas: Named<'s, SchemaEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    data_source_schemas: Named<'s, SchemaEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    ephemeral_resource_schemas: Named<'s, SchemaEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    list_resource_schemas: Named<'s, SchemaEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    functions: Named<'s, FunctionEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    resource_identity_schemas: Named<'s, IdentityEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    action_schemas: Named<'s, ActionEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    state_store_schemas: Named<'s, SchemaEntry<'s>>,
}

#[derive(Serialize)]
struct SchemaEntry<'s> {
    version: i64,
    block: BlockEntry<'s>,
}

#[derive(Serialize)]
struct ActionEntry<'s> {
    block: BlockEntry<'s>,
}

#[derive(Serialize)]
struct BlockEntry<'s> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: Named<'s, AttributeEntry<'s>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    block_types: Named<'s, NestedBlockEntry<'s>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'s str,
    description_kind: &'static str,
    #[serde(skip_serializing_if = "is_unset")]
    deprecated: bool,
}

#[derive(Serialize)]
struct AttributeEntry<'s> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    ty: Option<&'s Type>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested_type: Option<NestedTypeEntry<'s>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'s str,
    description_kind: &'static str,
    #[serde(skip_serializing_if = "is_unset")]
    deprecated: bool,
    #[serde(skip_serializing_if = "is_unset")]
    required: bool,
    #[serde(skip_serializing_if = "is_unset")]
    optional: bool,
    #[serde(skip_serializing_if = "is_unset")]
    computed: bool,
    #[serde(skip_serializing_if = "is_unset")]
    sensitive: bool,
    #[serde(skip_serializing_if = "is_unset")]
    write_only: bool,
}

#[derive(Serialize)]
struct NestedTypeEntry<'s> {
    attributes: Named<'s, AttributeEntry<'s>>,
    nesting_mode: NestingMode,
}

#[derive(Serialize)]
struct NestedBlockEntry<'s> {
    nesting_mode: NestingMode,
    block: BlockEntry<'s>,
    #[serde(skip_serializing_if = "is_zero")]
    min_items: u64,
    #[serde(skip_serializing_if = "is_zero")]
    max_items: u64,
    #[serde(skip_serializing_if = "is_unset")]
    computed: bool,
}

#[derive(Serialize)]
struct FunctionEntry<'s> {
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'s str,
    #[serde(skip_serializing_if = "str::is_empty")]
    summary: &'s str,
    #[serde(skip_serializing_if = "str::is_empty")]
    deprecation_message: &'s str,
    return_type: &'s Type,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<ParameterEntry<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variadic_parameter: Option<ParameterEntry<'s>>,
}

#[derive(Serialize)]
struct ParameterEntry<'s> {
    name: &'s str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'s str,
    #[serde(skip_serializing_if = "is_unset")]
    is_nullable: bool,
    #[serde(rename = "type")]
    ty: &'s Type,
}

#[derive(Serialize)]
struct IdentityEntry<'s> {
    version: i64,
    attributes: Named<'s, IdentityAttributeEntry<'s>>,
}

#[derive(Serialize)]
struct IdentityAttributeEntry<'s> {
    #[serde(rename = "type")]
    ty: &'s Type,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'s str,
    #[serde(skip_serializing_if = "is_unset")]
    required_for_import: bool,
    #[serde(skip_serializing_if = "is_unset")]
    optional_for_import: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how it is called")]
fn is_unset(flag: &bool) -> bool {
    !flag
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how it is called")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn provider(schemas: &Schemas) -> ProviderEntry<'_> {
    let all = |component| {
        let written = move |(name, schema)| (name, Writer { schemas, component, name }.schema(schema));
        schemas.named(component).map(written)
    };
    ProviderEntry {
        provider: all(Component::Provider).next().map(|(_, schema)| schema),
        resource_schemas: all(Component::Resource).collect(),
        data_source_schemas: all(Component::DataSource).collect(),
        ephemeral_resource_schemas: all(Component::EphemeralResource).collect(),
        list_resource_schemas: all(Component::ListResource).collect(),
        functions: schemas
            .functions
            .iter()
            .map(|(name, f)| (name.as_str(), function(schemas, name, f)))
            .collect(),
        resource_identity_schemas: schemas
            .identities
            .iter()
            .map(|(name, schema)| (name.as_str(), identity(schemas, name, schema)))
            .collect(),
        action_schemas: all(Component::Action)
            .map(|(name, entry)| (name, ActionEntry { block: entry.block }))
            .collect(),
        state_store_schemas: all(Component::StateStore).collect(),
    }
}

/// The place in the schemas of the part that is written.
#[derive(Clone, Copy)]
struct Writer<'s> {
    schemas: &'s Schemas,
    component: Component,
    name: &'s str,
}

impl<'s> Writer<'s> {
    fn note(self, path: &[SmolStr]) -> Option<&'s Note> {
        self.schemas.notes.get(self.component, self.name, path)
    }

    fn schema(self, schema: &'s Schema) -> SchemaEntry<'s> {
        SchemaEntry { version: schema.version, block: self.block(&schema.block, &mut Vec::new()) }
    }

    fn block(self, block: &'s Block, path: &mut Vec<SmolStr>) -> BlockEntry<'s> {
        let note = self.note(path);
        let (description, description_kind) = described(note.map(|note| &note.description));
        BlockEntry {
            attributes: self.attributes(block.attributes(), path),
            block_types: block
                .block_types()
                .iter()
                .map(|(name, nested)| (name.as_str(), self.nested_block(name, nested, path)))
                .collect(),
            description,
            description_kind,
            deprecated: note.is_some_and(|note| note.deprecated),
        }
    }

    fn nested_block(
        self,
        name: &SmolStr,
        nested: &'s NestedBlock,
        path: &mut Vec<SmolStr>,
    ) -> NestedBlockEntry<'s> {
        path.push(name.clone());
        let block = self.block(&nested.block, path);
        path.pop();
        let NestedBlock { nesting: nesting_mode, min_items, max_items, computed, .. } = *nested;
        NestedBlockEntry { nesting_mode, block, min_items, max_items, computed }
    }

    fn attributes(
        self,
        attributes: &'s [(SmolStr, Attribute)],
        path: &mut Vec<SmolStr>,
    ) -> Named<'s, AttributeEntry<'s>> {
        attributes.iter().map(|(name, a)| (name.as_str(), self.attribute(name, a, path))).collect()
    }

    fn attribute(
        self,
        name: &SmolStr,
        attribute: &'s Attribute,
        path: &mut Vec<SmolStr>,
    ) -> AttributeEntry<'s> {
        path.push(name.clone());
        let (ty, nested_type) = match &attribute.ty {
            AttributeType::Plain(ty) => (Some(ty), None),
            AttributeType::Nested(nested) => {
                let attributes = self.attributes(nested.attributes(), path);
                (None, Some(NestedTypeEntry { attributes, nesting_mode: nested.nesting() }))
            }
        };
        let (description, description_kind) = described(self.note(path).map(|note| &note.description));
        path.pop();
        AttributeEntry {
            ty,
            nested_type,
            description,
            description_kind,
            deprecated: attribute.deprecated,
            required: attribute.required,
            optional: attribute.optional,
            computed: attribute.computed,
            sensitive: attribute.sensitive,
            write_only: attribute.write_only,
        }
    }
}

fn described(description: Option<&Description>) -> (&str, &'static str) {
    match description {
        Some(description) => (&description.text, if description.is_markdown { "markdown" } else { "plain" }),
        None => ("", "plain"),
    }
}

fn function<'s>(schemas: &'s Schemas, name: &str, function: &'s Function) -> FunctionEntry<'s> {
    let note = schemas.notes.functions.get(name);
    let parameter = |(position, parameter): (usize, &'s Parameter)| ParameterEntry {
        name: &parameter.name,
        description: note.and_then(|note| note.parameters.get(position)).map_or("", |said| &said.text),
        is_nullable: parameter.allow_null,
        ty: &parameter.ty,
    };
    FunctionEntry {
        description: note.map_or("", |note| &note.description.text),
        summary: note.map_or("", |note| &note.summary),
        deprecation_message: note.map_or("", |note| &note.deprecation),
        return_type: &function.returns,
        parameters: function.parameters.iter().enumerate().map(parameter).collect(),
        variadic_parameter: function
            .variadic
            .as_ref()
            .map(|last| parameter((function.parameters.len(), last))),
    }
}

fn identity<'s>(schemas: &'s Schemas, name: &str, schema: &'s Schema) -> IdentityEntry<'s> {
    let notes = schemas.notes.identities.get(name);
    let attribute = |(name, attribute): &'s (SmolStr, Attribute)| {
        let entry = IdentityAttributeEntry {
            ty: attribute.implied_type(),
            description: notes.and_then(|notes| notes.get(name)).map_or("", String::as_str),
            required_for_import: attribute.required,
            optional_for_import: attribute.optional,
        };
        (name.as_str(), entry)
    };
    IdentityEntry {
        version: schema.version,
        attributes: schema.block.attributes().iter().map(attribute).collect(),
    }
}
