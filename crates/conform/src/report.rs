//! The result of testing a provider, as plain data.

use std::time::Duration;

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::Block;
use objchange::value::{Path, PathStep};
use objchange_provider::Component;
use objchange_text::joined_path;
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::case::NoCase;
use super::finding::shortened;
use super::run::LeftoverObject;
use super::secrets::Secrets;
use super::{Advice, Clause, Finding, FindingSeverity};

/// A part of a provider that is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A component that is configured: the provider itself, a resource type, a data source.
    Component(Component),
    /// A function.
    Function,
}

/// The result of testing a provider. It contains nothing sensitive.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The seed of the configurations.
    pub seed: u64,
    /// Whether anything was applied.
    pub applied: bool,
    /// How the run ended. Some types may not have been tried.
    pub ended: RunEnd,
    /// Why the provider was tested without its own configuration, if it was.
    pub not_configured: Option<String>,
    /// Objects that were created and may still exist.
    pub left: Vec<LeftoverObject>,
    /// The types that were tested, by kind and name.
    pub types: Vec<TypeReport>,
    /// The duration of the run. Only this differs between two runs with the same seed.
    pub time: Time,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunEnd {
    /// Everything was tried.
    Complete,
    /// The time ran out.
    Time,
    /// It was interrupted.
    Stopped,
}

/// The duration of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
#[non_exhaustive]
pub struct Time {
    /// The whole run.
    #[serde(serialize_with = "seconds")]
    pub elapsed: Duration,
    /// The sum over all calls to the provider, from question to answer. Calls may overlap.
    #[serde(serialize_with = "seconds")]
    pub in_provider: Duration,
    /// The number of calls.
    pub calls: u64,
}

/// The result of trying one type.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct TypeReport {
    /// The kind of subject.
    pub subject: Subject,
    /// Its name; empty for the provider itself.
    pub name: String,
    /// Its schema; for a function, a schema with an attribute for each parameter.
    #[serde(skip)]
    pub schema: Block,
    /// Why the type was skipped or given up, if it was.
    pub skipped: Option<String>,
    /// The number of configurations that were tried.
    pub samples: u64,
    /// The number of accepted configurations.
    pub accepted: u64,
    /// The number of configurations that were refused, even after changes.
    pub refused: u64,
    /// The number of plans, without those of the search for the smallest configurations.
    pub plans: u64,
    /// The reasons for refusals, each once, the most frequent first.
    pub refusals: Vec<Refusal>,
    /// Its findings, the worst first.
    pub findings: Vec<FindingReport>,
}

/// A reason for refused configurations.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Refusal {
    /// The summary of the diagnostic.
    pub summary: String,
    /// The detail of the first such diagnostic.
    pub detail: Option<String>,
    /// The number of such diagnostics.
    pub count: u64,
}

/// One kind of violation by a type, at paths of one form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FindingReport {
    /// The finding with the smallest configuration.
    pub finding: Finding,
    /// The place, with `[*]` for each index.
    pub place: String,
    /// The number of configurations that show it.
    pub count: u64,
    /// The smallest configuration that shows it; `None` if no configuration is needed.
    pub smallest: Option<Smallest>,
    /// A line of a case file that shows it without the provider, or why there is none.
    pub case: Result<String, NoCase>,
    /// Whether the baseline has it.
    pub is_known: bool,
}

/// The smallest configuration that shows a finding. Sensitive values in it are marked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Smallest {
    /// The configuration; for a function, the tuple of its arguments.
    pub config: Value,
    /// The wholly known form of `config`, if only that shows it.
    pub known: Option<Value>,
    /// The configuration to update to, if only an update shows it.
    pub update: Option<Value>,
    /// The wholly known form of `update`, if `update` has unknown parts.
    pub update_known: Option<Value>,
}

impl Subject {
    /// All kinds of subjects.
    pub const ALL: [Self; 7] = [
        Self::Component(Component::Provider),
        Self::Component(Component::Resource),
        Self::Component(Component::DataSource),
        Self::Component(Component::EphemeralResource),
        Self::Component(Component::ListResource),
        Self::Component(Component::Action),
        Self::Function,
    ];

    /// Its stable name.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Component(component) => component.kind(),
            Self::Function => "function",
        }
    }

    /// The noun for it in sentences.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Component(component) => component.noun(),
            Self::Function => "function",
        }
    }
}

impl FindingSeverity {
    /// Its stable name.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Unnoticed => "unnoticed",
            Self::Tolerated => "tolerated",
            Self::Error => "error",
        }
    }

    /// Whether Terraform stops because of the provider.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::Error)
    }
}

impl Report {
    /// Whether anything was checked: a configured provider accepted a configuration, or there is a finding.
    pub fn is_any_checked(&self) -> bool {
        let is_checked = |type_report: &TypeReport| {
            let is_reached = self.not_configured.is_none() || type_report.subject == Subject::Function;
            type_report.accepted > 0 && is_reached || !type_report.findings.is_empty()
        };
        self.types.iter().any(is_checked)
    }

    /// All findings, each with its type.
    pub fn findings(&self) -> impl Iterator<Item = (&TypeReport, &FindingReport)> {
        self.types
            .iter()
            .flat_map(|type_report| type_report.findings.iter().map(move |found| (type_report, found)))
    }

    /// The numbers of findings that the baseline does not have: errors, and other faults of the provider.
    pub fn new_findings(&self) -> (usize, usize) {
        let new = |is_error: bool| {
            let is_new = move |found: &FindingReport| {
                let severity = found.finding.severity;
                !found.is_known && severity.is_error() == is_error && severity != FindingSeverity::Note
            };
            self.findings().filter(|(_, found)| is_new(found)).count()
        };
        (new(true), new(false))
    }
}

/// Counts the reasons beyond [`MAX_REFUSALS`].
const OTHER_REFUSALS: &str = "(other reasons)";

/// The number of reasons for refusals that are distinguished.
const MAX_REFUSALS: usize = 100;

impl Report {
    /// Hides all secrets that the run learned.
    pub(super) fn hide(&mut self, secrets: &Secrets) {
        self.not_configured = self.not_configured.take().map(|reason| shortened(&secrets.hide(&reason)));
        for left in &mut self.left {
            left.id = left.id.take().map(|id| secrets.hide(&id));
        }
        for type_report in &mut self.types {
            type_report.skipped = type_report.skipped.take().map(|reason| shortened(&secrets.hide(&reason)));
            for refusal in &mut type_report.refusals {
                refusal.summary = secrets.hide(&refusal.summary);
                refusal.detail = refusal.detail.take().map(|detail| secrets.hide(&detail));
            }
            for found in &mut type_report.findings {
                found.hide(secrets);
            }
        }
    }
}

impl FindingReport {
    /// The path, or the place if it is more exact, such as the type of a schema.
    pub fn location(&self) -> String {
        let Self { finding, place, .. } = self;
        if place.is_empty() || *place == shape(&finding.path) {
            finding.path.to_string()
        } else {
            place.clone()
        }
    }

    fn hide(&mut self, secrets: &Secrets) {
        self.finding = secrets.hide_in_finding(self.finding.clone());
        self.place = secrets.hide(&self.place);
        if let Some(smallest) = &mut self.smallest {
            smallest.config = secrets.mark_in(&smallest.config);
            smallest.known = smallest.known.as_ref().map(|known| secrets.mark_in(known));
            smallest.update = smallest.update.as_ref().map(|update| secrets.mark_in(update));
            smallest.update_known = smallest.update_known.as_ref().map(|known| secrets.mark_in(known));
        }
        if self.case.as_ref().is_ok_and(|case| secrets.finds_in_json(case)) {
            self.case = Err(NoCase::TellsSecret);
        }
    }
}

impl TypeReport {
    pub(super) fn new(subject: Subject, name: &str, schema: Block) -> Self {
        Self {
            subject,
            name: name.to_owned(),
            schema,
            skipped: None,
            samples: 0,
            accepted: 0,
            refused: 0,
            plans: 0,
            refusals: Vec::new(),
            findings: Vec::new(),
        }
    }

    pub(super) fn refuse(&mut self, diagnostics: &[Diagnostic]) {
        self.refused += 1;
        for diagnostic in diagnostics {
            let summary = &diagnostic.summary;
            let is_full = self.refusals.len() >= MAX_REFUSALS;
            match self.refusals.iter_mut().find(|refusal| refusal.summary == *summary) {
                Some(refusal) => refusal.count += 1,
                None if is_full => match self.refusals.last_mut() {
                    Some(last) if last.summary == OTHER_REFUSALS => last.count += 1,
                    _ => {
                        self.refusals.push(Refusal {
                            summary: OTHER_REFUSALS.into(),
                            detail: None,
                            count: 1,
                        });
                    }
                },
                None => {
                    let detail = Some(diagnostic.detail.clone()).filter(|detail| !detail.is_empty());
                    self.refusals.push(Refusal { summary: summary.clone(), detail, count: 1 });
                }
            }
        }
    }

    /// The report in the order of its output.
    pub(super) fn sorted(mut self) -> Self {
        self.refusals.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.summary.cmp(&b.summary)));
        let key = |found: &FindingReport| {
            let finding = &found.finding;
            (std::cmp::Reverse(finding.severity), finding.clause, found.place.clone(), finding.kind.clone())
        };
        self.findings.sort_by_key(key);
        self
    }
}

/// A path with `[*]` for each index. Findings at such places are reported as one.
pub(super) fn shape(path: &Path) -> String {
    path.steps().iter().fold(String::new(), |outer, step| match step {
        PathStep::Attribute(name) => joined_path(&outer, name),
        PathStep::Index(_) => joined_path(&outer, "[*]"),
    })
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.kind())
    }
}

/// A value as reports show it.
struct RedactedValue<'v>(&'v Value);

impl Serialize for RedactedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(value) = self;
        let json = value.to_redacted_json(value.ty()).ok().and_then(|json| RawValue::from_string(json).ok());
        match json {
            Some(json) => json.serialize(serializer),
            // JSON has no form for an infinite number.
            None => serializer.collect_str(value),
        }
    }
}

/// Writes all fields on one level, which is easy for other programs to read.
impl Serialize for FindingReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Flat<'f> {
            clause: Clause,
            kind: &'f str,
            severity: &'static str,
            place: &'f str,
            path: &'f Path,
            message: &'f str,
            when: Option<&'f str>,
            rule: &'static str,
            advice: &'static Advice,
            terraform: Option<TerraformMessage<'f>>,
            count: u64,
            known: bool,
            config: Option<RedactedValue<'f>>,
            final_config: Option<RedactedValue<'f>>,
            update: Option<RedactedValue<'f>>,
            final_update: Option<RedactedValue<'f>>,
            case: Option<&'f RawValue>,
            no_case: Option<String>,
        }
        #[derive(serde::Serialize)]
        struct TerraformMessage<'f> {
            summary: &'f str,
            detail: Option<&'f str>,
        }
        let finding = &self.finding;
        let said = |summary| TerraformMessage { summary, detail: finding.terraform.as_deref() };
        let smallest = self.smallest.as_ref();
        let raw = self.case.as_ref().ok().and_then(|case| serde_json::from_str::<&RawValue>(case).ok());
        let flat = Flat {
            clause: finding.clause,
            kind: &finding.kind,
            severity: finding.severity.kind(),
            place: &self.place,
            path: &finding.path,
            message: &finding.message,
            when: finding.when.as_deref(),
            rule: finding.clause.sentence(),
            advice: finding.clause.advice(Some(&finding.kind)),
            terraform: finding.said_by_terraform().map(said),
            count: self.count,
            known: self.is_known,
            config: smallest.map(|smallest| RedactedValue(&smallest.config)),
            final_config: smallest.and_then(|smallest| smallest.known.as_ref()).map(RedactedValue),
            update: smallest.and_then(|smallest| smallest.update.as_ref()).map(RedactedValue),
            final_update: smallest.and_then(|smallest| smallest.update_known.as_ref()).map(RedactedValue),
            case: raw,
            no_case: self.case.as_ref().err().map(ToString::to_string),
        };
        flat.serialize(serializer)
    }
}

impl Finding {
    /// The summary of Terraform's message about the finding; `None` if Terraform has none.
    pub fn said_by_terraform(&self) -> Option<&str> {
        self.summary
            .as_deref()
            .or(self.clause.terraform_summary())
            .filter(|_| self.severity != FindingSeverity::Unnoticed)
    }
}
