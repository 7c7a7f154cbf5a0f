//! Parses references in expressions: variables, local values, resources, module calls and the few other names.

use objchange::Value;
use objchange::address::{InstanceKey, Mode};
use objchange::value::{Kind, PathStep};
use objchange_hcl::{ActionName, Diagnostic, ModuleConfig, Reference, ResourceName, Span, did_you_mean};
use smol_str::SmolStr;

/// The name of the workspace, in words.
pub(crate) const WORKSPACE: &str = "terraform.workspace";

/// A parsed reference.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) kind: SubjectKind,
    /// The part of the source that names it, without what is taken out of it.
    pub(crate) span: Span,
    /// The attributes and indexes after the name.
    pub(crate) rest: Vec<(PathStep, Span)>,
}

impl Subject {
    /// All of it as it is in the source.
    pub(crate) fn whole(&self) -> Span {
        self.rest.last().map_or(self.span, |(_, span)| self.span.to(*span))
    }

    /// Whether it is `terraform.workspace`.
    pub(crate) fn is_workspace(&self) -> bool {
        matches!(&self.kind, SubjectKind::Terraform(name) if name == "workspace")
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SubjectKind {
    Variable(SmolStr),
    Local(SmolStr),
    Path(SmolStr),
    Terraform(SmolStr),
    Count(SmolStr),
    Each(SmolStr),
    SelfObject,
    /// The object whose change invokes an action.
    Caller,
    /// An action; perhaps without its type and name.
    Action(Option<ActionName>),
    /// A resource, or an instance of it by a literal key.
    Resource {
        name: ResourceName,
        key: Option<Value>,
    },
    /// A module call, or an instance of it by a literal key, or one of its outputs.
    Module {
        call: SmolStr,
        key: Option<Value>,
        output: Option<SmolStr>,
    },
}

/// Names that Terraform keeps for itself.
const RESERVED: [&str; 3] = ["template", "lazy", "arg"];

/// Parses a reference. A missing name gives an error and a subject without that name, as Terraform continues.
pub(crate) fn parse(reference: &Reference<'_>) -> (Option<Subject>, Option<Diagnostic>) {
    Parser { root: reference.name, root_span: reference.span, steps: reference.steps().collect() }.parse()
}

struct Parser<'r> {
    root: &'r SmolStr,
    root_span: Span,
    steps: Vec<(PathStep, Span)>,
}

type Parsed = (Option<Subject>, Option<Diagnostic>);

impl Parser<'_> {
    fn parse(mut self) -> Parsed {
        match &**self.root {
            "var" => self.single(SubjectKind::Variable),
            "local" => self.single(SubjectKind::Local),
            "path" => self.single(SubjectKind::Path),
            "terraform" => self.single(SubjectKind::Terraform),
            "count" => self.single(SubjectKind::Count),
            "each" => self.single(SubjectKind::Each),
            "self" => self.found(SubjectKind::SelfObject, 0),
            "caller" => self.found(SubjectKind::Caller, 0),
            "action" => self.action(),
            "module" => self.module(),
            "data" => self.resource(Mode::Data, true),
            "ephemeral" => self.resource(Mode::Ephemeral, true),
            "resource" => self.resource(Mode::Managed, true),
            name if RESERVED.contains(&name) => {
                let detail = format!(
                    "The symbol name {name:?} is reserved for use in a future Terraform version. If you are using a provider \
                     that already uses this as a resource type name, add the prefix \"resource.\" to force interpretation as a \
                     resource type name."
                );
                (None, Some(Diagnostic::new("Reserved symbol name", self.root_span, detail)))
            }
            _ => self.resource(Mode::Managed, false),
        }
    }

    fn attribute(&self, position: usize) -> Option<&SmolStr> {
        match self.steps.get(position) {
            Some((PathStep::Attribute(name), _)) => Some(name),
            _ => None,
        }
    }

    /// The subject that these first steps name.
    fn found(&mut self, kind: SubjectKind, steps: usize) -> Parsed {
        let rest = self.steps.split_off(steps.min(self.steps.len()));
        let span = self.steps.last().map_or(self.root_span, |(_, span)| self.root_span.to(*span));
        (Some(Subject { kind, span, rest }), None)
    }

    fn error(&self, span: Span, detail: String) -> Parsed {
        (None, Some(Diagnostic::new("Invalid reference", span, detail)))
    }

    /// Parses an object that needs an attribute name, such as `path.module`.
    fn single(&mut self, kind: fn(SmolStr) -> SubjectKind) -> Parsed {
        let root = self.root;
        let (_, error) = match self.steps.first() {
            Some((PathStep::Attribute(name), _)) => return self.found(kind(name.clone()), 1),
            None => self.error(
                self.root_span,
                format!("The \"{root}\" object cannot be accessed directly. Instead, access one of its attributes."),
            ),
            Some((_, span)) => {
                self.error(*span, format!("The \"{root}\" object does not support this operation."))
            }
        };
        let nameless = Subject { kind: kind(SmolStr::default()), span: crate::NOWHERE, rest: Vec::new() };
        (Some(nameless), error)
    }

    fn module(&mut self) -> Parsed {
        let call = match self.steps.first() {
            Some((PathStep::Attribute(name), _)) => name.clone(),
            None => {
                let detail = "The \"module\" object cannot be accessed directly. Instead, access one of its attributes.";
                return self.error(self.root_span, detail.to_owned());
            }
            Some((_, span)) => {
                return self
                    .error(*span, "The \"module\" object does not support this operation.".to_owned());
            }
        };
        let (key, used) = match self.steps.get(1) {
            Some((PathStep::Index(key), _)) => (Some(key.clone()), 2),
            _ => (None, 1),
        };
        let output = self.attribute(used).cloned();
        let used = used + usize::from(output.is_some());
        self.found(SubjectKind::Module { call, key, output }, used)
    }

    fn action(&mut self) -> Parsed {
        let name = self.attribute(0).cloned().zip(self.attribute(1).cloned());
        let name = name.map(|(action_type, name)| ActionName { action_type, name });
        let mut used = if name.is_some() { 2 } else { self.steps.len() };
        used += usize::from(matches!(self.steps.get(used), Some((PathStep::Index(_), _))));
        self.found(SubjectKind::Action(name), used)
    }

    /// A resource, whose type is the root or the first step.
    fn resource(&mut self, mode: Mode, is_prefixed: bool) -> Parsed {
        const MISSING_NAME: &str =
            "must be followed by at least one attribute access, specifying the resource name.";
        let first = usize::from(is_prefixed);
        let whole = self.steps.last().map_or(self.root_span, |(_, span)| self.root_span.to(*span));
        let resource_type = if is_prefixed { self.attribute(0).cloned() } else { Some(self.root.clone()) };
        match (resource_type, self.steps.get(first)) {
            (Some(resource_type), Some((PathStep::Attribute(name), _))) => {
                let name = ResourceName { mode, resource_type, name: name.clone() };
                match self.steps.get(first + 1) {
                    Some((PathStep::Index(key), _)) => {
                        let key = Some(key.clone());
                        self.found(SubjectKind::Resource { name, key }, first + 2)
                    }
                    _ => self.found(SubjectKind::Resource { name, key: None }, first + 1),
                }
            }
            (Some(_), Some((PathStep::Index(_), span))) => {
                let word = if mode == Mode::Data { "data source" } else { "resource type" };
                self.error(*span, format!("A reference to a {word} {MISSING_NAME}"))
            }
            _ if is_prefixed => {
                let (root, word) = match mode {
                    Mode::Managed => ("resource", "resource type"),
                    Mode::Data => ("data", "data source type"),
                    Mode::Ephemeral => ("ephemeral", "ephemeral resource type"),
                };
                self.error(
                    whole,
                    format!(
                        "The \"{root}\" object must be followed by two attribute names: the {word} and the resource name."
                    ),
                )
            }
            _ => self.error(self.root_span, format!("A reference to a resource type {MISSING_NAME}")),
        }
    }
}

/// A literal key with its brackets.
pub(crate) fn key_text(key: &Value) -> String {
    match key.kind() {
        Kind::Number(number) => format!("[{number}]"),
        Kind::String(text) => InstanceKey::String(text.to_string()).to_string(),
        _ => "[...]".to_owned(),
    }
}

/// The error for an undeclared variable or local value.
pub(crate) fn undeclared_name(declared: &ModuleConfig, subject: &Subject) -> Option<Diagnostic> {
    let error = |summary: &'static str, detail: String| Some(Diagnostic::new(summary, subject.span, detail));
    match &subject.kind {
        SubjectKind::Variable(name) if !declared.variables.contains_key(name) => {
            let hint = did_you_mean(name, declared.variables.keys().map(smol_str::SmolStr::as_str));
            let detail =
                format!("An input variable with the name {:?} has not been declared.", name.as_str());
            let detail = if hint.is_empty() && !name.is_empty() {
                format!(
                    "{detail} This variable can be declared with a variable {:?} {{}} block.",
                    name.as_str()
                )
            } else {
                detail + &hint
            };
            error("Reference to undeclared input variable", detail)
        }
        SubjectKind::Local(name) if !declared.locals.contains_key(name) => {
            let hint = did_you_mean(name, declared.locals.keys().map(smol_str::SmolStr::as_str));
            let detail =
                format!("A local value with the name {:?} has not been declared.{hint}", name.as_str());
            error("Reference to undeclared local value", detail)
        }
        _ => None,
    }
}
