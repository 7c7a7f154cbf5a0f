//! The answers of real providers while a module is planned.

use objchange::Value;
use objchange::change::{
    Diagnostic, PlanResourceChange, PlannedResource, ProviderError, Severity, assert_plan_valid,
};
use objchange::schema::{Schema, SchemaKind};
use objchange_module::plan::ImportedBy;
use objchange_module::{
    Answered, BrokenContract, DataAnswer, ImportAnswer, MoveObject, ProviderAddress, ProviderCall,
    ProviderConfigAddress, ProviderFunction, ProviderObject, ProviderReply, Providers, StoredObject,
    not_applied,
};
use objchange_provider::{
    Client, Component, Error, ErrorKind, ImportResource, ImportTarget, MoveResource, ProviderExt, RawState,
    ReadResource, Result as ProviderResult, UpgradeResource,
};

use super::RealProviders;

/// The maximum number of lines to show of a crash.
const CRASH_LINES: usize = 40;

/// Real providers, and who answers for the others.
pub(crate) struct JoinedProviders<'r> {
    /// Those that run.
    pub(crate) real: &'r mut RealProviders,
    /// Answers for the other providers.
    pub(crate) others: &'r mut dyn Providers,
}

impl RealProviders {
    pub(super) fn has(&self, provider: &ProviderConfigAddress) -> bool {
        self.all.contains_key(&provider.provider)
    }

    pub(super) fn validate(
        &mut self,
        provider: &ProviderConfigAddress,
        kind: SchemaKind,
        type_name: &str,
        config: &Value,
    ) -> Vec<Diagnostic> {
        let found = self.ask_unconfigured(provider, async |client| {
            client.validate(component(kind), type_name, config).await
        });
        bounded(found.unwrap_or_else(|errors| errors))
    }

    /// Calls a provider, once it is configured. The error says why it gave no answer.
    fn ask<T>(
        &mut self,
        provider: &ProviderConfigAddress,
        call: impl AsyncFnOnce(&Client) -> ProviderResult<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let is_configured = match self.process(provider) {
            Some(Ok((process, _))) => process.is_configured,
            Some(Err(error)) => return Err(vec![unanswered(provider, &error)]),
            None => return Err(vec![silent(provider, "it was not started")]),
        };
        if !is_configured {
            // The configuration has no block for it, so it gets an empty one.
            let nothing = Value::object::<&str, Value>([]);
            let schema = self.all.get(&provider.provider).and_then(|real| real.schemas.provider.as_ref());
            let empty = schema.map_or(&nothing, |schema| schema.block.empty_value()).clone();
            let found = self.configure(provider, &empty);
            if has_errors(&found) {
                return Err(found);
            }
        }
        self.ask_as_it_is(provider, call)
    }

    /// Calls a provider, even if it is not configured.
    fn ask_as_it_is<T>(
        &mut self,
        provider: &ProviderConfigAddress,
        call: impl AsyncFnOnce(&Client) -> ProviderResult<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let (process, workplace) = match self.process(provider) {
            Some(Ok(found)) => found,
            Some(Err(error)) => return Err(vec![unanswered(provider, &error)]),
            None => return Err(vec![silent(provider, "it was not started")]),
        };
        if let Some(failure) = &process.failure {
            return Err(vec![silent(provider, failure)]);
        }
        match workplace.wait_for(call(&process.client)) {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => {
                if error.is_gone() || matches!(error.kind(), ErrorKind::Timeout(_)) {
                    process.failure =
                        Some(format!("it is not called again, because it failed before: {error}"));
                }
                Err(vec![unanswered(provider, &error)])
            }
            None => Err(vec![silent(provider, "interrupted")]),
        }
    }

    fn configure(&mut self, provider: &ProviderConfigAddress, config: &Value) -> Vec<Diagnostic> {
        let found = self.ask_as_it_is(provider, async |client| {
            let mut found = client.validate(Component::Provider, "", config).await?;
            if !has_errors(&found) {
                found.extend(client.configure(config).await?);
            }
            Ok(found)
        });
        if let Some(Ok((process, _))) = self.process(provider) {
            process.is_configured = true;
        }
        bounded(found.unwrap_or_else(|errors| errors))
    }

    fn read(
        &mut self,
        provider: &ProviderConfigAddress,
        (resource_type, address): (&str, &str),
        schema: &Schema,
        object: &ProviderObject,
    ) -> Answered<ProviderObject> {
        let request = ReadResource {
            type_name: resource_type.into(),
            state: object.value.clone(),
            private: object.private.clone(),
            identity: object.identity.clone(),
            deferral_allowed: false,
        };
        let broken = |broken: BrokenContract| vec![broken.diagnostic(provider, address, resource_type)];
        let answer = self.ask(provider, async |client| client.read(&request).await)?;
        let warnings = warnings_or_errors(answer.diagnostics)?;
        let value = answer.object.unwrap_or_else(|| Value::null(object.value.ty().clone()));
        // No released version of Terraform allows deferrals, and neither does the request.
        if answer.deferred.is_some() {
            return Err(broken(BrokenContract::Deferred));
        }
        let problem = BrokenContract::of_identity(answer.identity.as_ref());
        if let Some(problem) = problem.or_else(|| BrokenContract::of_object(&schema.block, &value)) {
            return Err(broken(problem));
        }
        Ok((ProviderObject { value, private: answer.private, identity: answer.identity }, warnings))
    }

    fn import(
        &mut self,
        provider: &ProviderConfigAddress,
        (resource_type, address): (&str, &str),
        schema: &Schema,
        by: &ImportedBy,
    ) -> Answered<ProviderObject> {
        let (value, _) = by.value().unmark_deep();
        let id = || value.as_str().unwrap_or("(identity)").to_owned();
        let target = match by {
            ImportedBy::Id(_) => ImportTarget::Id(id()),
            ImportedBy::Identity(_) => ImportTarget::Identity(value.clone()),
        };
        let request = ImportResource { type_name: resource_type.into(), target, deferral_allowed: false };
        let broken = |broken: BrokenContract| vec![broken.diagnostic(provider, address, resource_type)];
        let answer = self.ask(provider, async |client| client.import(&request).await)?;
        let mut warnings = warnings_or_errors(answer.diagnostics)?;
        if answer.deferred.is_some() {
            return Err(broken(BrokenContract::Deferred));
        }
        let mut imported = answer.resources.into_iter();
        let Some(first) = imported.next() else {
            return Err(broken(BrokenContract::ImportedNothing(id())));
        };
        if imported.next().is_some() {
            return Err(broken(BrokenContract::ImportedMany));
        }
        let Some(value) = first.object.filter(|object| !object.is_null()) else {
            return Err(broken(BrokenContract::ImportedNull(id())));
        };
        if matches!(by, ImportedBy::Identity(_)) && first.identity.is_none() {
            return Err(broken(BrokenContract::ImportedNoIdentity));
        }
        let object = ProviderObject { value, private: first.private, identity: first.identity };
        // Terraform calls `ReadResource` after each import, because most providers import little more than the identifier.
        let (mut read, more) = self.read(provider, (resource_type, address), schema, &object)?;
        warnings.extend(more);
        if read.value.is_null() {
            return Err(broken(BrokenContract::NotThere));
        }
        read.identity = read.identity.or(object.identity);
        Ok((read, warnings))
    }

    fn open(
        &mut self,
        provider: &ProviderConfigAddress,
        (type_name, address): (&str, &str),
        schema: &Schema,
        config: &Value,
    ) -> Answered<Value> {
        let broken = |broken: BrokenContract| vec![broken.diagnostic(provider, address, type_name)];
        let answer = self.ask(provider, async |client| client.open(type_name, config).await)?;
        if let Some(Ok((process, _))) = self.process(provider) {
            process.opened.push((type_name.to_owned(), answer.private));
        }
        let warnings = warnings_or_errors(answer.diagnostics)?;
        if answer.deferred.is_some() {
            return Err(broken(BrokenContract::Deferred));
        }
        let Some(object) = answer.object.filter(|object| !object.is_null()) else {
            return Err(broken(BrokenContract::NothingOpened));
        };
        let nothing = Value::null(schema.block.implied_type().clone());
        if let Some(invalid) = assert_plan_valid(&schema.block, &nothing, config, &object).first() {
            let mut error = BrokenContract::NothingOpened.diagnostic(provider, address, type_name);
            error.detail =
                format!("The provider for {type_name} produced an inconsistent result: {invalid}.");
            return Err(vec![error]);
        }
        Ok((object, warnings))
    }

    fn move_object(
        &mut self,
        provider: &ProviderConfigAddress,
        request: &MoveObject<'_>,
    ) -> Answered<ProviderObject> {
        let object = &request.object;
        let json = object.value.to_json(object.value.ty()).unwrap_or_default();
        let question = MoveResource {
            source_provider: request.from.provider.to_string(),
            source_type: request.from_type.to_owned(),
            source_version: request.from_version,
            source: RawState::json(json),
            source_private: object.private.clone(),
            source_identity: object.identity.as_ref().and_then(|identity| {
                let json = identity.to_json(identity.ty()).ok()?;
                Some((request.from_identity_version, RawState::json(json)))
            }),
            type_name: request.to_type.into(),
        };
        let answer = self.ask_unconfigured(provider, async |client| client.move_state(&question).await)?;
        let warnings = warnings_or_errors(answer.diagnostics)?;
        let to = request.to_address.to_string();
        let broken = |broken: BrokenContract| vec![broken.diagnostic(provider, &to, request.to_type)];
        let Some(value) = answer.object else { return Err(broken(BrokenContract::MovedNothing)) };
        match BrokenContract::of_moved(request, &value, answer.identity.as_ref()) {
            Some(problem) => Err(broken(problem)),
            None => {
                Ok((ProviderObject { value, private: answer.private, identity: answer.identity }, warnings))
            }
        }
    }

    /// Asks a provider what it can say without a configuration, by a process that may have one of another.
    fn ask_unconfigured<T>(
        &mut self,
        provider: &ProviderConfigAddress,
        call: impl AsyncFnOnce(&Client) -> ProviderResult<T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let known = self.all.get(&provider.provider).map(|real| &real.configured);
        let own = known.is_some_and(|known| known.contains_key(provider));
        let any = known.and_then(|known| known.keys().next().cloned()).filter(|_| !own);
        match any {
            Some(other) => self.ask_as_it_is(&other, call),
            None if own => self.ask_as_it_is(provider, call),
            None => {
                // This call must not decide which configuration the first process gets.
                let answer = self.ask_as_it_is(provider, call);
                if let Some(real) = self.all.get_mut(&provider.provider) {
                    real.configured.remove(provider);
                }
                answer
            }
        }
    }
}

fn component(kind: SchemaKind) -> Component {
    match kind {
        SchemaKind::Provider => Component::Provider,
        SchemaKind::DataSource => Component::DataSource,
        SchemaKind::EphemeralResource => Component::EphemeralResource,
        SchemaKind::Action => Component::Action,
        _ => Component::Resource,
    }
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// The warnings; or everything, where there are errors.
fn warnings_or_errors(found: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let found = bounded(found);
    if has_errors(&found) { Err(found) } else { Ok(found) }
}

/// Shortens the texts of providers.
fn bounded(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for diagnostic in &mut found {
        diagnostic.detail = objchange_text::bounded(&diagnostic.detail).into_owned();
        diagnostic.summary = objchange_text::bounded(&diagnostic.summary).into_owned();
    }
    found
}

/// The error for a provider without an answer.
fn unanswered(provider: &ProviderConfigAddress, error: &Error) -> Diagnostic {
    let mut diagnostic = silent(provider, &error.to_string());
    if let Some(crash) = error.log().crash() {
        let lines: Vec<&str> = crash.lines().take(CRASH_LINES).collect();
        diagnostic.detail.push_str(&format!("\n\n{}", lines.join("\n")));
    }
    diagnostic
}

fn silent(provider: &ProviderConfigAddress, why: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::error("Provider does not answer");
    diagnostic.detail = format!("{provider}: {why}.");
    diagnostic
}

impl Providers for JoinedProviders<'_> {
    fn is_simulated(&self, provider: &ProviderConfigAddress) -> bool {
        !self.real.has(provider) && self.others.is_simulated(provider)
    }

    fn others(&self) -> Option<&dyn Providers> {
        Some(&*self.others)
    }

    fn function(&self, provider: &ProviderAddress, name: &str) -> Option<ProviderFunction> {
        match self.real.functions_of(provider) {
            Some(functions) => Some(functions.function(name)),
            None => self.others.function(provider, name),
        }
    }

    fn call(&mut self, provider: &ProviderConfigAddress, call: ProviderCall<'_>) -> ProviderReply {
        if !self.real.has(provider) {
            return self.others.call(provider, call);
        }
        match call {
            ProviderCall::Validate(kind, type_name, config) => {
                ProviderReply::Validate(self.real.validate(provider, kind, type_name, config))
            }
            ProviderCall::Upgrade(stored) => ProviderReply::Upgrade(self.upgrade(provider, stored)),
            ProviderCall::UpgradeIdentity(resource_type, version, json) => {
                ProviderReply::UpgradeIdentity(self.upgrade_identity(provider, resource_type, version, json))
            }
            ProviderCall::Plan(resource_type, address, request) => {
                ProviderReply::Plan(self.plan(provider, (resource_type, address), request))
            }
            ProviderCall::PlanDestroy(resource_type, address, schema, object) => ProviderReply::PlanDestroy(
                self.plan_destroy(provider, resource_type, address, schema, object),
            ),
            ProviderCall::PlanAction(action_type, config) => {
                ProviderReply::PlanAction(self.plan_action(provider, action_type, config))
            }
            ProviderCall::ReadData(address, schema, config) => {
                ProviderReply::ReadData(self.read_data(provider, address, schema, config))
            }
            ProviderCall::Open(address, schema, config) => {
                ProviderReply::Open(self.open(provider, address, schema, config))
            }
            ProviderCall::Import(address, schema, by) => {
                ProviderReply::Import(self.import(provider, address, schema, by))
            }
            ProviderCall::Configure(config) => {
                ProviderReply::Configure(self.real.configure(provider, config))
            }
            ProviderCall::Read(resource_type, address, schema, object) => {
                ProviderReply::Read(self.real.read(provider, (resource_type, address), schema, object))
            }
            ProviderCall::Apply(_, address, _) => not_applied(address),
            ProviderCall::Move(request) => ProviderReply::Move(self.real.move_object(provider, request)),
        }
    }
}

/// The calls to real providers.
impl JoinedProviders<'_> {
    fn upgrade(
        &mut self,
        provider: &ProviderConfigAddress,
        stored: StoredObject<'_>,
    ) -> Option<Answered<Value>> {
        let request = UpgradeResource {
            type_name: stored.resource_type.into(),
            version: stored.version,
            stored: match stored.flat() {
                Some(flatmap) => RawState { json: Vec::new(), flatmap },
                None => RawState::json(stored.json()),
            },
        };
        let answer = self.real.ask_unconfigured(provider, async |client| client.upgrade(&request).await);
        let null = || Value::null(stored.schema.block.implied_type().clone());
        Some(answer.and_then(|answer| {
            let warnings = warnings_or_errors(answer.diagnostics)?;
            let value = answer.object.unwrap_or_else(null);
            match value.is_wholly_known() {
                true => Ok((value, warnings)),
                false => {
                    let broken = BrokenContract::UnknownUpgrade;
                    Err(vec![broken.diagnostic(provider, stored.address, stored.resource_type)])
                }
            }
        }))
    }

    fn upgrade_identity(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        version: i64,
        json: &str,
    ) -> Option<Answered<Value>> {
        let request =
            UpgradeResource { type_name: resource_type.into(), version, stored: RawState::json(json) };
        let answer =
            self.real.ask_unconfigured(provider, async |client| client.upgrade_identity(&request).await);
        let upgraded = answer.and_then(|answer| {
            let warnings = warnings_or_errors(answer.diagnostics)?;
            Ok(answer.identity.map(|identity| (identity, warnings)))
        });
        upgraded.transpose()
    }

    fn plan(
        &mut self,
        provider: &ProviderConfigAddress,
        (resource_type, address): (&str, &str),
        request: &PlanResourceChange,
    ) -> Result<PlannedResource, ProviderError> {
        let planned = self.real.ask(provider, async |client| client.plan(resource_type, request).await);
        Ok(match planned {
            Ok(mut planned) => {
                planned.diagnostics = bounded(planned.diagnostics);
                // Objects that are made, also in place of others, get their identities later.
                let gets_another = request.prior.is_null() || !planned.requires_replace.is_empty();
                let problem = BrokenContract::of_identity(planned.identity.as_ref());
                if let Some(problem) = problem.filter(|_| !gets_another) {
                    planned.diagnostics.push(problem.diagnostic(provider, address, resource_type));
                }
                planned
            }
            Err(errors) => {
                // Planning goes on with other resources, as it does where a provider reports an error.
                let mut planned = PlannedResource::new(request.proposed.clone());
                planned.diagnostics = errors;
                planned
            }
        })
    }

    fn plan_action(
        &mut self,
        provider: &ProviderConfigAddress,
        action_type: &str,
        config: &Value,
    ) -> Vec<Diagnostic> {
        let planned = self.real.ask(provider, async |client| client.plan_action(action_type, config).await);
        match planned {
            Ok(planned) if planned.deferred.is_some() => {
                let mut error = Diagnostic::error("Invalid deferral");
                error.detail = format!(
                    "The provider {} signaled a deferred action, but deferrals are not enabled for this client.",
                    provider.provider.for_display()
                );
                vec![error]
            }
            Ok(planned) => bounded(planned.diagnostics),
            Err(errors) => errors,
        }
    }

    fn plan_destroy(
        &mut self,
        provider: &ProviderConfigAddress,
        resource_type: &str,
        address: &str,
        schema: &Schema,
        object: &ProviderObject,
    ) -> Answered<Option<Value>> {
        let wants_to_know = |real: &RealProviders| {
            real.all.get(&provider.provider).is_some_and(|p| p.schemas.capabilities.plan_destroy)
        };
        // Terraform plans a destroy only with servers that have the capability `plan_destroy`.
        if !wants_to_know(self.real) {
            return Ok((object.identity.clone(), Vec::new()));
        }
        let nothing = Value::null(schema.block.implied_type().clone());
        let mut request = PlanResourceChange::new(&schema.block, &object.value, &nothing, &nothing);
        request.private = object.private.clone();
        request.identity.clone_from(&object.identity);
        let planned = self.real.ask(provider, async |client| client.plan(resource_type, &request).await)?;
        let mut found = warnings_or_errors(planned.diagnostics)?;
        let broken = match planned.deferred {
            Some(_) => Some(BrokenContract::Deferred),
            None => (!planned.planned.is_null()).then_some(BrokenContract::NotDestroyed),
        };
        if let Some(broken) = broken {
            found.push(broken.diagnostic(provider, address, resource_type));
            return Err(found);
        }
        Ok((planned.identity, found))
    }

    fn read_data(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        let type_name = type_of(address);
        let answer = self.real.ask(provider, async |client| client.read_data(&type_name, config).await);
        let answer = answer.and_then(|answer| {
            let warnings = warnings_or_errors(answer.diagnostics)?;
            let value = answer.object.unwrap_or_else(|| Value::null(schema.block.implied_type().clone()));
            let broken = answer.deferred.map(|_| BrokenContract::Deferred);
            match broken.or_else(|| BrokenContract::of_data(&value)) {
                Some(broken) => Err(vec![broken.diagnostic(provider, address, &type_name)]),
                None => Ok((value, warnings)),
            }
        });
        match answer {
            Ok((value, warnings)) => DataAnswer::Known(value, warnings),
            Err(errors) => DataAnswer::Failed(errors),
        }
    }

    fn open(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        config: &Value,
    ) -> DataAnswer {
        match self.real.open(provider, (&type_of(address), address), schema, config) {
            Ok((value, warnings)) => DataAnswer::Known(value, warnings),
            Err(errors) => DataAnswer::Failed(errors),
        }
    }

    fn import(
        &mut self,
        provider: &ProviderConfigAddress,
        address: &str,
        schema: &Schema,
        by: &ImportedBy,
    ) -> ImportAnswer {
        match self.real.import(provider, (&type_of(address), address), schema, by) {
            Ok((object, warnings)) => ImportAnswer::Known(object, warnings),
            Err(errors) => ImportAnswer::Failed(errors),
        }
    }
}

/// The type of the resource that an address names.
fn type_of(address: &str) -> String {
    let address = address.parse::<objchange::address::InstanceAddress>();
    address.map(|address| address.resource.resource_type).unwrap_or_default()
}
