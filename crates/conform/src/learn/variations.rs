//! Probes with other forms of a value, and with several changes at once.

use objchange::Value;
use objchange::value::Kind;
use objchange_model::empty_value;

use super::objects::{Values, bare, blank, has, partly_unknown, same_texts, with_empty_attributes, without};
use super::probes::{Base, Probed, Prober};
use super::session::Session;
use super::together::is_in_place;
use crate::generate::{SchemaPart, Spot};

/// The maximum number of arguments that are tried together in one probe, to see whether facts about each hold.
const MAX_PAIRS: usize = 24;

/// A text that a provider may convert to one case.
const BOTH_CASES: &str = "Aa-Bb";

/// The maximum number of arguments that are tried to find one that can be changed in place.
const MAX_IN_PLACE: usize = 12;

/// The maximum number of flags that are set beside a change.
const MAX_FLAGS: usize = 24;

/// A change of one argument.
#[derive(Clone, Copy)]
enum ArgumentChange {
    /// From one value to another.
    Value,
    /// From nothing to a value.
    Added,
    /// From a value to nothing.
    Removed,
}

impl ArgumentChange {
    /// The prior object and the configuration with this change; `None` if the argument must have a value.
    fn apply(
        self,
        values: &Values<'_>,
        [prior, config]: &[Value; 2],
        spot: &Spot<'_>,
        [one, two]: &[Value; 2],
    ) -> Option<[Value; 2]> {
        if spot.is_required() && !matches!(self, Self::Value) {
            return None;
        }
        let with = |object: &Value, value: &Value| values.with(object, spot, value, 0);
        Some(match self {
            Self::Value => [with(prior, one), with(config, two)],
            Self::Added => [without(prior, spot), with(config, two)],
            Self::Removed => [with(prior, one), without(config, spot)],
        })
    }
}

impl Prober<'_> {
    /// Writes a value in forms that a provider may take for equal, and with an unknown element.
    pub(super) async fn probe_forms(
        &mut self,
        session: &mut Session,
        base: &Base,
        spot: &Spot<'_>,
        value: &Value,
    ) -> Probed<()> {
        let SchemaPart::Attribute(_) = spot.part else { return Ok(()) };
        let nothing = Value::null(self.values.block.implied_type().clone());
        match value.kind() {
            Kind::String(text) => {
                for text in same_texts(text) {
                    let config = self.values.with(&base.config, spot, &Value::from(text), base.number);
                    self.ask(session, base.number, &base.prior, &config).await?;
                }
                if spot.names.len() == 1 {
                    self.probe_documents(session, base, spot).await?;
                }
            }
            Kind::List(elements) if elements.len() > 1 => {
                let reversed: Vec<Value> = elements.iter().rev().cloned().collect();
                let reversed = crate::within::elements_like(value, reversed.into_iter());
                let config = self.values.with(&base.config, spot, &reversed, base.number);
                self.ask(session, base.number, &base.prior, &config).await?;
            }
            _ => {}
        }
        let all_bare = bare(value);
        for bare in &all_bare {
            let config = self.values.with(&base.config, spot, bare, base.number);
            self.ask(session, base.number, &base.prior, &config).await?;
            if let Some(created) = self.ask(session, base.number, &nothing, &config).await? {
                let prior = self.values.filled(&created.planned, Some(&base.prior), base.number);
                let prior = self.settle(session, prior, &config, base.number).await?;
                // States have empty values where configuration has none.
                for alike in [with_empty_attributes(bare), bare.clone()] {
                    let prior = self.values.with(&prior, spot, &alike, base.number);
                    self.ask(session, base.number, &prior, &config).await?;
                }
            }
        }
        if let Some(partly) = partly_unknown(all_bare.first().unwrap_or(value)) {
            let config = self.values.with(&base.config, spot, &partly, base.number);
            self.ask(session, base.number, &nothing, &config).await?;
        }
        Ok(())
    }

    /// Writes a document in forms that a provider may take for equal. Arguments whose names do not suggest one are probed only if the
    /// provider tells documents apart, and ignores their white space.
    async fn probe_documents(&mut self, session: &mut Session, base: &Base, spot: &Spot<'_>) -> Probed<()> {
        let documents = self.values.documents;
        let json = documents.text(1);
        let with = |this: &Self, [before, after]: &[String; 2]| {
            let of =
                |object: &Value, text: &str| this.values.with(object, spot, &Value::from(text), base.number);
            [of(&base.prior, before), of(&base.config, after)]
        };
        let mut same: Vec<[String; 2]> =
            same_texts(&json).into_iter().skip(2).map(|same| [json.clone(), same]).collect();
        let other = [json, documents.text(2)];
        if !looks_like_document(spot.names[0].as_str()) {
            let Some(spaced) = same.first().filter(|[text, spaced]| text != spaced) else { return Ok(()) };
            for (pair, is_kept) in [(spaced, true), (&other, false)] {
                let [prior, config] = with(self, pair);
                let Some((_, answer)) = self.call(session, &prior, &config).await? else { return Ok(()) };
                let planned = crate::within::first(&answer.planned, &spot.names).and_then(Value::as_str);
                if (planned == Some(pair[0].as_str())) != is_kept {
                    return Ok(());
                }
            }
        }
        same.extend(documents.equal_texts());
        same.push(other);
        for pair in &same {
            let [prior, config] = with(self, pair);
            self.ask(session, base.number, &prior, &config).await?;
        }
        Ok(())
    }

    /// Omits an argument whose prior value is empty, `true` for a flag, or a text in upper and lower case, and blocks with only
    /// empty values. Inside of blocks also one that has no value, while something else changes: the older SDK gives it an empty
    /// one then.
    pub(super) async fn probe_emptied(
        &mut self,
        session: &mut Session,
        base: &Base,
        spot: &Spot<'_>,
        config: &Value,
    ) -> Probed<()> {
        for value in left_out_values(spot) {
            let prior = self.values.with(&base.prior, spot, &value, base.number);
            self.ask(session, base.number, &prior, config).await?;
        }
        if let Some(null) = null_inside_of_blocks(spot) {
            let prior = self.values.with(&base.prior, spot, &null, base.number);
            self.ask(session, base.number, &prior, config).await?;
            let changed = [self.with_other_change(config), self.with_change_inside(config, spot)];
            for changed in changed.into_iter().flatten() {
                self.ask(session, base.number, &prior, &changed).await?;
            }
        }
        Ok(())
    }

    /// Finds an argument outside of blocks that can be changed in place.
    pub(super) async fn find_change_in_place<'s>(
        &mut self,
        session: &mut Session,
        base: &Base,
        all: &[&Spot<'s>],
    ) -> Probed<Option<(Spot<'s>, Value)>> {
        let is_plain = |spot: &&&Spot<'_>| {
            !spot.is_objects() && !spot.is_write_only() && !has(&base.config, &spot.names)
        };
        for spot in all.iter().filter(is_plain).take(MAX_IN_PLACE) {
            let Some([one, _]) = self.values.two(spot, base.number + 3) else { continue };
            let config = self.values.with(&base.config, spot, &one, base.number);
            let answer = self.call(session, &base.prior, &config).await?;
            if answer.is_some_and(|(_, answer)| is_in_place(&base.prior, &answer)) {
                return Ok(Some(((*spot).clone(), one)));
            }
        }
        Ok(None)
    }

    /// A configuration with a change of another argument in the block around this one.
    fn with_change_inside(&self, config: &Value, spot: &Spot<'_>) -> Option<Value> {
        let (_, around) = spot.names.split_last()?;
        let (names, value) = self.changes_inside.get(around).filter(|(names, _)| *names != spot.names)?;
        Some(crate::within::changed(config, names, &mut |_| value.clone()))
    }

    /// A configuration with a change outside of blocks.
    pub(super) fn with_other_change(&self, config: &Value) -> Option<Value> {
        let (spot, value) = self.change_in_place.as_ref()?;
        Some(self.values.with(config, spot, value, 0))
    }

    /// Changes each argument while flags are true: some flags decide whether an object is replaced.
    pub(super) async fn probe_flags(
        &mut self,
        session: &mut Session,
        base: &Base,
        all: &[Spot<'_>],
    ) -> Probed<()> {
        let flags: Vec<&Spot<'_>> = all
            .iter()
            .filter(|spot| spot.names.len() == 1 && spot.ty() == objchange::Type::Bool)
            .take(MAX_FLAGS)
            .collect();
        if flags.is_empty() {
            return Ok(());
        }
        let set = |values: &Values<'_>, object: &Value, flags: &[&Spot<'_>]| {
            flags
                .iter()
                .fold(object.clone(), |object, flag| values.with(&object, flag, &Value::from(true), 0))
        };
        let is_other = |spot: &&Spot<'_>| {
            let is_attribute = matches!(spot.part, SchemaPart::Attribute(_));
            spot.names.len() == 1 && is_attribute && spot.ty() != objchange::Type::Bool
        };
        let others = all.iter().filter(is_other);
        let others: Vec<(&Spot<'_>, [Value; 2])> = others
            .filter_map(|spot| self.values.two(spot, base.number + 3).map(|made| (spot, made)))
            .collect();
        let start = [base.prior.clone(), base.config.clone()];
        for change in [ArgumentChange::Value, ArgumentChange::Added, ArgumentChange::Removed] {
            // If all of them replace the object for the same arguments with the flags as without, each of them does.
            let all_changed = others.iter().fold(start.clone(), |sides, (spot, made)| {
                change.apply(&self.values, &sides, spot, made).unwrap_or(sides)
            });
            let all_set = all_changed.each_ref().map(|object| set(&self.values, object, &flags));
            // No fact is learned from so many changes: they would contradict facts about each.
            let usual = self.call(session, &all_changed[0], &all_changed[1]).await?;
            let flagged = self.call(session, &all_set[0], &all_set[1]).await?;
            if let (Some((_, usual)), Some((_, flagged))) = (usual, flagged)
                && usual.requires_replace == flagged.requires_replace
            {
                continue;
            }
            for (spot, made) in &others {
                let Some([before, after]) = change.apply(&self.values, &start, spot, made) else { continue };
                let all_set = (set(&self.values, &before, &flags), set(&self.values, &after, &flags));
                let Some(usual) = self.ask(session, base.number, &before, &after).await? else { continue };
                let Some(answer) = self.ask(session, base.number, &all_set.0, &all_set.1).await? else {
                    continue;
                };
                if usual.requires_replace.is_empty() == answer.requires_replace.is_empty() {
                    continue;
                }
                for flag in &flags {
                    let (before, after) =
                        (set(&self.values, &before, &[flag]), set(&self.values, &after, &[flag]));
                    self.ask(session, base.number, &before, &after).await?;
                }
            }
        }
        Ok(())
    }

    /// Changes two or three arguments at once, to see whether the facts about each hold together.
    pub(super) async fn probe_pairs(
        &mut self,
        session: &mut Session,
        base: &Base,
        all: &[Spot<'_>],
    ) -> Probed<()> {
        let nothing = Value::null(self.values.block.implied_type().clone());
        let outer: Vec<&Spot<'_>> = all.iter().filter(|spot| spot.names.len() == 1).collect();
        if outer.len() < 2 {
            return Ok(());
        }
        for i in 0..MAX_PAIRS.min(outer.len()) {
            let mut config = base.config.clone();
            // Steps of different lengths, so that each round combines other arguments.
            for spot in [i, i * 3 + 1, i * 7 + 2].map(|at| outer[at % outer.len()]) {
                if let Some([_, two]) = self.values.two(spot, base.number + 11 + i as u64) {
                    config = self.values.with(&config, spot, &two, base.number);
                }
            }
            self.ask(session, base.number, &nothing, &config).await?;
            self.ask(session, base.number, &base.prior, &config).await?;
        }
        Ok(())
    }
}

/// The additional prior values with which the omission of an argument is probed.
pub(super) fn left_out_values(spot: &Spot<'_>) -> Vec<Value> {
    if spot.is_required() {
        return Vec::new();
    }
    let attribute = match spot.part {
        SchemaPart::Attribute(attribute) if attribute.nested().is_none() => attribute,
        SchemaPart::Attribute(_) => return Vec::new(),
        SchemaPart::Blocks(_) => return blank(&spot.ty()).into_iter().collect(),
    };
    let Some(empty) = empty_value(&spot.ty()) else { return Vec::new() };
    let other = match spot.ty() {
        objchange::Type::Bool => Some(Value::from(true)),
        objchange::Type::String if attribute.computed => Some(Value::from(BOTH_CASES)),
        _ => None,
    };
    std::iter::once(empty).chain(other).collect()
}

/// Null for an argument inside of blocks that the provider does not compute.
pub(super) fn null_inside_of_blocks(spot: &Spot<'_>) -> Option<Value> {
    let is_computed = match spot.part {
        SchemaPart::Attribute(attribute) => attribute.computed || attribute.nested().is_some(),
        SchemaPart::Blocks(_) => true,
    };
    (spot.names.len() > 1 && !is_computed && !spot.is_required()).then(|| Value::null(spot.ty()))
}

/// Whether arguments of this name usually hold documents.
pub(super) fn looks_like_document(name: &str) -> bool {
    ["policy", "document", "json", "definition", "definitions", "template", "pattern", "body"]
        .iter()
        .any(|word| name.split('_').any(|part| part == *word))
}
