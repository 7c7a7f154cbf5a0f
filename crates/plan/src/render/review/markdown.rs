//! A review as a Markdown page for a comment.
//!
//! A page that would be too long keeps, in this order: the verdicts, a table of modules and actions, the addresses of
//! destroyed and replaced objects, the other entries, and their diffs. The end of each section counts what is left out.

use std::io::Write;

use objchange_text::counted;

use super::{Review, ReviewedPlan, has_losses, is_small};
use crate::render::markdown::{Form, MarkdownOptions, NAME, default_heading, escape, length, link, section};
use crate::render::overview::{Sentence, counts, sentences, start};
use crate::report::ShowError;

/// The most results of policies that are listed for a plan, and the most characters of a message.
const RESULTS: usize = 50;
const MESSAGE: usize = 300;

/// The most plans in the table of a page.
const PLANS: usize = 200;

impl Review<'_> {
    /// Writes the review as a Markdown page. No text of documents or policies is markup in it.
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the page cannot be written.
    pub fn write_markdown(
        &self,
        out: &mut dyn Write,
        options: &MarkdownOptions<'_>,
    ) -> Result<(), ShowError> {
        let mut page = self.head(options);
        let count = self.plans.len();
        for (index, plan) in self.plans.iter().enumerate() {
            // Room that one plan leaves is for those behind it.
            let room = options.max_length.saturating_sub(length(&page)) / (count - index);
            page += &part(plan, count > 1, room, options)?;
        }
        out.write_all(page.as_bytes())?;
        Ok(())
    }

    /// The headline, the link, the problems, and for several plans a table.
    fn head(&self, options: &MarkdownOptions<'_>) -> String {
        let mut head = match &self.plans[..] {
            [plan] => default_heading(options, &plan.report),
            plans => {
                let refused = plans.iter().filter(|plan| plan.is_refused()).count();
                let rest = format!("{}, {refused} refused", counted(plans.len(), "plan"));
                crate::render::markdown::parts::heading(options, "Terraform plans", &rest)
            }
        };
        head += &link(options);
        for problem in self.problems.iter().take(RESULTS) {
            head += &format!("\n⚠️ **Not reviewed**: {}\n", escape::words(start(problem, MESSAGE)));
        }
        if self.plans.len() < 2 {
            return head;
        }
        head +=
            "\n| Plan | Verdict | Changes | Policies | Approval hash |\n| :-- | :-- | :-- | :-- | :-- |\n";
        let mut left_out = 0;
        for (index, plan) in self.plans.iter().enumerate() {
            let row = row(plan);
            // A third of the page is for the table.
            if index >= PLANS || length(&head) + length(&row) > options.max_length / 3 {
                left_out += 1;
            } else {
                head += &row;
            }
        }
        if left_out > 0 {
            let plans = counted(left_out, "more plan");
            let are = if left_out == 1 { "is" } else { "are" };
            head += &format!("\n**{plans} {are} not in the table.**\n");
        }
        head
    }
}

/// A plan in a line of the table.
fn row(plan: &ReviewedPlan<'_>) -> String {
    let caution = if has_losses(&plan.report) { "⚠️ " } else { "" };
    let verdict = if plan.is_refused() { "❌ refused" } else { "accepted" };
    // A bar would end the cell, even in code.
    let name = escape::code(start(&plan.name, NAME)).replace('|', "\\|");
    let hash = plan.hash.as_ref().map_or_else(String::new, |hash| format!("`{hash}`"));
    format!(
        "| {name} | {verdict} | {caution}{} | {} | {hash} |\n",
        counts(&plan.report),
        plan.policy_counts()
    )
}

/// The part of the page about a plan, in no more than so many characters.
fn part(
    plan: &ReviewedPlan<'_>,
    is_one_of_many: bool,
    room: usize,
    options: &MarkdownOptions<'_>,
) -> Result<String, ShowError> {
    let (mut head, mut end) = (String::new(), "");
    if is_one_of_many {
        let name = start(&plan.name, NAME);
        let counts = counts(&plan.report);
        if options.plain {
            head = format!("\n## {}: {counts}\n", escape::code(name));
        } else {
            let open = if plan.is_refused() { " open" } else { "" };
            let name = escape::html_code(name);
            head = format!("\n<details{open}><summary>{name}: {counts}</summary>\n");
            end = "</details>\n";
        }
    }
    head += &verdicts(plan, room / 2);
    if length(&head) + length(end) + 200 > room {
        // Its line in the table is all that fits.
        return Ok(String::new());
    }
    let form = Form { plain: options.plain, is_open: is_small(&plan.report) };
    let room = room - length(&head) - length(end);
    head += &section(&plan.report, room, options.max_length, form)?;
    Ok(head + end)
}

/// The findings about a plan, in about so many characters.
fn verdicts(plan: &ReviewedPlan<'_>, room: usize) -> String {
    let mut text = String::new();
    for Sentence { important, rest } in sentences(&plan.report) {
        let important = if important.is_empty() { String::new() } else { format!("**{important}**") };
        text += &format!("\n{important}{rest}\n");
    }
    if !plan.refused.is_empty() {
        text += &format!("\n❌ **Refused**: {}\n", escape::prose(&plan.refused.join(", ")));
    }
    let counts = plan.policy_counts();
    if !counts.is_empty() {
        text += &format!("\n**Policies**: {counts}\n");
    }
    let mut left_out = 0;
    for (index, result) in plan.sorted_policies().into_iter().enumerate() {
        let sign = if result.refuses { "❌" } else { "⚠️" };
        let accepted = if result.refuses { "" } else { ", accepted" };
        let line = format!(
            "{}- {sign} **{}**{accepted} {} ({}{}): {}\n",
            if index == 0 { "\n" } else { "" },
            result.outcome.as_str(),
            escape::code(start(&result.policy, NAME)),
            result
                .block
                .as_ref()
                .map_or_else(String::new, |block| { format!("{}, by ", escape::code(start(block, NAME))) }),
            escape::code(start(&result.place, NAME)),
            escape::words(start(&result.message.replace(['\n', '\r'], " "), MESSAGE)),
        );
        if index >= RESULTS || length(&text) + length(&line) > room {
            left_out += 1;
        } else {
            text += &line;
        }
    }
    if left_out > 0 {
        let results = counted(left_out, "more result");
        text += &format!("\n**Left out: {results} of policies.**\n");
    }
    let hash = plan.hash.as_ref().map(|hash| format!("Approval hash: `{hash}`"));
    let made = match (&plan.made_by, &plan.made_at) {
        (Some(program), Some(time)) => {
            Some(format!("Made by {} at {}", escape::words(program), escape::words(time)))
        }
        (Some(program), None) => Some(format!("Made by {}", escape::words(program))),
        (None, time) => time.as_ref().map(|time| format!("Made at {}", escape::words(time))),
    };
    for line in [hash, made].into_iter().flatten() {
        text += &format!("\n{line}\n");
    }
    text
}
