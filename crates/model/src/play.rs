//! Plans an object with the model of its type.

use std::collections::{BTreeMap, BTreeSet};

use objchange::change::{PlanResourceChange, PlannedResource};
use objchange::schema::Block;
use objchange::value::{Kind, Path};
use objchange::{Type, Value};
use smol_str::SmolStr;

use crate::causes::{changes, set_arguments};
use crate::empty::{empty_value, has_nothing, is_empty_value, with_null, zeroed, zeroed_but_numbers};
use crate::fact::{Cases, Cause, ChangeKind, Fact, Outcome, Replaces, Situation};
use crate::model::TypeModel;
use crate::walk::{Decide, Question, Sides, walk, walk_kept_block};

/// How an object is planned with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlayOptions {
    /// Only stable facts are used: everything else is unknown.
    pub is_strict: bool,
    /// The provider has settings that it did not have when it was learned. Copies of arguments are unknown then, because
    /// it may add to them, such as tags of its own.
    pub has_other_settings: bool,
}

/// A plan that was made with a model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Played {
    /// The planned object, and the paths that require a new one.
    pub answer: PlannedResource,
    /// Probes disagree about whether a change that is made here replaces the object, or none has made it.
    pub may_replace: bool,
    /// The arguments that change.
    pub(crate) causes: Vec<Cause>,
    /// The facts that were used.
    pub(crate) sources: Vec<Source>,
}

/// A fact that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// About the planned value of a part; `None` as the cause is the usual fact, `Some(None)` the one if nothing else
    /// changes.
    Planned { part: SmolStr, situation: Situation, cause: Option<Option<Cause>> },
    /// About the planned value of a part where several things change that each leave it alone.
    Together { part: SmolStr, situation: Situation, causes: Vec<Cause> },
    /// About the planned value of a part beside this value of an argument.
    With { part: SmolStr, situation: Situation, argument: SmolStr, value: SmolStr },
    /// About the planned value of a part beside an argument that is set.
    Beside { part: SmolStr, situation: Situation, argument: SmolStr },
    /// Whether a change replaces the object.
    Replaces(Cause),
}

impl Source {
    /// The part whose planned value it is about.
    pub(crate) fn part(&self) -> Option<&SmolStr> {
        match self {
            Self::Planned { part, .. }
            | Self::Together { part, .. }
            | Self::With { part, .. }
            | Self::Beside { part, .. } => Some(part),
            Self::Replaces(_) => None,
        }
    }
}

impl TypeModel {
    /// Plans a change of an object of this type.
    pub fn play(&self, schema: &Block, request: &PlanResourceChange, options: PlayOptions) -> Played {
        let PlayOptions { is_strict, has_other_settings } = options;
        let PlanResourceChange { prior, config, proposed, .. } = request;
        let sides = Sides { config, prior, proposed, planned: None };
        let mut player = Player {
            model: self,
            config,
            causes: if prior.is_null() { set_arguments(schema, config) } else { BTreeSet::new() },
            may_change: false,
            is_creation: prior.is_null(),
            is_strict,
            has_other_settings,
            perhaps_kept: BTreeSet::new(),
            kept: None,
            sources: Vec::new(),
        };
        let mut planned = walk(schema, sides, &mut player);
        if !prior.is_null() {
            player.causes = changes(schema, prior, config, &planned);
            player.may_change = player.causes.is_empty() && !planned.is_wholly_known();
            if !player.causes.is_empty() || player.may_change {
                player.sources.clear();
                planned = walk(schema, sides, &mut player);
            } else if planned.identical_ignoring_refinements(prior)
                // States of the older SDK may have null in place of no elements or blocks.
                || self.legacy && with_null(&planned).identical_ignoring_refinements(&with_null(prior))
            {
                planned = prior.clone();
            }
        }
        let Player { causes, sources, perhaps_kept, .. } = player;
        let mut answer = PlannedResource::new(planned);
        answer.legacy_type_system = self.legacy;
        answer.private = request.private.clone();
        answer.identity.clone_from(&request.identity);
        let mut may_replace = false;
        if !prior.is_null() {
            for cause in &causes {
                match self.replaces(cause, config) {
                    Replaces::Always if perhaps_kept.contains(&cause.part) => may_replace = true,
                    Replaces::Always => {
                        let paths = self.replace_paths(cause, prior, &answer.planned);
                        // Without a path, such as through a map of objects, the change would look like an update.
                        may_replace |= paths.is_empty();
                        answer.requires_replace.extend(paths);
                    }
                    Replaces::Never => {}
                    Replaces::Depends => may_replace = true,
                    Replaces::NotLearned => may_replace |= is_strict || perhaps_kept.contains(&cause.part),
                }
            }
            // One change that surely replaces the object decides.
            may_replace &= answer.requires_replace.is_empty();
            if may_replace {
                answer.planned = perhaps_new(schema, config, &answer.planned);
            }
            answer.may_replace = may_replace;
        }
        Played { answer, may_replace, causes: causes.into_iter().collect(), sources }
    }

    /// Whether a change replaces the object.
    pub fn replaces(&self, cause: &Cause, config: &Value) -> Replaces {
        let is_true = |name: &str| {
            let value = config.attribute(name)?;
            if value.is_known() { Some(value.as_bool() == Some(true)) } else { None }
        };
        let facts = |kind| self.parts.get(&cause.part).and_then(|facts| facts.replaces.get(&kind));
        let answer = |kind| facts(kind).map(|replaces| replaces.answer(is_true));
        // Whether there was a value before rarely matters, nor does the new value of a flag.
        let alike: &[ChangeKind] = match cause.kind {
            ChangeKind::True => &[ChangeKind::True, ChangeKind::False],
            ChangeKind::False => &[ChangeKind::False, ChangeKind::True],
            ChangeKind::Value => &[ChangeKind::Value, ChangeKind::Set],
            ChangeKind::Set => &[ChangeKind::Set, ChangeKind::Value],
            ChangeKind::Unset => &[ChangeKind::Unset],
        };
        let own = alike.iter().find_map(|kind| answer(*kind));
        // A flag that becomes unknown may become either.
        let may_be_flag = matches!(cause.kind, ChangeKind::Value | ChangeKind::Set);
        own.or_else(|| match [ChangeKind::True, ChangeKind::False].map(answer) {
            [None, None] => None,
            _ if !may_be_flag => None,
            [Some(Replaces::Never), Some(Replaces::Never)] => Some(Replaces::Never),
            [Some(Replaces::Always), Some(Replaces::Always)] => Some(Replaces::Always),
            _ => Some(Replaces::Depends),
        })
        .unwrap_or(Replaces::NotLearned)
    }

    fn replace_paths(&self, cause: &Cause, prior: &Value, planned: &Value) -> Vec<Path> {
        let facts = self.parts.get(&cause.part);
        let known =
            facts.iter().flat_map(|facts| facts.replaces.values()).find(|known| !known.paths.is_empty());
        let exact =
            facts.and_then(|facts| facts.replaces.get(&cause.kind)).filter(|known| !known.paths.is_empty());
        let parts = exact.or(known).map(|replaces| replaces.paths.as_slice()).unwrap_or_default();
        parts.iter().flat_map(|part| paths_of(part, prior, planned)).collect()
    }
}

/// A planned object that may be a new one: everything that configuration leaves out is unknown.
fn perhaps_new(schema: &Block, config: &Value, planned: &Value) -> Value {
    let Some(object) = planned.as_object() else { return planned.clone() };
    Value::object(object.iter().map(|(name, value)| {
        let is_left_out = match (config.attribute(name), schema.block_type(name)) {
            (Some(config), Some(_)) => has_nothing(config) && !has_nothing(value),
            (Some(config), None) => config.is_null() && !value.is_null(),
            (None, _) => true,
        };
        let is_computed = schema.attribute(name).is_some_and(|attribute| attribute.computed)
            && config.attribute(name).is_none_or(Value::is_null);
        let value =
            if is_left_out || is_computed { Value::unknown(value.ty().clone()) } else { value.clone() };
        (name.clone(), value)
    }))
}

/// The paths of the part in both objects where its values differ.
fn paths_of(part: &str, prior: &Value, planned: &Value) -> Vec<Path> {
    let nothing = Value::null(Type::Dynamic);
    let mut at = vec![(Path::root(), prior, planned)];
    for name in part.split('.') {
        let mut next = Vec::new();
        for (path, before, after) in at {
            // Paths cannot lead into a set, so they end at it.
            if matches!(before.ty(), Type::Set(_)) || matches!(after.ty(), Type::Set(_)) {
                next.push((path, before, after));
                continue;
            }
            let is_list = |value: &Value| matches!(value.kind(), Kind::List(_) | Kind::Tuple(_));
            if !is_list(before) && !is_list(after) {
                if let (Some(before), Some(after)) = (before.attribute(name), after.attribute(name)) {
                    next.push((path.attribute(name), before, after));
                }
                continue;
            }
            let length = |value: &Value| value.as_elements().map_or(0, <[Value]>::len);
            for i in 0..length(before).max(length(after)) {
                let of = |value| Value::index(value, i).and_then(|element| element.attribute(name));
                let (before, after) = (of(before).unwrap_or(&nothing), of(after).unwrap_or(&nothing));
                next.push((path.clone().index(i as u64).attribute(name), before, after));
            }
        }
        at = next;
    }
    at.retain(|(_, before, after)| !before.definitely_equals(after));
    at.into_iter().map(|(path, ..)| path).collect()
}

struct Player<'p> {
    model: &'p TypeModel,
    config: &'p Value,
    causes: BTreeSet<Cause>,
    /// Nothing changes for sure, and parts on which probes disagree are unknown.
    may_change: bool,
    is_creation: bool,
    is_strict: bool,
    has_other_settings: bool,
    /// Parts with configured values that the provider may take for equal to the prior ones.
    perhaps_kept: BTreeSet<SmolStr>,
    /// The blocks that are kept as if they had nothing in them, while their parts are planned.
    kept: Option<SmolStr>,
    sources: Vec<Source>,
}

/// Why a fact was chosen.
enum Basis {
    /// It is the usual one.
    Usual,
    /// Nothing else changes.
    Alone,
    /// This changes as well.
    Cause(Cause),
    /// An argument gets this value.
    Value(SmolStr, SmolStr),
    /// An argument is set.
    Presence(SmolStr),
}

impl Decide for Player<'_> {
    fn decide(&mut self, question: &Question<'_>) -> Option<Value> {
        let Question { part, situation, sides, are_blocks, holds_objects, is_computed, nested } = question;
        let facts = self.model.parts.get(*part);
        let mut situation = *situation;
        let mut cases = facts.and_then(|facts| facts.planned.get(&situation));
        if cases.is_none() {
            // A new element of an object is planned as in a new object.
            situation = match situation {
                Situation::Added => Situation::Created,
                Situation::Created if part.contains('.') => Situation::Added,
                // Blocks that are kept are also kept where they have only empty values.
                Situation::Emptied if *are_blocks && !self.is_strict && self.keeps(part) => {
                    Situation::Updated
                }
                Situation::Several if !self.is_strict => Situation::Updated,
                Situation::Alike => Situation::Reconfigured,
                Situation::JsonPart if self.compares_documents(part) => {
                    self.perhaps_kept.insert(SmolStr::new(part));
                    return Some(Value::unknown(sides.proposed.ty().clone()));
                }
                Situation::Blank if sides.config.ty().is_primitive() && sides.config.as_str().is_none() => {
                    Situation::Configured
                }
                Situation::JsonEmpty | Situation::JsonSingle | Situation::JsonOrder | Situation::JsonPart => {
                    Situation::Reconfigured
                }
                other => other,
            };
            cases = facts.and_then(|facts| facts.planned.get(&situation));
        }
        let unknown = || Value::unknown(sides.proposed.ty().clone());
        let is_set = question.is_set();
        let Some((fact, basis)) = cases.and_then(|cases| self.choose(part, situation, cases)) else {
            return self.not_learned(part, situation, *sides, *are_blocks, *is_computed, is_set);
        };
        let part_name = SmolStr::new(part);
        self.sources.push(match basis {
            Basis::Usual => Source::Planned { part: part_name, situation, cause: None },
            Basis::Alone => Source::Planned { part: part_name, situation, cause: Some(None) },
            Basis::Cause(cause) => Source::Planned { part: part_name, situation, cause: Some(Some(cause)) },
            Basis::Presence(argument) => Source::Beside { part: part_name, situation, argument },
            Basis::Value(argument, value) => Source::With { part: part_name, situation, argument, value },
        });
        let Some(outcome) = fact.stable() else {
            // The provider may have ignored the change because the values of probes mean nothing to it.
            if is_set && fact.outcomes.contains(&Outcome::Kept) && self.compares_documents(part) {
                self.perhaps_kept.insert(SmolStr::new(part));
            }
            // The number of objects stays, unless a probe has left all of them unknown.
            if is_set && *holds_objects && !fact.outcomes.contains(&Outcome::Unknown) {
                return None;
            }
            // Where nothing changes, an argument without a value stays without one.
            let stays_null = situation == Situation::Gained && !*is_computed && !*are_blocks;
            let is_unchanged = self.causes.is_empty() && !self.may_change && !self.is_strict;
            return match self.must_be_configured(is_set, *sides) || stays_null && is_unchanged {
                true => None,
                false => Some(unknown()),
            };
        };
        match outcome {
            Outcome::Configured => None,
            Outcome::NormalJson => {
                let normal = sides.config.as_str().map(crate::documents::normal);
                Some(normal.map_or_else(unknown, Value::from))
            }
            Outcome::PolicyJson => {
                let policy = sides.config.as_str().and_then(crate::documents::policy_json);
                Some(policy.map_or_else(unknown, Value::from))
            }
            Outcome::Sha1 => Some(
                sides.config.as_str().map_or_else(unknown, |text| Value::from(crate::walk::sha1_hex(text))),
            ),
            Outcome::Zeroed => Some(zeroed(sides.config)),
            Outcome::ZeroedButNumbers => Some(zeroed_but_numbers(sides.config)),
            Outcome::KeptBlocks => {
                let used = self.sources.len();
                let around = self.kept.clone();
                self.kept.get_or_insert_with(|| SmolStr::new(part));
                let kept = nested.and_then(|nested| walk_kept_block(nested, part, *sides, self));
                self.kept = around;
                // Where another value is planned, the fact about the blocks is to blame: they may not be kept at all.
                self.sources.truncate(used);
                Some(kept.unwrap_or_else(unknown))
            }
            Outcome::Kept if sides.prior.is_null() => None,
            Outcome::Kept => Some(sides.prior.clone()),
            Outcome::UpperCase | Outcome::LowerCase => {
                let source = if is_set { sides.config } else { sides.prior };
                let text = source.as_str().and_then(|text| crate::walk::in_case(outcome, text));
                // A value that is null stays so; one that is not known may become any.
                if source.is_null() { None } else { Some(text.map_or_else(unknown, Value::from)) }
            }
            Outcome::Null if *are_blocks => match sides.proposed.is_known() && has_nothing(sides.proposed) {
                true => None,
                false => Some(no_blocks(sides.proposed.ty())),
            },
            Outcome::Null => Some(Value::null(sides.proposed.ty().clone())),
            Outcome::Unknown if self.must_be_configured(is_set, *sides) => None,
            Outcome::Unknown => Some(unknown()),
            Outcome::CopyOf(_) if self.has_other_settings => Some(unknown()),
            Outcome::CopyOf(argument) => {
                let value = self.config.attribute(argument).filter(|value| value.is_wholly_known());
                let value = value
                    .filter(|value| !value.is_null())
                    .and_then(|value| value.convert(sides.proposed.ty()).ok());
                Some(value.unwrap_or_else(unknown))
            }
            Outcome::Collected(collected) => {
                Some(collected.set(self.config, sides.proposed.ty()).unwrap_or_else(unknown))
            }
            Outcome::Constant(json) => {
                Some(Value::from_json(json, sides.proposed.ty()).unwrap_or_else(|_| unknown()))
            }
        }
    }
}

impl Player<'_> {
    /// Whether Terraform refuses an unknown value: only the older SDK may plan another one than the configured one.
    fn must_be_configured(&self, is_set: bool, sides: Sides<'_>) -> bool {
        is_set && !self.model.legacy && sides.config.is_wholly_known()
    }

    /// Whether the provider keeps a part that is left out.
    fn keeps(&self, part: &str) -> bool {
        matches!(self.usual(part, Situation::Updated), Some(Outcome::Kept | Outcome::KeptBlocks))
    }

    /// The usual outcome of a part in a situation, if it is stable.
    fn usual(&self, part: &str, situation: Situation) -> Option<&Outcome> {
        let cases = self.model.parts.get(part).and_then(|facts| facts.planned.get(&situation))?;
        cases.usual.as_ref().and_then(Fact::stable)
    }

    /// Whether an argument is set, and not to `false`; `None` if that is unknown.
    fn is_set(&self, argument: &str) -> Option<bool> {
        self.config.attribute(argument).map_or(Some(false), is_present)
    }

    /// Whether the provider compares the texts of a part as JSON.
    fn compares_documents(&self, part: &str) -> bool {
        let cases = self.model.parts.get(part).and_then(|facts| facts.planned.get(&Situation::Json));
        let usual = cases.and_then(|cases| cases.usual.as_ref());
        usual.is_some_and(|fact| fact.outcomes.contains(&Outcome::Kept))
    }

    /// The fact for what changes, and its cause.
    fn choose<'c>(&self, part: &str, situation: Situation, cases: &'c Cases) -> Option<(&'c Fact, Basis)> {
        let is_in_kept = |cause: &Cause| self.kept.as_ref().is_some_and(|kept| cause.is_inside(kept));
        let is_other = |cause: &&Cause| {
            let is_result = situation.is_left_out() && cause.is_inside(part) || is_in_kept(cause);
            cause.is_beside(part) && !is_result
        };
        let mut others = self.causes.iter().filter(is_other).peekable();
        let beside = cases.beside.iter().find_map(|(argument, fact)| match self.is_set(argument) {
            Some(true) => Some((fact, Basis::Presence(argument.clone()))),
            Some(false) => None,
            None => Some((&CONFLICT, Basis::Presence(argument.clone()))),
        });
        if others.peek().is_none() && beside.is_some() {
            return beside;
        }
        if others.peek().is_none()
            && let Some(alone) = &cases.alone
        {
            let is_usual = Some(&alone.outcomes) == cases.usual.as_ref().map(|usual| &usual.outcomes);
            return Some((if self.may_change && !is_usual { &CONFLICT } else { alone }, Basis::Alone));
        }
        let has_others = others.peek().is_some();
        let mut chosen: Option<(&Fact, Basis)> = None;
        let mut is_all_probed = true;
        for cause in others {
            is_all_probed &= self.is_creation || self.model.probed(cause);
            let values = cases.with.get(&cause.part).filter(|_| cause.kind != ChangeKind::Unset);
            let (fact, basis) = match values {
                Some(values) => match self.value_of(cause, values) {
                    // Another change may lead to something else than usual, beside any value.
                    Some((fact, _))
                        if Some(&fact.outcomes) == cases.usual.as_ref().map(|usual| &usual.outcomes) =>
                    {
                        continue;
                    }
                    Some(found) => found,
                    None => (&CONFLICT, Basis::Cause(cause.clone())),
                },
                None => match case_of(cases, cause) {
                    Some((cause, fact)) => (fact, Basis::Cause(cause.clone())),
                    None => continue,
                },
            };
            chosen = Some(match chosen {
                // If changes lead to different outcomes, it is unknown which wins.
                Some((before, _)) if before.outcomes != fact.outcomes => (&CONFLICT, basis),
                _ => (fact, basis),
            });
        }
        match chosen {
            Some(chosen) => Some(chosen),
            None if beside.is_some() => beside,
            None if self.is_strict && !is_all_probed => Some((&CONFLICT, Basis::Usual)),
            // No change made here has a fact of its own.
            None => match &cases.usual {
                // Probes with other changes do not show that a value which is set as before becomes unknown without any.
                Some(usual)
                    if !has_others
                        && !self.is_strict
                        && situation == Situation::Unchanged
                        && usual.outcomes == [Outcome::Unknown] =>
                {
                    None
                }
                Some(usual) => Some((usual, Basis::Usual)),
                // Without any change, facts about certain changes say nothing.
                None if !has_others && cases.alone.is_none() => None,
                None => Some((&CONFLICT, Basis::Usual)),
            },
        }
    }

    /// The fact for the value that an argument gets. `None` if no probe has had this value.
    fn value_of<'c>(&self, cause: &Cause, values: &'c BTreeMap<SmolStr, Fact>) -> Option<(&'c Fact, Basis)> {
        let value = self.config.attribute(&cause.part).and_then(Value::as_str)?;
        let (value, fact) = values.get_key_value(value)?;
        Some((fact, Basis::Value(cause.part.clone(), value.clone())))
    }

    /// The value of a part without facts; `None` for the proposed one.
    fn not_learned(
        &self,
        part: &str,
        situation: Situation,
        sides: Sides<'_>,
        are_blocks: bool,
        is_computed: bool,
        is_set: bool,
    ) -> Option<Value> {
        let unknown = || Some(Value::unknown(sides.proposed.ty().clone()));
        if is_set {
            return match situation {
                // Providers of the older SDK leave such sets unknown as a whole.
                Situation::PartlyUnknown
                    if self.model.legacy && matches!(sides.proposed.ty(), Type::Set(_)) =>
                {
                    unknown()
                }
                _ => None,
            };
        }
        let is_new = matches!(situation, Situation::Created | Situation::Added);
        if is_new {
            return if is_computed && !are_blocks || self.is_strict && self.model.legacy {
                unknown()
            } else {
                None
            };
        }
        if sides.prior.is_null() || has_nothing(sides.prior) && are_blocks {
            return if self.is_strict && is_computed && !self.causes.is_empty() { unknown() } else { None };
        }
        if self.is_strict {
            return if self.causes.is_empty() && is_computed { None } else { unknown() };
        }
        // The older SDK lets a provider keep blocks that are left out, and no schema says which.
        if are_blocks && self.model.legacy {
            return unknown();
        }
        // An argument with a default gets it whatever it had before.
        if situation == Situation::Emptied
            && let Some(Outcome::Constant(json)) = self.usual(part, Situation::Updated)
        {
            return Value::from_json(json, sides.proposed.ty()).ok().or_else(unknown);
        }
        // Providers of the older SDK keep empty values of arguments that are left out.
        if !is_computed && !are_blocks && self.model.legacy {
            return if is_empty_value(sides.prior) { Some(sides.prior.clone()) } else { unknown() };
        }
        None
    }
}

/// Whether an argument has a value other than `false`; `None` if that is unknown.
pub(crate) fn is_present(value: &Value) -> Option<bool> {
    match *value.ty() == Type::Bool {
        true if !value.is_known() => None,
        true => Some(value.as_bool() == Some(true)),
        false => Some(!has_nothing(value)),
    }
}

/// The fact if changes lead to different outcomes, or nothing was learned.
static CONFLICT: Fact = Fact { outcomes: Vec::new(), probes: 0, depends: true };

/// The case for a cause. Without probes that set a value, those that change it from one value to another are used, and the other
/// way round, because the old value rarely matters.
fn case_of<'c>(cases: &'c Cases, cause: &Cause) -> Option<(&'c Cause, &'c Fact)> {
    let alike: &[ChangeKind] = match cause.kind {
        ChangeKind::True | ChangeKind::Unset | ChangeKind::False => &[],
        ChangeKind::Value => &[ChangeKind::Set],
        ChangeKind::Set => &[ChangeKind::Value],
    };
    let of = |kind| cases.when.get_key_value(&Cause { kind, part: cause.part.clone() });
    of(cause.kind).or_else(|| alike.iter().find_map(|kind| of(*kind)))
}

/// The value of blocks without any; null for a single one.
fn no_blocks(ty: &Type) -> Value {
    empty_value(ty).unwrap_or_else(|| Value::null(ty.clone()))
}
