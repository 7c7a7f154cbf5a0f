//! Terraform says some things twice: in its log and at the end, and people say them again in titles.

use std::collections::HashSet;

use super::{Explained, Trouble};
use crate::Clause;

/// The topic of a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Topic {
    Clause(Clause),
    Trouble(Trouble),
}

fn topics(one: &Explained) -> impl Iterator<Item = Topic> {
    one.clauses.iter().copied().map(Topic::Clause).chain(one.trouble.map(Topic::Trouble))
}

/// The parts that a message names. One that names more replaces one that names only some of them.
type Parts<'e> = [Option<&'e str>; 4];

fn parts(one: &Explained) -> Parts<'_> {
    [one.provider.as_deref(), one.address.as_deref(), one.path.as_deref(), one.kind]
}

/// Adds the log's messages about nodes of the graph. The message itself may be elsewhere in the log,
/// without an address.
pub(super) fn add_nodes(all: &mut Vec<Explained>, mut nodes: Vec<Explained>) {
    let place = |one: &Explained| topics(one).map(|topic| (topic, one.address.clone())).collect::<Vec<_>>();
    // A set, so that the time grows with the number of messages and not with its square.
    let placed: HashSet<_> = all.iter().flat_map(place).collect();
    nodes.retain(|node| !place(node).iter().any(|place| placed.contains(place)));
    let of_nodes: HashSet<Topic> = nodes.iter().flat_map(topics).collect();
    let is_nameless = |one: &Explained| one.address.is_none() && !one.is_bare();
    let is_of_node = |one: &Explained| topics(one).any(|topic| of_nodes.contains(&topic));
    let nameless: Vec<usize> =
        (0..all.len()).filter(|at| is_nameless(&all[*at]) && is_of_node(&all[*at])).collect();
    let said: HashSet<Topic> = nameless.iter().flat_map(|at| topics(&all[*at])).collect();
    let is_said = |node: &Explained| topics(node).any(|topic| said.contains(&topic));
    if let [at] = nameless[..] {
        let one = all.remove(at);
        for node in nodes.iter_mut().filter(|node| is_said(node)) {
            *node = Explained { address: node.address.take(), ..one.clone() };
        }
    } else {
        nodes.retain(|node| !is_said(node));
    }
    all.append(&mut nodes);
}

/// Completes a message whose end is cut off from the title.
pub(super) fn complete_by_title(all: &mut Vec<Explained>) {
    let is_title = |one: &Explained| one.is_mention() && one.address.is_none() && one.kind.is_some();
    let is_cut = |one: &Explained| {
        one.address.is_some() && one.trouble.is_none() && one.kind.is_none() && !one.has_detail()
    };
    let only = |is_it: &dyn Fn(&Explained) -> bool| {
        let mut found = all.iter().enumerate().filter(|(_, one)| is_it(one)).map(|(at, _)| at);
        found.next().filter(|_| found.next().is_none())
    };
    let (Some(title), Some(cut)) = (only(&is_title), only(&is_cut)) else { return };
    if !topics(&all[title]).any(|topic| topics(&all[cut]).any(|of| of == topic)) {
        return;
    }
    let said = all[title].clone();
    let one = &mut all[cut];
    one.clauses.retain(|clause| said.clauses.contains(clause));
    one.provider = one.provider.take().or(said.provider);
    one.path = one.path.take().or(said.path);
    (one.kind, one.words, one.values, one.similarity) = (said.kind, said.words, said.values, said.similarity);
    all.remove(title);
}

/// Leaves out headings, and parts of messages, that others say in full.
pub(super) fn without_titles(all: &[Explained]) -> Vec<Explained> {
    let full = || all.iter().filter(|one| !one.is_bare());
    let topics_in_full: HashSet<Topic> = full().flat_map(topics).collect();
    let summaries_in_full: HashSet<&str> = full().map(|one| one.summary.as_str()).collect();
    let mut placed = HashSet::new();
    let mut said = HashSet::new();
    let mut said_in_detail = HashSet::new();
    for one in all {
        if one.address.is_some() {
            placed.extend(topics(one).map(|topic| (topic, one.path.as_deref(), one.kind)));
        }
        let is_mention = one.is_mention();
        let less = fewer(parts(one)).filter(|less| !is_mention || *less != parts(one));
        let less = less.flat_map(|less| topics(one).map(move |topic| (topic, less)));
        if one.has_detail() {
            said_in_detail.extend(less);
        } else {
            said.extend(less);
        }
    }
    let is_heading = |one: &Explained| {
        let is_vague = one.clauses.len() > 1 && !one.summary.is_empty();
        let is_known = topics(one).any(|topic| topics_in_full.contains(&topic))
            || (is_vague && summaries_in_full.contains(one.summary.as_str()));
        one.is_bare() && is_known
    };
    let is_part = |one: &Explained| {
        let mut places = topics(one).map(|topic| (topic, one.path.as_deref(), one.kind));
        one.path.is_some() && one.address.is_none() && places.any(|place| placed.contains(&place))
    };
    let is_said_again = |one: &Explained| {
        let is_mention = one.is_mention();
        let is_said = |of| said_in_detail.contains(&of) || (is_mention && said.contains(&of));
        (is_mention || !one.has_detail()) && topics(one).any(|topic| is_said((topic, parts(one))))
    };
    let is_title = |one: &&Explained| is_heading(one) || is_part(one) || is_said_again(one);
    all.iter().filter(|one| !is_title(one)).cloned().collect()
}

/// All that may be left of these parts.
fn fewer(parts: Parts<'_>) -> impl Iterator<Item = Parts<'_>> {
    // These are 16 for each message, so that one look-up tells whether another message says as much.
    (0..1 << parts.len()).map(move |kept: u8| {
        let mut parts = parts;
        for (at, part) in parts.iter_mut().enumerate() {
            *part = part.filter(|_| kept & (1 << at) != 0);
        }
        parts
    })
}
