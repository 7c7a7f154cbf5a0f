//! Addresses as they are written in `moved`, `removed` and `import` blocks.

use std::borrow::Cow;

use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ModuleStep, ResourceAddress};
use objchange::value::Kind;
use objchange_text::{Diagnostic, Span};

use super::super::declarations::MoveTarget;
use crate::syntax::ast::{Expr, ExprKind, StepKind, TraversalStep};

const INVALID: &str = "Invalid address";
/// Names that begin no address of a resource.
const RESERVED: [&str; 9] = ["action", "count", "each", "list", "local", "path", "self", "template", "var"];

impl Expr {
    /// Reads the reference as an address: of a module, a resource or an instance.
    ///
    /// # Errors
    ///
    /// It is not an address.
    pub fn as_target(&self) -> Result<MoveTarget, Box<Diagnostic>> {
        target(self)
    }
}

/// Reads an expression that is a reference as an address.
pub(crate) fn target(expr: &Expr) -> Result<MoveTarget, Box<Diagnostic>> {
    let ExprKind::Variable(variable) = &expr.kind else {
        return Err(wrong(
            INVALID,
            expr.span,
            "Resource specification must include a resource type and name.",
        ));
    };
    let root = TraversalStep { span: variable.name_span, kind: StepKind::Attribute(variable.name.clone()) };
    let steps: Vec<&TraversalStep> = std::iter::once(&root).chain(&variable.steps).collect();
    let mut rest = &steps[..];
    let module = module_path(&mut rest)?;
    if rest.is_empty() {
        return Ok(MoveTarget::Module(module));
    }
    resource(module, rest).map(MoveTarget::Resource)
}

/// Reads the address in a `removed` block: a module or a managed resource, without keys.
pub(super) fn removed_target(expr: &Expr) -> Result<MoveTarget, Box<Diagnostic>> {
    let ExprKind::Variable(variable) = &expr.kind else { return target(expr) };
    let root = TraversalStep { span: variable.name_span, kind: StepKind::Attribute(variable.name.clone()) };
    let steps: Vec<&TraversalStep> = std::iter::once(&root).chain(&variable.steps).collect();
    let mut rest = &steps[..];
    let module = module_path(&mut rest)?;
    let of_module = &steps[..steps.len() - rest.len()];
    if let Some(step) = of_module.iter().rev().find(|step| name_of(step).is_none()) {
        let detail = "Module address must be a module (e.g. \"module.foo\"), not a module instance (e.g. \
                      \"module.foo[1]\").";
        return Err(wrong("Module instance keys not allowed", step.span, detail));
    }
    if rest.first().is_some_and(|first| name_of(first) == Some("data")) {
        let detail = "Data sources are never destroyed, so they are not valid targets of removed blocks. To remove the \
                      data source from state, remove the data source block from configuration.";
        return Err(wrong("Data source address not allowed", expr.span, detail));
    }
    if let [_, _, extra, ..] = rest {
        let detail = "Resource address must be a resource (e.g. \"test_instance.foo\"), not a resource instance (e.g. \
                      \"test_instance.foo[1]\").";
        return Err(wrong("Resource instance keys not allowed", extra.span, detail));
    }
    if rest.is_empty() {
        return Ok(MoveTarget::Module(module));
    }
    resource(module, rest).map(MoveTarget::Resource)
}

fn name_of(step: &TraversalStep) -> Option<&str> {
    match &step.kind {
        StepKind::Attribute(name) => Some(name),
        StepKind::Index(_) => None,
    }
}

/// The calls that an address begins with.
fn module_path(rest: &mut &[&TraversalStep]) -> Result<ModuleAddress, Box<Diagnostic>> {
    let mut module = ModuleAddress::default();
    while let [prefix, after @ ..] = *rest {
        if name_of(prefix) != Some("module") {
            break;
        }
        let Some((Some(name), mut after)) = after.split_first().map(|(step, after)| (name_of(step), after))
        else {
            let place = after.first().map_or(prefix.span, |step| step.span);
            let detail = "Prefix \"module.\" must be followed by a module name.";
            return Err(wrong("Invalid address operator", place, detail));
        };
        let mut step = ModuleStep { name: name.to_owned(), key: None };
        if let [TraversalStep { span, kind: StepKind::Index(value) }, further @ ..] = after {
            step.key = Some(instance_key(value, *span, "module")?);
            after = further;
        }
        module.0.push(step);
        *rest = after;
    }
    Ok(module)
}

/// The resource or instance that is in a module.
fn resource(module: ModuleAddress, all: &[&TraversalStep]) -> Result<InstanceAddress, Box<Diagnostic>> {
    let last = all.last().map_or(Span::at(0), |step| step.span);
    let missing =
        |place| wrong(INVALID, place, "Resource specification must include a resource type and name.");
    let (mode, rest) = match all {
        [first, rest @ ..] => match name_of(first) {
            Some("data") => (Mode::Data, rest),
            Some("ephemeral") => (Mode::Ephemeral, rest),
            Some("resource") => (Mode::Managed, rest),
            Some(name) if RESERVED.contains(&name) => {
                let detail = format!(
                    "The keyword {name:?} is reserved and cannot be used to target a resource address. If you are targeting a \
                     resource type that uses a reserved keyword, please prefix your address with \"resource.\"."
                );
                let whole = first.span.to(last);
                return Err(wrong(INVALID, whole, detail));
            }
            _ => (Mode::Managed, all),
        },
        [] => return Err(missing(last)),
    };
    let [type_step, name_step, rest @ ..] = rest else { return Err(missing(last)) };
    let Some(resource_type) = name_of(type_step) else {
        let what = match mode {
            Mode::Managed => "A resource type name is required.",
            Mode::Data => "A data source name is required.",
            Mode::Ephemeral => "An ephemeral resource type name is required.",
        };
        return Err(wrong(INVALID, type_step.span, what));
    };
    let Some(name) = name_of(name_step) else {
        return Err(wrong(INVALID, name_step.span, "A resource name is required."));
    };
    let resource =
        ResourceAddress { module, mode, resource_type: resource_type.to_owned(), name: name.to_owned() };
    let key = match rest {
        [] => None,
        [TraversalStep { span, kind: StepKind::Index(value) }, rest @ ..] => {
            let key = instance_key(value, *span, "resource")?;
            if let Some(extra) = rest.first() {
                let place = extra.span.to(last);
                return Err(wrong(INVALID, place, "Unexpected extra operators after address."));
            }
            Some(key)
        }
        [step, ..] => {
            let detail = "Resource instance key must be given in square brackets.";
            return Err(wrong(INVALID, step.span, detail));
        }
    };
    Ok(InstanceAddress { resource, key })
}

/// The key of an instance, of a `module` or a `resource`.
pub(crate) fn instance_key(value: &Value, place: Span, what: &str) -> Result<InstanceKey, Box<Diagnostic>> {
    match value.kind() {
        Kind::String(text) => Ok(InstanceKey::String(text.to_string())),
        Kind::Number(number) => match number.as_u64() {
            Some(number) => Ok(InstanceKey::Number(number)),
            None => {
                let detail = format!(
                    "Invalid {what} instance key: value must be a whole number, between -9223372036854775808 and \
                     9223372036854775807."
                );
                Err(wrong(INVALID, place, detail))
            }
        },
        _ => {
            let detail = format!("Invalid {what} instance key: either a string or an integer is required.");
            Err(wrong(INVALID, place, detail))
        }
    }
}

fn wrong(summary: &'static str, place: Span, detail: impl Into<Cow<'static, str>>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(summary, place, detail))
}
