//! Parts of source texts that must not be shown, because they are secrets or what secrets are made of.

mod broken;
mod json;
mod message;
mod search;

use std::collections::{BTreeMap, BTreeSet};

use objchange::schema::Block as Schema;
use objchange_text::json::{Node, Reader};
use objchange_text::{Diagnostic, Span};

use crate::sources::{SourceFile, Sources};
use crate::syntax::ast::{Body, Expr};
use crate::syntax::{parse_body, parse_body_partly, parse_expression};
use crate::walk::sensitive_arguments;
use broken::{Known, is_in_vocabulary, is_public};
use search::{Search, is_secret_declaration};

/// The parts of sources that must not be shown where a line of them is, nor repeated by a message.
///
/// These are the default values of sensitive and ephemeral variables, the arguments of `sensitive`, the values of
/// sensitive outputs, arguments that a schema calls sensitive or write-only, and the local values and variables that
/// any of these refer to. All values are hidden where secrets cannot be told apart: in files with syntax errors, in
/// JSON syntax, in values for undeclared variables, and in blocks without a schema.
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
pub struct HiddenSource {
    /// In order and apart from each other.
    spans: Vec<Span>,
    /// The references in hidden parts, in order. They only tell where a secret comes from, so messages may repeat them.
    references: Vec<Span>,
}

/// A file as it was read.
enum Form<'s> {
    Native(Body),
    Json(Node<'s>),
    Broken,
}

/// Names that the files of a configuration declare.
#[derive(Default)]
struct Declared {
    /// The variables, with whether their values are hidden.
    variables: BTreeMap<String, bool>,
    /// The types of resources.
    types: BTreeSet<String>,
}

impl HiddenSource {
    /// Finds the secrets in the files of a configuration. `schema` returns the schema of a block by its kind and first
    /// label (`resource` and the type of the resource, `module` and the name of the call), if known. `expressions` are
    /// others that refer to the configuration.
    pub fn new<'s, 'e>(
        sources: &Sources,
        schema: impl Fn(&str, &str) -> Option<&'s Schema>,
        expressions: impl IntoIterator<Item = &'e Expr>,
    ) -> Self {
        let forms: Vec<(&SourceFile, Form<'_>)> =
            sources.files().iter().map(|file| (file, Form::read(file))).collect();
        let mut declared = Declared::default();
        for (file, form) in forms.iter().filter(|(file, _)| !is_values(file)) {
            declared.add(file, form);
        }
        let mut hidden = Vec::new();
        let mut search = Search::new(&schema, &declared);
        for (file, form) in &forms {
            match form {
                Form::Native(body) if is_values(file) => search.values(body),
                Form::Native(body) if is_test(file) => search.test_file(body),
                Form::Native(body) => search.file(body),
                Form::Json(node) if is_values(file) => {
                    hidden.extend(moved(json::of_values(node, &declared), file));
                }
                Form::Json(node) if is_test(file) => {
                    hidden.extend(moved(json::of_test_file(node, &file.text, &schema, &declared), file));
                }
                Form::Json(node) => hidden.extend(moved(json::of_module_file(node, &schema), file)),
                Form::Broken => hidden.extend(moved(of_broken(file, &schema, &declared), file)),
            }
        }
        expressions.into_iter().for_each(|expr| search.calls(expr));
        let bodies = forms.iter().filter_map(|(_, form)| match form {
            Form::Native(body) => Some(body),
            _ => None,
        });
        let (of_bodies, mut references) = search.found(bodies);
        let of_bodies = of_bodies.into_iter().map(|span| with_comment(span, sources)).collect();
        let of_bodies = merged(of_bodies);
        hidden.extend(search.opaque().flat_map(|expr| comments_in(expr, sources, &of_bodies)));
        hidden.extend(of_bodies);
        references.sort();
        Self { spans: merged(hidden), references }
    }

    /// Finds the secrets in the text of one expression.
    pub fn in_expression(text: &str) -> Self {
        let spans = match parse_expression(text) {
            Ok(expr) => sensitive_arguments(&expr).iter().map(|expr| expr.span).collect(),
            Err(_) => {
                // No arguments can be told apart in text that does not parse: everything behind the word is hidden.
                let call = text.find("sensitive").map(|at| at + "sensitive".len());
                call.map(|from| Span::new(from as u32, text.len() as u32)).into_iter().collect()
            }
        };
        Self { spans: merged(spans), references: Vec::new() }
    }

    /// Removes every piece of the text from an error, for texts whose secrets are not known.
    ///
    /// ```
    /// use objchange_hcl::{HiddenSource, parse_expression};
    ///
    /// let text = "\"%{swordfish}\"";
    /// let error = HiddenSource::mask_all_of(text, parse_expression(text).unwrap_err().remove(0));
    /// assert!(!error.detail.contains("swordfish"));
    /// ```
    #[must_use]
    pub fn mask_all_of(text: &str, diagnostic: Diagnostic) -> Diagnostic {
        let Ok(sources) = Sources::from_text("", text) else { return diagnostic };
        let all = Span::new(0, text.len() as u32);
        Self { spans: merged(vec![all]), references: Vec::new() }.mask(&sources.places(), diagnostic)
    }

    /// The parts, in order and apart from each other.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The parts that are in these bytes, whole or in part.
    pub(crate) fn within(&self, start: u32, length: u32) -> &[Span] {
        let first = self.spans.partition_point(|part| part.end <= start);
        let behind = self.spans.partition_point(|part| part.start < start.saturating_add(length));
        self.spans.get(first..behind).unwrap_or_default()
    }
}

impl<'s> Form<'s> {
    fn read(file: &'s SourceFile) -> Self {
        // The text for a variable is an expression or plain letters, depending on the variable's type, so it is read as
        // neither.
        if variable_of_source(&file.name).is_some() {
            return Self::Broken;
        }
        if file.name.ends_with(".json") {
            return Node::read_all(Reader::new(&file.text)).map_or(Self::Broken, Self::Json);
        }
        parse_body(&file.text).map_or(Self::Broken, |body| Self::Native(body.moved(file.start)))
    }
}

impl Declared {
    fn add(&mut self, file: &SourceFile, form: &Form<'_>) {
        match form {
            Form::Native(body) => self.add_body(body, false),
            Form::Json(node) => json::declare(node, self),
            // Whether a variable is sensitive may be written in the part that cannot be read.
            Form::Broken if !file.name.ends_with(".json") => {
                self.add_body(&parse_body_partly(&file.text), true);
            }
            Form::Broken => {}
        }
    }

    fn add_body(&mut self, body: &Body, is_partial: bool) {
        for block in &body.blocks {
            let label = block.labels.first().map(|label| label.text.as_str()).unwrap_or_default();
            match &*block.kind {
                "variable" => self.add_variable(label, is_partial || is_secret_declaration(&block.body)),
                // In a broken file the text in the place of a type may be part of a secret, so no type is learnt from it.
                "resource" | "data" | "ephemeral" if !is_partial => {
                    self.types.insert(label.to_owned());
                }
                _ => {}
            }
        }
    }

    fn add_variable(&mut self, name: &str, is_secret: bool) {
        // Several files may declare the variable: one that calls it sensitive is enough.
        *self.variables.entry(name.to_owned()).or_default() |= is_secret;
    }

    /// Whether the variable is declared and not sensitive.
    fn is_public(&self, name: &str) -> bool {
        self.variables.get(name) == Some(&false)
    }
}

/// The comments in an expression: they may hold values that were commented out. Parts in `hidden` are skipped.
fn comments_in(expr: Span, sources: &Sources, hidden: &[Span]) -> Vec<Span> {
    let behind = sources.files().partition_point(|file| file.start <= expr.start);
    let file = behind.checked_sub(1).and_then(|last| sources.files().get(last));
    let text = file
        .and_then(|file| Some((file.start, file.text.get(..(expr.end.checked_sub(file.start)?) as usize)?)));
    let Some((start, text)) = text else { return Vec::new() };
    let mut at = (expr.start - start) as usize;
    let mut comments = Vec::new();
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(['#', '/'])) {
        at += found;
        let place = start + at as u32;
        let last = hidden.partition_point(|span| span.start <= place);
        if let Some(span) = last.checked_sub(1).map(|last| hidden[last]).filter(|span| span.end > place) {
            at = (span.end - start) as usize;
            continue;
        }
        let comment = &text[at..];
        let end = match comment.get(..2) {
            Some("/*") => comment.find("*/").map(|end| end + 2),
            _ if comment.starts_with('#') || comment.starts_with("//") => comment.find('\n'),
            _ => {
                at += 1;
                continue;
            }
        };
        let end = at + end.unwrap_or(comment.len());
        comments.push(Span::new(place, start + end as u32));
        at = end;
    }
    comments
}

/// A part with the comment behind it, which may be the rest of a secret without quotes: `password = abc#def`.
fn with_comment(span: Span, sources: &Sources) -> Span {
    let behind = sources.files().partition_point(|file| file.start <= span.start);
    let file = behind.checked_sub(1).and_then(|last| sources.files().get(last));
    let Some((file, rest)) =
        file.and_then(|file| Some((file, file.text.get((span.end - file.start) as usize..)?)))
    else {
        return span;
    };
    let is_between = |c: char| c != '\n' && broken::is_structure(c);
    let comment = rest.trim_start_matches(is_between);
    let end_of_comment = match comment.get(..2) {
        Some("/*") => "*/",
        _ if comment.starts_with('#') || comment.starts_with("//") => "\n",
        _ => return span,
    };
    let length = comment.find(end_of_comment).unwrap_or(comment.len());
    let end = file.text.len() - comment.len() + length;
    Span::new(span.start, file.start + end as u32)
}

/// Finds the secrets in a file that cannot be parsed.
fn of_broken<'s>(
    file: &SourceFile,
    schema: &dyn Fn(&str, &str) -> Option<&'s Schema>,
    declared: &Declared,
) -> Vec<Span> {
    if let Some(variable) = variable_of_source(&file.name) {
        let all = Span::new(0, file.text.len() as u32);
        return if declared.is_public(variable) { Vec::new() } else { vec![all] };
    }
    let is_variable = |name: &str| declared.variables.contains_key(name);
    let is_public_variable = |name: &str| declared.is_public(name);
    let members = match file.name.ends_with(".json") {
        true => BTreeSet::new(),
        false => members_of_schemas(&parse_body_partly(&file.text), schema),
    };
    let is_name =
        |name: &str| is_in_vocabulary(name) || members.contains(name) || is_test(file) && is_variable(name);
    let known = match is_values(file) {
        true => Known { is_name: &is_variable, is_public: &is_public_variable },
        false => Known { is_name: &is_name, is_public: &is_public },
    };
    match file.name.ends_with(".json") {
        true => broken::json(&file.text, &known),
        false => broken::native(&file.text, &known),
    }
}

/// The names of arguments and blocks in the schemas of the blocks of a file, as far as it can be read.
fn members_of_schemas<'s>(
    body: &Body,
    schema: &dyn Fn(&str, &str) -> Option<&'s Schema>,
) -> BTreeSet<&'s str> {
    let labelled = body.blocks.iter().filter_map(|block| Some((&*block.kind, &*block.labels.first()?.text)));
    let mut open: Vec<&Schema> = labelled.filter_map(|(kind, label)| schema(kind, label)).collect();
    let mut names = BTreeSet::new();
    while let Some(block) = open.pop() {
        names.extend(block.attributes().iter().map(|(name, _)| name.as_str()));
        names.extend(block.block_types().iter().map(|(name, _)| name.as_str()));
        open.extend(block.block_types().iter().map(|(_, nested)| &nested.block));
    }
    names
}

const VALUE_SOURCE: &str = "<value for var.";

/// How messages call a text that was given for a variable by an argument or in the environment.
///
/// ```
/// assert_eq!(objchange_hcl::value_source("pin"), "<value for var.pin>");
/// ```
pub fn value_source(variable: &str) -> String {
    format!("{VALUE_SOURCE}{variable}>")
}

/// The variable whose value is this source, if the source is not a file.
///
/// ```
/// assert_eq!(objchange_hcl::variable_of_source("<value for var.pin>"), Some("pin"));
/// assert_eq!(objchange_hcl::variable_of_source("main.tf"), None);
/// ```
pub fn variable_of_source(source: &str) -> Option<&str> {
    source.strip_prefix(VALUE_SOURCE)?.strip_suffix('>')
}

/// Whether a file gives values to variables.
fn is_values(file: &SourceFile) -> bool {
    file.name.strip_suffix(".json").unwrap_or(&file.name).ends_with(".tfvars")
}

/// Whether a file is a test file or a mock file.
fn is_test(file: &SourceFile) -> bool {
    let name = file.name.strip_suffix(".json").or_else(|| file.name.strip_suffix(".hcl"));
    name.is_some_and(|name| {
        [".tftest", ".tfmock", ".tofutest", ".tofumock"].iter().any(|end| name.ends_with(end))
    })
}

/// Parts of a file as parts of all files together.
fn moved(spans: Vec<Span>, file: &SourceFile) -> impl Iterator<Item = Span> {
    spans.into_iter().map(|span| span.moved(file.start))
}

fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| span.start < span.end);
    spans.sort();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}
