//! The plan of a directory, for everything that takes a plan.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use objchange_document::{
    ChangeSet, Facts, MadePlan, MaskedNames, NoState, PlanFile, PlanFileError, PlanMode, PlanOrigin,
    Prediction, ProviderDependent,
};
use objchange_module::config::Config;
use objchange_module::document::{DocumentInfo, change_set, write_plan};
use objchange_module::plan::{ModulePlan, PlanOptions, PlannedAction, PlannedObject};
use objchange_module::{DiagnosticPrinter, ProviderAddress, Schemas, Unanswered};
use objchange_text::counted;

/// A module that was planned, and what from.
#[derive(Debug)]
pub struct PlannedDirectory {
    /// The plan, which may have errors.
    pub plan: ModulePlan,
    /// The configuration of all modules.
    pub config: Config,
    /// The schemas of all providers.
    pub schemas: Schemas,
    /// The options that it was planned with.
    pub options: PlanOptions,
    /// A strict plan would differ: providers that were not asked are taken to leave values alone that they may change.
    pub is_trusting: bool,
    /// The providers that were asked.
    pub asked: BTreeSet<ProviderAddress>,
    /// Questions to providers that had no answer.
    pub unanswered: Unanswered,
    /// Why it was planned from no state, if it was.
    pub no_state: Option<NoState>,
    /// Files with values of variables that were not read, if variables have no value.
    pub variable_files: Vec<String>,
    /// When it was planned: the value of `plantimestamp()`, too.
    pub timestamp: String,
}

impl PlannedDirectory {
    /// The providers that a part of the plan was made without.
    pub fn simulated_providers(&self) -> BTreeSet<&ProviderAddress> {
        self.plan.simulated_providers(&self.asked)
    }

    /// The plan as a document, as `terraform show -json` writes it.
    pub fn document(&self) -> String {
        let version = self.rules();
        write_plan(&self.plan, &self.config, &self.schemas, &self.info(&version))
    }

    /// The version of Terraform whose rules were followed.
    fn rules(&self) -> String {
        format!("{}.0", self.options.version)
    }

    /// The program and the time of the document.
    fn info<'a>(&'a self, terraform_version: &'a str) -> DocumentInfo<'a> {
        DocumentInfo {
            terraform_version,
            is_simulated: self.is_prediction(),
            prediction: Prediction { is_trusting: self.is_trusting, is_refreshed: self.options.refresh },
            timestamp: &self.timestamp,
        }
    }

    /// Whether Terraform would know more: a provider was not asked, or an input is missing. It would know the workspace's name,
    /// too. Data sources are not among the changes if it only refreshes, and functions of providers are never there.
    fn is_prediction(&self) -> bool {
        let plan = &self.plan;
        !self.simulated_providers().is_empty()
            || plan.lacks_workspace
            || plan.lacks_answers
            || !plan.missing.is_empty()
    }

    /// The changes, as predictions where providers are simulated.
    pub fn changes(&self) -> ChangeSet<'_> {
        let mut changes = change_set(&self.plan);
        changes.predicted = !self.simulated_providers().is_empty();
        changes
    }

    /// Whether there is a plan. An error before planning began leaves no changes: as a document this would look like a plan that
    /// does nothing.
    pub fn has_plan(&self) -> bool {
        self.plan.has_begun || !self.plan.errored
    }

    /// The plan with the marks of its schemas, for everything that takes a plan. `name` appears in messages.
    ///
    /// ```
    /// use objchange_document::PlanFileError;
    /// use objchange_project::PlannedDirectory;
    ///
    /// fn count(planned: PlannedDirectory) -> Result<usize, PlanFileError> {
    ///     Ok(planned.into_plan_file("env/prod")?.judged()?.changes.resources.len())
    /// }
    /// # let planned = objchange_project::plan_directory("../../examples/module".as_ref(), &Default::default());
    /// # assert!(planned.answer.is_ok_and(|planned| count(planned).is_ok_and(|count| count > 0)));
    /// ```
    ///
    /// # Errors
    ///
    /// There are two objects of one address.
    pub fn into_plan_file(self, name: impl Into<String>) -> Result<PlanFile, PlanFileError> {
        let no_state = self.no_state;
        PlanFile::made(name, Box::new(MadeDirectory::new(self)), no_state)
    }

    /// The document of the plan, where values of these names are marked as sensitive.
    ///
    /// # Errors
    ///
    /// There are two objects of one address.
    pub fn masked(&self, names: &MaskedNames) -> Result<PlanFile, PlanFileError> {
        let document = PlanFile::parse("plan", self.document())?;
        document.with_schemas(&Arc::new(self.report_schemas()))?.with_masked_names(names)
    }

    /// The schemas of all providers, for reports.
    pub fn report_schemas(&self) -> objchange_document::Schemas {
        objchange_document::Schemas::new(self.schemas.to_document())
    }

    /// The errors and warnings as `terraform plan` prints them; empty if there are none. No secret is shown.
    pub fn messages(&self) -> String {
        DiagnosticPrinter::new(&self.config, &self.schemas).text(&self.plan.diagnostics)
    }

    /// The sources and provider versions that it was made from, where `directory` was planned.
    pub fn origin(&self, directory: &Path) -> PlanOrigin {
        crate::lock_file::origin(directory, &self.config)
    }

    /// Counts of changes that depend on providers that did not run.
    pub fn unasked(&self) -> ProviderDependent {
        let providers = self.simulated_providers();
        let simulated = || self.plan.changes.iter().filter(|change| providers.contains(&change.provider));
        let count =
            |is_counted: fn(&PlannedObject) -> bool| simulated().filter(|change| is_counted(change)).count();
        let refreshed = self.plan.refreshed_alone();
        let refreshed = refreshed.filter(|(_, resource)| providers.contains(&resource.provider.provider));
        let refreshed: usize = refreshed.map(|(_, resource)| resource.instances.len()).sum();
        ProviderDependent {
            refreshed,
            updates: count(|change| change.action == PlannedAction::Update),
            imports: count(|change| change.importing.is_some()),
            objects: count(|change| !change.before.is_null()),
            is_trusting: self.is_trusting,
            may_invoke: self.config.modules.iter().any(|module| !module.config.actions.is_empty()),
            unread: match self.options.refresh {
                true => count(|change| {
                    let is_gone = matches!(change.action, PlannedAction::Delete | PlannedAction::Forget);
                    !change.before.is_null() && !is_gone
                }),
                false => 0,
            },
        }
    }

    /// Says that the workspace has no state, or that nothing says which one is selected.
    pub fn state_note(&self) -> Option<String> {
        match &self.options.workspace {
            Some(name) if self.no_state == Some(NoState::Missing) => {
                Some(format!("the workspace {name:?} has no state: nothing exists yet"))
            }
            None if self.plan.lacks_workspace => Some(
                "nothing says which workspace is selected, so terraform.workspace is unknown; set TF_WORKSPACE".to_owned(),
            ),
            _ => None,
        }
    }

    /// Names what objects in the state have and this version of Terraform does not read.
    pub fn unread_state_note(&self) -> Option<String> {
        let unread = self.plan.prior_state.unread_members.iter();
        let unread: Vec<String> =
            unread.map(|(address, names)| format!("{address}: {}", names.join(", "))).collect();
        (!unread.is_empty()).then(|| {
            format!(
                "Terraform {} does not read all of the state: {}",
                self.options.version,
                unread.join("; ")
            )
        })
    }

    /// Names the files that were not read because only OpenTofu reads them.
    pub fn unread_note(&self) -> Option<String> {
        let files = &self.config.opentofu_files;
        (!files.is_empty())
            .then(|| format!("not read, because only OpenTofu reads them: {}", files.join(", ")))
    }

    /// Names the simulated providers, if there are any.
    pub fn simulation_note(&self) -> Option<String> {
        let providers = self.simulated_providers();
        if providers.is_empty() {
            return None;
        }
        let providers: Vec<String> = providers.into_iter().map(ProviderAddress::for_display).collect();
        let undecided = match self.plan.undecided.len() {
            0 => String::new(),
            1 => "; the plan of 1 resource depends on them".to_owned(),
            n => format!("; the plan of {n} resources depends on them"),
        };
        let kept = match self.plan.kept_data.len() {
            0 => String::new(),
            count => format!("; {} as in the state", counted(count, "data source")),
        };
        let replaced = match self.unasked().updates {
            0 => String::new(),
            1 => "; 1 update may be a replacement".to_owned(),
            n => format!("; {n} updates may be replacements"),
        };
        Some(format!(
            "planned without asking {}: values that only a provider knows are unknown{undecided}{replaced}{kept}",
            providers.join(", ")
        ))
    }
}

/// A planned directory as a plan.
struct MadeDirectory {
    planned: PlannedDirectory,
    schemas: Arc<objchange_document::Schemas>,
    version: String,
}

impl MadeDirectory {
    fn new(planned: PlannedDirectory) -> Self {
        let schemas = Arc::new(planned.report_schemas());
        let version = planned.info(&planned.rules()).version();
        Self { planned, schemas, version }
    }
}

impl MadePlan for MadeDirectory {
    fn changes(&self) -> ChangeSet<'_> {
        self.planned.changes()
    }

    fn document(&self) -> String {
        self.planned.document()
    }

    fn facts(&self) -> Facts {
        let plan = &self.planned.plan;
        let mut facts = Facts::default();
        facts.errored = plan.errored;
        facts.incomplete = !plan.complete;
        facts.simulated = self.planned.is_prediction();
        facts.missing.clone_from(&plan.missing);
        facts.unasked = self.planned.unasked();
        facts
    }

    fn terraform_version(&self) -> &str {
        &self.version
    }

    fn mode(&self) -> PlanMode {
        self.planned.options.mode
    }

    fn workspace(&self) -> Option<&str> {
        self.planned.options.workspace.as_deref()
    }

    fn schemas(&self) -> Option<Arc<objchange_document::Schemas>> {
        Some(Arc::clone(&self.schemas))
    }
}
