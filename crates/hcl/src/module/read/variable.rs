//! `variable` blocks.

use objchange::{Type, Value};

use super::super::declarations::{Condition, VariableConfig};
use super::super::raw::RawBlock;
use super::super::shape::CONDITION;
use super::collect::Declared;
use super::references::keyword;
use super::{BAD_NAME, Reader, is_name};
use crate::eval::TypeConstraint;
use crate::syntax::ast::{Expr, ExprKind};
use crate::walk::variables;

const BAD_DEFAULT: &str = "Invalid default value for variable";
const RESERVED: [&str; 9] =
    ["source", "version", "provider", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"];

impl Reader<'_> {
    pub(super) fn check_variable_name(&mut self, declared: &Declared<'_>) {
        let Some(label) = declared.labels.first() else { return };
        let name = &label.text;
        if !is_name(name) {
            self.problems.error("Invalid variable name", label.span, BAD_NAME);
        }
        if RESERVED.contains(&name.as_str()) {
            let detail = format!(
                "The variable name {name:?} is reserved due to its special meaning inside module blocks."
            );
            self.problems.error("Invalid variable name", label.span, detail);
        }
    }

    pub(super) fn variable(&mut self, name: &str, declared: Declared<'_>) -> VariableConfig {
        let content = &declared.content;
        let ty = content.attribute("type").and_then(|ty| self.type_constraint(&ty.expr));
        let nullable = self.bool(content, "nullable").unwrap_or(true);
        let default =
            self.default(content.attribute("default").map(|default| &default.expr), ty.as_ref(), nullable);
        let description = self.string(content, "description").map(|(text, _)| text);
        let sensitive = self.bool(content, "sensitive").unwrap_or(false);
        let ephemeral = self.bool(content, "ephemeral").unwrap_or(false);
        let validations = declared.content.blocks.into_iter().filter_map(|block| {
            let condition = self.condition(block, None)?;
            self.check_refers_to_variable(name, &condition);
            Some(condition)
        });
        let validations = validations.collect();
        VariableConfig {
            header: declared.header,
            ty,
            default,
            description,
            nullable,
            sensitive,
            ephemeral,
            validations,
        }
    }

    fn check_refers_to_variable(&mut self, name: &str, condition: &Condition) {
        let refers = variables(&condition.condition)
            .iter()
            .any(|r| r.name == "var" && r.first_attribute().is_some_and(|first| first == name));
        if !refers {
            let detail = format!(
                "The condition for variable {name:?} must refer to var.{name} in order to test incoming values."
            );
            let place = condition.condition.span;
            self.problems.error("Invalid variable validation condition", place, detail);
        }
    }

    pub(super) fn type_constraint(&mut self, expr: &Expr) -> Option<TypeConstraint> {
        if let ExprKind::Text(text) = &expr.kind {
            self.quoted_type(expr, text.as_str().unwrap_or_default());
            return None;
        }
        // As Terraform 0.11 had them.
        match keyword(expr) {
            Some("list") => return Some(TypeConstraint::plain(Type::list(Type::Dynamic))),
            Some("map") => return Some(TypeConstraint::plain(Type::map(Type::Dynamic))),
            _ => {}
        }
        self.constant(|evaluator| evaluator.type_constraint(expr))
    }

    /// A type in quotes, as Terraform 0.11 had it.
    fn quoted_type(&mut self, expr: &Expr, text: &str) {
        let earlier = "Terraform 0.11 and earlier required type constraints to be given in quotes, but that form is now \
                       deprecated and will be removed in a future version of Terraform.";
        let summary = "Invalid quoted type constraints";
        match text {
            "string" => {
                let detail = format!("{earlier} Remove the quotes around \"string\".");
                self.problems.error(summary, expr.span, detail);
            }
            "list" | "map" => {
                let detail = format!(
                    "{earlier} Remove the quotes around {text:?} and write {text}(string) instead to explicitly indicate \
                     that the {text} elements are strings."
                );
                self.problems.error(summary, expr.span, detail);
            }
            _ => {
                let detail = "To provide a full type expression, remove the surrounding quotes and give the type \
                              expression directly.";
                self.problems.error("Invalid legacy variable type hint", expr.span, detail);
            }
        }
    }

    fn default(&mut self, expr: Option<&Expr>, ty: Option<&TypeConstraint>, nullable: bool) -> Option<Value> {
        let expr = expr?;
        let value = self.constant(|evaluator| evaluator.constant(expr))?;
        let value = match ty.map(|ty| ty.convert(&value)) {
            None => value,
            Some(Ok(value)) => value,
            Some(Err(error)) => {
                let at = if error.path.is_root() { String::new() } else { format!("{}: ", error.path) };
                let detail = format!(
                    "This default value is not compatible with the variable's type constraint: {at}{}.",
                    error.kind
                );
                self.problems.error(BAD_DEFAULT, expr.span, detail);
                return Some(Value::unknown(ty.map_or(Type::Dynamic, |ty| ty.ty().without_optional())));
            }
        };
        if value.is_null() && !nullable {
            let detail = "A null default value is not valid when nullable=false.";
            self.problems.error(BAD_DEFAULT, expr.span, detail);
            return None;
        }
        Some(value)
    }

    /// A block with a condition; `own` is the resource whose conditions may not refer to it by its name.
    pub(super) fn condition(&mut self, block: RawBlock<'_>, own: Option<&str>) -> Option<Condition> {
        let RawBlock { kind, header, body, .. } = block;
        let content = body.read(&CONDITION, &mut self.problems);
        let _ = own;
        let condition = content.attribute("condition").map(|condition| condition.expr.clone());
        if let Some(condition) = condition.as_ref().filter(|condition| variables(condition).is_empty()) {
            let detail = "The condition expression must refer to at least one object from elsewhere in the configuration, \
                          or else its result would not be checking anything.";
            self.problems.error(
                ("invalid_kind_expression", format!("Invalid {kind} expression")),
                condition.span,
                detail,
            );
        }
        let error_message = content.attribute("error_message")?.expr.clone();
        Some(Condition { header, condition: condition?, error_message })
    }
}
