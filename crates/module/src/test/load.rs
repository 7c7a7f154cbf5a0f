//! Finding and reading test files, with what they need.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use objchange::address::Mode;
use objchange_document::Version;
use objchange_hcl::{Diagnostic, Edition, MockData, MockProvider, Problems, TestFile, VariableConfig};
use smol_str::SmolStr;

use crate::config::{Config, InstalledPlace, LoadOptions, clean};
use crate::directory::load_with_constants;
use crate::files::{Files, FilesError};
use crate::plan::GivenVariable;
use crate::variables::{GivenValue, NeededVariables, VariableSources, read_values, value};
use crate::versions::since;
use crate::{Diagnostics, ProviderAddress, Severity};

/// The texts that tests are loaded from.
#[derive(Clone, Copy)]
pub struct TestTexts<'t> {
    /// The files; the module under test is in `.`.
    pub files: &'t dyn Files,
    /// The manifest of installed modules; `None` looks for it in `.terraform/modules`.
    pub manifest: Option<&'t str>,
    /// The directory with test files beside those of the module: `tests`.
    pub test_directory: &'t str,
    /// The paths of the files to run; empty for all.
    pub filter: &'t [String],
    /// The sources of variables.
    pub variables: &'t VariableSources,
    /// The files of the test directory that give values to variables, with their texts.
    pub test_values: &'t [(String, String)],
    /// The version of Terraform whose rules apply.
    pub version: Version,
    /// The version of Terraform that `required_version` is about: `1.15.5`.
    pub terraform_version: &'t str,
}

impl std::fmt::Debug for TestTexts<'_> {
    /// Without the texts, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestTexts").field("test_directory", &self.test_directory).finish_non_exhaustive()
    }
}

/// A module with its tests.
///
/// ```
/// use objchange_hcl::Functions;
/// use objchange_module::Schemas;
/// use objchange_module::config::MemoryFiles;
/// use objchange_module::test::{TestOptions, TestRunner, TestStatus, TestSuite, TestTexts};
/// use objchange_module::variables::VariableSources;
/// use objchange_document::Version;
///
/// let files: MemoryFiles = [
///     ("main.tf", "output \"o\" {\n  value = \"x\"\n}\n"),
///     ("a.tftest.hcl", "run \"r\" {\n  assert {\n    condition     = output.o == \"y\"\n    error_message = \"no\"\n  }\n}\n"),
/// ]
/// .into_iter()
/// .collect();
/// let variables = VariableSources::default();
/// let texts = TestTexts {
///     files: &files,
///     manifest: None,
///     test_directory: "tests",
///     filter: &[],
///     variables: &variables,
///     test_values: &[],
///     version: Version::NEWEST,
///     terraform_version: "1.15.5",
/// };
/// let suite = TestSuite::load(texts);
/// let (schemas, options) = (Schemas::default(), TestOptions::default());
/// let mut runner = TestRunner::new(&suite, &schemas, Functions::pure(), &options);
/// let report = runner.run_file(0);
/// assert_eq!((report.path.as_str(), report.status), ("a.tftest.hcl", TestStatus::Fail));
/// ```
#[derive(Debug)]
pub struct TestSuite {
    /// The module under test, then those that runs call; each with the sources of all.
    pub(super) modules: Vec<SuiteModule>,
    pub(super) files: Vec<SuiteFile>,
    /// The version of Terraform whose rules apply.
    pub(super) version: Version,
    /// Errors, with which nothing can be run, and warnings.
    pub diagnostics: Diagnostics,
    /// For each module: errors that fail only the runs that use it, such as an unsupported `required_version`.
    pub(super) unsuitable: Vec<Diagnostics>,
}

/// A module that runs use.
#[derive(Debug, Default)]
pub(super) struct SuiteModule {
    pub(super) config: Config,
    /// The values of its variables from outside of test files: for files beside the module, and in the test directory.
    pub(super) globals: [Globals; 2],
}

/// The values of variables from outside of test files.
#[derive(Debug, Default)]
pub(super) struct Globals(pub(super) BTreeMap<SmolStr, GlobalValue>);

/// A value, or what is wrong with it.
pub(super) type GlobalValue = Result<GivenVariable, Vec<Diagnostic>>;

/// A test file with what it needs.
#[derive(Debug, Default)]
pub(super) struct SuiteFile {
    pub(super) path: String,
    pub(super) file: TestFile,
    /// The mocks of each `mock_provider` block: its own, then those of its mock files.
    pub(super) mocks: Vec<Vec<MockData>>,
    /// The module of each run.
    pub(super) modules: Vec<usize>,
    /// It is in the test directory.
    pub(super) is_in_test_directory: bool,
    /// Values from outside for variables of no module: those of `variable` blocks of the file, and what is written otherwise.
    pub(super) globals: Globals,
}

/// How the names of test files end.
const TEST_ENDS: [&str; 2] = [".tftest.hcl", ".tftest.json"];
/// How the names of mock files end.
const MOCK_ENDS: [&str; 2] = [".tfmock.hcl", ".tfmock.json"];

impl TestSuite {
    /// Loads a module with its tests. An error in any test file, filtered or not, stops the suite.
    pub fn load(texts: TestTexts<'_>) -> Self {
        let mut suite = Self {
            modules: Vec::new(),
            files: Vec::new(),
            version: texts.version,
            diagnostics: Diagnostics::default(),
            unsuitable: Vec::new(),
        };
        if !is_local(texts.test_directory) {
            let detail = "The testing directory must be a relative path pointing to a directory local to the configuration \
                          directory.";
            suite.diagnostics.without_place(Severity::Error, "Invalid testing directory", detail);
            return suite;
        }
        let options = LoadOptions { manifest: texts.manifest, ..LoadOptions::new(texts.terraform_version) };
        let needed = NeededVariables::Constants;
        let (mut config, found) =
            load_with_constants(texts.files, &options, texts.variables, texts.version, needed);
        let mut found = found.unwrap_or_else(|wrong| wrong);
        // Terraform reports these at the run that meets them; other errors end all before the first file.
        let unsuitable = found.extract(is_of_runs);
        suite.diagnostics.append(found);
        suite.read_files(&texts, &mut config);
        if suite.diagnostics.has_errors() {
            suite.modules = vec![SuiteModule { config, ..SuiteModule::default() }];
            return suite;
        }
        suite.unsuitable = vec![unsuitable];
        suite.modules.push(SuiteModule { config, ..SuiteModule::default() });
        suite.load_modules(&texts, &options);
        for module in &mut suite.modules {
            module.config.allows_ephemeral_outputs = since(texts.version, "1.14");
        }
        suite.read_globals(&texts);
        let mut unmatched = Diagnostics::default();
        for wanted in suite.unmatched(texts.filter).filter(|_| since(texts.version, "1.16")) {
            let detail = format!("The specified test file, {wanted}, could not be found.");
            unmatched.without_place(Severity::Warning, "Unknown test file", detail);
        }
        suite.diagnostics.append(unmatched);
        if !texts.filter.is_empty() {
            // Terraform 1.11.4 compares `-filter` as text: `./a.tftest.hcl` matches nothing. Errors of other files
            // count.
            suite.files.retain(|file| texts.filter.contains(&file.path));
        }
        suite
    }

    /// The paths without a test file.
    pub fn unmatched<'f>(&'f self, paths: &'f [String]) -> impl Iterator<Item = &'f String> {
        paths.iter().filter(|wanted| !self.files.iter().any(|file| file.path == **wanted))
    }

    /// The module under test.
    pub fn config(&self) -> &Config {
        static NOTHING: std::sync::LazyLock<Config> = std::sync::LazyLock::new(Config::default);
        self.modules.first().map_or(&NOTHING, |module| &module.config)
    }

    /// All modules that runs use: the one under test, then others.
    pub fn configs(&self) -> impl Iterator<Item = &Config> {
        self.modules.iter().map(|module| &module.config)
    }

    /// The directories of all modules, those that runs load too.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.configs().flat_map(|config| &config.modules).map(|module| module.directory.as_str())
    }

    /// The positions of the files to run when other files have changed: a test file affects itself, any other file the
    /// test files that use the module in whose directory it is.
    pub fn affected_by(&self, changed: &[String]) -> Vec<usize> {
        let others: Vec<&String> = changed.iter().filter(|path| !is_test_file(file_name(path))).collect();
        let all: BTreeSet<&str> = self.directories().collect();
        let innermost: BTreeSet<&str> = others.iter().map(|path| innermost(path, &all)).collect();
        let uses = |module: usize| {
            let modules = &self.modules[module].config.modules;
            modules.iter().any(|module| innermost.contains(module.directory.as_str()))
        };
        let used: Vec<bool> = (0..self.modules.len()).map(uses).collect();
        let is_affected = |file: &SuiteFile| {
            changed.contains(&file.path)
                || std::iter::once(0).chain(file.modules.iter().copied()).any(|module| used[module])
        };
        self.files.iter().enumerate().filter(|(_, file)| is_affected(file)).map(|(index, _)| index).collect()
    }

    /// Whether a test file mocks a provider.
    pub fn has_mocks(&self) -> bool {
        self.files.iter().any(|file| !file.file.mock_providers.is_empty())
    }

    /// The provider that a name in a test file means.
    pub(super) fn provider_named(&self, suite_file: &SuiteFile, name: &SmolStr) -> ProviderAddress {
        let modules = std::iter::once(0).chain(suite_file.modules.iter().copied());
        let configs = modules.map(|module| &self.modules[module].config);
        let requires = |config: &&Config| {
            config.modules.first().is_some_and(|root| root.config.required_providers.contains_key(name))
        };
        match configs.into_iter().find(requires) {
            Some(config) => config.provider_named(0, name),
            None => ProviderAddress::implied(name),
        }
    }

    /// The paths of the files that are run, in that order.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// The names of the runs of a file, in source order.
    pub fn run_names(&self, file: usize) -> impl Iterator<Item = &str> {
        self.files.get(file).into_iter().flat_map(|file| &file.file.runs).map(|run| run.name.as_str())
    }

    fn read_files(&mut self, texts: &TestTexts<'_>, config: &mut Config) {
        let mut paths: Vec<(String, bool)> = Vec::new();
        let here = texts.files.list(".").unwrap_or_default();
        paths.extend(here.into_iter().filter(|name| is_test_file(name)).map(|name| (name, false)));
        let directory = clean(texts.test_directory);
        match texts.files.list(&directory) {
            _ if directory == "." => {}
            Ok(names) => {
                let names = names.into_iter().filter(|name| is_test_file(name));
                paths.extend(names.map(|name| (format!("{directory}/{name}"), true)));
            }
            // Terraform warns of a missing directory only if `-test-directory` names it.
            Err(_) if texts.test_directory == DEFAULT_DIRECTORY => {}
            Err(_) => {
                let detail = format!("Requested test directory {} does not exist.", texts.test_directory);
                let summary = "Test directory does not exist";
                self.diagnostics.without_place(Severity::Warning, summary, detail);
            }
        }
        // Terraform runs files in order of their paths as bytes.
        paths.sort();
        for (path, is_in_test_directory) in paths {
            let Some(index) = self.add_source(texts, config, &path) else { continue };
            let (file, problems) = TestFile::read(&config.sources, index, edition(texts.version));
            self.tell(problems);
            for called in file.runs.iter().filter_map(|run| run.module.as_ref()) {
                let (source, place) = &called.source;
                self.diagnostics.errors(Config::wrong_source((source, *place), called.version.is_some()));
            }
            let mocks =
                file.mock_providers.iter().map(|provider| self.mocks(texts, config, provider)).collect();
            self.files.push(SuiteFile { path, file, mocks, is_in_test_directory, ..SuiteFile::default() });
        }
    }

    /// Adds a file to the sources; its position there.
    fn add_source(&mut self, texts: &TestTexts<'_>, config: &mut Config, path: &str) -> Option<usize> {
        let read = texts.files.read(path);
        let text = match read
            .and_then(|text| text.ok_or_else(|| FilesError::Unreadable("there is no such file".to_owned())))
        {
            Ok(text) => text,
            Err(error) => {
                let detail = format!("The file {path} cannot be read: {error}.");
                self.diagnostics.without_place(Severity::Error, "Failed to read file", detail);
                return None;
            }
        };
        let index = config.sources.len();
        match config.sources.add(path, text) {
            Ok(()) => Some(index),
            Err(error) => {
                self.diagnostics.push(Severity::Error, *error);
                None
            }
        }
    }

    fn tell(&mut self, problems: Problems) {
        self.diagnostics.errors(problems.errors);
        for warning in problems.warnings {
            self.diagnostics.push(Severity::Warning, warning);
        }
    }

    /// The mocks of a provider: those of its block count before those of its files.
    fn mocks(
        &mut self,
        texts: &TestTexts<'_>,
        config: &mut Config,
        provider: &MockProvider,
    ) -> Vec<MockData> {
        // Blocks in the provider beat those of its `source`, so they come first.
        let mut all = vec![provider.data.clone()];
        let Some((source, _)) = &provider.source else { return all };
        let directory = clean(source);
        let Ok(mut names) = texts.files.list(&directory) else {
            let detail = format!("Mock data directory {source} does not exist or cannot be read.");
            self.diagnostics.error("Failed to read mock data directory", provider.header, detail);
            return all;
        };
        names.retain(|name| MOCK_ENDS.iter().any(|end| name.ends_with(end)) && !name.starts_with('.'));
        names.sort();
        let mut first: BTreeMap<(Mode, SmolStr), objchange_hcl::Span> = BTreeMap::new();
        for name in names {
            let path = if directory == "." { name } else { format!("{directory}/{name}") };
            let Some(index) = self.add_source(texts, config, &path) else { continue };
            let (data, problems) = MockData::read(&config.sources, index, edition(texts.version));
            self.tell(problems);
            for object in &data.objects {
                let key = (object.mode, object.type_name.clone());
                if let Some(first) = first.get(&key) {
                    let kind = match object.mode {
                        Mode::Managed => "mock_resource",
                        Mode::Data => "mock_data",
                        Mode::Ephemeral => "mock_ephemeral",
                    };
                    let at = config.sources.places().find(*first).map(|place| place.to_string());
                    let detail = format!(
                        "A {kind} block for {} has already been defined at {}.",
                        object.type_name,
                        at.unwrap_or_default()
                    );
                    let summary = format!("Duplicate {kind} block");
                    self.diagnostics.error(("duplicate_mock_block", summary), object.header, detail);
                } else {
                    first.insert(key, object.header);
                }
            }
            all.push(data);
        }
        all
    }

    /// Loads the modules that runs call.
    fn load_modules(&mut self, texts: &TestTexts<'_>, options: &LoadOptions<'_>) {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut sources = self.take_sources();
        let mut files = std::mem::take(&mut self.files);
        for suite_file in &mut files {
            let prefix = manifest_key(&suite_file.path);
            for run in &suite_file.file.runs {
                let Some(called) = &run.module else {
                    suite_file.modules.push(0);
                    continue;
                };
                let mut key = prefix.clone();
                key.push(run.name.clone());
                let (source, place) = &called.source;
                let directory = Config::installed_directory(
                    texts.files,
                    options,
                    &key.join("."),
                    (source, *place),
                    called.version.is_some(),
                    called.header,
                );
                let directory = match directory {
                    Ok(directory) => directory,
                    Err(error) => {
                        self.diagnostics.push(Severity::Error, *error);
                        suite_file.modules.push(0);
                        continue;
                    }
                };
                // Runs of one directory share the module, so its configuration is loaded once.
                if let Some(module) = known.get(&directory) {
                    suite_file.modules.push(*module);
                    continue;
                }
                let place = InstalledPlace { key, manifest_directory: ".", constants: BTreeMap::new() };
                let (mut config, mut found) =
                    Config::load_after(sources, texts.files, &directory, options, &place);
                self.unsuitable.push(found.extract(is_of_runs));
                self.diagnostics.append(found);
                sources = std::mem::take(&mut config.sources);
                known.insert(directory, self.modules.len());
                suite_file.modules.push(self.modules.len());
                self.modules.push(SuiteModule { config, ..SuiteModule::default() });
            }
        }
        self.files = files;
        self.share_sources(&sources);
    }

    /// Takes the sources out of the modules, so that adding to them copies nothing.
    fn take_sources(&mut self) -> objchange_hcl::Sources {
        // While each module had a copy of the list of files, tests of 2,000 runs with a module each took 0.91 s in place of
        // 0.10 s.
        let all = self.modules.iter_mut().map(|module| std::mem::take(&mut module.config.sources));
        // Those of the module under test; the others have had the same.
        all.reduce(|first, _| first).unwrap_or_default()
    }

    /// Gives all modules the sources of all, so that a place means the same for each.
    fn share_sources(&mut self, sources: &objchange_hcl::Sources) {
        for module in &mut self.modules {
            module.config.sources = sources.clone();
        }
    }

    fn read_globals(&mut self, texts: &TestTexts<'_>) {
        let mut sources = self.take_sources();
        let (outside, found) = read_values(texts.variables, &mut sources);
        self.diagnostics.append(found);
        let of_directory =
            VariableSources { automatic: texts.test_values.to_vec(), ..VariableSources::default() };
        let (of_directory, found) = read_values(&of_directory, &mut sources);
        self.diagnostics.append(found);
        let mut in_directory = outside.clone();
        // Variable files of the test directory beat the command line, for its own test files only.
        in_directory.extend(of_directory);
        for module in &mut self.modules {
            let declared = module.config.modules.first().map(|root| root.config.variables.clone());
            let declared = declared.unwrap_or_default();
            for (globals, found) in module.globals.iter_mut().zip([&outside, &in_directory]) {
                *globals = Globals::new(&declared, found, &mut sources);
            }
        }
        for file in &mut self.files {
            let found = if file.is_in_test_directory { &in_directory } else { &outside };
            file.globals = Globals::new(&file.file.declared, found, &mut sources);
            for (name, found) in found {
                let undeclared = || found.undeclared(name, &mut sources);
                file.globals.0.entry(name.clone()).or_insert_with(undeclared);
            }
        }
        self.share_sources(&sources);
    }
}

impl Globals {
    /// Reads the values of declared variables.
    fn new(
        declared: &BTreeMap<SmolStr, VariableConfig>,
        found: &BTreeMap<SmolStr, GivenValue>,
        sources: &mut objchange_hcl::Sources,
    ) -> Self {
        let given = declared.iter().filter_map(|(name, variable)| {
            let found = found.get(name)?;
            Some((name.clone(), value(name, found, variable, sources)))
        });
        Self(given.collect())
    }
}

/// The edition of the language that test files of a version are written in.
fn edition(version: Version) -> Edition {
    Edition(version.parts().1)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The innermost directory with a module around a file; else the module under test.
fn innermost<'d>(path: &str, directories: &BTreeSet<&'d str>) -> &'d str {
    let mut path = path;
    while let Some((around, _)) = path.rsplit_once('/') {
        if let Some(found) = directories.get(around) {
            return found;
        }
        path = around;
    }
    "."
}

/// Terraform's default of `-test-directory`.
const DEFAULT_DIRECTORY: &str = "tests";

fn is_of_runs(found: &crate::ModuleDiagnostic) -> bool {
    matches!(found.diagnostic.kind(), "unsupported_terraform_core_version" | "root_module_output_deprecated")
}

pub(super) fn is_test_file(name: &str) -> bool {
    TEST_ENDS.iter().any(|end| name.ends_with(end)) && !name.starts_with('.')
}

/// Whether a path leads to a directory in the working directory.
fn is_local(path: &str) -> bool {
    if path.is_empty() || path.starts_with('/') {
        return false;
    }
    let mut depth = 0_i64;
    path.split('/').all(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth >= 0
    })
}

/// The prefix of a run's key in the manifest of installed modules.
fn manifest_key(path: &str) -> Vec<SmolStr> {
    let stem = TEST_ENDS.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    std::iter::once("test").chain(stem.split('/')).map(SmolStr::new).collect()
}

#[cfg(test)]
mod tests {
    use super::{clean, is_local, is_test_file, manifest_key};

    #[test]
    fn test_files_have_names_of_their_own() {
        let names =
            ["a.tftest.hcl", "b.tftest.json", ".a.tftest.hcl", "a.tftest.hcl~", "a.tftest", ".tftest.hcl"];
        let found: Vec<&str> = names.into_iter().filter(|name| is_test_file(name)).collect();
        assert_eq!(found, ["a.tftest.hcl", "b.tftest.json"]);
    }

    #[test]
    fn a_test_directory_is_inside() {
        let inside = ["tests", "a/b", "./a", "a/../b", "."];
        let outside = ["", "..", "../x", "a/../../b", "/tmp"];
        assert!(inside.iter().all(|path| is_local(path)));
        assert!(!outside.iter().any(|path| is_local(path)));
        assert_eq!((clean("./a/"), clean("a/../b"), clean("./")), ("a".into(), "b".into(), ".".into()));
    }

    #[test]
    fn runs_have_keys_by_which_modules_are_installed() {
        assert_eq!(manifest_key("tests/a.tftest.hcl"), ["test", "tests", "a"]);
    }
}
