//! A summary of the measurements, for people.

use std::io::{self, Write};

use objchange_text::style::{BAD, CHANGED, FAINT, GOOD};
use objchange_text::visible;

use super::ScaleReport;

impl ScaleReport {
    /// Writes the result, for people.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn write_summary(&self, out: &mut impl Write) -> io::Result<()> {
        for measured_type in &self.types {
            if let Some(reason) = &measured_type.skipped {
                let line = format!("{}: {reason}", measured_type.name);
                writeln!(out, "{FAINT}skipped{FAINT:#} {}", visible(&line))?;
            }
        }
        for name in &self.quadratic {
            writeln!(out, "{CHANGED}quadratic{CHANGED:#} {}", visible(name))?;
        }
        let measured = self.types.iter().filter(|measured_type| measured_type.skipped.is_none());
        let collections =
            measured.clone().map(|measured_type| measured_type.collections.len()).sum::<usize>();
        let style = if self.quadratic.is_empty() { GOOD } else { BAD };
        writeln!(
            out,
            "{style}{} quadratic{style:#} of {collections} collections in {} types{}",
            self.quadratic.len(),
            measured.count(),
            if self.complete {
                ""
            } else {
                "; not all was measured: the time was over, or it was interrupted"
            }
        )
    }
}
