//! Collects and prints the errors and warnings of a module.

mod json;
mod printer;
mod text;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use objchange::address::{InstanceKey, ModuleAddress};
use objchange::change::ProviderSecrets;
use objchange_document::Version;
use objchange_hcl::{Diagnostic, Severity, Span, Summary};

pub use printer::{DiagnosticPrinter, ShownLine};
pub(crate) use text::{ASSERT_FAILED, ASSERT_UNKNOWN, wrap};

use crate::versions::since;

/// The kind of what a provider says; its summary is its own.
pub(crate) const PROVIDER: &str = "provider";

/// A place that Terraform prints as line 0 of a file without a name.
pub const NOWHERE: Span = Span { start: u32::MAX, end: u32::MAX };

/// Something that people must read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleDiagnostic {
    /// The error or warning, with spans in all files together.
    pub diagnostic: Diagnostic,
    /// The address of the resource instance that it is about, where a provider said it.
    pub address: Option<String>,
    /// The instance of its module, if the module has several, or may have: Terraform does not say which one.
    pub module: Option<String>,
    /// The owner of the condition that failed or is unknown, if it is about a condition.
    pub condition: Option<Box<ConditionOwner>>,
    /// Both sides of the assertion of a test that does not hold, where it compares two.
    pub comparison: Option<Box<Comparison>>,
    /// It is said for each instance, even where nothing of it differs.
    pub(crate) is_repeated: bool,
    /// It says that a condition is undecided, because of values that were made up.
    pub is_undecided: bool,
}

/// The kind of object that conditions belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckKind {
    /// A `resource` or `data` block with preconditions or postconditions.
    Resource,
    /// An `output` block with preconditions.
    OutputValue,
    /// A `check` block.
    Check,
    /// A `variable` block with validations.
    InputVariable,
}

/// An object of configuration with conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionOwner {
    /// The kind of the owner.
    pub kind: CheckKind,
    /// The instance of its module.
    pub module: ModuleAddress,
    /// The object in its module: `aws_instance.web`, `data.aws_ami.x`, or a name.
    pub name: String,
    /// The key of a resource instance.
    pub key: Option<InstanceKey>,
}

/// Both sides of a comparison as JSON, with `"(sensitive value)"` for what is sensitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The left side.
    pub left: String,
    /// The right side.
    pub right: String,
    /// The sides are of different types.
    pub types_differ: bool,
    /// Both sides are printed, and not only what differs.
    pub is_verbose: bool,
}

impl Comparison {
    /// The warning about a comparison of different types.
    pub(crate) fn warning(&self) -> Option<&'static str> {
        self.types_differ.then_some("LHS and RHS values are of different types")
    }
}

/// One sentence or two, with the instance that it is about. `DiagnosticPrinter` also prints where it is.
impl fmt::Display for ModuleDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(address) = &self.address {
            write!(f, "{address}: ")?;
        }
        fmt::Display::fmt(&self.diagnostic, f)
    }
}

impl std::error::Error for ModuleDiagnostic {}

impl ModuleDiagnostic {
    /// Something that is about a resource instance, or about none.
    pub fn new(diagnostic: Diagnostic, address: Option<String>) -> Self {
        Self {
            diagnostic,
            address,
            module: None,
            condition: None,
            comparison: None,
            is_repeated: false,
            is_undecided: false,
        }
    }

    /// Hides secrets in its texts. Values are compared line by line, so each side is hidden by itself.
    fn hide(&mut self, secrets: &ProviderSecrets) {
        let hide = |text: &mut String| *text = secrets.hide(text).into_owned();
        let Diagnostic { summary, detail, values, hints, .. } = &mut self.diagnostic;
        for text in [summary, detail] {
            hide(text.to_mut());
        }
        values.iter_mut().for_each(|(_, value)| hide(value));
        hints.iter_mut().for_each(hide);
        self.address.iter_mut().chain(&mut self.module).for_each(hide);
        if let Some(comparison) = &mut self.comparison {
            hide(&mut comparison.left);
            hide(&mut comparison.right);
        }
    }

    fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}

/// The summary of the error about a cycle of these names. Since Terraform 1.16 each name has a line.
pub(crate) fn cycle_summary<'n>(version: Version, names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match since(version, "1.16") {
        true => names.iter().fold("Cycle:".to_owned(), |text, name| text + "\n  " + name),
        false => format!("Cycle: {}", names.join(", ")),
    }
}

/// All errors and warnings, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    all: Vec<ModuleDiagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Adds an error at a place, or at none.
    pub fn error(
        &mut self,
        summary: impl Into<Summary>,
        span: impl Into<Option<Span>>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(Severity::Error, Diagnostic::new(summary, span, detail));
    }

    /// Adds a warning at a place, or at none.
    pub fn warning(
        &mut self,
        summary: impl Into<Summary>,
        span: impl Into<Option<Span>>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(Severity::Warning, Diagnostic::new(summary, span, detail));
    }

    /// Adds something that has no place.
    pub fn without_place(
        &mut self,
        severity: Severity,
        summary: impl Into<Summary>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(severity, Diagnostic::new(summary, None, detail));
    }

    /// Adds what is about no resource instance, as an error or a warning.
    pub fn push(&mut self, severity: Severity, diagnostic: Diagnostic) {
        self.add(ModuleDiagnostic::new(Diagnostic { severity, ..diagnostic }, None));
    }

    /// Adds what is about a condition of this object.
    pub(crate) fn push_condition(
        &mut self,
        severity: Severity,
        diagnostic: Diagnostic,
        owner: &ConditionOwner,
    ) {
        let diagnostic = Diagnostic { severity, ..diagnostic };
        let condition = Some(Box::new(owner.clone()));
        let found =
            ModuleDiagnostic { condition, is_repeated: true, ..ModuleDiagnostic::new(diagnostic, None) };
        self.add(found);
    }

    /// Adds the error about a cycle of these names.
    pub(crate) fn cycle<'n>(&mut self, version: Version, names: impl IntoIterator<Item = &'n str>) {
        self.without_place(Severity::Error, ("cycle", cycle_summary(version, names)), "");
    }

    /// Turns undecided conditions into errors.
    pub(crate) fn refuse_undecided(&mut self) {
        for found in self.all.iter_mut().filter(|found| found.is_undecided && !found.is_error()) {
            found.diagnostic.severity = Severity::Error;
            self.errors += 1;
        }
    }

    /// Removes the errors that were added since there were so many diagnostics.
    pub(crate) fn remove_errors_since(&mut self, length: usize) {
        let mut position = 0;
        self.all.retain(|found| {
            position += 1;
            position <= length || !found.is_error()
        });
        self.errors = self.all.iter().filter(|found| found.is_error()).count();
    }

    /// Says of what was added since there were so many diagnostics in which instance of a module it was found.
    pub(crate) fn set_module_since(&mut self, length: usize, module: &str) {
        self.all.iter_mut().skip(length).for_each(|found| found.module = Some(module.to_owned()));
    }

    /// Adds errors that reading or evaluating has found.
    pub fn errors(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        found.into_iter().for_each(|diagnostic| self.push(Severity::Error, diagnostic));
    }

    /// Adds something that is made elsewhere.
    pub fn add(&mut self, diagnostic: ModuleDiagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.all.push(diagnostic);
    }

    /// Adds an error that is said for each instance, even where nothing of it differs.
    pub(crate) fn push_repeated(&mut self, error: Diagnostic) {
        self.add(ModuleDiagnostic { is_repeated: true, ..ModuleDiagnostic::new(error, None) });
    }

    /// Adds all of another collection.
    pub fn append(&mut self, other: Self) {
        self.errors += other.errors;
        self.all.extend(other.all);
    }

    /// Leaves out what was said before of the same place in the same words, unless a function has failed, or it is said
    /// for each instance.
    pub(crate) fn deduplicate(&mut self) {
        let mut seen: HashSet<(Severity, String, String, Option<Span>)> = HashSet::new();
        self.all.retain(|found| {
            let ModuleDiagnostic { diagnostic, is_repeated, .. } = found;
            let Diagnostic { summary, detail, severity, subject, called, .. } = diagnostic;
            let is_new = seen.insert((*severity, summary.to_string(), detail.to_string(), *subject));
            is_new || *is_repeated || subject.is_none() || called.is_some()
        });
        self.errors = self.all.iter().filter(|found| found.is_error()).count();
    }

    /// Keeps all of these when later ones are deduplicated.
    pub(crate) fn keep_all(&mut self) {
        self.all.iter_mut().for_each(|found| found.is_repeated = true);
    }

    /// Says no more which type was given in place of another, as Terraform before 1.13: `bool required`, not `bool required,
    /// but have object`. Sets of any type were sets `of any single type`.
    pub(crate) fn name_no_given_types(&mut self) {
        const GIVEN: &str = " required, but have ";
        for found in self.all.iter_mut().filter(|found| found.condition.is_none()) {
            let detail = &mut found.diagnostic.detail;
            for kind in ["list", "map", "set"] {
                let words = format!(": {kind} of dynamic required");
                if detail.contains(&words) {
                    *detail = detail.replace(&words, &format!(": {kind} of any single type required")).into();
                }
            }
            while let Some(at) = detail.find(GIVEN) {
                let behind = &detail[at + GIVEN.len()..];
                let end = behind.find(|c: char| !c.is_ascii_lowercase() && c != ' ').unwrap_or(behind.len());
                *detail = format!("{} required{}", &detail[..at], &behind[end..]).into();
            }
        }
    }

    /// Removes and returns the matching diagnostics.
    pub(crate) fn extract(&mut self, is_wanted: impl Fn(&ModuleDiagnostic) -> bool) -> Self {
        let all = std::mem::take(&mut self.all);
        let (wanted, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_wanted);
        self.all = Vec::new();
        self.errors = 0;
        others.into_iter().for_each(|found| self.add(found));
        let mut extracted = Self::default();
        wanted.into_iter().for_each(|found| extracted.add(found));
        extracted
    }

    /// Hides secrets in the texts of all.
    pub(crate) fn hide(&mut self, secrets: &ProviderSecrets) {
        self.all.iter_mut().for_each(|found| found.hide(secrets));
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The number of errors.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &ModuleDiagnostic> {
        self.all.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
