//! The declarations of test files and mock files, as data.

use std::collections::BTreeMap;

use objchange::address::Mode;
use objchange_text::Span;
use smol_str::SmolStr;

use super::declarations::{Condition, MoveTarget, ProviderConfig, ProviderRef, VariableConfig};
use crate::syntax::ast::{Attribute, Expr};

/// The declarations of a test file: `*.tftest.hcl` or `*.tftest.json`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TestFile {
    /// `parallel` of the `test` block: runs may go side by side where they do not say otherwise.
    pub parallel: bool,
    /// The values of the `variables` block.
    pub variables: Vec<Attribute>,
    /// The `variable` blocks by name.
    pub declared: BTreeMap<SmolStr, VariableConfig>,
    /// The `provider` blocks, in source order.
    pub providers: Vec<ProviderConfig>,
    /// The `mock_provider` blocks, in source order.
    pub mock_providers: Vec<MockProvider>,
    /// The override blocks of the file itself, in source order.
    pub overrides: Vec<Override>,
    /// The `run` blocks, in source order.
    pub runs: Vec<TestRun>,
}

/// A `run` block.
#[derive(Debug, Clone)]
pub struct TestRun {
    /// The name.
    pub name: SmolStr,
    /// Where the name is written.
    pub name_span: Span,
    /// The header of the block.
    pub header: Span,
    /// Whether it plans or applies.
    pub command: RunCommand,
    /// The values of its `variables` block.
    pub variables: Vec<Attribute>,
    /// Its `plan_options` block.
    pub plan_options: RunPlanOptions,
    /// Its `module` block: the module that it runs in place of the one under test.
    pub module: Option<RunModule>,
    /// Its `assert` blocks.
    pub asserts: Vec<Condition>,
    /// The references in `expect_failures`.
    pub expect_failures: Vec<Expr>,
    /// `providers`: the configuration in the module, and the one of the file that it gets.
    pub providers: Vec<(ProviderRef, ProviderRef)>,
    /// `state_key`.
    pub state_key: Option<String>,
    /// `parallel`.
    pub parallel: Option<bool>,
    /// Its override blocks.
    pub overrides: Vec<Override>,
}

/// The command of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunCommand {
    /// It plans and applies.
    #[default]
    Apply,
    /// It plans.
    Plan,
}

/// A `plan_options` block.
#[derive(Debug, Clone)]
pub struct RunPlanOptions {
    /// `mode = refresh-only`.
    pub refresh_only: bool,
    /// `refresh`.
    pub refresh: bool,
    /// The references of `replace`.
    pub replace: Vec<Expr>,
    /// The references of `target`.
    pub target: Vec<Expr>,
}

impl Default for RunPlanOptions {
    fn default() -> Self {
        Self { refresh_only: false, refresh: true, replace: Vec::new(), target: Vec::new() }
    }
}

/// A `module` block of a run.
#[derive(Debug, Clone)]
pub struct RunModule {
    /// The header of the block.
    pub header: Span,
    /// `source`, with its place.
    pub source: (String, Span),
    /// `version`, with its place.
    pub version: Option<(String, Span)>,
}

/// When the values of mocks and overrides are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverrideDuring {
    /// While applying; a plan has unknown values.
    #[default]
    Apply,
    /// While planning already.
    Plan,
}

/// A `mock_provider` block.
#[derive(Debug, Clone)]
pub struct MockProvider {
    /// The header of the block.
    pub header: Span,
    /// The local name of the provider.
    pub name: SmolStr,
    /// Where the name is written.
    pub name_span: Span,
    /// `alias`.
    pub alias: Option<SmolStr>,
    /// `source`: a directory with mock files, with its place.
    pub source: Option<(String, Span)>,
    /// `override_during`.
    pub during: Option<OverrideDuring>,
    /// The mock data in the block itself.
    pub data: MockData,
}

/// The mocks of a `mock_provider` block or of a mock file.
#[derive(Debug, Clone, Default)]
pub struct MockData {
    /// The `mock_resource`, `mock_data` and `mock_ephemeral` blocks, in source order.
    pub objects: Vec<MockObject>,
    /// The override blocks, in source order.
    pub overrides: Vec<Override>,
}

/// A `mock_resource`, `mock_data` or `mock_ephemeral` block.
#[derive(Debug, Clone)]
pub struct MockObject {
    /// The header of the block.
    pub header: Span,
    /// The mode of the mocked type: managed resources, data sources or ephemeral resources.
    pub mode: Mode,
    /// The type.
    pub type_name: SmolStr,
    /// `defaults`.
    pub defaults: Option<Attribute>,
    /// `override_during`.
    pub during: Option<OverrideDuring>,
}

/// An `override_resource`, `override_data`, `override_ephemeral` or `override_module` block.
#[derive(Debug, Clone)]
pub struct Override {
    /// The header of the block.
    pub header: Span,
    /// The target that it overrides.
    pub target: MoveTarget,
    /// Where the target is written, with the name of the argument.
    pub target_span: Span,
    /// `values` or `outputs`.
    pub values: Option<Attribute>,
    /// `override_during`.
    pub during: Option<OverrideDuring>,
}
