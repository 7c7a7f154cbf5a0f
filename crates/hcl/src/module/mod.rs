//! A module: the declarations of its files, merged as Terraform does.
//!
//! `raw` reads blocks of either syntax and `shape` lists their arguments and blocks. `read` turns them into the types
//! of `declarations`, with `merge` for override files. `environment` evaluates names, with `variable` for the values of
//! variables.

mod declarations;
mod environment;
mod import_target;
mod read;
mod resource;
mod testing;
mod trigger;
mod variable;

pub use declarations::{
    ActionConfig, ActionName, ActionRef, ActionTriggerConfig, CheckConfig, Condition, ConstantText,
    ImportConfig, ImportTarget, LifecycleConfig, ModuleCall, ModuleConfig, MoveEndpoint, MoveTarget,
    MovedConfig, OnFailure, OutputConfig, ProviderConfig, ProviderRef, ProvisionerConfig, RemovedConfig,
    RequiredProvider, ResourceConfig, ResourceName, StateStorage, TriggerEvent, VariableConfig,
};
pub use environment::Environment;
pub use resource::each;
pub use testing::{
    MockData, MockObject, MockProvider, Override, OverrideDuring, RunCommand, RunModule, RunPlanOptions,
    TestFile, TestRun,
};
pub use variable::{Input, VariableValues};

use crate::syntax::ast::Body;

impl Body {
    /// The arguments and blocks whose names are distinguished so, and the others.
    pub(crate) fn split(self, is_first: impl Fn(&str) -> bool) -> (Body, Body) {
        let (attributes, other_attributes) = self.attributes.into_iter().partition(|a| is_first(&a.name));
        let (blocks, other_blocks) = self.blocks.into_iter().partition(|block| is_first(&block.kind));
        let missing = self.missing;
        (
            Body { attributes, blocks, missing },
            Body { attributes: other_attributes, blocks: other_blocks, missing },
        )
    }
}
