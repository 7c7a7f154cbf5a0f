//! How much a page leaves out, in words.

use std::collections::BTreeMap;

use objchange_text::counted;

use super::super::outline::{OutlineItem, OutlineSection};
use super::{MarkdownOptions, target};

/// The most characters that the number of diffs adds to a line.
const DIFFS: usize = 30;

/// How many entries a page leaves out, by what happens to them, and how many diffs.
#[derive(Debug, Clone, Default)]
pub(in crate::render) struct LeftOut {
    /// By the rank and the words of their action; other entries are behind these, by the title of their section.
    entries: BTreeMap<(u8, &'static str), usize>,
    diffs: usize,
}

impl LeftOut {
    /// All entries.
    pub(in crate::render) fn all(sections: &[OutlineSection], items: &[OutlineItem<'_, '_>]) -> Self {
        let mut all = Self::default();
        items.iter().for_each(|item| all.add_entry(sections, item));
        all
    }

    pub(super) fn add_entry(&mut self, sections: &[OutlineSection], item: &OutlineItem<'_, '_>) {
        // A title explains itself behind a colon, for which the line has no room.
        let title = sections[item.section].title.split(':').next().unwrap_or_default();
        let key = match item.counted_action() {
            Some(words) => (item.rank, words),
            None => (u8::MAX, title),
        };
        *self.entries.entry(key).or_default() += 1;
    }

    pub(super) fn add_diffs(&mut self, count: usize) {
        self.diffs += count;
    }

    /// Adds what another part of the page leaves out.
    pub(in crate::render) fn add(&mut self, other: &Self) {
        for (key, count) in &other.entries {
            *self.entries.entry(*key).or_default() += count;
        }
        self.diffs += other.diffs;
    }

    /// The numbers, such as `12 to update, 3 of “Outputs”, 20 diffs`; empty if nothing is left out.
    pub(in crate::render) fn amounts(&self) -> String {
        let entries = self.entries.iter().map(|((rank, words), count)| match *rank {
            u8::MAX => format!("{count} of “{words}”"),
            _ => format!("{count} {words}"),
        });
        let diffs = (self.diffs > 0).then(|| counted(self.diffs, "diff"));
        entries.chain(diffs).collect::<Vec<_>>().join(", ")
    }

    /// The last line of a page, which says where the rest is.
    pub(in crate::render) fn line(&self, options: &MarkdownOptions<'_>) -> String {
        left_out(options, &self.amounts(), "objchange show")
    }

    /// The length of that line, if any diffs are left out, too.
    pub(in crate::render) fn longest_line(&self, options: &MarkdownOptions<'_>) -> usize {
        super::length(&left_out(options, &format!("{} ", self.amounts()), "objchange show")) + DIFFS
    }
}

/// Says what is left out of a page, and how to see it: by the link, or by a command.
pub(crate) fn left_out(options: &MarkdownOptions<'_>, amounts: &str, command: &str) -> String {
    if amounts.is_empty() {
        return String::new();
    }
    let place = match target(options) {
        Some(_) => "see the link above for the rest".to_owned(),
        None => format!("run `{command}` for the rest"),
    };
    format!("**Left out, to stay within {} characters: {amounts}**; {place}.\n", options.max_length)
}

/// How many there are of each thing, such as `1 entry and 2 diffs`.
pub(crate) fn amounts<const N: usize>(things: [(usize, &str, &str); N]) -> String {
    let things = things.into_iter().filter(|(count, ..)| *count > 0);
    let amount = |(count, one, many)| format!("{count} {}", if count == 1 { one } else { many });
    things.map(amount).collect::<Vec<_>>().join(" and ")
}
