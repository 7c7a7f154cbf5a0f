//! Resource blocks: what in them is configuration of the object, and what is about it.

use objchange::Value;
use objchange::change::IgnoreChanges;
use objchange::value::{Kind, Path, PathStep};
use smol_str::SmolStr;

use crate::decode::find;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Block, Body, Expr, ExprKind, StepKind};

/// Arguments and blocks that every resource can have, and that no provider sees.
const META_ARGUMENTS: [&str; 4] = ["count", "for_each", "provider", "depends_on"];
const META_BLOCKS: [&str; 3] = ["lifecycle", "provisioner", "connection"];

/// The block of a resource.
#[derive(Debug, Clone)]
pub struct Resource<'b> {
    /// Its type.
    pub resource_type: &'b SmolStr,
    /// Its name.
    pub name: &'b SmolStr,
    /// What configures the object.
    pub body: Body,
    /// The collection that has an element for each of its objects.
    pub for_each: Option<&'b Expr>,
    /// A replacement creates the new object first.
    pub create_before_destroy: bool,
    /// What of the configuration is not looked at.
    pub ignore_changes: IgnoreChanges,
    /// What is wrong with its lifecycle.
    pub errors: Vec<Diagnostic>,
}

impl<'b> Resource<'b> {
    /// The resources of a file, in source order.
    pub fn all(file: &'b Body) -> impl Iterator<Item = (&'b SmolStr, &'b SmolStr, &'b Block)> {
        file.blocks.iter().filter_map(|block| match (&*block.kind, &block.labels[..]) {
            ("resource", [resource_type, name]) => Some((&resource_type.text, &name.text, block)),
            _ => None,
        })
    }

    /// The resource of this block.
    pub fn of(resource_type: &'b SmolStr, name: &'b SmolStr, block: &'b Block) -> Self {
        let Body { attributes, blocks, missing } = &block.body;
        let body = Body {
            attributes: attributes.iter().filter(|a| !META_ARGUMENTS.contains(&&*a.name)).cloned().collect(),
            blocks: blocks.iter().filter(|block| !META_BLOCKS.contains(&&*block.kind)).cloned().collect(),
            missing: *missing,
        };
        let for_each = find(attributes, "for_each").map(|attribute| &attribute.expr);
        let mut resource = Self {
            resource_type,
            name,
            body,
            for_each,
            create_before_destroy: false,
            ignore_changes: IgnoreChanges::None,
            errors: Vec::new(),
        };
        for lifecycle in blocks.iter().filter(|block| block.kind == "lifecycle") {
            if let Some(attribute) = find(&lifecycle.body.attributes, "create_before_destroy") {
                resource.create_before_destroy = resource.literal_bool(&attribute.expr);
            }
            if let Some(attribute) = find(&lifecycle.body.attributes, "ignore_changes") {
                resource.ignore_changes = resource.ignored(&attribute.expr);
            }
        }
        resource
    }

    fn literal_bool(&mut self, expr: &Expr) -> bool {
        let value = match &expr.kind {
            ExprKind::Literal(value) | ExprKind::Text(value) => value.convert(&objchange::Type::Bool).ok(),
            _ => None,
        };
        value.as_ref().and_then(Value::as_bool).unwrap_or_else(|| {
            let detail =
                "It must be true or false, as it stands: lifecycle arguments cannot refer to anything.";
            self.errors.push(Diagnostic::new("Unsuitable value type", expr.span, detail));
            false
        })
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
