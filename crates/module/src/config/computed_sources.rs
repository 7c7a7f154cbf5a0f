//! Sources of modules that are expressions, and the constant variables that they may depend on.

use std::sync::Arc;

use objchange::{Type, Value};
use objchange_hcl::{Diagnostic, Expr, Functions, ModuleCall, Span};
use smol_str::SmolStr;

use super::constants::{ConstantScope, Constants};
use super::load::Loader;
use super::{Config, ModuleId};
use crate::subject::{SubjectKind, parse, undeclared_name};

impl Loader<'_> {
    /// The source of a call that is not a literal.
    pub(super) fn computed_source(
        &mut self,
        parent: ModuleId,
        name: &SmolStr,
        call: &ModuleCall,
    ) -> Option<(String, Span)> {
        let expr = call.computed_source.as_ref()?;
        if !self.options.is_new() {
            let start = Span { end: expr.span.start, ..expr.span };
            self.diagnostics.error("Unsuitable value type", start, "Unsuitable value: value must be known");
            return None;
        }
        let module = &self.config.modules[parent];
        let mut found = Vec::new();
        for reference in objchange_hcl::variables(expr) {
            let (subject, wrong) = parse(&reference);
            found.extend(wrong);
            let Some(subject) = subject else { continue };
            match &subject.kind {
                SubjectKind::Path(_) => {}
                SubjectKind::Variable(_) | SubjectKind::Local(_) => {
                    found.extend(undeclared_name(&module.config, &subject));
                }
                _ => {
                    let detail =
                        "The module source can only reference constant input variables and local values.";
                    found.push(Diagnostic::new("Invalid module source", subject.span, detail));
                }
            }
        }
        let value = match found.is_empty() {
            true => self.constant(parent, expr),
            false => Err(found),
        };
        if self.files.has_opentofu_names() && value.as_ref().is_ok_and(|value| !value.is_known()) {
            let detail = "OpenTofu evaluates variables before it loads modules, which is not supported here: write the source as a \
                          literal.";
            self.diagnostics.error("Early evaluation is not supported here", expr.span, detail);
            return None;
        }
        if self.options.accepts_missing && value.as_ref().is_ok_and(|value| !value.is_known()) {
            self.missing(parent, (name, call), String::new(), None);
            return None;
        }
        let unknown = || {
            let detail = "Only literal values and const variables can be evaluated during init.";
            vec![Diagnostic::new("Unknown module source", expr.span, detail)]
        };
        let source = value.and_then(|value| match value.convert(&Type::String) {
            Ok(source) if source.is_known() && !source.is_null() => {
                let source = source.unmark_deep().0.as_str().unwrap_or_default().to_owned();
                match Config::wrong_source((&source, expr.span), call.version.is_some()) {
                    Some(wrong) => Err(vec![wrong]),
                    None => Ok(source),
                }
            }
            Ok(_) => Err(unknown()),
            Err(error) => {
                let detail = format!("Invalid expression value: {}.", error.kind);
                Err(vec![Diagnostic::new("Incorrect value type", expr.span, detail)])
            }
        });
        match source {
            Ok(source) => Some((source, expr.span)),
            Err(errors) => {
                self.diagnostics.errors(errors);
                None
            }
        }
    }

    /// The value of an expression in a module, as far as it is constant.
    fn constant(&self, module: ModuleId, expr: &Expr) -> Result<Value, Vec<Diagnostic>> {
        let none = Constants::new();
        let loaded = &self.config.modules[module];
        let scope = ConstantScope {
            config: &loaded.config,
            constants: self.constants.get(&module).unwrap_or(&none),
            directories: [&loaded.directory, &self.config.modules[0].directory],
            functions: Functions::pure(),
            version: self.options.version(),
        };
        scope.evaluate(expr)
    }

    /// Gives the constant variables of a called module their values.
    pub(super) fn pass_constants(&mut self, parent: ModuleId, call: &ModuleCall, child: ModuleId) {
        let declared = Arc::clone(&self.config.modules[child].config);
        let mut constants = Constants::new();
        for (name, variable) in declared.variables.iter().filter(|(_, variable)| variable.constant) {
            let argument = call.arguments.iter().find(|argument| argument.name == *name);
            let value = match argument {
                None => variable.default.clone(),
                Some(argument) => match self.constant(parent, &argument.expr) {
                    Ok(value) if value.is_wholly_known() => Some(value),
                    // Errors in an argument are reported when it is evaluated.
                    Err(_) => None,
                    Ok(_) => {
                        let detail = "Only a constant value can be passed into a constant module variable.";
                        self.diagnostics.error("Const variables must be known", argument.expr.span, detail);
                        None
                    }
                },
            };
            let converted = value.and_then(|value| match &variable.ty {
                Some(ty) => ty.convert(&value).ok(),
                None => Some(value),
            });
            constants.extend(converted.map(|value| (name.clone(), value)));
        }
        if !constants.is_empty() {
            self.constants.insert(child, constants);
        }
    }
}
