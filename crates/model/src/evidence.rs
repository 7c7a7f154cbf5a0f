//! Merges the answers to probes into facts.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;
use objchange::Value;
use objchange::change::{PlanResourceChange, PlannedResource};
use objchange::schema::Block;
use objchange::value::{Descend, Kind, Path, PathStep};
use smol_str::SmolStr;

use crate::causes::{changes, set_arguments};
use crate::collected::collections;
use crate::empty::{has_nothing, is_empty_value, zeroed, zeroed_but_numbers};
use crate::fact::{Cause, ChangeKind, Fact, Outcome, Replacement, Replaces, Situation};
use crate::merge::{
    CleanProbe, Constants, MAX_OUTCOMES, MIN_SPLIT, OutcomesBeside, OutcomesByPart, OutcomesKey,
    PresenceProbe, ProbeOutcomes, ValueOutcomes, add_presence_of, add_values, holds_own, merged,
    split_by_presence,
};
use crate::model::TypeModel;
use crate::play::{PlayOptions, Played, Source, is_present};
use crate::walk::{Decide, Question, the_only, walk, walk_kept_block};

/// How often facts that a probe contradicts are looked for again: each round lowers some to *depends*, after which other
/// facts are used.
const MAX_ROUNDS: usize = 6;

/// Answers of a provider about one resource type, to be merged into a [`TypeModel`].
pub struct Evidence<'s> {
    schema: &'s Block,
    /// The arguments of the new objects from which the others are made by one change each. The first has the least.
    bases: Vec<BTreeSet<Cause>>,
    seen: OutcomesByPart,
    /// Outcomes in new objects that are made from another base. They are used where those of the first say nothing.
    seen_beside: OutcomesByPart,
    /// Outcomes beside each value of an argument that accepts only some: by argument and value.
    seen_with: BTreeMap<(SmolStr, SmolStr), OutcomesByPart>,
    replaced: BTreeMap<Cause, Vec<ReplaceProbe>>,
    /// Texts that the provider has named by itself, such as the values that an argument accepts.
    named: HashSet<String>,
    legacy: bool,
    probes: Vec<(PlanResourceChange, PlannedResource)>,
}

struct ReplaceProbe {
    paths: Vec<SmolStr>,
    /// The arguments outside of blocks that are true: one of them may decide whether the object is replaced.
    truths: BTreeSet<SmolStr>,
}

impl std::fmt::Debug for Evidence<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evidence").field("probes", &self.probes.len()).finish_non_exhaustive()
    }
}

impl<'s> Evidence<'s> {
    /// The sample of requests with values that the user gives. They decide which facts hold, and no constant is learned from their
    /// answers, because it may be made of such a value.
    pub const GIVEN: u64 = u64::MAX;

    /// No evidence yet about a type of this schema.
    pub fn new(schema: &'s Block) -> Self {
        Self {
            schema,
            bases: Vec::new(),
            seen: BTreeMap::new(),
            seen_beside: BTreeMap::new(),
            seen_with: BTreeMap::new(),
            replaced: BTreeMap::new(),
            named: HashSet::new(),
            legacy: false,
            probes: Vec::new(),
        }
    }

    /// Announces texts that the provider has named by itself. If it plans one of them, that was not derived from a request,
    /// even if it is in one.
    pub fn add_named(&mut self, texts: impl IntoIterator<Item = String>) {
        self.named.extend(texts);
    }

    /// Announces new objects that differ from this one in one argument or block.
    pub fn add_base(&mut self, config: &Value) {
        self.bases.push(set_arguments(self.schema, config));
    }

    /// Drops facts beside values of all other arguments.
    pub fn retain_values_of(&mut self, arguments: &BTreeSet<SmolStr>) {
        self.seen_with.retain(|(argument, _), _| arguments.contains(argument));
    }

    /// The number of probes so far.
    pub fn len(&self) -> usize {
        self.probes.len()
    }

    /// Whether there are no probes.
    pub fn is_empty(&self) -> bool {
        self.probes.is_empty()
    }

    /// Requests with the numbers of their samples. Each constant is in the answer to at least one of them. They are repeated
    /// with other secrets before constants are trusted: see [`confirm`](Self::confirm).
    pub fn constant_probes(&self) -> Vec<(u64, PlanResourceChange)> {
        let mut covered = BTreeSet::new();
        let mut chosen = BTreeSet::new();
        for ((part, ..), outcomes) in self.all_seen() {
            for ((constant, sample), probe) in &outcomes.clean {
                if covered.insert((part, constant)) {
                    chosen.insert((probe.number, *sample));
                }
            }
        }
        let probe = |(at, sample): (usize, u64)| Some((sample, self.probes.get(at)?.0.clone()));
        chosen.into_iter().filter_map(probe).collect()
    }

    /// Drops the constants that a provider with other secrets has not planned for the same parts: they may be made of a
    /// secret.
    pub fn confirm(&mut self, with_other_secrets: &Self) {
        let confirmed: BTreeSet<(&SmolStr, &Outcome)> = with_other_secrets
            .all_seen()
            .flat_map(|((part, ..), outcomes)| {
                outcomes.clean.keys().map(move |(constant, _)| (part, constant))
            })
            .collect();
        let seen_with = self.seen_with.values_mut().flatten();
        for ((part, ..), outcomes) in self.seen.iter_mut().chain(&mut self.seen_beside).chain(seen_with) {
            outcomes.clean.retain(|(constant, _), _| confirmed.contains(&(part, constant)));
        }
    }

    fn all_seen(&self) -> impl Iterator<Item = (&OutcomesKey, &ProbeOutcomes)> {
        self.seen.iter().chain(&self.seen_beside).chain(self.seen_with.values().flatten())
    }

    /// Adds the answer to a request in which nothing is new but that an argument has this value, which is one of few that
    /// it accepts: in a new object, or in a change from another value.
    pub fn add_with(
        &mut self,
        sample: u64,
        (argument, value): (&str, &str),
        request: &PlanResourceChange,
        answer: &PlannedResource,
    ) {
        self.add_probe(sample, Some((argument, value)), request, answer);
    }

    /// Adds the answer to a request without errors. `sample` is the number of the set of made-up values in the request:
    /// a text that is planned for several of them was not derived from one. An answer of another schema adds nothing.
    pub fn add(&mut self, sample: u64, request: &PlanResourceChange, answer: &PlannedResource) {
        self.add_probe(sample, None, request, answer);
    }

    fn add_probe(
        &mut self,
        sample: u64,
        with: Option<(&str, &str)>,
        request: &PlanResourceChange,
        answer: &PlannedResource,
    ) {
        let PlanResourceChange { prior, config, proposed, .. } = request;
        let planned = &answer.planned;
        if planned.as_object().is_none() || config.as_object().is_none() || answer.deferred.is_some() {
            return;
        }
        self.legacy |= answer.legacy_type_system;
        let mut is_beside = false;
        let causes: BTreeSet<Cause> = if prior.is_null() {
            let set = set_arguments(self.schema, config);
            if self.bases.is_empty() {
                self.bases.push(set.clone());
            }
            let differences =
                |base: &BTreeSet<Cause>| outermost(base.symmetric_difference(&set).cloned().collect());
            let of_first: BTreeSet<Cause> = differences(&self.bases[0]);
            let other =
                self.bases[1..].iter().map(differences).find(|of_other: &BTreeSet<Cause>| of_other.len() < 2);
            match other.filter(|_| of_first.len() > 1) {
                Some(of_other) => {
                    is_beside = true;
                    of_other
                }
                None => of_first,
            }
        } else {
            changes(self.schema, prior, config, planned)
        };
        let sides = crate::walk::Sides { config, prior, proposed, planned: Some(planned) };
        let own = Own::of(config, prior);
        let is_replaced =
            !prior.is_null() && !replace_parts(prior, planned, &answer.requires_replace).is_empty();
        let mut observer = Observer {
            schema: self.schema,
            config,
            causes: &causes,
            own: &own,
            named: &self.named,
            sample,
            probe: self.probes.len(),
            is_replaced,
            seen: if is_beside { &mut self.seen_beside } else { &mut self.seen },
            wanted: None,
            kept: None,
        };
        // A new object that differs only in the value of an argument shows nothing about other arguments that are set.
        let is_usual = with.is_none() || !prior.is_null() || !causes.is_empty();
        if is_usual {
            walk(self.schema, sides, &mut observer);
        }
        if let Some((argument, value)) = with {
            let is_it = |cause: &Cause| cause.part == argument;
            let others: BTreeSet<Cause> = causes.iter().filter(|cause| !is_it(cause)).cloned().collect();
            if prior.is_null() || others.len() < causes.len() {
                let place = (SmolStr::new(argument), SmolStr::new(value));
                let seen = self.seen_with.entry(place).or_default();
                walk(self.schema, sides, &mut Observer { causes: &others, seen, ..observer });
            }
        }
        let mut one = causes.iter();
        if let (false, Some(cause), None) = (prior.is_null(), one.next(), one.next()) {
            let probe = ReplaceProbe {
                paths: replace_parts(prior, planned, &answer.requires_replace),
                truths: truths(config),
            };
            self.replaced.entry(cause.clone()).or_default().push(probe);
        }
        self.probes.push((request.clone(), answer.clone()));
    }

    /// Merges the answers into facts. Facts on which probes disagree are marked as *depends*. A constant is dropped if
    /// `is_own` is true for a text in it, because that may be an input.
    pub fn finish(mut self, is_own: &dyn Fn(&str) -> bool) -> TypeModel {
        let mut model = TypeModel {
            probes: u32::try_from(self.probes.len()).unwrap_or(u32::MAX),
            legacy: self.legacy,
            ..TypeModel::default()
        };
        let constants = Constants::new(self.all_seen());
        let mut parts: BTreeMap<(SmolStr, Situation), Vec<OutcomesBeside>> = BTreeMap::new();
        for ((part, situation, cause), seen) in std::mem::take(&mut self.seen) {
            parts.entry((part, situation)).or_default().push((cause, seen));
        }
        let known: BTreeSet<(SmolStr, Situation)> = parts.keys().cloned().collect();
        for ((part, situation, cause), seen) in std::mem::take(&mut self.seen_beside) {
            let place = (part, situation);
            if !known.contains(&place) {
                parts.entry(place).or_default().push((cause, seen));
            }
        }
        let mut open = BTreeSet::new();
        for ((part, situation), seen) in parts {
            let is_computed = is_computed(self.schema, &part);
            let is_kept =
                |outcome: &Outcome| constants.are_sure(&part, outcome) && !holds_own(outcome, is_own);
            let is_open = |(cause, seen): &OutcomesBeside| {
                let mut fitting = seen.fitting.iter().flatten();
                cause.is_none() && seen.probes >= MIN_SPLIT && !fitting.any(&is_kept)
            };
            let is_new = matches!(situation, Situation::Created | Situation::Added);
            if !is_new && seen.iter().any(is_open) {
                open.insert((part.clone(), situation));
            }
            let cases = merged(seen, is_computed, &is_kept);
            model.parts.entry(part).or_default().planned.insert(situation, cases);
        }
        let mut beside: BTreeMap<(SmolStr, Situation, SmolStr), ValueOutcomes> = BTreeMap::new();
        for ((argument, value), seen) in std::mem::take(&mut self.seen_with) {
            for ((part, situation, cause), outcomes) in seen {
                // The situation says already which value the argument itself gets.
                if part == argument {
                    continue;
                }
                let values = beside.entry((part, situation, argument.clone())).or_default();
                values.entry(value.clone()).or_default().push((cause, outcomes));
            }
        }
        for ((part, situation, argument), seen) in beside {
            let is_kept =
                |outcome: &Outcome| constants.are_sure(&part, outcome) && !holds_own(outcome, is_own);
            let cases = model.parts.entry(part.clone()).or_default().planned.entry(situation).or_default();
            add_values(cases, argument, seen, &is_kept);
        }
        self.add_presence(&mut model, &open, &constants, is_own);
        for (cause, probes) in self.replaced {
            let replaces = replacement(&probes);
            model.parts.entry(cause.part).or_default().replaces.insert(cause.kind, replaces);
        }
        doubt_ignored_documents(&mut model);
        // A fact that was merged of probes of one change each must hold for all of them, and where several things change.
        for _ in 0..MAX_ROUNDS {
            let mut wrong = Vec::new();
            for (request, answer) in &self.probes {
                wrong.extend(contradicted(&model, self.schema, self.bases.first(), request, answer));
            }
            if wrong.is_empty() {
                break;
            }
            for source in wrong {
                model.contradict(&source);
            }
        }
        model
    }

    /// Finds the arguments whose presence decides about parts on which probes without other changes disagree.
    fn add_presence(
        &self,
        model: &mut TypeModel,
        open: &BTreeSet<(SmolStr, Situation)>,
        constants: &Constants,
        is_own: &dyn Fn(&str) -> bool,
    ) {
        if open.is_empty() {
            return;
        }
        let mut found: BTreeMap<(SmolStr, Situation), Vec<PresenceProbe>> = BTreeMap::new();
        for (number, (request, answer)) in self.probes.iter().enumerate() {
            let PlanResourceChange { prior, config, proposed, .. } = request;
            if prior.is_null() {
                continue;
            }
            let planned = &answer.planned;
            let causes = changes(self.schema, prior, config, planned);
            let own = Own::of(config, prior);
            let mut seen = OutcomesByPart::new();
            let mut observer = Observer {
                schema: self.schema,
                config,
                causes: &causes,
                own: &own,
                named: &self.named,
                sample: 0,
                probe: number,
                is_replaced: !replace_parts(prior, planned, &answer.requires_replace).is_empty(),
                seen: &mut seen,
                wanted: Some(open),
                kept: None,
            };
            let sides = crate::walk::Sides { config, prior, proposed, planned: Some(planned) };
            walk(self.schema, sides, &mut observer);
            let set = set_outside_of_blocks(config);
            for ((part, situation, cause), outcomes) in seen {
                let outcomes = outcomes.fitting.unwrap_or_default();
                let probe = PresenceProbe { cause, outcomes, set: set.clone() };
                found.entry((part, situation)).or_default().push(probe);
            }
        }
        for ((part, situation), probes) in found {
            let is_kept =
                |outcome: &Outcome| constants.are_sure(&part, outcome) && !holds_own(outcome, is_own);
            let Some((argument, with)) = split_by_presence(&part, &probes, &is_kept) else { continue };
            let is_computed = is_computed(self.schema, &part);
            let facts = model.parts.entry(part.clone()).or_default();
            let cases = facts.planned.entry(situation).or_default();
            add_presence_of(cases, argument, with, probes, is_computed, &is_kept);
        }
    }
}

/// Whether the provider may choose the value of a part.
fn is_computed(schema: &Block, part: &str) -> bool {
    match crate::walk::member_at(schema, part) {
        Some(crate::walk::Member::Attribute(attribute)) => attribute.computed,
        _ => true,
    }
}

/// Marks facts about documents as *depends* where the provider plans the prior document for every other one: those of the
/// probes mean nothing to it, such as a policy without any rule that it knows.
fn doubt_ignored_documents(model: &mut TypeModel) {
    for facts in model.parts.values_mut().filter(|facts| facts.planned.contains_key(&Situation::Json)) {
        let reconfigured = facts.planned.get(&Situation::Reconfigured).and_then(|cases| cases.usual.as_ref());
        if reconfigured.and_then(Fact::stable) != Some(&Outcome::Kept) {
            continue;
        }
        for situation in [
            Situation::Reconfigured,
            Situation::JsonEmpty,
            Situation::JsonSingle,
            Situation::JsonOrder,
            Situation::JsonPart,
        ] {
            if let Some(fact) = facts.planned.get_mut(&situation).and_then(|cases| cases.usual.as_mut()) {
                fact.contradict();
            }
        }
    }
}

/// The arguments and blocks that a configuration sets, outside of blocks, and not to `false`.
fn set_outside_of_blocks(config: &Value) -> BTreeSet<SmolStr> {
    let members = config.as_object().into_iter().flat_map(objchange::value::Object::iter);
    members.filter(|(_, value)| is_present(value) != Some(false)).map(|(name, _)| name.clone()).collect()
}

/// The causes, without those inside of blocks that are causes themselves.
fn outermost(mut causes: BTreeSet<Cause>) -> BTreeSet<Cause> {
    let parts: BTreeSet<SmolStr> = causes.iter().map(|cause| cause.part.clone()).collect();
    let is_inside = |part: &str| part.match_indices('.').any(|(at, _)| parts.contains(&part[..at]));
    causes.retain(|cause| !is_inside(&cause.part));
    causes
}

/// The facts that led to a plan other than this answer.
///
/// Where several arguments change, a fact that holds for each of them alone stays. Instead the part is marked as *depends*
/// beside these changes.
fn contradicted(
    model: &TypeModel,
    schema: &Block,
    base: Option<&BTreeSet<Cause>>,
    request: &PlanResourceChange,
    answer: &PlannedResource,
) -> Vec<Source> {
    let Played { answer: played, sources, causes, may_replace, .. } =
        model.play(schema, request, PlayOptions::default());
    let mut wrong = Vec::new();
    let PlanResourceChange { prior, .. } = request;
    let replacing = match prior.is_null() {
        true => Vec::new(),
        false => replace_parts(prior, &answer.planned, &answer.requires_replace),
    };
    let is_replaced = !replacing.is_empty();
    let observed = match prior.is_null() {
        true => BTreeSet::new(),
        false => changes(schema, prior, &request.config, &answer.planned),
    };
    if !is_replaced && !played.planned.identical_ignoring_refinements(&answer.planned) {
        let differs = |part: &str| {
            let (ours, theirs) = (parts_of(&played.planned, part), parts_of(&answer.planned, part));
            // An unknown value promises nothing.
            ours.len() != theirs.len()
                || std::iter::zip(&ours, &theirs).any(|(ours, theirs)| {
                    ours.is_wholly_known() && !ours.identical_ignoring_refinements(theirs)
                })
        };
        wrong.extend(sources.into_iter().filter(|source| match source {
            Source::Planned { part, .. } | Source::With { part, .. } | Source::Beside { part, .. } => {
                differs(part)
            }
            Source::Together { .. } | Source::Replaces(_) => false,
        }));
        for source in &mut wrong {
            if let Source::Planned { part, situation, cause: None } = source {
                let all: BTreeSet<&Cause> = causes.iter().chain(&observed).collect();
                let others = all.into_iter().filter(|cause| cause.is_beside(part));
                let mut others: Vec<Cause> = others
                    .filter(|cause| !prior.is_null() || !base.is_some_and(|base| base.contains(*cause)))
                    .cloned()
                    .collect();
                if others.len() > 1 {
                    if !prior.is_null() && others.iter().any(|cause| !model.probed(cause)) {
                        others.retain(|cause| !model.probed(cause));
                    }
                    *source = Source::Together { part: part.clone(), situation: *situation, causes: others };
                }
            }
        }
        // An object differs if a part of it does: the fact about the part is to blame.
        let parts: BTreeSet<SmolStr> = wrong.iter().filter_map(Source::part).cloned().collect();
        wrong.retain(|source| {
            source.part().is_none_or(|part| {
                let inside = format!("{part}.");
                !parts.iter().any(|other| other.starts_with(&inside))
            })
        });
    }
    if !prior.is_null() {
        let says = !replace_parts(prior, &played.planned, &played.requires_replace).is_empty();
        if is_replaced != says && !may_replace {
            // A change that the provider does not plan is a fault of facts about values, and not of those about replacement.
            let is_blamed = |cause: &Cause| match says {
                true => model.replaces(cause, &request.config) == Replaces::Always,
                false => {
                    replacing.iter().any(|part| is_around(part, &cause.part) || is_around(&cause.part, part))
                }
            };
            let blamed = observed.iter().filter(|cause| is_blamed(cause)).cloned();
            wrong.extend(blamed.map(Source::Replaces));
        }
    }
    wrong
}

/// Whether a part is the other one, or a block around it.
fn is_around(part: &str, other: &str) -> bool {
    other.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The values at the end of a path of names, in all elements on the way.
fn parts_of<'v>(value: &'v Value, part: &str) -> Vec<&'v Value> {
    let mut at = vec![value];
    for name in part.split('.') {
        let mut next = Vec::new();
        for value in at {
            match value.kind() {
                Kind::Object(object) => next.extend(object.get(name)),
                Kind::Map(map) => next.extend(map.iter().filter_map(|(_, element)| element.attribute(name))),
                _ => {
                    let elements = value.as_elements().unwrap_or_default();
                    next.extend(elements.iter().filter_map(|element| element.attribute(name)));
                }
            }
        }
        at = next;
    }
    at
}

/// The differing parts that a provider names as reasons for a replacement.
fn replace_parts(prior: &Value, planned: &Value, paths: &[Path]) -> Vec<SmolStr> {
    let nothing = Value::null(objchange::Type::Dynamic);
    let mut parts = BTreeSet::new();
    for path in paths {
        let (before, after) = (prior.at(path), planned.at(path));
        if before.is_none() && after.is_none() {
            continue;
        }
        let is_same = before.unwrap_or(&nothing).definitely_equals(after.unwrap_or(&nothing));
        if !is_same {
            let names = path.steps().iter().filter_map(|step| match step {
                PathStep::Attribute(name) => Some(name.as_str()),
                PathStep::Index(_) => None,
            });
            parts.insert(SmolStr::from(names.collect::<Vec<_>>().join(".")));
        }
    }
    parts.into_iter().collect()
}

/// The arguments outside of blocks that are true.
fn truths(config: &Value) -> BTreeSet<SmolStr> {
    let members = config.as_object().into_iter().flat_map(objchange::value::Object::iter);
    members.filter(|(_, value)| value.as_bool() == Some(true)).map(|(name, _)| name.clone()).collect()
}

fn replacement(probes: &[ReplaceProbe]) -> Replacement {
    let (yes, no): (Vec<_>, Vec<_>) = probes.iter().partition(|probe| !probe.paths.is_empty());
    let count = |probes: &[&ReplaceProbe]| u32::try_from(probes.len()).unwrap_or(u32::MAX);
    let paths: BTreeSet<SmolStr> = yes.iter().flat_map(|probe| probe.paths.iter().cloned()).collect();
    let when = match yes.first() {
        Some(first) if !no.is_empty() => first.truths.iter().find(|argument| {
            yes.iter().all(|probe| probe.truths.contains(*argument))
                && no.iter().all(|probe| !probe.truths.contains(*argument))
        }),
        _ => None,
    };
    Replacement { yes: count(&yes), no: count(&no), paths: paths.into_iter().collect(), when: when.cloned() }
}

/// The texts and numbers of a request. A provider that plans one of them was given it.
struct Own(HashSet<Value>);

impl Own {
    fn of(config: &Value, prior: &Value) -> Self {
        let mut own = HashSet::new();
        for object in [config, prior] {
            leaves(object, &mut |value| {
                own.insert(value.clone());
            });
        }
        Self(own)
    }

    /// Whether the provider was given nothing of a value, or only texts that `is_excepted`.
    fn has_none_of(&self, value: &Value, is_excepted: &dyn Fn(&str) -> bool) -> bool {
        let mut has_none = true;
        leaves(value, &mut |leaf| {
            has_none &= !self.0.contains(leaf) || leaf.as_str().is_some_and(is_excepted);
        });
        has_none
    }
}

/// Each text and number, without `""` and 0, which are in too many values to tell anything.
fn leaves<'v>(value: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
    value.visit(|_, part| {
        if matches!(part.kind(), Kind::String(_) | Kind::Number(_)) && !is_empty_value(part) {
            visit(part);
        }
        Descend::Into
    });
}

/// Compares a provider's answer with the request.
struct Observer<'o> {
    schema: &'o Block,
    config: &'o Value,
    causes: &'o BTreeSet<Cause>,
    own: &'o Own,
    named: &'o HashSet<String>,
    sample: u64,
    /// The number of the probe.
    probe: usize,
    /// The object is replaced: computed values are those of a new one.
    is_replaced: bool,
    seen: &'o mut OutcomesByPart,
    /// The blocks that are left out, and whose parts are observed: all of these are left out as well.
    kept: Option<SmolStr>,
    /// Only the outcomes of these parts are wanted.
    wanted: Option<&'o BTreeSet<(SmolStr, Situation)>>,
}

impl Decide for Observer<'_> {
    fn decide(&mut self, question: &Question<'_>) -> Option<Value> {
        let Question { part, situation, sides, are_blocks, is_computed, .. } = question;
        let planned = sides.planned?;
        // A change of the part itself is not a cause, because the situation already covers it.
        let is_set = question.is_set();
        let is_in_kept = |cause: &Cause| self.kept.as_ref().is_some_and(|kept| cause.is_inside(kept));
        let is_result = |cause: &Cause| !is_set && cause.is_inside(part) || is_in_kept(cause);
        let mut others = self.causes.iter().filter(|cause| cause.is_beside(part) && !is_result(cause));
        let cause = others.next();
        // Blocks that are left out and planned all the same are kept.
        let are_kept = *are_blocks && planned.is_known() && !has_nothing(planned);
        // Those that replace the object because they are left out are gone.
        let are_gone = *are_blocks
            && !*is_computed
            && self.causes.iter().all(|cause| cause.part == *part || cause.is_inside(part));
        let is_of_another =
            self.is_replaced && !is_set && (*is_computed || *are_blocks) && !are_kept && !are_gone;
        let is_wanted = self.wanted.is_none_or(|wanted| wanted.contains(&(SmolStr::new(part), *situation)));
        let is_clear = others.next().is_none() && !is_of_another && is_wanted;
        if is_clear {
            let outcomes = self.outcomes(question, planned);
            let is_clean = self.sample != Evidence::GIVEN
                && planned.is_wholly_known()
                && self.own.has_none_of(planned, &|text| self.named.contains(text));
            let is_strict = is_clean && self.own.has_none_of(planned, &|_| false);
            let seen = self.seen.entry((SmolStr::new(part), *situation, cause.cloned())).or_default();
            seen.probes += 1;
            if is_clean {
                let constants = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Constant(_)));
                for constant in constants {
                    let probe = CleanProbe { number: self.probe, is_strict };
                    let known = seen.clean.entry((constant.clone(), self.sample)).or_insert(probe);
                    if is_strict && !known.is_strict {
                        *known = probe;
                    }
                }
            }
            match &mut seen.fitting {
                Some(fitting) => fitting.retain(|outcome| outcomes.contains(outcome)),
                None => seen.fitting = Some(outcomes.clone()),
            }
            if seen.any.len() <= MAX_OUTCOMES {
                seen.any.extend(outcomes.into_iter().take(1));
            }
        }
        if let Some(nested) = question.nested.filter(|_| !is_set && self.kept.is_none())
            && the_only(planned).is_some()
            && !planned.identical(sides.prior)
        {
            self.kept = Some(SmolStr::new(part));
            walk_kept_block(nested, part, *sides, self);
            self.kept = None;
        }
        // Elements can be compared only if the value is known and has as many as proposed.
        let is_alike = planned.is_known()
            && planned.is_null() == sides.proposed.is_null()
            && planned.len() == sides.proposed.len();
        let is_left_out = has_nothing(sides.config) && (*are_blocks || sides.config.is_null());
        (is_left_out || !is_alike).then(|| planned.clone())
    }
}

impl Observer<'_> {
    /// The outcomes that may have led to a value, the most specific first.
    fn outcomes(&self, question: &Question<'_>, planned: &Value) -> Vec<Outcome> {
        let Question { part, situation, sides, are_blocks, holds_objects, is_computed, .. } = question;
        if !planned.is_known() {
            return std::iter::once(Outcome::Unknown).chain(self.unknown_copies(part, planned)).collect();
        }
        let is_set = question.is_set();
        let mut fitting = Vec::new();
        if is_set && *holds_objects {
            // Objects are compared part by part.
            if planned.len() == sides.proposed.len() && planned.is_null() == sides.proposed.is_null() {
                fitting.push(Outcome::Configured);
            }
            return fitting;
        }
        if is_set && planned.identical(sides.config) {
            fitting.push(Outcome::Configured);
        }
        if let (true, Some(config), Some(planned)) = (is_set, sides.config.as_str(), planned.as_str()) {
            for (outcome, derived) in [
                (Outcome::NormalJson, Some(crate::documents::normal(config))),
                (Outcome::PolicyJson, crate::documents::policy_json(config)),
                (Outcome::Sha1, (planned.len() == 40).then(|| crate::walk::sha1_hex(config))),
            ] {
                fitting.extend(Some(outcome).filter(|_| derived.as_deref() == Some(planned)));
            }
        }
        if is_set && !sides.config.ty().is_primitive() {
            let forms = [
                (Outcome::Zeroed, zeroed(sides.config)),
                (Outcome::ZeroedButNumbers, zeroed_but_numbers(sides.config)),
            ];
            let forms = forms.into_iter().filter(|(_, form)| planned.identical(form));
            fitting.extend(forms.map(|(outcome, _)| outcome));
        }
        let is_new = matches!(situation, Situation::Created | Situation::Added);
        if !is_new && !sides.prior.is_null() && planned.identical(sides.prior) {
            fitting.push(Outcome::Kept);
        }
        if *are_blocks && !is_set && the_only(sides.prior).is_some() && the_only(planned).is_some() {
            fitting.push(Outcome::KeptBlocks);
        }
        let source = if is_set { sides.config } else { sides.prior };
        let text = source.as_str().filter(|_| is_set || !is_new);
        if let (Some(source), Some(planned)) = (text, planned.as_str()) {
            for outcome in [Outcome::UpperCase, Outcome::LowerCase] {
                let in_case = crate::walk::in_case(&outcome, source);
                fitting.extend(Some(outcome).filter(|_| in_case.as_deref() == Some(planned)));
            }
        }
        if *is_computed && !*are_blocks && !part.contains('.') {
            fitting
                .extend(collections(self.schema, self.config, planned).into_iter().map(Outcome::Collected));
        }
        if planned.is_null() || *are_blocks && has_nothing(planned) {
            fitting.push(Outcome::Null);
        } else if !is_set {
            fitting.extend(self.copies(part, planned));
            if planned.is_wholly_known()
                && let Ok(json) = planned.to_json(planned.ty())
            {
                fitting.push(Outcome::Constant(json));
            }
        }
        fitting
    }

    /// The arguments of this type that are not known: a copy of them is unknown.
    fn unknown_copies(&self, part: &str, planned: &Value) -> Vec<Outcome> {
        if part.contains('.') {
            return Vec::new();
        }
        let members = self.config.as_object().into_iter().flat_map(objchange::value::Object::iter);
        let unknown = members
            .filter(|(name, value)| *name != part && !value.is_wholly_known() && value.ty() == planned.ty());
        unknown.map(|(name, _)| Outcome::CopyOf(name.clone())).collect()
    }

    /// The arguments that have this value.
    fn copies(&self, part: &str, planned: &Value) -> Vec<Outcome> {
        if part.contains('.') || planned.as_bool().is_some() || has_nothing(planned) {
            return Vec::new();
        }
        let members = self.config.as_object().into_iter().flat_map(objchange::value::Object::iter);
        let same = members.filter(|(name, value)| *name != part && planned.identical(value));
        same.map(|(name, _)| Outcome::CopyOf(name.clone())).collect()
    }
}

impl TypeModel {
    /// Notes that a probe has contradicted the fact.
    fn contradict(&mut self, source: &Source) {
        match source {
            Source::Planned { part, situation, cause } => {
                let facts = self.parts.get_mut(part).and_then(|facts| facts.planned.get_mut(situation));
                let Some(cases) = facts else { return };
                let fact = match cause {
                    Some(Some(cause)) => cases.when.get_mut(cause),
                    Some(None) => cases.alone.as_mut(),
                    None => cases.usual.as_mut(),
                };
                if let Some(fact) = fact {
                    fact.contradict();
                }
            }
            Source::Together { part, situation, causes } => {
                let facts = self.parts.get_mut(part).and_then(|facts| facts.planned.get_mut(situation));
                let Some(cases) = facts else { return };
                for cause in causes {
                    let fact = cases.when.entry(cause.clone()).or_default();
                    fact.probes += 1;
                    fact.contradict();
                }
            }
            Source::Beside { part, situation, argument } => {
                let facts = self.parts.get_mut(part).and_then(|facts| facts.planned.get_mut(situation));
                if let Some(fact) = facts.and_then(|cases| cases.beside.get_mut(argument)) {
                    fact.contradict();
                }
            }
            Source::With { part, situation, argument, value } => {
                let facts = self.parts.get_mut(part).and_then(|facts| facts.planned.get_mut(situation));
                let values = facts.and_then(|cases| cases.with.get_mut(argument));
                if let Some(fact) = values.and_then(|values| values.get_mut(value)) {
                    fact.contradict();
                }
            }
            Source::Replaces(Cause { kind, part }) => {
                let facts = self.parts.get_mut(part).and_then(|facts| facts.replaces.get_mut(kind));
                if let Some(replaces) = facts {
                    replaces.when = None;
                    match (replaces.yes, replaces.no) {
                        (0, _) => replaces.yes += 1,
                        (_, 0) => replaces.no += 1,
                        _ => {}
                    }
                }
            }
        }
    }

    /// Whether a probe has made this change.
    pub(crate) fn probed(&self, cause: &Cause) -> bool {
        self.parts.get(&cause.part).is_some_and(|facts| facts.replaces.contains_key(&cause.kind))
    }

    /// The changes that any probe has made.
    pub fn probed_changes(&self) -> impl Iterator<Item = (&SmolStr, ChangeKind)> {
        self.parts.iter().flat_map(|(part, facts)| facts.replaces.keys().map(move |kind| (part, *kind)))
    }
}
