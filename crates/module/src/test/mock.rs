//! Answers for the providers of a run: mocks, overrides, and simulations for all others.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use objchange::address::Mode;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, Provider,
    ProviderError, SimulatedProvider, planned_data_resource,
};
use objchange::schema::{Block, Schema, SchemaKind};
use objchange::value::{Kind, Path, PathStep};
use objchange::{Type, Value};
use objchange_hcl::{Functions, MockData, MockProvider, OverrideDuring, Span};
use objchange_model::ProviderModel;
use smol_str::SmolStr;

use super::assumed::{Assumed, not_given};
use super::overrides::{GivenValues, Overrides, constant_of, whole};
use super::typing::Typing;
use crate::apply::{FillError, FillProblem, GeneratedValues, InventingProviders};
use crate::plan::ImportedBy;
use crate::providers::{
    DataAnswer, ImportAnswer, ProviderCall, ProviderObject, ProviderReply, ProviderRules, Providers,
    ProvidersExt, with_attributes,
};
use crate::{Diagnostics, ProviderAddress, ProviderConfigAddress};

/// A mocked provider.
#[derive(Debug, Default)]
pub(super) struct Mock {
    /// The values for a type, by its mode and name.
    types: HashMap<(Mode, SmolStr), GivenValues>,
}

impl Mock {
    /// Reads a mock provider with all of its data; the first definition for a type wins. Returns also errors in its
    /// values.
    pub(super) fn new(
        provider: &MockProvider,
        data: &[MockData],
        functions: &Functions,
        place: impl Fn(Span) -> String,
    ) -> (Self, Diagnostics) {
        let mut found = Diagnostics::default();
        let mut mock = Self::default();
        for object in data.iter().flat_map(|data| &data.objects) {
            // Blocks come in order of precedence, so the first of a type counts.
            let key = (object.mode, object.type_name.clone());
            if mock.types.contains_key(&key) {
                continue;
            }
            let span = object.defaults.as_ref().map(whole);
            let values =
                object.defaults.as_ref().and_then(|defaults| constant_of(defaults, functions, &mut found));
            let given = GivenValues {
                values,
                place: span.map(&place).unwrap_or_default(),
                during: object.during.or(provider.during).unwrap_or_default(),
            };
            mock.types.insert(key, given);
        }
        (mock, found)
    }
}

/// Answers for the providers of a run.
pub(super) struct TestProviders<'r> {
    /// Answers for everything that is neither mocked nor overridden.
    pub(super) others: InventingProviders<'r>,
    pub(super) mocks: HashMap<ProviderConfigAddress, &'r Mock>,
    pub(super) overrides: &'r Overrides,
    pub(super) models: &'r BTreeMap<ProviderAddress, ProviderModel>,
    /// The providers whose schemas are assumed, and how their values are read.
    pub(super) assumed: &'r Assumed,
    pub(super) typing: Typing,
    pub(super) rules: Option<&'r dyn ProviderRules>,
    /// The rules are those of 1.15.
    pub(super) is_new: bool,
    /// Ephemeral resources of mocked providers are mocked, too.
    pub(super) mocks_ephemeral: bool,
}

/// The source of an object.
enum Source<'m> {
    /// Its provider.
    Provider,
    /// A mock or an override, with what is given for it.
    Given(Option<&'m GivenValues>),
}

impl TestProviders<'_> {
    fn source(
        &self,
        provider: &ProviderConfigAddress,
        mode: Mode,
        type_name: &str,
        address: &str,
    ) -> Source<'_> {
        // Terraform never asks the provider about an overridden resource, mocked or not.
        if let Some(given) = self.overrides.find(provider, address) {
            return Source::Given(Some(given));
        }
        match self.mocks.get(provider) {
            Some(mock) => Source::Given(mock.types.get(&(mode, SmolStr::new(type_name)))),
            None => Source::Provider,
        }
    }

    /// The object with values for what is unknown. Where the schema is assumed, made-up texts take the place of nulls that
    /// nothing gives: `id` and `arn` are not null.
    fn completed(
        &self,
        provider: &ProviderConfigAddress,
        schema: &Block,
        object: &Value,
        given: Option<&GivenValues>,
        address: &str,
    ) -> Result<Value, Diagnostic> {
        let completed = self.completed_with(self.others.values, schema, object, given, address)?;
        if !self.is_assumed(provider) {
            return Ok(completed);
        }
        let texts = object.as_object().into_iter().flat_map(objchange::value::Object::iter);
        let texts = texts.filter(|(name, value)| !value.is_known() && self.assumed.is_text(name));
        let texts: Vec<(&str, Value)> = texts
            .filter(|(name, _)| completed.attribute(name).is_some_and(Value::is_null))
            .map(|(name, _)| {
                let path = Path::root().attribute(name.clone());
                (name.as_str(), self.others.values.text_for(address, &path))
            })
            .collect();
        Ok(with_attributes(&completed, &texts))
    }

    fn is_assumed(&self, provider: &ProviderConfigAddress) -> bool {
        self.assumed.providers.contains(&provider.provider)
    }

    /// Remembers which parts of an object neither its configuration nor a mock gives, where the schema is assumed.
    fn note_not_given(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Block,
        config: &Value,
    ) {
        if !self.is_assumed(provider) {
            return;
        }
        let given = match self.source(provider, mode_of(address), &type_of(address), address) {
            Source::Given(given) => given.and_then(|given| given.values.as_ref()),
            // Nothing is known of an object that nothing mocks.
            Source::Provider => None,
        };
        let paths = not_given(schema, config, given);
        self.others.note_invented(address, paths);
    }

    /// Completes the object with these generated values.
    fn completed_with(
        &self,
        generated: GeneratedValues,
        schema: &Block,
        object: &Value,
        given: Option<&GivenValues>,
        address: &str,
    ) -> Result<Value, Diagnostic> {
        let values = given.and_then(|given| given.values.as_ref());
        if let Some(values) = values.filter(|values| values.as_object().is_none()) {
            let mut error = Diagnostic::error("Invalid replacement value");
            error.detail = format!(
                "The requested replacement value must be an object type, but was {}.",
                values.ty().friendly_name()
            );
            return Err(error);
        }
        let mut invented = Vec::new();
        let filled = generated.fill(schema, object, values, address, &mut invented);
        let place = given.map(|given| given.place.as_str()).unwrap_or_default();
        filled.map_err(|error| self.wrong(&error, place))
    }

    fn wrong(&self, FillError { path, problem }: &FillError, place: &str) -> Diagnostic {
        let attribute = match self.is_new {
            true => path.suffix().to_string(),
            false => {
                let names = path.steps().iter().filter_map(|step| match step {
                    PathStep::Attribute(name) => Some(name.as_str()),
                    _ => None,
                });
                names.collect::<Vec<_>>().join(".")
            }
        };
        let mut error = Diagnostic::error("Failed to compute attribute");
        error.detail = match problem {
            FillProblem::Conversion { wanted, reason, found } => {
                let found = match self.is_new && reason.ends_with(" required") {
                    true => format!(", but have {found}"),
                    false => String::new(),
                };
                format!(
                    "Terraform could not compute a value for the target type {wanted} with the mocked data defined at {place} \
                     with the attribute {attribute:?}: {reason}{found}."
                )
            }
            FillProblem::NotAnObject(found) => format!(
                "Terraform expected an object type for attribute {attribute:?} defined within the mocked data at {place}, but \
                 found {found}."
            ),
        };
        error.path = Some(path.clone());
        error
    }
}

/// The mode of an instance whose address is this.
fn mode_of(address: &str) -> Mode {
    let parsed = address.parse::<objchange::address::InstanceAddress>();
    parsed.map_or(Mode::Managed, |address| address.resource.mode)
}

/// The type of an instance whose address is this.
fn type_of(address: &str) -> SmolStr {
    let parsed = address.parse::<objchange::address::InstanceAddress>();
    parsed.map(|address| address.resource.resource_type.into()).unwrap_or_default()
}

/// Errors about values that a provider refuses by its model.
fn refused_by(
    model: &ProviderModel,
    provider: &ProviderAddress,
    type_name: &str,
    config: &Value,
) -> Vec<Diagnostic> {
    let Some(of_type) = model.of_type_without_schema(type_name) else { return Vec::new() };
    let version = model.info.version.as_deref().unwrap_or("(version not known)");
    let refused = of_type.refused(config).into_iter();
    let errors = refused.map(|(path, accepted)| {
        let mut error = Diagnostic::error("The provider refuses this value");
        let accepted = objchange_text::listed(&accepted[..accepted.len().min(MAX_LISTED)], accepted.len());
        error.detail = format!(
            "{} {version} accepted {accepted} here when it was learned. Terraform asks it to validate even where it is mocked.",
            provider.for_display()
        );
        error.path = Some(path);
        error
    });
    errors.collect()
}

/// The most accepted values that are named.
const MAX_LISTED: usize = 5;

impl Providers for TestProviders<'_> {
    fn is_simulated(&self, provider: &ProviderConfigAddress) -> bool {
        !self.mocks.contains_key(provider) && self.others.is_simulated(provider)
    }

    fn others(&self) -> Option<&dyn Providers> {
        Some(&self.others)
    }

    fn as_seen(
        &self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        schema: &Schema,
        object: Value,
    ) -> Value {
        match self.is_assumed(provider) {
            true => {
                let is_list = |name: &str| self.assumed.is_list(resource_type, name);
                self.typing.seen(&schema.block, &object, &is_list)
            }
            false => object,
        }
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        let is_mocked = self.mocks.contains_key(provider);
        // Terraform never validates the settings of a mocked provider.
        if let (ProviderCall::Validate(kind, type_name, config), Some(rules)) = (call, self.rules)
            && !(is_mocked && kind == SchemaKind::Provider)
            && let Some(found) = rules.validate(provider, kind, type_name, config)
        {
            return ProviderReply::Validate(found);
        }
        match call {
            // Terraform asks the provider to validate even where it is mocked. The own rules of a provider without a model are
            // left out.
            ProviderCall::Validate(kind, type_name, config)
                if is_mocked || self.models.contains_key(&provider.provider) =>
            {
                let model = self.models.get(&provider.provider).filter(|_| kind == SchemaKind::Resource);
                let refused = model.map(|model| refused_by(model, &provider.provider, type_name, config));
                ProviderReply::Validate(refused.unwrap_or_default())
            }
            ProviderCall::Configure(_) if is_mocked => ProviderReply::Configure(Vec::new()),
            ProviderCall::Plan(resource_type, address, request) => {
                let planned = self.plan(provider, resource_type, address, request);
                self.note_not_given(provider, address, &request.schema, &request.config);
                ProviderReply::Plan(planned)
            }
            ProviderCall::ReadData(address, schema, config) => {
                let read = self.read_data(provider, address, schema, config);
                self.note_not_given(provider, address, &schema.block, config);
                ProviderReply::ReadData(read)
            }
            ProviderCall::Open(address, schema, config) => {
                ProviderReply::Open(self.open(provider, address, schema, config))
            }
            ProviderCall::Import(address, schema, by) => {
                ProviderReply::Import(self.import(provider, address, schema, by))
            }
            ProviderCall::Apply(resource_type, address, request) => {
                let applied = self.apply(provider, resource_type, address, request);
                self.note_not_given(provider, address, &request.schema, &request.config);
                ProviderReply::Apply(applied)
            }
            other => self.others.call(provider, other),
        }
    }
}

impl TestProviders<'_> {
    fn plan(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        request: &PlanResourceChange,
    ) -> Result<PlannedResource, ProviderError> {
        let given = match self.source(provider, Mode::Managed, resource_type, address) {
            Source::Provider => return self.others.plan(provider, resource_type, address, request),
            Source::Given(given) => given,
        };
        let mut planned = SimulatedProvider::default().plan(request)?;
        if planned.planned.is_null() {
            return Ok(planned);
        }
        if !request.prior.is_null() {
            // A mock changes nothing of what it has chosen once, and never needs a new object.
            planned.planned = kept(&planned.planned, &request.proposed);
        } else if given.is_some_and(|given| given.during == OverrideDuring::Plan) {
            // Terraform asks again while it applies, and a mock generates no text twice.
            let generated = match self.others.is_applying {
                true => self.others.values.again(),
                false => self.others.values,
            };
            match self.completed_with(generated, &request.schema, &planned.planned, given, address) {
                Ok(object) => planned.planned = with_unknown(&object, &planned.planned, &request.config),
                Err(error) => planned.diagnostics.push(error),
            }
        }
        Ok(planned)
    }

    fn read_data(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        let given = match self.source(provider, Mode::Data, &type_of(address), address) {
            Source::Provider => return self.others.read_data(provider, address, schema, config),
            Source::Given(given) => given,
        };
        let object = planned_data_resource(&schema.block, config).unwrap_or_else(|_| config.clone());
        match self.completed(provider, &schema.block, &object, given, address) {
            Ok(object) => DataAnswer::Known(object, Vec::new()),
            Err(error) => DataAnswer::Failed(vec![error]),
        }
    }

    fn open(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        let given = match self.source(provider, Mode::Ephemeral, &type_of(address), address) {
            Source::Provider => return self.others.open(provider, address, schema, config),
            Source::Given(_) if !self.mocks_ephemeral => {
                let mut error = Diagnostic::error("No ephemeral resource types in mock providers");
                error.detail =
                    "The provider mocking mechanism does not yet support ephemeral resource types."
                        .to_owned();
                return DataAnswer::Failed(vec![error]);
            }
            Source::Given(given) => given,
        };
        let object = planned_data_resource(&schema.block, config).unwrap_or_else(|_| config.clone());
        match self.completed(provider, &schema.block, &object, given, address) {
            Ok(object) => DataAnswer::Known(object, Vec::new()),
            Err(error) => DataAnswer::Failed(vec![error]),
        }
    }

    fn import(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        by: &ImportedBy,
    ) -> ImportAnswer {
        if let Some(given) = self.overrides.find(provider, address) {
            let empty = schema.block.empty_value();
            let object = planned_data_resource(&schema.block, empty).unwrap_or_else(|_| empty.clone());
            return match self.completed(provider, &schema.block, &object, Some(given), address) {
                Ok(object) => ImportAnswer::Known(ProviderObject::new(object), Vec::new()),
                Err(error) => ImportAnswer::Failed(vec![error]),
            };
        }
        if self.mocks.contains_key(provider) {
            let mut error = Diagnostic::error("Invalid import request");
            error.detail = "Cannot import resources from mock providers. Use an `override_resource` block to targeting the \
                            specific resource being imported instead."
                .to_owned();
            return ImportAnswer::Failed(vec![error]);
        }
        self.others.import(provider, address, schema, by)
    }

    fn apply(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        request: &ApplyResourceChange,
    ) -> Result<AppliedResource, ProviderError> {
        let given = match self.source(provider, Mode::Managed, resource_type, address) {
            Source::Provider => return self.others.apply(provider, resource_type, address, request),
            Source::Given(given) => given,
        };
        let mut answer = AppliedResource::new(request.planned.clone());
        answer.private = request.private.clone();
        answer.identity = request.identity.clone();
        if request.planned.is_null() {
            return Ok(answer);
        }
        match self.completed(provider, &request.schema, &request.planned, given, address) {
            Ok(object) => answer.new_state = Some(object),
            Err(error) => {
                // The object is there, without what could not be computed.
                answer.new_state = Some(with_nulls(&request.planned));
                answer.diagnostics.push(error);
            }
        }
        Ok(answer)
    }
}

/// A completed object with the parts that were planned where the configuration is not known yet: a mock chooses only what
/// is not configured. Sets and maps with such a part stay as they were planned.
fn with_unknown(completed: &Value, planned: &Value, config: &Value) -> Value {
    if config.is_wholly_known() {
        return completed.clone();
    }
    match (config.is_known(), completed.kind(), planned.kind(), config.kind()) {
        (true, Kind::Object(completed), Kind::Object(planned), Kind::Object(config)) => {
            let members = completed.iter().map(|(name, part)| {
                let part = match (planned.get(name), config.get(name)) {
                    (Some(planned), Some(config)) => with_unknown(part, planned, config),
                    _ => part.clone(),
                };
                (name.clone(), part)
            });
            Value::object(members.collect::<Vec<_>>())
        }
        (
            true,
            Kind::List(completed),
            Kind::List(planned_elements),
            Kind::List(config) | Kind::Tuple(config),
        ) if completed.len() == config.len() => {
            let planned_and_configured = std::iter::zip(planned_elements, config);
            let elements = std::iter::zip(completed, planned_and_configured)
                .map(|(part, (planned, config))| with_unknown(part, planned, config));
            let Type::List(element) = planned.ty() else { return planned.clone() };
            Value::list((**element).clone(), elements).unwrap_or_else(|_| planned.clone())
        }
        _ => planned.clone(),
    }
}

/// The object with null for each attribute that is not known.
fn with_nulls(object: &Value) -> Value {
    let Some(members) = object.as_object() else { return object.clone() };
    let known = |value: &Value| match value.is_wholly_known() {
        true => value.clone(),
        false => Value::null(value.ty().clone()),
    };
    Value::object(members.iter().map(|(name, value)| (name.clone(), known(value))).collect::<Vec<_>>())
}

/// A planned object with the parts of the proposed one that are unknown in the plan.
fn kept(planned: &Value, proposed: &Value) -> Value {
    let (Some(planned_members), Some(proposed_members)) = (planned.as_object(), proposed.as_object()) else {
        return planned.clone();
    };
    if planned.is_wholly_known() {
        return planned.clone();
    }
    let members = planned_members.iter().map(|(name, value)| {
        let kept = proposed_members.get(name).filter(|_| !value.is_wholly_known());
        (name.clone(), kept.unwrap_or(value).clone())
    });
    Value::object(members.collect::<Vec<_>>())
}
