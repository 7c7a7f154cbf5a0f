//! Uses of deprecated values: of outputs of modules, and of what schemas call deprecated.
//!
//! A value is used where it ends: in an argument, in an output, in a local value. Nothing is reported for values that come
//! from there, so that the references of each expression alone say what it uses (Terraform 1.15.5 and 1.17-dev).

use std::collections::HashMap;

use objchange::schema::SchemaKind;
use objchange::value::PathStep;
use objchange_hcl::{Body, Condition, Expr, ResourceName, Span, variables};
use smol_str::SmolStr;

use super::graph::{Graph, NodeKind, resource_text, schema_kind};
use super::input::PlanInput;
use super::walk::Walk;
use crate::config::{Config, ModuleId};
use crate::schemas::Deprecations;
use crate::subject::{Subject, SubjectKind, parse};
use crate::versions::since;
use crate::{Diagnostics, ModuleDiagnostic, Severity};
use objchange_document::PlanMode;

/// The places where deprecated values are used.
#[derive(Debug, Default)]
pub(crate) struct DeprecatedUses {
    uses: Vec<Use>,
}

/// One deprecated value in one expression.
#[derive(Debug)]
struct Use {
    node: usize,
    place: Span,
    origin: String,
    text: String,
    /// The object that it is used in, as messages name it.
    address: Option<String>,
    /// When Terraform says so.
    reported: ReportedWhen,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportedWhen {
    /// While validating, and while planning for each instance.
    Always,
    /// Once, while validating.
    Once,
    /// While planning alone: before, nobody knows the instance that is referred to.
    Planning,
}

/// A deprecated value that an expression refers to.
struct DeprecatedValue {
    origin: String,
    text: String,
    is_of_instance: bool,
}

impl DeprecatedUses {
    /// Finds them in all expressions.
    pub(crate) fn find(input: &PlanInput<'_>, graph: &Graph<'_>) -> Self {
        let mut finder = Finder { input, types: HashMap::new(), uses: Vec::new() };
        // Terraform 1.14 knows no deprecated outputs.
        if since(input.options.version, "1.15") {
            for (index, node) in graph.nodes.iter().enumerate() {
                if !finder.is_silent(node.scope) {
                    finder.node(index, node.scope, &node.kind);
                }
            }
        }
        Self { uses: finder.uses }
    }

    /// Warns of them, before anything is planned.
    pub(crate) fn warn_at_validation(&self, found: &mut Diagnostics) {
        for one in self.uses.iter().filter(|one| one.reported != ReportedWhen::Planning) {
            one.warn(one.address.clone(), found);
        }
    }
}

impl Use {
    fn warn(&self, address: Option<String>, found: &mut Diagnostics) {
        let detail = format!("  The deprecation originates from {}\n\n{}", self.origin, self.text);
        let warning = objchange_hcl::Diagnostic::warning("Deprecated value used", self.place, detail);
        let warning = objchange_hcl::Diagnostic { severity: Severity::Warning, ..warning };
        found.add(ModuleDiagnostic { is_repeated: true, ..ModuleDiagnostic::new(warning, address) });
    }
}

impl Walk<'_, '_> {
    /// Warns of the uses of deprecated values in what is planned or applied.
    pub(crate) fn warn_of_deprecated_values(&mut self, deprecated: &DeprecatedUses) {
        if self.input.options.mode == PlanMode::Destroy {
            return;
        }
        for one in &deprecated.uses {
            let node = &self.graph.nodes[one.node];
            let is_reported = match (&node.kind, self.applying.is_some()) {
                (_, false) => one.reported != ReportedWhen::Once,
                // Found with Terraform 1.15.5: resources and outputs of child modules are silent while they are applied.
                (NodeKind::Resource(_), true) => false,
                (NodeKind::Output(..), true) => node.module == 0 && one.reported != ReportedWhen::Once,
                (NodeKind::Check(..), true) => true,
                (_, true) => one.reported != ReportedWhen::Once,
            };
            if !is_reported || !self.targets.includes(one.node) || self.failed.get(one.node) == Some(&true) {
                continue;
            }
            let modules = self.world.by_module[node.module].len();
            let instances = match &node.kind {
                NodeKind::Resource(resource) => {
                    let of_module = |at: &usize| {
                        let module = &self.world.instances[*at].address;
                        let address = super::resource::resource_address(module, resource.name);
                        self.changes.get(&address).map_or(0, std::collections::BTreeMap::len)
                    };
                    self.world.by_module[node.module].iter().map(of_module).sum()
                }
                _ => modules,
            };
            for _ in 0..instances {
                one.warn(one.address.clone(), &mut self.found);
            }
        }
    }
}

struct Finder<'i, 'c> {
    input: &'i PlanInput<'c>,
    /// The deprecated parts of the types of resources.
    types: HashMap<(ModuleId, ResourceName), Option<Deprecations>>,
    uses: Vec<Use>,
}

impl Finder<'_, '_> {
    fn config(&self) -> &Config {
        self.input.config
    }

    /// Whether a call of the module, or one around it, says that nothing is reported.
    fn is_silent(&self, module: ModuleId) -> bool {
        let mut at = module;
        loop {
            let loaded = &self.config().modules[at];
            let (Some(parent), Some(name)) = (loaded.parent, loaded.path.last()) else { return false };
            let call = self.config().modules[parent].config.calls.get(name);
            if call.is_some_and(|call| call.ignores_deprecations) {
                return true;
            }
            at = parent;
        }
    }

    fn node(&mut self, index: usize, scope: ModuleId, kind: &NodeKind<'_>) {
        let module = |finder: &Self| -> String {
            finder.config().modules[scope].path.iter().map(|name| format!("module.{name}.")).collect()
        };
        match kind {
            NodeKind::Local(_, local) => {
                self.expression(index, scope, &local.expr, None, ReportedWhen::Always);
            }
            NodeKind::Output(_, output) => {
                // One that is deprecated itself says so where it is used.
                if output.deprecated.is_none() {
                    self.expression(index, scope, &output.value, None, ReportedWhen::Always);
                }
                self.conditions(index, scope, &output.preconditions);
            }
            NodeKind::Call(_, call) => {
                for expr in call.count.iter().chain(&call.for_each) {
                    self.expression(index, scope, expr, None, ReportedWhen::Always);
                }
                for argument in &call.arguments {
                    self.expression(index, scope, &argument.expr, None, ReportedWhen::Always);
                }
            }
            NodeKind::Resource(resource) => {
                let address = format!("{}{}", module(self), resource_text(resource.name));
                for expr in resource.config.count.iter().chain(&resource.config.for_each) {
                    self.expression(index, scope, expr, None, ReportedWhen::Always);
                }
                self.body(index, scope, &resource.body, Some(&address), ReportedWhen::Always);
                let lifecycle = &resource.config.lifecycle;
                self.conditions(index, scope, &lifecycle.preconditions);
                self.conditions(index, scope, &lifecycle.postconditions);
            }
            NodeKind::Provider(provider) => {
                let address = provider.address.to_string();
                self.body(index, scope, &provider.body, Some(&address), ReportedWhen::Once);
            }
            NodeKind::Check(_, check) => self.conditions(index, scope, &check.asserts),
            NodeKind::Action(action) => {
                for expr in action.config.count.iter().chain(&action.config.for_each) {
                    self.expression(index, scope, expr, None, ReportedWhen::Always);
                }
                let callers = self.callers(scope, action.name);
                let own = format!("{}{}", module(self), action.name);
                for caller in &callers {
                    let address = format!("{own}, called from {}{caller}", module(self));
                    self.body(index, scope, &action.body, Some(&address), ReportedWhen::Always);
                }
                if callers.is_empty() {
                    self.body(index, scope, &action.body, Some(&own), ReportedWhen::Once);
                }
            }
            // Arguments are those of the call.
            NodeKind::Variable(..) | NodeKind::Validation(..) | NodeKind::CallClose(_) => {}
        }
    }

    /// The resources that trigger an action.
    fn callers(&self, module: ModuleId, action: &objchange_hcl::ActionName) -> Vec<String> {
        let resources = self.config().modules[module].config.resources.iter();
        let triggering = resources.filter(|(_, resource)| {
            let triggers = &resource.lifecycle.action_triggers;
            triggers.iter().flat_map(|trigger| &trigger.actions).any(|reference| reference.name == *action)
        });
        triggering.map(|(name, _)| resource_text(name)).collect()
    }

    fn conditions(&mut self, index: usize, scope: ModuleId, conditions: &[Condition]) {
        for condition in conditions {
            self.expression(index, scope, &condition.condition, None, ReportedWhen::Once);
        }
    }

    fn body(
        &mut self,
        index: usize,
        scope: ModuleId,
        body: &Body,
        address: Option<&str>,
        reported: ReportedWhen,
    ) {
        self.nested_body(index, scope, body, (body, false), address, reported);
    }

    /// A value that is used in generated blocks is reported at the body that they are in.
    fn nested_body(
        &mut self,
        index: usize,
        scope: ModuleId,
        body: &Body,
        (outer, is_generated): (&Body, bool),
        address: Option<&str>,
        reported: ReportedWhen,
    ) {
        for attribute in &body.attributes {
            let place = if is_generated { outer.missing } else { attribute.expr.span };
            self.at(index, scope, &attribute.expr, place, address, reported);
        }
        for block in &body.blocks {
            let is_generated = is_generated || block.kind == "dynamic";
            self.nested_body(index, scope, &block.body, (outer, is_generated), address, reported);
        }
    }

    fn expression(
        &mut self,
        index: usize,
        scope: ModuleId,
        expr: &Expr,
        address: Option<&str>,
        reported: ReportedWhen,
    ) {
        self.at(index, scope, expr, expr.span, address, reported);
    }

    fn at(
        &mut self,
        index: usize,
        scope: ModuleId,
        expr: &Expr,
        place: Span,
        address: Option<&str>,
        reported: ReportedWhen,
    ) {
        for reference in variables(expr) {
            let Some(subject) = parse(&reference).0 else { continue };
            for DeprecatedValue { origin, text, is_of_instance } in self.found(scope, &subject) {
                let reported = match (&subject.kind, is_of_instance) {
                    (SubjectKind::Variable(_), _) => ReportedWhen::Once,
                    (_, true) if reported == ReportedWhen::Always => ReportedWhen::Planning,
                    _ => reported,
                };
                let address = address.map(str::to_owned);
                self.uses.push(Use { node: index, place, origin, text, address, reported });
            }
        }
    }

    /// The deprecated values that a reference leads to.
    fn found(&mut self, module: ModuleId, subject: &Subject) -> Vec<DeprecatedValue> {
        let path: String =
            self.config().modules[module].path.iter().map(|name| format!("module.{name}.")).collect();
        match &subject.kind {
            SubjectKind::Module { call, key, output } => {
                let config = self.config();
                let Some(child) = config.modules[module].children.get(call) else { return Vec::new() };
                let outputs = &config.modules[*child].config.outputs;
                let key_text = key.as_ref().map(crate::subject::key_text).unwrap_or_default();
                let output = output.clone().or_else(|| self.name_behind(subject));
                let named =
                    outputs.iter().filter(|(name, _)| output.as_ref().is_none_or(|output| output == *name));
                let found = named.filter_map(|(name, output)| {
                    let (text, _) = output.deprecated.as_ref()?;
                    Some(DeprecatedValue {
                        origin: format!("{path}module.{call}{key_text}.{name}"),
                        text: text.clone(),
                        is_of_instance: key.is_some(),
                    })
                });
                found.collect()
            }
            SubjectKind::Resource { name, key } => {
                let Some(known) = self.of_type(module, name).cloned() else { return Vec::new() };
                let key_text = key.as_ref().map(crate::subject::key_text).unwrap_or_default();
                let origin = format!("{path}{}{key_text}", resource_text(name));
                let mut found = Vec::new();
                let mut steps: Vec<SmolStr> = Vec::new();
                if subject.rest.is_empty() {
                    steps.extend(self.name_behind(subject));
                }
                steps.extend(subject.rest.iter().filter_map(|(step, _)| match step {
                    PathStep::Attribute(name) => Some(name.clone()),
                    PathStep::Index(_) => None,
                }));
                follow(&known, &origin, &steps, &mut found);
                let is_of_instance = key.is_some();
                found
                    .into_iter()
                    .map(|(origin, text)| DeprecatedValue { origin, text, is_of_instance })
                    .collect()
            }
            // Validation also says where a module uses a variable whose argument is deprecated.
            SubjectKind::Variable(name) => {
                let Some(call) = super::variable::call_of(self.config(), module) else { return Vec::new() };
                let Some(parent) = self.config().modules[module].parent else { return Vec::new() };
                let argument = call.arguments.iter().find(|argument| argument.name == *name);
                let subjects = argument.iter().flat_map(|argument| variables(&argument.expr));
                let subjects: Vec<Subject> = subjects.filter_map(|subject| parse(&subject).0).collect();
                let subjects =
                    subjects.iter().filter(|subject| !matches!(subject.kind, SubjectKind::Variable(_)));
                subjects.flat_map(|subject| self.found(parent, subject)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The attribute behind an index that has to be evaluated, or behind a splat: `o` of `module.m[each.key].o`.
    fn name_behind(&self, subject: &Subject) -> Option<SmolStr> {
        let sources = &self.config().sources;
        let at = subject.span.end;
        let is_in =
            |text: &str, start: u32| at.checked_sub(start).is_some_and(|at| at as usize <= text.len());
        let (_, text, start) = sources.iter().find(|(_, text, start)| is_in(text, *start))?;
        let mut rest = text.get((at - start) as usize..)?;
        if let Some(splat) = rest.strip_prefix(".*") {
            rest = splat;
        } else if rest.starts_with('[') {
            let mut depth = 0_usize;
            let end = rest.char_indices().find_map(|(at, c)| {
                match c {
                    '[' => depth += 1,
                    ']' => depth -= 1,
                    _ => {}
                }
                (depth == 0).then_some(at + 1)
            })?;
            rest = rest.get(end..)?;
        }
        let rest = rest.strip_prefix('.')?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let name: &str = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        (!name.is_empty()).then(|| name.into())
    }

    fn of_type(&mut self, module: ModuleId, name: &ResourceName) -> Option<&Deprecations> {
        let input = self.input;
        let known = self.types.entry((module, name.clone())).or_insert_with(|| {
            let provider = input.config.provider_of(module, name);
            let kind: SchemaKind = schema_kind(name.mode);
            input.schemas.deprecations(&provider, kind, &name.resource_type)
        });
        known.as_ref()
    }
}

/// The deprecated parts of an object that these names lead to, each with its origin and its message.
fn follow(known: &Deprecations, origin: &str, steps: &[SmolStr], found: &mut Vec<(String, String)>) {
    if let Some(text) = &known.whole {
        found.push((origin.to_owned(), text.clone()));
    }
    let mut member = |name: &str, steps: &[SmolStr]| {
        if let Some(member) = known.members.get(name) {
            follow(member, &format!("{origin}.{name}"), steps, found);
        }
    };
    match steps.split_first() {
        Some((first, rest)) => member(first, rest),
        None => known.members.keys().for_each(|name| member(name, &[])),
    }
}
