//! The report for JUnit, as `terraform test -junit-xml` writes it.

use std::fmt::Write as _;
use std::time::Duration;

use objchange_text::{counted, visible, visible_lines};

use super::assertion::ASSERTION_FAILED;
use super::report::{FileReport, RunReport, TestReport, TestStatus};
use super::text::TestPrinter;
use crate::{Diagnostics, ModuleDiagnostic, Severity};

impl TestPrinter<'_> {
    /// The report as a JUnit file. `timestamp` writes a time of the clock that the tests were run by.
    pub fn junit(&self, report: &TestReport, timestamp: &dyn Fn(Duration) -> String) -> String {
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><testsuites>".to_owned();
        for file in &report.files {
            self.suite(file, timestamp, &mut xml);
        }
        if !report.files.is_empty() {
            xml.push('\n');
        }
        xml.push_str("</testsuites>");
        xml
    }

    // Writing to a string does not fail.
    fn suite(&self, file: &FileReport, timestamp: &dyn Fn(Duration) -> String, xml: &mut String) {
        let count = |status| file.runs.iter().filter(|run| run.status == status).count();
        let _ = write!(
            xml,
            "\n  <testsuite name=\"{}\" tests=\"{}\" skipped=\"{}\" failures=\"{}\" errors=\"{}\">",
            escaped(&visible(&file.path)),
            file.runs.len(),
            count(TestStatus::Skip),
            count(TestStatus::Fail) + count(TestStatus::Undecided),
            count(TestStatus::Error)
        );
        let broken = file.runs.iter().find(|run| run.status == TestStatus::Error);
        for run in &file.runs {
            self.case(file, run, broken, timestamp, xml);
        }
        if !file.runs.is_empty() {
            xml.push_str("\n  ");
        }
        xml.push_str("</testsuite>");
    }

    fn case(
        &self,
        file: &FileReport,
        run: &RunReport,
        broken: Option<&RunReport>,
        timestamp: &dyn Fn(Duration) -> String,
        xml: &mut String,
    ) {
        let (name, class) = (escaped(&visible(&run.name)), escaped(&visible(&file.path)));
        let _ = write!(xml, "\n    <testcase name=\"{name}\" classname=\"{class}\"");
        if run.status != TestStatus::Skip {
            let _ = write!(
                xml,
                " time=\"{}\" timestamp=\"{}\"",
                run.elapsed.as_secs_f64(),
                escaped(&timestamp(run.started_at))
            );
        }
        xml.push('>');
        let mut has_parts = false;
        let mut part = |tag: &str, message: Option<&str>, text: Option<&str>, xml: &mut String| {
            has_parts = true;
            let message =
                message.map(|message| format!(" message=\"{}\"", escaped(message))).unwrap_or_default();
            let text = text
                .map(|text| format!("<![CDATA[{}]]>", legal(text).replace("]]>", "]]]]><![CDATA[>")))
                .unwrap_or_default();
            let _ = write!(xml, "\n      <{tag}{message}>{text}</{}>", tag.split(' ').next().unwrap_or(tag));
        };
        match run.status {
            TestStatus::Skip => {
                let why = broken.map(|broken| {
                    format!(
                        "Previous testcase {:?} ended in error, which caused the remaining tests in the file to be skipped",
                        broken.name
                    )
                });
                let message = "Testcase skipped due to a previous testcase error";
                part("skipped", Some(message), Some(&why.unwrap_or_default()), xml);
            }
            TestStatus::Error => {
                let text =
                    self.text_of(&run.diagnostics, |found| found.diagnostic.severity == Severity::Error);
                part("error", Some("Encountered an error"), Some(&text), xml);
            }
            TestStatus::Fail => {
                let found = run.diagnostics.iter().filter(|found| is_failure(found));
                let failed: Vec<String> =
                    found.map(|found| visible_lines(&self.shown.masked(found).detail)).collect();
                match failed.first() {
                    // Only failures are missing that were expected.
                    None => part("failure", None, None, xml),
                    Some(first) => {
                        let including = if failed.len() == 1 { "" } else { ", including" };
                        let (count, all) = (failed.len(), run.assertions);
                        let message = format!("{count} of {all} assertions failed{including}: {first}");
                        let text = self.text_of(&run.diagnostics, is_failure);
                        part("failure", Some(&message), Some(&text), xml);
                    }
                }
            }
            TestStatus::Undecided => {
                let text = self.text_of(&run.diagnostics, |found| found.is_undecided);
                let message = format!("{} undecided", counted(run.undecided, "condition"));
                part("failure type=\"undecided\"", Some(&message), Some(&text), xml);
            }
            TestStatus::Pass => {}
        }
        let is_apart = |found: &ModuleDiagnostic| match run.status {
            TestStatus::Fail => !is_failure(found),
            TestStatus::Undecided if found.is_undecided => false,
            _ => found.diagnostic.severity == Severity::Warning,
        };
        let others = self.text_of(&run.diagnostics, is_apart);
        if !others.is_empty() {
            part("system-err", None, Some(&others), xml);
        }
        if has_parts {
            xml.push_str("\n    ");
        }
        xml.push_str("</testcase>");
    }

    fn text_of(&self, all: &Diagnostics, is_wanted: impl Fn(&ModuleDiagnostic) -> bool) -> String {
        let mut wanted = Diagnostics::default();
        all.iter().filter(|found| is_wanted(found)).for_each(|found| wanted.add(found.clone()));
        self.shown.texts_of_width(&wanted, WIDTH).into_iter().map(|(_, text)| text).collect()
    }
}

/// How wide lines of details are in the report.
const WIDTH: usize = 79;

/// Whether it says that an assertion does not hold.
fn is_failure(found: &ModuleDiagnostic) -> bool {
    found.diagnostic.summary == ASSERTION_FAILED
}

/// The text with a replacement character for each that no XML document may have, not even escaped. Terraform leaves them in
/// sections of CDATA, and its report is no XML then.
fn legal(text: &str) -> String {
    text.replace(|c| !matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..), "\u{fffd}")
}

/// As Go's XML writer escapes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in legal(text).chars() {
        match c {
            '"' => escaped.push_str("&#34;"),
            '\'' => escaped.push_str("&#39;"),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\t' => escaped.push_str("&#x9;"),
            '\n' => escaped.push_str("&#xA;"),
            '\r' => escaped.push_str("&#xD;"),
            c => escaped.push(c),
        }
    }
    escaped
}
