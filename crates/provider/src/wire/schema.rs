//! Reads schemas from messages. Parts that cannot be understood are left out and listed.

use std::collections::{BTreeMap, HashMap};

use objchange::Type;
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode, Schema};
use smol_str::SmolStr;

use crate::{Component, Metadata};

use super::message::read_diagnostics;
use super::{tfplugin5 as pb5, tfplugin6 as pb};
use crate::call::Capabilities;
use crate::notes::{Description, FunctionNote, Note, Notes};
use crate::schemas::{Function, Parameter, SchemaFault, SchemaFaultKind, Schemas};

type Response = pb::get_provider_schema::Response;
type Response5 = pb5::get_provider_schema::Response;

/// All that a provider of protocol 6 declares except identities.
pub(crate) fn read_schemas(message: Response) -> Schemas {
    let mut reader = Reader::default();
    let schemas = Schemas {
        provider: message.provider.and_then(|schema| reader.schema(Component::Provider, "", schema)),
        meta: message.provider_meta.and_then(|schema| reader.meta(schema)),
        resources: reader.schemas(Component::Resource, message.resource_schemas),
        identities: BTreeMap::new(),
        data_sources: reader.schemas(Component::DataSource, message.data_source_schemas),
        ephemeral_resources: reader.schemas(Component::EphemeralResource, message.ephemeral_resource_schemas),
        list_resources: reader.schemas(Component::ListResource, message.list_resource_schemas),
        actions: reader.schemas(
            Component::Action,
            message.action_schemas.into_iter().map(|(name, a)| (name, a.schema.unwrap_or_default())),
        ),
        state_stores: reader.schemas(Component::StateStore, message.state_store_schemas),
        functions: reader.functions(message.functions),
        capabilities: message.server_capabilities.map_or_else(Capabilities::default, capabilities),
        diagnostics: read_diagnostics(message.diagnostics),
        notes: Notes::default(),
        problems: Vec::new(),
    };
    Schemas { problems: reader.faults, notes: reader.notes, ..schemas }
}

/// Reads schemas of protocol 5, whose attributes have no nested types.
pub(crate) fn read_schemas_5(message: Response5) -> Schemas {
    let all =
        |schemas: BTreeMap<String, pb5::Schema>| schemas.into_iter().map(|(n, s)| (n, schema_6(s))).collect();
    read_schemas(Response {
        provider: message.provider.map(schema_6),
        resource_schemas: all(message.resource_schemas),
        data_source_schemas: all(message.data_source_schemas),
        diagnostics: message.diagnostics,
        provider_meta: message.provider_meta.map(schema_6),
        server_capabilities: message.server_capabilities,
        functions: message.functions,
        ephemeral_resource_schemas: all(message.ephemeral_resource_schemas),
        list_resource_schemas: all(message.list_resource_schemas),
        state_store_schemas: BTreeMap::new(),
        action_schemas: message
            .action_schemas
            .into_iter()
            .map(|(name, action)| (name, pb::ActionSchema { schema: action.schema.map(schema_6) }))
            .collect(),
    })
}

fn schema_6(schema: pb5::Schema) -> pb::Schema {
    pb::Schema { version: schema.version, block: schema.block.map(block_6) }
}

fn block_6(block: pb5::schema::Block) -> pb::schema::Block {
    let attribute = |a: pb5::schema::Attribute| pb::schema::Attribute {
        name: a.name,
        r#type: a.r#type,
        description: a.description,
        required: a.required,
        optional: a.optional,
        computed: a.computed,
        sensitive: a.sensitive,
        description_kind: a.description_kind,
        deprecated: a.deprecated,
        nested_type: None,
        write_only: a.write_only,
        deprecation_message: a.deprecation_message,
    };
    let nested = |b: pb5::schema::NestedBlock| pb::schema::NestedBlock {
        type_name: b.type_name,
        block: b.block.map(block_6),
        nesting: b.nesting,
        min_items: b.min_items,
        max_items: b.max_items,
    };
    pb::schema::Block {
        version: block.version,
        attributes: block.attributes.into_iter().map(attribute).collect(),
        block_types: block.block_types.into_iter().map(nested).collect(),
        description: block.description,
        description_kind: block.description_kind,
        deprecated: block.deprecated,
        deprecation_message: block.deprecation_message,
        computed: false,
    }
}

fn capabilities(message: pb::ServerCapabilities) -> Capabilities {
    Capabilities {
        plan_destroy: message.plan_destroy,
        schema_optional: message.get_provider_schema_optional,
        move_state: message.move_resource_state,
        generate_config: message.generate_resource_config,
    }
}

/// Adds the identities of resource types.
pub(crate) fn read_identities(message: pb::get_resource_identity_schemas::Response, schemas: &mut Schemas) {
    let mut reader = Reader::default();
    for (name, identity) in message.identity_schemas {
        reader.place = vec![format!("identity of resource type {name}")];
        let mut attributes = Vec::new();
        for attribute in identity.identity_attributes {
            reader.place.push(attribute.name.clone());
            if !attribute.description.is_empty() {
                let notes = schemas.notes.identities.entry(SmolStr::from(&name)).or_default();
                notes.insert(SmolStr::from(&attribute.name), attribute.description);
            }
            if let Some(ty) = reader.ty(&attribute.r#type) {
                // The message says only whether an import needs the attribute. One that no import takes is for the
                // provider to fill.
                let mut read = Attribute::computed(ty);
                if attribute.required_for_import || attribute.optional_for_import {
                    read.computed = false;
                    read.required = attribute.required_for_import;
                    read.optional = attribute.optional_for_import;
                }
                attributes.push((attribute.name, read));
            }
            reader.place.pop();
        }
        schemas.identities.insert(name.into(), Schema::new(identity.version, Block::new(attributes, [])));
    }
    schemas.problems.append(&mut reader.faults);
    schemas.diagnostics.extend(read_diagnostics(message.diagnostics));
}

fn described(text: String, kind: pb::StringKind) -> Description {
    // An empty text has no kind, whatever the provider sends with it.
    let is_markdown = kind == pb::StringKind::Markdown && !text.is_empty();
    Description { text, is_markdown }
}

fn function_note(message: &pb::Function) -> FunctionNote {
    let description = |parameter: &pb::function::Parameter| {
        described(parameter.description.clone(), parameter.description_kind())
    };
    let mut parameters: Vec<Description> =
        message.parameters.iter().chain(&message.variadic_parameter).map(description).collect();
    while parameters.pop_if(|last| last.text.is_empty()).is_some() {}
    FunctionNote {
        summary: message.summary.clone(),
        description: described(message.description.clone(), message.description_kind()),
        deprecation: message.deprecation_message.clone(),
        parameters,
    }
}

#[derive(Default)]
struct Reader {
    /// The names from the type on.
    place: Vec<String>,
    /// The schema whose notes are kept.
    noted: Option<(Component, SmolStr)>,
    notes: Notes,
    faults: Vec<SchemaFault>,
}

impl Reader {
    fn fault<T>(&mut self, problem: SchemaFaultKind) -> Option<T> {
        self.faults.push(SchemaFault::new(self.place.join(": "), problem));
        None
    }

    fn schemas(
        &mut self,
        component: Component,
        schemas: impl IntoIterator<Item = (String, pb::Schema)>,
    ) -> BTreeMap<SmolStr, Schema> {
        let schemas = schemas.into_iter();
        schemas
            .filter_map(|(name, schema)| Some((SmolStr::from(&name), self.schema(component, &name, schema)?)))
            .collect()
    }

    /// A schema, if all of it can be read. With half of a schema a provider would be judged wrongly.
    fn schema(&mut self, component: Component, name: &str, schema: pb::Schema) -> Option<Schema> {
        self.noted = Some((component, name.into()));
        let what = if component == Component::Provider { "provider" } else { component.noun() };
        let place = if name.is_empty() { what.to_owned() } else { format!("{what} {name}") };
        let read = self.placed(place, schema);
        self.noted = None;
        read
    }

    fn meta(&mut self, schema: pb::Schema) -> Option<Schema> {
        self.placed("provider_meta".to_owned(), schema)
    }

    fn placed(&mut self, place: String, schema: pb::Schema) -> Option<Schema> {
        self.place = vec![place];
        let fatal = |reader: &Self| reader.faults.iter().filter(|fault| fault.problem.is_fatal()).count();
        let faults = fatal(self);
        let block = match schema.block {
            Some(block) => self.block(block),
            None => self.fault(SchemaFaultKind::NoBlock),
        };
        block.filter(|_| fatal(self) == faults).map(|block| Schema::new(schema.version, block))
    }

    /// Adds the note on the current part.
    fn note(&mut self, description: String, kind: pb::StringKind, deprecated: bool, deprecation: String) {
        if let Some((component, name)) = &self.noted {
            let path: Vec<SmolStr> = self.place.iter().skip(1).map(SmolStr::from).collect();
            let description = described(description, kind);
            self.notes.add(*component, name, &path, Note { description, deprecated, deprecation });
        }
    }

    fn block(&mut self, mut message: pb::schema::Block) -> Option<Block> {
        if !message.deprecated && !message.deprecation_message.is_empty() {
            self.fault::<()>(SchemaFaultKind::DeprecationMessage);
        }
        let kind = message.description_kind();
        let deprecation = std::mem::take(&mut message.deprecation_message);
        self.note(std::mem::take(&mut message.description), kind, message.deprecated, deprecation);
        let attributes = self.attributes(message.attributes);
        let mut blocks = Vec::new();
        for nested in message.block_types {
            self.place.push(nested.type_name.clone());
            if let Some(block) = self.nested_block(
                &nested.type_name,
                nested.nesting(),
                nested.block,
                [nested.min_items, nested.max_items],
            ) {
                blocks.push(block);
            }
            self.place.pop();
        }
        let blocks = self.without_repeated(blocks);
        Some(Block::new(attributes, blocks))
    }

    fn nested_block(
        &mut self,
        name: &str,
        nesting: pb::schema::nested_block::NestingMode,
        block: Option<pb::schema::Block>,
        limits: [i64; 2],
    ) -> Option<(SmolStr, NestedBlock)> {
        use pb::schema::nested_block::NestingMode as Mode;
        let nesting = match nesting {
            Mode::Invalid => return self.fault(SchemaFaultKind::InvalidNesting),
            Mode::Single => NestingMode::Single,
            Mode::List => NestingMode::List,
            Mode::Set => NestingMode::Set,
            Mode::Map => NestingMode::Map,
            Mode::Group => NestingMode::Group,
        };
        let [Ok(min_items), Ok(max_items)] = limits.map(u64::try_from) else {
            return self.fault(SchemaFaultKind::NegativeLimit);
        };
        let message = block.unwrap_or_default();
        let computed = message.computed;
        let block = self.block(message)?;
        let mut nested = NestedBlock::new(nesting, block);
        (nested.min_items, nested.max_items, nested.computed) = (min_items, max_items, computed);
        Some((name.into(), nested))
    }

    fn attributes(&mut self, messages: Vec<pb::schema::Attribute>) -> Vec<(SmolStr, Attribute)> {
        let mut attributes = Vec::new();
        for mut message in messages {
            let name = std::mem::take(&mut message.name);
            self.place.push(name.clone());
            if let Some(attribute) = self.attribute(message) {
                attributes.push((name.into(), attribute));
            }
            self.place.pop();
        }
        self.without_repeated(attributes)
    }

    /// Keeps the last part of each name.
    fn without_repeated<T>(&mut self, named: Vec<(SmolStr, T)>) -> Vec<(SmolStr, T)> {
        let mut last: HashMap<SmolStr, usize> = HashMap::new();
        let positions: Vec<_> =
            named.iter().enumerate().map(|(i, (name, _))| last.insert(name.clone(), i)).collect();
        if positions.iter().all(Option::is_none) {
            return named;
        }
        let mut kept = Vec::with_capacity(named.len());
        for (i, (name, part)) in named.into_iter().enumerate() {
            // Terraform loads such a schema, and uses the last part of a name as well.
            if last.get(&name) == Some(&i) {
                kept.push((name, part));
                continue;
            }
            self.place.push(name.to_string());
            self.fault::<()>(SchemaFaultKind::RepeatedName);
            self.place.pop();
        }
        kept
    }

    fn attribute(&mut self, mut message: pb::schema::Attribute) -> Option<Attribute> {
        if !message.deprecated && !message.deprecation_message.is_empty() {
            self.fault::<()>(SchemaFaultKind::DeprecationMessage);
        }
        let kind = message.description_kind();
        let deprecation = std::mem::take(&mut message.deprecation_message);
        self.note(std::mem::take(&mut message.description), kind, false, deprecation);
        let ty = match (message.r#type.is_empty(), message.nested_type) {
            (false, Some(_)) => return self.fault(SchemaFaultKind::TypeAndNestedType),
            (true, None) => return self.fault(SchemaFaultKind::NoType),
            (false, None) => AttributeType::Plain(self.ty(&message.r#type)?),
            (true, Some(nested)) => AttributeType::Nested(self.nested_type(nested)?),
        };
        let mut attribute = Attribute::optional(ty);
        attribute.required = message.required;
        attribute.optional = message.optional;
        attribute.computed = message.computed;
        attribute.sensitive = message.sensitive;
        attribute.write_only = message.write_only;
        attribute.deprecated = message.deprecated;
        Some(attribute)
    }

    fn nested_type(&mut self, message: pb::schema::Object) -> Option<NestedType> {
        use pb::schema::object::NestingMode as Mode;
        let nesting = match message.nesting() {
            Mode::Invalid => return self.fault(SchemaFaultKind::InvalidNesting),
            Mode::Single => NestingMode::Single,
            Mode::List => NestingMode::List,
            Mode::Set => NestingMode::Set,
            Mode::Map => NestingMode::Map,
        };
        Some(NestedType::new(nesting, self.attributes(message.attributes)))
    }

    fn ty(&mut self, json: &[u8]) -> Option<Type> {
        match serde_json::from_slice(json) {
            Ok(ty) => Some(ty),
            Err(_) => self.fault(SchemaFaultKind::InvalidType),
        }
    }

    fn functions(&mut self, messages: BTreeMap<String, pb::Function>) -> BTreeMap<SmolStr, Function> {
        let mut functions = BTreeMap::new();
        for (name, message) in messages {
            self.place = vec![format!("function {name}")];
            let note = function_note(&message);
            if note != FunctionNote::default() {
                self.notes.functions.insert(SmolStr::from(&name), note);
            }
            let parameters: Option<Vec<_>> =
                message.parameters.into_iter().map(|parameter| self.parameter(parameter)).collect();
            let variadic = message.variadic_parameter.map(|parameter| self.parameter(parameter));
            let returns = self.ty(&message.r#return.unwrap_or_default().r#type);
            if let (Some(parameters), Some(returns), None | Some(Some(_))) = (parameters, returns, &variadic)
            {
                functions.insert(name.into(), Function { parameters, variadic: variadic.flatten(), returns });
            }
        }
        functions
    }

    fn parameter(&mut self, message: pb::function::Parameter) -> Option<Parameter> {
        let ty = self.ty(&message.r#type)?;
        let (allow_null, allow_unknown) = (message.allow_null_value, message.allow_unknown_values);
        Some(Parameter { name: message.name.into(), ty, allow_null, allow_unknown })
    }
}

/// Reads the metadata of a provider of protocol 6.
pub(crate) fn read_metadata(message: pb::get_metadata::Response) -> Metadata {
    let names = |all: Vec<pb::get_metadata::TypeMetadata>| {
        let mut names: Vec<SmolStr> = all.into_iter().map(|entry| entry.type_name.into()).collect();
        names.sort();
        names
    };
    let kinds = [
        (Component::Resource, message.resources),
        (Component::DataSource, message.data_sources),
        (Component::EphemeralResource, message.ephemeral_resources),
        (Component::ListResource, message.list_resources),
        (Component::Action, message.actions),
        (Component::StateStore, message.state_stores),
    ];
    let mut functions: Vec<SmolStr> = message.functions.into_iter().map(|entry| entry.name.into()).collect();
    functions.sort();
    let kinds = kinds.into_iter().map(|(component, all)| (component, names(all)));
    Metadata {
        names: kinds.filter(|(_, names)| !names.is_empty()).collect(),
        functions,
        capabilities: message.server_capabilities.map_or_else(Capabilities::default, capabilities),
        diagnostics: read_diagnostics(message.diagnostics),
    }
}

/// Reads the metadata of a provider of protocol 5.
pub(crate) fn read_metadata_5(message: pb5::get_metadata::Response) -> Metadata {
    read_metadata(pb::get_metadata::Response {
        server_capabilities: message.server_capabilities,
        diagnostics: message.diagnostics,
        data_sources: message.data_sources,
        resources: message.resources,
        functions: message.functions,
        ephemeral_resources: message.ephemeral_resources,
        list_resources: message.list_resources,
        state_stores: Vec::new(),
        actions: message.actions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_has_one_name_the_last_counts_and_it_is_told() {
        let attribute = |ty: &str| pb::schema::Attribute {
            name: "x".into(),
            r#type: ty.into(),
            optional: true,
            ..pb::schema::Attribute::default()
        };
        let block = pb::schema::Block {
            attributes: vec![attribute("\"string\""), attribute("\"number\"")],
            ..pb::schema::Block::default()
        };
        let schema = pb::Schema { version: 0, block: Some(block) };
        let schemas = read_schemas(Response {
            resource_schemas: BTreeMap::from([("kit_thing".into(), schema)]),
            ..Response::default()
        });
        let read = &schemas.resources["kit_thing"].block;
        assert_eq!(read.attributes().len(), 1);
        assert_eq!(*read.attribute("x").unwrap().implied_type(), Type::Number);
        let problems: Vec<String> = schemas.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, ["resource type kit_thing: x: the name is used twice there"]);
    }
}
