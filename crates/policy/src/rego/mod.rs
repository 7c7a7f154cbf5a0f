//! Rego policies over plans.
//!
//! Policies read the collections of [`tfplan`](crate::tfplan), [`tfstate`](crate::tfstate) and
//! [`tfconfig`](crate::tfconfig) as `input.tfplan`, `input.tfstate` and `input.tfconfig`, and the document as
//! `input.plan`. Policies for conftest read the document as `input`. Each change has `after_full` beside `after`: it
//! has `{"$unknown": {}}` for each value that is unknown until apply.
//!
//! ```
//! use objchange_document::PlanFile;
//! use objchange_policy::rego::{Options, Outcome, Policies, PolicyFile};
//!
//! let policy = r#"
//! package main
//!
//! deny contains msg if {
//!     some rc in input.tfplan.resource_changes
//!     rc.type == "aws_s3_bucket"
//!     rc.change.after.acl == "public-read"
//!     msg := sprintf("%s can be read by everybody", [rc.address])
//! }
//! "#;
//! let policies = Policies::compile(&[PolicyFile::new("s3.rego", policy)], Options::new(|| 0))?;
//! let plan = |known: &str| PlanFile::parse("plan.json", format!(
//!     r#"{{"format_version":"1.2","resource_changes":[{{"address":"aws_s3_bucket.a","mode":"managed","name":"a",
//!         "type":"aws_s3_bucket","change":{{"actions":["create"],"before":null,{known}}}}}]}}"#,
//! ));
//!
//! let verdicts = policies.evaluate(&plan(r#""after":{"acl":"public-read"},"after_unknown":{}"#)?)?;
//! assert_eq!(verdicts.rules[0].outcome(), Outcome::Fail);
//! assert_eq!(verdicts.rules[0].findings[0].address.as_deref(), Some("aws_s3_bucket.a"));
//!
//! let verdicts = policies.evaluate(&plan(r#""after":{},"after_unknown":{"acl":true}"#)?)?;
//! assert_eq!(verdicts.rules[0].outcome(), Outcome::Undecided);
//! assert_eq!(verdicts.rules[0].undecided.as_ref().unwrap().waits_for[0].path, "acl");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cases;
mod check;
mod compile;
mod data;
mod error;
mod evaluate;
mod files;
mod finding;
mod format;
mod input;
#[cfg(feature = "network")]
mod internet;
mod marked_paths;
mod members;
mod network;
mod plan_line;
mod rules;
mod secret;
mod shape;
mod simulated;
mod testing;
mod text_report;
mod trace;
mod unknown;
mod value;
mod verdict;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use objchange_document::PlanFile;
pub use objchange_rego::{
    ConfigFileError, ConfigFiles, HttpRequest, HttpResponse, Network, NetworkError, Value,
};

pub use self::cases::check_rules;
pub use self::check::{Lint, UNUSED_IMPORT, UNUSED_RULE};
pub use self::data::{DataFile, LeftOutData, PolicyData};
pub use self::error::{PolicyError, PolicyErrorKind, PolicyLocation};
pub use self::files::{PolicyFiles, read_data, read_policies};
#[cfg(feature = "network")]
pub use self::internet::Internet;
#[cfg(all(feature = "network", feature = "sentinel"))]
pub(crate) use self::network::Remembered;
pub use self::plan_line::PlanLine;
pub use self::rules::{Severity, refuse_rules_in_tests};
pub use self::testing::{TestResult, TestVerdict, Tested, run_tests};
pub use self::text_report::{TextReport, write_coverage, write_tests};
pub use self::trace::{Coverage, FileCoverage, TraceState, TracedCondition, TracedRule, TracedValue};
pub use self::verdict::{
    Finding, HIDDEN_MESSAGE, Outcome, RuleVerdict, Undecided, Unknown, Verdicts, Warning,
};

/// A file of policies.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    name: String,
    text: String,
}

impl PolicyFile {
    /// The text of a file, and its name for reports.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// The form of `input` that policies see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputMode {
    /// Whichever the policies read: the collections, or the document.
    #[default]
    Auto,
    /// The collections by name, and the document as `plan`.
    Collections,
    /// The document.
    Raw,
    /// The document as `tfplan`, and the data of the run as `tfrun`, as some platforms have them.
    Wrapped,
}

/// Options for evaluating policies.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The time that policies see, in nanoseconds since 1970. It is read once for each document.
    pub now_ns: fn() -> i64,
    /// The form of `input` that they see.
    pub input: InputMode,
    /// The packages whose rules are evaluated; empty for all.
    pub packages: Vec<String>,
    /// The rules to evaluate, by name or by package and name, with `*` and `?`; empty for all rules whose names give a
    /// severity.
    pub rules: Vec<String>,
    /// The documents that policies see as `data`: an object.
    pub data: Value,
    /// The parts that are missing in `data`: policies that refer to it are refused.
    pub data_left_out: Vec<LeftOutData>,
    /// The data of the run, which policies read as `input.run` beside the collections, and as `input.tfrun` beside a
    /// wrapped document. Without it, policies that read it are refused.
    pub run: Option<Value>,
    /// The network that policies may use; none, if those that do are refused.
    pub network: Option<Arc<dyn Network>>,
    /// The configuration files that policies may read; none, if the rules that read some fail.
    pub config_files: Option<Arc<dyn ConfigFiles>>,
    /// A rule fails where a built-in function does: otherwise the condition is undefined, with a warning.
    pub strict_builtin_errors: bool,
    /// The time limit for compiling the policies, and for evaluating them over a document.
    pub timeout: Duration,
    /// The approximate memory limit for the values of policies, in bytes.
    pub memory: u64,
    /// The verdict of each rule says which of its conditions held.
    pub trace: bool,
    /// Tests tell which lines of policies they have evaluated.
    pub coverage: bool,
    /// On how many threads the rules are evaluated for one document.
    pub threads: usize,
}

impl Options {
    /// The defaults, with this clock.
    pub fn new(now_ns: fn() -> i64) -> Self {
        Self {
            now_ns,
            input: InputMode::default(),
            packages: Vec::new(),
            rules: Vec::new(),
            data: Value::object([]),
            data_left_out: Vec::new(),
            run: None,
            network: None,
            config_files: None,
            strict_builtin_errors: false,
            timeout: Duration::from_secs(10),
            memory: 512 << 20,
            trace: false,
            coverage: false,
            threads: 1,
        }
    }

    fn time(&self) -> objchange_text::TimeLimit {
        objchange_text::TimeLimit::begin(self.timeout)
    }

    fn parts(&self) -> usize {
        self.threads.max(1)
    }
}

/// Policies, ready to be evaluated over any number of documents, also at once.
pub struct Policies {
    compiled: compile::Compiled,
    options: Options,
}

impl Policies {
    /// Reads policies.
    ///
    /// # Errors
    ///
    /// A file is not Rego, files contradict each other, there is no rule called `deny`, `violation` or `warn`, or one of the
    /// selections in the options matches no rule.
    pub fn compile(files: &[PolicyFile], options: Options) -> Result<Self, PolicyError> {
        let compiled = compile::compile(files, &options, false)?;
        rules::refuse_unmatched(&compiled.program, &compiled.rules, &options)?;
        Ok(Self { compiled, options })
    }

    /// Evaluates the policies over a plan.
    ///
    /// # Errors
    ///
    /// The file is no whole plan, see [`PlanFile::judged`], or evaluating a rule fails or takes too long.
    pub fn evaluate(&self, file: &PlanFile) -> Result<Verdicts, PolicyError> {
        let plan = file.judged().map_err(PolicyError::of_plan_file)?;
        evaluate::evaluate(&self.compiled, &self.options, plan)
    }

    /// The rule that was begun last, wherever it is evaluated now: for who ends what takes too much.
    pub fn evaluating(&self) -> Option<PolicyLocation> {
        let rule = self.compiled.begun.load(std::sync::atomic::Ordering::Relaxed);
        self.compiled.rules.get(rule)?.definitions.first().cloned()
    }
}

impl Policies {
    /// Notes about the policies.
    pub fn notes(&self) -> &[String] {
        &self.compiled.notes
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policies").field("rules", &self.compiled.rules).finish_non_exhaustive()
    }
}
