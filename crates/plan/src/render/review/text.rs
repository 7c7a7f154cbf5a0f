//! A review as text for a terminal.

use std::io::Write;

use objchange_text::visible;

use super::Review;
use crate::options::Colour;
use crate::render::GroupBy;
use crate::report::ShowError;

impl Review<'_> {
    /// Writes the review as text: of each plan what it does, the results of policies and the hash, and its addresses.
    ///
    /// # Errors
    ///
    /// The text cannot be written.
    pub fn write_text(&self, out: &mut dyn Write, colour: Colour) -> Result<(), ShowError> {
        if let Some(commit) = &self.commit {
            writeln!(out, "commit: {}", visible(commit))?;
        }
        for (index, plan) in self.plans.iter().enumerate() {
            let blank = if index > 0 { "\n" } else { "" };
            let verdict = if plan.is_refused() { "refused" } else { "accepted" };
            writeln!(out, "{blank}{}: {verdict}: {}", visible(&plan.name), plan.report.total())?;
            for reason in &plan.refused {
                writeln!(out, "  refused: {}", visible(reason))?;
            }
            let counts = plan.policy_counts();
            if !counts.is_empty() {
                writeln!(out, "  policies: {counts}")?;
            }
            for result in plan.sorted_policies() {
                let accepted = if result.refuses { "" } else { " (accepted)" };
                let (word, message) = (result.outcome.as_str(), visible(&result.message));
                writeln!(
                    out,
                    "    {word}{accepted} {} ({}): {message}",
                    visible(&result.policy),
                    visible(&result.places())
                )?;
            }
            if let Some(hash) = &plan.hash {
                writeln!(out, "  hash: {hash}")?;
            }
            if let Some(made) = plan.made(|what| visible(what).into_owned()) {
                writeln!(out, "  {}{}", made[..1].to_lowercase(), &made[1..])?;
            }
            plan.report.write_summary(out, colour, GroupBy::default())?;
        }
        for problem in &self.problems {
            writeln!(out, "not reviewed: {}", visible(problem))?;
        }
        for problem in &self.skipped {
            writeln!(out, "skipped: {}", visible(problem))?;
        }
        Ok(())
    }
}
