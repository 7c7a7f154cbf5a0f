//! A review as a Markdown page for a comment.
//!
//! A page that would be too long keeps, in this order, over all plans: the verdicts, tables of modules and actions, the addresses of
//! destroyed and replaced objects, the other entries, and their diffs. Its last line counts what is left out.

use std::io::Write;

use objchange_text::counted;

use super::{Review, ReviewedPlan, has_losses};
use crate::render::markdown::{
    LeftOut, Lengths, MarkdownOptions, NAME, ReportBody, Room, default_heading, escape, length, link, notes,
    parts,
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

/// The characters that the verdicts of each plan may have before those of any plan have more.
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
        let mut left_out = LeftOut::default();
        for (text, missing) in self.parts(&demands, room, options)? {
            left_out.add(&missing);
            page += &text;
        }
        page += &left_out.line(options);
        out.write_all(page.as_bytes())?;
        Ok(())
    }

    /// The parts of the page about each plan, and what they leave out.
    fn parts(
        &self,
        demands: &[Demand],
        room: usize,
        options: &MarkdownOptions<'_>,
    ) -> Result<Vec<(String, LeftOut)>, ShowError> {
        let with = |index: usize, share: Share| {
            part(&self.plans[index], &demands[index], self.plans.len() > 1, share, options)
        };
        if self.plans.len() == 1 {
            let share = Share { verdicts: room / 2, table: None, all: room };
            return Ok(vec![with(0, share)?]);
        }
        let shares = shares(demands, room);
        let spare = room - shares.iter().map(|share| share.all).sum::<usize>();
        // Diffs come last: each plan has what it can use of what all lines leave, or as much as the others.
        let most = |share: Share| Share { all: if share.all > 0 { share.all + spare } else { 0 }, ..share };
        let mut parts = Vec::with_capacity(shares.len());
        for (index, share) in shares.iter().enumerate() {
            parts.push(with(index, most(*share))?);
        }
        let lengths: Vec<_> = parts.iter().map(|(text, _)| length(text)).collect();
        let lengths = lengths.into_iter().zip(&shares);
        let (used, wanted): (Vec<_>, Vec<_>) =
            lengths.map(|(length, share)| (length.min(share.all), length.saturating_sub(share.all))).unzip();
        let given = filled(&wanted, room - used.into_iter().sum::<usize>());
        for (index, share) in
            shares.into_iter().enumerate().filter(|(index, _)| given[*index] < wanted[*index])
        {
            parts[index] = with(index, Share { all: share.all + given[index], ..share })?;
        }
        Ok(parts)
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

/// The needs of a plan on a page with others.
struct Demand {
    is_important: bool,
    /// The length of what is around its part.
    around: usize,
    verdicts: usize,
    lengths: Lengths,
    /// Everything that is left out without its part.
    all: LeftOut,
}

impl Demand {
    fn new(plan: &ReviewedPlan<'_>, options: &MarkdownOptions<'_>) -> Self {
        let (sections, items) = sections(&plan.report);
        let all = LeftOut::all(&sections, &items);
        let around = length(&part_head(plan, options)) + length(PART_END) + all.longest_line(options);
        let verdicts = length(&verdicts(plan, options.max_length / 2));
        let lengths =
            ReportBody::lengths(&plan.report, &sections, &items, options.max_length / 4, options.plain);
        Self { is_important: is_important(plan), around, verdicts, lengths, all }
    }
}

/// The room that a plan has on a page: for its verdicts, for its table if that has a limit of its own, and in all.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    verdicts: usize,
    table: Option<usize>,
    all: usize,
}

/// The room of each plan of several, so that the order of what is kept is that of the whole page: verdicts, tables, the addresses of
/// destroyed and replaced objects, lines. Plans that are refused, destroy or replace something are before others.
fn shares(demands: &[Demand], mut room: usize) -> Vec<Share> {
    let mut shares = vec![Share::default(); demands.len()];
    // Verdicts take half of the page, and tables a quarter, unless the rest has no use for the room.
    for (for_verdicts, for_tables) in [(room / 2, room / 4), (usize::MAX, usize::MAX)] {
        let new = begin(demands, &mut shares, for_verdicts.min(room));
        room -= new.iter().map(|index| shares[*index].all).sum::<usize>();
        let mut give = |limit: usize, need: &dyn Fn(&Demand) -> usize| {
            let needs: Vec<_> = new.iter().map(|index| need(&demands[*index])).collect();
            let given = filled(&needs, limit.min(room));
            for (index, given) in new.iter().zip(&given) {
                shares[*index].all += given;
            }
            room -= given.iter().sum::<usize>();
            given
        };
        let tables = give(for_tables, &|demand| demand.lengths.table);
        give(usize::MAX, &|demand| demand.lengths.losses);
        for (index, table) in new.iter().zip(tables) {
            shares[*index].table = Some(table);
        }
    }
    let has_part = |share: &Share| share.all > 0;
    // Their lines are of use only where all of a plan fit.
    let mut order: Vec<_> = (0..demands.len()).filter(|index| has_part(&shares[*index])).collect();
    order.sort_by_key(|index| demands[*index].lengths.loss_lines);
    for index in order {
        let needed = demands[index].lengths.loss_lines;
        if needed <= room {
            shares[index].all += needed;
            room -= needed;
        }
    }
    let needs = demands.iter().zip(&shares);
    let needs: Vec<_> =
        needs.map(|(demand, share)| if has_part(share) { demand.lengths.other_lines } else { 0 }).collect();
    for (share, given) in shares.iter_mut().zip(filled(&needs, room)) {
        share.all += given;
    }
    shares
}

/// Gives plans that have no room yet that for their verdicts, and says which have it now.
fn begin(demands: &[Demand], shares: &mut [Share], mut room: usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..demands.len()).filter(|index| shares[*index].all == 0).collect();
    order.sort_by_key(|index| !demands[*index].is_important);
    let mut new = Vec::new();
    for (place, index) in order.iter().enumerate() {
        let Demand { around, verdicts, .. } = &demands[*index];
        let fair = (room / (order.len() - place)).max(FAIR);
        let fitting = (*verdicts).min(fair.saturating_sub(*around));
        // A line counts the results that are left out.
        let all = around + fitting + if fitting < *verdicts { SHORTEST } else { 0 };
        if all <= room {
            shares[*index] = Share { verdicts: fitting, table: None, all };
            room -= all;
            new.push(*index);
        }
    }
    new.sort_unstable();
    new
}

/// How much of the room each of several needs gets: all of it, or about as much as the others.
fn filled(needs: &[usize], mut room: usize) -> Vec<usize> {
    let mut given = vec![0; needs.len()];
    let mut order: Vec<_> = (0..needs.len()).collect();
    order.sort_by_key(|index| needs[*index]);
    for (place, index) in order.iter().enumerate() {
        given[*index] = needs[*index].min(room / (order.len() - place));
        room -= given[*index];
    }
    given
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
    share: Share,
    options: &MarkdownOptions<'_>,
) -> Result<(String, LeftOut), ShowError> {
    let (mut head, end) = match (is_one_of_many, options.plain) {
        (false, _) => (String::new(), ""),
        (true, true) => (part_head(plan, options), ""),
        (true, false) => (part_head(plan, options), PART_END),
    };
    head += &verdicts(plan, share.verdicts);
    // The last line of the page is enough where there is one part.
    let foot = if is_one_of_many { demand.all.longest_line(options) } else { 0 };
    let least = if is_one_of_many { 0 } else { SHORTEST };
    let room = share.all.checked_sub(length(&head) + length(end) + foot).filter(|room| *room >= least);
    let Some(room) = room else {
        // Where there are several plans, the line in the table is all that fits.
        let text = if is_one_of_many { String::new() } else { head };
        return Ok((text, demand.all.clone()));
    };
    let (sections, items) = sections(&plan.report);
    let room = share.table.map_or(Room::of_page(room), |table| Room { all: room, table });
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
