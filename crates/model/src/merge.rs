//! Finds the outcome that fits the probes of a part.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::fact::{Cases, Cause, Fact, Outcome, Situation};

/// The most outcomes that a fact lists.
pub(crate) const MAX_OUTCOMES: usize = 4;

/// The outcomes of a part in a situation, with the cause beside it.
pub(crate) type OutcomesBeside = (Option<Cause>, ProbeOutcomes);

/// A part, its situation, and the cause beside it.
pub(crate) type OutcomesKey = (SmolStr, Situation, Option<Cause>);

/// The outcomes of a part beside each value of an argument.
pub(crate) type ValueOutcomes = BTreeMap<SmolStr, Vec<OutcomesBeside>>;

/// A probe with at most one other change, of a part on which the probes without any disagree.
pub(crate) struct PresenceProbe {
    /// The other change.
    pub(crate) cause: Option<Cause>,
    /// The outcomes that fit.
    pub(crate) outcomes: Vec<Outcome>,
    /// The arguments that are set.
    pub(crate) set: BTreeSet<SmolStr>,
}

/// The fewest probes that are divided by an argument: with less any argument would do.
pub(crate) const MIN_SPLIT: u32 = 6;

/// The minimum number of probes with and without the argument.
const MIN_SIDE: usize = 2;

/// The argument whose presence decides, and the fact with it. `None` if several divide the probes without other changes in the
/// same way, because it is unknown which of them matters.
pub(crate) fn split_by_presence(
    part: &str,
    probes: &[PresenceProbe],
    is_kept: &dyn Fn(&Outcome) -> bool,
) -> Option<(SmolStr, Fact)> {
    let probes: Vec<&PresenceProbe> = probes.iter().filter(|probe| probe.cause.is_none()).collect();
    let all: BTreeSet<&SmolStr> = probes.iter().flat_map(|probe| &probe.set).collect();
    let mut found = None;
    for argument in all.into_iter().filter(|argument| *argument != part) {
        let (with, without): (Vec<_>, Vec<_>) =
            probes.iter().copied().partition(|probe| probe.set.contains(argument));
        let fact = |side: &[&PresenceProbe]| {
            let (first, rest) = side.split_first().filter(|_| side.len() >= MIN_SIDE)?;
            let fits_all = |outcome: &&Outcome| rest.iter().all(|probe| probe.outcomes.contains(outcome));
            let fitting = first.outcomes.iter().filter(|outcome| is_kept(outcome)).filter(fits_all);
            let probes = u32::try_from(side.len()).unwrap_or(u32::MAX);
            Some(Fact { outcomes: vec![fitting.min()?.clone()], probes, depends: false })
        };
        if let (Some(with), Some(_)) = (fact(&with), fact(&without)) {
            if found.is_some() {
                return None;
            }
            found = Some((argument.clone(), with));
        }
    }
    found
}

/// Adds the fact beside an argument that is set. The other facts are merged again, of the probes without it.
pub(crate) fn add_presence_of(
    cases: &mut Cases,
    argument: SmolStr,
    with: Fact,
    probes: Vec<PresenceProbe>,
    is_computed: bool,
    is_kept: &dyn Fn(&Outcome) -> bool,
) {
    let mut without: BTreeMap<Option<Cause>, ProbeOutcomes> = BTreeMap::new();
    let mut contradicting = BTreeSet::new();
    for PresenceProbe { cause, outcomes, set } in probes {
        if set.contains(&argument) {
            let agrees = with.stable().is_some_and(|fact| outcomes.contains(fact));
            contradicting.extend(cause.filter(|_| !agrees));
            continue;
        }
        let seen = without.entry(cause).or_default();
        seen.probes += 1;
        seen.any.extend(outcomes.first().cloned());
        match &mut seen.fitting {
            Some(fitting) => fitting.retain(|outcome| outcomes.contains(outcome)),
            None => seen.fitting = Some(outcomes),
        }
    }
    let again: BTreeSet<Option<Cause>> = without.keys().cloned().collect();
    let found = merged(without.into_iter().collect(), is_computed, is_kept);
    cases.usual = found.usual;
    cases.alone = found.alone;
    cases.when.retain(|cause, _| !again.contains(&Some(cause.clone())));
    cases.when.extend(found.when);
    for cause in contradicting {
        cases.when.entry(cause).or_insert_with(|| Fact { depends: true, ..with.clone() });
    }
    cases.beside.insert(argument, with);
}

/// The outcomes of each part in each situation, by the cause beside it.
pub(crate) type OutcomesByPart = BTreeMap<OutcomesKey, ProbeOutcomes>;

/// The outcomes that fit all probes of a part in a situation, beside one cause.
#[derive(Default)]
pub(crate) struct ProbeOutcomes {
    pub(crate) probes: u32,
    /// `None` before the first probe.
    pub(crate) fitting: Option<Vec<Outcome>>,
    /// Constants that the provider was not given, or has named by itself: by sample, the first such probe.
    pub(crate) clean: BTreeMap<(Outcome, u64), CleanProbe>,
    /// The most telling outcome of each probe, whether it fits the others or not.
    pub(crate) any: BTreeSet<Outcome>,
}

/// A probe whose plan had a constant that is not an input.
#[derive(Clone, Copy)]
pub(crate) struct CleanProbe {
    pub(crate) number: usize,
    /// Nothing of the constant was in the request.
    pub(crate) is_strict: bool,
}

/// The constants of each part, in all situations: a default is the same for new objects and for others.
pub(crate) struct Constants(BTreeMap<(SmolStr, Outcome), BTreeMap<u64, bool>>);

impl Constants {
    pub(crate) fn new<'o>(all: impl Iterator<Item = (&'o OutcomesKey, &'o ProbeOutcomes)>) -> Self {
        let mut constants: BTreeMap<_, BTreeMap<u64, bool>> = BTreeMap::new();
        for ((part, ..), outcomes) in all {
            for ((constant, sample), probe) in &outcomes.clean {
                let samples = constants.entry((part.clone(), constant.clone())).or_default();
                *samples.entry(*sample).or_default() |= probe.is_strict;
            }
        }
        Self(constants)
    }

    /// Whether an outcome comes from the provider, and not from a value that was sent. A text may be derived from one, such as a
    /// hash, so it counts only if it was planned for two samples.
    pub(crate) fn are_sure(&self, part: &SmolStr, outcome: &Outcome) -> bool {
        let Outcome::Constant(json) = outcome else { return true };
        let is_text = json.contains('"') && json != "\"\"";
        self.0.get(&(part.clone(), outcome.clone())).is_some_and(|samples| {
            samples.len() > usize::from(is_text) && samples.values().any(|is_strict| *is_strict)
        })
    }
}

/// Finds the usual outcome, and the causes with another one.
///
/// If outcomes fit equally well, a copied value wins over a constant, and the prior value over both: it holds for more
/// objects. For an argument that is not computed the prior value comes after these, because leaving it out restores its default.
/// Another case of the prior value comes last, because the value that was asked may have been in this case already.
pub(crate) fn merged(
    mut seen: Vec<(Option<Cause>, ProbeOutcomes)>,
    is_computed: bool,
    is_kept: &dyn Fn(&Outcome) -> bool,
) -> Cases {
    let rank = |outcome: &Outcome| {
        let group = match outcome {
            Outcome::Kept => u8::from(!is_computed),
            Outcome::UpperCase | Outcome::LowerCase | Outcome::Unknown => 2,
            _ => 0,
        };
        (group, outcome.clone())
    };
    for (_, seen) in &mut seen {
        if let Some(fitting) = &mut seen.fitting {
            fitting.retain(is_kept);
        }
        seen.any.retain(is_kept);
    }
    let mut votes: BTreeMap<&Outcome, usize> = BTreeMap::new();
    for outcome in seen.iter().flat_map(|(_, seen)| seen.fitting.iter().flatten()) {
        *votes.entry(outcome).or_default() += 1;
    }
    // One change is not what usually happens.
    let is_of_one_cause = matches!(&seen[..], [(Some(_), _)]);
    let usual = votes
        .iter()
        .filter(|_| !is_of_one_cause)
        .max_by_key(|(outcome, count)| (**count, std::cmp::Reverse(rank(outcome))));
    let usual = usual.map(|(outcome, _)| (*outcome).clone());
    let mut cases = Cases::default();
    let mut probes = 0;
    let mut others = Vec::new();
    for (cause, seen) in seen {
        let fitting = seen.fitting.as_deref().unwrap_or_default();
        match &usual {
            Some(usual) if fitting.contains(usual) => probes += seen.probes,
            _ => others.push((cause, seen)),
        }
    }
    if let Some(usual) = usual {
        cases.usual = Some(Fact { outcomes: vec![usual], probes, depends: false });
    }
    for (cause, seen) in others {
        let fitting = seen.fitting.unwrap_or_default();
        let fact = match fitting.iter().min_by_key(|outcome| rank(outcome)) {
            Some(outcome) => Fact { outcomes: vec![outcome.clone()], probes: seen.probes, depends: false },
            None => Fact {
                outcomes: seen.any.into_iter().take(MAX_OUTCOMES).collect(),
                probes: seen.probes,
                depends: true,
            },
        };
        match cause {
            None => cases.alone = Some(fact),
            Some(cause) => {
                cases.when.insert(cause, fact);
            }
        }
    }
    cases
}

/// Adds the facts beside each value of an argument, if one of them is another fact than without these values.
pub(crate) fn add_values(
    cases: &mut Cases,
    argument: SmolStr,
    seen: ValueOutcomes,
    is_kept: &dyn Fn(&Outcome) -> bool,
) {
    let of_usual = cases.usual.as_ref().and_then(Fact::stable).cloned();
    let rank = |outcome: &Outcome| (Some(outcome) != of_usual.as_ref(), outcome.clone());
    let mut facts = BTreeMap::new();
    for (value, mut seen) in seen {
        let Some(at) = seen.iter().position(|(cause, _)| cause.is_none()) else { continue };
        let (_, ProbeOutcomes { probes, fitting, any, .. }) = seen.swap_remove(at);
        let mut fitting: Vec<Outcome> = fitting.unwrap_or_default().into_iter().filter(is_kept).collect();
        // Probes with another change decide between outcomes that fit as well, and may have one of their own.
        for (_, beside) in &seen {
            let both = |outcome: &&Outcome| beside.fitting.as_ref().is_some_and(|all| all.contains(outcome));
            let both: Vec<Outcome> = fitting.iter().filter(both).cloned().collect();
            if !both.is_empty() {
                fitting = both;
            }
        }
        let fact = match fitting.into_iter().min_by_key(rank) {
            Some(outcome) => Fact { outcomes: vec![outcome], probes, depends: false },
            None => {
                let outcomes =
                    any.into_iter().filter(|outcome| is_kept(outcome)).take(MAX_OUTCOMES).collect();
                Fact { outcomes, probes, depends: true }
            }
        };
        facts.insert(value, fact);
    }
    let causes = cases.when.iter().filter(|(cause, _)| cause.part == argument);
    let is_usual = |fact: &Fact| fact.stable().is_some() && fact.stable() == of_usual.as_ref();
    if !facts.values().all(is_usual) || causes.clone().any(|(_, fact)| !is_usual(fact)) {
        cases.with.insert(argument, facts);
    }
}

/// Whether a constant has a text in it that may be an input.
pub(crate) fn holds_own(outcome: &Outcome, is_own: &dyn Fn(&str) -> bool) -> bool {
    let Outcome::Constant(json) = outcome else { return false };
    fn any(value: &serde_json::Value, is_own: &dyn Fn(&str) -> bool) -> bool {
        match value {
            serde_json::Value::String(text) => is_own(text),
            serde_json::Value::Array(elements) => elements.iter().any(|element| any(element, is_own)),
            serde_json::Value::Object(members) => {
                members.iter().any(|(key, value)| is_own(key) || any(value, is_own))
            }
            _ => false,
        }
    }
    serde_json::from_str(json).map_or(true, |value| any(&value, is_own))
}
