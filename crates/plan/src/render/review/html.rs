//! A review of one plan as an HTML page.

use std::io;

use super::{Review, ReviewedPlan};
use crate::render::HtmlOptions;
use crate::report::ShowError;

impl Review<'_> {
    /// Writes the HTML page of each plan with what was found about it at the top; it is one page if there is one plan.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the page cannot be written.
    pub fn write_html(&self, out: &mut dyn io::Write, options: &HtmlOptions<'_>) -> Result<(), ShowError> {
        for plan in &self.plans {
            let mut notes = notes(plan);
            notes.extend(self.commit.as_ref().map(|commit| format!("Commit: {commit}")));
            plan.report.write_html(out, &HtmlOptions { notes: &notes, ..*options })?;
        }
        Ok(())
    }
}

/// The findings about a plan, a line each.
fn notes(plan: &ReviewedPlan<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if !plan.refused.is_empty() {
        notes.push(format!("Refused: {}", plan.refused.join(", ")));
    }
    let counts = plan.policy_counts();
    if !counts.is_empty() {
        notes.push(format!("Policies: {counts}"));
    }
    notes.extend(plan.sorted_policies().into_iter().map(|result| {
        let accepted = if result.refuses { "" } else { " (accepted)" };
        let word = result.outcome.as_str();
        format!("{word}{accepted} {} ({}): {}", result.policy, result.places(), result.message)
    }));
    notes.extend(plan.hash.as_ref().map(|hash| format!("Approval hash: {hash}")));
    notes.extend(plan.made(str::to_owned));
    notes
}
