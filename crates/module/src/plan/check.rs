//! Static checks of references, before evaluation.

use objchange::address::Mode;
use objchange::schema::{Block, NestingMode};
use objchange::value::PathStep;
use objchange::{Type, Value};
use objchange_hcl::{
    ActionName, Diagnostic, Functions, Reference, ResourceName, Span, did_you_mean, wrong_step,
};

use super::graph::{ActionRules, Graph, NodeKey, NodeKind, resource_text};
use crate::ProviderAddress;
use crate::config::{Config, ModuleId};
use crate::subject::{Subject, SubjectKind, parse, undeclared_name};

/// Where an expression stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReferenceContext<'p> {
    pub(crate) module: ModuleId,
    /// `count` means something here.
    pub(crate) has_count: bool,
    /// `each` means something here.
    pub(crate) has_each: bool,
    /// The object that is called `self` here.
    pub(crate) self_object: SelfObject<'p>,
    /// The object that is called `caller` here: the one whose change invokes an action.
    pub(crate) caller: SelfObject<'p>,
    /// The check block that it is in.
    pub(crate) check: Option<&'p str>,
}

/// The object that is called `self`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum SelfObject<'p> {
    /// Nothing.
    #[default]
    Absent,
    /// An object of which nobody knows the schema.
    Anything,
    /// An object with this schema.
    OfSchema(&'p Block),
    /// An object of a type that its provider does not have.
    OfUnknownType { resource_type: &'p str, provider: &'p ProviderAddress },
}

/// The result of checking an expression's references.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) errors: Vec<Diagnostic>,
    /// An object that is referred to does not exist: then no other name is looked at.
    pub(crate) has_static_errors: bool,
    /// The references that can be read.
    pub(crate) subjects: Vec<Subject>,
}

/// Checks references as Terraform does: how they are written, then whether the resources and modules exist, then the rest.
pub(crate) fn check(
    config: &Config,
    graph: &Graph<'_>,
    place: ReferenceContext<'_>,
    references: &[Reference<'_>],
    functions: &Functions,
) -> Checked {
    let mut checked = Checked::default();
    for reference in references {
        let (subject, error) = parse(reference);
        checked.errors.extend(error);
        checked.subjects.extend(subject);
    }
    let before = checked.errors.len();
    let checker = Checker { config, graph, place, functions };
    for subject in &checked.subjects {
        checker.existing(subject, &mut checked.errors);
    }
    checked.has_static_errors = checked.errors.len() > before;
    if !checked.has_static_errors {
        for subject in &checked.subjects {
            checked.errors.extend(checker.named(subject));
        }
    }
    checked
}

struct Checker<'p, 'c> {
    config: &'c Config,
    graph: &'p Graph<'c>,
    place: ReferenceContext<'p>,
    functions: &'p Functions,
}

impl Checker<'_, '_> {
    /// The module in words.
    fn module(&self) -> String {
        module_in_words(self.config, self.place.module)
    }

    /// Whether a resource, a module or `self` exists.
    fn existing(&self, subject: &Subject, errors: &mut Vec<Diagnostic>) {
        match &subject.kind {
            SubjectKind::Resource { name, .. } => self.resource(name, subject, errors),
            SubjectKind::Module { call, .. } => {
                let calls = &self.config.modules[self.place.module].config.calls;
                if !calls.contains_key(call) {
                    let hint = did_you_mean(call, calls.keys().map(smol_str::SmolStr::as_str));
                    let detail =
                        format!("No module call named {call:?} is declared in {}.{hint}", self.module());
                    errors.push(Diagnostic::new("Reference to undeclared module", subject.span, detail));
                }
            }
            SubjectKind::SelfObject => match self.place.self_object {
                SelfObject::Anything => {}
                SelfObject::OfSchema(schema) => check_path(schema, &subject.rest, self.functions, errors),
                SelfObject::OfUnknownType { resource_type, provider } => {
                    let detail = format!(
                        "A managed resource type {resource_type:?} is not supported by provider {:?}.",
                        provider.for_display()
                    );
                    errors.push(Diagnostic::new("Invalid resource type", subject.span, detail));
                }
                SelfObject::Absent => {
                    errors.push(no_caller(subject));
                }
            },
            SubjectKind::Caller => self.caller(subject, errors),
            SubjectKind::Action(name) => self.action(name.as_ref(), subject, errors),
            // `named` checks the others, unless something here does not exist.
            _ => {}
        }
    }

    /// Whether there is a `caller`. Before 1.16 the name is that of a resource type.
    fn caller(&self, subject: &Subject, errors: &mut Vec<Diagnostic>) {
        if self.graph.actions < ActionRules::WithCaller {
            let Some((PathStep::Attribute(name), span)) = subject.rest.first() else { return };
            let name =
                ResourceName { mode: Mode::Managed, resource_type: "caller".into(), name: name.clone() };
            let subject = Subject { span: subject.span.to(*span), ..subject.clone() };
            return self.resource(&name, &subject, errors);
        }
        match self.place.caller {
            SelfObject::OfSchema(schema) => check_path(schema, &subject.rest, self.functions, errors),
            SelfObject::Anything | SelfObject::OfUnknownType { .. } => {}
            SelfObject::Absent => {
                errors.push(no_caller(subject));
            }
        }
    }

    /// Refuses a reference to an action. Before 1.14 the name is that of a resource type.
    fn action(&self, name: Option<&ActionName>, subject: &Subject, errors: &mut Vec<Diagnostic>) {
        if let (Some(ActionName { action_type, .. }), ActionRules::Unknown) = (name, self.graph.actions) {
            let name = ResourceName {
                mode: Mode::Managed,
                resource_type: "action".into(),
                name: action_type.clone(),
            };
            return self.resource(&name, subject, errors);
        }
        let error = match subject.rest.first() {
            Some((PathStep::Attribute(_), _)) => Diagnostic::new(
                "Unexpected attribute in action reference",
                subject.whole(),
                "Actions have no referenceable attributes.",
            ),
            _ => Diagnostic::new(
                "Invalid reference",
                subject.whole(),
                "Actions can not be referenced in this context. They can only be referenced from within a resource's \
                 lifecycle actions list.",
            ),
        };
        errors.push(error);
    }

    fn resource(&self, name: &ResourceName, subject: &Subject, errors: &mut Vec<Diagnostic>) {
        let module = self.place.module;
        let resources = &self.config.modules[module].config.resources;
        let Some(config) = resources.get(name) else {
            let other = |mode| ResourceName { mode, ..name.clone() };
            let article = match name.mode {
                Mode::Managed => "A managed",
                Mode::Data => "A data",
                Mode::Ephemeral => "An ephemeral",
            };
            let mut detail = format!(
                "{article} resource {:?} {:?} has not been declared in {}.",
                name.resource_type.as_str(),
                name.name.as_str(),
                self.module()
            );
            if name.mode == Mode::Managed && resources.contains_key(&other(Mode::Data)) {
                detail.push_str(&format!(
                    "\n\nDid you mean the data resource {}?",
                    resource_text(&other(Mode::Data))
                ));
            }
            errors.push(Diagnostic::new("Reference to undeclared resource", subject.span, detail));
            return;
        };
        if let Some(check) = &config.check
            && self.place.check != Some(check.as_str())
        {
            let detail = format!(
                "The referenced data resource \"{}\" is only accessible within the scope of check \"{check}\".",
                resource_text(name)
            );
            // A data source inside a `check` block is visible in that block alone.
            errors.push(Diagnostic::new("Reference to scoped resource", subject.span, detail));
        }
        let SubjectKind::Resource { key, .. } = &subject.kind else { return };
        let address = resource_text(name);
        let has_instances = config.count.is_some() || config.for_each.is_some();
        let next_is_attribute = matches!(subject.rest.first(), Some((PathStep::Attribute(_), _)));
        if key.is_none() && has_instances && next_is_attribute {
            let (argument, example) =
                if config.count.is_some() { ("count", "count.index") } else { ("for_each", "each.key") };
            let detail = format!(
                "Because {address} has {argument:?} set, its attributes must be accessed on specific instances.\n\nFor \
                 example, to correlate with indices of a referring resource, use:\n    {address}[{example}]"
            );
            // Only where the key is a literal or missing: an index that has to be evaluated fails while
            // planning.
            errors.push(Diagnostic::new("Missing resource instance key", subject.span, detail));
        }
        if key.is_some() && !has_instances {
            let detail = format!(
                "Because {address} does not have \"count\" or \"for_each\" set, references to it must not include an index \
                 key. Remove the bracketed index to refer to the single instance of this resource."
            );
            errors.push(Diagnostic::new("Unexpected resource instance key", subject.span, detail));
            return;
        }
        let node = self.graph.find(&NodeKey::Resource(module, name.clone()));
        if let Some(NodeKind::Resource(resource)) = node.map(|node| &self.graph.nodes[node].kind)
            && let Some(schema) = resource.schema.filter(|_| !resource.is_inferred)
        {
            check_path(&schema.block, &subject.rest, self.functions, errors);
        }
    }

    /// Whether a variable or one of the few other names exists.
    fn named(&self, subject: &Subject) -> Option<Diagnostic> {
        let declared = &self.config.modules[self.place.module].config;
        let error =
            |summary: &'static str, detail: String| Some(Diagnostic::new(summary, subject.span, detail));
        match &subject.kind {
            SubjectKind::Variable(_) | SubjectKind::Local(_) => undeclared_name(declared, subject),
            SubjectKind::Path(name) if !matches!(&**name, "module" | "root" | "cwd") => {
                let hint = did_you_mean(name, ["module", "root", "cwd"]);
                let detail = format!("The \"path\" object does not have an attribute named {:?}.{hint}", name.as_str());
                error("Invalid \"path\" attribute", detail)
            }
            SubjectKind::Terraform(name) => match &**name {
                "workspace" | "applying" => None,
                "env" => error(
                    "Invalid \"terraform\" attribute",
                    "The terraform.env attribute was deprecated in v0.10 and removed in v0.12. The \"state environment\" \
                     concept was renamed to \"workspace\" in v0.12, and so the workspace name can now be accessed using the \
                     terraform.workspace attribute."
                        .to_owned(),
                ),
                _ => {
                    let detail = format!(
                        "The \"terraform\" object does not have an attribute named {:?}. The only supported attributes are \
                         terraform.workspace, the name of the currently-selected workspace, and terraform.applying, a \
                         boolean which is true only during apply.",
                        name.as_str()
                    );
                    error("Invalid \"terraform\" attribute", detail)
                }
            },
            SubjectKind::Count(name) if name != "index" => {
                let detail = format!(
                    "The \"count\" object does not have an attribute named {:?}. The only supported attribute is count.index, \
                     which is the index of each instance of a resource block that has the \"count\" argument set.",
                    name.as_str()
                );
                error("Invalid \"count\" attribute", detail)
            }
            SubjectKind::Count(_) if !self.place.has_count => error(
                "Reference to \"count\" in non-counted context",
                "The \"count\" object can only be used in \"module\", \"resource\", and \"data\" blocks, and only when the \
                 \"count\" argument is set."
                    .to_owned(),
            ),
            SubjectKind::Each(name) if !matches!(&**name, "key" | "value") => {
                let detail = format!(
                    "The \"each\" object does not have an attribute named {:?}. The supported attributes are each.key and \
                     each.value, the current key and value pair of the \"for_each\" attribute set.",
                    name.as_str()
                );
                error("Invalid \"each\" attribute", detail)
            }
            SubjectKind::Each(name) if !self.place.has_each && name == "value" => error(
                "each.value cannot be used in this context",
                "A reference to \"each.value\" has been used in a context in which it is unavailable, such as when the \
                 configuration no longer contains the value in its \"for_each\" expression. Remove this reference to \
                 each.value in your configuration to work around this error."
                    .to_owned(),
            ),
            SubjectKind::Each(_) if !self.place.has_each => error(
                "Reference to \"each\" in context without for_each",
                "The \"each\" object can be used only in \"module\" or \"resource\" blocks, and only when the \"for_each\" \
                 argument is set."
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

/// The error for `self` or `caller` where there is no such object.
pub(crate) fn no_caller(subject: &Subject) -> Diagnostic {
    match subject.kind {
        SubjectKind::Caller => Diagnostic::new(
            "Invalid \"caller\" reference",
            subject.whole(),
            "The \"caller\" object is not available in this context. This object can be used only in action blocks triggered \
             from a resource instance.",
        ),
        _ => Diagnostic::new(
            "Invalid \"self\" reference",
            subject.span,
            "The \"self\" object is not available in this context. This object can be used only in resource provisioner, \
             connection, and postcondition blocks.",
        ),
    }
}

/// A module as messages name it.
pub(crate) fn module_in_words(config: &Config, module: ModuleId) -> String {
    match &config.modules[module].path[..] {
        [] => "the root module".to_owned(),
        path => path.iter().map(|name| format!("module.{name}")).collect::<Vec<_>>().join("."),
    }
}

/// Whether these steps lead to something of a schema, as far as it knows. The words are those of Terraform 1.11 and 1.15,
/// tried with the schemas of AWS.
pub(super) fn check_path(
    schema: &Block,
    rest: &[(PathStep, Span)],
    functions: &Functions,
    errors: &mut Vec<Diagnostic>,
) {
    let mut block = schema;
    let mut steps = rest.iter().enumerate();
    while let Some((position, (step, span))) = steps.next() {
        let PathStep::Attribute(name) = step else {
            // No instance key has a block before it, so this is a block of which there is one.
            if position > 0 {
                let detail = "Only attribute access is allowed here, using the dot operator.";
                errors.push(Diagnostic::new("Invalid index operation", *span, detail));
            }
            return;
        };
        if let Some(known) = block.attribute(name) {
            let value = Value::unknown(known.implied_type().clone());
            errors.extend(wrong_step(value, &rest[position + 1..], functions));
            return;
        }
        let Some(nested) = block.block_type(name) else {
            let names = block.attributes().iter().map(|(name, _)| name.as_str());
            let mut names: Vec<&str> =
                names.chain(block.block_types().iter().map(|(name, _)| name.as_str())).collect();
            names.sort_unstable();
            let detail = format!(
                "This object has no argument, nested block, or exported attribute named {:?}.{}",
                name.as_str(),
                did_you_mean(name, names)
            );
            errors.push(Diagnostic::new("Unsupported attribute", *span, detail));
            return;
        };
        match nested.nesting {
            NestingMode::Single | NestingMode::Group => {}
            NestingMode::List => match steps.next() {
                Some((_, (PathStep::Index(key), _))) if *key.ty() == Type::Number => {}
                Some((_, (PathStep::Attribute(_), span))) => {
                    let detail = format!(
                        "Block type {:?} is represented by a list of objects, so it must be indexed using a numeric key, like \
                         .{name}[0].",
                        name.as_str()
                    );
                    errors.push(Diagnostic::new("Invalid operation", *span, detail));
                    return;
                }
                _ => return,
            },
            NestingMode::Set => {
                if let Some((_, (_, span))) = steps.next() {
                    let detail = format!(
                        "Block type {:?} is represented by a set of objects, and set elements do not have addressable keys. To \
                         find elements matching specific criteria, use a \"for\" expression with an \"if\" clause.",
                        name.as_str()
                    );
                    errors.push(Diagnostic::new("Cannot index a set value", *span, detail));
                }
                return;
            }
            _ => return,
        }
        block = &nested.block;
    }
}
