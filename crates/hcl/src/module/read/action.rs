//! `action` blocks, and the `action_trigger` blocks that invoke them.

use objchange::address::Mode;
use objchange_text::{Diagnostic, Span};

use super::super::declarations::{
    ActionConfig, ActionName, ActionRef, ActionTriggerConfig, ModuleConfig, OnFailure, TriggerEvent,
};
use super::Reader;
use super::collect::Declared;
use super::references::keyword;
use crate::decode::body::ConfigBody;
use crate::decode::raw::RawBlock;
use crate::decode::shape::ACTION_TRIGGER;
use crate::edition::Edition;
use crate::suggestion::did_you_mean;
use crate::syntax::ast::{Access, Expr, ExprKind, StepKind, Variable};
use crate::walk::variables;

/// The version that knows events of destroying, `self` in conditions, and what happens after a failure.
const DESTROYS: Edition = Edition(16);

impl Reader<'_> {
    pub(super) fn action(&mut self, mut declared: Declared<'_>) -> ActionConfig {
        if let Some(for_each) = declared.content.attribute("for_each").filter(|_| declared.has_both) {
            let detail = "The \"count\" and \"for_each\" meta-arguments are mutually-exclusive, only one should be used.";
            let summary = "Invalid combination of \"count\" and \"for_each\"";
            self.problems.error(summary, for_each.name_span, detail);
        }
        let content = &declared.content;
        let expr = |name: &str| content.attribute(name).map(|attribute| attribute.expr.clone());
        let (count, for_each) = (expr("count"), expr("for_each"));
        let provider = expr("provider").and_then(|provider| self.provider_ref(&provider, "provider"));
        let mut config: Option<(Span, ConfigBody)> = None;
        for block in std::mem::take(&mut declared.content.blocks) {
            match &config {
                Some(_) => {
                    let detail = "An action must contain only one nested \"config\" block.";
                    self.problems.error("Duplicate config block", block.header, detail);
                }
                None => config = Some((block.header, ConfigBody::whole(block.body))),
            }
        }
        let overriding = ConfigBody::new(std::mem::take(&mut declared.overrides));
        let config = match config {
            Some((header, body)) => Some((header, body.overridden_by(&overriding))),
            None if overriding.is_empty() => None,
            None => Some((declared.header, overriding)),
        };
        ActionConfig { header: declared.header, count, for_each, provider, config }
    }

    pub(super) fn refuse_action_trigger(&mut self, mode: Mode, block: &RawBlock<'_>) {
        let kind = if mode == Mode::Data { "data" } else { "ephemeral" };
        let detail = format!(
            "The lifecycle nested block \"action_trigger\" is defined only for managed resources (\"resource\" blocks), and \
             is not valid for {kind} resources."
        );
        let summary = format!("Invalid {kind} resource lifecycle nested block");
        self.problems.error(("invalid_kind_resource_lifecycle_nested_block", summary), block.header, detail);
    }

    pub(super) fn action_trigger(&mut self, block: RawBlock<'_>) -> ActionTriggerConfig {
        let header = block.header;
        let content = block.body.read(&ACTION_TRIGGER, &mut self.problems);
        let condition = content.attribute("condition").map(|condition| condition.expr.clone());
        let events = content.attribute("events").map(|events| self.events(&events.expr)).unwrap_or_default();
        if events.is_empty() {
            let detail = "At least one event must be specified for an action_trigger.";
            self.problems.error("No events specified", header, detail);
        }
        let actions = match content.attribute("actions") {
            Some(actions) => self.action_refs(&actions.expr, header),
            None => {
                self.no_actions(header);
                Vec::new()
            }
        };
        if let Some(condition) = &condition {
            self.refuse_condition(condition, &events);
        }
        let on_failure = content.attribute("on_failure").map(|word| self.on_failure(&word.expr));
        let on_failure = on_failure.unwrap_or_default();
        ActionTriggerConfig { header, events, condition, actions, on_failure }
    }

    fn no_actions(&mut self, place: Span) {
        let detail = "At least one action must be specified for an action_trigger.";
        self.problems.error("No actions specified", place, detail);
    }

    fn events(&mut self, expr: &Expr) -> Vec<TriggerEvent> {
        let edition = self.problems.edition;
        let is_new = edition >= DESTROYS;
        let known = || TriggerEvent::ALL.into_iter().filter(|(event, _)| is_new || !event.is_of_destroy());
        let mut events = Vec::new();
        for item in self.list(expr).iter().filter(|item| !matches!(item.kind, ExprKind::Missing)) {
            let quoted = match &item.kind {
                ExprKind::Text(text) if is_new => text.as_str(),
                _ => None,
            };
            let word = keyword(item);
            let Some((event, name)) = known().find(|(_, name)| Some(*name) == word) else {
                let names: Vec<&str> = known().map(|(_, name)| name).collect();
                let detail =
                    format!("The \"event\" argument supports the following values: {}.", names.join(", "));
                let summary = format!("Invalid \"event\" value {}", word.or(quoted).unwrap_or_default());
                self.problems.error(("invalid_event_value", summary), item.span, detail);
                continue;
            };
            if events.contains(&event) {
                let detail = "The event is already defined in this action_trigger block.";
                let summary = format!("Duplicate {name:?} event");
                self.problems.error(("duplicate_event", summary), expr.span, detail);
                continue;
            }
            events.push(event);
        }
        events
    }

    /// Conditions that may not be there, or may not look at the object.
    fn refuse_condition(&mut self, condition: &Expr, events: &[TriggerEvent]) {
        if events.iter().any(|event| event.is_of_destroy()) {
            let detail = "Condition expression may not be used with a destroy action.";
            self.problems.error("Condition on destroy action", condition.span, detail);
            return;
        }
        let has_self = variables(condition).iter().any(|reference| *reference.name == "self");
        if has_self && self.problems.edition >= DESTROYS && events.contains(&TriggerEvent::BeforeCreate) {
            let detail = "Computed attributes from self may not be known before the resource is created.";
            let summary = "Reference to self in before_create condition";
            self.problems.error(summary, condition.span, detail);
        }
    }

    fn on_failure(&mut self, expr: &Expr) -> OnFailure {
        match keyword(expr) {
            Some("halt") => return OnFailure::Halt,
            Some("taint") => return OnFailure::Taint,
            Some("continue") => return OnFailure::Continue,
            _ if matches!(expr.kind, ExprKind::Missing) => return OnFailure::default(),
            _ => {}
        }
        let detail =
            "The \"on_failure\" argument requires one of the following keywords: halt, taint or continue.";
        self.problems.error("Invalid \"on_failure\" keyword", expr.span, detail);
        OnFailure::default()
    }

    fn action_refs(&mut self, expr: &Expr, header: Span) -> Vec<ActionRef> {
        let is_new = self.problems.edition >= DESTROYS;
        let errors = self.problems.errors.len();
        let items = self.list(expr);
        let is_list = self.problems.errors.len() == errors;
        let (mut actions, mut is_wrong) = (Vec::new(), false);
        for (index, item) in items.iter().enumerate() {
            match action_ref(item, index, is_new) {
                Ok(action) => actions.extend(action),
                // Terraform 1.17-dev tells the first of them; 1.14 and 1.15 tell all.
                Err(_) if is_new && is_wrong => {}
                Err(error) => {
                    is_wrong = true;
                    self.problems.errors.push(*error);
                }
            }
        }
        if actions.is_empty() && !(is_new && is_wrong) {
            let is_empty = items.is_empty() || !is_list;
            self.no_actions(if is_empty { header } else { expr.span });
        }
        actions
    }

    /// References of triggers to actions that the module does not have.
    pub(super) fn refuse_unknown_actions(&mut self, config: &ModuleConfig) {
        let is_new = self.problems.edition >= DESTROYS;
        for resource in config.resources.values() {
            for trigger in &resource.lifecycle.action_triggers {
                let unknown =
                    trigger.actions.iter().filter(|action| !config.actions.contains_key(&action.name));
                for action in unknown.take(if is_new { 1 } else { usize::MAX }) {
                    let name = action.name.to_string();
                    let names: Vec<String> = config.actions.keys().map(ToString::to_string).collect();
                    let hint = did_you_mean(&name, names.iter().map(String::as_str));
                    let detail = format!(
                        "The lifecycle action_trigger actions list contains a reference to the action {name:?} that does not \
                         exist in the configuration of this module.{hint}"
                    );
                    let summary = "action_trigger actions references non-existent action";
                    let context = Some(resource.header.to(action.span));
                    let error = Diagnostic { context, ..Diagnostic::new(summary, action.span, detail) };
                    self.problems.errors.push(error);
                }
            }
        }
    }
}

/// The action that an element of a list names; nothing for a string, which Terraform ignores.
fn action_ref(item: &Expr, index: usize, is_new: bool) -> Result<Option<ActionRef>, Box<Diagnostic>> {
    let wrong = |summary: &'static str, detail: &'static str| {
        Err(Box::new(Diagnostic::new(summary, item.span, detail)))
    };
    let other = || match is_new {
        true => wrong(
            "Invalid action argument inside action_triggers",
            "action_triggers.actions must only refer to actions in the current module, count.index, or each.key.",
        ),
        false => wrong(
            "Invalid action argument inside action_triggers",
            "action_triggers.actions must only refer to actions in the current module.",
        ),
    };
    let (variable, key, is_attribute): (&Variable, Option<Expr>, bool) = match &item.kind {
        ExprKind::Text(_) | ExprKind::Missing => return Ok(None),
        ExprKind::Variable(variable) => {
            let key = match variable.steps.get(2).map(|step| (&step.kind, step.span)) {
                Some((StepKind::Index(key), span)) => Some(Expr::new(span, ExprKind::Literal(key.clone()))),
                _ => None,
            };
            let named = 2 + usize::from(key.is_some());
            (variable, key, variable.steps.len() > named)
        }
        ExprKind::Relative(relative) => {
            let ExprKind::Variable(variable) = &relative.source.kind else { return other() };
            let [Access::Computed { key, .. }, further @ ..] = &relative.accesses[..] else { return other() };
            if variable.steps.len() != 2 || !is_own_key(key) {
                return other();
            }
            (variable, Some(key.clone()), !further.is_empty())
        }
        ExprKind::Splat(_) if is_new => {
            let detail = "Only object references with dynamic indexes are allowed in this context.";
            return wrong("Invalid instance reference", detail);
        }
        _ => return other(),
    };
    let attribute = |position: usize| match variable.steps.get(position).map(|step| &step.kind) {
        Some(StepKind::Attribute(name)) => Some(name.clone()),
        _ => None,
    };
    match variable.name.as_str() {
        "action" => {}
        "module" if (1..=3).any(|position| attribute(position).is_some_and(|name| name == "action")) => {
            let detail = "Actions can only be referenced in the module they are declared in.";
            return wrong("Invalid reference to action outside this module", detail);
        }
        _ => return other(),
    }
    let (Some(action_type), Some(name)) = (attribute(0), attribute(1)) else {
        let detail = "The \"action\" object must be followed by two attribute names: the action type and the action name.";
        return wrong("Invalid reference", detail);
    };
    if is_attribute && is_new {
        let detail = "Actions have no referenceable attributes.";
        return wrong("Unexpected attribute in action reference", detail);
    }
    Ok(Some(ActionRef { name: ActionName { action_type, name }, key, span: item.span, index }))
}

/// Whether an expression is `count.index` or `each.key`, the only ones that a key may be.
fn is_own_key(expr: &Expr) -> bool {
    let ExprKind::Variable(variable) = &expr.kind else { return false };
    let [step] = &variable.steps[..] else { return false };
    match (&*variable.name, &step.kind) {
        ("count", StepKind::Attribute(name)) => name == "index",
        ("each", StepKind::Attribute(name)) => name == "key",
        _ => false,
    }
}
