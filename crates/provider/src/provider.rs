//! The calls of the protocol, over whatever is between the one who asks and the provider.

use std::sync::Arc;

use async_trait::async_trait;
use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, PrivateData,
};

use crate::call::{
    ActionEvent, ActionPlan, Answer, FunctionAnswer, ImportAnswer, ImportResource, ListQuestion, Listed,
    Locked, Metadata, MoveResource, Opened, ReadResource, StateIds, StoreConfigured, StoredState,
    UpgradeResource,
};
use crate::{Component, ErrorKind, Result, Schemas};

/// A provider: a process at the other end of a connection ([`Client`](crate::Client)), or something in this program that
/// behaves like one, such as `Kit` of `objchange-conform`.
///
/// Values are of the types that the provider's schemas imply, and carry no marks. Calls that a provider may leave out answer
/// [`ErrorKind::Unimplemented`] unless they are written.
#[async_trait]
pub trait Provider: Send + Sync {
    /// All that the provider says of itself. It is the same each time.
    async fn schemas(&self) -> Result<Arc<Schemas>>;

    /// What the provider has, by name. Who has the schemas knows it from them.
    async fn metadata(&self) -> Result<Metadata> {
        Ok(self.schemas().await?.metadata())
    }

    /// Whether a configuration is valid. It may have unknown parts.
    async fn validate(&self, component: Component, name: &str, config: &Value) -> Result<Vec<Diagnostic>>;

    /// Gives the provider its own configuration. It may have unknown parts.
    async fn configure(&self, config: &Value) -> Result<Vec<Diagnostic>>;

    /// Brings a stored object under the present schema.
    async fn upgrade(&self, request: &UpgradeResource) -> Result<Answer>;

    /// Brings a stored identity under its present schema; the answer has no object.
    async fn upgrade_identity(&self, request: &UpgradeResource) -> Result<Answer> {
        let _ = request;
        Err(ErrorKind::Unimplemented.into())
    }

    /// Looks an object up.
    async fn read(&self, request: &ReadResource) -> Result<Answer>;

    /// Plans a change of an object.
    async fn plan(&self, type_name: &str, request: &PlanResourceChange) -> Result<PlannedResource>;

    /// Makes a planned change.
    async fn apply(&self, type_name: &str, request: &ApplyResourceChange) -> Result<AppliedResource>;

    /// Finds an object that Terraform does not know yet.
    async fn import(&self, request: &ImportResource) -> Result<ImportAnswer> {
        let _ = request;
        Err(ErrorKind::Unimplemented.into())
    }

    /// Takes over an object of another type.
    async fn move_state(&self, request: &MoveResource) -> Result<Answer> {
        let _ = request;
        Err(ErrorKind::Unimplemented.into())
    }

    /// Writes a configuration for an object.
    async fn generate_config(&self, type_name: &str, state: &Value) -> Result<Answer> {
        let _ = (type_name, state);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Reads a data source.
    async fn read_data(&self, type_name: &str, config: &Value) -> Result<Answer> {
        let _ = (type_name, config);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Opens an ephemeral resource.
    async fn open(&self, type_name: &str, config: &Value) -> Result<Opened> {
        let _ = (type_name, config);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Renews an ephemeral resource; the answer has no object.
    async fn renew(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Opened> {
        let _ = (type_name, private);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Closes an ephemeral resource.
    async fn close(&self, type_name: &str, private: Option<&PrivateData>) -> Result<Vec<Diagnostic>> {
        let _ = (type_name, private);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Lists the objects that there are.
    async fn list(&self, request: &ListQuestion) -> Result<Vec<Listed>> {
        let _ = request;
        Err(ErrorKind::Unimplemented.into())
    }

    /// Calls a function.
    async fn call_function(&self, name: &str, arguments: &[Value]) -> Result<FunctionAnswer> {
        let _ = (name, arguments);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Asks what can be said of an action before it is carried out.
    async fn plan_action(&self, type_name: &str, config: &Value) -> Result<ActionPlan> {
        let _ = (type_name, config);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Carries an action out.
    async fn invoke_action(&self, type_name: &str, config: &Value) -> Result<Vec<ActionEvent>> {
        let _ = (type_name, config);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Configures a state store, and offers to send so many bytes of a state in one message.
    async fn configure_store(
        &self,
        type_name: &str,
        config: &Value,
        chunk_size: i64,
    ) -> Result<StoreConfigured> {
        let _ = (type_name, config, chunk_size);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Reads a state out of a state store.
    async fn read_state(&self, type_name: &str, id: &str) -> Result<StoredState> {
        let _ = (type_name, id);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Writes a state into a state store, so many bytes in one message.
    async fn write_state(
        &self,
        type_name: &str,
        id: &str,
        state: &[u8],
        chunk_size: i64,
    ) -> Result<Vec<Diagnostic>> {
        let _ = (type_name, id, state, chunk_size);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Keeps a state from being changed by others.
    async fn lock_state(&self, type_name: &str, id: &str, operation: &str) -> Result<Locked> {
        let _ = (type_name, id, operation);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Lets others change a state again.
    async fn unlock_state(&self, type_name: &str, id: &str, lock: &str) -> Result<Vec<Diagnostic>> {
        let _ = (type_name, id, lock);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Which states a state store has.
    async fn states(&self, type_name: &str) -> Result<StateIds> {
        let _ = type_name;
        Err(ErrorKind::Unimplemented.into())
    }

    /// Removes a state from a state store.
    async fn delete_state(&self, type_name: &str, id: &str) -> Result<Vec<Diagnostic>> {
        let _ = (type_name, id);
        Err(ErrorKind::Unimplemented.into())
    }

    /// Asks the provider to give up what it is doing. The answer is what went wrong with that, or empty.
    async fn stop(&self) -> Result<String> {
        Err(ErrorKind::Unimplemented.into())
    }
}
