//! The forms in which commands report what they have judged, for people and for other programs.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[cfg(any(feature = "policy", feature = "sentinel"))]
use objchange_finding::Gate;
use objchange_finding::{Exit, Forms, Report};
use objchange_text::json;
use serde::Serialize;

use crate::documents::Summary;
use crate::exit::{CommandError, unusable};
use crate::write_file::{Access, write_file};

/// Where reports go.
#[derive(Debug, clap::Args)]
pub(crate) struct Reports {
    /// Print JSON Lines (JSON Schemas: folder `schema/`)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    files: ReportFiles,
}

/// Reports that are written to files.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ReportFiles {
    /// Write a JUnit XML report to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write a SARIF 2.1.0 report to this file, for GitHub code scanning; `-` is standard output
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

impl Reports {
    pub(crate) fn outputs(&self) -> Outputs<'_> {
        self.files.outputs(self.json, None)
    }
}

impl ReportFiles {
    /// With JSON or not, and with another file that the command writes: its option and name.
    pub(crate) fn outputs<'a>(&'a self, json: bool, other: Option<(&'static str, &'a Path)>) -> Outputs<'a> {
        Outputs { json, junit: self.junit.as_deref(), sarif: self.sarif.as_deref(), other }
    }
}

/// The forms that are asked for, and where they go.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outputs<'a> {
    pub(crate) json: bool,
    pub(crate) junit: Option<&'a Path>,
    pub(crate) sarif: Option<&'a Path>,
    /// Another output file of the command: the option, and the file.
    pub(crate) other: Option<(&'static str, &'a Path)>,
}

impl Outputs<'_> {
    /// The options that claim standard output.
    fn on_stdout(&self) -> Vec<String> {
        let files =
            [self.junit.map(|path| ("--junit", path)), self.sarif.map(|path| ("--sarif", path)), self.other];
        let files = files.into_iter().flatten().filter(|(_, path)| path.as_os_str() == "-");
        let json = self.json.then(|| "--json".to_owned());
        json.into_iter().chain(files.map(|(option, _)| format!("{option} -"))).collect()
    }
}

/// Which findings of a check of policies set the exit code to 1.
#[cfg(any(feature = "policy", feature = "sentinel"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// Errors only
    Error,
    /// Errors and warnings
    Warning,
    /// Nothing
    Never,
}

#[cfg(any(feature = "policy", feature = "sentinel"))]
impl FailOn {
    pub(crate) fn gate(self) -> Gate {
        match self {
            Self::Error => Gate::ERRORS,
            Self::Warning => Gate::WARNINGS,
            Self::Never => Gate::NEVER,
        }
    }
}

/// A line of JSON with the version of its form.
#[derive(Serialize)]
struct Versioned<T> {
    format_version: &'static str,
    #[serde(flatten)]
    line: T,
}

/// All reports of a command but the text for people, which each command writes itself if [wanted](Self::has_text).
#[derive(Debug)]
pub(crate) struct Reporter<'a> {
    outputs: Outputs<'a>,
    pub(crate) report: Report,
}

impl<'a> Reporter<'a> {
    /// Reports of this command. The version is one of the fingerprints in SARIF.
    pub(crate) fn new(
        command: &str,
        version: &'static str,
        outputs: Outputs<'a>,
    ) -> Result<Self, CommandError> {
        let on_stdout = outputs.on_stdout();
        // No program can read two reports from one stream.
        if on_stdout.len() > 1 {
            let all = on_stdout.join(" and ");
            return Err(unusable(format_args!("only one of {all} can be written to standard output")));
        }
        let forms = Forms { junit: outputs.junit.is_some(), sarif: outputs.sarif.is_some() };
        Ok(Self { outputs, report: Report::new(command, version, forms) })
    }

    /// Whether people read what is written to standard output.
    pub(crate) fn has_text(&self) -> bool {
        self.outputs.on_stdout().is_empty()
    }

    /// Writes values, each on a line of its own, if JSON is wanted.
    pub(crate) fn json<T: Serialize>(&self, lines: impl IntoIterator<Item = T>) -> io::Result<()> {
        if !self.outputs.json {
            return Ok(());
        }
        let mut out = BufWriter::new(io::stdout().lock());
        lines
            .into_iter()
            .try_for_each(|line| json::write_line(&mut out, &Versioned { format_version: "1.0", line }))?;
        out.flush()
    }

    /// Adds the documents that could not be judged: they are errors, unless they are skipped.
    pub(crate) fn not_judged(&mut self, summary: &Summary) {
        self.report.not_judged(&summary.failures, None);
        self.report.not_judged(&summary.skipped, Some("files that cannot be read are skipped"));
    }

    /// Writes the reports that wait for the last result, and says how the command ends.
    pub(crate) fn finish(mut self) -> io::Result<Exit> {
        // JUnit has its totals at the start, and SARIF is one document: both wait for the last result.
        if let Some(path) = self.outputs.junit {
            write(path, &self.report.junit())?;
        }
        if let Some(path) = self.outputs.sarif {
            write(path, &self.report.sarif())?;
        }
        Ok(self.report.exit())
    }
}

/// Writes a report to a file; `-` is standard output.
pub(crate) fn write(path: &Path, report: &str) -> io::Result<()> {
    write_to(path, report, Access::Usual)
}

/// Writes what may hold secrets to a file that only its owner can read; `-` is standard output.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    write_to(path, text, Access::Owner)
}

fn write_to(path: &Path, text: &str, access: Access) -> io::Result<()> {
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        return out.flush();
    }
    write_file(path, text, access)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}
