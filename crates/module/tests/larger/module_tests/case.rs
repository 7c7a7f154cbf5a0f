//! The cases: folders of modules with test files, and what Terraform answered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde_json::Value as Json;

/// A module with test files, and what Terraform answered.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) directory: PathBuf,
    pub(crate) run: Run,
}

/// `case.json`.
#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    pub(crate) args: Vec<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    exit: u8,
    exit_1_15: Option<u8>,
    #[serde(default)]
    runs: Vec<[String; 3]>,
    runs_1_15: Option<Vec<[String; 3]>>,
    /// "same", "random", or what is other in 1.15.
    v1_15: Json,
}

/// The results of tests. Parts that were not requested are absent.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) exit: u8,
    /// File, run and status.
    pub(crate) runs: Vec<[String; 3]>,
    /// The text of both streams, in order.
    pub(crate) text: Option<String>,
    /// The part on standard output; empty in expected answers.
    pub(crate) out: String,
    /// The part on standard error.
    pub(crate) errors: Option<String>,
    /// Each message of `-json`.
    pub(crate) messages: Option<Vec<Json>>,
    pub(crate) junit: Option<String>,
}

/// Where the cases are.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors/module-test")
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
        Ok(Self { name: name.to_owned(), directory: directory.to_owned(), run })
    }

    /// The module in a directory, without an answer.
    #[allow(dead_code, reason = "the example that counts cases has no use for it")]
    pub(crate) fn plain(directory: &Path) -> Self {
        let run = Run {
            args: Vec::new(),
            env: BTreeMap::new(),
            exit: 0,
            exit_1_15: None,
            runs: Vec::new(),
            runs_1_15: None,
            v1_15: Json::Null,
        };
        Self { name: String::new(), directory: directory.to_owned(), run }
    }

    /// Terraform's answer: that of 1.15 where it differs from 1.11.
    pub(crate) fn expected(&self) -> io::Result<Answer> {
        let text = |name: &str| -> io::Result<Option<String>> {
            let later = self.directory.join("expect-1.15").join(name);
            let path = if later.is_file() { later } else { self.directory.join("expect").join(name) };
            path.is_file().then(|| fs::read_to_string(path)).transpose()
        };
        // Messages are absent where the arguments themselves are wrong.
        let messages: Option<Vec<Json>> =
            text("messages.json")?.map(|text| serde_json::from_str(&text)).transpose()?;
        let messages = messages.filter(|messages| messages.iter().all(Json::is_object));
        let is_random = self.run.v1_15 == "random";
        let output = text("output.txt")?;
        let has_own_output = self.directory.join("expect-1.15/output.txt").is_file();
        let errors = match text("stderr.txt")? {
            // For 1.15, the division between the streams is not recorded.
            _ if has_own_output => None,
            errors => errors.or_else(|| output.is_some().then(String::new)),
        };
        Ok(Answer {
            exit: self.run.exit_1_15.unwrap_or(self.run.exit),
            runs: self.run.runs_1_15.clone().unwrap_or_else(|| self.run.runs.clone()),
            text: output,
            out: String::new(),
            errors,
            messages: messages.filter(|_| !is_random),
            junit: text("junit.xml")?,
        })
    }
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
