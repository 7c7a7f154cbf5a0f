//! How a provider is tried.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use objchange_provider::{ErrorKind, Result, Schemas};
use smol_str::SmolStr;
use wildmatch::WildMatch;

use crate::corpus::Corpus;
use crate::report::{Subject, TypeReport};
use crate::{Flavor, Hints};

use super::created_objects::CreatedObjects;
use super::names;
use super::setup::OWN;

/// How a provider is tried.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Only types and functions whose name matches one of these globs (`*` matches any text); all if empty.
    pub only: Vec<String>,
    /// No types and functions whose name matches one of these globs.
    pub exclude: Vec<String>,
    /// Only these kinds; all if empty.
    pub subjects: Vec<Subject>,
    /// Hints about the provider.
    pub hints: Hints,
    /// The rules to check against.
    pub flavor: Flavor,
    /// Whether plans are applied, ephemeral resources opened, and actions invoked.
    pub apply: bool,
    /// The seed for generated configurations.
    pub seed: u64,
    /// The maximum number of configurations of each type.
    pub cases: usize,
    /// The time limit; no new configuration is tried after it.
    pub time: Option<Duration>,
    /// How many providers run at the same time.
    pub jobs: usize,
    /// The maximum number of smaller configurations to try for each finding.
    pub shrink: usize,
    /// The configurations that are tried first.
    pub corpus: Corpus,
    /// Stops the run.
    pub stop: Stop,
    /// Objects that were created and still exist.
    pub made: CreatedObjects,
}

impl Default for Options {
    /// All of a provider, 100 configurations of each type, with one process; nothing is applied.
    fn default() -> Self {
        Self {
            only: Vec::new(),
            exclude: Vec::new(),
            subjects: Vec::new(),
            hints: Hints::default(),
            flavor: Flavor::default(),
            apply: false,
            seed: 0,
            cases: 100,
            time: None,
            jobs: 1,
            shrink: 300,
            corpus: Corpus::default(),
            stop: Stop::default(),
            made: CreatedObjects::default(),
        }
    }
}

impl Options {
    /// Refuses an option that selects nothing: it is misspelt, and the intended types would not be tried.
    pub(super) fn refuse_unmatched(&self, schemas: &Schemas) -> Result<()> {
        let is_chosen = |subject: &Subject| self.subjects.is_empty() || self.subjects.contains(subject);
        let subjects = Subject::ALL.into_iter().filter(is_chosen);
        let all: Vec<SmolStr> = subjects.flat_map(|subject| names(schemas, subject)).collect();
        self.refuse_unmatched_only(&all)?;
        for subject in self.subjects.iter().filter(|subject| **subject != OWN) {
            let of_kind = names(schemas, *subject);
            if !of_kind.iter().any(|name| self.wants(*subject, name)) {
                let (kind, is_there) = (subject.kind(), !of_kind.is_empty());
                return Err(ErrorKind::NothingOfKind { kind, is_there }.into());
            }
        }
        Ok(())
    }

    /// Refuses a glob that matches none of these names.
    pub(crate) fn refuse_unmatched_only(&self, names: &[SmolStr]) -> Result<()> {
        for glob in &self.only {
            let pattern = WildMatch::new(glob);
            if !names.iter().any(|name| pattern.matches(name)) {
                let similar = objchange_text::similar(glob, names.iter().map(SmolStr::as_str));
                let similar = similar.into_iter().map(str::to_owned).collect();
                return Err(ErrorKind::NothingCalled { glob: glob.clone(), similar }.into());
            }
        }
        Ok(())
    }

    /// Whether the type or function of this name is tried.
    pub fn wants(&self, subject: Subject, name: &str) -> bool {
        let is_like = |globs: &[String]| globs.iter().any(|glob| WildMatch::new(glob).matches(name));
        (self.subjects.is_empty() || self.subjects.contains(&subject))
            && (self.only.is_empty() || is_like(&self.only))
            && !is_like(&self.exclude)
    }
}

/// Stops a run from elsewhere, such as the handler of Ctrl-C: nothing new begins, results of running calls are
/// dropped, and created objects are destroyed.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<OnceLock<Instant>>);

impl Stop {
    /// Stops the run.
    pub fn stop(&self) {
        self.0.get_or_init(Instant::now);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.get().is_some()
    }

    /// When it was stopped.
    pub(super) fn at(&self) -> Option<Instant> {
        self.0.get().copied()
    }
}

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Progress<'r> {
    /// The number of types that will be tried.
    Begun {
        /// How many.
        types: usize,
    },
    /// This type is being tried.
    Trying {
        /// Its name.
        name: &'r str,
    },
    /// This was the outcome of one type.
    Tried {
        /// The result of it.
        report: &'r TypeReport,
        /// How many types are done.
        done: usize,
    },
}
