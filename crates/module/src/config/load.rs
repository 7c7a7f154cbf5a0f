//! Loading the tree of modules.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use objchange::Value;
use objchange_document::{DirectoryProblem, Version};
use objchange_hcl::{
    Diagnostic, Edition, ModuleCall, ModuleConfig, OUTSIDE, OUTSIDE_DIRECTORIES, Problems, Sources, Span,
};
use objchange_text::VersionConstraints;
use smol_str::SmolStr;

use super::constants::Constants;
use super::manifest::{self, Manifest};
use super::names::{clean, configuration_files, is_left_alone, is_of_opentofu, join};
use super::source::{ModuleSource, SourceDirectory};
use super::{Config, Files, FilesError, LoadedModule, MissingModule, ModuleId};
use crate::{Diagnostics, Severity};

/// The version that brought imports by modules that others call.
const CHILD_IMPORTS: Edition = Edition(16);

const INIT: &str = "Run \"terraform init\" to install all modules required by this configuration.";

/// The maximum number of modules of a configuration. Only a mistake, such as a module that calls itself, makes more.
const MAX_MODULES: usize = 1 << 16;

/// How modules are loaded.
#[derive(Debug, Clone)]
pub struct LoadOptions<'o> {
    /// The text of `modules.json`; `None` looks for it in `.terraform/modules`.
    pub manifest: Option<&'o str>,
    /// The version of Terraform that `required_version` is about, and whose rules are followed: `1.11.4`.
    pub terraform_version: &'o str,
    /// Modules may be not installed: they are in [`Config::missing_modules`]. Otherwise they are errors.
    pub accepts_missing: bool,
    /// Directories in which modules lie that nobody has installed.
    pub sources: &'o [SourceDirectory],
}

impl<'o> LoadOptions<'o> {
    /// For this version: installed modules are looked for in `.terraform/modules`, and others are errors.
    pub fn new(terraform_version: &'o str) -> Self {
        Self { manifest: None, terraform_version, accepts_missing: false, sources: &[] }
    }

    pub(super) fn version(&self) -> Version {
        Version::parse(self.terraform_version).unwrap_or(Version::NEWEST)
    }

    /// Whether the rules are those of 1.15 or newer.
    pub(super) fn is_new(&self) -> bool {
        self.edition() >= Edition(15)
    }

    fn edition(&self) -> Edition {
        Edition(self.version().parts().1)
    }
}

impl Config {
    /// Loads the module in a directory with all that it calls: local ones directly, others from where they are
    /// installed. Where there are errors the tree goes as far as it can be followed.
    ///
    /// ```
    /// use objchange_module::config::{Config, LoadOptions, MemoryFiles};
    ///
    /// let files: MemoryFiles = [
    ///     ("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
    ///     ("m/main.tf", "output \"o\" {\n  value = 1\n}\n"),
    /// ]
    /// .into_iter()
    /// .collect();
    /// let options = LoadOptions::new("1.11.4");
    /// let (config, diagnostics) = Config::load(&files, ".", &options);
    /// assert!(diagnostics.is_empty());
    /// assert_eq!(config.modules[1].directory, "m");
    /// ```
    pub fn load(files: &dyn Files, directory: &str, options: &LoadOptions<'_>) -> (Self, Diagnostics) {
        Self::load_with_constants(files, directory, options, BTreeMap::new())
    }

    /// Loads with values for the constant variables of the root module; others have their defaults.
    pub fn load_with_constants(
        files: &dyn Files,
        directory: &str,
        options: &LoadOptions<'_>,
        constants: BTreeMap<SmolStr, Value>,
    ) -> (Self, Diagnostics) {
        let place = InstalledPlace { key: Vec::new(), manifest_directory: directory, constants };
        Self::load_after(Sources::default(), files, directory, options, &place)
    }

    /// Whether sources of modules may depend on the values that are given for variables of the root module.
    pub(crate) fn has_constants(&self) -> bool {
        self.modules
            .first()
            .is_some_and(|root| root.config.variables.values().any(|variable| variable.constant))
    }

    /// Loads behind other sources, whose spans stay valid.
    pub(crate) fn load_after(
        sources: Sources,
        files: &dyn Files,
        directory: &str,
        options: &LoadOptions<'_>,
        place: &InstalledPlace<'_>,
    ) -> (Self, Diagnostics) {
        let mut loader = Loader {
            files,
            options,
            key: &place.key,
            manifest: Manifest::default(),
            config: Self { sources, is_opentofu: files.has_opentofu_names(), ..Self::default() },
            directories: HashMap::new(),
            broken: HashSet::new(),
            constants: HashMap::from([(0, place.constants.clone())]),
            diagnostics: Diagnostics::default(),
        };
        loader.read_manifest(place.manifest_directory);
        loader.load_tree(directory);
        (loader.config, loader.diagnostics)
    }

    /// Checks the source of a module as it is written.
    pub(crate) fn wrong_source(source: (&str, Span), has_version: bool) -> Option<Diagnostic> {
        let (text, place) = source;
        let (summary, detail) = ModuleSource::parse(text, has_version).err()?;
        Some(Diagnostic::new(summary, place, detail))
    }

    /// Where the manifest says that a module is installed that is called from outside of the configuration: the key of
    /// the call, its source, and where it is written.
    ///
    /// # Errors
    ///
    /// It is not installed, or was installed from elsewhere.
    pub(crate) fn installed_directory(
        files: &dyn Files,
        options: &LoadOptions<'_>,
        key: &str,
        source: (&str, Span),
        has_version: bool,
        header: Span,
    ) -> Result<String, Box<Diagnostic>> {
        let (text, place) = source;
        let parsed = ModuleSource::parse(text, has_version);
        let parsed = parsed.map_err(|(summary, detail)| Box::new(Diagnostic::new(summary, place, detail)))?;
        let manifest = match options.manifest {
            Some(text) => Some(text.to_owned()),
            None => files.read(manifest::PATH).unwrap_or_default(),
        };
        let manifest = manifest.and_then(|text| Manifest::parse(&text).ok()).unwrap_or_default();
        let missing = |detail: String| Err(Box::new(Diagnostic::new("Module not installed", header, detail)));
        match (manifest.entry(key), &parsed) {
            (Some(entry), ModuleSource::Local(_)) => Ok(clean(&entry.dir)),
            (Some(entry), _) if parsed.is(&entry.source) => Ok(clean(&entry.dir)),
            (Some(_), _) => {
                let detail =
                    format!("The source address was changed since this module was installed. {INIT}");
                Err(Box::new(Diagnostic::new("Module source has changed", place, detail)))
            }
            (None, ModuleSource::Local(path)) => {
                let directory = clean(path);
                if files.list(&directory).is_err() {
                    // Terraform 1.11.4 prints the empty name of a directory here, between two blanks.
                    return missing(format!(
                        "This module's local cache directory  could not be read. {INIT}"
                    ));
                }
                Ok(directory)
            }
            (None, _) => missing(format!("This module is not yet installed. {INIT}")),
        }
    }
}

/// The installed place of a module that is loaded on its own.
pub(crate) struct InstalledPlace<'p> {
    /// The names of the calls that lead to it in the manifest of installed modules.
    pub(crate) key: Vec<SmolStr>,
    /// The directory that the manifest is below.
    pub(crate) manifest_directory: &'p str,
    /// The values that are given for its constant variables.
    pub(crate) constants: BTreeMap<SmolStr, Value>,
}

pub(super) struct Loader<'l> {
    pub(super) files: &'l dyn Files,
    pub(super) options: &'l LoadOptions<'l>,
    /// The names of the calls that lead to the root module in the manifest.
    key: &'l [SmolStr],
    manifest: Manifest,
    pub(super) config: Config,
    /// The directories that are already read.
    directories: HashMap<String, Directory>,
    /// The called modules whose files are wrong.
    broken: HashSet<ModuleId>,
    /// The values of the constant variables of each module that has any.
    pub(super) constants: HashMap<ModuleId, Constants>,
    pub(super) diagnostics: Diagnostics,
}

/// The declarations in the files of a directory.
#[derive(Clone)]
struct Directory {
    config: Arc<ModuleConfig>,
    /// Reported once for each call.
    problems: Arc<Problems>,
}

impl Loader<'_> {
    fn read_manifest(&mut self, directory: &str) {
        let text = match self.options.manifest {
            Some(text) => Some(text.to_owned()),
            None => self.files.read(&join(directory, manifest::PATH)).unwrap_or_default(),
        };
        match text.as_deref().map(Manifest::parse) {
            None => {}
            Some(Ok(manifest)) => self.manifest = manifest,
            Some(Err(error)) => {
                let summary = format!("failed to read module manifest: {error}");
                self.diagnostics.without_place(
                    Severity::Error,
                    ("failed_to_read_module_manifest_error", summary),
                    "",
                );
            }
        }
    }

    fn load_tree(&mut self, directory: &str) {
        let root = match self.directory(directory) {
            Ok(root) => root,
            Err(error) => {
                let summary = "Failed to read module directory";
                let detail =
                    format!("Module directory {directory} does not exist or cannot be read: {error}.");
                self.diagnostics.without_place(Severity::Error, summary, detail);
                return;
            }
        };
        self.tell(&root.problems);
        let outputs = root.config.outputs.values().filter(|_| !self.files.has_opentofu_names());
        for (_, place) in outputs.filter_map(|output| output.deprecated.as_ref()) {
            let detail = "Root module outputs cannot be deprecated, as there is no higher-level module to inform of the \
                          deprecation.";
            self.diagnostics.error("Root module output deprecated", *place, detail);
        }
        let is_broken = self.diagnostics.has_errors();
        self.config.modules.push(LoadedModule {
            directory: directory.to_owned(),
            config: root.config,
            ..LoadedModule::default()
        });
        // Modules called by a broken root module are not loaded.
        if is_broken {
            return;
        }
        let constants = self.constants.entry(0).or_default();
        for (name, variable) in &self.config.modules[0].config.variables {
            if let Some(default) = variable.default.as_ref().filter(|_| variable.constant) {
                constants.entry(name.clone()).or_insert_with(|| default.clone());
            }
        }
        // Children are appended, so each module comes before those that it calls, and nested calls take no stack.
        let mut at = 0;
        while at < self.config.modules.len() {
            if !(self.options.is_new() && self.broken.contains(&at)) {
                self.load_children(at);
            }
            at += 1;
        }
        // Provider checks need intact modules on both sides.
        if !self.diagnostics.has_errors() {
            self.check_versions();
            let mut found = Diagnostics::default();
            self.config.check_providers(&mut found);
            self.diagnostics.append(found);
        }
    }

    /// Whether the modules are for this version of Terraform.
    fn check_versions(&mut self) {
        let version = self.options.terraform_version;
        for loaded in &self.config.modules {
            for (wanted, place) in &loaded.config.required_versions {
                if VersionConstraints::parse(wanted).is_none_or(|wanted| wanted.allow(version) == Some(true))
                {
                    continue;
                }
                let calls: Vec<String> = loaded.path.iter().map(|call| format!("module.{call}")).collect();
                let what = match &calls[..] {
                    [] => "This configuration".to_owned(),
                    calls => format!("Module {} (from {})", calls.join("."), loaded.source),
                };
                let detail = format!(
                    "{what} does not support Terraform version {version}. To proceed, either choose another supported \
                     Terraform version or update this version constraint. Version constraints are normally set for \
                     good reason, so updating the constraint may lead to other errors or unexpected behavior."
                );
                self.diagnostics.error("Unsupported Terraform Core version", *place, detail);
            }
        }
    }

    fn load_children(&mut self, parent: ModuleId) {
        let config = Arc::clone(&self.config.modules[parent].config);
        let mut children = BTreeMap::new();
        for (name, call) in &config.calls {
            let Some((source, directory, child)) = self.called(parent, name, call) else { continue };
            if self.config.modules.len() >= MAX_MODULES {
                let detail = format!("This configuration calls more than {MAX_MODULES} modules.");
                self.diagnostics.error("Too many modules", call.header, detail);
                return;
            }
            // Since 1.15 Terraform follows no calls of a module with errors, and shows no warnings about one without.
            let is_broken = !child.problems.errors.is_empty();
            if is_broken || !self.options.is_new() {
                self.tell(&child.problems);
            }
            let path: Vec<_> = self.config.modules[parent].path.iter().chain([name]).cloned().collect();
            let mut config = child.config;
            let is_opentofu = self.files.has_opentofu_names();
            let may_import = !is_opentofu && self.options.edition() >= CHILD_IMPORTS;
            if let (false, Some(import)) = (may_import, config.imports.first()) {
                // Terraform 1.15 reads them, and does nothing with them.
                if is_opentofu || !self.options.is_new() {
                    let module: Vec<String> = path.iter().map(|name| format!("module.{name}")).collect();
                    let detail = format!(
                        "An import block was detected in {:?}. Import blocks are only allowed in the root module.",
                        module.join(".")
                    );
                    self.diagnostics.error("Invalid import configuration", import.header, detail);
                }
                // This copies the declarations if another call of the directory shares them.
                Arc::make_mut(&mut config).imports.clear();
            }
            children.insert(name.clone(), self.config.modules.len());
            self.config.modules.push(LoadedModule {
                path,
                parent: Some(parent),
                directory,
                source,
                config,
                children: BTreeMap::new(),
            });
            let errors = self.diagnostics.error_count();
            self.pass_constants(parent, call, self.config.modules.len() - 1);
            let is_broken = is_broken || self.diagnostics.error_count() > errors;
            if is_broken {
                self.broken.insert(self.config.modules.len() - 1);
            }
        }
        self.config.modules[parent].children = children;
    }

    /// The source of a call, the directory that it means, and what is in that.
    fn called(
        &mut self,
        parent: ModuleId,
        name: &SmolStr,
        call: &ModuleCall,
    ) -> Option<(String, String, Directory)> {
        let (text, place) = match &call.source {
            Some(source) => source.clone(),
            None => self.computed_source(parent, name, call)?,
        };
        // An invalid source was reported with the module.
        let source = ModuleSource::parse(&text, call.version.is_some()).ok()?;
        let module = &self.config.modules[parent];
        let key: Vec<&str> = self.key.iter().chain(&module.path).chain([name]).map(SmolStr::as_str).collect();
        let installed = self.manifest.entry(&key.join("."));
        let is_installed = installed.is_some();
        let given = SourceDirectory::of(&text, self.options.sources);
        let directory = match (given, installed, &source) {
            (Some(given), ..) => given.directory_for(&text),
            (None, Some(entry), _) => {
                if !source.is(&entry.source) {
                    let detail =
                        format!("The source address was changed since this module was installed. {INIT}");
                    // `terraform init` would install another module: a changed `ref` of a git source counts.
                    self.diagnostics.error("Module source has changed", place, detail);
                    return None;
                }
                let directory = clean(&entry.dir);
                if let Some((wanted, place)) = &call.version {
                    let installed = entry.version.clone().unwrap_or_default();
                    self.check_version(wanted, *place, &installed)?;
                }
                directory
            }
            (None, None, ModuleSource::Local(path)) => clean(&join(&module.directory, path)),
            (None, None, _) => {
                self.missing(parent, (name, call), text, None);
                return None;
            }
        };
        // A directory without configuration was named by mistake: the module is missing, and not empty.
        if given.is_some() && self.has_no_files(&directory) {
            self.missing(parent, (name, call), text, Some(DirectoryProblem::Absent));
            return None;
        }
        if self.is_within(parent, &directory) {
            let detail = format!(
                "The module in {directory} calls itself, directly or through other modules, so that there is no end of it."
            );
            self.diagnostics.error("Module calls itself", place, detail);
            return None;
        }
        match self.directory(&directory) {
            Ok(child) => Some((text, directory, child)),
            Err(_) if is_installed && !self.options.accepts_missing => {
                let detail =
                    format!("This module's local cache directory {directory} could not be read. {INIT}");
                self.diagnostics.error("Module not installed", call.header, detail);
                None
            }
            Err(_) => {
                let problem = match self.files.is_outside(&directory) {
                    true => DirectoryProblem::Outside,
                    false => DirectoryProblem::Absent,
                };
                self.missing(parent, (name, call), text, Some(problem));
                None
            }
        }
    }

    /// Whether a directory has no files of configuration.
    fn has_no_files(&self, directory: &str) -> bool {
        let names = self.files.list(directory).unwrap_or_default();
        configuration_files(names, self.files.has_opentofu_names()).is_empty()
    }

    /// A call of a module that is not there.
    pub(super) fn missing(
        &mut self,
        parent: ModuleId,
        (name, call): (&SmolStr, &ModuleCall),
        source: String,
        problem: Option<DirectoryProblem>,
    ) {
        let version = call.version.as_ref().map(|(version, _)| version.clone());
        let outside = format!("The directory {source} cannot be read: {OUTSIDE}.");
        let missing = MissingModule { source, version, problem };
        self.config.missing_modules.insert((parent, name.clone()), missing);
        if self.options.accepts_missing {
            return;
        }
        let (kind, detail) = match problem {
            Some(DirectoryProblem::Outside) => (OUTSIDE_DIRECTORIES, outside),
            Some(DirectoryProblem::Absent) | None => {
                ("module_not_installed", format!("This module is not yet installed. {INIT}"))
            }
        };
        self.diagnostics.error((kind, "Module not installed"), call.header, detail);
    }

    /// Whether a module is in this directory, or one of those that call it.
    fn is_within(&self, module: ModuleId, directory: &str) -> bool {
        let mut at = Some(module);
        while let Some(id) = at {
            if self.config.modules[id].directory == directory {
                return true;
            }
            at = self.config.modules[id].parent;
        }
        false
    }

    fn check_version(&mut self, wanted: &str, place: Span, installed: &str) -> Option<()> {
        let constraints = VersionConstraints::parse(wanted)?;
        if installed.is_empty() || constraints.allow(installed) == Some(true) {
            return Some(());
        }
        let detail = format!(
            "The version requirements have changed since this module was installed and the installed version ({installed}) is \
             no longer acceptable. {INIT}"
        );
        self.diagnostics.error("Module version requirements have changed", place, detail);
        None
    }

    fn tell(&mut self, problems: &Problems) {
        self.diagnostics.errors(problems.errors.iter().cloned());
        for warning in &problems.warnings {
            self.diagnostics.push(Severity::Warning, warning.clone());
        }
    }

    /// Reads the files of a directory once.
    fn directory(&mut self, directory: &str) -> Result<Directory, FilesError> {
        if let Some(known) = self.directories.get(directory) {
            return Ok(known.clone());
        }
        let sources = &mut self.config.sources;
        let first = sources.len();
        let (names, is_opentofu) = (self.files.list(directory)?, self.files.has_opentofu_names());
        if !is_opentofu && !directory.split('/').any(|step| step == ".terraform") {
            let names = names.iter().filter(|name| !is_left_alone(name));
            let unread = names.filter(|name| is_of_opentofu(name));
            self.config.opentofu_files.extend(unread.map(|name| join(directory, name)));
        }
        let mut unread = Vec::new();
        for name in configuration_files(names, is_opentofu) {
            let path = join(directory, &name);
            let Some(text) = self.files.read(&path)? else {
                // A link that leads nowhere.
                let detail = format!("The configuration file {path:?} could not be read.");
                unread.push(Diagnostic::new("Failed to read file", None, detail));
                continue;
            };
            if let Err(error) = sources.add(path, text) {
                return Err(FilesError::Unreadable(error.detail.into_owned()));
            }
        }
        // OpenTofu has versions of its own.
        let edition = if is_opentofu { Edition::OPENTOFU } else { self.options.edition() };
        let (config, mut problems) = ModuleConfig::read_files(sources, first..sources.len(), edition);
        problems.errors.extend(unread);
        for call in config.calls.values() {
            if let Some((source, place)) = &call.source {
                let parsed = ModuleSource::parse(source, call.version.is_some());
                let wrong = parsed.err().map(|(summary, detail)| Diagnostic::new(summary, *place, detail));
                problems.errors.extend(wrong);
            }
        }
        let (config, problems) = (Arc::new(config), Arc::new(problems));
        let read = Directory { config, problems };
        self.directories.insert(directory.to_owned(), read.clone());
        Ok(read)
    }
}
