//! Schemas, written into messages.

use std::collections::BTreeMap;

use objchange::Type;
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestingMode, Schema};
use smol_str::SmolStr;

use super::message::write_diagnostics;
use super::{tfplugin5 as pb5, tfplugin6 as pb};
use crate::schemas::{Function, Parameter, Schemas};

type Response = pb::get_provider_schema::Response;
type Response5 = pb5::get_provider_schema::Response;

/// All that a provider has but its identities.
pub(crate) fn write_schemas(schemas: &Schemas) -> Response {
    let all = |schemas: &BTreeMap<SmolStr, Schema>| {
        schemas.iter().map(|(name, s)| (name.to_string(), schema(s))).collect()
    };
    let action =
        |(name, s): (&SmolStr, &Schema)| (name.to_string(), pb::ActionSchema { schema: Some(schema(s)) });
    let capabilities = schemas.capabilities;
    Response {
        provider: schemas.provider.as_ref().map(schema),
        resource_schemas: all(&schemas.resources),
        data_source_schemas: all(&schemas.data_sources),
        diagnostics: write_diagnostics(&schemas.diagnostics),
        provider_meta: schemas.meta.as_ref().map(schema),
        server_capabilities: Some(pb::ServerCapabilities {
            plan_destroy: capabilities.plan_destroy,
            get_provider_schema_optional: capabilities.schema_optional,
            move_resource_state: capabilities.move_state,
            generate_resource_config: capabilities.generate_config,
        }),
        functions: schemas.functions.iter().map(|(name, f)| (name.to_string(), function(f))).collect(),
        ephemeral_resource_schemas: all(&schemas.ephemeral_resources),
        list_resource_schemas: all(&schemas.list_resources),
        state_store_schemas: BTreeMap::new(),
        action_schemas: schemas.actions.iter().map(action).collect(),
    }
}

/// The same for protocol 5. What has nested types there cannot be said in it, and is left out.
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
    let attribute = |(name, a): &(SmolStr, Attribute)| pb::resource_identity_schema::IdentityAttribute {
        name: name.to_string(),
        r#type: ty(a.implied_type()),
        required_for_import: a.required,
        optional_for_import: a.optional,
        description: String::new(),
    };
    let identity = |s: &Schema| pb::ResourceIdentitySchema {
        version: s.version,
        identity_attributes: s.block.attributes().iter().map(attribute).collect(),
    };
    pb::get_resource_identity_schemas::Response {
        identity_schemas: schemas
            .identities
            .iter()
            .map(|(name, s)| (name.to_string(), identity(s)))
            .collect(),
        diagnostics: Vec::new(),
    }
}

fn ty(ty: &Type) -> Vec<u8> {
    ty.to_string().into_bytes()
}

fn schema(schema: &Schema) -> pb::Schema {
    pb::Schema { version: schema.version, block: Some(block(&schema.block, false)) }
}

fn block(block: &Block, computed: bool) -> pb::schema::Block {
    pb::schema::Block {
        attributes: block.attributes().iter().map(attribute).collect(),
        block_types: block.block_types().iter().map(nested_block).collect(),
        computed,
        ..Default::default()
    }
}

fn attribute((name, attribute): &(SmolStr, Attribute)) -> pb::schema::Attribute {
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
            let attributes = nested.attributes().iter().map(self::attribute).collect();
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
        ..Default::default()
    }
}

fn nested_block((name, nested): &(SmolStr, NestedBlock)) -> pb::schema::NestedBlock {
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
        block: Some(block(&nested.block, nested.computed)),
        nesting: nesting as i32,
        min_items: nested.min_items.try_into().unwrap_or(i64::MAX),
        max_items: nested.max_items.try_into().unwrap_or(i64::MAX),
    }
}

fn function(function: &Function) -> pb::Function {
    let parameter = |parameter: &Parameter| pb::function::Parameter {
        name: parameter.name.to_string(),
        r#type: ty(&parameter.ty),
        allow_null_value: parameter.allow_null,
        allow_unknown_values: parameter.allow_unknown,
        ..Default::default()
    };
    pb::Function {
        parameters: function.parameters.iter().map(parameter).collect(),
        variadic_parameter: function.variadic.as_ref().map(parameter),
        r#return: Some(pb::function::Return { r#type: ty(&function.returns) }),
        ..Default::default()
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
