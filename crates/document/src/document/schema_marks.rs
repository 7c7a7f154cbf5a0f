//! Writes marks into the text of a document, so that every reader hides the values that schemas call sensitive, and those of
//! masked names.

use objchange::schema::{Attribute, Block, NestingMode, SchemaDocumentError};
use objchange_text::json::{Node, NodeKind, Reader};
use serde_json::{Map, Value as Json, json};

use super::Schemas;
use super::flat::nested;
use super::name_marks::{any_mark, name_marks, paths_of};
use super::nodes::{elements, member, text_of};
use crate::mask::MaskedNames;

/// Adds marks to the text of a document for all values that schemas call sensitive or write-only, or whose names are masked;
/// `None` if none was missing. State files and documents of older or other programs may lack them. `document` is the parsed
/// text.
///
/// # Errors
///
/// The schema of one of its types cannot be read.
pub(super) fn with_marks(
    text: &str,
    document: &Node<'_>,
    schemas: Option<&Schemas>,
    names: &MaskedNames,
) -> Result<Option<String>, SchemaDocumentError> {
    let mut marking = Marking { text, schemas, names, edits: Vec::new() };
    for section in ["resource_changes", "resource_drift"] {
        elements(member(document, section)).try_for_each(|resource| marking.changed(resource))?;
    }
    let deferred = elements(member(document, "deferred_changes"));
    let mut deferred = deferred.filter_map(|deferred| member(deferred, "resource_change"));
    deferred.try_for_each(|one| marking.changed(one))?;
    let prior = member(document, "prior_state").and_then(|state| member(state, "values"));
    for values in
        [member(document, "planned_values"), prior, member(document, "values")].into_iter().flatten()
    {
        marking.outputs(member(values, "outputs"));
        if let Some(root) = member(values, "root_module") {
            marking.module(root)?;
        }
    }
    invocations(document).try_for_each(|one| marking.invoked(one))?;
    elements(member(document, "resources")).try_for_each(|resource| marking.stored(resource))?;
    marking.outputs(member(document, "outputs"));
    marking.changed_outputs(member(document, "output_changes"));
    let configuration = member(document, "configuration");
    if let Some(root) = configuration.and_then(|configuration| member(configuration, "root_module")) {
        marking.declared(root, member(document, "variables"));
    }
    Ok(marking.applied_to(text))
}

/// The sides of a change, with their marks.
const SIDES: [(&str, &str); 2] = [("before", "before_sensitive"), ("after", "after_sensitive")];

/// Replaces a range of the document by a text. The range is empty where something is added.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

struct Marking<'s> {
    text: &'s str,
    schemas: Option<&'s Schemas>,
    names: &'s MaskedNames,
    edits: Vec<Edit>,
}

impl<'s> Marking<'s> {
    /// The schema of a resource, if anything of it is to be hidden.
    fn schema(&self, resource: &Node<'_>, provider: &str) -> Result<Option<&'s Block>, SchemaDocumentError> {
        let mode = text_of(resource, "mode").unwrap_or("managed");
        let (Some(schemas), Some(resource_type)) = (self.schemas, text_of(resource, "type")) else {
            return Ok(None);
        };
        let schema = schemas.of_type(provider, mode, resource_type)?;
        Ok(schema.filter(|schema| schema.has_hidden()))
    }

    /// The marks of a value, by its schema and by names; null where nothing is to be hidden.
    fn marks(&self, schema: Option<&Block>, value: &Node<'_>) -> Json {
        marks_with(schema, value, name_marks(self.names, value))
    }

    fn changed(&mut self, resource: &Node<'_>) -> Result<(), SchemaDocumentError> {
        let schema = self.schema(resource, provider_name(resource))?;
        if let Some(change) = member(resource, "change") {
            // A masked value that becomes unknown is in one of the sides alone. With its mark on that side only, the plan would
            // say that the value is no longer sensitive.
            let values = ["before", "after", "after_unknown"].map(|side| member(change, side));
            let of_names = values.into_iter().flatten().map(|value| name_marks(self.names, value));
            let of_names = of_names.filter(|marks| !marks.is_null()).reduce(united).unwrap_or(Json::Null);
            for (side, name) in SIDES {
                let value = member(change, side).filter(|value| !matches!(value.kind, NodeKind::Null));
                self.mark(change, name, value.map(|value| marks_with(schema, value, of_names.clone())));
            }
        }
        Ok(())
    }

    /// The reader bounds how deep modules nest.
    fn module(&mut self, module: &Node<'_>) -> Result<(), SchemaDocumentError> {
        for resource in elements(member(module, "resources")) {
            let schema = self.schema(resource, provider_name(resource))?;
            let marks = member(resource, "values").map(|values| self.marks(schema, values));
            self.mark(resource, "sensitive_values", marks);
        }
        elements(member(module, "child_modules")).try_for_each(|child| self.module(child))
    }

    fn invoked(&mut self, invocation: &Node<'_>) -> Result<(), SchemaDocumentError> {
        let schema = match (self.schemas, text_of(invocation, "type")) {
            (Some(schemas), Some(action_type)) => {
                schemas.of_type(provider_name(invocation), "action", action_type)?
            }
            _ => None,
        };
        let marks = member(invocation, "config_values").map(|values| self.marks(schema, values));
        self.mark(invocation, "config_sensitive", marks);
        Ok(())
    }

    /// A resource of a state file. It names paths, and each begins with the name of an attribute or block: where
    /// anything below that is sensitive, all of it is hidden.
    fn stored(&mut self, resource: &Node<'_>) -> Result<(), SchemaDocumentError> {
        // `module.a.provider["registry.terraform.io/hashicorp/aws"].east`
        let config = text_of(resource, "provider").unwrap_or_default();
        let provider = config.split('"').nth(1).unwrap_or_default();
        let schema = self.schema(resource, provider)?;
        let attributes = schema.into_iter().flat_map(Block::attributes);
        let attributes = attributes.filter(|(_, attribute)| attribute.has_hidden());
        let blocks = schema.into_iter().flat_map(Block::block_types);
        let blocks = blocks.filter(|(_, nested)| nested.block.has_hidden());
        let names: Vec<&str> =
            attributes.map(|(name, _)| name.as_str()).chain(blocks.map(|(name, _)| name.as_str())).collect();
        for instance in elements(member(resource, "instances")) {
            let is_object = |value: &&Node<'_>| matches!(value.kind, NodeKind::Object(_));
            let flat = member(instance, "attributes_flat").filter(is_object);
            let nested =
                flat.and_then(|flat| nested(&self.text[flat.span.start as usize..flat.span.end as usize]));
            let nested = nested.as_deref().and_then(|text| Node::read_all(Reader::new(text)).ok());
            let attributes = member(instance, "attributes").filter(is_object).or(nested.as_ref());
            let Some(attributes) = attributes else { continue };
            let is_there = |name: &&&str| member(attributes, name).is_some_and(|value| !is_empty(value));
            let path = |name: &&str| json!([{"type": "get_attr", "value": name}]);
            let mut paths: Vec<Json> = names.iter().filter(is_there).map(path).collect();
            paths.extend(paths_of(&name_marks(self.names, attributes)));
            if paths.is_empty() {
                continue;
            }
            match member(instance, "sensitive_attributes") {
                Some(Node { kind: NodeKind::Array(known), span }) => {
                    let own: Vec<String> = paths.iter().map(Json::to_string).collect();
                    let comma = if known.is_empty() { "" } else { "," };
                    self.insert(span.end as usize - 1, format!("{comma}{}", own.join(",")));
                }
                Some(other) => self.replace(other, Json::from(paths).to_string()),
                None => self.add(instance, "sensitive_attributes", &Json::from(paths)),
            }
        }
        Ok(())
    }

    /// Outputs of a state with masked names, or with such names in their values.
    fn outputs(&mut self, outputs: Option<&Node<'_>>) {
        for (name, output) in named(outputs) {
            if self.hides(name, member(output, "value")) {
                self.mark(output, "sensitive", Some(Json::Bool(true)));
            }
        }
    }

    fn changed_outputs(&mut self, outputs: Option<&Node<'_>>) {
        for (name, change) in named(outputs) {
            if SIDES.iter().any(|(side, _)| self.hides(name, member(change, side))) {
                for (_, marks) in SIDES {
                    self.mark(change, marks, Some(Json::Bool(true)));
                }
            }
        }
    }

    /// Variables and outputs that a module of the configuration declares. `values` are those of the variables of the root module.
    /// The reader bounds how deep modules nest.
    fn declared(&mut self, module: &Node<'_>, values: Option<&Node<'_>>) {
        for (name, variable) in named(member(module, "variables")) {
            let value =
                values.and_then(|values| member(values, name)).and_then(|value| member(value, "value"));
            if [member(variable, "default"), value].into_iter().any(|value| self.hides(name, value)) {
                self.declare(variable);
            }
        }
        for (name, output) in named(member(module, "outputs")) {
            let expression = member(output, "expression");
            if self.hides(name, expression.and_then(|expression| member(expression, "constant_value"))) {
                self.declare(output);
            }
        }
        for (_, call) in named(member(module, "module_calls")) {
            if let Some(called) = member(call, "module") {
                self.declared(called, None);
            }
        }
    }

    /// Declares a variable or an output as sensitive. Its declaration may be an empty object.
    fn declare(&mut self, declaration: &Node<'_>) {
        match &declaration.kind {
            NodeKind::Object(members) if members.is_empty() => {
                self.replace(declaration, r#"{"sensitive":true}"#.to_owned());
            }
            NodeKind::Object(_) => self.mark(declaration, "sensitive", Some(Json::Bool(true))),
            _ => {}
        }
    }

    /// Whether this name is masked, or anything in its value.
    fn hides(&self, name: &str, value: Option<&Node<'_>>) -> bool {
        self.names.matches(name) || value.is_some_and(|value| any_mark(self.names, value))
    }

    /// Adds marks to those that the document has.
    fn mark(&mut self, parent: &Node<'_>, name: &str, marks: Option<Json>) {
        let Some(marks) = marks.filter(|marks| !marks.is_null()) else { return };
        match member(parent, name) {
            Some(known) => {
                let known_marks = marks_of(known);
                let united = united(known_marks.clone(), marks);
                if united != known_marks {
                    self.replace(known, united.to_string());
                }
            }
            None => self.add(parent, name, &marks),
        }
    }

    fn replace(&mut self, node: &Node<'_>, text: String) {
        self.edits.push(Edit { start: node.span.start as usize, end: node.span.end as usize, text });
    }

    fn insert(&mut self, at: usize, text: String) {
        self.edits.push(Edit { start: at, end: at, text });
    }

    /// Adds a member behind the others of an object, which has some.
    fn add(&mut self, object: &Node<'_>, name: &str, value: &Json) {
        self.insert(object.span.end as usize - 1, format!(",\"{name}\":{value}"));
    }

    fn applied_to(self, text: &str) -> Option<String> {
        if self.edits.is_empty() { None } else { Some(with_edits(text, self.edits)) }
    }
}

/// The text with these edits, whose ranges do not overlap.
pub(super) fn with_edits(text: &str, mut edits: Vec<Edit>) -> String {
    // The sort is stable: members that are added at the end of one object keep their order.
    edits.sort_by_key(|edit| edit.start);
    let mut edited = String::with_capacity(text.len() + edits.len() * 32);
    let mut copied = 0;
    for Edit { start, end, text: new } in edits {
        edited.push_str(&text[copied..start]);
        edited.push_str(&new);
        copied = end;
    }
    edited.push_str(&text[copied..]);
    edited
}

/// The marks of a value by its schema, and those by names.
fn marks_with(schema: Option<&Block>, value: &Node<'_>, of_names: Json) -> Json {
    let of_schema = schema.map_or(Json::Null, |schema| block_marks(schema, value));
    if of_names.is_null() { of_schema } else { united(of_schema, of_names) }
}

fn provider_name<'n>(resource: &'n Node<'_>) -> &'n str {
    text_of(resource, "provider_name").unwrap_or_default()
}

/// The actions of a plan: invoked and deferred ones.
pub(super) fn invocations<'n, 't>(document: &'n Node<'t>) -> impl Iterator<Item = &'n Node<'t>> {
    let deferred = elements(member(document, "deferred_action_invocations"));
    let deferred = deferred.filter_map(|deferred| member(deferred, "action_invocation"));
    elements(member(document, "action_invocations")).chain(deferred)
}

/// The members of an object, with their names.
fn named<'n, 't>(node: Option<&'n Node<'t>>) -> impl Iterator<Item = (&'n str, &'n Node<'t>)> + use<'n, 't> {
    let members = match node.map(|node| &node.kind) {
        Some(NodeKind::Object(members)) => &members[..],
        _ => &[],
    };
    members.iter().map(|member| (&*member.name, &member.value))
}

fn is_empty(node: &Node<'_>) -> bool {
    match &node.kind {
        NodeKind::Null => true,
        NodeKind::Array(elements) => elements.is_empty(),
        _ => false,
    }
}

/// Marks of an object, or null where nothing is to be hidden.
fn block_marks(block: &Block, value: &Node<'_>) -> Json {
    let mut marks = Map::new();
    let NodeKind::Object(members) = &value.kind else { return Json::Null };
    for member in members.iter() {
        let mark = match (block.attribute(&member.name), block.block_type(&member.name)) {
            (Some(attribute), _) => attribute_marks(attribute, &member.value),
            (_, Some(nested)) => {
                each(nested.nesting, &member.value, &|value| block_marks(&nested.block, value))
            }
            (None, None) => Json::Null,
        };
        if !mark.is_null() {
            marks.insert(member.name.to_string(), mark);
        }
    }
    if marks.is_empty() { Json::Null } else { marks.into() }
}

fn attribute_marks(attribute: &Attribute, value: &Node<'_>) -> Json {
    if attribute.sensitive || attribute.write_only {
        return Json::Bool(true);
    }
    let Some(nested) = attribute.nested() else { return Json::Null };
    let of_object = |value: &Node<'_>| {
        let NodeKind::Object(members) = &value.kind else { return Json::Null };
        let marks = members.iter().filter_map(|member| {
            let (_, attribute) = nested.attributes().iter().find(|(name, _)| **name == *member.name)?;
            Some((member.name.to_string(), attribute_marks(attribute, &member.value)))
        });
        let marks: Map<String, Json> = marks.filter(|(_, mark)| !mark.is_null()).collect();
        if marks.is_empty() { Json::Null } else { marks.into() }
    };
    each(nested.nesting(), value, &of_object)
}

/// Marks of a nested object, or of all in a collection.
fn each(nesting: NestingMode, value: &Node<'_>, of_object: &dyn Fn(&Node<'_>) -> Json) -> Json {
    match &value.kind {
        NodeKind::Array(elements) => {
            let marks: Vec<Json> = elements.iter().map(of_object).collect();
            match marks.iter().all(Json::is_null) {
                true => Json::Null,
                false => {
                    marks.into_iter().map(|mark| if mark.is_null() { json!({}) } else { mark }).collect()
                }
            }
        }
        NodeKind::Object(members) if nesting == NestingMode::Map => {
            let marks = members.iter().map(|member| (member.name.to_string(), of_object(&member.value)));
            let marks: Map<String, Json> = marks.filter(|(_, mark)| !mark.is_null()).collect();
            if marks.is_empty() { Json::Null } else { marks.into() }
        }
        NodeKind::Object(_) => of_object(value),
        _ => Json::Null,
    }
}

/// Reads the marks of a document. Anything else than a mark hides the whole value, as for every reader.
pub(super) fn marks_of(node: &Node<'_>) -> Json {
    match &node.kind {
        NodeKind::Null | NodeKind::Bool(false) => Json::Bool(false),
        NodeKind::Array(elements) => elements.iter().map(marks_of).collect(),
        NodeKind::Object(members) => {
            members.iter().map(|member| (member.name.to_string(), marks_of(&member.value))).collect()
        }
        _ => Json::Bool(true),
    }
}

/// Unites two sets of marks.
pub(super) fn united(a: Json, b: Json) -> Json {
    match (a, b) {
        (Json::Bool(true), _) | (_, Json::Bool(true)) => Json::Bool(true),
        (Json::Object(mut a), Json::Object(b)) => {
            for (name, mark) in b {
                let known = a.remove(&name).unwrap_or(Json::Null);
                a.insert(name, united(known, mark));
            }
            a.into()
        }
        (Json::Array(a), Json::Array(b)) => {
            let length = a.len().max(b.len());
            let mut sides = [a.into_iter(), b.into_iter()];
            (0..length)
                .map(|_| {
                    let [a, b] = sides.each_mut().map(|side| side.next().unwrap_or(Json::Null));
                    united(a, b)
                })
                .collect()
        }
        // Marks of another shape than the value has say nothing of its parts.
        (Json::Object(_), Json::Array(_)) | (Json::Array(_), Json::Object(_)) => Json::Bool(true),
        (a @ (Json::Object(_) | Json::Array(_)), _) => a,
        (_, b @ (Json::Object(_) | Json::Array(_))) => b,
        _ => Json::Bool(false),
    }
}
