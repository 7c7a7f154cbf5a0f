//! A resource type of the kit.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyResourceChange, Diagnostic, PlanResourceChange, PlannedResource, Provider as _,
    SimulatedProvider,
};
use objchange::schema::{Block, Schema};
use objchange::value::Path;
use objchange_provider::{
    Answer, ErrorKind, ImportAnswer, ImportResource, ImportTarget, Imported, MoveResource, RawState,
    ReadResource, Result, UpgradeResource,
};

use super::edit::{null, set, settled};
use super::fault::Fault;

type Validate = Box<dyn Fn(&Value) -> Vec<Diagnostic> + Send + Sync>;
type Plan = Box<dyn Fn(&PlanResourceChange) -> PlannedResource + Send + Sync>;
type Apply = Box<dyn Fn(&ApplyResourceChange) -> AppliedResource + Send + Sync>;
type Read = Box<dyn Fn(&ReadResource) -> Answer + Send + Sync>;
type Upgrade = Box<dyn Fn(&UpgradeResource) -> Answer + Send + Sync>;
type Import = Box<dyn Fn(&ImportResource) -> ImportAnswer + Send + Sync>;

/// A resource type: its schema and its behavior. By default it behaves like one without a remote service:
/// every configuration is valid, computed attributes are unknown until apply, and reading returns the
/// stored object.
pub struct ResourceType {
    pub(super) schema: Schema,
    pub(super) identity: Option<Schema>,
    requires_replace: Vec<Path>,
    fault: Option<Fault>,
    /// The number of calls to plan or read.
    calls: AtomicU64,
    /// The last applied object for each `id`, for imports. Kept as long as the program runs.
    objects: Mutex<BTreeMap<String, Value>>,
    validate: Option<Validate>,
    plan: Option<Plan>,
    apply: Option<Apply>,
    read: Option<Read>,
    upgrade: Option<Upgrade>,
    import: Option<Import>,
}

impl std::fmt::Debug for ResourceType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceType")
            .field("schema", &self.schema)
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

impl ResourceType {
    /// A resource type of this schema, in version 0.
    pub fn new(block: Block) -> Self {
        Self {
            schema: Schema::new(0, block),
            identity: None,
            requires_replace: Vec::new(),
            fault: None,
            calls: AtomicU64::new(0),
            objects: Mutex::default(),
            validate: None,
            plan: None,
            apply: None,
            read: None,
            upgrade: None,
            import: None,
        }
    }

    /// Gives the objects an identity.
    #[must_use]
    pub fn identity(mut self, block: Block) -> Self {
        self.identity = Some(Schema::new(0, block));
        self
    }

    /// Sets the attributes that cannot change in place.
    #[must_use]
    pub fn requires_replace(mut self, paths: impl IntoIterator<Item = Path>) -> Self {
        self.requires_replace = paths.into_iter().collect();
        self
    }

    /// Adds a fault.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        if fault.is_replaced() {
            self.requires_replace.push(Path::root().attribute("name"));
        }
        self.fault = Some(fault);
        self
    }

    /// Sets how configurations are validated.
    #[must_use]
    pub fn on_validate(mut self, f: impl Fn(&Value) -> Vec<Diagnostic> + Send + Sync + 'static) -> Self {
        self.validate = Some(Box::new(f));
        self
    }

    /// Sets how changes are planned.
    #[must_use]
    pub fn on_plan(
        mut self,
        f: impl Fn(&PlanResourceChange) -> PlannedResource + Send + Sync + 'static,
    ) -> Self {
        self.plan = Some(Box::new(f));
        self
    }

    /// Sets how changes are applied.
    #[must_use]
    pub fn on_apply(
        mut self,
        f: impl Fn(&ApplyResourceChange) -> AppliedResource + Send + Sync + 'static,
    ) -> Self {
        self.apply = Some(Box::new(f));
        self
    }

    /// Sets how objects are read.
    #[must_use]
    pub fn on_read(mut self, f: impl Fn(&ReadResource) -> Answer + Send + Sync + 'static) -> Self {
        self.read = Some(Box::new(f));
        self
    }

    /// Sets how stored objects are upgraded.
    #[must_use]
    pub fn on_upgrade(mut self, f: impl Fn(&UpgradeResource) -> Answer + Send + Sync + 'static) -> Self {
        self.upgrade = Some(Box::new(f));
        self
    }

    /// Sets how objects are imported.
    #[must_use]
    pub fn on_import(mut self, f: impl Fn(&ImportResource) -> ImportAnswer + Send + Sync + 'static) -> Self {
        self.import = Some(Box::new(f));
        self
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, request: &ApplyResourceChange, state: Option<&Value>) {
        let id = |object: &Value| object.attribute("id").and_then(Value::as_str).map(str::to_owned);
        match state.filter(|state| !state.is_null()) {
            Some(state) => id(state).map(|id| self.objects().insert(id, state.clone())),
            None => id(&request.prior).map(|id| self.objects().remove(&id)),
        };
    }

    pub(super) fn validated(&self, config: &Value) -> Result<Vec<Diagnostic>> {
        if let Some(fault) = self.fault {
            fault.validated()?;
        }
        Ok(self.validate.as_ref().map(|validate| validate(config)).unwrap_or_default())
    }

    /// The identity of an object: its attributes that the identity schema names.
    fn identity_of(&self, object: &Value) -> Option<Value> {
        let names = self.identity.as_ref()?.block.attributes().iter().map(|(name, _)| name.clone());
        let part = |name: smol_str::SmolStr| Some((name.clone(), object.attribute(&name)?.clone()));
        Some(Value::object(names.map(part).collect::<Option<Vec<_>>>()?))
    }

    fn stored(&self, raw: &RawState) -> Result<Value> {
        let malformed = |reason: String| ErrorKind::Malformed { field: "raw_state", reason };
        let ty = self.schema.block.implied_type();
        let text = String::from_utf8_lossy(&raw.json);
        Ok(Value::from_json(&text, ty).map_err(|error| malformed(error.to_string()))?)
    }

    pub(super) fn planned(&self, request: &PlanResourceChange) -> Result<PlannedResource> {
        let mut answer = match &self.plan {
            Some(plan) => plan(request),
            None => {
                let mut simulated = SimulatedProvider { requires_replace: self.requires_replace.clone() };
                let failed = |error| ErrorKind::Malformed { field: "plan", reason: format!("{error}") };
                let mut answer = simulated.plan(request).map_err(failed)?;
                // Terraform 1.15.5 cannot write a plan with an identity that is not wholly known.
                let planned = || self.identity_of(&answer.planned).filter(Value::is_wholly_known);
                answer.identity = answer.identity.or_else(planned);
                answer
            }
        };
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.fault {
            Some(fault) => fault.planned(request, &mut answer, calls).map(|()| answer),
            None => Ok(answer),
        }
    }

    pub(super) fn applied(&self, request: &ApplyResourceChange) -> Result<AppliedResource> {
        let mut answer = match &self.apply {
            Some(apply) => apply(request),
            None => {
                let mut answer = AppliedResource::new(settled(&self.schema.block, &request.planned));
                answer.private.clone_from(&request.private);
                answer.identity = answer.new_state.as_ref().and_then(|state| self.identity_of(state));
                answer
            }
        };
        // Before the fault: the stored object is right, and only the answer is wrong.
        self.remember(request, answer.new_state.as_ref());
        match self.fault {
            Some(fault) => fault.applied(request, &mut answer).map(|()| answer),
            None => Ok(answer),
        }
    }

    pub(super) fn read(&self, request: &ReadResource) -> Result<Answer> {
        let mut answer = match &self.read {
            Some(read) => read(request),
            None => {
                let mut answer = Answer::new(request.state.clone());
                answer.private.clone_from(&request.private);
                answer.identity.clone_from(&request.identity);
                answer
            }
        };
        if let Some(fault) = self.fault {
            fault.read(&mut answer, self.calls.fetch_add(1, Ordering::Relaxed))?;
        }
        Ok(answer)
    }

    pub(super) fn upgraded(&self, request: &UpgradeResource) -> Result<Answer> {
        let mut answer = match &self.upgrade {
            Some(upgrade) => upgrade(request),
            None => Answer::new(self.stored(&request.stored)?),
        };
        if let Some(fault) = self.fault {
            fault.upgraded(&mut answer)?;
        }
        Ok(answer)
    }

    pub(super) fn imported(&self, request: &ImportResource) -> Result<ImportAnswer> {
        let mut answer = match &self.import {
            Some(import) => import(request),
            None => {
                let (empty, mut answer) = (self.schema.block.empty_value(), ImportAnswer::default());
                let id = match &request.target {
                    ImportTarget::Id(id) => Some(id.clone()),
                    ImportTarget::Identity(identity) => {
                        identity.attribute("id").and_then(Value::as_str).map(str::to_owned)
                    }
                };
                let known = id.as_ref().and_then(|id| self.objects().get(id).cloned());
                let object = known.unwrap_or_else(|| match id {
                    Some(id) => set(empty, "id", id),
                    None => empty.clone(),
                });
                let identity = self.identity_of(&object);
                answer.resources.push(Imported {
                    type_name: request.type_name.clone(),
                    object: Some(object),
                    private: Default::default(),
                    identity,
                });
                answer
            }
        };
        if let Some(fault) = self.fault {
            fault.imported(&mut answer);
        }
        Ok(answer)
    }

    pub(super) fn moved(&self, request: &MoveResource) -> Result<Answer> {
        let mut answer = Answer::new(self.stored(&request.source)?);
        answer.private.clone_from(&request.source_private);
        answer.identity = answer.object.as_ref().and_then(|object| self.identity_of(object));
        if let Some(fault) = self.fault {
            fault.moved(&mut answer);
        }
        Ok(answer)
    }

    /// The generated configuration of an object: every part that can be configured.
    pub(super) fn generated(&self, state: &Value) -> Answer {
        let block = &self.schema.block;
        let configured = state.transform(|path, part| {
            let attribute = block.attribute_by_path(&path.to_path());
            let is_for_the_provider = attribute.is_some_and(|a| a.write_only || !(a.required || a.optional));
            Ok::<_, std::convert::Infallible>(if is_for_the_provider { null(&part) } else { part })
        });
        let Ok(configured) = configured;
        let mut answer = Answer::new(configured);
        if let Some(fault) = self.fault {
            fault.generated(&mut answer);
        }
        answer
    }
}
