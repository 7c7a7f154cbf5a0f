//! Resource blocks: what in them is configuration of the object, and what is about it.

use objchange::Value;
use objchange::change::IgnoreChanges;
use objchange::schema::Block;
use objchange::value::{Kind, Path, PathStep};
use objchange_text::Diagnostic;

use super::merge::merge;
use super::{Config, Module};
use crate::decode::find;
use crate::eval::constant;
use crate::syntax::ast::{self, Body, Expr, ExprKind, StepKind};
use crate::walk::Reference;

/// The block of a resource, and what it says.
#[derive(Debug, Clone)]
pub struct Resource<'m> {
    /// What configures the object.
    pub body: Body,
    /// How many objects it has.
    pub count: Option<&'m Expr>,
    /// The collection that has an element for each of its objects.
    pub for_each: Option<&'m Expr>,
    /// A replacement creates the new object first.
    pub create_before_destroy: bool,
    /// It is an error to plan that the object is destroyed.
    pub prevent_destroy: bool,
    /// What of the configuration is not looked at.
    pub ignore_changes: IgnoreChanges,
    /// The object is replaced when one of these changes, as they are written.
    pub replace_triggered_by: Vec<String>,
    /// How many conditions its `precondition` and `postcondition` blocks have.
    pub conditions: usize,
    /// What is wrong with its block, other than with what is evaluated.
    pub errors: Vec<Diagnostic>,
}

impl Module<'_> {
    /// What the block of a resource says, whose objects have this schema.
    pub fn resource(&self, resource_type: &str, name: &str, schema: &Block) -> Option<Resource<'_>> {
        let declared = &self.resources[*self.by_name.get(&(resource_type.into(), name.into()))?];
        let mut errors = Vec::new();
        let mut bodies = declared.config.iter().map(|config| match config {
            Config::Native(body) => body.clone(),
            Config::Json(json) => {
                let (body, mut found) = json.under(schema);
                errors.append(&mut found);
                body
            }
        });
        let mut body = bodies.next().unwrap_or_default();
        bodies.for_each(|overriding| merge(&mut body, overriding));
        let mut resource = Resource {
            body,
            count: find(&declared.meta.attributes, "count").map(|attribute| &attribute.expr),
            for_each: find(&declared.meta.attributes, "for_each").map(|attribute| &attribute.expr),
            create_before_destroy: false,
            prevent_destroy: false,
            ignore_changes: IgnoreChanges::None,
            replace_triggered_by: Vec::new(),
            conditions: 0,
            errors,
        };
        resource.read(&declared.meta);
        Some(resource)
    }
}

impl Resource<'_> {
    fn read(&mut self, meta: &Body) {
        let attribute = |name: &str| find(&meta.attributes, name);
        if let (Some(_), Some(for_each)) = (attribute("count"), attribute("for_each")) {
            let detail = "The \"count\" and \"for_each\" meta-arguments are mutually-exclusive, only one should be used \
                          to be explicit about the number of resources to be created.";
            let summary = "Invalid combination of \"count\" and \"for_each\"";
            self.errors.push(Diagnostic::new(summary, for_each.name_span, detail));
        }
        let mut blocks = meta.blocks.iter().filter(|block| block.kind == "lifecycle");
        if let Some(lifecycle) = blocks.next() {
            self.lifecycle(&lifecycle.body);
        }
        for extra in blocks {
            let detail = "This resource already has a lifecycle block.";
            self.errors.push(Diagnostic::new("Duplicate lifecycle block", extra.header, detail));
        }
    }

    fn lifecycle(&mut self, body: &Body) {
        for ast::Attribute { name, expr, .. } in &body.attributes {
            match &**name {
                "create_before_destroy" => self.create_before_destroy = self.literal_bool(expr),
                "prevent_destroy" => self.prevent_destroy = self.literal_bool(expr),
                "ignore_changes" => self.ignore_changes = self.ignored(expr),
                "replace_triggered_by" => self.replace_triggered_by = self.triggers(expr),
                _ => {}
            }
        }
        let is_condition = |kind: &str| kind == "precondition" || kind == "postcondition";
        self.conditions = body.blocks.iter().filter(|block| is_condition(&block.kind)).count();
    }

    fn literal_bool(&mut self, expr: &Expr) -> bool {
        match constant(expr).map(|value| value.convert(&objchange::Type::Bool)) {
            Ok(Ok(value)) if value.is_null() => false,
            Ok(converted) => converted.ok().as_ref().and_then(Value::as_bool).unwrap_or_else(|| {
                let detail = "Unsuitable value: a bool is required.";
                self.errors.push(Diagnostic::new("Unsuitable value type", expr.span, detail));
                false
            }),
            Err(mut found) => {
                self.errors.append(&mut found);
                false
            }
        }
    }

    fn triggers(&mut self, expr: &Expr) -> Vec<String> {
        const SUMMARY: &str = "Invalid replace_triggered_by expression";
        let ExprKind::Tuple(items) = &expr.kind else {
            let detail = "A static list expression is required.";
            self.errors.push(Diagnostic::new(SUMMARY, expr.span, detail));
            return Vec::new();
        };
        let mut triggers = Vec::new();
        for item in items {
            let references = crate::walk::variables(item);
            let is_other = |reference: &&Reference<'_>| !matches!(&**reference.name, "count" | "each");
            let of_resource: Vec<&Reference<'_>> = references.iter().filter(is_other).collect();
            match of_resource[..] {
                [resource] if resource.first_attribute().is_some() && !is_reserved(resource.name) => {
                    triggers.push(resource.to_string());
                }
                _ => {
                    let detail = "One reference to a resource is expected, in which only count.index and each.key may be used.";
                    self.errors.push(Diagnostic::new(SUMMARY, item.span, detail));
                }
            }
        }
        triggers
    }

    fn ignored(&mut self, expr: &Expr) -> IgnoreChanges {
        if matches!(&expr.kind, ExprKind::Variable(name) if name.name == "all" && name.steps.is_empty()) {
            return IgnoreChanges::All;
        }
        let ExprKind::Tuple(items) = &expr.kind else {
            let detail = "It must be the keyword all, or a list of references to arguments.";
            self.errors.push(Diagnostic::new("Invalid ignore_changes", expr.span, detail));
            return IgnoreChanges::None;
        };
        let paths = items.iter().filter_map(|item| {
            let path = path(item);
            if path.is_none() {
                let detail = "A reference to an argument is expected, such as tags[\"Name\"].";
                self.errors.push(Diagnostic::new("Invalid ignore_changes", item.span, detail));
            }
            path
        });
        IgnoreChanges::Paths(paths.collect())
    }
}

/// Whether a name at the start of a reference is none of a resource type.
fn is_reserved(name: &str) -> bool {
    matches!(name, "var" | "local" | "data" | "module" | "path" | "terraform" | "self")
}

/// The part of the object that a reference means.
fn path(expr: &Expr) -> Option<Path> {
    match &expr.kind {
        ExprKind::Variable(variable) => {
            let steps = variable.steps.iter().map(|step| match &step.kind {
                StepKind::Attribute(name) => PathStep::Attribute(name.clone()),
                StepKind::Index(key) => PathStep::Index(key.clone()),
            });
            Some(std::iter::once(PathStep::Attribute(variable.name.clone())).chain(steps).collect())
        }
        // As it was written in Terraform 0.11.
        ExprKind::Text(text) => text.as_str()?.parse().ok().filter(|path: &Path| !path.is_root()),
        _ => None,
    }
}

/// What `each` is for the element of a `for_each` that has this key; `None` where that is not known.
pub fn each(for_each: &Value, key: &str) -> Option<Value> {
    let element = match for_each.kind() {
        Kind::Map(_) => for_each.element(key)?.clone(),
        Kind::Object(_) => for_each.attribute(key)?.clone(),
        Kind::Set(elements) => elements.iter().find(|element| element.as_str() == Some(key))?.clone(),
        _ => return None,
    };
    Some(Value::object([("key", Value::from(key)), ("value", element.with_marks(for_each.marks()))]))
}
