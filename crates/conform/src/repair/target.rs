//! Finds the part of a configuration that a diagnostic is about.

use std::collections::HashSet;

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::value::PathStep;
use smol_str::SmolStr;

use super::super::generate::Spot;
use super::super::within;

/// Shorter values may occur in any text.
const MIN_VALUE: usize = 4;

/// The parts that a diagnostic is about: the one at its path, or all that its text mentions.
pub(super) fn targets<'s, 'b>(
    spots: &'s [Spot<'b>],
    config: &Value,
    diagnostic: &Diagnostic,
) -> Vec<&'s Spot<'b>> {
    let text = format!("{} {}", diagnostic.summary, diagnostic.detail);
    let names = |path: &objchange::value::Path| -> Vec<SmolStr> {
        path.steps()
            .iter()
            .filter_map(|step| match step {
                PathStep::Attribute(name) => Some(name.clone()),
                PathStep::Index(_) => None,
            })
            .collect()
    };
    let mut at = diagnostic.path.as_ref().map(names).unwrap_or_default();
    while !at.is_empty() && !spots.iter().any(|spot| spot.names == at) {
        at.pop();
    }
    if !at.is_empty() {
        let here = spots.iter().find(|spot| spot.names == at);
        // A path that ends at a set refers to a part inside of it.
        let inside = mentioned(spots, config, &text, &at);
        let is_whole = here.is_some_and(|spot| !spot.is_objects());
        return if is_whole || inside.is_empty() { here.into_iter().collect() } else { inside };
    }
    mentioned(spots, config, &text, &[])
}

/// The parts below a path that a text names. A name with its path takes precedence over a quoted name, and that over a
/// plain word. Parts that are set take precedence over others.
fn mentioned<'s, 'b>(
    spots: &'s [Spot<'b>],
    config: &Value,
    text: &str,
    below: &[SmolStr],
) -> Vec<&'s Spot<'b>> {
    let inside =
        || spots.iter().filter(|spot| spot.names.len() > below.len() && spot.names.starts_with(below));
    let words: HashSet<&str> = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')))
        .map(|word| word.trim_matches(['.', '-']))
        .filter(|word| !word.is_empty())
        .collect();
    // The SDK v2 writes paths as Terraform 0.11 did, with positions and `#` for a count: `server.0.disk.#`.
    let path = |word: &str| -> Vec<SmolStr> {
        let steps =
            word.split('.').filter(|step| step.parse::<u64>().is_err() && !step.is_empty() && *step != "#");
        steps.map(SmolStr::from).collect()
    };
    for word in words.iter().filter(|word| word.contains('.')) {
        let names = path(word);
        if let Some(spot) =
            inside().find(|spot| spot.names == names || (names.len() > 1 && spot.names.ends_with(&names)))
        {
            return vec![spot];
        }
    }
    let is_set = |spot: &&Spot<'_>| {
        let mut is_set = false;
        within::each(config, &spot.names, &mut |part| is_set |= !part.is_null() && part.len() != Some(0));
        is_set
    };
    let quoted = |name: &str| {
        let is_quoted = |quote: &char| text.contains(&format!("{quote}{name}{quote}"));
        words.contains(name) && ['\'', '"', '`'].iter().any(is_quoted)
    };
    let named = |spot: &&Spot<'_>| spot.names.last().is_some_and(|name| words.contains(name.as_str()));
    let is_quoted = |spot: &&Spot<'_>| spot.names.last().is_some_and(|name| quoted(name));
    let best = |mut found: Vec<&'s Spot<'b>>| -> Vec<&'s Spot<'b>> {
        // A containing block may be named as well, by a word in another case.
        let lower = text.to_lowercase();
        let around = |spot: &Spot<'_>| {
            spot.names.iter().rev().skip(1).filter(|name| lower.contains(&name.to_lowercase())).count()
        };
        let most = found.iter().map(|spot| around(spot)).max().unwrap_or_default();
        found.retain(|spot| around(spot) == most);
        let least = found.iter().map(|spot| spot.names.len()).min().unwrap_or_default();
        found.retain(|spot| spot.names.len() == least);
        // Several words may name an attribute; the longest is the least likely to do so by chance.
        let length = |spot: &Spot<'_>| spot.names.last().map_or(0, SmolStr::len);
        let longest = found.iter().map(|spot| length(spot)).max().unwrap_or_default();
        found.retain(|spot| length(spot) == longest);
        found
    };
    // A text may quote the value of a part instead of its name.
    let is_cited = |spot: &&Spot<'_>| {
        let mut is_cited = false;
        within::each(config, &spot.names, &mut |part| {
            is_cited |= part.as_str().is_some_and(|value| value.len() >= MIN_VALUE && text.contains(value));
        });
        is_cited
    };
    let searches: [Vec<&'s Spot<'b>>; 5] = [
        inside().filter(is_quoted).filter(is_set).collect(),
        inside().filter(named).filter(is_set).collect(),
        inside().filter(is_cited).collect(),
        inside().filter(is_quoted).collect(),
        inside().filter(named).collect(),
    ];
    searches.into_iter().find(|found| !found.is_empty()).map(best).unwrap_or_default()
}

/// The part of this name beside the part at the path, or else anywhere.
pub(super) fn named<'s, 'b>(spots: &'s [Spot<'b>], beside: &[SmolStr], name: &str) -> Option<&'s Spot<'b>> {
    let steps: Vec<SmolStr> =
        name.split('.').filter(|step| step.parse::<u64>().is_err()).map(SmolStr::from).collect();
    let around = beside.split_last().map(|(_, around)| around).unwrap_or_default();
    let beside: Vec<SmolStr> = around.iter().chain(&steps).cloned().collect();
    let find = |names: &[SmolStr]| spots.iter().find(|spot| spot.names == names);
    find(&beside).or_else(|| find(&steps)).or_else(|| spots.iter().find(|spot| spot.names.ends_with(&steps)))
}

#[cfg(test)]
mod tests {
    use objchange::Type;
    use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};

    use super::super::super::generate::spots;
    use super::*;

    #[test]
    fn the_end_of_a_path_names_a_part() {
        let list = |block: Block| NestedBlock::new(NestingMode::List, block);
        let mode = || ("mode", Attribute::optional(Type::String));
        let server = Block::new([mode()], [("disk", list(Block::new([mode()], [])))]);
        let block = Block::new([mode()], [("server", list(server))]);
        let (spots, config) = (spots(&block), Value::object::<&str, Value>([]));
        for (text, wanted) in [
            ("disk.0.mode must be set", "server.disk.mode"),
            ("server.0.mode must be set", "server.mode"),
            ("server.#.disk.#.mode must be set", "server.disk.mode"),
        ] {
            let found = targets(&spots, &config, &Diagnostic::error(text));
            let found: Vec<String> = found.iter().map(|spot| spot.names.join(".")).collect();
            assert_eq!(found, [wanted], "{text}");
        }
    }
}
