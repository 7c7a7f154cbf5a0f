//! The document of a plan without its secrets, for sending to others.

use std::sync::Arc;

use objchange_text::json::{Node, NodeKind};
use objchange_text::redact::{SENSITIVE, SHORT, Secrets};
use serde_json::Value as Json;

use super::name_marks::name_marks;
use super::nodes::{elements, member, text_of};
use super::schema_marks::{Edit, invocations, marks_of, united, with_edits};
use super::{ConfigMarks, DocumentError, HiddenNames, Plan};
use crate::json::{Shape, View};
use crate::mask::MaskedNames;

/// The member that says that values were taken out: nothing may be decided by what is left.
pub(super) const REDACTED: &str = "redacted";

/// The text of a plan in which `"(sensitive value)"` stands for each sensitive value, and for its text wherever else a value
/// repeats it. `document` is the parsed text.
///
/// Null stays null, and a value that changes to another becomes `"(another sensitive value)"`, so that it still shows what is
/// created, changed and removed. Marks of both sides of a change count for both. Without the configuration nobody knows which variables are sensitive, so all
/// are hidden. Constants in the configuration of providers, provisioners and connections have no marks in any document: they
/// are hidden, too. [`ConfigMarks`] says which other constants of the configuration are.
///
/// # Errors
///
/// The marks in a section cannot be read.
pub(super) fn redacted(plan: &Plan<'_>, document: &Node<'_>) -> Result<String, DocumentError> {
    let (text, marks) = (plan.text(), ConfigMarks::new(plan)?);
    let names = plan.masked_names();
    let mut hiding = Hiding {
        text,
        marks: &marks,
        names,
        edits: Vec::new(),
        secrets: Secrets::default(),
        values: Vec::new(),
    };
    hiding.document(document);
    let mut edits = std::mem::take(&mut hiding.edits);
    // A nested range would be cut twice.
    edits.sort_by_key(|edit| (edit.start, std::cmp::Reverse(edit.end)));
    let mut end = 0;
    edits.retain(|edit| {
        let is_outside = edit.start >= end;
        end = end.max(edit.end);
        is_outside
    });
    let hidden: Vec<(usize, usize)> = edits.iter().map(|edit| (edit.start, edit.end)).collect();
    let is_hidden = |start: usize| {
        let before = hidden.partition_point(|(begin, _)| *begin <= start);
        before.checked_sub(1).and_then(|i| hidden.get(i)).is_some_and(|(_, end)| start < *end)
    };
    if !hiding.secrets.is_empty() {
        for value in &hiding.values {
            mask(value, &hiding.secrets, &is_hidden, &mut edits);
        }
    }
    let start = document.span.start as usize + 1;
    let comma =
        if matches!(&document.kind, NodeKind::Object(members) if members.is_empty()) { "" } else { "," };
    edits.push(Edit { start, end: start, text: format!("\"{REDACTED}\":true{comma}") });
    Ok(with_edits(text, edits))
}

/// The text for a sensitive value that differs from the one before.
const ANOTHER: &str = "(another sensitive value)";

struct Hiding<'n, 't> {
    text: &'n str,
    marks: &'n ConfigMarks<'n>,
    names: &'n MaskedNames,
    edits: Vec<Edit>,
    secrets: Secrets,
    /// The parts of the document that hold values, messages and source text. Names elsewhere are never secret.
    values: Vec<&'n Node<'t>>,
}

impl<'n, 't> Hiding<'n, 't> {
    fn document(&mut self, document: &'n Node<'t>) {
        let deferred = elements(member(document, "deferred_changes"));
        let deferred = deferred.filter_map(|deferred| member(deferred, "resource_change"));
        let lists = ["resource_changes", "resource_drift"].map(|list| elements(member(document, list)));
        for resource in lists.into_iter().flatten().chain(deferred) {
            if let Some(change) = member(resource, "change") {
                self.change(change, self.stated(resource));
            }
        }
        for (name, output) in named(member(document, "output_changes")) {
            self.change(output, stated(self.marks.stated().output_view(name)));
        }
        let prior = member(document, "prior_state").and_then(|state| member(state, "values"));
        for values in [member(document, "planned_values"), prior].into_iter().flatten() {
            named(member(values, "outputs")).for_each(|(name, output)| self.output(name, output));
            if let Some(root) = member(values, "root_module") {
                self.module(root);
            }
        }
        for invocation in invocations(document) {
            let marks = member(invocation, "config_sensitive").map_or(Json::Null, marks_of);
            self.value(member(invocation, "config_values"), &marks);
        }
        for relevant in elements(member(document, "relevant_attributes")) {
            let address = text_of(relevant, "resource").unwrap_or_default();
            let hidden = self.marks.of_instance(address);
            if let (Some(path), Some(hidden)) = (member(relevant, "attribute"), hidden) {
                self.path(path, Below::Names(&hidden));
            }
        }
        self.values.extend(member(document, "checks"));
        let configuration = member(document, "configuration");
        let root = configuration.and_then(|configuration| member(configuration, "root_module"));
        self.variables(member(document, "variables"), root);
        for provider in
            members(configuration.and_then(|configuration| member(configuration, "provider_config")))
        {
            self.constants(provider);
        }
        if let Some(root) = root {
            self.configured(root, self.marks.configuration().get("root_module"), "");
        }
    }

    /// The marks of the object of this entry in all sections of the plan: not all that repeat a value repeat its marks.
    fn stated(&self, resource: &Node<'_>) -> Json {
        stated(self.marks.stated().view(text_of(resource, "address").unwrap_or_default()))
    }

    /// A change of a resource or an output, of which other sections mark this.
    fn change(&mut self, change: &'n Node<'t>, stated: Json) {
        let marks = |name: &str| member(change, name).map_or(Json::Null, marks_of);
        let marks = united(united(marks("before_sensitive"), marks("after_sensitive")), stated);
        for path in elements(member(change, "replace_paths")) {
            self.path(path, Below::Marks(vec![&marks]));
        }
        let before = member(change, "before");
        self.value(before, &marks);
        if let Some(after) = member(change, "after") {
            self.values.push(after);
            self.marked(after, before, &marks);
        }
        let import = member(change, "importing");
        let id = import.and_then(|import| member(import, "id"));
        self.values.extend([id, member(change, "generated_config")].into_iter().flatten());
        self.identity(import.and_then(|import| member(import, "identity")));
        self.identity(member(change, "before_identity"));
        self.identity(member(change, "after_identity"));
    }

    /// The steps of a path that lead into a sensitive value: keys of it are as sensitive as it is.
    fn path(&mut self, path: &Node<'_>, mut marks: Below<'_>) {
        for step in elements(Some(path)) {
            if marks.is_all() {
                let (start, end) = (step.span.start as usize, step.span.end as usize);
                self.edits.push(Edit { start, end, text: format!("\"{SENSITIVE}\"") });
            } else if let Some(below) = marks.below(step) {
                marks = below;
            } else {
                return;
            }
        }
    }

    /// An identity, which has no marks.
    fn identity(&mut self, identity: Option<&'n Node<'t>>) {
        let marks = identity.map_or(Json::Null, |identity| name_marks(self.names, identity));
        self.value(identity, &marks);
    }

    fn output(&mut self, name: &str, output: &'n Node<'t>) {
        let marks = member(output, "sensitive").map_or(Json::Null, marks_of);
        let marks = united(marks, stated(self.marks.stated().output_view(name)));
        self.value(member(output, "value"), &marks);
    }

    /// The reader bounds how deep modules nest.
    fn module(&mut self, module: &'n Node<'t>) {
        for resource in elements(member(module, "resources")) {
            let marks = member(resource, "sensitive_values").map_or(Json::Null, marks_of);
            let marks = united(marks, self.stated(resource));
            self.value(member(resource, "values"), &marks);
            self.identity(member(resource, "identity"));
        }
        elements(member(module, "child_modules")).for_each(|child| self.module(child));
    }

    fn variables(&mut self, variables: Option<&'n Node<'t>>, root: Option<&'n Node<'t>>) {
        let declared = root.and_then(|root| member(root, "variables"));
        let Some(Node { kind: NodeKind::Object(variables), .. }) = variables else { return };
        for variable in variables.iter() {
            let declaration = declared.and_then(|declared| member(declared, &variable.name));
            let is_open = declaration.is_some_and(|declaration| !is_secret(declaration));
            self.value(member(&variable.value, "value"), &Json::Bool(!is_open));
        }
    }

    /// A module in the configuration, and those that it calls. `view` is that module; `prefix` begins the addresses in it.
    fn configured(&mut self, module: &'n Node<'t>, view: Option<View<'_, '_>>, prefix: &str) {
        for variable in members(member(module, "variables")) {
            self.value(member(variable, "default"), &Json::Bool(is_secret(variable)));
        }
        for output in members(member(module, "outputs")) {
            if is_secret(output) {
                self.constants(output);
            }
            self.values.extend(member(output, "expression"));
        }
        let mut views =
            view.and_then(|view| view.get("resources")).into_iter().flat_map(|all| all.elements().iter());
        for resource in elements(member(module, "resources")) {
            let address = format!("{prefix}{}", text_of(resource, "address").unwrap_or_default());
            match views.next() {
                Some(view) => self.block(resource, view, self.marks.of_resource(&address)),
                // A document that has a member twice is read in two ways.
                None => self.constants(resource),
            }
            elements(member(resource, "provisioners")).for_each(|provisioner| self.constants(provisioner));
        }
        let Some(Node { kind: NodeKind::Object(calls), .. }) = member(module, "module_calls") else { return };
        for call in calls.iter() {
            let view = view.and_then(|view| view.get("module_calls")?.get(&call.name));
            match view {
                Some(view) => self.block(&call.value, view, HiddenNames::of_arguments(view)),
                None => self.constants(&call.value),
            }
            if let Some(called) = member(&call.value, "module") {
                let view = view.and_then(|view| view.get("module"));
                self.configured(called, view, &format!("{prefix}module.{}.", call.name));
            }
        }
    }

    /// The expressions of a resource or a call, with the constants of it to hide.
    fn block(&mut self, block: &'n Node<'t>, view: View<'_, '_>, hidden: Option<Arc<HiddenNames>>) {
        for (name, hidden) in
            [("expressions", hidden), ("count_expression", None), ("for_each_expression", None)]
        {
            if let Some(expressions) = member(block, name) {
                self.values.push(expressions);
                if let Some(names) = self.marks.masking(hidden, view.get(name)) {
                    self.expressions(expressions, &names);
                }
            }
        }
    }

    /// Hides the constants of these names. All else are names of what is referred to, which are not secret.
    fn expressions(&mut self, node: &Node<'_>, names: &HiddenNames) {
        match &node.kind {
            NodeKind::Object(members) => {
                for member in members.iter() {
                    match &*member.name {
                        "constant_value" => self.constant(&member.value, names),
                        name => {
                            if let Some(names) = names.below(name) {
                                self.expressions(&member.value, names);
                            }
                        }
                    }
                }
            }
            NodeKind::Array(elements) => elements.iter().for_each(|element| self.expressions(element, names)),
            _ => {}
        }
    }

    fn constant(&mut self, node: &Node<'_>, names: &HiddenNames) {
        match &node.kind {
            _ if names.has_all() => self.hide(node, None),
            NodeKind::Object(members) => {
                for member in members.iter() {
                    if let Some(names) = names.below(&member.name) {
                        self.constant(&member.value, names);
                    }
                }
            }
            NodeKind::Array(elements) => elements.iter().for_each(|element| self.constant(element, names)),
            _ => {}
        }
    }

    /// Hides all constants in expressions.
    fn constants(&mut self, node: &'n Node<'t>) {
        match &node.kind {
            NodeKind::Array(elements) => elements.iter().for_each(|element| self.constants(element)),
            NodeKind::Object(members) => {
                for member in members.iter() {
                    match &*member.name {
                        "constant_value" => self.hide(&member.value, None),
                        _ => self.constants(&member.value),
                    }
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, value: Option<&'n Node<'t>>, marks: &Json) {
        if let Some(value) = value {
            self.values.push(value);
            self.marked(value, None, marks);
        }
    }

    /// Hides the marked parts of a value; `before` is that part before the change.
    fn marked(&mut self, value: &Node<'_>, before: Option<&Node<'_>>, marks: &Json) {
        match (&value.kind, marks) {
            (_, Json::Bool(true)) => self.hide(value, before),
            (NodeKind::Object(members), Json::Object(marks)) => {
                for member in members.iter() {
                    if let Some(marks) = marks.get(&*member.name) {
                        let before = before.and_then(|before| self::member(before, &member.name));
                        self.marked(&member.value, before, marks);
                    }
                }
            }
            (NodeKind::Array(items), Json::Array(marks)) => {
                let mut earlier = elements(before);
                for (element, marks) in std::iter::zip(items.iter(), marks) {
                    self.marked(element, earlier.next(), marks);
                }
            }
            // Marks that do not fit the value cover all of it, if they say anything.
            (_, marks) => {
                if has_mark(marks) {
                    self.hide(value, before);
                }
            }
        }
    }

    fn hide(&mut self, value: &Node<'_>, before: Option<&Node<'_>>) {
        if matches!(value.kind, NodeKind::Null) {
            return;
        }
        learn(value, &mut self.secrets);
        let text = |node: &Node<'_>| &self.text[node.span.range()];
        let differs = before
            .is_some_and(|before| !matches!(before.kind, NodeKind::Null) && text(before) != text(value));
        let shown = if differs { ANOTHER } else { SENSITIVE };
        let (start, end) = (value.span.start as usize, value.span.end as usize);
        self.edits.push(Edit { start, end, text: format!("\"{shown}\"") });
    }
}

/// The marks at a place of an object: those of a change, of all elements on the way, or those of all instances of a resource.
enum Below<'m> {
    Marks(Vec<&'m Json>),
    Names(&'m HiddenNames),
}

impl Below<'_> {
    fn is_all(&self) -> bool {
        match self {
            Self::Marks(marks) => marks.iter().any(|marks| **marks == Json::Bool(true)),
            Self::Names(names) => names.has_all(),
        }
    }

    fn below(self, step: &Node<'_>) -> Option<Self> {
        match (self, &step.kind) {
            (Self::Marks(marks), NodeKind::String(name)) => {
                Some(Self::Marks(marks.iter().filter_map(|marks| marks.get(&**name)).collect()))
            }
            // Elements of a set have no numbers.
            (Self::Marks(marks), _) => {
                Some(Self::Marks(marks.iter().filter_map(|marks| marks.as_array()).flatten().collect()))
            }
            (Self::Names(names), NodeKind::String(name)) => names.below(name).map(Self::Names),
            (Self::Names(names), _) => Some(Self::Names(names)),
        }
    }
}

fn is_secret(declaration: &Node<'_>) -> bool {
    ["sensitive", "ephemeral"]
        .iter()
        .any(|name| member(declaration, name).is_some_and(|flag| has_mark(&marks_of(flag))))
}

fn has_mark(marks: &Json) -> bool {
    match marks {
        Json::Bool(is_marked) => *is_marked,
        Json::Array(marks) => marks.iter().any(has_mark),
        Json::Object(marks) => marks.values().any(has_mark),
        _ => false,
    }
}

/// The values of the members of an object.
fn members<'n, 't>(node: Option<&'n Node<'t>>) -> impl Iterator<Item = &'n Node<'t>> + use<'n, 't> {
    named(node).map(|(_, value)| value)
}

/// The members of an object, with their names.
fn named<'n, 't>(node: Option<&'n Node<'t>>) -> impl Iterator<Item = (&'n str, &'n Node<'t>)> + use<'n, 't> {
    let members = match node.map(|node| &node.kind) {
        Some(NodeKind::Object(members)) => &members[..],
        _ => &[],
    };
    members.iter().map(|member| (&*member.name, &member.value))
}

/// The marks that a view of them has.
fn stated(marks: Option<View<'_, '_>>) -> Json {
    let Some(marks) = marks else { return Json::Null };
    match marks.shape() {
        Shape::Null => Json::Null,
        Shape::Bool(is_marked) => Json::Bool(is_marked),
        Shape::Array(marks) => marks.iter().map(|mark| stated(Some(mark))).collect(),
        Shape::Object(_) => {
            let marks = marks.members();
            marks.iter().map(|(name, mark)| (name.to_owned(), stated(Some(mark)))).collect()
        }
        Shape::Number(_) | Shape::String(_) => Json::Bool(true),
    }
}

/// Learns the texts in a secret. Short ones are part of too much other text.
fn learn(value: &Node<'_>, secrets: &mut Secrets) {
    match &value.kind {
        NodeKind::String(text) if text.len() >= SHORT => secrets.add(text),
        NodeKind::Number(text) if text.len() >= SHORT => secrets.add(text),
        NodeKind::Array(elements) => elements.iter().for_each(|element| learn(element, secrets)),
        NodeKind::Object(members) => members.iter().for_each(|member| learn(&member.value, secrets)),
        _ => {}
    }
}

/// Masks the secrets in the strings and numbers of a value, and in the names of its members.
fn mask(value: &Node<'_>, secrets: &Secrets, is_hidden: &dyn Fn(usize) -> bool, edits: &mut Vec<Edit>) {
    let start = value.span.start as usize;
    if is_hidden(start) {
        return;
    }
    let mut replace = |span: objchange_text::Span, text: &str| {
        let masked = secrets.redact(text);
        if masked != text {
            let text = serde_json::Value::from(&*masked).to_string();
            edits.push(Edit { start: span.start as usize, end: span.end as usize, text });
        }
    };
    match &value.kind {
        NodeKind::String(text) => replace(value.span, text),
        NodeKind::Number(text) => replace(value.span, text),
        NodeKind::Array(elements) => {
            elements.iter().for_each(|element| mask(element, secrets, is_hidden, edits));
        }
        NodeKind::Object(members) => {
            for member in members.iter() {
                replace(member.name_span, &member.name);
            }
            members.iter().for_each(|member| mask(&member.value, secrets, is_hidden, edits));
        }
        NodeKind::Null | NodeKind::Bool(_) => {}
    }
}
