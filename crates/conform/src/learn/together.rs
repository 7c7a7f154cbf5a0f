//! Probes that change many parts at once. A wide type has hundreds of parts inside of blocks.
//!
//! An answer to such a probe counts for each part alone if it is made of one answer for each: nothing but the parts themselves
//! differs from the plan without these changes, and nothing is replaced. Otherwise the parts are halved, and asked again.

use objchange::Value;
use objchange::change::PlannedResource;

use super::objects::{has, same_texts, without};
use super::probes::{Asked, Base, Prober};
use super::session::Session;
use super::variations::left_out_values;
use crate::generate::{SchemaPart, Spot};
use crate::within;

/// Fewer parts are asked alone: a probe of several needs the blocks around them first.
const MIN_TOGETHER: usize = 3;

/// A part, and the values that it gets in the prior object and in the configuration; `None` leaves it as it is.
struct Change<'p, 's> {
    spot: &'p Spot<'s>,
    prior: Option<Value>,
    config: Option<Value>,
}

/// Whether a part can be changed beside others: it holds no objects.
fn is_plain(spot: &Spot<'_>) -> bool {
    matches!(spot.part, SchemaPart::Attribute(_)) && !spot.is_objects() && !spot.is_write_only()
}

/// Plain parts by the outermost block around them, then the others alone.
fn groups<'p, 's>(parts: &[&'p Spot<'s>]) -> Vec<Vec<&'p Spot<'s>>> {
    let (plain, others): (Vec<&Spot<'_>>, Vec<_>) = parts.iter().partition(|spot| is_plain(spot));
    let mut groups: Vec<Vec<&Spot<'_>>> = Vec::new();
    for spot in plain {
        match groups.iter_mut().find(|group| group[0].names[0] == spot.names[0]) {
            Some(group) => group.push(spot),
            None => groups.push(vec![spot]),
        }
    }
    groups.extend(others.into_iter().map(|spot| vec![spot]));
    groups
}

fn halves<'p, 's>(parts: &[&'p Spot<'s>]) -> [Vec<&'p Spot<'s>>; 2] {
    let (left, right) = parts.split_at(parts.len() / 2);
    [left.to_vec(), right.to_vec()]
}

/// A change of each part, to these values.
fn changes<'p, 's>(
    parts: &[&'p Spot<'s>],
    priors: Option<&[Value]>,
    configs: Option<&[Value]>,
) -> Vec<Change<'p, 's>> {
    let value = |values: Option<&[Value]>, at: usize| values.map(|values| values[at].clone());
    let change = |(at, spot): (usize, &&'p Spot<'s>)| Change {
        spot: *spot,
        prior: value(priors, at),
        config: value(configs, at),
    };
    parts.iter().enumerate().map(change).collect()
}

impl Prober<'_> {
    /// Sets, changes and takes away parts inside of blocks.
    pub(super) async fn inner(
        &mut self,
        session: &mut Session,
        base: &Base,
        parts: &[&Spot<'_>],
    ) -> Asked<()> {
        let mut open = groups(parts);
        while let Some(group) = open.pop() {
            if group.len() < MIN_TOGETHER {
                for spot in group {
                    self.spot(session, base, spot, true).await?;
                }
            } else if !self.set_together(session, base, &group).await? {
                open.extend(halves(&group));
            }
        }
        Ok(())
    }

    /// Changes and takes away parts that an object has inside of blocks.
    pub(super) async fn change_inner(
        &mut self,
        session: &mut Session,
        base: &Base,
        parts: &[&Spot<'_>],
    ) -> Asked<()> {
        let mut open = groups(parts);
        while let Some(group) = open.pop() {
            if group.len() < MIN_TOGETHER {
                for spot in group {
                    self.change(session, base, spot).await?;
                }
            } else if !self.change_together(session, base, &group).await? {
                open.extend(halves(&group));
            }
        }
        Ok(())
    }

    /// Asks of many parts at once as [`spot`](Self::spot) does of one. Returns whether the answers count for each.
    async fn set_together(&mut self, session: &mut Session, base: &Base, parts: &[&Spot<'_>]) -> Asked<bool> {
        let number = base.number;
        let nothing = Value::null(self.values.block.implied_type().clone());
        let made: Option<Vec<_>> = parts.iter().map(|spot| self.values.two(spot, number + 3)).collect();
        let Some(made) = made else { return Ok(false) };
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
        let Some(created) = self.ask(session, number, &nothing, &around).await? else { return Ok(false) };
        let prior = self.values.filled(&created.planned, Some(&base.prior), number);
        let prior = self.settled(session, prior, &around, number).await?;
        let set = |priors: Option<&[Value]>, configs: Option<&[Value]>| changes(parts, priors, configs);
        let added = set(None, Some(&ones));
        let new = [&nothing, &around];
        let Some(created) = self.ask_together(session, number, new, &added).await? else { return Ok(false) };
        if self.ask_together(session, number, [&base.prior, &around], &added).await?.is_none() {
            return Ok(false);
        }
        let with_all = std::iter::zip(parts, &ones)
            .fold(around.clone(), |config, (spot, one)| self.values.with(&config, spot, one, number));
        let full = self.values.filled(&created.planned, Some(&prior), number);
        let full = self.settled(session, full, &with_all, number).await?;
        let priors: Option<Vec<Value>> =
            parts.iter().map(|spot| within::first(&full, &spot.names).cloned()).collect();
        let Some(priors) = priors else { return Ok(false) };
        let before = [&prior, &around];
        for changes in [set(Some(&priors), Some(&twos)), set(Some(&priors), None)] {
            if self.ask_together(session, number, before, &changes).await?.is_none() {
                return Ok(false);
            }
        }
        self.forms_together(session, number, before, parts, &priors, &ones).await
    }

    /// Asks of many parts at once as [`forms`](Self::forms) and [`emptied`](Self::emptied) do of one.
    async fn forms_together(
        &mut self,
        session: &mut Session,
        number: u64,
        [prior, around]: [&Value; 2],
        parts: &[&Spot<'_>],
        priors: &[Value],
        ones: &[Value],
    ) -> Asked<bool> {
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
            if self.ask_together(session, number, [prior, around], &changes).await?.is_none() {
                return Ok(false);
            }
        }
        for (i, spot) in parts.iter().enumerate() {
            self.formed.insert(spot.names.clone());
            if ones[i].as_str().is_none() {
                let config = self.values.with(around, spot, &ones[i], number);
                let prior = self.values.with(prior, spot, &priors[i], number);
                self.forms(session, &Base { config, prior, number }, spot, &ones[i]).await?;
            }
        }
        Ok(true)
    }

    /// Asks of many parts at once as [`change`](Self::change) does of one. Returns whether the answers count for each.
    async fn change_together(
        &mut self,
        session: &mut Session,
        base: &Base,
        parts: &[&Spot<'_>],
    ) -> Asked<bool> {
        // Their values in other forms are asked one by one.
        if parts.iter().any(|spot| !self.formed.contains(&spot.names)) {
            return Ok(false);
        }
        let number = base.number;
        let nothing = Value::null(self.values.block.implied_type().clone());
        let mut twos = Vec::new();
        for spot in parts {
            let Some([one, two]) = self.values.two(spot, number + 5) else { return Ok(false) };
            let is_two = within::first(&base.config, &spot.names).is_some_and(|now| now.identical(&two));
            twos.push(if is_two { one } else { two });
        }
        let changed = changes(parts, None, Some(&twos));
        let optional: Vec<&Spot<'_>> = parts.iter().copied().filter(|spot| !spot.is_required()).collect();
        let nulls: Vec<Value> = optional.iter().map(|spot| Value::null(spot.ty())).collect();
        let removed = changes(&optional, None, Some(&nulls));
        let [before, new] = [[&base.prior, &base.config], [&nothing, &base.config]];
        for (sides, changes) in [(before, &changed), (before, &removed), (new, &removed)] {
            if self.ask_together(session, number, sides, changes).await?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Asks for one plan of all changes, and adds the answer for each of them. `None` if it is not made of one answer for each.
    async fn ask_together(
        &mut self,
        session: &mut Session,
        number: u64,
        [prior, config]: [&Value; 2],
        changes: &[Change<'_, '_>],
    ) -> Asked<Option<PlannedResource>> {
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
        let Some((_, usual)) = self.call(session, prior, config).await? else { return Ok(None) };
        let mut usual = usual.planned;
        let [all_prior, all_config] = with(self, changes);
        let answered = self.call(session, &all_prior, &all_config).await?;
        let Some((request, answer)) = answered.filter(|(_, answer)| is_in_place(answer)) else {
            return Ok(None);
        };
        let planned = |change: &Change<'_, '_>| within::first(&answer.planned, &change.spot.names).cloned();
        let Some(parts) = changes.iter().map(planned).collect::<Option<Vec<Value>>>() else {
            return Ok(None);
        };
        let is_made_of_parts = |this: &Self, usual: &Value| {
            let all = std::iter::zip(changes, &parts).fold(usual.clone(), |object, (change, part)| {
                this.values.with(&object, change.spot, part, number)
            });
            all.identical_ignoring_refinements(&answer.planned)
        };
        if !is_made_of_parts(self, &usual) {
            // Some providers plan other parts as unknown whatever changes. The plan of one change shows which.
            let Some(one) = changes.first() else { return Ok(None) };
            let Some(own) = within::first(&usual, &one.spot.names).cloned() else { return Ok(None) };
            let [one_prior, one_config] = with(self, &changes[..1]);
            let answered = self.call(session, &one_prior, &one_config).await?;
            let Some((_, alone)) = answered.filter(|(_, alone)| is_in_place(alone)) else { return Ok(None) };
            usual = self.values.with(&alone.planned, one.spot, &own, number);
            if !is_made_of_parts(self, &usual) {
                return Ok(None);
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
        Ok(Some(answer))
    }
}

/// Whether a plan replaces nothing.
fn is_in_place(answer: &PlannedResource) -> bool {
    answer.requires_replace.is_empty() && !answer.may_replace
}
