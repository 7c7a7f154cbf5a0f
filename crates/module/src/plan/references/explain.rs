//! Why something is unknown, created, replaced or deferred: the chain of references to its root.

use std::collections::BTreeSet;

use objchange::Value;
use objchange::address::Mode;
use objchange::value::{Path, PathStep};
use objchange_document::MissingKind;
use objchange_hcl::{Body, Expr, Span, called_functions};
use objchange_text::did_you_mean;
use smol_str::SmolStr;

use super::super::graph::{NodeKey, NodeKind, ResourceNode};
use super::super::instances::Expanded;
use super::super::inventions::provider_of_function;
use super::super::resource::instance_address;
use super::super::walk::Walk;
use super::super::{ActionReason, PlannedAction, PlannedObject, UndecidedReason};
use super::find::{ObjectPart, in_body, key_of, subjects};
use super::graph::data_reason;
use super::{Observer, header};
use crate::subject::{SubjectKind, WORKSPACE};

/// Why something is as it is.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Explanation {
    /// The object, and then its causes: each step follows the one that refers to it. No step holds a value.
    pub steps: Vec<ExplanationStep>,
}

/// A part of an [`Explanation`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExplanationStep {
    /// How many references lead here.
    pub depth: usize,
    /// The object, or a part of it.
    pub address: String,
    /// The state of it: `unknown`, `known`, or the action.
    pub what: &'static str,
    /// Why.
    pub why: String,
    /// Where that is in the files.
    pub span: Option<Span>,
}

/// Why nothing can be explained.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// There is nothing of this address.
    #[error("there is nothing called {address}{hint}")]
    Unknown {
        /// The requested address.
        address: String,
        /// A similar address.
        hint: String,
    },
    /// The plan failed before anything was evaluated.
    #[error("the module has errors, so that nothing can be explained")]
    NotPlanned,
}

impl ExplainError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown",
            Self::NotPlanned => "not_planned",
        }
    }
}

/// The maximum number of steps of an explanation.
const MOST_STEPS: usize = 200;

/// Explains while a plan is made.
pub(in super::super) struct ExplainObserver<'a> {
    pub(in super::super) address: &'a str,
    pub(in super::super) found: Result<Explanation, ExplainError>,
}

impl Observer for ExplainObserver<'_> {
    fn walked(&mut self, walk: &Walk<'_, '_>) {
        self.found = match walk.find_address(self.address) {
            Some(found) if walk.is_there(&found) => {
                let mut explainer = Explainer { walk, seen: BTreeSet::new(), steps: Vec::new() };
                explainer.explain(&found, 0, None);
                Ok(Explanation { steps: explainer.steps })
            }
            _ => match walk.plan.changes.iter().find(|change| change.address.to_string() == self.address) {
                // An object that the configuration does not have.
                Some(change) => Ok(Explanation { steps: vec![of_change(change, None)] }),
                None => {
                    let all = walk.addresses();
                    let hint = did_you_mean(self.address, all.iter().map(String::as_str));
                    Err(ExplainError::Unknown { address: self.address.to_owned(), hint })
                }
            },
        };
    }
}

impl Walk<'_, '_> {
    /// Whether a resource has the instance that is meant, and an attribute of that name.
    fn is_there(&self, found: &ObjectPart) -> bool {
        let NodeKind::Resource(resource) = &self.graph.nodes[found.node].kind else { return true };
        let schema = resource.schema.filter(|_| !resource.is_inferred);
        let has_attribute = match (found.path.first(), schema) {
            (Some(PathStep::Attribute(name)), Some(schema)) => {
                schema.block.attribute(name).is_some() || schema.block.block_type(name).is_some()
            }
            _ => true,
        };
        let instances = ObjectPart { path: Vec::new(), ..found.clone() };
        has_attribute && (found.key.is_none() || self.value_of(&instances).is_some())
    }
}

struct Explainer<'w, 'i, 'c> {
    walk: &'w Walk<'i, 'c>,
    /// The addresses that are already explained.
    seen: BTreeSet<String>,
    steps: Vec<ExplanationStep>,
}

impl<'c> Explainer<'_, '_, 'c> {
    fn explain(&mut self, found: &ObjectPart, depth: usize, referred: Option<Span>) {
        let name = self.walk.name_of(found);
        if self.steps.len() >= MOST_STEPS || !self.seen.insert(name.clone()) {
            return;
        }
        let graph = self.walk.graph;
        let node = &graph.nodes[found.node];
        let span = referred.or_else(|| header(node));
        let value = self.walk.value_of(found);
        let is_unknown = value.as_ref().is_some_and(|value| !value.is_wholly_known());
        let what = if is_unknown { "unknown" } else { "known" };
        let file =
            self.walk.missing.at(found.node).filter(|missing| {
                is_unknown && matches!(missing.kind, MissingKind::File | MissingKind::Schema)
            });
        let file = file.map(ToString::to_string);
        let own =
            |why: &str| ExplanationStep { depth, address: name.clone(), what, why: why.to_owned(), span };
        match &node.kind {
            NodeKind::Variable(variable, _) if node.module == 0 => {
                let why = match (is_unknown, self.walk.input.variables.contains_key(*variable)) {
                    (true, _) if self.walk.missing.at(found.node).is_some() => {
                        "no value is given for the variable"
                    }
                    (true, _) => "the variable has no known value",
                    (false, true) => "a value is given for the variable",
                    (false, false) => "the variable has its default",
                };
                self.steps.push(own(why));
            }
            NodeKind::Variable(variable, _) => {
                let call = super::super::variable::call_of(self.walk.input.config, node.module);
                let argument =
                    call.and_then(|call| call.arguments.iter().find(|argument| argument.name == **variable));
                match (argument, self.walk.world.instances[found.at].parent) {
                    (Some(argument), Some(parent)) => {
                        self.steps.push(own(file.as_deref().unwrap_or("an argument of the module call")));
                        self.follow(&[&argument.expr], parent, None, depth, is_unknown);
                    }
                    _ => self.steps.push(own("the variable has its default")),
                }
            }
            NodeKind::Local(_, local) => {
                self.steps.push(own(file.as_deref().unwrap_or("a local value")));
                self.follow(&[&local.expr], found.at, None, depth, is_unknown);
            }
            NodeKind::Output(_, output) => {
                self.steps.push(own(file.as_deref().unwrap_or("the value of an output")));
                self.follow(&[&output.value], found.at, None, depth, is_unknown);
            }
            NodeKind::Call(..) if self.walk.missing.module_at(found.node).is_some() => {
                let source =
                    self.walk.missing.module_at(found.node).and_then(|missing| missing.source.as_ref());
                let why = match source {
                    Some(source) => format!("the module {source} is not installed"),
                    None => "the module is not installed, and its source is not known".to_owned(),
                };
                self.steps.push(ExplanationStep { what: "unknown", ..own(&why) });
            }
            NodeKind::Call(call, config) => {
                let calls = self.walk.world.instances[found.at].calls.get(*call);
                let is_open = matches!(calls, Some(Expanded::Undecided(_)));
                let (what, why) = match is_open {
                    true => ("deferred", "its count or for_each is not known, so that its instances are not"),
                    false => ("known", "the instances of the module are known"),
                };
                self.steps.push(ExplanationStep { what, ..own(why) });
                let repeated: Vec<&Expr> = config.count.iter().chain(&config.for_each).collect();
                self.follow(&repeated, found.at, None, depth, is_open);
            }
            NodeKind::Resource(resource) => self.resource(found, resource, own("")),
            _ => self.steps.push(own("it has no value of its own")),
        }
    }

    fn resource(&mut self, found: &ObjectPart, resource: &ResourceNode<'c>, own: ExplanationStep) {
        let config = resource.config;
        let repeated: Vec<&Expr> = config.count.iter().chain(&config.for_each).collect();
        let (depth, is_unknown) = (own.depth, own.what == "unknown");
        let module = self.walk.world.instances[found.at].address.clone();
        let undecided = || {
            self.walk.plan.undecided.iter().filter(|undecided| {
                undecided.address.resource.module == module
                    && super::super::orphans::resource_name(&undecided.address.resource) == *resource.name
            })
        };
        let key = found.key.as_ref().and_then(key_of);
        let unsure = undecided().find(|undecided| {
            undecided.reason.is_about_object() && (found.key.is_none() || undecided.address.key == key)
        });
        if let (Some(unsure), true) = (unsure, found.path.is_empty()) {
            let why = match unsure.reason {
                UndecidedReason::ReplacementUnknown => {
                    "it exists, and only its provider knows whether it is updated or replaced".to_owned()
                }
                _ => "it exists, and what happens to it depends on input that is missing".to_owned(),
            };
            self.steps.push(ExplanationStep { what: "undecided", why, ..own });
            return self.unknown_attributes(found, &unsure.after, depth);
        }
        if undecided().any(|undecided| !undecided.reason.is_about_object()) {
            let why = "its count or for_each is not known, so that its instances are not".to_owned();
            self.steps.push(ExplanationStep { what: "deferred", why, ..own });
            self.follow(&repeated, found.at, None, depth, true);
            // Or those of the module around it.
            if let Some(step) = module.0.last()
                && self.walk.world.instances[found.at].is_undecided
                && let Some(parent) = self.walk.world.instances[found.at].parent
                && let Some(call) = self
                    .walk
                    .graph
                    .find(&NodeKey::Call(self.walk.world.instances[parent].module, step.name.as_str().into()))
            {
                let call = ObjectPart { at: parent, node: call, key: None, path: Vec::new() };
                self.explain(&call, depth + 1, None);
            }
            return;
        }
        let wanted: Vec<&PlannedObject> = self
            .walk
            .plan
            .changes
            .iter()
            .filter(|change| {
                let address = instance_address(&module, resource.name, change.address.key.clone());
                change.deposed.is_none()
                    && change.address == address
                    && (found.key.is_none() || change.address.key == key)
            })
            .collect();
        let Some(PathStep::Attribute(attribute)) = found.path.first() else {
            return self.object(found, resource, &wanted, own);
        };
        let attribute = attribute.clone();
        let body: &Body = &resource.body;
        let written = body.attributes.iter().find(|written| written.name == attribute);
        let mut expressions: Vec<&Expr> = written.iter().map(|written| &written.expr).collect();
        let blocks = body.blocks.iter().filter(|block| {
            block.kind == attribute || block.labels.first().is_some_and(|label| label.text == attribute)
        });
        blocks.for_each(|block| in_body(&block.body, &mut expressions));
        let missing = self.walk.missing.at(found.node).filter(|_| is_unknown);
        let why = match (is_unknown, expressions.is_empty(), resource.name.mode) {
            _ if missing.is_some() => missing.map(ToString::to_string).unwrap_or_default(),
            (true, ..) if self.is_kept(resource, &attribute) => {
                "ignore_changes keeps its value in the state, which was not read".to_owned()
            }
            (false, false, _) => "it is configured".to_owned(),
            (false, true, _) => "it is not configured".to_owned(),
            (true, false, _) => "its configuration is unknown, or the provider computes it".to_owned(),
            (true, true, Mode::Data) => {
                data_reason(wanted.first().and_then(|change| change.reason)).to_owned()
            }
            (true, true, _) => {
                format!("it is computed by {}, and known after apply", resource.provider.for_display())
            }
        };
        let span = written.map(|written| written.name_span).or(own.span);
        self.steps.push(ExplanationStep { why, span, ..own });
        self.follow(&expressions, found.at, Some((found, &repeated)), depth, is_unknown);
        if is_unknown && resource.name.mode == Mode::Data {
            self.data(found, resource, &wanted, depth);
        }
    }

    /// Whether an attribute may have another value in a state that was not read.
    fn is_kept(&self, resource: &ResourceNode<'c>, attribute: &SmolStr) -> bool {
        let ignored = &resource.config.lifecycle.ignore_changes;
        self.walk.input.options.lacks_state && super::super::managed::is_ignored(ignored, attribute)
    }

    /// Explains an object: its change, and the causes.
    fn object(
        &mut self,
        found: &ObjectPart,
        resource: &ResourceNode<'c>,
        changes: &[&PlannedObject],
        own: ExplanationStep,
    ) {
        let (depth, is_unknown) = (own.depth, own.what == "unknown");
        let Some(change) = changes.first() else {
            let why = match (resource.name.mode, is_unknown) {
                (Mode::Data, false) => "it was read while planning",
                (Mode::Ephemeral, _) => "it is opened when it is needed",
                _ if self.walk.found.has_errors() => "it could not be planned",
                _ => "nothing is planned for it",
            };
            self.steps.push(ExplanationStep { why: why.to_owned(), ..own });
            return;
        };
        let mut step = ExplanationStep { depth, span: own.span, ..of_change(change, own.span) };
        if self.walk.input.options.lacks_state && change.action == PlannedAction::Create {
            step.what = "configured";
            step.why = "the state was not read, so that nobody knows whether it exists".to_owned();
        }
        // The chain ends at the model of the provider.
        let parts: BTreeSet<String> = change.replace_paths.iter().map(part_name).collect();
        for part in parts {
            let resource_type = &resource.name.resource_type;
            let fact = self.walk.providers.learned_replacement(&resource.provider, resource_type, &part);
            step.why.extend(fact.map(|fact| format!("; {fact}")));
        }
        self.steps.push(step);
        if resource.name.mode == Mode::Data {
            return self.data(found, resource, changes, depth);
        }
        let lifecycle = &resource.config.lifecycle;
        if change.reason == Some(ActionReason::ReplaceByTriggers) {
            let triggers: Vec<&Expr> = lifecycle.replace_triggered_by.iter().collect();
            self.follow_all(&triggers, found.at, depth);
        }
        self.unknown_attributes(found, &change.after, depth);
    }

    /// Explains the attributes of an object that are unknown.
    fn unknown_attributes(&mut self, found: &ObjectPart, after: &Value, depth: usize) {
        let Some(after) = after.as_object() else { return };
        let open: Vec<_> = after
            .iter()
            .filter(|(_, value)| !value.is_wholly_known())
            .map(|(name, _)| name.clone())
            .collect();
        for name in open {
            let path = vec![PathStep::Attribute(name)];
            self.explain(&ObjectPart { path, ..found.clone() }, depth + 1, None);
        }
    }

    /// Explains the delay of a data source.
    fn data(
        &mut self,
        found: &ObjectPart,
        resource: &ResourceNode<'c>,
        changes: &[&PlannedObject],
        depth: usize,
    ) {
        match changes.first().and_then(|change| change.reason) {
            Some(ActionReason::ReadBecauseConfigUnknown) => {
                let mut expressions = Vec::new();
                in_body(&resource.body, &mut expressions);
                let repeated: Vec<&Expr> =
                    resource.config.count.iter().chain(&resource.config.for_each).collect();
                self.follow(&expressions, found.at, Some((found, &repeated)), depth, true);
            }
            Some(ActionReason::ReadBecauseDependencyPending) => {
                let depends: Vec<&Expr> = resource.config.depends_on.iter().collect();
                self.follow_all(&depends, found.at, depth);
            }
            _ => {}
        }
    }

    /// Goes on with what expressions refer to, as far as that is unknown.
    fn follow(
        &mut self,
        expressions: &[&Expr],
        at: usize,
        repeated: Option<(&ObjectPart, &[&Expr])>,
        depth: usize,
        is_unknown: bool,
    ) {
        if !is_unknown {
            return;
        }
        self.functions(expressions, at, depth);
        for subject in subjects(expressions) {
            if let (SubjectKind::Each(_) | SubjectKind::Count(_), Some((found, repeated))) =
                (&subject.kind, repeated)
            {
                self.follow(repeated, found.at, None, depth, true);
            }
            if self.walk.lacks_workspace(&subject) {
                let (address, why) = (WORKSPACE, "nothing says which workspace is selected");
                self.steps.push(ExplanationStep {
                    depth: depth + 1,
                    address: address.to_owned(),
                    what: "unknown",
                    why: why.to_owned(),
                    span: Some(subject.span),
                });
            }
            for found in self.walk.targets(&subject, at) {
                let is_open = match &self.walk.graph.nodes[found.node].kind {
                    NodeKind::Call(..) => true,
                    _ => self.walk.value_of(&found).is_some_and(|value| !value.is_wholly_known()),
                };
                if is_open {
                    self.explain(&found, depth + 1, Some(subject.span));
                }
            }
        }
    }

    /// Names the functions of providers that expressions call: nobody else knows their results.
    fn functions(&mut self, expressions: &[&Expr], at: usize, depth: usize) {
        let config = self.walk.input.config;
        let module = self.walk.world.instances[at].module;
        for expr in expressions {
            for name in called_functions(expr) {
                let Some(local) = provider_of_function(name) else { continue };
                let provider = config.provider_named(module, local);
                let address = format!("{name}()");
                if provider.is_builtin() || !self.seen.insert(address.clone()) {
                    continue;
                }
                let provider_name = provider.for_display();
                let why = match self.walk.input.schemas.has_provider(&provider) {
                    true => format!("only {provider_name} knows the result"),
                    false => format!("there are no schemas of {provider_name}"),
                };
                let span = Some(expr.span);
                self.steps.push(ExplanationStep { depth: depth + 1, address, what: "unknown", why, span });
            }
        }
    }

    /// Goes on with all that expressions refer to.
    fn follow_all(&mut self, expressions: &[&Expr], at: usize, depth: usize) {
        for subject in subjects(expressions) {
            for found in self.walk.targets(&subject, at) {
                self.explain(&found, depth + 1, Some(subject.span));
            }
        }
    }
}

/// The names on a path, with dots between them.
fn part_name(path: &Path) -> String {
    let names = path.steps().iter().filter_map(|step| match step {
        PathStep::Attribute(name) => Some(name.as_str()),
        PathStep::Index(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

/// The step for the change of an object.
fn of_change(change: &PlannedObject, span: Option<Span>) -> ExplanationStep {
    let (what, mut why) = match change.action {
        PlannedAction::NoOp => ("no-op", "it is as it should be".to_owned()),
        PlannedAction::Create => ("create", "it is not in the state".to_owned()),
        PlannedAction::Read => ("read", data_reason(change.reason).to_owned()),
        PlannedAction::Update => ("update", format!("these differ: {}", differing(change).join(", "))),
        PlannedAction::DeleteThenCreate
        | PlannedAction::CreateThenDelete
        | PlannedAction::CreateThenForget => {
            let paths: Vec<String> = change.replace_paths.iter().map(first_step).collect();
            let paths = if paths.is_empty() { differing(change) } else { paths };
            ("replace", format!("these differ: {}", paths.join(", ")))
        }
        PlannedAction::Delete => ("delete", "the configuration has it no more".to_owned()),
        PlannedAction::Forget => ("forget", "it is no longer managed".to_owned()),
    };
    if let Some(reason) = change.reason.and_then(reason_text) {
        why = reason.to_owned();
    }
    ExplanationStep { depth: 0, address: change.address.to_string(), what, why, span }
}

fn reason_text(reason: ActionReason) -> Option<&'static str> {
    Some(match reason {
        ActionReason::ReplaceBecauseTainted => "it is tainted",
        ActionReason::ReplaceByRequest => "its replacement was requested",
        ActionReason::ReplaceByTriggers => "something in its replace_triggered_by changes",
        ActionReason::DeleteBecauseNoResourceConfig => "there is no resource block for it",
        ActionReason::DeleteBecauseNoModule => "its module is no longer called",
        ActionReason::DeleteBecauseEnabledFalse => "enabled is false",
        ActionReason::DeleteBecauseWrongRepetition => "count or for_each was added or removed",
        ActionReason::DeleteBecauseCountIndex => "its index is not below count",
        ActionReason::DeleteBecauseEachKey => "its key is not in for_each",
        ActionReason::DeleteBecauseNoMoveTarget => "what it was moved to is not in the configuration",
        _ => return None,
    })
}

/// The attributes that differ before and after.
fn differing(change: &PlannedObject) -> Vec<String> {
    let Some(after) = change.after.as_object() else { return Vec::new() };
    let differs = |name: &str, value: &Value| {
        let before = change.before.attribute(name);
        before.is_none_or(|before| !before.unmark_deep().0.identical(&value.unmark_deep().0))
    };
    after.iter().filter(|(name, value)| differs(name, value)).map(|(name, _)| name.to_string()).collect()
}

/// The attribute that a path begins with: keys behind it may be secret.
fn first_step(path: &Path) -> String {
    path.steps().iter().take(1).cloned().collect::<Path>().to_string()
}
