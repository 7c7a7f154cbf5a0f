//! Simulated providers: they answer from schemas alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use objchange::Value;
use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, Provider, ProviderError, SimulatedProvider,
    proposed_from_config, proposed_new,
};
use objchange::schema::{Block, NestingMode, SchemaKind};
use objchange::value::Path;
use objchange_document::json::Json;
use objchange_model::{PlayOptions, ProviderModel, TypeModel};
use smol_str::SmolStr;

use super::{
    Answered, BrokenContract, DataAnswer, ImportAnswer, MoveObject, ProviderCall, ProviderObject,
    ProviderReply, Providers, StoredObject, builtin, legacy, not_applied, remote_state,
};
use crate::config::Files;
use crate::{ProviderAddress, ProviderConfigAddress};

/// Answers for all providers from their schemas: computed attributes without a value are unknown, objects are as the
/// state has them, and data sources are not known. The provider in Terraform itself is planned as it plans.
#[derive(Clone, Default)]
pub struct SimulatedProviders<'f> {
    /// Where `terraform_remote_state` reads the states of the backend `local`; without it, they are not known.
    pub files: Option<&'f dyn Files>,
    /// The computed attributes of an object that is updated are unknown, because its provider may change them, and may
    /// replace the object. An object may be updated if configuration leaves out an argument that is also computed, and
    /// that the state has. Otherwise they keep their values, which most updates leave alone.
    pub is_strict: bool,
    /// The types of objects that the state has in another form than the schema: a provider would bring them into that,
    /// which may change any value. Strict plans take every object of these types for changed.
    pub outdated_types: BTreeSet<SmolStr>,
    /// The models of providers. Objects of the types that were learned are planned with them.
    pub models: Arc<BTreeMap<ProviderAddress, ProviderModel>>,
    /// Without `is_strict`: a strict plan of an object that exists would have differed.
    pub has_trusted: bool,
    /// The provider configurations with settings that the provider did not have when it was learned.
    pub other_settings: BTreeSet<ProviderConfigAddress>,
}

impl fmt::Debug for SimulatedProviders<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedProviders").finish_non_exhaustive()
    }
}

impl Providers for SimulatedProviders<'_> {
    fn is_simulated(&self, provider: &ProviderConfigAddress) -> bool {
        !provider.provider.is_builtin()
    }

    fn learned_replacement(
        &self,
        provider: &ProviderAddress,
        resource_type: &str,
        part: &str,
    ) -> Option<String> {
        let model = self.models.get(provider)?;
        let sentence = model.of_type_without_schema(resource_type)?.explain_replacement(part)?;
        let version = model.info.version.as_deref().unwrap_or("(version not known)");
        Some(format!("{sentence} of {} {version}", provider.for_display()))
    }

    fn is_learned(&self, provider: &ProviderAddress, resource_type: &str) -> bool {
        self.models.get(provider).is_some_and(|model| model.of_type_without_schema(resource_type).is_some())
    }

    fn keeps_data(&self, provider: &ProviderAddress) -> bool {
        !self.is_strict && self.models.contains_key(provider)
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        let is_builtin = provider.provider.is_builtin();
        match call {
            ProviderCall::Validate(kind, type_name, config) if is_builtin => {
                ProviderReply::Validate(remote_state::validate(kind, type_name, config))
            }
            ProviderCall::Validate(SchemaKind::Resource, type_name, config) => {
                let model = self.models.get(&provider.provider);
                let model = model.and_then(|model| model.of_type_without_schema(type_name));
                ProviderReply::Validate(model.map(|model| refused(&model, config)).unwrap_or_default())
            }
            ProviderCall::Validate(..) => ProviderReply::Validate(Vec::new()),
            ProviderCall::Configure(config) => {
                if let Some(model) = self.models.get(&provider.provider)
                    && has_other_settings(model, config)
                {
                    self.other_settings.insert(provider.clone());
                }
                ProviderReply::Configure(Vec::new())
            }
            ProviderCall::Upgrade(stored) => {
                if !is_builtin && is_outdated(&stored) {
                    self.outdated_types.insert(stored.resource_type.into());
                }
                ProviderReply::Upgrade(None)
            }
            ProviderCall::Plan(_, _, request) if is_builtin => {
                ProviderReply::Plan(builtin::TerraformData(SimulatedProvider::default()).plan(request))
            }
            ProviderCall::Plan(resource_type, _, request) => {
                let answer = self.plan(provider, resource_type, request, self.is_strict);
                if !self.is_strict && !self.has_trusted && !request.prior.is_null() {
                    let strict = self.plan(provider, resource_type, request, true);
                    self.has_trusted = match (&answer, &strict) {
                        (Ok(answer), Ok(strict)) => {
                            !answer.planned.identical(&strict.planned)
                                || answer.requires_replace != strict.requires_replace
                                || answer.may_replace != strict.may_replace
                        }
                        (answer, strict) => answer.is_ok() != strict.is_ok(),
                    };
                }
                ProviderReply::Plan(answer)
            }
            ProviderCall::UpgradeIdentity(..) => ProviderReply::UpgradeIdentity(None),
            ProviderCall::PlanDestroy(..) => ProviderReply::PlanDestroy(Ok((None, Vec::new()))),
            ProviderCall::PlanAction(..) => ProviderReply::PlanAction(Vec::new()),
            // Only a provider knows what has changed outside of Terraform, so no drift is predicted.
            ProviderCall::Read(_, _, _, object) => ProviderReply::Read(Ok((object.clone(), Vec::new()))),
            ProviderCall::ReadData(_, schema, config) => ProviderReply::ReadData(match self.files {
                Some(files) if is_builtin => remote_state::read(files, schema, config),
                _ => DataAnswer::NotKnown,
            }),
            ProviderCall::Open(..) => ProviderReply::Open(DataAnswer::NotKnown),
            ProviderCall::Import(address, schema, by) => ProviderReply::Import(match by.id() {
                Some(id) if is_builtin => {
                    ImportAnswer::Known(ProviderObject::new(builtin::imported(schema, id)), Vec::new())
                }
                // The provider in Terraform 1.15.5 declares an identity, and returns none.
                None if is_builtin => {
                    let broken = BrokenContract::ImportedNoIdentity;
                    ImportAnswer::Failed(vec![broken.diagnostic(
                        provider,
                        address,
                        builtin::TerraformData::TYPE,
                    )])
                }
                _ => ImportAnswer::NotKnown,
            }),
            ProviderCall::Apply(_, address, _) => not_applied(address),
            ProviderCall::Move(request) => ProviderReply::Move(self.moved(provider, request)),
        }
    }
}

impl SimulatedProviders<'_> {
    /// Plans the change of an object of a provider that is not built in.
    fn plan(
        &self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        request: &PlanResourceChange,
        is_strict: bool,
    ) -> Result<PlannedResource, ProviderError> {
        let is_outdated = is_strict && self.outdated_types.contains(resource_type);
        let model = self.models.get(&provider.provider).filter(|_| !is_outdated);
        let model = model.and_then(|model| model.of_type(resource_type, &request.schema));
        match model {
            Some(model) => {
                let has_other_settings = self.other_settings.contains(provider);
                let options = PlayOptions { is_strict, has_other_settings };
                Ok(model.play(&request.schema, request, options).answer)
            }
            None if is_strict => plan_strictly(request, is_outdated),
            None => planned(request, true),
        }
    }

    fn moved(
        &mut self,
        provider: &ProviderConfigAddress,
        request: &MoveObject<'_>,
    ) -> Answered<ProviderObject> {
        let MoveObject { from_type, to_type, schema, object, .. } = request;
        match (provider.provider.is_builtin(), *from_type) {
            (true, "null_resource") => {
                let value = builtin::from_null_resource(schema, &object.value);
                Ok((ProviderObject::new(value), Vec::new()))
            }
            _ => {
                let mut error = Diagnostic::error("Unsupported resource move");
                error.detail = format!("A {from_type} cannot become a {to_type} without its provider.");
                Err(vec![error])
            }
        }
    }
}

/// The most accepted values that a warning names.
const MAX_LISTED: usize = 10;

/// Warnings about values that the provider has refused when it was learned. Another version may accept them.
fn refused(model: &TypeModel, config: &Value) -> Vec<Diagnostic> {
    let warning = |(path, accepted): (Path, &[String])| {
        let mut warning = Diagnostic::warning("The provider has refused such a value");
        warning.detail = format!(
            "When it was learned, it accepted {} here.",
            objchange_text::listed(&accepted[..accepted.len().min(MAX_LISTED)], accepted.len())
        );
        warning.path = Some(path);
        warning
    };
    model.refused(config).into_iter().map(warning).collect()
}

/// Whether a provider is configured with settings that were not there when it was learned. Some, such as tags for all
/// objects, change its plans.
fn has_other_settings(model: &ProviderModel, config: &Value) -> bool {
    let settings = config.as_object().into_iter().flat_map(objchange::value::Object::iter);
    settings
        .filter(|(_, value)| !value.is_null() && !value.is_empty())
        .any(|(name, _)| !model.info.settings.contains(name))
}

/// Whether an object was stored under another version of its schema, or has attributes that the schema lacks.
fn is_outdated(stored: &StoredObject<'_>) -> bool {
    let block = &stored.schema.block;
    let is_known = |name: &str| block.attribute(name).is_some() || block.block_type(name).is_some();
    let has_more = || match Json::parse(stored.text) {
        Ok(json) => json.view().members().keys().any(|name| !is_known(name.as_str())),
        Err(_) => true,
    };
    stored.version != stored.schema.version || has_more()
}

/// Plans a change by the schema. `is_guess` says that what an update leaves alone in most cases stays as it is.
fn planned(request: &PlanResourceChange, is_guess: bool) -> Result<PlannedResource, ProviderError> {
    if !legacy::is_legacy(&request.schema) {
        return SimulatedProvider::default().plan(request);
    }
    let mut request = request.clone();
    if let Some(proposed) = legacy::with_defaults(&request, is_guess) {
        request.proposed = proposed;
    }
    let planned = SimulatedProvider::default().plan(&request)?;
    Ok(of_older_sdk(&request.schema, planned))
}

/// The answer of a provider of the older SDK, whose new object of a replacement may be other than it must be, too.
fn of_older_sdk(schema: &Block, mut planned: PlannedResource) -> PlannedResource {
    planned.planned = legacy::without_partly_known_sets(schema, &planned.planned);
    planned.legacy_type_system = true;
    planned
}

/// Plans an update as if the object were new: every computed attribute that configuration does not set is unknown.
///
/// An object is only unchanged if configuration sets, as the state has it, all that can be set and has a value. Arguments
/// that are left out may have been set before: a `random_string` is replaced if `special = false` is taken out. Nobody knows
/// that of an outdated object, whose values its provider may change before it plans.
fn plan_strictly(request: &PlanResourceChange, is_outdated: bool) -> Result<PlannedResource, ProviderError> {
    let PlanResourceChange { schema, prior, config, .. } = request;
    let mut from_config = request.clone();
    from_config.proposed = proposed_from_config(schema, prior, config).map_err(ProviderError::from)?;
    if legacy::is_legacy(schema) {
        from_config.proposed = legacy::with_id(&from_config.proposed, prior);
    }
    let mut unchanged = planned(&from_config, false)?;
    if prior.is_null() && legacy::is_legacy(schema) {
        unchanged.planned = legacy::only_promised(schema, prior, &unchanged.planned);
    }
    let is_outdated = is_outdated || leaves_out_blocks(schema, config, prior);
    if prior.is_null() || !is_outdated && unchanged.planned.identical(prior) {
        return Ok(unchanged);
    }
    let nothing = Value::null(prior.ty().clone());
    let mut request = request.clone();
    request.proposed = proposed_new(schema, &nothing, config).map_err(ProviderError::from)?;
    request.prior = nothing;
    let mut planned = SimulatedProvider::default().plan(&request)?;
    if legacy::is_legacy(schema) {
        planned.planned = legacy::only_promised(schema, prior, &planned.planned);
        planned = of_older_sdk(schema, planned);
    }
    Ok(planned)
}

/// Whether the prior object has computed blocks that configuration leaves out. They may have been configured before.
fn leaves_out_blocks(schema: &Block, config: &Value, prior: &Value) -> bool {
    schema.block_types().iter().any(|(name, nested)| {
        let (Some(config), Some(prior)) = (config.attribute(name), prior.attribute(name)) else {
            return false;
        };
        match nested.nesting {
            _ if nested.computed && config.is_null() => !prior.is_null() && !prior.is_empty(),
            NestingMode::Single | NestingMode::Group => leaves_out_blocks(&nested.block, config, prior),
            _ => false,
        }
    })
}
