//! The configurations that have shown a finding: kept in a file, and tried first the next time.

use objchange::Value;
use objchange::schema::Block;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::report::Subject;
use super::secrets::Secrets;

/// The kept configurations, in the order of their discovery. The file has one per line (JSON Lines).
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    kept: Vec<CorpusEntry>,
}

/// One configuration, in the JSON of case files. Secrets were replaced.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CorpusEntry {
    subject: String,
    name: String,
    config: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    update: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    update_known: Option<Box<RawValue>>,
    /// The clause that this case once broke. Only people read it.
    #[serde(default)]
    clause: String,
}

/// Why a file is not a corpus.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: this is no kept configuration: {error}")]
#[non_exhaustive]
pub struct CorpusError {
    /// The line, from 1.
    pub line: usize,
    /// The problem with it.
    pub error: serde_json::Error,
}

impl CorpusError {
    /// The stable name of the kind of error: there is one.
    pub fn kind(&self) -> &'static str {
        "corpus"
    }
}

/// A kept configuration under the present schema.
#[derive(Clone)]
pub(super) struct Replayed {
    pub(super) config: Value,
    pub(super) known: Option<Value>,
    pub(super) update: Option<Value>,
    pub(super) update_known: Option<Value>,
}

impl CorpusEntry {
    pub(super) fn new(
        subject: Subject,
        name: &str,
        block: &Block,
        replayed: &Replayed,
        clause: &str,
    ) -> Option<Self> {
        let json =
            |value: &Value| RawValue::from_string(value.to_marker_json(block.implied_type()).ok()?).ok();
        let option = |value: &Option<Value>| match value {
            Some(value) => json(value).map(Some),
            None => Some(None),
        };
        Some(Self {
            subject: subject.kind().into(),
            name: name.into(),
            config: json(&replayed.config)?,
            known: option(&replayed.known)?,
            update: option(&replayed.update)?,
            update_known: option(&replayed.update_known)?,
            clause: clause.into(),
        })
    }

    /// Whether it holds a secret.
    pub(super) fn holds(&self, secrets: &Secrets) -> bool {
        let texts =
            [Some(&self.config), self.known.as_ref(), self.update.as_ref(), self.update_known.as_ref()];
        texts.into_iter().flatten().any(|json| secrets.finds_in_json(json.get()))
    }

    /// All fields that distinguish entries.
    fn key(&self) -> [&str; 6] {
        [
            &self.subject,
            &self.name,
            self.config.get(),
            self.known.as_ref().map_or("", |raw| raw.get()),
            self.update.as_ref().map_or("", |raw| raw.get()),
            self.update_known.as_ref().map_or("", |raw| raw.get()),
        ]
    }
}

impl Corpus {
    /// Reads a file. Empty lines are skipped.
    ///
    /// # Errors
    ///
    /// The first line that is not a kept configuration.
    pub fn parse(text: &str) -> Result<Self, CorpusError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let kept = lines
            .map(|(i, line)| serde_json::from_str(line).map_err(|error| CorpusError { line: i + 1, error }));
        Ok(Self { kept: kept.collect::<Result<_, _>>()? })
    }

    /// The content of the file.
    pub fn to_json_lines(&self) -> String {
        let line =
            |kept: &CorpusEntry| serde_json::to_string(kept).map(|line| line + "\n").unwrap_or_default();
        self.kept.iter().map(line).collect()
    }

    /// How many configurations are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(super) fn add(&mut self, new: CorpusEntry) {
        if self.kept.iter().all(|kept| kept.key() != new.key()) {
            self.kept.push(new);
        }
    }

    /// The kept configurations of a type, as far as they fit its present schema.
    pub(super) fn about(&self, subject: Subject, name: &str, block: &Block) -> Vec<Replayed> {
        let value = |raw: &RawValue| Value::from_marker_json(raw.get(), block.implied_type()).ok();
        let option = |raw: &Option<Box<RawValue>>| match raw {
            Some(raw) => value(raw).map(Some),
            None => Some(None),
        };
        let replayed = |kept: &CorpusEntry| {
            let (config, known) = (value(&kept.config)?, option(&kept.known)?);
            let (update, update_known) = (option(&kept.update)?, option(&kept.update_known)?);
            Some(Replayed { config, known, update, update_known })
        };
        let is_of = |kept: &&CorpusEntry| kept.subject == subject.kind() && kept.name == name;
        // The schema may have changed since. Configurations that no longer fit are skipped, and stay in the file.
        self.kept.iter().filter(is_of).filter_map(replayed).collect()
    }
}
