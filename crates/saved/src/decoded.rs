//! The plan in a plan file as the plan of a module, whose document is the one that Terraform prints.

use std::collections::BTreeMap;
use std::sync::Arc;

use objchange_document::{BlockPlace, ChangeSet, Facts, MadePlan, PlanMode, Prediction, Version};
use objchange_module::config::Config;
use objchange_module::document::{DocumentInfo, saved_change_set, write_saved_plan};
use objchange_module::plan::{Deferrals, ModulePlan};
use objchange_module::{ProviderAddress, Schemas};
use objchange_text::Notice;

use crate::error::SavedPlanError;
use crate::plan::{Header, SavedPlan};
use crate::reading::Reading;

/// The plan in a plan file, with its values. It may hold secrets.
pub struct DecodedPlan {
    plan: ModulePlan,
    deferrals: Deferrals,
    config: Result<Config, String>,
    schemas: Schemas,
    header: Header,
    notices: Vec<Notice>,
}

impl std::fmt::Debug for DecodedPlan {
    /// Without its values, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecodedPlan").field("mode", &self.header.mode).finish_non_exhaustive()
    }
}

impl DecodedPlan {
    pub(crate) fn new(file: &SavedPlan, schemas: &Schemas) -> Result<Self, SavedPlanError> {
        let version = file.header.terraform_version.as_str();
        let config = file.snapshot.config(version);
        let schemas = schemas.clone().of_version(Version::parse(version).unwrap_or(Version::NEWEST));
        let mut reading = Reading::new(file, &schemas, false)?;
        reading.state(&schemas)?;
        reading.variables(config.as_ref().ok());
        let Reading { mut plan, deferrals, lacks_marks, .. } = reading;
        file.header.add_to(&mut plan);
        let lacks_marks: Vec<String> = lacks_marks.iter().map(ProviderAddress::for_display).collect();
        let invokes = plan.invocations.len() + deferrals.invocations.len() > 0;
        let notices = notices(version, config.as_ref().err(), &lacks_marks, invokes);
        Ok(Self { plan, deferrals, config, schemas, header: file.header.clone(), notices })
    }

    /// Notes and warnings about it.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The blocks of resources in its configuration, with the paths that they had when the plan was made.
    pub fn blocks(&self) -> BTreeMap<String, BlockPlace> {
        self.config.as_ref().map(Config::blocks).unwrap_or_default()
    }

    /// Why the configuration cannot be read, if so. The document then has neither `configuration` nor `variables`, so it is
    /// not whole: nothing may be decided by it.
    pub fn unread_configuration(&self) -> Option<&str> {
        self.config.as_ref().err().map(String::as_str)
    }
}

impl MadePlan for DecodedPlan {
    fn changes(&self) -> ChangeSet<'_> {
        saved_change_set(&self.plan, &self.deferrals)
    }

    fn document(&self) -> String {
        let info = DocumentInfo {
            terraform_version: &self.header.terraform_version,
            is_simulated: false,
            prediction: Prediction { is_trusting: false, is_refreshed: true },
            timestamp: &self.header.timestamp,
        };
        write_saved_plan(&self.plan, &self.deferrals, self.config.as_ref().ok(), &self.schemas, &info)
    }

    fn facts(&self) -> Facts {
        self.header.facts()
    }

    fn terraform_version(&self) -> &str {
        &self.header.terraform_version
    }

    fn mode(&self) -> PlanMode {
        self.header.mode
    }

    fn workspace(&self) -> Option<&str> {
        self.header.workspace.as_deref()
    }

    /// The file lacks marks of the schemas in places.
    fn schemas(&self) -> Option<Arc<objchange_document::Schemas>> {
        None
    }
}

impl Header {
    /// Adds its flags to a plan.
    pub(crate) fn add_to(&self, plan: &mut ModulePlan) {
        plan.applyable = self.applyable;
        plan.complete = self.complete;
        plan.errored = self.errored;
    }

    pub(crate) fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        facts.errored = self.errored;
        facts.incomplete = !self.complete;
        facts
    }
}

/// Notes and warnings about a plan of this version.
pub(crate) fn notices(
    version: &str,
    unread_configuration: Option<&String>,
    lacks_marks: &[String],
    invokes: bool,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    if let Some(reason) = unread_configuration {
        notices.push(Notice::Warning(format!(
            "the configuration in it cannot be read ({}): it is left out, and so are all variables, because only the \
             configuration says which are sensitive",
            objchange_text::visible(reason)
        )));
    }
    if Version::parse_exactly(version).is_some_and(|version| version > Version::NEWEST) {
        notices.push(Notice::Warning(format!(
            "Terraform {} wrote it, which is newer than what is known here: changes of a new kind are not seen",
            objchange_text::visible(version)
        )));
    }
    if !lacks_marks.is_empty() {
        notices.push(Notice::Note(format!(
            "without schemas of {}, values are hidden where the plan file does not say whether they are sensitive, and \
             numbers may be shown as text",
            lacks_marks.join(", ")
        )));
    }
    // Terraform writes `on_failure` since 1.16, as a number whose meaning is not known.
    let says_failure = Version::parse(version).is_some_and(|version| version.parts() >= (1, 16));
    if says_failure && invokes {
        notices.push(Notice::Warning(
            "what happens where an action fails (`on_failure`) is not read from plan files, and left out"
                .to_owned(),
        ));
    }
    notices
}
