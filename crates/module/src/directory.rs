//! Planning the module in a directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use objchange_document::Version;
use objchange_hcl::Functions;
use smol_str::SmolStr;

use crate::config::{Config, LoadOptions};
use crate::files::Files;
use crate::plan::variable::root_value;
use crate::plan::{GivenVariable, ModulePlan, PlanInput, PlanMode, PlanOptions, plan};
use crate::state::PriorState;
use crate::variables::{NeededVariables, VariableSources, read_variables};
use crate::versions::since;
use crate::{Diagnostics, ProviderAddress, Providers, Schemas, Severity};

/// The texts that a module is loaded from.
#[derive(Clone, Copy)]
pub struct ModuleTexts<'t> {
    /// The files of the modules; the root module is in `.`.
    pub files: &'t dyn Files,
    /// The manifest of installed modules; `None` looks for it in `.terraform/modules`.
    pub manifest: Option<&'t str>,
    /// The sources of values for the variables of the root module.
    pub variables: &'t VariableSources,
    /// The version of Terraform that `required_version` is about: `1.11.4`.
    pub terraform_version: &'t str,
}

impl std::fmt::Debug for ModuleTexts<'_> {
    /// Without the texts, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModuleTexts")
            .field("terraform_version", &self.terraform_version)
            .finish_non_exhaustive()
    }
}

/// A module that was loaded, with the values of its variables.
///
/// ```
/// use objchange_hcl::Functions;
/// use objchange_module::config::MemoryFiles;
/// use objchange_module::plan::PlanOptions;
/// use objchange_module::state::PriorState;
/// use objchange_module::variables::VariableSources;
/// use objchange_module::{Module, ModuleTexts, Schemas, SimulatedProviders};
///
/// let files: MemoryFiles =
///     [("main.tf", "output \"o\" {\n  value = \"x\"\n}\n")].into_iter().collect();
/// let variables = VariableSources::default();
/// let texts = ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
/// let (schemas, options) = (Schemas::default(), PlanOptions::default());
/// let module = Module::load(texts, &options);
/// let plan =
///     module.plan(&PriorState::default(), &schemas, Functions::pure(), &options, &mut SimulatedProviders::default());
/// assert!(plan.applyable && plan.outputs.contains_key("o"));
/// ```
#[derive(Debug, Default)]
pub struct Module {
    /// The module with all modules that it calls.
    pub config: Config,
    /// The values given for the variables of the root module.
    pub variables: BTreeMap<SmolStr, GivenVariable>,
    /// Errors, with which nothing can be planned, and warnings.
    pub diagnostics: Diagnostics,
}

impl Module {
    /// Loads a module. Errors in its files are reported before errors in the values of variables.
    pub fn load(texts: ModuleTexts<'_>, options: &PlanOptions) -> Self {
        let mut module = Self::load_as_newest(texts, options);
        if !since(options.version, "1.13") {
            module.diagnostics.name_no_given_types();
        }
        module
    }

    /// Loads it, with errors in the words of the newest version.
    fn load_as_newest(texts: ModuleTexts<'_>, options: &PlanOptions) -> Self {
        let load = LoadOptions {
            manifest: texts.manifest,
            accepts_missing: options.accepts.modules,
            sources: &options.module_sources,
            ..LoadOptions::new(texts.terraform_version)
        };
        let needed = NeededVariables::of_plan(options.accepts.variables);
        let (config, diagnostics) =
            load_with_constants(texts.files, &load, texts.variables, options.version, needed);
        let mut module = match diagnostics {
            Ok(diagnostics) => Self { config, diagnostics, ..Self::default() },
            Err(diagnostics) => return Self { config, diagnostics, ..Self::default() },
        };
        if !module.diagnostics.has_errors()
            && module.config.sources.is_empty()
            && options.mode != PlanMode::Destroy
        {
            let detail = "Plan requires configuration to be present. Planning without a configuration would mark everything for \
                          destruction, which is normally not what is desired. If you would like to destroy everything, run \
                          plan with the -destroy option. Otherwise, create a Terraform configuration file (.tf file) and try \
                          again.";
            // With `-destroy` Terraform accepts an empty directory: then all of the state is orphaned.
            module.diagnostics.without_place(Severity::Error, "No configuration files", detail);
        }
        if module.diagnostics.has_errors() {
            return module;
        }
        let (variables, found) = read_variables(&mut module.config, texts.variables, options.version, needed);
        module.variables = variables;
        module.diagnostics.append(found);
        if !module.diagnostics.has_errors() && options.mode != PlanMode::Normal && !options.replace.is_empty()
        {
            let detail = "Forcing resource instance replacement (with -replace=...) is allowed only in normal planning mode.";
            module.diagnostics.without_place(Severity::Error, "Unsupported plan mode", detail);
        }
        module
    }

    /// The providers of the configuration whose schemas are not there.
    pub fn without_schemas(&self, schemas: &Schemas) -> BTreeSet<ProviderAddress> {
        let providers = self.config.providers().into_iter();
        providers.filter(|provider| !provider.is_builtin() && !schemas.has_provider(provider)).collect()
    }

    /// Plans it in this way, such as [`plan`]. Where loading has found errors, the plan has these alone, and there is no
    /// more than that.
    pub fn plan_by<R: Default>(
        &self,
        state: &PriorState,
        schemas: &Schemas,
        functions: &Functions,
        options: &PlanOptions,
        plan: impl FnOnce(&PlanInput<'_>) -> (ModulePlan, R),
    ) -> (ModulePlan, R) {
        let mut diagnostics = self.diagnostics.clone();
        if diagnostics.has_errors() {
            return (ModulePlan { errored: true, diagnostics, ..ModulePlan::default() }, R::default());
        }
        let variables = &self.variables;
        let input = PlanInput { config: &self.config, schemas, state, variables, functions, options };
        let (planned, more) = plan(&input);
        diagnostics.append(planned.diagnostics);
        if !since(options.version, "1.13") {
            diagnostics.name_no_given_types();
        }
        (ModulePlan { diagnostics, ..planned }, more)
    }

    /// Plans it. Where loading has found errors, the plan has these alone.
    pub fn plan(
        &self,
        state: &PriorState,
        schemas: &Schemas,
        functions: &Functions,
        options: &PlanOptions,
        providers: &mut dyn Providers,
    ) -> ModulePlan {
        self.plan_by(state, schemas, functions, options, |input| (plan(input, providers), ())).0
    }
}

/// Loads the modules, with the values that are given for constant variables of the root module. Wrong values are
/// returned as an error, because the modules are unknown without them.
pub(crate) fn load_with_constants(
    files: &dyn Files,
    load: &LoadOptions<'_>,
    sources: &VariableSources,
    version: Version,
    needed: NeededVariables,
) -> (Config, Result<Diagnostics, Diagnostics>) {
    let (mut config, diagnostics) = Config::load(files, ".", load);
    // The types of constant variables are known after a first load. Sources of modules that depend on their values need a
    // second one.
    if !config.has_constants() {
        return (config, Ok(diagnostics));
    }
    let (given, mut found) = read_variables(&mut config, sources, version, needed);
    let mut constants = BTreeMap::new();
    let root = Arc::clone(&config.modules[0].config);
    for (name, variable) in root.variables.iter().filter(|(_, variable)| variable.constant) {
        match root_value(&config, name, variable, given.get(name)) {
            Ok(value) => constants.extend(value.map(|value| (name.clone(), value))),
            Err(error) => found.push(Severity::Error, *error),
        }
    }
    if found.has_errors() {
        return (config, Err(found));
    }
    let (config, diagnostics) = Config::load_with_constants(files, ".", load, constants);
    (config, Ok(diagnostics))
}
