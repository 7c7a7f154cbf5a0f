//! The plan: read from the file, and made into the plan of a module, whose document is the one that Terraform prints.

use std::collections::{BTreeMap, BTreeSet};

use objchange::address::{InstanceAddress, Mode, ResourceAddress};
use objchange::schema::{Schema, SchemaKind};
use objchange::value::{Number, Path, PathStep};
use objchange::{Type, Value};
use objchange_module::config::{Config, LOCK_FILE, MemoryFiles, locked_providers};
use objchange_module::document::{DocumentInfo, write_saved_plan};
use objchange_module::plan::{
    ActionReason, Identities, ImportedBy, ModulePlan, PlannedAction, PlannedObject, PlannedOutput,
    PlannedStateObject, RelevantAttribute, RelevantStep,
};
use objchange_module::state::PriorState;
use objchange_module::{ProviderAddress, ProviderConfigAddress, Schemas, Severity};
use objchange_plan::{PlanMode, Version};
use objchange_text::Notice;
use smol_str::SmolStr;

use crate::archive::Archive;
use crate::checks::{check, not_address, unknown};
use crate::configuration::Snapshot;
use crate::error::{ArchiveProblem, SavedPlanError};
use crate::identities;
use crate::kind;
use crate::message::{self, Change, Content, DynamicValue, each_field};
use crate::values::{SchemaCopies, all_hidden, decode, marked, path};

/// The most bytes of the plan message. Terraform's own have about a fifth of the document's length.
const MAX_PLAN: u64 = 256 << 20;

/// The most bytes of a state.
const MAX_STATE: u64 = 512 << 20;

/// The most bytes of the lock file.
const MAX_LOCK: u64 = 16 << 20;

/// The most bytes of one change. Providers cannot send an object of more than 256 MiB, and real ones have kilobytes.
const MAX_CHANGE: usize = 64 << 20;

/// The most entries of each list of a plan.
const MAX_LIST: usize = 1 << 20;

/// The most modules around a resource.
const MAX_MODULES: usize = 256;

/// The format version of all plan files since Terraform 0.12.
const FORMAT_VERSION: u64 = 3;

/// A plan file, unpacked and checked, whose values are still to be decoded.
pub struct SavedPlan {
    message: Vec<u8>,
    header: Header,
    state: String,
    snapshot: Snapshot,
    locked: BTreeMap<ProviderAddress, String>,
    providers: BTreeSet<ProviderAddress>,
}

/// The single fields of the plan.
#[derive(Default)]
struct Header {
    format_version: u64,
    mode: PlanMode,
    terraform_version: String,
    timestamp: String,
    errored: bool,
    applyable: bool,
    complete: bool,
    targets: Vec<String>,
    replace: Vec<String>,
    workspace: Option<String>,
}

/// Everything that a plan was made from, to plan it again. It may hold secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct PlanSnapshot {
    /// The files of all modules; the root module is in `.`.
    pub files: MemoryFiles,
    /// Where each module lies, as `terraform init` writes it.
    pub manifest: String,
    /// The values that were given for variables, as a file `*.tfvars.json` has them.
    pub variables: String,
    /// The state that the plan starts from, after it was refreshed.
    pub state: String,
    /// The selected workspace.
    pub workspace: Option<String>,
    /// The mode of the plan.
    pub mode: PlanMode,
    /// Each `-target`.
    pub targets: Vec<String>,
    /// Each `-replace`.
    pub replace: Vec<String>,
}

impl std::fmt::Debug for PlanSnapshot {
    /// Without its content, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanSnapshot").field("mode", &self.mode).finish_non_exhaustive()
    }
}

/// The document of a plan file.
#[derive(Clone)]
#[non_exhaustive]
pub struct SavedDocument {
    /// The text, as `terraform show -json` prints it. It may hold secrets.
    pub text: String,
    /// The mode of the plan, which the document does not say.
    pub mode: PlanMode,
    /// Notes and warnings about it.
    pub notices: Vec<Notice>,
    /// Why the configuration cannot be read, if so. The document then has neither `configuration` nor `variables`, so it is
    /// not whole: nothing may be decided by it.
    pub unread_configuration: Option<String>,
}

impl std::fmt::Debug for SavedDocument {
    /// Without its text, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedDocument").field("mode", &self.mode).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for SavedPlan {
    /// Without its content, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedPlan").field("version", &self.header.terraform_version).finish_non_exhaustive()
    }
}

impl SavedPlan {
    /// Reads a plan file, and checks everything in it that needs no schemas.
    ///
    /// # Errors
    ///
    /// It is not a plan file of Terraform 1.6 or later, is damaged or too large, or two readers may read it differently.
    pub fn read(bytes: &[u8]) -> Result<Self, SavedPlanError> {
        if kind::is_ancient(bytes) {
            return Err(SavedPlanError::Ancient);
        }
        let mut archive = Archive::open(bytes)?;
        let message = archive.read("tfplan", MAX_PLAN)?.ok_or(ArchiveProblem::NoPlan)?;
        let header = Header::read(&message)?;
        let providers = providers(&message)?;
        let state = archive.text("tfstate", MAX_STATE)?.ok_or(ArchiveProblem::NoState)?;
        let snapshot = Snapshot::read(&mut archive)?;
        let lock = archive.text(LOCK_FILE, MAX_LOCK)?.unwrap_or_default();
        let locked = locked_providers(&lock).unwrap_or_default();
        let locked = locked.into_iter().map(|(provider, locked)| (provider, locked.version)).collect();
        Ok(Self { message, header, state, snapshot, locked, providers })
    }

    /// The state that the plan starts from, after it was refreshed, as a state file has it. It may hold secrets.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The state as it was stored when the plan was made, before it was refreshed; `None` in a file that lacks it.
    ///
    /// # Errors
    ///
    /// The archive cannot be read.
    pub fn stored_state(bytes: &[u8]) -> Result<Option<String>, SavedPlanError> {
        Archive::open(bytes)?.text("tfstate-prev", MAX_STATE)
    }

    /// The version of Terraform that made the plan.
    pub fn terraform_version(&self) -> &str {
        &self.header.terraform_version
    }

    /// The providers of the objects in the plan.
    pub fn providers(&self) -> impl Iterator<Item = &ProviderAddress> {
        self.providers.iter()
    }

    /// The versions of providers by the lock file of the time.
    pub fn locked(&self) -> &BTreeMap<ProviderAddress, String> {
        &self.locked
    }

    /// Everything that the plan was made from. Files that functions read are not in a plan file.
    ///
    /// # Errors
    ///
    /// The configuration cannot be read, or a value.
    pub fn snapshot(&self) -> Result<PlanSnapshot, SavedPlanError> {
        let (files, manifest, root) = self.snapshot.files().map_err(SavedPlanError::Configuration)?;
        if !matches!(root, "." | "") {
            return Err(SavedPlanError::Configuration(format!("its root module is in {root:?}")));
        }
        let mut variables = BTreeMap::new();
        each_field(&self.message, |number, content| {
            if number == 2 {
                let variable: message::Variable = message::decode(content, "variables")?;
                let place = format!("var.{}", variable.name);
                let value = decode(&variable.value.unwrap_or_default(), Some(&Type::Dynamic));
                let value = value.map_err(|error| SavedPlanError::Value { place, error, versions: None })?;
                variables.insert(variable.name, value);
            }
            Ok(())
        })?;
        let Header { mode, targets, replace, workspace, .. } = &self.header;
        Ok(PlanSnapshot {
            files,
            manifest,
            variables: variables_text(variables)?,
            state: self.state.clone(),
            workspace: workspace.clone(),
            mode: *mode,
            targets: targets.clone(),
            replace: replace.clone(),
        })
    }

    /// Answers of the providers when the plan was made, as [`Answers::parse`](objchange_module::Answers::parse) reads them:
    /// planned objects, data sources, and the paths whose change replaces an object. They may hold secrets.
    ///
    /// # Errors
    ///
    /// A value does not fit its schema, or something in the plan is unknown or not read yet.
    pub fn answers(&self, schemas: &Schemas) -> Result<String, SavedPlanError> {
        let mut resources = BTreeMap::new();
        let mut data = BTreeMap::new();
        let mut paths: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let plan = Reading::new(self, schemas)?.plan;
        for object in plan.changes.iter().filter(|object| object.deposed.is_none()) {
            let resource = &object.address.resource;
            if resource.mode == Mode::Managed && !object.after.is_null() {
                resources.insert(object.address.to_string(), answer(&object.after)?);
                let replaced = object.replace_paths.iter().map(Path::to_string);
                paths.entry(&resource.resource_type).or_default().extend(replaced);
            }
        }
        let (state, _) = PriorState::read(&self.state, schemas)?;
        for (resource, stored) in state.resources.iter().filter(|(resource, _)| resource.mode == Mode::Data) {
            for (key, instance) in &stored.instances {
                let address = InstanceAddress { resource: resource.clone(), key: key.clone() };
                if let Some(object) = &instance.current {
                    data.insert(address.to_string(), answer(&object.value)?);
                }
            }
        }
        let replaced = serde_json::json!(paths);
        let objects = |objects: BTreeMap<String, String>| {
            let entries =
                objects.iter().map(|(address, object)| format!("{}:{object}", serde_json::json!(address)));
            entries.collect::<Vec<_>>().join(",")
        };
        let (resources, data) = (objects(resources), objects(data));
        Ok(format!("{{\"resources\":{{{resources}}},\"data\":{{{data}}},\"requires_replace\":{replaced}}}"))
    }

    /// The document that `terraform show -json` prints of the file.
    ///
    /// # Errors
    ///
    /// A value does not fit its schema, or something in the plan is unknown or not read yet.
    pub fn document(&self, schemas: &Schemas) -> Result<SavedDocument, SavedPlanError> {
        let mut notices = Vec::new();
        let version = &self.header.terraform_version;
        let (config, unread_configuration) = match self.snapshot.config(version) {
            Ok(config) => (Some(config), None),
            Err(reason) => (None, Some(reason)),
        };
        if let Some(reason) = &unread_configuration {
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
        let schemas = schemas.clone().of_version(Version::parse(version).unwrap_or(Version::NEWEST));
        let schemas = &schemas;
        let mut reading = Reading::new(self, schemas)?;
        reading.state(schemas)?;
        reading.variables(config.as_ref());
        let Reading { mut plan, lacks_marks, .. } = reading;
        plan.planned_state = plan.changes.iter().filter_map(PlannedStateObject::after).collect();
        // It has only the marks that the file has.
        plan.planned_state.iter_mut().for_each(|object| object.has_marks_of_schema = false);
        plan.applyable = self.header.applyable;
        plan.complete = self.header.complete;
        plan.errored = self.header.errored;
        let missing: Vec<String> = lacks_marks.iter().map(ProviderAddress::for_display).collect();
        if !missing.is_empty() {
            notices.push(Notice::Note(format!(
                "without schemas of {}, values are hidden where the plan file does not say whether they are sensitive, and \
                 numbers may be shown as text",
                missing.join(", ")
            )));
        }
        let info = DocumentInfo {
            terraform_version: version,
            is_simulated: false,
            is_refreshed: true,
            timestamp: &self.header.timestamp,
        };
        Ok(SavedDocument {
            text: write_saved_plan(&plan, config.as_ref(), schemas, &info),
            mode: self.header.mode,
            notices,
            unread_configuration,
        })
    }
}

impl Header {
    fn read(message: &[u8]) -> Result<Self, SavedPlanError> {
        let mut header = Self::default();
        each_field(message, |number, content| {
            let flag = |place: &str| message::number(content, place).map(|number| number != 0);
            match number {
                1 => header.format_version = message::number(content, "version")?,
                14 => header.terraform_version = message::text(content, "terraform_version")?.to_owned(),
                17 => {
                    header.mode = match message::number(content, "ui_mode")? {
                        0 => PlanMode::Normal,
                        1 => PlanMode::Destroy,
                        2 => PlanMode::RefreshOnly,
                        value => {
                            let value = i64::try_from(value).unwrap_or(i64::MAX);
                            return Err(SavedPlanError::UnknownEnum {
                                place: "the plan".to_owned(),
                                field: "mode",
                                value,
                            });
                        }
                    };
                }
                20 => header.errored = flag("errored")?,
                21 => header.timestamp = message::text(content, "timestamp")?.to_owned(),
                25 => header.applyable = flag("applyable")?,
                26 => header.complete = flag("complete")?,
                // Which objects were chosen: no document has it.
                5 => header.targets.push(message::text(content, "an address")?.to_owned()),
                16 => header.replace.push(message::text(content, "an address")?.to_owned()),
                28 | 32 => {
                    message::text(content, "an address or a name")?;
                }
                // The backend, or since 1.15 a state store. Their configuration may hold a password, and is not looked at.
                13 | 29 => {
                    if let Content::Bytes(backend) = content {
                        each_field(backend, |number, content| {
                            if number == 3 {
                                header.workspace = Some(message::text(content, "a workspace")?.to_owned());
                            }
                            Ok(())
                        })?;
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        if header.format_version != FORMAT_VERSION {
            return Err(SavedPlanError::FormatVersion(header.format_version));
        }
        match Version::parse(&header.terraform_version) {
            Some(version) if version.parts() < (1, 6) => {
                Err(SavedPlanError::OldVersion(header.terraform_version))
            }
            _ => Ok(header),
        }
    }
}

/// The values as a file of values in JSON has them.
fn variables_text(variables: BTreeMap<String, Value>) -> Result<String, SavedPlanError> {
    json(&Value::object(variables), "variables")
}

/// An object as an answer. An attribute in which something is unknown is left open.
fn answer(object: &Value) -> Result<String, SavedPlanError> {
    let (object, _) = object.unmark_deep();
    let attributes = object.as_object().into_iter().flat_map(objchange::value::Object::iter);
    let attributes = attributes.map(|(name, value)| {
        let value = match value.is_wholly_known() {
            true => json(value, name)?,
            false => "{\"$unknown\":{}}".to_owned(),
        };
        Ok(format!("{}:{value}", serde_json::json!(name.as_str())))
    });
    Ok(format!("{{{}}}", attributes.collect::<Result<Vec<_>, SavedPlanError>>()?.join(",")))
}

fn json(value: &Value, place: &str) -> Result<String, SavedPlanError> {
    value
        .to_json(value.ty())
        .map_err(|error| SavedPlanError::Message { place: place.to_owned(), problem: error.to_string() })
}

/// The providers of all changes.
fn providers(message: &[u8]) -> Result<BTreeSet<ProviderAddress>, SavedPlanError> {
    let mut providers = BTreeSet::new();
    let mut texts = BTreeSet::new();
    each_field(message, |number, content| {
        // Nothing else of the changes can be decoded before the schemas are there, which callers choose by these providers.
        if let (3 | 18, Content::Bytes(change)) = (number, content) {
            each_field(change, |number, content| {
                if number == 8 {
                    let text = message::text(content, "provider")?;
                    // Thousands of changes have a few providers, and each text is parsed once.
                    if texts.insert(text) {
                        providers.insert(provider(text, text)?);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(providers)
}

fn provider(text: &str, place: &str) -> Result<ProviderAddress, SavedPlanError> {
    text.parse::<ProviderConfigAddress>().map(|address| address.provider).map_err(|_| not_address(place))
}

/// A plan on its way.
struct Reading<'s> {
    file: &'s SavedPlan,
    copies: SchemaCopies<'s>,
    /// The providers without schemas of objects in which not all that is sensitive is marked.
    lacks_marks: BTreeSet<ProviderAddress>,
    plan: ModulePlan,
    /// The variables that were set.
    variables: BTreeMap<SmolStr, Value>,
}

impl<'s> Reading<'s> {
    /// The changes and all else in the message.
    fn new(file: &'s SavedPlan, schemas: &'s Schemas) -> Result<Self, SavedPlanError> {
        let mut reading = Self {
            file,
            copies: SchemaCopies::new(schemas),
            lacks_marks: BTreeSet::new(),
            plan: ModulePlan::default(),
            variables: BTreeMap::new(),
        };
        each_field(&file.message, |number, content| reading.field(number, content))?;
        Ok(reading)
    }
}

impl Reading<'_> {
    fn field(&mut self, number: u32, content: Content<'_>) -> Result<(), SavedPlanError> {
        match number {
            2 => {
                let variable: message::Variable = message::decode(content, "variables")?;
                let value = variable.value.unwrap_or_default();
                let place = format!("var.{}", variable.name);
                let value = self.decode(&value, Some(&Type::Dynamic), &place, None)?;
                self.variables.insert(variable.name.into(), value);
            }
            3 => {
                let object = self.object(content, false)?;
                push(&mut self.plan.changes, object, "changes")?;
            }
            18 => {
                let object = self.object(content, true)?;
                push(&mut self.plan.drift, object, "changes outside of Terraform")?;
            }
            4 => self.output(message::decode(content, "output_changes")?)?,
            15 => {
                let attribute = relevant(message::decode(content, "relevant_attributes")?)?;
                push(&mut self.plan.relevant_attributes, Some(attribute), "relevant attributes")?;
            }
            19 => {
                let found = check(&message::decode(content, "check_results")?)?;
                push(&mut self.plan.checks, Some(found), "checks")?;
            }
            // Released versions of Terraform refuse `-allow-deferral`, so there was no file to try it with.
            27 => return Err(SavedPlanError::NotRead("deferred changes")),
            // Terraform writes them since 1.14.
            30 | 31 => return Err(SavedPlanError::NotRead("actions")),
            _ => {}
        }
        Ok(())
    }

    /// The change of an object; `None` if documents leave it out.
    fn object(
        &mut self,
        content: Content<'_>,
        is_drift: bool,
    ) -> Result<Option<PlannedObject>, SavedPlanError> {
        let list = if is_drift { "resource_drift" } else { "resource_changes" };
        if let Content::Bytes(bytes) = content
            && bytes.len() > MAX_CHANGE
        {
            let problem = format!("a change has more than {MAX_CHANGE} bytes");
            return Err(SavedPlanError::Message { place: list.to_owned(), problem });
        }
        let message: message::ResourceChange = message::decode(content, list)?;
        let place = message.addr.as_str();
        let broken =
            |problem: &str| SavedPlanError::Message { place: place.to_owned(), problem: problem.to_owned() };
        if place.is_empty() {
            return Err(SavedPlanError::Message {
                place: list.to_owned(),
                problem: "a change has no address".to_owned(),
            });
        }
        let address: InstanceAddress = place.parse().map_err(|_| not_address(place))?;
        check_depth(&address.resource)?;
        let previous: Option<InstanceAddress> = match message.prev_run_addr.as_str() {
            "" => None,
            text => Some(text.parse().map_err(|_| not_address(text))?),
        };
        let previous = previous.filter(|previous| *previous != address);
        let provider = provider(&message.provider, place)?;
        let change = message.change.ok_or_else(|| broken("the change has no content"))?;
        let kind = match address.resource.mode {
            Mode::Managed => SchemaKind::Resource,
            Mode::Data => SchemaKind::DataSource,
            Mode::Ephemeral => return Err(broken("an ephemeral resource is in no plan")),
        };
        let schema = self.copies.get(&provider, kind, &address.resource.resource_type)?;
        let action = action(change.action, place)?;
        // Files of `terraform plan -destroy` have these, and Terraform leaves them out of the document.
        if action == PlannedAction::Delete && address.resource.mode == Mode::Data {
            return Ok(None);
        }
        // These objects only moved. Terraform shows them in documents of `-refresh-only` plans alone.
        if is_drift && action == PlannedAction::NoOp && self.file.header.mode != PlanMode::RefreshOnly {
            return Ok(None);
        }
        let reason = reason(message.action_reason, place)?;
        let (before, after) = self.sides(&change, action, schema.as_deref(), place, Some(&provider))?;
        let before = marked(&before, &change.before_sensitive_paths, place)?;
        let after = marked(&after, &change.after_sensitive_paths, place)?;
        // The marks in the file do not suffice without a schema. Since Terraform 1.9.8 `after` of a replacement lacks those of
        // the schema, and `before` of an object that moved to another type has those of the old one.
        let (before, after) = match schema {
            Some(_) => (before, after),
            None => {
                let is_replaced = matches!(
                    action,
                    PlannedAction::DeleteThenCreate
                        | PlannedAction::CreateThenDelete
                        | PlannedAction::CreateThenForget
                ) && reason != Some(ActionReason::ReplaceBecauseTainted);
                let hides_all = self.file.has_no_marks();
                let hides_before = hides_all || is_drift && previous.is_some();
                let hides_after = hides_all || is_replaced;
                if hides_before || hides_after {
                    self.lacks_marks.insert(provider.clone());
                }
                let hide = |value: Value, hides: bool| if hides { all_hidden(&value) } else { value };
                (hide(before, hides_before), hide(after, hides_after))
            }
        };
        let replace_paths = message.required_replace.iter().map(|one| path(one, place));
        let identity_schema =
            self.copies.get(&provider, SchemaKind::Identity, &address.resource.resource_type)?;
        let identity_type = identity_schema.as_deref().map(|schema| schema.block.implied_type());
        let importing = change.importing.as_ref().map(|importing| match &importing.identity {
            _ if importing.unknown => Ok::<_, SavedPlanError>(ImportedBy::Id(Value::unknown(Type::String))),
            Some(identity) => {
                Ok(ImportedBy::Identity(self.decode(identity, identity_type, place, Some(&provider))?))
            }
            None => Ok(ImportedBy::Id(importing.id.as_str().into())),
        });
        let identity = |value: &Option<DynamicValue>| {
            let value = value.as_ref().filter(|value| !value.msgpack.is_empty());
            let value =
                value.map(|value| self.decode(value, identity_type, place, Some(&provider))).transpose()?;
            Ok::<_, SavedPlanError>(value.filter(|value| !value.is_null()))
        };
        let identities = Identities {
            before: identity(&change.before_identity)?,
            after: identity(&change.after_identity)?,
        };
        Ok(Some(PlannedObject {
            previous_address: previous,
            provider,
            deposed: Some(message.deposed_key.as_str()).filter(|key| !key.is_empty()).map(Into::into),
            action,
            reason,
            before,
            after,
            schema,
            replace_paths: replace_paths.collect::<Result<_, _>>()?,
            importing: importing.transpose()?,
            generated_config: Some(change.generated_config).filter(|text| !text.is_empty()),
            identities,
            address,
        }))
    }

    fn output(&mut self, message: message::OutputChange) -> Result<(), SavedPlanError> {
        let place = format!("output.{}", message.name);
        let broken =
            |problem: &str| SavedPlanError::Message { place: place.clone(), problem: problem.to_owned() };
        if message.name.is_empty() {
            return Err(broken("an output has no name"));
        }
        let change = message.change.ok_or_else(|| broken("the change has no content"))?;
        let action = action(change.action, &place)?;
        let (before, after) = self.typed_sides(&change, action, &Type::Dynamic, &place)?;
        let output = PlannedOutput {
            action,
            before,
            after,
            sensitive: message.sensitive,
            sensitive_change: message.sensitive,
            declared: action != PlannedAction::Delete,
        };
        if self.plan.outputs.len() >= MAX_LIST {
            return Err(SavedPlanError::TooMany { list: "outputs", limit: MAX_LIST });
        }
        match self.plan.outputs.insert(message.name.as_str().into(), output) {
            None => Ok(()),
            Some(_) => Err(broken("the output is in the plan twice")),
        }
    }

    fn typed_sides(
        &self,
        change: &Change,
        action: PlannedAction,
        ty: &Type,
        place: &str,
    ) -> Result<(Value, Value), SavedPlanError> {
        // More than two values are an error, whatever the others are.
        let values: Vec<Value> = change
            .values
            .iter()
            .take(3)
            .map(|value| self.decode(value, Some(ty), place, None))
            .collect::<Result<_, _>>()?;
        both(values, action, ty, place)
    }

    /// Both sides of a change, without marks.
    fn sides(
        &self,
        change: &Change,
        action: PlannedAction,
        schema: Option<&Schema>,
        place: &str,
        provider: Option<&ProviderAddress>,
    ) -> Result<(Value, Value), SavedPlanError> {
        let ty = schema.map(|schema| schema.block.implied_type());
        let values: Vec<Value> = change
            .values
            .iter()
            .take(3)
            .map(|value| self.decode(value, ty, place, provider))
            .collect::<Result<_, _>>()?;
        both(values, action, ty.unwrap_or(&Type::Dynamic), place)
    }

    fn decode(
        &self,
        value: &DynamicValue,
        ty: Option<&Type>,
        place: &str,
        provider: Option<&ProviderAddress>,
    ) -> Result<Value, SavedPlanError> {
        decode(value, ty).map_err(|error| {
            let locked = provider.and_then(|provider| Some((provider, self.file.locked.get(provider)?)));
            let versions = locked.map(|(provider, version)| {
                format!(
                    "the plan was made with version {version} of {}; give the schemas of that version",
                    provider.for_display()
                )
            });
            SavedPlanError::Value { place: place.to_owned(), error, versions }
        })
    }

    /// Reads the state.
    fn state(&mut self, schemas: &Schemas) -> Result<(), SavedPlanError> {
        let (mut state, diagnostics) = PriorState::read(&self.file.state, schemas)?;
        if let Some(address) = state.unreadable.first() {
            let provider = state.resources.get(&address.resource).map(|resource| &resource.provider.provider);
            let locked = provider.and_then(|provider| Some((provider, self.file.locked.get(provider)?)));
            let version = locked.map_or_else(
                || "the version that the plan was made with".to_owned(),
                |(provider, version)| format!("version {version} of {}", provider.for_display()),
            );
            return Err(SavedPlanError::StateOfResource(format!(
                "the schemas do not fit {address}; give those of {version}"
            )));
        }
        let error = diagnostics.iter().find(|found| found.diagnostic.severity == Severity::Error);
        if let Some(error) = error {
            return Err(SavedPlanError::StateOfResource(error.diagnostic.summary.to_string()));
        }
        if self.file.has_no_marks() {
            for (address, resource) in &mut state.resources {
                let provider = &resource.provider.provider;
                let kind = match address.mode {
                    Mode::Data => SchemaKind::DataSource,
                    Mode::Managed | Mode::Ephemeral => SchemaKind::Resource,
                };
                if self.copies.get(provider, kind, &address.resource_type)?.is_some() {
                    continue;
                }
                self.lacks_marks.insert(provider.clone());
                for instance in resource.instances.values_mut() {
                    for object in instance.current.iter_mut().chain(instance.deposed.values_mut()) {
                        object.value = all_hidden(&object.value);
                    }
                }
            }
        }
        state.resources.keys().try_for_each(check_depth)?;
        identities::add(&self.file.state, &mut state, &mut self.copies)?;
        self.plan.prior_state = state;
        Ok(())
    }

    /// Adds the variables: those that were set, and the defaults of the others. There are none without a configuration,
    /// which alone says which of them are sensitive.
    fn variables(&mut self, config: Option<&Config>) {
        let Some(root) = config.and_then(|config| config.modules.first()) else { return };
        let set = std::mem::take(&mut self.variables);
        let declared = &root.config.variables;
        self.plan.variables = declared
            .iter()
            // Terraform shows the default of an ephemeral variable, even if it was set.
            .filter(|(name, variable)| variable.ephemeral || !set.contains_key(*name))
            .filter_map(|(name, variable)| Some((name.clone(), variable.default.clone()?)))
            .collect();
        let is_ephemeral = |name: &SmolStr| declared.get(name).is_some_and(|variable| variable.ephemeral);
        self.plan.variables.extend(set.into_iter().filter(|(name, _)| !is_ephemeral(name)));
    }
}

impl SavedPlan {
    /// Whether nothing in the file says what schemas call sensitive: Terraform 1.8 was the first to write it, and of other
    /// programs it is not known.
    fn has_no_marks(&self) -> bool {
        let is_opentofu = self.providers.iter().any(|provider| provider.hostname == "registry.opentofu.org");
        let version = Version::parse(&self.header.terraform_version);
        is_opentofu || version.is_none_or(|version| version.parts() < (1, 8))
    }
}

/// Refuses an address in too many modules: the document repeats it for each of them.
fn check_depth(address: &ResourceAddress) -> Result<(), SavedPlanError> {
    if address.module.0.len() <= MAX_MODULES {
        return Ok(());
    }
    let place = format!("{}.{}", address.resource_type, address.name);
    Err(SavedPlanError::Message { place, problem: format!("it is in more than {MAX_MODULES} modules") })
}

fn push<T>(list: &mut Vec<T>, entry: Option<T>, name: &'static str) -> Result<(), SavedPlanError> {
    if list.len() >= MAX_LIST {
        return Err(SavedPlanError::TooMany { list: name, limit: MAX_LIST });
    }
    list.extend(entry);
    Ok(())
}

/// The values of an action: both, or one of them.
fn both(
    values: Vec<Value>,
    action: PlannedAction,
    ty: &Type,
    place: &str,
) -> Result<(Value, Value), SavedPlanError> {
    let none = || Value::null(ty.clone());
    let mut values = values.into_iter();
    match (action, values.next(), values.next(), values.next()) {
        (PlannedAction::NoOp, Some(value), None, None) => Ok((value.clone(), value)),
        (PlannedAction::Create, Some(after), None, None) => Ok((none(), after)),
        (PlannedAction::Delete | PlannedAction::Forget, Some(before), None, None) => Ok((before, none())),
        (
            PlannedAction::Read
            | PlannedAction::Update
            | PlannedAction::DeleteThenCreate
            | PlannedAction::CreateThenDelete
            | PlannedAction::CreateThenForget,
            Some(before),
            Some(after),
            None,
        ) => Ok((before, after)),
        _ => Err(SavedPlanError::Message {
            place: place.to_owned(),
            problem: "the change has another number of values than its action".to_owned(),
        }),
    }
}

fn action(action: i32, place: &str) -> Result<PlannedAction, SavedPlanError> {
    Ok(match action {
        0 => PlannedAction::NoOp,
        1 => PlannedAction::Create,
        2 => PlannedAction::Read,
        3 => PlannedAction::Update,
        5 => PlannedAction::Delete,
        6 => PlannedAction::DeleteThenCreate,
        7 => PlannedAction::CreateThenDelete,
        8 => PlannedAction::Forget,
        9 => PlannedAction::CreateThenForget,
        value => return Err(unknown(place, "action", value)),
    })
}

fn reason(reason: i32, place: &str) -> Result<Option<ActionReason>, SavedPlanError> {
    Ok(Some(match reason {
        0 => return Ok(None),
        1 => ActionReason::ReplaceBecauseTainted,
        2 => ActionReason::ReplaceByRequest,
        3 => ActionReason::ReplaceBecauseCannotUpdate,
        4 => ActionReason::DeleteBecauseNoResourceConfig,
        5 => ActionReason::DeleteBecauseWrongRepetition,
        6 => ActionReason::DeleteBecauseCountIndex,
        7 => ActionReason::DeleteBecauseEachKey,
        8 => ActionReason::DeleteBecauseNoModule,
        9 => ActionReason::ReplaceByTriggers,
        10 => ActionReason::ReadBecauseConfigUnknown,
        11 => ActionReason::ReadBecauseDependencyPending,
        12 => ActionReason::DeleteBecauseNoMoveTarget,
        13 => ActionReason::ReadBecauseCheckNested,
        value => return Err(unknown(place, "action reason", value)),
    }))
}

fn relevant(message: message::RelevantAttribute) -> Result<RelevantAttribute, SavedPlanError> {
    let place = message.resource.as_str();
    if place.is_empty() {
        return Err(SavedPlanError::Message {
            place: "relevant_attributes".to_owned(),
            problem: "an attribute has no resource".to_owned(),
        });
    }
    let steps: Path = path(&message.attr.unwrap_or_default(), place)?;
    let step = |step: &PathStep| match step {
        PathStep::Attribute(name) => Ok(RelevantStep::Name(name.clone())),
        PathStep::Index(key) => match (key.as_str(), key.as_number().and_then(Number::as_u64)) {
            (Some(name), _) => Ok(RelevantStep::Name(name.into())),
            (None, Some(position)) => Ok(RelevantStep::Index(position)),
            (None, None) => Err(not_address(place)),
        },
    };
    Ok(RelevantAttribute {
        path: steps.steps().iter().map(step).collect::<Result<_, _>>()?,
        resource: message.resource,
    })
}
