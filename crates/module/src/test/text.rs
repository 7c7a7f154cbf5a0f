//! Prints tests as `terraform test` does.

use std::cell::OnceCell;
use std::fmt::Write as _;

use objchange::change::ProviderSecrets;
use objchange_document::{Program, State};
use objchange_plan::{Filter, Options, Report};
use objchange_text::visible;

use super::load::TestSuite;
use super::report::{CleanUp, FailedElements, FileReport, RunOutcome, RunReport, TestReport, TestStatus};
use crate::diagnostics::DiagnosticPrinter;
use crate::document::{change_set, write_state};
use crate::plan::PlanMode;
use crate::versions::since;
use crate::{Diagnostics, Schemas, Severity};

/// The maximum number of elements to show of an assertion.
const SHOWN_ELEMENTS: usize = 5;

/// Where a text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error: errors, and what could not be cleaned up.
    Err,
}

/// A text, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Where it goes.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

/// Prints what came of the tests of a suite.
///
/// Nothing that is sensitive is printed, nor what of the source files may be.
#[derive(Debug)]
pub struct TestPrinter<'s> {
    pub(super) suite: &'s TestSuite,
    pub(super) schemas: &'s Schemas,
    pub(super) shown: DiagnosticPrinter<'s>,
    shown_schemas: OnceCell<objchange_document::Schemas>,
}

/// Texts in the order in which they are printed.
#[derive(Default)]
pub(super) struct Outputs(Vec<Output>);

impl Outputs {
    pub(super) fn add(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.stream == stream => last.text.push_str(text),
            _ => self.0.push(Output { stream, text: text.to_owned() }),
        }
    }
}

impl<'s> TestPrinter<'s> {
    /// A printer for a suite; the schemas tell what in its files is sensitive.
    pub fn new(suite: &'s TestSuite, schemas: &'s Schemas) -> Self {
        let shown = DiagnosticPrinter::of_all(suite.configs(), schemas);
        Self { suite, schemas, shown, shown_schemas: OnceCell::new() }
    }

    pub(super) fn is_new(&self) -> bool {
        since(self.suite.version, "1.15")
    }

    /// Prints the errors and warnings of the suite; after errors nothing else is printed.
    pub fn load_text(&self) -> Vec<Output> {
        let mut out = Outputs::default();
        self.diagnostics(&self.suite.diagnostics, &mut out);
        out.0
    }

    /// Prints the result of a file.
    pub fn file_text(&self, file: &FileReport) -> Vec<Output> {
        let mut out = Outputs::default();
        let path = visible(&file.path);
        out.add(Stream::Out, &format!("{path}... in progress\n"));
        for run in &file.runs {
            self.run(run, &file.secrets, &mut out);
        }
        // Terraform 1.15 tears nothing down in a file without runs.
        if !file.names.is_empty() || !self.is_new() {
            out.add(Stream::Out, &format!("{path}... tearing down\n"));
        }
        file.cleanups.iter().for_each(|cleanup| self.clean_up(&file.path, cleanup, &mut out));
        out.add(Stream::Out, &format!("{path}... {}\n", file.status.shown()));
        self.diagnostics(&file.unused, &mut out);
        self.diagnostics(&file.diagnostics, &mut out);
        out.0
    }

    /// Prints the number of passed and failed runs, after all files.
    pub fn summary_text(&self, report: &TestReport) -> Vec<Output> {
        let mut out = Outputs::default();
        out.add(Stream::Out, &format!("\n{}\n", summary(report)));
        out.0
    }

    /// The elements of collections that have made assertions fail, one text for each assertion.
    pub fn elements(&self, report: &TestReport) -> Vec<String> {
        let places = self.suite.config().sources.places();
        let of_file = |file: &FileReport| {
            let runs = file.runs.iter().flat_map(|run| run.elements.iter().map(move |failed| (run, failed)));
            let text = |(run, failed): (&RunReport, &FailedElements)| {
                let place = places.find(failed.span).map(|place| place.to_string()).unwrap_or_default();
                let hidden = failed.elements.len().saturating_sub(SHOWN_ELEMENTS);
                let shown = failed.elements.iter().take(SHOWN_ELEMENTS).cloned().collect::<Vec<_>>();
                let more = match hidden + failed.more {
                    0 => String::new(),
                    more => format!("; and {more} more"),
                };
                format!("{place}, in run {:?}: false because {}{more}", run.name, shown.join("; "))
            };
            runs.map(text).collect::<Vec<_>>()
        };
        report.files.iter().flat_map(of_file).collect()
    }

    fn run(&self, run: &RunReport, secrets: &ProviderSecrets, out: &mut Outputs) {
        out.add(Stream::Out, &format!("  run {:?}... {}\n", run.name, run.status.shown()));
        match &run.outcome {
            Some(RunOutcome::Plan(plan, mode, _)) => {
                let text = self.plan_text(plan, *mode);
                out.add(Stream::Out, &format!("{}\n", secrets.hide(&text)));
            }
            Some(RunOutcome::State(..)) => {
                let text = self.state_text(run).unwrap_or_default();
                out.add(Stream::Out, &format!("\n{}\n", secrets.hide(&text)));
            }
            None => {}
        }
        self.diagnostics(&run.diagnostics, out);
        // As Terraform: warnings on standard output end with a blank line, errors on standard error do not.
        if run.diagnostics.iter().any(|found| found.diagnostic.severity == Severity::Warning) {
            out.add(Stream::Out, "\n");
        }
    }

    fn plan_text(&self, plan: &crate::ModulePlan, mode: PlanMode) -> String {
        // A run of a test that destroys everything prints its plan as any other (Terraform 1.15.5).
        let mode = if mode == PlanMode::RefreshOnly { mode } else { PlanMode::Normal };
        let options = Options { mode: Some(mode), ..self.report_options() };
        let changes = change_set(plan);
        let schemas = objchange_document::Schemas::none();
        let report = Report::of_changes(&changes, &schemas, &options, &Filter::default());
        let mut text = Vec::new();
        let written = report.ok().map(|report| report.write_text(&mut text, &options));
        written.filter(Result::is_ok).map(|_| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }

    fn report_options(&self) -> Options {
        Options { program: Some(Program::Terraform(self.suite.version)), ..Options::default() }
    }

    fn state_text(&self, run: &RunReport) -> Option<String> {
        let Some(RunOutcome::State(state, _)) = &run.outcome else { return None };
        let document = write_state(state, self.schemas, &self.version());
        let state = State::parse(&document).ok()?;
        let schemas = self.shown_schemas();
        let options = self.report_options();
        let report = Report::of_state(&state, schemas, &options, &Filter::default());
        let mut text = Vec::new();
        report.write_text(&mut text, &options).ok()?;
        String::from_utf8(text).ok()
    }

    /// The schemas that tell blocks from attributes.
    fn shown_schemas(&self) -> &objchange_document::Schemas {
        self.shown_schemas.get_or_init(|| objchange_document::Schemas::new(self.schemas.to_document()))
    }

    pub(super) fn version(&self) -> String {
        format!("{}.0", self.suite.version)
    }

    fn clean_up(&self, path: &str, cleanup: &CleanUp, out: &mut Outputs) {
        if cleanup.left.is_empty() && !cleanup.diagnostics.has_errors() {
            return;
        }
        let what = format!("{}/{}", visible(path), visible(&cleanup.run));
        let mut text = String::new();
        crate::diagnostics::wrap(
            &format!("Terraform encountered an error destroying resources created while executing {what}."),
            &mut text,
        );
        out.add(Stream::Err, &text);
        self.diagnostics(&cleanup.diagnostics, out);
        if cleanup.left.is_empty() {
            return;
        }
        let mut text = "\n".to_owned();
        crate::diagnostics::wrap(
            &format!(
                "Terraform left the following resources in state after executing {what}, and they need to be cleaned up \
                 manually:"
            ),
            &mut text,
        );
        for address in &cleanup.left {
            let _ = writeln!(text, "  - {}", visible(address));
        }
        out.add(Stream::Err, &text);
    }

    /// Errors go to one stream, warnings to the other.
    fn diagnostics(&self, found: &Diagnostics, out: &mut Outputs) {
        for (severity, text) in self.shown.texts(found) {
            let stream = if severity == Severity::Error { Stream::Err } else { Stream::Out };
            out.add(stream, &text);
        }
    }
}

/// The last line: the numbers of passed, failed and skipped runs.
pub(super) fn summary(report: &TestReport) -> String {
    let word = match report.status() {
        TestStatus::Skip | TestStatus::Pass => "Success!",
        TestStatus::Undecided => "Undecided!",
        TestStatus::Fail | TestStatus::Error => "Failure!",
    };
    // The last line of `terraform test` counts errors among the failed runs; `-json` counts them apart.
    let failed = report.count(TestStatus::Fail) + report.count(TestStatus::Error);
    let mut text = format!("{word} {} passed, {failed} failed", report.count(TestStatus::Pass));
    let undecided = report.count(TestStatus::Undecided);
    if undecided > 0 {
        let _ = write!(text, ", {undecided} undecided");
    }
    let skipped = report.count(TestStatus::Skip);
    if skipped > 0 {
        let _ = write!(text, ", {skipped} skipped");
    }
    text.push('.');
    text
}
