//! Pairs the elements of two sets.

use hashbrown::HashMap;

use super::shown::{Cover, ShownValue, shown};
use crate::canonical::{NodeKind, Placed};
use objchange_document::Text;

/// The maximum number of pairs of elements to compare, and of members in each. Beyond that, elements are not paired.
const MAX_PAIRS: usize = 10_000;
const MAX_MEMBERS: usize = 100;

/// Which elements of two sets belong together.
pub(super) struct Pairing<'n, 'v, 't> {
    /// Elements that are mostly equal.
    pub(super) pairs: Vec<(Placed<'n, 'v, 't>, Placed<'n, 'v, 't>)>,
    /// The others.
    pub(super) only_a: Vec<Placed<'n, 'v, 't>>,
    pub(super) only_b: Vec<Placed<'n, 'v, 't>>,
    /// There are too many elements to look for pairs.
    pub(super) is_too_large: bool,
}

/// Pairs what differs in two sets, whose elements are in the order of their bytes.
pub(super) fn pair<'n, 'v, 't>(a: &[Placed<'n, 'v, 't>], b: &[Placed<'n, 'v, 't>]) -> Pairing<'n, 'v, 't> {
    let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].own_bytes().cmp(b[j].own_bytes()) {
            std::cmp::Ordering::Less => {
                only_a.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                only_b.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => (i, j) = (i + 1, j + 1),
        }
    }
    only_a.extend(&a[i..]);
    only_b.extend(&b[j..]);
    if only_a.len().saturating_mul(only_b.len()) > MAX_PAIRS {
        return Pairing { pairs: Vec::new(), only_a, only_b, is_too_large: true };
    }
    let found = [alike(&only_a, &only_b), with_unknown(&only_a, &only_b)];
    let (mut is_paired_a, mut is_paired_b) = (vec![false; only_a.len()], vec![false; only_b.len()]);
    let mut pairs = Vec::new();
    for (i, j) in found.into_iter().flatten() {
        if !is_paired_a[i] && !is_paired_b[j] {
            (is_paired_a[i], is_paired_b[j]) = (true, true);
            pairs.push((only_a[i], only_b[j]));
        }
    }
    let rest = |all: Vec<Placed<'n, 'v, 't>>, is_paired: &[bool]| {
        all.into_iter().zip(is_paired).filter(|(_, is_paired)| !**is_paired).map(|(part, _)| part).collect()
    };
    Pairing {
        pairs,
        only_a: rest(only_a, &is_paired_a),
        only_b: rest(only_b, &is_paired_b),
        is_too_large: false,
    }
}

/// Pairs of objects at least half of whose members agree, those that agree most first. The order is the same whichever set
/// is the first.
fn alike(a: &[Placed<'_, '_, '_>], b: &[Placed<'_, '_, '_>]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            let Some((agreeing, all)) = agreement(*a, *b) else { continue };
            if agreeing > 0 && agreeing * 2 >= all {
                found.push((std::cmp::Reverse(agreeing), i.min(j), i.max(j), (i, j)));
            }
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(.., pair)| pair).collect()
}

/// Counts the members of two objects that agree, and all members. Unknown agrees with everything.
fn agreement(a: Placed<'_, '_, '_>, b: Placed<'_, '_, '_>) -> Option<(usize, usize)> {
    let (NodeKind::Object(members_a), NodeKind::Object(members_b)) = (&a.node.kind, &b.node.kind) else {
        return None;
    };
    let (mut i, mut j, mut agreeing, mut all) = (0, 0, 0, 0);
    while i < members_a.len().min(MAX_MEMBERS) && j < members_b.len().min(MAX_MEMBERS) {
        let ((key_a, node_a), (key_b, node_b)) = (&members_a[i], &members_b[j]);
        all += 1;
        match key_a.cmp(key_b) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                let is_unknown = [node_a, node_b].iter().any(|node| matches!(node.kind, NodeKind::Unknown));
                agreeing += usize::from(is_unknown || a.part(node_a).is_same(b.part(node_b)));
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    all += (members_a.len().min(MAX_MEMBERS) - i) + (members_b.len().min(MAX_MEMBERS) - j);
    Some((agreeing, all))
}

/// Pairs of an element that is unknown as a whole with any other.
fn with_unknown(a: &[Placed<'_, '_, '_>], b: &[Placed<'_, '_, '_>]) -> Vec<(usize, usize)> {
    let unknown = |all: &[Placed<'_, '_, '_>]| -> Vec<usize> {
        let is_unknown = |index: &usize| matches!(all[*index].node.kind, NodeKind::Unknown);
        (0..all.len()).filter(is_unknown).collect()
    };
    let (unknown_a, unknown_b) = (unknown(a), unknown(b));
    let pairs = |unknown: &[usize], others: usize| -> Vec<(usize, usize)> {
        unknown.iter().flat_map(|one| (0..others).map(|other| (*one, other))).collect()
    };
    let swapped = pairs(&unknown_b, a.len()).into_iter().map(|(j, i)| (i, j));
    pairs(&unknown_a, b.len()).into_iter().chain(swapped).collect()
}

/// A few equal members of two paired elements, which tell them from other elements and may be shown.
pub(super) fn distinction<'t>(
    a: Placed<'_, '_, 't>,
    b: Placed<'_, '_, 't>,
    cover: Cover<'_>,
) -> Vec<(Text<'t>, ShownValue<'t>)> {
    let (NodeKind::Object(members_a), NodeKind::Object(members_b)) = (&a.node.kind, &b.node.kind) else {
        return Vec::new();
    };
    let by_key: HashMap<&str, _> =
        members_b.iter().take(MAX_MEMBERS).map(|(key, node)| (&**key, node)).collect();
    let mut found: Vec<_> = members_a
        .iter()
        .take(MAX_MEMBERS)
        .filter(|(key, node)| by_key.get(&**key).is_some_and(|other| a.part(node).is_same(b.part(other))))
        .filter_map(|(key, node)| match shown(node, cover.member(key)) {
            value @ (ShownValue::Number(_) | ShownValue::String(_)) => Some((key.clone(), value)),
            _ => None,
        })
        .filter(|(_, value)| !matches!(value, ShownValue::String(text) if text.is_empty() || text.len() > 60))
        .collect();
    // Names first: numbers are often equal in many elements.
    found.sort_by_key(|(key, _)| !["name", "key", "id"].contains(&&**key));
    found.truncate(3);
    found
}
