//! The values of names in the conditions of a run.

use std::collections::BTreeMap;

use objchange::Value;
use objchange::value::PathStep;
use objchange_hcl::{Diagnostic, Functions, Reference, Span, Variables, did_you_mean};
use smol_str::SmolStr;

use super::values::{SecretParts, with_secret_parts};
use crate::config::Config;
use crate::plan::check::{ReferenceContext, check};
use crate::plan::evaluated::{World, dynamic};
use crate::plan::graph::{Graph, Node, NodeKind, resource_text};
use crate::plan::targets::Targets;
use crate::subject::{Subject, SubjectKind, parse};

/// A parsed reference of a test.
#[derive(Debug, Clone)]
pub(super) enum TestSubject {
    /// Something of the module under test.
    Module(Subject),
    /// An output of the module under test.
    Output(SmolStr, Span),
    /// The outputs of a run.
    Run(SmolStr, Span),
    /// A `check` block.
    Check(SmolStr, Span),
}

/// Parses a reference of a test, and returns its error.
pub(super) fn subject(reference: &Reference<'_>) -> (Option<TestSubject>, Option<Diagnostic>) {
    if let Some(error) = nameless(reference) {
        return (None, Some(error));
    }
    let first = match reference.steps().next() {
        Some((PathStep::Attribute(name), span)) => Some((name, reference.span.to(span))),
        _ => None,
    };
    match (&**reference.name, first) {
        ("output", Some((name, span))) => (Some(TestSubject::Output(name, span)), None),
        ("run", Some((name, span))) => (Some(TestSubject::Run(name, span)), None),
        ("check", Some((name, span))) => (Some(TestSubject::Check(name, span)), None),
        _ => {
            let (subject, error) = parse(reference);
            (subject.map(TestSubject::Module), error)
        }
    }
}

/// An `output` or a `run` without a name behind it.
pub(super) fn nameless(reference: &Reference<'_>) -> Option<Diagnostic> {
    let name = &**reference.name;
    if !matches!(name, "output" | "run" | "check") {
        return None;
    }
    let (what, span) = match reference.steps().next() {
        Some((PathStep::Attribute(_), _)) => return None,
        Some((_, span)) => ("does not support this operation", span),
        None => ("cannot be accessed directly. Instead, access one of its attributes", reference.span),
    };
    Some(Diagnostic::new("Invalid reference", span, format!("The {name:?} object {what}.")))
}

/// The names in the conditions of a run, after it has planned or applied.
pub(super) struct RunScope<'r, 'c> {
    pub(super) config: &'r Config,
    pub(super) graph: &'r Graph<'c>,
    pub(super) world: &'r World<'c>,
    /// The targeted part of the module.
    pub(super) targets: &'r Targets,
    /// Variables that the module does not declare.
    pub(super) others: &'r BTreeMap<SmolStr, Value>,
    /// Where variables are secret by the test file.
    pub(super) secret: &'r SecretParts,
    /// The outputs of the runs before.
    pub(super) runs: &'r BTreeMap<SmolStr, Value>,
    /// The names of all runs of the file.
    pub(super) run_names: &'r [SmolStr],
    pub(super) functions: &'r Functions,
}

impl RunScope<'_, '_> {
    /// The variables that some references need, unless something is wrong with these.
    pub(super) fn variables(&self, references: &[Reference<'_>]) -> Result<Variables, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut late = Vec::new();
        let mut outputs: Vec<SmolStr> = Vec::new();
        let mut runs: Vec<SmolStr> = Vec::new();
        let mut others: Vec<SmolStr> = Vec::new();
        let mut of_module = Vec::new();
        for reference in references {
            match subject(reference).0 {
                Some(TestSubject::Output(name, span)) => {
                    late.extend(self.undeclared_output(&name, span));
                    outputs.push(name);
                }
                Some(TestSubject::Run(name, span)) => {
                    errors.extend(self.unavailable_run(&name, span));
                    runs.push(name);
                }
                Some(TestSubject::Check(_, span)) => {
                    let detail = "The \"check\" object can only be referenced from an \"expect_failures\" attribute within a \
                                  Terraform testing \"run\" block.";
                    late.push(Diagnostic::new("Reference to \"check\" in invalid context", span, detail));
                }
                Some(TestSubject::Module(Subject { kind: SubjectKind::Variable(name), .. }))
                    if self.others.contains_key(&name) =>
                {
                    others.push(name);
                }
                _ => of_module.push(reference.clone()),
            }
        }
        let checked = check(self.config, self.graph, ReferenceContext::default(), &of_module, self.functions);
        late.extend(checked.subjects.iter().filter_map(|subject| self.left_out(subject)));
        if checked.has_static_errors || errors.is_empty() {
            errors.extend(checked.errors);
        }
        if errors.is_empty() {
            errors = late;
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut variables = self.world.variables(self.graph, 0, &checked.subjects);
        let root = &self.world.instances[0];
        if !outputs.is_empty() {
            let value = |name: &SmolStr| root.outputs.get(name).cloned().unwrap_or_else(dynamic);
            let outputs = outputs.iter().map(|name| (name.clone(), value(name)));
            variables.insert("output", Value::object(outputs.collect::<Vec<_>>()));
        }
        if !runs.is_empty() {
            let value = |name: &SmolStr| self.runs.get(name).cloned().unwrap_or_else(dynamic);
            let runs = runs.iter().map(|name| (name.clone(), value(name)));
            variables.insert("run", Value::object(runs.collect::<Vec<_>>()));
        }
        if !others.is_empty() {
            let of_module = variables.get("var").and_then(Value::as_object);
            let of_module = of_module.into_iter().flat_map(objchange::value::Object::iter);
            let mut all: Vec<(SmolStr, Value)> =
                of_module.map(|(name, value)| (name.clone(), value.clone())).collect();
            all.extend(others.into_iter().filter_map(|name| {
                let value = self.others.get(&name)?.clone();
                Some((name, value))
            }));
            variables.insert("var", Value::object(all));
        }
        Ok(variables)
    }

    /// Marks the variables that are secret by the test file.
    pub(super) fn hide_secrets(&self, variables: &mut Variables) {
        let Some(values) = variables.get("var").and_then(Value::as_object) else { return };
        if self.secret.is_empty() {
            return;
        }
        let hidden = values.iter().map(|(name, value)| match self.secret.get(name) {
            Some(paths) => (name.clone(), with_secret_parts(value, paths)),
            None => (name.clone(), value.clone()),
        });
        let hidden = Value::object(hidden.collect::<Vec<_>>());
        variables.insert("var", hidden);
    }

    /// Something that the targets of the run leave out.
    fn left_out(&self, subject: &Subject) -> Option<Diagnostic> {
        let (summary, what) = match &subject.kind {
            SubjectKind::Variable(name) => {
                ("Reference to uninitialized variable", format!("variable var.{name}"))
            }
            SubjectKind::Local(name) => {
                ("Reference to uninitialized local value", format!("local value local.{name}"))
            }
            SubjectKind::Resource { name, .. } => {
                ("Reference to uninitialized resource", format!("resource {}", resource_text(name)))
            }
            _ => return None,
        };
        if self.targets.is_all() {
            return None;
        }
        let is_it = |node: &Node<'_>| {
            let is_same = match (&node.kind, &subject.kind) {
                (NodeKind::Variable(found, _), SubjectKind::Variable(name))
                | (NodeKind::Local(found, _), SubjectKind::Local(name)) => *found == name,
                (NodeKind::Resource(found), SubjectKind::Resource { name, .. }) => found.name == name,
                _ => false,
            };
            node.module == 0 && is_same
        };
        let node = self.graph.nodes.iter().position(is_it)?;
        (!self.targets.includes(node)).then(|| {
            let detail = format!(
                "The {what} was not processed by the most recent operation, this likely means the previous operation either \
                 failed or was incomplete due to targeting."
            );
            Diagnostic::new(summary, subject.span, detail)
        })
    }

    fn undeclared_output(&self, name: &SmolStr, span: Span) -> Option<Diagnostic> {
        let declared = &self.config.modules.first()?.config.outputs;
        if declared.contains_key(name) {
            return None;
        }
        let hint = did_you_mean(name, declared.keys().map(SmolStr::as_str));
        let detail =
            format!("An output value with the name {:?} has not been declared.{hint}", name.as_str());
        Some(Diagnostic::new("Reference to undeclared output value", span, detail))
    }

    fn unavailable_run(&self, name: &SmolStr, span: Span) -> Option<Diagnostic> {
        if self.runs.contains_key(name) {
            return None;
        }
        if self.run_names.contains(name) {
            let detail = format!(
                "The run {:?} block has not yet been evaluated, so its results are not available here.",
                name.as_str()
            );
            return Some(Diagnostic::new("Reference to unevaluated run block", span, detail));
        }
        let hint = did_you_mean(name, self.run_names.iter().map(SmolStr::as_str));
        let detail = format!("There is no run {:?} declared in this test suite.{hint}", name.as_str());
        Some(Diagnostic::new("Reference to undeclared run block", span, detail))
    }
}
