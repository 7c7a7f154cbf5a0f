//! Probes that change many parts at once, because a wide type has hundreds of parts inside of blocks.
//!
//! An answer holds for each part alone if it differs from the plan without the changes only in these parts, and nothing is
//! replaced. Otherwise the parts are split in two halves, which are probed again.

use objchange::Value;
use objchange::change::PlannedResource;
use objchange::value::{Path, PathStep};

use super::objects::{has, same_texts, without};
use super::probes::{Base, Probed, Prober};
use super::session::Session;
use super::variations::left_out_values;
use crate::generate::{SchemaPart, Spot};
use crate::within;

/// Fewer parts are probed one by one: a common probe costs extra calls for the blocks around them.
const MIN_TOGETHER: usize = 3;

/// A part with its values in the prior object and in the configuration; `None` leaves the part unchanged.
struct Change<'p, 's> {
    spot: &'p Spot<'s>,
    prior: Option<Value>,
    config: Option<Value>,
}

/// The answer to a probe of many parts, if it holds for each.
enum Answered {
    ForEach(PlannedResource),
    Not(CountsForEach),
}

/// Whether a part can be changed together with others: it holds no objects, and the provider computes no value for it that
/// could depend on another part.
fn is_plain(spot: &Spot<'_>) -> bool {
    match spot.part {
        SchemaPart::Attribute(attribute) => {
            !attribute.computed && !spot.is_objects() && !spot.is_write_only()
        }
        SchemaPart::Blocks(_) => false,
    }
}

/// A change of each part to the value at its position.
fn changes<'p, 's>(
    parts: &[&'p Spot<'s>],
    priors: Option<&[Value]>,
    configs: Option<&[Value]>,
) -> Vec<Change<'p, 's>> {
    let value = |values: Option<&[Value]>, at: usize| values.map(|values| values[at].clone());
    let change = |(at, &spot): (usize, &&'p Spot<'s>)| Change {
        spot,
        prior: value(priors, at),
        config: value(configs, at),
    };
    parts.iter().enumerate().map(change).collect()
}

/// The parts that are still to be probed: in groups, and one by one.
struct Open<'p, 's> {
    groups: Vec<Vec<&'p Spot<'s>>>,
    alone: Vec<&'p Spot<'s>>,
}

/// Whether the answer to a probe of many parts holds for each.
enum CountsForEach {
    Yes,
    /// It does not hold for the parts at these positions, which replace the object.
    Without(Vec<usize>),
    No,
}

impl CountsForEach {
    /// Translates positions in `changes` to positions in `parts`.
    fn with_positions_in(self, changes: &[Change<'_, '_>], parts: &[&Spot<'_>]) -> Self {
        let place = |at: usize| parts.iter().position(|spot| spot.names == changes[at].spot.names);
        match self {
            Self::Without(places) => Self::Without(places.into_iter().filter_map(place).collect()),
            other => other,
        }
    }
}

impl<'p, 's> Open<'p, 's> {
    fn new(parts: Vec<&'p Spot<'s>>) -> Self {
        let (plain, alone): (Vec<&Spot<'_>>, Vec<_>) = parts.into_iter().partition(|spot| is_plain(spot));
        let mut groups: Vec<Vec<&Spot<'_>>> = Vec::new();
        for spot in plain {
            match groups.iter_mut().find(|group| group[0].names[0] == spot.names[0]) {
                Some(group) => group.push(spot),
                None => groups.push(vec![spot]),
            }
        }
        Self { groups, alone }
    }

    /// The next parts to probe together.
    fn next_group(&mut self) -> Option<Vec<&'p Spot<'s>>> {
        loop {
            let group = self.groups.pop()?;
            if group.len() >= MIN_TOGETHER {
                return Some(group);
            }
            self.alone.extend(group);
        }
    }

    /// Queues the parts of a probed group that need further probes.
    fn requeue(&mut self, mut group: Vec<&'p Spot<'s>>, outcome: &CountsForEach) {
        match outcome {
            CountsForEach::Yes => {}
            CountsForEach::Without(replacing) => {
                self.alone.extend(replacing.iter().map(|at| group[*at]));
                let mut at = 0..;
                group.retain(|_| at.next().is_some_and(|at| !replacing.contains(&at)));
                self.groups.push(group);
            }
            CountsForEach::No => {
                let second = group.split_off(group.len() / 2);
                self.groups.extend([group, second]);
            }
        }
    }
}

impl Prober<'_> {
    /// Sets, changes and removes parts inside of blocks.
    pub(super) async fn probe_inner(
        &mut self,
        session: &mut Session,
        base: &Base,
        parts: &[&Spot<'_>],
    ) -> Probed<()> {
        let (there, absent): (Vec<&Spot<'_>>, Vec<_>) =
            parts.iter().partition(|spot| has(&base.config, &spot.names));
        let mut open = Open::new(absent);
        open.alone.extend(there);
        while let Some(group) = open.next_group() {
            let outcome = self.set_together(session, base, &group).await?;
            open.requeue(group, &outcome);
        }
        for spot in open.alone {
            self.probe_spot(session, base, spot, true).await?;
        }
        Ok(())
    }

    /// Changes and removes parts that an object has inside of blocks.
    pub(super) async fn change_inner(
        &mut self,
        session: &mut Session,
        base: &Base,
        parts: Vec<&Spot<'_>>,
    ) -> Probed<()> {
        // Parts whose other forms were not probed yet are changed one by one.
        let (formed, others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|spot| self.formed.contains(&spot.names));
        let mut open = Open::new(formed);
        open.alone.extend(others);
        while let Some(group) = open.next_group() {
            let outcome = self.change_together(session, base, &group).await?;
            open.requeue(group, &outcome);
        }
        for spot in open.alone {
            self.probe_change(session, base, spot).await?;
        }
        Ok(())
    }

    /// Makes the probes of [`probe_spot`](Self::probe_spot) for many parts at once.
    async fn set_together(
        &mut self,
        session: &mut Session,
        base: &Base,
        parts: &[&Spot<'_>],
    ) -> Probed<CountsForEach> {
        let number = base.number;
        let nothing = Value::null(self.values.block.implied_type().clone());
        let made: Option<Vec<_>> = parts.iter().map(|spot| self.values.two(spot, number + 3)).collect();
        let Some(made) = made else {
            return Ok(CountsForEach::No);
        };
        let (ones, twos): (Vec<Value>, Vec<Value>) = made.into_iter().map(|[one, two]| (one, two)).unzip();
        let mut around = base.config.clone();
        for (spot, one) in std::iter::zip(parts, &ones) {
            if !has(&around, &spot.names[..spot.names.len() - 1]) {
                around = self.values.with(&around, spot, one, number);
                if !spot.is_required() {
                    around = without(&around, spot);
                }
            }
        }
        let Some(created) = self.ask(session, number, &nothing, &around).await? else {
            return Ok(CountsForEach::No);
        };
        let prior = self.values.filled(&created.planned, Some(&base.prior), number);
        let prior = self.settle(session, prior, &around, number).await?;
        let set = |priors: Option<&[Value]>, configs: Option<&[Value]>| changes(parts, priors, configs);
        let added = set(None, Some(&ones));
        let new = [&nothing, &around];
        let created = match self.ask_together(session, number, new, &added).await? {
            Answered::ForEach(created) => created,
            Answered::Not(outcome) => return Ok(outcome),
        };
        if let Answered::Not(outcome) =
            self.ask_together(session, number, [&base.prior, &around], &added).await?
        {
            return Ok(outcome);
        }
        let with_all = std::iter::zip(parts, &ones)
            .fold(around.clone(), |config, (spot, one)| self.values.with(&config, spot, one, number));
        let full = self.values.filled(&created.planned, Some(&prior), number);
        let full = self.settle(session, full, &with_all, number).await?;
        let priors: Option<Vec<Value>> =
            parts.iter().map(|spot| within::first(&full, &spot.names).cloned()).collect();
        let Some(priors) = priors else {
            return Ok(CountsForEach::No);
        };
        let before = [&prior, &around];
        for changes in [set(Some(&priors), Some(&twos)), set(Some(&priors), None)] {
            if let Answered::Not(outcome) = self.ask_together(session, number, before, &changes).await? {
                return Ok(outcome);
            }
        }
        self.forms_together(session, number, before, parts, &priors, &ones).await
    }

    /// Makes the probes of [`probe_forms`](Self::probe_forms) and [`probe_emptied`](Self::probe_emptied) for many parts at once.
    async fn forms_together(
        &mut self,
        session: &mut Session,
        number: u64,
        [prior, around]: [&Value; 2],
        parts: &[&Spot<'_>],
        priors: &[Value],
        ones: &[Value],
    ) -> Probed<CountsForEach> {
        let texts: Vec<Vec<String>> =
            ones.iter().map(|one| one.as_str().map(same_texts).unwrap_or_default()).collect();
        let left_out: Vec<Vec<Value>> = parts.iter().map(|spot| left_out_values(spot)).collect();
        let most = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or_default();
        let mut rounds: Vec<Vec<Change<'_, '_>>> = Vec::new();
        for form in 0..most(&mut texts.iter().map(Vec::len)) {
            let change = |i: usize| {
                let config = Some(Value::from(texts[i].get(form)?.as_str()));
                Some(Change { spot: parts[i], prior: Some(priors[i].clone()), config })
            };
            rounds.push((0..parts.len()).filter_map(change).collect());
        }
        for form in 0..most(&mut left_out.iter().map(Vec::len)) {
            let change = |i: usize| {
                let prior = Some(left_out[i].get(form)?.clone());
                Some(Change { spot: parts[i], prior, config: None })
            };
            rounds.push((0..parts.len()).filter_map(change).collect());
        }
        for changes in rounds {
            if let Answered::Not(outcome) =
                self.ask_together(session, number, [prior, around], &changes).await?
            {
                return Ok(outcome.with_positions_in(&changes, parts));
            }
        }
        // The last one changes an argument in the block.
        let inside = self.values.with(around, parts[0], &ones[0], number);
        let configs = [
            Some((around.clone(), 0)),
            self.with_other_change(around).map(|other| (other, 0)),
            Some((inside, 1)),
        ];
        for (config, first) in configs.into_iter().flatten() {
            let optional = parts[first..].iter().filter(|spot| !spot.is_required());
            let to_null = |&spot| Change { spot, prior: Some(Value::null(spot.ty())), config: None };
            let changes: Vec<Change<'_, '_>> = optional.map(to_null).collect();
            if let Answered::Not(outcome) =
                self.ask_together(session, number, [prior, &config], &changes).await?
            {
                return Ok(outcome.with_positions_in(&changes, parts));
            }
        }
        for (i, spot) in parts.iter().enumerate() {
            self.formed.insert(spot.names.clone());
            if ones[i].as_str().is_none() {
                let config = self.values.with(around, spot, &ones[i], number);
                let prior = self.values.with(prior, spot, &priors[i], number);
                self.probe_forms(session, &Base { config, prior, number }, spot, &ones[i]).await?;
            }
        }
        Ok(CountsForEach::Yes)
    }

    /// Makes the probes of [`probe_change`](Self::probe_change) for many parts at once.
    async fn change_together(
        &mut self,
        session: &mut Session,
        base: &Base,
        parts: &[&Spot<'_>],
    ) -> Probed<CountsForEach> {
        let number = base.number;
        let nothing = Value::null(self.values.block.implied_type().clone());
        let mut twos = Vec::new();
        for spot in parts {
            let Some([one, two]) = self.values.two(spot, number + 5) else {
                return Ok(CountsForEach::No);
            };
            let is_two = within::first(&base.config, &spot.names).is_some_and(|now| now.identical(&two));
            twos.push(if is_two { one } else { two });
        }
        let changed = changes(parts, None, Some(&twos));
        let optional: Vec<&Spot<'_>> = parts.iter().copied().filter(|spot| !spot.is_required()).collect();
        let nulls: Vec<Value> = optional.iter().map(|spot| Value::null(spot.ty())).collect();
        let removed = changes(&optional, None, Some(&nulls));
        let [before, new] = [[&base.prior, &base.config], [&nothing, &base.config]];
        for (sides, changes) in [(before, &changed), (before, &removed), (new, &removed)] {
            if let Answered::Not(outcome) = self.ask_together(session, number, sides, changes).await? {
                return Ok(outcome.with_positions_in(changes, parts));
            }
        }
        Ok(CountsForEach::Yes)
    }

    /// Asks for one plan with all changes. If the answer holds for each change, it is added to the evidence.
    async fn ask_together(
        &mut self,
        session: &mut Session,
        number: u64,
        [prior, config]: [&Value; 2],
        changes: &[Change<'_, '_>],
    ) -> Probed<Answered> {
        let with = |this: &Self, changes: &[Change<'_, '_>]| {
            let set = |object: &Value, value: &dyn Fn(&Change<'_, '_>) -> Option<Value>| {
                let set = |object: Value, change: &Change<'_, '_>| match value(change) {
                    Some(value) if !object.is_null() => {
                        this.values.with(&object, change.spot, &value, number)
                    }
                    _ => object,
                };
                changes.iter().fold(object.clone(), set)
            };
            [set(prior, &|change| change.prior.clone()), set(config, &|change| change.config.clone())]
        };
        let Some((_, usual)) = self.call(session, prior, config).await? else {
            return Ok(Answered::Not(CountsForEach::No));
        };
        let mut usual = usual.planned;
        let [all_prior, all_config] = with(self, changes);
        let answered = self.call(session, &all_prior, &all_config).await?;
        let Some((request, answer)) = answered else {
            return Ok(Answered::Not(CountsForEach::No));
        };
        if !is_in_place(&all_prior, &answer) {
            return Ok(Answered::Not(replacing(&all_prior, &answer, changes)));
        }
        let planned = |change: &Change<'_, '_>| within::first(&answer.planned, &change.spot.names).cloned();
        let Some(parts) = changes.iter().map(planned).collect::<Option<Vec<Value>>>() else {
            return Ok(Answered::Not(CountsForEach::No));
        };
        let is_made_of_parts = |this: &Self, usual: &Value| {
            let all = std::iter::zip(changes, &parts).fold(usual.clone(), |object, (change, part)| {
                this.values.with(&object, change.spot, part, number)
            });
            all.identical_ignoring_refinements(&answer.planned)
        };
        if !is_made_of_parts(self, &usual) {
            // Some providers plan other parts as unknown whatever changes. The plan of one change shows which.
            let Some(one) = changes.first() else {
                return Ok(Answered::Not(CountsForEach::No));
            };
            let Some(own) = within::first(&usual, &one.spot.names).cloned() else {
                return Ok(Answered::Not(CountsForEach::No));
            };
            let [one_prior, one_config] = with(self, &changes[..1]);
            let answered = self.call(session, &one_prior, &one_config).await?;
            let Some((_, alone)) = answered.filter(|(_, alone)| is_in_place(&one_prior, alone)) else {
                return Ok(Answered::Not(CountsForEach::No));
            };
            usual = self.values.with(&alone.planned, one.spot, &own, number);
            if !is_made_of_parts(self, &usual) {
                return Ok(Answered::Not(CountsForEach::No));
            }
        }
        for (i, (change, part)) in std::iter::zip(changes, &parts).enumerate() {
            let [prior, config] = with(self, &changes[i..=i]);
            let Some(request) = self.request(&prior, &config.unmark_deep().0) else { continue };
            let mut alone = answer.clone();
            alone.planned = self.values.with(&usual, change.spot, part, number);
            self.add(number, &request, &alone);
        }
        self.add(number, &request, &answer);
        Ok(Answered::ForEach(answer))
    }
}

/// The changes that make a plan replace the object.
fn replacing(prior: &Value, answer: &PlannedResource, changes: &[Change<'_, '_>]) -> CountsForEach {
    let paths = replaced_paths(prior, answer);
    let is_named = |change: &Change<'_, '_>| {
        paths.iter().any(|path| {
            let names = path.steps().iter().filter_map(|step| match step {
                PathStep::Attribute(name) => Some(name),
                PathStep::Index(_) => None,
            });
            // The path of a block, or of a part inside of one.
            std::iter::zip(names, &change.spot.names).all(|(a, b)| a == b)
        })
    };
    let named: Vec<usize> = (0..changes.len()).filter(|at| is_named(&changes[*at])).collect();
    if named.is_empty() { CountsForEach::No } else { CountsForEach::Without(named) }
}

/// Whether a plan replaces nothing.
pub(super) fn is_in_place(prior: &Value, answer: &PlannedResource) -> bool {
    !answer.may_replace && replaced_paths(prior, answer).is_empty()
}

/// The changed paths that make a plan replace the object. Providers also name paths that did not change.
fn replaced_paths<'a>(prior: &Value, answer: &'a PlannedResource) -> Vec<&'a Path> {
    if prior.is_null() {
        return Vec::new();
    }
    let nothing = Value::null(objchange::Type::Dynamic);
    let is_changed = |path: &&Path| {
        let [before, after] = [prior, &answer.planned].map(|object| object.at(path));
        let is_there = before.is_some() || after.is_some();
        is_there && !before.unwrap_or(&nothing).definitely_equals(after.unwrap_or(&nothing))
    };
    answer.requires_replace.iter().filter(is_changed).collect()
}
