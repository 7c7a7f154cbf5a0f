//! A plan file, unpacked and checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use objchange::address::{InstanceAddress, Mode};
use objchange::value::{Path, StatedTypes};
use objchange::{Type, Value};
use objchange_document::{PlanMode, PlanOrigin, Version};
use objchange_module::config::{LOCK_FILE, MemoryFiles, locked_providers};
use objchange_module::state::PriorState;
use objchange_module::{ProviderAddress, Schemas};

use crate::archive::Archive;
use crate::configuration::Snapshot;
use crate::decoded::DecodedPlan;
use crate::enums::mode;
use crate::error::{ArchiveProblem, SavedPlanError};
use crate::kind;
use crate::message::{self, Content, each_field};
use crate::packed::PackedPlan;
use crate::reading::{Reading, provider};
use crate::values::decode;

/// The maximum size of the plan message. It is usually about a fifth of that of the JSON document.
const MAX_PLAN: u64 = 256 << 20;

/// The maximum size of a state.
const MAX_STATE: u64 = 512 << 20;

/// The maximum size of the lock file.
const MAX_LOCK: u64 = 16 << 20;

/// The number of the field for the provider in the change of an object, and in the invocation of an action.
const CHANGE_PROVIDER: u32 = 8;
const ACTION_PROVIDER: u32 = 2;

/// The format version of all plan files since Terraform 0.12.
const FORMAT_VERSION: u64 = 3;

/// A plan file, unpacked and checked. Its values are decoded on demand.
pub struct SavedPlan {
    pub(crate) message: Vec<u8>,
    pub(crate) header: Header,
    pub(crate) state: String,
    pub(crate) snapshot: Snapshot,
    /// The versions in the lock file; `None` without a readable lock file.
    locked: Option<BTreeMap<ProviderAddress, String>>,
    providers: BTreeSet<ProviderAddress>,
    pub(crate) types: Mutex<StatedTypes>,
}

/// The single fields of the plan.
#[derive(Clone, Default)]
pub(crate) struct Header {
    format_version: u64,
    pub(crate) mode: PlanMode,
    pub(crate) terraform_version: String,
    pub(crate) timestamp: String,
    pub(crate) errored: bool,
    pub(crate) applyable: bool,
    pub(crate) complete: bool,
    targets: Vec<String>,
    replace: Vec<String>,
    pub(crate) workspace: Option<String>,
}

/// Everything that is needed to make a plan again. It may hold secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct PlanSnapshot {
    /// The files of all modules; the root module is in `.`.
    pub files: MemoryFiles,
    /// The folder of each module, as `terraform init` writes it.
    pub manifest: String,
    /// The values of the variables, in the form of a `*.tfvars.json` file.
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
        let lock = archive.text(LOCK_FILE, MAX_LOCK)?;
        let locked = lock
            .and_then(|lock| locked_providers(&lock).ok())
            .map(|locked| locked.into_iter().map(|(provider, locked)| (provider, locked.version)).collect());
        Ok(Self { message, header, state, snapshot, locked, providers, types: Mutex::default() })
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

    /// The versions of providers in the lock file when the plan was made.
    pub fn locked(&self) -> &BTreeMap<ProviderAddress, String> {
        const NONE: &BTreeMap<ProviderAddress, String> = &BTreeMap::new();
        self.locked.as_ref().unwrap_or(NONE)
    }

    /// The sources and provider versions that the plan was made from.
    pub fn origin(&self) -> PlanOrigin {
        let versions = self.locked.as_ref().map(|locked| {
            locked.iter().map(|(provider, version)| (provider.to_string(), version.clone())).collect()
        });
        let sources = self.snapshot.sources();
        PlanOrigin::new(sources.iter().map(|(path, text)| (path.as_str(), *text)), versions)
    }

    /// Everything that the plan was made from. Files that functions read are not in a plan file.
    ///
    /// # Errors
    ///
    /// The configuration or a value cannot be read.
    pub fn snapshot(&self) -> Result<PlanSnapshot, SavedPlanError> {
        let (files, manifest, root) = self.snapshot.files().map_err(SavedPlanError::Configuration)?;
        if !matches!(root, "." | "") {
            return Err(SavedPlanError::Configuration(format!("its root module is in {root:?}")));
        }
        let (mut variables, mut types) = (BTreeMap::new(), StatedTypes::default());
        each_field(&self.message, |number, content| {
            if number == 2 {
                let variable: message::Variable = message::decode(content, "variables")?;
                let place = format!("var.{}", variable.name);
                let value = decode(&variable.value.unwrap_or_default(), Some(&Type::Dynamic), &mut types);
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
    /// A value does not fit its schema, or the plan has a kind of part that is not known here.
    pub fn answers(&self, schemas: &Schemas) -> Result<String, SavedPlanError> {
        let mut resources = BTreeMap::new();
        let mut data = BTreeMap::new();
        let mut paths: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let plan = Reading::new(self, schemas, false)?.plan;
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

    /// The plan for showing its changes. The values of a change are decoded when it is shown, and those of the state are not
    /// read.
    ///
    /// # Errors
    ///
    /// The plan has a kind of part that is not known here.
    pub fn pack(self, schemas: &Schemas) -> Result<PackedPlan, SavedPlanError> {
        PackedPlan::new(self, schemas)
    }

    /// The plan in the file, with its values.
    ///
    /// # Errors
    ///
    /// A value does not fit its schema, or the plan has a kind of part that is not known here.
    pub fn decode(&self, schemas: &Schemas) -> Result<DecodedPlan, SavedPlanError> {
        DecodedPlan::new(self, schemas)
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
                    header.mode = mode(message::number(content, "ui_mode")?)?;
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
                // The backend, or since Terraform 1.15 a state store. Its configuration may hold a password, so it is not read.
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

/// The values in the form of a `*.tfvars.json` file.
fn variables_text(variables: BTreeMap<String, Value>) -> Result<String, SavedPlanError> {
    json(&Value::object(variables), "variables")
}

/// An object as an answer. Attributes with unknown parts are left open.
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
    // Thousands of changes have a few providers, and each text is parsed once.
    let mut in_entry = |entry: &[u8], field: u32| {
        each_field(entry, |number, content| {
            if number == field {
                let text = message::text(content, "provider")?;
                if !texts.contains(text) {
                    texts.insert(text.to_owned());
                    providers.insert(provider(text, text)?);
                }
            }
            Ok(())
        })
    };
    // Callers choose the schemas by these providers, and decoding the rest of a change needs its schema.
    each_field(message, |number, content| match (number, content) {
        (3 | 18, Content::Bytes(change)) => in_entry(change, CHANGE_PROVIDER),
        (30, Content::Bytes(invocation)) => in_entry(invocation, ACTION_PROVIDER),
        (27 | 31, Content::Bytes(deferred)) => each_field(deferred, |part, content| match (part, content) {
            (2, Content::Bytes(entry)) => {
                in_entry(entry, if number == 27 { CHANGE_PROVIDER } else { ACTION_PROVIDER })
            }
            _ => Ok(()),
        }),
        _ => Ok(()),
    })?;
    Ok(providers)
}

impl SavedPlan {
    /// Whether the file lacks the marks of schemas. Terraform writes them since 1.8, and other programs may never do so.
    pub(crate) fn has_no_marks(&self) -> bool {
        let is_opentofu = self.providers.iter().any(|provider| provider.hostname == "registry.opentofu.org");
        let version = Version::parse(&self.header.terraform_version);
        is_opentofu || version.is_none_or(|version| version.parts() < (1, 8))
    }
}
