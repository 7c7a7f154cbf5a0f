//! A provider whose answers are recorded.

use std::fmt;
use std::io::Write;
use std::ops::Deref;

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{AppliedResource, ApplyResourceChange, PlanResourceChange};
use objchange::schema::Block;

use super::Recorder;
use super::line::Line;
use crate::mask::Masks;
use crate::{Answer, Call, Component, Provider, ProviderExt, Reply, Result};

/// A provider whose answers are recorded if there is a recorder. Both may be references or shared pointers.
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
    /// Wraps a provider and records its answers.
    pub fn new(provider: P, recorder: Option<R>) -> Self {
        Self { provider, recorder }
    }

    fn keep(&self, mut line: impl FnMut(&mut Masks) -> Option<Line>) {
        if let Some(recorder) = &self.recorder {
            recorder.keep(&mut line);
        }
    }

    /// The schema of a component, if a line needs it.
    async fn block(&self, component: Component, name: &str) -> Option<Block> {
        self.recorder.as_ref()?;
        self.provider.schemas().await.ok()?.block(component, name).cloned()
    }

    /// Records a call and its diagnostics.
    fn keep_call(&self, call: Call<'_>, reply: &Result<Reply>) {
        self.keep(|masks| {
            let mut line = Line::new("provider_call");
            line.text_field("call", call.name());
            if !call.type_name().is_empty() {
                line.text_field("type", call.type_name());
            }
            match reply {
                Ok(reply) => line.diagnostics(reply.diagnostics(), masks),
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
    }

    /// Hides the secrets of a configuration, because messages may repeat them.
    async fn hide_config(&self, component: Component, name: &str, config: &Value) {
        if let Some(block) = self.block(component, name).await {
            self.keep(|masks| {
                masks.object(&block, config);
                None
            });
        }
    }

    fn keep_plan(&self, type_name: &str, request: &PlanResourceChange, reply: &Result<Reply>) {
        let block = &request.schema;
        self.keep(|masks| {
            // A secret in one object is secret in all.
            for object in [&request.prior, &request.proposed, &request.config] {
                masks.object(block, object);
            }
            let mut line = Line::about("plan_resource_change", type_name, block);
            // Learned before any object is written, because another object may contain part of this secret in the clear.
            if let Ok(Reply::Planned(answer)) = reply {
                masks.object(block, &answer.planned);
            }
            for (name, object) in
                [("prior", &request.prior), ("proposed", &request.proposed), ("config", &request.config)]
            {
                line.object(name, block, object, masks);
            }
            line.flag("deferral_allowed", request.deferral_allowed);
            match reply {
                Ok(Reply::Planned(answer)) => {
                    line.answer_object("planned", block, &answer.planned, masks);
                    line.answer_paths("requires_replace", &answer.requires_replace, masks);
                    line.answer_flag("legacy_type_system", answer.legacy_type_system);
                    line.deferred(answer.deferred);
                    line.diagnostics(&answer.diagnostics, masks);
                }
                Ok(_) => return None,
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
    }

    fn keep_apply(&self, type_name: &str, request: &ApplyResourceChange, reply: &Result<Reply>) {
        let block = &request.schema;
        self.keep(|masks| {
            for object in [&request.prior, &request.planned, &request.config] {
                masks.object(block, object);
            }
            if let Ok(Reply::Applied(AppliedResource { new_state: Some(new_state), .. })) = reply {
                masks.object(block, new_state);
            }
            let mut line = Line::about("apply_resource_change", type_name, block);
            for (name, object) in
                [("prior", &request.prior), ("planned", &request.planned), ("config", &request.config)]
            {
                line.object(name, block, object, masks);
            }
            match reply {
                Ok(Reply::Applied(answer)) => {
                    if let Some(new_state) = &answer.new_state {
                        line.answer_object("new_state", block, new_state, masks);
                    }
                    line.answer_flag("legacy_type_system", answer.legacy_type_system);
                    line.diagnostics(&answer.diagnostics, masks);
                }
                Ok(_) => return None,
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
    }

    /// Records a call whose answer is an object. `write_request` adds its fields to the line.
    async fn keep_object(
        &self,
        (op, component): (&'static str, Component),
        type_name: &str,
        reply: &Result<Reply>,
        write_request: impl Fn(&mut Line, &Block, &mut Masks),
    ) {
        let Some(block) = self.block(component, type_name).await else { return };
        self.keep(|masks| {
            if let Ok(Reply::Answer(Answer { object: Some(object), .. })) = reply {
                masks.object(&block, object);
            }
            let mut line = Line::about(op, type_name, &block);
            write_request(&mut line, &block, masks);
            match reply {
                Ok(Reply::Answer(answer)) => {
                    if let Some(object) = &answer.object {
                        line.answer_object("object", &block, object, masks);
                    }
                    line.deferred(answer.deferred);
                    line.diagnostics(&answer.diagnostics, masks);
                }
                Ok(_) => return None,
                Err(error) => line.failed(error.kind().kind()),
            }
            Some(line)
        });
    }
}

#[async_trait]
impl<P, R, W> Provider for Recording<P, R>
where
    P: Deref<Target: Provider> + Send + Sync,
    R: Deref<Target = Recorder<W>> + Send + Sync,
    W: Write + Send,
{
    async fn call(&self, call: Call<'_>) -> Result<Reply> {
        let reply = self.provider.call(call).await;
        match call {
            // Each line contains the schemas that it needs.
            Call::Schemas => {}
            Call::Upgrade(request) => {
                let line = ("upgrade_resource_state", Component::Resource);
                let write_request =
                    |line: &mut Line, _: &Block, _: &mut Masks| line.number("version", request.version);
                self.keep_object(line, &request.type_name, &reply, write_request).await;
            }
            Call::Read(request) => {
                let write_request = |line: &mut Line, block: &Block, masks: &mut Masks| {
                    line.object("state", block, &request.state, masks);
                };
                let line = ("read_resource", Component::Resource);
                self.keep_object(line, &request.type_name, &reply, write_request).await;
            }
            Call::ReadData(type_name, config) => {
                let write_request = |line: &mut Line, block: &Block, masks: &mut Masks| {
                    line.object("config", block, config, masks);
                };
                self.keep_object(
                    ("read_data_source", Component::DataSource),
                    type_name,
                    &reply,
                    write_request,
                )
                .await;
            }
            Call::Plan(type_name, request) => self.keep_plan(type_name, request, &reply),
            Call::Apply(type_name, request) => self.keep_apply(type_name, request, &reply),
            Call::Validate(component, name, config) => {
                self.hide_config(component, name, config).await;
                self.keep_call(call, &reply);
            }
            Call::Configure(config) => {
                self.hide_config(Component::Provider, "", config).await;
                self.keep_call(call, &reply);
            }
            _ => self.keep_call(call, &reply),
        }
        reply
    }
}
