//! The report for JUnit, as `terraform test -junit-xml` writes it.

use std::fmt::Write as _;
use std::time::Duration;

use super::report::{FileReport, RunReport, TestReport, TestStatus};
use super::text::TestPrinter;
use crate::{Diagnostics, Severity};

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
            escaped(&file.path),
            file.runs.len(),
            count(TestStatus::Skip),
            count(TestStatus::Fail),
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
        let (name, class) = (escaped(&run.name), escaped(&file.path));
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
        let mut part = |tag: &str, message: Option<&str>, text: &str, xml: &mut String| {
            has_parts = true;
            let message =
                message.map(|message| format!(" message=\"{}\"", escaped(message))).unwrap_or_default();
            let _ = write!(
                xml,
                "\n      <{tag}{message}><![CDATA[{}]]></{tag}>",
                text.replace("]]>", "]]]]><![CDATA[>")
            );
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
                part("skipped", Some(message), &why.unwrap_or_default(), xml);
            }
            TestStatus::Error => {
                part(
                    "error",
                    Some("Encountered an error"),
                    &self.text_of(&run.diagnostics, Severity::Error),
                    xml,
                );
            }
            TestStatus::Fail => {
                let errors = run.diagnostics.iter();
                let failed: Vec<&str> = errors
                    .filter(|found| found.diagnostic.severity == Severity::Error)
                    .map(|found| &*found.diagnostic.detail)
                    .collect();
                let first = failed.first().copied().unwrap_or_default();
                let message =
                    format!("{} of {} assertions failed, including: {first}", failed.len(), run.assertions);
                part("failure", Some(&message), &self.text_of(&run.diagnostics, Severity::Error), xml);
            }
            TestStatus::Pass => {}
        }
        let warnings = self.text_of(&run.diagnostics, Severity::Warning);
        if !warnings.is_empty() {
            part("system-err", None, &warnings, xml);
        }
        if has_parts {
            xml.push_str("\n    ");
        }
        xml.push_str("</testcase>");
    }

    fn text_of(&self, found: &Diagnostics, severity: Severity) -> String {
        let texts = self.shown.texts(found).into_iter();
        texts.filter(|(other, _)| *other == severity).map(|(_, text)| text).collect()
    }
}

/// As Go's XML writer escapes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("&#34;"),
            '\'' => escaped.push_str("&#39;"),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\t' => escaped.push_str("&#x9;"),
            '\n' => escaped.push_str("&#xA;"),
            '\r' => escaped.push_str("&#xD;"),
            c if c < ' ' => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}
