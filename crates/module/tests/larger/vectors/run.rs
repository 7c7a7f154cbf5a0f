//! Plans a case.

use std::fs;
use std::path::{Path, PathBuf};

use objchange::schema::ProviderSchemas;
use objchange_hcl::{BaseDirectory, Functions};
use objchange_module::config::{Config, Files};
use objchange_module::document::{DocumentInfo, change_set, write_plan};
use objchange_module::plan::{ModulePlan, PlanMode, PlanOptions};
use objchange_module::state::PriorState;
use objchange_module::variables::{UnreadFile, VariableArgument, VariableSources, automatic_files};
use objchange_module::{
    Diagnostics, Module, ModuleTexts, PlanArguments, Schemas, Shown, SimulatedProviders,
};
use objchange_plan::{Filter, Options, Program, Report, Version};

use super::case::{Answer, Case};
use super::provider::CaseProviders;

const VERSION: &str = "1.11.4";

/// Plans cases.
#[derive(Debug)]
pub(crate) struct Planner {
    schemas: Schemas,
}

/// The files of a case.
struct Folder(PathBuf);

impl Files for Folder {
    fn list(&self, directory: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(self.0.join(directory)).map_err(|error| error.to_string())?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| error.to_string())?;
            if entry.path().is_file() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        Ok(names)
    }

    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let path = self.0.join(path);
        if path.is_file() {
            fs::read_to_string(path).map(Some).map_err(|error| error.to_string())
        } else {
            Ok(None)
        }
    }
}

impl Planner {
    /// With the schemas of all providers of the cases.
    pub(crate) fn new(folder: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(folder.join("schemas.json")).map_err(|error| error.to_string())?;
        let schemas = ProviderSchemas::parse(text).map_err(|error| error.to_string())?;
        Ok(Self { schemas: Schemas::new([schemas]) })
    }

    /// Plans as the rules of Terraform 1.11 are.
    pub(crate) fn run(&self, case: &Case) -> Result<Answer, String> {
        let version = Version::parse(VERSION).ok_or("no such version")?;
        let files = Folder(case.directory.clone());
        let (arguments, variables) = arguments(case, &files)?;
        let (options, wrong) = arguments.apply(PlanOptions { version, ..PlanOptions::default() });
        if wrong.has_errors() {
            return Ok(self.errors(&Config::default(), &wrong));
        }
        let manifest = files.read("modules.json")?;
        let texts = ModuleTexts {
            files: &files,
            manifest: manifest.as_deref(),
            variables: &variables,
            terraform_version: VERSION,
        };
        let mut module = Module::load(texts, &options);
        let state = match files.read("terraform.tfstate")? {
            Some(text) if !module.diagnostics.has_errors() => {
                let (state, found) = PriorState::read(&text, &self.schemas).map_err(|error| error.to_string())?;
                module.diagnostics.append(found);
                state
            }
            _ => PriorState::default(),
        };
        let base = BaseDirectory::open(&case.directory).map_err(|error| error.to_string())?;
        let functions = Functions::pure().clone().with_files(&base);
        let mut providers = CaseProviders { case, simulated: SimulatedProviders };
        let plan = module.plan(&state, &self.schemas, &functions, &options, &mut providers);
        if plan.errored && !plan.has_begun {
            return Ok(self.errors(&module.config, &plan.diagnostics));
        }
        Ok(Answer {
            exit: match (plan.errored, plan.applyable) {
                (true, _) => 1,
                (false, true) => 2,
                (false, false) => 0,
            },
            plan: Some(self.document(&plan, &module.config)?),
            text: Some(text(&plan, &options)?),
            ..self.errors(&module.config, &plan.diagnostics)
        })
    }

    fn document(&self, plan: &ModulePlan, config: &Config) -> Result<serde_json::Value, String> {
        let info = DocumentInfo { terraform_version: VERSION, timestamp: "2026-01-01T00:00:00Z" };
        let document = write_plan(plan, config, &self.schemas, &info);
        serde_json::from_str(&document).map_err(|error| format!("the document: {error}"))
    }

    fn errors(&self, config: &Config, found: &Diagnostics) -> Answer {
        let shown = Shown::new(config, &self.schemas);
        let diagnostics =
            shown.json(found).iter().filter_map(|json| serde_json::from_str(json.get()).ok()).collect();
        Answer { exit: 1, diagnostics, plan: None, text: None }
    }
}

/// The plan as `show` prints it.
fn text(plan: &ModulePlan, options: &PlanOptions) -> Result<String, String> {
    let mode = match options.mode {
        PlanMode::Normal => objchange_plan::PlanMode::Normal,
        PlanMode::Destroy => objchange_plan::PlanMode::Destroy,
        PlanMode::RefreshOnly => objchange_plan::PlanMode::RefreshOnly,
    };
    let options = Options {
        mode: Some(mode),
        program: Some(Program::Terraform(options.version)),
        ..Options::default()
    };
    let (changes, schemas) = (change_set(plan), objchange_plan::Schemas::none());
    let report = Report::of_changes(&changes, &schemas, &options, &Filter::default());
    let report = report.map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    report.write_text(&mut text, &options).map_err(|error| error.to_string())?;
    String::from_utf8(text).map_err(|error| error.to_string())
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
                    Err(error) => Err(UnreadFile::Other(error)),
                };
                sources.arguments.push(VariableArgument::File(file, text));
            }
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    let names = files.list(".")?;
    for name in automatic_files(names.iter().map(String::as_str)) {
        let text = files.read(name)?.unwrap_or_default();
        sources.automatic.push((name.to_owned(), text));
    }
    sources.environment = case.run.env.clone().into_iter().collect();
    Ok((arguments, sources))
}
