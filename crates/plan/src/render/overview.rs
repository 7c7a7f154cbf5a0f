//! The notes above the entries of a page for people, shared by Markdown, HTML and screens.

use super::outline::OutlineItem;
use super::summary::{configured, total};
use crate::report::{Outcome, PREDICTED, Report, Section, Warning};
use objchange_document::NoState;

/// The maximum number of characters of a title, and of the address of another page.
pub(super) const TITLE: usize = 200;
pub(super) const LINK: usize = 1_000;

/// The maximum number of destroyed resources to name above the entries.
pub(super) const NAMES: usize = 10;

/// The maximum number of characters of a text.
pub(crate) fn start(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// The title of the page, if none is given.
pub(super) fn default_title(report: &Report<'_>) -> String {
    if report.predicted {
        return format!("Predicted {} plan", report.program.name());
    }
    format!("{} {}", report.program.name(), if is_state(report) { "state" } else { "plan" })
}

/// The title with what everything adds up to.
pub(super) fn headline(report: &Report<'_>, title: &str) -> String {
    let counts = counts(report);
    let colon = if counts.is_empty() { "" } else { ": " };
    format!("{title}{colon}{counts}")
}

/// The totals.
pub(super) fn counts(report: &Report<'_>) -> String {
    let is_state = is_state(report);
    let mut counts = total(&report.counts, is_state);
    configured(&mut counts, report);
    if !is_state && !report.counts.is_change() {
        counts.insert(0, "nothing to change".to_owned());
    }
    let state = report.no_state.map_or_else(String::new, |why| format!(" ({})", why.as_str()));
    format!("{}{state}", counts.join(", "))
}

fn is_state(report: &Report<'_>) -> bool {
    report.sections.iter().any(|section| matches!(section, Section::Resources(_)))
}

/// A sentence, and the important words before it.
pub(super) struct Sentence {
    pub(super) important: &'static str,
    pub(super) rest: &'static str,
}

/// Notes to read first.
pub(super) fn sentences(report: &Report<'_>) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    if report.predicted {
        sentences.push(Sentence { important: "Predicted plan", rest: PREDICTED });
    }
    if report.no_state == Some(NoState::Unread) {
        let rest = ": this is the configuration alone. Objects that exist may be updated, replaced or stay as they are.";
        sentences.push(Sentence { important: "The state was not read", rest });
    }
    if report.errored {
        let rest = ": only what was planned until then is listed.";
        sentences.push(Sentence { important: "Planning failed", rest });
    }
    if report.lacks_schemas {
        let rest = ": blocks are shown as attributes, values that only a schema marks as sensitive are shown, and what forces a \
                    replacement may be wrong.";
        sentences.push(Sentence { important: "Schemas are missing", rest });
    }
    let mut say = |rest| sentences.push(Sentence { important: "", rest });
    if report.complete == Some(false) && !report.errored {
        say("The plan is incomplete: more may be left to change.");
    }
    if report.of_selection {
        say("Only what was chosen is listed and counted.");
    }
    for section in &report.sections {
        match section {
            Section::Warnings(warnings) => warnings.iter().for_each(|warning| {
                say(match warning {
                    Warning::NewerFormat => {
                        "The plan has a newer format: what is new in it may be missing here."
                    }
                    Warning::NewerStateFormat => {
                        "The state has a newer format: what is new in it may be missing here."
                    }
                });
            }),
            Section::Outcome(outcome) => say(match outcome {
                Outcome::NoChangeMatches => "No resource with changes matches.",
                Outcome::NoResourceMatches => "No resource matches.",
                Outcome::EmptyState => "There are no resources.",
                Outcome::PlanningFailed => continue,
                Outcome::NeedsAnotherPlan => "This plan requires another plan to be applied first.",
                Outcome::NothingToDestroy => "No objects need to be destroyed.",
                Outcome::StillMatches => "The infrastructure still matches the configuration.",
                Outcome::Matches => "The infrastructure matches the configuration.",
                Outcome::MatchesDriftSaved => {
                    "The configuration matches what changed outside: applying the plan only updates the state."
                }
                Outcome::OnlyIgnored => "Only values at ignored paths would change.",
                Outcome::MatchesDriftUnsaved => {
                    "The configuration matches what changed outside: a refresh-only plan updates the state."
                }
            }),
            _ => {}
        }
    }
    sentences
}

/// The actions on resources, and how many there are of each that there are.
pub(super) fn action_counts(report: &Report<'_>) -> impl Iterator<Item = (&'static str, usize)> {
    let counts = &report.counts;
    let rows = [
        ("Destroy", counts.delete),
        ("Replace", counts.replace),
        ("Unknown", counts.unknown),
        ("Forget", counts.forget),
        ("Update", counts.update),
        ("Create", counts.create),
        ("Read", counts.read),
        ("Move", counts.r#move),
        ("Import", counts.import),
    ];
    rows.into_iter().filter(|(_, count)| *count > 0)
}

/// Whether a plan does so little that its page is open at once.
pub(super) fn is_small(report: &Report<'_>) -> bool {
    const SMALL: usize = 10;
    let changes = report.sections.iter().filter_map(|section| match section {
        Section::ResourceChanges(entries) => Some(entries.len()),
        _ => None,
    });
    changes.sum::<usize>() <= SMALL && action_counts(report).count() > 0
}

/// Destroyed and replaced resources with their index in all items, destroyed ones first.
pub(super) fn losses<'i, 'r, 'p>(items: &'i [OutlineItem<'r, 'p>]) -> Vec<(usize, &'i OutlineItem<'r, 'p>)> {
    let mut losses: Vec<_> = items.iter().enumerate().filter(|(_, item)| item.is_loss).collect();
    losses.sort_by_key(|(_, item)| item.rank);
    losses
}
