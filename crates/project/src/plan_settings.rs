//! Settings for planning the module in a directory.

use std::path::PathBuf;

use objchange_document::Version;
use objchange_files::input::Size;
use objchange_module::PlanArguments;

use crate::inputs::VariableSetting;
#[cfg(feature = "provider")]
use crate::program::ProviderProgram;
#[cfg(feature = "provider")]
use crate::real::RealChoice;
use crate::schema_lookup::SchemaLookup;
use crate::shared_reads::SharedReads;
use crate::state::StateChoice;
#[cfg(feature = "provider")]
use crate::workplace::Workplace;

/// Settings for planning the module in a directory.
#[derive(Clone)]
pub struct PlanSettings<'a> {
    /// Values of variables, beside those in files of the directory and in the environment.
    pub variables: &'a [VariableSetting],
    /// Files with answers in place of providers.
    pub answers: &'a [PathBuf],
    /// The mode, and what is targeted or replaced.
    pub arguments: PlanArguments,
    /// The most resource instances of a plan.
    pub max_instances: usize,
    /// Directories that may be read, too.
    pub allow_path: &'a [PathBuf],
    /// Sources of modules, and the directories in which these lie.
    pub module_sources: &'a [(String, PathBuf)],
    /// The state that it starts from.
    pub state: StateChoice<'a>,
    /// Computed attributes of updated objects are unknown in a simulated plan, because their provider may change them.
    /// Otherwise they keep their values.
    pub is_strict: bool,
    /// Something decides by the plan, or writes it for others: a module with files that only OpenTofu reads is an error where
    /// nothing says for which program it is.
    pub must_be_whole: bool,
    /// The plan is saved, as with `terraform plan -out`, and nothing decides by it yet.
    pub is_saved: bool,
    /// Where a plan file is planned once more, the providers answer as they did when it was made: the plan is explained, and
    /// not made with other inputs.
    pub answers_as_saved: bool,
    /// The inputs that must not be missing.
    pub require: RequiredInputs,
    /// Nobody decides by the plan, and it is not kept: if the state is elsewhere, the configuration alone is planned.
    pub may_lack_state: bool,
    /// The version whose rules apply.
    pub version: Version,
    /// The files are read as OpenTofu reads them.
    pub is_opentofu: bool,
    /// Somebody has said which program this is for.
    pub names_program: bool,
    /// The most bytes of the state and of each document of schemas.
    pub max_input: Size,
    /// Documents of schemas, and directories of them.
    pub schemas: &'a [PathBuf],
    /// Providers that are asked for their schemas, and for more if `real` chooses them.
    #[cfg(feature = "provider")]
    pub programs: &'a [ProviderProgram],
    /// Where the other schemas come from.
    pub lookup: SchemaLookup,
    /// The real providers that run for the plan.
    #[cfg(feature = "provider")]
    pub real: RealChoice<'a>,
    /// Files and schemas that other plans have read already.
    pub shared: Option<&'a SharedReads>,
    /// Where they are asked.
    #[cfg(feature = "provider")]
    pub workplace: &'a dyn Fn() -> std::io::Result<Workplace>,
}

/// The inputs that must not be missing: if one is, nothing is planned. Without others a plan is made all the same, and
/// whatever depends on them is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequiredInputs {
    /// Values of variables.
    pub variables: bool,
    /// Modules.
    pub modules: bool,
    /// Schemas of providers.
    pub schemas: bool,
    /// The state of a directory.
    pub state: bool,
    /// Files that functions read, where a plan file is planned again.
    pub files: bool,
}

impl Default for PlanSettings<'_> {
    /// Plans by the newest rules, from the state of the directory, with the schemas in the cache of this user, and without
    /// asking providers.
    ///
    /// ```
    /// use objchange_project::{PlanError, PlanSettings, plan_directory};
    ///
    /// let planned = plan_directory("no/such/directory".as_ref(), &PlanSettings::default());
    /// let error = planned.answer.unwrap_err();
    /// assert!(matches!(error, PlanError::File(_)));
    /// ```
    fn default() -> Self {
        Self {
            variables: &[],
            answers: &[],
            arguments: PlanArguments::default(),
            max_instances: 1_000_000,
            allow_path: &[],
            module_sources: &[],
            state: StateChoice::OfDirectory,
            is_strict: false,
            must_be_whole: false,
            is_saved: false,
            answers_as_saved: false,
            require: RequiredInputs::default(),
            may_lack_state: false,
            version: Version::NEWEST,
            is_opentofu: false,
            names_program: false,
            max_input: Size(1 << 30),
            schemas: &[],
            #[cfg(feature = "provider")]
            programs: &[],
            lookup: SchemaLookup::of_user(),
            #[cfg(feature = "provider")]
            real: RealChoice::default(),
            shared: None,
            #[cfg(feature = "provider")]
            workplace: &Workplace::new,
        }
    }
}

impl std::fmt::Debug for PlanSettings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The values of variables may be secrets.
        f.debug_struct("PlanSettings").field("arguments", &self.arguments).finish_non_exhaustive()
    }
}
