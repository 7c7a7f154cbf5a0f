//! Looks for what must not be shown in files in the native syntax.

use std::collections::BTreeSet;

use objchange::schema::{Attribute as SchemaAttribute, Block as Schema};
use objchange::value::PathStep;
use objchange_text::{Span, similar};
use smol_str::SmolStr;

use super::Declared;
use crate::decode::{find, shape};
use crate::module::MoveTarget;
use crate::syntax::ast::{Block, Body, Expr, ExprKind, StepKind, TraversalStep};
use crate::walk::{
    Reference, literals, literals_beside, makes_sensitive, optional_defaults, sensitive_arguments, variables,
};

/// The arguments of a `dynamic` block.
const DYNAMIC_ARGUMENTS: [&str; 3] = ["for_each", "iterator", "labels"];

/// The arguments of provisioners that are words of the language.
const PROVISIONER_KEYWORDS: [&str; 2] = ["when", "on_failure"];

/// The arguments of provisioners that have values for programs and files, which may be secrets.
const GIVEN_BY_PROVISIONERS: [&str; 2] = ["environment", "content"];

/// The arguments that make the value of a variable or output a secret.
pub(super) const MEMBERS_OF_SECRETS: [&str; 2] = ["sensitive", "ephemeral"];

/// Roots of references, besides the types of resources.
pub(super) const ROOTS: [&str; 12] = [
    "var",
    "local",
    "module",
    "data",
    "each",
    "count",
    "self",
    "path",
    "terraform",
    "ephemeral",
    "run",
    "provider",
];

/// The local values and the defaults of variables, by the name of their kind and their own.
type Named<'b> = hashbrown::HashMap<(&'b str, &'b str), Vec<&'b Expr>>;

/// The search through the files of a configuration.
pub(super) struct Search<'e, 's, 'f> {
    schema: &'f dyn Fn(&str, &str) -> Option<&'s Schema>,
    declared: &'f Declared,
    /// Expressions that are secrets.
    secrets: Vec<&'e Expr>,
    /// Expressions whose literals may all be secrets.
    opaque: Vec<&'e Expr>,
    /// All expressions, with the schema of `self` there: they may compare literals with secrets.
    all: Vec<(&'e Expr, Option<&'s Schema>)>,
    /// Other places of secrets: labels, and values that may not refer to anything.
    whole: Vec<Span>,
}

impl<'e, 's, 'f> Search<'e, 's, 'f> {
    pub(super) fn new(schema: &'f dyn Fn(&str, &str) -> Option<&'s Schema>, declared: &'f Declared) -> Self {
        let (secrets, opaque, all, whole) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { schema, declared, secrets, opaque, all, whole }
    }

    /// A file of a module.
    pub(super) fn file(&mut self, body: &'e Body) {
        self.blocks(body);
        // A file has blocks alone: this is one with an equals sign too many.
        self.secrets.extend(body.attributes.iter().map(|attribute| &attribute.expr));
    }

    fn blocks(&mut self, body: &'e Body) {
        for block in &body.blocks {
            let label = block.labels.first().map(|label| label.text.as_str()).unwrap_or_default();
            self.calls_of(&block.body, (self.schema)(&block.kind, label));
            match &*block.kind {
                "variable" if is_secret_declaration(&block.body) => {
                    self.secret_declaration(&block.body, "default", &shape::VARIABLE);
                }
                "output" if is_secret_declaration(&block.body) => {
                    self.secret_declaration(&block.body, "value", &shape::OUTPUT);
                }
                "variable" | "output" | "locals" | "moved" | "import" => {}
                // Settings of a backend and connections have passwords; a data source may be in a check.
                "terraform" | "removed" => {
                    let inside = block.body.blocks.iter();
                    inside
                        .filter(|inside| &*inside.kind != "required_providers")
                        .for_each(|inside| self.opaque_block(inside));
                }
                "check" => self.data_sources(&block.body),
                _ => self.provider_block(block),
            }
        }
    }

    /// A variable or output that is a secret: its value, values in its type, and whatever has no name that is known there, which may
    /// be a misspelt one.
    fn secret_declaration(&mut self, body: &'e Body, value: &str, shape: &shape::Shape) {
        for attribute in &body.attributes {
            match &*attribute.name {
                // A default may refer to nothing, so a text that looks like a name may be the secret.
                "default" => self.whole.push(attribute.expr.span),
                name if name == value || !shape.has(name) => self.secrets.push(&attribute.expr),
                "type" => self.secrets.extend(optional_defaults(&attribute.expr)),
                _ => {}
            }
        }
        for block in body.blocks.iter().filter(|block| shape.labels(&block.kind).is_none()) {
            self.whole.extend(block.labels.iter().map(|label| label.span));
            self.opaque_block(block);
        }
    }

    fn data_sources(&mut self, body: &'e Body) {
        let sources = body.blocks.iter().filter(|block| &*block.kind == "data");
        sources.for_each(|block| self.provider_block(block));
    }

    /// A block whose schema a provider or a called module has.
    fn provider_block(&mut self, block: &'e Block) {
        let label = block.labels.first().map(|label| label.text.as_str()).unwrap_or_default();
        let schema = if label.is_empty() { None } else { (self.schema)(&block.kind, label) };
        let is_meta = |name: &str| is_meta_argument(&block.kind, name, schema.is_some());
        let (meta, own): (Vec<_>, Vec<_>) =
            block.body.attributes.iter().partition(|attribute| is_meta(&attribute.name));
        let with_credentials = meta.into_iter().filter(|attribute| {
            matches!(&attribute.expr.kind, ExprKind::Text(text) if text.as_str().is_some_and(has_credentials))
        });
        self.opaque.extend(with_credentials.map(|attribute| &attribute.expr));
        match schema {
            Some(schema) => self.attributes(own, schema),
            None => self.opaque.extend(own.into_iter().map(|attribute| &attribute.expr)),
        }
        let is_resource = &*block.kind == "resource";
        for inside in &block.body.blocks {
            match (&*inside.kind, schema) {
                ("provisioner", _) if is_resource => self.provisioner(inside),
                ("connection", _) if is_resource => self.connection(inside),
                ("lifecycle", None) => {}
                (_, Some(schema)) => self.nested_block(inside, schema),
                (_, None) => self.opaque_block(inside),
            }
        }
    }

    /// Searches a provisioner. Its keywords and schema attributes are not secret, except for values that are passed to
    /// programs and files.
    fn provisioner(&mut self, block: &'e Block) {
        let label = block.labels.first().map_or("", |label| label.text.as_str());
        let schema = (self.schema)(&block.kind, label);
        for attribute in &block.body.attributes {
            let name = attribute.name.as_str();
            let may_be_given = GIVEN_BY_PROVISIONERS.contains(&name)
                || schema.is_some_and(|schema| schema.attribute(name).is_none())
                    && !similar(name, GIVEN_BY_PROVISIONERS).is_empty();
            // A number is no environment at all.
            let is_of_values = name != "environment" || !matches!(attribute.expr.kind, ExprKind::Literal(_));
            match schema {
                _ if PROVISIONER_KEYWORDS.contains(&name) => {}
                Some(schema) if !may_be_given || !is_of_values => self.attributes([attribute], schema),
                _ => self.opaque.push(&attribute.expr),
            }
        }
        for inside in &block.body.blocks {
            match &*inside.kind {
                "connection" => self.connection(inside),
                _ => self.opaque_block(inside),
            }
        }
    }

    fn connection(&mut self, block: &'e Block) {
        match (self.schema)(&block.kind, "") {
            Some(schema) => self.block(&block.body, schema),
            None => {
                let others = block.body.attributes.iter().filter(|attribute| attribute.name != "type");
                self.opaque.extend(others.map(|attribute| &attribute.expr));
                self.opaque_blocks(&block.body);
            }
        }
    }

    /// A block whose schema is not at hand.
    fn opaque_block(&mut self, block: &'e Block) {
        let is_dynamic = &*block.kind == "dynamic";
        let is_shown = |name: &str| is_dynamic && DYNAMIC_ARGUMENTS.contains(&name);
        let attributes = block.body.attributes.iter().filter(|attribute| !is_shown(&attribute.name));
        self.opaque.extend(attributes.map(|attribute| &attribute.expr));
        self.opaque_blocks(&block.body);
    }

    fn opaque_blocks(&mut self, body: &'e Body) {
        let inside = body.blocks.iter().filter(|inside| &*inside.kind != "lifecycle");
        inside.for_each(|inside| self.opaque_block(inside));
    }

    /// A test or mock file: hides the values for sensitive variables, attributes and outputs.
    pub(super) fn test_file(&mut self, body: &'e Body) {
        for block in &body.blocks {
            self.calls_of_block(block, None);
            let label = block.labels.first().map(|label| &*label.text).unwrap_or_default();
            match &*block.kind {
                "variables" => self.given_values(&block.body),
                "variable" if is_secret_declaration(&block.body) => {
                    self.secret_declaration(&block.body, "default", &shape::VARIABLE);
                }
                "provider" => self.provider_block(block),
                "run" | "mock_provider" => self.test_file(&block.body),
                "mock_resource" => self.given_object(&block.body, "defaults", "resource", label),
                "mock_data" => self.given_object(&block.body, "defaults", "data", label),
                "override_resource" => {
                    self.given_object(&block.body, "values", "resource", &target_type(&block.body));
                }
                "override_data" => {
                    self.given_object(&block.body, "values", "data", &target_type(&block.body));
                }
                "override_module" => self.given_object(&block.body, "outputs", "outputs", ""),
                _ => {}
            }
        }
    }

    /// A `variables` block of a test file. It may be for another module than the root.
    fn given_values(&mut self, body: &'e Body) {
        let schema = (self.schema)("variables", "");
        for attribute in &body.attributes {
            let name = &attribute.name;
            let is_secret = match schema.map(|schema| (schema, schema.attribute(name))) {
                Some((_, Some(known))) => known.has_hidden(),
                Some((schema, None)) => is_misspelt_secret(name, schema),
                None => !self.declared.is_public(name),
            };
            if is_secret {
                self.secrets.push(&attribute.expr);
            }
        }
    }

    /// An argument that is an object, of whose members a schema calls some sensitive. All of it is hidden if it has one and
    /// is written in another form.
    fn given_object(&mut self, body: &'e Body, argument: &str, kind: &str, label: &str) {
        let Some(schema) = (self.schema)(kind, label).filter(|schema| schema.has_hidden()) else {
            return;
        };
        let Some(attribute) = find(&body.attributes, argument) else { return };
        let ExprKind::Object(items) = &attribute.expr.kind else {
            self.secrets.push(&attribute.expr);
            return;
        };
        for item in items {
            let name = match &item.key.kind {
                ExprKind::Variable(variable) if variable.steps.is_empty() => Some(&*variable.name),
                ExprKind::Text(text) => text.as_str(),
                _ => None,
            };
            let is_secret = name.is_none_or(|name| match (schema.attribute(name), schema.block_type(name)) {
                (Some(attribute), _) => attribute.has_hidden(),
                (None, Some(nested)) => nested.block.has_hidden(),
                (None, None) => false,
            });
            if is_secret {
                self.secrets.push(&item.value);
            }
        }
    }

    /// A values file: hides values of sensitive and of undeclared variables.
    pub(super) fn values(&mut self, body: &'e Body) {
        for attribute in &body.attributes {
            match self.declared.is_public(&attribute.name) {
                true => self.calls(&attribute.expr),
                // A text that looks like a reference may be the secret, as in defaults.
                false => self.whole.push(attribute.expr.span),
            }
        }
        body.blocks.iter().for_each(|block| self.opaque_block(block));
    }

    /// Searches a body and its blocks for arguments of `sensitive`, and for literals that may be compared with secrets.
    fn calls_of(&mut self, body: &'e Body, own: Option<&'s Schema>) {
        for attribute in &body.attributes {
            self.calls(&attribute.expr);
            self.all.push((&attribute.expr, own));
        }
        body.blocks.iter().for_each(|block| self.calls_of_block(block, own));
    }

    fn calls_of_block(&mut self, block: &'e Block, own: Option<&'s Schema>) {
        match &*block.kind {
            // A test says there what it expects of made-up values, and Terraform shows it.
            "assert" => block.body.attributes.iter().for_each(|attribute| self.calls(&attribute.expr)),
            _ => self.calls_of(&block.body, own),
        }
    }

    pub(super) fn calls(&mut self, expr: &'e Expr) {
        self.secrets.extend(sensitive_arguments(expr));
        // The call is cut off: `sensitive//("x")`.
        if variables(expr).iter().any(|reference| makes_sensitive(reference.name)) {
            self.secrets.push(expr);
        }
    }

    /// Hides the parts that a body's schema calls sensitive. A nested attribute with a sensitive part is hidden as a whole.
    fn block(&mut self, body: &'e Body, schema: &Schema) {
        self.attributes(&body.attributes, schema);
        body.blocks.iter().for_each(|block| self.nested_block(block, schema));
    }

    fn attributes(
        &mut self,
        attributes: impl IntoIterator<Item = &'e crate::syntax::ast::Attribute>,
        schema: &Schema,
    ) {
        for attribute in attributes {
            let is_secret = match schema.attribute(&attribute.name) {
                Some(known) => known.has_hidden(),
                None => is_misspelt_secret(&attribute.name, schema),
            };
            if is_secret {
                self.secrets.push(&attribute.expr);
            }
        }
    }

    fn nested_block(&mut self, block: &'e Block, schema: &Schema) {
        let dynamic = block
            .labels
            .first()
            .filter(|_| &*block.kind == "dynamic" && schema.block_type("dynamic").is_none());
        let kind = dynamic.map_or(&block.kind, |label| &label.text);
        match schema.block_type(kind) {
            Some(nested) if dynamic.is_some() => self.dynamic(&block.body, &nested.block),
            Some(nested) => self.block(&block.body, &nested.block),
            // An attribute written as blocks, or nothing that the schema knows.
            None if schema.attribute(kind).is_some_and(|attribute| !attribute.has_hidden()) => {}
            None if &*block.kind == "lifecycle" => {}
            None => self.opaque_block(block),
        }
    }

    /// A `dynamic` block: its contents follow the schema, and what else is in it may be a misspelt one of them.
    fn dynamic(&mut self, body: &'e Body, schema: &Schema) {
        let arguments = body.attributes.iter().filter(|a| !DYNAMIC_ARGUMENTS.contains(&&*a.name));
        self.secrets.extend(arguments.map(|attribute| &attribute.expr));
        for block in &body.blocks {
            if &*block.kind == "content" {
                self.block(&block.body, schema);
            } else {
                self.opaque_block(block);
            }
        }
    }

    /// The spans of expressions whose literals may all be secrets.
    pub(super) fn opaque(&self) -> impl Iterator<Item = Span> {
        self.opaque.iter().map(|expr| expr.span)
    }

    /// Returns the spans of secrets, including the local values and defaults that they refer to, and the references in
    /// them, which may be shown.
    pub(super) fn found<'b>(&self, bodies: impl Iterator<Item = &'b Body>) -> (Vec<Span>, Vec<Span>)
    where
        'e: 'b,
    {
        let (mut spans, mut references) = (self.whole.clone(), Vec::new());
        let mut open: Vec<&Expr> = self.secrets.clone();
        let mut seen: BTreeSet<(SmolStr, SmolStr)> = BTreeSet::new();
        let mut named: Named<'b> = Named::new();
        for block in bodies.flat_map(|body| &body.blocks) {
            match (&*block.kind, block.labels.first()) {
                ("locals", _) => {
                    for local in &block.body.attributes {
                        named.entry(("local", &local.name)).or_default().push(&local.expr);
                    }
                }
                ("variable", Some(name)) => {
                    if let Some(default) = find(&block.body.attributes, "default") {
                        named.entry(("var", &name.text)).or_default().push(&default.expr);
                    }
                }
                _ => {}
            }
        }
        let locals = self.secret_locals(&named);
        for (expr, own) in &self.all {
            spans.extend(literals_beside(expr, &|reference| self.is_secret(reference, *own, &locals)));
        }
        while let Some(expr) = open.pop() {
            // Keep a plain reference readable, and hide from its end on: an unquoted secret may follow it.
            spans.push(match self.is_plain_reference(expr) {
                true => Span::at(expr.span.end),
                false => expr.span,
            });
            for reference in variables(expr) {
                references.extend(self.is_known(reference.name).then(|| names_of(&reference)).flatten());
                let Some(name) = reference.first_attribute() else { continue };
                if seen.insert((reference.name.clone(), name.clone())) {
                    open.extend(named.get(&(reference.name.as_str(), name.as_str())).into_iter().flatten());
                }
            }
        }
        for expr in &self.opaque {
            spans.extend(literals(expr));
            // A secret without its quotes looks like a name.
            let all = variables(expr).into_iter();
            let (known, unknown): (Vec<_>, Vec<_>) = all.partition(|reference| self.is_known(reference.name));
            spans.extend(unknown.iter().map(Reference::whole));
            references.extend(known.iter().filter_map(names_of));
        }
        (spans, references)
    }

    /// The local values that are made of secrets.
    fn secret_locals<'b>(&self, named: &Named<'b>) -> BTreeSet<&'b str> {
        let mut users: hashbrown::HashMap<SmolStr, Vec<&'b str>> = hashbrown::HashMap::new();
        let mut open: Vec<&str> = Vec::new();
        let nothing = BTreeSet::new();
        for ((_, name), exprs) in named.iter().filter(|((kind, _), _)| *kind == "local") {
            for reference in exprs.iter().flat_map(|expr| variables(expr)) {
                match reference.first_attribute() {
                    Some(local) if reference.name == "local" => {
                        users.entry(local.clone()).or_default().push(name);
                    }
                    _ if self.is_secret(&reference, None, &nothing) => open.push(name),
                    _ => {}
                }
            }
        }
        let mut found = BTreeSet::new();
        while let Some(name) = open.pop() {
            if found.insert(name) {
                open.extend(users.get(name).into_iter().flatten());
            }
        }
        found
    }

    /// Whether a reference leads to something that is called sensitive.
    fn is_secret(&self, reference: &Reference<'_>, own: Option<&Schema>, locals: &BTreeSet<&str>) -> bool {
        let names: Vec<SmolStr> = reference
            .steps()
            .filter_map(|(step, _)| match step {
                PathStep::Attribute(name) => Some(name),
                _ => None,
            })
            .collect();
        let is_of = |schema: Option<&Schema>, name: Option<&SmolStr>| {
            let found = schema.zip(name);
            found.is_some_and(|(schema, name)| {
                schema.attribute(name).is_some_and(SchemaAttribute::has_hidden)
                    || schema.block_type(name).is_some_and(|nested| nested.block.has_hidden())
            })
        };
        match (reference.name.as_str(), names.as_slice()) {
            ("var", [name, ..]) => self.declared.variables.get(name.as_str()) == Some(&true),
            ("local", [name, ..]) => locals.contains(name.as_str()),
            ("self", names) => is_of(own, names.first()),
            (kind @ ("data" | "ephemeral"), [resource_type, _, names @ ..]) => {
                is_of((self.schema)(kind, resource_type), names.first())
            }
            (resource_type, [_, names @ ..]) if self.declared.types.contains(resource_type) => {
                is_of((self.schema)("resource", resource_type), names.first())
            }
            _ => false,
        }
    }

    /// Whether something is called so that references can begin with.
    fn is_known(&self, root: &str) -> bool {
        ROOTS.contains(&root) || self.declared.types.contains(root)
    }

    /// Whether an expression is nothing but a name: where a secret is, and not the secret.
    fn is_plain_reference(&self, expr: &Expr) -> bool {
        let is_name = |step: &TraversalStep| matches!(step.kind, StepKind::Attribute(_));
        matches!(&expr.kind, ExprKind::Variable(variable) if {
            variable.steps.iter().all(is_name) && self.is_known(&variable.name)
        })
    }
}

/// The part of a reference that has names alone: `local.logins` of `local.logins["admin"].password`.
fn names_of(reference: &Reference<'_>) -> Option<Span> {
    let names =
        reference.steps().take_while(|(step, _)| matches!(step, objchange::value::PathStep::Attribute(_)));
    Some(names.last().map_or(reference.span, |(_, span)| reference.span.to(span)))
}

/// Whether the variable or output that a block declares is sensitive or ephemeral, or was meant to be.
pub(super) fn is_secret_declaration(body: &Body) -> bool {
    body.attributes.iter().any(|attribute| {
        let is_it = MEMBERS_OF_SECRETS.contains(&&*attribute.name)
            || !shape::VARIABLE.has(&attribute.name)
                && !similar(&attribute.name, MEMBERS_OF_SECRETS).is_empty();
        is_it && !attribute.expr.is_false()
    })
}

/// The type of the resource that an override targets.
fn target_type(body: &Body) -> String {
    let target = find(&body.attributes, "target").and_then(|target| target.expr.as_target().ok());
    match target {
        Some(MoveTarget::Resource(address)) => address.resource.resource_type,
        _ => String::new(),
    }
}

/// Whether an argument of a block is read by Terraform itself. Where no schema is at hand, the names of all kinds of blocks
/// are taken for such.
pub(super) fn is_meta_argument(kind: &str, name: &str, has_schema: bool) -> bool {
    let shape = match kind {
        "module" => &shape::CALL,
        "provider" => &shape::PROVIDER,
        "data" => &shape::DATA,
        _ => &shape::RESOURCE,
    };
    shape.argument(name).is_some() || !has_schema && shape::CALL.argument(name).is_some()
}

/// Whether the address of a module holds a password or a key: `https://user:password@host/…`, `…?sshkey=…`.
pub(super) fn has_credentials(source: &str) -> bool {
    let authority = source.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or(rest));
    let parameters = source.split_once('?').map_or("", |(_, parameters)| parameters);
    let names = parameters.split('&').filter_map(|parameter| parameter.split('=').next());
    authority.rsplit_once('@').is_some_and(|(user, _)| user != "git")
        || names
            .map(str::to_ascii_lowercase)
            .any(|name| ["key", "token", "secret", "password", "sig"].iter().any(|word| name.contains(word)))
}

/// Whether a name that the schema lacks may be a misspelt secret, which is a sensitive attribute or a block with one. It may
/// if it is similar to the name of a secret. It also may if the schema has secrets and no name in it is similar: `passwd`
/// could be meant for any of them.
fn is_misspelt_secret(name: &str, schema: &Schema) -> bool {
    let attributes = schema.attributes().iter().map(|(name, attribute)| (&**name, attribute.has_hidden()));
    let blocks = schema.block_types().iter().map(|(name, nested)| (&**name, nested.block.has_hidden()));
    let (hidden, others): (Vec<_>, Vec<_>) = attributes.chain(blocks).partition(|(_, is_hidden)| *is_hidden);
    let is_like = |names: &[(&str, bool)]| !similar(name, names.iter().map(|(name, _)| *name)).is_empty();
    !hidden.is_empty() && (is_like(&hidden) || !is_like(&others))
}
