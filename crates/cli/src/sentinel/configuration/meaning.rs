//! What the blocks of a configuration mean.

use std::path::Path;
use std::sync::Arc;

use objchange_sentinel::Position;
use serde_json::Value as Json;

use super::cursor::Read;
use super::node::{Entry, Member, Node, NodeKind};
use super::{Configuration, Given, Level, PolicyEntry, Problem, Reference};

/// Reads blocks one after the other.
pub(super) struct Reader {
    file: Arc<str>,
    folder: Arc<Path>,
    pub(super) configuration: Configuration,
}

/// More of them help nobody.
const MAX_WARNINGS: usize = 100;

const KINDS: &str = "policy, import, module, mock, global, param, test and sentinel";

impl Reader {
    pub(super) fn new(file: &Arc<str>, folder: &Path) -> Self {
        Self { file: Arc::clone(file), folder: Arc::from(folder), configuration: Configuration::default() }
    }

    pub(super) fn warn(&mut self, at: Position, message: impl Into<String>) {
        if self.configuration.warnings.len() < MAX_WARNINGS {
            self.configuration.warnings.push(Problem::new(at, message).of(&self.file));
        }
    }

    pub(super) fn entry(&mut self, entry: Entry) -> Read<()> {
        let at = entry.at;
        match (entry.kind.as_str(), &entry.labels[..]) {
            ("policy", [_]) => self.policy(entry),
            ("module", [_]) => self.import(entry, "module"),
            ("import", [kind, _]) => match kind.as_str() {
                "module" => self.import(entry, "module"),
                "static" => self.import(entry, "static"),
                "plugin" => {
                    let name = &entry.labels[1];
                    self.warn(
                        at,
                        format!("the plugin {name} is not run: mock it, or give a module in its place"),
                    );
                    Ok(())
                }
                _ => Err(Problem::new(at, format!("an import is a module, static or a plugin, not {kind}"))),
            },
            ("mock", [_]) => self.mock(entry),
            ("global", [_]) => {
                let (name, value) = self.value(entry)?;
                self.configuration.globals.insert(name, value);
                Ok(())
            }
            ("param", [_]) => {
                let (name, value) = self.value(entry)?;
                self.configuration.params.insert(name, value);
                Ok(())
            }
            ("test", []) => self.test(entry),
            // It is about the original program.
            ("sentinel", _) => Ok(()),
            ("policy" | "module" | "mock" | "global" | "param", labels) => {
                let kind = &entry.kind;
                Err(Problem::new(
                    at,
                    format!("write {kind} \"NAME\" {{ … }}: {} labels are given", labels.len()),
                ))
            }
            ("import", _) => Err(Problem::new(at, "write import \"module\" \"NAME\" { … }, or \"static\"")),
            ("test", _) => Err(Problem::new(at, "test has no labels: write test { rules = { … } }")),
            (kind, _) => {
                self.warn(at, format!("the block {kind} has no effect here; those that have are {KINDS}"));
                Ok(())
            }
        }
    }

    fn policy(&mut self, entry: Entry) -> Read<()> {
        let name = last(entry.labels);
        let mut body = Body::new("policy", entry.body)?;
        let source = match body.text("source")? {
            Some((source, at)) => self.reference(source, at),
            // As it is with policy sets that are folders of policies.
            None if name.ends_with(".sentinel") => self.reference(name.clone(), entry.at),
            None => self.reference(format!("{name}.sentinel"), entry.at),
        };
        let level = match body.text("enforcement_level")? {
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
        let params = params.into_iter().map(|member| (member.name, member.value.into_json())).collect();
        self.finish(body);
        if self.configuration.policies.iter().any(|policy| policy.name == name) {
            return Err(Problem::new(
                entry.at,
                format!("there is another policy {name} above: rename one of them"),
            ));
        }
        self.configuration.policies.push(PolicyEntry { name, source, level, params });
        Ok(())
    }

    fn import(&mut self, entry: Entry, kind: &'static str) -> Read<()> {
        let mut body = Body::new(kind, entry.body)?;
        let (source, at) = body.required("source", entry.at)?;
        let source = self.reference(source, at);
        let given = if kind == "static" {
            if let Some((format, at)) = body.text("format")?
                && format != "json"
            {
                return Err(Problem::new(at, format!("the format of static data is json, not {format}")));
            }
            Given::Static(source)
        } else {
            Given::Module(source)
        };
        self.finish(body);
        self.configuration.imports.insert(last(entry.labels), given);
        Ok(())
    }

    fn mock(&mut self, entry: Entry) -> Read<()> {
        let name = last(entry.labels);
        let mut body = Body::new("mock", entry.body)?;
        let given = match (body.object("module")?, body.take("data")) {
            (Some(module), None) => {
                let module = Node { at: entry.at, kind: NodeKind::Object(module) };
                let mut module = Body::new("module", module)?;
                let (source, at) = module.required("source", entry.at)?;
                self.finish(module);
                Given::Module(self.reference(source, at))
            }
            (None, Some(data)) if data.value.members().is_some() => data_of(data.value),
            (None, Some(data)) => {
                let found = data.value.name();
                return Err(Problem::new(data.at, format!("the data of a mock is an object, not {found}")));
            }
            (Some(_), Some(data)) => {
                return Err(Problem::new(
                    data.at,
                    "a mock has a module or data, not both: remove one of them",
                ));
            }
            (None, None) => {
                let forms = "module { source = \"FILE\" } or data = { … }";
                return Err(Problem::new(
                    entry.at,
                    format!("the mock {name} says nothing: write {forms} in it"),
                ));
            }
        };
        self.finish(body);
        self.configuration.mocks.insert(name, given);
        Ok(())
    }

    /// What a block that only has a value says.
    fn value(&mut self, entry: Entry) -> Read<(String, Json)> {
        let name = last(entry.labels);
        let mut body = Body::new("block", entry.body)?;
        let Some(value) = body.take("value") else {
            return Err(Problem::new(
                entry.at,
                format!("{} {name} has no value: write value = …", entry.kind),
            ));
        };
        self.finish(body);
        Ok((name, value.value.into_json()))
    }

    fn test(&mut self, entry: Entry) -> Read<()> {
        let mut body = Body::new("test", entry.body)?;
        let rules = match body.object("rules")? {
            Some(rules) => rules,
            // As JSON had it before there were other attributes.
            None => std::mem::take(&mut body.members),
        };
        self.finish(body);
        let rules = rules.into_iter().map(|member| (member.name, member.value.into_json()));
        self.configuration.rules.get_or_insert_default().extend(rules);
        Ok(())
    }

    pub(super) fn mock_file(&mut self, name: String, source: String, at: Position) {
        let source = self.reference(source, at);
        self.configuration.mocks.insert(name, Given::Module(source));
    }

    pub(super) fn mock_data(&mut self, name: String, data: Node) {
        self.configuration.mocks.insert(name, data_of(data));
    }

    fn reference(&self, source: String, at: Position) -> Reference {
        Reference::new(source, Arc::clone(&self.folder), Arc::clone(&self.file), at)
    }

    /// Says which attributes nobody asked for.
    fn finish(&mut self, body: Body) {
        for member in body.members {
            self.warn(member.at, format!("the attribute {} of {} has no effect", member.name, body.kind));
        }
    }
}

fn data_of(node: Node) -> Given {
    Given::Data(Arc::new(node.into_json()))
}

fn last(labels: Vec<String>) -> String {
    labels.into_iter().next_back().unwrap_or_default()
}

/// The attributes of a block that nobody asked for yet.
struct Body {
    kind: &'static str,
    members: Vec<Member>,
}

impl Body {
    fn new(kind: &'static str, node: Node) -> Read<Self> {
        match node.kind {
            NodeKind::Object(members) => Ok(Self { kind, members }),
            _ => Err(Problem::new(node.at, format!("expected an object, found {}", node.name()))),
        }
    }

    fn take(&mut self, name: &str) -> Option<Member> {
        let index = self.members.iter().position(|member| member.name == name)?;
        Some(self.members.remove(index))
    }

    fn text(&mut self, name: &str) -> Read<Option<(String, Position)>> {
        match self.take(name) {
            None => Ok(None),
            Some(Member { value: Node { at, kind: NodeKind::Text(text) }, .. }) => Ok(Some((text, at))),
            Some(Member { value, .. }) => {
                Err(Problem::new(value.at, format!("{name} is a string in quotes, not {}", value.name())))
            }
        }
    }

    fn required(&mut self, name: &str, block: Position) -> Read<(String, Position)> {
        let kind = self.kind;
        self.text(name)?.ok_or_else(|| {
            Problem::new(block, format!("this {kind} has no {name}: write {name} = \"FILE\" in it"))
        })
    }

    fn object(&mut self, name: &str) -> Read<Option<Vec<Member>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Member { value: Node { kind: NodeKind::Object(members), .. }, .. }) => Ok(Some(members)),
            Some(Member { value, .. }) => {
                Err(Problem::new(value.at, format!("{name} is an object in braces, not {}", value.name())))
            }
        }
    }
}
