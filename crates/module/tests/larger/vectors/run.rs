//! Plans a case.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange::schema::ProviderSchemas;
use objchange_document::{Prediction, Version};
use objchange_hcl::{BaseDirectory, Functions};
use objchange_module::config::{Config, Files, FilesError};
use objchange_module::document::{DocumentInfo, change_set, write_plan};
use objchange_module::plan::{AcceptsMissing, ModulePlan, PlanMode, PlanOptions};
use objchange_module::state::PriorState;
use objchange_module::variables::{UnreadFile, VariableArgument, VariableSources, automatic_files};
use objchange_module::{
    DiagnosticPrinter, Diagnostics, Module, ModuleTexts, PlanArguments, ProviderAddress, Schemas, Severity,
    SimulatedProviders,
};
use objchange_plan::{Filter, Options, Report};

use super::case::{Answer, Case};
use super::provider::CaseProviders;

/// The version of Terraform whose rules the cases follow.
pub(crate) const NEWEST: &str = "1.15.5";

/// Plans cases.
#[derive(Debug)]
pub(crate) struct Planner {
    schemas: Schemas,
    schemas_text: String,
    version: String,
    /// Data sources are looked up by rule, whatever was recorded.
    has_rules: bool,
}

/// The inputs that a case is planned without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    /// Variables of the root module, without their defaults, too.
    pub(crate) variables: BTreeSet<String>,
    /// Directories of modules.
    pub(crate) modules: BTreeSet<String>,
    /// Providers without schemas.
    pub(crate) providers: BTreeSet<String>,
}

/// The files of a case, and the directories that are hidden.
struct Folder(PathBuf, BTreeSet<String>);

impl Files for Folder {
    fn list(&self, directory: &str) -> Result<Vec<String>, FilesError> {
        if self.1.contains(directory) {
            return Err(FilesError::NoDirectory);
        }
        let entries = fs::read_dir(self.0.join(directory)).map_err(|error| unreadable(&error))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&error))?;
            if entry.path().is_file() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        Ok(names)
    }

    fn read(&self, path: &str) -> Result<Option<String>, FilesError> {
        let path = self.0.join(path);
        if path.is_file() {
            fs::read_to_string(path).map(Some).map_err(|error| unreadable(&error))
        } else {
            Ok(None)
        }
    }
}

fn unreadable(error: &std::io::Error) -> FilesError {
    FilesError::Unreadable(error.to_string())
}

impl Planner {
    /// With the schemas of all providers of the cases.
    pub(crate) fn new(folder: &Path, version: &str) -> Result<Self, String> {
        let text = fs::read_to_string(folder.join("schemas.json")).map_err(|error| error.to_string())?;
        let schemas = ProviderSchemas::parse(text.as_str()).map_err(|error| error.to_string())?;
        let has_rules = folder != super::folder();
        let of = objchange_document::Version::parse(version).unwrap_or(objchange_document::Version::NEWEST);
        let schemas = Schemas::new([schemas]).of_version(of);
        Ok(Self { schemas, schemas_text: text, version: version.to_owned(), has_rules })
    }

    /// Whether the rules are those of the cases, and not of an older version.
    pub(crate) fn is_newest(&self) -> bool {
        self.version == NEWEST
    }

    /// Plans by the rules of its version.
    pub(crate) fn run(&self, case: &Case) -> Result<Answer, String> {
        self.plan(case, &self.schemas, None)
    }

    /// Plans without some of the input. Nothing else has to be there, either.
    pub(crate) fn run_without(&self, case: &Case, removed: &Removed) -> Result<Answer, String> {
        let mut document: serde_json::Value =
            serde_json::from_str(&self.schemas_text).map_err(|error| error.to_string())?;
        if let Some(providers) = document["provider_schemas"].as_object_mut() {
            providers.retain(|name, _| !removed.providers.contains(name));
        }
        let schemas = ProviderSchemas::parse(document.to_string()).map_err(|error| error.to_string())?;
        let version = Version::parse(&self.version).ok_or("no such version")?;
        self.plan(case, &Schemas::new([schemas]).of_version(version), Some(removed))
    }

    /// All that can be removed from a case.
    pub(crate) fn removable(&self, case: &Case) -> Result<Removed, String> {
        let files = Folder(case.directory.clone(), BTreeSet::new());
        let (_, sources) = arguments(case, &files)?;
        let manifest = fs::read_to_string(case.directory.join("modules.json")).ok();
        let texts = ModuleTexts {
            files: &files,
            manifest: manifest.as_deref(),
            variables: &sources,
            terraform_version: &self.version,
        };
        let module = Module::load(texts, &PlanOptions::default());
        let modules = &module.config.modules;
        let variables = modules.iter().take(1).flat_map(|root| &root.config.variables);
        // The sources of modules depend on constant variables.
        let variables = variables.filter(|(_, variable)| !variable.constant);
        let directories = modules.iter().skip(1).map(|module| module.directory.clone());
        let providers = module.config.providers().into_iter().filter(|provider| !provider.is_builtin());
        Ok(Removed {
            variables: variables.map(|(name, _)| name.to_string()).collect(),
            modules: directories.filter(|directory| directory != ".").collect(),
            providers: providers.map(|provider| provider.to_string()).collect(),
        })
    }

    fn plan(&self, case: &Case, schemas: &Schemas, removed: Option<&Removed>) -> Result<Answer, String> {
        let version = Version::parse(&self.version).ok_or("no such version")?;
        let hidden = removed.map(|removed| removed.modules.clone()).unwrap_or_default();
        let files = Folder(case.directory.clone(), hidden);
        let (arguments, sources) = arguments(case, &files)?;
        let accepts = match removed {
            Some(_) => AcceptsMissing { variables: true, modules: true, schemas: true, files: false },
            None => AcceptsMissing::default(),
        };
        let options = PlanOptions { version, accepts, ..PlanOptions::default() };
        let (options, mut found) = arguments.apply(options);
        if found.has_errors() {
            return Ok(self.errors(&Config::default(), &found));
        }
        let manifest = fs::read_to_string(case.directory.join("modules.json")).ok();
        let texts = ModuleTexts {
            files: &files,
            manifest: manifest.as_deref(),
            variables: &sources,
            terraform_version: &self.version,
        };
        let mut module = Module::load(texts, &options);
        found.append(module.diagnostics.clone());
        let mut schemas = schemas.clone();
        if let Some(removed) = removed {
            remove_variables(&mut module, &removed.variables);
            schemas.infer(&module.config);
        }
        let has_schemas = |provider: &ProviderAddress| schemas.has_provider(provider);
        if removed.is_none()
            && !found.has_errors()
            && let Some((summary, detail)) = module.config.missing_providers(has_schemas)
        {
            found.without_place(Severity::Error, summary, detail);
        }
        if found.has_errors() {
            return Ok(self.errors(&module.config, &found));
        }
        let (state, diagnostics) = match files.read("terraform.tfstate").map_err(|error| error.to_string())? {
            Some(text) => PriorState::read(&text, &schemas).map_err(|error| error.to_string())?,
            None => Default::default(),
        };
        let base = BaseDirectory::open(&case.directory).map_err(|error| error.to_string())?;
        let functions = Functions::pure().clone().with_files(&base);
        let mut providers = CaseProviders {
            case,
            has_rules: self.has_rules,
            simulated: SimulatedProviders { files: Some(&files), ..SimulatedProviders::default() },
        };
        let planned = module.plan(&state, &schemas, &functions, &options, &mut providers);
        let mut found = diagnostics;
        found.append(planned.diagnostics.clone());
        let config = module.config;
        let exit = match (planned.diagnostics.has_errors(), planned.applyable) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 0,
        };
        let answer = Answer { exit, ..self.errors(&config, &found) };
        if !planned.has_begun {
            return Ok(answer);
        }
        let info = DocumentInfo {
            terraform_version: &self.version,
            is_simulated: false,
            prediction: Prediction { is_trusting: false, is_refreshed: true },
            timestamp: "2026-01-01T00:00:00Z",
        };
        let document = write_plan(&planned, &config, &schemas, &info);
        let text = self.text(&planned, options.mode)?;
        let document = serde_json::from_str(&document).map_err(|error| error.to_string())?;
        Ok(Answer { plan: Some(document), text: Some(text), ..answer })
    }

    fn errors(&self, config: &Config, found: &Diagnostics) -> Answer {
        let shown = DiagnosticPrinter::new(config, &self.schemas);
        let diagnostics = shown.json(found).into_iter().filter_map(|json| {
            let json = json.get();
            // Versions before 1.13 do not say which type a value has that is of the wrong one.
            let plain = json.split_once(" required, but have ").and_then(|(before, after)| {
                let (_, after) = after.split_once('.')?;
                Some(format!("{before} required.{after}"))
            });
            let json = plain.filter(|_| !self.is_newest()).unwrap_or_else(|| json.to_owned());
            serde_json::from_str(&json).ok()
        });
        let diagnostics = diagnostics.collect();
        Answer { exit: 1, diagnostics, plan: None, text: None }
    }

    /// Prints the plan as `terraform show` does.
    fn text(&self, plan: &ModulePlan, mode: PlanMode) -> Result<String, String> {
        let mode = match mode {
            PlanMode::Normal => objchange_document::PlanMode::Normal,
            PlanMode::Destroy => objchange_document::PlanMode::Destroy,
            PlanMode::RefreshOnly => objchange_document::PlanMode::RefreshOnly,
        };
        let program = format!("terraform@{}", self.version.rsplit_once('.').map_or("", |(minor, _)| minor));
        let options = Options {
            program: Some(program.parse().map_err(|_| "no such program")?),
            mode: Some(mode),
            ..Options::default()
        };
        let changes = change_set(plan);
        let schemas = objchange_document::Schemas::none();
        let report = Report::of_changes(&changes, &schemas, &options, &Filter::default());
        let report = report.map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        report.write_text(&mut out, &options).map_err(|error| error.to_string())?;
        String::from_utf8(out).map_err(|error| error.to_string())
    }
}

/// Takes the values of variables of the root module away, and their defaults.
fn remove_variables(module: &mut Module, names: &BTreeSet<String>) {
    module.variables.retain(|name, _| !names.contains(name.as_str()));
    let Some(root) = module.config.modules.first_mut() else { return };
    let declared = &mut Arc::make_mut(&mut root.config).variables;
    for (_, variable) in declared.iter_mut().filter(|(name, _)| names.contains(name.as_str())) {
        variable.default = None;
    }
}

/// The arguments of a case, and the sources of its variables.
fn arguments(case: &Case, files: &Folder) -> Result<(PlanArguments, VariableSources), String> {
    let mut arguments = PlanArguments::default();
    let mut sources = VariableSources::default();
    let mut words = case.run.args.iter();
    while let Some(word) = words.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v.to_owned())));
        let mut needed =
            || value.clone().or_else(|| words.next().cloned()).ok_or(format!("{name} needs a value"));
        match name {
            "-destroy" => arguments.destroy = true,
            "-refresh-only" => arguments.refresh_only = true,
            "-refresh" => arguments.refresh = needed()? == "true",
            "-target" => arguments.targets.push(needed()?),
            "-replace" => arguments.replace.push(needed()?),
            "-var" => sources.arguments.push(VariableArgument::Value(needed()?)),
            "-var-file" => {
                let file = needed()?;
                let text = match files.read(&file) {
                    Ok(Some(text)) => Ok(text),
                    Ok(None) => Err(UnreadFile::Missing),
                    Err(error) => Err(UnreadFile::Other(error.to_string())),
                };
                sources.arguments.push(VariableArgument::File(file, text));
            }
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    let names = files.list(".").map_err(|error| error.to_string())?;
    for name in automatic_files(names.iter().map(String::as_str)) {
        let text = files.read(name).map_err(|error| error.to_string())?.unwrap_or_default();
        sources.automatic.push((name.to_owned(), text));
    }
    sources.environment = case.run.env.clone().into_iter().collect();
    Ok((arguments, sources))
}
