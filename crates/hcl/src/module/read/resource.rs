//! `resource`, `data` and `ephemeral` blocks.

use objchange::address::Mode;
use objchange::change::IgnoreChanges;
use objchange::value::{Path, PathStep};

use super::super::declarations::{LifecycleConfig, ProvisionerConfig, ResourceConfig};
use super::Reader;
use super::collect::Declared;
use super::references::keyword;
use crate::decode::body::ConfigBody;
use crate::decode::raw::{Content, RawBlock};
use crate::decode::shape::PROVISIONER;
use crate::syntax::ast::{Body, Expr, ExprKind, StepKind};
use crate::walk::{Reference, variables};
use objchange_text::Span;

impl Reader<'_> {
    pub(super) fn resource(&mut self, mode: Mode, mut declared: Declared<'_>) -> ResourceConfig {
        self.refuse_count_with_for_each(&declared);
        let content = &declared.content;
        let expr = |name: &str| content.attribute(name).map(|attribute| attribute.expr.clone());
        let (count, for_each) = (expr("count"), expr("for_each"));
        let provider = expr("provider").and_then(|provider| self.provider_ref(&provider, "provider"));
        let depends_on = expr("depends_on").map(|list| self.reference_list(&list)).unwrap_or_default();
        let lifecycle = match declared.lifecycle.take() {
            Some((_, content)) => self.lifecycle(mode, content),
            None => LifecycleConfig::default(),
        };
        self.refuse_enabled_with_repetition(&declared, lifecycle.enabled.as_ref());
        let mut connection: Option<(Span, ConfigBody)> = None;
        let mut provisioners = Vec::new();
        for block in std::mem::take(&mut declared.content.blocks) {
            match &*block.kind {
                "connection" => match &connection {
                    Some((first, _)) => {
                        let at = self.place(*first);
                        let detail = format!("This resource already has a connection block at {at}.");
                        self.problems.error("Duplicate connection block", block.header, detail);
                    }
                    None => connection = Some((block.header, ConfigBody::whole(block.body))),
                },
                "provisioner" => provisioners.extend(self.provisioner(block)),
                // Arguments whose names mean something to Terraform too.
                "_" => declared.overrides.extend(ConfigBody::whole(block.body).into_parts()),
                kind => {
                    let what = if mode == Mode::Data { "data" } else { "resource" };
                    let detail = format!(
                        "The block type name {kind:?} is reserved for use by Terraform in a future version."
                    );
                    let summary = format!("Reserved block type name in {what} block");
                    self.problems.error(
                        ("reserved_block_type_name_in_what_block", summary),
                        block.kind_span,
                        detail,
                    );
                }
            }
        }
        self.refuse_other_objects(&provisioners, connection.as_ref().map(|(_, body)| body));
        self.refuse_own_conditions(mode, [&declared.label(0), &declared.label(1)], &lifecycle);
        ResourceConfig {
            header: declared.header,
            type_span: declared.labels.first().map_or(declared.header, |label| label.span),
            body: ConfigBody::new(declared.parts()),
            count,
            for_each,
            provider,
            depends_on,
            lifecycle,
            provisioners,
            connection: connection.map(|(_, body)| body),
            check: declared.check,
        }
    }

    /// `count` and `for_each` in one block.
    pub(super) fn refuse_count_with_for_each(&mut self, declared: &Declared<'_>) {
        let for_each = declared.content.attribute("for_each").filter(|_| declared.has_both);
        if let Some(for_each) = for_each {
            let detail = "The \"count\" and \"for_each\" meta-arguments are mutually-exclusive, only one should be used to be \
                          explicit about the number of resources to be created.";
            let summary = "Invalid combination of \"count\" and \"for_each\"";
            self.problems.error(summary, for_each.name_span, detail);
        }
    }

    /// Refuses conditions of a resource that refer to it by its address.
    fn refuse_own_conditions(
        &mut self,
        mode: Mode,
        [resource_type, name]: [&str; 2],
        lifecycle: &LifecycleConfig,
    ) {
        let (keyword, prefix) = match mode {
            Mode::Managed => ("resource", ""),
            Mode::Data => ("data", "data."),
            Mode::Ephemeral => ("ephemeral", "ephemeral."),
        };
        let is_own = |reference: &Reference<'_>| {
            let attribute = |position| reference.attribute(position).map(|attribute| &**attribute);
            let is_named =
                |first| attribute(first) == Some(resource_type) && attribute(first + 1) == Some(name);
            *reference.name == keyword && is_named(0)
                || mode == Mode::Managed && *reference.name == resource_type && attribute(0) == Some(name)
        };
        let preconditions =
            lifecycle.preconditions.iter().map(|one| ("Invalid reference in precondition", one));
        let postconditions =
            lifecycle.postconditions.iter().map(|one| ("Invalid reference in postcondition", one));
        for (summary, condition) in preconditions.chain(postconditions) {
            for expr in [&condition.condition, &condition.error_message] {
                if variables(expr).iter().any(is_own) {
                    let detail =
                        format!("Configuration for {prefix}{resource_type}.{name} may not refer to itself.");
                    self.problems.error(summary, expr.span, detail);
                }
            }
        }
    }

    pub(super) fn provisioner(&mut self, block: RawBlock<'_>) -> Option<ProvisionerConfig> {
        let label = block.labels.into_iter().next()?;
        if matches!(&*label.text, "chef" | "habitat" | "puppet" | "salt-masterless") {
            let summary = format!("The {:?} provisioner has been removed", &*label.text);
            let detail = format!(
                "The {:?} provisioner was deprecated in Terraform 0.13.4 has been removed from Terraform. Visit \
                 https://learn.hashicorp.com/collections/terraform/provision for alternatives to using provisioners that are a \
                 better fit for the Terraform workflow.",
                &*label.text
            );
            self.problems.error(("the_kind_provisioner_has_been_removed", summary), block.header, detail);
            return None;
        }
        let content = block.body.read(&PROVISIONER, &mut self.problems);
        let is_at_destroy = content.attribute("when").is_some_and(|when| {
            let words = ["create", "destroy"];
            self.one_of(&when.expr, "Invalid \"when\" keyword", "when", words) == Some("destroy")
        });
        if let Some(on_failure) = content.attribute("on_failure") {
            let words = ["continue", "fail"];
            self.one_of(&on_failure.expr, "Invalid \"on_failure\" keyword", "on_failure", words);
        }
        let mut connection: Option<(Span, ConfigBody)> = None;
        for block in content.blocks {
            match (&*block.kind, &connection) {
                ("connection", Some((first, _))) => {
                    let at = self.place(*first);
                    let detail = format!("This provisioner already has a connection block at {at}.");
                    self.problems.error("Duplicate connection block", block.header, detail);
                }
                ("connection", None) => connection = Some((block.header, ConfigBody::whole(block.body))),
                ("lifecycle", _) => {
                    let detail = "The block type name \"lifecycle\" is reserved for use by Terraform in a future version.";
                    let summary = "Reserved block type name in provisioner block";
                    self.problems.error(summary, block.kind_span, detail);
                }
                _ => {}
            }
        }
        let body = ConfigBody::new(vec![content.rest]);
        let connection = connection.map(|(_, body)| body);
        Some(ProvisionerConfig { kind: label.text, kind_span: label.span, body, connection, is_at_destroy })
    }

    /// The word that an expression is, of two; in quotes with a warning.
    fn one_of<'w>(
        &mut self,
        expr: &Expr,
        summary: &'static str,
        argument: &str,
        words: [&'w str; 2],
    ) -> Option<&'w str> {
        let quoted = match &expr.kind {
            ExprKind::Text(text) => text.as_str(),
            _ => None,
        };
        if quoted.is_some() {
            let detail = "In this context, keywords are expected literally rather than in quotes. Terraform 0.11 and earlier \
                          required quotes, but quoted keywords are now deprecated and will be removed in a future version \
                          of Terraform. Remove the quotes surrounding this keyword to silence this warning.";
            self.problems.warning("Quoted keywords are deprecated", expr.span, detail);
        }
        let word = quoted.or_else(|| keyword(expr));
        let found = words.into_iter().find(|known| Some(*known) == word);
        if found.is_none() && !matches!(expr.kind, ExprKind::Missing) {
            let [one, other] = words;
            let detail = format!(
                "The {argument:?} argument requires one of the following keywords: {one} or {other}."
            );
            self.problems.error(summary, expr.span, detail);
        }
        found
    }

    /// Refuses references of provisioners that run when the object is gone, and of their connections, to anything else.
    pub(super) fn refuse_other_objects(
        &mut self,
        provisioners: &[ProvisionerConfig],
        connection: Option<&ConfigBody>,
    ) {
        let at_destroy = provisioners.iter().filter(|provisioner| provisioner.is_at_destroy);
        let at_destroy: Vec<&ProvisionerConfig> = at_destroy.collect();
        if at_destroy.is_empty() {
            return;
        }
        let bodies = at_destroy.iter().flat_map(|one| std::iter::once(&one.body).chain(&one.connection));
        for body in bodies.chain(connection) {
            self.refuse_other_objects_in(&body.generic());
        }
    }

    fn refuse_other_objects_in(&mut self, body: &Body) {
        for reference in body.attributes.iter().flat_map(|attribute| variables(&attribute.expr)) {
            let is_allowed = matches!(
                (&**reference.name, reference.first_attribute().map(|name| &**name)),
                ("self" | "path" | "terraform", _) | ("count", Some("index")) | ("each", Some("key"))
            );
            if !is_allowed {
                let detail = "Destroy-time provisioners and their connection configurations may only reference attributes of \
                              the related resource, via 'self', 'count.index', or 'each.key'.\n\nReferences to other \
                              resources during the destroy phase can cause dependency cycles and interact poorly with \
                              create_before_destroy.";
                let summary = "Invalid reference from destroy provisioner";
                self.problems.error(summary, reference.whole(), detail);
            }
        }
        body.blocks.iter().for_each(|block| self.refuse_other_objects_in(&block.body));
    }

    fn lifecycle(&mut self, mode: Mode, content: Content<'_>) -> LifecycleConfig {
        let enabled = content.attribute("enabled").map(|attribute| attribute.expr.clone());
        let mut lifecycle = LifecycleConfig { enabled, ..LifecycleConfig::default() };
        if mode == Mode::Managed {
            lifecycle.create_before_destroy = self.bool(&content, "create_before_destroy");
            // Terraform needs both before it evaluates anything, so they must be literals.
            match content.attribute("prevent_destroy").filter(|attribute| {
                self.problems.edition.is_opentofu() && !variables(&attribute.expr).is_empty()
            }) {
                Some(attribute) => lifecycle.prevents_destroy = Some(attribute.expr.clone()),
                None => lifecycle.prevent_destroy = self.bool(&content, "prevent_destroy").unwrap_or(false),
            }
            lifecycle.forgets = self.bool(&content, "destroy") == Some(false);
            if let Some(attribute) = content.attribute("ignore_changes") {
                self.ignore_changes(&attribute.expr, &mut lifecycle);
            }
            if let Some(attribute) = content.attribute("replace_triggered_by") {
                lifecycle.replace_triggered_by = self.triggers(&attribute.expr);
            }
        } else {
            self.refuse_lifecycle_arguments(mode, &content);
        }
        for block in content.blocks {
            let is_precondition = block.kind == "precondition";
            if block.kind == "action_trigger" {
                match mode {
                    Mode::Managed => lifecycle.action_triggers.push(self.action_trigger(block)),
                    Mode::Data | Mode::Ephemeral => self.refuse_action_trigger(mode, &block),
                }
                continue;
            }
            if !is_precondition && block.kind != "postcondition" {
                continue;
            }
            let condition = self.condition(block, None);
            let conditions =
                if is_precondition { &mut lifecycle.preconditions } else { &mut lifecycle.postconditions };
            conditions.extend(condition);
        }
        lifecycle
    }

    fn refuse_lifecycle_arguments(&mut self, mode: Mode, content: &Content<'_>) {
        let kind = if mode == Mode::Data { "data" } else { "ephemeral" };
        for attribute in content.attributes.iter().filter(|attribute| attribute.name != "enabled") {
            let name = &attribute.name;
            let detail = format!(
                "The lifecycle argument {name:?} is defined only for managed resources (\"resource\" blocks), and is not valid \
                 for {kind} resources."
            );
            let summary = format!("Invalid {kind} resource lifecycle argument");
            self.problems.error(
                ("invalid_kind_resource_lifecycle_argument", summary),
                attribute.name_span,
                detail,
            );
        }
    }

    fn ignore_changes(&mut self, expr: &Expr, lifecycle: &mut LifecycleConfig) {
        // Only a bare `all` is the keyword; in `[all]` it is an attribute.
        if keyword(expr) == Some("all") {
            lifecycle.ignore_changes = IgnoreChanges::All;
            return;
        }
        let mut paths = Vec::new();
        let (stars, others): (Vec<&Expr>, Vec<&Expr>) =
            self.list(expr).iter().partition(|item| is_star(item));
        for _ in &stars {
            // "is was" is Terraform's wording.
            let detail = "The [\"*\"] form of ignore_changes wildcard is was deprecated and is now invalid. Use \
                          \"ignore_changes = all\" to ignore changes to all attributes.";
            self.problems.error("Invalid ignore_changes wildcard", expr.span, detail);
        }
        for item in others {
            let Some(item) = self.reference(item) else { continue };
            paths.extend(path(&item));
            lifecycle.ignore_changes_spans.push(item.span);
        }
        if let Some(star) = stars.first().filter(|_| !paths.is_empty()) {
            let detail = "Cannot mix wildcard string \"*\" with non-wildcard references.";
            self.problems.error("Invalid ignore_changes ruleset", star.span, detail);
        }
        lifecycle.ignore_changes = IgnoreChanges::Paths(paths);
    }

    /// The expressions of `replace_triggered_by`, as far as nothing is wrong with them.
    fn triggers(&mut self, expr: &Expr) -> Vec<Expr> {
        let mut triggers = Vec::new();
        for item in self.list(expr) {
            // Terraform stops at the first wrong trigger.
            if matches!(item.kind, ExprKind::Missing) || !self.is_trigger(item) {
                break;
            }
            triggers.push(item.clone());
        }
        triggers
    }

    fn is_trigger(&mut self, item: &Expr) -> bool {
        let before = self.problems.errors.len();
        let mut resources = 0;
        for reference in &variables(item) {
            match (&**reference.name, reference.first_attribute().map(|name| &**name)) {
                ("count", Some("index")) | ("each", Some("key")) => {}
                // That no change is planned for it is seen while planning.
                ("data", Some(_)) if reference.attribute(1).is_some() => resources += 1,
                (name, Some(_)) if !is_reserved(name) => resources += 1,
                _ => {
                    let detail =
                        "Only resources, count.index, and each.key may be used in replace_triggered_by.";
                    let summary = "Invalid reference in replace_triggered_by expression";
                    self.problems.error(summary, reference.whole(), detail);
                }
            }
        }
        let how_many = match resources {
            1 => return self.problems.errors.len() == before,
            0 => "Missing resource reference",
            _ => "Multiple resource references",
        };
        let detail = format!("{how_many} in replace_triggered_by expression.");
        self.problems.error("Invalid replace_triggered_by expression", item.span, detail);
        false
    }
}

/// Whether an expression is `"*"`, which once stood for all attributes.
fn is_star(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Text(text) if text.as_str() == Some("*"))
}

/// Whether the first name of a reference is a keyword rather than a resource type.
fn is_reserved(name: &str) -> bool {
    matches!(name, "var" | "local" | "data" | "module" | "path" | "terraform" | "self" | "count" | "each")
}

/// The part of the object that a reference means.
fn path(expr: &Expr) -> Option<Path> {
    let ExprKind::Variable(variable) = &expr.kind else { return None };
    let steps = variable.steps.iter().map(|step| match &step.kind {
        StepKind::Attribute(name) => PathStep::Attribute(name.clone()),
        StepKind::Index(key) => PathStep::Index(key.clone()),
    });
    Some(std::iter::once(PathStep::Attribute(variable.name.clone())).chain(steps).collect())
}
