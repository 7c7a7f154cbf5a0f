//! Policies that are applied to plans: single ones, and those of a policy set.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use objchange_document::DocumentError;
use objchange_sentinel::{Policy, Setup, Source};
use serde_json::Value as Json;

use super::configuration::{Configuration, Level, PolicyEntry, PolicySource};
use super::judge::{self, Judged};
use super::sources::{Sources, shown};
use super::{Fault, Imports};

/// A policy that is applied to all plans.
#[derive(Debug)]
#[non_exhaustive]
pub struct AppliedPolicy {
    /// Its name.
    pub name: String,
    /// Where its text is.
    pub file: String,
    /// The consequence of a failure.
    pub level: Level,
    /// Its parameters.
    pub params: BTreeMap<String, Json>,
    /// Which of them are given to this policy alone.
    pub own_params: Vec<String>,
    /// Names that it and its modules have.
    pub globals: BTreeMap<String, Json>,
    /// The text with what it imports beside what the plan gives; what is wrong with these counts as broken.
    pub compiled: Result<Compiled, Vec<Fault>>,
}

impl AppliedPolicy {
    /// Whether it, or a module of it, imports something that a plan gives, other than what is `given` without one.
    pub fn needs_plan(&self, given: &[&str]) -> bool {
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

    /// Evaluates it for a plan. `prepare` sets the time and limits of each run.
    ///
    /// # Errors
    ///
    /// A part of the plan that it looks at cannot be read.
    pub fn judge(&self, imports: &Imports, prepare: impl Fn(&mut Setup)) -> Result<Judged, DocumentError> {
        match &self.compiled {
            Ok(compiled) => judge::judge(&compiled.policy, imports, || {
                let mut setup = Setup::default();
                setup.params.clone_from(&self.params);
                setup.globals.clone_from(&self.globals);
                setup.imports.clone_from(&compiled.imports);
                prepare(&mut setup);
                setup
            }),
            Err(faults) => Ok(Judged::unreadable(faults.first().cloned())),
        }
    }
}

/// The imports that a plan provides.
pub(super) const FROM_PLAN: [&str; 4] = ["tfplan/v2", "tfconfig/v2", "tfstate/v2", "tfrun"];

/// The first version of these imports, which this program does not provide: a mock of one would replace the plan.
pub(super) const OF_OLD_PLAN: [&str; 3] = ["tfplan", "tfconfig", "tfstate"];

/// The text of a policy, and what it imports.
#[derive(Debug)]
pub struct Compiled {
    /// The text.
    pub policy: Arc<Policy>,
    /// The imports of it and its modules, except those that the plan provides.
    pub imports: BTreeMap<String, Source>,
}

/// Options for policies beside their configuration.
#[derive(Debug, Clone, Copy)]
pub struct SetOptions<'a> {
    /// Parameters that go before all others.
    pub params: &'a [(String, Json)],
    /// The enforcement level of policies that no configuration names.
    pub level: Level,
    /// Folders with what addresses of registries lead to.
    pub folders: &'a [PolicySource],
}

impl SetOptions<'_> {
    /// The policies of a policy set, compiled.
    pub fn policies(&self, configuration: &Configuration, sources: &Sources) -> Vec<AppliedPolicy> {
        let policy = |entry: &PolicyEntry| {
            let own_params = entry.params.keys().cloned().collect();
            let (name, params) = (entry.name.clone(), configuration.params_of(Some(entry)));
            let policy = entry.source.path().and_then(|file| {
                self.compile(name.clone(), &file, entry.level, params, configuration, sources)
            });
            // The others of the set can be applied all the same.
            let policy = policy.unwrap_or_else(|fault| AppliedPolicy {
                name,
                file: fault.file.clone(),
                level: entry.level,
                params: BTreeMap::new(),
                own_params: Vec::new(),
                globals: BTreeMap::new(),
                compiled: Err(vec![fault]),
            });
            AppliedPolicy { own_params, ..policy }
        };
        configuration.policies.iter().map(policy).collect()
    }

    /// A policy that is named alone, compiled, with what a configuration says of it and of what it imports.
    ///
    /// # Errors
    ///
    /// There is no such file.
    pub fn policy(
        &self,
        path: &Path,
        configuration: &Configuration,
        sources: &Sources,
    ) -> Result<AppliedPolicy, Fault> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let entry = configuration.policies.iter().find(|entry| entry.name == name);
        let level = entry.map_or(self.level, |entry| entry.level);
        self.compile(name, path, level, configuration.params_of(entry), configuration, sources)
    }

    fn compile(
        &self,
        name: String,
        path: &Path,
        level: Level,
        mut params: BTreeMap<String, Json>,
        configuration: &Configuration,
        sources: &Sources,
    ) -> Result<AppliedPolicy, Fault> {
        params.extend(self.params.iter().cloned());
        // Without the `.` that references begin with.
        let path: &Path = &path.components().collect::<PathBuf>();
        if let Err(error) = path.metadata() {
            return Err(Fault::of_file(Path::new(&shown(path)), format!("cannot be read: {error}")));
        }
        let compiled = sources.policy(path).and_then(|policy| {
            let imports = sources.imports(&policy, configuration)?;
            Ok(Compiled { policy, imports })
        });
        Ok(AppliedPolicy {
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

/// No policy has a parameter of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no policy has a parameter {0:?}")]
#[non_exhaustive]
pub struct NoSuchParam(pub String);

impl NoSuchParam {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "param"
    }
}

/// No policy uses a global name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no policy or module uses the global name {0:?}")]
#[non_exhaustive]
pub struct UnusedGlobal(pub String);

impl UnusedGlobal {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        "global"
    }
}

/// Refuses global variables that no policy and no module mentions: their names are most likely misspelt.
///
/// # Errors
///
/// There is such a name.
pub fn check_globals(policies: &[AppliedPolicy], asked: &[(String, Json)]) -> Result<(), UnusedGlobal> {
    let compiled: Vec<_> = policies.iter().filter_map(|applied| applied.compiled.as_ref().ok()).collect();
    // One that cannot be read may use any name.
    if compiled.len() < policies.len() {
        return Ok(());
    }
    let texts = compiled.iter().flat_map(|compiled| {
        let modules = compiled.imports.values().filter_map(|source| match source {
            Source::Module(module) => Some(module.text()),
            _ => None,
        });
        modules.chain([compiled.policy.text()])
    });
    let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let words: HashSet<&str> = texts.flat_map(|text| text.split(|c| !is_part_of_name(c))).collect();
    let unused = asked.iter().find(|(name, _)| !words.contains(name.as_str()));
    unused.map_or(Ok(()), |(name, _)| Err(UnusedGlobal(name.clone())))
}

/// Refuses parameters that no policy has: they are most likely misspelt. Those of single policies are warned of.
///
/// # Errors
///
/// No policy has such a parameter.
pub fn check_params(
    policies: &[AppliedPolicy],
    asked: &[(String, Json)],
) -> Result<Vec<String>, NoSuchParam> {
    let compiled: Vec<_> =
        policies.iter().filter_map(|applied| Some((applied, applied.compiled.as_ref().ok()?))).collect();
    // A policy that cannot be read may have any parameter.
    if compiled.len() < policies.len() {
        return Ok(Vec::new());
    }
    let has = |policy: &Policy, name: &str| policy.params().iter().any(|param| **param == *name);
    for (name, _) in asked {
        if !compiled.iter().any(|(_, compiled)| has(&compiled.policy, name)) {
            return Err(NoSuchParam(name.clone()));
        }
    }
    let mut warnings = Vec::new();
    for (applied, compiled) in compiled {
        let is_asked = |name: &String| asked.iter().any(|(asked, _)| asked == name);
        for name in applied.own_params.iter().filter(|name| !is_asked(name)) {
            if !has(&compiled.policy, name) {
                warnings.push(format!("{}: the policy has no parameter {name}", applied.file));
            }
        }
    }
    Ok(warnings)
}
