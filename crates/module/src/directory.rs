//! Planning the module in a directory, from the texts that it is made of.

use objchange_hcl::Functions;

use crate::config::{Config, Files, LoadOptions};
use crate::plan::{ModulePlan, PlanInput, PlanMode, PlanOptions, plan};
use crate::state::{PriorState, ReadStateError};
use crate::variables::{VariableSources, given_variables};
use crate::{Diagnostics, Providers, Schemas, Severity};

/// The texts that a module is planned from.
#[derive(Debug)]
pub struct ModuleTexts<'t, F: Files> {
    /// The files of the modules; the root module is in `.`.
    pub files: &'t F,
    /// The manifest of installed modules; `None` looks for it in `.terraform/modules`.
    pub manifest: Option<&'t str>,
    /// What gives values to the variables of the root module.
    pub variables: &'t VariableSources,
    /// The state file, if there is one.
    pub state: Option<&'t str>,
    /// The version of Terraform that `required_version` is about: `1.11.4`.
    pub terraform_version: &'t str,
}

/// A module that was loaded, with the values of its variables and the state before, and what was wrong with these.
#[derive(Debug, Default)]
pub struct LoadedDirectory {
    /// The modules.
    pub config: Config,
    /// What is given for the variables of the root module.
    pub variables: std::collections::BTreeMap<smol_str::SmolStr, crate::plan::GivenVariable>,
    /// The state before.
    pub state: PriorState,
    /// Errors, with which nothing can be planned, and warnings.
    pub diagnostics: Diagnostics,
}

impl LoadedDirectory {
    /// Loads a module. What is wrong with its files is told before what is wrong with the values of variables, and that
    /// before the state is looked at.
    ///
    /// # Errors
    ///
    /// The state cannot be read.
    pub fn load<F: Files>(
        texts: &ModuleTexts<'_, F>,
        schemas: &Schemas,
        options: &PlanOptions,
    ) -> Result<Self, ReadStateError> {
        let load = LoadOptions { manifest: texts.manifest, terraform_version: texts.terraform_version };
        let (config, diagnostics) = Config::load(texts.files, ".", &load);
        let mut loaded = Self { config, diagnostics, ..Self::default() };
        if loaded.config.sources.is_empty() && options.mode != PlanMode::Destroy {
            let detail = "Plan requires configuration to be present. Planning without a configuration would mark everything for \
                          destruction, which is normally not what is desired. If you would like to destroy everything, run \
                          plan with the -destroy option. Otherwise, create a Terraform configuration file (.tf file) and try \
                          again.";
            loaded.diagnostics.without_place(Severity::Error, "No configuration files", detail);
        }
        if loaded.diagnostics.has_errors() {
            return Ok(loaded);
        }
        let (variables, found) = given_variables(&mut loaded.config, texts.variables, options.version);
        loaded.variables = variables;
        loaded.diagnostics.append(found);
        if loaded.diagnostics.has_errors() {
            return Ok(loaded);
        }
        if options.mode != PlanMode::Normal && !options.replace.is_empty() {
            let detail = "Forcing resource instance replacement (with -replace=...) is allowed only in normal planning mode.";
            loaded.diagnostics.without_place(Severity::Error, "Unsupported plan mode", detail);
            return Ok(loaded);
        }
        if let Some(text) = texts.state {
            let (state, found) = PriorState::read(text, schemas)?;
            loaded.state = state;
            loaded.diagnostics.append(found);
        }
        Ok(loaded)
    }

    /// Plans it. Where loading has found errors the plan has these alone.
    pub fn plan(
        &self,
        schemas: &Schemas,
        functions: &Functions,
        options: &PlanOptions,
        providers: &mut dyn Providers,
    ) -> ModulePlan {
        let mut diagnostics = self.diagnostics.clone();
        if diagnostics.has_errors() {
            return ModulePlan { errored: true, diagnostics, ..ModulePlan::default() };
        }
        let input = PlanInput {
            config: &self.config,
            schemas,
            state: &self.state,
            variables: &self.variables,
            functions,
            options,
        };
        let planned = plan(&input, providers);
        diagnostics.append(planned.diagnostics);
        ModulePlan { diagnostics, ..planned }
    }
}
