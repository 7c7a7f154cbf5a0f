//! Which policies are applied: single ones, those of a folder, or a policy set with its configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange_sentinel::{Policy, Source};
use serde_json::Value as Json;

use crate::documents::Walk;
use crate::sentinel::configuration::{self, Configuration, Level};
use crate::sentinel::fault::Fault;
use crate::sentinel::sources::{Sources, shown};

/// A policy that is applied to all plans.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) name: String,
    /// Where its text is.
    pub(super) file: String,
    pub(super) level: Level,
    pub(super) params: BTreeMap<String, Json>,
    /// Which of them are given to this policy alone.
    pub(super) own_params: Vec<String>,
    pub(super) globals: BTreeMap<String, Json>,
    /// The text with what it imports beside what the plan gives; what is wrong with these counts as broken.
    pub(super) compiled: Result<Compiled, Vec<Fault>>,
}

impl Applied {
    /// Whether it, or a module of it, imports something that a plan gives, other than what is `given` without one.
    pub(super) fn needs_plan(&self, given: &[&str]) -> bool {
        let Ok(compiled) = &self.compiled else { return false };
        let modules = compiled.imports.values().filter_map(|source| match source {
            Source::Module(module) => Some(module.imports()),
            _ => None,
        });
        let mut all = modules.chain([compiled.policy.imports()]).flatten();
        all.any(|import| {
            let is_given = given.contains(&import.as_str()) || compiled.imports.contains_key(import);
            !is_given && FROM_PLAN.contains(&import.as_str())
        })
    }
}

/// What a plan gives.
const FROM_PLAN: [&str; 4] = ["tfplan/v2", "tfconfig/v2", "tfstate/v2", "tfrun"];

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) policy: Arc<Policy>,
    pub(super) imports: BTreeMap<String, Source>,
}

/// What is said of policies on the command line.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) policies: &'a [PathBuf],
    /// Where modules and parameters of policies are that are named alone.
    pub(super) configuration: Option<&'a Path>,
    pub(super) params: &'a [(String, Json)],
    /// How binding policies are that are named alone.
    pub(super) level: Level,
}

impl Asked<'_> {
    /// Finds and compiles them all.
    pub(super) fn read(&self) -> Result<Vec<Applied>, String> {
        let sources = Sources::default();
        let mut applied = Vec::new();
        let own = match self.configuration {
            Some(path) => read(path)?,
            None => Configuration::default(),
        };
        for path in self.policies {
            let of_folder = path.join("sentinel.hcl");
            match path.extension() {
                _ if path.is_dir() && of_folder.is_file() => {
                    self.add_set(&of_folder, &sources, &mut applied)?;
                }
                _ if path.is_dir() => {
                    for policy in policies_of(path)? {
                        applied.push(self.single(&policy, &own, &sources)?);
                    }
                }
                Some(extension) if extension == "hcl" || extension == "json" => {
                    self.add_set(path, &sources, &mut applied)?;
                }
                _ => applied.push(self.single(path, &own, &sources)?),
            }
        }
        Ok(applied)
    }

    /// Adds the policies of a policy set.
    fn add_set(&self, path: &Path, sources: &Sources, applied: &mut Vec<Applied>) -> Result<(), String> {
        let configuration = read(path)?;
        if configuration.policies.is_empty() {
            return Err(format!("{}: there is no policy in this configuration", path.display()));
        }
        for entry in &configuration.policies {
            let file = match entry.source.path() {
                Ok(file) => Ok(file),
                // The others of the set can be applied all the same.
                Err(problem) => Err(Fault::from(problem)),
            };
            let (name, level) = (entry.name.clone(), entry.level);
            let params = configuration.params_of(Some(entry));
            let own_params = entry.params.keys().cloned().collect();
            let policy = match &file {
                Ok(file) => self.policy(name.clone(), file, level, params, &configuration, sources),
                Err(fault) => Err(fault.clone()),
            };
            let policy = policy.unwrap_or_else(|fault| Applied {
                name,
                file: fault.file.clone(),
                level,
                params: BTreeMap::new(),
                own_params: Vec::new(),
                globals: BTreeMap::new(),
                compiled: Err(vec![fault]),
            });
            applied.push(Applied { own_params, ..policy });
        }
        Ok(())
    }

    fn single(&self, path: &Path, of: &Configuration, sources: &Sources) -> Result<Applied, String> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let entry = of.policies.iter().find(|entry| entry.name == name);
        let level = entry.map_or(self.level, |entry| entry.level);
        self.policy(name, path, level, of.params_of(entry), of, sources).map_err(|fault| fault.to_string())
    }

    fn policy(
        &self,
        name: String,
        path: &Path,
        level: Level,
        mut params: BTreeMap<String, Json>,
        configuration: &Configuration,
        sources: &Sources,
    ) -> Result<Applied, Fault> {
        params.extend(self.params.iter().cloned());
        // Without the `.` that references begin with.
        let path: &Path = &path.components().collect::<PathBuf>();
        if let Err(error) = path.metadata() {
            return Err(Fault::of_file(Path::new(&shown(path)), &format!("cannot be read: {error}")));
        }
        let compiled = sources.policy(path).and_then(|policy| {
            let imports = sources.imports(&policy, configuration)?;
            Ok(Compiled { policy, imports })
        });
        Ok(Applied {
            name,
            file: shown(path),
            level,
            params,
            own_params: Vec::new(),
            globals: configuration.globals.clone(),
            compiled,
        })
    }
}

fn read(path: &Path) -> Result<Configuration, String> {
    let configuration = configuration::read(path).map_err(|fault| fault.to_string())?;
    configuration.warnings.iter().for_each(|warning| crate::exit::warn(&warning.to_string()));
    Ok(configuration)
}

/// The policies of a folder that has no configuration.
fn policies_of(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let is_policy = |path: &Path| path.extension().is_some_and(|extension| extension == "sentinel");
    let found = Walk { folder, depth: 1, hidden: true }.files(is_policy);
    let policies = found.complete(folder)?;
    if policies.is_empty() {
        return Err(format!("{}: no file in it is called sentinel.hcl or *.sentinel", folder.display()));
    }
    Ok(policies)
}
