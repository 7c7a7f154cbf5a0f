//! Finds the places of a configuration that name files: calls of functions that read them, and paths for providers.

use objchange_text::Span;
use smol_str::SmolStr;

use crate::function::{Capability, Functions};
use crate::syntax::ast::{Block, Body, Call, Expr};
use crate::syntax::{parse_body_json, parse_body_partly, parse_template};
use crate::walk::{called, path_templates};

/// A call of a function that reads a file, or looks whether there is one.
#[derive(Debug, Clone)]
pub struct FileCall {
    /// The function: `file`, `templatefile`, `fileset`.
    pub function: SmolStr,
    /// Its arguments, of which the first is a path; none where they are the elements of a list (`file(all...)`).
    pub arguments: Vec<Expr>,
    /// Its path depends on the content of another file, or on whether there is one.
    pub is_read_itself: bool,
    /// The place of the call in the text.
    pub span: Span,
}

/// The places of a text that name files.
#[derive(Debug, Clone, Default)]
pub struct NamedFiles {
    /// The calls of functions that read files.
    pub calls: Vec<FileCall>,
    /// The texts that begin with a directory of the configuration, such as `"${path.module}/app.zip"`: providers read such
    /// files, too.
    pub paths: Vec<Expr>,
}

/// The places that name files in a file of configuration, in the JSON syntax if its name ends so. Where the file has errors, as
/// far as it can be read.
///
/// ```
/// use objchange_hcl::named_files;
///
/// let text = "locals {\n  a = file(\"a.txt\")\n  b = [for p in fileset(\".\", \"*.json\") : upper(p)]\n}\n";
/// let found = named_files("main.tf", text);
/// assert!(found.calls.iter().map(|call| call.function.as_str()).eq(["file", "fileset"]));
///
/// let json = r#"{"locals": {"a": "${file(\"a.txt\")}", "b": "${path.module}/b.zip"}}"#;
/// let found = named_files("main.tf.json", json);
/// assert_eq!((found.calls.len(), found.paths.len()), (1, 1));
/// ```
pub fn named_files(name: &str, text: &str) -> NamedFiles {
    let mut found = NamedFiles::default();
    if name.ends_with(".json") {
        if let Ok(json) = parse_body_json(text) {
            found.add(&json.as_template());
        }
    } else {
        found.add_body(&parse_body_partly(text));
    }
    found
}

/// The calls of functions that read files in a text that `templatefile` renders.
///
/// ```
/// let calls = objchange_hcl::template_file_calls("${file(\"motd.txt\")} ${name}");
/// assert_eq!(calls[0].function, "file");
/// ```
pub fn template_file_calls(text: &str) -> Vec<FileCall> {
    let mut found = NamedFiles::default();
    if let Ok(template) = parse_template(text) {
        found.add(&template);
    }
    found.calls
}

impl NamedFiles {
    /// Blocks within blocks are as deep as the parser lets them be.
    fn add_body(&mut self, body: &Body) {
        body.attributes.iter().for_each(|attribute| self.add(&attribute.expr));
        body.blocks.iter().for_each(|Block { body, .. }| self.add_body(body));
    }

    fn add(&mut self, expr: &Expr) {
        self.paths.extend(path_templates(expr).into_iter().cloned());
        let all = called(expr);
        self.calls.extend(all.iter().filter_map(|(span, call)| {
            let function = reading(call)?;
            let arguments = if call.expands { Vec::new() } else { call.arguments.clone() };
            let path = call.arguments.first()?.span;
            let is_inside = |inner: &Span| path.start <= inner.start && inner.end <= path.end;
            let is_read_itself = all.iter().any(|(inner, call)| is_inside(inner) && reading(call).is_some());
            Some(FileCall { function: function.into(), arguments, is_read_itself, span: *span })
        }));
    }
}

/// The name of the function that is called, if it reads files.
fn reading(call: &Call) -> Option<&str> {
    let function = call.name.trim_start_matches("core::");
    let reach = Functions::pure().get(function)?.reach();
    (reach != Capability::Arguments).then_some(function)
}
