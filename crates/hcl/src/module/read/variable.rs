//! `variable` blocks.

use objchange::{Type, Value};

use super::super::declarations::{Condition, VariableConfig};
use super::collect::Declared;
use super::references::keyword;
use super::{BAD_NAME, Reader};
use crate::conversion::conversion_message;
use crate::decode::raw::RawBlock;
use crate::decode::shape::CONDITION;
use crate::eval::TypeConstraint;
use crate::syntax::ast::{Expr, ExprKind};
use crate::syntax::is_name;
use crate::walk::variables;
use objchange_text::Span;

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
        let default = content.attribute("default").map(|default| &default.expr);
        let is_set = |name| content.attribute(name).is_some_and(|set| !set.expr.is_false());
        let is_secret = is_set("sensitive") || is_set("ephemeral");
        let default = self.default(default, ty.as_ref(), nullable, is_secret, declared.retyped);
        let description = self.string(content, "description").map(|(text, _)| text);
        let sensitive = self.bool(content, "sensitive").unwrap_or(false);
        let ephemeral = self.bool(content, "ephemeral").unwrap_or(false);
        let constant = self.bool(content, "const").unwrap_or(false);
        for (is_set, mark) in [(sensitive, "sensitive"), (ephemeral, "ephemeral")] {
            if constant && is_set {
                let detail =
                    format!("A variable that is marked as \"const\" cannot also be marked as \"{mark}\".");
                let summary = match mark {
                    "sensitive" => "Const variable cannot be sensitive",
                    _ => "Const variable cannot be ephemeral",
                };
                self.problems.error(summary, declared.header, detail);
            }
        }
        let place = content.attribute("deprecated").map(|a| a.name_span.to(a.expr.span));
        let deprecated = self.string(content, "deprecated");
        let validations =
            declared.content.blocks.into_iter().filter_map(|block| self.condition(block, Some(name)));
        let validations = validations.collect();
        let deprecated = deprecated.map(|(text, value)| (text, place.unwrap_or(value)));
        VariableConfig {
            header: declared.header,
            ty,
            default,
            description,
            nullable,
            sensitive,
            ephemeral,
            constant,
            validations,
            deprecated,
        }
    }

    fn check_refers_to_variable(&mut self, name: &str, condition: &Expr) {
        let refers = variables(condition)
            .iter()
            .any(|r| r.name == "var" && r.first_attribute().is_some_and(|first| first == name));
        if !refers {
            let detail = format!(
                "The condition for variable {name:?} must refer to var.{name} in order to test incoming values."
            );
            self.problems.error("Invalid variable validation condition", condition.span, detail);
        }
    }

    pub(super) fn type_constraint(&mut self, expr: &Expr) -> Option<TypeConstraint> {
        if let ExprKind::Text(text) = &expr.kind {
            self.quoted_type(expr, text.as_str().unwrap_or_default());
            return None;
        }
        // Terraform 0.11 had no element types. The bare words still work, and mean `list(any)` and `map(any)`.
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

    fn default(
        &mut self,
        expr: Option<&Expr>,
        ty: Option<&TypeConstraint>,
        nullable: bool,
        is_secret: bool,
        retyped: Option<Span>,
    ) -> Option<Value> {
        let expr = expr?;
        let value = self.constant(|evaluator| evaluator.constant(expr))?;
        let value = match ty.map(|ty| ty.convert_as(&value, is_secret)) {
            None => value,
            Some(Ok(value)) => value,
            Some(Err(error)) => {
                let reason = ty.map(|ty| conversion_message(&error, ty.ty())).unwrap_or_default();
                let (place, what) = match retyped {
                    Some(header) => (
                        header,
                        "Overriding this variable's type constraint has made its default value invalid",
                    ),
                    None => (
                        expr.span,
                        "This default value is not compatible with the variable's type constraint",
                    ),
                };
                self.problems.error(BAD_DEFAULT, place, format!("{what}: {reason}."));
                // An unknown value of the right type: what uses the variable is still checked, and nothing reports the
                // default once more.
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

    /// A block with a condition; one of a variable must refer to it.
    pub(super) fn condition(&mut self, block: RawBlock<'_>, variable: Option<&str>) -> Option<Condition> {
        let RawBlock { kind, header, body, .. } = block;
        let content = body.read(&CONDITION, &mut self.problems);
        let condition = content.attribute("condition").map(|condition| condition.expr.clone());
        if let Some(condition) = condition.as_ref().filter(|c| !matches!(c.kind, ExprKind::Missing)) {
            if variables(condition).is_empty() {
                let detail = "The condition expression must refer to at least one object from elsewhere in the \
                              configuration, or else its result would not be checking anything.";
                self.problems.error(
                    ("invalid_kind_expression", format!("Invalid {kind} expression")),
                    condition.span,
                    detail,
                );
            }
            if let Some(name) = variable {
                self.check_refers_to_variable(name, condition);
            }
        }
        let error_message = content.attribute("error_message")?.expr.clone();
        Some(Condition { header, condition: condition?, error_message })
    }
}
