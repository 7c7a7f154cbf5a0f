//! A review as an HTML page.

use std::io;

use objchange_text::counted;

use super::{Review, ReviewedPlan, has_losses};
use crate::render::HtmlOptions;
use crate::render::html::{PlanOfPage, write_plans};
use crate::render::overview::counts;
use crate::report::ShowError;

impl Review<'_> {
    /// Writes one HTML page: of one plan with what was found about it at the top, of several with a table of them, and what was
    /// found about each above its changes.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the page cannot be written.
    pub fn write_html(&self, out: &mut dyn io::Write, options: &HtmlOptions<'_>) -> Result<(), ShowError> {
        let commit = self.commit.iter().map(|commit| format!("Commit: {commit}"));
        let problems = self.problems.iter().map(|problem| format!("Not reviewed: {problem}"));
        let skipped = self.skipped.iter().map(|problem| format!("Skipped: {problem}"));
        let mut first: Vec<String> = commit.chain(problems).chain(skipped).collect();
        match &self.plans[..] {
            [plan] => {
                first.extend(notes(plan));
                plan.report.write_html(out, &HtmlOptions { notes: &first, ..*options })
            }
            plans => {
                let of_page: Vec<_> = plans.iter().map(of_page).collect();
                write_plans(out, &HtmlOptions { notes: &first, ..*options }, &self.counts(), &of_page)
            }
        }
    }

    /// The numbers of plans, of those that are refused, and of inputs that could not be reviewed.
    pub(super) fn counts(&self) -> String {
        let refused = self.plans.iter().filter(|plan| plan.is_refused()).count();
        let problems = match self.problems.len() {
            0 => String::new(),
            count => format!(", {count} not reviewed"),
        };
        format!("{}, {refused} refused{problems}", counted(self.plans.len(), "plan"))
    }
}

fn of_page<'r, 'p>(plan: &'r ReviewedPlan<'p>) -> PlanOfPage<'r, 'p> {
    let caution = if has_losses(&plan.report) { "⚠️ " } else { "" };
    PlanOfPage {
        name: &plan.name,
        report: &plan.report,
        verdict: if plan.is_refused() { "❌ refused" } else { "accepted" },
        changes: format!("{caution}{}", counts(&plan.report)),
        policies: plan.policy_counts(),
        hash: plan.hash.as_deref().unwrap_or_default(),
        notes: notes(plan),
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
