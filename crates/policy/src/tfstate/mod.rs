//! The `tfstate/v2` collections: the resources and outputs of a state, or of what a plan says that it will be.
//!
//! ```
//! use objchange_policy::tfstate::TfState;
//! use objchange_document::{Document, Index};
//! use objchange_policy::Redacted;
//!
//! let text = r#"{"version":4,"lineage":"x","terraform_version":"1.9.0","resources":[{"mode":"data","type":"disk",
//!     "name":"a","instances":[{"index_key":0,"attributes":{"size":10}}]}]}"#;
//! let Document::State(state) = Document::parse(text)? else { panic!("this is a state") };
//! let tfstate = TfState::new(state)?;
//! let disk = tfstate.resources.get("disk.a[0]").unwrap();
//! assert_eq!(serde_json::to_string(&Redacted(&disk.values()?))?, r#"{"size":10}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::{Arc, OnceLock};

use objchange::Value;
use objchange_document::changes::DocumentText;
use objchange_document::json::{Json, Raw, View, marks_or_all};
use objchange_document::{
    ConfigMarks, DocumentError, Index, Plan, Sensitive, State, StateOutput, StateResource, StatedMarks, Text,
};
use objchange_plan::Sides;
use serde::ser::{SerializeMap, Serializer};

use crate::collection::{
    As, Collected, Collection, Marked, Secrets, instance_address, is_there, items, read, simplified,
};

/// The collections of a state.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TfState<'t> {
    /// The version of Terraform that wrote the state; `None` if there is no state.
    pub terraform_version: Option<Text<'t>>,
    /// The outputs of the root module, by name.
    pub outputs: Collection<'t, Output<'t>>,
    /// The resource instances of all modules, by address without `data.`; of a deposed object, with `:` and its key
    /// appended. Where a managed resource and a data source have one key it is the managed one's.
    pub resources: Collection<'t, Resource<'t>>,
}

/// A resource instance, or a deposed object of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resource<'t> {
    /// The address of the instance, without the `data.` of a data source.
    pub address: Text<'t>,
    /// The address of its module; empty in the root module.
    pub module_address: Text<'t>,
    /// `managed` or `data`.
    pub mode: Text<'t>,
    /// The resource type.
    pub resource_type: Text<'t>,
    /// The name in its module.
    pub name: Text<'t>,
    /// The `count` index or `for_each` key.
    pub index: Option<Index<'t>>,
    /// The provider's address; before Terraform 0.13 its name alone.
    pub provider_name: Text<'t>,
    /// The instance is tainted: it must be replaced.
    pub tainted: bool,
    /// The key of the deposed object; empty for a current one.
    pub deposed_key: Text<'t>,
    kept: StateResource<'t>,
    /// The unknown marks of a planned resource.
    unknown: Option<Raw<'t>>,
    /// The marks in other sections of the plan.
    stated: Option<Arc<Json<'t>>>,
    /// It may depend on more, or less, than is known: modules or schemas are missing.
    has_doubtful_dependencies: bool,
    document: DocumentText<'t>,
    read: OnceLock<Result<[Json<'t>; 3], DocumentError>>,
}

/// An output of the root module.
#[derive(Debug)]
#[non_exhaustive]
pub struct Output<'t> {
    /// The name of the output.
    pub name: Text<'t>,
    /// It must not be shown.
    pub sensitive: bool,
    kept: StateOutput<'t>,
    document: DocumentText<'t>,
    is_file: bool,
    /// The marks that any section of the plan has for it.
    stated: Option<Arc<Json<'t>>>,
    read: OnceLock<Result<Json<'t>, DocumentError>>,
}

impl<'t> TfState<'t> {
    /// The collections of a state.
    ///
    /// # Errors
    ///
    /// The index of an instance is neither a number nor a text. The error has its place.
    pub fn new(state: State<'t>) -> Result<Self, DocumentError> {
        Self::of_plan(state, |_| None, &StatedMarks::default())
    }

    /// Like [`TfState::new`], of a state in a plan, where `unknown` says what is unknown until apply, and `stated` what the
    /// plan calls sensitive.
    pub(crate) fn of_plan(
        state: State<'t>,
        unknown: impl Fn(&StateResource<'t>) -> Option<Raw<'t>>,
        stated: &StatedMarks<'t>,
    ) -> Result<Self, DocumentError> {
        let document = DocumentText(state.text());
        let mut resources = Collection::with_capacity(state.resources.len());
        let mut address = String::new();
        for resource in state.resources {
            let (unknown, marks) = (unknown(&resource), stated.of_instance(&resource.address));
            let resource = Resource::new(document, resource, &mut address)?;
            let resource = Resource { unknown, stated: marks, ..resource };
            let key = resource.key();
            // Without `data.`, a managed resource and a data source may have one key. Sentinel does not say which it
            // keeps.
            let is_second = |other: &Resource<'_>| *other.mode == *"managed" && *resource.mode != *"managed";
            if !resources.get(&key).is_some_and(is_second) {
                resources.insert(key, resource);
            }
        }
        let mut outputs = Collection::with_capacity(state.outputs.len());
        for output in state.outputs {
            let marks = stated.of_output(&output.name);
            let output = Output { stated: marks, ..Output::new(document, state.is_file, output) };
            outputs.insert(output.name.clone(), output);
        }
        Ok(Self { terraform_version: state.terraform_version, outputs, resources })
    }

    /// The collections of the state that a plan starts from; without one they are empty.
    ///
    /// # Errors
    ///
    /// That part of the plan has not the form that it is to have. The error says where.
    pub fn prior(plan: &Plan<'t>) -> Result<Self, DocumentError> {
        Self::prior_with(plan, ConfigMarks::new(plan)?.stated())
    }

    /// Reads the prior state of a plan whose marks are collected already.
    pub(crate) fn prior_with(plan: &Plan<'t>, stated: &StatedMarks<'t>) -> Result<Self, DocumentError> {
        let Some(prior) = plan.prior_state() else { return Ok(Self::default()) };
        let state = State::parse_within(plan.text(), prior)
            .map_err(|error| DocumentError::from_json(&error, plan.text(), "prior_state"))?;
        let mut state = Self::of_plan(state, |_| None, stated)?;
        // Dependencies come from references in the configuration, which the value of a variable does not change.
        if plan.missing().iter().any(|missing| !missing.kind.is_value()) {
            state.resources.values_mut().for_each(|resource| resource.has_doubtful_dependencies = true);
        }
        Ok(state)
    }
}

impl<'t> Resource<'t> {
    fn new(
        document: DocumentText<'t>,
        kept: StateResource<'t>,
        address: &mut String,
    ) -> Result<Self, DocumentError> {
        let index = Index::read(kept.index).map_err(|error| {
            DocumentError::from_json(&error, document.0, &format!("{}: index", kept.address))
        })?;
        // Published mocks rebuild the address here: all 130 data sources in them lack `data.`.
        instance_address(address, &kept.module_address, &kept.resource_type, &kept.name, index.as_ref());
        Ok(Self {
            // Most are what is in the document, and are not kept twice.
            address: match kept.address == **address || kept.resource_type.is_empty() {
                true => kept.address.clone(),
                false => Text::from(address.clone()),
            },
            module_address: kept.module_address.clone(),
            mode: kept.mode.clone(),
            resource_type: kept.resource_type.clone(),
            name: kept.name.clone(),
            index,
            provider_name: kept.provider_name.clone(),
            tainted: kept.tainted,
            deposed_key: kept.deposed.clone().unwrap_or_default(),
            kept,
            unknown: None,
            stated: None,
            has_doubtful_dependencies: false,
            document,
            read: OnceLock::new(),
        })
    }

    /// Its key in the collection: the address, and of a deposed object `:` and its key.
    pub fn key(&self) -> Text<'t> {
        match self.deposed_key.is_empty() {
            true => self.address.clone(),
            false => Text::from(format!("{}:{}", self.address, self.deposed_key)),
        }
    }

    /// The attributes. Unknown ones are missing.
    ///
    /// State files state the types of values without one in the schema, so an object in this form is read as a typed
    /// value.
    ///
    /// # Errors
    ///
    /// The document is not JSON there, or has a value of another type than it states.
    pub fn values(&self) -> Result<Marked<'_, 't>, DocumentError> {
        match self.read.get_or_init(|| self.read_values()) {
            Ok([values, sensitive, unknown]) => {
                let stated = self.stated.as_ref().map_or(sensitive.view(), |stated| stated.view());
                Ok(Marked::partly_known(Some(values.view()), unknown.view(), [sensitive.view(), stated]))
            }
            Err(error) => Err(error.clone()),
        }
    }

    fn read_values(&self) -> Result<[Json<'t>; 3], DocumentError> {
        let text = self.document.0;
        let [values, sensitive] = self.read_known()?;
        let unknown = match &self.unknown {
            Some(marks) => simplified(read(text, marks, &format!("{}: after_unknown", self.kept.address))?),
            None => values.view().bool(false).to_json(),
        };
        Ok([values, sensitive, unknown])
    }

    fn read_known(&self) -> Result<[Json<'t>; 2], DocumentError> {
        let text = self.document.0;
        match &self.kept.sensitive {
            // Terraform omits `values` if nothing in the object is known, or if it is forgotten.
            Sensitive::Values(marks) => {
                let values = Some(self.kept.values).filter(is_there).unwrap_or(Raw::new("{}"));
                let values = read(text, &values, &format!("{}: values", self.kept.address))?;
                let marks = read(text, marks, &format!("{}: sensitive_values", self.kept.address))?;
                // Marks that do not fit their value hide all of it.
                let marks = simplified(marks_or_all(marks, &values));
                Ok([values, marks])
            }
            Sensitive::Paths(paths) => Ok(of_value(&self.kept.file_value(text, paths, None)?)),
        }
    }

    /// The addresses of what it depends on.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    pub fn depends_on(&self) -> Result<Vec<Text<'t>>, DocumentError> {
        let location = || format!("{}: depends_on", self.kept.address);
        let read = Json::read(&self.kept.depends_on)
            .map_err(|error| DocumentError::from_json(&error, self.document.0, &location()))?;
        Ok(read.view().elements().iter().filter_map(View::text).collect())
    }
}

/// A value of the engine and its marks, as documents have them.
fn of_value<'t>(value: &Value) -> [Json<'t>; 2] {
    let sides = Sides::from_values(&Value::null(value.ty().clone()), value, &[]);
    [sides.after, sides.after_sensitive]
}

impl<'t> Output<'t> {
    fn new(document: DocumentText<'t>, is_file: bool, kept: StateOutput<'t>) -> Self {
        let (name, sensitive) = (kept.name.clone(), kept.sensitive);
        Self { name, sensitive, kept, document, is_file, stated: None, read: OnceLock::new() }
    }

    /// Its value; `None` if it is unknown.
    ///
    /// # Errors
    ///
    /// The document is not JSON there.
    pub fn value(&self) -> Result<Option<Marked<'_, 't>>, DocumentError> {
        if !is_there(&self.kept.value) {
            return Ok(None);
        }
        match self.read.get_or_init(|| self.read_value()) {
            Ok(value) => {
                let marks = value.view().bool(self.sensitive);
                let stated = self.stated.as_ref().map_or(marks, |stated| stated.view());
                Ok(Some(Marked::known(value.view(), [marks, stated])))
            }
            Err(error) => Err(error.clone()),
        }
    }

    fn read_value(&self) -> Result<Json<'t>, DocumentError> {
        let typed = self.kept.ty().filter(|_| self.is_file);
        if let Some(value) = typed.and_then(|ty| Value::from_json(self.kept.value.text(), ty).ok()) {
            let [value, _] = of_value(&value);
            return Ok(value);
        }
        read(self.document.0, &self.kept.value, &format!("outputs.{}", self.name))
    }
}

impl Collected for TfState<'_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        if let Some(version) = &self.terraform_version {
            fields.serialize_entry("terraform_version", version)?;
        }
        fields.serialize_entry("outputs", &As(&self.outputs, secrets))?;
        fields.serialize_entry("resources", &As(&self.resources, secrets))?;
        fields.end()
    }
}

items! {
    Resource(item) {
        "address": Text = Text(&item.address),
        "module_address": Text = Text(&item.module_address),
        "mode": Mode = Text(&item.mode),
        "type": Text = Text(&item.resource_type),
        "name": Text = Text(&item.name),
        "index": Index = Index(item.index.as_ref()),
        "provider_name": Text = Text(&item.provider_name),
        "values": Value = Value(Some(item.values()?)),
        "depends_on": Texts = match item.has_doubtful_dependencies {
            true => Value(None),
            false => Texts(item.depends_on()?.into()),
        },
        "tainted": Bool = Bool(item.tainted),
        "deposed_key": Text = Text(&item.deposed_key),
    }
    Output(item) {
        "name": Text = Text(&item.name),
        "sensitive": Bool = Bool(item.sensitive),
        "value": Value = Value(item.value()?),
    }
}
