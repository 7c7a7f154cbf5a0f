//! Searches the lines of all items at once, and their diffs a few items at a time, so that keys are not delayed.

use std::ops::Range;

use objchange_plan::Outline;
use objchange_text::re2::Pattern;

/// The maximum length of a search, in characters.
pub(crate) const MAX_QUERY: usize = 200;

/// The bytes of text, and the number of items, that are searched at a time.
// Keys are handled only between two such parts, so each part must be quick enough for a user not to notice.
const TEXT_AT_A_TIME: usize = 256 << 10;
const ITEMS_AT_A_TIME: usize = 64;

/// The searched words, in any case; an item must have all of them.
#[derive(Debug, Default)]
pub(crate) struct Search {
    query: String,
    words: Vec<Pattern>,
    /// Matches any of the words, to highlight them.
    any: Option<Pattern>,
    /// The state of each item.
    found: Vec<Match>,
    /// The first item whose diff may not have been searched.
    next: usize,
}

/// Whether an item has all words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    /// Its diff must be searched.
    Unknown,
    No,
    /// It has them, or cannot be read.
    Yes,
}

impl Search {
    /// The searched text.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    pub(crate) fn is_active(&self) -> bool {
        !self.words.is_empty()
    }

    /// Starts a search for another text.
    pub(crate) fn set(&mut self, query: &str, outline: &Outline<'_, '_>) {
        // An item that does not contain a text does not contain a longer one, either.
        let is_longer = self.is_active() && query.starts_with(&self.query);
        let words: Vec<&str> = query.split_whitespace().collect();
        self.words = words.iter().filter_map(|word| pattern(&[word])).collect();
        self.any = if words.is_empty() { None } else { pattern(&words) };
        query.clone_into(&mut self.query);
        self.next = 0;
        self.found.resize(outline.items.len(), Match::Unknown);
        for (found, item) in self.found.iter_mut().zip(&outline.items) {
            // Lines exist already, while diffs are expensive to make. So all lines are searched at once, and diffs bit
            // by bit.
            if is_longer && *found == Match::No {
                continue;
            }
            *found = Match::Unknown;
            let line: String = item.line.iter().map(|piece| piece.shown()).collect();
            if self.words.iter().all(|word| word.is_match(line.as_bytes())) {
                *found = Match::Yes;
            }
        }
    }

    /// Whether the item matches, as far as is known.
    pub(crate) fn matches(&self, item: usize) -> bool {
        !self.is_active() || self.found.get(item) == Some(&Match::Yes)
    }

    /// The number of items searched so far; `None` if all are.
    pub(crate) fn progress(&self) -> Option<usize> {
        (self.is_active() && self.next < self.found.len()).then_some(self.next)
    }

    /// Searches some more diffs. Returns whether any of them has the words.
    pub(crate) fn advance(&mut self, outline: &Outline<'_, '_>) -> bool {
        let (mut text, mut items, mut any) = (0, 0, false);
        while self.progress().is_some() && text < TEXT_AT_A_TIME && items < ITEMS_AT_A_TIME {
            let index = self.next;
            self.next += 1;
            if self.found[index] != Match::Unknown {
                continue;
            }
            items += 1;
            let item = &outline.items[index];
            let line: String = item.line.iter().map(|piece| piece.shown()).collect();
            let has_all = match outline.diff(index) {
                Ok(diff) => {
                    text += diff.text().len();
                    // One word may be in the line and another one in the diff.
                    let has = |word: &Pattern| {
                        word.is_match(line.as_bytes()) || word.is_match(diff.text().as_bytes())
                    };
                    self.words.iter().all(has)
                }
                // An item that cannot be read counts as a match, because its details tell the user why.
                Err(_) => true,
            };
            self.found[index] = if has_all { Match::Yes } else { Match::No };
            any |= has_all;
        }
        any
    }

    /// The matches in a text.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let Some(any) = &self.any else { return Vec::new() };
        let is_inside = |range: &Range<usize>| {
            !range.is_empty() && text.is_char_boundary(range.start) && text.is_char_boundary(range.end)
        };
        let found = any.regex().find_iter(text.as_bytes());
        found.map(|found| found.range()).filter(is_inside).collect()
    }

    /// Whether any of the words is in a text.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.any.as_ref().is_some_and(|any| any.is_match(text.as_bytes()))
    }
}

/// A pattern that matches any of these words literally, ignoring case.
fn pattern(words: &[&str]) -> Option<Pattern> {
    let mut pattern = String::from("(?i)(?:");
    for (index, word) in words.iter().enumerate() {
        pattern.push_str(if index > 0 { "|" } else { "" });
        for c in word.chars() {
            if r"\.+*?()|[]{}^$".contains(c) {
                pattern.push('\\');
            }
            pattern.push(c);
        }
    }
    pattern.push(')');
    // A few hundred characters as they are fit into any pattern.
    Pattern::new(&pattern, Pattern::MAX_SIZE).ok()
}
