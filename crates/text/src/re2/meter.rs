//! How much of a text a search reads.

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Input, hybrid};

/// Counts the bytes that searches read.
///
/// The `regex` crate does not tell how far a search went before it knew its answer. So this makes the same search with
/// a lazy DFA, byte by byte, until it can find nothing better.
pub(super) struct Meter {
    dfa: DFA,
    cache: Cache,
}

impl Meter {
    /// A meter for a translated pattern; `None` if the pattern has none.
    pub(super) fn new(pattern: &str, max_size: usize) -> Option<Self> {
        let dfa = DFA::builder()
            .syntax(syntax::Config::new().utf8(false))
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(max_size)))
            // A large pattern then gets the least cache that it needs, where it would else be refused.
            .configure(hybrid::dfa::Config::new().skip_cache_capacity_check(true))
            .build(pattern)
            .ok()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache })
    }

    /// How many bytes a search reads that begins at this byte.
    pub(super) fn read(&mut self, text: &[u8], start: usize) -> usize {
        let rest = text.get(start..).unwrap_or_default();
        let input = Input::new(text).range(start.min(text.len())..);
        let Ok(mut state) = self.dfa.start_state_forward(&mut self.cache, &input) else { return rest.len() };
        for (i, byte) in rest.iter().enumerate() {
            match self.dfa.next_state(&mut self.cache, state, *byte) {
                Ok(next) if next.is_dead() => return i + 1,
                Ok(next) => state = next,
                // The DFA gave up, so the worst case counts.
                Err(_) => return rest.len(),
            }
        }
        rest.len()
    }
}
