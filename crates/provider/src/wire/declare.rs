//! Writes schemas and metadata into messages.

use std::collections::BTreeMap;

use objchange::Type;
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestingMode, Schema};
use smol_str::SmolStr;

use super::message::write_diagnostics;
use super::{tfplugin5 as pb5, tfplugin6 as pb};
use crate::call::Capabilities;
use crate::notes::{Description, FunctionNote, Note, Notes};
use crate::schemas::{Function, Parameter, Schemas};
use crate::{Component, Metadata};

type Response = pb::get_provider_schema::Response;
type Response5 = pb5::get_provider_schema::Response;

/// The answer to `GetProviderSchema`: everything that a provider declares, except identities.
pub(crate) fn write_schemas(schemas: &Schemas) -> Response {
    let all = |component| {
        let write = |(name, s): (&str, &Schema)| {
            (name.to_owned(), Writer { notes: &schemas.notes, component, name }.schema(s))
        };
        schemas.named(component).map(write).collect::<BTreeMap<_, _>>()
    };
    let action = |(name, schema)| (name, pb::ActionSchema { schema: Some(schema) });
    let without_notes = Writer { notes: &Notes::default(), component: Component::Provider, name: "" };
    Response {
        provider: all(Component::Provider).into_values().next(),
        resource_schemas: all(Component::Resource),
        data_source_schemas: all(Component::DataSource),
        diagnostics: write_diagnostics(&schemas.diagnostics),
        provider_meta: schemas.meta.as_ref().map(|meta| without_notes.schema(meta)),
        server_capabilities: Some(capabilities(schemas.capabilities)),
        functions: schemas
            .functions
            .iter()
            .map(|(name, f)| (name.to_string(), function(f, schemas.notes.functions.get(name))))
            .collect(),
        ephemeral_resource_schemas: all(Component::EphemeralResource),
        list_resource_schemas: all(Component::ListResource),
        state_store_schemas: all(Component::StateStore),
        action_schemas: all(Component::Action).into_iter().map(action).collect(),
    }
}

/// The schemas for protocol 5. It cannot express nested types, so schemas that use them are left out.
pub(crate) fn write_schemas_5(schemas: &Schemas) -> Response5 {
    let message = write_schemas(schemas);
    let all = |schemas: BTreeMap<String, pb::Schema>| {
        schemas.into_iter().filter_map(|(name, s)| Some((name, schema_5(s)?))).collect()
    };
    let action = |(name, action): (String, pb::ActionSchema)| {
        Some((name, pb5::ActionSchema { schema: Some(schema_5(action.schema?)?) }))
    };
    Response5 {
        provider: message.provider.and_then(schema_5),
        resource_schemas: all(message.resource_schemas),
        data_source_schemas: all(message.data_source_schemas),
        diagnostics: message.diagnostics,
        provider_meta: message.provider_meta.and_then(schema_5),
        server_capabilities: message.server_capabilities,
        functions: message.functions,
        ephemeral_resource_schemas: all(message.ephemeral_resource_schemas),
        list_resource_schemas: all(message.list_resource_schemas),
        action_schemas: message.action_schemas.into_iter().filter_map(action).collect(),
    }
}

/// The identities of resource types.
pub(crate) fn write_identities(schemas: &Schemas) -> pb::get_resource_identity_schemas::Response {
    let identity = |type_name: &SmolStr, s: &Schema| {
        let notes = schemas.notes.identities.get(type_name);
        let attribute = |(name, a): &(SmolStr, Attribute)| pb::resource_identity_schema::IdentityAttribute {
            name: name.to_string(),
            r#type: ty(a.implied_type()),
            required_for_import: a.required,
            optional_for_import: a.optional,
            description: notes.and_then(|notes| notes.get(name)).cloned().unwrap_or_default(),
        };
        let identity_attributes = s.block.attributes().iter().map(attribute).collect();
        pb::ResourceIdentitySchema { version: s.version, identity_attributes }
    };
    pb::get_resource_identity_schemas::Response {
        identity_schemas: schemas
            .identities
            .iter()
            .map(|(name, s)| (name.to_string(), identity(name, s)))
            .collect(),
        diagnostics: Vec::new(),
    }
}

/// The names of everything that a provider has.
pub(crate) fn write_metadata(metadata: &Metadata) -> pb::get_metadata::Response {
    let names = |component| {
        let names = metadata.names.get(&component).into_iter().flatten();
        names.map(|name| pb::get_metadata::TypeMetadata { type_name: name.to_string() }).collect()
    };
    let function = |name: &SmolStr| pb::get_metadata::FunctionMetadata { name: name.to_string() };
    pb::get_metadata::Response {
        server_capabilities: Some(capabilities(metadata.capabilities)),
        diagnostics: write_diagnostics(&metadata.diagnostics),
        data_sources: names(Component::DataSource),
        resources: names(Component::Resource),
        functions: metadata.functions.iter().map(function).collect(),
        ephemeral_resources: names(Component::EphemeralResource),
        list_resources: names(Component::ListResource),
        state_stores: names(Component::StateStore),
        actions: names(Component::Action),
    }
}

/// The metadata for protocol 5, which has no state stores.
pub(crate) fn write_metadata_5(metadata: &Metadata) -> pb5::get_metadata::Response {
    let message = write_metadata(metadata);
    pb5::get_metadata::Response {
        server_capabilities: message.server_capabilities,
        diagnostics: message.diagnostics,
        data_sources: message.data_sources,
        resources: message.resources,
        functions: message.functions,
        ephemeral_resources: message.ephemeral_resources,
        list_resources: message.list_resources,
        actions: message.actions,
    }
}

fn capabilities(capabilities: Capabilities) -> pb::ServerCapabilities {
    pb::ServerCapabilities {
        plan_destroy: capabilities.plan_destroy,
        get_provider_schema_optional: capabilities.schema_optional,
        move_resource_state: capabilities.move_state,
        generate_resource_config: capabilities.generate_config,
    }
}

fn ty(ty: &Type) -> Vec<u8> {
    ty.to_string().into_bytes()
}

/// Writes a schema with its descriptions.
#[derive(Clone, Copy)]
struct Writer<'s> {
    notes: &'s Notes,
    component: Component,
    name: &'s str,
}

impl Writer<'_> {
    fn note(self, path: &[SmolStr]) -> Note {
        self.notes.get(self.component, self.name, path).cloned().unwrap_or_default()
    }

    fn schema(self, schema: &Schema) -> pb::Schema {
        pb::Schema { version: schema.version, block: Some(self.block(&schema.block, false, &[])) }
    }

    fn block(self, block: &Block, computed: bool, path: &[SmolStr]) -> pb::schema::Block {
        let Note { description, deprecated, deprecation } = self.note(path);
        pb::schema::Block {
            attributes: block.attributes().iter().map(|a| self.attribute(a, path)).collect(),
            block_types: block.block_types().iter().map(|b| self.nested_block(b, path)).collect(),
            description_kind: kind(&description),
            description: description.text,
            deprecated,
            deprecation_message: deprecation,
            computed,
            ..Default::default()
        }
    }

    fn attribute(self, (name, attribute): &(SmolStr, Attribute), path: &[SmolStr]) -> pb::schema::Attribute {
        let path = [path, std::slice::from_ref(name)].concat();
        let Note { description, deprecation, .. } = self.note(&path);
        let (plain, nested_type) = match &attribute.ty {
            AttributeType::Plain(plain) => (ty(plain), None),
            AttributeType::Nested(nested) => {
                use pb::schema::object::NestingMode as Mode;
                let nesting = match nested.nesting() {
                    NestingMode::Single => Mode::Single,
                    NestingMode::List => Mode::List,
                    NestingMode::Set => Mode::Set,
                    NestingMode::Map => Mode::Map,
                    _ => Mode::Invalid,
                };
                let attributes = nested.attributes().iter().map(|a| self.attribute(a, &path)).collect();
                let nested = pb::schema::Object { attributes, nesting: nesting as i32, ..Default::default() };
                (Vec::new(), Some(nested))
            }
        };
        pb::schema::Attribute {
            name: name.to_string(),
            r#type: plain,
            nested_type,
            required: attribute.required,
            optional: attribute.optional,
            computed: attribute.computed,
            sensitive: attribute.sensitive,
            write_only: attribute.write_only,
            deprecated: attribute.deprecated,
            description_kind: kind(&description),
            description: description.text,
            deprecation_message: deprecation,
        }
    }

    fn nested_block(
        self,
        (name, nested): &(SmolStr, NestedBlock),
        path: &[SmolStr],
    ) -> pb::schema::NestedBlock {
        let path = [path, std::slice::from_ref(name)].concat();
        use pb::schema::nested_block::NestingMode as Mode;
        let nesting = match nested.nesting {
            NestingMode::Single => Mode::Single,
            NestingMode::List => Mode::List,
            NestingMode::Set => Mode::Set,
            NestingMode::Map => Mode::Map,
            NestingMode::Group => Mode::Group,
            _ => Mode::Invalid,
        };
        pb::schema::NestedBlock {
            type_name: name.to_string(),
            block: Some(self.block(&nested.block, nested.computed, &path)),
            nesting: nesting as i32,
            min_items: nested.min_items.try_into().unwrap_or(i64::MAX),
            max_items: nested.max_items.try_into().unwrap_or(i64::MAX),
        }
    }
}

fn kind(description: &Description) -> i32 {
    let kind = if description.is_markdown { pb::StringKind::Markdown } else { pb::StringKind::Plain };
    kind as i32
}

fn function(function: &Function, note: Option<&FunctionNote>) -> pb::Function {
    let note = note.cloned().unwrap_or_default();
    let parameter = |(position, parameter): (usize, &Parameter)| {
        let description = note.parameters.get(position).cloned().unwrap_or_default();
        pb::function::Parameter {
            name: parameter.name.to_string(),
            r#type: ty(&parameter.ty),
            allow_null_value: parameter.allow_null,
            allow_unknown_values: parameter.allow_unknown,
            description_kind: kind(&description),
            description: description.text,
        }
    };
    let count = function.parameters.len();
    pb::Function {
        parameters: function.parameters.iter().enumerate().map(parameter).collect(),
        variadic_parameter: function.variadic.as_ref().map(|last| parameter((count, last))),
        r#return: Some(pb::function::Return { r#type: ty(&function.returns) }),
        summary: note.summary.clone(),
        description_kind: kind(&note.description),
        description: note.description.text.clone(),
        deprecation_message: note.deprecation.clone(),
    }
}

fn schema_5(schema: pb::Schema) -> Option<pb5::Schema> {
    let block = match schema.block {
        Some(block) => Some(block_5(block)?),
        None => None,
    };
    Some(pb5::Schema { version: schema.version, block })
}

fn block_5(block: pb::schema::Block) -> Option<pb5::schema::Block> {
    let attribute = |a: pb::schema::Attribute| match a.nested_type {
        Some(_) => None,
        None => Some(pb5::schema::Attribute {
            name: a.name,
            r#type: a.r#type,
            description: a.description,
            required: a.required,
            optional: a.optional,
            computed: a.computed,
            sensitive: a.sensitive,
            description_kind: a.description_kind,
            deprecated: a.deprecated,
            write_only: a.write_only,
            deprecation_message: a.deprecation_message,
        }),
    };
    let nested = |b: pb::schema::NestedBlock| {
        Some(pb5::schema::NestedBlock {
            type_name: b.type_name,
            block: Some(block_5(b.block?)?),
            nesting: b.nesting,
            min_items: b.min_items,
            max_items: b.max_items,
        })
    };
    Some(pb5::schema::Block {
        version: block.version,
        attributes: block.attributes.into_iter().map(attribute).collect::<Option<_>>()?,
        block_types: block.block_types.into_iter().map(nested).collect::<Option<_>>()?,
        description: block.description,
        description_kind: block.description_kind,
        deprecated: block.deprecated,
        deprecation_message: block.deprecation_message,
    })
}
