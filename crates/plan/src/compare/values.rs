//! Finds the differences between one side of a change and the same side in the other plan.

use super::comparison::{ComparedSide, ValueDifference, ValueStep};
use super::sets::{self, Pairing};
use super::shown::{Cover, Hidden, ShownValue, shown};
use crate::canonical::{Canonical, Node, NodeKind, Placed};
use objchange_document::Text;

/// Compares two sides.
pub(super) fn differences<'t>(
    side: ComparedSide,
    [a, b]: [&Canonical<'_, 't>; 2],
    hidden: &Hidden,
) -> Vec<ValueDifference<'t>> {
    let mut walk = Walk { side, path: Vec::new(), found: Vec::new() };
    walk.both(a.root(), b.root(), hidden.root());
    walk.found
}

struct Walk<'t> {
    side: ComparedSide,
    path: Vec<ValueStep<'t>>,
    found: Vec<ValueDifference<'t>>,
}

type Part<'n, 'v, 't> = Placed<'n, 'v, 't>;

impl<'t> Walk<'t> {
    fn both(&mut self, a: Part<'_, '_, 't>, b: Part<'_, '_, 't>, cover: Cover<'_>) {
        if a.is_same(b) {
            return;
        }
        if cover.is_whole() {
            let is_expected = self.is_expected_within(a, b);
            return self.hidden(is_expected);
        }
        match (&a.node.kind, &b.node.kind) {
            (NodeKind::Unknown, _) => self.leaf(Some(a), Some(b), true, cover),
            (NodeKind::Sensitive(inner_a), NodeKind::Sensitive(inner_b)) => {
                let is_expected = self.is_expected_within(a.part(inner_a), b.part(inner_b));
                self.hidden(is_expected);
            }
            (NodeKind::Object(members_a), NodeKind::Object(members_b)) => {
                let (mut i, mut j) = (0, 0);
                while i < members_a.len() || j < members_b.len() {
                    let (key_a, key_b) = (members_a.get(i), members_b.get(j));
                    let (is_a, is_b) = match (key_a, key_b) {
                        (Some((a, _)), Some((b, _))) => (a <= b, b <= a),
                        (a, b) => (a.is_some(), b.is_some()),
                    };
                    let member_a = key_a.filter(|_| is_a);
                    let member_b = key_b.filter(|_| is_b);
                    if let Some((key, _)) = member_a.or(member_b) {
                        let cover = cover.member(key);
                        self.path.push(ValueStep::Name(key.clone()));
                        let part_a = member_a.map(|(_, node)| a.part(node));
                        let part_b = member_b.map(|(_, node)| b.part(node));
                        self.either(part_a, part_b, cover);
                        self.path.pop();
                    }
                    (i, j) = (i + usize::from(is_a), j + usize::from(is_b));
                }
            }
            (NodeKind::List(elements_a), NodeKind::List(elements_b)) => {
                let parts_a: Vec<_> = elements_a.iter().map(|node| a.part(node)).collect();
                let parts_b: Vec<_> = elements_b.iter().map(|node| b.part(node)).collect();
                self.lists(&parts_a, &parts_b, cover.element());
            }
            (NodeKind::Set(elements_a), NodeKind::Set(elements_b)) => {
                let parts_a: Vec<_> = elements_a.iter().map(|node| a.part(node)).collect();
                let parts_b: Vec<_> = elements_b.iter().map(|node| b.part(node)).collect();
                self.sets(&parts_a, &parts_b, cover.element());
            }
            _ => self.leaf(Some(a), Some(b), false, cover),
        }
    }

    /// A part that perhaps only one side has. At the root of an object what is absent is null.
    fn either(&mut self, a: Option<Part<'_, '_, 't>>, b: Option<Part<'_, '_, 't>>, cover: Cover<'_>) {
        match (a, b) {
            (Some(a), Some(b)) => self.both(a, b, cover),
            (a, b) => {
                let is_unknown = |part: Part<'_, '_, 't>| matches!(part.node.kind, NodeKind::Unknown);
                // An attribute that turns out to be null.
                let is_expected = self.path.len() == 1 && a.is_some_and(is_unknown);
                self.leaf(a, b, is_expected, cover);
            }
        }
    }

    /// Compares lists: equal elements at both ends are skipped, and the others are compared position by position.
    fn lists(&mut self, a: &[Part<'_, '_, 't>], b: &[Part<'_, '_, 't>], cover: Cover<'_>) {
        let same = |(a, b): &(&Part<'_, '_, 't>, &Part<'_, '_, 't>)| a.is_same(**b);
        let start = a.iter().zip(b).take_while(same).count();
        let (rest_a, rest_b) = (&a[start..], &b[start..]);
        let end = match a.len() == b.len() {
            true => 0,
            false => rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(same).count(),
        };
        let (rest_a, rest_b) = (&rest_a[..rest_a.len() - end], &rest_b[..rest_b.len() - end]);
        for index in 0..rest_a.len().max(rest_b.len()) {
            self.path.push(ValueStep::Position(start + index));
            match (rest_a.get(index), rest_b.get(index)) {
                (Some(a), Some(b)) => self.both(*a, *b, cover),
                (a, b) => self.leaf(a.copied(), b.copied(), false, cover),
            }
            self.path.pop();
        }
    }

    fn sets(&mut self, a: &[Part<'_, '_, 't>], b: &[Part<'_, '_, 't>], cover: Cover<'_>) {
        let Pairing { pairs, only_a, only_b, is_too_large } = sets::pair(a, b);
        for (a, b) in pairs {
            self.path.push(ValueStep::Element(sets::distinction(a, b, cover)));
            self.both(a, b, cover);
            self.path.pop();
        }
        if is_too_large {
            self.found.push(ValueDifference {
                side: self.side,
                is_identity: false,
                path: self.path.clone(),
                expected: false,
                a: ShownValue::Absent,
                b: ShownValue::Absent,
                unpaired: Some([only_a.len(), only_b.len()]),
            });
        }
        let is_unknown = |part: &Part<'_, '_, 't>| matches!(part.node.kind, NodeKind::Unknown);
        self.path.push(ValueStep::Element(Vec::new()));
        for part in only_a {
            // An unknown element may turn out to equal one that exists.
            self.leaf(Some(part), None, is_unknown(&part), cover);
        }
        for part in only_b {
            self.leaf(None, Some(part), false, cover);
        }
        self.path.pop();
    }

    fn leaf(
        &mut self,
        a: Option<Part<'_, '_, 't>>,
        b: Option<Part<'_, '_, 't>>,
        expected: bool,
        cover: Cover<'_>,
    ) {
        let nodes = [a, b].map(|part| part.map(|part| part.node));
        let is_secret = |node: &&Node<'_, 't>| matches!(node.kind, NodeKind::Sensitive(_));
        let has_shape = |node: &&Node<'_, 't>| !matches!(node.kind, NodeKind::Unknown | NodeKind::Null);
        let have_other_shapes = nodes.iter().flatten().filter(|node| has_shape(node)).count() == 2;
        // Hide a value that is sensitive in one plan, because it may be equal in the other. If shapes differ, the marks
        // of one side do not fit the other, so all is hidden.
        let is_hidden = cover.is_whole()
            || nodes.iter().flatten().any(is_secret)
            || have_other_shapes
                && (cover.hides_some() || nodes.iter().flatten().any(|node| node.has_secret()));
        let value = |part: Option<Part<'_, '_, 't>>| match part {
            None => ShownValue::Absent,
            Some(_) if is_hidden => ShownValue::Sensitive,
            Some(part) => shown(part.node, cover),
        };
        self.found.push(ValueDifference {
            side: self.side,
            is_identity: false,
            path: self.path.clone(),
            expected,
            a: value(a),
            b: value(b),
            unpaired: None,
        });
    }

    /// Adds a difference without values.
    fn hidden(&mut self, expected: bool) {
        self.found.push(ValueDifference {
            side: self.side,
            is_identity: false,
            path: self.path.clone(),
            expected,
            a: ShownValue::Sensitive,
            b: ShownValue::Sensitive,
            unpaired: None,
        });
    }

    /// Whether all that differs within two parts was unknown in the first plan.
    fn is_expected_within(&self, a: Part<'_, '_, 't>, b: Part<'_, '_, 't>) -> bool {
        // Only attributes of a resource, which have a path of one step, may turn out to be null. The path begins with a name
        // in place of the steps that lead here, so that nothing in here is taken for one.
        let mut inside =
            Walk { side: self.side, path: vec![ValueStep::Name(Text::default())], found: Vec::new() };
        inside.both(a, b, Hidden::default().root());
        inside.found.iter().all(|difference| difference.expected)
    }
}
