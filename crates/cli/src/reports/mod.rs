//! The forms in which what was found in many documents is reported, for people and for other programs.

pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod sarif;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::write_file::{Access, write_file};

/// Where reports go.
#[derive(Debug, clap::Args)]
pub(crate) struct Reports {
    /// Print JSON Lines (forms: folder `schema/`)
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a JUnit XML report to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Write a SARIF 2.1.0 report to this file, for GitHub code scanning; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
}

impl Reports {
    fn on_stdout(&self) -> usize {
        let is_stdout = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| path.as_os_str() == "-");
        [self.json, is_stdout(&self.junit), is_stdout(&self.sarif)].into_iter().filter(|is| *is).count()
    }

    /// Why they cannot be written as they are asked for.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        (self.on_stdout() > 1)
            .then_some("only one of --json, --junit - and --sarif - can be written to standard output")
    }

    /// Whether people read what is written to standard output.
    pub(crate) fn has_text(&self) -> bool {
        self.on_stdout() == 0
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
