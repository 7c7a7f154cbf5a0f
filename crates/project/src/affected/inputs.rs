//! The inputs of a root module.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use objchange_document::{DirectoryProblem, Version};
use objchange_files::Walk;
use objchange_hcl::{ConstantText, Functions, Severity, StateStorage};
use objchange_module::config::{
    Config, FileRead, Files, LOCK_FILE, LoadOptions, OpenTofuFiles, is_configuration, local_source,
    template_reads,
};
use objchange_module::{Diagnostics, ModuleDiagnostic};

use super::changes::{ChangedFiles, real_path};
use super::{Reason, ReasonKind};
use crate::files::{DiskFiles, without_dots};
use crate::inputs::{functions, is_variable_file};
use crate::state::{STATE_FILE, WORKSPACE_DIR};

/// How many templates are looked into whose names begin alike. Where there are more, any file may be read.
const MOST_TEMPLATES: usize = 1000;

/// The longest text that is taken for a path.
const MOST_LITERAL: usize = 200;

/// The files of a root module, and places where it may have others.
pub(super) struct RootInputs {
    directory: PathBuf,
    /// The directories of all modules, with and without links.
    modules: BTreeSet<PathBuf>,
    /// The files that links in these directories lead to.
    linked: BTreeMap<PathBuf, ReasonKind>,
    /// Where missing modules would be.
    missing: BTreeSet<PathBuf>,
    /// States that lie elsewhere, and directories with the states of workspaces.
    states: BTreeSet<PathBuf>,
    /// The files that are read, and where.
    files: BTreeMap<PathBuf, String>,
    /// The beginnings of paths that may be read: a directory, and how paths in it go on.
    beginnings: BTreeMap<(PathBuf, String), String>,
    /// Texts that may name files or folders, and where they are.
    literals: BTreeMap<PathBuf, String>,
    /// Places for which any change may touch it.
    unknown: BTreeSet<(String, ReasonKind)>,
}

impl RootInputs {
    pub(super) fn new(directory: &Path) -> io::Result<Self> {
        let files = DiskFiles::new(directory, &[])?;
        let directory = fs::canonicalize(directory)?;
        let mut inputs = Self {
            states: BTreeSet::from([directory.join(WORKSPACE_DIR)]),
            directory,
            modules: BTreeSet::new(),
            linked: BTreeMap::new(),
            missing: BTreeSet::new(),
            files: BTreeMap::new(),
            beginnings: BTreeMap::new(),
            literals: BTreeMap::new(),
            unknown: BTreeSet::new(),
        };
        let terraform_version = format!("{}.0", Version::NEWEST);
        let manifest = files.module_manifest().map_err(io::Error::other)?;
        let options = LoadOptions {
            manifest: manifest.as_deref(),
            accepts_missing: true,
            ..LoadOptions::new(&terraform_version)
        };
        let (config, diagnostics) = Config::load(&files, ".", &options);
        inputs.add(&config, &diagnostics, &files);
        // Terraform reads `main.tf` where OpenTofu reads `main.tofu` instead.
        if !config.opentofu_files.is_empty() {
            let (config, diagnostics) = Config::load(&OpenTofuFiles(&files), ".", &options);
            inputs.add(&config, &diagnostics, &files);
        }
        inputs.add_links();
        inputs.add_values(&files);
        Ok(inputs)
    }

    fn add(&mut self, config: &Config, diagnostics: &Diagnostics, files: &DiskFiles) {
        // An unsupported `required_version` says nothing about the files of a module.
        let is_about_files = |found: &&ModuleDiagnostic| {
            found.diagnostic.severity == Severity::Error
                && found.diagnostic.kind != "unsupported_terraform_core_version"
        };
        if let Some(found) = diagnostics.iter().find(is_about_files) {
            let places = config.sources.places();
            let place = found.diagnostic.subject.map(|subject| format!(", {}", places.describe(subject)));
            self.unknown(
                ReasonKind::Unreadable,
                format!("{}{}", found.diagnostic.summary, place.unwrap_or_default()),
            );
        }
        self.add_modules(config);
        let calls = config.modules.iter().flat_map(|module| module.config.calls.values());
        let sources: BTreeSet<&str> =
            calls.filter_map(|call| call.source.as_ref()).map(|(source, _)| source.as_str()).collect();
        let root = self.directory.clone();
        for (name, text, _) in config.sources.iter().filter(|(name, ..)| !name.starts_with(".terraform/")) {
            self.add_literals(name, text, &sources, &[&root]);
        }
        let functions = functions(files).unwrap_or_else(|_| Functions::pure().clone());
        // Templates may render each other, or themselves.
        let mut rendered = HashSet::new();
        let mut open = config.file_reads(&functions);
        while let Some(read) = open.pop() {
            let templates = self.add_read(&read);
            for template in templates.into_iter().filter(|template| rendered.insert(template.clone())) {
                match files.read(&template) {
                    Ok(Some(text)) => open.extend(template_reads(&template, &text, &functions)),
                    Ok(None) => {}
                    // A template that cannot be read may read any file.
                    Err(_) => self.unknown(ReasonKind::UnknownPath, template),
                }
            }
        }
    }

    fn unknown(&mut self, kind: ReasonKind, place: String) {
        self.unknown.insert((place, kind));
    }

    /// The places that a path of the configuration leads to: as it is written, each link on the way if it is one, and where the
    /// system finds it.
    fn places(&self, path: &str) -> Vec<PathBuf> {
        let written = self.directory.join(path);
        let mut places = vec![without_dots(&written)];
        // As many as Linux follows.
        for _ in 0..40 {
            let last = &places[places.len() - 1];
            let (Some(around), Ok(target)) = (last.parent(), fs::read_link(last)) else { break };
            places.push(without_dots(&around.join(target)));
        }
        places.push(real_path(&places[0]));
        // Behind a link, `..` leads out of the directory that the link leads to.
        places.extend(fs::canonicalize(written).ok());
        places
    }

    fn add_modules(&mut self, config: &Config) {
        for module in &config.modules {
            let places = self.places(&module.directory);
            self.modules.extend(places);
        }
        for (name, ..) in config.sources.iter() {
            self.add_link(name, ReasonKind::Configuration);
        }
        for ((caller, name), missing) in &config.missing_modules {
            if missing.source.is_empty() || missing.problem == Some(DirectoryProblem::Outside) {
                self.unknown(ReasonKind::UnknownModule, format!("module.{name}"));
            } else if let Some(source) = local_source(&missing.source) {
                let places = self.places(&format!("{}/{source}", config.modules[*caller].directory));
                self.missing.extend(places);
            }
        }
        // Their values come from variables.
        let calls = config.modules.iter().flat_map(|module| &module.config.calls);
        for (name, _) in calls.filter(|(_, call)| call.computed_source.is_some()) {
            self.unknown(ReasonKind::UnknownModule, format!("module.{name}"));
        }
        let storage = config.modules.first().and_then(|root| root.config.state_storage.as_ref());
        if let Some(StateStorage::Local { path, workspace_dir, .. }) = storage {
            if let ConstantText::Text(path) = path {
                let places = self.places(path);
                self.states.extend(places);
            }
            if let ConstantText::Text(directory) = workspace_dir {
                let places = self.places(directory);
                self.states.extend(places);
            }
        }
    }

    /// Adds what the texts of a file may name, below each of `places`. Providers and provisioners read files such as
    /// `source = "Dockerfile"`, and which arguments are paths only they know.
    fn add_literals(&mut self, name: &str, text: &str, sources: &BTreeSet<&str>, places: &[&Path]) {
        for (at, line) in text.lines().enumerate() {
            let is_header = line.trim_end().ends_with('{') && !line.contains('=');
            let parts: Vec<&str> = line.split('"').collect();
            for (nth, &literal) in parts.iter().enumerate() {
                let ends = ["${", "%{"].iter().filter_map(|end| literal.find(end));
                let fixed = &literal[..ends.min().unwrap_or(literal.len())];
                // Labels of blocks and keys in JSON are bare words, too.
                let is_key = parts.get(nth + 1).is_some_and(|after| after.trim_start().starts_with(':'));
                let is_label = is_header || (is_key && name.ends_with(".json"));
                let is_bare = !fixed.contains(['/', '.']);
                let is_path = !fixed.trim().is_empty()
                    && !fixed.contains("://")
                    && !fixed.starts_with('/')
                    && !(is_bare && (nth % 2 == 0 || is_label));
                if !is_path || fixed.len() > MOST_LITERAL || sources.contains(literal) {
                    continue;
                }
                let (around, rest) = match fixed.rsplit_once('/') {
                    _ if fixed.len() == literal.len() => (fixed, None),
                    Some(parts) => (parts.0, Some(parts.1)),
                    None => ("", Some(fixed)),
                };
                // A whole argument may name the directory itself, as in `source_dir = "."`; a dot is often the separator of
                // a call.
                let is_argument = || nth > 0 && parts[nth - 1].trim_end().ends_with(['=', ':']);
                let is_upward =
                    || fixed.split('/').all(|part| matches!(part, ".." | "")) && fixed.starts_with("..");
                for directory in places {
                    let place = without_dots(&directory.join(around));
                    // Everything lies below it.
                    let names_all = rest.unwrap_or_default().is_empty() && self.directory.starts_with(&place);
                    if names_all && !is_upward() && !is_argument() {
                        continue;
                    }
                    let label = || format!("{name}:{}", at + 1);
                    match rest {
                        None => self.literals.entry(place).or_insert_with(label),
                        Some(rest) => self.beginnings.entry((place, rest.to_owned())).or_insert_with(label),
                    };
                }
            }
        }
    }

    /// Adds what values of variables may name: those in the directory and in the folders in it.
    fn add_values(&mut self, files: &DiskFiles) {
        let directory = self.directory.clone();
        // A value may complete a path such as `"${path.module}/${var.name}"`, also upward.
        let places: BTreeSet<PathBuf> = self.modules.iter().chain([&directory]).cloned().collect();
        let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
        let walk = Walk { folder: &directory, depth: 2, hidden: false };
        let is_values =
            |path: &Path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_variable_file);
        for path in walk.files(is_values).paths {
            let Some(name) = path.strip_prefix(&directory).ok().and_then(Path::to_str) else { continue };
            if let Ok(Some(text)) = files.read(name) {
                self.add_literals(name, &text, &BTreeSet::new(), &places);
            }
        }
    }

    fn add_link(&mut self, path: &str, kind: ReasonKind) {
        let places = self.places(path);
        for place in places.iter().filter(|place| **place != places[0]) {
            self.linked.entry(place.clone()).or_insert(kind);
        }
    }

    /// The files that are no configuration and that links lead to, in the directory and the folders in it.
    fn add_links(&mut self) {
        let listed = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
        let root = self.directory.clone();
        let folders = listed(&root).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let folders = folders.filter_map(|entry| entry.file_name().into_string().ok());
        let folders: Vec<String> = folders.filter(|name| !name.starts_with('.')).collect();
        for folder in std::iter::once(".".to_owned()).chain(folders) {
            for entry in listed(&root.join(&folder)) {
                if let Ok(name) = entry.file_name().into_string()
                    && let Some(kind) = kind_of(&name, folder == ".")
                {
                    self.add_link(&format!("{folder}/{name}"), kind);
                }
            }
        }
    }

    /// Adds a file that is read, or files that may be. Returns the templates among them.
    fn add_read(&mut self, read: &FileRead) -> Vec<String> {
        if read.path.is_empty() && !read.is_whole {
            self.unknown(ReasonKind::UnknownPath, read.place.clone());
            return Vec::new();
        }
        let places = self.places(&read.path);
        if read.is_whole && !places[0].is_dir() {
            for place in places {
                self.files.insert(place, read.place.clone());
            }
            return if read.is_template { vec![read.path.clone()] } else { Vec::new() };
        }
        // A provider may read all of a directory, and an unknown rest may complete a name.
        let (around, rest) = match read.path.rsplit_once('/') {
            _ if read.is_whole => (read.path.as_str(), ""),
            Some(("", rest)) => ("/", rest),
            Some(parts) => parts,
            None => ("", read.path.as_str()),
        };
        // The rest of `.` may be anything, such as `/a.txt`.
        let rest = if rest.bytes().all(|byte| byte == b'.') { "" } else { rest };
        for place in self.places(around) {
            self.beginnings.insert((place, rest.to_owned()), read.place.clone());
        }
        if !read.is_template {
            return Vec::new();
        }
        let folder = without_dots(&self.directory.join(around));
        let walk = Walk { folder: &folder, depth: usize::MAX, hidden: true };
        let begins = |path: &Path| {
            let inner = path.strip_prefix(&folder).ok().and_then(Path::to_str);
            inner.is_some_and(|inner| inner.starts_with(rest))
        };
        let templates = walk.files(begins).paths;
        if templates.len() > MOST_TEMPLATES {
            self.unknown(ReasonKind::UnknownPath, read.place.clone());
            return Vec::new();
        }
        templates.iter().filter_map(|path| path.to_str().map(str::to_owned)).collect()
    }

    /// Why changed files touch the module: each file once, with the first reason.
    pub(super) fn reasons(&self, changed: &ChangedFiles) -> Vec<Reason> {
        let mut found = BTreeMap::new();
        let mut add = |kind, name: &str, place: Option<&String>| {
            let reason = || Reason { kind, file: Some(name.to_owned()), place: place.cloned() };
            found.entry(name.to_owned()).or_insert_with(reason);
        };
        for directory in &self.modules {
            let files = changed.directly_in(directory).filter(|(file, _)| is_configuration(file));
            // Also a link in the place of the directory, and a directory that git names as a whole.
            let names = files.map(|(_, name)| name).chain(changed.at(directory));
            names.for_each(|name| add(ReasonKind::Configuration, name, None));
        }
        for (path, name) in changed.below(&self.directory) {
            // Values of environments often lie one folder down, as `env/prod.tfvars`.
            let depth = path.components().count();
            let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
            if let (true, Some(kind)) = (depth <= 2, kind_of(file, depth == 1)) {
                add(kind, name, None);
            }
        }
        for (path, kind) in &self.linked {
            changed.at(path).into_iter().for_each(|name| add(*kind, name, None));
        }
        for place in &self.missing {
            let names = changed.below(place).map(|(_, name)| name).chain(changed.at(place));
            names.for_each(|name| add(ReasonKind::MissingModule, name, None));
        }
        for place in &self.states {
            let names = changed.below(place).map(|(_, name)| name).chain(changed.at(place));
            names.for_each(|name| add(ReasonKind::State, name, None));
        }
        for (path, place) in &self.files {
            changed.at(path).into_iter().for_each(|name| add(ReasonKind::ReadFile, name, Some(place)));
        }
        for ((directory, rest), place) in &self.beginnings {
            let fits = |path: &Path| path.to_str().is_none_or(|path| path.starts_with(rest.as_str()));
            let files = changed.below(directory).filter(|(path, _)| fits(path));
            let names = files.map(|(_, name)| name).chain(changed.at(directory));
            names.for_each(|name| add(ReasonKind::ReadFile, name, Some(place)));
        }
        for (path, place) in &self.literals {
            let names = changed.below(path).map(|(_, name)| name).chain(changed.at(path));
            names.for_each(|name| add(ReasonKind::ReadFile, name, Some(place)));
        }
        let unknown = self.unknown.iter();
        let unknown =
            unknown.map(|(place, kind)| Reason { kind: *kind, file: None, place: Some(place.clone()) });
        found.into_values().chain(unknown).collect()
    }
}

/// The kind of a file beside the configuration: in the directory of the root module, or in a folder in that.
fn kind_of(file: &str, is_in_root: bool) -> Option<ReasonKind> {
    match file {
        LOCK_FILE if is_in_root => Some(ReasonKind::LockFile),
        STATE_FILE if is_in_root => Some(ReasonKind::State),
        file if file.ends_with(".tfbackend") => Some(ReasonKind::State),
        file if is_variable_file(file) => Some(ReasonKind::Variables),
        _ => None,
    }
}
