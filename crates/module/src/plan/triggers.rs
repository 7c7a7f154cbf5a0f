//! `replace_triggered_by`: whether the planned change of another resource replaces an object.

use std::collections::BTreeMap;

use objchange::address::{InstanceKey, Mode, ResourceAddress};
use objchange::value::PathStep;
use objchange::{Type, Value};
use objchange_hcl::{Expr, ResourceName, Scope, Span, Variables, evaluate, variables};

use super::PlannedAction;
use super::check::{check_path, module_in_words};
use super::graph::{NodeKey, NodeKind, ResourceNode, resource_text};
use super::managed::Instance;
use super::references::key_of;
use super::walk::Walk;
use crate::Severity;
use crate::subject::{Subject, SubjectKind, parse};
use crate::versions::since;

impl<'c> Walk<'_, 'c> {
    /// Whether something that an instance watches changes. The triggers after the first that does are not looked at, so that
    /// nothing wrong in them is found (Terraform 1.11.4 and 1.15.5).
    pub(crate) fn is_triggered(&mut self, instance: &Instance<'_>, resource: &ResourceNode<'c>) -> bool {
        let mut triggers = resource.config.lifecycle.replace_triggered_by.iter();
        triggers.any(|trigger| self.trigger(instance, trigger))
    }

    /// Reports a trigger that is not declared.
    pub(crate) fn undeclared_trigger(&mut self, module: usize, trigger: &Expr) {
        for reference in variables(trigger) {
            let (Some(subject), _) = parse(&reference) else { continue };
            let SubjectKind::Resource { name, .. } = &subject.kind else { continue };
            if !self.input.config.modules[module].config.resources.contains_key(name) {
                let text = resource_text(name);
                let module = module_in_words(self.input.config, module);
                let detail = format!("A resource {text} has not been declared in {module}");
                self.found.error("Reference to undeclared resource", trigger.span, detail);
            }
        }
    }

    fn trigger(&mut self, instance: &Instance<'_>, trigger: &Expr) -> bool {
        if let Some(error) = trigger.trigger_error() {
            self.found.errors([error]);
            return false;
        }
        let references = variables(trigger);
        let subject = references
            .iter()
            .filter_map(|reference| parse(reference).0)
            .find_map(|subject| matches!(subject.kind, SubjectKind::Resource { .. }).then_some(subject));
        let Some(Subject { kind: SubjectKind::Resource { name, key }, rest, .. }) = subject else {
            return false;
        };
        let keys = match trigger.computed_key() {
            None => key,
            Some(computed) => match self.computed_key(instance, computed) {
                Some(value) => Some(value),
                None => return false,
            },
        };
        let module = &self.world.instances[instance.at].address;
        let wanted = super::resource::resource_address(module, &name);
        let key = keys.as_ref().and_then(key_of);
        let path: Vec<PathStep> = rest.iter().map(|(step, _)| step.clone()).collect();
        // Nobody knows whether instances change of which nobody knows which ones there are. The object is unsure then.
        if self.missing.reaches(instance.index) && self.undecided.contains(&wanted) {
            return true;
        }
        if !path.is_empty() && self.has_wrong_path(instance, (&wanted, &name, &key), &rest) {
            return false;
        }
        let triggered = match (&key, name.mode) {
            // Terraform rejects data sources as triggers while planning: "no change found".
            (_, mode) if mode != Mode::Managed => None,
            // An attribute without a key is one of the only instance, also where the resource has count or for_each.
            (key, _) if key.is_some() || !path.is_empty() => self.changes_at(&wanted, key, &path),
            // All instances are the same to all that name none of them.
            _ => {
                let trigger = (wanted, trigger.span);
                match self.triggers.get(&trigger) {
                    Some(known) => *known,
                    None => {
                        let planned = self.changes.get(&trigger.0).into_iter().flat_map(BTreeMap::keys);
                        let before = self.before_destroy.get(&trigger.0).into_iter().flat_map(BTreeMap::keys);
                        let changes =
                            planned.chain(before).filter_map(|key| self.changes_at(&trigger.0, key, &[]));
                        let triggered = changes.reduce(|any, change| any || change);
                        self.triggers.insert(trigger, triggered);
                        triggered
                    }
                }
            }
        };
        // Terraform 1.11.4 has the error without a place for data sources, and for resources that have no instances.
        triggered.unwrap_or_else(|| {
            let module = match &self.world.instances[instance.at].address {
                root if root.is_root() => "the root module".to_owned(),
                module => module.to_string(),
            };
            let mut text = resource_text(&name);
            if let Some(key) = &key {
                text.push_str(&key.to_string());
            }
            let summary = format!("no change found for {text} in {module}");
            self.found.without_place(Severity::Error, ("no_change_found", summary), "");
            false
        })
    }

    /// Reports a path that leads nowhere by the schema of an object that changes. Terraform before 1.15 takes it for unchanged,
    /// and so do later versions where the object stays as it is, or is created.
    fn has_wrong_path(
        &mut self,
        instance: &Instance<'_>,
        (address, name, key): (&ResourceAddress, &ResourceName, &Option<InstanceKey>),
        rest: &[(PathStep, Span)],
    ) -> bool {
        if !since(self.input.options.version, "1.15") || self.changes_at(address, key, &[]) != Some(true) {
            return false;
        }
        let module = self.world.instances[instance.at].module;
        let node = self.graph.find(&NodeKey::Resource(module, name.clone()));
        let Some(NodeKind::Resource(resource)) = node.map(|node| &self.graph.nodes[node].kind) else {
            return false;
        };
        let mut errors = Vec::new();
        if let Some(schema) = resource.schema.filter(|_| !resource.is_inferred) {
            check_path(&schema.block, rest, self.functions, &mut errors);
        }
        let is_wrong = !errors.is_empty();
        self.found.errors(errors);
        is_wrong
    }

    /// Whether a planned object changes at a path, or would if it were not destroyed; `None` if there is none. One that is
    /// destroyed triggers nothing.
    fn changes_at(
        &self,
        resource: &ResourceAddress,
        key: &Option<InstanceKey>,
        path: &[PathStep],
    ) -> Option<bool> {
        let before_destroy = self.before_destroy.get(resource).and_then(|known| known.get(key));
        let (action, before, after) = match before_destroy {
            Some(change) => (change.action, &change.before, &change.after),
            None => {
                let position = self.changes.get(resource)?.get(key)?;
                let change = &self.plan.changes[*position];
                (change.action, &change.before, &change.after)
            }
        };
        // Terraform 1.11.4 replaces nothing because a trigger is created or read, or stays as it is.
        let changes = action == PlannedAction::Update || action.is_replace();
        Some(changes && (path.is_empty() || differs(before, after, path)))
    }

    /// The key that `count.index` or `each.key` gives.
    /// The value of a key that is not written out. Reports `count.index` and `each.key` where there are none; no other names were
    /// read.
    fn computed_key(&mut self, instance: &Instance<'_>, key: &Expr) -> Option<Value> {
        let names = instance.repetition.names();
        let nothing = Variables::default();
        let outer = Scope::new(&nothing);
        let (value, errors) = evaluate(key, &outer.with(&names), self.functions);
        if errors.is_empty() {
            return Some(value);
        }
        let is_count = variables(key).iter().any(|reference| &**reference.name == "count");
        let (summary, detail) = match is_count {
            true => (
                "Reference to \"count\" in non-counted context",
                "The \"count\" object can only be used in \"resource\" blocks when the \"count\" argument is set.",
            ),
            false => (
                "Reference to \"each\" in context without for_each",
                "The \"each\" object can be used only in \"resource\" blocks when the \"for_each\" argument is set.",
            ),
        };
        self.found.error(summary, key.span, detail);
        None
    }
}

/// Whether a part differs between two objects, if only in what of it is sensitive; what is unknown does.
fn differs(before: &Value, after: &Value, path: &[PathStep]) -> bool {
    // A part of a sensitive value is sensitive, too.
    let part = |value: &Value| {
        path.iter().try_fold(value.clone(), |value, step| {
            let next = trigger_step(&value, step)?;
            let marks = value.marks() | next.marks();
            Some(next.with_marks(marks))
        })
    };
    // A missing attribute triggers nothing.
    match (part(before), part(after)) {
        (Some(before), Some(after)) => {
            !before.same_sensitive_parts(&after)
                || !before.unmark_deep().0.definitely_equals(&after.unmark_deep().0)
        }
        (None, None) => false,
        _ => true,
    }
}

/// One step of the path of a trigger. A name leads into objects alone, a text into maps, and a number into lists and tuples
/// (Terraform 1.11.4 and 1.15.5). The parts of an unknown value are unknown.
fn trigger_step(value: &Value, step: &PathStep) -> Option<Value> {
    let position = |key: &Value| usize::try_from(key.as_number()?.as_u64()?).ok();
    let ty = match (value.ty(), step) {
        (Type::Dynamic, _) if !value.is_known() => Type::Dynamic,
        (Type::Object(_), PathStep::Attribute(name)) if value.is_known() => {
            return value.attribute(name).cloned();
        }
        (Type::Object(object), PathStep::Attribute(name)) => object.attribute(name)?.clone(),
        (Type::Map(_), PathStep::Index(key)) if value.is_known() => {
            return value.element(key.as_str()?).cloned();
        }
        (Type::Map(element), PathStep::Index(key)) if key.as_str().is_some() => (**element).clone(),
        (Type::List(_) | Type::Tuple(_), PathStep::Index(key)) if value.is_known() => {
            return value.index(position(key)?).cloned();
        }
        (Type::List(element), PathStep::Index(key)) if position(key).is_some() => (**element).clone(),
        (Type::Tuple(tuple), PathStep::Index(key)) => tuple.elements().get(position(key)?)?.clone(),
        _ => return None,
    };
    Some(Value::unknown(ty))
}
