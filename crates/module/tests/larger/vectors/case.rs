//! The cases: folders of configurations with what Terraform answered.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value as Json;

/// A configuration, and what Terraform answered.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) directory: PathBuf,
    pub(crate) run: Run,
    /// The recorded answers of the provider.
    pub(crate) answers: Answers,
    /// Objects that differ outside of Terraform, by identifier.
    pub(crate) remote: BTreeMap<String, Json>,
}

/// `case.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) exit: u8,
    /// "same", or what is other in 1.15.
    #[serde(default)]
    v1_15: Json,
    #[allow(dead_code, reason = "only the example groups by it")]
    pub(crate) needs: Vec<String>,
}

impl Run {
    /// Whether the diagnostics of 1.15 are others than those of 1.11.
    fn differs_in_diagnostics(&self) -> bool {
        self.v1_15.as_array().is_some_and(|parts| parts.iter().any(|part| part == "diagnostics"))
    }
}

/// `answers.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answers {
    pub(crate) data: BTreeMap<String, Json>,
    pub(crate) imports: BTreeMap<String, Json>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) exit: u8,
    /// Each as `plan -json` has it.
    pub(crate) diagnostics: Vec<Json>,
    /// As `show -json` has it.
    pub(crate) plan: Option<Json>,
    /// As `show` has it.
    pub(crate) text: Option<String>,
}

/// Where the cases are.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/module-plan")
}

/// The cases whose names are like this, where `*` is any text.
pub(crate) fn cases(folder: &Path, pattern: &str) -> io::Result<Vec<Case>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().join("case.json").is_file() && is_like(&name, pattern) {
            names.push(name);
        }
    }
    names.sort();
    names.iter().map(|name| Case::read(&folder.join(name), name)).collect()
}

impl Case {
    fn read(directory: &Path, name: &str) -> io::Result<Self> {
        let run = serde_json::from_str(&fs::read_to_string(directory.join("case.json"))?)?;
        let answers = optional(directory, "answers.json")?;
        let remote = optional(directory, "remote.json")?;
        Ok(Self { name: name.to_owned(), directory: directory.to_owned(), run, answers, remote })
    }

    /// Terraform's answer: that of 1.15, if requested, where it differs from 1.11.
    pub(crate) fn expected(&self, is_newest: bool) -> io::Result<Answer> {
        let later = self.directory.join(if is_newest { "expect-1.15" } else { "none" });
        let folder = |name: &str| match later.join(name).is_file() {
            true => later.clone(),
            false => self.directory.join("expect"),
        };
        let text = folder("plan.txt").join("plan.txt");
        let exit = later.join("exit");
        let exit = match exit.is_file() {
            true => fs::read_to_string(exit)?.trim().parse().unwrap_or(self.run.exit),
            false => self.run.exit,
        };
        Ok(Answer {
            exit,
            diagnostics: match is_newest
                && self.run.differs_in_diagnostics()
                && !later.join("diagnostics.json").is_file()
            {
                // There are none any more.
                true => Vec::new(),
                false => optional(&folder("diagnostics.json"), "diagnostics.json")?,
            },
            plan: optional(&folder("plan.json"), "plan.json")?,
            text: match later.join("plan.json").is_file() && !later.join("plan.txt").is_file() {
                // Nobody has asked for it.
                true => None,
                false => text.is_file().then(|| fs::read_to_string(text)).transpose()?,
            },
        })
    }
}

fn optional<T: Default + serde::de::DeserializeOwned>(directory: &Path, name: &str) -> io::Result<T> {
    let path = directory.join(name);
    if path.is_file() { Ok(serde_json::from_str(&fs::read_to_string(path)?)?) } else { Ok(T::default()) }
}

fn is_like(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}
