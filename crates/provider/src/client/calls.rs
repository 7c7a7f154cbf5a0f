//! The client as a provider: each call by its name, so that what goes wrong names it.

use std::sync::Arc;

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
};

use super::{Client, non_resource_calls, resources, stores, validate};
use crate::call::{
    ActionEvent, ActionPlan, Answer, FunctionAnswer, ImportAnswer, ImportResource, ListQuestion, Listed,
    Locked, Metadata, MoveResource, Opened, ReadResource, StateIds, StoreConfigured, StoredState,
    UpgradeResource,
};
use crate::wire::Method;
use crate::{Component, Provider, Result, Schemas};

#[async_trait]
impl Provider for Client {
    async fn schemas(&self) -> Result<Arc<Schemas>> {
        self.known().await.cloned()
    }

    async fn metadata(&self) -> Result<Metadata> {
        self.during(Method::METADATA, non_resource_calls::metadata(self)).await
    }

    async fn validate(&self, component: Component, name: &str, config: &Value) -> Result<Vec<Diagnostic>> {
        self.during(validate::method(component), validate::validate(self, component, name, config)).await
    }

    async fn configure(&self, config: &Value) -> Result<Vec<Diagnostic>> {
        self.during(Method::CONFIGURE, non_resource_calls::configure(self, config)).await
    }

    async fn upgrade(&self, request: &UpgradeResource) -> Result<Answer> {
        self.during(Method::UPGRADE, resources::upgrade(self, request)).await
    }

    async fn upgrade_identity(&self, request: &UpgradeResource) -> Result<Answer> {
        self.during(Method::UPGRADE_IDENTITY, resources::upgrade_identity(self, request)).await
    }

    async fn read(&self, request: &ReadResource) -> Result<Answer> {
        self.during(Method::READ, resources::read(self, request)).await
    }

    async fn plan(&self, type_name: &str, request: &PlanResourceChange) -> Result<PlannedResource> {
        self.during(Method::PLAN, resources::plan(self, type_name, request)).await
    }

    async fn apply(&self, type_name: &str, request: &ApplyResourceChange) -> Result<AppliedResource> {
        self.during(Method::APPLY, resources::apply(self, type_name, request)).await
    }

    async fn import(&self, request: &ImportResource) -> Result<ImportAnswer> {
        self.during(Method::IMPORT, resources::import(self, request)).await
    }

    async fn move_state(&self, request: &MoveResource) -> Result<Answer> {
        self.during(Method::MOVE, resources::move_state(self, request)).await
    }

    async fn generate_config(&self, type_name: &str, state: &Value) -> Result<Answer> {
        self.during(Method::GENERATE, resources::generate_config(self, type_name, state)).await
    }

    async fn read_data(&self, type_name: &str, config: &Value) -> Result<Answer> {
        self.during(Method::READ_DATA, non_resource_calls::read_data(self, type_name, config)).await
    }

    async fn open(&self, type_name: &str, config: &Value) -> Result<Opened> {
        self.during(Method::OPEN, non_resource_calls::open(self, type_name, config)).await
    }

    async fn renew(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Opened> {
        self.during(Method::RENEW, non_resource_calls::renew(self, type_name, private)).await
    }

    async fn close(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Vec<Diagnostic>> {
        self.during(Method::CLOSE, non_resource_calls::close(self, type_name, private)).await
    }

    async fn list(&self, request: &ListQuestion) -> Result<Vec<Listed>> {
        self.during(Method::LIST, non_resource_calls::list(self, request)).await
    }

    async fn call_function(&self, name: &str, arguments: &[Value]) -> Result<FunctionAnswer> {
        self.during(Method::CALL_FUNCTION, non_resource_calls::call_function(self, name, arguments)).await
    }

    async fn plan_action(&self, type_name: &str, config: &Value) -> Result<ActionPlan> {
        self.during(Method::PLAN_ACTION, non_resource_calls::plan_action(self, type_name, config)).await
    }

    async fn invoke_action(&self, type_name: &str, config: &Value) -> Result<Vec<ActionEvent>> {
        self.during(Method::INVOKE_ACTION, non_resource_calls::invoke_action(self, type_name, config)).await
    }

    async fn stop(&self) -> Result<String> {
        self.during(Method::STOP, non_resource_calls::stop(self)).await
    }

    async fn configure_store(
        &self,
        type_name: &str,
        config: &Value,
        chunk_size: i64,
    ) -> Result<StoreConfigured> {
        self.during(Method::CONFIGURE_STORE, stores::configure_store(self, type_name, config, chunk_size))
            .await
    }

    async fn read_state(&self, type_name: &str, id: &str) -> Result<StoredState> {
        self.during(Method::READ_STATE, stores::read_state(self, type_name, id)).await
    }

    async fn write_state(
        &self,
        type_name: &str,
        id: &str,
        state: &[u8],
        chunk_size: i64,
    ) -> Result<Vec<Diagnostic>> {
        self.during(Method::WRITE_STATE, stores::write_state(self, type_name, id, state, chunk_size)).await
    }

    async fn lock_state(&self, type_name: &str, id: &str, operation: &str) -> Result<Locked> {
        self.during(Method::LOCK_STATE, stores::lock_state(self, type_name, id, operation)).await
    }

    async fn unlock_state(&self, type_name: &str, id: &str, lock: &str) -> Result<Vec<Diagnostic>> {
        self.during(Method::UNLOCK_STATE, stores::unlock_state(self, type_name, id, lock)).await
    }

    async fn states(&self, type_name: &str) -> Result<StateIds> {
        self.during(Method::STATES, stores::states(self, type_name)).await
    }

    async fn delete_state(&self, type_name: &str, id: &str) -> Result<Vec<Diagnostic>> {
        self.during(Method::DELETE_STATE, stores::delete_state(self, type_name, id)).await
    }
}
