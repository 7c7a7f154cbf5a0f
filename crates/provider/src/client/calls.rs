//! Implements [`Provider`](crate::Provider) for the client. Each call is made under its name, which errors show.

use async_trait::async_trait;

use super::{Client, non_resource_calls as other, resources, stores, validate};
use crate::{Call, Provider, Reply, Result};

#[async_trait]
impl Provider for Client {
    async fn call(&self, call: Call<'_>) -> Result<Reply> {
        match call {
            // Fetched once for all calls that need it; `fetch` names the call in its errors itself.
            Call::Schemas => Ok(self.known().await?.clone().into()),
            call => self.during(call.method(), self.send_call(call)).await,
        }
    }
}

impl Client {
    async fn send_call(&self, call: Call<'_>) -> Result<Reply> {
        Ok(match call {
            Call::Schemas => self.known().await?.clone().into(),
            Call::Metadata => other::metadata(self).await?.into(),
            Call::Validate(component, name, config) => {
                validate::validate(self, component, name, config).await?.into()
            }
            Call::Configure(config) => other::configure(self, config).await?.into(),
            Call::Upgrade(request) => resources::upgrade(self, request).await?.into(),
            Call::UpgradeIdentity(request) => resources::upgrade_identity(self, request).await?.into(),
            Call::Read(request) => resources::read(self, request).await?.into(),
            Call::Plan(name, request) => resources::plan(self, name, request).await?.into(),
            Call::Apply(name, request) => resources::apply(self, name, request).await?.into(),
            Call::Import(request) => resources::import(self, request).await?.into(),
            Call::Move(request) => resources::move_state(self, request).await?.into(),
            Call::GenerateConfig(name, state) => resources::generate_config(self, name, state).await?.into(),
            Call::ReadData(name, config) => other::read_data(self, name, config).await?.into(),
            Call::Open(name, config) => other::open(self, name, config).await?.into(),
            Call::Renew(name, private) => other::renew(self, name, private).await?.into(),
            Call::Close(name, private) => other::close(self, name, private).await?.into(),
            Call::List(request) => other::list(self, request).await?.into(),
            Call::CallFunction(name, arguments) => other::call_function(self, name, arguments).await?.into(),
            Call::PlanAction(name, config) => other::plan_action(self, name, config).await?.into(),
            Call::InvokeAction(name, config) => other::invoke_action(self, name, config).await?.into(),
            Call::ConfigureStore(name, config, chunk_size) => {
                stores::configure_store(self, name, config, chunk_size).await?.into()
            }
            Call::ReadState(name, id) => stores::read_state(self, name, id).await?.into(),
            Call::WriteState(name, id, state, chunk_size) => {
                stores::write_state(self, name, id, state, chunk_size).await?.into()
            }
            Call::LockState(name, id, operation) => {
                stores::lock_state(self, name, id, operation).await?.into()
            }
            Call::UnlockState(name, id, lock) => stores::unlock_state(self, name, id, lock).await?.into(),
            Call::States(name) => stores::states(self, name).await?.into(),
            Call::DeleteState(name, id) => stores::delete_state(self, name, id).await?.into(),
            Call::Stop => other::stop(self).await?.into(),
        })
    }
}
