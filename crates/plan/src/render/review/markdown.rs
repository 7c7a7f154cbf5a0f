//! A review as a Markdown page for a comment.
//!
//! A page that would be too long keeps, in this order: the verdicts, a table of modules and actions, the addresses of
//! destroyed and replaced objects, the other entries, and their diffs. Its last line counts what is left out.

use std::io::Write;

use objchange_text::counted;

use super::{Review, ReviewedPlan, has_losses};
use crate::render::markdown::{
    LeftOut, MarkdownOptions, NAME, ReportBody, default_heading, escape, length, link, notes, parts,
};
use crate::render::outline::sections;
use crate::render::overview::{counts, start};
use crate::report::ShowError;

/// The most results of policies that are listed for a plan, and the most characters of a message.
const RESULTS: usize = 50;
const MESSAGE: usize = 300;

/// The most characters of the reasons why a plan is refused.
const REFUSED: usize = 500;

/// The most plans in the table of a page.
const PLANS: usize = 200;

/// The least room in which the changes of a plan say anything.
const SHORTEST: usize = 100;

/// The characters that each plan may have before any plan has more.
const FAIR: usize = 2_000;

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
        let demands: Vec<_> = self.plans.iter().map(|plan| Demand::new(plan, options)).collect();
        let mut all = LeftOut::default();
        demands.iter().for_each(|demand| all.add(&demand.all));
        let room = options.max_length.saturating_sub(length(&page) + all.longest_line(options));
        let shares = shares(&demands, room);
        let mut spare = room.saturating_sub(shares.iter().sum());
        let mut left_out = LeftOut::default();
        let count = self.plans.len();
        for (index, (plan, demand)) in self.plans.iter().zip(&demands).enumerate() {
            // Room that one plan leaves is for those behind it.
            let room = shares[index] + spare / (count - index);
            let (text, missing) = part(plan, demand, count > 1, room, options)?;
            spare = (spare + shares[index]).saturating_sub(length(&text));
            left_out.add(&missing);
            page += &text;
        }
        page += &left_out.line(options);
        out.write_all(page.as_bytes())?;
        Ok(())
    }

    /// The headline, the link, the problems, and for several plans a table.
    fn head(&self, options: &MarkdownOptions<'_>) -> String {
        let mut head = match &self.plans[..] {
            [plan] => default_heading(options, &plan.report),
            _ => parts::heading(options, "Terraform plans", &self.counts()),
        };
        head += &link(options);
        if let Some(commit) = &self.commit {
            head += &format!("\nCommit: {}\n", escape::code(start(commit, NAME)));
        }
        for (what, problems) in [("Not reviewed", &self.problems), ("Skipped", &self.skipped)] {
            for problem in problems.iter().take(RESULTS) {
                head += &format!("\n⚠️ **{what}**: {}\n", escape::words(start(problem, MESSAGE)));
            }
            if problems.len() > RESULTS {
                head += &format!("\n⚠️ **{what}**: {} more\n", problems.len() - RESULTS);
            }
        }
        if self.plans.len() < 2 {
            return head;
        }
        head +=
            "\n| Plan | Verdict | Changes | Policies | Approval hash |\n| :-- | :-- | :-- | :-- | :-- |\n";
        // A third of the page is for the table.
        let mut room = (options.max_length / 3).saturating_sub(length(&head));
        let mut rows = vec![String::new(); self.plans.len()];
        for index in important_first(&self.plans, PLANS) {
            let row = row(&self.plans[index]);
            if length(&row) <= room {
                room -= length(&row);
                rows[index] = row;
            }
        }
        head += &rows.concat();
        let left_out = rows.iter().filter(|row| row.is_empty()).count();
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

/// The first so many plans, those before others that are refused, or destroy or replace something.
fn important_first(plans: &[ReviewedPlan<'_>], count: usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..plans.len()).collect();
    order.sort_by_key(|index| !is_important(&plans[*index]));
    order.truncate(count);
    order
}

fn is_important(plan: &ReviewedPlan<'_>) -> bool {
    plan.is_refused() || has_losses(&plan.report)
}

/// The needs of a plan on a page.
struct Demand {
    /// The length in which its verdicts and all destroyed and replaced objects have room.
    length: usize,
    is_important: bool,
    /// Everything that is left out without its part.
    all: LeftOut,
}

impl Demand {
    fn new(plan: &ReviewedPlan<'_>, options: &MarkdownOptions<'_>) -> Self {
        let (sections, items) = sections(&plan.report);
        let all = LeftOut::all(&sections, &items);
        let around = length(&part_head(plan, options)) + length(PART_END) + all.longest_line(options);
        let verdicts = length(&verdicts(plan, options.max_length / 2));
        let shortest = ReportBody::shortest(&plan.report, &sections, &items, options);
        Self { length: around + verdicts + shortest, is_important: is_important(plan), all }
    }
}

/// How much of the room each plan gets at least: what it needs, if all have that, else about as much as the others.
fn shares(demands: &[Demand], mut room: usize) -> Vec<usize> {
    let mut shares = vec![0; demands.len()];
    for is_important in [true, false] {
        let mut order: Vec<_> =
            (0..demands.len()).filter(|index| demands[*index].is_important == is_important).collect();
        order.sort_by_key(|index| demands[*index].length);
        for (place, index) in order.iter().enumerate() {
            let fair = (room / (order.len() - place)).max(FAIR);
            shares[*index] = demands[*index].length.min(fair).min(room);
            room -= shares[*index];
        }
    }
    shares
}

/// The first lines of the part about one of several plans, and the last one.
fn part_head(plan: &ReviewedPlan<'_>, options: &MarkdownOptions<'_>) -> String {
    let (name, counts) = (start(&plan.name, NAME), counts(&plan.report));
    if options.plain {
        return format!("\n## {}: {counts}\n", escape::code(name));
    }
    let open = if plan.is_refused() { " open" } else { "" };
    format!("\n<details{open}><summary>{}: {counts}</summary>\n", escape::html_code(name))
}
const PART_END: &str = "</details>\n";

/// The part of the page about a plan, in no more than so many characters, and what it leaves out.
fn part(
    plan: &ReviewedPlan<'_>,
    demand: &Demand,
    is_one_of_many: bool,
    room: usize,
    options: &MarkdownOptions<'_>,
) -> Result<(String, LeftOut), ShowError> {
    let (mut head, end) = match (is_one_of_many, options.plain) {
        (false, _) => (String::new(), ""),
        (true, true) => (part_head(plan, options), ""),
        (true, false) => (part_head(plan, options), PART_END),
    };
    head += &verdicts(plan, room / 2);
    // The last line of the page is enough where there is one part.
    let foot = if is_one_of_many { demand.all.longest_line(options) } else { 0 };
    let Some(room) = room.checked_sub(length(&head) + length(end) + foot).filter(|room| *room >= SHORTEST)
    else {
        // Where there are several plans, the line in the table is all that fits.
        let text = if is_one_of_many { String::new() } else { head };
        return Ok((text, demand.all.clone()));
    };
    let (sections, items) = sections(&plan.report);
    let part = ReportBody::new(&plan.report, &sections, &items, room, options.plain)?;
    let mut text = Vec::new();
    part.write(&mut text)?;
    let mut text = head + &String::from_utf8_lossy(&text);
    let left_out = part.left_out();
    if is_one_of_many && !left_out.amounts().is_empty() {
        text += &format!("**Left out: {}**\n", left_out.amounts());
    }
    Ok((text + end, left_out))
}

/// The findings about a plan, in about so many characters.
fn verdicts(plan: &ReviewedPlan<'_>, room: usize) -> String {
    let mut text = notes(&plan.report);
    if !plan.refused.is_empty() {
        text += &format!("\n❌ **Refused**: {}\n", escape::prose(start(&plan.refused.join(", "), REFUSED)));
    }
    let counts = plan.policy_counts();
    if !counts.is_empty() {
        text += &format!("\n**Policies**: {counts}\n");
    }
    let mut room = room.saturating_sub(length(&text));
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
        if index >= RESULTS || length(&line) > room {
            left_out += 1;
        } else {
            room -= length(&line);
            text += &line;
        }
    }
    if left_out > 0 {
        let results = counted(left_out, "more result");
        text += &format!("\n**Left out: {results} of policies.**\n");
    }
    let hash = plan.hash.as_ref().map(|hash| format!("Approval hash: `{hash}`"));
    let made = plan.made(|what| escape::code(start(what, NAME)));
    for line in [hash, made].into_iter().flatten() {
        text += &format!("\n{line}\n");
    }
    text
}
