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
    DiagnosticPrinter, Diagnostics, Module, ModuleTexts, PlanArguments, ProviderAddress, Schemas, Severity,
    SimulatedProviders,
};
use objchange_plan::{Filter, Options, Report, Version};

use super::case::{Answer, Case};
use super::provider::CaseProviders;

/// The version of Terraform whose rules the cases follow.
pub(crate) const NEWEST: &str = "1.15.5";

/// Plans cases.
#[derive(Debug)]
pub(crate) struct Planner {
    schemas: Schemas,
    version: String,
    /// Data sources are looked up by rule, whatever was recorded.
    has_rules: bool,
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
    pub(crate) fn new(folder: &Path, version: &str) -> Result<Self, String> {
        let text = fs::read_to_string(folder.join("schemas.json")).map_err(|error| error.to_string())?;
        let schemas = ProviderSchemas::parse(text).map_err(|error| error.to_string())?;
        let has_rules = folder != super::folder();
        let of = objchange_plan::Version::parse(version).unwrap_or(objchange_plan::Version::NEWEST);
        Ok(Self { schemas: Schemas::new([schemas]).of_version(of), version: version.to_owned(), has_rules })
    }

    /// Whether the rules are those of the cases, and not of an older version.
    pub(crate) fn is_newest(&self) -> bool {
        self.version == NEWEST
    }

    /// Plans by the rules of its version.
    pub(crate) fn run(&self, case: &Case) -> Result<Answer, String> {
        let version = Version::parse(&self.version).ok_or("no such version")?;
        let files = Folder(case.directory.clone());
        let (arguments, sources) = arguments(case, &files)?;
        let (options, mut found) = arguments.apply(PlanOptions { version, ..PlanOptions::default() });
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
        let module = Module::load(texts, &options);
        found.append(module.diagnostics.clone());
        let has_schemas = |provider: &ProviderAddress| self.schemas.has_provider(provider);
        if !found.has_errors()
            && let Some((summary, detail)) = module.config.missing_providers(has_schemas)
        {
            found.without_place(Severity::Error, summary, detail);
        }
        if found.has_errors() {
            return Ok(self.errors(&module.config, &found));
        }
        let (state, diagnostics) = match files.read("terraform.tfstate")? {
            Some(text) => PriorState::read(&text, &self.schemas).map_err(|error| error.to_string())?,
            None => Default::default(),
        };
        let base = BaseDirectory::open(&case.directory).map_err(|error| error.to_string())?;
        let functions = Functions::pure().clone().with_files(&base);
        let mut providers = CaseProviders {
            case,
            has_rules: self.has_rules,
            simulated: SimulatedProviders { files: Some(&files), ..SimulatedProviders::default() },
        };
        let planned = module.plan(&state, &self.schemas, &functions, &options, &mut providers);
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
            is_refreshed: true,
            timestamp: "2026-01-01T00:00:00Z",
        };
        let document = write_plan(&planned, &config, &self.schemas, &info);
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
            PlanMode::Normal => objchange_plan::PlanMode::Normal,
            PlanMode::Destroy => objchange_plan::PlanMode::Destroy,
            PlanMode::RefreshOnly => objchange_plan::PlanMode::RefreshOnly,
        };
        let program = format!("terraform@{}", self.version.rsplit_once('.').map_or("", |(minor, _)| minor));
        let options = Options {
            program: Some(program.parse().map_err(|_| "no such program")?),
            mode: Some(mode),
            ..Options::default()
        };
        let changes = change_set(plan);
        let schemas = objchange_plan::Schemas::none();
        let report = Report::of_changes(&changes, &schemas, &options, &Filter::default());
        let report = report.map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        report.write_text(&mut out, &options).map_err(|error| error.to_string())?;
        String::from_utf8(out).map_err(|error| error.to_string())
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
