//! Annotations, which CI systems show beside the lines of files.

use std::io::{self, Write};

use objchange_text::visible;

use crate::{Case, Finding, Outcome};

/// The CI system that reads the annotations in its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotations {
    /// GitHub Actions.
    Github,
    /// Azure Pipelines.
    Azure,
}

impl Annotations {
    /// Writes a line for each finding of a case: an error, or a warning if it does not fail.
    ///
    /// ```
    /// use objchange_finding::{Annotations, Case, Finding, Location, Outcome};
    ///
    /// let place = Location::new("s3.rego", 3_u64);
    /// let case = Case::new("main.deny").with(Finding::new("deny", Outcome::Failed, "50% are public", place));
    /// let mut text = Vec::new();
    /// Annotations::Github.write(&mut text, &case)?;
    /// assert_eq!(text, b"::error file=s3.rego,line=3,title=main.deny::50%25 are public\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn write(self, out: &mut impl Write, case: &Case) -> io::Result<()> {
        for finding in &case.findings {
            self.line(out, &case.name, finding)?;
        }
        Ok(())
    }

    fn line(self, out: &mut impl Write, name: &str, finding: &Finding) -> io::Result<()> {
        let level = match (finding.outcome, finding.fails()) {
            (Outcome::Note, _) => "notice",
            (_, true) => "error",
            (_, false) => "warning",
        };
        let text = |text: &str, special: &str| self.escaped(text, special);
        let location = finding.place();
        let (file, line) = (&location.file, location.line);
        match self {
            Self::Github => writeln!(
                out,
                "::{level} file={},line={line},title={}::{}",
                // GitHub ends a property at a comma and all properties at `::`, so both characters are escaped there.
                text(file, ":,"),
                text(name, ":,"),
                text(&finding.message, "")
            ),
            Self::Azure => writeln!(
                out,
                "##vso[task.logissue type={};sourcepath={};linenumber={line}]{}: {}",
                // `task.logissue` knows only warnings and errors.
                if level == "notice" { "warning" } else { level },
                text(file, ";]"),
                text(name, ""),
                text(&finding.message, "")
            ),
        }
    }

    /// A text without characters that end the annotation or a part of it.
    fn escaped(self, text: &str, special: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            match (c, self) {
                ('%', Self::Github) => escaped.push_str("%25"),
                // Azure Pipelines has an escape of its own for the percent sign.
                ('%', Self::Azure) => escaped.push_str("%AZP25"),
                ('\n', _) => escaped.push_str("%0A"),
                ('\r', _) => escaped.push_str("%0D"),
                (c, _) if special.contains(c) => escaped.push_str(&format!("%{:02X}", u32::from(c))),
                (c, _) => escaped.push(c),
            }
        }
        visible(&escaped).into_owned()
    }
}
