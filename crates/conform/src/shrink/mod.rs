//! Finds the smallest configuration that still shows a finding.
//!
//! The caller asks for a smaller candidate, tries it, and says whether it still shows the finding; then asks
//! for the next. The search ends when nothing more can be removed.

mod edits;
#[cfg(test)]
mod tests;

use objchange::Value;
use objchange::change::assert_object_compatible;
use objchange::schema::Block;
use smol_str::SmolStr;

use self::edits::{Change, Edit, edit, edits, known_edits};
use super::parts::parts;
use super::{Trial, within};

/// A search for the smallest trial. Equal answers lead to the same trial.
#[derive(Debug)]
pub(super) struct Shrink<'s> {
    block: &'s Block,
    current: Trial,
    steps: Vec<Reduction>,
    next: usize,
    /// How many candidates in a row did not show the finding.
    refuted: usize,
    candidate: Option<Trial>,
    fixed: Fixed,
}

/// Parts with values from hints stay: a part at one of these places may only have one of the values that it
/// has in the first trial.
#[derive(Debug, Default)]
struct Fixed(Vec<(Vec<SmolStr>, Vec<Value>)>);

impl Fixed {
    fn new(trial: &Trial, places: Vec<Vec<SmolStr>>) -> Self {
        let allowed = |place: Vec<SmolStr>| {
            let mut all: Vec<Value> = Vec::new();
            for config in configs(trial) {
                within::each(config, &place, &mut |part| {
                    if !all.contains(part) {
                        all.push(part.clone());
                    }
                });
            }
            (place, all)
        };
        Self(places.into_iter().map(allowed).collect())
    }

    fn keeps(&self, trial: &Trial) -> bool {
        self.0.iter().all(|(place, allowed)| {
            configs(trial).all(|config| {
                let mut keeps = true;
                within::each(config, place, &mut |part| keeps &= allowed.contains(part));
                keeps
            })
        })
    }
}

fn configs(trial: &Trial) -> impl Iterator<Item = &Value> {
    let update = trial.update.iter().flat_map(|(config, known)| [Some(config), known.as_ref()]);
    [Some(&trial.config), trial.known.as_ref()].into_iter().chain(update).flatten()
}

/// One way to make a trial smaller.
#[derive(Debug)]
enum Reduction {
    /// The update is removed.
    NoUpdate,
    /// Unknown parts are known from the start.
    AllKnown,
    /// Unknown parts of the update are known from the start.
    UpdateKnown,
    /// A smaller object; and a smaller update, if both have that part.
    Object(Edit),
    /// A smaller wholly known form.
    Known(Edit),
    /// A smaller update, and a smaller wholly known form of it.
    Update(Edit),
    UpdateLater(Edit),
    /// One part that the update leaves alone.
    Unchanged(usize),
}

impl<'s> Shrink<'s> {
    /// Begins with a trial that shows the finding. Its configurations are of the type that the schema
    /// implies. Parts at the `given` places keep their value, or go with the part around them.
    pub(super) fn new(block: &'s Block, trial: Trial, given: Vec<Vec<SmolStr>>) -> Self {
        let steps = steps(block, &trial);
        let fixed = Fixed::new(&trial, given);
        Self { block, current: trial, steps, next: 0, refuted: 0, candidate: None, fixed }
    }

    /// The next smaller trial to try; `None` if none is left. Report the result of the last one before you ask for
    /// another.
    pub(super) fn candidate(&mut self) -> Option<&Trial> {
        self.candidate = None;
        while self.refuted < self.steps.len() {
            let step = &self.steps[self.next % self.steps.len()];
            self.next += 1;
            self.refuted += 1;
            if let Some(candidate) =
                smaller(self.block, &self.current, step).filter(|smaller| self.fixed.keeps(smaller))
            {
                self.candidate = Some(candidate);
                break;
            }
        }
        self.candidate.as_ref()
    }

    /// Notes that the last candidate shows the finding, too.
    pub(super) fn shows(&mut self) {
        if let Some(candidate) = self.candidate.take() {
            self.current = candidate;
            self.steps = steps(self.block, &self.current);
            // The steps at this position and behind it are new.
            (self.next, self.refuted) = (self.next.saturating_sub(1), 0);
        }
    }

    /// The smallest trial so far.
    pub(super) fn smallest(&self) -> &Trial {
        &self.current
    }
}

fn steps(block: &Block, trial: &Trial) -> Vec<Reduction> {
    let mut steps = Vec::new();
    if let Some((_, known)) = &trial.update {
        steps.push(Reduction::NoUpdate);
        steps.extend(known.is_some().then_some(Reduction::UpdateKnown));
    }
    steps.extend(trial.known.is_some().then_some(Reduction::AllKnown));
    let reference = trial.known.as_ref().unwrap_or(&trial.config);
    steps.extend(edits(block, &trial.config, Some(reference)).into_iter().map(Reduction::Object));
    let later =
        |config: &Value, known: &Option<Value>| known.as_ref().map(|known| known_edits(config, known));
    steps.extend(later(&trial.config, &trial.known).into_iter().flatten().map(Reduction::Known));
    if let Some((config, known)) = &trial.update {
        let pairs = parts(&trial.config).into_iter().zip(parts(config)).enumerate();
        let changed = pairs.filter(|(_, (was, is))| was != is).map(|(at, _)| Reduction::Unchanged(at));
        // An update that changes nothing is none.
        let changed: Vec<Reduction> = changed.collect();
        if changed.len() > 1 {
            steps.extend(changed);
        }
        let reference = known.as_ref().unwrap_or(config);
        let differs: Vec<bool> =
            parts(&trial.config).into_iter().zip(parts(config)).map(|(was, is)| was != is).collect();
        let changing = |edit: Edit| changing(edit, &differs);
        let found = edits(block, config, Some(reference));
        steps.extend(found.into_iter().filter_map(changing).map(Reduction::Update));
        steps.extend(later(config, known).into_iter().flatten().map(Reduction::UpdateLater));
    }
    steps
}

/// The part of an edit that concerns parts that the update changes. An equal part of both configurations is
/// made smaller in both at once: if only one became smaller, the search would never end.
fn changing(mut edit: Edit, differs: &[bool]) -> Option<Edit> {
    let is_changed = |at: usize| differs.get(at).copied().unwrap_or_default();
    match (edit.at.first(), &mut edit.change) {
        (Some(at), _) => is_changed(*at).then_some(edit),
        (None, Change::Without(gone)) => {
            gone.retain(|(at, _)| is_changed(*at));
            (!gone.is_empty()).then_some(edit)
        }
        (None, Change::Leaf(_)) => None,
    }
}

/// The trial after a step; `None` if Terraform would never get to it.
fn smaller(block: &Block, trial: &Trial, step: &Reduction) -> Option<Trial> {
    let mut smaller = trial.clone();
    match step {
        Reduction::NoUpdate => smaller.update = None,
        Reduction::AllKnown => smaller.config = smaller.known.take()?,
        Reduction::UpdateKnown => {
            let (config, known) = smaller.update.as_mut()?;
            *config = known.take()?;
        }
        Reduction::Object(change) => {
            smaller.config = edited(&mut smaller.known, &trial.config, change)?;
            smaller.config = still_unknown(smaller.config, &mut smaller.known);
            if let Some((config, known)) = &mut smaller.update {
                let part = |value| change.at.first().map(|at| parts(value).get(*at).copied());
                // A part that the update changes is made smaller by a step of its own.
                if part(config) == part(&trial.config)
                    && let Some(new) = edited(known, config, change)
                {
                    *config = still_unknown(new, known);
                }
            }
        }
        Reduction::Known(change) => smaller.known = Some(edit(trial.known.as_ref()?, change)?),
        Reduction::UpdateLater(change) => {
            let (_, known) = smaller.update.as_mut()?;
            *known = Some(edit(known.as_ref()?, change)?);
        }
        Reduction::Update(change) => {
            let (config, known) = smaller.update.as_mut()?;
            *config = edited(known, config, change)?;
            *config = still_unknown(config.clone(), known);
        }
        Reduction::Unchanged(at) => {
            let (config, known) = smaller.update.as_mut()?;
            let keep = |was: &Value| Change::Leaf((*parts(was).get(*at).unwrap_or(&was)).clone());
            let part = |change| Edit { at: vec![*at], change };
            *config = edit(config, &part(keep(&trial.config)))?;
            if let Some(known) = known {
                *known = edit(known, &part(keep(trial.known.as_ref().unwrap_or(&trial.config))))?;
            }
            *config = still_unknown(config.clone(), known);
        }
    }
    let fits = |config: &Value, known: &Option<Value>| {
        known.as_ref().is_none_or(|known| assert_object_compatible(block, config, known).is_empty())
    };
    let update_fits = smaller.update.as_ref().is_none_or(|(config, known)| fits(config, known));
    (fits(&smaller.config, &smaller.known) && update_fits).then_some(smaller)
}

/// The configuration after an edit. Its known form is edited as well.
fn edited(known: &mut Option<Value>, config: &Value, change: &Edit) -> Option<Value> {
    if let Some(all) = known {
        // Where only one of them is different already, there is nothing to be done.
        *all = edit(all, change).or_else(|| matches!(change.change, Change::Leaf(_)).then(|| all.clone()))?;
    }
    edit(config, change)
}

/// Drops the known form of a configuration that is wholly known already.
fn still_unknown(config: Value, known: &mut Option<Value>) -> Value {
    if config.is_wholly_known() {
        *known = None;
    }
    config
}
