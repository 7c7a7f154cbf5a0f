//! Collects the blocks of all files, finds duplicates and applies overrides.

use std::collections::{BTreeMap, btree_map};

use objchange::address::Mode;
use smol_str::SmolStr;

use super::super::declarations::{ActionName, ModuleConfig, ResourceName};
use super::Reader;
use crate::decode::body::{BodyPart, ConfigBody};
use crate::decode::merge::{replace_attributes, replace_raw_blocks};
use crate::decode::raw::{Content, RawBlock, RawBody};
use crate::decode::shape::{
    ACTION, CALL, CHECK, DATA, FILE, IMPORT, LIFECYCLE, MOVED, OUTPUT, PROVIDER, REMOVED, RESOURCE, Shape,
    TERRAFORM, VARIABLE,
};
use crate::sources::SourceFile;
use crate::syntax::ast::{Attribute, Label};
use objchange_text::Span;

/// The declarations of the files, before evaluation.
#[derive(Default)]
pub(super) struct Collected<'t> {
    variables: BTreeMap<SmolStr, Declared<'t>>,
    locals: BTreeMap<SmolStr, Attribute>,
    outputs: BTreeMap<SmolStr, Declared<'t>>,
    resources: BTreeMap<ResourceName, Declared<'t>>,
    calls: BTreeMap<SmolStr, Declared<'t>>,
    checks: BTreeMap<SmolStr, Declared<'t>>,
    providers: Vec<Declared<'t>>,
    terraform: Vec<Declared<'t>>,
    moved: Vec<Declared<'t>>,
    removed: Vec<Declared<'t>>,
    imports: Vec<Declared<'t>>,
    actions: BTreeMap<ActionName, Declared<'t>>,
}

/// A block, with what overrides it.
#[derive(Debug, Clone)]
pub(super) struct Declared<'t> {
    pub(super) header: Span,
    pub(super) labels: Vec<Label>,
    pub(super) content: Content<'t>,
    /// The `lifecycle` block.
    pub(super) lifecycle: Option<(Span, Content<'t>)>,
    /// Bodies of override files, applied over the rest of the content.
    pub(super) overrides: Vec<BodyPart>,
    /// The `check` block around it.
    pub(super) check: Option<SmolStr>,
    /// `count` and `for_each` of one and the same file.
    pub(super) has_both: bool,
    /// The block that overrides the type and not the default.
    pub(super) retyped: Option<Span>,
}

impl<'t> Declared<'t> {
    pub(super) fn new(block: RawBlock<'t>, shape: &'static Shape, reader: &mut Reader<'_>) -> Self {
        let RawBlock { labels, header, body, .. } = block;
        let content = body.read(shape, &mut reader.problems);
        Self::from_content(header, labels, content)
    }

    fn overriding(block: RawBlock<'t>, shape: &'static Shape, reader: &mut Reader<'_>) -> Self {
        let RawBlock { labels, header, body, .. } = block;
        let content = body.read_partly(shape, &mut reader.problems);
        Self::from_content(header, labels, content)
    }

    fn from_content(header: Span, labels: Vec<Label>, content: Content<'t>) -> Self {
        let has_both = content.attribute("count").is_some() && content.attribute("for_each").is_some();
        let (lifecycle, overrides, check, retyped) = (None, Vec::new(), None, None);
        Self { header, labels, content, lifecycle, overrides, check, has_both, retyped }
    }

    /// The label with this position.
    pub(super) fn label(&self, index: usize) -> SmolStr {
        self.labels.get(index).map(|label| label.text.clone()).unwrap_or_default()
    }

    /// All that its provider looks at.
    pub(super) fn parts(&mut self) -> Vec<BodyPart> {
        let none = BodyPart::Native(crate::syntax::ast::Body::default());
        let first = std::mem::replace(&mut self.content.rest, none);
        std::iter::once(first).chain(self.overrides.drain(..)).collect()
    }

    /// Arguments are replaced one by one, also those of `lifecycle`; other blocks all of a type.
    fn merge(&mut self, other: Self) {
        if other.content.attribute("default").is_some() {
            self.retyped = None;
        } else if other.content.attribute("type").is_some() {
            self.retyped = Some(other.header);
        }
        replace_attributes(&mut self.content.attributes, other.content.attributes);
        replace_raw_blocks(&mut self.content.blocks, other.content.blocks);
        let lifecycle = other.lifecycle.map(|(header, mut lifecycle)| {
            // Terraform 1.17-dev takes `destroy` from the base alone, whether it is set there or not.
            lifecycle.attributes.retain(|attribute| attribute.name != "destroy");
            (header, lifecycle)
        });
        match (&mut self.lifecycle, lifecycle) {
            (Some((_, lifecycle)), Some((_, other))) => {
                replace_attributes(&mut lifecycle.attributes, other.attributes);
                replace_raw_blocks(&mut lifecycle.blocks, other.blocks);
            }
            (lifecycle @ None, other) => *lifecycle = other,
            (Some(_), None) => {}
        }
        self.overrides.push(other.content.rest);
    }
}

impl<'t> Collected<'t> {
    /// Adds the declarations of a file.
    pub(super) fn add_file(&mut self, file: &'t SourceFile, reader: &mut Reader<'t>) {
        for block in blocks_of(file, reader) {
            self.add(block, reader);
        }
    }

    fn add(&mut self, block: RawBlock<'t>, reader: &mut Reader<'t>) {
        match &*block.kind {
            "variable" => {
                let declared = Declared::new(block, &VARIABLE, reader);
                reader.check_variable_name(&declared);
                let what = ("Duplicate variable declaration", "A variable", "declared", "Variable names");
                insert(&mut self.variables, declared, what, reader);
            }
            "output" => {
                let declared = Declared::new(block, &OUTPUT, reader);
                reader.check_label(&declared, 0, "Invalid output name");
                let what = ("Duplicate output definition", "An output", "defined", "Output names");
                insert(&mut self.outputs, declared, what, reader);
            }
            "module" => {
                let declared = Declared::new(block, &CALL, reader);
                reader.check_label(&declared, 0, "Invalid module instance name");
                insert_call(&mut self.calls, declared, reader);
            }
            "locals" => {
                for local in block.body.arguments(&mut reader.problems) {
                    self.add_local(local, reader);
                }
            }
            "resource" => {
                self.add_resource(Mode::Managed, reader.resource_block(block, Mode::Managed), reader);
            }
            "data" => self.add_resource(Mode::Data, reader.resource_block(block, Mode::Data), reader),
            "ephemeral" => {
                self.add_resource(Mode::Ephemeral, reader.resource_block(block, Mode::Ephemeral), reader);
            }
            "provider" => self.providers.push(Declared::new(block, &PROVIDER, reader)),
            "terraform" => self.terraform.push(Declared::new(block, &TERRAFORM, reader)),
            "required_providers" => {
                let detail = "A \"required_providers\" block must be nested inside a \"terraform\" block.";
                reader.problems.error("Invalid required_providers block", block.header, detail);
            }
            "check" => self.add_check(block, reader),
            "moved" => self.moved.push(Declared::new(block, &MOVED, reader)),
            "removed" => self.removed.push(Declared::new(block, &REMOVED, reader)),
            "import" => self.imports.push(Declared::new(block, &IMPORT, reader)),
            "action" => self.add_action(Declared::new(block, &ACTION, reader), reader),
            // Lists are of no plan that is made here.
            _ => {}
        }
    }

    fn add_local(&mut self, local: Attribute, reader: &mut Reader<'t>) {
        let place = local.name_span.to(local.expr.span);
        if !crate::syntax::is_name(&local.name) {
            reader.problems.error("Invalid local value name", local.name_span, super::BAD_NAME);
        }
        if let Some(first) = self.locals.get(&local.name) {
            let at = reader.place(first.name_span.to(first.expr.span));
            let detail = format!(
                "A local value named {:?} was already defined at {at}. Local value names must be unique within a module.",
                local.name
            );
            reader.problems.error("Duplicate local value definition", place, detail);
        }
        self.locals.insert(local.name.clone(), local);
    }

    fn add_resource(&mut self, mode: Mode, declared: Declared<'t>, reader: &mut Reader<'t>) {
        let name = ResourceName { mode, resource_type: declared.label(0), name: declared.label(1) };
        if let Some(first) = self.resources.get(&name) {
            let at = reader.place(first.header);
            let kind = match mode {
                Mode::Managed => "",
                Mode::Data => "data ",
                Mode::Ephemeral => "ephemeral ",
            };
            let resource_type = &name.resource_type;
            let detail = format!(
                "A {resource_type} {kind}resource named {:?} was already declared at {at}. Resource names must be unique \
                 per type in each module.",
                name.name
            );
            let summary = match mode {
                Mode::Managed => format!("Duplicate resource {resource_type:?} configuration"),
                Mode::Data => format!("Duplicate data {resource_type:?} configuration"),
                Mode::Ephemeral => format!("Duplicate ephemeral {resource_type:?} configuration"),
            };
            reader.problems.error(("duplicate_declaration", summary), declared.header, detail);
        }
        self.resources.insert(name, declared);
    }

    fn add_action(&mut self, declared: Declared<'t>, reader: &mut Reader<'t>) {
        let name = action_name(&declared);
        if declared.labels.iter().any(|label| !crate::syntax::is_name(&label.text)) {
            reader.problems.error("Invalid action name", declared.header, super::BAD_NAME);
        }
        if let Some(first) = self.actions.get(&name) {
            let at = reader.place(first.header);
            let detail = format!(
                "An action named {:?} was already declared at {at}. Resource names must be unique per type in each module.",
                name.name
            );
            let summary = format!("Duplicate action {:?} configuration", name.action_type);
            reader.problems.error(("duplicate_declaration", summary), declared.header, detail);
        }
        self.actions.insert(name, declared);
    }

    fn override_action(&mut self, declared: Declared<'t>, reader: &mut Reader<'t>) {
        let name = action_name(&declared);
        match self.actions.get_mut(&name) {
            Some(first) => {
                replace_attributes(&mut first.content.attributes, declared.content.attributes);
                // Each `config` block of an override file is merged over the existing ones.
                let configs = declared.content.blocks.into_iter();
                first.overrides.extend(configs.flat_map(|block| ConfigBody::whole(block.body).into_parts()));
            }
            None => {
                let detail = format!(
                    "There is no {} action named {:?}. An override file can only override an action block defined in a \
                     primary configuration file.",
                    name.action_type, name.name
                );
                reader.problems.error("Missing action to override", declared.header, detail);
            }
        }
    }

    fn add_check(&mut self, block: RawBlock<'t>, reader: &mut Reader<'t>) {
        let mut declared = Declared::new(block, &CHECK, reader);
        let name = declared.label(0);
        reader.check_label(&declared, 0, "Invalid check block name");
        let (data, others) = declared.content.blocks.into_iter().partition(|block| block.kind == "data");
        declared.content.blocks = others;
        let mut data: Vec<RawBlock<'t>> = data;
        if data.len() > 1 {
            data.drain(..).skip(1).for_each(|extra| {
                let detail = "This check block already has a data resource.";
                reader.problems.error("Multiple data resource blocks", extra.header, detail);
            });
        }
        for block in data {
            let nested = Declared { check: Some(name.clone()), ..reader.resource_block(block, Mode::Data) };
            self.add_resource(Mode::Data, nested, reader);
        }
        if let Some(first) = self.checks.get(&name) {
            let at = reader.place(first.header);
            let detail = format!(
                "A check block named {name:?} was already declared at {at}. Check blocks must be unique within each module."
            );
            let summary = format!("Duplicate check {name:?} configuration");
            reader.problems.error(("duplicate_check_name_configuration", summary), declared.header, detail);
        }
        self.checks.insert(name, declared);
    }

    /// Overrides declarations with those of an override file.
    pub(super) fn override_with(&mut self, file: &'t SourceFile, reader: &mut Reader<'t>) {
        for block in blocks_of(file, reader) {
            self.override_block(block, reader);
        }
    }

    fn override_block(&mut self, block: RawBlock<'t>, reader: &mut Reader<'t>) {
        match &*block.kind {
            "variable" => {
                let declared = Declared::overriding(block, &VARIABLE, reader);
                for rule in &declared.content.blocks {
                    let detail = "Override files cannot override \"validation\" blocks.";
                    reader.problems.error("Can't override validation blocks", rule.header, detail);
                }
                let what =
                    ("Missing base variable declaration to override", "a variable that was already declared");
                merge_into(self.variables.get_mut(&declared.label(0)), declared, ("variable", what), reader);
            }
            "output" => {
                let declared = Declared::overriding(block, &OUTPUT, reader);
                for rule in &declared.content.blocks {
                    let kind = &rule.kind;
                    let detail = format!("Override files cannot override {kind:?} blocks.");
                    reader.problems.error(
                        ("cant_override_kind_blocks", format!("Can't override {kind} blocks")),
                        rule.header,
                        detail,
                    );
                }
                reader.refuse_depends_on(&declared);
                let what =
                    ("Missing base output definition to override", "an output that was already defined");
                merge_into(self.outputs.get_mut(&declared.label(0)), declared, ("output", what), reader);
            }
            "module" => {
                let declared = Declared::overriding(block, &CALL, reader);
                reader.refuse_depends_on(&declared);
                let what = ("Missing module call to override", "a module call that was defined");
                merge_into(self.calls.get_mut(&declared.label(0)), declared, ("module call", what), reader);
            }
            "locals" => {
                for local in block.body.arguments(&mut reader.problems) {
                    match self.locals.entry(local.name.clone()) {
                        btree_map::Entry::Occupied(mut first) => drop(first.insert(local)),
                        btree_map::Entry::Vacant(_) => {
                            let detail = format!(
                                "There is no local value named {:?}. An override file can only override a local value that \
                                 was already defined in a primary configuration file.",
                                local.name
                            );
                            let summary = "Missing base local value definition to override";
                            reader.problems.error(summary, local.name_span.to(local.expr.span), detail);
                        }
                    }
                }
            }
            "resource" => self.override_resource(block, Mode::Managed, reader),
            "data" => self.override_resource(block, Mode::Data, reader),
            "ephemeral" => self.override_resource(block, Mode::Ephemeral, reader),
            "action" => self.override_action(Declared::overriding(block, &ACTION, reader), reader),
            "provider" => self.override_provider(block, reader),
            "terraform" => {
                let overriding = Declared::overriding(block, &TERRAFORM, reader);
                self.override_terraform(overriding, reader);
            }
            "check" => {
                let detail = "Override files cannot override check blocks.";
                reader.problems.error("Can't override check blocks", block.header, detail);
            }
            "moved" => {
                let detail =
                    "Records of moved objects can appear only in normal files, not in override files.";
                reader.problems.error("Cannot override 'moved' blocks", block.header, detail);
            }
            "import" => {
                let detail = "Import blocks can appear only in normal files, not in override files.";
                reader.problems.error("Cannot override 'import' blocks", block.header, detail);
            }
            _ => self.add(block, reader),
        }
    }

    fn override_resource(&mut self, block: RawBlock<'t>, mode: Mode, reader: &mut Reader<'t>) {
        let declared = reader.overriding_resource_block(block, mode);
        reader.refuse_depends_on(&declared);
        let name = ResourceName { mode, resource_type: declared.label(0), name: declared.label(1) };
        match self.resources.get_mut(&name) {
            Some(first) => first.merge(declared),
            // Terraform ignores an override for an ephemeral resource that no file declares.
            None if mode == Mode::Ephemeral => {}
            None => {
                let (kind, block) =
                    if mode == Mode::Data { ("data resource", "data") } else { ("resource", "resource") };
                let detail = format!(
                    "There is no {} {kind} named {:?}. An override file can only override a {block} block defined in a \
                     primary configuration file.",
                    name.resource_type, name.name
                );
                reader.problems.error(
                    ("missing_kind_to_override", format!("Missing {kind} to override")),
                    declared.header,
                    detail,
                );
            }
        }
    }

    fn override_provider(&mut self, block: RawBlock<'t>, reader: &mut Reader<'t>) {
        let declared = Declared::overriding(block, &PROVIDER, reader);
        let name = declared.label(0);
        let alias = alias_text(&declared);
        let first =
            self.providers.iter_mut().find(|first| first.label(0) == name && alias_text(first) == alias);
        match (first, alias) {
            (Some(first), _) => first.merge(declared),
            // It is a configuration of its own.
            (None, None) => self.providers.push(declared),
            (None, Some(alias)) => {
                let detail = format!(
                    "There is no {name} provider configuration with the alias {alias:?}. An override file can only override \
                     an aliased provider configuration that was already defined in a primary configuration file."
                );
                let summary = "Missing base provider configuration for override";
                reader.problems.error(summary, declared.header, detail);
            }
        }
    }

    /// An overriding `terraform` block replaces the settings of all others, except that a second `backend` or `cloud`
    /// block in one file stays an error.
    fn override_terraform(&mut self, overriding: Declared<'t>, reader: &Reader<'t>) {
        let file = |span: Span| {
            let place = reader.place(span);
            place.rsplit_once(':').map(|(file, _)| file.to_owned())
        };
        let own_file = file(overriding.header);
        for first in &mut self.terraform {
            let is_same_file = file(first.header) == own_file;
            let sets = |name: &str| overriding.content.attribute(name).is_some();
            first.content.attributes.retain(|attribute| !sets(&attribute.name));
            let has = |kind: &str| overriding.content.blocks.iter().any(|block| block.kind == kind);
            let is_backend = |kind: &str| matches!(kind, "backend" | "cloud");
            let replaces_backend = has("backend") || has("cloud");
            let is_replaced = |kind: &str| replaces_backend && !is_same_file && is_backend(kind);
            first.content.blocks.retain(|block| !is_replaced(&block.kind));
        }
        self.terraform.push(Declared { has_both: true, ..overriding });
    }

    /// Evaluates all declarations.
    pub(super) fn decode(self, reader: &mut Reader<'t>) -> ModuleConfig {
        let mut config = ModuleConfig::default();
        reader.terraform_blocks(self.terraform, &mut config);
        for (name, declared) in self.variables {
            let variable = reader.variable(&name, declared);
            config.variables.insert(name, variable);
        }
        config.locals = self.locals;
        for (name, declared) in self.outputs {
            config.outputs.extend(reader.output(declared).map(|output| (name, output)));
        }
        for (name, declared) in self.resources {
            let resource = reader.resource(name.mode, declared);
            config.resources.insert(name, resource);
        }
        for (name, declared) in self.calls {
            let call = reader.call(declared);
            config.calls.insert(name, call);
        }
        reader.provider_blocks(self.providers, &mut config);
        for (name, declared) in self.checks {
            let data = config.resources.iter().find(|(_, resource)| resource.check.as_ref() == Some(&name));
            let data = data.map(|(name, _)| name.clone());
            let check = reader.check(declared, data);
            config.checks.insert(name, check);
        }
        config.moved = self.moved.into_iter().filter_map(|declared| reader.moved(declared)).collect();
        config.removed = self.removed.into_iter().filter_map(|declared| reader.removed(declared)).collect();
        config.imports = self.imports.into_iter().filter_map(|declared| reader.import(declared)).collect();
        reader.refuse_second_imports(&config.imports);
        for (name, declared) in self.actions {
            let action = reader.action(declared);
            config.actions.insert(name, action);
        }
        reader.refuse_unknown_actions(&config);
        config
    }
}

fn action_name(declared: &Declared<'_>) -> ActionName {
    ActionName { action_type: declared.label(0), name: declared.label(1) }
}

fn blocks_of<'t>(file: &'t SourceFile, reader: &mut Reader<'_>) -> Vec<RawBlock<'t>> {
    let Some(body) = RawBody::of_file(file, &mut reader.problems) else { return Vec::new() };
    body.read(&FILE, &mut reader.problems).blocks
}

/// Adds a declaration. `what` has the parts of the error for a second one: the summary, the kind of block, the verb, and
/// the kind of names.
fn insert<'t>(
    all: &mut BTreeMap<SmolStr, Declared<'t>>,
    declared: Declared<'t>,
    (summary, article, made, names): (&'static str, &str, &str, &str),
    reader: &mut Reader<'_>,
) {
    let name = declared.label(0);
    if let Some(first) = all.get(&name) {
        let at = reader.place(first.header);
        let detail = format!(
            "{article} named {name:?} was already {made} at {at}. {names} must be unique within a module."
        );
        reader.problems.error(summary, declared.header, detail);
    }
    all.insert(name, declared);
}

fn insert_call<'t>(
    all: &mut BTreeMap<SmolStr, Declared<'t>>,
    declared: Declared<'t>,
    reader: &mut Reader<'_>,
) {
    let name = declared.label(0);
    if let Some(first) = all.get(&name) {
        let at = reader.place(first.header);
        let detail = format!(
            "A module call named {name:?} was already defined at {at}. Module calls must have unique names within a module."
        );
        reader.problems.error("Duplicate module call", declared.header, detail);
    }
    all.insert(name, declared);
}

fn merge_into<'t>(
    first: Option<&mut Declared<'t>>,
    declared: Declared<'t>,
    (kind, (summary, what)): (&str, (&'static str, &str)),
    reader: &mut Reader<'_>,
) {
    match first {
        Some(first) => first.merge(declared),
        None => {
            let detail = format!(
                "There is no {kind} named {:?}. An override file can only override {what} in a primary configuration file.",
                declared.label(0)
            );
            reader.problems.error(summary, declared.header, detail);
        }
    }
}

/// The alias of a provider block, if it is written out.
fn alias_text(declared: &Declared<'_>) -> Option<SmolStr> {
    let value = crate::eval::constant(&declared.content.attribute("alias")?.expr).ok()?;
    value.as_str().map(SmolStr::new)
}

impl Reader<'_> {
    /// Checks that a label may be a name.
    fn check_label(&mut self, declared: &Declared<'_>, index: usize, summary: &'static str) {
        if let Some(label) = declared.labels.get(index).filter(|label| !crate::syntax::is_name(&label.text)) {
            self.problems.error(summary, label.span, super::BAD_NAME);
        }
    }

    fn refuse_depends_on(&mut self, declared: &Declared<'_>) {
        let depends_on = declared.content.attribute("depends_on").map(|list| self.reference_list(&list.expr));
        if let Some(first) = depends_on.iter().flatten().next() {
            let detail = "The depends_on argument may not be overridden.";
            self.problems.error("Unsupported override", first.span, detail);
        }
    }

    /// A block of a resource, with its lifecycle.
    fn resource_block<'t>(&mut self, block: RawBlock<'t>, mode: Mode) -> Declared<'t> {
        let mut declared = Declared::new(block, shape_of(mode), self);
        self.check_label(&declared, 0, "Invalid resource type name");
        self.check_label(
            &declared,
            1,
            if mode == Mode::Managed { "Invalid resource name" } else { "Invalid data resource name" },
        );
        self.take_lifecycle(&mut declared);
        declared
    }

    fn overriding_resource_block<'t>(&mut self, block: RawBlock<'t>, mode: Mode) -> Declared<'t> {
        let mut declared = Declared::overriding(block, shape_of(mode), self);
        self.take_lifecycle(&mut declared);
        declared
    }

    fn take_lifecycle(&mut self, declared: &mut Declared<'_>) {
        let blocks = std::mem::take(&mut declared.content.blocks);
        for block in blocks {
            if block.kind != "lifecycle" {
                declared.content.blocks.push(block);
                continue;
            }
            if let Some((first, _)) = &declared.lifecycle {
                let detail =
                    format!("This resource already has a lifecycle block at {}.", self.place(*first));
                self.problems.error("Duplicate lifecycle block", block.header, detail);
                continue;
            }
            let content = block.body.read(&LIFECYCLE, &mut self.problems);
            declared.lifecycle = Some((block.header, content));
        }
    }
}

fn shape_of(mode: Mode) -> &'static Shape {
    if mode == Mode::Managed { &RESOURCE } else { &DATA }
}
