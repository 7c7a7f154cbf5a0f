//! Compiles syntax trees to policies.

mod closures;
mod condition;
pub(crate) mod fields;
mod join;
mod lower;
mod marks;
mod metadata;
mod names;
mod order;
pub(crate) mod program;
mod recursion;
mod rules;
mod term;
mod tree;
pub(crate) mod types;

use hashbrown::HashMap;

use crate::error::{CompileError, CompileErrors, Location};
use crate::syntax::ast::{Dialect, Import, Module, Rule, Term, TermKind};
use crate::syntax::{mentioned_names, parse};
use lower::Unit;
use program::{DataReference, Mark, Node, RuleKind, RuleSet, SourcePlace};

/// A file of policies.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its name, for places in errors.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// How to treat calls of functions that need the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NetworkAccess {
    /// Policies with such calls are refused.
    #[default]
    Refused,
    /// They use the network of the host.
    Allowed,
    /// Tests replace them. Where they do not, a call fails.
    Mocked,
}

/// Options for compiling policies.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct CompileOptions {
    /// How to treat calls of functions that need the network.
    pub network: NetworkAccess,
    /// Policies must be ready then.
    pub deadline: Option<std::time::Instant>,
    /// Evaluation counts which conditions it comes by.
    pub marks: bool,
}

/// A part of the input that a policy mentions.
#[derive(Debug, Clone)]
pub(crate) struct InputReference {
    pub(crate) path: Vec<String>,
    pub(crate) place: SourcePlace,
}

/// Facts about a rule from before its bodies are compiled.
#[derive(Debug)]
pub(crate) struct RuleShape {
    pub(crate) kind: RuleKind,
    /// It makes sets: `p contains x`, or `p[k] contains x`.
    pub(crate) has_members: bool,
    /// The package it is in.
    pub(crate) package: Vec<String>,
    pub(crate) name: String,
}

/// Everything that evaluation needs.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) files: Vec<String>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) rules: Vec<RuleSet>,
    pub(crate) shapes: Vec<RuleShape>,
    /// For each rule the positions of `data` that it mentions.
    pub(crate) edges: Vec<Vec<u32>>,
    /// For each rule whether it mentions the input itself.
    pub(crate) reads_input: Vec<bool>,
    pub(crate) data_references: Vec<DataReference>,
    /// The paths in `data` that `with` replaces.
    pub(crate) mocked: Vec<Vec<String>>,
    pub(crate) input_references: Vec<InputReference>,
    pub(crate) marks: Vec<Mark>,
}

pub(crate) fn location(files: &[String], place: SourcePlace) -> Location {
    let file = files.get(place.file as usize).cloned().unwrap_or_default();
    Location { file, line: place.span.line, column: place.span.column }
}

pub(crate) fn compile(files: &[SourceFile], options: &CompileOptions) -> Result<Compiled, CompileErrors> {
    let mut errors = Vec::new();
    let mut modules = Vec::new();
    for (index, file) in files.iter().enumerate() {
        check_deadline(options)?;
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        match module(file) {
            Ok(module) => {
                errors.extend(shadowing_imports(file, &module));
                modules.push((unit(index, &module), module));
            }
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(CompileErrors(errors));
    }
    rules::compile(files, &modules, options)
}

/// Imports that declare a name that another one has declared.
fn shadowing_imports(file: &SourceFile, module: &Module) -> Vec<CompileError> {
    let names = [file.name.clone()];
    let mut first: HashMap<&String, &Import> = HashMap::new();
    let mut errors = Vec::new();
    for import in &module.imports {
        let Some(name) = declared_by(import) else { continue };
        if let Some(other) = first.get(name) {
            let alias = other.alias.iter().map(|alias| format!(" as {alias}")).collect::<String>();
            let message = format!("import must not shadow import {}{alias}", other.path.join("."));
            let place = SourcePlace { file: 0, span: import.span };
            let location = Some(location(&names, place));
            errors.push(CompileError { code: "rego_compile_error", location, message });
        }
        first.entry(name).or_insert(import);
    }
    errors
}

/// A rule that a file declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredRule {
    /// The package of the file.
    pub package: Vec<String>,
    /// Its path in `data`, package included, as far as the names in its head are constant.
    pub path: Vec<String>,
    /// The place of its declaration.
    pub location: Location,
}

/// The rules of a file that can be evaluated by their name: no functions. A rule with several definitions is there once
/// for each.
pub(crate) fn declared_rules(file: &SourceFile) -> Result<Vec<DeclaredRule>, CompileErrors> {
    let module = module(file).map_err(CompileErrors)?;
    let names = [file.name.clone()];
    let is_function = |rule: &Rule| rule.head.params.is_some();
    let declared = module.rules.iter().filter(|rule| !is_function(rule)).map(|rule| DeclaredRule {
        package: module.package.clone(),
        path: rules::path(&module.package, rule).0,
        location: location(&names, SourcePlace { file: 0, span: rule.span }),
    });
    Ok(declared.collect())
}

fn module(file: &SourceFile) -> Result<Module, Vec<CompileError>> {
    let names = [file.name.clone()];
    let error = |error: crate::syntax::SyntaxError| CompileError {
        // OPA's own code, so that tools that read errors of OPA find the kind of this one.
        code: "rego_parse_error",
        location: Some(location(&names, SourcePlace { file: 0, span: error.span })),
        message: error.message,
    };
    read(&file.text).map_err(|found| found.into_iter().map(error).collect())
}

fn check_deadline(options: &CompileOptions) -> Result<(), CompileErrors> {
    if options.deadline.is_some_and(|deadline| std::time::Instant::now() > deadline) {
        let code = crate::Limit::Time.name();
        let message = "compiling takes longer than is allowed".to_owned();
        return Err(CompileErrors(vec![CompileError { code, location: None, message }]));
    }
    Ok(())
}

/// Reads a file in the syntax of today, or else in that from before OPA 1.0.
fn read(text: &str) -> Result<Module, Vec<crate::syntax::SyntaxError>> {
    match parse(text, Dialect::V1) {
        Ok(module) => Ok(module),
        Err(errors) => parse(text, Dialect::V0).map_err(|old| {
            // The dialect that parses further has the better error.
            let line =
                |errors: &[crate::syntax::SyntaxError]| errors.first().map_or(0, |error| error.span.line);
            if line(&old) > line(&errors) { old } else { errors }
        }),
    }
}

/// The name that an import declares. Those of keywords have done their work in the parser, and `import input` alone declares
/// nothing new.
fn declared_by(import: &Import) -> Option<&String> {
    match (import.path[0].as_str(), import.path.last()) {
        ("input" | "data", Some(last)) if import.path.len() > 1 || import.alias.is_some() => {
            Some(import.alias.as_ref().unwrap_or(last))
        }
        _ => None,
    }
}

/// The names that imports of a file declare and nothing mentions.
pub(crate) fn unused_imports(file: &SourceFile) -> Result<Vec<(String, Location)>, CompileErrors> {
    let module = module(file).map_err(CompileErrors)?;
    let mentioned = mentioned_names(&file.text);
    let names = [file.name.clone()];
    let unused = module.imports.iter().filter_map(|import| {
        let name = declared_by(import).filter(|name| !mentioned.contains(name.as_str()))?;
        Some((name.clone(), location(&names, SourcePlace { file: 0, span: import.span })))
    });
    Ok(unused.collect())
}

fn unit(file: u32, module: &Module) -> Unit {
    let declared = |import: &Import| Some((declared_by(import)?.clone(), import.path.clone()));
    let imports: HashMap<String, Vec<String>> = module.imports.iter().filter_map(declared).collect();
    Unit { file, package: module.package.clone(), imports }
}

/// The name of a function as it is written.
pub(crate) fn text_of(function: &Term) -> String {
    match &function.kind {
        TermKind::Var(name) => name.clone(),
        TermKind::Ref(head, keys) => {
            let keys = keys.iter().map(|key| match &key.kind {
                TermKind::String(key) => key.as_str(),
                _ => "_",
            });
            std::iter::once(&*text_of(head)).chain(keys).collect::<Vec<_>>().join(".")
        }
        _ => String::new(),
    }
}
