//! Lines of text for people.

use std::io::{self, Write};

use objchange_text::style::{BAD, CHANGED, GOOD};
use objchange_text::visible;

use crate::{Case, Verdict};

/// Counts outcomes for the last line of a text.
///
/// ```
/// use objchange_finding::Tally;
///
/// let mut tally = Tally::new(["failed", "passed"]);
/// tally.add("passed");
/// tally.add("passed");
/// assert_eq!(tally.line(["rule", "rules"], 1), "2 rules: 2 passed");
/// assert_eq!(tally.line(["rule", "rules"], 3), "2 rules in 3 plans: 2 passed");
/// ```
#[derive(Debug, Clone)]
pub struct Tally<const N: usize> {
    words: [&'static str; N],
    counts: [u64; N],
    messages: [u64; N],
}

impl<const N: usize> Tally<N> {
    /// The words for outcomes, in the order of the output.
    pub fn new(words: [&'static str; N]) -> Self {
        Self { words, counts: [0; N], messages: [0; N] }
    }

    /// Counts one with this outcome.
    pub fn add(&mut self, word: &str) {
        self.add_messages(word, 0);
    }

    /// Counts one with this outcome and so many messages.
    pub fn add_messages(&mut self, word: &str, messages: usize) {
        if let Some(at) = self.words.iter().position(|known| *known == word) {
            self.counts[at] += 1;
            self.messages[at] += messages as u64;
        }
    }

    /// How many there are and what came of them. Messages are counted beside an outcome if they are more than its number.
    pub fn line(&self, [one, many]: [&str; 2], plans: u64) -> String {
        let all: u64 = self.counts.iter().sum();
        let counted = std::iter::zip(self.words, std::iter::zip(self.counts, self.messages));
        let counted = counted.filter(|(_, (count, _))| *count > 0).map(|(word, (count, messages))| {
            match messages > count {
                true => format!("{count} {word} ({messages} messages)"),
                false => format!("{count} {word}"),
            }
        });
        let counted = counted.collect::<Vec<_>>().join(", ");
        let plans = if plans == 1 { String::new() } else { format!(" in {plans} plans") };
        let colon = if counted.is_empty() { "" } else { ": " };
        format!("{all} {}{plans}{colon}{counted}", if all == 1 { one } else { many })
    }
}

/// Writes the line of a test.
///
/// # Errors
///
/// The writer fails.
pub fn write_test(out: &mut impl Write, name: &str, case: &Case) -> io::Result<()> {
    let name = visible(name);
    match case.verdict() {
        Verdict::Passed => writeln!(out, "{GOOD}passed{GOOD:#}:  {name}"),
        Verdict::Skipped => writeln!(out, "{CHANGED}skipped{CHANGED:#}: {name}"),
        _ => writeln!(out, "{BAD}failed{BAD:#}:  {name}"),
    }
}
