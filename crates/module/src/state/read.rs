//! Reads state files into [`PriorState`].

use std::collections::BTreeMap;

use data_encoding::BASE64;
use objchange::Value;
use objchange::address::{InstanceAddress, Mode, ResourceAddress};
use objchange::change::{PrivateData, ProviderSecrets};
use objchange::schema::{Schema, SchemaDocumentError, SchemaKind};
use objchange_document::json::{Json, Raw, Reader};
use objchange_document::{DocumentError, ObjectError, State};
use objchange_text::json::place;
use objchange_text::visible;
use smol_str::SmolStr;

use super::{PriorState, StateObject, StateOutput, StateResource};
use crate::diagnostics::PROVIDER;
use crate::marking::mark_kept;
use crate::providers::{Providers, ProvidersExt, SimulatedProviders, StoredObject};
use crate::{Diagnostics, ModuleDiagnostic, ProviderConfigAddress, Schemas, Severity};

/// Why a state cannot be read. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadStateError {
    /// The text is not a state file.
    #[error(transparent)]
    File(#[from] DocumentError),
    /// The object of an instance is not one of its schema.
    #[error("line {}, column {}: {address}: {error}", .error.line, .error.column)]
    Object {
        /// The instance.
        address: String,
        /// The problem, and its place.
        error: ObjectError,
    },
    /// Something about an instance or an output is wrong.
    #[error("line {line}, column {column}: {of}: {problem}")]
    Part {
        /// The line of the values, from 1.
        line: usize,
        /// The column of the values, in bytes from 1.
        column: usize,
        /// The address of the instance, or the output.
        of: String,
        /// The problem.
        problem: StateProblem,
    },
    /// A part is missing that every state file has: somebody has changed or cut it.
    #[error("{0} is missing from this state file, so nobody knows what exists")]
    Cut(&'static str),
    /// A schema cannot be read.
    #[error(transparent)]
    Schema(#[from] SchemaDocumentError),
}

/// A problem with a part of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateProblem {
    /// An address that does not parse.
    #[error("this is not the address of a resource instance")]
    Address,
    /// The provider configuration is not one.
    #[error(
        "its provider configuration is not an address such as provider[\"registry.terraform.io/hashicorp/aws\"]"
    )]
    Provider,
    /// The dependencies are not addresses.
    #[error("its dependencies are not a list of resource addresses")]
    Dependencies,
    /// The private data is not in base 64.
    #[error("its private data is not in base 64")]
    Private,
    /// The state has the object twice.
    #[error("this instance appears multiple times in the state file")]
    Repeated,
    /// The value of an output does not have its type.
    #[error("the value does not have the type that the state file says")]
    Output,
}

impl ReadStateError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::File(error) => error.problem.kind(),
            Self::Object { error, .. } => error.kind.kind(),
            Self::Part { problem, .. } => problem.kind(),
            Self::Cut(_) => "missing_part",
            Self::Schema(error) => error.kind.kind(),
        }
    }
}

impl StateProblem {
    /// The stable name of the problem.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Provider => "provider",
            Self::Dependencies => "dependencies",
            Self::Private => "private",
            Self::Repeated => "repeated",
            Self::Output => "output",
        }
    }
}

impl PriorState {
    /// Reads a state file, with objects of the types that the schemas imply: attributes that a schema lacks are left out,
    /// and those that the state lacks are null.
    ///
    /// Objects of providers without schemas have the types that their JSON looks like: whether it is an error that a
    /// provider's schemas are missing is for the caller to say. Where a provider has schemas, an object of a newer schema
    /// or of an unknown type is an error among the diagnostics, and the instance is [unreadable](Self::unreadable).
    ///
    /// # Errors
    ///
    /// The text is not a state file of version 4, or something in it is broken. Nothing is left out silently.
    ///
    /// ```
    /// use objchange_module::Schemas;
    /// use objchange_module::state::PriorState;
    ///
    /// let text = r#"{"version":4,"lineage":"x","resources":[{"mode":"managed","type":"terraform_data","name":"a",
    ///     "provider":"provider[\"terraform.io/builtin/terraform\"]",
    ///     "instances":[{"attributes":{"id":"1","input":{"value":"x","type":"string"}}}]}]}"#;
    /// let (state, _) = PriorState::read(text, &Schemas::default())?;
    /// assert_eq!(state.resources.len(), 1);
    /// # Ok::<(), objchange_module::state::ReadStateError>(())
    /// ```
    pub fn read(text: &str, schemas: &Schemas) -> Result<(Self, Diagnostics), ReadStateError> {
        Self::from_file(&State::parse_file(text)?, schemas, &mut SimulatedProviders::default())
    }

    /// The state in a state file that was read; providers upgrade objects of older schema versions if they can be asked.
    ///
    /// # Errors
    ///
    /// As for [`Self::read`].
    pub fn from_file(
        file: &State<'_>,
        schemas: &Schemas,
        providers: &mut dyn Providers,
    ) -> Result<(Self, Diagnostics), ReadStateError> {
        if let Some(part) = file.missing_part {
            return Err(ReadStateError::Cut(part));
        }
        let (state, diagnostics) = Default::default();
        let mut reading = Reading { schemas, providers, state, diagnostics };
        for stored in &file.resources {
            reading.object(file, stored)?;
        }
        reading.state.outputs = outputs(file)?;
        Ok((reading.state, reading.diagnostics))
    }
}

/// The outputs of a state file.
pub(crate) fn outputs(file: &State<'_>) -> Result<BTreeMap<SmolStr, StateOutput>, ReadStateError> {
    let read = file.outputs.iter().map(|output| {
        let value = output.ty().and_then(|ty| Value::from_json(output.value.text(), ty).ok());
        let value = value.ok_or_else(|| {
            at(file.text(), output.value, &format!("output.{}", &*output.name), StateProblem::Output)
        })?;
        Ok((output.name.as_str().into(), StateOutput { value, sensitive: output.sensitive }))
    });
    read.collect()
}

fn at(text: &str, raw: Raw<'_>, of: &str, problem: StateProblem) -> ReadStateError {
    let (line, column) = place(text, raw.offset());
    ReadStateError::Part { line, column, of: visible(of).into_owned(), problem }
}

struct Reading<'s> {
    schemas: &'s Schemas,
    providers: &'s mut dyn Providers,
    state: PriorState,
    diagnostics: Diagnostics,
}

impl Reading<'_> {
    fn object(
        &mut self,
        file: &State<'_>,
        stored: &objchange_document::StateResource<'_>,
    ) -> Result<(), ReadStateError> {
        let error = |problem| at(file.text(), stored.values, &stored.address, problem);
        let address: InstanceAddress = stored.address.parse().map_err(|_| error(StateProblem::Address))?;
        let provider: ProviderConfigAddress =
            stored.provider_config.parse().map_err(|_| error(StateProblem::Provider))?;
        let (value, schema_version, lacks_marks) = self.value(file, stored, &address, &provider)?;
        let identity = self.identity(stored, &value, &address, &provider)?;
        let object = StateObject {
            value,
            schema_version,
            identity,
            tainted: stored.tainted,
            private: private(stored.private).ok_or_else(|| error(StateProblem::Private))?,
            dependencies: dependencies(stored.depends_on).ok_or_else(|| error(StateProblem::Dependencies))?,
            create_before_destroy: stored.create_before_destroy,
            lacks_marks,
        };
        let new = || StateResource { provider, instances: BTreeMap::new() };
        let resource = self.state.resources.entry(address.resource).or_insert_with(new);
        let instance = resource.instances.entry(address.key).or_default();
        let replaced = match &stored.deposed {
            Some(key) => instance.deposed.insert(key.as_str().into(), object),
            None => instance.current.replace(object),
        };
        if replaced.is_some() { Err(error(StateProblem::Repeated)) } else { Ok(()) }
    }

    /// The object in the type of its schema, the version of that, and whether the state marks less of it than the schema.
    fn value(
        &mut self,
        file: &State<'_>,
        stored: &objchange_document::StateResource<'_>,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
    ) -> Result<(Value, i64, bool), ReadStateError> {
        let stored_version = i64::try_from(stored.schema_version).unwrap_or(i64::MAX);
        let untyped = |value| (value, stored_version, false);
        let marked = |schema: &Schema, value: &Value| {
            let kept = mark_kept(&schema.block, value);
            // Terraform 1.6.6 wrote no marks of the schema into the state; 1.8.4 does. 1.17-dev writes none of
            // `terraform_data` after the fact.
            let lacks_marks = !provider.provider.is_builtin() && !kept.identical(value);
            (kept, schema.version, lacks_marks)
        };
        let kind = match address.resource.mode {
            Mode::Managed => SchemaKind::Resource,
            Mode::Data => SchemaKind::DataSource,
            Mode::Ephemeral => SchemaKind::EphemeralResource,
        };
        let schema = self.schemas.get(&provider.provider, kind, &stored.resource_type)?;
        let is_managed = address.resource.mode == Mode::Managed;
        let Some(schema) = schema else {
            if is_managed && self.schemas.has_provider(&provider.provider) {
                let summary = format!(
                    "no schema available for {address} while reading state; this is a bug in Terraform and should \
                     be reported"
                );
                self.unreadable(address, summary, "");
            }
            return Ok(untyped(file.untyped_object(stored)?));
        };
        if is_managed && is_newer(stored.schema_version, schema) {
            self.too_new(address, provider);
            return Ok(untyped(file.untyped_object(stored)?));
        }
        let read = file.upgraded_object(stored, &schema.block);
        if provider.provider.is_builtin() {
            self.note_unread(address, stored.values, schema);
        }
        if is_managed {
            let stored_object = StoredObject {
                address: &stored.address,
                resource_type: &stored.resource_type,
                schema,
                version: stored_version,
                text: stored.values.text(),
                is_flat: stored.is_flat,
                // Only if the versions match does Terraform leave out what the schema lacks before it asks for the upgrade.
                value: read.as_ref().ok().filter(|_| stored_version == schema.version),
            };
            let mut secrets = ProviderSecrets::default();
            match &read {
                Ok(value) => secrets.learn(&schema.block, value),
                Err(_) => secrets.learn_marked(&file.untyped_object(stored)?),
            }
            // Terraform calls `UpgradeResourceState` for each object, also if its version is that of the schema.
            match self.providers.upgrade(provider, stored_object) {
                None => {}
                Some(Ok((value, warnings))) => {
                    self.provider_diagnostics(address, secrets.hide_all(warnings));
                    let value = file.with_marks(&value, stored).map_err(|error| ReadStateError::Object {
                        address: visible(&stored.address).into_owned(),
                        error,
                    })?;
                    return Ok(marked(schema, &value));
                }
                Some(Err(errors)) => {
                    self.provider_diagnostics(address, secrets.hide_all(errors));
                    self.state.unreadable.insert(address.clone());
                    return Ok(untyped(file.untyped_object(stored)?));
                }
            }
        }
        match read {
            Ok(value) => Ok(marked(schema, &value)),
            // A data source is read again, so its stored value does not matter.
            Err(_) if !is_managed => Ok(untyped(file.untyped_object(stored)?)),
            Err(error) => {
                Err(ReadStateError::Object { address: visible(&stored.address).into_owned(), error })
            }
        }
    }

    /// Notes what an object has and its schema lacks: another version of Terraform has written it.
    fn note_unread(&mut self, address: &InstanceAddress, values: Raw<'_>, schema: &Schema) {
        let Ok(json) = Json::read(&values) else { return };
        let view = json.view();
        let is_known =
            |name: &str| schema.block.attribute(name).is_some() || schema.block.block_type(name).is_some();
        let members = view.members();
        let unread = members.iter().filter(|(name, value)| !is_known(name) && !value.is_null());
        let unread: Vec<String> = unread.map(|(name, _)| name.to_string()).collect();
        if !unread.is_empty() {
            self.state.unread_members.insert(address.clone(), unread);
        }
    }

    fn provider_diagnostics(&mut self, address: &InstanceAddress, found: Vec<objchange::change::Diagnostic>) {
        for diagnostic in found {
            let severity = match diagnostic.severity {
                objchange::change::Severity::Error => Severity::Error,
                _ => Severity::Warning,
            };
            self.diagnostics.add(ModuleDiagnostic::new(
                objchange_hcl::Diagnostic {
                    severity,
                    ..objchange_hcl::Diagnostic::new((PROVIDER, diagnostic.summary), None, diagnostic.detail)
                },
                Some(address.to_string()),
            ));
        }
    }

    /// The identity of an object in the type of its schema. Terraform takes no notice of one whose type has none.
    fn identity(
        &mut self,
        stored: &objchange_document::StateResource<'_>,
        object: &Value,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
    ) -> Result<Option<Value>, ReadStateError> {
        let text = stored.identity.text();
        if text == "null" || self.state.unreadable.contains(address) {
            return Ok(None);
        }
        let schemas = self.schemas;
        let schema = schemas.get(&provider.provider, SchemaKind::Identity, &stored.resource_type)?;
        let Some(schema) = schema else { return Ok(None) };
        if is_newer(stored.identity_version, schema) {
            self.too_new(address, provider);
            return Ok(None);
        }
        let stored_version = i64::try_from(stored.identity_version).unwrap_or(i64::MAX);
        if stored_version < schema.version {
            // A message of the provider may repeat secrets of the object.
            let mut secrets = ProviderSecrets::default();
            secrets.learn_marked(object);
            return Ok(
                match self.providers.upgrade_identity(provider, &stored.resource_type, stored_version, text) {
                    None => None,
                    Some(Ok((identity, warnings))) => {
                        self.provider_diagnostics(address, secrets.hide_all(warnings));
                        Some(identity)
                    }
                    Some(Err(errors)) => {
                        self.provider_diagnostics(address, secrets.hide_all(errors));
                        self.state.unreadable.insert(address.clone());
                        None
                    }
                },
            );
        }
        match Value::from_json(text, schema.block.implied_type()) {
            Ok(identity) => Ok(Some(identity)),
            Err(error) => {
                let summary = format!(
                    "failed to decode identity: {error}. This is most likely a bug in the Provider, providers must not \
                     change the identity schema without updating the identity schema version"
                );
                self.unreadable(address, summary, "");
                Ok(None)
            }
        }
    }

    fn too_new(&mut self, address: &InstanceAddress, provider: &ProviderConfigAddress) {
        let summary = "Resource instance managed by newer provider version".to_owned();
        let detail = format!(
            "The current state of {address} was created by a newer provider version than is currently selected. Upgrade the \
             {} provider to work with this state.",
            provider.provider.name
        );
        self.unreadable(address, summary, &detail);
    }

    fn unreadable(&mut self, address: &InstanceAddress, summary: String, detail: &str) {
        self.diagnostics.without_place(Severity::Error, ("state_of_resource", summary), detail.to_owned());
        self.state.unreadable.insert(address.clone());
    }
}

fn is_newer(version: u64, schema: &Schema) -> bool {
    i64::try_from(version).is_ok_and(|version| version > schema.version) || i64::try_from(version).is_err()
}

fn private(raw: Raw<'_>) -> Option<PrivateData> {
    let json = Json::read(&raw).ok()?;
    if json.view().is_null() {
        return Some(PrivateData::default());
    }
    BASE64.decode(json.view().as_str()?.as_bytes()).ok().map(PrivateData)
}

/// The addresses of resources, which have no keys.
fn dependencies(raw: Raw<'_>) -> Option<Vec<ResourceAddress>> {
    let mut all = Vec::new();
    let mut reader: Reader<'_> = raw.reader();
    if raw.text() == "null" {
        return Some(all);
    }
    reader
        .elements(|reader| {
            let not_one = |reader: &Reader<'_>| reader.error("this is not the address of a resource");
            if reader.peek() != Some(b'"') {
                return Err(not_one(reader));
            }
            let text = reader.string()?;
            let address: InstanceAddress = text.parse().map_err(|_| not_one(reader))?;
            all.push(address.resource);
            Ok::<(), objchange_document::json::JsonError>(())
        })
        .ok()?;
    Some(all)
}
