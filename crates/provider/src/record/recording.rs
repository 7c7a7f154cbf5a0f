//! A provider whose answers are kept.

use std::fmt;
use std::io::Write;
use std::ops::Deref;
use std::sync::Arc;

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
};
use objchange::schema::Block;

use super::Recorder;
use super::line::Line;
use super::mask::Masks;
use crate::{
    ActionEvent, ActionPlan, Answer, Component, FunctionAnswer, ImportAnswer, ImportResource, ListQuestion,
    Listed, Locked, Metadata, MoveResource, Opened, Provider, ReadResource, Result, Schemas, StateIds,
    StoreConfigured, StoredState, UpgradeResource,
};

/// A provider whose answers are kept by a recorder, if there is one. Both are borrowed or shared.
pub struct Recording<P, R> {
    provider: P,
    recorder: Option<R>,
}

impl<P, R> fmt::Debug for Recording<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("is_kept", &self.recorder.is_some()).finish_non_exhaustive()
    }
}

impl<P, R, W> Recording<P, R>
where
    P: Deref<Target: Provider> + Send + Sync,
    R: Deref<Target = Recorder<W>> + Send + Sync,
    W: Write + Send,
{
    /// The same provider, and what it answers is kept.
    pub fn new(provider: P, recorder: Option<R>) -> Self {
        Self { provider, recorder }
    }

    fn keep(&self, mut line: impl FnMut(&mut Masks) -> Option<Line>) {
        if let Some(recorder) = &self.recorder {
            recorder.keep(&mut line);
        }
    }

    /// The schema of something, where it is needed for a line.
    async fn block(&self, component: Component, name: &str) -> Option<Block> {
        self.recorder.as_ref()?;
        self.provider.schemas().await.ok()?.block(component, name).cloned()
    }

    /// Keeps that there was a call, and what was said.
    fn call<T>(&self, call: &str, name: &str, answer: &Result<T>, said: impl Fn(&T) -> &[Diagnostic]) {
        self.keep(|masks| {
            let mut line = Line::new("provider_call");
            line.text_field("call", call);
            if !name.is_empty() {
                line.text_field("type", name);
            }
            match answer {
                Ok(answer) => line.diagnostics(said(answer), masks),
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
    }
}

/// No diagnostics.
fn silent<T>(_: &T) -> &[Diagnostic] {
    &[]
}

/// The name of the call that validates a configuration.
fn validation(component: Component) -> &'static str {
    match component {
        Component::Provider => "ValidateProviderConfig",
        Component::Resource => "ValidateResourceConfig",
        Component::DataSource => "ValidateDataResourceConfig",
        Component::EphemeralResource => "ValidateEphemeralResourceConfig",
        Component::ListResource => "ValidateListResourceConfig",
        Component::Action => "ValidateActionConfig",
        Component::StateStore => "ValidateStateStoreConfig",
    }
}

#[async_trait]
impl<P, R, W> Provider for Recording<P, R>
where
    P: Deref<Target: Provider> + Send + Sync,
    R: Deref<Target = Recorder<W>> + Send + Sync,
    W: Write + Send,
{
    async fn schemas(&self) -> Result<Arc<Schemas>> {
        self.provider.schemas().await
    }

    async fn validate(&self, component: Component, name: &str, config: &Value) -> Result<Vec<Diagnostic>> {
        let answer = self.provider.validate(component, name, config).await;
        if let Some(block) = self.block(component, name).await {
            // What is said may repeat it.
            self.keep(|masks| {
                masks.object(&block, config);
                None
            });
        }
        self.call(validation(component), name, &answer, |said| said);
        answer
    }

    async fn configure(&self, config: &Value) -> Result<Vec<Diagnostic>> {
        let answer = self.provider.configure(config).await;
        if let Some(block) = self.block(Component::Provider, "").await {
            self.keep(|masks| {
                masks.object(&block, config);
                None
            });
        }
        self.call("ConfigureProvider", "", &answer, |said| said);
        answer
    }

    async fn upgrade(&self, request: &UpgradeResource) -> Result<Answer> {
        let answer = self.provider.upgrade(request).await;
        let line = ("upgrade_resource_state", Component::Resource);
        self.object(line, &request.type_name, &answer, |line, _, _| line.number("version", request.version))
            .await;
        answer
    }

    async fn read(&self, request: &ReadResource) -> Result<Answer> {
        let answer = self.provider.read(request).await;
        let asked = |line: &mut Line, block: &Block, masks: &mut Masks| {
            line.object("state", block, &request.state, masks);
        };
        self.object(("read_resource", Component::Resource), &request.type_name, &answer, asked).await;
        answer
    }

    async fn read_data(&self, type_name: &str, config: &Value) -> Result<Answer> {
        let answer = self.provider.read_data(type_name, config).await;
        let asked =
            |line: &mut Line, block: &Block, masks: &mut Masks| line.object("config", block, config, masks);
        self.object(("read_data_source", Component::DataSource), type_name, &answer, asked).await;
        answer
    }

    async fn plan(&self, type_name: &str, request: &PlanResourceChange) -> Result<PlannedResource> {
        let answer = self.provider.plan(type_name, request).await;
        let block = &request.schema;
        self.keep(|masks| {
            // What is secret in one of them is so in all.
            for object in [&request.prior, &request.proposed, &request.config] {
                masks.object(block, object);
            }
            if let Ok(answer) = &answer {
                masks.object(block, &answer.planned);
            }
            let mut line = Line::about("plan_resource_change", type_name, block);
            for (name, object) in
                [("prior", &request.prior), ("proposed", &request.proposed), ("config", &request.config)]
            {
                line.object(name, block, object, masks);
            }
            line.flag("deferral_allowed", request.deferral_allowed);
            match &answer {
                Ok(answer) => {
                    line.answer_object("planned", block, &answer.planned, masks);
                    line.answer_paths("requires_replace", &answer.requires_replace, masks);
                    line.answer_flag("legacy_type_system", answer.legacy_type_system);
                    line.deferred(answer.deferred);
                    line.diagnostics(&answer.diagnostics, masks);
                }
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
        answer
    }

    async fn apply(&self, type_name: &str, request: &ApplyResourceChange) -> Result<AppliedResource> {
        let answer = self.provider.apply(type_name, request).await;
        let block = &request.schema;
        self.keep(|masks| {
            for object in [&request.prior, &request.planned, &request.config] {
                masks.object(block, object);
            }
            if let Ok(AppliedResource { new_state: Some(new_state), .. }) = &answer {
                masks.object(block, new_state);
            }
            let mut line = Line::about("apply_resource_change", type_name, block);
            for (name, object) in
                [("prior", &request.prior), ("planned", &request.planned), ("config", &request.config)]
            {
                line.object(name, block, object, masks);
            }
            match &answer {
                Ok(answer) => {
                    if let Some(new_state) = &answer.new_state {
                        line.answer_object("new_state", block, new_state, masks);
                    }
                    line.answer_flag("legacy_type_system", answer.legacy_type_system);
                    line.diagnostics(&answer.diagnostics, masks);
                }
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
        answer
    }

    async fn metadata(&self) -> Result<Metadata> {
        let answer = self.provider.metadata().await;
        self.call("GetMetadata", "", &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn upgrade_identity(&self, request: &UpgradeResource) -> Result<Answer> {
        let answer = self.provider.upgrade_identity(request).await;
        self.call("UpgradeResourceIdentity", &request.type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn import(&self, request: &ImportResource) -> Result<ImportAnswer> {
        let answer = self.provider.import(request).await;
        self.call("ImportResourceState", &request.type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn move_state(&self, request: &MoveResource) -> Result<Answer> {
        let answer = self.provider.move_state(request).await;
        self.call("MoveResourceState", &request.type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn generate_config(&self, type_name: &str, state: &Value) -> Result<Answer> {
        let answer = self.provider.generate_config(type_name, state).await;
        self.call("GenerateResourceConfig", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn open(&self, type_name: &str, config: &Value) -> Result<Opened> {
        let answer = self.provider.open(type_name, config).await;
        self.call("OpenEphemeralResource", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn renew(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Opened> {
        let answer = self.provider.renew(type_name, private).await;
        self.call("RenewEphemeralResource", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn close(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Vec<Diagnostic>> {
        let answer = self.provider.close(type_name, private).await;
        self.call("CloseEphemeralResource", type_name, &answer, |said| said);
        answer
    }

    async fn list(&self, request: &ListQuestion) -> Result<Vec<Listed>> {
        let answer = self.provider.list(request).await;
        self.call("ListResource", &request.type_name, &answer, silent);
        answer
    }

    async fn call_function(&self, name: &str, arguments: &[Value]) -> Result<FunctionAnswer> {
        let answer = self.provider.call_function(name, arguments).await;
        self.call("CallFunction", name, &answer, silent);
        answer
    }

    async fn plan_action(&self, type_name: &str, config: &Value) -> Result<ActionPlan> {
        let answer = self.provider.plan_action(type_name, config).await;
        self.call("PlanAction", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn invoke_action(&self, type_name: &str, config: &Value) -> Result<Vec<ActionEvent>> {
        let answer = self.provider.invoke_action(type_name, config).await;
        self.call("InvokeAction", type_name, &answer, silent);
        answer
    }

    async fn configure_store(
        &self,
        type_name: &str,
        config: &Value,
        chunk_size: i64,
    ) -> Result<StoreConfigured> {
        let answer = self.provider.configure_store(type_name, config, chunk_size).await;
        self.call("ConfigureStateStore", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn read_state(&self, type_name: &str, id: &str) -> Result<StoredState> {
        let answer = self.provider.read_state(type_name, id).await;
        self.call("ReadStateBytes", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn write_state(
        &self,
        type_name: &str,
        id: &str,
        state: &[u8],
        chunk_size: i64,
    ) -> Result<Vec<Diagnostic>> {
        let answer = self.provider.write_state(type_name, id, state, chunk_size).await;
        self.call("WriteStateBytes", type_name, &answer, |said| said);
        answer
    }

    async fn lock_state(&self, type_name: &str, id: &str, operation: &str) -> Result<Locked> {
        let answer = self.provider.lock_state(type_name, id, operation).await;
        self.call("LockState", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn unlock_state(&self, type_name: &str, id: &str, lock: &str) -> Result<Vec<Diagnostic>> {
        let answer = self.provider.unlock_state(type_name, id, lock).await;
        self.call("UnlockState", type_name, &answer, |said| said);
        answer
    }

    async fn states(&self, type_name: &str) -> Result<StateIds> {
        let answer = self.provider.states(type_name).await;
        self.call("GetStates", type_name, &answer, |answer| &answer.diagnostics);
        answer
    }

    async fn delete_state(&self, type_name: &str, id: &str) -> Result<Vec<Diagnostic>> {
        let answer = self.provider.delete_state(type_name, id).await;
        self.call("DeleteState", type_name, &answer, |said| said);
        answer
    }

    async fn stop(&self) -> Result<String> {
        let answer = self.provider.stop().await;
        self.call("StopProvider", "", &answer, silent);
        answer
    }
}

impl<P, R, W> Recording<P, R>
where
    P: Deref<Target: Provider> + Send + Sync,
    R: Deref<Target = Recorder<W>> + Send + Sync,
    W: Write + Send,
{
    /// Keeps an answer that is an object.
    async fn object(
        &self,
        (op, component): (&'static str, Component),
        type_name: &str,
        answer: &Result<Answer>,
        asked: impl Fn(&mut Line, &Block, &mut Masks),
    ) {
        let Some(block) = self.block(component, type_name).await else { return };
        self.keep(|masks| {
            if let Ok(Answer { object: Some(object), .. }) = answer {
                masks.object(&block, object);
            }
            let mut line = Line::about(op, type_name, &block);
            asked(&mut line, &block, masks);
            match answer {
                Ok(answer) => {
                    if let Some(object) = &answer.object {
                        line.answer_object("object", &block, object, masks);
                    }
                    line.deferred(answer.deferred);
                    line.diagnostics(&answer.diagnostics, masks);
                }
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
    }
}
