//! The meaning of the blocks of a configuration.

use std::path::Path;
use std::sync::Arc;

use objchange_hcl::{DataBlock, Diagnostic, LineIndex};
use objchange_sentinel::Position;
use objchange_text::json::{JsonError, Node, NodeKind, Property};
use serde_json::Value as Json;

use super::{Configuration, ImportSource, Level, PolicyEntry, Reference};
use crate::sentinel::Fault;

/// An error in a configuration, and its byte.
pub(super) struct Problem {
    at: u32,
    message: String,
}

impl Problem {
    pub(super) fn new(at: u32, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

impl From<Vec<Diagnostic>> for Problem {
    fn from(errors: Vec<Diagnostic>) -> Self {
        let first = errors.into_iter().next();
        first.map_or(Self::new(0, ""), |error| {
            Self::new(error.subject.unwrap_or_default().start, error.to_string())
        })
    }
}

impl From<JsonError> for Problem {
    fn from(error: JsonError) -> Self {
        Self::new(u32::try_from(error.offset()).unwrap_or(u32::MAX), error.into_message())
    }
}

pub(super) type Read<T> = Result<T, Problem>;

/// Reads blocks one after the other.
pub(super) struct Reader<'t> {
    lines: LineIndex<'t>,
    file: Arc<str>,
    folder: Arc<Path>,
    pub(super) configuration: Configuration,
}

/// The maximum number of warnings. Further ones are dropped.
const MAX_WARNINGS: usize = 100;

const KINDS: &str = "policy, import, module, mock, global, param, test and sentinel";

impl<'t> Reader<'t> {
    pub(super) fn new(path: &Path, text: &'t str) -> Self {
        Self {
            lines: LineIndex::new(text),
            file: Arc::from(path.display().to_string()),
            folder: Arc::from(path.parent().unwrap_or(Path::new(""))),
            configuration: Configuration::default(),
        }
    }

    fn position(&self, at: u32) -> Position {
        self.lines.position(at)
    }

    /// A problem, with the file and the line.
    pub(super) fn fault(&self, Problem { at, message }: Problem) -> Fault {
        Fault::at(message, self.file.to_string(), self.position(at))
    }

    pub(super) fn warn(&mut self, at: u32, message: impl Into<String>) {
        if self.configuration.warnings.len() < MAX_WARNINGS {
            let warning = self.fault(Problem::new(at, message));
            self.configuration.warnings.push(warning);
        }
    }

    pub(super) fn block(&mut self, block: DataBlock<'t>) -> Read<()> {
        let at = block.kind_span.start;
        match (block.kind.as_str(), &block.labels[..]) {
            ("policy", [_]) => self.policy(block),
            ("module", [_]) => self.import(block, "module"),
            ("import", [kind, name]) => match kind.as_str() {
                "module" => self.import(block, "module"),
                "static" => self.import(block, "static"),
                "plugin" => {
                    let message =
                        format!("the plugin {name} is not run: mock it, or give a module in its place");
                    self.warn(at, message);
                    Ok(())
                }
                _ => Err(Problem::new(at, format!("an import is a module, static or a plugin, not {kind}"))),
            },
            ("mock", [_]) => self.mock(block),
            ("global", [_]) => {
                let (name, value) = self.value(block)?;
                self.configuration.globals.insert(name, value);
                Ok(())
            }
            ("param", [_]) => {
                let (name, value) = self.value(block)?;
                self.configuration.params.insert(name, value);
                Ok(())
            }
            ("test", []) => self.test(&block),
            // It is about the original program.
            ("sentinel", _) => Ok(()),
            (kind @ ("policy" | "module" | "mock" | "global" | "param"), labels) => {
                let message = format!("write {kind} \"NAME\" {{ … }}: {} labels are given", labels.len());
                Err(Problem::new(at, message))
            }
            ("import", _) => Err(Problem::new(at, "write import \"module\" \"NAME\" { … }, or \"static\"")),
            ("test", _) => Err(Problem::new(at, "test has no labels: write test { rules = { … } }")),
            (kind, _) => {
                let message = format!("the block {kind} has no effect here; those that have are {KINDS}");
                self.warn(at, message);
                Ok(())
            }
        }
    }

    fn policy(&mut self, block: DataBlock<'t>) -> Read<()> {
        let at = block.kind_span.start;
        let name = last(block.labels);
        let mut body = Body::new("policy", &block.body)?;
        // People may read it.
        body.take("description");
        let source = match body.text("source")? {
            Some((source, at)) => self.reference(source, at),
            // As it is with policy sets that are folders of policies.
            None if name.ends_with(".sentinel") => self.reference(name.clone(), at),
            None => self.reference(format!("{name}.sentinel"), at),
        };
        let level = match body.text("enforcement_level")? {
            // Sentinel's documentation has this default.
            None => Level::Advisory,
            Some((level, at)) => {
                let levels = [Level::Advisory, Level::SoftMandatory, Level::HardMandatory];
                levels.into_iter().find(|known| known.name() == level).ok_or_else(|| {
                    let known = "advisory, soft-mandatory or hard-mandatory";
                    Problem::new(at, format!("enforcement_level is {known}, not {level}"))
                })?
            }
        };
        let params = body.object("params")?.unwrap_or_default();
        let params = params.iter().map(member_to_json).collect::<Read<_>>()?;
        body.finish()?;
        if self.configuration.policies.iter().any(|policy| policy.name == name) {
            let message = format!("there is another policy {name} above: rename one of them");
            return Err(Problem::new(at, message));
        }
        self.configuration.policies.push(PolicyEntry { name, source, level, params });
        Ok(())
    }

    fn import(&mut self, block: DataBlock<'t>, kind: &'static str) -> Read<()> {
        let mut body = Body::new(kind, &block.body)?;
        let (source, at) = body.required("source", block.kind_span.start)?;
        let source = self.reference(source, at);
        let given = if kind == "static" {
            if let Some((format, at)) = body.text("format")?
                && format != "json"
            {
                return Err(Problem::new(at, format!("the format of static data is json, not {format}")));
            }
            ImportSource::Static(source)
        } else {
            ImportSource::Module(source)
        };
        body.finish()?;
        self.configuration.imports.insert(last(block.labels), given);
        Ok(())
    }

    fn mock(&mut self, block: DataBlock<'t>) -> Read<()> {
        let at = block.kind_span.start;
        let name = last(block.labels);
        let mut body = Body::new("mock", &block.body)?;
        let given = match (body.object("module")?, body.take("data")) {
            (Some(members), None) => {
                let mut module = Body { kind: "module", members: members.to_vec(), known: Vec::new() };
                let (source, at) = module.required("source", at)?;
                module.finish()?;
                ImportSource::Module(self.reference(source, at))
            }
            (None, Some(data)) if members(&data.value).is_some() => data_of(&data.value)?,
            (None, Some(data)) => {
                let message = format!("the data of a mock is an object, not {}", data.value.noun());
                return Err(Problem::new(data.name_span.start, message));
            }
            (Some(_), Some(data)) => {
                let message = "a mock has a module or data, not both: remove one of them";
                return Err(Problem::new(data.name_span.start, message));
            }
            (None, None) => {
                let forms = "module { source = \"FILE\" } or data = { … }";
                return Err(Problem::new(at, format!("the mock {name} says nothing: write {forms} in it")));
            }
        };
        body.finish()?;
        self.configuration.mocks.insert(name, given);
        Ok(())
    }

    /// Reads the value of a block that has only `value`.
    fn value(&mut self, block: DataBlock<'t>) -> Read<(String, Json)> {
        let name = last(block.labels);
        let mut body = Body::new("block", &block.body)?;
        let Some(value) = body.take("value") else {
            let message = format!("{} {name} has no value: write value = …", block.kind);
            return Err(Problem::new(block.kind_span.start, message));
        };
        body.finish()?;
        Ok((name, to_json(&value.value)?))
    }

    fn test(&mut self, block: &DataBlock<'t>) -> Read<()> {
        let mut body = Body::new("test", &block.body)?;
        let rules = match body.object("rules")? {
            Some(rules) => rules.to_vec(),
            // As JSON had it before there were other attributes.
            None => std::mem::take(&mut body.members),
        };
        body.finish()?;
        let rules = rules.iter().map(member_to_json).collect::<Read<Vec<_>>>()?;
        self.configuration.rules.get_or_insert_default().extend(rules);
        Ok(())
    }

    pub(super) fn mock_file(&mut self, name: String, source: String, at: u32) {
        let source = self.reference(source, at);
        self.configuration.mocks.insert(name, ImportSource::Module(source));
    }

    pub(super) fn mock_data(&mut self, name: String, data: &Node<'t>) -> Read<()> {
        self.configuration.mocks.insert(name, data_of(data)?);
        Ok(())
    }

    fn reference(&self, source: String, at: u32) -> Reference {
        Reference::new(source, Arc::clone(&self.folder), Arc::clone(&self.file), self.position(at))
    }
}

fn data_of(node: &Node<'_>) -> Read<ImportSource> {
    Ok(ImportSource::Data(Arc::new(to_json(node)?)))
}

fn last(labels: Vec<String>) -> String {
    labels.into_iter().next_back().unwrap_or_default()
}

/// The members of an object.
pub(super) fn members<'n, 't>(node: &'n Node<'t>) -> Option<&'n Arc<[Property<'t>]>> {
    match &node.kind {
        NodeKind::Object(members) => Some(members),
        _ => None,
    }
}

/// Converts a value to JSON, as policies see it.
fn to_json(node: &Node<'_>) -> Read<Json> {
    Ok(match &node.kind {
        NodeKind::Null => Json::Null,
        NodeKind::Bool(bool) => Json::Bool(*bool),
        NodeKind::Number(text) => match text.parse::<i64>() {
            Ok(int) => Json::from(int),
            Err(_) => {
                let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                let shown: String = text.chars().take(40).collect();
                Json::Number(number.ok_or_else(|| {
                    Problem::new(node.span.start, format!("{shown} is no number that a policy can have"))
                })?)
            }
        },
        NodeKind::String(text) => Json::from(&**text),
        NodeKind::Array(items) => items.iter().map(to_json).collect::<Read<_>>()?,
        NodeKind::Object(members) => Json::Object(members.iter().map(member_to_json).collect::<Read<_>>()?),
    })
}

fn member_to_json(member: &Property<'_>) -> Read<(String, Json)> {
    Ok((member.name.to_string(), to_json(&member.value)?))
}

/// The attributes of a block that are not read yet.
struct Body<'t> {
    kind: &'static str,
    members: Vec<Property<'t>>,
    /// The names of attributes that were read.
    known: Vec<&'static str>,
}

impl<'t> Body<'t> {
    fn new(kind: &'static str, node: &Node<'t>) -> Read<Self> {
        match members(node) {
            Some(members) => Ok(Self { kind, members: members.to_vec(), known: Vec::new() }),
            None => Err(Problem::new(node.span.start, format!("expected an object, found {}", node.noun()))),
        }
    }

    fn take(&mut self, name: &'static str) -> Option<Property<'t>> {
        self.known.push(name);
        let index = self.members.iter().position(|member| member.name == name)?;
        Some(self.members.remove(index))
    }

    /// Refuses unknown attributes: a misspelt `enforcement_level` would leave a policy advisory.
    fn finish(self) -> Read<()> {
        let Some(member) = self.members.first() else { return Ok(()) };
        let known = self.known.join(", ");
        let message = format!("{} has no attribute {}; it has {known}", self.kind, member.name);
        Err(Problem::new(member.name_span.start, message))
    }

    /// A text, and where it is.
    fn text(&mut self, name: &'static str) -> Read<Option<(String, u32)>> {
        let Some(Property { value, .. }) = self.take(name) else { return Ok(None) };
        match value.kind {
            NodeKind::String(text) => Ok(Some((text.into_owned(), value.span.start))),
            _ => {
                let message = format!("{name} is a string in quotes, not {}", value.noun());
                Err(Problem::new(value.span.start, message))
            }
        }
    }

    fn required(&mut self, name: &'static str, block: u32) -> Read<(String, u32)> {
        let kind = self.kind;
        self.text(name)?.ok_or_else(|| {
            Problem::new(block, format!("this {kind} has no {name}: write {name} = \"FILE\" in it"))
        })
    }

    fn object(&mut self, name: &'static str) -> Read<Option<Arc<[Property<'t>]>>> {
        let Some(Property { value, .. }) = self.take(name) else { return Ok(None) };
        match members(&value) {
            Some(members) => Ok(Some(Arc::clone(members))),
            None => {
                let message = format!("{name} is an object in braces, not {}", value.noun());
                Err(Problem::new(value.span.start, message))
            }
        }
    }
}
