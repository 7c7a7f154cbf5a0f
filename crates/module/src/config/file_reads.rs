//! The files that a configuration reads, as far as they are known without planning.

use std::collections::{BTreeMap, HashMap};

use objchange::{Type, Value};
use objchange_hcl::{
    Expr, FileCall, Functions, ModuleConfig, NamedFiles, Scope, Span, Variables, evaluate, named_files,
    template_file_calls, variables,
};
use smol_str::SmolStr;

use super::constants::{locals_before, subjects};
use super::{Config, LoadedModule, is_configuration};
use crate::subject::SubjectKind;

/// A file that a function or a provider reads, or may read; where its whole path is not known, all files whose paths begin
/// alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRead {
    /// The path, or its beginning: absolute, or relative to the directory of the root module. Empty where nothing is known.
    pub path: String,
    /// The path is known to its end.
    pub is_whole: bool,
    /// The file is a template, which may read others.
    pub is_template: bool,
    /// The place of the call: `main.tf:3,9-24`.
    pub place: String,
}

impl Config {
    /// The files that functions read in all modules, and what texts such as `"${path.module}/app.zip"` name. Paths may depend on
    /// local values; variables and resources are unknown.
    ///
    /// ```
    /// use objchange_hcl::Functions;
    /// use objchange_module::config::{Config, LoadOptions, MemoryFiles};
    ///
    /// let text = "locals {\n  folder = \"${path.module}/rules\"\n}\n\
    ///             output \"a\" {\n  value = file(\"${local.folder}/${terraform.workspace}.json\")\n}\n";
    /// let files: MemoryFiles = [("main.tf", text)].into_iter().collect();
    /// let (config, _) = Config::load(&files, ".", &LoadOptions::new("1.16.0"));
    /// let reads = config.file_reads(Functions::pure());
    /// assert_eq!((reads[0].path.as_str(), reads[0].is_whole), ("./rules/", false));
    /// assert_eq!(reads[0].place, "main.tf:5,11-62");
    /// ```
    pub fn file_reads(&self, functions: &Functions) -> Vec<FileRead> {
        // Calls of one directory share its files.
        let mut scopes: BTreeMap<&str, PathScope<'_>> = BTreeMap::new();
        for module in &self.modules {
            scopes.entry(module.directory.as_str()).or_insert_with(|| PathScope::new(module, functions));
        }
        let places = self.sources.places();
        let mut found = Vec::new();
        for (name, text, start) in self.sources.iter().filter(|(name, ..)| is_configuration(name)) {
            let Some(scope) = scopes.get_mut(directory_of(name)) else { continue };
            let NamedFiles { calls, paths } = named_files(name, text);
            let place = |span: Span| places.describe(span.moved(start));
            found.extend(calls.iter().map(|call| scope.read(call, place(call.span))));
            found.extend(paths.iter().map(|expr| {
                let (path, is_whole) = scope.beginning(expr);
                FileRead { path, is_whole, is_template: false, place: place(expr.span) }
            }));
        }
        for scope in scopes.values_mut() {
            found.extend(scope.states(&|span| places.describe(span)));
        }
        found
    }
}

/// The files that a template reads when it is rendered: nothing of the module is known in it.
///
/// ```
/// use objchange_hcl::Functions;
/// use objchange_module::config::template_reads;
///
/// let reads = template_reads("motd.tftpl", "${file(\"motd.txt\")} ${name}", Functions::pure());
/// assert_eq!((reads[0].path.as_str(), reads[0].place.as_str()), ("motd.txt", "motd.tftpl"));
/// ```
pub fn template_reads(name: &str, text: &str, functions: &Functions) -> Vec<FileRead> {
    let config = ModuleConfig::default();
    let mut scope = PathScope { config: &config, directory: ".", functions, locals: HashMap::new() };
    let calls = template_file_calls(text);
    calls.iter().map(|call| scope.read(call, name.to_owned())).collect()
}

fn directory_of(name: &str) -> &str {
    name.rsplit_once('/').map_or(".", |(directory, _)| directory)
}

/// The names that paths of files are made of, in a module.
pub(crate) struct PathScope<'s> {
    config: &'s ModuleConfig,
    directory: &'s str,
    functions: &'s Functions,
    /// Local values that earlier paths needed.
    locals: HashMap<SmolStr, Value>,
}

impl<'s> PathScope<'s> {
    pub(crate) fn new(module: &'s LoadedModule, functions: &'s Functions) -> Self {
        Self { config: &module.config, directory: &module.directory, functions, locals: HashMap::new() }
    }

    /// The file that a call reads, with a place for people.
    pub(crate) fn read(&mut self, call: &FileCall, place: String) -> FileRead {
        let (mut path, mut is_whole) = match call.arguments.first() {
            Some(path) if !call.path_reads_files => self.beginning(path),
            _ => (String::new(), false),
        };
        if call.function == "fileset" {
            if is_whole {
                let pattern = call.arguments.get(1).map(|pattern| self.beginning(pattern).0);
                let pattern = pattern.unwrap_or_default();
                // All files that `fileset` may find begin with the pattern up to its first special character.
                let fixed = pattern.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
                // Behind a folder of any name, `..` leads to other places than it begins with.
                path = match pattern[fixed.len()..].contains("..") {
                    true => String::new(),
                    false => format!("{path}/{fixed}"),
                };
            }
            is_whole = false;
        }
        FileRead { path, is_whole, is_template: call.function == "templatefile", place }
    }

    /// The states of other configurations that are in files: `terraform_remote_state` reads them.
    fn states(&mut self, place: &dyn Fn(Span) -> String) -> Vec<FileRead> {
        let config = self.config;
        let states =
            config.resources.iter().filter(|(name, _)| name.resource_type == "terraform_remote_state");
        let arguments = states.flat_map(|(_, resource)| resource.body.generic().attributes);
        let mut found = Vec::new();
        for argument in arguments.filter(|argument| argument.name == "config") {
            self.know_locals(&argument.expr);
            let value = self.evaluate(&argument.expr).unmark_deep().0;
            // Other backends have other settings, and no path of a file.
            let Some(path) = value.attribute("path").or_else(|| value.element("path")) else { continue };
            let (path, is_whole) = beginning_of(path);
            found.push(FileRead { path, is_whole, is_template: false, place: place(argument.expr.span) });
        }
        found
    }

    /// How the text that an expression makes begins, and whether that is all of it.
    fn beginning(&mut self, expr: &Expr) -> (String, bool) {
        self.know_locals(expr);
        beginning_of(&self.evaluate(expr).unmark_deep().0)
    }

    /// Evaluates the local values that an expression needs.
    fn know_locals(&mut self, expr: &Expr) {
        let needed = locals_before(self.config, expr, |name| self.locals.contains_key(name));
        for name in needed.unwrap_or_default() {
            let local = self.config.locals.get(&name).map(|local| self.evaluate(&local.expr));
            self.locals.insert(name, local.unwrap_or_else(|| Value::unknown(Type::Dynamic)));
        }
    }

    /// The value of an expression whose local values are known.
    fn evaluate(&self, expr: &Expr) -> Value {
        let unknown = || Value::unknown(Type::Dynamic);
        let mut names: Variables =
            variables(expr).iter().map(|reference| (reference.name.clone(), unknown())).collect();
        let locals = subjects(expr).into_iter().filter_map(|subject| match subject.kind {
            SubjectKind::Local(name) => {
                let value = self.locals.get(&name).cloned().unwrap_or_else(unknown);
                Some((name, value))
            }
            _ => None,
        });
        names.insert("local", Value::object(locals));
        // All paths are relative to the working directory.
        let here = || Value::from(".");
        let path = [("module", Value::from(self.directory)), ("root", here()), ("cwd", here())];
        names.insert("path", Value::object(path));
        evaluate(expr, &Scope::new(&names), self.functions).0
    }
}

/// How a text begins, and whether that is all of it.
fn beginning_of(value: &Value) -> (String, bool) {
    let prefix = || value.refinements()?.string_prefix.clone();
    match value.as_str() {
        Some(text) => (text.to_owned(), true),
        None => (prefix().unwrap_or_default().to_string(), false),
    }
}
