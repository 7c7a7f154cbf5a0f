//! Errors and warnings with what they point to.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use objchange::address::Mode;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode, SchemaKind};
use objchange_hcl::{
    Diagnostic, Excerpt, FunctionSignature, HiddenSource, Outline, Places, Position, Sources, Span,
    variable_of_source,
};
use smol_str::SmolStr;

use super::{Comparison, Diagnostics, ModuleDiagnostic, NOWHERE, Severity};
use crate::Schemas;
use crate::config::{Config, LoadedModule};
use crate::provisioners::{connection_schema, provisioner_schema};

/// Shows errors and warnings with the lines that they point to, without what must not be shown of these.
#[derive(Debug)]
pub struct DiagnosticPrinter<'s> {
    sources: &'s Sources,
    places: Places<'s>,
    hidden: OnceCell<HiddenSource>,
    /// Those of the files that something was shown of, by name.
    outlines: RefCell<HashMap<String, Outline<'s>>>,
    /// Schemas of module calls and provider blocks, which say what to hide, by kind and first label.
    blocks: BTreeMap<(String, String), Block>,
}

/// An error or a warning with all that is shown of it.
pub(super) struct Message<'d> {
    pub(super) severity: Severity,
    pub(super) diagnostic: Cow<'d, Diagnostic>,
    pub(super) address: Option<&'d str>,
    pub(super) comparison: Option<&'d Comparison>,
    pub(super) place: Option<ShownPlace>,
}

/// A place, and the source around it.
pub(super) struct ShownPlace {
    pub(super) file: String,
    pub(super) start: Point,
    pub(super) end: Point,
    /// The source around it, if it may be shown.
    pub(super) snippet: Option<Snippet>,
}

/// Lines of a source.
pub(super) struct Snippet {
    /// The header of the block around the place.
    pub(super) context: Option<String>,
    /// The number of the first line.
    pub(super) first_line: u32,
    pub(super) source: Excerpt,
}

impl<'s> DiagnosticPrinter<'s> {
    /// For the files of a configuration; the schemas tell what in its blocks is sensitive. All strings and numbers of
    /// blocks without a schema are hidden.
    pub fn new(config: &'s Config, schemas: &Schemas) -> Self {
        Self::of_all([config], schemas)
    }

    /// For the files of several configurations, which have all their sources in common.
    pub(crate) fn of_all(configs: impl IntoIterator<Item = &'s Config>, schemas: &Schemas) -> Self {
        static NOTHING: LazyLock<Sources> = LazyLock::new(Sources::default);
        let mut blocks = BTreeMap::new();
        let mut sources = None;
        for config in configs {
            sources.get_or_insert(&config.sources);
            for module in &config.modules {
                add_schemas(&mut blocks, module, schemas);
                for (name, child) in &module.children {
                    if let Some(child) = config.modules.get(*child) {
                        add_variables(&mut blocks, ("module", name), child);
                    }
                }
            }
            // `variables` blocks of test files.
            if let Some(root) = config.modules.first() {
                add_variables(&mut blocks, ("variables", ""), root);
            }
            add_outputs(&mut blocks, config);
        }
        let sources = sources.unwrap_or(&NOTHING);
        let (hidden, outlines) = Default::default();
        Self { sources, places: sources.places(), hidden, outlines, blocks }
    }

    fn hidden(&self) -> &HiddenSource {
        self.hidden.get_or_init(|| {
            let schema = |kind: &str, label: &str| match kind {
                "provisioner" => provisioner_schema(label),
                "connection" => Some(connection_schema()),
                _ => self.blocks.get(&(kind.to_owned(), label.to_owned())),
            };
            HiddenSource::new(self.sources, schema, [])
        })
    }

    /// The header of the block around a place in a file.
    fn block_around(&self, file: &str, byte: u32, start: u32) -> Option<String> {
        let mut outlines = self.outlines.borrow_mut();
        if let Some(outline) = outlines.get(file) {
            return outline.around(byte, self.hidden(), start);
        }
        let outline = Outline::new(file, self.sources.text(file)?);
        let around = outline.around(byte, self.hidden(), start);
        outlines.insert(file.to_owned(), outline);
        around
    }

    /// All of them in Terraform's order: warnings, then errors; what has no place, then by file and place.
    pub(super) fn messages<'d>(&self, diagnostics: &'d Diagnostics) -> Vec<Message<'d>> {
        let mut messages: Vec<Message<'d>> = diagnostics.iter().map(|one| self.message(one)).collect();
        // The sort is stable, so messages without a place stay in the order in which they were found.
        messages.sort_by(|a, b| {
            let key = |message: &Message<'_>| {
                let place = message.place.as_ref();
                let place = place.map(|place| (place.file.clone(), place.start.byte, place.end.byte));
                (message.severity == Severity::Error, place)
            };
            key(a).cmp(&key(b))
        });
        messages
    }

    pub(super) fn message<'d>(&self, one: &'d ModuleDiagnostic) -> Message<'d> {
        let diagnostic = self.masked(one);
        let place = diagnostic.subject.and_then(|subject| self.place(subject, diagnostic.context));
        let (address, comparison) = (one.address.as_deref(), one.comparison.as_deref());
        Message { severity: diagnostic.severity, diagnostic, address, comparison, place }
    }

    /// A diagnostic without pieces of source that must not be shown.
    pub(crate) fn masked<'d>(&self, one: &'d ModuleDiagnostic) -> Cow<'d, Diagnostic> {
        match one.diagnostic.subject {
            Some(_) => Cow::Owned(self.hidden().mask(&self.places, one.diagnostic.clone())),
            None => Cow::Borrowed(&one.diagnostic),
        }
    }

    fn place(&self, subject: Span, context: Option<Span>) -> Option<ShownPlace> {
        if subject == NOWHERE {
            let start = Point { line: 0, column: 0, byte: 0 };
            let end = Point { column: 1, byte: 1, ..start };
            return Some(ShownPlace { file: String::new(), start, end, snippet: None });
        }
        // An empty subject is shown as one character.
        let subject =
            if subject.start == subject.end { Span::new(subject.start, subject.end + 1) } else { subject };
        let place = self.places.find(subject)?;
        let before = subject.start - place.span.start;
        let start = Point::new(place.start(), place.span.start);
        let mut end = Point::new(place.end(), place.span.end);
        if place.span.start == place.span.end {
            end = Point { column: end.column + 1, byte: end.byte + 1, ..end };
        }
        let snippet = variable_of_source(place.name).is_none().then(|| {
            let around = context.unwrap_or(subject);
            let line = |byte: u32| place.lines.position(byte.saturating_sub(before)).line;
            let first_line = start.line.min(line(around.start));
            // The end of a line belongs to it.
            let last_line = line(subject.end.saturating_sub(1).max(subject.start));
            let last_line = last_line.max(line(around.end.saturating_sub(1).max(around.start)));
            Snippet {
                context: self.block_around(place.name, place.span.start, before),
                first_line,
                source: Excerpt::new(&place, subject, first_line..=last_line.max(first_line), self.hidden()),
            }
        });
        Some(ShownPlace { file: place.name.to_owned(), start, end, snippet })
    }
}

/// A place in the files of a configuration, and its line without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The text of the line, if it may be shown.
    pub text: Option<String>,
}

impl DiagnosticPrinter<'_> {
    /// The line that a span begins in, without what must not be shown of it.
    pub fn line(&self, span: Span) -> Option<ShownLine> {
        let place = self.place(span, None).filter(|place| !place.file.is_empty())?;
        let text = place.snippet.as_ref().and_then(|snippet| snippet.source.text.lines().next());
        Some(ShownLine {
            text: text.map(|text| text.trim().to_owned()),
            file: place.file,
            line: place.start.line,
            column: place.start.column,
        })
    }
}

/// A place in a file, with its byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) byte: u32,
}

impl Point {
    fn new(Position { line, column }: Position, byte: u32) -> Self {
        Self { line, column, byte }
    }
}

/// Whether the signature of a function is known where it was called: inside of a `for` it is not, and the type of its result
/// is missing.
pub(super) fn is_described(called: &FunctionSignature) -> bool {
    !called.result.is_empty()
}

impl Message<'_> {
    pub(super) fn called(&self) -> Option<&FunctionSignature> {
        self.diagnostic.called.as_deref()
    }
}

/// The schemas of the blocks of a module's providers. For what must not be shown it does not matter which provider has a
/// type.
fn add_schemas(blocks: &mut BTreeMap<(String, String), Block>, module: &LoadedModule, schemas: &Schemas) {
    let add = |blocks: &mut BTreeMap<(String, String), Block>,
               kind: &str,
               label: &str,
               schema: SchemaKind,
               name: &str,
               provider: Option<&str>| {
        if let Some(schema) = schemas.of_any_provider(schema, name, provider) {
            blocks.entry((kind.to_owned(), label.to_owned())).or_insert_with(|| schema.block.clone());
        }
    };
    for name in module.config.resources.keys() {
        let (kind, schema) = match name.mode {
            Mode::Managed => ("resource", SchemaKind::Resource),
            Mode::Data => ("data", SchemaKind::DataSource),
            Mode::Ephemeral => ("ephemeral", SchemaKind::EphemeralResource),
        };
        add(blocks, kind, &name.resource_type, schema, &name.resource_type, None);
    }
    for name in module.config.actions.keys() {
        if let Some(schema) = schemas.of_any_provider(SchemaKind::Action, &name.action_type, None) {
            blocks.entry(("action".to_owned(), name.action_type.to_string())).or_insert_with(|| {
                let config = NestedBlock::new(NestingMode::Single, schema.block.clone());
                Block::new::<SmolStr>([], [("config".into(), config)])
            });
        }
    }
    for block in &module.config.providers {
        let required = module.config.required_providers.get(&block.name);
        let source =
            required.and_then(|required| required.source.as_ref().map(|(source, _)| source.as_str()));
        let name = source.and_then(|source| source.rsplit('/').next()).unwrap_or(&block.name);
        add(blocks, "provider", &block.name, SchemaKind::Provider, "", Some(name));
    }
}

/// The outputs of all modules, which test files may override.
fn add_outputs(blocks: &mut BTreeMap<(String, String), Block>, config: &Config) {
    let key = ("outputs".to_owned(), String::new());
    let known = blocks.remove(&key);
    let known =
        known.iter().flat_map(Block::attributes).map(|(name, attribute)| (name.clone(), attribute.clone()));
    let mut all: BTreeMap<SmolStr, Attribute> = known.collect();
    for (name, output) in config.modules.iter().flat_map(|module| &module.config.outputs) {
        let attribute =
            all.entry(name.clone()).or_insert_with(|| Attribute::optional(objchange::Type::Dynamic));
        attribute.sensitive |= output.sensitive || output.ephemeral;
    }
    blocks.insert(key, Block::new(all, []));
}

/// The variables of a module as the arguments of its calls.
fn add_variables(
    blocks: &mut BTreeMap<(String, String), Block>,
    (kind, name): (&str, &str),
    child: &LoadedModule,
) {
    let arguments = child.config.variables.iter().map(|(name, variable)| {
        let mut attribute = Attribute::optional(objchange::Type::Dynamic);
        attribute.sensitive = variable.sensitive || variable.ephemeral;
        (name.clone(), attribute)
    });
    let key = (kind.to_owned(), name.to_owned());
    // Calls of one name in several modules hide what any of them hides.
    let known = blocks.remove(&key);
    let mut all: BTreeMap<SmolStr, Attribute> = known
        .iter()
        .flat_map(objchange::schema::Block::attributes)
        .map(|(name, a)| (name.clone(), a.clone()))
        .collect();
    for (name, attribute) in arguments {
        let sensitive = attribute.sensitive;
        all.entry(name).or_insert(attribute).sensitive |= sensitive;
    }
    blocks.insert(key, Block::new(all, []));
}
