//! Finds the places of a configuration that name files: calls of functions that read files, and paths for providers.

use objchange_text::Span;
use smol_str::SmolStr;

use crate::function::{Capability, Functions};
use crate::syntax::ast::{Block, Body, Call, Expr};
use crate::syntax::{parse_body_json, parse_body_partly, parse_template};
use crate::walk::calls_and_paths;

/// A call of a function that reads a file, or tests whether it exists.
#[derive(Debug, Clone)]
pub struct FileCall {
    /// The function: `file`, `templatefile`, `fileset`.
    pub function: SmolStr,
    /// Its arguments, the first of which is a path. Empty if they are the elements of a list (`file(all...)`).
    pub arguments: Vec<Expr>,
    /// Another such call is part of its path, which is then only known when files are read.
    pub path_reads_files: bool,
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

/// The calls of functions that read files in an expression.
///
/// ```
/// let expr = objchange_hcl::parse_expression("upper(file(\"motd.txt\"))").unwrap();
/// assert_eq!(objchange_hcl::file_calls(&expr)[0].function, "file");
/// ```
pub fn file_calls(expr: &Expr) -> Vec<FileCall> {
    let mut found = NamedFiles::default();
    found.add(expr);
    found.calls
}

impl NamedFiles {
    /// Blocks within blocks are as deep as the parser lets them be.
    fn add_body(&mut self, body: &Body) {
        body.attributes.iter().for_each(|attribute| self.add(&attribute.expr));
        body.blocks.iter().for_each(|Block { body, .. }| self.add_body(body));
    }

    fn add(&mut self, expr: &Expr) {
        let (calls, paths) = calls_and_paths(expr);
        self.paths.extend(paths.into_iter().cloned());
        let reading: Vec<_> =
            calls.into_iter().filter_map(|(span, call)| Some((span, call, reading(call)?))).collect();
        let mut starts: Vec<u32> = reading.iter().map(|(span, ..)| span.start).collect();
        starts.sort_unstable();
        self.calls.extend(reading.into_iter().filter_map(|(span, call, function)| {
            let arguments = if call.expands { Vec::new() } else { call.arguments.clone() };
            let path = call.arguments.first()?.span;
            let next = starts.get(starts.partition_point(|start| *start < path.start));
            let path_reads_files = next.is_some_and(|start| *start < path.end);
            Some(FileCall { function: function.into(), arguments, path_reads_files, span })
        }));
    }
}

/// The name of the function that is called, if it reads files.
fn reading(call: &Call) -> Option<&str> {
    let function = call.name.trim_start_matches("core::");
    let reach = Functions::pure().get(function)?.reach();
    (reach != Capability::Arguments).then_some(function)
}
