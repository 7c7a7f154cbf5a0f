//! Configurations with one special feature each.

use std::collections::VecDeque;

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};

use super::Sample;
use super::corner::{self, LARGE};
use super::dice::Dice;
use super::fill::{Are, Maker, Put, Taste, What};
use super::spots::{SchemaPart, Spot, spots};
use crate::hints::Numbering;

/// The configurations that are still to be made.
pub(super) struct Systematic<'b> {
    spots: Vec<Spot<'b>>,
    /// Each part that can be unknown, the outer ones first. Every other turn makes one of these: providers fail most often
    /// with unknown values, and even a short run should try each part.
    unknowns: VecDeque<Case>,
    /// All other cases, grouped by their special feature.
    groups: Vec<VecDeque<Case>>,
    /// The number of the next configuration. The smallest and the fullest one come first.
    turn: usize,
    /// The number of turns for the other cases.
    others: usize,
}

/// A configuration to make.
pub(super) enum Next {
    Minimal,
    All,
    Special(Case),
    Random,
}

/// A special feature at a place.
#[derive(Clone)]
pub(super) struct Case {
    /// The position of the place among all.
    spot: usize,
    special: Special,
}

#[derive(Clone, Copy)]
enum Special {
    /// The part is set.
    Present,
    /// The part is set with all its members.
    Full,
    Unknown,
    /// One element is unknown, beside this many known ones.
    UnknownElement(usize),
    Empty,
    /// An element that is an empty text.
    EmptyElement,
    /// Equal elements, twice.
    Duplicates,
    /// One empty block, and a full one.
    Fuller,
    /// An element that is null beside one that is not.
    NullElement,
    /// All unusual keys or labels, in one value.
    Keys,
    /// One unusual key or label alone, because a provider may refuse the others.
    Key(usize),
    /// Elements that differ only in case.
    Alike,
    Number(usize),
    Text(usize),
    False,
    Anything(usize),
    /// This many elements or blocks.
    Count(usize),
}

impl Special {
    fn label(self) -> String {
        match self {
            Self::Present => "alone".to_owned(),
            Self::Full => "with all in it".to_owned(),
            Self::Unknown => "unknown".to_owned(),
            Self::UnknownElement(0) => "one unknown element".to_owned(),
            Self::UnknownElement(_) => "an unknown element among others".to_owned(),
            Self::Empty => "empty".to_owned(),
            Self::EmptyElement => "an empty element".to_owned(),
            Self::Duplicates => "duplicates".to_owned(),
            Self::Fuller => "a bare one and a full one".to_owned(),
            Self::NullElement => "an element that is null".to_owned(),
            Self::Keys => "unusual keys".to_owned(),
            Self::Key(which) => format!("a key like {:?}", corner::KEYS[which]),
            Self::Alike => "elements that differ in case".to_owned(),
            Self::Number(which) => corner::number(which).0.to_owned(),
            Self::Text(which) => format!("text {}", corner::text(which).0),
            Self::False => "false".to_owned(),
            Self::Anything(which) => corner::anything(which).0.to_owned(),
            Self::Count(count) => format!("{count} elements"),
        }
    }
}

impl<'b> Systematic<'b> {
    /// The cases of a block. Parts that have hints keep the hinted value, but may be absent or unknown.
    pub(super) fn new(block: &'b Block, seed: u64, is_given: &dyn Fn(&str) -> bool) -> Self {
        let spots = spots(block);
        let (mut unknowns, mut groups): (Vec<Case>, [Vec<Case>; 6]) = Default::default();
        for (i, spot) in spots.iter().enumerate() {
            let mut all = specials(spot, i);
            if is_given(&spot.names.join(".")) {
                all.retain(|(_, special)| matches!(special, Special::Present));
            }
            for (group, special) in all {
                groups[group].push(Case { spot: i, special });
            }
            if spot.can_be_unknown() {
                unknowns.push(Case { spot: i, special: Special::Unknown });
            }
        }
        // Shuffled, so that a few cases do not all concern the first attributes in the alphabet.
        let mut dice = Dice::new(Numbering { seed, sequence: 0 });
        let shuffled = |mut group: Vec<Case>| {
            dice.shuffle(&mut group);
            // A case that combines several others comes before them.
            group.sort_by_key(|case| !matches!(case.special, Special::Keys | Special::Fuller));
            group.into()
        };
        let groups = groups.into_iter().map(shuffled).collect();
        dice.shuffle(&mut unknowns);
        // The sort is stable: parts at one depth stay in their random order.
        unknowns.sort_by_key(|case| spots[case.spot].names.len());
        Self { spots, unknowns: unknowns.into(), groups, turn: 0, others: 0 }
    }

    /// The next sample; `None` if the next one is random.
    pub(super) fn next(&mut self, maker: &Maker<'_>, block: &Block) -> Option<Sample> {
        Some(match self.skip() {
            Next::Minimal => Sample::new(maker.config(block, Taste::Nothing, None), "minimal"),
            Next::All => Sample::new(maker.config(block, Taste::Everything, None), "all"),
            Next::Special(case) => sample(maker, block, self.spots.get(case.spot)?, case.special),
            Next::Random => return None,
        })
    }

    /// Determines the next case without making its sample.
    pub(super) fn skip(&mut self) -> Next {
        let turn = self.turn;
        self.turn += 1;
        match turn {
            0 => return Next::Minimal,
            1 => return Next::All,
            turn if turn % 2 == 0 => {
                if let Some(case) = self.unknowns.pop_front() {
                    return Next::Special(case);
                }
            }
            _ => {}
        }
        let turn = self.others;
        self.others += 1;
        // One turn in each round is random.
        let count = self.groups.len() + 1;
        let Some(group) = self.groups.get_mut(turn % count) else { return Next::Random };
        let mut case = group.pop_front();
        if case.is_none() {
            case = self.groups.iter_mut().find_map(VecDeque::pop_front);
        }
        case.map_or(Next::Random, Next::Special)
    }
}

/// The special cases of a place, each with its group.
fn specials(spot: &Spot<'_>, i: usize) -> Vec<(usize, Special)> {
    match spot.part {
        SchemaPart::Blocks(nested) => of_blocks(nested),
        SchemaPart::Attribute(attribute) => of_attribute(attribute, i),
    }
}

fn of_blocks(nested: &NestedBlock) -> Vec<(usize, Special)> {
    let mut all = vec![(0, Special::Full)];
    if nested.min_items == 0 {
        all.push((0, Special::Present));
    }
    if matches!(nested.nesting, NestingMode::Single | NestingMode::Group) {
        return all;
    }
    let most = usize::try_from(nested.max_items).unwrap_or(usize::MAX);
    let fits = |count: usize| (most == 0 || count <= most) && nested.min_items <= count as u64;
    all.extend([2, LARGE].into_iter().filter(|count| fits(*count)).map(|count| (5, Special::Count(count))));
    if (3..LARGE).contains(&most) {
        all.push((5, Special::Count(most)));
    }
    if nested.nesting == NestingMode::Map && fits(1) {
        all.extend(keys());
    }
    if fits(2) {
        all.extend([(5, Special::Duplicates), (5, Special::Fuller)]);
    }
    all
}

fn keys() -> impl Iterator<Item = (usize, Special)> {
    let each = (0..corner::KEYS.len()).map(Special::Key);
    std::iter::once(Special::Keys).chain(each).map(|special| (2, special))
}

fn of_attribute(attribute: &Attribute, i: usize) -> Vec<(usize, Special)> {
    let mut all = Vec::new();
    if attribute.optional {
        all.push((0, Special::Present));
    }
    if let Some(nested) = attribute.nested() {
        all.push((0, Special::Full));
        if nested.nesting() != NestingMode::Single {
            all.extend([(2, Special::Empty), (5, Special::Count(2)), (5, Special::Count(LARGE))]);
            all.push((5, Special::Fuller));
        }
        if nested.nesting() == NestingMode::Map {
            all.extend(keys());
        }
        return all;
    }
    let texts = (0..corner::TEXTS.len()).map(|which| Special::Text(which + i));
    match attribute.implied_type() {
        Type::String => all.extend(texts.map(|text| (4, text))),
        Type::Number => all.extend((0..corner::NUMBERS.len()).map(|which| (3, Special::Number(which + i)))),
        Type::Bool => all.push((2, Special::False)),
        Type::Dynamic => all.extend((0..corner::ANYTHING).map(|which| (3, Special::Anything(which + i)))),
        ty @ (Type::List(element) | Type::Set(element) | Type::Map(element)) => {
            all.extend([(1, Special::UnknownElement(0)), (1, Special::UnknownElement(1))]);
            all.extend([(2, Special::Empty), (5, Special::Count(2)), (5, Special::Count(LARGE))]);
            // A set has no equal elements, and a map no equal keys.
            if matches!(ty, Type::List(_)) {
                all.push((5, Special::Duplicates));
            }
            if matches!(ty, Type::Map(_)) {
                all.extend(keys());
            }
            if element.is_primitive() && !matches!(ty, Type::Set(_)) {
                all.push((2, Special::NullElement));
            }
            if **element == Type::String {
                all.extend([(2, Special::EmptyElement), (5, Special::Alike)]);
            }
        }
        _ => {}
    }
    all
}

fn sample(maker: &Maker<'_>, block: &Block, spot: &Spot<'_>, special: Special) -> Sample {
    let label = format!("{}: {}", spot.path(), special.label());
    let with = |what: What<'_>| maker.config(block, Taste::Nothing, Some(Put { names: &spot.names, what }));
    let name = spot.names.last().map_or("", |name| name.as_str());
    match special {
        Special::Present => Sample::new(with(What::Plausible), label),
        Special::Full => Sample::new(with(What::Full), label),
        Special::Count(count) => Sample::new(with(What::Many(count, Are::Different)), label),
        Special::Duplicates if spot.is_objects() => Sample::new(with(What::Many(2, Are::Same)), label),
        Special::Fuller => Sample::new(with(What::Many(2, Are::Fuller)), label),
        Special::Keys => Sample::new(with(What::Many(corner::KEYS.len(), Are::Called(&corner::KEYS))), label),
        Special::Key(which) => {
            Sample::new(with(What::Many(1, Are::Called(&corner::KEYS[which..=which]))), label)
        }
        Special::Unknown => {
            let config = with(What::Value(&Value::unknown(spot.ty())));
            Sample { known: Some(with(What::Plausible)), ..Sample::new(config, label) }
        }
        _ => {
            let ty = spot.ty();
            let (value, known) = value(maker, &ty, name, special);
            let config = with(What::Value(&value));
            // A hint may have put a known value in place of the unknown one.
            let known = known.filter(|_| !config.is_wholly_known()).map(|known| with(What::Value(&known)));
            Sample { known, ..Sample::new(config, label) }
        }
    }
}

/// The value of an attribute of a plain type, with its known form if the value is unknown.
fn value(maker: &Maker<'_>, ty: &Type, name: &str, special: Special) -> (Value, Option<Value>) {
    let collection = |elements: Vec<Value>| match ty {
        Type::Map(_) => {
            Value::object(elements.into_iter().enumerate().map(|(i, element)| (format!("key{i}"), element)))
        }
        _ => Value::tuple(elements),
    };
    let element = ty.element().cloned().unwrap_or(Type::Dynamic);
    let some = |i| maker.value(&element, name, i, &mut Taste::Nothing);
    let value = match special {
        Special::Text(which) => corner::text(which).1,
        Special::Number(which) => corner::number(which).1,
        Special::Anything(which) => corner::anything(which).1,
        Special::False => Value::from(false),
        Special::Empty => collection(Vec::new()),
        Special::EmptyElement => collection(vec![Value::from("")]),
        Special::Duplicates => collection(vec![some(0), some(0)]),
        Special::NullElement => collection(vec![some(0), Value::null(element.clone())]),
        Special::Alike => collection(vec![Value::from("same"), Value::from("SAME")]),
        Special::UnknownElement(others) => {
            let mut elements: Vec<Value> = (0..=others as u64).map(some).collect();
            let known = collection(elements.clone());
            elements[others] = Value::unknown(element.clone());
            return (collection(elements), Some(known));
        }
        Special::Present
        | Special::Full
        | Special::Unknown
        | Special::Count(_)
        | Special::Fuller
        | Special::Keys
        | Special::Key(_) => Value::unknown(ty.clone()),
    };
    (value, None)
}
