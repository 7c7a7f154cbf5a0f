//! Prints the results of tests.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use objchange_module::Schemas;
use objchange_module::test::{FileReport, Output, Stream, TestCoverage, TestPrinter, TestReport, TestSuite};
use objchange_text::visible_json;
use serde_json::{Value as Json, json};

use super::{Args, clock};
use crate::exit::{self, CommandError, unusable};
use crate::terminal;
use crate::write_file::{Access, NewFile};

/// Prints the requested output while tests run.
pub(super) struct Printing<'s> {
    printer: TestPrinter<'s>,
    json: bool,
    /// When the clock of the tests was at zero.
    zero: SystemTime,
}

impl<'s> Printing<'s> {
    pub(super) fn new(args: &Args, suite: &'s TestSuite, schemas: &'s Schemas) -> Self {
        let zero = SystemTime::now().checked_sub(clock()).unwrap_or(SystemTime::UNIX_EPOCH);
        Self { printer: TestPrinter::new(suite, schemas), json: args.json, zero }
    }

    /// Prints the lines before the first file.
    pub(super) fn begin(&self, terraform_version: &str) -> io::Result<()> {
        if !self.json {
            return texts(&self.printer.load_text());
        }
        let version = json!({
            "@level": "info",
            "@message": format!("Terraform {terraform_version}"),
            "@module": "terraform.ui",
            "terraform": terraform_version,
            "type": "version",
            // The version of the messages that `terraform test -json` writes in 1.11.4.
            "ui": "1.2",
        });
        self.messages(std::iter::once(version).chain(self.printer.load_messages()))
    }

    pub(super) fn file(&self, file: &FileReport) -> io::Result<()> {
        match self.json {
            true => self.messages(self.printer.file_messages(file)),
            false => texts(&self.printer.file_text(file)),
        }
    }

    pub(super) fn summary(&self, report: &TestReport) -> io::Result<()> {
        match self.json {
            true => self.messages(self.printer.summary_messages(report)),
            false => texts(&self.printer.summary_text(report)),
        }
    }

    /// Says on standard error which elements of collections have made assertions fail: Terraform's own text has no place
    /// for them.
    pub(super) fn elements(&self, report: &TestReport) {
        self.printer.elements(report).iter().for_each(|text| exit::note(text));
    }

    /// The report for JUnit.
    pub(super) fn junit(&self, report: &TestReport) -> String {
        let time = |since: Duration| self.time(since).to_rfc3339_opts(SecondsFormat::Secs, true);
        self.printer.junit(report, &time)
    }

    /// Prints what the runs have reached; on standard error if standard output has JSON.
    pub(super) fn coverage(&self, reached: &TestCoverage) -> io::Result<()> {
        let stream = if self.json { Stream::Err } else { Stream::Out };
        texts(&[Output { stream, text: format!("\n{}", reached.text()) }])
    }

    fn time(&self, since: Duration) -> DateTime<Utc> {
        DateTime::from(self.zero + since)
    }

    fn messages(&self, messages: impl IntoIterator<Item = Json>) -> io::Result<()> {
        // Terraform writes microseconds, too.
        let now = self.time(clock()).to_rfc3339_opts(SecondsFormat::Micros, true);
        let mut out = io::stdout().lock();
        for mut message in messages {
            if let Some(fields) = message.as_object_mut() {
                fields.insert("@timestamp".to_owned(), now.as_str().into());
            }
            writeln!(out, "{}", visible_json(&message.to_string()))?;
        }
        out.flush()
    }
}

/// A file that a report is written to, which can be written before any test runs.
pub(super) struct ReportFile<'p> {
    path: &'p Path,
    file: NewFile,
}

impl<'p> ReportFile<'p> {
    pub(super) fn create(path: &'p Path) -> Result<Self, CommandError> {
        match NewFile::create(path, Access::Usual) {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(not_written(path, &error)),
        }
    }

    pub(super) fn finish(self, text: &str) -> Result<(), CommandError> {
        self.file.finish(text.as_bytes()).map_err(|error| not_written(self.path, &error))
    }
}

fn not_written(path: &Path, error: &io::Error) -> CommandError {
    unusable(format!("{}: cannot be written: {error}", path.display()))
}

/// Writes texts to their streams, in their order.
fn texts(outputs: &[Output]) -> io::Result<()> {
    for Output { stream, text } in outputs {
        match stream {
            Stream::Out => write(&mut terminal::stdout(), text)?,
            Stream::Err => write(&mut terminal::stderr(), text)?,
        }
    }
    Ok(())
}

fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    out.flush()
}
