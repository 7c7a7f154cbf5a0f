//! Parts of source texts that must not be shown, because they are secrets or what secrets are made of.

use std::collections::BTreeSet;

use objchange::schema::{Attribute, Block as Schema};
use objchange_text::json::{Node, NodeKind, Reader};
use objchange_text::{Span, similar};
use smol_str::SmolStr;

use crate::decode::find;
use crate::module::MoveTarget;
use crate::sources::{SourceFile, Sources};
use crate::syntax::ast::{Block, Body, Expr, ExprKind, StepKind, TraversalStep};
use crate::syntax::{parse_body, parse_expression};
use crate::walk::{sensitive_arguments, variables};

/// The parts of sources that must not be shown where a line of them is.
///
/// These are the default values of sensitive and ephemeral variables, the arguments of `sensitive`, the values of sensitive
/// outputs, arguments that a schema calls sensitive or write-only, and the local values and variables that any of these
/// refers to. Where nobody can tell what is secret, in a text that cannot be read, in the JSON syntax, and in blocks
/// whose schema is not at hand, all strings and numbers are hidden.
///
/// ```
/// use objchange_hcl::{HiddenSource, Sources};
///
/// let text = "variable \"pin\" {\n  sensitive = true\n  default = \"1234\"\n}\n";
/// let sources = Sources::from_text("main.tf", text).unwrap();
/// let hidden = HiddenSource::new(&sources, |_, _| None, []);
/// let hidden: Vec<&str> = hidden.spans().iter().map(|span| &text[span.range()]).collect();
/// assert_eq!(hidden, ["\"1234\""]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct HiddenSource(Vec<Span>);

impl HiddenSource {
    /// What is hidden in the files of a configuration. `schema` gives the schema of a block by its kind and first label
    /// (`resource` and the type of the resource, `module` and the name of the call), where it is at hand; `expressions` are
    /// others that refer to the configuration.
    pub fn new<'s, 'e>(
        sources: &Sources,
        schema: impl Fn(&str, &str) -> Option<&'s Schema>,
        expressions: impl IntoIterator<Item = &'e Expr>,
    ) -> Self {
        let mut hidden = Vec::new();
        let mut bodies = Vec::new();
        for file in sources.files() {
            match native(file) {
                _ if is_json_test(file) => hidden.extend(literals_of_json_test(file, &schema)),
                Some(body) => bodies.push((file, body)),
                None => hidden.extend(literals(file)),
            }
        }
        let mut search = Search { schema: &schema, secrets: Vec::new(), opaque: Vec::new() };
        for (file, body) in &bodies {
            if file.name.ends_with(".tfvars") {
                continue;
            }
            match is_test(file) {
                true => search.test_file(body),
                false => search.file(body),
            }
        }
        let declared: Vec<(&str, bool)> =
            bodies.iter().flat_map(|(_, body)| declared_variables(body)).collect();
        for (_, body) in bodies.iter().filter(|(file, _)| file.name.ends_with(".tfvars")) {
            search.values(body, &declared);
        }
        expressions.into_iter().for_each(|expr| search.calls(expr));
        hidden.extend(search.with_what_they_refer_to(bodies.iter().map(|(_, body)| body)));
        for (file, _) in &bodies {
            let end = file.start + file.text.len() as u32;
            let opaque: Vec<Span> = search
                .opaque
                .iter()
                .filter(|span| (file.start..=end).contains(&span.start))
                .copied()
                .collect();
            if opaque.is_empty() {
                continue;
            }
            for literal in literals(file) {
                // A literal may be taken for longer than it is.
                let parts = opaque
                    .iter()
                    .map(|block| Span::new(literal.start.max(block.start), literal.end.min(block.end)));
                hidden.extend(parts.filter(|part| part.start < part.end));
            }
        }
        Self::merged(hidden)
    }

    /// What is hidden in the text of one expression.
    pub fn in_expression(text: &str) -> Self {
        match parse_expression(text) {
            Ok(expr) => Self::merged(sensitive_arguments(&expr).iter().map(|expr| expr.span).collect()),
            Err(_) if text.contains("sensitive") => Self::merged(literals_of(text, false)),
            Err(_) => Self::default(),
        }
    }

    /// The parts, in order and apart from each other.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// The parts that are in these bytes, whole or in part.
    pub(crate) fn within(&self, start: u32, length: u32) -> &[Span] {
        let first = self.0.partition_point(|part| part.end <= start);
        let behind = self.0.partition_point(|part| part.start < start.saturating_add(length));
        self.0.get(first..behind).unwrap_or_default()
    }

    fn merged(mut spans: Vec<Span>) -> Self {
        spans.sort();
        let mut merged: Vec<Span> = Vec::new();
        for span in spans {
            match merged.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => merged.push(span),
            }
        }
        Self(merged)
    }
}

/// The body of a file in the native syntax, if it can be read.
fn native(file: &SourceFile) -> Option<Body> {
    if file.name.ends_with(".json") {
        return None;
    }
    parse_body(&file.text).ok().map(|body| body.moved(file.start))
}

/// Whether a file is a test file or a mock file.
fn is_test(file: &SourceFile) -> bool {
    let name = file.name.strip_suffix(".json").or_else(|| file.name.strip_suffix(".hcl"));
    name.is_some_and(|name| name.ends_with(".tftest") || name.ends_with(".tfmock"))
}

fn is_json_test(file: &SourceFile) -> bool {
    is_test(file) && file.name.ends_with(".json")
}

/// The type of the resource that an override targets.
fn target_type(body: &Body) -> String {
    let target = find(&body.attributes, "target").and_then(|target| target.expr.as_target().ok());
    match target {
        Some(MoveTarget::Resource(address)) => address.resource.resource_type,
        _ => String::new(),
    }
}

/// The strings and numbers of a test file in JSON, if it may give a value to something sensitive: if the name of something
/// sensitive is a key in it.
fn literals_of_json_test<'s>(
    file: &SourceFile,
    schema: &dyn Fn(&str, &str) -> Option<&'s Schema>,
) -> Vec<Span> {
    let Ok(node) = Node::read_all(Reader::new(&file.text)) else { return literals(file) };
    let (mut keys, mut words) = (BTreeSet::new(), BTreeSet::from([""]));
    words_of(&node, &mut keys, &mut words);
    let is_given = |schema: &Schema| {
        let attributes = schema.attributes().iter().filter(|(_, attribute)| has_secrets(attribute));
        let blocks = schema.block_types().iter().filter(|(_, nested)| block_has_secrets(&nested.block));
        let mut names = attributes.map(|(name, _)| name).chain(blocks.map(|(name, _)| name));
        names.any(|name| keys.contains(name.as_str()))
    };
    let kinds = ["variables", "outputs", "resource", "data", "provider"];
    let mut schemas = kinds.iter().flat_map(|kind| words.iter().filter_map(|word| schema(kind, word)));
    match file.text.contains("sensitive(") || schemas.any(is_given) {
        true => literals(file),
        false => Vec::new(),
    }
}

/// The keys of objects, and the words of keys and strings that may name a type.
fn words_of<'n>(node: &'n Node<'_>, keys: &mut BTreeSet<&'n str>, words: &mut BTreeSet<&'n str>) {
    match &node.kind {
        NodeKind::Object(properties) => {
            for property in properties.iter() {
                keys.insert(&property.name);
                words.insert(&property.name);
                words_of(&property.value, keys, words);
            }
        }
        NodeKind::Array(elements) => elements.iter().for_each(|element| words_of(element, keys, words)),
        NodeKind::String(text) => words.extend(text.split(['.', '['])),
        _ => {}
    }
}

/// The arguments of a `dynamic` block.
const DYNAMIC_ARGUMENTS: [&str; 3] = ["for_each", "iterator", "labels"];

/// Looks for what must not be shown.
struct Search<'e, 's, 'f> {
    schema: &'f dyn Fn(&str, &str) -> Option<&'s Schema>,
    /// Expressions that are secrets.
    secrets: Vec<&'e Expr>,
    /// Where anything may be one.
    opaque: Vec<Span>,
}

impl<'e> Search<'e, '_, '_> {
    fn file(&mut self, body: &'e Body) {
        for block in &body.blocks {
            let is_set = |name: &str| find(&block.body.attributes, name).is_some_and(|a| !is_false(&a.expr));
            self.calls_of(&block.body);
            match &*block.kind {
                "variable" if is_set("sensitive") || is_set("ephemeral") => {
                    self.secrets.extend(find(&block.body.attributes, "default").map(|a| &a.expr));
                }
                "output" if is_set("sensitive") || is_set("ephemeral") => {
                    self.secrets.extend(find(&block.body.attributes, "value").map(|a| &a.expr));
                }
                "variable" | "output" | "locals" | "terraform" | "moved" | "removed" | "import" | "check" => {
                }
                kind => match block.labels.first().and_then(|label| (self.schema)(kind, &label.text)) {
                    Some(schema) => self.block(&block.body, schema),
                    None => self.opaque.push(inside(block)),
                },
            }
        }
        // A file has blocks alone: this is one with an equals sign too many.
        self.secrets.extend(body.attributes.iter().map(|attribute| &attribute.expr));
    }

    /// A test file or a mock file: what it gives to sensitive variables, attributes and outputs.
    fn test_file(&mut self, body: &'e Body) {
        for block in &body.blocks {
            self.calls_of(&block.body);
            let label = block.labels.first().map(|label| &*label.text).unwrap_or_default();
            match &*block.kind {
                "variables" => self.given_values(&block.body, "variables", ""),
                "variable" => {
                    let is_set =
                        |name: &str| find(&block.body.attributes, name).is_some_and(|a| !is_false(&a.expr));
                    if is_set("sensitive") || is_set("ephemeral") {
                        self.secrets.extend(find(&block.body.attributes, "default").map(|a| &a.expr));
                    }
                }
                "provider" => match (self.schema)("provider", label) {
                    Some(schema) => self.block(&block.body, schema),
                    None => self.opaque.push(inside(block)),
                },
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

    /// Arguments of which a schema calls some sensitive.
    fn given_values(&mut self, body: &'e Body, kind: &str, label: &str) {
        let Some(schema) = (self.schema)(kind, label) else { return };
        let is_secret = |name: &str| schema.attribute(name).is_some_and(has_secrets);
        let secrets = body.attributes.iter().filter(|attribute| is_secret(&attribute.name));
        self.secrets.extend(secrets.map(|attribute| &attribute.expr));
    }

    /// An argument that is an object, of whose members a schema calls some sensitive. All of it is hidden if it has one and
    /// is written in another form.
    fn given_object(&mut self, body: &'e Body, argument: &str, kind: &str, label: &str) {
        let Some(schema) = (self.schema)(kind, label).filter(|schema| block_has_secrets(schema)) else {
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
                (Some(attribute), _) => has_secrets(attribute),
                (None, Some(nested)) => block_has_secrets(&nested.block),
                (None, None) => false,
            });
            if is_secret {
                self.secrets.push(&item.value);
            }
        }
    }

    /// What a file gives to variables: to sensitive ones, and to such as nobody declares.
    fn values(&mut self, body: &'e Body, declared: &[(&str, bool)]) {
        for attribute in &body.attributes {
            let mut found = declared.iter().filter(|(name, _)| *name == attribute.name).peekable();
            if found.peek().is_none() || found.any(|(_, is_secret)| *is_secret) {
                self.secrets.push(&attribute.expr);
            } else {
                self.calls(&attribute.expr);
            }
        }
        self.opaque.extend(body.blocks.iter().map(inside));
    }

    /// The arguments of `sensitive` in a body and in the blocks in it.
    fn calls_of(&mut self, body: &'e Body) {
        body.attributes.iter().for_each(|attribute| self.calls(&attribute.expr));
        body.blocks.iter().for_each(|block| self.calls_of(&block.body));
    }

    fn calls(&mut self, expr: &'e Expr) {
        self.secrets.extend(sensitive_arguments(expr));
    }

    /// What the schema of a body calls secret. Of a nested attribute all is hidden if any part of it is secret.
    fn block(&mut self, body: &'e Body, schema: &Schema) {
        for attribute in &body.attributes {
            let is_secret = match schema.attribute(&attribute.name) {
                Some(known) => has_secrets(known),
                None => is_misspelt_secret(&attribute.name, schema),
            };
            if is_secret {
                self.secrets.push(&attribute.expr);
            }
        }
        for block in &body.blocks {
            let dynamic = block
                .labels
                .first()
                .filter(|_| &*block.kind == "dynamic" && schema.block_type("dynamic").is_none());
            let kind = dynamic.map_or(&block.kind, |label| &label.text);
            match schema.block_type(kind) {
                Some(nested) if dynamic.is_some() => self.dynamic(&block.body, &nested.block),
                Some(nested) => self.block(&block.body, &nested.block),
                // An attribute written as blocks, or nothing that the schema knows.
                None if schema.attribute(kind).is_some_and(|attribute| !has_secrets(attribute)) => {}
                None if &*block.kind == "lifecycle" => {}
                None => self.opaque.push(inside(block)),
            }
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
                self.opaque.push(inside(block));
            }
        }
    }

    /// The secrets, with the local values and defaults that they are made of.
    fn with_what_they_refer_to<'b>(&self, bodies: impl Iterator<Item = &'b Body> + Clone) -> Vec<Span>
    where
        'e: 'b,
    {
        let mut spans = Vec::new();
        let mut open: Vec<&Expr> = self.secrets.clone();
        let mut seen: BTreeSet<(SmolStr, SmolStr)> = BTreeSet::new();
        let mut named: hashbrown::HashMap<(&str, &str), Vec<&Expr>> = hashbrown::HashMap::new();
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
        while let Some(expr) = open.pop() {
            if !is_plain_reference(expr) {
                spans.push(expr.span);
            }
            for reference in variables(expr) {
                let Some(name) = reference.first_attribute() else { continue };
                if seen.insert((reference.name.clone(), name.clone())) {
                    open.extend(named.get(&(reference.name.as_str(), name.as_str())).into_iter().flatten());
                }
            }
        }
        spans
    }
}

/// All of a block but its header.
fn inside(block: &Block) -> Span {
    Span::new(block.open.start, block.all().end)
}

/// The variables that a file declares, and whether their values are hidden.
fn declared_variables(body: &Body) -> impl Iterator<Item = (&str, bool)> {
    let variables = body.blocks.iter().filter(|block| &*block.kind == "variable");
    variables.filter_map(|block| {
        let is_set = |name: &str| find(&block.body.attributes, name).is_some_and(|a| !is_false(&a.expr));
        Some((&*block.labels.first()?.text, is_set("sensitive") || is_set("ephemeral")))
    })
}

/// Whether an expression is nothing but a name: where a secret is, and not the secret.
fn is_plain_reference(expr: &Expr) -> bool {
    let is_name = |step: &TraversalStep| matches!(step.kind, StepKind::Attribute(_));
    matches!(&expr.kind, ExprKind::Variable(variable) if variable.steps.iter().all(is_name))
}

fn is_false(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(value) if value.as_bool() == Some(false))
}

/// Whether a name that is not an attribute of the schema is like that of a secret, or of a block with
/// secrets.
fn is_misspelt_secret(name: &str, schema: &Schema) -> bool {
    let attributes = schema.attributes().iter().filter(|(_, attribute)| has_secrets(attribute));
    let blocks = schema.block_types().iter().filter(|(_, nested)| block_has_secrets(&nested.block));
    let names = attributes.map(|(name, _)| name.as_str()).chain(blocks.map(|(name, _)| name.as_str()));
    !similar(name, names).is_empty()
}

fn block_has_secrets(block: &Schema) -> bool {
    block.attributes().iter().any(|(_, attribute)| has_secrets(attribute))
        || block.block_types().iter().any(|(_, nested)| block_has_secrets(&nested.block))
}

fn has_secrets(attribute: &Attribute) -> bool {
    attribute.sensitive
        || attribute.write_only
        || attribute.nested().is_some_and(|nested| nested.attributes().iter().any(|(_, a)| has_secrets(a)))
}

/// All strings and numbers of a file, by the look of its lines.
fn literals(file: &SourceFile) -> Vec<Span> {
    let found = literals_of(&file.text, file.name.ends_with(".json"));
    found.into_iter().map(|span| span.moved(file.start)).collect()
}

/// The same for a text that may be broken anywhere, so that no string ends where it should.
fn literals_of(text: &str, is_json: bool) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = 0;
    // What ends the heredoc that a line is in; nothing does where its beginning is broken.
    let mut heredoc: Option<Option<&str>> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let at = |from: usize, to: usize| Span::new((start + from) as u32, (start + to) as u32);
        match heredoc {
            Some(Some(end)) if content.trim() == end => heredoc = None,
            Some(_) => found.push(at(0, content.len())),
            None if is_json => {
                found.extend(json_literals(content).into_iter().map(|(from, to)| at(from, to)));
            }
            None => {
                if is_header(content) {
                    start += line.len();
                    continue;
                }
                if let Some((from, to)) = quoted(content) {
                    found.push(at(from, to));
                }
                found.extend(numbers(content).into_iter().map(|(from, to)| at(from, to)));
                heredoc = content.contains('<').then(|| heredoc_end(content));
            }
        }
        start += line.len();
    }
    found
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Words before the labels of a block, which are shown also in a text that cannot be read.
const BLOCKS: [&str; 16] = [
    "backend",
    "check",
    "data",
    "dynamic",
    "ephemeral",
    "mock_data",
    "mock_provider",
    "mock_resource",
    "module",
    "output",
    "provider",
    "provisioner",
    "resource",
    "run",
    "terraform",
    "variable",
];

/// Whether a line is the header of a block and nothing else: labels are not secrets.
fn is_header(line: &str) -> bool {
    let mut words = line.trim().trim_end_matches('{').trim_end().split(' ').filter(|word| !word.is_empty());
    let is_label = |word: &str| {
        let inside = word.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
        inside.is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))
    };
    words.next().is_some_and(|word| BLOCKS.contains(&word)) && words.all(is_label)
}

/// From the first quote of a line to the last, or to the end of the line where one may be missing. What is before may be the
/// rest of a string of the line before, unless it is an argument's name or the word of a block.
fn quoted(line: &str) -> Option<(usize, usize)> {
    let (first, last) = (line.find(QUOTES)?, line.rfind(QUOTES)?);
    let is_paired = line.matches(QUOTES).count().is_multiple_of(2);
    let before = &line[..first];
    let is_name = |text: &str| {
        let text = text.trim();
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    let from = match before.find('=') {
        Some(equals) if is_paired && is_name(&before[..equals]) => first,
        Some(equals) => (equals + 1).min(first),
        None if BLOCKS.contains(&before.trim()) => first,
        None => 0,
    };
    // A word behind the last quote may begin a string that goes on in the next line.
    let is_whole = is_paired && !line[last..].contains(char::is_alphanumeric);
    Some((from, if is_whole { last + 1 } else { line.len() }))
}

fn numbers(line: &str) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || byte > 127;
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        while i < bytes.len() && is_word(bytes[i]) {
            i += 1;
        }
        if start < i && bytes[start].is_ascii_digit() {
            found.push((start, i));
        }
        i = i.max(start + 1);
    }
    found
}

/// What ends the heredoc that begins in a line.
fn heredoc_end(line: &str) -> Option<&str> {
    let (_, rest) = line.rsplit_once("<<")?;
    let name = rest.strip_prefix('-').unwrap_or(rest).trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    is_name.then_some(name)
}

/// Strings that are not keys, unless they are no more than a reference, and numbers.
fn json_literals(line: &str) -> Vec<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    let mut outside = 0;
    while i < bytes.len() {
        if bytes[i] != b'"' {
            i += 1;
            continue;
        }
        found.extend(numbers(&line[outside..i]).into_iter().map(|(from, to)| (outside + from, outside + to)));
        let start = i;
        i += 1;
        while i < bytes.len() && bytes[i] != b'"' {
            i += if bytes[i] == b'\\' { 2 } else { 1 };
        }
        let is_closed = i < bytes.len();
        i = (i + 1).min(bytes.len());
        outside = i;
        let is_key = is_closed && line[i..].trim_start().starts_with(':');
        if !(is_key || is_closed && is_reference(&line[start + 1..i - 1])) {
            found.push((start, i));
        }
    }
    found.extend(numbers(&line[outside..]).into_iter().map(|(from, to)| (outside + from, outside + to)));
    found
}

/// Whether a string is nothing but `${a.b}`.
fn is_reference(text: &str) -> bool {
    let inside = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | ' ');
    inside.is_some_and(|inside| {
        inside.trim_start().starts_with(|c: char| c.is_ascii_alphabetic()) && inside.chars().all(is_name)
    })
}
